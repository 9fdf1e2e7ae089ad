"""What one owner or scope has is not to be had by another, through any surface.

A store holds what Ana keeps for work, what she keeps at home, and what Ben keeps. Everything that
is served with ``search.owner = ana`` and ``search.scopes = work`` is asked for the others' things,
by every name they have. What must never come back is a word that stands beside the words asked for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from http_client import QUIET, Address, serve
from mcp_client import MODERN, Client
from recollect import Memory
from recollect.errors import NotFound, RecollectError, UsageError
from recollect.memory import open_whole
from recollect.nouns import Document, Filter, Message, View
from recollect.storage.plain.engine import PlainStore
from recollect.storage.walled import WalledStore
from recollect.testing.builders import note, put
from recollect.testing.contract import MODEL, embed_all, unit

WALLED = {**QUIET, "RECOLLECT_CACHE_ENABLED": "true", "RECOLLECT_SEARCH_OWNER": "ana",
          "RECOLLECT_SEARCH_SCOPES": "work", "RECOLLECT_IMPORT_OWNER": "ana",
          "RECOLLECT_IMPORT_SCOPES": "work"}  # fmt: skip
OTHERS = (("ben", "work", "kraken"), ("ana", "home", "walrus"))
SEEN = "seen7431"


def _secret(word: str) -> str:
    return f"secret{word}5281"


class Hidden(NamedTuple):
    """The names of something that must not be seen."""

    ids: tuple[str, ...]
    fact: str
    session: str
    answer: str


class World(NamedTuple):
    store: Path
    home: Path
    hidden: tuple[Hidden, ...]


def _keep(memory: Memory, owner: str, scope: str, word: str, beside: str) -> Hidden:
    about: dict[str, Any] = {"source": f"of {owner} {scope}", "owner": owner, "scopes": (scope,)}
    note = Document(f"{word}.md", text=f"The {word} plan: {beside}.", title=f"{word} {beside}",
                    path=f"{word}.md", **about)  # fmt: skip
    talk = Document(f"talk-{word}", kind="session", messages=(
        Message("user", f"What about the {word}?", f"m-{word}"),
        Message("assistant", f"It is {beside}.", f"n-{word}"),
    ), **about)  # fmt: skip
    memory.put([note, talk])
    fact = memory.remember(f"The {word} code is {beside}", name=f"{word} code", owner=owner,
                           scopes=[scope], pinned=True).fact  # fmt: skip
    memory.remember(f"Who feeds the {word}, {beside}?", type="open_question", owner=owner,
                    scopes=[scope])  # fmt: skip
    memory.curate(f"We decided that the {word} door opens with {beside}.", name=f"curated {word}",
                  title=f"{word} doors", owner=owner, scopes=[scope], note=True)  # fmt: skip
    asked = memory.search(f"{word} plan", owner=owner, scopes=[scope], cache=True)
    bundle = memory.gather(f"{word} plan", owner=owner, scopes=[scope])
    memory.record_answer(f"{word} plan", f"The plan is {beside}", bundle.fingerprint,
                         [note.id])  # fmt: skip
    passages = tuple(result.id for result in asked.results)
    return Hidden((note.external, note.id, talk.external, talk.id, *passages), fact.id,
                  talk.external, f"{word} plan")  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("walls")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in {**QUIET, "RECOLLECT_CACHE_ENABLED": "true"}.items():
            patch.setenv(name, value)
        hidden = []
        for owner, scope, word in OTHERS:
            patch.setenv("RECOLLECT_SEARCH_OWNER", owner)
            patch.setenv("RECOLLECT_SEARCH_SCOPES", scope)
            with Memory.open(folder / "store") as memory:
                hidden.append(_keep(memory, owner, scope, word, _secret(word)))
        patch.setenv("RECOLLECT_SEARCH_OWNER", "ana")
        patch.setenv("RECOLLECT_SEARCH_SCOPES", "work")
        with Memory.open(folder / "store") as memory:
            _keep(memory, "ana", "work", "otter", SEEN)
    return World(folder / "store", folder / "home", tuple(hidden))


@pytest.fixture
def ana(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    for name, value in WALLED.items():
        monkeypatch.setenv(name, value)
    with Memory.open(world.store) as memory:
        yield memory


def _calls(world: World) -> list[tuple[str, dict[str, Any]]]:
    """Tools with arguments that ask for what is behind the walls, and for what is not."""
    calls: list[tuple[str, dict[str, Any]]] = [("list", {"limit": 100}), ("sessions", {})]
    for (_, _, word), hidden in zip(OTHERS, world.hidden, strict=True):
        for asked in (f"{word} plan", f"{word} code", f"What about the {word}?", word):
            calls += [
                ("search", {"query": asked}), ("search", {"query": asked, "detail": "full"}),
                ("gather", {"query": asked}), ("context", {"query": asked}),
                ("sessions", {"query": asked}),
            ]  # fmt: skip
        calls += [("get", {"id": id}) for id in (*hidden.ids, hidden.fact, f"{word} code")]
        calls += [("forget", {"id": id}) for id in (*hidden.ids, hidden.fact)]
        calls += [
            ("sessions", {"session": hidden.session}),
            ("sessions", {"session": hidden.session, "around": f"m-{word}"}),
        ]  # fmt: skip
    return calls


def _clean(said: str, doing: object = "") -> None:
    for _, _, word in OTHERS:
        assert _secret(word) not in said, f"{doing} told {said[:2000]}"


# ------------------------------------------------------------------ the surfaces


def test_the_library(ana: Memory, world: World, tmp_path: Path) -> None:
    assert SEEN in str(ana.search("otter plan").as_json())
    for (owner, _, word), hidden in zip(OTHERS, world.hidden, strict=True):
        for id in (*hidden.ids, hidden.fact, f"{word} code"):
            with pytest.raises(NotFound):
                ana.get(id)
            with pytest.raises(NotFound):
                ana.forget(id)
        if owner != "ana":
            for change in (ana.curation.pin, ana.curation.timeline, ana.history):
                with pytest.raises(NotFound):
                    change(hidden.fact)
        for asked in (f"{word} plan", f"{word} code", word):
            _clean(str(ana.search(asked).as_json()), asked)
            _clean(str(ana.search(asked, cache=False).as_json()), asked)
            _clean(str(ana.gather(asked).as_json()), asked)
            _clean(str(ana.context(asked).as_json()), asked)
            _clean(str(ana.sessions(asked).as_json()), asked)
    _clean(str(ana.list(limit=100)))
    _clean(str(ana.admin.answers(limit=100)))
    _clean(str(ana.facts()))
    _clean(str(ana.curation.to_review()))
    assert SEEN in str(ana.admin.answers(limit=100))
    ana.admin.export_tree(tmp_path / "tree")
    pages = [path.read_text() for path in (tmp_path / "tree").rglob("*.md")]
    assert any(SEEN in page for page in pages)
    for page in pages:
        _clean(page, "the tree")


def test_the_library_still_finds_it_for_those_who_may_see_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**WALLED, "RECOLLECT_SEARCH_OWNER": "ben"}.items():
        monkeypatch.setenv(name, value)
    with Memory.open(world.store) as memory:
        assert _secret("kraken") in memory.get("kraken.md").text
        assert _secret("kraken") in str(memory.admin.answers())


def test_mcp_over_stdio(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WALLED.items():
        monkeypatch.setenv(name, value)
    client = Client("mcp", "--store", str(world.store))
    try:
        client.greet()
        said = client.ask("tools/call", {"name": "search", "arguments": {"query": "otter plan"}})
        assert SEEN in json.dumps(said)
        for tool, arguments in _calls(world):
            said = client.ask("tools/call", {"name": tool, "arguments": arguments})
            _clean(json.dumps(said), (tool, arguments))
        listed = client.ask("resources/list", {})
        _clean(json.dumps(listed), "resources")
        for resource in listed["resources"]:
            _clean(json.dumps(client.ask("resources/read", {"uri": resource["uri"]})), resource)
    finally:
        client.leave()


def test_http_the_page_and_mcp_over_http(world: World, tmp_path: Path) -> None:
    served = serve(world.store, tmp_path / "home", **WALLED)
    at = served.address
    try:
        assert SEEN in at.post("search", query="otter plan").text
        for tool, arguments in _calls(world):
            _clean(at.post(tool, **arguments).text, (tool, arguments))
        login = at.ask("POST", "/login", f"token={at.token}",
                       Content_Type="application/x-www-form-urlencoded")  # fmt: skip
        cookie = {"Cookie": login.headers["set-cookie"].partition(";")[0]}
        assert SEEN in at.ask("GET", "/?q=otter+plan", **cookie).text
        for path in _pages(world):
            _clean(at.ask("GET", path, **cookie).text, path)
        assert SEEN in _over_mcp(at, "search", {"query": "otter plan"})
        for tool, arguments in _calls(world):
            _clean(_over_mcp(at, tool, arguments), (tool, arguments))
    finally:
        served.end()


def _over_mcp(at: Address, tool: str, arguments: dict[str, Any]) -> str:
    params = {"name": tool, "arguments": arguments, "_meta": MODERN}
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "Mcp-Method": "tools/call", "Mcp-Name": tool, "Mcp-Protocol-Version": "2026-07-28",
    }  # fmt: skip
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    said = at.ask("POST", "/mcp", body, **headers, **at.bearer)
    assert said.status == 200
    return said.text


def test_a_server_behind_a_wall_imports_behind_it_and_changes_nothing_else(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "new.md").write_text("The narwhal plan.")
    served = serve(world.store, tmp_path / "home", "--owner", "ana", "--scope", "work")
    at = served.address
    try:
        at.post("import", path=str(tmp_path / "new.md"))
        while (state := at.post("imports").json["items"][0]["state"]) in ("waiting", "running"):
            time.sleep(0.05)
        assert state == "done"
        assert "narwhal plan" in at.post("search", query="narwhal").text
        examined = at.get("/doctor").text
        _clean(examined)
        assert "sees a part of it" in examined
        assert ">fault<" not in examined
        login = at.ask("POST", "/login", f"token={at.token}",
                       Content_Type="application/x-www-form-urlencoded")  # fmt: skip
        cookie = {"Cookie": login.headers["set-cookie"].partition(";")[0]}
        assert "settings/change" not in at.ask("GET", "/settings", **cookie).text
    finally:
        served.end()
    with open_whole(world.store) as memory:
        kept = memory.get("new.md")
        assert (kept.owner, kept.scopes) == ("ana", ("work",))
        memory.forget("new.md")


def _pages(world: World) -> list[str]:
    paths = ["/", "/memory", "/documents", "/sessions", "/review", "/stats", "/settings", "/status"]
    for (_, _, word), hidden in zip(OTHERS, world.hidden, strict=True):
        paths += [f"/?q={word}+plan", f"/?q={word}+code", f"/sessions?q={word}",
                  f"/memory?q={word}", f"/sessions?session={hidden.session}"]  # fmt: skip
        paths += [f"/document?id={id}" for id in hidden.ids]
        paths += [f"/fact?id={hidden.fact}"]
    return paths


def test_the_command_line(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in WALLED.items():
        monkeypatch.setenv(name, value)
    lines = [["list"], ["facts"], ["answers"], ["review"], ["sessions"],
             ["export", "--tree", str(tmp_path / "tree")]]  # fmt: skip
    for (_, _, word), hidden in zip(OTHERS, world.hidden, strict=True):
        lines += [["search", f"{word} plan"], ["search", f"{word} code", "--explain"],
                  ["gather", f"{word} plan"], ["context", word], ["sessions", word],
                  ["sessions", "--session", hidden.session], ["facts", word]]  # fmt: skip
        lines += [["get", id] for id in hidden.ids] + [["get", hidden.fact]]
        lines += [["history", hidden.fact], ["forget", hidden.fact, "--yes"]]
    script = (
        "import sys, json; from recollect.surfaces.cli import run\n"
        "for line in json.load(sys.stdin):\n"
        "    try:\n        run([*line, '--store', sys.argv[1]])\n"
        "    except SystemExit:\n        pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(world.store)], input=json.dumps(lines), text=True,
        capture_output=True, env=dict(os.environ), check=True,
    )  # fmt: skip
    assert SEEN in done.stdout
    _clean(done.stdout)
    _clean(done.stderr)
    for path in (tmp_path / "tree").rglob("*.md"):
        _clean(path.read_text(), path)


def test_nothing_behind_the_walls_was_changed_by_all_that(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    with Memory.open(world.store) as memory:
        for (owner, _, word), hidden in zip(OTHERS, world.hidden, strict=True):
            assert _secret(word) in memory.get(f"{word}.md").text
            assert memory.curation.fact(hidden.fact, owner=owner).text.endswith(_secret(word))


def test_a_call_narrows_what_is_seen_and_never_widens_it(ana: Memory, world: World) -> None:
    for limits in ({"scopes": ["home"]}, {"owner": "ben"}, {"scopes": ["home", "work"]}):
        for word in ("walrus", "kraken"):
            _clean(str(ana.search(f"{word} plan", **limits).as_json()), limits)
            _clean(str(ana.gather(f"{word} plan", **limits).as_json()), limits)
            _clean(str(ana.context(f"{word} code", **limits).as_json()), limits)
            _clean(str(ana.sessions(word, **limits).as_json()), limits)
        _clean(str(ana.list(limit=100, **limits)), limits)
        _clean(str(ana.facts(**limits)), limits)
    assert SEEN in str(ana.search("otter plan", scopes=["home", "work"]).as_json())


def test_what_another_scope_has_cannot_be_changed_by_its_name(ana: Memory, world: World) -> None:
    fact = world.hidden[1].fact
    curation = ana.curation
    for change in (
        lambda: curation.pin(fact), lambda: curation.alias(fact, "x"), lambda: curation.fact(fact),
        lambda: curation.resolve(fact), lambda: curation.reword(fact, "x"),
        lambda: curation.timeline(fact), lambda: curation.supersede(fact, "otter code"),
        lambda: ana.remember("The code is mine", id=fact), lambda: ana.history(fact),
        lambda: curation.pin("walrus code"),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            change()
    for whose in ({"scopes": ["home"]}, {"owner": "ben"}):
        with pytest.raises(UsageError, match="served within owner ana, scopes work"):
            ana.remember("The code is mine", **whose)


def test_nothing_is_said_of_walls_that_the_caller_did_not_set(ana: Memory, world: World) -> None:
    answer = ana.search("kraken plan", cache=False)
    assert not answer.hidden
    assert not any("limit" in hint for hint in answer.hints)
    assert ana.status().store.documents == ana.view().status().store.documents
    assert not ana.search("walrus", scopes=["home"]).hidden


def test_a_name_that_is_taken_behind_the_wall_is_free_on_this_side(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_whole(world.store, embed_model="none") as whole:
        mine = whole.view("ana", ["work"])
        note = Document(
            "walrus.md", "of ana home", "An open walrus.", owner="ana", scopes=("work",)
        )
        assert mine.put([note]).added == 1
        assert mine.get(note.id).text == mine.get("walrus.md").text == "An open walrus."
        assert mine.put([note]).unchanged == 1
        assert _secret("walrus") in whole.view("ana", ["home"]).get(note.id).text
        assert mine.forget("walrus.md").forgotten == 1
        with pytest.raises(NotFound):
            mine.get(note.id)
        assert _secret("walrus") in whole.view("ana", ["home"]).get("walrus.md").text


def test_a_view_of_a_view_sees_no_more(ana: Memory) -> None:
    assert ana.view().core.view == ana.core.view
    assert ana.view(scopes=["home"]).list().items == ()
    assert ana.view(owner="ben").list().items == ()
    with pytest.raises(UsageError, match="the store as a whole"):
        ana.admin.backup()


@pytest.mark.parametrize("options", [["--owner", "ana", "--scope", "work"]])
def test_servers_take_the_walls_as_options(
    world: World, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    client = Client("mcp", "--store", str(world.store), *options)
    try:
        client.greet()
        for tool, arguments in (("search", {"query": "kraken plan", "scopes": ["home", "work"]}),
                                ("search", {"query": "walrus plan", "scopes": ["home"]}),
                                ("list", {"limit": 50, "scopes": ["home"]})):  # fmt: skip
            said = client.ask("tools/call", {"name": tool, "arguments": arguments})
            _clean(json.dumps(said), (tool, arguments))
        said = client.ask("tools/call", {"name": "search", "arguments": {"query": "otter plan"}})
        assert SEEN in json.dumps(said)
    finally:
        client.leave()


def test_an_error_says_nothing_of_what_is_behind_the_walls(ana: Memory, world: World) -> None:
    for hidden in world.hidden:
        for id in hidden.ids:
            with pytest.raises(RecollectError) as caught:
                ana.get(id)
            with pytest.raises(RecollectError) as nowhere:
                ana.get("nowhere")
            assert str(caught.value).replace(id, "nowhere") == str(nowhere.value)


def test_a_passage_behind_the_wall_is_near_to_nothing() -> None:
    engine = PlainStore()
    put(engine, note("own", "one", owner="ana"), note("other", "two", owner="bo"))
    embed_all(engine, {"own": unit(1, 0), "other": unit(1, 1)})
    keys = {hit.passage for hit in engine.search_vector(MODEL, unit(1), Filter(), limit=9).hits}
    walled = WalledStore(engine, View(owner="ana"))
    near = [walled.search_vector(MODEL, key, Filter(), limit=9).hits for key in sorted(keys)]
    assert [len(hits) for hits in near] == [1, 0]


def test_signs_of_sentences_behind_the_wall_are_not_read() -> None:
    engine = PlainStore()
    put(engine, note("own", "one", owner="ana"), note("other", "two", owner="bo"))
    waiting = engine.pending(MODEL, limit=9)
    keys = {text: key for key, text in waiting}
    signs = [text[:1].encode() * 16 for text in keys]
    engine.put_vectors(MODEL, list(keys.values()), np.eye(2, 8, dtype=np.float32), signs)
    walled = WalledStore(engine, View(owner="ana"))
    assert walled.sentences(MODEL, list(keys.values())) == {keys["one"]: b"o" * 16}
    assert walled.sentences(MODEL, [keys["two"]]) == {}
