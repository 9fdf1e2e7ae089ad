"""Fits the sentence model: ``python -m training.worth``.

Reads ``training/worth.jsonl.xz`` (one annotated text a line), renders each text as people and
agents write it down, encodes it as the product does, and fits logistic heads by Newton's method:
over sentence vectors and surface features, and over surface features alone; a pair of them for what
assistants say in sessions, and one for everything else. Thresholds are those at which texts left
out (ten folds) reach :data:`PRECISION`; the heads for assistants are moved so that theirs is the
same.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np

from recollect.models.catalog import EMBED
from recollect.models.files import ModelFolder
from recollect.models.onnx import OnnxEmbedder
from recollect.models.worth import numbers
from recollect.ports import PassageSentences, SpokenSentence

HERE = Path(__file__).parent
OUT = HERE.parent / "src/recollect/weights/worth/head.npz"
KINDS = ("fact", "decision", "preference", "entity", "relation", "open_question", "task")
PRECISION = {"": 0.89, "assistant_": 0.77}
"""By whose sentences. What assistants say was judged by one reader each; two others who read what
is kept of sessions that were left out find more of it worth keeping."""
FOLDS, RIDGE, WINDOW = 10, 2.0, 1_200
TURN = "turn"
"""The form of a passage of a real session, some of whose sentences are annotated."""
VECTORS, SURFACE = 4.0, 0.3
"""What unit vectors and standardised features are multiplied with before the ridge."""


def texts(path: Path) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def passages(text: dict[str, Any]) -> list[PassageSentences]:
    """The annotated sentences in passages of about the size that the product makes."""
    if text["form"] == TURN:
        marks = ((one["start"], one["end"], one["speaker"]) for one in text["sentences"])
        return [PassageSentences(text["passage"], tuple(SpokenSentence(*mark) for mark in marks))]
    found: list[PassageSentences] = []
    said, marks, speaker = "", [], None
    for one in text["sentences"]:
        if len(said) + len(one["text"]) > WINDOW and marks:
            found.append(PassageSentences(said, tuple(marks)))
            said, marks, speaker = "", [], None
        said += _between(text["form"], one["speaker"], speaker, bool(said))
        start = len(said)
        said += one["text"]
        marks.append(SpokenSentence(start, len(said), one["speaker"]))
        speaker = one["speaker"]
    return [*found, PassageSentences(said, tuple(marks))]


def _between(form: str, speaker: str, before: str | None, begun: bool) -> str:
    if speaker and speaker != before:
        names = {"user": "_**User**_\n\n", "assistant": "_**Agent**_\n\n"}
        return "\n\n" * begun + names.get(speaker, f"{speaker}: ")
    lines = form in ("notes", "readme", "runbook", "ticket")
    return ("\n- " if lines else " ") if begun else "- " if lines else ""


def logistic(rows: Any, wanted: Any, ridge: float = RIDGE) -> Any:
    """Weights and, last, the offset of a logistic regression, by Newton's method."""
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    held = np.full(rows.shape[1], ridge)
    held[-1] = 1e-6
    weights = np.zeros(rows.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (p - wanted) + held * weights
        curve = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(held + 1e-9)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def probability(rows: Any, weights: Any) -> Any:
    return 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))


def left_out(rows: Any, wanted: Any, groups: Any) -> Any:
    """Of each row the probability that a fit without its group gives."""
    found = np.zeros(len(rows))
    for group in sorted(set(groups)):
        out = groups == group
        found[out] = probability(rows[out], logistic(rows[~out], wanted[~out]))
    return found


def threshold(wanted: Any, p: Any, precision: float) -> tuple[float, float]:
    """The lowest probability from which on the precision holds, and the recall there."""
    order = np.argsort(-p)
    right = np.cumsum(wanted[order])
    holds = np.flatnonzero(right / np.arange(1, len(order) + 1) >= precision)
    last = holds[-1] if len(holds) else 0
    return float(p[order][last]), float(right[last] / wanted.sum())


def main() -> None:
    embedder = OnnxEmbedder(EMBED, ModelFolder(Path("/nowhere")).locate(EMBED))
    given = texts(HERE / "worth.jsonl.xz")
    flat = [passage for text in given for passage in passages(text)]
    fit(given, np.vstack(embedder.embed_sentences(flat)), numbers(flat))


def fit(given: list[dict[str, Any]], vectors: Any, surface: Any) -> None:
    """Fits the heads to the numbers of every sentence, and writes them."""
    said = [one for text in given for one in text["sentences"]]
    forms = np.array([text["form"] for text in given for _ in text["sentences"]])
    told = np.array([one["speaker"] == "assistant" for one in said])
    of_sessions = (forms == TURN) | (forms == "agent-session")
    made: dict[str, Any] = {"kinds": np.array(KINDS), "encoder": np.array(EMBED.key)}
    level: dict[str, float] = {}
    for who, some in (("", ~(told & (forms == TURN))), ("assistant_", told & of_sessions)):
        # sentences by themselves were chosen to look alike, and not those of sessions
        counts = (forms == TURN) if who else (forms != "sentence") & (forms != TURN)
        made |= _fitted(who, given, (vectors[some], surface[some]), some, counts[some], level)
    np.savez_compressed(OUT, **made)
    print(OUT, OUT.stat().st_size)


def _fitted(
    who: str,
    given: list[dict[str, Any]],
    rows: Any,
    some: Any,
    counts: Any,
    level: dict[str, float],
) -> dict[str, Any]:
    """The heads for *some* of the sentences, whose thresholds hold where it *counts*."""
    said = [one for text in given for one in text["sentences"]]
    said = [one for one, here in zip(said, some, strict=True) if here]
    # what is of one session is left out together
    of = ((text.get("session", n), text) for n, text in enumerate(given))
    where = np.array([group for group, text in of for _ in text["sentences"]])[some]
    forms = np.array([text["form"] for text in given for _ in text["sentences"]])[some]
    keep = np.array([one["keep"] for one in said], float)
    kinds = np.array([one["kind"] for one in said])[keep > 0]
    vectors, surface = rows
    mean, spread = surface.mean(axis=0), surface.std(axis=0) + 1e-6
    plain = (surface - mean) / spread * SURFACE
    made: dict[str, Any] = {}
    for name, numbers_ in (("full", np.hstack([vectors * VECTORS, plain])), ("plain", plain)):
        p = left_out(numbers_, keep, where % FOLDS)
        cutoff, recall = threshold(keep[counts], p[counts], PRECISION[who])
        print(f"{who}{name}: recall {recall:.2f} at {PRECISION[who]}, p >= {cutoff:.2f}")
        by_form = p if who else left_out(numbers_, keep, forms)  # assistants say no more elsewhere
        for form in sorted(set(forms)):
            here = (forms == form) & (by_form >= cutoff)
            found = keep[here].sum() / max(1, keep[forms == form].sum())
            right = keep[here].sum() / max(1, here.sum())
            print(f"  {form}: {here.sum()}, precision {right:.2f}, recall {found:.2f}")
        of_kind = (logistic(numbers_[keep > 0], (kinds == kind).astype(float)) for kind in KINDS)
        heads = np.array([logistic(numbers_, keep), *of_kind]).T
        heads[-1, 0] += level.setdefault(name, _odds(cutoff)) - _odds(cutoff)
        folded = _folded(heads, mean, spread, numbers_.shape[1] - len(mean))
        made |= {f"{who}{name}_{part}": array for part, array in folded.items()}
        made[f"{who}{name}_threshold"] = np.array(1 / (1 + np.exp(-level[name])), np.float32)
    return made


def _odds(p: float) -> float:
    return float(np.log(p / (1 - p)))


def _folded(heads: Any, mean: Any, spread: Any, vectors: int) -> dict[str, Any]:
    """The weights for raw numbers: what they were multiplied with is folded in."""
    weights, offsets = heads[:-1].copy(), heads[-1].copy()
    weights[:vectors] *= VECTORS
    weights[vectors:] *= (SURFACE / spread)[:, None]
    offsets -= mean @ weights[vectors:]
    return {"weights": weights.astype(np.float16), "offsets": offsets.astype(np.float32)}


if __name__ == "__main__":
    main()
