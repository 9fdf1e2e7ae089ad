"""Applies to the store what a person has changed in an exported tree, and nothing else.

A file whose hash is that of the manifest is read and not parsed. In the others, edits of a person
are told from changes of the store since the export (:mod:`recollect.tree.edits`). Facts are written
file by file, so that the provenance of each change names its file. All pages are written at the end
in one transaction, so that links follow pages that were moved. An import that was cut off is
continued by running it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from recollect.errors import InputError, UsageError, os_reason
from recollect.facts import IS, Fact, checked, handle
from recollect.facts import SOURCE as FACTS
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    LOCAL,
    UNIVERSAL,
    Change,
    Problem,
    Receipt,
    Remove,
    among,
    attributes,
    by_id,
    not_among,
    only,
    stable_id,
    without,
)
from recollect.ports import Store
from recollect.text.keys import keys
from recollect.text.redact import redact
from recollect.transfer.tree_export import Topic, topics
from recollect.transfer.tree_files import Scanned, TreeFile, place, scan
from recollect.transfer.tree_manifest import Manifest, ManifestEntry, content_hash, load, save
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
    parse,
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
    """The owner of the tree; the manifest names it where this is None."""
    scopes: tuple[str, ...] | None = None
    """The scopes of new pages whose file names none."""
    redact: bool = True
    prune: bool = False
    dry_run: bool = False
    max_bytes: int = 100_000_000
    only: str = ""
    """The file or folder of the tree to import; empty for all of it."""
    by: str = ""
    """Who edits, for the provenance of what is changed."""


class _FactChanges(NamedTuple):
    """The changes to the facts of one file."""

    new: dict[str, Fact]
    edits: dict[str, Edit]
    bad: set[str]
    """Ids of facts that are refused."""


def import_tree(store: Store, root: Path, options: TreeOptions) -> Receipt:
    """Applies the edits that were made to the tree at *root*."""
    manifest = load(root)
    if manifest is None:
        raise InputError(f"{root}: no tree was exported to it")
    owner = options.owner or manifest.owner
    if not any(_is_stored(store, owner, entry) for entry in manifest.files.values()):
        manifest = manifest._replace(files={})  # it is from another store: all of it is new here
    scanned = scan(root, manifest, only=options.only, max_bytes=options.max_bytes)
    if not scanned.read and not scanned.away:
        return Receipt(sources=(FACTS, SOURCE)) + scanned.receipt
    work = _Import(store, root, manifest, scanned, options, owner)
    return work.run() if options.dry_run else work.run_and_save()


def edit_page(store: Store, address: str, texts: tuple[str, str], options: TreeOptions) -> Receipt:
    """Applies what a person changed in the text of one page: *texts* are the one that they were
    shown (:func:`recollect.transfer.tree_export.page_text`) and the one that they left. No file is
    read or written. Raises BrokenPage."""
    before, after = map(parse, texts)
    owner, path = options.owner or LOCAL, f"{address}.md"
    topic = topics(store, owner).get(address)
    if topic:  # what neither text says follows from the facts, as it does in the store
        followed = [name for name in DERIVED if not getattr(before, name)]
        before, after = (_filled(one, topic.page, followed) for one in (before, after))
    entry = ManifestEntry(address, "", base_of(before))
    scanned = Scanned([(path, content_hash(texts[1].encode()), after)], {}, [], Receipt())
    manifest = Manifest.empty(owner)._replace(files={path: entry})
    return _Import(store, Path(), manifest, scanned, options, owner).run()


def _filled(said: ParsedPage, page: TopicPage, names: Iterable[str]) -> ParsedPage:
    """Returns what a text says, with these fields as the page has them where it says nothing."""
    missing: dict[str, Any] = {n: getattr(page, n) for n in names if not getattr(said, n)}
    return said._replace(**missing)


def _is_stored(store: Store, owner: str, entry: ManifestEntry) -> bool:
    """Tells whether the store has the page of a file, or one of its facts."""
    handles = [handle(owner, f"{IS}{id}") for id in entry.base.facts]
    return bool(store.get(page_key(owner, entry.page)) or store.by_handle(handles))


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
        self._facts = by_id(chain.from_iterable(topic.facts for topic in self._topics.values()))
        self._stored = {a: topic.page for a, topic in self._topics.items() if topic.page.stamp}
        self._files = place(scanned, root, manifest, self._topics, self._stored)
        self._moved = self._files.moved
        self._holders = self._files.holders()
        self._targets = self._files.targets(self._topics, manifest.moved)
        self._receipt = Receipt(sources=(FACTS, SOURCE)) + self._files.receipt
        self._removes = options.prune and not options.dry_run and not self._receipt.failed
        """False if a file cannot be read: what is missing elsewhere may be in it."""
        self._entries = dict(self._files.kept)
        self._pages: dict[str, TopicPage] = {}
        self._gone: list[str] = []
        """Addresses of pages that were removed or moved."""

    def run(self) -> Receipt:
        for file in self._files.changed:
            self._apply(file)
        for path in self._files.gone:
            self._lose_file(path)
        self._write_pages()
        return self._receipt

    def run_and_save(self) -> Receipt:
        """Applies the edits, and notes in the manifest what file and store agree on now."""
        self.run()
        self._save()
        return self._receipt

    def _fail(self, path: str, why: str) -> None:
        self._receipt += Receipt(failed=(Problem(str(self._root / path), why),))

    def _fail_line(self, path: str, line: int, why: str) -> None:
        self._fail(f"{path}:{line}", why)

    def _warn(self, path: str, why: str) -> None:
        self._receipt += Receipt(warnings=(Problem(str(self._root / path), why, "warning"),))

    def _miss(self, path: str, why: str) -> None:
        self._receipt += Receipt(missing=(Problem(str(self._root / path), why),))

    def _write(self, work: Work, source: str, beside: Beside = ALONE) -> WrittenFacts:
        signed = Signature(self._now, self._options.by, source=source, channel=CHANNEL)
        dry_run = self._options.dry_run
        return write_path.write_facts(
            self._store, self._owner, work, signed, beside, dry_run=dry_run
        )

    def _topic(self, address: str) -> Topic:
        """Returns the page at an address with its facts; an empty page if there is none."""
        none = Topic(TopicPage(address, "", owner=self._owner), ())
        return self._topics.get(address, none)

    def _relinked(self, addresses: Iterable[str]) -> tuple[str, ...]:
        """Returns the addresses, those of moved pages as they are now."""
        return tuple(self._moved.get(address, address) for address in addresses)

    # -------------------------------------------------------------- one file

    def _apply(self, file: TreeFile) -> None:
        file = file._replace(said=self._identified(self._resolved(file), file))
        topic = self._topic(file.was)
        seen = self._seen(file, topic) if file.was in self._topics else None
        found = edits(file.base, file.said, seen)
        for line, why in found.refused:
            self._fail_line(file.path, line, why)
        seen = seen or ParsedPage()
        fields = self._fields(file, found)
        todo = self._changes(file, found, seen, fields.get("scopes", topic.page.scopes))
        try:
            page = self._page(file, fields, topic, seen, todo)
            self._write_facts(file, todo)
        except UsageError as error:
            self._fail(file.path, error.message)
            if file.entry:
                self._entries[file.before or file.path] = file.entry._replace(hash="")
            return
        if page is not None:
            self._pages[file.address] = page
        if file.has_moved:
            self._gone.append(file.was)
        there = set(_ids(file.said.items))
        lost = self._lose(not_among(file.had, there), file.path)
        self._entries[file.path] = self._agreed(file, found, todo.bad.union(lost))

    def _write_facts(self, file: TreeFile, todo: _FactChanges) -> None:
        if todo.new or todo.edits:
            work = facts.edit(list(todo.new.values()), todo.edits)
            self._receipt += _counted(self._write(work, str(self._root / file.path)))

    def _resolved(self, file: TreeFile) -> ParsedPage:
        """Replaces the targets of links by addresses, and warns of those that lead nowhere."""
        related: list[str] = []
        for target in file.said.related:
            page = next(filter(None, map(self._targets.get, link_keys(target))), "")
            related.append(page)
            if not page:
                why = f"links to {target!r}, which is not there; the link is left out"
                self._warn(file.path, why)
        return file.said._replace(related=tuple(dict.fromkeys(filter(None, related))))

    def _identified(self, said: ParsedPage, file: TreeFile) -> ParsedPage:
        """Gives every fact an id. A fact whose comment was lost is found by its name and text or,
        if it was in the file before, by its name. The id of a new fact is a hash of what it says,
        so that a second import does not add it again."""
        free = [f for f in self._topic(file.was).facts if f.id not in self._holders]
        same = {(f.name, f.text): f.id for f in free}
        names = _by_name([f for f in free if f.id in file.had])

        def known(item: FactItem) -> FactItem:
            if item.id:
                return item
            own = stable_id(self._owner, file.address, item.name, item.text)[:6]
            new = f"{slug(item.name or item.text)}-{own}"
            return item._replace(
                id=same.get((item.name, item.text)) or names.get(keys(item.name), new)
            )

        return said._replace(
            facts=tuple(map(known, said.facts)), earlier=tuple(map(known, said.earlier))
        )

    def _seen(self, file: TreeFile, topic: Topic) -> ParsedPage:
        """Returns the page as an export would show it now, with the facts that the file had."""
        had = {id: self._facts[id] for id in file.had if id in self._facts}
        some = by_id(topic.facts) | had
        seen = shown(topic.page, some.values(), now=self._now)
        return seen._replace(related=topic.page.related)

    def _fields(self, file: TreeFile, found: Edits) -> dict[str, Any]:
        """Returns the fields of the page that change; a new page has a title and scopes."""
        fields: dict[str, Any] = dict(found.fields)
        if self._options.redact:
            fields = {name: _without_secrets(value) for name, value in fields.items()}
        if file.was in self._topics:
            return fields
        fields["title"] = fields.get("title") or PurePosixPath(file.path).stem
        fields["scopes"] = file.said.scopes
        if file.said.scopes == (UNIVERSAL,):
            fields["scopes"] = self._options.scopes or file.said.scopes
        return fields

    # -------------------------------------------------------------- its facts

    def _changes(
        self, file: TreeFile, found: Edits, seen: ParsedPage, scopes: tuple[str, ...]
    ) -> _FactChanges:
        todo = _FactChanges({}, {}, self._doubles(file))
        shown_scopes = {item.id: item.scopes for item in seen.items}
        for item in found.items:
            if item.id in todo.bad:
                continue
            same = item.scopes == shown_scopes.get(item.id)
            try:
                self._change(todo, item, file.address, scopes, same_scopes=same)
            except UsageError as error:
                self._fail_line(file.path, item.line, error.message)
                todo.bad.add(item.id)
        if file.has_moved:
            move = Edit(lambda fact: on_page(fact, file.address), "moved")
            for fact in self._topic(file.was).facts:
                todo.edits.setdefault(fact.id, move)
        return todo

    def _doubles(self, file: TreeFile) -> set[str]:
        """Returns the ids of facts that the tree has twice, if they were not in this file."""
        met: set[str] = set()
        bad: set[str] = set()
        for item in file.said.items:
            others = [path for path in self._holders.get(item.id, ()) if path != file.path]
            if item.id in met or (others and item.id not in file.had):
                where = [*others, "it twice"][0]
                why = f"fact {item.id!r} is in {where}, too; without its comment it is a new one"
                self._fail_line(file.path, item.line, why)
                bad.add(item.id)
            met.add(item.id)
        return bad

    def _change(
        self,
        todo: _FactChanges,
        item: FactItem,
        address: str,
        scopes: tuple[str, ...],
        *,
        same_scopes: bool,
    ) -> None:
        """Adds the fact of an item to the new ones, or its edit to the edits, if it can be kept."""
        told = attributes(item, _EDITABLE)
        scopes = item.scopes or scopes

        def to(fact: Fact) -> Fact:
            links = dict.fromkeys((*fact.superseded_by, *item.superseded_by))
            made = fact._replace(**{**told, "superseded_by": tuple(links)})
            if not same_scopes:
                made = made._replace(scopes=scopes)
            return self._kept(made, address)

        if item.id in self._facts:
            checked(to(self._facts[item.id]))
            todo.edits[item.id] = Edit(to)
            return
        created = item.created_at or self._now
        fact = Fact(id=item.id, created_at=created, owner=self._owner, scopes=scopes, **told)
        todo.new[item.id] = checked(self._kept(fact, address))

    def _kept(self, fact: Fact, address: str) -> Fact:
        placed = on_page(fact, address)
        return redacted(placed) if self._options.redact else placed

    # -------------------------------------------------------------- its page

    def _page(
        self,
        file: TreeFile,
        fields: dict[str, Any],
        topic: Topic,
        seen: ParsedPage,
        todo: _FactChanges,
    ) -> TopicPage | None:
        """Returns the page as it is to be stored, or None if nothing of it changes."""
        page = topic.page
        there = {*todo.new, *_ids(topic.facts), *_ids(self._topic(file.address).facts)}
        order = _order(file, seen, [*todo.new], there)
        edited = bool(fields or order)
        if not edited and not (page.stamp and file.has_moved):
            return None
        page = page._replace(
            **{**fields, "related": self._relinked(fields.get("related", page.related))},
            address=file.address,
            created_at=page.created_at or file.said.created_at,
            updated_at=self._now if edited else page.updated_at,
            facts=order or page.facts,
            stamp="",
        )
        facts = [*topic.facts, *todo.new.values()]
        made = cleaned(_owned(page, fields, facts))
        return None if file.was not in self._topics and _follows(made, facts) else made

    # -------------------------------------------------------------- what is gone

    def _lose(self, ids: Iterable[str], path: str) -> list[str]:
        """Forgets facts that are in no file any more if pruning is asked for, else reports them.
        Returns the ids of those that were only reported."""
        lost = [id for id in ids if id in self._facts and id not in self._holders]
        if self._removes:
            for id in lost:
                done = self._write(facts.forget(id), str(self._root / path))
                self._receipt += Receipt(forgotten=done.receipt.forgotten)
            return []
        for id in lost:
            text = " ".join(self._facts[id].text.split())[:80]
            self._miss(path, f"fact {id!r} is no longer in it: {text}")
        return lost

    def _lose_file(self, path: str) -> None:
        """Removes the page of a deleted file if pruning is asked for, else reports it."""
        entry = self._manifest.files[path]
        if entry.page not in self._topics:
            return
        if self._removes:
            self._gone.append(entry.page)
        else:
            self._miss(path, f"the file of the page {entry.page} is no longer there")
            self._entries[path] = entry
        self._lose(entry.base.facts, path)

    # -------------------------------------------------------------- the end

    def _write_pages(self) -> None:
        """Writes all pages in one transaction, those that link to a moved page among them."""
        settled = {*self._pages, *self._gone}
        others = (page for address, page in self._stored.items() if address not in settled)
        relinked = ((page, self._relinked(page.related)) for page in others)
        pages = list(self._pages.values())
        pages += [page._replace(related=new) for page, new in relinked if new != page.related]
        gone = list(among(self._gone, self._stored))
        changes: list[Change] = list(map(as_put, pages))
        changes += [Remove(self._stored[address].key) for address in gone]
        if not changes:
            return
        beside = Beside(more=lambda _: changes)
        done = self._write(facts.edit([], {}), "", beside).receipt
        moved = len(set(gone).intersection(self._moved))
        self._receipt += done._replace(
            added=done.added - moved, removed=done.removed - moved, changed=done.changed + moved
        )

    def _save(self) -> None:
        before = {file.before: file.was for file in self._files.changed if file.before}
        moved = {**self._manifest.moved, **before}
        moved = dict(zip(moved, self._relinked(moved.values()), strict=True))
        try:
            save(self._root, self._manifest._replace(files=self._entries, moved=moved))
        except OSError as error:
            why = f"its manifest cannot be written: {os_reason(error)}"
            self._warn("", why)

    def _agreed(self, file: TreeFile, found: Edits, unsettled: set[str]) -> ManifestEntry:
        """Returns what the file and the store agree on now. What they do not agree on stays as it
        was, and without a hash the file is read again the next time."""
        now = base_of(file.said._replace(related=self._relinked(file.said.related)))
        was = file.base.facts
        facts = without(now.facts, unsettled)
        facts |= only(was, unsettled) | found.apart.facts
        hash = "" if unsettled or found.refused else file.hash
        return ManifestEntry(file.address, hash, Base(now.fields | found.apart.fields, facts))


def _ids(some: Iterable[Fact | FactItem]) -> list[str]:
    return [one.id for one in some]


def _by_name(some: Sequence[Fact]) -> dict[tuple[str, ...], str]:
    """Returns the ids of facts by the keys of their names, without names that two of them have."""
    named = [(keys(fact.name), fact.id) for fact in some if fact.name]
    count = Counter(name for name, _ in named)
    return {name: id for name, id in named if count[name] == 1}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, Snippet):
        return value._replace(text=redact(value.text).text)
    if isinstance(value, tuple):
        return tuple(map(_without_secrets, value))
    return redact(value).text


def _order(
    file: TreeFile, seen: ParsedPage, new: Sequence[str], there: Collection[str]
) -> tuple[str, ...]:
    """Returns the order of the facts in the file, or nothing if a person did not change it."""
    wanted = {id: None for id in _ids(file.said.items) if id in there}
    usual = [*_ids(seen.facts), *new, *_ids(seen.earlier)]
    # That of the manifest is not a person's either: the store has another order since.
    orders = (list(filter(wanted.__contains__, ids)) for ids in (usual, file.had))
    if list(wanted) in orders:
        return ()
    return (*wanted, *not_among(usual, wanted))


def _counted(done: WrittenFacts) -> Receipt:
    """Counts the facts that were written; their pages are not counted."""
    added = sum(pair.before is None for pair in done.changed)
    return Receipt(
        added=added - done.receipt.tombstoned,
        changed=len(done.changed) - added,
        unchanged=done.receipt.unchanged,
        tombstoned=done.receipt.tombstoned,
    )


def _follows(page: TopicPage, facts: Sequence[Fact]) -> bool:
    """Tells whether the page is the one that its facts imply, so that it need not be stored."""
    alone = implied(page.address, facts, page.owner)
    names = set(FIELDS).difference(DERIVED)
    return bool(facts) and attributes(page, names) == attributes(alone, names)


def _owned(page: TopicPage, fields: Collection[str], facts: Iterable[Fact]) -> TopicPage:
    """Marks the derived fields that a person wrote as their own. One that a person emptied is
    derived from the facts again."""
    bare = describe(page._replace(own=()), [on_page(fact, page.address) for fact in facts])
    edited = set(DERIVED).intersection(fields)
    own = {n for n in edited if getattr(page, n) not in ("", (), getattr(bare, n))}
    return page._replace(own=tuple(own.union(page.own) - (edited - own)))
