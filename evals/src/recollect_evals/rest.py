"""The REST contract that PrecisionMemBench drives external engines by, over a store of its own.

    python -m recollect_evals.rest [--port 8080] [--store FOLDER]

    POST   /add     {"text", "user_id", "metadata": {"beliefId", …}, "aliases"?}
    PUT    /update  the same fields; what is not given stays as it is
    POST   /search  {"query", "user_id", "limit"?, "scope"?}  →  {"results": [{"id", "memory", "score"}]}
    DELETE /reset

The text that it sends is name, aliases and content in a row. When a belief is new they are told
apart by the aliases, which are sent beside it; when it is known, by what is known: words that have
come between its name and its content are aliases that it has learned. `scope`, `type`, `pinned` and
`superseded_by` are read from the metadata as far as they are there.
"""  # noqa: E501  the contract reads better on one line

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from recollect import Memory
from recollect.errors import NotFound, RecollectError, UsageError
from recollect.facts import Fact

MOST_BYTES = 10_000_000
LONGEST_NAME = 80
LONGEST_ALIAS = 3
"""Words of an alias that is read out of a text."""


class Statement(NamedTuple):
    """A text of the contract, taken apart."""

    text: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    head: str = ""
    """Name and aliases in a row, as they were sent; empty where it is not known where they end."""


class Adapter:
    """The contract's calls on a memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self.memory = Memory.open(folder)

    def close(self) -> None:
        self.memory.close()

    def add(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps a belief. One that is known and comes without its aliases is an update."""
        aliases = _aliases(body)
        was = None if aliases else self._known(body)
        text = _given(body, "text")
        self._keep(body, _reread(text, was) if was else _read(text, aliases), was)
        return {"ok": True}

    def update(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Changes a belief to what is given; keeps it, if it is not known."""
        was, aliases = self._known(body), _aliases(body)
        if was is None:
            return self.add(body)
        if not body.get("text"):
            said = Statement(was.text, was.name, aliases, _head(was))
        elif aliases:
            said = _read(_given(body, "text"), aliases)
        else:
            said = _reread(_given(body, "text"), was)
        self._keep(body, said, was)
        return {"ok": True}

    def _known(self, body: Mapping[str, Any]) -> Fact | None:
        """Returns the fact that has the id of the body, if there is one; not one of that name."""
        id, owner = _id(body), _given(body, "user_id")
        try:
            fact = self.memory.curation.fact(id, owner=owner)
        except (NotFound, UsageError):
            return None
        return fact if fact.id == id else None

    def _keep(self, body: Mapping[str, Any], said: Statement, was: Fact | None) -> None:
        """Keeps a statement under its id, with what the metadata says of it. What that does not
        say stays as it *was*."""
        about = body.get("metadata") or {}
        name = about.get("canonicalName") or about.get("canonical_name") or said.name
        told = {
            "name": str(name) or None, "type": about.get("type"), "pinned": about.get("pinned"),
            "scopes": _scopes(about.get("scope") or body.get("scope")),
        }  # fmt: skip
        before = {} if was is None else {key: getattr(was, key) for key in told}
        self.memory.remember(
            said.text,
            id=_id(body),
            aliases=said.aliases,
            owner=_given(body, "user_id"),
            superseded_by=about.get("superseded_by") or (),
            meta={"head": said.head},
            **before | {key: value for key, value in told.items() if value is not None},
        )

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        found = self.memory.context(
            str(body.get("query") or ""),
            owner=_given(body, "user_id"),
            scopes=_scopes(body.get("scope")),
            limit=int(body.get("limit") or 20),
        )
        return {
            "results": [
                {"id": r.document, "memory": r.text, "score": round(r.confidence, 4)}
                for r in found.relevant
            ]
        }

    def reset(self) -> dict[str, Any]:
        with self._lock:
            self.memory.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self.memory = Memory.open(self._folder)
        return {"ok": True}


def _given(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"there is no `{name}`")
    return value


def _aliases(body: Mapping[str, Any]) -> tuple[str, ...]:
    about = body.get("metadata") or {}
    return tuple(body.get("aliases") or about.get("aliases") or ())


def _read(text: str, aliases: tuple[str, ...]) -> Statement:
    """Returns a text that is sent with its aliases, which stand between name and content."""
    row = " ".join(aliases)
    name, found, content = text.partition(f" {row} ")
    whole = aliases and found and name and content.strip()
    if not whole or len(name) > LONGEST_NAME:
        return Statement(text, aliases=aliases)
    return Statement(content, name, aliases, f"{name} {row}")


def _reread(text: str, was: Fact) -> Statement:
    """Returns a text that is sent again without its aliases, read by what is known of it.

    Words between its head and its content are new aliases. Where the content is another one, it is
    not known where new aliases would end, and all that follows the head is content.
    """
    words, head, content = text.split(), _head(was).split(), was.text.split()
    new = words[len(head) : len(words) - len(content)]
    if head and words == [*head, *new, *content]:
        return Statement(was.text, was.name, _runs(new), " ".join([*head, *new]))
    if head and words[: len(head)] == head and len(words) > len(head):
        return Statement(" ".join(words[len(head) :]), was.name, head=_head(was))
    return Statement(text, was.name)


def _head(fact: Fact) -> str:
    return str(fact.meta.get("head") or "")


def _runs(words: list[str]) -> tuple[str, ...]:
    """Returns every run of a few words. Where in a row of aliases one ends and the next begins is
    not sent, so that each run may be one; those that are none, nobody says."""
    runs = (
        " ".join(words[first : first + length])
        for length in range(1, LONGEST_ALIAS + 1)
        for first in range(len(words) - length + 1)
    )
    return tuple(run for run in runs if any(map(str.isalnum, run)) and len(run) <= LONGEST_NAME)


def _id(body: Mapping[str, Any]) -> str:
    about = body.get("metadata") or {}
    places = (about.get("beliefId"), about.get("belief_id"), body.get("beliefId"), body.get("id"))
    found = next(filter(None, places), None)
    if not isinstance(found, str) or not found:
        raise UsageError("there is no `metadata.beliefId`")
    return found


def _scopes(given: Any) -> list[str] | None:
    if not given:
        return None
    return [given] if isinstance(given, str) else list(given)


class Handler(BaseHTTPRequestHandler):
    adapter: Adapter

    def _do(self, method: str) -> None:
        calls = {
            ("POST", "/add"): self.adapter.add,
            ("PUT", "/update"): self.adapter.update,
            ("POST", "/search"): self.adapter.search,
        }
        status, answer = 200, dict[str, Any]()
        try:
            body = self._body()
            if (method, self.path) == ("DELETE", "/reset"):
                answer = self.adapter.reset()
            elif (method, self.path) == ("GET", "/health"):
                answer = {"ok": True}
            elif call := calls.get((method, self.path)):
                answer = call(body)
            else:
                status, answer = 404, {"ok": False, "error": "no such call"}
        except RecollectError as error:
            answer = {"ok": False, "error": error.message, "hint": error.hint}
            status = error.http_status
        except (ValueError, TypeError, AttributeError) as error:
            status, answer = 400, {"ok": False, "error": f"not the JSON that is expected: {error}"}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> Mapping[str, Any]:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MOST_BYTES:
            raise UsageError(f"a body of over {MOST_BYTES:,} bytes")
        body = json.loads(self.rfile.read(length) or b"{}")
        if not isinstance(body, dict):
            raise UsageError("the body is not an object")
        return body

    def do_GET(self) -> None:
        self._do("GET")

    def do_POST(self) -> None:
        self._do("POST")

    def do_PUT(self) -> None:
        self._do("PUT")

    def do_DELETE(self) -> None:
        self._do("DELETE")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: who measures wants to see the measurements."""


def serve(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server on this machine only, not yet running."""
    handler = type("_Handler", (Handler,), {"adapter": Adapter(folder)})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rest", description="A memory behind the contract.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--store", type=Path, help="a folder; else one that is thrown away")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as work:
        server = serve(options.store or Path(work) / "store", options.port)
        sys.stderr.write(f"listening on http://127.0.0.1:{server.server_address[1]}\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 130
        finally:
            server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
