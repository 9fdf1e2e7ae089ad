"""The files of an exported tree: which of them are not as they were, and which page each is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.nouns import Problem, Receipt
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


class TreeFile(NamedTuple):
    """A file that is not as it was."""

    path: str
    hash: str
    said: ParsedPage
    was: str
    """The address of its page until now; empty for a new one."""
    address: str
    entry: ManifestEntry | None
    before: str = ""
    """Where it was, if it was moved."""

    @property
    def had(self) -> Collection[str]:
        """The ids of the facts that it had."""
        return self.entry.base.facts if self.entry else ()


class TreeFiles(NamedTuple):
    """What a folder has."""

    changed: list[TreeFile]
    kept: dict[str, ManifestEntry]
    """Files that are as they were, or that cannot be read or are not asked for: nothing in them
    is gone."""
    gone: list[str]
    """Paths of files that are no more, and were not moved."""
    receipt: Receipt

    @property
    def moved(self) -> dict[str, str]:
        """Addresses that are others now."""
        return {f.was: f.address for f in self.changed if f.was and f.was != f.address}

    def holders(self) -> dict[str, list[str]]:
        """Which files a fact is in, by its id."""
        found: dict[str, list[str]] = {}
        for path, entry in self.kept.items():
            for id in entry.base.facts:
                found.setdefault(id, []).append(path)
        for file in self.changed:
            for item in file.said.items:
                found.setdefault(item.id, []).append(file.path)
        return found

    def targets(self, known: Collection[str], moved: Mapping[str, str]) -> dict[str, str]:
        """What a link may say, and the page (by its address until now) that it means. *moved* are
        paths that files had earlier."""
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
    """A file that cannot be the page that it says."""

    path: str
    before: str
    why: str


class Scanned(NamedTuple):
    """What a walk over a folder has met."""

    read: list[tuple[str, str, ParsedPage]]
    """Files that are not as they were: path, hash, and what they say."""
    kept: dict[str, ManifestEntry]
    """As :attr:`TreeFiles.kept`."""
    away: list[str]
    """Paths of files that were there."""
    receipt: Receipt


def scan(root: Path, manifest: Manifest, *, only: str, max_bytes: int) -> Scanned:
    """The files of the tree at *root*, or of what is below *only* in it."""
    found = Scanned([], {}, [], Receipt())
    problems: list[Problem] = []
    unchanged = 0
    paths = list(pages_in(root))
    for path in paths:
        entry = manifest.files.get(path)
        try:
            raw = _raw(root / path, max_bytes) if _is_meant(path, only) else None
            hash = content_hash(raw) if raw is not None else ""
            if raw is not None and not (entry and entry.hash == hash):
                said = parse(_decoded(raw))
                if entry or said != ParsedPage():  # an editor has only made it yet
                    found.read.append((path, hash, said))
                continue
            unchanged += 1 + len(entry.base.facts) if entry and raw is not None else 0
        except BrokenPage as broken:
            problems.append(Problem(f"{root / path}:{broken.line}", broken.reason))
        except OSError as error:
            why = f"cannot be read: {error.strerror or error}"
            problems.append(Problem(str(root / path), why))
        if entry:
            found.kept[path] = entry
    for path in manifest.files.keys() - set(paths):
        if _is_meant(path, only):
            found.away.append(path)
        else:
            found.kept[path] = manifest.files[path]
    found.away.sort()
    return found._replace(receipt=Receipt(unchanged=unchanged, failed=tuple(problems)))


def place(scanned: Scanned, root: Path, manifest: Manifest, known: Mapping[str, bool]) -> TreeFiles:
    """Which pages the files are. *known* are the addresses of pages that there are, and whether
    they are stored or only facts name them."""
    placed = list(_placed(scanned.read, manifest, set(scanned.kept), known))
    changed = [one for one in placed if isinstance(one, TreeFile)]
    refused = [one for one in placed if isinstance(one, _RefusedFile)]
    failed = tuple(Problem(str(root / one.path), one.why) for one in refused)
    kept = dict(scanned.kept)
    for path in (path for one in refused for path in (one.path, one.before)):
        if path in manifest.files:
            kept[path] = manifest.files[path]._replace(hash="")
    moved = {file.before for file in changed}
    gone = [path for path in scanned.away if path not in moved and path not in kept]
    return TreeFiles(changed, kept, gone, scanned.receipt + Receipt(failed=failed))


def _is_meant(path: str, only: str) -> bool:
    return not only or path == only or path.startswith(f"{only}/")


def _raw(place: Path, max_bytes: int) -> bytes:
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
    known: Mapping[str, bool],
) -> Iterator[TreeFile | _RefusedFile]:
    """Which page each file is: the one it was, if it is where it was or says so."""
    there = kept.union(path for path, _, _ in read)
    taken = {manifest.files[path].page for path in kept}
    held = {entry.page: path for path, entry in manifest.files.items()}
    for path, hash, said in read:
        entry, before = manifest.files.get(path), held.get(said.id, "")
        if entry and (said.id == entry.page or not before or before in there):
            file = TreeFile(path, hash, said, entry.page, entry.page, entry)
        elif before in there:
            why = f"a copy of {before}: both say `id: {said.id}`; take it out of one"
            yield _RefusedFile(path, before, why)
            continue
        elif before:
            address, old = _address(path, said.id), manifest.files[before]
            file = TreeFile(path, hash, said, said.id, address, old, before)
        else:
            address = _address(path, said.id)
            was = next((one for one in (said.id, address) if one in known), "")
            file = TreeFile(path, hash, said, was, address, None)
        if file.address in taken or (file.address != file.was and known.get(file.address)):
            yield _RefusedFile(path, before, f"there is a page {file.address} already")
            continue
        taken.add(file.address)
        yield file


def _address(path: str, id: str) -> str:
    """The address that a path stands for; a path that stands for *id* stays that."""
    address = address_at(path)
    return id if id and address_at(id) == address else address
