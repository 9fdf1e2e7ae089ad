"""What an import costs over the least that could be done (a walk, the tokenizer alone), and how
fast passages get their vectors."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench import corpus
from bench.timing import Ratio
from recollect import Memory, config
from recollect.memory.models import embedder_for, model_or_why
from recollect.models import network
from recollect.models.onnx import OnnxEmbedder
from recollect.storage import open_store
from recollect.text.terms import terms
from recollect.writing.embedding import STEP

EMBEDDED = 256
ROUNDS = 25
"""The two take turns, so that a machine that changes its pace changes both."""


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    work = work / "importing"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("til-notes", "agent-sessions"):
        with tarfile.open(folder / f"{name}.tar.xz") as archive:
            archive.extractall(work / name, filter="data")
    yield _unchanged(work)
    yield _sessions(work)
    yield _embedding(work)
    yield _again(work)


def _unchanged(work: Path) -> Ratio:
    place = work / "til-notes"
    with Memory.open(work / "notes-store", embed_model="none") as memory:
        memory.add(place)
        rounds = [
            (_seconds(lambda: memory.add(place)), _seconds(lambda: _walk(place)))
            for _ in range(ROUNDS)
        ]
    again, walk = map(median, zip(*rounds, strict=True))
    return Ratio("adding unchanged notes again against a walk that stats them", again * 1000,
                 walk * 1000, "ms", again / walk, "<= 3", again / walk <= 3)  # fmt: skip


def _walk(place: Path) -> None:
    for folder, _, names in os.walk(place):
        for name in names:
            os.stat(os.path.join(folder, name))


def _sessions(work: Path) -> Ratio:
    place = work / "agent-sessions"
    texts = [path.read_text(encoding="utf-8") for path in place.rglob("*.md")]

    def tokenise() -> None:
        for text in texts:
            terms(text)

    def load() -> None:
        with Memory.open(work / "sessions-store", embed_model="none") as memory:
            memory.add(place)

    alone = _seconds(tokenise)
    taken = _seconds(load)
    return Ratio("importing sessions against tokenising their text", taken, alone, "s",
                 taken / alone, "<= 3", taken / alone <= 3)  # fmt: skip


def _embedding(work: Path) -> Ratio:
    """Encoding notes as an import does, against batches of sixteen that are alike in characters
    (until 0.2). In processor time: the machine may have others at work."""
    with Memory.open(work / "notes-store", embed_model="none") as memory:
        waiting = memory.store.pending("nothing", limit=sys.maxsize)
    texts = [text for _, text in waiting[:: len(waiting) // EMBEDDED]][:EMBEDDED]
    embedder, why = model_or_why(embedder_for(config.load()))
    if not isinstance(embedder, OnnxEmbedder):
        sys.exit(why or "this bench needs the encoder that ships")
    embedder.embed_passages(texts[:8])
    by_length = sorted(texts, key=len)
    since = process_time()
    for some in _parts(by_length, STEP):
        embedder.embed_passages(some)
    now = EMBEDDED / (process_time() - since)
    tokens, network.TOKENS = network.TOKENS, sys.maxsize
    since = process_time()
    for step in _parts(texts, 64):
        for some in _parts(sorted(step, key=len), 16):
            embedder.embed_passages(some)
    before = EMBEDDED / (process_time() - since)
    network.TOKENS = tokens
    return Ratio(f"embedding {EMBEDDED} passages of notes, a processor second", now, before, "1/s",
                 now / before, ">= 1.5", now >= 1.5 * before)  # fmt: skip


class _Counted:
    """An embedder that counts what it embeds, with vectors of nothing."""

    key = "counted@1"

    def __init__(self) -> None:
        self.texts = 0

    def reads(self, text: str) -> bool:
        return bool(text)

    speaks = reads

    def embed_query(self, text: str) -> Any:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        return np.eye(len(texts), 384, dtype=np.float32) + np.float32(0.01)


def _again(work: Path) -> Ratio:
    """The same notes from another folder: what is embedded a second time."""
    shutil.copytree(work / "til-notes", work / "a-copy")
    embedder = _Counted()
    with Memory(open_store(str(work / "twice-store")), config.load(), embedder) as memory:
        memory.add(work / "til-notes")
        first = embedder.texts
        memory.add(work / "a-copy")
    second = embedder.texts - first
    return Ratio("texts embedded for a copy of the notes against the notes", second, first, "",
                 second / first, "<= .02", second <= 0.02 * first)  # fmt: skip


def _parts(texts: list[str], size: int) -> Iterator[list[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))


def _seconds(work: Any) -> float:
    since = perf_counter()
    work()
    return perf_counter() - since
