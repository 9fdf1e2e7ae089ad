"""What stands around :mod:`recollect.reading.think`: what was written before comes first, and what
is written now is kept, as far as it is supported."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter

from recollect.errors import UsageError, in_a_line
from recollect.nouns import MAX_SECONDS, Answer, Policy, Recorded, Recording, Stage
from recollect.ports import Cache, Store, Token
from recollect.reading.attempt import Models
from recollect.reading.cache.lookup import Rules, note, written_before
from recollect.reading.cache.recording import Given, record
from recollect.reading.think.thinking import Asked, think
from recollect.reading.think.thought import Tell, Thought, Told
from recollect.reading.time_box import TimeBox
from recollect.trace import Trace

TOKENS = 6_000
"""Of what is read, unless the caller says otherwise."""


class Thinker:
    """Where thoughts are had and kept."""

    def __init__(self, store: Store, cache: Cache, models: Models, rules: Rules, *, redact: bool):
        self._store, self._cache, self._models = store, cache, models
        self._rules, self._redact = rules, redact

    def think(self, asked: Asked, seconds: float, token: Token | None, tell: Tell) -> Thought:
        check(asked, seconds)
        trace = Trace()
        box = TimeBox(seconds, token, lambda: trace.look_up("think"))
        made = self._before(asked, trace)
        if made is None:
            made = think(asked, self._store, self._models, box, tell, trace)
            made = self._kept(made, asked)
        tell(Told("final", made.status, thought=made))
        return made

    def _before(self, asked: Asked, trace: Trace) -> Thought | None:
        """What was written for it already."""
        if asked.force:
            trace.skipped("recorded", "it is to be thought about at once")
            return None
        since = perf_counter()
        found = written_before(asked.query, self._store, self._models, self._cache, self._rules)
        if found is None or found.answer is None:
            trace.ran("recorded", since, found=0)
            return None
        trace.ran("recorded", since, found=1, reason=found.cache.reason)
        return Thought(
            asked.query.text, "cached_answer", found.fingerprint, found.confidence,
            found.cache.reason, answer=found.answer, stages=tuple(trace.stages),
            timing_ms=trace.elapsed_ms,
        )  # fmt: skip

    def _kept(self, made: Thought, asked: Asked) -> Thought:
        """With what was written recorded for the next such question."""
        if made.status != "synthesized" or made.written is None:
            return made
        borne_out = " ".join(one.rendered() for one in made.written.sentences if one.supported)
        sources = [one.passages[0] for one in made.written.references if one.passages]
        note(asked.query, made.confidence, self._cache)
        if any(one.origin == "web" for one in made.written.references):
            done = Recording(False, "it cites the web, of which nothing is kept")
        else:
            given = Given(asked.query, borne_out, made.fingerprint, sources)
            done = self._recorded(given)
        stage = Stage("record", "ran" if done.recorded else "skipped", done.reason)
        kept = next(iter(self._store.answers(fingerprint=made.fingerprint, limit=1)), None)
        if kept is None or kept.id != done.id or not done.recorded:
            kept = Recorded("", asked.query.text, borne_out, made.fingerprint, datetime.now(UTC),
                            tuple(sources), confidence=made.confidence)  # fmt: skip
        return made._replace(answer=kept, stages=(*made.stages, stage))

    def _recorded(self, given: Given) -> Recording:
        try:
            return record(given, self._store, self._cache, redact=self._redact)
        except Exception as error:  # noqa: BLE001  the answer is there, kept or not
            return Recording(False, in_a_line(error))


def check(asked: Asked, seconds: float) -> None:
    if not 100 <= asked.token_budget <= 64_000:
        raise UsageError(f"token_budget is {asked.token_budget}", hint="give 100 to 64000 tokens")
    if not 0 < seconds <= MAX_SECONDS:
        raise UsageError(f"time_box is {seconds} s",
                         hint=f"give more than 0 and at most {MAX_SECONDS:g}")  # fmt: skip


# ------------------------------------------------------------------ from a search


def why_not(policy: Policy, answer: Answer, models: Models) -> str:
    """Why what a search found is not thought about; empty when it is."""
    if not policy.think:
        return "switched off"
    if answer.status in ("cached_answer", "direct_passages"):
        before = answer.status == "cached_answer"
        return "it was answered before" if before else f"graded {answer.confidence:.2f}"
    return "" if models.llm is not None else models.llm_note


def with_reason(answer: Answer, reason: str) -> Answer:
    return answer._replace(stages=(*answer.stages, Stage("think", "skipped", reason)))


def answered(answer: Answer, made: Thought) -> Answer:
    """What a search found, with what was thought about it. Nothing that was found is lost by it."""
    stages = [
        stage if stage.name.startswith("think") else stage._replace(name=f"think {stage.name}")
        for stage in made.stages
    ]
    low = Stage("escalate to think", "ran", f"graded {answer.confidence:.2f}: {made.status}")
    more = [reason for reason in made.degraded if reason not in answer.degraded]
    answer = answer._replace(
        written=made.written,
        stages=(*answer.stages, low, *stages),
        degraded=(*answer.degraded, *more),
        timing_ms=answer.timing_ms + made.timing_ms,
    )
    if made.status == "synthesized":
        return answer._replace(status="synthesized", tier=4, answer=made.answer)
    if made.status == "not_in_memory":
        return answer._replace(hints=(*answer.hints, made.reason))
    return answer
