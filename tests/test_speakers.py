"""Who speaks: in chats between people a name in the question is the speaker of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.nouns import Span
from recollect.testing.builders import note, session
from recollect.text import brief


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Memory]:
    """A store, with the embedder that ships, of talks that differ in who speaks."""
    talks = [
        session(
            f"{mentor}-{pupil}",
            (mentor, "Good morning! Shall we go through the rules for new code today?"),
            (pupil, "Yes please. What about the names of functions?"),
            (mentor, f"Names of functions begin with {begin}, always."),
            (pupil, "Understood, I will write that down."),
        )
        for mentor, pupil, begin in (
            ("Priya Nair", "Tom", "fn_"),
            ("Harena", "Jacob", "run_"),
            ("Daniel", "Noah", "do_"),
            ("Sara", "Eva", "go_"),
        )
    ]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([*talks, note("rota", "Names of functions are a matter of taste.")])
        yield memory


@pytest.mark.parametrize(
    ("question", "talk", "begin"),
    [
        ("What did Priya say about the names of functions?", "Priya Nair-Tom", "fn_"),
        ("What did Harena tell Jacob about the names of functions?", "Harena-Jacob", "run_"),
        ("How should Noah begin the names of functions?", "Daniel-Noah", "do_"),
    ],
)
def test_the_speaker_that_is_named_comes_first(
    chats: Memory, question: str, talk: str, begin: str
) -> None:
    first = chats.search(question).results[0]
    assert first.document == talk
    assert begin in first.text


@pytest.mark.parametrize(
    ("found", "shown", "told"),
    [
        ("assistant", ["user"], "user"),
        ("assistant", ["user", "assistant"], "assistant"),
        ("assistant", [], "assistant"),
    ],
)
def test_the_role_of_a_result_is_of_who_says_what_is_shown(
    found: str, shown: list[str], told: str
) -> None:
    spans = [Span(f"talk:{n}", "Henrik offered me the job.", role) for n, role in enumerate(shown)]
    assert brief.role(found, spans) == told


def test_a_short_turn_is_shown_with_the_turns_around_it(tmp_path: Path) -> None:
    small = ("Right.", "Hm.", "I see.", "Well.", "Sure.", "Oh.", "Yes.", "True.")
    before = [("Ross" if n % 2 else "Monica", small[n % 8]) for n in range(40)]
    told = [
        ("Monica", "The vet rang about the broken wing of our duck."),
        ("Ross", "Go on."),
        ("Monica", "A fortnight, and a splint."),
    ]
    wings = [session(f"s{n}", ("Ana", f"The duck number {n} has a fine wing.")) for n in range(12)]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("vet", *before, *told, *before), *wings])
        memory.models.embed()
        asked = "What did the vet say about the broken wing of the duck?"
        shown = next(r for r in memory.search(asked).results if r.document == "vet").text
        assert "Monica: Yes.\nRoss: True.\nMonica: The vet rang" in shown
        assert "Ross: Go on.\nMonica: A fortnight, and a splint." in shown
        assert shown.count("\n") < 12
        tight = memory.search(asked, budget=40)
        assert tight.budget.used <= 40
        assert "wing" in tight.results[0].text


@pytest.mark.parametrize("options", [{"detail": "snippet"}, {"budget": 40}, {"budget": 70}])
def test_where_there_is_little_room_the_turn_that_replies_is_shown_and_who_says_it(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    told = [
        ("user", "The importer is stuck again, can we look at the importer of the harbour?"),
        ("assistant", "Sure. The importer waits for a lock that the importer itself took."),
        ("user", "What port does the importer listen on?"),
        ("assistant", "On 8741, and the health check is on 8742."),
        ("user", "Fine. We move the demo to Thursday."),
    ]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("talk", *told), note("n", "The ferry leaves at nine.")])
        memory.models.embed()
        (shown, *_) = memory.search("What port does the importer listen on?", **options).results
    assert "assistant: On 8741, and the health check is on 8742." in shown.text
    assert shown.role == "assistant"
