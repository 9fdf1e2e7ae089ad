"""Documents that say which other took their place: whether that one is told instead.

``python -m bench.chains [--by keyword] [FILE]``: the file has a document a line, with ``id``,
``title``, ``text`` and ``superseded_by`` (a number, as of a PEP). Each that was superseded is asked
for by its own title. Right is that the answer has the one at the end of the chain, and not the one
that was asked for.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import corpus
from recollect import Memory

Row = Mapping[str, Any]


def _rows(file: Path) -> dict[str, Row]:
    raw = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
    return {row["id"]: row for row in map(json.loads, raw.splitlines())}


def _last(row: Row, rows: Mapping[str, Row]) -> Row:
    """The end of its chain; itself, where the next is not there."""
    by_number = {int(n[0]): other for id, other in rows.items() if (n := re.findall(r"\d+", id))}
    seen: list[Row] = []
    while row not in seen:
        seen.append(row)
        number = re.match(r"\s*(\d+)", str(row.get("superseded_by") or ""))
        row = by_number.get(int(number[1]), row) if number else row
    return row


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.chains", description=__doc__)
    parser.add_argument("--by", choices=("hybrid", "keyword"), default="hybrid")
    parser.add_argument("file", nargs="?", type=Path)
    given = parser.parse_args()
    folder = corpus.data_folder()
    if given.file is None and folder is None:
        sys.exit("name a file, or set RECOLLECT_DATA to the data folder")
    rows = _rows(given.file or Path(str(folder)) / "peps" / "docs.jsonl.xz")
    chains = [(row, last) for row in rows.values() if (last := _last(row, rows)) is not row]
    there = first = old = 0
    with tempfile.TemporaryDirectory(prefix="recollect-chains-") as place:
        copy = Path(place) / "documents.jsonl"
        copy.write_text("".join(f"{json.dumps(row)}\n" for row in rows.values()))
        with Memory.open(Path(place) / "store") as memory:
            memory.add(copy, embed=given.by == "hybrid")
            for row, last in chains:
                answer = memory.search(row["title"], by=given.by, cache=False)
                got = [result.document for result in answer.results]
                there += last["id"] in got
                first += got[:1] == [last["id"]]
                old += row["id"] in got
    print(f"{len(chains)} superseded, each asked for by its title ({given.by}): what took its")
    print(f"place is told {there} times, {first} times first; it is told itself {old} times")
    return 0 if there == len(chains) and not old else 1


if __name__ == "__main__":
    sys.exit(main())
