"""The write path: something given in, a receipt out.

Theory of operation. Whatever is written to a store is first worked out as changes (``Put``,
``Remove``, ``Forget``, ``Register``, and ``Expect``: "as long as this is still there"), by code
that reads and does not write. Then :func:`commit` applies them as one ``ChangeSet``, whole or not
at all. It is the only place that does; dumps alone go past it (:mod:`recollect.transfer.archive`).

    add, put, record    documents → passages → batches of bounded size        documents.py
    remember            a fact → what is known of it → links → pages          remember.py, facts.py
    curate              a text → pieces → statements → groups → decisions     curation/
                        → facts, their pages, and a receipt
    observe             conversations → statements → the log of the prelude   prelude.py
    undo, review        a receipt → the documents as they were before it      curation/receipts.py
    forget              a document, and all that quotes it                    forgetting.py

Several processes may write at once. What was decided from a version that is no longer there is
refused by the store (``StoreChanged``), and decided again (:func:`commit_planned`). An import that
is cut off is continued by running it again, because to apply the same document twice changes
nothing. Indexes and vectors come after a write and never fail it (:mod:`.embedding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, TypeVar

from recollect.errors import StoreBusy, StoreChanged
from recollect.facts import SOURCE as FACTS
from recollect.facts import Fact, Remembered
from recollect.nouns import Change, ChangeSet, Document, Receipt, Register, Source, group_by
from recollect.ports import PairModel, StorageEngine, Store
from recollect.tree.log import Observation, PreludeLog
from recollect.writing import documents, facts, forgetting, prelude, runner
from recollect.writing import remember as new_facts
from recollect.writing.curation import apply, receipts, slots
from recollect.writing.curation import curate as curation
from recollect.writing.facts import ALONE, Beside, Signature, Work, WrittenFacts

TRIES = 50
"""How often a write is worked out anew because others were quicker."""


def commit(store: Store, changes: Iterable[Change], *, dry_run: bool = False) -> Receipt:
    """Applies changes in one transaction; a dry run tells what they would do."""
    return store.apply(ChangeSet(tuple(changes)), dry_run=dry_run)


class Planned(Protocol):
    """Changes that were decided from what a store held."""

    @property
    def changes(self) -> Sequence[Change]: ...


P = TypeVar("P", bound=Planned)


def commit_planned(
    store: Store, plan: Callable[[], P], about: str, *, dry_run: bool
) -> tuple[P, Receipt]:
    """Applies what *plan* decides, and has it decide again while others are quicker."""
    for _ in range(TRIES):
        decided = plan()
        try:
            return decided, commit(store, decided.changes, dry_run=dry_run)
        except StoreChanged:
            continue
    raise StoreBusy(f"{about} are being changed by others all the time", hint="try again")


# ------------------------------------------------------------------ documents


def add(
    store: Store,
    source: Source,
    items: Iterable[documents.Item],
    known: Source | None = None,
    progress: Callable[[int], None] = lambda _: None,
    *,
    dry_run: bool = False,
) -> Receipt:
    """Stores what *items* yields; *progress* is told how many documents have been stored.

    The source is made known before its documents, so that an import which is cut off is found
    again; its stamp says "this version has been read", and only a whole reading earns it.
    """
    unread = source._replace(stamp="")
    if known != unread:
        commit(store, [Register(unread)], dry_run=dry_run)
    receipt = Receipt(sources=(source.name,))
    complete = True
    for batch, problems in documents.batches(items):
        receipt += problems
        complete = complete and not problems.failed
        if batch:
            receipt += commit(store, batch, dry_run=dry_run)
            progress(len(batch))
    if complete and source.stamp:
        commit(store, [Register(source)], dry_run=dry_run)
    return receipt


# ------------------------------------------------------------------ facts


def write_facts(
    store: Store,
    owner: str,
    work: Work,
    signed: Signature,
    beside: Beside = ALONE,
    *,
    dry_run: bool = False,
) -> WrittenFacts:
    """Writes facts of one owner with their links and pages, and what is written *beside* them."""

    def plan() -> facts.FactChanges:
        return facts.planned(store, owner, work, signed, beside)

    about = f"the facts of {owner}"
    decided, receipt = commit_planned(store, plan, about, dry_run=dry_run)
    return WrittenFacts(decided.counted(receipt), decided.facts, decided.changed)


def remember(store: Store, new: new_facts.NewFact, pairs: PairModel | None = None) -> Remembered:
    """Keeps a fact that a caller tells, unless it is known already."""
    now = datetime.now(UTC)
    signed = Signature(now, new.by, "", new.source)
    remembering = new_facts.Remembering(store, new, now, pairs)
    written = write_facts(store, new.owner, remembering.work, signed)
    return remembering.decision.remembered(written)


def add_facts(store: Store, rows: Sequence[Fact], source: str, *, dry_run: bool = False) -> Receipt:
    """Keeps the facts of a file, owner by owner, those of an owner together or not at all."""
    signed = Signature(datetime.now(UTC), source=source)
    by_owner = group_by(lambda fact: fact.owner, rows)
    written = (
        write_facts(store, owner, facts.put(some), signed, dry_run=dry_run).receipt
        for owner, some in by_owner.items()
    )
    return sum(written, Receipt(sources=(FACTS,)))


# ------------------------------------------------------------------ texts, and what became of them


def curate(
    text: slots.SourceText,
    store: StorageEngine,
    extractor: slots.Extractor,
    *,
    pairs: PairModel | None = None,
    dry_run: bool = False,
    token: runner.Token | None = None,
    tell: Callable[[runner.Outcome], None] = lambda _: None,
) -> curation.Curated:
    """Makes facts and pages of a text. Six slots decide; the seventh writes the text, the facts,
    their pages and the receipt in one transaction."""

    def write(decisions: slots.Decisions) -> slots.CurationWrite:
        plan = apply.CurationPlan(store, text, decisions, pairs)
        signed = Signature(text.now, text.by, channel=text.channel)
        work = facts.edit(plan.new, plan.edits)
        write_facts(store, text.owner, work, signed, plan.beside, dry_run=dry_run)
        return plan.done()

    known = new_facts.KnownFacts(store, pairs)
    shelf = apply.StoredPages(store, text)
    return curation.curate(
        text, known, shelf, extractor, write, dry_run=dry_run, token=token, tell=tell
    )


def undo(store: StorageEngine, owner: str, id: str) -> receipts.CurationReceipt:
    """Brings back the state before a curation: that of this receipt, or the last one."""
    now = datetime.now(UTC)
    kept = receipts.receipt(store, owner, id) if id else receipts.last(store, owner)
    commit(store, receipts.undone(store, kept, now))
    store.admin.refresh()
    return kept._replace(undone=now)


def review(
    store: Store, kept: receipts.CurationReceipt, ids: Sequence[str], *, accept: bool, by: str
) -> receipts.CurationReceipt:
    """Accepts decisions of a curation, or takes them back."""
    if accept:
        judged, changes = receipts.accepted(kept, ids)
        commit(store, changes)
        return judged
    taken_back = receipts.Rejection(store, kept, ids)
    signed = Signature(datetime.now(UTC), by)
    write_facts(store, kept.owner, taken_back.work, signed, taken_back.beside)
    return taken_back.judged


# ------------------------------------------------------------------ the prelude


def observe(
    store: StorageEngine,
    owner: str,
    conversations: Sequence[Document],
    found: Mapping[str, Sequence[Observation]],
    pairs: PairModel | None,
) -> list[PreludeLog]:
    """Writes what was observed in conversations to the logs of those who may see them."""
    judge = pairs.judge if pairs else None
    logs = []
    for some in group_by(lambda one: one.scopes, conversations).values():
        plan = partial(prelude.with_observations, store, owner, some, found, judge)
        logs.append(commit_planned(store, plan, "the logs", dry_run=False)[0].log)
    return logs


def edit_prelude(store: StorageEngine, owner: str, scopes: Sequence[str], text: str) -> PreludeLog:
    """Writes the log as a person left it."""
    plan = partial(prelude.edited, store, owner, scopes, text, datetime.now(UTC))
    return commit_planned(store, plan, "the logs", dry_run=False)[0].log


# ------------------------------------------------------------------ forgetting


def forget(store: Store, document: Document, answers: Sequence[str] = ()) -> Receipt:
    """Removes a document for good, with what was quoted of it elsewhere and the recorded answers
    that are from it, in one transaction."""
    gone = forgetting.Forgetting(store, document, answers)
    signed = Signature(datetime.now(UTC))
    return write_facts(store, document.owner, gone.work, signed, gone.beside).receipt
