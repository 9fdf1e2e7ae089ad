"""Documents that say that another took their place, and the ones that did.

A decision record is "superseded by ADR 7", a proposal has ``superseded_by: 387``, a note names the
one that ``replaces`` it. As with facts, what is in force is told in the place of what no longer is;
an answer about the past (a time that is over, "what did we use before") is about both. Where the
other is not here, or may not be seen, nothing took its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from posixpath import basename, dirname, join, normpath
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Candidate,
    Document,
    Filter,
    Hit,
    Query,
    TextQuery,
    listed,
    words,
)
from recollect.ports import Store
from recollect.reading.pool import Pool, not_of_documents, of_documents, of_passages, raised
from recollect.text.frontmatter import wikilinks
from recollect.text.terms import query_terms

LOOKED_AT = 25
"""Of so many of the best it is asked whether they still hold."""
LONGEST = 8
"""Steps from one to the next that took its place."""
_MANY = 100
_NEWER = ("superseded_by", "superseded-by", "replaced_by", "replaced-by", "obsoleted_by")
_OLDER = ("supersedes",)
_OLDER_RECORDS = ("supersedes", "replaces", "obsoletes")
"""Of what has a status. A package that replaces another says something else by the word."""
_NEVER_HELD = frozenset(
    {"draft", "proposed", "rejected", "withdrawn", "deferred", "superseded", "deprecated"}
)
"""What stands so has taken nobody's place, whatever it was meant to replace."""
_OLD = r"(?<!how\s)(?<!years\s)(?<!-)old|older(?!\s+than)"
"""Not an age: "how old is the cat?", "a year-old cat", "what is older than a week?"."""
_PAST = re.compile(
    rf"\b(?:previous(?:ly)?|former(?:ly)?|original(?:ly)?|earlier|used\s+to|did\b.{{0,60}}\buse\s+to"
    rf"|{_OLD}|histor\w+"
    r"|supersed\w+|replaced|obsolete|deprecated|no\s+longer|abandoned|dropped"
    r"|früher\w*|ehemal\w+|ursprünglich\w*|alten?|antes|anterior\w*|ancien\w*|avant"
    r"|(?:did|was|were|had)\b.{0,80}\bbefore)\b|\bbefore\W*\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\D{0,12}(\d{1,6})\W*")
_DIGITS = re.compile(r"\d+")
_LINK = re.compile(r"\[[^\[\]\n]*\]\(([^()\s]+)\)")


def why_not(pool: Pool, query: Query) -> str:
    """Says why nothing has to give way; empty when something may have to."""
    if not any(pool.stored(c).document.meta for c in pool.best):
        return "nothing is said of what was found"
    return "it asks about the past" if of_the_past(query) else ""


def of_the_past(query: Query) -> bool:
    """Whether a question is about what held before as well: it says so, or names a time that is
    over. "Today" and "this year" are about what holds."""
    then = query.window is not None and query.window.over
    return then or _PAST.search(query.text) is not None


class Successors(NamedTuple):
    """Documents among the best that gave way, and what took the place of each."""

    given_way: Mapping[int, Document]
    """By their keys in the pool."""
    heirs: Mapping[int, Document]
    """What is in force in the place of each of them."""
    places: Mapping[str, int]
    """The keys in the pool, by document id."""
    hits: Mapping[str, Hit]
    """A passage of each heir that is not in the pool yet."""

    def seated(self) -> Mapping[int, Document]:
        """Returns those of the heirs that are in the pool, or can be."""
        here = self.places.keys() | self.hits.keys()
        return {key: heir for key, heir in self.heirs.items() if heir.id in here}

    def titles(self) -> dict[str, str]:
        """Returns the titles of what gave way, each with that of its heir."""
        return {_called(self.given_way[key]): _called(heir) for key, heir in self.seated().items()}


def successors(pool: Pool, as_of: datetime | None) -> Successors:
    """Finds what took the place of the best. What came after the time that is asked about, or
    nobody knows when, had taken no place then; and nothing takes the place of what is asked for by
    its name."""
    store, filter = pool.of.view, pool.of.filter

    def came(document: Document) -> bool:
        return as_of is None or (document.date is not None and document.date <= as_of)

    some = [c for c in pool.best[:LOOKED_AT] if not c.signals.exact]
    best = {c.document: pool.stored(c).document for c in some}
    places = {document.id: key for key, document in best.items()}
    heirs: dict[int, Document] = {}
    for key, document in best.items():
        if newer := _in_force(document, came, filter, store):
            heirs[key] = newer
        for older in _replaced(document, filter, store) if came(document) else ():
            at = places.get(older.id, key)
            if at != key:
                heirs.setdefault(at, document)
    heirs = {key: heir for key in heirs if (heir := _last(key, heirs, places))}
    new = {heir.id: heir for heir in heirs.values() if heir.id not in places}
    hits = {id: hit for id, heir in new.items() if (hit := _passage(heir, pool))}
    return Successors(best, heirs, places, hits)


def _replaced(document: Document, filter: Filter, store: Store) -> Iterator[Document]:
    """Yields the documents that it says it replaces."""
    status = str(document.meta.get("status") or "").lower()
    if status not in _NEVER_HELD:
        yield from _named(document, _OLDER_RECORDS if status else _OLDER, filter, store)


def in_their_place(pool: Pool, found: Successors) -> list[Candidate]:
    """Returns the candidates without those that gave way, each heir graded at least as what it
    stands for."""
    places = {**found.places, **{id: hit.document for id, hit in found.hits.items()}}
    return _promoted(pool.best, {key: places[heir.id] for key, heir in found.seated().items()})


def _last(key: int, heirs: Mapping[int, Document], places: Mapping[str, int]) -> Document | None:
    """The last of those that took each other's place; None where they do in a circle."""
    seen = {key}
    while True:
        heir = heirs[key]
        key = places.get(heir.id, -1)
        if key not in heirs:
            return heir
        if key in seen:
            return None
        seen.add(key)


def _promoted(best: Sequence[Candidate], to: Mapping[int, int]) -> list[Candidate]:
    """Without those that gave way; each heir is graded at least as what it stands for."""
    least: dict[int, float] = {}
    for one in of_documents(best, to):
        heir = to[one.document]
        least[heir] = max(least.get(heir, one.score), one.score)
    others = not_of_documents(best, to)
    kept = [raised(c, least.get(c.document, c.score), "successor") for c in others]
    return sorted(kept, key=lambda c: -c.score)


def _called(document: Document) -> str:
    return document.title or document.external


# ------------------------------------------------------------------ who took whose place


def _in_force(
    document: Document, came: Callable[[Document], bool], filter: Filter, store: Store
) -> Document | None:
    """What took its place, or the place of that; None if it says of nothing here that it did."""
    seen = {document.id}
    at = document
    for _ in range(LONGEST):
        newer = next((one for one in _named(at, _NEWER, filter, store) if came(one)), None)
        if newer is None:
            break
        if newer.id in seen:
            return None
        seen.add(newer.id)
        at = newer
    return None if at is document else at


def _named(
    document: Document, fields: Sequence[str], filter: Filter, store: Store
) -> Iterator[Document]:
    """The documents that it names in one of these fields."""
    here = filter._replace(sources=(document.source,))
    for field in fields:
        for said in _listed(document.meta.get(field)):
            yield from _meant(said, document, here, store)


def _listed(value: Any) -> list[str]:
    said = (str(one) for one in listed(value) if isinstance(one, str | int))
    return list(filter(None, map(str.strip, ",".join(said).split(","))))


def _meant(said: str, by: Document, here: Filter, store: Store) -> list[Document]:
    """Documents of the same source that are called so: by their number, or by name or path."""
    if number := _NUMBER.fullmatch(said):
        return _numbered(int(number[1]), by, here, store)
    linked = (*wikilinks(said), *_LINK.findall(said))
    said = linked[0] if linked else said
    near = normpath(join(dirname(by.external), said))
    for name in dict.fromkeys((said, near, f"{said}.md", f"{near}.md")):
        if found := store.get(name, here, body=False):
            return found
    return []


def _numbered(number: int, by: Document, here: Filter, store: Store) -> list[Document]:
    """Documents that are named as this one is, with another number: ``pep-0005`` and
    ``pep-0387``, ``adr/0003-use-redis.md`` and ``adr/0007-use-postgres.md``."""
    name = basename(by.external)
    digits = _DIGITS.search(name)
    if digits is None:
        return []
    begin = f"{by.external[: len(by.external) - len(name)]}{name[: digits.start()]}"
    for written in dict.fromkeys((f"{number:0{len(digits[0])}d}", str(number))):
        if found := store.get(f"{begin}{written}{name[digits.end() :]}", here, body=False):
            return found
        if by.path and not here.paths:
            there = here._replace(paths=tuple(f"{begin}{written}{c}*" for c in "-_. "))
            some = store.scan(there, limit=2).items
            if len(some) == 1 and some[0].external.startswith(f"{begin}{written}"):
                return list(some)
    return []


def _passage(heir: Document, pool: Pool) -> Hit | None:
    """The passage of a document that has most of the question's words."""
    view, title = pool.of.view, dict.fromkeys(query_terms(_called(heir))[0])
    titled = TextQuery(any=words(title), strict=True, field="title")
    hits = view.search_text([titled], pool.of.filter, limit=_MANY)[0].hits
    stored = view.passages([hit.passage for hit in hits])
    keys = {one.key for one in stored if one.document.id == heir.id}
    own = list(of_passages(hits, keys))
    matched = view.matched(pool.of.parsed.content, [hit.passage for hit in own])
    return max(own, key=lambda hit: len(matched.get(hit.passage, ())), default=None)
