"""Looking a store over: the record against its hashes, the indexes against the record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from recollect.nouns import Filter
from recollect.ports import CheckReport, Finding
from recollect.storage.content import digest
from recollect.storage.postgres import vectors
from recollect.storage.postgres.connection import Db, firsts, only_row, scalar
from recollect.storage.postgres.dump import wholes
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import members
from recollect.storage.postgres.record import RecordReader
from recollect.storage.times import from_seconds

_SAMPLE = 200
_PROBES = 20
_MANY = 500


def checked(db: Db, owners: Owners, record: RecordReader, full: bool) -> CheckReport:
    findings: list[Finding] = []
    documents = 0
    for keys in _keys(db, owners, full):
        documents += len(keys)
        findings += _against_hashes(db, record, keys)
    findings += _text(db, owners)
    recall: dict[str, float] = {}
    for model in vectors.models(db):
        findings += _counted(db, owners, model)
        found = _recall(db, owners, model)
        if found is not None:
            recall[model.key] = found
    last = scalar(db, f"SELECT MAX(at) FROM events WHERE owner = ANY({owners.seen})")
    return CheckReport(
        tuple(findings),
        documents=documents,
        sampled=0,
        recall=recall,
        last_write=from_seconds(last),
    )


def _keys(db: Db, owners: Owners, full: bool) -> Iterator[list[int]]:
    """The documents to be compared: all of them, or the newest."""
    limit = "ALL" if full else str(_SAMPLE)
    rows = db.execute(
        f"SELECT key FROM documents WHERE owner = ANY({owners.seen}) ORDER BY key DESC "
        f"LIMIT {limit}"
    ).fetchall()
    for start in range(0, len(rows), _MANY):
        yield firsts(rows[start : start + _MANY])


def _against_hashes(db: Db, record: RecordReader, keys: list[int]) -> Iterator[Finding]:
    made: dict[int, bytes] = dict(
        db.execute("SELECT key, digest FROM documents WHERE key = ANY(%s)", (keys,)).fetchall()
    )
    for key, whole in zip(keys, wholes(db, record, keys, False), strict=True):
        if digest(whole.put) != bytes(made[key]):
            name = whole.put.document.external
            yield Finding("record", f"{name} is not as it was stored ({whole.put.document.id})")


def _text(db: Db, owners: Owners) -> Iterator[Finding]:
    """Every passage is counted, and those up to the last segment are in one, and once."""
    for owner, told in db.execute(
        f"SELECT owner, passages FROM state WHERE owner = ANY({owners.seen}) ORDER BY owner"
    ).fetchall():
        select = "SELECT key FROM passages WHERE owner = %s ORDER BY key"
        keys = np.array(firsts(db.execute(select, (owner,))), np.int64)
        if len(keys) != told:
            yield Finding(
                "record", f"owner {owner}: {told} passages are counted, {len(keys)} are there"
            )
        rows = db.execute(
            "SELECT high, passages, members FROM segments WHERE owner = %s ORDER BY high", (owner,)
        ).fetchall()
        if rows:
            every = np.sort(np.concatenate([members(bytes(m), n).keys for _, n, m in rows]))
            missing = np.setdiff1d(keys[keys <= rows[-1][0]], every)
            if len(missing) or len(np.unique(every)) != len(every):
                yield Finding("text", f"owner {owner}: {len(missing)} passages are in no segment")


def _counted(db: Db, owners: Owners, model: vectors.ModelTable) -> Iterator[Finding]:
    there, told = only_row(
        db,
        f"SELECT (SELECT COUNT(*) FROM {model.table} WHERE owner = ANY({owners.seen})), "
        "(SELECT COALESCE(SUM(vectors), 0) FROM vector_counts "
        f"WHERE owner = ANY({owners.seen}) AND model = %s)",
        (model.number,),
    )
    if there != told:
        yield Finding("vectors", f"{model.key}: {told} vectors are counted, {there} are there")


def _recall(db: Db, owners: Owners, model: vectors.ModelTable) -> float | None:
    """The share of the ten nearest that a search finds, for some of the vectors themselves."""
    rows = db.execute(
        f"SELECT v::text FROM {model.table} WHERE owner = ANY({owners.seen}) "
        f"ORDER BY passage DESC LIMIT {_PROBES}"
    ).fetchall()
    shares = []
    for (text,) in rows:
        vector = np.array(text[1:-1].split(","), np.float32)
        search = vectors.Search(db, model, Filter(), owners, vector, 10)
        wanted = set(firsts(search.exact()))
        found = set(firsts(search.by_graph()))
        shares.append(len(wanted & found) / max(1, len(wanted)))
    return sum(shares) / len(shares) if shares else None
