"""A suite, asked as a user asks: every group is imported into a store of its own through
:class:`recollect.Memory`, and each question goes down the read path of production, past the cache.

An interrupted run goes on where it was, if it is asked again with the same data, code, models and
policy; else it is another run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import recollect
from recollect.errors import InputError, QueryError, StoreBusy, UsageError
from recollect.memory import Memory
from recollect.moments import iso
from recollect.nouns import Answer, Budget, Document, Policy, Progress, stable_id
from recollect_evals import leaks, provenance, replay, supersession, whole
from recollect_evals.baselines import Baselines
from recollect_evals.glossary import explained
from recollect_evals.ledger import Ledger
from recollect_evals.loaders.folders import SAMPLE
from recollect_evals.planning import HALVES, Plan, resolved
from recollect_evals.questions import SOURCE, Group, Question, Suite, half_of
from recollect_evals.rows import Row, measured, summary
from recollect_evals.spending import Confirm, Guard
from recollect_evals.suites import ASKED, LOADERS, load, survey

PRECISE = ("precisionmembench", "precisionmembench-rest")
SUITES = (*LOADERS, *ASKED, "supersession", *PRECISE, "replay")
NEEDS_NO_PATH = {"sample": SAMPLE, "replay": None}
"""Suites that know where their files are."""
_READY = "complete"
Report = Callable[[Progress], None]


def run(
    kind: str, path: Path | None, plan: Plan, ledger: Ledger, report: Report,
    confirm: Confirm | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Ask a suite, and keep what came back. Returns the line of ``results.jsonl``. *confirm* asks
    somebody who is there; without one, a run that spends needs a cap."""
    if plan.half not in HALVES:
        raise UsageError(f"there is no half {plan.half!r}", hint=f"one of {', '.join(HALVES)}")
    if plan.most is not None and plan.most < 1:
        raise UsageError(f"most is {plan.most}", hint="ask at least one question")
    if path is None and kind not in NEEDS_NO_PATH:
        raise UsageError(f"where is {kind}?", hint="give the file or folder it is in")
    if plan.shuffle and kind not in (*LOADERS, *ASKED):
        raise UsageError(f"{kind} has no gold that could be shuffled")
    if kind in PRECISE:
        return _precise(kind, path or Path(), plan, ledger)
    if kind == "supersession":
        return _superseded(path or Path(), plan, ledger, report)
    if kind == "replay":
        return _replayed(path, plan, ledger, report, confirm)
    where = path or NEEDS_NO_PATH[kind] or Path()
    return _searched(load(kind, where, plan.questions), plan, ledger, report, confirm)


def _searched(
    suite: Suite, plan: Plan, ledger: Ledger, report: Report, confirm: Confirm | None
) -> dict[str, Any]:
    """Documents and questions."""
    started, holds = monotonic(), survey(suite)
    learned = {q.id for q in holds.asked if leaks.is_learned(q.text)}
    barred = learned if plan.half == "test" else set()
    chosen = plan.chosen({q.id: q.half for q in holds.asked if q.id not in barred})
    left_out = dict(holds.left_out)
    if kept_out := sum(q.id in barred and q.half == "test" for q in holds.asked):
        left_out["what ships has learned from them"] = kept_out
    if not chosen:
        said = ", ".join(f"{half} {count}" for half, count in holds.halves.items())
        said += "".join(f"; {count} left out: {why}" for why, count in left_out.items())
        raise InputError(f"{suite.name}: no question is in the {plan.half} half ({said})")
    with_, money = resolved(plan, len(chosen), confirm)
    digest = suite.digest()
    key = stable_id(
        suite.kind, digest, plan.half, provenance.code(), repr(with_), repr(plan.most),
        repr(plan.shuffle), repr(plan.rendered),
    )  # fmt: skip
    as_stored = provenance.code(*provenance.READS_ONLY)
    shared = stable_id(digest, as_stored, repr(with_.models), repr(with_.importing))
    stores = _Stores(ledger.folder / "stores", key, shared, plan.keep)
    groups = map(leaks.shuffled, suite.groups()) if plan.shuffle else suite.groups()

    def ask_of(done: Collection[str]) -> Iterator[Row]:
        return _asked(groups, plan, with_.policy, stores, chosen - set(done), money, report)

    with alone(ledger.folder / "partial" / f"{key}.lock"):
        rows = _kept(ledger, key, chosen, ask_of, report)
        found = {**holds.as_json(), "left_out": left_out, "sha": digest}
        if learned:
            found |= {"fitted_on": len(learned), "learned": len(learned & chosen)}
        return ledger.finish(suite.name, key, rows, {
            **_about(suite.kind, suite.name, plan, started), "data": found,
            "models": with_.models, "limits": with_.limits, "policy": with_.policy._asdict(),
            **summary(rows),
            **({"shuffled": leaks.chance(rows)} if plan.shuffle else {}),
            "glossary": _glossary(rows),
        }, provenance.files())  # fmt: skip


def _kept(
    ledger: Ledger, key: str, chosen: Collection[str],
    ask_of: Callable[[Collection[str]], Iterator[Row]], report: Report,
) -> list[Row]:  # fmt: skip
    """The rows of all chosen questions: those that an interrupted run has kept, and the rest."""
    rows = {row.id: row for row in ledger.partial(key)}
    report(Progress("asking", len(rows), len(chosen)))
    for row in ask_of(rows.keys()):
        ledger.keep(key, row)
        rows[row.id] = row
        report(Progress("asking", len(rows), len(chosen)))
    return list(rows.values())


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
def alone(file: Path, *, wait: bool = False) -> Iterator[None]:
    """While no other process is at this; the lock ends with the process, however that ends."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w") as held:
        try:
            flock(held, LOCK_EX if wait else LOCK_EX | LOCK_NB)
        except OSError as error:
            raise StoreBusy("another process is at the same run", hint="wait for it") from error
        yield


def _asked(
    groups: Iterable[Group], plan: Plan, policy: Policy, stores: _Stores, wanted: Collection[str],
    money: Guard, report: Report,
) -> Iterator[Row]:  # fmt: skip
    number = 0
    for group in groups:
        todo = [question for question in group.questions if question.id in wanted]
        if not todo:
            continue
        hidden, names = leaks.opaque(group)
        place, stays = stores.of(group)
        with alone(place.with_suffix(".lock"), wait=True) if stays else nullcontext():
            memory = _filled(hidden, place, report)
        with memory:
            baselines = Baselines(group.documents)
            for question in todo:
                before = money.spent(memory)
                answer = ask(memory, question, plan.mode, policy)
                reads = {
                    "grep": baselines.grep(question.text, question.gold),
                    "grep_all": baselines.grep_all(question.text, question.gold),
                    "dump": baselines.dump(question.gold),
                }
                row = measured(question, answer, reads, names, plan.render)
                yield row._replace(measures={
                    **row.measures, **_more(row, question, len(group.documents), plan),
                    **({"dollars": money.spent(memory) - before} if money.counts else {}),
                })  # fmt: skip
                number += 1
                money.check(memory, number)
        if not stays:
            shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):  # what another run still needs stays
        (stores.folder / stores.run).rmdir()


def _more(row: Row, question: Question, documents: int, plan: Plan) -> dict[str, float]:
    """What chance would score, where gold was drawn at random."""
    if not plan.shuffle or not question.gold:
        return {}
    return leaks.by_chance(len(row.documents), len(question.gold), documents)


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
            out.writelines(as_line(document) for document in group.documents)
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


def as_line(document: Document) -> str:
    """Returns the document as a line of JSON, as any importer would be given it."""
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


# ------------------------------------------------------------------ suites of another shape


def _precise(kind: str, path: Path, plan: Plan, ledger: Ledger) -> dict[str, Any]:
    if plan.mode or plan.changes or plan.half != "all" or plan.most:
        raise UsageError(
            "precisionmembench is asked whole, with the defaults",
            hint="leave out --mode, --ablate, --limit-fixed and --most, and give --half all",
        )
    started, suite = monotonic(), whole.precisionmembench_suite(path)
    over = kind == "precisionmembench-rest"
    rows = list(whole.over_rest(path, plan.url) if over else whole.native(path))
    if not rows:
        raise InputError(f"{path}: there are no cases")
    name = f"{suite.name}-rest" if over else suite.name
    return ledger.finish(name, "", rows, {
        **_about(kind, name, plan, started),
        "data": {"questions": len(rows), "sha": suite.digest()}, "policy": {}, **summary(rows),
        "glossary": _glossary(rows),
    }, provenance.files())  # fmt: skip


def _superseded(path: Path, plan: Plan, ledger: Ledger, report: Report) -> dict[str, Any]:
    started, told = monotonic(), supersession.load(path)
    every = {one.id: one.half for story in told.stories for one in story.asked}
    chosen = plan.chosen(every)
    if not chosen:
        raise InputError(f"{path}: none of {len(every)} questions is in the {plan.half} half")
    with_, _ = resolved(plan, len(chosen), None)
    digest = Suite("supersession", "", told.files, lambda: iter(())).digest()
    parts = (digest, plan.half, provenance.code(), repr(with_), repr(plan.most))
    key = stable_id("supersession", *parts, repr(plan.rendered))

    def ask_of(done: Collection[str]) -> Iterator[Row]:
        for story in told.stories:
            todo = [one for one in story.asked if one.id in chosen and one.id not in done]
            if todo:
                yield from whole.told(story, todo, plan, with_.policy)

    with alone(ledger.folder / "partial" / f"{key}.lock"):
        rows = _kept(ledger, key, chosen, ask_of, report)
    name = path.expanduser().name.partition(".")[0]
    return ledger.finish(name, key, rows, {
        **_about("supersession", name, plan, started),
        "data": {
            "groups": len(told.stories),
            "documents": sum(len(story.statements) for story in told.stories),
            "questions": len(every), "left_out": dict(told.left_out), "sha": digest,
        },
        "models": with_.models, "policy": with_.policy._asdict(), **summary(rows),
        "glossary": _glossary(rows),
    }, provenance.files())  # fmt: skip


def _replayed(
    path: Path | None, plan: Plan, ledger: Ledger, report: Report, confirm: Confirm | None
) -> dict[str, Any]:
    started = monotonic()
    with Memory.open(plan.store) as memory:
        kept = memory.admin.captured()
        asked = replay.load(path.expanduser(), "") if path else replay.load(kept.file, kept.store)
        half = plan._replace(half="all")
        chosen = half.chosen({one.id: half_of(one.id) for one in asked})
        with_, money = resolved(half, len(chosen), confirm)
        held = memory.store.fingerprint(memory.query("anything").filter)
        digest = stable_id(*sorted(one.id for one in asked))
        documents = memory.status().store.documents
        parts = (digest, held, provenance.code(), repr(with_), repr(plan.most))
        key = stable_id("replay", *parts, repr(plan.rendered))

        def ask_of(done: Collection[str]) -> Iterator[Row]:
            todo = [one for one in asked if one.id in chosen and one.id not in done]
            for number, one in enumerate(todo, 1):
                yield replay.asked(memory, one, plan, with_.policy)
                money.check(memory, number)

        with alone(ledger.folder / "partial" / f"{key}.lock"):
            rows = _kept(ledger, key, chosen, ask_of, report)
    return ledger.finish("replay", key, rows, {
        **_about("replay", "replay", half, started),
        "data": {"documents": documents, "questions": len(asked), "store": held, "sha": digest},
        "models": with_.models, "policy": with_.policy._asdict(), **summary(rows),
        "glossary": _glossary(rows),
    }, provenance.files())  # fmt: skip


# ------------------------------------------------------------------ what is kept of a run


def _about(kind: str, name: str, plan: Plan, started: float) -> dict[str, Any]:
    return {
        "suite": kind,
        "name": name,
        "at": iso(datetime.now(UTC).replace(microsecond=0)),
        "seconds": round(monotonic() - started, 1),
        "version": recollect.__version__,
        "code": provenance.code(),
        "commit": provenance.commit(),
        "half": plan.half,
        "mode": plan.mode,
        "rendered": plan.rendered,
        "changes": dict(plan.changes),
        **({"most": plan.most} if plan.most else {}),
        "machine": provenance.machine(),
    }


def _glossary(rows: Iterable[Row]) -> dict[str, dict[str, str]]:
    return explained({name for row in rows for name in row.measures})
