"""Work in slots that depend on each other: run in topological order, several at a time.

A slot declares what it needs and gives, which services it may call and how long it may take.
The runner guarantees
- every slot runs once, after all that it needs (Kahn, 1962), and never on an output that is not
  of the declared type;
- a slot that fails, gives the wrong thing or takes too long strands its descendants and nothing
  else;
- a service that a slot was not given is an error that names both;
- cancelling reaches the slots that are running: each looks at its :class:`Token` between steps.

Threads cannot be stopped from outside. A slot that does not look at its token is left behind when
its time is over: nobody waits for it, and what it gives is thrown away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic, Literal, TypeVar

from recollect.errors import Cancelled, ServiceDenied, UsageError, in_a_line, with_advice
from recollect.named_tuple import NamedTuple
from recollect.nouns import by_name, without

T = TypeVar("T")
R = TypeVar("R")
State = Literal["done", "failed", "stranded", "cancelled"]
AT_ONCE = 4
"""Slots that run at the same time, and pieces of a fan-out."""


class Token:
    """Whether to go on: shared by everything that one slot does."""

    def __init__(self, seconds: float = float("inf"), parent: Token | None = None) -> None:
        self._until = monotonic() + seconds
        self._parent = parent
        self._stopped = threading.Event()

    def cancel(self) -> None:
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        above = self._parent is not None and self._parent.stopped
        return above or self._stopped.is_set() or monotonic() >= self._until

    @property
    def left(self) -> float:
        """Seconds that are left."""
        above = float("inf") if self._parent is None else self._parent.left
        return 0.0 if self._stopped.is_set() else max(0.0, min(self._until - monotonic(), above))

    def check(self) -> None:
        if self.stopped:
            raise Cancelled("it was cancelled, or its time is over")


class SlotContext:
    """What a slot is given: the outputs of those it needs, its services, its token."""

    def __init__(
        self, slot: Slot, outputs: Mapping[str, Any], services: Mapping[str, Any], token: Token
    ) -> None:
        self._slot = slot
        self._outputs = outputs
        self._services = services
        self.token = token

    def __getitem__(self, name: str) -> Any:
        """The output of a slot, or what the run began with."""
        if name not in self._slot.needs:
            raise UsageError(f"the slot {self._slot.name!r} does not need {name!r}")
        return self._outputs[self._slot.giver(name)]

    def service(self, name: str) -> Any:
        if name not in self._slot.services:
            raise ServiceDenied(
                f"the slot {self._slot.name!r} asked for the service {name!r}, "
                "which it was not given",
                hint=f"it may call {', '.join(sorted(self._slot.services)) or 'none'}",
            )
        if name not in self._services:
            raise ServiceDenied(f"there is no service {name!r} for the slot {self._slot.name!r}")
        return self._services[name]


class Slot(NamedTuple):
    name: str
    work: Callable[[SlotContext], Any]
    needs: tuple[str, ...]
    takes: tuple[type, ...]
    """The types of what it needs, in that order."""
    gives: type
    seconds: float
    services: frozenset[str] = frozenset()
    items: Callable[[Any], int] = lambda _: 1
    """How many things its output has, for the metrics."""
    wired: Mapping[str, str] = {}
    """Who gives what it needs, where that is another than it is called here."""

    def giver(self, need: str) -> str:
        return self.wired.get(need, need)

    @property
    def givers(self) -> tuple[str, ...]:
        return tuple(map(self.giver, self.needs))


class Outcome(NamedTuple):
    """What became of a slot."""

    name: str
    state: State
    reason: str = ""
    ms: float = 0.0
    items: int = 0
    output: Any = None

    def as_json(self) -> dict[str, Any]:
        about = without(self._asdict(), ["output"])
        return {**about, "ms": round(self.ms, 3)}


# ------------------------------------------------------------------ the order


def ordered(slots: Sequence[Slot], given: Iterable[str]) -> list[Slot]:
    """The slots so that each comes after those it needs, else in the order they are in."""
    known = by_name(slots)
    begun = set(given)
    if len(known) < len(slots) or begun & known.keys():
        names = sorted([*(slot.name for slot in slots), *begun])
        twice = next(one for one, other in pairwise(names) if one == other)
        raise UsageError(f"there are two slots {twice!r}")
    for slot in slots:
        _check(slot, known, begun)
    made: list[Slot] = []
    done, waiting = set(begun), list(slots)
    while waiting:
        ready = next((slot for slot in waiting if done.issuperset(slot.givers)), None)
        if ready is None:
            round_trip = " → ".join(slot.name for slot in waiting)
            raise UsageError(f"these slots wait for each other: {round_trip}")
        waiting.remove(ready)
        made.append(ready)
        done.add(ready.name)
    return made


def _check(slot: Slot, known: Mapping[str, Slot], begun: Iterable[str]) -> None:
    if len(slot.needs) != len(slot.takes):
        raise UsageError(
            f"the slot {slot.name!r} needs {len(slot.needs)} things and "
            f"declares {len(slot.takes)} types"
        )
    for name, kind in zip(slot.givers, slot.takes, strict=True):
        if name not in known and name not in begun:
            raise UsageError(f"the slot {slot.name!r} needs {name!r}, which nobody gives")
        if name in known and not issubclass(known[name].gives, kind):
            raise UsageError(
                f"the slot {slot.name!r} takes {kind.__name__} from {name!r}, "
                f"which gives {known[name].gives.__name__}"
            )


def inserted(slots: Sequence[Slot], new: Slot, *, after: str) -> list[Slot]:
    """With a slot between another and all that need that one: it takes what they took, and they
    take what it gives."""
    if after not in {slot.name for slot in slots}:
        raise UsageError(
            f"there is no slot {after!r}", hint=f"slots: {', '.join(slot.name for slot in slots)}"
        )
    made: list[Slot] = []
    for slot in slots:
        wired = {need: new.name for need in slot.needs if slot.giver(need) == after}
        slot = slot._replace(wired={**slot.wired, **wired})
        made.append(slot)
        if slot.name == after:
            made.append(new)
    return made


# ------------------------------------------------------------------ running


def run(
    slots: Sequence[Slot],
    given: Mapping[str, Any],
    services: Mapping[str, Any],
    *,
    token: Token | None = None,
    at_once: int = AT_ONCE,
    tell: Callable[[Outcome], None] = lambda _: None,
) -> dict[str, Outcome]:
    """Run the slots on what is *given*; the outcome of each, in the order they are in. *tell* hears
    of each that has ended."""
    return _Run(ordered(slots, given), given, services, token or Token(), at_once, tell).run()


class _Running(NamedTuple):
    slot: Slot
    token: Token
    since: float

    @property
    def ms(self) -> float:
        return (monotonic() - self.since) * 1000


class _Run:
    def __init__(
        self,
        slots: Sequence[Slot],
        given: Mapping[str, Any],
        services: Mapping[str, Any],
        token: Token,
        at_once: int,
        tell: Callable[[Outcome], None],
    ) -> None:
        self._slots = slots
        self._outputs = dict(given)
        self._services = services
        self._token = token
        self._at_once = at_once
        self._tell = tell
        self._outcomes: dict[str, Outcome] = {}
        self._running: dict[str, _Running] = {}
        self._finished: SimpleQueue[tuple[str, Any, BaseException | None]] = SimpleQueue()

    def run(self) -> dict[str, Outcome]:
        while len(self._outcomes) < len(self._slots):
            self._strand()
            self._start()
            if self._running:
                self._wait()
        return {slot.name: self._outcomes[slot.name] for slot in self._slots}

    def _end(self, outcome: Outcome) -> None:
        self._outcomes[outcome.name] = outcome
        self._tell(outcome)

    def _waiting(self) -> list[Slot]:
        begun = {*self._outcomes, *self._running}
        return [slot for slot in self._slots if slot.name not in begun]

    def _strand(self) -> None:
        """What needs something that will never come does not run."""
        for slot in self._waiting():
            lost = [n for n in slot.givers if n in self._outcomes and n not in self._outputs]
            if lost:
                self._end(Outcome(slot.name, "stranded", f"{lost[0]} gave nothing"))
            elif self._token.stopped:
                self._end(Outcome(slot.name, "cancelled"))

    def _start(self) -> None:
        ready = [s for s in self._waiting() if self._outputs.keys() >= set(s.givers)]
        for slot in ready:
            if len(self._running) >= self._at_once:
                return
            wrong = self._wrong_input(slot)
            if wrong:
                self._end(Outcome(slot.name, "failed", wrong))
                continue
            token = Token(slot.seconds, self._token)
            self._running[slot.name] = _Running(slot, token, monotonic())
            context = SlotContext(slot, self._outputs, self._services, token)
            threading.Thread(
                target=self._do, args=(slot, context), name=f"slot {slot.name}", daemon=True
            ).start()

    def _wrong_input(self, slot: Slot) -> str:
        for name, kind in zip(slot.givers, slot.takes, strict=True):
            if not isinstance(self._outputs[name], kind):
                found = type(self._outputs[name]).__name__
                return f"{name} is {found}, not {kind.__name__}"
        return ""

    def _do(self, slot: Slot, context: SlotContext) -> None:
        try:
            self._finished.put((slot.name, slot.work(context), None))
        except BaseException as error:  # noqa: BLE001  reported as the slot's outcome
            self._finished.put((slot.name, None, error))

    def _wait(self) -> None:
        """Until a slot has ended, or the time of one is over."""
        left = min(running.token.left for running in self._running.values())
        try:
            name, output, error = self._finished.get(timeout=min(left, 0.1))
        except Empty:
            for running in list(self._running.values()):
                if running.token.stopped:
                    self._give_up(running)
            return
        running = self._running.pop(name, None)  # type: ignore[arg-type]
        if running is not None:  # else nobody waits for it any more
            self._take(running, output, error)

    def _give_up(self, running: _Running) -> None:
        running.token.cancel()
        del self._running[running.slot.name]
        self._cut_short(running.slot, running.ms)

    def _cut_short(self, slot: Slot, ms: float) -> None:
        """Ends a slot that its token has stopped: the run was cancelled, or its time is over."""
        if self._token.stopped:
            self._end(Outcome(slot.name, "cancelled", "", ms))
        else:
            self._end(Outcome(slot.name, "failed", f"it took longer than {slot.seconds:g} s", ms))

    def _take(self, running: _Running, output: Any, error: BaseException | None) -> None:
        slot, ms = running.slot, running.ms
        if isinstance(error, Cancelled):
            self._cut_short(slot, ms)
        elif error is not None:
            self._end(Outcome(slot.name, "failed", in_a_line(error), ms))
        elif not isinstance(output, slot.gives):
            reason = f"it gave {type(output).__name__}, not {slot.gives.__name__}"
            self._end(Outcome(slot.name, "failed", reason, ms))
        else:
            self._outputs[slot.name] = output
            self._end(Outcome(slot.name, "done", "", ms, slot.items(output), output))


# ------------------------------------------------------------------ many at once


class FanOutResult(NamedTuple, Generic[T, R]):
    """One thing of a fan-out: its result, or why there is none."""

    item: T
    result: R | None
    error: str = ""


def fan_out(
    items: Sequence[T], work: Callable[[T], R], token: Token, *, at_once: int = AT_ONCE
) -> list[FanOutResult[T, R]]:
    """Do the same with each, several at a time; in their order. What fails costs itself alone."""
    todo: SimpleQueue[int] = SimpleQueue()
    finished: SimpleQueue[tuple[int, FanOutResult[T, R]]] = SimpleQueue()
    for place in range(len(items)):
        todo.put(place)

    def worker() -> None:
        while not token.stopped:
            try:
                place = todo.get_nowait()
            except Empty:
                return
            try:
                done: FanOutResult[T, R] = FanOutResult(items[place], work(items[place]))
            except Exception as error:  # noqa: BLE001  reported with the item
                done = FanOutResult(items[place], None, with_advice(error))
            finished.put((place, done))

    for _ in range(min(at_once, len(items))):
        threading.Thread(target=worker, daemon=True).start()
    made: dict[int, FanOutResult[T, R]] = {}
    while len(made) < len(items):
        token.check()
        try:
            place, done = finished.get(timeout=min(0.05, token.left))
        except Empty:
            continue
        made[place] = done
    return [made[place] for place in range(len(items))]
