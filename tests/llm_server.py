"""A local server that speaks the protocols of language models, and misbehaves as it is told."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

KEY = "sk-test-0123456789abcdef"


class Asked(NamedTuple):
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]


class Say(NamedTuple):
    """One answer: its parts are sent one after the other, with a pause before each."""

    status: int = 200
    parts: tuple[bytes, ...] = ()
    headers: Mapping[str, str] = {}
    pause: float = 0.0
    cut: bool = False
    """The connection is dropped after the parts, with a reset."""
    length: int | None = None
    """The Content-Length, where it is not what is sent."""


def said(content: Any, status: int = 200, **headers: str) -> Say:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Say(status, (raw,), {"Content-Type": "application/json", **named})


Answer = Say | Callable[[Asked], Say]


class LlmServer:
    """What it says is taken from ``answers``, the last of which it says for ever."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[Asked] = []
        self.dropped = threading.Event()
        """Set when a client went away while it was being answered."""
        self.at_once = self.most_at_once = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.path, json.loads(raw), headers)
                with outer._lock:
                    outer.asked.append(asked)
                    answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                try:
                    outer._say(self, answer if isinstance(answer, Say) else answer(asked))
                except OSError:
                    outer.dropped.set()
                finally:
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def _say(self, handler: BaseHTTPRequestHandler, say: Say) -> None:
        length = sum(map(len, say.parts)) if say.length is None else say.length
        if not say.pause:
            self._head(handler, say, length)
        for place, part in enumerate(say.parts):
            with self._counted():  # not while it writes: whoever has all of it may ask again
                self._rest(handler, say.pause)
            if say.pause and not place:
                self._head(handler, say, length)
            handler.wfile.write(part)
            handler.wfile.flush()
        if say.cut:
            linger = struct.pack("ii", 1, 0)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            handler.connection.close()

    def _head(self, handler: BaseHTTPRequestHandler, say: Say, length: int) -> None:
        handler.send_response(say.status)
        for name, value in say.headers.items():
            handler.send_header(name, value)
        if "Content-Length" not in say.headers and length >= 0:
            handler.send_header("Content-Length", str(length))
        handler.send_header("Connection", "close")
        handler.end_headers()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self._lock:
                self.at_once -= 1

    def _rest(self, handler: BaseHTTPRequestHandler, seconds: float) -> None:
        """Wait, and look whether the client is still there."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.closing.is_set():
            handler.connection.settimeout(0.01)
            try:
                if handler.connection.recv(1, socket.MSG_PEEK) == b"":
                    raise ConnectionResetError
            except TimeoutError:
                pass
            finally:
                handler.connection.settimeout(None)

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


# ------------------------------------------------------------------ what each protocol says


def completion(text: str, finish: str = "stop", **usage: Any) -> dict[str, Any]:
    counted = {"prompt_tokens": 100, "completion_tokens": 20, **usage}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c1", "model": "toy-1", "choices": [choice], "usage": counted}


def message(text: str, reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    counted = {"input_tokens": 60, "output_tokens": 20, **usage}
    content = [{"type": "text", "text": text}]
    return {"type": "message", "model": "toy-1", "content": content, "stop_reason": reason,
            "usage": counted}  # fmt: skip


def tool_use(given: Any) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": "t1", "name": "answer", "input": given}]
    return {**message("", "tool_use"), "content": content}


def sse(*events: Any, **more: Any) -> Say:
    """A stream of server-sent events; a text is sent as it stands."""
    parts = tuple(
        f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
        for event in events
    )
    return Say(200, parts, {"Content-Type": "text/event-stream"}, length=-1)._replace(**more)


def openai_stream(*texts: str, done: bool = True, **more: Any) -> Say:
    chunks: list[Any] = [
        {"model": "toy-1", "choices": [{"index": 0, "delta": {"content": text}}]} for text in texts
    ]
    if done:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        usage = {"prompt_tokens": 100, "completion_tokens": 20,
                 "prompt_tokens_details": {"cached_tokens": 40}}  # fmt: skip
        chunks += [{"choices": [], "usage": usage}, "[DONE]"]
    return sse(*chunks, **more)


def anthropic_stream(*texts: str, done: bool = True, **more: Any) -> Say:
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 1}
    start = {"type": "message_start", "message": {"model": "toy-1", "usage": usage}}
    deltas = [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
        for text in texts
    ]
    end: list[Any] = [
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return sse(start, {"type": "ping"}, *deltas, *(end if done else []), **more)
