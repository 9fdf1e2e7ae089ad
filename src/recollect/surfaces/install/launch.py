"""The command line by which a client starts this program.

Apart from the table of clients, which hooks read on every prompt: they have no time for what it
takes to look for programs.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from shutil import which as which
from subprocess import list2cmdline

from recollect.named_tuple import NamedTuple

NAME = "recollect"
"""Of the program."""


class Launch(NamedTuple):
    """The command, and the arguments that come before those of ours."""

    command: str
    arguments: tuple[str, ...] = ()
    store: str | None = None

    def words(self, *more: str) -> list[str]:
        """The command and its arguments, as a list."""
        of_store = ("--store", self.store) if self.store else ()
        return [self.command, *self.arguments, *more, *of_store]

    def line(self, *more: str) -> str:
        """The same as one line for the shell of this system."""
        quoted = list2cmdline if sys.platform == "win32" else shlex.join
        return quoted(self.words(*more))


def this_program(store: str | None = None) -> Launch:
    """Returns how to start ourselves, by absolute path: a program with a window has no PATH of a
    shell."""
    beside = Path(sys.executable).with_name("recollect.exe" if sys.platform == "win32" else NAME)
    named = sys.argv[0] if Path(sys.argv[0]).stem == NAME else None
    for one in filter(None, (named, str(beside), which(NAME))):
        if Path(one).is_file() and os.access(one, os.X_OK):
            return _launch_of(os.path.abspath(one), store)
    return Launch(sys.executable, ("-m", NAME), store)


def _launch_of(program: str, store: str | None) -> Launch:
    uvx = which("uvx") if "archive-v0" in Path(program).parts else None
    if uvx:
        return Launch(uvx, (NAME,), store)  # uv's cache, which may be emptied
    return Launch(program, (), store)
