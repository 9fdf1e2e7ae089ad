"""Exports the context tree of a store: collects its pages with their facts, and writes files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.errors import InputError, UsageError, os_reason
from recollect.facts import Fact, FactFilter
from recollect.named_tuple import NamedTuple
from recollect.nouns import Problem, group_by, json_list, not_among
from recollect.ports import Store
from recollect.transfer.tree_manifest import (
    Manifest,
    ManifestEntry,
    content_hash,
    is_whole,
    load,
    replace,
    save,
)
from recollect.tree import (
    DERIVED,
    INDEX,
    TopicPage,
    file_name,
    implied,
    link_target,
    linked,
    page_of,
    path_key,
    shown,
    write,
)
from recollect.tree.edits import base_of
from recollect.writing.facts import every_fact
from recollect.writing.pages import pages_of


class Topic(NamedTuple):
    """A page as it is now, and the facts that are on it."""

    page: TopicPage
    facts: tuple[Fact, ...]


def topics(store: Store, owner: str, scopes: tuple[str, ...] | None = None) -> dict[str, Topic]:
    """Returns all pages of an owner by address: those that are stored, and those that only facts
    name or imply."""
    on = group_by(page_of, every_fact(store, owner, scopes))
    pages = pages_of(store, owner, scopes)
    known = {page.address for page in pages}
    pages += [implied(address, some, owner) for address, some in on.items() if address not in known]
    pages = linked(sorted(pages, key=lambda page: page.address))
    return {page.address: Topic(page, tuple(on.get(page.address, ()))) for page in pages}


def page_text(topic: Topic) -> str:
    """Returns a page as Markdown to be edited: without its address, the times that nobody edits,
    and the fields that follow from its facts."""
    page = topic.page
    followed: dict[str, Any] = {
        name: TopicPage._field_defaults[name] for name in DERIVED if name not in page.own
    }
    seen = shown(page._replace(**followed, created_at=None, updated_at=None), topic.facts)
    facts, earlier = (
        tuple(one._replace(created_at=None, ended=None) for one in some)
        for some in (seen.facts, seen.earlier)
    )
    return write(seen._replace(id="", facts=facts, earlier=earlier))


# ------------------------------------------------------------------ as files


class TreeExport(NamedTuple):
    """What an export did. Counts are of files, but for *facts*."""

    folder: str
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    pages: int = 0
    facts: int = 0
    refused: tuple[Problem, ...] = ()
    """Files that a person has edited since; they were not written."""
    stale: tuple[Problem, ...] = ()
    """Files whose page is gone; only pruning removes them."""

    def as_json(self) -> dict[str, Any]:
        listed = {name: json_list(getattr(self, name)) for name in ("refused", "stale")}
        return {**self._asdict(), **listed}


def export_tree(
    store: Store, folder: Path, asked: FactFilter, *, prune: bool = False, force: bool = False
) -> TreeExport:
    """Writes a file for each page. A file that a person has edited since is left alone unless
    *force* is true. Files whose page is gone are removed if *prune* is true."""
    before = _manifest_for(folder, asked.owner, force=force)
    found = topics(store, asked.owner, asked.scopes)
    try:
        return _Export(folder, before, found, asked.at, prune=prune, force=force).run()
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {os_reason(error)}") from error


def _manifest_for(folder: Path, owner: str, *, force: bool) -> Manifest:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="give a folder for the tree")
    before = load(folder)
    if force:
        return (before or Manifest.empty(owner))._replace(owner=owner)
    if before is None and folder.is_dir() and any(map(is_whole, folder.iterdir())):
        raise UsageError(
            f"{folder} is not empty, and no tree was exported to it",
            hint="give a folder of its own, such as one inside your vault; or --force",
        )
    before = before or Manifest.empty(owner)
    if before.owner != owner:
        raise UsageError(
            f"the tree in {folder} is {before.owner}'s, not {owner}'s",
            hint="give each owner a folder, or --force",
        )
    return before


class _Export:
    def __init__(
        self,
        folder: Path,
        before: Manifest,
        found: Mapping[str, Topic],
        now: datetime,
        *,
        prune: bool,
        force: bool,
    ) -> None:
        self._folder = folder
        self._before = before
        self._topics = found
        self._now = now
        self._prune = prune
        self._force = force
        self._counts = {"written": 0, "unchanged": 0, "removed": 0}
        self._refused: list[Problem] = []
        self._stale: list[Problem] = []

    def run(self) -> TreeExport:
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = self._paths()
        pages = {
            paths[address]: self._page(topic, paths) for address, topic in self._topics.items()
        }
        indexes = self._indexes(paths)
        self._announce(pages, indexes)
        files: dict[str, ManifestEntry] = {}
        for path, (raw, entry) in pages.items():
            old = self._before.files.get(path)
            kept = self._put(path, raw, old.hash if old else None)
            agreed = entry if kept else old
            if agreed:
                files[path] = agreed
        files |= self._left(files)
        hashes = self._put_indexes(indexes)
        moved = self._before.moved if self._refused else {}  # else all links are written anew
        save(self._folder, Manifest(self._before.owner, files, hashes, moved))
        return TreeExport(
            str(self._folder),
            **self._counts,
            pages=len(self._topics),
            facts=sum(len(topic.facts) for topic in self._topics.values()),
            refused=tuple(self._refused),
            stale=tuple(self._stale),
        )

    def _page(self, topic: Topic, paths: Mapping[str, str]) -> tuple[bytes, ManifestEntry]:
        """Returns the file of a page, and its entry in the manifest."""
        page, facts = topic
        seen = shown(page, facts, paths, self._now)
        raw = write(seen).encode()
        base = base_of(seen._replace(related=page.related))
        return raw, ManifestEntry(page.address, content_hash(raw), base)

    def _announce(
        self, pages: Mapping[str, tuple[bytes, ManifestEntry]], indexes: Mapping[str, bytes]
    ) -> None:
        coming = self._before._replace(
            files={path: entry for path, (_, entry) in pages.items()},
            indexes={path: content_hash(raw) for path, raw in indexes.items()},
        )
        if coming != self._before:
            save(self._folder, self._before, coming)

    def _paths(self) -> dict[str, str]:
        """Returns a path for each page: that of the manifest, else a new one."""
        paths = {e.page: path for path, e in self._before.files.items() if e.page in self._topics}
        taken = set(map(path_key, self._before.files))
        for address in not_among(self._topics, paths):
            paths[address] = file_name(address, taken)
            taken.add(path_key(paths[address]))
        return paths

    def _put(self, path: str, raw: bytes, agreed: str | None) -> bool:
        """Writes the file at *path*, if it may be written over; tells whether it has this content
        now. *agreed* is the hash of its content when it was last written or read."""
        place = self._folder / path
        there = place.read_bytes() if place.is_file() else None
        if there == raw:
            self._counts["unchanged"] += 1
            return True
        why = "" if self._force else _why_not(path, there, agreed)
        if place.is_symlink() or not self._is_inside(place):
            why = "a link that leads out of the folder"
        if why:
            self._refused.append(Problem(path, why))
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        replace(place, raw)
        self._counts["written"] += 1
        return True

    def _is_inside(self, place: Path) -> bool:
        parent = next(filter(Path.exists, place.parents))
        return parent.resolve().is_relative_to(self._folder.resolve())

    def _left(self, files: Mapping[str, ManifestEntry]) -> dict[str, ManifestEntry]:
        """Removes or reports the files of pages that are no more; returns those that stay."""
        left: dict[str, ManifestEntry] = {}
        for path, entry in self._before.files.items():
            if path in files or self._removed(path, entry.hash, force=self._force):
                continue
            left[path] = entry
            if self._prune:
                self._refused.append(Problem(path, "its page is no more, but it was edited since"))
            else:
                self._stale.append(Problem(path, "its page is no more"))
        return left

    def _removed(self, path: str, agreed: str, *, force: bool) -> bool:
        """Removes a file if pruning is asked for and nobody has edited it; tells whether it is
        gone."""
        place = self._folder / path
        if not place.is_file():
            return True
        is_ours = force or content_hash(place.read_bytes()) == agreed
        if not (self._prune and is_ours and self._is_inside(place)):
            return False
        place.unlink()
        self._counts["removed"] += 1
        for folder in place.parents:
            if folder == self._folder or any(folder.iterdir()):
                break
            folder.rmdir()
        return True

    def _indexes(self, paths: Mapping[str, str]) -> dict[str, bytes]:
        """Returns an index of its pages for each domain, by path."""
        domains: dict[str, list[str]] = {}
        for address in sorted(paths, key=lambda address: paths[address]):
            domain, _, below = paths[address].partition("/")
            if below:
                domains.setdefault(path_key(domain), []).append(address)
        found: dict[str, bytes] = {}
        for addresses in domains.values():
            domain = paths[addresses[0]].partition("/")[0]
            listed = [(paths[a], self._topics[a].page) for a in addresses]
            found[f"{domain}/{INDEX}"] = _index(domain, listed).encode()
        return found

    def _put_indexes(self, indexes: Mapping[str, bytes]) -> dict[str, str]:
        """Writes them, and removes those of domains that are gone; returns the hashes by path."""
        found: dict[str, str] = {}
        for path, raw in indexes.items():
            old = self._before.indexes.get(path)
            if self._put(path, raw, old):
                found[path] = content_hash(raw)
            elif old:
                found[path] = old
        others = ((p, hash) for p, hash in self._before.indexes.items() if p not in found)
        found |= {p: hash for p, hash in others if not self._removed(p, hash, force=False)}
        return found


def _why_not(path: str, there: bytes | None, agreed: str | None) -> str:
    """Says why a file may not be written over; empty if it may."""
    derived = path.endswith(f"/{INDEX}")
    if there is None:
        deleted = "deleted since; `recollect add --prune` removes the page, --force writes it again"
        return "" if agreed is None or derived else deleted
    if agreed is None:
        return "a file of yours is there; `recollect add` reads it, --force overwrites it"
    if content_hash(there) == agreed:
        return ""
    if derived:
        return "edited since, but made anew and never read; --force overwrites it"
    return "edited since; `recollect add` applies the edits, --force overwrites them"


def _index(domain: str, pages: Sequence[tuple[str, TopicPage]]) -> str:
    lines = [f"# {domain}", ""]
    for path, page in sorted(pages, key=lambda one: path_key(one[0])):
        title = page.title.translate(_IN_LINK)
        said = f": {page.summary}" if page.summary else ""
        lines.append(f"- [[{link_target(path)}|{title}]]{said}")
    return "\n".join([*lines, ""])


_IN_LINK = str.maketrans({"[": "(", "]": ")", "|": "/"})
