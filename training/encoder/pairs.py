"""Passages, questions and the evidence that joins them, cut and tokenised for training.

    python -m training.encoder.pairs --tokenizer tokenizer.json --out DIR [--read-only]

A document is cut into windows of whole sentences of at most 160 words, each under the document's
title; a turn of a chat is a passage of its own, under the turn before it where that is short.
DIR gets ``corpus.npz.xz``, which is all that the training reads, and ``texts.pkl.xz``, what
``training.encoder.reading`` needs to judge a ranking.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import lzma
import pickle
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpus import data_folder, lines
from tokenizers import Tokenizer

from recollect_evals.questions import half_of
from training.documents import archive
from training.encoder.sets import (
    ASKED,
    CLS,
    PLAIN,
    PREFIX,
    READ_ONLY,
    SEP,
    TOKENS,
    TRAINABLE,
    WHOLE,
    Source,
)  # fmt: skip
from training.encoder.written import Group, Text, groups, written
from training.halves import fingerprint

WORDS = 160
SHORT = 30  # a turn of so many words is put before the next one
SENTENCE = 60  # a sentence of more words is cut
READ = 500  # questions of one set that are read
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_INITIAL = re.compile(r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|cf|No|Fig)\s?\.\s*$")
_IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]")

Span = tuple[int, int]


@dataclass
class Passage:
    """A text under its header, and where its sentences lie in the document or turn."""

    document: int
    turn: int
    header: str
    titled: bool
    text: str
    spans: list[Span]


@dataclass
class Question:
    id: str
    text: str
    gold: list[str]
    train: bool
    read: bool
    ways: list[list[list[int]]] = field(default_factory=list)
    """Evidence is shown when, in one of the ways, every unit has one of its passages shown."""
    points: list[tuple[int, int]] = field(default_factory=list)
    """(passage, sentence) of the evidence; WHOLE where no sentence is named."""
    is_said: bool = False
    """Whether it is a statement, to which others are to be found that say the same."""


def size(text: str) -> float:
    """About how many words a text has; two ideographs count as more than one."""
    return len(text.split()) + len(_IDEOGRAPH.findall(text)) / 1.5


def sentences(text: str) -> list[Span]:
    """Where the sentences of a text lie: nothing but white space is left out."""
    cuts = [0]
    for match in _END.finditer(text):
        at = match.end()
        plain = "\n" not in match[0] and match[0].strip() == ""
        follows = text[at : at + 1]
        before = text[cuts[-1] : match.start()]
        if plain and match[0] and (follows.islower() or _INITIAL.search(before)):
            continue
        if at > cuts[-1]:
            cuts.append(at)
    cuts.append(len(text))
    spans: list[Span] = []
    for start, end in pairwise(cuts):
        for piece in _pieces(text, start, end):
            small = spans and size(text[slice(*spans[-1])]) < 3
            if small and size(text[slice(*piece)]) < SENTENCE:
                spans[-1] = spans[-1][0], piece[1]
            else:
                spans.append(piece)
    if len(spans) > 1 and size(text[slice(*spans[-1])]) < 3:
        spans[-2:] = [(spans[-2][0], spans[-1][1])]
    return spans


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """The part of a text without the space around it, cut where it is too long."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = start + len(part.strip())
    if start >= end:
        return
    if size(text[start:end]) <= SENTENCE * 1.5:
        yield start, end
        return
    begin, held = start, 0.0
    for match in re.finditer(r"\S+", text[start:end]):
        held += max(1.0, size(match[0]))
        if held >= SENTENCE:
            yield begin, start + match.end()
            begin, held = start + match.end(), 0.0
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())
    if begin < end:
        yield begin, end


def windows(text: str) -> Iterator[list[Span]]:
    """Neighbouring sentences together, in parts of about the same number of words."""
    spans = sentences(text)
    weights = [size(text[a:b]) for a, b in spans]
    parts = max(1, -(-int(sum(weights)) // WORDS))
    target = sum(weights) / parts
    kept: list[Span] = []
    held = done = 0.0
    for span, weight in zip(spans, weights, strict=True):
        if kept and (held + weight > WORDS or done + held + weight / 2 > target):
            yield kept
            done = done + held - target if done + held < 2 * target else 0.0
            kept, held = [], 0.0
        kept.append(span)
        held += weight
    if kept:
        yield kept


def cut(number: int, row: dict[str, Any]) -> Iterator[Passage]:
    """The passages of one document."""
    if "turns" in row:
        before = ""
        for turn, said in enumerate(row["turns"]):
            text, role = said["text"], said["role"]
            for spans in windows(text):
                header = f"{before}\n{role}:" if before else f"{role}:"
                yield Passage(number, turn, header, False, text, spans)
            before = f"{role}: {text}" if size(text) <= SHORT else ""
        return
    text, title = row.get("text", ""), row.get("title", "")
    for spans in windows(text):
        led = not title or (spans[0][0] == 0 and text.startswith(title))
        yield Passage(number, 0, "" if led else title, not led, text, spans)


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _saying(passage: Passage, answer: str) -> list[int]:
    """The sentences of a passage that an answer is of; WHOLE where none is given."""
    start = passage.text.find(answer) if answer else -1
    span = start, start + len(answer)
    found = [n for n, s in enumerate(passage.spans) if start >= 0 and _overlap(span, s)]
    return found or [WHOLE]


class Evidence:
    """Finds the passages and sentences that hold a piece of evidence."""

    def __init__(self, rows: Sequence[dict[str, Any]], passages: Sequence[Passage]) -> None:
        self.rows = rows
        self.numbers = {str(row["id"]): n for n, row in enumerate(rows)}
        self.at: dict[tuple[int, int], list[int]] = {}
        self.of: dict[int, list[int]] = {}
        self.passages = passages
        for n, passage in enumerate(passages):
            self.at.setdefault((passage.document, passage.turn), []).append(n)
            self.of.setdefault(passage.document, []).append(n)

    def unit(self, entry: dict[str, Any]) -> tuple[list[int], list[tuple[int, int]]]:
        """The passages of which one is enough, and the (passage, sentence) pairs meant."""
        found: list[int] = []
        points: list[tuple[int, int]] = []
        for one in [entry, *entry.get("or", ())]:
            shown, meant = self._one(one)
            found += shown
            points += meant
        return found, points

    def _one(self, entry: dict[str, Any]) -> tuple[list[int], list[tuple[int, int]]]:
        document = self.numbers.get(str(entry["document"]))
        if document is None:
            return [], []
        first = entry.get("turn", 0)
        places = [
            n for turn in range(first, entry.get("to", first) + 1)
            for n in self.at.get((document, turn), ())
        ]  # fmt: skip
        quote = entry.get("quote")
        if not quote or entry.get("to", first) != first:
            return places, [(n, WHOLE) for n in places]
        row = self.rows[document]
        text = row["turns"][first]["text"] if "turns" in row else row.get("text", "")
        start = text.find(quote)
        if start < 0:
            return places, [(n, WHOLE) for n in places]
        span = start, start + len(quote)
        held = {n: sum(_overlap(span, s) for s in self.passages[n].spans) for n in places}
        most = max(held.values(), default=0)
        enough = [n for n in places if most and held[n] >= min(most, len(quote) / 2)]
        points = [
            (n, at) for n in enough for at, s in enumerate(self.passages[n].spans)
            if _overlap(span, s) >= min(len(quote), s[1] - s[0]) / 2
        ]  # fmt: skip
        return enough, points or [(n, WHOLE) for n in enough]


def attach(question: Question, row: dict[str, Any], evidence: Evidence) -> None:
    """Joins a question with the passages that hold its evidence."""
    units: dict[Any, list[list[int]]] = {}
    apart = bool(row.get("any"))
    for n, entry in enumerate(row.get("evidence") or ()):
        found, points = evidence.unit(entry)
        if found:
            grouped = (entry["document"], entry["group"]) if "group" in entry else None
            way = grouped if grouped else n if apart else "all"
            units.setdefault(way, []).append(found)
            question.points += points
    question.ways = list(units.values())
    if not question.points:
        question.points = [
            (n, WHOLE) for gold in question.gold
            for n in evidence.of.get(evidence.numbers.get(gold, -1), ())
        ]  # fmt: skip


def asked(folder: Path, source: Source) -> Iterator[tuple[Question, dict[str, Any]]]:
    """The questions of a set that have an answer, each with its row of evidence."""
    more: dict[str, dict[str, Any]] = {}
    if source.evidence:
        more = {row["id"]: row for row in lines(folder / source.evidence)}
    for row in lines(folder / source.questions):
        if not row.get("gold"):
            continue
        train = source.use == "all" or (source.use == "fit" and half_of(row["id"]) == "fit")
        gold = [str(g) for g in row["gold"]]
        yield Question(row["id"], row["query"], gold, train, True), more.get(row["id"], row)
    if source.documents.startswith("2wiki"):
        rows = {row["id"]: row for row in lines(folder / "2wiki" / "train-evidence.jsonl.xz")}
        for row in lines(folder / "2wiki" / "train-queries.jsonl.xz"):
            yield Question(row["id"], row["query"], row["gold"], True, False), rows[row["id"]]


def kept_from_tests(folder: Path) -> set[str]:
    """The fingerprints of the questions that must not be learned under any id."""
    return {
        fingerprint(row["query"])
        for source in TRAINABLE.values() if source.use in ("fit", "none")
        for row in lines(folder / source.questions)
        if half_of(row["id"]) == "test"
    }  # fmt: skip


def plain(folder: Path, name: str) -> list[dict[str, Any]]:
    """The documents of a text without questions."""
    if name == "gitlog":
        return [
            {"title": re.sub(r"^(?:Refs|Fixed) #[\d, #]+-- ", "", r["subject"]), "text": r["body"]}
            for r in lines(folder / "gitlog" / "django.jsonl.xz") if len(r["body"]) > 80
        ]  # fmt: skip
    if name == "agents":
        return [{"text": text} for _, text in archive(folder / "agent-sessions.tar.xz", ".md")]
    if name == "til":
        return [
            {"title": title.replace("-", " "), "text": text}
            for title, text in archive(folder / "til-notes.tar.xz", ".md")
        ]
    return [
        {"title": r["title"], "text": r["text"]} for r in lines(folder / name / "docs.jsonl.xz")
    ]


class Writer:
    """Token ids of all sets in flat arrays, named ``set/array``."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.arrays: dict[str, Any] = {}

    def ids(self, texts: list[str]) -> list[list[int]]:
        return [e.ids for e in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    def passages(self, name: str, passages: Sequence[Passage]) -> None:
        headers = self.ids([p.header[:800] for p in passages])
        pieces = self.ids([p.text[a:b] for p in passages for a, b in p.spans])
        tokens: list[int] = []
        starts, sentence_ends, sentence_starts = [0], [], [0]
        body, at = [], 0
        for header, passage in zip(headers, passages, strict=True):
            row = [CLS, *header[-100:]]
            body.append(len(row))
            for piece in pieces[at : at + len(passage.spans)]:
                row += piece[: max(0, TOKENS - 1 - len(row))]
                sentence_ends.append(len(row))
            at += len(passage.spans)
            tokens += [*row, SEP]
            starts.append(len(tokens))
            sentence_starts.append(len(sentence_ends))
        self.put(name, "tokens", tokens, np.uint16)
        self.put(name, "starts", starts, np.uint32)
        self.put(name, "body", body, np.uint16)
        self.put(name, "ends", sentence_ends, np.uint16)
        self.put(name, "sentences", sentence_starts, np.uint32)
        self.put(name, "document", [p.document for p in passages], np.uint32)
        self.put(name, "titled", [p.titled for p in passages], np.bool_)

    def questions(self, name: str, questions: Sequence[Question]) -> None:
        tokens: list[int] = []
        starts = [0]
        for row in self.ids([q.text if q.is_said else PREFIX + q.text for q in questions]):
            tokens += [CLS, *row[: ASKED - 2], SEP]
            starts.append(len(tokens))
        points = [(n, p, s) for n, q in enumerate(questions) for p, s in q.points]
        self.put(name, "asked", tokens, np.uint16)
        self.put(name, "asked_starts", starts, np.uint32)
        self.put(name, "points", points, np.uint32)
        self.put(name, "train", [q.train for q in questions], np.bool_)
        self.put(name, "read", [q.read for q in questions], np.bool_)

    def written(self, name: str, texts: Sequence[Text]) -> None:
        """A set of whole texts, each with what it answers and what it nearly does."""
        passages, questions, misses = [], [], []
        for number, text in enumerate(texts):
            passages.append(Passage(number, 0, "", False, text.text, sentences(text.text)))
            for asked, answer in text.asked:
                points = [(number, at) for at in _saying(passages[-1], answer)]
                questions.append(Question("", asked, [], True, False, points=points))
            for asked in text.missed:
                misses.append((len(questions), number))
                questions.append(Question("", asked, [], False, False))
        self.passages(name, passages)
        self.questions(name, questions)
        self.put(name, "misses", np.reshape(misses, (-1, 2)), np.uint32)

    def groups(self, name: str, groups: Sequence[Group]) -> None:
        """A set of texts that answer questions, or say what another says, and that do not."""
        passages, questions, wrong = [], [], []
        for group in groups:
            first = len(passages)
            texts = [*group.answers, *group.wrong()]
            passages += [
                Passage(first + n, 0, "", False, text, sentences(text))
                for n, text in enumerate(texts)
            ]
            near = range(first + len(group.answers), first + len(texts))
            answers = [(n, WHOLE) for n in range(first, near.start)]
            asked = [
                Question("", text, [], True, False, points=answers) for text in group.questions
            ]
            said = Question("", texts[0], [], True, False, points=answers, is_said=True)
            wrong += [(len(questions) + q, n) for q in range(len(asked) + 1) for n in near]
            questions += [*asked, said]
        self.passages(name, passages)
        self.questions(name, questions)
        self.put(name, "wrong", wrong, np.uint32)

    def put(self, name: str, part: str, values: Any, kind: Any) -> None:
        self.arrays[f"{name}/{part}"] = np.array(values, kind)

    def write(self, path: Path) -> None:
        out = io.BytesIO()
        np.savez(out, **self.arrays)
        path.write_bytes(lzma.compress(out.getvalue(), preset=6))


def chosen(questions: Sequence[Question]) -> None:
    """Leaves at most READ questions of a set to be read, drawn by the hash of their ids."""
    order = sorted(
        (q for q in questions if q.read),
        key=lambda q: hashlib.sha256(f"read {q.id}".encode()).digest(),
    )
    for question in order[READ:]:
        question.read = False


def main() -> None:
    ask = argparse.ArgumentParser(description="passages and questions, cut and tokenised")
    ask.add_argument("--tokenizer", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--read-only", action="store_true", help="the sets that are never trained on")
    given = ask.parse_args()
    folder = data_folder()
    if folder is None:
        raise SystemExit("the data folder is needed (RECOLLECT_DATA)")
    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    writer = Writer(tokenizer)
    texts: dict[str, Any] = {}
    banned = kept_from_tests(folder)
    for name, source in (READ_ONLY if given.read_only else TRAINABLE).items():
        rows = list(lines(folder / source.documents))
        passages = [p for n, row in enumerate(rows) for p in cut(n, row)]
        evidence = Evidence(rows, passages)
        questions, known = [], set()
        for question, row in asked(folder, source):
            mark = fingerprint(question.text)
            if mark in known and not question.read:
                continue
            question.train = question.train and mark not in known and mark not in banned
            known.add(mark)
            attach(question, row, evidence)
            question.train = question.train and bool(question.points)
            questions.append(question)
        chosen(questions)
        questions = [q for q in questions if q.train or q.read]
        writer.passages(name, passages)
        writer.questions(name, questions)
        texts[name] = {
            "documents": [str(r["id"]) for r in rows], "passages": passages,
            "questions": questions,
        }  # fmt: skip
        trained, read = sum(q.train for q in questions), sum(q.read for q in questions)
        print(f"{name}: {len(passages)} passages, {trained} to train, {read} to read", flush=True)
    if not given.read_only:
        some = random.Random(3)
        for name, most in PLAIN.items():
            rows = plain(folder, name)
            some.shuffle(rows)
            passages = [
                p for n, row in enumerate(rows[: 3 * most]) for p in cut(n, row) if len(p.spans) > 1
            ]
            passages = some.sample(passages, min(most, len(passages)))
            writer.passages(name, passages)
            print(f"{name}: {len(passages)} passages", flush=True)
        for name, many in written().items():
            writer.written(name, many)
            print(f"{name}: {len(many)} texts, {sum(len(t.asked) for t in many)} questions")
        for name, some_groups in groups().items():
            taught = [group for group in some_groups if not group.is_held]
            writer.groups(name, taught)
            print(f"{name}: {len(taught)} groups", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    writer.write(given.out / "corpus.npz.xz")
    with lzma.open(given.out / "texts.pkl.xz", "wb", preset=1) as file:
        pickle.dump(texts, file)


if __name__ == "__main__":
    main()
