"""JSONL: one document, session or fact a line.

    {"id", "text", "title"?, "kind"?, "date"?, "owner"?, "scopes"?, "path"?, "meta"?}
    {"id", "turns": [{"role", "text", "id"?, "date"?}], …}
    {"id", "name", "text", "aliases"?, "type"?, "scopes"?, "pinned"?, "supersedes"?, …}
    {"kind": "discussion" | "decision" | "audit" | "file", "body", "author"?, "issue"?, …}

A line says what it is with ``as``; else ``turns`` makes a session, ``name`` a fact and anything
else a document. Fields that are not ours are kept under ``meta``. A line that cannot be used is
a problem with its number, and the lines after it are read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from recollect.errors import InputError, UsageError
from recollect.facts import Fact
from recollect.facts import from_json as fact_from_json
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Message, Problem, without
from recollect.sources.files import FoundFile, head, numbered_lines
from recollect.sources.records import date_of, from_json, is_record
from recollect.sources.values import are_names, json_value, mapping, objects
from recollect.text import stated

MAX_LINE = 64_000_000
DEEPEST = 100
"""Lists and objects in each other that a line may have."""
_OURS = frozenset({"as", "id", "title", "kind", "date", "owner", "scopes", "path", "meta"})


Told = Document | Fact | Problem


class _Unusable(ValueError):
    """A line that cannot become a document, and why."""


def documents(file: FoundFile, source: str, owner: str, scopes: tuple[str, ...]) -> Iterator[Told]:
    try:
        stream = open(file.path, "rb")  # noqa: SIM115  closed below; a problem must be yielded
    except OSError as error:
        yield Problem(str(file.path), f"cannot be read: {error.strerror}")
        return
    with stream:
        try:
            yield from _read(stream, file, _Whose(source, owner, scopes, datetime.now(UTC)))
        except OSError as error:
            yield Problem(str(file.path), f"cannot be read to its end: {error.strerror}")


def is_foreign(path: Path) -> bool:
    """Whether a file holds another program's data: of its first lines some are objects, and none
    has what a line of ours must have."""
    records = objects(list(map(json_value, head(path).split(b"\n")[:-1])))
    return bool(records) and not any(map(_is_ours, records))


def _is_ours(record: dict[str, Any]) -> bool:
    has_body = "id" in record and not record.keys().isdisjoint(("text", "turns"))
    return has_body or "as" in record or is_record(record)


class _Whose(NamedTuple):
    """Where the documents of a file go."""

    source: str
    owner: str
    scopes: tuple[str, ...]
    now: datetime


def _read(stream: IO[bytes], file: FoundFile, whose: _Whose) -> Iterator[Told]:
    # The ids, the hashes of what was told under each, and the line of each hash.
    seen: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for number, line in numbered_lines(stream, MAX_LINE):
        where = f"{file.place}:{number}"
        try:
            told = _told(line, whose)
        except _Unusable as error:
            yield Problem(where, str(error))
            continue
        if isinstance(told, Fact):
            yield told
        elif told:
            document, warnings = told
            yield from (Problem(where, warning, "warning") for warning in warnings)
            again = seen[document.owner, document.external]
            first = again.setdefault(_content(document), number)
            yield from _once(document, where, number, first, len(again))


def _told(line: bytes | None, whose: _Whose) -> Fact | tuple[Document, list[str]] | None:
    """Returns what a line tells; None for a blank one. Raises _Unusable."""
    if line is None:
        raise _Unusable(f"a line of over {MAX_LINE // 1_000_000} MB")
    if not line.strip():
        return None
    record = _record(line)
    what = _what(record)
    return _MAKERS.get(what, _unknown)(record, what, whose)


def _once(document: Document, where: str, number: int, first: int, versions: int) -> Iterator[Told]:
    """Yields a document, unless line *first* was the same; one of several with its id apart."""
    if first != number:
        yield Problem(where, f"the same as line {first}", "skipped")
        return
    if versions > 1:
        said = f"the id {document.external!r} was used before; both are kept"
        yield Problem(where, said, "warning")
        document = document._replace(origin=f"#{versions}")
    yield document


def _content(document: Document) -> int:
    """The same for lines that say the same, however they are written."""
    meta = json.dumps(document.meta, sort_keys=True) if document.meta else ""
    said = (document.text, document.messages, document.kind, document.title, document.path)
    return hash((*said, document.date, document.owner, document.scopes, meta))


def _what(record: dict[str, Any]) -> str:
    """What a line is."""
    if is_record(record):
        return "record"
    shapes = (shape for field, shape in _SHAPES.items() if field in record)
    return str(record.get("as") or next(shapes, "document"))


def _fact(record: dict[str, Any], _what: str, whose: _Whose) -> Fact:
    try:
        return fact_from_json(record, whose.owner, whose.scopes, whose.now)
    except UsageError as error:
        raise _Unusable(error.message) from error


def _project_record(
    record: dict[str, Any], _what: str, whose: _Whose
) -> tuple[Document, list[str]]:
    try:
        return from_json(record, whose.source, whose.owner, whose.scopes)
    except InputError as error:
        raise _Unusable(error.message) from error


def _unknown(_record: dict[str, Any], what: str, _whose: _Whose) -> tuple[Document, list[str]]:
    raise _Unusable(f"{what!r} lines are not understood by this version")


def _document(record: dict[str, Any], what: str, whose: _Whose) -> tuple[Document, list[str]]:
    """Makes a document or a session."""
    warnings: list[str] = []
    external, body = _id(record), _BODIES[what]
    text, messages = _READERS[what](record, warnings)
    meta = record.get("meta") or {}
    if not isinstance(meta, dict):
        raise _Unusable("`meta` is not an object")
    others = without(record, {*_OURS, body})
    document = Document(
        external=external,
        source=whose.source,
        text=text,
        messages=messages,
        kind=_text(record, "kind", what),
        title=_text(record, "title", ""),
        path=_text(record, "path", ""),
        date=date_of(record.get("date"), warnings) or _date_told(external, messages),
        owner=_text(record, "owner", whose.owner),
        scopes=_scopes(record, whose.scopes),
        meta={**others, **meta},
    )
    return document, warnings


_SHAPES = {"turns": "session", "name": "fact"}
"""What a line is that has this field."""
_BODIES = {"document": "text", "session": "turns"}
_MAKERS: dict[str, Callable[[dict[str, Any], str, _Whose], Fact | tuple[Document, list[str]]]] = {
    "fact": _fact,
    "record": _project_record,
    "document": _document,
    "session": _document,
}


def _id(record: dict[str, Any]) -> str:
    given = record.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise _Unusable("no id: each line needs its own `id`, a text or a number")
    return str(given)


def _date_told(id: str, messages: Sequence[Message]) -> datetime | None:
    """Returns when a session began by its turns, else by its id ("2026-03-02")."""
    dates = [message.date for message in messages if message.date]
    return min(dates, default=stated.own({}, "", id)) if messages else None


def _words(record: dict[str, Any], _warnings: list[str]) -> tuple[str, tuple[Message, ...]]:
    if not isinstance(record.get("text"), str):
        raise _Unusable("no text: a document needs `text`, a session needs `turns`")
    return record["text"], ()


def _turns(record: dict[str, Any], warnings: list[str]) -> tuple[str, tuple[Message, ...]]:
    turns = record.get("turns")
    if not isinstance(turns, list) or not turns:
        raise _Unusable("`turns` is not a list with at least one turn")
    return "", tuple(_message(number, turn, warnings) for number, turn in enumerate(turns))


def _message(number: int, turn: Any, warnings: list[str]) -> Message:
    if not isinstance(mapping(turn).get("text"), str):
        raise _Unusable(f"turn {number} has no text")
    return Message(
        role=_text(turn, "role", "user"),
        text=turn["text"],
        id=str(turn["id"]) if turn.get("id") is not None else "",
        date=date_of(turn.get("date"), warnings),
    )


_READERS = {"document": _words, "session": _turns}


def _record(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Unusable(f"not UTF-8 (byte 0x{line[error.start]:02x} at {error.start})") from None
    try:
        record = _decoded(text)
    except (ValueError, RecursionError) as error:
        raise _Unusable(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise _Unusable(f"not an object but a {type(record).__name__}")
    if _is_deeper(record, DEEPEST):
        raise _Unusable(f"nested more than {DEEPEST} deep")
    if "\\ud" in text.lower():
        _check_surrogates(record)
    return record


def _check_surrogates(record: dict[str, Any]) -> None:
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _Unusable("half a surrogate pair (\\ud800–\\udfff) in a text") from None


def _is_deeper(value: Any, most: int) -> bool:
    """Whether there are lists or objects in each other beyond this. From Python 3.13 on the parser
    reads what is deeper than Python's own functions may call each other."""
    level: list[Any] = [value]
    for _ in range(most):
        inner = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for some in inner for one in some if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


_decoded = json.JSONDecoder(parse_constant=_no_constant).decode


def _text(record: dict[str, Any], field: str, default: str) -> str:
    value = record.get(field)
    if value in (None, ""):
        return default
    if not isinstance(value, str):
        raise _Unusable(f"`{field}` is not a text")
    return value


def _scopes(record: dict[str, Any], default: tuple[str, ...]) -> tuple[str, ...]:
    value = record.get("scopes")
    if value is None:
        return default
    if not are_names(value):
        raise _Unusable("`scopes` is not a list of names")
    if not value:
        raise _Unusable("`scopes` is empty, so nothing could ever see it; leave it out instead")
    return tuple(value)
