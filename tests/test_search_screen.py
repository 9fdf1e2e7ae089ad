"""``recollect search -i`` in a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.surfaces.commands.search_screen import Listing, ScreenRow, clipped
from recollect.surfaces.terminal import columns_of

PLACED = re.compile(r"\x1b\[(\d+);1H(.*?)\x1b\[K", re.DOTALL)
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, *words: str, size: tuple[int, int] = (24, 80)) -> None:
        self.own, other = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(other)
        self._other = other
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recollect", *words],
            stdin=other, stdout=other, stderr=other, start_new_session=True,
            env={**os.environ, "TERM": "xterm", "RECOLLECT_WARM": "off"},
        )  # fmt: skip

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.own, text.encode())

    def until(self, seen: Callable[[str], bool]) -> str:
        """The screen, once it is as it should be."""
        end = time.monotonic() + 60
        while not seen(self.screen()):
            assert time.monotonic() < end, self.screen()
            if select.select([self.own], [], [], 0.5)[0]:
                self.said += os.read(self.own, 65536).decode(errors="replace")
        return self.screen()

    def screen(self) -> str:
        """The lines that were last drawn."""
        drawn = self.said.rpartition("\x1b[?25l")[2]
        return "\n".join(STYLE.sub("", text) for _, text in PLACED.findall(drawn))

    def ends(self) -> int:
        """Its exit code, and whether the terminal is as it was."""
        code = self.process.wait(60)
        assert termios.tcgetattr(self._other) == self.before
        return code


@pytest.fixture
def terminal(home: Path, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "deploy.md").write_text("# Deploying\n\nWe deploy harbor on Fridays.\n")
    (notes / "wide.md").write_text(f"# 部署计划\n\n我们每周五部署 harbor 服务。{'很长' * 60}\n")
    (notes / "rude.md").write_text("# Rude\n\nharbor \x1b[2J\x1b]0;owned\x07 gone\n")
    with Memory.open(home / "data" / "store") as memory:
        memory.add(notes)
    started: list[Terminal] = []

    def start(*words: str, **size: tuple[int, int]) -> Terminal:
        started.append(Terminal("search", "-i", *words, **size))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def test_type_move_open_leave(terminal: Callable[..., Terminal]) -> None:
    one = terminal()
    one.until(lambda screen: "type to search" in screen)
    one.type("harbpr")
    one.type("\x7f\x7for")
    screen = one.until(lambda screen: "by words and meaning" in screen and "Deploying" in screen)
    assert screen.startswith("› harbor\n")
    first = next(line for line in screen.splitlines()[2:] if line.startswith("› "))
    one.type("\x1b[B")
    one.until(lambda screen: f"  {first[2:]}" in screen.splitlines())
    one.type("\x1b[A\r")
    one.until(lambda screen: "q back" in screen)
    one.type("q")
    one.until(lambda screen: "› harbor" in screen)
    one.type("\x1b")
    assert one.ends() == 0


def test_wide_letters_small_windows_and_hostile_notes(terminal: Callable[..., Terminal]) -> None:
    one = terminal("harbor", size=(16, 60))
    one.until(lambda screen: "by words and meaning" in screen and "部署" in screen)
    for rows, columns in ((10, 31), (4, 20), (30, 100)):
        one.resize(rows, columns)
        os.kill(one.process.pid, signal.SIGWINCH)
        one.said = ""
        screen = one.until(lambda screen: bool(screen))
        lines = screen.splitlines()
        assert len(lines) <= rows
        assert max(map(columns_of, lines)) < columns
    one.type("部署")
    one.until(lambda screen: screen.startswith("› harbor部署"))
    assert "\x1b[2J" not in one.said
    assert "\x07" not in one.said
    one.type("\x03")
    assert one.ends() == 0


@pytest.mark.parametrize("words", [("-i",), ("-i", "--json", "x"), ("--interactive", "x")])
def test_it_is_refused_where_nobody_looks(home: Path, words: tuple[str, ...]) -> None:
    argv = [sys.executable, "-m", "recollect", "search", *words]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "search -i" in done.stderr


def test_the_choice_stays_on_its_row() -> None:
    listing = Listing("x")
    a, b, c = (ScreenRow(name, name, "", "") for name in "abc")
    listing.take("x", [a, b], "")
    listing.press("\x1b[B")
    listing.take("another", [c], "")  # what was typed before
    listing.take("x", [c, a, b], "")
    assert listing.rows[listing.chosen] == b


def test_a_line_is_cut_at_its_columns() -> None:
    assert clipped("部署计划", 8) == "部署计划"
    assert clipped("部署计划", 7) == "部署计…"
    assert clipped("a\tb\n c", 20) == "a b c"
