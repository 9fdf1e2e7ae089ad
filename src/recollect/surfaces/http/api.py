"""The HTTP API: a route for each tool, made from the tables.

``POST /api/NAME`` takes the arguments of the tool as one JSON object and returns the JSON of what
the library returned, with the version of its schema. What only reads may also be asked for with
GET. A program is given all limits; a model's tools have fewer, because it reads every schema.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect import memory as facade
from recollect.errors import RecollectError, UsageError
from recollect.nouns import SCHEMA_VERSION
from recollect.surfaces.http.guard import Refusal
from recollect.surfaces.http.metrics import Metrics
from recollect.surfaces.http.openapi import document
from recollect.surfaces.http.think import THINK, ThoughtStream, runner_for, streams
from recollect.surfaces.http.work import (
    ClientGone,
    RequestRefused,
    RequestRunner,
    as_json,
    parsed,
    told,
)
from recollect.surfaces.tools import (
    NUMBER,
    TEXT,
    TEXTS,
    Arguments,
    Schema,
    Tool,
    Work,
    called,
    checked,
)

Endpoint = Callable[[Request], Awaitable[Response]]

_LIMITS: Mapping[str, Schema] = {
    "sources": TEXTS,
    "paths": TEXTS,
    "issues": TEXTS,
    "events": TEXTS,
    "owner": TEXT,
}
_ASKING: Mapping[str, Schema] = {**_LIMITS, "last_n": NUMBER, "relax": TEXTS, "as_of": TEXT}
_FURTHER = {"search": _ASKING, "gather": _ASKING, "list": _LIMITS}
"""Arguments of the library's methods that the tools of the same name leave out."""


class Api:
    def __init__(
        self,
        memory: facade.Memory,
        tools: tuple[Tool, ...],
        runner: RequestRunner,
        metrics: Metrics,
    ) -> None:
        self._memory, self._runner, self._metrics = memory, runner, metrics
        self._thinking = runner_for(runner.limits)
        self._tools = tuple(map(_with_all_limits, tools))
        self._document = document((*self._tools, THINK))

    def routes(self) -> list[Route]:
        made = [
            Route(f"/api/{tool.name}", self._called(tool), methods=_methods(tool))
            for tool in self._tools
        ]
        return [
            *made,
            Route("/api/think", _telling("think", self._think), methods=["POST"]),
            Route("/healthz", _healthy),
            Route("/readyz", _telling("readyz", self._ready)),
            Route("/metrics", self._counts),
            Route("/openapi.json", self._described),
        ]

    def _called(self, tool: Tool) -> Endpoint:
        async def answer(request: Request) -> Response:
            given = checked(tool, await self._arguments(request, tool))

            def work(watch: Work) -> dict[str, Any]:
                made = tool.json(called(tool, given, self._memory, watch))
                return {"schema_version": SCHEMA_VERSION, **made}

            return as_json(await self._runner.do(request, work))

        return _telling(tool.name, answer)

    async def _think(self, request: Request) -> Response:
        given = checked(THINK, await self._arguments(request, THINK))
        if streams(request):
            return ThoughtStream(request, self._thinking, self._memory, given)

        def work(watch: Work) -> dict[str, Any]:
            return THINK.json(called(THINK, given, self._memory, watch))

        return as_json(await self._thinking.do(request, work))

    async def _arguments(self, request: Request, tool: Tool) -> Mapping[str, Any]:
        if request.method != "POST":
            return from_query(request.query_params.multi_items(), tool)
        if request.url.query:
            raise UsageError("there are arguments in the address", hint="send all in the body")
        body = await self._runner.body(request)
        if body and request.headers.get("content-type", "").partition(";")[0].strip() != _JSON:
            raise RequestRefused(Refusal(415, "Unsupported", f"the body is not {_JSON}"))
        return parsed(body)

    async def _ready(self, request: Request) -> Response:
        """The store answers, or the error of it is the answer."""
        await self._runner.do(request, lambda _: self._memory.store.stats())
        return as_json({"status": "ready"})

    async def _counts(self, _: Request) -> Response:
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(self._metrics.text(), media_type=kind)

    async def _described(self, _: Request) -> Response:
        return as_json(self._document)


_JSON = "application/json"


async def _healthy(_: Request) -> Response:
    return as_json({"status": "ok"})


def _with_all_limits(tool: Tool) -> Tool:
    return tool._replace(properties={**tool.properties, **_FURTHER.get(tool.name, {})})


def _methods(tool: Tool) -> list[str]:
    return ["POST"] if tool.writes else ["GET", "POST"]


def _telling(doing: str, answer: Endpoint) -> Endpoint:
    """Returns an endpoint that answers every error as JSON."""

    async def endpoint(request: Request) -> Response:
        try:
            return await answer(request)
        except ClientGone:
            return Response(status_code=499)  # nobody reads it
        except (RequestRefused, RecollectError) as error:
            status, content = told(doing, error)
            return as_json(content, status, **_hanging_up(status))
        except Exception as error:  # noqa: BLE001  a bug of ours, told by its kind only
            status, content = told(doing, error)
            return as_json(content, status)

    return endpoint


def _hanging_up(status: int) -> dict[str, str]:
    """Returns the header that ends the connection, where the body was not read to its end: no
    other request can follow."""
    return {"connection": "close"} if status in (408, 413) else {}


# ------------------------------------------------------------------ arguments in an address


def from_query(items: Sequence[tuple[str, str]], tool: Tool) -> Arguments:
    """The arguments that a query string has, each as its schema wants it."""
    made: Arguments = {}
    for name, value in items:
        schema = tool.properties.get(name)
        if schema is None:
            made[name] = value
        elif schema["type"] == "array":
            made.setdefault(name, []).append(value)
        elif name in made:
            raise UsageError(f"{name} is given twice", hint="give it once")
        else:
            made[name] = _read(value, schema["type"])
    return made


def _read(value: str, kind: str) -> Any:
    """As the type, or else as it is written, which the check refuses."""
    try:
        if kind == "integer":
            return int(value)
        if kind == "number":
            return float(value)
    except ValueError:
        return value
    return {"true": True, "false": False}.get(value, value) if kind == "boolean" else value
