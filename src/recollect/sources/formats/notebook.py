"""Jupyter notebooks as Markdown: notes as they are, code and the text of its outputs in fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.nouns import NO_META, Problem
from recollect.sources.formats import MAX_OUTPUT, Content
from recollect.sources.formats.markdown import fenced
from recollect.text.unicode import whole

_ANSI = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
_TITLE = re.compile(r"^# +(\S.*)", re.MULTILINE)
_DATA_URL = re.compile(r"\(data:[\w/+.;=-]+,[^)\s]{100,}\)")


def read(path: Path, raw: bytes) -> Content | Problem:
    try:
        book = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return Problem(str(path), f"not a notebook: {error}")
    if not isinstance(book, dict):
        return Problem(str(path), f"not a notebook but a {type(book).__name__}")
    about = _object(book.get("metadata"))
    language = _object(about.get("language_info")).get("name")
    language = language or _object(about.get("kernelspec")).get("language")
    language = language if isinstance(language, str) else ""
    sheets = [book, *_list(book.get("worksheets"))]  # before version 4, cells were in worksheets
    held = [_object(sheet).get("cells") for sheet in sheets]
    if not any(isinstance(cells, list) for cells in held):
        return Problem(str(path), "not a notebook: it has no cells")
    cells = [_object(cell) for some in held for cell in _list(some)]
    parts = [part for cell in cells for part in _cell(cell, language) if part.strip()]
    notes = (_source(cell.get("source")) for cell in cells if cell.get("cell_type") == "markdown")
    headings = (_TITLE.search(note) for note in notes)
    said = about.get("title") or next((heading[1] for heading in headings if heading), "")
    title = whole(said).strip() if isinstance(said, str) else ""
    text = whole("\n\n".join(parts)) + "\n" if parts else ""
    return Content(text, title, {"language": language} if language else NO_META, "document")


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _source(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        if source.strip():
            yield fenced(source.strip("\n"), language)
        for output in _list(cell.get("outputs")):
            text = _output(_object(output)).strip("\n")
            if text.strip():
                yield fenced(text[:MAX_OUTPUT] + ("…" if len(text) > MAX_OUTPUT else ""), "text")
    elif kind == "heading":
        level = cell.get("level")
        level = level if isinstance(level, int) and 1 <= level <= 6 else 1
        yield f"{'#' * level} {' '.join(source.split())}"
    else:
        yield _DATA_URL.sub("()", source)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = _object(output.get("data"))
    return _ANSI.sub("", _source(output.get("text") or data.get("text/plain")))


def _source(value: Any) -> str:
    """A text, which notebooks may hold in lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
