"""Questions that a store answers, made of the titles of what is in it. Each was asked before it is
suggested, and the document that it was made of came first.

A title becomes a question by its form: a question stays as it is, an order ("Rotate signing keys")
is asked for how or why, a noun phrase for what is known about it. What has none of these forms,
such as a sentence or a title in another language, is suggested as the words to search for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from recollect import memory as facade
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, group_by
from recollect.text import ordinary
from recollect.text.questions import asking

_MOST = 3
_TRIES = 12
_LISTED = 200
_ORDERS = {
    "session": "did we {}?",
    "decision": "why did we {}?",
}
_PHRASES = {
    "session": "where did we leave off with {}?",
    "decision": "what did we decide about {}?",
}
_VERB = (
    r"(?i:add|adopt|allow|avoid|build|configure|connect|convert|create|delete|deploy|disable"
    r"|enable|find|fix|implement|improve|install|investigate|keep|make|migrate|move|prepare|publish"
    r"|reduce|remove|rename|replace|restore|rewrite|roll|rotate|send|stop|store|switch|upgrade|use"
    r"|write)"
)
_ORDER = re.compile(_VERB + r" \S+ \S")
"""The beginning of an order: two words behind a verb, for one may make it a noun (deploy day)."""
_NO_PHRASE = re.compile(
    r"^"
    + _VERB
    + r" |(?i:^(?:about|at|beside|by|for|from|in|on|to|with) |[,:;.!|()–—/]|[^\x00-\x7f]"
    r"|\b(?:am|is|are|was|were|be|has|have|had|do|does|did|will|must|can|should|not|how|what|when"
    r"|where|who|why|i|me|my|we|us|our|you|your|it|they|them"
    r"|de|del|der|des|du|el|et|il|im|la|le|les|mit|nach|und|von|y|zu)\b)"
)
"""What a noun phrase in English does not have: verbs, pronouns, small words of other languages."""
_NAME = re.compile(r"\S*\s+[A-Z]|\w+[A-Z]")
_TAIL = re.compile(r"[^\w?)]+$")
_DULL = re.compile(r"(?i)readme|index|untitled|license|changelog|[\d\W_]*")
"""Titles that say nothing of their document."""


class Suggestion(NamedTuple):
    question: str
    finds: str
    confidence: float


def suggested(memory: facade.Memory) -> Sequence[Suggestion]:
    """Returns up to three questions, the surest of those that were tried, of kinds in turn where
    they are about as sure; words to search for only where there are fewer questions."""
    tried = islice(_candidates(memory), _TRIES)
    found = [one for one in (_asked(memory, one) for one in tried) if one]
    found.sort(key=lambda one: (not one.question.endswith("?"), -round(one.confidence, 1)))
    return found[:_MOST]


def _candidates(memory: facade.Memory) -> Iterator[Document]:
    """Documents whose title can be asked for, one of each kind in turn; first those whose title
    makes a question."""
    listed = memory.list(limit=_LISTED).items
    titled = {one.title.casefold(): one for one in listed if _can_be_asked(one.title)}
    ordered = sorted(titled.values(), key=lambda one: not question_of(one).endswith("?"))
    kinds = group_by(lambda one: one.kind, ordered)
    return filter(None, chain.from_iterable(zip_longest(*kinds.values())))


def _can_be_asked(title: str) -> bool:
    return 4 <= len(title) <= 70 and not _DULL.fullmatch(title)


def question_of(document: Document) -> str:
    """The title as somebody would type it who looks for the document."""
    title = _TAIL.sub("", document.title)
    if asking.is_question(title, typed=True):
        return f"{_begun_small(title).rstrip('?')}?"
    if _ORDER.match(title):
        return _ORDERS.get(document.kind, "how do we {}?").format(_begun_small(title))
    if _NO_PHRASE.search(title):
        return title
    return _PHRASES.get(document.kind, "what do we know about {}?").format(_begun_small(title))


def _begun_small(title: str) -> str:
    """The title with a small first letter, unless it begins with a name."""
    word = re.split(r"\W", title.lower(), maxsplit=1)[0]
    is_name = _NAME.match(title) or ordinary.commonness(word) not in ("ordinary", "rare")
    return title if is_name else title[0].lower() + title[1:]


def _asked(memory: facade.Memory, document: Document) -> Suggestion | None:
    question = question_of(document)
    found = memory.search(question, cache=False)
    if not found.results or found.results[0].document_id != document.id:
        return None
    return Suggestion(question, f"{document.title} ({document.kind})", found.confidence)
