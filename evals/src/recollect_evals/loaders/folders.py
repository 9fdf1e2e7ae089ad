"""Folders: documents, questions, and which answers which.

Only what an engine may know gets into a document: fields that are not its text, title, date, path,
owner or scopes are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import recollect
from recollect.errors import InputError, UsageError
from recollect.nouns import LOCAL, UNIVERSAL, Document
from recollect_evals.evidence import read
from recollect_evals.files import (
    date_of,
    find,
    find_optional,
    given,
    lines,
    messages_of,
    names_of,
    records,
    text_of,
    there,
    whole,
)
from recollect_evals.questions import SOURCE, Group, Loaded, Question

_DOCUMENTS = ("docs.jsonl", "documents.jsonl", "sessions.jsonl")

# ------------------------------------------------------------------ BEIR


def beir(path: Path) -> Loaded:
    """Thakur et al. (2021). Questions that are not judged in the split are left out."""
    corpus, queries = find(path, "corpus.jsonl"), find(path, "queries.jsonl")
    judged = find(path, "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")

    def groups() -> Iterator[Group]:
        gains = _qrels(judged)
        documents = tuple(
            Document(
                given(record, where, "_id", "id"), SOURCE, text_of(record, where),
                kind="document", title=str(record.get("title") or ""),
            )
            for where, record in records(corpus)
        )  # fmt: skip
        asked, left_out = [], Counter[str]()
        for where, record in records(queries):
            id = given(record, where, "_id", "id")
            if gold := gains.pop(id, None):
                asked.append(Question(id, given(record, where, "text", "query"), gold))
            else:
                left_out["not judged, or nothing judged right"] += 1
        if lost := [id for id, gold in gains.items() if gold]:
            raise InputError(
                f"{judged}: {len(lost)} judged questions are not in {queries.name}: "
                f"{', '.join(lost[:5])}"
            )
        yield Group(path.name, documents, tuple(asked), left_out)

    return (corpus, queries, judged), groups


def _qrels(path: Path) -> dict[str, dict[str, float]]:
    """question → document → gain, of those above 0."""
    found: dict[str, dict[str, float]] = {}
    for where, line in lines(path):
        parts = line.rstrip("\n").split("\t")
        if not found and parts[0] == "query-id":
            continue
        if len(parts) not in (3, 4) or not _is_number(parts[-1]):
            raise InputError(f"{where}: not question, document and gain by tabs")
        gold = found.setdefault(parts[0], {})
        if float(parts[-1]) > 0:
            gold[parts[-2]] = float(parts[-1])
    return found


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


# ------------------------------------------------------------------ documents, sessions, queries


def jsonl(path: Path, questions: Path | None = None) -> Loaded:
    kept = find(path, *_DOCUMENTS)
    queries = questions or find(path, "queries.jsonl")
    beside = None if questions else find_optional(path, "evidence.jsonl")

    def groups() -> Iterator[Group]:
        documents = tuple(document_of(record, where) for where, record in records(kept))
        asked = tuple(with_evidence(records(queries), documents, beside))
        yield Group(path.name, documents, asked, {})

    return tuple(filter(None, (kept, queries, beside))), groups


def with_evidence(
    rows: Iterable[tuple[str, dict[str, Any]]], documents: Sequence[Document], beside: Path | None
) -> Iterator[Question]:
    """The questions, with the evidence that they or the file beside them name."""
    by_id = {document.external: document for document in documents}
    apart = (
        {given(row, where, "id"): (where, row) for where, row in records(beside)} if beside else {}
    )
    for where, record in rows:
        question = question_of(record, where)
        where, named = (
            (where, record) if "evidence" in record else apart.pop(question.id, (where, {}))
        )
        entries, one_is_enough = named.get("evidence", []), bool(named.get("any"))
        yield question._replace(evidence=read(entries, by_id, where, one_is_enough))
    if apart:
        where, lost = next(iter(apart.values()))
        raise InputError(
            f"{where}: evidence of {lost['id']!r}, which nobody asks; {len(apart)} such"
        )


def document_of(record: Mapping[str, Any], where: str) -> Document:
    session = "turns" in record
    return Document(
        external=given(record, where, "id"),
        source=SOURCE,
        text="" if session else text_of(record, where),
        messages=messages_of(record["turns"], where) if session else (),
        kind=str(record.get("kind") or ("session" if session else "document")),
        title=str(record.get("title") or ""),
        path=str(record.get("path") or ""),
        date=date_of(record.get("date"), where),
        owner=str(record.get("owner") or LOCAL),
        scopes=names_of(record.get("scopes"), "scopes", where) or (UNIVERSAL,),
    )


def question_of(record: Mapping[str, Any], where: str) -> Question:
    gold = record.get("gold")
    if record.get("abstain"):
        gold = ()
    if isinstance(gold, dict):
        if not all(isinstance(gain, int | float) and gain >= 0 for gain in gold.values()):
            raise InputError(f"{where}: the gains in `gold` are not numbers from 0")
        gains = {str(id): float(gain) for id, gain in gold.items() if gain}
    elif gold is None:
        raise InputError(f"{where}: neither `gold` nor `abstain`: what should come back?")
    else:
        gains = dict.fromkeys(names_of(gold, "gold", where) or (), 1.0)
    return Question(
        id=given(record, where, "id"),
        text=given(record, where, "query"),
        gold=gains,
        date=date_of(record.get("date"), where),
        category=str(record.get("category") or ""),
        owner=record.get("owner"),
        scopes=names_of(record.get("scopes"), "scopes", where),
    )


# ------------------------------------------------------------------ questions from elsewhere


def abstention(path: Path, questions: Path | None = None) -> Loaded:
    """Questions of another set over these documents: what they ask for is not there, so that the
    right answer to each is none. What gold they have is forgotten."""
    if questions is None:
        raise UsageError("whose questions?", hint="give a file of another set with --questions")
    kept = find(path, *_DOCUMENTS)
    there(questions)

    def groups() -> Iterator[Group]:
        documents = tuple(document_of(record, where) for where, record in records(kept))
        asked = tuple(
            Question(given(record, where, "id", "_id"), given(record, where, "query", "text"), {})
            for where, record in records(questions)
        )
        yield Group(path.name, documents, asked, {})

    return (kept, questions), groups


# ------------------------------------------------------------------ files

TEXTS = (".md", ".txt", ".rst")


def folder(path: Path, questions: Path | None = None) -> Loaded:
    """A folder of texts, and sessions as JSONL where there are some. Gold are their paths below the
    folder, or the ids of the sessions."""
    if not path.is_dir():
        raise InputError(f"{path}: there is no such folder")
    asked = questions or find(path, "queries.jsonl")
    there(asked)
    texts = sorted(f for f in path.rglob("*") if f.suffix in TEXTS and f.is_file())
    sessions = sorted(f for f in path.rglob("*sessions.jsonl") if f.is_file())
    if not texts and not sessions:
        raise InputError(f"{path}: there is no {', '.join(f'*{end}' for end in TEXTS)} in it")

    def groups() -> Iterator[Group]:
        documents = [_text_file(file, path) for file in texts]
        for file in sessions:
            documents += [document_of(record, where) for where, record in records(file)]
        rows = tuple(with_evidence(records(asked), documents, None))
        yield Group(path.name, tuple(documents), rows, {})

    return (*texts, *sessions, asked), groups


def _text_file(file: Path, top: Path) -> Document:
    text, name = whole(file), file.relative_to(top).as_posix()
    title = next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), "")
    return Document(name, SOURCE, text, kind="note", title=title or file.stem, path=name)


SAMPLE = Path(recollect.__file__).parent / "samples"
"""Notes and sessions of an invented company, and questions about them, to try things on."""


def sample(path: Path, questions: Path | None = None) -> Loaded:
    """The sample that ships with the package."""
    return folder(path, questions or SAMPLE / "questions.jsonl")
