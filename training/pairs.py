"""Trains the head of the pair model: token states of the encoder in, same / changed / neither out.

    python -m training.pairs OUT

Reads ``training/pairs.jsonl.xz``: groups of questions (``same``, ``other``) and of statements
(``base``, ``same``, ``changed``, ``neither``). Needs torch and a GPU; nothing imports it.
"""

from __future__ import annotations

import json
import lzma
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from recollect import config
from recollect.memory.models import shipped

DATA = Path(__file__).with_name("pairs.jsonl.xz")
LABELS = ("same", "changed", "neither")
TOKENS, ENCODED, WIDTH, HEADS, INNER, LAYERS = 48, 96, 192, 4, 384, 2
STEPS, BATCH, RATE, SEED = 3000, 512, 8e-4, 1


def pairs(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The pairs of a group; of a change the second text is the later one."""
    if "base" not in row:
        same = [(one, two, "same") for one, two in combinations(row["same"], 2)]
        return same + [(one, two, "neither") for one in row["same"] for two in row["other"]]
    return [(row["base"], text, label) for label in LABELS for text in row.get(label, ())]


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inp = nn.Linear(384, WIDTH)
        self.seg, self.hit = nn.Embedding(2, WIDTH), nn.Embedding(3, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, INNER, 0.15, "gelu", batch_first=True, norm_first=True
            )
            for _ in range(LAYERS)
        )
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(0.15)
        self.out = nn.Sequential(
            nn.Linear(4 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(0.15), nn.Linear(WIDTH, 4)
        )

    def forward(self, ids: tuple[Any, Any], states: tuple[Any, Any]) -> Any:
        mine, yours = (one > 0 for one in ids)
        shared = (ids[0][:, :, None] == ids[1][:, None, :]) & mine[:, :, None] & yours[:, None, :]
        hits = (shared.any(2).long() + 1) * mine, (shared.any(1).long() + 1) * yours
        parts = [self.inp(states[n]) + self.seg.weight[n] + self.hit(hits[n]) for n in range(2)]
        hidden, mask = self.drop(torch.cat(parts, 1)), torch.cat([mine, yours], 1)
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=~mask)
        hidden = self.norm(hidden)
        size = ids[0].shape[1]
        a, b = _pooled(hidden[:, :size], mine), _pooled(hidden[:, size:], yours)
        return self.out(torch.cat([a[0] + b[0], a[0] - b[0], a[1] + b[1], a[1] - b[1]], 1))


def _pooled(hidden: Any, mask: Any) -> tuple[Any, Any]:
    some = mask[:, :, None]
    return (hidden * some).sum(1) / some.sum(1), hidden.masked_fill(~some, -1e4).max(1).values


def loss(out: Any, label: Any, asks: Any, later: Any) -> Any:
    """Cross entropy; of two questions that are not the same only that they are not."""
    odds = F.log_softmax(out[:, :3], 1)
    told = -odds.gather(1, label[:, None])[:, 0]
    not_same = -torch.log1p(-odds[:, 0].exp().clamp(max=1 - 1e-6))
    told = torch.where(asks & (label == 2), not_same, told)
    when = F.binary_cross_entropy_with_logits(out[:, 3], later, reduction="none") * (label == 1)
    return (told + 0.3 * when).mean()


def main(out: Path) -> None:
    with lzma.open(DATA, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    every = [(*pair, "base" not in row) for row in rows for pair in pairs(row)]
    texts = sorted({text for one, two, *_ in every for text in (one, two)})
    at, encoder = {text: n for n, text in enumerate(texts)}, shipped(config.load())
    ids = torch.zeros(len(texts), TOKENS, dtype=torch.long)
    states = torch.zeros(len(texts), TOKENS, 384)
    for n, text in enumerate(texts):
        found = encoder.token_states(text, ENCODED)
        size = min(TOKENS, len(found.ids))
        ids[n, :size] = torch.tensor(found.ids[:size])
        states[n, :size] = torch.from_numpy(found.states[:size])
    ids, states = ids.cuda(), states.cuda()
    first, second = (torch.tensor([at[pair[n]] for pair in every]).cuda() for n in range(2))
    label = torch.tensor([LABELS.index(pair[2]) for pair in every]).cuda()
    asks = torch.tensor([pair[3] for pair in every]).cuda()
    torch.manual_seed(SEED)
    head, weights = Head().cuda(), torch.where(label == 0, 2.0, 1.0)
    best = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05, betas=(0.9, 0.98))
    for step in range(STEPS):
        rate = min(1, (step + 1) / 80) * (0.5 + 0.5 * np.cos(np.pi * step / STEPS))
        best.param_groups[0]["lr"] = RATE * rate
        some = torch.multinomial(weights, BATCH, replacement=True)
        easy = torch.randint(0, len(every), (BATCH // 10,)).cuda()  # of another group
        a = torch.cat([first[some], first[easy]])
        b = torch.cat([second[some], second[easy[torch.randperm(len(easy))]]])
        labels = torch.cat([label[some], torch.full_like(easy, 2)])
        turned = torch.rand(len(a)).cuda() < 0.5
        one, two = torch.where(turned, b, a), torch.where(turned, a, b)
        with torch.autocast("cuda", torch.bfloat16):
            told = head((ids[one], ids[two]), (states[one], states[two]))
        asked = torch.cat([asks[some], asks[easy]])
        made = loss(told.float(), labels, asked, (~turned).float())
        best.zero_grad()
        made.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        best.step()
    weights = {name: value.half().cpu().numpy() for name, value in head.state_dict().items()}
    np.savez_compressed(out / "head.npz", **weights)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
