"""Past conversations: found by what was said, paged through exactly, and nothing shown that must
not be."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli, HashEmbedder
from recollect import Document, Memory, Message, config
from recollect.errors import NotFound, QueryError, UsageError
from recollect.reading.sessions.caps import MESSAGE, RESPONSE, clip
from recollect.storage.plain.engine import PlainStore

MARCH = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An embedded store that is searched by words alone, so that what is found can be told."""
    from recollect.storage import open_store

    with Memory(open_store(str(tmp_path / "store")), config.load()) as opened:
        yield opened


def talk(name: str, *turns: str | tuple[str, str], day: int = 0, **fields: Any) -> Document:
    """A session: texts alternate between the user and the assistant, unless a role is given."""
    began = MARCH + timedelta(days=day)
    messages = tuple(
        Message(
            *(turn if isinstance(turn, tuple) else (("user", "assistant")[n % 2], turn)),
            id=f"{name}-{n}",
            date=began + timedelta(minutes=n),
        )
        for n, turn in enumerate(turns)
    )
    fields.setdefault("source", "tests")
    fields.setdefault("title", "")
    return Document(name, messages=messages, kind="session", date=began, **fields)


def long(name: str, count: int = 40, **fields: Any) -> Document:
    return talk(name, *(f"remark {n} of {name}" for n in range(count)), **fields)


def put(memory: Memory, *documents: Document) -> None:
    memory.put(documents)
    if memory.core.embedder is not None:
        memory.models.embed()


def ids(found: Any) -> list[str]:
    return [hit.session.session_id for hit in found.hits]


def texts(messages: Sequence[Any]) -> list[str]:
    return [message.text for message in messages]


# ------------------------------------------------------------------ the shape


def test_the_shape_follows_from_the_arguments(memory: Memory) -> None:
    put(memory, long("a"))
    assert memory.sessions("remark").shape == "discovery"
    assert memory.sessions(session="a", around="a-3").shape == "scroll"
    assert memory.sessions(session="a").shape == "read"
    assert memory.sessions().shape == "browse"


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        ("x", {"session": "a"}, "both a query and a session"),
        (None, {"around": "a-3"}, "needs the session"),
        (None, {"session": "a", "sort": "newest"}, "sort has no meaning with a session"),
        (None, {"session": "a", "around": "a-1", "limit": 2}, "limit has no meaning"),
        (None, {"session": "a", "window": 2}, "window has no meaning"),
        (None, {"sort": "oldest"}, "sort has no meaning"),
        (None, {"session": "a", "after": "7d"}, "after has no meaning"),
        (None, {"session": "a", "around": []}, "around is empty"),
        ("x", {"sort": "best"}, "there is no sort 'best'"),
        ("x", {"detail": "some"}, "there is no detail 'some'"),
        ("x", {"roles": "asistant"}, "there is no role 'asistant'"),
        ("x", {"roles": "rewound"}, "there is no role 'rewound'"),
        ("x", {"roles": []}, "roles is empty"),
        ("x", {"after": "soon"}, "after: not a date"),
        ("x", {"before": "2026-13-01"}, "before: not a date"),
        ("x", {"after": "2026-03-02", "before": "2026-03-02"}, "nothing can match"),
        ("x", {"window": "5"}, "window is '5'"),
        ("x", {"limit": True}, "limit is True"),
        ("x", {"limit": 2.5}, "limit is 2.5"),
        (None, {"session": ""}, "session is ''"),
        ("x", {"exclude_sessions": [""]}, "a name is empty"),
        ("", {}, "the query is empty"),
        ("---", {}, "has no word in it"),
    ],
)
def test_what_contradicts_itself_is_refused(
    memory: Memory, query: str | None, options: Any, said: str
) -> None:
    put(memory, long("a"))
    with pytest.raises(UsageError, match=said):
        memory.sessions(query, **options)


def test_an_option_that_is_misspelt_is_refused(memory: Memory) -> None:
    with pytest.raises(TypeError, match="exclude"):
        memory.sessions("x", exclude="a")  # type: ignore[call-arg]


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (-3, 1), (10**9, 20), (20, 20), (1, 1)])
def test_a_window_out_of_bounds_is_clamped_and_told(memory: Memory, asked: int, given: int) -> None:
    put(memory, long("a", 60))
    found: Any = memory.sessions(session="a", around="a-30", window=asked)
    assert len(found.windows[0].messages) == 2 * given + 1
    assert found.notes == (() if asked == given else (f"window is {given}, not {asked}: it goes "
                                                      "from 1 to 20",))  # fmt: skip


@pytest.mark.parametrize(("asked", "given"), [(None, 3), (1, 1), (10, 10), (0, 1), (99, 10)])
def test_a_limit_out_of_bounds_is_clamped_and_told(
    memory: Memory, asked: int | None, given: int
) -> None:
    put(memory, *(talk(f"s{n}", f"otters and kelp {n}") for n in range(12)))
    found: Any = memory.sessions("otters", limit=asked)
    assert len(found.hits) == given
    assert bool(found.notes) == (asked not in (None, given))


# ------------------------------------------------------------------ discovery


def test_a_hit_names_the_session_and_the_message_that_it_is_in(memory: Memory) -> None:
    put(memory, talk("a", "How are the boats?", "The harbour freezes in January.", day=3,
                     title="Boats", meta={"folder": "/home/ana"}), long("b"))  # fmt: skip
    found: Any = memory.sessions("frozen harbour January")
    hit = found.hits[0]
    assert (hit.session.session_id, hit.match_message_id) == ("a", "a-1")
    assert (hit.session.title, hit.session.date) == ("Boats", MARCH + timedelta(days=3))
    assert (hit.session.folder, hit.session.source) == ("/home/ana", "tests")
    assert hit.session.parent_session_id == hit.session.relation == ""
    assert "January" in hit.snippet
    (anchor,) = [m for m in hit.messages if m.anchor]
    assert (anchor.id, anchor.role, anchor.text) == (
        "a-1", "assistant", "The harbour freezes in January.",
    )  # fmt: skip
    scrolled: Any = memory.sessions(session=hit.session.session_id, around=hit.match_message_id)
    assert [m.id for m in scrolled.windows[0].messages] == [m.id for m in hit.messages]


def test_only_the_first_hit_comes_with_a_window_and_bookends(memory: Memory) -> None:
    for n in range(3):
        turns = [f"remark {i} in conversation {n}" for i in range(30)]
        turns[15] = f"the walrus {'walrus ' * (3 - n)} sleeps"
        put(memory, talk(f"s{n}", *turns))
    found: Any = memory.sessions("walrus sleeps")
    first, *others = found.hits
    at = int(first.match_message_id.partition("-")[2])
    assert at == 15
    assert [m.id for m in first.messages] == [f"{ids(found)[0]}-{i}" for i in range(10, 21)]
    assert [m.id.partition("-")[2] for m in first.opening] == ["0", "1", "2"]
    assert [m.id.partition("-")[2] for m in first.closing] == ["27", "28", "29"]
    for other in others:
        assert [m.anchor for m in other.messages] == [True]
        assert (other.opening, other.closing) == ((), ())
    full: Any = memory.sessions("walrus sleeps", detail="full")
    assert all(len(hit.messages) == 11 and len(hit.closing) == 3 for hit in full.hits)
    sizes = [len(json.dumps([h.as_json() for h in one.hits])) for one in (found, full)]
    assert sizes[0] < 0.6 * sizes[1]


def test_bookends_skip_what_is_empty_and_what_the_window_has(memory: Memory) -> None:
    turns: list[tuple[str, str]] = [("user", "  "), ("context", "rules"), ("user", "first words")]
    turns += [("assistant", ""), ("assistant", "second words"), ("tool", "ls"), ("user", "third")]
    turns += [("assistant", "the walrus sleeps"), ("user", "after"), ("tool", "cat")]
    turns += [("assistant", "last words"), ("user", "\n")]
    put(memory, talk("a", *turns))
    found: Any = memory.sessions("walrus sleeps", window=1)
    hit = found.hits[0]
    assert texts(hit.messages) == ["third", "the walrus sleeps", "after"]
    assert texts(hit.opening) == ["first words", "second words"]
    assert texts(hit.closing) == ["last words"]
    wide: Any = memory.sessions("walrus sleeps", window=20)
    assert wide.hits[0].opening == wide.hits[0].closing == ()


def test_the_user_and_the_assistant_are_searched_unless_others_are_named(memory: Memory) -> None:
    put(memory, talk("a", "hello", ("tool", "the walrus sleeps"), "good night", "bye"))
    plain: Any = memory.sessions("walrus")
    assert plain.hits == ()
    assert plain.hidden == {"roles": 1}
    assert plain.searched == {"roles": ["user", "assistant"], "sessions": 1}
    for roles in ("tool", ["tool", "user"], "all"):
        wide: Any = memory.sessions("walrus", roles=roles)
        assert wide.hits[0].match_message_id == "a-1"


def test_a_session_whose_title_has_all_the_words_comes_first(memory: Memory) -> None:
    put(
        memory,
        talk("said", "otter migration plan " * 5, "the otter migration plan is done"),
        talk("called", "Let us begin.", "All right.", title="Otter migration plan"),
        talk("half", "Let us begin.", "All right.", title="Otter facts"),
    )
    found: Any = memory.sessions("otter migration plan")
    assert ids(found)[0] == "called"
    assert found.hits[0].evidence[0] == "title"
    assert "title" not in found.hits[1].evidence


MOVED = "Why did we move login sessions, and where to?"


@pytest.mark.parametrize("query", [MOVED, "login sessions"])
def test_conversations_that_only_ask_come_behind_what_answers(tmp_path: Path, query: str) -> None:
    decided = "Decision: we move login sessions from Redis to Postgres, so that none is lost."
    with Memory.open(tmp_path / "shipped", rerank_model="none") as memory:
        put(
            memory,
            talk("decides", "Redis lost them twice on restart.", decided, "ok do it", "Done."),
            *(talk(f"asks{n}", MOVED, "Nothing found.", title=MOVED) for n in range(6)),
        )
        found: Any = memory.sessions(query, limit=3)
        only: Any = memory.sessions(query, limit=1)
    assert ids(found)[0] == "decides"
    assert "login sessions" in found.hits[0].snippet
    assert len(found.hits) == 3, "what was asked tells what a conversation was about"
    assert ids(only) == ["decides"]


def test_what_is_far_below_the_best_takes_no_place(tmp_path: Path) -> None:
    others = ("The lint step is clean, 0 issues.", "The build passes on all machines.", "Lunch?")
    with Memory.open(tmp_path / "shipped", rerank_model="none") as memory:
        put(memory, talk("verdict", "Review it.", "The change is a sound fix for issue 266."))
        put(memory, *(talk(f"other{n}", "Go on.", one) for n, one in enumerate(others)))
        found: Any = memory.sessions("issue 266", limit=5)
    assert ids(found) == ["verdict"]


def test_conversations_are_sorted_by_date_on_request(memory: Memory) -> None:
    days = [4, 1, 9, 6]
    put(memory, *(talk(f"d{day}", "the walrus sleeps " * (day % 3 + 1), day=day) for day in days))
    newest: Any = memory.sessions("walrus sleeps", sort="newest")
    oldest: Any = memory.sessions("walrus sleeps", sort="oldest")
    assert ids(newest) == ["d9", "d6", "d4"]
    assert ids(oldest) == ["d1", "d4", "d6"]


def test_dates_limit_by_when_a_session_began(memory: Memory) -> None:
    put(memory, *(talk(f"d{day}", "the walrus sleeps", day=day) for day in range(4)))
    found: Any = memory.sessions("walrus", after="2026-03-02T09:00:00", before="2026-03-04T09:00")
    assert sorted(ids(found)) == ["d1", "d2"]
    assert found.searched["after"] == "2026-03-02T09:00:00Z"
    nothing: Any = memory.sessions("walrus", after="24h")
    assert nothing.hits == ()
    assert nothing.hidden["since"] == 4


def test_sessions_can_be_left_out(memory: Memory) -> None:
    put(memory, *(talk(f"s{n}", "the walrus sleeps") for n in range(3)))
    found: Any = memory.sessions("walrus", exclude_sessions=["s1", "nobody"])
    assert sorted(ids(found)) == ["s0", "s2"]
    assert found.hidden == {"excluded": 1}
    assert found.notes == ("there is no session 'nobody' to exclude",)
    assert found.searched["without"] == ["s1", "nobody"]


def test_what_is_left_out_takes_nobodys_place(memory: Memory) -> None:
    put(memory, talk("loud", *["the walrus sleeps"] * 300), talk("quiet", "a walrus, once"))
    found: Any = memory.sessions("walrus sleeps", exclude_sessions="loud")
    assert ids(found) == ["quiet"]
    assert ids(memory.sessions("walrus sleeps")) == ["loud", "quiet"]


def test_prose_is_relaxed_and_says_so(memory: Memory) -> None:
    put(memory, talk("a", "We moved the invoices to Postgres."), long("b"))
    question = "can you remind me what we ended up doing about storing those invoices last spring"
    found: Any = memory.sessions(question)
    assert ids(found)[0] == "a"
    assert any("relaxed" in note for note in found.notes)


def test_an_empty_answer_says_what_was_searched(memory: Memory) -> None:
    put(memory, long("a"), long("b"))
    found: Any = memory.sessions("xylophone")
    assert found.hits == ()
    assert found.searched == {"roles": ["user", "assistant"], "sessions": 2}


SPELLINGS = ("#123", "src/main.py", "don't", "50%", "alice@example.com", "$5", "東京", "C++")


@pytest.mark.parametrize("word", SPELLINGS)
def test_odd_words_are_found(memory: Memory, word: str) -> None:
    put(memory, talk("a", f"we spoke of {word} there"), long("b"), talk("c", "#124 src/mane.py"))
    assert ids(memory.sessions(word))[0] == "a"


def test_a_prefix_keeps_its_meaning(memory: Memory) -> None:
    put(memory, talk("a", "the chat-sender broke"), talk("b", "the chat ended"))
    assert ids(memory.sessions("chat-send*"))[0] == "a"


def test_a_lone_rule_is_dropped(memory: Memory) -> None:
    put(memory, talk("a", "the walrus sleeps"), long("b"))
    assert ids(memory.sessions("--- walrus"))[0] == "a"


@pytest.mark.parametrize("sign", string.punctuation)
def test_every_sign_is_safe(memory: Memory, sign: str) -> None:
    put(memory, talk("a", "the walrus sleeps"))
    for query in (f"walrus{sign}", f"{sign} walrus {sign}", f'"{sign}" walrus', f"a{sign}b walrus"):
        assert memory.sessions(query).shape == "discovery"
    for query in (sign, f"{sign}walrus", sign * 3):
        with suppress(QueryError):  # nothing to look for is a refusal, and nothing else is
            memory.sessions(query)


def test_all_ways_agree_on_what_is_excluded(memory: Memory) -> None:
    put(memory, talk("a", "walrus and otter"), talk("b", "walrus alone"))
    for sort in ("relevance", "newest", "oldest"):
        assert ids(memory.sessions("walrus -otter", sort=sort)) == ["b"]


# ------------------------------------------------------------------ lineage


def test_a_lineage_is_one_hit_and_the_owner_of_the_message_is_named(memory: Memory) -> None:
    put(
        memory,
        talk("root", "Let us begin.", "Yes.", title="The beginning", day=0),
        talk("fork", "the walrus sleeps", title="A fork", day=5,
             meta={"parent": "root", "relation": "fork"}),
        talk("later", "a walrus, too", day=7,
             meta={"parent": "fork", "relation": "compaction"}),
        talk("other", "walrus elsewhere"),
    )  # fmt: skip
    found: Any = memory.sessions("walrus sleeps")
    assert ids(found) == ["fork", "other"]
    hit = found.hits[0]
    assert (hit.session.parent_session_id, hit.session.relation) == ("root", "fork")
    assert (hit.session.title, hit.session.date) == ("A fork", MARCH + timedelta(days=5))
    assert [(one.session_id, one.match_message_id) for one in hit.also] == [("later", "later-0")]
    assert found.hidden == {"same lineage": 1}
    assert "parent_session_id" not in found.hits[1].as_json()


def test_a_parent_that_is_not_stored_still_joins_its_children(memory: Memory) -> None:
    about = {"parent": "gone", "relation": "fork"}
    put(memory, talk("a", "the walrus sleeps", meta=about), talk("b", "a walrus", meta=about))
    found: Any = memory.sessions("walrus sleeps")
    assert ids(found) == ["a"]
    assert found.hits[0].session.parent_session_id == ""


def test_parents_in_a_circle_are_one_lineage(memory: Memory) -> None:
    for name, parent in (("a", "c"), ("b", "a"), ("c", "b"), ("self", "self")):
        put(memory, talk(name, "the walrus sleeps", meta={"parent": parent, "relation": "fork"}))
    assert len(ids(memory.sessions("walrus sleeps"))) == 2


def test_a_log_that_goes_on_from_a_message_elsewhere_is_of_its_lineage(memory: Memory) -> None:
    put(memory, talk("before", "hello", "the walrus sleeps"),
        talk("after", "a walrus again", meta={"continues": "before-1"}))  # fmt: skip
    found: Any = memory.sessions("walrus", limit=5)
    assert len(found.hits) == 1
    other: Any = memory.sessions(session="after")
    assert other.session.parent_session_id == "before"


def test_the_family_of_a_session_is_told_from_its_beginning(memory: Memory) -> None:
    put(memory, talk("root", "hello", "the walrus sleeps"), talk("alone", "hello"),
        talk("fork", "a walrus", meta={"parent": "root"}),
        talk("after", "a walrus again", meta={"continues": "root-1"}),
        talk("lost", "and again", meta={"parent": "gone"}))  # fmt: skip
    for name in ("root", "fork", "after"):
        found = memory.admin.lineage(memory.get(name))
        names = {id: one.external for id, one in found.sessions.items()}
        pairs = {(names[id], names[parent]) for id, parent in found.parents.items()}
        assert names[found.first] == "root"
        assert pairs == {("fork", "root"), ("after", "root")}
    assert memory.admin.lineage(memory.get("lost")).first == memory.get("lost").id


def test_subagents_never_crowd_out_the_conversation(memory: Memory) -> None:
    about = {"relation": "subagent"}
    put(memory, talk("main", "a walrus was seen", "Where?"), long("boss"))
    put(memory, *(talk(f"run{n}", ("context", "walrus walrus"), "walrus sleeps walrus",
                       meta={**about, "parent": "boss"}) for n in range(120)))  # fmt: skip
    put(memory, *(talk(f"lone{n}", "walrus sleeps walrus", meta={**about, "parent": f"p{n}"})
                  for n in range(9)))  # fmt: skip
    found: Any = memory.sessions("walrus sleeps", limit=3)
    assert "main" in ids(found)
    assert sum(hit.session.relation == "subagent" for hit in found.hits) == 2  # no other is left
    many: Any = memory.sessions("walrus sleeps", limit=10)
    assert sum(hit.session.parent_session_id == "boss" for hit in many.hits) == 1
    put(memory, talk("second", "the walrus"), talk("third", "the walrus of old"))
    again: Any = memory.sessions("walrus sleeps", limit=3)
    assert sum(hit.session.relation == "" for hit in again.hits) == 2
    only: Any = memory.sessions("walrus sleeps", limit=1)
    assert only.hits[0].session.relation == ""


def test_a_subagents_run_has_no_seat_before_better_conversations(memory: Memory) -> None:
    put(memory, *(talk(f"s{n}", "the walrus sleeps") for n in range(4)))
    put(memory, talk("run", "a walrus, said in passing, among many other words and things",
                     meta={"parent": "gone", "relation": "subagent"}))  # fmt: skip
    found: Any = memory.sessions("walrus sleeps", limit=3)
    assert "run" not in ids(found)
    assert ids(memory.sessions("walrus sleeps", limit=5))[-1] == "run"


def test_a_text_that_is_called_a_session_is_no_hit_and_is_counted(memory: Memory) -> None:
    put(memory, Document("t", "tests", text="the walrus sleeps", kind="session"))
    put(memory, talk("a", "a walrus"))
    found: Any = memory.sessions("walrus sleeps")
    assert ids(found) == ["a"]
    assert found.hidden == {"no messages": 1}


def test_the_conversation_stands_for_its_subagents(memory: Memory) -> None:
    put(memory, talk("main", "look for the walrus", "I will."),
        talk("run", "walrus sleeps walrus sleeps", meta={"parent": "main",
                                                         "relation": "subagent"}))  # fmt: skip
    found: Any = memory.sessions("walrus sleeps")
    assert ids(found) == ["main"]
    assert found.hits[0].also[0].session_id == "run"
    run: Any = memory.sessions(session="run")
    assert (run.session.relation, run.session.parent_session_id) == ("subagent", "main")


@pytest.mark.parametrize("about", [{"source": "cron"}, {"type": "scheduled"}, {"unattended": True}])
def test_automation_comes_last_and_can_be_reached(memory: Memory, about: dict[str, Any]) -> None:
    put(memory, *(talk(f"job{n}", "walrus sleeps walrus sleeps", meta=about) for n in range(5)))
    put(memory, talk("main", "a walrus was here"))
    found: Any = memory.sessions("walrus sleeps", limit=3)
    assert ids(found)[0] == "main"
    assert [hit.session.automated for hit in found.hits] == [False, True, True]
    assert found.hidden["automation"] == 3
    assert len(memory.sessions("walrus sleeps", limit=10).as_json()["results"]) == 6
    listed: Any = memory.sessions(limit=2)
    assert [line.session.automated for line in listed.sessions] == [False, True]
    assert memory.sessions(session="job4").as_json()["automated"] is True


# ------------------------------------------------------------------ what may be seen


def rewound(name: str = "a") -> Document:
    return talk(
        name, "where is the queue", "in Redis", ("rewound", "drop the walrus table"),
        ("rewound", "dropped the walrus table"), "leave it", "fine",
    )  # fmt: skip


def test_what_was_taken_back_is_seen_nowhere(memory: Memory) -> None:
    put(memory, rewound())
    found: Any = memory.sessions("walrus table", roles="all")
    assert found.hits == ()
    assert found.hidden["rewound"] == 2
    near: Any = memory.sessions("queue Redis", detail="full")
    window: Any = memory.sessions(session="a", around="a-1", roles="all").windows[0]  # type: ignore[union-attr]
    whole: Any = memory.sessions(session="a", roles="all")
    for shown in (near.hits[0].messages, window.messages, whole.first):
        assert [m.id for m in shown] == ["a-0", "a-1", "a-4", "a-5"]
    assert near.hits[0].hidden == window.hidden == whole.hidden == {"rewound": 2}
    with pytest.raises(UsageError, match="taken back"):
        memory.sessions(session="a", around="a-2")


def test_what_a_reader_left_out_as_taken_back_is_counted(memory: Memory) -> None:
    put(memory, talk("a", "hello", "yes", meta={"rewound": 3}))
    assert memory.sessions(session="a").as_json()["hidden"] == {"rewound": 3}


def test_the_live_session_is_hidden_but_for_what_was_compacted(memory: Memory) -> None:
    put(
        memory,
        talk("old", "the walrus sleeps"),
        talk("live", "a walrus, there", "it sleeps", ("summary", "about a walrus"),
             "and the walrus now", "the walrus is awake", meta={"parent": "before"}),
        talk("before", "a walrus before that", meta={}),
    )  # fmt: skip
    free: Any = memory.sessions("walrus now awake", limit=9)
    assert ids(free)[0] == "live"
    assert free.hits[0].match_message_id in ("live-3", "live-4")
    found: Any = memory.sessions("walrus now awake", live_session="live", limit=9)
    hit = next(hit for hit in found.hits if hit.session.session_id == "live")
    assert hit.match_message_id in ("live-0", "live-1")
    shown = [m.id for m in (*hit.messages, *hit.opening, *hit.closing)]
    assert not {"live-3", "live-4"}.intersection(shown)
    assert found.hidden["live session"] == 2
    window: Any = memory.sessions(session="live", around="live-1", live_session="live")
    assert [m.id for m in window.windows[0].messages] == ["live-0", "live-1"]
    assert window.windows[0].next == ""
    read: Any = memory.sessions(session="live", live_session="live")
    assert [m.id for m in read.first] == ["live-0", "live-1"]
    assert read.hidden == {"live session": 3}
    with pytest.raises(UsageError, match="hidden: live session"):
        memory.sessions(session="live", around="live-4", live_session="live")
    listed: Any = memory.sessions(live_session="live")
    assert "live" not in [line.session.session_id for line in listed.sessions]
    assert listed.hidden == {"live session": 1}


def test_a_live_session_that_was_never_compacted_is_hidden_whole(memory: Memory) -> None:
    put(memory, talk("live", *["the walrus sleeps"] * 200), talk("old", "a walrus"))
    found: Any = memory.sessions("walrus sleeps", live_session="live")
    assert ids(found) == ["old"]
    assert found.hidden["live session"] >= 100
    with pytest.raises(UsageError, match="live session"):
        memory.sessions(session="live", live_session="live")
    assert ids(memory.sessions("walrus sleeps", live_session="not stored yet"))[0] == "live"


def test_nothing_of_another_owner_is_seen(memory: Memory) -> None:
    put(
        memory,
        talk("mine", "the walrus sleeps", owner="ana", meta={"parent": "theirs"}),
        talk("theirs", "the walrus sleeps", owner="ben"),
    )
    found: Any = memory.sessions("walrus", owner="ana")
    assert ids(found) == ["mine"]
    assert found.hits[0].session.parent_session_id == ""
    assert found.hidden["owner"] == 1
    assert len(memory.sessions(owner="ana").as_json()["sessions"]) == 1
    with pytest.raises(NotFound):
        memory.sessions(session="theirs", owner="ana")
    with pytest.raises(NotFound):
        memory.sessions(session="mine", around="theirs-0", owner="ana")


def test_what_discovery_returns_can_be_scrolled_and_read(memory: Memory) -> None:
    """Whatever the ids are like: none, the same twice, the same in two sources."""
    nameless = (Message("user", "hm"), Message("user", "a walrus without an id"))
    alike = (Message("user", "hm", "x"), Message("user", "a walrus twice", "x"))
    bare = Document("bare", "one", kind="session", messages=nameless)
    twice = Document("twice", "one", kind="session", messages=alike)
    copies = [talk("copy", "one walrus", source=name) for name in ("one", "two")]
    put(memory, bare, twice, *copies)
    found: Any = memory.sessions("walrus", limit=9)
    assert len(found.hits) == 4
    for hit in found.hits:
        again: Any = memory.sessions(session=hit.session.session_id, around=hit.match_message_id)
        (anchor,) = [m for m in again.windows[0].messages if m.anchor]
        assert anchor.text == next(m for m in hit.messages if m.anchor).text
        assert memory.sessions(session=hit.session.session_id).shape == "read"
    with pytest.raises(UsageError, match="'copy' names 2 sessions"):
        memory.sessions(session="copy")


# ------------------------------------------------------------------ scroll


def window(memory: Memory, around: str, size: int = 5, session: str = "a", **more: Any) -> Any:
    found: Any = memory.sessions(session=session, around=around, window=size, **more)
    return found.windows[0]


def test_a_window_at_the_first_and_at_the_last_message(memory: Memory) -> None:
    put(memory, long("a", 12))
    first, last = window(memory, "a-0", 2), window(memory, "a-11", 2)
    assert [m.id for m in first.messages] == ["a-0", "a-1", "a-2"]
    assert (first.previous, first.next) == ("", "a-2")
    assert [m.id for m in last.messages] == ["a-9", "a-10", "a-11"]
    assert (last.previous, last.next) == ("a-9", "")


def test_the_anchor_is_kept_though_its_role_is_not_shown(memory: Memory) -> None:
    turns = [("user", "ask"), ("tool", "ls"), ("tool", "cat"), ("assistant", "told"),
             ("tool", "rm"), ("user", "thanks")]  # fmt: skip
    put(memory, talk("a", *turns))
    shown = window(memory, "a-2", 1)
    assert [(m.id, m.anchor) for m in shown.messages] == [
        ("a-0", False), ("a-2", True), ("a-3", False),
    ]  # fmt: skip
    assert shown.hidden == {"roles": 1}
    assert [m.id for m in window(memory, "a-2", 1, roles="all").messages] == ["a-1", "a-2", "a-3"]


def test_an_anchor_of_the_same_lineage_is_rebound_with_a_warning(memory: Memory) -> None:
    put(memory, long("root", 9), long("a", 9, meta={"parent": "root", "relation": "fork"}))
    for session, around in (("a", "root-4"), ("root", "a-4")):
        shown = window(memory, around, 1, session)
        owner = around.partition("-")[0]
        assert shown.session.session_id == owner
        assert [m.id for m in shown.messages] == [f"{owner}-{n}" for n in (3, 4, 5)]
        assert owner in shown.warning
    assert window(memory, "a-4").warning == ""


def test_an_anchor_of_another_conversation_is_refused(memory: Memory) -> None:
    put(memory, long("a", 9), long("b", 9))
    with pytest.raises(UsageError, match="another conversation"):
        window(memory, "b-4")
    for missing in ("nothing", "#9", "#-1", "#", "#" + "9" * 30, "a-4 "):
        with pytest.raises(NotFound, match="no message"):
            window(memory, missing)
    with pytest.raises(NotFound, match="no session 'nobody'"):
        window(memory, "a-4", session="nobody")


def test_a_bad_anchor_among_several_is_told_in_its_place(memory: Memory) -> None:
    put(memory, long("a", 30), long("b", 9))
    found: Any = memory.sessions(session="a", around=["a-3", "b-1", "zzz", "#20"], window=1)
    assert [bool(w.error) for w in found.windows] == [False, True, True, False]
    assert "another conversation" in found.windows[1].error
    assert "no message" in found.windows[2].error
    assert [m.id for m in found.windows[3].messages] == ["a-19", "a-20", "a-21"]
    assert found.as_json()["windows"][2] == {"around": "zzz", "error": found.windows[2].error}
    many: Any = memory.sessions(session="a", around=[f"a-{n}" for n in range(15)])
    assert len(many.windows) == 10
    assert "the first 10" in many.notes[0]


def test_numbers_are_ids_too(memory: Memory) -> None:
    messages = tuple(Message("user", f"row {n}", str(n)) for n in range(100, 110))
    put(memory, Document("h", "hermes", messages=messages, kind="session"))
    found: Any = memory.sessions(session="h", around=104, window=1)  # type: ignore[arg-type]
    assert [m.id for m in found.windows[0].messages] == ["103", "104", "105"]


ROLES = st.sampled_from(("user", "assistant", "tool", "rewound", "context"))


@settings(max_examples=60, deadline=None)
@given(roles=st.lists(ROLES, min_size=1, max_size=40), size=st.integers(1, 20), data=st.data())
def test_paging_forward_and_back_is_exact(roles: list[str], size: int, data: Any) -> None:
    seen = [f"a-{n}" for n, role in enumerate(roles) if role in ("user", "assistant")]
    with Memory(PlainStore(), config.load()) as memory:
        put(memory, talk("a", *((role, f"text {n}") for n, role in enumerate(roles))))
        if not seen:
            return
        at, passed = seen[0], [seen[0]]
        while at:
            page = window(memory, at, size)
            shown = [m.id for m in page.messages]
            assert at in shown
            if page.next:
                back = window(memory, page.next, size)
                assert at == back.previous or back.messages[0].id == at
                assert window(memory, back.messages[0].id, size).messages == page.messages
            passed += shown[shown.index(at) + 1 :]
            assert not page.next or page.next == shown[-1]
            at = page.next
        assert passed == seen
        at, passed = seen[-1], [seen[-1]]
        while at:
            page = window(memory, at, size)
            shown = [m.id for m in page.messages]
            passed[:0] = shown[: shown.index(at)]
            at = page.previous
        assert passed == seen
        start = data.draw(st.sampled_from(seen))
        place = seen.index(start)
        shown = [m.id for m in window(memory, start, size).messages]
        assert shown == seen[max(0, place - size) : place + size + 1]


# ------------------------------------------------------------------ read and browse


@pytest.mark.parametrize("count", [1, 20, 29, 30, 31, 75])
def test_reading_gives_the_first_twenty_and_the_last_ten(memory: Memory, count: int) -> None:
    put(memory, long("a", count))
    found: Any = memory.sessions(session="a")
    shown = [m.id for m in (*found.first, *found.last)]
    every = [f"a-{n}" for n in range(count)]
    assert shown == (every if count <= 30 else every[:20] + every[-10:])
    assert (found.total, found.left_out) == (count, max(0, count - 30))


def test_reading_passes_over_what_tools_said(memory: Memory) -> None:
    turns = [("user", "begin"), *[("tool", "output " * 50)] * 200, ("assistant", "done")]
    put(memory, talk("a", *turns))
    found: Any = memory.sessions(session="a")
    assert texts(found.first) == ["begin", "done"]
    assert found.hidden == {"roles": 200}


def test_browsing_lists_recent_conversations_by_their_last_message(memory: Memory) -> None:
    put(
        memory,
        talk("early", "Fix the  stove.\nIt smokes.", "Done: the flue\nwas blocked.", day=1,
             title="Stove"),
        talk("late", "What is for dinner?", "Soup.", day=9, title="Dinner"),
        talk("run", ("context", "cook"), "cooked", day=11, meta={"parent": "late",
                                                                 "relation": "subagent"}),
    )  # fmt: skip
    early = talk("resumed", "Begin.", "Begun.", day=0)
    resumed = (*early.messages, Message("user", "Go on.", "r", MARCH + timedelta(days=20)))
    put(memory, early._replace(messages=resumed))
    found: Any = memory.sessions()
    assert [line.session.session_id for line in found.sessions] == ["resumed", "late", "early"]
    stove = found.sessions[2]
    assert (stove.goal, stove.resolution) == ("Fix the stove. It smokes.",
                                              "Done: the flue was blocked.")  # fmt: skip
    assert (stove.messages, stove.lineage) == (2, 0)
    assert found.sessions[1].lineage == 1
    assert found.hidden == {"same lineage": 1}
    before: Any = memory.sessions(before="2026-03-05", exclude_sessions="resumed")
    assert [line.session.session_id for line in before.sessions] == ["early"]


def heads_only(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the store refuse to load a document with its messages."""
    get = memory.store.get

    def head(*args: Any, body: bool = True) -> Any:
        assert not body, "a message was loaded"
        return get(*args, body=False)

    monkeypatch.setattr(memory.store, "get", head)


def test_browsing_loads_no_message(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    put(memory, *(long(f"s{n}", 50) for n in range(5)))

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a message was loaded")

    heads_only(memory, monkeypatch)
    for name in ("passages", "search_text"):
        monkeypatch.setattr(memory.store, name, refuse)
    monkeypatch.setattr(memory.store.sessions, "turns", refuse)
    assert len(memory.sessions().as_json()["sessions"]) == 5


def test_a_window_of_a_huge_session_loads_only_the_window(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, long("a", 400))
    asked: list[int] = []
    turns = memory.store.sessions.turns

    def counted(id: str, *, start: int, count: int, roles: Any = None) -> Any:
        asked.append(abs(count))
        return turns(id, start=start, count=count, roles=roles)

    monkeypatch.setattr(memory.store.sessions, "turns", counted)
    heads_only(memory, monkeypatch)
    window(memory, "a-200")
    assert sum(asked) <= 20


def test_an_empty_store_answers(memory: Memory) -> None:
    assert memory.sessions().as_json()["sessions"] == []
    assert memory.sessions("walrus").as_json()["results"] == []
    found: Any = memory.sessions("where did we leave off?")
    assert found.hits == ()


# ------------------------------------------------------------------ bounds


def test_a_long_message_is_cut_and_its_size_is_told(memory: Memory) -> None:
    put(memory, talk("a", "word " * 2000, "x " * 3000 + "the walrus sleeps " + "y " * 3000, "ok"))
    found: Any = memory.sessions("walrus sleeps")
    before, anchor, after = found.hits[0].messages
    assert (before.truncated, before.size, len(before.text) <= MESSAGE) == (True, 10_000, True)
    assert anchor.truncated
    assert "walrus sleeps" in anchor.text
    assert anchor.text.startswith("…")
    assert anchor.text.endswith("…")
    assert (after.truncated, after.size, after.text) == (False, 2, "ok")


def test_an_answer_has_a_bound_and_no_message_is_left_out_for_it(memory: Memory) -> None:
    put(memory, talk("a", *(f"{n} " * 4000 for n in range(60))), talk("b", "short"))
    found: Any = memory.sessions(session="a", around=["a-20", "a-30", "a-40"], window=20)
    shown = [m for w in found.windows for m in w.messages]
    assert len(shown) == 41 + 41 + 40
    assert sum(len(m.text) for m in shown) <= RESPONSE
    assert all(m.truncated and m.text.strip("…") for m in shown)


@given(text=st.text(max_size=400), cap=st.integers(2, 300), at=st.integers(0, 400))
def test_a_cut_text_is_within_its_cap_and_is_part_of_the_text(text: str, cap: int, at: int) -> None:
    shown = clip(text, cap, text[at : at + 20])
    assert len(shown) <= max(cap, 2)
    assert shown == text or shown.strip("…") in text


# ------------------------------------------------------------------ questions that say how


def test_questions_are_routed_to_an_order_and_to_how_things_ended(memory: Memory) -> None:
    for day, last in ((1, "use Redis"), (5, "use Postgres"), (3, "use a file")):
        middle = [f"remark {n}" for n in range(20)]
        put(memory, talk(f"d{day}", "the session store", *middle, last, day=day))
    put(memory, talk("job", "cron ran", day=30, meta={"source": "cron"}))
    left: Any = memory.sessions("Where did we leave off?")
    assert ids(left) == ["d5", "d3", "d1"]
    assert left.hits[0].messages[-1].text == "use Postgres"
    assert left.hits[0].evidence == ("recent",)
    first: Any = memory.sessions("When did we first discuss the session store?")
    assert (ids(first), first.sort) == (["d1", "d3", "d5"], "oldest")
    status: Any = memory.sessions("latest status of the session store")
    assert ids(status) == ["d5", "d3", "d1"]
    assert [hit.closing[-1].text for hit in status.hits] == ["use Postgres", "use a file",
                                                             "use Redis"]  # fmt: skip
    assert status.routed == "state: “latest status of”"
    decided: Any = memory.sessions("what did we decide about the session store?")
    assert decided.sort == "relevance"
    assert all(hit.closing for hit in decided.hits)
    mine: Any = memory.sessions("latest status of the session store", sort="oldest")
    assert ids(mine) == ["d1", "d3", "d5"]


# ------------------------------------------------------------------ real logs, engines, surfaces

SHOP = Path(__file__).parent / "fixtures" / "sessions" / "claude-code" / "shop"


def test_a_log_with_a_rewind_a_fork_and_a_subagent(memory: Memory) -> None:
    memory.add(SHOP)
    taken_back: Any = memory.sessions("use Redis then")
    assert all("Use Redis then." not in texts(hit.messages) for hit in taken_back.hits)
    assert taken_back.hidden["rewound"] == 1
    charge: Any = memory.sessions("double-charge at checkout", limit=10)
    roots = [hit.session.parent_session_id or hit.session.session_id for hit in charge.hits]
    assert len(roots) == len(set(roots))


def test_the_engines_agree(tmp_path: Path, embedder: HashEmbedder) -> None:
    from recollect.storage import open_store

    documents = [long("a", 30), rewound("b"), talk("c", "remark upon a walrus", day=3),
                 talk("d", "remark", meta={"parent": "a", "relation": "fork"}, day=4)]  # fmt: skip
    answers = []
    for store in (PlainStore(), open_store(str(tmp_path / "other"))):
        with Memory(store, config.load(), embedder) as memory:
            put(memory, *documents)
            calls: list[dict[str, Any]] = [
                {"query": "walrus remark"}, {"query": "where did we leave off?"}, {},
                {"session": "b", "roles": "all"}, {"session": "a", "around": "a-9"},
            ]  # fmt: skip
            made = [memory.sessions(call.pop("query", None), **call).as_json() for call in calls]
            for one in made:
                one.pop("stages", None), one.pop("timing_ms", None)
            answers.append(made)
    assert answers[0] == answers[1]


def test_every_shape_is_json_with_a_version(memory: Memory) -> None:
    put(memory, long("a"))
    calls: list[Any] = [("remark", {}), (None, {"session": "a"}), (None, {}),
                        (None, {"session": "a", "around": "a-1"})]  # fmt: skip
    for query, options in calls:
        made = memory.sessions(query, **options).as_json()
        assert made["schema_version"] == 1
        assert json.loads(json.dumps(made)) == made


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        put(memory, talk("a", "How are the boats?", "The harbour freezes.", title="Boats"),
            long("b", 45, title="Remarks"))  # fmt: skip
    store = ("--store", str(tmp_path / "store"))
    found = cli(*store, "sessions", "the", "harbour", "freezes")
    assert found.code == 0
    assert "Boats" in found.out
    assert "› assistant a-1" in found.out
    assert cli(*store, "sessions", "harbour", "--json").json["results"][0]["session_id"] == "a"
    assert max(map(len, found.out.splitlines())) <= 80
    listed = cli(*store, "sessions")
    assert "→ remark 43 of b" in listed.out
    assert "→ The harbour freezes." in listed.out
    read = cli(*store, "sessions", "--session", "b")
    assert "15 more of 45 messages" in read.out
    page = cli(*store, "sessions", "--session", "b", "--around", "b-20", "--window", "2")
    assert "--around b-18 goes back; --around b-22 goes on" in page.out
    several = cli(*store, "sessions", "--session", "b", "--around", "b-1", "--around", "zzz")
    assert several.code == 0
    assert "zzz: there is no message" in several.out
    assert cli(*store, "sessions", "xylophone").code == 3
    assert "searched: 2 sessions" in cli(*store, "sessions", "xylophone").out
    assert cli(*store, "sessions", "--session", "nobody").code == 3
    assert cli(*store, "sessions", "x", "--role", "usr").code == 2
    assert "did you mean 'user'" in cli(*store, "sessions", "x", "--role", "usr").err
    assert "window is 20, not 99" in cli(*store, "sessions", "harbour", "--window", "99").err
    unknown = cli(*store, "sessions", "did we ever discuss zebras?")
    assert unknown.code == 3
    assert "nothing here has “zebras”" in unknown.out
    assert "zebras" not in unknown.err
