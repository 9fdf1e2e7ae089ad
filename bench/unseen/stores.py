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
from recollect.ports import (
    Embedder,
    PassageVectors,
    QuestionVectors,
    Reranker,
    passage_vectors,
    question_vectors,
)
from recollect.storage import open_store
from recollect.text import signs
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
    """An embedder that reads a passage once, whichever store it is in, and remembers its vector and
    the signs of its sentences."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        file.parent.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(
            file, isolation_level=None, timeout=60, check_same_thread=False
        )
        self._kept.execute(
            "CREATE TABLE IF NOT EXISTS passages (text BLOB PRIMARY KEY, value BLOB, signs BLOB)"
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        return self._embedder.embed_query(text)

    def embed_question(self, text: str) -> QuestionVectors:
        return question_vectors(self._embedder, text)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        return self.embed_with_sentences(texts).vectors

    def embed_with_sentences(self, texts: Sequence[str]) -> PassageVectors:
        keys = [text_key(text) for text in texts]
        asked = "SELECT * FROM passages WHERE text = ?"
        known = {
            key: (vector, signs)
            for one in keys
            for key, vector, signs in self._kept.execute(asked, (one,))
        }
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            made = passage_vectors(self._embedder, list(new.values()))
            vectors = map(bytes, made.vectors)
            known |= dict(zip(new, zip(vectors, made.sentences, strict=True), strict=True))
            rows = [(key, *known[key]) for key in new]
            self._kept.executemany("INSERT OR REPLACE INTO passages VALUES (?, ?, ?)", rows)
        return _together([known[key] for key in keys])


def _together(known: Sequence[tuple[bytes, bytes]]) -> PassageVectors:
    vectors = np.stack([np.frombuffer(vector, np.float32) for vector, _ in known])
    return PassageVectors(vectors, [signs for _, signs in known])


class LeftOut:
    """An embedder by whose vectors, as far as they are known, a set was not learned from."""

    def __init__(self, embedder: Embedder, file: Path, fold: int) -> None:
        self._embedder, self._fold = embedder, fold
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        self._known = sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)
        asked = "SELECT matrix FROM narrow WHERE fold = ?"
        (matrix,) = self._known.execute(asked, (fold,)).fetchone()
        self._narrow = np.frombuffer(matrix, np.float32).reshape(signs.WIDTH, -1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        return self.embed_question(text).vector

    def embed_question(self, text: str) -> QuestionVectors:
        known = self._row(f"?{text}")
        if known is None:
            return question_vectors(self._embedder, text)
        vector = np.frombuffer(known[0], np.float32)
        asks = self._narrow @ vector
        return QuestionVectors(vector, asks / np.linalg.norm(asks))

    def embed_passages(self, texts: Sequence[str]) -> Any:
        return self.embed_with_sentences(texts).vectors

    def embed_with_sentences(self, texts: Sequence[str]) -> PassageVectors:
        known = {text: self._row(text) for text in texts}
        if new := [text for text, row in known.items() if row is None]:
            made = passage_vectors(self._embedder, new)
            read = zip(map(bytes, made.vectors), made.sentences, strict=True)
            known |= dict(zip(new, read, strict=True))
        return _together([known[text] or (b"", b"") for text in texts])

    def _row(self, text: str) -> tuple[bytes, bytes] | None:
        asked = bytes([self._fold]) + text_key(text)
        found: tuple[bytes, bytes] | None = self._known.execute(
            "SELECT value, signs FROM vectors WHERE text = ?", (asked,)
        ).fetchone()
        return found


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
