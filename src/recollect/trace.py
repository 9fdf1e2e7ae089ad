"""A trace collects what each stage of one request did, and how long it took.

A request opens its trace (:func:`tracing`); the stages that it calls are functions marked with
:func:`stage`, and report to the trace that is open, so that none of them has to be handed one.
Inside a stage, :func:`say`, :func:`skip` and :func:`fail` tell what became of it::

    @stage("title", otherwise=NO_HITS)
    def by_title(asked: Pass) -> Arm:
        if not asked.parsed.content:
            return skip("no word to look for", NO_HITS)
        ...
        say(found=len(hits))
        return Arm("title", hits)

Whoever asked may look on (:func:`watched`): it is told of every stage, and may stop the request
there by raising :class:`Stopped`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from time import perf_counter
from typing import Any, Literal, ParamSpec, TypeVar

from recollect.errors import in_a_line
from recollect.nouns import Stage, not_among

P = ParamSpec("P")
T = TypeVar("T")

Watcher = Callable[[str], None]
"""Is told the name of each stage that has ended."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class Stopped(BaseException):
    """Nobody waits for the answer any more. It is no error of the request, and nothing that
    survives errors survives it."""


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Tells *by* of the requests of this thread, as long as this lasts."""
    before = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(before)


class _Report:
    """What a stage that is under way says of itself."""

    def __init__(self) -> None:
        self.state: Literal["ran", "skipped", "failed", "unreported"] = "ran"
        self.reason = ""
        self.found: int | None = None
        self.after: tuple[Stage, ...] = ()
        self.poorer = False
        """Whether the answer is the poorer for what became of it."""
        self.inside = 0.0
        """Milliseconds of the stages that ended inside it: each is counted once."""


class Trace:
    """The stages of one request, in the order in which they ended. Used by one thread."""

    def __init__(self) -> None:
        self.started = perf_counter()
        self.stages: list[Stage] = []
        self.degraded: list[str] = []
        self.under_way: list[_Report] = []
        self._watcher = _WATCHER.get()

    @property
    def elapsed_ms(self) -> float:
        return (perf_counter() - self.started) * 1000

    def look_up(self, doing: str) -> None:
        """Lets whoever looks on stop long work here, between two steps of it."""
        if self._watcher is not None:
            self._watcher(doing)

    def add(self, stage: Stage) -> None:
        self.stages.append(stage)
        self.look_up(stage.name)

    def failed(self, name: str, reason: str) -> None:
        """Reports a stage that could not do its work: the answer is the poorer, and says so."""
        self.degraded.append(f"{name}: {reason}")
        self.add(Stage(name, "failed", reason))

    def renamed(self, prefix: str) -> tuple[Stage, ...]:
        """Its stages under names of their own, for the trace of a request that has another
        inside it."""
        return tuple(stage._replace(name=f"{prefix}{stage.name}") for stage in self.stages)

    def join(self, stages: Iterable[Stage], degraded: Iterable[str]) -> None:
        """Takes in what another trace has, each reason once."""
        self.stages += stages
        self.degraded += list(not_among(degraded, self.degraded))


_TRACE: ContextVar[Trace | None] = ContextVar("trace", default=None)


@contextmanager
def tracing() -> Iterator[Trace]:
    """Opens the trace of a request; one that is opened inside another hides it meanwhile."""
    trace = Trace()
    before = _TRACE.set(trace)
    try:
        yield trace
    finally:
        _TRACE.reset(before)


def current() -> Trace:
    """Returns the trace that is open; one that nobody reads, where none is."""
    return _TRACE.get() or Trace()


_RAISED = object()


def stage(name: str, *, otherwise: Any = _RAISED) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Marks a function as a stage. What it raises ends the request, unless *otherwise* says what
    it returns then (a function is called with its first argument): the failure is reported, and
    the rest of the request goes on without it."""

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            trace, report, since = current(), _Report(), perf_counter()
            trace.under_way.append(report)
            try:
                result = function(*args, **kwargs)
            except Exception as error:
                if otherwise is _RAISED:
                    raise
                trace.failed(name, in_a_line(error))
                return otherwise(args[0]) if callable(otherwise) else otherwise  # type: ignore[no-any-return]
            finally:
                trace.under_way.pop()
            _end(trace, name, report, since)
            return result

        return run

    return marked


def _end(trace: Trace, name: str, report: _Report, since: float) -> None:
    if report.state == "unreported":
        return
    spent = (perf_counter() - since) * 1000
    for outer in trace.under_way[-1:]:
        outer.inside += spent
    ms = spent - report.inside if report.state == "ran" else 0.0
    if report.poorer:
        trace.degraded.append(f"{name}: {report.reason}")
    trace.add(Stage(name, report.state, report.reason, report.found, ms))
    trace.stages += report.after


def _report() -> _Report:
    under_way = current().under_way
    return under_way[-1] if under_way else _Report()


def say(reason: str = "", *, found: int | None = None, after: Iterable[Stage] = ()) -> None:
    """Tells what the stage that is under way found; *after* are stages that it had inside it."""
    report = _report()
    report.reason, report.found, report.after = reason, found, tuple(after)


def skip(reason: str, result: T) -> T:
    """Reports that the stage had nothing to do, and why; returns what it returns instead."""
    report = _report()
    report.state, report.reason = "skipped", reason
    return result


def fail(reason: str, result: T, *, poorer: bool = True) -> T:
    """Reports that the stage could not do its work, and goes on with *result*: the answer is the
    *poorer* for it and says so, unless it is as good without."""
    report = _report()
    report.state, report.reason = "failed", reason
    report.poorer = poorer
    return result


def unreported(result: T) -> T:
    """Leaves the stage out of the trace: it does not concern this request."""
    _report().state = "unreported"
    return result


def degrade(name: str, reason: str) -> None:
    """Says that the answer is poorer than it could be, although the stage ran or was skipped."""
    current().degraded.append(f"{name}: {reason}")


@contextmanager
def surviving(name: str) -> Iterator[None]:
    """Does work whose failure, whatever it is, is reported and leaves the rest to answer."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  stores and models may be anybody's
        current().failed(name, in_a_line(error))
