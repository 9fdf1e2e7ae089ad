"""A tour on the sample vault and sessions that ship with the package: real commands, run as a
person would type them, in a store that is gone afterwards."""

from __future__ import annotations

import argparse
import io
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.surfaces import cli
from recollect.surfaces.commands.shared import Options, print_json, say
from recollect.surfaces.terminal import Style, wants_colour, width

SAMPLES = Path(__file__).parents[2] / "samples"
ASKED = "Why did we move login sessions, and where to?"
AGAIN = "Why did we move the login sessions and where to"
WRITTEN = "Redis was full and lost 214 logins; since October 2025 they are in Postgres."


class Step(NamedTuple):
    say: str
    commands: tuple[str, ...]
    """As they are typed, after ``recollect``."""


STEPS = (
    Step(
        "Import a folder of notes and the sessions of an agent.",
        ("add vault sessions.jsonl",),
    ),
    Step(
        "Ask. One answer, with how sure it is, and not the twenty next best.",
        ('search "E_REFUND_TOO_SMALL in the dead letter queue"',),
    ),
    Step(
        "By meaning too: no note says “billed”.",
        ('search "what made shops get billed twice?" --limit 1',),
    ),
    Step(
        "A fact has names. Ask by any of them: it is looked up, not searched for.",
        (
            'remember "We ship harbor-api on Thursdays." --name "deploy day" --alias "release day"',
            'search "when is release day?"',
        ),
    ),
    Step(
        "What replaces it does so for good: the old one stays on record, and answers nothing.",
        (
            'remember "We ship harbor-api on Tuesdays." --name "deploy day" '
            '--alias "release day" --replace',
            'search "when is release day?"',
            'history "deploy day"',
        ),
    ),
    Step(
        "What is not known is not made up.",
        ("search '\"wind tunnel\" calibration certificate'",),
    ),
    Step(
        "A past session, from what was asked to how it ended.",
        ('sessions "why did the departures test fail at night?" --limit 1',),
    ),
    Step(
        "For an answer that has to be put together, a model gets what it needs …",
        (f'gather "{ASKED}" --tokens 450',),
    ),
    Step(
        "… and what it wrote is kept and served, in other words too, until something changes.",
        (
            f'record-answer "{ASKED}" "{WRITTEN}" --fingerprint FINGERPRINT',
            f'search "{AGAIN}"',
        ),
    ),
    Step(
        "Every answer can say how it came about.",
        ("search '\"signing keys\" -canary path:runbooks' --explain",),
    ),
)


def declare_demo(_: argparse.ArgumentParser) -> None:
    pass


def demo(options: Options) -> int:
    """Run each step in a store of its own, and show it as it runs."""
    try:
        return _tour(options)
    except KeyboardInterrupt:
        say(options, "interrupted; nothing of the tour is kept")
        return 130


def _tour(options: Options) -> int:
    style = Style(wants_colour(sys.stdout) and not options.json)
    steps = []
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        tour = _Tour(folder)
        if not options.json:
            print(f"{style.bold}recollect{style.off}, on the notes and sessions of a boat rental")
        for step in STEPS:
            if options.json:
                steps.append({"says": step.say, "commands": list(map(tour.answer, step.commands))})
                continue
            print(f"\n{style.bold}{fill(step.say, width())}{style.off}")
            for command in step.commands:
                print(f"\n{style.mark}${style.off} {_typed(command)}\n", flush=True)
                tour.show(command)
    if options.json:
        print_json({"steps": steps})
    else:
        print(f'\nYour own: recollect add ~/notes && recollect search "…"{style.off}')
    return 0


def _typed(command: str) -> str:
    """A command as one would type it, over several lines where it is long; an option stays with
    the beginning of its value."""
    whole = re.sub(r" (--[\w-]+) (?=[^-])", r" \1\0", f"recollect {command}")
    lines = wrap(whole, width() - 6, break_on_hyphens=False)
    return " \\\n    ".join(lines).replace("\0", " ")


class _Tour:
    """Commands that are run one after the other on one store."""

    def __init__(self, folder: str) -> None:
        self._store = folder
        self._fingerprint = ""

    def answer(self, command: str) -> Mapping[str, Any]:
        """What a program gets."""
        said = io.StringIO()
        with redirect_stdout(said):
            self._run(command, "--json")
        found: Mapping[str, Any] = json.loads(said.getvalue())
        self._fingerprint = found.get("fingerprint", self._fingerprint)
        return {"command": f"recollect {command}", "answer": found}

    def show(self, command: str) -> None:
        """What a person sees."""
        if not command.startswith("gather"):
            self._run(command)
            return
        self.answer(command)
        said = io.StringIO()
        with redirect_stdout(said):
            self._run(command)
        for line in said.getvalue().splitlines():
            print(fill(line, width()))

    def _run(self, command: str, *more: str) -> None:
        words = list(map(self._word, shlex.split(command)))
        if cli.run([*words, *more, "--store", self._store, "--quiet"]) == 130:
            raise KeyboardInterrupt

    def _word(self, word: str) -> str:
        if word == "FINGERPRINT":
            return self._fingerprint
        return str(SAMPLES / word) if word in ("vault", "sessions.jsonl") else word
