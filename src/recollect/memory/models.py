"""Which model the configuration asks for, and whether it is on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from recollect import config as settings
from recollect import permissions, ports
from recollect.arguments import place
from recollect.errors import ModelError, ModelMissing
from recollect.memory import llm
from recollect.models import (
    addresses,
    endpoint,
    fetching,
    files,
    onnx,
    pairs,
    rerank_endpoint,
    rerank_llm,
    scales,
)
from recollect.models.catalog import CATALOG, EMBED, PAIR, SMOLLM2, LocalModel, known
from recollect.named_tuple import NamedTuple
from recollect.ports import Embedder, Meter, PairModel, Reranker
from recollect.reading import fitted

NO_LLM = "no language model is configured"
_WORTH_THREADS = 16
"""Passages from which on embedding takes all processors: fewer are done in a few seconds."""
_FOLDERS = "folders.json"
"""In the models folder: where models of one's own were, by their keys."""
_REMEMBERED = 32
"""Questions whose vectors are remembered."""


class NoModel(NamedTuple):
    """Stands where a model would, and says why there is none."""

    why: str
    wanted: bool = True
    """Whether answers are the poorer for it: not where the user or the caller wants none."""


M = TypeVar("M")


def model_or_why(chosen: M | NoModel) -> tuple[M | None, str]:
    """The model, or None and why there is none."""
    return (None, chosen.why) if isinstance(chosen, NoModel) else (chosen, "")


def embedder_for(config: settings.Config) -> Embedder | NoModel:
    """The configured embedding model. Nothing is loaded yet."""
    name: str = config["embed.model"]
    if name == "none":
        return NoModel("embed.model is none", wanted=False)
    if ":" in name and addresses.is_endpoint(name):
        return _endpoint(config, name)
    try:
        return _embedder(config, _model(name, "embed"))
    except ModelError as error:
        return _not_usable("embed.model", error)


def reranker_for(config: settings.Config) -> Reranker | NoModel:
    """The configured reranker. Nothing is loaded yet."""
    name: str = config["rerank.model"]
    if name == "none":
        return NoModel("", wanted=False)
    if "://" in name:
        return rerank_endpoint.EndpointReranker(name)
    if name == "llm":
        return llm_reranker(llm.Languages(config))
    try:
        model = _model(name, "rerank")
        home = _folder_of_models(config).locate(model)
        return onnx.OnnxReranker(model, home, device=config["device"])
    except ModelError as error:
        return _not_usable("rerank.model", error)


def _not_usable(setting: str, error: ModelError) -> NoModel:
    """Says which setting names what is no model, and how to take it back."""
    if isinstance(error, ModelMissing):
        return NoModel(f"{error.message} ({error.hint})")
    return NoModel(f"{setting}: {error.message} (`recollect config unset {setting}` takes it back)")


def check_setting(name: str, value: object) -> None:
    """Raises ModelError or ConfigError where the value of a setting names no model that there could
    be: not one of ours, a folder with one, or the address of a server."""
    model, job = str(value), name.removesuffix(".model")
    if name == job or model == "none":
        return
    if job == "llm":
        if not llm.is_local(model):
            addresses.llm_address(model)
    elif not addresses.is_endpoint(model) and (job, model) != ("rerank", "llm"):
        with suppress(ModelMissing):  # it shipped once, and every search says so
            _model(model, job)


def _embedder(config: settings.Config, model: LocalModel, among: str = "") -> onnx.OnnxEmbedder:
    home = _folder_of_models(config).locate(model)
    return onnx.OnnxEmbedder(model, home, among, config["device"])


def shipped(config: settings.Config) -> onnx.OnnxEmbedder:
    """The embedder that the grade was fitted with."""
    return _embedder(config, EMBED)


def pairs_for(config: settings.Config, embedder: Embedder | None) -> PairModel | None:
    """The pair model, on the encoder that ships whichever one embeds; None where no model is to
    read anything. Nothing is loaded yet."""
    if embedder is None:
        return None
    with suppress(ModelMissing):
        encoder = embedder if isinstance(embedder, onnx.OnnxEmbedder) else None
        if encoder is None or not encoder.model.states:
            encoder = shipped(config)
        return pairs.ShippedPairs(encoder, _folder_of_models(config).locate(PAIR))
    return None


def llm_reranker(languages: llm.Languages) -> Reranker | NoModel:
    """The language model as a reranker."""
    if languages.missing:
        return NoModel(f"rerank.model is llm, and {languages.missing}")
    return rerank_llm.LlmReranker(lambda: languages.llm(rerank_llm.TOTAL), languages.name)


def embedder_by_key(config: settings.Config, key: str) -> Embedder | None:
    """The embedder that made vectors of this key, or one whose questions find passages among
    them, if it can still be had here."""
    name, _, rest = key.partition("@")
    if "://" in rest:
        return _endpoint(config, f"{rest.removesuffix('/embeddings')}#{name}")
    for model in CATALOG.values():
        if key in (model.key, *model.finds):
            with suppress(ModelMissing):
                return _embedder(config, model, key)
    folder = _folders(config).get(key)
    if folder:
        with suppress(ModelError):
            model = _model(folder, "embed")
            if model.key == key:  # it may hold other weights by now
                return _embedder(config, model)
    return None


def remember_folder(config: settings.Config, key: str) -> None:
    """Keep where a model of one's own is, so that its vectors can serve after a change to
    another."""
    name = config["embed.model"]
    known = _folders(config)
    if not _is_folder(name) or known.get(key) == str(place(name)):
        return
    path = models_folder(config) / _FOLDERS
    with suppress(OSError):  # it is a convenience
        permissions.folder(path.parent)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps({**known, key: str(place(name))}, indent=1), encoding="utf-8")
        os.replace(fresh, path)


def _folders(config: settings.Config) -> dict[str, str]:
    with suppress(OSError, ValueError):
        known = json.loads((models_folder(config) / _FOLDERS).read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return known
    return {}


def _is_folder(name: str) -> bool:
    return "://" not in name and ("/" in name or "\\" in name or name.startswith((".", "~")))


def _endpoint(config: settings.Config, name: str) -> Embedder:
    """A model elsewhere, which keeps count of what it costs."""
    url, model = addresses.embed_address(name)

    def purse() -> Meter:
        return llm.embedding_purse(config, model, url)

    return endpoint.EndpointEmbedder(name, purse)


class QueryVectors:
    """An embedder that remembers the vectors of the last questions (FIFO): one search may ask for
    the same vector several times, and so may the cache in front of it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = Lock()
        self._vectors: dict[str, ports.QuestionVectors] = {}
        self.key = embedder.key
        self.reads = embedder.reads
        self.speaks = embedder.speaks
        self.embed_passages = embedder.embed_passages

    def embed_query(self, text: str) -> ports.Vector:
        return self.embed_question(text).vector

    def embed_question(self, text: str) -> ports.QuestionVectors:
        found = self._vectors.get(text)
        if found is None:
            found = ports.question_vectors(self._embedder, text)
            with self._lock:
                self._vectors[text] = found
                if len(self._vectors) > _REMEMBERED:
                    del self._vectors[next(iter(self._vectors))]
        return found


def threads_for(embedder: Embedder, passages: int, threads: int | None) -> int:
    """How many threads embed that many passages: as many as the machine has processors (at most 4)
    when there is enough to do, unless told otherwise. They share one network, each run of which
    takes one thread."""
    if not isinstance(embedder, onnx.OnnxEmbedder):
        return 1
    return threads or (min(4, os.cpu_count() or 1) if passages >= _WORTH_THREADS else 1)


def is_accelerated(embedder: Embedder) -> bool:
    """Whether it reads passages on another device than the processor."""
    return isinstance(embedder, onnx.OnnxEmbedder) and embedder.is_accelerated


def named_on_the_spot(name: str) -> str:
    """A model as a call names it: the whole path of a folder that is here, else the name as it is.
    A setting is read in many folders, so that there only what looks like a path is one."""
    if name in CATALOG or _is_folder(name) or "://" in name or not place(name).is_dir():
        return name
    return str(place(name))


def _model(name: str, job: str = "") -> LocalModel:
    """A model by its name, or by the folder it is in; for that job, if one is named."""
    if _is_folder(name):
        model = files.own_model(place(name))
        if job not in ("", model.job):
            raise ModelError(
                f"{model.name} is there to {model.job}, not to {job}",
                hint=f"set {model.job}.model to it instead",
            )
        return model
    return known(name, job)


def _folder_of_models(config: settings.Config) -> files.ModelFolder:
    return files.ModelFolder(models_folder(config))


def models_folder(config: settings.Config) -> Path:
    return place(config["models"] or settings.data_folder() / "models")


def fetch_model(
    config: settings.Config, name: str, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Download a model's files, check them, and put them where :meth:`Memory.open` looks."""
    return fetching.fetch(_folder_of_models(config), _model(name), say)


def verify_model(config: settings.Config, name: str) -> Path:
    """Read every byte of a model's files and compare it with what it should be."""
    return _folder_of_models(config).verify(_model(name))


def usable_model(config: settings.Config, name: str) -> tuple[str, str]:
    """The setting and the value that choose *name* (a model, a folder, an address), once it has
    been tried."""
    if name == "none":
        return "embed.model", name
    name = named_on_the_spot(name)
    if ":" in name and addresses.is_endpoint(name):
        key = "embed.model"
    else:
        model = _model(name)
        key = f"{model.job}.model"
        name = str(place(name)) if _is_folder(name) else name
        _folder_of_models(config).verify(model)
        if model.job == "llm":
            return key, llm.usable_llm(config, "local")
    chosen = config.with_value(key, name)
    if key == "rerank.model":
        reranker = reranker_for(chosen)
        if isinstance(reranker, NoModel):
            raise ModelError(reranker.why)
        reranker.score("a question to try it with", ["a passage"])
        return key, name
    embedder = embedder_for(chosen)
    if isinstance(embedder, NoModel):
        raise ModelError(embedder.why)
    embedder.embed_query("a sentence to try it with")
    return key, name


class ModelState(NamedTuple):
    name: str
    job: str
    licence: str
    dimensions: int
    megabytes: int
    here: bool
    used: bool
    calibrated: bool
    """Whether the grade counts its scores."""


def model_states(config: settings.Config) -> list[ModelState]:
    """Every model known by name, and those in use."""
    states = []
    models = dict(CATALOG)
    used = {config["embed.model"], config["rerank.model"]}
    used |= {SMOLLM2.name} if config["llm.model"] == "local" else set()
    for name in sorted(used - models.keys() - {"none"}):
        if "://" not in name:
            with suppress(ModelError):
                models[name] = _model(name)
    for name, model in models.items():
        here = True
        scale = scales.scale_of(models_folder(config), model.key)
        calibrated = model.job == "llm" or fitted.knows(model.key) or scale is not None
        try:
            _folder_of_models(config).locate(model)
        except ModelMissing:
            here = False
        states.append(
            ModelState(
                name,
                model.job,
                model.licence,
                model.dimensions,
                model.megabytes,
                here,
                name in used,
                calibrated,
            )
        )
    return states
