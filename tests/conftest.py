"""Fixtures: every test has a home of its own, and none can reach the user's store or model, a key
or a network."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# As the command does, before numpy is loaded: its threads wait in a loop for one another, which
# takes eight times the processor time of one, and more where several processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import shared_models
from recollect import Memory, config
from recollect.models import network
from recollect.models.catalog import EMBED
from recollect.models.files import ModelFolder
from recollect.nouns import SCHEMA_VERSION, stable_id
from recollect.sources.sessions.base import Session
from recollect.surfaces.cli import run
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors

# A slow machine is no failure. CI tries the same examples every time; people get new ones.
settings.register_profile("people", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("people"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "people")

LONGEST = (
    "nothing_leaves crash page http real_data readers invariants mcp_conformance postgres_shards "
    "postgres_stores postgres_replica non_interference in_force facts real_model warm attack"
).split()
"""Files of tests that take longest, which begin first: where several are run at once, none is to
begin when the others end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


EMBED_HOME = ModelFolder(Path("/nowhere")).locate(EMBED)
"""The embedder that ships inside the package."""


def overlap_reranker(folder: Path) -> Path:
    """A folder of one's own with a real reranker of a kilobyte (``training/overlap.py``): the more
    of the question's words a passage has, the better."""
    folder.mkdir(parents=True)
    about = {"name": "overlap", "job": "rerank", "dimensions": 1, "max_tokens": 256, "latin": True}
    (folder / "recollect-model.json").write_text(json.dumps(about))
    (folder / "tokenizer.json").symlink_to(EMBED_HOME / "tokenizer.json")
    weights = Path(__file__).parent / "fixtures" / "models" / "overlap.onnx"
    (folder / "model.onnx").symlink_to(weights)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _shared_networks() -> Iterator[None]:
    """The models that ship are loaded once, not once a store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "_session", shared_models.session)
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home, and a working folder outside any project."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") or name.upper().endswith(("_API_KEY", "_PROXY")):
            monkeypatch.delenv(name)
    place = tmp_path / "home"
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("RECOLLECT_HOME", str(place))
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("OLLAMA_HOST", "LLAMA_ARG_PORT"):  # whatever runs on the machine of who tests
        monkeypatch.setenv(name, "9")
    monkeypatch.chdir(work)
    return place


REACHED: list[str] = []
"""Hosts that the running test wanted to reach."""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing but this machine can be reached, and a test that tries fails."""

    def refuse(host: object) -> None:
        name = host.decode() if isinstance(host, bytes) else str(host)
        if name not in ("localhost", "::1", "") and not name.startswith("127."):
            REACHED.append(name)
            raise PermissionError(errno.EACCES, "tests reach no network")

    def connecting(real: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                refuse(address[0])
            return real(self, address)

        return connect

    def looking_up(host: Any, *rest: Any, **named: Any) -> Any:
        if host is not None:
            refuse(host)
        return LOOK_UP(host, *rest, **named)

    monkeypatch.setattr(socket.socket, "connect", connecting(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", connecting(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", looking_up)
    REACHED.clear()
    yield
    assert not REACHED, f"the test wanted to reach {REACHED}"


LOOK_UP = socket.getaddrinfo


class HashEmbedder:
    """A bag of hashed words: texts that share words are near each other. No model needed."""

    key = "hash@1"
    dimensions = 64

    def reads(self, text: str) -> bool:
        return True

    speaks = reads

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_passages([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in terms(text).stem.split() or [""]:
                out[row, int(stable_id(word), 16) % self.dimensions] += 1
        norms: Vectors = np.linalg.norm(out, axis=1, keepdims=True)
        return out / norms


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def memory(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Memory]:
    """An embedded store with an embedder that needs no model."""
    from recollect.storage import open_store

    with Memory(open_store(str(tmp_path / "store")), config.load(), embedder) as opened:
        yield opened


@pytest.fixture
def keyword_memory(tmp_path: Path) -> Iterator[Memory]:
    """An embedded store without any embedder."""
    with Memory.open(tmp_path / "store", embed_model="none") as opened:
        yield opened


def spoken(session: Session) -> Session:
    """A session as it was read, without what the model thought: an import leaves that out."""
    return session._replace(messages=tuple(m for m in session.messages if m.role != "thought"))


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the single object, in strict JSON, that it must be."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        content = json.loads(self.out, parse_constant=refuse)
        assert isinstance(content, dict)
        assert content["schema_version"] == SCHEMA_VERSION
        return content


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
