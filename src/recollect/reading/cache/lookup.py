"""Tiers 0 and 1: what was answered before is served again, as long as a search could give nothing
else.

- An answer is kept under the whole request and the state of all that it may see. Both are in its
  key, so nothing has to be invalidated: a write anywhere in sight leads to another key.
- Facts begin and end by themselves. What was found before such a moment is not served after it.
- An answer that a caller wrote (``record_answer``) comes before one that was searched for, and
  holds until something in sight changes; the other one besides for as long as the rules say.
- A question in other words is the same only if nothing in either is unaccounted for
  (:mod:`recollect.text.questions.near`); it is looked for among those of the same limits, policy
  and state.

A cache that fails costs nothing but itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal, NamedTuple

from recollect.errors import in_a_line
from recollect.facts import KIND, from_document, handle, turns
from recollect.nouns import (
    LOCAL,
    Answer,
    Budget,
    CacheReport,
    Filter,
    Query,
    Recorded,
    Stage,
    stable_id,
)
from recollect.ports import AskedBefore, Cache, Kept, Store
from recollect.reading.attempt import Models
from recollect.reading.cache.packing import SHAPE, packed, unpacked
from recollect.reading.pipeline import fingerprint, hidden, search
from recollect.text.questions.parse import Parsed, parse
from recollect.text.tokens import count_tokens
from recollect.trace import Trace

DEGRADED = 60.0
"""Seconds for which an answer is kept that could have been better."""
_WORD = re.compile(r"[a-z0-9]+")
NEARBY = 64
"""How many earlier questions a new one is compared with."""
YEAR = timedelta(days=366)
"""A recorded answer does not last longer."""


class Rules(NamedTuple):
    """What the configuration says of the cache."""

    ttl: float = 3600.0
    similarity: float = 0.92
    program: str = ""
    """Which version of us: another may search better."""


class Place(NamedTuple):
    """Where answers to a request are kept."""

    fingerprint: str
    space: str
    """All but the words; with the state, the same for every process."""
    key: str
    """The fingerprint, and what else decides what a search finds: the program and its models."""
    key_space: str


class Nearest(NamedTuple):
    """An earlier question, and how it compares with the new one."""

    question: str
    asked: str
    overlap: float
    reason: str
    recorded: Recorded | None = None
    kept: Kept | None = None


def recall(query: Query, store: Store, models: Models, cache: Cache, rules: Rules) -> Answer:
    """The answer to a request: what is known of it already, else what a search finds."""
    trace, now = Trace(), datetime.now(UTC)
    parsed = parse(query.text)
    asked = parsed.narrowed(query.filter)
    place = placed(query, asked, store, models, rules.program)
    lookup = _Lookup(query, parsed, asked, place, store, models, cache, rules, now)
    report = CacheReport("miss")
    try:
        found, report = lookup.found(trace)
        if found is not None:
            return found
    except Exception as error:  # noqa: BLE001  a cache may be anybody's, and is never needed
        report = CacheReport("off", f"it failed: {in_a_line(error)}")
    state: Literal["ran", "failed"] = "failed" if report.status == "off" else "ran"
    stage = Stage("cache", state, report.reason, 0, trace.elapsed_ms)
    answer = search(query, store, models)
    try:
        lookup.keep(answer)
    except Exception as error:  # noqa: BLE001
        report = report._replace(reason=f"the answer was not kept: {in_a_line(error)}")
    return answer._replace(cache=report, stages=(stage, *answer.stages), timing_ms=trace.elapsed_ms)


def written_before(
    query: Query, store: Store, models: Models, cache: Cache, rules: Rules
) -> Answer | None:
    """What was recorded for this question, or for one that asks the same; None when there is
    nothing, or looking for it fails."""
    trace, now = Trace(), datetime.now(UTC)
    parsed = parse(query.text)
    asked = parsed.narrowed(query.filter)
    place = placed(query, asked, store, models, rules.program)
    lookup = _Lookup(query, parsed, asked, place, store, models, cache, rules, now)
    with suppress(Exception):
        return lookup.written(trace)
    return None


def placed(query: Query, asked: Filter, store: Store, models: Models, program: str) -> Place:
    whole = fingerprint(query, asked, store)
    asks = query.policy.expand or query.policy.hyde
    space = space_of(query.space(), whole.removeprefix(query.key()))
    by = (
        program, SHAPE, models.embedder.key if models.embedder else "", models.embedder_note,
        models.reranker.key if models.reranker else "", models.reranker_note,
        *([models.llm.name if models.llm else models.llm_note] if asks else []),
        f"{models.cosines} {models.odds}",
    )  # fmt: skip
    return Place(whole, space, stable_id(whole, *by), stable_id(space, *by))


def space_of(request: str, state: str) -> str:
    """The name of a request without its words, in a state of what it may see."""
    return stable_id(request, state)


class _Lookup(NamedTuple):
    query: Query
    parsed: Parsed
    asked: Filter
    place: Place
    store: Store
    models: Models
    cache: Cache
    rules: Rules
    now: datetime

    def found(self, trace: Trace) -> tuple[Answer | None, CacheReport]:
        written = self._recorded(trace)
        if written is not None:
            return written
        kept = self.cache.get(self.place.key)
        if kept is not None and self._fresh(kept):
            report = CacheReport("hit", "the same question was answered before")
            return self._again(kept, report, 0, trace)
        return self._nearby(list(self._candidates()), trace)

    def written(self, trace: Trace) -> Answer | None:
        """Only what was recorded."""
        exact = self._recorded(trace)
        if exact is not None:
            return exact[0]
        return self._nearby(list(self._recorded_alike()), trace)[0]

    def _recorded(self, trace: Trace) -> tuple[Answer, CacheReport] | None:
        for one in self.store.answers(fingerprint=self.place.fingerprint, limit=1):
            if self._holds(one):
                report = CacheReport("hit", "recorded for this question")
                return self._written(one, report, 0, trace)
        return None

    # -------------------------------------------------------------- near questions

    def _nearby(
        self, candidates: Sequence[Nearest], trace: Trace
    ) -> tuple[Answer | None, CacheReport]:
        best = self._nearest(candidates)
        if best is None:
            return None, CacheReport("miss", "nothing like it was asked before")
        report = CacheReport("miss", best.reason, best.question, round(best.overlap, 3))
        if best.recorded is not None:
            return self._written(best.recorded, report._replace(status="hit"), 1, trace)
        kept = self.cache.get(best.kept.key) if best.kept else None
        if kept is None:
            return None, report
        return self._again(kept, report._replace(status="hit"), 1, trace)

    def _recorded_alike(self) -> Iterator[Nearest]:
        for one in self.store.answers(space=self.place.space, limit=NEARBY):
            key = one.fingerprint[: len(self.query.key())]
            yield Nearest(one.query, key, 0.0, "", recorded=one)

    def _candidates(self) -> Iterator[Nearest]:
        yield from self._recorded_alike()
        for kept in self.cache.alike(self.place.key_space, limit=NEARBY):
            yield Nearest(kept.question, kept.asked, 0.0, "", kept=kept)

    def _serves(self, one: Nearest) -> bool:
        if one.recorded is not None:
            return self._holds(one.recorded)
        return one.kept is not None and self._fresh(one.kept)

    def _nearest(self, candidates: Sequence[Nearest]) -> Nearest | None:
        """The nearest of them that asks the same; else the nearest by its words, without its
        answer, to say why it does not."""
        if not candidates:
            return None
        from recollect.text.questions.near import OVERLAP, compare, read

        mine, said = read(self.query.text), _words(self.query.text)
        alike: list[Nearest] = []
        other: list[Nearest] = []
        for one in candidates:
            if not _may_be_alike(said, _words(one.question)):
                continue
            verdict = compare(mine, read(one.question))
            one = one._replace(overlap=verdict.overlap, reason=verdict.reason)
            (alike if verdict.same else other).append(one)
        alike = sorted(filter(self._serves, alike), key=lambda one: -one.overlap)
        if alike and alike[0].overlap >= OVERLAP:
            return alike[0]._replace(reason=f"asked before in other words ({alike[0].reason})")
        near = self._by_meaning(alike)
        if near is not None:
            return near
        refused = [one for one in other if one.overlap >= OVERLAP] + alike
        if not refused:
            return None
        first = max(refused, key=lambda one: one.overlap)
        return Nearest(first.question, first.asked, first.overlap, f"not the same: {first.reason}")

    def _by_meaning(self, alike: Sequence[Nearest]) -> Nearest | None:
        embedder = self.models.embedder
        if not alike or embedder is None:
            return None
        import numpy as np

        noted = self.cache.noted({one.asked for one in alike})
        vectors = {
            key: np.frombuffer(one.vector, "<f2").astype(np.float32)
            for key, one in noted.items()
            if one.model == embedder.key and one.vector
        }
        if not vectors:
            return None
        mine = embedder.embed_query(self.parsed.prose)
        cosines = {key: float(vector @ mine) for key, vector in vectors.items()}
        best = max(alike, key=lambda one: cosines.get(one.asked, 0.0))
        cosine = cosines.get(best.asked, 0.0)
        if cosine < self.rules.similarity:
            return None
        reason = f"asked before in other words, which mean the same ({best.reason})"
        return best._replace(overlap=cosine, reason=reason)

    # -------------------------------------------------------------- what still holds

    def _holds(self, one: Recorded) -> bool:
        return not one.stale and self.now - one.at < YEAR and not self._lapsed(one.at)

    def _fresh(self, kept: Kept) -> bool:
        age = self.now.timestamp() - kept.made
        if not 0 <= age < min(kept.lasts, self.rules.ttl):
            return False
        return not self._lapsed(datetime.fromtimestamp(kept.made, UTC))

    def _lapsed(self, since: datetime) -> bool:
        """Whether a fact that may be seen began or ended to hold meanwhile."""
        if since > self.now:
            return True
        kinds = self.asked.without(*self.query.relax).kinds
        if self.query.as_of is not None or (kinds is not None and KIND not in kinds):
            return False
        owner = self.asked.owner or LOCAL
        days = (self.now.date() - since.astimezone(UTC).date()).days
        handles = [handle(owner, turns(since + timedelta(days=n))) for n in range(days + 1)]
        return any(
            since < moment <= self.now
            for held in self.store.held(handles)
            for moment in from_document(held.document).boundaries
        )

    # -------------------------------------------------------------- the answer

    def _written(
        self, one: Recorded, report: CacheReport, tier: int, trace: Trace
    ) -> tuple[Answer, CacheReport]:
        age = (self.now - one.at).total_seconds()
        report = report._replace(age_seconds=round(age, 3))
        if tier:
            self._note(one.confidence)
        trace.ran("cache", trace.started, found=1, reason=report.reason)
        from recollect.text.questions.route import route

        way = route(self.parsed.prose)
        return Answer(
            query=self.query.text,
            status="cached_answer",
            tier=tier,
            mode=self.query.policy.mode,
            intent=way.intent,
            shape=way.shape,
            confidence=one.confidence,
            results=(),
            total_found=0,
            hidden={},
            degraded=(),
            budget=Budget(self.query.policy.budget, count_tokens(one.answer), 1, 0, 0),
            fingerprint=self.place.fingerprint,
            stages=tuple(trace.stages),
            timing_ms=trace.elapsed_ms,
            cache=report,
            answer=one,
        ), report

    def _again(
        self, kept: Kept, report: CacheReport, tier: int, trace: Trace
    ) -> tuple[Answer, CacheReport]:
        found = unpacked(kept.answer)
        report = report._replace(age_seconds=round(self.now.timestamp() - kept.made, 3))
        if tier:
            self._note(found.confidence)
        trace.ran("cache", trace.started, found=len(found.results), reason=report.reason)
        earlier = tuple(stage._replace(name=f"earlier {stage.name}") for stage in found.stages)
        return found._replace(
            query=self.query.text,
            tier=tier,
            hidden=self._hidden(found),
            fingerprint=self.place.fingerprint,
            stages=(*trace.stages, *earlier),
            timing_ms=trace.elapsed_ms,
            cache=report,
        ), report

    def _hidden(self, found: Answer) -> Mapping[str, int]:
        """What the limits hide. Beyond the sources in sight there may be more by now."""
        if self.asked.sources is None:
            return found.hidden
        under = self.asked.without(*found.relaxed)
        return hidden(self.parsed, under, self.store, Trace(), under.limits)

    # -------------------------------------------------------------- keeping

    def keep(self, answer: Answer) -> None:
        ran = {stage.name for stage in answer.stages if stage.state == "ran"}
        self._note(answer.confidence, embedded="embed" in ran)
        if "fuse" not in ran:
            return  # facts that are named are looked up as fast
        if answer.fingerprint != self.place.fingerprint:
            return  # something was written meanwhile
        lasts = min(DEGRADED, self.rules.ttl) if answer.degraded else self.rules.ttl
        place = self.place
        self.cache.put(
            Kept(
                place.key, place.key_space, self.query.key(), self.query.text,
                self.now.timestamp(), lasts, packed(answer),
            )
        )  # fmt: skip

    def _note(self, confidence: float, *, embedded: bool = False) -> None:
        """Remember the question, and its vector if that was made."""
        asked = as_asked(self.query, self.asked, confidence)
        if embedded and self.models.embedder is not None:
            vector = self.models.embedder.embed_query(self.parsed.prose)
            model = self.models.embedder.key
            asked = asked._replace(model=model, vector=vector.astype("<f2").tobytes())
        self.cache.note(asked)


def note(query: Query, confidence: float, cache: Cache) -> None:
    """Remember a question, as far as the cache is able to."""
    asked = parse(query.text).narrowed(query.filter)
    with suppress(Exception):
        cache.note(as_asked(query, asked, confidence))


def as_asked(query: Query, asked: Filter, confidence: float) -> AskedBefore:
    sources = asked.without(*query.relax).sources
    return AskedBefore(
        query.key(), query.text, query.space(), asked.owner or "", sources, confidence
    )


def _words(text: str) -> frozenset[str]:
    """Words roughly, and quickly; of a script without spaces its characters."""
    folded = text.casefold()
    return frozenset(_WORD.findall(folded) if folded.isascii() else _any_word().findall(folded))


@cache
def _any_word() -> re.Pattern[str]:
    """Compiled when first needed: the large class takes longer than to open a store."""
    run = r"\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af"
    return re.compile(rf"[{run}]|[^\W_{run}]+")


def _may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether it is worth a closer look: a quarter of the shorter one's words are shared."""
    return 4 * len(one & other) >= min(len(one), len(other))
