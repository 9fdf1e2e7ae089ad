"""The header of a note that is TOML, as JSON has its values."""

from __future__ import annotations

import math
import re
import tomllib
from typing import Any

MAX_DEPTH = 16
"""Of tables and lists in each other; what is deeper is kept as text."""
_BREAK = re.compile(r"\r\n|[\r\n]")


def fields(header: str) -> dict[str, Any]:
    """Returns the fields of a header; where it is not TOML, what can be read of its lines."""
    try:
        return _parsed(header)
    except (ValueError, RecursionError):
        pass
    found: dict[str, Any] = {}
    for line in _BREAK.split(header):
        found |= _line(line)
    return found


def _line(line: str) -> dict[str, Any]:
    key, equals, written = line.partition("=")
    if not equals or not key.strip():
        return {}
    try:
        return _parsed(line)
    except (ValueError, RecursionError):
        return {key.strip(): written.strip()}


def _parsed(text: str) -> dict[str, Any]:
    return _table(tomllib.loads(text), -1)


def _json(value: Any, depth: int) -> Any:
    """Returns a TOML value as JSON has it; what JSON does not have, as text."""
    if depth > MAX_DEPTH:
        return str(value)
    return _CONVERT.get(type(value), _moment)(value, depth)


def _table(value: dict[str, Any], depth: int) -> dict[str, Any]:
    return {key: _json(item, depth + 1) for key, item in value.items()}


def _list(value: list[Any], depth: int) -> list[Any]:
    return [_json(item, depth + 1) for item in value]


def _same(value: Any, _depth: int) -> Any:
    return value


def _moment(value: Any, _depth: int) -> str:
    """Returns a date, a time or both."""
    return str(value.isoformat())


def _integer(value: int, _depth: int) -> int | str:
    return value if abs(value) < 1 << 63 else hex(value)


def _float(value: float, _depth: int) -> float | str:
    return value if math.isfinite(value) else str(value)


_CONVERT: dict[type, Any] = {
    dict: _table,
    list: _list,
    bool: _same,
    str: _same,
    int: _integer,
    float: _float,
}
