"""The official conformance suite against our HTTP application, if it is here.

``make conformance`` fetches it, and the Node that it needs, into ``.cache/conformance``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed")

ROOT = Path(__file__).parents[1]
MODULES = ROOT / ".cache" / "conformance" / "node_modules"
NODE = MODULES / ".bin" / "node"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

pytestmark = pytest.mark.skipif(
    not (NODE.exists() and SUITE.exists()),
    reason="the conformance suite is not here: `make conformance` fetches it",
)

SCORED = {"2025-11-25": 30, "2026-07-28": 37}
WITHOUT_FIXTURES = {
    "2025-11-25": (
        "server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
        "dns-rebinding-protection", "server-sse-multiple-streams", "server-session-lifecycle",
    ),
    "2026-07-28": (
        "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection", "caching",
        "sep-2164-resource-not-found", "server-sse-multiple-streams", "http-header-validation",
        "input-required-result-unsupported-methods",
    ),
}  # fmt: skip
"""Scenarios that ask for nothing but what every server has."""


@contextmanager
def served(store: Path, *options: str) -> Iterator[str]:
    """The address of the application, in a process of its own."""
    script = [sys.executable, str(Path(__file__).parent / "mcp_fixtures.py"), str(store)]
    with subprocess.Popen([*script, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(30)


def run(*arguments: str) -> dict[str, tuple[int, int]]:
    """Passed and failed checks, by scenario."""
    done = subprocess.run(
        [NODE, SUITE, "server", *arguments],
        capture_output=True, text=True, timeout=300, cwd=ROOT / ".cache",
    )  # fmt: skip
    whole = done.stdout + done.stderr
    found = re.findall(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", whole, re.MULTILINE)
    assert found, whole[-2000:]
    return {name: (int(passed), int(failed)) for name, passed, failed in found}


@pytest.mark.parametrize("revision", SCORED)
def test_every_scored_scenario_passes_with_the_fixtures_mounted(
    tmp_path: Path, revision: str
) -> None:
    listed = (SUITE.parents[1] / "requirements").glob(f"*{revision}*")
    server = next(listed).read_text().partition("\nserver:\n")[2].partition("\n\n")[0]
    scored = re.findall(r"- ([\w-]+)", server)
    assert len(scored) == SCORED[revision]
    with served(tmp_path / "store") as url:
        found = run("--url", url, "--requirements", revision)
    assert {name: found[name] for name in scored if found[name][1] or not found[name][0]} == {}


@pytest.mark.parametrize("revision", WITHOUT_FIXTURES)
def test_the_application_as_it_ships_passes_what_needs_no_fixture(
    tmp_path: Path, revision: str
) -> None:
    with served(tmp_path / "store", "--plain") as url:
        found = run("--url", url, "--requirements", revision)
    wanted = WITHOUT_FIXTURES[revision]
    assert {name: found[name] for name in wanted if found[name][1] or not found[name][0]} == {}
