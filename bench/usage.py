"""Counting searches: what a search pays for being counted, and what is done beside it.

``python -m bench usage`` measures both against the search itself, by words alone, which is the
quickest search of passages there is. ``python -m bench.usage [SET…]`` prints how many tokens a
model reads of an answer (the text that the MCP tool returns) in each mode, on the test halves of
question sets: the figures of ``models/costs.py`` and ``docs/modes.md``.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench import asked, corpus
from bench.timing import Ratio
from bench.unseen import sets, stores
from recollect import Memory
from recollect.nouns import Answer, Document
from recollect.policy import MODES
from recollect.surfaces import tool_text
from recollect.telemetry import Tally, counted
from recollect.text.tokens import count_tokens
from recollect_evals.questions import Question

DOCUMENTS = 2_000
QUERIES = 400
SETS = ("personas", "friends", "notes", "support-faq", "covid")
"""Chats with an assistant and between people, project notes, help threads, articles."""
QUESTIONS = 40


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    place = work / "usage"
    shutil.rmtree(place, ignore_errors=True)
    some = corpus.big_corpus(folder)[:DOCUMENTS]
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        memory.put(Document(d["id"], "big", d["text"], title=d.get("title", "")) for d in some)
        queries = [d["title"] for d in some if d.get("title")][:QUERIES]
        yield from _shares(memory, queries)


def _shares(memory: Memory, queries: list[str]) -> Iterator[Ratio]:
    """Search, hand over and write by turns, so that the three share the machine's noise."""
    recorder = memory.core.recorder
    assert recorder is not None
    searching, noting, writing = [], [], []
    for query in queries:
        request = memory.query(query)
        since = perf_counter()
        answer = memory.ask(request)
        searched = perf_counter()
        recorder.noted(answer)
        noted = perf_counter()
        searching.append((searched - since) * 1000)
        noting.append((noted - searched) * 1000)
        recorder.settle()
        writing.append(_written(memory, answer))
    search, note, write = map(statistics.median, (searching, noting, writing))
    yield Ratio("what a search pays for being counted, p50", note, search, "ms", note / search,
                "< 0.01", note / search < 0.01)  # fmt: skip
    yield Ratio("what the thread beside it does, p50", write, search, "ms", write / search,
                "< 0.1", write / search < 0.1)  # fmt: skip


def _written(memory: Memory, answer: Answer) -> float:
    """Milliseconds to count one answer and to write the sums."""
    assert memory.core.ledger is not None
    since = perf_counter()
    tally = Tally("2026-03-01", answer.mode, answer.intent, counted(answer))
    memory.core.ledger.add([tally])
    return (perf_counter() - since) * 1000


class Sizes(NamedTuple):
    """Of the answers to the questions of one set: how large they are, and what is in them."""

    tokens: float
    """Of all that the tool returns, on average."""
    most: float
    results: float
    named: float
    shows: float
    """The share that shows every gold document."""
    reaches: float
    """The share that shows or names every one."""


HEADS = " ".join(f"{name:>8}" for name in Sizes._fields)


def sizes(opened: stores.Opened, questions: Sequence[Question], mode: str) -> Sizes:
    tokens, rows = [], []
    for question in questions:
        found = opened.memory.search(question.text, mode=mode, cache=False)
        answer, gold = opened.named(found), question.gold
        shown = {one.document for one in answer.results}
        named = {one.document for one in answer.named}
        tokens.append(count_tokens(tool_text.answer(found, {})))
        counts = len(answer.results), len(answer.named)
        rows.append((*counts, shown.issuperset(gold), (shown | named).issuperset(gold)))
    means = map(statistics.mean, zip(*rows, strict=True))
    return Sizes(statistics.mean(tokens), max(tokens), *means)


def _line(name: str, mode: str, found: Sizes) -> str:
    large = " ".join(f"{value:8,.0f}" for value in found[:2])
    return f"{name:12} {mode:13} {large} " + " ".join(f"{value:8.2f}" for value in found[2:])


def main(arguments: Sequence[str]) -> int:
    every: dict[str, list[Sizes]] = {mode: [] for mode in MODES}
    print(f"{'set':12} {'mode':13} {HEADS}")
    for name in arguments or SETS:
        held = [q for q in sets.asked(name, None) if q.half == "test" and q.gold]
        with stores.opened(sets.stored(name)) as opened:
            for mode, kept in every.items():
                kept.append(sizes(opened, held[:QUESTIONS], mode))
                print(_line(name, mode, kept[-1]), flush=True)
    for mode, kept in every.items():
        means = Sizes(*map(statistics.mean, zip(*kept, strict=True)))
        print(_line("all sets", mode, means._replace(most=max(one.most for one in kept))))
    return 0


if __name__ == "__main__":
    sys.exit(main(asked.names("usage", __doc__, sets.SETS)))
