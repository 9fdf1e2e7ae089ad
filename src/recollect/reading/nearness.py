"""How near each sentence of a passage comes to the question.

The signs of sentence vectors are stored beside the vectors of passages; a search reads those of its
pool alone. They order the sentences of the passages that were found. They do not tell whether
anything answers: a question that nothing answers has sentences as near.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.named_tuple import NamedTuple
from recollect.nouns import StoredPassage
from recollect.reading.pool import Pool
from recollect.text import signs
from recollect.text.lexical import indexed_text
from recollect.text.sentences import parts_of


class Part(NamedTuple):
    """A sentence of a passage, and how near it comes."""

    start: int
    end: int
    score: float


class Nearness(NamedTuple):
    """The sentences of passages, by the keys of these; of some nothing is known."""

    parts: Mapping[int, Sequence[Part]] = {}

    def __bool__(self) -> bool:
        return bool(self.parts)

    def of(self, passage: int, start: int, end: int) -> float | None:
        """Returns how near the nearest of the sentences comes that stand there; None where nothing
        is known of them."""
        some = (p.score for p in self.parts.get(passage, ()) if p.start < end and start < p.end)
        return max(some, default=None)

    def nearest(self, passage: int) -> Part | None:
        """Returns the sentence of a passage that comes nearest, of those that stand in its own
        text."""
        own = (part for part in self.parts.get(passage, ()) if part.start >= 0)
        return max(own, key=lambda part: part.score, default=None)


def nearness(pool: Pool, passages: Iterable[int]) -> Nearness:
    """Returns what is known of the sentences of these passages of a pool."""
    asks, embedder = pool.of.asks, pool.of.models.embedder
    if asks is None or embedder is None:
        return Nearness()
    found = pool.of.view.sentences(embedder.key, list(passages))
    parts = {key: _parts(pool.passages[key]) for key in found}
    whole = [key for key, some in parts.items() if len(found[key]) == signs.SIZE * len(some)]
    scores = iter(signs.scores(asks, b"".join(found[key] for key in whole)) if whole else ())
    return Nearness({key: [Part(*one, next(scores)) for one in parts[key]] for key in whole})


def _parts(stored: StoredPassage) -> list[tuple[int, int]]:
    """Returns where the sentences stand that have a vector, in the passage's own text; those of its
    title and headings stand before it."""
    text = indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
    before = len(text) - len(stored.passage.text)
    return [(start - before, end - before) for start, end in parts_of(text)]
