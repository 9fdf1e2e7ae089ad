"""Documents into a store, in transactions of bounded size.

What is in a finished transaction is there for good; an import that ends early, by a signal or a
crash, is continued by running it again, because applying the same document twice changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recollect.nouns import ChangeSet, Document, Problem, Put, Receipt, Register, Source
from recollect.ports import Store
from recollect.text.chunk import passages

BATCH_DOCUMENTS = 2000
BATCH_CHARACTERS = 4_000_000


Item = Document | Put | Problem
"""What a source yields: a document comes with its passages where it cuts them itself."""


def import_documents(
    store: Store,
    source: Source,
    items: Iterable[Item],
    known: Source | None = None,
    progress: Callable[[int], None] = lambda _: None,
    *,
    dry_run: bool = False,
) -> Receipt:
    """Store what *items* yields; *progress* is told how many documents have been stored.

    The source is made known before its documents, so that an import which is cut off is found
    again; its stamp says "this version has been read", and only a whole reading earns it.
    """
    unread = source._replace(stamp="")
    if known != unread:
        store.apply(ChangeSet((Register(unread),)), dry_run=dry_run)
    receipt = Receipt(sources=(source.name,))
    complete = True
    for batch, problems in _batches(items):
        receipt += problems
        complete = complete and not problems.failed
        if batch:
            receipt += store.apply(ChangeSet(tuple(batch)), dry_run=dry_run)
            progress(len(batch))
    if complete and source.stamp:
        store.apply(ChangeSet((Register(source),)), dry_run=dry_run)
    return receipt


def _told(problem: Problem) -> Receipt:
    if problem.level == "skipped":
        return Receipt(skipped=(problem,))
    if problem.level == "warning":
        return Receipt(warnings=(problem,))
    return Receipt(failed=(problem,))


def _batches(items: Iterable[Item]) -> Iterator[tuple[list[Put], Receipt]]:
    batch: list[Put] = []
    problems = Receipt()
    size = 0
    for item in items:
        if isinstance(item, Problem):
            problems += _told(item)
        else:
            put = item if isinstance(item, Put) else Put(item, passages(item))
            batch.append(put)
            document = put.document
            size += len(document.text) or sum(len(m.text) for m in document.messages)
            if len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
                yield batch, problems
                batch, problems, size = [], Receipt(), 0
    yield batch, problems
