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
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.surfaces.install import json_text
from recollect.surfaces.install.json_text import Path, newline

_KEY_PATTERN = r"""
    (?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s\-?:,\[\]{}#&*!|>'"%@`][^:#\r\n]*?|-[^\s:][^:#\r\n]*?)
    [ ]*:(?=[ \t\r\n]|\Z)[ \t]*
"""
_KEY = re.compile(_KEY_PATTERN, re.VERBOSE)
_BEFORE_VALUE = re.compile(rf"\A(?:-[ ]+)*(?:-\s*\Z)?(?:{_KEY_PATTERN})?", re.VERBOSE)
"""The dashes of a list, and a key."""
_ITEM = re.compile(r"-(?: |\s*\Z)")
_BLOCK = re.compile(r"(?:[&!]\S*[ ]+)*[|>][-+0-9]*[ \t]*(?:#.*)?\Z")
_PLAIN = re.compile(r"[\w./~+@%\\()=-][^#\r\n]*")
_PIECE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[ \t]#[^\n]*|[\[\]{}\"']|.", re.DOTALL)
_NESTING = {"[": 1, "{": 1, "]": -1, "}": -1}
_BOM = "\ufeff"


class _YamlLine(NamedTuple):
    """A line of the frame, with the later lines that its value spans."""

    number: int
    start: int
    end: int
    """Of its text, without the line break."""
    indent: int
    said: str
    """Without the indentation."""


def _fail(number: int, what: str) -> ValueError:
    return ValueError(f"line {number}: {what}")


def _lines(text: str) -> Iterator[_YamlLine]:
    """Yields the lines of the frame: no blank lines, no comments, nothing inside a value."""
    at = number = 0
    block = -1
    while at < len(text):
        start, end = at, _line_end(text, at)
        at, number = end + 1, number + 1
        raw = text[start:end].removesuffix("\r")
        said = raw.lstrip(" ")
        indent = len(raw) - len(said)
        if said.rstrip()[:1] in ("", "#") or indent > block >= 0:
            continue
        if said.startswith("\t"):
            raise _fail(number, "a tab as indentation")
        close = _value_end(text, start, end, number)
        whole = text[start:close].removesuffix("\r")
        yield _YamlLine(number, start, start + len(whole), indent, whole.lstrip(" "))
        at, number = close + 1, number + text.count("\n", start, close)
        block = indent if _BLOCK.search(_value(said)) else -1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _value(said: str) -> str:
    """Returns the value of a line: the text after the key, and after the dash of a list."""
    return _BEFORE_VALUE.sub("", said, count=1)


def _value_end(text: str, start: int, end: int, number: int) -> int:
    """Returns the end of the line, or of the later one on which its brackets and quotes end."""
    raw = text[start:end].removesuffix("\r")
    value = _value(raw.lstrip(" "))
    if not value.startswith(("[", "{", '"', "'")):
        return end
    depth = 0
    for piece in _PIECE.finditer(text, start + len(raw) - len(value)):
        if piece[0] in ('"', "'"):
            raise _fail(number, "a quote that does not end")
        depth += _NESTING.get(piece[0], 0)
        if depth == 0 and not piece[0].isspace():
            return _line_end(text, piece.end())
    raise _fail(number, "a bracket that does not end")


class _YamlEntry(NamedTuple):
    """A key of the frame, and its value."""

    key: str
    line: _YamlLine
    value: str
    """On the line of the key."""
    lines: list[_YamlLine]
    """Below it."""

    @property
    def end(self) -> int:
        return [self.line, *self.lines][-1].end

    @property
    def is_inline(self) -> bool:
        """Whether its value begins on the line of the key."""
        return self.value.strip()[:1] not in ("", "#")

    @property
    def is_flow(self) -> bool:
        """Whether it is a mapping in braces."""
        return not self.lines and isinstance(_simple(self.value.strip()), dict)


def _entries(lines: list[_YamlLine]) -> list[_YamlEntry]:
    """Returns the keys that are indented like the first of these lines."""
    found: list[_YamlEntry] = []
    for line in lines:
        margin = lines[0].indent
        key = _KEY.match(line.said) if line.indent == margin else None
        if key:
            found.append(_YamlEntry(_unquoted(key["key"]), line, line.said[key.end() :], []))
        elif found and (line.indent > margin or (line.indent == margin and _ITEM.match(line.said))):
            found[-1].lines.append(line)
        else:
            raise _fail(line.number, "not a key with its value, and no part of one")
    return found


def _unquoted(key: str) -> str:
    if key.startswith('"'):
        return str(json.loads(key))
    return key[1:-1].replace("''", "'") if key.startswith("'") else key


def _frame(text: str) -> dict[str, _YamlEntry]:
    lines = list(_lines(text))
    begun = sum(_is_marker(line, "---") for line in lines[:1])
    if any(_is_marker(line, ("---", "...", "%")) for line in lines[begun:]):
        raise ValueError("line 1: more than one document")
    if begun and lines[0].said.strip("- "):
        raise _fail(lines[0].number, "something stands after ---")
    lines = lines[begun:]
    if lines and lines[0].indent:
        raise _fail(lines[0].number, "the keys do not begin at the margin")
    found: dict[str, _YamlEntry] = {}
    for entry in _entries(lines):
        if entry.key in found:
            raise _fail(entry.line.number, f"{entry.key} a second time")
        _check(entry)
        found[entry.key] = entry
    return found


def _is_marker(line: _YamlLine, marks: str | tuple[str, ...]) -> bool:
    return line.indent == 0 and line.said.startswith(marks)


def _check(entry: _YamlEntry) -> None:
    """Raises an error for a line below that is indented like nothing above it."""
    levels = [entry.line.indent]
    before, plain = entry.line, _is_plain(entry.value)
    for line in entry.lines:
        while line.indent < levels[-1]:
            levels.pop()
        deeper = line.indent > levels[-1]
        goes_back = len(levels) > 1 and line.indent < before.indent
        key = _KEY.match(line.said)
        if deeper and (goes_back or (plain and key)):
            raise _fail(line.number, "indented like nothing above it")
        if deeper:
            levels.append(line.indent)
        inner = line.said.lstrip("- ")
        if line.said.startswith("- ") and _KEY.match(inner):
            levels.append(line.indent + len(line.said) - len(inner))
        # A line that is neither a key nor an item goes on with a text that has begun above.
        plain = bool(key or line.said.startswith("-")) and _is_plain(_value(line.said))
        before = line


def _is_plain(value: str) -> bool:
    return value.strip()[:1] not in ("", "#", "&", "!")


# ------------------------------------------------------------------ the edits


def load(text: str) -> dict[str, Any]:
    """Returns the frame: mappings by their keys, lists of simple values, and the lines of all
    else."""
    return {key: _content(entry, 1) for key, entry in _frame(text.removeprefix(_BOM)).items()}


def _content(entry: _YamlEntry, depth: int) -> Any:
    value = entry.value.strip()
    if not entry.lines:
        return _simple(value) if value else {}
    texts = tuple(line.said for line in entry.lines)
    if entry.is_inline:
        return (value, *texts)
    if texts[0].startswith("-"):
        items = [text.strip() for text in texts]
        simple = all(map(_is_simple_item, items))
        return [_simple(item[2:].strip()) for item in items] if simple else tuple(items)
    if depth > 3 or not _KEY.match(texts[0]):
        return texts
    return {one.key: _content(one, depth + 1) for one in _entries(entry.lines)}


def _is_simple_item(item: str) -> bool:
    return item.startswith("- ") and not _KEY.match(item[2:])


def _simple(value: str) -> Any:
    try:
        if value.startswith("{"):
            return json_text.load(value.partition(" #")[0], loose=True)
        return json.loads(value)
    except ValueError:
        pass
    if value.startswith("'") and value.endswith("'") and len(value) > 1:
        return _unquoted(value)
    return value.partition(" #")[0].strip() if _PLAIN.match(value) else value


def put(text: str, path: Path, value: Mapping[str, Any] | list[Any]) -> str:
    """Returns the text with an entry as the first below its key, and not where it was before."""
    above, name = map(str, path)
    text, nl = drop(text, path), newline(text)
    body = text.removeprefix(_BOM)
    mark = text[: len(text) - len(body)]
    frame = _frame(body)
    entry = frame.get(above)
    if entry is None:
        lines = [f"{above}:", *_rendered("  ", name, value)]
        return f"{mark}{body}{_gap(body, frame, nl)}{nl.join(lines)}{nl}"
    at, new = _insertion(body, entry, name, value, nl)
    return f"{mark}{body[:at]}{new}{body[at:]}"


def _gap(text: str, frame: Mapping[str, _YamlEntry], nl: str) -> str:
    """Returns the line break that the text lacks at its end."""
    if not text or text.endswith("\n"):
        return ""
    if any(map(_ends_in_block, list(frame.values())[-1:])):
        raise ValueError("its last text has no line break, and would get one")
    return nl


def _ends_in_block(entry: _YamlEntry) -> bool:
    last = [f"x: {entry.value}", *(line.said for line in entry.lines)][-1]
    return bool(_BLOCK.search(_value(last)))


def _insertion(
    text: str, entry: _YamlEntry, name: str, value: Mapping[str, Any] | list[Any], nl: str
) -> tuple[int, str]:
    """Returns the place and the text of a new entry below *entry*."""
    if entry.is_flow:
        at = text.index("{", entry.line.end - len(entry.value)) + 1
        more = "" if text[at:].lstrip().startswith("}") else ", "
        return at, f"{name}: {_flow(value)}{more}"
    if entry.is_inline:
        raise _fail(entry.line.number, f"{entry.key} is no mapping")
    if entry.lines and entry.lines[0].said.startswith("-"):
        raise _fail(entry.line.number, f"{entry.key} is a list")
    indent = " " * next((line.indent for line in entry.lines), 2)
    return entry.line.end, nl + nl.join(_rendered(indent, name, value))


def _flow(value: Mapping[str, Any] | list[Any]) -> str:
    if isinstance(value, list):
        return _json(value)
    return f"{{{', '.join(f'{key}: {_json(one)}' for key, one in value.items())}}}"


def _rendered(indent: str, name: str, value: Mapping[str, Any] | list[Any]) -> list[str]:
    if isinstance(value, list):
        return [f"{indent}{name}: {_json(value)}"]
    lines = (f"{indent}  {key}: {_json(one)}" for key, one in value.items())
    return [f"{indent}{name}:", *lines]


def _json(value: Any) -> str:
    """Returns the value as JSON, which is YAML as well."""
    return json.dumps(value, ensure_ascii=False)


def drop(text: str, path: Path) -> str:
    """Returns the text without an entry, or without all of its key."""
    body = text.removeprefix(_BOM)
    mark = text[: len(text) - len(body)]
    entry = _frame(body).get(str(path[0]))
    if entry is None:
        return text
    if len(path) == 1:
        return mark + _cut(body, entry)
    if entry.is_flow:
        at = entry.line.end - len(entry.value)
        inside, hash, comment = body[at : entry.line.end].partition(" #")
        inside = json_text.drop(inside, path[1:], loose=True)
        return f"{mark}{body[:at]}{inside}{hash}{comment}{body[entry.line.end :]}"
    if entry.is_inline:
        return text
    gone = next((one for one in _entries(entry.lines) if one.key == path[1]), None)
    return text if gone is None else mark + _cut(body, gone)


def _cut(text: str, entry: _YamlEntry) -> str:
    """Returns the text without the lines of an entry."""
    start = text.rfind("\n", 0, entry.line.start) + 1
    return text[:start] + text[_line_end(text, entry.end) + 1 :]
