"""The changes of one transaction: decided first, then written in bulk.

Every writer of an owner holds that owner's row of ``state`` until it commits. Rows are locked in
the order of owners, before anything else is written, so that no two writers can wait for each
other; what they touch after that is theirs alone.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    ChangeSet,
    Document,
    DropAnswers,
    Expect,
    Forget,
    Put,
    Receipt,
    Register,
    Remove,
    of_type,
)
from recollect.storage.content import check, digest, expect
from recollect.storage.filters import folded_path, label_of
from recollect.storage.postgres import answers, vectors
from recollect.storage.postgres.bulk import insert
from recollect.storage.postgres.connection import Db, firsts
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.postings import stems
from recollect.storage.postgres.rows import given, key_of, stored
from recollect.storage.times import micros
from recollect.text.lexical import indexed_text
from recollect.text.terms import fold, terms

_COLUMNS = {
    "documents": "owner, key, id, source, external, origin, kind, title, path, date, last, scopes, "
    "meta, stamp, digest, folded_source, folded_kind, folded_path, issues, events",
    "messages": "owner, document, turn, role, id, date",
    "passages": "owner, key, document, n, turn, role, heading, text, exact, named",
    "handles": "owner, handle, document",
    "events": "owner, seq, id, action, at",
}


class StoredVersion(NamedTuple):
    """A document as it is stored."""

    owner: int
    key: int
    digest: bytes
    stamp: str
    title: str
    source: str
    scopes: tuple[str, ...]


class PreparedPut(NamedTuple):
    """A document to be stored, with its terms."""

    put: Put
    digest: bytes
    named: str
    exact: list[str]
    length: int
    title_length: int
    """Of all its passages together, in terms."""


def read(put: Put, made: bytes) -> PreparedPut:
    title, path = put.document.title, put.document.path
    named = terms(f"{title} {path}")
    found = [terms(indexed_text(title, p.heading, p.text)) for p in put.passages]
    length = sum(len(one.stem.split()) for one in found)
    title_length = len(named.stem.split()) * len(found)
    return PreparedPut(put, made, named.exact, [one.exact for one in found], length, title_length)


class Action(NamedTuple):
    """What becomes of one document."""

    did: str
    """``added``, ``changed``, ``unchanged``, ``forgotten``, ``removed``, ``tombstoned``; or empty,
    where there was nothing to remove."""
    id: str
    put: Put | None = None
    digest: bytes = b""
    forget: bool = False
    at: float | None = None
    """When it was forgotten, where that is not now."""


def decide(
    changes: ChangeSet, digests: Sequence[bytes], known: dict[str, bytes], forgotten: set[str]
) -> list[Action]:
    """Returns the action of each change, in order, from what is known of their documents."""
    made = iter(digests)
    actions: list[Action] = []
    for change in changes.changes:
        if isinstance(change, Put):
            new, id = next(made), change.document.id
            if known.get(id) == new:
                actions.append(Action("unchanged", id, change))
            elif id in forgotten and id not in known:
                actions.append(Action("tombstoned", id))
            else:
                did = "changed" if id in known else "added"
                actions.append(Action(did, id, change, new))
                known[id] = new
        elif isinstance(change, Forget | Remove):
            forget = isinstance(change, Forget)
            did = "forgotten" if forget else "removed"
            there = known.pop(change.id, None) is not None
            actions.append(Action(did if there else "", change.id, forget=forget))
            forgotten.update([change.id] * forget)
    return actions


def receipt(actions: Sequence[Action]) -> Receipt:
    counts: dict[str, Any] = Counter(action.did for action in actions if action.did)
    return Receipt(**counts)


class Changes:
    """One change set, on its way into the store. It may be applied several times, until one of
    them is committed."""

    def __init__(self, changes: ChangeSet, owners: Owners) -> None:
        self._changes = changes
        self._owners = owners
        self._puts = of_type(changes.changes, Put)
        for put in self._puts:
            check(put)
            if owners.bound not in ("", put.document.owner):
                raise UsageError(
                    f"{put.document.external} belongs to {put.document.owner!r}, and the store is "
                    f"opened for {owners.bound!r}",
                    hint="open it without owner= in the URL, or store it as that owner's",
                )
        self.digests = list(map(digest, self._puts))
        self._read: dict[bytes, PreparedPut] = {}

    @property
    def ids(self) -> list[str]:
        named = [
            change.id
            for change in self._changes.changes
            if isinstance(change, Expect | Forget | Remove)
        ]
        return named + [put.document.id for put in self._puts]

    def look_ahead(self, db: Db) -> None:
        """Find the terms of what seems to be new before anybody has to wait for it."""
        rows = db.execute(
            f"SELECT digest FROM documents WHERE owner = ANY({self._owners.seen}) AND id = ANY(%s)",
            ([put.document.id for put in self._puts],),
        ).fetchall()
        have = set(map(bytes, firsts(rows)))
        for put, made in zip(self._puts, self.digests, strict=True):
            if made not in have:
                self.terms(put, made)

    def terms(self, put: Put, made: bytes) -> PreparedPut:
        if made not in self._read:
            self._read[made] = read(put, made)
        return self._read[made]

    def try_out(self, db: Db) -> Receipt:
        known = self.known(db, self.ids)
        expect(self._changes, _stamps(known).get)
        return receipt(self._decide(known, self._forgotten(db, self.ids)))

    def begin(
        self, db: Db, more: Sequence[str] = ()
    ) -> tuple[dict[str, int], dict[str, StoredVersion], set[str]]:
        """Lock the owners of all documents of this, and of those with *more* ids: the numbers of
        owners, what is known of the documents, and which of them were forgotten."""
        ids = [*self.ids, *more]
        numbers = self._owners.numbers(db, {put.document.owner for put in self._puts})
        there = self.known(db, ids)
        self._owners.lock(db, {*numbers.values(), *(known.owner for known in there.values())})
        known = self.known(db, ids)
        self._owners.lock(db, {one.owner for one in known.values()})
        return numbers, known, self._forgotten(db, ids)

    def apply(self, db: Db) -> Receipt:
        numbers, known, forgotten = self.begin(db)
        expect(self._changes, _stamps(known).get)
        actions = self._decide(known, forgotten)
        writing = Writing(db, self._owners, numbers, self.terms)
        for change in of_type(self._changes.changes, Register):
            writing.register(change)
        for dropped in of_type(self._changes.changes, DropAnswers):
            answers.drop(db, self._owners, dropped.ids)
        writing.write_all(actions, known, self)
        writing.finish()
        return receipt(actions)

    def _decide(self, known: dict[str, StoredVersion], forgotten: set[str]) -> list[Action]:
        have = {id: one.digest for id, one in known.items()}
        return decide(self._changes, self.digests, have, forgotten)

    def _forgotten(self, db: Db, ids: Sequence[str]) -> set[str]:
        rows = db.execute(
            f"SELECT id FROM tombstones WHERE owner = ANY({self._owners.seen}) AND id = ANY(%s)",
            (list(map(stored, ids)),),
        ).fetchall()
        return set(map(given, firsts(rows)))

    def known(self, db: Db, ids: Sequence[str]) -> dict[str, StoredVersion]:
        rows = db.execute(
            "SELECT id, owner, key, digest, stamp, title, source, scopes FROM documents "
            f"WHERE owner = ANY({self._owners.seen}) AND id = ANY(%s)",
            (list(map(stored, ids)),),
        )
        return {
            id: StoredVersion(owner, key, bytes(made), given, title, source, tuple(scopes))
            for id, owner, key, made, given, title, source, scopes in rows
        }


def _stamps(known: Mapping[str, StoredVersion]) -> dict[str, str]:
    return {id: one.stamp for id, one in known.items()}


def _waves(actions: Sequence[Action]) -> Iterator[list[Action]]:
    """The actions in their order, cut where a document comes a second time."""
    wave: list[Action] = []
    seen: set[str] = set()
    for action in actions:
        if action.id in seen:
            yield wave
            wave, seen = [], set()
        wave.append(action)
        seen.add(action.id)
    if wave:
        yield wave


class Writing:
    """A transaction whose owners are locked. *logged* is whether what is done becomes history."""

    def __init__(
        self,
        db: Db,
        owners: Owners,
        numbers: dict[str, int],
        terms_of: Callable[[Put, bytes], PreparedPut],
        *,
        logged: bool = True,
    ) -> None:
        self._logged = logged
        self._db = db
        self._owners = owners
        self._numbers = numbers
        self._terms = terms_of
        self._now = time.time()
        self._changed: dict[tuple[int, str], int] = {}
        self._walls: set[tuple[int, str, tuple[str, ...]]] = set()
        self._totals: dict[int, Counter[str]] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COLUMNS}
        self._gone: list[int] = []

    def register(self, change: Register) -> None:
        name, kind, uri, stamp, places = change.source
        self._db.execute(
            "INSERT INTO sources (owner, name, kind, uri, stamp, places, born) "
            "VALUES (%s, %s, %s, %s, %s, %s, nextval('changes')) "
            "ON CONFLICT (owner, name) DO UPDATE SET kind = excluded.kind, "
            "uri = excluded.uri, stamp = excluded.stamp, places = excluded.places",
            (
                self._owners.home(self._db),
                *map(stored, (name, kind, uri, stamp)),
                json.dumps(places),
            ),
        )

    # -------------------------------------------------------------- documents

    def write_all(
        self, actions: Sequence[Action], known: dict[str, StoredVersion], changes: Changes
    ) -> None:
        """All of them, in their order; what is *known* is from before the first."""
        for n, wave in enumerate(_waves(actions)):
            ids = [action.id for action in wave]
            self.write(wave, changes.known(self._db, ids) if n else known)

    def write(self, wave: Sequence[Action], known: dict[str, StoredVersion]) -> None:
        """Actions on documents of which each comes once."""
        self._number = iter(self._take(wave))
        dropped = [known[a.id] for a in wave if a.did in ("changed", "forgotten", "removed")]
        self._walls.update((one.owner, one.source, one.scopes) for one in dropped)
        texts = self._drop(dropped)
        saved: list[tuple[int, int]] = []
        for action in wave:
            if action.forget:
                self._bury(action, known.get(action.id))
            if action.did in ("added", "changed"):
                saved += self._put(action, known.get(action.id), texts)
            elif action.did in ("forgotten", "removed"):
                gone = known[action.id]
                self._log(action, gone.owner, gone.source)
        self._flush()
        vectors.move(self._db, self._gone, saved)
        self._restamp(wave, known)

    def _take(self, wave: Sequence[Action]) -> list[int]:
        """Numbers enough, in order."""
        passages = sum(len(action.put.passages) for action in wave if action.put)
        series = "SELECT nextval('changes') FROM generate_series(1, %s)"
        return sorted(firsts(self._db.execute(series, (2 * len(wave) + passages,))))

    def _put(
        self, action: Action, old: StoredVersion | None, texts: dict[tuple[int, str], int]
    ) -> list[tuple[int, int]]:
        """Rows for a document; and which of its passages have the text of which that are gone."""
        assert action.put is not None
        put, document = action.put, action.put.document
        owner = old.owner if old else self._numbers[document.owner]
        key = old.key if old else key_of(next(self._number), owner)
        found = self._terms(put, action.digest)
        self._rows["documents"].append(_document(owner, key, action.id, document, found))
        self._rows["messages"] += [
            (owner, key, turn, stored(m.role), stored(m.id), micros(m.date))
            for turn, m in enumerate(document.messages)
        ]
        self._rows["handles"] += [(owner, stored(one), key) for one in set(put.handles)]
        same: list[tuple[int, int]] = []
        for p, exact in zip(put.passages, found.exact, strict=True):
            made = key_of(next(self._number), owner)
            self._rows["passages"].append(
                (
                    owner,
                    made,
                    key,
                    p.n,
                    p.turn,
                    stored(p.role),
                    stored(p.heading),
                    stored(p.text),
                    exact,
                    found.named,
                )
            )
            told = stored(indexed_text(document.title, p.heading, p.text))
            before = texts.get((key, told))
            if before is not None:
                same.append((before, made))
        self._count(owner, len(found.exact), found.length, found.title_length)
        self._log(action, owner, stored(document.source))
        scopes = tuple(map(stored, sorted(set(document.scopes))))
        self._walls.add((owner, stored(document.source), scopes))
        return same

    def _count(self, owner: int, passages: int, length: int, title_length: int) -> None:
        more = Counter(passages=passages, length=length, title_length=title_length)
        self._totals.setdefault(owner, Counter()).update(more)

    def _log(self, action: Action, owner: int, source: str) -> None:
        seq = next(self._number)
        self._changed[owner, source] = seq
        if self._logged:
            self._rows["events"].append((owner, seq, action.id, action.did, self._now))

    def _bury(self, action: Action, old: StoredVersion | None) -> None:
        self._db.execute(
            "INSERT INTO tombstones SELECT %(owner)s, %(id)s, %(at)s WHERE NOT EXISTS (SELECT 1 "
            f"FROM tombstones WHERE owner = ANY({self._owners.seen}) AND id = %(id)s)",
            {
                "owner": old.owner if old else self._owners.home(self._db),
                "id": stored(action.id),
                "at": self._now if action.at is None else action.at,
            },
        )

    def _restamp(self, wave: Sequence[Action], known: dict[str, StoredVersion]) -> None:
        new = [
            (known[a.id].owner, known[a.id].key, stored(a.put.document.stamp))
            for a in wave
            if a.did == "unchanged"
            and a.put is not None
            and stored(a.put.document.stamp) != known[a.id].stamp
        ]
        if new:
            self._db.execute(
                "UPDATE documents d SET stamp = n.stamp FROM unnest(%s::int[], %s::bigint[], "
                "%s::text[]) AS n (owner, key, stamp) WHERE d.owner = n.owner AND d.key = n.key",
                list(map(list, zip(*new, strict=True))),
            )

    # -------------------------------------------------------------- what is gone

    def _drop(self, dropped: Sequence[StoredVersion]) -> dict[tuple[int, str], int]:
        """Take out documents; their passages come back by document and text."""
        self._gone = []
        if not dropped:
            return {}
        whose = {one.key: one for one in dropped}
        place = (sorted({one.owner for one in dropped}), list(whose))
        among = "owner = ANY(%s) AND document = ANY(%s)"
        self._db.execute("DELETE FROM documents WHERE owner = ANY(%s) AND key = ANY(%s)", place)
        rows = self._db.execute(
            f"DELETE FROM passages WHERE {among} "
            "RETURNING owner, key, document, heading, text, exact, named",
            place,
        ).fetchall()
        for table in ("messages", "handles"):
            self._db.execute(f"DELETE FROM {table} WHERE {among}", place)
        walled = self._owners.walled
        insert(self._db, walled, "gone", "owner, passage", [(row[0], row[1]) for row in rows])
        self._gone = [row[1] for row in rows]
        texts: dict[tuple[int, str], int] = {}
        for owner, key, document, heading, text, exact, named in rows:
            # Compared as they are stored: title, heading and text alike.
            told = indexed_text(whose[document].title, heading, text)
            texts.setdefault((document, told), key)
            self._count(owner, -1, -len(stems(exact)), -len(stems(named)))
        return texts

    def _flush(self) -> None:
        for table, columns in _COLUMNS.items():
            rows = self._rows[table]
            if rows:
                insert(self._db, self._owners.walled, table, columns, rows)
                rows.clear()

    def finish(self) -> None:
        """What is kept once an owner, in the order of owners."""
        for (owner, source), seq in self._changed.items():
            self._db.execute(
                "INSERT INTO sources (owner, name, kind, uri, stamp, seq, born) "
                "VALUES (%s, %s, 'caller', '', '', %s, nextval('changes')) "
                "ON CONFLICT (owner, name) DO UPDATE SET seq = excluded.seq",
                (owner, source, seq),
            )
        vectors.touch_walls(self._db, sorted(self._walls))
        versions: dict[int, int] = {}
        for (owner, _), seq in self._changed.items():
            versions[owner] = max(seq, versions.get(owner, 0))
        for owner, version in sorted(versions.items()):
            totals = self._totals.get(owner, Counter())
            self._db.execute(
                "UPDATE state SET version = %s, passages = passages + %s, length = length + %s, "
                "title_length = title_length + %s WHERE owner = %s",
                (version, totals["passages"], totals["length"], totals["title_length"], owner),
            )
            self._owners.tell(self._db, owner)


def _document(owner: int, key: int, id: str, d: Document, found: PreparedPut) -> tuple[Any, ...]:
    dates = (m.date for m in reversed(d.messages) if m.date is not None)
    meta = json.dumps(d.meta, ensure_ascii=False) if d.meta else "{}"
    return (
        owner,
        key,
        id,
        stored(d.source),
        stored(d.external),
        stored(d.origin),
        stored(d.kind),
        stored(d.title),
        stored(d.path),
        micros(d.date),
        micros(next(dates, d.date)),
        _array(tuple(sorted(set(d.scopes)))),
        stored(meta),
        stored(d.stamp),
        found.digest,
        stored(fold(d.source)),
        stored(fold(d.kind)),
        stored(folded_path(d.path)),
        _labels(d, "issue"),
        _labels(d, "event"),
    )


def _labels(document: Document, name: str) -> str:
    return _array(tuple(fold(label_of(document, name)).split("\n")))


@lru_cache(maxsize=4096)
def _array(texts: tuple[str, ...]) -> str:
    """An array as it is written in SQL; there are few different ones."""
    quoted = (stored(text).replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"
