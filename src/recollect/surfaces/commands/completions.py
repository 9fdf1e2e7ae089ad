"""``recollect completions``."""

from __future__ import annotations

import argparse
import sys

from recollect import config as settings
from recollect.surfaces import cli
from recollect.surfaces.commands.completion_scripts import PLACES, SHELLS, Known, levels
from recollect.surfaces.commands.shared import Options, say, show
from recollect.surfaces.install import clients as mcp_clients


def declare_completions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def completions(options: Options) -> int:
    keys = {name: setting.help for name, setting in settings.SETTINGS.items()}
    known: Known = {
        ("install",): {client.name: client.label for client in mcp_clients.CLIENTS},
        **{("config", action): keys for action in ("get", "set", "unset")},
    }
    script = SHELLS[options.shell](tuple(levels(cli.parser_of(), known)))
    if sys.stdout.isatty():
        say(options, f"put this into {PLACES[options.shell]}")
    show(options, {"shell": options.shell, "script": script}, lambda _: script.rstrip("\n"))
    return 0
