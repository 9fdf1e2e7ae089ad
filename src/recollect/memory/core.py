"""The parts that the settings mean, put together: a store with its models, cache and ledger.

:class:`Memory` and its parts (``m.curation``, ``m.models``, ``m.admin``, ``m.web``) all work on the
one :class:`Core` that they were opened with.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache as once
from pathlib import Path
from typing import Any, TypedDict

from recollect import config as settings
from recollect import storage
from recollect.arguments import store_of
from recollect.memory import llm, usage
from recollect.memory.models import (
    NO_LLM,
    NoModel,
    QueryVectors,
    embedder_by_key,
    embedder_for,
    llm_reranker,
    model_or_why,
    models_folder,
    pairs_for,
    reranker_for,
)
from recollect.models import rerank_llm, scales
from recollect.models.llm import provider
from recollect.nouns import Policy, Scale, View
from recollect.ports import Cache, Embedder, Ledger, PairModel, Reranker, StorageEngine, Web
from recollect.reading import fitted, pool
from recollect.storage import walled
from recollect.writing import embedding

_NO_EMBEDDER = NoModel("no embedding model is configured", wanted=False)
_NO_RERANKER = NoModel("", wanted=False)


class Parts(TypedDict):
    """What a memory is put together from."""

    store: StorageEngine
    config: settings.Config
    embedder: Embedder | NoModel
    reranker: Reranker | NoModel
    cache: Cache
    ledger: Ledger
    view: View


def config_of(location: str | Path | None, overrides: Mapping[str, Any]) -> settings.Config:
    """The settings that a store is opened with; *overrides* are by name, with ``_`` for the dot."""
    flags = {name.replace("_", ".", 1): value for name, value in overrides.items()}
    for name in flags:
        settings.setting(name)
    if location is not None:
        flags["store"] = str(location)
    return settings.load(flags)


def parts_of(
    config: settings.Config,
    view: View,
    embedder: Embedder | NoModel | None = None,
    reranker: Reranker | NoModel | None = None,
) -> Parts:
    """Opens the store that a configuration names, with its models (or these, which others have as
    well), cache and ledger."""
    location = store_of(config)
    return Parts(
        store=storage.open_store(location),
        config=config,
        embedder=embedder or embedder_for(config),
        reranker=reranker or reranker_for(config),
        cache=storage.open_cache(location, config["cache.size"], view),
        ledger=storage.open_ledger(location, view),
        view=view,
    )


def view_of(config: settings.Config) -> View:
    """The walls that the configuration sets."""
    return View().narrowed(config["search.owner"], config["search.scopes"])


def _of_its_owner(config: settings.Config) -> settings.Config:
    """Returns the settings by which what is written is of the owner that the store is opened for,
    if it is for one."""
    owner = storage.owner_of(store_of(config))
    return config.with_value("import.owner", owner) if owner else config


class Core:
    """An opened store behind a view, with its models, cache and ledger. A model is loaded when it
    is first called."""

    def __init__(
        self,
        store: StorageEngine,
        config: settings.Config,
        embedder: Embedder | NoModel | None = None,
        reranker: Reranker | NoModel | None = None,
        cache: Cache | None = None,
        ledger: Ledger | None = None,
        view: View | None = None,
    ) -> None:
        self.engine = store
        self.config = _of_its_owner(config)
        self._wall(view_of(config) if view is None else view)
        self.embedder: Embedder | None = None
        self.why_no_embedder = ""
        self.pairs: PairModel | None = None
        self.reranker: Reranker | None = None
        self.why_no_reranker = ""
        self.cache = cache
        self.ledger = ledger
        self._views: list[Core] = []
        self._opened = True
        """Whether the store is closed with this."""
        self.recorder = usage.Recorder(ledger) if ledger and config["telemetry"] else None
        self.background: embedding.BackgroundEmbedder | None = None
        self.web: Web | None = None
        """What :meth:`WebClient.use` was given, or the configured one once it was asked for."""
        self._languages: llm.Languages | None = None
        self._query_vectors: QueryVectors | None = None
        self._older_embedders: dict[str, Embedder | None] = {}
        self._named_rerankers: dict[str, Reranker | NoModel] = {}
        self.use_embedder(embedder or _NO_EMBEDDER)
        self.use_reranker(reranker or _NO_RERANKER)

    def close(self) -> None:
        """Stops what runs beside the caller and closes the store."""
        if self.background:
            self.background.stop()
            self.background = None
        if self.cache is not None:
            self.cache.close()
        if self.recorder is not None:
            self.recorder.close()
        for view in self._views:
            view.close()
        if self._opened:
            self.engine.close()

    def clear_caches(self) -> None:
        """Drops the served answers of all views of the store."""
        if self.cache is not None:
            self.cache.clear()
            storage.clear_caches(store_of(self.config))

    # -------------------------------------------------------------- what is in sight

    @property
    def asker(self) -> str:
        """The owner whose facts are asked for, and whose is what is kept, where a call does not
        say: that for whom the store is opened, else the one of the configuration."""
        return str(self.config["import.owner"])

    def _wall(self, view: View) -> None:
        """Sees what the view does from now on, and keeps what is added where the view sees it."""
        self.view = view
        self.store: StorageEngine = self.engine
        if not view.walled:
            return
        self.store = walled.WalledStore(self.engine, view)
        scopes = self.config["import.scopes"]
        if view.owner is not None:
            self.config = self.config.with_value("import.owner", view.owner)
        if view.scopes and not set(scopes) <= set(view.scopes):
            self.config = self.config.with_value("import.scopes", view.scopes)

    def within(self, view: View) -> Core:
        """Returns the same store as another view sees it; it is closed with this one."""
        made, location = copy(self), store_of(self.config)
        made._opened, made._views = False, []
        self._views.append(made)
        made._wall(view)
        made.background = None
        if self.cache is not None:
            made.cache = storage.open_cache(location, self.config["cache.size"], view)
        if self.ledger is not None:
            made.ledger = storage.open_ledger(location, view)
            made.recorder = usage.Recorder(made.ledger) if self.recorder else None
        return made

    # -------------------------------------------------------------- which models serve

    def use_embedder(self, chosen: Embedder | NoModel) -> None:
        """Searches and embeds with this one from now on."""
        self.embedder, self.why_no_embedder = model_or_why(chosen)
        self.pairs = pairs_for(self.config, self.embedder)
        self._by_meaning = not isinstance(chosen, NoModel) or chosen.wanted

    def use_reranker(self, chosen: Reranker | NoModel) -> None:
        """Reranks with this one from now on."""
        self.reranker, self.why_no_reranker = model_or_why(chosen)

    def use_llm(self, own: provider.Own | None) -> None:
        """Asks a language model of the caller's own from now on; with None the configured one."""
        self._languages = llm.Languages(self.config, own)
        self._named_rerankers.pop("llm", None)
        if self.config["rerank.model"] == "llm":
            self.use_reranker(llm_reranker(self._languages))

    @property
    def languages(self) -> llm.Languages:
        """The language model of this memory; nothing is connected before it is asked."""
        if self._languages is None:
            self._languages = llm.Languages(self.config)
        return self._languages

    def models(self, policy: Policy) -> pool.Models:
        """The models of a request, without a language model."""
        by_words = policy.by == "keyword" or not self._by_meaning
        embedder, note = (None, "") if by_words else self.serving_embedder()
        if embedder is not None:
            if self._query_vectors is None or self._query_vectors.key != embedder.key:
                self._query_vectors = QueryVectors(embedder)
            embedder = self._query_vectors
        reranker, why = self._reranker_for(policy.reranker)
        return pool.Models(embedder, note, reranker, why, self.scale(embedder), self.pairs)

    def models_with_llm(self, policy: Policy) -> pool.Models:
        """The models of a request that may ask the language model besides."""
        models = self.models(policy)
        if self._languages is None and self.config["llm.model"] == "none":
            return models._replace(llm_note=NO_LLM)
        if self.languages.missing:
            return models._replace(llm_note=self.languages.missing)
        writer = pool.LanguageModel(self.languages.name, once(self.languages.llm))
        return models._replace(llm=writer, llm_note="")

    def serving_embedder(self) -> tuple[Embedder | None, str]:
        """The embedder to search with, and what is to be said of it. After a change of model,
        the old vectors serve until there are as many new ones."""
        if self.embedder is None:
            return None, self.why_no_embedder
        counts = self.store.admin.models()
        done = counts.pop(self.embedder.key, 0)
        for key, count in sorted(counts.items(), key=lambda item: -item[1]):
            if count <= done:
                break
            if key not in self._older_embedders:
                self._older_embedders[key] = embedder_by_key(self.config, key)
            older = self._older_embedders[key]
            if older is not None:
                note = f"{key} serves until {self.embedder.key} has as many vectors"
                return older, f"{note} ({done:,} of {count:,})"
        return (self.embedder, "") if done else (None, "nothing is embedded yet")

    def _reranker_for(self, named: str | None) -> tuple[Reranker | None, str]:
        """The reranker that a request names, else the configured one, and why there is none though
        one is wanted. A language model gets a budget of readings for each request."""
        reranker, why = self.reranker, self.why_no_reranker
        if named is not None:
            reranker, why = model_or_why(self._named_reranker(named))
        if reranker is None or not reranker.key.startswith("llm@"):
            return reranker, why
        return reranker.sparing() if isinstance(reranker, rerank_llm.LlmReranker) else reranker, why

    def _named_reranker(self, name: str) -> Reranker | NoModel:
        if name not in self._named_rerankers:
            config = self.config.with_value("rerank.model", name)
            made = llm_reranker(self.languages) if name == "llm" else reranker_for(config)
            self._named_rerankers[name] = made
        return self._named_rerankers[name]

    def scale(self, embedder: Embedder | None) -> Scale | None:
        """What puts an embedder's cosines on the grade's scale; None where they are on it, or
        nobody has found it out."""
        if embedder is None or fitted.knows(embedder.key):
            return None
        return scales.scale_of(models_folder(self.config), embedder.key)
