"""What every store must do when all of it is taken out, put elsewhere, and looked over: a part of
:class:`recollect.testing.contract.StoreContract`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from recollect.errors import UsageError
from recollect.nouns import (
    ChangeSet,
    Filter,
    Forget,
    Place,
    Put,
    Recorded,
    Register,
    Source,
    of_type,
)
from recollect.ports import History, Item, LoadReport, StorageEngine, Tombstone, WholeDocument
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import (
    actions,
    any_of,
    dump_items,
    found,
    note,
    pending_keys,
    put,
    session,
)
from recollect.text.chunk import passages

MODEL = "contract@1"


def items(store: StorageEngine, *, times: bool = True, vectors: bool = True) -> list[Item]:
    """All of a store, without the numbers that are its own; also without times, if those of two
    stores cannot be the same."""
    return [_plain(item, times) for item in dump_items(store, vectors=vectors)]


def _plain(item: Item, times: bool) -> Item:
    never = datetime(2000, 1, 1, tzinfo=UTC)
    if isinstance(item, History):
        events = (event._replace(seq=0) for event in item.events)
        return History(item.id, tuple(e if times else e._replace(at=never) for e in events))
    if isinstance(item, Tombstone) and not times:
        return item._replace(at=never)
    return item


def _signs(store: StorageEngine) -> list[bytes]:
    """The signs of the sentences of all passages of a store."""
    every = store.search_vector(MODEL, np.ones(8, np.float32), Filter(), limit=100).hits
    return list(store.sentences(MODEL, [hit.passage for hit in every]).values())


def fill(store: StorageEngine) -> None:
    """A little of everything."""
    place = Place("file:///notes", redact=False)
    store.apply(ChangeSet((Register(Source("vault", "folder", "file:///notes", "s1", (place,))),)))
    text = "# Über\r\n\r\nline \x00 東京 🎉\n" * 200
    date = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
    rich = note(
        "a.md",
        text,
        source="vault",
        title="T",
        path="a.md",
        date=date,
        owner="ana",
        scopes=("home", "work"),
        meta={"k": [1, {"x": None}]},
        stamp="17:4",
    )
    store.apply(ChangeSet((Put(rich, passages(rich), ("ana/!is otter", "ana/tide")),)))
    put(store, session("s", ("user", "hi"), ("assistant", ""), ("tool", "long " * 900)))
    put(store, note("edited", "before"))
    put(store, note("edited", "after"))
    put(store, note("gone", "secret"), note("empty"))
    store.apply(ChangeSet((Forget(note("gone").id),)))
    waiting = pending_keys(store, MODEL, 3)
    vectors = np.random.default_rng(1).normal(size=(len(waiting), 8)).astype(np.float32)
    store.put_vectors(MODEL, waiting, vectors, [b"", b"\x00\x80" * 8, b"\xaa" * 48])
    store.answers.keep(
        Recorded(
            "r1", "who?", "Otto.", "f" * 32, date, ("a.md",), "ana", 0.7, True, "sp", ("vault",)
        )
    )


def copied(store: StorageEngine, *more: Iterable[Item]) -> PlainStore:
    other = PlainStore()
    other.admin.load(dump_items(store))
    for some in more:
        other.admin.load(some)
    return other


class MovingContract:
    def test_what_is_dumped_and_loaded_is_the_same_store(self, store: StorageEngine) -> None:
        fill(store)
        other = copied(store)
        assert items(other) == items(store)
        assert other.scan(Filter(), limit=50).items == store.scan(Filter(), limit=50).items
        assert other.admin.models() == store.admin.models()
        theirs, ours = other.stats(), store.stats()
        assert (theirs.documents, theirs.passages, theirs.kinds, theirs.tombstones) == (
            ours.documents,
            ours.passages,
            ours.kinds,
            ours.tombstones,
        )

    def test_a_store_is_loaded_from_another(self, store: StorageEngine) -> None:
        other = PlainStore()
        fill(other)
        done = store.admin.load(dump_items(other))
        assert items(store) == items(other)
        assert (done.documents, done.tombstones, done.answers, done.vectors) == (4, 1, 1, 3)
        assert done.events == 7
        assert found(store, any_of("after")) == ["edited"]
        assert store.search_vector(MODEL, np.ones(8, np.float32), Filter(), limit=5).vectors == 3
        assert sorted(_signs(store)) == sorted(_signs(other)) == [b"\x00\x80" * 8, b"\xaa" * 48]
        assert store.admin.check(full=True).findings == ()

    def test_loading_again_changes_nothing(self, store: StorageEngine) -> None:
        fill(store)
        before, print_before = items(store), store.fingerprint(Filter())
        done = store.admin.load(list(dump_items(store)))
        assert done == LoadReport(unchanged=4)
        assert items(store) == before
        assert store.fingerprint(Filter()) == print_before

    def test_the_same_event_twice_in_one_moment_stays_twice(self, store: StorageEngine) -> None:
        one, other = note("a", "one"), note("a", "other")
        both = Put(one, passages(one)), Put(other, passages(other)), Put(one, passages(one))
        store.apply(ChangeSet((Put(note("a"), passages(note("a"))), *both)))
        assert actions(copied(store).history(one.id)) == ["added", *["changed"] * 3]

    def test_a_dump_goes_on_behind_each_of_its_cursors(self, store: StorageEngine) -> None:
        fill(store)
        whole = list(store.admin.dump())
        for n, one in enumerate(whole):
            assert list(store.admin.dump(after=one.cursor)) == whole[n + 1 :]

    def test_a_cursor_that_is_none_is_refused(self, store: StorageEngine) -> None:
        with pytest.raises(UsageError, match="not a cursor"):
            list(store.admin.dump(after="x:nowhere"))

    def test_a_dump_is_of_one_moment(self, store: StorageEngine) -> None:
        fill(store)
        before = items(store)
        going = store.admin.dump()
        first = next(going).item
        put(store, note("later", "new"), note("edited", "once more"))
        store.apply(ChangeSet((Forget(note("empty").id),)))
        assert [first, *(_plain(one.item, True) for one in going)] == before

    def test_a_dump_may_leave_the_vectors_out(self, store: StorageEngine) -> None:
        fill(store)
        whole = of_type(items(store, vectors=False), WholeDocument)
        assert len(whole) == 4
        assert not any(item.vectors or item.sentences for item in whole)

    def test_what_is_here_stays_unless_it_is_to_be_replaced(self, store: StorageEngine) -> None:
        other = PlainStore()
        put(other, note("a", "theirs"), note("b", "gone there"))
        other.apply(ChangeSet((Forget(note("b").id),)))
        put(store, note("a", "ours"), note("b", "here"))
        done = store.admin.load(dump_items(other))
        assert (done.documents, done.different) == (0, 2)
        assert [store.get(name)[0].text for name in "ab"] == ["ours", "here"]
        done = store.admin.load(dump_items(other), replace=True)
        assert (done.documents, done.tombstones, done.different) == (1, 1, 0)
        assert store.get("a")[0].text == "theirs"
        assert store.get("b") == []
        assert found(store, any_of("here")) == []

    def test_what_was_forgotten_here_is_not_brought_back(self, store: StorageEngine) -> None:
        other = PlainStore()
        put(other, note("a", "secret"))
        put(store, note("a", "secret"))
        store.apply(ChangeSet((Forget(note("a").id),)))
        for replace in (False, True):
            done = store.admin.load(dump_items(other), replace=replace)
            assert (done.documents, done.forgotten) == (0, 1)
            assert found(store, any_of("secret")) == []

    def test_a_load_that_fails_has_changed_nothing(self, store: StorageEngine) -> None:
        fill(store)
        before = items(store)
        bad = WholeDocument(Put(note("bad", "text"), ()))
        with pytest.raises(UsageError):
            store.admin.load([Source("new"), WholeDocument(_cut("new", "text")), bad])
        assert items(store) == before

    def test_vectors_that_are_missing_are_added(self, store: StorageEngine) -> None:
        fill(store)
        other = PlainStore()
        other.admin.load(dump_items(store, vectors=False))
        done = other.admin.load(dump_items(store))
        assert (done.vectors, done.documents, done.unchanged) == (3, 0, 4)
        assert items(other) == items(store)

    def test_a_store_that_was_used_is_sound(self, store: StorageEngine) -> None:
        assert store.admin.check(full=True).findings == ()
        fill(store)
        store.admin.refresh()
        put(store, note("fresh", "not in an index yet"))
        for full in (False, True):
            seen = store.admin.check(full=full)
            assert seen.findings == ()
        assert seen.documents == store.stats().documents
        assert all(share > 0.95 for share in seen.recall.values())
        assert seen.last_write is not None


def _cut(name: str, text: str, **fields: Any) -> Put:
    document = note(name, text, **fields)
    return Put(document, passages(document))
