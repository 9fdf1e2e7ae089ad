"""The weights of the grade as they were fitted: data (``grade.json``), read when first needed."""

from __future__ import annotations

import json
import os
from functools import cache
from math import log

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_EVEN, _ABOVE, _BELOW = log(0.6 / 0.4), 6.0, 1.0
"""What the score of a sentence is turned by into the most that an answer may be sure: the grade of
an answer that needs no synthesis at the score that nearly all sentences that answer have. Below it
slowly less: some answers are right all the same."""
_FILE = os.path.join(os.path.dirname(__file__), "grade.json")


@cache
def weights() -> Mapping[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        loaded: Mapping[str, Any] = json.load(file)
    return loaded


def knows(model: str) -> bool:
    """Whether the weights were fitted with the scores of this embedder or reranker."""
    return model in weights()["embedders"] or model in weights()["rerankers"]


def ceiling(score: float) -> float:
    """The log-odds that an answer has at most whose nearest sentence has this score."""
    over = score - float(weights()["stated"]["least"])
    return _EVEN + (_ABOVE if over > 0 else _BELOW) * over


def least_score(sure: float) -> float:
    """The score that the nearest sentence has at least where an answer may be so sure."""
    over = log(sure / (1 - sure)) - _EVEN
    return over / (_ABOVE if over > 0 else _BELOW) + float(weights()["stated"]["least"])
