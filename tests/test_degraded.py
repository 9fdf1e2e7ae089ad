"""A degraded answer says so on every surface, and is never served again: once the fault is healed,
the same question gets the whole answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import Cli, HashEmbedder
from llm_server import Asked, LlmServer, Say, said
from recollect import Memory, config
from recollect.errors import ModelBusy, ModelError
from recollect.models.rerank_endpoint import EndpointReranker
from recollect.nouns import Answer, CacheReport
from recollect.ports import LlmRequest, Reranker
from recollect.storage import open_cache, open_store
from recollect.surfaces.page.layout import PageRequest
from recollect.surfaces.page.search import search as search_page
from recollect.surfaces.tools import NAMED, Work, answer
from recollect.testing.builders import note
from stub_llm import Model, lines, quoting, shown

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors

ASKED = "which boat leaks?"
UNSURE = "which boat leaks at night?"
"""Nothing stored has all of its words."""


class Fault:
    """Broken until it is healed."""

    on = False

    def strike(self, error: Exception) -> None:
        if self.on:
            raise error


class Embedder(HashEmbedder):
    def __init__(self, query: Fault, passage: Fault) -> None:
        self._query, self._passage = query, passage

    def embed_query(self, text: str) -> Vector:
        self._query.strike(ModelError("the model fell over"))
        vector: Vector = super().embed_passages([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._passage.strike(ModelError("the model fell over"))
        return super().embed_passages(texts)


def boats(tmp_path: Path, embedder: HashEmbedder, reranker: Reranker | None = None) -> Memory:
    folder = str(tmp_path / "store")
    memory = Memory(
        open_store(folder), config.load(), embedder, reranker=reranker,
        cache=open_cache(folder, 100),
    )  # fmt: skip
    memory.put(note(f"n{i}", f"boat {'boat ' * (9 - i)} number {i} leaks") for i in range(9))
    memory.models.embed()
    return memory


@pytest.fixture
def server() -> Iterator[LlmServer]:
    running = LlmServer()
    yield running
    running.close()


def told(found: Answer) -> Answer:
    """What is answered, without how and when that came about."""
    return found._replace(tier=0, cache=CacheReport(), stages=(), timing_ms=0.0)


def heals(
    memory: Memory, fault: Fault, lacking: str, question: str = ASKED, **options: Any
) -> None:
    """Asks while it is broken, heals it, and asks again."""
    whole = memory.search(question, cache=False, **options)
    assert whole.degraded == ()
    fault.on = True
    for _ in range(2):
        poorer = memory.search(question, **options)
        assert any(lacking in reason for reason in poorer.degraded)
        assert (poorer.tier, poorer.cache.status) == (3, "miss")
    assert memory.admin.cache_stats().entries == 0
    fault.on = False
    healed = memory.search(question, **options)
    assert (healed.tier, told(healed)) == (3, told(whole))
    again = memory.search(question, **options)
    assert (again.tier, told(again)) == (0, told(whole))


# ------------------------------------------------------------------ ask, fault, heal, ask again


class Broken:
    """A member of a store that fails while its fault is on."""

    def __init__(self, fault: Fault, real: Callable[..., Any]) -> None:
        self._fault, self._real = fault, real

    def __call__(self, *given: Any, **options: Any) -> Any:
        self._fault.strike(OSError("the index is torn"))
        return self._real(*given, **options)


def test_an_embedder_that_fails(tmp_path: Path) -> None:
    fault = Fault()
    with boats(tmp_path, Embedder(fault, Fault())) as memory:
        fault.on = True
        assert memory.search(ASKED).degraded == ("vector: the model fell over",)
        assert memory.admin.cache_stats().entries == 0
        fault.on = False
        healed = memory.search(ASKED)
        assert (healed.tier, healed.degraded) == (3, ())
        assert memory.search(ASKED).tier == 0


@pytest.mark.parametrize(
    ("member", "lacking"),
    [("search_text", "lexical"), ("search_vector", "vector"), ("matched", "coverage")],
)
def test_an_index_that_is_torn(
    tmp_path: Path, member: str, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault()
    with boats(tmp_path, HashEmbedder()) as memory:
        broken = Broken(fault, getattr(memory.store, member))
        monkeypatch.setattr(memory.store, member, broken)
        heals(memory, fault, f"{lacking}: the index is torn")


@pytest.mark.parametrize("late", [False, True], ids=["busy", "out of time"])
def test_a_reranker_behind_an_endpoint(tmp_path: Path, server: LlmServer, late: bool) -> None:
    fault = Fault()

    def scores(asked: Asked) -> Say:
        if fault.on:
            return Say(200, (b"{}",), pause=5) if late else said({"error": "busy"}, 503)
        some = [0.99 * ("number 7" in text) for text in asked.body["documents"]]
        rows = [{"index": n, "relevance_score": score} for n, score in enumerate(some)]
        return said({"results": rows})

    server.answers = [scores]
    reranker = EndpointReranker(f"{server.url}#rerank-v3.5", total=0.3 if late else 3.0)
    with boats(tmp_path, HashEmbedder(), reranker) as memory:
        heals(memory, fault, "rerank: ")
        assert memory.search(ASKED).results[0].document == "n7"


def test_a_language_model_that_reranks(tmp_path: Path) -> None:
    fault = Fault()

    def grades(request: LlmRequest) -> str:
        fault.strike(ModelBusy("the model is busy"))
        rows = [{"passage": n, "grade": 3 if "number 7" in text else 0}
                for n, text in shown(request).items() if n]  # fmt: skip
        return lines({"grades": rows})

    with boats(tmp_path, HashEmbedder()) as memory:
        memory.models.use_llm(Model(rerank=grades))
        heals(memory, fault, "rerank: ", reranker="llm")


def test_a_language_model_that_rewrites(tmp_path: Path) -> None:
    fault = Fault()

    def rewrites(_: LlmRequest) -> str:
        fault.strike(ModelBusy("the model is busy"))
        return "what lets water in?"

    with boats(tmp_path, HashEmbedder()) as memory:
        memory.models.use_llm(Model(expand=rewrites))
        heals(memory, fault, "expand: ", UNSURE, expand=1)


def test_what_a_rewrite_could_not_look_for(tmp_path: Path) -> None:
    """The rewrites' own stages are not told, but what they lacked is."""
    fault = Fault()
    with boats(tmp_path, Embedder(Fault(), fault)) as memory:
        memory.models.use_llm(Model(expand="what lets water in?\nPASSAGE: Number 3 lets water in."))
        heals(memory, fault, "hyde: the model fell over", UNSURE, expand=1, hyde=True)


def test_what_is_written_from_less_is_not_recorded(tmp_path: Path) -> None:
    """An answer that a language model wrote is served again too."""
    fault = Fault()
    with boats(tmp_path, Embedder(fault, Fault())) as memory:
        memory.models.use_llm(Model(think=quoting))
        fault.on = True
        poorer = memory.think(UNSURE)
        assert (poorer.status, bool(poorer.degraded)) == ("synthesized", True)
        fault.on = False
        again = memory.think(UNSURE)
        assert (again.status, again.degraded) == ("synthesized", ())
        assert memory.think(UNSURE).status == "cached_answer"


# ------------------------------------------------------------------ every surface


def text_of_the_page(memory: Memory, asked: str) -> str:
    return str(search_page(PageRequest(memory, NAMED, Work(), {"q": asked}, "")).body)


@pytest.mark.parametrize("asked", [ASKED, "zzqx blorp"], ids=["found", "nothing"])
def test_every_surface_says_so(tmp_path: Path, asked: str, cli: Cli) -> None:
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.put(note(f"n{i}", f"boat number {i} leaks") for i in range(3))
    assert cli("config", "set", "embed.model", "arctic-embed-s").code == 0
    lacking = "the model arctic-embed-s is not on this machine"
    store = ["--store", str(tmp_path / "store")]
    assert f"note: vector: {lacking}" in cli("search", asked, *store).err
    (reason,) = cli("search", asked, *store, "--json").json["degraded"]
    assert reason.startswith(f"vector: {lacking}")
    with Memory.open(tmp_path / "store") as memory:
        tool = answer(NAMED["search"], {"query": asked}, lambda: memory)
        assert f"degraded: {reason}" in tool.text
        assert tool.json["degraded"] == [reason]
        assert f"Degraded: vector: {lacking}" in text_of_the_page(memory, asked)
