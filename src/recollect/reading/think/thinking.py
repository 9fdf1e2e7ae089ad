"""The way from a question to a thought: gather, read, check, and at most once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from recollect.errors import Cancelled, ModelError, RecollectError, SpendRefused, with_advice
from recollect.named_tuple import NamedTuple
from recollect.nouns import Query, Stage, TimeRoute
from recollect.nouns.synthesis import SelfGrade, Synthesis
from recollect.nouns.web import WebResult
from recollect.ports import Llm, LlmReply, StorageEngine
from recollect.reading.gather import Bundle, Section, gather
from recollect.reading.pool import Models
from recollect.reading.think.checking import Checker
from recollect.reading.think.prompt import request
from recollect.reading.think.sources import ShownSource, shown
from recollect.reading.think.stream import Objects
from recollect.reading.think.thought import Tell, Thought, ThoughtEvent, ThoughtStatus
from recollect.reading.time_box import TimeBox
from recollect.text.questions.parse import parse
from recollect.text.questions.route import route
from recollect.text.support import gate
from recollect.trace import current, degrade, fail, say, stage, surviving

MOST_CALLS = 2
"""For one thought."""
GARBLED = "what the language model said makes no sense"
UNSUPPORTED = "nothing of what the language model wrote could be shown to be in memory"


class ThinkRequest(NamedTuple):
    query: Query
    token_budget: int
    """Of what is read; half as much more the second time."""
    force: bool = False
    """Have it written even if the passages are the answer."""
    web: tuple[WebResult, ...] = ()
    """Pages that may be cited besides."""
    look: Callable[[], tuple[WebResult, ...]] | None = None
    """Finds such pages, where memory does not answer."""


def think(
    asked: ThinkRequest, store: StorageEngine, models: Models, box: TimeBox, tell: Tell
) -> Thought:
    """Gathers, has the language model write, checks what it wrote, and does so at most twice."""
    tell(ThoughtEvent("stage", "gathering"))
    bundle = gather(asked.query, store, models, asked.token_budget, doubtful=True)
    current().join(bundle.stages, bundle.degraded)
    made = Thought(
        asked.query.text,
        "needs_synthesis",
        bundle.fingerprint,
        bundle.confidence,
        bundle=bundle._replace(stages=()),
        looked_for=(asked.query.text,),
    )
    if asked.look is not None and bundle.confidence < asked.query.policy.direct_confidence:
        asked = asked._replace(web=_pages(asked, asked.look))
    status, reason = _without_it(asked, bundle, models)
    if reason:
        current().add(Stage("think", "skipped", reason))
        return _ended(made._replace(status=status, reason=reason))
    return _Thinking(asked, store, models, box, tell).run(made, bundle)


@stage("web", otherwise=lambda asked: asked.web)
def _pages(asked: ThinkRequest, look: Callable[[], tuple[WebResult, ...]]) -> tuple[WebResult, ...]:
    """Returns the pages that may be cited, with what the web has."""
    found = (*asked.web, *look())
    say(found=len(found))
    return found


def _without_it(asked: ThinkRequest, bundle: Bundle, models: Models) -> tuple[ThoughtStatus, str]:
    """What the thought is if the model need not, or cannot, be asked; and why."""
    policy, question = asked.query.policy, asked.query.text
    if not (bundle.sections or asked.web):
        return "not_in_memory", "nothing was found"
    sure = bundle.confidence >= policy.direct_confidence
    if sure and not asked.force and route(parse(question).prose).shape == "lookup":
        said = f"graded {bundle.confidence:.2f}: it is there in so many words"
        return "direct_passages", said
    if models.llm is None:
        return "needs_synthesis", models.llm_note
    return "needs_synthesis", ""


class _Round(NamedTuple):
    """What came of one reading."""

    checker: Checker
    failed: str = ""

    @property
    def shown(self) -> int:
        return self.checker.shown

    @property
    def grade(self) -> SelfGrade | None:
        return self.checker.grade

    def status(self) -> tuple[ThoughtStatus, str]:
        if self.failed:
            return "needs_synthesis", self.failed
        if self.shown:
            return "synthesized", ""
        if self.checker.sentences:
            return "needs_synthesis", UNSUPPORTED
        if self.grade is None or self.grade.useful:
            return "needs_synthesis", GARBLED
        return "not_in_memory", "what was found does not answer it, says the language model"


class _Thinking:
    """One thought under way, and what it has taken so far."""

    def __init__(
        self, asked: ThinkRequest, store: StorageEngine, models: Models, box: TimeBox, tell: Tell
    ) -> None:
        self._asked, self._store, self._models = asked, store, models
        self._box, self._tell = box, tell
        self._llm: Llm | None = None
        self._bill = Synthesis()

    def run(self, made: Thought, bundle: Bundle) -> Thought:
        sources = shown(bundle.sections, self._asked.web)
        rounds = [stage("think")(self._read)(sources)]
        query, why = self._next(rounds[0])
        if query:
            made = made._replace(looked_for=(*made.looked_for, query))
            more = self._gathered(query, bundle)
            if more:
                bundle = bundle._replace(sections=(*bundle.sections, *more))
                self._tell(ThoughtEvent("again", query))
                sources = shown(bundle.sections, self._asked.web)
                rounds.append(stage("think again")(self._read)(sources))
            else:
                why = f"nothing new is found for “{query}”"
        if why:
            current().add(Stage("think again", "skipped", why))
        chosen = rounds[-1] if rounds[-1].shown or not rounds[0].shown else rounds[0]
        status, reason = chosen.status()
        if status == "needs_synthesis" and not chosen.failed:
            degrade("think", reason)
        written = self._bill._replace(
            sentences=tuple(chosen.checker.sentences),
            references=chosen.checker.references,
            grade=chosen.grade or SelfGrade(),
            rounds=1 + (len(made.looked_for) > 1),
        )
        made = made._replace(status=status, reason=reason, written=written)
        made = made._replace(bundle=bundle._replace(stages=()))
        return _ended(made)

    # -------------------------------------------------------------- reading

    def _read(self, sources: Sequence[ShownSource]) -> _Round:
        """Ask it once; whatever goes wrong is in what comes back, unless nobody waits for it."""
        self._tell(ThoughtEvent("stage", "reading"))
        checker = Checker(sources, self._store, gate.by_meaning(self._models.embedder))
        failed, broken = "", 0
        try:
            broken = self._complete(sources, checker)
        except RecollectError as error:
            failed = self._failure(error)
        if failed:
            return fail(failed, _Round(checker, failed))
        wrote = f"{len(checker.sentences)} sentences, {checker.supported} supported"
        wrote += f", {checker.unchecked} not checked" if checker.unchecked else ""
        grade = checker.grade
        said = "no grade" if grade is None else _in_words(grade)
        lost = f"; {broken} that cannot be read" if broken else ""
        reason = f"{self._bill.model}: {wrote}{lost}; {said}"
        say(reason, found=len(sources))
        return _Round(checker)

    def _complete(self, sources: Sequence[ShownSource], checker: Checker) -> int:
        """Returns how many objects in what it said could not be read."""
        if self._box.stopped:
            raise Cancelled("there was no time left to ask")
        if self._llm is None:
            assert self._models.llm is not None
            self._llm = self._models.llm.ask()
        objects = Objects()

        def hear(piece: str) -> None:
            for one in objects.feed(piece):
                sentence = checker.take(one)
                if sentence is not None:
                    self._tell(ThoughtEvent("sentence", sentence=sentence))

        self._bill = self._bill._replace(calls=self._bill.calls + 1)
        asked = request(self._asked.query.text, sources)
        reply = self._llm.complete(asked, self._box, hear)
        objects.end()
        self._bill = _with(self._bill, reply)
        if reply.stop_reason == "length":
            degrade("think", "the answer was cut off where it became too long")
        return objects.broken

    def _failure(self, error: RecollectError) -> str:
        if isinstance(error, SpendRefused):  # nothing was sent
            self._bill = self._bill._replace(calls=self._bill.calls - 1)
        elif not isinstance(error, ModelError) or error.may_cost:  # the ledger has it
            self._bill = self._bill._replace(cost=None)
        if not isinstance(error, Cancelled):
            return with_advice(error)
        if self._box.given_up:
            current().look_up("think")
            raise error
        return f"the language model took longer than {self._box.seconds:g} s"

    # -------------------------------------------------------------- once more

    def _next(self, first: _Round) -> tuple[str, str]:
        """What to gather besides, or why nothing."""
        grade = first.grade
        if first.failed:
            return "", "the first time failed"
        if grade is None or grade.good:
            return "", "it says no more is needed" if grade else "it did not grade itself"
        if not grade.look_for:
            return "", "it does not say what is missing"
        if self._box.stopped:
            return "", "there is no time left"
        return grade.look_for, ""

    def _gathered(self, query: str, before: Bundle) -> tuple[Section, ...]:
        """What is new about another question, under the limits of the first. What that asked of
        time, and its topic, are not asked again."""
        self._tell(ThoughtEvent("stage", f"looking for {query}"))
        asked = self._asked.query
        seen = parse(asked.text).narrowed(asked.filter)
        known = set(chain.from_iterable(section.ids for section in before.sections))
        most = max(100, self._asked.token_budget // 2)
        with surviving("gather again"):
            other = asked._replace(text=query, filter=seen, window=None, time=TimeRoute())
            found = gather(other, self._store, self._models, most)
            again = [one._replace(name=f"again {one.name}") for one in found.stages]
            current().join(again, found.degraded)
            return tuple(s for s in found.sections if not known.issuperset(s.ids))
        return ()


def _with(bill: Synthesis, reply: LlmReply) -> Synthesis:
    usage = reply.usage
    return bill._replace(
        model=reply.model,
        input=bill.input + usage.input,
        output=bill.output + usage.output,
        cached=bill.cached + usage.cache_read,
        cost=None if bill.cost is None or reply.cost is None else bill.cost + reply.cost,
    )


def _in_words(grade: SelfGrade) -> str:
    good = [name for name in ("relevant", "supported", "useful") if getattr(grade, name)]
    said = ", ".join(good) or "neither relevant nor useful"
    return f"{said}; would look for “{grade.look_for}”" if grade.look_for else said


def _ended(made: Thought) -> Thought:
    trace = current()
    return made._replace(
        degraded=tuple(trace.degraded), stages=tuple(trace.stages), timing_ms=trace.elapsed_ms
    )
