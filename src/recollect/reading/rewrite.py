"""Another way to ask, when the first answer is graded low: words spelt as the store spells
them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from recollect.ports import Store
from recollect.text.lexical import indexed_text
from recollect.text.query import Parsed, parse
from recollect.text.terms import is_run, query_terms, terms
from recollect.types import Clause, Filter, TextQuery, words

SHORTEST = 4
"""Words shorter than this are not corrected: too many others are near."""
_PASSAGES = 60


class Rewritten(NamedTuple):
    parsed: Parsed
    why: str
    """Empty when it would be the same search again."""
    spelling: dict[str, str]
    """Words that occur nowhere, each with one that does."""


def rewritten(parsed: Parsed, filter: Filter, store: Store) -> Rewritten:
    """The question with its unknown words corrected."""
    corrected = spelling(parsed, filter, store)
    why = [f"“{wrong}” read as “{right}”" for wrong, right in corrected.items()]
    if corrected:
        text = " ".join(_corrected(chunk, corrected) for chunk in parsed.prose.split())
        again = parse(text)
        parsed = parsed._replace(
            text=parsed.text._replace(any=again.text.any), prose=again.prose, content=again.content
        )
    return Rewritten(parsed, ", ".join(why), corrected)


def spelling(parsed: Parsed, filter: Filter, store: Store) -> dict[str, str]:
    """Words of the question that occur nowhere, each with the nearest that does, if one is near."""
    found: dict[str, str] = {}
    for stem, plain in zip(*query_terms(parsed.prose), strict=False):
        if stem not in parsed.content or len(plain) < SHORTEST or not plain.isalpha():
            continue
        if is_run(plain) or store.search_text(TextQuery(words([stem])), filter, limit=1).hits:
            continue
        near = _nearest(plain, filter, store)
        if near:
            found[plain] = near
    return found


def _nearest(word: str, filter: Filter, store: Store) -> str:
    """The word within one edit (two in a long one) that the store has most of."""
    allowed = 1 if len(word) < 10 else 2
    counts: Counter[str] = Counter()
    for start in {word[: max(2, len(word) // 2)], word[:2]}:
        query = TextQuery((Clause("prefix", (start,)),))
        hits = store.search_text(query, filter, limit=_PASSAGES).hits
        for stored in store.passages([hit.passage for hit in hits]):
            passage, title = stored.passage, stored.document.title
            said = terms(indexed_text(title, passage.heading, passage.text)).exact.split()
            counts.update(w for w in said if w.startswith(start) and w.isalpha())
        good = [(edits(word, w, allowed), -n, w) for w, n in counts.items()]
        good = [row for row in good if row[0] <= allowed]
        if good:
            return min(good)[2]
    return ""


def edits(one: str, other: str, most: int) -> int:
    """How many letters to insert, delete, change or swap with the next; more than *most* is
    not counted further."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: Sequence[int] = ()
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _corrected(chunk: str, corrected: dict[str, str]) -> str:
    return next(
        (right for wrong, right in corrected.items() if wrong in query_terms(chunk)[1]), chunk
    )
