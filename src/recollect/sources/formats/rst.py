"""reStructuredText as Markdown: its titles become headings, its literal blocks fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.nouns import Problem
from recollect.sources.formats import Content, decoded
from recollect.sources.formats.markdown import fenced, guarded

_ADORNED = re.compile(r"(?!(?:::|\.\.)\Z)([!-/:-@\[-`{-~])\1*")
_CODE_DIRECTIVE = re.compile(
    r"\s*\.\. (?:code-block|code|sourcecode|parsed-literal|prompt|doctest|testcode|ipython)::"
    r"[ \t]*([\w+#-]*)[ \t]*"
)
_DIRECTIVE = re.compile(r"\s*\.\. ")
_OPTION = re.compile(r"\s*:[\w-]+:")
_DOCINFO = re.compile(r":([A-Za-z][\w -]*):[ \t]+(.+)")


def read(path: Path, raw: bytes) -> Content | Problem:
    text = decoded(path, raw)
    if isinstance(text, Problem):
        return text
    lines = list(map(str.rstrip, text.removeprefix("\ufeff").split("\n")))
    out: list[str] = []
    styles: list[tuple[str, bool]] = []
    meta: dict[str, str] = {}
    title = ""
    at = 0
    while at < len(lines):
        heading = _title(lines, at)
        if heading:
            words, style, size = heading
            if style not in styles:
                styles.append(style)
            title = title or words
            out.append(f"{'#' * min(styles.index(style) + 1, 6)} {words}")
            at += size
            continue
        if len(out) < 20 and len(styles) < 2 and (info := _DOCINFO.fullmatch(lines[at])):
            meta.setdefault(info[1].lower(), info[2])
        end = _literal(lines, at)
        if end > at + 1:
            out += _code(lines, at, end)
        else:
            out.append(guarded(lines[at]))
        at = max(end, at + 1)
    return Content("\n".join(out), title, meta, "note")


def _title(lines: list[str], at: int) -> tuple[str, tuple[str, bool], int] | None:
    """The title at this line: its words, its style, and how many lines it takes."""
    first, second, third = (*lines[at : at + 3], "", "")[:3]
    if _ADORNED.fullmatch(first):
        if second and third == first and not _ADORNED.fullmatch(second):
            return second.strip(), (first[0], True), 3
        return None
    plain = first and not first[0].isspace() and (at == 0 or not lines[at - 1])
    if plain and _ADORNED.fullmatch(second) and len(second) >= min(len(first), 4):
        return first, (second[0], False), 2
    return None


def _literal(lines: list[str], at: int) -> int:
    """Where the literal block ends that this line announces; else where the line is."""
    line = lines[at]
    if not _CODE_DIRECTIVE.fullmatch(line) and (
        not line.endswith("::") or _DIRECTIVE.match(line) or _ADORNED.fullmatch(line[:-2] or "x")
    ):
        return at
    indent = _indent(line)
    end = at + 1
    for number in range(at + 1, len(lines)):
        if lines[number]:
            if _indent(lines[number]) <= indent:
                break
            end = number + 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _code(lines: list[str], at: int, end: int) -> Iterator[str]:
    """The line that announces a literal block, its options, and the block in a fence."""
    directive = _CODE_DIRECTIVE.fullmatch(lines[at])
    yield guarded(lines[at])
    at += 1
    while directive and at < end and _OPTION.match(lines[at]):
        yield lines[at]
        at += 1
    block = lines[at:end]
    margin = min(map(_indent, filter(None, block)), default=0)
    code = "\n".join(line[margin:] for line in block).strip("\n")
    if code:
        yield from ("", fenced(code, directive[1] if directive else ""))
