"""The manifest of a vector index: which segments it is made of, as of which change.

Apart from :mod:`~recollect.storage.embedded.vector_index`, because who only tells what there is
does without numpy, which takes longer to load than all the rest of such a command.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import stable_id
from recollect.storage.embedded import sums

FORMAT = 1
TORN = (OSError, ValueError, KeyError, TypeError, EOFError)
"""What reading a file raises that is missing, cut short or not ours."""


class SegmentManifest(NamedTuple):
    epoch: str
    seq: int = 0
    segments: tuple[str, ...] = ()
    celled: bool = False
    """Whether its large segments are in cells."""

    def describe(self) -> dict[str, Any]:
        return {"segments": len(self.segments), "seq": self.seq}


def vector_folder(store: Path, model: str) -> Path:
    """Where the vectors of a model are: under a name that any file system takes."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", model)[:80]
    return store / "vectors" / f"{name}-{stable_id(model)[:6]}"


def manifest_file(folder: Path) -> Path:
    return folder / "manifest.json"


def read_manifest(folder: Path, epoch: str) -> SegmentManifest:
    """Returns the manifest in an index's folder; an empty one where there is none of this epoch."""
    try:
        about = sums.unsealed(manifest_file(folder).read_text())
        if about["format"] == FORMAT and about["epoch"] == epoch:
            return SegmentManifest(
                epoch, about["seq"], tuple(about["segments"]), about.get("celled", False)
            )
    except TORN:
        pass
    return SegmentManifest(epoch)
