"""What every store must do. An engine inherits this suite and gives it a ``store`` fixture:

    class TestMyEngine(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            ...

Each test is a promise of :class:`recollect.ports.Store`.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from math import isclose
from typing import Any

import numpy as np

from recollect.errors import StoreChanged, UsageError
from recollect.nouns import (
    GONE,
    ChangeSet,
    Document,
    DropAnswers,
    Expect,
    Filter,
    Forget,
    Message,
    Passage,
    Place,
    Put,
    Recorded,
    Register,
    Remove,
    Source,
    TextQuery,
)
from recollect.ports import StorageEngine
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import (
    actions,
    any_of,
    externals,
    found,
    hit_documents,
    hit_ids,
    ids,
    note,
    pending_keys,
    phrase,
    prefix,
    put,
    puts,
    session,
)
from recollect.testing.moving import MODEL as MODEL
from recollect.testing.moving import MovingContract
from recollect.text.chunk import passages

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def unit(*numbers: float) -> Any:
    vector = np.zeros(8, np.float32)
    vector[: len(numbers)] = numbers
    return vector / np.linalg.norm(vector)


def embed_all(store: StorageEngine, vectors: dict[str, Any]) -> None:
    """Give each pending passage the vector listed for its document."""
    waiting = pending_keys(store, MODEL, 1000)
    names = (name.rpartition(":")[0] for name in ids(store, waiting))
    given = {key: vectors[n] for key, n in zip(waiting, names, strict=True) if n in vectors}
    if given:
        store.put_vectors(MODEL, [*given], np.array([*given.values()]))


def nearest(
    store: StorageEngine, vector: Any, filter: Filter | None = None, limit: int = 10
) -> list[str]:
    hits = store.search_vector(MODEL, vector, filter or Filter(), limit=limit).hits
    return hit_documents(store, hits)


class StoreContract(MovingContract):
    # -------------------------------------------------------------- writing

    def test_a_new_store_is_empty_and_answers(self, store: StorageEngine) -> None:
        assert store.stats().documents == 0
        assert store.scan(Filter(), limit=10).items == ()
        assert found(store, any_of("word")) == []
        assert store.search_vector(MODEL, unit(1), Filter(), limit=5).hits == []
        assert store.pending(MODEL, limit=5) == []

    def test_what_is_stored_comes_back_whole(self, store: StorageEngine) -> None:
        text = "# Über\r\n\r\nline\ttwo \x00 東京 🎉\n" * 200
        document = note(
            "a/b.md",
            text,
            title="T",
            path="a/b.md",
            date=MARCH,
            owner="ana",
            scopes=("home", "work"),
            meta={"k": [1, {"x": None}]},
            stamp="s1",
        )
        receipt = put(store, document)
        assert receipt.added == 1
        assert store.get(document.id) == [document]
        assert store.get("a/b.md") == [document]

    def test_a_session_comes_back_turn_by_turn(self, store: StorageEngine) -> None:
        turns = [("user", "hi"), ("assistant", ""), ("user", "long " * 1500), ("tool", "x")]
        document = session("s1", *turns, title="A session")
        put(store, document)
        (back,) = store.get("s1")
        assert [(m.role, m.text) for m in back.messages] == turns

    def test_storing_the_same_again_changes_nothing(self, store: StorageEngine) -> None:
        put(store, note("a", "one"))
        before, print_before = store.stats(), store.fingerprint(Filter())
        receipt = put(store, note("a", "one", stamp="touched"))
        assert (receipt.unchanged, receipt.added, receipt.changed) == (1, 0, 0)
        assert store.stats().seq == before.seq
        assert store.fingerprint(Filter()) == print_before
        assert store.get("a")[0].stamp == "touched"

    def test_an_edit_replaces_the_old_text(self, store: StorageEngine) -> None:
        put(store, note("a", "the old wording"))
        assert put(store, note("a", "the new wording")).changed == 1
        assert found(store, any_of("old")) == []
        assert found(store, any_of("new")) == ["a"]
        assert store.stats().documents == 1

    def test_changing_only_a_label_is_seen_by_filters(self, store: StorageEngine) -> None:
        put(store, note("a", "harbour", scopes=("work",)))
        put(store, note("a", "harbour", scopes=("home",)))
        assert found(store, any_of("harbour"), Filter(scopes=("work",))) == []
        assert found(store, any_of("harbour"), Filter(scopes=("home",))) == ["a"]

    def test_forgetting_is_final(self, store: StorageEngine) -> None:
        document = note("a", "secret")
        put(store, document, note("b", "other"))
        assert store.apply(ChangeSet((Forget(document.id),))).forgotten == 1
        assert store.get("a") == []
        assert found(store, any_of("secret")) == []
        again = put(store, document)
        assert (again.tombstoned, again.added) == (1, 0)
        assert store.get("a") == []
        assert store.stats().tombstones == 1

    def test_answers_go_with_what_they_are_from(self, store: StorageEngine) -> None:
        put(store, note("a", "secret"))
        for name in ("one", "two"):
            given = Recorded(name, "what?", "secret", "f" * 32, datetime.now(UTC))
            store.answers.keep(given)
        both = ChangeSet((Expect(note("a").id, "another"), DropAnswers(("one",))))
        with suppress(StoreChanged):
            store.apply(both)
        assert len(store.answers.find(limit=9)) == 2
        done = store.apply(ChangeSet((Forget(note("a").id), DropAnswers(("one", "gone")))))
        assert (done.forgotten, store.get("a")) == (1, [])
        assert [one.id for one in store.answers.find(limit=9)] == ["two"]

    def test_what_is_removed_may_come_back(self, store: StorageEngine) -> None:
        document = note("a", "harbour")
        put(store, document, note("b", "other"))
        assert store.apply(ChangeSet((Remove(document.id),))).removed == 1
        assert store.get("a") == []
        assert found(store, any_of("harbour")) == []
        assert store.apply(ChangeSet((Remove(document.id),))).removed == 0
        assert put(store, document).added == 1
        assert found(store, any_of("harbour")) == ["a"]
        assert actions(store.history(document.id)) == ["added", "removed", "added"]

    def test_a_dry_run_tells_and_does_nothing(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"))
        before, print_before = store.stats(), store.fingerprint(Filter())
        documents = (note("a", "one"), note("b", "changed"), note("c", "new", owner="ana"))
        new = puts(*documents).changes
        changes = ChangeSet((*new, Forget(note("a").id), Register(Source("s", "folder"))))
        told = store.apply(changes, dry_run=True)
        assert (told.unchanged, told.changed, told.added, told.forgotten) == (1, 1, 1, 1)
        assert store.stats() == before
        assert store.fingerprint(Filter()) == print_before
        assert found(store, any_of("changed")) == []
        assert store.apply(changes) == told

    def test_a_document_is_found_under_its_handles(self, store: StorageEngine) -> None:
        one, other = note("one", "otters"), note("other", "kelp")
        store.apply(
            ChangeSet(
                (
                    Put(one, passages(one), ("river", "wet")),
                    Put(other, passages(other), ("wet",)),
                )
            )
        )
        assert [(h.handle, h.document) for h in store.by_handle(["wet", "river", "dry"])] == [
            ("river", one),
            ("wet", one),
            ("wet", other),
        ]
        store.apply(ChangeSet((Put(one, passages(one), ("river",)), Forget(other.id))))
        assert store.by_handle(["wet"]) == []
        assert [h.document.external for h in store.by_handle(["river"])] == ["one"]
        assert store.by_handle([]) == []
        many = [f"handle {n}" for n in range(3000)]
        assert [h.handle for h in store.by_handle([*many, "river"])] == ["river"]

    def test_what_is_expected_must_still_be_so(self, store: StorageEngine) -> None:
        old = note("one", "otters", stamp="1")
        new = note("one", "kelp", stamp="2")
        store.apply(ChangeSet((Expect(old.id, None), Put(old, passages(old)))))
        for stale in (None, "0"):
            try:
                store.apply(ChangeSet((Put(new, passages(new)), Expect(old.id, stale))))
            except StoreChanged:
                pass
            else:
                raise AssertionError("a change of another version was accepted")
        assert store.get("one")[0].text == "otters"
        store.apply(ChangeSet((Expect(old.id, "1"), Put(new, passages(new)))))
        assert store.get("one")[0].text == "kelp"

    def test_messages_know_who_holds_them(self, store: StorageEngine) -> None:
        first, second = session("s1", ("user", "x")), session("s2", ("user", "y"))
        first = first._replace(messages=(Message("user", "x", "m1"), Message("user", "y", "m2")))
        second = second._replace(messages=(Message("user", "y", "m2"), Message("user", "z", "m3")))
        put(store, first)
        put(store, second)
        held = store.sessions.holders(["m1", "m2", "m3", "m4", ""])
        assert held == {
            "m1": [(first.id, 0)],
            "m2": [(first.id, 1), (second.id, 0)],
            "m3": [(second.id, 1)],
        }
        held = store.sessions.holders(["m1", "m2"], within=second.id)
        assert held == {"m2": [(second.id, 0)]}
        assert store.sessions.holders(["m1"], within="nothing") == {}

    # -------------------------------------------------------------- sessions

    def talk(self, store: StorageEngine) -> Document:
        """Fourteen turns: the user, three tools with long outputs and one without any, an answer
        in several passages, …"""
        turns: list[tuple[str, str]] = []
        for n in range(2):
            turns.append(("user", f"question {n}"))
            turns += [("tool", f"output {n}.{i} " * 400) for i in range(3)]
            turns += [("tool", ""), ("assistant", f"answer {n} " * 500), ("user", "")]
        document = session("talk", *turns)
        put(store, session("before", ("user", "x")), document, session("after", ("user", "x")))
        return document

    def test_turns_are_read_without_the_rest_of_the_session(self, store: StorageEngine) -> None:
        document = self.talk(store)
        every = list(enumerate(document.messages))
        assert store.sessions.turns(document.id, start=0, count=100) == every
        assert store.sessions.turns(document.id, start=5, count=3) == every[5:8]
        assert store.sessions.turns(document.id, start=5, count=-3) == every[3:6]
        assert store.sessions.turns(document.id, start=10**9, count=-2) == every[-2:]
        assert store.sessions.turns(document.id, start=-5, count=2) == every[:2]
        for start, count in ((14, 9), (-1, -9), (3, 0)):
            assert store.sessions.turns(document.id, start=start, count=count) == []
        assert store.sessions.turns("nothing", start=0, count=5) == []

    def test_turns_of_a_role_are_found_behind_any_number_of_others(
        self, store: StorageEngine
    ) -> None:
        document = self.talk(store)
        spoken = [(n, m) for n, m in enumerate(document.messages) if m.role != "tool"]
        roles = ("user", "assistant")
        assert store.sessions.turns(document.id, start=1, count=3, roles=roles) == spoken[1:4]
        assert store.sessions.turns(document.id, start=11, count=-4, roles=roles) == spoken[:4]
        assert store.sessions.turns(document.id, start=0, count=99, roles=()) == []

    def test_turns_are_tallied_by_role(self, store: StorageEngine) -> None:
        document = self.talk(store)
        assert store.sessions.tally(document.id) == {"user": 4, "tool": 8, "assistant": 2}
        assert store.sessions.tally(document.id, first=1, last=5) == {"tool": 4, "assistant": 1}
        assert store.sessions.tally(document.id, first=9, last=3) == {}
        assert store.sessions.tally("nothing") == {}

    def test_documents_are_found_by_name_under_a_filter_without_bodies(
        self, store: StorageEngine
    ) -> None:
        mine, yours = (session("s", ("user", "x"), owner=owner) for owner in ("me", "you"))
        put(store, mine, yours)
        bare = [d._replace(messages=()) for d in (yours, mine)]
        assert store.get("s", Filter(), body=False) == bare
        assert store.get("s", Filter(owner="me"), body=False) == bare[1:]
        assert store.get(yours.id, Filter(), body=False) == bare[:1]
        assert store.get(yours.id, Filter(owner="me"), body=False) == []
        assert store.get("s", Filter(kinds=("note",)), body=False) == []
        assert store.get("nothing", Filter(), body=False) == []

    def test_recent_sessions_come_by_their_last_message_and_in_outline(
        self, store: StorageEngine
    ) -> None:
        def at(day: int) -> datetime:
            return datetime(2026, 5, day, tzinfo=UTC)

        def dated(name: str, began: int | None, *days: int | None) -> Document:
            messages = tuple(
                Message(role, f"{role} {name} {n} " * 300, date=None if day is None else at(day))
                for n, (role, day) in enumerate(zip(("user", "assistant") * 2, days, strict=False))
            )
            date = None if began is None else at(began)
            return Document(name, "tests", messages=messages, kind="session", date=date)

        resumed, single = dated("resumed", 1, 1, 9, None), dated("single", 5, 5, 6)
        undated, bare = dated("undated", None, None), dated("bare", 7)
        put(store, undated, resumed, single, bare, note("note", "words", date=at(8)))
        recent = store.sessions.recent(Filter(kinds=("session",)), limit=9)
        assert [o.document.external for o in recent] == ["resumed", "bare", "single", "undated"]
        first = recent[0]
        assert first.document == resumed._replace(messages=())
        assert (first.messages, first.last) == (3, at(9))
        assert first.goal == resumed.messages[0].text[: len(first.goal)] != ""
        assert first.resolution == resumed.messages[1].text[: len(first.resolution)] != ""
        assert max(len(first.goal), len(first.resolution)) < 1000
        assert recent[3].last is None
        assert (recent[1].goal, recent[1].resolution) == ("", "")
        assert store.sessions.recent(Filter(kinds=("session",)), limit=2) == recent[:2]
        assert store.sessions.recent(Filter(kinds=()), limit=2) == []

    def test_forgetting_does_not_touch_another_owner(self, store: StorageEngine) -> None:
        mine, theirs = note("a", "shared words", owner="me"), note("a", "shared words", owner="you")
        put(store, mine, theirs)
        store.apply(ChangeSet((Forget(mine.id),)))
        assert [d.owner for d in store.get("a")] == ["you"]
        assert found(store, any_of("share"), Filter(owner="me")) == []

    def test_a_change_set_is_applied_whole_or_not_at_all(self, store: StorageEngine) -> None:
        bad = Put(note("b", "text"), (Passage(0, "other text"),))
        good = Put(note("a", "fine"), (Passage(0, "fine"),))
        for change in (
            bad,
            Put(note("", "x"), (Passage(0, "x"),)),
            Put(note("c", "x", scopes=()), (Passage(0, "x"),)),
        ):
            try:
                store.apply(ChangeSet((good, change)))
            except UsageError:
                pass
            else:
                raise AssertionError("a document that cannot be given back was accepted")
        assert store.stats().documents == 0

    def test_the_same_id_in_two_sources_is_two_documents(self, store: StorageEngine) -> None:
        put(store, note("1", "from one", source="one"), note("1", "from two", source="two"))
        assert {d.source for d in store.get("1")} == {"one", "two"}

    def test_a_source_keeps_its_stamp_and_its_places(self, store: StorageEngine) -> None:
        places = (Place("file:///x"), Place("file:///ü", redact=False, history=False))
        store.apply(ChangeSet((Register(Source("s", "folder", "file:///x", "v1")),)))
        store.apply(ChangeSet((Register(Source("s", "folder", "file:///x", "v2", places)),)))
        (source,) = store.stats().sources
        assert (source.name, source.uri, source.stamp) == ("s", "file:///x", "v2")
        assert source.places == places

    def test_stamps_tell_all_of_one_source_and_nothing_of_another(
        self, store: StorageEngine
    ) -> None:
        first = note("a", "one", stamp="s1", scopes=("work", "home"), path="p/a")
        put(store, first, note("b", "two", source="T"), note("b", "three", owner="you"))
        put(store, note("a", "one", stamp="s2", scopes=("work", "home"), path="p/a"))
        newest, oldest = store.admin.stamps(first.source)
        assert (newest.external, newest.owner) == ("b", "you")
        assert oldest.id == first.id
        assert oldest == ("a", first.source, "p/a", "", "s2", first.owner, ("home", "work"))
        assert store.admin.stamps("nothing") == store.admin.stamps(first.source.upper()) == []

    def test_a_document_that_its_source_no_longer_has_is_told_and_is_another_version(
        self, store: StorageEngine
    ) -> None:
        there = note("a", "one", stamp="s1")
        put(store, there, note("b", "two", stamp="s1"))
        before = store.fingerprint(Filter())
        put(store, there._replace(stamp=f"s1{GONE}"))
        assert [one.external for one in store.admin.stamps(there.source, gone=True)] == ["a"]
        assert len(store.admin.stamps(there.source)) == 2
        assert [d.gone for name in ("a", "b") for d in store.get(name)] == [True, False]
        assert store.fingerprint(Filter()) != before
        assert store.admin.check(full=True).findings == ()
        put(store, there)
        assert store.admin.stamps(there.source, gone=True) == []

    def test_hostile_texts_are_values_in_every_call(self, store: StorageEngine) -> None:
        evil = "x'); DROP TABLE documents; -- \" %s %(x)s {0} ?1 :a $1 \\"
        fields: dict[str, Any] = {
            "source": evil,
            "owner": evil,
            "scopes": (evil,),
            "kind": evil,
            "path": evil,
        }
        document = note(evil, evil, title=evil, stamp=evil, meta={"issue": evil}, **fields)
        talk = Document(
            "talk", messages=(Message(evil, evil, evil),), meta={"issue": evil}, **fields
        )
        store.apply(ChangeSet((Put(document, passages(document), (evil,)),)))
        put(store, talk)
        narrow = Filter(evil, (evil,), (evil,), (evil,), (evil,), (evil,), (evil,))
        assert store.get(evil, narrow) == store.get(document.id) == [document]
        assert [match.document for match in store.by_handle([evil])] == [document]
        assert externals(store.scan(narrow, limit=9).items) == ["talk", evil]
        queries = [any_of(evil), TextQuery(must=(phrase(evil, evil),)), TextQuery((prefix(evil),))]
        for filter in (narrow, Filter(events=(evil,))):
            assert [one.hits for one in store.search_text(queries, filter, limit=9)] == [[]] * 3
        keys = pending_keys(store, evil, 9)
        assert store.matched([evil], keys) == {key: set() for key in keys}
        assert store.put_vectors(evil, keys, np.array([unit(1)] * len(keys))) == len(keys)
        assert len(store.search_vector(evil, unit(1), narrow, limit=9).hits) == 2
        assert store.fingerprint(narrow) != store.fingerprint(Filter(sources=()))
        assert store.passages([evil, f"{evil}:0"]) == []
        assert store.history(evil) == []
        assert store.sessions.holders([evil], within=talk.id) == {evil: [(talk.id, 0)]}
        assert store.sessions.turns(talk.id, start=0, count=1, roles=(evil,))[0].message.id == evil
        assert store.sessions.tally(evil) == {}
        assert len(store.sessions.recent(narrow, limit=9)) == 2
        answer = Recorded(evil, evil, evil, evil, MARCH, (evil,), evil, 0.5, True, evil, (evil,))
        store.answers.keep(answer)
        assert store.answers.find(fingerprint=evil, space=evil, limit=9) == [answer]
        assert store.answers.drop([evil]) == 1
        assert len(store.admin.stamps(evil)) == 2
        assert store.admin.drop_vectors(evil) == len(keys)
        assert store.stats().documents == 2

    # -------------------------------------------------------------- history and state

    def test_history_outlives_the_document(self, store: StorageEngine) -> None:
        document = note("a", "one")
        put(store, document)
        put(store, note("a", "two"))
        store.apply(ChangeSet((Forget(document.id),)))
        events = store.history(document.id)
        assert actions(events) == ["added", "changed", "forgotten"]
        assert [e.seq for e in events] == sorted(e.seq for e in events)

    def test_recorded_answers_come_back_newest_first_and_change_no_state(
        self, store: StorageEngine
    ) -> None:
        put(store, note("a", "one"))
        before = store.fingerprint(Filter())
        older = Recorded(
            "1", "q", "a", "f1", JANUARY, ("x", "y:0"), "ana", 0.5, True, "s", ("src",)
        )
        newer = Recorded("2", "¿q?", "東京 🎉", "f2", MARCH, space="s")
        store.answers.keep(older)
        store.answers.keep(newer)
        assert store.fingerprint(Filter()) == before
        assert store.answers.find(limit=10) == [newer, older]
        assert store.answers.find(limit=1) == [newer]
        assert store.answers.find(limit=10, before=MARCH) == [older]
        assert store.answers.find(limit=10, fingerprint="f1") == [older]
        assert store.answers.find(limit=10, space="s") == [newer, older]
        assert store.answers.find(limit=10, space="s", fingerprint="f3") == []
        again = older._replace(answer="b", stale=False)
        store.answers.keep(again)
        assert store.answers.find(limit=10, fingerprint="f1") == [again]
        assert store.answers.drop(["1", "3"]) == 1
        assert store.answers.drop([]) == 0
        assert store.answers.find(limit=10) == [newer]

    def test_the_fingerprint_follows_what_the_filter_can_see(self, store: StorageEngine) -> None:
        put(store, note("1", "x", source="one"), note("2", "x", source="two"))
        one, two = Filter(sources=("one",)), Filter(sources=("two",))
        before = store.fingerprint(one), store.fingerprint(two)
        put(store, note("3", "y", source="two"))
        assert store.fingerprint(one) == before[0]
        assert store.fingerprint(two) != before[1]
        changed = store.fingerprint(two)
        store.apply(ChangeSet((Forget(note("3", source="two").id),)))
        assert store.fingerprint(two) not in (changed, before[1])

    def test_stats_count(self, store: StorageEngine) -> None:
        put(store, note("a", "x"), note("b", "y", kind="commit"), session("s", ("user", "z")))
        stats = store.stats()
        assert (stats.documents, stats.passages) == (3, 3)
        assert stats.kinds == {"note": 1, "commit": 1, "session": 1}

    # -------------------------------------------------------------- listing

    def test_pages_cover_everything_once_and_the_last_has_no_cursor(
        self, store: StorageEngine
    ) -> None:
        put(store, *(note(f"n{i}", "text") for i in range(10)))
        for size in (1, 3, 5, 10, 11):
            seen, cursor = [], ""
            while True:
                page = store.scan(Filter(), limit=size, cursor=cursor)
                seen += externals(page.items)
                cursor = page.cursor
                if not cursor:
                    break
            assert seen == [f"n{i}" for i in reversed(range(10))]

    def test_a_listing_has_no_bodies(self, store: StorageEngine) -> None:
        put(store, note("a", "body", title="T"), session("s", ("user", "hi")))
        for document in store.scan(Filter(), limit=5).items:
            assert (document.text, document.messages) == ("", ())

    def test_a_listing_has_sessions_in_which_nobody_says_anything(
        self, store: StorageEngine
    ) -> None:
        put(store, session("s", ("user", ""), ("assistant", "")))
        found = store.scan(Filter(roles=("user",)), limit=5).items
        assert externals(found) == ["s"]

    def test_the_newest_are_told_by_their_dates(self, store: StorageEngine) -> None:
        days = [datetime(2026, 3, day, tzinfo=UTC) for day in (5, 9, 2)]
        put(store, *(note(f"n{d.day}", "text", date=d) for d in days), note("undated", "text"))

        def newest(filter: Filter, limit: int) -> list[str]:
            page = store.scan(filter, limit=limit, dated=True)
            assert page.cursor == ""
            return externals(page.items)

        assert newest(Filter(), 2) == ["n9", "n5"]
        assert newest(Filter(), 9) == ["n9", "n5", "n2"]
        assert newest(Filter(until=days[1]), 1) == ["n5"]
        assert newest(Filter(kinds=("commit",)), 1) == []

    # -------------------------------------------------------------- text

    def test_words_match_title_heading_and_text(self, store: StorageEngine) -> None:
        body = "# Kelp\n\n" + "filler words here. " * 60 + "\n\n## Moorings\n\n" + "ropes. " * 60
        put(store, note("a", body, title="Harbours"))
        for word in ("harbour", "kelp", "moor", "rope"):
            assert "a" in found(store, any_of(word)), word

    def test_the_title_field_is_title_and_path(self, store: StorageEngine) -> None:
        put(store, note("a", "about otters", title="Seals", path="sea/animals.md"))
        assert found(store, any_of("seal", field="title")) == ["a"]
        assert found(store, any_of("anim", field="title")) == ["a"]
        assert found(store, any_of("otter", field="title")) == []

    def test_strict_needs_every_word(self, store: StorageEngine) -> None:
        put(store, note("both", "red boat"), note("red", "red car"), note("boat", "blue boat"))
        assert found(store, any_of("red", "boat", strict=True)) == ["both"]
        assert set(found(store, any_of("red", "boat"))) == {"both", "red", "boat"}
        assert found(store, any_of("red", "boat"))[0] == "both"

    def test_phrases_are_words_in_a_row(self, store: StorageEngine) -> None:
        put(store, note("yes", "the signing key rotates"), note("no", "key for signing"))
        assert found(store, TextQuery(must=(phrase("signing", "key"),))) == ["yes"]
        assert found(store, TextQuery(must=(phrase("rotates"),))) == ["yes"]

    def test_prefixes_match_words_as_written(self, store: StorageEngine) -> None:
        put(store, note("a", "deployments and chat-sender"), note("b", "deplore"))
        assert found(store, TextQuery(any=(prefix("deployme"),))) == ["a"]
        assert found(store, TextQuery(any=(prefix("chat-send"),))) == ["a"]
        assert set(found(store, TextQuery(any=(prefix("deplo"),)))) == {"a", "b"}

    def test_never_excludes(self, store: StorageEngine) -> None:
        put(store, note("a", "redis cache"), note("b", "redis webhook"), note("c", "redis old key"))
        query = any_of("redi", never=(*any_of("webhook").any, phrase("old", "key")))
        assert found(store, query) == ["a"]

    def test_several_searches_at_once_are_the_same_as_each(self, store: StorageEngine) -> None:
        put(store, note("a", "otter otter kelp"), note("b", "kelp boat"), note("c", "rope"))
        queries = [any_of("otter"), any_of("kelp"), any_of("none"), any_of("rope", field="title")]
        for limits in (Filter(), Filter(kinds=("none",))):
            each = [store.search_text([q], limits, limit=5)[0] for q in queries]
            assert store.search_text(queries, limits, limit=5) == each
        assert store.search_text([], Filter(), limit=5) == []

    def test_a_word_is_worth_more_the_rarer_it_is(self, store: StorageEngine) -> None:
        put(store, *(note(f"n{i}", "common" + (" rare" if i == 3 else "")) for i in range(9)))
        weights = store.search_text([any_of("common", "rare", "absent")], Filter(), limit=1)[0].idf
        assert 0 < weights["common"] < weights["rare"] < weights["absent"]

    def test_totals_count_every_match(self, store: StorageEngine) -> None:
        put(store, *(note(f"n{i}", "word") for i in range(7)))
        result = store.search_text([any_of("word")], Filter(), limit=2, count=True)[0]
        assert (len(result.hits), result.total) == (2, 7)

    def test_matched_tells_which_words_each_passage_has(self, store: StorageEngine) -> None:
        many = [f"w{i}" for i in range(50)]
        put(store, note("a", " ".join(many[::2])), note("b", "w1"))
        keys = {
            name: hit.passage
            for hit in store.search_text([any_of(*many)], Filter(), limit=9)[0].hits
            for name in ids(store, [hit.passage])
        }
        told = store.matched(many, list(keys.values()))
        assert told[keys["a:0"]] == set(many[::2])
        assert told[keys["b:0"]] == {"w1"}

    def test_scores_are_bm25(self, store: StorageEngine) -> None:
        texts = ["red boat", "red red boat on the water", "blue boat", "red", "green water here"]
        documents = [note(f"n{i}", text) for i, text in enumerate(texts)]
        documents += [note(f"f{i}", f"filler number{i}") for i in range(95)]
        put(store, *documents)
        store.admin.refresh(rebuild=True)
        model = PlainStore()
        put(model, *documents)
        for query in (any_of("red", "boat"), any_of("water"), any_of("boat", "water", "green")):
            ours = store.search_text([query], Filter(), limit=9)[0].hits
            wanted = model.search_text([query], Filter(), limit=9)[0].hits
            names = hit_ids(store, ours), hit_ids(model, wanted)
            assert names[0] == names[1]
            for mine, theirs in zip(ours, wanted, strict=True):
                # An engine may count a marker of its own among the passages.
                assert isclose(mine.score, theirs.score, rel_tol=0.02), query

    # -------------------------------------------------------------- filters

    def filtered(self, store: StorageEngine) -> None:
        put(
            store,
            note("old", "otter", date=JANUARY, owner="ana", path="src/read/fuse.py"),
            note("new", "otter", date=MARCH, owner="ben", path="docs/Read me.md", kind="page"),
            note(
                "bare",
                "otter",
                scopes=("work", "home"),
                source="other",
                meta={"issue": ["7", "PAY-1"], "event": "Merged"},
            ),
            session("talk", ("user", "otter one"), ("tool", "otter two"), date=MARCH),
        )
        embed_all(store, {n: unit(1, i) for i, n in enumerate(("old", "new", "bare", "talk"))})

    def filter_cases(self) -> list[tuple[Filter, set[str]]]:
        everything = {"old", "new", "bare", "talk"}
        return [
            (Filter(), everything),
            (Filter(owner="ana"), {"old"}),
            (Filter(owner="nobody"), set()),
            (Filter(scopes=()), set()),
            (Filter(scopes=("work",)), {"bare"}),
            (Filter(scopes=("home", "nowhere")), {"bare"}),
            (Filter(scopes=("universal",)), everything - {"bare"}),
            (Filter(sources=("OTHER",)), {"bare"}),
            (Filter(sources=("missing",)), set()),
            (Filter(kinds=("page", "session")), {"new", "talk"}),
            (Filter(since=JANUARY), {"old", "new", "talk"}),
            (Filter(since=MARCH), {"new", "talk"}),
            (Filter(until=MARCH), {"old"}),
            (Filter(since=JANUARY, until=JANUARY), set()),
            (Filter(issues=("7",)), {"bare"}),
            (Filter(issues=("8", "pay-1")), {"bare"}),
            (Filter(issues=("8",)), set()),
            (Filter(events=("merged", "closed")), {"bare"}),
            (Filter(events=("closed",)), set()),
            (Filter(paths=("src",)), {"old"}),
            (Filter(paths=("read",)), {"old"}),
            (Filter(paths=("fuse.py",)), {"old"}),
            (Filter(paths=("rea",)), set()),
            (Filter(paths=("docs/read me.md",)), {"new"}),
            (Filter(paths=("**/*.py", "docs/*")), {"old", "new"}),
            (Filter(paths=("src/read", "nothing"), owner="ana"), {"old"}),
            (Filter(paths=("src",), owner="ben"), set()),
        ]

    def test_filters_bind_text_search(self, store: StorageEngine) -> None:
        self.filtered(store)
        for filter, wanted in self.filter_cases():
            assert set(found(store, any_of("otter"), filter)) == wanted, filter

    def test_filters_bind_text_search_once_indexed(self, store: StorageEngine) -> None:
        self.filtered(store)
        store.admin.refresh()
        for filter, wanted in self.filter_cases():
            assert set(found(store, any_of("otter"), filter)) == wanted, filter

    def test_filters_bind_vector_search(self, store: StorageEngine) -> None:
        self.filtered(store)
        for filter, wanted in self.filter_cases():
            assert set(nearest(store, unit(1, 1), filter)) == wanted, filter
        store.admin.refresh(rebuild=True)
        for filter, wanted in self.filter_cases():
            assert set(nearest(store, unit(1, 1), filter)) == wanted, filter

    def test_filters_bind_listing(self, store: StorageEngine) -> None:
        self.filtered(store)
        for filter, wanted in self.filter_cases():
            listed = set(externals(store.scan(filter, limit=10).items))
            assert listed == wanted, filter

    def test_roles_choose_turns_and_leave_documents_alone(self, store: StorageEngine) -> None:
        put(store, session("s", ("user", "otter"), ("tool", "otter")), note("n", "otter"))
        embed_all(store, {"s": unit(1), "n": unit(1)})
        filter = Filter(roles=("user",))
        hits = store.search_text([any_of("otter")], filter, limit=9)[0].hits
        assert sorted(hit_ids(store, hits)) == ["n:0", "s:0"]
        near = store.search_vector(MODEL, unit(1), filter, limit=9).hits
        assert sorted(hit_ids(store, near)) == ["n:0", "s:0"]

    def test_a_filter_never_starves_the_result(self, store: StorageEngine) -> None:
        put(store, *(note(f"n{i}", "otter " * 3) for i in range(200)))
        put(store, note("rare", "otter and much else besides", owner="ana"))
        embed_all(store, {**{f"n{i}": unit(1) for i in range(200)}, "rare": unit(-1, 1)})
        only = Filter(owner="ana")
        assert found(store, any_of("otter"), only, limit=1) == ["rare"]
        assert nearest(store, unit(1), only, limit=1) == ["rare"]

    # -------------------------------------------------------------- vectors

    def test_the_nearest_come_first(self, store: StorageEngine) -> None:
        put(store, *(note(n, n) for n in ("a", "b", "c")))
        embed_all(store, {"a": unit(1, 0), "b": unit(1, 1), "c": unit(0, 1)})
        assert nearest(store, unit(1, 0.1)) == ["a", "b", "c"]
        result = store.search_vector(MODEL, unit(1, 0), Filter(), limit=1)
        assert isclose(result.hits[0].score, 1.0, abs_tol=0.01)
        assert (result.vectors, result.passages) == (3, 3)

    def test_the_nearest_to_a_passage_are_those_to_its_vector(self, store: StorageEngine) -> None:
        put(store, *(note(n, n) for n in ("a", "b", "c", "d")))
        *keys, without = pending_keys(store, MODEL, 9)
        assert nearest(store, keys[0]) == []
        vectors = np.array([unit(1, 2), unit(1, 1), unit(1, 0)])
        store.put_vectors(MODEL, keys, vectors)
        for key, vector in zip(keys, vectors, strict=True):
            by_key = store.search_vector(MODEL, key, Filter(), limit=9)
            by_vector = store.search_vector(MODEL, vector, Filter(), limit=9)
            assert [hit.passage for hit in by_key.hits] == [hit.passage for hit in by_vector.hits]
            scores = [hit.score for hit in by_vector.hits]
            assert np.allclose([hit.score for hit in by_key.hits], scores, atol=0.001)
        for nobody in (without, 10**9):
            assert store.search_vector(MODEL, nobody, Filter(), limit=9) == ([], 3, 4)
        assert store.search_vector("another@1", keys[0], Filter(), limit=9).hits == []

    def test_pending_is_what_has_no_vector_newest_first(self, store: StorageEngine) -> None:
        put(store, note("a", "one", title="T"))
        put(store, note("b", "two"))
        waiting = store.pending(MODEL, limit=9)
        assert [text for _, text in waiting] == ["two", "T\none"]
        store.put_vectors(MODEL, [waiting[0][0]], np.array([unit(1)]))
        assert [text for _, text in store.pending(MODEL, limit=9)] == ["T\none"]
        assert len(store.pending("another@1", limit=9)) == 2
        assert store.admin.models() == {MODEL: 1}

    def test_what_a_filter_hides_has_its_vectors_all_the_same(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"))
        embed_all(store, {"a": unit(1), "b": unit(1)})
        for nothing in (Filter(kinds=("session",)), Filter(sources=())):
            result = store.search_vector(MODEL, unit(1), nothing, limit=1)
            assert (result.hits, result.vectors, result.passages) == ([], 2, 2), nothing

    def test_a_vector_is_stored_once(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"))
        keys = pending_keys(store, MODEL, 9)
        assert store.put_vectors(MODEL, keys, np.array([unit(1), unit(0, 1)])) == 2
        store.admin.refresh(rebuild=True)
        assert store.put_vectors(MODEL, keys, np.array([unit(0, 1), unit(1)])) == 0
        assert len(nearest(store, unit(1))) == 2
        assert store.search_vector(MODEL, unit(1), Filter(), limit=9).vectors == 2

    def test_vectors_of_a_model_are_dropped_and_those_of_others_stay(
        self, store: StorageEngine
    ) -> None:
        put(store, note("a", "otter"), note("b", "kelp"))
        keys = pending_keys(store, MODEL, 9)
        store.put_vectors(MODEL, keys, np.array([unit(1), unit(0, 1)]))
        store.put_vectors("other@1", keys, np.array([unit(1), unit(0, 1)]))
        assert store.admin.drop_vectors(MODEL) == 2
        assert store.admin.models() == {"other@1": 2}
        assert store.search_vector(MODEL, unit(1), Filter(), limit=9).hits == []
        assert len(store.search_vector("other@1", unit(1), Filter(), limit=9).hits) == 2
        assert len(store.pending(MODEL, limit=9)) == 2
        assert store.admin.drop_vectors(MODEL) == 0
        other = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)  # of other dimensions, for once
        assert store.put_vectors(MODEL, keys, other) == 2
        found = store.search_vector(MODEL, other[0], Filter(), limit=1).hits
        assert [hit.passage for hit in found] == keys[:1]

    def test_vectors_of_what_is_gone_are_left_out(self, store: StorageEngine) -> None:
        put(store, note("a", "one"))
        ((key, _),) = store.pending(MODEL, limit=9)
        store.apply(ChangeSet((Forget(note("a").id),)))
        assert store.put_vectors(MODEL, [key], np.array([unit(1)])) == 0
        assert nearest(store, unit(1)) == []

    def test_an_edit_keeps_the_vectors_of_what_did_not_change(self, store: StorageEngine) -> None:
        first, second = "first part. " * 80, "second part. " * 80
        put(store, note("a", f"{first}\n\n# Next\n\n{second}"))
        embed_all(store, {"a": unit(1)})
        assert store.pending(MODEL, limit=9) == []
        put(store, note("a", f"{first}\n\n# Next\n\n{second} and more"))
        (waiting,) = store.pending(MODEL, limit=9)
        assert waiting[1].endswith("and more")
        assert nearest(store, unit(1)) == ["a"]

    def test_the_same_text_from_elsewhere_has_a_vector_already(self, store: StorageEngine) -> None:
        put(store, note("a", "otter", title="T"), note("b", "kelp"))
        embed_all(store, {"a": unit(1), "b": unit(0, 1)})
        again = note("c", "otter", title="T", source="another", path="x/y.md")
        others = [
            note("d", "otter", title="U"),
            note("e", "kelp", owner="ben"),
            note("f", "kelp", scopes=("harbor",)),
            note("g", "Kelp"),
        ]
        put(store, *others, again)
        keys = pending_keys(store, MODEL, 9)
        found = store.admin.twins(MODEL, [*keys, 10**9])
        assert len(keys) == 5
        assert list(found) == keys[:1]
        assert np.allclose(found[keys[0]].vector, unit(1), atol=0.001)
        assert found[keys[0]].sentences == b""
        assert store.admin.twins("another@1", keys) == {}

    def test_signs_of_sentences_are_kept_with_the_vector(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"), note("c", "three"))
        keys = pending_keys(store, MODEL, 9)
        vectors = np.array([unit(1), unit(0, 1), unit(1, 1)])
        signs = [bytes(range(16)), b"", b"\x00\xff" * 512]
        assert store.put_vectors(MODEL, keys, vectors, signs) == 3
        store.put_vectors("other@1", keys, vectors)
        wanted = {keys[0]: signs[0], keys[2]: signs[2]}
        assert store.sentences(MODEL, [*keys, 10**9]) == wanted
        assert store.sentences(MODEL, keys[2:]) == {keys[2]: signs[2]}
        assert store.sentences(MODEL, []) == {}
        assert store.sentences("other@1", keys) == {}
        assert store.sentences("another@1", keys) == {}
        store.admin.refresh(rebuild=True)
        assert store.put_vectors(MODEL, keys, vectors, [b"\x01" * 16] * 3) == 0
        assert store.sentences(MODEL, keys) == wanted

    def test_signs_of_sentences_go_with_the_vector(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"))
        keys = pending_keys(store, MODEL, 9)
        both = np.array([unit(1), unit(0, 1)])
        for model in (MODEL, "other@1"):
            store.put_vectors(model, keys, both, [b"\x0f" * 16, b"\xf0" * 32])
        store.apply(ChangeSet((Forget(note("b").id),)))
        assert store.sentences(MODEL, keys) == {keys[1]: b"\xf0" * 32}
        store.admin.drop_vectors(MODEL)
        assert store.sentences(MODEL, keys) == {}
        assert store.sentences("other@1", keys) == {keys[1]: b"\xf0" * 32}
        store.put_vectors(MODEL, keys[1:], both[1:])
        assert store.sentences(MODEL, keys) == {}

    def test_the_same_text_has_the_same_signs_of_sentences(self, store: StorageEngine) -> None:
        first, second = "first part. " * 80, "second part. " * 80
        put(store, note("a", f"{first}\n\n# Next\n\n{second}"))
        waiting = store.pending(MODEL, limit=9)
        signs = {text: bytes([n + 1]) * 16 for n, (_, text) in enumerate(waiting)}
        vectors = np.array([unit(1)] * len(waiting))
        store.put_vectors(MODEL, [key for key, _ in waiting], vectors, list(signs.values()))
        put(store, note("a", f"{first}\n\n# Next\n\n{second} and more"))
        document = store.get("a")[0]
        kept = store.passages([f"{document.id}:{n}" for n in range(len(waiting))])
        (new,) = pending_keys(store, MODEL, 9)
        found = store.sentences(MODEL, [one.key for one in kept])
        assert found.keys() == {one.key for one in kept} - {new}
        assert set(found.values()) < set(signs.values())

        put(store, note("b", f"{first}\n\n# Next\n\n{second}"))
        keys = pending_keys(store, MODEL, 9)
        twins = store.admin.twins(MODEL, keys)
        assert {made.sentences for made in twins.values()} == set(found.values())

    def test_a_deleted_passage_is_never_near(self, store: StorageEngine) -> None:
        put(store, note("a", "one"), note("b", "two"))
        embed_all(store, {"a": unit(1), "b": unit(0, 1)})
        store.admin.refresh(rebuild=True)
        store.apply(ChangeSet((Forget(note("a").id),)))
        assert nearest(store, unit(1)) == ["b"]

    # -------------------------------------------------------------- passages

    def test_passages_come_in_the_order_asked_without_those_gone(
        self, store: StorageEngine
    ) -> None:
        put(store, note("a", "word"), note("b", "word"))
        keys = [h.passage for h in store.search_text([any_of("word")], Filter(), limit=9)[0].hits]
        assert ids(store, [keys[1], 10**9, keys[0]]) == ids(store, [keys[1]]) + ids(
            store, [keys[0]]
        )

    def test_a_passage_is_had_by_its_id(self, store: StorageEngine) -> None:
        document = note("a", "otter " * 900)
        put(store, document, note("b", "kelp"))
        for key, _ in store.pending(MODEL, limit=100):
            (stored,) = store.passages([key])
            assert store.passages([stored.id]) == [stored]
        for name in (f"{document.id}:99", f"{document.id}:x", document.id, "nothing:0", ""):
            assert store.passages([name]) == []

    def test_neighbours_stay_inside_the_document(self, store: StorageEngine) -> None:
        put(store, session("s", *(("user", f"turn {i}") for i in range(6))), note("n", "turn"))
        hits = store.search_text([any_of("3")], Filter(), limit=1)[0].hits
        around = store.passages([hits[0].passage], before=1, after=9)
        assert [p.passage.text for p in around] == ["turn 2", "turn 3", "turn 4", "turn 5"]
        assert store.passages([10**9], before=1, after=1) == []

    # -------------------------------------------------------------- derived indexes

    def test_rebuilding_changes_no_answer(self, store: StorageEngine) -> None:
        self.filtered(store)
        before = found(store, any_of("otter")), nearest(store, unit(1, 2))
        store.admin.refresh(rebuild=True)
        assert (set(found(store, any_of("otter"))), nearest(store, unit(1, 2))) == (
            set(before[0]),
            before[1],
        )

    def test_an_insert_is_searchable_at_once(self, store: StorageEngine) -> None:
        for i in range(30):
            put(store, note(f"n{i}", f"unique{i}"))
            assert found(store, any_of(f"unique{i}")) == [f"n{i}"]
            if i % 10 == 5:
                store.admin.refresh()
