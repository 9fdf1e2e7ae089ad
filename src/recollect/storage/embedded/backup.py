"""A backup: one file, with the record as of one moment and what is needed to trust it.

    manifest.json    format, schema, counts, and for each file its size and SHA-256
    record.db        everything; the indexes are derived from it and stay behind
    usage.db         the figures, if there are any

It is a tar, compressed if its name ends in gz. It gets its name when it has been written, read
back, and found to be what it says.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from recollect import permissions
from recollect.errors import InputError, NotFound, StoreCorrupt, StoreError, StoreTooNew, UsageError
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter
from recollect.ports import Finding
from recollect.storage.embedded import audit, swap
from recollect.storage.embedded.connection import translated
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.queries import column_of
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.schema import MIGRATIONS

Tell = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and of how much."""
FORMAT = 1
MANIFEST, RECORD, USAGE = "manifest.json", "record.db", "usage.db"
_STEP = 2048
"""Pages that are copied at once."""
_CHUNK = 1 << 20


class BackupManifest(NamedTuple):
    """What is in a backup."""

    made: str
    schema: int
    documents: int
    passages: int
    seq: int
    files: Mapping[str, Mapping[str, Any]]
    """By name: ``bytes`` and ``sha256``."""
    recollect_backup: int = FORMAT

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class BackupReport(NamedTuple):
    file: str
    bytes: int
    manifest: BackupManifest

    def as_json(self) -> dict[str, Any]:
        return {"file": self.file, "bytes": self.bytes, "verified": True, **self.manifest.as_json()}


class RestoreReport(NamedTuple):
    store: str
    aside: str | None
    """Where the store that was there before is now."""
    manifest: BackupManifest

    def as_json(self) -> dict[str, Any]:
        return {
            "store": self.store,
            "aside": self.aside,
            "verified": True,
            **self.manifest.as_json(),
        }


# ------------------------------------------------------------------ making one


def back_up(folder: Path, file: Path, *, force: bool, tell: Tell) -> BackupReport:
    """Write the store in *folder* to *file*. Others may write to it meanwhile."""
    if not (folder / RECORD).is_file():
        raise NotFound(f"there is no store at {folder}", hint="name it with --store")
    if os.path.lexists(file) and (file.is_dir() or not force):
        raise UsageError(f"{file} is there already", hint="name another file, or --force")
    with swap.beside(file) as scratch, _disk(file.parent):
        _copy(folder / RECORD, scratch / RECORD, tell)
        if (folder / USAGE).exists():
            _copy_figures(folder / USAGE, scratch / USAGE)
        manifest = _described(scratch, tell)
        packed = scratch / "packed"
        _pack(scratch, packed, manifest, file.name.endswith("gz"), tell)
        with _opened(packed) as archive:
            for _ in _members(archive, file):
                pass
        os.replace(packed, file)
        permissions.sync(file.parent)
    return BackupReport(str(file), file.stat().st_size, manifest)


@contextmanager
def _disk(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno is None:  # gzip's own: it is about what is read
            raise
        hint = "nothing was kept of it; make room, or name another place"
        raise StoreError(f"{place}: {error.strerror}", hint=hint) from error


def _copy(source: Path, target: Path, tell: Tell) -> None:
    """The pages of a database as of one moment: the transaction is held until all are copied."""
    permissions.touch(target)
    with (
        translated(source.parent),
        closing(sqlite3.connect(source, timeout=60.0, isolation_level=None)) as db,
        closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        db.execute("BEGIN")
        wanted = _counts(db)
        db.backup(copy, pages=_STEP, progress=lambda _, left, all: tell("copying", all - left, all))
        db.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE")
        if _counts(copy) != wanted:
            raise StoreCorrupt(
                f"{source}: a copy of it does not hold what it holds",
                hint="`recollect doctor --full` looks what is wrong",
            )


def _counts(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    tables = column_of(db, "SELECT name FROM sqlite_master WHERE type = 'table'")
    counts = [(n, *db.execute(f"SELECT COUNT(*) FROM {n}").fetchone()) for n in sorted(tables)]
    return [*counts, *db.execute("SELECT * FROM state")]


def _copy_figures(source: Path, target: Path) -> None:
    """Figures are worth keeping, and no reason to fail."""
    permissions.touch(target)
    try:
        with (
            closing(sqlite3.connect(source, timeout=2.0)) as db,
            closing(sqlite3.connect(target, isolation_level=None)) as copy,
        ):
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error:
        target.unlink(missing_ok=True)


def _described(folder: Path, tell: Tell) -> BackupManifest:
    """What the copies hold, after every document has been compared with its hash."""
    with closing(Record(folder, once=True)) as record, record.snapshot():
        tell("checking", 0, 0)
        refuse_unsound(folder / RECORD, record)
        state, counts = record.state(), record.counts()
    for end in ("-wal", "-shm"):
        (folder / f"{RECORD}{end}").unlink(missing_ok=True)
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": _sha256(folder / name)}
        for name in (RECORD, USAGE)
        if (folder / name).exists()
    }
    return BackupManifest(
        str(iso(datetime.now(UTC).replace(microsecond=0))),
        len(MIGRATIONS),
        counts["documents"],
        state.passages,
        state.seq,
        files,
    )


def refuse_unsound(file: Path, record: Record) -> None:
    findings: list[Finding] = list(chain.from_iterable(audit.everything(record, full=True)))
    if findings:
        more = f" (and {len(findings) - 1:,} more)" if len(findings) > 1 else ""
        raise StoreCorrupt(
            f"{file.name} is damaged: {findings[0].text}{more}",
            hint="`recollect repair` makes a sound store of what can be read; nothing was written",
        )


def _sha256(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _pack(folder: Path, file: Path, manifest: BackupManifest, compressed: bool, tell: Tell) -> None:
    about = json.dumps(manifest.as_json(), indent=1).encode()
    with open(file, "wb", opener=permissions.opener) as out:
        how: dict[str, Any] = {"mode": "w:gz", "compresslevel": 1} if compressed else {"mode": "w"}
        with tarfile.open(fileobj=out, **how) as archive:
            head = tarfile.TarInfo(MANIFEST)
            head.size, head.mode = len(about), permissions.FILE
            archive.addfile(head, BytesIO(about))
            for name, said in manifest.files.items():
                tell("packing", 0, 0)
                info = tarfile.TarInfo(name)
                info.size, info.mode = said["bytes"], permissions.FILE
                with open(folder / name, "rb") as content:
                    archive.addfile(info, content)
        out.flush()
        os.fsync(out.fileno())


# ------------------------------------------------------------------ reading one


def restore(file: Path, to: Path, *, force: bool, tell: Tell) -> RestoreReport:
    """Make the store of a backup at *to*. It has a history of its own from then on: what is cached
    of what became of the old one is never served for it."""
    swap.free(to, force=force)
    with swap.beside(to) as scratch:
        made = scratch / "store"
        permissions.folder(made)
        manifest = _unpack(file, made, tell)
        with closing(Record(made, once=True)) as record, record.snapshot():
            tell("checking", 0, 0)
            refuse_unsound(file, record)
            found = (record.counts()["documents"], record.state().passages, record.state().seq)
        if found != (manifest.documents, manifest.passages, manifest.seq):
            raise InputError(f"{file}: it does not hold what its manifest says")
        begin_anew(made, tell)
        swap.free(to, force=force)  # some time has passed
        aside = swap.put_in_place(made, to, "before-restore")
    return RestoreReport(str(to), str(aside) if aside else None, manifest)


def begin_anew(folder: Path, tell: Tell) -> None:
    """Another history with the same content, and indexes of it. Recorded answers that held yet
    hold on."""
    store = EmbeddedStore(folder)
    try:
        states: dict[tuple[str, ...] | None, str] = {}
        answers = store.answers.find(limit=1 << 31)
        for one in answers:
            states.setdefault(one.within, store.fingerprint(Filter(sources=one.within)))
        store.admin.renew()
        for one in answers:
            state = states[one.within]
            if one.fingerprint.endswith(state):
                now = store.fingerprint(Filter(sources=one.within))
                store.answers.keep(
                    one._replace(fingerprint=one.fingerprint.removesuffix(state) + now)
                )
        tell("indexing", 0, 0)
        store.admin.refresh(rebuild=True)
    finally:
        store.close()


def _unpack(file: Path, folder: Path, tell: Tell) -> BackupManifest:
    """The files of a backup, each as it was; nothing else, and nowhere else."""
    with _opened(file) as archive:
        members = _members(archive, file)
        manifest = cast(BackupManifest, next(members)[1])
        for name, content in members:
            with _disk(folder), open(folder / name, "wb", opener=permissions.opener) as out:
                done, total = 0, manifest.files[name]["bytes"]
                for chunk in cast(Iterator[bytes], content):
                    out.write(chunk)
                    done += len(chunk)
                    tell("unpacking", done, total)
                os.fsync(out.fileno())
    return manifest


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    broken = InputError(
        f"{file} is no backup, or only a part of one",
        hint="give a file that `recollect backup` wrote",
    )
    try:
        with open(file, "rb") as content, tarfile.open(fileobj=content) as archive:
            yield archive
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise broken from error
    except OSError as error:
        if error.errno is None:  # gzip's own
            raise broken from error
        raise InputError(f"{file}: {error.strerror}", hint=broken.hint) from error


def _members(archive: tarfile.TarFile, file: Path) -> Iterator[tuple[str, Any]]:
    """The manifest, then each file it names with its content, which is checked when it has been
    read to its end. Whatever else is in an archive (links, paths) makes it no backup."""
    head = archive.next()
    if head is None or head.name != MANIFEST or not head.isreg() or head.size > _CHUNK:
        raise InputError(
            f"{file} is no backup: it has no manifest",
            hint="give a file that `recollect backup` wrote",
        )
    manifest = _read_manifest(cast(IO[bytes], archive.extractfile(head)).read(), file)
    yield MANIFEST, manifest
    seen = set()
    while member := archive.next():
        said = manifest.files.get(member.name)
        if not member.isreg() or said is None or member.name in seen:
            raise InputError(f"{file}: {member.name!r} does not belong into a backup")
        if member.size != said["bytes"]:
            raise InputError(f"{file}: {member.name} is not as long as the manifest says")
        seen.add(member.name)
        content = _content(cast(IO[bytes], archive.extractfile(member)), member, said, file)
        yield member.name, content
        for _ in content:  # what the caller has not read is checked all the same
            pass
    if missing := manifest.files.keys() - seen:
        raise InputError(f"{file} is only a part of a backup: {min(missing)} is missing")


def _content(
    stream: IO[bytes], member: tarfile.TarInfo, said: Mapping[str, Any], file: Path
) -> Iterator[bytes]:
    found, length = hashlib.sha256(), 0
    while chunk := stream.read(_CHUNK):
        found.update(chunk)
        length += len(chunk)
        yield chunk
    if length != member.size or found.hexdigest() != said["sha256"]:
        raise InputError(
            f"{file}: {member.name} is not what was backed up: its hash is another",
            hint="the file was damaged or changed; take another backup",
        )


def _read_manifest(raw: bytes, file: Path) -> BackupManifest:
    try:
        about = json.loads(raw)
        manifest = BackupManifest(**about)
        sizes = [(int(f["bytes"]), str(f["sha256"])) for f in manifest.files.values()]
        names = set(manifest.files)
        if not sizes or not {RECORD} <= names <= {RECORD, USAGE} or min(sizes)[0] < 0:
            raise ValueError("it names other files")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if b"recollect_backup" in raw and b'"recollect_backup": 1' not in raw:
            raise StoreTooNew(
                f"{file} was made by a newer recollect",
                hint="upgrade recollect; nothing was changed",
            ) from error
        raise InputError(f"{file}: its manifest cannot be read: {error}") from error
    if manifest.recollect_backup != FORMAT or manifest.schema > len(MIGRATIONS):
        raise StoreTooNew(
            f"{file} was made by a newer recollect (schema {manifest.schema}, this one knows "
            f"{len(MIGRATIONS)})",
            hint="upgrade recollect; nothing was changed",
        )
    return manifest
