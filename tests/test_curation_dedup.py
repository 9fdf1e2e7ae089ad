"""Facts that say the same are kept once; facts of one subject are one group on one page."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.writing.curation.dedup import dedup
from recollect.writing.curation.extract import Extracted
from recollect.writing.curation.group import MOST_PAGES, GroupOrigin, KnownPage, group


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
    assert len(groups) <= MOST_PAGES
    mixed = facts[:]
    chance.shuffle(mixed)
    assert group(mixed, GroupOrigin("notes/a.md", "A note")) == groups
    for one in groups:
        assert all(one.address)
        assert one.address.path.count("/") == 1


def test_a_batch_of_one_subject_is_one_page() -> None:
    names = ["Retry limit", "retry limits", "retry-limit", "RETRY LIMIT"]
    facts = [fact(f"Number {n}.", name, n) for n, name in enumerate(names * 5)]
    (one,) = group(facts, GroupOrigin(project="atlas"))
    assert one.address.path == "atlas/retry-limit"


def test_many_subjects_share_the_page_of_the_text() -> None:
    facts = [fact(f"Fact {n}.", f"subject {chr(97 + n)}", n) for n in range(26)]
    (one,) = group(facts, GroupOrigin(title="Kestrel / the new queue"))
    assert (one.address.path, one.address.title) == (
        "kestrel-the-new-queue/overview",
        "Kestrel the new queue",
    )


def test_a_fact_of_no_text_in_particular_is_general() -> None:
    (one,) = group([fact("Something holds.")], GroupOrigin())
    assert one.address.path == "general/overview"


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Platform weekly, 3 Nov 2026", "Platform weekly"),
        ("Design: Invoice exporter v2", "Invoice exporter"),
        ("Re: Fwd: SFTP customers", "SFTP customers"),
        ("2026-06-29 15:30:30Z", "General"),
        ("Meeting notes", "General"),
    ],
)
def test_a_title_is_a_subject_without_dates_and_kinds_of_text(title: str, subject: str) -> None:
    (one,) = group([fact("Something holds.")], GroupOrigin(title=title))
    assert one.address.title == subject


def test_a_section_is_a_topic_and_a_part_of_any_document_is_none() -> None:
    facts = [fact(f"Fact {n}.", "", n, heading="Minutes > Billing migration") for n in range(2)]
    facts += [fact(f"Other {n}.", "", 9 + n, heading="Open questions") for n in range(3)]
    rest, first = group(facts, GroupOrigin("s", "Platform weekly"))
    assert first.address.path == "platform-weekly/billing-migration"
    assert first.address.title == "Billing migration"
    assert rest.address.path == "platform-weekly/overview"


class Shelf:
    def __init__(self, *pages: KnownPage, loose: Sequence[str] = ()) -> None:
        self._pages, self._loose = pages, loose

    def pages(self) -> Sequence[KnownPage]:
        return self._pages

    def texts(self, address: str) -> Sequence[str]:
        return self._loose if address.endswith("/overview") else ()


def test_what_names_a_page_that_is_there_goes_on_it() -> None:
    there = Shelf(KnownPage("exporter/sftp", "SFTP"), KnownPage("atlas/budget", "Budget"))
    facts = [fact("Halder needs SFTP until June."), fact("The budget is spent.", start=40)]
    found = {one.address.path: one.facts for one in group(facts, GroupOrigin(title="Mails"), there)}
    assert [f.statement for f in found["exporter/sftp"]] == ["Halder needs SFTP until June."]
    assert "atlas/budget" not in found, "a plain word is a topic of its own subject only"
    (one,) = group(facts[1:], GroupOrigin(project="Atlas"), there)
    assert one.address.path == "atlas/budget"


def test_a_section_about_another_subject_goes_to_that() -> None:
    there = Shelf(KnownPage("lanternfish/overview", "Lanternfish"))
    facts = [fact(f"Fact {n}.", "", n, heading="Lanternfish 3.0") for n in range(2)]
    (one,) = group(facts, GroupOrigin(title="Platform weekly"), there)
    assert one.address.path == "lanternfish/lanternfish-3-0"


def test_a_name_that_recurs_over_texts_gets_a_page() -> None:
    said = fact("The Gemini provider logs too much.")
    place = GroupOrigin(project="atlas")
    (alone,) = group([said], place, Shelf())
    assert alone.address.path == "atlas/overview"
    before = ["We use Gemini for the demo.", "All tests of Gemini pass."]
    (one,) = group([said], place, Shelf(KnownPage("atlas/overview", "Atlas"), loose=before))
    assert one.address.path == "atlas/gemini"


def test_what_a_user_likes_is_about_the_user() -> None:
    liked = fact("I prefer tabs.", "tabs", type="preference", speaker="user")
    (one,) = group([liked], GroupOrigin("s", "A session"))
    assert one.address.path == "user/preferences"
