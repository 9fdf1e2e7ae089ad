"""Vectors for passages that have none: newest first, in batches, at any time continued."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Event, Thread

from recollect.errors import RecollectError
from recollect.ports import Embedder, Store

FETCH = 1024
"""Passages asked for at once; finding them costs more than reading them."""
WRITE = 32
"""Passages embedded and stored at once: what an interruption can lose."""
BESIDE = 2
"""As many in the background, where whoever closes the store waits for them: a server that is told
to end has five seconds, also on a busy machine."""


def embed_pending(
    store: Store,
    embedder: Embedder,
    progress: Callable[[int], None] = lambda _: None,
    stop: Event | None = None,
    step: int = WRITE,
    most: int = sys.maxsize,
) -> int:
    """Embed until nothing is pending, *most* are done or *stop* is set, storing every *step*
    passages; returns how many were embedded."""
    done = 0
    while waiting := store.pending(embedder.key, limit=min(FETCH, most - done)):
        before = done
        for start in range(0, len(waiting), step):
            if stop is not None and stop.is_set():
                return done
            some = waiting[start : start + step]
            vectors = embedder.embed_passages([text for _, text in some])
            done += store.put_vectors(embedder.key, [key for key, _ in some], vectors)
            progress(done)
        if done >= most or done == before:
            break  # or everything fetched was deleted meanwhile, or is being fought over
    return done


_PAUSE = 2.0
"""Seconds between two looks at what is pending."""


class BackgroundEmbedder:
    """Embeds what is pending in a thread of its own, for processes that live long."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
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
