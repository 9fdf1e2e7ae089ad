"""Facts that say the same are kept once; facts of one subject are one group on one page."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.writing.curation.dedup import dedup
from recollect.writing.curation.extract import Extracted
from recollect.writing.curation.group import MISC, MOST_PAGES, GroupOrigin, group, pages


def fact(
    statement: str, subject: str = "", start: int = 0, source: str = "a", **given: object
) -> Extracted:
    end = start + len(statement)
    made = Extracted("fact", subject, statement, statement, start, end, 0.8, source=source)
    return made._replace(**given)  # type: ignore[arg-type]


STATEMENTS = st.sampled_from(
    [
        "We use Postgres for the ledger.", "We really use Postgres for the ledger",
        "We do not use Postgres.", "The port is 5433.", "The port is 5432.", "Ana reports to Ben.",
        "Ben reports to Ana.", "We deploy on Fridays.", "On Fridays we deploy.", "!!",
        "日本語の事実", "We use Postgres.",
        "The limit is ten.", "The limit is 10.",
    ]
)  # fmt: skip
FACTS = st.lists(
    st.builds(
        fact,
        STATEMENTS,
        st.sampled_from(["", "port", "Ports", "ledger", "日本"]),
        st.integers(0, 50),
        st.sampled_from(["a", "b"]),
        confidence=st.sampled_from([0.7, 0.8, 0.9]),
        type=st.sampled_from(["fact", "preference", "relation"]),
        speaker=st.sampled_from(["", "user"]),
    ),
    max_size=12,
)


@given(FACTS, st.randoms(use_true_random=False))
def test_the_order_makes_no_difference_and_once_is_enough(
    facts: list[Extracted], chance: random.Random
) -> None:
    once = dedup(facts)
    mixed = facts[:]
    chance.shuffle(mixed)
    assert dedup(mixed) == once
    assert dedup(once.kept).kept == once.kept
    assert dedup(once.kept).merged == ()


@given(FACTS)
def test_nothing_is_lost(facts: list[Extracted]) -> None:
    done = dedup(facts)
    cited = {cite for one in done.kept for cite in one.cites}
    assert cited == {cite for one in facts for cite in one.cites}
    assert {*done.kept, *(m.into for m in done.merged)} == set(done.kept)
    assert len({*(one.statement for one in done.kept)}) == len(done.kept)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("We use Postgres for the ledger.", "we use  Postgres for a ledger"),
        ("We deploy on Fridays.", "On Fridays we deploy."),
    ],
)
def test_the_same_said_twice_is_one_fact(one: str, two: str) -> None:
    done = dedup([fact(one, start=5), fact(two, start=90, source="b")])
    assert len(done.kept) == 1
    assert {cite.source for cite in done.kept[0].cites} == {"a", "b"}
    assert done.merged[0].why.startswith("the same words")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The job waits up to 15 seconds for the lock of the queue before it gives up on it.",
         "The job waits up to 60 seconds for the lock of the queue before it gives up on it."),
        ("We use Postgres.", "We do not use Postgres."),
        ("Ana reports to Ben.", "Ben reports to Ana."),
        ("The release is on 14 March.", "The release is on 15 March."),
        ("The bucket is trn-arc-ridge.", "The bucket is trn-arc-meadow."),
        ("Ana leads the billing team.", "Eva leads the billing team."),
        ("Enable the cache in staging.", "Disable the cache in staging."),
        ("We moved from Oslo to Rome.", "We moved from Rome to Oslo."),
        ("The staging port is 80.", "The port is 80."),
    ],
)  # fmt: skip
def test_what_differs_in_what_matters_stays_apart(one: str, two: str) -> None:
    assert len(dedup([fact(one), fact(two, start=200)]).kept) == 2


@given(FACTS, st.randoms(use_true_random=False))
def test_groups_hold_every_fact_once_on_few_pages(
    facts: list[Extracted], chance: random.Random
) -> None:
    groups = group(facts, GroupOrigin("notes/a.md", "A note"))
    assert sorted(map(repr, facts)) == sorted(repr(f) for one in groups for f in one.facts)
    assert len({one.key for one in groups}) == len(groups)
    assert len(pages(groups)) <= MOST_PAGES
    mixed = facts[:]
    chance.shuffle(mixed)
    assert group(mixed, GroupOrigin("notes/a.md", "A note")) == groups
    for one in groups:
        assert all((one.address.domain, one.address.topic, one.address.title))
        assert "/" not in one.address.topic + one.address.subtopic + one.address.title


def test_a_batch_of_one_subject_is_one_page() -> None:
    names = ["Retry limit", "retry limits", "retry-limit", "RETRY LIMIT"]
    facts = [fact(f"Number {n}.", name, n) for n, name in enumerate(names * 5)]
    (one,) = group(facts, GroupOrigin(project="atlas"))
    assert one.address.path.startswith("project/atlas/")
    assert len(pages([one])) == 1


def test_many_subjects_share_pages() -> None:
    facts = [fact(f"Fact {n}.", f"subject {chr(97 + n)}", n) for n in range(26)]
    assert len(pages(group(facts, GroupOrigin(title="A long session / about things")))) == 1


def test_a_fact_without_a_subject_is_misc() -> None:
    (one,) = group([fact("Something holds.")], GroupOrigin())
    assert (one.key, one.subject, one.address.topic) == (MISC, MISC, "general")


def test_a_page_is_named_by_heading_and_subject() -> None:
    facts = [fact(f"Fact {n}.", "Retry limit", n, heading="Queue > Limits") for n in range(3)] + [
        fact("Other.", "port", 9)
    ]
    first, second = group(facts, GroupOrigin("s", "Notes on\nthe / queue"))
    assert first.address.path == "project/Notes on the queue/Queue/Retry limit"
    assert second.address.path == "project/Notes on the queue/Decisions and facts"


def test_what_a_user_likes_is_about_the_user() -> None:
    liked = fact("I prefer tabs.", "tabs", type="preference", speaker="user")
    (one,) = group([liked], GroupOrigin("s", "A session"))
    assert one.address.path.startswith("personal/user/")
