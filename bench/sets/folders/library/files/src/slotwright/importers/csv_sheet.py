"""Read sessions from a spreadsheet export. Real sheets are awful, hence the guessing."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

from ..model import Session, SpanError, parse_span

ALIASES = {
    "key": ["key", "id", "code", "course", "kurs", "module no"],
    "minutes": ["minutes", "length", "duration", "dauer"],
    "people": ["people", "teacher", "lecturer", "staff", "driver"],
    "groups": ["groups", "class", "cohort", "group"],
    "headcount": ["headcount", "size", "students", "seats needed"],
    "needs": ["needs", "equipment", "requires"],
    "series": ["series", "belongs to"],
}

REQUIRED = ("key", "minutes")


@dataclass
class ImportReport:
    sessions: list[Session] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    skipped: int = 0


def sniff_delimiter(sample: str) -> str:
    head = sample.splitlines()[:5]
    score = {d: min((line.count(d) for line in head), default=0) for d in ";\t|,"}
    best = max(score, key=score.get)
    return best if score[best] else ","


def decode(raw: bytes) -> str:
    for enc in ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(enc)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def map_columns(header: list[str]) -> dict[str, int]:
    found = {}
    clean = [h.strip().lower() for h in header]
    for want, names in ALIASES.items():
        for n in names:
            if n in clean:
                found[want] = clean.index(n)
                break
    missing = [r for r in REQUIRED if r not in found]
    if missing:
        raise ValueError("missing column(s): " + ", ".join(missing))
    return found


def _minutes(cell: str) -> int:
    cell = cell.strip()
    if cell.isdigit():
        n = int(cell)
        # a lesson of 2 or 3 "minutes" is in fact hours
        return n * 60 if n <= 8 else n
    if cell.lower().endswith("h"):
        return round(float(cell[:-1].replace(",", ".")) * 60)
    start, end = parse_span(cell)
    return end - start


def _split(cell: str) -> frozenset[str]:
    for sep in "/+&":
        cell = cell.replace(sep, ",")
    return frozenset(x.strip() for x in cell.split(",") if x.strip())


def read(raw: bytes, max_rows: int = 20000) -> ImportReport:
    text = decode(raw)
    rows = csv.reader(io.StringIO(text), delimiter=sniff_delimiter(text))
    rep = ImportReport()
    header = next(rows, None)
    if header is None:
        rep.problems.append("empty file")
        return rep
    cols = map_columns(header)
    seen: dict[str, int] = {}
    for n, row in enumerate(rows, start=2):
        if n > max_rows:
            rep.problems.append(f"stopped at row {max_rows}")
            break
        if not any(c.strip() for c in row) or row[0].lstrip().startswith("//"):
            rep.skipped += 1
            continue

        def cell(name: str) -> str:
            i = cols.get(name)
            return row[i] if i is not None and i < len(row) else ""

        key = cell("key").strip()
        if not key:
            rep.problems.append(f"row {n}: no key")
            continue
        try:
            minutes = _minutes(cell("minutes"))
        except (SpanError, ValueError):
            rep.problems.append(f"row {n}: cannot read length {cell('minutes')!r}")
            continue
        if key in seen:
            seen[key] += 1
            key = f"{key}~{seen[key]}"
        else:
            seen[key] = 1
        size = cell("headcount").strip()
        rep.sessions.append(Session(
            key=key, minutes=minutes,
            people=_split(cell("people")), groups=_split(cell("groups")), needs=_split(cell("needs")),
            headcount=int(size) if size.isdigit() else 0,
            series=cell("series").strip(),
        ))
    return rep
