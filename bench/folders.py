"""Folders as people have them, asked as people ask: what is shown, first, sure and out of date.

    python -m bench.folders [--only NAME] [--each]
    python -m bench.folders --kept            those that nobody looks at, once a decision is made

``bench/sets/folders`` has an operations team's runbooks, postmortems, decisions, configuration and
agent sessions; a researcher's papers, log, protocols, mails and chats; a translator's vault and
chats; the repository of a library; and, with handbooks, minutes and logs of several thousand words,
a maker of roasting machines and a freelancer. They were written with their questions by people who
had not seen the code; rules have been mended looking at them since. Those of ``folders-kept`` (a
veterinary practice; a game studio with its coding sessions; a mountain club with long handbooks)
are read and not looked at.

A question has parts, each with the texts of which one must be shown; one that is not stored has
none. ``shown``: all parts are in what is shown; ``first``: one is in the first result; ``direct``:
served as direct_passages; ``stale``: a value that no longer holds stands before the gold, or
without it; ``replaced``: something is told as replaced; ``cost``: processor time of a search in
embeddings of its question, the median. Plain fusion (ten passages) is beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from bench.corpus import lines
from bench.unseen.engines import plain
from bench.unseen.own import SETS, mean, table
from recollect import Memory
from recollect.nouns import Answer
from recollect_evals.questions import Question

NAMES = ("operations", "laboratory", "assistant", "library", "factory", "freelance")
KEPT = ("clinic", "orchestra", "club")
COPIED = "2026-11-18"
"""The day of every file that has none of its own, as in a fresh copy."""
NOT_STORED = ("not stored", "foreign")


class Asked(NamedTuple):
    kind: str
    text: str
    parts: Sequence[Sequence[str]]
    stale: Sequence[str]
    answer: Answer
    fused: Answer
    cost: float
    """Processor time of the search, in embeddings of its question."""

    @property
    def is_shown(self) -> bool | None:
        return _has_all(_texts(self.answer), self.parts) if self.parts else None

    @property
    def is_fused(self) -> bool | None:
        return _has_all(_texts(self.fused), self.parts) if self.parts else None

    @property
    def is_first(self) -> bool | None:
        first = _texts(self.answer)[:1]
        return any(_place(first, part) is not None for part in self.parts) if self.parts else None

    @property
    def is_direct(self) -> bool:
        return self.answer.status in ("direct_passages", "cached_answer")

    @property
    def is_stale(self) -> bool | None:
        if not self.stale:
            return None
        texts = _texts(self.answer)
        old = _place(texts, self.stale)
        new = [_place(texts, part) for part in self.parts]
        return old is not None and any(one is None or one > old for one in new)

    @property
    def is_replacing(self) -> bool:
        return any(one.earlier for one in self.answer.results)


def _texts(answer: Answer) -> list[str]:
    """The text of each result, without marks and line ends."""
    return [plain_text(" … ".join(span.text for span in one.spans)) for one in answer.results]


def plain_text(text: str) -> str:
    return re.sub(r"[\s*_`#>|]+", " ", text).strip().lower()


def _place(texts: Sequence[str], any_of: Sequence[str]) -> int | None:
    wanted = [plain_text(one) for one in any_of]
    return next((n for n, text in enumerate(texts) if any(one in text for one in wanted)), None)


def _has_all(texts: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    return all(_place(texts, part) is not None for part in parts)


def place_of(name: str) -> Path:
    return SETS / ("folders-kept" if name in KEPT else "folders") / name


@contextmanager
def imported(name: str) -> Iterator[Memory]:
    """A store of the files, each with the time that it had."""
    times = json.loads((place_of(name) / "times.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "files")
        shutil.copytree(place_of(name) / "files", files)
        for path in filter(Path.is_file, files.rglob("*")):
            day = times.get(str(path.relative_to(files)), COPIED)
            then = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
            os.utime(path, (then, then))
        with Memory.open(f"{folder}/store") as memory:
            memory.add(files)
            yield memory


def ask(memory: Memory, record: dict[str, Any]) -> Asked:
    assert memory.core.embedder is not None
    text = record["query"]
    fused = plain(memory, Question(record["id"], text, {}), ("words", "vectors"))
    times = [process_time()]
    answer = memory.search(text, cache=False)
    times.append(process_time())
    memory.core.embedder.embed_query(text)
    times.append(process_time())
    cost = (times[1] - times[0]) / (times[2] - times[1])
    return Asked(record["kind"], text, record["gold"], record["stale"], answer, fused, cost)


def _line(kind: str, some: Sequence[Asked]) -> tuple[object, ...]:
    words = [sum(len(text.split()) for text in _texts(one.answer)) for one in some]
    return (
        kind,
        len(some),
        mean(one.is_fused for one in some),
        mean(one.is_shown for one in some),
        mean(one.is_first for one in some),
        mean(one.is_direct for one in some),
        mean(one.is_stale for one in some),
        mean(one.is_replacing for one in some),
        sum(words) / len(words),
        sum(len(plain_text(r.text).split()) for one in some for r in one.fused.results) / len(some),
        median(one.cost for one in some),
    )


def _told(one: Asked) -> str:
    wrong = "!" if one.is_direct and not one.is_shown else ""
    old = "~" if one.is_stale else ""
    said = "shown" if one.is_shown else "missing"
    return f"{said:8}{one.answer.status:16} {wrong + old:3}{one.text}"


def main() -> None:
    ask_for = argparse.ArgumentParser(prog="python -m bench.folders", description=__doc__)
    which = ask_for.add_mutually_exclusive_group()
    which.add_argument("--only", choices=NAMES, help="one of them")
    which.add_argument("--kept", action="store_true", help="those that nobody looks at")
    ask_for.add_argument("--each", action="store_true", help="a line for each question as well")
    given = ask_for.parse_args()
    head = ("kind", "questions", "fusion: shown", "shown", "first", "direct", "stale", "replaced")
    for name in (given.only,) if given.only else KEPT if given.kept else NAMES:
        with imported(name) as memory:
            every = [ask(memory, one) for one in lines(place_of(name) / "questions.jsonl")]
        if given.each and not given.kept:
            print("\n".join(map(_told, every)))
        kinds = dict.fromkeys(one.kind for one in every)
        rows = [_line(kind, [one for one in every if one.kind == kind]) for kind in kinds]
        stored = [one for one in every if one.kind not in NOT_STORED]
        rows.append(_line("all that is stored", stored))
        print(f"\n{name}\n\n{table((*head, 'words', 'fusion: words', 'cost'), rows)}")


if __name__ == "__main__":
    main()
