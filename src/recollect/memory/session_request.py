"""A call for past conversations, as a request: names, dates and limits as the core wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.arguments import clean, moment, names
from recollect.errors import UsageError
from recollect.policy import policy_for
from recollect.reading.sessions.request import Request, resolve

if TYPE_CHECKING:
    from recollect.memory.asking import Asking


def asked(memory: Asking, query: str | None, options: Mapping[str, Any]) -> Request:
    """What a call asks for; whatever is wrong with it is raised."""
    from datetime import datetime

    from recollect.text.questions.when import window

    given = {name: value for name, value in options.items() if value is not None}
    now = given.pop("now", None) or datetime.now().astimezone()
    limits = {name: given.pop(name, None) for name in ("owner", "scopes", "sources")}
    if query is not None:
        given["query"] = clean(query)
    for name in ("session", "live_session"):
        if name in given:
            given[name] = _name(given[name], name)
    for name in ("around", "exclude_sessions", "roles"):
        if name in given:
            given[name] = names(_several(given[name]))
    since, until = (moment(given.get(name), name) for name in ("after", "before"))
    if since and until and since >= until:
        raise UsageError("after is not before before, so nothing can match",
                         hint="after is inclusive, before exclusive")  # fmt: skip
    seen = memory.filter(**limits, kinds=("session",), since=since, until=until)
    policy = policy_for(memory.config["mode"], memory.configured())
    time = window(given["query"], now) if query else None
    return resolve(given, seen, policy, time)


def _name(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{what} is {value!r}", hint="give the id of a session")
    return clean(value)


def _several(value: Any) -> Sequence[str]:
    """Ids of messages may be numbers where they come from."""
    given = [value] if isinstance(value, str | int) else list(value)
    return [str(one) if isinstance(one, int) else one for one in given]
