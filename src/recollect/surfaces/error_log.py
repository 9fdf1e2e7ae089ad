"""The log of a server: standard error."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress


def write(error: BaseException) -> None:
    """Writes the traceback of a bug of ours, where standard error can still be written to."""
    with suppress(OSError, ValueError):
        traceback.print_exception(error, file=sys.stderr)
