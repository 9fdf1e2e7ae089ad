"""An environment for each engine, made once from its pinned requirements."""

from __future__ import annotations

import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

INSTALL_S = 900
_ERROR = re.compile(r"(?:Error|ERROR): \S")


class Unavailable(Exception):
    """An engine cannot be measured; the message says why."""


def python_for(requirements: Path | None, folder: Path) -> Path:
    """The interpreter that has what is required; this one, if nothing is. What was made before is
    used again until the requirements change."""
    if requirements is None:
        return Path(sys.executable)
    if not requirements.is_file():
        raise Unavailable(f"there is no {requirements.name}")
    python = folder / "venv" / "bin" / "python"
    ready = folder / "venv" / f"ready-{sha256(requirements.read_bytes()).hexdigest()[:16]}"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _do([sys.executable, "-m", "venv", str(folder / "venv")])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _do([*pip, "--requirement", str(requirements)])
        ready.touch()
    return python


def _do(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"installing it took longer than {INSTALL_S} s") from error
    if done.returncode:
        raise Unavailable(f"it could not be installed: {reason(done.stderr)}")


def reason(said: str) -> str:
    """Returns the last line that names an error. What pip writes after it, when a build has failed,
    is a note that says nothing of the cause."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no reason given"]
    return next((line for line in reversed(lines) if _ERROR.search(line)), lines[-1])
