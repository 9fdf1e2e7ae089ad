"""The arm of words: BM25 over stems, and what a question's words say about themselves.

    python -m training.encoder.words --data DIR

reads DIR/texts.pkl.xz and writes DIR/words.pkl: for each set and each question that is read the
best passages with their scores, and the weights (idf) of the question's words.
"""

from __future__ import annotations

import argparse
import lzma
import pickle
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import Stemmer

from training.encoder import pairs
from training.encoder.pairs import Passage, Question
from training.encoder.sets import WHOLE

K1, B = 1.2, 0.75
DEEP = 100
_WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|[^\W_]+")
_STEMMERS = {"de": "german", "es": "spanish", "ru": "russian", "ar": "arabic"}


class Texts(pickle.Unpickler):
    """Reads what ``training.encoder.pairs`` wrote when it was run as a program."""

    def find_class(self, module: str, name: str) -> Any:
        return getattr(pairs, name) if module == "__main__" else super().find_class(module, name)


class Words:
    """Stems of texts; ideographs count two by two."""

    def __init__(self, name: str) -> None:
        code = name.removeprefix("xquad-")
        self.stem = Stemmer.Stemmer(_STEMMERS.get(code, "english")).stemWords

    def __call__(self, text: str) -> list[str]:
        found = _WORD.findall(text.lower())
        pairs = [a + b for a, b in pairwise(found) if len(a + b) == 2]
        plain: list[str] = self.stem(found)
        return plain + pairs


class Index:
    """BM25 over passages."""

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self.words = Words(name)
        held: dict[str, list[tuple[int, int]]] = {}
        lengths = np.zeros(len(texts), np.float32)
        for n, text in enumerate(texts):
            counts = Counter(self.words(text))
            lengths[n] = sum(counts.values())
            for word, count in counts.items():
                held.setdefault(word, []).append((n, count))
        norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        self.total = len(texts)
        self.lists: dict[str, tuple[Any, Any]] = {}
        self.found = {word: len(rows) for word, rows in held.items()}
        for word, rows in held.items():
            at = np.array([n for n, _ in rows], np.int32)
            many = np.array([c for _, c in rows], np.float32)
            self.lists[word] = at, self.idf(word) * many * (K1 + 1) / (many + norm[at])

    def idf(self, word: str) -> float:
        count = self.found.get(word, 0)
        return float(np.log1p((self.total - count + 0.5) / (count + 0.5)))

    def search(self, question: str) -> tuple[Any, Any]:
        scores = np.zeros(self.total, np.float32)
        for word in set(self.words(question)):
            if word in self.lists:
                at, gains = self.lists[word]
                scores[at] += gains
        best = np.argpartition(-scores, min(DEEP, self.total - 1))[:DEEP]
        best = best[np.lexsort((best, -scores[best]))]
        best = best[scores[best] > 0]
        return best.astype(np.int32), scores[best]


def body(passage: Passage) -> str:
    return f"{passage.header}\n{passage.text[passage.spans[0][0] : passage.spans[-1][1]]}"


def sentence_shares(
    index: Index, question: Question, passages: Sequence[Passage]
) -> dict[int, list[float]]:
    """For each passage with evidence, the share of the question's idf in each of its sentences."""
    asked = {w: index.idf(w) for w in set(index.words(question.text))}
    total = max(1e-6, sum(asked.values()))
    shares: dict[int, list[float]] = {}
    for n in {n for n, s in question.points if s != WHOLE}:
        text = passages[n].text
        held = [set(index.words(text[a:b])) for a, b in passages[n].spans]
        shares[n] = [sum(asked.get(w, 0.0) for w in words) / total for words in held]
    return shares


def main() -> None:
    ask = argparse.ArgumentParser(description="BM25 over the passages")
    ask.add_argument("--data", type=Path, required=True)
    given = ask.parse_args()
    with lzma.open(given.data / "texts.pkl.xz", "rb") as file:
        texts = Texts(file).load()
    out: dict[str, Any] = {}
    for name, held in texts.items():
        index = Index(name, [body(p) for p in held["passages"]])
        rows = []
        for number, question in enumerate(held["questions"]):
            if not question.read:
                continue
            best, scores = index.search(question.text)
            words = list(dict.fromkeys(index.words(question.text)))
            shown = [set(index.words(body(held["passages"][n]))) for n in best[:5]]
            rows.append({
                "number": number, "best": best, "scores": scores,
                "idf": [index.idf(w) for w in words],
                "known": [index.found.get(w, 0) for w in words],
                "covered": [[w in s for w in words] for s in shown],
                "sentences": sentence_shares(index, question, held["passages"]),
            })  # fmt: skip
        out[name] = {"passages": index.total, "rows": rows}
        print(name, len(rows), flush=True)
    (given.data / "words.pkl").write_bytes(pickle.dumps(out))


if __name__ == "__main__":
    main()
