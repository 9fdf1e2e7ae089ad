"""A text that the encoder has read for another purpose is not read again to be embedded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME
from recollect import Memory, config
from recollect.models import network
from recollect.models.catalog import EMBED
from recollect.models.onnx import OnnxEmbedder
from recollect.nouns import Filter
from recollect.ports import PassageSentences, SpokenSentence
from recollect.storage import open_store
from recollect.text import signs
from recollect.text.sentences import parts_of

TEXTS = {
    "Database": "We decided to use Postgres. The port of Postgres is 5433.",
    "Harbour Cafe": "The Harbour Cafe opens at nine. The Harbour Cafe takes cards.",
}
FACT = "We can leave the present provider on 30 June at the earliest."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were embedded, as they are."""
    texts: list[str] = []
    embed, with_sentences = network.Network.embed, network.Network.embed_with_sentences

    def counted(self: network.Network, some: list[str]) -> Any:
        texts.extend(some)
        return embed(self, some)

    def counted_too(self: network.Network, some: Sequence[PassageSentences]) -> Any:
        texts.extend(one.text for one in some)
        return with_sentences(self, some)

    monkeypatch.setattr(network.Network, "embed", counted)
    monkeypatch.setattr(network.Network, "embed_with_sentences", counted_too)
    return texts


def test_a_text_that_is_embedded_ahead_has_the_vector_of_its_own(read: list[str]) -> None:
    (meant,) = OnnxEmbedder(EMBED, EMBED_HOME).embed_passages([FACT])
    ahead = OnnxEmbedder(EMBED, EMBED_HOME)
    (vector,) = ahead.embed_ahead([FACT])
    read.clear()
    (found,) = ahead.embed_passages([FACT])
    assert not read
    assert np.allclose(found, meant, atol=1e-5)
    assert np.allclose(vector, meant, atol=1e-5)


def test_a_text_that_is_embedded_ahead_has_the_signs_of_its_sentences(read: list[str]) -> None:
    meant = OnnxEmbedder(EMBED, EMBED_HOME).embed_with_sentences([FACT])
    ahead = OnnxEmbedder(EMBED, EMBED_HOME)
    ahead.embed_ahead([FACT])
    read.clear()
    found = ahead.embed_with_sentences([FACT])
    assert not read
    assert found.sentences == meant.sentences
    assert len(found.sentences[0]) == 16


def test_a_fact_and_a_page_of_a_curated_text_are_embedded_once(read: list[str]) -> None:
    """The note itself was read for what it says, and is not embedded again."""
    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    with Memory(open_store("memory://"), config.load(), embedder) as memory:
        for title, text in TEXTS.items():
            memory.curate(text, title=title, note=True)
        kinds = [one.kind for one in memory.store.scan(Filter(), limit=100).items]
    assert kinds.count("fact") > 2
    assert kinds.count("page") > 1
    assert len(read) == kinds.count("fact") + kinds.count("page")


def test_a_text_that_is_read_for_its_sentences_has_signs_of_its_parts() -> None:
    text = "We decided to use Postgres. The port of Postgres is 5433. Ana keeps the key."
    meant = OnnxEmbedder(EMBED, EMBED_HOME).embed_with_sentences([text]).sentences[0]
    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    marks = tuple(SpokenSentence(start, end) for start, end in parts_of(text))
    embedder.embed_sentences([PassageSentences(text, marks)])
    assert embedder.embed_with_sentences([text]).sentences[0] == meant
    embedder.embed_sentences([PassageSentences(text, (SpokenSentence(0, len(text)),))])
    (whole,) = embedder.embed_with_sentences([text]).sentences
    assert whole == whole[: signs.SIZE] * 3
