"""What the cosines of a model mean, found out on the user's own store without any labels.

The grade was fitted with the cosines of the model that ships. Another model's numbers lie elsewhere
and spread otherwise. So questions are made of what is in the store (a title, a first
sentence, what a user asked in a session), both models score the same passages for them, and the
one line that puts the other model's best scores where the known model's lie, as far apart as
those do, is its scale:

    slope  = mean gap of the known model / mean gap of the other one
    offset = mean best of the known model − slope · mean best of the other one

where the best of a question is its highest score, and the gaps are how far the next ones are
behind it. What is kept is these two numbers, by the key of the model, in the models folder.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ModelError, UsageError
from recollect.models.scales import Calibration
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter
from recollect.ports import Embedder, Store, scanned
from recollect.text.chunk import passages

LEAST = 20
"""Fewer questions than this tell nothing."""
HEAD = 20
"""The best so many scores of a question are looked at, as in a search."""
AGREE = 0.2
"""Scores that go together less than this have nothing to do with each other."""
POOL = 2
"""Passages for each question, its own among them."""
_LOOKED_AT = 3_000
_LONGEST = 1_000
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


class CalibrationPair(NamedTuple):
    """A question, and the passage that it was made of."""

    question: str
    passage: str


# ------------------------------------------------------------------ questions


def sample(store: Store, count: int, seed: int = 42) -> list[CalibrationPair]:
    """Questions with the passages that they are of, and passages besides."""
    found = list(_pairs(store))
    if len(found) < LEAST:
        raise UsageError(
            f"the store gives {len(found)} questions, too few to find out what scores mean",
            hint=f"import more: {LEAST} notes with titles, or of several sentences, are the least",
        )
    random.Random(seed).shuffle(found)
    return found[: POOL * count]


def _pairs(store: Store) -> Iterator[CalibrationPair]:
    for head in islice(scanned(store, Filter()), _LOOKED_AT):
        for document in store.get(head.id):
            pair = _of_session(document) if document.messages else _of_text(document)
            if pair is not None and len(pair.passage) >= 60 and len(pair.question) >= 12:
                yield pair


def _of_text(document: Document) -> CalibrationPair | None:
    """A title that is more than a name asks for what it is the title of; else the first sentence
    for what follows."""
    first = next(iter(passages(document)), None)
    if first is None:
        return None
    body = first.text.strip()[:_LONGEST]
    if len(document.title.split()) >= 3 and document.title != document.path:
        return CalibrationPair(document.title, body.replace(document.title, " ").strip())
    sentences = _SENTENCE.split(body, maxsplit=1)
    return CalibrationPair(sentences[0][:300], sentences[1]) if len(sentences) == 2 else None


def _of_session(document: Document) -> CalibrationPair | None:
    for asked, answered in zip(document.messages, document.messages[1:], strict=False):
        if asked.role == "user" and answered.role == "assistant" and len(answered.text) >= 60:
            return CalibrationPair(asked.text[:500], answered.text[:_LONGEST])
    return None


# ------------------------------------------------------------------ fitting


Tell = Callable[[int, int], None]


def embedder_scale(
    pairs: Sequence[CalibrationPair], known: Embedder, other: Embedder, count: int, tell: Tell
) -> Calibration:
    """What makes the known model's cosines of the other's."""
    asked = pairs[:count]
    total = 2 * (len(pairs) + len(asked))
    done = 0
    tables: list[NDArray[Any]] = []
    for embedder in (known, other):
        kept = []
        for start in range(0, len(pairs), 32):
            some = [pair.passage for pair in pairs[start : start + 32]]
            kept.append(embedder.embed_passages(some))
            done += len(some)
            tell(done, total)
        queries = np.array([embedder.embed_query(pair.question) for pair in asked])
        done += len(asked)
        tell(done, total)
        tables.append(queries @ np.concatenate(kept).T)
    return _fitted(other.key, *tables)


def _fitted(key: str, known: NDArray[Any], other: NDArray[Any]) -> Calibration:
    """From two tables of the same questions and passages."""
    agreement = float(np.mean(list(starmap(_together, zip(known, other, strict=True)))))
    (best, gaps), (their_best, their_gaps) = _shape(known), _shape(other)
    if their_gaps <= 0 or not np.isfinite(agreement) or agreement < AGREE:
        raise ModelError(
            f"the scores of {key} cannot be put on the grade's scale: on {len(known)} questions "
            f"they agree with those of the model that ships by {agreement:.2f}",
            hint="is it a model for this job and this language? search works without its scores",
        )
    slope = gaps / their_gaps
    return Calibration(key, slope, best - slope * their_best, len(known), agreement)


def _shape(table: NDArray[Any]) -> tuple[float, float]:
    """The mean of the best score, and of how far the next ones are behind it."""
    head = -np.sort(-table, axis=1)[:, :HEAD]
    return float(head[:, 0].mean()), float((head[:, :1] - head[:, 1:]).mean())


def _together(one: NDArray[Any], other: NDArray[Any]) -> float:
    if min(np.ptp(one), np.ptp(other)) == 0:
        return 0.0
    first, second = (np.argsort(np.argsort(row)) for row in (one, other))
    return float(np.corrcoef(first, second)[0, 1])
