"""The stores of the sets, kept between runs, and a memory on one whose reranker remembers.

A store is known by a hash of its documents, of the code that cuts them into passages and of the
embedder, so that a change of any makes another. What the embedder made of a text is kept for all of
them, and what the reranker said of a question and a passage beside the store: the read path of
production runs whole in every variant, and each model reads a passage once.

The embedder that ships has been trained on the sets that may be fitted: what it finds there is
nearer to the question than anything it will find elsewhere. Where ``left-out.db`` is there, a set
is read with the vectors of a model of the same recipe that has not seen its domain
(:class:`LeftOut`; ``python -m training.encoder.left_out`` writes the file).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from training.encoder.sets import TRAINABLE, fold_of

import recollect
from recollect import Memory, config
from recollect.memory.models import NoModel, embedder_for, reranker_for
from recollect.models.catalog import EMBED
from recollect.nouns import Answer, Scale
from recollect.ports import Embedder, Reranker
from recollect.storage import open_store
from recollect_evals import leaks
from recollect_evals.questions import SOURCE, Group
from recollect_evals.running import as_line

WORK = Path(__file__).resolve().parents[2] / ".cache" / "bench" / "unseen"
LEFT_OUT = WORK / "left-out.db"
"""Vectors of passages and questions by models that have not seen their domain."""
LEVEL = Scale(offset=-0.015)
"""On text that none has seen, the cosines of the embedder that ships are so much lower than those
of these models (the best hit of a question of ``bench/sets``, median, .013 to .016): they began
from its base, it from the file before. The grade is fitted and read on its level."""

_SAY = ("text/chunk.py", "text/terms.py", "text/lexical.py", "sources/jsonl.py")
"""Files that have a say in what a store holds."""


def place_of(group: Group) -> Path:
    home = Path(recollect.__file__).parent
    model = f"{EMBED.key} left out" if fold(group) else EMBED.key
    whole = sha256(model.encode() + b"".join((home / file).read_bytes() for file in _SAY))
    for document in group.documents:
        whole.update(repr((document.external, document.date, document.title)).encode())
        whole.update(document.rendered().encode("utf-8", "replace"))
    return WORK / "stores" / f"{group.name}-{whole.hexdigest()[:12]}"


def fold(group: Group) -> int:
    """The fold whose model has not seen the set; 0 where none is at hand, or none is needed."""
    name = next((one for one in (group.name, f"xquad-{group.name}") if one in TRAINABLE), "")
    return fold_of(name) if name and LEFT_OUT.exists() else 0


class Opened(NamedTuple):
    memory: Memory
    names: Mapping[str, str]
    """What the ids in the store stand for: they are opaque, so that none can be searched for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    def named(self, answer: Answer) -> Answer:
        """The answer with the documents' own ids."""
        results = (
            one._replace(
                document=self.names[one.document],
                earlier=tuple(e._replace(document=self.names[e.document]) for e in one.earlier),
            )
            for one in answer.results
        )
        named = (one._replace(document=self.names[one.document]) for one in answer.named)
        return answer._replace(results=tuple(results), named=tuple(named))


def opened(group: Group) -> Opened:
    """A memory of the group's documents, imported as a user imports them."""
    place = place_of(group)
    hidden, names = leaks.opaque(group)
    os.environ["RECOLLECT_HOME"] = str(WORK / "home")
    settings = config.load()
    embedder = embedder_for(settings)
    if not isinstance(embedder, NoModel):
        if fold(group):
            embedder = LeftOut(embedder, LEFT_OUT, fold(group))
        else:
            embedder = Embedded(embedder, WORK / f"vectors-{embedder.key}.db")
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        file = place / "documents.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(as_line(document) for document in hidden.documents)
        with Memory(open_store(str(place / "store")), settings, embedder) as memory:
            receipt = memory.add(file, source=SOURCE)
            if receipt.failed:
                raise SystemExit(f"{group.name}: {receipt.failed[0]}")
        file.unlink()
        (place / "complete").touch()
    reranker = reranker_for(settings)
    if not isinstance(reranker, NoModel):
        reranker = Remembered(reranker, place / "odds.db")
    store = open_store(str(place / "store"))
    memory = Memory(store, settings, embedder, reranker=reranker)
    if isinstance(embedder, LeftOut):
        memory.core.scale = _level  # type: ignore[method-assign,assignment]
    return Opened(memory, names)


def _level(_: Embedder | None) -> Scale:
    return LEVEL


class Embedded:
    """An embedder that reads a passage once, whichever store it is in, and remembers its vector."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        self.embed_query = embedder.embed_query
        file.parent.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(
            file, isolation_level=None, timeout=60, check_same_thread=False
        )
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, value BLOB)")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        keys = [text_key(text) for text in texts]
        asked = "SELECT * FROM vectors WHERE text = ?"
        known = dict(row for key in keys for row in self._kept.execute(asked, (key,)))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            made = self._embedder.embed_passages(list(new.values()))
            known |= {key: vector.tobytes() for key, vector in zip(new, made, strict=True)}
            rows = [(key, known[key]) for key in new]
            self._kept.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        return np.stack([np.frombuffer(known[key], np.float32) for key in keys])


class LeftOut:
    """An embedder by whose vectors, as far as they are known, a set was not learned from."""

    def __init__(self, embedder: Embedder, file: Path, fold: int) -> None:
        self._embedder, self._fold = embedder, fold
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        self._known = sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        known = self._vector(f"?{text}")
        return self._embedder.embed_query(text) if known is None else known

    def embed_passages(self, texts: Sequence[str]) -> Any:
        known = [self._vector(text) for text in texts]
        if all(vector is not None for vector in known):
            return np.stack(known)
        made = self._embedder.embed_passages(texts)
        return np.stack([m if k is None else k for m, k in zip(made, known, strict=True)])

    def _vector(self, text: str) -> Any:
        asked = bytes([self._fold]) + text_key(text)
        found = self._known.execute("SELECT value FROM vectors WHERE text = ?", (asked,)).fetchone()
        return None if found is None else np.frombuffer(found[0], np.float32)


def text_key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "replace")).digest()[:16]


class Remembered:
    """A reranker that reads a passage for a question once, and remembers what it said."""

    def __init__(self, reads: Reranker, file: Path) -> None:
        self._reads = reads
        self.key = reads.key
        self.reads = reads.reads
        self._kept = sqlite3.connect(
            file, isolation_level=None, timeout=60, check_same_thread=False
        )
        self._kept.execute(
            "CREATE TABLE IF NOT EXISTS odds (pair BLOB PRIMARY KEY, value REAL) WITHOUT ROWID"
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reads, name)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        pairs = [
            sha256(f"{self.key}\0{question}\0{passage}".encode("utf-8", "replace")).digest()[:16]
            for passage in passages
        ]
        asked = "SELECT * FROM odds WHERE pair = ?"
        known = dict(row for pair in pairs for row in self._kept.execute(asked, (pair,)))
        new = [n for n, pair in enumerate(pairs) if pair not in known]
        if new:
            values = self._reads.score(question, [passages[n] for n in new])
            known |= {pairs[n]: value for n, value in zip(new, values, strict=True)}
            rows = [(pairs[n], known[pairs[n]]) for n in new]
            self._kept.executemany("INSERT OR REPLACE INTO odds VALUES (?, ?)", rows)
        return [known[pair] for pair in pairs]
