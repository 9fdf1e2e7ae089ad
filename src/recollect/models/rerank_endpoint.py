"""A reranker behind a ``/rerank`` endpoint, as Cohere, Voyage, Jina, vLLM and llama.cpp serve it.

Named by an address with the model after ``#``: ``https://api.cohere.com/v2#rerank-v3.5``. The key
comes from that vendor's variable, for its own address only, else from ``RECOLLECT_RERANK_KEY``.

Vendors score on scales of their own; the grade wants log-odds. :data:`CALIBRATIONS` says, for each
family, what its numbers are. They follow from what the vendors document and are not fitted: on a
family's scores a confidence is less exact than on those of the reranker that ships.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite, log
from time import monotonic
from typing import Any, Literal, NamedTuple

from recollect.errors import (
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelUnauthorised,
    ModelUnreachable,
)
from recollect.models.llm.addresses import checked_address, host_of, is_loopback
from recollect.models.llm.connection import Exchange
from recollect.models.llm.dialect import error_of, message_in
from recollect.models.llm.keys import Found, find_key
from recollect.models.llm.provider import retry_after

OWN_KEY = "RECOLLECT_RERANK_KEY"
VENDORS: Mapping[str, str] = {
    "api.cohere.com": "COHERE_API_KEY",
    "api.voyageai.com": "VOYAGE_API_KEY",
    "api.jina.ai": "JINA_API_KEY",
}
TOTAL = 3.0
"""Seconds for one reading, both attempts together: a search waits for it."""
_CONNECT = 2.0
_MAX_CHARACTERS = 16_000
_EDGE = 1e-4
"""A probability is taken as at least this far from 0 and 1."""


class Calibration(NamedTuple):
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


CALIBRATIONS: tuple[Calibration, ...] = (
    Calibration(r"jina-reranker-v3", "cosine", slope=10.0, offset=-3.0),
    Calibration(r"jina-reranker|jina-colbert", "probability"),
    Calibration(r"rerank-(v\d|english|multilingual)", "probability"),  # Cohere
    Calibration(r"rerank-(lite-)?\d", "probability"),  # Voyage
)
PROBABILITY, LOGIT = Calibration("", "probability"), Calibration("", "logit")
"""For all others: probabilities, unless a number is none."""


def calibration_of(model: str, scores: Sequence[float]) -> Calibration:
    for known in CALIBRATIONS:
        if re.search(known.names, model.lower()):
            return known
    return PROBABILITY if all(0 <= score <= 1 for score in scores) else LOGIT


class EndpointReranker:
    def __init__(self, address: str, total: float = TOTAL) -> None:
        url, self._model = checked_address(address, "rerank.model")
        self._url = url + "/rerank"
        self._host = host_of(url)
        self._total = total
        self._found: Found | None = None
        self._whole_scale: Calibration | None = None

    @property
    def key(self) -> str:
        return f"{self._model}@{self._url}"

    def reads(self, text: str) -> bool:  # noqa: ARG002  what a server knows it does not say
        return True

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        content = {
            "model": self._model,
            "query": question[:_MAX_CHARACTERS],
            "documents": [passage[:_MAX_CHARACTERS] or " " for passage in passages],
        }
        scores = self._scores(self._asked(content), len(passages))
        scale = calibration_of(self._model, scores)
        if LOGIT in (scale, self._whole_scale):  # once out of bounds, never probabilities again
            scale = self._whole_scale = LOGIT
        return [scale.log_odds(score) for score in scores]

    def _scores(self, told: Any, count: int) -> list[float]:
        try:
            rows = told.get("results") or told["data"]
            found = {
                int(row["index"]): float(row.get("relevance_score", row.get("score")))
                for row in rows
            }
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._garbled("its answer has no scores") from None
        if sorted(found) != list(range(count)) or not all(map(isfinite, found.values())):
            raise self._garbled(f"it gave {len(found)} scores for {count} passages, or not numbers")
        return [found[place] for place in range(count)]

    def _garbled(self, what: str) -> ModelGarbled:
        return ModelGarbled(f"{self._host}: {what}")

    def _asked(self, content: Mapping[str, Any]) -> Any:
        """Twice at most, within the time there is."""
        found, until = self._key(), monotonic() + self._total
        try:
            return self._post(content, found, until)
        except (ModelBusy, ModelUnreachable) as error:
            after = error.after if isinstance(error, ModelBusy) else 0.0
            if after or monotonic() >= until:
                raise
        return self._post(content, found, until)

    def _key(self) -> Found:
        if self._found is None:
            own = VENDORS.get(self._host)
            variables = (own, OWN_KEY) if own else (OWN_KEY,)
            here = is_loopback(self._host)
            found = find_key(variables, keyring=not here)
            if found.key and self._url.startswith("http://") and not here:
                raise ModelUnauthorised(
                    f"the key in {found.where} would go to {self._host} for everybody to read",
                    hint="use https://, or unset the key if that server needs none",
                )
            self._found = found
        return self._found

    def _post(self, content: Mapping[str, Any], found: Found, until: float) -> Any:
        headers = {"Content-Type": "application/json"}
        if found.key is not None:
            headers["Authorization"] = f"Bearer {found.key.reveal()}"
        raw = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
        with Exchange(self._url, headers, raw, _CONNECT, until, None) as exchange:
            status, answered = exchange.head(float("inf"))
            body = exchange.body()
        if status != 200:
            raise self._error(status, body, retry_after(answered), found)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise self._garbled("its answer is not JSON") from None

    def _error(self, status: int, body: bytes, after: float | None, found: Found) -> ModelError:
        said, _ = message_in(body)
        shown = found.key.cleaned(said) if found.key else said
        where = found.where or " or ".join(found.variables)
        return error_of(self._host, status, shown, after, where)
