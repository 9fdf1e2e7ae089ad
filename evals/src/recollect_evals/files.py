"""Files of question sets, read line by line or item by item, with the place of whatever is wrong.

Files ending in ``.xz`` or ``.gz`` are read as they are. What is raised is always an InputError that
names the file and the line.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from json import JSONDecodeError, JSONDecoder
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any

from recollect.errors import InputError
from recollect.nouns import Message
from recollect.text.dates import parse_date

CHUNK = 1 << 20
_GAP = re.compile(r"[\s,]*")
_BROKEN = (OSError, EOFError, UnicodeDecodeError, LZMAError, zlib.error)


def opened(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8-sig")


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """(place, line) of each that is not blank."""
    number = 0
    try:
        with opened(path) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"{path}:{number}", line
    except _BROKEN as error:
        raise InputError(f"{path}:{number + 1}: cannot be read: {error}") from error


def whole(path: Path) -> str:
    """All of a text file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except _BROKEN as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each line."""
    for where, line in lines(path):
        try:
            record = json.loads(line)
        except JSONDecodeError as error:
            raise InputError(f"{where}: not JSON: {error.msg}") from error
        if not isinstance(record, dict):
            raise InputError(f"{where}: not an object")
        yield where, record


def items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each item of a JSON array, one in memory at a time; or of each line, where
    there is no array."""
    if _is_lines(path):
        yield from records(path)
        return
    decode = JSONDecoder().raw_decode
    try:
        with opened(path) as stream:
            text, at, line = stream.read(CHUNK), 0, 1
            gap = re.match(r"\s*\[[\s,]*", text)
            while gap:
                line, at = line + text.count("\n", at, gap.end()), gap.end()
                if text.startswith("]", at):
                    return
                try:
                    item, end = decode(text, at)
                except JSONDecodeError as error:  # it is wrong, or goes on
                    more = stream.read(max(CHUNK, len(text)))
                    if not more:
                        wrong = line + text.count("\n", at, error.pos)
                        raise InputError(f"{path}:{wrong}: not JSON: {error.msg}") from error
                    text, at = text[at:] + more, 0
                    gap = _GAP.match(text)
                    continue
                if not isinstance(item, dict):
                    raise InputError(f"{path}:{line}: not an object")
                yield f"{path}:{line}", item
                line, at = line + text.count("\n", at, end), end
                gap = _GAP.match(text, at)
            raise InputError(f"{path}:1: not a JSON array")
    except _BROKEN as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _is_lines(path: Path) -> bool:
    try:
        with opened(path) as stream:
            while begins := stream.read(CHUNK):
                if begins := begins.lstrip():
                    return begins.startswith("{")
    except _BROKEN as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    return False


def find(path: Path, *names: str) -> Path:
    """The first of these that is in the folder, or beside it with the folder's name before it."""
    found = find_optional(path, *names)
    if found is None:
        raise InputError(f"{path}: there is no {' or '.join(names)}")
    return found


def find_optional(path: Path, *names: str) -> Path | None:
    for name in names:
        for end in ("", ".xz", ".gz"):
            for file in (path / f"{name}{end}", path.parent / f"{path.name}.{name}{end}"):
                if file.is_file():
                    return file
    return None


def given(record: Mapping[str, Any], where: str, *names: str) -> str:
    """The first of these fields that is there, as text; a number is one too."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
    raise InputError(f"{where}: there is no `{names[0]}`")


def date_of(value: Any, where: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        return parse_date(value)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error


def messages_of(turns: Any, where: str, text: str = "text") -> tuple[Message, ...]:
    if not isinstance(turns, list):
        raise InputError(f"{where}: the turns are not a list")
    made = []
    for number, turn in enumerate(turns):
        if not isinstance(turn, dict) or not isinstance(turn.get(text), str):
            raise InputError(f"{where}: turn {number} has no `{text}`")
        date = date_of(turn.get("date"), where)
        made.append(Message(str(turn.get("role") or "user"), turn[text], date=date))
    return tuple(made)


def text_of(record: Mapping[str, Any], where: str) -> str:
    if not isinstance(record.get("text"), str):
        raise InputError(f"{where}: there is no `text`")
    return str(record["text"])


def names_of(given: Any, field: str, where: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not all(isinstance(n, str | int) for n in given):
        raise InputError(f"{where}: `{field}` is not a list of names")
    return tuple(map(str, given))


def there(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")


def column(record: Mapping[str, Any], where: str, name: str) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list):
        raise InputError(f"{where}: there is no list `{name}`")
    return value
