"""The scales that were found by calibrating: two numbers for each model, kept in the models folder.

A scale puts the cosines of a model where the grade knows those of the model that ships.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect import permissions
from recollect.models import catalog
from recollect.named_tuple import NamedTuple
from recollect.nouns import Scale

_FILE = "calibrations.json"


class Calibration(NamedTuple):
    """What came of it."""

    model: str
    slope: float
    offset: float
    questions: int
    agreement: float
    """Of the two models on which passages are better, from −1 to 1 (Spearman's)."""

    def as_json(self) -> dict[str, Any]:
        numbers = {name: round(getattr(self, name), 4) for name in ("slope", "offset", "agreement")}
        return {**self._asdict(), **numbers}


def scale_of(folder: Path, key: str) -> Scale | None:
    """The scale of the model of this key, if it was found out with the model that ships now."""
    found = _known(folder).get(key)
    with suppress(KeyError, TypeError, ValueError):
        if found and found["reference"] == catalog.EMBED.key:
            return Scale(float(found["slope"]), float(found["offset"]))
    return None


def keep(folder: Path, found: Calibration) -> None:
    path = _path(folder)
    about = {**found.as_json(), "reference": catalog.EMBED.key}
    permissions.folder(path.parent)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps({**_known(folder), found.model: about}, indent=1), encoding="utf-8")
    os.replace(fresh, path)


def _path(folder: Path) -> Path:
    return folder / _FILE


def _known(folder: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        known = json.loads(_path(folder).read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return known
    return {}
