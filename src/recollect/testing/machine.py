"""Random sequences of operations on an engine and on the dict engine, compared at every step.

def test_my_engine_agrees() -> None:
    run_machine(reopen)
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from recollect.nouns import ChangeSet, Document, Filter, Forget, Put, Remove, TextQuery, View
from recollect.ports import StorageEngine
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import (
    actions,
    any_of,
    dump_items,
    hit_ids,
    ids,
    note,
    pending_keys,
    phrase,
    put,
    puts,
    session,
)
from recollect.testing.moving import items
from recollect.text.chunk import passages

MODEL = "machine@1"
_WORDS = ("otter", "kelp", "boat", "tide", "rope")
_NAMES = st.sampled_from(("a", "b", "c", "d"))
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
_OWNERS = st.sampled_from(("ana", "ben"))
_SCOPES = st.lists(st.sampled_from(("work", "home")), min_size=1, unique=True).map(
    lambda s: tuple(sorted(s))
)
_DATES = st.none() | st.integers(0, 3).map(lambda n: datetime(2026, 1, 1 + n, tzinfo=UTC))
_DOCUMENTS: st.SearchStrategy[Document] = st.builds(
    lambda name, text, owner, scopes, date, title, talk: (
        session(name, ("user", text), ("assistant", title), owner=owner, scopes=scopes, date=date)
        if talk
        else note(
            name,
            text,
            owner=owner,
            scopes=scopes,
            date=date,
            title=title,
            path=f"p/{name}",
            meta={"issue": len(text) % 3},
        )
    ),
    _NAMES,
    _TEXTS,
    _OWNERS,
    _SCOPES,
    _DATES,
    _TEXTS,
    st.booleans(),
)
_FILTERS = st.builds(
    Filter,
    owner=st.none() | _OWNERS,
    scopes=st.none() | st.just(()) | _SCOPES,
    kinds=st.none() | st.just(("note",)),
    paths=st.none() | st.just(("a",)) | st.just(("p",)),
    roles=st.none() | st.just(("user",)),
    issues=st.none() | st.just(("0", "2")),
    since=_DATES,
    until=_DATES,
    sources=st.none(),
    within=st.none() | st.just(View()),
)
_QUERIES = st.builds(
    lambda some, strict, must, never: any_of(
        *some,
        strict=strict,
        must=(phrase(*must),) if must else (),
        never=any_of(never).any if never else (),
    ),
    st.lists(st.sampled_from(("otter", "kelp", "boat", "tide", "rope")), min_size=1, unique=True),
    st.booleans(),
    st.just(()) | st.tuples(st.sampled_from(_WORDS), st.sampled_from(_WORDS)),
    st.none() | st.sampled_from(("otter", "kelp")),
)


def _vector(seed: int) -> Any:
    vector = np.random.default_rng(seed).normal(size=16).astype(np.float32)
    return vector / np.linalg.norm(vector)


class StoreMachine(RuleBasedStateMachine):
    """The two stores must agree on everything that can be seen of them."""

    reopen: Callable[[StorageEngine | None], StorageEngine]
    """Closes a store and opens it again; given None, makes a new one."""
    faults: Callable[[StorageEngine], list[object]]
    """What a full check of the store has to say."""

    def __init__(self) -> None:
        super().__init__()
        self.model: StorageEngine = PlainStore()
        self.store: StorageEngine = type(self).reopen(None)

    def teardown(self) -> None:
        self.store.close()

    @rule(document=_DOCUMENTS, handles=st.sets(st.sampled_from(_WORDS)))
    def put_with_handles(self, document: Document, handles: set[str]) -> None:
        change = ChangeSet((Put(document, passages(document), tuple(handles)),))
        assert self.store.apply(change) == self.model.apply(change)

    @rule(handles=st.sets(st.sampled_from(_WORDS)))
    def held(self, handles: set[str]) -> None:
        assert self.store.by_handle(handles) == self.model.by_handle(handles)

    @rule(documents=st.lists(_DOCUMENTS, min_size=1, max_size=4))
    def put(self, documents: list[Document]) -> None:
        assert put(self.store, *documents) == put(self.model, *documents)

    @rule(document=_DOCUMENTS)
    def forget(self, document: Document) -> None:
        change = ChangeSet((Forget(document.id),))
        assert self.store.apply(change) == self.model.apply(change)

    @rule(document=_DOCUMENTS)
    def remove(self, document: Document) -> None:
        change = ChangeSet((Remove(document.id),))
        assert self.store.apply(change) == self.model.apply(change)

    @rule(documents=st.lists(_DOCUMENTS, min_size=1, max_size=3))
    def try_out(self, documents: list[Document]) -> None:
        change = puts(*documents)
        told = self.store.apply(change, dry_run=True)
        assert told == self.model.apply(change, dry_run=True)

    @rule(limit=st.integers(1, 6))
    def embed(self, limit: int) -> None:
        for store in (self.store, self.model):
            waiting = pending_keys(store, MODEL, limit)
            names = ids(store, waiting)
            if waiting:
                seeds = [sum(name.encode()) for name in names]
                vectors = np.array([_vector(seed) for seed in seeds])
                signs = [bytes([seed % 256]) * 16 * (seed % 3) for seed in seeds]
                store.put_vectors(MODEL, waiting, vectors, signs)

    @rule()
    def close_and_open(self) -> None:
        self.store = type(self).reopen(self.store)

    @rule(rebuild=st.booleans())
    def refresh(self, rebuild: bool) -> None:
        self.store.admin.refresh(rebuild=rebuild)

    @rule()
    def move(self) -> None:
        """Dumps each store into a new one, which takes its place. (Both, for the order in which
        passages wait for vectors goes by their numbers, and those are new.)"""
        assert items(self.store, times=False) == items(self.model, times=False)
        model = PlainStore()
        model.admin.load(dump_items(self.model))
        assert items(model) == items(self.model)
        self.model = model
        fresh = type(self).reopen(None)
        fresh.admin.load(dump_items(self.store))
        assert items(fresh) == items(self.store)
        self.store.close()
        self.store = fresh

    @rule(full=st.booleans())
    def look_over(self, full: bool) -> None:
        assert self.store.admin.check(full=full).findings == ()

    @rule(query=_QUERIES, filter=_FILTERS)
    def search_text(self, query: TextQuery, filter: Filter) -> None:
        ours = self.store.search_text([query], filter, limit=100, count=True)[0]
        wanted = self.model.search_text([query], filter, limit=100, count=True)[0]
        assert len(ours.hits) == len(wanted.hits)
        assert self._names(self.store, ours.hits) == self._names(self.model, wanted.hits)
        assert ours.total == wanted.total

    @rule(seed=st.integers(0, 5), filter=_FILTERS)
    def search_vector(self, seed: int, filter: Filter) -> None:
        ours = self.store.search_vector(MODEL, _vector(seed), filter, limit=100).hits
        wanted = self.model.search_vector(MODEL, _vector(seed), filter, limit=100).hits
        assert self._names(self.store, ours) == self._names(self.model, wanted)

    @rule(filter=_FILTERS, limit=st.integers(1, 5))
    def scan(self, filter: Filter, limit: int) -> None:
        dated = self.store.scan(filter, limit=limit, dated=True)
        assert dated == self.model.scan(filter, limit=limit, dated=True)
        ours = self.store.scan(filter, limit=limit)
        wanted = self.model.scan(filter, limit=limit)
        assert ours.items == wanted.items
        assert self.store.sessions.recent(filter, limit=limit) == self.model.sessions.recent(
            filter, limit=limit
        )
        assert bool(ours.cursor) == bool(wanted.cursor)

    @rule(name=_NAMES)
    def get(self, name: str) -> None:
        ours, wanted = self.store.get(name), self.model.get(name)
        assert ours == wanted
        found = self.store.get(name, Filter(owner="ana"), body=False)
        assert found == self.model.get(name, Filter(owner="ana"), body=False)
        for document in ours:
            turns = self.store.sessions.turns(document.id, start=1, count=-2)
            assert turns == self.model.sessions.turns(document.id, start=1, count=-2)
            assert self.store.sessions.tally(document.id) == self.model.sessions.tally(document.id)
            told = actions(self.model.history(document.id))
            assert actions(self.store.history(document.id)) == told

    @invariant()
    def the_counts_agree(self) -> None:
        ours, wanted = self.store.stats(), self.model.stats()
        assert (ours.documents, ours.passages, ours.kinds, ours.tombstones) == (
            wanted.documents,
            wanted.passages,
            wanted.kinds,
            wanted.tombstones,
        )
        assert self.store.admin.models() == self.model.admin.models()

    @rule()
    def check(self) -> None:
        assert type(self).faults(self.store) == []

    @staticmethod
    def _names(store: StorageEngine, hits: Any) -> list[str]:
        return sorted(hit_ids(store, hits))


def _unchecked(_: StorageEngine) -> list[object]:
    return []


def run_machine(
    reopen: Callable[[StorageEngine | None], StorageEngine],
    *,
    examples: int = 40,
    faults: Callable[[StorageEngine], list[object]] = _unchecked,
) -> None:
    """Run the machine on the engine that *reopen* makes; raises where the two disagree, and where
    a full check of the engine, if it has one, finds *faults*."""
    parts = {"reopen": staticmethod(reopen), "faults": staticmethod(faults)}
    machine = type("Machine", (StoreMachine,), parts)
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=30, deadline=None)
    )
