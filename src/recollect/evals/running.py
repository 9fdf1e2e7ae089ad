"""A suite, asked as a user asks: every group is imported into a store of its own through
:class:`recollect.Memory`, and each question goes down the read path of production, past the cache.

What is measured must not depend on what else the machine is doing, so the reranker's clock does
not cut it short unless that is asked for. An interrupted run goes on where it was, if it is asked
again with the same data, code, models and policy; else it is another run.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import recollect
from recollect.errors import InputError, QueryError, StoreBusy, UsageError
from recollect.evals import precisionmembench
from recollect.evals.baselines import Baselines
from recollect.evals.ledger import Ledger
from recollect.evals.rows import MEASURES, Row, measured, summary
from recollect.evals.suites import SOURCE, Group, Question, Suite, Survey, load, survey
from recollect.memory import Memory, Progress
from recollect.types import Answer, Budget, Document, Policy, hashed, iso, stable_id

HALVES = ("test", "fit", "all")
NO_CLOCK = 600_000
_READY = "complete"
_READS_ONLY = ("reading", "surfaces", "evals", "testing")
"""Packages that have no say in what a store holds."""
Report = Callable[[Progress], None]


class Plan(NamedTuple):
    """How a suite is to be asked."""

    mode: str | None = None
    changes: Mapping[str, Any] = {}
    """Knobs of the policy that differ from the mode's."""
    half: str = "test"
    keep: bool = False
    """Whether the stores stay, for the next run to use."""


def ablations(given: Sequence[str], limit_fixed: int | None = None) -> dict[str, Any]:
    """Changes to the policy from ``KNOB=VALUE``; a fixed limit asks for so many results and lets
    no grade decide otherwise."""
    changes: dict[str, Any] = {}
    if limit_fixed is not None:
        changes = {"limit": limit_fixed, "cut": False, "keep": 0.0, "budget": None}
    for one in given:
        knob, equals, value = one.partition("=")
        if not equals or knob == "mode" or knob not in Policy._fields:
            known = ", ".join(name for name in Policy._fields if name != "mode")
            raise UsageError(f"{one!r} is no KNOB=VALUE", hint=f"knobs: {known}")
        changes[knob] = _value(value)
    return changes


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def run(kind: str, path: Path, plan: Plan, ledger: Ledger, report: Report) -> dict[str, Any]:
    """Ask a suite, and keep what came back. Returns the line of ``results.jsonl``."""
    if plan.half not in HALVES:
        raise UsageError(f"there is no half {plan.half!r}", hint=f"one of {', '.join(HALVES)}")
    if kind == "precisionmembench":
        return _precise(path, plan, ledger)
    started, suite = monotonic(), load(kind, path)
    holds = survey(suite)
    chosen = holds.questions if plan.half == "all" else holds.halves.get(plan.half, 0)
    if not chosen:
        said = ", ".join(f"{half} {count}" for half, count in holds.halves.items())
        raise InputError(f"{suite.name}: no question is in the {plan.half} half ({said})")
    with_ = _resolved(plan)
    digest = suite.digest()
    key = stable_id(kind, digest, plan.half, _code(), repr(with_))
    shared = stable_id(digest, _code(*_READS_ONLY), repr(with_.models), repr(with_.importing))
    stores = _Stores(ledger.folder / "stores", key, shared, plan.keep)
    with _alone(ledger.folder / "partial" / f"{key}.lock"):
        rows = {row.id: row for row in ledger.partial(key)}
        report(Progress("asking", len(rows), chosen))
        for row in _asked(suite, plan, with_.policy, stores, rows.keys(), report):
            ledger.keep(key, row)
            rows[row.id] = row
            report(Progress("asking", len(rows), chosen))
        return ledger.finish(suite.name, key, list(rows.values()), {
            **_about(kind, suite.name, plan, started),
            "data": {**_counts(holds), "sha": digest},
            "models": with_.models, "limits": with_.limits, "policy": with_.policy._asdict(),
            **summary(list(rows.values())),
            "glossary": _glossary(rows.values()),
        })  # fmt: skip


class _With(NamedTuple):
    """What every question is asked with."""

    policy: Policy
    models: dict[str, str]
    limits: dict[str, Any]
    """What the configuration lets be seen, where it limits that."""
    importing: dict[str, Any]


def _resolved(plan: Plan) -> _With:
    with tempfile.TemporaryDirectory() as nowhere, Memory.open(nowhere) as memory:
        plain = memory.query("anything", mode=plan.mode).policy._replace(rerank_ms=NO_CLOCK)
        for name, value in plan.changes.items():
            if not _fits(value, getattr(plain, name), name):
                hint = f"it is {getattr(plain, name)!r} otherwise"
                raise UsageError(f"{name} cannot be {value!r}", hint=hint)
        policy = plain._replace(**plan.changes)
        policy.check()
        seen, settings = memory.filter(), memory.config.values
        return _With(
            policy,
            {"embed": memory.status().model, "rerank": str(memory.config["rerank.model"])},
            {name: getattr(seen, name) for name in seen.limits},
            {name: found.value for name, found in settings.items() if name.startswith("import.")},
        )


def _fits(value: Any, was: Any, name: str) -> bool:
    """Whether a value is of the kind that a knob takes."""
    if name in ("budget", "recency") and value is None:
        return True
    if isinstance(was, bool) or isinstance(value, bool):
        return isinstance(was, bool) and isinstance(value, bool)
    if was is None or isinstance(was, float):
        return isinstance(value, int | float)
    return isinstance(value, type(was))


class _Stores(NamedTuple):
    """Where groups are stored: apart for each run, and removed when it has asked them; or shared
    by runs that import the same in the same way, and kept."""

    folder: Path
    run: str
    shared: str
    keep: bool

    def of(self, group: Group) -> tuple[Path, bool]:
        """The place of a group, and whether it stays."""
        name = stable_id(group.name)
        kept = self.folder / self.shared / name
        if self.keep or (kept / _READY).exists():
            return kept, True
        return self.folder / self.run / name, False


@contextmanager
def _alone(file: Path, *, wait: bool = False) -> Iterator[None]:
    """While no other process is at this; the lock ends with the process, however that ends."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w") as held:
        try:
            flock(held, LOCK_EX if wait else LOCK_EX | LOCK_NB)
        except OSError as error:
            raise StoreBusy("another process is at the same run", hint="wait for it") from error
        yield


def _asked(
    suite: Suite, plan: Plan, policy: Policy, stores: _Stores, done: Any, report: Report
) -> Iterator[Row]:
    for group in suite.groups():
        todo = [
            q for q in group.questions if plan.half in ("all", q.half) and q.id not in done
        ]  # fmt: skip
        if not todo:
            continue
        place, stays = stores.of(group)
        with _alone(place.with_suffix(".lock"), wait=True) if stays else nullcontext():
            memory = _filled(group, place, report)
        with memory:
            baselines = Baselines(group.documents)
            for question in todo:
                answer = ask(memory, question, plan.mode, policy)
                reads = {
                    "grep": baselines.grep(question.text, question.gold),
                    "dump": baselines.dump(question.gold),
                }
                yield measured(question, answer, reads)
        if not stays:
            shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):  # what another run still needs stays
        (stores.folder / stores.run).rmdir()


def ask(memory: Memory, question: Question, mode: str | None, policy: Policy) -> Answer:
    """The answer of production under this policy. A question that the query syntax refuses gets
    nothing, and its status says so."""
    try:
        query = memory.query(
            question.text, mode=mode, now=question.date, owner=question.owner,
            scopes=question.scopes,
        )  # fmt: skip
        return memory.ask(query._replace(policy=policy))
    except QueryError as error:
        return Answer(
            query=question.text, status="no_results", tier=3, mode=policy.mode, intent="general",
            confidence=0.0, results=(), total_found=0, hidden={}, degraded=(error.message,),
            budget=Budget(policy.budget, 0, 0, 0, 0), fingerprint="", stages=(), timing_ms=0.0,
        )  # fmt: skip


def _filled(group: Group, place: Path, report: Report) -> Memory:
    """A store that holds the group's documents, imported as any file is."""
    ready = place / _READY
    if not ready.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    memory = Memory.open(place / "store")
    if ready.exists():
        return memory
    file = place / "documents.jsonl"
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(_line(document) for document in group.documents)
        receipt = memory.add(file, source=SOURCE, report=report)
        if receipt.failed:
            first = receipt.failed[0]
            raise InputError(
                f"{group.name}: {len(receipt.failed)} of {len(group.documents)} documents were not "
                f"imported: {first.where}: {first.reason}"
            )
    except BaseException:
        memory.close()
        raise
    file.unlink()
    ready.touch()
    return memory


def _line(document: Document) -> str:
    whole = document.as_json()
    shown = {name: whole[name] for name in ("kind", "title", "path", "date", "owner", "scopes")}
    shown = {"id": document.external, **shown}
    if document.messages:
        shown["turns"] = [
            {"role": m.role, "text": m.text, "date": iso(m.date)} for m in document.messages
        ]
    else:
        shown["text"] = document.text
    as_what = "session" if document.messages else "document"
    return json.dumps({"as": as_what, **shown}) + "\n"


# ------------------------------------------------------------------ PrecisionMemBench


def _precise(path: Path, plan: Plan, ledger: Ledger) -> dict[str, Any]:
    """Its cases are about whole contexts, so a case passes or does not."""
    if plan.mode or plan.changes or plan.half != "all":
        raise UsageError(
            "precisionmembench is asked whole, with the defaults",
            hint="leave out --mode, --ablate and --limit-fixed, and give --half all",
        )
    started = monotonic()
    files = tuple(path / name for name in precisionmembench.FILES)
    if missing := [file.name for file in files if not file.is_file()]:
        raise InputError(f"{path}: there is no {', '.join(missing)}")
    digest = Suite("precisionmembench", path.name, files, lambda: iter(())).digest()
    rows = [
        Row(
            outcome.case, "all", "; ".join(outcome.problems), outcome.active, "", 0.0,
            not outcome.problems, (), False,
            {"passed": good} | ({"passed_active": good} if outcome.active else {}), {},
        )
        for some in precisionmembench.outcomes(path).values()
        for outcome in some
        for good in [float(not outcome.problems)]
    ]  # fmt: skip
    if not rows:
        raise InputError(f"{path}: there are no cases")
    about = _about("precisionmembench", path.name, plan, started)
    return ledger.finish(path.name, "", rows, {
        **about, "data": {"questions": len(rows), "sha": digest}, "policy": {}, **summary(rows),
        "glossary": _glossary(rows),
    })  # fmt: skip


# ------------------------------------------------------------------ what is kept of a run


def _about(kind: str, name: str, plan: Plan, started: float) -> dict[str, Any]:
    return {
        "suite": kind,
        "name": name,
        "at": iso(datetime.now(UTC).replace(microsecond=0)),
        "seconds": round(monotonic() - started, 1),
        "version": recollect.__version__,
        "code": _code(),
        "half": plan.half,
        "mode": plan.mode,
        "changes": dict(plan.changes),
        "machine": {
            "system": platform.system(), "architecture": platform.machine(),
            "cpus": os.cpu_count(), "python": platform.python_version(),
        },
    }  # fmt: skip


def _counts(holds: Survey) -> dict[str, Any]:
    return {**holds._asdict(), "halves": dict(holds.halves), "left_out": dict(holds.left_out)}


def _glossary(rows: Any) -> dict[str, str]:
    used = {name for row in rows for name in row.measures}
    return {name: measure.words for name, measure in MEASURES.items() if name in used}


@cache
def _code(*but: str) -> str:
    """A name for the code that is measured, another after any change to it; without the packages
    that are named."""
    home = Path(recollect.__file__).parent
    files = (f for f in sorted(home.rglob("*.py")) if f.relative_to(home).parts[0] not in but)
    return hashed(b"\0".join(file.read_bytes() for file in files), 6).hex()
