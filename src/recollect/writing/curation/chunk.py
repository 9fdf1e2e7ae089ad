"""A text in pieces that are read one at a time, each of whole passages.

What it guarantees, for every text
- The pieces, joined, are the text exactly; none is empty, and so none is contained in another.
- None is longer than the limit, and there are no more than were planned.
- A piece ends where a passage of the stored document ends (:mod:`recollect.text.chunk`): its
  passages are those that get a vector, so that one pass of the encoder serves both.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.named_tuple import NamedTuple
from recollect.text.chunk import MAX_SIZE, TARGET_SIZE, Piece, split
from recollect.writing.curation.outline import OutlineStretch, outline
from recollect.writing.curation.recon import LIMIT, Survey


class CurationPiece(NamedTuple):
    start: int
    """Where it begins in the text."""
    passages: tuple[Piece, ...]
    parts: tuple[OutlineStretch, ...]
    """What it is made of, with offsets in the text."""

    @property
    def text(self) -> str:
        return "".join(passage.text for passage in self.passages)

    @property
    def end(self) -> int:
        return self.start + sum(len(passage.text) for passage in self.passages)


def pieces(text: str, survey: Survey, limit: int = LIMIT) -> list[CurationPiece]:
    parts = outline(text, survey.turns)
    found: list[CurationPiece] = []
    n = start = 0
    for some in _packed(split(text, min(limit, TARGET_SIZE), min(limit, MAX_SIZE)), limit):
        end = start + sum(len(passage.text) for passage in some)
        inside = []
        while n < len(parts) and parts[n].start < end:
            part = parts[n]
            inside.append(part._replace(start=max(start, part.start), end=min(end, part.end)))
            n += 1
        found.append(CurationPiece(start, some, tuple(inside)))
        n -= bool(n) and parts[n - 1].end > end  # a stretch may go on in the next piece
        start = end
    return found


def _packed(passages: list[Piece], limit: int) -> Iterator[tuple[Piece, ...]]:
    """Passages in a row, as many as the limit holds."""
    some: list[Piece] = []
    size = 0
    for passage in filter(lambda passage: passage.text, passages):
        if some and size + len(passage.text) > limit:
            yield tuple(some)
            some, size = [], 0
        some.append(passage)
        size += len(passage.text)
    if some:
        yield tuple(some)
