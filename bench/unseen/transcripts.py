"""What people ask of their agents' sessions: 150 questions over 55 transcripts."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.unseen import stores
from bench.unseen.engines import ENGINES, Row, measured
from bench.unseen.grepping import group_of, unpacked
from bench.unseen.own import ENGINES_SHOWN, SETS, mean, table
from recollect import Memory
from recollect.nouns import Document

ALL = "all with an answer"


def agent_sessions() -> str:
    """Imported as transcripts, as a user would; a quotation is looked for in what is shown."""
    place = stores.WORK / "stores" / "agent-sessions"
    documents = list(unpacked("agent-sessions.tar.xz", "agent-sessions/"))
    group = group_of("agent-sessions", documents, SETS / "agent-sessions")
    os.environ["RECOLLECT_HOME"] = str(stores.WORK / "home")
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        for document in documents:
            file = place / "files" / document.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(document.text, encoding="utf-8")
        with Memory.open(place / "store", rerank_model="none") as memory:
            memory.add(place / "files")
        (place / "complete").touch()
    rows: list[Row] = []
    with Memory.open(place / "store") as memory:
        for engine in ENGINES_SHOWN:
            for question in group.questions:
                answer = ENGINES[engine](memory, question)
                named = tuple(_by_path(one, documents) for one in answer.results)
                answer = answer._replace(results=named)
                rows.append(measured("agent-sessions", engine, question, answer))
    kinds = list(Counter(question.category for question in group.questions))
    lines = []
    for kind in (ALL, *kinds):
        for engine in ENGINES_SHOWN:
            some = [row for row in rows if row.engine == engine and _is_of(row, kind)]
            lines.append((
                kind, engine, len(some), mean(row.first for row in some),
                mean(row.get("shown") for row in some), mean(row.get("named") for row in some),
                mean(row.status == "direct_passages" for row in some),
                mean(row.get("tokens") for row in some),
            ))  # fmt: skip
    head = ("kind", "engine", "questions", "right session first", "evidence shown", "named",
            "served as direct", "tokens")  # fmt: skip
    return table(head, lines)


def _by_path(one: Any, documents: Sequence[Document]) -> Any:
    path = next((d.external for d in documents if one.path.endswith(d.path)), one.document)
    return one._replace(document=path)


def _is_of(row: Row, kind: str) -> bool:
    return row.answerable if kind == ALL else row.category == kind
