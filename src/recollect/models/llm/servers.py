"""Language model servers that run on this machine: Ollama and llama.cpp, at the ports which are
theirs or which their own variables name. They are looked for when the user asks which model is
configured, on the loopback interface alone, and each for a fraction of a second."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any

from recollect.named_tuple import NamedTuple

_SECONDS = 0.3
_MOST_BYTES = 1 << 20
_PORT = re.compile(r"(?:^|:)(\d{1,5})/?$", re.ASCII)


class LlmServer(NamedTuple):
    """A server that answered, and the values of ``llm.model`` that mean its models."""

    program: str
    url: str
    models: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "models": list(self.models)}


class _Program(NamedTuple):
    name: str
    variable: str
    """Where the user tells the program itself another port."""
    port: int
    path: str
    rows: str
    field: str
    """The list of its models in what it answers there, and the field with a model's name."""
    prefix: str = ""
    suffix: str = ""
    """What stands before and after its address in ``llm.model``."""


_PROGRAMS = (
    _Program("Ollama", "OLLAMA_HOST", 11434, "/api/tags", "models", "name", prefix="ollama:"),
    _Program("llama.cpp", "LLAMA_ARG_PORT", 8080, "/v1/models", "data", "id", suffix="/v1"),
)


def found_servers(environ: Mapping[str, str] = os.environ) -> Iterator[LlmServer]:
    """Yields the servers that are running here and have a model."""
    for program in _PROGRAMS:
        named = _PORT.search(environ.get(program.variable, ""))
        port = int(named[1]) if named else program.port
        models = _models(program, port)
        if models:
            url = f"http://127.0.0.1:{port}"
            at = f"{program.prefix}{url}{program.suffix}#"
            if program.prefix and port == program.port:
                at = program.prefix
            yield LlmServer(program.name, url, tuple(f"{at}{name}" for name in models))


def _models(program: _Program, port: int) -> list[str]:
    """Returns the names of its models; none where nobody, or somebody else, is at that port."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", program.path)
        response = connection.getresponse()
        told = json.loads(response.read(_MOST_BYTES)) if response.status == 200 else {}
        return [str(row[program.field]) for row in told[program.rows]]
    except (OSError, HTTPException, ValueError, KeyError, TypeError, OverflowError):
        return []
    finally:
        connection.close()
