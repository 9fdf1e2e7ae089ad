"""Another way to ask, when the first answer is graded low: words spelt and inflected as the
store has them, and words that the best hits share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.nouns import Candidate, Clause, Filter, StoredPassage, TextQuery, words
from recollect.ports import Store
from recollect.text.lexical import indexed_text
from recollect.text.questions.parse import Parsed, parse
from recollect.text.stopwords import stopwords
from recollect.text.terms import is_run, query_terms, terms

SHORTEST = 4
"""Words shorter than this are not corrected: too many others are near."""
ENDING = 3
"""Letters that an inflected word may have more or less."""
HITS = 5
"""Of so many of the best hits the words are looked at,"""
SHARED = 2
"""and those of at least so many of them are taken."""
_PASSAGES = 60
_LOOKED_AT = 100


def corrected(parsed: Parsed, spelt: Mapping[str, str]) -> Parsed:
    """The question with its unknown words as the store has them."""
    if not spelt:
        return parsed
    again = parse(" ".join(_corrected(chunk, spelt) for chunk in parsed.prose.split()))
    return parsed._replace(
        text=parsed.text._replace(any=again.text.any), prose=again.prose, content=again.content
    )


def shared_words(
    parsed: Parsed, best: Sequence[Candidate], passages: Mapping[int, StoredPassage], store: Store,
    owner: str | None, count: int,
) -> tuple[str, ...]:  # fmt: skip
    """Words that several of the best hits have and the question has not, *count* at most: those
    that are said most there, by how sure each hit is, and that are rare elsewhere (of this owner,
    if the question has one: nobody else's words are looked at).

    A relevance model (Lavrenko & Croft, 2001), of which only the head is taken.
    """
    known = stopwords().union(parsed.content)
    said: dict[str, float] = {}
    hits: Counter[str] = Counter()
    for candidate in best[:HITS] if count else ():
        found = Counter(
            word
            for word in terms(_text(passages[candidate.passage])).stem.split()
            if word not in known and len(word) > 2 and word.isalpha()
        )
        for word, times in found.items():
            share = candidate.confidence * times / found.total()
            said[word] = said.get(word, 0.0) + share
        hits.update(found.keys())
    often = [word for word in sorted(said, key=lambda w: -said[w]) if hits[word] >= SHARED]
    if not often:
        return ()
    often = often[:_LOOKED_AT]
    idf = store.search_text(TextQuery(words(often)), Filter(owner=owner), limit=1).idf
    often.sort(key=lambda word: -said[word] * idf.get(word, 0.0))
    return tuple(often[:count])


def _text(stored: StoredPassage) -> str:
    """What a hit is called and says; a note may have further names."""
    aliases = stored.document.meta.get("aliases")
    names = [stored.document.title, *(aliases if isinstance(aliases, list) else ())]
    return indexed_text(" ".join(map(str, names)), stored.passage.heading, stored.passage.text)


def spelling(
    parsed: Parsed, idf: Mapping[str, float], filter: Filter, store: Store
) -> dict[str, str]:
    """Words of the question that occur nowhere, each with the nearest that does, if one is near."""
    found: dict[str, str] = {}
    rarest = max(idf.values(), default=0.0)  # what occurs nowhere is as rare as can be
    for stem, plain in zip(*query_terms(parsed.prose), strict=False):
        if idf.get(stem, rarest) < rarest or stem not in parsed.content:
            continue
        if len(plain) < SHORTEST or not plain.isalpha() or is_run(plain):
            continue
        if store.search_text(TextQuery(words([stem])), filter, limit=1).hits:
            continue
        near = _nearest(plain, filter, store)
        if near:
            found[plain] = near
    return found


def _nearest(word: str, filter: Filter, store: Store) -> str:
    """The word within one edit (two in a long one), or with another ending, that the store has
    most of."""
    allowed = 1 if len(word) < 10 else 2
    counts: Counter[str] = Counter()
    for start in {word[: max(2, len(word) // 2)], word[:2]}:
        query = TextQuery((Clause("prefix", (start,)),))
        hits = store.search_text(query, filter, limit=_PASSAGES).hits
        for stored in store.passages([hit.passage for hit in hits]):
            passage, title = stored.passage, stored.document.title
            said = terms(indexed_text(title, passage.heading, passage.text)).exact.split()
            counts.update(w for w in said if w.startswith(start) and w.isalpha())
        good = [(_apart(word, w, allowed), -n, w) for w, n in counts.items()]
        good = [row for row in good if row[0] <= allowed]
        if good:
            return min(good)[2]
    return ""


def _apart(one: str, other: str, most: int) -> int:
    """How many letters are different; an ending counts as one."""
    short, long = sorted((one, other), key=len)
    if len(short) > SHORTEST and long.startswith(short) and len(long) - len(short) <= ENDING:
        return 1
    return edits(one, other, most)


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


def _corrected(chunk: str, spelt: Mapping[str, str]) -> str:
    return next((right for wrong, right in spelt.items() if wrong in query_terms(chunk)[1]), chunk)
