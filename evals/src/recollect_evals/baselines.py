"""What an agent would read without a recall engine, on the same documents and question.

``grep``: it searches for the question's words (without those of grammar, and whatever their
ending, which is more than grep can do) and reads the documents that have any, those with the most
of them first. It stops when it has read all the evidence that is among them, as if it knew: a real
one reads on. Where there is none among them, it reads them all.

``grep_all``: the same, but it does not know, and reads every document that has any of the words.
What a real one reads is between the two.

``dump``: it reads everything there is.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from recollect.nouns import Document
from recollect.text.stopwords import stopwords
from recollect.text.terms import query_terms, terms
from recollect.text.tokens import count_tokens


class Read(NamedTuple):
    """What a baseline reads for one question."""

    tokens: int
    recall: float | None
    """The share of the gold that is in it; None where there is none."""


class Baselines:
    """Over one group's documents, which are looked through once."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._ids = [document.external for document in documents]
        texts = [document.rendered() for document in documents]
        self._tokens = [count_tokens(text) for text in texts]
        self._having: dict[str, array[int]] = {}
        for number, (document, text) in enumerate(zip(documents, texts, strict=True)):
            for word in set(terms(f"{document.title}\n{text}").stem.split()):
                self._having.setdefault(word, array("I")).append(number)

    def grep(self, question: str, gold: Collection[str]) -> Read:
        hits = self._hits(question)
        needed = [place for place, number in enumerate(hits, 1) if self._ids[number] in gold]
        return self._read(hits[: needed[-1] if needed else None], gold)

    def grep_all(self, question: str, gold: Collection[str]) -> Read:
        return self._read(self._hits(question), gold)

    def _hits(self, question: str) -> list[int]:
        """Documents with any of the words, those with the most first."""
        words = set(query_terms(question)[0])
        wanted = [word for word in words - stopwords() or words if word in self._having]
        counts = Counter(number for word in wanted for number in self._having[word])
        return sorted(counts, key=lambda number: (-counts[number], number))

    def dump(self, gold: Collection[str]) -> Read:
        return self._read(range(len(self._ids)), gold)

    def _read(self, hits: Collection[int], gold: Collection[str]) -> Read:
        found = {self._ids[number] for number in hits}
        recall = len(found & set(gold)) / len(gold) if gold else None
        return Read(sum(self._tokens[number] for number in hits), recall)
