"""Numbers that follow from others: sums, differences, what is left, and counts.

A result counts where the sentence says that it is one ("in total", "by", "left"): with a few
numbers at hand, some sum or difference is near any number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from recollect.text.support import tables
from recollect.text.support.reading import ClauseReading, ClauseToken

_MOST = 8
"""Numbers of which sums are formed."""
_NEAR = 1e-6


def computed(number: ClauseToken, sentence: str, said: ClauseReading, spans: ClauseReading) -> str:
    """How the number follows from those of the spans; empty where it does not."""
    given = {one.value for one in said.of("number")}
    values = [one for one in spans.of("number") if _comparable(number, one)][:_MOST]
    times = spans.of("time")[:_MOST]
    for cue, results in (
        (tables.SUMS, _sums(values, given)),
        (tables.DIFFERENCES, _differences(values, given)),
        (tables.DIFFERENCES, _durations(number, times)),
        (tables.REST, _differences(values, given)),
    ):
        if re.search(cue, sentence, re.IGNORECASE):
            found = next((how for how, value in results if _same(value, number.value)), "")
            if found:
                return found
    return _count(number, spans)


def reckoned(time: ClauseToken, spans: ClauseReading) -> str:
    """How a time of day, or the sum of two, follows from those of the spans."""
    times, numbers = spans.of("time"), spans.of("number")
    for one in times:
        for length in numbers:
            minutes = length.value * tables.UNITS[length.unit].factor / 60 if length.unit else 0
            if minutes and _same(one.value + minutes, time.value):
                return f"{one.word} + {length.word} {length.unit} = {time.word}"
    for one, two in combinations(times, 2):
        if _same(one.value + two.value, time.value):
            return f"{one.word} + {two.word} = {time.word}"
    return ""


def _comparable(number: ClauseToken, other: ClauseToken) -> bool:
    if not (number.unit and other.unit):
        return True
    return tables.UNITS[number.unit] == tables.UNITS[other.unit]


def _same(one: float, two: float) -> bool:
    return abs(one - two) < _NEAR * max(1.0, abs(one))


def _sums(values: Sequence[ClauseToken], given: set[float]) -> Iterator[tuple[str, float]]:
    """A sentence that says all the parts lists them, and adds nothing up."""
    for size in range(len(values), 1, -1):
        for some in combinations(values, size):
            if all(one.value in given for one in some):
                continue
            total = sum(one.value for one in some)
            yield f"{' + '.join(one.word for one in some)} = {total:g}", total


def _differences(values: Sequence[ClauseToken], given: set[float]) -> Iterator[tuple[str, float]]:
    for one, two in combinations(values, 2):
        if {one.value, two.value} <= given:
            continue
        high, low = (one, two) if one.value >= two.value else (two, one)
        yield f"{high.word} − {low.word} = {high.value - low.value:g}", high.value - low.value
        if high.after in _months() or low.after in _months():
            yield f"{one.word} + {two.word}", one.value + two.value


def _months() -> frozenset[str]:
    return frozenset(tables.MONTHS.values())


def _durations(number: ClauseToken, times: Sequence[ClauseToken]) -> Iterator[tuple[str, float]]:
    unit = tables.UNITS.get(number.unit)
    if unit is None or unit.dimension != "time":
        return
    for one, two in combinations(times, 2):
        minutes = abs(two.value - one.value)
        yield f"from {one.word} to {two.word}", minutes * 60 / unit.factor


def _count(number: ClauseToken, spans: ClauseReading) -> str:
    """Whether the spans list so many things, or name so many where they list none."""
    names = len({token.key for token in spans.of("name")})
    known = spans.lists or {names}
    repeats = {sum(one.key == token.key for one in spans.tokens) for token in spans.of("word")}
    sorts = Counter(one.unit or one.after for one in spans.of("number"))
    wanted = 0 if number.after in _months() else number.value
    return (
        f"{wanted:g} are listed"
        if 2 <= wanted <= 20 and wanted in known | repeats | {*sorts.values()}
        else ""
    )
