"""``POST /api/think``: a thought as JSON, or as it comes to whoever accepts ``text/event-stream``.

An event is named ``stage``, ``sentence`` or ``again``, and the last one ``final``, which has what
is the answer otherwise; or ``error``. What goes wrong before the first one has its status, as
everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recollect import memory as facade
from recollect.surfaces.http.work import ClientGone, RequestRunner, ServerLimits, as_json, told
from recollect.surfaces.tools import LIMITS, NUMBER, TEXT, YES, Arguments, Tool, Work, called

SECONDS = 60.0
"""The longest time-box: whoever waits is not kept longer."""
STREAM = "text/event-stream"


def _think(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    given["time_box"] = min(given.get("time_box", SECONDS), SECONDS)
    return memory.think(given.pop("query"), **given)


THINK = Tool(
    "think",
    "Think",
    "An answer that the language model writes from memory, its sentences checked against what they "
    f"cite; without one, what it would be from. With Accept: {STREAM} sentences come one by one.",
    {
        "query": TEXT,
        **LIMITS,
        "force": YES,
        "token_budget": NUMBER,
        "time_box": {"type": "number", "description": "seconds"},
        "web": YES,
    },
    ("query",),
    _think,
    "",
    has=("query", "status", "reason", "text", "calls", "written", "bundle", "fingerprint"),
    writes=True,
)


def runner_for(limits: ServerLimits) -> RequestRunner:
    """Where it is thought: with time for two calls, and apart from the searches."""
    return RequestRunner(limits._replace(seconds=max(limits.seconds, SECONDS + 15)))


def streams(request: Request) -> bool:
    return STREAM in request.headers.get("accept", "")


class ThoughtStream(Response):
    """The events of one thought."""

    media_type = STREAM

    def __init__(
        self,
        request: Request,
        runner: RequestRunner,
        memory: facade.Memory,
        given: Arguments,
    ) -> None:
        super().__init__(headers={"cache-control": "no-store"})
        self._request, self._runner, self._memory = request, runner, memory
        self._given = given

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        out, into = anyio.create_memory_object_stream[tuple[str, dict[str, Any]]](1_000)
        begun = False

        async def pump() -> None:
            nonlocal begun
            async for name, content in into:
                if not begun:
                    begun = True
                    await send(self._head())
                await send(
                    {"type": "http.response.body", "body": _event(name, content), "more_body": True}
                )

        with out, into:
            async with anyio.create_task_group() as group:
                group.start_soon(pump)
                problem = await self._thought(lambda *event: _hand(out, *event))
                if problem is not None and begun:
                    await out.send(("error", problem[1]))
                out.close()
        if begun:
            await send({"type": "http.response.body", "body": b""})
        elif problem is not None:
            await as_json(problem[1], problem[0])(scope, receive, send)

    def _head(self) -> dict[str, Any]:
        kept = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        return {"type": "http.response.start", "status": 200, "headers": kept}

    async def _thought(
        self, tell: Callable[[str, dict[str, Any]], None]
    ) -> tuple[int, dict[str, Any]] | None:
        """What went wrong, if anything did."""

        def work(watch: Work) -> None:
            def hear(event: facade.ThoughtEvent) -> None:
                tell(event.kind, event.as_json())

            called(THINK, {**self._given, "tell": hear}, self._memory, watch)

        try:
            await self._runner.do(self._request, work)
        except ClientGone:
            return None
        except Exception as error:  # noqa: BLE001  told as everywhere
            return told(THINK.name, error)
        return None


def _hand(out: Any, name: str, content: dict[str, Any]) -> None:
    """From the thread to the loop; nobody may be there any more."""
    anyio.from_thread.run_sync(_put, out, name, content)


def _put(out: Any, name: str, content: dict[str, Any]) -> None:
    try:
        out.send_nowait((name, content))
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.WouldBlock):
        return


def _event(name: str, content: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()
