"""``recollect`` and ``python -m recollect``."""

from __future__ import annotations

import codecs
import os
import sys

_PLAIN = {"·": "-", "…": "...", "“": '"', "”": '"', "→": "->", "›": ">", "≤": "<=", "–": "-"}
"""Our own signs, where only ASCII can be written."""


def main() -> int:
    """Run the command, whatever has become of stdout."""
    if sys.stdout is None or sys.stderr is None:  # closed by the caller: write into nothing
        nothing = open(os.devnull, "w")  # noqa: SIM115  open as long as the process
        sys.stdout, sys.stderr = sys.stdout or nothing, sys.stderr or nothing
    try:
        try:
            code = _run()
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
        sys.stderr.write(f"recollect: {what}: {error.strerror}\n")
        return 1


def _run() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from recollect import __version__

        sys.stdout.write(f"recollect {__version__}\n")
        return 0
    if sys.argv[1:2] == ["mcp"]:  # a client waits for it: it has to start like the version
        from recollect.surfaces.commands.mcp import plain

        is_plain, store = plain(sys.argv[2:])
        if is_plain:
            from recollect.surfaces.mcp.stdio import serve

            return serve(store)
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from recollect.surfaces.commands.hook import called  # refuses nothing, unlike the parser

        return called(sys.argv[2:])
    from recollect import suspend
    from recollect.surfaces.cli import run

    suspend.heed()
    codecs.register_error("plainly", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="plainly")  # a terminal may not know every letter
    return run(sys.argv[1:])


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What cannot be encoded as a sign that can, else as its number."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(
        _PLAIN.get(letter) or letter.encode("ascii", "backslashreplace").decode()
        for letter in missing
    ), error.end


if __name__ == "__main__":
    sys.exit(main())
