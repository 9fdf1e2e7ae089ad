"""What a note says of itself: the header of a Markdown file, its links and its tags.

The header is YAML between ``---`` lines or TOML between ``+++`` lines. Of YAML this reads what
headers are made of: maps and lists in both styles, quoted, plain and multi-line text, numbers,
``true``, ``null`` and comments, by the rules of YAML 1.2 (so ``no`` is a word). What it does not
understand is kept as it is written, under the key that it stands under.

But for :func:`flow`, nothing here raises, whatever the text. Every value is JSON: a date is the
text of the date.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import dropwhile, takewhile
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.text import toml_header
from recollect.text.terms import terms

MARKDOWN = (".md", ".markdown", ".mdx")
"""How the names of files end that may have a header."""
MAX_HEADER = 262_144
MAX_DEPTH = 16
"""Of maps and lists in each other; what is deeper is kept as text."""

_OPEN = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|[\r\n])")
_CLOSE = {
    "---": re.compile(r"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|[\r\n]|\Z)"),
    "+++": re.compile(r"[\r\n]\+\+\+[ \t]*(?:\r\n|[\r\n]|\Z)"),
}
_BREAK = re.compile(r"\r\n|[\r\n]")
_COLON = re.compile(r":(?=[ \t]|\Z)")
_COMMENT = re.compile(r"(?<![^ \t])#")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^']|'')*'", re.DOTALL)
_BLOCK = re.compile(r"([|>])([1-9]?)([+-]?)([1-9]?)(?:[ \t]+#.*)?")
_LINK = re.compile(r"!?\[\[[^\[\]\n]+\]\]")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_ESCAPE = re.compile(r"\\(?:(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = dict(
    zip(
        '0abt\tnvfreN_LP "/\\',
        '\0\a\b\t\t\n\v\f\r\x1b\x85\xa0\u2028\u2029 "/\\',
        strict=True,
    )
)
_ESCAPED_BREAK = re.compile(r"(\\[^\n])|\\\n")
_SPACE = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*")
_FLOW_TEXT = re.compile(r"(?:[^,\[\]{}#]|(?<=\S)#)+")
_FLOW_KEY = re.compile(r"(?:[^,\[\]{}:#]|(?<=\S)#|:(?![\s,\[\]{}]))+")
_NO_KEY = (*"#[]{},&*!|>%@`\"'", "- ", "? ")
_WIKILINK = re.compile(r"(?<!\\)\[\[(?!\s)([^\[\]\n]+)\]\]")
_TAG = re.compile(
    r"(?<![^\s(])(?<!\]\()#"
    r"([^\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+)"
)
_NUMBER_OR_COLOUR = re.compile(
    r"\d*|(?=.*\d)(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})"
    r"|([a-f])\1{2,7}|([a-f])\2([a-f])\3([a-f])\4",
    re.IGNORECASE,
)
_NO_COLOURS = frozenset({"2fa", "b2b", "b2c", "c2c", "d2c", "e2e"})
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ITEM = r"\s*(?:[-*+]|\d+[.)])\s"
_LIST_LINE = {False: re.compile(_ITEM), True: re.compile(rf"{_ITEM}|[ \t]|\s*\Z")}
"""A line of a list, by whether the line before it is one."""
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?:\n[^\n]+?)?(?<!`)\1(?!`)")
_LISTS = {"tags": re.compile(r"[,\s]+"), "aliases": re.compile(r"\s*,\s*")}


def split(text: str) -> tuple[Mapping[str, Any], int]:
    """The fields of the header, and where in *text* the body begins: ({}, 0) without a header.

    ``tags`` and ``aliases`` are lists of texts however they are written, tags without their
    ``#``. Of a key that is there twice the last counts.
    """
    opened = _OPEN.match(text)
    if not opened:
        return {}, 0
    closed = _CLOSE[opened[1]].search(text, opened.end() - 1, MAX_HEADER)
    if not closed:
        return {}, 0
    fields = _READ[opened[1]](text[opened.end() : closed.start()])
    return ({}, 0) if fields is None else (_listed(fields), closed.end())


def _toml(header: str) -> dict[str, Any] | None:
    """The fields of a TOML header; None if it is no header."""
    fields = toml_header.fields(header)
    return fields if fields or not header.strip() else None


def _yaml(header: str) -> dict[str, Any] | None:
    """The fields of a YAML header; None if it is text between two rules."""
    lines = list(map(_HeaderLine.of, _BREAK.split(header)))
    first = next((line.said for line in lines if line.said), "")
    return _map(lines, 0) if not first or _keyed(first) else None


_READ = {"+++": _toml, "---": _yaml}


def body(text: str, wanted: Collection[str]) -> str:
    """The text without its header: what is said, and not what is said of it. With it, where a
    stem is *wanted* that only the header has, or where there is nothing else."""
    start = split(text)[1]
    said = text[start:].lstrip()
    if not start or not said:
        return text
    only = set(wanted).intersection(terms(text[:start]).stem.split())
    return text if only and not only.issubset(terms(said).stem.split()) else said


def flow(text: str) -> Any:
    """A value in brackets, ``{a: [b, "c"]}``, which JSON is too. Raises ValueError."""
    if text[:1] not in ("[", "{"):
        raise ValueError(f"not a value in brackets: {text[:40]!r}")
    return _flow(text, 0)


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {name: _words(fields[name], name) for name in _LISTS if name in fields}


def _words(value: Any, name: str) -> Any:
    """A field that is a list of words, however it is written; another one as it is."""
    items = _LISTS[name].split(value) if isinstance(value, str) else value
    if not isinstance(items, list) or any(isinstance(item, list | dict) for item in items):
        return value
    words = (str(item).strip().lstrip("#") for item in items if item is not None)
    return list(filter(None, words))


# ------------------------------------------------------------------ YAML, line by line


class _Odd(ValueError):
    """Not YAML as this module knows it."""


class _HeaderLine(NamedTuple):
    indent: int
    said: str
    """Without the space around it; empty if it is a comment."""
    raw: str
    """As it is written, but for tabs in the indent."""

    @classmethod
    def of(cls, raw: str) -> _HeaderLine:
        bare = raw.lstrip(" \t")
        indent = raw[: len(raw) - len(bare)].expandtabs(4)
        said = "" if bare.startswith("#") else bare.rstrip(" \t")
        return cls(len(indent), said, indent + bare)

    def inside(self, margin: int) -> bool:
        """Whether it belongs to what stands at the margin above it."""
        return not self.said or self.indent > margin


def _keyed(said: str) -> tuple[str, str] | None:
    """A line that is a key, as the key and what is written after it."""
    quoted = _QUOTED.match(said)
    if quoted:
        return _quoted_key(quoted[0], said[quoted.end() :].lstrip(" \t"))
    key, *rest = _COLON.split(said, maxsplit=1)
    return (key.rstrip(), rest[0].strip(" \t")) if rest and _is_key(key.rstrip()) else None


def _quoted_key(quoted: str, rest: str) -> tuple[str, str] | None:
    return (_unquoted(quoted), rest[1:].strip(" \t")) if _COLON.match(rest) else None


def _is_key(text: str) -> bool:
    return text not in ("", "-") and not text.startswith(_NO_KEY) and not _COMMENT.search(text)


def _map(lines: Iterable[_HeaderLine], depth: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, rest, below in _fields(list(lines)):
        try:
            fields[key] = _value(rest, below, depth)
        except _Odd:
            fields[key] = _written(rest, below)
    return fields


def _written(rest: str, below: list[_HeaderLine]) -> str:
    return "\n".join([rest, *(line.raw.strip() for line in below)]).strip()


def _fields(lines: list[_HeaderLine]) -> list[tuple[str, str, list[_HeaderLine]]]:
    """Each key at the margin, what is written after it, and the lines that belong to it; a line
    at the margin that belongs to no key is passed over."""
    margin = min((line.indent for line in lines if line.said), default=0)
    fields: list[tuple[str, str, list[_HeaderLine]]] = []
    for line in lines:
        inside = line.inside(margin)
        keyed = None if inside else _keyed(line.said)
        if keyed:
            fields.append((*keyed, []))
        elif fields and (inside or _goes_on(fields[-1][1], line.said)):
            fields[-1][2].append(line)
    return fields


def _goes_on(rest: str, said: str) -> bool:
    """Whether a line at the margin is still the value of the key above it."""
    return rest[:1] in ("[", "{", '"', "'") if rest else _dashed(said) or said[0] in "[{"


def _value(rest: str, below: list[_HeaderLine], depth: int) -> Any:
    """Parses the value after a key or a dash, with the lines that belong to it."""
    if depth > MAX_DEPTH:
        raise _Odd
    block = _BLOCK.fullmatch(rest)
    if block:
        return _block(block[1] == ">", block[3], bool(block[2] + block[4]), below)
    if _LINK.fullmatch(rest):
        return rest
    return _VALUES.get(rest[:1], _unmarked)(rest, below, depth)


def _unmarked(rest: str, below: list[_HeaderLine], depth: int) -> Any:
    bare = _bare(rest)
    return _plain(bare, below) if bare else _nested(below, depth + 1)


def _bracketed(rest: str, below: list[_HeaderLine], depth: int) -> Any:
    return _flow(_continued(rest, below), depth)


def _continued(rest: str, below: list[_HeaderLine]) -> str:
    return "\n".join([rest, *(line.raw.strip(" \t") for line in below)])


def _unknown(_rest: str, _below: list[_HeaderLine], _depth: int) -> Any:
    raise _Odd


def _nested(lines: list[_HeaderLine], depth: int) -> Any:
    """What lines of their own are together: a list, a map or a text."""
    lines = list(dropwhile(lambda line: not line.said, lines))
    if not lines:
        return None
    said = lines[0].said
    if _dashed(said):
        return _items(lines, depth)
    if _keyed(said):
        return _map(lines, depth)
    return _value(said, lines[1:], depth)


def _dashed(said: str) -> bool:
    return f"{said} ".startswith(("- ", "-\t"))


def _items(lines: list[_HeaderLine], depth: int) -> list[Any]:
    margin = lines[0].indent
    items: list[tuple[_HeaderLine, list[_HeaderLine]]] = []
    for line in lines:
        if line.inside(margin):
            items[-1][1].append(line)
        elif line.indent == margin and _dashed(line.said):
            items.append((line, []))
        else:
            raise _Odd
    return [_item(line, below, depth) for line, below in items]


def _item(line: _HeaderLine, below: list[_HeaderLine], depth: int) -> Any:
    rest = line.said[1:].lstrip(" \t")
    indent = line.indent + len(line.said) - len(rest)
    try:
        if _dashed(rest) or _keyed(rest):
            return _nested([_HeaderLine(indent, rest, " " * indent + rest), *below], depth + 1)
        return _value(rest, below, depth)
    except _Odd:
        return _written(rest, below)


# ------------------------------------------------------------------ YAML, texts


def _bare(text: str) -> str:
    """Without the comment at its end."""
    return _COMMENT.split(text, maxsplit=1)[0].rstrip(" \t")


def _scalar(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def _plain(rest: str, below: list[_HeaderLine]) -> Any:
    more = [_bare(line.said) for line in below]
    if any(map(_keyed, filter(None, more))):
        raise _Odd
    return _scalar(_joined("\n".join([rest, *more]).rstrip("\n")))


def _joined(text: str) -> str:
    """Lines as YAML joins them: by a space, or by the blank lines between them."""
    return re.sub(r"\n+", lambda breaks: breaks[0][1:] or " ", text)


def _quote(rest: str, below: list[_HeaderLine], _depth: int) -> str:
    text = _continued(rest, below)
    quoted = _QUOTED.match(text)
    if not quoted or _bare(text[quoted.end() :].replace("\n", " ")).strip():
        raise _Odd
    return _unquoted(quoted[0])


def _unquoted(quoted: str) -> str:
    inner = quoted[1:-1]
    if quoted[0] == "'":
        return _joined(inner).replace("''", "'")
    inner = _ESCAPED_BREAK.sub(r"\1", inner)
    text = _ESCAPE.sub(_unescaped, _joined(inner))
    # Two halves of a surrogate pair, as JSON writes them, are one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    if not match[1]:
        return _ESCAPES.get(match[2], match[0])
    code = int(match[1][1:], 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _block(fold: bool, chomp: str, deeper: bool, below: list[_HeaderLine]) -> str:
    """The text under ``|`` or ``>``; where the first line is *deeper*, the others say from where
    it counts."""
    margin = _margin(below, deeper)
    inside = takewhile(lambda line: not line.raw.strip() or line.indent >= margin, below)
    lines = [line.raw[margin:] for line in inside]
    size = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    text = _folded(lines[:size]) if fold else "\n".join(lines[:size])
    end = {"-": 0, "": min(size, 1), "+": len(lines) - size + min(size, 1)}[chomp]
    return text + "\n" * end


def _margin(lines: list[_HeaderLine], deeper: bool) -> int:
    """From where the lines of a text count."""
    indents = [line.indent for line in lines if line.raw.strip()]
    return min(indents, default=0) if deeper else next(iter(indents), 0)


def _folded(lines: list[str]) -> str:
    """Lines joined, but for those that are indented, which stay lines."""
    parts: list[str] = []
    breaks, before = 0, False
    for line in lines:
        if not line.strip():
            breaks += 1
            continue
        indented = line[0] in " \t"
        breaks += bool(parts) and (before or indented)
        parts += ["\n" * breaks if breaks or not parts else " ", line]
        breaks, before = 0, indented
    return "".join(parts)


_VALUES: dict[str, Callable[[str, list[_HeaderLine], int], Any]] = {
    **dict.fromkeys("[{", _bracketed),
    **dict.fromkeys("\"'", _quote),
    **dict.fromkeys("&*!%@`", _unknown),
}
"""By the first character of what is written."""


# ------------------------------------------------------------------ YAML in brackets


def _flow(text: str, depth: int) -> Any:
    value, at = _flow_value(text, 0, depth)
    if _skip(text, at) < len(text):
        raise _Odd
    return value


def _skip(text: str, at: int) -> int:
    """Past white space and comments."""
    found = _SPACE.match(text, at)
    assert found is not None  # it matches the empty text
    return found.end()


def _flow_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise _Odd
    link = _LINK.match(text, at)
    if link:
        return link[0], link.end()
    return _FLOW.get(text[at], _flow_plain)(text, at, depth + 1)


def _flow_plain(text: str, at: int, _depth: int) -> tuple[Any, int]:
    return _flow_text(text, at, _FLOW_TEXT)


def _flow_text(text: str, at: int, plain: re.Pattern[str]) -> tuple[Any, int]:
    quoted = _QUOTED.match(text, at)
    found = quoted or plain.match(text, at)
    if not found:
        raise _Odd
    lines = "\n".join(map(str.strip, found[0].split("\n")))
    return _unquoted(lines) if quoted else _scalar(_joined(lines.strip())), found.end()


def _flow_list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []

    def item(at: int) -> int:
        value, at = _flow_value(text, at, depth)
        items.append(value)
        return at

    return items, _flow_items(text, at + 1, "]", item)


def _flow_map(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    fields: dict[str, Any] = {}

    def field(at: int) -> int:
        key, at = _flow_text(text, at, _FLOW_KEY)
        at = _skip(text, _past(text, _skip(text, at), ":"))
        empty = text[at : at + 1] in ("", ",", "}")
        value, at = (None, at) if empty else _flow_value(text, at, depth)
        fields[str(key)] = value
        return at

    return fields, _flow_items(text, at + 1, "}", field)


_FLOW: dict[str, Callable[[str, int, int], tuple[Any, int]]] = {"[": _flow_list, "{": _flow_map}
"""By the first character of a value."""


def _flow_items(text: str, at: int, end: str, item: Callable[[int], int]) -> int:
    """Reads items with *item*, which returns where its one ends, up to the bracket *end*; returns
    where that ends."""
    while True:
        at = _skip(text, at)
        mark = text[at : at + 1]
        if mark == end:
            return at + 1
        if mark not in ("", ","):
            at = _skip(text, item(at))
        if text[at : at + 1] != end:
            at = _past(text, at, ",")


def _past(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise _Odd
    return at + 1


# ------------------------------------------------------------------ links and tags


def wikilinks(text: str) -> tuple[str, ...]:
    """The pages that ``[[…]]`` and ``![[…]]`` outside code lead to, each once, in order."""
    if "[[" not in text:
        return ()
    written = _WIKILINK.findall(_prose(text))
    pages = (re.split("[|#]", target)[0].rstrip("\\").strip() for target in written)
    return tuple(dict.fromkeys(filter(None, pages)))


def tags(text: str) -> tuple[str, ...]:
    """The ``#tags`` in a body, without ``#``, each once whatever its case; not what is in code,
    a heading, a number, a colour or the end of an address."""
    if "#" not in text:
        return ()
    written = (match[1].rstrip("/") for match in _TAG.finditer(_prose(text)))
    found: dict[str, str] = {}
    for tag in filter(_is_tag, written):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def _is_tag(text: str) -> bool:
    """Whether what stands after ``#`` is neither empty nor a number or a colour."""
    return text in _NO_COLOURS or not _NUMBER_OR_COLOUR.fullmatch(text)


def _prose(text: str) -> str:
    """The text without what is code: in fences, indented after a blank line, in backticks."""
    return _CODE.sub(" ", "".join(_unindented(_unfenced(text.splitlines(keepends=True)))))


def _unfenced(lines: Iterable[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        marker = _FENCE.match(line)
        if fence:
            fence = "" if marker and _closes(fence, marker) else fence
        elif marker:
            fence = marker[1]
        else:
            yield line


def _closes(fence: str, marker: re.Match[str]) -> bool:
    return marker[1].startswith(fence) and not marker.string[marker.end() :].strip()


def _unindented(lines: Iterable[str]) -> Iterator[str]:
    """The lines without indented code; what is indented in a list is no code."""
    blank, listed = True, False
    for line in lines:
        empty = not line.strip()
        if blank and not listed and not empty and line.startswith(("    ", "\t")):
            continue
        blank, listed = empty, bool(_LIST_LINE[listed].match(line))
        yield line
