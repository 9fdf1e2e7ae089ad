"""Questions to a store: searched, thought about, gathered for, counted and dated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect import __version__, facts, storage
from recollect.arguments import checked, left_out, question
from recollect.errors import UsageError, in_a_line
from recollect.memory import capture, requests, web
from recollect.memory.core import Core
from recollect.memory.options import ContextOptions, SearchOptions, ThinkOptions
from recollect.named_tuple import NamedTuple
from recollect.nouns import MAX_BUDGET, MAX_LIMIT, Answer, Policy, Query, Recording
from recollect.policy import policy_for
from recollect.ports import StopToken
from recollect.reading import context as contexts
from recollect.reading import gather as sections
from recollect.reading import pipeline, pool
from recollect.reading import web as beyond_memory
from recollect.reading.cache import lookup, recording
from recollect.reading.think import thinker, thinking, thought

SECONDS = 60.0
"""For which a thought may take, unless the caller says otherwise."""


class SearchParts(NamedTuple):
    """What a search calls on, besides the store."""

    models: pool.Models
    cache: lookup.AnswerCache
    beyond: Sequence[pipeline.Beyond]


def prepared(core: Core, query: Query, cache: bool | None, with_web: bool | None) -> SearchParts:
    """The models, the cache if it may serve, and what lies beyond memory (a language model, the
    web) as far as it is allowed. The question is kept, if the user wants that."""
    if core.config["capture"]:
        capture.capture(query, core.config)
    models = _models(core, query.policy)
    allowed = beyond_memory.WebAccess(
        core.config["web.when"], with_web, read=core.config["web.read"]
    )
    beyond = (
        thinker.escalate(lambda: _thinker(core, models), models),
        beyond_memory.with_web(lambda: web.searchable(core), allowed),
    )
    if core.recorder is not None:
        core.recorder.begin()
    return SearchParts(models, _answers(core, cache), beyond)


def counted(core: Core, answer: Answer) -> Answer:
    """The answer, after it was handed to the figures of use."""
    answer = answer._replace(hints=(*left_out(answer.query), *answer.hints))
    return answer if core.recorder is None else core.recorder.noted(answer)


def ask(core: Core, query: Query) -> Answer:
    """The answer of the pipeline alone: no cache, no figures, no web."""
    return pipeline.answer(query, core.store, _models(core, query.policy))


def _models(core: Core, policy: Policy) -> pool.Models:
    """The models of a search, with the language model if it may be asked."""
    asks = policy.think or policy.expand or policy.hyde
    return core.models_with_llm(policy) if asks else core.models(policy)


def _answers(core: Core, serve: bool | None) -> lookup.AnswerCache:
    """The cache of answers, which serves unless the caller or the user says no."""
    serve = core.config["cache.enabled"] if serve is None else serve
    return lookup.AnswerCache(core.cache, _rules(core), serve=bool(serve))


def _rules(core: Core) -> lookup.CacheRules:
    return lookup.CacheRules(core.config["cache.ttl"], core.config["cache.similarity"], __version__)


# ------------------------------------------------------------------ thinking


def think(
    core: Core,
    text: str,
    options: Mapping[str, Any],
    token: StopToken | None,
    tell: thought.Tell | None,
) -> thought.Thought:
    """An answer that the language model writes from what is in memory."""
    given = checked(options, ThinkOptions)
    asks = {name: given.pop(name) for name in SearchOptions.__annotations__ if name in given}
    query = requests.query_of(core, text, asks)
    pages = given.get("web", False)
    asked = thinking.ThinkRequest(
        query,
        given.get("token_budget", thinker.TOKENS),
        given.get("force", False),
        () if isinstance(pages, bool) else tuple(pages),
        (lambda: web.search(core, query.text).results) if pages is True else None,
    )
    seconds = given.get("time_box", SECONDS)
    thinks = _thinker(core, core.models_with_llm(query.policy))
    return thinks.think(asked, seconds, token, tell or thought.nobody)


def _thinker(core: Core, models: pool.Models) -> thinker.Thinker:
    cache = storage.open_cache("memory://", 1) if core.cache is None else core.cache
    redact = bool(core.config["import.redact"])
    return thinker.Thinker(core.store, cache, models, _rules(core), redact=redact)


# ------------------------------------------------------------------ for the caller's own model


def gather(core: Core, query: Query, token_budget: int) -> sections.Bundle:
    """Whole sections for a model to write an answer from."""
    if not 100 <= token_budget <= 64_000:
        raise UsageError(f"token_budget is {token_budget}", hint="give 100 to 64000 tokens")
    found = sections.gather(query, core.store, core.models(query.policy), token_budget)
    _answers(core, None).note(query, found.confidence)
    cut = (sections.Hint("cut", said) for said in left_out(query.text))
    return found._replace(follow_up_hints=(*cut, *found.follow_up_hints))


def record_answer(
    core: Core, query: str, answer: str, fingerprint: str, sources: Sequence[str] | None
) -> Recording:
    """Keeps an answer that a model wrote; never raises."""
    try:
        given = recording.WrittenAnswer(
            requests.query_of(core, query, {}), answer, fingerprint, sources
        )
        redact = bool(core.config["import.redact"])
        return recording.record(given, core.store, core.cache, redact=redact)
    except Exception as error:  # noqa: BLE001  whoever calls has its answer already
        return Recording(False, in_a_line(error))


def context(core: Core, query: str, options: Mapping[str, Any]) -> facts.Context:
    """The facts to know before answering."""
    given = checked(options, ContextOptions)
    limit, token_budget = given.get("limit"), given.get("token_budget")
    policy = policy_for(
        given.get("mode") or core.config["mode"], {}, requests.configured(core.config)
    )
    most = policy.limit if limit is None else limit
    if not 0 <= most <= MAX_LIMIT:
        raise UsageError(f"limit is {limit}", hint=f"ask for 0 to {MAX_LIMIT} facts")
    if token_budget is not None and not 0 <= token_budget <= MAX_BUDGET:
        raise UsageError(f"token_budget is {token_budget}", hint=f"give 0 to {MAX_BUDGET}")
    whose = {name: given.get(name) for name in ("owner", "scopes", "types", "as_of")}
    asked = requests.facts_asked(core, **whose)
    wanted = contexts.ContextQuery(question(query), asked, policy, most, token_budget)
    found = contexts.context(wanted, core.store, core.models(policy))
    return found._replace(hints=(*left_out(wanted.text), *found.hints))
