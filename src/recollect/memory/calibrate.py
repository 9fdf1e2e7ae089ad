"""What the scores of a model mean, found out on the user's own store without any labels.

The grade was fitted with the cosines and log-odds of the models that ship. Another model's numbers
lie elsewhere and spread otherwise. So questions are made of what is in the store (a title, a first
sentence, what a user asked in a session), both models score the same passages for them, and the
one line that puts the other model's best scores where the known model's lie, as far apart as
those do, is its scale:

    slope  = mean gap of the known model / mean gap of the other one
    offset = mean best of the known model − slope · mean best of the other one

where the best of a question is its highest score, and the gaps are how far the next ones are
behind it. What is kept is these two numbers, by the key of the model, in the models folder.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import config as settings
from recollect.errors import ModelError, UsageError
from recollect.memory import models as providers
from recollect.nouns import Document, Filter, Scale
from recollect.ports import Embedder, Reranker, Store
from recollect.text.chunk import passages

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 20
"""Fewer questions than this tell nothing."""
HEAD = 20
"""The best so many scores of a question are looked at, as in a search."""
READ = 10
"""Passages that rerankers are shown for a question."""
AGREE = 0.2
"""Scores that go together less than this have nothing to do with each other."""
POOL = 2
"""Passages for each question, its own among them."""
_LOOKED_AT = 3_000
_LONGEST = 1_000
_FILE = "calibrations.json"
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


class Calibrated(NamedTuple):
    """What came of it."""

    model: str
    job: str
    slope: float
    offset: float
    questions: int
    agreement: float
    """Of the two models on which passages are better, from −1 to 1 (Spearman's)."""

    def as_json(self) -> dict[str, Any]:
        numbers = {name: round(getattr(self, name), 4) for name in ("slope", "offset", "agreement")}
        return {**self._asdict(), **numbers}


class Pair(NamedTuple):
    question: str
    passage: str


# ------------------------------------------------------------------ what is known


def scale_of(config: settings.Config, key: str) -> Scale | None:
    """The scale of the model of this key, if it was found out with the models that ship now."""
    found = _known(config).get(key)
    with suppress(KeyError, TypeError, ValueError):
        if found and found["reference"] == _reference(found["job"]):
            return Scale(float(found["slope"]), float(found["offset"]))
    return None


def keep(config: settings.Config, found: Calibrated) -> None:
    path = _path(config)
    about = {**found.as_json(), "reference": _reference(found.job)}
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps({**_known(config), found.model: about}, indent=1), encoding="utf-8")
    os.replace(fresh, path)


def _reference(job: str) -> str:
    from recollect.models.catalog import EMBED, RERANK

    return (EMBED if job == "embed" else RERANK).key


def _path(config: settings.Config) -> Path:
    return providers.models_folder(config) / _FILE


def _known(config: settings.Config) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        known = json.loads(_path(config).read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return known
    return {}


# ------------------------------------------------------------------ questions


def sample(store: Store, count: int, seed: int = 42) -> list[Pair]:
    """Questions with the passages that they are of, and passages besides."""
    found = list(_pairs(store))
    if len(found) < LEAST:
        raise UsageError(
            f"the store gives {len(found)} questions, too few to find out what scores mean",
            hint=f"import more: {LEAST} notes with titles, or of several sentences, are the least",
        )
    random.Random(seed).shuffle(found)
    return found[: POOL * count]


def _pairs(store: Store) -> Iterator[Pair]:
    cursor, looked_at = "", 0
    while looked_at < _LOOKED_AT:
        page = store.scan(Filter(), limit=500, cursor=cursor)
        for head in page.items:
            for document in store.get(head.id):
                pair = _of_session(document) if document.messages else _of_text(document)
                if pair is not None and len(pair.passage) >= 60 and len(pair.question) >= 12:
                    yield pair
        looked_at += len(page.items)
        cursor = page.cursor
        if not cursor:
            return


def _of_text(document: Document) -> Pair | None:
    """A title that is more than a name asks for what it is the title of; else the first sentence
    for what follows."""
    first = next(iter(passages(document)), None)
    if first is None:
        return None
    body = first.text.strip()[:_LONGEST]
    if len(document.title.split()) >= 3 and document.title != document.path:
        return Pair(document.title, body.replace(document.title, " ").strip())
    sentences = _SENTENCE.split(body, maxsplit=1)
    return Pair(sentences[0][:300], sentences[1]) if len(sentences) == 2 else None


def _of_session(document: Document) -> Pair | None:
    for asked, answered in zip(document.messages, document.messages[1:], strict=False):
        if asked.role == "user" and answered.role == "assistant" and len(answered.text) >= 60:
            return Pair(asked.text[:500], answered.text[:_LONGEST])
    return None


# ------------------------------------------------------------------ fitting


Tell = Callable[[int, int], None]


def embedder_scale(
    pairs: Sequence[Pair], known: Embedder, other: Embedder, count: int, tell: Tell
) -> Calibrated:
    """What makes the known model's cosines of the other's."""
    import numpy as np

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
    return _fitted(other.key, "embed", *tables)


def reranker_scale(
    pairs: Sequence[Pair], known: Reranker, other: Reranker, near: Embedder, count: int, tell: Tell
) -> Calibrated:
    """What makes the known model's log-odds of the other's, over the passages that are nearest to
    each question."""
    import numpy as np

    asked = pairs[:count]
    texts = [pair.passage for pair in pairs]
    vectors = near.embed_passages(texts)
    rows: list[tuple[list[float], list[float]]] = []
    for done, pair in enumerate(asked, 1):
        order = np.argsort(-(vectors @ near.embed_query(pair.question)))[:READ]
        some = [texts[n] for n in order.tolist()]
        rows.append((known.score(pair.question, some), other.score(pair.question, some)))
        tell(done, len(asked))
    one, two = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    return _fitted(other.key, "rerank", one, two)


def _fitted(key: str, job: str, known: NDArray[Any], other: NDArray[Any]) -> Calibrated:
    """From two tables of the same questions and passages."""
    import numpy as np

    agreement = float(np.mean([_together(a, b) for a, b in zip(known, other, strict=True)]))
    (best, gaps), (their_best, their_gaps) = _shape(known), _shape(other)
    if their_gaps <= 0 or not np.isfinite(agreement) or agreement < AGREE:
        raise ModelError(
            f"the scores of {key} cannot be put on the grade's scale: on {len(known)} questions "
            f"they agree with those of the model that ships by {agreement:.2f}",
            hint="is it a model for this job and this language? search works without its scores",
        )
    slope = gaps / their_gaps
    return Calibrated(key, job, slope, best - slope * their_best, len(known), agreement)


def _shape(table: NDArray[Any]) -> tuple[float, float]:
    """The mean of the best score, and of how far the next ones are behind it."""
    import numpy as np

    head = -np.sort(-table, axis=1)[:, :HEAD]
    return float(head[:, 0].mean()), float((head[:, :1] - head[:, 1:]).mean())


def _together(one: NDArray[Any], other: NDArray[Any]) -> float:
    import numpy as np

    if min(np.ptp(one), np.ptp(other)) == 0:
        return 0.0
    first, second = (np.argsort(np.argsort(row)) for row in (one, other))
    return float(np.corrcoef(first, second)[0, 1])
