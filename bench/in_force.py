"""Changed values: whether what holds now is told first, and what held before is named.

    python -m bench.in_force           the set that may be looked at (bench/sets/changed-values)
    python -m bench.in_force --homes   by another hand, and may be looked at; so may --teams,
                                       --mixed (notes, facts and talks of one person) and
                                       --passing (minutes and logs of a year, in which values
                                       change in passing)
    python -m bench.in_force --kept    the other half, which nobody looks at; only figures
    python -m bench.in_force --fresh   one by a third hand, which nobody looks at either; so are
                                       --fresh-mixed and --passing-kept

``in force first``: the later note of a pair is the first result. ``hidden``: answers that show the
earlier one and not the later. ``earlier named``: of the answers
that have the later one, those that have the earlier one as well: shown, named, or told as replaced.
``taken for a change``: answers that tell something as replaced that is no pair. Exit code 1: one of
them misses its bar.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench.unseen import own
from bench.unseen.own import Asked, mean

SET = "changed-values"
OTHERS = ("homes", "teams", "mixed", "kept", "fresh", "fresh-mixed", "passing", "passing-kept")
CATEGORIES = ("older", "newer", "both", "neither", "other")
BARS = (("in force first", 0.90), ("earlier named", 0.95), ("taken for a change", 0.02))


def _older(one: Asked) -> set[str]:
    return {entry["document"] for entry in one.record.get("superseded", ())}


def _first(one: Asked) -> bool | None:
    return one.row.first if _older(one) else None


def _named(one: Asked) -> bool | None:
    results = one.answer.results
    told = {result.document for result in results}
    if not _older(one) or not told & set(one.question.gold):
        return None
    told |= {each.document for each in one.answer.named}
    told |= {each.document for result in results for each in result.earlier}
    return bool(told & _older(one))


def _hidden(one: Asked) -> bool | None:
    if not _older(one):
        return None
    shown = {result.document for result in one.answer.results}
    return bool(shown & _older(one)) and not shown & set(one.question.gold)


def _wrong(one: Asked) -> bool:
    right = {*one.question.gold, *_older(one)}
    return any(
        {result.document, *(each.document for each in result.earlier)} - right
        for result in one.answer.results
        if result.earlier
    )


def figures(some: Sequence[Asked]) -> tuple[float, ...]:
    """Returns the measures: those with a bar, and how often the later one is hidden."""
    return tuple(mean(map(each, some)) for each in (_first, _named, _wrong, _hidden))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.in_force", description=__doc__)
    for other in OTHERS:
        parser.add_argument(f"--{other}", dest="name", action="store_const", const=f"{SET}-{other}")
    parser.set_defaults(name=SET)
    name = parser.parse_args().name
    path = own.SETS / name
    every = own.ask(own.suite(path), path, name, "default")
    groups = {each: [one for one in every if one.question.category == each] for each in CATEGORIES}
    groups["all"] = every
    lines = [(each, len(some), *figures(some)) for each, some in groups.items() if some]
    bars = (bar for bar, _ in BARS)
    print(own.table(("asked in the words of", "questions", *bars, "hidden"), lines))
    first, named, wrong, _ = figures(every)
    return not (first >= BARS[0][1] and named >= BARS[1][1] and wrong <= BARS[2][1])


if __name__ == "__main__":
    sys.exit(main())
