"""The official Inspector drives both transports from its command line, if it is here.

``make conformance`` fetches it, and the Node that it needs, into ``.cache/conformance``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed")

from http_client import QUIET, serve
from mcp_client import WAIT, small_store
from recollect.surfaces.tools import NAMED

MODULES = Path(__file__).parents[1] / ".cache" / "conformance" / "node_modules"
NODE = MODULES / ".bin" / "node"
INSPECTOR = MODULES.joinpath(
    "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"
)

pytestmark = pytest.mark.skipif(
    not (NODE.exists() and INSPECTOR.exists()),
    reason="the MCP Inspector is not here: `make conformance` fetches it",
)


class Inspector:
    """What its command line prints of a server."""

    def __init__(self, home: Path, *target: str) -> None:
        self._home, self._target = home, target

    def __call__(self, method: str, *options: str) -> Any:
        env = {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(self._home)}
        done = subprocess.run(
            [NODE, INSPECTOR, "--cli", "--method", method, *options, *self._target],
            capture_output=True, text=True, env=env, timeout=WAIT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode in (0, 5), done.stdout + done.stderr  # 5: the tool failed
        return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["stdio", "http"])
def inspect(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Inspector]:
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUIET.items():
            patch.setenv(name, value)
        store = small_store(folder)
    if request.param == "stdio":
        given = {**QUIET, "PYTHONPATH": os.pathsep.join(sys.path)}
        options = [part for name, value in given.items() for part in ("-e", f"{name}={value}")]
        command = (sys.executable, "-m", "recollect", "mcp", "--store", str(store))
        yield Inspector(folder, *options, "--", *command)
        return
    server = serve(store, folder / "home")
    try:
        url = f"http://127.0.0.1:{server.address.port}/mcp"
        token = f"Authorization: Bearer {server.address.token}"
        yield Inspector(folder, "--header", token, "--", url)
    finally:
        server.end()


def test_the_inspector_lists_calls_and_reads(inspect: Inspector) -> None:
    assert [one["name"] for one in inspect("tools/list", "--strict")["tools"]] == list(NAMED)
    found = inspect("tools/call", "--tool-name", "search", "--tool-arg", "query=harbor")
    assert "We deploy harbor on Fridays" in found["content"][0]["text"]
    wrong = inspect("tools/call", "--tool-name", "get", "--tool-arg", "id=nowhere")
    assert wrong["isError"] is True
    read = inspect("resources/read", "--uri", "recollect://document/keys.md")
    assert "rotated in March by Priya" in read["contents"][0]["text"]
    assert [one["name"] for one in inspect("prompts/list")["prompts"]] == ["recall", "note"]
