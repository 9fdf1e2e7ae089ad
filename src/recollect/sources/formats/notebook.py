"""Jupyter notebooks as Markdown: notes as they are, code and the text of its outputs in fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from recollect.nouns import NO_META, Problem, of_type
from recollect.sources.formats import MAX_OUTPUT, Content
from recollect.sources.formats.markdown import fenced
from recollect.sources.values import array, dig, listed, mapping, string
from recollect.text.redact import secret_around
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
    cells = _cells(book)
    if cells is None:
        return Problem(str(path), "not a notebook: it has no cells")
    about = mapping(book.get("metadata"))
    language = _language(about)
    parts = chain.from_iterable(_cell(cell, language) for cell in cells)
    text = "\n\n".join(filter(str.strip, parts))
    meta = {"language": language} if language else NO_META
    return Content(whole(text + "\n" if text else ""), _title(about, cells), meta, "document")


def _cells(book: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Returns the cells of a notebook, which before version 4 were in worksheets; None if there
    are none to be found."""
    sheets = [book, *map(mapping, array(book.get("worksheets")))]
    held = [sheet["cells"] for sheet in sheets if isinstance(sheet.get("cells"), list)]
    return list(map(mapping, chain(*held))) if held else None


def _language(about: dict[str, Any]) -> str:
    named = dig(about, "language_info", "name") or dig(about, "kernelspec", "language")
    return string(named)


def _title(about: dict[str, Any], cells: list[dict[str, Any]]) -> str:
    notes = (cell for cell in cells if cell.get("cell_type") == "markdown")
    headings = (_TITLE.search(_source(note.get("source"))) for note in notes)
    said = about.get("title") or next((heading[1] for heading in headings if heading), "")
    return string(said).strip()


def _cell(cell: dict[str, Any], language: str) -> Iterable[str]:
    source = _source(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        return _code(source, language, array(cell.get("outputs")))
    if kind == "heading":
        level = cell.get("level")
        level = level if isinstance(level, int) and 1 <= level <= 6 else 1
        return [f"{'#' * level} {' '.join(source.split())}"]
    return [_DATA_URL.sub("()", source)]


def _code(source: str, language: str, outputs: list[Any]) -> Iterator[str]:
    if source.strip():
        yield fenced(source.strip("\n"), language)
    texts = (_output(mapping(output)).strip("\n") for output in outputs)
    for text in filter(str.strip, texts):
        yield fenced(_shortened(text), "text")


def _shortened(text: str) -> str:
    if len(text) <= MAX_OUTPUT:
        return text
    return f"{text[: secret_around(text, MAX_OUTPUT)[0]]}…"


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename')}: {output.get('evalue')}"
    text = output.get("text") or dig(output, "data", "text/plain")
    return _ANSI.sub("", _source(text))


def _source(value: Any) -> str:
    """A text, which notebooks may hold in lines."""
    return "".join(of_type(listed(value), str))
