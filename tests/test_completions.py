"""What a shell offers after ``recollect``, asked of the shells themselves."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.surfaces.cli import COMMANDS, run
from recollect.surfaces.commands.overview import GROUPS

Ask = Callable[[str], set[str]]

_BASH = """source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_recollect; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
_ZSH = """compdef() {{ }}; compadd() {{ shift; print -l -- $@ }}; _files() {{ }}
_describe() {{ print -l -- ${{found%%:*}} }}
source {script}
words=({words}); CURRENT=$#words
_recollect
"""
_FISH = "source {script}; complete -C {line}"


def _ran(shell: str, script: str) -> set[str]:
    quiet = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run([shell, *quiet, "-c", script], capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    return {line.partition("\t")[0] for line in done.stdout.splitlines()}


@pytest.fixture(params=["bash", "zsh", "fish"])
def offered(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Ask:
    """What the shell offers for the last word of a line."""
    shell: str = request.param
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert run(["completions", shell]) == 0
    script = tmp_path / f"recollect.{shell}"
    script.write_text(capsys.readouterr().out, encoding="utf-8")

    def ask(line: str) -> set[str]:
        words = " ".join(map(shlex.quote, [*shlex.split(line), *([""] if line[-1] == " " else [])]))
        text = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[shell]
        found = _ran(shell, text.format(script=script, words=words, line=shlex.quote(line)))
        last = "" if line[-1] == " " else line.split()[-1]
        return {word for word in found if word.startswith(last)}

    return ask


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("recollect se", {"search", "sessions", "serve"}),
        ("recollect search --by ", {"hybrid", "keyword", "semantic"}),
        ("recollect search deploy --min", {"--min-confidence"}),
        ("recollect config s", {"set"}),
        ("recollect config set search.own", {"search.owner"}),
        ("recollect install claude", {"claude-code", "claude-desktop"}),
    ],
)
def test_what_may_follow_is_offered(offered: Ask, line: str, some: set[str]) -> None:
    assert offered(line) == some


def test_a_command_is_not_offered_inside_another(offered: Ask) -> None:
    assert "sessions" not in offered("recollect config ")


def test_every_command_is_in_one_group_of_the_help() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(command.name for command in COMMANDS)
