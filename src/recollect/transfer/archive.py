"""Exports all of a store as JSONL, and imports it again without loss.

    {"type": "recollect", "format": 1, …, "sum": …}      what it is
    {"type": "source" | "document" | "tombstone" | "history" | "answer", …, "sum": …}
    {"type": "end", "items": N, "sum": …}                that it is whole

``sum`` is a hash of the line and of the sum before it: a line that was changed, removed, inserted
or moved is noticed, and the first such line is named. The file is read twice, so that every error
in it is found before the store is changed.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import IO, Any, cast

from recollect import permissions
from recollect.arguments import place
from recollect.errors import (
    InputError,
    StoreCorrupt,
    StoreError,
    StoreTooNew,
    UsageError,
    os_reason,
)
from recollect.moments import from_iso, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Document,
    Event,
    Filter,
    Message,
    Passage,
    Place,
    Progress,
    Put,
    Recorded,
    Report,
    Source,
    hashed,
    optional_names,
    without,
)
from recollect.ports import History, Item, LoadReport, StorageEngine, Tombstone, WholeDocument

FORMAT = 1
LONGEST = 1 << 29
"""The most bytes of a line. No document is that long; a line that is was made to fill memory."""
BATCH = 500
BATCH_BYTES = 8_000_000
"""The most items, and about the most bytes, that one transaction loads."""
NAMES = {
    "source": "sources",
    "document": "documents",
    "tombstone": "tombstones",
    "history": "histories",
    "answer": "answers",
}
"""The types of lines, and how a report calls them."""
_SUM = re.compile(rb',"sum":"([0-9a-f]{16})"\}$')


class ArchiveExport(NamedTuple):
    file: str
    bytes: int
    counts: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {"file": self.file, "bytes": self.bytes, **self.counts}


# ------------------------------------------------------------------ out


def export_all(
    store: StorageEngine, file: str | Path, *, vectors: bool, force: bool, report: Report
) -> ArchiveExport:
    if not str(file):
        raise UsageError("the file is empty", hint="name a file that ends in .jsonl or .jsonl.gz")
    to = place(file)
    if os.path.lexists(to) and (to.is_dir() or not force):
        raise UsageError(f"{to} is there already", hint="name another file, or --force")
    fresh = to.with_name(f".{to.name[:60]}.{os.getpid()}.new")
    counts: Counter[str] = Counter()
    total = store.stats().documents
    try:
        with _writing(fresh, to.name.endswith(".gz")) as out:
            line = SummedLines(out)
            line(
                {
                    "type": "recollect",
                    "format": FORMAT,
                    "made": iso(datetime.now(UTC)),
                    "vectors": vectors,
                }
            )
            for one in store.admin.dump(vectors=vectors):
                content = shown(one.item, store)
                counts[content["type"]] += 1
                line(content)
                report(Progress("exporting", counts["document"], total))
            line({"type": "end", "items": counts.total()})
        os.replace(fresh, to)
        permissions.sync(to.parent)
    except OSError as error:
        raise StoreError(
            f"{to}: {os_reason(error)}", hint="nothing was kept of it; name another place"
        ) from error
    finally:
        fresh.unlink(missing_ok=True)
    told = {plural: counts[name] for name, plural in NAMES.items()}
    return ArchiveExport(str(to), to.stat().st_size, told)


@contextmanager
def _writing(file: Path, compressed: bool) -> Iterator[IO[bytes]]:
    with open(file, "xb", opener=permissions.opener) as raw:
        if compressed:
            with gzip.GzipFile(
                fileobj=raw, mode="wb", compresslevel=5, filename="", mtime=0
            ) as out:
                yield cast(IO[bytes], out)
        else:
            yield raw
        raw.flush()
        os.fsync(raw.fileno())


class SummedLines:
    """Writes JSON lines, each with its sum."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._sum = b""

    def __call__(self, content: Mapping[str, Any]) -> None:
        try:
            text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        except TypeError as error:  # a flipped bit can make a blob of a text
            hint = "`recollect repair` makes a new store of what can be read"
            raise StoreCorrupt(f"the store is damaged: {error}", hint=hint) from error
        body = text.encode("utf-8", "surrogatepass")
        self._sum = _sum_of(self._sum, body)
        self._out.write(body[:-1] + b',"sum":"' + self._sum + b'"}\n')


def _sum_of(before: bytes, body: bytes) -> bytes:
    return hashed(before + body, 8).hex().encode()


# ------------------------------------------------------------------ in


def import_all(
    store: StorageEngine, file: str | Path, *, replace: bool, report: Report
) -> LoadReport:
    path = place(file)
    total = 0
    for content, _ in _lines(path):
        total += content["type"] == "document"
        report(Progress("checking", total, 0))
    empty = store.stats().seq == 0
    loading, seen = Loading(store, replace=replace), 0
    for content, length in _lines(path):
        item = _read(content, path)
        if isinstance(item, Recorded):
            loading.flush()  # what an answer holds for is the state after all that is before it
            if empty and content["holds"]:
                item = as_of_now(item, store)
        if item is not None:
            loading.add(item, length)
        seen += isinstance(item, WholeDocument)
        report(Progress("importing", seen, total))
    loading.flush()
    store.admin.refresh()
    return loading.done


class Loading:
    """Loads items into a store in transactions of bounded size."""

    def __init__(self, store: StorageEngine, *, replace: bool) -> None:
        self.done = LoadReport()
        self._store = store
        self._replace = replace
        self._batch: list[Item] = []
        self._bytes = 0

    def add(self, item: Item, length: int) -> bool:
        """Takes an item of about *length* bytes; returns whether all items so far are stored."""
        self._batch.append(item)
        self._bytes += length
        if len(self._batch) < BATCH and self._bytes < BATCH_BYTES:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        if self._batch:
            self.done += self._store.admin.load(self._batch, replace=self._replace)
        self._batch, self._bytes = [], 0


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yields the lines with their lengths; raises an error that names the first altered line."""
    number, before, content = 0, b"", dict[str, Any]()
    with _reading(path) as lines:
        while line := lines.readline(LONGEST):
            number += 1
            found = _SUM.search(line[:-1])
            body = line[: found.start()] + b"}" if found else b""
            if not line.endswith(b"\n") or not found or found[1] != _sum_of(before, body):
                raise _refused(path, number, line, content)
            before = found[1]
            content = json.loads(body)
            if number == 1:
                _check_head(path, content)
            if content["type"] == "end":
                if content["items"] != number - 2 or lines.read(1):
                    raise InputError(f"{path}:{number}: there is more than was exported")
                return
            yield content, len(line)
    raise InputError(
        f"{path}:{number + 1}: the end is missing: it is only a part of an export",
        hint="nothing was changed; copy or export it again",
    )


def _refused(path: Path, number: int, line: bytes, before: Mapping[str, Any]) -> InputError:
    if number == 1 and b'"type":"recollect"' not in line:
        return InputError(
            f"{path} is no export of recollect", hint="`recollect add` imports other files"
        )
    why = "it was cut off here" if not line.endswith(b"\n") else "it is not as it was written"
    last = before.get("id") or before.get("type", "")
    return InputError(
        f"{path}:{number}: {why} (the line before is {last})",
        hint="nothing was changed; an export comes back whole and unedited: copy or export it "
        "again, or edit things with `recollect export --tree`",
    )


def _check_head(path: Path, content: Mapping[str, Any]) -> None:
    if content["type"] != "recollect":
        raise InputError(f"{path} is no export of recollect")
    if content["format"] > FORMAT:
        raise StoreTooNew(
            f"{path} was written by a newer recollect",
            hint="upgrade recollect; nothing was changed",
        )


@contextmanager
def _reading(path: Path) -> Iterator[IO[bytes]]:
    try:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as lines:
                    yield cast(IO[bytes], lines)
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "it was cut off or damaged; copy or export it again"
        raise InputError(f"{path}: it cannot be unpacked: {error}", hint=hint) from error
    except OSError as error:
        hint = "give a file that `recollect export --all` wrote"
        raise InputError(f"{path}: {error.strerror}", hint=hint) from error


# ------------------------------------------------------------------ items as JSON


_KEY = 16
"""The letters of a fingerprint that hash the question; the rest hashes what the question saw."""


def holds(answer: Recorded, store: StorageEngine) -> bool:
    """Tells whether nothing that the answer was made from has changed since."""
    return answer.fingerprint[_KEY:] == store.fingerprint(Filter(sources=answer.within))


def as_of_now(answer: Recorded, store: StorageEngine) -> Recorded:
    """Returns the answer with the fingerprint of the present state of the store."""
    state = store.fingerprint(Filter(sources=answer.within))
    return answer._replace(fingerprint=answer.fingerprint[:_KEY] + state)


def shown(item: Item, store: StorageEngine) -> dict[str, Any]:
    """Returns an item of the store as JSON."""
    if isinstance(item, Recorded):
        about = {**item._asdict(), "at": iso(item.at), "holds": holds(item, store)}
        return {"type": "answer", **about}
    return _WRITERS[type(item)](item)


def _written_source(item: Source) -> dict[str, Any]:
    return {"type": "source", **item._asdict()}


def _written_tombstone(item: Tombstone) -> dict[str, Any]:
    return {"type": "tombstone", "id": item.id, "at": iso(item.at)}


def _written_history(item: History) -> dict[str, Any]:
    events = [[event.action, iso(event.at)] for event in item.events]
    return {"type": "history", "id": item.id, "events": events}


def _written_document(item: WholeDocument) -> dict[str, Any]:
    """Returns a document as JSON; its text is left out, because its passages have it."""
    d, passages = item.put.document, item.put.passages
    content: dict[str, Any] = {
        "type": "document",
        **d._asdict(),
        "id": d.id,
        "date": iso(d.date),
        "meta": dict(d.meta),
        "messages": [[m.role, m.id, iso(m.date)] for m in d.messages],
        "passages": [[p.n, p.turn, p.role, p.heading, p.text] for p in passages],
        "handles": item.put.handles,
    }
    del content["text"]
    for name in ("vectors", "sentences"):
        if made := getattr(item, name):
            content[name] = {
                model: {str(n): b64encode(blob).decode() for n, blob in by_number.items()}
                for model, by_number in made.items()
            }
    return content


_WRITERS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Source: _written_source,
    WholeDocument: _written_document,
    Tombstone: _written_tombstone,
    History: _written_history,
}


def _read(content: dict[str, Any], path: Path) -> Item | None:
    kind = content.pop("type")
    read = _READERS.get(kind)
    if read is None:
        return None
    try:
        return read(content)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: a {kind} that cannot be read: {error!r}") from error


def _source(content: dict[str, Any]) -> Source:
    places = tuple(starmap(Place, content.pop("places")))
    return Source(**content, places=places)


def _whole(content: dict[str, Any]) -> WholeDocument:
    content.pop("id")
    passages = tuple(
        Passage(n, text, heading, turn, role)
        for n, turn, role, heading, text in content.pop("passages")
    )
    texts: dict[int, str] = {}
    for one in passages:
        texts[one.turn] = texts.get(one.turn, "") + one.text
    messages = tuple(
        Message(role, texts.get(turn, ""), id, from_iso(date))
        for turn, (role, id, date) in enumerate(content.pop("messages"))
    )
    vectors, sentences = (
        {
            model: {int(n): b64decode(blob, validate=True) for n, blob in by_number.items()}
            for model, by_number in content.pop(name, {}).items()
        }
        for name in ("vectors", "sentences")
    )
    handles = tuple(content.pop("handles"))
    date, scopes = from_iso(content.pop("date")), tuple(content.pop("scopes"))
    text = "" if messages else texts.get(0, "")
    document = Document(**content, text=text, messages=messages, date=date, scopes=scopes)
    return WholeDocument(Put(document, passages, handles), vectors, sentences)


def _tombstone(content: dict[str, Any]) -> Tombstone:
    return Tombstone(content["id"], datetime.fromisoformat(content["at"]))


def _history(content: dict[str, Any]) -> History:
    id, fromisoformat = content["id"], datetime.fromisoformat
    events = (Event(0, fromisoformat(at), action, id) for action, at in content["events"])
    return History(id, tuple(events))


def _answer(content: dict[str, Any]) -> Recorded:
    fields = without(content, ["holds"])
    return Recorded(
        **{
            **fields,
            "at": datetime.fromisoformat(fields["at"]),
            "sources": tuple(fields["sources"]),
            "within": optional_names(fields["within"]),
        }
    )


_READERS: Mapping[str, Callable[[dict[str, Any]], Item]] = {
    "source": _source,
    "document": _whole,
    "tombstone": _tombstone,
    "history": _history,
    "answer": _answer,
}
