"""Trains the 6-layer form of recollect-encode as a student of the 12-layer one.

    python -m training.encoder.student --data DIR --work WORK --minutes 4 [--fold N]

It starts from recollect-embed (DIR/shipped.onnx), whose vectors lie near arctic-embed-s, and
learns the trained teacher's vectors of passages, of their sentences and of questions, and to tell
right passages from wrong ones as the labels and the teacher do.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from training.encoder.batches import Batches, Corpus, encoded, run
from training.encoder.hits import model_named
from training.encoder.model import DEVICE, WIDE, Encoder, halved, loaded, packed, parts
from training.encoder.train import asked_loss, learn, optimizer, prepared

RATE = 2e-4
TOKENS = 60_000
SHARP = 20.0


def near(mine: Tensor, theirs: Tensor) -> Tensor:
    return (1 - (mine * theirs.float()).sum(1)).mean()


def as_taught(mine: Tensor, theirs: Tensor) -> Tensor:
    """How far the order that scores give is from the teacher's."""
    return F.kl_div(
        F.log_softmax(mine * SHARP, 1), F.softmax(theirs.float() * SHARP, 1), reduction="batchmean"
    )


@torch.no_grad()
def first_head(corpus: Corpus, model: Encoder, aims: Tensor, starts: Any, some: Any) -> Tensor:
    """The linear map from the student's pooled states to the teacher's sentence vectors."""
    square = torch.eye(WIDE, device=DEVICE).double()
    cross = torch.zeros(WIDE, WIDE, device=DEVICE).double()
    for part in np.array_split(some, max(1, len(some) // 500)):
        with halved():
            _, pooled, owner, number = run(model, corpus.passages, part, corpus.counts)
        assert pooled is not None
        x = pooled.double()
        y = aims[torch.from_numpy(starts[part[owner]] + number).to(DEVICE)].double()
        square += x.T @ x
        cross += x.T @ y
    return torch.linalg.solve(square, cross).T.float()


def distilled(
    model: Encoder, batches: Batches, passages: Tensor, sentences: Tensor
) -> tuple[Tensor, Tensor]:
    """The distance to the teacher's vectors of passages and of their sentences."""
    corpus = batches.corpus
    which = batches.passages(TOKENS)
    with halved():
        found, pooled, owner, number = run(model, corpus.passages, which, corpus.counts)
    aims = passages[torch.from_numpy(which).to(DEVICE)]
    assert pooled is not None
    place = torch.from_numpy(corpus.sentence_starts[which[owner]] + number).to(DEVICE)
    loss = 10 * near(found, aims) + 5 * near(model.sentences(pooled), sentences[place])
    some = slice(0, 384)
    apart = -50 * torch.eye(len(found[some]), device=DEVICE)
    mine, theirs = found[some], aims[some].float()
    return loss, as_taught(mine @ mine.T + apart, theirs @ theirs.T + apart)


def cropped(model: Encoder, big: Encoder, batches: Batches) -> tuple[Tensor, Tensor]:
    """The distance to the teacher's vectors of question-like crops, and to its scores."""
    asking, left, chosen, _ = batches.crops(384)
    every = np.arange(len(chosen))
    with halved():
        with torch.no_grad():
            aim, *_ = run(big, asking, every)
            whole, *_ = run(big, left, every)
        asked, *_ = run(model, asking, every)
        found, *_ = run(model, left, every)
    loss = 10 * near(asked, aim) + 5 * near(found, whole)
    return loss, as_taught(asked @ found.T, aim @ whole.T)


def study(data: Path, work: Path, minutes: float, fold: int, seed: int) -> Encoder:
    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")
    corpus, batches, _ = prepared(data, work, fold, seed)
    big = model_named(f"mixed-{fold}", data, work).requires_grad_(False)
    passages, sentences = encoded(big, corpus.passages, np.arange(len(corpus.body)), corpus.counts)
    questions, _ = encoded(big, corpus.questions, np.arange(len(corpus.train)))
    model = loaded(data / "shipped.onnx").to(DEVICE)
    some = batches.plain[:: max(1, len(batches.plain) // 8000)]
    first = first_head(corpus, model, sentences, corpus.sentence_starts, some)
    model.sentence.weight.data.copy_(first)
    model.narrow.weight.data.copy_(big.narrow.weight.data)
    model.scales.data.copy_(big.scales.data)
    model.train()
    made = optimizer(model, RATE)
    since, step, sums = time.time(), 0, torch.zeros(3, device=DEVICE)
    while (part := (time.time() - since) / (60 * minutes)) < 1:
        right = torch.zeros((), device=DEVICE)
        if step % 5 in (0, 3):
            off, order = distilled(model, batches, passages, sentences)
        elif step % 5 == 1:
            off, order = cropped(model, big, batches)
        else:
            batch = batches.questions()
            right, meant, asked, found = asked_loss(model, batches, batch)
            aim = questions[torch.from_numpy(batch.questions).to(DEVICE)]
            aims = passages[torch.from_numpy(batch.passages).to(DEVICE)]
            off = 10 * near(asked, aim) + 10 * near(found, aims) + 0.3 * meant
            order = as_taught(asked @ found.T, aim.float() @ aims.float().T)
            right = 0.3 * right
        learn(model, made, off + order + right, step, part)
        sums += torch.stack([off, order, right]).detach()
        step += 1
        if step % 500 == 0:
            means = [round(x, 3) for x in (sums / 500).tolist()]
            sums.zero_()
            print(f"student {fold}, {time.time() - since:.0f} s, step {step}: {means}", flush=True)
    print(f"student {fold}: {step} steps", flush=True)
    return model.eval()


def main() -> None:
    ask = argparse.ArgumentParser(description="the 6-layer encoder")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--minutes", type=float, default=4.0)
    ask.add_argument("--fold", type=int, default=0)
    ask.add_argument("--seed", type=int, default=11)
    given = ask.parse_args()
    model = study(given.data, given.work, given.minutes, given.fold, given.seed)
    torch.save(model.state_dict(), given.work / f"student-{given.fold}.pt")
    parts(packed(model), given.work / "weights", f"student-{given.fold}.npz")


if __name__ == "__main__":
    main()
