"""Suites that are not documents and questions: what is told, and what is asked, is their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from recollect.errors import InputError
from recollect.memory import Memory
from recollect.nouns import Answer, Policy
from recollect_evals import contract, precisionmembench, supersession
from recollect_evals.planning import Plan
from recollect_evals.precisionmembench import Outcome
from recollect_evals.questions import Suite
from recollect_evals.rows import Render, Row, tokens_of
from recollect_evals.supersession import Asked, Story

# ------------------------------------------------------------------ PrecisionMemBench


def precisionmembench_suite(path: Path) -> Suite:
    path = path.expanduser()
    files = tuple(path / name for name in precisionmembench.FILES)
    if missing := [file.name for file in files if not file.is_file()]:
        raise InputError(f"{path}: there is no {', '.join(missing)}")
    return Suite("precisionmembench", path.name, files, lambda: iter(()))


def native(path: Path) -> Iterator[Row]:
    """Whole beliefs through the library."""
    for some in precisionmembench.outcomes(path.expanduser()).values():
        yield from _rows(some)


def over_rest(path: Path, url: str | None) -> Iterator[Row]:
    """Over the benchmark's contract: of the engine at the address, else of our own."""
    with served() if url is None else _already(url) as address:
        yield from _rows(contract.outcomes(path.expanduser(), address))


@contextmanager
def _already(url: str) -> Iterator[str]:
    yield url


@contextmanager
def served() -> Iterator[str]:
    from recollect_evals import rest

    with tempfile.TemporaryDirectory() as work:
        server = rest.serve(Path(work) / "store", 0)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            server.RequestHandlerClass.adapter.close()  # type: ignore[attr-defined]


def _rows(outcomes: Iterable[Outcome]) -> Iterator[Row]:
    """A case passes or does not."""
    for outcome in outcomes:
        good = float(not outcome.problems)
        yield Row(
            outcome.case, "all", "; ".join(outcome.problems), outcome.active, "", 0.0,
            not outcome.problems, (), False,
            {"passed": good} | ({"passed_active": good} if outcome.active else {}), {},
        )  # fmt: skip


# ------------------------------------------------------------------ supersession


def told(story: Story, asked: Iterable[Asked], plan: Plan, policy: Policy) -> Iterator[Row]:
    """A story in a store of its own, and what is asked of it."""
    with tempfile.TemporaryDirectory() as work, Memory.open(work) as memory:
        supersession.tell(memory, story)
        for one in asked:
            query = memory.query(one.text, mode=plan.mode)
            yield _judged(one, memory.ask(query._replace(policy=policy)), plan.render)


def _judged(asked: Asked, answer: Answer, render: Render) -> Row:
    values = supersession.judged(asked, answer)
    found = tuple(dict.fromkeys(result.document for result in answer.results))
    return Row(
        asked.id, asked.half, asked.category, True, answer.status, answer.confidence,
        bool(values["current"]), found, bool(answer.degraded),
        {**values, "set_size": len(found), "tokens": tokens_of(answer, render),
         "ms": answer.timing_ms},
        {},
    )  # fmt: skip
