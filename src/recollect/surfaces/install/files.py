"""Files of configuration, read and written with care.

A link is followed, and what it points to is replaced, in one step, with the permissions it had.
What was there before stays beside it as a backup. A file that was changed since it was read is left
alone.
"""

from __future__ import annotations

import glob
import os
import stat
from pathlib import Path

from recollect.errors import InputError
from recollect.named_tuple import NamedTuple

BACKUP = ".recollect-backup"
_UNFINISHED = ".new"


class ConfigFile(NamedTuple):
    """A file as it was read; ``raw`` is None where there is none."""

    path: Path
    """Where it really is."""
    raw: bytes | None
    text: str


def read(path: Path) -> ConfigFile:
    real = Path(os.path.realpath(path))
    try:
        raw = real.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ConfigFile(real, None, "")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", hint="nothing was changed") from error
    try:
        return ConfigFile(real, raw, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        said = f"{path} is not in UTF-8, so it was left as it is"
        raise InputError(said, hint="save it as UTF-8 and run the command again") from error


def write(before: ConfigFile, text: str) -> tuple[list[str], Path | None]:
    """Replace the file; the folders that had to be made, and the backup, if there is one."""
    path = before.path
    try:
        if before.raw != read(path).raw:
            raise InputError(f"{path} was changed meanwhile", hint="run the command again")
        made = _folders(path.parent)
        backup = None
        mode = None
        if before.raw is not None:
            mode = stat.S_IMODE(path.stat().st_mode)
            backup = path.with_name(path.name + BACKUP)
            _replace(backup, before.raw, mode)
        _replace(path, text.encode("utf-8"), mode)
    except OSError as error:
        hint = "nothing was changed; see who may write there"
        raise InputError(f"{path}: {error.strerror or error}", hint=hint) from error
    return made, backup


def _replace(path: Path, content: bytes, mode: int | None) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
    fresh.unlink(missing_ok=True)  # of a process that had this number and was killed
    try:
        with open(fresh, "xb") as stream:
            if mode is not None:
                os.chmod(fresh, mode)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _folders(folder: Path) -> list[str]:
    """Make the folder; those that were not there, the outermost first."""
    missing = []
    at = folder
    while not at.exists():
        missing.append(str(at))
        at = at.parent
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def sweep(path: Path) -> None:
    """Take away what lies beside a file for our sake: its backup, and what killed processes left
    of writing it."""
    unfinished = path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}")
    for left in (path.with_name(path.name + BACKUP), *unfinished):
        left.unlink(missing_ok=True)


def remove(path: Path, folders: list[str]) -> None:
    """Take away a file of ours, its backup, and the folders made for it, where they are empty."""
    try:
        path.unlink(missing_ok=True)
        sweep(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return
