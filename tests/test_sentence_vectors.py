"""Vectors of sentences: what the encoder makes of them in one pass, and what is stored of that."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME, HashEmbedder
from recollect import Memory, config, ports
from recollect.memory.models import QueryVectors
from recollect.models import network
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder
from recollect.storage import open_store
from recollect.testing.builders import note
from recollect.text import signs
from recollect.text.lexical import indexed_text
from recollect.text.sentences import parts_of

TEXTS = [
    "The Harbour Cafe\nThe cafe opens at nine. It takes cards! Dogs may come in, too.",
    "Otto is an otter.",
    "# Keys\n\n- the red one: the boat\n- the blue one: the shed\n\n```\nkeys --list\n```\n",
    "",
    "   \n\n",
    "A log without end: " + "x" * 2_000 + " is one word. Then the tide came.",
    "海獺は魚を食べる。次の文。" * 3,
    "The tide was high on day 12. " * 200,
    "Otters eat fish. " * 1_500,
    "Café naïve – résumé… “quoted.” Done.",
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(EMBED, EMBED_HOME)


def test_the_vectors_of_passages_are_the_same_to_the_bit(embedder: OnnxEmbedder) -> None:
    alone = embedder.embed_passages(TEXTS)
    together = embedder.embed_with_sentences(TEXTS).vectors
    assert np.array_equal(alone, together)


def test_each_sentence_has_its_signs(embedder: OnnxEmbedder) -> None:
    found = embedder.embed_with_sentences(TEXTS).sentences
    for text, some in zip(TEXTS, found, strict=True):
        assert len(some) == signs.SIZE * len(parts_of(text)), text[:30]
    assert found[3] == b""


def test_a_sentence_that_the_model_does_not_reach_is_far_from_everything(
    embedder: OnnxEmbedder,
) -> None:
    text = "The tide was high on day twelve and the otters of the harbour slept. " * 60
    (some,) = embedder.embed_with_sentences([text]).sentences
    asks = embedder.embed_question("was the tide high?").asks
    assert asks is not None
    found = signs.scores(asks, some)
    assert len(found) == 60
    reached = found.index(signs.FAR)
    assert 20 < reached < 60
    assert set(found[reached:]) == {signs.FAR}


def test_the_signs_tell_which_sentence_answers(embedder: OnnxEmbedder) -> None:
    text = (
        "The harbour was built in 1911. The cafe on the pier opens at nine in the morning. "
        "Otters sleep there. The lamp of the lighthouse was replaced in spring."
    )
    (some,) = embedder.embed_with_sentences([text]).sentences
    for question, answer in (
        ("when does the cafe open?", "cafe"),
        ("what happened to the lamp?", "lamp"),
        ("how old is the harbour?", "1911"),
    ):
        asks = embedder.embed_question(question).asks
        assert asks is not None
        scored = zip(parts_of(text), signs.scores(asks, some), strict=True)
        (start, end), _ = max(scored, key=lambda one: one[1])
        assert answer in text[start:end]


def test_a_question_is_read_once_for_both_of_its_vectors(
    embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    run = network.Network._run

    def counted(self: network.Network, encoded: Any) -> Any:
        runs.append(len(encoded))
        return run(self, encoded)

    wanted = embedder.embed_query("when does the cafe open?")
    monkeypatch.setattr(network.Network, "_run", counted)
    asked = QueryVectors(embedder)
    vector = asked.embed_query("when does the cafe open?")
    found = ports.question_vectors(asked, "when does the cafe open?")
    assert runs == [1]
    assert np.array_equal(vector, wanted)
    assert np.array_equal(found.vector, wanted)
    assert found.asks is not None
    assert found.asks.shape == (signs.WIDTH,)
    assert isclose(float(np.linalg.norm(found.asks)), 1.0, rel_tol=1e-5)


def test_a_graph_without_sentences_gives_none(
    embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network.Network, "gives_sentences", False)
    found = embedder.embed_with_sentences(TEXTS[:2])
    assert np.array_equal(found.vectors, embedder.embed_passages(TEXTS[:2]))
    assert found.sentences == [b"", b""]
    assert embedder.embed_question("who?").asks is None


def test_an_embedder_that_knows_no_sentences_is_asked_as_ever() -> None:
    plain = HashEmbedder()
    found = ports.passage_vectors(plain, ["otter", "kelp"])
    assert np.array_equal(found.vectors, plain.embed_passages(["otter", "kelp"]))
    assert found.sentences == [b"", b""]
    assert ports.question_vectors(QueryVectors(plain), "otter").asks is None


def test_a_cache_in_front_of_an_embedder_is_not_passed_by(embedder: OnnxEmbedder) -> None:
    class Cached:
        """Hands on what it has not itself."""

        def __getattr__(self, name: str) -> Any:
            return getattr(embedder, name)

        def embed_query(self, text: str) -> Any:
            return np.full(384, len(text), np.float32)

        def embed_passages(self, texts: Sequence[str]) -> Any:
            return np.full((len(texts), 384), 7, np.float32)

    class Replaced(OnnxEmbedder):
        """Gives other vectors than the class that it is made from."""

        embed_query = Cached.embed_query
        embed_passages = Cached.embed_passages

    replaced = Replaced(EMBED, EMBED_HOME)
    cached: Any = Cached()
    for one in (replaced, cached):
        assert ports.passage_vectors(one, ["otter"]).vectors[0, 0] == 7
        assert ports.question_vectors(one, "otter").vector[0] == 5


def test_what_is_embedded_has_its_signs_in_the_store(embedder: OnnxEmbedder) -> None:
    first = note("a", "The otter eats fish. It sleeps on the pier.", title="Otters")
    notes = [first, first._replace(source="a copy"), note("b", "Kelp grows.")]
    with Memory(open_store("memory://"), config.load(), embedder) as memory:
        memory.put(notes)
        assert memory.models.embed() == 3
        hits = memory.store.search_vector(
            embedder.key, embedder.embed_query("otter"), ports.EVERYTHING, limit=9
        ).hits
        stored = memory.store.passages([hit.passage for hit in hits])
        found = memory.store.sentences(embedder.key, [one.key for one in stored])
    assert len(found) == 3
    for one in stored:
        text = indexed_text(one.document.title, one.passage.heading, one.passage.text)
        assert found[one.key] == embedder.embed_with_sentences([text]).sentences[0]
        assert len(found[one.key]) == signs.SIZE * len(parts_of(text))
