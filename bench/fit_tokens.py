"""Fit the weights of ``recollect.text.tokens`` to a real byte-pair vocabulary.

    npm install gpt-tokenizer && python -m bench.fit_tokens

Prints the weights, and the error by kind of text on the half that was not fitted on.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench import asked
from bench.corpus import data_folder, lines
from recollect.text import tokens

COUNT = """
const o = require('gpt-tokenizer/encoding/o200k_base');
const texts = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(texts.map(t => o.encode(t, {disallowedSpecial: new Set()}).length)));
"""


def samples(folder: Path) -> Iterable[tuple[str, str]]:
    def some(kind: str, texts: Iterable[str], count: int = 250) -> Iterable[tuple[str, str]]:
        usable = [t[:2000] for t in texts if len(t) > 40]
        random.Random(3).shuffle(usable)
        return ((kind, t) for t in usable[:count])

    for kind in ("notes", "scifact", "2wiki"):
        yield from some(kind, (d["text"] for d in lines(folder / kind / "docs.jsonl.xz")))
    sessions = lines(folder / "longmemeval" / "sessions.jsonl.xz")
    yield from some("chat", (t["text"] for s in sessions for t in s["turns"]))
    for language in ("de", "es", "zh", "ru", "ar"):
        path = folder / "xquad" / f"{language}.docs.jsonl.xz"
        yield from some(language, (d["text"] for d in lines(path)))
    for kind, name in (("vault", "til-notes"), ("agent", "agent-sessions")):
        with tarfile.open(folder / f"{name}.tar.xz") as archive:
            files = [archive.extractfile(m) for m in archive if m.isfile()]
            texts = [f.read().decode("utf-8", "ignore") for f in files if f]
        yield from some(kind, (t[i : i + 1500] for t in texts for i in range(0, 12_000, 4000)))
    library = sorted(Path(json.__file__).parents[1].glob("*.py"))[:150]
    yield from some("code", (p.read_text(encoding="utf-8")[3000:4500] for p in library))


def features(text: str) -> list[float]:
    raw = text.encode()
    counted = tokens.kinds(raw)
    return [len(raw.split()), *(counted.count(kind) for kind in tokens.PER_BYTE)]


def main() -> None:
    folder = data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    found = list(samples(folder))
    told = subprocess.run(
        ["node", "-e", COUNT], input=json.dumps([t for _, t in found]), text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    real = np.array(json.loads(told.stdout), float)
    table = np.array([features(t) for _, t in found], float)
    fit = np.arange(len(real)) % 2 == 0
    weights, *_ = np.linalg.lstsq(table[fit] / real[fit, None], np.ones(fit.sum()), rcond=None)
    print("weights", weights.round(4).tolist())
    kinds = np.array([kind for kind, _ in found])
    shipped = np.array([tokens.count_tokens(t) for _, t in found], float)
    for kind in dict.fromkeys(kinds):
        rest = (kinds == kind) & ~fit
        print(
            f"{kind:8} total {shipped[rest].sum() / real[rest].sum() - 1:+.3f}  "
            f"each {np.abs(shipped[rest] / real[rest] - 1).mean():.3f}"
        )


if __name__ == "__main__":
    asked.words("fit_tokens", __doc__)
    main()
