"""Files and folders into a store: what is there, what of it has changed, and what is gone.

First a place is walked and a plan made, which tells what is to be read and as a part of what; then
it is read. What has not changed costs no more than the walk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.arguments import is_there, names
from recollect.config import Config
from recollect.errors import InputError, UsageError
from recollect.facts import Fact
from recollect.importing.contents import Contents, FileToRead, is_empty, is_mem0, is_memory
from recollect.importing.copies import Copies
from recollect.importing.deleted import MissingDocuments, marked_gone
from recollect.importing.forks import Forks
from recollect.importing.imported import ImportedFiles
from recollect.importing.options import ImportDefaults, ImportRequest
from recollect.importing.redaction import redacted_items
from recollect.importing.sources import SourceRoot, SourceRoots, as_added, origin_of, uris_of
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Document,
    Filter,
    Place,
    Problem,
    Put,
    Receipt,
    Register,
    Remove,
)
from recollect.ports import DocumentStamp, StorageEngine, scanned
from recollect.sources import files, git, jsonl
from recollect.sources.sessions import LOGS, format_of, home_of
from recollect.sources.sessions.beside import log_of
from recollect.text import stated
from recollect.transfer import tree_import
from recollect.transfer.tree_manifest import tree_of
from recollect.writing import path as write_path
from recollect.writing.documents import Item, batches
from recollect.writing.remember import redacted

if TYPE_CHECKING:
    from recollect.nouns import Source
    from recollect.sources.sessions.base import Format


class _Plan(NamedTuple):
    """What a walk of *root* found, sorted by what will be done with it."""

    root: Path
    home: SourceRoot
    only: Format | None
    """The session format whose logs are kept at *root*: other files are passed over."""
    groups: dict[SourceRoot, list[FileToRead | Problem]]
    """Files to be read, by the source that they belong to."""
    lines: list[files.FoundFile]
    """Files of lines in our own form."""
    skipped: list[Problem]
    unchanged: Counter[str]
    """How many documents of each source that was met are as they were."""
    trees: list[Path]
    """Folders that a context tree was exported to."""


class Importer:
    """One call of ``add``. A file belongs to the innermost source whose place contains it, so a
    file or folder inside a known folder is imported as a part of that, and never twice."""

    def __init__(
        self,
        store: StorageEngine,
        config: Config,
        options: ImportRequest,
        progress: Callable[[int], None],
    ) -> None:
        self._store = store
        self._options = options
        self._given = ImportDefaults(options, config)
        self._progress = progress
        stats = store.stats()
        self._location = stats.location
        self._forgotten = stats.tombstones > 0
        self._homes = SourceRoots(stats.sources, options.source)
        self._follow_links: bool = config["import.follow_links"]
        self._contents = Contents(
            Forks(store, self._was_forgotten),
            config["import.max_mb"] * 1_000_000,
            thoughts=config["import.thoughts"],
        )
        self._missing = MissingDocuments(store, self._homes, self._known)
        self._copies = Copies(store, self._homes.file_of)
        self._known_in: dict[str, ImportedFiles] = {}
        self._several = False
        self._met: set[str] = set()
        """Files that an earlier of several places had."""
        self._told: set[str] = set()
        """Ids of documents that are known to be gone."""

    def add(self, roots: Iterable[Path]) -> Receipt:
        """Imports the files at these places, except unchanged ones. A file that is in several
        places counts once."""
        places = list(dict.fromkeys(roots))
        self._several = len(places) > 1
        return sum(map(self._add, places), Receipt())

    def _add(self, root: Path) -> Receipt:
        tree = tree_of(root)
        if tree is not None:
            return self._tree(tree, root)
        self._homes.look_from(root)
        if not is_there(root):
            gone = self._missing.without(root)
            failed = Problem(str(root), "there is no such file or folder")
            return self._gone(gone) if gone else Receipt(failed=(failed,))
        only = home_of(root) if _may_hold_logs(root) else None
        home = self._homes.home(root, "sessions" if only else "folder")
        plan = self._plan(root, home, only)
        read = {nearest.source.name for nearest in plan.groups}
        receipt = Receipt(
            unchanged=plan.unchanged.total(),
            sources=tuple(sorted(plan.unchanged.keys() - read)),
        )
        for found in plan.lines:
            receipt += self._jsonl(found, named=found.path == root)
        for tree in plan.trees:
            receipt += self._tree(tree, tree)
        for nearest, some in plan.groups.items():
            receipt += self._import(nearest.source, self._documents(some, nearest))
        receipt += Receipt(skipped=tuple(plan.skipped))
        entered = read.union(plan.unchanged)
        if entered or root.is_dir():
            receipt += self._gone(self._missing.at(root, home, entered))
        if self._options.history and only is None and root.is_dir():
            receipt += self._repository(root)
        self._remember(root, home, receipt.sources)
        return receipt

    # -------------------------------------------------------------- what has changed

    def _plan(self, root: Path, home: SourceRoot, only: Format | None) -> _Plan:
        plan = _Plan(root, home, only, {}, [], [], Counter(), [])
        for folder in files.walk(root, self._location, follow_links=self._follow_links):
            if folder.is_tree:
                plan.trees.append(Path(folder.place))
            for problem in folder.problems:
                plan.groups.setdefault(home, []).append(problem)
                self._missing.unread.add(Path(problem.where))
            some = self._not_met(folder.files) if self._several else folder.files
            around = self._homes.nearest(folder.place)
            for found in self._changed(some, around, plan) if around else some:
                self._plan_file(found, plan)
        return plan

    def _plan_file(self, found: files.FoundFile, plan: _Plan) -> None:
        if plan.only is None and (log := _beside(found, plan.root)):
            said = f"comes with {log} and is no document of its own"
            plan.skipped.append(Problem(found.place, said, "skipped"))
            return
        if self._is_jsonl(found, plan.only):
            plan.lines.append(found)
            return
        if is_empty(found):
            told = Problem(found.place, "empty: there is nothing to import", "skipped")
            plan.skipped.append(told)
            return
        nearest = self._homes.nearest(found.place) or plan.home
        found = found._replace(relative=nearest.path_of(found.place))
        unchanged = self._unchanged(found, nearest)
        plan.unchanged[nearest.source.name] += unchanged
        if unchanged:
            return
        form = format_of(found.path)
        if plan.only is None or form is not None or is_memory(found.path):
            one = FileToRead(found, form, named=found.path == nearest.base)
            plan.groups.setdefault(nearest, []).append(one)

    def _not_met(self, some: list[files.FoundFile]) -> list[files.FoundFile]:
        new = [found for found in some if found.place not in self._met]
        self._met.update(found.place for found in new)
        return new

    def _changed(
        self, some: list[files.FoundFile], home: SourceRoot, plan: _Plan
    ) -> list[files.FoundFile]:
        """Returns the files of a folder without those that a walk alone shows to be unchanged,
        and counts these: one document came from each, with the same stamp."""
        if self._given.says_whose:
            return some
        known, end = self._known(home.source.name), self._given.stamp_end
        held, sources = known.files(home.origin), self._homes.places
        below = len(str(home.base).rstrip("/")) + 1
        changed, kept = list[files.FoundFile](), list[str]()
        for found in some:
            place, _, size, modified = found
            path = place[below:]
            documents = held.get(path, ())
            if (
                len(documents) == 1
                and documents[0].stamp == f"{modified}:{size}{end}"
                and place not in sources
            ):
                kept.append(path)
            else:
                changed.append(found)
        if kept:
            plan.unchanged[home.source.name] += len(kept)
        known.keep(home.origin, kept)
        return changed

    def _unchanged(self, found: files.FoundFile, home: SourceRoot) -> int:
        """Returns how many documents the store has from this file, if it is unchanged; else 0."""
        known = self._known(home.source.name)
        held = known.files(home.origin).get(found.relative, [])
        owner, scopes = self._whose(found, home)
        wanted = (self._given.stamp(found), owner, tuple(sorted(set(scopes))))
        if {(d.stamp, d.owner, d.scopes) for d in held} != {wanted}:
            return 0
        known.keep(home.origin, [found.relative])
        return len(held)

    def _whose(self, found: files.FoundFile, home: SourceRoot) -> tuple[str, tuple[str, ...]]:
        """Returns the owner and the scopes for a file: those that the caller gives, else those of
        its documents in the store, else those of the strictest document around it."""
        known, path = self._known(home.source.name), found.relative
        held = known.files(home.origin).get(path) or known.neighbours(home.origin, path)
        return self._given.whose(held)

    def _known(self, source: str) -> ImportedFiles:
        if source not in self._known_in:
            self._known_in[source] = ImportedFiles(self._store.admin.stamps(source))
        return self._known_in[source]

    def _was_forgotten(self, owner: str, session: str) -> bool:
        """Tells whether a session was forgotten: the store would not take it from its source."""
        if not self._forgotten:
            return False
        known = self._homes.sources.values()
        puts = [
            Put(Document(session, one.name, owner=owner, origin=origin_of(one, uri)), ())
            for one in known
            for uri in uris_of(one)
        ]
        return write_path.commit(self._store, puts, dry_run=True).tombstoned > 0

    # -------------------------------------------------------------- reading it

    def _import(self, source: Source, items: Iterable[Item]) -> Receipt:
        counts: Counter[str] = Counter()
        if self._given.redact:
            items = redacted_items(items, counts)
        receipt = write_path.add(
            self._store,
            source,
            items,
            self._homes.known(source.name),
            self._stored,
            dry_run=self._options.dry_run,
        )
        self._homes.learn(source._replace(stamp="") if receipt.failed else source, receipt.added)
        return receipt._replace(redacted=counts, left_out=self._contents.counted())

    def _stored(self, count: int) -> None:
        if not self._options.dry_run:
            self._contents.forks.stored()
            self._copies.stored()
        self._progress(count)

    def _documents(self, some: list[FileToRead | Problem], home: SourceRoot) -> Iterator[Item]:
        """Yields the documents of all files. Logs are read in the order of their mtime, so that
        of two sessions with the same messages the older one keeps them."""
        paths = [one.file.relative for one in some if isinstance(one, FileToRead)]
        changes = cache(partial(git.last_changes, home.base, paths))
        for one in sorted(some, key=_log_time):
            yield from [one] if isinstance(one, Problem) else self._file(one, home, changes)

    def _file(
        self, one: FileToRead, home: SourceRoot, changes: Callable[[], Mapping[str, git.Changed]]
    ) -> Iterator[Item]:
        """Yields the documents of a file, stamped as of before it is read: what is written
        meanwhile is new. The documents of a file that cannot be read whole are not gone."""
        known, stamp = self._known(home.source.name), self._given.stamp(one.file)
        whole = True
        for item in self._contents.documents(one, home, *self._whose(one.file, home)):
            if isinstance(item, Problem):
                whole &= item.level == "warning"
                yield item
                continue
            document = item.document if isinstance(item, Put) else item
            document = document._replace(origin=home.origin, stamp=stamp)
            if stated.is_mtime(document) and (last := changes().get(document.path)):
                meta = {**document.meta, "commit": last.commit}
                document = document._replace(date=last.date, meta=meta)
            known.seen.add(document.id)
            made = item._replace(document=document) if isinstance(item, Put) else document
            yield from self._copies.judged(made, one.file.place)
        if not whole:
            known.keep(home.origin, [one.file.relative])

    def _gone(self, some: Iterable[DocumentStamp | Document]) -> Receipt:
        """Reports missing documents once, and removes them if the caller asked to prune; else each
        is marked as gone, until its file is there again."""
        documents = [d for d in some if d.id not in self._told]
        self._told.update(d.id for d in documents)
        missing = tuple(Problem(d.path or d.external, "no longer in its source") for d in documents)
        if not self._options.prune:
            for batch, _ in batches(marked_gone(self._store, documents)):
                write_path.commit(self._store, batch, dry_run=self._options.dry_run)
            return Receipt(missing=missing)
        changes = [Remove(d.id) for d in documents]
        receipt = write_path.commit(self._store, changes, dry_run=self._options.dry_run)
        return receipt._replace(missing=missing if self._options.dry_run else ())

    def _remember(self, root: Path, home: SourceRoot, sources: Iterable[str]) -> None:
        """Saves in each source that was met how this place was added."""
        here = Place(root.as_uri(), self._options.redact, self._options.history)
        for name in sorted(set(sources)):
            known = self._homes.known(name)
            if known is None or known.kind == "git":
                continue
            own = name == home.source.name and root == home.base
            source = as_added(known, here, own=own)
            if source != known:
                self._register(source)

    def _register(self, source: Source) -> None:
        write_path.commit(self._store, [Register(source)], dry_run=self._options.dry_run)
        self._homes.learn(source)

    # -------------------------------------------------------------- files of lines

    def _facts(self, facts: list[Fact], found: files.FoundFile) -> Receipt:
        """Writes all facts of a file or none of them, because facts refer to each other."""
        some = list(map(redacted, facts)) if self._given.redact else facts
        try:
            receipt = write_path.add_facts(
                self._store, some, found.place, dry_run=self._options.dry_run
            )
        except UsageError as error:
            said = f"{error.message}; none of the {len(facts):,} facts was kept"
            return Receipt(failed=(Problem(found.place, said),))
        self._progress(len(facts))
        return receipt

    def _is_jsonl(self, found: files.FoundFile, only: Format | None) -> bool:
        """Tells whether a file holds documents, sessions or facts in our own JSONL form: such a
        file is a source of its own."""
        if only is not None or found.suffix not in files.JSONL:
            return False
        known = ("jsonl", found.path.as_uri())
        if any((s.kind, s.uri) == known and s.documents for s in self._homes.sources.values()):
            return True
        home = self._homes.nearest(found.place)
        if home and self._unchanged(found._replace(relative=home.path_of(found.place)), home):
            return False
        return not is_empty(found) and format_of(found.path) is None and not is_mem0(found)

    def _jsonl(self, found: files.FoundFile, *, named: bool) -> Receipt:
        uri = found.path.as_uri()
        source = self._homes.source("jsonl", found.path, found.stamp)
        home = None if self._homes.renames else self._homes.nearest(found.place)
        if home is not None and uri in self._known(home.source.name).lines:
            source = home.source
        before = self._homes.stats(source.name)
        whose = self._given.whose_in(before.stamp)
        options = self._given.for_stamp(*whose)
        source = source._replace(stamp=source.stamp and f"{source.stamp}\n{options}")
        if source.stamp and self._is_unchanged(source):
            return Receipt(unchanged=before.documents, sources=(source.name,))
        known = self._known(source.name)
        if not named and uri not in known.lines and jsonl.is_foreign(found.path):
            said = "another program's data: no line is a document, a session or a record"
            return Receipt(warnings=(Problem(found.place, f"{said}; not imported", "warning"),))

        facts: list[Fact] = []

        def seen() -> Iterator[Item]:
            for item in jsonl.documents(found, source.name, *whose):
                if isinstance(item, Fact):
                    facts.append(item)
                    continue
                if isinstance(item, Document):
                    known.seen.add(item.id)
                    item = item._replace(stamp=uri)
                yield item

        receipt = self._import(source, seen())
        if facts:
            receipt += self._facts(facts, found)
        if not receipt.failed:
            receipt += self._gone(known.lines_gone(uri))
        if source.stamp and (receipt.failed or receipt.missing):
            # It is to be read again the next time, and told what was said of it.
            self._register(source._replace(stamp=f"\n{options}"))
        return receipt

    def _is_unchanged(self, source: Source) -> bool:
        """Tells whether the store has the source with this stamp, and no document was forgotten."""
        held = self._homes.stats(source.name).documents
        return bool(held) and source == self._homes.known(source.name) and not self._forgotten

    # -------------------------------------------------------------- exported trees

    def _tree(self, tree: Path, root: Path) -> Receipt:
        """Imports the changes in an exported context tree, or only those in *root*, a folder of
        it."""
        options = tree_import.TreeOptions(
            self._options.owner,
            names(self._options.scopes),
            self._given.redact,
            self._options.prune,
            self._options.dry_run,
            self._contents.max_bytes,
            "" if root == tree else root.relative_to(tree).as_posix(),
        )
        try:
            receipt = tree_import.import_tree(self._store, tree, options)
        except InputError as error:
            return Receipt(failed=(Problem(str(tree), error.message),))
        self._progress(receipt.added + receipt.changed)
        return receipt

    # -------------------------------------------------------------- repositories

    def _repository(self, root: Path) -> Receipt:
        """Imports the commits and the file registry of a git repository: a source of its own,
        beside the source of its files."""
        if not (is_there(root / ".git") and git.is_repository(root)):
            return Receipt()
        name = self._homes.source("git", root, suffix="#git").name
        registered = list(self._scan(name, "file"))
        owner, scopes = whose = self._given.whose(registered)
        options = self._given.for_stamp(owner, scopes)
        source = self._homes.source("git", root, f"{git.head(root)}\n{options}", suffix="#git")
        before = self._homes.stats(name)
        former, _, were = before.stamp.partition("\n") if before.documents else ("", "", "")
        as_before = were == options
        known = {d.path: d for d in registered if d.owner == owner}
        gone = [known[path] for path in git.removed(root, known)]
        if len(known) < len(registered):
            gone += [d for d in self._scan(name) if d.owner != owner]
        if self._is_unchanged(source):
            return Receipt(unchanged=before.documents - len(gone)) + self._gone(gone)
        there = {p: d for p, d in known.items() if as_before and not d.gone}
        hashes = {p: str(d.meta.get("hash", "")) for p, d in there.items()}

        def records() -> Iterator[Item]:
            yield from git.commits(root, name, *whose, former if as_before else "")
            yield from git.registry(root, hashes, name, *whose)

        return self._import(source, records()) + self._gone(gone)

    def _scan(self, source: str, *kinds: str) -> Iterator[Document]:
        """Yields the documents of a source (only of these kinds), the latest first."""
        return scanned(self._store, Filter(sources=(source,), kinds=kinds or None), size=1000)


def _log_time(one: FileToRead | Problem) -> int:
    """Returns the mtime of a session log; 0 for everything else."""
    return one.file.modified if isinstance(one, FileToRead) and one.form else 0


def _beside(found: files.FoundFile, root: Path) -> str:
    """Returns the log that a file belongs to (an index, a journal); empty for a file of its own."""
    log = log_of(found.place)
    if not log or found.path in (root, Path(log)):
        return ""
    return "" if format_of(found.path) or is_memory(found.path) else log


def _may_hold_logs(root: Path) -> bool:
    """Tells whether the place could hold session logs, so that the formats are asked."""
    return root.is_dir() or root.suffix.lower() in LOGS
