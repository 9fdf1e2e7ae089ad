"""The context tree: pages as files that people edit, and nothing lost on the way."""

from __future__ import annotations

import string
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.facts import STANDINGS, TYPES, Fact, Participant
from recollect.text.keys import keys
from recollect.tree import (
    ParsedPage,
    Snippet,
    TopicPage,
    address_of,
    as_put,
    cleaned,
    from_document,
    parse,
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
def test_a_page_comes_out_of_the_store_as_it_went_in(page: TopicPage) -> None:
    put = as_put(page)
    assert from_document(put.document)._replace(stamp="") == cleaned(page)
    assert as_put(from_document(put.document)) == put
    assert "".join(passage.text for passage in put.passages) == put.document.text
