"""Whether all is well, and what to do where it is not.

    report = examine(memory)
    report.state        # the worst of: ok, warn, fail

Each check is one small function from the case to what it found; the table below has them all, in
the order in which they are told. A check that breaks is a finding like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.doctor import content, place, setup, store
from recollect.doctor.case import Case, Client, LastEvaluation
from recollect.doctor.report import Check, Report
from recollect.errors import RecollectError, StoreCorrupt, UsageError, in_a_line
from recollect.memory import Memory
from recollect.nouns import Progress

__all__ = ["CHECKS", "Case", "Check", "Client", "LastEvaluation", "Report", "examine"]

CHECKS: Mapping[str, Callable[[Case], Check]] = {
    "store": store.record,
    "text index": store.text_index,
    "embeddings": store.embeddings,
    "vectors": store.vectors,
    "writers": store.writers,
    "server": store.server,
    "disk": place.disk,
    "permissions": place.permissions,
    "clock": place.clock,
    "models": setup.models,
    "settings": setup.settings_read,
    "mode": setup.mode,
    "clients": setup.clients,
    "warm": setup.warm,
    "sources": content.sources,
    "secrets": content.secrets,
    "evals": setup.evals,
}


def examine(
    memory: Memory | None = None,
    *,
    error: RecollectError | None = None,
    full: bool = False,
    fix: bool = False,
    clients: tuple[Client, ...] | None = None,
    evaluated: LastEvaluation | None = None,
    location: str = "",
    holder: str = "",
    tell: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Look at everything. A store that cannot be opened is given as the *error* that says why.
    *full* reads every document; *fix* does what is safe: modes of files, indexes, pending
    embeddings. What is known of *clients*, of the store's
    *holder* and of the last measurement is for the caller to say.
    *tell* hears of each check before it begins."""
    case = Case(
        memory,
        error,
        full=full,
        clients=clients,
        evaluated=evaluated,
        location=location,
        holder=holder,
    )
    checks = []
    for number, name in enumerate(CHECKS):
        tell(Progress("looking", number, len(CHECKS)))
        checks.append(_looked(name, case, fix))
    return Report(tuple(checks))


def _looked(name: str, case: Case, fix: bool) -> Check:
    check = _look(name, case)
    if not fix or check.fix is None or check.state in ("ok", "skip"):
        return check
    try:
        done = check.fix()
    except (RecollectError, OSError) as error:
        return check._replace(text=f"{check.text}; it could not be mended: {in_a_line(error)}")
    case.look_again()
    after = _look(name, case)
    return after._replace(fixed=done)


def _look(name: str, case: Case) -> Check:
    try:
        return CHECKS[name](case)._replace(name=name)
    except RecollectError as error:
        if name != "store" and (error is case.error or isinstance(error, StoreCorrupt)):
            return Check("skip", "the store cannot be read", name=name)  # said already, once
        if isinstance(error, UsageError):  # behind a wall
            return Check("skip", error.message, name=name)
        return Check("fail", error.message, error.hint, name=name)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        told = f"it could not be looked at: {type(error).__name__}: {in_a_line(error)}"
        return Check("fail", told, name=name)
