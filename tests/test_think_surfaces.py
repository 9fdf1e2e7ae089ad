"""``recollect think`` and ``POST /api/think``: what people and programs see of it."""

from __future__ import annotations

import http.client
import io
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from http_client import Address, Said
from llm_server import LlmServer, Say, openai_stream, said
from recollect import Memory
from recollect.nouns.synthesis import Sentence
from recollect.reading.think.thought import ThoughtEvent
from recollect.surfaces.commands.think import Live
from recollect.surfaces.terminal import Style
from recollect.testing.builders import note
from stub_llm import GOOD, Model, bad, lines, quoting, sentence

DOCS = Path(__file__).parent.parent / "docs" / "answers.md"
WHY = "why did we drop redis?"
GOOD_SENTENCE = sentence("It lost writes.", (1, "it lost writes when the disk was full"))


@pytest.fixture
def server() -> Iterator[LlmServer]:
    running = LlmServer()
    yield running
    running.close()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("EMBED", "RERANK"):
        monkeypatch.setenv(f"RECOLLECT_{name}_MODEL", "none")
    place = tmp_path / "store"
    monkeypatch.setenv("RECOLLECT_STORE", str(place))
    with Memory.open() as memory:
        memory.put([note("redis", "We dropped Redis: it lost writes when the disk was full.",
                         title="Redis"),
                    note("pier", "The pier is closed in winter.", title="Pier")])  # fmt: skip
    return place


@pytest.fixture
def provider(server: LlmServer, monkeypatch: pytest.MonkeyPatch) -> LlmServer:
    monkeypatch.setenv("RECOLLECT_LLM_MODEL", f"{server.url}#toy")
    monkeypatch.setenv("RECOLLECT_LLM_PRICE", "1000/1000")
    server.answers = [openai_stream(lines(GOOD_SENTENCE) + "\n", lines(GOOD))]
    return server


# ------------------------------------------------------------------ at a terminal


@pytest.mark.usefixtures("store")
def test_an_answer_with_its_sources_and_its_price(cli: Cli, provider: LlmServer) -> None:
    done = cli("think", WHY)
    assert done.code == 0, done
    assert done.out.startswith("It lost writes. [1]\n\n[1] Redis (note, ")
    assert "toy-1 · 1 call · 100 tokens in, 20 out · $0.0840" in done.out
    assert "recorded as" in done.out
    again = cli("think", WHY)
    assert again.out.startswith("It lost writes. [1]")
    assert re.search(r"\n\[1\] .+ \(note, .+:0\)\n", again.out)
    found = cli("search", WHY).out
    assert found.startswith("answered before")
    assert "a language model or an agent wrote this from " in found
    assert len(provider.asked) == 1
    explained = cli("think", WHY, "--force", "--explain")
    assert "“it lost writes when the disk was full”" in explained.out
    assert "think again" in explained.out
    assert len(provider.asked) == 2


@pytest.mark.usefixtures("store", "provider")
def test_the_same_as_json(cli: Cli) -> None:
    found = cli("think", WHY, "--json").json
    assert found["status"] == "synthesized"
    assert found["text"] == "It lost writes. [1]"
    assert found["written"]["cost"] == 0.084
    assert found["written"]["references"][0]["document"] == "redis"
    assert found["bundle"]["sections"]


@pytest.mark.usefixtures("store")
def test_without_a_model_there_is_the_bundle_and_a_word(cli: Cli) -> None:
    done = cli("think", WHY)
    assert done.code == 0
    assert "it lost writes when the disk was full" in done.out
    assert "no answer was written: no language model is configured" in done.err
    assert "recollect config set llm.model" in done.err
    assert cli("think", WHY, "--json").json["status"] == "needs_synthesis"
    nothing = cli("think", "xylophone quartets")
    assert nothing.code == 3
    assert nothing.out == "not in memory: nothing was found\n"


@pytest.mark.usefixtures("store")
def test_what_is_not_supported_is_shown_so(cli: Cli, provider: LlmServer) -> None:
    made_up = sentence("It was too blue.", (7, "it was too blue"))
    provider.answers = [openai_stream(lines(GOOD_SENTENCE, made_up, GOOD))]
    done = cli("think", WHY)
    assert "taken out: It was too blue. (it cites a source that it was not given)" in done.out


@pytest.mark.usefixtures("store")
def test_what_is_not_in_memory_has_an_exit_code_of_its_own(cli: Cli, provider: LlmServer) -> None:
    provider.answers = [openai_stream(lines(bad()))]
    done = cli("think", WHY)
    assert done.code == 3
    assert done.out.startswith("not in memory: ")


@pytest.mark.usefixtures("store", "provider")
def test_a_search_can_be_told_to_think(cli: Cli) -> None:
    done = cli("search", "what about redis and the moon landing?", "--think", "--expand", "0",
               "--explain")  # fmt: skip
    assert done.code == 0
    assert re.search(r"think\s+(ran|skipped)", done.out)


def test_sentences_are_shown_as_they_come() -> None:
    out = io.StringIO()
    live = Live(out, Style(on=False))
    live(ThoughtEvent("stage", "gathering"))
    live(ThoughtEvent("sentence", sentence=Sentence("A first one.", supported=True)))
    assert out.getvalue() == "A first one."
    live(ThoughtEvent("again", "the moon"))
    assert not live.told
    live(ThoughtEvent("sentence", sentence=Sentence("A second one.")))
    live(ThoughtEvent("sentence", sentence=Sentence("word " * 60)))
    live(ThoughtEvent("final"))
    first, looking, *rest = out.getvalue().splitlines()
    assert (first, looking) == ("A first one.", "that is not enough; looking for the moon")
    assert rest[0].startswith("A second one. (not supported) word word")
    assert max(map(len, rest)) <= 110


# ------------------------------------------------------------------ real failures


@contextmanager
def opened(server: LlmServer) -> Iterator[Memory]:
    with Memory.open(llm_model=f"{server.url}#toy") as memory:
        yield memory


FAILURES = {
    "error": said({"error": "no"}, 500),
    "quota": said({"error": {"message": "quota"}}, 429, Retry_After="3600"),
    "key": said({"error": {"message": "bad key"}}, 401),
    "web page": said(b"<html>log in here</html>"),
    "nothing": openai_stream(),
    "prose": openai_stream("I think it was slow."),
    "cut": openai_stream(lines(GOOD_SENTENCE) + "\n", done=False, cut=True),
    "slow": Say(200, (b"data: {}\n\n",), pause=30),
    "trickle": openai_stream(*["x"] * 100, pause=0.3),
}


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", FAILURES)
def test_whatever_a_provider_does_there_is_what_was_found(server: LlmServer, name: str) -> None:
    server.answers = [FAILURES[name]]
    with opened(server) as memory:
        made = memory.think(WHY, time_box=0.7)
        found = memory.search("redis moon landing", think=True, think_seconds=0.7, expand=1,
                              expand_seconds=0.7)  # fmt: skip
    assert made.status == "needs_synthesis"
    assert made.reason
    assert made.bundle is not None
    assert "lost writes" in made.bundle.rendered()
    assert found.results


@pytest.mark.usefixtures("store")
def test_a_provider_that_is_not_there(server: LlmServer) -> None:
    server.close()
    with opened(server) as memory:
        made = memory.think(WHY, time_box=0.7)
    assert made.status == "needs_synthesis"
    assert made.bundle is not None
    assert made.bundle.sections


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("answer", "advice", "times"),
    [
        (said({"error": {"message": "bad key"}}, 401), "look at the key", 1),
        (said({"error": {"message": "quota"}}, 429, Retry_After="3600"), "again in 3600 s", 1),
        (said(b"<html>log in</html>", Content_Type="text/html"), "is this the address of", 1),
    ],
)
def test_a_failure_says_what_to_do(
    cli: Cli, provider: LlmServer, answer: Say, advice: str, times: int
) -> None:
    provider.answers = [answer]
    done = cli("think", WHY)
    assert advice in done.err
    assert "a price that is not known" not in done.out
    assert len(provider.asked) == times


@pytest.mark.usefixtures("store")
def test_a_server_that_is_stopped_is_named(cli: Cli, provider: LlmServer) -> None:
    provider.close()
    done = cli("think", WHY)
    assert f"does a server listen at {provider.url}" in done.err
    assert "$0.0000" in done.out


@pytest.mark.usefixtures("store")
def test_a_text_of_which_every_piece_failed_is_an_error(cli: Cli, provider: LlmServer) -> None:
    provider.answers = [said({"error": {"message": "bad key"}}, 401)]
    done = cli("curate", "--llm", "--text", "We deploy on Fridays, and the pier is closed.")
    assert done.code == 1
    assert "look at the key" in done.out + done.err


@pytest.mark.usefixtures("store")
def test_money_that_is_not_allowed_is_not_spent(cli: Cli, provider: LlmServer) -> None:
    cli("config", "set", "llm.command_limit", "0.01")
    done = cli("think", WHY)
    assert "llm.command_limit" in done.err
    assert "lost writes" in done.out
    assert provider.asked == []


@pytest.mark.usefixtures("store")
def test_a_sentence_is_told_while_the_next_is_being_written(server: LlmServer) -> None:
    parts = openai_stream(lines(GOOD_SENTENCE) + "\n", lines(GOOD_SENTENCE, GOOD))
    server.answers = [parts._replace(pause=0.4)]
    under_way: list[int] = []

    def tell(told: ThoughtEvent) -> None:
        if told.kind == "sentence":
            under_way.append(server.at_once)

    with opened(server) as memory:
        made = memory.think(WHY, tell=tell)
    assert made.status == "synthesized"
    assert len(under_way) == 2
    assert under_way[0] == 1, "the server has not said all of it yet"
    assert server.asked[0].body["stream"] is True


# ------------------------------------------------------------------ over HTTP


@contextmanager
def served(memory: Memory) -> Iterator[Address]:
    pytest.importorskip("mcp")
    from http_client import inside

    with inside(memory) as address:
        yield address


def asked(at: Address, body: Any, method: str = "POST", accept: str = "*/*") -> Said:
    return at.ask(
        method, "/api/think", json.dumps(body), Host=f"127.0.0.1:{at.port}",
        Authorization=f"Bearer {at.token}", Content_Type="application/json", Accept=accept,
    )  # fmt: skip


def test_http_answers_with_json_or_with_events(store: Path) -> None:
    with Memory.open(store) as memory, served(memory) as at:
        assert asked(at, {"query": WHY}).json["reason"] == "no language model is configured"
        memory.models.use_llm(Model(quoting))
        got = asked(at, {"query": WHY, "force": True}, accept="text/event-stream")
        assert got.status == 200
        assert got.headers["content-type"].startswith("text/event-stream")
        events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", got.text)
        names = [name for name, _ in events if name != "stage"]
        assert names == ["sentence", "final"]
        final = json.loads(events[-1][1])
        assert final["status"] == "synthesized"
        assert json.loads(events[-2][1])["supported"] is True
        again = asked(at, {"query": WHY}).json
        assert (again["status"], again["text"]) == ("cached_answer", final["text"])


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_http_tells_what_is_wrong_with_a_call(store: Path, accept: str) -> None:
    with Memory.open(store) as memory, served(memory) as at:
        for wrong in ({}, {"query": 3}, {"query": "  "}, {"query": WHY, "time_box": -1},
                      {"query": WHY, "nonsense": 1}):  # fmt: skip
            got = asked(at, wrong, accept=accept)
            assert got.status == 400, wrong
            assert got.json["error"]["message"]
        assert asked(at, {"query": WHY}, method="GET").status == 405


def test_whoever_leaves_is_not_thought_for(store: Path) -> None:
    begun, go, left = threading.Event(), threading.Event(), threading.Event()

    def slow(_: Any) -> str:
        begun.set()
        go.wait(30)
        return ""

    with Memory.open(store) as memory, served(memory) as at:
        memory.models.use_llm(slow)
        real = memory.think

        def think(*args: Any, **given: Any) -> Any:
            try:
                return real(*args, **given)
            finally:
                left.set()

        memory.think = think  # type: ignore[method-assign]
        connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=20)
        sent = {"Authorization": f"Bearer {at.token}", "Content-Type": "application/json",
                "Accept": "text/event-stream"}  # fmt: skip
        connection.request("POST", "/api/think", json.dumps({"query": WHY}), sent)
        assert begun.wait(20)
        connection.close()
        assert left.wait(20), "the thread is still waiting for the model"
        go.set()


# ------------------------------------------------------------------ what the documentation says


def test_the_library_is_called_as_the_documentation_does() -> None:
    code = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert code
    for one in code:
        exec(compile(one, str(DOCS), "exec"), {"print": lambda *_, **__: None})
