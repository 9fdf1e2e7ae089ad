"""Questions of time over sessions and notes: which route is taken, and what comes first.

    python -m bench.time_questions [--kept] [--each]

``bench/sets/time-questions``, 60 questions of eight kinds; ``--kept`` asks the 60 that are kept
apart instead, and is for a decision that has been made. For each kind: the share that takes the
route of its kind, and the share whose first result is right, with the routes, without them
(``sort="relevance"``) and by plain fusion of the arms (reciprocal ranks), in the same run. Right
is the gold that the set names first; of a period and of "how often" any of the gold is, for they
are answered by all of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from bench.unseen import stores
from bench.unseen.engines import plain
from bench.unseen.own import SETS, mean, queries, suite, table
from recollect import Memory
from recollect.nouns import Answer
from recollect_evals.questions import Question

KINDS = "first last state leave-off since before-after in-period how-often".split()
SEVERAL = ("in-period", "how-often")
"""Kinds that all of the gold answers."""
BEFORE_AFTER = {"before": "before-after", "after": "before-after"}

Ask = Callable[[Memory, Question, datetime], Answer]


def routed(memory: Memory, question: Question, now: datetime) -> Answer:
    return memory.ask(memory.query(question.text, now=now))


def unrouted(memory: Memory, question: Question, now: datetime) -> Answer:
    return memory.ask(memory.query(question.text, now=now, sort="relevance"))


def fused(memory: Memory, question: Question, _: datetime) -> Answer:
    return plain(memory, question, ("words", "vectors"))


WAYS: Mapping[str, Ask] = {"routed": routed, "unrouted": unrouted, "fusion": fused}


def right(answer: Answer, record: Mapping[str, Any]) -> bool:
    """Whether the first result is the right one."""
    gold = record["gold"] if record["category"] in SEVERAL else record["gold"][:1]
    return bool(answer.results) and answer.results[0].document in gold


def kind_of(memory: Memory, text: str, now: datetime) -> str:
    kind = memory.query(text, now=now).time.kind
    return BEFORE_AFTER.get(kind, kind)


def report(folder: str, *, each: bool) -> str:
    path = SETS / folder
    group, said = suite(path), queries(path)
    rows = []
    with stores.opened(group) as opened:
        for question in group.questions:
            record = said[question.id]
            now = datetime.fromisoformat(record["now"]).replace(hour=12, tzinfo=UTC)
            answers = {
                way: opened.named(ask(opened.memory, question, now)) for way, ask in WAYS.items()
            }
            kind = kind_of(opened.memory, question.text, now)
            scores = {way: right(answer, record) for way, answer in answers.items()}
            rows.append({"kind": record["category"], "route": kind == record["category"], **scores})
            if each:
                told = " ".join(f"{way} {'+' if good else '-'}" for way, good in scores.items())
                print(question.id, record["category"], kind, told, question.text, sep=" | ")
                print("   ", *_firsts(answers["routed"], record), sep=" ")
    lines = []
    for kind in (*KINDS, "all"):
        some = [row for row in rows if kind in (row["kind"], "all")]
        shares = (mean(row[name] for row in some) for name in ("route", *WAYS))
        lines.append((kind, len(some), *shares))
    head = ("kind", "questions", "right route", *(f"right first: {way}" for way in WAYS))
    return table(head, lines)


def _firsts(answer: Answer, record: Mapping[str, Any]) -> list[str]:
    """The first results, each with its day; those of the gold marked."""
    return [
        f"{one.document}{'*' if one.document in record['gold'] else ''} {one.date:%Y-%m-%d}"
        for one in answer.results[:5]
        if one.date
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.time_questions", description=__doc__)
    parser.add_argument("--kept", action="store_true", help="the questions that are kept apart")
    parser.add_argument("--each", action="store_true", help="what each question gets")
    options = parser.parse_args()
    each = options.each and not options.kept
    print(report("time-questions-kept" if options.kept else "time-questions", each=each))


if __name__ == "__main__":
    main()
