"""The figures of ``recollect stats`` as a table for a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from recollect.surfaces import terminal
from recollect.surfaces.phrases import some, when
from recollect.telemetry import Figures, Usage

STATUSES = {
    "direct_passages": "found",
    "cached_answer": "answered before",
    "synthesized": "synthesized",
    "needs_synthesis": "no direct answer",
    "no_results": "nothing known",
}
GLOSSARY = {
    "calls": "searches that were counted",
    "statuses": "searches by the status of their answer",
    "cache": "hit: the same question; near: in other words; miss: searched; off: not asked",
    "hit_rate": "the share of hit and near among hit, near and miss",
    "grades": "answers by confidence, in five bands from 0 to 1",
    "empty": "searches that returned nothing, by the reason",
    "results": "results that were returned, in all searches together",
    "dropped": "results that were over the budget",
    "truncated": "results that were cut to fit the budget",
    "degraded": "searches in which a stage was missing or failed",
    "latency_ms": "milliseconds that half (p50) and 95% (p95) of the searches did not exceed",
    "used": "tokens that were returned",
    "everything_estimated": "tokens of all that was found, had it been returned whole",
    "saved_estimated": "the difference of the two",
}
"""The words of ``stats --json``."""
_EMPTY = {"graded_low": "graded too low", "nothing_found": "nothing was there"}
_BARS = "▁▂▃▄▅▆▇█"
_DAYS = 14


def table(usage: Usage, style: terminal.Style) -> str:
    total, days = usage.total, len(usage.by("day"))
    span = (date.fromisoformat(usage.last) - date.fromisoformat(usage.first)).days + 1
    lines = [f"{style.bold}{usage.first} to {usage.last}{style.off}"]
    if not total.calls:
        said = f"no search was counted in the last {span} days" if span > 1 else "none today"
        return "\n".join([*lines, said, *_notes(usage)])
    many = searches(total.calls)
    lines += [f"{many} on {days} of {span} days, {total.calls / days:,.1f} a day"]
    lines += ["", *_summary(total), ""]
    for field, most in (("mode", 99), ("intent", 99), ("day", _DAYS)):
        rows = list(usage.by(field).items())[-most:]
        lines.append(f"{style.dim}{_row(f'by {field}', None)}{style.off}")
        lines += [_row(key, figures) for (key,), figures in rows]
        lines.append("")
    return "\n".join([*lines, *_notes(usage)]).rstrip()


def _notes(usage: Usage) -> list[str]:
    off = "searches are not counted now: `recollect config set telemetry true` changes that"
    return some(
        when(not usage.recording, off),
        when(usage.problem, f"some searches are not counted yet: {usage.problem}"),
    )


def _summary(total: Figures) -> Iterator[str]:
    yield _line(
        "answers",
        (
            f"{STATUSES.get(name, name)} {_share(count, total.calls)}"
            for name, count in total.under("status").items()
        ),
    )
    yield _line("grades", [f"{_bars(total.grades)}  from 0 to 1"])
    yield _line("cache", [_cache(total)])
    half, most = total.percentile(0.5), total.percentile(0.95)
    yield _line("time", [f"half within {duration(half)}", f"95% within {duration(most)}"])
    yield _line(
        "tokens",
        [
            f"{total.a_call('tokens.used'):,.0f} a search, {short(total.used)} in all",
            f"{short(total.saved)} less than all found (estimated)",
        ],
    )
    yield _line(
        "results",
        [
            f"{total.a_call('results'):.1f} a search",
            f"{total.a_call('dropped'):.1f} over the budget",
            f"{total.counts['truncated']:,} cut short",
        ],
    )
    causes = [f"{cause(name)} {count:,}" for name, count in total.under("empty").items()]
    degraded = total.counts["degraded"]
    yield from some(
        when(total.empty, _line("empty", causes)),
        when(degraded, _line("degraded", [_share(degraded, total.calls)])),
    )


def _line(name: str, parts: Iterator[str] | list[str]) -> str:
    return f"{name:10}{' · '.join(parts)}"


def _cache(total: Figures) -> str:
    if total.hit_rate is None:
        return "never asked"
    near = total.counts["cache.near"]
    return (
        f"{total.hit_rate:.0%} of {total.probes:,} answered from it "
        f"({total.counts['cache.hit']:,} the same question, {near:,} a near one)"
    )


def searches(count: int) -> str:
    return f"{count:,} search{'es' * (count != 1)}"


def cause(name: str) -> str:
    """Why nothing was returned, in words."""
    if name.startswith("filter."):
        return f"hidden by the limit on {name.removeprefix('filter.')}"
    return _EMPTY.get(name, name)


def _share(count: int, of: int) -> str:
    return f"{count / of:.0%} ({count:,})"


def _bars(counts: tuple[int, ...]) -> str:
    most = max(counts) or 1
    return " ".join(
        f"{_BARS[min(7, round(7 * count / most))] if count else ' '} {count:,}" for count in counts
    )


def _row(name: str, figures: Figures | None) -> str:
    """One line of a table; its head where there are no figures."""
    if figures is None:
        return f"{name:14}{'searches':>9}{'cache':>7}{'half':>9}{'95%':>9}{'tokens':>9}{'empty':>7}"
    rate = "" if figures.hit_rate is None else f"{figures.hit_rate:.0%}"
    half, most = figures.percentile(0.5), figures.percentile(0.95)
    empty = f"{figures.empty / figures.calls:.0%}" if figures.calls else ""
    return (
        f"{name:14}{figures.calls:>9,}{rate:>7}{duration(half):>9}{duration(most):>9}"
        f"{figures.a_call('tokens.used'):>9,.0f}{empty:>7}"
    )


def duration(ms: float | None) -> str:
    if ms is None:
        return "–"
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2g} ms"


def short(number: float) -> str:
    """1,234 as 1.2 k."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f}"
