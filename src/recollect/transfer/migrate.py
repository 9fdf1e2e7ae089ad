"""Copies all of one store into another, whatever the engines are.

Items are copied in transactions of bounded size. After each, a note beside the target
(``migration.json``) says how far the copy is, and a run that was cut off continues there. Loading
an item again changes nothing, so items that were stored after the last note do no harm. At the end
both stores are read again and compared by hashes of their items, summed up in buckets, so that the
order of items does not matter. The note is removed only when both are equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from recollect import permissions, storage
from recollect.errors import NotFound, StoreError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, Progress, Recorded, Report, Source, hashed
from recollect.ports import History, Item, Ledger, LoadReport, StorageEngine, WholeDocument
from recollect.telemetry import Tally
from recollect.transfer.archive import NAMES, Loading, as_of_now, holds, shown
from recollect.transfer.backup import where

NOTE = "migration.json"
END = "end"
"""The cursor of a copy that is whole."""
NAMED = 5
"""The most items that a message names."""
_BUCKETS = 4096
_OPENED = 16
"""The most buckets that are searched for items that differ."""
_VERDICTS = {
    (True, True): "differs",
    (True, False): "is missing",
    (False, True): "is only in TO",
}
"""What is said of an item that is not the same in both, by whether FROM and TO have it."""


class Migration(NamedTuple):
    """The result of a migration."""

    source: str
    to: str
    loaded: LoadReport
    """What this run stored; an earlier run may have stored the rest."""
    counts: Mapping[str, int]
    """How many items of each kind both stores have, counted after the copy."""
    figures: int
    """How many days of usage figures, by mode and intent, were copied."""
    resumed: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "from": self.source,
            "to": self.to,
            "loaded": self.loaded.as_json(),
            "same": dict(self.counts),
            "figures": self.figures,
            "resumed": self.resumed,
        }


class _Note(NamedTuple):
    """The progress of a copy, as it is kept beside the target."""

    source: str
    state: str
    """The fingerprint of what is copied."""
    cursor: str = ""


def migrate_store(
    source: str | Path,
    to: str | Path,
    *,
    merge: bool = False,
    report: Report = lambda _: None,
) -> Migration:
    """Copy everything of one store (a folder or a URL) into another: documents, facts and sessions
    with their vectors, histories, what was forgotten, recorded answers, and the figures of use. The
    target has to be empty, or what an earlier run that was cut off has begun; with *merge* it may
    hold other things, which stay as they are. What was copied is compared with what it is from."""
    one, other = where(source), where(to)
    _check_places(one, other)
    with closing(storage.open_store(one)) as have, closing(storage.open_store(other)) as made:
        file = storage.beside(other) / NOTE
        resumed = bool(made.stats().seq) and not merge
        note = _begun(_Note(storage.name_of(one), have.fingerprint(Filter())), made, file, merge)
        copy = _Copy(have, made, file, report)
        loaded = copy.merge() if merge else copy.copy(note)
        made.admin.refresh()
        counts = copy.merged() if merge else copy.compared()
    figures = 0 if merge else _figures(storage.open_ledger(one), storage.open_ledger(other))
    file.unlink(missing_ok=True)
    return Migration(note.source, storage.name_of(other), loaded, counts, figures, resumed)


def _check_places(one: str, other: str) -> None:
    for location in (one, other):
        if location == "memory://":
            raise UsageError(
                "memory:// lasts as long as a process: nothing can be copied there",
                hint="name a folder or postgresql://…",
            )
    if storage.name_of(one) == storage.name_of(other):
        raise UsageError("FROM and TO are the same store", hint="name another place to copy to")
    if not storage.is_there(one):
        raise NotFound(
            f"there is no store at {storage.name_of(one)}",
            hint="name the folder or the URL (with schema=) of one that is",
        )
    folder = None if storage.is_postgres(other) else Path(other)
    if folder and not storage.is_there(other) and (folder.is_file() or _things_in(folder)):
        raise UsageError(f"{folder} is there already, and is no store", hint="name another place")


def _things_in(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _begun(fresh: _Note, made: StorageEngine, file: Path, merge: bool) -> _Note:
    """Returns where the copy continues: behind the cursor of the note, or at the beginning if there
    is no note or the source has changed since it was written."""
    stats = made.stats()
    if stats.seq and made.fingerprint(Filter()) == fresh.state:
        raise UsageError("FROM and TO are the same store", hint="name another place to copy to")
    before = _read(file)
    if merge or not stats.seq:
        return fresh
    if before is None:
        raise UsageError(
            f"{stats.location} is in use: {stats.documents:,} documents",
            hint="name an empty place, or --merge to add what is not there to what is",
        )
    if before.source != fresh.source:
        raise UsageError(
            f"{stats.location} holds a part of {before.source}, which was not copied to its end",
            hint="finish that first, or name an empty place",
        )
    return fresh._replace(cursor=before.cursor if before.state == fresh.state else "")


def _read(file: Path) -> _Note | None:
    try:
        return _Note(**json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


class _Copy:
    """Copies the items of one store into another."""

    def __init__(
        self, have: StorageEngine, made: StorageEngine, file: Path, report: Report
    ) -> None:
        self._have = have
        self._made = made
        self._file = file
        self._report = report
        self._total = have.stats().documents

    # -------------------------------------------------------------- into an empty one

    def copy(self, note: _Note) -> LoadReport:
        """Copies everything behind the note's cursor, and replaces other versions of it."""
        if note.cursor == END:
            return LoadReport()
        self._note(note)
        return self._load(
            note.cursor, replace=True, seen=lambda at: self._note(note._replace(cursor=at))
        )

    def _note(self, note: _Note) -> None:
        permissions.write(self._file, json.dumps(note._asdict()))

    def _load(self, after: str, *, replace: bool, seen: Callable[[str], None]) -> LoadReport:
        loading = Loading(self._made, replace=replace)
        done = self._made.stats().documents if after else 0
        for one in self._have.admin.dump(after=after):
            item = one.item
            if isinstance(item, Recorded):
                loading.flush()  # what it holds for is the state after all that is before it
                if replace and holds(item, self._have):
                    item = as_of_now(item, self._made)
            if loading.add(item, _weight(item)):
                seen(one.cursor)
            done += isinstance(item, WholeDocument)
            self._report(Progress("copying", done, self._total))
        loading.flush()
        seen(END)
        return loading.done

    def compared(self) -> dict[str, int]:
        """Returns how many items of each kind both stores have; raises if the stores differ."""
        ours, theirs = self._sums(self._have, 0), self._sums(self._made, self._total)
        if ours != theirs:
            self._note(_Note(self._source(), ""))  # the next run looks at everything again
            raise self._different(ours, theirs)
        return {name: ours.counts[kind] for kind, name in NAMES.items()}

    def _source(self) -> str:
        before = _read(self._file)
        return before.source if before else ""

    def _sums(self, store: StorageEngine, done: int) -> _Sums:
        sums = _Sums()
        for kind, id, content in _hashes(store):
            sums.add(kind, id, content)
            done += kind == "document"
            self._report(Progress("comparing", done, 2 * self._total))
        return sums

    def _different(self, ours: _Sums, theirs: _Sums) -> StoreError:
        wanted = set(ours.differing(theirs)[:_OPENED])
        some, others = (
            {
                (kind, id): content
                for kind, id, content in _hashes(store)
                if (kind, _bucket(id)) in wanted
            }
            for store in (self._have, self._made)
        )
        names = sorted(
            f"{' '.join(key)} {_VERDICTS[key in some, key in others]}"
            for key in some.keys() | others.keys()
            if some.get(key) != others.get(key)
        )
        more = ", …" if len(names) > NAMED or len(wanted) == _OPENED else ""
        return StoreError(
            f"the copy is not the same: {', '.join(names[:NAMED]) or 'they changed'}{more}",
            hint="stop whatever writes to either, and run it again: it mends what differs; what is "
            "only in TO has to be deleted there, or begin with an empty one",
        )

    # -------------------------------------------------------------- into one that is in use

    def merge(self) -> LoadReport:
        return self._load("", replace=False, seen=lambda _: None)

    def merged(self) -> dict[str, int]:
        """Checks that loading everything once more changes nothing, and that the target is sound;
        returns how many documents are the same in both."""
        again = self._load("", replace=False, seen=lambda _: None)
        if again != LoadReport(
            unchanged=again.unchanged, different=again.different, forgotten=again.forgotten
        ):
            raise StoreError("TO was written to while it was filled", hint="run it again")
        self._report(Progress("comparing", 0, 0))
        if findings := self._made.admin.check(full=True).findings:
            raise StoreError(
                f"the copy is not sound: {findings[0].text}",
                hint="`recollect doctor --full` of it says all",
            )
        return {"documents": again.unchanged}


def _weight(item: Item) -> int:
    """Returns about how many bytes an item has."""
    if not isinstance(item, WholeDocument):
        return 200
    models = (*item.vectors.values(), *item.sentences.values())
    made = sum(map(len, chain.from_iterable(some.values() for some in models)))
    return made + sum(len(passage.text) for passage in item.put.passages)


# ------------------------------------------------------------------ comparing


class _Sums:
    """The items of a store by kind: their count, and the sums of their hashes by bucket."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._sums: dict[tuple[str, int], int] = {}

    def add(self, kind: str, id: str, content: bytes) -> None:
        at = kind, _bucket(id)
        self.counts[kind] += 1
        self._sums[at] = self._sums.get(at, 0) + int.from_bytes(content)

    def differing(self, other: _Sums) -> list[tuple[str, int]]:
        keys = sorted(self._sums.keys() | other._sums.keys())
        return [key for key in keys if self._sums.get(key) != other._sums.get(key)]

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Sums)
        return self.counts == other.counts and self._sums == other._sums

    __hash__ = None  # type: ignore[assignment]


def _bucket(id: str) -> int:
    return int.from_bytes(hashed(id.encode("utf-8", "surrogatepass"), 2)) % _BUCKETS


def _hashes(store: StorageEngine) -> Iterator[tuple[str, str, bytes]]:
    """Yields kind, name and content hash of every item of a store. Left out is what differs between
    stores with the same content: numbers, and the fingerprint of an answer."""
    for one in store.admin.dump():
        content = shown(one.item, store)
        kind = content["type"]
        id = content["name"] if isinstance(one.item, Source) else content["id"]
        content.pop("fingerprint", None)
        if isinstance(one.item, WholeDocument):
            content["handles"] = sorted(content["handles"])
            del content["stamp"]  # when its file was read last: no content
        if isinstance(one.item, History):
            content["events"] = sorted(content["events"], key=lambda event: event[1])
        body = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        # The kind and the name are part of it: no thing can stand for another.
        yield kind, id, hashed(f"{kind}\0{id}\0".encode("utf-8", "surrogatepass") + body, 16)


# ------------------------------------------------------------------ figures


def _figures(have: Ledger, made: Ledger) -> int:
    """Adds the usage figures of one ledger that the other lacks; doing so twice adds nothing.
    Returns how many rows the first one has."""
    with closing(have), closing(made):
        rows = have.rows("")
        known = {row[:3]: row.counts for row in made.rows("")}
        missing = [
            Tally(*row[:3], more)
            for row in rows
            if (more := row.counts - known.get(row[:3], Counter()))
        ]
        if missing:
            made.add(missing)
    return len(rows)
