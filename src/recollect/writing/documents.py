"""Documents cut into passages and put together into transactions of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from recollect.nouns import Document, Problem, Put, Receipt
from recollect.text.chunk import passages

BATCH_DOCUMENTS = 2000
BATCH_CHARACTERS = 4_000_000


Item = Document | Put | Problem
"""What a source yields: a document comes with its passages where it cuts them itself."""


_FIELDS = {"skipped": "skipped", "warning": "warnings", "failed": "failed"}
"""Of a receipt, by how grave a problem is."""


def _told(problem: Problem) -> Receipt:
    told: dict[str, Any] = {_FIELDS[problem.level]: (problem,)}
    return Receipt(**told)


def batches(items: Iterable[Item]) -> Iterator[tuple[list[Put], Receipt]]:
    """Yields the changes of each transaction, and the problems up to it."""
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
