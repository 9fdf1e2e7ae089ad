"""The facade, and the one place where the parts are put together.

with Memory.open() as m:
    m.add("~/notes")
    m.search("when do we deploy?")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack

from recollect import config as settings
from recollect.errors import InputError, ModelError, NotFound, UsageError, in_a_line
from recollect.memory.arguments import checked, clean, is_there, moment, names, place
from recollect.memory.models import (
    ModelState,
    Remembering,
    embedder_by_key,
    embedder_for,
    fetch_model,
    llm_reranker,
    many_hands,
    model_states,
    models_folder,
    reranker_for,
    usable_model,
    verify_model,
)
from recollect.policy import KNOBS, policy_for, stakes
from recollect.ports import Cache, CacheStats, Embedder, Ledger, Llm, Reranker, Store
from recollect.types import (
    LOCAL,
    MAX_BUDGET,
    MAX_LIMIT,
    Answer,
    ChangeSet,
    Document,
    Event,
    Filter,
    Forget,
    JsonObject,
    Page,
    Policy,
    Query,
    Receipt,
    Recorded,
    Source,
    StoreStats,
)

__all__ = [
    "Logs",
    "Memory",
    "ModelState",
    "Progress",
    "Status",
    "fetch_model",
    "found_logs",
    "found_notes",
    "model_states",
    "models_folder",
    "usable_model",
    "verify_model",
]

if TYPE_CHECKING:
    from threading import Event as Stop

    from recollect.facts import Asked, Context, Fact
    from recollect.memory.answers import Recording
    from recollect.memory.curate import Curated as Curated
    from recollect.memory.facts import FactPage, Remembered
    from recollect.memory.llm import Languages, LlmStatus, LlmTest
    from recollect.memory.logs import Logs
    from recollect.memory.model_bench import Score
    from recollect.memory.tidying import Proposal
    from recollect.memory.tree import Exported
    from recollect.memory.tuning import Tuning
    from recollect.memory.usage import Recorder
    from recollect.models.llm.provider import Own
    from recollect.reading.attempt import Models
    from recollect.reading.gather import Bundle as Bundle
    from recollect.reading.sessions.results import SessionsAnswer as SessionsAnswer
    from recollect.telemetry import Usage
    from recollect.writing.curation.receipts import Kept as Kept
    from recollect.writing.curation.slots import Extractor
    from recollect.writing.embedding import BackgroundEmbedder
    from recollect.writing.runner import Outcome, Token


_CONFIGURED = {name: f"search.{name}" for name in KNOBS if f"search.{name}" in settings.SETTINGS}
"""The knobs that are settings too."""


class Progress(NamedTuple):
    """How far a long operation is. ``total`` is 0 while it is not known."""

    doing: Literal["importing", "embedding", "asking"]
    done: int
    total: int


Report = Callable[[Progress], None]


class Limits(TypedDict, total=False):
    """What may be seen. A name may be given alone or in a sequence; dates also as ``7d``."""

    owner: str | None
    scopes: Sequence[str] | None
    sources: Sequence[str] | None
    kinds: Sequence[str] | None
    paths: Sequence[str] | None
    roles: Sequence[str] | None
    issues: Sequence[str] | None
    events: Sequence[str] | None
    since: str | datetime | None
    until: str | datetime | None


class Options(Limits, total=False):
    """How a search departs from the mode, each None where it does not."""

    mode: str | None
    limit: int | None
    budget: int | None
    by: str | None
    detail: str | None
    recency: float | None
    """0 by relevance, 1 newest first."""
    min_confidence: float | str | None
    """A number, or what hangs on the answer: ``low`` (0.4), ``medium`` (0.6), ``high`` (0.8)."""
    last_n: int | None
    """Look at the newest so many documents only."""
    relax: Sequence[str] | None
    """Limits (``since``, ``until``, ``kinds``, ``sources``, ``paths``, ``roles``, ``issues``,
    ``events``) that may be given up when too little is found under them; the answer says which
    were."""
    now: datetime | None
    """What "last week" is meant from."""
    as_of: str | datetime | None
    """The time whose facts are asked for; else now."""
    facts: bool | None
    """False searches passages even where facts are named."""


class SessionOptions(TypedDict, total=False):
    """What is asked of past conversations, each None where nothing is said; the shape of the
    answer follows from what is given (:mod:`recollect.reading.sessions`)."""

    session: str | None
    around: str | Sequence[str] | None
    """One message, or several, of the session."""
    window: int | None
    """Messages on either side: 5, at most 20."""
    limit: int | None
    """Conversations: 3, at most 10; of a list 10, at most 50."""
    sort: str | None
    """``relevance``, ``newest`` or ``oldest``; else as the question says."""
    after: str | datetime | None
    """Sessions that began then or later; also as ``7d``, ``24h``, ``2w``."""
    before: str | datetime | None
    exclude_sessions: str | Sequence[str] | None
    roles: str | Sequence[str] | None
    """Whose words: the user's and the assistant's, unless others or ``all`` are named."""
    detail: str | None
    """``adaptive``: a window around the first hit; ``full``: around each."""
    live_session: str | None
    """The caller's own: what of it the caller still has in its context is hidden."""
    owner: str | None
    scopes: Sequence[str] | None
    sources: Sequence[str] | None
    now: datetime | None
    """What "last week" is meant from."""


def found_logs() -> Iterator[Logs]:
    """The session logs that clients keep on this machine."""
    from recollect.memory.logs import found_logs

    return found_logs()


def found_notes(folder: Path) -> Logs | None:
    """The notes in a folder and below it, if there are any."""
    from recollect.memory.logs import found_notes

    return found_notes(folder)


class Status(NamedTuple):
    """What the store holds, and what is still to be done."""

    store: StoreStats
    model: str
    model_state: str
    pending: int

    def as_json(self) -> dict[str, Any]:
        return {
            **self.store.as_json(),
            "model": self.model,
            "model_state": self.model_state,
            "pending": self.pending,
        }


def _issues(given: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Issues by the names that records keep them under."""
    if given is None:
        return None
    from recollect.text.query import issue_key

    return tuple(map(issue_key, given))


def _recorder(ledger: Ledger | None) -> Recorder | None:
    if ledger is None:
        return None
    from recollect.memory.usage import Recorder

    return Recorder(ledger)


def _relaxable(limits: tuple[str, ...]) -> tuple[str, ...]:
    for name in limits:
        if name not in Filter.relaxable():
            there_are = ", ".join(Filter.relaxable())
            raise UsageError(f"{name!r} cannot be relaxed", hint=f"these can: {there_are}")
    return limits


class Memory:
    """One store, opened. Safe to share between threads; several processes may open the same."""

    def __init__(
        self,
        store: Store,
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
        self._cache = cache
        self._asking: Remembering | None = None
        self._older: dict[str, Embedder | None] = {}
        self._background: BackgroundEmbedder | None = None
        self._languages: Languages | None = None
        self._ledger = ledger
        self._recorder = _recorder(ledger) if config["telemetry"] else None

    @classmethod
    def open(cls, location: str | Path | None = None, **overrides: Any) -> Memory:
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
    def from_config(cls, config: settings.Config) -> Memory:
        from recollect.storage import open_cache, open_ledger, open_store

        location = str(config["store"] or settings.data_folder() / "store")
        location = location if "://" in location else str(place(location))
        store, cache = open_store(location), open_cache(location, config["cache.size"])
        models = *embedder_for(config), *reranker_for(config)
        return cls(store, config, *models, cache, open_ledger(location))

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._background:
            self._background.stop()
            self._background = None
        if self._cache is not None:
            self._cache.close()
        if self._recorder is not None:
            self._recorder.close()
        self.store.close()

    # -------------------------------------------------------------- writing

    def add(
        self,
        *paths: str | Path,
        source: str | None = None,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        redact: bool | None = None,
        history: bool = True,
        prune: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        processes: int | None = None,
        report: Report = lambda _: None,
    ) -> Receipt:
        """Import files, folders, session logs, exports and repositories, each by what it is.
        Run again, it imports only what has changed, and tells what is no longer there; *prune*
        removes that.

        Text is searchable when this returns; vectors follow unless *embed* is false, newest
        first, and whatever is interrupted is continued by the next call. Secrets are taken out
        unless *redact* is false. A repository's commits come with it unless *history* is false.
        """
        from recollect.memory.given import Options
        from recollect.memory.importer import Importer

        if not paths:
            raise UsageError("nothing to add", hint="give a file or a folder")
        if not all(str(path) for path in paths):
            raise UsageError("a path is empty", hint="give a file or a folder")
        places = [place(path) for path in paths]
        if not any(map(is_there, places)) and not self.store.stats().sources:
            raise InputError(f"{paths[0]}: there is no such file or folder")
        options = Options(
            source, owner, scopes,
            redact=redact, history=history, prune=prune, dry_run=dry_run,
        )  # fmt: skip
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            report(Progress("importing", done, 0))

        receipt = Importer(self.store, self.config, options, progress).add(places)
        if dry_run:
            return receipt
        self.store.refresh()
        if embed and self._embedder is not None:
            receipt = receipt._replace(embedded=self.embed(report, processes=processes))
        if self._embedder is not None and not receipt.embedded:
            receipt = receipt._replace(pending=self.status().pending)
        return receipt

    def export_tree(
        self,
        folder: str | Path,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        prune: bool = False,
        force: bool = False,
    ) -> Exported:
        """Write the context tree as Markdown, a file for each page with its facts, which people
        read and edit; :meth:`add` of the folder applies what they changed. Files that were edited
        since are left as they are unless *force* is true; those whose page is no more are removed
        if *prune* is."""
        from recollect.memory.tree import export_tree

        if not str(folder):
            raise UsageError("the folder is empty", hint="give a folder for the tree")
        asked = self._asked(owner, scopes)
        return export_tree(self.store, place(folder), asked, prune=prune, force=force)

    def watch(
        self,
        *sources: str,
        tell: Callable[[str, Receipt], None] = lambda _source, _receipt: None,
        begun: Callable[[Sequence[str]], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Sequence[str]:
        """Follow sources that are on disk (these, or all) and import what changes within two
        seconds, until *stop* is set: every place of each, as it was added. Returns which were
        followed."""
        from threading import Event

        from recollect.memory.watcher import Watched, watch, watched

        def add(one: Watched) -> Receipt:
            return self.add(one.place, source=one.source, redact=one.redact, history=one.history)

        places = watched(self.store.stats().sources)
        known = list(dict.fromkeys(p.source for p in places))
        for name in sources:
            if name not in known:
                hint = f"known: {', '.join(known) or 'none yet'}"
                raise NotFound(f"there is no source {name!r} to watch", hint=hint)
        followed = [name for name in known if name in sources or not sources]
        if followed:
            begun(followed)
            watch(
                [p for p in places if p.source in followed],
                add,
                lambda one, receipt: tell(one.source, receipt),
                stop or Event(),
            )
        return followed

    def record(
        self,
        kind: str,
        body: str,
        *,
        title: str = "",
        author: str = "",
        issue: str = "",
        branch: str = "",
        event: str = "",
        path: str = "",
        date: str | datetime | None = None,
        content: Any = None,
        id: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
    ) -> Document:
        """Keep one record: a ``discussion``, a ``decision``, an ``audit`` entry (what happened) or
        what a ``file`` is for."""
        from recollect.memory.redaction import redacted
        from recollect.sources.records import record
        from recollect.writing.importing import import_documents

        given, now = moment(date, "date"), datetime.now(UTC)
        made = record(
            kind, body=clean(body), title=clean(title), author=author, issue=issue, branch=branch,
            event=event, path=path, content=content, id=id, source="records",
            date=now if kind == "audit" and given is None else given,
            owner=owner or self.config["import.owner"],
            scopes=names(scopes) or self.config["import.scopes"],
        )  # fmt: skip
        if made.date is None:  # said twice it is still one record; two events are two
            made = made._replace(date=now)
        if self.config["import.redact"]:
            made = redacted(made)
        import_documents(self.store, Source("records", "records"), [made])
        return made

    def curate(
        self,
        text: str,
        *,
        name: str = "",
        title: str = "",
        source: str = "curated",
        project: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        date: str | datetime | None = None,
        facts: Iterable[JsonObject | str] | None = None,
        extractor: Extractor | None = None,
        llm: bool = False,
        by: str = "",
        speaker: str = "",
        note: bool = False,
        channel: str = "text",
        embed: bool = True,
        dry_run: bool = False,
        token: Token | None = None,
        tell: Callable[[Outcome], None] = lambda _: None,
    ) -> Curated:
        """Make lasting facts and pages of a text: what it decides, defines, prefers, promises and
        asks. Rules read it, unless *facts* are handed in, the language model is to (*llm*), or
        another *extractor* is. *date* is when
        it was written: what is newer takes the place of what is older. *speaker* is ``user`` where
        somebody tells of themselves, and a *note* was written to be kept. Everything that changes
        is in the receipt; :meth:`undo` takes it back. A dry run changes nothing.
        """
        from recollect.memory.curate import curate, given, handed_in

        def redacted(said: str) -> str:
            if not self.config["import.redact"]:
                return said
            from recollect.text.redact import redact

            return redact(said).text

        told = given(
            redacted(clean(text)), name=name, title=clean(title), source=source, project=project,
            by=by, channel=channel, speaker=speaker, note=note,
            owner=owner or self.config["import.owner"],
            scopes=names(scopes) or self.config["import.scopes"], date=moment(date, "date"),
            most=self.config["import.max_mb"],
        )  # fmt: skip
        if facts is not None:
            told = told._replace(facts=handed_in(facts, told.text, redacted))
        if llm and extractor is None:
            from recollect.writing.curation.by_model import ByModel

            extractor = ByModel(self.llm())
        done = curate(told, self.store, extractor, dry_run=dry_run, token=token, tell=tell)
        if embed and done.id and self._embedder is not None:
            self.embed()
        return done

    def receipts(self, *, limit: int = 20, owner: str | None = None) -> Sequence[Kept]:
        """What curations did, newest first."""
        from recollect.writing.curation.receipts import receipts

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} receipts")
        return receipts(self.store, self._asked(owner, None).owner, limit=limit)

    def undo(self, receipt: str = "", *, owner: str | None = None) -> Kept:
        """Restore the state before a curation, by the id of its receipt; the last one's if none is
        given. What was forgotten since stays forgotten."""
        from recollect.memory.curate import undone

        return undone(self.store, self._asked(owner, None).owner, receipt)

    def to_review(self, *, owner: str | None = None) -> Sequence[Kept]:
        """Receipts with changes that replace or contradict something, and wait for a look."""
        from recollect.writing.curation.receipts import waiting

        return waiting(self.store, self._asked(owner, None).owner)

    def review(
        self, receipt: str, *ids: str, accept: bool, owner: str | None = None, by: str = ""
    ) -> Kept:
        """Accept or reject what waits in a receipt: these facts, or all. What is rejected goes, and
        what it had replaced holds again."""
        from recollect.writing.curation import receipts

        kept = receipts.receipt(self.store, self._asked(owner, None).owner, receipt)
        if accept:
            return receipts.accept(self.store, kept, ids)
        return receipts.reject(self.store, kept, ids, datetime.now(UTC), by)

    def tidy(self, *, owner: str | None = None) -> Sequence[Proposal]:
        """What could be merged, linked or pruned, with reasons. Nothing is done."""
        from recollect.memory.tidying import proposals

        return proposals(self.store, self._asked(owner, None).owner)

    def fact(self, name: str, *, owner: str | None = None) -> Fact:
        """One fact, by its id or a name that is its alone, in force or not."""
        from recollect.memory.facts import find

        return find(self.store, self._asked(owner, None).owner, clean(name))

    def put(self, documents: Iterable[Document]) -> Receipt:
        """Store documents that the caller has made."""
        from recollect.writing.importing import import_documents

        receipt = Receipt()
        by_source: dict[str, list[Document]] = {}
        for document in documents:
            by_source.setdefault(document.source, []).append(document)
        for name, some in by_source.items():
            receipt += import_documents(self.store, Source(name), some)
        return receipt

    def embed(self, report: Report = lambda _: None, *, processes: int | None = None) -> int:
        """Give every passage a vector, with several processes where that pays (or as many as
        are asked for). Returns how many were made."""
        from recollect.writing.embedding import WRITE, embed_pending

        if processes is not None and not 1 <= processes <= 64:
            raise UsageError(f"processes is {processes}", hint="give 1 to 64")
        if self._embedder is None:
            raise ModelError(self._why_no_embedder)
        total = self.status().pending
        if not total:
            return 0
        with many_hands(self._embedder, total, processes) as (embedder, hands):
            return embed_pending(
                self.store,
                embedder,
                lambda done: report(Progress("embedding", done, total)),
                step=WRITE * hands,
            )

    def embed_in_background(self) -> None:
        """Embed what is pending from now until :meth:`close`, beside everything else."""
        from recollect.writing.embedding import BackgroundEmbedder

        if self._embedder is not None and self._background is None:
            self._background = BackgroundEmbedder(self.store, self._embedder)

    # -------------------------------------------------------------- facts

    def remember(
        self,
        text: str,
        *,
        name: str = "",
        aliases: Sequence[str] = (),
        type: str = "fact",
        why: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        pinned: bool = False,
        standing: str | None = None,
        valid_from: str | datetime | None = None,
        valid_to: str | datetime | None = None,
        supersedes: Sequence[str] = (),
        superseded_by: Sequence[str] = (),
        created_at: str | datetime | None = None,
        resolved_at: str | datetime | None = None,
        participants: Sequence[Any] = (),
        meta: JsonObject | None = None,
        id: str = "",
        by: str = "",
        source: str = "",
        replace: bool = False,
        embed: bool = True,
    ) -> Remembered:
        """Keep a fact, or change the one that has this *id*.

        Without an id, what is already known in these words is not kept twice. Facts that the new
        one contradicts are told as conflicts, and superseded if *replace* is true. *by* and
        *source* go into its provenance.
        """
        from recollect.memory.facts import remember

        asked = self._asked(owner or self.config["import.owner"], None)
        known = names(scopes if scopes is not None else self.config["import.scopes"]) or ()
        if not known:
            raise UsageError("scopes is empty, so nothing could ever see it",
                             hint="leave scopes out to keep it as `universal`")  # fmt: skip
        told = {
            "id": id, "text": text, "name": name, "aliases": aliases, "type": type, "why": why,
            "pinned": pinned, "standing": standing, "supersedes": supersedes,
            "superseded_by": superseded_by, "participants": list(participants), "meta": meta,
            "valid_from": moment(valid_from, "valid_from"),
            "valid_to": moment(valid_to, "valid_to"),
            "created_at": moment(created_at, "created_at"),
            "resolved_at": moment(resolved_at, "resolved_at"),
        }  # fmt: skip
        made = remember(
            self.store, told, asked.owner, known, by=by, source=source, replace=replace,
            redact=bool(self.config["import.redact"]),
        )  # fmt: skip
        if embed and self._embedder is not None and made.action in ("added", "changed"):
            self.embed()
        return made

    def alias(self, fact: str, *aliases: str, owner: str | None = None, by: str = "") -> Fact:
        """Teach a fact further names."""
        if not aliases:
            raise UsageError("no alias is given", hint="give the fact and its new names")
        new = tuple(map(clean, aliases))
        return self._change(
            fact, owner, by, "alias " + ", ".join(new)[:200],
            lambda f: f._replace(aliases=tuple(dict.fromkeys((*f.aliases, *new)))),
        )  # fmt: skip

    def pin(
        self, fact: str, *, pinned: bool = True, owner: str | None = None, by: str = ""
    ) -> Fact:
        """Pin a fact, so that every context has it, or unpin it."""
        said = "pinned" if pinned else "unpinned"
        return self._change(fact, owner, by, said, lambda f: f._replace(pinned=pinned))

    def reword(self, fact: str, text: str, *, owner: str | None = None, by: str = "") -> Fact:
        """Say a fact in other words. Its names, its time and what it replaced stay as they are;
        what it said before does not: to keep that, :meth:`remember` a new one instead."""
        from recollect.text.redact import redact
        from recollect.text.standing import standing

        said = clean(text)
        said = redact(said).text if self.config["import.redact"] else said
        speaks = standing(said).status
        done = self._change(
            fact, owner, by, "reworded", lambda f: f._replace(text=said, standing=speaks)
        )
        if self._embedder is not None:
            self.embed()
        return done

    def timeline(self, fact: str, *, owner: str | None = None) -> Sequence[Fact]:
        """A fact, what it replaced and what replaced it, oldest first."""
        from recollect.memory.facts import chain, find

        return chain(self.store, find(self.store, self._asked(owner, None).owner, clean(fact)))

    def resolve(
        self, question: str, *, at: str | datetime | None = None, owner: str | None = None,
        by: str = "", why: str = "",
    ) -> Fact:  # fmt: skip
        """Close an open question."""
        when = moment(at, "at") or datetime.now(UTC)
        return self._change(
            question, owner, by, "resolved", lambda f: f._replace(resolved_at=when), why
        )

    def _change(
        self, name: str, owner: str | None, by: str, action: str, to: Callable[[Fact], Fact],
        why: str = "",
    ) -> Fact:  # fmt: skip
        from recollect.memory.facts import find
        from recollect.writing.facts import FactWriter, Signed

        whose = self._asked(owner, None).owner
        fact = find(self.store, whose, clean(name))
        signed = Signed(datetime.now(UTC), by, why)
        return FactWriter(self.store, whose).change(fact.id, to, action, signed)

    def supersede(
        self, old: str, new: str, *, owner: str | None = None, by: str = "", why: str = ""
    ) -> Fact:
        """Let the fact *new* replace the fact *old*. Returns the new one."""
        from recollect.memory.facts import find
        from recollect.writing.facts import FactWriter, Signed

        whose = self._asked(owner, None).owner
        older, newer = (find(self.store, whose, clean(name)) for name in (old, new))
        signed = Signed(datetime.now(UTC), by, why)
        return FactWriter(self.store, whose).supersede(older.id, newer.id, signed).facts[0]

    def forget(self, name: str, *, owner: str | None = None) -> Receipt:
        """Remove a document or a fact for good, by its id or the id its source gave it. A later
        import does not bring it back."""
        document = self._one(name, owner)
        self._unlearn(document)
        if document.kind in ("fact", "page"):
            from recollect.writing.facts import FactWriter, Signed

            writer, signed = FactWriter(self.store, document.owner), Signed(datetime.now(UTC))
            if document.kind == "fact":
                receipt = writer.forget(document.external, signed)
            else:  # what links to it does no more
                gone = [Forget(document.id)]
                receipt = writer.edit([], {}, signed, more=lambda _: gone).receipt
            self.store.refresh()
            return receipt
        receipt = self.store.apply(ChangeSet((Forget(document.id),)))
        self.store.refresh()
        return receipt

    def _unlearn(self, document: Document) -> None:
        """Forget what was kept of a document elsewhere."""
        from recollect.memory.answers import of_document
        from recollect.memory.curate import unquote

        self.store.drop_answers(of_document(document, self.store))
        unquote(self.store, document)
        if self._cache is not None:
            self._cache.clear()

    def rebuild(self) -> None:
        """Make the text and vector indexes anew from the record."""
        self.store.refresh(rebuild=True)

    # -------------------------------------------------------------- reading

    def search(self, text: str, *, cache: bool | None = None, **options: Unpack[Options]) -> Answer:
        """What is known about *text*: the right passages, inside a token budget, with how sure
        that is. What was answered before is served again until anything in sight changes, unless
        *cache* is false. *options* are those of :meth:`query`."""
        return self._counted(lambda: self._recalled(self.query(text, **options), cache))

    def _counted(self, search: Callable[[], Answer]) -> Answer:
        """What the search finds, after it was handed to the figures of :meth:`stats`."""
        if self._recorder is None:
            return search()
        self._recorder.begin()
        return self._recorder.noted(search())

    def _recalled(self, query: Query, cache: bool | None) -> Answer:
        """From the cache where that may serve, else by a search."""
        from recollect import __version__
        from recollect.reading.recall import Rules, note, recall

        if self._cache is None:
            return self.ask(query)
        if not (self.config["cache.enabled"] if cache is None else cache):
            answer = self.ask(query)
            note(query, answer.confidence, self._cache)
            return answer
        rules = Rules(self.config["cache.ttl"], self.config["cache.similarity"], __version__)
        return recall(query, self.store, self._models(query.policy), self._cache, rules)

    def gather(self, text: str, *, token_budget: int = 4000, **options: Unpack[Options]) -> Bundle:
        """What a model needs to answer *text*: whole sections of what is known, within so many
        tokens; and the fingerprint under which :meth:`record_answer` keeps what it writes.
        *options* are those of :meth:`query`."""
        from recollect.reading.gather import gather

        if not 100 <= token_budget <= 64_000:
            raise UsageError(f"token_budget is {token_budget}", hint="give 100 to 64000 tokens")
        query = self.query(text, **options)
        found = gather(query, self.store, self._models(query.policy), token_budget)
        if self._cache is not None:
            from recollect.reading.recall import note

            note(query, found.confidence, self._cache)
        return found

    def record_answer(
        self,
        query: str,
        answer: str,
        fingerprint: str,
        sources: Sequence[str] | None = None,
    ) -> Recording:
        """Keep what a model wrote for *query* from what a search or :meth:`gather` gave under
        this *fingerprint*: the next such question gets it as ``cached_answer``, until anything in
        sight changes. *sources* are the ids that it is from. Never raises: what comes back says
        whether it was recorded, and if not, why."""
        from recollect.memory.answers import Given, Recording, record

        try:
            given = Given(self.query(query), answer, fingerprint, sources)
            redact = bool(self.config["import.redact"])
            return record(given, self.store, self._cache, redact=redact)
        except Exception as error:  # noqa: BLE001  whoever calls has its answer already
            return Recording(False, in_a_line(error))

    def answers(
        self, *, limit: int = 20, before: str | datetime | None = None
    ) -> Sequence[Recorded]:
        """Recorded answers, newest first, each with whether it still holds."""
        from recollect.memory.answers import with_state

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} answers")
        found = self.store.answers(limit=limit, before=moment(before, "before"))
        return with_state(found, self.store)

    def forget_answers(self, *ids: str, stale: bool = False) -> int:
        """Forget recorded answers, by their ids, or those that no longer hold; how many it were."""
        from recollect.memory.answers import stale_ones

        return self.store.drop_answers([*ids, *(stale_ones(self.store) if stale else ())])

    def cache_stats(self) -> CacheStats:
        return CacheStats() if self._cache is None else self._cache.stats()

    def clear_cache(self, *, expired: bool = False) -> int:
        """Drop what is kept of earlier searches, or only what has expired. Recorded answers
        stay. Returns how many were dropped."""
        if self._cache is None:
            return 0
        return self._cache.prune(time()) if expired else self._cache.clear()

    def query(self, text: str, **options: Unpack[Options]) -> Query:
        """The whole request, resolved: what the call says wins over the configuration, and that
        over the mode."""
        from recollect.text.when import window

        given = checked(options, Options)
        seen = self.filter(**{n: given.pop(n) for n in Limits.__annotations__ if n in given})
        mode = given.pop("mode", None) or self.config["mode"]
        last = given.pop("last_n", None)
        relax = _relaxable(names(given.pop("relax", None)) or ())
        now = given.pop("now", None)
        as_of = moment(given.pop("as_of", None), "as_of")
        given["min_confidence"] = stakes(given.get("min_confidence"))
        if last is not None:
            seen = self._newest(seen, last)
        said = clean(text)
        policy = policy_for(mode, given, self.configured())
        return Query(said, seen, policy, window(said, now), as_of, relax)

    def configured(self) -> dict[str, Any]:
        """The knobs of the policy that the configuration sets."""
        return {name: self.config[setting] for name, setting in _CONFIGURED.items()}

    def ask(self, query: Query) -> Answer:
        """Answer a request that is resolved already."""
        from recollect.reading.pipeline import search

        return search(query, self.store, self._models(query.policy))

    def _models(self, policy: Policy) -> Models:
        from recollect.reading.attempt import Models

        embedder, note = (None, "") if policy.by == "keyword" else self._serving()
        if embedder is not None:
            if self._asking is None or self._asking.key != embedder.key:
                self._asking = Remembering(embedder)
            embedder = self._asking
        return Models(embedder, note, self._reranker, self._why_no_reranker)

    def context(
        self,
        query: str = "",
        *,
        scopes: Sequence[str] | None = None,
        owner: str | None = None,
        types: Sequence[str] | None = None,
        as_of: str | datetime | None = None,
        limit: int | None = None,
        token_budget: int | None = None,
        mode: str | None = None,
    ) -> Context:
        """What to know before answering: facts that are pinned, open questions, the facts that
        *query* names (or else those that answer it), and who the user is. *limit* and
        *token_budget* are ceilings for the relevant ones."""
        from recollect.reading.context import context

        policy = policy_for(mode or self.config["mode"], {}, self.configured())
        most = policy.limit if limit is None else limit
        if not 0 <= most <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 0 to {MAX_LIMIT} facts")
        if token_budget is not None and not 0 <= token_budget <= MAX_BUDGET:
            raise UsageError(f"token_budget is {token_budget}", hint=f"give 0 to {MAX_BUDGET}")
        asked = self._asked(owner, scopes, types, as_of)
        return context(
            clean(query), asked, policy, self.store, self._models(policy),
            limit=most, token_budget=token_budget,
        )  # fmt: skip

    def facts(
        self,
        *,
        limit: int = 20,
        cursor: str = "",
        every: bool = False,
        scopes: Sequence[str] | None = None,
        owner: str | None = None,
        types: Sequence[str] | None = None,
        as_of: str | datetime | None = None,
    ) -> FactPage:
        """Facts in force, newest first; *every* one also when it is superseded or expired."""
        from recollect.memory.facts import listed

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} facts")
        asked = self._asked(owner, scopes, types, as_of)
        return listed(self.store, asked, limit=limit, cursor=cursor, every=every)

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

    def sessions(
        self, query: str | None = None, **options: Unpack[SessionOptions]
    ) -> SessionsAnswer:
        """Past conversations: those about *query*; with ``session`` and ``around`` the messages
        around one; with ``session`` alone its beginning and end; with nothing the recent ones."""
        from recollect.memory.past import asked
        from recollect.reading.sessions.ask import ask

        request = asked(self, query, checked(options, SessionOptions))
        return ask(request, self.store, self._models(request.policy))

    def _newest(self, seen: Filter, count: int) -> Filter:
        if count < 1:
            raise UsageError(f"last_n is {count}", hint="give 1 or more")
        since = self.store.newest(seen, count)
        return seen if since is None else seen._replace(since=since)

    def _serving(self) -> tuple[Embedder | None, str]:
        """The embedder to search with, and what is to be said of it. After a change of model,
        the old vectors serve until there are as many new ones."""
        if self._embedder is None:
            return None, self._why_no_embedder
        counts = self.store.models()
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

    def get(self, name: str) -> Document:
        """A whole document by its id, the id its source gave it, or the id of a passage."""
        passage = None if self.store.get(clean(name)) else self.store.passage(clean(name))
        return self._one(name if passage is None else passage.document.id)

    def list(self, *, limit: int = 20, cursor: str = "", **limits: Unpack[Limits]) -> Page:
        """Documents, newest first, without their bodies; *limits* as for :meth:`search`."""
        if not 1 <= limit <= 1000:
            raise UsageError(f"limit is {limit}", hint="ask for 1 to 1000")
        return self.store.scan(self.filter(**limits), limit=limit, cursor=cursor)

    def history(self, name: str, *, owner: str | None = None) -> Sequence[Event]:
        """What happened to a document, also to one that was forgotten (by its id); to a fact, and
        to those that it replaced or that replaced it."""
        events = self.store.history(name)
        if events and not self.store.get(name):
            return events
        document = self._one(name, owner)
        if document.kind != "fact":
            return self.store.history(document.id)
        from recollect.facts import from_document
        from recollect.memory.facts import history

        return history(self.store, from_document(document))

    def bench_models(self, *names: str, sample: int = 200) -> Sequence[Score]:
        """How well models find things in this store: those named, else all that are here and
        the one in use. Words alone come first, for comparison."""
        from recollect.memory.model_bench import bench

        if not 20 <= sample <= 10_000:
            raise UsageError(f"sample is {sample}", hint="give 20 to 10000 questions")
        return bench(self.store, self._candidates(names), sample=sample)

    def _candidates(self, names: Sequence[str]) -> dict[str, Embedder]:
        wanted = names or [s.name for s in model_states(self.config) if s.here and s.job == "embed"]
        found: dict[str, Embedder] = {}
        if self._embedder is not None and not names:
            found[self.config["embed.model"]] = self._embedder
        for name in wanted:
            embedder, why = embedder_for(self.config.with_value("embed.model", name))
            if embedder is None:
                raise ModelError(why)
            found.setdefault(name, embedder)
        return found

    def status(self) -> Status:
        stats = self.store.stats()
        if self._embedder is None:
            return Status(stats, self.config["embed.model"], self._why_no_embedder, 0)
        pending = stats.passages - stats.vectors.get(self._embedder.key, 0)
        failure = self._background.failure if self._background else ""
        return Status(stats, self._embedder.key, failure or "ready", pending)

    def stats(self, days: int = 30) -> Usage:
        """What searches did in the last so many days, in counts and sums; see
        :mod:`recollect.telemetry`."""
        from recollect.memory.usage import usage

        return usage(self._ledger, self._recorder, days)

    def clear_stats(self) -> None:
        """Delete all figures, also those that cannot be read any more."""
        if self._ledger is not None:
            self._ledger.clear()

    def llm(self) -> Llm:
        """The language model, for one command: what is spent through it counts together. Raises
        ``ModelMissing`` where none is configured; nothing in here needs one."""
        return self._llms().llm()

    def use_llm(self, own: Own) -> None:
        """Ask a language model of your own instead of the configured one: a callable that takes an
        ``LlmRequest`` and gives the text of the answer, or an ``LlmReply``."""
        from recollect.memory.llm import Languages

        self._languages = Languages(self.config, own)
        if self.config["rerank.model"] == "llm":
            self._reranker, self._why_no_reranker = llm_reranker(self._languages)

    def llm_status(self, days: int = 30) -> LlmStatus:
        """Which language model is configured, and what the last so many days cost."""
        return self._llms().status(days)

    def test_llm(self) -> LlmTest:
        """Ask the language model for one word, to see whether it answers."""
        return self._llms().test()

    def _llms(self) -> Languages:
        if self._languages is None:
            from recollect.memory.llm import Languages

            self._languages = Languages(self.config)
        return self._languages

    def tune(self, days: int = 30) -> Tuning:
        """What to set otherwise, judging by :meth:`stats`."""
        from recollect.memory.tuning import tuning

        return tuning(self.stats(days), self.config)

    def _one(self, name: str, owner: str | None = None) -> Document:
        found = self.store.get(clean(name))
        if owner is not None:
            found = [document for document in found if document.owner == owner]
        if not found:
            from recollect.memory.facts import called

            found = called(self.store, owner or LOCAL, clean(name))
        if not found:
            raise NotFound(f"there is no document {name!r}",
                           hint="`recollect list` shows what there is")  # fmt: skip
        if len(found) > 1:
            ids = ", ".join(f"{d.id} (in {d.source})" for d in found[:5])
            raise UsageError(f"{name!r} names {len(found)} documents: {ids}",
                             hint="give the id of the one that is meant")  # fmt: skip
        return found[0]
