"""What keeps an engine from knowing the answers: guards around every run.

- Ids are made opaque before anything is imported, so that none can be searched for, and are given
  their names back in what is measured. (The loaders leave out of a document what is not its text.)
- Questions that a model or the grade that ships has learned from are known by their hashes
  (``learned.bin``, written by ``training/learned.py``); they are never asked as *test* questions.
- A run with shuffled gold (documents drawn at random in place of the right ones) must score as
  chance would. Whatever scores better is credited for something other than finding the evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from hashlib import sha256
from math import comb
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from recollect.nouns import stable_id
from recollect_evals.evidence import Evidence
from recollect_evals.questions import Group, Question
from recollect_evals.rows import Row
from recollect_evals.statistics import SEED, tail

LEARNED = Path(__file__).with_name("learned.bin")
BYTES = 5
"""Of each hash: among so many questions another is taken for one of them once in 10^8."""
AT_CHANCE = ("hit@1", "any@10", "all@10")
LEAST_LIKELY = 0.001
"""A shuffled run that chance would match or beat less often than this is not at chance."""


# ------------------------------------------------------------------ ids


class Opaque(NamedTuple):
    group: Group
    names: Mapping[str, str]
    """What each id stands for."""


def opaque(group: Group) -> Opaque:
    """The group with documents whose ids say nothing; gold keeps its own names."""
    ids = {d.external: stable_id("eval", group.name, d.external) for d in group.documents}
    documents = tuple(d._replace(external=ids[d.external]) for d in group.documents)
    return Opaque(group._replace(documents=documents), {new: old for old, new in ids.items()})


# ------------------------------------------------------------------ what was learned from


def fingerprint(question: str) -> bytes:
    """The same for a question however it is cased, spaced and punctuated."""
    return sha256(" ".join(re.findall(r"\w+", question.lower())).encode()).digest()


def packed(questions: Collection[str]) -> bytes:
    """What ``learned.bin`` holds of them."""
    return b"".join(sorted({fingerprint(one)[:BYTES] for one in questions}))


@cache
def learned() -> Sequence[bytes]:
    content = LEARNED.read_bytes()
    return [content[at : at + BYTES] for at in range(0, len(content), BYTES)]


def is_learned(question: str) -> bool:
    """Whether something that ships was fitted on this question, whatever its id."""
    wanted, known = fingerprint(question)[:BYTES], learned()
    at = bisect_left(known, wanted)
    return at < len(known) and known[at] == wanted


# ------------------------------------------------------------------ shuffled gold


def shuffled(group: Group, seed: int = SEED) -> Group:
    """With as many other documents as gold, drawn at random, for each question that has some. The
    evidence inside the right ones is dropped: it says where they are."""
    ids = sorted(document.external for document in group.documents)

    def drawn(question: Question) -> Question:
        chance = Random(f"{seed} {group.name} {question.id}")
        gold = chance.sample(ids, len(question.gold))
        return question._replace(gold=dict.fromkeys(gold, 1.0), evidence=Evidence())

    return group._replace(questions=tuple(map(drawn, group.questions)))


def by_chance(returned: int, gold: int, documents: int) -> dict[str, float]:
    """How likely each of the measures is 1 if so much gold is drawn at random from the documents:
    ``1 - C(N-g, r) / C(N, r)`` for any of it among r, ``C(N-g, r-g) / C(N, r)`` for all of it."""

    def some(r: int) -> float:
        return 1 - comb(documents - gold, r) / comb(documents, r)

    ten = min(10, returned)
    every = comb(documents - gold, ten - gold) / comb(documents, ten) if ten >= gold else 0.0
    first = some(min(1, returned))
    return {"chance hit@1": first, "chance any@10": some(ten), "chance all@10": every}


def chance(rows: Sequence[Row]) -> dict[str, Any]:
    """What a shuffled run scored against what chance scores. ``p`` is how often chance alone does
    at least as well, exactly."""
    told: dict[str, Any] = {}
    asked = [row for row in rows if row.answerable]
    for name in AT_CHANCE if asked else ():
        odds = [row.measures[f"chance {name}"] for row in asked]
        p = tail(odds, sum(int(row.measures[name]) for row in asked))
        told[name] = {
            "scored": round(sum(row.measures[name] for row in asked) / len(asked), 6),
            "chance": round(sum(odds) / len(odds), 6),
            "p": round(p, 6),
            "at_chance": p >= LEAST_LIKELY,
        }
    return told
