"""Thinking and what stands around it: what was written before comes first, and what is written now
is recorded, as far as it is supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from recollect.errors import UsageError, in_a_line
from recollect.nouns import MAX_SECONDS, Answer, Recorded, Recording, Stage, StoredPassage
from recollect.nouns.synthesis import Reference
from recollect.ports import Cache, StopToken, StorageEngine
from recollect.reading.cache import recording
from recollect.reading.cache.lookup import AnswerCache, CacheRules
from recollect.reading.pool import Models
from recollect.reading.question import Question
from recollect.reading.think import thinking
from recollect.reading.think.thought import Tell, Thought, ThoughtEvent, nobody
from recollect.reading.time_box import TimeBox
from recollect.trace import current, say, skip, stage, tracing, unreported

TOKENS = 6_000
"""Of what is read, unless the caller says otherwise."""


class Thinker:
    """Has thoughts, and keeps them."""

    def __init__(
        self, store: StorageEngine, cache: Cache, models: Models, rules: CacheRules, *, redact: bool
    ) -> None:
        self._store, self._cache, self._models = store, cache, models
        self._answers, self._redact = AnswerCache(cache, rules), redact

    def think(
        self, asked: thinking.ThinkRequest, seconds: float, token: StopToken | None, tell: Tell
    ) -> Thought:
        check(asked, seconds)
        with tracing() as trace:
            box = TimeBox(seconds, token, lambda: trace.look_up("think"))
            found = self._before(asked)
            if found is None:
                made = self._kept(
                    thinking.think(asked, self._store, self._models, box, tell), asked
                )
            else:
                made = Thought(
                    asked.query.text,
                    "cached_answer",
                    found.fingerprint,
                    found.confidence,
                    found.cache.reason,
                    answer=found.answer,
                    sources=self._references(found.answer),
                    stages=tuple(trace.stages),
                    timing_ms=trace.elapsed_ms,
                )
        tell(ThoughtEvent("final", made.status, thought=made))
        return made

    @stage("recorded")
    def _before(self, asked: thinking.ThinkRequest) -> Answer | None:
        """Returns what was written for it already."""
        if asked.force:
            return skip("it is to be thought about at once", None)
        found = self._answers.recorded(asked.query, self._store, self._models)
        if found is None or found.answer is None:
            say(found=0)
            return None
        say(found.cache.reason, found=1)
        return found

    def _references(self, written: Recorded | None) -> tuple[Reference, ...]:
        """Returns what a recorded answer is from; of what is no passage its id alone."""
        ids = written.sources if written else ()
        found = {one.id: one for one in self._store.passages(ids)}
        return tuple(_reference(number, id, found.get(id)) for number, id in enumerate(ids, 1))

    def _kept(self, made: Thought, asked: thinking.ThinkRequest) -> Thought:
        """With what was written recorded for the next such question."""
        if made.status != "synthesized" or made.written is None:
            return made
        borne_out = made.written.text
        sources = [one.passages[0] for one in made.written.references if one.passages]
        self._answers.note(asked.query, made.confidence)
        if any(one.origin == "web" for one in made.written.references):
            done = Recording(False, "it cites the web, of which nothing is kept")
        elif any(one.unchecked for one in made.written.sentences):
            done = Recording(False, "the words of some of it could not be checked")
        elif made.degraded:
            done = Recording(False, "it was written from less than there may be")
        else:
            given = recording.WrittenAnswer(asked.query, borne_out, made.fingerprint, sources)
            done = self._recorded(given)
        stage = Stage("record", "ran" if done.recorded else "skipped", done.reason)
        kept = next(iter(self._store.answers.find(fingerprint=made.fingerprint, limit=1)), None)
        if kept is None or kept.id != done.id or not done.recorded:
            kept = Recorded(
                "",
                asked.query.text,
                borne_out,
                made.fingerprint,
                datetime.now(UTC),
                tuple(sources),
                confidence=made.confidence,
            )
        return made._replace(answer=kept, stages=(*made.stages, stage))

    def _recorded(self, given: recording.WrittenAnswer) -> Recording:
        try:
            return recording.record(given, self._store, self._cache, redact=self._redact)
        except Exception as error:  # noqa: BLE001  the answer is there, kept or not
            return Recording(False, in_a_line(error))


def _reference(number: int, id: str, passage: StoredPassage | None) -> Reference:
    if passage is None:
        return Reference(number, "memory", id)
    of = passage.document
    return Reference(
        number=number,
        origin="memory",
        title=of.title or of.external,
        document=of.external,
        document_id=of.id,
        kind=of.kind,
        date=of.date,
        passages=(id,),
    )


def check(asked: thinking.ThinkRequest, seconds: float) -> None:
    if not 100 <= asked.token_budget <= 64_000:
        raise UsageError(f"token_budget is {asked.token_budget}", hint="give 100 to 64000 tokens")
    if not 0 < seconds <= MAX_SECONDS:
        hint = f"give more than 0 and at most {MAX_SECONDS:g}"
        raise UsageError(f"time_box is {seconds} s", hint=hint)


# ------------------------------------------------------------------ from a search


def escalate(
    thinker: Callable[[], Thinker], models: Models
) -> Callable[[Question, Answer], Answer]:
    """Returns what has a search whose answer is graded low thought about, where the policy says
    so. Nothing that was found is lost by it."""

    def thought_about(question: Question, answer: Answer) -> Answer:
        if not _wanted(question, answer, models):
            return answer
        asked = thinking.ThinkRequest(question.query, TOKENS, force=True)
        made = thinker().think(asked, question.policy.think_seconds, None, nobody)
        low = Stage("escalate to think", "ran", f"graded {answer.confidence:.2f}: {made.status}")
        current().join([low, *_renamed(made.stages)], made.degraded)
        answer = answer._replace(written=made.written)
        if made.status == "synthesized":
            return answer._replace(status="synthesized", tier=4, answer=made.answer)
        if made.status == "not_in_memory":
            return answer._replace(hints=(*answer.hints, made.reason))
        return answer

    return thought_about


@stage("think")
def _wanted(question: Question, answer: Answer, models: Models) -> bool:
    """Whether what a search found is thought about."""
    if not question.policy.think:
        return skip("switched off", False)
    if answer.status == "cached_answer":
        return skip("it was answered before", False)
    if answer.status == "direct_passages":
        return skip(f"graded {answer.confidence:.2f}", False)
    if models.llm is None:
        return skip(models.llm_note, False)
    return unreported(True)


def _renamed(stages: Sequence[Stage]) -> list[Stage]:
    return [
        stage if stage.name.startswith("think") else stage._replace(name=f"think {stage.name}")
        for stage in stages
    ]
