"""Checksums of the files of an index, which are written once and never changed.

Of each file its length is kept, and the CRC-32 of each block. Whoever opens an index looks at the
lengths, at short files wholly, and at a few blocks of long ones, which costs a few milliseconds; a
full check reads everything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias
from zlib import crc32

BLOCK = 1 << 16
_SAMPLED = 8
"""Blocks of a long file that are looked at when it is opened: the first, the last, and between."""
_WHOLE = 16
"""Blocks up to which all of a file is looked at."""

FileSum: TypeAlias = tuple[int, tuple[int, ...]]
"""The length of a file, and the checksums of its blocks."""


def sum_of(place: str) -> FileSum:
    with open(place, "rb", buffering=0) as file:
        blocks = list(iter(partial(file.read, BLOCK), b""))
    return sum(map(len, blocks)), tuple(map(crc32, blocks))


def sealed(about: Mapping[str, Any]) -> str:
    """Returns a JSON object as a text that tells whether it is whole."""
    return json.dumps({**about, "sum": _sum(about)})


def unsealed(text: str) -> dict[str, Any]:
    """Returns the object that :func:`sealed` wrote; one without a sum is of an earlier version."""
    about = json.loads(text)
    if not isinstance(about, dict):
        raise ValueError("it is no object")
    said = about.pop("sum", None)
    if said is not None and said != _sum(about):
        raise ValueError("it is not as it was written")
    return about


def _sum(about: Mapping[str, Any]) -> int:
    return crc32(json.dumps(about, sort_keys=True).encode())


def damaged(folder: str, sums: Mapping[str, FileSum], *, full: bool) -> Iterator[str]:
    """Yields the names of the files in a folder that are not as they were written. A file that is
    not there is damaged too."""
    for name, (size, blocks) in sums.items():
        try:
            sound = _is_sound(os.path.join(folder, name), size, blocks, full)
        except OSError:
            sound = False
        if not sound:
            yield name


def _is_sound(place: str, size: int, blocks: tuple[int, ...], full: bool) -> bool:
    if os.stat(place).st_size != size:
        return False
    count = len(blocks)
    step = 1 if full or count <= _WHOLE else -(-count // _SAMPLED)
    looked_at = sorted({*range(0, count, step), count - 1}) if count else []
    with open(place, "rb", buffering=0) as file:
        for number in looked_at:
            file.seek(number * BLOCK)
            if crc32(file.read(BLOCK)) != blocks[number]:
                return False
    return True
