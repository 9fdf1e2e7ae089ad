"""What a model finds for the questions that are read: the best passages of each set.

    python -m training.encoder.hits --data DIR --work WORK --out OUT MODEL[:FOLD] …

MODEL is base, shipped, teacher-N, mixed-N or student-N (N the fold that was left out, 0 for none),
or the name of an int8 file in DIR; with "+linear" at its end its sentence head is replaced by the
linear map that comes nearest to what the sentences would get alone.
A model with a fold reads the sets of that fold; others read all. OUT gets one file a model:
for each set and way (vector, sentence, mix) the numbers and scores of the best passages, and how
often the sentence that holds the evidence was the nearest one of its passage.
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from training.bert import Bert, teacher
from training.encoder.batches import Corpus, encoded, listed
from training.encoder.model import DEVICE, Encoder, loaded, mixed
from training.encoder.sets import CLS, FOLDS, SEP, WHOLE, domain
from training.encoder.train import sentence_head

DEEP = 100
SHARE = 0.7


def model_named(name: str, data: Path, work: Path) -> Encoder:
    """The model that a name such as ``student-2`` stands for."""
    kind, _, fold = name.partition("-")
    if (data / f"{name}.onnx").is_file():
        made = loaded(data / f"{name}.onnx")
    elif kind == "base":
        made = Encoder(teacher(data / "teacher.onnx"))
        held = torch.load(work / "prepared.pt", weights_only=False)
        made.sentence.weight.data.copy_(held["sentence"])
        made.narrow.weight.data.copy_(held["narrow"])
    elif kind == "mixed":
        trained = model_named(f"teacher-{fold}", data, work)
        made = mixed(trained, teacher(data / "teacher.onnx"), SHARE)
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


def told(corpus: Corpus, questions: Any, score: Any) -> float | None:
    """How often the nearest sentence of a right passage is one that holds the evidence; *score*
    gives the scores of a passage's sentences for the question with that row."""
    rights = []
    for row, question in enumerate(questions):
        for passage, wanted in corpus.evidence[question].items():
            if WHOLE not in wanted and len(wanted) < corpus.counts[passage]:
                rights.append(float(int(np.argmax(score(row, passage))) in wanted))
    return float(np.mean(rights)) if rights else None


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
    if not sentences:
        out["told alone"] = alone(corpus, model, which, asked)
        return out
    starts = corpus.sentence_starts[first : last + 1] - corpus.sentence_starts[first]
    forms = {
        "long": (asked, parts),
        "long bits": (asked, F.normalize(parts.float().sign(), dim=1).half()),
        "short": (model.narrowed(asked).half(), model.narrowed(parts).half()),
    }
    forms["short bits"] = forms["short"][0], F.normalize(forms["short"][1].float().sign()).half()
    for form, (one, other) in forms.items():
        rows: list[Any] = []
        wide = []
        for start in range(0, len(one), 50):
            scores = one[start : start + 50] @ other.T
            wide.append(by_sentence(scores, starts, last - first))
            rows += list(scores.half().cpu().numpy())
        best_sentence = torch.cat(wide)

        def score(row: int, passage: int, rows: Any = rows) -> Any:
            a, b = starts[passage - first], starts[passage - first + 1]
            return rows[row][a:b]

        out[f"told {form}"] = told(corpus, which, score)
        if form in ("long", "short"):
            out[f"sentence {form}"] = best(best_sentence)
        if form == "long":
            out["mix"] = best((near + best_sentence) / 2)
    out["told alone"] = alone(corpus, model, which, asked)
    return out


def alone(corpus: Corpus, model: Encoder, which: Any, asked: Tensor) -> float | None:
    """The same question of sentences that are read without their passage."""
    rows, at = [], {}
    for question in which:
        for passage in corpus.evidence[question]:
            if passage not in at:
                at[passage] = len(rows)
                tokens = corpus.tokens(passage)
                for a, b in corpus.spans(passage):
                    rows.append(np.concatenate([[CLS], tokens[a:b], [SEP]]))
    vectors, _ = encoded(model, listed(rows, corpus.device), np.arange(len(rows)))

    def score(row: int, passage: int) -> Any:
        start = at[passage]
        return (vectors[start : start + int(corpus.counts[passage])] @ asked[row]).cpu().numpy()

    return told(corpus, which, score)


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
        plain = name.removesuffix("+linear")
        model = model_named(plain, given.data, given.work)
        if plain != name:
            seen = [np.arange(*corpus.sets[n].passages) for n in corpus.names(out)]
            some = np.random.default_rng(7).permutation(np.concatenate(seen))[:8000]
            model.sentence.weight.data.copy_(sentence_head(corpus, model, some))
            head = model.sentence.weight.detach().cpu().numpy()
            np.save(given.out / f"{name}.npy", head.astype(np.float16))
        held = {}
        for one, where in corpus.sets.items():
            asks = corpus.read[slice(*where.questions)].any()
            if asks and (not out or domain(one) in out):
                held[one] = read(corpus, model, one, name != "shipped")
        (given.out / f"{name}.pkl").write_bytes(pickle.dumps(held))
        print(f"{called}: {len(held)} sets in {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
