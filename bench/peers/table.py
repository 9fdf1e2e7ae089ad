"""The tables of ``docs/peers.md`` and of ``docs/measured.md``, put between their marks; the rest
of these pages is written by hand. What was not measured is shown as –."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers.engines import ENGINES
from bench.peers.measuring import Measured
from bench.peers.sets import Set, summary
from bench.unseen.sets import SETS
from recollect.errors import InputError
from recollect_evals.statistics import compare


class Marks(NamedTuple):
    """The lines between which tables are put."""

    begin: str
    end: str


ALL = Marks("<!-- tables -->", "<!-- end of tables -->")
OVERVIEW = Marks("<!-- peers -->", "<!-- end of peers -->")
NONE = "–"
US = "recollect"
COMPARED = {
    "all@5": True, "all@10": True, "set_precision": True, "set_all": True, "evidence_shown": True,
    "tokens": False,
}  # fmt: skip
"""What a peer is held against us in, and whether more is better."""
Results = Mapping[str, Mapping[str, Measured]]
"""set → engine → what it did."""


def render(sets: Sequence[Set], results: Results, failed: Mapping[str, str]) -> str:
    days = sorted({did.day for got in results.values() for did in got.values()}) or ["never"]
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    cpu = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    parts = [f"Measured {when} on {cpu} (shared with other work).", *_inventory(sets)]
    parts += ["\n## Evidence shown, and tokens\n", overview(sets, results)]
    for data in sets:
        got = results[data.name]
        if got:
            parts += [f"\n## {data.name}\n", *_quality(got), "", *_cost(got)]
    parts += ["\n## Where a peer is ahead, and where not\n", *_verdicts(sets, results)]
    parts += ["\n## Setup, and what was not run\n", *_setups(results, failed)]
    return "\n".join(parts)


def overview(sets: Sequence[Set], results: Results) -> str:
    """Returns a table of all engines: of each set the share of questions whose evidence is shown,
    with the tokens of a question; and how many questions are left open, as a mean of the sets."""
    lines = _head(
        "engine", *(one.name for one in sets), "left open, with answer", "left open, without"
    )
    for name in ENGINES:
        did = [results[one.name].get(name) for one in sets]
        ran = [one for one in did if one is not None]
        lines.append(_row([
            name, *(_shown(one) for one in did), _mean_share([one.false_left_open for one in ran]),
            _mean_share([one.left_open for one in ran]),
        ]))  # fmt: skip
    return "\n".join(lines)


def _shown(did: Measured | None) -> str:
    if did is None:
        return NONE
    return f"{_share(did.mean('evidence_shown'))} ({did.tokens:,.0f})"


def _mean_share(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _share(sum(known) / len(known) if known else None)


def write(path: Path, tables: str, marks: Marks) -> None:
    """Puts the tables between the marks of the file. Raises InputError where it has none."""
    text = path.read_text("utf-8")
    begin, end = marks
    if begin not in text or end not in text:
        raise InputError(f"{path}: there are no {begin} … {end} to put the tables between")
    head, rest = text.split(begin, 1)
    path.write_text(f"{head}{begin}\n{tables}\n{end}{rest.split(end, 1)[1]}", "utf-8")


def _row(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _head(*names: str) -> list[str]:
    return [_row(names), _row(["---"] * len(names))]


def _inventory(sets: Sequence[Set]) -> Iterator[str]:
    yield ""
    yield from _head(
        "set", "domain", "documents", "half", "questions", "with evidence", "without an answer"
    )
    for about in summary(sets):
        domain = SETS[about["set"]].domain if about["set"] in SETS else NONE
        yield _row([
            about["set"], domain, f"{about['documents']:,}", about["half"], about["questions"],
            about["evidence"] or NONE, about["without"] or NONE,
        ])  # fmt: skip


def _quality(got: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head(
        "engine", "all@5", "all@10", "nDCG@10", "default: documents", "precision", "all documents",
        "evidence shown", "tokens", "left open, with answer", "without", "tokens without",
    )  # fmt: skip
    for name, did in got.items():
        ranked, returned = (
            [_number(did.mean(measure), 3) for measure in some]
            for some in (("all@5", "all@10", "ndcg@10"),
                         ("set_precision", "set_all", "evidence_shown"))
        )  # fmt: skip
        yield _row([
            name, *ranked, _number(did.mean("set_size"), 1), *returned, _number(did.tokens),
            _share(did.false_left_open), _share(did.left_open), _number(did.tokens_without),
        ])  # fmt: skip


def _share(value: float | None) -> str:
    return _number(value, 2)


def _number(value: float | None, digits: int = 0) -> str:
    return NONE if value is None else f"{value:,.{digits}f}"


def _cost(got: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head(
        "engine", "documents/s", "texts embedded", "embedding s", "documents/s with embedding",
        "query p50 ms", "p95 ms", "processor p50 ms", "peak MB", "disk MB",
    )  # fmt: skip
    for name, did in got.items():
        whole = did.documents / (did.ingest_s + did.embedding_s)
        yield _row([
            name, _figure(did.documents / did.ingest_s), _number(did.texts or None),
            _number(did.embedding_s if did.texts else None), _figure(whole),
            f"{did.p50_ms:.1f}", f"{did.p95_ms:.1f}", f"{did.cpu_ms:.1f}",
            f"{did.peak_mb:.0f}", f"{did.disk_mb:.1f}",
        ])  # fmt: skip


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _verdicts(sets: Sequence[Set], results: Results) -> Iterator[str]:
    """Question by question, by the rule of ``eval compare``, for every peer and set at once."""
    pairs = [
        (data.name, name, did, got[US])
        for data in sets
        if US in (got := results[data.name])
        for name, did in got.items()
        if name != US
    ]
    if not pairs:
        yield "Nothing to compare: recollect and a peer are needed."
        return
    comparisons = len(pairs) * len(COMPARED)
    yield (
        f"By the rule of `eval compare`, corrected for all {comparisons} comparisons: **+** "
        "recollect is better, **−** the peer is, · neither is shown."
    )
    yield ""
    yield from _head("set", "peer", *COMPARED)
    for where, name, theirs, ours in pairs:
        verdicts = (_verdict(measure, ours, theirs, comparisons) for measure in COMPARED)
        yield _row([where, name, *verdicts])


def _verdict(measure: str, ours: Measured, theirs: Measured, comparisons: int) -> str:
    if measure not in ours.by_question:
        return NONE
    said = compare(
        ours.by_question[measure], theirs.by_question[measure],
        comparisons=comparisons, higher_is_better=COMPARED[measure],
    )  # fmt: skip
    gain = said.a - said.b
    shown = f"{gain:+,.0f}" if measure == "tokens" else f"{gain:+.3f}"
    return f"{ {'a': '**+**', 'b': '**−**', None: '·'}[said.winner] } {shown}"


def _setups(results: Results, failed: Mapping[str, str]) -> Iterator[str]:
    yield from _head("engine", "version", "by", "set up as")
    for name, engine in ENGINES.items():
        did = next((got[name] for got in results.values() if name in got), None)
        if did is not None:
            yield _row([name, did.version, engine.by, engine.setup])
    if failed:
        yield ""
        yield from _head("not run", "why")
        for name, why in failed.items():
            yield _row([name, why.replace("|", "/")])
