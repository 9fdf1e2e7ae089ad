"""The entries of a log that are from the period a question names.

A document of dated entries ("## 2026-09-22", "- 3 Sep: …") is of no one time: of the entries those
from the period stand for it, as far as they speak of the topic about as much as all of it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, StoredPassage, Window, group_by
from recollect.reading.pool import Pool, by_key, share
from recollect.text import stated
from recollect.text.sentences import units
from recollect.text.terms import stems

LOOKED, READ = 20, 200
"""The best documents that are read for entries, and so many of the first passages of each."""
LONG, REST = 3, 1000
"""The best of those that have more, which are read on, and so many further passages of each."""
WITHIN = 0.5
"""The share of the topic's words in a document that its entries from the period have."""
ENTRY = ("text", "heading")
"""What dates an entry: its own line, or the heading above it."""
Part = tuple[int, int]


class _Entries(NamedTuple):
    """The entries of a document that are from a period, by passage."""

    parts: Mapping[int, tuple[Part, ...]]
    passages: tuple[StoredPassage, ...]
    """Those that have them, the one first that has most of the topic's words."""


def entries(pool: Pool, window: Window) -> Pool:
    """Returns the pool in which entries from a period stand for the documents that have some."""
    some = [c for c in pool.best if pool.stored(c).document.kind != "session"][:LOOKED]
    ids = {c.document: pool.stored(c).document.id for c in some}
    of = _read(list(ids.values()), pool)
    found = {key: _entries(of.get(id, ()), window, pool) for key, id in ids.items()}
    found = {document: one for document, one in found.items() if one.passages}
    best = tuple(_moved(c, found[c.document]) if c.document in found else c for c in pool.best)
    fused = {c.document: c.score for c in pool.fused}
    near = (c._replace(score=fused.get(c.document, 0.0)) for c in best)
    others = {c.document: _others(c, found[c.document]) for c in near if c.document in found}
    added = by_key(chain.from_iterable(one.passages for one in found.values()))
    return pool._replace(
        best=best,
        others={**pool.others, **others},
        passages={**pool.passages, **added},
        entries={key: parts for one in found.values() for key, parts in one.parts.items()},
    )


def _read(ids: Sequence[str], pool: Pool) -> dict[str, list[StoredPassage]]:
    """Returns the passages of documents, of the best long ones more of them: logs grow at their
    end."""
    view = pool.of.view
    read = view.passages([f"{id}:0" for id in ids], after=READ) if ids else []
    of = group_by(lambda one: one.document.id, read)
    long = [id for id in ids if len(of.get(id, ())) > READ][:LONG]
    rest = view.passages([f"{id}:{READ + 1}" for id in long], after=REST) if long else []
    return group_by(lambda one: one.document.id, filter(pool.of.shows, (*read, *rest)))


def _entries(every: Sequence[StoredPassage], window: Window, pool: Pool) -> _Entries:
    """Returns the entries of a document that are from the period; none where they say little of
    the topic beside the rest of it."""
    found = {one.key: tuple(_parts(one, window, pool)) for one in every}
    having = [one for one in every if found[one.key]]
    said = {one.key: stems(_text(one, found[one.key])) for one in having}
    title = stems(every[0].document.title) if every else frozenset[str]()
    whole = title.union(*(stems(one.passage.text) for one in every[:READ]))
    worth = pool.worth
    if share(worth, title.union(*said.values())) < WITHIN * share(worth, whole):
        return _Entries({}, ())
    having.sort(key=lambda one: -share(worth, said[one.key]))
    return _Entries({one.key: found[one.key] for one in having}, tuple(having))


def _text(stored: StoredPassage, parts: Sequence[Part]) -> str:
    return "\n".join(stored.passage.text[start:end] for start, end in parts)


def _parts(stored: StoredPassage, window: Window, pool: Pool) -> Iterator[Part]:
    """Yields where the entries of a passage stand that are from the period."""
    begin = pool.begin(stored)
    every = [(begin + start, begin + end) for start, end in units(stored.passage.text[begin:])]
    for inside, some in groupby(every, lambda unit: _is_of(stored, unit, window)):
        among = list(some)
        if inside:
            yield among[0][0], among[-1][1]


def _is_of(stored: StoredPassage, unit: Part, window: Window) -> bool:
    date, by = stated.of_statement(stored, *unit)
    return by in ENTRY and window.has(date)


def _moved(one: Candidate, found: _Entries) -> Candidate:
    return one._replace(passage=found.passages[0].key)


def _others(one: Candidate, found: _Entries) -> tuple[Candidate, ...]:
    """Returns the other passages with entries, as near to the question as their document was
    found."""
    return tuple(one._replace(passage=each.key) for each in found.passages[1:])
