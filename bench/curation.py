"""Curation read on annotated texts, and on the sessions of coding agents.

    python -m bench.curation              the open texts (bench/sets/worth), the cost, 55 sessions
    python -m bench.curation --kept       the kept texts, once, when everything is decided
    python -m bench.curation --sample 100 prints so many facts of the sessions, for people to judge

Each text is curated by the facade into a store of its own, as it would be written down: turns of
user and agent, lines of people who talk, items of notes, paragraphs. A sentence that is to be kept
is found where a fact quotes it; a fact is right where it quotes such a sentence, or a part of it.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from bench.curate import sessions
from recollect import Memory, config
from recollect.models.catalog import EMBED
from recollect.models.files import ModelFolder
from recollect.models.onnx import OnnxEmbedder
from recollect.nouns import Document
from recollect.storage import open_store
from recollect.text.chunk import passages
from recollect.text.lexical import indexed_text

SETS = Path(__file__).parent / "sets"
NAMES = {"user": "_**User**_\n\n", "assistant": "_**Agent**_\n\n"}
LISTED = ("notes", "readme", "runbook", "ticket")


class Read(NamedTuple):
    """Facts that were found in a text, and sentences that are to be kept."""

    form: str
    facts: int
    right: int
    wanted: int
    found: int
    typed: int


def rendered(text: dict[str, Any]) -> str:
    """The annotated sentences as somebody would have written them down."""
    parts: list[str] = []
    speaker = None
    for one in text["sentences"]:
        who = one["speaker"]
        if who and who != speaker:
            parts.append(
                "\n" * (2 if who in NAMES else 1) * bool(parts) + NAMES.get(who, f"{who}: ")
            )
        elif parts:
            parts.append("\n- " if text["form"] in LISTED else " ")
        parts.append(one["text"])
        speaker = who
    return "".join(parts)


def opened(embedder: OnnxEmbedder) -> Memory:
    return Memory(open_store("memory://"), config.load(), embedder)


def read(text: dict[str, Any], embedder: OnnxEmbedder) -> Read:
    with opened(embedder) as memory:
        told = {"name": text["id"], "date": text["date"] or None, "embed": False}
        memory.curate(rendered(text), **told)
        assert memory.get(text["id"]).text, "a text is kept in every case"
        again = memory.curate(rendered(text), **told)
        assert not again.touched, f"{text['id']}: the second run changed something"
        facts = memory.facts(limit=1_000).items
    quotes = [(fact.provenance[0].quote, fact.type) for fact in facts]
    wanted = [one for one in text["sentences"] if one["keep"]]
    hits = [
        [one for one in wanted if _same(one["text"], quote) or _same(quote, one["text"])]
        for quote, _ in quotes
    ]
    found = [one for one in wanted if any(_same(one["text"], quote) for quote, _ in quotes)]
    typed = sum(
        any(one["kind"] == t for one in hit) for hit, (_, t) in zip(hits, quotes, strict=True)
    )
    return Read(text["form"], len(quotes), sum(map(bool, hits)), len(wanted), len(found), typed)


def _same(one: str, quote: str) -> bool:
    """Whether a fact quotes a sentence, or most of it."""
    a, b = one.split(), set(quote.split())
    return sum(word in b for word in a) >= 0.7 * len(a)


def report(rows: list[Read]) -> Iterator[str]:
    forms = sorted({row.form for row in rows})
    for form, some in [(f, [r for r in rows if r.form == f]) for f in forms] + [("all", rows)]:
        _, facts, right, wanted, found, typed = [""] + [
            sum(getattr(row, name) for row in some) for name in Read._fields[1:]
        ]
        yield (
            f"{form:14} {len(some):3} texts  recall {found / max(1, wanted):.2f} of {wanted}, "
            f"precision {right / max(1, facts):.2f} of {facts}, type {typed / max(1, right):.2f}"
        )
    each = [row.right / row.facts for row in rows if row.facts]
    recalls = [row.found / row.wanted for row in rows if row.wanted]
    yield (
        f"mean over texts: recall {sum(recalls) / len(recalls):.2f}, "
        f"precision {sum(each) / max(1, len(each)):.2f}"
    )


def cost(texts: list[str], embedder: OnnxEmbedder) -> float:
    """Processor time of whole curations, vectors included, over that of embedding the same text."""
    memory = opened(embedder)
    memory.curate("The port is 5433. " * 400, name="warm")
    memory.close()
    began = process_time()
    for n, text in enumerate(texts):
        documents = passages(Document(f"{n}", "s", text))
        embedder.embed_passages([indexed_text("", p.heading, p.text) for p in documents])
    alone = process_time() - began
    began = process_time()
    for n, text in enumerate(texts):
        with opened(embedder) as memory:
            memory.curate(text, name=f"{n}")
    return (process_time() - began) / alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--no-sessions", action="store_true")
    asked = parser.parse_args()
    embedder = OnnxEmbedder(EMBED, ModelFolder(Path("/nowhere")).locate(EMBED))
    file = SETS / ("worth-kept" if asked.kept else "worth") / "worth.jsonl"
    texts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    print("\n".join(report([read(text, embedder) for text in texts])))
    fresh = OnnxEmbedder(EMBED, embedder.home)  # without the vectors that were just made
    print(f"cost: {cost([rendered(text) for text in texts], fresh):.2f} of the encoding alone")
    if not asked.kept and not asked.no_sessions:
        _sessions(embedder, asked.sample)


def _sessions(embedder: OnnxEmbedder, sample: int) -> None:
    found: list[tuple[str, str, str]] = []
    with opened(embedder) as memory:
        for name, text in sessions():
            memory.curate(text, name=name, embed=False)
        found += [(f.type, f.name, f.text) for f in memory.facts(limit=1_000).items]
    counts = Counter(type for type, *_ in found)
    print(f"55 agent sessions: {len(found)} facts ({dict(counts.most_common())})")
    random.Random(7).shuffle(found)
    for type, name, text in found[:sample]:
        print(f"{type}\t{name}\t{text}")


if __name__ == "__main__":
    main()
