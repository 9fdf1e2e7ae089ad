"""The wire against a real llama.cpp server with a real, very small model (SmolLM2-135M-Instruct).

It is asked for little: what is tested is what comes over the wire, and that nothing which it says
is served without being borne out. ``make llm`` fetches both.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conftest import Cli
from llama_server import CONTEXT, FOLDER, MODEL
from recollect import Memory
from recollect.errors import Cancelled, ModelTooLong
from recollect.ports import Llm, LlmMessage, LlmRequest
from recollect.testing.builders import note

pytestmark = pytest.mark.skipif(
    not MODEL.exists(), reason="llama.cpp and SmolLM2 are not here: `make llm` fetches them"
)
LIMITS = {"embed_model": "none", "rerank_model": "none"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    script = Path(__file__).with_name("llama_server.py")
    running = subprocess.Popen(
        [sys.executable, script, MODEL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    yield f"{running.stdout.readline().strip()}/v1#smollm2"
    running.stdin.close()
    running.stdout.close()
    running.wait(30)


@pytest.fixture
def memory(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path))
    with Memory.open("memory://", llm_model=address, **LIMITS) as opened:
        yield opened


@pytest.fixture
def llm(memory: Memory) -> Llm:
    return memory.models.llm()


class After:
    """Stops whoever asks for the *n*-th time."""

    def __init__(self, n: int) -> None:
        self._asked, self._n = count(), n

    @property
    def stopped(self) -> bool:
        return next(self._asked) >= self._n

    left = 60.0


def asked(text: str, **fields: object) -> LlmRequest:
    return LlmRequest((LlmMessage("user", text),), **{"max_tokens": 12, **fields})  # type: ignore[arg-type]


def test_what_is_streamed_is_what_is_answered(llm: Llm) -> None:
    pieces: list[str] = []
    reply = llm.complete(asked("Say hello."), None, pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == reply.text != ""
    assert 0 < reply.usage.output <= 12
    assert reply.usage.input > 5


def test_an_answer_is_cut_off_at_its_length_and_says_so(llm: Llm) -> None:
    request = asked("Count from 1 to 100.", max_tokens=3)
    assert llm.complete(request).stop_reason == "length"


def test_a_stop_text_ends_it(llm: Llm) -> None:
    request = asked("Repeat: one two three four five", stop=(" ",), max_tokens=20)
    assert " " not in llm.complete(request).text.strip()


def test_a_schema_is_kept_to_by_a_model_that_knows_nothing_of_it(llm: Llm) -> None:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["colour"],
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
    }
    reply = llm.complete(asked("What colour is the sky?", schema=schema, max_tokens=150))
    assert reply.data["colour"] in ("red", "blue")
    assert reply.calls == 1


def test_what_is_too_long_is_refused_as_that(llm: Llm) -> None:
    with pytest.raises(ModelTooLong):
        llm.complete(asked("word " * (CONTEXT + 500)))


def test_a_cancelled_request_leaves_the_server_free_for_the_next(llm: Llm) -> None:
    with pytest.raises(Cancelled):
        llm.complete(asked("Tell a long story.", max_tokens=500), After(3))
    assert llm.complete(asked("Say hello.", max_tokens=4)).text


def test_in_the_time_it_has_nothing_is_served_that_is_not_borne_out(memory: Memory) -> None:
    memory.put([note("redis", "We dropped Redis in March: it lost writes.", title="Redis")])
    made = memory.think("why did we drop redis?", force=True, time_box=6)
    assert made.calls in (1, 2)
    assert made.written is not None
    assert made.written.text == " ".join(
        one.rendered() for one in made.written.sentences if one.supported
    )
    assert (made.status == "synthesized") == bool(made.text)


# ------------------------------------------------------------------ run by recollect itself


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """llama.cpp is installed, here and for the process that loads the model."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*sys.path, str(FOLDER)]))


@pytest.mark.usefixtures("runtime")
def test_local_is_one_command_and_answers(cli: Cli) -> None:
    assert cli("llm", "use", "local").code == 0, "the package that has the model is installed"
    answers = (json.loads(cli("llm", "test", "--json").out) for _ in range(6))
    tried = next(one for one in answers if "model" in one)  # so small a model may not find an end
    assert tried["model"] == MODEL.stem
    assert tried["structured"]
    assert tried["dollars"] == 0


@pytest.mark.usefixtures("runtime")
def test_a_model_that_is_run_here_can_be_held_to_a_grammar() -> None:
    with Memory.open("memory://", llm_model=f"local:{MODEL}", **LIMITS) as memory:
        request = asked("Is the sky blue?", grammar='root ::= "perhaps " [0-9]')
        assert re.fullmatch("perhaps [0-9]", memory.models.llm().complete(request).text)


def test_a_server_of_llama_cpp_is_found(
    address: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_ARG_PORT", str(urlsplit(address).port))
    (found,) = json.loads(cli("llm", "--json").out)["servers"]
    assert found["program"] == "llama.cpp"
    with Memory.open("memory://", llm_model=found["models"][0], **LIMITS) as memory:
        assert memory.models.llm().complete(asked("Say hello.", max_tokens=2)).text
