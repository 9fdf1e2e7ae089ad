"""Edits of TOML as text: a table goes in at the end or out again, and every other byte stays."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recollect.surfaces.install.json_text import Path, newline

_HEADER = re.compile(r"\s*(\[\[?)([^\r\n]*?)\]\]?[ \t]*(?:#[^\r\n]*)?\s*\Z")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n|.',
    re.DOTALL,
)


def load(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def put(text: str, path: Path, value: Mapping[str, Any]) -> str:
    """The text with a table at its end, and not where it was before, if it was there."""
    text, nl = drop(text, path), newline(text)
    begun = text.removeprefix("\ufeff")
    apart = ""
    if begun.strip():
        apart = nl if begun.endswith("\n") else nl * 2
        apart = "" if begun.endswith(("\n\n", "\n\r\n")) else apart
    name = ".".join(map(_key, path))
    lines = [f"[{name}]", *(f"{_key(key)} = {_value(one)}" for key, one in value.items())]
    return text + apart + nl.join(lines) + nl


def _key(key: str | int) -> str:
    return str(key) if _BARE.fullmatch(str(key)) else _value(str(key))


def _value(value: Any) -> str:
    write = _WRITERS.get(type(value))
    if write is None:
        raise ValueError(f"{type(value).__name__} is not written here")
    return write(value)


def _truth(value: bool) -> str:
    return str(value).lower()


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(value: list[Any]) -> str:
    return f"[{', '.join(map(_value, value))}]"


def _inline_table(value: dict[str, Any]) -> str:
    members = (f"{_key(key)} = {_value(one)}" for key, one in value.items())
    return f"{{ {', '.join(members)} }}"


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    bool: _truth,
    int: repr,
    float: repr,
    str: _text,
    list: _array,
    dict: _inline_table,
}


def drop(text: str, path: Path) -> str:
    """The text without the table and the tables in it. Comments and blank lines at its end are of
    what comes after."""
    inside = False
    spans: list[list[int]] = []
    for start, end in _statements(text):
        said = text[start:end].removeprefix("\ufeff").strip()
        header = _name(said)
        if header is not None:
            inside = header[: len(path)] == path
            if inside:
                spans.append([start, end])
        elif inside and said and not said.startswith("#"):
            spans[-1][1] = end
    for start, end in reversed(spans):
        before, after = text[:start], text[end:]
        if not after.strip() and before.endswith(("\n\n", "\n\r\n")):
            before = before.removesuffix("\n").removesuffix("\r")
        text = before + after
    return text


def _name(said: str) -> Path | None:
    """The name of a table, if this is the header of one; of a table in an array as well, which is
    never ours but ends what is before it."""
    found = _HEADER.match(said)
    if found is None:
        return None
    try:
        at = tomllib.loads(f"[{found[2]}]")
    except tomllib.TOMLDecodeError:
        return None
    keys: list[str] = []
    while at:
        key, at = next(iter(at.items()))
        keys.append(key)
    return tuple(keys) if found[1] == "[" else (*keys, 0)


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Lines, where a text or an array over several lines counts as one."""
    start = depth = 0
    header = _begins_header(text, 0)
    for piece in _PIECE.finditer(text):
        said = piece[0]
        if said in ("[", "{"):
            depth += not header
        elif said in ("]", "}"):
            depth -= depth > 0
        elif said == "\n" and depth == 0:
            yield start, piece.end()
            start = piece.end()
            header = _begins_header(text, start)
    if start < len(text):
        yield start, len(text)


def _begins_header(text: str, at: int) -> bool:
    """Brackets of a header are no array's, even where it is broken."""
    return text[at : at + 80].lstrip("\ufeff \t").startswith("[")
