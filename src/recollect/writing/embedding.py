"""Vectors for passages that have none: newest first, in steps, at any time continued.

The newest thousand are fetched, and the short ones among them embedded first: a token costs the
same in all of them, so most passages are found by their meaning soonest. A text that several of
them have is embedded once, and one that has a vector elsewhere in the store is not embedded again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Event, Thread

import numpy as np

from recollect import ports
from recollect.errors import RecollectError
from recollect.named_tuple import NamedTuple
from recollect.nouns.values import grouped

FETCH = 1024
"""Passages asked for at once; finding them costs more than reading them."""
LOOKED_UP = 64
"""Passages from which on it pays to look whether their texts have vectors elsewhere in the store:
that reads all texts, four seconds for a million passages; these take ten seconds to embed."""
WRITE = 32
"""Texts embedded and stored at once: what an interruption can lose."""
STEP = 4
"""As many where several threads embed, so that all of them end at about the same time."""
ACCELERATED = 256
"""As many where an accelerator embeds: it waits for work."""
BESIDE = 2
"""As many in the background, where whoever closes the store waits for them: a server that is told
to end has five seconds, also on a busy machine."""


class EmbeddingProgress(NamedTuple):
    """How far embedding is. What is left is told in characters, because texts differ."""

    done: int = 0
    """Passages with a new vector."""
    fetched: int = 0
    """Passages whose texts are known."""
    read: int = 0
    """Characters that were embedded."""
    waiting: int = 0
    """Characters of what is fetched and waits."""

    def share(self, total: int) -> float:
        """Returns which part of the work is done, if *total* passages are to get a vector: those
        that are not fetched yet are taken to be as long as the others."""
        known = self.read + self.waiting
        return self.read / max(1.0, known * max(1.0, total / max(1, self.fetched)))


def embed_pending(
    store: ports.StorageEngine,
    embedder: ports.Embedder,
    progress: Callable[[EmbeddingProgress], None] = lambda _: None,
    stop: Event | None = None,
    step: int = WRITE,
    most: int = sys.maxsize,
    threads: int = 1,
) -> int:
    """Embeds until nothing is pending, *most* are done or *stop* is set, storing the vectors of
    every *step* texts; returns how many passages were given one."""
    far = EmbeddingProgress()
    with ThreadPoolExecutor(threads, "recollect-embed") as pool:
        while waiting := store.pending(embedder.key, limit=min(FETCH, most - far.done)):
            before = far.done
            known = _known(store, embedder.key, [key for key, _ in waiting])
            keys = grouped((text, key) for key, text in waiting if key not in known)
            texts = sorted(keys, key=len)
            far = far._replace(
                done=far.done + len(known),
                fetched=far.fetched + len(waiting),
                waiting=sum(map(len, texts)),
            )
            for some, made in _embedded(pool, embedder, texts, step, stop):
                size = sum(map(len, some))
                rows = [n for n, text in enumerate(some) for _ in keys[text]]
                stored = store.put_vectors(
                    embedder.key,
                    list(chain.from_iterable(keys[text] for text in some)),
                    made.vectors[rows],
                    [made.sentences[n] for n in rows],
                )
                far = EmbeddingProgress(
                    far.done + stored, far.fetched, far.read + size, far.waiting - size
                )
                progress(far)
            if far.waiting or far.done >= most or far.done == before:
                break  # or everything fetched was deleted meanwhile, or is being fought over
    return far.done


def _known(store: ports.StorageEngine, model: str, keys: Sequence[int]) -> Collection[int]:
    """Gives passages whose text came from elsewhere before the vector that it has, and returns
    which these are. For few it is quicker to embed them than to look."""
    found = store.admin.twins(model, keys) if len(keys) >= LOOKED_UP else {}
    if found:
        vectors, sentences = zip(*found.values(), strict=True)
        store.put_vectors(model, list(found), np.array(vectors), sentences)
    return found


def _embedded(
    pool: ThreadPoolExecutor,
    embedder: ports.Embedder,
    texts: Sequence[str],
    step: int,
    stop: Event | None,
) -> Iterator[tuple[Sequence[str], ports.PassageVectors]]:
    """Yields the vectors of some texts after the other, with the signs of their sentences. The
    threads go on while these are stored; what nobody asks for any more is not begun."""
    parts = [texts[start : start + step] for start in range(0, len(texts), step)]
    made = [pool.submit(ports.passage_vectors, embedder, some) for some in parts]
    try:
        for some, vectors in zip(parts, made, strict=True):
            yield some, vectors.result()
            if stop is not None and stop.is_set():
                return
    finally:
        for vectors in made:
            vectors.cancel()


_PAUSE = 2.0
"""Seconds between two looks at what is pending."""


class BackgroundEmbedder:
    """Embeds what is pending in a thread of its own, for processes that live long."""

    def __init__(self, store: ports.StorageEngine, embedder: ports.Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._stop = Event()
        self.failure = ""
        self._thread = Thread(target=self._run, name="recollect-embed", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                embed_pending(self._store, self._embedder, stop=self._stop, step=BESIDE)
            except RecollectError as error:
                self.failure = error.message
                return
            self._stop.wait(_PAUSE)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
