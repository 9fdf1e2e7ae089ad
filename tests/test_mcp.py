"""The tools, and MCP over stdio and HTTP: real processes, driven as a client drives them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, HashEmbedder
from mcp_client import MODERN, WAIT, Client, Slow, small_store
from recollect import Document, Memory, config
from recollect.errors import StoreBusy, UsageError
from recollect.storage import open_store
from recollect.surfaces.mcp.content import McpContent
from recollect.surfaces.mcp.stdio import (
    CAN,
    MAX_LINE,
    VERSION,
    StdioServer,
    WorkerThreads,
    read_lines,
)
from recollect.surfaces.tools import NAMED, TOOLS, Reply, Tool, Work, answer, checked
from recollect.text.tokens import count_tokens


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small store, for processes that load no model."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    return small_store(tmp_path)


@pytest.fixture
def filled(store: Path) -> Iterator[Memory]:
    with Memory.open(store) as memory:
        yield memory


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def begin(*arguments: str, program: tuple[str, ...] = ("-m", "recollect")) -> Client:
        clients.append(Client(*arguments, program=program))
        return clients[-1]

    yield begin
    for client in clients:
        if client.process.poll() is None:
            client.process.kill()
            client.end()


@pytest.fixture
def client(start: Callable[..., Client], store: Path) -> Client:
    made = start("mcp", "--store", str(store))
    made.greet()
    return made


# ------------------------------------------------------------------ the table of tools


def test_the_tools_that_there_are() -> None:
    assert [tool.name for tool in TOOLS] == [
        "search", "gather", "record_answer", "sessions", "remember", "curate", "forget", "context",
        "record", "get", "list",
    ]  # fmt: skip


def test_all_schemas_and_descriptions_cost_less_than_1500_tokens() -> None:
    """By any tokenizer: o200k, cl100k and Anthropic's count up to 5 % more than ours."""
    told = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        for tool in TOOLS
    ]
    assert count_tokens(json.dumps(told, separators=(",", ":"), ensure_ascii=False)) <= 1400


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_a_schema_is_one_that_every_client_can_read(tool: Tool) -> None:
    schema = tool.schema
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", ())) <= set(schema["properties"])
    for one in schema["properties"].values():
        assert one["type"] in ("string", "integer", "number", "boolean", "array")
        items = one.get("items", {"type": "string"})
        for kind in items.get("anyOf", (items,)):
            assert kind == {"type": "string"} or kind["properties"]


def test_what_only_reads_says_so_and_what_destroys_says_so() -> None:
    listed = McpContent(lambda: pytest.fail("nothing is opened")).list_tools({})["tools"]
    hints = {tool["name"]: tool["annotations"] for tool in listed}
    assert not any(hint["openWorldHint"] for hint in hints.values())
    reading = {name for name, hint in hints.items() if hint["readOnlyHint"]}
    assert reading == {"search", "gather", "sessions", "context", "get", "list"}
    assert {n for n, h in hints.items() if h.get("destructiveHint")} == {
        "remember", "curate", "forget",
    }  # fmt: skip
    assert {n for n, h in hints.items() if h.get("idempotentHint")} == {
        "curate", "forget", "record_answer",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        ({}, "search needs 'query'", "it needs query; it may have kinds"),
        ({"qury": "x"}, "search has no argument 'qury'", "did you mean 'query'?"),
        ({"query": "x", "owner": "y"}, "search has no argument 'owner'", "it needs query"),
        ({"query": 3}, "query is 3", "give a text"),
        ({"query": "x", "limit": "5"}, "limit is '5'", "give a whole number"),
        ({"query": "x", "limit": True}, "limit is True", "give a whole number"),
        ({"query": "x", "limit": 2.5}, "limit is 2.5", "give a whole number"),
        ({"query": "x", "kinds": "note"}, "kinds is 'note'", 'such as ["work"]'),
        ({"query": "x", "kinds": ["note", 1]}, "kinds has 1 in it", "a list of texts"),
        ({"query": "x", "detail": "all"}, "detail is 'all'", "one of snippet, passage, document"),
        ({"query": "x", "min_confidence": ["high"]}, "min_confidence is ['high']", "give a text"),
        ({"query": "x", "detail": {"a": "b" * 100}}, "detail is {'a': 'bbb", "give a text"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_told_so_that_the_call_can_be_made_again(
    arguments: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        checked(NAMED["search"], arguments)
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert len(caught.value.message) < 120


def test_null_is_nothing_and_a_whole_float_is_a_number() -> None:
    given = checked(NAMED["search"], {"query": "x", "limit": 3.0, "since": None})
    assert given == {"query": "x", "limit": 3}


def replied(memory: Memory, name: str, /, **arguments: Any) -> Reply:
    return answer(NAMED[name], arguments, lambda: memory)


def test_an_error_of_the_library_comes_with_its_hint_and_names_tools(filled: Memory) -> None:
    reply = replied(filled, "get", id="nowhere")
    assert reply.failed
    assert reply.text == "there is no document 'nowhere'\nlist shows what there is"
    assert reply.json["error"]["type"] == "NotFound"


class Held(HashEmbedder):
    """An embedder that takes as long as it is held."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = threading.Event()

    def close(self) -> None:
        self.go.set()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.asked.set()
        assert self.go.wait(WAIT)
        return super().embed_passages(texts)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remember", {"text": "The otter sleeps on the pier", "name": "otter"}),
        ("record", {"kind": "decision", "body": "The otter sleeps on the pier"}),
        ("curate", {"text": "The otter sleeps on the pier.", "facts": ["The otter has a pier"]}),
    ],
)
def test_a_write_does_not_wait_for_what_is_pending(
    tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    held = Held()
    with (
        Memory(open_store(str(tmp_path / "store")), config.load(), held) as memory,
        closing(held),  # whatever happens, or nobody could close the memory
    ):
        memory.put(Document(f"n{n}", "x", f"note {n}") for n in range(500))
        reply = replied(memory, name, **arguments)
        assert not reply.failed
        assert held.asked.wait(WAIT)  # the vectors are being made
        assert memory.status().pending > 500
        found = memory.search("otter sleeps on the pier", by="keyword")
        assert "otter" in found.results[0].text  # it can be found meanwhile
        held.close()
        for _ in range(int(WAIT / 0.05)):
            if not memory.status().pending:
                break
            time.sleep(0.05)
        assert memory.status().pending == 0


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("search", {"query": "x", "limit": 0}, "ask for 1 to 1000 results"),
        ("search", {"query": "x", "since": "soonish"}, "give a date"),
        ("search", {"query": "x", "min_confidence": "dear"}, "give a number from 0 to 1, or high"),
        ("search", {"query": "x", "min_confidence": 2}, "give a number from 0 to 1"),
        ("gather", {"query": "x", "token_budget": 5}, "give 100 to 64000 tokens"),
        ("get", {"id": "deploy.md", "offset": -1}, "give 0 or more"),
        ("record", {"kind": "file", "body": "x"}, "give the path of the file"),
        ("sessions", {"around": ["#1"]}, ""),
    ],
)  # fmt: skip
def test_what_no_call_could_mean_is_refused_with_what_to_do(
    filled: Memory, name: str, arguments: dict[str, Any], hint: str
) -> None:
    reply = replied(filled, name, **arguments)
    assert reply.failed
    assert hint in reply.text


def test_how_sure_and_how_much_is_said_in_words_too(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(**more: Any) -> list[Any]:
        reply = replied(filled, "search", query="when do we deploy?", **more)
        assert not reply.failed
        return [(one["document"], one["detail"]) for one in reply.json["results"]]

    assert shown(min_confidence="high") == shown(min_confidence=0.8)
    assert shown(min_confidence="low") == shown(min_confidence="0.4")
    usual = shown()
    monkeypatch.setattr(
        filled.core, "config", filled.config.with_value("search.detail", "document")
    )
    assert {detail for _, detail in shown()} == {"document"}
    assert shown(detail="auto") == usual


def test_facts_of_a_text_are_given_with_what_is_known_of_them(filled: Memory) -> None:
    text = "The ferry runs\nhourly. Olga steers it."
    told = [
        {"text": "The ferry runs every hour.", "type": "decision", "quote": "runs hourly"},
        {"text": "Olga steers the ferry.", "subject": "ferry pilot", "quote": "Olga sails it"},
        "The ferry has one pilot.",
    ]
    reply = replied(filled, "curate", text=text, facts=told)
    assert not reply.failed
    assert [line.partition(" ")[0] for line in reply.text.splitlines()[:3]] == ["new"] * 3
    assert "lost: fact 2: its quote is not in the text; the fact is kept" in reply.text
    kept = {one.text: one for one in filled.facts(limit=100).items}
    hourly = kept["The ferry runs every hour."]
    assert (hourly.type, hourly.provenance[0].quote) == ("decision", "runs\nhourly")
    assert kept["Olga steers the ferry."].name == "ferry pilot"
    again = replied(filled, "curate", text="Ferry news.", facts=["Olga steers the ferry."])
    assert again.text.startswith("known [")


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ({"type": "decision"}, "fact 2 has no text"),
        ({"text": "  "}, "fact 2 has no text"),
        ({"text": "We ship.", "type": "rule"}, "fact 2: there is no type 'rule'"),
        ({"text": "We ship.", "quotes": "ship"}, "fact 2 has 'quotes'"),
        ({"text": "We ship.", "quote": 7}, "fact 2: its quote is 7"),
        (7, "facts has 7 in it\ngive a list of texts or objects"),
    ],
)
def test_facts_that_cannot_be_meant_are_refused_before_anything_is_kept(
    filled: Memory, fact: Any, said: str
) -> None:
    before = filled.status().store.documents
    reply = replied(filled, "curate", text="We ship on Mondays.", facts=["We ship.", fact])
    assert reply.failed
    assert reply.text.startswith(said)
    assert filled.status().store.documents == before


def test_an_unexpected_error_is_told_without_trace_or_path(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("/home/ana/.secret/store.db")

    reply = answer(NAMED["get"]._replace(call=broken), {"id": "x"}, lambda: None)  # type: ignore[arg-type, return-value]
    assert reply.failed
    assert "get failed unexpectedly (KeyError)" in reply.text
    assert "secret" not in reply.text + json.dumps(reply.json)
    assert "Traceback" not in reply.text
    assert "secret" in capsys.readouterr().err  # whoever runs it can see what it was


def test_a_store_that_cannot_be_opened_is_told_like_any_other_error() -> None:
    def busy() -> Memory:
        raise StoreBusy("the store is busy", hint="try again")

    reply = answer(NAMED["list"], {}, busy)
    assert (reply.failed, reply.text) == (True, "the store is busy\ntry again")


# ------------------------------------------------------------------ what a model reads


def test_a_search_is_one_block_with_ids_and_what_to_try_next(filled: Memory) -> None:
    reply = replied(filled, "search", query="when do we deploy harbor?", limit=1)
    result = reply.json["results"][0]
    head, about, *_ = reply.text.splitlines()
    assert head.startswith(f"{reply.json['status']} · {reply.json['said']}")
    assert about.startswith(f"[{result['id']}] Deploying (note · ")
    assert "We deploy harbor on Fridays, with the slip tool." in reply.text
    again = replied(filled, "get", id=result["id"])
    assert "We deploy harbor on Fridays" in again.text


def test_the_rest_is_named_in_a_line_each_that_get_opens(filled: Memory) -> None:
    for n in range(4):
        replied(filled, "record", kind="decision", body=f"The harbor crane {n} lifts pontoons.")
    reply = replied(filled, "search", query="harbor crane pontoons", limit=1)
    _, _, rest = reply.text.partition("\nalso:\n")
    lines = [line for line in rest.splitlines() if line.startswith("[")]
    assert len(lines) == len(reply.json["named"]) > 0
    for line, one in zip(lines, reply.json["named"], strict=True):
        assert count_tokens(line) < 40
        opened = replied(filled, "get", id=line[1 : line.index("]")])
        assert opened.json["id"] == one["id"].rpartition(":")[0]
    assert "The harbor crane" in lines[0]  # a record without a title is called by its text


def test_nothing_known_is_said_in_few_tokens_and_asks_for_no_answer(filled: Memory) -> None:
    for query in ("zeppelin", "who is the chief executive of the zeppelin company?"):
        reply = replied(filled, "search", query=query, kinds=["note"], since="2020-01-01")
        assert not reply.failed
        assert reply.text.startswith("no_results: nothing is known of this")
        assert count_tokens(reply.text) < 80
        assert "gather" not in reply.text


def test_what_was_learned_elsewhere_is_recorded_where_nothing_is_known(filled: Memory) -> None:
    question = "who painted the zeppelin hangar?"
    gathered = replied(filled, "gather", query=question)
    assert not gathered.json["sections"]
    print = gathered.json["fingerprint"]
    assert f"nothing is known of this · fingerprint {print}" in gathered.text
    done = replied(
        filled, "record_answer", query=question, answer="Ida Zeller.", fingerprint=print,
        sources=["no-such-id"],
    )  # fmt: skip
    assert "“no-such-id” is not in the store" in done.text
    assert replied(filled, "search", query=question).json["status"] == "cached_answer"


def test_an_answer_is_gathered_recorded_and_served_again(filled: Memory) -> None:
    question = "when do we deploy harbor?"
    gathered = replied(filled, "gather", query=question)
    assert "=== Deploying" in gathered.text
    print = gathered.json["fingerprint"]
    assert f"fingerprint {print}" in gathered.text
    kept = replied(
        filled, "record_answer", query=question, answer="On Fridays.", fingerprint=print,
        sources=[gathered.json["sections"][0]["document_id"]],
    )  # fmt: skip
    assert kept.text == f"recorded as {kept.json['id']}"
    served = replied(filled, "search", query=question)
    assert served.text.startswith("cached_answer\nOn Fridays.\nrecorded ")
    other = replied(filled, "record_answer", query="x", answer="y", fingerprint="f" * 32)
    assert other.text.startswith("not recorded: this fingerprint is not of this question")


def test_a_conflict_is_told_with_how_to_settle_it(filled: Memory) -> None:
    old = replied(filled, "remember", text="We deploy on Fridays", name="deploy day")
    assert old.text == f"added [{old.json['fact']['id']}] deploy day: We deploy on Fridays"
    new = replied(filled, "remember", text="We deploy on Mondays", name="deploy day")
    id = new.json["fact"]["id"]
    assert f"says otherwise: [{old.json['fact']['id']}] We deploy on Fridays" in new.text
    said = "next: if the new one holds, remember the new one again"
    old_id = old.json["fact"]["id"]
    assert new.text.splitlines()[-1].startswith(f"{said} with id {id} and supersedes {old_id};")
    settled = replied(
        filled, "remember", text="We deploy on Mondays", name="deploy day", id=id,
        supersedes=[old_id],
    )  # fmt: skip
    assert f"instead of [{old_id}]: We deploy on Fridays" in settled.text
    found = replied(filled, "search", query="when is deploy day?")
    assert f"[{id}] deploy day (fact" in found.text
    (before,) = [line for line in found.text.splitlines() if "Fridays" in line]
    assert before.startswith("until ")
    assert replied(filled, "forget", id=id).text == f"{id} is forgotten for good"


def test_context_groups_what_is_pinned_and_asked_for(filled: Memory) -> None:
    replied(filled, "remember", text="Ana signs releases", name="release signer", pinned=True)
    replied(filled, "remember", text="Which region next?", type="open_question", pinned=True)
    reply = replied(filled, "context", query="who is the release signer?")
    assert "pinned:\n[release-signer-" in reply.text
    assert "open questions:\n[" in reply.text


def test_sessions_can_be_found_and_paged_by_the_ids_in_the_text(filled: Memory) -> None:
    found = replied(filled, "sessions", query="importer umlauts")
    assert "session s1 " in found.text
    paged = replied(filled, "sessions", session="s1", around=["#1"])
    assert "› assistant [#1]: It read Latin-1." in paged.text
    assert "this is the beginning; this is the end" in paged.text
    assert "user [#0]: Why does" in replied(filled, "sessions", session="s1").text
    assert "asked: Why does the importer" in replied(filled, "sessions").text


def test_records_are_kept_and_listed(filled: Memory) -> None:
    kept = replied(filled, "record", kind="decision", body="Retries stay at three.", issue="PAY-7")
    assert kept.text == f"kept as {kept.json['id']} (decision)"
    listed = replied(filled, "list", kinds=["decision"])
    assert listed.text.startswith(f"[{kept.json['id']}]")
    paged = replied(filled, "list", limit=1)
    assert paged.text.splitlines()[-1] == f"next: list with cursor {paged.json['cursor']}"


def test_a_long_document_is_read_in_parts_that_join_exactly(filled: Memory, tmp_path: Path) -> None:
    whole = "# Long\n\n" + "\n".join(f"line {n} says something of its own" for n in range(3000))
    (tmp_path / "long.md").write_text(whole)
    filled.add(tmp_path / "long.md")
    read, offset, rounds = "", 0, 0
    while True:
        reply = replied(filled, "get", id="long.md", offset=offset, token_budget=6000)
        assert count_tokens(reply.text) <= 6000
        last = reply.text.splitlines()[-1]
        rounds += 1
        if "next: get it with offset" not in last:
            read += reply.text.partition("\n")[2]
            break
        after = int(last.rpartition(" ")[2])
        read += whole[offset:after]
        assert whole[offset:after].rstrip() == reply.text.partition("\n")[2].rpartition("\n")[0]
        offset = after
    assert rounds > 3
    assert read == whole.rstrip()
    assert "(nothing there)" in replied(filled, "get", id="long.md", offset=10**9).text
    little = replied(filled, "get", id="long.md", token_budget=50).text
    assert "line 0 says" in little
    assert count_tokens(little) <= 50


def test_big_results_stay_within_the_budget(filled: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(40):
        text = f"# Harbor {n}\n\n" + f"The harbor crane number {n} lifts pontoons. " * 200
        (folder / f"{n}.md").write_text(text)
    filled.add(folder)
    for budget in (1, 10, 40, 90, 300, 2000):
        found = replied(filled, "search", query="harbor crane pontoons", budget=budget)
        assert 0 < count_tokens(found.text) <= budget
    for budget in (300, 2000):
        gathered = replied(filled, "gather", query="harbor crane pontoons", token_budget=budget)
        assert gathered.json["budget"]["used"] <= count_tokens(gathered.text) <= budget


def test_what_a_small_budget_cannot_hold_is_said_shortly(filled: Memory) -> None:
    filled.remember("The pontoons of the harbor are painted every second spring by Ilse Brandt.")
    asked = "who paints the pontoons of the harbor?"
    assert "budget" in replied(filled, "search", query=asked, budget=9).text
    assert "Ilse Brandt" in replied(filled, "search", query=asked, budget=40).text


# ------------------------------------------------------------------ the same JSON everywhere


def steady(content: Any) -> Any:
    """Without what differs between two runs of the same thing: times, and what was cached."""
    if isinstance(content, dict):
        left_out = ("timing_ms", "stages", "cache", "tier", "schema_version", "created_at", "at",
                    "provenance")  # fmt: skip
        return {name: steady(one) for name, one in content.items() if name not in left_out}
    return [steady(one) for one in content] if isinstance(content, list) else content


SAME: list[tuple[str, dict[str, Any], list[str], Callable[[Memory], Any]]] = [
    ("search", {"query": "deploy harbor", "limit": 1}, ["search", "deploy harbor", "--limit", "1"],
     lambda m: m.search("deploy harbor", limit=1).as_json()),
    ("gather", {"query": "deploy harbor", "kinds": ["note"]},
     ["gather", "deploy harbor", "--kind", "note"],
     lambda m: m.gather("deploy harbor", kinds=["note"]).as_json()),
    ("sessions", {"query": "umlauts"}, ["sessions", "umlauts"],
     lambda m: m.sessions("umlauts").as_json()),
    ("sessions", {}, ["sessions"], lambda m: m.sessions().as_json()),
    ("context", {"query": "deploying"}, ["context", "deploying"],
     lambda m: m.context("deploying").as_json()),
    ("get", {"id": "keys.md"}, ["get", "keys.md"], lambda m: m.get("keys.md").as_json()),
    ("list", {"limit": 2}, ["list", "--limit", "2"], lambda m: m.list(limit=2).as_json()),
    ("record_answer", {"query": "a", "answer": "b", "fingerprint": "0" * 32},
     ["record-answer", "a", "b", "--fingerprint", "0" * 32],
     lambda m: m.record_answer("a", "b", "0" * 32).as_json()),
    ("record", {"kind": "decision", "body": "b", "date": "2026-03-01"},
     ["record", "decision", "b", "--date", "2026-03-01"],
     lambda m: m.record("decision", "b", date="2026-03-01").as_json(body=False)),
    ("remember", {"text": "We ship", "name": "ship", "id": "f1"},
     ["remember", "We ship", "--name", "ship", "--id", "f1"],
     lambda m: m.remember("We ship", name="ship", id="f1").as_json()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "command", "library"), SAME, ids=[" ".join(one[2]) for one in SAME]
)
def test_tool_command_line_and_library_give_the_same_json(
    filled: Memory, store: Path, cli: Cli, name: str, arguments: dict[str, Any],
    command: list[str], library: Callable[[Memory], Any],
) -> None:  # fmt: skip
    library(filled)  # what is written, is written; from here on all see the same
    ours = replied(filled, name, **arguments)
    assert not ours.failed
    assert steady(ours.json) == steady(library(filled))
    assert steady(ours.json) == steady(cli(*command, "--json", "--store", str(store)).json)


def test_structured_results_are_given_to_those_who_ask_for_them(
    start: Callable[..., Client], store: Path, filled: Memory
) -> None:
    client = start("mcp", "--structured", "--store", str(store))
    client.greet()
    result = client.ask("tools/call", {"name": "list", "arguments": {"limit": 2}})
    assert result["structuredContent"] == filled.list(limit=2).as_json()
    assert result["content"][0]["text"]
    assert client.leave() == 0


# ------------------------------------------------------------------ stdio: a conversation


def test_a_client_of_the_first_era_is_greeted_and_served(client: Client) -> None:
    listed = client.ask("tools/list")
    assert set(listed) == {"tools"}
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    assert set(listed["tools"][0]) == {"name", "description", "inputSchema", "annotations"}
    assert client.ask("ping") == {}
    text = client.call("search", query="when do we deploy harbor?")
    assert "We deploy harbor on Fridays" in text
    failed = client.ask("tools/call", {"name": "search", "arguments": {"qury": "x"}})
    assert failed["isError"] is True
    assert "did you mean 'query'?" in failed["content"][0]["text"]
    assert "structuredContent" not in failed
    assert client.leave() == 0
    assert client.errors == []


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_the_versions_of_the_first_era(wanted: str, agreed: str) -> None:
    sent = conversed({"method": "initialize", "id": 0, "params": {"protocolVersion": wanted}})
    result = sent[0]["result"]
    assert result["protocolVersion"] == agreed
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}
    assert result["serverInfo"]["name"] == "recollect"
    assert "search before you answer" in result["instructions"]


def test_a_client_of_the_modern_era_is_served_request_by_request(
    start: Callable[..., Client], store: Path
) -> None:
    client = start("mcp", "--store", str(store))
    found = client.ask("server/discover", {"_meta": MODERN})
    assert found["supportedVersions"] == ["2026-07-28"]
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        listed = client.ask(method, {"_meta": MODERN})
        assert listed["resultType"] == "complete"
        assert (listed["cacheScope"], listed["ttlMs"] > 0) == ("public", True)
        assert listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "recollect"
    params = {"name": "search", "arguments": {"query": "signing keys"}, "_meta": MODERN}
    called = client.ask("tools/call", params)
    assert called["resultType"] == "complete"
    assert "rotated in March" in called["content"][0]["text"]
    read = client.ask("resources/read", {"uri": "recollect://status", "_meta": MODERN})
    assert (read["cacheScope"], read["ttlMs"]) == ("private", 0)
    assert client.ask("ping", {"_meta": MODERN})["code"] == -32601
    assert client.leave() == 0


def test_resources_are_listed_and_read(client: Client) -> None:
    assert [one["uri"] for one in client.ask("resources/list")["resources"]] == [
        "recollect://status"
    ]
    templates = client.ask("resources/templates/list")["resourceTemplates"]
    assert [one["uriTemplate"] for one in templates] == [
        "recollect://document/{id}", "recollect://session/{id}"
    ]  # fmt: skip
    status = client.ask("resources/read", {"uri": "recollect://status"})["contents"][0]
    assert json.loads(status["text"])["documents"] == 3
    document = client.ask("resources/read", {"uri": "recollect://document/keys%2Emd"})
    assert document["contents"][0]["text"].startswith("# Signing keys")
    session = client.ask("resources/read", {"uri": "recollect://session/s1"})
    assert "It read Latin-1." in session["contents"][0]["text"]
    for uri in ("recollect://document/none", "recollect://session/none", "recollect://x",
                "file:///etc/passwd", "recollect://document/..%2F..%2Fetc%2Fpasswd",
                "recollect://document/%ff", ""):  # fmt: skip
        error = client.ask("resources/read", {"uri": uri})
        assert (error["code"], error["data"]) == (-32002, {"uri": uri})
        error = client.ask("resources/read", {"uri": uri, "_meta": MODERN})
        assert error["code"] == -32602


def test_prompts_are_listed_and_filled_in(client: Client) -> None:
    prompts = client.ask("prompts/list")["prompts"]
    assert [one["name"] for one in prompts] == ["recall", "note"]
    got = client.ask("prompts/get", {"name": "recall", "arguments": {"question": "why {}?"}})
    assert got["messages"][0]["content"]["text"].endswith("The question: why {}?")
    note = client.ask("prompts/get", {"name": "note"})
    assert "remember" in note["messages"][0]["content"]["text"]
    for wrong in ({"name": "recall"}, {"name": "x"}, {},
                  {"name": "recall", "arguments": {"question": 3}}):  # fmt: skip
        assert client.ask("prompts/get", wrong)["code"] == -32602


def test_nothing_is_opened_or_loaded_before_a_tool_is_called(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "sys.argv = ['recollect', 'mcp', '--store', sys.argv[1]]\n"
        "from recollect.__main__ import main\n"
        "main()\n"
        "loaded = (n for n, m in sys.modules.items() if type(m).__name__ != '_Unloaded')\n"
        "sys.stderr.write(' '.join(loaded))\n"
    )
    asked = [{"jsonrpc": "2.0", "id": 1, "method": m} for m in ("tools/list", "prompts/list")]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "store")],
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert len(done.stdout.splitlines()) == 2
    loaded = set(done.stderr.split())
    assert "recollect.surfaces.mcp.stdio" in loaded
    assert not loaded & {"recollect.memory", "recollect.nouns", "argparse", "numpy", "sqlite3",
                         "tantivy", "onnxruntime", "mcp", "asyncio", "logging"}  # fmt: skip
    assert not (tmp_path / "store").exists()


def test_what_is_written_over_mcp_is_there_for_the_command_line(
    client: Client, cli: Cli, store: Path
) -> None:
    client.call("remember", text="Ana signs releases", name="release signer")
    found = cli("search", "who is the release signer?", "--json", "--store", str(store)).json
    assert found["results"][0]["text"] == "Ana signs releases"


# ------------------------------------------------------------------ stdio: what is wrong


def conversed(*messages: Any, content: McpContent | None = None) -> list[Any]:
    """What a server in this process says to these messages, in its own order."""
    sent: list[Any] = []
    workers = WorkerThreads()
    server = StdioServer(content or McpContent(lambda: pytest.fail("opened")), sent.append, workers)
    for message in messages:
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0", **message}
        server.take(message if isinstance(message, bytes) else json.dumps(message).encode())
    assert workers.rest(WAIT)
    return sent


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"id": ' + b"9" * 10_000 + b"}", -32700, None),
        (b"3", -32600, None),
        (b'"ping"', -32600, None),
        (b"null", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, None),
        (b'{"id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "pong"}', -32601, 1),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "server/discover"}', -32601, "a"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 0, "method": "tools/call"}', -32602, 0),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {}}', -32602, 2),
    ],
)  # fmt: skip
def test_a_malformed_message_gets_the_error_that_json_rpc_has_for_it(
    line: bytes, code: int, id: Any
) -> None:
    (said,) = conversed(line)
    assert (said["jsonrpc"], said["id"], said["error"]["code"]) == ("2.0", id, code)


def test_an_unknown_tool_is_told_the_nearest() -> None:
    params = {"name": "serch", "arguments": {}}
    (said,) = conversed({"id": 1, "method": "tools/call", "params": params})
    assert said["error"]["code"] == -32602
    assert "Unknown tool: serch (did you mean search?)" in said["error"]["message"]


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({VERSION: "2026-07-28"}, -32602),
        ({VERSION: 3, CAN: {}}, -32602),
        ({VERSION: "2030-01-01", CAN: {}}, -32022),
    ],
)
def test_an_envelope_that_is_not_whole_is_refused(meta: dict[str, Any], code: int) -> None:
    (said,) = conversed({"id": 1, "method": "tools/list", "params": {"_meta": meta}})
    assert said["error"]["code"] == code
    if code == -32022:
        wanted = {"supported": ["2026-07-28"], "requested": "2030-01-01"}
        assert said["error"]["data"] == wanted


@pytest.mark.parametrize(
    "message",
    [
        {"method": "notifications/initialized"},
        {"method": "notifications/cancelled", "params": {"requestId": 99}},
        {"method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"method": "notifications/cancelled"},
        {"method": "notifications/cancelled", "params": [1]},
        {"method": "never/heard/of/it"},
        {"id": 7, "result": {}},
        {"id": 7, "error": {"code": 1, "message": "x"}},
    ],
)
def test_a_notification_or_a_response_is_never_answered(message: dict[str, Any]) -> None:
    assert conversed(message) == []


def test_messages_may_come_in_one_array_where_the_version_has_it() -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "x"}},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
        17,
    ]
    for version, wanted in (("2025-03-26", 2), ("2025-06-18", 2)):
        first = {"id": 0, "method": "initialize", "params": {"protocolVersion": version}}
        sent = conversed(first, batch)
        assert len(sent) == wanted
        if version == "2025-06-18":
            assert sent[1]["error"]["code"] == -32600
            continue
        by_id = {one["id"]: one for one in sent[1]}
        assert by_id[1]["result"] == {}
        assert [by_id[n]["error"]["code"] for n in (2, 3, None)] == [-32602, -32600, -32600]
        assert len(sent[1]) == 4


def test_a_batch_of_notifications_gets_no_answer() -> None:
    first = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}
    quiet = [{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2
    assert len(conversed(first, quiet)) == 1


def test_lines_are_whole_however_they_arrive() -> None:
    first, second = (b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % n for n in (1, 2))
    whole = b"\n  \n" + first + b"\r\n" + second
    for size in (1, 7, 1000):
        sent: list[Any] = []
        parts = iter([whole[at : at + size] for at in range(0, len(whole), size)])
        server = StdioServer(
            McpContent(lambda: pytest.fail("opened")), sent.append, WorkerThreads()
        )
        read_lines(lambda _, parts=parts: next(parts, b""), server, lambda: None)  # type: ignore[misc]
        assert [one["id"] for one in sent] == [1, 2]


def test_a_line_that_is_too_long_costs_only_itself(client: Client) -> None:
    for size in (MAX_LINE, 3 * MAX_LINE):
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"a" * size + b'"}')
        error = client.receive()
        assert (error["id"], error["error"]["code"]) == (None, -32600)
        assert "longer than" in error["error"]["message"]
        assert client.ask("ping") == {}
    text = "\\u0000\\ud800 " + "b" * 90_000
    client.send(f'{{"jsonrpc":"2.0","id":"z","method":"tools/call","params":{{"name":"search",'
                f'"arguments":{{"query":"{text}"}}}}}}'.encode())  # fmt: skip
    assert client.receive()["id"] == "z"


def test_what_a_tool_prints_is_not_in_the_protocol(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    script = """
import functools, os, subprocess, sys
from recollect.surfaces.mcp import stdio as mcp_stdio
from recollect.surfaces.tools import NAMED
def noisy(memory, given, work):
    print("from print")
    os.write(1, b"from the descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('from a child'); import sys; sys.stdin.read()"])
    return memory.list()
tool = NAMED["list"]._replace(call=noisy)
mcp_stdio.McpContent = functools.partial(mcp_stdio.McpContent, tools=(tool,))
sys.exit(mcp_stdio.serve(sys.argv[1]))
"""
    client = start(str(tmp_path / "store"), program=("-c", script))
    assert client.call("list") == "nothing here"
    assert client.ask("ping") == {}
    assert client.leave() == 0
    said = b"".join(client.errors).decode()
    for line in ("from print", "from the descriptor", "from a child"):
        assert line in said


# ------------------------------------------------------------------ stdio: at the same time


@pytest.fixture
def slow() -> Slow:
    return Slow(threading.Event(), threading.Event(), [])


class Talk:
    """A server in this process, and what it sends."""

    def __init__(self, content: McpContent) -> None:
        self.sent: queue.Queue[Any] = queue.Queue()
        self.workers = WorkerThreads()
        self.server = StdioServer(content, self.sent.put, self.workers)

    def say(self, message: dict[str, Any]) -> None:
        self.server.take(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def hear(self) -> Any:
        return self.sent.get(timeout=WAIT)


@pytest.fixture
def talk(slow: Slow, filled: Memory) -> Iterator[Talk]:
    made = Talk(McpContent(lambda: filled, tools=(slow.tool(), *TOOLS)))
    yield made
    slow.go.set()
    assert made.workers.rest(WAIT)


def slow_call(id: int | str, **meta: Any) -> dict[str, Any]:
    params = {"name": "slow", "arguments": {"query": "x"}, "_meta": meta}
    return {"id": id, "method": "tools/call", "params": params}


def test_a_ping_and_another_call_are_answered_while_a_search_runs(talk: Talk, slow: Slow) -> None:
    talk.say(slow_call(1))
    assert slow.begun.wait(WAIT)
    talk.say({"id": 2, "method": "ping"})
    assert talk.hear()["id"] == 2
    talk.say({"id": 3, "method": "tools/call", "params": {"name": "list", "arguments": {}}})
    assert talk.hear()["id"] == 3
    slow.go.set()
    assert talk.hear()["id"] == 1


@pytest.mark.parametrize("id", [0, 1, "a"])
def test_what_is_cancelled_stops_and_is_not_answered(talk: Talk, slow: Slow, id: int | str) -> None:
    talk.say(slow_call(id))
    assert slow.begun.wait(WAIT)
    talk.say({"method": "notifications/cancelled", "params": {"requestId": id, "reason": "late"}})
    assert talk.workers.rest(WAIT)  # though it was never let go
    talk.say({"id": 2, "method": "ping"})
    assert talk.hear()["id"] == 2
    assert talk.sent.empty()


def test_what_ends_well_although_it_is_cancelled_is_not_answered_either(filled: Memory) -> None:
    begun, go = threading.Event(), threading.Event()

    def write(memory: Memory, given: Any, _: Work) -> Any:
        begun.set()
        assert go.wait(WAIT)
        return memory.remember("Ana signs releases", name="release signer")

    talk = Talk(McpContent(lambda: filled, tools=(NAMED["remember"]._replace(call=write),)))
    params = {"name": "remember", "arguments": {"text": "x"}}
    talk.say({"id": 1, "method": "tools/call", "params": params})
    assert begun.wait(WAIT)
    talk.say({"method": "notifications/cancelled", "params": {"requestId": 1}})
    go.set()
    assert talk.workers.rest(WAIT)
    assert talk.sent.empty()
    assert not talk.server.running
    assert "Ana signs" in replied(filled, "search", query="the release signer").text


def test_what_is_cancelled_before_it_began_never_begins(talk: Talk, slow: Slow) -> None:
    for id in range(20):  # more than there are threads
        talk.say(slow_call(id))
    talk.say({"method": "notifications/cancelled", "params": {"requestId": 19}})
    slow.go.set()
    answered = {talk.hear()["id"] for _ in range(19)}
    assert answered == set(range(19))
    assert talk.workers.rest(WAIT)
    assert talk.sent.empty()
    assert len(slow.works) == 19


def test_a_search_that_is_cancelled_ends_between_two_stages(filled: Memory) -> None:
    from recollect.trace import Stopped

    class Impatient(Work):
        seen: tuple[str, ...] = ()

        def step(self, doing: str) -> None:
            self.seen = (*self.seen, doing)
            self.stop()
            super().step(doing)

    for name in ("search", "gather", "sessions", "context"):
        work = Impatient()
        with pytest.raises(Stopped):
            answer(NAMED[name], {"query": "deploy harbor"}, lambda: filled, work)
        assert len(work.seen) == 1
    assert not answer(NAMED["search"], {"query": "deploy harbor"}, lambda: filled).failed


def test_long_work_reports_progress_to_those_who_ask(
    talk: Talk, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Work, "EVERY", 0.0)
    talk.say(slow_call(1, progressToken="t"))
    first, second = talk.hear(), talk.hear()
    assert first["method"] == second["method"] == "notifications/progress"
    assert first["params"]["progressToken"] == "t"
    assert first["params"]["progress"] < second["params"]["progress"]
    assert first["params"]["message"] == "looking"
    assert "id" not in first


def test_short_work_reports_nothing_and_neither_does_what_did_not_ask(
    talk: Talk, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = {"name": "search", "arguments": {"query": "harbor"}, "_meta": {"progressToken": 1}}
    talk.say({"id": 1, "method": "tools/call", "params": params})
    assert talk.hear()["id"] == 1
    monkeypatch.setattr(Work, "EVERY", 0.0)
    talk.say({"id": 2, "method": "tools/call", "params": {**params, "_meta": {}}})
    assert talk.hear()["id"] == 2


def test_an_unexpected_error_of_the_server_is_an_internal_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("/home/ana")

    monkeypatch.setattr(McpContent, "list_tools", broken)
    monkeypatch.setattr(McpContent, "read_resource", broken)
    sent = conversed({"id": 1, "method": "tools/list"}, {"id": 2, "method": "resources/read"})
    for one in sent:
        assert one["error"] == {"code": -32603, "message": "Internal error (KeyError)"}
    assert capsys.readouterr().err.count("KeyError: '/home/ana'") == 2


def test_many_calls_at_once_are_all_answered(client: Client) -> None:
    words = ("deploy harbor", "signing keys", "umlauts", "zeppelin")
    wanted = {}
    for n in range(60):
        params = {"name": "search", "arguments": {"query": f"{words[n % 4]} {n}"}}
        wanted[client.request("tools/call", params)] = n
    replies = {reply["id"]: reply for reply in (client.receive() for _ in wanted)}
    assert set(replies) == set(wanted)
    assert not any(reply["result"]["isError"] for reply in replies.values())
    assert client.leave() == 0


def test_the_first_call_can_be_cancelled_while_it_loads(client: Client) -> None:
    """It opens the store and loads the engine first, which takes long after the next line."""
    gone = client.request("tools/call", {"name": "search", "arguments": {"query": "harbor"}})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": gone}})  # fmt: skip
    assert client.ask("ping") == {}
    assert "Fridays" in client.call("search", query="when do we deploy harbor?")
    assert client.leave() == 0
    assert client.lines.empty()


# ------------------------------------------------------------------ stdio: the end


def test_what_was_asked_before_the_input_ended_is_answered(store: Path) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "prompts/list"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "mcp", "--store", str(store)],
        input="\n".join(map(json.dumps, asked)),  # and no line end
        capture_output=True, text=True, check=True, timeout=WAIT,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


def test_the_end_of_the_input_ends_the_process_whatever_is_under_way(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    script = """
import functools, sys, time
from recollect.surfaces.mcp import stdio as mcp_stdio
from recollect.surfaces.tools import NAMED
def endless(memory, given, work):
    while True:
        time.sleep(0.01)
tool = NAMED["list"]._replace(call=endless)
mcp_stdio.McpContent = functools.partial(mcp_stdio.McpContent, tools=(tool,))
sys.exit(mcp_stdio.serve(sys.argv[1]))
"""
    client = start(str(tmp_path / "store"), program=("-c", script))
    for _ in range(3):
        client.request("tools/call", {"name": "list"})
    assert client.ask("ping") == {}
    assert client.leave() == 0
    assert client.lines.empty()


def test_a_client_that_reads_nothing_does_not_keep_the_process(store: Path) -> None:
    many = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 200  # far more than a pipe holds
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp", "--store", str(store)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(many)
        process.stdin.close()
        assert process.wait(WAIT) == 0


def _is_gone(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"  # dead, and nobody has asked yet


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_client_takes_the_server_with_it_and_nothing_is_lost(
    store: Path, filled: Memory
) -> None:
    script = """
import json, subprocess, sys, time
process = subprocess.Popen([sys.executable, "-m", "recollect", "mcp", "--store", sys.argv[1]],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def call(id, name, /, **arguments):
    params = {"name": name, "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    process.stdin.write(line.encode() + b"\\n")
    process.stdin.flush()
call(1, "remember", text="Ana signs releases", name="release signer")
process.stdout.readline()
for id in range(2, 30):
    call(id, "search", query=f"harbor {id}")
print(process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(store)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not _is_gone(pid)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + WAIT
    while not _is_gone(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert _is_gone(pid)
    assert "Ana signs releases" in replied(filled, "search", query="the release signer").text


def test_a_missing_stdin_is_the_end_of_it() -> None:
    done = subprocess.run(
        f"{sys.executable} -m recollect mcp <&-",
        shell=True, capture_output=True, text=True, timeout=WAIT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------ the command


def test_the_command_refuses_what_it_cannot_do(cli: Cli) -> None:
    ran = cli("mcp", "--port", "80")
    assert (ran.code, "--port is of HTTP" in ran.err) == (2, True)


def test_http_without_its_packages_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError(name='mcp')")
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "mcp", "--http"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True, text=True, timeout=WAIT,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'recollect[server]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, "--structured"),
        (["--store"], 2, "expected one argument"),
        (["x"], 2, "one word too many"),
    ],
)
def test_only_the_plain_command_starts_without_the_parser(
    words: list[str], code: int, said: str
) -> None:
    command = [sys.executable, "-m", "recollect", "mcp", *words]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
