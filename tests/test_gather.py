"""What a model needs to write an answer: whole sections, within a budget."""

from __future__ import annotations

import os
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


def test_a_section_is_dated_like_a_result(keyword_memory: Memory, tmp_path: Path) -> None:
    log = tmp_path / "notes" / "log.md"
    log.parent.mkdir()
    log.write_text("# Log\n\n## 2026-07-13\n\nThe kiln moved.\n\n## 2026-08-01\n\nIt rained.\n")
    (log.parent / "plan.md").write_text("# Plan\n\nThe kiln should move again.\n")
    for file in log.parent.iterdir():
        os.utime(file, (MARCH.timestamp(), MARCH.timestamp()))
    keyword_memory.add(log.parent)
    rendered = keyword_memory.gather("when was the kiln moved?").rendered()
    assert "(note, log.md, 2026-07-13)" in rendered
    assert "(note, plan.md, file of 2026-03-01)" in rendered


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
        found = harbour.gather("what does the otter eat on each day?", token_budget=tokens)
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
    assert found.budget.used <= 100
    assert "The capybara sleeps." in found.sections[0].text


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


def conflicts(found: Bundle) -> list[str]:
    return [hint.text for hint in found.follow_up_hints if hint.kind == "conflict"]


def test_what_sections_say_differently_is_named(harbour: Memory) -> None:
    for name, value in {"one": "14 days", "other": "30 days", "same": "30 days"}.items():
        text = f"The ferry is late at times. The retention of the queue is {value}."
        harbour.put([note(name, text, title=name, date=MARCH)])
    found = harbour.gather("what is the retention of the queue?")
    assert conflicts(found)
    assert all(harbour.get("one").id in text for text in conflicts(found))
    assert "conflict" not in kinds(harbour.gather("what does the otter eat?"))


def test_what_only_differs_by_the_thing_it_is_said_of_is_no_conflict(harbour: Memory) -> None:
    for n in range(3):
        text = f"Deploy number {n} went to berth {n} of the harbour."
        harbour.put([note(f"deploy {n}", text, date=MARCH)])
    found = harbour.gather("which deploy went to a berth of the harbour?")
    assert len(found.sections) >= 3
    assert not conflicts(found)


def test_facts_that_nobody_has_settled_are_named_as_a_conflict(memory: Memory) -> None:
    memory.remember("The retention of audit logs is 90 days.", name="audit retention")
    memory.remember("The retention of audit logs is 365 days.")
    for question in ("what is the retention of audit logs?", "audit retention"):
        found = memory.gather(question)
        assert {"90 days", "365 days"} <= {s.text.split(" is ")[1][:-1] for s in found.sections}
        (said,) = conflicts(found)
        assert "says otherwise" in said
        assert f"conflict: {said}" in tool_text.bundle(found, {})


# ------------------------------------------------------------------ as a search has it

SIZE = "what is the maximum upload size?"


@pytest.fixture
def gateway(memory: Memory) -> Memory:
    said = {
        (3, "limits"): "The team met. The maximum upload size is 25 MB. Retries are up to clients.",
        (
            9,
            "gateway",
        ): "The gateway was replaced. Two people were on call. Uploads of up to 100 MB "
        "are accepted since the new gateway went live. The certificate is renewed.",
        (5, "logs"): "Logs are kept for 14 days. Debug logs are sampled at 1 %.",
        (6, "cache"): "Redis is a cache in front of Postgres. Keys expire after 15 minutes.",
    }
    memory.put(
        note(name, text, title=name, date=datetime(2026, month, 4, tzinfo=UTC))
        for (month, name), text in said.items()
    )
    memory.models.embed()
    return memory


def test_what_holds_now_is_first_and_what_it_replaced_is_told_below_it(gateway: Memory) -> None:
    (shown, *_) = gateway.search(SIZE, cache=False).results
    found = gateway.gather(SIZE)
    assert found.sections[0].document == shown.document == "gateway"
    assert found.sections[0].earlier == shown.earlier
    text = found.rendered()
    assert "until 2026-09-04: The maximum upload size is 25 MB." in text
    assert text.count("25 MB") == 1, "nothing else says that it holds"
    assert not conflicts(found)


@pytest.mark.parametrize(("tokens", "replaced"), [(100, False), (120, True)])
def test_a_small_budget_goes_to_the_evidence(
    gateway: Memory, tokens: int, *, replaced: bool
) -> None:
    found = gateway.gather(SIZE, token_budget=tokens)
    (section,) = found.sections
    assert "Uploads of up to 100 MB are accepted since the new gateway went live." in section.text
    assert bool(section.earlier) == replaced


def test_what_is_foreign_to_the_store_is_not_known(gateway: Memory) -> None:
    question = "who is the CEO of Apple?"
    answer, found = gateway.search(question, cache=False), gateway.gather(question)
    assert answer.status == "no_results"
    assert not found.sections
    text = tool_text.bundle(found, {})
    assert text.startswith("no_results: nothing is known of this")
    assert "nothing here has “ceo”, “apple”" in text
    assert "nearest: [" in text
    assert "write" not in text
    assert count_tokens(text) < 80


@pytest.mark.parametrize("tokens", [100, 120, 150, 300])
def test_the_evidence_is_whole_sentences_wherever_it_stands(memory: Memory, tokens: int) -> None:
    before = [f"Item {n} of the agenda was about the weather at sea." for n in range(30)]
    evidence = "The ferry to Sylt leaves pier 7 at noon."
    memory.put([note("minutes", " ".join([*before, evidence, *before]), title="Minutes")])
    (section,) = memory.gather("where does the ferry to Sylt leave?", token_budget=tokens).sections
    assert evidence in section.text
    for part in section.text.split("\n…\n"):
        assert part.endswith(".")
        assert part.startswith(("Item", "The ferry"))


def test_a_title_that_is_cut_says_so(memory: Memory) -> None:
    title = "Minutes of the harbour board about the ferries to Sylt and what they cost"
    text = " ".join(f"The ferry to Sylt cost {n} euros in year {n}." for n in range(60))
    memory.put([note("minutes", text, title=title)])
    (section,) = memory.gather("what does the ferry to Sylt cost?", token_budget=100).sections
    assert section.truncated
    assert section.rendered().startswith("=== Minutes of the harbour board")
    assert "… (" in section.rendered().splitlines()[0]


def test_hits_that_are_no_answer_are_given_as_weak(harbour: Memory) -> None:
    found = harbour.gather("zebra giraffe quagga otter")
    assert found.sections
    assert "weak" in kinds(found)
    assert not harbour.gather("zebra giraffe quagga otter", min_confidence=0.99).sections


def test_nothing_is_an_honest_nothing(harbour: Memory) -> None:
    found = harbour.gather("xyzzy plugh", by="keyword")
    assert found.sections == ()
    assert found.budget.used == 0
    assert found.follow_up_hints[0].text == "nothing here has “xyzzy”, “plugh”"


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
        assert found.budget.used <= tokens
        assert all(section.ids for section in found.sections)
        assert count_tokens(tool_text.bundle(found, {})) <= tokens


@pytest.mark.parametrize("tokens", [100, 160, 300, 1000])
def test_what_a_model_gets_is_never_more_than_it_asked_for(harbour: Memory, tokens: int) -> None:
    long = "A title without end goes on and on and on and never comes to its stop " * 9
    harbour.put([note("long", "The zebra sings. " * 40 + "z" * 900, title=long, path=f"{long}.md")])
    harbour.put([note(f"n{n}", f"The otter eats {n} fish on day {n}. " * 9) for n in range(40)])
    for question in ("how many fish does the otter eat?", "zebra", "does the zebra eat an otter?"):
        found = harbour.gather(question, token_budget=tokens)
        text = tool_text.bundle(found._replace(fingerprint="0" * 32), {})  # the most it can take
        assert count_tokens(text) <= tokens
