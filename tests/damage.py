"""Stores that are damaged as disks damage them: whole pages, single letters, a file cut short."""

from __future__ import annotations

import sqlite3
from pathlib import Path

PAGE = 4096


def pages(store: Path, table: str, kind: str = "leaf") -> list[int]:
    """The numbers of a table's pages, with everything merged into the file."""
    db = sqlite3.connect(store / "record.db")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = db.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path", (table, kind)
    ).fetchall()
    db.close()
    return [number for (number,) in found]


def scribble(store: Path, *numbers: int, with_: bytes = b"\xff") -> None:
    with open(store / "record.db", "r+b") as file:
        for number in numbers:
            file.seek((number - 1) * PAGE)
            file.write(with_ * PAGE)


def replace(store: Path, old: bytes, new: bytes) -> None:
    """Change letters inside of a row."""
    assert len(old) == len(new)
    pages(store, "passages")
    raw = (store / "record.db").read_bytes()
    assert raw.count(old) == 1
    (store / "record.db").write_bytes(raw.replace(old, new))
