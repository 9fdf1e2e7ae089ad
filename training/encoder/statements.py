"""A trial: what statements teach that are about the thing that is asked, and do not answer.

    python -m training.encoder.statements [--steps 600] [--anchor 2] [--rate 3e-5] [--hard 3]

``training/changes.jsonl.xz`` has groups: a question, a statement that answers it, others that say
the same or something later, most of them in other words, and statements about the same thing that
answer nothing. The upper layers of the encoder that ships are trained on seven eighths of the
groups, beside the questions of ``written.jsonl.xz``, and read on the others: of how many does the
answer come before every statement of all groups that answers nothing. Beside it the sets that were
written by hand, by the vector alone. Needs torch and a GPU; nothing is saved.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from tokenizers import Tokenizer

from training.bert import Bert
from training.encoder.model import halved, shipped
from training.encoder.sets import FROZEN, PREFIX
from training.reader import MODEL

HERE = Path(__file__).resolve().parents[1]
SETS = HERE.parent / "bench" / "sets"
GROUPS, TOKENS, SHARP = 48, 160, 0.03
Group = dict[str, Any]


def lines(path: Path) -> list[Group]:
    raw = path.read_bytes()
    text = lzma.decompress(raw) if path.suffix == ".xz" else raw
    return [json.loads(line) for line in text.decode().splitlines()]


class Encoded:
    """A body, and its vectors of texts."""

    def __init__(self, body: Bert) -> None:
        self.body = body.cuda()
        self._tokens = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        self._tokens.enable_truncation(TOKENS)
        self._tokens.enable_padding()

    def of(self, texts: list[str]) -> Any:
        read = self._tokens.encode_batch(texts)
        ids, mask = (torch.tensor([getattr(one, name) for one in read]).cuda()
                     for name in ("ids", "attention_mask"))  # fmt: skip
        with halved():
            first = self.body(ids, mask)[-1][:, 0]
        return F.normalize(first.float(), dim=1)

    @torch.no_grad()
    def read(self, texts: list[str]) -> Any:
        return torch.cat([self.of(texts[n : n + 512]) for n in range(0, len(texts), 512)])


def answers(group: Group) -> list[str]:
    """What answers its question; those in other words twice."""
    same, changed = group["same"], group["changed"]
    return [group["base"], *same, *changed, same[1], *changed[1:]]


def asked(text: str) -> str:
    return f"{PREFIX}{text}"


def by_hand() -> Iterator[tuple[str, list[tuple[str, str]], list[Group]]]:
    """The sets, their texts with the ids of their documents, and their questions."""
    for name in ("facts", "notes", "turns"):
        place = SETS / "paraphrase-open" / name
        if name == "turns":
            talks = lines(place / "sessions.jsonl")
            texts = [(one["id"], turn["text"]) for one in talks for turn in one["turns"]]
        else:
            notes = lines(place / "docs.jsonl")
            texts = [(d["id"], f"{d.get('title', '')}\n{d['text']}".strip()) for d in notes]
        yield f"paraphrased {name}", texts, lines(place / "queries.jsonl")


def told(encoded: Encoded, groups: list[Group], read: list[Group]) -> str:
    wrong = encoded.read([text for group in groups for text in group["neither"]])
    question = encoded.read([asked(group["question"]) for group in read])
    nearest = (question @ wrong.T).max(1).values
    found = []
    for kind, number in (("base", None), ("same", 1), ("changed", 1), ("changed", 2)):
        said = [group[kind] if number is None else group[kind][number] for group in read]
        right = (question * encoded.read(said)).sum(1)
        found.append(f"{kind} {(right > nearest).float().mean():.3f}")
    for name, texts, questions in by_hand():
        some = [one for one in questions if one["gold"]]
        scores = encoded.read([asked(one["query"]) for one in some])
        best = (scores @ encoded.read([text for _, text in texts]).T).argmax(1).tolist()
        hits = [texts[n][0] in one["gold"] for n, one in zip(best, some, strict=True)]
        found.append(f"{name} {sum(hits) / len(hits):.3f}")
    return ", ".join(found)


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m training.encoder.statements")
    ask.add_argument("--steps", type=int, default=600)
    ask.add_argument("--anchor", type=float, default=2.0)
    ask.add_argument("--rate", type=float, default=3e-5)
    ask.add_argument("--hard", type=int, default=3)
    given = ask.parse_args()
    groups, written = lines(HERE / "changes.jsonl.xz"), lines(HERE / "written.jsonl.xz")
    held = [int(sha1(g["base"].encode()).hexdigest(), 16) % 8 == 0 for g in groups]
    read = [group for group, is_held in zip(groups, held, strict=True) if is_held]
    taught = [group for group, is_held in zip(groups, held, strict=True) if not is_held]
    path = MODEL / "model.onnx"
    before, after = Encoded(shipped(path).eval()), Encoded(shipped(path))
    print("before:", told(before, groups, read), flush=True)
    upper = list(after.body.layers[FROZEN:].parameters())
    best = torch.optim.AdamW(upper, lr=given.rate, weight_decay=0.01)
    chance = random.Random(1)
    for step in range(given.steps):
        fall = 0.5 + 0.5 * math.cos(math.pi * step / given.steps)
        best.param_groups[0]["lr"] = given.rate * min(1, (step + 1) / 50) * fall
        some, texts = chance.sample(taught, GROUPS), chance.sample(written, GROUPS)
        right = [chance.choice(answers(group)) for group in some] + [one["t"] for one in texts]
        questions = [g["question"] for g in some] + [chance.choice(one["q"]) for one in texts]
        again = [chance.choice([*g["same"], *g["changed"]]) for g in some]
        wrong = [text for g in some for text in chance.sample(g["neither"], given.hard)]
        parts = [list(map(asked, questions)), right, wrong, [g["base"] for g in some], again]
        every = [text for part in parts for text in part]
        made = after.of(every)
        q, p, n, one, other = made.split([len(part) for part in parts])
        at = torch.arange(len(q)).cuda()
        loss = F.cross_entropy(torch.cat([q @ p.T, q @ n.T], 1) / SHARP, at)
        beside = F.cross_entropy(torch.cat([one @ other.T, one @ n.T], 1) / SHARP, at[: len(one)])
        moved = 1 - (made * before.read(every)).sum(1).mean()
        best.zero_grad()
        (loss + beside / 2 + given.anchor * moved).backward()
        torch.nn.utils.clip_grad_norm_(upper, 1.0)
        best.step()
    after.body.eval()
    print("after:", told(after, groups, read))


if __name__ == "__main__":
    main()
