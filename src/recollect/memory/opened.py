"""A store with its models, and what every part of the facade needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from recollect import config as settings
from recollect.arguments import checked, clean, moment, names, store_of
from recollect.errors import NotFound, UsageError
from recollect.memory.models import (
    Remembering,
    embedder_by_key,
    embedder_for,
    llm_reranker,
    reranker_for,
)
from recollect.memory.options import Limits, Status
from recollect.nouns import LOCAL, Document, Filter, Policy, Scale
from recollect.ports import Cache, Embedder, Ledger, Llm, Reranker, StorageEngine, Web

if TYPE_CHECKING:
    from recollect.facts import Asked
    from recollect.memory.llm import Languages
    from recollect.memory.usage import Recorder
    from recollect.reading.pool import Models
    from recollect.writing.embedding import BackgroundEmbedder


def _issues(given: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Issues by the names that records keep them under."""
    if given is None:
        return None
    from recollect.text.questions.parse import issue_key

    return tuple(map(issue_key, given))


def _recorder(ledger: Ledger | None) -> Recorder | None:
    if ledger is None:
        return None
    from recollect.memory.usage import Recorder

    return Recorder(ledger)


class Opened:
    """A store with its models, opened."""

    def __init__(
        self,
        store: StorageEngine,
        config: settings.Config,
        embedder: Embedder | None = None,
        why_no_embedder: str = "",
        reranker: Reranker | None = None,
        why_no_reranker: str = "",
        cache: Cache | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        """For tests and for those who bring their own parts; others use :meth:`open`."""
        self.store = store
        self.config = config
        self._embedder = embedder
        self._why_no_embedder = why_no_embedder or "no embedding model is configured"
        self._reranker = reranker
        self._why_no_reranker = why_no_reranker or "no reranker is configured"
        self._rerankers: dict[str, tuple[Reranker | None, str]] = {}
        self._cache = cache
        self._asking: Remembering | None = None
        self._older: dict[str, Embedder | None] = {}
        self._background: BackgroundEmbedder | None = None
        self._languages: Languages | None = None
        self._web: Web | None = None
        self._ledger = ledger
        self._recorder = _recorder(ledger) if config["telemetry"] else None

    @classmethod
    def open(cls, location: str | Path | None = None, **overrides: Any) -> Self:
        """The store at *location* (a folder or a URL), else the configured one, else the user's
        own. *overrides* are settings by name, with ``_`` for the dot: ``embed_model="none"``."""
        flags = {name.replace("_", ".", 1): value for name, value in overrides.items()}
        for name in flags:
            settings.setting(name)
        if location is not None:
            flags["store"] = str(location)
        config = settings.load(flags)
        return cls.from_config(config)

    @classmethod
    def from_config(cls, config: settings.Config) -> Self:
        """The store that a configuration names, with its models."""
        from recollect.storage import open_cache, open_ledger, open_store

        location = store_of(config)
        store, cache = open_store(location), open_cache(location, config["cache.size"])
        models = *embedder_for(config), *reranker_for(config)
        return cls(store, config, *models, cache, open_ledger(location))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store. What was written is safe already."""
        if self._background:
            self._background.stop()
            self._background = None
        if self._cache is not None:
            self._cache.close()
        if self._recorder is not None:
            self._recorder.close()
        self.store.close()

    def _models(self, policy: Policy) -> Models:
        from recollect.reading.pool import Models

        embedder, note = (None, "") if policy.by == "keyword" else self._serving()
        if embedder is not None:
            if self._asking is None or self._asking.key != embedder.key:
                self._asking = Remembering(embedder)
            embedder = self._asking
        reranker, why = self._reading(policy.reranker)
        scales = self._scale(embedder), self._scale(reranker)
        return Models(embedder, note, reranker, why, *scales)

    def _reading(self, named: str | None) -> tuple[Reranker | None, str]:
        """The reranker that a request names, else the configured one, and what is to be said of
        it. A language model reads for each request by itself: there is a limit on how often."""
        if named is not None and named not in self._rerankers:
            config = self.config.with_value("rerank.model", named)
            self._rerankers[named] = (
                llm_reranker(self._llms()) if named == "llm" else reranker_for(config)
            )
        reranker, note = (
            (self._reranker, self._why_no_reranker) if named is None else self._rerankers[named]
        )
        if reranker is not None and reranker.key.startswith("llm@"):
            from recollect.models.rerank_llm import LlmReranker

            if isinstance(reranker, LlmReranker):
                return reranker.sparing(), note
        return reranker, note

    def _writing(self, policy: Policy) -> Models:
        """The models of a request that may ask the language model besides."""
        models = self._models(policy)
        if self._languages is None and self.config["llm.model"] == "none":
            return models._replace(llm_note="no language model is configured")
        from recollect.reading.pool import LanguageModel

        languages = self._llms()
        if languages.missing:
            return models._replace(llm_note=languages.missing)
        return models._replace(llm=LanguageModel(languages.name, once(languages.llm)), llm_note="")

    def _scale(self, model: Embedder | Reranker | None) -> Scale | None:
        """What puts its scores on the grade's scale, if they are not there and it is known."""
        from recollect.reading.grade import knows

        if model is None or knows(model.key):
            return None
        from recollect.memory.calibrate import scale_of

        return scale_of(self.config, model.key)

    def _asked(
        self,
        owner: str | None,
        scopes: Sequence[str] | None,
        types: Sequence[str] | None = None,
        as_of: str | datetime | None = None,
    ) -> Asked:
        from recollect.facts import TYPES, Asked

        wanted = names(types)
        for one in wanted or ():
            if one not in TYPES:
                raise UsageError(f"there is no type {one!r}", hint=f"one of {', '.join(TYPES)}")
        seen = self.filter(owner=owner, scopes=scopes)
        return Asked(seen.owner or LOCAL, seen.scopes, wanted, moment(as_of, "as_of"))

    def _serving(self) -> tuple[Embedder | None, str]:
        """The embedder to search with, and what is to be said of it. After a change of model,
        the old vectors serve until there are as many new ones."""
        if self._embedder is None:
            return None, self._why_no_embedder
        counts = self.store.admin.models()
        done = counts.pop(self._embedder.key, 0)
        for key, count in sorted(counts.items(), key=lambda item: -item[1]):
            if count <= done:
                break
            if key not in self._older:
                self._older[key] = embedder_by_key(self.config, key)
            older = self._older[key]
            if older is not None:
                note = f"{key} serves until {self._embedder.key} has as many vectors"
                return older, f"{note} ({done:,} of {count:,})"
        return (self._embedder, "") if done else (None, "nothing is embedded yet")

    def filter(self, **limits: Unpack[Limits]) -> Filter:
        """A filter from a call's arguments, with the configuration where they are silent."""
        checked(limits, Limits)
        owner, scopes = limits.get("owner"), limits.get("scopes")
        made = Filter(
            owner=owner if owner is not None else self.config["search.owner"],
            scopes=names(scopes if scopes is not None else self.config["search.scopes"]),
            sources=names(limits.get("sources")),
            kinds=names(limits.get("kinds")),
            paths=names(limits.get("paths")),
            roles=names(limits.get("roles")),
            issues=_issues(names(limits.get("issues"))),
            events=names(limits.get("events")),
            since=moment(limits.get("since"), "since"),
            until=moment(limits.get("until"), "until"),
        )
        if made.since and made.until and made.since >= made.until:
            raise UsageError("since is not before until, so nothing can match",
                             hint="since is inclusive, until exclusive")  # fmt: skip
        return made

    def status(self) -> Status:
        """What the store holds, which model it is searched with, and what is pending."""
        stats = self.store.stats()
        if self._embedder is None:
            return Status(stats, self.config["embed.model"], self._why_no_embedder, 0)
        pending = stats.passages - stats.vectors.get(self._embedder.key, 0)
        failure = self._background.failure if self._background else ""
        return Status(stats, self._embedder.key, failure or "ready", pending)

    def llm(self) -> Llm:
        """The language model, for one command: what is spent through it counts together. Raises
        ``ModelMissing`` where none is configured; nothing in here needs one."""
        return self._llms().llm()

    def _llms(self) -> Languages:
        if self._languages is None:
            from recollect.memory.llm import Languages

            self._languages = Languages(self.config)
        return self._languages

    def use_web(self, web: Web) -> None:
        """Ask a web of your own instead of the configured one; what the settings allow holds."""
        self._web = web

    def _the_web(self) -> Web:
        if self._web is None:
            from recollect.memory.web import open_web

            self._web = open_web(self.config)
        return self._web

    def _one(self, name: str, owner: str | None = None) -> Document:
        """The one document of that name, of those that the caller may see: what the configuration
        keeps out of a search cannot be had by its name either."""
        from recollect.storage.filters import allows

        seen = self.filter(owner=owner)
        found = self.store.get(clean(name))
        if not any(allows(seen, document) for document in found):
            from recollect.writing.remember import called

            found = called(self.store, seen.owner or LOCAL, clean(name))
        found = [document for document in found if allows(seen, document)]
        if not found:
            raise NotFound(f"there is no document {name!r}",
                           hint="`recollect list` shows what there is")  # fmt: skip
        if len(found) > 1:
            ids = ", ".join(f"{d.id} (in {d.source})" for d in found[:5])
            raise UsageError(f"{name!r} names {len(found)} documents: {ids}",
                             hint="give the id of the one that is meant")  # fmt: skip
        return found[0]
