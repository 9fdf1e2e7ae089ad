"""Edits of JSON as text: one value goes in or out, and every other byte stays.

Read are JSON with comments and trailing commas and, where *loose*, JSON5 as people write it (names
without quotes, texts in single ones). What cannot be read raises ``ValueError`` with its line.

An edit is one splice, in the style of what stands around it: its indentation, its line ends, on one
line or on several. A path is made of keys and places in arrays; the place after the last appends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # what json itself reads with
from typing import Any

from recollect.named_tuple import NamedTuple

Path = tuple[str | int, ...]
Numbers = tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...]

_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SPACE = re.compile(r"[\s\ufeff]*")
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_NAME = re.compile(r"[^\W\d]\w*|\$\w*")
_SINGLE = re.compile(r"'((?:[^'\\\r\n]|\\.)*)'")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


class Node(NamedTuple):
    """A JSON value with its start and end in the text."""

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] = ()
    """Of an object or an array."""


class Child(NamedTuple):
    key: str | int
    start: int
    """Where its key begins; in an array, where it begins itself."""
    node: Node


def _hexadecimal(word: str) -> int:
    return int(word, 16)


_NUMBERS: Numbers = ((_NUMBER, json.loads),)
_LOOSE_NUMBERS: Numbers = (*_NUMBERS, (_HEX, _hexadecimal), (_DECIMAL, float))


def _past(blank: re.Pattern[str], text: str, at: int) -> int:
    """Returns where the blanks at a place end."""
    found = blank.match(text, at)
    assert found is not None  # the patterns match an empty text, too
    return found.end()


class _JsonReader:
    def __init__(self, text: str, loose: bool) -> None:
        self.text = text
        self.loose = loose
        self.numbers = _LOOSE_NUMBERS if loose else _NUMBERS

    def fail(self, at: int, what: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, at) + 1}: {what}")

    def skip(self, at: int) -> int:
        return _past(_BLANK, self.text, at)

    def document(self) -> Node | None:
        """The root; None where there is nothing but blanks and comments."""
        at = self.skip(0)
        if at == len(self.text):
            return None
        root = self.value(at, 0)
        end = self.skip(root.end)
        if end != len(self.text):
            raise self.fail(end, "something stands after the end")
        return root

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.fail(at, "nested too deeply")
        begins = self.text[at : at + 1]
        if begins in ("{", "["):
            return self.container(at, depth)
        if begins in ('"', "'"):
            value, end = self.string(at)
            return Node(at, end, value)
        word = _WORD.match(self.text, at)
        if word is None:
            raise self.fail(at, "a value is missing")
        return Node(at, word.end(), self.plain(word[0], at))

    def plain(self, word: str, at: int) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        for pattern, read in self.numbers:
            if pattern.fullmatch(word):
                return read(word)
        raise self.fail(at, f"{word[:40]!r} is no value")

    def string(self, at: int) -> tuple[str, int]:
        if self.text[at] == '"':
            try:
                value, end = scanstring(self.text, at + 1, True)
            except ValueError as error:
                raise self.fail(at, "a text that does not end, or not as JSON has it") from error
            return value, end
        single = _SINGLE.match(self.text, at) if self.loose else None
        if single is None:
            raise self.fail(at, "a text in single quotes")
        inner = re.sub(r"\\'|\"", lambda m: "'" if m[0] != '"' else '\\"', single[1])
        try:
            return json.loads(f'"{inner}"'), single.end()
        except ValueError as error:
            raise self.fail(at, "a text that is not understood") from error

    def key(self, at: int) -> tuple[str, int]:
        """Returns a key, and where its value begins."""
        name, end = self.name(at)
        end = self.skip(end)
        if self.text[end : end + 1] != ":":
            raise self.fail(end, "a colon is missing")
        return name, self.skip(end + 1)

    def name(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] in ('"', "'"):
            return self.string(at)
        name = _NAME.match(self.text, at) if self.loose else None
        if name is None:
            raise self.fail(at, "a key in double quotes is wanted")
        return name[0], name.end()

    def container(self, at: int, depth: int) -> Node:
        is_object = self.text[at] == "{"
        closing = "}" if is_object else "]"
        children: list[Child] = []
        start, at = at, self.skip(at + 1)
        while self.text[at : at + 1] != closing:
            begins = at
            key: str | int = len(children)
            if is_object:
                key, at = self.key(at)
            node = self.value(at, depth + 1)
            children.append(Child(key, begins, node))
            at = self.skip(node.end)
            if self.text[at : at + 1] == ",":
                at = self.skip(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.fail(at, f"a comma or {closing} is missing")
        held: Any = [child.node.value for child in children]
        if is_object:
            held = {child.key: child.node.value for child in children}
        return Node(start, at + 1, held, tuple(children))


def _read(text: str, loose: bool) -> Node | None:
    return _JsonReader(text, loose).document()


def load(text: str, *, loose: bool = False) -> dict[str, Any]:
    """Returns the data of a JSON text; an empty object for an empty text."""
    root = _read(text, loose)
    if root is None:
        return {}
    if not isinstance(root.value, dict):
        raise ValueError("line 1: not an object")
    return root.value


# ------------------------------------------------------------------ putting in


def put(text: str, path: Path, value: Any, *, loose: bool = False) -> str:
    """The text with *value* at *path*, in place of what is there or as the last of its siblings."""
    root = _read(text, loose)
    if root is None:
        return _begun(text, _nested(path, value))
    at, rest = _walked(root, path)
    if not rest:
        made = _rendered(text, root, value, _indent(text, at.start), inline=False)
        return text[: at.start] + made + text[at.end :]
    wanted = dict if isinstance(rest[0], str) else list
    if not isinstance(at.value, wanted):
        where = ".".join(map(str, path[: len(path) - len(rest)]))
        raise ValueError(f"{where} is no {'object' if wanted is dict else 'list'}")
    return _inserted(text, root, at, rest[0], _nested(rest[1:], value))


def _walked(node: Node, path: Path) -> tuple[Node, Path]:
    """Returns the innermost node on the path that is there, and the rest of the path."""
    for n, key in enumerate(path):
        child = _child(node, key)
        if child is None:
            return node, path[n:]
        node = child.node
    return node, ()


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def _child(node: Node, key: str | int) -> Child | None:
    """Returns the last member of that name: JSON parsers take the last of duplicates."""
    return next((c for c in reversed(node.children) if c.key == key), None)


def _begun(text: str, value: Any) -> str:
    """A document where there is none: after the comments, if there are any."""
    nl = newline(text)
    apart = nl if text.strip("\ufeff \t\r\n") and not text.endswith("\n") else ""
    return text + apart + json.dumps(value, ensure_ascii=False, indent=2).replace("\n", nl) + nl


def newline(text: str) -> str:
    """How lines end here, by the first."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _indent(text: str, at: int) -> str:
    """The blanks at the beginning of the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _own_line(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return not line.strip(" \t") and "\n" in text[:at]


def _unit(text: str, root: Node) -> str:
    lined = (child.start for child in root.children if _own_line(text, child.start))
    return next(filter(None, (_indent(text, start) for start in lined)), "  ")


def _rendered(text: str, root: Node, value: Any, indent: str, *, inline: bool) -> str:
    if inline:
        return json.dumps(value, ensure_ascii=False)
    made = json.dumps(value, ensure_ascii=False, indent=_unit(text, root))
    return made.replace("\n", newline(text) + indent)


def _inserted(text: str, root: Node, into: Node, key: str | int, value: Any) -> str:
    nl, outer = newline(text), _indent(text, into.start)
    children, opened, close = into.children, into.start + 1, into.end - 1

    def member(indent: str, *, inline: bool) -> str:
        made = _rendered(text, root, value, indent, inline=inline)
        return f"{json.dumps(key, ensure_ascii=False)}: {made}" if isinstance(key, str) else made

    def spliced(at: int, new: str) -> str:
        return text[:at] + new + text[at:]

    if not children:
        inner = outer + _unit(text, root)
        new = nl + inner + member(inner, inline=False)
        if "\n" in text[opened:close]:
            return spliced(_after_opening(text, into), new)
        return spliced(opened, new + nl + outer)
    lined = _own_line(text, children[0].start)
    inner = _indent(text, children[0].start) if lined else outer
    new = member(inner, inline=not lined)
    end = children[-1].node.end
    if not text[end:close].strip().strip(","):  # no comment stands between the last and the end
        return spliced(end, f",{nl}{inner}{new}" if lined else f", {new}")
    if lined:
        return spliced(_after_opening(text, into), f"{nl}{inner}{new},")
    return spliced(opened, f"{new}, ")


def _after_opening(text: str, node: Node) -> int:
    """After the bracket, and after a comment that stands on its line with nothing behind it."""
    end = _line_end(text, node.start)
    rest = text[node.start + 1 : end].strip()
    if rest.startswith("//") or (
        rest.startswith("/*") and rest.endswith("*/") and rest.count("*/") == 1
    ):
        return end
    return node.start + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if text[end - 1] == "\r" else end


# ------------------------------------------------------------------ taking out


def drop(text: str, path: Path, *, loose: bool = False) -> str:
    """The text without what is at *path*, its comma and, where it had lines of its own, those."""
    root = _read(text, loose)
    if root is None:
        return text
    at, rest = _walked(root, path[:-1])
    gone = _child(at, path[-1])
    if rest or gone is None:
        return text
    comma = _comma(text, gone.node.end)
    start, end = _whole_lines(text, gone.start, gone.node.end if comma is None else comma + 1)
    text = text[:start] + text[end:]
    before = at.children.index(gone) - 1
    if comma is None and before >= 0:  # the one before it is the last now
        stale = _comma(text, at.children[before].node.end)
        if stale is not None:
            text = text[:stale] + text[stale + 1 :]
    return text


def _comma(text: str, at: int) -> int | None:
    at = _past(_BLANK, text, at)
    return at if text[at : at + 1] == "," else None


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The span; with the line break before it, where nothing else is on its lines."""
    begin = text.rfind("\n", 0, start)
    if begin >= 0 and not text[begin + 1 : start].strip(" \t"):
        rest = text[end : _line_end(text, end)]
        if not rest.strip(" \t"):
            begin -= text[begin - 1 : begin] == "\r"
            return begin, end + len(rest)
    past = _past(_SPACE, text, end)
    if "\n" not in text[end:past] and text[past : past + 1] not in ("}", "]"):
        return start, past
    return start, end


def at_path(data: Any, path: Sequence[str | int]) -> Any:
    """Returns the value at a path, or None."""
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data
