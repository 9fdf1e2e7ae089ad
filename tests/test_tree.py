"""The context tree: pages as files that people edit, and nothing lost on the way."""

from __future__ import annotations

import string
import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.errors import UsageError
from recollect.facts import STANDINGS, TYPES, Fact, Participant
from recollect.text.keys import keys
from recollect.text.tokens import count_tokens
from recollect.tree import (
    BrokenPage,
    ParsedPage,
    Snippet,
    TopicPage,
    address_at,
    address_of,
    as_put,
    canonical,
    cleaned,
    describe,
    file_name,
    from_document,
    linked,
    parse,
    path_key,
    render,
    shown,
    write,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ADDRESS = "billing/retries/retry-policy"


def fact(id: str, text: str = "", **more: Any) -> Fact:
    made = {"created_at": datetime(2026, 1, 1, tzinfo=UTC), **more}
    return Fact(id, text or f"{id} is so.", **made)


# ------------------------------------------------------------------ what comes in comes out

HOSTILE = st.sampled_from(
    [
        "---", "...", "```", "````python", "~~~", "## Facts", "\\## Facts", "## Snippets  ", "#",
        "- ", "- **a**: b", "**a**: b", "\\**a**: b", "**", "*", "\\", ": ", ":", "[[", "]]", "[x]",
        "fact [word]", "<!-- fact {id: a} -->", "-->", "<!--", "{", "}", ",", "&#13;", "&amp;#13;",
        "&", "\n", "\n\n", "\r\n", "\r", "\t", " ", "  ", "\x00", "\x1f", "\x85", "\u2028",
        "\ufeff", "\u3000", "\u200f", "שלום", "مرحبا", "東京", "🚀", "👩\u200d💻", "e\u0301", "é",
        "\ud800", "true", "null", "2026-03-01", "007", '"', "'", "|", ">", "%", "@", "`", "&a",
    ]
)  # fmt: skip
texts = st.lists(st.one_of(HOSTILE, st.text(max_size=8)), max_size=8).map("".join)
said = texts.filter(lambda text: bool(text.strip()))
names = said.map(lambda text: text[:60]).filter(lambda text: bool(keys(text)))
labels = st.lists(st.one_of(HOSTILE, st.text(max_size=8)), max_size=3).map("".join)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
maybe = st.one_of(st.none(), moments)
ids = st.text(string.ascii_letters + string.digits + " -_.:/{}'\"", min_size=1, max_size=12)
several = st.lists(names, max_size=2, unique=True).map(tuple)


def made(kind: Any, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Of these parts, and everything else as it is by default."""
    return st.fixed_dictionaries(parts).map(lambda given: kind(**given))


scopes = st.lists(names.map(lambda name: clean(name)), min_size=1, max_size=2).map(tuple)
facts = made(
    Fact,
    id=ids,
    text=said,
    created_at=moments,
    name=st.one_of(st.just(""), names),
    aliases=several,
    type=st.sampled_from(TYPES),
    why=texts,
    scopes=st.one_of(st.just(("universal",)), scopes),
    pinned=st.booleans(),
    standing=st.sampled_from(STANDINGS),
    valid_from=maybe,
    valid_to=maybe,
    resolved_at=maybe,
    superseded_by=st.lists(ids, max_size=2, unique=True).map(tuple),
    ended=maybe,
    participants=st.lists(made(Participant, id=ids, role=texts), max_size=2).map(tuple),
)
pages = made(
    TopicPage,
    address=st.builds(address_of, labels, labels, labels, labels),
    title=texts,
    summary=texts,
    tags=st.lists(labels, max_size=3).map(tuple),
    keywords=st.lists(labels, max_size=3).map(tuple),
    related=st.lists(st.builds(address_of, labels, labels, labels), max_size=3).map(tuple),
    created_at=maybe,
    updated_at=maybe,
    snippets=st.lists(made(Snippet, text=texts, language=labels), max_size=3).map(tuple),
    notes=texts,
    scopes=scopes,
)


def bare(page: ParsedPage) -> ParsedPage:
    """Without the lines that its facts stand on."""
    return page._replace(
        facts=tuple(item._replace(line=0) for item in page.facts),
        earlier=tuple(item._replace(line=0) for item in page.earlier),
    )


def clean(value: Any) -> Any:
    """Without halves of surrogate pairs, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, tuple):
        parts = map(clean, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


@given(pages, st.lists(facts, max_size=4, unique_by=lambda f: f.id))
def test_what_a_page_shows_is_what_is_read(page: TopicPage, facts: list[Fact]) -> None:
    seen = clean(shown(page, facts, now=NOW))
    text = render(page, facts, now=NOW)
    assert text.encode().decode() == text
    for form in (text, text.replace("\n", "\r\n"), f"\ufeff{text}"):
        assert bare(parse(form)) == seen
    assert write(parse(text)) == text


@given(pages)
@example(TopicPage("misc/misc/misc", "", notes="\x1b\t"))
def test_a_page_comes_out_of_the_store_as_it_went_in(page: TopicPage) -> None:
    put = as_put(page)
    assert from_document(put.document)._replace(stamp="") == cleaned(page)
    assert as_put(from_document(put.document)) == put
    assert "".join(passage.text for passage in put.passages) == put.document.text


@example("C", "C++")
@example("C++", "C#")
@example("東京", "京都")
@example("🚀", "🎉")
@given(labels, labels)
def test_an_address_can_be_read_and_is_its_own(one: str, other: str) -> None:
    address = address_of(one, other, one, other)
    assert canonical(address) == address
    assert 3 <= len(address.split("/")) <= 4
    assert all(part == part.casefold() for part in address.split("/"))
    assert address_at(file_name(address)) == address


def test_words_that_differ_have_addresses_that_differ() -> None:
    titles = ["C", "C++", "C#", "東京", "京都", "🚀", "🎉", "a" * 90, "a" * 91, "?!", "!?", "con"]
    assert len({address_of("d", "t", title) for title in titles}) == len(titles)
    assert address_of("Ops", "Queues", "Straße") == address_of("ops", " queues ", "STRASSE")
    assert address_of("ops", "queues", "Cafe\u0301") == address_of("ops", "queues", "CAFÉ")
    assert address_of("", " ", "") == "misc/misc/misc"


RESERVED = {"con", "prn", "aux", "nul", *(f"{n}{d}" for n in ("com", "lpt") for d in range(10))}


@example(["con/aux/nul", "CON/AUX/NUL", "a/b/c. ", "a/b/c", "a/b/.c", "/", "", "é/x/y", "é/x/y"])
@example(["d/t/x.md/title", "d/t/x", "d/t/x.MD"])
@given(st.lists(st.lists(labels, max_size=4).map("/".join), max_size=6, unique=True))
def test_file_names_are_valid_everywhere_and_never_collide(addresses: list[str]) -> None:
    taken: dict[str, str] = {}
    folders: set[str] = set()
    for address in addresses:
        path = file_name(address, taken)
        assert path_key(path) not in taken
        taken[path_key(path)] = path
        *above, name = path.split("/")
        folders.update(path_key("/".join(above[:n])) for n in range(1, len(above) + 1))
        for part in (*above, name):
            assert part.encode().decode() == part
            assert part.partition(".")[0].strip().lower() not in RESERVED
            assert part == part.strip(" .") == unicodedata.normalize("NFC", part)
            assert not set(part) & set('<>:"|?*\\\x00\n')
            assert 0 < len(part.encode()) <= 130
    assert folders.isdisjoint(taken)


def test_a_page_of_ten_megabytes_comes_back() -> None:
    page = TopicPage(ADDRESS, "Big", snippets=(Snippet("x = '```'\n" * 600_000, "python"),))
    many = [fact(f"f{n}", f"{n} is a number.\n\n## Facts\n- it is one") for n in range(50_000)]
    text = render(page, many, now=NOW)
    assert len(text) > 10_000_000
    assert bare(parse(text)) == shown(page, many, now=NOW)


# ------------------------------------------------------------------ what people read

PAGE = TopicPage(
    ADDRESS,
    "Retry policy: how & why",
    related=("billing/invoices/due-dates",),
    notes="Written down after the outage of March.\n\n- see the *runbook*",
    snippets=(Snippet("retry:\n  times: 3", "yaml"),),
    scopes=("work",),
)
POLICY = [
    fact("retries-1a2b3c", "We retry three times, with a pause of 30 s.", name="retries",
         aliases=("retry count",), type="decision", pinned=True, scopes=("work",)),
    fact("dlq-4d5e6f", "The dead letter queue is looked at every morning,\nalso on Sundays.",
         name="dead letter queue", scopes=("ops", "work"),
         valid_from=datetime(2025, 7, 1, tzinfo=UTC)),
    fact("who-7a8b9c", "Who looks at it in August?", type="open_question", scopes=("work",)),
    fact("retries-0", "We retried five times.", name="retries", scopes=("work",),
         superseded_by=("retries-1a2b3c",), ended=datetime(2026, 1, 1, tzinfo=UTC)),
]  # fmt: skip
WRITTEN = """\
---
title: "Retry policy: how & why"
summary: We retry three times, with a pause of 30 s. The dead letter queue is looked at every \
morning, also on Sundays. Who looks at it in August?
tags:
  - decision
  - open-question
  - ops
  - work
keywords:
  - retries
  - dead letter queue
related:
  - "[[billing/invoices/due-dates]]"
scopes:
  - work
created: 2026-01-01
updated: 2026-01-01
id: billing/retries/retry-policy
---

Written down after the outage of March.

- see the *runbook*

## Decided

- **retries**: We retry three times, with a pause of 30 s. (1 Jan 2026) <!-- fact {\
id: retries-1a2b3c, type: decision, aliases: [retry count], pinned: true, created: 2026-01-01} -->

## Facts

- **dead letter queue**: The dead letter queue is looked at every morning,
  also on Sundays. (1 Jan 2026) <!-- fact {id: dlq-4d5e6f, scopes: [ops, work], \
from: 2025-07-01, created: 2026-01-01} -->

## Open questions

- Who looks at it in August? (1 Jan 2026) <!-- fact {id: who-7a8b9c, type: open_question, \
created: 2026-01-01} -->

## Snippets

```yaml
retry:
  times: 3
```

## Earlier

- **retries**: We retried five times. (1 Jan 2026 to 1 Jan 2026) <!-- fact {id: retries-0, \
superseded_by: [retries-1a2b3c], created: 2026-01-01, ended: 2026-01-01} -->
"""


def test_a_page_is_written_as_people_would() -> None:
    page = describe(PAGE._replace(facts=tuple(f.id for f in POLICY)), POLICY)
    assert render(page, POLICY, now=NOW) == WRITTEN


def test_what_is_added_below_a_heading_is_of_its_type() -> None:
    page = parse("## Decided\n\n- We use Rust.\n\n## Open questions\n\n- Since when?\n")
    assert [(item.text, item.type) for item in page.facts] == [
        ("We use Rust.", "decision"),
        ("Since when?", "open_question"),
    ]


def test_the_day_behind_a_fact_is_no_part_of_it() -> None:
    item = "- We met (3 Nov 2026) (4 Nov 2026) <!-- fact {id: a, created: 2026-11-04} -->\n"
    assert parse(f"## Facts\n\n{item}").facts[0].text == "We met (3 Nov 2026)"


def test_what_people_write_is_understood() -> None:
    page = parse(
        "# My queue\n\nSome words.\n\n## facts\n* **retries:** Four times\nin a row\n"
        "+ no name here\n\n      with code\n- **a**: b <!-- fact {id: a} -->\n  and more\n\n"
        "A paragraph of mine.\n\n## Snippets\n\n~~~ python\nx = 1\n~~~\nbetween\n\n"
        "## Plans\n- one\n"
    )
    assert [(i.name, i.text, i.id, i.line) for i in page.facts] == [
        ("retries", "Four times\nin a row", "", 6),
        ("", "no name here\n\n    with code", "", 8),
        ("a", "b\nand more", "a", 11),
    ]
    assert page.snippets == (Snippet("x = 1", "python"),)
    assert (
        page.notes
        == "# My queue\n\nSome words.\n\nA paragraph of mine.\n\nbetween\n\n## Plans\n- one"
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("---\ntitle: x\n", 1, "header does not end"),
        ("---\ncreated: soon\n---\n", 1, "not a date"),
        ("a\n\n## Snippets\n\n```\nx\n", 5, "does not end"),
        ("## Facts\n- a\n- b <!-- fact {id -->\n", 3, "cannot be read"),
        ("## Facts\n- b <!-- fact {idd: x} -->\n", 2, "no 'idd'"),
        ("## Facts\n- b <!-- fact {pinned: maybe} -->\n", 2, "not true or false"),
        ("## Facts\n- b <!-- fact {to: soon} -->\n", 2, "not a date"),
        ("## Facts\n\n- **a**: <!-- fact {id: x} -->\n", 3, "says nothing"),
    ],
)
def test_what_is_broken_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(BrokenPage, match=said) as broken:
        parse(text)
    assert broken.value.line == line


# ------------------------------------------------------------------ what a page says of itself


def test_a_page_describes_itself_by_its_facts() -> None:
    page = TopicPage(ADDRESS, "Retries")
    some = [fact(f"f{n}", f"Worker {n} retries through Kestrel.") for n in range(40)]
    described = describe(page, some)
    assert count_tokens(described.summary) <= 60
    assert described.summary.startswith("Worker")
    assert "Kestrel" in described.keywords
    assert described.tags == ("kestrel",)
    assert describe(page, some[::-1]) == described == describe(described, some)
    pinned = describe(page, [*some, fact("p", "Herons come first.", pinned=True)])
    assert pinned.summary.startswith("Herons come first. ")
    long = describe(page, [fact("long", "very " * 500 + "long")])
    assert 0 < count_tokens(long.summary) <= 60
    assert long.summary.endswith("…")


def test_a_page_tells_nothing_that_may_not_be_seen_or_may_not_hold() -> None:
    page = TopicPage(ADDRESS, "Retries", scopes=("work",))
    later = datetime(2026, 9, 1, tzinfo=UTC)
    some = [
        fact("seen", "Seen by all.", scopes=("work", "home")),
        fact("private", "Private matter.", scopes=("home",)),
        fact("ends", "Ends one day.", scopes=("work",), valid_to=later),
        fact("begins", "Begins one day.", scopes=("work",), valid_from=later),
        fact("over", "Over and done.", scopes=("work",), ended=later),
        fact("was", "Was so.", scopes=("work",), standing="outdated"),
        fact("hers", "Hers alone.", scopes=("work",), owner="ana"),
    ]
    assert describe(page, some).summary == "Seen by all."
    both = describe(page._replace(scopes=("home", "work")), some)
    assert both.summary == "Seen by all."
    put = as_put(both)
    assert "Private" not in put.document.text


def test_what_a_person_wrote_of_a_page_stays() -> None:
    page = PAGE._replace(summary="In my words.", own=("summary",))
    described = describe(page, POLICY)
    assert described.summary == "In my words."
    assert described.keywords


def test_links_lead_to_pages_that_exist() -> None:
    one = TopicPage("a/b/one", "1", related=("a/b/two", "a/b/gone", "a/b/one", "a/b/two"))
    two = TopicPage("a/b/two", "2", related=("a/b/three",))
    assert [page.related for page in linked([one, two])] == [("a/b/two",), ()]
    assert linked([two], ["a/b/three"]) == [two]


def test_what_is_too_much_for_a_page_is_refused() -> None:
    page = TopicPage(ADDRESS, "x")
    for wrong, said in (
        (page._replace(title="x" * 201), "title has 201"),
        (page._replace(summary="x" * 2001), "summary has 2,001"),
        (page._replace(tags=tuple(map(str, range(101)))), "101 tags"),
        (page._replace(address="Billing/x"), "address"),
        (page._replace(scopes=()), "scopes is empty"),
    ):
        with pytest.raises(UsageError, match=said):
            as_put(wrong)
