"""How a suite is to be asked, and with what: a policy, models, limits, and what may be spent."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import UsageError
from recollect.memory import Memory
from recollect.nouns import Policy, stable_id
from recollect_evals.rows import Render, texts
from recollect_evals.spending import Confirm, Guard, guard

HALVES = ("test", "fit", "all")


class Plan(NamedTuple):
    """How a suite is to be asked."""

    mode: str | None = None
    changes: Mapping[str, Any] = {}
    """Knobs of the policy that differ from the mode's."""
    half: str = "test"
    keep: bool = False
    """Whether the stores stay, for the next run to use."""
    most: int | None = None
    """Ask only so many of the questions, by a draw that does not change."""
    shuffle: bool = False
    """Whether gold is drawn at random: then the run must score at chance."""
    questions: Path | None = None
    """Where the questions are, for suites that let one choose."""
    dollars: float | None = None
    store: str | None = None
    """What is replayed against; else the configured store."""
    url: str | None = None
    """Of an engine that serves the contract of PrecisionMemBench."""
    render: Render = texts
    """What the tokens of an answer are counted of."""

    @property
    def rendered(self) -> bool:
        """Whether tokens are those of a surface's text, not of the results' texts alone."""
        return self.render is not texts

    def chosen(self, ids: Mapping[str, str]) -> set[str]:
        """Which of the questions (by id and half) are asked."""
        some = [id for id, half in ids.items() if self.half in ("all", half)]
        if self.most is not None:
            some = sorted(some, key=lambda id: stable_id("most", id))[: self.most]
        return set(some)


def ablations(given: Sequence[str], limit_fixed: int | None = None) -> dict[str, Any]:
    """Changes to the policy from ``KNOB=VALUE``; a fixed limit asks for so many results and lets
    no grade decide otherwise."""
    changes: dict[str, Any] = {}
    if limit_fixed is not None:
        changes = {"limit": limit_fixed, "cut": False, "keep": 0.0, "budget": None}
    for one in given:
        knob, equals, value = one.partition("=")
        if not equals or knob == "mode" or knob not in Policy._fields:
            known = ", ".join(name for name in Policy._fields if name != "mode")
            raise UsageError(f"{one!r} is no KNOB=VALUE", hint=f"knobs: {known}")
        changes[knob] = _value(value)
    return changes


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class With(NamedTuple):
    """What every question is asked with."""

    policy: Policy
    models: dict[str, str]
    limits: dict[str, Any]
    """What the configuration lets be seen, where it limits that."""
    importing: dict[str, Any]


def resolved(plan: Plan, questions: int, confirm: Confirm | None) -> tuple[With, Guard]:
    with tempfile.TemporaryDirectory() as nowhere, Memory.open(nowhere) as memory:
        plain = memory.query("anything", mode=plan.mode).policy
        for name, value in plan.changes.items():
            if not fits(value, getattr(plain, name), name):
                hint = f"it is {getattr(plain, name)!r} otherwise"
                raise UsageError(f"{name} cannot be {value!r}", hint=hint)
        policy = plain._replace(**plan.changes)
        policy.check()
        seen, settings = memory.query("anything").filter, memory.config.values
        with_ = With(
            policy,
            {"embed": memory.status().model, "rerank": str(memory.config["rerank.model"])},
            {name: getattr(seen, name) for name in seen.limits},
            {name: found.value for name, found in settings.items() if name.startswith("import.")},
        )
        return with_, guard(memory, questions, plan.dollars, plan.most, confirm)


def fits(value: Any, was: Any, name: str) -> bool:
    """Whether a value is of the kind that a knob takes."""
    if name in ("budget", "recency", "reranker") and value is None:
        return True
    if name == "reranker":
        return isinstance(value, str)
    if isinstance(was, bool) or isinstance(value, bool):
        return isinstance(was, bool) and isinstance(value, bool)
    if was is None or isinstance(was, float):
        return isinstance(value, int | float)
    return isinstance(value, type(was))
