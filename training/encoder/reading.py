"""Judges rankings: documents and evidence found, by words, by vectors and by both.

    python -m training.encoder.reading --data DIR --hits HITS [MODEL …]

DIR has texts.pkl.xz and words.pkl, HITS what ``training.encoder.hits`` wrote. A ranking is of
passages; figures are nDCG@10 and all documents @10 over the documents in the order of their best
passage, and all evidence within ten passages. Domains count alike, and the sets within a domain.
"""

from __future__ import annotations

import argparse
import lzma
import math
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from training.encoder.pairs import Question
from training.encoder.sets import FOLDS, domain, fold_of
from training.encoder.words import Texts

RRF = 60
FACTOR = 4.5  # of the cosine in fused scores, as training.encoder.fusion found it
TEN = 10


class Figures(NamedTuple):
    ndcg: float
    documents: float
    evidence: float | None


class Judge:
    """The gold of one set."""

    def __init__(self, held: dict[str, Any]) -> None:
        self.of = [p.document for p in held["passages"]]
        numbers = {name: n for n, name in enumerate(held["documents"])}
        self.questions: list[Question] = [q for q in held["questions"] if q.read]
        self.gold = [{numbers[g] for g in q.gold if g in numbers} for q in self.questions]

    def __call__(self, row: int, ranking: Sequence[int]) -> Figures:
        """The figures of one question's ranking of passages."""
        documents = list(dict.fromkeys(self.of[n] for n in ranking))[:TEN]
        gold = self.gold[row]
        gain = sum(1 / math.log2(n + 2) for n, d in enumerate(documents) if d in gold)
        most = sum(1 / math.log2(n + 2) for n in range(min(TEN, len(gold))))
        ways = self.questions[row].ways
        shown = set(ranking[:TEN])
        evidence = None
        if ways:
            evidence = float(any(all(shown & set(u) for u in way) for way in ways))
        return Figures(gain / most, float(gold <= set(documents)), evidence)


def fused(lists: Iterable[tuple[float, Sequence[int]]]) -> list[int]:
    """Rankings joined by reciprocal ranks, each with its weight."""
    scores: dict[int, float] = {}
    for weight, ranking in lists:
        for rank, n in enumerate(ranking):
            scores[n] = scores.get(n, 0.0) + weight / (RRF + rank + 1)
    return sorted(scores, key=lambda n: -scores[n])


def by_scores(found: dict[str, Any], ranked: Any, scores: Any) -> tuple[Any, Any, Any]:
    """The passages that either arm found, with their share of the idf and their cosines; what
    only words found counts as far as the last that the vector found."""
    near = ranked.astype(np.int64)
    both = np.unique(np.concatenate([found["best"], near]))
    words, cosines = np.zeros(len(both)), np.full(len(both), float(scores[-1]))
    words[np.searchsorted(both, found["best"])] = found["scores"] / max(1e-6, sum(found["idf"]))
    cosines[np.searchsorted(both, near)] = scores
    return both, words, cosines


def mean(rows: Sequence[Figures]) -> Figures:
    shown = [r.evidence for r in rows if r.evidence is not None]
    return Figures(
        float(np.mean([r.ndcg for r in rows])), float(np.mean([r.documents for r in rows])),
        float(np.mean(shown)) if shown else None,
    )  # fmt: skip


def load(data: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with lzma.open(data / "texts.pkl.xz", "rb") as file:
        texts = Texts(file).load()
    return texts, pickle.loads((data / "words.pkl").read_bytes())


def hits_of(folder: Path, model: str) -> dict[str, Any]:
    """What a model found; of ``teacher`` the fold in which each set was left out."""
    exact = folder / f"{model}.pkl.xz"
    if exact.is_file():
        return dict(pickle.loads(lzma.decompress(exact.read_bytes())))
    found: dict[str, Any] = {}
    for fold in FOLDS:
        path = folder / f"{model}-{fold}.pkl.xz"
        if path.is_file():
            rows = pickle.loads(lzma.decompress(path.read_bytes()))
            found |= {name: row for name, row in rows.items() if fold_of(name) == fold}
    return found


def recipes(said: dict[str, Any], hits: dict[str, Any], row: int) -> dict[str, list[int]]:
    """The rankings that are compared, of one question; *said* is what words found."""
    words = said["best"].tolist()
    made: dict[str, list[int]] = {"words": words}
    for model, ways in hits.items():
        for way in ("vector", "mix"):
            if way not in ways:
                continue
            found = ways[way][0][row].tolist()
            name = model if way == "vector" else f"{model} {way}"
            made[name] = found
            if way in ("vector", "mix"):
                made[f"{name} 1:1"] = fused([(1, words), (1, found)])
                made[f"{name} 1:3"] = fused([(1, words), (3, found)])
                both, share, near = by_scores(said, ways[way][0][row], ways[way][1][row])
                order = np.argsort(-(share + FACTOR * near), kind="stable")
                made[f"{name} scores"] = both[order].tolist()
    return made


def figures(
    texts: dict[str, Any], words: dict[str, Any], hits: dict[str, dict[str, Any]],
    only: Any = None,
) -> dict[str, dict[str, Figures]]:  # fmt: skip
    """For each set and recipe the means over its questions (*only* may choose among them)."""
    out: dict[str, dict[str, Figures]] = {}
    for name, held in texts.items():
        here = {model: found[name] for model, found in hits.items() if name in found}
        judge = Judge(held)
        rows: dict[str, list[Figures]] = {}
        for row, found in enumerate(words[name]["rows"]):
            if only is not None and not only(name, judge.questions[row]):
                continue
            for recipe, ranking in recipes(found, here, row).items():
                rows.setdefault(recipe, []).append(judge(row, ranking))
        if rows:
            out[name] = {recipe: mean(many) for recipe, many in rows.items()}
    return out


def by_domain(table: dict[str, dict[str, Figures]], recipe: str, part: int) -> float:
    """The mean over domains of one figure."""
    held: dict[str, list[float]] = {}
    for name, row in table.items():
        if recipe in row and row[recipe][part] is not None:
            held.setdefault(domain(name), []).append(row[recipe][part])
    return float(np.mean([np.mean(v) for v in held.values()]))


def shown(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.3f}".removeprefix("0")


def markdown(table: dict[str, dict[str, Figures]], chosen: Sequence[str]) -> str:
    """A table with a row a set: nDCG@10, all documents @10, evidence in ten passages."""
    lines = ["| set | " + " | ".join(chosen) + " |", "|---" * (len(chosen) + 1) + "|"]
    for name, row in table.items():
        cells = [" ".join(shown(f) for f in row[c]) if c in row else "" for c in chosen]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    means = [" ".join(shown(by_domain(table, c, n)) for n in range(3)) for c in chosen]
    lines.append("| **mean of domains** | " + " | ".join(means) + " |")
    return "\n".join(lines)


OTHER_SCRIPTS = ("xquad-zh", "xquad-ru", "xquad-ar")
FACTORS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0, 14.0)


def _right(pieces: Sequence[Any], scores: Sequence[Any]) -> float:
    """How often the best sentence of a right passage is one that holds the evidence."""
    return float(np.mean([int(np.argmax(s)) in p[2] for p, s in zip(pieces, scores, strict=True)]))


def sentences(
    words: dict[str, Any], hits: dict[str, dict[str, Any]]
) -> dict[str, dict[str, float]]:
    """By set, how often the sentence that holds the evidence is found: by words, by each form of
    sentence vector, and by both, whose factor is the best one for the other domains."""
    out: dict[str, dict[str, float]] = {}
    both: dict[str, dict[str, list[float]]] = {}
    for model, found in hits.items():
        for name, held in found.items():
            pieces, rows = held.get("pieces"), words[name]["rows"]
            if not pieces:
                continue
            shares = [np.array(rows[row]["sentences"][p]) for row, p, _ in pieces]
            row = out.setdefault(name, {})
            row["words"] = _right(pieces, shares)
            for form, scores in held["scores"].items():
                row[f"{model} {form}"] = _right(pieces, scores)
                both.setdefault(f"words + {model} {form}", {})[name] = [
                    _right(pieces, [s + f * c for s, c in zip(shares, scores, strict=True)])
                    for f in FACTORS
                ]
    for recipe, rates in both.items():
        for name in rates:
            others = [
                r for n, r in rates.items()
                if domain(n) != domain(name) and n not in OTHER_SCRIPTS
            ]  # fmt: skip
            out[name][recipe] = rates[name][int(np.mean(others, 0).argmax())] if others else 0.0
    return out


def main() -> None:
    ask = argparse.ArgumentParser(description="tables of what was found")
    ask.add_argument("models", nargs="*", default=["shipped", "base", "teacher"])
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--hits", type=Path, required=True)
    given = ask.parse_args()
    texts, words = load(given.data)
    hits = {model: hits_of(given.hits, model) for model in given.models}
    table = figures(texts, words, hits)
    chosen = ["words"]
    for model in given.models:
        chosen += [model, f"{model} 1:1", f"{model} 1:3", f"{model} scores"]
    print(markdown(table, chosen), "\n")
    more = [f"{m} {w}" for m in given.models for w in ("mix", "mix scores")]
    more = [c for c in more if any(c in row for row in table.values())]
    if more:
        print(markdown(table, more), "\n")
    told = sentences(words, hits)
    forms = list(dict.fromkeys(f for row in told.values() for f in row))
    print("| sentence told | " + " | ".join(forms) + " |\n" + "|---" * (len(forms) + 1) + "|")
    for name, row in told.items():
        print(f"| {name} | " + " | ".join(shown(row.get(f)) for f in forms) + " |")
    latin = {name: row for name, row in told.items() if name not in OTHER_SCRIPTS}
    for called, kept in (("mean of sets", told), ("Latin script", latin)):
        means = [shown(float(np.mean([r[f] for r in kept.values() if f in r]))) for f in forms]
        print(f"| **{called}** | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
