"""Text files as documents: title, date and kind from what the file says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.sources.files import Text
from recollect.text.dates import parse_date
from recollect.types import Document

_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")
_TITLE = re.compile(r"^\ufeff? {0,3}#[ \t]+(\S.*)$", re.MULTILINE)
_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
_PROSE = _MARKDOWN | {".txt", ".rst", ".org", ".adoc", ""}


def document(read: Text, source: str, owner: str, scopes: tuple[str, ...]) -> Document:
    """The whole file is the document's text, frontmatter included: nothing is lost."""
    file, suffix = read.file, read.file.path.suffix.lower()
    fields = frontmatter(read.text) if suffix in _MARKDOWN else {}
    return Document(
        external=file.relative,
        source=source,
        text=read.text,
        kind="note" if suffix in _PROSE else "file",
        title=_title(read.text, fields, file.path.stem, suffix),
        path=file.relative,
        date=_date(fields) or datetime.fromtimestamp(file.modified / 1e9, UTC),
        owner=owner,
        scopes=scopes,
        meta=dict(fields),
        stamp=file.stamp,
    )


def frontmatter(text: str) -> Mapping[str, Any]:
    """The simple fields of a YAML header: one value, or a list in brackets, a line."""
    match = _FRONTMATTER.match(text)
    if not match:
        return {}
    fields: dict[str, Any] = {}
    for line in match[1].splitlines():
        field = _FIELD.fullmatch(line)
        if field and field[2].strip():
            value = field[2].strip()
            if value.startswith("[") and value.endswith("]"):
                fields[field[1]] = [_bare(v) for v in value[1:-1].split(",") if v.strip()]
            else:
                fields[field[1]] = _bare(value)
    return fields


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _title(text: str, fields: Mapping[str, Any], stem: str, suffix: str) -> str:
    if isinstance(fields.get("title"), str):
        return str(fields["title"])
    if suffix in _MARKDOWN:
        heading = _TITLE.search(text, 0, 4000)
        if heading:
            return heading[1].rstrip().rstrip("#").rstrip()
    return stem


def _date(fields: Mapping[str, Any]) -> datetime | None:
    for name in ("date", "created", "updated"):
        if name in fields:
            try:
                return parse_date(fields[name])
            except ValueError:
                continue
    return None
