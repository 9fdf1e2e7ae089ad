"""The facade for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from mcp_client import WAIT
from recollect import Memory
from recollect.aio import AsyncMemory
from recollect.errors import NotFound
from recollect.trace import Trace

PARTS = ("curation", "models", "admin", "web")
DOCS = Path(__file__).parent.parent / "docs" / "serving.md"


@pytest.fixture(autouse=True)
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


def methods(thing: object) -> dict[str, inspect.Signature]:
    """The public methods of an object, and their signatures."""
    named = {name: getattr(thing, name) for name in dir(thing) if not name.startswith("_")}
    return {n: inspect.signature(m) for n, m in named.items() if inspect.ismethod(m)}


def test_it_has_every_method_of_the_facade_and_of_its_parts(tmp_path: Path) -> None:
    async def main() -> None:
        async with await AsyncMemory.open(tmp_path / "store") as m:
            assert methods(m) == methods(m.memory)
            for part in PARTS:
                mine, theirs = getattr(m, part), getattr(m.memory, part)
                assert methods(mine) == methods(theirs)
                assert methods(mine)
                assert all(
                    inspect.iscoroutinefunction(getattr(mine, name)) for name in methods(mine)
                )

    asyncio.run(main())


def test_the_parts_are_all_that_a_memory_has_besides_its_methods() -> None:
    named = {name for name in dir(Memory) if not name.startswith("_")}
    verbs = {name for name in named if callable(getattr(Memory, name))}
    assert named - verbs == {*PARTS, "store", "config"}
    assert len(named) <= 30


def test_what_the_facade_returns_and_raises_comes_through(tmp_path: Path) -> None:
    async def main() -> None:
        async with await AsyncMemory.open(tmp_path / "store") as m:
            kept = await m.remember("We deploy on Fridays", name="deploy day")
            assert (await m.get(kept.fact.id)).text == "We deploy on Fridays"
            many = await asyncio.gather(*(m.search("deploy day") for _ in range(20)))
            assert {one.results[0].text for one in many} == {"We deploy on Fridays"}
            with pytest.raises(NotFound):
                await m.get("nowhere")
            with pytest.raises(TypeError):
                await m.search("x", nonsense=1)  # type: ignore[call-arg]

    asyncio.run(main())


def test_a_search_that_is_cancelled_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()
    real = Trace.look_up

    def slowly(self: Trace, doing: str) -> None:
        begun.set()
        go.wait(WAIT)
        try:
            real(self, doing)
        except BaseException:
            ended.set()
            raise

    async def main() -> None:
        async with await AsyncMemory.open(tmp_path / "store") as m:
            await m.record("discussion", "Something to look for")
            monkeypatch.setattr(Trace, "look_up", slowly)
            task = asyncio.ensure_future(m.search("something"))
            await asyncio.to_thread(begun.wait, WAIT)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go.set()
            assert await asyncio.to_thread(ended.wait, WAIT)

    asyncio.run(main())


def test_the_example_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    given: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, "docs/serving.md", "exec"), given)
    assert capsys.readouterr().out == "We deploy on Fridays\n"
