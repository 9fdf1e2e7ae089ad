"""Questions that a store answers, made of the titles of what is in it. Each was asked before it is
suggested, and the document that it was made of came first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from recollect import memory as facade
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, group_by

_MOST = 3
_TRIES = 12
_LISTED = 200
_FORMS = {
    "session": "where did we leave off with {}?",
    "fact": "what do we know about {}?",
    "decision": "what did we decide about {}?",
}
_OTHERWISE = "what do my notes say about {}?"
_TAIL = re.compile(r"[^\w?)]+$")
_DULL = re.compile(r"(?i)readme|index|untitled|license|changelog|[\d\W_]*")
"""Titles that say nothing of their document."""


class Suggestion(NamedTuple):
    question: str
    finds: str
    confidence: float


def suggested(memory: facade.Memory) -> Sequence[Suggestion]:
    """Returns up to three questions, the surest of those that were tried."""
    tried = islice(_candidates(memory), _TRIES)
    found = filter(None, (_asked(memory, one) for one in tried))
    return sorted(found, key=lambda one: -one.confidence)[:_MOST]


def _candidates(memory: facade.Memory) -> Iterator[Document]:
    """Documents whose title can be asked for, one of each kind in turn."""
    listed = memory.list(limit=_LISTED).items
    titled = {one.title.casefold(): one for one in listed if _can_be_asked(one.title)}
    kinds = group_by(lambda one: one.kind, titled.values())
    return filter(None, chain.from_iterable(zip_longest(*kinds.values())))


def _can_be_asked(title: str) -> bool:
    return 4 <= len(title) <= 70 and not _DULL.fullmatch(title)


def _asked(memory: facade.Memory, document: Document) -> Suggestion | None:
    title = _TAIL.sub("", document.title)
    question = title if title.endswith("?") else _FORMS.get(document.kind, _OTHERWISE).format(title)
    found = memory.search(question, cache=False)
    if not found.results or found.results[0].document_id != document.id:
        return None
    return Suggestion(question, f"{document.title} ({document.kind})", found.confidence)
