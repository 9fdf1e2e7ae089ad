"""Text search: BM25 over the postings of the owners that are searched.

The postings of the words that are asked for are scored here; the best are then looked up under
the filter, and the next best until there are enough: a filter can not starve the result. Every
number is exact: passages and their lengths are counted with every write, and how many have a word
is counted from its postings, less those that are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.named_tuple import NamedTuple
from recollect.nouns import Clause, Filter, Hit, TextQuery
from recollect.ports import TextResult
from recollect.storage.postgres import filters
from recollect.storage.postgres.connection import Db
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import LENGTHS, Entries
from recollect.storage.postgres.rows import owner_of, owners_of
from recollect.storage.postgres.text_index import Part
from recollect.storage.postgres.text_views import TextView, TextViews, Wanted
from recollect.text import lexical
from recollect.text.lexical import K1, PREFIX_SCORE, B, Indexed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST = 200
"""How many of the best are looked up under a filter at first."""
_FIELDS = {"body": "b", "title": "t"}
_CONDITIONS = {"word": "b", "prefix": "p", "phrase": "x"}
"""The field of the postings in which a condition is looked up, by its kind."""


class PhraseCondition(NamedTuple):
    """Words in a row that a passage must have, or must not."""

    words: str
    wanted: bool


class Scored(NamedTuple):
    """Everything that matches but for the phrases, in no order; and what each word is worth."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    idf: Mapping[str, float]
    phrases: tuple[PhraseCondition, ...]

    def best(self, count: int) -> Iterator[NDArray[np.int64]]:
        """The places of the best, so many, then of the next four times as many, and so on."""
        seen = 0
        while seen < len(self.keys):
            upto = min(len(self.keys), seen + count)
            yield self._order(upto)[seen:upto]
            seen, count = upto, count * 4

    def _order(self, upto: int) -> NDArray[np.int64]:
        chosen = np.arange(len(self.keys))
        if upto < len(self.keys):
            # All that are as good as the last are among them, so that ties go by key.
            line = np.partition(self.scores, len(self.keys) - upto)[len(self.keys) - upto]
            chosen = np.flatnonzero(self.scores >= line)
        return chosen[np.lexsort((self.keys[chosen], -self.scores[chosen]))]


class TextSearch:
    def __init__(self, views: TextViews, owners: Owners) -> None:
        self._views = views
        self._owners = owners

    def search(
        self, queries: Sequence[TextQuery], filter: Filter, limit: int, *, count: bool = False
    ) -> list[TextResult]:
        if filters.nothing(filter) or not queries:
            return [TextResult([], {}, 0) for _ in queries]
        values: dict[str, Any] = {}
        among = self._owners.among(filter, "owner", values)
        wanted = set(chain.from_iterable(map(_wanted, queries)))

        scopes = filter.within and filter.within.scopes

        def work(db: Db, views: Sequence[TextView]) -> list[TextResult]:
            if scopes is not None:
                views = [self._views.within(db, view, scopes) for view in views]
            scored = [self._score(query, views) for query in queries]
            return look_up(db, scored, filter, limit, count)

        return self._views.using(among, values, wanted, work)

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        values = {"owners": owners_of(keys)}
        wanted = {("b", word) for word in words}

        def work(_: Db, views: Sequence[TextView]) -> dict[int, set[str]]:
            found: dict[int, set[str]] = {key: set() for key in keys}
            asked = np.array(sorted(found), np.int64)
            for view in views:
                for key in found.keys() & view.tail.keys():
                    found[key] = set(words).intersection(view.tail[key].body)
            for part in _parts(views):
                members = self._views.members(part)
                places = members.places(asked)
                for word in words:
                    has = _among(places, self._places(part, "b", word))
                    for key in members.keys[places[has]].tolist():
                        found[key].add(word)
            return found

        return self._views.using("owner = ANY(%(owners)s)", values, wanted, work)

    # -------------------------------------------------------------- scoring

    def _score(self, query: TextQuery, views: Sequence[TextView]) -> Scored:
        dead = {part.segment: self._dead(part, view) for view in views for part in view.parts}
        total = sum(view.state.passages for view in views)
        title = query.field == "title"
        length = sum(v.state.title_length if title else v.state.length for v in views)
        average = length / max(1, total)
        idf = self._idf(query, views, dead, total)
        found = [
            (np.zeros(0, np.int64), np.zeros(0, np.float32)),
            *(self._score_part(p, query, idf, average, dead[p.segment]) for p in _parts(views)),
            *(_score_tail(view.tail, query, idf, average) for view in views),
        ]
        keys, scores = map(np.concatenate, zip(*found, strict=True))
        return Scored(keys, scores, idf, _phrases(query))

    def _dead(self, part: Part, view: TextView) -> NDArray[np.int64]:
        """Which of a segment's passages are gone, by their places, in order."""
        return self._views.members(part).places(view.gone)

    def _idf(
        self,
        query: TextQuery,
        views: Sequence[TextView],
        dead: Mapping[int, NDArray[np.int64]],
        total: int,
    ) -> dict[str, float]:
        words = lexical.words(query)
        field = _FIELDS[query.field]
        rows = chain.from_iterable(view.tail.values() for view in views)
        have = lexical.document_frequencies(words, query.field, rows)
        for part in _parts(views):
            gone = dead[part.segment]
            for word in set(words):
                places = self._places(part, field, word)
                have[word] += len(places) - int(np.count_nonzero(_among(gone, places)))
        return {word: lexical.idf(have[word], total) for word in words}

    def _score_part(
        self,
        part: Part,
        query: TextQuery,
        idf: Mapping[str, float],
        average: float,
        dead: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        members = self._views.members(part)
        lengths = members.title_lengths if query.field == "title" else members.lengths
        norms = (K1 * (1 - B + B * LENGTHS / (average or 1))).astype(np.float32)
        clauses = [self._views.entries(part, *one) for one in _scored_terms(query)]
        needed = self._having(part, query.must)
        needed += [entries.places for entries in clauses] if query.strict else []
        places = _shared(needed) if needed else _united(part, clauses)
        for gone in (dead, *self._having(part, filterfalse(_is_phrase, query.never))):
            places = places[~_among(places, gone)]
        scores, hits = np.zeros(len(places), np.float32), np.zeros(len(places), np.bool_)
        for clause, entries in zip(query.any, clauses, strict=True):
            at, here = _found(places, entries.places)
            hits |= here
            if entries.counts is None:
                scores[here] += np.float32(PREFIX_SCORE)
                continue
            often = entries.counts[at[here]].astype(np.float32)
            weight = np.float32(idf[clause.term] * (K1 + 1))
            scores[here] += weight * (often / (often + norms[lengths[places[here]]]))
        if query.any:
            places, scores = places[hits], scores[hits]
        return members.keys[places], scores

    def _places(self, part: Part, field: str, term: str) -> Any:
        """Returns the places that have a term, in order."""
        return self._views.entries(part, field, term).places

    def _having(self, part: Part, clauses: Iterable[Clause]) -> list[Any]:
        """The places that have each of the words that these conditions need; whether those of a
        phrase stand in a row is told when they are looked up."""
        wanted = chain.from_iterable(map(_terms, clauses))
        return [self._places(part, *one) for one in dict.fromkeys(wanted)]


def _parts(views: Sequence[TextView]) -> list[Part]:
    return list(chain.from_iterable(view.parts for view in views))


def _score_tail(
    tail: Mapping[int, Indexed], query: TextQuery, idf: Mapping[str, float], average: float
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Returns the keys and scores of the passages that match and are in no segment yet."""
    scores = {
        key: lexical.score(query, indexed, idf, average)
        for key, indexed in tail.items()
        if lexical.matches(query, indexed)
    }
    return np.array([*scores], np.int64), np.array([*scores.values()], np.float32)


def _found(places: Any, others: Any) -> tuple[Any, NDArray[np.bool_]]:
    """Where each of the places is among others, which are in order; and which of them are."""
    if not len(others):
        return np.zeros(len(places), np.int64), np.zeros(len(places), np.bool_)
    at = np.minimum(np.searchsorted(others, places), len(others) - 1)
    return at, others[at] == places


def _among(places: Any, others: Any) -> NDArray[np.bool_]:
    return _found(places, others)[1]


def _shared(lists: list[Any]) -> Any:
    """The places that are in all of the lists, in order: from the shortest on."""
    first, *others = sorted(lists, key=len)
    for other in others:
        first = first[_among(first, other)]
    return first


def _united(part: Part, clauses: Sequence[Entries]) -> Any:
    """The places that any of the clauses has, in order; all there are when there is none."""
    if not clauses:
        return np.arange(part.passages, dtype=np.uint16)
    if len(clauses) == 1:
        return clauses[0].places
    has = np.zeros(part.passages, np.bool_)
    for entries in clauses:
        has[entries.places] = True
    return np.flatnonzero(has).astype(np.uint16)


def _is_phrase(clause: Clause) -> bool:
    return clause.kind == "phrase" and len(clause.terms) > 1


def _phrases(query: TextQuery) -> tuple[PhraseCondition, ...]:
    return tuple(
        PhraseCondition(f" {' '.join(clause.terms)} ", wanted)
        for clauses, wanted in ((query.must, True), (query.never, False))
        for clause in clauses
        if _is_phrase(clause)
    )


def _scored_terms(query: TextQuery) -> list[Wanted]:
    """Returns the terms that are scored: words of the field, or beginnings of words."""
    fields = {"prefix": "p"}
    field = _FIELDS[query.field]
    return [(fields.get(clause.kind, field), clause.term) for clause in query.any]


def _wanted(query: TextQuery) -> Iterator[Wanted]:
    yield from _scored_terms(query)
    yield from chain.from_iterable(map(_terms, (*query.must, *query.never)))


def _terms(condition: Clause) -> Iterator[Wanted]:
    """Returns the terms that a condition needs."""
    return zip(repeat(_CONDITIONS[condition.kind]), condition.terms)


# ------------------------------------------------------------------ looking up the best


class _Lookup:
    """The lookup of the best passages of one query, chunk by chunk."""

    def __init__(self, scored: Scored, limit: int, *, filtered: bool) -> None:
        self.whole = not filtered and not scored.phrases
        """Whether everything that was scored matches."""
        self.hits: list[Hit] = []
        self._scored = scored
        self._found = 0
        first = limit if self.whole else max(4 * limit, _FIRST if filtered else 0)
        self._chunks = scored.best(max(1, first))
        self._chunk = np.zeros(0, np.int64)

    @property
    def total(self) -> int:
        return len(self._scored.keys) if self.whole else self._found

    def next_keys(self) -> list[int]:
        """Returns the keys of the next best passages; none at the end."""
        self._chunk = next(self._chunks, self._chunk[:0])
        keys: list[int] = self._scored.keys[self._chunk].tolist()
        return keys

    def take(self, documents: Mapping[int, int]) -> None:
        """Takes those passages of the chunk that have a document here."""
        scores: list[float] = self._scored.scores[self._chunk].tolist()
        pairs = zip(self._scored.keys[self._chunk].tolist(), scores, strict=True)
        self.hits += [Hit(key, documents[key], one) for key, one in pairs if key in documents]
        self._found += len(documents)

    def goes_on(self, limit: int, count: bool) -> bool:
        return not self.whole and (count or len(self.hits) < limit)


def look_up(
    db: Db, scored: Sequence[Scored], filter: Filter, limit: int, count: bool
) -> list[TextResult]:
    """Returns for each query the best passages that pass the filter and have its phrases, with
    their documents. One statement looks up the best of all queries; the next ones look up the next
    best of those that have too few."""
    walled = filter.within is not None and filter.within.scopes is not None
    filtered = walled or filter.limits not in ((), ("owner",))
    lookups = [_Lookup(one, limit, filtered=filtered) for one in scored]
    coming: Iterable[int] = range(len(lookups))
    while coming:
        asked = {n: lookups[n].next_keys() for n in coming}
        found = _check(db, scored, filter, asked)
        for n in asked:
            lookups[n].take(found.get(n, {}))
        coming = [n for n, keys in asked.items() if keys and lookups[n].goes_on(limit, count)]
    return [
        TextResult(lookup.hits[:limit], one.idf, lookup.total if count else 0)
        for lookup, one in zip(lookups, scored, strict=True)
    ]


def _check(
    db: Db, scored: Sequence[Scored], filter: Filter, asked: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, int]]:
    """Returns for each query which of these passages it may have: passage to document."""
    keys = list(chain.from_iterable(asked.values()))
    if not keys:
        return {}
    where = filters.where(filter)
    values = {
        **where.values,
        "n": _array(chain.from_iterable(repeat(n, len(some)) for n, some in asked.items())),
        "owners": _array(map(owner_of, keys)),
        "keys": _array(keys),
    }
    tables = (
        "unnest(%(n)s::int[], %(owners)s::int[], %(keys)s::bigint[]) AS c (n, owner, key) "
        "JOIN passages p ON p.owner = c.owner AND p.key = c.key"
    )
    if where.document:
        tables += " JOIN documents d ON d.owner = p.owner AND d.key = p.document"
    conditions = [where.both]
    phrases = [(n, *phrase) for n in asked for phrase in scored[n].phrases]
    if phrases:
        conditions.append(
            "NOT EXISTS (SELECT 1 FROM unnest(%(of)s::int[], %(words)s::text[], "
            "%(wanted)s::boolean[]) AS w (n, words, wanted) WHERE w.n = c.n "
            "AND (strpos(' ' || p.exact || ' ', w.words) > 0) <> w.wanted)"
        )
        values["of"], values["words"], values["wanted"] = map(list, zip(*phrases, strict=True))
    rows = db.execute(
        f"SELECT c.n, p.key, p.document FROM {tables} WHERE {' AND '.join(conditions)}", values
    )
    found: dict[int, dict[int, int]] = {}
    for n, key, document in rows:
        found.setdefault(n, {})[key] = document
    return found


def _array(numbers: Iterable[int]) -> str:
    """An array as it is written in SQL: many times as fast as one number after the other."""
    return "{" + ",".join(map(str, numbers)) + "}"
