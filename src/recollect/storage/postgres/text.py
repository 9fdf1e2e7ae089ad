"""Text search: BM25 over the postings of the owners that are searched.

The postings of the words that are asked for are scored here; the best are then looked up under
the filter, and the next best until there are enough: a filter can not starve the result. Every
number is exact: passages and their lengths are counted with every write, and how many have a word
is counted from its postings, less those that are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recollect.nouns import Clause, Filter, Hit, TextQuery
from recollect.ports import TextResult
from recollect.storage.postgres import filters
from recollect.storage.postgres.connection import Db
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import LENGTHS, Entries
from recollect.storage.postgres.rows import owner_of
from recollect.storage.postgres.text_index import Part
from recollect.storage.postgres.text_views import TextView, TextViews, Wanted
from recollect.text import lexical
from recollect.text.lexical import K1, PREFIX_SCORE, B

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST = 200
"""How many of the best are looked up under a filter at first."""
_FIELDS = {"body": "b", "title": "t"}


class Phrase(NamedTuple):
    """Words in a row that a passage must have, or must not."""

    words: str
    wanted: bool


class Scored(NamedTuple):
    """Everything that matches but for the phrases, in no order; and what each word is worth."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    idf: Mapping[str, float]
    phrases: tuple[Phrase, ...]

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
        wanted = {one for query in queries for one in _wanted(query)}

        def work(db: Db, views: Sequence[TextView]) -> list[TextResult]:
            scored = [self._score(query, views) for query in queries]
            return look_up(db, scored, filter, limit, count)

        return self._views.using(among, values, wanted, work)

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        values = {"owners": sorted({owner_of(key) for key in keys})}
        wanted = {("b", word) for word in words}

        def work(_: Db, views: Sequence[TextView]) -> dict[int, set[str]]:
            found: dict[int, set[str]] = {key: set() for key in keys}
            asked = np.array(sorted(found), np.int64)
            for view in views:
                for key in asked.tolist():
                    if key in view.tail:
                        found[key] = set(words).intersection(view.tail[key].body)
                for part in view.parts:
                    members = self._views.members(part)
                    places = members.places(asked)
                    for word in words if len(places) else ():
                        has = self._places(part, "b", word)
                        for place in places[_among(places, has)].tolist():
                            found[int(members.keys[place])].add(word)
            return found

        return self._views.using("owner = ANY(%(owners)s)", values, wanted, work)

    # -------------------------------------------------------------- scoring

    def _score(self, query: TextQuery, views: Sequence[TextView]) -> Scored:
        dead = {part.segment: self._dead(part, view) for view in views for part in view.parts}
        total = sum(view.state.passages for view in views)
        title = query.field == "title"
        length = sum(v.state.title_length if title else v.state.length for v in views)
        average = length / total if total else 0.0
        idf = self._idf(query, views, dead, total)
        keys: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        scores: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
        for view in views:
            for part in view.parts:
                found = self._score_part(part, query, idf, average, dead[part.segment])
                keys.append(found[0])
                scores.append(found[1])
            near = [
                (key, lexical.score(query, indexed, idf, average))
                for key, indexed in view.tail.items()
                if lexical.matches(query, indexed)
            ]
            keys.append(np.array([key for key, _ in near], np.int64))
            scores.append(np.array([score for _, score in near], np.float32))
        return Scored(np.concatenate(keys), np.concatenate(scores), idf, _phrases(query))

    def _dead(self, part: Part, view: TextView) -> NDArray[np.int64]:
        """Which of a segment's passages are gone, by their places, in order."""
        if not len(view.gone):
            return np.zeros(0, np.int64)
        return self._views.members(part).places(view.gone)

    def _idf(
        self,
        query: TextQuery,
        views: Sequence[TextView],
        dead: Mapping[int, NDArray[np.int64]],
        total: int,
    ) -> dict[str, float]:
        words = [clause.term for clause in query.any if clause.kind == "word"]
        field = _FIELDS[query.field]
        rows = (indexed for view in views for indexed in view.tail.values())
        have = lexical.document_frequencies(words, query.field, rows)
        for view in views:
            for part in view.parts:
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
        clauses = [self._clause(part, clause, query.field) for clause in query.any]
        needed = [has for clause in query.must for has in self._having(part, clause)]
        needed += [entries.places for entries in clauses] if query.strict else []
        places = _shared(needed) if needed else _united(part, clauses)
        for clause in query.never:
            if not _is_phrase(clause):
                for has in self._having(part, clause):
                    places = places[~_among(places, has)]
        places = places[~_among(places, dead)]
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

    def _clause(self, part: Part, clause: Clause, field: str) -> Entries:
        """Who has a word of the field, and how often; or the beginning of a word."""
        name = "p" if clause.kind == "prefix" else _FIELDS[field]
        found = self._views.entries(part, name, clause.term)
        return Entries(_NOWHERE, None if name == "p" else _NOWHERE) if found is None else found

    def _places(self, part: Part, field: str, term: str) -> Any:
        """The places that have a term, in order."""
        entries = self._views.entries(part, field, term)
        return _NOWHERE if entries is None else entries.places

    def _having(self, part: Part, clause: Clause) -> list[Any]:
        """The places that have each of the words that a condition needs; whether those of a
        phrase stand in a row is told when they are looked up."""
        field = {"word": "b", "prefix": "p", "phrase": "x"}[clause.kind]
        return [self._places(part, field, term) for term in dict.fromkeys(clause.terms)]


_NOWHERE = np.zeros(0, np.uint16)


def _found(places: Any, others: Any) -> tuple[Any, NDArray[np.bool_]]:
    """Where each of the places is among others, which are in order; and which of them are."""
    if not len(others) or not len(places):
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


def _phrases(query: TextQuery) -> tuple[Phrase, ...]:
    return tuple(
        Phrase(f" {' '.join(clause.terms)} ", wanted)
        for clauses, wanted in ((query.must, True), (query.never, False))
        for clause in clauses
        if _is_phrase(clause)
    )


def _wanted(query: TextQuery) -> Iterator[Wanted]:
    for clause in query.any:
        yield ("p" if clause.kind == "prefix" else _FIELDS[query.field]), clause.term
    for clause in (*query.must, *query.never):
        field = {"word": "b", "prefix": "p", "phrase": "x"}[clause.kind]
        for term in clause.terms:
            yield field, term


# ------------------------------------------------------------------ looking up the best


def look_up(
    db: Db, scored: Sequence[Scored], filter: Filter, limit: int, count: bool
) -> list[TextResult]:
    """The best of each that the filter lets through and that have its phrases, with their
    documents. The best are looked at first, of all together in one statement; then the next best of
    those that have too few."""
    filtered = filter.limits not in ((), ("owner",))
    hits: list[list[Hit]] = [[] for _ in scored]
    totals = [0] * len(scored)
    coming = []
    for n, one in enumerate(scored):
        whole = not filtered and not one.phrases
        if whole:
            totals[n] = len(one.keys)
        first = limit if whole else max(4 * limit, _FIRST if filtered else 0)
        coming.append((n, whole, one.best(max(1, first))))
    while coming:
        chunks = {n: next(chunk, None) for n, _, chunk in coming}
        asked = {n: scored[n].keys[some].tolist() for n, some in chunks.items() if some is not None}
        found = _check(db, scored, filter, asked)
        for n, keys in asked.items():
            some = chunks[n]
            here = zip(keys, scored[n].scores[some].tolist(), strict=True)
            documents = found.get(n, {})
            hits[n] += [Hit(k, documents[k], score) for k, score in here if k in documents]
        for n, whole, _ in coming:
            if not whole:
                totals[n] += len(found.get(n, {}))
        coming = [
            (n, whole, chunk)
            for n, whole, chunk in coming
            if n in asked and not whole and (count or len(hits[n]) < limit)
        ]
    return [
        TextResult(hits[n][:limit], one.idf, totals[n] if count else 0)
        for n, one in enumerate(scored)
    ]


def _check(
    db: Db, scored: Sequence[Scored], filter: Filter, asked: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, int]]:
    """For each query which of these passages it may have: passage to document."""
    pairs = [(n, key) for n, keys in asked.items() for key in keys]
    if not pairs:
        return {}
    where = filters.where(filter)
    values = {
        **where.values,
        "n": _array(n for n, _ in pairs),
        "owners": _array(owner_of(key) for _, key in pairs),
        "keys": _array(key for _, key in pairs),
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
