"""The reranker: what it changes, what it leaves alone, and what happens when it cannot work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Cli, HashEmbedder, overlap_reranker
from recollect import Memory, config
from recollect.errors import ModelError
from recollect.models.files import own_model
from recollect.models.onnx import OnnxReranker
from recollect.nouns import Answer
from recollect.storage import open_store
from recollect.testing.builders import note
from recollect.trace import Stopped, tracing, watched


class Likes:
    """A reranker that likes passages with one word in them."""

    key = "likes@1"

    def __init__(self, word: str, error: str = "") -> None:
        self.word = word
        self.error = error
        self.seen: list[str] = []

    def reads(self, text: str) -> bool:
        return text.isascii()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        if self.error:
            raise ModelError(self.error)
        self.seen = list(passages)
        return [20.0 if self.word in passage else -20.0 for passage in passages]


def boats(reranker: Likes | None) -> Memory:
    memory = Memory(open_store("memory://"), config.load(), HashEmbedder(), reranker=reranker)
    memory.put(note(f"n{i}", f"boat {'boat ' * (9 - i)} number {i}") for i in range(9))
    memory.models.embed()
    return memory


def stage(answer: Answer) -> tuple[str, str]:
    return next((s.state, s.reason) for s in answer.stages if s.name == "rerank")


def test_what_the_reranker_likes_comes_first() -> None:
    with boats(Likes("number 7")) as memory:
        answer = memory.search("boat")
    assert answer.results[0].document == "n7"
    assert stage(answer)[0] == "ran"


def test_contributions_still_sum_to_the_score() -> None:
    with boats(Likes("number 3")) as memory:
        for result in memory.search("boat").results:
            assert sum(c.value for c in result.contributions) == pytest.approx(result.score)
            assert "odds" in [c.arm for c in result.contributions]
            assert set(result.evidence) <= {"lexical", "vector", "title"}


def test_it_reads_the_title_and_heading_with_the_text() -> None:
    likes = Likes("x")
    with Memory(open_store("memory://"), config.load(), HashEmbedder(), reranker=likes) as memory:
        memory.put([note("a", "a boat", title="Fleet"), note("b", "another boat")])
        memory.search("boat")
    assert any(text.startswith("Fleet") for text in likes.seen)


@pytest.mark.parametrize(
    ("query", "way", "reason"),
    [
        ("boat", "keyword", "by keyword"),
        ("boat", "semantic", "semantic"),
        ("лодка boat лодка", None, "does not know this script"),
    ],
)
def test_it_is_left_out_with_a_reason(query: str, way: str | None, reason: str) -> None:
    with boats(Likes("number 7")) as memory:
        state, said = stage(memory.search(query, by=way))
    assert state == "skipped"
    assert reason in said


def test_without_one_the_answer_says_so_and_is_the_fused_one() -> None:
    with boats(None) as memory:
        answer = memory.search("boat")
    assert stage(answer) == ("skipped", "no reranker is in use")
    assert answer.degraded == ()
    assert len(answer.results) > 1
    assert len(answer.results) + len(answer.named) == answer.total_found


def test_one_that_fails_costs_its_gain_and_nothing_else() -> None:
    with boats(Likes("", error="it broke")) as broken, boats(None) as without:
        answer = broken.search("boat")
        wanted = [r.document for r in without.search("boat").results]
    assert [r.document for r in answer.results] == wanted
    assert "rerank: it broke" in answer.degraded


@pytest.fixture
def real(tmp_path: Path) -> OnnxReranker:
    folder = overlap_reranker(tmp_path / "overlap")
    return OnnxReranker(own_model(folder), folder)


def test_a_folder_of_ones_own_reranks_a_search(cli: Cli, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store")]
    with Memory.open(tmp_path / "store") as memory:
        memory.put(note(f"n{i}", f"boat {'boat ' * (9 - i)} number {i}") for i in range(9))
        memory.models.embed()
    assert "no reranker is in use" in cli("models", "list").out
    folder = overlap_reranker(tmp_path / "overlap")
    assert cli("config", "set", "rerank.model", str(folder)).code == 0
    found = cli("search", "boat number", *store, "--json").json
    read = next(one for one in found["stages"] if one["name"] == "rerank")
    assert (read["state"], read["found"]) == ("ran", 9)
    assert found["degraded"] == []
    assert {one["signals"]["odds"] for one in found["results"]} == {4.0}
    assert f"* {folder}" in cli("models", "list").out
    assert "is whole" in cli("doctor", *store).out


def test_a_folder_says_what_its_numbers_mean(tmp_path: Path, real: OnnxReranker) -> None:
    folder = overlap_reranker(tmp_path / "scaled")
    about = json.loads((folder / "recollect-model.json").read_text())
    path = folder / "recollect-model.json"
    path.write_text(json.dumps({**about, "calibration": [0.5, -1.0]}))
    scaled = OnnxReranker(own_model(folder), folder)
    (odds,), (half,) = real.score("a boat", ["the boat"]), scaled.score("a boat", ["the boat"])
    assert half == pytest.approx(0.5 * odds - 1.0)
    path.write_text(json.dumps({**about, "calibration": [0.5]}))
    with pytest.raises(ModelError, match="a slope and an offset"):
        own_model(folder)


def test_settings_that_name_the_reranker_that_shipped_once_do_not_break(
    cli: Cli, tmp_path: Path
) -> None:
    """The search goes on without, and says why and what to do."""
    store = ["--store", str(tmp_path / "store")]
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.put([note("a", "a boat"), note("b", "another boat")])
    assert cli("config", "set", "embed.model", "none").code == 0
    assert cli("config", "set", "rerank.model", "recollect-rerank").code == 0
    found = cli("search", "boat", *store)
    assert found.code == 0
    assert found.err.count("recollect-rerank no longer ships") == 1
    assert "`recollect config unset rerank.model`" in found.err
    (said,) = cli("search", "boat", *store, "--json").json["degraded"]
    assert said.startswith("rerank: the model recollect-rerank no longer ships")
    assert "recollect config unset rerank.model" in cli("doctor", *store).out
    refused = cli("models", "use", "recollect-rerank")
    assert (refused.code, "no longer ships" in refused.err) == (1, True)
    assert cli("config", "unset", "rerank.model").code == 0
    assert cli("search", "boat", *store, "--json").json["degraded"] == []


def test_it_takes_any_length_and_gives_numbers(real: OnnxReranker) -> None:
    odd = ["", "x", "word " * 20_000, "東京 🎉", "\x00", "\ud7ff"]
    for question in ("", "when", "why " * 5_000):
        assert len(real.score(question, odd)) == len(odd)
    assert real.score("nothing", []) == []


def test_company_does_not_change_a_score(real: OnnxReranker) -> None:
    passages = ["The lease ends in May.", "word " * 300, "Nothing of the kind."]
    alone = [real.score("when does the lease end", [p])[0] for p in passages]
    assert real.score("when does the lease end", passages) == pytest.approx(alone, abs=0.05)


def test_a_request_that_nobody_waits_for_is_not_read_to_the_end(real: OnnxReranker) -> None:
    looks: list[str] = []

    def stop(doing: str) -> None:
        looks.append(doing)
        if len(looks) == 2:
            raise Stopped

    with watched(stop), tracing(), pytest.raises(Stopped):
        real.score("boat", [f"boat number {n}" for n in range(200)])
    assert looks == ["rerank", "rerank"]


def test_it_reads_as_many_as_the_policy_says_and_no_clock_stops_it() -> None:
    slow = Likes("number 3")
    with boats(slow) as memory:
        memory.search("boat")
        assert len(slow.seen) == 9
        query = memory.query("boat")
        memory.ask(query._replace(policy=query.policy._replace(rerank=4)))
        assert len(slow.seen) == 4
    assert not [name for name in query.policy._fields if name.endswith("_ms")]
