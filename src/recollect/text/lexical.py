"""BM25 over terms in plain Python: the specification of text search.

    score(d, q) = Σ_t idf(t) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · |d| / avg|d|))
    idf(t)      = ln(1 + (N − n_t + 0.5) / (n_t + 0.5))

Robertson & Zaragoza (2009), with the idf of Lucene. The dict engine uses it for everything, the
embedded engine for passages that its text index has not seen yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from recollect.named_tuple import NamedTuple
from recollect.nouns import Clause, TextQuery
from recollect.text import terms

K1 = 1.2
B = 0.75
PREFIX_SCORE = 1.0
"""What a matching prefix adds: it stands for many words, so no one idf is right."""


class Indexed(NamedTuple):
    """The terms of one passage; ``exact`` keeps their order, with a space at both ends."""

    body: Mapping[str, int]
    title: Mapping[str, int]
    exact: str
    length: int
    title_length: int

    def counts_of(self, field: str) -> Mapping[str, int]:
        return self.title if field == "title" else self.body

    def length_of(self, field: str) -> int:
        return self.title_length if field == "title" else self.length


def words(query: TextQuery) -> list[str]:
    """Returns the words that are scored; prefixes are not."""
    return [clause.term for clause in query.any if clause.kind == "word"]


def indexed_text(title: str, heading: str, text: str) -> str:
    """What a passage is found by and embedded as: itself under its title and headings."""
    return "\n".join([*filter(None, (title, heading)), text])


def index_passage(title: str, path: str, heading: str, text: str) -> Indexed:
    body = terms.terms(indexed_text(title, heading, text))
    name = terms.terms(f"{title} {path}")
    stems, title_stems = body.stem.split(), name.stem.split()
    return Indexed(
        Counter(stems),
        Counter(title_stems),
        f" {body.exact} ",
        len(stems),
        len(title_stems),
    )


def idf(matching: int, total: int) -> float:
    return log(1 + (total - matching + 0.5) / (matching + 0.5))


def document_frequencies(asked: Iterable[str], field: str, rows: Iterable[Indexed]) -> Counter[str]:
    wanted = set(asked)
    found: Counter[str] = Counter()
    for row in rows:
        found.update(wanted.intersection(row.counts_of(field)))
    return found


def matches(query: TextQuery, row: Indexed) -> bool:
    """Whether the conditions hold, and any (all, when strict) of the words."""
    if any(_occurs(clause, row, "body") for clause in query.never):
        return False
    if not all(_occurs(clause, row, "body") for clause in query.must):
        return False
    if not query.any:
        return True
    quantifier = all if query.strict else any
    return quantifier(_occurs(clause, row, query.field) for clause in query.any)


def _occurs(clause: Clause, row: Indexed, field: str) -> bool:
    """Words are looked for in the field; prefixes and phrases always in the whole passage."""
    if clause.kind == "word":
        return clause.term in row.counts_of(field)
    if clause.kind == "prefix":
        return f" {clause.term}" in row.exact
    return f" {' '.join(clause.terms)} " in row.exact


def score(
    query: TextQuery, row: Indexed, weights: Mapping[str, float], average_length: float
) -> float:
    counts = row.counts_of(query.field)
    norm = K1 * (1 - B + B * row.length_of(query.field) / (average_length or 1))
    total = 0.0
    for clause in query.any:
        if clause.kind == "prefix":
            total += PREFIX_SCORE * _occurs(clause, row, query.field)
        else:
            tf = counts.get(clause.term, 0)
            total += weights.get(clause.term, 0.0) * tf * (K1 + 1) / (tf + norm)
    return total
