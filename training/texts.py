"""Token ids on the GPU side: tokenised once, batched by length."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

PREFIX = "Represent this sentence for searching relevant passages: "
CLS, SEP = 101, 102


def tokenizer(path: Path) -> Tokenizer:
    made = Tokenizer.from_file(str(path))
    made.no_truncation()
    made.no_padding()
    return made


def encode(made: Tokenizer, texts: Sequence[str], limit: int = 512) -> list[list[int]]:
    """Ids with the special tokens, cut to *limit*."""
    found = []
    for start in range(0, len(texts), 20_000):
        some = made.encode_batch_fast(texts[start : start + 20_000], add_special_tokens=False)
        found += [[CLS, *e.ids[: limit - 2], SEP] for e in some]
    return found


def padded(rows: Sequence[Sequence[int]], device: str = "cuda") -> tuple[Tensor, Tensor]:
    longest = -(-max(map(len, rows)) // 16) * 16
    held = np.zeros((len(rows), min(longest, 512)), np.int64)
    for n, row in enumerate(rows):
        held[n, : len(row)] = row
    ids = torch.from_numpy(held).pin_memory().to(device, non_blocking=True)
    return ids, ids != 0


def batches(lengths: Sequence[int], tokens: int, rng: random.Random) -> Iterator[list[int]]:
    """Endless batches of indexes, each of like lengths and about *tokens* tokens."""
    while True:
        order = list(range(len(lengths)))
        rng.shuffle(order)
        for start in range(0, len(order), 50_000):
            block = sorted(order[start : start + 50_000], key=lambda i: lengths[i])
            made: list[list[int]] = [[]]
            for index in block:
                if made[-1] and lengths[index] * (len(made[-1]) + 1) > tokens:
                    made.append([])
                made[-1].append(index)
            rng.shuffle(made)
            yield from made


@torch.no_grad()
def vectors(model: Any, rows: Sequence[Sequence[int]], tokens: int = 262_144) -> Tensor:
    """The normalised first-token vector of each row."""
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    out = torch.zeros(len(rows), 384, device="cuda")
    start = 0
    while start < len(order):
        size = max(1, tokens // len(rows[order[start]]))
        some = order[start : start + size]
        ids, mask = padded([rows[i] for i in some])
        with torch.autocast("cuda", torch.bfloat16):
            state = model(ids, mask)[-1][:, 0]
        out[some] = torch.nn.functional.normalize(state.float(), dim=1)
        start += size
    return out
