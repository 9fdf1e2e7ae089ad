"""Two runs as a page that needs nothing else: what differs, how sure that is, and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from recollect_evals import metrics, plots
from recollect_evals.comparing import Comparison
from recollect_evals.glossary import COUNT, MEASURES, TERMS
from recollect_evals.plots import Difference, Mark, Series
from recollect_evals.rows import Row
from recollect_evals.statistics import LEAST, Verdict

_PERCENTILES = (0.5, 0.75, 0.9, 0.95, 0.99)

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --back: #ffffff;
  --card: #f6f8fa; --a: #0b62c4; --b: #b4540a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d;
  --back: #0d1117; --card: #161b22; --a: #6cb2ff; --b: #f0a35e; } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--back);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 0 0 .25rem }
p { margin: .25rem 0 } .soft, figcaption { color: var(--soft); font-size: .87rem }
.a { color: var(--a) } .b { color: var(--b) } .key { font-size: 1.1em }
.verdict { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .9rem 1.1rem; margin: 1.25rem 0 }
.verdict ul { margin: .25rem 0; padding-left: 1.2rem }
.grid { columns: 2 27rem; column-gap: 1.25rem; margin: 1.25rem 0 }
figure { margin: 0 0 1.25rem; padding: 1rem 1.1rem; break-inside: avoid;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px }
svg { width: 100%; height: auto; display: block; margin-top: .5rem }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg text.name { fill: var(--soft) }
svg .grid { stroke: var(--line) } svg .axis { stroke: var(--soft) }
svg .ideal { stroke: var(--soft); stroke-dasharray: 5 5 }
svg .dot { fill-opacity: .78; stroke: var(--card); stroke-width: 1 }
svg .dot.a { fill: var(--a) } svg .dot.b { fill: var(--b) } svg .dot.none { fill: var(--soft) }
svg .thin { fill: none; stroke-width: 1; stroke-opacity: .6 }
svg .curve { fill: none; stroke-width: 2.2 } svg .curve.b { stroke-dasharray: 7 3 }
svg .thin.a, svg .curve.a, svg .whisker.a { stroke: var(--a) }
svg .thin.b, svg .curve.b, svg .whisker.b { stroke: var(--b) }
svg .whisker { stroke-width: 2.2 } svg .whisker.none { stroke: var(--soft) }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .87rem }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; font-variant-numeric: tabular-nums }
th { color: var(--soft); font-weight: 600 } td:first-child, th:first-child { text-align: left }
td.words { text-align: left; white-space: normal; color: var(--soft) }
details { margin-top: 1.5rem } summary { cursor: pointer; font-weight: 600 }
"""


def page(found: Comparison) -> str:
    """The whole of it as HTML."""
    a, b = found.a["run"], found.b["run"]
    names = {"a": a, "b": b}
    title = f"{a} against {b}"
    return "\n".join([
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{escape(title)}</h1>",
        *_head(found),
        *_verdict(found),
        '<div class="grid">',
        *_figures(found, names),
        "</div>",
        _table(found, names),
        _words(found),
        "</main></body></html>",
    ])  # fmt: skip


# ------------------------------------------------------------------ words


def _head(found: Comparison) -> Iterator[str]:
    data, one = found.a["data"], found.a
    documents = f", {data['documents']:,} documents" if data.get("documents") else ""
    yield (
        f'<p class="soft">{escape(one["name"])} ({escape(one["suite"])}), '
        f"{'both halves' if one['half'] == 'all' else one['half'] + ' half'}: "
        f"{one['questions']} questions{documents}; data "
        f"{escape(data['sha'])}. {escape(one['at'])} and {escape(found.b['at'])}.</p>"
    )
    changed = "; ".join(
        f"{escape(name)} {escape(str(was))} → {escape(str(now))}"
        for name, (now, was) in found.changed.items()
    )
    yield f'<p class="soft">Changed, from the second to the first: {changed or "nothing"}.</p>'


def _verdict(found: Comparison) -> Iterator[str]:
    won: dict[str, list[str]] = {"a": [], "b": []}
    for name, one in found.verdicts.items():
        if one.winner:
            won[one.winner].append(name)
    yield '<section class="verdict"><h2>What can be said</h2>'
    if any(won.values()):
        yield "<ul>"
        for side, run in (("a", found.a["run"]), ("b", found.b["run"])):
            if won[side]:
                said = ", ".join(map(escape, won[side]))
                yield f'<li><b class="{side}">{escape(run)}</b> is better in {said}.</li>'
        yield "</ul>"
    else:
        yield "<p>Neither run is better beyond chance in anything that was measured.</p>"
    few = [name for name, one in found.verdicts.items() if one.n < LEAST]
    if few:
        said = ", ".join(map(escape, few))
        yield f'<p class="soft">Too few questions to tell: {said} (a verdict needs {LEAST}).</p>'
    yield (
        '<p class="soft">Better is said only where the interval of the paired difference '
        "(bootstrap, 10,000 resamples) leaves out 0 and a permutation test agrees, both corrected "
        f"for {len(found.verdicts)} comparisons (Bonferroni).</p>"
    )
    if found.stability:
        told = ", ".join(
            f"{escape(name)} {i.mean:.3f} ({i.low:.3f} … {i.high:.3f})"
            for name, i in found.stability.items()
        )
        yield f'<p class="soft">What came back in both: {told}.</p>'
    yield "</section>"


def _table(found: Comparison, names: Mapping[str, str]) -> str:
    head = "".join(
        f"<th>{escape(cell)}</th>"
        for cell in ("measure", names["a"], names["b"], "difference", "interval", "p", "d",
                     "win / tie / loss", "n", "better")
    )  # fmt: skip
    return (
        '<h2>Every measure</h2><div class="scroll"><table><thead><tr>'
        + head
        + "</tr></thead><tbody>"
        + "".join(_line(name, one, names) for name, one in found.verdicts.items())
        + "</tbody></table></div>"
    )


def _line(name: str, one: Verdict, names: Mapping[str, str]) -> str:
    gap = one.difference
    better = f'<span class="{one.winner}">{escape(names[one.winner])}</span>' if one.winner else "–"
    size = "" if one.d is None else f"{one.d:+.2f}"
    cells = (
        escape(name), _shown(one.a), _shown(one.b), f"{gap.mean:+.4g}",
        f"{gap.low:+.4g} … {gap.high:+.4g}", f"{one.p:.4f}", size,
        " / ".join(map(str, one.counts)), str(one.n), better,
    )  # fmt: skip
    about = escape(MEASURES[name].words)
    return f'<tr title="{about}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _words(found: Comparison) -> str:
    measures = {name: MEASURES[name] for name in found.verdicts}
    rows = [(name, one.words, one.range) for name, one in measures.items()]
    rows += [(name, term.words, term.range) for name, term in TERMS.items()]
    body = "".join(
        f'<tr><td>{escape(name)}</td><td class="words">{escape(words)}</td>'
        f'<td class="words">{escape(values)}</td></tr>'
        for name, words, values in rows
    )
    return f"<details><summary>What the words mean</summary><table>{body}</table></details>"


def _shown(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"


# ------------------------------------------------------------------ pictures


def _figures(found: Comparison, names: Mapping[str, str]) -> Iterator[str]:
    key = plots.legend(names)
    shares, counts = _gaps(found.verdicts)
    yield _figure(
        "Paired differences",
        "Right of 0 the first run is better. Bars are corrected intervals; grey where no winner "
        "can be named. What is counted is told as a share of the second run's mean.",
        plots.differences(shares, "difference of shares", 0.05)
        + plots.differences(counts, "difference in %, less is right", 5),
        key,
    )
    if all("calibration" in one for one in (found.a, found.b)):
        yield _figure(
            "Is the confidence true?",
            "Answers in ten bins of as many each. On the dashed line, what is said to be 70 % sure "
            "is right 70 times in 100.",
            plots.reliability([_reliable(found, side) for side in plots.SIDES]), key,
        )  # fmt: skip
        yield _figure(
            "What does it cost to answer more?", "The surest answers first: lower is better. "
            f"Area under the curve {found.a['aurc']:.3f} and {found.b['aurc']:.3f}.",
            plots.coverage_risk([_curve(found, side) for side in plots.SIDES]), key,
        )  # fmt: skip
    if any(found.a.get("savings", {}).values()):
        yield _figure(
            "Tokens a question, against reading",
            "Of an agent that greps and stops at the evidence, reads every hit, or reads all there "
            "is. The bar is 80 % fewer at no less recall.",
            plots.dots(_tokens(found), "tokens a question, mean (by powers of ten)", log=True)
            + _savings(found),
            key,
        )  # fmt: skip
    if "ms" in found.verdicts:
        yield _figure(
            "How long an answer takes", "Percentiles, on the machines of these runs.",
            plots.dots(_times(found), "milliseconds"), key,
        )  # fmt: skip


def _figure(title: str, caption: str, drawn: str, key: str) -> str:
    if not drawn:
        return ""
    return (
        f"<figure><h2>{escape(title)}</h2><figcaption>{escape(caption)}</figcaption>{key}{drawn}"
        "</figure>"
    )


def _gaps(verdicts: Mapping[str, Verdict]) -> tuple[list[Difference], list[Difference]]:
    """Differences of shares, and of counts in percent; + is better for the first."""
    shares, counts = [], []
    for name, one in verdicts.items():
        measure, gap = MEASURES[name], one.difference
        sign = 1 if measure.higher_is_better else -1
        low, high = sorted((sign * gap.low, sign * gap.high))
        says = f"{name}: {_shown(one.a)} and {_shown(one.b)}, n = {one.n}; {one.why}"
        made = Difference(name, sign * gap.mean, low, high, one.winner, says)
        if measure.range != COUNT:
            shares.append(made)
        elif one.b:
            scale = 100 / abs(one.b)
            moved = (made.middle * scale, made.low * scale, made.high * scale)
            counts.append(Difference(name, *moved, one.winner, says))
    return shares, counts


def _of(found: Comparison, side: str) -> tuple[Mapping[str, Any], Sequence[Row]]:
    return (found.a, found.ours) if side == "a" else (found.b, found.theirs)


def _reliable(found: Comparison, side: str) -> Series:
    record, _ = _of(found, side)
    bins = record["calibration"]["reliability"]
    return Series(record["run"], side, [(b[1], b[2]) for b in bins], [int(b[0]) for b in bins])


def _curve(found: Comparison, side: str) -> Series:
    record, rows = _of(found, side)
    points = metrics.risk_coverage([(row.confidence, row.right) for row in rows])
    return Series(record["run"], side, [(p.coverage, p.risk) for p in points])


def _tokens(found: Comparison) -> list[tuple[str, list[Mark]]]:
    made = []
    for side in plots.SIDES:
        record, rows = _of(found, side)
        asked = [row for row in rows if row.answerable]
        value = sum(row.measures["tokens"] for row in asked) / len(asked)
        says = f"{record['run']}: {value:,.0f} tokens"
        made.append((record["run"], [Mark(record["run"], value, side, says)]))
    for name, saved in found.a["savings"].items():
        asked = [row for row in found.ours if row.answerable]
        if saved:
            value = saved["baseline_tokens"] / len(asked)
            says = f"{name}: {value:,.0f} tokens at recall {saved['baseline_recall']:.3f}"
            made.append((name, [Mark(name, value, "none", says)]))
    return made


def _savings(found: Comparison) -> str:
    """What is saved at what recall, and whether that is enough."""
    rows = []
    for record in (found.a, found.b):
        for name, saved in record.get("savings", {}).items():
            if saved:
                than = "fewer" if saved["saved"] >= 0 else "more"
                cells = (
                    record["run"], f"{abs(saved['saved']):.1%} {than} than {name}",
                    f"recall {saved['recall']:.3f} to {saved['baseline_recall']:.3f}",
                    "met" if saved["met"] else "not met",
                )  # fmt: skip
                rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _times(found: Comparison) -> list[tuple[str, list[Mark]]]:
    made = []
    for share in _PERCENTILES:
        marks = []
        for side in plots.SIDES:
            record, rows = _of(found, side)
            value = metrics.percentile([row.measures["ms"] for row in rows], share)
            says = f"{record['run']}: {value:,.0f} ms"
            marks.append(Mark(record["run"], value, side, says))
        made.append((f"p{share * 100:g}", marks))
    return made
