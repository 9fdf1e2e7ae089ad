"""``recollect eval``: what a run keeps, how it goes on, and when a comparison says nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from recollect import Document, Memory
from recollect.memory import reads
from recollect.nouns import Answer, Policy
from recollect.policy import KNOBS
from recollect.text.tokens import count_tokens
from recollect_evals import planning, running
from recollect_evals.baselines import Baselines
from recollect_evals.command import SUITES
from recollect_evals.glossary import MEASURES
from recollect_evals.ledger import Ledger
from recollect_evals.rows import Row, summary
from recollect_evals.suites import Question

ASK = running.ask
THINGS = (
    "kayak tent anchor lantern compass paddle stove hammock rope whistle mirror axe canoe "
    "raincoat sledge telescope barometer trowel bucket ladder kettle"
).split()  # fmt: skip


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model: what is tested is the measuring."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


@pytest.fixture
def things(tmp_path: Path) -> Path:
    """Notes about things, a question about each, and four about what is not there."""
    folder = tmp_path / "things"
    folder.mkdir()
    filler = "We bought it at the harbour shop and keep it in the shed behind the house. " * 4
    with open(folder / "docs.jsonl", "w") as out:
        for thing in THINGS:
            text = f"The {thing} is number {len(thing)}. {filler}"
            out.write(json.dumps({"id": f"d-{thing}", "text": text, "gold": "me"}) + "\n")
    with open(folder / "queries.jsonl", "w") as out:
        for thing in THINGS:
            row = {"id": f"q-{thing}", "query": f"Which number has the {thing}?"}
            out.write(json.dumps({**row, "gold": [f"d-{thing}"]}) + "\n")
        for thing in ("zeppelin", "quasar", "marimba", "glacier"):
            row = {"id": f"n-{thing}", "query": f"Is there a {thing}?"}
            out.write(json.dumps({**row, "gold": []}) + "\n")
    return folder


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(cli: Cli, things: Path) -> Run:
    def call(*more: str) -> dict[str, Any]:
        done = cli("eval", "run", "jsonl", str(things), "--half", "all", "--json", *more)
        assert done.code == 0, done.err
        (record,) = done.json["runs"]
        return {**record, "glossary": done.json["glossary"]}

    return call


# ------------------------------------------------------------------ a run


def test_a_run_says_what_was_measured_of_what_and_with_what(run: Run) -> None:
    found = run()
    assert found["run"] == "things-1"
    assert found["questions"] == 25
    assert found["answerable"] == 21
    assert found["data"]["documents"] == 21
    assert len(found["data"]["sha"]) == 16
    assert found["policy"]["mode"] == "balanced"
    assert found["version"]
    assert found["code"]
    assert found["machine"]["python"]
    assert found["measures"]["hit@1"]["n"] == 21
    assert found["measures"]["abstained"]["n"] == 4
    for name, one in found["measures"].items():
        assert one["low"] <= one["mean"] <= one["high"], name
        assert found["glossary"][name]["words"] == MEASURES[name].words
    assert found["abstention"]["unanswerable"] == 4
    assert found["latency_ms"]["p50"] <= found["latency_ms"]["p95"]


def test_a_run_finds_what_is_plainly_there(run: Run) -> None:
    measures = run()["measures"]
    assert measures["hit@1"]["mean"] == 1
    assert measures["all@5"]["mean"] == 1
    assert measures["abstained"]["mean"] == 1


def test_tokens_are_held_against_what_an_agent_would_read(run: Run) -> None:
    saved = run()["savings"]
    assert set(saved) == {"grep", "grep_all", "dump"}
    assert saved["dump"]["baseline_recall"] == 1
    assert saved["dump"]["met"] == (saved["dump"]["saved"] >= 0.8)
    assert saved["dump"]["baseline_tokens"] > saved["grep"]["baseline_tokens"] > 0
    assert saved["grep"]["baseline_recall"] == 1


def test_finished_runs_are_appended_and_leave_nothing_else(run: Run, tmp_path: Path) -> None:
    run()
    run()
    ledger = Ledger()
    assert [one["run"] for one in ledger.records()] == ["things-1", "things-2"]
    assert len(ledger.rows("things-2")) == 25
    assert not list((ledger.folder / "partial").glob("*.jsonl"))
    assert not list((ledger.folder / "stores").rglob("*"))


def test_a_kept_store_serves_the_next_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("--keep")

    def nothing(*_: Any, **__: Any) -> None:
        raise AssertionError("imported again")

    monkeypatch.setattr(Memory, "add", nothing)
    again = run("--ablate", "by=keyword")
    assert again["measures"]["hit@1"] == first["measures"]["hit@1"]
    assert list((Ledger().folder / "stores").rglob("complete"))  # kept is kept


def test_halves_are_disjoint_and_together_all(cli: Cli, things: Path) -> None:
    asked = [
        cli("eval", "run", "jsonl", str(things), "--half", half, "--json").json["runs"][0]["run"]
        for half in ("fit", "test", "all")
    ]
    fit, test, every = ({row.id for row in Ledger().rows(name)} for name in asked)
    assert fit.isdisjoint(test)
    assert fit | test == every


def test_the_test_half_is_asked_unless_told_otherwise(cli: Cli, things: Path) -> None:
    (told,) = cli("eval", "run", "jsonl", str(things), "--json").json["runs"]
    assert told["half"] == "test"


def listening(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the questions that are asked from now on."""
    asked: list[str] = []

    def ask(memory: Memory, question: Question, mode: str | None, policy: Policy) -> Answer:
        asked.append(question.id)
        return ASK(memory, question, mode, policy)

    monkeypatch.setattr(running, "ask", ask)
    return asked


def test_an_interrupted_run_goes_on_where_it_was(
    cli: Cli, run: Run, things: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counting(memory: Memory, question: Any, *rest: Any) -> Answer:
        if len(asked) == 7:
            raise KeyboardInterrupt
        asked.append(question.id)
        return ASK(memory, question, *rest)

    monkeypatch.setattr(running, "ask", counting)
    assert cli("eval", "run", "jsonl", str(things), "--half", "all").code == 130
    (partial,) = (Ledger().folder / "partial").glob("*.jsonl")
    with open(partial, "a") as out:
        out.write('{"id": "torn')  # it was being written when the machine went down
    more = listening(monkeypatch)
    assert run()["questions"] == 25
    assert len(asked) == 7
    assert len(more) == 25 - 7
    assert set(more).isdisjoint(asked)


def test_another_policy_does_not_go_on_with_the_rows_of_this_one(
    cli: Cli, run: Run, things: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def once(memory: Memory, question: Any, *rest: Any) -> Answer:
        if asked:
            raise KeyboardInterrupt
        asked.append(question.id)
        return ASK(memory, question, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(running, "ask", once)
        assert cli("eval", "run", "jsonl", str(things), "--half", "all").code == 130
    more = listening(monkeypatch)
    run("--ablate", "pool=20")
    assert len(more) == 25


def test_questions_are_asked_past_the_cache_and_are_not_counted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("the cache was asked")

    monkeypatch.setattr(reads, "prepared", never)
    assert run()["questions"] == 25


# ------------------------------------------------------------------ how it is asked


def test_knobs_reach_the_policy_and_are_told(run: Run) -> None:
    found = run("--ablate", "by=keyword", "--ablate", "hop=false", "--ablate", "escalate=0")
    assert found["changes"] == {"by": "keyword", "hop": False, "escalate": 0}
    assert (found["policy"]["by"], found["policy"]["hop"]) == ("keyword", False)


def test_a_fixed_limit_returns_so_many_whatever_their_grades(run: Run) -> None:
    run("--limit-fixed", "4")
    rows = Ledger().rows("things-1")
    assert {len(row.documents) for row in rows if row.answerable} == {4}


def test_a_mode_is_taken(run: Run) -> None:
    assert run("--mode", "conservative")["policy"]["limit"] == 10


@pytest.mark.parametrize(
    "knob",
    ["nonsense=1", "by", "mode=balanced", "limit=many", "hop=3", "by=guess", "keep=2", "pool=none"],
)
def test_a_knob_that_is_none_is_a_usage_error(cli: Cli, things: Path, knob: str) -> None:
    done = cli("eval", "run", "jsonl", str(things), "--ablate", knob)
    assert done.code == 2
    assert knob.partition("=")[0] in done.err


def test_every_knob_can_be_set_to_what_it_is() -> None:
    plain = Policy("balanced", limit=25, budget=12_000)
    for knob in KNOBS:
        value = getattr(plain, knob)
        (made,) = planning.ablations([f"{knob}={value}"]).values()
        assert made == value
        assert planning.fits(made, value, knob)


def test_a_question_that_the_syntax_refuses_gets_nothing_and_is_told(
    run: Run, things: Path
) -> None:
    with open(things / "queries.jsonl", "a") as out:
        out.write(json.dumps({"id": "odd", "query": "-kayak", "gold": ["d-kayak"]}) + "\n")
    found = run()
    (row,) = (row for row in Ledger().rows(found["run"]) if row.id == "odd")
    assert row.documents == ()
    assert row.measures["hit@1"] == 0
    assert found["degraded"] >= 1


# ------------------------------------------------------------------ refusals


def test_bad_suites_are_refused(cli: Cli, things: Path, tmp_path: Path) -> None:
    assert cli("eval", "run", "jsonl", str(tmp_path / "nowhere")).code == 1
    assert cli("eval", "run", "nonsense", str(things)).code == 2
    (things / "queries.jsonl").write_text('{"id": "q", "query": "x", "gold": ["nowhere"]}\n')
    done = cli("eval", "run", "jsonl", str(things))
    assert done.code == 1
    assert "1 of 1 questions have gold that is in no document" in done.err
    assert not Ledger().folder.exists()


def test_a_half_without_questions_is_refused(cli: Cli, things: Path) -> None:
    (things / "queries.jsonl").write_text(
        json.dumps({"id": "q-tent", "query": "x", "gold": ["d-tent"]}) + "\n"
    )
    codes = {half: cli("eval", "run", "jsonl", str(things), "--half", half).code
             for half in ("fit", "test")}  # fmt: skip
    assert sorted(codes.values()) == [0, 1]


def test_an_empty_session_does_no_harm(cli: Cli, things: Path) -> None:
    with open(things / "docs.jsonl", "a") as out:
        out.write(json.dumps({"id": "empty", "turns": []}) + "\n")
    assert cli("eval", "run", "jsonl", str(things)).code == 0


def test_a_document_that_is_not_imported_ends_the_run(cli: Cli, things: Path) -> None:
    with open(things / "docs.jsonl", "a") as out:
        out.write('{"id": "half", "text": "half a pair: \\ud800"}\n')
    done = cli("eval", "run", "jsonl", str(things))
    assert done.code == 1
    assert "1 of 22 documents were not imported" in done.err


def test_two_at_the_same_run_do_not_mix(cli: Cli, things: Path) -> None:
    ledger = Ledger()
    assert cli("eval", "run", "jsonl", str(things)).code == 0
    (lock,) = (ledger.folder / "partial").glob("*.lock")
    with running.alone(lock):
        done = cli("eval", "run", "jsonl", str(things))
    assert done.code == 1
    assert "another process" in done.err


def test_without_its_distribution_the_command_says_what_to_install(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "recollect_evals", None)  # as where it is not installed
    for arguments in ([], ["run", "sample"], ["list", "--results", "runs"]):
        refused = cli("eval", *arguments)
        assert refused.code == 2
        assert "pip install recollect-evals" in refused.err
    told = {check["check"]: check for check in cli("doctor", "--json").json["checks"]}
    found = told["evals"]
    assert (found["state"], found["text"]) == ("skip", "recollect-evals is not installed")


def test_the_table_of_suites_is_complete() -> None:
    assert set(SUITES) == set(running.SUITES)


# ------------------------------------------------------------------ comparing


def test_a_worse_policy_is_told_as_worse_and_fails_the_gate(cli: Cli, run: Run) -> None:
    run()
    run("--limit-fixed", "20")  # the same evidence, in a set of twenty
    told = cli("eval", "compare", "things-2", "things-1", "--json").json
    assert told["comparisons"] == len(told["measures"])
    assert told["measures"]["set_precision"]["winner"] == "b"
    assert told["measures"]["tokens"]["winner"] == "b"
    assert told["measures"]["hit@1"]["winner"] is None
    assert told["changed"]["limit"] == [20, 25]
    done = cli("eval", "gate", "things-2", "--baseline", "things-1")
    assert done.code == 1
    assert "worse beyond noise" in done.err
    assert cli("eval", "gate", "things-1", "--baseline", "things-2").code == 0


def test_the_same_twice_is_no_difference(cli: Cli, run: Run) -> None:
    run()
    run()
    told = cli("eval", "compare", "things-1", "latest", "--json").json
    judged = {name: one for name, one in told["measures"].items() if name != "ms"}
    assert {one["winner"] for one in judged.values()} == {None}
    assert told["stability"]["jaccard@10"]["mean"] == 1
    assert told["stability"]["same_first"]["mean"] == 1
    gate = cli("eval", "gate", "latest", "--baseline", "things-1", "--json")
    assert gate.code == 0
    assert gate.json["passed"]
    assert gate.json["too_few_questions"] == ["abstained"]


def test_a_gate_that_can_tell_nothing_is_no_pass(cli: Cli, things: Path) -> None:
    rows = (things / "queries.jsonl").read_text().splitlines(keepends=True)
    (things / "queries.jsonl").write_text("".join(rows[:10]))
    for _ in range(2):
        cli("eval", "run", "jsonl", str(things), "--half", "all")
    done = cli("eval", "gate", "things-2", "--baseline", "things-1")
    assert done.code == 2
    assert "too few" in done.err


def test_the_gate_looks_at_one_measure_where_one_is_named(cli: Cli, run: Run) -> None:
    run()
    run("--limit-fixed", "20")
    gate = ("eval", "gate", "things-2", "--baseline", "things-1", "--measure")
    assert cli(*gate, "hit@1").code == 0
    assert cli(*gate, "tokens").code == 1
    assert cli(*gate, "nonsense").code == 2


def test_runs_of_other_data_are_not_compared(cli: Cli, run: Run, things: Path) -> None:
    run()
    with open(things / "queries.jsonl", "a") as out:
        out.write("\n")
    run()
    done = cli("eval", "compare", "things-1", "things-2")
    assert done.code == 2
    assert "different data" in done.err


def test_a_run_that_is_not_there_is_not_found(cli: Cli, run: Run) -> None:
    assert cli("eval", "compare", "a", "b").code == 3
    run()
    done = cli("eval", "compare", "things-1", "things-9")
    assert done.code == 3
    assert "things-1" in done.err


def test_a_comparison_is_a_markdown_table(cli: Cli, run: Run) -> None:
    run()
    run("--limit-fixed", "20")
    out = cli("eval", "compare", "things-2", "things-1").out
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert "Bonferroni" in out
    assert "– (4 questions are too few" in out


def test_a_run_is_a_markdown_table(cli: Cli, things: Path) -> None:
    out = cli("eval", "run", "jsonl", str(things), "--half", "all").out
    assert out.startswith("### things-1: 25 questions")
    assert "Against grep:" in out


def test_other_places_for_results(cli: Cli, things: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "elsewhere")
    assert cli("eval", "run", "jsonl", str(things), "--results", place).code == 0
    assert cli("eval", "compare", "latest", "things-1", "--results", place).code == 0
    assert not Ledger().folder.exists()


# ------------------------------------------------------------------ shapes with many stores


def test_each_group_is_asked_of_its_own_store(cli: Cli, tmp_path: Path) -> None:
    """The same question in two haystacks: only one of them has the answer."""

    def item(id: str, said: str) -> dict[str, Any]:
        return {
            "question_id": id, "question_type": "x", "question": "Where is the kayak?",
            "question_date": "2023/05/30 (Tue) 23:40", "answer": "x",
            "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["answer_1"],
            "haystack_sessions": [[{"role": "user", "content": said}]],
            "answer_session_ids": ["answer_1"],
        }  # fmt: skip

    file = tmp_path / "longmemeval_s.json"
    file.write_text(
        json.dumps([item("a", "The kayak is in the shed."), item("b_abs", "I like soup.")])
    )
    done = cli("eval", "run", "longmemeval", str(file), "--half", "all", "--json")
    assert done.json["runs"][0]["data"]["groups"] == 2
    first, second = Ledger().rows("longmemeval_s-1")
    assert (first.measures["hit@1"], second.measures["abstained"]) == (1, 1)


def test_precisionmembench_is_asked_whole(cli: Cli, tmp_path: Path) -> None:
    done = cli("eval", "run", "precisionmembench", str(tmp_path), "--mode", "balanced")
    assert done.code == 2
    done = cli("eval", "run", "precisionmembench", str(tmp_path))
    assert done.code == 1
    assert "beliefs.seed.json" in done.err


# ------------------------------------------------------------------ the parts


def test_the_baselines_by_hand() -> None:
    texts = {"a": "The red kayak leaks.", "b": "A red tent.", "c": "Soup."}
    found = Baselines([Document(id, "eval", text) for id, text in texts.items()])
    tokens = {id: count_tokens(text) for id, text in texts.items()}
    assert found.grep("the red kayaks and the soup", ["a"]) == (tokens["a"], 1.0)  # two words
    assert found.grep("the red kayak", ["b"]) == (tokens["a"] + tokens["b"], 1.0)  # then one
    assert found.grep("the red kayak", ["a", "c"]) == (tokens["a"], 0.5)  # soup is no hit
    assert found.grep("the red kayak", []) == (tokens["a"] + tokens["b"], None)  # and no end
    assert found.grep("zebra", ["a"]) == (0, 0.0)
    assert found.grep_all("the red kayak", ["a"]) == (tokens["a"] + tokens["b"], 1.0)
    assert found.dump(["a"]) == (sum(tokens.values()), 1.0)
    assert found.dump([]).recall is None


def row(id: str, confidence: float, right: bool, **measures: float) -> Row:
    values: Mapping[str, float] = {"brier": (confidence - right) ** 2, "ms": 1.0, "tokens": 10,
                                   "set_recall": float(right), **measures}  # fmt: skip
    reads: dict[str, Mapping[str, float | None]] = {"dump": {"tokens": 100, "recall": 1.0}}
    return Row(id, "fit", "", True, "direct_passages", confidence, right, (), False, values, reads)


def test_a_summary_by_hand() -> None:
    found = summary([row("a", 0.9, True), row("b", 0.6, False)])
    assert found["aurc"] == pytest.approx((0 + 1 / 2) / 2)
    assert found["calibration"]["brier"] == pytest.approx((0.1**2 + 0.6**2) / 2)
    assert found["calibration"]["ece_mass"] == pytest.approx((0.1 + 0.6) / 2)
    saved = found["savings"]["dump"]
    assert saved["saved"] == pytest.approx(1 - 20 / 200)
    assert (saved["recall"], saved["baseline_recall"], saved["met"]) == (0.5, 1.0, False)
