"""The tutorial's commands, run as a stranger runs them, print what the page shows."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
OURS = {line: said for line, said in BLOCKS if line.startswith("recollect ")}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody who has notes and uses Claude Code."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "src" / "recollect" / "samples" / "vault", folder / "notes")
    (folder / ".claude").mkdir()
    return folder


def environment(home: Path) -> dict[str, str]:
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("RECOLLECT_", "XDG_"))}
    return {**kept, "HOME": str(home), "PATH": os.defpath, "NO_COLOR": "1", "COLUMNS": "80"}


def typed(line: str, home: Path) -> str:
    """What a command prints at a terminal where every question is answered with Enter."""
    terminal, its_end = pty.openpty()
    words = [sys.executable, "-m", *shlex.split(line)]
    process = subprocess.Popen(
        words, stdin=its_end, stdout=its_end, stderr=its_end, cwd=home / "notes",
        env=environment(home),
    )  # fmt: skip
    os.close(its_end)
    shown = ""
    while select.select([terminal], [], [], 300)[0]:
        try:
            shown += os.read(terminal, 65536).decode()
        except OSError:  # the other end is closed
            break
        if shown.endswith("] "):
            os.write(terminal, b"\n")
    os.close(terminal)
    assert process.wait(60) == 0, shown
    return shown


def lines(text: str, home: Path) -> list[str]:
    """The lines that stay, without the bar and what is another on every machine and every day."""
    text = re.sub(r"[^\n]*\x1b\[1G\x1b\[K", "", text.replace("\r", ""))
    text = text.replace(str(home), "~")
    text = re.sub(r"about \d+ (?:s|min) +", "about … ", re.sub(r"\d+ ms", "… ms", text))
    return [line.rstrip() for line in text.splitlines()]


def test_the_path_of_a_stranger_has_five_commands() -> None:
    typed = [" ".join(line.split()[:2]) for line, _ in BLOCKS]
    assert typed == ["pip install", "recollect init", "recollect search", "recollect install"]
    assert len(re.findall(r"^```sh\n(.+)\n```$", PAGE, re.MULTILINE)) == 1  # the agent's own


@pytest.mark.parametrize("line", OURS)
def test_a_command_prints_what_the_page_shows(line: str, home: Path) -> None:
    got, shown = lines(typed(line, home), home), lines(OURS[line], home)
    if shown[-1].strip() == "…":  # the page shows how it begins
        shown.pop()
        got = got[: len(shown)]
    assert got == shown


def test_the_agent_gets_what_the_page_shows(home: Path) -> None:
    """By the command that the install has written into the settings of the agent."""
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["recollect"]
    question = re.search(r'^claude -p "(.+)"$', PAGE, re.MULTILINE)
    shown = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert question is not None
    assert shown is not None
    started = subprocess.Popen(
        [server["command"], *server["args"]], env=environment(home), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with started as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.writelines(f"{line}\n" for line in _call(question[1]))
        agent.stdin.flush()
        replies = [json.loads(agent.stdout.readline()) for _ in range(2)]
        agent.stdin.close()
    text = replies[1]["result"]["content"][0]["text"]
    head, *rest = shown[1].splitlines()
    assert text.startswith(head)
    assert text.splitlines()[1 : len(rest) + 1] == rest


def _call(question: str) -> Iterator[str]:
    who = {"protocolVersion": "2025-11-25", "capabilities": {}}
    who["clientInfo"] = {"name": "agent", "version": "1"}
    asked = {"name": "search", "arguments": {"query": question}}
    yield json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who})
    yield json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    yield json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked})
