"""MCP with the official SDK: its client over both transports, and our HTTP application on it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

import anyio
from mcp.client import Client as Official
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from conftest import Cli
from mcp_client import MODERN, WAIT, Slow, small_store
from recollect import Memory
from recollect.surfaces.mcp import stdio as mcp_stdio
from recollect.surfaces.mcp.content import McpContent
from recollect.surfaces.mcp.stdio import MAX_LINE, StdioServer, WorkerThreads
from recollect.surfaces.tools import Work


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """For processes that load no model."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    return small_store(tmp_path)


@pytest.fixture
def filled(store: Path) -> Iterator[Memory]:
    with Memory.open(store) as memory:
        yield memory


@pytest.fixture
def slow() -> Slow:
    return Slow(threading.Event(), threading.Event(), [])


class At(NamedTuple):
    url: str
    token: str

    @property
    def shown(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def address(store: Path) -> Iterator[At]:
    """Of a real HTTP server on the store."""
    command = [sys.executable, "-m", "recollect", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(
        [*command, "--store", str(store)], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("serving http://127.0.0.1:"), said + process.stderr.read()
        file = Path(process.stderr.readline().rpartition(" ")[2].strip())
        assert file.stat().st_mode & 0o777 == 0o600
        yield At(said.removeprefix("serving ").strip(), file.read_text().strip())
        process.send_signal(signal.SIGINT)
        process.wait(WAIT)


def stdio_parameters(store: Path) -> StdioServerParameters:
    env = {name: value for name, value in os.environ.items() if name.startswith("RECOLLECT_")}
    arguments = ["-m", "recollect", "mcp", "--store", str(store)]
    return StdioServerParameters(
        command=sys.executable, args=arguments, env={**env, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


async def tour(target: Any, mode: str) -> dict[str, Any]:
    """Everything once, as the official client sees it."""
    async with AsyncExitStack() as stack:
        if isinstance(target, At):
            http = await stack.enter_async_context(create_mcp_http_client(headers=target.shown))
            target = streamable_http_client(target.url, http_client=http)
        client: Any = await stack.enter_async_context(Official(target, mode=mode))
        tools = await client.list_tools()
        found = await client.call_tool("search", {"query": "when do we deploy harbor?"})
        wrong = await client.call_tool("search", {"limit": 1})
        templates = await client.list_resource_templates()
        document = await client.read_resource("recollect://document/keys.md")
        prompt = await client.get_prompt("recall", {"question": "why?"})
        with pytest.raises(MCPError) as caught:
            await client.read_resource("recollect://document/none")
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("nothing", {})
        return {
            "version": client.protocol_version,
            "tools": [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools.tools],
            "found": found.content[0].text,
            "failed": (found.is_error, wrong.is_error),
            "wrong": wrong.content[0].text,
            "templates": [one.uri_template for one in templates.resource_templates],
            "resources": [str(one.uri) for one in (await client.list_resources()).resources],
            "document": document.contents[0].text,
            "prompts": [one.name for one in (await client.list_prompts()).prompts],
            "prompt": prompt.messages[0].content.text,
            "codes": (caught.value.code, unknown.value.code),
        }


def told(target: Any, mode: str) -> dict[str, Any]:
    with anyio.from_thread.start_blocking_portal() as portal:
        return portal.call(tour, target, mode)


def test_the_official_client_sees_the_same_over_both_transports_in_both_eras(
    store: Path, address: At
) -> None:
    seen = {
        (transport, mode): told(target, mode)
        for transport, target in (("stdio", stdio_parameters(store)), ("http", address))
        for mode in ("legacy", "auto")
    }
    first = seen["stdio", "legacy"]
    assert first["failed"] == (False, True)
    assert "We deploy harbor on Fridays" in first["found"]
    for (_, mode), one in seen.items():
        modern = mode == "auto"
        assert one.pop("version") == ("2026-07-28" if modern else "2025-11-25")
        assert one.pop("codes") == ((-32602 if modern else -32002), -32602)
        assert one == first


def test_http_turns_other_hosts_other_origins_and_strangers_away(address: At) -> None:
    import http.client
    from urllib.parse import urlsplit

    place = urlsplit(address.url)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                       "params": {"_meta": MODERN}})  # fmt: skip

    def status(path: str, **headers: str) -> int:
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=WAIT)
        wanted = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Mcp-Method": "tools/list",
            "Mcp-Protocol-Version": "2026-07-28",
            **address.shown,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection.request("POST", path, body, wanted)
        found = connection.getresponse().status
        connection.close()
        return found

    assert status("/mcp") == 200
    assert status("/mcp", Origin=f"http://{place.netloc}") == 200
    assert status("/mcp", Host="localhost") == 200
    assert status("/mcp", Host="[::1]:80") == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::1"):
        assert status("/mcp", Host=host) == 421
        assert status("/anything", Host=host) == 421
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", "file://",
                   f"http://127.0.0.1:{(place.port or 0) + 1}"):  # fmt: skip
        assert status("/mcp", Origin=origin) == 403
        assert status("/anything", Origin=origin) == 403
    for wrong in ("", "Bearer", "Bearer x", "Basic x", address.token):
        assert status("/mcp", Authorization=wrong) == 401
        assert status("/anything", Authorization=wrong) == 401
    assert status("/anything") == 404
    assert status("/mcp", Content_Type="text/plain") == 400


def test_http_refuses_a_body_that_is_too_large(address: At) -> None:
    import http.client
    from urllib.parse import urlsplit

    place = urlsplit(address.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=WAIT)
    connection.putrequest("POST", "/mcp")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Authorization", address.shown["Authorization"])
    connection.putheader("Content-Length", str(MAX_LINE + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_port_that_is_taken_is_told(address: At, cli: Cli) -> None:
    port = address.url.rpartition(":")[2].partition("/")[0]
    ran = cli("mcp", "--http", "--port", port)
    assert ran.code == 1
    assert f"port {port} cannot be had" in ran.err
    assert cli("mcp", "--http", "--port", "70000").code == 2


def test_a_call_over_http_that_is_cancelled_is_stopped(filled: Memory, slow: Slow) -> None:
    from recollect.surfaces.mcp.http import official_server

    server = official_server(McpContent(lambda: filled, tools=(slow.tool(),)))

    async def cancelled() -> None:
        async with Official(server) as client:
            with anyio.move_on_after(WAIT) as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, "slow", {"query": "x"})
                    while not slow.begun.is_set():
                        await anyio.sleep(0.01)
                    group.cancel_scope.cancel()
            assert not scope.cancelled_caught
            while not slow.works[0].stopped:
                await anyio.sleep(0.01)

    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(cancelled)
    slow.go.set()


def test_long_work_over_http_reports_progress(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.surfaces.mcp.http import official_server

    monkeypatch.setattr(Work, "EVERY", 0.0)
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async def asked() -> None:
        async with Official(official_server(McpContent(lambda: filled))) as client:
            await client.call_tool("search", {"query": "harbor"}, progress_callback=hear)

    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(asked)
    assert len(heard) > 3
    assert sorted(heard) == heard
    assert "grade" in {doing for _, doing in heard}


# ------------------------------------------------------------------ the two agree


def test_the_loop_of_our_own_answers_as_the_schemas_of_the_protocol_have_it(
    filled: Memory,
) -> None:
    """Every kind of answer, against the types that the SDK has for each version."""
    from mcp_types.methods import validate_server_result

    requests: list[tuple[str, dict[str, Any]]] = [
        ("tools/list", {}),
        ("tools/call", {"name": "search", "arguments": {"query": "harbor"}}),
        ("tools/call", {"name": "search", "arguments": {}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "recollect://status"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "note"}),
    ]
    for version in (*mcp_stdio.HANDSHAKE, *mcp_stdio.MODERN):
        modern = version in mcp_stdio.MODERN
        first = ("server/discover", {}) if modern else ("initialize", {"protocolVersion": version})
        for method, params in (first, *requests):
            given = {**params, "_meta": MODERN} if modern else params
            sent: list[Any] = []
            workers = WorkerThreads()
            server = StdioServer(McpContent(lambda: filled, structured=True), sent.append, workers)
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
            server.take(json.dumps(message).encode())
            assert workers.rest(WAIT)
            validate_server_result(method, version, sent[0]["result"])


def test_both_transports_take_the_same_versions_and_the_same_sizes() -> None:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    from recollect.surfaces.mcp.http import MAX_BODY

    assert mcp_stdio.HANDSHAKE == HANDSHAKE_PROTOCOL_VERSIONS
    assert mcp_stdio.MODERN == MODERN_PROTOCOL_VERSIONS
    assert MAX_BODY == MAX_LINE
