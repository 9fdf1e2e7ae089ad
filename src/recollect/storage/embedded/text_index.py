"""The derived text index: tantivy over our own terms.

Our tokenizer makes the terms, so the analyzer only splits at spaces. Text itself is not stored.
One marker document carries the position (epoch and last change seen); it is replaced in the
same commit as the changes it speaks of, so that a snapshot always knows exactly what it holds.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import tantivy
from tantivy import Occur, Query

from recollect import permissions
from recollect.named_tuple import NamedTuple
from recollect.nouns import Clause, Hit, TextQuery
from recollect.storage.embedded import folders, sums
from recollect.storage.embedded.rows import LabelFilter, Row
from recollect.storage.filters import escaped, folded_path
from recollect.text import terms
from recollect.text.lexical import PREFIX_SCORE, idf, indexed_text

_HEAP = 135_000_000
"""Bytes that a commit may take. With less, 150,000 passages make several segments, and each of
those makes every search slower; with more, a huge import takes that much more memory."""
SUMS = "sums.json"
_FILE = re.compile(r"([0-9a-f]{32})(?:\.(\d+))?\.\w+")
"""A file of a segment; of its deletions with the number of the operation that they are up to."""
_MARK = "position"
_NOTHING = "nothing has this mark"
_PREFIX_MAX = 200
_BITS = 20
_LETTERS = "ocskriv"
"""The label fields, each by its letter, in the order rows have them."""
_PASSAGE = (1 << 32) - 1
"""Keys are numbers of changes; four thousand million of them fit."""


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="spaces", index_option="freq")
    builder.add_text_field("exact", tokenizer_name="spaces", index_option="position")
    builder.add_text_field("title", tokenizer_name="spaces", index_option="freq")
    builder.add_text_field("labels", tokenizer_name="spaces", index_option="basic")
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("mark", tokenizer_name="raw", index_option="basic", stored=True)
    builder.add_unsigned_field("passage", indexed=True)
    builder.add_unsigned_field("place", fast=True)  # document and passage, in one column read
    builder.add_integer_field("date", indexed=True, fast=True)
    return builder.build()


class TornIndex(Exception):
    """The index's files are not as tantivy left them."""


class Position(NamedTuple):
    epoch: str
    seq: int


class IndexHits(NamedTuple):
    """The hits, how many passages hold each word, and how many hits there are in all."""

    hits: list[Hit]
    frequencies: dict[str, int]
    total: int


@contextmanager
def _as_torn() -> Iterator[None]:
    """Raises TornIndex where tantivy tells of broken files: by ValueError or, deeper down, by a
    Rust panic."""
    try:
        yield
    except BaseException as error:
        told = isinstance(error, ValueError | LookupError)
        if told or type(error).__name__ == "PanicException":
            raise TornIndex(str(error)) from error
        raise


class TextIndex:
    """One generation of the index, as this process sees it. Thread-safe."""

    @_as_torn()
    def __init__(self, folder: Path, *, create: bool = False) -> None:
        """Opens it, if its files look as they were written."""
        self.folder = folder
        self._meta = str(folder / "meta.json")
        self._schema = _schema()
        self._lock = threading.Lock()
        if create:
            folders.remove(folder)
            folder.mkdir(mode=0o700)
        elif not tantivy.Index.exists(str(folder)):
            raise FileNotFoundError(folder)
        for name in () if create else self.damaged(full=False):
            raise TornIndex(f"{name} is not as it was written")
        self._index = tantivy.Index(self._schema, str(folder), reuse=True)
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("spaces", analyzer)
        self._index.config_reader("manual")
        self._seen: tuple[int, int] | None = None
        self.reload()

    def is_current(self, snapshot: Snapshot) -> bool:
        try:
            return snapshot is self._snapshot and self._stamp() == self._seen
        except OSError:  # the folder is gone: a newer generation has taken its place
            return False

    def _stamp(self) -> tuple[int, int]:
        stat = os.stat(self._meta)
        return stat.st_mtime_ns, stat.st_ino

    @_as_torn()
    def reload(self) -> Snapshot:
        """The newest commit, whoever made it."""
        with self._lock:
            seen = self._stamp()
            if seen != self._seen:
                self._index.reload()
                self._snapshot = Snapshot(self._index.searcher(), self._schema)
                self._seen = seen
            return self._snapshot

    @_as_torn()
    def write(self, added: Iterable[Row], deleted: Sequence[int], position: Position) -> None:
        """Add and delete, then commit with the new position. The caller holds the lock."""
        writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        try:
            # The first operation of a writer has the number of the last commit. If a merge begins
            # before the next one (as after a crash, when one is overdue), tantivy takes it for
            # done in segments that were last changed by that commit, and a deletion is lost.
            writer.delete_documents_by_term("mark", _NOTHING)
            for key in deleted:
                # By query: deletion by term takes an int for a signed one and finds nothing.
                gone = Query.term_query(self._schema, "passage", key, "basic")
                writer.delete_documents_by_query(gone)
            for row in added:
                writer.add_document(tantivy.Document.from_dict(_fields(row), self._schema))
            writer.delete_documents_by_term("mark", _MARK)
            writer.add_document(
                tantivy.Document.from_dict(
                    {"mark": [_MARK, position.epoch, str(position.seq)]}, self._schema
                )
            )
            writer.commit()
        except BaseException:
            writer.rollback()
            raise
        finally:
            writer.wait_merging_threads()
            permissions.close_to_others(self.folder)
        with suppress(OSError):  # what has no sum is not looked at
            self._write_sums()
        self.reload()

    # -------------------------------------------------------------- checksums

    def _write_sums(self) -> None:
        """The sums of all files but those that had theirs before."""
        before, names = self._sums()["files"], filter(_FILE.fullmatch, os.listdir(self.folder))
        files = {name: before.get(name) or sums.sum_of(f"{self.folder}/{name}") for name in names}
        meta = Path(self._meta).read_bytes()
        about = {"files": files, "meta": [json.loads(meta)["opstamp"], crc32(meta)]}
        fresh = self.folder / f"{SUMS}.new"
        with open(fresh, "w", opener=permissions.opener) as file:
            file.write(sums.sealed(about))
        os.replace(fresh, self.folder / SUMS)

    def _sums(self) -> dict[str, Any]:
        try:
            return sums.unsealed((self.folder / SUMS).read_text())
        except FileNotFoundError:  # of an earlier version, or not written yet
            return {"files": {}, "meta": [-1, 0]}

    def damaged(self, *, full: bool) -> Iterator[str]:
        """Yields the files of the last commit that are not as they were written."""
        raw = Path(self._meta).read_bytes()
        meta, about = json.loads(raw), self._sums()
        opstamp, sum = about["meta"]
        if opstamp == meta["opstamp"] and sum != crc32(raw):
            yield "meta.json"
        used = {one["segment_id"].replace("-", ""): one["deletes"] for one in meta["segments"]}
        named = {
            name: file
            for name, file in about["files"].items()
            if (match := _FILE.fullmatch(name))
            and match[1] in used
            and match[2] in (None, str((used[match[1]] or {}).get("opstamp")))
        }
        yield from sums.damaged(str(self.folder), named, full=full)


class Snapshot:
    """One commit of the index: what it holds does not change."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = schema
        self.position = self._read_position()

    @property
    def seq(self) -> int:
        """The last change that the index has seen."""
        return self.position.seq if self.position else 0

    def _read_position(self) -> Position | None:
        marks = self._run(self._term("mark", _MARK), 1).hits
        if not marks:
            return None
        _, epoch, seq = self._searcher.doc(marks[0][1])["mark"]
        return Position(epoch, int(seq))

    def _run(self, query: Query, limit: int, *, count: bool = False) -> tantivy.SearchResult:
        return self._searcher.search(query, max(1, limit), count=count)

    @property
    def passages(self) -> int:
        return max(0, int(self._searcher.num_docs) - 1)

    @_as_torn()
    def search(
        self, query: TextQuery, allowed: LabelFilter, limit: int, count: bool, dead: Collection[int]
    ) -> IndexHits:
        """The best, less the *dead*: passages that are gone from the record by now."""
        frequencies = {
            clause.term: int(self._searcher.doc_freq(query.field, clause.term))
            for clause in query.any
            if clause.kind == "word"
        }
        if query.any and not self._can_match(query, frequencies):
            return IndexHits([], frequencies, 0)
        built = self._build(query, allowed)
        if count and dead:
            built = Query.boolean_query([(Occur.Must, built), (Occur.MustNot, self._among(dead))])
        # A dead passage takes a place, so more are asked for than are wanted.
        found = self._run(built, limit + min(len(dead), 1000), count=count)
        scored = found.hits  # made anew whenever it is asked for
        new = tuple.__new__  # half the time of calling Hit
        hits = [
            new(Hit, (place & _PASSAGE, place >> 32, score))
            for place, (score, _) in zip(self._places(scored), scored, strict=True)
        ]
        if dead:
            hits = [hit for hit in hits if hit.passage not in dead]
        return IndexHits(hits, frequencies, int(found.count or 0) if count else 0)

    def _places(self, hits: list[tuple[float, tantivy.DocAddress]]) -> list[int]:
        places: list[int] = self._searcher.fast_field_values("place", [a for _, a in hits])
        return places

    @_as_torn()
    def places(self) -> list[int]:
        """Returns all that is in it: each passage under its document, in one number."""
        every = [(Occur.Must, Query.all_query()), (Occur.MustNot, self._term("mark", _MARK))]
        return self._places(self._run(Query.boolean_query(every), self.passages).hits)

    def _can_match(self, query: TextQuery, frequencies: dict[str, int]) -> bool:
        """Whether the words that occur here at all could satisfy the query."""
        here = [clause.kind == "prefix" or frequencies[clause.term] > 0 for clause in query.any]
        return all(here) if query.strict else any(here)

    def _among(self, keys: Iterable[int]) -> Query:
        """These passages and no others."""
        return _any(Query.term_query(self._schema, "passage", key, "basic") for key in keys)

    @_as_torn()
    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        """One query for up to _BITS words: word i scores 2**i and the passages nothing, so that
        a passage's score spells which words it has. Single precision holds 24 such bits."""
        found: dict[int, set[str]] = {key: set() for key in keys}
        among = Query.const_score_query(self._among(keys), 0.0)
        for start in range(0, len(words), _BITS):
            some = words[start : start + _BITS]
            bits = [
                (Occur.Should, Query.const_score_query(self._term("body", word), float(1 << i)))
                for i, word in enumerate(some)
            ]
            query = Query.boolean_query([(Occur.Must, among), *bits])
            hits = self._run(query, len(keys)).hits
            spelt: dict[float, list[str]] = {}
            for (score, _), place in zip(hits, self._places(hits), strict=True):
                if score not in spelt:
                    spelt[score] = [word for i, word in enumerate(some) if int(score) >> i & 1]
                found[place & _PASSAGE].update(spelt[score])
        return found

    @_as_torn()
    def holds(self, keys: Sequence[int]) -> set[int]:
        """Returns which of the passages the index has."""
        hits = self._run(self._among(keys), len(keys)).hits
        return {place & _PASSAGE for place in self._places(hits)}

    def idf(self, frequencies: dict[str, int]) -> dict[str, float]:
        total = self.passages
        return {word: idf(n, total) for word, n in frequencies.items()}

    # -------------------------------------------------------------- building the query

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value, index_option="basic")

    def _build(self, query: TextQuery, allowed: LabelFilter) -> Query:
        occur = Occur.Must if query.strict else Occur.Should
        scored = [(occur, self._scored(clause, query.field)) for clause in query.any]
        conditions = _clauses(Occur.Must, map(self._condition, query.must))
        conditions += _clauses(Occur.Must, self._limits(allowed))
        if scored:
            base = scored[0][1] if len(scored) == 1 else Query.boolean_query(scored)
        else:
            base = Query.const_score_query(Query.all_query(), 0.0)
            conditions.append((Occur.MustNot, self._term("mark", _MARK)))
        never = _clauses(Occur.MustNot, map(self._condition, query.never))
        if not conditions and not never:
            return base
        return Query.boolean_query([(Occur.Must, base), *conditions, *never])

    def _scored(self, clause: Clause, field: str) -> Query:
        if clause.kind == "prefix":
            return Query.const_score_query(self._prefix(clause), PREFIX_SCORE)
        return Query.term_query(self._schema, field, clause.term, index_option="freq")

    def _condition(self, clause: Clause) -> Query:
        if clause.kind == "prefix":
            found = self._prefix(clause)
        elif clause.kind == "word":
            found = self._term("body", clause.term)
        elif len(clause.terms) == 1:
            found = self._term("exact", clause.terms[0])
        else:
            found = Query.phrase_query(self._schema, "exact", list(clause.terms))
        return Query.const_score_query(found, 0.0)

    def _prefix(self, clause: Clause) -> Query:
        pattern = escaped(clause.term[:_PREFIX_MAX]) + ".*"
        return Query.regex_query(self._schema, "exact", pattern)

    def _limits(self, allowed: LabelFilter) -> list[Query]:
        limits = []
        for letter, ids in zip(_LETTERS, allowed.labels, strict=True):
            if ids is not None:
                limits.append(_any(self._term("labels", f"{letter}{id}") for id in sorted(ids)))
        if allowed.paths is not None:
            limits.append(_any(Query.regex_query(self._schema, "path", p) for p in allowed.paths))
        if allowed.since is not None or allowed.until is not None:
            limits.append(
                Query.range_query(
                    self._schema,
                    "date",
                    tantivy.FieldType.Integer,
                    lower_bound=allowed.since,
                    upper_bound=allowed.until,
                    include_upper=allowed.until is None,
                )
            )
        return [Query.const_score_query(limit, 0.0) for limit in limits]


@lru_cache(maxsize=1024)
def _labels(ids: tuple[int, ...]) -> str:
    return " ".join(f"{letter}{id}" for letter, id in zip(_LETTERS, ids, strict=True))


def _fields(row: Row) -> dict[str, object]:
    body = terms.terms(indexed_text(row.title, row.heading, row.text))
    fields: dict[str, object] = {
        "body": body.stem,
        "exact": body.exact,
        "title": terms.terms(f"{row.title} {row.path}").stem,
        "labels": _labels(row.labels),
        "passage": row.key,
        "place": row.document << 32 | row.key,
    }
    if row.path:
        fields["path"] = folded_path(row.path)
    if row.date is not None:
        fields["date"] = row.date
    return fields


def _clauses(occur: Occur, queries: Iterable[Query]) -> list[tuple[Occur, Query]]:
    return [(occur, query) for query in queries]


def _any(queries: Iterable[Query]) -> Query:
    return Query.boolean_query(_clauses(Occur.Should, queries))
