"""Pages as Markdown that people read and edit, and back: ``parse(write(shown)) == shown``.

    ---
    title: Retry policy
    summary: We retry three times.
    tags:
      - decision
    related:
      - "[[billing/invoices/due-dates]]"
    id: billing/retries/retry-policy
    ---

    Whatever people write besides.

    ## Decided

    - **retries**: We retry three times. (3 Nov 2026) <!-- fact {id: r-1a2b3c, type: decision} -->

    ## Facts

    ## Snippets

    ## Earlier

A fact is one item of a list, under the heading of its type (:data:`SECTIONS`). Behind it stand the
day from which it is known, and a comment that says what cannot be seen, as far as it is not as
usual. Lines of an item that follow are indented. What a line could not hold (a carriage
return, blanks at either end) is written as ``&#13;``. Everything that is none of this is notes, and
kept as it stands, so that nothing that a person writes is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from recollect.facts import Fact, FactFilter, FactType, Participant, Standing
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import NO_META, UNIVERSAL, attributes, listed, not_among, not_none
from recollect.text.dates import parse_date
from recollect.text.frontmatter import flow, split
from recollect.text.unicode import clean
from recollect.tree.names import link_target
from recollect.tree.page import Snippet, TopicPage, arranged, cleaned


class BrokenPage(ValueError):
    """A file that cannot be read as a page, and from which line on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class FactItem(NamedTuple):
    """A fact as a page shows it."""

    text: str
    id: str = ""
    """Empty if a person has added it."""
    name: str = ""
    type: FactType = "fact"
    aliases: tuple[str, ...] = ()
    pinned: bool = False
    standing: Standing = "active"
    scopes: tuple[str, ...] | None = None
    """None if they are those of the page."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    resolved_at: datetime | None = None
    superseded_by: tuple[str, ...] = ()
    participants: tuple[Participant, ...] = ()
    why: str = ""
    created_at: datetime | None = None
    ended: datetime | None = None
    """When something else took its place."""
    line: int = 0
    """Where it begins in the file."""


class ParsedPage(NamedTuple):
    """What a file says: a page and its facts."""

    id: str = ""
    """The address it was written for."""
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """The targets of its links."""
    scopes: tuple[str, ...] = (UNIVERSAL,)
    created_at: datetime | None = None
    updated_at: datetime | None = None
    notes: str = ""
    facts: tuple[FactItem, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    earlier: tuple[FactItem, ...] = ()
    """Facts that no longer hold."""

    @property
    def items(self) -> tuple[FactItem, ...]:
        return self.facts + self.earlier


def render(
    page: TopicPage,
    facts: Iterable[Fact],
    files: Mapping[str, str] = NO_META,
    now: datetime | None = None,
) -> str:
    """The page as a file; *files* are the paths of pages, where they are not their addresses."""
    return write(shown(page, facts, files, now))


def shown(
    page: TopicPage,
    facts: Iterable[Fact],
    files: Mapping[str, str] = NO_META,
    now: datetime | None = None,
) -> ParsedPage:
    """What a file shows of the page and its facts."""
    page = cleaned(page)
    asked = FactFilter(page.owner, now=now)
    some = [(f, _item(f, page)) for f in arranged(page, facts) if f.text.strip()]
    return ParsedPage(
        id=page.address,
        title=page.title,
        summary=page.summary,
        tags=page.tags,
        keywords=page.keywords,
        related=tuple(link_target(files.get(address, address)) for address in page.related),
        scopes=page.scopes,
        created_at=_to_the_second(page.created_at),
        updated_at=_to_the_second(page.updated_at),
        notes=page.notes,
        facts=_by_section(item for fact, item in some if not asked.out_of_force(fact)),
        snippets=page.snippets,
        earlier=tuple(item for fact, item in some if asked.out_of_force(fact)),
    )


def _item(fact: Fact, page: TopicPage) -> FactItem:
    same = attributes(fact, _SAME)
    scopes = tuple(sorted(fact.scopes))
    return FactItem(
        **same,
        scopes=None if scopes == page.scopes else scopes,
        created_at=_to_the_second(fact.created_at),
        ended=_to_the_second(fact.ended),
    )


SECTIONS: Mapping[str, tuple[FactType, ...]] = {
    "Decided": ("decision",),
    "Preferences": ("preference",),
    "Facts": ("fact", "entity", "relation", "expertise"),
    "To do": ("task",),
    "Open questions": ("open_question",),
}
"""The headings of a page, and the types of the facts below each."""
_PLACES = {type: n for n, types in enumerate(SECTIONS.values()) for type in types}


def _by_section(items: Iterable[FactItem]) -> tuple[FactItem, ...]:
    return tuple(sorted(items, key=lambda item: _PLACES.get(item.type, len(SECTIONS))))


def _to_the_second(moment: datetime | None) -> datetime | None:
    """When something was made is shown for people; nobody changes it in a file."""
    return moment and moment.replace(microsecond=0)


_SAME = tuple(
    "text id name type aliases pinned standing valid_from valid_to resolved_at superseded_by "
    "participants why".split()
)


# ------------------------------------------------------------------ writing

_TITLES = "|".join((*SECTIONS, "Snippets", "Earlier"))
_SECTION = re.compile(rf"## ({_TITLES})[ \t]*", re.IGNORECASE)
_ESCAPED_SECTION = re.compile(rf"^(\\*## (?:{_TITLES})[ \t]*)$", re.I | re.M)
_DAY = r"\d\d? [A-Z][a-z]{2} \d{4}"
_DATED = re.compile(rf"[ \t]*\({_DAY}(?: to {_DAY})?\)$")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_AMPERSAND = re.compile(r"&(?=(?:amp;)*#\d+;)")
_REFERENCE = re.compile(r"&((?:amp;)*)#(\d{1,7});")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORDS = frozenset("true false null yes no on off y n".split())
_PLAIN = re.compile(r"[^\W\d_](?:[^\x00-\x1f:#]|:(?! |$)|(?<! )#)*")
_PLAIN_IN_BRACKETS = re.compile(r"[^\W\d_][\w./@+ -]*")
_BACKTICKS = re.compile(r"`+")
_STARRED = re.compile(r"\\*\*\*")
_COMMENT = "<!-- fact {"


def write(page: ParsedPage) -> str:
    """The page as a file."""
    parts = (
        "\n".join(["---", *_header(page), "---"]),
        _ESCAPED_SECTION.sub(r"\\\1", page.notes),
        *_sections(page.facts),
        _section("Snippets", map(_fenced, page.snippets)),
        _section("Earlier", ["\n".join(map(_listed, page.earlier))]),
    )
    return "\n\n".join(filter(None, parts)) + "\n"


def _sections(items: Sequence[FactItem]) -> Iterator[str]:
    """The facts below their headings, in their order."""
    for place, some in groupby(items, lambda item: _PLACES.get(item.type, _PLACES["fact"])):
        yield _section([*SECTIONS][place], ["\n".join(map(_listed, some))])


def _section(title: str, parts: Iterable[str]) -> str:
    """Returns a section of the page; nothing without any part."""
    inside = "\n\n".join(parts)
    return f"## {title}\n\n{inside}" if inside else ""


def _header(page: ParsedPage) -> Iterator[str]:
    yield f"title: {_value(page.title)}"
    if page.summary:
        yield f"summary: {_value(page.summary)}"
    for name in ("tags", "keywords"):
        yield from _list(name, getattr(page, name))
    yield from _list("related", [f"[[{target}]]" for target in page.related])
    if page.scopes != (UNIVERSAL,):
        yield from _list("scopes", page.scopes)
    dates = not_none({"created": page.created_at, "updated": page.updated_at})
    yield from (f"{name}: {_moment(date)}" for name, date in dates.items())
    if page.id:
        yield f"id: {_value(page.id)}"


def _list(name: str, values: Sequence[str]) -> Iterator[str]:
    if values:
        yield f"{name}:"
        yield from (f"  - {_value(value)}" for value in values)


def _value(text: str, plain: re.Pattern[str] = _PLAIN) -> str:
    """A text as YAML has it: bare where it can be, else in quotes."""
    if (
        plain.fullmatch(text)
        and text.isprintable()
        and text == text.strip()
        and text.lower() not in _WORDS
    ):
        return text
    quoted = json.dumps(clean(text), ensure_ascii=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


_UNSEEN = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff]")


def _listed(item: FactItem) -> str:
    """A fact as an item of a list."""
    said = _escaped(item.text)
    if item.name:
        name = re.sub(r"[\\*]|:$", r"\\\g<0>", _escaped(item.name).replace("\n", "&#10;"))
        said = f"**{name}**: {said}"
    elif _STARRED.match(said):
        said = f"\\{said}"
    first, *others = said.split("\n")
    lines = [f"- {first}", *(f"  {line}" if line else "" for line in others)]
    return "\n".join(lines) + f"{_dated(item)} <!-- fact {{{_about(item)}}} -->"


def _dated(item: FactItem) -> str:
    """From which day a fact is known, and until which it held, as people write it."""
    days = [_day(one) for one in (item.created_at, item.created_at and item.ended) if one]
    return f" ({' to '.join(days)})" if days else ""


def _day(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year:04d}"


def _escaped(text: str) -> str:
    """Escapes a text so that the parser returns it unchanged from between its delimiters."""
    text = _CONTROL.sub(_reference, _AMPERSAND.sub("&amp;", clean(text)))
    if text[:1].isspace():
        text = _reference(text[0]) + text[1:]
    if text[-1:].isspace():
        text = text[:-1] + _reference(text[-1])
    return text


def _reference(char: str | re.Match[str]) -> str:
    return f"&#{ord(char if isinstance(char, str) else char[0])};"


def _unescaped(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        if match[1]:
            return f"&{match[1][4:]}#{match[2]};"
        code = int(match[2])
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]

    return _REFERENCE.sub(char, text)


def _about(item: FactItem) -> str:
    """What cannot be seen of a fact, in the words that :data:`_READERS` reads."""
    values = item._asdict()
    told = {name: field for name, field in _TOLD.items() if values[field] != _USUAL[field]}
    written = (f"{name}: {_WRITERS[field](values[field])}" for name, field in told.items())
    return ", ".join(written)


_USUAL = FactItem._field_defaults
_TOLD = {
    "id": "id",
    "type": "type",
    "aliases": "aliases",
    "pinned": "pinned",
    "standing": "standing",
    "scopes": "scopes",
    "from": "valid_from",
    "to": "valid_to",
    "resolved": "resolved_at",
    "superseded_by": "superseded_by",
    "participants": "participants",
    "why": "why",
    "created": "created_at",
    "ended": "ended",
}
"""The words of a comment, and the fields that they tell where these are not as usual."""


def _all_participants(some: Iterable[Participant]) -> str:
    said = (f"{{id: {_bracketed(one.id)}, role: {_bracketed(one.role)}}}" for one in some)
    return f"[{', '.join(said)}]"


def _truth_word(value: bool) -> str:
    return str(value).lower()


def _moment(moment: datetime) -> str:
    """A moment as people write it: midnight is the day."""
    return (iso(moment) or "").removesuffix("T00:00:00Z")


def _all_bracketed(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_bracketed, texts))}]"


def _bracketed(text: str) -> str:
    """A text inside brackets inside a comment, neither of which it can end."""
    value = _value(text, _PLAIN_IN_BRACKETS)
    return value.replace("<", "\\u003c").replace(">", "\\u003e")


_WRITERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("id", "why"), _bracketed),
    **dict.fromkeys(("type", "standing"), str),
    **dict.fromkeys(("aliases", "scopes", "superseded_by"), _all_bracketed),
    **dict.fromkeys(("valid_from", "valid_to", "resolved_at", "created_at", "ended"), _moment),
    "pinned": _truth_word,
    "participants": _all_participants,
}


def _fenced(snippet: Snippet) -> str:
    longest = max(map(len, _BACKTICKS.findall(snippet.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{snippet.language}\n{snippet.text}\n{fence}"


# ------------------------------------------------------------------ reading

_ITEMS: Mapping[str, FactType] = {
    **{title.lower(): types[0] for title, types in SECTIONS.items()},
    "earlier": "fact",
}
"""The sections that hold facts, and what is added there by hand."""
_BULLET = re.compile(r"[-*+][ \t]+")
_NAME = re.compile(r"\*\*((?:[^*\\]|\\.)+?)(?:\*\*:|:\*\*)(?:[ \t]+|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(.*)")
_HEADING = re.compile(r"#{1,2}[ \t]")
_NO_PARAGRAPH = re.compile(r"#{1,6}[ \t]| {0,3}(?:```|~~~|>)|[-*+][ \t]")
_LINK = re.compile(r"!?\[\[(.*)\]\]", re.DOTALL)


def parse(text: str) -> ParsedPage:
    """What a file says. Raises BrokenPage."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    fields, body = split(text)
    if not body and re.match(r"---[ \t]*\n", text):
        raise BrokenPage(1, "the header does not end; it is closed by a line of `---`")
    before = text.count("\n", 0, body)
    found = _Body(text[body:].split("\n"), before)
    found.read()
    try:
        created, updated = (_date(fields.get(name)) for name in ("created", "updated"))
    except ValueError as error:
        raise BrokenPage(1, f"the header: {error}") from None
    notes = (some for some in found.notes if any(map(str.strip, some)))
    related = (_LINK.fullmatch(target.strip()) for target in _texts(fields.get("related")))
    return ParsedPage(
        id=_string(fields.get("id")),
        title=_string(fields.get("title")),
        summary=_string(fields.get("summary")),
        tags=tuple(_texts(fields.get("tags"))),
        keywords=tuple(_texts(fields.get("keywords"))),
        related=tuple(match[1] for match in related if match),
        scopes=tuple(sorted(set(_texts(fields.get("scopes"))))) or (UNIVERSAL,),
        created_at=created,
        updated_at=updated,
        notes="\n\n".join("\n".join(some).strip("\n") for some in notes),
        facts=tuple(found.facts),
        snippets=tuple(found.snippets),
        earlier=tuple(found.earlier),
    )


class _Body:
    """The lines below the header, taken one after the other."""

    def __init__(self, lines: list[str], before: int) -> None:
        self._lines = lines
        self._before = before
        self._at = 0
        self.notes: list[list[str]] = [[]]
        self.facts: list[FactItem] = []
        self.earlier: list[FactItem] = []
        self.snippets: list[Snippet] = []

    def read(self) -> None:
        section = ""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            named = _SECTION.fullmatch(line)
            if named:
                section = named[1].lower()
                self._at += 1
                self.notes.append([])
            elif section in _ITEMS and _BULLET.match(line):
                found = self.earlier if section == "earlier" else self.facts
                found.append(self._item(_ITEMS[section]))
            elif section == "snippets" and _FENCE.fullmatch(line):
                self.snippets.append(self._snippet())
            else:
                if section and _HEADING.match(line):
                    section = ""
                self.notes[-1].append(line[1:] if _is_escaped(line) else line)
                self._at += 1

    def _item(self, type: FactType) -> FactItem:
        """The fact that begins on this line; one that a person has added is of this *type*."""
        start = self._at
        lines = [_BULLET.sub("", self._lines[start], count=1)]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line[:1] in (" ", "\t") or not line:
                lines.append(_unindented(line))
            elif lines[-1].strip() and _COMMENT not in lines[-1] and not _NO_PARAGRAPH.match(line):
                lines.append(line)  # as Markdown has it, still the same paragraph
            else:
                break
            self._at += 1
        found = _item_of(lines, start + 1 + self._before)
        return found if found.id or found.type != "fact" else found._replace(type=type)

    def _snippet(self) -> Snippet:
        start = self._at
        opened = _FENCE.fullmatch(self._lines[start])
        assert opened is not None
        for at in range(start + 1, len(self._lines)):
            bare = self._lines[at].strip()
            if bare.startswith(opened[1]) and not bare.strip(opened[1][0]):
                self._at = at + 1
                return Snippet("\n".join(self._lines[start + 1 : at]), opened[2].strip())
        raise BrokenPage(start + 1 + self._before, "a block of code that does not end")


def _is_escaped(line: str) -> bool:
    return line.startswith("\\") and _ESCAPED_SECTION.fullmatch(line) is not None


def _unindented(line: str) -> str:
    if line.startswith("  "):
        return line[2:]
    return line[1:] if line.startswith("\t") else line.lstrip(" ")


def _item_of(lines: list[str], number: int) -> FactItem:
    """A fact from the lines of its item; the comment may stand at the end of any of them."""
    about = _taken_comment(lines, number)
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    name = _NAME.match(lines[0])
    if name:
        lines[0] = lines[0][name.end() :]
    elif _STARRED.match(lines[0]):
        lines[0] = lines[0].removeprefix("\\")
    text = _unescaped("\n".join(lines))
    if not text.strip():
        raise BrokenPage(number, "a fact that says nothing")
    called = _unescaped(re.sub(r"\\([\\*:])", r"\1", name[1])) if name else ""
    try:
        told = {key: _READERS[key] for key in _READERS if about.get(key) is not None}
        read = {field: reader(about[key]) for key, (field, reader) in told.items()}
    except (TypeError, ValueError) as error:
        raise BrokenPage(number, f"the comment of a fact: {error}") from None
    return FactItem(text, name=called, line=number, **read)


def _taken_comment(lines: list[str], number: int) -> Mapping[str, Any]:
    """Takes the last comment out of the lines; returns what it says."""
    for at in range(len(lines) - 1, -1, -1):
        begins = lines[at].rfind(_COMMENT)
        if begins >= 0 and lines[at].rstrip().endswith("-->"):
            about = _read_comment(lines[at][begins:].rstrip(), number + at)
            said = lines[at][:begins].rstrip(" \t")
            lines[at] = _DATED.sub("", said) if about.get("created") else said
            return about
    return {}


def _read_comment(comment: str, number: int) -> Mapping[str, Any]:
    try:
        about = flow(comment.removeprefix("<!-- fact ").removesuffix("-->").rstrip())
    except ValueError:
        about = None
    if not isinstance(about, dict):
        said = "the comment of a fact cannot be read; it is `<!-- fact {id: …, type: …} -->`"
        raise BrokenPage(number, said)
    for key in not_among(about, _READERS):
        said = f"the comment of a fact has no {key!r}; there are {', '.join(_READERS)}"
        raise BrokenPage(number, said)
    return about


def _string(value: Any) -> str:
    if value is None or isinstance(value, list | dict):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _texts(value: Any) -> list[str]:
    """The texts of a list, or of one that stands alone."""
    return list(filter(None, map(_string, listed(value))))


def _tuple(value: Any) -> tuple[str, ...]:
    return tuple(_texts(value))


def _date(value: Any) -> datetime | None:
    return None if value is None or value == "" else parse_date(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is not true or false")
    return value


def _participants(value: Any) -> tuple[Participant, ...]:
    found = []
    for one in listed(value):
        told = one if isinstance(one, dict) else {"id": one}
        if not _string(told.get("id")):
            raise ValueError(f"{one!r} is no participant")
        found.append(Participant(_string(told["id"]), _string(told.get("role"))))
    return tuple(found)


_READERS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "id": ("id", _string),
    "type": ("type", _string),
    "aliases": ("aliases", _tuple),
    "pinned": ("pinned", _truth),
    "standing": ("standing", _string),
    "scopes": ("scopes", lambda value: tuple(sorted(set(_texts(value))))),
    "from": ("valid_from", _date),
    "to": ("valid_to", _date),
    "resolved": ("resolved_at", _date),
    "superseded_by": ("superseded_by", _tuple),
    "participants": ("participants", _participants),
    "why": ("why", _string),
    "created": ("created_at", _date),
    "ended": ("ended", _date),
}
"""The words of a comment, what each is of a fact, and how it is read."""
