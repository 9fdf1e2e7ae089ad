"""Files and folders into a store: whose they are, what they are, and what of them is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.config import Config
from recollect.memory.arguments import is_there, names
from recollect.ports import Store
from recollect.sources import files, jsonl, notes
from recollect.sources.sessions import LOGS, format_of, home_of
from recollect.text.terms import fold
from recollect.types import (
    ChangeSet,
    Document,
    Filter,
    Problem,
    Receipt,
    Remove,
    Source,
)
from recollect.writing.importing import import_documents

if TYPE_CHECKING:
    from recollect.sources.sessions.base import Format

IMPORT_VERSION = 2
"""Changes when the same file would be read into other documents: it is then read again."""


class Home(NamedTuple):
    """A source, and the place that the paths of its files are told from."""

    source: Source
    base: Path


class Options(NamedTuple):
    """How to import."""

    source: str | None = None
    owner: str | None = None
    scopes: Sequence[str] | None = None
    redact: bool = True
    """Take secrets out of what is stored."""
    history: bool = True
    """Import the commits of a repository with its files."""
    prune: bool = False
    """Remove what is on disk no more."""
    dry_run: bool = False


class _Read(NamedTuple):
    """A file that is to be read, and what it is known to be."""

    file: files.Found
    form: Format | None


class _Known:
    """What a source has in the store, by the files it came from."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.files: dict[tuple[str, str], list[Document]] = {}
        for document in documents:
            self.files.setdefault((document.origin, document.path), []).append(document)
        self.seen: set[str] = set()
        """Ids of documents that are still there."""

    def keep(self, origin: str, path: str) -> None:
        self.seen.update(d.id for d in self.files.get((origin, path), ()))

    def gone(self, origin: str, below: str) -> list[Document]:
        """The documents of files under a path that have not been seen."""
        return [
            document
            for (place, path), documents in self.files.items()
            if place == origin and (not below or path == below or path.startswith(f"{below}/"))
            for document in documents
            if document.id not in self.seen
        ]


class Importer:
    """One call of ``add``. Every file belongs to the source that is nearest to it: a file or
    folder inside a known folder is imported as a part of that, and never twice."""

    def __init__(
        self, store: Store, config: Config, options: Options, progress: Callable[[int], None]
    ) -> None:
        self._store = store
        self._options = options
        self._owner = options.owner or config["import.owner"]
        self._scopes: tuple[str, ...] = names(options.scopes) or config["import.scopes"]
        self._max_bytes = config["import.max_mb"] * 1_000_000
        self._progress = progress
        stats = store.stats()
        self._location = stats.location
        self._sources = {s.name: s for s in stats.sources}
        self._forgotten = stats.tombstones > 0
        # Names that differ in case alone would be one name to a filter, so they are one here.
        wanted = options.source
        alike = [s for s in self._sources if wanted is not None and fold(s) == fold(wanted)]
        self._name = alike[0] if alike else wanted
        self._taken = {fold(s) for s in self._sources}
        self._folders = {
            s.uri: Source(s.name, s.kind, s.uri)
            for s in stats.sources
            if s.kind in ("folder", "sessions") and self._name in (None, s.name)
        }
        self._homes: dict[Path, Home | None] = {}
        self._known_in: dict[str, _Known] = {}
        self._holders: dict[str, str] = {}  # message to document, of this import
        self._names: dict[str, str] = {}

    def add(self, root: Path) -> Receipt:
        """Import what is at *root*, less what is known to be as it was."""
        if not is_there(root):
            return self._without(root)
        only = home_of(root) if _may_hold_logs(root) else None
        home: Home | None = None
        receipt = Receipt()
        groups: dict[Home, list[_Read | Problem]] = {}
        touched: set[str] = set()
        unchanged = 0
        for found in files.walk(root, self._location):
            if isinstance(found, files.Found) and self._is_jsonl(found, only):
                receipt += self._jsonl(found)
                continue
            home = home or self._home(root, "sessions" if only else "folder")
            if isinstance(found, Problem):
                groups.setdefault(home, []).append(found)
                continue
            nearest = self._nearest(found.path.parent) or home
            touched.add(nearest.source.name)
            found = self._placed(found, nearest)
            if held := self._unchanged(found, nearest):
                unchanged += held
                continue
            form = format_of(found.path)
            if only is not None and form is None:
                continue
            groups.setdefault(nearest, []).append(_Read(found, form))
        touched -= {nearest.source.name for nearest in groups}
        receipt += Receipt(unchanged=unchanged, sources=tuple(sorted(touched)))
        for nearest, some in groups.items():
            receipt += self._import(nearest.source, self._documents(some, nearest))
        if root.is_dir():
            receipt += self._missing(home or self._nearest(root), root)
            if self._options.history and only is None:
                receipt += self._repository(root)
        return receipt

    def _import(self, source: Source, items: Iterable[Document | Problem]) -> Receipt:
        redacted: Counter[str] = Counter()
        if self._options.redact:
            items = _redacted(items, redacted)
        receipt = import_documents(
            self._store, source, items, self._known_source(source.name), self._progress,
            dry_run=self._options.dry_run,
        )  # fmt: skip
        return receipt._replace(redacted=redacted)

    # -------------------------------------------------------------- whose it is

    def _known_source(self, source: str) -> Source | None:
        """The source as the store knows it."""
        about = self._sources.get(source)
        return about and Source(about.name, about.kind, about.uri, about.stamp)

    def _source(self, kind: str, place: Path, stamp: str = "", suffix: str = "") -> Source:
        """The source at this place: the one that is known, else a new one named after it."""
        uri = place.as_uri() + suffix
        known = [s for s in self._sources.values() if s.uri == uri]
        if self._name is not None and not suffix:
            # A named source may gather several places; it keeps the first as its own.
            first = self._sources.get(self._name)
            return Source(self._name, kind, first.uri if first and first.uri else uri, stamp)
        if known:
            return Source(known[0].name, kind, uri, stamp)
        base = name = f"{place.name or 'root'}{suffix.replace('#', '-')}"
        number = 1
        while fold(name) in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(fold(name))
        return Source(name, kind, uri, stamp)

    def _home(self, root: Path, kind: str) -> Home:
        """The source of what is at *root*, and the place its paths are told from."""
        found = self._nearest(root if root.is_dir() else root.parent)
        return found or Home(self._source(kind if root.is_dir() else "file", root), root)

    def _nearest(self, folder: Path) -> Home | None:
        """The known source that the folder is in, the innermost of several."""
        if folder not in self._homes:
            known = self._folders.get(folder.as_uri())
            if known is not None:
                self._homes[folder] = Home(known, folder)
            else:
                above = folder.parent
                self._homes[folder] = None if above == folder else self._nearest(above)
        return self._homes[folder]

    def _placed(self, found: files.Found, home: Home) -> files.Found:
        """The file with its path as its source tells it."""
        if not home.base.is_file():
            found = found._replace(relative=found.path.relative_to(home.base).as_posix())
        return found

    def _stamp(self, found: files.Found) -> str:
        beside = found.path.with_name(f"{found.path.name}-wal")  # what SQLite has not merged yet
        wal = ""
        if found.path.suffix.lower() in (".db", ".sqlite", ".sqlite3") and is_there(beside):
            info = beside.stat()
            wal = f"+{info.st_mtime_ns}:{info.st_size}"
        raw = "" if self._options.redact else ":raw"
        return f"{found.stamp}{wal}:{IMPORT_VERSION}{raw}"

    # -------------------------------------------------------------- what is known of it

    def _known(self, source: str) -> _Known:
        if source not in self._known_in:
            self._known_in[source] = _Known(self._scan(source))
        return self._known_in[source]

    def _unchanged(self, found: files.Found, home: Home) -> int:
        """How many documents are known from this file, if it is as it was."""
        known, origin = self._known(home.source.name), self._origin(home)
        held = known.files.get((origin, found.relative), [])
        wanted = (self._stamp(found), self._owner, tuple(sorted(set(self._scopes))))
        if not held or any((d.stamp, d.owner, d.scopes) != wanted for d in held):
            return 0
        known.keep(origin, found.relative)
        return len(held)

    def _missing(self, home: Home | None, root: Path) -> Receipt:
        """What the store has of this folder and the disk has no more."""
        if home is None:
            return Receipt()
        below = "" if root == home.base else root.relative_to(home.base).as_posix()
        return self._gone(self._known(home.source.name).gone(self._origin(home), below))

    def _without(self, root: Path) -> Receipt:
        """What the store has of a place that is not there any more."""
        receipt = Receipt()
        uri = root.as_uri()
        for source in list(self._sources.values()):
            if source.uri == uri or source.uri.startswith((f"{uri}/", f"{uri}#")):
                receipt += self._gone(list(self._scan(source.name)))
        found = self._nearest(root.parent)
        if found is not None and not receipt.missing and not receipt.removed:
            below = root.relative_to(found.base).as_posix()
            gone = self._known(found.source.name).gone(self._origin(found), below)
            receipt += self._gone(gone)
        if not receipt.missing and not receipt.removed:
            told = Problem(str(root), "there is no such file or folder")
            receipt += Receipt(failed=(told,))
        return receipt

    def _gone(self, documents: Sequence[Document]) -> Receipt:
        missing = tuple(Problem(d.path or d.external, "no longer in its source") for d in documents)
        if not self._options.prune:
            return Receipt(missing=missing)
        changes = ChangeSet(tuple(Remove(d.id) for d in documents))
        receipt = self._store.apply(changes, dry_run=self._options.dry_run)
        return receipt._replace(missing=missing if self._options.dry_run else ())

    @staticmethod
    def _origin(home: Home) -> str:
        """Where a source gathers several places, files of the same path are told apart by it."""
        return "" if home.source.uri == home.base.as_uri() else home.base.as_uri()

    def _scan(self, source: str) -> Iterator[Document]:
        cursor = ""
        while True:
            page = self._store.scan(Filter(sources=(source,)), limit=1000, cursor=cursor)
            yield from page.items
            cursor = page.cursor
            if not cursor:
                return

    # -------------------------------------------------------------- what is in it

    def _is_jsonl(self, found: files.Found, only: Format | None) -> bool:
        """Whether the file holds documents or sessions in our own form: a source of its own."""
        if only is not None or found.path.suffix.lower() not in files.JSONL:
            return False
        uri = found.path.as_uri()
        if any(s.uri == uri for s in self._sources.values() if s.kind == "jsonl"):
            return True
        home = self._nearest(found.path.parent)
        if home is not None and self._unchanged(self._placed(found, home), home):
            return False
        return format_of(found.path) is None and not _is_mem0(found)

    def _jsonl(self, found: files.Found) -> Receipt:
        options = f"{IMPORT_VERSION}:{self._owner}:{','.join(self._scopes)}:{self._options.redact}"
        source = self._source("jsonl", found.path, f"{found.stamp}:{options}:{found.path}")
        if source == self._known_source(source.name) and not self._forgotten:
            held = self._sources[source.name].documents
            return Receipt(unchanged=held, sources=(source.name,))
        known = self._known(source.name)

        def seen() -> Iterator[Document | Problem]:
            for item in jsonl.documents(found, source.name, self._owner, self._scopes):
                if isinstance(item, Document):
                    known.seen.add(item.id)
                yield item

        receipt = self._import(source, seen())
        if self._name is None and not receipt.failed:
            gone = [d for some in known.files.values() for d in some if d.id not in known.seen]
            receipt += self._gone(gone)
        return receipt

    def _documents(self, some: list[_Read | Problem], home: Home) -> Iterator[Document | Problem]:
        """Every file read. Logs go by time, so that of two sessions with the same messages the
        elder has them."""
        known, origin = self._known(home.source.name), self._origin(home)
        some.sort(key=lambda x: x.file.modified if isinstance(x, _Read) and x.form else 0)
        for one in some:
            if isinstance(one, Problem):
                yield one
                continue
            whole = True
            for item in self._file(one, home):
                if isinstance(item, Problem):
                    whole = whole and item.level == "warning"
                    yield item
                else:
                    document = item._replace(origin=origin, stamp=self._stamp(one.file))
                    known.seen.add(document.id)
                    yield document
            if not whole:  # what could not be read is not gone
                known.keep(origin, one.file.relative)

    def _file(self, one: _Read, home: Home) -> Iterator[Document | Problem]:
        if one.form is not None:
            yield from self._sessions(one.file, one.form, home.source.name)
        elif _is_mem0(one.file):
            from recollect.sources import memories

            for item in memories.mem0(one.file, home.source.name, self._owner, self._scopes):
                relative = one.file.relative
                yield item if isinstance(item, Problem) else item._replace(path=relative)
        else:
            text = files.read_text(one.file, self._max_bytes, named=home.base.is_file())
            if isinstance(text, Problem):
                yield text
            else:
                yield self._note(text, home.source.name)

    def _note(self, text: files.Text, source: str) -> Document | Problem:
        """A text file: another tool's memory, a decision record, or a note."""
        from recollect.sources import memories

        whose = source, self._owner, self._scopes
        form = memories.recognise(text.file.path, text.text)
        return memories.document(text, form, *whose) if form else notes.document(text, *whose)

    def _sessions(
        self, file: files.Found, form: Format, source: str
    ) -> Iterator[Document | Problem]:
        from recollect.sources import conversation

        try:
            for item in form.read(file.path):
                if isinstance(item, Problem):
                    yield item
                    continue
                if not item.messages:
                    yield Problem(str(file.path), "a session without messages", "skipped")
                    continue
                document = conversation.document(
                    item, form, source, self._owner, self._scopes, file.relative, ""
                )
                yield self._own(document, file)
        except OSError as error:
            yield Problem(str(file.path), f"cannot be read: {error.strerror or error}")

    def _own(self, document: Document, file: files.Found) -> Document | Problem:
        """The session without the messages that another has already: a fork begins with a copy
        of what it came from."""
        wanted = [m.id for m in document.messages if m.id]
        held = {id: self._holders[id] for id in wanted if id in self._holders}
        unknown = [id for id in wanted if id not in held]
        held |= self._store.holders(unknown)
        others = {id: holder for id, holder in held.items() if holder != document.id}
        if others:
            parent = Counter(others.values()).most_common(1)[0][0]
            found = self._store.get(parent)
            name = found[0].external if found else self._names.get(parent, parent)
            messages = tuple(m for m in document.messages if m.id not in others)
            if not any(m.role in ("user", "assistant") for m in messages):
                said = f"it has nothing that the session {name} has not"
                return Problem(str(file.path), said, "skipped")
            meta = {"parent": name, "relation": "fork", **document.meta}
            document = document._replace(messages=messages, meta=meta)
        self._holders.update((m.id, document.id) for m in document.messages if m.id)
        self._names[document.id] = document.external
        return document

    # -------------------------------------------------------------- repositories

    def _repository(self, root: Path) -> Receipt:
        """The commits and the file registry of a repository, a source beside its files'."""
        from recollect.sources import git

        if not (is_there(root / ".git") and git.is_repository(root)):
            return Receipt()
        source = self._source("git", root, git.head(root), suffix="#git")
        before = self._known_source(source.name)
        if before == source and not self._forgotten:
            return Receipt(unchanged=self._sources[source.name].documents)
        known = {d.path: d for d in self._scan(source.name) if d.kind == "file"}
        hashes = {path: str(d.meta.get("hash", "")) for path, d in known.items()}
        since = before.stamp if before else ""
        whose = (source.name, self._owner, self._scopes)

        def records() -> Iterator[Document | Problem]:
            yield from git.commits(root, *whose, since)
            yield from git.registry(root, hashes, *whose)

        receipt = self._import(source, records())
        removed = git.removed(root, known)
        return receipt + self._gone([known[path] for path in removed])


def _may_hold_logs(root: Path) -> bool:
    """Whether it is worth asking the formats if the place is one of theirs."""
    return root.is_dir() or root.suffix.lower() in LOGS


def _is_mem0(found: files.Found) -> bool:
    if found.path.suffix.lower() not in (".json", ".zip", *files.JSONL):
        return False
    from recollect.sources import memories

    try:
        with open(found.path, "rb") as stream:
            return memories.is_mem0(found.path, stream.read(1 << 16))
    except OSError:
        return False


def _redacted(
    items: Iterable[Document | Problem], counts: Counter[str]
) -> Iterator[Document | Problem]:
    """The documents without their secrets."""
    from recollect.text.redact import redact

    def clean(text: str) -> str:
        done = redact(text)
        counts.update(done.counts)
        return done.text

    for item in items:
        if isinstance(item, Document):
            messages = tuple(m._replace(text=clean(m.text)) for m in item.messages)
            item = item._replace(text=clean(item.text), title=clean(item.title), messages=messages)
        yield item
