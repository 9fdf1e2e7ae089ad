"""A text in one spelling: dates, signs, versions, bounds, and scripts without spaces.

What means the same is written the same, so that the reading needs one rule for it: 2026-03-04 is
the fourth of March, "no more than" is "≤", "n'a" is "ne a", 三月四日 is a day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from unicodedata import numeric

from recollect.text.support import tables
from recollect.text.terms import RUNS, fold

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ`´", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        **{chr(0xFF01 + n): chr(0x21 + n) for n in range(94)},
        "−": "-",
        "。": ". ",
        "、": ", ",
        "\u3000": " ",
    }
)
_MONTHS = tuple(map(str.capitalize, tables.MONTH_NUMBERS))
_WEEKDAYS = tuple(map(str.capitalize, tables.WEEKDAY_NUMBERS))

Put = str | Callable[[re.Match[str]], str]


def _dated(found: re.Match[str]) -> str:
    """A date in digits, in words; what is none stays as it is."""
    year, _, month, day, time, other_day, other_month, other_year = found.groups("")
    number = int(month or other_month)
    if not 1 <= number <= 12:
        return found[0]
    return f"{day or other_day} {_MONTHS[number - 1]} {year or other_year} {time}".strip()


def _before_year(found: re.Match[str]) -> str:
    """A month with the day before it: "March 4th, 2026", "Sept. 2026"."""
    month, day = found.groups("")
    return f"{day} {month} ".lstrip() if tables.month_number(fold(month)) else found[0]


def _of_year(found: re.Match[str]) -> str:
    return f" {found[1]} " if tables.month_number(fold(found[1])) else found[0]


def _range(found: re.Match[str]) -> str:
    """From one year to another; of all else one word, as with a hyphen."""
    years = len(found[1]) == len(found[2]) == 4
    return f"{found[1]} to {found[2]}" if years else f"{found[1]}-{found[2]}"


_NUMBERS = "|".join(tables.NUMBERS)
_BEFORE_NUMBER = rf"(?=\s?[$€£¥]?-?\d|\s(?:{_NUMBERS})\b)"
_FIGURES: tuple[tuple[str, Put], ...] = (
    (rf"(?i)\b(?:{tables.AT_MOST}){_BEFORE_NUMBER}", " ≤ "),
    (rf"(?i)\b(?:{tables.AT_LEAST}){_BEFORE_NUMBER}", " ≥ "),
    (rf"(?i)\b(?:{tables.NEARLY}){_BEFORE_NUMBER}", " ≈ "),
    (rf"(?i)(?<![\d.,])([$€£¥]?\d[\d.,]*%?(?: \w+)?) (?:{tables.OR_LESS})\b(?!\s?\d)", r"≤ \1"),
    (
        rf"(?i)(?<![\d.,])([$€£¥]?\d[\d.,]*%?(?: \w+)?) (?:{tables.OR_MORE})\b(?!\s?\d)"
        r"|\b(\d+)\+(?!\w)",
        r"≥ \1\2",
    ),
    (
        r"(?a)(?<![\d.-])(\d{4})(?:([-/.])(?=\d\d\2)|-)(\d\d)(?:\2(\d\d))?(?:[T ](\d\d:\d\d)[\d:.]*"
        r"(?:Z|[-+]\d\d:?\d\d)?)?(?![\w/-])|(?<![\d.])(\d\d?)\.\s?(\d\d?)\.\s?(\d{4})\b",
        _dated,
    ),
    (r"\b([^\W\d_]{3,9})\.? (?:(\d\d?)(?:st|nd|rd|th)?,? )?(?=\d{4}\b)", _before_year),
    (r"(?i) del? ([^\W\d_]{4,10}) del? (?=\d{4}\b)", _of_year),
    (r"\((\d{4})\)", r"\1"),
    (r"(?<=\s)–(?=\d)", "-"),
    (r"(?a)(?<![\w.-])(\d+)[-–](\d+)(?![\w-])", _range),
    (r"(?i)\b(?:minus|moins|menos|meno)\s(?=\d)", "-"),
    (r"(?<![\w-])-([$€£¥])(?=\d)", r"\1-"),
    (r"\b[vV](?=\d)", "version "),
    (r"(?<=\d)[\s\u202f\u00a0](?=\d{3}\b)", ""),
    (r"(\d)\s*°\s*C\b", r"\1 celsius"),
    (r"(\d)(?:st|nd|rd|th)\b", r"\1"),
    (r"(\d)-(?=[a-z])", r"\1 "),
)
"""What a text without a number has not."""
_WORDS: tuple[tuple[str, Put], ...] = (
    (r"(?i)\bha(?:s|ve|d) to\b", "must"),
    (r"(?i)\b(?:fail|forg[eo]t|neglect|omit)(?:s|ed|ted|ten)? to\b", "not"),
    (r"(?i)\bwon't\b", "will not"),
    (r"(?i)\bcan(?:'t|not)\b", "can not"),
    (r"(?i)n't\b", " not"),
    (r"(?i)\b(?:no one)\b", "nobody"),
    (r"(?i)\b(\w+)'(?:m|re|ve|ll|d|s)\b", r"\1"),
    (r"(?i)\bn'(?=\w)", "ne "),
    (r"(?i)\b(?:[ldjmtsc]|qu|un|dell|all|nell)'(?=\w)", ""),
    (r"(?<=s)'(?=\s)", ""),
)


@cache
def _has_number() -> re.Pattern[str]:
    return re.compile(rf"(?i)\d|\b(?:{_NUMBERS})\b")


def spelled(text: str) -> str:
    """Returns the text in that spelling; a space more or less does not count."""
    text = text.translate(_SIGNS)
    figures = _FIGURES if _has_number().search(text) else ()
    for pattern, put in (*figures, *_WORDS):
        text = re.sub(pattern, put, text)
    if text.isascii() or not re.search(f"[{RUNS}]", text):
        return text
    for compiled, put in _unspaced():
        text = compiled.sub(put, text)
    return text


# ------------------------------------------------------------------ scripts without spaces

_DIGIT = "[0-9〇零一二两三四五六七八九十百千万億亿]"
_COUNTERS = "年月日号號元块円歳岁個个名台件次倍度天周週点時时"
_DAYS = ("一二三四五六日", "月火水木金土日", "월화수목금토일")
"""What the days of a week are called in Chinese, Japanese and Korean, from Monday on."""


@cache
def _unspaced() -> tuple[tuple[re.Pattern[str], Put], ...]:
    """Compiled when first needed: the class of these scripts is a large one."""
    ways: tuple[tuple[str, Put], ...] = (
        (
            rf"(?<!{_DIGIT}){_DIGIT}{{1,20}}(?=[{_COUNTERS}])|(?<=第){_DIGIT}{{1,20}}",
            _amount,
        ),
        (
            r"(?<!\d)(?:(\d{4}) ?[年년] ?)?(1[0-2]|0?[1-9]) ?[月월]"
            r"(?:份| ?([0-3]?\d) ?[日号號일])?",
            _day,
        ),
        (r"(\d{4}) ?[年년]", r" \1 "),
        (
            r"(?:星期|[礼禮]拜|[周週])([一二三四五六日天])|([月火水木金土日])曜日?|([월화수목금토일])요일",
            _weekday,
        ),
        (rf"(?:至少|最少|最低|少なくとも|(?<!不)超[过過])([{RUNS}]{{0,4}}\s?)(?=\d)", r"\1 ≥ "),
        (rf"(?:至多|最多|最大|不超[过過])([{RUNS}]{{0,4}}\s?)(?=\d)", r"\1 ≤ "),
        (rf"(?<![\d.,])(\d[\d.,]*\s?[{RUNS}]{{0,2}}?)(?:以上|이상)", r" ≥ \1 "),
        (rf"(?<![\d.,])(\d[\d.,]*\s?[{RUNS}]{{0,2}}?)(?:以下|以内|以內|未満|이하|미만)", r" ≤ \1 "),
        (rf"{tables.NO_NEGATION}|({tables.INNER_NEGATION})", _denied),
        (rf"(?<=[{RUNS}])(?=[0-9A-Za-z$€£¥-])|(?<=[0-9A-Za-z%])(?=[{RUNS}])", " "),
    )
    return tuple((re.compile(pattern), put) for pattern, put in ways)


def _amount(found: re.Match[str]) -> str:
    """A Chinese numeral in digits; some of it may be."""
    whole = part = digit = 0
    for value in map(int, map(numeric, found[0])):
        if value < 10:
            digit = 10 * digit + value
        elif value < 10_000:
            part, digit = part + (digit or 1) * value, 0
        else:
            whole, part, digit = (whole + part + digit or 1) * value, 0, 0
    return str(whole + part + digit)


def _day(found: re.Match[str]) -> str:
    return f" {found[3] or ''} {_MONTHS[int(found[2]) - 1]} {found[1] or ''} "


def _weekday(found: re.Match[str]) -> str:
    sign = found[found.lastindex or 1].replace("天", "日")
    return f" {next(_WEEKDAYS[days.index(sign)] for days in _DAYS if sign in days)} "


def _denied(found: re.Match[str]) -> str:
    return " 不 " if found[1] else found[0]
