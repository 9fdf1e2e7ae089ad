"""One request's work: its body read within bounds, the facade called in a thread, and stopped
when the time is over or nobody waits for it any more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from recollect.errors import RecollectError
from recollect.named_tuple import NamedTuple
from recollect.surfaces.http.guard import Refusal
from recollect.surfaces.tools import Work, failure, unexpected
from recollect.trace import Stopped

T = TypeVar("T")

THREADS = 8
"""The number of requests that are worked on at once; others wait their turn."""


class ServerLimits(NamedTuple):
    body: int = 1 << 20
    """Bytes of a request."""
    seconds: float = 30.0
    """For which a request is worked on, waiting for its turn included."""
    patience: float = 10.0
    """Seconds in which a request has to arrive, its head and its body each."""
    rate: float = 100.0
    """Requests a second that one client may send; 0 is any number."""


class RequestRefused(Exception):
    """A request that is not answered, and what is said instead."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class ClientGone(Exception):
    """The client has left: nobody is told anything."""


class RequestRunner:
    """Where requests are worked on."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._turns: anyio.CapacityLimiter | None = None

    async def body(self, request: Request) -> bytes:
        """The whole body, if it is small enough and comes soon enough."""
        most = self.limits.body
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            raise RequestRefused(_too_large(most))
        got = bytearray()
        try:
            with anyio.fail_after(self.limits.patience):
                async for part in request.stream():
                    got += part
                    if len(got) > most:
                        raise RequestRefused(_too_large(most))
        except TimeoutError:
            said = f"the request did not arrive within {self.limits.patience:g} s"
            raise RequestRefused(Refusal(408, "TooSlow", said)) from None
        except ClientDisconnect:
            raise ClientGone from None
        return bytes(got)

    async def do(self, request: Request, call: Callable[[Work], T]) -> T:
        """What *call* returns, from a thread. It is stopped when the client leaves, or the time
        is over; a write that has begun is finished."""
        if self._turns is None:
            self._turns = anyio.CapacityLimiter(THREADS)
        work = Work()
        done: list[tuple[T | None, BaseException | None]] = []

        def outcome() -> tuple[T | None, BaseException | None]:
            try:
                return call(work), None
            except (Exception, Stopped) as error:  # noqa: BLE001  raised again, beside the thread
                return None, error

        async def leave() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        try:
            with anyio.move_on_after(self.limits.seconds) as clock:
                async with anyio.create_task_group() as group:
                    group.start_soon(leave)
                    done.append(
                        await anyio.to_thread.run_sync(
                            outcome, abandon_on_cancel=True, limiter=self._turns
                        )
                    )
                    group.cancel_scope.cancel()
        except asyncio.CancelledError:
            raise RequestRefused(_ENDING) from None
        finally:
            work.stop()
        if not done:
            raise (
                RequestRefused(_too_long(self.limits.seconds))
                if clock.cancelled_caught
                else ClientGone
            )
        found, error = done[0]
        if error is not None:
            raise error
        return found  # type: ignore[return-value]  # there was no error


def _too_large(most: int) -> Refusal:
    return Refusal(413, "TooLarge", f"the request is larger than {most:,} bytes", "send less")


def _too_long(seconds: float) -> Refusal:
    said = f"it took longer than {seconds:g} s, and was stopped"
    return Refusal(
        504, "Cancelled", said, "ask for less, or try again; look before you write again"
    )


_ENDING = Refusal(
    503, "Cancelled", "the server was told to end, and stopped this", "look before you write again"
)

# ------------------------------------------------------------------ JSON in and out


def parsed(body: bytes) -> Mapping[str, Any]:
    """The object that a body is; nothing is an object without members."""

    def never(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        found = json.loads(body, parse_constant=never) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        said = str(error).partition("\n")[0] or "too deep"
        raise RequestRefused(Refusal(400, "UsageError", f"the body is not JSON: {said}")) from None
    if not isinstance(found, dict):
        said = "the body is no JSON object"
        raise RequestRefused(Refusal(400, "UsageError", said, "send the arguments as one object"))
    return found


def as_json(content: Mapping[str, Any], status: int = 200, **headers: str) -> Response:
    try:
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a letter, from a file of somebody's
        body = json.dumps(content, separators=(",", ":")).encode()
    return Response(body, status, headers, "application/json")


def told(doing: str, error: BaseException) -> tuple[int, dict[str, Any]]:
    """The status and the words for whatever went wrong."""
    if isinstance(error, RequestRefused):
        return error.refusal.status, error.refusal.as_json()
    if isinstance(error, RecollectError):
        return error.http_status, failure(error).json
    return 500, unexpected(doing, error).json
