"""What was asked for, checked: the shape follows from the arguments, and what contradicts itself
is refused. A number that is out of bounds is brought inside them, and the answer says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.arguments import left_out
from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import ROLES, Filter, Policy, TimeRoute, not_among
from recollect.nouns import Window as Time
from recollect.text import nearest

SPOKEN = ("user", "assistant")
REWOUND = "rewound"
SEEN_ROLES = tuple(role for role in ROLES if role != REWOUND)
SORTS = ("relevance", "newest", "oldest")
DETAILS = ("adaptive", "full")
WINDOW = 5
MAX_WINDOW = 20
LIMIT = 3
MAX_LIMIT = 10
LISTED = 10
MAX_LISTED = 50
MAX_ANCHORS = 10

_GOES_WITH: Mapping[str, tuple[str, ...]] = {
    "window": ("discovery", "scroll"),
    "limit": ("discovery", "browse"),
    "sort": ("discovery",),
    "detail": ("discovery",),
    "after": ("discovery", "browse"),
    "before": ("discovery", "browse"),
    "exclude_sessions": ("discovery", "browse"),
    "roles": ("discovery", "scroll", "read"),
}
_WITH = {
    "discovery": "a query",
    "scroll": "a session and a message",
    "read": "a session",
    "browse": "no query and no session",
}


_NAMING = frozenset({"query", "session", "around"})
"""Arguments that tell which shape is asked for."""
_SHAPES = {
    frozenset(): "browse",
    frozenset({"query"}): "discovery",
    frozenset({"session"}): "read",
    frozenset({"session", "around"}): "scroll",
}


class SessionsRequest(NamedTuple):
    """One call, resolved."""

    shape: str
    query: str
    session: str
    around: tuple[str, ...]
    window: int
    limit: int
    sort: str
    """Empty where the caller did not say."""
    detail: str
    roles: tuple[str, ...]
    exclude: tuple[str, ...]
    live: str
    filter: Filter
    policy: Policy
    time: Time | None
    """The period that the query names."""
    route: TimeRoute
    """What it asks of time."""
    notes: tuple[str, ...]


def shape_of(given: Mapping[str, Any]) -> str:
    """The shape that these arguments (those that are not None) ask for."""
    if "session" in given and "query" in given:
        raise UsageError(
            "both a query and a session were given",
            hint="a query looks in all sessions; a session alone is read, with around= scrolled",
        )
    if "around" in given and "session" not in given:
        raise UsageError(
            "around needs the session that the message is in",
            hint="give session= as it came with the message",
        )
    shape = _SHAPES[frozenset(_NAMING.intersection(given))]
    for name, shapes in _GOES_WITH.items():
        if name in given and shape not in shapes:
            wanted = " or ".join(_WITH[one] for one in shapes)
            raise UsageError(
                f"{name} has no meaning with {_WITH[shape]}", hint=f"it goes with {wanted}"
            )
    return shape


def resolve(
    given: Mapping[str, Any],
    filter: Filter,
    policy: Policy,
    time: Time | None = None,
    route: TimeRoute = TimeRoute(),  # noqa: B008  a frozen value
) -> SessionsRequest:
    """The request that these arguments (those that are not None) make."""
    shape = shape_of(given)
    query = given.get("query", "")
    notes = list(left_out(query))
    most, usual = (MAX_LISTED, LISTED) if shape == "browse" else (MAX_LIMIT, LIMIT)
    around = given.get("around", ())
    if shape == "scroll" and not around:
        raise UsageError("around is empty", hint="give the id of a message")
    if len(around) > MAX_ANCHORS:
        notes.append(f"of {len(around)} messages the first {MAX_ANCHORS} are shown")
    return SessionsRequest(
        shape=shape,
        query=query,
        session=given.get("session", ""),
        around=around[:MAX_ANCHORS],
        window=_clamped("window", given.get("window", WINDOW), MAX_WINDOW, notes),
        limit=_clamped("limit", given.get("limit", usual), most, notes),
        sort=_one_of(SORTS, "sort", given, ""),
        detail=_one_of(DETAILS, "detail", given, DETAILS[0]),
        roles=_roles(given.get("roles", SPOKEN)),
        exclude=given.get("exclude_sessions", ()),
        live=given.get("live_session", ""),
        filter=filter,
        policy=policy,
        time=time,
        route=route,
        notes=tuple(notes),
    )


def _clamped(name: str, value: Any, most: int, notes: list[str]) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {value!r}", hint=f"give a number from 1 to {most}")
    inside = max(1, min(most, value))
    if inside != value:
        notes.append(f"{name} is {inside}, not {value}: it goes from 1 to {most}")
    return inside


def _one_of(allowed: tuple[str, ...], name: str, given: Mapping[str, Any], otherwise: str) -> str:
    if name in given and given[name] not in allowed:
        raise UsageError(
            f"there is no {name} {given[name]!r}", hint=f"{name}: {', '.join(allowed)}"
        )
    return str(given.get(name, otherwise))


def _roles(given: tuple[str, ...]) -> tuple[str, ...]:
    if given == ("all",):
        return SEEN_ROLES
    for role in not_among(given, SEEN_ROLES):
        near = nearest.nearest(role, SEEN_ROLES)
        meant = f"did you mean {near!r}? " if near else ""
        raise UsageError(
            f"there is no role {role!r}", hint=f"{meant}roles: {', '.join(SEEN_ROLES)}, or all"
        )
    if not given:
        raise UsageError("roles is empty, so nothing could be seen", hint="leave it out")
    return given
