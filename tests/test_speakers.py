"""Who speaks: in chats between people a name in the question is the speaker of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.testing.builders import note, session


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


def test_a_short_turn_is_shown_with_the_turns_around_it(tmp_path: Path) -> None:
    talk = session(
        "vet",
        ("Ross", "Hey, did you call the vet?"),
        ("Monica", "Yes, about the duck."),
        ("Ross", "And what did they say about the wing?"),
        ("Monica", "Two weeks."),
        ("Ross", "That long?"),
        ("Monica", "He can stay in the bathroom."),
        ("Ross", "I am off to work, the train leaves at nine."),
        ("Monica", "Bye."),
    )
    things = "door lamp bell oven sink tap roof gate stove fence window chair".split()
    others = [session(f"s{n}", ("Ana", f"The {one} is broken.")) for n, one in enumerate(things)]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([talk, *others])
        asked = "What did they say about the wing of the duck?"
        shown = memory.search(asked).results[0].text
        assert shown.index("about the wing?") < shown.index("Monica: Two weeks.")
        assert "Bye." not in shown
        tight = memory.search(asked, budget=40)
        assert tight.budget.used <= 40
        assert "wing" in tight.results[0].text
