"""Files and folders into a store: whose they are, and what of them is known already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from recollect.config import Config
from recollect.memory.arguments import names
from recollect.ports import Store
from recollect.sources import files, jsonl, notes
from recollect.text.terms import fold
from recollect.types import Document, Filter, Problem, Receipt, Source
from recollect.writing.importing import import_documents

IMPORT_VERSION = 1
"""Changes when the same file would be read into other documents: it is then read again."""


Home = tuple[Source, Path]
"""A source, and the place that the paths of its files are told from."""


class Importer:
    """One call of ``add``. Every file belongs to the source that is nearest to it: a file or
    folder inside a known folder is imported as a part of that, and never twice."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        source: str | None,
        owner: str | None,
        scopes: Sequence[str] | None,
        progress: Callable[[int], None],
    ) -> None:
        self._store = store
        self._owner = owner or config["import.owner"]
        self._scopes = names(scopes) or config["import.scopes"]
        self._max_bytes = config["import.max_mb"] * 1_000_000
        self._progress = progress
        stats = store.stats()
        self._location = stats.location
        self._sources = {s.name: s for s in stats.sources}
        self._forgotten = stats.tombstones > 0
        # Names that differ in case alone would be one name to a filter, so they are one here.
        alike = [s for s in self._sources if source is not None and fold(s) == fold(source)]
        self._name = alike[0] if alike else source
        self._taken = {fold(s) for s in self._sources}
        self._folders = {
            s.uri: Source(s.name, "folder", s.uri)
            for s in stats.sources
            if s.kind == "folder" and self._name in (None, s.name)
        }
        self._homes: dict[Path, Home | None] = {}

    def add(self, root: Path) -> Receipt:
        """Import what is at *root*, less what is known to be as it was."""
        receipt = Receipt()
        groups: dict[Home, list[files.Found | Problem]] = {}
        home: Home | None = None
        for found in files.walk(root, self._location):
            if isinstance(found, files.Found) and found.path.suffix.lower() in files.JSONL:
                receipt += self._jsonl(found)
                continue
            home = home or self._home(root)
            nearest = (
                home if isinstance(found, Problem) else self._nearest(found.path.parent) or home
            )
            groups.setdefault(nearest, []).append(found)
        for (source, base), some in groups.items():
            unchanged, changed = self._sorted(some, source, base)
            receipt += Receipt(unchanged=unchanged)
            receipt += self._import(source, self._notes(changed, source, base))
        return receipt

    def _import(self, source: Source, items: Iterable[Document | Problem]) -> Receipt:
        return import_documents(
            self._store, source, items, self._known(source.name), self._progress
        )

    # -------------------------------------------------------------- whose it is

    def _known(self, source: str) -> Source | None:
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

    def _home(self, root: Path) -> Home:
        """The source of what is at *root*, and the place its paths are told from."""
        found = self._nearest(root if root.is_dir() else root.parent)
        return found or (self._source("folder" if root.is_dir() else "file", root), root)

    def _nearest(self, folder: Path) -> Home | None:
        """The known source that the folder is in, the innermost of several."""
        if folder not in self._homes:
            known = self._folders.get(folder.as_uri())
            if known is not None:
                self._homes[folder] = known, folder
            else:
                above = folder.parent
                self._homes[folder] = None if above == folder else self._nearest(above)
        return self._homes[folder]

    # -------------------------------------------------------------- what is in it

    def _jsonl(self, found: files.Found) -> Receipt:
        options = f"{IMPORT_VERSION}:{self._owner}:{','.join(self._scopes)}"
        source = self._source("jsonl", found.path, f"{found.stamp}:{options}:{found.path}")
        if source == self._known(source.name) and not self._forgotten:
            held = self._sources[source.name].documents
            return Receipt(unchanged=held, sources=(source.name,))
        return self._import(source, jsonl.documents(found, source.name, self._owner, self._scopes))

    def _sorted(
        self, found: Iterable[files.Found | Problem], source: Source, base: Path
    ) -> tuple[int, list[files.Found | Problem]]:
        """How many files are known to be as they were, and the others."""
        origin = self._origin(source, base)
        known = {d.external: d for d in self._scan(source.name) if d.origin == origin}
        unchanged = 0
        others: list[files.Found | Problem] = []
        for file in found:
            if isinstance(file, files.Found):
                if not base.is_file():
                    file = file._replace(relative=file.path.relative_to(base).as_posix())
                old = known.get(file.relative)
                if old and (old.stamp, old.owner, old.scopes) == (
                    file.stamp, self._owner, tuple(sorted(set(self._scopes))),
                ):  # fmt: skip
                    unchanged += 1
                    continue
            others.append(file)
        return unchanged, others

    def _notes(
        self, found: Iterable[files.Found | Problem], source: Source, base: Path
    ) -> Iterator[Document | Problem]:
        for file in found:
            if isinstance(file, Problem):
                yield file
                continue
            text = files.read_text(file, self._max_bytes, named=base.is_file())
            if isinstance(text, Problem):
                yield text
            else:
                document = notes.document(text, source.name, self._owner, self._scopes)
                yield document._replace(origin=self._origin(source, base))

    @staticmethod
    def _origin(source: Source, base: Path) -> str:
        """Where a source gathers several places, files of the same path are told apart by it."""
        return "" if source.uri == base.as_uri() else base.as_uri()

    def _scan(self, source: str) -> Iterator[Document]:
        cursor = ""
        while True:
            page = self._store.scan(Filter(sources=(source,)), limit=1000, cursor=cursor)
            yield from page.items
            cursor = page.cursor
            if not cursor:
                return
