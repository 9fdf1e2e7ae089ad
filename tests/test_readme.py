"""What the README tells people to type does what it says, from the first line to the last."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ recollect (.*?)(?:\s{2,}#.*)?$", README, re.MULTILINE)
TARGETS = re.findall(r"^\$ make (\w+)", README, re.MULTILINE)
ASKS = ("add sessions",)
"""Commands that ask the person at the terminal."""
STAYS = ("watch", "serve", "mcp")
"""Commands that go on until they are interrupted."""


class Home(NamedTuple):
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        mine = {"HOME": str(self.folder), "RECOLLECT_HOME": str(self.folder / "recollect")}
        quiet = {"BROWSER": "true", "RECOLLECT_RERANK_MODEL": "none"}
        return {**os.environ, **mine, **quiet}

    def start(self, line: str) -> subprocess.Popen[str]:
        words = [str(self.folder / w[2:]) if w.startswith("~/") else w for w in shlex.split(line)]
        return subprocess.Popen(
            [sys.executable, "-m", "recollect", *words],
            cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home of somebody who has what the README speaks of, and one session of Claude Code."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("notes", "project", ".claude/projects/p", "vault"):
        (folder / name).mkdir(parents=True)
    (folder / "notes" / "old-note.md").write_text("# Old\n\nThe canteen has soup.\n")
    told = "# How we release\n\nWe release from the main branch once its tests have passed.\n"
    (folder / "notes" / "releases.md").write_text(told)
    (folder / "project" / "keys.md").write_text("# Rotating\n\nThe signing keys turn in May.\n")
    (folder / "meeting.md").write_text("# Meeting\n\nWe decided to keep three retries.\n")
    said = '{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-03-02T10:00:00Z",'
    said += '"message":{"role":"user","content":"Where does the importer stop?"}}\n'
    (folder / ".claude/projects/p" / "s.jsonl").write_text(said)
    return Home(folder)


def test_every_command_of_the_readme_works_in_its_order(home: Home) -> None:
    assert len(COMMANDS) >= 15
    for line in COMMANDS:
        started = home.start(f"{line} --yes" if line in ASKS else line)
        if line.split()[0] in STAYS:
            said = _interrupted(started)
            assert started.returncode in (0, 130), (line, said)
        else:
            out, said = started.communicate(timeout=120)
            allowed = (0, 3) if line.startswith(("search", "sessions", "answers")) else (0,)
            assert started.returncode in allowed, (line, out, said)
        assert "Traceback" not in said, line


def _interrupted(started: subprocess.Popen[str]) -> str:
    """What it said until it was ready, and after it was asked to stop."""
    assert started.stderr is not None
    assert started.stdout is not None
    first = started.stderr.readline()
    started.send_signal(signal.SIGINT)
    return first + started.communicate(timeout=60)[1]


def test_the_answer_that_the_readme_shows_is_the_one_that_comes(home: Home) -> None:
    out, _ = home.start('search "when is release day?"').communicate(timeout=120)
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    variable = re.compile(r"deploy-day-\w+|\d{4}-\d\d-\d\d|\d+ (?:tokens|ms)|\d\.\d+| · from .*? ·")
    assert variable.sub("…", out.strip()) == variable.sub("…", shown[1].strip())


def test_the_python_of_the_readme_runs(home: Home) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    done = subprocess.run(
        [sys.executable, "-c", code[1]], env=home.environment, cwd=home.folder,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Tuesdays" in done.stdout


def test_the_make_targets_exist() -> None:
    assert TARGETS == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in TARGETS:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
