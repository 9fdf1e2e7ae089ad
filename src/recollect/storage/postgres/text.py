"""Text search: BM25 over the postings of the owners that are searched.

The postings of the words that are asked for are scored here; the best are then looked up under
the filter, and the next best until there are enough: a filter can not starve the result. Every
number is exact: passages and their lengths are counted with every write, and how many have a word
is counted from its postings, less those that are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recollect.ports import TextFound
from recollect.storage.postgres import filters
from recollect.storage.postgres.connection import Db
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import LENGTHS, Members
from recollect.storage.postgres.rows import owner_of
from recollect.storage.postgres.text_index import Part
from recollect.storage.postgres.text_views import TextViews, View, Wanted
from recollect.text import lexical
from recollect.text.lexical import K1, PREFIX_SCORE, B
from recollect.types import Clause, Filter, Hit, TextQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

_FIRST = 200
"""How many of the best are looked up under a filter at first."""
_FIELDS = {"body": "b", "title": "t"}


class Scored(NamedTuple):
    """Everything that matches, in no order; and what each word is worth."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    idf: Mapping[str, float]

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
    ) -> list[TextFound]:
        if filters.nothing(filter) or not queries:
            return [TextFound([], {}, 0) for _ in queries]
        values: dict[str, Any] = {}
        among = self._owners.among(filter, "owner", values)
        wanted = {one for query in queries for one in _wanted(query)}

        def work(db: Db, views: Sequence[View]) -> list[TextFound]:
            phrases = self._phrases(db, queries, views)
            scored = [self._score(query, views, phrases) for query in queries]
            if filter.limits in ((), ("owner",)):
                return _unfiltered(db, scored, limit, count)
            return [_filtered(db, one, filter, limit, count) for one in scored]

        return self._views.using(among, values, wanted, work)

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        values = {"owners": sorted({owner_of(key) for key in keys})}
        wanted = {("b", word) for word in words}

        def work(_: Db, views: Sequence[View]) -> dict[int, set[str]]:
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
                        entries = self._views.entries(part, "b", word)
                        if entries is not None:
                            for place in places[np.isin(places, entries.places)].tolist():
                                found[int(members.keys[place])].add(word)
            return found

        return self._views.using("owner = ANY(%(owners)s)", values, wanted, work)

    # -------------------------------------------------------------- scoring

    def _score(
        self,
        query: TextQuery,
        views: Sequence[View],
        phrases: Mapping[Clause, NDArray[np.int64]],
    ) -> Scored:
        dead = {part.segment: self._dead(part, view) for view in views for part in view.parts}
        total = sum(view.state.passages for view in views)
        title = query.field == "title"
        length = sum(v.state.title_length if title else v.state.length for v in views)
        average = length / total if total else 0.0
        idf = self._idf(query, views, dead, total)
        keys: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float32]] = []
        for view in views:
            for part in view.parts:
                found = self._score_part(part, query, idf, average, dead[part.segment], phrases)
                keys.append(found[0])
                scores.append(found[1])
            near = [
                (key, lexical.score(query, indexed, idf, average))
                for key, indexed in view.tail.items()
                if lexical.matches(query, indexed)
            ]
            keys.append(np.array([key for key, _ in near], np.int64))
            scores.append(np.array([score for _, score in near], np.float32))
        if not keys:
            return Scored(np.zeros(0, np.int64), np.zeros(0, np.float32), idf)
        return Scored(np.concatenate(keys), np.concatenate(scores), idf)

    def _dead(self, part: Part, view: View) -> Mask | None:
        """Which of a segment's passages are gone."""
        places = self._views.members(part).places(view.gone) if len(view.gone) else ()
        if not len(places):
            return None
        mask = np.zeros(part.passages, np.bool_)
        mask[places] = True
        return mask

    def _idf(
        self,
        query: TextQuery,
        views: Sequence[View],
        dead: Mapping[int, Mask | None],
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
                    entries = self._views.entries(part, field, word)
                    if entries is not None:
                        less = 0 if gone is None else int(np.count_nonzero(gone[entries.places]))
                        have[word] += len(entries.places) - less
        return {word: lexical.idf(have[word], total) for word in words}

    def _score_part(
        self,
        part: Part,
        query: TextQuery,
        idf: Mapping[str, float],
        average: float,
        dead: Mask | None,
        phrases: Mapping[Clause, NDArray[np.int64]],
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        members = self._views.members(part)
        scores = np.zeros(part.passages, np.float32)
        hits = np.zeros(part.passages, np.uint8)
        lengths = members.title_lengths if query.field == "title" else members.lengths
        norms = (K1 * (1 - B + B * LENGTHS / (average or 1))).astype(np.float32)
        for clause in query.any:
            where = self._where(part, clause, query.field)
            if clause.kind == "word":
                entries = self._views.entries(part, _FIELDS[query.field], clause.term)
                if entries is None:
                    continue
                often = entries.counts.astype(np.float32)
                weight = np.float32(idf[clause.term] * (K1 + 1))
                scores[where] += weight * (often / (often + norms[lengths[where]]))
            else:
                scores[where] += np.float32(PREFIX_SCORE)
            hits[where] += 1
        mask = hits >= (len(query.any) if query.strict else min(1, len(query.any)))
        for clause in query.must:
            mask &= self._mask(part, members, clause, phrases)
        for clause in query.never:
            mask &= ~self._mask(part, members, clause, phrases)
        if dead is not None:
            mask &= ~dead
        chosen = np.flatnonzero(mask)
        return members.keys[chosen], scores[chosen]

    def _where(self, part: Part, clause: Clause, field: str) -> Any:
        """The places that have a word, the beginning of one, or a single word as written."""
        name = {"word": _FIELDS[field], "prefix": "p", "phrase": "x"}[clause.kind]
        entries = self._views.entries(part, name, clause.term)
        return np.zeros(0, np.uint16) if entries is None else entries.places

    def _mask(
        self,
        part: Part,
        members: Members,
        clause: Clause,
        phrases: Mapping[Clause, NDArray[np.int64]],
    ) -> Mask:
        mask = np.zeros(part.passages, np.bool_)
        if clause in phrases:
            mask[members.places(phrases[clause])] = True
        else:
            mask[self._where(part, clause, "body")] = True
        return mask

    def _phrases(
        self, db: Db, queries: Sequence[TextQuery], views: Sequence[View]
    ) -> dict[Clause, NDArray[np.int64]]:
        """The indexed passages that have words in a row: of those that have all the words, the
        server tells, for every phrase in one statement."""
        clauses = list(
            dict.fromkeys(
                clause
                for query in queries
                for clause in (*query.must, *query.never)
                if clause.kind == "phrase" and len(clause.terms) > 1
            )
        )
        having = [self._having(clause.terms, views) for clause in clauses]
        found: dict[int, list[int]] = {n: [] for n in range(len(clauses))}
        keys = [key for some in having for key in some]
        if keys:
            rows = db.execute(
                "SELECT c.n, c.key FROM unnest(%(n)s::int[], %(owners)s::int[], "
                "%(keys)s::bigint[]) AS c (n, owner, key) JOIN passages p "
                "ON p.owner = c.owner AND p.key = c.key "
                "WHERE strpos(' ' || p.exact || ' ', (%(phrases)s::text[])[c.n + 1]) > 0",
                {
                    "n": [n for n, some in enumerate(having) for _ in some],
                    "owners": list(map(owner_of, keys)),
                    "keys": keys,
                    "phrases": [f" {' '.join(clause.terms)} " for clause in clauses],
                },
            )
            for n, key in rows:
                found[n].append(key)
        return {clause: np.array(sorted(found[n]), np.int64) for n, clause in enumerate(clauses)}

    def _having(self, words: Sequence[str], views: Sequence[View]) -> list[int]:
        """The indexed passages that have all of these words as written."""
        keys: list[int] = []
        for view in views:
            for part in view.parts:
                some = [self._views.entries(part, "x", word) for word in dict.fromkeys(words)]
                places = [np.zeros(0, np.uint16) if e is None else e.places for e in some]
                shared = min(places, key=len)
                for others in places:
                    shared = shared[np.isin(shared, others, assume_unique=True)]
                keys += self._views.members(part).keys[shared].tolist()
        return keys


def _wanted(query: TextQuery) -> Iterator[Wanted]:
    for clause in query.any:
        yield ("p" if clause.kind == "prefix" else _FIELDS[query.field]), clause.term
    for clause in (*query.must, *query.never):
        if clause.kind == "phrase":
            for word in clause.terms:
                yield "x", word
        else:
            yield ("p" if clause.kind == "prefix" else "b"), clause.term


# ------------------------------------------------------------------ looking up the best


def _owners(keys: Sequence[int]) -> list[int]:
    return sorted({owner_of(key) for key in keys})


def _unfiltered(db: Db, scored: Sequence[Scored], limit: int, count: bool) -> list[TextFound]:
    """The best of each, with their documents, in one statement for all."""
    best = [next(one.best(limit), np.zeros(0, np.int64)) for one in scored]
    keys = [one.keys[places].tolist() for one, places in zip(scored, best, strict=True)]
    every = sorted({key for some in keys for key in some})
    documents: dict[int, int] = {}
    if every:
        documents = dict(
            db.execute(
                "SELECT key, document FROM passages WHERE owner = ANY(%s) AND key = ANY(%s)",
                (_owners(every), every),
            ).fetchall()
        )
    return [
        TextFound(
            [
                Hit(key, documents[key], score)
                for key, score in zip(some, one.scores[places].tolist(), strict=True)
                if key in documents
            ],
            one.idf,
            len(one.keys) if count else 0,
        )
        for one, places, some in zip(scored, best, keys, strict=True)
    ]


def _filtered(db: Db, one: Scored, filter: Filter, limit: int, count: bool) -> TextFound:
    """The best that the filter lets through; the best are looked at first."""
    where = filters.where(filter)
    allowed = (
        "SELECT p.key, p.document FROM passages p JOIN documents d "
        "ON d.owner = p.owner AND d.key = p.document WHERE p.owner = ANY(%(owners)s) "
        f"AND p.key = ANY(%(keys)s) AND {where.both}"
    )
    hits: list[Hit] = []
    total = 0
    for places in one.best(max(_FIRST, 2 * limit)):
        keys = one.keys[places].tolist()
        values = {**where.values, "owners": _owners(keys), "keys": keys}
        documents: dict[int, int] = dict(db.execute(allowed, values).fetchall())
        total += len(documents)
        hits += [
            Hit(key, documents[key], score)
            for key, score in zip(keys, one.scores[places].tolist(), strict=True)
            if key in documents
        ]
        if len(hits) >= limit and not count:
            break
    return TextFound(hits[:limit], one.idf, total if count else 0)
