"""Every tool says the same to everybody: the library, the command line, HTTP and MCP.

Each call is made on a store of its own that began as the others did, so that writes can be compared
as well as reads.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

from conftest import Cli
from http_client import QUIET, inside
from mcp_client import Client, small_store
from recollect import Memory
from recollect.surfaces import tool_text
from recollect.surfaces.operations import CHANGING, LOOKING
from recollect.surfaces.tools import NAMED


class Same(NamedTuple):
    """One thing that is asked for in four ways."""

    tool: str
    given: dict[str, Any]
    library: Callable[[Memory], Any]
    line: list[str] | None
    """For the command line, where it has such a command; ``FILE`` is a file with the facts."""


FACT: dict[str, Any] = {"id": "sail", "name": "sailing", "why": "the boat", "pinned": True,
        "valid_from": "2026-03-01T00:00:00Z"}  # fmt: skip
TEXT = "The depot opens at six."

CALLS = (
    Same("search", {"query": "harbor", "limit": 2}, lambda m: m.search("harbor", limit=2),
         ["search", "harbor", "--limit", "2"]),
    Same("gather", {"query": "harbor"}, lambda m: m.gather("harbor"), ["gather", "harbor"]),
    Same("sessions", {"query": "umlauts"}, lambda m: m.sessions("umlauts"),
         ["sessions", "umlauts"]),
    Same("context", {"query": "ship day"}, lambda m: m.context("ship day"),
         ["context", "ship day"]),
    Same("get", {"id": "keys.md"}, lambda m: m.get("keys.md"), ["get", "keys.md"]),
    Same("list", {"limit": 2}, lambda m: m.list(limit=2), ["list", "--limit", "2"]),
    Same("remember", {"text": "We sail in June", **FACT},
         lambda m: m.remember("We sail in June", **FACT),
         ["remember", "We sail in June", "--id", "sail", "--name", "sailing", "--why", "the boat",
          "--pin", "--valid-from", "2026-03-01T00:00:00Z"]),
    Same("forget", {"id": "keys.md"}, lambda m: m.forget("keys.md"),
         ["forget", "keys.md"]),
    Same("record", {"kind": "decision", "body": "Retries stay at three.", "issue": "PAY-7",
                    "date": "2026-03-01"},
         lambda m: m.record("decision", "Retries stay at three.", issue="PAY-7",
                            date="2026-03-01"),
         ["record", "decision", "Retries stay at three.", "--issue", "PAY-7", "--date",
          "2026-03-01"]),
    Same("record_answer", {"query": "harbor", "answer": "On Fridays.", "fingerprint": "nothing"},
         lambda m: m.record_answer("harbor", "On Fridays.", "nothing"),
         ["record-answer", "harbor", "On Fridays.", "--fingerprint", "nothing"]),
    Same("curate", {"text": TEXT, "facts": [TEXT], "title": "Depot"},
         lambda m: m.curate(TEXT, facts=[TEXT], title="Depot", by="agent", channel="mcp"),
         ["curate", "--text", TEXT, "--facts", "FILE", "--title", "Depot", "--by", "agent"]),
)  # fmt: skip

OPERATING = (
    Same("status", {}, lambda m: m.status().as_json(), ["status"]),
    Same("facts", {"limit": 5}, lambda m: m.facts(limit=5).as_json(), ["facts", "--limit", "5"]),
    Same("history", {"id": "ship-1"},
         lambda m: {"events": [e.as_json() for e in m.history("ship-1")]}, ["history", "ship-1"]),
    Same("timeline", {"fact": "ship-1"},
         lambda m: {"facts": [f.as_json() for f in m.curation.timeline("ship-1")]}, None),
    Same("receipts", {}, lambda m: {"items": [k.as_json() for k in m.curation.receipts()]},
         ["undo", "--list"]),
    Same("to_review", {}, lambda m: {"items": [k.as_json() for k in m.curation.to_review()]},
         ["review"]),
    Same("pin", {"fact": "ship-1"}, lambda m: {"fact": m.curation.pin("ship-1").as_json()},
         ["pin", "ship-1"]),
    Same("reword", {"fact": "ship-1", "text": "We ship late"},
         lambda m: {"fact": m.curation.reword("ship-1", "We ship late").as_json()}, None),
    Same("review", {"receipt": "RECEIPT", "accept": False},
         lambda m: m.curation.review(m.curation.receipts()[0].id, accept=False).as_json(),
         ["review", "RECEIPT", "--reject"]),
    Same("undo", {"receipt": "RECEIPT"},
         lambda m: m.curation.undo(m.curation.receipts()[0].id).as_json(),
         ["undo", "RECEIPT"]),
)  # fmt: skip


def test_every_tool_is_compared() -> None:
    assert {one.tool for one in CALLS} == set(NAMED)
    # what searches did differs from one process to the next
    assert {one.tool for one in OPERATING} == {t.name for t in (*LOOKING, *CHANGING)} - {"stats"}


# ------------------------------------------------------------------ what may differ

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
_MADE = re.compile(r"(?<![.\w])(?:[0-9a-f]{12,64}|[\w-]+-[0-9a-f]{6})\b")
_TOOK = re.compile(r'"(timing_ms|ms|age_seconds|bytes|seq|location)": [^,}\]]+')
_BEHIND = re.compile(r'"indexes": \{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}')


def plain(content: Any) -> str:
    """Without what differs from one moment, or one store, to the next: times, places, and the ids
    that are made of them."""
    if isinstance(content, dict):
        content = {name: value for name, value in content.items() if name != "schema_version"}
    said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    said = _BEHIND.sub("", _TOOK.sub("", said))
    return _MADE.sub("ID", _MOMENT.sub("THEN", said))


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("seed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        store = small_store(folder)
        with Memory.open(store) as memory:
            memory.remember("We ship on Mondays", name="ship day", id="ship-1")
            memory.curate("We ship on Fridays.", facts=["We ship on Fridays"], title="Calendar")
        until = monotonic() + 30
        while (store / "record.db-wal").exists() and monotonic() < until:
            sleep(0.05)  # the connection of another thread is closed when that ends
        yield store


@pytest.fixture
def store(seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    return lambda name: Path(shutil.copytree(seed, tmp_path / name))


def receipt(store: Path) -> str:
    with Memory.open(store) as memory:
        return memory.curation.receipts()[0].id


def filled(given: Any, store: Path, file: Path | None = None) -> Any:
    """With the receipt of the store, and the file, where they are meant."""
    said = json.dumps(given).replace('"RECEIPT"', json.dumps(receipt(store)))
    return json.loads(said.replace('"FILE"', json.dumps(str(file))))


def printed(one: Same, store: Callable[[str], Path], cli: Cli, tmp_path: Path) -> Any:
    assert one.line is not None
    file = tmp_path / "facts.json"
    file.write_text(json.dumps(one.given.get("facts", [])))
    place = store("cli")
    return cli(*filled(one.line, place, file), "--store", str(place), "--json").json


@pytest.mark.parametrize("one", CALLS, ids=lambda one: one.tool)
def test_a_tool_says_the_same_to_everybody(
    one: Same, store: Callable[[str], Path], cli: Cli, tmp_path: Path
) -> None:
    tool = NAMED[one.tool]
    with Memory.open(store("library")) as memory:
        found = one.library(memory)
    told, text = tool.json(found), getattr(tool_text, tool.text)(found, one.given)
    asked = over_http(one, store("http"))
    assert plain(asked) == plain(told)
    if one.line is not None:
        assert plain(_alike(one, printed(one, store, cli, tmp_path))) == plain(_alike(one, told))
    client = Client("mcp", "--structured", "--store", str(store("mcp")))
    client.greet()
    reply = client.ask("tools/call", {"name": one.tool, "arguments": one.given})
    client.leave()
    assert plain(reply["structuredContent"]) == plain(told)
    assert [plain(block["text"]) for block in reply["content"]] == [plain(text)]


def _alike(one: Same, said: dict[str, Any]) -> dict[str, Any]:
    """A text that a person types at the command line is the user's own, and no agent's."""
    return {**said, "survey": {}} if one.tool == "curate" else said


def over_http(one: Same, store: Path) -> Any:
    given = filled(one.given, store)
    with Memory.open(store) as memory, inside(memory) as address:
        said = address.post(one.tool, **given)
        assert said.status == 200, said
        return said.json


@pytest.mark.parametrize("one", OPERATING, ids=lambda one: one.tool)
def test_what_operators_ask_for_is_the_same_everywhere(
    one: Same, store: Callable[[str], Path], cli: Cli, tmp_path: Path
) -> None:
    with Memory.open(store("library")) as memory:
        told = one.library(memory)
    assert plain(over_http(one, store("http"))) == plain(told)
    if one.line is not None:
        assert plain(printed(one, store, cli, tmp_path)) == plain(told)
