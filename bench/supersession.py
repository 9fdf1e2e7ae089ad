"""Changed values through a whole curation: each statement is curated as a note, and the later one
takes the place of the earlier, or does not.

    python -m bench.supersession

prints by set and half how many of the changes were found, and how many pairs that are none were
taken for one, with the models that ship; the store is in memory.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from bench import asked, corpus
from bench.conflicts import Case, once, pairs, scenarios, topics
from bench.pair_sets import embedder
from recollect import Memory, config
from recollect.storage import open_store

MOST = 60
"""Pairs of the large negative sets, by a fixed draw."""


def decided(case: Case) -> str:
    """What a curation makes of the later statement."""
    name = {"subject": "Kestrel policy"} if case.same_key else {}
    with Memory(open_store("memory://"), config.load(), embedder()) as memory:
        kinds: list[str] = []
        for text, date in ((case.old, "2026-01-01"), (case.new, "2026-02-01")):
            facts = [{"text": text, **name}] if name else None
            done = memory.curate(text, date=date, speaker="user", note=True, facts=facts)
            kinds = [item.kind for item in done.items]
    for kind in ("supersedes", "contradicts"):
        if kind in kinds:
            return kind
    return kinds[0] if kinds else "nothing"


def main() -> int:
    data = corpus.data_folder()
    if data is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    folder = data / "supersession"
    by_set: dict[tuple[str, str, bool], list[Case]] = {}
    for case in (*pairs(folder), *once(list(scenarios(folder))), *topics(folder)):
        by_set.setdefault((case.set, case.half, case.supersedes), []).append(case)
    print("| set | half | pairs | changes | found | decisions |")
    print("|---|---|---|---|---|---|")
    for (name, half, changes), cases in sorted(by_set.items()):
        some = random.Random(3).sample(cases, min(MOST, len(cases)))
        told = Counter(map(decided, some))
        share = told["supersedes"] / len(some)
        said = ", ".join(f"{kind} {count}" for kind, count in told.most_common())
        row = (name, half, str(len(some)), "yes" if changes else "no", f"{share:.3f}", said)
        print(f"| {' | '.join(row)} |", flush=True)
    return 0


if __name__ == "__main__":
    asked.words("supersession", __doc__)
    sys.exit(main())
