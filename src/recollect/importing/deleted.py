"""What the store has of places, and the disk has no more: it is found, and marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from recollect.arguments import is_there
from recollect.importing.imported import ImportedFiles
from recollect.importing.sources import SourceRoot, SourceRoots, origin_of, place_of, uris_of
from recollect.nouns import GONE, Document, Put, SourceStats, by_id
from recollect.ports import DocumentStamp, StorageEngine

MOST_PASSAGES = 1 << 30
"""More passages than a document has."""


class MissingDocuments:
    """Finds documents whose files are gone. It is asked after the walk, when every file that the
    walk met is marked as kept."""

    def __init__(
        self, store: StorageEngine, homes: SourceRoots, known: Callable[[str], ImportedFiles]
    ) -> None:
        self._store = store
        self._homes = homes
        self._known = known
        self.unread: set[Path] = set()
        """What could not be walked: nothing in it is gone."""

    def at(self, root: Path, home: SourceRoot, entered: set[str]) -> list[DocumentStamp]:
        """Returns the missing documents of a file or folder, and of other sources inside it."""
        return [*self._of_home(root, home), *self._inside(root, entered)]

    def without(self, root: Path) -> list[DocumentStamp]:
        """Returns all documents of a place that no longer exists."""
        uri = root.as_uri()
        gone: list[DocumentStamp] = []
        for source in self._homes.sources.values():
            for place in dict.fromkeys((uri, *uris_of(source))):
                if place == uri or place.startswith((f"{uri}/", f"{uri}#")):
                    gone += self._of_place(source, place)
        home = self._homes.nearest(str(root.parent))
        if home is not None:
            gone += self._of_home(root, home)
        return list(by_id(gone).values())

    def _of_home(self, root: Path, home: SourceRoot) -> list[DocumentStamp]:
        if root == home.base:
            below = root.name if home.source.kind == "file" else ""
        else:
            below = root.relative_to(home.base).as_posix()
        known = self._known(home.source.name)
        gone = known.gone(home.origin, below)
        found = [d for d in gone if self._was_walked(home.base / d.path)]
        inside = f"{root.as_uri()}/"
        away = (u for u in known.lines if u.startswith(inside) and not is_there(place_of(u)))
        return [*found, *chain.from_iterable(map(known.lines_gone, away))]

    def _inside(self, root: Path, entered: set[str]) -> Iterator[DocumentStamp]:
        inside = f"{root.as_uri()}/"
        for source in self._homes.sources.values():
            for uri in uris_of(source):
                place = place_of(uri)
                if not uri.startswith(inside) or not self._was_walked(place):
                    continue
                if not is_there(place):
                    yield from self._of_place(source, uri)
                elif source.name in entered and source.kind in ("folder", "sessions"):
                    gone = self._known(source.name).gone(origin_of(source, uri), "")
                    yield from (d for d in gone if not is_there(place / d.path))

    def _of_place(self, source: SourceStats, uri: str) -> list[DocumentStamp]:
        if source.kind == "git":
            return self._store.admin.stamps(source.name) if uri == source.uri else []
        known = self._known(source.name)
        return known.gone(origin_of(source, uri), "") + known.lines_gone(uri)

    def _was_walked(self, path: Path) -> bool:
        return path not in self.unread and self.unread.isdisjoint(path.parents)


def marked_gone(store: StorageEngine, missing: Iterable[DocumentStamp | Document]) -> Iterator[Put]:
    """Yields those of them that are not marked as gone yet, with the mark and otherwise as they are
    stored. An import of their file writes them without it."""
    for one in missing:
        if one.gone:
            continue
        for document in store.get(one.id):
            stored = store.passages([f"{one.id}:0"], after=MOST_PASSAGES)
            marked = document._replace(stamp=f"{document.stamp}{GONE}")
            yield Put(marked, tuple(each.passage for each in stored))
