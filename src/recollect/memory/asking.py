"""What is asked of a store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from recollect import config as settings
from recollect.arguments import checked, clean, moment, names
from recollect.errors import NotFound, UsageError, in_a_line
from recollect.memory.opened import Opened
from recollect.memory.options import Limits, Options, SessionOptions
from recollect.nouns import (
    MAX_BUDGET,
    MAX_LIMIT,
    Answer,
    Document,
    Event,
    Filter,
    Page,
    Policy,
    Query,
    Recorded,
)
from recollect.nouns.web import WebFound, WebResult
from recollect.policy import KNOBS, policy_for, stakes
from recollect.ports import Token
from recollect.reading import context as contexts
from recollect.reading import pipeline
from recollect.reading import web as beyond_memory
from recollect.reading.cache import lookup
from recollect.reading.think import thinker as thinking

if TYPE_CHECKING:
    from recollect.facts import Context
    from recollect.nouns import Recording
    from recollect.ports import Web
    from recollect.reading.cache.lookup import AnswerCache, CacheRules
    from recollect.reading.gather import Bundle
    from recollect.reading.pipeline import Beyond
    from recollect.reading.pool import Models
    from recollect.reading.sessions.results import SessionsAnswer
    from recollect.reading.think.thinker import Thinker
    from recollect.reading.think.thought import Tell, Thought

_CONFIGURED = {name: f"search.{name}" for name in KNOBS if f"search.{name}" in settings.SETTINGS}
"""The knobs that are settings too."""


def _relaxable(limits: tuple[str, ...]) -> tuple[str, ...]:
    for name in limits:
        if name not in Filter.relaxable():
            there_are = ", ".join(Filter.relaxable())
            raise UsageError(f"{name!r} cannot be relaxed", hint=f"these can: {there_are}")
    return limits


class Asking(Opened):
    """Searches, answers, conversations, contexts."""

    def search(
        self,
        text: str,
        *,
        cache: bool | None = None,
        web: bool | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """What is known about *text*: the right passages, inside a token budget, with how sure
        that is. What was answered before is served again until anything in sight changes, unless
        *cache* is false. *options* are those of :meth:`query`; with ``think`` what is graded low is
        thought about (:meth:`think`), as far as a language model is configured. With *web*, where
        the user allows it and memory does not answer, what the web says stands beside it."""
        query = self._captured(text, options)
        models = self._searching(query.policy)
        allowed = beyond_memory.WebAccess(
            self.config["web.when"], web, read=self.config["web.read"]
        )
        beyond = (
            thinking.escalate(lambda: self._thinker(models), models),
            beyond_memory.with_web(self._searchable_web, allowed),
        )
        return self._counted(query, models, self._answers_before(cache), beyond)

    def web(self, query: str, *, limit: int = 5, read: int | None = None) -> WebFound:
        """What the web says, where the user allows that it is asked; memory is not looked at, and
        nothing is kept. Of the first *read* results the page is read."""
        from recollect.memory.web import check_allowed

        for name, value, most in (("limit", limit, 20), ("read", read or 0, 5)):
            if not (name == "limit") <= value <= most:
                least = int(name == "limit")
                raise UsageError(f"{name} is {value}", hint=f"give {least} to {most}")
        check_allowed(self.config)
        much = self.config["web.read"] if read is None else read
        return self._searchable_web().search(clean(query), limit=limit, read=much)

    def _searchable_web(self) -> Web:
        from recollect.memory.web import check_engine

        if self._web is None:
            check_engine(self.config)
        return self._the_web()

    def _captured(self, text: str, options: Options) -> Query:
        """The request, which is kept for replay where the user wants that."""
        query = self.query(text, **options)
        if self.config["capture"]:
            from recollect.memory.capture import capture

            capture(query, self.config)
        return query

    def _counted(
        self, query: Query, models: Models, cache: AnswerCache, beyond: Sequence[Beyond]
    ) -> Answer:
        """Answers, and hands the answer to the figures of :meth:`stats`."""
        if self._recorder is None:
            return pipeline.answer(query, self.store, models, cache, beyond)
        self._recorder.begin()
        return self._recorder.noted(pipeline.answer(query, self.store, models, cache, beyond))

    def _searching(self, policy: Policy) -> Models:
        """With the language model, if it may be asked."""
        asks = policy.think or policy.expand or policy.hyde
        return self._writing(policy) if asks else self._models(policy)

    def _answers_before(self, cache: bool | None) -> AnswerCache:
        """Returns the cache of answers, which serves unless the caller or the user says no."""
        serve = self.config["cache.enabled"] if cache is None else cache
        return lookup.AnswerCache(self._cache, self._rules(), serve=bool(serve))

    def _rules(self) -> CacheRules:
        from recollect import __version__

        return lookup.CacheRules(
            self.config["cache.ttl"], self.config["cache.similarity"], __version__
        )

    def think(
        self,
        text: str,
        *,
        force: bool = False,
        time_box: float = 60.0,
        token_budget: int = 6000,
        token: Token | None = None,
        tell: Tell | None = None,
        web: bool | Sequence[WebResult] = False,
        **options: Unpack[Options],
    ) -> Thought:
        """An answer to *text* that the language model writes from what is in memory, each sentence
        with what bears it out, checked; or that it is not in memory. At most two calls. What was
        written before is served again, and what is there in so many words is not written at all,
        unless *force* is true. *tell* is told of each sentence as it comes. *web* are pages that
        may be cited besides; true lets the web be asked where memory does not answer, if the user
        allows it. Without a language model, and whenever it fails or takes longer than
        *time_box* seconds, what comes back has what was gathered, and the reason. *options* are
        those of :meth:`query`."""
        from recollect.reading.think.thinking import ThinkRequest
        from recollect.reading.think.thought import nobody

        query = self.query(text, **options)
        pages = () if isinstance(web, bool) else tuple(web)
        look = (lambda: self.web(query.text).results) if web is True else None
        asked = ThinkRequest(query, token_budget, force, pages, look)
        thinker = self._thinker(self._writing(query.policy))
        return thinker.think(asked, time_box, token, tell or nobody)

    def _thinker(self, models: Models) -> Thinker:
        cache = self._cache
        if cache is None:
            from recollect.storage import open_cache

            cache = open_cache("memory://", 1)
        redact = bool(self.config["import.redact"])
        return thinking.Thinker(self.store, cache, models, self._rules(), redact=redact)

    def gather(self, text: str, *, token_budget: int = 4000, **options: Unpack[Options]) -> Bundle:
        """What a model needs to answer *text*: whole sections of what is known, within so many
        tokens; and the fingerprint under which :meth:`record_answer` keeps what it writes.
        *options* are those of :meth:`query`."""
        from recollect.reading.gather import gather

        if not 100 <= token_budget <= 64_000:
            raise UsageError(f"token_budget is {token_budget}", hint="give 100 to 64000 tokens")
        query = self.query(text, **options)
        found = gather(query, self.store, self._models(query.policy), token_budget)
        self._answers_before(cache=None).note(query, found.confidence)
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
        from recollect.nouns import Recording
        from recollect.reading.cache.recording import WrittenAnswer, record

        try:
            given = WrittenAnswer(self.query(query), answer, fingerprint, sources)
            redact = bool(self.config["import.redact"])
            return record(given, self.store, self._cache, redact=redact)
        except Exception as error:  # noqa: BLE001  whoever calls has its answer already
            return Recording(False, in_a_line(error))

    def answers(
        self, *, limit: int = 20, before: str | datetime | None = None
    ) -> Sequence[Recorded]:
        """Recorded answers, newest first, each with whether it still holds."""
        from recollect.reading.cache.recording import with_state

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} answers")
        found = self.store.answers.find(limit=limit, before=moment(before, "before"))
        return with_state([one for one in found if self._may_read(one)], self.store)

    def _may_read(self, answer: Recorded) -> bool:
        """Whether all that an answer is from is in sight of the configuration."""
        seen = self.filter()
        if seen.owner is not None and answer.owner != seen.owner:
            return False
        if seen.scopes is None:
            return True
        return bool(answer.sources) and all(map(self._sees, answer.sources))

    def _sees(self, name: str) -> bool:
        try:
            self.get(name)
        except (NotFound, UsageError):
            return False
        return True

    def forget_answers(self, *ids: str, stale: bool = False) -> int:
        """Forget recorded answers, by their ids, or those that no longer hold; how many it were."""
        from recollect.reading.cache.recording import stale_ones

        return self.store.answers.drop([*ids, *(stale_ones(self.store) if stale else ())])

    def query(self, text: str, **options: Unpack[Options]) -> Query:
        """The whole request, resolved: what the call says wins over the configuration, and that
        over the mode."""
        from recollect.text.questions.when import window

        given = checked(options, Options)
        seen = self.filter(**{n: given.pop(n) for n in Limits.__annotations__ if n in given})
        mode, configured = given.pop("mode", None), self.configured()
        if not mode and self.config.origin("mode") == "project" and configured["expand"] is None:
            configured["expand"] = 0  # what came with a repository has nobody asked
        last = given.pop("last_n", None)
        relax = _relaxable(names(given.pop("relax", None)) or ())
        now = given.pop("now", None)
        as_of = moment(given.pop("as_of", None), "as_of")
        given["min_confidence"] = stakes(given.get("min_confidence"))
        if last is not None:
            seen = self._newest(seen, last)
        said = clean(text)
        policy = policy_for(mode or self.config["mode"], given, configured)
        return Query(said, seen, policy, window(said, now), as_of, relax)

    def configured(self) -> dict[str, Any]:
        """The knobs of the policy that the configuration sets."""
        return {name: self.config[setting] for name, setting in _CONFIGURED.items()}

    def ask(self, query: Query) -> Answer:
        """Answer a request that is resolved already."""
        return pipeline.answer(query, self.store, self._searching(query.policy))

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
        policy = policy_for(mode or self.config["mode"], {}, self.configured())
        most = policy.limit if limit is None else limit
        if not 0 <= most <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 0 to {MAX_LIMIT} facts")
        if token_budget is not None and not 0 <= token_budget <= MAX_BUDGET:
            raise UsageError(f"token_budget is {token_budget}", hint=f"give 0 to {MAX_BUDGET}")
        asked = self._asked(owner, scopes, types, as_of)
        wanted = contexts.ContextQuery(clean(query), asked, policy, most, token_budget)
        return contexts.context(wanted, self.store, self._models(policy))

    def sessions(
        self, query: str | None = None, **options: Unpack[SessionOptions]
    ) -> SessionsAnswer:
        """Past conversations: those about *query*; with ``session`` and ``around`` the messages
        around one; with ``session`` alone its beginning and end; with nothing the recent ones."""
        from recollect.memory.session_request import asked
        from recollect.reading.sessions.ask import ask

        request = asked(self, query, checked(options, SessionOptions))
        return ask(request, self.store, self._models(request.policy))

    def _newest(self, seen: Filter, count: int) -> Filter:
        if count < 1:
            raise UsageError(f"last_n is {count}", hint="give 1 or more")
        newest = self.store.scan(seen, limit=count, dated=True).items
        return seen._replace(since=newest[-1].date) if newest else seen

    def get(self, name: str) -> Document:
        """A whole document by its id, the id its source gave it, or the id of a passage."""
        called = clean(name)
        passages = [] if self.store.get(called, body=False) else self.store.passages([called])
        if not passages:
            return self._one(name)
        try:
            return self._one(passages[0].document.id)
        except NotFound:  # there is one, and the caller may not know
            return self._one(name)

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
        from recollect.writing.remember import history

        return history(self.store, from_document(document))
