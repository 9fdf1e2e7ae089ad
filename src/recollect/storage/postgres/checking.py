"""Looking a store over: the record against its hashes, the indexes against the record."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter
from recollect.ports import CheckReport, Finding
from recollect.storage.content import digest
from recollect.storage.postgres import vectors
from recollect.storage.postgres.connection import Db, firsts, only_row, scalar
from recollect.storage.postgres.dump import wholes
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import Members, entries, members, write
from recollect.storage.postgres.record import RecordReader
from recollect.storage.postgres.rows import given
from recollect.storage.times import from_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAMPLE = 200
_PROBES = 20
_MANY = 500
_WORDED = 200
"""About so many passages are looked for by their words, of all owners together, unless all are."""


def checked(db: Db, owners: Owners, record: RecordReader, full: bool) -> CheckReport:
    findings: list[Finding] = []
    documents = 0
    for keys in _keys(db, owners, full):
        documents += len(keys)
        findings += _against_hashes(db, record, keys)
    text = _text(db, owners, full)
    findings += text.findings
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
        sampled=text.sampled,
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


class _TextCheck(NamedTuple):
    findings: list[Finding]
    sampled: int
    """Passages whose words were looked for in the postings."""


def _text(db: Db, owners: Owners, full: bool) -> _TextCheck:
    """Every passage is counted; those up to the last segment are in one, and once, and the
    postings of its segment have each of its words."""
    found: list[Finding] = []
    sampled = 0
    states = db.execute(
        "SELECT s.owner, o.name, s.passages FROM state s JOIN owners o ON o.owner = s.owner "
        f"WHERE s.owner = ANY({owners.seen}) ORDER BY s.owner"
    ).fetchall()
    for owner, name, told in states:
        whose = f"owner {given(name) or owner}"
        select = "SELECT key FROM passages WHERE owner = %s ORDER BY key"
        keys = np.array(firsts(db.execute(select, (owner,))), np.int64)
        if len(keys) != told:
            said = f"{whose}: {told} passages are counted, {len(keys)} are there"
            found.append(Finding("record", said))
        rows = db.execute(
            "SELECT segment, high, passages, members FROM segments WHERE owner = %s ORDER BY high",
            (owner,),
        ).fetchall()
        if not rows:
            continue
        segments = [(segment, members(bytes(m), n)) for segment, _, n, m in rows]
        keys = keys[keys <= rows[-1][1]]
        every = np.sort(np.concatenate([there.keys for _, there in segments]))
        missing = np.setdiff1d(keys, every)
        if len(missing) or len(np.unique(every)) != len(every):
            found.append(Finding("text", f"{whose}: {len(missing)} passages are in no segment"))
        if not full:
            keys = keys[:: max(1, len(keys) * len(states) // _WORDED)]
        parts = [(one, np.intersect1d(keys, there.keys), there) for one, there in segments]
        looked_for = sum(len(some) for _, some, _ in parts)
        lacking = sum(_lacking(db, owner, *part) for part in parts)
        sampled += looked_for
        if lacking:
            said = f"{lacking:,} of {looked_for:,} {'' if full else 'sampled '}passages lack words"
            found.append(Finding("text", f"{whose}: {said} in the postings: searches miss them"))
    return _TextCheck(found, sampled)


def _lacking(db: Db, owner: int, segment: int, keys: NDArray[np.int64], there: Members) -> int:
    """Returns how many of these passages have a word that the postings of their segment do not
    have of them: what should be there is made anew from the record."""
    made = write(
        db.execute(
            "SELECT key, exact, named FROM passages WHERE owner = %s AND key = ANY(%s) "
            "ORDER BY key",
            (owner, keys.tolist()),
        )
    )
    at = there.places(members(made.members, made.passages).keys)
    lacking = np.zeros(len(at), np.bool_)
    for field, postings in groupby(made.postings, itemgetter(0)):
        while some := list(islice(postings, _MANY)):
            rows = db.execute(
                "SELECT term, entries FROM postings WHERE owner = %s AND segment = %s "
                "AND field = %s AND term = ANY(%s)",
                (owner, segment, field, [term for _, term, _ in some]),
            )
            kept: dict[str, bytes] = dict(rows.fetchall())
            for _, term, content in some:
                mine = entries(content, field).places
                has = np.isin(at[mine], entries(bytes(kept.get(term, b"")), field).places)
                lacking[mine[~has]] = True
    return int(np.count_nonzero(lacking))


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
