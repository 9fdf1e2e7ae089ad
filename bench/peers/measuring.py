"""One engine on one set: run in its own process, measured, and kept.

What an engine did is kept by everything that it depends on (data, requirements, our adapter and, of
recollect, its code), so that a run that is interrupted goes on where it was.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from bench.peers import peer, vectors, worker
from bench.peers.engines import Engine
from bench.peers.environments import Unavailable, python_for
from bench.peers.sets import Set
from recollect.text.tokens import count_tokens
from recollect_evals import metrics

ROOT = Path(__file__).resolve().parents[2]
RUN_S = 1_800
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
QUIET = {
    "ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False", "DO_NOT_TRACK": "1",
    "POSTHOG_DISABLED": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip


class Measured(NamedTuple):
    """What an engine did with a set: means over its questions."""

    version: str
    day: str
    """When it was measured."""
    documents: int
    texts: int
    ingest_s: float
    """Without embedding."""
    embedding_s: float
    p50_ms: float
    p95_ms: float
    cpu_ms: float
    """The processor's, at the median: what else the machine does changes it less."""
    peak_mb: float
    disk_mb: float
    left_open: float | None
    """Of the questions without an answer."""
    false_left_open: float | None
    """Of those with one."""
    tokens: float
    """Of the text that a reader gets by default for a question with an answer."""
    tokens_without: float | None
    """And for one without."""
    by_question: dict[str, dict[str, float]]
    """measure → question → value, over the questions that have an answer; ``evidence_shown`` over
    those whose evidence is known."""

    def mean(self, measure: str) -> float | None:
        return _mean(list(self.by_question.get(measure, {}).values()))


def run(name: str, engine: Engine, data: Set, work: Path, fresh: bool = False) -> Measured:
    """What the engine does with the set. Raises Unavailable where it cannot be installed, crashes
    or takes too long."""
    kept = _kept(name, engine, data, work)
    if fresh or not kept.exists():
        python = python_for(engine.requirements, work / name)
        made = _worked(engine, data, python, work, work / name)
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(json.dumps(made), "utf-8")
        part.replace(kept)
    return measured(json.loads(kept.read_text("utf-8")), data)


def recorded(name: str, engine: Engine, data: Set, work: Path) -> Measured | None:
    """Returns what the engine did with the set in an earlier run; None where it was not run."""
    kept = _kept(name, engine, data, work)
    return measured(json.loads(kept.read_text("utf-8")), data) if kept.exists() else None


def _kept(name: str, engine: Engine, data: Set, work: Path) -> Path:
    return work / "rows" / f"{name}-{data.name}-{_key(engine, data)}.json"


def measured(made: dict[str, Any], data: Set) -> Measured:
    """The figures of what a worker wrote, by the formulas of ``recollect eval``."""
    rows = [_read(row, made["returned"]) for row in made["rows"]]
    by: dict[str, dict[str, float]] = {}
    for row in rows:
        if data.gold[row["id"]]:
            for measure, value in _values(row, data).items():
                by.setdefault(measure, {})[row["id"]] = value
    open_ = metrics.abstention((bool(data.gold[r["id"]]), not r["left_open"]) for r in rows)
    times = [row["ms"] for row in rows]
    return Measured(
        made["version"], made["day"], data.stored, made["texts"], made["ingest_s"],
        made["embedding_s"],
        metrics.percentile(times, 0.5), metrics.percentile(times, 0.95),
        metrics.percentile([row["cpu_ms"] for row in rows], 0.5),
        made["peak_mb"], made["disk_mb"], open_.correct, open_.false,
        _mean([r["tokens"] for r in rows if data.gold[r["id"]]]) or 0.0,
        _mean([r["tokens"] for r in rows if not data.gold[r["id"]]]), by,
    )  # fmt: skip


def _read(row: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Returns the row with the text that came back of each document, and the tokens of what a
    reader gets."""
    shown: dict[str, str] = {}
    for document, place in zip(row["documents"], row["texts"], strict=True):
        shown[document] = f"{shown.get(document, '')}\n{texts[place]}"
    tokens = sum(count_tokens(texts[place]) for place in row["read"])
    return {**row, "shown": shown, "tokens": tokens}


def _values(row: dict[str, Any], data: Set) -> dict[str, float]:
    gold, evidence = data.gold[row["id"]], data.evidence[row["id"]]
    some = metrics.returned(row["documents"], gold)
    values = {
        "all@5": metrics.all_evidence_at(row["wide"], gold, 5),
        "all@10": metrics.all_evidence_at(row["wide"], gold, 10),
        "ndcg@10": metrics.ndcg_at(row["wide"], gold, 10),
        "set_precision": some.precision,
        "set_all": some.everything,
        "set_size": some.size,
        "tokens": row["tokens"],
    }
    if evidence.units:
        values["evidence_shown"] = metrics.evidence_shown(evidence, row["shown"])
    return values


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _worked(engine: Engine, data: Set, python: Path, work: Path, home: Path) -> dict[str, Any]:
    """What the worker writes, in a scratch folder that is also its home."""
    scratch = home / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "store").mkdir(parents=True)
    job, out = scratch / "job.json", scratch / "out.json"
    job.write_text(json.dumps({
        "adapter": engine.adapter, "package": engine.package, "documents": str(data.documents),
        "questions": str(data.questions), "ranked": [id for id, gold in data.gold.items() if gold],
        "folder": str(scratch / "store"),
        "vectors": str(work / "vectors.db"), "out": str(out),
    }), "utf-8")  # fmt: skip
    command = [str(python), "-m", "bench.peers.worker", str(job)]
    try:
        done = subprocess.run(
            command, cwd=scratch, env=_environment(scratch), capture_output=True, text=True,
            errors="replace", timeout=RUN_S, check=False,
        )  # fmt: skip
        if done.returncode or not out.exists():
            raise Unavailable(_reason(done))
        made: dict[str, Any] = json.loads(out.read_text("utf-8"))
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{data.name} took longer than {RUN_S // 60} minutes") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return made


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if done.returncode < 0:
        return f"its process was ended by signal {-done.returncode}"
    return f"it failed: {said[-1][:300] if said else f'exit {done.returncode}'}"


def _environment(home: Path) -> dict[str, str]:
    """Next to nothing of the caller's: no key, no setting of an engine, no place to report to."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    sources = (Path(file).parents[1] for file in (recollect.__file__, metrics.__file__))
    path = os.pathsep.join(map(str, (*sources, ROOT)))
    return kept | QUIET | {"HOME": str(home), "PYTHONPATH": path}


NO_SAY = ("doctor", "samples", "testing")
"""Packages of recollect that have no say in what it answers."""


def _key(engine: Engine, data: Set) -> str:
    adapter = Path(__file__).parent / "adapters" / f"{engine.adapter}.py"
    files = [adapter, *(Path(str(module.__file__)) for module in (peer, worker, vectors))]
    if engine.requirements and engine.requirements.is_file():
        files.append(engine.requirements)
    if engine.package == "recollect":
        home = Path(recollect.__file__).parent
        every = sorted([*home.rglob("*.py"), *home.rglob("*.json")])
        files += [file for file in every if file.relative_to(home).parts[0] not in NO_SAY]
    whole = sha256(data.digest.encode())
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()[:12]
