"""The pair model: what two texts are to each other, by the token states of the encoder that ships.

Each text costs one pass of the encoder, whose vector and inner states it needs; the last ones are
remembered, so that one text against several costs one pass each. ``training/pairs.py`` made the
head, ``weights/pair/README.md`` is its card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from recollect.models import pair_head
from recollect.models.catalog import PAIR
from recollect.text import pairs

if TYPE_CHECKING:
    from recollect.models.onnx import OnnxEmbedder
    from recollect.ports import Vectors
    from recollect.text.pairs import PairJudgement

_ENCODED = 96
"""Tokens of a text that the encoder is given; the head reads the first of them."""
_REMEMBERED = 256


class ShippedPairs:
    """The pair model that ships. Nothing is loaded before two texts are compared; safe to share
    between threads."""

    def __init__(self, encoder: OnnxEmbedder, home: Path) -> None:
        self._encoder, self._home = encoder, home
        self._lock = Lock()
        self._texts: dict[str, pair_head.PairText] = {}
        self.key, self.encoder = PAIR.key, encoder.key

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The encoder's vectors of passages, kept for whoever embeds them next."""
        return self._encoder.embed_ahead(texts)

    def judge(self, texts: Sequence[tuple[str, str]]) -> list[PairJudgement]:
        """Returns for each pair what the second text is to the first."""
        return list(starmap(self._judged, texts))

    def _judged(self, one: str, other: str) -> PairJudgement:
        if not (self._encoder.reads(one) and self._encoder.reads(other)):
            return pairs.UNRELATED
        return self._head.judged(self._text(one), self._text(other))

    @property
    def _head(self) -> pair_head.PairHead:
        return pair_head.loaded(self._home)

    def _text(self, text: str) -> pair_head.PairText:
        found = self._texts.get(text)
        if found is None:
            found = self._head.text(self._encoder.token_states(text, _ENCODED))
            with self._lock:
                self._texts[text] = found
                if len(self._texts) > _REMEMBERED:
                    del self._texts[next(iter(self._texts))]
        return found
