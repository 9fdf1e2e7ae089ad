"""``recollect search -i``: a list in the terminal that follows what is typed.

What has the words is there at once, what has the meaning as soon as the model has read the query.
:class:`Listing` is what is on the screen, and knows no terminal; :class:`Searches` looks things up
in a thread, and gives up what nobody waits for any more.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Condition, Thread

from recollect import trace
from recollect.errors import RecollectError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Answer, Named, Result
from recollect.surfaces import headlines
from recollect.surfaces.controls import ESCAPE, shown
from recollect.surfaces.phrases import dotted
from recollect.surfaces.terminal import columns_of, folded, style_of

Find = Callable[[str, str], Answer]
"""Answers a query, by these arms."""

_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[@-~]|O.)?|.", re.DOTALL)
_MOVES = {
    "\x1b[A": -1, "\x1bOA": -1, "\x10": -1,
    "\x1b[B": 1, "\x1bOB": 1, "\x0e": 1,
    "\x1b[5~": -10, "\x1b[6~": 10,
}  # fmt: skip
"""Lines that a key moves by: arrows, Ctrl-P and Ctrl-N, page up and page down."""
_ENTER, _LEAVE, _END = ("\r", "\n"), ("\x1b", "q"), ("\x03", "\x04")
_ERASE, _CLEAR = ("\x7f", "\x08"), "\x15"
_SEQUENCE = 0.05
"""Seconds within which the rest of a key comes that begins like Escape."""
_HELP = "type to search · ↑ ↓ move · Enter opens · Esc leaves"
_BY = {"keyword": "by words", "semantic": "by meaning", "hybrid": "by words and meaning"}


class ScreenRow(NamedTuple):
    id: str
    title: str
    about: str
    text: str


class Listing:
    """A query and what was found; or the document that was opened."""

    def __init__(self, query: str = "") -> None:
        self.query, self.note = query, _HELP
        self.rows: Sequence[ScreenRow] = ()
        self.chosen = 0
        self.document, self.top = "", 0

    def press(self, key: str) -> str:
        """Returns what the key asks for beyond the screen: ``search``, ``open``, ``end``."""
        if key in _END:
            return "end"
        if self.document:
            return self._turn(key)
        if key in _MOVES:
            self.chosen = max(0, min(self.chosen + _MOVES[key], len(self.rows) - 1))
            return ""
        if key in _ENTER:
            return "open" if self.rows else ""
        if key == _LEAVE[0]:
            return "end"
        before = self.query
        self.query = self._edited(key)
        return "search" if self.query != before else ""

    def _edited(self, key: str) -> str:
        if key in _ERASE:
            return self.query[:-1]
        if key == _CLEAR:
            return ""
        return self.query + key if key.isprintable() else self.query

    def _turn(self, key: str) -> str:
        if key in _LEAVE:
            self.document = ""
        self.top = max(0, self.top + _MOVES.get(key, 10 * (key == " ")))
        return ""

    def take(self, query: str, rows: Sequence[ScreenRow], note: str) -> None:
        """Shows what was found; the choice stays on the row that it was on."""
        if query != self.query:
            return
        kept = self.rows[self.chosen].id if self.rows else ""
        self.chosen = next((n for n, row in enumerate(rows) if row.id == kept), 0)
        self.rows, self.note = rows, note

    def lines(self, width: int, height: int) -> list[str]:
        """The screen, top to bottom; no line is as wide as it, since that would be wrapped."""
        room, style = width - 1, style_of(sys.stdout)
        if self.document:
            whole = [shown(line.expandtabs(4)) for line in self.document.splitlines()]
            text = folded("\n".join(whole), room)
            self.top = min(self.top, max(0, len(text) - height + 1))
            foot = clipped("↑ ↓ move · q back", room)
            return [*text[self.top :][: height - 1], f"{style.dim}{foot}{style.off}"]
        found = self._list(room, max(1, (height - 2) // 2))
        about = self.rows[self.chosen].text if self.rows else ""
        below = folded(shown(about.expandtabs(4)), room)[: max(0, height - 4 - len(found))]
        note = f"{style.dim}{clipped(self.note, room)}{style.off}"
        return [self._prompt(room), note, *found, *([""] if below else []), *below][:height]

    def _prompt(self, room: int) -> str:
        said = f"› {self.query}"
        while columns_of(said) >= room:
            said = said[1:]
        return said

    def _list(self, room: int, most: int) -> list[str]:
        first, style = max(0, self.chosen - most + 1), style_of(sys.stdout)
        made = []
        for number, row in enumerate(self.rows[first : first + most], first):
            line = clipped(dotted(row.title, row.about), room - 2)
            mine = number == self.chosen
            made.append(f"{style.bold}› {line}{style.off}" if mine else f"  {line}")
        return made

    @property
    def cursor(self) -> int:
        return columns_of(self.query) + 3


def clipped(text: str, room: int) -> str:
    """As much of a line as fits into so many columns."""
    line = shown(" ".join(text.split()))
    if columns_of(line) <= room:
        return line
    while columns_of(line) > room - 1:
        line = line[:-1]
    return f"{line}…"


def rows_of(found: Answer) -> list[ScreenRow]:
    return [*map(_shown_row, found.results), *map(_named_row, found.named)]


def _shown_row(one: Result) -> ScreenRow:
    about = dotted(one.kind, headlines.dated(one))
    return ScreenRow(one.id, headlines.name(one), about, headlines.untitled(one))


def _named_row(one: Named) -> ScreenRow:
    about = dotted(one.kind, headlines.dated(one), ", ".join(one.matched))
    return ScreenRow(one.id, headlines.title(one) or one.document, about, "")


class Searches(Thread):
    """Looks up the last query that was asked for, and wakes whoever waits for what is found."""

    def __init__(self, find: Find, arms: Sequence[str], wake: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._find, self._arms, self._wake = find, arms, wake
        self._changed = Condition()
        self._query: str | None = ""
        self.found: tuple[str, Sequence[ScreenRow], str] = ("", (), _HELP)

    def ask(self, query: str | None) -> None:
        """Looks this up next; None for nothing more."""
        with self._changed:
            self._query = query
            self._changed.notify()

    def end(self) -> None:
        """Waits until the search under way has stopped: the store is closed next, and nobody may
        be reading it."""
        self.ask(None)
        self.join()

    def run(self) -> None:
        done: str | None = ""
        while True:
            with self._changed:
                self._changed.wait_for(lambda known=done: self._query != known)  # type: ignore[misc]
                done = self._query
            if done is None:
                return
            for arm in self._arms:
                if self._query == done:
                    self._look(done, arm)

    def _look(self, query: str, arm: str) -> None:
        def wanted(_: str) -> None:
            if self._query != query:
                raise trace.Stopped

        try:
            with trace.watched(wanted):
                rows = rows_of(self._find(query, arm)) if query.strip() else []
            told = f"{len(rows)} {_BY[arm]}" if query.strip() else _HELP
            self.found = query, rows, told if arm == self._arms[-1] else f"{told} …"
        except trace.Stopped:
            return
        except RecollectError as error:
            self.found = query, (), error.message
        self._wake()


def run(find: Find, opened: Callable[[str], str], query: str, arms: Sequence[str]) -> int:
    """Until its user leaves; *opened* gives the text of a document."""
    with ExitStack() as stack, _full_screen() as (ready, wake):
        listing, searches = Listing(query), Searches(find, arms, wake)
        searches.start()
        searches.ask(query)
        stack.callback(searches.end)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            _draw(listing)
            for descriptor in select.select([0, ready], [], [])[0]:
                typed = _read(descriptor)
                keys = _KEY.findall(decoder.decode(typed)) if descriptor == 0 else ()
                wishes = [listing.press(key) for key in keys]
                if "end" in wishes or not typed:
                    return 0
                if "open" in wishes:
                    listing.document = opened(listing.rows[listing.chosen].id)
                    listing.top = 0
                if "search" in wishes:
                    searches.ask(listing.query)
            listing.take(*searches.found)


def _read(descriptor: int) -> bytes:
    """What there is to read; of a key that is a sequence, all."""
    typed = os.read(descriptor, 4096)
    if typed.endswith(b"\x1b") and select.select([descriptor], [], [], _SEQUENCE)[0]:
        typed += os.read(descriptor, 64)
    return typed


def refuse_without_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        hint = "`recollect search QUERY` prints what it finds"
        raise UsageError("search -i needs a terminal to show its list in", hint=hint)


@contextmanager
def _full_screen() -> Iterator[tuple[int, Callable[[], object]]]:
    """The other screen of the terminal, which is left as it was. Gives a descriptor that can be
    read when the window has another size, or when what is returned with it was called."""
    ready, waking = os.pipe()
    os.set_blocking(waking, False)
    before, resized = termios.tcgetattr(0), signal.signal(signal.SIGWINCH, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.stdout.write(f"{ESCAPE}[?1049h")
        tty.setraw(0)
        yield ready, lambda: os.write(waking, b"!")
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
        sys.stdout.write(f"{ESCAPE}[?1049l{ESCAPE}[?25h")
        sys.stdout.flush()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGWINCH, resized)


def _draw(listing: Listing) -> None:
    width, height = os.get_terminal_size(sys.stdout.fileno())
    lines = listing.lines(width, height)
    said = "".join(f"{ESCAPE}[{n};1H{line}{ESCAPE}[K" for n, line in enumerate(lines, 1))
    at = f"{ESCAPE}[1;{min(listing.cursor, width)}H{ESCAPE}[?25h"
    sys.stdout.write(f"{ESCAPE}[?25l{said}{ESCAPE}[J{'' if listing.document else at}")
    sys.stdout.flush()
