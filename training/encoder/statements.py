"""Whether a model prefers what answers to what is only about the same thing.

    python -m training.encoder.statements --data DIR --work WORK MODEL …

One in eight of the groups of ``changes.jsonl.xz`` and ``near.jsonl.xz`` is never trained on. For
how many of these does an answer come before all texts, of all groups, that answer nothing? Beside
it the sets that were written by other hands, by the vector alone. MODEL is as ``hits`` names it;
needs torch and a GPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpus import lines
from tokenizers import Tokenizer

from training.encoder.batches import encoded, listed
from training.encoder.hits import model_named
from training.encoder.model import DEVICE, Encoder
from training.encoder.sets import CHANGES, CLS, PREFIX, SEP, TOKENS
from training.encoder.written import Group, groups

SETS = Path(__file__).resolve().parents[2] / "bench" / "sets"


class Encoded:
    """A model, and its vectors of texts."""

    def __init__(self, model: Encoder, tokenizer: Tokenizer) -> None:
        self._model, self._tokenizer = model, tokenizer

    def of(self, texts: list[str]) -> Any:
        read = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        rows = [np.array([CLS, *one.ids[: TOKENS - 2], SEP], np.uint16) for one in read]
        return encoded(self._model, listed(rows, DEVICE), np.arange(len(rows)))[0].float()

    def asked(self, texts: list[str]) -> Any:
        return self.of([PREFIX + text for text in texts])


def by_hand() -> Iterator[tuple[str, list[tuple[str, str]], list[dict[str, Any]]]]:
    """The sets, their texts with the ids of their documents, and their questions."""
    for name in ("facts", "notes", "turns"):
        place = SETS / "paraphrase-open" / name
        if name == "turns":
            talks = lines(place / "sessions.jsonl")
            texts = [(one["id"], turn["text"]) for one in talks for turn in one["turns"]]
        else:
            notes = lines(place / "docs.jsonl")
            texts = [(d["id"], f"{d.get('title', '')}\n{d['text']}".strip()) for d in notes]
        yield f"paraphrased {name}", texts, list(lines(place / "queries.jsonl"))


def told(model: Encoded) -> Iterator[str]:
    """Says how often each answer is first, of the groups that were left out."""
    every = groups()
    wrong = model.of([text for some in every.values() for group in some for text in group.near])
    held = {
        "changes": [group for group in every[CHANGES] if group.is_held],
        "near": [
            group for name, some in every.items() if name != CHANGES for group in some
            if group.is_held
        ],
    }  # fmt: skip
    for name, question in (("changes", 0), ("near", 0), ("near", 1), ("near", 2)):
        yield f"{name}, question {question + 1}: {shares(model, held[name], question, wrong)}"
    for name, texts, questions in by_hand():
        gold = [one for one in questions if one["gold"]]
        scores = model.asked([one["query"] for one in gold]) @ model.of([t for _, t in texts]).T
        best = scores.argmax(1).tolist()
        hits = [texts[n][0] in one["gold"] for n, one in zip(best, gold, strict=True)]
        yield f"{name}: {sum(hits) / len(hits):.3f}"


def shares(model: Encoded, some: list[Group], question: int, wrong: Any) -> str:
    """For each of the answers, how often it is nearer than all wrong texts."""
    vectors = model.asked([group.questions[question] for group in some])
    nearest = (vectors @ wrong.T).max(1).values
    many = min(len(group.answers) for group in some)
    first = [
        (vectors * model.of([group.answers[n] for group in some])).sum(1) > nearest
        for n in range(many)
    ]
    return " ".join(f"{one.float().mean():.3f}" for one in first)


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m training.encoder.statements")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("models", nargs="+")
    given = ask.parse_args()
    tokenizer = Tokenizer.from_file(str(given.data / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for name in given.models:
        model = Encoded(model_named(name, given.data, given.work), tokenizer)
        print(f"{name}: {'; '.join(told(model))}", flush=True)


if __name__ == "__main__":
    main()
