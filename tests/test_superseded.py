"""A document that says which other took its place gives way to it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory, config
from recollect.nouns import Document
from recollect.storage import open_store
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note

OLD, NEW = "The job queue is kept in Redis.", "Jobs of the queue are rows of PostgreSQL."


def kept(*documents: Document) -> Memory:
    memory = Memory(open_store("memory://"), config.load(), None)
    memory.put(documents)
    return memory


def asked(memory: Memory, question: str = "job queue", **options: Any) -> list[str]:
    return [r.document for r in memory.search(question, cache=False, **options).results]


def pair(old: str, new: str, says: object, **meta: object) -> tuple[Document, Document]:
    path = old if "." in old else ""
    return (
        note(old, OLD, title="Use Redis", path=path, meta={"superseded_by": says}),
        note(new, NEW, title="Use Postgres", path=new if path else "", meta=meta),
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("adr/0003-redis.md", "adr/0007-postgres.md", [7]),
        ("adr/0003-redis.md", "adr/0007-postgres.md", "ADR-0007"),
        ("adr/3-redis.md", "adr/12-postgres.md", 12),
        ("pep-0005", "pep-0387", "387"),
        ("pep-0005", "pep-0387", "999, 387"),
        ("notes/queue.md", "notes/queue-2.md", "queue-2.md"),
        ("notes/queue.md", "notes/new/queue.md", "./new/queue.md"),
        ("notes/queue.md", "later.md", "[[later]]"),
        ("notes/queue.md", "notes/later.md", "[the new one](later.md)"),
        ("d-1", "queue of today", "queue of today"),
    ],
)
def test_what_took_its_place_is_told_instead(old: str, new: str, says: object) -> None:
    with kept(*pair(old, new, says)) as memory:
        answer = memory.search("redis job queue", cache=False)
        assert [r.document for r in answer.results] == [new]
        assert "“Use Redis” was superseded by “Use Postgres”" in answer.hints
        (result,) = answer.results
        assert "successor" in result.evidence
        assert sum(part.value for part in result.contributions) == pytest.approx(result.score)
        assert [s.document for s in memory.gather("redis job queue").sections] == [new]
        assert memory.get(old).text == OLD  # it is kept, and there for whoever asks for it


def test_its_grade_is_that_of_what_it_stands_for() -> None:
    old, new = pair("pep-0005", "pep-0387", "387")
    with kept(old, new) as memory:
        after = memory.search("redis", cache=False)
    with kept(old._replace(meta={}), new) as memory:
        before = memory.search("redis", cache=False)
    assert (after.confidence, after.results[0].confidence) == pytest.approx(
        (before.confidence, before.results[0].confidence)
    )


def test_the_end_of_a_chain_is_told() -> None:
    chain = [
        note(f"adr-{n}", f"The job queue, version {n}.", title=f"Queue {n}",
             meta={"superseded_by": n + 1} if n < 4 else {})
        for n in range(1, 5)
    ]  # fmt: skip
    with kept(*chain) as memory:
        assert asked(memory, "job queue version 1") == ["adr-4"]


def test_two_that_say_it_of_each_other_both_stay() -> None:
    one, two = pair("adr-1", "adr-2", 2, superseded_by=1)
    with kept(one, two) as memory:
        assert set(asked(memory)) == {"adr-1", "adr-2"}


def test_the_newer_one_may_be_the_one_that_says_so() -> None:
    old, new = pair("adr-3", "adr-7", None, supersedes=[3], status="accepted")
    with kept(old, new) as memory:
        assert asked(memory) == ["adr-7"]
    for status in ("draft", "Rejected", "withdrawn"):
        with kept(old, new._replace(meta={"replaces": "3", "status": status})) as memory:
            assert set(asked(memory)) == {"adr-3", "adr-7"}


def test_replacing_is_another_thing_without_a_status() -> None:
    old, new = pair("queue-1", "queue-2", None, replaces="queue-1")
    with kept(old, new) as memory:
        assert set(asked(memory)) == {"queue-1", "queue-2"}
    with kept(old, new._replace(meta={"replaces": "queue-1", "status": "Final"})) as memory:
        assert asked(memory) == ["queue-2"]


def test_a_chain_that_only_the_newer_ones_tell_ends_with_the_newest() -> None:
    chain = [
        note(f"adr-{n}", f"The job queue, version {n}.", title=f"Queue {n}",
             meta={"supersedes": [n - 1]})
        for n in range(1, 5)
    ]  # fmt: skip
    with kept(*chain) as memory:
        assert asked(memory, "job queue version 1") == ["adr-4"]


@pytest.mark.parametrize("says", [None, "", 99, "nowhere.md", "<number>", {"a": 1}, [None], 7.5])
def test_what_nothing_here_took_the_place_of_stays(says: object) -> None:
    with kept(*pair("adr-3", "adr-7", says)) as memory:
        assert "adr-3" in asked(memory)


def test_another_source_is_another_numbering() -> None:
    old, new = pair("adr-3", "adr-7", 7)
    with kept(old, new._replace(source="elsewhere")) as memory:
        assert "adr-3" in asked(memory)


def test_what_may_not_be_seen_took_nobodys_place() -> None:
    old, new = pair("adr-3", "adr-7", 7)
    with kept(old, new._replace(owner="ana")) as memory:
        answer = memory.search("redis job queue", owner="local", cache=False)
        assert [r.document for r in answer.results] == ["adr-3"]
        assert not any("superseded" in hint for hint in answer.hints)


def test_a_question_about_the_past_gets_both() -> None:
    with kept(*pair("adr-3", "adr-7", 7)) as memory:
        assert "adr-3" in asked(memory, "what was the job queue before")
        assert "adr-3" in asked(memory, "superseded job queue")


@pytest.mark.parametrize("then", ["today", "this year", "tomorrow", "since January"])
def test_a_time_that_is_not_over_is_not_the_past(then: str) -> None:
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    with kept(*pair("adr-3", "adr-7", 7)) as memory:
        question = f"which job queue in Redis do we use {then}?"
        assert asked(memory, question, now=now) == ["adr-7"]
        assert "adr-3" in asked(memory, "which job queue did we use last year?", now=now)


def test_an_age_is_not_the_past() -> None:
    with kept(*pair("adr-3", "adr-7", 7)) as memory:
        assert asked(memory, "how old is the job queue in Redis?") == ["adr-7"]
        assert "adr-3" in asked(memory, "the old job queue")


def test_what_held_at_a_time_is_told() -> None:
    old, new = pair("adr-3", "adr-7", 7)
    with kept(old, new._replace(date=datetime(2025, 6, 1, tzinfo=UTC))) as memory:
        assert "adr-3" in asked(memory, as_of="2025-01-01")
        assert asked(memory, as_of="2025-07-01") == ["adr-7"]
    with kept(old, new._replace(date=None)) as memory:  # nobody knows since when
        assert "adr-3" in asked(memory, as_of="2025-07-01")


def test_records_that_are_imported_from_files(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0003-use-redis.md").write_text(
        f"# 3. Use Redis\n\n## Status\n\nSuperseded by [ADR 7](0007-use-postgres.md)\n\n{OLD}\n"
    )
    (folder / "0007-use-postgres.md").write_text(
        f"# 7. Use Postgres\n\n## Status\n\nAccepted\n\n{NEW}\n"
    )
    (folder / "0071-use-pens.md").write_text("# 71. Use pens\n\n## Status\n\nAccepted\n\nPens.\n")
    assert cli("add", str(tmp_path / "docs"), "--no-embed").code == 0
    told = cli("search", "redis job queue", "--by", "keyword")
    assert "“Use Redis” was superseded by “Use Postgres”" in told.out + told.err
    with Memory(EmbeddedStore(config.data_folder() / "store"), config.load(), None) as memory:
        assert [Path(name).name for name in asked(memory, "redis job queue")] == [
            "0007-use-postgres.md"
        ]


@pytest.mark.parametrize("question", ["ADR 0003", "adr-3", "ADR 3"])
def test_a_decision_that_is_asked_for_by_its_number_is_shown_whatever_took_its_place(
    question: str, tmp_path: Path
) -> None:
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "0003-redis.md").write_text(
        f"# ADR 0003: Use Redis\nDate: 2026-01-15\nStatus: Superseded by ADR 0007\n\n{OLD}\n"
    )
    (folder / "0007-postgres.md").write_text(
        f"# ADR 0007: Use Postgres\nStatus: Accepted\n\nReplaces ADR 0003. {NEW}\n"
    )
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(folder)
        found = memory.search(question, cache=False)
        assert (found.results[0].kind, found.results[0].title) == ("decision", "Use Redis")
        assert "Postgres" in memory.search("where is the job queue kept?").results[0].title
