"""An exported tree back into the store: what a person has changed in it, and nothing else.

A file whose content is as the manifest has it costs no more than reading it. Of the others, what
was changed is told from what the store has changed meanwhile (:mod:`recollect.tree.edits`). Facts
are written file by file, so that each says where its change came from; then all pages at once, so
that links can follow what was moved. Run again after being cut off, it goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from recollect.errors import InputError, UsageError
from recollect.facts import IS, Fact, checked, handle
from recollect.facts import SOURCE as FACTS
from recollect.nouns import UNIVERSAL, Change, Problem, Receipt, Remove, stable_id
from recollect.ports import Store
from recollect.text.keys import keys
from recollect.text.redact import redact
from recollect.transfer.tree_export import Topic, topics
from recollect.transfer.tree_files import Scanned, TreeFile, place, scan
from recollect.transfer.tree_manifest import Manifest, ManifestEntry, load, save
from recollect.tree import (
    DERIVED,
    SOURCE,
    FactItem,
    ParsedPage,
    Snippet,
    TopicPage,
    as_put,
    cleaned,
    describe,
    implied,
    link_keys,
    on_page,
    page_key,
    shown,
)
from recollect.tree.edits import FIELDS, Base, Edits, base_of, edits
from recollect.writing import facts
from recollect.writing import path as write_path
from recollect.writing.facts import ALONE, Beside, Edit, Signature, Work, WrittenFacts
from recollect.writing.remember import redacted, slug

CHANNEL = "tree"
_EDITABLE = (
    "text",
    "name",
    "type",
    "aliases",
    "pinned",
    "standing",
    "valid_from",
    "valid_to",
    "resolved_at",
    "superseded_by",
    "participants",
    "why",
)


class TreeOptions(NamedTuple):
    owner: str | None = None
    """Whose it is; as the manifest says, where nothing is said."""
    scopes: tuple[str, ...] | None = None
    """Of pages that are new and do not say."""
    redact: bool = True
    prune: bool = False
    dry_run: bool = False
    max_bytes: int = 100_000_000
    only: str = ""
    """A file or folder of the tree, if not all of it is meant."""


class _Changes(NamedTuple):
    """What is to be done with the facts of a file."""

    new: dict[str, Fact]
    edits: dict[str, Edit]
    bad: set[str]
    """Ids of facts with which something is wrong."""


def import_tree(store: Store, root: Path, options: TreeOptions) -> Receipt:
    """Apply what was changed in the tree at *root*."""
    manifest = load(root)
    if manifest is None:
        raise InputError(f"{root}: no tree was exported to it")
    owner = options.owner or manifest.owner
    if not _has_seen(store, owner, manifest):
        manifest = manifest._replace(files={})
    scanned = scan(root, manifest, only=options.only, max_bytes=options.max_bytes)
    if not scanned.read and not scanned.away:
        return Receipt(sources=(FACTS, SOURCE)) + scanned.receipt
    return _Import(store, root, manifest, scanned, options, owner).run()


def _has_seen(store: Store, owner: str, manifest: Manifest) -> bool:
    """Whether anything of the tree is known. If not, it is from another store, and all of it is
    new here."""
    return any(
        store.get(page_key(owner, entry.page))
        or store.by_handle([handle(owner, f"{IS}{id}") for id in entry.base.facts])
        for entry in manifest.files.values()
    )


class _Import:
    def __init__(
        self,
        store: Store,
        root: Path,
        manifest: Manifest,
        scanned: Scanned,
        options: TreeOptions,
        owner: str,
    ) -> None:
        self._root = root
        self._manifest = manifest
        self._options = options
        self._now = datetime.now(UTC)
        self._store = store
        self._owner = owner
        self._topics = topics(store, owner)
        self._facts = {fact.id: fact for topic in self._topics.values() for fact in topic.facts}
        known = {address: bool(page.stamp) for address, (page, _) in self._topics.items()}
        self._files = place(scanned, root, manifest, known)
        self._moved = self._files.moved
        self._holders = self._files.holders()
        self._targets = self._files.targets(self._topics, manifest.moved)
        self._receipt = Receipt(sources=(FACTS, SOURCE)) + self._files.receipt
        self._removes = options.prune and not options.dry_run and not self._receipt.failed
        """What is missing may be in a file that cannot be read: then nothing is removed."""
        self._entries = dict(self._files.kept)
        self._pages: dict[str, TopicPage] = {}
        self._gone: list[str] = []
        """Addresses of pages that are removed, or have moved."""

    def run(self) -> Receipt:
        for file in self._files.changed:
            self._apply(file)
        for path in self._files.gone:
            self._lose_file(path)
        self._write_pages()
        if not self._options.dry_run:
            self._save()
        return self._receipt

    def _tell(self, kind: str, path: str, why: str, line: int = 0) -> None:
        where = str(self._root / path) + (f":{line}" if line else "")
        level: Any = "warning" if kind == "warnings" else "failed"
        told: Any = {kind: (Problem(where, why, level),)}
        self._receipt += Receipt(**told)

    def _signed(self, path: str = "") -> Signature:
        source = str(self._root / path) if path else ""
        return Signature(self._now, source=source, channel=CHANNEL)

    def _write(self, work: Work, signed: Signature, beside: Beside = ALONE) -> WrittenFacts:
        dry_run = self._options.dry_run
        return write_path.write_facts(
            self._store, self._owner, work, signed, beside, dry_run=dry_run
        )

    # -------------------------------------------------------------- one file

    def _apply(self, file: TreeFile) -> None:
        topic = self._topics.get(file.was)
        file = file._replace(said=self._identified(self._resolved(file), file, topic))
        seen = self._seen(file, topic)
        found = edits(file.entry.base if file.entry else None, file.said, seen)
        for line, why in found.refused:
            self._tell("failed", file.path, why, line)
        scopes = self._scopes(file, found, topic)
        todo = self._changes(file, found, seen, scopes)
        try:
            page = self._page(file, found, topic, seen, todo)
            if todo.new or todo.edits:
                work = facts.edit(list(todo.new.values()), todo.edits)
                self._receipt += _counted(self._write(work, self._signed(file.path)))
        except UsageError as error:
            self._tell("failed", file.path, error.message)
            if file.entry:
                self._entries[file.before or file.path] = file.entry._replace(hash="")
            return
        if page is not None:
            self._pages[file.address] = page
        if file.was and file.was != file.address:
            self._gone.append(file.was)
        there = {item.id for item in file.said.items}
        lost = self._lose((id for id in file.had if id not in there), file.path)
        self._entries[file.path] = _agreed(file, found, todo.bad.union(lost), self._moved)

    def _resolved(self, file: TreeFile) -> ParsedPage:
        """What the file says, with addresses for its links; those that lead nowhere are told."""
        related: list[str] = []
        for target in file.said.related:
            found = next((self._targets[k] for k in link_keys(target) if k in self._targets), "")
            if found:
                related.append(found)
            else:
                why = f"links to {target!r}, which is not there; the link is left out"
                self._tell("warnings", file.path, why)
        return file.said._replace(related=tuple(dict.fromkeys(related)))

    def _identified(self, said: ParsedPage, file: TreeFile, topic: Topic | None) -> ParsedPage:
        """Every fact with an id. One whose comment was lost is known by what it says or, if it was
        in the file before, by its name; a new one has an id that follows from what it says, so
        that it is made once."""
        free = [f for f in (topic.facts if topic else ()) if f.id not in self._holders]
        same = {(f.name, f.text): f.id for f in free}
        names: dict[tuple[str, ...], list[str]] = {}
        for fact in free:
            if fact.name and fact.id in file.had:
                names.setdefault(keys(fact.name), []).append(fact.id)

        def known(item: FactItem) -> FactItem:
            if item.id:
                return item
            alike = names.get(keys(item.name), []) if item.name else []
            own = stable_id(self._owner, file.address, item.name, item.text)[:6]
            id = same.get((item.name, item.text)) or (alike[0] if len(alike) == 1 else "")
            return item._replace(id=id or f"{slug(item.name or item.text)}-{own}")

        facts, earlier = (tuple(map(known, some)) for some in (said.facts, said.earlier))
        return said._replace(facts=facts, earlier=earlier)

    def _seen(self, file: TreeFile, topic: Topic | None) -> ParsedPage | None:
        """The page as an export would show it now, with the facts that the file had."""
        if topic is None:
            return None
        on = {fact.id for fact in topic.facts}
        away = [self._facts[id] for id in file.had if id in self._facts and id not in on]
        seen = shown(topic.page, [*topic.facts, *away], now=self._now)
        return seen._replace(related=topic.page.related)

    def _scopes(self, file: TreeFile, found: Edits, topic: Topic | None) -> tuple[str, ...]:
        """Those of the page, for facts that say nothing of theirs."""
        if topic is None:
            silent = file.said.scopes == (UNIVERSAL,)
            return (silent and self._options.scopes) or file.said.scopes
        given: tuple[str, ...] = found.fields.get("scopes", topic.page.scopes)
        return given

    # -------------------------------------------------------------- its facts

    def _changes(
        self, file: TreeFile, found: Edits, seen: ParsedPage | None, scopes: tuple[str, ...]
    ) -> _Changes:
        todo = _Changes({}, {}, self._doubles(file))
        known = {item.id: item for item in seen.items} if seen else {}
        for item in found.items:
            if item.id in todo.bad:
                continue
            fact = self._facts.get(item.id)
            try:
                if fact is None:
                    todo.new[item.id] = checked(self._made(item, file.address, scopes))
                else:
                    edit = self._edit(item, known.get(item.id), file.address, scopes)
                    checked(edit.to(fact))
                    todo.edits[item.id] = edit
            except UsageError as error:
                self._tell("failed", file.path, error.message, item.line)
                todo.bad.add(item.id)
        if file.was != file.address and file.was in self._topics:
            move = Edit(lambda fact: on_page(fact, file.address), "moved")
            for fact in self._topics[file.was].facts:
                todo.edits.setdefault(fact.id, move)
        return todo

    def _doubles(self, file: TreeFile) -> set[str]:
        """Facts that are in the tree twice, where this is not the place in which they were."""
        met: set[str] = set()
        bad: set[str] = set()
        for item in file.said.items:
            others = [path for path in self._holders.get(item.id, ()) if path != file.path]
            if item.id in met or (others and item.id not in file.had):
                where = others[0] if others else "it twice"
                why = f"fact {item.id!r} is in {where}, too; without its comment it is a new one"
                self._tell("failed", file.path, why, item.line)
                bad.add(item.id)
            met.add(item.id)
        return bad

    def _made(self, item: FactItem, address: str, scopes: tuple[str, ...]) -> Fact:
        told = {name: getattr(item, name) for name in _EDITABLE}
        fact = Fact(
            id=item.id,
            created_at=item.created_at or self._now,
            owner=self._owner,
            scopes=item.scopes or scopes,
            **told,
        )
        return self._kept(on_page(fact, address))

    def _edit(
        self, item: FactItem, was: FactItem | None, address: str, scopes: tuple[str, ...]
    ) -> Edit:
        told = {name: getattr(item, name) for name in _EDITABLE}
        same_scopes = item.scopes == (was.scopes if was else None)

        def to(fact: Fact) -> Fact:
            links = dict.fromkeys((*fact.superseded_by, *item.superseded_by))
            made = fact._replace(
                **{**told, "superseded_by": tuple(links)},
                scopes=fact.scopes if same_scopes else item.scopes or scopes,
            )
            return self._kept(on_page(made, address))

        return Edit(to)

    def _kept(self, fact: Fact) -> Fact:
        return redacted(fact) if self._options.redact else fact

    # -------------------------------------------------------------- its page

    def _page(
        self,
        file: TreeFile,
        found: Edits,
        topic: Topic | None,
        seen: ParsedPage | None,
        todo: _Changes,
    ) -> TopicPage | None:
        """The page as it is to be, if that is another than it is."""
        fields = {name: self._clean(value) for name, value in found.fields.items()}
        if topic is None:
            fields["title"] = fields.get("title") or PurePosixPath(file.path).stem
            fields["scopes"] = self._scopes(file, found, None)
        page = topic.page if topic else TopicPage(file.address, "", owner=self._owner)
        homes = [t for a in {file.was, file.address} if (t := self._topics.get(a))]
        there = {*todo.new, *(fact.id for home in homes for fact in home.facts)}
        order = _order(file, seen, [*todo.new], there)
        moves = file.was != file.address and (topic is None or page.stamp)
        if not (fields or order or moves):
            return None
        related = fields.get("related", page.related)
        page = page._replace(
            **{**fields, "related": tuple(self._moved.get(one, one) for one in related)},
            address=file.address,
            created_at=page.created_at or file.said.created_at,
            updated_at=self._now if fields or order else page.updated_at,
            facts=order or page.facts,
            stamp="",
        )
        facts = [*(topic.facts if topic else ()), *todo.new.values()]
        made = cleaned(_owned(page, fields, facts))
        return None if topic is None and _follows(made, facts) else made

    def _clean(self, value: Any) -> Any:
        """Without the secrets that are in it."""
        if not self._options.redact:
            return value
        if isinstance(value, Snippet):
            return value._replace(text=redact(value.text).text)
        if isinstance(value, tuple):
            return tuple(map(self._clean, value))
        return redact(value).text

    # -------------------------------------------------------------- what is gone

    def _lose(self, ids: Iterable[str], path: str) -> list[str]:
        """Forget facts that are in no file any more, if that is asked for; which of them are
        only told."""
        left: list[str] = []
        for id in ids:
            if id not in self._facts or id in self._holders:
                continue
            if not self._removes:
                text = " ".join(self._facts[id].text.split())[:80]
                self._tell("missing", path, f"fact {id!r} is no longer in it: {text}")
                left.append(id)
            else:
                done = self._write(facts.forget(id), self._signed(path))
                self._receipt += Receipt(forgotten=done.receipt.forgotten)
        return left

    def _lose_file(self, path: str) -> None:
        """Remove the page of a file that is no more, if that is asked for."""
        entry = self._manifest.files[path]
        if entry.page not in self._topics:
            return
        if self._removes:
            self._gone.append(entry.page)
        else:
            self._tell("missing", path, f"the file of the page {entry.page} is no longer there")
            self._entries[path] = entry
        self._lose(entry.base.facts, path)

    # -------------------------------------------------------------- the end

    def _write_pages(self) -> None:
        """All pages in one transaction; what links to a page that was moved follows it."""
        pages = dict(self._pages)
        for address, (page, _) in self._topics.items():
            related = tuple(self._moved.get(one, one) for one in page.related)
            follows = page.stamp and related != page.related
            if follows and address not in pages and address not in self._gone:
                pages[address] = page._replace(related=related)
        stored = [a for a in self._gone if a in self._topics and self._topics[a].page.stamp]
        if not pages and not stored:
            return
        changes: list[Change] = [as_put(page) for page in pages.values()]
        changes += [Remove(self._topics[address].page.key) for address in stored]
        beside = Beside(more=lambda _: changes)
        done = self._write(facts.edit([], {}), self._signed(), beside).receipt
        moved = len(set(stored).intersection(self._moved))
        self._receipt += done._replace(
            added=done.added - moved, removed=done.removed - moved, changed=done.changed + moved
        )

    def _save(self) -> None:
        moved = {f.before: f.was for f in self._files.changed if f.before}
        moved = {**self._manifest.moved, **moved}
        moved = {path: self._moved.get(page, page) for path, page in moved.items()}
        try:
            save(self._root, self._manifest._replace(files=self._entries, moved=moved))
        except OSError as error:
            why = f"its manifest cannot be written: {error.strerror or error}"
            self._tell("warnings", "", why)


def _order(
    file: TreeFile, seen: ParsedPage | None, new: Sequence[str], there: Collection[str]
) -> tuple[str, ...]:
    """The order of the facts in the file, if a person has made it another than it would be."""
    wanted = {item.id: None for item in file.said.items if item.id in there}
    usual = [item.id for item in seen.facts] if seen else []
    usual += [*new, *(item.id for item in (seen.earlier if seen else ()))]
    if [id for id in usual if id in wanted] == list(wanted):
        return ()
    if [id for id in file.had if id in wanted] == list(wanted):
        return ()  # it is the store that has put them into another
    return (*wanted, *(id for id in usual if id not in wanted))


def _counted(done: WrittenFacts) -> Receipt:
    """What was done to facts. That their pages follow is not told."""
    added = sum(pair.before is None for pair in done.changed)
    return Receipt(
        added=added - done.receipt.tombstoned,
        changed=len(done.changed) - added,
        unchanged=done.receipt.unchanged,
        tombstoned=done.receipt.tombstoned,
    )


def _follows(page: TopicPage, facts: Sequence[Fact]) -> bool:
    """Whether the page is what its facts alone would make of it."""
    if not facts:
        return False
    alone = implied(page.address, facts, page.owner)
    return all(
        getattr(page, name) == getattr(alone, name) for name in FIELDS if name not in DERIVED
    )


def _owned(page: TopicPage, fields: Collection[str], facts: Iterable[Fact]) -> TopicPage:
    """What a person wrote of what follows from facts stays; what they took away follows from the
    facts again."""
    bare = describe(page._replace(own=()), [on_page(fact, page.address) for fact in facts])
    own = set(page.own)
    for name in DERIVED:
        if name in fields:
            theirs = getattr(page, name)
            (own.add if theirs and theirs != getattr(bare, name) else own.discard)(name)
    return page._replace(own=tuple(own))


def _agreed(file: TreeFile, found: Edits, unsettled: set[str], moved: Any) -> ManifestEntry:
    """What the file and the store agree on now. What they do not stays as it was agreed on
    before, and the file is looked at again the next time."""
    said = file.said._replace(related=tuple(moved.get(a, a) for a in file.said.related))
    was = file.entry.base if file.entry else Base({}, {})
    now = base_of(said)
    fields = now.fields | found.apart.fields
    facts = {id: hash for id, hash in now.facts.items() if id not in unsettled}
    facts |= {id: was.facts[id] for id in was.facts if id in unsettled} | found.apart.facts
    agreed = "" if unsettled or found.refused else file.hash
    return ManifestEntry(file.address, agreed, Base(fields, facts))
