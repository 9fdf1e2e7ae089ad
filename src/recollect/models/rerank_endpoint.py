"""A reranker behind a ``/rerank`` endpoint, as Cohere, Voyage, Jina, vLLM and llama.cpp serve it.

Named by an address with the model after ``#``: ``https://api.cohere.com/v2#rerank-v3.5``. The key
comes from that vendor's variable, for its own address only, else from ``RECOLLECT_RERANK_KEY``.

Vendors score on scales of their own; the grade wants log-odds. :data:`CALIBRATIONS` says, for each
family, what its numbers are. They follow from what the vendors document and are not fitted: on a
family's scores a confidence is less exact than on those of a reranker with fitted weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite, log
from time import monotonic
from typing import Any, Literal

from recollect.models.addresses import checked_address
from recollect.models.remote import Remote
from recollect.named_tuple import NamedTuple

OWN_KEY = "RECOLLECT_RERANK_KEY"
VENDORS: Mapping[str, str] = {
    "api.cohere.com": "COHERE_API_KEY",
    "api.voyageai.com": "VOYAGE_API_KEY",
    "api.jina.ai": "JINA_API_KEY",
}
TOTAL = 3.0
"""Seconds for one reading, both attempts together: a search waits for it."""
_MAX_CHARACTERS = 16_000
_EDGE = 1e-4
"""A probability is taken as at least this far from 0 and 1."""


class ScoreScale(NamedTuple):
    """What the numbers of a family of models are, and what makes log-odds of them."""

    names: str
    """A pattern of the models' names."""
    scale: Literal["probability", "logit", "cosine"]
    slope: float = 1.0
    offset: float = 0.0

    def log_odds(self, score: float) -> float:
        if self.scale == "probability":
            near = min(max(score, _EDGE), 1 - _EDGE)
            score = log(near / (1 - near))
        return self.slope * score + self.offset


CALIBRATIONS: tuple[ScoreScale, ...] = (
    ScoreScale(r"jina-reranker-v3", "cosine", slope=10.0, offset=-3.0),
    ScoreScale(r"jina-reranker|jina-colbert", "probability"),
    ScoreScale(r"rerank-(v\d|english|multilingual)", "probability"),  # Cohere
    ScoreScale(r"rerank-(lite-)?\d", "probability"),  # Voyage
)
PROBABILITY, LOGIT = ScoreScale("", "probability"), ScoreScale("", "logit")
"""For all others: probabilities, unless a number is none."""


def calibration_of(model: str, scores: Sequence[float]) -> ScoreScale:
    """Returns the calibration of the model's family; for a model of no known family the one that
    its scores allow."""
    usual = PROBABILITY if all(0 <= score <= 1 for score in scores) else LOGIT
    return next((one for one in CALIBRATIONS if re.search(one.names, model.lower())), usual)


class EndpointReranker:
    def __init__(self, address: str, total: float = TOTAL) -> None:
        url, self._model = checked_address(address, "rerank.model")
        self._remote = Remote(f"{url}/rerank", VENDORS, OWN_KEY)
        self._total = total
        self._whole_scale: ScoreScale | None = None

    @property
    def key(self) -> str:
        return f"{self._model}@{self._remote.url}"

    def reads(self, text: str) -> bool:  # noqa: ARG002  what a server knows it does not say
        return True

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        content = {
            "model": self._model,
            "query": question[:_MAX_CHARACTERS],
            "documents": [passage[:_MAX_CHARACTERS] or " " for passage in passages],
        }
        told = self._remote.post(content, monotonic() + self._total, attempts=2, backoff=0.0)
        scores = self._scores(told, len(passages))
        scale = calibration_of(self._model, scores)
        if LOGIT in (scale, self._whole_scale):  # once out of bounds, never probabilities again
            scale = self._whole_scale = LOGIT
        return list(map(scale.log_odds, scores))

    def _scores(self, told: Any, count: int) -> list[float]:
        try:
            rows = told.get("results") or told["data"]
            found = {
                int(row["index"]): float(row.get("relevance_score", row.get("score")))
                for row in rows
            }
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._remote.garbled("its answer has no scores") from None
        if sorted(found) != list(range(count)) or not all(map(isfinite, found.values())):
            raise self._remote.garbled(
                f"it gave {len(found)} scores for {count} passages, or not numbers"
            )
        return [found[place] for place in range(count)]
