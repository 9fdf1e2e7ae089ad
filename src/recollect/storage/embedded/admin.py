"""The embedded engine for those who run it: transfers, checks, upkeep of the indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from recollect import ports
from recollect.errors import StoreError
from recollect.nouns import Filter, View
from recollect.ports import (
    EVERYTHING,
    CheckReport,
    DocumentStamp,
    DumpEntry,
    Finding,
    Item,
    LoadReport,
)
from recollect.storage.embedded import audit, dump, folders
from recollect.storage.embedded.connection import translated
from recollect.storage.embedded.pool import RecordPool
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.text_index import TornIndex
from recollect.storage.embedded.text_search import VIEWS, EmbeddedText
from recollect.storage.embedded.vector_search import EmbeddedVectors

LOCK_SECONDS = 2.0
"""A writer that holds the record for longer is worth a word."""


class EmbeddedAdmin:
    def __init__(
        self,
        pool: RecordPool,
        text: Callable[[View | None], EmbeddedText],
        vectors: EmbeddedVectors,
    ) -> None:
        self.folder = pool.folder
        self._pool = pool
        self._text_within = text
        self._text = text(None)
        self._vectors = vectors

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        with self._pool.snapshot() as record:
            return record.stamps(source, gone=gone)

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        self._pool.mine()  # says what became of the file
        with closing(Record(self.folder, once=True)) as record, record.snapshot():
            yield from dump.dumped(record, after, vectors)

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        record = self._pool.mine()
        with record.transaction():
            writer = record.writer()
            loader = dump.EmbeddedLoader(record.db, writer, record.history, replace)
            done = sum(map(loader.load, items), LoadReport())
            writer.finish()
        return done

    def renew(self) -> None:
        """Make this another history: what was derived or cached of the old one is not of it."""
        self._pool.mine().renew()

    def models(self) -> dict[str, int]:
        return self._pool.mine().models()

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        return self._vectors.twins(model, keys)

    def drop_vectors(self, model: str) -> int:
        return self._vectors.drop(model)

    def behind(self) -> None:
        return None

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        try:
            if rebuild:
                for folder in self.folder.glob(f"{VIEWS}/*/text-*"):
                    folders.remove(folder)  # it is made again when it is searched
            text = self._text if rebuild else self._text_within(filter.within)
            text.refresh(rebuild=rebuild)
            for model in self.models():
                self._vectors.flush(model, rebuild=rebuild)
        except (OSError, ValueError, TornIndex, StoreError) as error:
            if not rebuild:  # whoever only wants them fresh can do without
                return
            if isinstance(error, StoreError):
                raise
            raise StoreError(
                f"{self.folder}: the indexes cannot be made: {error}",
                hint="make room on the disk and try again; the record is not touched by it",
            ) from error

    def check(self, *, full: bool = False) -> CheckReport:
        try:
            with translated(self.folder):
                return self._checked(full)
        except StoreError as error:  # so damaged that it cannot be opened
            return CheckReport((Finding("record", error.message),))

    def _checked(self, full: bool) -> CheckReport:
        self._pool.mine()  # says what became of the file
        found = list(audit.writable(self.folder, LOCK_SECONDS))
        with closing(Record(self.folder, once=True)) as record, record.snapshot():
            for findings in audit.everything(record, full=full):
                found += _within(findings)
            if any(one.part == "record" for one in found):
                return CheckReport(tuple(found))
            found += self._text.check(record, full)
            recall: dict[str, float] = {}
            for model in record.models():
                found += self._vectors.check(record, model, full, recall)
            return CheckReport(
                tuple(found),
                documents=record.counts()["documents"] if full else 0,
                sampled=audit.sampled(record.db, full=full),
                recall=recall,
                last_write=audit.last_write(record.db),
            )


def _within(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings up to where the file cannot be read any more, and that."""
    try:
        with translated(Path()):
            yield from findings
    except StoreError as error:
        yield Finding("record", error.message)
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        yield Finding("record", f"it cannot be read: {error}")
