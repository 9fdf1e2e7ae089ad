"""Trains recollect-encode, 12 layers, from arctic-embed-s.

    python -m training.encoder.train prepare --data DIR --work WORK
    python -m training.encoder.train teach --data DIR --work WORK --minutes 4.5 [--fold N]

``prepare`` gives every text its first vector and every question wrong passages that look right.
``teach`` learns from questions (one right passage, seven wrong ones, and those of the others in
the batch), from sentences cropped from passages, and from the sentence that holds the evidence;
an anchor keeps every vector near its first one. With ``--fold`` the domains of that fold, texts
and questions, are left out. DIR holds corpus.npz.xz, teacher.onnx and tokenizer.json.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from training.bert import teacher
from training.encoder.batches import (
    CHATS,
    CLOSE,
    MINED,
    Asked,
    Batches,
    Corpus,
    encoded,
    prefix,
    run,
)  # fmt: skip
from training.encoder.model import (
    DEVICE,
    NARROW,
    WIDE,
    Encoder,
    halved,
    loaded,
    mixed,
    packed,
    parts,
    signed,
)  # fmt: skip
from training.encoder.sets import FOLDS, FROZEN, WHOLE, domain

RATE, HEADS = 4e-5, 1e-3
WARM = 60
ANCHOR = 3.0
MISSED = 0.3  # what a question counts that its passage nearly answers
LABELS, OWN = 0.3, 4.0  # what the sentences learn from: evidence, and their own vectors
OWN_SENTENCES = 512
SHARE = 0.7  # of the trained weights, the rest are the base's


def corpus_of(data: Path) -> Corpus:
    """The corpus of a folder, which may lie there unpacked."""
    plain = data / "corpus.npz"
    return Corpus(plain if plain.is_file() else data / "corpus.npz.xz", DEVICE)


def begun(data: Path) -> Encoder:
    """Where the training begins: an encoder of ours, DIR/start.onnx, or arctic-embed-s."""
    ours = data / "start.onnx"
    return loaded(ours) if ours.is_file() else Encoder(teacher(data / "teacher.onnx"))


def prepare(data: Path, work: Path) -> None:
    """First vectors, hard negatives, and a first guess of the heads, in WORK/prepared.pt."""
    began = time.time()
    corpus = corpus_of(data)
    print(f"read after {time.time() - began:.0f} s", flush=True)
    model = begun(data).to(DEVICE).eval()
    everything = np.arange(len(corpus.body))
    vectors, _ = encoded(model, corpus.passages, everything)
    questions, _ = encoded(model, corpus.questions, np.arange(len(corpus.train)))
    print(f"encoded after {time.time() - began:.0f} s", flush=True)
    mined, close = mine(corpus, questions, vectors)
    titled = told_better(corpus, model, questions)
    some = np.random.default_rng(7).permutation(everything)[:6000]
    sentence = sentence_head(corpus, model, some, titled)
    sample = vectors[torch.from_numpy(some).to(DEVICE)].double()
    narrow = torch.linalg.eigh(sample.T @ sample).eigenvectors[:, -NARROW:].T.float()
    torch.save(
        {
            "vectors": vectors.cpu(), "questions": questions.cpu(), "mined": mined,
            "close": close, "sentence": sentence.cpu(), "narrow": narrow.cpu(), "titled": titled,
        },
        work / "prepared.pt",
    )  # fmt: skip
    print(f"prepared after {time.time() - began:.0f} s", flush=True)


def mine(corpus: Corpus, questions: Tensor, vectors: Tensor) -> tuple[list[Any], list[list[int]]]:
    """For each question the wrong passages of its set that are nearest, and the right ones that
    a vector can be expected to find."""
    mined: list[Any] = [np.array([], np.int64)] * len(corpus.train)
    close: list[list[int]] = [[] for _ in corpus.train]
    for name, held in corpus.sets.items():
        first, last = held.passages
        which = np.arange(*held.questions)
        which = which[corpus.train[which]]
        beside = domain(name) in CHATS
        for start in range(0, len(which), 512):
            some = which[start : start + 512]
            scores = questions[torch.from_numpy(some).to(DEVICE)] @ vectors[first:last].T
            best = scores.topk(min(3 * MINED, last - first), dim=1).indices.cpu().numpy() + first
            for row, question in enumerate(some):
                right = np.array(sorted(corpus.evidence[question]))
                at = torch.from_numpy(right - first).to(DEVICE)
                cosines = scores[row, at].float().cpu().numpy()
                apart = np.inf if question in corpus.wrong else CLOSE
                close[question] = right[cosines >= cosines.max() - apart].tolist()
                found = best[row][~np.isin(corpus.same[best[row]], corpus.same[right])]
                if beside:
                    near = np.concatenate([right - 1, right + 1])
                    kept = ~np.isin(found, near[(near >= first) & (near < last)])
                    kept |= ~np.isin(corpus.documents[found], corpus.documents[right])
                    found = found[kept]
                mined[question] = found[1 : MINED + 1] if len(found) > MINED else found
    return mined, close


def told_better(corpus: Corpus, model: Encoder, questions: Tensor) -> bool:
    """Whether the base tells the evidence better by sentences under their header than by
    sentences alone: the mean over the sets of how often the right one is nearest."""
    rates: dict[bool, list[float]] = {False: [], True: []}
    for name, held in corpus.sets.items():
        which = np.arange(*held.questions)
        asked = [
            (q, p, e) for q in which[corpus.read[which]] for p, e in corpus.evidence[q].items()
            if WHOLE not in e and len(e) < corpus.counts[p]
        ]  # fmt: skip
        if not asked or corpus.train[which].sum() == 0:
            continue
        passages = np.array([p for _, p, _ in asked])
        have = corpus.counts[passages]
        row = np.repeat(np.arange(len(asked)), have)
        number = np.arange(len(row)) - np.repeat(np.cumsum(have) - have, have)
        at = torch.from_numpy(np.array([q for q, _, _ in asked])[row]).to(DEVICE)
        for titled, found in rates.items():
            rows = corpus.alone(passages[row], number, titled)
            vectors, _ = encoded(model, rows, np.arange(len(row)))
            scores = (vectors.float() * questions[at].float()).sum(1).cpu().numpy()
            parts = np.split(scores, np.cumsum(have)[:-1])
            hit = [int(np.argmax(s)) in e for s, (*_, e) in zip(parts, asked, strict=True)]
            found.append(float(np.mean(hit)))
        print(
            f"told alone, titled: {name} {rates[False][-1]:.3f} {rates[True][-1]:.3f}", flush=True
        )
    means = {titled: float(np.mean(found)) for titled, found in rates.items()}
    print(f"told alone {means[False]:.3f}, titled {means[True]:.3f}", flush=True)
    return means[True] > means[False]


@torch.no_grad()
def sentence_head(corpus: Corpus, model: Encoder, some: Any, titled: bool) -> Tensor:
    """The linear map from pooled states to what the sentence alone would get as its vector."""
    pooled, owner, number = [], [], []
    for part in np.array_split(some, max(1, len(some) // 500)):
        with halved():
            _, states, row, at = run(model, corpus.passages, part, corpus.counts)
        pooled.append(states)
        owner.append(part[row])
        number.append(at)
    rows = corpus.alone(np.concatenate(owner), np.concatenate(number), titled)
    aims, _ = encoded(model, rows, np.arange(len(rows.lengths)))
    x, y = torch.cat(pooled).double(), aims.double()
    square = x.T @ x + 1e-2 * len(x) * torch.eye(WIDE, device=DEVICE).double()
    return torch.linalg.solve(square, x.T @ y).T.float()


def sentence_loss(
    model: Encoder, asked: Tensor, pooled: Tensor, owner: Any, number: Any,
    evidence: Sequence[set[int]], blocked: Any,
) -> Tensor:  # fmt: skip
    """How far the sentences that hold the evidence are from being the nearest of their passage
    and of the batch, with long and with short vectors. Row n is asked of passage n."""
    rows = np.arange(len(evidence))[:, None]
    own = owner[None, :] == rows
    meant = np.zeros_like(own)
    for n, wanted in enumerate(evidence):
        if wanted:
            meant[n] = own[n] & (WHOLE in wanted or np.isin(number, list(wanted)))
    counted = meant.any(1)
    told = counted & (meant.sum(1) < own.sum(1))
    packed = np.stack([meant, own, blocked[:, owner] & ~own])
    right, mine, out = torch.from_numpy(packed).to(asked.device, non_blocking=True)
    use = torch.from_numpy(np.stack([counted, told]).astype(np.float32)).to(asked.device)
    sentences = model.sentences(pooled)
    loss = asked.new_zeros(())
    short = signed(model.narrowed(sentences))
    pairs = ((asked, sentences), (model.narrowed(asked), short))
    for scale, (one, other) in zip(model.scales[1:], pairs, strict=True):
        scores = one @ other.T * scale.exp()
        aims = torch.logsumexp(scores.masked_fill(~right, -1e4), 1)
        wide = torch.logsumexp(scores.masked_fill(out, -1e4), 1) - aims
        near = torch.logsumexp(scores.masked_fill(~mine, -1e4), 1) - aims
        for lost, counts in ((wide, use[0]), (near, use[1])):
            loss = loss + (lost * counts).sum() / counts.sum().clamp(min=1)
    return loss


def own_loss(
    model: Encoder, batches: Batches, pooled: Tensor, passages: Any, number: Any
) -> Tensor:
    """How far sentence vectors are from those that the model gives to the sentences alone."""
    some = batches.rng.permutation(len(number))[:OWN_SENTENCES]
    rows = batches.corpus.alone(passages[some], number[some], batches.titled)
    with torch.no_grad(), halved():
        aims, *_ = run(model, rows, np.arange(len(some)))
        short = model.narrowed(aims)
    mine = model.sentences(pooled[torch.from_numpy(some).to(DEVICE)])
    far = (1 - (mine * aims).sum(1)).mean()
    return far + (1 - (model.narrowed(mine) * short).sum(1)).mean()


def asked_loss(
    model: Encoder, batches: Batches, batch: Asked
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Cross-entropy of the right passages, the loss of the sentences, and both sides' vectors."""
    corpus = batches.corpus
    with halved():
        asked, *_ = run(model, corpus.questions, batch.questions)
        found, pooled, owner, number = run(model, corpus.passages, batch.passages, corpus.counts)
    scores = asked @ found.T * model.scales[0].exp()
    scores = scores.masked_fill(torch.from_numpy(batch.blocked).to(DEVICE), -1e4)
    right = F.cross_entropy(scores, torch.arange(len(asked), device=DEVICE))
    right = right + MISSED * missed_loss(model, batches, batch, asked, found)
    assert pooled is not None
    meant = sentence_loss(model, asked, pooled, owner, number, batch.evidence, batch.blocked)
    own = own_loss(model, batches, pooled, batch.passages[owner], number)
    return right, LABELS * meant + OWN * own, asked, found


def missed_loss(
    model: Encoder, batches: Batches, batch: Asked, asked: Tensor, found: Tensor
) -> Tensor:
    """Cross-entropy of the question that a passage answers among those of the others and those
    that passages nearly answer, its own first of all."""
    rows = np.flatnonzero(batch.missed >= 0)
    if not len(rows):
        return asked.new_zeros(())
    with halved():
        missed, *_ = run(model, batches.corpus.questions, batch.missed[rows])
    at = torch.from_numpy(rows).to(DEVICE)
    scores = found[at] @ torch.cat([asked, missed]).T * model.scales[0].exp()
    also = np.zeros((len(rows), len(asked) + len(rows)), bool)
    also[:, : len(asked)] = batch.blocked[:, rows].T
    return F.cross_entropy(scores.masked_fill(torch.from_numpy(also).to(DEVICE), -1e4), at)


def crop_loss(model: Encoder, batches: Batches) -> tuple[Tensor, Tensor, Tensor, Any, Any]:
    """The same for cropped sentences and their passages; and which passages are whole."""
    asking, left, chosen, kept = batches.crops()
    with halved():
        asked, *_ = run(model, asking, np.arange(len(chosen)))
        found, *_ = run(model, left, np.arange(len(chosen)))
        whole = np.flatnonzero(kept >= 0)[:48]
        _, pooled, owner, number = run(
            model, batches.corpus.passages, chosen[whole], batches.corpus.counts
        )
    scores = asked @ found.T * model.scales[0].exp()
    right = F.cross_entropy(scores, torch.arange(len(asked), device=DEVICE))
    assert pooled is not None
    meant = sentence_loss(
        model, asked[torch.from_numpy(whole).to(DEVICE)], pooled, owner, number,
        [{int(n)} for n in kept[whole]], np.zeros((len(whole), len(whole)), bool),
    )  # fmt: skip
    own = own_loss(model, batches, pooled, chosen[whole][owner], number)
    return right, LABELS * meant + OWN * own, found, chosen, kept


def optimizer(model: Encoder, rate: float) -> torch.optim.Optimizer:
    body = [(name, p) for name, p in model.body.named_parameters() if p.requires_grad]
    groups = [
        {"params": [p for _, p in body if p.dim() > 1], "lr": rate, "weight_decay": 0.01},
        {"params": [p for _, p in body if p.dim() == 1], "lr": rate, "weight_decay": 0.0},
        {"params": model.heads(), "lr": HEADS, "weight_decay": 0.0},
    ]
    made = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=DEVICE == "cuda")
    for group in made.param_groups:
        group["first"] = group["lr"]
    return made


def learn(
    model: Encoder, made: torch.optim.Optimizer, loss: Tensor, step: int, part: float
) -> None:
    """One step, at the rate that belongs to this part of the way."""
    factor = min(1.0, (step + 1) / WARM) * (0.5 + 0.5 * math.cos(math.pi * min(1.0, part)))
    for group in made.param_groups:
        group["lr"] = group["first"] * factor
    made.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    made.step()


def prepared(data: Path, work: Path, fold: int, seed: int) -> tuple[Corpus, Batches, Any]:
    """The corpus, batches without what the fold leaves out, and what ``prepare`` found."""
    corpus = corpus_of(data)
    held = torch.load(work / "prepared.pt", weights_only=False)
    batches = Batches(corpus, held["mined"], held["close"], FOLDS.get(fold, ()), seed)
    batches.prefix = prefix(data / "tokenizer.json")
    batches.titled = held["titled"]
    return corpus, batches, held


def teach(data: Path, work: Path, minutes: float, fold: int, seed: int) -> Encoder:
    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")
    _, batches, held = prepared(data, work, fold, seed)
    passages, questions = held["vectors"].to(DEVICE), held["questions"].to(DEVICE)
    model = begun(data)
    if not (data / "start.onnx").is_file():
        model.sentence.weight.data.copy_(held["sentence"])
        model.narrow.weight.data.copy_(held["narrow"])
    model = model.to(DEVICE).train()
    for part in (model.body.words, model.body.positions, model.body.types, model.body.norm):
        part.requires_grad_(FROZEN == 0)
    for layer in model.body.layers[:FROZEN]:
        layer.requires_grad_(False)
    made = optimizer(model, RATE)
    since, step, sums = time.time(), 0, torch.zeros(3, device=DEVICE)
    while (part := (time.time() - since) / (60 * minutes)) < 1:
        if step % 4 == 3:
            right, meant, found, chosen, kept = crop_loss(model, batches)
            whole = torch.from_numpy((kept >= 0).astype(np.float32)).to(DEVICE)
            first = passages[torch.from_numpy(chosen).to(DEVICE)]
            drift = ((1 - (found * first).sum(1)) * whole).sum() / whole.sum().clamp(min=1)
        else:
            batch = batches.questions()
            right, meant, asked, found = asked_loss(model, batches, batch)
            first = passages[torch.from_numpy(batch.passages).to(DEVICE)]
            asked_first = questions[torch.from_numpy(batch.questions).to(DEVICE)]
            drift = (1 - (found * first).sum(1)).mean() + (1 - (asked * asked_first).sum(1)).mean()
        loss = right + meant + ANCHOR * drift
        learn(model, made, loss, step, part)
        sums += torch.stack([right, meant, drift]).detach()
        step += 1
        if step % 200 == 0:
            means = [round(x, 3) for x in (sums / 200).tolist()]
            sums.zero_()
            print(f"fold {fold}, {time.time() - since:.0f} s, step {step}: {means}", flush=True)
    print(f"fold {fold}: {step} steps", flush=True)
    return model.eval()


def settled(model: Encoder, data: Path, work: Path, seconds: float, fold: int) -> Encoder:
    """The 0.7 : 0.3 mixture of a trained model with its base, whose heads learn on."""
    _, batches, _ = prepared(data, work, fold, 23)
    made = mixed(model, begun(data).body.to(DEVICE), SHARE)
    made.body.requires_grad_(False)
    taught = torch.optim.AdamW([{"params": made.heads(), "lr": HEADS, "first": HEADS}])
    since, step, sums = time.time(), 0, torch.zeros((), device=DEVICE)
    while (part := (time.time() - since) / seconds) < 1:
        batch = batches.questions()
        _, meant, _, _ = asked_loss(made, batches, batch)
        learn(made, taught, meant, step, part)
        sums += meant.detach()
        step += 1
    print(f"fold {fold}: heads settled in {step} steps, {float(sums) / step:.3f}", flush=True)
    return made.eval()


def main() -> None:
    ask = argparse.ArgumentParser(description="the 12-layer encoder")
    ask.add_argument("what", choices=("prepare", "teach"))
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--minutes", type=float, default=4.5)
    ask.add_argument("--fold", type=int, default=0, help="0: everything is learned from")
    ask.add_argument("--settle", type=float, default=30, help="seconds for the mixture's heads")
    ask.add_argument("--seed", type=int, default=11)
    given = ask.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.what == "prepare":
        prepare(given.data, given.work)
        return
    model = teach(given.data, given.work, given.minutes, given.fold, given.seed)
    torch.save(model.state_dict(), given.work / f"teacher-{given.fold}.pt")
    model = settled(model, given.data, given.work, given.settle, given.fold)
    torch.save(model.state_dict(), given.work / f"mixed-{given.fold}.pt")
    parts(packed(model), given.work / "weights", f"mixed-{given.fold}.npz")


if __name__ == "__main__":
    main()
