"""Whatever bytes come in over a wire, JSON-RPC by lines or HTTP at a port: the server answers or
hangs up, and goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from http_client import Address, inside
from mcp_client import WAIT
from recollect import Memory
from recollect.surfaces.http.work import ServerLimits
from recollect.surfaces.mcp.content import McpContent
from recollect.surfaces.mcp.stdio import INTERNAL_ERROR, StdioServer, WorkerThreads, read_lines
from recollect.surfaces.tools import TOOLS

READING = tuple(tool for tool in TOOLS if not tool.writes)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("wire")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        place: Path = folder / "store"
        with Memory.open(place, embed_model="none", rerank_model="none") as opened:
            opened.remember("We ship on Mondays", name="ship day")
            yield opened


# ------------------------------------------------------------------ JSON-RPC

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_JSON = st.recursive(
    _LEAVES, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(), of, max_size=3),
    max_leaves=8,
)  # fmt: skip
_METHODS = st.sampled_from(
    ("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
     "resources/templates/list", "prompts/list", "prompts/get", "server/discover",
     "notifications/cancelled", "no/such", "")
)  # fmt: skip
_GIVEN = st.dictionaries(st.sampled_from(["query", "id", "limit", "cursor"]), _JSON)
_PARAMS = st.fixed_dictionaries({}, optional={
    "name": st.sampled_from([tool.name for tool in READING]) | _JSON,
    "arguments": _GIVEN | _JSON,
    "uri": st.just("recollect://fact/x") | _JSON,
    "protocolVersion": st.sampled_from(["2025-03-26", "2025-06-18"]) | _JSON,
    "cursor": _JSON, "requestId": _JSON,
    "_meta": st.fixed_dictionaries({}, optional={
        "progressToken": _JSON,
        "io.modelcontextprotocol/protocolVersion": st.just("2026-07-28") | _JSON,
        "io.modelcontextprotocol/clientCapabilities": st.just({}) | _JSON,
    }) | _JSON,
})  # fmt: skip
_MESSAGES = st.fixed_dictionaries({}, optional={
    "jsonrpc": st.just("2.0") | _JSON, "id": st.integers(0, 9) | _JSON,
    "method": _METHODS | _JSON, "params": _PARAMS | _JSON, "result": _JSON,
})  # fmt: skip
_LINES = st.one_of(
    _MESSAGES.map(lambda message: json.dumps({"jsonrpc": "2.0", **message}).encode()),
    st.lists(_MESSAGES, max_size=3).map(lambda some: json.dumps(some).encode()),
    _MESSAGES.map(lambda message: json.dumps(message).encode()[:-3]),
    st.binary(max_size=60),
)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(_LINES, max_size=5), cut=st.integers(1, 200))
def test_whatever_lines_come_the_next_is_answered(
    memory: Memory, lines: list[bytes], cut: int
) -> None:
    sent: list[Any] = []
    workers = WorkerThreads()
    server = StdioServer(McpContent(lambda: memory, tools=READING), sent.append, workers)
    ping = b'{"jsonrpc": "2.0", "id": "last", "method": "ping"}'
    said = b"\n".join([*lines, ping])
    chunks = iter([said[at : at + cut] for at in range(0, len(said), cut)])
    read_lines(lambda _: next(chunks, b""), server, lambda: None)
    assert workers.rest(WAIT)
    told = [one for some in sent for one in (some if isinstance(some, list) else [some])]
    for one in told:
        json.dumps(one, allow_nan=False)
        assert one["jsonrpc"] == "2.0"
        assert ("result" in one) + ("error" in one) + ("method" in one) == 1
        assert one.get("error", {}).get("code") != INTERNAL_ERROR, (lines, one)
    assert {"jsonrpc": "2.0", "id": "last", "result": {}} in told


# ------------------------------------------------------------------ HTTP


@pytest.fixture(scope="module")
def at(memory: Memory) -> Iterator[Address]:
    with inside(memory, ServerLimits(rate=0), READING) as address:
        yield address


_STARTS = st.sampled_from(
    (b"GET / HTTP/1.1\r\n", b"POST /api/search HTTP/1.1\r\n", b"POST /mcp HTTP/1.1\r\n",
     b"PUT //..//%00 HTTP/1.0\r\n", b"GET /api/search?query=%ff%fe HTTP/1.1\r\n", b"\r\n", b"GET ")
)  # fmt: skip
_HEADERS = st.sampled_from(
    (b"Host: 127.0.0.1\r\n", b"Authorization: Bearer " + b"t" * 20 + b"\r\n",
     b"Content-Type: application/json\r\n", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n",
     b"Content-Length: 99999999999\r\n", b"Transfer-Encoding: chunked\r\n",
     b"Expect: 100-continue\r\n", b"Cookie: \xff=\x80; a\r\n", b"Upgrade: websocket\r\n",
     b"X: " + b"y" * 5000 + b"\r\n",
     b"Origin: http://evil\r\n", b"Accept: */*\r\n", b": \r\n", b" folded\r\n")
)  # fmt: skip
_BODIES = st.sampled_from((b"{}", b'{"query": "ship"}', b"[" * 500, b"5\r\nhello\r\n0\r\n\r\n",
                           b"ffffffffffffffff\r\n", b"\x00")) | st.binary(max_size=40)  # fmt: skip
_REQUESTS = st.builds(
    lambda start, headers, body: start + b"".join(headers) + b"\r\n" + body,
    _STARTS, st.lists(_HEADERS, max_size=6), _BODIES,
) | st.binary(max_size=120)  # fmt: skip


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(said=st.lists(_REQUESTS, min_size=1, max_size=3).map(b"".join))
def test_whatever_bytes_come_the_server_answers_or_hangs_up(at: Address, said: bytes) -> None:
    with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
        heard = b""
        try:
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65536):
                heard += more
        except ConnectionError:
            pass  # it hung up
    assert not heard or heard.startswith(b"HTTP/1.1 "), heard[:200]
    assert b"HTTP/1.1 500" not in heard, said


def test_it_serves_afterwards(at: Address) -> None:
    assert at.post("search", query="ship day").status == 200
