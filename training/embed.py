"""recollect-embed: a 6-layer student of arctic-embed-s.

    python -m training.embed --minutes 7 --out DIR

The student starts from every other layer of the teacher (or, with --start, from an earlier
student) and learns, on passages, crops of passages and query-like texts, to give the teacher's
vectors (cosine), at first its layers' states too (hidden), and its similarities inside a batch
(relations). Where there are the scores of a 12-layer cross-encoder (``training/README.md``), every
third batch is of questions with passages that answer them or only look so, and the student
learns to rank these as the cross-encoder does.
"""

from __future__ import annotations

import argparse
import json
import lzma
import pickle
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from training.bert import load, save, shorter, teacher
from training.first_stage import Evaluation, is_dev
from training.texts import CLS, PREFIX, SEP, batches, encode, padded, tokenizer, vectors

KEEP = [1, 3, 5, 7, 9, 11]
TOKENS = 65_536
GROUPS = 64
SHARP = 20.0
RATE = 4e-4
OUT = Path(__file__).resolve().parent / "out"


def read(name: str) -> list[dict[str, Any]]:
    with lzma.open(OUT / name, "rt") as file:
        return [json.loads(line) for line in file]


def query_like(passages: list[dict[str, str]], rng: random.Random) -> list[str]:
    """Headings, sentences and loose words: what might be typed about a passage."""
    made = []
    for row in passages:
        words = row["t"].split()
        if row["h"] and rng.random() < 0.5:
            made.append(row["h"][:200])
        for _ in range(2):
            size = rng.choice((3, 5, 8, 12, 16, 24, 40))
            start = rng.randrange(max(1, len(words) - size))
            span = words[start : start + size]
            if rng.random() < 0.3:
                span = [w for w in span if rng.random() < 0.6] or span
            made.append(" ".join(span)[:300])
    return made


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("--minutes", type=float, default=7.0)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--start", type=Path, help="a folder with weights of an earlier student")
    ask.add_argument("--seed", type=int, default=11)
    given = ask.parse_args()
    began = time.time()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    rng = random.Random(given.seed)
    made = tokenizer(OUT / "tokenizer.json")
    passages, asked = read("passages.jsonl.xz"), read("asked.jsonl.xz")
    evaluation = Evaluation(passages, asked)
    texts = encode(made, [p["t"] for p in passages])
    questions = encode(made, [PREFIX + q["query"] for q in evaluation.asked])
    asking = [q["query"] for q in asked if not is_dev(q)]
    likes = encode(made, [PREFIX + q for q in query_like(passages, rng) + asking * 3], 80)
    print(f"{len(texts)} passages, {len(likes)} queries, {time.time() - began:.0f} s", flush=True)

    big = teacher(OUT / "teacher.onnx.xz").cuda().eval().requires_grad_(False)
    check(big, texts[:64])
    against = vectors(big, texts)
    aims = evaluation.scores(vectors(big, questions), against)
    print("teacher", {k: tuple(round(x, 3) for x in v) for k, v in aims.items()}, flush=True)
    small = shorter(big, KEEP)
    if given.start:
        held = load(given.start, "embed")
        small.load_state_dict({k: torch.from_numpy(v).float() for k, v in held.items()})
        print("starting from an earlier student", flush=True)
    small = small.cuda().train().requires_grad_(True)
    taught = ranked(made, rng) if (OUT / "taught.pkl").exists() else None
    layers = 0.0 if given.start else 0.4

    # Passages whole, passages cropped, and queries, each in batches of like length.
    crops = []
    for row in texts:
        size = rng.randint(8, max(9, len(row)))
        start = rng.randrange(max(1, len(row) - size))
        crops.append([CLS, *row[1:-1][start : start + size], SEP])
    pool = [*texts, *crops, *likes]
    order = batches([len(r) for r in pool], TOKENS, rng)
    plain = [p for n, p in small.named_parameters() if p.dim() > 1]
    bare = [p for n, p in small.named_parameters() if p.dim() == 1]
    groups = [{"params": plain, "weight_decay": 0.01}, {"params": bare, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)
    since, step, seen, deadline = time.time(), 0, 0, began + given.minutes * 60
    sums = torch.zeros(4, device="cuda")
    while (now := time.time()) < deadline:
        part = (now - since) / (deadline - since)
        rate = RATE * (0.6 if given.start else 1.0) * min(1.0, (step + 1) / 300) * (1 - part)
        for group in optimizer.param_groups:
            group["lr"] = rate
        if taught is not None and step % 3 == 2:
            loss = ranking(small, *next(taught))
            learn(small, optimizer, loss)
            sums += torch.stack([loss.detach() * 0] * 3 + [loss.detach()])
            step += 1
            continue
        ids, mask = padded([pool[i] for i in next(order)])
        with torch.autocast("cuda", torch.bfloat16):
            with torch.no_grad():
                wanted = big(ids, mask)
            states = small(ids, mask)
        aim = F.normalize(wanted[-1][:, 0].float(), dim=1)
        got = F.normalize(states[-1][:, 0].float(), dim=1)
        cosine = (1 - (aim * got).sum(1)).mean()
        some = slice(0, 512)
        relations = F.kl_div(
            F.log_softmax(
                got[some] @ got[some].T / 0.05 - 50 * torch.eye(len(got[some]), device="cuda"), 1
            ),
            F.softmax(
                aim[some] @ aim[some].T / 0.05 - 50 * torch.eye(len(aim[some]), device="cuda"), 1
            ),
            reduction="batchmean",
        )
        hidden = torch.zeros((), device="cuda")
        if part < layers:
            for mine, theirs in enumerate(KEEP):
                off = (states[mine + 1].float() - wanted[theirs + 1].float()) * mask[..., None]
                hidden = hidden + off.square().sum() / (mask.sum() * 384) / 6
        loss = 10 * cosine + relations + hidden
        learn(small, optimizer, loss)
        sums += torch.stack([cosine, relations, hidden, hidden * 0]).detach()
        seen += ids.numel()
        step += 1
        if step % 600 == 1:
            means = [round(x, 4) for x in (sums / 600).tolist()]
            sums.zero_()
            print(
                f"{now - began:.0f} s, step {step}, {seen / 1e6:.0f} M tokens: {means}", flush=True
            )
        if step % 6000 == 1:
            report(small, evaluation, questions, texts, aims)
    report(small, evaluation, questions, texts, aims)
    given.out.mkdir(parents=True, exist_ok=True)
    save(small, given.out, "embed")
    print(f"saved after {time.time() - began:.0f} s", flush=True)


def learn(model: Any, optimizer: Any, loss: Any) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def ranked(made: Any, rng: random.Random) -> Iterator[tuple[Any, ...]]:
    """Endless batches of questions, their passages, the cross-encoder's scores, and whether the
    first passage is known to be right."""
    with open(OUT / "taught.pkl", "rb") as file:
        held = pickle.load(file)
    ids, groups = held["ids"], held["groups"]
    prefix = made.encode(PREFIX, add_special_tokens=False).ids
    lengths = [max(len(ids[p]) for p in passages) for _, passages, _, _ in groups]
    print(f"{len(groups)} groups to rank", flush=True)
    for some in batches(lengths, GROUPS * 256, rng):
        rows = [groups[i] for i in some[: 4 * GROUPS]]
        asked = [[CLS, *prefix, *ids[q][:80], SEP] for q, _, _, _ in rows]
        told = [[CLS, *ids[p][:510], SEP] for _, passages, _, _ in rows for p in passages]
        aims = torch.tensor([row[2] for row in rows], device="cuda")
        yield padded(asked), padded(told), aims, torch.tensor([r[3] for r in rows], device="cuda")


def ranking(model: Any, asked: Any, told: Any, aims: Any, right: Any) -> Any:
    """Each question's passages in the cross-encoder's proportions, and the right one first among
    all passages of the batch."""
    with torch.autocast("cuda", torch.bfloat16):
        questions = F.normalize(model(*asked)[-1][:, 0].float(), dim=1)
        passages = F.normalize(model(*told)[-1][:, 0].float(), dim=1)
    wide = aims.shape[1]
    near = (questions[:, None] * passages.view(len(aims), wide, -1)).sum(2) * SHARP
    as_taught = F.kl_div(F.log_softmax(near, 1), F.softmax(aims / 1.5, 1), reduction="batchmean")
    everything = questions @ passages.T * SHARP
    first = torch.arange(len(aims), device="cuda") * wide
    among = F.cross_entropy(everything, first, reduction="none") * right
    return 0.5 * as_taught + 0.15 * among.mean()


def check(big: Any, rows: list[list[int]]) -> None:
    """Our reading of the teacher's file against ONNX Runtime's own."""
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(lzma.decompress((OUT / "teacher.onnx.xz").read_bytes()))
    mine = vectors(big, rows).cpu().numpy()
    off = []
    for row, vector in zip(rows, mine, strict=True):
        ids = np.array([row])
        feed = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        theirs = session.run(None, feed)[0][0, 0]
        off.append(float(vector @ theirs / np.linalg.norm(theirs)))
    print(f"the teacher as read: cosine {min(off):.4f} at least, {np.mean(off):.4f}", flush=True)


def report(small: Any, evaluation: Evaluation, questions: Any, texts: Any, aims: Any) -> None:
    small.eval()
    found = evaluation.scores(vectors(small, questions), vectors(small, texts))
    small.train()
    told = {
        k: f"{v[1]:.3f} {v[1] / aims[k][1]:.1%} (dense {v[0] / aims[k][0]:.1%})"
        for k, v in found.items()
    }
    print("hybrid", told, flush=True)


if __name__ == "__main__":
    main()
