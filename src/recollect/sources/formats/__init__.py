"""What is in a file, as text with its structure, whatever the file's format.

:func:`read` gives a file's :class:`Content`, or the :class:`~recollect.nouns.Problem` that says
why it has none; it never raises, whatever the bytes. Pages, documents and notebooks become
Markdown, whose headings say where passages begin. Source code and data stay as they are, to the
character; where their parts begin is said beside the text (:func:`outline`). A format's reader is
loaded when the first such file is read.

No format brings the machine down: what a DOCX file may unpack to is limited, its XML may not
define entities, and the time that a text takes grows with its length only.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from recollect.named_tuple import NamedTuple
from recollect.nouns import NO_META, JsonObject, Problem
from recollect.sources.formats import code

MAX_UNPACKED = 128_000_000
"""Bytes that the parts of a DOCX file may have together."""
MAX_PARSED = 4_000_000
"""Characters of Python that are parsed; the definitions in a longer file are found by their
looks, because its syntax tree would take gigabytes."""
MAX_OUTPUT = 2_000
"""Characters that are kept of one output of a notebook's cell."""


class OutlineSection(NamedTuple):
    """Where a part of a text begins, by its first character: a definition with the comments
    over it, a page."""

    offset: int
    level: int
    title: str
    line: int = 0
    """The line of the definition itself, from 1; 0 where lines mean nothing."""


class Content(NamedTuple):
    """A file as text."""

    text: str
    title: str = ""
    """What the file calls itself; empty if it does not."""
    meta: JsonObject = NO_META
    kind: str = "file"
    sections: tuple[OutlineSection, ...] | None = None
    """The parts of a text that is not Markdown: none in it is a heading. None: it may have
    headings, which are found in the text."""
    warnings: tuple[Problem, ...] = ()


def read(path: Path, raw: bytes) -> Content | Problem:
    """The file's content, by the format that its name says it has; else as plain text."""
    suffix = path.suffix.lower()
    if suffix in _READERS:
        reader: _Reader = import_module(f"{__name__}.{_READERS[suffix]}").read
        return reader(path, raw)
    text = decoded(path, raw)
    if isinstance(text, Problem):
        return text
    if suffix in _CODE:
        return Content(text, kind="code", sections=outline(text, suffix))
    if suffix in _DATA:
        return Content(text, sections=())
    return Content(text, kind="note" if suffix in _PROSE else "file")


def outline(text: str, suffix: str) -> tuple[OutlineSection, ...]:
    """The definitions in source code, in order, each from the first line of the comments over
    it. Python is parsed, unless it is broken or very long; other languages go by their looks,
    and none is found where that fails."""
    language = _CODE.get(suffix.lower())
    return code.outline(text, language) if language else ()


_Reader = Callable[[Path, bytes], Content | Problem]
_READERS = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".rst": "rst",
    ".ipynb": "notebook",
    ".pdf": "pdf",
    ".docx": "docx",
}
"""The module that reads files of a suffix; it is loaded when there is one."""
_CODE = {
    f".{suffix}": language
    for language, suffixes in {
        "python": "py pyi pyw",
        "javascript": "js jsx mjs cjs ts tsx mts cts",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "csharp": "cs",
        "c": "c h cc cpp cxx hpp hh hxx inl m mm",
        "kotlin": "kt kts",
        "swift": "swift",
        "php": "php",
        "ruby": "rb rake",
        "shell": "sh bash zsh",
        "sql": "sql",
    }.items()
    for suffix in suffixes.split()
}
_PROSE = frozenset({".md", ".markdown", ".mdx", ".txt", ".org", ".adoc", ""})
_DATA = frozenset(".csv .tsv .json .yaml .yml .toml .ini .cfg .conf .env .xml .log".split())


def decoded(path: Path, raw: bytes) -> str | Problem:
    """The characters of a text file."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            return Problem(str(path), "begins as UTF-16 but is not; save it as UTF-8")
    if b"\x00" in raw[:8192]:
        return Problem(str(path), "a binary file, not text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Problem(
            f"{path}:{line}",
            f"not UTF-8 (byte 0x{raw[error.start]:02x}); convert it, "
            "for instance with `iconv -f latin1 -t utf-8`",
        )
