"""The documents and questions, as files that every engine's process reads.

A set is asked its *test* half, which nothing in recollect was chosen on. Of longmemeval there is
none: its questions are all of the *fit* half, and the table says so. Where a set is too large for a
run of minutes, some of its questions are asked, of their evidence and as many other documents as
there is room for, both chosen by the hash of their ids.

What inside a document answers a question (its evidence) stays here; the engines never read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers.peer import Document, Message
from bench.peers.peer import Question as Asked
from recollect.errors import InputError
from recollect.moments import iso
from recollect.nouns import Document as Stored
from recollect_evals.evidence import Evidence
from recollect_evals.suites import Question, load, survey


class Source(NamedTuple):
    half: str = "test"
    questions: int = 1_000
    """The most that are asked of those with an answer."""
    without: int = 40
    """The most that are asked of those without one."""
    documents: int = 10_000
    """The most that are stored."""
    strangers: str = ""
    """A set whose questions cannot be answered from this one: they are asked as those without."""

    def at_most(self, most: int) -> Source:
        """Returns the source with no more questions of either kind than this."""
        return self._replace(questions=min(self.questions, most), without=min(self.without, most))


HUNDRED = Source(questions=60, without=40, documents=2_000)
"""A hundred questions, at most: what a set of a further domain is asked."""
SOURCES: Mapping[str, Source] = {
    "personas": Source(strangers="xquad/en"),
    "notes": Source(strangers="xquad/en"),
    "scifact": Source(questions=80, documents=500),
    "longmemeval": Source(half="fit", questions=40, documents=90),
    "friends": HUNDRED._replace(strangers="xquad/en"),
    "covid": HUNDRED,
    "support-faq": HUNDRED,
    "policies": HUNDRED._replace(strangers="xquad/en"),
}


class Set(NamedTuple):
    """A set on disk, ready for the engines."""

    name: str
    half: str
    documents: Path
    questions: Path
    gold: Mapping[str, Mapping[str, float]]
    """What should come back for each question; nothing where there is no answer."""
    evidence: Mapping[str, Evidence]
    """What inside the gold answers each question; without units where the set does not say."""
    stored: int
    """How many documents there are."""
    digest: str


def prepare(data: Path, name: str, source: Source, work: Path) -> Set:
    """The set's files under *work*. Raises InputError where data is missing or unsound."""
    documents, questions = _fewer(*_read(data / name, source.half), source)
    if source.strangers:
        others = _read(data / source.strangers, "test")[1]
        strangers = [q._replace(gold={}, evidence=Evidence()) for q in others if q.gold]
        questions += strangers[: source.without]
    work.mkdir(parents=True, exist_ok=True)
    whole = sha256()
    asked = [Asked(q.id, q.text, iso(q.date) or "") for q in questions]
    files = []
    for kind, rows in (
        ("documents", [document._asdict() for document in documents]),
        ("questions", [question._asdict() for question in asked]),
    ):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        files.append(work / f"{name}.{kind}.jsonl")
        files[-1].write_text(text, "utf-8")
        whole.update(text.encode())
    return Set(
        name, source.half, files[0], files[1], {q.id: q.gold for q in questions},
        {q.id: q.evidence for q in questions}, len(documents), whole.hexdigest()[:16],
    )  # fmt: skip


def _read(path: Path, half: str) -> tuple[list[Document], list[Question]]:
    suite = load("jsonl", path)
    survey(suite)
    documents: list[Document] = []
    questions: list[Question] = []
    for group in suite.groups():
        documents += _documents(group.documents)
        questions += [q for q in group.questions if q.half == half]
    if not questions:
        raise InputError(f"{path.name}: no question is in the {half} half")
    return documents, questions


def _fewer(
    documents: list[Document], questions: list[Question], source: Source
) -> tuple[list[Document], list[Question]]:
    """As many as are wanted; what is left out is chosen by nothing but its id."""
    ordered = sorted(questions, key=lambda q: _by_chance(q.id))
    chosen = {q.id for q in [q for q in ordered if q.gold][: source.questions]}
    chosen |= {q.id for q in [q for q in ordered if not q.gold][: source.without]}
    questions = [q for q in questions if q.id in chosen]
    evidence = {one for q in questions for one in q.gold}
    first = sorted(documents, key=lambda d: (d.id not in evidence, _by_chance(d.id)))
    stored = {d.id for d in first[: max(source.documents, len(evidence))]}
    return [d for d in documents if d.id in stored], questions


def _by_chance(id: str) -> bytes:
    return sha256(id.encode()).digest()


def _documents(stored: Sequence[Stored]) -> Iterator[Document]:
    for one in stored:
        said = tuple(Message(m.role, m.text) for m in one.messages)
        yield Document(one.external, one.title, one.text, said, iso(one.date) or "")


def summary(sets: Sequence[Set]) -> list[dict[str, Any]]:
    return [
        {"set": s.name, "documents": s.stored, "half": s.half,
         "questions": sum(map(bool, s.gold.values())),
         "evidence": sum(bool(some.units) for some in s.evidence.values()),
         "without": sum(not gold for gold in s.gold.values())}
        for s in sets
    ]  # fmt: skip
