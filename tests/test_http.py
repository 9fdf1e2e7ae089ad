"""``recollect serve``: a real process, asked over real connections, by friends and by others."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

import h11
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from conftest import Cli
from hostile import processor_seconds
from http_client import QUIET, Address, Said, Served, inside, serve
from mcp_client import MODERN, WAIT, Slow, small_store
from recollect import Memory
from recollect.memory.options import Limits
from recollect.surfaces.http import server as http_server
from recollect.surfaces.http.guard import CSRF, HARDENING, MOST_HEADERS, AccessControl
from recollect.surfaces.http.rate import MOST_CLIENTS, Buckets, client_of
from recollect.surfaces.http.work import ServerLimits
from recollect.surfaces.page.site import CHANGES
from recollect.surfaces.tools import NAMED, TOOLS

HEADER = CSRF.decode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("http")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        store = small_store(folder)
        with Memory.open(store) as memory:
            memory.remember("We ship on Mondays", name="ship day", id="ship-1")
    one = serve(store, folder / "home", HOME=str(folder))  # where anything may be imported
    yield one
    if one.process.poll() is None:
        one.end()


@pytest.fixture
def at(served: Served) -> Address:
    return served.address


@pytest.fixture
def library(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """The same store, opened beside the server."""
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    with Memory.open(served.store) as memory:
        yield memory


# ------------------------------------------------------------------ the same JSON everywhere

TIMES = ("timing_ms", "ms", "age_seconds", "bytes")


def timeless(content: Any) -> Any:
    """Without what differs from one moment to the next."""
    if isinstance(content, dict):
        return {name: timeless(one) for name, one in content.items() if name not in TIMES}
    return [timeless(one) for one in content] if isinstance(content, list) else content


def bare(content: Any) -> str:
    return json.dumps(timeless(content), ensure_ascii=False)


Ask = Callable[[Memory], Any]
SAME: list[tuple[str, dict[str, Any], Ask, list[str]]] = [
    ("search", {"query": "when do we deploy harbor?", "limit": 2},
     lambda m: m.search("when do we deploy harbor?", limit=2),
     ["search", "when do we deploy harbor?", "--limit", "2"]),
    ("search", {"query": "keys", "kinds": ["note", "session"], "since": "2000-01-01"},
     lambda m: m.search("keys", kinds=["note", "session"], since="2000-01-01"),
     ["search", "keys", "--kind", "note", "--kind", "session", "--since", "2000-01-01"]),
    ("search", {"query": "ship day"}, lambda m: m.search("ship day"), ["search", "ship day"]),
    ("search", {"query": "keys", "sources": ["nope"], "paths": ["keys.md"], "owner": "local",
                "last_n": 3},
     lambda m: m.search("keys", sources=["nope"], paths=["keys.md"], owner="local", last_n=3),
     ["search", "keys", "--source", "nope", "--path", "keys.md", "--owner", "local",
      "--last", "3"]),
    ("gather", {"query": "harbor", "token_budget": 500},
     lambda m: m.gather("harbor", token_budget=500), ["gather", "harbor", "--tokens", "500"]),
    ("sessions", {}, lambda m: m.sessions(), ["sessions"]),
    ("sessions", {"query": "umlauts"}, lambda m: m.sessions("umlauts"), ["sessions", "umlauts"]),
    ("sessions", {"session": "s1"}, lambda m: m.sessions(session="s1"),
     ["sessions", "--session", "s1"]),
    ("context", {"query": "ship day"}, lambda m: m.context("ship day"), ["context", "ship day"]),
    ("get", {"id": "keys.md"}, lambda m: m.get("keys.md"), ["get", "keys.md"]),
    ("list", {"limit": 2}, lambda m: m.list(limit=2), ["list", "--limit", "2"]),
    ("status", {}, lambda m: m.status(), ["status"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "ask", "line"), SAME, ids=[" ".join(one[3])[:40] for one in SAME]
)
def test_library_command_line_and_http_say_the_same(
    served: Served, at: Address, library: Memory, cli: Cli,
    tool: str, arguments: dict[str, Any], ask: Ask, line: list[str],
) -> None:  # fmt: skip
    told = ask(library).as_json()
    posted, got = at.post(tool, **arguments), at.get(f"/api/{tool}", **arguments)
    assert (posted.status, got.status) == (200, 200)
    printed = cli(*line, "--store", str(served.store), "--json").json
    whole = {"schema_version": printed["schema_version"], **told}
    assert bare(posted.json) == bare(got.json) == bare(printed) == bare(whole)


def test_stats_are_those_of_the_library(at: Address, library: Memory) -> None:
    said = at.get("/api/stats", days=7).json
    assert said.keys() == {"schema_version", *library.admin.stats(7).as_json()}
    assert said["total"]["calls"] >= 0
    assert at.get("/api/stats", days=0).status == 400


def test_a_page_is_asked_for_by_the_cursor_of_the_one_before(at: Address, library: Memory) -> None:
    seen, cursor = [], ""
    for _ in range(10):
        page = at.get("/api/list", limit=1, **({"cursor": cursor} if cursor else {})).json
        seen += [one["id"] for one in page["items"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert seen == [one.id for one in library.list(limit=100).items]


def test_what_is_written_over_http_is_in_the_library(at: Address, library: Memory) -> None:
    kept = at.post("remember", text="We sail in June", name="sailing", pinned=True).json
    assert kept["action"] == "added"
    id = kept["fact"]["id"]
    assert library.curation.timeline(id)[0].as_json() == kept["fact"]
    told = {"text": "The mast is 12 m.", "subject": "mast height", "quote": "mast of 12 m"}
    curated = at.post("curate", text="She has a mast of 12 m.", facts=[told]).json
    assert library.curation.fact("mast height").id == curated["items"][0]["id"]
    record = at.post("record", kind="decision", body="Retries stay at three.", issue="PAY-7").json
    assert library.get(record["id"]).text.startswith("Retries stay at three.")
    bundle = at.post("gather", query="how do we sail?").json
    asked = {"query": "how do we sail?", "answer": "In June.", "fingerprint": bundle["fingerprint"]}
    assert at.post("record_answer", **asked).json["recorded"] is True
    assert at.post("forget", id=id).json["forgotten"] == 1
    gone = at.post("forget", id=id)
    assert gone.status == 404
    assert gone.json["error"]["type"] == "NotFound"


# ------------------------------------------------------------------ who may ask


@pytest.mark.parametrize("path", ["/api/status", "/api/search?query=x", "/metrics", "/mcp"])
def test_without_the_token_nothing_is_told(at: Address, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"},
                    {"Authorization": f"Bearer {at.token}x"}, {"Authorization": "Bearer "},
                    {"Cookie": "recollect=x"}, {"Authorization": at.token}):  # fmt: skip
        said = at.ask("GET", path, **headers)
        assert said.status == 401
        assert said.headers["www-authenticate"].startswith("Bearer")
        assert said.json["error"]["type"] == "Unauthorized"
        assert at.token.encode() not in said.body


@pytest.mark.parametrize("path", ["/", "/memory", "/documents", "/sessions", "/stats", "/settings",
                                  "/doctor", "/fact?id=ship-1", "/nothing"])  # fmt: skip
def test_a_browser_without_a_key_sees_a_lock_and_nothing_else(at: Address, path: str) -> None:
    said = at.ask("GET", path)
    assert said.status == 401
    assert "This memory is locked" in said.text
    assert "ship" not in said.text


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/static/page.css"])
def test_what_tells_nothing_needs_no_token(at: Address, path: str) -> None:
    assert at.ask("GET", path).status == 200


def test_the_token_file_is_its_owners_alone_and_stays(served: Served) -> None:
    assert stat.S_IMODE(served.token_file.stat().st_mode) == 0o600
    assert len(served.address.token) >= 40


@pytest.mark.parametrize("path", ["/", "/api/status", "/healthz", "/static/page.js", "/mcp", "/no"])
def test_other_hosts_and_other_origins_are_turned_away_whatever_they_ask(
    at: Address, path: str
) -> None:
    own = f"127.0.0.1:{at.port}"
    for host in ("evil.example", "127.0.0.1.evil.example", f"localhost.evil.example:{at.port}",
                 "[::1", "169.254.169.254", "10.0.0.1", f"evil@{own}", f"evil:x@{own}",
                 f"{own}/evil", f"{own}#evil", f"evil\\@{own}"):  # fmt: skip
        assert at.ask("GET", path, Host=host, **at.bearer).status == 421
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{at.port + 1}",
                   f"http://localhost:{at.port}", "http://127.0.0.1", "file://"):  # fmt: skip
        said = at.ask("GET", path, Host=own, Origin=origin, **at.bearer)
        assert said.status == 403
    said = at.ask("GET", path, Host=own, Origin=f"http://{own}", **at.bearer)
    assert said.status not in (403, 421)
    assert "access-control-allow-origin" not in said.headers


def test_a_body_of_two_lengths_is_refused(at: Address) -> None:
    body = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    for order in (1, -1):
        lengths = [b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n"][::order]
        host = b"Host: 127.0.0.1:%d\r\n" % at.port
        with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
            head = b"POST /api/search HTTP/1.1\r\n" + host + b"".join(lengths)
            line.sendall(head + b"\r\n" + body)
            said = line.recv(10_000)
            while more := line.recv(10_000):
                said += more
        assert said.startswith(b"HTTP/1.1 400")
        assert said.count(b"HTTP/1.1") == 1


def test_no_preflight_is_answered(at: Address) -> None:
    own = f"http://127.0.0.1:{at.port}"
    said = at.ask("OPTIONS", "/api/forget", Origin=own, Access_Control_Request_Method="POST",
                  **at.bearer)  # fmt: skip
    assert said.status == 405
    assert not [name for name in said.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/api/status", "/healthz", "/static/page.css", "/no", "/mcp",
                                  "/api/no", "/metrics"])  # fmt: skip
def test_every_response_keeps_browsers_from_being_used_against_us(at: Address, path: str) -> None:
    for headers in ({}, at.bearer, {"Host": "evil.example"}):
        said = at.ask("GET", path, **headers)
        for name, value in HARDENING.items():
            assert said.headers[name] == value or name == "cache-control"
        assert "server" not in said.headers


def browser(served: Served) -> dict[str, str]:
    """The cookie of a browser that gave the token."""
    at = served.address
    body = f"token={at.token}"
    said = at.ask("POST", "/login", body, Content_Type="application/x-www-form-urlencoded")
    assert said.status == 303
    return {"Cookie": said.headers["set-cookie"].partition(";")[0]}


def test_the_link_works_once_and_gives_a_cookie_that_no_script_can_read(
    tmp_path: Path, served: Served
) -> None:
    one = serve(served.store, tmp_path / "other")
    path = "/" + one.link.split("/", 3)[3]
    assert one.address.ask("HEAD", path).status == 204  # to look at it does not use it up
    assert one.address.ask("GET", path + "x").status == 403
    entered = one.address.ask("GET", path)
    assert (entered.status, entered.headers["location"]) == (303, "/")
    cookie, *attributes = entered.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes)
    assert one.address.token not in cookie
    assert one.address.ask("GET", "/doctor", Cookie=cookie).status == 200
    again = one.address.ask("GET", path)
    assert again.status == 403
    assert "set-cookie" not in again.headers
    assert served.address.ask("GET", "/doctor", Cookie=cookie).status == 401  # of another process
    assert one.end() == 0


def test_a_wrong_token_opens_no_browser(at: Address) -> None:
    for body in ("token=wrong", "token=", "", "x" * 100, "token=%ff"):
        said = at.ask("POST", "/login", body, Content_Type="application/x-www-form-urlencoded")
        assert said.status in (400, 403)
        assert "set-cookie" not in said.headers


def test_a_cookie_alone_changes_nothing(served: Served, at: Address) -> None:
    cookie = browser(served)
    assert at.ask("GET", "/api/status", **cookie).status == 200
    body = json.dumps({"text": "Mallory was here"})
    typed = {"Content-Type": "application/json", **cookie}
    assert at.ask("POST", "/api/remember", body, **typed).status == 403
    assert at.ask("POST", "/api/remember", body, **typed, **{HEADER: "x"}).status == 403
    assert at.ask("POST", "/mcp", body, **typed).status == 403
    form = {"Content-Type": "application/x-www-form-urlencoded", **cookie}
    for action in (*CHANGES, "/logout"):
        for csrf in ("", "&csrf=", "&csrf=" + "0" * 64):
            said = at.ask("POST", action, f"id=ship-1&pinned=1&text=x{csrf}", **form)
            assert said.status == 403
    assert "Mallory" not in at.get("/api/list").text
    assert at.get("/api/get", id="ship-1").json["text"] == "We ship on Mondays"


def the_word(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]


def test_a_browser_may_write_with_the_word_of_its_own_page(served: Served, at: Address) -> None:
    cookie = browser(served)
    word = the_word(at.ask("GET", "/fact?id=ship-1", **cookie).text)
    form = {"Content-Type": "application/x-www-form-urlencoded", **cookie}
    done = at.ask("POST", "/fact/pin", f"id=ship-1&pinned=1&csrf={word}", **form)
    assert (done.status, done.headers["location"]) == (303, "/fact?id=ship-1&done=pinned")
    assert "pinned" in at.get("/api/context").text
    typed = {"Content-Type": "application/json", HEADER: word, **cookie}
    assert at.ask("POST", "/api/search", '{"query": "ship day"}', **typed).status == 200
    other = browser(served)
    said = at.ask("POST", "/fact/pin", f"id=ship-1&csrf={word}", **{**form, **other})
    assert said.status == 403  # a word is of one session
    at.ask("POST", "/fact/pin", f"id=ship-1&pinned=&csrf={word}", **form)
    assert at.ask("POST", "/logout", f"csrf={word}", **form).status == 303
    assert at.ask("GET", "/", **cookie).status == 401


def test_other_machines_are_served_only_with_a_token_that_was_given(cli: Cli, home: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7"):
        ran = cli("serve", "--host", host, "--port", "0")
        assert ran.code == 2
        assert "--token-file" in ran.err


def test_a_token_file_that_others_may_read_or_that_holds_none_is_refused(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    assert cli("serve", "--token-file", str(file)).code == 1
    for content, mode, said in (
        ("a" * 32, 0o644, "can be read by others"), ("short", 0o600, "holds no token"),
        ("a b " * 10, 0o600, "holds no token"), ("", 0o600, "holds no token"),
    ):  # fmt: skip
        file.write_text(content)
        file.chmod(mode)
        ran = cli("serve", "--token-file", str(file))
        assert ran.code == 1
        assert said in ran.err


def test_addresses_and_given_names_are_hosts_when_others_are_served() -> None:
    gate = AccessControl("t" * 20, names=["box.local"], addresses=True)
    assert all(map(gate.serves, ("192.0.2.7", "::1", "localhost", "box.local", "2001:db8::1")))
    assert not any(map(gate.serves, ("evil.example", "", None, "box.local.evil.example")))


def test_ports_and_limits_that_cannot_be_are_told(cli: Cli, at: Address) -> None:
    assert cli("serve", "--port", "70000").code == 2
    assert cli("serve", "--timeout", "0").code == 2
    assert cli("serve", "--max-body", "-1").code == 2
    taken = cli("serve", "--port", str(at.port))
    assert taken.code == 1
    assert "cannot be had" in taken.err


# ------------------------------------------------------------------ bad input


def wrong(said: Said, status: int, kind: str) -> dict[str, Any]:
    assert said.status == status, said
    error = said.json["error"]
    assert error["type"] == kind
    assert set(error) == {"type", "message", "hint"}
    assert "Traceback" not in said.text
    return dict(error)


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1]", b'"x"', b"null", b"3", b'{"query": NaN}', b'{"query": 1e999}', b"\xff\xfe",
     b"[" * 100_000, b'{"query": "x",}', b"query=x", b'{"a":' * 50_000],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_what_is_no_json_object_is_refused(at: Address, body: bytes) -> None:
    said = at.ask("POST", "/api/search", body, Content_Type="application/json", **at.bearer)
    wrong(said, 400, "UsageError")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "search needs 'query'"),
        ({"query": 3}, "query is 3"),
        ({"query": ["x"]}, "query is ['x']"),
        ({"query": "x", "limit": "2"}, "limit is '2'"),
        ({"query": "x", "limit": True}, "limit is True"),
        ({"query": "x", "limit": 10**400}, "limit is 1"),
        ({"query": "x", "kinds": "note"}, "kinds is 'note'"),
        ({"query": "x", "qery": None}, "search has no argument 'qery'"),
        ({"query": "x", "since": "soonish"}, "since"),
    ],
)
def test_wrong_arguments_are_told_with_what_is_right(
    at: Address, arguments: dict[str, Any], message: str
) -> None:
    error = wrong(at.post("search", **arguments), 400, "UsageError")
    assert error["message"].startswith(message)
    assert error["hint"]


def test_wrong_arguments_in_an_address_are_told_too(at: Address) -> None:
    for path in ("/api/search", "/api/search?query=x&limit=two", "/api/search?query=x&query=y",
                 "/api/search?query=x&qery=me", "/api/list?limit=1e3", "/api/status?x=1",
                 "/api/search?query=x&min_confidence=nan"):  # fmt: skip
        wrong(at.get(path), 400, "UsageError")
    said = at.ask("POST", "/api/search?query=x", b"{}", Content_Type="application/json",
                  **at.bearer)  # fmt: skip
    wrong(said, 400, "UsageError")


def test_a_body_of_another_type_is_refused(at: Address) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        said = at.ask("POST", "/api/forget", b'{"id": "x"}', Content_Type=kind, **at.bearer)
        wrong(said, 415, "Unsupported")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(at: Address) -> None:
    with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
        line.sendall(_head(at, "/api/search", Content_Length=str(10 << 30)))
        assert line.recv(100).startswith(b"HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
        line.sendall(_head(at, "/api/search", Transfer_Encoding="chunked"))
        part = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(100):
                line.sendall(part)
        except OSError:
            pass  # it hung up
        else:
            assert line.recv(100).startswith(b"HTTP/1.1 413")


def _head(at: Address, path: str, **headers: str) -> bytes:
    lines = {"Host": f"127.0.0.1:{at.port}", "Content-Type": "application/json", **at.bearer}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    said = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{said}\r\n".encode()


def test_too_many_headers_are_refused(at: Address) -> None:
    many = {f"X-{n}": "x" for n in range(MOST_HEADERS)}
    wrong(at.ask("GET", "/api/status", **at.bearer, **many), 431, "TooManyHeaders")
    with suppress(ConnectionError):  # it may hang up before it is told
        assert at.ask("GET", "/healthz", **{"X-Long": "x" * 200_000}).status == 400
    assert at.ask("GET", "/healthz").status == 200


@pytest.mark.parametrize("path", ["/api/nothing", "/api/", "/api", "/api/search/", "/api/search/x"])
def test_an_unknown_route_is_told_as_json(at: Address, path: str) -> None:
    wrong(at.get(path), 404, "NotFound")


@pytest.mark.parametrize(
    "path",
    ["/static/../page.css", "/static/..%2f..%2fsite.py", "/static/%2e%2e/%2e%2e/etc/passwd",
     "/static//etc/passwd", "/static/page.css/..", "/..%2f..%2fetc/passwd", "//etc/passwd",
     "/document?id=../../../../etc/passwd", "/static/page.py", "/enter/..",
     "/healthz/../api/status", "/%00", "/static/%00"],
)  # fmt: skip
def test_no_path_leads_out(served: Served, at: Address, path: str) -> None:
    for headers in ({}, browser(served)):
        said = at.ask("GET", path, **headers)
        assert said.status in (401, 404)
        assert "root:" not in said.text


def test_a_wrong_method_is_told(at: Address) -> None:
    wrong(at.ask("GET", "/api/forget?id=x", **at.bearer), 405, "MethodNotAllowed")
    wrong(at.ask("DELETE", "/api/get?id=x", **at.bearer), 405, "MethodNotAllowed")
    assert at.ask("POST", "/metrics", **at.bearer).status == 405
    assert at.ask("BREW", "/", **at.bearer).status == 405


def test_lines_that_are_no_http_cost_only_themselves(at: Address) -> None:
    for said in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50,
                 b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"):  # fmt: skip
        with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
            line.recv(1000)
    assert at.get("/api/status").status == 200


def test_an_unexpected_error_is_told_by_its_kind_only(
    library: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("/home/ana/.secret/store.db")

    with inside(library, tools=(NAMED["list"]._replace(call=broken),)) as at:
        said = at.get("/api/list")
    wrong(said, 500, "InternalError")
    assert "secret" not in said.text
    assert "secret" in capsys.readouterr().err


def test_half_a_letter_is_no_reason_to_fail(at: Address) -> None:
    body = b'{"query": "\\ud800 harbor"}'
    said = at.ask("POST", "/api/search", body, Content_Type="application/json", **at.bearer)
    assert said.status == 200
    assert at.post("get", id="\ud83d").status == 404


# ------------------------------------------------------------------ slow, gone and many clients


@pytest.fixture
def slow() -> Iterator[Slow]:
    one = Slow(threading.Event(), threading.Event(), [])
    yield one
    one.go.set()


HASTY = ServerLimits(patience=0.3)


def test_a_client_that_does_not_finish_its_request_is_left(library: Memory) -> None:
    with inside(library, HASTY) as at:
        for begun in (b"", b"GET /healthz HT", _head(at, "/api/search")[:-2]):
            with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
                line.sendall(begun)
                with suppress(ConnectionResetError):
                    assert line.recv(100) == b""
        with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
            line.sendall(_head(at, "/api/search", Content_Length="10") + b"{")
            assert line.recv(100).startswith(b"HTTP/1.1 408")
        assert at.get("/api/status").status == 200


def test_connections_that_say_nothing_keep_nobody_waiting(library: Memory) -> None:
    with inside(library, ServerLimits(patience=WAIT, rate=0)) as at, ExitStack() as lines:
        for _ in range(300):
            line = socket.create_connection(("127.0.0.1", at.port), WAIT)
            lines.enter_context(line)
            line.sendall(b"GET /healthz HT")
        assert at.get("/healthz").status == 200


def test_a_question_as_long_as_a_book_is_read_in_part(library: Memory) -> None:
    """It is the server's process that would be busy with it, and deaf to signals."""
    long = "why did we choose postgres and not redis for the sessions of login? " * 10_000
    with inside(library) as at, processor_seconds(30):
        found = at.post("search", query=long).json
        assert "only the first 4,000 characters" in found["hints"][0]
        assert "only the first" in at.post("context", query=long, limit=3).json["hints"][0]
        assert "only the first" in at.post("sessions", query=long).json["notes"][0]
        assert "only the first" in str(at.post("gather", query=long).json["follow_up_hints"])
    assert library.search("kayak").hints == library.search("kayak ").hints


def test_a_client_that_asks_slowly_on_one_connection_is_not_left(library: Memory) -> None:
    import http.client

    with inside(library, ServerLimits(patience=1.0)) as at:
        connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=WAIT)
        for _ in range(3):
            connection.request("GET", "/healthz")
            assert connection.getresponse().read()
            threading.Event().wait(0.5)
        connection.close()


def test_work_that_takes_too_long_is_stopped(library: Memory, slow: Slow) -> None:
    with inside(library, ServerLimits(seconds=0.2), (slow.tool()._replace(name="search"),)) as at:
        error = wrong(at.post("search", query="x"), 504, "Cancelled")
        assert "0.2 s" in error["message"]
        assert slow.works[0].stopped


def test_work_that_nobody_waits_for_is_stopped(library: Memory, slow: Slow) -> None:
    with inside(library, tools=(slow.tool()._replace(name="search"),)) as at:
        body = b'{"query": "x"}'
        with socket.create_connection(("127.0.0.1", at.port), WAIT) as line:
            line.sendall(_head(at, "/api/search", Content_Length=str(len(body))) + body)
            assert slow.begun.wait(WAIT)
        for _ in range(int(WAIT / 0.05)):
            if slow.works[0].stopped:
                break
            threading.Event().wait(0.05)
        assert slow.works[0].stopped
        assert at.get("/healthz").status == 200


def test_many_clients_at_once_get_each_their_own_answer(at: Address) -> None:
    questions = ["harbor", "keys", "umlauts", "ship day"] * 10

    def ask(question: str) -> tuple[str, Any]:
        return question, at.post("search", query=question).json

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(ask, questions))
    once = {question: bare(answer) for question, answer in answers}
    assert all(answer["query"] == question for question, answer in answers)
    assert all(bare(answer) == once[question] for question, answer in answers)
    assert len(set(once.values())) == 4


async def nobody(scope: Any, receive: Any, send: Any) -> None:
    """An application that nobody asks."""


def test_a_signal_before_the_server_listens_to_signals_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = http_server.server(nobody)
    run = made.run

    def told(sockets: list[socket.socket]) -> None:
        signal.raise_signal(signal.SIGTERM)
        run(sockets)

    monkeypatch.setattr(made, "run", told)
    with http_server.listening("127.0.0.1", 0) as bound:
        assert http_server.serve(made, bound) == signal.SIGTERM


def test_a_body_does_not_wait_until_its_head_is_acknowledged() -> None:
    with (
        http_server.listening("127.0.0.1", 0) as bound,
        socket.create_connection(bound.getsockname(), timeout=WAIT),
        bound.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_who_has_just_connected_is_heard_before_a_server_ends() -> None:
    later: list[Callable[[], object]] = []
    line, idle = Mock(is_closing=lambda: False), Mock(is_closing=lambda: False)
    protocol = http_server.TimeoutProtocol.__new__(http_server.TimeoutProtocol)
    vars(protocol).update(
        cycle=None,
        conn=h11.Connection(h11.SERVER),
        transport=line,
        loop=Mock(call_later=lambda _, do: later.append(do)),
        _head=Mock(),  # nothing has been asked yet
    )
    protocol.shutdown()
    assert not line.close.called
    later[0]()
    assert line.close.called
    vars(protocol).update(transport=idle, _head=None)
    protocol.shutdown()
    assert idle.close.called


def test_a_store_that_is_restored_or_moved_is_served_from_then_on(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for place, day in ((store, "Fridays"), (tmp_path / "other", "Mondays")):
        with Memory.open(place) as memory:
            memory.remember(f"We deploy on {day}", name="deploy day")
    one = serve(store, tmp_path / "home")
    assert "Fridays" in one.address.post("search", query="deploy day").text
    store.rename(tmp_path / "before")
    (tmp_path / "other").rename(store)
    for _ in range(int(WAIT / 0.1)):
        said = one.address.post("search", query="deploy day").text
        assert "Fridays" not in said
        if "Mondays" in said:
            break
        assert "another store is in its place" in said
        time.sleep(0.1)
    assert "Mondays" in said
    assert one.end() == 0


def test_when_it_is_told_to_end_it_answers_first_and_closes_the_store(
    tmp_path: Path, served: Served
) -> None:
    one = serve(served.store, tmp_path / "other")
    kept = one.address.post("record", kind="discussion", body="The last thing that was said.")
    assert kept.status == 200
    assert one.end() == 0
    with Memory.open(served.store) as memory:
        assert memory.get(kept.json["id"]).text == "The last thing that was said."


def test_questions_as_long_as_a_book_keep_no_server_from_ending(
    tmp_path: Path, served: Served
) -> None:
    one = serve(served.store, tmp_path / "other")
    long = "why did we choose postgres and not redis for the sessions of login? " * 10_000
    body = json.dumps({"query": long}).encode()
    head = _head(one.address, "/api/search", Content_Length=str(len(body)))
    with ExitStack() as lines:
        for _ in range(12):  # more than are worked on at once
            line = socket.create_connection(("127.0.0.1", one.address.port), WAIT)
            lines.enter_context(line).sendall(head + body)
        assert one.address.get("/healthz").status == 200
        assert one.end() == 0


def test_a_process_that_is_killed_loses_nothing_that_was_acknowledged(
    tmp_path: Path, served: Served
) -> None:
    one = serve(served.store, tmp_path / "other")
    kept = one.address.post("record", kind="discussion", body="Said before the kill.").json
    one.process.kill()
    one.end()
    with Memory.open(served.store) as memory:
        assert memory.get(kept["id"]).text == "Said before the kill."


def test_it_ends_although_a_write_waits_for_another_process(tmp_path: Path, served: Served) -> None:
    """Such a write waits for a minute; whoever ends a server waits for seconds."""
    one = serve(served.store, tmp_path / "other")
    other = sqlite3.connect(served.store / "record.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(one.address.post, "record", kind="decision", body="We sail.")
        while "recollect_requests_under_way 2" not in one.address.get("/metrics").text:
            time.sleep(0.05)
        one.process.terminate()
        assert one.process.wait(30) == 0
        assert wrong(waiting.result(), 503, "Cancelled")["hint"] == "look before you write again"
    other.close()
    one.end()


# ------------------------------------------------------------------ those who ask too often


def test_a_client_that_asks_too_often_is_told_when_to_ask_again(library: Memory) -> None:
    with inside(library, ServerLimits(rate=3)) as at:
        said = [at.get("/healthz") for _ in range(40)]
        refused = [one for one in said if one.status == 429]
        assert [one.status for one in said[:6]] == [200] * 6  # two seconds' worth at once
        assert refused
        assert refused[0].headers["retry-after"] == "1"
        assert refused[0].headers["x-frame-options"] == "DENY"
        assert refused[0].json["error"]["type"] == "TooOften"
        threading.Event().wait(int(refused[0].headers["retry-after"]))
        assert at.get("/api/status").status == 200


def test_each_client_has_a_share_of_its_own_and_it_fills_again() -> None:
    now = 0.0
    buckets = Buckets(2, lambda: now)
    assert [buckets.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    assert buckets.wait("b") == 0
    now = 0.5
    assert [buckets.wait("a") for _ in range(2)] == [0, 0.5]
    now = 1000
    assert [buckets.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]


def test_many_clients_take_a_bounded_memory() -> None:
    buckets = Buckets(1, lambda: 0.0)
    share = 0
    while not buckets.wait("first"):
        share += 1
    for n in range(MOST_CLIENTS - 1):
        buckets.wait(str(n))
    assert buckets.wait("first"), "one of the last is remembered"
    for n in range(MOST_CLIENTS):
        buckets.wait(str(n))
    assert [buckets.wait("first") for _ in range(share)] == [0] * share, "then it is forgotten"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::1", "::2", False),
    ],
)
def test_a_machine_is_one_client(one: str, other: str, same: bool) -> None:
    assert (client_of({"client": (one, 1)}) == client_of({"client": (other, 2)})) is same


def test_the_rate_is_an_option_of_the_command(cli: Cli, served: Served, tmp_path: Path) -> None:
    one = serve(served.store, tmp_path / "other", "--rate", "1")
    assert 429 in [one.address.get("/healthz").status for _ in range(20)]
    assert one.end() == 0
    assert cli("serve", "--rate", "-1", "--store", str(served.store)).code == 2


# ------------------------------------------------------------------ for operators and programs


def test_metrics_count_calls_answers_and_responses(library: Memory) -> None:
    with inside(library) as at:
        at.post("search", query="harbor")
        at.get("/api/get", id="nowhere")
        at.ask("GET", "/api/status")
        lines = at.get("/metrics").text.splitlines()
    assert 'recollect_calls_total{tool="search",outcome="ok"} 1' in lines
    assert 'recollect_calls_total{tool="get",outcome="refused"} 1' in lines
    assert 'recollect_responses_total{status="401"} 1' in lines
    assert 'recollect_call_seconds_count{tool="search"} 1' in lines
    assert 'recollect_call_seconds_bucket{tool="search",le="+Inf"} 1' in lines
    assert any(line.startswith('recollect_answers_total{status="') for line in lines)
    for line in lines:
        assert line.startswith("#") or line.rpartition(" ")[2].replace(".", "").isdigit()
    assert not any("harbor" in line for line in lines)


def test_the_openapi_document_is_the_table_of_tools(at: Address) -> None:
    document = at.ask("GET", "/openapi.json").json
    assert document["openapi"] == "3.1.0"
    for tool in TOOLS:
        path = document["paths"][f"/api/{tool.name}"]
        schema = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["properties"]) >= set(tool.properties)
        assert schema.get("required", []) == list(tool.required)
        assert ("get" in path) == (not tool.writes)
    asked = {one["name"] for one in document["paths"]["/api/search"]["get"]["parameters"]}
    assert asked >= set(Limits.__annotations__) - {"roles"}


def test_mcp_is_at_its_path_with_the_same_token(at: Address) -> None:
    params = {"name": "get", "arguments": {"id": "keys.md"}, "_meta": MODERN}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "Mcp-Method": "tools/call", "Mcp-Name": "get", "Mcp-Protocol-Version": "2026-07-28",
    }  # fmt: skip
    said = at.ask("POST", "/mcp", body, **headers, **at.bearer)
    assert said.status == 200
    assert "rotated in March by Priya" in said.text
    assert at.ask("POST", "/mcp", body, **headers).status == 401


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(
    st.text(max_size=5), max_size=3
)  # fmt: skip


@hypothesis_settings(max_examples=60)
@given(data=st.data())
def test_whatever_is_sent_is_answered_or_refused_and_never_fails(
    served: Served, data: st.DataObject
) -> None:
    tool = data.draw(st.sampled_from([tool for tool in TOOLS if not tool.writes]))
    names = st.sampled_from([*tool.properties, "other"])
    arguments = data.draw(st.dictionaries(names, values, max_size=5))
    said = served.address.post(tool.name, **arguments)
    assert said.status in (200, 400, 404), (arguments, said)
    if said.status == 200:
        assert set(tool.has) <= set(said.json)


def test_schemathesis_finds_nothing_against_the_openapi_document(
    served: Served, tmp_path: Path
) -> None:
    """Types are checked here. What a date or a number may be is told by the error of one that may
    not, so a request of the right types may be refused. One worker: Python 3.11 fails now and then
    where two threads parse source at once, which Hypothesis does to describe its rules."""
    program = shutil.which(
        "schemathesis", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    )
    if program is None:
        pytest.skip("schemathesis is not installed: it is among the dependencies for development")
    at = served.address
    done = subprocess.run(
        [program, "run", f"http://127.0.0.1:{at.port}/openapi.json", "--max-examples", "4",
         "--workers", "1", "--phases", "coverage,fuzzing",
         "--exclude-checks", "positive_data_acceptance",
         "--generation-deterministic", "-H", f"Authorization: Bearer {at.token}"],
        capture_output=True, text=True, check=False, cwd=tmp_path, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_a_refusal_reaches_whoever_sends_a_body_behind_its_head(at: Address) -> None:
    """Hanging up on what was not read would take the answer with it."""
    body = b'{"query": "harbor"}'
    head = f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{at.port}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", at.port), timeout=WAIT) as line:
            line.sendall(head.encode())
            time.sleep(0.05)
            line.sendall(body)
            said = b""
            while more := line.recv(4096):
                said += more
        assert b" 401 " in said
        assert b"token" in said


def test_an_interrupt_ends_it_as_it_ends_every_command(tmp_path: Path) -> None:
    served = serve(tmp_path / "store", tmp_path / "home")
    assert served.address.get("/healthz").status == 200
    served.process.send_signal(signal.SIGINT)
    _, said = served.process.communicate(timeout=60)
    assert served.process.returncode == 130
    assert said.endswith("stopped\n")
