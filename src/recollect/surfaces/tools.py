"""The tools that a model is given: one table, whatever they are called through.

A tool has a name, a description that says when to use it, a schema of its arguments, and one
method of the facade. :func:`answer` checks the arguments, calls it, and replies with a text that a
model reads and with the JSON of what the method returned; whatever goes wrong becomes a reply
that says what to do next. Nothing here knows of a transport, and nothing is opened or loaded
before a tool is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from threading import Event
from time import monotonic
from typing import Any

from recollect import memory as facade
from recollect import trace
from recollect.errors import RecollectError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.surfaces import error_log, tool_text
from recollect.text import nearest as words

Arguments = dict[str, Any]
Schema = Mapping[str, Any]
Tell = Callable[[float, float | None, str], None]
"""Takes progress: how much is done, of how much (if that is known), and what is being done."""


class Reply(NamedTuple):
    """The result of a call, as text for a model and as JSON for a program."""

    text: str
    json: dict[str, Any]
    failed: bool = False


class Work:
    """One call under way. Another thread may stop it; long work tells how far it is."""

    EVERY = 1.0
    """Seconds between two reports: what takes less is not reported at all."""

    def __init__(self, tell: Tell | None = None) -> None:
        self._stop = Event()
        self._tell = tell
        self._steps = 0
        self._last = monotonic()

    def stop(self) -> None:
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def step(self, doing: str) -> None:
        """One more step is done, of nobody knows how many."""
        self._steps += 1
        self.report(self._steps, None, doing)

    def report(self, done: float, total: float | None, doing: str) -> None:
        """So much is done. Raises ``Stopped`` when nobody waits for it any more."""
        if self.stopped:
            raise trace.Stopped
        if self._tell is not None and monotonic() - self._last >= self.EVERY:
            self._last = monotonic()
            self._tell(done, total, doing)


class Tool(NamedTuple):
    name: str
    title: str
    description: str
    properties: Mapping[str, Schema]
    required: tuple[str, ...]
    call: Callable[[facade.Memory, Arguments, Work], Any]
    """One method of the facade, with arguments that have been checked. What searches is watched
    by itself; other work that takes long reports to the third."""
    text: str
    """The function of ``tool_text`` that tells a model what came of it."""
    has: tuple[str, ...]
    """The members that its JSON always has; the documentation of the library tells the rest."""
    writes: bool = False
    destroys: bool = False
    repeats: bool = True
    """Whether to call it twice does no more than to call it once."""
    json: Callable[[Any], dict[str, Any]] = lambda found: found.as_json()

    @property
    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            made["required"] = list(self.required)
        return {**made, "additionalProperties": False}


# ------------------------------------------------------------------ what arguments look like

# Bounds are the facade's to check: every caller has the same, and a schema without them is read
# in half the tokens.

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NUMBER: Schema = {"type": "integer"}
YES: Schema = {"type": "boolean"}
RECORDS = ("discussion", "decision", "audit", "file")
TYPES = (
    "preference", "decision", "fact", "expertise", "entity", "relation", "open_question", "task",
)  # fmt: skip


def _text(about: str) -> Schema:
    return {**TEXT, "description": about}


def _texts(about: str) -> Schema:
    return {**TEXTS, "description": about}


def _number(about: str) -> Schema:
    return {**NUMBER, "description": about}


def _one_of(*values: str) -> Schema:
    return {**TEXT, "enum": list(values)}


SURENESS = _text("or high")
"""A text, as which a number is read as well: not every client reads a schema of two types."""
LIMITS: dict[str, Schema] = {"kinds": TEXTS, "scopes": TEXTS, "since": TEXT, "until": TEXT}
EXPLAINED: dict[str, Schema] = {
    **LIMITS,
    "kinds": _texts("note, session, decision …"),
    "since": _text("2026-03-01 or 7d"),
}
"""The limits of the first tool that has them, which say what they look like for all."""
_FACT: Schema = {
    "type": "object",
    "properties": dict.fromkeys(("text", "type", "subject", "quote"), TEXT),
}
FACTS: Schema = {"type": "array", "items": {"anyOf": [TEXT, _FACT]}}

# ------------------------------------------------------------------ the table

PAGE = 6_000
"""Tokens of a document that one ``get`` sends, unless the caller says otherwise."""


def _get(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    for name, least in (("offset", 0), ("token_budget", 50)):
        if given.get(name, least) < least:
            raise UsageError(f"{name} is {given[name]}", hint=f"give {least} or more")
    return memory.get(given["id"])


def embedded(memory: facade.Memory, made: Any) -> Any:
    """What was written, whose vectors are made beside everything else: nobody waits for all that
    is pending in a store."""
    memory.models.embed_in_background()
    return made


def _remember(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    return embedded(memory, memory.remember(given.pop("text"), embed=False, **given))


def _record(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    made = memory.record(given.pop("kind"), given.pop("body"), embed=False, **given)
    return embedded(memory, made)


def _curate(memory: facade.Memory, given: Arguments, work: Work) -> Any:
    done = memory.curate(
        given.pop("text"),
        by="agent",
        channel="mcp",
        embed=False,
        tell=lambda slot: work.step(slot.name),
        **given,
    )
    if done.failed:
        raise UsageError(f"nothing was written: {done.failed}", hint="give less at a time")
    return embedded(memory, done) if done.id else done


def _record_answer(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    return memory.record_answer(
        given["query"], given["answer"], given["fingerprint"], given.get("sources")
    )


_ANSWERED = (
    "query",
    "status",
    "confidence",
    "said",
    "shown",
    "named",
    "results",
    "rejected",
    "hidden",
    "budget",
    "fingerprint",
    "stages",
    "timing_ms",
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search memory",
        "What notes, facts, sessions and records say. Try it before answering anything that may "
        "have come up before, with one whole question. Quote what is shown; get what `also` names "
        "if you need it. no_results: say so, invent nothing. needs_synthesis: what is shown may "
        "hold the answer; else gather.",
        {
            "query": _text('also "a phrase", -without, path:'),
            **EXPLAINED,
            "limit": NUMBER,
            "budget": _number("tokens"),
            "detail": _one_of("snippet", "passage", "document", "auto"),
            "sort": _text("newest, oldest"),
            "min_confidence": SURENESS,
            "as_of": _text("what held then"),
            "roles": _texts("also tool, summary, all"),
            "web": YES,
        },
        ("query",),
        lambda memory, given, _: memory.search(given.pop("query"), **given),
        "answer",
        has=_ANSWERED,
    ),
    Tool(
        "gather",
        "Gather evidence",
        "Evidence and what is around it, for you to write the answer from and record_answer it. "
        "Try it when search shows too little.",
        {"query": TEXT, **LIMITS, "token_budget": NUMBER},
        ("query",),
        lambda memory, given, _: memory.gather(given.pop("query"), **given),
        "bundle",
        has=("query", "confidence", "fingerprint", "budget"),
    ),
    Tool(
        "record_answer",
        "Keep a written answer",
        "Keep the answer you wrote: search returns it until anything changes.",
        {
            "query": _text("as asked"),
            "answer": TEXT,
            "fingerprint": _text("from search or gather"),
            "sources": TEXTS,
        },
        ("query", "answer", "fingerprint"),
        _record_answer,
        "recording",
        writes=True,
        has=("recorded", "reason"),
    ),
    Tool(
        "sessions",
        "Recall past conversations",
        "Past conversations: query finds them, session and around show the messages near one, "
        "session alone how it began and ended, nothing the recent ones. Try it first for 'where "
        "did we leave off'.",
        {
            "query": TEXT,
            "session": TEXT,
            "around": _texts("message ids"),
            "window": NUMBER,
            "limit": NUMBER,
            "sort": TEXT,
            "after": TEXT,
            "before": TEXT,
            "roles": TEXTS,
            "live_session": _text("your own, to leave out"),
        },
        (),
        lambda memory, given, _: memory.sessions(given.pop("query", None), **given),
        "sessions",
        has=("shape", "notes"),
    ),
    Tool(
        "remember",
        "Remember a fact",
        "Keep one statement for good: a preference, a decision, who somebody is, with the name it "
        "will be asked by. Conflicts with older facts are told; replace supersedes them.",
        {
            "text": TEXT,
            "name": TEXT,
            "aliases": TEXTS,
            "type": _one_of(*TYPES),
            "scopes": TEXTS,
            "why": TEXT,
            "pinned": YES,
            "replace": YES,
            "supersedes": _texts("ids"),
            "valid_from": TEXT,
            "valid_to": TEXT,
            "id": _text("to change"),
            "source": TEXT,
        },
        ("text",),
        _remember,
        "remembered",
        writes=True,
        destroys=True,
        repeats=False,
        has=("fact", "action", "conflicts", "note"),
    ),
    Tool(
        "curate",
        "Make facts of a text",
        "Keep a text, with lasting facts that cite it; give those you read, a sentence each.",
        {"text": TEXT, "facts": FACTS, "title": TEXT, "project": TEXT, "dry_run": YES},
        ("text",),
        _curate,
        "curated",
        writes=True,
        destroys=True,
        has=("id", "about", "items", "counts", "for_review"),
    ),
    Tool(
        "forget",
        "Forget for good",
        "Remove a document or a fact for good, only when the user asks. If it changed, try "
        "remember with replace.",
        {"id": TEXT},
        ("id",),
        lambda memory, given, _: memory.forget(given["id"]),
        "receipt",
        writes=True,
        destroys=True,
        has=("forgotten",),
    ),
    Tool(
        "context",
        "What to know first",
        "Pinned facts, open questions, the user, facts that the query names. Try it as "
        "a task begins.",
        {"query": TEXT, "scopes": TEXTS, "limit": NUMBER, "token_budget": NUMBER, "as_of": TEXT},
        (),
        lambda memory, given, _: memory.context(given.pop("query", ""), **given),
        "context",
        has=("query", "prelude", "pinned", "questions", "relevant", "fingerprint"),
    ),
    Tool(
        "record",
        "Keep a project record",
        "Keep what was discussed, decided, done (audit) or what a file is for; remember "
        "keeps facts.",
        {
            "kind": _one_of(*RECORDS),
            "body": TEXT,
            "title": TEXT,
            "author": TEXT,
            "issue": _text("#12"),
            "branch": TEXT,
            "event": TEXT,
            "path": TEXT,
            "date": TEXT,
            "scopes": TEXTS,
        },
        ("kind", "body"),
        _record,
        "kept",
        writes=True,
        repeats=False,
        json=lambda kept: dict(kept.as_json(body=False)),
        has=("id", "document", "kind", "source"),
    ),
    Tool(
        "get",
        "Read a document",
        "A whole document, by an id or path that a tool gave.",
        {"id": TEXT, "offset": NUMBER, "token_budget": NUMBER},
        ("id",),
        _get,
        "document",
        has=("id", "document", "kind", "source"),
    ),
    Tool(
        "list",
        "List documents",
        "Documents, last stored first. To find something, try search.",
        {**LIMITS, "sources": TEXTS, "paths": TEXTS, "limit": NUMBER, "cursor": TEXT},
        (),
        lambda memory, given, _: memory.list(**given),
        "page",
        has=("items", "cursor"),
    ),
)

NAMED = {tool.name: tool for tool in TOOLS}


# ------------------------------------------------------------------ calling one


def answer(
    tool: Tool,
    arguments: Mapping[str, Any],
    opened: Callable[[], facade.Memory],
    work: Work | None = None,
) -> Reply:
    """Check, call, render. Every error is a reply; only ``Stopped`` is raised."""
    try:
        given = checked(tool, arguments)
        return _rendered(tool, given, called(tool, given, opened(), work or Work()))
    except RecollectError as error:
        return failure(error)
    except Exception as error:  # noqa: BLE001  a bug of ours, which the caller is told of
        return unexpected(tool.name, error)


def called(tool: Tool, given: Arguments, memory: facade.Memory, work: Work) -> Any:
    """Calls the tool's method of the facade with checked arguments."""

    with trace.watched(work.step):
        return tool.call(memory, dict(given), work)


def _rendered(tool: Tool, given: Arguments, found: Any) -> Reply:
    render: Callable[[Any, Arguments], str] = getattr(tool_text, tool.text)
    return Reply(render(found, given), tool.json(found))


def failure(error: RecollectError) -> Reply:
    about = {"type": type(error).__name__, "message": error.message, "hint": error.hint}
    return Reply(_for_a_model(str(error)), {"error": about}, failed=True)


def _for_a_model(said: str) -> str:
    """Commands that a hint names, as the tools of the same name."""

    def tool(command: re.Match[str]) -> str:
        name = command[1].replace("-", "_")
        return name if name in NAMED else command[0]

    return re.sub(r"`recollect ([a-z-]+)`", tool, said)


def unexpected(doing: str, error: BaseException) -> Reply:
    """What happened goes to the log of whoever runs this, and only its kind to the caller."""
    error_log.write(error)
    kind = type(error).__name__
    said = f"{doing} failed unexpectedly ({kind})"
    hint = "nothing is known to be wrong with the call; the log of the server has the details"
    about = {"type": "InternalError", "message": said, "hint": hint}
    return Reply(f"{said}\n{hint}", {"error": about}, failed=True)


# ------------------------------------------------------------------ checking arguments


def checked(tool: Tool, arguments: Mapping[str, Any]) -> Arguments:
    """The arguments that are given (null is nothing), or a UsageError that says how to call."""
    for name in arguments:
        if name not in tool.properties:
            said = f"{tool.name} has no argument {_shown(name)}"
            raise UsageError(said, hint=_nearest(name, tool))
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in tool.required:
        if name not in given:
            raise UsageError(f"{tool.name} needs {name!r}", hint=_how(tool))
    return {name: _fitting(name, value, tool.properties[name]) for name, value in given.items()}


def _fitting(name: str, value: Any, schema: Schema) -> Any:
    kind = schema["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if schema == SURENESS and _is_a("number", value):
        return value
    if not _is_a(kind, value):
        raise UsageError(f"{name} is {_shown(value)}", hint=f"give {_WANTED[kind]}")
    if kind == "array":
        items = schema["items"]
        kinds = [one["type"] for one in items.get("anyOf", (items,))]
        wrong = [one for one in value if not any(_is_a(kind, one) for kind in kinds)]
        if wrong:
            wanted = " or ".join(map(_MANY.__getitem__, kinds))
            raise UsageError(
                f"{name} has {_shown(wrong[0])} in it", hint=f"give a list of {wanted}"
            )
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{name} is {_shown(value)}", hint=f"one of {', '.join(schema['enum'])}")
    return value


_WANTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": 'a list, such as ["work"]',
}
_MANY = {"string": "texts", "object": "objects"}


_KINDS = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def _is_a(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "number":
        return isinstance(value, int | float) and value == value  # not NaN
    return isinstance(value, _KINDS[kind])


def _shown(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:59]}…"


def _nearest(name: str, tool: Tool) -> str:
    near = words.nearest(name.lower(), tool.properties, 0.7)
    return f"did you mean {near!r}?" if near else _how(tool)


def _how(tool: Tool) -> str:
    optional = [name for name in tool.properties if name not in tool.required]
    needed = f"it needs {', '.join(tool.required)}" if tool.required else "nothing is needed"
    return f"{needed}; it may have {', '.join(optional)}" if optional else needed
