"""Question sets, from the files that they are published as, in one shape.

    beir         a folder: corpus.jsonl, queries.jsonl, qrels/test.tsv
    jsonl        a folder (or FOLDER/PREFIX of its files): docs, documents or sessions .jsonl, and
                 queries.jsonl {"id", "query", "gold": [id…] | {id: gain}, "abstain"?, "evidence"?,
                 "date"?, …}; evidence may be in an evidence.jsonl beside them
    folder       a folder of texts, and questions whose gold are paths in it
    sample       the notes and sessions that ship with the package, and questions about them
    abstention   documents as for jsonl, and questions of another set, which they do not answer
    longmemeval  longmemeval_oracle, _s or _m, as they came or cleaned, an array or lines: each
                 question has sessions of its own
    locomo       locomo10.json: each conversation is a store, a session of it a document
    beam         a folder of conversations, or their rows as JSON lines

Files ending in ``.xz`` or ``.gz`` are read as they are. Only what an engine may know gets into a
document (:mod:`recollect_evals.leaks` has the rest). Files that are missing, lines that cannot be
read, gold that is in no document and sets without a question are refused, with places and counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from recollect.errors import InputError, UsageError
from recollect_evals.loaders.beam import beam
from recollect_evals.loaders.conversations import locomo, longmemeval
from recollect_evals.loaders.folders import abstention, beir, folder, jsonl, sample
from recollect_evals.questions import SOURCE, Group, Loaded, Question, Suite, Survey, half_of

__all__ = [
    "ASKED",
    "LOADERS",
    "SOURCE",
    "Group",
    "Question",
    "Suite",
    "Survey",
    "half_of",
    "load",
    "survey",
]

LOADERS: Mapping[str, Callable[[Path], Loaded]] = {
    "beir": beir, "longmemeval": longmemeval, "locomo": locomo, "beam": beam,
}  # fmt: skip
ASKED: Mapping[str, Callable[[Path, Path | None], Loaded]] = {
    "jsonl": jsonl, "folder": folder, "sample": sample, "abstention": abstention,
}  # fmt: skip
"""Suites whose questions may be in a file of their own."""


def load(kind: str, path: Path, questions: Path | None = None) -> Suite:
    """The suite in these files. They are looked for now and read when it is asked for groups."""
    path, questions = path.expanduser(), questions and questions.expanduser()
    if kind in ASKED:
        files, groups = ASKED[kind](path, questions)
    elif kind not in LOADERS:
        known = ", ".join((*LOADERS, *ASKED))
        raise UsageError(f"there is no suite {kind!r}", hint=f"suites: {known}")
    elif questions is not None:
        raise UsageError(
            f"the questions of {kind} are in its own files",
            hint=f"--questions is for {', '.join(ASKED)}",
        )
    else:
        files, groups = LOADERS[kind](path)
    return Suite(kind, _name(kind, path), tuple(files), groups)


def _name(kind: str, path: Path) -> str:
    """What runs of it are called; of a set whose files have a prefix, the folder and that."""
    name = path.name.partition(".")[0] or kind
    if kind == "sample":
        return kind
    if not path.exists():
        name = f"{path.parent.name}-{name}"
    return f"{name}-{kind}" if kind == "abstention" else name


def survey(suite: Suite) -> Survey:
    """Read all of it once. Raises InputError where gold is in no document of its group, where an
    id is asked twice, or nothing is asked at all."""
    groups = documents = abstain = 0
    halves, left_out, ids = Counter[str](), Counter[str](), Counter[str]()
    lost: list[str] = []
    asked: list[Question] = []
    for group in suite.groups():
        groups, documents = groups + 1, documents + len(group.documents)
        known = {document.external for document in group.documents}
        left_out.update(group.left_out)
        for question in group.questions:
            ids[question.id] += 1
            asked.append(question)
            halves[question.half] += 1
            abstain += question.abstain
            if missing := question.gold.keys() - known:
                lost.append(f"{question.id} ({', '.join(sorted(missing)[:3])})")
    if lost:
        raise InputError(
            f"{suite.name}: {len(lost)} of {ids.total()} questions have gold that is in no "
            f"document: {', '.join(lost[:5])}{' …' if len(lost) > 5 else ''}"
        )
    if twice := [id for id, times in ids.items() if times > 1]:
        raise InputError(f"{suite.name}: {len(twice)} ids are asked twice: {', '.join(twice[:5])}")
    if not ids or not documents:
        said = ", ".join(f"{n} {why}" for why, n in left_out.items()) or "none is in the files"
        raise InputError(f"{suite.name}: {len(ids)} questions, {documents} documents ({said})")
    counts = dict(halves), dict(left_out)
    return Survey(groups, documents, len(ids), abstain, *counts, tuple(asked))
