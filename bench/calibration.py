"""What `recollect models calibrate` is worth: the grade with another embedder, before and after.

    python -m bench.calibration [--model arctic-embed-s] [--sets NAME…] [--half test]

Each question is asked of a store that the model has embedded: with its cosines left out of the
grade (uncalibrated, as it is until somebody calibrates), with its cosines as they are (which the
product never does), and with them on the scale that was found on the store without a label.
``NAME!`` are the English XQuAD questions over the documents of that set: none of them has an
answer there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from bench import corpus
from bench.quality import store_for
from bench.reading import WORK, Row, _row, answered, ask, calibration_error, chosen, questions
from recollect import Memory
from recollect.memory.core import Core, parts_of
from recollect.memory.models import shipped
from recollect.models.calibrate import embedder_scale, sample
from recollect.nouns import Policy, Scale
from recollect.reading.pool import Models
from recollect_evals.metrics import aurc

SETS = ("notes", "personas", "xquad-en", "scifact", "notes!", "scifact!")
NO_ANSWER = "!"
MOST = 100
"""Questions of a set without answers."""


class Ways(Core):
    """A core whose embedder is on a scale that is told, or on none."""

    told: Scale | None = None

    def models(self, policy: Policy) -> Models:
        return super().models(policy)._replace(cosines=self.told)


def measured(name: str, model: str, half: str, most: int | None) -> Mapping[str, list[Row]]:
    folder = corpus.data_folder()
    assert folder is not None
    home = name.removesuffix(NO_ANSWER)
    with store_for(WORK, folder, home, model) as plain:
        place = plain.store.stats().location
    made: dict[str, list[Row]] = {"uncalibrated": [], "as they are": [], "calibrated": []}
    with Memory.open(place, embed_model=model) as memory:
        memory.close()
        ways = memory.core = Ways(**parts_of(memory.config, memory.core.view))
        assert memory.core.embedder is not None
        known = shipped(memory.config)
        pairs = sample(memory.store, 100)
        found = embedder_scale(pairs, known, memory.core.embedder, 100, lambda *_: None)
        print(f"<!-- {name}: {found.as_json()} -->", flush=True)
        scales = {
            "uncalibrated": None, "as they are": Scale(),
            "calibrated": Scale(found.slope, found.offset),
        }  # fmt: skip
        if name.endswith(NO_ANSWER):
            asked: Sequence[dict[str, Any]] = [
                {**q, "gold": []} for q in questions(folder, "xquad-en", most or MOST)
            ]
        else:
            asked = chosen(home, half, None, (0, 1))[:most]
        for question in asked:
            for way, scale in scales.items():
                ways.told = scale
                made[way].append(_row(name, question, ask(memory, question, {})))
    return made


def main(arguments: Sequence[str]) -> int:
    ask_for = argparse.ArgumentParser(prog="python -m bench.calibration")
    ask_for.add_argument("--model", default="arctic-embed-s")
    ask_for.add_argument("--sets", nargs="+", default=list(SETS))
    ask_for.add_argument("--half", default="test", choices=("fit", "test"))
    ask_for.add_argument("--most", type=int, help="questions of a set")
    given = ask_for.parse_args(arguments)
    if corpus.data_folder() is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    every: dict[str, list[tuple[float, bool, float]]] = {}
    print("| set | cosines | questions | calibration error | AURC | answered | direct |")
    print("|---|---|---|---|---|---|---|")
    for name in given.sets:
        for way, rows in measured(name, given.model, given.half, given.most).items():
            pairs = [(row.confidence, answered(row)) for row in rows]
            every.setdefault(way, []).extend((p, y, 1 / len(pairs)) for p, y in pairs)
            right = sum(y for _, y in pairs) / len(pairs)
            direct = sum(row.status == "direct_passages" for row in rows) / len(rows)
            print(f"| {name} | {way} | {len(pairs)} | {calibration_error(pairs):.3f} | "
                  f"{aurc(pairs):.3f} | {right:.3f} | {direct:.3f} |", flush=True)  # fmt: skip
    for way, some in every.items():
        print(f"| all, each set the same | {way} | {len(some)} | {_weighted(some):.3f} | | | |")
    return 0


def _weighted(some: Sequence[tuple[float, bool, float]], bins: int = 10) -> float:
    """The calibration error where questions count as they weigh."""
    total = 0.0
    for low in range(bins):
        here = [(p, y, w) for p, y, w in some if low <= min(p * bins, bins - 1e-9) < low + 1]
        total += abs(sum(w * (p - y) for p, y, w in here))
    return total / sum(w for _, _, w in some)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
