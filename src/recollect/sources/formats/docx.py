"""Word documents (DOCX) as Markdown: headings, paragraphs, lists, tables and notes.

What a file may unpack to is limited (``MAX_UNPACKED``), and its XML may not define entities.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from recollect.nouns import Problem, filled
from recollect.sources import formats
from recollect.sources.formats import Content
from recollect.sources.formats.markdown import Blocks


class _Forbidden(ValueError):
    """What a DOCX file must not have."""


_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    EOFError,
    OSError,
    LookupError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
_PROPERTIES = {
    "author": "creator",
    "date": "created",
    "updated": "modified",
    "description": "description",
    "keywords": "keywords",
}
"""Our names for what is told of a document, and those of DOCX."""


_Start = Callable[[str, dict[str, str]], None]
_Tell = Callable[[str], None]


def read(path: Path, raw: bytes) -> Content | Problem:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            return _document(packed)
    except _Forbidden as error:
        return Problem(str(path), f"not read: {error}")
    except _DAMAGED as error:
        why = f"not a DOCX file, or damaged, or protected with a password: {error}"
        return Problem(str(path), why)


def _document(packed: Any) -> Content:
    names = set(packed.namelist())
    left = formats.MAX_UNPACKED

    def chunks(stream: IO[bytes]) -> Iterator[bytes]:
        nonlocal left
        while chunk := stream.read(65_536):
            left -= len(chunk)
            if left < 0:
                raise _Forbidden(f"it unpacks to more than {formats.MAX_UNPACKED // 1_000_000} MB")
            yield chunk

    def parse(name: str, start: _Start, end: _Tell, text: _Tell) -> None:
        if name in names:
            with packed.open(name) as stream:
                _parse_xml(chunks(stream), start, end, text)

    main = min((n for n in names if re.fullmatch(r"word/document\d*\.xml", n)), default=None)
    if main is None:
        raise _Forbidden("it has no word/document.xml, so it is no DOCX file")
    styles = _Styles()
    parse("word/styles.xml", styles.start, styles.end, lambda _: None)
    words = _Words(styles.levels())
    for part in (main, "word/footnotes.xml", "word/endnotes.xml"):
        parse(part, words.start, words.end, words.text)
    about = _Properties()
    parse("docProps/core.xml", about.start, about.end, about.text)
    told = {name: about.fields.get(field) for name, field in _PROPERTIES.items()}
    meta = filled(told)
    title = about.fields.get("title") or words.blocks.first_heading
    return Content(words.blocks.text(), title, meta, "document")


def _parse_xml(chunks: Iterable[bytes], start: _Start, end: _Tell, text: _Tell) -> None:
    """Tell of elements and attributes by their local names. A document type is refused: nothing
    that Word writes has one, and it is how entities are made to multiply."""

    def local(name: str) -> str:
        return name.rpartition(" ")[2]

    def refuse(*_: Any) -> None:
        raise _Forbidden("it has a document type, which could define entities without end")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: start(
        local(name), {local(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: end(local(name))
    parser.CharacterDataHandler = text
    for chunk in chunks:
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


class _Properties:
    """What the document says of itself."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._name = ""

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._name = name

    def end(self, _name: str) -> None:
        self._name = ""

    def text(self, text: str) -> None:
        if self._name and text.strip():
            self.fields[self._name] = self.fields.get(self._name, "") + text.strip()


class _Styles:
    """Which styles are headings, and of which level."""

    def __init__(self) -> None:
        self._id = ""
        self._own: dict[str, int] = {}
        self._based_on: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._id = attributes.get("styleId", "")
        elif name == "name":
            level = _named_level(value.lower())
            if level is not None:
                self._own[self._id] = level
        elif name == "basedOn":
            self._based_on[self._id] = value
        elif name == "numPr":
            self._own.setdefault(self._id, _ITEM)
        elif name == "outlineLvl":
            self._own.setdefault(self._id, _outline_level(value))

    def end(self, name: str) -> None:
        if name == "style":
            self._id = ""

    def levels(self) -> dict[str, int]:
        found = dict(self._own)
        for style in self._based_on:
            base = style
            for _ in range(16):  # deeper than any template; they may go round in circles
                if base not in self._own:
                    base = self._based_on.get(base, "")
            found[style] = self._own.get(base, 0)
        return found


_ITEM, _CONTENTS = -1, -2
"""Instead of a level: a list's item, and a line in a table of contents, which is left out."""


_HEADINGS = {f"heading {level}": min(level, 6) for level in range(1, 10)} | {"title": 1}
"""The levels of styles, by the names that Word gives them."""


def _named_level(name: str) -> int | None:
    """The level of a style by its name, where that is one of Word's own."""
    return _CONTENTS if name.startswith("toc ") else _HEADINGS.get(name)


def _outline_level(value: str) -> int:
    return min(int(value) + 1, 6) if value in set("012345678") else 0


class _Words:
    """The paragraphs, lists and tables of a document."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.blocks = Blocks()
        self._levels = levels
        self._written = False
        self._unseen = 0
        self._level = 0
        self._indent: int | None = None
        self._starts: dict[str, Callable[[str], None]] = {
            "t": self._start_text,
            "p": self._end_paragraph,
            "pStyle": self._style,
            "outlineLvl": self._outline,
            "numPr": self._start_item,
            "ilvl": self._item_level,
            "numId": self._numbering,
        }

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._unseen or name in _UNSEEN_PARTS:
            self._unseen += 1
        elif name in _CHARACTERS:
            self.blocks.write(_CHARACTERS[name])
        elif name in _TABLE:
            self.blocks.open(_TABLE[name])
        elif name in self._starts:
            self._starts[name](attributes.get("val", ""))

    def _start_text(self, _value: str) -> None:
        self._written = True

    def _style(self, value: str) -> None:
        level = self._levels.get(value, 0)
        self._level, self._indent = (0, 0) if level == _ITEM else (level, self._indent)

    def _outline(self, value: str) -> None:
        self._level = self._level or _outline_level(value)

    def _start_item(self, _value: str) -> None:
        self._indent = self._indent or 0

    def _item_level(self, value: str) -> None:
        if value.isdecimal():
            self._indent = min(int(value), 8)

    def _numbering(self, value: str) -> None:
        if value == "0":
            self._indent = None

    def end(self, name: str) -> None:
        if self._unseen:
            self._unseen -= 1
        elif name == "t":
            self._written = False
        elif name == "p":
            self._end_paragraph()
        elif name in _TABLE:
            self.blocks.close(_TABLE[name])

    def text(self, text: str) -> None:
        if self._written:
            self.blocks.write(text.replace("\n", " "))

    def _end_paragraph(self, _value: str = "") -> None:
        if self._level == _CONTENTS:
            self.blocks.drop_line()
        elif self._level > 0 or self._indent is None:
            self.blocks.heading = self._level
            self.blocks.end_line()
            self.blocks.heading = 0
        else:
            self.blocks.end_line("  " * self._indent + "- ")
        self._level, self._indent = 0, None


_UNSEEN_PARTS = frozenset({"Fallback", "pPrChange", "moveFrom"})
"""What is there once more, and what was changed or moved."""
_CHARACTERS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
"""Elements that stand for a character."""
_TABLE = {"tbl": "table", "tr": "row", "tc": "cell"}
