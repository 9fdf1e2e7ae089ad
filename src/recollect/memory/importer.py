"""Files and folders into a store: whose they are, what they are, and what of them is known."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from recollect.config import Config
from recollect.memory.arguments import is_there, names
from recollect.ports import Store
from recollect.sources import files, jsonl, notes
from recollect.sources.sessions import LOGS, format_of, home_of
from recollect.text.chunk import passages
from recollect.text.terms import fold
from recollect.types import (
    ChangeSet,
    Document,
    Filter,
    Message,
    Problem,
    Put,
    Receipt,
    Register,
    Remove,
    Source,
    SourceStats,
)
from recollect.writing.importing import Item, import_documents

if TYPE_CHECKING:
    from recollect.sources.formats import Section
    from recollect.sources.sessions.base import Format

IMPORT_VERSION = 4
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
    """What a source has in the store, by the files it came from: its stamp tells a document of
    a file from a line of JSONL, and both from what a caller has put there."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.files: dict[tuple[str, str], list[Document]] = {}
        self.lines: dict[str, list[Document]] = {}
        for document in documents:
            if document.stamp.startswith("file:"):
                self.lines.setdefault(document.stamp, []).append(document)
            elif document.stamp:
                self.files.setdefault((document.origin, document.path), []).append(document)
        self.seen: set[str] = set()
        """Ids of documents that are still there."""
        self._kept: set[tuple[str, str]] = set()

    def keep(self, origin: str, path: str) -> None:
        """What came from this file is still there."""
        self._kept.add((origin, path))

    def gone(self, origin: str, below: str) -> list[Document]:
        """The documents of files under a path that have not been seen."""
        return [
            document
            for (place, path), documents in self.files.items()
            if place == origin and (not below or path == below or path.startswith(f"{below}/"))
            if (place, path) not in self._kept
            for document in documents
            if document.id not in self.seen
        ]

    def lines_gone(self, uri: str) -> list[Document]:
        """The lines of a file that have not been seen."""
        return [line for line in self.lines.get(uri, ()) if line.id not in self.seen]


class Importer:
    """One call of ``add``. Every file belongs to the source that is nearest to it: a file or
    folder inside a known folder is imported as a part of that, and never twice."""

    def __init__(
        self, store: Store, config: Config, options: Options, progress: Callable[[int], None]
    ) -> None:
        self._store = store
        self._options = options
        self._owner: str = options.owner or config["import.owner"]
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
        self._renames = wanted is not None
        """Whether what is known under another name is to have the given one, too."""
        self._taken = {fold(s) for s in self._sources}
        self._places: dict[str, Source] = {}
        """The known files and folders, by their paths."""
        self._homes: dict[str, Home | None] = {}
        self._origins: dict[Home, str] = {}
        self._known_in: dict[str, _Known] = {}
        self._unread: set[Path] = set()
        """What could not be walked: nothing in it is gone."""
        self._holders: dict[str, tuple[str, int]] = {}
        """The document that has a message, and a hash of that: of this import."""
        self._names: dict[str, str] = {}
        self._named: dict[str, str] = {}

    def add(self, root: Path) -> Receipt:
        """Import what is at *root*, less what is known to be as it was."""
        named = self._sources.get(self._name or "")
        if named is not None and named.uri == root.as_uri():
            self._renames = False
        self._places = {
            str(place_of(s.uri)): Source(s.name, s.kind, s.uri)
            for s in self._sources.values()
            if s.kind in ("folder", "sessions", "file")
            and (s.name == self._name or not self._renames)
        }
        if not is_there(root):
            return self._without(root)
        only = home_of(root) if _may_hold_logs(root) else None
        home = self._home(root, "sessions" if only else "folder")
        receipt = Receipt()
        groups: dict[Home, list[_Read | Problem]] = {}
        touched: set[str] = set()
        unchanged = 0
        for found in files.walk(root, self._location):
            if isinstance(found, files.Found) and self._is_jsonl(found, only):
                receipt += self._jsonl(found)
                continue
            if isinstance(found, Problem):
                groups.setdefault(home, []).append(found)
                self._unread.add(Path(found.where))
                continue
            if _is_empty(found):
                told = Problem(str(found.path), "empty: there is nothing to import", "skipped")
                receipt += Receipt(skipped=(told,))
                continue
            nearest = self._nearest(found.place) or home
            touched.add(nearest.source.name)
            found = self._placed(found, nearest)
            if held := self._unchanged(found, nearest):
                unchanged += held
                continue
            form = format_of(found.path)
            if only is not None and form is None and not _is_memory(found.path):
                continue
            groups.setdefault(nearest, []).append(_Read(found, form))
        entered = touched | {nearest.source.name for nearest in groups}
        touched -= {nearest.source.name for nearest in groups}
        receipt += Receipt(unchanged=unchanged, sources=tuple(sorted(touched)))
        for nearest, some in groups.items():
            receipt += self._import(nearest.source, self._documents(some, nearest))
        if entered or root.is_dir():
            gone = [*self._missing(home, root), *self._missing_inside(root, entered)]
            receipt += self._gone(gone)
        if self._options.history and only is None and root.is_dir():
            receipt += self._repository(root)
        return receipt

    def _import(self, source: Source, items: Iterable[Item]) -> Receipt:
        self._redacted: Counter[str] = Counter()
        if self._options.redact:
            items = _redacted(items, self._redacted)
        receipt = import_documents(
            self._store, source, items, self._known_source(source.name), self._progress,
            dry_run=self._options.dry_run,
        )  # fmt: skip
        return receipt._replace(redacted=self._redacted)

    # -------------------------------------------------------------- whose it is

    def _known_source(self, source: str) -> Source | None:
        """The source as the store knows it."""
        about = self._sources.get(source)
        return about and Source(about.name, about.kind, about.uri, about.stamp)

    def _source(self, kind: str, place: Path, stamp: str = "", suffix: str = "") -> Source:
        """The source at this place: the one that is known, else a new one named after it."""
        uri = place.as_uri() + suffix
        known = next((s for s in self._sources.values() if s.uri == uri), None)
        if known is not None and (suffix or not self._renames):
            return Source(known.name, kind, uri, stamp)
        if self._name is not None and not suffix:
            # A named source may gather several places; it keeps the first as its own.
            first = self._sources.get(self._name)
            if first is not None and first.uri:
                return Source(first.name, first.kind, first.uri, stamp if first.uri == uri else "")
            return Source(self._name, kind, uri, stamp)
        return Source(self._fresh_name(place, uri, suffix), kind, uri, stamp)

    def _fresh_name(self, place: Path, uri: str, suffix: str) -> str:
        if uri not in self._named:
            base = name = f"{place.name or 'root'}{suffix.replace('#', '-')}"
            number = 1
            while fold(name) in self._taken:
                number += 1
                name = f"{base}-{number}"
            self._taken.add(fold(name))
            self._named[uri] = name
        return self._named[uri]

    def _home(self, root: Path, kind: str) -> Home:
        """The source of what is at *root*, and the place its paths are told from."""
        found = self._nearest(str(root))
        return found or Home(self._source(kind if root.is_dir() else "file", root), root)

    def _nearest(self, path: str) -> Home | None:
        """The known source that a path is, or is in: the innermost of several."""
        known = self._places.get(path)
        if known is not None:
            return Home(known, Path(path))
        above = os.path.dirname(path)
        if above not in self._homes:
            self._homes[above] = None if above == path else self._nearest(above)
        return self._homes[above]

    def _placed(self, found: files.Found, home: Home) -> files.Found:
        """The file with its path as its source tells it."""
        base = str(home.base)
        alone = found.place == base
        place = os.path.basename(base) if alone else found.place[len(base.rstrip("/")) + 1 :]
        return found._replace(relative=place)

    def _whose(self, found: files.Found, home: Home) -> tuple[str, tuple[str, ...]]:
        """Owner and scopes of what is in a file: as the caller says, else as it has them already
        or, where it is new, what came last into its source; else as configured."""
        known = self._known(home.source.name)
        held = known.files.get((self._origin(home), found.relative))
        return self._said_of(held or next(iter(known.files.values()), []))

    def _said_in(self, stamp: str) -> tuple[str, tuple[str, ...]]:
        """Owner and scopes as the caller says, else as a stamp keeps them, else as configured."""
        kept = stamp.partition("\n")[2]
        _, _, owner, scopes = json.loads(kept) if kept else (0, 0, self._owner, self._scopes)
        given = self._options
        return (
            owner if given.owner is None else self._owner,
            tuple(scopes) if given.scopes is None else self._scopes,
        )

    def _stamped(self, owner: str, scopes: Sequence[str]) -> str:
        """What else decides what is made of the same file, for its stamp."""
        return json.dumps([IMPORT_VERSION, self._options.redact, owner, list(scopes)])

    def _said_of(self, known: Sequence[Document]) -> tuple[str, tuple[str, ...]]:
        """Owner and scopes as the caller says, else as the first of these has them."""
        given = self._options
        return (
            known[0].owner if known and given.owner is None else self._owner,
            known[0].scopes if known and given.scopes is None else self._scopes,
        )

    def _stamp(self, found: files.Found) -> str:
        wal = ""
        if found.suffix in (".db", ".sqlite", ".sqlite3"):
            beside = Path(f"{found.place}-wal")  # what SQLite has not merged yet
            if is_there(beside):
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
        owner, scopes = self._whose(found, home)
        wanted = (self._stamp(found), owner, _sorted(scopes))
        if not held or any((d.stamp, d.owner, d.scopes) != wanted for d in held):
            return 0
        known.keep(origin, found.relative)
        return len(held)

    def _missing(self, home: Home, root: Path) -> list[Document]:
        """What the store has of this file or folder and the disk has no more."""
        if root == home.base:
            below = root.name if home.source.kind == "file" else ""
        else:
            below = root.relative_to(home.base).as_posix()
        known = self._known(home.source.name)
        found = known.gone(self._origin(home), below)
        if self._unread:
            found = [d for d in found if self._unread.isdisjoint(_upwards(home.base / d.path))]
        inside = f"{root.as_uri()}/"
        away = (u for u in known.lines if u.startswith(inside) and not is_there(place_of(u)))
        return found + [line for uri in away for line in known.lines_gone(uri)]

    def _missing_inside(self, root: Path, entered: set[str]) -> Iterator[Document]:
        """What the disk has no more of other sources inside the folder."""
        for source in self._sources.values():
            if not source.uri.startswith(f"{root.as_uri()}/"):
                continue
            place = place_of(source.uri)
            if not self._unread.isdisjoint(_upwards(place)):
                continue
            if not is_there(place):
                yield from self._of(source)
            elif source.name in entered and source.kind in ("folder", "sessions"):
                known = self._known(source.name).gone("", "")
                yield from (d for d in known if not is_there(place / d.path))

    def _of(self, source: SourceStats) -> list[Document]:
        """What came from the place that is the source's own, and has not been seen."""
        if source.kind == "git":
            return list(self._scan(source.name))
        known = self._known(source.name)
        return known.gone("", "") + known.lines_gone(source.uri)

    def _without(self, root: Path) -> Receipt:
        """What the store has of a place that is not there any more."""
        uri = root.as_uri()
        gone: list[Document] = []
        for source in self._sources.values():
            if source.uri == uri or source.uri.startswith((f"{uri}/", f"{uri}#")):
                gone += self._of(source)
            elif source.kind != "git":  # it may have gathered the place beside its own
                known = self._known(source.name)
                gone += known.gone(uri, "") + known.lines_gone(uri)
        found = self._nearest(str(root.parent))
        if found is not None:
            gone += self._missing(found, root)
        if not gone:
            return Receipt(failed=(Problem(str(root), "there is no such file or folder"),))
        return self._gone(list({d.id: d for d in gone}.values()))

    def _gone(self, documents: Sequence[Document]) -> Receipt:
        missing = tuple(Problem(d.path or d.external, "no longer in its source") for d in documents)
        if not self._options.prune or not documents:
            return Receipt(missing=missing)
        changes = ChangeSet(tuple(Remove(d.id) for d in documents))
        receipt = self._store.apply(changes, dry_run=self._options.dry_run)
        return receipt._replace(missing=missing if self._options.dry_run else ())

    def _origin(self, home: Home) -> str:
        """Where a source gathers several places, files of the same path are told apart by it."""
        if home not in self._origins:
            uri = home.base.as_uri()
            self._origins[home] = "" if home.source.uri == uri else uri
        return self._origins[home]

    def _scan(self, source: str, *kinds: str) -> Iterator[Document]:
        """The documents of a source (only of these kinds), the last that came first."""
        wanted = Filter(sources=(source,), kinds=kinds or None)
        cursor = ""
        while True:
            page = self._store.scan(wanted, limit=1000, cursor=cursor)
            yield from page.items
            cursor = page.cursor
            if not cursor:
                return

    # -------------------------------------------------------------- what is in it

    def _is_jsonl(self, found: files.Found, only: Format | None) -> bool:
        """Whether the file holds documents or sessions in our own form: a source of its own."""
        if only is not None or found.suffix not in files.JSONL:
            return False
        uri = found.path.as_uri()
        if any(s.uri == uri for s in self._sources.values() if s.kind == "jsonl" and s.documents):
            return True
        home = self._nearest(found.place)
        if home is not None and self._unchanged(self._placed(found, home), home):
            return False
        return not _is_empty(found) and format_of(found.path) is None and not _is_mem0(found)

    def _jsonl(self, found: files.Found) -> Receipt:
        uri = found.path.as_uri()
        source = self._source("jsonl", found.path, found.stamp)
        home = None if self._renames else self._nearest(found.place)
        if home is not None and uri in self._known(home.source.name).lines:
            source = home.source
        before = self._known_source(source.name)
        whose = self._said_in(before.stamp if before else "")
        options = self._stamped(*whose)
        source = source._replace(stamp=source.stamp and f"{source.stamp}\n{options}")
        held = self._sources[source.name].documents if before else 0
        if source.stamp and source == before and held and not self._forgotten:
            return Receipt(unchanged=held, sources=(source.name,))
        known = self._known(source.name)

        def seen() -> Iterator[Item]:
            for item in jsonl.documents(found, source.name, *whose):
                if isinstance(item, Document):
                    known.seen.add(item.id)
                    item = item._replace(stamp=uri)
                yield item

        receipt = self._import(source, seen())
        if not receipt.failed:
            receipt += self._gone(known.lines_gone(uri))
        if source.stamp and (receipt.failed or receipt.missing) and not self._options.dry_run:
            # It is to be read again the next time, and told what was said of it.
            self._store.apply(ChangeSet((Register(source._replace(stamp=f"\n{options}")),)))
        return receipt

    def _documents(self, some: list[_Read | Problem], home: Home) -> Iterator[Item]:
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
                    document = item.document if isinstance(item, Put) else item
                    document = document._replace(origin=origin, stamp=self._stamp(one.file))
                    known.seen.add(document.id)
                    yield item._replace(document=document) if isinstance(item, Put) else document
            if not whole:  # what could not be read is not gone
                known.keep(origin, one.file.relative)

    def _file(self, one: _Read, home: Home) -> Iterator[Item]:
        whose = home.source.name, *self._whose(one.file, home)
        if one.form is not None:
            yield from self._sessions(one.file, one.form, *whose)
        elif _is_mem0(one.file):
            from recollect.sources import memories

            for item in memories.mem0(one.file, *whose):
                relative = one.file.relative
                yield item if isinstance(item, Problem) else item._replace(path=relative)
        else:
            raw = files.read(one.file, self._max_bytes, named=one.file.path == home.base)
            if isinstance(raw, Problem):
                yield raw
            else:
                yield from _text(one.file, raw, *whose)

    def _sessions(
        self, file: files.Found, form: Format, source: str, owner: str, scopes: tuple[str, ...]
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
                document = conversation.document(item, form, source, owner, scopes, file.relative)
                yield self._own(document, file)
        except OSError as error:
            yield Problem(str(file.path), f"cannot be read: {error.strerror or error}")

    def _own(self, document: Document, file: files.Found) -> Document | Problem:
        """The session without the messages that another has already: a fork begins with a copy
        of what it came from."""
        others = self._shared(document)
        if others:
            parent = Counter(others.values()).most_common(1)[0][0]
            name = self._names[parent]
            messages = tuple(m for m in document.messages if m.id not in others)
            if not any(m.role in ("user", "assistant") for m in messages):
                said = f"it has nothing that the session {name} has not"
                return Problem(str(file.path), said, "skipped")
            meta = {"parent": name, "relation": "fork", **document.meta}
            document = document._replace(messages=messages, meta=meta)
        for message in document.messages:
            if message.id:
                self._holders[message.id] = document.id, _hash(document, message)
        self._names[document.id] = document.external
        return document

    def _shared(self, document: Document) -> dict[str, str]:
        """Of the session's messages those that another has, and which that is: the same words
        under the same id, for the same eyes."""
        messages = {m.id: m for m in document.messages if m.id}
        shared: dict[str, str] = {}
        for id, message in messages.items():
            holder, said = self._holders.get(id, ("", 0))
            if holder not in ("", document.id) and said == _hash(document, message):
                shared[id] = holder
        stored = self._store.holders([id for id in messages if id not in shared])
        for holder in sorted(set(stored.values()) - {document.id}):
            for elder in self._store.get(holder):
                if (elder.owner, elder.scopes) != (document.owner, _sorted(document.scopes)):
                    continue
                self._names[elder.id] = elder.external
                for copy in elder.messages:
                    if stored.get(copy.id) == elder.id and self._is_same(messages[copy.id], copy):
                        shared[copy.id] = elder.id
        return shared

    def _is_same(self, message: Message, stored: Message) -> bool:
        if message.role != stored.role:
            return False
        if message.text == stored.text:
            return True
        from recollect.text.redact import redact

        return redact(message.text).text == redact(stored.text).text

    # -------------------------------------------------------------- repositories

    def _repository(self, root: Path) -> Receipt:
        """The commits and the file registry of a repository, a source beside its files'."""
        from recollect.sources import git

        if not (is_there(root / ".git") and git.is_repository(root)):
            return Receipt()
        name = self._source("git", root, suffix="#git").name
        registered = list(self._scan(name, "file"))
        owner, scopes = whose = self._said_of(registered)
        options = self._stamped(owner, scopes)
        source = self._source("git", root, f"{git.head(root)}\n{options}", suffix="#git")
        before = self._known_source(name)
        held = self._sources[name].documents if before else 0
        former, _, were = before.stamp.partition("\n") if before and held else ("", "", "")
        as_before = were == options
        known = {d.path: d for d in registered if d.owner == owner}
        gone = [known[path] for path in git.removed(root, known)]
        if len(known) < len(registered):
            gone += [d for d in self._scan(name) if d.owner != owner]
        if before == source and held and not self._forgotten:
            return Receipt(unchanged=held - len(gone)) + self._gone(gone)
        hashes = {p: str(d.meta.get("hash", "")) for p, d in known.items() if as_before}

        def records() -> Iterator[Item]:
            yield from git.commits(root, name, *whose, former if as_before else "")
            yield from git.registry(root, hashes, name, *whose)

        return self._import(source, records()) + self._gone(gone)


def _text(
    file: files.Found, raw: bytes, source: str, owner: str, scopes: tuple[str, ...]
) -> Iterator[Item]:
    """A file of text: another tool's memory, a decision record, a page, code, a note."""
    from recollect.sources import formats, memories

    content = formats.read(file.path, raw)
    if isinstance(content, Problem):
        yield content
        return
    yield from content.warnings
    form = memories.recognise(file.path, content.text)
    if form:
        text = files.Text(file, content.text)
        yield memories.document(text, form, source, owner, scopes)
    else:
        document = notes.document(file, content, source, owner, scopes)
        yield Put(document, passages(document, content.sections))


def _may_hold_logs(root: Path) -> bool:
    """Whether it is worth asking the formats if the place is one of theirs."""
    return root.is_dir() or root.suffix.lower() in LOGS


def _is_empty(found: files.Found) -> bool:
    """Whether a file that may become a log has only been made yet."""
    if found.size or found.suffix not in files.JSONL:
        return False
    try:
        with open(found.path, "rb") as stream:
            return not stream.read(1)
    except OSError:
        return False


def _is_memory(path: Path) -> bool:
    """Whether a file is one of the memories that Claude keeps among its logs."""
    from recollect.sources import memories

    return memories.recognise(path, "") == "claude"


def _is_mem0(found: files.Found) -> bool:
    if found.suffix not in (".json", ".zip", *files.JSONL):
        return False
    from recollect.sources import memories

    try:
        with open(found.path, "rb") as stream:
            return memories.is_mem0(found.path, stream.read(1 << 16))
    except OSError:
        return False


def _redacted(items: Iterable[Item], counts: Counter[str]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Document):
            item = redacted(item, counts)
        elif isinstance(item, Put):
            document = redacted(item.document, counts)
            cut = item.passages
            if document.text != item.document.text:
                cut = passages(document, _sections(document))
            item = Put(document, cut)
        yield item


def redacted(document: Document, counts: Counter[str] | None = None) -> Document:
    """The document without its secrets; what is said twice, as the fields of a header are, is
    counted once."""
    from recollect.text.redact import redact

    said = document.rendered()

    def clean(text: str, *, count: bool = True) -> str:
        done = redact(text)
        if count and counts is not None:
            counts.update(done.counts)
        return done.text

    def cleaned(value: Any, name: str) -> Any:
        """A value by its name, which may be what tells that it is a secret."""
        if isinstance(value, dict):
            return {key: cleaned(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [cleaned(inner, name) for inner in value]
        if not isinstance(value, str):
            return value
        before = f"{name}: "
        text = clean(before + value, count=value not in said)
        return text.removeprefix(before) if text.startswith(before) else clean(value, count=False)

    return document._replace(
        text=clean(document.text),
        title=clean(document.title, count=document.title not in said),
        messages=tuple(m._replace(text=clean(m.text)) for m in document.messages),
        meta={name: cleaned(value, name) for name, value in document.meta.items()},
    )


def _sections(document: Document) -> tuple[Section, ...] | None:
    """The parts of a text that was changed after it was read."""
    from recollect.sources.formats import outline

    return None if document.kind == "note" else outline(document.text, Path(document.path).suffix)


def _hash(document: Document, message: Message) -> int:
    """The same for messages that say the same to the same eyes."""
    return hash((document.owner, document.scopes, message.role, message.text))


def _sorted(scopes: Iterable[str]) -> tuple[str, ...]:
    """As a store hands them out."""
    return tuple(sorted(set(scopes)))


def place_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def _upwards(path: Path) -> Iterator[Path]:
    """The path, and every folder that it is in."""
    yield path
    yield from path.parents
