"""Near questions: how many paraphrases are taken for the same, and how many look-alikes.

    python -m bench.near           the sets that may be looked at
    python -m bench.near --kept    paraphrases that nobody has looked at; only figures, and logged

reads ``tests/fixtures/near`` and ``bench/sets/pairs`` and prints, by what is different, how many
pairs the guard lets pass, how many the pair model takes for the same by itself, and how many are
served because both agree (``cache.similarity`` at its default). At the end stands what a pair
costs, in embeddings of a question. Exit code 1: a look-alike is served, of those that are asked of
one thing more than the bar, or fewer paraphrases of ``bench/sets`` than theirs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from bench import corpus
from bench.pair_sets import SETS, embedder, log, pair_model
from recollect.text import guard
from recollect.text.pairs import likeness

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "near"
SIMILARITY = 0.92
"""The default of ``cache.similarity``."""
BAR = 0.6
"""Of the paraphrases that were written before the model, so many are served."""
AMISS = 0.005
"""Of what else is asked of the same thing, so many at most."""


class QuestionPair(NamedTuple):
    set: str
    kind: str
    one: str
    other: str


class Tally(NamedTuple):
    pairs: int
    guard: int
    model: int
    served: int

    @property
    def share(self) -> float:
        return self.served / self.pairs


def fixtures(name: str) -> Iterator[QuestionPair]:
    for row in corpus.lines(FIXTURES / f"{name}.jsonl"):
        yield QuestionPair(name, row["kind"], row["a"], row["b"])


def lookalikes() -> Iterator[QuestionPair]:
    for row in corpus.lines(SETS / "pairs" / "lookalikes.jsonl"):
        yield QuestionPair("lookalikes", row["why"], row["a"], row["b"])


def paraphrases(folder: str) -> Iterator[QuestionPair]:
    for row in corpus.lines(SETS / folder / "questions.jsonl"):
        for kind, again in zip(("alike", "key words", "free"), row["again"], strict=True):
            yield QuestionPair(f"{folder} questions", kind, row["asked"], again)


def one_subject() -> Iterator[QuestionPair]:
    """What is asked of one thing: each question against the others, and against itself in other
    words."""
    for row in corpus.lines(FIXTURES / "one-subject.jsonl"):
        for mine, yours in combinations(row["asked"], 2):
            for one, other in product(mine, yours):
                yield QuestionPair("one subject, look-alikes", row["half"], one, other)
        for wordings in row["asked"]:
            for one, other in combinations(wordings, 2):
                yield QuestionPair("one subject, paraphrases", row["half"], one, other)


def judged(pair: QuestionPair) -> Tally:
    """One pair: whether the guard lets it pass, the model takes it for the same, both do."""
    judge = pair_model().judge
    passed = not guard.difference(pair.one, pair.other)
    alike = judge([(pair.one, pair.other)])[0].same >= 0.5
    served = likeness(pair.one, pair.other, judge)[0] >= SIMILARITY
    return Tally(1, passed, alike, served)


def _sum(some: Sequence[Tally]) -> Tally:
    return Tally(*map(sum, zip(*some, strict=True)))


def _timed(work: Callable[[], object], times: int = 20) -> float:
    work()
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def cost() -> float:
    """How many embeddings of a question a pair of questions costs, states not known."""
    model = pair_model()
    asked = [f"Which port does the staging server {n} listen on?" for n in range(100)]
    pairs = iter(zip(asked[::2], asked[1::2], strict=True))
    pair = _timed(lambda: model.judge([next(pairs)]))
    return pair / _timed(lambda: embedder().embed_query(asked[0]))


def main(arguments: Sequence[str]) -> int:
    ask = argparse.ArgumentParser(prog="python -m bench.near", description=__doc__)
    ask.add_argument("--kept", action="store_true", help="read the paraphrases nobody looks at")
    kept = ask.parse_args(arguments).kept
    alike = [*fixtures("confusable"), *lookalikes(), *one_subject()]
    known = [*fixtures("paraphrase"), *paraphrases("pairs")]
    groups: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for pair in paraphrases("pairs-kept") if kept else [*alike, *known]:
        told = judged(pair)
        groups[pair.set, pair.kind].append(told)
        groups[pair.set, "all"].append(told)
    print("| set | what is different | pairs | guard passes | model: same | served |")
    print("|---|---|---|---|---|---|")
    found = {key: _sum(some) for key, some in sorted(groups.items())}
    for (name, kind), tally in found.items():
        print(f"| {name} | {kind} | " + " | ".join(map(str, tally)) + " |")
    if kept:
        log("near", {f"{name}, {kind}": tally._asdict() for (name, kind), tally in found.items()})
        return found["pairs-kept questions", "all"].share < BAR
    print(f"\na pair costs {cost():.2f} embeddings of a question")
    wrong = found["confusable", "all"].served + found["lookalikes", "all"].served
    amiss = found["one subject, look-alikes", "all"].share > AMISS
    return bool(wrong) or amiss or found["pairs questions", "all"].share < BAR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
