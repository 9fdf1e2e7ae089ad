"""Which sentence of a passage comes near a question, by the signs that the store keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import Memory
from recollect.nouns import Answer, Document
from recollect.reading import answering, spans
from recollect.reading.nearness import Nearness, Part

HANDOVER = """Handover of the night shift

Compressor 2 trips when the hall is colder than ten degrees, press the green button twice. The
skip for cardboard was emptied. Mrs Oyelaran wants her pallets wrapped twice from now on. Forklift 3
pulls to the left. The vending machine eats two-euro coins, so leave a note on it. Plasters and burn
gel are in the white tin over the sink. Parking in front of gate 4 is for the sprinkler people on
Tuesday. Somebody took the long ladder without signing. The radio in the canteen is Benno's."""
ASKED = "Where is the first-aid kit?"
ANSWER = "Plasters and burn"


def asked(memory: Memory, budget: int | None = None, **changes: Any) -> Answer:
    query = memory.query(ASKED, budget=budget)
    return memory.ask(query._replace(policy=query.policy._replace(**changes)))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory://") as opened:
        when = datetime(2026, 5, 4, tzinfo=UTC)
        opened.put([Document("handover", "notes", HANDOVER, title="Hall 7", date=when)])
        opened.models.embed()
        yield opened


def test_of_a_passage_the_sentence_that_answers_is_shown_though_it_has_no_word_of_the_question(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(memory, 70, keep=0.0)
    assert ANSWER in found.results[0].text
    assert "radio" not in found.results[0].text
    monkeypatch.setattr(spans, "nearness", lambda *_: Nearness())
    without = asked(memory, 70, keep=0.0)
    assert ANSWER not in without.results[0].text


def test_what_is_named_where_nothing_is_known_begins_with_its_nearest_sentence(
    memory: Memory,
) -> None:
    found = asked(memory, keep=1.0)
    assert found.status == "no_results"
    assert found.named[0].excerpt.startswith(ANSWER)
    assert len(found.named[0].excerpt) <= answering.EXCERPT


@pytest.mark.parametrize("signs", [b"", bytes(16)])
def test_a_store_without_signs_or_with_those_of_other_sentences_is_read_as_before(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, signs: bytes
) -> None:
    """Of signs of another number of sentences nobody knows which is whose."""

    def sentences(_: object, __: str, keys: Sequence[int]) -> dict[int, bytes]:
        return dict.fromkeys(keys, signs) if signs else {}

    monkeypatch.setattr(type(memory.store), "sentences", sentences)
    found = asked(memory, keep=0.0)
    assert found.results
    assert not found.degraded


def test_of_what_is_not_known_nothing_is_said() -> None:
    near = Nearness({1: [Part(-20, 4, 0.9), Part(5, 9, 0.2), Part(10, 20, 0.4)]})
    assert near.of(1, 5, 12) == 0.4
    assert near.of(1, 30, 40) is None
    assert near.of(2, 0, 10) is None
    assert near.nearest(1) == Part(10, 20, 0.4)
    assert near.nearest(2) is None
