"""Embedders elsewhere, models from a folder as it was downloaded, and changing from one model to
another without a moment of worse answers."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import EMBED_HOME, Cli, HashEmbedder, overlap_reranker
from llm_server import KEY, Asked, LlmServer, Say, said
from recollect import Memory, config
from recollect.errors import ModelError, ModelUnauthorised, SpendRefused, UsageError
from recollect.models.addresses import embed_address
from recollect.models.catalog import EMBED
from recollect.models.endpoint import EndpointEmbedder, prompts_of
from recollect.models.files import own_model
from recollect.nouns import Answer
from recollect.testing.builders import note

HASH = HashEmbedder()
FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    made = LlmServer()
    made.answers = [embeddings]
    yield made
    made.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause before a second attempt."""
    monkeypatch.setattr("recollect.models.remote.random.uniform", lambda low, high: 0.0)


def embeddings(asked: Asked, size: int = 64) -> Say:
    """Vectors of hashed words, of so many dimensions."""
    rows = HASH.embed_passages(asked.body["input"])[:, :size] + 1e-3
    data = [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]
    return said({"data": data, "usage": {"prompt_tokens": 1000, "total_tokens": 1000}})


# ------------------------------------------------------------------ an embedder elsewhere


@pytest.mark.parametrize(
    ("name", "url", "model"),
    [
        ("openai:text-embedding-3-small", "https://api.openai.com/v1", "text-embedding-3-small"),
        ("ollama:nomic-embed-text:v1.5", "http://127.0.0.1:11434/v1", "nomic-embed-text:v1.5"),
        ("https://box.example/v1/#bge-m3", "https://box.example/v1", "bge-m3"),
    ],
)
def test_a_name_says_where_the_model_is(name: str, url: str, model: str) -> None:
    assert embed_address(name) == (url, model)


@pytest.mark.parametrize("name", ["openai:", "http://127.0.0.1:1/v1", "ftp://x#y", "http://#y"])
def test_a_name_that_says_too_little_is_refused(name: str) -> None:
    with pytest.raises(ModelError):
        EndpointEmbedder(name)


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-base", "query: ", "passage: "),
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_questions_and_passages_are_told_apart_as_the_model_wants_it(
    server: LlmServer, model: str, query: str, passage: str
) -> None:
    embedder = EndpointEmbedder(f"{server.url}#{model}")
    embedder.embed_query("otter")
    embedder.embed_passages(["kelp"])
    assert [one.body["input"] for one in server.asked] == [[query + "otter"], [passage + "kelp"]]


def test_some_want_it_in_a_field_of_its_own(server: LlmServer) -> None:
    embedder = EndpointEmbedder(f"{server.url}#voyage-3.5")
    embedder.embed_query("otter")
    embedder.embed_passages(["kelp"])
    assert [one.body["input_type"] for one in server.asked] == ["query", "document"]
    assert server.asked[0].body["input"] == ["otter"]
    assert prompts_of("jina-embeddings-v3").field == "task"


def test_many_texts_go_in_batches_of_bounded_size(server: LlmServer) -> None:
    embedder = EndpointEmbedder(f"{server.url}#toy")
    texts = [f"otter {n}" for n in range(150)] + ["long " * 4000] * 12
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (162, 64)
    sizes = [(len(a.body["input"]), sum(map(len, a.body["input"]))) for a in server.asked]
    assert max(count for count, _ in sizes) <= 64
    assert max(size for _, size in sizes) <= 166_000
    assert np.allclose(vectors[7], embedder.embed_query("otter 7"), atol=1e-5)
    assert embedder.embed_passages([]).shape == (0, 64)


def test_what_is_too_long_is_cut_until_it_is_not(server: LlmServer) -> None:
    def strict(asked: Asked) -> Say:
        if sum(map(len, asked.body["input"])) > 5_000:
            message = "This model's maximum context length is 8192 tokens"
            return said({"error": {"message": message}}, 400)
        return embeddings(asked)

    server.answers = [strict]
    vectors = EndpointEmbedder(f"{server.url}#toy").embed_passages(["otter " * 2000, "kelp", "eel"])
    assert vectors.shape == (3, 64)
    assert not np.allclose(vectors[1], vectors[2])


def test_a_busy_server_is_waited_for_and_a_key_is_not_repeated(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_KEY", KEY)
    server.answers = [said({}, 503), said({}, 429), said({}, 500), embeddings]
    assert EndpointEmbedder(f"{server.url}#toy").embed_passages(["otter"]).shape == (1, 64)
    server.answers = [said({"error": {"message": f"bad key {KEY}"}}, 401)]
    with pytest.raises(ModelUnauthorised) as caught:
        EndpointEmbedder(f"{server.url}#toy").embed_query("otter")
    assert KEY not in str(caught.value)
    assert "RECOLLECT_EMBED_KEY" in caught.value.hint


def test_a_slow_server_does_not_hold_up_a_search(
    tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.models.endpoint.QUERY_SECONDS", 0.3)
    with Memory.open(
        tmp_path / "store", embed_model=f"{server.url}#toy", rerank_model="none"
    ) as memory:
        memory.put([note("a", "otter")])
        memory.models.embed()
        server.answers = [said({})._replace(pause=5.0)]
        answer = memory.search("otter")
        assert [r.document for r in answer.results] == ["a"]
        assert "in time" in answer.degraded[0]


def test_a_vendors_key_goes_to_that_vendor_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnauthorised, match="no key for api.openai.com"):
        EndpointEmbedder("openai:text-embedding-3-small").embed_query("otter")
    monkeypatch.setenv("RECOLLECT_EMBED_KEY", KEY)
    with pytest.raises(ModelUnauthorised, match="for everybody to read"):
        EndpointEmbedder("http://box.example/v1#toy").embed_query("otter")


def spent(memory: Memory) -> Any:
    return memory.models.llm_status().spent


def test_what_it_costs_is_counted_and_limited(
    tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{server.url}#toy"
    with Memory.open(tmp_path / "store", embed_model=address, embed_price=20) as memory:
        memory.put([note("a", "otter"), note("b", "kelp")])
        memory.models.embed()
        (row,) = spent(memory)
        assert (row.model, row.calls, row.input, row.nanos) == ("toy", 1, 1000, 20_000_000)
    asked = len(server.asked)
    limited = {"embed_model": address, "embed_price": 20, "llm_daily_limit": 0.02}
    with Memory.open(tmp_path / "store", **limited) as memory:
        memory.put([note("c", "eel")])
        with pytest.raises(SpendRefused, match="llm.daily_limit"):
            memory.models.embed()
        assert len(server.asked) == asked
        answer = memory.search("eel")
        assert [r.document for r in answer.results] == ["c"]
        assert "llm.daily_limit" in answer.degraded[0]


def test_a_limit_on_what_has_no_price_says_where_to_put_one() -> None:
    from recollect.memory.llm import embedding_purse

    limited = config.load({"llm.daily_limit": 1.0})
    with pytest.raises(SpendRefused) as caught:
        embedding_purse(limited, "mystery", "https://box.example/v1").hold("mystery", 10, 0)
    assert "embed.price" in caught.value.hint
    purse = embedding_purse(limited, "text-embedding-3-small", "https://api.openai.com/v1")
    assert purse.hold("text-embedding-3-small", 1_000_000, 0).nanos == 20_000_000


# ------------------------------------------------------------------ a folder as it was downloaded


def downloaded(folder: Path, **files: dict[str, Any]) -> Path:
    """A folder of sentence-transformers, with the weights that ship."""
    about = {
        "config.json": {"hidden_size": 384, "max_position_embeddings": 512,
                        "_name_or_path": "maker/kelp-embed"},
        "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_cls_token": True,
                                  "pooling_mode_mean_tokens": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": EMBED.query_prefix, "document": ""}
        },
        **files,
    }  # fmt: skip
    for name, content in about.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").symlink_to(EMBED_HOME / "model.onnx")
    (folder / "tokenizer.json").symlink_to(EMBED_HOME / "tokenizer.json")
    return folder


def test_a_folder_says_by_itself_what_its_model_is(tmp_path: Path) -> None:
    model = own_model(downloaded(tmp_path / "kelp"))
    assert (model.name, model.dimensions, model.pooling) == ("kelp-embed", 384, "cls")
    assert (model.query_prefix, model.passage_prefix) == (EMBED.query_prefix, "")
    assert model.max_tokens == 512
    with Memory.open(tmp_path / "store", embed_model=str(tmp_path / "kelp")) as memory:
        memory.put([note("a", "the kitten sleeps"), note("b", "taxes are due")])
        assert memory.models.embed(threads=2) == 2
        first = memory.search("where does the cat sleep?").results[0]
        assert (first.document, "vector" in first.evidence) == ("a", True)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"1_Pooling/config.json": {"pooling_mode_lasttoken": True}}, "lasttoken"),
        ({"1_Pooling/config.json": {"pooling_mode_mean_tokens": True,
                                    "word_embedding_dimension": 0}, "config.json": {}},
         "how many dimensions"),
    ],
)  # fmt: skip
def test_what_a_folder_says_and_we_do_not_understand_is_refused(
    tmp_path: Path, files: dict[str, Any], why: str
) -> None:
    with pytest.raises(ModelError, match=why):
        own_model(downloaded(tmp_path / "kelp", **files))


def test_a_pooling_is_not_guessed(tmp_path: Path) -> None:
    folder = downloaded(tmp_path / "kelp")
    (folder / "1_Pooling" / "config.json").unlink()
    with pytest.raises(ModelError, match="pooled") as caught:
        own_model(folder)
    assert "recollect-model.json" in caught.value.hint


# ------------------------------------------------------------------ from one model to another


def otters(count: int) -> list[Any]:
    return [note(f"n{n}", f"The otter number{n} sleeps in kelp.") for n in range(count)]


def test_vectors_of_a_folder_serve_after_a_change_to_another(
    tmp_path: Path, server: LlmServer
) -> None:
    folder, store = downloaded(tmp_path / "kelp"), tmp_path / "store"
    with Memory.open(store, embed_model=str(folder)) as memory:
        memory.put(otters(3))
        memory.models.embed()
    with Memory.open(store, embed_model=f"{server.url}#new") as memory:
        answer = memory.search("otter")
        assert "kelp-embed@" in answer.degraded[0]
        assert "(0 of 3)" in answer.degraded[0]
        assert server.asked == []


OLD = "recollect-embed@d5bce4168887"


def test_a_store_of_the_model_that_shipped_before_serves_and_is_embedded_anew(
    tmp_path: Path,
) -> None:
    with tarfile.open(FIXTURES / "stores" / "six-layers.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    question = "When do I have to file taxes?"
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        assert memory.status().pending == 6
        answer = memory.search(question)
        assert _nearest(answer) == "tax"
        assert not any(stage.found for stage in answer.stages if stage.name == "lexical")
        assert f"{OLD} serves until {EMBED.key} has as many vectors (0 of 6)" in answer.degraded[0]
        memory.models.embed_in_background()
        until = time.monotonic() + 60
        while memory.status().pending and time.monotonic() < until:
            time.sleep(0.02)
        answer = memory.search(question)
        assert _nearest(answer) == "tax"
        assert not answer.degraded
        assert memory.status().store.vectors == {OLD: 6, EMBED.key: 6}
        assert memory.models.prune() == {OLD: 6}
        assert _nearest(memory.search(question)) == "tax"


def _nearest(answer: Answer) -> str:
    """Returns the first document that is shown, or named where nothing is sure enough."""
    return [*(r.document for r in answer.results), *(n.document for n in answer.named)][0]


def switching(server: LlmServer, store: Path, model: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "recollect", "models", "switch", f"{server.url}#{model}"]
    return subprocess.Popen([*command, "--store", str(store), "--json"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def test_a_switch_that_is_killed_goes_on_and_the_old_vectors_serve_meanwhile(
    tmp_path: Path, server: LlmServer, cli: Cli
) -> None:
    store, count = tmp_path / "store", 100
    old, new = f"{server.url}#old", f"{server.url}#new"
    with Memory.open(store, embed_model=old) as memory:
        memory.put(otters(count))
        memory.models.embed()
    embedded: list[str] = []

    def slowly(asked: Asked) -> Say:
        if asked.body["model"] == "new" and len(asked.body["input"]) > 1:
            embedded.extend(asked.body["input"])
            if len(embedded) > 40:
                return embeddings(asked, 32)._replace(pause=20.0)
        return embeddings(asked, 32 if asked.body["model"] == "new" else 64)

    server.answers = [slowly]
    process = switching(server, store, "new")
    until = time.monotonic() + 60
    while len(embedded) <= 40 and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert config.load()["embed.model"] == new
    with Memory.open(store) as memory:
        answer = memory.search("where does number7 sleep?")
        assert "(32 of 100)" in answer.degraded[0]
        assert server.asked[-1].body["model"] == "old"
        assert answer.results[0].document == "n7"
        with pytest.raises(UsageError, match="still needed"):
            memory.models.prune()
    refused = cli("models", "prune", "--store", str(store))
    assert refused.code == 2
    embedded.clear()
    server.answers = [lambda a: embeddings(a, 32 if a.body["model"] == "new" else 64)]
    before = len(server.asked)
    out, err = switching(server, store, "new").communicate(timeout=60)
    done = json.loads(out)
    assert (done["embedded"], done["vectors"]) == (68, 100), err
    assert done["older"] == {f"old@{server.url}/embeddings": 100}
    sent = [text for a in server.asked[before:] for text in a.body["input"] if "number" in text]
    assert len(sent) == 68
    with Memory.open(store) as memory:
        answer = memory.search("where does number7 sleep?")
        assert answer.degraded == ()
        assert server.asked[-1].body["model"] == "new"
    pruned = cli("models", "prune", "--store", str(store))
    assert "deleted 100 vectors of old@" in pruned.out
    assert cli("models", "prune", "--store", str(store)).out == "there is nothing to delete\n"
    with Memory.open(store) as memory:
        assert memory.status().store.vectors == {f"new@{server.url}/embeddings": 100}
        assert memory.search("where does number7 sleep?").results[0].document == "n7"


def test_a_model_that_does_not_work_is_not_switched_to(
    tmp_path: Path, server: LlmServer, cli: Cli
) -> None:
    server.answers = [said({"error": {"message": "no such model"}}, 404)]
    refused = cli("models", "switch", f"{server.url}#nope", "--store", str(tmp_path / "store"))
    assert refused.code == 1
    assert config.load()["embed.model"] == "recollect-embed"
    folder = overlap_reranker(tmp_path / "overlap")
    assert cli("models", "switch", str(folder)).code == 2


def test_other_dimensions_of_the_same_model_are_refused_and_nothing_is_lost(
    tmp_path: Path, server: LlmServer
) -> None:
    address = f"{server.url}#toy"
    with Memory.open(tmp_path / "store", embed_model=address) as memory:
        memory.put(otters(3))
        memory.models.embed()
    server.answers = [lambda a: embeddings(a, 32)]
    with Memory.open(tmp_path / "store", embed_model=address) as memory:
        memory.put([note("late", "eels")])
        with pytest.raises(Exception, match="32 dimensions, the stored ones 64"):
            memory.models.embed()
        assert memory.status().store.vectors == {f"toy@{server.url}/embeddings": 3}
        assert memory.search("otter number1", by="keyword").results[0].document == "n1"
        answer = memory.search("otter number1")
        assert answer.results[0].document == "n1"
        assert any("dimensions" in reason for reason in answer.degraded)


def test_a_setting_that_counts_for_more_is_told(
    tmp_path: Path, server: LlmServer, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    told = cli("models", "switch", f"{server.url}#new", "--store", str(tmp_path / "store"))
    assert told.code == 0
    assert "set by the environment" in told.err
