"""The reader in PyTorch, and what teaches it (``training/reader.py``)."""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Iterator, Sequence
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from training.bert import Bert, teacher
from training.encoder.model import Texts, shipped, through
from training.encoder.sets import PREFIX
from training.reader import (
    ASKED_TOKENS,
    BATCH,
    CLS,
    DROP,
    MANY,
    MODEL,
    NEAR,
    NEAREST,
    PEOPLE,
    TASKS,
    WEIGHTS,
    Asked,
    Row,
)  # fmt: skip

BUDGET = 1 << 16
"""Tokens of a batch that is read."""
ANSWERS, SUPPORTS, SAME = 0, 1, 2
"""Places of the logits: answers; bears out; same, changed, neither."""


class Reader(nn.Module):
    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.out = nn.Linear(384, 5)

    def forward(self, texts: Texts) -> Tensor:
        """The logits of each text."""
        body = self.body
        x = body.words(texts.ids) + body.positions(texts.places) + body.types.weight[0]
        x = F.dropout(body.norm(x), DROP, self.training)
        *most, last = body.layers
        for layer in most:
            x = through(layer, x, texts, first=False, drop=DROP)
        first = through(last, x, texts, first=True, drop=DROP)
        told: Tensor = self.out(F.dropout(first, DROP, self.training))
        return told.float()


def begun(start: Path | None) -> Reader:
    """A reader that begins with the weights of an encoder: that one, or the one that ships."""
    body = ours = shipped(MODEL / "model.onnx")
    if start is not None:
        body = teacher(start)
        body.words = ours.words
    body.words.requires_grad_(False)  # both models share one table of words
    return Reader(body).cuda()


def loss(out: Tensor, task: Tensor, label: Tensor) -> Tensor:
    names = list(TASKS)
    yes = (label == 1).float()
    told = F.cross_entropy(out[:, SAME:], label, reduction="none")
    for name, place in (("answer", ANSWERS), ("support", SUPPORTS)):
        own = F.binary_cross_entropy_with_logits(out[:, place], yes, reduction="none")
        told = torch.where(task == names.index(name), own, told)
    return told.mean()


def area(yes: Any, no: Any) -> float:
    """The area under the receiver operating characteristic."""
    both = np.concatenate([yes, no])
    ranks = np.searchsorted(np.sort(both), both, "left") + np.searchsorted(
        np.sort(both), both, "right"
    )
    size = len(yes)
    return float(((ranks[:size].sum() + size) / 2 - size * (size + 1) / 2) / (size * len(no)))


def packed(rows: Sequence[Any]) -> Texts:
    sizes = np.array([len(row) for row in rows])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ids = torch.from_numpy(np.concatenate(rows)).cuda(non_blocking=True)
    places = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    return Texts(
        ids, torch.from_numpy(places).cuda(non_blocking=True),
        torch.from_numpy(starts.astype(np.int32)).cuda(non_blocking=True), int(sizes.max()),
    )  # fmt: skip


class Learner:
    """The texts, what teaches, and the sets that are read."""

    def __init__(self, data: Path, left: Sequence[str], domains: Sequence[str] = ()) -> None:
        """Without the sets of *left*, and without what was written on texts of those *domains*."""
        held = np.load(data / "tokens.npz")
        self._tokens, self._starts = held["tokens"].astype(np.int64), held["starts"].astype(int)
        with lzma.open(data / "rows.pkl.xz") as file:
            rows, tests, sets = pickle.load(file)
        self._left = (*left, *NEAR)
        self.rows = [Row(*row) for row in rows if row[-1] not in domains]
        self.rows = [row._replace(name="") for row in self.rows]
        self.tests = {name: [Row(*row) for row in some] for name, some in tests.items()}
        self.sets = {name: (w, [Asked(*one) for one in asked]) for name, (w, asked) in sets.items()}
        self.near: dict[str, tuple[Any, Any]] = {}
        body = shipped(MODEL / "model.onnx").cuda().eval()
        for name, (windows, asked) in self.sets.items():
            self._look(body, name, windows, asked)
        self._strange(body)

    def _of(self, n: int) -> Any:
        return self._tokens[self._starts[n] : self._starts[n + 1]]

    def _pair(self, one: int, other: int) -> Any:
        first = self._of(one)
        if len(first) > ASKED_TOKENS:
            first = np.concatenate([first[: ASKED_TOKENS - 1], first[-1:]])
        return np.concatenate([first, self._of(other)[1:]])

    @torch.no_grad()
    def _vectors(self, body: Bert, texts: Sequence[Any]) -> Tensor:
        plain = Reader(body).cuda().eval()
        plain.out = nn.Identity()  # type: ignore[assignment]
        return F.normalize(self._run(plain, texts), dim=1)

    @torch.no_grad()
    def _run(self, model: Reader, texts: Sequence[Any]) -> Tensor:
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        parts = []
        for some in _portions(order, texts):
            with torch.autocast("cuda", torch.bfloat16):
                parts.append(model(packed([texts[n] for n in some])))
        made = torch.cat(parts)
        back = torch.empty_like(made)
        back[torch.tensor(order).cuda()] = made
        return back

    def _asking(self) -> list[int]:
        from tokenizers import Tokenizer

        reads = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        found: list[int] = reads.encode(PREFIX, add_special_tokens=False).ids
        return found

    def _look(self, body: Bert, name: str, windows: Sequence[int], asked: Sequence[Asked]) -> None:
        """Finds the nearest windows of each question of a set; what may teach, does."""
        prefix = self._asking()
        vectors = self._vectors(body, [self._of(n) for n in windows])
        questions = [np.array([CLS, *prefix, *self._of(one.text)[1:]]) for one in asked]
        cosines = self._vectors(body, questions) @ vectors.T
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
                    kind = "beside" if one.gold else "nothing"
                    self.rows.append(Row("answer", one.text, windows[w], 0, kind, name))

    def _strange(self, body: Bert) -> None:
        """Adds for each question of the readings one of the nearest texts that it is not of."""
        asked = [r for r in self.rows if r.task == "answer" and r.kind == "yes"]
        texts = sorted({r.other for r in asked})
        vectors = self._vectors(body, [self._of(n) for n in texts])
        prefix = self._asking()
        questions = [np.array([CLS, *prefix, *self._of(r.one)[1:]]) for r in asked]
        near = (self._vectors(body, questions) @ vectors.T).topk(4, dim=1).indices.tolist()
        for row, some in zip(asked, near, strict=True):
            others = [texts[n] for n in some if texts[n] != row.other]
            self.rows.append(row._replace(other=others[row.one % len(others)], label=0, kind="no"))

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

    def taught(self, model: Reader, options: Any) -> Reader:
        torch.manual_seed(options.seed)
        chance = np.random.default_rng(options.seed)
        by = {task: [row for row in self.rows if row.task == task] for task in TASKS}
        odds = {task: np.cumsum(self._chances(rows)) for task, rows in by.items()}
        model.train()
        learns = [p for p in model.parameters() if p.requires_grad]
        best = torch.optim.AdamW(learns, lr=options.rate, weight_decay=0.01)
        for step in range(options.steps):
            rate = min(1, (step + 1) / 100) * (0.5 + 0.5 * cos(pi * step / options.steps))
            best.param_groups[0]["lr"] = options.rate * rate
            some: list[Row] = []
            for task, count in zip(
                TASKS, chance.multinomial(BATCH, [*TASKS.values()]), strict=True
            ):
                picked = np.searchsorted(odds[task], chance.random(count) * odds[task][-1])
                some += [by[task][n] for n in picked]
            some += [
                row._replace(other=far.other, label=2 if task == "pair" else 0)
                for task in TASKS  # of another text: of the same kind, or its length would tell
                for row, far in zip(*_strangers(some, task, chance), strict=True)
            ]
            task_of = torch.tensor([list(TASKS).index(r.task) for r in some]).cuda()
            label = torch.tensor([r.label for r in some]).cuda()
            with torch.autocast("cuda", torch.bfloat16):
                told = model(packed([self._pair(r.one, r.other) for r in some]))
            made = loss(told, task_of, label)
            best.zero_grad()
            made.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            best.step()
            if step % 500 == 0:
                print(step, round(made.item(), 3), flush=True)
        return model.eval()

    def odds(self, model: Reader, name: str) -> Any:
        """The log-odds of the nearest windows of each question of a set."""
        windows, asked = self.sets[name]
        near = self.near[name][0]
        pairs = [
            self._pair(one.text, windows[w])
            for one, some in zip(asked, near, strict=True) for w in some
        ]  # fmt: skip
        return self._run(model, pairs)[:, ANSWERS].cpu().numpy().reshape(near.shape)

    def tell(self, model: Reader) -> None:
        """Prints, of the sets that were left out, how well the unanswerable are told from those
        whose evidence is near: by the cosine, by the reader, by both; and below which log-odds
        the least of the latter lie."""
        for name, rows in self.tests.items():
            place = ANSWERS if rows[0].task == "answer" else SUPPORTS
            told = self._run(model, [self._pair(r.one, r.other) for r in rows])[:, place]
            odds, yes = told.cpu().numpy(), np.array([r.label == 1 for r in rows])
            print(f"{name}: {area(odds[yes], odds[~yes]):.3f}", flush=True)
        for name in self._left:
            near, cosines = self.near[name]
            asked, odds = self.sets[name][1], self.odds(model, name)
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


def _portions(order: list[int], texts: Sequence[Any]) -> Iterator[list[int]]:
    """Yields them in order, as many at a time as there are tokens for."""
    some: list[int] = []
    used = 0
    for n in order:
        if some and used + len(texts[n]) > BUDGET:
            yield some
            some, used = [], 0
        some.append(n)
        used += len(texts[n])
    yield some


def _strangers(
    some: Sequence[Row], task: str, chance: np.random.Generator
) -> tuple[list[Row], list[Row]]:
    """An eighth of the rows of a task, and for each another whose text is not its own."""
    rows = [row for row in some if row.task == task]
    first = [rows[n] for n in chance.choice(len(rows), max(1, len(rows) // 8))]
    second = [rows[n] for n in chance.choice(len(rows), len(first))]
    apart = [(one, two) for one, two in zip(first, second, strict=True) if one.other != two.other]
    return [one for one, _ in apart], [two for _, two in apart]
