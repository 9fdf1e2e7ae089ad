"""The weights of the grade as they were fitted: data (``grade.json``), read when first needed."""

from __future__ import annotations

import json
import os
from functools import cache

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FILE = os.path.join(os.path.dirname(__file__), "grade.json")


@cache
def weights() -> Mapping[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        loaded: Mapping[str, Any] = json.load(file)
    return loaded


def knows(model: str) -> bool:
    """Whether the weights were fitted with the scores of this embedder or reranker."""
    return model in weights()["embedders"] or model in weights()["rerankers"]
