"""Model files on this machine: where they are, and whether they are what they should be.

A model is a folder named by its content. :mod:`fetching` puts it there whole, by one rename.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from recollect.errors import ModelError, ModelMissing
from recollect.models import checksums
from recollect.models.catalog import LocalModel, Location, read_manifest
from recollect.models.sentence_transformers import weights_in


class ModelFolder:
    """The folder that models are kept in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def locate(self, model: LocalModel) -> Path:
        """Returns where the model's files are, without reading them; raises ModelMissing if they
        are nowhere."""
        places = (self.folder / model.key, *map(place_of, model.locations))
        for place in places:
            if place is not None and all((place / name).is_file() for name in model.files):
                return place
        raise ModelMissing(
            f"the model {model.name} is not on this machine",
            hint=f"`recollect models fetch {model.name}` gets it ({model.megabytes} MB); "
            "until then search is by words alone",
        )

    def verify(self, model: LocalModel) -> Path:
        """Returns where the files are, after reading every byte of them."""
        home = self.locate(model)
        for name, wanted in model.files.items():
            path = home / name
            checksums.check(path, wanted, path.name)
        return home


def place_of(location: Location) -> Path | None:
    """Returns the folder on this machine that a location names, if there is one."""
    if location.kind == "folder":
        return Path(location.where)
    if location.kind != "package":
        return None
    package, _, inner = location.where.partition("/")
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / inner


def own_model(folder: Path) -> LocalModel:
    """Returns the model in a folder of the user's own. Its weights are hashed once and remembered
    by size and mtime, since reading them takes longer than a search."""
    about = read_manifest(folder)
    weights = weights_in(folder)
    about = {"licence": "unknown", **about, "weights": weights}
    files = {name: _hash_in(folder, name) for name in (weights, "tokenizer.json")}
    about = {name: tuple(x) if isinstance(x, list) else x for name, x in about.items()}
    return LocalModel(**about, files=files, locations=(Location("folder", str(folder)),))


def _hash_in(folder: Path, name: str) -> str:
    try:
        return checksums.remembered(folder, name)
    except OSError as error:
        raise ModelError(
            f"{folder / name} cannot be read: {error.strerror}",
            hint="a model is model.onnx with its tokenizer.json",
        ) from error
