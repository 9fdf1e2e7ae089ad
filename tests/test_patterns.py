"""Every regular expression of the package, used as the package uses it, on texts that are made from
the expression itself to be hard to refuse."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from inspect import signature
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import NamedTuple

import pytest

import recollect
from hostile import TooMuchWork, hostile, processor_seconds

SIZE = 2_800
MOST = 5.0
"""Seconds of processor time: the square of the size takes a tenth of one, its cube minutes."""
SHORTER = (4, 2)
"""How many times shorter the texts are that are tried first. One that takes so little that even the
fourth power of it would be less than the most is enough; one that takes more than its share of the
most is too much, even if the work grew no faster than the text."""
PARTS = 4
"""Tests that share them, so that several can be run at once."""
READERS = ("text", "tree", "sources", "writing", "reading", "surfaces.page")
TEXTS = tuple(f"recollect.{name}." for name in READERS)
"""Where expressions are that read what others wrote."""
Use = Callable[[re.Pattern[str], str], object]


def _everywhere(pattern: re.Pattern[str], text: str) -> object:
    return sum(1 for _ in pattern.finditer(text))


def _at_the_start(pattern: re.Pattern[str], text: str) -> object:
    return pattern.match(text)


def _as_a_whole(pattern: re.Pattern[str], text: str) -> object:
    return pattern.match(text), pattern.fullmatch(text)


def _use(methods: set[str]) -> Use:
    """How one is used that these are called on."""
    if methods == {"match"}:
        return _at_the_start
    return _as_a_whole if methods and methods <= {"match", "fullmatch"} else _everywhere


class Found(NamedTuple):
    where: str
    pattern: re.Pattern[str]
    use: Use


def _patterns(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """Those in a value: a pattern, or a table with some in it. One of bytes is tried as a text."""
    if isinstance(value, re.Pattern):
        written = value.pattern
        yield value if isinstance(written, str) else re.compile(written.decode(), value.flags)
    elif depth and isinstance(value, dict):
        yield from _patterns([*value.keys(), *value.values()], depth)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns(one, depth - 1)


@cache
def _uses() -> dict[str, set[str]]:
    """By name, the methods that are called on it, or on what it returns: of a public one anywhere
    in the package, of a private one in its file."""
    found: dict[str, set[str]] = {}
    used = re.compile(r"\b(_?[A-Z][A-Z_\d]*|_[a-z_\d]+\(\))\.([a-z]+)\b")
    for path in Path(recollect.__file__).parent.rglob("*.py"):
        for name, method in used.findall(path.read_text()):
            found.setdefault(_called(name, path), set()).add(method)
    return found


def _called(name: str, path: Path) -> str:
    return f"{path}:{name}" if name.startswith("_") else name


@cache
def _every() -> dict[str, list[Found]]:
    """By module, each expression once."""
    seen: set[tuple[str, int]] = set()
    every: dict[str, list[Found]] = {}
    for module in pkgutil.walk_packages(recollect.__path__, "recollect."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        for one in (*_kept_in(loaded), *_made_in(loaded), *_written_in(loaded)):
            if (key := (one.pattern.pattern, one.pattern.flags)) not in seen:
                seen.add(key)
                every.setdefault(module.name, []).append(one)
    return every


def _kept_in(module: ModuleType) -> Iterator[Found]:
    """Those of its constants."""
    for name, value in list(vars(module).items()):
        for pattern in _patterns(value):
            uses = _uses().get(_called(name, Path(str(module.__file__))), set())
            yield Found(f"{module.__name__}.{name}", pattern, _use(uses))


def _made_in(module: ModuleType) -> Iterator[Found]:
    """Those that are made when they are first needed: what its functions keep that take nothing."""
    if not module.__name__.startswith(TEXTS):
        return
    for name, value in list(vars(module).items()):
        here = getattr(value, "__module__", "") == module.__name__
        if here and hasattr(value, "cache_info") and not signature(value).parameters:
            uses = _uses().get(_called(f"{name}()", Path(str(module.__file__))), set())
            for pattern in _patterns(value(), 4):
                yield Found(f"{module.__name__}.{name}()", pattern, _use(uses))


def _written_in(module: ModuleType) -> Iterator[Found]:
    """Those that stand where they are used, in functions: ``re.sub(r"…", …)``."""
    source = Path(str(module.__file__)).read_text()
    if not re.search(r"\bre\.[a-z]+\(", source):
        return
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.Lambda)
    ]
    for node in (inner for function in functions for inner in ast.walk(function)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str(written)), *_],
            ) if method != "escape":
                flags = re.NOFLAG
                for name in re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(node)):
                    flags |= re.RegexFlag[name]
                where = f"{module.__name__}, line {node.lineno}"
                yield Found(where, re.compile(written, flags), _use({method}))


def _too_slow(one: Found) -> str:
    for before, pump, after in hostile(one.pattern.pattern, one.pattern.flags):
        try:
            for times in (*SHORTER, 1):
                text = before + pump * (SIZE // times // len(pump)) + after
                if _work(one, text, MOST / times) <= MOST / times**4:
                    break
        except TooMuchWork as said:
            return f"{one.where}: {before!r}, {pump!r} again and again, {after!r}: {said}"
    return ""


def _work(one: Found, text: str, most: float) -> float:
    """The processor time of one use, which may not be more than that."""
    start = process_time()
    with processor_seconds(most):
        one.use(one.pattern, text)
    return process_time() - start


@pytest.mark.parametrize("part", range(PARTS))
def test_no_expression_takes_more_than_the_square_of_the_length_of_a_text(part: int) -> None:
    """A reader is to take about as long as its text is, which test_readers asks of each as a
    whole; one that is given a line, a name or a path at a time may use what is slower."""
    every = [one for some in _every().values() for one in some]
    slow = [said for one in every[part::PARTS] if (said := _too_slow(one))]
    assert not slow, "\n".join(slow)


def test_all_of_them_are_looked_at() -> None:
    assert sum(map(len, _every().values())) > 300


def test_an_expression_that_blows_up_is_found() -> None:
    assert "of processor time" in _too_slow(Found("here", re.compile(r"(?:\w+\s*)+$"), _everywhere))
