"""``m.curation``: the facts one by one, and what curations did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect.arguments import clean, moment
from recollect.errors import NotFound, UsageError
from recollect.facts import OPEN
from recollect.memory import model_admin, requests, writes
from recollect.memory.core import Core
from recollect.models import worth
from recollect.nouns import Filter
from recollect.reading.sessions import visibility
from recollect.text.statements import in_force
from recollect.transfer import tree_export, tree_import
from recollect.tree import BrokenPage
from recollect.tree.log import PreludeLog, has_entry, written
from recollect.writing import facts, path, prelude, remember
from recollect.writing.curation import receipts, tidy

if TYPE_CHECKING:
    from recollect.facts import Fact
    from recollect.nouns import Receipt
    from recollect.transfer.tree_export import Topic
    from recollect.tree.log import Observation
    from recollect.writing.curation.receipts import CurationReceipt
    from recollect.writing.curation.tidy import Proposal


class Curation:
    """Facts looked at and changed by hand, and the receipts of what curations did."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def fact(self, name: str, *, owner: str | None = None) -> Fact:
        """One fact, by its id or a name that is its alone, in force or not."""
        return remember.find(self._core.store, self._owner(owner), clean(name))

    def timeline(self, fact: str, *, owner: str | None = None) -> Sequence[Fact]:
        """A fact, what it replaced and what replaced it, oldest first. The name may be one that
        only what was replaced has."""
        store = self._core.store
        try:
            found = self.fact(fact, owner=owner)
        except NotFound:
            older = remember.replaced(store, self._owner(owner), clean(fact))
            if older is None:
                raise
            found = older
        return remember.chain(store, found)

    def topics(
        self, *, owner: str | None = None, scopes: Sequence[str] | None = None
    ) -> dict[str, Topic]:
        """The pages of the context tree by their addresses, each with the facts that are on it, in
        force or not."""
        asked = requests.facts_asked(self._core, owner, scopes)
        return tree_export.topics(self._core.store, asked.owner, asked.scopes)

    def page_text(self, address: str, *, owner: str | None = None) -> str:
        """A page of the context tree with its facts, as Markdown to be edited."""
        found = self.topics(owner=owner)
        if address not in found:
            raise NotFound(f"there is no page {address!r}", hint="it may have been forgotten")
        return tree_export.page_text(found[address])

    def edit_page(
        self,
        address: str,
        before: str,
        after: str,
        *,
        owner: str | None = None,
        prune: bool = False,
        by: str = "",
    ) -> Receipt:
        """Applies what a person changed in the text of a page: *before* is what
        :meth:`page_text` gave them, *after* what they left. What was changed in the store since
        stays; what both have changed is refused. Facts that are no longer in the text stay, too,
        unless *prune* is true."""
        redact = bool(self._core.config["import.redact"])
        options = tree_import.TreeOptions(self._owner(owner), redact=redact, prune=prune, by=by)
        try:
            done = tree_import.edit_page(self._core.store, address, (before, after), options)
        except BrokenPage as broken:
            raise UsageError(str(broken), hint="mend that line; nothing was changed") from None
        model_admin.embed_newest(self._core, writes.REMEMBERED)
        return done

    # -------------------------------------------------------------- one fact, changed

    def alias(self, fact: str, *aliases: str, owner: str | None = None, by: str = "") -> Fact:
        """Teaches a fact further names."""
        if not aliases:
            raise UsageError("no alias is given", hint="give the fact and its new names")
        redacted = writes.redactor(self._core)
        new = tuple(redacted(clean(alias)) for alias in aliases)

        def named(f: Fact) -> Fact:
            return f._replace(aliases=tuple(dict.fromkeys((*f.aliases, *new))))

        return self._change(fact, owner, "alias " + ", ".join(new)[:200], named, by)

    def pin(
        self, fact: str, *, pinned: bool = True, owner: str | None = None, by: str = ""
    ) -> Fact:
        """Pins a fact, so that every context has it, or unpins it."""
        action = "pinned" if pinned else "unpinned"
        return self._change(fact, owner, action, lambda f: f._replace(pinned=pinned), by)

    def reword(
        self, fact: str, text: str, *, owner: str | None = None, by: str = "", embed: bool = True
    ) -> Fact:
        """Says a fact in other words. Its names, its time and what it replaced stay as they are;
        what it said before does not: to keep that, ``remember`` a new one instead."""
        said = writes.redactor(self._core)(clean(text))
        standing = in_force.standing(said).status

        def reworded(f: Fact) -> Fact:
            return f._replace(text=said, standing=standing)

        done = self._change(fact, owner, "reworded", reworded, by)
        if embed:
            model_admin.embed_newest(self._core, writes.REMEMBERED)
        return done

    def resolve(
        self,
        question: str,
        *,
        at: str | datetime | None = None,
        owner: str | None = None,
        by: str = "",
        why: str = "",
    ) -> Fact:
        """Closes an open question or a task."""
        when = moment(at, "at") or datetime.now(UTC)

        def resolved(f: Fact) -> Fact:
            if f.type not in OPEN:
                raise UsageError(
                    f"{f.title!r} is a {f.type}, which is neither open nor resolved",
                    hint="`recollect supersede` replaces a fact, `recollect forget` removes it",
                )
            return f._replace(resolved_at=when)

        return self._change(question, owner, "resolved", resolved, by, why)

    def supersede(
        self, old: str, new: str, *, owner: str | None = None, by: str = "", why: str = ""
    ) -> Fact:
        """Lets the fact *new* replace the fact *old*. Returns the new one."""
        older, newer = (self.fact(name, owner=owner) for name in (old, new))
        return self._written(newer.owner, facts.supersede(older.id, newer.id), by, why)

    # -------------------------------------------------------------- what curations did

    def receipts(self, *, limit: int = 20, owner: str | None = None) -> Sequence[CurationReceipt]:
        """What curations did, newest first."""
        requests.check_count("limit", limit, "receipts")
        return receipts.receipts(self._core.store, self._owner(owner), limit=limit)

    def undo(self, receipt: str = "", *, owner: str | None = None) -> CurationReceipt:
        """Restores the state before a curation, by the id of its receipt; the last one's if none is
        given. What was forgotten since stays forgotten."""
        return path.undo(self._core.store, self._owner(owner), receipt)

    def to_review(self, *, owner: str | None = None) -> Sequence[CurationReceipt]:
        """Receipts with changes that replace or contradict something, and wait for a look."""
        return receipts.waiting(self._core.store, self._owner(owner))

    def review(
        self, receipt: str, *ids: str, accept: bool, owner: str | None = None, by: str = ""
    ) -> CurationReceipt:
        """Accepts or rejects what waits in a receipt: these facts, or all. What is rejected goes,
        and what it had replaced holds again."""
        store = self._core.store
        kept = receipts.receipt(store, self._owner(owner), receipt)
        return path.review(store, kept, ids, accept=accept, by=by)

    def tidy(self, *, owner: str | None = None) -> Sequence[Proposal]:
        """What could be merged, linked or pruned, with reasons. Nothing is done."""
        pairs = self._core.pairs
        judge = pairs.judge if pairs else None
        return tidy.proposals(self._core.store, self._owner(owner), judge)

    # -------------------------------------------------------------- the prelude

    def observe(self, *, limit: int = 20, owner: str | None = None) -> Sequence[Observation]:
        """Reads the newest conversations that were not read yet, at most *limit*, and writes what
        their users said that is worth knowing to the log of the prelude. Returns that log."""
        requests.check_count("limit", limit, "conversations")
        core, whose = self._core, self._owner(owner)
        read = {id: of for log in prelude.stored(core.store, whose) for id, of in log.read.items()}
        newest = core.store.scan(Filter(owner=whose, kinds=("session",)), limit=limit).items
        unread = [
            one
            for one in newest
            if read.get(one.id) != prelude.version(one)
            and not (visibility.is_automated(one) or visibility.is_subagent(one))
        ]
        model, redacted = worth.SentenceModel(core.embedder), writes.redactor(core)
        found = {
            one.id: prelude.observed(one, model, redacted)
            for head in unread
            for one in core.store.get(head.id)
        }
        path.observe(core.store, whose, unread, found, core.pairs)
        return self.prelude(owner=owner)

    def prelude(self, *, owner: str | None = None) -> Sequence[Observation]:
        """The log of the prelude, oldest first."""
        asked = requests.facts_asked(self._core, owner)
        logs = prelude.stored(self._core.store, asked.owner, asked.scopes)
        return sorted(entry for log in logs for entry in log.entries)

    def prelude_text(self, *, owner: str | None = None) -> str:
        """The log of the prelude as Markdown to be edited."""
        return written(PreludeLog(entries=tuple(self.prelude(owner=owner))))

    def edit_prelude(
        self, text: str, *, owner: str | None = None, clear: bool = False
    ) -> Sequence[Observation]:
        """Replaces the log of the prelude by what a person left of :meth:`prelude_text`. Lines that
        are new are theirs: they stay until somebody takes them out. A text without an entry, which
        is more likely a mistake, is refused unless *clear* is true: then it erases the log."""
        if not clear and not has_entry(text):
            hint = "give clear=True (`recollect prelude --clear`) to erase the log"
            raise UsageError("the text has no entry, so that nothing was changed", hint=hint)
        whose = writes.owner_and_scopes(self._core, {"owner": owner})
        path.edit_prelude(self._core.store, **whose, text=writes.redactor(self._core)(text))
        return self.prelude(owner=owner)

    def _owner(self, owner: str | None) -> str:
        return requests.facts_asked(self._core, owner).owner

    def _change(
        self,
        name: str,
        owner: str | None,
        action: str,
        to: Callable[[Fact], Fact],
        by: str,
        why: str = "",
    ) -> Fact:
        fact = self.fact(name, owner=owner)
        return self._written(fact.owner, facts.change(fact.id, to, action), by, why)

    def _written(self, owner: str, work: facts.Work, by: str, why: str) -> Fact:
        redacted = writes.redactor(self._core)
        signed = facts.Signature(datetime.now(UTC), redacted(by), redacted(why))
        return path.write_facts(self._core.store, owner, work, signed).facts[0]
