"""Which source a place belongs to, and under which name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Place, Source, SourceStats, by_name, not_among
from recollect.text.terms import fold


class SourceRoot(NamedTuple):
    """A source, and the folder or file that the paths of its files are relative to."""

    source: Source
    base: Path
    origin: str
    """Where a source gathers several places, files of the same path are told apart by it."""

    @classmethod
    def at(cls, base: Path, source: Source) -> SourceRoot:
        return cls(source, base, origin_of(source, base.as_uri()))

    def path_of(self, place: str) -> str:
        """Returns the path of a file relative to the source."""
        base = str(self.base)
        return os.path.basename(base) if place == base else place[len(base.rstrip("/")) + 1 :]


class SourceRoots:
    """The sources of a store. A place belongs to the innermost source that contains it, unless the
    caller names another."""

    def __init__(self, sources: Sequence[SourceStats], wanted: str | None) -> None:
        self.sources = by_name(sources)
        # Names that differ in case alone would be one name to a filter, so they are one here.
        same = (s for s in self.sources if wanted is not None and fold(s) == fold(wanted))
        self._name = next(same, wanted)
        self.renames = wanted is not None
        """Whether what is known under another name is to have the given one, too."""
        self._taken = set(map(fold, self.sources))
        self.places: dict[str, Source] = {}
        """The known files and folders, by their paths."""
        self._nearest_to: dict[str, SourceRoot | None] = {}
        self._named: dict[str, str] = {}

    def look_from(self, root: Path) -> None:
        """Prepares the lookup of sources for an import of *root*."""
        named = [s for s in self.sources.values() if s.name == self._name]
        own = set(chain.from_iterable(map(uris_of, named)))
        self.renames = self._name is not None and root.as_uri() not in own
        others = () if self.renames else self.sources.values()
        self._nearest_to = {}
        self.places = {
            str(place_of(uri)): Source(s.name, s.kind, s.uri, places=s.places)
            for s in (*others, *named)
            for uri in _roots(s)
        }

    def known(self, name: str) -> Source | None:
        """Returns the source as the store has it; None if the store does not have it."""
        about = self.sources.get(name)
        return about and Source(about.name, about.kind, about.uri, about.stamp, about.places)

    def stats(self, name: str) -> SourceStats:
        """Returns the statistics of a source; no documents for one that the store does not have."""
        return self.sources.get(name) or SourceStats(name, "", "", 0)

    def learn(self, source: Source, more: int = 0) -> None:
        """Registers the source, with so many more documents."""
        name, kind, uri, stamp, places = source
        held = self.stats(name).documents
        self.sources[name] = SourceStats(name, kind, uri, held + more, stamp, places)
        self._taken.add(fold(name))

    def source(self, kind: str, place: Path, stamp: str = "", suffix: str = "") -> Source:
        """Returns the source at this place: the one that the store has, else a new one named after
        the place."""
        uri = place.as_uri() + suffix
        known = next((s for s in self.sources.values() if s.uri == uri), None)
        if known is not None and (suffix or not self.renames):
            return Source(known.name, kind, uri, stamp, known.places)
        if self._name is None or suffix:
            return Source(self._fresh_name(place, uri, suffix), kind, uri, stamp)
        # A named source may gather several places; it keeps the first as its own.
        first = self.stats(self._name)
        if not first.uri:
            return Source(self._name, kind, uri, stamp)
        return Source(
            first.name, first.kind, first.uri, stamp if first.uri == uri else "", first.places
        )

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

    def file_of(self, document: Document) -> str:
        """Returns the file that a stored document came from; empty if it came from no file."""
        uri = document.origin or self.stats(document.source).uri
        base = place_of(uri)
        if not uri.startswith("file:"):
            return ""
        return str(base / document.path if base.is_dir() else base)

    def home(self, root: Path, kind: str) -> SourceRoot:
        """Returns the source of the place *root*."""
        found = self.nearest(str(root))
        return found or SourceRoot.at(root, self.source(kind if root.is_dir() else "file", root))

    def nearest(self, path: str) -> SourceRoot | None:
        """Returns the innermost known source that is at the path or contains it."""
        if path in self.places:
            return SourceRoot.at(Path(path), self.places[path])
        above = os.path.dirname(path)
        if above not in self._nearest_to:
            self._nearest_to[above] = None if above == path else self.nearest(above)
        return self._nearest_to[above]


def home_of(sources: Sequence[SourceStats], path: Path) -> SourceRoot | None:
    """Returns the place that a file belongs to; None if it is in no known one."""
    roots = SourceRoots(sources, None)
    roots.look_from(path)
    return roots.nearest(str(path))


def source_of(sources: Sequence[SourceStats], path: Path) -> str:
    """Returns the name of the source that a file belongs to; empty if it is in no known place."""
    home = home_of(sources, path)
    return home.source.name if home else ""


def as_added(source: Source, here: Place, *, own: bool) -> Source:
    """Returns the source after *here* was added: as one more of its places if it is its *own*, and
    with the same redaction for the places inside *here*."""
    places = {p.uri: p for p in places_of(source)}
    for uri, place in places.items():
        if uri.startswith(f"{here.uri}/"):
            places[uri] = place._replace(redact=here.redact)
    if own:
        places[here.uri] = here
    return source._replace(places=tuple(places.values()))


def _roots(source: SourceStats) -> Iterable[str]:
    """Returns the URIs of the places whose files belong to the source. The file of a JSONL source
    is a source itself, and is not among them."""
    if source.kind not in ("folder", "sessions", "file", "jsonl"):
        return ()
    own = {source.uri} if source.kind == "jsonl" else set()
    return list(not_among(uris_of(source), own))


def origin_of(source: Source | SourceStats, uri: str) -> str:
    """Returns the origin of the documents at a place: empty for the first place of the source."""
    return "" if uri == source.uri else uri


def places_of(source: Source | SourceStats) -> tuple[Place, ...]:
    """Returns the places of a source; one without options where none were saved."""
    return source.places or (Place(source.uri),)


def uris_of(source: SourceStats) -> tuple[str, ...]:
    """Returns the URIs of all places of a source, its own first."""
    return tuple(dict.fromkeys((source.uri, *(place.uri for place in source.places))))


def place_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
