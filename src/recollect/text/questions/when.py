"""Times in a question: "last March", "seit Dienstag", "between March 3 and March 9".

``window`` gives the stretch of time that a question limits itself to. A question that asks for a
time ("how many weeks ago did I …") is not limited by one, and these are no times here: a bare
year ("from 2005 to 2007"), a year long ago, words in quotes, versions, names of files and films
("Gangway For Tomorrow"), "recently". Days are those of the zone of ``now``; weeks begin on Monday.

What has no year is the latest one: "in March" is the last March that began, "on March 4" the last
March 4; "on Monday" and "last Monday" are the last one before today. "Last week" is the week
before this one; "the past week" and "the last 3 days" reach from then to the end of today. Some
time "ago" is that day, or the week, month or year it fell into and some days around it. Of several
times in one question the window has all; of "after March 3 and before June" it is what is between.

How it works: each word becomes one letter for its kind, and one regular expression over these
letters finds the times. The words are a table for each language; what may follow what is the same
for all. A question is read in the language that knows the most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

from recollect.nouns import Window
from recollect.text.questions.time_words import WORDS
from recollect.text.statements.cues import beginnings, cued
from recollect.text.terms import fold

_READ = 2000
"""Characters that are looked at: more is a pasted page and no question."""
_OWN = 10
"""Years from now in which a written year may be of somebody's own records; others are history."""


def window(text: str, now: datetime | None = None) -> Window | None:
    """The time that *text* limits itself to, or None; *now* is this moment, if none is given.
    Never raises."""
    text = text[:_READ]
    times = _times(text)
    if not times:
        return None
    now = now or datetime.now().astimezone()
    zone = now.tzinfo or UTC
    spans: list[tuple[_Time, _Span]] = []
    for found in times:
        try:
            here = _resolved(found, now.replace(tzinfo=None))
            span = _Span(*(edge and edge.replace(tzinfo=zone).astimezone(UTC) for edge in here))
        except (ValueError, OverflowError):  # February 30, another century, out of the calendar
            continue
        spans.append((found, span))
    if not spans:
        return None
    since, until = _joined([span for _, span in spans])
    if not (since or until) or (since and until and since >= until):
        return None
    return Window(since, until, text[spans[0][0].start : spans[-1][0].end])


def vague(text: str) -> str:
    """The words of a time that names no date ("before the migration"), or "" if there is none."""
    text = text[:_READ]
    chinese = _is_chinese(text)
    if not chinese and beginnings(text.lower()).isdisjoint(cued(OPENING_CUES)):
        return ""
    openings = _openings(chinese).finditer(text)
    found = [(opening.start(), _clause_end(text, opening)) for opening in openings]
    dated = _times(text) if any(end for _, end in found) else []
    for start, end in found:
        if end and not any(time.start < end and start < time.end for time in dated):
            return text[start:end]
    return ""


class _Span(NamedTuple):
    since: datetime | None
    until: datetime | None


def _joined(spans: Sequence[_Span]) -> _Span:
    since = [span.since for span in spans if span.since]
    until = [span.until for span in spans if span.until]
    if since and until and all(None in span for span in spans):
        return _Span(max(since), min(until))
    return _Span(
        min(since) if len(since) == len(spans) else None,
        max(until) if len(until) == len(spans) else None,
    )


# --- Words and their kinds


class _Token(NamedTuple):
    """A word or a sign, and where it is. A date has its month and day as place: 304 for March 4."""

    kind: str
    value: int
    place: int
    start: int = 0
    end: int = 0


class _Vocabulary(NamedTuple):
    words: dict[str, _Token]
    longest: dict[str, int]
    """How many words there are in the longest phrase that begins with this one."""


@cache
def _vocabulary(language: str) -> _Vocabulary:
    words: dict[str, _Token] = {}
    longest: dict[str, int] = {}
    for entry in re.split("[;\n]", WORDS[language].strip()):
        head, _, listed = entry.partition(": ")
        kind, *given = head.split()
        for place, word in enumerate(listed.split(), 1):
            if word == "-":
                continue
            value, place = [*map(int, given), *(place, place)[len(given) :]]
            words[word.replace("_", " ")] = _Token(kind, value, place)
            first, *more = word.lower().split("_")
            longest[first] = max(longest.get(first, 1), 1 + len(more))
    return _Vocabulary(words, longest)


_SCANNER = r"""
  (?P<stop> ".{0,300}?" | “.{0,300}?” | „.{0,300}?[“”] | «.{0,300}?» | `.{0,300}?` | 「.{0,300}?」
    | (?<!\w)[‘'](?=\S).{0,300}?(?<=\S)[’'](?!\w) | [.!?;:()\[\]{}|…¿¡。！？；：] )
| (?<![\w./-])
  (?: (?P<date> \d{4}-\d\d?-\d\d? | \d{4}/\d\d?/\d\d? | \d\d?\.\d\d?\.\d{4} )(?:T[\d:.]+Z?)?
    | (?P<yearmonth> \d{4}-\d\d ) )
  (?![\w/-]|\.\w)
| (?P<other> [#$€£@/\\~]\S* | \w++(?:[./@:\\=+]+\w++)+ | \d++% | [^\W_]*+_\w* )
| (?P<number> \d{1,4} )
  (?: (?P<ordinal> st|nd|rd|th|er|º )(?!\w) | (?P<dotted> \. )(?=\s+[^\W\d]) | (?!LETTER|[\d_]) )
| (?P<word> WORD )
| (?P<comma> [,，、] )
| (?P<dash> (?<![^\W\d])[-–—] | [-–—](?![^\W\d]) )
| REST
"""
_LETTERS = re.compile(r"[^\W\d_]+")
_FIGURES = re.compile(r"\d[-/.]\d")


def _is_chinese(text: str) -> bool:
    return not text.isascii() and any("\u3400" <= char <= "\u9fff" for char in text)


@cache
def _scanner(chinese: bool) -> re.Pattern[str]:
    """Two of them, for classes with all Chinese letters would take long to compile."""
    letter, word, rest = r"[^\W\d_]", r"[^\W\d_]+", r"\w+"
    if chinese:
        known = sorted(_vocabulary("zh").words, key=len, reverse=True)
        letter, word, rest = "[A-Za-z]", "|".join([*known, "[A-Za-z]+"]), r"\w"
    pattern = _SCANNER.replace("LETTER", letter).replace("WORD", word).replace("REST", rest)
    return re.compile(pattern, re.VERBOSE)


def _sign(match: re.Match[str]) -> _Token:
    """What is no word: a number, a written date, punctuation, anything else."""
    kind, value, place = match.lastgroup or "other", 0, 0
    if match["number"]:
        value = place = int(match["number"])
        kind = "year" if kind == "number" and 1900 <= value <= 2100 else kind
    elif kind in ("date", "yearmonth"):
        digits = [int(part) for part in re.findall(r"\d+", match[kind])]
        value, month, *day = digits if digits[0] > 31 else digits[::-1]
        place = 100 * month + sum(day)
    return _Token(kind, value, place, *match.span())


def _tokens(
    matches: Sequence[re.Match[str]], folded: Sequence[str], vocabulary: _Vocabulary
) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(matches):
        match, step, word = matches[at], 1, None
        room = min(vocabulary.longest.get(folded[at], 0), len(matches) - at)
        for length in range(room, 0, -1):
            word = vocabulary.words.get(" ".join(folded[at : at + length]))
            if word:
                word = vocabulary.words.get(match[0], word) if length == 1 else word
                end = matches[at + length - 1].end()
                found.append(_Token(word.kind, word.value, word.place, match.start(), end))
                step = length
                break
        if not word:
            found.append(_sign(match))
        at += step
    return found


# --- What may follow what

_THE = "(the|article)?"
_MONTHS = "(month|named)"
_ANY_MONTH = "(month|named|maybe)"
_NTH = "(number|ordinal|dotted)"
_OF_YEAR = "(of? comma? year)"
_WEEKDAY = "(weekday|onday)"
_COUNT = "(count|number) ((or|dash|to) (count|number))?"
_UNIT = "(unit|units|clock)"
_TO = "(to|until|dash)"
_SOME = "(dated|bare|period|weak|alone)"

_PERIODS = {
    "dated": f"""
        (unit of {_THE})? ({_WEEKDAY} comma?)? (article? {_NTH} of? {_MONTHS} {_OF_YEAR}?
            | {_MONTHS} the? {_NTH} {_OF_YEAR}? | maybe the? {_NTH} {_OF_YEAR} | maybe ordinal
            | ordinal of? maybe {_OF_YEAR}? | date)""",
    "bare": f"""
        day part? | hours | (over|under)? {_COUNT} {_UNIT} (or count)? ago
        | (back|vor) (over|under)? {_COUNT} {_UNIT}""",
    "period": f"""
        {_THE} this? (last|past|recent|next|coming) {_COUNT} {_UNIT} (?!of)
        | {_THE} {_COUNT} (last|recent|next|coming) {_UNIT} (?!of)
        | {_THE} this? (past|recent) {_UNIT} (?!of)
        | {_THE} last units (?!of) | the last (unit|clock) (?!of)
        | (last|this) unit (?!of) | article? ((next|coming|gone) unit | unit (gone|coming))
        | the? relative
        | this? (last|past|this|next) weekend | article? weekend (gone|coming)
        | article? {_WEEKDAY} (gone|coming) part?
        | (this? (last|past|this|next|coming) {_WEEKDAY} | article? gone weekday | onday) part?
          (?!habit)
        | (last|next|coming|gone) {_ANY_MONTH} | this {_MONTHS} | {_MONTHS} (gone|coming)
        | mid {_MONTHS} {_OF_YEAR}?""",
    "weak": f"""
        {_ANY_MONTH} {_OF_YEAR} | maybe the? number | number of? maybe | month | maybe
        | {_WEEKDAY} part? (?!habit) | weekend | yearmonth""",
    "alone": "named",
}
"""Times by how they may stand: a "bare" one has no "in" or "on" before it; a "weak" one needs such
a word; and what may as well be a person's name, and is "alone", is none after "from"."""

_SENTENCES = {
    "range": f"""
        (from|between|in) {_THE} mid? {_SOME} ({_TO}|and) {_THE} mid? {_SOME}
        | dated {_TO} {_THE} dated | (from|between)? {_THE} {_NTH} {_TO} {_THE} dated
        | between {_THE} {_NTH} and {_THE} dated | between dated and {_THE} {_NTH} {_OF_YEAR}?
        | from? dated {_TO} {_THE} {_NTH} {_OF_YEAR}?""",
    "limit": f"""
        (since|(?<!year)until|before|after|vor) {_THE} mid? {_SOME}
        | from {_THE} mid? {_SOME} onward""",
    "inside": f"""
        dated | bare | period | (in|over) {_THE} mid? (dated|period|weak|alone)
        | from {_THE} mid? (dated|bare|period|weak) (?!{_TO} year)""",
}
_TIMELY = frozenset(
    """date yearmonth month named maybe weekday onday weekend day hours relative unit units
    clock""".split()
)
"""Where none of these is, there is no time."""
_CAPITAL = frozenset("month named weekday onday mid".split())
_BEGINS = ("", *".!?:;¿¡-–—*\n")
_NOT_AFTER = "(?<!by)(?<!life)(?<!life in)"
_ASKED = f"""
    asked {_UNIT}? (filler|by)* (ago|since|until|before|after|between|vor|from|to)
    | when filler (word|plain) last (?!unit)"""
"""What asks for a time, or for how long."""


class _Grammar(NamedTuple):
    """Regular expressions over the letters of kinds."""

    letters: dict[str, str]
    asked: re.Pattern[str]
    periods: re.Pattern[str]
    sentences: re.Pattern[str]


@cache
def _grammar() -> _Grammar:
    rules = [*_PERIODS.values(), *_SENTENCES.values(), _NOT_AFTER, _ASKED]
    kinds = sorted(set(re.findall("[a-z]+", " ".join(rules))))
    letters = {kind: chr(0x100 + at) for at, kind in enumerate(kinds)}

    def spelled(rule: str) -> str:
        rule = re.sub("[a-z]+", lambda kind: letters[kind[0]], rule)
        return re.sub(r"\((?!\?)", "(?:", "".join(rule.split()))

    def choice(named: Mapping[str, str]) -> str:
        return "|".join(f"(?P<{name}>{spelled(rule)})" for name, rule in named.items())

    return _Grammar(
        letters,
        re.compile(spelled(_ASKED)),
        re.compile(choice(_PERIODS)),
        re.compile(f"{spelled(_NOT_AFTER)}(?:{choice(_SENTENCES)})"),
    )


class _Time(NamedTuple):
    shape: str
    """What it is in _SENTENCES; or "asked", in a question for a time."""
    parts: list[list[_Token]]
    """Each a period, or one word beside it."""

    @property
    def start(self) -> int:
        return self.parts[0][0].start

    @property
    def end(self) -> int:
        return self.parts[-1][-1].end


def _times(text: str) -> list[_Time]:
    """The times in a text, in the language that knows the most of its words."""
    chinese = _is_chinese(text)
    if not chinese and not _may_name_one(text):
        return []
    matches = list(_scanner(chinese).finditer(text))
    folded = [fold(match[0]) if match.lastgroup == "word" else "" for match in matches]
    distinct = set(folded)
    known = {name: len(distinct & _vocabulary(name).longest.keys()) for name in WORDS}
    best = max(known.values())
    for name in WORDS:
        if known[name] == best:
            found = _read(_tokens(matches, folded, _vocabulary(name)))
            if found or not best:
                return [time for time in found if not _is_title(text, time)]
    return []


def _may_name_one(text: str) -> bool:
    """Whether there is a word of time in it, in any language, or what may be a date. In most
    questions there is none, and then nothing has to be compiled."""
    said = map(fold, _LETTERS.findall(text))
    return not _words_of_time().isdisjoint(said) or _FIGURES.search(text) is not None


@cache
def _words_of_time() -> frozenset[str]:
    """For each phrase without which there is no time, its last word."""
    found: set[str] = set()
    for entry in re.split("[;\n]", "\n".join(WORDS.values())):
        head, _, listed = entry.strip().partition(": ")
        if head.partition(" ")[0] in _TIMELY:
            found.update(word.rpartition("_")[2].lower() for word in listed.split())
    return frozenset(found)


def _is_title(text: str, time: _Time) -> bool:
    """Whether it has a capital where only the title of something has one."""
    first = time.parts[0][0]
    return (
        first.kind not in _CAPITAL
        and text[first.start].isupper()
        and not text.isupper()
        and text[: first.start].rstrip(" ")[-1:] not in _BEGINS
    )


def _read(tokens: list[_Token]) -> list[_Time]:
    if _TIMELY.isdisjoint([token.kind for token in tokens]):
        return []
    grammar = _grammar()
    letters = "".join([grammar.letters.get(token.kind, "-") for token in tokens])
    asked = grammar.asked.search(letters)
    parts: list[list[_Token]] = []
    shorter: list[str] = []
    at = 0
    for match in grammar.periods.finditer(letters):
        parts += [[token] for token in tokens[at : match.start()]]
        parts.append(tokens[match.start() : match.end()])
        shorter += [letters[at : match.start()], grammar.letters[match.lastgroup or ""]]
        at = match.end()
    parts += [[token] for token in tokens[at:]]
    shorter.append(letters[at:])
    return [
        _Time("asked" if asked else match.lastgroup or "", parts[match.start() : match.end()])
        for match in grammar.sentences.finditer("".join(shorter))
    ]


# --- From words to moments, in the reader's zone and without its name

_MINUTE, _HOUR, _DAY, _WEEK, _MONTH, _QUARTER, _YEAR = range(1, 8)
"""Units, by their place in the tables of words."""
_SLACK = {  # either side of some time ago, beside the unit that it fell into
    _MINUTE: timedelta(minutes=5),
    _HOUR: timedelta(minutes=30),
    _DAY: timedelta(),
    _WEEK: timedelta(days=3),
    _MONTH: timedelta(days=15),
    _QUARTER: timedelta(days=30),
    _YEAR: timedelta(days=90),
}
_HOURS = (0, 24), (0, 12), (12, 18), (17, 24), (18, 30)
"""Of the whole day, the morning, the afternoon, the evening and the night."""
_FEW = 2, 6
_AGO = {"ago", "back", "vor"}
_JOINTS = {"to", "until", "dash", "and"}
_WHICH = {"last": {"last", "gone", "past"}, "next": {"next", "coming"}, "this": {"this"}}


def _floor(moment: datetime, unit: int) -> datetime:
    if unit == _MINUTE:
        return moment.replace(second=0, microsecond=0)
    if unit == _HOUR:
        return moment.replace(minute=0, second=0, microsecond=0)
    day = datetime(moment.year, moment.month, moment.day)
    if unit == _WEEK:
        return day - timedelta(days=day.weekday())
    if unit == _MONTH:
        return day.replace(day=1)
    if unit == _QUARTER:
        return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)
    return day.replace(day=1, month=1) if unit == _YEAR else day


def _shift(moment: datetime, unit: int, count: int) -> datetime:
    """So many units later; from the 31st to the last day of a month that has none."""
    if unit < _MONTH:
        step = {_MINUTE: 1, _HOUR: 60, _DAY: 1440, _WEEK: 10080}[unit]
        return moment + timedelta(minutes=count * step)
    months = count * {_MONTH: 1, _QUARTER: 3, _YEAR: 12}[unit]
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    first = moment.replace(year=year, month=month + 1, day=1)
    length = (_floor(first + timedelta(days=31), _MONTH) - _floor(first, _MONTH)).days
    return first.replace(day=min(moment.day, length))


class _Stretch(NamedTuple):
    start: datetime
    end: datetime


def _whole(moment: datetime, unit: int, offset: int = 0) -> _Stretch:
    """The unit that a moment is in, or one so many after it."""
    start = _shift(_floor(moment, unit), unit, offset)
    return _Stretch(start, _shift(start, unit, 1))


def _resolved(found: _Time, now: datetime) -> _Span:
    """Raises ValueError or OverflowError for what is no time after all."""
    if found.shape == "asked":
        raise ValueError("no limit")
    if found.shape == "range":
        return _Span(*_range(found.parts, now))
    tokens = [token for part in found.parts for token in part]
    limit = tokens[0].kind if found.shape == "limit" else ""
    start, end = _stretch(tokens[bool(limit) :], now, now)
    kinds = {token.kind for token in tokens}
    if limit in ("since", "from") or (kinds & _AGO and "under" in kinds):
        return _Span(start, None)
    if limit == "until" or (kinds & _AGO and "over" in kinds):
        return _Span(None, end)
    if limit == "after":
        return _Span(end, None)
    return _Span(None, start) if limit else _Span(start, end)


def _range(parts: list[list[_Token]], now: datetime) -> _Stretch:
    cut = next(at for at, part in enumerate(parts) if at and part[0].kind in _JOINTS)
    first = [token for part in parts[:cut] for token in part]
    second = [token for part in parts[cut + 1 :] for token in part]
    months = [token for token in first + second if token.kind in ("month", "named", "maybe")]
    if len(months) == 1:  # "March 3 to 9", "3 to 9 March"
        first, second = [*first, *months], [*second, *months]
    if not any(token.kind == "year" for token in second):
        second += [token for token in first if token.kind == "year"]
    end = _stretch(second, now, now).end
    return _Stretch(_stretch(first, now, end - timedelta(microseconds=1)).start, end)


def _stretch(tokens: Sequence[_Token], now: datetime, latest: datetime) -> _Stretch:
    """What one time names. Without a year or a week of its own it is the last up to *latest*."""
    got = {token.kind: token for token in reversed(tokens)}
    which = next((which for which, kinds in _WHICH.items() if kinds & got.keys()), "")
    if got.keys() & {"date", "yearmonth", "month", "named", "maybe"}:
        return _dated(got, which, now, latest)
    day = _day(got, which, now, latest)
    if day:
        part = got.get("hours") or got.get("part")
        first, last = _HOURS[part.place if part else 0]
        start = _floor(day, _DAY)
        return _Stretch(start + timedelta(hours=first), start + timedelta(hours=last))
    if "weekend" in got:
        begun = which in ("this", "next") or (which != "last" and now.weekday() >= 5)
        offset = 5 + 7 * ((which == "next") - (not begun))
        start = _floor(now, _WEEK) + timedelta(days=offset)
        return _Stretch(start, start + timedelta(days=2))
    if "relative" in got:
        return _whole(now, got["relative"].place, got["relative"].value)
    return _counted(tokens, got, which, now)


def _dated(got: Mapping[str, _Token], which: str, now: datetime, latest: datetime) -> _Stretch:
    written = got.get("date") or got.get("yearmonth")
    if written:
        year, month, day = written.value, *divmod(written.place, 100)
    else:
        nth = got.get("number") or got.get("ordinal") or got.get("dotted")
        year = got["year"].value if "year" in got else 0
        month = next(got[kind].value for kind in ("month", "named", "maybe") if kind in got)
        day = nth.value if nth else 0
    if year and abs(year - now.year) > _OWN:
        raise ValueError("history")
    if day:
        found = _last_date(year or latest.year, month, day, latest if not year else None)
        return _whole(found, got["unit"].value if "unit" in got else _DAY)
    if not year:
        year = {
            "last": now.year - (month >= now.month),
            "next": now.year + (month <= now.month),
            "this": now.year,
        }.get(which, latest.year - (month > latest.month))
    return _whole(datetime(year, month, 1), _MONTH)


def _last_date(year: int, month: int, day: int, latest: datetime | None) -> datetime:
    """That day; with *latest*, the last one up to then (of February 29 there may be none in
    eight years)."""
    for earlier in range(9 if latest else 1):
        try:
            found = datetime(year - earlier, month, day)
        except ValueError:
            continue
        if latest is None or found <= latest:
            return found
    raise ValueError("no such day")


def _day(got: Mapping[str, _Token], which: str, now: datetime, latest: datetime) -> datetime | None:
    named = got.get("day") or got.get("hours")
    if named:
        return now + timedelta(days=named.value)
    weekday = got.get("weekday") or got.get("onday")
    if not weekday:
        return None
    if which == "this":
        return _floor(now, _WEEK) + timedelta(days=weekday.value - 1)
    if which == "next":
        return now + timedelta(days=(weekday.value - now.isoweekday() - 1) % 7 + 1)
    return latest - timedelta(days=(latest.isoweekday() - weekday.value - 1) % 7 + 1)


def _counted(
    tokens: Sequence[_Token], got: Mapping[str, _Token], which: str, now: datetime
) -> _Stretch:
    """A number of units, ago or up to now or from now on; or this unit, the last or the next."""
    named = got.get("unit") or got.get("units") or got.get("clock")
    if not named:
        raise ValueError("a number alone")
    unit = named.value
    fine = _MINUTE if "clock" in got else _DAY
    counts = [token for token in tokens if token.kind in ("count", "number")]
    least = min((token.value for token in counts), default=1)
    most = max((token.place for token in counts), default=1)
    if not counts and got.keys() & {"units", "recent"}:
        least, most = _FEW
    if got.keys() & _AGO:
        near, far = _shift(now, unit, -least), _shift(now, unit, -most)
        if got.keys() & {"over", "under"}:
            return _Stretch(_floor(far, fine), _whole(near, fine).end)
        return _Stretch(
            min(_floor(far, unit), _floor(far, fine) - _SLACK[unit]),
            max(_whole(near, unit).end, _whole(near, fine).end + _SLACK[unit]),
        )
    tonight = _whole(now, _DAY).end
    if not counts and unit in (_MINUTE, _DAY):
        raise ValueError("an idiom: my last day, at the last minute")
    if counts and which == "next":
        return _Stretch(_floor(now, fine), _shift(tonight, unit, most))
    if counts or got.keys() & {"past", "recent", "units", "clock"} or {"the", "last"} <= got.keys():
        return _Stretch(_floor(_shift(now, unit, -most), fine), tonight)
    back = got.get("last") or got.get("gone")
    return _whole(now, unit, -back.value if back else which == "next")


# --- Times that name no date

OPENINGS = r"""
(?P<whole>
    (?:last|this|that|over\sthe|during\sthe|in\sthe|since)\s(?:spring|summer|autumn|fall|winter)\b
  | (?:letzten|diesen|im)\s(?:frühling|sommer|herbst|winter)\b )
| (?P<noun>
  (?: (?:before|after|during|since|until|around|at\sthe\stime\sof|the\s(?:day|week|month)\sof)
      \s(?:the|my|our|his|her|their|your|that)
    | (?:vor|nach|seit|während|bis\szu)\s(?:der|dem|den|unserem|unserer|meinem|meiner)
    | (?:als|bevor|nachdem|seitdem)\s(?:ich|wir|er|sie|es|der|die|das|man)
    | (?:antes|después|durante|desde|hasta)\s(?:de\s)?(?:que|la|el|los|las|nuestra|nuestro|mi)
    | (?:antes|después)\sdel | (?<=\s)(?:cuando|mientras)
    | (?:avant|après|pendant|depuis|lors\sde)\s(?:que|le|la|les|notre|nos|mon|ma)
    | (?:lorsque|(?<=\s)quand)\s(?:on|nous|je|il|elle|ils|le|la|les) )(?=\s)
  | (?:avant|après|pendant|depuis|lors\sde)\sl(?=['’]) )
| (?P<clause> (?:before|after|since|until|when|while|the\s(?:day|week|year|time)(?:\sthat)?)
    \s(?:i|we|you|he|she|they|it|(?:the|my|our|his|her|their|that)\s\w+|(?-i:[A-Z])\w+)(?=\s) )
"""
"""What needs nothing after it, what needs a thing, and what needs a verb of the past."""
OPENING_CUES = """
    spring summer autumn fall winter before after during since until around time day week month
    year when while frühling sommer herbst vor nach seit während bis als bevor nachdem seitdem
    antes después durante desde hasta cuando mientras avant après pendant depuis lors quand
"""
_CHINESE_OPENINGS = r"(?P<chinese> [^\W\x00-\x7f]{1,8}?(?:之前|之后|以后|的时候|期间) )"
_MOST = 7
_END = frozenset(
    """did do does was were is are has have had what who where how which why when and but or if
    because i we you he she they can could would should und wer wo wie est sont et qui y es son
    fue""".split()
)
_PAST = frozenset(
    """was were had got went came left began bought made met took told said gave found built broke
    ran did held lost sold sent wrote quit fell grew became chose drove flew hit kept knew paid put
    read sat saw set shut slept spoke spent stood taught thought threw won""".split()
)


@cache
def _openings(chinese: bool) -> re.Pattern[str]:
    ways = f"{OPENINGS} | {_CHINESE_OPENINGS}" if chinese else OPENINGS
    return re.compile(rf"(?<![\w'’-])(?:{ways})", re.VERBOSE | re.IGNORECASE)


@cache
def _following() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How these times go on, and how a regular verb of the past ends."""
    return re.compile(r"(?:\s+|(?<=l)['’])([\w'’-]+)(?![./]\w)"), re.compile(r"[^\We]ed$")


def _clause_end(text: str, opening: re.Match[str]) -> int:
    """Where the words end that go with an opening; 0 if it opens no time."""
    if opening.lastgroup in ("whole", "chinese"):
        return opening.end()
    end, past = opening.end(), opening.lastgroup == "noun"
    following, regular = _following()
    for _ in range(_MOST):
        word = following.match(text, end)
        if not word or (past and word[1].lower() in _END):
            break
        past = past or word[1].lower() in _PAST or regular.search(word[1]) is not None
        end = word.end()
    return end if past and end > opening.end() else 0
