"""Files as documents: title, date and kind from what the file says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.nouns import Document, not_among
from recollect.sources import formats
from recollect.sources.files import FoundFile
from recollect.sources.values import listed
from recollect.text import stated
from recollect.text.frontmatter import MARKDOWN, split, tags, wikilinks

_TITLE = re.compile(r"^\ufeff? {0,3}#[ \t]+(\S.*)$", re.MULTILINE)
_DATE = re.compile(
    r"^[ *_>(-]*(?:date|datum|fecha|stand|(?:last )?updated|valid from|as of)[*_]*:?[*_ \t]+"
    r"([^\n]{4,40}?)[ *_).]*$",
    re.I | re.MULTILINE,
)
_FIRST = re.compile(r"\s*(?:#[ \t][^\n]*\n\s*)?[*_>(\s]*([^\n]*)")
"""The first line of a note below its heading."""
HEAD = 400
"""Characters at the beginning of a note in which a line may say its date."""


def document(
    file: FoundFile, content: formats.Content, source: str, owner: str, scopes: tuple[str, ...]
) -> Document:
    """The whole text is the document's, frontmatter included: nothing is lost."""
    is_markdown = file.path.suffix.lower() in MARKDOWN
    fields = _fields(content.text) if is_markdown else _plain_fields(content)
    title = _title(content, fields, is_markdown) or file.path.stem
    said = stated.own(fields, title, file.relative)
    return Document(
        external=file.relative,
        source=source,
        text=content.text,
        kind=content.kind,
        title=title,
        path=file.relative,
        date=said or datetime.fromtimestamp(file.modified / 1e9, UTC),
        owner=owner,
        scopes=scopes,
        meta=fields,
    )


def _fields(text: str) -> dict[str, Any]:
    """What the header says, and what the note links to and is tagged with."""
    header, start = split(text)
    fields = dict(header)
    if "date" not in fields and (date := _date(text, start)):
        fields["date"] = date
    if links := wikilinks(text):
        fields.setdefault("links", list(links))
    if found := tags(text):
        known = listed(fields.get("tags", []))
        fields["tags"] = [*known, *not_among(found, known)]
    return fields


def _plain_fields(content: formats.Content) -> dict[str, Any]:
    """What a reader says of a file; of a note without markup also the date that its head says."""
    fields = dict(content.meta)
    if content.kind == "note" and "date" not in fields and (date := _date(content.text, 0)):
        fields["date"] = date
    return fields


def _date(text: str, start: int) -> str:
    """Returns the date that the head of a note says: in a line ``Date: …``, or that with which its
    first line begins. Empty if there is none."""
    said = _DATE.search(text, 0, HEAD)
    if said and stated.own({"date": said[1]}, "", ""):
        return said[1].strip(" *_\r")
    first = _FIRST.match(text, start)
    return stated.leading(first[1].rstrip()) if first else ""


def _title(content: formats.Content, fields: Mapping[str, Any], is_markdown: bool) -> str:
    given = fields.get("title")
    if isinstance(given, str | int | float) and str(given).strip():
        return str(given).strip()
    if is_markdown:
        heading = _TITLE.search(content.text, 0, 4000)
        if heading:
            return heading[1].rstrip().rstrip("#").rstrip()
    return content.title
