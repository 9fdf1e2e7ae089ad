"""What an accelerator gains: passages a second on it and on the processor, and how near the
vectors are.

    python -m bench.device cuda [--passages 2000] [--threads N]

Passages are those of ``docs``, several times over with a number before each, so that none is like
another. The processor has as many threads as it has cores, each run of the network one.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from recollect import config
from recollect.memory import models_folder
from recollect.models.catalog import EMBED
from recollect.models.devices import DEVICES
from recollect.models.files import ModelFolder
from recollect.models.onnx import OnnxEmbedder
from recollect.nouns import Document
from recollect.text.chunk import passages
from recollect.writing.embedding import ACCELERATED, STEP

DOCS = Path(__file__).resolve().parents[1] / "docs"


def texts(count: int) -> list[str]:
    pages = [Document(path.name, "bench", text=path.read_text()) for path in DOCS.glob("*.md")]
    own = [one.text for one in chain.from_iterable(map(passages, pages))]
    return [f"{n}. {own[n % len(own)]}" for n in range(count)]


def rate(embedder: OnnxEmbedder, some: Sequence[str], step: int, threads: int) -> tuple[float, Any]:
    embedder.embed_passages(some[:step])
    parts = [some[n : n + step] for n in range(0, len(some), step)]
    since = perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        made = np.concatenate(list(pool.map(embedder.embed_passages, parts)))
    return len(some) / (perf_counter() - since), made


def main(given: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m bench.device", description=__doc__.split("\n")[0])
    parser.add_argument("device", choices=[name for name in DEVICES if name != "cpu"])
    parser.add_argument("--passages", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(given)
    some = texts(options.passages)
    home = ModelFolder(models_folder(config.load())).locate(EMBED)
    there = OnnxEmbedder(EMBED, home, device=options.device)
    if not there.is_accelerated:
        return 1
    fast, vectors = rate(there, some, ACCELERATED, 4)
    few = some[: max(200, len(some) // 10)]
    slow, others = rate(OnnxEmbedder(EMBED, home), few, STEP, options.threads)
    near = (vectors[: len(few)] * others).sum(1)
    print(f"{options.device}: {fast:.0f} passages/s; {options.threads} threads: {slow:.0f}/s")
    print(f"ratio {fast / slow:.1f}; cosines to the processor's vectors: least {near.min():.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
