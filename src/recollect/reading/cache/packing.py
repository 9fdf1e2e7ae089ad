"""An answer as JSON and back, without loss: every field in its place, whatever it is called."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import starmap
from typing import Any

from recollect.moments import iso
from recollect.nouns import (
    Answer,
    Budget,
    CacheReport,
    Contribution,
    Earlier,
    Named,
    Result,
    Signals,
    Span,
    Stage,
    TimeFound,
    stable_id,
)

_PARTS = (Answer, Budget, Contribution, Earlier, Named, Result, Signals, Span, Stage, TimeFound)
SHAPE = stable_id(*(f"{part.__name__}{part._fields}" for part in _PARTS))
"""A name for the fields that there are: what was packed with others is not unpacked."""


def packed(answer: Answer) -> str:
    plain = answer._replace(cache=CacheReport(), answer=None, written=None, web=None)
    return json.dumps(plain, default=_written, ensure_ascii=False, separators=(",", ":"))


def _written(value: Any) -> Any:
    return iso(value) if isinstance(value, datetime) else dict(value)


def unpacked(text: str) -> Answer:
    raw = Answer(*json.loads(text))
    return raw._replace(
        results=tuple(_result(Result(*one)) for one in raw.results),
        degraded=tuple(raw.degraded),
        budget=Budget(*raw.budget),
        stages=tuple(starmap(Stage, raw.stages)),
        cache=CacheReport(),
        hints=tuple(raw.hints),
        named=tuple(_named(Named(*one)) for one in raw.named),
        relaxed=tuple(raw.relaxed),
        time=_time(TimeFound(*raw.time)) if raw.time else None,
    )


def _date(raw: Any) -> datetime | None:
    return datetime.fromisoformat(raw) if raw else None


def _time(raw: TimeFound) -> TimeFound:
    date, since, until = map(_date, (raw.date, raw.since, raw.until))
    dates = tuple(filter(None, map(_date, raw.dates)))
    return raw._replace(date=date, dates=dates, since=since, until=until)


def _named(raw: Named) -> Named:
    return raw._replace(date=_date(raw.date), matched=tuple(raw.matched))


def _span(raw: Span) -> Span:
    return raw._replace(marks=tuple((start, end) for start, end in raw.marks))


def _earlier(raw: Earlier) -> Earlier:
    return raw._replace(date=_date(raw.date), until=_date(raw.until))


def _result(raw: Result) -> Result:
    return raw._replace(
        date=_date(raw.date),
        evidence=tuple(raw.evidence),
        contributions=tuple(starmap(Contribution, raw.contributions)),
        folded=tuple(raw.folded),
        signals=Signals(*raw.signals),
        spans=tuple(_span(Span(*one)) for one in raw.spans),
        earlier=tuple(_earlier(Earlier(*one)) for one in raw.earlier),
    )
