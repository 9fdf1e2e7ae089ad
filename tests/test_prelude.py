"""The prelude: what an agent is told before it starts, as a log that people can read and edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Memory, config
from recollect.errors import UsageError
from recollect.nouns import Document, Message
from recollect.ports import PassageSentences, Worth
from recollect.storage import open_store
from recollect.text.tokens import count_tokens
from recollect.tree.log import MOST_TOKENS, Observation, PreludeLog, compacted, parse, written
from recollect.writing import prelude

NOW = datetime(2026, 11, 17, tzinfo=UTC)
PREFERRED = "I prefer tabs over spaces in all of my projects."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(open_store(str(tmp_path / "store")), config.load()) as made:
        yield made


@pytest.fixture(autouse=True)
def every_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model to which every sentence is worth keeping, so that these tests are about the log."""

    class EverySentence:
        threshold = 0.5

        def __init__(self, _: object) -> None:
            pass

        def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
            return [[_worth(p.text[s.start : s.end]) for s in p.sentences] for p in passages]

    monkeypatch.setattr("recollect.models.worth.SentenceModel", EverySentence)


def _worth(sentence: str) -> Worth:
    kinds = {"prefer": "preference", "decided": "decision", "Please": "task"}
    return Worth(0.9, next((kinds[word] for word in kinds if word in sentence), "fact"))


def session(name: str, *said: str, day: int = 1, **about: object) -> Document:
    turns = [
        Message(role, text) for text in said for role, text in (("user", text), ("assistant", "ok"))
    ]
    date = datetime(2026, 11, day, tzinfo=UTC)
    return Document(name, "agent", messages=tuple(turns), kind="session", date=date, **about)  # type: ignore[arg-type]


def texts(memory: Memory) -> list[str]:
    return [entry.text for entry in memory.curation.prelude()]


def test_what_users_say_is_observed_with_its_day_and_told_at_the_start(memory: Memory) -> None:
    memory.put([session("s1", PREFERRED, "Please fix the flaky test.", day=3)])
    (entry,) = memory.curation.observe()
    assert (entry.text, entry.type, entry.at.day) == (PREFERRED, "preference", 3)
    assert memory.context().lately == (f"3 Nov 2026: {PREFERRED}",)
    assert memory.context().as_json()["lately"] == [f"3 Nov 2026: {PREFERRED}"]
    assert memory.facts().items == (), "an observation is no fact"
    assert PREFERRED not in {
        r.text for r in memory.search("spaces or tabs", kinds=["prelude"]).results
    }


@pytest.mark.parametrize("text", ["", "# Prelude\n", "## 3 Nov 2026\n"])
def test_a_log_without_entries_is_erased_only_where_that_is_meant(
    memory: Memory, text: str
) -> None:
    memory.put([session("s1", PREFERRED)])
    memory.curation.observe()
    with pytest.raises(UsageError, match="no entry"):
        memory.curation.edit_prelude(text)
    assert texts(memory) == [PREFERRED]
    assert memory.curation.edit_prelude(text, clear=True) == []


def test_a_conversation_is_read_once_and_again_when_it_went_on(memory: Memory) -> None:
    memory.put([session("s1", PREFERRED)])
    memory.curation.observe()
    memory.curation.edit_prelude("", clear=True)
    assert memory.curation.observe() == [], "what somebody took out does not come back"
    memory.put([session("s1", PREFERRED, "We decided to ship on Mondays.", day=2)])
    assert "We decided to ship on Mondays." in [one.text for one in memory.curation.observe()]


def test_what_is_said_again_is_told_once_and_a_new_value_takes_its_place(memory: Memory) -> None:
    memory.put([session("s1", "The staging port is 5433.", PREFERRED)])
    memory.put([session("s2", "The staging port is 5433.", day=2)])
    memory.curation.observe()
    assert sorted(texts(memory)) == [PREFERRED, "The staging port is 5433."]
    memory.put([session("s3", "We deploy at 9 am on Fridays.", day=3)])
    memory.put([session("s4", "We deploy at 9 am on Mondays.", day=4)])
    memory.curation.observe()
    assert "We deploy at 9 am on Mondays." in texts(memory)
    assert "We deploy at 9 am on Fridays." not in texts(memory)


def test_people_edit_the_log(memory: Memory) -> None:
    memory.put([session("s1", PREFERRED, "We decided to ship on Mondays.")])
    memory.curation.observe()
    text = memory.curation.prelude_text()
    assert text.startswith("# Prelude\n\n## 1 Nov 2026\n\n- ")
    lines = [line for line in text.splitlines() if "Mondays" not in line]
    memory.curation.edit_prelude("\n".join([*lines, "", "## 5 Nov 2026", "- Ana is away.", ""]))
    found = {entry.text: entry for entry in memory.curation.prelude()}
    assert set(found) == {PREFERRED, "Ana is away."}
    assert found[PREFERRED].source, "what was not touched is what it was"
    assert found["Ana is away."].at.day == 5
    assert any("Ana is away." in line for line in memory.context().lately)


@pytest.mark.parametrize(
    ("line", "number"), [("preference: I like tea.", 5), ("## Soon", 5), ("  of all kinds.", 5)]
)
def test_a_line_that_cannot_be_read_is_refused_and_nothing_is_changed(
    memory: Memory, line: str, number: int
) -> None:
    memory.curation.edit_prelude(f"# Prelude\n\n## 3 Nov 2026\n\n- preference: {PREFERRED}\n")
    with pytest.raises(UsageError, match=f"line {number} is neither an entry nor a day"):
        memory.curation.edit_prelude(f"# Prelude\n\n## 5 Nov 2026\n- Ana is away.\n{line}\n")
    assert texts(memory) == [PREFERRED]


@pytest.mark.parametrize(
    ("said", "kind", "is_noted"),
    [
        ("I prefer early returns.", "preference", True),
        ("please never use emojis", "preference", True),
        ("Réponds toujours en français.", "decision", True),
        ("Please fix the build.", "preference", False),
        ("The flag was there, and never used.", "fact", False),
        ("You never answered me.", "preference", False),
    ],
)
def test_a_preference_that_is_stated_is_noted_where_the_model_is_unsure(
    said: str, kind: str, is_noted: bool
) -> None:
    class Unsure:
        threshold = 0.7

        def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
            keep = 0.1 if kind == "preference" else 0.4
            return [[Worth(keep, kind) for _ in p.sentences] for p in passages]

    found = prelude.observed(session("s", said), Unsure(), str)
    assert [one.text.casefold() for one in found] == [said.casefold()] * is_noted


def test_what_is_forgotten_is_in_no_log(memory: Memory) -> None:
    memory.put([session("s1", PREFERRED)])
    memory.curation.observe()
    memory.forget("s1")
    assert memory.context().lately == ()
    assert memory.curation.prelude() == []


def test_no_scope_is_told_what_another_said(memory: Memory) -> None:
    memory.put([session("s1", PREFERRED, scopes=("home",))])
    memory.put([session("s2", "We decided to ship on Mondays.", scopes=("work",))])
    memory.curation.observe()
    with memory.view(scopes=["work"]) as work:
        assert work.context().lately == ("1 Nov 2026: We decided to ship on Mondays.",)


def test_changes_and_open_questions_are_told_with_what_was_before(memory: Memory) -> None:
    memory.remember("We deploy on Fridays.", name="deploy day", created_at="2026-01-05")
    memory.remember("We deploy on Mondays.", name="deploy day", replace=True)
    memory.remember("Who owns the backups?", type="open_question")
    told = " | ".join(memory.context().lately)
    assert "We deploy on Mondays. (before: We deploy on Fridays.)" in told
    assert "Who owns the backups?" in told


def test_what_was_before_is_told_only_to_who_may_see_it(memory: Memory) -> None:
    memory.remember("Mira earns 4,000 a month.", id="pay", scopes=["hr"], created_at="2026-01-05")
    memory.remember("Mira's pay is settled.", scopes=["work"], supersedes=["pay"])
    for scopes in (["work"], ["hr"]):
        assert "4,000" not in " ".join(memory.context("mira", scopes=scopes).lately)
    (told,) = memory.context("mira", scopes=["work", "hr"]).lately
    assert "settled. (before: Mira earns 4,000" in told


STATEMENTS = st.builds(
    Observation,
    st.integers(0, 900).map(lambda days: NOW - timedelta(days=days)),
    st.sampled_from(["preference", "decision", "fact", "open_question"]),
    st.text("abc déf", min_size=1, max_size=60).map(str.strip).filter(bool).map(" ".join),
    st.sampled_from(["", "s1", "s2"]),
)


@given(st.lists(STATEMENTS, max_size=40))
def test_reading_what_was_written_gives_the_same_entries(entries: list[Observation]) -> None:
    days = {(entry.at, entry.type, " ".join(entry.text.split())): entry for entry in entries}
    some = tuple(sorted(days.values()))
    assert parse(written(PreludeLog(entries=some)), some, NOW) == some


def test_the_log_is_compacted_as_it_grows() -> None:
    new = [Observation(NOW - timedelta(days=n), "fact", f"Fact number {n} of a long list.", "s")
           for n in range(400)]  # fmt: skip
    lasting = Observation(NOW - timedelta(days=900), "preference", PREFERRED, "s")
    by_hand = Observation(NOW - timedelta(days=900), "fact", "Ana is away.")
    kept = compacted([*new, lasting, by_hand])
    assert sum(count_tokens(one.line) for one in kept) <= MOST_TOKENS
    assert {lasting, by_hand, new[0]} <= {*kept}
    assert new[-1] not in kept
    assert compacted(kept) == kept


def test_the_later_of_two_that_say_the_same_stays() -> None:
    old, new = (
        Observation(NOW - timedelta(days=d), "fact", "The port is 80.", "s") for d in (9, 1)
    )
    assert prelude.merged([old], [new], None) == (new,)
    assert prelude.merged([new], [old], None) == (new,)
