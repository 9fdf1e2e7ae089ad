"""What a model finds for the questions that are read: the best passages of each set.

    python -m training.encoder.hits --data DIR --work WORK --out OUT MODEL[:FOLD] …

MODEL is base, shipped, teacher-N, mixed-N or student-N (N the fold that was left out, 0 for none),
or the name of an int8 file in DIR. A model with a fold reads the sets of that fold; others read
all. OUT gets one file a model: for each set and way (vector; mix with the nearest sentence) the
numbers and scores of the best passages, and the scores of the sentences of right passages.
"""

from __future__ import annotations

import argparse
import lzma
import pickle
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from training.bert import Bert, teacher
from training.encoder.batches import Corpus, encoded
from training.encoder.model import DEVICE, Encoder, loaded
from training.encoder.sets import FOLDS, WHOLE, domain

DEEP = 100


def model_named(name: str, data: Path, work: Path) -> Encoder:
    """The model that a name such as ``student-2`` stands for."""
    kind, _, _ = name.partition("-")
    if (data / f"{name}.onnx").is_file():
        made = loaded(data / f"{name}.onnx")
    elif kind == "base":
        made = Encoder(teacher(data / "teacher.onnx"))
        held = torch.load(work / "prepared.pt", weights_only=False)
        made.sentence.weight.data.copy_(held["sentence"])
        made.narrow.weight.data.copy_(held["narrow"])
    else:
        state = torch.load(work / f"{name}.pt")
        layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("body.layers."))
        made = Encoder(Bert(layers))
        made.load_state_dict(state)
    return made.to(DEVICE).eval()


def best(scores: Tensor) -> tuple[Any, Any]:
    top = scores.topk(min(DEEP, scores.shape[1]), dim=1)
    return top.indices.int().cpu().numpy().astype(np.uint16), top.values.half().cpu().numpy()


def by_sentence(scores: Tensor, starts: Any, count: int) -> Tensor:
    """The best score of each passage's sentences."""
    owner = torch.from_numpy(np.repeat(np.arange(count), np.diff(starts))).to(scores.device)
    out = scores.new_full((len(scores), count), -1.0)
    return out.scatter_reduce(1, owner.expand(len(scores), -1), scores, "amax")


class Piece(NamedTuple):
    """A right passage of a question that has other sentences beside those with the evidence."""

    row: int
    passage: int
    wanted: set[int]


def pieces(corpus: Corpus, questions: Any) -> list[Piece]:
    return [
        Piece(row, passage, wanted)
        for row, question in enumerate(questions)
        for passage, wanted in corpus.evidence[question].items()
        if WHOLE not in wanted and len(wanted) < corpus.counts[passage]
    ]


def told(asked: Sequence[Piece], scores: Sequence[Any]) -> float | None:
    """How often the nearest sentence of a right passage is one that holds the evidence."""
    hits = [int(np.argmax(s)) in p.wanted for p, s in zip(asked, scores, strict=True)]
    return float(np.mean(hits)) if hits else None


@torch.no_grad()
def read(corpus: Corpus, model: Encoder, name: str, sentences: bool) -> dict[str, Any]:
    """All that is kept of a model's reading of one set."""
    first, last = corpus.sets[name].passages
    which = np.arange(*corpus.sets[name].questions)
    which = which[corpus.read[which]]
    asked, _ = encoded(model, corpus.questions, which)
    counts = corpus.counts if sentences else None
    found, parts = encoded(model, corpus.passages, np.arange(first, last), counts)
    near = asked @ found.T
    out: dict[str, Any] = {"vector": best(near)}
    many = pieces(corpus, which)
    out["pieces"] = [(p.row, p.passage - first, sorted(p.wanted)) for p in many]
    forms = alone(corpus, model, many, asked)
    if sentences:
        starts = corpus.sentence_starts[first : last + 1] - corpus.sentence_starts[first]
        wide = [by_sentence(some @ parts.T, starts, last - first) for some in asked.split(50)]
        out["mix"] = best((near + torch.cat(wide)) / 2)
        short = model.narrowed(parts).half()
        asks = model.narrowed(asked).half()
        signs = [F.normalize(p.float().sign(), dim=1).half() for p in (parts, short)]
        places = [np.arange(starts[p.passage - first], starts[p.passage - first + 1]) for p in many]
        for form, one, other in (
            ("long", asked, parts), ("long bits", asked, signs[0]),
            ("short", asks, short), ("short bits", asks, signs[1]),
        ):  # fmt: skip
            forms[form] = against(one, other, many, places)
    out["scores"] = forms
    out |= {f"told {form}": told(many, scores) for form, scores in forms.items()}
    return out


def against(asked: Tensor, others: Tensor, many: Sequence[Piece], places: list[Any]) -> list[Any]:
    """The scores of each piece's sentences, which are those *places* of *others*."""
    if not many:
        return []
    have = np.array([len(p) for p in places])
    row = torch.from_numpy(np.repeat([p.row for p in many], have)).to(asked.device)
    at = torch.from_numpy(np.concatenate(places)).to(asked.device)
    scores = (asked[row].float() * others[at].float()).sum(1).half().cpu().numpy()
    return np.split(scores, np.cumsum(have)[:-1])


def alone(
    corpus: Corpus, model: Encoder, many: Sequence[Piece], asked: Tensor
) -> dict[str, list[Any]]:
    """The scores of sentences that are read without their passage, and under its header."""
    passages = np.array([p.passage for p in many], np.int64)
    have = corpus.counts[passages]
    ends = np.cumsum(have)
    number = np.arange(have.sum()) - np.repeat(ends - have, have)
    places = [np.arange(b - n, b) for n, b in zip(have, ends, strict=True)]
    out: dict[str, list[Any]] = {}
    for form, titled in (("alone", False), ("titled", True)):
        out[form] = []
        if many:
            rows = corpus.alone(np.repeat(passages, have), number, titled)
            vectors, _ = encoded(model, rows, np.arange(len(number)))
            out[form] = against(asked, vectors, many, places)
    return out


def main() -> None:
    ask = argparse.ArgumentParser(description="what models find")
    ask.add_argument("models", nargs="+")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--corpus", default="corpus.npz.xz")
    given = ask.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(given.data / given.corpus, DEVICE)
    for called in given.models:
        began = time.time()
        name, _, fold = called.partition(":")
        out = FOLDS.get(int(fold or 0), ())
        model = model_named(name, given.data, given.work)
        held = {}
        for one, where in corpus.sets.items():
            asks = corpus.read[slice(*where.questions)].any()
            if asks and (not out or domain(one) in out):
                held[one] = read(corpus, model, one, name != "shipped")
        with lzma.open(given.out / f"{name}.pkl.xz", "wb", preset=1) as file:
            pickle.dump(held, file)
        print(f"{called}: {len(held)} sets in {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
