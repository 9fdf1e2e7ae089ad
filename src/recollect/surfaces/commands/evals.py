"""``recollect eval`` is the command of another distribution, ``recollect-evals``: this is its place
in the table of commands, and what is said where it is not installed."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from recollect import doctor
from recollect.errors import UsageError
from recollect.surfaces.commands.shared import Options


def declare_eval(parser: argparse.ArgumentParser) -> None:
    command = _installed()
    if command is None:
        parser.add_argument(
            "arguments", nargs=argparse.REMAINDER, help="after `pip install recollect-evals`"
        )
    else:
        command.declare_eval(parser)


def eval_(options: Options) -> int:
    command = _installed()
    if command is None:
        raise UsageError(
            "recollect-evals is not installed",
            hint="pip install recollect-evals; in a checkout, pip install ./evals",
        )
    code: int = command.eval_(options)
    return code


def evaluated() -> doctor.LastEvaluation | None:
    """Returns the last run of this folder, for the doctor; None where there is none to be read."""
    command = _installed()
    last: doctor.LastEvaluation | None = command and command.evaluated()
    return last


def _installed() -> Any:
    """Returns the module with the command, or None where the distribution is missing."""
    return import_module("recollect_evals.command") if find_spec("recollect_evals") else None
