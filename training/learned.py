"""``evals/src/recollect_evals/learned.bin``: hashes of every question that something that ships was
fitted on.

    python -m training.learned

The models learned from the fit halves and 2wiki's training questions (``training.asked``), the
grade from fit questions and items (``training.grade``). All of the fit halves is taken, so that
nothing that was chosen on them is ever asked as a test.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.corpus import data_folder, lines
from bench.quality import SETS, half
from bench.reading import ALL, ITEMS, questions

from recollect_evals.leaks import LEARNED, packed
from training.halves import allowed, fit_questions


def learned(folder: Path) -> bytes:
    every = [question for name in SETS for question in fit_questions(folder, name)]
    every += lines(folder / "2wiki" / "train-queries.jsonl.xz")
    for name in ALL:
        if name.endswith(ITEMS):
            every += [q for q in questions(folder, name) if half(q) == "fit"]
    return packed({question["query"] for question in allowed(folder, every)})


def main() -> int:
    folder = data_folder()
    if folder is None:
        sys.exit("the data folder is needed (RECOLLECT_DATA)")
    content = learned(folder)
    LEARNED.write_bytes(content)
    print(f"{len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
