"""Questions that were really asked, asked again of the user's own store.

They have no gold, so nothing is right or wrong: two runs tell how much of what comes back stays
(``eval compare``: Jaccard@10, the same first result), be it between modes, policies or versions.
The store is only read; what it held is part of the run, so that a comparison says when it has
changed.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import InputError, QueryError
from recollect.memory import Memory
from recollect.nouns import Filter, Policy, stable_id
from recollect_evals.files import date_of, given, records
from recollect_evals.planning import Plan
from recollect_evals.questions import half_of
from recollect_evals.rows import Row, tokens_of

HINT = "`recollect eval capture on` keeps what is asked from then on"


class Replayed(NamedTuple):
    id: str
    text: str
    at: datetime | None
    limits: dict[str, Any]


def load(file: Path, store: str = "") -> list[Replayed]:
    """The questions of the file that were asked of this store, each once; of any, where it is not
    named."""
    if not file.is_file():
        raise InputError(f"{file}: there is no such file", hint=HINT)
    found: dict[str, Replayed] = {}
    others = 0
    for where, row in records(file):
        if store and row.get("store") not in (store, None):
            others += 1
            continue
        text, limits = given(row, where, "query"), row.get("limits") or {}
        if not isinstance(limits, dict) or set(limits) - set(Filter._fields):
            raise InputError(f"{where}: `limits` are not limits of a search")
        id = stable_id(text, repr(sorted(limits.items())))
        found.setdefault(id, Replayed(id, text, date_of(row.get("at"), where), limits))
    if not found:
        said = f" of this store, {others} of others" if others else ""
        raise InputError(f"{file}: 0 questions{said}", hint=HINT)
    return list(found.values())


def asked(memory: Memory, question: Replayed, plan: Plan, policy: Policy) -> Row:
    try:
        query = memory.query(question.text, mode=plan.mode, now=question.at, **question.limits)
        answer = memory.ask(query._replace(policy=policy))
    except QueryError as error:
        return _row(question, "no_results", 0.0, (), {"set_size": 0.0}, bool(error.message))
    found = tuple(dict.fromkeys(result.document for result in answer.results))
    measures = {
        "set_size": float(len(found)),
        "tokens": float(tokens_of(answer, plan.render)),
        "ms": answer.timing_ms,
    }
    return _row(question, answer.status, answer.confidence, found, measures, bool(answer.degraded))


def _row(
    question: Replayed, status: str, confidence: float, found: tuple[str, ...],
    measures: dict[str, float], degraded: bool,
) -> Row:  # fmt: skip
    return Row(
        question.id, half_of(question.id), "", False, status, confidence, False, found, degraded,
        measures, {},
    )  # fmt: skip
