"""Times in a question: "last March", "seit Dienstag", "between March 3 and March 9".

``window`` gives the stretch of time that a question limits itself to. A question that asks for a
time ("how many weeks ago did I …") is not limited by one, and these are no times here: a bare
year ("from 2005 to 2007"; but "what did we do in 2025?"), a year long ago, words in quotes,
versions, names of files and films ("Gangway For Tomorrow"), "recently". Days are those of the
zone of ``now``; weeks begin on Monday.

What has no year is the latest one: "in March" is the last March that began, "on March 4" the last
March 4; "on Monday" and "last Monday" are the last one before today. A season is three months of
the northern year, from March, June, September or December on: "last summer" is the latest that has
ended, "this summer" that of this year, and "in summer" is none in a question that asks for what
always is. "Q1" is the last first quarter that began. "Last week" is the week before this one; "the
past week" and "the last 3 days" reach from then to the end of today. Some time "ago" is that day,
or the week, month or year it fell into and some days around it. Of several times in one question
the window has all; of "after March 3 and before June" it is what is between.

How it works: each word becomes one letter for its kind, and one regular expression over these
letters finds the times. The words are a table for each language; what may follow what is the same
for all. A question is read in the language that knows the most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain

from recollect.moments import aware
from recollect.named_tuple import NamedTuple
from recollect.nouns import Window, values_of
from recollect.text.questions.time_rules import DONE, OURS, PAST
from recollect.text.questions.time_words import WORDS
from recollect.text.statements.cues import beginnings, cued
from recollect.text.terms import fold

_READ = 2000
"""Characters that are looked at: more is a pasted page and no question."""
_OWN = 10
"""Years from now in which a written year may be of somebody's own records; others are history."""


def window(text: str, now: datetime | None = None) -> Window | None:
    """Returns the time that *text* limits itself to, or None; *now* is this moment, if none is
    given. Never raises."""
    text = text[:_READ]
    times = _times(text)
    now = now or datetime.now().astimezone()
    spans = [(time, span) for time in times if (span := _span(time, now))]
    if not spans:
        return None
    joined = _joined([span for _, span in spans])
    if joined.empty:
        return None
    (first, _), (last, _) = spans[0], spans[-1]
    over = joined.until is not None and joined.until <= aware(now)
    return Window(*joined, text[first.start : last.end], over)


def _span(time: _Time, now: datetime) -> _TimeSpan | None:
    """Returns the moments that a time names; None for February 30, another century, or what is
    out of the calendar."""
    zone = aware(now).tzinfo
    try:
        edges = _resolved(time, now.replace(tzinfo=None))
        return _TimeSpan(*(edge and _checked(edge.replace(tzinfo=zone)) for edge in edges))
    except (ValueError, OverflowError):
        return None


def _checked(edge: datetime) -> datetime:
    """Returns a moment that is in the calendar everywhere; raises OverflowError for another."""
    edge.astimezone(UTC)
    return edge


def vague(text: str) -> str:
    """Returns the words of a time that names no date ("before the migration"), or "" if there is
    none."""
    text = text[:_READ]
    chinese = _is_chinese(text)
    if not chinese and beginnings(text.lower()).isdisjoint(cued(OPENING_CUES)):
        return ""
    openings = _openings(chinese).finditer(text)
    clauses = [(opening.start(), _clause_end(text, opening)) for opening in openings]
    clauses = [(start, end) for start, end in clauses if end]
    dated = _times(text) if clauses else []
    free = (text[start:end] for start, end in clauses if not _overlaps(dated, start, end))
    return next(free, "")


def _overlaps(times: Sequence[_Time], start: int, end: int) -> bool:
    return any(time.start < end and start < time.end for time in times)


class _TimeSpan(NamedTuple):
    since: datetime | None
    until: datetime | None

    @property
    def empty(self) -> bool:
        """Whether it has no limit, or nothing between its limits."""
        if self.since and self.until:
            return self.since >= self.until
        return not any(self)


def _joined(spans: Sequence[_TimeSpan]) -> _TimeSpan:
    """Returns what several times are together: all of them, or what is between two limits."""
    starts, ends = zip(*spans, strict=True)
    since, until = list(filter(None, starts)), list(filter(None, ends))
    if since and until and all(None in span for span in spans):
        return _TimeSpan(max(since), min(until))
    first = None if None in starts else min(since)
    last = None if None in ends else max(until)
    return _TimeSpan(first, last)


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


def entries(table: str) -> Iterator[tuple[str, list[int], list[str]]]:
    """Yields the kind, the given numbers and the words of each entry of a table."""
    for entry in re.split("[;\n]", table.strip()):
        head, _, listed = entry.partition(": ")
        kind, *given = head.split()
        yield kind, list(map(int, given)), listed.split()


@cache
def _vocabulary(language: str) -> _Vocabulary:
    words: dict[str, _Token] = {}
    longest: dict[str, int] = {}
    for kind, given, listed in entries(WORDS[language]):
        named = ((place, word) for place, word in enumerate(listed, 1) if word != "-")
        for place, word in named:
            value, place = [*given, *(place, place)[len(given) :]]
            words[word.replace("_", " ")] = _Token(kind, value, place)
            first, *more = word.lower().split("_")
            longest[first] = max(longest.get(first, 1), 1 + len(more))
    return _Vocabulary(words, longest)


_SCANNER = r"""
  (?P<stop> ".{0,300}?" | “.{0,300}?” | „.{0,300}?[“”] | «.{0,300}?» | `.{0,300}?` | 「.{0,300}?」
    | (?<!\w)[‘'](?=\S).{0,300}?(?<=\S)[’'](?!\w) | [.!?;:()\[\]{}|…¿¡。！？；：] )
| (?<![\w./-])
  (?: (?P<date> \d{4}-\d\d?-\d\d? | \d{4}/\d\d?/\d\d? | \d\d?\.\d\d?\.\d{4} )(?:T[\d:.]+Z?)?
    | (?P<yearmonth> \d{4}-\d\d ) | [Qq](?P<quarter> [1-4] ) )
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
_FIGURES = re.compile(r"\d[-/.]\d|\b[Qq][1-4]\b")
_BARE_YEAR = re.compile(r"(?<![\w./-])20\d\d(?![\w/-])")


def _is_chinese(text: str) -> bool:
    return not text.isascii() and any("\u3400" <= letter <= "\u9fff" for letter in text)


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
    """Returns what is no word: a number, a written date, punctuation, anything else."""
    kind = match.lastgroup or "other"
    read = _DATE_SIGNS.get(kind, _number_sign if match["number"] else _plain_sign)
    return _Token(*read(kind, match), *match.span())


Sign = tuple[str, int, int]
"""The kind, the value and the place of a token."""


def _plain_sign(kind: str, _match: re.Match[str]) -> Sign:
    return kind, 0, 0


def _number_sign(kind: str, match: re.Match[str]) -> Sign:
    value = int(match["number"])
    is_year = kind == "number" and 1900 <= value <= 2100
    return "year" if is_year else kind, value, value


def _date_sign(kind: str, match: re.Match[str]) -> Sign:
    digits = list(map(int, re.findall(r"\d+", match[kind])))
    year, month, *day = digits if digits[0] > 31 else digits[::-1]
    return kind, year, 100 * month + sum(day)


def _quarter_sign(kind: str, match: re.Match[str]) -> Sign:
    return kind, int(match[kind]), 0


_DATE_SIGNS = {"date": _date_sign, "yearmonth": _date_sign, "quarter": _quarter_sign}


def _tokens(
    matches: Sequence[re.Match[str]], folded: Sequence[str], vocabulary: _Vocabulary
) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(matches):
        length, word = _longest_phrase(folded, at, vocabulary)
        match, end = matches[at], matches[at + length - 1].end()
        if length == 1 and word:
            word = vocabulary.words.get(match[0], word)
        tokens.append(_Token(*word[:3], match.start(), end) if word else _sign(match))
        at += length
    return tokens


def _longest_phrase(
    folded: Sequence[str], at: int, vocabulary: _Vocabulary
) -> tuple[int, _Token | None]:
    """Returns how many words the longest known phrase here has, and what it is; one word, and
    None, where there is no known one."""
    room = min(vocabulary.longest.get(folded[at], 0), len(folded) - at)
    for length in range(room, 0, -1):
        word = vocabulary.words.get(" ".join(folded[at : at + length]))
        if word:
            return length, word
    return 1, None


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
        {_THE} nth unit (of|in) {_ANY_MONTH} {_OF_YEAR}? | {_MONTHS} {_TO} {_MONTHS} {_OF_YEAR}?
        | {_THE} this? (last|past|recent|next|coming) {_COUNT} {_UNIT} (?!of)
        | {_THE} {_COUNT} (last|recent|next|coming) {_UNIT} (?!of)
        | {_THE} this? (past|recent) {_UNIT} (?!of)
        | {_THE} last units (?!of) | the last (unit|clock) (?!of)
        | (last|this) unit (?!of) | article? ((next|coming|gone) unit | unit (gone|coming))
        | the? relative season?
        | this? (last|past|this|next) weekend | article? weekend (gone|coming)
        | article? {_WEEKDAY} (gone|coming) part?
        | (this? (last|past|this|next|coming) {_WEEKDAY} | article? gone weekday | onday) part?
          (?!habit)
        | (last|next|coming|gone) {_ANY_MONTH} | this {_MONTHS} | {_MONTHS} (gone|coming)
        | mid {_MONTHS} {_OF_YEAR}?
        | this? (last|past|this|next|coming|gone) season | article? season (gone|coming)
        | onseason {_OF_YEAR}?""",
    "weak": f"""
        {_ANY_MONTH} {_OF_YEAR} | maybe the? number | number of? maybe | month | maybe
        | season {_OF_YEAR} | (?<!the) season (?!of) | season (?!of|word)
        | {_WEEKDAY} part? (?!habit) | weekend | yearmonth | quarter {_OF_YEAR}?""",
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
        dated | bare | period | in {_THE} unit? year (?!{_TO} year|(and|or) year)
        | (in|over) {_THE} mid? (dated|period|weak|alone)
        | from {_THE} mid? (dated|bare|period|weak) (?!{_TO} year)""",
}
_TIMELY = frozenset(
    """date yearmonth quarter month named maybe weekday onday weekend season onseason day hours
    relative unit units clock year""".split()
)
"""Where none of these is, there is no time."""
_UNITS = frozenset("unit units clock".split())
_WITH_UNIT = frozenset("ago back vor nth last past recent next coming gone this".split())
"""Of which one stands beside a unit that is a time: "deploy day" names none."""
_SEASONS = frozenset("season onseason".split())
_OF_ONE_YEAR = frozenset("last past gone relative year".split())
"""Of which one says which year's season is meant."""
_YEAR_ALONE = frozenset(("year", "unit"))
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
    for language in _languages(folded):
        times = _read(_tokens(matches, folded, _vocabulary(language)))
        if times:
            named = (time for time in times if not _is_title(text, time))
            return [time for time in named if _is_of_one_year(time, text, language)]
    return []


def spoken(text: str) -> str:
    """Returns the language that knows the most of the words of a text that names a time; empty
    where two know as many."""
    known = _languages([fold(word) for word in _LETTERS.findall(text[:_READ])])
    return known[0] if len(known) == 1 else ""


def _languages(folded: Sequence[str]) -> list[str]:
    """Returns the languages that know the most of the words."""
    distinct = set(folded)
    known = {name: len(distinct & _vocabulary(name).longest.keys()) for name in WORDS}
    best = max(known.values())
    return [name for name in WORDS if known[name] == best]


def _may_name_one(text: str) -> bool:
    """Whether there is a word of time in it, in any language, or what may be a date. In most
    questions there is none, and then nothing has to be compiled; "deploy day" names none either."""
    said = set(map(fold, _LETTERS.findall(text)))
    units, others = said & _words_of(_UNITS), said & _words_of(_TIMELY - _UNITS)
    counted = units and not said.isdisjoint(_words_of(_WITH_UNIT))
    return bool(others or counted) or _FIGURES.search(text) is not None or _is_ours(text)


def _is_ours(text: str) -> bool:
    """Whether a year is named in it, and what was said or done together."""
    return _BARE_YEAR.search(text) is not None and _ours().search(text) is not None


@cache
def _ours() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(OURS)}|i|ich|yo|je)\b", re.IGNORECASE)


@cache
def _words_of(kinds: frozenset[str]) -> frozenset[str]:
    """For each phrase of these kinds, in any language, its last word."""
    every = chain.from_iterable(map(entries, WORDS.values()))
    wanted = chain.from_iterable(words for kind, _, words in every if kind in kinds)
    return frozenset(phrase.rpartition("_")[2].lower() for phrase in wanted)


def _is_title(text: str, time: _Time) -> bool:
    """Whether it has a capital where only the title of something has one."""
    first = time.parts[0][0]
    return (
        first.kind not in _CAPITAL
        and text[first.start].isupper()
        and not text.isupper()
        and text[: first.start].rstrip(" ")[-1:] not in _BEGINS
    )


def _is_of_one_year(time: _Time, text: str, language: str) -> bool:
    """Whether it is a time that was or will be once. "In summer" is any summer ("what does it cost
    to park in summer?") where nothing says that it was one of them; a year alone is that of what is
    asked about, where it is not asked for what was said or done together."""
    kinds = {token.kind for token in _flat(time.parts)}
    alone = "year" in kinds and kinds & _TIMELY <= _YEAR_ALONE
    if alone and not _is_ours(text):
        return False
    if not alone and (kinds.isdisjoint(_SEASONS) or not kinds.isdisjoint(_OF_ONE_YEAR)):
        return True
    past = f"{PAST.get(language, '')}|{DONE}"
    return re.search(rf"\b(?:{past})", text.lower()) is not None


def _read(tokens: list[_Token]) -> list[_Time]:
    known = {token.kind for token in tokens}
    timely = known & _TIMELY
    if not timely or (timely <= _UNITS and known.isdisjoint(_WITH_UNIT)):
        return []
    grammar = _grammar()
    letters = "".join([grammar.letters.get(token.kind, "-") for token in tokens])
    shape = "asked" if grammar.asked.search(letters) else ""
    parts, kinds = _grouped(tokens, letters, grammar)
    sentences = grammar.sentences.finditer(kinds)
    return [
        _Time(shape or str(match.lastgroup), parts[match.start() : match.end()])
        for match in sentences
    ]


def _grouped(
    tokens: list[_Token], letters: str, grammar: _Grammar
) -> tuple[list[list[_Token]], str]:
    """Returns the tokens with each period as one part, and the letters of these parts."""
    parts: list[list[_Token]] = []
    shorter: list[str] = []
    at = 0
    for match in grammar.periods.finditer(letters):
        start, end = match.span()
        parts += [*map(_alone, tokens[at:start]), tokens[start:end]]
        shorter += [letters[at:start], grammar.letters[str(match.lastgroup)]]
        at = end
    return [*parts, *map(_alone, tokens[at:])], "".join([*shorter, letters[at:]])


def _alone(token: _Token) -> list[_Token]:
    return [token]


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
_MONTH_KINDS = ("month", "named", "maybe")
_WHICH = {"last": {"last", "gone", "past"}, "next": {"next", "coming"}, "this": {"this"}}


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _hour(moment: datetime) -> datetime:
    return _minute(moment).replace(minute=0)


def _midnight(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, moment.day)


def _monday(moment: datetime) -> datetime:
    return _midnight(moment) - timedelta(days=moment.weekday())


def _first_of_month(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, 1)


def _first_of_quarter(moment: datetime) -> datetime:
    return datetime(moment.year, (moment.month - 1) // 3 * 3 + 1, 1)


def _first_of_year(moment: datetime) -> datetime:
    return datetime(moment.year, 1, 1)


_FLOORS = {
    _MINUTE: _minute,
    _HOUR: _hour,
    _DAY: _midnight,
    _WEEK: _monday,
    _MONTH: _first_of_month,
    _QUARTER: _first_of_quarter,
    _YEAR: _first_of_year,
}
_MINUTES_OF = {_MINUTE: 1, _HOUR: 60, _DAY: 1440, _WEEK: 10080}
_MONTHS_OF = {_MONTH: 1, _QUARTER: 3, _YEAR: 12}


def _floor(moment: datetime, unit: int) -> datetime:
    """Returns when the unit began that a moment is in."""
    return _FLOORS[unit](moment)


def _shift(moment: datetime, unit: int, count: int) -> datetime:
    """So many units later; from the 31st to the last day of a month that has none."""
    if unit < _MONTH:
        return moment + timedelta(minutes=count * _MINUTES_OF[unit])
    months = count * _MONTHS_OF[unit]
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


def _resolved(time: _Time, now: datetime) -> _TimeSpan:
    """Raises ValueError or OverflowError for what is no time after all."""
    if time.shape == "asked":
        raise ValueError("no limit")
    if time.shape == "range":
        return _TimeSpan(*_range(time.parts, now))
    tokens = _flat(time.parts)
    limit = tokens[0].kind if time.shape == "limit" else ""
    start, end = _stretch(tokens[bool(limit) :], now, now)
    sides = {
        "": _TimeSpan(start, end),
        "since": _TimeSpan(start, None),
        "from": _TimeSpan(start, None),
        "until": _TimeSpan(None, end),
        "after": _TimeSpan(end, None),
    }
    side = _side(limit, {token.kind for token in tokens})
    return sides.get(side, _TimeSpan(None, start))


def _side(limit: str, kinds: set[str]) -> str:
    """Returns which side of a time is meant: less than some time ago is since then."""
    if kinds.isdisjoint(_AGO):
        return limit
    if "under" in kinds:
        return "since"
    return "until" if "over" in kinds and limit not in ("since", "from") else limit


def _flat(parts: Sequence[Sequence[_Token]]) -> list[_Token]:
    return list(chain.from_iterable(parts))


def _of_kinds(tokens: Sequence[_Token], *kinds: str) -> list[_Token]:
    return [token for token in tokens if token.kind in kinds]


def _range(parts: list[list[_Token]], now: datetime) -> _Stretch:
    joints = [at for at, part in enumerate(parts[1:], 1) if part[0].kind in _JOINTS]
    first, second = _flat(parts[: joints[0]]), _flat(parts[joints[0] + 1 :])
    months = _of_kinds(first + second, *_MONTH_KINDS)
    if len(months) == 1:  # "March 3 to 9", "3 to 9 March"
        first, second = [*first, *months], [*second, *months]
    if not _of_kinds(second, "year"):
        second += _of_kinds(first, "year")
    end = _stretch(second, now, now).end
    return _Stretch(_stretch(first, now, end - timedelta(microseconds=1)).start, end)


Words = Mapping[str, _Token]
"""The first token of each kind."""


_NOTHING = _Token("", 0, 0)


def _either(got: Words, *kinds: str) -> _Token:
    """Returns the token of the first of these kinds that is there, else one without a kind."""
    return next(values_of(got, kinds), _NOTHING)


def _stretch(tokens: Sequence[_Token], now: datetime, latest: datetime) -> _Stretch:
    """What one time names. Without a year or a week of its own it is the last up to *latest*."""
    got = {token.kind: token for token in reversed(tokens)}
    which = next((which for which, kinds in _WHICH.items() if kinds & got.keys()), "")
    joint = next((at for at, token in enumerate(tokens) if token.kind in _JOINTS), 0)
    if joint and tokens[joint - 1].kind in _MONTH_KINDS:  # "March to May"
        return _range([list(tokens[:joint]), [tokens[joint]], list(tokens[joint + 1 :])], now)
    if _either(got, "season", "onseason").kind:
        return _season(got, which, now, latest)
    if "quarter" in got:
        return _quarter(got, now, latest)
    if "nth" in got:
        return _nth(got, _dated(got, which, now, latest).start)
    if _either(got, "date", "yearmonth", *_MONTH_KINDS).kind:
        return _dated(got, which, now, latest)
    if "year" in got:
        return _year(got["year"].value, now)
    day = _day(got, which, now, latest)
    if day:
        return _part_of_day(got, day)
    if "weekend" in got:
        return _weekend(which, now)
    if "relative" in got:
        return _whole(now, got["relative"].place, got["relative"].value)
    return _counted(_Count.of(tokens, got, which), now)


def _nth(got: Words, month: datetime) -> _Stretch:
    """One of the weeks or days of a month. A week is the seven days or the week of the calendar:
    people mean either."""
    unit, before = got["unit"].value, got["nth"].value - 1
    days = _whole(_shift(month, unit, before), _DAY).start
    calendar = _shift(_floor(month, unit), unit, before)
    return _Stretch(min(days, calendar), _shift(max(days, calendar), unit, 1))


def _part_of_day(got: Words, day: datetime) -> _Stretch:
    first, last = _HOURS[_either(got, "hours", "part").place]
    start = _floor(day, _DAY)
    return _Stretch(start + timedelta(hours=first), start + timedelta(hours=last))


def _weekend(which: str, now: datetime) -> _Stretch:
    """The weekend of this week, of the next one or of the last."""
    saturday = now.weekday() >= 5
    weeks = {"next": 1, "this": 0, "last": -1}.get(which, saturday - 1)
    start = _floor(now, _WEEK) + timedelta(days=5 + 7 * weeks)
    return _Stretch(start, start + timedelta(days=2))


def _year(year: int, now: datetime) -> _Stretch:
    if abs(year - now.year) > _OWN:
        raise ValueError("history")
    return _whole(datetime(year, 1, 1), _YEAR)


def _dated(got: Words, which: str, now: datetime, latest: datetime) -> _Stretch:
    year, month, day = _numbers(got)
    if year and abs(year - now.year) > _OWN:
        raise ValueError("history")
    if day:
        found = datetime(year, month, day) if year else _last_date(month, day, latest)
        return _whole(found, got["unit"].value if "unit" in got else _DAY)
    unwritten = {
        "last": now.year - (month >= now.month),
        "next": now.year + (month <= now.month),
        "this": now.year,
    }.get(which, latest.year - (month > latest.month))
    return _whole(datetime(year or unwritten, month, 1), _MONTH)


def _season(got: Words, which: str, now: datetime, latest: datetime) -> _Stretch:
    month = 3 * _either(got, "season", "onseason").value
    began = now.year - (month > now.month)
    runs = _shift(datetime(began, month, 1), _QUARTER, 1) > now
    unwritten = {
        "last": began - runs,
        "next": began + 1,
        "this": began if runs else now.year,
    }.get(which, latest.year - (month > latest.month))
    start = datetime(_year_of_season(got, month, now) or unwritten, month, 1)
    return _Stretch(start, _shift(start, _QUARTER, 1))


def _quarter(got: Words, now: datetime, latest: datetime) -> _Stretch:
    """A quarter of the year that is named, or the last one that began."""
    month = 3 * got["quarter"].value - 2
    year = _either(got, "year").value
    if year and abs(year - now.year) > _OWN:
        raise ValueError("history")
    began = latest.year - (month > latest.month)
    return _whole(datetime(year or began, month, 1), _QUARTER)


def _year_of_season(got: Words, month: int, now: datetime) -> int:
    """Returns the year in which a season begins, 0 where none is said. A winter is of two years:
    of those that may be meant it is the later that has begun."""
    year = now.year + got["relative"].value if "relative" in got else _either(got, "year").value
    if year and abs(year - now.year) > _OWN:
        raise ValueError("history")
    return year - 1 if month == 12 and (year, month) > (now.year, now.month) else year


def _numbers(got: Words) -> tuple[int, int, int]:
    """Returns the year, the month and the day, each 0 where it is not said."""
    written = _either(got, "date", "yearmonth")
    if written.kind:
        return written.value, *divmod(written.place, 100)
    day = _either(got, "number", "ordinal", "dotted")
    return _either(got, "year").value, _either(got, *_MONTH_KINDS).value, day.value


def _last_date(month: int, day: int, latest: datetime) -> datetime:
    """The last such day up to *latest* (of February 29 there may be none in eight years)."""
    for year in range(latest.year, latest.year - 9, -1):
        try:
            found = datetime(year, month, day)
        except ValueError:
            continue
        if found <= latest:
            return found
    raise ValueError("no such day")


def _day(got: Words, which: str, now: datetime, latest: datetime) -> datetime | None:
    named = _either(got, "day", "hours")
    if named.kind:
        return now + timedelta(days=named.value)
    weekday = _either(got, "weekday", "onday")
    if not weekday.kind:
        return None
    if which == "this":
        return _floor(now, _WEEK) + timedelta(days=weekday.value - 1)
    if which == "next":
        return now + timedelta(days=(weekday.value - now.isoweekday() - 1) % 7 + 1)
    return latest - timedelta(days=(latest.isoweekday() - weekday.value - 1) % 7 + 1)


class _Count(NamedTuple):
    """A number of units, or one of them."""

    got: Words
    which: str
    unit: int
    least: int
    most: int
    counted: bool
    """Whether it has a number."""

    @classmethod
    def of(cls, tokens: Sequence[_Token], got: Words, which: str) -> _Count:
        named = _either(got, "unit", "units", "clock")
        if not named.kind:
            raise ValueError("a number alone")
        counts = _of_kinds(tokens, "count", "number")
        some = _FEW if got.keys() & {"units", "recent"} else (1, 1)
        least = min((token.value for token in counts), default=some[0])
        most = max((token.place for token in counts), default=some[1])
        return cls(got, which, named.value, least, most, bool(counts))

    @property
    def fine(self) -> int:
        """The unit to which it is exact."""
        return _MINUTE if "clock" in self.got else _DAY

    @property
    def reaches_now(self) -> bool:
        """Whether it is the time up to now, and no unit of the calendar."""
        kinds = self.got.keys()
        near = bool(kinds & {"past", "recent", "units", "clock"})
        return self.counted or near or {"the", "last"} <= kinds


def _counted(count: _Count, now: datetime) -> _Stretch:
    """A number of units, ago or up to now or from now on; or this unit, the last or the next."""
    got, unit = count.got, count.unit
    if _either(got, *_AGO).kind:
        return _ago(count, now)
    if not count.counted and unit in (_MINUTE, _DAY):
        raise ValueError("an idiom: my last day, at the last minute")
    tonight = _whole(now, _DAY).end
    if count.counted and count.which == "next":
        return _Stretch(_floor(now, count.fine), _shift(tonight, unit, count.most))
    if count.reaches_now:
        return _Stretch(_floor(_shift(now, unit, -count.most), count.fine), tonight)
    back = _either(got, "last", "gone")
    return _whole(now, unit, -back.value if back.kind else count.which == "next")


def _ago(count: _Count, now: datetime) -> _Stretch:
    unit, fine = count.unit, count.fine
    near, far = _shift(now, unit, -count.least), _shift(now, unit, -count.most)
    first, last = _floor(far, fine), _whole(near, fine).end
    if count.got.keys() & {"over", "under"}:
        return _Stretch(first, last)
    return _Stretch(
        min(_floor(far, unit), first - _SLACK[unit]),
        max(_whole(near, unit).end, last + _SLACK[unit]),
    )


# --- Times that name no date

OPENINGS = r"""
(?P<whole> that\s(?:spring|summer|autumn|fall|winter)\b )
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
    year when while vor nach seit während bis als bevor nachdem seitdem
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
        past = past or word[1].lower() in _PAST or bool(regular.search(word[1]))
        end = word.end()
    return end if past and end > opening.end() else 0
