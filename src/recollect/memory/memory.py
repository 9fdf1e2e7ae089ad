"""The facade: one class, whose methods are all that a caller needs.

    with Memory.open() as m:
        m.add("~/notes")
        m.search("when do we deploy?")

The verbs of every day are methods of :class:`Memory`; what is done now and then is in its parts:
``m.curation`` (facts one by one, receipts), ``m.models``, ``m.admin`` (the store as a whole) and
``m.web``. Each method hands what it was given, resolved with the configuration, to one function
below: :mod:`~recollect.memory.reads` asks, :mod:`~recollect.memory.writes` keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from recollect import config as settings
from recollect.arguments import checked, names
from recollect.memory import (
    curation,
    model_admin,
    reads,
    requests,
    store_admin,
    visible,
    web,
    writes,
)
from recollect.memory.core import Core, config_of, parts_of, view_of
from recollect.memory.options import FactListOptions, Limits, SessionOptions, Status
from recollect.nouns import Answer, Document, Event, Page, Query, Receipt, Report, View
from recollect.ports import Cache, Embedder, Ledger, Reranker, StopToken, StorageEngine
from recollect.reading import pipeline
from recollect.reading.sessions import ask as past_sessions
from recollect.writing import remember

if TYPE_CHECKING:
    from threading import Event as Stop

    from recollect.facts import Context, FactPage, Remembered
    from recollect.importing.watcher import WatchedPlace
    from recollect.memory.curation import Curation
    from recollect.memory.model_admin import ModelAdmin
    from recollect.memory.models import NoModel
    from recollect.memory.options import (
        ContextOptions,
        FactOptions,
        ImportOptions,
        RecordOptions,
        SearchOptions,
        TextOptions,
        ThinkOptions,
    )
    from recollect.memory.store_admin import StoreAdmin
    from recollect.memory.web import WebClient
    from recollect.nouns import Recording
    from recollect.reading.gather import Bundle
    from recollect.reading.sessions.results import SessionsAnswer
    from recollect.reading.think.thought import Tell, Thought
    from recollect.writing.curation.curate import Curated
    from recollect.writing.runner import Outcome
    from recollect.writing.runner import Token as CurationToken


def open_whole(location: str | Path | None = None, **overrides: Any) -> Memory:
    """Opens a store as :meth:`Memory.open` does, without the walls of the settings: for what is
    about a store as a whole (a backup, a check, a repair), and for whoever makes views of it."""
    return Memory(**parts_of(config_of(location, overrides), View()))


class Memory:
    """One store, opened. Safe to share between threads; several processes may open the same."""

    def __init__(
        self,
        store: StorageEngine,
        config: settings.Config,
        embedder: Embedder | NoModel | None = None,
        *,
        reranker: Reranker | NoModel | None = None,
        cache: Cache | None = None,
        ledger: Ledger | None = None,
        view: View | None = None,
    ) -> None:
        """For tests and for those who bring their own parts; others use :meth:`open`."""
        self.core = Core(store, config, embedder, reranker, cache, ledger, view)

    @classmethod
    def open(cls, location: str | Path | None = None, **overrides: Any) -> Self:
        """The store at *location* (a folder or a URL), else the configured one, else the user's
        own. *overrides* are settings by name, with ``_`` for the dot: ``embed_model="none"``. What
        the settings ``search.owner`` and ``search.scopes`` leave out is not there for it."""
        config = config_of(location, overrides)
        return cls(**parts_of(config, view_of(config)))

    def view(self, owner: str | None = None, scopes: Sequence[str] | None = None) -> Self:
        """The same store as this owner, in these scopes, sees it: what lies outside is not there,
        and cannot be learned of. It sees no more than this memory does, and is closed with it."""
        made = copy(self)
        made.core = self.core.within(self.core.view.narrowed(owner, names(scopes)))
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the store. What was written is safe already."""
        self.core.close()

    @property
    def store(self) -> StorageEngine:
        """The store itself, for those who need more than the facade has."""
        return self.core.store

    @property
    def config(self) -> settings.Config:
        """The settings that it was opened with."""
        return self.core.config

    # -------------------------------------------------------------- its parts

    @property
    def curation(self) -> Curation:
        """Facts one by one, and the receipts of curations."""
        return curation.Curation(self.core)

    @property
    def models(self) -> ModelAdmin:
        """The embedder, the reranker and the language model."""
        return model_admin.ModelAdmin(self.core)

    @property
    def admin(self) -> StoreAdmin:
        """The store as a whole: indexes, copies, caches, figures."""
        return store_admin.StoreAdmin(self.core)

    @property
    def web(self) -> WebClient:
        """Searches of the web, where the user allows them, and pages kept from it."""
        return web.WebClient(self.core)

    # -------------------------------------------------------------- keeping

    def add(
        self,
        *paths: str | Path,
        report: Report = lambda _: None,
        **options: Unpack[ImportOptions],
    ) -> Receipt:
        """Imports files, folders, session logs, exports and repositories, each by what it is.
        Run again, it imports only what has changed, and tells what is no longer there; ``prune``
        removes that.

        Text is searchable when this returns; vectors follow unless ``embed`` is false, newest
        first, and whatever is interrupted is continued by the next call. Secrets are taken out
        unless ``redact`` is false. A repository's commits come with it unless ``history`` is false.
        """
        return writes.add(self.core, paths, options, report)

    def put(self, documents: Iterable[Document]) -> Receipt:
        """Stores documents that the caller has made."""
        return writes.put(self.core, documents)

    def watch(
        self,
        *sources: str,
        tell: Callable[[str, Receipt], None] = lambda _source, _receipt: None,
        begun: Callable[[Sequence[str]], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Sequence[str]:
        """Follows sources that are on disk (these, or all) and imports what changes within two
        seconds, until *stop* is set: every place of each, as it was added. Returns which were
        followed."""

        def add(one: WatchedPlace) -> Receipt:
            return self.add(one.place, source=one.source, redact=one.redact, history=one.history)

        return writes.watch(self.core, sources, add, tell, begun, stop)

    def record(self, kind: str, body: str, **options: Unpack[RecordOptions]) -> Document:
        """Keeps one record: a ``discussion``, a ``decision``, an ``audit`` entry (what happened) or
        what a ``file`` is for."""
        return writes.record(self.core, kind, body, options)

    def remember(self, text: str, **options: Unpack[FactOptions]) -> Remembered:
        """Keeps a fact, or changes the one that has this ``id``.

        Without an id, what is already known in these words is not kept twice. Facts that the new
        one contradicts are told as conflicts, and superseded if ``replace`` is true.
        """
        return writes.remember_fact(self.core, text, options)

    def curate(
        self,
        text: str,
        *,
        token: CurationToken | None = None,
        tell: Callable[[Outcome], None] = lambda _: None,
        **options: Unpack[TextOptions],
    ) -> Curated:
        """Makes lasting facts and pages of a text: what it decides, defines, prefers, promises and
        asks. The text is kept as a document in any case. The sentence model reads it, unless
        ``facts`` are handed in, the language model is to (``llm``), or another ``extractor`` is.
        Everything that changes is in the receipt; ``m.curation.undo`` takes it back. *tell* hears
        of each slot as it ends, and *token* cancels it.
        """
        return writes.curate(self.core, text, options, token, tell)

    def forget(self, name: str, *, owner: str | None = None) -> Receipt:
        """Removes a document or a fact for good, by its id or the id its source gave it. A later
        import does not bring it back."""
        return writes.forget(self.core, name, owner)

    # -------------------------------------------------------------- asking

    def search(
        self,
        text: str,
        *,
        cache: bool | None = None,
        web: bool | None = None,
        **options: Unpack[SearchOptions],
    ) -> Answer:
        """What is known about *text*: the right passages, inside a token budget, with how sure
        that is. What was answered before is served again until anything in sight changes, unless
        *cache* is false. With ``think`` what is graded low is thought about (:meth:`think`), as far
        as a language model is configured. With *web*, where the user allows it and memory does not
        answer, what the web says stands beside it."""
        query = self.query(text, **options)
        parts = reads.prepared(self.core, query, cache, web)
        return reads.counted(self.core, pipeline.answer(query, self.store, *parts))

    def query(self, text: str, **options: Unpack[SearchOptions]) -> Query:
        """The whole request of a search, resolved: what the call says wins over the configuration,
        and that over the mode."""
        return requests.query_of(self.core, text, options)

    def ask(self, query: Query) -> Answer:
        """Answers a request that is resolved already, by the search alone: no cache, no figures."""
        return reads.ask(self.core, query)

    def think(
        self,
        text: str,
        *,
        token: StopToken | None = None,
        tell: Tell | None = None,
        **options: Unpack[ThinkOptions],
    ) -> Thought:
        """An answer to *text* that the language model writes from what is in memory, each sentence
        with what bears it out, checked; or that it is not in memory. At most two calls. What was
        written before is served again, and what is there in so many words is not written at all,
        unless ``force`` is true. *tell* is told of each sentence as it comes. Without a language
        model, and whenever it fails or takes longer than ``time_box`` seconds, what comes back has
        what was gathered, and the reason."""
        return reads.think(self.core, text, options, token, tell)

    def gather(
        self, text: str, *, token_budget: int = 4000, **options: Unpack[SearchOptions]
    ) -> Bundle:
        """What a model needs to answer *text*: the evidence that a search finds and what stands
        around it, in sections of so many tokens; and the fingerprint under which
        :meth:`record_answer` keeps what it writes."""
        return reads.gather(self.core, self.query(text, **options), token_budget)

    def record_answer(
        self,
        query: str,
        answer: str,
        fingerprint: str,
        sources: Sequence[str] | None = None,
    ) -> Recording:
        """Keeps what a model wrote for *query* from what a search or :meth:`gather` gave under
        this *fingerprint*: the next such question gets it as ``cached_answer``, until anything in
        sight changes. *sources* are the ids that it is from. Never raises: what comes back says
        whether it was recorded, and if not, why."""
        return reads.record_answer(self.core, query, answer, fingerprint, sources)

    def context(self, query: str = "", **options: Unpack[ContextOptions]) -> Context:
        """What to know before answering: facts that are pinned, open questions, the facts that
        *query* names (or else those that answer it), and who the user is."""
        return reads.context(self.core, query, options)

    def sessions(
        self, query: str | None = None, **options: Unpack[SessionOptions]
    ) -> SessionsAnswer:
        """Past conversations: those about *query*; with ``session`` and ``around`` the messages
        around one; with ``session`` alone its beginning and end; with nothing the recent ones."""
        request = requests.sessions_of(self.core, query, checked(options, SessionOptions))
        return past_sessions.ask(request, self.store, self.core.models(request.policy))

    # -------------------------------------------------------------- looking

    def get(self, name: str, *, owner: str | None = None) -> Document:
        """A whole document by its id, the id its source gave it, or the id of a passage."""
        return visible.document_or_passage(self.core, name, owner)

    def list(self, *, limit: int = 20, cursor: str = "", **limits: Unpack[Limits]) -> Page:
        """Documents, last stored first, without their bodies, but for one that has no title: its
        headline is how it begins."""
        requests.check_count("limit", limit, "")
        seen = requests.filter_of(self.core.view, checked(limits, Limits))
        return visible.with_headlines(self.core, self.store.scan(seen, limit=limit, cursor=cursor))

    def facts(self, **options: Unpack[FactListOptions]) -> FactPage:
        """Facts in force, newest first; with ``every`` also those superseded or expired."""
        given = checked(options, FactListOptions)
        limit, cursor = given.pop("limit", 20), given.pop("cursor", "")
        every = given.pop("every", False)
        requests.check_count("limit", limit, "facts")
        asked = requests.facts_asked(self.core, given.pop("owner", None), **given)
        return remember.listed(self.store, asked, limit=limit, cursor=cursor, every=every)

    def history(self, name: str, *, owner: str | None = None) -> Sequence[Event]:
        """What happened to a document, also to one that was forgotten (by its id); to a fact, and
        to those that it replaced or that replaced it."""
        return visible.history(self.core, name, owner)

    def status(self) -> Status:
        """What the store holds, which model it is searched with, and what is pending."""
        return model_admin.status(self.core)
