"""The head of the pair model in numpy: two layers of attention over the tokens of both texts.

Each token has its state, the text that it is of, and whether the other text has it too. What the
mean and the maximum of the tokens come to gives the odds, both ways round.
"""

from __future__ import annotations

from functools import cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from recollect import ports
from recollect.models import checksums, network
from recollect.models.catalog import PAIR
from recollect.named_tuple import NamedTuple
from recollect.text.pairs import PairJudgement

_HEADS, _LAYERS = 4, 2
Weights = dict[str, Any]


class PairText(NamedTuple):
    """A text as the head reads it."""

    ids: Any
    states: Any
    """One row a token, projected to the width of the head."""
    cut: bool
    """Whether it goes on behind what is read."""
    vector: ports.Vector


class PairHead:
    def __init__(self, home: Path) -> None:
        path = home / PAIR.weights
        checksums.check(path, PAIR.files[PAIR.weights], path.name)
        with np.load(path) as arrays:
            self._weights = {name: array.astype(np.float32) for name, array in arrays.items()}

    def text(self, tokens: network.TokenStates) -> PairText:
        most = PAIR.max_tokens
        states = _linear(self._weights, "inp", tokens.states[:most].astype(np.float32))
        cut = tokens.cut or len(tokens.ids) > most
        return PairText(np.array(tokens.ids[:most]), states, cut, tokens.vector)

    def judged(self, one: PairText, other: PairText) -> PairJudgement:
        both = self._logits(one, other)
        logits = both[:, :3].mean(axis=0)
        odds = np.exp(logits - logits.max())
        same, changed, neither = map(float, odds / odds.sum())
        if one.cut or other.cut:  # what was not read may be different
            same, neither = 0.0, neither + same
        later = 1 / (1 + exp(float(both[1, 3] - both[0, 3]) / 2))
        return PairJudgement(same, changed, neither, later, float(one.vector @ other.vector))

    def _logits(self, one: PairText, other: PairText) -> Any:
        """Returns the four logits for the texts both ways round."""
        weights, size = self._weights, len(one.ids)
        shared = one.ids[:, None] == other.ids[None, :]
        hits = np.concatenate([shared.any(axis=1), shared.any(axis=0)]) + 1
        states = np.concatenate([one.states, other.states]) + weights["hit.weight"][hits]
        first = (np.arange(len(states)) >= size).astype(int)
        hidden = states + weights["seg.weight"][np.stack([first, 1 - first])]
        for layer in range(_LAYERS):
            hidden = _layer(weights, f"layers.{layer}.", hidden)
        hidden = _norm(weights, "norm", hidden)
        a, b = hidden[:, :size], hidden[:, size:]
        turn = np.array([[1.0], [-1.0]], np.float32)  # the second way the other text is the first
        means, tops = (a.mean(1), b.mean(1)), (a.max(1), b.max(1))
        parts = [part for x, y in (means, tops) for part in (x + y, turn * (x - y))]
        pooled = np.concatenate(parts, axis=1)
        return _linear(weights, "out.3", _gelu(_linear(weights, "out.0", pooled)))


@cache
def loaded(home: Path) -> PairHead:
    """The head that is there, read once for all stores that a process has open."""
    return PairHead(home)


def _layer(weights: Weights, name: str, hidden: Any) -> Any:
    """One layer of a transformer, with its norms before attention and feed-forward."""
    hidden = hidden + _attention(weights, name, _norm(weights, f"{name}norm1", hidden))
    inner = _gelu(_linear(weights, f"{name}linear1", _norm(weights, f"{name}norm2", hidden)))
    return hidden + _linear(weights, f"{name}linear2", inner)


def _attention(weights: Weights, name: str, hidden: Any) -> Any:
    ways, size, width = hidden.shape
    made = hidden @ weights[f"{name}self_attn.in_proj_weight"].T
    made = made + weights[f"{name}self_attn.in_proj_bias"]
    parts = made.reshape(ways, size, 3, _HEADS, width // _HEADS).transpose(2, 0, 3, 1, 4)
    query, key, value = parts
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(width // _HEADS, dtype=np.float32)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
    return _linear(
        weights, f"{name}self_attn.out_proj", mixed.swapaxes(1, 2).reshape(ways, size, width)
    )


def _linear(weights: Weights, name: str, given: Any) -> Any:
    return given @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _norm(weights: Weights, name: str, given: Any) -> Any:
    centred = given - given.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(given: Any) -> Any:
    return 0.5 * given * (1 + np.tanh(0.7978845608 * (given + 0.044715 * given * given * given)))
