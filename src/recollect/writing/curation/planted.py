"""Facts that are none: what a text tells a language model to do, and what follows it closely.

Whoever reads the text, each fact is held against the place that it is from. The text itself is kept
whatever it says, and the receipt names the facts that were refused. What users tell their own
assistant ("from now on, answer in German") is a wish of theirs, and is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.text.support import gate
from recollect.text.support.orders import is_order
from recollect.writing.curation.chunk import CurationPiece
from recollect.writing.curation.extract import Extracted
from recollect.writing.curation.outline import OutlineStretch, Speaker


def speaker_at(place: int, pieces: Sequence[CurationPiece], otherwise: Speaker) -> Speaker:
    """Who says what begins at a place of the text."""
    part = _part_at(place, pieces)
    return part.speaker if part and part.speaker else otherwise


def checked(
    fact: Extracted, text: str, pieces: Sequence[CurationPiece], speaker: Speaker
) -> Extracted:
    """The fact, with why it is refused where it tells a model what to do; *speaker* says what has
    no turns. One without a place is by who hands it in, for its user."""
    if fact.refused:
        return fact
    part = _part_at(fact.start, pieces) if fact.quote else None
    by_user = not fact.quote or speaker_at(fact.start, pieces, speaker) == "user"
    if is_order(fact.statement, by_user=by_user):
        return fact._replace(refused=gate.ORDER)
    first = part.start if part else 0
    place = gate.standing(fact.start, fact.end, text, by_user, first)
    if gate.is_ordered(place):
        return fact._replace(refused=gate.ORDERED)
    subject, heading, about = map(title, (fact.subject, fact.heading, fact.about))
    return fact._replace(subject=subject, heading=heading, about=about)


def title(said: str) -> str:
    """What something is called, unless that is an order: then it is called nothing."""
    return "" if is_order(said) else said


def _part_at(place: int, pieces: Sequence[CurationPiece]) -> OutlineStretch | None:
    parts = (part for piece in pieces if piece.start <= place < piece.end for part in piece.parts)
    return next((part for part in parts if part.start <= place < part.end), None)
