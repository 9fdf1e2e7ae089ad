"""Which model the configuration asks for, and whether it is on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from recollect import config as settings
from recollect.errors import ModelMissing
from recollect.memory.arguments import place
from recollect.ports import Embedder


def embedder_for(config: settings.Config) -> tuple[Embedder | None, str]:
    """The configured model, or why there is none. Nothing is loaded yet."""
    from recollect.models.files import known, locate
    from recollect.models.onnx import OnnxEmbedder

    name = config["embed.model"]
    if name == "none":
        return None, "embed.model is none"
    model = known(name)
    try:
        home = locate(models_folder(config), model)
    except ModelMissing as error:
        return None, f"{error.message} ({error.hint})"
    return OnnxEmbedder(model, home), ""


def models_folder(config: settings.Config) -> Path:
    return place(config["models"] or settings.data_folder() / "models")


def fetch_model(config: settings.Config, name: str) -> Path:
    """Download a model's files, check them, and put them where :meth:`Memory.open` looks."""
    from recollect.models.files import fetch, known

    return fetch(models_folder(config), known(name))


def model_states(config: settings.Config) -> list[tuple[str, str, bool]]:
    """(name, licence, whether it is on this machine) of every model known by name."""
    from recollect.models.catalog import CATALOG
    from recollect.models.files import locate

    states = []
    for model in CATALOG.values():
        here = False
        with suppress(ModelMissing):
            locate(models_folder(config), model)
            here = True
        states.append((model.name, model.licence, here))
    return states
