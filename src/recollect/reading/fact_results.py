"""Facts as results."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from recollect.facts import KIND, SOURCE, Fact
from recollect.nouns import Contribution, Result, filled, without
from recollect.reading.answering import cost
from recollect.reading.named import Mention

SURE = {"name": 0.98, "alias": 0.97, "slip": 0.9, "relation": 0.9}
"""How sure it is that a fact is meant, by how it was found."""


def likely(mentions: Sequence[Mention], least: float) -> list[Mention]:
    """Returns the facts of which it is at least so sure that they are meant."""
    return [mention for mention in mentions if SURE[mention.how] >= least]


def named_result(mention: Mention) -> Result:
    return fact_result(mention.fact, SURE[mention.how], mention.how)


def standing_result(fact: Fact) -> Result:
    return fact_result(fact, 1.0, "pinned" if fact.pinned else "named")


def fact_result(
    fact: Fact, confidence: float, evidence: str, parts: tuple[Contribution, ...] = ()
) -> Result:
    score = log(confidence / (1 - confidence)) if confidence < 1 else 12.0
    shown = filled(without(fact.as_json(), ("text", "provenance")))
    return Result(
        id=f"{fact.key}:0",
        document=fact.id,
        document_id=fact.key,
        kind=KIND,
        source=SOURCE,
        title=fact.title,
        path="",
        heading="",
        role="",
        date=fact.start,
        text=fact.text,
        score=sum(p.value for p in parts) if parts else score,
        confidence=confidence,
        evidence=(evidence,),
        contributions=parts or (Contribution(evidence, 1, 1.0, score, score),),
        tokens=cost(f"{fact.key}:0", fact.title, fact.text),
        fact=shown,
        dated="record" if fact.start else "",
    )
