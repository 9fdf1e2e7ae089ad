"""A tour on the sample vault and sessions that ship with the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from recollect.memory import Memory
from recollect.surfaces import render
from recollect.surfaces.shared import print_json
from recollect.surfaces.terminal import ProgressBar, Style, wants_colour
from recollect.types import Answer

SAMPLES = Path(__file__).parent.parent / "samples"


class Step(NamedTuple):
    say: str
    query: str
    kind: str | None = None


STEPS = (
    Step(
        "Ask in the note's own words.",
        "How long does the harbor-api canary take 10 percent of the traffic?",
    ),
    Step(
        "Identifiers are found whole and by their parts.",
        "E_REFUND_TOO_SMALL in the dead letter queue",
    ),
    Step(
        "Ask by meaning: no word of this is in what it finds.",
        "Which vacation destination did we settle on?",
    ),
    Step(
        "Past sessions are searched the same way.",
        "Why did test_next_departure_is_today fail only late in the evening?",
        "session",
    ),
    Step(
        "Syntax is there when it is wanted: a phrase, an exclusion, a folder.",
        '"signing keys" -canary path:runbooks',
    ),
    Step(
        "What is not known is not made up.",
        '"wind tunnel" calibration certificate',
    ),
)


def demo(options: argparse.Namespace) -> int:
    """Import the samples into a store of their own, ask, and show what comes back."""
    style = Style(wants_colour(sys.stdout) and not options.json)
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        memory = Memory.open(folder)
        with memory, ProgressBar(quiet=options.json) as bar:
            done = memory.add(SAMPLES / "vault", SAMPLES / "sessions.jsonl", report=bar)
            answers = [
                (step, memory.search(step.query, limit=2, kinds=[step.kind] if step.kind else None))
                for step in STEPS
            ]
            status = memory.status()
    if options.json:
        answered = [answer.as_json() for _, answer in answers]
        print_json({"receipt": done.as_json(), "answers": answered})
        return 0
    print(f"{style.bold}recollect{style.off}: sample notes and agent sessions of a small company\n")
    print(f"$ recollect add vault sessions.jsonl\n{render.receipt(done, style)}")
    if status.model_state != "ready":
        print(f"\nSearching by words alone: {status.model_state}")
    for step, answer in answers:
        _show(step, answer, style)
    print(f'{style.dim}Your own: recollect add ~/notes && recollect search "…"{style.off}')
    return 0


def _show(step: Step, answer: Answer, style: Style) -> None:
    flags = f" --kind {step.kind}" if step.kind else ""
    print(f"\n{style.bold}{step.say}{style.off}")
    print(f"$ recollect search '{step.query}'{flags}\n")
    print(render.answer(answer, style))
