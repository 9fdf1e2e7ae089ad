"""Fits the score of phrases that name what a sentence is about: ``python -m training.subjects``.

Prints the table for ``writing/curation/subjects.py``, and on a fifth of the texts, left out, how
often the phrase shares its words with the subject that a person gave.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from recollect.text.stopwords import stopwords
from recollect.text.terms import stems
from recollect.writing.curation.subjects import WEIGHTS, phrases
from training.worth import logistic, texts


def alike(one: str, other: str) -> float:
    """The F1 of the words of two phrases."""
    a, b = stems(one) - stopwords(), stems(other) - stopwords()
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def main() -> None:
    rows, wanted, groups, said, scores = [], [], [], [], []
    given = texts(Path(__file__).parent / "worth.jsonl.xz")
    kept = [(n, one) for n, text in enumerate(given) for one in text["sentences"] if one["keep"]]
    for number, (text, one) in enumerate(kept):
        for phrase in phrases(one["text"]):
            rows.append(phrase.numbers)
            score = alike(phrase.text, one["subject"])
            wanted.append(score >= 0.6)
            scores.append(score)
            groups.append(text)
            said.append(number)
    x, y, g, s, f = map(np.array, (rows, np.array(wanted, float), groups, said, scores))
    out = g % 5 == 0
    weights = logistic(x[~out], y[~out], 1.0)
    p = x @ weights[:-1]
    best = [np.flatnonzero(s == n)[np.argmax(p[s == n])] for n in sorted(set(s[out]))]
    print(
        f"texts left out: F1 of the words {f[best].mean():.2f}, alike {(f[best] >= 0.6).mean():.2f}"
    )
    weights = logistic(x, y, 1.0)
    print({name: round(float(w), 2) for name, w in zip(WEIGHTS, weights[:-1], strict=True)})


if __name__ == "__main__":
    main()
