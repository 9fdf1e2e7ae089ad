"""Decision records, as MADR and Nygard write them: what was decided, when, by whom, and which
record took the place of which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from recollect.nouns import Document
from recollect.sources.files import FileText
from recollect.sources.memories import (
    NUMBERED,
    Destination,
    MemoryPage,
    base,
    first_text,
    from_name,
    listed,
    page_of,
    section,
    title_in,
)
from recollect.sources.values import nonempty

_FIELD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?\**(status|date|deciders|decision[- ]makers)\**[ \t]*:\**[ \t]*(\S.*)",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"proposed|draft|accepted|approved|rejected|deprecated|super[sc]eded|withdrawn|obsolete",
    re.IGNORECASE,
)
_OLDER = re.compile(r"\b(?:super[sc]edes|replaces)\b", re.IGNORECASE)
_NEWER = re.compile(r"\b(?:super[sc]eded|replaced)[ \t]+by\b", re.IGNORECASE)
_LINKED = re.compile(f"{_OLDER.pattern}|{_NEWER.pattern}", re.IGNORECASE)
_NUMBER = re.compile(
    r"\bADR[-_ #]*(\d{1,5})\b|\((?:[^()\s]*/)?(?:adr[-_])?(\d{1,5})[-_][^()\s]*\)|\[(\d{1,5})\b"
    r"|^\W*(\d{1,5})(?:[-_].*)?\W*$",
    re.IGNORECASE,
)


def adr(read: FileText, source: str, owner: str, scopes: tuple[str, ...]) -> Document:
    """A decision record; ``supersedes`` and ``superseded_by`` are the numbers of others."""
    page = page_of(read)
    told = _told(page)
    numbered = NUMBERED.fullmatch(page.path.stem)
    number = int(numbered[1]) if numbered else 0
    status = [str(told.get("status", "")), *section(page.lines, "status")]
    status = [re.sub(r"~~.*?~~", "", line) for line in status]
    linked = [line for line in page.lines if _LINKED.match(_bare(line))]
    newer = _numbers(_NEWER, status + linked, page.fields, "superseded_by", "superseded-by")
    meta = nonempty(
        format="adr",
        number=number,
        status="superseded" if newer else _status(status),
        date=str(told.get("date", "")),
        deciders=listed(told.get("deciders")),
        supersedes=_numbers(_OLDER, status + linked, page.fields, "supersedes", "replaces"),
        superseded_by=newer,
    )
    title = first_text(page.fields, "title") or title_in(page.body)
    return base(read, {**page.fields, **told}, Destination(source, owner, scopes))._replace(
        kind="decision",
        title=_without_number(title, number) or _without_number(from_name(page.path), number),
        meta={**page.fields, **meta},
    )


def _told(page: MemoryPage) -> dict[str, Any]:
    """Status, date and deciders, from the header or else from lines such as ``* Status: …``."""
    told: dict[str, Any] = {}
    for line in page.lines:
        if field := _FIELD.fullmatch(line):
            told.setdefault(_field_name(field[1]), field[2].rstrip(" *"))
    return told | {_field_name(k): v for k, v in page.fields.items() if v}


def _status(lines: Iterable[str]) -> str:
    """Returns the status of a decision: a known word, else the first words of the record."""
    said = [_bare(line).strip().lower() for line in lines]
    known = next(filter(None, map(_STATUS.search, said)), None)
    return known[0].replace("superc", "supers") if known else next(filter(None, said), "")[:80]


def _field_name(name: str) -> str:
    plain = name.lower().replace("-", " ").replace("_", " ")
    return "deciders" if plain == "decision makers" else plain


def _bare(line: str) -> str:
    return line.lstrip(" \t>*+-_")


def _numbers(
    words: re.Pattern[str], lines: Iterable[str], fields: Mapping[str, Any], *names: str
) -> list[int]:
    """Returns the numbers of decisions that follow *words*, or stand in a field of the header."""
    said = [line[found.end() :] for line in lines if (found := words.search(line))]
    said += chain.from_iterable(listed(fields.get(name)) for name in names)
    numbers = chain.from_iterable(map(_NUMBER.findall, said))
    return list(dict.fromkeys(int("".join(groups)) for groups in numbers))


def _without_number(title: str, number: int) -> str:
    """Returns the title without the number of its file before it."""
    return re.sub(rf"^(?:ADR[-_ #]*)?0*{number}\b[ \t]*[-–—.:)]*[ \t]*", "", title, flags=re.I)
