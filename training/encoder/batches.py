"""The corpus on the GPU, and the batches that are drawn from it."""

from __future__ import annotations

import io
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from training.encoder.model import Encoder, Output, Texts, halved
from training.encoder.sets import ASKED, CLS, PREFIX, SEP, WRITTEN, domain

QUESTIONS, HARD = 56, 7
WRONG = 4  # of them, of those that were written for the question
CROPS = 168
MINED = 40
CLOSE = 0.10  # a second gold passage counts when its first cosine is so near to the best one's,
# or when it was written as an answer in other words
MOST, MOST_WRITTEN, POWER = 1500, 12_000, 0.6
CHATS = ("conversation", "personal")


class Rows:
    """Token ids of many texts in one flat tensor."""

    def __init__(self, flat: Any, starts: Any, device: str, sentence: Any = None) -> None:
        self.cpu = flat
        self.starts = starts.astype(np.int64)
        self.lengths = np.diff(self.starts)
        self.flat = torch.from_numpy(flat.astype(np.int32)).to(device)
        self.sentence = None if sentence is None else torch.from_numpy(sentence).to(device)
        self.device = device

    def take(self, which: Any, counts: Any = None) -> Texts:
        """The tokens of some rows; with *counts* (sentences of each row) their sentences too."""
        lengths = self.lengths[which]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        shift = self.starts[which] - starts[:-1]
        have = np.zeros_like(lengths) if counts is None else counts[which]
        before = np.cumsum(have) - have
        packed = np.stack([shift, starts[:-1], lengths, before])
        device, total = self.device, int(starts[-1])
        shift, begin, length, before = torch.from_numpy(packed).to(device, non_blocking=True)
        row = torch.arange(len(lengths), device=device)
        row = torch.repeat_interleave(row, length, output_size=total)
        place = torch.arange(total, device=device)
        at = place + shift[row]
        bounds = torch.from_numpy(starts.astype(np.int32)).to(device, non_blocking=True)
        sentence = None
        if counts is not None and self.sentence is not None:
            number = self.sentence[at].long()
            sentence = torch.where(number >= 0, number + before[row], -1)
        ids = self.flat[at].long()
        return Texts(ids, place - begin[row], bounds, int(lengths.max()), sentence, int(have.sum()))


def listed(rows: Sequence[Any], device: str) -> Rows:
    """Rows of separate arrays."""
    starts = np.cumsum([0, *map(len, rows)])
    return Rows(np.concatenate(rows), starts, device)


class Set(NamedTuple):
    passages: tuple[int, int]
    questions: tuple[int, int]


class Corpus:
    """All passages and questions, numbered through all sets."""

    def __init__(self, path: Path, device: str) -> None:
        raw = path.read_bytes()
        held = np.load(io.BytesIO(lzma.decompress(raw) if path.suffix == ".xz" else raw))
        arrays = {name: held[name] for name in held.files}
        names = list(dict.fromkeys(name.split("/")[0] for name in arrays))
        self.sets: dict[str, Set] = {}
        self.device = device
        tokens, starts, body, ends, sentences, documents, titled = ([] for _ in range(7))
        asked, asked_starts, points, misses, wrong, train, read = ([] for _ in range(7))
        at = {"tokens": 0, "ends": 0, "asked": 0, "documents": 0}
        passages = questions = 0
        for name in names:
            part = {k.split("/")[1]: v for k, v in arrays.items() if k.startswith(f"{name}/")}
            count = len(part["body"])
            tokens.append(part["tokens"])
            starts.append(part["starts"][:-1].astype(np.int64) + at["tokens"])
            body.append(part["body"].astype(np.int64))
            ends.append(part["ends"].astype(np.int64))
            sentences.append(part["sentences"][:-1].astype(np.int64) + at["ends"])
            documents.append(part["document"].astype(np.int64) + at["documents"])
            titled.append(part["titled"])
            at["tokens"] += len(part["tokens"])
            at["ends"] += len(part["ends"])
            at["documents"] += int(part["document"].max()) + 1
            many = len(part.get("train", ()))
            if many:
                asked.append(part["asked"])
                asked_starts.append(part["asked_starts"][:-1].astype(np.int64) + at["asked"])
                at["asked"] += len(part["asked"])
                moved = part["points"].astype(np.int64)
                points.append(moved + np.array([[questions, passages, 0]]))
                missed = part.get("misses", np.zeros((0, 2))).astype(np.int64)
                misses.append(missed + np.array([[questions, passages]]))
                beside = part.get("wrong", np.zeros((0, 2))).astype(np.int64)
                wrong.append(beside + np.array([[questions, passages]]))
                train.append(part["train"])
                read.append(part["read"])
            self.sets[name] = Set((passages, passages + count), (questions, questions + many))
            passages += count
            questions += many
        flat = np.concatenate(tokens)
        self.body = np.concatenate(body)
        self.sentence_starts = np.concatenate([*sentences, [at["ends"]]])
        self.counts = np.diff(self.sentence_starts)
        row_starts = np.concatenate([*starts, [at["tokens"]]])
        self.ends = np.concatenate(ends)
        self.documents, self.titled = np.concatenate(documents), np.concatenate(titled)
        self.passages = Rows(flat, row_starts, device, self._numbers(flat, row_starts))
        self.questions = Rows(
            np.concatenate(asked), np.concatenate([*asked_starts, [at["asked"]]]), device
        )
        self.train, self.read = np.concatenate(train), np.concatenate(read)
        self.evidence: list[dict[int, set[int]]] = [{} for _ in range(questions)]
        for question, passage, sentence in np.concatenate(points).tolist():
            self.evidence[question].setdefault(passage, set()).add(sentence)
        self.misses: dict[int, list[int]] = {}
        for question, passage in np.concatenate(misses).tolist():
            self.misses.setdefault(passage, []).append(question)
        self.wrong: dict[int, list[int]] = {}
        for question, passage in np.concatenate(wrong).tolist():
            self.wrong.setdefault(question, []).append(passage)
        self.same = self._same()

    def _numbers(self, flat: Any, row_starts: Any) -> Any:
        """For each token the number of its sentence, or -1."""
        owner = np.repeat(np.arange(len(self.body)), self.counts)
        self.first = np.empty_like(self.ends)  # where each sentence begins in its passage
        self.first[1:] = self.ends[:-1]
        has = self.counts > 0
        self.first[self.sentence_starts[:-1][has]] = self.body[has]
        sizes = np.maximum(self.ends - self.first, 0)
        number = np.arange(len(self.ends)) - self.sentence_starts[:-1][owner]
        begin = row_starts[owner] + self.first
        shift = np.repeat(begin - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        out = np.full(len(flat), -1, np.int16)
        out[np.arange(int(sizes.sum())) + shift] = np.repeat(number, sizes)
        return out

    def _same(self) -> Any:
        """For each passage the first one with the same tokens."""
        rows, known = self.passages, {}
        out = np.empty(len(self.body), np.int64)
        for n, (a, b) in enumerate(zip(rows.starts, rows.starts[1:], strict=False)):
            out[n] = known.setdefault(rows.cpu[a:b].tobytes(), n)
        return out

    def tokens(self, passage: int) -> Any:
        a, b = self.passages.starts[passage : passage + 2]
        return self.passages.cpu[a:b]

    def spans(self, passage: int) -> list[tuple[int, int]]:
        """Where the sentences of a passage lie among its tokens."""
        a, b = self.sentence_starts[passage : passage + 2]
        return list(zip(self.first[a:b].tolist(), self.ends[a:b].tolist(), strict=True))

    def alone(self, passages: Any, numbers: Any, titled: bool) -> Rows:
        """Sentences as texts of their own; *titled*: under the header of their passage."""
        place = self.sentence_starts[passages] + numbers
        begin = self.passages.starts[passages]
        first, end = self.first[place], np.maximum(self.ends[place], self.first[place])
        head = self.body[passages] if titled else np.ones_like(first)
        lengths = head + end - first + 1
        starts = np.concatenate([[0], np.cumsum(lengths)])
        row = np.repeat(np.arange(len(lengths)), lengths)
        at = np.arange(starts[-1]) - starts[row]
        inside = np.where(at < head[row], at, at - head[row] + first[row])
        flat = self.passages.cpu[np.minimum(begin[row] + inside, len(self.passages.cpu) - 1)]
        flat[starts[1:] - 1] = SEP
        return Rows(flat, starts, self.device)

    def names(self, without: Sequence[str] = ()) -> list[str]:
        return [name for name in self.sets if domain(name) not in without]


def run(
    model: Encoder, rows: Rows, which: Any, counts: Any = None
) -> tuple[Tensor, Tensor | None, Any, Any]:
    """Vectors of some rows in their order; with *counts* the pooled states of their sentences,
    and for each sentence which of the rows it belongs to and its number there."""
    out: Output = model(rows.take(which, counts))
    if counts is None:
        return out.vectors, None, None, None
    have = counts[which]
    owner = np.repeat(np.arange(len(which)), have)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(have) - have, have)
    return out.vectors, out.pooled, owner, number


@torch.no_grad()
def encoded(model: Encoder, rows: Rows, which: Any, counts: Any = None) -> tuple[Tensor, Any]:
    """Vectors (fp16) of many rows, and those of their sentences in order."""
    vectors = torch.zeros(len(which), 384, device=rows.device, dtype=torch.float16)
    sentences = starts = None
    if counts is not None:
        starts = np.concatenate([[0], np.cumsum(counts[which])])
        sentences = torch.zeros(starts[-1], 384, device=rows.device, dtype=torch.float16)
    order = np.argsort(-rows.lengths[which], kind="stable")
    at = 0
    while at < len(order):
        some = order[at : at + max(1, 200_000 // int(rows.lengths[which[order[at]]]))]
        at += len(some)
        with halved():
            made, pooled, owner, number = run(model, rows, which[some], counts)
        vectors[torch.from_numpy(some).to(rows.device)] = made.half()
        if sentences is not None and pooled is not None:
            place = torch.from_numpy(starts[some[owner]] + number).to(rows.device)
            sentences[place] = model.sentences(pooled).half()
    return vectors, sentences


class Asked(NamedTuple):
    """Questions, for each one right passage (the first ones), and wrong ones after them."""

    questions: Any
    passages: Any
    blocked: Any
    """[questions, passages]: right too, and so neither right nor wrong here."""
    evidence: list[set[int]]
    missed: Any
    """For each question one that its passage nearly answers; -1: none."""


class Batches:
    """Batches of questions with passages, and of sentences cropped from passages."""

    def __init__(
        self, corpus: Corpus, mined: Any, close: list[list[int]], without: Sequence[str],
        seed: int,
    ) -> None:  # fmt: skip
        self.corpus, self.mined, self.close = corpus, mined, close
        self.rng = np.random.default_rng(seed)
        self.names = corpus.names(without)
        self.asked = {}
        for name in self.names:
            a, b = corpus.sets[name].questions
            which = np.arange(a, b)[corpus.train[a:b]]
            if len(which):
                self.asked[name] = which
        most = {name: MOST_WRITTEN for name in self.asked if name.startswith(WRITTEN)}
        sizes = np.array([min(most.get(k, MOST), len(v)) for k, v in self.asked.items()]) ** POWER
        self.shares = sizes / sizes.sum()
        rows = np.concatenate([np.arange(*corpus.sets[n].passages) for n in self.names])
        self.plain = rows[(corpus.counts[rows] >= 2) & (corpus.passages.lengths[rows] >= 30)]
        where = {n: len(range(*corpus.sets[n].passages)) for n in self.names}
        weight = np.concatenate([np.full(c, min(c, 6000) ** 0.5 / c) for c in where.values()])
        weight = weight[(corpus.counts[rows] >= 2) & (corpus.passages.lengths[rows] >= 30)]
        self.weights = np.cumsum(weight / weight.sum())
        self.prefix: Any = None
        self.titled = False

    def questions(self, many: int = QUESTIONS) -> Asked:
        names, rng = list(self.asked), self.rng
        if rng.random() < 0.5:
            pool = self.asked[names[rng.choice(len(names), p=self.shares)]]
            chosen = rng.choice(pool, min(many, len(pool)), replace=False)
        else:
            drawn = rng.choice(len(names), many, p=self.shares)
            chosen = np.unique([rng.choice(self.asked[names[n]]) for n in drawn])
        right = np.array([rng.choice(self.close[q]) for q in chosen])
        wrong = np.concatenate([self._wrong(q) for q in chosen])
        passages = np.concatenate([right, wrong])
        same = self.corpus.same
        blocked = np.zeros((len(chosen), len(passages)), bool)
        evidence = []
        for n, question in enumerate(chosen):
            held = self.corpus.evidence[question]
            blocked[n] = np.isin(same[passages], same[list(held)])
            blocked[n, n] = False
            evidence.append(held[int(right[n])])
        misses = self.corpus.misses
        missed = [int(rng.choice(misses[p])) if p in misses else -1 for p in right.tolist()]
        return Asked(chosen, passages, blocked, evidence, np.array(missed))

    def _wrong(self, question: int) -> Any:
        """Passages that do not answer, those first that were written to look as if they did."""
        written = self.rng.permutation(self.corpus.wrong.get(question, ()))[:WRONG].astype(np.int64)
        found = self.rng.choice(self.mined[question], HARD - len(written))
        return np.concatenate([written, found])

    def passages(self, tokens: int) -> Any:
        """Some passages, of about so many tokens."""
        drawn = np.searchsorted(self.weights, self.rng.random(4096)).clip(max=len(self.plain) - 1)
        drawn = np.unique(self.plain[drawn])
        self.rng.shuffle(drawn)
        lengths = self.corpus.passages.lengths[drawn]
        return drawn[: max(8, int(np.searchsorted(np.cumsum(lengths), tokens)))]

    def crops(self, many: int = CROPS) -> tuple[Rows, Rows, Any, Any]:
        """Sentences as questions, their passages, the passages' numbers, and the sentence where
        it was left in the passage, else -1."""
        corpus, rng = self.corpus, self.rng
        drawn = np.searchsorted(self.weights, rng.random(many)).clip(max=len(self.plain) - 1)
        chosen = np.unique(self.plain[drawn])
        asked, left, kept = [], [], []
        for passage in chosen:
            tokens, spans = corpus.tokens(passage), corpus.spans(passage)
            number = int(rng.integers(len(spans)))
            a, b = spans[number]
            header = int(corpus.body[passage])
            if corpus.titled[passage] and header > 4 and rng.random() < 0.35:
                a, b, removed = 1, header, True
            elif b - a < 5:
                number = int(np.argmax([e - s for s, e in spans]))
                (a, b), removed = spans[number], rng.random() < 0.7
            else:
                removed = rng.random() < 0.7
            words = tokens[a:b]
            if rng.random() < 0.4:
                words = words[rng.random(len(words)) > rng.uniform(0.1, 0.5)]
            asked.append(np.concatenate([self.prefix, words[: ASKED - 20], [SEP]]))
            left.append(np.concatenate([tokens[:a], tokens[b:]]) if removed else tokens)
            kept.append(-1 if removed else number)
        device = corpus.device
        return listed(asked, device), listed(left, device), chosen, np.array(kept)


def prefix(tokenizer: Path) -> Any:
    """The ids that stand before every question."""
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(tokenizer))
    ids = made.encode(PREFIX, add_special_tokens=False).ids
    return np.array([CLS, *ids])
