"""Fuzzing of every reader for as long as one likes.

``python -m bench.fuzz [--minutes 5] [--of NAME,…] [--seed 7]``: mutations of the corpus
(``tests/fixtures/fuzz``), guided by which lines of the package an input reaches that none has
reached before; those are kept for the run. With atheris installed (``pip install atheris``) its
engine does the mutating: ``python -m bench.fuzz --atheris NAME``. What makes a reader raise, or
take over ten seconds, is printed and written beside the corpus as ``found-*``, to be mended.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

import recollect
from recollect.testing.readers import READERS, read

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "fuzz"
PACKAGE = str(Path(recollect.__file__).parent)
TOO_LONG = 10
BITS = [b"---\n", b"{", b"}", b"[", b"]", b'"', b"\\", b"\n", b"\r", b"\x00", b"\xff",
        b"\xed\xa0\x80", b"null", b"1e999", b"-", b": ", b"<", b">", b"&", b"```", b"[[", b"|",
        b"#", b"2026-02-30", b'{"role": "user", "text": ', b"!!", b"*", b"  ", b"\t",
        b"9" * 30]  # fmt: skip


class Stuck(Exception):
    pass


def _ring(*_: object) -> None:
    raise Stuck(f"it takes over {TOO_LONG} s")


class Reached:
    """Which lines of the package an input reaches."""

    def __init__(self) -> None:
        self.known: set[tuple[str, int]] = set()
        self.new = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "call" and not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        line = (frame.f_code.co_filename, frame.f_lineno)
        if line not in self.known:
            self.known.add(line)
            self.new = True
        return self


def mutated(raw: bytes, other: bytes, chance: random.Random) -> bytes:
    made = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(made))
        way = chance.randrange(5)
        if way == 0:
            made[at : at + chance.randint(1, 30)] = b""
        elif way == 1:
            made[at:at] = chance.choice(BITS)
        elif way == 2 and made:
            made[at - 1] = chance.randrange(256)
        elif way == 3:
            start = chance.randint(0, len(other))
            made[at:at] = other[start : start + chance.randint(1, 60)]
        else:
            made[at:at] = made[at : at + chance.randint(1, 40)] * chance.randint(1, 6)
    return bytes(made[:20_000])


def fuzz(name: str, seconds: float, chance: random.Random) -> tuple[int, list[tuple[bytes, str]]]:
    """How many inputs were tried, and those that a reader could not take."""
    corpus = [path.read_bytes() for path in sorted(CORPUS.iterdir()) if path.is_file()]
    reached, found, tried = Reached(), [], 0
    told: set[str] = set()
    until = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _ring)
    while time.monotonic() < until:
        raw = mutated(chance.choice(corpus), chance.choice(corpus), chance)
        tried, reached.new = tried + 1, False
        signal.alarm(TOO_LONG)
        sys.settrace(reached)
        try:
            read(name, raw)
        except Exception as error:  # noqa: BLE001  it is what is looked for
            said = f"{type(error).__name__}: {error}"[:200]
            if (key := said[:40]) not in told:
                told.add(key)
                found.append((raw, said))
        finally:
            sys.settrace(None)
            signal.alarm(0)
        if reached.new:
            corpus.append(raw)
    return tried, found


def _atheris(name: str) -> None:
    try:
        import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris")
    for module in [one for one in sys.modules if one.partition(".")[0] == "recollect"]:
        del sys.modules[module]  # to be imported once more, with their branches counted
    with atheris.instrument_imports(include=["recollect"]):
        readers = importlib.import_module("recollect.testing.readers")
    kept = tempfile.mkdtemp(prefix="recollect-fuzz-")
    print(f"what it keeps and finds is in {kept}", flush=True)
    options = [f"-artifact_prefix={kept}/found-", kept, str(CORPUS)]
    atheris.Setup([sys.argv[0], *options], lambda raw: readers.read(name, raw))
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="for all readers together")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--of", default=",".join(READERS), help="some of the readers")
    parser.add_argument("--atheris", metavar="NAME", default="", help="one reader, by atheris")
    given = parser.parse_args()
    if given.atheris:
        _atheris(given.atheris)
    names = given.of.split(",")
    if unknown := [name for name in names if name not in READERS]:
        parser.error(f"there is no {', '.join(unknown)}: {', '.join(READERS)}")
    failed = 0
    for name in names:
        chance = random.Random(f"{given.seed} {name}")
        tried, found = fuzz(name, given.minutes * 60 / len(names), chance)
        print(f"{'MISS' if found else 'ok  '} {name:28} {tried:7} inputs", flush=True)
        for raw, said in found:
            place = CORPUS / f"found-{hashlib.sha256(raw).hexdigest()[:12]}"
            place.write_bytes(raw)
            print(f"     {said} ({place.name})", flush=True)
        failed += len(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
