"""The head of the reader in PyTorch, and what teaches it (``training/reader.py``)."""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Sequence
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from training.encoder.model import shipped
from training.encoder.sets import PREFIX
from training.reader import (
    BATCH,
    CLS,
    DROP,
    INNER,
    LAYERS,
    MANY,
    MODEL,
    NEAREST,
    NOISE,
    PEOPLE,
    PER_HEAD,
    RATE,
    TASKS,
    WEIGHTS,
    WIDTH,
    Asked,
    Row,
)  # fmt: skip

STATES, BUDGET = 6, 1 << 16
"""The layer whose states are read, and tokens of a batch that gives them."""
SAME, LATER, ANSWERS, SUPPORTS = 0, 3, 4, 5
"""Places of the logits: same, changed, neither; which is later; answers; bears out."""


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inp = nn.Linear(384, WIDTH)
        self.seg, self.hit = nn.Embedding(2, WIDTH), nn.Embedding(3, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, WIDTH // PER_HEAD, INNER, DROP, "gelu", batch_first=True, norm_first=True
            )
            for _ in range(LAYERS)
        )
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(DROP)
        self.out = nn.Sequential(
            nn.Linear(4 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROP), nn.Linear(WIDTH, 6)
        )

    def forward(self, ids: Sequence[Tensor], states: Sequence[Tensor]) -> Tensor:
        mine, yours = (one > 0 for one in ids)
        shared = (ids[0][:, :, None] == ids[1][:, None, :]) & mine[:, :, None] & yours[:, None, :]
        hits = (shared.any(2).long() + 1) * mine, (shared.any(1).long() + 1) * yours
        if self.training:  # the product's states are those of int8 weights
            states = [x + NOISE * x.std() * torch.randn_like(x) for x in states]
        parts = [self.inp(states[n]) + self.seg.weight[n] + self.hit(hits[n]) for n in range(2)]
        hidden, mask = self.drop(torch.cat(parts, 1)), torch.cat([mine, yours], 1)
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=~mask)
        hidden = self.norm(hidden)
        size = ids[0].shape[1]
        a, b = _pooled(hidden[:, :size], mine), _pooled(hidden[:, size:], yours)
        pooled = torch.cat([a[0] + b[0], a[0] - b[0], a[1] + b[1], a[1] - b[1]], 1)
        told: Tensor = self.out(pooled)
        return told


def _pooled(hidden: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    some = mask[:, :, None]
    return (hidden * some).sum(1) / some.sum(1), hidden.masked_fill(~some, -1e4).max(1).values


def loss(out: Tensor, task: Tensor, label: Tensor, later: Tensor) -> Tensor:
    """By task; of two questions that are not the same only that they are not."""
    odds = F.log_softmax(out[:, :LATER], 1)
    told = -odds.gather(1, label[:, None])[:, 0]
    not_same = -torch.log1p(-odds[:, SAME].exp().clamp(max=1 - 1e-6))
    names = list(TASKS)
    told = torch.where((task == names.index("asked")) & (label == 2), not_same, told)
    is_change = (task == names.index("pair")) & (label == 1)
    when = F.binary_cross_entropy_with_logits(out[:, LATER], later, reduction="none") * is_change
    yes = (label == 1).float()
    for name, place in (("answer", ANSWERS), ("support", SUPPORTS)):
        own = F.binary_cross_entropy_with_logits(out[:, place], yes, reduction="none")
        told = torch.where(task == names.index(name), own, told)
    return (told + 0.3 * when).mean()


def area(yes: Any, no: Any) -> float:
    """The area under the receiver operating characteristic."""
    both = np.concatenate([yes, no])
    ranks = np.searchsorted(np.sort(both), both, "left") + np.searchsorted(
        np.sort(both), both, "right"
    )
    size = len(yes)
    return float(((ranks[:size].sum() + size) / 2 - size * (size + 1) / 2) / (size * len(no)))


class Learner:
    """The texts with their states, what teaches, and the sets that are read."""

    def __init__(self, data: Path, left: Sequence[str]) -> None:
        held = np.load(data / "tokens.npz")
        self._tokens, self._starts = held["tokens"].astype(np.int64), held["starts"].astype(int)
        with lzma.open(data / "rows.pkl.xz") as file:
            rows, sets = pickle.load(file)
        self._left = left
        self.rows = [Row(*row) for row in rows]
        self.body = shipped(MODEL / "model.onnx").cuda().eval()
        self.near: dict[str, tuple[Any, Any]] = {}
        self.sets = {name: (w, [Asked(*one) for one in asked]) for name, (w, asked) in sets.items()}
        for name, (windows, asked) in self.sets.items():
            self._look(name, windows, asked)
        every = {n for row in self.rows for n in (row.one, row.other)}
        for name in left:
            windows, asked = self.sets[name]
            every |= {one.text for one in asked} | {windows[n] for n in self.near[name][0].ravel()}
        some = sorted(every)
        found = self._states([self._of(n) for n in some], STATES)
        self._found = dict(zip(some, found, strict=True))

    def _of(self, n: int) -> Any:
        return self._tokens[self._starts[n] : self._starts[n + 1]]

    @torch.no_grad()
    def _states(self, texts: Sequence[Any], layer: int) -> list[Tensor]:
        """The states of each text after a layer; after the last one its vector."""
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        found: dict[int, Tensor] = {}
        while order:
            longest = len(texts[order[min(len(order), 400) - 1]])
            some, order = order[: BUDGET // longest], order[BUDGET // longest :]
            ids = _padded([texts[n] for n in some])
            with torch.autocast("cuda", torch.bfloat16):
                states = self.body(ids, ids > 0)[layer]
            if layer == len(self.body.layers):
                states = F.normalize(states[:, 0].float(), dim=1)
            for row, n in enumerate(some):
                whole = layer == len(self.body.layers)
                found[n] = states[row].half() if whole else states[row, : len(texts[n])].half()
        return [found[n] for n in range(len(texts))]

    def _look(self, name: str, windows: Sequence[int], asked: Sequence[Asked]) -> None:
        """Finds the nearest windows of each question of a set; what may teach, does."""
        from tokenizers import Tokenizer

        reads = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        prefix = reads.encode(PREFIX, add_special_tokens=False).ids
        layer = len(self.body.layers)
        vectors = torch.stack(self._states([self._of(n) for n in windows], layer)).float()
        questions = [np.array([CLS, *prefix, *self._of(one.text)[1:]]) for one in asked]
        cosines = torch.stack(self._states(questions, layer)).float() @ vectors.T
        top = cosines.topk(min(NEAREST, len(windows)), dim=1)
        self.near[name] = top.indices.cpu().numpy(), top.values.cpu().numpy()
        if name in self._left:
            return
        for n, one in enumerate(asked):
            if not one.teaches:
                continue
            if one.gold:
                best = windows[max(one.gold, key=lambda w: float(cosines[n, w]))]
                self.rows.append(Row("answer", one.text, best, 1, "people", name))
                self.rows += [Row("answer", t, best, 0, "exchanged", name) for t in one.twins]
            for w in top.indices[n].tolist():
                if w in one.gold:
                    self.rows.append(Row("answer", one.text, windows[w], 1, "people", name))
                elif len(one.gold) < MANY:
                    self.rows.append(Row("answer", one.text, windows[w], 0, "beside", name))

    def _chances(self, rows: Sequence[Row]) -> Any:
        """How often each is drawn: people's questions a share of the whole, a set by the square
        root of its size."""
        sizes: dict[str, int] = {}
        for row in rows:
            sizes[row.name] = sizes.get(row.name, 0) + 1
        weights = np.array([WEIGHTS[row.kind] for row in rows])
        asked = np.array([bool(row.name) for row in rows])
        weights[asked] *= np.array([sizes[row.name] ** -0.5 for row in rows if row.name])
        for some, share in ((asked, PEOPLE), (~asked, 1 - PEOPLE)):
            if some.any():
                weights[some] *= share / weights[some].sum()
        return weights / weights.sum()

    def _read(self, head: Head, pairs: Sequence[tuple[int, int]]) -> Tensor:
        ids = [_padded([self._of(pair[n]) for pair in pairs]) for n in range(2)]
        states = [
            nn.utils.rnn.pad_sequence([self._found[pair[n]] for pair in pairs], batch_first=True)
            for n in range(2)
        ]
        with torch.autocast("cuda", torch.bfloat16):
            told: Tensor = head(ids, [one.float() for one in states])
        return told.float()

    def taught(self, steps: int, seed: int) -> Head:
        torch.manual_seed(seed)
        chance = np.random.default_rng(seed)
        by = {task: [row for row in self.rows if row.task == task] for task in TASKS}
        odds = {task: self._chances(rows) for task, rows in by.items()}
        head = Head().cuda().train()
        best = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05, betas=(0.9, 0.98))
        for step in range(steps):
            rate = min(1, (step + 1) / 100) * (0.5 + 0.5 * cos(pi * step / steps))
            best.param_groups[0]["lr"] = RATE * rate
            some: list[Row] = []
            for task, count in zip(
                TASKS, chance.multinomial(BATCH, [*TASKS.values()]), strict=True
            ):
                picked = chance.choice(len(by[task]), count, p=odds[task])
                some += [by[task][n] for n in picked]
            some += [
                row._replace(other=far.other, label=0 if task in ("answer", "support") else 2)
                for task in TASKS  # of another text: of the same kind, or its length would tell
                for row, far in zip(*_strangers(some, task, chance), strict=True)
            ]
            turned = [r.task in ("pair", "asked") and chance.random() < 0.5 for r in some]
            pairs = [
                (r.other, r.one) if t else (r.one, r.other)
                for r, t in zip(some, turned, strict=True)
            ]
            task_of = torch.tensor([list(TASKS).index(r.task) for r in some]).cuda()
            label = torch.tensor([r.label for r in some]).cuda()
            later = (~torch.tensor(turned)).float().cuda()
            made = loss(self._read(head, pairs), task_of, label, later)
            best.zero_grad()
            made.backward()
            nn.utils.clip_grad_norm_(head.parameters(), 1.0)
            best.step()
            if step % 500 == 0:
                print(step, round(float(made), 3), flush=True)
        return head.eval()

    @torch.no_grad()
    def odds(self, head: Head, name: str) -> Any:
        """The log-odds of the nearest windows of each question of a set."""
        windows, asked = self.sets[name]
        near = self.near[name][0]
        pairs = [
            (one.text, windows[w]) for one, some in zip(asked, near, strict=True) for w in some
        ]
        parts = [
            self._read(head, pairs[n : n + 512])[:, ANSWERS] for n in range(0, len(pairs), 512)
        ]
        return torch.cat(parts).cpu().numpy().reshape(near.shape)

    def tell(self, head: Head) -> None:
        """Prints, of the sets that were left out, how well the unanswerable are told from those
        whose evidence is near: by the cosine, by the reader, by both; and below which log-odds
        the least of the latter lie."""
        for name in self._left:
            near, cosines = self.near[name]
            asked, odds = self.sets[name][1], self.odds(head, name)
            has = np.array(
                [bool({*a.gold} & {*n}) for a, n in zip(asked, near.tolist(), strict=True)]
            )
            none = np.array([not a.gold for a in asked])
            best, cosine = odds.max(1), cosines[:, 0]
            least = [round(float(x), 2) for x in np.quantile(best[has], (0.03, 0.05, 0.08, 0.1))]
            said = [f"{name}: least {least}, of {has.sum()}"]
            if none.sum() > 10:
                both = (cosine - cosine.mean()) / cosine.std() + (best - best.mean()) / best.std()
                said += [f"{area(one[has], one[none]):.3f}" for one in (cosine, best, both)]
                said += [f"above the least: {(best[none] >= x).mean():.2f}" for x in least]
            print(*said, flush=True)

    def keep(self, head: Head, out: Path, name: str) -> None:
        weights = {key: value.half().cpu().numpy() for key, value in head.state_dict().items()}
        np.savez_compressed(out / f"{name}.npz", **weights)


def _strangers(
    some: Sequence[Row], task: str, chance: np.random.Generator
) -> tuple[list[Row], list[Row]]:
    """An eighth of the rows of a task, and for each another whose text is not its own."""
    rows = [row for row in some if row.task == task]
    first = [rows[n] for n in chance.choice(len(rows), max(1, len(rows) // 8))]
    second = [rows[n] for n in chance.choice(len(rows), len(first))]
    apart = [(one, two) for one, two in zip(first, second, strict=True) if one.other != two.other]
    return [one for one, _ in apart], [two for _, two in apart]


def _padded(texts: Sequence[Any]) -> Tensor:
    made = np.zeros((len(texts), max(map(len, texts))), np.int64)
    for row, text in enumerate(texts):
        made[row, : len(text)] = text
    return torch.from_numpy(made).cuda(non_blocking=True)
