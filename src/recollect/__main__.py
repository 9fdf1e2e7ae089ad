"""``recollect`` and ``python -m recollect``."""

from __future__ import annotations

import atexit
import codecs
import gc
import os
import sys
from contextlib import suppress

from recollect import __version__, suspend
from recollect.surfaces import cli, controls
from recollect.surfaces.commands import hook_box
from recollect.surfaces.mcp import stdio
from recollect.surfaces.warm import client

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_PLAIN = {
    "·": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "→": "->",
    "›": ">",
    "≤": "<=",
    "–": "-",
}
"""Our own signs, where only ASCII can be written."""


_OBJECTS = 50_000
"""That are made between two collections of garbage: what a command loads is no garbage."""


def run() -> None:
    """The process of a command: :func:`main`, and an end that takes nothing apart. Stores are
    closed by then, and to free one by one what the system frees at once takes as long as a bare
    start of Python."""
    gc.set_threshold(_OBJECTS, 20, 20)
    # numpy's linear algebra starts a thread for every core, and nothing here is large enough for
    # two. It is read when numpy is loaded; processes that are started from here inherit it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main() -> int:
    """Run the command, whatever has become of stdout."""
    if sys.stdout is None or sys.stderr is None:  # closed by the caller: write into nothing
        nothing = open(os.devnull, "w")  # noqa: SIM115  open as long as the process
        sys.stdout, sys.stderr = sys.stdout or nothing, sys.stderr or nothing
    try:
        try:
            run, *given = _command(sys.argv[1:])
            code = run(*given)
        except SystemExit as done:  # argparse, after --help
            code = int(done.code or 0)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:  # before or after the command, which would have said more
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader has had enough. Python would complain about it once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        what = error.filename or "the output could not be written"
        sys.stderr.write(controls.shown(f"recollect: {what}: {error.strerror}\n"))
        return 1


def _command(words: Sequence[str]) -> tuple[Callable[..., int], *tuple[Any, ...]]:
    """Returns the function that runs a command line, and its arguments. What clients start many
    times a day does without the parser."""
    match words:
        case ["--version" | "-V"]:
            return (_version,)
        case ["mcp"]:
            return stdio.serve, None
        case ["mcp", "--store", store]:
            return stdio.serve, store
        case ["hook", *rest] if not {"-h", "--help"} & set(rest):
            return _hook, rest
        case ["--help" | "-h", *_]:
            _spell_out()
            return cli.run, words
    code = client.answered(words)
    if code is not None:
        return _exit, code
    suspend.heed()
    _spell_out()
    return cli.run, words


def _spell_out() -> None:
    """Has the streams write what they cannot encode in signs that they can."""
    codecs.register_error("plainly", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="plainly")  # a terminal may not know every letter


def _hook(words: Sequence[str]) -> int:
    return hook_box.answered(words, client.stdin())


def _exit(code: int) -> int:
    return code


def _version() -> int:
    sys.stdout.write(f"recollect {__version__}\n")
    return 0


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What cannot be encoded as a sign that can, else as its number."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(
        _PLAIN.get(letter) or letter.encode("ascii", "backslashreplace").decode()
        for letter in missing
    ), error.end


if __name__ == "__main__":
    run()
