"""Statements that change others: how often the pair model and the guard tell so.

    python -m bench.conflicts [--wrong]    the sets that may be looked at
    python -m bench.conflicts --kept       statements nobody has looked at; only figures, logged

runs :func:`recollect.text.pairs.relation` over the statements of ``bench/sets/pairs``, the notes of
``bench/sets/changed-values`` and the public supersession sets, and prints, by half of the data, how
many of the changes that it tells are ones (precision), how many of those that there are it tells
(recall), and how many of all pairs it gets right (accuracy). ``--wrong`` also prints the wrong ones
of the fit half; those of the test half are not looked at. Exit code 1: the statements written
before the model miss the bars.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from bench import corpus
from bench.pair_sets import SETS as OWN
from bench.pair_sets import log, pair_model
from bench.quality import half
from recollect.text.pairs import relation

PAIRS = ("supersession_positives_expanded", "supersession_negatives_expanded",
         "false_contradiction_pairs")  # fmt: skip
BARS = 0.95, 0.75
"""Precision and recall of the statements that were written before the model."""
SETS = {
    "statements": "written before the model was made",
    "changed values": "sentences of dated notes that share no words",
    "pairs": "two statements of a person",
    "scenarios": "what a person says over the years",
    "scenarios, once": "each of them once, and none that the other half has too",
    "topics, one key": "notes of organisations, kept under the same name",
    "topics, no key": "the same notes, without their names",
    "hard negatives": "policies, corrections and incidents against the notes",
    "other topics": "the notes of one organisation against each other",
}


class Case(NamedTuple):
    """Two statements, and whether the later one takes the place of the earlier."""

    set: str
    half: str
    old: str
    new: str
    supersedes: bool
    same_key: bool = False


def statements(folder: str) -> Iterator[Case]:
    for row in corpus.lines(OWN / folder / "statements.jsonl"):
        old, new = (row["b"], row["a"]) if row.get("later") == "a" else (row["a"], row["b"])
        yield Case("statements", "fit", old, new, row["label"] == "changed")


def changed_values(folder: str) -> Iterator[Case]:
    """What was replaced against what replaced it; and what is said of other things in pairs."""
    other: dict[str, list[str]] = {}
    told: set[tuple[str, str]] = set()
    for row in corpus.lines(OWN / folder / "queries.jsonl"):
        said = next((one["quote"] for one in row["evidence"] if "quote" in one), "")
        earlier = [old["quote"] for old in row.get("superseded", ()) if "quote" in old]
        if not said:  # a turn of a talk is named by its number
            continue
        told |= {(old, said) for old in earlier}
        if row["category"] == "other" and said not in other.setdefault(row["pair"], []):
            other[row["pair"]].append(said)
    for old, new in sorted(told):
        yield Case("changed values", "fit", old, new, True)
    for some in other.values():
        for old, new in combinations(some, 2):
            yield Case("changed values", "fit", old, new, False)


def pairs(folder: Path) -> Iterator[Case]:
    for name in PAIRS:
        for row in corpus.lines(folder / f"beliefs-{name}.jsonl"):
            yield Case("pairs", half(row), row["p1"], row["p2"], row["expected"] == "CONTRADICT")


def scenarios(folder: Path) -> Iterator[Case]:
    """Each statement against the earlier ones. Where something is superseded, only that and what
    holds now are labelled; where nothing is, every pair is."""
    for row in corpus.lines(folder / "beliefs-v05_combined_300.jsonl"):
        asked = row["questions"][0]
        current = asked.get("expected_current_contains") or []
        superseded = asked.get("expected_superseded_contains") or []
        for old, new in combinations([p["text"] for p in row["propositions"]], 2):
            if not superseded or (_any(superseded, old) and _any(current, new)):
                yield Case("scenarios", half(row), old, new, bool(superseded))


def once(cases: Sequence[Case]) -> Iterator[Case]:
    """The scenarios repeat some statements, in both halves."""
    halves: dict[Case, set[str]] = {}
    for case in cases:
        halves.setdefault(case._replace(half="", set="scenarios, once"), set()).add(case.half)
    for case, within in halves.items():
        if len(within) == 1:
            yield case._replace(half=next(iter(within)))


def _any(parts: Sequence[str], text: str) -> bool:
    return any(part.lower() in text.lower() for part in parts)


def topics(folder: Path) -> Iterator[Case]:
    for name in ("topics-dev.json", "topics-test.json"):
        data = json.loads((folder / name).read_text(encoding="utf-8"))
        for topic in data["topics"]:
            said = {statement["role"]: statement["text"] for statement in topic["statements"]}
            for old, new in (("f1", "f2"), ("f2", "f3"), ("f1", "d")):
                if new in said:
                    case = Case("topics, no key", half(topic), said[old], said[new], new != "d")
                    yield case
                    yield case._replace(set="topics, one key", same_key=True)
        yield from _against(data, data["hard_negatives"], "hard negatives")
        yield from _against(data, data["topics"], "other topics")


def _against(data: dict[str, Any], others: Sequence[dict[str, Any]], name: str) -> Iterator[Case]:
    """Every note of a topic against what the same organisation says of something else."""
    for other in others:
        for topic in data["topics"]:
            same = topic["org"] == other["org"] and half(topic) == half(other)
            if not same or topic["id"] == other["id"]:
                continue
            for new in other.get("statements", [other]):
                for old in topic["statements"]:
                    yield Case(name, half(topic), old["text"], new["text"], False)


class Figures(NamedTuple):
    pairs: int
    supersessions: int
    proposed: int
    precision: float | None
    recall: float | None
    accuracy: float


def figures(told: Sequence[tuple[Case, bool]]) -> Figures:
    there = sum(case.supersedes for case, _ in told)
    proposed = sum(said for _, said in told)
    right = sum(case.supersedes and said for case, said in told)
    agreed = sum(case.supersedes == said for case, said in told)
    return Figures(
        len(told), there, proposed,
        right / proposed if proposed and there else None,
        right / there if there else None,
        agreed / len(told),
    )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    ask = argparse.ArgumentParser(prog="python -m bench.conflicts")
    ask.add_argument("--wrong", action="store_true", help="print the wrong ones of the fit half")
    ask.add_argument("--kept", action="store_true", help="read the statements nobody looks at")
    given = ask.parse_args(arguments)
    cases = kept() if given.kept else looked_at()
    told: dict[tuple[str, str], list[tuple[Case, bool]]] = {}
    for case in cases:
        found = relation(case.old, case.new, pair_model().judge, same_name=case.same_key)
        said = found.kind == "changed"
        told.setdefault((case.set, case.half), []).append((case, said))
        if given.wrong and not given.kept and case.half == "fit" and said != case.supersedes:
            print(f"<!-- {case.set}: {case.old!r} / {case.new!r}: {found.why} -->")
    print("| set | half | " + " | ".join(Figures._fields) + " |")
    print("|---|---|" + "---|" * len(Figures._fields))
    made = {key: figures(some) for key, some in told.items()}
    for (name, part), row in made.items():
        print(f"| {name} | {part} | " + " | ".join(map(_shown, row)) + " |")
    if given.kept:
        log("conflicts", {name: row._asdict() for (name, _), row in made.items()})
    found_of = made["statements", "fit"]
    return not ((found_of.precision or 0) >= BARS[0] and (found_of.recall or 0) >= BARS[1])


def kept() -> list[Case]:
    return [*statements("pairs-kept"), *changed_values("changed-values-kept")]


def looked_at() -> list[Case]:
    own = [*statements("pairs"), *changed_values("changed-values")]
    data = corpus.data_folder()
    if data is None:
        print("<!-- without the public sets: they need the data folder (RECOLLECT_DATA) -->")
        return own
    folder = data / "supersession"
    said_over_years = list(scenarios(folder))
    public = [*pairs(folder), *said_over_years, *once(said_over_years)]
    return [*own, *public, *topics(folder)]


def _shown(figure: float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:.3f}" if isinstance(figure, float) else str(figure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
