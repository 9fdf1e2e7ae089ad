"""The facade for asyncio: the same methods, to be awaited.

    from recollect.aio import AsyncMemory

    async with await AsyncMemory.open() as m:
        answer = await m.search("when do we deploy?")

Each call runs in one of a few threads, and its signature is that of the method it is named after.
When the task that waits is cancelled, a search ends after the stage it is in; a write that has
begun is finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from threading import Event
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect.memory import Memory
from recollect.trace import Stopped, watched

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8


def _threaded(
    method: Callable[Concatenate[Memory, P], T],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, T]]:
    @wraps(method)
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._away(partial(method, self.memory, *args, **kwargs))

    return call


class AsyncMemory:
    """One store, opened, for the tasks of an event loop."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="recollect-aio")

    @classmethod
    async def open(cls, location: str | Path | None = None, **overrides: Any) -> AsyncMemory:
        """As :meth:`Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, location, **overrides))

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """When what is under way has ended."""
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self.memory.close)

    async def _away(self, call: Callable[[], T]) -> T:
        gone = Event()

        def look(_: str) -> None:
            if gone.is_set():
                raise Stopped

        def work() -> T:
            with watched(look):
                return call()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except asyncio.CancelledError:
            gone.set()
            raise

    add = _threaded(Memory.add)
    watch = _threaded(Memory.watch)
    record = _threaded(Memory.record)
    put = _threaded(Memory.put)
    curate = _threaded(Memory.curate)
    receipts = _threaded(Memory.receipts)
    undo = _threaded(Memory.undo)
    to_review = _threaded(Memory.to_review)
    review = _threaded(Memory.review)
    tidy = _threaded(Memory.tidy)
    export_tree = _threaded(Memory.export_tree)
    embed = _threaded(Memory.embed)
    embed_in_background = _threaded(Memory.embed_in_background)
    remember = _threaded(Memory.remember)
    alias = _threaded(Memory.alias)
    pin = _threaded(Memory.pin)
    reword = _threaded(Memory.reword)
    timeline = _threaded(Memory.timeline)
    topics = _threaded(Memory.topics)
    resolve = _threaded(Memory.resolve)
    supersede = _threaded(Memory.supersede)
    forget = _threaded(Memory.forget)
    rebuild = _threaded(Memory.rebuild)
    search = _threaded(Memory.search)
    web = _threaded(Memory.web)
    add_web = _threaded(Memory.add_web)
    use_web = _threaded(Memory.use_web)
    gather = _threaded(Memory.gather)
    think = _threaded(Memory.think)
    record_answer = _threaded(Memory.record_answer)
    answers = _threaded(Memory.answers)
    forget_answers = _threaded(Memory.forget_answers)
    cache_stats = _threaded(Memory.cache_stats)
    clear_cache = _threaded(Memory.clear_cache)
    query = _threaded(Memory.query)
    configured = _threaded(Memory.configured)
    ask = _threaded(Memory.ask)
    context = _threaded(Memory.context)
    fact = _threaded(Memory.fact)
    facts = _threaded(Memory.facts)
    sessions = _threaded(Memory.sessions)
    filter = _threaded(Memory.filter)
    get = _threaded(Memory.get)
    list = _threaded(Memory.list)
    history = _threaded(Memory.history)
    bench_models = _threaded(Memory.bench_models)
    switch_model = _threaded(Memory.switch_model)
    calibrate = _threaded(Memory.calibrate)
    prune_vectors = _threaded(Memory.prune_vectors)
    status = _threaded(Memory.status)
    stats = _threaded(Memory.stats)
    clear_stats = _threaded(Memory.clear_stats)
    tune = _threaded(Memory.tune)
    llm = _threaded(Memory.llm)
    use_llm = _threaded(Memory.use_llm)
    llm_status = _threaded(Memory.llm_status)
    test_llm = _threaded(Memory.test_llm)
