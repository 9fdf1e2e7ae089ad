"""Numbers that follow from others: sums, differences, what is left, ratios, and counts.

A result counts where the sentence says that it is one ("in total", "by", "left"), and only numbers
of one unit or of one noun are added up: with a few numbers at hand, some sum or difference is near
any number. A day of a month and a year are no amounts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from operator import attrgetter

from recollect.named_tuple import NamedTuple
from recollect.text.support import tables
from recollect.text.support.reading import ClauseReading, ClauseToken

_MOST = 8
"""Numbers of which sums are formed."""
_NEAR = 1e-6


class Result(NamedTuple):
    """A number that follows from others."""

    how: str
    value: float
    high: ClauseToken | None = None
    low: ClauseToken | None = None
    """Of a difference: the greater number, and the smaller one."""


Results = Iterator[Result]


def computed(
    figure: ClauseToken, sentence: str, said: ClauseReading, spans: ClauseReading
) -> Result | None:
    """How a number or a time of day follows from those of the spans; None where it does not."""
    if figure.kind == "time":
        return _first_of(_ends(figure, spans), figure)
    if figure.word.lower() in tables.RATIOS:
        return _first_of(_ratios(spans.of("number")), figure)
    given = {one.value for one in said.of("number")}
    values = [_in_unit(one, figure) for one in spans.of("number") if _comparable(figure, one)]
    values = values[:_MOST]
    ways = (
        (tables.SUMS, _sums(values, given)),
        (tables.DIFFERENCES, _differences(values, given)),
        (tables.TIMES, _durations(figure, spans.of("time")[:_MOST])),
        (tables.REST, _rests(values, given)),
        (tables.TIMES, _days(figure, spans.of("number"))),
    )
    cued = (results for cue, results in ways if re.search(cue, sentence, re.IGNORECASE))
    return _first_of(chain.from_iterable(cued), figure) or _count(figure, spans)


def _first_of(results: Iterable[Result], figure: ClauseToken) -> Result | None:
    return next((one for one in results if _same(one.value, figure.value)), None)


def _ends(time: ClauseToken, spans: ClauseReading) -> Results:
    """When what begins at a time of the spans ends, and the sums of two such times."""
    times = spans.of("time")
    lengths = [length for length in spans.of("number") if length.unit]
    for one, length in product(times, lengths):
        end = one.value + length.value * tables.UNITS[length.unit].factor / 60
        yield Result(f"{one.word} + {length.word} {length.unit} = {time.word}", end)
    for one, two in combinations(times, 2):
        yield Result(f"{one.word} + {two.word} = {time.word}", one.value + two.value)


def _comparable(number: ClauseToken, other: ClauseToken) -> bool:
    """Whether a number may be computed from another: no date is an amount, and only a number
    without a unit may have that of the other."""
    if _is_day(number) or _is_day(other):
        return False
    return "" in (number.unit, other.unit) or _dimension(number) == _dimension(other)


def _is_day(token: ClauseToken) -> bool:
    return token.after in tables.MONTH_NUMBERS and token.value <= 31


def _dimension(token: ClauseToken) -> str:
    return tables.UNITS[token.unit].dimension


def _in_unit(token: ClauseToken, figure: ClauseToken) -> ClauseToken:
    """The token with its value in the unit of the figure."""
    if "" in (token.unit, figure.unit):
        return token
    scale = tables.UNITS[token.unit].factor / tables.UNITS[figure.unit].factor
    return token._replace(value=token.value * scale, unit=figure.unit)


def is_year(token: ClauseToken) -> bool:
    return not token.unit and 1900 <= token.value <= 2100 and token.value.is_integer()


def _alike(one: ClauseToken, two: ClauseToken) -> bool:
    """Whether both are amounts of the same: in one unit, or of one noun, where both have one; or
    years."""
    if is_year(one) or is_year(two):
        return is_year(one) and is_year(two)
    if one.unit and two.unit:
        return tables.UNITS[one.unit] == tables.UNITS[two.unit]
    return bool(one.unit or two.unit) or "" in (one.after, two.after) or one.after == two.after


def _same(one: float, two: float) -> bool:
    return abs(one - two) < _NEAR * max(1.0, abs(one))


def _sums(values: Sequence[ClauseToken], given: set[float]) -> Results:
    """A sentence that says all the parts lists them, and adds nothing up."""
    for size in range(len(values), 1, -1):
        for some in combinations(values, size):
            if all(one.value in given for one in some) or not _are_alike(some):
                continue
            total = sum(one.value for one in some)
            yield Result(f"{' + '.join(one.word for one in some)} = {total:g}", total)


def _are_alike(some: Sequence[ClauseToken]) -> bool:
    return all(_alike(one, two) for one, two in combinations(some, 2))


def _differences(values: Sequence[ClauseToken], given: set[float]) -> Results:
    return _less([(one, two) for one, two in combinations(values, 2) if _alike(one, two)], given)


def _rests(values: Sequence[ClauseToken], given: set[float]) -> Results:
    """What is left of a whole: what was taken may have another noun, or none."""
    return _less(combinations(values, 2), given)


def _less(pairs: Iterable[tuple[ClauseToken, ClauseToken]], given: set[float]) -> Results:
    for one, two in pairs:
        if {one.value, two.value} <= given:
            continue
        high, low = sorted((one, two), key=attrgetter("value"), reverse=True)
        less = high.value - low.value
        yield Result(f"{high.word} − {low.word} = {less:g}", less, high, low)


def _days(day: ClauseToken, numbers: Sequence[ClauseToken]) -> Results:
    """The days of its month that are so many days after one that is told."""
    firsts = [
        one for one in numbers if one.after == day.after and day.after in tables.MONTH_NUMBERS
    ]
    lengths = [one for one in numbers if one.unit and _dimension(one) == "time"]
    for one, two in product(firsts, lengths):
        later = two.value * tables.UNITS[two.unit].factor / tables.UNITS["day"].factor
        yield Result(f"{one.word} + {two.word} {two.unit}", one.value + later)


def _ratios(numbers: Sequence[ClauseToken]) -> Results:
    """How many times the first number the second is: "doubled", "halved"."""
    for one, two in combinations(numbers[:_MOST], 2):
        if one.value and one.unit == two.unit and _alike(one, two):
            times = two.value / one.value
            yield Result(f"{two.word} / {one.word} = {times:g}", times)


def _durations(number: ClauseToken, times: Sequence[ClauseToken]) -> Results:
    unit = tables.UNITS.get(number.unit)
    if unit is None or unit.dimension != "time":
        return
    for one, two in combinations(times, 2):
        minutes = abs(two.value - one.value)
        yield Result(f"from {one.word} to {two.word}", minutes * 60 / unit.factor)


def _count(number: ClauseToken, spans: ClauseReading) -> Result | None:
    """Whether the spans list so many things, name so many where they list none, have the noun
    that is counted so many times, or so many amounts of one unit. A measure is not counted, nor is
    a day."""
    if number.unit or number.after in tables.MONTH_NUMBERS or not 2 <= number.value <= 20:
        return None
    listed = spans.lists or {len(spans.keys("name", "id"))}
    repeats = Counter(one.key for one in spans.tokens)
    amounts = Counter(one.unit for one in spans.of("number") if one.unit)
    counts = {*listed, repeats[number.after], *amounts.values()}
    return Result(f"{number.value:g} are listed", number.value) if number.value in counts else None
