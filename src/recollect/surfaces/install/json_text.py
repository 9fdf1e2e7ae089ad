"""Edits of JSON as text: one value goes in or out, and every other byte stays.

Read are JSON with comments and trailing commas and, where *loose*, JSON5 as people write it (names
without quotes, texts in single ones). What cannot be read raises ``ValueError`` with its line.

An edit is one splice, in the style of what stands around it: its indentation, its line ends, on one
line or on several. A path is made of keys and places in arrays; the place after the last appends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # what json itself reads with
from typing import Any, NamedTuple

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SPACE = re.compile(r"[\s\ufeff]*")
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_NAME = re.compile(r"[^\W\d]\w*|\$\w*")
_SINGLE = re.compile(r"'((?:[^'\\\r\n]|\\.)*)'")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


class Node(NamedTuple):
    """A value, and where it stands."""

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


class _JsonReader:
    def __init__(self, text: str, loose: bool) -> None:
        self.text = text
        self.loose = loose

    def fail(self, at: int, what: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, at) + 1}: {what}")

    def skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

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
        if _NUMBER.fullmatch(word):
            return json.loads(word)
        if self.loose and _HEX.fullmatch(word):
            return int(word, 16)
        if self.loose and re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", word):
            return float(word)
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
            begins, key = at, len(children)
            name: str | int = key
            if is_object:
                name, at = self.key(at)
                at = self.skip(at)
                if self.text[at : at + 1] != ":":
                    raise self.fail(at, "a colon is missing")
                at = self.skip(at + 1)
            node = self.value(at, depth + 1)
            children.append(Child(name, begins, node))
            at = self.skip(node.end)
            if self.text[at : at + 1] == ",":
                at = self.skip(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.fail(at, f"a comma or {closing} is missing")
        held: Any = (
            {c.key: c.node.value for c in children}
            if is_object
            else [c.node.value for c in children]
        )
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
    at, rest = root, list(path)
    while rest:
        child = _child(at, rest[0])
        if child is None:
            break
        at = child.node
        rest.pop(0)
    if not rest:
        made = _rendered(text, root, value, _indent(text, at.start), inline=False)
        return text[: at.start] + made + text[at.end :]
    wanted = dict if isinstance(rest[0], str) else list
    if not isinstance(at.value, wanted):
        where = ".".join(map(str, path[: len(path) - len(rest)]))
        raise ValueError(f"{where} is no {'object' if wanted is dict else 'list'}")
    return _inserted(text, root, at, rest[0], _nested(tuple(rest[1:]), value))


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def _child(node: Node, key: str | int) -> Child | None:
    """The last of that name, which is the one that counts."""
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
    for child in root.children:
        if _own_line(text, child.start) and _indent(text, child.start):
            return _indent(text, child.start)
    return "  "


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
    at = _read(text, loose)
    for key in path[:-1]:
        child = _child(at, key) if at else None
        if child is None:
            return text
        at = child.node
    gone = _child(at, path[-1]) if at else None
    if at is None or gone is None:
        return text
    start, end = gone.start, gone.node.end
    comma = _comma(text, end)
    if comma is not None:
        end = comma + 1
    start, end = _whole_lines(text, start, end)
    text = text[:start] + text[end:]
    before = at.children.index(gone) - 1
    if comma is None and before >= 0:  # the one before it is the last now
        stale = _comma(text, at.children[before].node.end)
        if stale is not None:
            text = text[:stale] + text[stale + 1 :]
    return text


def _comma(text: str, at: int) -> int | None:
    found = _BLANK.match(text, at)
    at = found.end() if found else at
    return at if text[at : at + 1] == "," else None


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The span; with the line break before it, where nothing else is on its lines."""
    begin = text.rfind("\n", 0, start)
    if begin >= 0 and not text[begin + 1 : start].strip(" \t"):
        rest = text[end : _line_end(text, end)]
        if not rest.strip(" \t"):
            begin -= text[begin - 1 : begin] == "\r"
            return begin, end + len(rest)
    found = _SPACE.match(text, end)
    if found and "\n" not in found[0] and text[found.end() : found.end() + 1] not in ("}", "]"):
        return start, found.end()
    return start, end


def at_path(data: Any, path: Sequence[str | int]) -> Any:
    """Returns the value at a path, or None."""
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data
