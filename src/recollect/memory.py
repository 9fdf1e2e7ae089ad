"""The facade, and the one place where the parts are put together.

with Memory.open() as m:
    m.add("~/notes")
    m.search("when do we deploy?")
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recollect import config as settings
from recollect.errors import InputError, ModelError, ModelMissing, NotFound, UsageError
from recollect.policy import policy_for
from recollect.ports import Embedder, Store
from recollect.text.terms import fold
from recollect.types import (
    Answer,
    ChangeSet,
    Document,
    Event,
    Filter,
    Forget,
    Page,
    Problem,
    Query,
    Receipt,
    Source,
    StoreStats,
)

if TYPE_CHECKING:
    from recollect.writing.embedding import BackgroundEmbedder

IMPORT_VERSION = 1
"""Changes when the same file would be read into other documents: it is then read again."""


class Progress(NamedTuple):
    """How far a long operation is. ``total`` is 0 while it is not known."""

    doing: Literal["importing", "embedding"]
    done: int
    total: int


Report = Callable[[Progress], None]


class Status(NamedTuple):
    """What the store holds, and what is still to be done."""

    store: StoreStats
    model: str
    model_state: str
    pending: int

    def as_json(self) -> dict[str, Any]:
        return {
            **self.store.as_json(),
            "model": self.model,
            "model_state": self.model_state,
            "pending": self.pending,
        }


class Memory:
    """One store, opened. Safe to share between threads; several processes may open the same."""

    def __init__(
        self,
        store: Store,
        config: settings.Config,
        embedder: Embedder | None = None,
        why_no_embedder: str = "",
    ) -> None:
        """For tests and for those who bring their own parts; others use :meth:`open`."""
        self.store = store
        self.config = config
        self._embedder = embedder
        self._why_no_embedder = why_no_embedder or "no embedding model is configured"
        self._background: BackgroundEmbedder | None = None
        self._lock = Lock()

    @classmethod
    def open(cls, location: str | Path | None = None, **overrides: Any) -> Memory:
        """The store at *location* (a folder or a URL), else the configured one, else the user's
        own. *overrides* are settings by name, with ``_`` for the dot: ``embed_model="none"``."""
        flags = {name.replace("_", ".", 1): value for name, value in overrides.items()}
        for name in flags:
            settings.setting(name)
        if location is not None:
            flags["store"] = str(location)
        config = settings.load(flags)
        return cls.from_config(config)

    @classmethod
    def from_config(cls, config: settings.Config) -> Memory:
        from recollect.storage import open_store

        location = str(config["store"] or settings.data_folder() / "store")
        store = open_store(location if "://" in location else str(_place(location)))
        embedder, why = _embedder(config)
        return cls(store, config, embedder, why)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._background:
            self._background.stop()
            self._background = None
        self.store.close()

    # -------------------------------------------------------------- writing

    def add(
        self,
        *paths: str | Path,
        source: str | None = None,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        embed: bool = True,
        report: Report = lambda _: None,
    ) -> Receipt:
        """Import files and folders. Run again, it imports only what has changed.

        Text is searchable when this returns; vectors follow unless *embed* is false, newest
        first, and whatever is interrupted is continued by the next call.
        """
        if not paths:
            raise UsageError("nothing to add", hint="give a file or a folder")
        if not all(str(path) for path in paths):
            raise UsageError("a path is empty", hint="give a file or a folder")
        places = [_place(path) for path in paths]
        if not any(map(_is_there, places)):
            raise InputError(f"{paths[0]}: there is no such file or folder")
        receipt = Receipt()
        for place in places:
            receipt += self._add_path(place, source, owner, scopes, report)
        self.store.refresh()
        if embed and self._embedder is not None:
            receipt = receipt._replace(embedded=self.embed(report))
        if self._embedder is not None and not receipt.embedded:
            receipt = receipt._replace(pending=self._pending())
        return receipt

    def put(self, documents: Iterable[Document]) -> Receipt:
        """Store documents that the caller has made."""
        from recollect.writing.importing import import_documents

        receipt = Receipt()
        by_source: dict[str, list[Document]] = {}
        for document in documents:
            by_source.setdefault(document.source, []).append(document)
        for name, some in by_source.items():
            receipt += import_documents(self.store, Source(name), some)
        return receipt

    def _add_path(
        self,
        root: Path,
        name: str | None,
        owner: str | None,
        scopes: Sequence[str] | None,
        report: Report,
    ) -> Receipt:
        from recollect.sources import files
        from recollect.writing.importing import import_documents

        importer = _Importer(self, name, owner, scopes)
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            report(Progress("importing", done, 0))

        receipt = Receipt()
        notes: list[files.Found | Problem] = []
        for found in files.walk(root, self.store.stats().location):
            if isinstance(found, files.Found) and found.path.suffix.lower() in files.JSONL:
                whole, items = importer.jsonl(found)
                if items is not None:
                    known = importer.known(whole.name)
                    receipt += import_documents(self.store, whole, items, known, progress)
                else:
                    receipt += Receipt(unchanged=importer.held(whole.name), sources=(whole.name,))
            else:
                notes.append(found)
        if notes:
            folder, base = importer.folder(root)
            items = importer.notes(notes, folder, base)
            known = importer.known(folder.name)
            receipt += import_documents(self.store, folder, items, known, progress)
            receipt += Receipt(unchanged=importer.untouched)
        return receipt

    def embed(self, report: Report = lambda _: None) -> int:
        """Give every passage a vector. Returns how many were made."""
        from recollect.writing.embedding import embed_pending

        if self._embedder is None:
            raise ModelError(self._why_no_embedder)
        total = self._pending()
        if not total:
            return 0
        return embed_pending(
            self.store, self._embedder, lambda done: report(Progress("embedding", done, total))
        )

    def embed_in_background(self) -> None:
        """Embed what is pending from now until :meth:`close`, beside everything else."""
        from recollect.writing.embedding import BackgroundEmbedder

        if self._embedder is not None and self._background is None:
            self._background = BackgroundEmbedder(self.store, self._embedder)

    def _pending(self) -> int:
        if self._embedder is None:
            return 0
        stats = self.store.stats()
        return stats.passages - stats.vectors.get(self._embedder.key, 0)

    def forget(self, name: str) -> Receipt:
        """Remove a document for good, by its id or the id its source gave it. A later import
        does not bring it back."""
        document = self._one(name)
        receipt = self.store.apply(ChangeSet((Forget(document.id),)))
        self.store.refresh()
        return receipt

    def rebuild(self) -> None:
        """Make the text and vector indexes anew from the record."""
        self.store.refresh(rebuild=True)

    # -------------------------------------------------------------- reading

    def search(
        self,
        text: str,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        paths: Sequence[str] | None = None,
        roles: Sequence[str] | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        limit: int | None = None,
        budget: int | None = None,
        mode: str | None = None,
        by: str | None = None,
    ) -> Answer:
        """What is known about *text*: the best passages, inside a token budget."""
        from recollect.reading.pipeline import search

        limits = self.filter(
            owner=owner, scopes=scopes, sources=sources, kinds=kinds, paths=paths, roles=roles,
            since=since, until=until,
        )  # fmt: skip
        policy = policy_for(
            mode or self.config["mode"],
            limit=limit if limit is not None else self.config["search.limit"],
            budget=budget if budget is not None else self.config["search.budget"],
            by=by,
        )
        return search(
            Query(_clean(text), limits, policy),
            self.store,
            self._embedder,
            why_no_embedder=self._why_no_embedder,
        )

    def filter(
        self,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        paths: Sequence[str] | None = None,
        roles: Sequence[str] | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
    ) -> Filter:
        """A filter from a call's arguments, with the configuration where they are silent."""
        made = Filter(
            owner=owner if owner is not None else self.config["search.owner"],
            scopes=_names(scopes if scopes is not None else self.config["search.scopes"]),
            sources=_names(sources),
            kinds=_names(kinds),
            paths=_names(paths),
            roles=_names(roles),
            since=_moment(since, "since"),
            until=_moment(until, "until"),
        )
        if made.since and made.until and made.since >= made.until:
            raise UsageError("since is not before until, so nothing can match",
                             hint="since is inclusive, until exclusive")  # fmt: skip
        return made

    def get(self, name: str) -> Document:
        """A whole document by its id, the id its source gave it, or the id of a passage."""
        passage = re.fullmatch(r"([0-9a-f]{16}):(\d{1,9})", name)
        if passage and not self.store.get(name):
            from recollect.text.chunk import passages

            for document in self.store.get(passage[1]):
                if int(passage[2]) < len(passages(document)):
                    return document
        return self._one(name)

    def list(self, *, limit: int = 20, cursor: str = "", **limits: Any) -> Page:
        """Documents, newest first, without their bodies; *limits* as for :meth:`search`."""
        if not 1 <= limit <= 1000:
            raise UsageError(f"limit is {limit}", hint="ask for 1 to 1000")
        return self.store.scan(self.filter(**limits), limit=limit, cursor=cursor)

    def history(self, name: str) -> Sequence[Event]:
        """What happened to a document, also to one that was forgotten (by its id)."""
        events = self.store.history(name)
        return events or self.store.history(self._one(name).id)

    def status(self) -> Status:
        stats = self.store.stats()
        if self._embedder is None:
            return Status(stats, self.config["embed.model"], self._why_no_embedder, 0)
        pending = stats.passages - stats.vectors.get(self._embedder.key, 0)
        return Status(stats, self._embedder.key, "ready", pending)

    def _one(self, name: str) -> Document:
        found = self.store.get(_clean(name))
        if not found:
            raise NotFound(f"there is no document {name!r}",
                           hint="`recollect list` shows what there is")  # fmt: skip
        if len(found) > 1:
            ids = ", ".join(f"{d.id} (in {d.source})" for d in found[:5])
            raise UsageError(f"{name!r} names {len(found)} documents: {ids}",
                             hint="give the id of the one that is meant")  # fmt: skip
        return found[0]


class _Importer:
    """What one `add` needs to know: whose the files are, and what is known of them already."""

    def __init__(
        self, memory: Memory, name: str | None, owner: str | None, scopes: Sequence[str] | None
    ) -> None:
        config = memory.config
        self._store = memory.store
        self._owner = owner or config["import.owner"]
        self._scopes = _names(scopes) or config["import.scopes"]
        self._max_bytes = config["import.max_mb"] * 1_000_000
        stats = memory.store.stats()
        self._sources = {s.name: s for s in stats.sources}
        self._forgotten = stats.tombstones > 0
        # Names that differ in case alone would be one name to a filter, so they are one here.
        alike = [s for s in self._sources if name is not None and fold(s) == fold(name)]
        self._name = alike[0] if alike else name
        self._taken = {fold(s) for s in self._sources}
        self.untouched = 0

    def held(self, source: str) -> int:
        """How many documents the store has of it."""
        return self._sources[source].documents if source in self._sources else 0

    def known(self, source: str) -> Source | None:
        """The source as the store knows it."""
        about = self._sources.get(source)
        return about and Source(about.name, about.kind, about.uri, about.stamp)

    def _source(self, kind: str, place: Path, stamp: str = "") -> Source:
        """The source at this place: the one that is known, else a new one named after it."""
        uri = place.as_uri()
        known = [s for s in self._sources.values() if s.uri == uri]
        if self._name is not None:
            # A named source may gather several places; it keeps the first as its own.
            first = self._sources.get(self._name)
            return Source(self._name, kind, first.uri if first and first.uri else uri, stamp)
        if known:
            return Source(known[0].name, kind, uri, stamp)
        base = name = place.name or "root"
        number = 1
        while fold(name) in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(fold(name))
        return Source(name, kind, uri, stamp)

    def folder(self, root: Path) -> tuple[Source, Path]:
        """The source of a folder's files, and the place their paths are told from. A file
        inside a known folder belongs to that."""
        for place in (root, *root.parents):
            uri = place.as_uri()
            for known in self._sources.values():
                if known.uri == uri and known.kind == "folder" and self._name in (None, known.name):
                    return Source(known.name, "folder", uri), place
        return self._source("folder" if root.is_dir() else "file", root), root

    def jsonl(self, found: Any) -> tuple[Source, Iterator[Document | Problem] | None]:
        """The source that the file is, and its documents, or None when it has not changed."""
        from recollect.sources import jsonl

        options = f"{IMPORT_VERSION}:{self._owner}:{','.join(self._scopes)}"
        source = self._source("jsonl", found.path, f"{found.stamp}:{options}")
        if source == self.known(source.name) and not self._forgotten:
            return source, None
        return source, jsonl.documents(found, source.name, self._owner, self._scopes)

    def notes(
        self, found: Iterable[Any], source: Source, root: Path
    ) -> Iterator[Document | Problem]:
        """The files as documents, less those that are known to be as they were."""
        from recollect.sources import files, notes

        named = root.is_file()
        # Where a source gathers several places, files of the same path are told apart by it.
        origin = "" if source.uri == root.as_uri() else root.as_uri()
        known = {d.external: d for d in self._scan(source.name) if d.origin == origin}
        for file in found:
            if isinstance(file, Problem):
                yield file
                continue
            if not named:
                file = file._replace(relative=file.path.relative_to(root).as_posix())
            old = known.get(file.relative)
            if (
                old
                and old.stamp == file.stamp
                and old.owner == self._owner
                and old.scopes == tuple(sorted(self._scopes))
            ):
                self.untouched += 1
                continue
            text = files.read_text(file, self._max_bytes, named=named)
            if isinstance(text, Problem):
                yield text
            else:
                document = notes.document(text, source.name, self._owner, self._scopes)
                yield document._replace(origin=origin)

    def _scan(self, source: str) -> Iterator[Document]:
        cursor = ""
        while True:
            page = self._store.scan(Filter(sources=(source,)), limit=1000, cursor=cursor)
            yield from page.items
            cursor = page.cursor
            if not cursor:
                return


def _embedder(config: settings.Config) -> tuple[Embedder | None, str]:
    """The configured model, or why there is none. Nothing is loaded yet."""
    from recollect.models.files import known, locate
    from recollect.models.onnx import OnnxEmbedder

    name = config["embed.model"]
    if name == "none":
        return None, "embed.model is none"
    model = known(name)
    try:
        home = locate(models_folder(config), model)
    except ModelMissing as error:
        return None, f"{error.message} ({error.hint})"
    return OnnxEmbedder(model, home), ""


def models_folder(config: settings.Config) -> Path:
    return _place(config["models"] or settings.data_folder() / "models")


def fetch_model(config: settings.Config, name: str) -> Path:
    """Download a model's files, check them, and put them where :meth:`Memory.open` looks."""
    from recollect.models.files import fetch, known

    return fetch(models_folder(config), known(name))


def model_states(config: settings.Config) -> list[tuple[str, str, bool]]:
    """(name, licence, whether it is on this machine) of every model known by name."""
    from recollect.models.catalog import CATALOG
    from recollect.models.files import locate

    states = []
    for model in CATALOG.values():
        here = False
        with suppress(ModelMissing):
            locate(models_folder(config), model)
            here = True
        states.append((model.name, model.licence, here))
    return states


def _names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    if values is None:
        return None
    names = (values,) if isinstance(values, str) else tuple(values)
    if not all(names):
        raise UsageError("a name is empty", hint="leave the option out instead")
    return tuple(map(_clean, names))


def _clean(text: str) -> str:
    """Without halves of surrogate pairs, which no store could hold or terminal show."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _place(path: str | Path) -> Path:
    """Where a path leads, however it is spelt; ``~`` is the home folder unless there is a file
    of that name."""
    text = str(path)
    if text.startswith("~") and not os.path.lexists(text):
        text = os.path.expanduser(text)
        if text.startswith("~"):
            raise InputError(f"{path}: there is no such user")
    return Path(os.path.abspath(text))


def _is_there(place: Path) -> bool:
    try:
        return os.path.lexists(place)
    except ValueError:  # a NUL in it
        return False


def _moment(value: str | datetime | None, name: str) -> datetime | None:
    from recollect.text.dates import parse_moment

    if value is None:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        return parse_moment(value, datetime.now(UTC))
    except ValueError as error:
        raise UsageError(
            f"{name}: {error}", hint="give a date (2026-03-01) or how long ago (24h, 7d, 2w)"
        ) from error
