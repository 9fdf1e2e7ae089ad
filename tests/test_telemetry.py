"""Counting searches: what is counted, by several processes at once, and that no search notices."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from recollect import Answer, Document, Memory
from recollect.errors import StoreBusy, StoreCorrupt, StoreTooNew
from recollect.memory.usage import MOMENT, Recorder
from recollect.nouns import Budget, CacheReport, Named, Result
from recollect.storage import open_ledger
from recollect.telemetry import STEPS, Figures, Tally, Usage, counted

"""A test that runs over midnight may fail; the next one does not."""


def today() -> str:
    """Asked for anew: a run may go on past midnight."""
    return date.today().isoformat()


@pytest.fixture(autouse=True)
def by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of twelve notes about boats."""
    with Memory.open(tmp_path / "store") as memory:
        memory.put(
            Document(f"boat-{n}", "harbour", f"The boat of berth {n} was painted.")
            for n in range(12)
        )
    return tmp_path / "store"


def answer(**changes: Any) -> Answer:
    """A plain answer with two results, changed."""
    result = Result(
        "d:0", "d", "d", "note", "s", "", "", "", "", None, "text", 1.0, 0.9, (), (), 100
    )
    made = Answer(
        query="a secret question",
        status="direct_passages",
        tier=3,
        mode="balanced",
        intent="general",
        confidence=0.9,
        results=(result, result),
        total_found=10,
        hidden={},
        degraded=(),
        budget=Budget(12_000, 200, 2, 0, 0),
        fingerprint="f",
        stages=(),
        timing_ms=10.0,
    )
    return made._replace(**changes)


def calls(store: Path, days: int = 30) -> int:
    with Memory.open(store) as memory:
        return memory.admin.stats(days).total.calls


# ------------------------------------------------------------------ what one search adds


def test_an_answer_adds_its_status_grade_tokens_and_time() -> None:
    step = 13  # 10 ms is between 2**(13/4) and 2**(14/4)
    assert counted(answer()) == Counter(
        {
            "calls": 1,
            "status.direct_passages": 1,
            "cache.off": 1,
            "grade.4": 1,
            f"ms.{step}": 1,
            "results": 2,
            "tokens.used": 200,
            "tokens.everything": 1000,
        }
    )
    assert 2 ** (step / STEPS) <= 10 < 2 ** ((step + 1) / STEPS)


@pytest.mark.parametrize(
    ("status", "tier", "name"),
    [("off", 3, "off"), ("miss", 3, "miss"), ("hit", 0, "hit"), ("hit", 1, "near")],
)
def test_the_cache_is_counted_by_how_it_served(status: Any, tier: int, name: str) -> None:
    found = counted(answer(cache=CacheReport(status), tier=tier))
    assert [key for key in found if key.startswith("cache.")] == [f"cache.{name}"]


@pytest.mark.parametrize(
    ("confidence", "band"), [(0.0, 0), (0.19, 0), (0.2, 1), (0.6, 3), (0.999, 4), (1.0, 4)]
)
def test_grades_are_counted_in_bands(confidence: float, band: int) -> None:
    assert counted(answer(confidence=confidence))[f"grade.{band}"] == 1


NEAR = Named("a", "a", "note", "b", "", None, (), 0.1)


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"hidden": {"since": 3, "kinds": 9}}, "filter.kinds"),
        ({"hidden": {"since": 3}, "named": (NEAR,)}, "filter.since"),
        ({"named": (NEAR,)}, "graded_low"),
        ({}, "nothing_found"),
        ({"hidden": {"what a store made up": 3}}, "nothing_found"),
    ],
)
def test_an_empty_answer_is_counted_by_its_cause(changes: dict[str, Any], cause: str) -> None:
    nothing: dict[str, Any] = {
        "status": "no_results",
        "results": (),
        "budget": Budget(12_000, 0, 0, 0, 0),
    }
    found = counted(answer(**nothing, **changes))
    assert [key for key in found if key.startswith("empty.")] == [f"empty.{cause}"]
    assert found["tokens.everything"] == 0


def test_drops_and_cuts_and_degradation_are_counted() -> None:
    found = counted(answer(budget=Budget(200, 200, 2, 7, 1), degraded=("no vectors", "no more")))
    assert (found["dropped"], found["truncated"], found["degraded"]) == (7, 1, 1)


@given(st.lists(st.floats(0.01, 100_000), min_size=1, max_size=60), st.sampled_from([0.5, 0.95]))
def test_a_percentile_from_the_histogram_is_right_within_a_step(
    times: list[float], share: float
) -> None:
    figures = Figures(sum((counted(answer(timing_ms=ms)) for ms in times), Counter()))
    found = figures.percentile(share)
    assert found is not None
    within = sum(ms <= found * 2 ** (1 / STEPS) for ms in times)
    assert within >= share * len(times)
    below = sum(ms < found / 2 ** (1 / STEPS) for ms in times)
    assert below <= share * len(times)


# ------------------------------------------------------------------ a known sequence


def test_the_figures_of_a_known_sequence_are_right(store: Path) -> None:
    with Memory.open(store) as memory:
        for _ in range(3):
            memory.search("boat berth 3", mode="conservative")
        used = memory.search("boat").budget.used
        memory.search("boat", kinds=["session"])
        memory.search("zeppelin")
        memory.ask(memory.query("boat"))  # what evals do is not counted
        found = memory.admin.stats()
    assert found.total.calls == 6
    assert found.of_mode("conservative").calls == 3
    assert found.of_mode("balanced").counts["tokens.used"] == used
    assert found.total.under("status")["no_results"] == 2
    assert found.total.under("empty") == {"filter.kinds": 1, "nothing_found": 1}
    assert [key for (key,) in found.by("day")] == [today()]
    assert sum(found.total.grades) == sum(found.total.under("ms").values()) == 6
    assert found.total.hit_rate is None or 0 <= found.total.hit_rate <= 1


def test_hit_rate_and_savings_are_computed_from_the_sums() -> None:
    kinds: list[tuple[Any, int]] = (
        [("hit", 0)] * 3 + [("hit", 1)] * 2 + [("miss", 3)] * 5 + [("off", 3)] * 4
    )
    counts = Counter[str]()
    for status, tier in kinds:
        counts += counted(answer(cache=CacheReport(status), tier=tier))
    figures = Figures(counts)
    assert (figures.calls, figures.probes, figures.hits, figures.hit_rate) == (14, 10, 5, 0.5)
    assert (figures.used, figures.saved) == (14 * 200, 14 * 800)


def test_only_the_days_that_are_asked_for_count(store: Path) -> None:
    ledger = open_ledger(str(store))
    for ago in (0, 6, 7, 399, 401):
        day = (date.today() - timedelta(days=ago)).isoformat()
        ledger.add([Tally(day, "balanced", "general", Counter(calls=1))])
    ledger.close()
    assert [calls(store, days) for days in (1, 7, 8, 400)] == [1, 2, 3, 4]


def test_days_that_are_too_old_are_dropped(store: Path) -> None:
    old = (date.today() - timedelta(days=401)).isoformat()
    ledger = open_ledger(str(store))
    ledger.add([Tally(old, "balanced", "general", Counter(calls=1))])
    assert len(ledger.rows("")) == 1
    ledger.add([Tally(today(), "balanced", "general", Counter(calls=1))])
    assert [tally.day for tally in ledger.rows("")] == [today()]
    ledger.close()


@pytest.mark.parametrize("days", [0, -1, 401])
def test_a_time_that_is_not_kept_is_refused(cli: Cli, days: int) -> None:
    assert cli("stats", "--days", str(days)).code == 2


def test_a_store_in_memory_counts_as_long_as_it_lasts() -> None:
    with Memory.open("memory://") as memory:
        memory.search("boat")
        assert memory.admin.stats().total.calls == 1
        memory.admin.clear_stats()
        assert memory.admin.stats().total.calls == 0


def test_nothing_is_counted_when_it_is_switched_off(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_TELEMETRY", "false")
    with Memory.open(store) as memory:
        memory.search("boat")
        assert memory.admin.stats() == Usage(
            memory.admin.stats().first, today(), (), recording=False
        )
    assert not list(store.glob("usage.db*"))


# ------------------------------------------------------------------ privacy


def test_no_word_of_a_question_or_of_a_document_is_in_the_file(cli: Cli, tmp_path: Path) -> None:
    note = tmp_path / "zanzibar.md"
    note.write_text("# Xylophone\n\nThe quokka keeps a marimba.\n")
    place = tmp_path / "store"
    cli("add", str(note), "--store", str(place), "--source", "vuvuzela")
    for query in ("quokka marimba", "Xylophone", "umbrella kumquat"):
        cli("search", query, "--store", str(place), "--source", "vuvuzela")
    cli("search", "quokka", "--store", str(place), "--scope", "bassoon", "--owner", "theremin")
    assert calls(place) == 4
    with Memory.open(place) as memory:  # with the write-ahead log still there
        memory.search("quokka marimba kumquat")
        memory.admin.stats()
        kept = b"".join(file.read_bytes() for file in place.glob("usage.db*")).lower()
        ids = [document.id for document in memory.list().items]
    assert b"balanced" in kept
    words = "quokka marimba xylophone umbrella kumquat zanzibar vuvuzela bassoon theremin"
    for word in (*words.split(), *ids):
        assert word.encode() not in kept


def test_the_file_is_for_the_user_alone(store: Path) -> None:
    with Memory.open(store) as memory:
        memory.search("boat")
        memory.admin.stats()
    assert (store / "usage.db").stat().st_mode & 0o077 == 0


# ------------------------------------------------------------------ several processes, and kills

SEARCHER = """
import sys, time
from recollect import Memory
with Memory.open(sys.argv[1]) as memory:
    for n in range(int(sys.argv[2])):
        memory.search("boat")
        print(n + 1, flush=True)
        time.sleep(float(sys.argv[3]))
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_several_processes_at_once_lose_nothing(store: Path) -> None:
    processes = [start(SEARCHER, store, 25, 0) for _ in range(4)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert calls(store) == 100


def test_several_threads_at_once_lose_nothing(store: Path) -> None:
    with Memory.open(store) as memory:
        threads = [
            threading.Thread(target=lambda: [memory.search("boat") for _ in range(10)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert memory.admin.stats().total.calls == 40


def test_a_process_that_closes_nothing_is_counted_as_well(store: Path) -> None:
    script = "import sys\nfrom recollect import Memory\nMemory.open(sys.argv[1]).search('boat')"
    process = start(script, store)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert calls(store) == 1


def test_a_kill_loses_the_record_in_flight_and_nothing_else(store: Path) -> None:
    said = 0
    for count in (3, 7, 12):
        process = start(SEARCHER, store, 100_000, 0.02)
        assert process.stdout is not None
        for _ in range(count):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        said += count + len([line for line in out.split("\n")[:-1] if line])
    # Each kill may have caught one search before it was written, or one that was not told yet.
    assert said - 3 <= calls(store) <= said + 3


def test_a_fork_neither_counts_nor_hangs(store: Path) -> None:
    script = """
import os, sys
from recollect import Memory
memory = Memory.open(sys.argv[1])
memory.search("boat")
memory.admin.stats()
child = os.fork()
if child == 0:
    memory.core.recorder.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
memory.search("boat")
memory.close()
"""
    process = start(script, store)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert calls(store) == 2


# ------------------------------------------------------------------ a ledger in trouble


def test_a_locked_ledger_delays_nothing_and_is_written_when_it_is_free(store: Path) -> None:
    with Memory.open(store) as memory:
        memory.search("boat")
        memory.admin.stats()
        holder = sqlite3.connect(store / "usage.db", isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        for _ in range(5):
            assert memory.search("boat").results
        assert memory.admin.stats().total.calls == 1  # what others see already can still be read
        holder.execute("ROLLBACK")
        holder.close()
        for _ in range(20):
            if memory.admin.stats().total.calls == 6:
                break
        assert memory.admin.stats().total.calls == 6


def test_a_ledger_that_stays_locked_ends_no_process_late(store: Path) -> None:
    with Memory.open(store) as memory:
        memory.search("boat")
    holder = sqlite3.connect(store / "usage.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    ending = threading.enumerate()
    with Memory.open(store) as memory:
        memory.search("boat")
        new = [one for one in threading.enumerate() if one not in ending]
        (thread,) = [one for one in new if one.name == "recollect-usage"]
    # It has given up, or is about to: closing waited for a moment and no longer.
    thread.join(10 * MOMENT)
    assert not thread.is_alive()
    holder.execute("ROLLBACK")
    holder.close()


TROUBLE = ("garbage", "a folder", "of a later version", "torn")


def spoil(file: Path, trouble: str) -> None:
    if trouble == "garbage":
        file.write_bytes(os.urandom(8192))
    elif trouble == "a folder":
        file.mkdir()
    elif trouble == "of a later version":
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        ledger = open_ledger(str(file.parent))
        ledger.add([Tally(today(), "m", "i", Counter({f"name.{n}": n for n in range(999)}))])
        ledger.close()
        whole = file.read_bytes()
        file.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))


@pytest.mark.parametrize("trouble", TROUBLE)
def test_a_spoilt_ledger_is_told_by_stats_and_by_no_search(
    cli: Cli, store: Path, trouble: str
) -> None:
    spoil(store / "usage.db", trouble)
    for _ in range(2):
        found = cli("search", "boat", "--store", str(store))
        assert (found.code, "usage" in found.err) == (0, False)
    told = cli("stats", "--store", str(store), "--json")
    assert told.code == 1
    assert "usage.db" in told.json["error"]["message"]
    if trouble != "a folder":
        assert "stats --clear" in told.json["error"]["hint"]
        assert cli("stats", "--store", str(store), "--clear").code == 0
        assert cli("search", "boat", "--store", str(store)).code == 0
        assert calls(store) == 1


def test_what_could_not_be_written_is_told_and_kept_until_it_can(store: Path) -> None:
    (store / "usage.db").mkdir()
    with Memory.open(store) as memory:
        recorder = memory.core.recorder
        assert recorder is not None
        memory.search("boat")
        recorder.settle()
        assert "usage.db" in recorder.problem
        (store / "usage.db").rmdir()
        memory.search("boat")
    assert calls(store) == 2  # closing has tried once more


def test_the_errors_of_a_ledger_say_whose_fault_it_is(tmp_path: Path) -> None:
    (tmp_path / "usage.db").write_bytes(b"no database" * 1000)
    ledger = open_ledger(str(tmp_path))
    with pytest.raises(StoreCorrupt):
        ledger.add([Tally(today(), "m", "i", Counter(calls=1))])
    with pytest.raises(StoreCorrupt):
        ledger.rows("")
    ledger.clear()
    ledger.add([Tally(today(), "m", "i", Counter(calls=1))])
    holder = sqlite3.connect(tmp_path / "usage.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        ledger.add([Tally(today(), "m", "i", Counter(calls=1))])
    holder.execute("ROLLBACK")
    holder.execute("PRAGMA user_version = 99")
    holder.close()
    ledger.close()
    with pytest.raises(StoreTooNew):
        ledger.rows("")


def test_a_recorder_survives_a_ledger_that_raises_anything() -> None:
    class Broken:
        def add(self, tallies: object) -> None:
            raise ZeroDivisionError("dust")

        def rows(self, since: str) -> list[Tally]:
            return []

        def clear(self) -> None: ...

        def close(self) -> None: ...

    recorder = Recorder(Broken())
    for _ in range(3):
        assert recorder.noted(answer()) == answer()
    recorder.settle()
    assert recorder.problem == "dust"
    recorder.close()
    assert recorder.noted(answer()) == answer()  # also after it was closed
    recorder.close()


# ------------------------------------------------------------------ recollect stats


def test_stats_of_a_store_that_was_never_asked(cli: Cli) -> None:
    done = cli("stats")
    assert done.code == 3
    assert "no search was counted" in done.out
    assert cli("stats", "--json").json["total"]["calls"] == 0


def test_stats_prints_a_table_and_the_same_as_json(cli: Cli, store: Path) -> None:
    for query in ("boat", "boat berth", "zeppelin"):
        cli("search", query, "--store", str(store))
    shown = cli("stats", "--store", str(store)).out
    for part in ("3 searches on 1 of 30 days", "nothing known 33% (1)", "by mode", "by intent",
                 "balanced", today(), "nothing was there 1", "estimated"):  # fmt: skip
        assert part in shown
    told = cli("stats", "--store", str(store), "--json").json
    assert told["total"]["calls"] == 3
    assert told["total"]["empty"] == {"nothing_found": 1}
    assert [row["day"] for row in told["by_day"]] == [today()]
    assert told["total"]["latency_ms"]["p50"] <= told["total"]["latency_ms"]["p95"]


@pytest.mark.parametrize("days", ["1", "30", "400"])
def test_the_picture_has_four_panels_and_is_well_formed(cli: Cli, store: Path, days: str) -> None:
    cli("search", "boat", "--store", str(store))
    done = cli("stats", "--store", str(store), "--days", days, "--plot")
    assert "drawn in recollect-stats.svg" in done.out
    drawn = ElementTree.parse("recollect-stats.svg").getroot()
    texts = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Answered from the cache", "Answers", "Time of a search", "Tokens"} <= texts
    assert "1 search" in texts


def test_the_picture_of_nothing_is_a_picture(cli: Cli) -> None:
    assert cli("stats", "--plot", "empty.svg").code == 3
    assert ElementTree.parse("empty.svg").getroot().tag.endswith("svg")


def test_a_picture_that_cannot_be_written_is_an_error(cli: Cli) -> None:
    assert cli("stats", "--plot", "picture.png").code == 2
    assert cli("stats", "--plot", "no-such-folder/picture.svg").code == 1
    assert cli("stats", "--plot", "--clear").code == 2


def test_a_search_by_command_is_counted_and_told_by_the_next(cli: Cli, store: Path) -> None:
    command = [sys.executable, "-m", "recollect", "search", "boat", "--store", str(store), "--json"]
    for _ in range(2):
        assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert cli("stats", "--store", str(store), "--json").json["total"]["calls"] == 2


def test_closing_while_another_thread_begins_to_count_fails_never(tmp_path: Path) -> None:
    for n in range(150):
        recorder = Recorder(open_ledger(str(tmp_path / str(n % 3))))
        begins = threading.Thread(target=recorder.begin)
        begins.start()
        recorder.close()  # somewhere in the middle of it
        begins.join()
        recorder.close()
