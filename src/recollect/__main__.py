"""``recollect`` and ``python -m recollect``."""

from __future__ import annotations

import sys


def main() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from recollect import __version__

        sys.stdout.write(f"recollect {__version__}\n")
        return 0
    from recollect.surfaces.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
