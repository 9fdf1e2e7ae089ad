"""A trial: what texts teach that are about the thing that is asked, and do not answer.

    python -m training.encoder.statements [--steps 700] [--anchor 2] [--rate 3e-5] [--hard 3]

``training/changes.jsonl.xz`` and ``training/near.jsonl.xz`` have groups: questions, texts that
answer them, most in other words, and texts about the same thing that do not. The upper layers of
the encoder that ships are trained on seven eighths of the groups, beside the questions of
``written.jsonl.xz``, and read on the others: for how many does an answer come before all texts, of
all groups, that answer nothing. Beside it the sets that were written by hand, by the vector alone.
Needs torch and a GPU; nothing is saved.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from bench.corpus import lines
from tokenizers import Tokenizer

from training.bert import Bert
from training.encoder.model import halved, shipped
from training.encoder.sets import FROZEN, PREFIX
from training.reader import MODEL

HERE = Path(__file__).resolve().parents[1]
SETS = HERE.parent / "bench" / "sets"
GROUPS, TOKENS, SHARP = 48, 160, 0.03


class Group(NamedTuple):
    file: str
    questions: list[str]
    answers: list[str]
    """The first in the words of the first question, the others in other words."""
    near: list[str]

    @property
    def is_held(self) -> bool:
        """Whether it is left out of the training, and read."""
        return int(sha1(self.answers[0].encode()).hexdigest(), 16) % 8 == 0


def groups() -> list[Group]:
    changes = (
        Group("changes", [row["question"]], [row["base"], row["same"][1], *row["changed"][1:]],
              row["neither"])
        for row in lines(HERE / "changes.jsonl.xz")
    )  # fmt: skip
    near = (
        Group("near", row["questions"], row["answers"], row["near"])
        for row in lines(HERE / "near.jsonl.xz")
    )
    return [*changes, *near]


class Encoded:
    """A body, and its vectors of texts."""

    def __init__(self, body: Bert) -> None:
        self.body = body.cuda()
        self._tokens = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        self._tokens.enable_truncation(TOKENS)
        self._tokens.enable_padding()

    def of(self, texts: list[str]) -> Any:
        read = self._tokens.encode_batch(texts)
        ids = torch.tensor([one.ids for one in read]).cuda()
        mask = torch.tensor([one.attention_mask for one in read]).cuda()
        with halved():
            first = self.body(ids, mask)[-1][:, 0]
        return F.normalize(first.float(), dim=1)

    @torch.no_grad()
    def read(self, texts: list[str]) -> Any:
        return torch.cat([self.of(texts[n : n + 512]) for n in range(0, len(texts), 512)])


def asked(text: str) -> str:
    return f"{PREFIX}{text}"


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


def told(encoded: Encoded, every: list[Group]) -> str:
    """Says how often each answer is first, of the groups that were left out."""
    wrong = encoded.read([text for group in every for text in group.near])
    found = []
    for file, question in (("changes", 0), ("near", 0), ("near", 1), ("near", 2)):
        some = [group for group in every if group.is_held and group.file == file]
        vectors = encoded.read([asked(group.questions[question]) for group in some])
        nearest = (vectors @ wrong.T).max(1).values
        first = [
            (vectors * encoded.read([group.answers[n] for group in some])).sum(1) > nearest
            for n in range(min(len(group.answers) for group in some))
        ]
        shares = " ".join(f"{one.float().mean():.3f}" for one in first)
        found.append(f"{file}, question {question + 1}: {shares}")
    for name, texts, questions in by_hand():
        gold = [one for one in questions if one["gold"]]
        scores = encoded.read([asked(one["query"]) for one in gold])
        best = (scores @ encoded.read([text for _, text in texts]).T).argmax(1).tolist()
        hits = [texts[n][0] in one["gold"] for n, one in zip(best, gold, strict=True)]
        found.append(f"{name}: {sum(hits) / len(hits):.3f}")
    return "; ".join(found)


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m training.encoder.statements")
    ask.add_argument("--steps", type=int, default=700)
    ask.add_argument("--anchor", type=float, default=2.0)
    ask.add_argument("--rate", type=float, default=3e-5)
    ask.add_argument("--hard", type=int, default=3)
    given = ask.parse_args()
    every, written = groups(), list(lines(HERE / "written.jsonl.xz"))
    taught = [group for group in every if not group.is_held]
    path = MODEL / "model.onnx"
    before, after = Encoded(shipped(path).eval()), Encoded(shipped(path))
    print("before:", told(before, every), flush=True)
    upper = list(after.body.layers[FROZEN:].parameters())
    best = torch.optim.AdamW(upper, lr=given.rate, weight_decay=0.01)
    chance = random.Random(1)
    for step in range(given.steps):
        fall = 0.5 + 0.5 * math.cos(math.pi * step / given.steps)
        best.param_groups[0]["lr"] = given.rate * min(1, (step + 1) / 50) * fall
        some, texts = chance.sample(taught, GROUPS), chance.sample(written, GROUPS)
        questions = [chance.choice(one.questions) for one in some]
        questions += [chance.choice(one["q"]) for one in texts]
        right = [chance.choice(one.answers) for one in some] + [one["t"] for one in texts]
        wrong = [text for one in some for text in chance.sample(one.near, given.hard)]
        again = [chance.choice(one.answers[1:]) for one in some]
        parts = [list(map(asked, questions)), right, wrong, [g.answers[0] for g in some], again]
        batch = [text for part in parts for text in part]
        made = after.of(batch)
        q, p, n, one, other = made.split([len(part) for part in parts])
        at = torch.arange(len(q)).cuda()
        loss = F.cross_entropy(torch.cat([q @ p.T, q @ n.T], 1) / SHARP, at)
        beside = F.cross_entropy(torch.cat([one @ other.T, one @ n.T], 1) / SHARP, at[:GROUPS])
        moved = 1 - (made * before.read(batch)).sum(1).mean()
        best.zero_grad()
        (loss + beside / 2 + given.anchor * moved).backward()
        torch.nn.utils.clip_grad_norm_(upper, 1.0)
        best.step()
    after.body.eval()
    print("after:", told(after, every))


if __name__ == "__main__":
    main()
