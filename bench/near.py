"""Near questions: how many paraphrases the guard takes for the same, and how many look-alikes.

    python -m bench.near

reads ``tests/fixtures/near`` and prints, by what is different, how many pairs are taken for the
same (``same``) and how many of those are near enough besides to be served (``served``: the words
overlap, or the embedder that ships says so). The last column is the share of all pairs whose
cosine is above the threshold: what meaning alone would take for the same.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from recollect import config
from recollect.memory.models import embedder_for, model_or_why
from recollect.text.questions.near import OVERLAP, SIMILARITY, compare, read

PAIRS = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "near"


class Pair(NamedTuple):
    kind: str
    half: str
    same: bool
    served: bool
    alike: bool


def pairs(name: str) -> list[Pair]:
    embedder, why = model_or_why(embedder_for(config.load()))
    if embedder is None:
        sys.exit(why)
    made = []
    for line in (PAIRS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        verdict = compare(read(row["a"]), read(row["b"]))
        cosine = float(embedder.embed_query(row["a"]) @ embedder.embed_query(row["b"]))
        near = verdict.overlap >= OVERLAP or cosine >= SIMILARITY
        same = verdict.same
        made.append(Pair(row["kind"], row["half"], same, same and near, cosine >= SIMILARITY))
    return made


def main() -> int:
    print("| pairs | what is different | half | pairs | same | served | by meaning alone |")
    print("|---|---|---|---|---|---|---|")
    for name in ("confusable", "paraphrase"):
        groups: dict[tuple[str, str], list[Pair]] = defaultdict(list)
        for pair in pairs(name):
            for kind in (pair.kind, "all"):
                for half in (pair.half, "both"):
                    groups[kind, half].append(pair)
        for (kind, half), some in sorted(groups.items()):
            same, served = sum(p.same for p in some), sum(p.served for p in some)
            counts = (len(some), same, served, sum(p.alike for p in some))
            print(f"| {name} | {kind} | {half} | " + " | ".join(map(str, counts)) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
