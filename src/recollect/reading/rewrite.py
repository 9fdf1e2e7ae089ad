"""Another way to ask, when the first answer is graded low: words spelt, inflected and joined as the
store has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from recollect.nouns import Clause, Filter, TextQuery, filled, words
from recollect.ports import Store
from recollect.text.lexical import indexed_text
from recollect.text.ordinary import commonness
from recollect.text.questions.parse import Parsed, parse
from recollect.text.stopwords import stopwords
from recollect.text.terms import is_run, query_terms, terms

SHORTEST = 4
"""Words shorter than this are not corrected: too many others are near."""
ENDING = 3
"""Letters that an inflected word may have more or less."""
_PASSAGES = 60
_PAIR = re.compile(r"(?<![\w'’-])([^\W\d_]{2,}) (?=([^\W\d_]{2,})(?![\w'’-]))")
"""Each two words beside each other."""


def corrected(parsed: Parsed, spelt: Mapping[str, str]) -> Parsed:
    """The question with its unknown words as the store has them."""
    if not spelt:
        return parsed
    return _reworded(parsed, " ".join(_corrected(chunk, spelt) for chunk in parsed.prose.split()))


def with_joined(parsed: Parsed, ways: Mapping[str, str]) -> Parsed:
    """The question with words of it written as one."""
    prose = parsed.prose
    for said, way in ways.items():
        prose = re.sub(rf"\b{re.escape(said)}\b", way, prose, flags=re.IGNORECASE)
    return _reworded(parsed, prose) if ways else parsed


def _reworded(parsed: Parsed, prose: str) -> Parsed:
    again = parse(prose)
    return parsed._replace(
        text=parsed.text._replace(any=again.text.any), prose=again.prose, content=again.content
    )


def spelling(
    parsed: Parsed, idf: Mapping[str, float], filter: Filter, store: Store
) -> dict[str, str]:
    """Returns the words of the question that occur nowhere, each with the nearest word that does,
    if one is near."""
    nearest = {
        plain: _nearest(plain, filter, store)
        for stem, plain in _doubtful(parsed, idf)
        if not store.search_text([TextQuery(words([stem]))], filter, limit=1)[0].hits
    }
    return filled(nearest)


def joined(
    parsed: Parsed, idf: Mapping[str, float], filter: Filter, store: Store
) -> dict[str, str]:
    """Returns the words of the question that the store writes as one with their neighbour, and one
    of which occurs nowhere: "roll back" where it has "rollback"."""
    absent = {plain for _, plain in _doubtful(parsed, idf)}
    ways = {
        f"{one} {two}": f"{one}{two}"
        for one, two in _PAIR.findall(parsed.prose.lower())
        if not absent.isdisjoint((one, two)) and not stopwords().issuperset(terms(one).stem.split())
    }
    queries = [TextQuery(words(terms(way).stem.split())) for way in ways.values()]
    found = store.search_text(queries, filter, limit=1) if queries else ()
    return {said: way for (said, way), hits in zip(ways.items(), found, strict=True) if hits.hits}


def _doubtful(parsed: Parsed, idf: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yields the words, stemmed and as they were typed, that may be misspelt: as rare as what
    occurs nowhere, and long enough."""
    rarest = max(idf.values(), default=0.0)
    for stem, plain in zip(*query_terms(parsed.prose), strict=False):
        known = idf.get(stem, rarest) < rarest or stem not in parsed.content
        if not known and len(plain) >= SHORTEST and plain.isalpha() and not is_run(plain):
            yield stem, plain


def _nearest(word: str, filter: Filter, store: Store) -> str:
    """The word within one edit (two in a long one), or with another ending, that the store has
    most of. What is in the dictionary is spelt as it is meant, and may only have another ending."""
    allowed = 1 if len(word) < 10 else 2
    apart = _inflected if commonness(word) else _apart
    counts: Counter[str] = Counter()
    for start in {word[: max(2, len(word) // 2)], word[:2]}:
        query = TextQuery((Clause("prefix", (start,)),))
        hits = store.search_text([query], filter, limit=_PASSAGES)[0].hits
        for stored in store.passages([hit.passage for hit in hits]):
            passage, title = stored.passage, stored.document.title
            said = terms(indexed_text(title, passage.heading, passage.text)).exact.split()
            counts.update(w for w in said if w.startswith(start) and w.isalpha())
        good = [(apart(word, w, allowed), -n, w) for w, n in counts.items()]
        good = [row for row in good if row[0] <= allowed]
        if good:
            return min(good)[2]
    return ""


def _inflected(one: str, other: str, most: int) -> int:
    """One for a word with another ending, more than *most* for any other."""
    short, long = sorted((one, other), key=len)
    ends = len(short) > SHORTEST and long.startswith(short) and len(long) - len(short) <= ENDING
    return 1 if ends else most + 1


def _apart(one: str, other: str, most: int) -> int:
    """How many letters are different; an ending counts as one."""
    return min(_inflected(one, other, most), edits(one, other, most))


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


def unquoted(parsed: Parsed) -> Parsed:
    """Returns the query with its phrases as words: what stands between quotes in a question is
    often an example, and nothing has it word for word."""
    plain = parse(parsed.prose.replace('"', " "))
    text = plain.text._replace(never=parsed.text.never)
    return plain._replace(text=text, limits=parsed.limits)


def _corrected(chunk: str, spelt: Mapping[str, str]) -> str:
    return next((right for wrong, right in spelt.items() if wrong in query_terms(chunk)[1]), chunk)
