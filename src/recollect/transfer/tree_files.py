"""Finds the files of an exported tree that were changed, and the page that each of them is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path

from recollect.errors import os_reason
from recollect.named_tuple import NamedTuple
from recollect.nouns import Problem, Receipt, among, grouped, of_type, without
from recollect.transfer.tree_manifest import Manifest, ManifestEntry, content_hash, pages_in
from recollect.tree import (
    BrokenPage,
    ParsedPage,
    address_at,
    link_keys,
    link_target,
    parse,
    path_key,
)
from recollect.tree.edits import Base


class TreeFile(NamedTuple):
    """A file whose content is not that of the manifest."""

    path: str
    hash: str
    said: ParsedPage
    was: str
    """The address of its page until now; empty for a new page."""
    address: str
    entry: ManifestEntry | None
    before: str = ""
    """Its path in the manifest, if it was moved."""

    @property
    def base(self) -> Base:
        """Hashes of what the file and the store last agreed on."""
        return self.entry.base if self.entry else Base({}, {})

    @property
    def had(self) -> Collection[str]:
        """The ids of the facts that were in it."""
        return self.base.facts

    @property
    def has_moved(self) -> bool:
        """Whether its page has another address now."""
        return self.was not in ("", self.address)


class TreeFiles(NamedTuple):
    """The files of a folder, and the pages that they are."""

    changed: list[TreeFile]
    kept: dict[str, ManifestEntry]
    """Files that were not changed, cannot be read or are not asked for: nothing in them is gone."""
    gone: list[str]
    """Paths of files that were deleted, not moved."""
    receipt: Receipt

    @property
    def moved(self) -> dict[str, str]:
        """The new addresses of pages by the old ones."""
        return {file.was: file.address for file in self.changed if file.has_moved}

    def holders(self) -> dict[str, list[str]]:
        """Returns the paths of the files that a fact is in, by its id."""
        kept = ((id, path) for path, entry in self.kept.items() for id in entry.base.facts)
        changed = ((item.id, file.path) for file in self.changed for item in file.said.items)
        return grouped((*kept, *changed))

    def targets(self, known: Collection[str], moved: Mapping[str, str]) -> dict[str, str]:
        """Returns the address (that of before a move) of the page that a link leads to, by the key
        of the link. *known* are the addresses of all pages, *moved* the pages by the paths that
        their files had earlier."""
        pages = {path: entry.page for path, entry in self.kept.items()}
        pages |= {file.path: file.was or file.address for file in self.changed}
        names: dict[str, set[str]] = {}
        for path, page in pages.items():
            names.setdefault(link_keys(path)[-1], set()).add(page)
        found = {name: min(some) for name, some in names.items() if len(some) == 1}
        found |= {path_key(link_target(path)): page for path, page in moved.items()}
        found |= {path_key(address): address for address in known}
        return found | {path_key(link_target(path)): page for path, page in pages.items()}


class _RefusedFile(NamedTuple):
    """A file that cannot be the page that it names."""

    path: str
    before: str
    why: str


class Scanned(NamedTuple):
    """The result of a walk over a folder."""

    read: list[tuple[str, str, ParsedPage]]
    """Files that were changed: path, hash, and parsed content."""
    kept: dict[str, ManifestEntry]
    """As :attr:`TreeFiles.kept`."""
    away: list[str]
    """Paths of files that are no longer there."""
    receipt: Receipt


def scan(root: Path, manifest: Manifest, *, only: str, max_bytes: int) -> Scanned:
    """Reads the files of the tree at *root*, or those below *only* in it."""
    found: list[tuple[str, str, ParsedPage]] = []
    problems: list[Problem] = []
    unchanged = 0
    paths = [path for path in pages_in(root) if _is_meant(path, only)]
    for path in paths:
        entry = manifest.files.get(path)
        try:
            raw = _raw(root / path, max_bytes)
            hash = content_hash(raw)
            if entry and entry.hash == hash:
                unchanged += 1 + len(entry.base.facts)
            else:
                found.append((path, hash, parse(_decoded(raw))))
        except BrokenPage as broken:
            problems.append(Problem(f"{root / path}:{broken.line}", broken.reason))
        except OSError as error:
            why = f"cannot be read: {os_reason(error)}"
            problems.append(Problem(str(root / path), why))
    away = {path for path in manifest.files if _is_meant(path, only)}.difference(paths)
    settled = away.union(path for path, _, _ in found)
    return Scanned(
        # An empty file that the manifest does not name was only just made, by an editor.
        [one for one in found if one[0] in manifest.files or one[2] != ParsedPage()],
        without(manifest.files, settled),
        sorted(away),
        Receipt(unchanged=unchanged, failed=tuple(problems)),
    )


def place(
    scanned: Scanned,
    root: Path,
    manifest: Manifest,
    known: Collection[str],
    stored: Collection[str],
) -> TreeFiles:
    """Decides which page each file is. *known* are the addresses of all pages, *stored* those of
    pages that are documents of their own; facts alone imply the others."""
    placed = list(_placed(scanned.read, manifest, set(scanned.kept), known, stored))
    changed = of_type(placed, TreeFile)
    refused = of_type(placed, _RefusedFile)
    failed = tuple(Problem(str(root / one.path), one.why) for one in refused)
    unread = (
        set(chain.from_iterable((one.path, one.before) for one in refused)) & manifest.files.keys()
    )
    kept = scanned.kept | {path: manifest.files[path]._replace(hash="") for path in unread}
    gone = set(scanned.away).difference(kept, (file.before for file in changed))
    return TreeFiles(changed, kept, sorted(gone), scanned.receipt + Receipt(failed=failed))


def _is_meant(path: str, only: str) -> bool:
    return not only or path == only or path.startswith(f"{only}/")


def _raw(place: Path, max_bytes: int) -> bytes:
    if place.is_symlink():
        raise OSError("a symbolic link; put the page itself there")
    size = place.stat().st_size
    if size > max_bytes:
        raise OSError(f"{size / 1e6:,.0f} MB is over the limit (setting import.max_mb)")
    return place.read_bytes()


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BrokenPage(line, "not UTF-8; save the file as UTF-8") from None


def _placed(
    read: list[tuple[str, str, ParsedPage]],
    manifest: Manifest,
    kept: set[str],
    known: Collection[str],
    stored: Collection[str],
) -> Iterator[TreeFile | _RefusedFile]:
    """Yields for each file the page that it is, or why it is none."""
    there = kept.union(path for path, _, _ in read)
    taken = {manifest.files[path].page for path in kept}
    held = {entry.page: path for path, entry in manifest.files.items()}
    for path, hash, said in read:
        before = held.get(said.id, "")
        if before in there and path not in manifest.files:
            why = f"a copy of {before}: both say `id: {said.id}`; take it out of one"
            yield _RefusedFile(path, before, why)
            continue
        gone = before if before not in there else ""
        file = _identified(path, hash, said, gone, manifest, known)
        if file.address in taken or (file.address in stored and file.address != file.was):
            yield _RefusedFile(path, before, f"there is a page {file.address} already")
            continue
        taken.add(file.address)
        yield file


def _identified(
    path: str,
    hash: str,
    said: ParsedPage,
    before: str,
    manifest: Manifest,
    known: Collection[str],
) -> TreeFile:
    """Returns the file with its page: the one that the file at *before*, which is gone, was; else
    the one that the manifest names, else one that is known, else a new one."""
    address = _address(path, said.id)
    if before:
        return TreeFile(path, hash, said, said.id, address, manifest.files[before], before)
    entry = manifest.files.get(path)
    if entry:
        return TreeFile(path, hash, said, entry.page, entry.page, entry)
    was = next(among((said.id, address), known), "")
    return TreeFile(path, hash, said, was, address, None)


def _address(path: str, id: str) -> str:
    """Returns the address that a path stands for; *id*, if the path stands for that."""
    address = address_at(path)
    return id if id and address_at(id) == address else address
