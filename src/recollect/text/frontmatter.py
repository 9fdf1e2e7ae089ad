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
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

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
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True,
          "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v",
            "f": "\f", "r": "\r", "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028",
            "P": "\u2029", " ": " ", '"': '"', "/": "/", "\\": "\\"}  # fmt: skip
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
_COLOUR = re.compile(
    r"(?=.*\d)(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|([a-f])\1{2,7}|([a-f])\2([a-f])\3([a-f])\4",
    re.IGNORECASE,
)
_NO_COLOURS = frozenset({"2fa", "b2b", "b2c", "c2c", "d2c", "e2e"})
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?:\n[^\n]+?)?(?<!`)\1(?!`)")
_LISTS = {"tags": re.compile(r"[,\s]+"), "aliases": re.compile(r"\s*,\s*")}


def split(text: str) -> tuple[Mapping[str, Any], int]:
    """The fields of the header, and where in *text* the body begins: ({}, 0) without a header.

    ``tags`` and ``aliases`` are lists of texts however they are written, tags without their
    ``#``. Of a key that is there twice the last counts.
    """
    opened = _OPEN.match(text)
    closed = opened and _CLOSE[opened[1]].search(text, opened.end() - 1, MAX_HEADER)
    if not opened or not closed:
        return {}, 0
    header = text[opened.end() : closed.start()]
    if opened[1] == "+++":
        fields = _toml(header)
        found = bool(fields) or not header.strip()
    else:
        lines = [_Line.of(line) for line in _BREAK.split(header)]
        first = next((line.said for line in lines if line.said), "")
        found = not first or _keyed(first) is not None  # else it is text between two rules
        fields = _map(lines, 0) if found else {}
    return (_listed(fields), closed.end()) if found else ({}, 0)


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
    for name, between in _LISTS.items():
        value = fields.get(name)
        if isinstance(value, str):
            value = between.split(value)
        if isinstance(value, list) and not any(isinstance(v, list | dict) for v in value):
            words = (str(v).strip() for v in value if v is not None)
            fields[name] = [w for word in words if (w := word.lstrip("#"))]
    return fields


def _toml(header: str) -> dict[str, Any]:
    """The header as TOML; if that fails, what can be read of it a line at a time."""
    import tomllib

    try:
        return {key: _json(value) for key, value in tomllib.loads(header).items()}
    except (ValueError, RecursionError):
        pass
    fields: dict[str, Any] = {}
    for line in _BREAK.split(header):
        key, equals, written = line.partition("=")
        if equals and key.strip():
            try:
                fields |= {name: _json(value) for name, value in tomllib.loads(line).items()}
            except (ValueError, RecursionError):
                fields[key.strip()] = written.strip()
    return fields


def _json(value: Any, depth: int = 0) -> Any:
    """A TOML value as JSON has it; what JSON does not have, as text."""
    if depth > MAX_DEPTH:
        return str(value)
    if isinstance(value, dict):
        return {key: _json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, depth + 1) for item in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value.isoformat()


# ------------------------------------------------------------------ YAML, line by line


class _Odd(ValueError):
    """Not YAML as this module knows it."""


class _Line(NamedTuple):
    indent: int
    said: str
    """Without the space around it; empty if it is a comment."""
    raw: str
    """As it is written, but for tabs in the indent."""

    @classmethod
    def of(cls, raw: str) -> _Line:
        bare = raw.lstrip(" \t")
        indent = raw[: len(raw) - len(bare)].expandtabs(4)
        said = "" if bare.startswith("#") else bare.rstrip(" \t")
        return cls(len(indent), said, indent + bare)


def _keyed(said: str) -> tuple[str, str] | None:
    """A line that is a key, as the key and what is written after it."""
    quoted = _QUOTED.match(said)
    if quoted:
        rest = said[quoted.end() :].lstrip(" \t")
        return (_unquoted(quoted[0]), rest[1:].strip(" \t")) if _COLON.match(rest) else None
    colon = _COLON.search(said)
    key = said[: colon.start()].rstrip() if colon else ""
    if not colon or not key or key.startswith(_NO_KEY) or key == "-" or _COMMENT.search(key):
        return None
    return key, said[colon.end() :].strip(" \t")


def _map(lines: Iterable[_Line], depth: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, rest, below in _fields(list(lines)):
        try:
            fields[key] = _value(rest, below, depth)
        except _Odd:
            fields[key] = _written(rest, below)
    return fields


def _written(rest: str, below: list[_Line]) -> str:
    return "\n".join([rest, *(line.raw.strip() for line in below)]).strip()


def _fields(lines: list[_Line]) -> Iterator[tuple[str, str, list[_Line]]]:
    """Each key at the margin, what is written after it, and the lines that belong to it; a line
    at the margin that belongs to no key is passed over."""
    margin = min((line.indent for line in lines if line.said), default=0)
    found: tuple[str, str] | None = None
    below: list[_Line] = []
    for line in lines:
        keyed = _keyed(line.said) if line.said and line.indent == margin else None
        if keyed:
            if found:
                yield *found, below
            found, below = keyed, []
        elif not line.said or line.indent > margin or (found and _goes_on(found[1], line.said)):
            below.append(line)
    if found:
        yield *found, below


def _goes_on(rest: str, said: str) -> bool:
    """Whether a line at the margin is still the value of the key above it."""
    return rest[:1] in ("[", "{", '"', "'") if rest else _dashed(said) or said[0] in "[{"


def _value(rest: str, below: list[_Line], depth: int) -> Any:
    """What is written after a key or a dash, with the lines that belong to it."""
    if depth > MAX_DEPTH:
        raise _Odd
    block = _BLOCK.fullmatch(rest)
    if block:
        return _block(block[1] == ">", block[3], bool(block[2] or block[4]), below)
    if _LINK.fullmatch(rest):
        return rest
    if rest[:1] in ("[", "{"):
        return _flow("\n".join([rest, *(line.raw for line in below)]), depth)
    if rest[:1] in ('"', "'"):
        return _quote(rest, below)
    if rest[:1] in ("&", "*", "!", "%", "@", "`"):
        raise _Odd
    rest = _bare(rest)
    if rest:
        return _plain(rest, below)
    return _nested(below, depth + 1)


def _nested(lines: list[_Line], depth: int) -> Any:
    """What lines of their own are together: a list, a map or a text."""
    first = next((number for number, line in enumerate(lines) if line.said), None)
    if first is None:
        return None
    said = lines[first].said
    if _dashed(said):
        return _items(lines[first:], depth)
    if _keyed(said):
        return _map(lines[first:], depth)
    return _value(said, lines[first + 1 :], depth)


def _dashed(said: str) -> bool:
    return said == "-" or said.startswith(("- ", "-\t"))


def _items(lines: list[_Line], depth: int) -> list[Any]:
    margin = lines[0].indent
    items: list[tuple[_Line, list[_Line]]] = []
    for line in lines:
        if line.said and line.indent <= margin:
            if line.indent < margin or not _dashed(line.said):
                raise _Odd
            items.append((line, []))
        else:
            items[-1][1].append(line)
    return [_item(line, below, depth) for line, below in items]


def _item(line: _Line, below: list[_Line], depth: int) -> Any:
    rest = line.said[1:].lstrip(" \t")
    indent = line.indent + len(line.said) - len(rest)
    try:
        if _dashed(rest) or _keyed(rest):
            return _nested([_Line(indent, rest, " " * indent + rest), *below], depth + 1)
        return _value(rest, below, depth)
    except _Odd:
        return _written(rest, below)


# ------------------------------------------------------------------ YAML, texts


def _bare(text: str) -> str:
    """Without the comment at its end."""
    comment = _COMMENT.search(text)
    return text[: comment.start()].rstrip(" \t") if comment else text


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def _plain(rest: str, below: list[_Line]) -> Any:
    more = [_bare(line.said) for line in below]
    if any(_keyed(said) for said in more if said):
        raise _Odd
    return _scalar(_joined("\n".join([rest, *more]).rstrip("\n")))


def _joined(text: str) -> str:
    """Lines as YAML joins them: by a space, or by the blank lines between them."""
    return re.sub(r"\n+", lambda breaks: breaks[0][1:] or " ", text)


def _quote(rest: str, below: list[_Line]) -> str:
    text = "\n".join([rest, *(line.raw.strip(" \t") for line in below)])
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
    digits = match[1] or match[2] or match[3]
    if not digits:
        return _ESCAPES.get(match[4], match[0])
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _block(fold: bool, chomp: str, deeper: bool, below: list[_Line]) -> str:
    """The text under ``|`` or ``>``; where the first line is *deeper*, the others say from where
    it counts."""
    indents = [line.indent for line in below if line.raw.strip()]
    margin = min(indents) if deeper and indents else next(iter(indents), 0)
    lines = []
    for line in below:
        if line.raw.strip() and line.indent < margin:
            break
        lines.append(line.raw[margin:])
    size = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    text = _folded(lines[:size]) if fold else "\n".join(lines[:size])
    end = {"-": 0, "": min(size, 1), "+": len(lines) - size + min(size, 1)}[chomp]
    return text + "\n" * end


def _folded(lines: Iterable[str]) -> str:
    """Lines joined, but for those that are indented, which stay lines."""
    parts: list[str] = []
    breaks = 0
    indented = False
    for line in lines:
        if not line.strip():
            breaks += 1
            continue
        before, indented = indented, line[0] in " \t"
        if parts and (before or indented):
            breaks += 1
        parts += ["\n" * breaks if breaks or not parts else " ", line]
        breaks = 0
    return "".join(parts)


# ------------------------------------------------------------------ YAML in brackets


def _flow(text: str, depth: int) -> Any:
    value, at = _flow_value(text, 0, depth)
    if _skip(text, at) < len(text):
        raise _Odd
    return value


def _skip(text: str, at: int) -> int:
    """Past white space and comments."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _flow_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise _Odd
    link = _LINK.match(text, at)
    if link:
        return link[0], link.end()
    if text[at] == "[":
        return _flow_list(text, at + 1, depth + 1)
    if text[at] == "{":
        return _flow_map(text, at + 1, depth + 1)
    return _flow_text(text, at, _FLOW_TEXT)


def _flow_text(text: str, at: int, plain: re.Pattern[str]) -> tuple[Any, int]:
    quoted = _QUOTED.match(text, at)
    found = quoted or plain.match(text, at)
    if not found:
        raise _Odd
    lines = "\n".join(line.strip() for line in found[0].split("\n"))
    return _unquoted(lines) if quoted else _scalar(_joined(lines.strip())), found.end()


def _flow_list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        at = _skip(text, at)
        mark = text[at : at + 1]
        if mark == "]":
            return items, at + 1
        if mark and mark != ",":
            item, at = _flow_value(text, at, depth)
            items.append(item)
            at = _skip(text, at)
            if text[at : at + 1] == "]":
                continue
        at = _past(text, at, ",")


def _flow_map(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    fields: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        mark = text[at : at + 1]
        if mark == "}":
            return fields, at + 1
        if mark and mark != ",":
            key, at = _flow_text(text, at, _FLOW_KEY)
            at = _skip(text, _past(text, _skip(text, at), ":"))
            value = None
            if text[at : at + 1] not in ("", ",", "}"):
                value, at = _flow_value(text, at, depth)
            fields[str(key)] = value
            at = _skip(text, at)
            if text[at : at + 1] == "}":
                continue
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
    targets = (re.split("[|#]", match[1])[0] for match in _WIKILINK.finditer(_prose(text)))
    return tuple(dict.fromkeys(page for t in targets if (page := t.rstrip("\\").strip())))


def tags(text: str) -> tuple[str, ...]:
    """The ``#tags`` in a body, without ``#``, each once whatever its case; not what is in code,
    a heading, a number, a colour or the end of an address."""
    found: dict[str, str] = {}
    for match in _TAG.finditer(_prose(text)) if "#" in text else ():
        tag = match[1].rstrip("/")
        if tag and not tag.isdecimal() and (tag in _NO_COLOURS or not _COLOUR.fullmatch(tag)):
            found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def _prose(text: str) -> str:
    """The text without what is code: in fences, indented after a blank line, in backticks."""
    out: list[str] = []
    fence = ""
    blank, listed = True, False
    for line in text.splitlines(keepends=True):
        marker = _FENCE.match(line)
        if fence:
            if marker and marker[1].startswith(fence) and not line[marker.end() :].strip():
                fence = ""
        elif marker:
            fence = marker[1]
        elif not line.strip():
            blank = True
            out.append(line)
        elif not (line.startswith(("    ", "\t")) and blank and not listed):
            listed = bool(_ITEM.match(line)) or (listed and line[0] in " \t")
            blank = False
            out.append(line)
    return _CODE.sub(" ", "".join(out))
