"""Everything that reads what others wrote, as one table: for fuzzing, and for texts that are made
to take long.

A reader may say that it cannot read something, by a :class:`~recollect.errors.RecollectError` or a
problem among what it yields. It never raises anything else, and what is four times as long takes
about four times as long.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from recollect.errors import RecollectError
from recollect.models.worth import SentenceModel
from recollect.sources import formats, jsonl, memories
from recollect.sources.files import FoundFile
from recollect.sources.json_stream import Garbled, items
from recollect.sources.sessions import formats as session_formats
from recollect.testing.builders import note
from recollect.text import chunk, frontmatter, guard, redact
from recollect.text.questions import parse as query
from recollect.text.questions import subjects, when
from recollect.text.questions.time_route import time_route
from recollect.text.snippet import snippet
from recollect.text.terms import terms
from recollect.tree import markdown
from recollect.writing.curation import extract, recon
from recollect.writing.curation.chunk import pieces
from recollect.writing.runner import Token

Reader = Callable[[bytes], object]


def _text(read: Callable[[str], object]) -> Reader:
    def reader(raw: bytes) -> object:
        return read(raw.decode("utf-8", "replace"))

    return reader


def _curated(text: str) -> object:
    survey = recon.survey(text)
    extractor, told = extract.BySentences(SentenceModel(None)), extract.PieceContext(survey.kind)
    return [extractor.extract(piece, told, Token()) for piece in pieces(text, survey)]


def _frontmatter(text: str) -> object:
    return frontmatter.split(text), frontmatter.split(f"---\n{text}\n---\n")


def _file(suffix: str, raw: bytes) -> object:
    return formats.read(Path(f"a{suffix}"), raw)


def _log(read: Callable[[Path], Iterator[Any]], suffix: str, raw: bytes) -> object:
    """Whatever is in a file, read to its end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{suffix}"
        path.write_bytes(raw)
        return deque(read(path), maxlen=0)


def _lines(path: Path) -> Iterator[Any]:
    return jsonl.documents(FoundFile(str(path), "log.jsonl", 0, 0), "s", "local", ("universal",))


def _stream(raw: bytes) -> object:
    try:
        return deque(items(io.BytesIO(raw)), maxlen=0)
    except Garbled:
        return None


READERS: dict[str, Reader] = {
    "passages": _text(lambda text: chunk.passages(note("a", text))),
    "redact": _text(redact.redact),
    "query": _text(query.parse),
    "frontmatter": _text(_frontmatter),
    "wikilinks": _text(frontmatter.wikilinks),
    "tags": _text(frontmatter.tags),
    "when": _text(when.window),
    "guard": _text(lambda text: guard.difference("The build runs on port 80.", text)),
    "terms": _text(terms),
    "snippet": _text(lambda text: snippet(text, ("port", "a"))),
    "subjects": _text(subjects.subjects),
    "questions of time": _text(time_route),
    "page of the tree": _text(markdown.parse),
    "curation": _text(_curated),
    "memories": _text(lambda text: memories.recognise(Path("MEMORY.md"), text)),
    "json": _stream,
    "json lines": partial(_log, _lines, ".jsonl"),
    **{
        f"file {suffix}": partial(_file, suffix)
        for suffix in (".md", ".html", ".rst", ".ipynb", ".py", ".docx", ".txt")
    },
    **{
        f"sessions of {form.name}": partial(_log, form.read, found[0])
        for form in session_formats()
        if (found := re.findall(r"\.(?:jsonl?|md|db|sqlite)", form.pattern))
    },
}


def read(name: str, raw: bytes) -> None:
    """Read it; what may be said is said, and whatever else is raised comes through."""
    with suppress(RecollectError, markdown.BrokenPage):
        READERS[name](raw)
