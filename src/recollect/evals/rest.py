"""The REST contract that PrecisionMemBench drives external engines by, over a store of its own.

    python -m recollect.evals.rest [--port 8080] [--store FOLDER]

    POST   /add     {"text", "user_id", "metadata": {"beliefId", …}, "aliases"?}
    PUT    /update  the same fields; what is not given stays as it is
    POST   /search  {"query", "user_id", "limit"?, "scope"?}  →  {"results": [{"id", "memory", "score"}]}
    DELETE /reset

The text that it sends is name, aliases and content in a row; they are told apart by the aliases. It
sends neither types nor pins nor supersessions, so an engine cannot know them.
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
from typing import Any

from recollect import Memory
from recollect.errors import RecollectError, UsageError

MOST_BYTES = 10_000_000
LONGEST_NAME = 80


class Adapter:
    """The contract's calls on a memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._memory = Memory.open(folder)

    def close(self) -> None:
        self._memory.close()

    def add(self, body: Mapping[str, Any]) -> dict[str, Any]:
        about = body.get("metadata") or {}
        aliases = list(body.get("aliases") or about.get("aliases") or ())
        name, text = _named(_given(body, "text"), aliases)
        self._memory.remember(
            text,
            id=_id(body),
            name=str(about.get("canonicalName") or about.get("canonical_name") or name),
            aliases=aliases,
            owner=_given(body, "user_id"),
            scopes=_scopes(about.get("scope") or body.get("scope")),
        )
        return {"ok": True}

    def update(self, body: Mapping[str, Any]) -> dict[str, Any]:
        id, owner = _id(body), _given(body, "user_id")
        if body.get("text"):
            was = next(
                (f for f in self._memory.facts(owner=owner, every=True, limit=1000).items
                 if f.id == id), None,
            )  # fmt: skip
            if was is None:
                return self.add(body)
            self._memory.remember(
                body["text"], id=id, name=was.name, aliases=was.aliases, owner=owner,
                scopes=was.scopes,
            )  # fmt: skip
        if aliases := list(body.get("aliases") or ()):
            self._memory.alias(id, *aliases, owner=owner)
        return {"ok": True}

    def search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        found = self._memory.context(
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
            self._memory.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._memory = Memory.open(self._folder)
        return {"ok": True}


def _given(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"there is no `{name}`")
    return value


def _named(text: str, aliases: list[str]) -> tuple[str, str]:
    """The name and the rest of a text that is sent as name, aliases and content in a row."""
    name, found, content = text.partition(f" {' '.join(aliases)} ")
    whole = aliases and found and name and content.strip()
    return (name, content) if whole and len(name) <= LONGEST_NAME else ("", text)


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
            status, answer = error.http_status, {"ok": False, "error": error.message}
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
