"""What was answered before is served again, as long as a search could give nothing else."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import HashEmbedder
from recollect import Memory, config
from recollect.errors import QueryError
from recollect.nouns import Answer, CacheReport
from recollect.ports import Cache, CachedAnswer, PastRequest
from recollect.reading import pipeline
from recollect.reading.cache.lookup import AnswerCache, CacheRules
from recollect.reading.cache.packing import packed, unpacked
from recollect.storage import open_cache, open_store
from recollect.storage.embedded.cache import FILE, EmbeddedCache
from recollect.storage.plain.cache import PlainCache
from recollect.testing.builders import note, session

WORKER = Path(__file__).parent / "recall_worker.py"


def opened(folder: Path, **settings: Any) -> Memory:
    """A store with its cache, and an embedder that needs no model."""
    config_ = config.load({name.replace("_", ".", 1): v for name, v in settings.items()})
    return Memory(
        open_store(str(folder)), config_, HashEmbedder(),
        cache=open_cache(str(folder), config_["cache.size"]),
    )  # fmt: skip


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "store") as memory:
        memory.put(
            [
                note("deploy", "We deploy every Friday at noon.", title="Deploying"),
                note("redis", "Sessions were kept in redis until October.", source="adr"),
                session("talk", ("user", "why is the build red?"), ("assistant", "a flaky test")),
            ]
        )
        memory.models.embed()
        yield memory


def said(answer: Answer) -> Answer:
    """What is answered, without how and when that came about."""
    return answer._replace(tier=0, cache=CacheReport(), stages=(), timing_ms=0.0)


# ------------------------------------------------------------------ tier 0


def test_the_same_question_is_served_again_with_its_status(harbour: Memory) -> None:
    first = harbour.search("when do we deploy?")
    again = harbour.search("when do we deploy?")
    assert (first.cache.status, first.tier) == ("miss", 3)
    assert (again.cache.status, again.tier) == ("hit", 0)
    assert again.cache.age_seconds is not None
    assert said(again) == said(first)
    assert again.stages[2].name == "cache"
    assert "earlier fuse" in [stage.name for stage in again.stages]


def test_every_part_of_the_request_counts(harbour: Memory) -> None:
    ways: list[dict[str, Any]] = [
        {}, {"limit": 3}, {"budget": 500}, {"mode": "conservative"}, {"by": "keyword"},
        {"detail": "snippet"}, {"recency": 0.5}, {"min_confidence": 0.1}, {"owner": "local"},
        {"scopes": ["universal"]}, {"sources": ["tests"]}, {"kinds": ["note"]},
        {"since": "2020-01-01"}, {"until": "2099-01-01"}, {"as_of": "2026-01-01"},
        {"facts": False}, {"relax": ["since"], "since": "2020-01-01"},
    ]  # fmt: skip
    for way in ways:
        assert harbour.search("deploy sessions", **way).cache.status == "miss", way
    for way in ways:
        assert harbour.search("deploy sessions", **way).tier == 0, way


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.put([note("new", "We deploy on Mondays.")]),
        lambda m: m.put([note("deploy", "We deploy at night.", title="Deploying")]),
        lambda m: m.forget("redis"),
        lambda m: m.remember("Deploying needs two people", name="four eyes"),
        lambda m: m.record("decision", "No deploys in December."),
    ],
    ids=["add", "edit", "forget", "remember", "record"],
)
def test_any_write_in_sight_ends_it(harbour: Memory, change: Any) -> None:
    harbour.search("when do we deploy?")
    change(harbour)
    assert harbour.search("when do we deploy?").cache.status == "miss"


def test_facts_that_change_end_it(harbour: Memory) -> None:
    harbour.remember("Friday is deploy day", name="deploy day")
    for change in (
        lambda: harbour.curation.pin("deploy day"),
        lambda: harbour.curation.alias("deploy day", "ship day"),
        lambda: harbour.forget("deploy day"),
    ):
        harbour.search("sessions in redis")
        assert harbour.search("sessions in redis").tier == 0
        change()
        assert harbour.search("sessions in redis").cache.status == "miss"


def test_vectors_that_arrive_end_it(harbour: Memory) -> None:
    harbour.put([note("later", "The pier is closed in winter.")])
    harbour.search("is the pier open?")
    harbour.models.embed()
    assert harbour.search("is the pier open?").cache.status == "miss"


def test_a_write_out_of_sight_does_not(harbour: Memory) -> None:
    first = harbour.search("sessions", sources=["adr"])
    harbour.put([note("elsewhere", "Sessions last a day.")])
    again = harbour.search("sessions", sources=["adr"])
    assert again.tier == 0
    assert [r.id for r in again.results] == [r.id for r in first.results]
    assert again.hidden["sources"] == first.hidden.get("sources", 0) + 1, (
        "what is hidden is counted"
    )


def test_another_process_sees_what_the_first_has_answered_and_written(harbour: Memory) -> None:
    folder = Path(harbour.status().store.location)
    harbour.search("when do we deploy?")
    with opened(folder) as other:
        assert other.search("when do we deploy?").tier == 0
        other.put([note("new", "We deploy on Mondays.")])
    assert harbour.search("when do we deploy?").cache.status == "miss"


def test_other_models_and_other_versions_have_their_own(harbour: Memory) -> None:
    harbour.search("when do we deploy?")
    query = harbour.query("when do we deploy?")
    models = harbour.core.models(query.policy)
    cache = harbour.core.cache
    assert cache is not None

    def asked(rules: CacheRules, **other: Any) -> str:
        before = AnswerCache(cache, rules)
        found = pipeline.answer(query, harbour.store, models._replace(**other), before)
        return found.cache.status

    from recollect import __version__

    same = CacheRules(program=__version__)
    assert asked(same) == "hit"
    assert asked(same._replace(program="0.0.0")) == "miss"
    assert asked(same, reranker_note="it is gone") == "miss"
    assert asked(same, embedder=None) == "miss"


def test_facts_begin_and_end_by_themselves(
    harbour: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    harbour.remember(
        "Deploying is frozen", name="freeze", valid_from=now + timedelta(minutes=10),
        valid_to=now + timedelta(minutes=20),
    )  # fmt: skip

    def at(minutes: float) -> Answer:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
                return now + timedelta(minutes=minutes)

        for module in ("recollect.facts", "recollect.reading.cache.lookup"):
            monkeypatch.setattr(f"{module}.datetime", Clock)
        return harbour.search("is there a freeze of deploying?")

    assert at(1).cache.status == "miss"
    assert at(9).tier == 0
    assert at(10).tier == 2, "the fact holds now, and is named"
    assert at(21).cache.status == "miss"
    assert at(22).tier == 0
    assert at(5).cache.status == "miss", "the clock went back behind what was kept"


def test_what_is_kept_expires(harbour: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(harbour.status().store.location)
    with opened(folder, cache_ttl=100) as memory:
        memory.search("sessions")
        assert memory.search("sessions").tier == 0
        cache = memory.core.cache
        assert isinstance(cache, EmbeddedCache)
        assert memory.admin.clear_cache(expired=True) == 0
        with sqlite3.connect(cache.path) as db:
            db.execute("UPDATE answers SET made = made - 100")
        assert memory.search("sessions").cache.status == "miss"
        assert memory.search("sessions").tier == 0, "and is kept anew"
        assert memory.admin.clear_cache() == 1
        assert memory.search("sessions").cache.status == "miss"


def test_a_degraded_answer_says_so_and_is_not_kept(harbour: Memory) -> None:
    harbour.put([note("later", "Sessions of the choir.")])  # not embedded
    assert harbour.search("sessions").degraded
    again = harbour.search("sessions")
    assert (again.tier, again.cache.status) == (3, "miss")
    assert again.degraded
    harbour.models.embed()
    whole = harbour.search("sessions")
    assert (whole.tier, whole.degraded) == (3, ())
    assert harbour.search("sessions").tier == 0


def test_named_facts_are_looked_up_and_not_kept(harbour: Memory) -> None:
    harbour.remember("Friday is deploy day", name="deploy day")
    for _ in range(2):
        answer = harbour.search("deploy day")
        assert (answer.tier, answer.cache.status) == (2, "miss")


def test_the_caller_and_the_settings_can_switch_it_off(harbour: Memory) -> None:
    harbour.search("sessions")
    assert harbour.search("sessions", cache=False).cache.status == "off"
    with opened(Path(harbour.status().store.location), cache_enabled=False) as memory:
        assert memory.search("sessions").cache.status == "off"
        assert memory.search("sessions", cache=True).tier == 0


def test_bad_questions_are_refused_as_ever(harbour: Memory) -> None:
    with pytest.raises(QueryError):
        harbour.search("  ")


# ------------------------------------------------------------------ tier 1


def test_the_same_in_other_words_is_served_and_explained(harbour: Memory) -> None:
    first = harbour.search("when do we deploy?")
    again = harbour.search("When do we deploy")
    assert (again.tier, again.cache.status) == (1, "hit")
    assert again.cache.question == "when do we deploy?"
    assert again.cache.reason
    assert again.cache.similarity is not None
    assert again.query == "When do we deploy"
    assert [r.id for r in again.results] == [r.id for r in first.results]


def test_what_looks_alike_and_is_not_the_same_is_refused_with_the_reason(harbour: Memory) -> None:
    harbour.search("when do we not deploy?")
    answer = harbour.search("when do we deploy?")
    assert answer.cache.status == "miss"
    assert answer.cache.question == "when do we not deploy?"
    assert "not" in answer.cache.reason


def test_what_may_be_the_same_and_is_not_sure_enough_says_how_sure(
    harbour: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    harbour.search("when do we deploy?")
    likely = (0.81, "the same in other words")
    monkeypatch.setattr("recollect.text.pairs.likeness", lambda *_: likely)
    cache = harbour.search("on which day do we deploy?").cache
    assert (cache.status, cache.reason) == ("miss", "not surely the same: 0.81 of 0.92")


def test_what_was_said_of_the_words_of_one_question_is_not_said_of_another(
    harbour: Memory,
) -> None:
    first = harbour.search("how do I reset the zeppelin?")
    assert "zeppelin" in " ".join(first.hints)
    same = harbour.search("How do I reset the ZEPPELIN")
    assert (same.tier, same.hints) == (1, first.hints)
    other = harbour.search("what's the way to reset the zeppelin")
    assert (other.tier, other.cache.status) == (3, "miss")
    assert "words" in other.cache.reason
    assert other.hints == harbour.search(other.query, cache=False).hints


def test_who_is_asked_for_is_not_served_for_what(harbour: Memory) -> None:
    harbour.put([
        note("rate", "Helix Pharma pays 0.18 EUR per word."),
        note("contact", "The contact person at Helix Pharma is Mara Lindqvist."),
    ])  # fmt: skip
    harbour.models.embed()
    asked = ["What does Helix Pharma pay per word?", "Who is the contact person at Helix Pharma?"]
    for question, said in zip(asked, ("0.18", "Lindqvist"), strict=True):
        answer = harbour.search(question)
        assert (answer.tier, answer.cache.status) == (3, "miss")
        assert said in answer.results[0].text


def test_near_questions_stay_within_their_limits_and_state(harbour: Memory) -> None:
    harbour.search("when do we deploy?", sources=["tests"])
    assert harbour.search("When do we deploy").cache.status == "miss"
    assert harbour.search("When do we deploy", sources=["tests"]).tier == 1
    harbour.put([note("new", "We deploy on Mondays.")])
    assert harbour.search("when  do we deploy??", sources=["tests"]).cache.status == "miss"


# ------------------------------------------------------------------ recording


def test_an_answer_that_was_written_is_served_until_something_changes(harbour: Memory) -> None:
    question = "how were sessions kept and when do we deploy?"
    bundle = harbour.gather(question)
    assert harbour.search(question).fingerprint == bundle.fingerprint
    done = harbour.record_answer(question, "In redis; Fridays.", bundle.fingerprint, ["redis"])
    assert (done.recorded, done.stale) == (True, False)
    answer = harbour.search(question)
    assert (answer.status, answer.tier, answer.cache.status) == ("cached_answer", 0, "hit")
    assert answer.answer is not None
    assert answer.answer.answer == "In redis; Fridays."
    assert answer.answer.sources == ("redis",)
    assert answer.confidence == pytest.approx(bundle.confidence)
    assert answer.as_json()["answer"]["answer"] == "In redis; Fridays."
    near = harbour.search("How were sessions kept and when do we deploy")
    assert (near.status, near.tier) == ("cached_answer", 1)
    assert harbour.search(question, limit=3).status != "cached_answer"
    (listed,) = harbour.admin.answers()
    assert (listed.query, listed.stale) == (question, False)
    harbour.put([note("new", "Sessions are kept in postgres.")])
    assert harbour.search(question).status != "cached_answer"
    assert harbour.admin.answers()[0].stale
    assert harbour.admin.forget_answers(done.id) == 1
    assert harbour.admin.answers() == []


def test_a_recorded_answer_outlives_the_cache(harbour: Memory) -> None:
    print = harbour.search("sessions").fingerprint
    harbour.record_answer("sessions", "In redis.", print)
    harbour.admin.clear_cache()
    assert harbour.search("sessions").status == "cached_answer"


def test_a_stale_fingerprint_is_recorded_as_stale(harbour: Memory) -> None:
    print = harbour.gather("sessions").fingerprint
    harbour.put([note("new", "Sessions are kept in postgres.")])
    done = harbour.record_answer("sessions", "In redis.", print)
    assert (done.recorded, done.stale) == (True, True)
    assert "changed" in done.reason
    assert harbour.search("sessions").status != "cached_answer"


def test_a_fingerprint_names_the_limits_too(harbour: Memory) -> None:
    print = harbour.search("sessions", sources=["adr"], limit=3).fingerprint
    assert harbour.record_answer("sessions", "In redis.", print).recorded
    assert harbour.search("sessions").status != "cached_answer"
    harbour.put([note("elsewhere", "Sessions last a day.")])
    assert harbour.search("sessions", sources=["adr"], limit=3).status == "cached_answer"
    assert not harbour.admin.answers()[0].stale


def test_recording_never_raises_and_says_why(harbour: Memory) -> None:
    print = harbour.search("sessions").fingerprint
    for wrong in (
        ("sessions", "", print),
        ("sessions", "x" * 200_000, print),
        ("sessions", "In redis.", ""),
        ("sessions", "In redis.", "unknown"),
        ("sessions", "In redis.", "0" * 32),
        ("when do we deploy?", "In redis.", print),
        ("", "In redis.", print),
    ):
        done = harbour.record_answer(*wrong)
        assert not done.recorded
        assert done.reason
    assert harbour.record_answer(None, 7, object()).reason  # type: ignore[arg-type]
    assert harbour.admin.answers() == []


def test_only_what_is_in_the_store_is_cited(harbour: Memory) -> None:
    print = harbour.search("sessions").fingerprint
    redis = harbour.get("redis").id
    known = ["redis", redis, f"{redis}:0", f"{redis}:0-1", "https://example.org/sessions"]
    done = harbour.record_answer("sessions", "In redis.", print, [*known, "no-such-id"])
    assert (done.recorded, done.stale) == (True, False)
    assert done.reason == "“no-such-id” is not in the store, so it is not cited"
    answer = harbour.search("sessions").answer
    assert answer is not None
    assert answer.sources == tuple(known)
    again = harbour.record_answer("sessions", "In redis.", print, ["redis"])
    assert (again.recorded, again.reason) == (True, "")


def test_what_was_found_elsewhere_is_recorded_for_what_nothing_is_known_of(
    harbour: Memory,
) -> None:
    question = "who built the zeppelin hangar?"
    assert harbour.search(question).status == "no_results"
    print = harbour.gather(question).fingerprint
    assert harbour.record_answer(question, "Ida Zeller.", print).recorded
    answer = harbour.search(question)
    assert (answer.status, answer.tier) == ("cached_answer", 0)


def test_secrets_are_taken_out_of_what_is_recorded(harbour: Memory) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    print = harbour.search("sessions").fingerprint
    harbour.record_answer("sessions", f"The key is {key}.", print)
    assert key not in harbour.admin.answers()[0].answer


def test_forgetting_a_document_forgets_what_was_kept_of_it(harbour: Memory) -> None:
    print = harbour.search("sessions").fingerprint
    redis = harbour.get("redis").id
    harbour.record_answer("sessions", "In redis until October.", print, [f"{redis}:0"])
    harbour.forget("redis")
    folder = Path(harbour.status().store.location)
    harbour.close()
    kept = b"".join(path.read_bytes() for path in folder.glob(f"{FILE}*"))
    assert b"until October" not in kept
    with opened(folder) as memory:
        assert memory.admin.answers() == []


# ------------------------------------------------------------------ failing


class Broken(PlainCache):
    def __getattribute__(self, name: str) -> Any:
        if name in ("get", "alike", "put", "note", "noted"):
            raise OSError("the disk is gone")
        return super().__getattribute__(name)


def test_a_cache_that_fails_costs_nothing_but_itself(harbour: Memory) -> None:
    query = harbour.query("when do we deploy?")
    models = harbour.core.models(query.policy)
    answer = pipeline.answer(query, harbour.store, models, AnswerCache(Broken(5), CacheRules()))
    assert answer.results
    assert not answer.degraded
    assert answer.cache.status == "off"
    assert "the disk is gone" in answer.cache.reason
    assert [stage.state for stage in answer.stages if stage.name == "cache"] == ["failed"]


def test_a_torn_file_is_made_anew(harbour: Memory) -> None:
    folder = Path(harbour.status().store.location)
    harbour.search("sessions")
    harbour.close()
    for path in folder.glob(f"{FILE}-*"):
        path.unlink()
    (folder / FILE).write_bytes(b"this is no database" * 500)
    with opened(folder) as memory:
        assert memory.search("sessions").cache.status == "miss"
        assert memory.search("sessions").tier == 0


def test_a_cache_that_another_process_is_writing_is_not_waited_for(harbour: Memory) -> None:
    folder = Path(harbour.status().store.location)
    harbour.search("sessions")
    with sqlite3.connect(folder / FILE, isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert harbour.search("sessions").tier == 0, "what is there can be read"
        assert harbour.search("when do we deploy?").results
        db.execute("ROLLBACK")


def test_a_folder_that_cannot_be_written_is_searched_all_the_same(
    harbour: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(harbour.status().store.location)
    cache = EmbeddedCache(folder / "not there", 10)
    query = harbour.query("sessions")
    models = harbour.core.models(query.policy)
    answer = pipeline.answer(query, harbour.store, models, AnswerCache(cache, CacheRules()))
    assert answer.results
    assert answer.cache.status == "off"


# ------------------------------------------------------------------ the cache itself


@pytest.fixture(params=["plain", "embedded"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cache]:
    made: Cache = PlainCache(3) if request.param == "plain" else EmbeddedCache(tmp_path, 3)
    yield made
    made.close()


def kept(key: str, made: float = 100.0, space: str = "s") -> CachedAnswer:
    return CachedAnswer(key, space, f"asked {key}", f"question {key}?", made, 50.0, f'["{key}"]')


class TestCache:
    def test_what_is_put_comes_back(self, cache: Cache) -> None:
        assert cache.get("a") is None
        cache.put(kept("a"))
        assert cache.get("a") == kept("a")
        cache.put(kept("a", 120.0))
        assert cache.get("a") == kept("a", 120.0)

    def test_the_least_recently_used_goes_first(self, cache: Cache) -> None:
        for key in "abc":
            cache.put(kept(key))
        cache.get("a")
        cache.put(kept("d"))
        assert [key for key in "abcd" if cache.get(key)] == ["a", "c", "d"]

    def test_spaces_are_apart_and_last_used_comes_first(self, cache: Cache) -> None:
        cache.put(kept("a"))
        cache.put(kept("b", space="other"))
        cache.put(kept("c"))
        cache.get("a")
        assert [k.key for k in cache.alike("s", limit=5)] == ["a", "c"]
        assert [k.key for k in cache.alike("s", limit=1)] == ["a"]
        assert all(k.answer == "" for k in cache.alike("s", limit=5))

    def test_what_has_expired_is_dropped(self, cache: Cache) -> None:
        cache.put(kept("a", 100.0))
        cache.put(kept("b", 149.0))
        assert cache.prune(149.9) == 0
        assert cache.prune(150.0) == 1
        assert cache.get("a") is None
        cache.put(kept("c", 199.0))
        assert cache.get("b") is None

    def test_stats_and_clear(self, cache: Cache) -> None:
        assert cache.stats().entries == 0
        cache.put(kept("a", 100.0))
        cache.put(kept("b", 110.0))
        stats = cache.stats()
        assert (stats.entries, stats.limit) == (2, 3)
        assert (stats.oldest, stats.newest) == (100.0, 110.0)
        assert stats.bytes > 0
        assert cache.clear() == 2
        assert cache.stats().entries == 0
        assert cache.noted(["q"]) == {}

    def test_questions_are_remembered(self, cache: Cache) -> None:
        one = PastRequest("q", "why?", "space", "ana", ("x", "y"), 0.5, "m", b"\x00\x01")
        two = PastRequest("r", "who?", "space")
        cache.note(one)
        cache.note(two)
        assert cache.noted(["q", "r", "s"]) == {"q": one, "r": two}
        for n in range(12):
            cache.note(two._replace(key=str(n)))
        assert cache.noted(["q"]) == {}


def test_an_answer_comes_back_as_it_was(harbour: Memory) -> None:
    harbour.remember("Friday is deploy day", name="deploy day", scopes=["work"])
    harbour.put([note("dated", "Sessions in Málaga 🎉", date=datetime(2026, 3, 1, tzinfo=UTC))])
    for text in ("sessions", "deploy day", "wombats in the attic", "why is the build red?"):
        answer = harbour.ask(harbour.query(text))
        assert unpacked(packed(answer)) == answer


# ------------------------------------------------------------------ several processes


class Worker:
    """A process with the store open, which does as it is told."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __call__(self, **told: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def workers() -> Iterator[list[Worker]]:
    some = [Worker() for _ in range(3)]
    yield some
    for worker in some:
        worker.process.communicate()  # the end of its input is the end of it


WORDS = ("otter", "harbour", "pier", "winter")
step = st.one_of(
    st.fixed_dictionaries({"do": st.just("put"), "id": st.sampled_from("abcd"),
                           "source": st.sampled_from(["one", "two"]),
                           "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)}),
    st.fixed_dictionaries({"do": st.just("forget"), "id": st.sampled_from("abcd")}),
    st.fixed_dictionaries({"do": st.just("remember"), "name": st.sampled_from(WORDS[:2]),
                           "after": st.integers(0, 40), "lasts": st.integers(1, 40)}),
    st.fixed_dictionaries({"do": st.just("config"), "limit": st.integers(1, 3)}),
    st.fixed_dictionaries({"do": st.just("clock"), "minutes": st.integers(-30, 40)}),
    st.fixed_dictionaries({"do": st.just("clear")}),
    st.fixed_dictionaries({"do": st.just("record"), "query": st.sampled_from(WORDS)}),
)  # fmt: skip
search = st.fixed_dictionaries({
    "do": st.just("search"),
    "query": st.sampled_from(["otter harbour", "pier", "the winter otter", "harbour winter"]),
    "sources": st.sampled_from([None, None, ["one"]]),
})  # fmt: skip


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), st.one_of(step, search, search)), max_size=40))
def test_nothing_is_served_that_a_search_would_not_give(
    workers: list[Worker], tmp_path_factory: pytest.TempPathFactory, steps: list[Any]
) -> None:
    """Random writes, settings, clocks and searches in several processes."""
    folder = tmp_path_factory.mktemp("store")
    for worker in workers:
        worker(do="open", folder=str(folder))
    for which, told in steps:
        everywhere = told["do"] == "clock"  # they share a machine, and so a clock
        for worker in workers if everywhere else [workers[which]]:
            done = worker(**told)
        if told["do"] == "search":
            assert done["served"] == done["fresh"], (told, done["cache"])


# ------------------------------------------------------------------ from the command line


def recollect(*arguments: str, code: int = 0) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments, "--json"], capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_the_round_trip_through_real_processes(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "deploy.md").write_text("We deploy on Fridays after the standup.\n")
    (vault / "redis.md").write_text("Redis was dropped because of its memory cost.\n")
    recollect("add", str(vault))
    question = "how do the deploys, the standup and the memory of redis go together?"
    found = recollect("search", question, "--limit", "7")
    bundle = recollect("gather", question)
    assert [section["document"] for section in bundle["sections"]]
    assert bundle["fingerprint"] != found["fingerprint"], "another limit, another request"
    found = recollect("search", question)
    assert found["fingerprint"] == bundle["fingerprint"]
    ids = [id for section in bundle["sections"] for id in section["ids"]]
    given = [part for id in ids for part in ("--from", id)]
    done = recollect(
        "record-answer", question, "They do not.", "--fingerprint", bundle["fingerprint"], *given
    )
    assert done["recorded"]
    answer = recollect("search", question)
    assert (answer["status"], answer["tier"]) == ("cached_answer", 0)
    assert answer["answer"]["answer"] == "They do not."
    assert answer["answer"]["sources"] == ids
    (vault / "redis.md").write_text("Redis is back.\n")
    recollect("add", str(vault))
    again = recollect("search", question)
    assert again["status"] != "cached_answer"
    assert again["tier"] != 0
    assert recollect("answers", "--stale")["items"][0]["id"] == done["id"]
    assert recollect("answers", "--forget", done["id"]) == {"schema_version": 1, "forgotten": 1}
    assert recollect("answers", code=3)["items"] == []
    assert recollect("cache")["entries"] >= 1
    assert recollect("cache", "prune")["dropped"] == 0
    assert recollect("cache", "clear")["dropped"] >= 1
    assert recollect("cache", "stats")["entries"] == 0
    wrong = recollect("record-answer", question, "x", "--fingerprint", "nonsense", code=1)
    assert not wrong["recorded"]
    recollect("answers", "--forget", "nothing", code=3)
