"""Counting searches beside them: a search hands its answer over and goes on.

One thread, started with the first search, adds up what waits and writes it at once. When another
process is writing it keeps the sums and tries again soon; when the ledger cannot be written at
all it keeps them and tries now and then. Nothing here raises, and closing takes a moment at most:
what a kill, or a lock that outlasts that moment, can cost is what was in hand just then.
"""

from __future__ import annotations

import atexit
import os
from _queue import Empty, SimpleQueue
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, timedelta
from threading import Event, Lock, Thread
from time import monotonic

from recollect import telemetry
from recollect.errors import StoreBusy, UsageError, in_a_line
from recollect.nouns import Answer
from recollect.ports import Ledger

MOMENT = 0.2
"""The most seconds that closing waits for what is still to be written."""
SOON, LATER = 0.003, 30.0
"""Seconds until the next try: when somebody else was writing, and when it failed otherwise."""
MOST_DAYS = 400


class Recorder:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.problem = ""
        """Why the last try to write failed, until one succeeds."""
        self._process = os.getpid()
        self._queue: SimpleQueue[Answer | Event | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closing = 0.0
        """When closing gives up; 0 while nobody closes."""
        self._sums: dict[tuple[str, str, str], Counter[str]] = {}
        """What the thread has added up and not written, and of how many answers."""
        self._held = 0
        self._told: list[Event] = []
        """Who waits until that is written."""
        self._refused = 0
        """How often in a row somebody else was writing."""

    def noted(self, answer: Answer) -> Answer:
        """The same answer, which will be counted."""
        if self._process == os.getpid():  # a fork has neither the thread nor the connection
            self._queue.put(answer)
            self.begin()
        return answer

    def begin(self) -> None:
        """Have the thread open the ledger: while the first search runs, there is time for it."""
        if self._thread is not None or self._process != os.getpid():
            return
        with self._lock:
            if self._thread is not None:
                return
            thread = Thread(target=self._run, name="recollect-usage", daemon=True)
            self._closing, self._thread = 0.0, thread
            try:
                thread.start()
            except RuntimeError:  # no thread can be had, such as at the end of the process
                self._thread, self._queue = None, SimpleQueue()
            else:
                atexit.register(self.close)

    def settle(self) -> None:
        """Wait a moment for everything so far to be in the ledger."""
        if self._thread is not None and self._process == os.getpid():
            written = Event()
            self._queue.put(written)
            written.wait(MOMENT)

    def close(self) -> None:
        with self._lock:  # another thread may be starting it just now
            thread = self._thread
        if thread is not None and self._process == os.getpid():
            self._closing = monotonic() + MOMENT
            self._queue.put(None)
            thread.join(MOMENT)
            atexit.unregister(self.close)

    # -------------------------------------------------------------- the thread

    def _run(self) -> None:
        due = pause = 0.0
        with suppress(Exception):  # the same will be said when there is something to write
            self.ledger.add(())
        while True:
            some = self._taken(due)
            closing = self._closing
            self._add_up(some)
            if closing or monotonic() >= due:
                pause = self._write()
                due = monotonic() + pause
            if closing and (pause in (0, LATER) or monotonic() >= closing):
                break
        self.ledger.close()
        with self._lock:
            self._thread = None

    def _taken(self, due: float) -> list[Answer]:
        """What was handed over; waits for something, or until it is time to try again."""
        some: list[Answer] = []
        wait = None if not self._held else max(0.0, due - monotonic())
        with suppress(Empty):
            item = self._queue.get(timeout=SOON if self._closing else wait)
            while True:
                if isinstance(item, Event):
                    self._told.append(item)
                elif item is not None:
                    some.append(item)
                item = self._queue.get_nowait()
        return some

    def _add_up(self, some: Iterable[Answer]) -> None:
        today = date.today().isoformat()
        for answer in some:
            key = (today, answer.mode, answer.intent)
            self._sums.setdefault(key, Counter()).update(telemetry.counted(answer))
            self._held += 1

    def _write(self) -> float:
        """Hand over what is held; returns in how many seconds to try again, 0 when it is done."""
        try:
            if self._held:
                self.ledger.add(telemetry.Tally(*key, counts) for key, counts in self._sums.items())
        except StoreBusy:
            self._refused = min(self._refused + 1, 6)
            return float(SOON * 2**self._refused)
        except Exception as error:  # noqa: BLE001  whatever it is, no search shall notice
            self.problem = in_a_line(error)
            return LATER
        self._sums, self._held, self._refused, self.problem = {}, 0, 0, ""
        while self._told:
            self._told.pop().set()
        return 0


def usage(ledger: Ledger | None, recorder: Recorder | None, days: int) -> telemetry.Usage:
    """The searches of the last so many days, today among them."""
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"days is {days}", hint=f"give 1 to {MOST_DAYS}")
    if recorder is not None:
        recorder.settle()
    last = date.today()
    first = (last - timedelta(days=days - 1)).isoformat()
    rows = tuple(ledger.rows(first)) if ledger else ()
    problem = recorder.problem if recorder else ""
    return telemetry.Usage(first, last.isoformat(), rows, recorder is not None, problem)
