"""SQLite storage (the default). The Postgres one lives in store_pg.py and has the same methods."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from .model import Placement, Plan, Session, Slot

SCHEMA_VERSION = 11
BUSY_MS = 4000


class StaleRevision(Exception):
    pass


class LockedOut(Exception):
    pass


def default_path() -> Path:
    env = os.environ.get("SLOTWRIGHT_DB")
    if env:
        return Path(env)
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "slotwright" / "plans.db"


class Store:
    def __init__(self, path: Path | None = None, readonly: bool = False):
        self.path = path or default_path()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        mode = "ro" if readonly else "rwc"
        self.db = sqlite3.connect(f"file:{self.path}?mode={mode}", uri=True, isolation_level=None)
        self.db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        if not readonly:
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = NORMAL")
        self._check_schema()

    def _check_schema(self) -> None:
        have = self.db.execute("PRAGMA user_version").fetchone()[0]
        if have > SCHEMA_VERSION:
            raise LockedOut(f"database is from a newer slotwright (schema {have})")

    @contextmanager
    def write(self):
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield self.db
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def save(self, plan_id: str, plan: Plan, expected: int | None = None) -> int:
        blob = zlib.compress(json.dumps(_dump(plan), sort_keys=True).encode(), 6)
        with self.write() as db:
            row = db.execute("SELECT revision FROM plan WHERE id = ?", (plan_id,)).fetchone()
            if row and expected is not None and row[0] != expected:
                raise StaleRevision(f"plan {plan_id} is at {row[0]}, you had {expected}")
            db.execute(
                "INSERT INTO plan (id, title, revision, body, saved_at) VALUES (?,?,?,?,?) "
                "ON CONFLICT (id) DO UPDATE SET title=excluded.title, revision=excluded.revision, "
                "body=excluded.body, saved_at=excluded.saved_at",
                (plan_id, plan.title, plan.revision, blob, int(time.time())),
            )
        return plan.revision

    def load(self, plan_id: str) -> Plan:
        row = self.db.execute("SELECT body FROM plan WHERE id = ?", (plan_id,)).fetchone()
        if row is None:
            raise KeyError(plan_id)
        return _parse(json.loads(zlib.decompress(row[0])))

    def snapshot(self, plan_id: str, reason: str) -> int:
        with self.write() as db:
            cur = db.execute(
                "INSERT INTO snapshot (plan_id, revision, body, reason, taken_at) "
                "SELECT id, revision, body, ?, ? FROM plan WHERE id = ?",
                (reason[:200], int(time.time()), plan_id),
            )
        return cur.lastrowid

    def prune(self, keep_days: int = 60, keep_last: int = 5) -> int:
        limit = int(time.time()) - keep_days * 86400
        with self.write() as db:
            cur = db.execute(
                "DELETE FROM snapshot WHERE taken_at < ? AND id NOT IN ("
                " SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY plan_id ORDER BY id DESC) n"
                " FROM snapshot) WHERE n <= ?)",
                (limit, keep_last),
            )
        return cur.rowcount

    def rename_person(self, old: str, new: str) -> int:
        touched = 0
        for (pid,) in self.db.execute("SELECT id FROM plan").fetchall():
            plan = self.load(pid)
            hit = False
            for key, p in list(plan.placements.items()):
                if old in p.session.people:
                    people = (p.session.people - {old}) | {new}
                    s = Session(**{**p.session.__dict__, "people": frozenset(people)})
                    plan.placements[key] = Placement(s, p.slot, p.room)
                    hit = True
            if hit:
                plan.revision += 1
                self.save(pid, plan)
                touched += 1
        return touched


def _dump(plan: Plan) -> dict:
    return {
        "title": plan.title,
        "revision": plan.revision,
        "items": [
            {
                "k": p.session.key, "m": p.session.minutes, "p": sorted(p.session.people),
                "g": sorted(p.session.groups), "n": sorted(p.session.needs), "h": p.session.headcount,
                "s": p.session.series, "d": p.slot.day.isoformat(), "a": p.slot.start, "z": p.slot.end,
                "r": p.room, "x": p.session.pinned is not None,
            }
            for p in plan
        ],
    }


def _parse(d: dict) -> Plan:
    plan = Plan(d["title"])
    for i in d["items"]:
        slot = Slot(date.fromisoformat(i["d"]), i["a"], i["z"])
        s = Session(i["k"], i["m"], frozenset(i["p"]), frozenset(i["g"]), frozenset(i["n"]), i["h"],
                    slot if i["x"] else None, i["s"])
        plan.placements[s.key] = Placement(s, slot, i["r"])
    plan.revision = d["revision"]
    return plan
