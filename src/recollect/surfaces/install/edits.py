"""An entry in a file of configuration, put in and taken out: decided on the text alone.

Every edit is checked before it counts: the file, read again, must say what it said before, with the
entry and nothing else gained or lost. What cannot be done so is refused, and the file not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import accumulate, pairwise
from operator import getitem
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.surfaces.install import json_text, toml_text, yaml_text
from recollect.surfaces.install.json_text import Path, at_path
from recollect.surfaces.install.ledger import Splice


class Syntax(NamedTuple):
    load: Callable[[str], dict[str, Any]]
    put: Callable[[str, Path, Any], str]
    drop: Callable[[str, Path], str]


SYNTAX = {
    "json": Syntax(json_text.load, json_text.put, json_text.drop),
    "json5": Syntax(
        lambda text: json_text.load(text, loose=True),
        lambda text, path, value: json_text.put(text, path, value, loose=True),
        lambda text, path: json_text.drop(text, path, loose=True),
    ),
    "toml": Syntax(toml_text.load, toml_text.put, toml_text.drop),
    "yaml": Syntax(yaml_text.load, yaml_text.put, yaml_text.drop),
}


def put(syntax: Syntax, text: str, path: Path, value: Any, tag: str) -> tuple[str, Splice | None]:
    """The text with the value; and what was added, if that is all that happened. Raises
    ``ValueError`` where it cannot be done by an edit that changes nothing else."""
    before = syntax.load(text)
    after = syntax.put(text, path, value)  # raises, where something else is in its place
    if syntax.load(after) not in _wanted(before, path, value):
        raise ValueError("it is written in a way that is not edited here")
    start = _common(text, after)
    new = after[start : start + len(after) - len(text)]
    if text[:start] + new + text[start:] != after:
        return after, None
    kept = next((n for n in range(len(path)) if not has(before, path[: n + 1])), len(path))
    return after, Splice(tag, new, path, kept)


def _wanted(before: dict[str, Any], path: Path, value: Any) -> Iterator[dict[str, Any]]:
    """Yields the data that the edited file may hold; a list may have the value first or last."""
    yield with_value(before, path, value)
    held = at_path(before, path[:-1])
    if isinstance(path[-1], int) and isinstance(held, list) and path[-1] == len(held):
        yield with_value(before, path[:-1], [value, *held])


def _common(before: str, after: str) -> int:
    """How much of the beginning is the same."""
    end = min(len(before), len(after))
    return next((n for n in range(end) if before[n] != after[n]), end)


def take(syntax: Syntax, text: str, added: Splice) -> str:
    """The text without what was added: those very words, else the entry by its place, with what had
    been made to hold it."""
    exactly = take_exactly(syntax, text, added)
    return drop(syntax, text, added.path, added.kept) if exactly is None else exactly


def take_exactly(syntax: Syntax, text: str, added: Splice) -> str | None:
    """The text without the very words that were added, wherever they stand now; None if they are
    gone, or if anything else would go with them."""
    before, path = syntax.load(text), added.path
    places: Iterable[Path] = [path]
    if isinstance(path[-1], int):  # others may have come before it in the list
        places = ((*path[:-1], n) for n in range(len(at_path(before, path[:-1]) or ())))
    wanted = [
        without(before, place, kept)
        for place in places
        if has(before, place)
        for kept in range(added.kept, len(path))
    ]
    for found in re.finditer(f"(?={re.escape(added.text)})", text) if added.text else ():
        after = text[: found.start()] + text[found.start() + len(added.text) :]
        with suppress(ValueError):
            if syntax.load(after) in wanted:
                return after
    return None


def drop(syntax: Syntax, text: str, path: Path, kept: int) -> str:
    """The text without the entry, nor what of its path is empty then, down to *kept* keys."""
    before = syntax.load(text)
    if not has(before, path):
        return text
    gone = len(path)
    while gone - 1 > kept and len(at_path(before, path[: gone - 1])) == 1:
        gone -= 1
    after = syntax.drop(text, path[:gone])
    # A table that only its entries imply goes with the last of them.
    if syntax.load(after) in (without(before, path, n) for n in range(len(path))):
        return after
    raise ValueError("it is written in a way that is not edited here")


def has(data: Any, path: Path) -> bool:
    holder = at_path(data, path[:-1])
    if isinstance(path[-1], int):
        return isinstance(holder, list) and path[-1] < len(holder)
    return isinstance(holder, dict) and path[-1] in holder


def with_value(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The data with the value, and with what it takes to hold it."""
    made = deepcopy(data)
    at: Any = made
    for key, following in pairwise(path):
        if not has(at, (key,)):
            _set(at, key, [] if isinstance(following, int) else {})
        at = at[key]
    _set(at, path[-1], value)
    return made


def _set(holder: Any, key: str | int, value: Any) -> None:
    """Sets a key of an object or a place of a list; the place after the last appends."""
    if isinstance(holder, list) and key == len(holder):
        holder.append(value)
    else:
        holder[key] = value


def without(data: dict[str, Any], path: Path, kept: int) -> dict[str, Any]:
    """The data without the entry, and without what then is empty, but for the first *kept* keys."""
    made: Any = deepcopy(data)
    holders = list(accumulate(path[:-1], getitem, initial=made))
    n = len(path) - 1
    del holders[n][path[n]]
    while n > kept and not holders[n]:
        n -= 1
        del holders[n][path[n]]
    whole: dict[str, Any] = made
    return whole
