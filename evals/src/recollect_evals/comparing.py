"""Two runs of one suite, question by question: what differs beyond chance, and what only seems to.

Every measure that both runs have is a comparison, and the verdicts are corrected for their number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import UsageError
from recollect_evals.glossary import MEASURES, explained
from recollect_evals.ledger import Ledger
from recollect_evals.metrics import jaccard_at, same_first
from recollect_evals.provenance import Drift
from recollect_evals.rows import SERVED, Row, by_measure
from recollect_evals.statistics import LEAST, Interval, Verdict, bootstrap, compare


class Comparison(NamedTuple):
    """Run a against run b, measure by measure."""

    a: Mapping[str, Any]
    b: Mapping[str, Any]
    """What is kept of the runs."""
    verdicts: Mapping[str, Verdict]
    changed: Mapping[str, tuple[Any, Any]]
    """What is not the same of their policies, models, code and version: of a, and of b."""
    stability: Mapping[str, Interval]
    """How much of what a returns b returns too."""
    ours: Sequence[Row] = ()
    theirs: Sequence[Row] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "a": self.a["run"],
            "b": self.b["run"],
            "changed": {name: list(both) for name, both in self.changed.items()},
            "comparisons": len(self.verdicts),
            "measures": {name: verdict.as_json() for name, verdict in self.verdicts.items()},
            "stability": {name: found.as_json() for name, found in self.stability.items()},
            "glossary": explained(self.verdicts),
        }


class Gate(NamedTuple):
    """Whether a run is no worse than a baseline, as far as that can be told."""

    comparison: Comparison
    """The run as a, the baseline as b."""

    @property
    def regressions(self) -> list[str]:
        return [name for name, v in self.comparison.verdicts.items() if v.winner == "b"]

    @property
    def untold(self) -> list[str]:
        """Measures with too few questions to tell."""
        return [name for name, v in self.comparison.verdicts.items() if v.n < LEAST]

    def as_json(self) -> dict[str, Any]:
        return {
            "passed": not self.regressions,
            "regressions": self.regressions,
            "too_few_questions": self.untold,
            **self.comparison.as_json(),
        }


def compared(
    ledger: Ledger, a: str, b: str, measures: Collection[str] = tuple(MEASURES)
) -> Comparison:
    """Two finished runs of the same data, by those of the *measures* that both have."""
    one, other = ledger.record(a), ledger.record(b)
    if ("shuffled" in one) != ("shuffled" in other):
        raise UsageError("one of the runs has shuffled gold", hint="it says nothing of the other")
    if one["data"]["sha"] != other["data"]["sha"]:
        raise UsageError(
            f"{one['run']} and {other['run']} are of different data",
            hint="runs are compared question by question, so both need the same files",
        )
    ours, theirs = ledger.rows(one["run"]), ledger.rows(other["run"])
    mine, others = by_measure(ours), by_measure(theirs)
    both = [n for n in mine if n in others and mine[n].keys() & others[n].keys()]
    if not both:
        raise UsageError("the two have no question in common", hint="compare runs of one half")
    wanted = [name for name in both if name in measures]
    if not wanted:
        raise UsageError("the runs have none of these measures", hint=f"they have {both}")
    verdicts = {
        name: compare(
            mine[name], others[name], comparisons=len(wanted),
            higher_is_better=MEASURES[name].higher_is_better,
        )
        for name in wanted
    }  # fmt: skip
    changed, stays = _changed(one, other), _stability(ours, theirs)
    return Comparison(one, other, verdicts, changed, stays, ours, theirs)


def gate(ledger: Ledger, run: str, baseline: str, measures: Sequence[str] = ()) -> Gate:
    """Whether *run* is worse than *baseline* beyond noise in any of the *measures*, or in anything
    that is gated. Refuses where too few questions tell of none of them: that is no pass."""
    gated = measures or [name for name, measure in MEASURES.items() if measure.gated]
    found = Gate(compared(ledger, run, baseline, gated))
    verdicts = found.comparison.verdicts
    if unknown := [name for name in measures if name not in verdicts]:
        raise UsageError(f"the runs do not both have {', '.join(unknown)}")
    if len(found.untold) == len(verdicts):
        raise UsageError(
            f"{max(v.n for v in verdicts.values())} questions in common are too few to tell",
            hint=f"a verdict needs at least {LEAST}",
        )
    return found


def _changed(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    def told(record: Mapping[str, Any]) -> dict[str, Any]:
        fields = ("version", "code", "commit", "half", "rendered")
        plain = {name: record.get(name) for name in fields}
        if "store" in record["data"]:
            plain["what the store holds"] = record["data"]["store"]
        models = {f"model {job}": name for job, name in record.get("models", {}).items()}
        return {**plain, **models, **record.get("policy", {})}

    mine, theirs = told(one), told(other)
    return {
        name: (mine.get(name), theirs.get(name))
        for name in mine | theirs
        if mine.get(name) != theirs.get(name)
    }


def _stability(ours: Sequence[Row], theirs: Sequence[Row]) -> dict[str, Interval]:
    other = {row.id: row.documents for row in theirs}
    pairs = [(r.documents, other[r.id]) for r in ours if r.id in other and r.status]
    if not pairs:
        return {}
    return {
        "jaccard@10": bootstrap([jaccard_at(a, b, 10) for a, b in pairs]),
        "same_first": bootstrap([same_first(a, b) for a, b in pairs]),
    }


# ------------------------------------------------------------------ as Markdown


def list_markdown(records: Sequence[Mapping[str, Any]]) -> str:
    """The runs that are kept, oldest first."""
    if not records:
        return "no runs yet: `recollect eval run sample` makes one"
    lines = ["| run | at | half | mode | questions | commit |", "|---|---|---|---|---|---|"]
    for one in records:
        changes = ", ".join(f"{knob}={value}" for knob, value in one["changes"].items())
        mode = " ".join(filter(None, (one["policy"].get("mode"), changes)))
        lines.append(
            f"| {one['run']} | {one['at']} | {one['half']} | {mode} | {one['questions']} | "
            f"{one.get('commit') or one['code']} |"
        )
    return "\n".join(lines)


def drift_text(found: Drift) -> str:
    if not found.any:
        return f"nothing of {found.files} files has changed since {found.run} ({found.at})"
    lines = [f"since {found.run} ({found.at}):"]
    for what in ("changed", "added", "removed"):
        lines += [f"  {what:8} {name}" for name in getattr(found, what)]
    return "\n".join(lines)


def run_markdown(record: Mapping[str, Any]) -> str:
    """What a run found, as a table with what it rests on."""
    data, half = record["data"], record["half"]
    lines = [
        f"### {record['run']}: {record['questions']} questions "
        f"({half if half != 'all' else 'both halves'}) of {data['questions']}, "
        f"{data.get('documents', 0):,} documents",
        "",
        "| measure | mean | 95 % | n | what it is |",
        "|---|---|---|---|---|",
    ]
    for name, found in record["measures"].items():
        low, high = _shown(found["low"]), _shown(found["high"])
        lines.append(
            f"| {name} | {_shown(found['mean'])} | {low} … {high} | {found['n']} | "
            f"{MEASURES[name].words} |"
        )
    if "calibration" in record:
        lines += ["", *_confidence_lines(record)]
    savings = {} if "shuffled" in record else record.get("savings") or {}
    for name, saved in savings.items():
        if saved:
            share = saved["saved"]
            than = "fewer" if share >= 0 else "more"
            lines.append(
                f"Against {name}: {abs(share):.1%} {than} tokens at recall "
                f"{saved['recall']:.3f} to {saved['baseline_recall']:.3f} "
                f"({saved['bar']}: {'met' if saved['met'] else 'not met'})."
            )
            both, gap = saved["where_both_have_all"], saved["recall_difference"]
            if both["saved"] is not None:
                lines.append(
                    f"The recall differs by {gap['low']:+.3f} … {gap['high']:+.3f}; on the "
                    f"{both['questions']} questions for which both have all the evidence "
                    f"{both['saved']:.1%} of the tokens are saved."
                )
    for name, told in record.get("shuffled", {}).items():
        verdict = "at chance" if told["at_chance"] else "ABOVE CHANCE"
        lines.append(
            f"Shuffled gold: {name} {told['scored']:.4f}, by chance {told['chance']:.4f} "
            f"(p = {told['p']:.3f}): {verdict}."
        )
    if data.get("learned"):
        lines.append(
            f"{data['learned']} of these questions were learned from by what ships: no test."
        )
    if data.get("fitted_on"):
        lines.append(
            f"Something that ships was fitted on {data['fitted_on']} of the {data['questions']} "
            "questions of this set: it is not an unseen one."
        )
    left = data.get("left_out") or {}
    lines += [f"Left out: {count} questions, {why}." for why, count in left.items()]
    return "\n".join(lines)


def _confidence_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """What the confidences of a run are worth, and how long its answers took."""
    off, took, told = record["calibration"], record["latency_ms"], record["abstention"]
    single = f"; of single results {off['results_ece']:.3f}" if "results_ece" in off else ""
    yield (
        f"Calibration error {off['ece_mass']:.3f} (bins of equal mass; {off['ece_width']:.3f} "
        f"of equal width{single}), AURC {record['aurc']:.3f}; p50 {took['p50']:.0f} ms, "
        f"p95 {took['p95']:.0f} ms; {record['degraded']} answers degraded."
    )
    if "auroc" in told:
        refused = ", ".join(f"{told[f'refused@{s}']:.3f} where {s:.0%} are served" for s in SERVED)
        yield (
            f"Of {told['unanswerable']} questions without an answer, held against "
            f"{told['answerable']} with one: AUROC {told['auroc']:.3f}; refused {refused}."
        )


def markdown(found: Comparison) -> str:
    """The comparison as a table; no winner is named that is not one."""
    a, b = found.a["run"], found.b["run"]
    lines = [
        f"### {a} against {b}",
        "",
        f"| measure | {a} | {b} | difference | interval | p | d | win / tie / loss | n | better |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, v in found.verdicts.items():
        d = "" if v.d is None else f"{v.d:+.2f}"
        winner = {"a": a, "b": b, None: "–"}[v.winner]
        if v.n < LEAST:
            winner = f"– ({v.why})"
        gap = v.difference
        lines.append(
            f"| {name} | {_shown(v.a)} | {_shown(v.b)} | {gap.mean:+.4g} | "
            f"{gap.low:+.4g} … {gap.high:+.4g} | {v.p:.4f} | {d} | "
            f"{' / '.join(map(str, v.counts))} | {v.n} | {winner} |"
        )
    count = len(found.verdicts)
    lines += [
        "",
        f"Paired bootstrap (10,000 resamples) at 95 %, and a permutation test, both corrected for "
        f"{count} comparisons (Bonferroni). Better is told only where both agree, of at least "
        f"{LEAST} questions.",
    ]
    if found.stability:
        said = ", ".join(f"{name} {i.mean:.3f}" for name, i in found.stability.items())
        lines.append(f"What came back: {said}.")
    lines += [f"Changed: {name} {one!r} → {to!r}" for name, (to, one) in found.changed.items()]
    if unpaired := max(v.unpaired for v in found.verdicts.values()):
        lines.append(f"Not compared: {unpaired} questions that only one of the runs has.")
    return "\n".join(lines)


def _shown(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"
