"""Tokens against an agent that greps, on short notes and on long documents.

An agent's honest alternative is ``grep -n`` of the two rarest words and reading the matching lines
in the order of the files, or opening the best file until the answer is found.
"""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import corpus
from bench.unseen.own import ENGINES_SHOWN, SETS, ask, mean, table
from recollect.nouns import Document
from recollect.text.stopwords import stopwords
from recollect.text.tokens import count_tokens
from recollect_evals import metrics
from recollect_evals.files import records
from recollect_evals.loaders.folders import with_evidence
from recollect_evals.questions import Group, Question

TIL_NOTES = 200
PEPS = 20
LONG = 40_000
"""Characters from which on a PEP is long."""


def against_grep() -> str:
    lines: list[Sequence[object]] = []
    for name, documents in (("til", til()), ("peps", peps())):
        path = SETS / "grep" / name
        group = group_of(f"grep-{name}", documents, path)
        ours = {engine: ask(group, path, name, engine) for engine in ENGINES_SHOWN}
        for engine, every in ours.items():
            rows = [one.row for one in every]
            lines.append((name, engine, len(rows), mean(row.get("shown") for row in rows),
                          mean(row.get("tokens") for row in rows)))  # fmt: skip
        for baseline in (grep_lines, best_file):
            read = [baseline(question, documents) for question in group.questions]
            lines.append((name, baseline.__name__.replace("_", " "), len(read),
                          mean(found for _, found in read), mean(t for t, _ in read)))  # fmt: skip
    return table(("set", "engine", "questions", "evidence shown", "tokens"), lines)


def rarest(question: Question, documents: Sequence[Document], most: int = 2) -> list[str]:
    """The words of the question that the fewest lines have, as ``grep -i`` would find them."""
    said = (word.strip("?!.,;:\"'()") for word in question.text.lower().split())
    words = dict.fromkeys(word for word in said if word and word not in stopwords())
    counts = {
        word: sum(word in line.lower() for d in documents for line in d.text.splitlines())
        for word in words
    }
    return sorted((word for word in words if counts[word]), key=lambda word: counts[word])[:most]


def grep_lines(question: Question, documents: Sequence[Document]) -> tuple[int, bool]:
    """``grep -n`` of the two rarest words: the matching lines are read in the order of the files
    until the evidence is among them. Tokens, and whether it was found."""
    words, read, shown = rarest(question, documents), 0, dict[str, str]()
    for document in documents:
        for number, line in enumerate(document.text.splitlines(), 1):
            if any(word in line.lower() for word in words):
                read += count_tokens(f"{document.external}:{number}:{line}\n")
                shown[document.external] = f"{shown.get(document.external, '')}\n{line}"
                if metrics.evidence_shown(question.evidence, shown):
                    return read, True
    return read, False


def best_file(question: Question, documents: Sequence[Document]) -> tuple[int, bool]:
    """The file with the most of these words is read from its beginning until the evidence is there,
    then the next, three files at most."""
    words, read, shown = rarest(question, documents, 4), 0, dict[str, str]()

    def fits(document: Document) -> tuple[int, int]:
        text = document.text.lower()
        return sum(word in text for word in words), sum(text.count(word) for word in words)

    for document in sorted(documents, key=fits, reverse=True)[:3]:
        for line in document.text.splitlines():
            read += count_tokens(f"{line}\n")
            shown[document.external] = f"{shown.get(document.external, '')}\n{line}"
            if line.strip() and metrics.evidence_shown(question.evidence, shown):
                return read, True
    return read, False


def til() -> list[Document]:
    """200 of the notes, by the hash of their paths."""
    notes = [
        document
        for document in unpacked("til-notes.tar.xz", "til/")
        if len(document.text.encode()) > 300 and "/" in document.external
    ]
    notes.sort(key=lambda one: hashlib.sha1(one.external.encode()).hexdigest())
    return sorted(notes[:TIL_NOTES], key=lambda one: one.external)


def peps() -> list[Document]:
    folder = corpus.data_folder()
    assert folder is not None
    long = [row for row in corpus.lines(folder / "peps/docs.jsonl.xz") if len(row["text"]) > LONG]
    long.sort(key=lambda row: hashlib.sha1(str(row["id"]).encode()).hexdigest())
    return [
        Document(f"{row['id']}.txt", "eval", row["text"], title=row["title"]) for row in long[:PEPS]
    ]


def unpacked(archive: str, below: str) -> Iterator[Document]:
    folder = corpus.data_folder()
    assert folder is not None
    with tarfile.open(folder / archive) as packed:
        for member in packed:
            name = member.name.removeprefix("./").removeprefix(below)
            content = packed.extractfile(member) if member.isfile() else None
            if content and name.endswith(".md"):
                text = content.read().decode("utf-8")
                title = next((x[2:] for x in text.splitlines() if x.startswith("# ")), name)
                yield Document(name, "eval", text, kind="note", title=title, path=name)


def group_of(name: str, documents: Sequence[Document], path: Path) -> Group:
    """Documents from the shared data, with questions from here."""
    asked = tuple(with_evidence(records(path / "queries.jsonl"), documents, None))
    return Group(name, tuple(documents), asked, {})
