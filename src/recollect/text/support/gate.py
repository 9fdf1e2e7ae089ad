"""The gate for what a language model wrote: a sentence and its quotes go in, what is wrong out.

A quote stands for the sentences that it is taken from: half of one must not be made to say what the
whole does not. What stands before them, and the title, may tell who is meant and nothing else. A
sentence that tells a model what to do bears nothing out, nor does one that follows it closely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among
from recollect.text.sentences import units
from recollect.text.statements.quotes import normal, quoted
from recollect.text.support.orders import is_order, without_address
from recollect.text.support.verdict import Near, Support, check, unknown

_BEFORE = 3
"""Sentences before a quote that may tell who is meant, or spoil it."""
_LONGEST = 6
"""Sentences that a quote may reach over."""
ORDERED = "it is taken from a text that tells a language model what to do"
SHIPPED = "recollect-embed"


class Cited(NamedTuple):
    """Where a quote stands."""

    span: str
    before: str

    def said_by_user(self) -> Cited:
        """The same, where the words are the user's own and not what others have written."""
        return Cited(without_address(self.span), without_address(self.before))


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
    if any(_ordered(one.before + one.span) for one in quotes):
        return Support(ORDERED)
    if is_order(sentence):
        return Support("it tells a language model what to do")
    around = [one.before for one in quotes] + ([] if is_order(title) else [title])
    return check(sentence, [one.span for one in quotes], "\n".join(around), near)


def _ordered(text: str) -> bool:
    """Whether a text, or a sentence of it by itself, tells a model what to do."""
    return is_order(text) or any(is_order(text[start:end]) for start, end in units(text))


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
