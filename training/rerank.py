"""recollect-rerank: a small cross-encoder for questions over notes, turns, facts and records.

    python -m training.rerank --out DIR --teacher-minutes 3 --minutes 4

Groups of a question, passages that answer it and passages that only look so come from three
places: the questions of the data folder that may be learned from (negatives: what our own first
stage ranks high), rule-made questions over plain passages, and invented stories with wrong
persons, dates and values, superseded and missing facts. A 12-layer cross-encoder learns from
them first; the 4-layer one that ships learns from it and from the labels.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import time
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from training.bert import Bert, save, shorter, teacher
from training.embed import OUT, read
from training.first_stage import Evaluation, fused, is_dev, ndcg, nearest
from training.questions import questions
from training.stories import examples
from training.texts import CLS, PREFIX, SEP, encode, tokenizer, vectors

LONGEST = 288
ASKED = 72
WRONG = 7
GROUPS = 96
MADE = 150_000
EASY = ("claim", "keywords")


class Group(NamedTuple):
    """A question with passages; ``right`` may be empty. Texts are numbers into one table."""

    question: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    weight: float


class Cross(nn.Module):
    """A BERT over the pair, and one number out of its first token."""

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.dense = nn.Linear(384, 384)
        self.head = nn.Linear(384, 1)
        with torch.no_grad():
            self.dense.weight.copy_(torch.eye(384))
            self.dense.bias.zero_()

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor, drop: float = 0.0) -> Tensor:
        first = self.body(ids, mask, types, drop)[-1][:, 0]
        first = F.dropout(torch.tanh(self.dense(first)), drop, self.training)
        return self.head(first).float().squeeze(-1)


class Texts:
    """Token ids of every text that is used, questions and passages alike, once each."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.ids: list[list[int]] = []

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))

    def tokenise(self) -> None:
        made = tokenizer(OUT / "tokenizer.json")
        self.ids = [row[1:-1] for row in encode(made, list(self.numbers), LONGEST)]


def pairs(texts: Texts, some: Sequence[tuple[int, int]]) -> tuple[Tensor, Tensor, Tensor]:
    rows, kinds = [], []
    for question, passage in some:
        ask = [CLS, *texts.ids[question][:ASKED], SEP]
        tell = [*texts.ids[passage][: LONGEST - len(ask) - 1], SEP]
        rows.append(ask + tell)
        kinds.append(len(ask))
    longest = -(-max(map(len, rows)) // 16) * 16
    ids = np.zeros((len(rows), longest), np.int64)
    types = np.zeros_like(ids)
    for n, (row, first) in enumerate(zip(rows, kinds, strict=True)):
        ids[n, : len(row)] = row
        types[n, first : len(row)] = 1
    there = torch.from_numpy(ids).pin_memory().to("cuda", non_blocking=True)
    return there, there != 0, torch.from_numpy(types).pin_memory().to("cuda", non_blocking=True)


# ------------------------------------------------------------------ what to learn from


def _ask(work: tuple[int, list[dict[str, Any]]]) -> list[tuple[int, str, str]]:
    seed, rows = work
    rng = random.Random(seed)
    made = []
    for row in rows:
        title = row.get("d", row["h"]) if row["s"] == "2wiki" else row["h"]
        made += [
            (row["n"], asked.question, asked.answer)
            for asked in questions(title, row["h"], row["t"], rng, 2)
            if asked.kind not in EASY or rng.random() < 0.35
        ]
    return made


def _tell(seed: int) -> list[Any]:
    return list(examples(2_500, seed))


def made_questions(passages: list[dict[str, Any]], pool: Any) -> list[tuple[int, str, str]]:
    rows = [{**p, "n": n} for n, p in enumerate(passages) if _is_english(p)]
    blocks = [(n, rows[start : start + 1500]) for n, start in enumerate(range(0, len(rows), 1500))]
    return [one for block in pool.map(_ask, blocks) for one in block]


def _is_english(row: dict[str, Any]) -> bool:
    name = row["s"]
    if name.startswith("xquad") and name != "xquad-en":
        return False
    return sum(c.isascii() for c in row["t"][:300]) > 0.97 * len(row["t"][:300])


def mined(
    passages: list[dict[str, Any]], table: Texts, asked: list[tuple[int, str, str]],
    model: Bert, held: Tensor, rng: random.Random,
) -> Iterator[Group]:  # fmt: skip
    """Groups of made questions; what is near and does not hold the answer is wrong."""
    made = tokenizer(OUT / "tokenizer.json")
    near = nearest(
        vectors(model, encode(made, [PREFIX + q for _, q, _ in asked], 80)), held,
        torch.arange(len(passages), device="cuda"), 40,
    )  # fmt: skip
    for (row, question, answer), found in zip(asked, near, strict=True):
        own = passages[row]
        wrong = []
        for other in found:
            them = passages[other]
            same = them["t"][:200] == own["t"][:200] or (answer and answer in them["t"])
            if other != row and not same:
                wrong.append(other)
        if not answer:  # the nearest may answer it as well as its own passage does
            wrong = [w for w in wrong[3:] if w != row]
        if len(wrong) < WRONG:
            continue
        close = wrong[:12]
        chosen = rng.sample(close, min(WRONG - 1, len(close))) + rng.sample(wrong[8:] or close, 1)
        right = () if answer and rng.random() < 0.05 else (table.number(own["t"]),)
        numbers = tuple(table.number(passages[w]["t"]) for w in chosen)
        yield Group(table.number(question), right, numbers, 0.5)


def told(table: Texts, pool: Any) -> Iterator[Group]:
    for block in pool.map(_tell, range(100, 116)):
        for one in block:
            yield Group(
                table.number(one.question),
                tuple(table.number(p) for p in one.positives),
                tuple(table.number(text) for _, text in one.negatives),
                0.7,
            )


class Questions:
    """The questions of the data folder with the first stage's candidates."""

    def __init__(self, passages: list[dict[str, Any]], asked: list[dict[str, Any]],
                 model: Bert, held: Tensor) -> None:  # fmt: skip
        self.passages = passages
        self.asked = asked
        made = tokenizer(OUT / "tokenizer.json")
        sets = Evaluation(passages, asked).sets
        queries = vectors(model, encode(made, [PREFIX + q["query"] for q in asked], 128))
        self.candidates: list[list[tuple[int, float]]] = [[] for _ in asked]
        self.cosines: list[dict[int, float]] = [{} for _ in asked]
        self.best: list[dict[str, int]] = [{} for _ in asked]
        for name, rows in sets.items():
            mine = [n for n, q in enumerate(asked) if q["set"] == name]
            at = torch.tensor(rows, device="cuda")
            dense = nearest(queries[mine], held[at], at)
            of = {}
            for row in rows:
                of.setdefault(passages[row]["d"], []).append(row)
            for n, found in zip(mine, dense, strict=True):
                self.candidates[n] = fused(asked[n]["lex"], found)[:40]
                some = [r for r, _ in self.candidates[n]]
                near = (held[torch.tensor(some, device="cuda")] @ queries[n]).tolist()
                self.cosines[n] = dict(zip(some, near, strict=True))
                for gold in asked[n]["gold"]:
                    own = of.get(gold, [])
                    if own:
                        close = held[torch.tensor(own, device="cuda")] @ queries[n]
                        self.best[n][gold] = own[int(close.argmax())]

    def groups(self, table: Texts, which: Sequence[int], weight: float) -> Iterator[Group]:
        for n in which:
            q = self.asked[n]
            gold = set(q["gold"])
            right = tuple(table.number(self.passages[r]["t"]) for r in self.best[n].values())
            wrong = tuple(
                table.number(self.passages[r]["t"])
                for r, _ in self.candidates[n][:30]
                if self.passages[r]["d"] not in gold
            )
            if wrong:
                yield Group(table.number(q["query"]), right, wrong, weight)


# ------------------------------------------------------------------ learning


def stream(groups: list[Group], texts: Texts, rng: random.Random) -> Iterator[Any]:
    """Endless batches, of like lengths, made ready in a thread."""
    lengths = [len(texts.ids[g.wrong[0]]) + len(texts.ids[g.question]) for g in groups]

    def draw(group: Group) -> tuple[list[tuple[int, int]], int]:
        wrong = rng.sample(group.wrong, min(WRONG + (not group.right), len(group.wrong)))
        right = [rng.choice(group.right)] if group.right else []
        some = [(group.question, p) for p in right + wrong]
        while len(some) < WRONG + 1:
            some.append((group.question, rng.choice(group.wrong)))
        return some, len(right)

    def produce() -> None:
        while True:
            order = list(range(len(groups)))
            rng.shuffle(order)
            blocks = []
            for start in range(0, len(order), GROUPS * 40):
                block = sorted(order[start : start + GROUPS * 40], key=lambda i: lengths[i])
                blocks += [block[i : i + GROUPS] for i in range(0, len(block), GROUPS)]
            rng.shuffle(blocks)
            for block in blocks:
                drawn = [draw(groups[i]) for i in block]
                flat = [pair for some, _ in drawn for pair in some]
                has = torch.tensor([n for _, n in drawn], device="cuda", dtype=torch.float32)
                weight = torch.tensor([groups[i].weight for i in block], device="cuda")
                ready.put((flat, pairs(texts, flat), has, weight))

    ready: Queue[Any] = Queue(maxsize=12)
    Thread(target=produce, daemon=True).start()
    while True:
        yield ready.get()


def loss_of(logits: Tensor, has: Tensor, weight: Tensor, aim: Tensor | None) -> Tensor:
    """Listwise over each group, and each pair by itself so that the number means something."""
    logits = logits.view(len(has), -1)
    listwise = F.cross_entropy(logits, torch.zeros(len(has), dtype=torch.long, device="cuda"),
                               reduction="none") * has  # fmt: skip
    labels = torch.zeros_like(logits)
    labels[:, 0] = has
    each = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    each[:, 0] *= 3.0
    total = ((listwise + 0.4 * each.mean(1)) * weight).mean()
    if aim is not None:
        aim = aim.view(len(has), -1)
        taught = F.kl_div(F.log_softmax(logits, 1), F.softmax(aim, 1), reduction="none").sum(1)
        off = F.smooth_l1_loss(logits, aim, reduction="none").mean(1)
        total = 0.4 * total + taught.mean() + 0.2 * off.mean()
    return total


def train(model: Cross, batches: Iterator[Any], minutes: float, rate: float,
          tutor: Cross | None = None) -> list[Any]:  # fmt: skip
    """Learns for so long. Given back: the pairs that a tutor scored meanwhile, with its scores."""
    taught: list[Any] = []
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, fused=True)
    since, step, mean = time.time(), 0, 0.0
    model.train()
    while (part := (time.time() - since) / (minutes * 60)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 200) * (1 - part)
        some, (ids, mask, types), has, weight = next(batches)
        with torch.autocast("cuda", torch.bfloat16):
            aim = None
            if tutor is not None:
                with torch.no_grad():
                    aim = tutor(ids, mask, types)
                taught.append((some, aim.half(), has))
            logits = model(ids, mask, types, 0.1 if tutor is None else 0.05)
        loss = loss_of(logits, has, weight, aim)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 100 == 0:
            mean = loss.item()
        if step % 500 == 0:
            print(f"{time.time() - since:.0f} s, step {step}: {mean:.3f}", flush=True)
    model.eval()
    return taught


def keep(taught: list[Any], texts: Texts) -> None:
    """The tutor's scores for the embedder to learn from: OUT/taught.pkl."""
    groups = []
    for some, aim, has in taught:
        aims = aim.float().view(len(has), -1).tolist()
        wide = WRONG + 1
        for n, (row, right) in enumerate(zip(aims, has.tolist(), strict=True)):
            of = some[n * wide : (n + 1) * wide]
            groups.append((of[0][0], tuple(p for _, p in of), tuple(row), right))
    used = {g[0] for g in groups} | {p for g in groups for p in g[1]}
    ids = {n: texts.ids[n] for n in used}
    with open(OUT / "taught.pkl", "wb") as file:
        pickle.dump({"ids": ids, "groups": groups}, file)


@torch.no_grad()
def scored(model: Cross, texts: Texts, some: list[tuple[int, int]]) -> list[float]:
    order = sorted(range(len(some)), key=lambda i: len(texts.ids[some[i][1]]))
    out = [0.0] * len(some)
    for start in range(0, len(order), 1024):
        at = order[start : start + 1024]
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(*pairs(texts, [some[i] for i in at]))
        for i, value in zip(at, logits.tolist(), strict=True):
            out[i] = value
    return out


def evaluate(model: Cross, asked: Questions, table: Texts, dev: list[int], say: str) -> list[Any]:
    """nDCG@10 of the first stage, of the model alone on its first twenty, and of mixtures."""
    mixes = (0.0, 3.0, 6.0, 12.0)
    sums: dict[str, list[float]] = {}
    kept = []
    flat = [(table.numbers[asked.asked[n]["query"]], table.numbers[asked.passages[r]["t"]])
            for n in dev for r, _ in asked.candidates[n][:20]]  # fmt: skip
    logits = iter(scored(model, table, flat))
    for n in dev:
        q, found = asked.asked[n], asked.candidates[n][:20]
        with_score = [(r, s, next(logits)) for r, s in found]
        kept.append({
            "set": q["set"], "id": q["id"], "gold": q["gold"],
            "found": [(asked.passages[r]["d"], round(s, 5), round(asked.cosines[n][r], 4),
                       q["lex"].index(r) if r in q["lex"] else -1, round(x, 3))
                      for r, s, x in with_score],
        })  # fmt: skip
        if not q["gold"] or not found:
            continue
        row = sums.setdefault(q["set"], [0.0] * (len(mixes) + 2))
        row[0] += 1
        row[1] += ndcg([asked.passages[r]["d"] for r, _ in found], q["gold"])
        top = found[0][1]
        for m, mix in enumerate(mixes):
            order = sorted(with_score, key=lambda x: -(x[2] + mix * x[1] / top))
            row[m + 2] += ndcg([asked.passages[r]["d"] for r, _, _ in order], q["gold"])
    for name, (count, *rest) in sums.items():
        print(say, f"{name:12} {count:4.0f}", *(f"{x / count:.3f}" for x in rest), flush=True)
    return kept


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--teacher-minutes", type=float, default=3.0)
    ask.add_argument("--minutes", type=float, default=4.0)
    ask.add_argument("--inner", type=int, default=704)
    ask.add_argument("--seed", type=int, default=5)
    given = ask.parse_args()
    began = time.time()
    torch.manual_seed(given.seed)
    rng = random.Random(given.seed)
    with Pool(14) as pool:
        passages, asked = read("passages.jsonl.xz"), read("asked.jsonl.xz")
        drawn = made_questions(passages, pool)
        table = Texts()
        groups = list(told(table, pool))
    print(
        f"{len(drawn)} made questions, {len(groups)} stories, {time.time() - began:.0f} s",
        flush=True,
    )
    drawn = rng.sample(drawn, min(MADE, len(drawn)))
    big = teacher(OUT / "teacher.onnx.xz").cuda().eval()
    held = vectors(big, encode(tokenizer(OUT / "tokenizer.json"), [p["t"] for p in passages]))
    groups += mined(passages, table, drawn, big, held, rng)
    known = Questions(passages, asked, big, held)
    dev = [n for n, q in enumerate(asked) if is_dev(q)]
    learn = [n for n, q in enumerate(asked) if not is_dev(q)]
    few = [n for n in learn if asked[n]["set"] in ("longmemeval", "personas", "notes", "scifact")]
    groups += known.groups(table, learn, 1.0)
    for _ in range(5):
        groups += known.groups(table, few, 1.0)
    for n in dev:
        table.number(asked[n]["query"])
        for row, _ in known.candidates[n][:20]:
            table.number(passages[row]["t"])
    table.tokenise()
    rng.shuffle(groups)
    print(
        f"{len(groups)} groups, {len(dev)} dev questions, {time.time() - began:.0f} s", flush=True
    )
    batches = stream(groups, table, rng)
    tutor = Cross(teacher(OUT / "teacher.onnx.xz")).cuda()
    train(tutor, batches, given.teacher_minutes, 1e-4)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "tutor.json").write_text(json.dumps(evaluate(tutor, known, table, dev, "tutor")))
    model = Cross(shorter(tutor.body.cpu(), [1, 4, 8, 11], given.inner)).cuda()
    tutor.cuda()
    model.dense.load_state_dict(tutor.dense.state_dict())
    model.head.load_state_dict(tutor.head.state_dict())
    tutor.requires_grad_(False)
    taught = train(model, batches, given.minutes, 3e-4, tutor)
    (given.out / "rerank.json").write_text(json.dumps(evaluate(model, known, table, dev, "small")))
    save(model, given.out, "rerank")
    keep(taught, table)
    print(f"saved after {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
