"""The modes: presets of :class:`~recollect.nouns.Policy`, and how a call departs from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import UsageError
from recollect.nouns import Policy, not_none

MODES: Mapping[str, Policy] = {
    "conservative": Policy(
        "conservative",
        limit=10,
        budget=4_000,
        named=5,
        share=0.6,
        worth_span=0.05,
        keep=0.35,
    ),
    "balanced": Policy("balanced", limit=25, budget=12_000),
    "tokenmax": Policy(
        "tokenmax",
        limit=50,
        budget=None,
        named=40,
        share=2.0,
        worth_span=0.001,
        worth=0.0,
        keep=0.03,
        pool=200,
        expand=3,
    ),
}


KNOBS: Mapping[str, str] = {
    "limit": "The most results that an answer shows.",
    "budget": "The most tokens that the results take together.",
    "named": "The most documents that are named, a line each, beside what is shown.",
    "by": "Which arms search: keyword, semantic, or both (hybrid).",
    "pool": "How many passages each arm brings before fusion.",
    "lexical_weight": "What a passage with all the words of the question gains, about.",
    "vector_weight": "What a cosine of one more adds to that.",
    "title_weight": "What words in the title or the path add.",
    "foreign_weight": "What vectors weigh at most in a language that the model has not learned.",
    "recency": "0 ranks by relevance alone, 1 newest first.",
    "newest": "The recency of a question that asks for the latest.",
    "rerank": "How many of the best the reranker reads.",
    "window_weight": "What the time named in the question weighs; 0 ignores it.",
    "hop": "Search once more for what the first hits of an open question name.",
    "share": "The most tokens shown, as a share of the ten best passages whole.",
    "worth_span": "The least probability of a sentence that is shown beside a certain one.",
    "cut": "Let the grades decide how much is shown; else limit and budget do.",
    "keep": "The least probability that anything of it is stored; below it nothing is shown.",
    "worth": "The least probability of what is shown or named, as a share of the answer's.",
    "escalate": "Below this grade there is a second, wider search; 0 is never.",
    "wider": "How many times as many passages the second search brings.",
    "min_confidence": "Results below it are left out.",
    "direct_confidence": "From this grade on an answer needs no synthesis.",
    "facts": "Answer with the facts that the question names before anything is searched.",
    "fact_confidence": "The least probability of a fact that answers without being named.",
    "detail": "What is sent of a result: sentences (auto), snippet, passage or document.",
    "reranker": "The reranker of this search, by the names that rerank.model takes.",
    "expand": "How many rewrites of a question graded low the language model is asked for.",
    "hyde": "Have it also write a passage as the answer might read, and search near that.",
    "expand_seconds": "Seconds that a search waits for the rewrites.",
    "think": "Have the language model write an answer where the grade is low.",
    "think_seconds": "Seconds that a search waits for that answer.",
}
"""Everything about a policy that a caller or the configuration can set, and what it does."""
STAKES: Mapping[str, float] = {"high": 0.8, "medium": 0.6, "low": 0.4}
"""The least confidence, by what hangs on the answer."""


def policy_for(mode: str, *overrides: Mapping[str, Any]) -> Policy:
    """The preset *mode*, with what *overrides* say instead: the first that says something (is
    not None) wins."""
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes: {', '.join(MODES)}")
    wanted: dict[str, Any] = {}
    for some in reversed(overrides):
        wanted |= not_none(some)
    policy = MODES[mode]._replace(**wanted)
    policy.check()
    return policy


def stakes(value: float | str | None) -> float | None:
    """A least confidence, from a number or from what hangs on the answer."""
    if isinstance(value, str):
        if value in STAKES:
            return STAKES[value]
        try:
            return float(value)
        except ValueError:
            raise UsageError(
                f"min_confidence is {value!r}",
                hint=f"give a number from 0 to 1, or {', '.join(STAKES)}",
            ) from None
    return value
