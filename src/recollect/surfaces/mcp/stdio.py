"""MCP over standard input and output: JSON-RPC, one message a line.

A loop of our own, because a client that starts a server waits for it: this one answers
``tools/list`` before anything but the standard library is loaded. Lists and pings are answered
where they are read; whatever opens the store runs in threads beside it, so that a ping, a
cancellation or the end of the input is never kept waiting.

Both eras of the protocol are served, request by request: one that carries the version in its
``_meta`` is of 2026-07-28 or later and stands alone; any other is of the era that begins with
``initialize``. Standard output carries messages and nothing else: what anything prints goes to
standard error.
"""

from __future__ import annotations

import json
import os
from _queue import SimpleQueue
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Condition, Lock, Thread, Timer
from time import monotonic
from typing import Any, TypeGuard

from recollect import memory as facade
from recollect import trace
from recollect.errors import RecollectError
from recollect.named_tuple import NamedTuple
from recollect.surfaces import error_log
from recollect.surfaces.mcp.content import (
    CAPABILITIES,
    INSTRUCTIONS,
    INVALID_PARAMS,
    LIST_FOR_MS,
    NOT_FOUND,
    SERVER,
    McpContent,
    McpError,
    Params,
    Result,
)
from recollect.surfaces.tools import Work
from recollect.surfaces.warm import holder, holders, tool_calls

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INTERNAL_ERROR = -32700, -32600, -32601, -32603
WRONG_VERSION = -32022

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that ``initialize`` agrees on."""
BATCHED = ("2024-11-05", "2025-03-26")
"""Versions in which several messages may come in one array."""
MODERN = ("2026-07-28",)
"""Versions that each request names."""
_KEY = "io.modelcontextprotocol/"
VERSION, CAN = f"{_KEY}protocolVersion", f"{_KEY}clientCapabilities"

MAX_LINE = 4 << 20
MAX_BACKLOG = 32 << 20
"""Bytes that may wait for a slow reader before no more is read."""
THREADS = 8
SETTLED = 0.5
"""Seconds after which a client has its list of tools, and others may be answered for."""
GRACE = 0.7
"""Seconds that what is under way may take after the input has ended."""

Message = dict[str, Any]
Reply = Callable[[Message | None], None]
"""Takes the answer to a request, or None when there is to be none."""


class Method(NamedTuple):
    """How a request is answered."""

    run: Callable[[Params, Work], Result]
    slow: bool = False
    """Whether it may open the store, and is not to be waited for."""
    keep_ms: int | None = None
    """How long a client of the modern era may keep the answer, if it may."""


# ------------------------------------------------------------------ messages


def refusal(id: Any, error: McpError) -> Message:
    about: Message = {"code": error.code, "message": error.message}
    if error.data is not None:
        about["data"] = error.data
    return {"jsonrpc": "2.0", "id": id, "error": about}


def parsed(line: bytes) -> Any:
    """Parses a line as strict JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return json.loads(line.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        raise McpError(PARSE_ERROR, "Parse error: a line is one JSON value in UTF-8") from None


class JsonRpcRequest(NamedTuple):
    """A request or, without an id, a notification."""

    id: str | int | None
    method: str
    params: Params
    modern: bool

    @property
    def meta(self) -> Params:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, Mapping) else {}


def understood(message: Any) -> JsonRpcRequest | None:
    """Parses a JSON-RPC message; returns None for a response, since nothing is requested here."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise McpError(INVALID_REQUEST, "Invalid Request: no JSON-RPC 2.0 message")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    id, method = message.get("id"), message.get("method")
    if ("id" in message and not _is_id(id)) or not isinstance(method, str):
        raise McpError(
            INVALID_REQUEST,
            "Invalid Request: an id is a text or a whole number, and a method a text",
        )
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise McpError(INVALID_PARAMS, "params are an object")
    meta = params.get("_meta")
    modern = method != "initialize" and isinstance(meta, dict) and VERSION in meta
    return JsonRpcRequest(id, method, params, modern)


def _is_id(id: Any) -> TypeGuard[str | int]:
    return isinstance(id, str | int) and not isinstance(id, bool)


def _wants_answer(message: Any) -> bool:
    """Anything but a notification does, also what is nothing at all."""
    return not isinstance(message, dict) or "id" in message or "method" not in message


def _id_of(message: Any) -> Any:
    """For an answer to a message that is not understood: its id, if that can be told."""
    id = message.get("id") if isinstance(message, dict) else None
    return id if _is_id(id) else None


def _check_modern(request: JsonRpcRequest) -> None:
    """Refuse a request whose envelope is not whole, or of a version that is not served."""
    version = request.meta[VERSION]
    if CAN not in request.meta or not isinstance(version, str):
        raise McpError(INVALID_PARAMS, f"params._meta needs {VERSION} (a text) and {CAN}")
    if version not in MODERN:
        known = {"supported": list(MODERN), "requested": version}
        raise McpError(WRONG_VERSION, "Unsupported protocol version", known)


# ------------------------------------------------------------------ threads


class WorkerThreads:
    """Threads that do what takes time, as many as there is work for, up to a limit."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._changed = Condition()
        self._waiting = 0
        self._threads = 0

    def do(self, job: Callable[[], None]) -> None:
        with self._changed:
            self._waiting += 1
            if self._waiting > self._threads and self._threads < THREADS:
                self._threads += 1
                Thread(target=self._run, daemon=True).start()
        self._jobs.put(job)

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            finally:
                with self._changed:
                    self._waiting -= 1
                    self._changed.notify_all()

    def rest(self, within: float) -> bool:
        """Whether everything is done within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, within)


class LineWriter:
    """What is written, by a thread of its own: nobody else waits for a client that reads slowly
    or not at all."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._changed = Condition()
        self._waiting = 0
        self.gone = False
        """Whether nobody reads any more."""
        Thread(target=self._run, daemon=True).start()

    def send(self, message: Any) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._changed:
            self._waiting += len(line)
        self._lines.put(line)

    def _run(self) -> None:
        while True:
            line = self._lines.get()
            if not self.gone:
                try:
                    self._write(line)
                except OSError:
                    self.gone = True
            with self._changed:
                self._waiting -= len(line)
                self._changed.notify_all()

    def settle(self, most: int, within: float | None = None) -> bool:
        """Wait until no more than so many bytes are to be written."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting <= most, within)


class _Batch:
    """The answers to the messages of one JSON-RPC batch, which are sent as one batch."""

    def __init__(self, send: Callable[[Any], None], expected: int) -> None:
        self._send, self._left = send, expected
        self._made: list[Message] = []
        self._lock = Lock()

    def __call__(self, message: Message | None) -> None:
        with self._lock:
            self._left -= 1
            if message is not None:
                self._made.append(message)
            done = self._left == 0 and self._made
        if done:
            self._send(self._made)


# ------------------------------------------------------------------ the server


class StdioServer:
    """One client's conversation, apart from where its lines come from and go to."""

    def __init__(
        self, content: McpContent, send: Callable[[Any], None], workers: WorkerThreads
    ) -> None:
        self._send = send
        self._workers = workers
        self._version = ""
        self.running: dict[str | int, Work] = {}
        self._lock = Lock()
        both = {
            "tools/list": _listing(content.list_tools),
            "tools/call": Method(content.call_tool, slow=True),
            "resources/list": _listing(content.list_resources),
            "resources/templates/list": _listing(content.list_templates),
            "resources/read": Method(
                lambda params, _: content.read_resource(params), slow=True, keep_ms=0
            ),
            "prompts/list": _listing(content.list_prompts),
            "prompts/get": Method(lambda params, _: content.get_prompt(params)),
        }
        first, ping = Method(self._initialize), Method(lambda _, __: {})
        self._methods = {
            False: {**both, "initialize": first, "ping": ping},
            True: {**both, "server/discover": _listing(_discovered)},
        }
        """What can be asked for, by whether the request is of the modern era."""

    def take(self, line: bytes) -> None:
        """One line of input. Never raises; never takes long."""
        try:
            message = parsed(line)
        except McpError as error:
            self._send(refusal(None, error))
            return
        if isinstance(message, list):
            self._take_batch(message)
        else:
            self._take_one(message, self._answered)

    def refuse(self, error: McpError) -> None:
        """Say that a line could not be read."""
        self._send(refusal(None, error))

    def stop(self) -> None:
        """Stop whatever is under way."""
        with self._lock:
            for work in self.running.values():
                work.stop()

    def _answered(self, message: Message | None) -> None:
        if message is not None:
            self._send(message)

    def _take_batch(self, messages: list[Any]) -> None:
        if self._version not in BATCHED or not messages:
            said = "Invalid Request: an array of messages" + " that is empty" * (not messages)
            self._send(refusal(None, McpError(INVALID_REQUEST, said)))
            return
        reply = _Batch(self._send, sum(map(_wants_answer, messages)))
        for message in messages:
            if (
                isinstance(message, dict)
                and "id" in message
                and message.get("method") == "initialize"
            ):
                alone = McpError(INVALID_REQUEST, "Invalid Request: initialize comes alone")
                reply(refusal(_id_of(message), alone))
            else:
                self._take_one(message, reply)

    def _take_one(self, message: Any, reply: Reply) -> None:
        error: McpError | None = None
        try:
            request = understood(message)
            if request is None:
                reply(None)
            elif request.id is None:
                self._take_notification(request)
            else:
                self._take_request(request, request.id, reply)
        except McpError as refused:
            error = refused
        except Exception as raised:  # noqa: BLE001  one bad message must not end the rest
            error = _unexpected(raised)
        if error is not None and _wants_answer(message):
            reply(refusal(_id_of(message), error))

    def _take_notification(self, request: JsonRpcRequest) -> None:
        id = request.params.get("requestId")
        if request.method == "notifications/cancelled" and _is_id(id):
            with self._lock:
                work = self.running.get(id)
            if work is not None:
                work.stop()

    def _take_request(self, request: JsonRpcRequest, id: str | int, reply: Reply) -> None:
        if request.modern:
            _check_modern(request)
        method = self._methods[request.modern].get(request.method)
        if method is None:
            raise McpError(NO_METHOD, f"Method not found: {request.method}")
        token = request.meta.get("progressToken")
        work = Work(self._teller(token) if _is_id(token) else None)
        if not method.slow:
            reply(_result(request, method, work))
            return
        with self._lock:
            self.running[id] = work
        self._workers.do(lambda: self._work(request, id, method, work, reply))

    def _teller(self, token: Any) -> Callable[[float, float | None, str], None]:
        def tell(done: float, total: float | None, doing: str) -> None:
            params = {"progressToken": token, "progress": done, "message": doing}
            if total is not None:
                params["total"] = total
            notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            self._send(notice)

        return tell

    def _work(
        self, request: JsonRpcRequest, id: str | int, method: Method, work: Work, reply: Reply
    ) -> None:
        """In a thread. What was cancelled, before it began or since, is not answered."""

        made: Message | None = None
        try:
            made = None if work.stopped else _result(request, method, work)
        except trace.Stopped:
            pass
        except McpError as error:
            made = refusal(id, error)
        except Exception as error:  # noqa: BLE001  the thread goes on with the next
            made = refusal(id, _unexpected(error))
        with self._lock:
            if self.running.get(id) is work:
                del self.running[id]
        reply(None if work.stopped else made)

    def _initialize(self, params: Params, _: Work) -> Result:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise McpError(INVALID_PARAMS, "initialize needs protocolVersion")
        self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        return {
            "protocolVersion": self._version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }


def _discovered(_: Params) -> Result:
    return {
        "supportedVersions": list(MODERN),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }


def _listing(run: Callable[[Params], Result]) -> Method:
    return Method(lambda params, _: run(params), keep_ms=LIST_FOR_MS)


def _result(request: JsonRpcRequest, method: Method, work: Work) -> Message:
    """The answer, with what the client's era wants in it."""
    try:
        found = method.run(request.params, work)
    except McpError as error:
        if request.modern and error.code == NOT_FOUND:
            error.code = INVALID_PARAMS
        raise
    if request.modern:
        found = {**found, "resultType": "complete", "_meta": {f"{_KEY}serverInfo": SERVER}}
        if method.keep_ms is not None:
            whose = "public" if method.keep_ms else "private"
            found |= {"ttlMs": method.keep_ms, "cacheScope": whose}
    return {"jsonrpc": "2.0", "id": request.id, "result": found}


def _unexpected(error: Exception) -> McpError:
    error_log.write(error)
    return McpError(INTERNAL_ERROR, f"Internal error ({type(error).__name__})")


# ------------------------------------------------------------------ reading lines


def read_lines(
    read: Callable[[int], bytes], server: StdioServer, ready: Callable[[], object]
) -> None:
    """Give the server every line until the input ends; *ready* is waited for between two."""
    held = bytearray()
    skipping = False
    while chunk := read(1 << 16):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if skipping:
                skipping = False
            else:
                line = bytes(held + end)
                if len(line) > MAX_LINE:
                    server.refuse(_too_long())
                elif line.strip():
                    server.take(line)
                    ready()
            held.clear()
        if skipping:
            continue
        held += rest
        if len(held) > MAX_LINE:
            server.refuse(_too_long())
            held.clear()
            skipping = True
    if held.strip():
        server.take(bytes(held))


def _too_long() -> McpError:
    return McpError(INVALID_REQUEST, f"Invalid Request: a line is longer than {MAX_LINE:,} bytes")


# ------------------------------------------------------------------ the process


class LazyMemory:
    """A memory that is opened by whoever first needs it, and opened again where another store is
    in its place since (moved, restored)."""

    def __init__(self, store: str | None, owner: str | None, scopes: list[str] | None) -> None:
        self._store = store
        self._walls = owner, scopes
        self._memory: facade.Memory | None = None
        self._shown: facade.Memory | None = None
        self._is_replaced: Callable[[], bool] = bool
        self._lock = Lock()

    def __call__(self) -> facade.Memory:
        with self._lock:
            if self._is_replaced():
                self._close()
            if self._memory is None or self._shown is None:
                self._memory = self._shown = facade.Memory.open(self._store)
                self._is_replaced = holders.replacement(self._memory.config)
                if self._walls != (None, None):
                    self._shown = self._memory.view(*self._walls)
            return self._shown

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = self._shown = None


def serve(
    store: str | None = None,
    *,
    structured: bool = False,
    owner: str | None = None,
    scopes: list[str] | None = None,
) -> int:
    """Serve the client at the other end of standard input and output until it leaves."""
    source, sink = _claimed(0, os.open(os.devnull, os.O_RDONLY)), _claimed(1, os.dup(2))
    opened, workers, out = (
        LazyMemory(store, owner, scopes),
        WorkerThreads(),
        LineWriter(lambda line: _write(sink, line)),
    )
    content = McpContent(
        opened,
        structured=structured,
        elsewhere=lambda tool, given: tool_calls.asked(tool, given, store, owner, scopes),
    )
    server = StdioServer(content, out.send, workers)
    later = Timer(SETTLED, _hold, (opened, store))
    later.daemon = True
    later.start()
    try:
        with suppress(OSError):  # an input that cannot be read has ended
            read_lines(lambda most: os.read(source, most), server, lambda: out.settle(MAX_BACKLOG))
        return _leave(server, workers, out, opened)
    except KeyboardInterrupt:
        os._exit(130)


def _hold(opened: LazyMemory, store: str | None) -> None:
    """Answers for others on the store; that it cannot be is said by whoever opens it."""
    with suppress(RecollectError, OSError):
        holder.hold(opened, store)


def _leave(server: StdioServer, workers: WorkerThreads, out: LineWriter, opened: LazyMemory) -> int:
    """Within a second: what can be finished is finished, the rest is stopped."""
    until = monotonic() + GRACE
    done = workers.rest(0 if out.gone else GRACE)
    server.stop()
    out.settle(0, max(0.1, until - monotonic()))
    if done:
        opened.close()
        return 0
    os._exit(0)  # threads that work on would keep the process


def _claimed(descriptor: int, instead: int) -> int:
    """A descriptor of our own for a standard stream, which from now on is *instead*: what
    anything else prints or reads does not touch the protocol."""
    ours = os.dup(descriptor)
    if instead != descriptor:  # as it is when the stream came closed
        os.dup2(instead, descriptor)
        os.close(instead)
    return ours


def _write(sink: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(sink, left) :]
