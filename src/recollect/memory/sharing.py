"""One opened store for several callers, each with settings of its own.

The store is that of the memory that is shared, and so are its models wherever the settings name the
same ones: there is one copy of each. Each caller sees what its own settings let it see, whatever
the walls of that memory; cache and figures are shared by those who see the same.
"""

from __future__ import annotations

from threading import Lock

from recollect import config as settings
from recollect import storage
from recollect.arguments import store_of
from recollect.memory.core import Core, view_of
from recollect.memory.memory import Memory
from recollect.memory.models import NoModel, embedder_for, reranker_for
from recollect.ports import Embedder, Reranker

_MOST = 8
"""Callers' settings that are remembered."""


class SharedMemory:
    """One opened memory for callers whose settings differ from those that it was opened with. What
    this hands out is closed by :meth:`close` alone."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._lock = Lock()
        self._views: dict[object, Memory] = {}

    def under(self, config: settings.Config) -> Memory:
        """The memory under these settings, which name the same store."""
        key = tuple(config.values.items())
        with self._lock:
            view = self._views.pop(key, None) or self._made(config)
            self._views[key] = view
            old = [*self._views][:-_MOST]
            gone = list(map(self._views.pop, old))
        for one in gone:
            self._leave(one)
        return view

    def _made(self, config: settings.Config) -> Memory:
        core, view = self.memory.core, view_of(config)
        location, same = store_of(config), view == core.view
        return Memory(
            core.engine,
            config,
            _embedder(core, config),
            reranker=_reranker(core, config),
            cache=core.cache if same else storage.open_cache(location, config["cache.size"], view),
            ledger=core.ledger if same else storage.open_ledger(location, view),
        )

    def close(self) -> None:
        """Lets go of what was handed out; the memory itself stays open."""
        with self._lock:
            gone, self._views = [*self._views.values()], {}
        for one in gone:
            self._leave(one)

    def _leave(self, view: Memory) -> None:
        """Closes what is a view's own."""
        if view.core.recorder is not None:
            view.core.recorder.close()
        if view.core.cache is not None and view.core.cache is not self.memory.core.cache:
            view.core.cache.close()


def _embedder(core: Core, config: settings.Config) -> Embedder | NoModel:
    same = all(config[name] == core.config[name] for name in ("models", "embed.model"))
    return core.embedder if same and core.embedder is not None else embedder_for(config)


def _reranker(core: Core, config: settings.Config) -> Reranker | NoModel:
    same = all(config[name] == core.config[name] for name in ("models", "rerank.model"))
    return core.reranker if same and core.reranker is not None else reranker_for(config)
