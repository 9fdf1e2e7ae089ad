"""Edits of YAML as text: an entry of a mapping at the top goes in or out, every other byte stays.

What is understood is the frame that configuration files have: a mapping of keys at the margin, and
the keys one level below. Texts, lists and blocks in between are stepped over whole. What is not
that (tabs as indentation, a second document, brackets or quotes that do not end, lines that are
indented like nothing above them) raises ``ValueError`` with its line, and nothing is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from recollect.surfaces.install import json_text
from recollect.surfaces.install.json_text import Path, newline

_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s\-?:,\[\]{}#&*!|>'"%@`][^:#\r\n]*?|-[^\s:][^:#\r\n]*?)
        [ ]*:(?=[ \t\r\n]|\Z)[ \t]*""",
    re.VERBOSE,
)
_BLOCK = re.compile(r"(?:[&!]\S*[ ]+)*[|>][-+0-9]*[ \t]*(?:#.*)?\Z")
_PLAIN = re.compile(r"[\w./~+@%\\()=-][^#\r\n]*")
_PIECE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[ \t]#[^\n]*|[\[\]{}\"']|.", re.DOTALL)


class _YamlLine(NamedTuple):
    """A line that says something, with all that belongs to its value on later lines."""

    number: int
    start: int
    end: int
    """Of its text, without the line break."""
    indent: int
    said: str


def _fail(number: int, what: str) -> ValueError:
    return ValueError(f"line {number}: {what}")


def _lines(text: str) -> Iterator[_YamlLine]:
    """The lines of the frame: without blanks, comments and whatever a value spans."""
    at, number, block = 0, 0, -1
    while at < len(text):
        number += 1
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        raw = text[at:end].removesuffix("\r").removeprefix("\ufeff" if at == 0 else "")
        said = raw.lstrip(" ")
        indent = len(raw) - len(said)
        start, at = end - len(text[at:end].removeprefix("\ufeff")), end + 1
        if not said.strip() or (said.startswith("#") and indent <= max(block, 0)):
            continue
        if block >= 0 and indent > block:
            continue
        block = -1
        if said.startswith("#"):
            continue
        if said.startswith("\t"):
            raise _fail(number, "a tab as indentation")
        if not said.startswith("#"):
            close = _ends(text, start, end, number)
            first = number
            number += text.count("\n", start, close)
            at = max(at, close + 1)
            whole = text[start:close].removesuffix("\r")
            yield _YamlLine(
                first, start, start + len(whole), indent, said if close == end else whole
            )
            if _BLOCK.search(_value(said)):
                block = indent


def _value(said: str) -> str:
    """Returns the value of a line: the text after the key, and after the dash of a list."""
    while said.startswith("- "):
        said = said[2:].lstrip(" ")
    if said.strip() == "-":
        return ""
    found = _KEY.match(said)
    return said[found.end() :] if found else said


def _ends(text: str, start: int, end: int, number: int) -> int:
    """Where the line ends, or the later one on which its brackets and quotes do."""
    value = _value(text[start:end].removesuffix("\r").lstrip(" \ufeff"))
    if not value.startswith(("[", "{", '"', "'")):
        return end
    depth = 0
    for piece in _PIECE.finditer(text, end - len(value) - (text[end - 1 : end] == "\r")):
        said = piece[0]
        if said in ("[", "{"):
            depth += 1
        elif said in ("]", "}"):
            depth -= 1
        elif said in ('"', "'"):
            raise _fail(number, "a quote that does not end")
        if depth == 0 and not said.isspace():
            close = text.find("\n", piece.end())
            return len(text) if close < 0 else close
    raise _fail(number, "a bracket that does not end")


class _YamlEntry(NamedTuple):
    """A key of the frame, and its value."""

    key: str
    line: _YamlLine
    value: str
    """On the line of the key."""
    lines: list[_YamlLine]
    """Below it."""


def _entries(lines: list[_YamlLine]) -> Iterator[_YamlEntry]:
    """The keys that stand as far in as the first of these lines."""
    if not lines:
        return
    margin, entry = lines[0].indent, None
    for line in lines:
        found = _KEY.match(line.said.lstrip(" \ufeff")) if line.indent == margin else None
        if found:
            if entry:
                yield entry
            entry = _YamlEntry(
                _unquoted(found["key"]), line, line.said.lstrip(" \ufeff")[found.end() :], []
            )
            continue
        listed = line.said.lstrip(" ").startswith(("- ", "-\r")) or line.said.strip() == "-"
        if entry is None or line.indent < margin or (line.indent == margin and not listed):
            raise _fail(line.number, "not a key with its value, and no part of one")
        entry.lines.append(line)
    if entry:
        yield entry


def _unquoted(key: str) -> str:
    if key.startswith('"'):
        return str(json.loads(key))
    return key[1:-1].replace("''", "'") if key.startswith("'") else key


def _frame(text: str) -> dict[str, _YamlEntry]:
    lines = list(_lines(text))
    begun = [n for n, line in enumerate(lines) if line.indent == 0 and line.said.startswith("---")]
    if any(line.indent == 0 and line.said.startswith(("...", "%")) for line in lines) or begun > [
        0
    ]:
        raise ValueError("line 1: more than one document")
    if begun and lines[0].said.strip("- "):
        raise _fail(lines[0].number, "something stands after ---")
    lines = lines[len(begun) :]
    if lines and lines[0].indent:
        raise _fail(lines[0].number, "the keys do not begin at the margin")
    found: dict[str, _YamlEntry] = {}
    for entry in _entries(lines):
        if entry.key in found:
            raise _fail(entry.line.number, f"{entry.key} a second time")
        _check(entry)
        found[entry.key] = entry
    return found


def _check(entry: _YamlEntry) -> None:
    """Every line below stands where another one has made place for it."""
    levels = [entry.line.indent]
    plain = bool(entry.value.strip()) and not entry.value.startswith(("#", "&", "!"))
    for line in entry.lines:
        while levels and line.indent < levels[-1]:
            levels.pop()
        if not levels or (
            line.indent != levels[-1] and plain and _KEY.match(line.said.lstrip(" "))
        ):
            raise _fail(line.number, "indented like nothing above it")
        if line.indent > levels[-1]:
            if len(levels) > 1 and line.indent not in levels and _dedents(entry, line):
                raise _fail(line.number, "indented like nothing above it")
            levels.append(line.indent)
        said = line.said.lstrip(" ")
        dashes = len(said) - len(said.lstrip("- "))
        if dashes and said.startswith("- ") and _KEY.match(said[dashes:]):
            levels.append(line.indent + dashes)
        plain = bool(_value(said).strip()) and not _value(said).startswith(("#", "&", "!"))
        if not _KEY.match(said) and not said.startswith("-"):
            plain = False  # more of a text that has begun above


def _dedents(entry: _YamlEntry, line: _YamlLine) -> bool:
    """Whether the line goes back, to a place where nothing stood."""
    before = entry.lines[entry.lines.index(line) - 1] if entry.lines[0] is not line else entry.line
    return line.indent < before.indent


# ------------------------------------------------------------------ the edits


def load(text: str) -> dict[str, Any]:
    """The frame: what each key has below it by name, else the words themselves. An entry of simple
    values is read as such."""
    return {key: _content(entry, 1) for key, entry in _frame(text).items()}


def _content(entry: _YamlEntry, depth: int) -> Any:
    value = entry.value.strip()
    if not entry.lines:
        return _simple(value) if value else {}
    if value and not value.startswith("#"):
        return (value, *(line.said for line in entry.lines))
    first = entry.lines[0].said.lstrip(" ")
    if first.startswith("-"):
        items = [line.said.strip() for line in entry.lines]
        simple = all(i.startswith("- ") for i in items) and not any(
            _KEY.match(i[2:]) for i in items
        )
        return [_simple(i[2:].strip()) for i in items] if simple else tuple(items)
    if depth > 3 or not _KEY.match(first):
        return tuple(line.said for line in entry.lines)
    return {one.key: _content(one, depth + 1) for one in _entries(entry.lines)}


def _simple(value: str) -> Any:
    try:
        if value.startswith("{"):
            return json_text.load(value.partition(" #")[0], loose=True)
        return json.loads(value)
    except ValueError:
        pass
    if value.startswith("'") and value.endswith("'") and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return value.partition(" #")[0].strip() if _PLAIN.match(value) else value


def put(text: str, path: Path, value: Mapping[str, Any]) -> str:
    """The text with an entry as the first below its key; not where it was before."""
    above, name = (str(key) for key in path)
    text, nl = drop(text, path), newline(text)
    frame = _frame(text)
    entry = frame.get(above)
    if entry is None:
        apart = nl if text and not text.endswith("\n") else ""
        if apart and (frame and _ends_in_block(list(frame.values())[-1])):
            raise ValueError("its last text has no line break, and would get one")
        return text + apart + nl.join([f"{above}:", *_rendered("  ", name, value)]) + nl
    said = entry.value.strip()
    if said.startswith("{") and isinstance(_simple(said), dict) and not entry.lines:
        at = entry.line.start + text[entry.line.start :].index("{", len(_key_of(entry))) + 1
        more = "" if text[at:].lstrip().startswith("}") else ", "
        inner = ", ".join(f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
        return f"{text[:at]}{name}: {{{inner}}}{more}{text[at:]}"
    if said and not said.startswith("#"):
        raise _fail(entry.line.number, f"{above} is no mapping")
    if entry.lines and entry.lines[0].said.lstrip(" ").startswith("-"):
        raise _fail(entry.line.number, f"{above} is a list")
    indent = " " * (entry.lines[0].indent if entry.lines else 2)
    new = nl + nl.join(_rendered(indent, name, value))
    return text[: entry.line.end] + new + text[entry.line.end :]


def _ends_in_block(entry: _YamlEntry) -> bool:
    last = entry.lines[-1].said.lstrip(" ") if entry.lines else f"x: {entry.value}"
    return bool(_BLOCK.search(_value(last)))


def _key_of(entry: _YamlEntry) -> str:
    return entry.line.said[: len(entry.line.said) - len(entry.value)]


def _rendered(indent: str, name: str, value: Mapping[str, Any]) -> list[str]:
    """Values as JSON has them, which is YAML as well."""
    lines = (
        f"{indent}  {key}: {json.dumps(one, ensure_ascii=False)}" for key, one in value.items()
    )
    return [f"{indent}{name}:", *lines]


def drop(text: str, path: Path) -> str:
    """The text without an entry, or without all of its key."""
    entry = _frame(text).get(str(path[0]))
    if entry is None:
        return text
    if len(path) == 1:
        return _cut(text, entry)
    if isinstance(_simple(entry.value.strip()), dict) and not entry.lines:
        at = entry.line.end - len(entry.value)
        inside, mark, comment = text[at : entry.line.end].partition(" #")
        inside = json_text.drop(inside, path[1:], loose=True)
        return text[:at] + inside + mark + comment + text[entry.line.end :]
    if entry.value.strip() and not entry.value.startswith("#"):
        return text
    gone = next((one for one in _entries(entry.lines) if one.key == path[1]), None)
    return text if gone is None else _cut(text, gone)


def _cut(text: str, entry: _YamlEntry) -> str:
    """The text without the lines of an entry."""
    end = entry.lines[-1].end if entry.lines else entry.line.end
    start = text.rfind("\n", 0, entry.line.start) + 1
    start += text.startswith("\ufeff") and start == 0
    last = text.find("\n", end)
    return text[:start] + ("" if last < 0 else text[last + 1 :])
