"""Embedding by several processes: one model and one thread each, which is what scales.

A worker is ``python -m recollect.models.workers`` with pipes. It is no multiprocessing pool,
because such a pool runs the caller's own script again in every child.

    parent → worker   length (4 bytes), JSON list of texts
    worker → parent   length (4 bytes), float32 vectors; or 2**32 - 1, length, error message
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any

import numpy as np

from recollect import ports
from recollect.errors import ModelError
from recollect.models.catalog import BATCH, LocalModel, Location
from recollect.models.onnx import OnnxEmbedder

_LENGTH = struct.Struct("<I")
_FAILED = 2**32 - 1


class ParallelEmbedder:
    """An embedder whose passages are embedded by worker processes; queries stay here.

    A worker that dies costs nothing but time: what it had is embedded here instead.
    """

    def __init__(self, embedder: OnnxEmbedder, processes: int) -> None:
        self._embedder = embedder
        model = json.dumps([embedder.model, str(embedder.home)])
        command = [sys.executable, "-m", "recollect.models.workers", model]
        self.workers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(processes)
        ]

    @property
    def key(self) -> str:
        return self._embedder.key

    def reads(self, text: str) -> bool:
        return self._embedder.reads(text)

    def speaks(self, text: str) -> bool:
        return self._embedder.speaks(text)

    def embed_query(self, text: str) -> ports.Vector:
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> ports.Vectors:
        out = np.empty((len(texts), self._embedder.dimensions), np.float32)
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        waiting = deque(order[start : start + BATCH] for start in range(0, len(order), BATCH))
        errors: list[ModelError] = []

        def batches() -> Iterator[list[int]]:
            with suppress(IndexError):  # another thread may take the last one
                while not errors:
                    yield waiting.popleft()

        def drive(worker: subprocess.Popen[bytes]) -> None:
            for some in batches():
                try:
                    out[some] = _ask(worker, [texts[i] for i in some])
                except ModelError as error:
                    errors.append(error)
                except (OSError, EOFError, ValueError):  # the worker is gone
                    waiting.append(some)
                    return

        drivers = [Thread(target=drive, args=(worker,), daemon=True) for worker in self.workers]
        for driver in drivers:
            driver.start()
        for driver in drivers:
            driver.join()
        if errors:
            raise errors[0]
        for some in waiting:
            out[some] = self._embedder.embed_passages([texts[i] for i in some])
        return out

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.communicate()


def _ask(worker: subprocess.Popen[bytes], texts: list[str]) -> ports.Vectors:
    """Returns the vectors that a worker gives; raises the error that it tells."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    _send(worker.stdin, json.dumps(texts).encode())
    (length,) = _LENGTH.unpack(_read(worker.stdout, _LENGTH.size))
    if length == _FAILED:
        (length,) = _LENGTH.unpack(_read(worker.stdout, _LENGTH.size))
        raise ModelError(_read(worker.stdout, length).decode())
    raw = _read(worker.stdout, length)
    return np.frombuffer(raw, np.float32).reshape(len(texts), -1)


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def _read(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the worker ended")
    return content


# ------------------------------------------------------------------ the worker's side


def _model(fields: list[Any]) -> LocalModel:
    made = LocalModel(*fields)
    return made._replace(locations=tuple(Location(*each) for each in made.locations))


def _work(stdin: IO[bytes], stdout: IO[bytes], embedder: OnnxEmbedder) -> None:
    while head := stdin.read(_LENGTH.size):
        texts = json.loads(stdin.read(_LENGTH.unpack(head)[0]))
        try:
            _send(stdout, embedder.embed_passages(texts).tobytes())
        except ModelError as error:
            stdout.write(_LENGTH.pack(_FAILED))
            _send(stdout, error.message.encode())


def main() -> None:
    fields, home = json.loads(sys.argv[1])
    # The pipe is ours alone: whatever a library prints must not get into it.
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _work(sys.stdin.buffer, stdout, OnnxEmbedder(_model(fields), Path(home)))
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(0)  # the parent has gone, or was interrupted and says so itself


if __name__ == "__main__":
    main()
