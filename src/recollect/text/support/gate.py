"""The gate for what a language model wrote: a sentence and its quotes go in, what is wrong out.

A quote stands for the sentences that it is taken from: half of one must not be made to say what the
whole does not. What stands before them, and the title, may tell who is meant and nothing else. A
sentence that tells a model what to do bears nothing out, nor does one that follows it closely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among
from recollect.text.sentences import units
from recollect.text.statements.quotes import normal, quoted
from recollect.text.support.orders import is_order, without_address
from recollect.text.support.verdict import Near, Support, check, unknown

_BEFORE = 3
"""Sentences before a quote that may tell who is meant, or spoil it."""
_REACH, _AFTER = 1_000, 250
"""Characters before a quote, and behind it, that are looked at."""
_LONGEST = 6
"""Sentences that a quote may reach over."""
ORDERED = "it is taken from a text that tells a language model what to do"
ORDER = "it tells a language model what to do"
SHIPPED = "recollect-embed"


class Cited(NamedTuple):
    """Where a quote stands."""

    span: str
    before: str
    by_user: bool = False
    """The words are the user's own and not what others have written."""
    after: str = ""
    """The rest of its line, or the beginning of that."""
    line: str = ""
    """All of its line, unless it is long: what several quotes have in common is read once."""

    def said_by_user(self) -> Cited:
        """The same as the user's own words."""
        return Cited(without_address(self.span), without_address(self.before), True)


def cited(quote: str, text: str) -> Cited:
    """The sentences of *text* that the quote is taken from, and those before; the quote itself
    where they cannot be told."""
    wanted, bounds = normal(quote), units(text)
    if not wanted:
        return Cited(quote, "")
    for size in range(1, _LONGEST + 1):
        for n in range(len(bounds) - size + 1):
            span = text[bounds[n][0] : bounds[n + size - 1][1]]
            if quoted(wanted, normal(span)):
                return Cited(span, text[bounds[max(0, n - _BEFORE)][0] : bounds[n][0]])
    return Cited(quote, "")


def borne_out(sentence: str, quotes: Sequence[Cited], title: str, near: Near) -> Support:
    """Whether a sentence follows from where its quotes stand."""
    if any(map(is_ordered, quotes)):
        return Support(ORDERED)
    if is_order(sentence, by_user=bool(quotes) and all(one.by_user for one in quotes)):
        return Support(ORDER)
    around = [one.before for one in quotes] + ([] if is_order(title) else [title])
    return check(sentence, [one.span for one in quotes], "\n".join(around), near)


def is_ordered(cited: Cited) -> bool:
    """Whether a quote, or a sentence by itself there or close before, tells a model what to do, or
    begins what does."""
    text, after = cited.before + cited.span, cited.after
    ordered = partial(is_order, by_user=cited.by_user)
    if any(ordered(text[start:end]) for start, end in units(text)):
        return True
    if cited.line and not ordered(cited.line):
        return False
    return ordered(text + after) and (ordered(text) or not ordered(after.strip()))


def standing(start: int, end: int, text: str, by_user: bool, first: int = 0) -> Cited:
    """The stretch of *text* between two offsets, where it stands; of what is before *first*,
    nothing."""
    first = max(first, start - _REACH)
    bounds = units(text[first:start])[-_BEFORE:]
    before = text[first + bounds[0][0] : start] if bounds else ""
    after = text[end : end + _AFTER].partition("\n")[0]
    begin = max(first, text.rfind("\n", first, start) + 1)
    line = text[begin : end + _REACH].partition("\n")[0]
    whole = line if len(line) <= _REACH and "\n" not in text[start:end] else ""
    return Cited(text[start:end], before, by_user, after, whole)


class _Embedder(Protocol):
    @property
    def key(self) -> str: ...

    @property
    def embed_passages(self) -> Callable[[Sequence[str]], Any]: ...


def by_meaning(embedder: _Embedder | None) -> Near:
    """How near words are in meaning by the vectors of the embedder that ships; unknown without it:
    the cosines of another lie elsewhere."""
    if embedder is None or not embedder.key.startswith(SHIPPED):
        return unknown
    vectors: dict[str, Any] = {}

    def near(words: Sequence[str], others: Sequence[str]) -> list[float]:
        new = list(not_among(dict.fromkeys((*words, *others)), vectors))
        if new:
            vectors.update(zip(new, embedder.embed_passages(new), strict=True))
        return [max(float(vectors[one] @ vectors[two]) for two in others) for one in words]

    return near
