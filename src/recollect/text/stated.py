"""The date of a statement, and what says it.

    text      the sentence itself, or the line that it stands in: "3 Nov 2026: …", "since 3 Nov
              2026 …", "3 Nov: …"
    heading   the nearest heading above it that has one: "## 2026-11-03", "## 3 November"
    header    the header of its file: ``date: 2026-11-03``
    title     the title of its document
    name      the name of its file: ``2026-11-03-limits.md``
    commit    the commit that changed its file last
    session   the turn of a session that it was said in, else the session
    record    what else its source says of it
    file      the mtime of its file, which may be that of a copy: no date that was said gives way
              to it

The first that is there counts. A day without a year is of the year that a heading above it, the
title or the path names, else of that in which its document was written. All of it can be told from
what a store keeps, so that a store which was made before these rules has them, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import PAGE, TREE, Document, StoredPassage
from recollect.text.dates import parse_date
from recollect.text.headings import HEADING, headings
from recollect.text.sentences import units
from recollect.text.support import tables
from recollect.text.terms import fold, stems

_YEAR = r"((?:19|20)\d\d)"
_WORD = r"([^\W\d_]{3,10})"
_ON = "|".join(rf"(?<=\b{word}\ )" for word in ("am", "vom", "seit", "ab", "dem", "stand"))
"""What stands before a day that has only the end of its year: "am 3.11.26"; a version looks like
it."""
_DATE = re.compile(
    rf"""(?<![\w./-])(?:
      {_YEAR}([-/.])(\d\d?)\2(\d\d?) | {_YEAR}[-/](\d\d) | {_YEAR}年(\d\d?)月(?:(\d\d?)日)?
    | (\d\d?)\.\ ?(\d\d?)\.\ ?{_YEAR}
    | (\d\d?)(?:st|nd|rd|th|er|º|\.)?\ (?:of\ |de\ )?{_WORD}\.?,?\ (?:de\ |del\ )?{_YEAR}
    | {_WORD}\.?\ (?:(\d\d?)(?:st|nd|rd|th)?,?\ |de\ |del\ )?{_YEAR}
    | (?i:{_ON})(\d\d?)\.\ ?(\d\d?)\.\ ?(\d\d) | (Q[1-4])[ /-]{_YEAR} | {_YEAR}[ /-](Q[1-4])
    )(?!(?!_)[\w/-]|\.\d)""",
    re.VERBOSE,
)
_PLACES = (
    (1, 3, 4),
    (5, 6, 4),
    (7, 8, 9),
    (12, 11, 10),
    (15, 14, 13),
    (18, 16, 17),
    (21, 20, 19),
    (23, 22, 4),
    (24, 25, 4),
)
"""The groups of year, month and day in each form; those without a day have that of another form,
which is empty then."""
_CENTURY = 2000
"""That of a year of which only the end is written."""
_NTH = r"(\d\d?)(?:st|nd|rd|th|er|º|\.)?"
_DAY = re.compile(
    rf"""(?<![\w./-])(?:{_NTH}\ (?:of\ |de\ )?(?!may\b){_WORD} | (?!may\b){_WORD}\.?\ {_NTH})
    (?![\w/-]|\.?,?\ (?:de\ |del\ )?(?:19|20)\d\d\b)""",
    re.VERBOSE,
)
"""A day and its month without a year; "may" is a verb."""
_TO_DAY = re.compile(
    r"(?<![\d.])\d\d?(?:st|nd|rd|th|\.)?\s?(?:[-–/&+]|to|and|bis|und|[yae]|et|au)\s?\Z"
)
"""What stands before the last of several days: "14 to 16 July"."""
_NUMBERS = re.compile(r"(\d\d?)\.(?:(0[1-9])\.|(1[0-2]|[1-9])\.(?=[*_)]*\s*(?:[:–—|]|\Z)))(?!\d)")
"""The same in numbers at the beginning of a line; "3.2. Pumps" is a section."""
_ALONE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d|[/–-]\d\d(?![\d/.-]))")
"""A year that is no span of two."""
_TIME = r"(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)"
_NAME = re.compile(
    rf"(?<!\d)((?:19|20)\d\d)(?:([-_/.])(\d\d)(?:\2(\d\d))?|()(\d\d)(\d\d){_TIME}?)(?!\d)"
)
_FROM = re.compile(
    r"(?:\b(?:since|as of|from|effective|starting|seit|ab|desde|a partir de|depuis|à partir du?"
    r"|начиная с)"
    r"|^\W*(?:updated?|edit|stand|nachtrag|aktualisier\w+|actualiza\w+|mise à jour|maj|обновлен\w+)"
    r"\W*(?:of|on|from|vom|am|de|du|del|el|le|от)?"
    r"|^(?:\W|\d+[.)]\s)*(?:on|in|am|im|vom|le|el|en|с|со)?)\s*\(?(?:the |dem |el |le )?\Z",
    re.IGNORECASE,
)
"""What stands before the date from which on a sentence holds: another is that of a deadline."""
_UNTIL = re.compile(
    r"\b(?:until|till|through|by|before|due|deadline|expires?|ends?|bis|hasta|jusqu.{1,3})"
    r"[\s:]*(?:on |the |zum |el )?\Z",
    re.IGNORECASE,
)
"""What stands before a deadline."""
_AFTER = re.compile(r"[*_)\]]*\s*(?:[·•|–—]|\Z)|\.\s")
"""What stands behind a date that a line of its own begins with."""
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|\Z)|`[^`\n]+`", re.MULTILINE)
"""Code between fences, and in a line."""
_IS_MARKED = re.compile("[`~]")
_ITEM = re.compile(r"\n\s*(?:[-*+•–]|\d{1,3}[.)])\s+\S")
"""Another item of a list: what holds since a day in one of them does so for that one."""
_MARKS = " \t-*+•>_(["
_APART = re.compile(r"[*_)\]]*\s*(?:[:·•|–—]|-\s|\Z)|[*_]{2}\s")
"""What stands behind a day without a year that a line of a log begins with, or that it is bold."""
_JOINT = re.compile(r"[*_)\]]*\s*(?:[:·•|–—,-]\s*)*")
"""What joins the date that a line begins with to what it says."""
_MTIME = re.compile(r"(\d{15,20}):\d+\b")
AHEAD = timedelta(days=92)
"""How far a day without a year may be ahead of what names it: most tell of what was."""
WRITTEN = ("date", "created", "updated")
"""Fields of a note's header that say when it was written, first that which counts."""
KEPT_UP = tuple("updatedAt updated updated_at modified date createdAt created created_at".split())
"""The same of a memory, which is kept up to date."""


class Written(NamedTuple):
    """A date in a text, and where it stands; of a month its first day, of several days the last."""

    date: datetime
    start: int
    is_day: bool = True


class YearlessDay(NamedTuple):
    """A day and its month in a text, and where they stand; for a word that is no month it is 0."""

    month: int
    day: int
    start: int


class Stated(NamedTuple):
    """A date, and what says it."""

    date: datetime | None
    by: str = ""


def written(text: str, near: datetime | None = None) -> list[Written]:
    """Returns the dates in a text that name a year and a month, in order; those without a year as
    well, where there is a date that they are *near*."""
    found = [(_date_in(match), match.start(), _names_day(match)) for match in _DATE.finditer(text)]
    if near:
        found += [(_latest(day, near + AHEAD), day.start, True) for day in _days_in(text)]
        found.sort(key=lambda one: one[1])
    return [
        Written(date, start, is_day and not _TO_DAY.search(text[max(0, start - 12) : start]))
        for date, start, is_day in found
        if date
    ]


def _date_in(match: re.Match[str]) -> datetime | None:
    year, month, day = _places(match)
    written = int(match[year])
    whole = written if len(match[year]) > 2 else _CENTURY + written
    return _made(whole, _month(match[month]), int(match[day] or 1))


def _names_day(match: re.Match[str]) -> bool:
    return bool(match[_places(match)[2]])


def _places(match: re.Match[str]) -> tuple[int, int, int]:
    return next(places for places in _PLACES if match[places[0]])


def _month(said: str) -> int:
    """Returns the number of a month by its number or its name, or of the first of a quarter."""
    if said[-1].isdigit():
        return int(said) if said.isdigit() else 3 * int(said[-1]) - 2
    return tables.month_number(fold(said))


def _days_in(text: str) -> Iterator[YearlessDay]:
    at = 0
    while match := _DAY.search(text, at):
        day = _day_in(match)
        yield from (day,) if day.month else ()
        at = match.end() if day.month else match.start() + 1  # "Thursday 1 October"


def _day_in(match: re.Match[str]) -> YearlessDay:
    first, named, name, second = match.groups()
    return YearlessDay(_month(named or name), int(first or second), match.start())


def _latest(day: YearlessDay, last: datetime) -> datetime | None:
    """Returns the latest such day that is not after another."""
    made = (_made(last.year - less, day.month, day.day) for less in (0, 1))
    return next((one for one in made if one and one <= last), None)


def _made(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


# ------------------------------------------------------------------ of a document


def own(
    fields: Mapping[str, Any], title: str, path: str, names: Sequence[str] = WRITTEN
) -> datetime | None:
    """Returns the date that a file says of itself; none where it says none. A deadline in a title,
    or a date there or in a name that is yet to come, is not that of its writing."""
    return next((one.date for one in _own(fields, title, path, names)), None)


def _own(
    fields: Mapping[str, Any], title: str, path: str, names: Sequence[str]
) -> Iterator[Stated]:
    said = (_parsed(fields[name]) for name in names if fields.get(name) not in (None, ""))
    yield from (Stated(date, "header") for date in said if date)
    known = datetime.now(UTC) + timedelta(days=1)
    titled = (one for one in written(title) if not _UNTIL.search(title[: one.start]))
    yield from (Stated(one.date, "title") for one in titled if one.date < known)
    named = reversed(list(_NAME.finditer(path)))
    dates = (_made(int(m[1]), int(m[3] or m[6]), int(m[4] or m[7] or 1)) for m in named)
    yield from (Stated(date, "name") for date in dates if date and date < known)


def leading(line: str) -> str:
    """Returns the date that a line begins with, if it is set apart from the rest: "2026-04-14 ·
    Sev 2"; else nothing."""
    date = _DATE.match(line)
    return date[0] if date and _AFTER.match(line, date.end()) and _date_in(date) else ""


def _parsed(value: Any) -> datetime | None:
    try:
        return parse_date(str(value))
    except ValueError:
        return next((one.date for one in written(str(value))), None)


def of_document(document: Document) -> Stated:
    """Returns the date of a document, as the store has it."""
    if document.kind == "session":
        return Stated(document.date, "session")
    said = list(_own(document.meta, document.title, document.path, (*WRITTEN, *KEPT_UP)))
    if document.date is None or is_mtime(document):
        return next(iter(said), Stated(document.date, "file" if document.date else ""))
    other = Stated(document.date, "commit" if document.meta.get("commit") else "record")
    return next((one for one in said if one.date == document.date), other)


def is_page(document: Document) -> bool:
    """Whether it is a page of facts: its date is that of the last change, and nobody knows since
    when what else is on it holds."""
    return (document.kind, document.source) == (PAGE, TREE)


def is_mtime(document: Document) -> bool:
    """Whether the date of a document is the mtime of its file, which its stamp begins with."""
    stamp = _MTIME.match(document.stamp)
    at = document.date.timestamp() if document.date else 0.0
    return stamp is not None and abs(int(stamp[1]) / 1e9 - at) < 0.001


# ------------------------------------------------------------------ of a sentence


def of_statement(stored: StoredPassage, start: int, end: int) -> Stated:
    """Returns the date of a part of a passage."""
    document, text = stored.document, without_code(stored.passage.text)
    if document.kind == "session":
        return Stated(stored.said, "session") if stored.said else of_document(document)
    begins = start
    for heading in HEADING.finditer(text, start, end):
        begins = heading.end() if not text[begins : heading.start()].strip() else begins
    begins = min(end, begins + len(text[begins:end]) - len(text[begins:end].lstrip()))
    said = "" if _ITEM.search(text, begins, end) else text[begins:end]
    for one in written(said):
        if _FROM.search(said[: one.start]):
            return Stated(one.date, "text")
    above = list(_headings(stored, begins))
    if date := _of_line(_line(text, begins, end), above, document):
        return Stated(date, "text")
    dates = (_of_heading(above[at:], document) for at in range(len(above)))
    date = next(filter(None, dates), None)
    return Stated(date, "heading") if date else of_document(document)


def of_words(some: Sequence[StoredPassage], words: Sequence[str]) -> Stated:
    """Returns the date of the sentence of these passages that has most of the words, which are
    stemmed."""
    asked = set(words)
    parts = [(one, *unit) for one in some for unit in units(one.passage.text)]

    def shared(part: tuple[StoredPassage, int, int]) -> int:
        stored, start, end = part
        return len(asked & stems(stored.passage.text[start:end]))

    best = max(parts, key=shared, default=None)
    return of_statement(*best) if best else of_document(some[0].document)


def undated(text: str) -> str:
    """Returns a statement without the day that it begins with, which is no part of what it says."""
    whole = _DATE.search(text)
    led = _FROM.search(text[: whole.start()]) if whole and _names_day(whole) else None
    if whole and led and not text[: led.start()].strip(_MARKS):
        return text[_end_of(whole, text) :]
    line = text.lstrip(_MARKS)
    day = _DAY.match(line)
    if day and not (_day_in(day).month and _APART.match(line, day.end())):
        day = None
    day = day or _NUMBERS.match(line)
    return line[_end_of(day, line) :] if day else text


def _end_of(date: re.Match[str], text: str) -> int:
    """Returns where a text goes on behind a date."""
    joint = _JOINT.match(text, date.end())
    return joint.end() if joint else date.end()


def without_code(text: str) -> str:
    """Returns a text with blanks in the place of code, which has no date of its own."""
    return (
        _CODE.sub(lambda code: re.sub(r"\S", " ", code[0]), text)
        if _IS_MARKED.search(text)
        else text
    )


def _line(text: str, start: int, end: int) -> str:
    """Returns the line in which a part of a text begins, without the mark of a list."""
    start = min(end, start + len(text[start:end]) - len(text[start:end].lstrip()))
    return text[text.rfind("\n", 0, start) + 1 : end].split("\n", 1)[0].lstrip(_MARKS)


def _of_line(line: str, above: Sequence[str], document: Document) -> datetime | None:
    """Returns the day that a line begins with; one without a year stands apart from the rest."""
    if whole := _DATE.match(line):
        return _date_in(whole) if _names_day(whole) else None
    named = _DAY.match(line)
    day = _day_in(named) if named and _APART.match(line, named.end()) else _in_numbers(line)
    return _of_year(day, above, document)


def _of_heading(above: Sequence[str], document: Document) -> datetime | None:
    """Returns the date in the first of the headings that a place stands under."""
    heading, *others = above
    whole = (one.date for one in written(heading))
    day = next(_days_in(heading), None) or _in_numbers(heading)
    return next(whole, None) or _of_year(day, others, document)


def _in_numbers(line: str) -> YearlessDay | None:
    day = _NUMBERS.match(line)
    return YearlessDay(int(day[2] or day[3]), int(day[1]), 0) if day else None


def _of_year(day: YearlessDay | None, above: Sequence[str], document: Document) -> datetime | None:
    """Returns a day of the year that the nearest heading above it names, the title or the path;
    else of that which its document says it is of, or the latest that its document has seen."""
    if day is None:
        return None
    years = (set(_ALONE.findall(text)) for text in (*above, document.title, document.path))
    named = next((int(some.pop()) for some in years if len(some) == 1), 0)
    date, by = of_document(document)
    if named or date is None:
        return _made(named, day.month, day.day)
    if by == "header":
        return _made(date.year, day.month, day.day)
    return _latest(day, date)


def _headings(stored: StoredPassage, at: int) -> Iterator[str]:
    """Yields the headings that a place stands under, nearest first, without the title."""
    title = stored.document.title
    above = headings(stored.passage.text, at)
    yield from (one for one in above if one.strip("# \t") != title)
    yield from (one for one in reversed(stored.passage.trail.split(" > ")) if one != title)
