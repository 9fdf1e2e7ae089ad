"""What a file is and what it says of itself, from its name and its first bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from recollect.text import frontmatter

MAX_SUMMARY = 300
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# fmt: off
_TYPES = {
    suffix: kind
    for kind, suffixes in {
        "python": "py pyi", "javascript": "js mjs cjs jsx", "typescript": "ts mts cts tsx",
        "markdown": "md markdown mdx", "text": "txt rst adoc org", "html": "html htm",
        "css": "css scss sass less", "shell": "sh bash zsh fish", "c": "c h", "rust": "rs",
        "c++": "cc cpp cxx hpp hh", "c#": "cs", "go": "go", "java": "java", "kotlin": "kt kts",
        "ruby": "rb", "php": "php", "swift": "swift", "sql": "sql", "json": "json jsonl",
        "yaml": "yaml yml", "toml": "toml", "xml": "xml", "image": "png jpg jpeg gif webp svg ico",
    }.items()
    for suffix in suffixes.split()
}
# fmt: on
_PROSE = frozenset({"markdown", "text"})
_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]+(\S.*)|^(\S.*)\n[=~-]{3,}[ \t]*$|^=+[ \t]+(\S.*)|^#\+title:(.*)",
    re.MULTILINE | re.IGNORECASE,
)
_DOCSTRING = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[rRuU]?(\"\"\"|''')(?P<said>.*?)(?:\1|\Z)", re.DOTALL
)
_BLOCK = re.compile(
    r"\s*+(?:/\*(?P<c>.*?)(?:\*/|\Z)|<!--(?P<xml>.*?)(?:-->|\Z)"
    r"|(?P<lines>(?:[ \t]*+(?://|#|--|;|%)[^\n]*(?:\n|\Z))+))",
    re.DOTALL,
)
_PREAMBLE = re.compile(r"\s*+(?:<\?[^\n]*|<!doctype[^>]*>|#![^\n]*)(?:\n|\Z)", re.IGNORECASE)
_MARK = re.compile(r"[ \t]*+(?://+!?|/?\*+|#+!?|--+|;+|%+)?")
_TO_TOOLS = re.compile(r"-\*-|vim?:|coding[:=]|eslint|@ts-|noqa|pylint:|shellcheck")
_LEGAL = re.compile(r"copyright|licen[cs]e|SPDX|all rights reserved", re.IGNORECASE)


def file_type(path: str) -> str:
    suffix = PurePosixPath(path).suffix[1:].lower()
    return _TYPES.get(suffix, suffix)


def summary(path: str, start: bytes) -> str:
    """What a file says of itself in its first bytes: its first heading, its docstring or the
    comment that it begins with. Empty for a binary file and where there is none."""
    if b"\0" in start:
        return ""
    text = start.decode("utf-8-sig", "ignore").replace("\r\n", "\n")
    kind = file_type(path)
    if kind in _PROSE:
        return _paragraph(_heading(text).splitlines())
    docstring = _DOCSTRING.match(text) if kind == "python" else None
    return _paragraph(docstring["said"].splitlines()) if docstring else _comment(text)


def _heading(text: str) -> str:
    fields, start = frontmatter.split(text)
    if isinstance(fields.get("title"), str):
        return str(fields["title"])
    body = text[start:]
    found = _HEADING.search(body)
    return next(filter(None, found.groups())).rstrip("# \t") if found else body.lstrip()


def _comment(text: str) -> str:
    """The first paragraph of the comments at the top, less what is there for lawyers and tools."""
    at = 0
    while preamble := _PREAMBLE.match(text, at):
        at = preamble.end()
    while block := _BLOCK.match(text, at):
        at = block.end()
        said = block["c"] or block["xml"] or block["lines"] or ""
        lines = [_MARK.sub("", line, count=1).rstrip("* \t") for line in said.splitlines()]
        if not _LEGAL.search(said) and (found := _paragraph(lines)):
            return found
    return ""


def _paragraph(lines: Iterable[str]) -> str:
    kept: list[str] = []
    for line in lines:
        words = " ".join(CONTROL.sub(" ", line).split())
        if _TO_TOOLS.search(words):
            continue
        if words:
            kept.append(words)
        elif kept:
            break
    joined = " ".join(kept)
    if len(joined) <= MAX_SUMMARY:
        return joined
    return joined[:MAX_SUMMARY].rpartition(" ")[0] + " …"
