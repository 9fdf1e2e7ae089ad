"""What may be trained on, and the check that nothing else was.

A question of an evaluation set belongs to the *fit* half when the SHA-1 of its id is even. Only
those may be used in training; :func:`allowed` compares normalised texts by hash, so that a test
question cannot come in by another door (a file of training questions, a second id).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.corpus import lines
from bench.quality import SETS, half

from recollect_evals import leaks


def fingerprint(question: str) -> str:
    """The same for a question however it is cased, spaced and punctuated."""
    return leaks.fingerprint(question).hex()


def fit_questions(folder: Path, name: str) -> list[dict[str, Any]]:
    return [q for q in lines(folder / SETS[name][1]) if half(q) == "fit"]


def test_fingerprints(folder: Path) -> set[str]:
    found = set()
    for _documents, questions in SETS.values():
        found |= {fingerprint(q["query"]) for q in lines(folder / questions) if half(q) == "test"}
    return found


def allowed(folder: Path, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are not, under another id, questions of the test half."""
    known = test_fingerprints(folder)
    return [q for q in questions if fingerprint(q["query"]) not in known]
