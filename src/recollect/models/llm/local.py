"""A language model of this machine, run by llama.cpp in a process of its own.

The process serves OpenAI's protocol on a port of the loopback interface, to whoever has the key
that was made for it, and ends when its standard input is closed, which the end of the process that
started it does in any case. What llama.cpp prints, and how it may crash, stays there.

    python -m recollect.models.llm.local FILE.gguf      (the first line of its input is the key)
"""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from threading import Lock

from recollect.errors import ModelError
from recollect.models.addresses import LlmAddress
from recollect.models.llm.keys import ApiKey, KeyLookup
from recollect.models.llm.provider import HttpProvider
from recollect.models.llm.timeouts import Timeouts

RUNTIME = "xllamacpp"
CONTEXT = 8192
"""Tokens that it reads and writes at most: what SmolLM2 was trained with."""
_PATIENT = Timeouts(first=300.0)
"""A processor takes long to read a prompt, and nothing is streamed meanwhile."""
_LOADING = 120.0
"""Seconds until a model must be loaded."""


def check_runtime() -> None:
    """Raises ModelError where llama.cpp is not installed."""
    if find_spec(RUNTIME) is None:
        raise ModelError(
            f"llama.cpp ({RUNTIME}) is not installed", hint='pip install "recollect[llm]"'
        )


_LOCK = Lock()
_RUNNING: dict[Path, tuple[subprocess.Popen[str], HttpProvider]] = {}
"""Each model is loaded once, however many memories of this process ask for it."""


def provider(file: Path) -> HttpProvider:
    """Returns the model in *file*, loaded."""
    with _LOCK:
        child, made = _RUNNING.get(file, (None, None))
        if child is None or made is None or child.poll() is not None:
            check_runtime()
            child, made = _RUNNING[file] = _started(file)
        return made


def _started(file: Path) -> tuple[subprocess.Popen[str], HttpProvider]:
    command = [sys.executable, "-m", __name__, str(file)]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    atexit.register(_end, child)
    key = ApiKey(token_hex(16), "this process")
    child.stdin.write(f"{key.reveal()}\n")
    child.stdin.flush()
    ready, _, _ = select.select([child.stdout], [], [], _LOADING)
    url = child.stdout.readline().strip() if ready else ""
    if not url:
        _end(child)
        raise ModelError(
            f"llama.cpp cannot load {file}", hint="is it a GGUF file, and is there memory for it?"
        )
    address = LlmAddress("llama", f"{url}/v1", file.stem)
    return child, HttpProvider(address, KeyLookup(key, ()), _PATIENT, at_once=1)


def _end(child: subprocess.Popen[str]) -> None:
    for stream in (child.stdin, child.stdout):
        assert stream is not None
        stream.close()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _serve(file: str, key: str) -> None:
    xllamacpp = import_module(RUNTIME)
    given = xllamacpp.CommonParams()
    given.model.path = file
    given.model_alias = [Path(file).stem]
    given.api_keys = [key]
    given.n_ctx = CONTEXT
    given.n_parallel = 1
    given.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)  # others work here too
    server = xllamacpp.Server(given)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1], sys.stdin.readline().strip())
