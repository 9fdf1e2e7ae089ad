"""How far a long operation is."""

from collections.abc import Callable

from recollect.named_tuple import NamedTuple


class Progress(NamedTuple):
    """How far a long operation is. ``total`` is 0 while it is not known."""

    doing: str
    """Such as ``importing``, ``embedding``, ``asking``, ``copying``."""
    done: int
    total: int
    share: float = 0
    """Of the work, where the count does not tell it; 0 where it does."""


Report = Callable[[Progress], None]
