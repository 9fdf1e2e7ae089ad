"""The log of a server: standard error."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress

from recollect.surfaces.controls import shown


def write(error: BaseException) -> None:
    """Writes the traceback of a bug of ours, where standard error can still be written to."""
    with suppress(OSError, ValueError):
        sys.stderr.write(shown("".join(traceback.format_exception(error))))
