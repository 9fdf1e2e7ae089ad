"""Calls' arguments as the core wants them: what a call says wins over the configuration, and that
over the mode. Whatever is wrong with them is raised here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from recollect import config as settings
from recollect.arguments import checked, clean, moment, names, question
from recollect.errors import UsageError
from recollect.facts import TYPES, FactFilter
from recollect.memory.core import Core
from recollect.memory.options import Limits, SearchOptions
from recollect.nouns import (
    MAX_LIMIT,
    Filter,
    Order,
    Query,
    TimeRoute,
    View,
    Window,
    not_among,
    not_none,
)
from recollect.policy import KNOBS, policy_for, stakes
from recollect.reading.sessions import request as session_request
from recollect.reading.sessions.request import SEEN_ROLES, SessionsRequest
from recollect.text import redact
from recollect.text.questions import parse, time_route, when

OWN_BUDGET = 3.0
"""The share (:attr:`Policy.share`) of a call that gives a budget of its own."""
_CONFIGURED = {name: f"search.{name}" for name in KNOBS if f"search.{name}" in settings.SETTINGS}
"""The knobs of a policy that are settings too."""


def configured(config: settings.Config) -> dict[str, Any]:
    """The knobs of the policy that the configuration sets."""
    return {name: config[setting] for name, setting in _CONFIGURED.items()}


def filter_of(view: View, limits: Mapping[str, Any]) -> Filter:
    """A filter from a call's limits, within the view."""
    said = not_none(limits)
    plain = ("sources", "kinds", "paths", "roles", "events")
    issues = names(said.get("issues"))
    if "all" in (names(said.get("roles")) or ()):
        said["roles"] = SEEN_ROLES
    made = Filter(
        owner=said.get("owner"),
        scopes=names(said.get("scopes")),
        issues=issues and tuple(map(parse.issue_key, issues)),
        since=moment(said.get("since"), "since"),
        until=moment(said.get("until"), "until"),
        within=view if view.walled else None,
        **{name: names(said.get(name)) for name in plain},
    )
    _check_order(made.since, made.until, "since", "until")
    return made


def _check_order(since: datetime | None, until: datetime | None, first: str, second: str) -> None:
    """Refuses a time that ends before it begins; the names are those of the options."""
    if since and until and since >= until:
        raise UsageError(
            f"{first} is not before {second}, so nothing can match",
            hint=f"{first} is inclusive, {second} exclusive",
        )


def facts_asked(
    core: Core,
    owner: str | None,
    scopes: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    as_of: str | datetime | None = None,
) -> FactFilter:
    """Whose facts a call asks for (the asker's, where it does not say), of which types, and as of
    when."""
    wanted = names(types)
    for one in not_among(wanted or (), TYPES):
        raise UsageError(f"there is no type {one!r}", hint=f"one of {', '.join(TYPES)}")
    return FactFilter(owner or core.asker, names(scopes), wanted, moment(as_of, "as_of"))


def check_count(name: str, value: int, what: str) -> None:
    """Refuses a count that is not 1 to :data:`MAX_LIMIT`."""
    if not 1 <= value <= MAX_LIMIT:
        raise UsageError(f"{name} is {value}", hint=f"ask for 1 to {MAX_LIMIT} {what}".rstrip())


def query_of(core: Core, text: str, options: Mapping[str, Any]) -> Query:
    """The whole request of a search, resolved."""
    config = core.config
    given = checked(options, SearchOptions)
    limits = {name: given.pop(name) for name in Limits.__annotations__ if name in given}
    seen = filter_of(core.view, limits)
    mode, knobs = given.pop("mode", None), configured(config)
    if not mode and config.origin("mode") == "project" and knobs["expand"] is None:
        knobs["expand"] = 0  # what came with a repository has nobody asked
    last = given.pop("last_n", None)
    relax = _relaxable(names(given.pop("relax", None)) or ())
    now, sort = given.pop("now", None), given.pop("sort", None)
    as_of = moment(given.pop("as_of", None), "as_of")
    given["min_confidence"] = stakes(given.get("min_confidence"))
    if given.get("budget") is not None and given.get("share") is None:
        given["share"] = OWN_BUDGET  # who says how many tokens wants them used
    if last is not None:
        seen = _newest(core, seen, last)
    said = _without_secrets(question(text), config)
    policy = policy_for(mode or config["mode"], given, knobs)
    window = when.window(said, now)
    time = sorted_route(said, window, sort)
    return Query(said, seen, policy, window, as_of, relax, time, core.asker)


_MAY_BE_SECRET = re.compile(r"://|-----BEGIN|(?=\S*[^\W\d_])(?=\S*\d)\S{6}")
"""What every secret has in it; what has none of it is not worth loading the rules for."""


def _without_secrets(text: str, config: settings.Config) -> str:
    """A question is kept: by the cache, with recorded answers, and if the user wants by itself."""
    if not config["import.redact"] or not _MAY_BE_SECRET.search(text):
        return text
    return redact.redact(text).text


def sorted_route(text: str, window: Window | None, sort: str | None) -> TimeRoute:
    """What the text asks of time, in the order that the caller wants, if the caller says one."""
    route = time_route.time_route(text, window)
    if sort is None:
        return route
    sorts: dict[str, TimeRoute] = {"relevance": TimeRoute()}
    sorts |= {order: route._replace(order=order) for order in get_args(Order) if order not in sorts}
    if sort not in sorts:
        raise UsageError(f"there is no sort {sort!r}", hint=f"sort: {', '.join(sorts)}")
    return sorts[sort]


def _relaxable(limits: tuple[str, ...]) -> tuple[str, ...]:
    for name in not_among(limits, Filter.relaxable()):
        there_are = ", ".join(Filter.relaxable())
        raise UsageError(f"{name!r} cannot be relaxed", hint=f"these can: {there_are}")
    return limits


def _newest(core: Core, seen: Filter, count: int) -> Filter:
    if count < 1:
        raise UsageError(f"last_n is {count}", hint="give 1 or more")
    newest = core.store.scan(seen, limit=count, dated=True).items
    return seen._replace(since=newest[-1].date) if newest else seen


# ------------------------------------------------------------------ past conversations


_IDS = {"session", "live_session"}
_LISTS = {"around", "exclude_sessions", "roles"}


def sessions_of(core: Core, query: str | None, options: Mapping[str, Any]) -> SessionsRequest:
    """The whole request for past conversations, resolved."""
    config = core.config
    given = not_none(options)
    now = given.pop("now", None) or datetime.now().astimezone()
    limits = {name: given.pop(name, None) for name in ("owner", "scopes", "sources")}
    if query is not None:
        given["query"] = question(query)
    given |= {name: _id(given[name], name) for name in _IDS.intersection(given)}
    given |= {name: names(_several(given[name])) for name in _LISTS.intersection(given)}
    since, until = (moment(given.get(name), name) for name in ("after", "before"))
    _check_order(since, until, "after", "before")
    seen = filter_of(core.view, {**limits, "kinds": ("session",), "since": since, "until": until})
    policy = policy_for(config["mode"], configured(config))
    if not query:
        return session_request.resolve(given, seen, policy)
    time = when.window(given["query"], now)
    route = sorted_route(given["query"], time, given.get("sort"))
    if route.listed and time:
        seen = seen._replace(since=seen.since or time.since, until=seen.until or time.until)
    return session_request.resolve(given, seen, policy, time, route)


def _id(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{what} is {value!r}", hint="give the id of a session")
    return clean(value)


def _several(value: Any) -> Sequence[str]:
    """Ids of messages may be numbers where they come from."""
    given = [value] if isinstance(value, str | int) else list(value)
    return [str(one) if isinstance(one, int) else one for one in given]
