"""Tiers 0 and 1: what was answered before is served again, as long as a search could give nothing
else.

- An answer is kept under the whole request and the state of all that it may see. Both are in its
  key, so nothing has to be invalidated: a write anywhere in sight leads to another key.
- Facts begin and end by themselves. What was found before such a moment is not served after it.
- An answer that a caller wrote (``record_answer``) comes before one that was searched for, and
  holds until something in sight changes; the other one besides for as long as the rules say.
- A question in other words is the same only if the pair model finds it so and nothing in either is
  unaccounted for (:mod:`recollect.text.pairs`); it is looked for among those of the same limits,
  policy and state. An answer that comes with hints is only served for the same words: they say
  which words were read otherwise, or are nowhere.
- A degraded answer is not kept: what it lacked may be there when the question comes again.

A cache that fails costs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from recollect.errors import in_a_line
from recollect.facts import KIND, from_document, handle, turns
from recollect.named_tuple import NamedTuple
from recollect.nouns import Answer, Budget, CacheReport, Query, Recorded, stable_id
from recollect.ports import Cache, CachedAnswer, PastRequest, StorageEngine
from recollect.reading import retrieval
from recollect.reading.cache.packing import SHAPE, packed, unpacked
from recollect.reading.pool import Models, Pass
from recollect.reading.question import Question, understand
from recollect.text import pairs
from recollect.text.questions.parse import parse
from recollect.text.terms import stems
from recollect.text.tokens import count_tokens
from recollect.trace import current, fail, say, stage, tracing

NEARBY, COMPARED = 64, 4
"""So many earlier questions are looked at by their words, and so many of them compared: each costs
the encoder a pass."""
OVERLAP = 0.6
"""Questions that share so many of their words are told apart by name."""
LIKELY = 0.5
"""How sure it is from which on two questions may well ask the same."""
YEAR = timedelta(days=366)
"""A recorded answer does not last longer."""
OTHER_WORDS = "asked before in other words, and what was said then is of those words"
NEVER_ASKED = CacheReport("miss", "nothing like it was asked before")


class CacheRules(NamedTuple):
    """What the configuration says of the cache."""

    ttl: float = 3600.0
    similarity: float = 0.92
    program: str = ""
    """Which version of us: another may search better."""


class Lookup(NamedTuple):
    """What the cache has for a question, and why not more."""

    answer: Answer | None = None
    report: CacheReport = CacheReport()
    search: _Search | None = None
    """How it was looked for; None where nothing was."""


class AnswerCache:
    """Serves answers that were given before, and keeps new ones.

    Without a :class:`Cache` it does nothing; where it may not *serve*, it only notes what was
    asked."""

    def __init__(self, cache: Cache | None, rules: CacheRules, *, serve: bool = True) -> None:
        self._cache, self._rules, self._serve = cache, rules, serve

    def look_up(self, question: Question, view: StorageEngine, models: Models) -> Lookup:
        """Returns what was recorded or found for this question, or for one that asks the same."""
        if self._cache is None:
            return Lookup()
        search = _Search(question, view, models, self._cache, self._rules, datetime.now(UTC))
        return _looked_up(search) if self._serve else Lookup(search=search)

    def keep(self, lookup: Lookup, answer: Answer) -> Answer:
        """Keeps what a search found, and returns it with what the cache has to say of it."""
        if lookup.answer is not None or lookup.search is None:
            return answer
        if not self._serve:
            with suppress(Exception):
                lookup.search.note(answer.confidence)
            return answer
        report = lookup.report
        try:
            lookup.search.keep(answer)
        except Exception as error:  # noqa: BLE001  a cache may be anybody's, and is never needed
            report = report._replace(reason=f"the answer was not kept: {in_a_line(error)}")
        return answer._replace(cache=report)

    def recorded(self, query: Query, view: StorageEngine, models: Models) -> Answer | None:
        """Returns what a caller recorded for this question, or for one that asks the same; None
        when there is nothing, or looking for it fails."""
        assert self._cache is not None
        with tracing():
            question = understand(query).in_state_of(view)
        search = _Search(question, view, models, self._cache, self._rules, datetime.now(UTC))
        with suppress(Exception):
            return search.recorded().answer
        return None

    def note(self, query: Query, confidence: float) -> None:
        """Remembers a question, as far as the cache is able to."""
        if self._cache is not None:
            with suppress(Exception), tracing():
                self._cache.note(as_asked(understand(query), confidence))


NO_CACHE = AnswerCache(None, CacheRules())


@stage("cache")
def _looked_up(search: _Search) -> Lookup:
    try:
        found = search.find()
    except Exception as error:  # noqa: BLE001  a cache may be anybody's, and is never needed
        report = CacheReport("off", f"it failed: {in_a_line(error)}")
        return fail(report.reason, Lookup(None, report, search), poorer=False)
    made = found.answer
    if made is None:
        say(found.report.reason, found=0)
    else:
        earlier = [one._replace(name=f"earlier {one.name}") for one in made.stages]
        say(
            found.report.reason,
            found=len(made.results) or int(made.answer is not None),
            after=earlier,
        )
    return found._replace(search=search)


def space_of(request: str, state: str) -> str:
    """Names a request without its words, in a state of what it may see."""
    return stable_id(request, state)


class Nearest(NamedTuple):
    """An earlier question, and how it compares with the new one."""

    question: str
    asked: str
    overlap: float = 0.0
    """Of their words, by Jaccard."""
    likeness: float = 0.0
    """How sure it is that both ask the same."""
    reason: str = ""
    recorded: Recorded | None = None
    kept: CachedAnswer | None = None


class _Search(NamedTuple):
    """One look into the cache."""

    question: Question
    view: StorageEngine
    models: Models
    cache: Cache
    rules: CacheRules
    now: datetime

    # -------------------------------------------------------------- the keys

    @property
    def space(self) -> str:
        """Names all but the words of the request; with the state, the same for every process."""
        query = self.question.query
        return space_of(query.space(), self.question.fingerprint.removeprefix(query.key()))

    def _keyed(self, name: str) -> str:
        """Adds what else decides what a search finds: the program and its models."""
        models, policy = self.models, self.question.policy
        asks = policy.expand or policy.hyde
        by = (
            self.rules.program,
            SHAPE,
            models.embedder.key if models.embedder else "",
            models.embedder_note,
            models.reranker.key if models.reranker else "",
            models.reranker_note,
            *([models.llm.name if models.llm else models.llm_note] if asks else []),
            f"{models.cosines}",
        )
        return stable_id(name, *by)

    # -------------------------------------------------------------- the same question

    def find(self) -> Lookup:
        """Looks for what was recorded, then for what was found, then for near questions."""
        exact = self._exactly()
        if exact is not None:
            return exact
        kept = self.cache.get(self._keyed(self.question.fingerprint))
        if kept is not None and self._fresh(kept):
            report = CacheReport("hit", "the same question was answered before")
            return self._again(kept, report, tier=0)
        return self._nearby([*self._recorded_alike(), *self._kept_alike()])

    def recorded(self) -> Lookup:
        """Looks only for what was recorded."""
        return self._exactly() or self._nearby(list(self._recorded_alike()))

    def _exactly(self) -> Lookup | None:
        found = self.view.answers.find(fingerprint=self.question.fingerprint, limit=1)
        for one in filter(self._holds, found):
            report = CacheReport("hit", "recorded for this question")
            return self._written(one, report, tier=0)
        return None

    # -------------------------------------------------------------- near questions

    def _recorded_alike(self) -> Iterator[Nearest]:
        length = len(self.question.query.key())
        for one in self.view.answers.find(space=self.space, limit=NEARBY):
            yield Nearest(one.query, one.fingerprint[:length], recorded=one)

    def _kept_alike(self) -> Iterator[Nearest]:
        for kept in self.cache.alike(self._keyed(self.space), limit=NEARBY):
            yield Nearest(kept.question, kept.asked, kept=kept)

    def _nearby(self, candidates: Sequence[Nearest]) -> Lookup:
        best = self._nearest(candidates)
        if best is None:
            return Lookup(None, NEVER_ASKED)
        alike = best.likeness or best.overlap
        report = CacheReport("miss", best.reason, best.question, round(alike, 3))
        if best.recorded is not None:
            return self._written(best.recorded, report._replace(status="hit"), tier=1)
        kept = self.cache.get(best.kept.key) if best.kept else None
        if kept is None:
            return Lookup(None, report)
        if unpacked(kept.answer).hints and not self._has_the_words_of(best.question):
            return Lookup(None, report._replace(reason=OTHER_WORDS))
        return self._again(kept, report._replace(status="hit"), tier=1)

    def _has_the_words_of(self, question: str) -> bool:
        """Whether both questions look for the same words."""
        return set(self.question.parsed.content) == set(parse(question).content)

    def _nearest(self, candidates: Sequence[Nearest]) -> Nearest | None:
        """Returns the nearest of them that asks the same; else the nearest by its words, without
        its answer, to say why it does not."""
        compared = list(map(self._compared, self._likely(candidates)))
        alike = [one for one in compared if one.likeness >= self.rules.similarity]
        if alike:
            best = max(alike, key=lambda one: (one.likeness, one.overlap))
            reason = f"asked before in other words ({best.reason})"
            return best._replace(reason=reason)
        refused = [one for one in compared if one.overlap >= OVERLAP or one.likeness]
        if not refused:
            return None
        first = max(refused, key=lambda one: one.overlap)
        sure = f"{first.likeness:.2f} of {self.rules.similarity:.2f}"
        likely = first.likeness > LIKELY
        reason = f"not surely the same: {sure}" if likely else f"not the same: {first.reason}"
        return Nearest(first.question, first.asked, first.overlap, first.likeness, reason)

    def _likely(self, candidates: Sequence[Nearest]) -> list[Nearest]:
        """Those that may still be served and share words with the question, the most first."""
        said = stems(self.question.query.text)
        found = [one._replace(overlap=_overlap(said, stems(one.question))) for one in candidates]
        found = [one for one in found if one.overlap and self._serves(one)]
        return sorted(found, key=lambda one: -one.overlap)[:COMPARED]

    def _compared(self, one: Nearest) -> Nearest:
        alike, why = pairs.likeness(self.question.query.text, one.question, self.models.judge)
        return one._replace(likeness=alike, reason=why)

    def _serves(self, one: Nearest) -> bool:
        if one.recorded is not None:
            return self._holds(one.recorded)
        return one.kept is not None and self._fresh(one.kept)

    # -------------------------------------------------------------- what still holds

    def _holds(self, one: Recorded) -> bool:
        return not one.stale and self.now - one.at < YEAR and not self._lapsed(one.at)

    def _fresh(self, kept: CachedAnswer) -> bool:
        age = self.now.timestamp() - kept.made
        if not 0 <= age < min(kept.lasts, self.rules.ttl):
            return False
        return not self._lapsed(datetime.fromtimestamp(kept.made, UTC))

    def _lapsed(self, since: datetime) -> bool:
        """Whether a fact that may be seen began or ended to hold meanwhile."""
        if since > self.now:
            return True
        kinds = self.question.reachable.kinds
        if self.question.query.as_of is not None or (kinds is not None and KIND not in kinds):
            return False
        owner = self.question.query.holder
        days = (self.now.date() - since.astimezone(UTC).date()).days
        handles = [handle(owner, turns(since + timedelta(days=n))) for n in range(days + 1)]
        return any(
            since < moment <= self.now
            for held in self.view.by_handle(handles)
            for moment in from_document(held.document).boundaries
        )

    # -------------------------------------------------------------- the answer

    def _written(self, one: Recorded, report: CacheReport, *, tier: int) -> Lookup:
        """Returns an answer that a caller recorded."""
        age = (self.now - one.at).total_seconds()
        report = report._replace(age_seconds=round(age, 3))
        question, policy = self.question, self.question.policy
        if tier:
            self.note(one.confidence)
        made = Answer(
            query=question.query.text,
            status="cached_answer",
            tier=tier,
            mode=policy.mode,
            intent=question.route.intent,
            shape=question.route.shape,
            confidence=one.confidence,
            results=(),
            total_found=0,
            hidden={},
            degraded=(),
            budget=Budget(policy.budget, count_tokens(one.answer), 1, 0, 0),
            fingerprint=question.fingerprint,
            stages=(),
            timing_ms=0.0,
            cache=report,
            answer=one,
        )
        return Lookup(made, report)

    def _again(self, kept: CachedAnswer, report: CacheReport, *, tier: int) -> Lookup:
        """Returns an answer that a search found."""
        found = unpacked(kept.answer)
        report = report._replace(age_seconds=round(self.now.timestamp() - kept.made, 3))
        if tier:
            self.note(found.confidence)
        made = found._replace(
            query=self.question.query.text,
            tier=tier,
            hidden=self._hidden(found),
            fingerprint=self.question.fingerprint,
            cache=report,
        )
        return Lookup(made, report)

    def _hidden(self, found: Answer) -> Mapping[str, int]:
        """Counts what the limits hide. Beyond the sources in sight there may be more by now."""
        if self.question.filter.sources is None:
            return found.hidden
        under = self.question.filter.without(*found.relaxed)
        question = self.question
        asked = Pass(question.parsed, under, question.policy, self.view, self.models)
        with tracing() as inner:
            counts = retrieval.hidden(asked, under.limits)
        current().join((), inner.degraded)
        return counts

    # -------------------------------------------------------------- keeping

    def keep(self, answer: Answer) -> None:
        """Keeps what a search found, under the state in which it began: what was written
        meanwhile leads to another key."""
        stages = tuple(stage for stage in answer.stages if stage.name != "cache")
        ran = {stage.name for stage in stages if stage.state == "ran"}
        self.note(answer.confidence, embedded="embed" in ran)
        if answer.degraded or "fuse" not in ran:  # facts that are named are looked up as fast
            return
        kept = CachedAnswer(
            self._keyed(self.question.fingerprint),
            self._keyed(self.space),
            self.question.query.key(),
            self.question.query.text,
            self.now.timestamp(),
            self.rules.ttl,
            packed(answer._replace(stages=stages)),
        )
        self.cache.put(kept)

    def note(self, confidence: float, *, embedded: bool = False) -> None:
        """Remembers the question, and its vector if that was made."""
        asked = as_asked(self.question, confidence)
        embedder = self.models.embedder
        if embedded and embedder is not None:
            vector = embedder.embed_query(self.question.parsed.prose)
            asked = asked._replace(model=embedder.key, vector=vector.astype("<f2").tobytes())
        self.cache.note(asked)


def as_asked(question: Question, confidence: float) -> PastRequest:
    query, owner = question.query, question.filter.owner or ""
    sources = question.reachable.sources
    return PastRequest(query.key(), query.text, query.space(), owner, sources, confidence)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
