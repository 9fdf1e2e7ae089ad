"""Imports that a server does, over the API and on the page in a real browser where there is one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

from browser import Browser, browsing, program
from conftest import Cli
from http_client import Address, Served, serve
from mcp_client import WAIT
from recollect.surfaces.http.guard import AccessControl


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("imports")
    (folder / "home" / ".claude" / "projects" / "x").mkdir(parents=True)
    line = {"type": "user", "sessionId": "s", "uuid": "u", "cwd": "/x",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": "Where are the herons?"}}  # fmt: skip
    log = folder / "home" / ".claude" / "projects" / "x" / "s.jsonl"
    log.write_text(json.dumps(line) + "\n")
    one = serve(folder / "store", folder / "home" / "recollect", HOME=str(folder / "home"))
    yield one
    one.end()


@pytest.fixture
def at(served: Served) -> Address:
    return served.address


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes <b>"
    folder.mkdir()
    for n in range(30):
        (folder / f"{tmp_path.name}-{n}.md").write_text(f"# Heron {n}\n\nOf herons, {n}.\n")
    (folder / "picture.md").write_bytes(b"\x89PNG\0\0")
    return folder


def egrets(folder: Path, count: int) -> Path:
    """A file that takes a while."""
    file = folder / "egrets.jsonl"
    with file.open("w") as out:
        out.writelines(
            json.dumps({"id": f"e{n}", "text": f"Egret {n}"}) + "\n" for n in range(count)
        )
    return file


def ended(at: Address, id: str) -> dict[str, Any]:
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        one = found(at, id)
        if one["state"] not in ("waiting", "running"):
            return one
        time.sleep(0.05)
    raise AssertionError("the import does not end")


def found(at: Address, id: str) -> dict[str, Any]:
    return next(one for one in at.get("/api/imports").json["items"] if one["id"] == id)


# ------------------------------------------------------------------ over the API


def test_an_import_is_what_the_command_does(at: Address, cli: Cli, notes: Path) -> None:
    begun = at.post("import", path=str(notes), source="birds").json
    assert begun["state"] in ("waiting", "running")
    done = ended(at, begun["id"])
    assert (done["state"], done["error"]) == ("done", "")
    printed = cli("add", "--source", "birds", str(notes), "--json", "--no-embed").json
    printed["pending"] = 0  # that store has a model
    assert done["receipt"] == printed
    assert done["receipt"]["added"] == 30
    assert at.get("/api/list", sources="birds").json["items"]
    again = ended(at, at.post("import", path=str(notes), source="birds").json["id"])
    assert (again["receipt"]["added"], again["receipt"]["unchanged"]) == (0, 30)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("", 400, "there is no path"),
        ("   ", 400, "there is no path"),
        ("notes", 400, "is not a whole path"),
        ("../../etc", 400, "is not a whole path"),
        ("/nowhere/at/all", 422, "there is no such file or folder"),
        ("~nobody-of-this-name/x", 422, "home"),
        ("/" + "x" * 5000, 422, "too long"),
        ("/a\0b", 400, "there is no path"),
        ("/", 400, "whole disk"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(at: Address, path: str, status: int, said: str) -> None:
    answer = at.post("import", path=path)
    assert answer.status == status
    assert said in answer.json["error"]["message"]


def test_what_cannot_be_imported_is_told_and_ends_nothing(at: Address, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"id": "x", "text": \xff\n')
    done = ended(at, at.post("import", path=str(broken)).json["id"])
    assert done["state"] == "failed"
    assert done["receipt"]["failed"]
    assert at.get("/api/status").status == 200


def test_an_import_is_stopped_and_goes_on_the_next_time(at: Address, tmp_path: Path) -> None:
    file = egrets(tmp_path, 2000)
    first = at.post("import", path=str(file)).json["id"]
    waiting = at.post("import", path=str(tmp_path)).json
    assert at.post("import", path=str(file)).json["id"] == first  # it runs already
    assert at.post("stop_import", id=waiting["id"]).json["state"] == "stopped"
    at.post("stop_import", id=first)
    done = ended(at, first)
    assert (done["state"], done["receipt"]) == ("stopped", None)
    assert at.post("stop_import", id=first).json["state"] == "stopped"
    assert ended(at, at.post("import", path=str(file)).json["id"])["state"] == "done"
    listed = at.get("/api/status").json["sources"]
    assert next(one["documents"] for one in listed if one["name"] == "egrets.jsonl") == 2000


def test_an_import_that_is_not_there_is_told(at: Address) -> None:
    assert at.post("stop_import", id="nothing").status == 404


def test_a_server_that_ends_stops_its_imports(tmp_path: Path) -> None:
    one = serve(tmp_path / "store", tmp_path / "home")
    one.address.post("import", path=str(egrets(tmp_path, 60_000)))
    assert one.end() == 0


def test_a_server_for_other_machines_reads_no_files(tmp_path: Path, notes: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-of-my-own-choice")
    token.chmod(0o600)
    one = serve(tmp_path / "store", tmp_path / "home", "--host", "0.0.0.0",
                "--token-file", str(token))  # fmt: skip
    try:
        said = one.address.post("import", path=str(notes))
        assert said.status == 400
        assert "other machines" in said.json["error"]["message"]
        page = one.address.get("/imports")
        assert "reads no files" in page.text
        assert "/imports/begin" not in page.text
    finally:
        one.end()
    assert AccessControl("t" * 20).local
    assert not AccessControl("t" * 20, names=["box.local"]).local


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def screen(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("there is no Chromium on this machine: `apt-get install chromium`")
    with browsing(tmp_path_factory.mktemp("profile")) as browser:
        browser.look()
        browser.open(served.link)
        yield browser


def show(screen: Browser, served: Served) -> None:
    screen.open(f"http://127.0.0.1:{served.address.port}/imports")


def becomes(screen: Browser, script: str) -> bool:
    """Whether the page comes to this by itself, without being loaded again."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        if screen.run(script):
            return True
        time.sleep(0.1)
    return False


def test_an_import_by_keys_alone_is_seen_to_its_end(
    screen: Browser, served: Served, notes: Path
) -> None:
    show(screen, served)
    screen.press("/")
    assert screen.focuses("path")
    screen.type(str(notes))
    screen.press("Enter", loads=True)
    assert screen.place == "/imports"
    screen.run("window.same = true")
    assert becomes(screen, "/Done/.test(document.querySelector('.import')?.innerText)")
    card = screen.run("document.querySelector('.import')?.innerText")
    assert str(notes) in card  # with its <b>, which is text
    assert "30 new" in card
    assert "1 failed" in card or "1 left out" in card
    assert screen.run("window.same") is True  # it was never loaded again
    assert screen.run("document.querySelector('[data-live]')") is None


def test_a_running_import_is_watched_and_stopped(
    screen: Browser, served: Served, tmp_path: Path
) -> None:
    served.address.post("import", path=str(egrets(tmp_path, 60_000)))
    show(screen, served)
    screen.run("window.same = true; document.querySelector('.import button').focus()")
    assert becomes(
        screen, "/[1-9][0-9,]* stored/.test(document.querySelector('.import')?.innerText)"
    )
    assert screen.run("document.activeElement.innerText") == "Stop"  # what changes leaves the focus
    assert screen.run("document.querySelector('.import progress') !== null")
    screen.press("Enter", loads=True)
    assert becomes(screen, "/Stopped/.test(document.querySelector('.import')?.innerText)")
    assert screen.run("document.querySelector('.import button')") is None


def test_conversations_of_this_machine_are_offered(screen: Browser, served: Served) -> None:
    show(screen, served)
    assert "Conversations on this machine" in screen.text
    assert "Claude Code" in screen.text
    screen.click("table[aria-label^=Conversations] button", loads=True)
    assert becomes(screen, "/Done/.test(document.querySelector('.import')?.innerText)")
    show(screen, served)
    screen.run(
        "[...document.querySelectorAll('table[aria-label=Sources] button')]"
        ".find((one) => one.textContent.includes('claude-code')).id = 'ours'"
    )
    screen.click("#ours", loads=True)  # and brought up to date later
    assert becomes(screen, "/Done/.test(document.querySelector('.import')?.innerText)")


def test_a_wrong_path_is_told_on_the_page(screen: Browser, served: Served) -> None:
    show(screen, served)
    screen.run("document.getElementById('path').value = '/nowhere/at/all'")
    screen.click("form[action='/imports/begin'] button", loads=True)
    assert "There is no such file or folder" in screen.text or "no such file" in screen.text


def test_without_its_script_the_page_asks_again(served: Served, tmp_path: Path) -> None:
    id = served.address.post("import", path=str(egrets(tmp_path, 60_000))).json["id"]
    text = served.address.get("/imports").text
    served.address.post("stop_import", id=id)
    assert '<noscript><meta http-equiv="refresh" content="2"/></noscript>' in text
    assert ended(served.address, id)["state"] == "stopped"


def test_an_empty_store_imports_with_one_click(tmp_path: Path) -> None:
    if program() is None:
        pytest.skip("there is no Chromium on this machine: `apt-get install chromium`")
    one = serve(tmp_path / "store", tmp_path / "home", HOME=str(tmp_path))
    try:
        with browsing(tmp_path / "profile") as screen:
            screen.look()
            screen.open(one.link)
            assert "There is nothing to find yet" in screen.text
            screen.click(".offers li:last-child button", loads=True)
            assert screen.place == "/imports"
            assert screen.sees("!!document.querySelector('.import .badge.good')")
            screen.press("1", loads=True)
            assert screen.run("!!document.querySelector('.home, .holds')") is True
            assert "nothing to find" not in screen.text
    finally:
        one.end()
