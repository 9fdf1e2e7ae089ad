"""The facade for asyncio: the same methods and parts, to be awaited.

    from recollect.aio import AsyncMemory

    async with await AsyncMemory.open() as m:
        answer = await m.search("when do we deploy?")

Each call runs in one of a few threads, and its signature is that of the method it is named after.
When the task that waits is cancelled, a search ends after the stage it is in; a write that has
begun is finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from threading import Event
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from recollect.memory import Memory
from recollect.memory.curation import Curation
from recollect.memory.model_admin import ModelAdmin
from recollect.memory.store_admin import StoreAdmin
from recollect.memory.web import WebClient
from recollect.trace import Stopped, watched

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")
"""The facade, or one of its parts, whose methods are called."""

THREADS = 8


class _Threads:
    """The threads that calls run in."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="recollect-aio")

    async def run(self, call: Callable[[], T]) -> T:
        """The result of the call; a search among it is stopped when nobody waits any more."""
        gone = Event()

        def look(_: str) -> None:
            if gone.is_set():
                raise Stopped

        def work() -> T:
            with watched(look):
                return call()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except asyncio.CancelledError:
            gone.set()
            raise

    async def close(self) -> None:
        """Waits for what is under way."""
        await asyncio.to_thread(self._pool.shutdown)


class _Async(Generic[S]):
    """The methods of *of*, each in a thread."""

    def __init__(self, of: S, threads: _Threads) -> None:
        self._of = of
        self._threads = threads


def _threaded(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[_Async[S], P], Coroutine[Any, Any, T]]:
    @wraps(method)
    async def call(self: _Async[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._threads.run(partial(method, self._of, *args, **kwargs))

    return call


class AsyncCuration(_Async[Curation]):
    """``m.curation``, to be awaited."""

    fact = _threaded(Curation.fact)
    timeline = _threaded(Curation.timeline)
    topics = _threaded(Curation.topics)
    page_text = _threaded(Curation.page_text)
    edit_page = _threaded(Curation.edit_page)
    alias = _threaded(Curation.alias)
    pin = _threaded(Curation.pin)
    reword = _threaded(Curation.reword)
    resolve = _threaded(Curation.resolve)
    supersede = _threaded(Curation.supersede)
    receipts = _threaded(Curation.receipts)
    undo = _threaded(Curation.undo)
    to_review = _threaded(Curation.to_review)
    review = _threaded(Curation.review)
    tidy = _threaded(Curation.tidy)
    observe = _threaded(Curation.observe)
    prelude = _threaded(Curation.prelude)
    prelude_text = _threaded(Curation.prelude_text)
    edit_prelude = _threaded(Curation.edit_prelude)


class AsyncModels(_Async[ModelAdmin]):
    """``m.models``, to be awaited."""

    states = _threaded(ModelAdmin.states)
    fetch = _threaded(ModelAdmin.fetch)
    embed = _threaded(ModelAdmin.embed)
    embed_in_background = _threaded(ModelAdmin.embed_in_background)
    bench = _threaded(ModelAdmin.bench)
    switch = _threaded(ModelAdmin.switch)
    calibrate = _threaded(ModelAdmin.calibrate)
    prune = _threaded(ModelAdmin.prune)
    llm = _threaded(ModelAdmin.llm)
    use_llm = _threaded(ModelAdmin.use_llm)
    llm_status = _threaded(ModelAdmin.llm_status)
    test_llm = _threaded(ModelAdmin.test_llm)


class AsyncAdmin(_Async[StoreAdmin]):
    """``m.admin``, to be awaited."""

    check = _threaded(StoreAdmin.check)
    rebuild = _threaded(StoreAdmin.rebuild)
    source_states = _threaded(StoreAdmin.source_states)
    source_of = _threaded(StoreAdmin.source_of)
    lineage = _threaded(StoreAdmin.lineage)
    backup = _threaded(StoreAdmin.backup)
    export_all = _threaded(StoreAdmin.export_all)
    import_all = _threaded(StoreAdmin.import_all)
    export_tree = _threaded(StoreAdmin.export_tree)
    answers = _threaded(StoreAdmin.answers)
    forget_answers = _threaded(StoreAdmin.forget_answers)
    cache_stats = _threaded(StoreAdmin.cache_stats)
    clear_cache = _threaded(StoreAdmin.clear_cache)
    stats = _threaded(StoreAdmin.stats)
    clear_stats = _threaded(StoreAdmin.clear_stats)
    tune = _threaded(StoreAdmin.tune)
    captured = _threaded(StoreAdmin.captured)
    forget_captured = _threaded(StoreAdmin.forget_captured)


class AsyncWeb(_Async[WebClient]):
    """``m.web``, to be awaited."""

    search = _threaded(WebClient.search)
    add = _threaded(WebClient.add)
    use = _threaded(WebClient.use)


class AsyncMemory(_Async[Memory]):
    """One store, opened, for the tasks of an event loop."""

    def __init__(self, memory: Memory, threads: _Threads | None = None) -> None:
        threads = threads or _Threads()
        super().__init__(memory, threads)
        self.memory = memory
        self.curation = AsyncCuration(memory.curation, threads)
        self.models = AsyncModels(memory.models, threads)
        self.admin = AsyncAdmin(memory.admin, threads)
        self.web = AsyncWeb(memory.web, threads)

    @classmethod
    async def open(cls, location: str | Path | None = None, **overrides: Any) -> Self:
        """As :meth:`Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, location, **overrides))

    async def view(self, owner: str | None = None, scopes: Sequence[str] | None = None) -> Self:
        """As :meth:`Memory.view`."""
        made = await self._threads.run(partial(self.memory.view, owner, scopes))
        return type(self)(made, self._threads)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the store when what is under way has ended."""
        await self._threads.close()
        await asyncio.to_thread(self.memory.close)

    add = _threaded(Memory.add)
    put = _threaded(Memory.put)
    watch = _threaded(Memory.watch)
    record = _threaded(Memory.record)
    remember = _threaded(Memory.remember)
    curate = _threaded(Memory.curate)
    forget = _threaded(Memory.forget)
    search = _threaded(Memory.search)
    query = _threaded(Memory.query)
    ask = _threaded(Memory.ask)
    think = _threaded(Memory.think)
    gather = _threaded(Memory.gather)
    record_answer = _threaded(Memory.record_answer)
    context = _threaded(Memory.context)
    sessions = _threaded(Memory.sessions)
    get = _threaded(Memory.get)
    list = _threaded(Memory.list)
    facts = _threaded(Memory.facts)
    history = _threaded(Memory.history)
    status = _threaded(Memory.status)
