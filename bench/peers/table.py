"""The tables of ``docs/peers.md``, put between its marks; the rest of it is written by hand."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers.engines import ENGINES
from bench.peers.measuring import Measured
from bench.peers.sets import Set, summary
from recollect.errors import InputError
from recollect.evals.statistics import compare

BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
US = "recollect"
COMPARED = {"all@5": True, "all@10": True, "set_precision": True, "set_all": True, "tokens": False}
"""What a peer is held against us in, and whether more is better."""
Results = Mapping[str, Mapping[str, Measured]]
"""set → engine → what it did."""


def render(
    sets: Sequence[Set], results: Results, failed: Mapping[str, str], now: datetime | None = None
) -> str:
    at = (now or datetime.now(UTC)).date().isoformat()
    cpu = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    parts = [f"Measured {at} on {cpu} (shared with other work).", *_inventory(sets)]
    for data in sets:
        got = results[data.name]
        if got:
            parts += [f"\n## {data.name}\n", *_quality(got), "", *_cost(got)]
    parts += ["\n## Where a peer is ahead, and where not\n", *_verdicts(sets, results)]
    parts += ["\n## Setup, and what was not run\n", *_setups(results, failed)]
    return "\n".join(parts)


def write(path: Path, tables: str) -> None:
    """Put the tables between the marks of the file. Raises InputError where it has none."""
    text = path.read_text("utf-8")
    if BEGIN not in text or END not in text:
        raise InputError(f"{path}: there are no {BEGIN} … {END} to put the tables between")
    head, rest = text.split(BEGIN, 1)
    path.write_text(f"{head}{BEGIN}\n{tables}\n{END}{rest.split(END, 1)[1]}", "utf-8")


def _row(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _head(*names: str) -> list[str]:
    return [_row(names), _row(["---"] * len(names))]


def _inventory(sets: Sequence[Set]) -> Iterator[str]:
    yield ""
    yield from _head("set", "documents", "half", "questions", "without an answer")
    for about in summary(sets):
        yield _row([about["set"], f"{about['documents']:,}", about["half"], about["questions"],
                    about["without"] or "–"])  # fmt: skip


def _quality(got: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head(
        "engine", "all@5", "all@10", "nDCG@10", "default: documents", "precision", "all evidence",
        "tokens", "left open, with answer", "without", "tokens without",
    )  # fmt: skip
    for name, did in got.items():
        means = [f"{did.mean(measure):.3f}" for measure in ("all@5", "all@10", "ndcg@10")]
        yield _row([
            name, *means, f"{did.mean('set_size'):.1f}", f"{did.mean('set_precision'):.3f}",
            f"{did.mean('set_all'):.3f}", f"{did.tokens:,.0f}", _share(did.false_left_open),
            _share(did.left_open),
            "–" if did.tokens_without is None else f"{did.tokens_without:,.0f}",
        ])  # fmt: skip


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _cost(got: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head(
        "engine", "documents/s", "texts embedded", "embedding s", "documents/s with embedding",
        "query p50 ms", "p95 ms", "processor p50 ms", "peak MB", "disk MB",
    )  # fmt: skip
    for name, did in got.items():
        whole = did.documents / (did.ingest_s + did.embedding_s)
        yield _row([
            name, _figure(did.documents / did.ingest_s), f"{did.texts:,}" if did.texts else "–",
            f"{did.embedding_s:.0f}" if did.texts else "–", _figure(whole),
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
        marks = []
        for measure, more in COMPARED.items():
            said = compare(
                ours.by_question[measure], theirs.by_question[measure],
                comparisons=comparisons, higher_is_better=more,
            )  # fmt: skip
            gain = said.a - said.b
            shown = f"{gain:+,.0f}" if measure == "tokens" else f"{gain:+.3f}"
            marks.append(f"{ {'a': '**+**', 'b': '**−**', None: '·'}[said.winner] } {shown}")
        yield _row([where, name, *marks])


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
