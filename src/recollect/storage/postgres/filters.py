"""A filter as SQL: what :func:`recollect.storage.filters.allows` lets through, and nothing else."""

from __future__ import annotations

from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter
from recollect.storage.filters import path_pattern
from recollect.storage.postgres.rows import stored
from recollect.storage.times import micros
from recollect.text.terms import fold


class Where(NamedTuple):
    """Conditions on documents ``d`` and, for roles, on passages ``p``; owners are apart."""

    document: str
    values: dict[str, Any]
    role: str = ""

    @property
    def both(self) -> str:
        return " AND ".join(filter(None, (self.document, self.role))) or "TRUE"


def nothing(filter: Filter) -> bool:
    """Whether no document can pass the filter."""
    limits = (*filter._replace(roles=None), *(filter.within or ()))
    return any(limit == () for limit in limits)


def where(filter: Filter) -> Where:
    parts: list[str] = []
    values: dict[str, Any] = {}

    def limit(condition: str, name: str, value: Any) -> None:
        if value is not None:
            parts.append(condition)
            values[name] = value

    limit("d.scopes && %(scopes)s::text[]", "scopes", _listed(filter.scopes))
    wall = filter.within and filter.within.scopes
    limit("d.scopes && %(within)s::text[]", "within", _listed(wall))
    limit("d.folded_source = ANY(%(sources)s::text[])", "sources", _folded(filter.sources))
    limit("d.folded_kind = ANY(%(kinds)s::text[])", "kinds", _folded(filter.kinds))
    limit("d.issues && %(issues)s::text[]", "issues", _folded(filter.issues))
    limit("d.events && %(events)s::text[]", "events", _folded(filter.events))
    limit("d.date >= %(since)s", "since", micros(filter.since))
    limit("d.date < %(until)s", "until", micros(filter.until))
    paths = None if filter.paths is None else [f"^(?:{path_pattern(p)})$" for p in filter.paths]
    limit("d.folded_path ~ ANY(%(paths)s::text[])", "paths", _listed(paths))
    role = ""
    if filter.roles is not None:
        role = "p.role = ANY(%(roles)s::text[])"
        values["roles"] = _listed(("", *filter.roles))
    return Where(" AND ".join(parts), values, role)


def _listed(limit: Any) -> list[str] | None:
    return None if limit is None else list(map(stored, limit))


def _folded(limit: tuple[str, ...] | None) -> list[str] | None:
    return None if limit is None else [stored(fold(value)) for value in limit]
