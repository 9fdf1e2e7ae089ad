"""Numbers that follow from others: sums, differences, what is left, and counts.

A result counts where the sentence says that it is one ("in total", "by", "left"): with a few
numbers at hand, some sum or difference is near any number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from operator import attrgetter

from recollect.text.support import tables
from recollect.text.support.reading import ClauseReading, ClauseToken

_MOST = 8
"""Numbers of which sums are formed."""
_NEAR = 1e-6


Results = Iterator[tuple[str, float]]
"""What can be computed: how, and the value."""


def computed(figure: ClauseToken, sentence: str, said: ClauseReading, spans: ClauseReading) -> str:
    """How a number or a time of day follows from those of the spans; empty where it does not."""
    if figure.kind == "time":
        return _first_of(_ends(figure, spans), figure)
    given = {one.value for one in said.of("number")}
    values = [one for one in spans.of("number") if _comparable(figure, one)][:_MOST]
    ways = (
        (tables.SUMS, _sums(values, given)),
        (tables.DIFFERENCES, _differences(values, given)),
        (tables.DIFFERENCES, _durations(figure, spans.of("time")[:_MOST])),
        (tables.REST, _differences(values, given)),
    )
    cued = (results for cue, results in ways if re.search(cue, sentence, re.IGNORECASE))
    return _first_of(chain.from_iterable(cued), figure) or _count(figure, spans)


def _first_of(results: Iterable[tuple[str, float]], figure: ClauseToken) -> str:
    return next((how for how, value in results if _same(value, figure.value)), "")


def _ends(time: ClauseToken, spans: ClauseReading) -> Results:
    """When what begins at a time of the spans ends, and the sums of two such times."""
    times = spans.of("time")
    lengths = [length for length in spans.of("number") if length.unit]
    for one, length in product(times, lengths):
        end = one.value + length.value * tables.UNITS[length.unit].factor / 60
        yield f"{one.word} + {length.word} {length.unit} = {time.word}", end
    for one, two in combinations(times, 2):
        yield f"{one.word} + {two.word} = {time.word}", one.value + two.value


def _comparable(number: ClauseToken, other: ClauseToken) -> bool:
    return "" in (number.unit, other.unit) or tables.UNITS[number.unit] == tables.UNITS[other.unit]


def _same(one: float, two: float) -> bool:
    return abs(one - two) < _NEAR * max(1.0, abs(one))


def _sums(values: Sequence[ClauseToken], given: set[float]) -> Results:
    """A sentence that says all the parts lists them, and adds nothing up."""
    for size in range(len(values), 1, -1):
        for some in combinations(values, size):
            if all(one.value in given for one in some):
                continue
            total = sum(one.value for one in some)
            yield f"{' + '.join(one.word for one in some)} = {total:g}", total


def _differences(values: Sequence[ClauseToken], given: set[float]) -> Results:
    for one, two in combinations(values, 2):
        if {one.value, two.value} <= given:
            continue
        high, low = sorted((one, two), key=attrgetter("value"), reverse=True)
        yield f"{high.word} − {low.word} = {high.value - low.value:g}", high.value - low.value
        if {high.after, low.after} & tables.MONTH_NUMBERS.keys():
            yield f"{one.word} + {two.word}", one.value + two.value


def _durations(number: ClauseToken, times: Sequence[ClauseToken]) -> Results:
    unit = tables.UNITS.get(number.unit)
    if unit is None or unit.dimension != "time":
        return
    for one, two in combinations(times, 2):
        minutes = abs(two.value - one.value)
        yield f"from {one.word} to {two.word}", minutes * 60 / unit.factor


def _count(number: ClauseToken, spans: ClauseReading) -> str:
    """Whether the spans list so many things, or name so many where they list none."""
    if number.after in tables.MONTH_NUMBERS or not 2 <= number.value <= 20:
        return ""
    listed = spans.lists or {len(spans.keys("name"))}
    repeats = Counter(one.key for one in spans.tokens)
    sorts = Counter(one.unit or one.after for one in spans.of("number"))
    counts = {*listed, *(repeats[key] for key in spans.keys("word")), *sorts.values()}
    return f"{number.value:g} are listed" if number.value in counts else ""
