"""Scores of other models on the grade's scale, found out on the store itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME, Cli, HashEmbedder
from recollect import Memory
from recollect.errors import ModelError, UsageError
from recollect.memory.models import models_folder, shipped
from recollect.models.calibrate import CalibrationPair, embedder_scale, sample
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder
from recollect.models.scales import scale_of
from recollect.testing.builders import note

TOPICS = ("otters", "kelp", "piers", "boats", "nets", "eels", "tides", "gulls")
DOING = ("sleep", "grow", "rot", "leak", "tear", "hide", "turn", "shout")


def library(memory: Memory, count: int = 40) -> None:
    memory.put(
        note(
            f"n{n}",
            f"In the year {1900 + n} the {TOPICS[n % 8]} of harbour{n} {DOING[n * 3 % 8]}. "
            f"Nobody there knew why the {TOPICS[n * 5 % 8]} did not, and they wrote it down.",
        )
        for n in range(count)
    )


class Bent(OnnxEmbedder):
    """The embedder that ships, with its cosines pressed together: every vector has a part that is
    the same for all."""

    @property
    def key(self) -> str:
        return "bent@1"

    @property
    def dimensions(self) -> int:
        return self.model.dimensions + 1

    def embed_query(self, text: str) -> Any:
        return self._pressed(super().embed_query(text)[None, :])[0]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        own = OnnxEmbedder(self.model, self.home)
        return self._pressed(own.embed_passages(texts))

    def _pressed(self, vectors: Any) -> Any:
        same = np.full((len(vectors), 1), np.sqrt(3.0), np.float32)
        return np.hstack([vectors, same]) / 2.0


@pytest.fixture
def bent(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store") as memory:
        memory.core.embedder = Bent(EMBED, EMBED_HOME)
        library(memory)
        memory.models.embed(threads=1)
        yield memory


def grade(answer: Any) -> str:
    return str(next(s.reason for s in answer.stages if s.name == "grade"))


def test_a_scale_is_found_without_a_label(bent: Memory) -> None:
    """The cosines of the bent model are ¾ + ¼ of what they were."""
    known = shipped(bent.config)
    found = embedder_scale(
        sample(bent.store, 20), known, Bent(EMBED, EMBED_HOME), 20, lambda *_: None
    )
    assert found.slope == pytest.approx(4.0, rel=0.05)
    assert found.offset == pytest.approx(-3.0, rel=0.05)
    assert found.agreement > 0.99


def test_the_grade_says_uncalibrated_until_it_is_not(bent: Memory) -> None:
    question = "what did the otters of harbour16 do?"
    before = bent.search(question)
    assert "uncalibrated: bent@1" in grade(before)
    assert "from words;" in grade(before)
    (found,) = bent.models.calibrate(count=20)
    assert (found.model, found.questions) == ("bent@1", 20)
    after = bent.search(question)
    assert grade(after).startswith("from cosine; ")
    assert "uncalibrated" not in grade(after)
    with Memory.open("memory://") as plain:
        library(plain)
        plain.models.embed()
        meant = plain.search(question)
        assert plain.models.calibrate() == ()
    shown, intended = ([r.document for r in answer.results] for answer in (after, meant))
    assert min(len(shown), len(intended)) > 3
    for one, other in zip(shown, intended, strict=False):  # one of them may be cut a place later
        assert one == other
    assert after.confidence == pytest.approx(meant.confidence, abs=0.05)
    assert after.results[0].signals.cosine == pytest.approx(
        meant.results[0].signals.cosine, abs=0.05
    )


def test_what_has_nothing_to_do_with_the_question_is_refused(bent: Memory) -> None:
    class Noise(HashEmbedder):
        key = "noise@1"

        def embed_passages(self, texts: Sequence[str]) -> Any:
            rows = np.random.default_rng(len(texts)).normal(size=(len(texts), 64))
            return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    known = shipped(bent.config)
    with pytest.raises(ModelError, match="noise@1"):
        embedder_scale(sample(bent.store, 20), known, Noise(), 20, lambda *_: None)
    assert scale_of(models_folder(bent.config), "noise@1") is None


def test_too_small_a_store_says_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.core.embedder = HashEmbedder()
        library(memory, 5)
        with pytest.raises(UsageError, match="5 questions"):
            memory.models.calibrate()
        with pytest.raises(UsageError, match="20 to 1000"):
            memory.models.calibrate(count=3)


def test_questions_are_made_of_titles_sentences_and_sessions(memory: Memory) -> None:
    from recollect.testing.builders import session

    body = "They float on their backs in the kelp, and hold hands so as not to drift away."
    memory.put([note(f"t{n}", body, title=f"How otters sleep {n}") for n in range(10)])
    memory.put([note(f"s{n}", f"Why do eels{n} hide? {body}") for n in range(10)])
    memory.put(session(f"c{n}", ("user", f"What do gulls{n} eat?"), ("assistant", body))
               for n in range(10))  # fmt: skip
    asked = {pair.question for pair in sample(memory.store, 50)}
    assert {"How otters sleep 3", "Why do eels3 hide?", "What do gulls3 eat?"} <= asked
    assert CalibrationPair("How otters sleep 3", body) in sample(memory.store, 50)


def test_a_scale_of_other_models_that_shipped_is_not_used(bent: Memory) -> None:
    bent.models.calibrate(count=20)
    assert scale_of(models_folder(bent.config), "bent@1") is not None
    path = models_folder(bent.config) / "calibrations.json"
    known = json.loads(path.read_text())
    known["bent@1"]["reference"] = "recollect-embed@000000000000"
    path.write_text(json.dumps(known))
    assert scale_of(models_folder(bent.config), "bent@1") is None
    path.write_text("{ torn")
    assert scale_of(models_folder(bent.config), "bent@1") is None
    assert "uncalibrated" in grade(bent.search("what did the otters of harbour16 do?"))


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    """The model that ships, in a folder under another name: its scale is the same."""
    folder = tmp_path / "mine"
    folder.mkdir()
    about = {"name": "mine", "dimensions": 384, "query_prefix": EMBED.query_prefix}
    (folder / "recollect-model.json").write_text(json.dumps(about))
    for name in EMBED.files:
        (folder / name).symlink_to(EMBED_HOME / name)
    store = ["--store", str(tmp_path / "store")]
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        library(memory)
    assert "nothing to do" in cli("models", "calibrate", *store).out
    switched = cli("models", "switch", str(folder), *store, "--json").json
    assert (switched["vectors"], switched["note"]) == (40, "")
    (again,) = cli("models", "calibrate", "--sample", "20", *store, "--json").json["calibrated"]
    assert again["slope"] == pytest.approx(1.0, abs=0.01)
    assert again["offset"] == pytest.approx(0.0, abs=0.01)
    assert "the grade counts it" in cli("models", "calibrate", "--sample", "20", *store).out
