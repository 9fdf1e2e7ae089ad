"""What the README tells people to type is understood by the command line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from recollect.surfaces.cli import _parser

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ recollect (.*?)(?:\s{2,}#.*)?$", README, re.MULTILINE)
TARGETS = re.findall(r"^\$ make (\w+)", README, re.MULTILINE)


def test_there_are_commands_to_check() -> None:
    assert len(COMMANDS) >= 8
    assert TARGETS == ["demo", "test"]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_is_understood(line: str) -> None:
    assert _parser().parse_args(shlex.split(line)).run


def test_the_make_targets_exist() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    for target in TARGETS:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
