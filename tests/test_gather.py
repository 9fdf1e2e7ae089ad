"""What a model needs to write an answer: whole sections, within a budget."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import HashEmbedder
from recollect import Memory, config
from recollect.errors import QueryError, UsageError
from recollect.reading.gather import Bundle
from recollect.storage import open_store
from recollect.surfaces import tool_text
from recollect.testing.builders import note, session
from recollect.text.tokens import count_tokens

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
LONG = "\n\n".join(
    f"Paragraph {n} says that the otter eats {n} fish a day. " * 8 for n in range(40)
)


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Memory]:
    with Memory(open_store(str(tmp_path / "store")), config.load(), HashEmbedder()) as memory:
        memory.put(
            [
                note("otter", "The otter eats fish at noon.", title="Otters", date=MARCH),
                note("fish", "Fish for the otter comes from the market.", source="shop"),
                note("pier", "The pier is closed in winter."),
                session(
                    "talk",
                    ("user", "what does the otter eat when the fish is gone?"),
                    ("assistant", "Then it gets crabs from the freezer."),
                    ("tool", "exit code 0"),
                    ("user", "thanks"),
                ),
            ]
        )
        memory.models.embed()
        yield memory


def documents(found: Bundle) -> list[str]:
    return [section.document for section in found.sections]


def test_sections_say_where_they_are_from(harbour: Memory) -> None:
    found = harbour.gather("what does the otter eat?")
    assert {"otter", "fish"} <= set(documents(found))
    section = next(s for s in found.sections if s.document == "otter")
    assert (section.title, section.kind, section.source, section.date) == (
        "Otters", "note", "tests", MARCH,
    )  # fmt: skip
    assert section.ids == (f"{harbour.get('otter').id}:0",)
    assert "=== Otters (note, tests, 2026-03-01)" in found.rendered()
    assert section.ids[0] in found.rendered()
    assert found.as_json()["sections"][0]["ids"]


def test_a_word_that_only_a_further_turn_has_is_not_called_missing(harbour: Memory) -> None:
    harbour.put(
        [
            session(
                "zoo",
                ("user", "The walrus came on Monday and lives beside the old lighthouse."),
                ("assistant", "Noted. " + "Nothing else is planned for that day. " * 60),
                ("user", "The walrus weighs nine hundred kilograms, says the zookeeper."),
            )
        ]
    )
    question = "what does the zookeeper say that the walrus beside the lighthouse weighs?"
    found = harbour.gather(question)
    assert "zookeeper" in found.rendered()
    assert "lighthouse" in found.rendered()
    assert "missing" not in {hint.kind for hint in found.follow_up_hints}


def test_the_budget_holds_and_counts_what_is_sent(harbour: Memory) -> None:
    harbour.put([note(f"n{n}", f"The otter eats {n} fish on day {n}.") for n in range(60)])
    for tokens in (100, 300, 1000):
        found = harbour.gather("how many fish does the otter eat?", token_budget=tokens)
        assert found.sections
        assert found.budget.used <= tokens
        assert found.budget.used == sum(count_tokens(s.rendered()) for s in found.sections)
        assert found.budget.kept == len(found.sections)
        assert not any(section.truncated for section in found.sections)
    assert len(found.sections) >= 20


def test_a_first_section_that_is_too_large_is_cut_and_marked(harbour: Memory) -> None:
    harbour.put([note("long", "The capybara sleeps. " + "And it sleeps on. " * 300)])
    found = harbour.gather("where does the capybara sleep?", token_budget=100)
    assert found.sections[0].document == "long"
    assert found.sections[0].truncated
    assert found.budget.truncated == 1
    assert found.budget.used <= 110


def test_nothing_is_said_twice(harbour: Memory) -> None:
    harbour.put([note("long", LONG), note("copy", "The otter eats fish at noon.")])
    found = harbour.gather("what does the otter eat?", token_budget=8000)
    ids = [id for section in found.sections for id in section.ids]
    assert len(ids) == len(set(ids))
    assert len(documents(found)) == len(set(documents(found)))
    assert len({"otter", "copy"} & set(documents(found))) == 1, "the same text is there once"


def test_passages_that_follow_each_other_are_joined(harbour: Memory) -> None:
    harbour.put([note("long", LONG)])
    found = harbour.gather("paragraph 7: the otter eats 7 fish", token_budget=16_000)
    section = next(s for s in found.sections if s.document == "long")
    numbers = [int(id.rpartition(":")[2]) for id in section.ids]
    assert numbers == sorted(numbers)
    for part in section.text.split("\n[…]\n"):
        assert part.strip() in LONG


def test_what_stands_next_to_it_comes_along_but_no_noise(harbour: Memory) -> None:
    found = harbour.gather("what does the otter eat when the fish is gone?")
    talk = next(s for s in found.sections if s.document == "talk")
    assert "user: what does the otter eat" in talk.text
    assert "assistant: Then it gets crabs" in talk.text
    assert "exit code" not in talk.text


def test_facts_that_are_named_come_first(harbour: Memory) -> None:
    harbour.remember("The otter weighs nine kilos.", name="otter weight")
    found = harbour.gather("otter weight and what it eats")
    assert found.sections[0].text == "The otter weighs nine kilos."
    assert found.sections[0].kind == "fact"
    assert len(found.sections) > 1


def test_what_else_there_is_is_named(harbour: Memory) -> None:
    harbour.put([note(f"n{n}", f"The otter eats {n} fish on day {n}.") for n in range(30)])
    found = harbour.gather("how many fish does the otter eat?", token_budget=200)
    assert found.manifest
    assert found.manifest[0].reason == "over the token budget"
    shown = {id for section in found.sections for id in section.ids}
    assert shown.isdisjoint(one.id for one in found.manifest)
    assert found.total_found >= len(found.sections)


def kinds(found: Bundle) -> set[str]:
    return {hint.kind for hint in found.follow_up_hints}


def test_hints_say_what_to_mind(harbour: Memory) -> None:
    few = harbour.gather("is the pier closed in winter?")
    assert "few" in kinds(few)
    filtered = harbour.gather("what does the otter eat?", sources=["shop"])
    assert "filtered" in kinds(filtered)
    assert filtered.hidden["sources"] >= 1
    assert "missing" in kinds(harbour.gather("does the zebra of the otter sing in winter?"))
    harbour.put([note("old", "The walrus moved out.", date=datetime(2019, 1, 1, tzinfo=UTC))])
    assert "stale" in kinds(harbour.gather("when did the walrus move out?"))


def test_what_sections_say_differently_is_named(harbour: Memory) -> None:
    said = {"old": (2025, "14 days"), "new": (2026, "30 days"), "same": (2026, "30 days")}
    for name, (year, value) in said.items():
        text = f"The ferry is late at times. The retention of the queue is {value}."
        harbour.put([note(name, text, title=name, date=datetime(year, 6, 2, tzinfo=UTC))])
    found = harbour.gather("what is the retention of the queue?")
    disagree = [hint.text for hint in found.follow_up_hints if hint.kind == "conflict"]
    assert disagree
    assert all(harbour.get("old").id in text and "14 days → 30 days" in text for text in disagree)
    assert "conflict" not in kinds(harbour.gather("what does the otter eat?"))


def test_hits_that_are_no_answer_are_given_as_weak(harbour: Memory) -> None:
    found = harbour.gather("zebra giraffe quagga otter")
    assert found.sections
    assert "weak" in kinds(found)
    assert not harbour.gather("zebra giraffe quagga otter", min_confidence=0.99).sections


def test_nothing_is_an_honest_nothing(harbour: Memory) -> None:
    found = harbour.gather("xyzzy plugh", by="keyword")
    assert found.sections == ()
    assert found.budget.used == 0
    assert "nothing was found" in found.follow_up_hints[0].text


def test_limits_hold(harbour: Memory) -> None:
    assert set(documents(harbour.gather("otter fish", sources=["shop"]))) == {"fish"}
    assert set(documents(harbour.gather("otter fish", kinds=["session"]))) == {"talk"}


@pytest.mark.parametrize("tokens", [0, -1, 99, 64_001])
def test_a_budget_out_of_bounds_is_refused(harbour: Memory, tokens: int) -> None:
    with pytest.raises(UsageError, match="token_budget"):
        harbour.gather("otter", token_budget=tokens)
    for good in (100, 64_000):
        assert harbour.gather("otter", token_budget=good).sections


def test_an_empty_question_is_refused(harbour: Memory) -> None:
    with pytest.raises(QueryError):
        harbour.gather(" ")


@settings(max_examples=30)
@given(
    st.lists(st.text("otter fish.\n#", min_size=1, max_size=3000), min_size=1, max_size=6),
    st.integers(100, 2000),
)
def test_whatever_is_stored_the_bundle_keeps_its_promises(texts: list[str], tokens: int) -> None:
    with Memory(open_store("memory://"), config.load()) as memory:
        memory.put([note(str(n), f"otter {text}") for n, text in enumerate(texts)])
        found = memory.gather("otter", token_budget=tokens)
        assert found.sections
        assert [s.truncated for s in found.sections[1:]].count(True) == 0
        first = found.sections[0]
        assert found.budget.used <= tokens or (len(found.sections) == 1 and first.truncated)
        for section in found.sections:
            if not section.truncated:
                assert section.ids


@pytest.mark.parametrize("tokens", [100, 160, 300, 1000])
def test_what_a_model_gets_is_never_more_than_it_asked_for(harbour: Memory, tokens: int) -> None:
    harbour.put([note(f"n{n}", f"The otter eats {n} fish on day {n}. " * 9) for n in range(40)])
    for question in ("how many fish does the otter eat?", "zebra", "does the zebra eat an otter?"):
        found = harbour.gather(question, token_budget=tokens)
        text = tool_text.bundle(found._replace(fingerprint="0" * 32), {})  # the most it can take
        assert count_tokens(text) <= tokens
