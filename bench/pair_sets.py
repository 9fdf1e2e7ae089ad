"""The pair model as a memory has it, and the log of who read the kept pairs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from recollect import config
from recollect.memory.models import pairs_for, shipped
from recollect.models.onnx import OnnxEmbedder
from recollect.ports import PairModel

SETS = Path(__file__).with_name("sets")
READINGS = Path(__file__).with_name("pairs-read.jsonl")
"""One line for each reading of what is kept."""


@cache
def embedder() -> OnnxEmbedder:
    return shipped(config.load())


@cache
def pair_model() -> PairModel:
    found = pairs_for(config.load(), embedder())
    assert found is not None
    return found


def log(bench: str, figures: Mapping[str, Any]) -> None:
    """Notes that kept pairs were read, with what came of it."""
    told = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    row = {
        "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "commit": told.stdout.strip(),
        "bench": bench,
    }
    with open(READINGS, "a", encoding="utf-8") as file:
        file.write(json.dumps({**row, "figures": figures}) + "\n")
