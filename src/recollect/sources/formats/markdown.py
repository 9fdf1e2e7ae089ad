"""Markdown in the making, block by block, for readers whose format is another."""

from __future__ import annotations

import re

from recollect.named_tuple import NamedTuple

_MARKUP = re.compile(r"^( {0,3})(?=#{1,6}[ \t]|`{3}|~{3})", re.MULTILINE)
_MAX_FRAMES = 40


def guarded(text: str) -> str:
    """Text that is not to be taken for a heading or a fence."""
    return _MARKUP.sub(r"\1\\", text)


def fenced(code: str, language: str = "") -> str:
    longest = max(map(len, re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


class _MarkdownBlock(NamedTuple):
    text: str
    tight: bool = False
    """No blank line between it and another such block."""


class _Frame(NamedTuple):
    """A table, row, cell, list, item or quote that is still open."""

    label: str
    blocks: list[_MarkdownBlock]

    def text(self) -> str:
        parts: list[str] = []
        for number, block in enumerate(self.blocks):
            if number:
                parts.append("\n" if block.tight and self.blocks[number - 1].tight else "\n\n")
            parts.append(block.text)
        return "".join(parts)


def _shown(text: str, *, tight: bool = False) -> list[_MarkdownBlock]:
    """A block, if there is anything in it."""
    return [_MarkdownBlock(text, tight)] if text else []


def _plain(frame: _Frame, above: _Frame) -> list[_MarkdownBlock]:
    return _shown(frame.text(), tight=above.label == "item")


def _cell(frame: _Frame, _above: _Frame) -> list[_MarkdownBlock]:
    return [_MarkdownBlock(frame.text())]


def _row(frame: _Frame, _above: _Frame) -> list[_MarkdownBlock]:
    """A line of a table; what is no line stays as it is."""
    cells = [block.text for block in frame.blocks]
    if len(cells) < 2 or any("\n" in cell or cell.startswith("#") for cell in cells):
        return [block for block in frame.blocks if block.text]
    return _shown(f"| {' | '.join(cells)} |" if any(cells) else "", tight=True)


def _quote(frame: _Frame, _above: _Frame) -> list[_MarkdownBlock]:
    return _shown("\n".join(f"> {line}".rstrip() for line in frame.text().split("\n")))


def _item(frame: _Frame, above: _Frame) -> list[_MarkdownBlock]:
    mark = f"{len(above.blocks) + 1}. " if above.label == "numbers" else "- "
    first, *more = frame.text().split("\n")
    rest = (f"{' ' * len(mark)}{line}".rstrip() for line in more)
    return _shown("\n".join([mark + first, *rest]) if first else "", tight=True)


_CLOSE = {"cell": _cell, "row": _row, "quote": _quote, "item": _item}
"""What the blocks of a frame become in the frame around it."""


class Blocks:
    """Markdown in the making: words are gathered into a line, lines into blocks, and blocks into
    the frame that is open. Frames may be closed in any order, or never."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._frames = [_Frame("", [])]
        self.heading = 0
        """The level of the heading that is being written; 0 if none is."""
        self.first_heading = ""

    def write(self, words: str) -> None:
        """White space counts as one space, but for line breaks."""
        self._words.append(words)

    def end_line(self, mark: str = "") -> None:
        """What was written is a block, after *mark* if it is an item of a list."""
        rows = (" ".join(row.split()) for row in "".join(self._words).split("\n"))
        self._words.clear()
        text = "\n".join(filter(None, rows))
        if self.heading:
            text = text.replace("\n", " ").strip("§¶🔗 ").removesuffix(" #").removeprefix("# ")
            self.first_heading = self.first_heading or text
            text = text and f"{'#' * self.heading} {text}"
        elif text:
            text = mark + guarded(text).replace("\n", "\n" + " " * len(mark))
        self.add(text, tight=bool(mark) or self._frames[-1].label == "item")

    def drop_line(self) -> None:
        self._words.clear()

    def add(self, text: str, *, tight: bool = False) -> None:
        if text:
            self._frames[-1].blocks.append(_MarkdownBlock(text, tight))

    def open(self, label: str) -> None:
        self.end_line()
        if len(self._frames) < _MAX_FRAMES:
            self._frames.append(_Frame(label, []))

    def within(self, label: str, barrier: str = "") -> bool:
        """Whether such a frame is open, further in than any *barrier*."""
        for frame in reversed(self._frames):
            if frame.label in (label, barrier):
                return frame.label == label
        return False

    def close(self, label: str, barrier: str = "") -> None:
        """Closes the innermost frame of this kind with all frames inside it, if there is one."""
        self.end_line()
        if self.within(label, barrier):
            while self._close().label != label:
                pass

    def back_to(self, *labels: str) -> str:
        """End what is open inside the innermost frame of these; its label."""
        self.end_line()
        while len(self._frames) > 1 and self._frames[-1].label not in labels:
            self._close()
        return self._frames[-1].label

    def _close(self) -> _Frame:
        frame = self._frames.pop()
        above = self._frames[-1]
        above.blocks.extend(_CLOSE.get(frame.label, _plain)(frame, above))
        return frame

    def text(self) -> str:
        self.back_to("")
        text = self._frames[0].text()
        return text + "\n" if text else ""
