"""Around a run: what is kept of questions, what may be spent, what has changed, and the page."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conftest import Cli
from llm_server import LlmServer, completion, said
from recollect import Memory
from recollect.errors import UsageError
from recollect_evals import glossary, plots, provenance
from recollect_evals.ledger import Ledger
from recollect_evals.plots import Axis, Series
from recollect_evals.spending import guard

THINGS = [f"{one} {two}" for one in ("red", "blue", "old", "new", "wet") for two in
          ("kayak", "tent", "anchor", "stove", "rope")]  # fmt: skip


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


@pytest.fixture
def things(tmp_path: Path) -> Path:
    place = tmp_path / "things"
    place.mkdir()
    with open(place / "docs.jsonl", "w") as out:
        for n, thing in enumerate(THINGS):
            text = f"The {thing} is number {n}. It is in the shed."
            out.write(json.dumps({"id": f"d{n}", "text": text}) + "\n")
    with open(place / "queries.jsonl", "w") as out:
        for n, thing in enumerate(THINGS):
            row = {"id": f"q{n}", "query": f"Which number has the {thing}?", "gold": [f"d{n}"]}
            out.write(json.dumps(row) + "\n")
    return place


# ------------------------------------------------------------------ several runs at once


def test_a_run_for_each_path_and_mode_with_one_glossary(
    cli: Cli, things: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in things.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    run = ("eval", "run", "jsonl", str(things), str(other), "--half", "all", "--json")
    told = cli(*run, "--mode", "conservative,balanced").json
    made = [(one["run"], one["policy"]["mode"]) for one in told["runs"]]
    assert made == [
        ("things-1", "conservative"), ("things-2", "balanced"),
        ("other-1", "conservative"), ("other-2", "balanced"),
    ]  # fmt: skip
    assert told["glossary"]["hit@1"]["range"] == "0 to 1"
    assert not [one for one in told["runs"] if "glossary" in one]
    assert all("glossary" in one for one in Ledger().records())
    listed = cli("eval", "list", "--json").json["runs"]
    assert [one["run"] for one in listed] == [name for name, _ in made]
    assert "| things-2 |" in cli("eval", "list").out


def test_no_runs_are_told_as_none(cli: Cli) -> None:
    done = cli("eval", "list")
    assert done.code == 3
    assert "no runs yet" in done.out


def test_at_most_so_many_by_a_draw_that_stays(cli: Cli, things: Path) -> None:
    run = ("eval", "run", "jsonl", str(things), "--half", "all", "--json", "--most")
    assert cli(*run, "7").json["runs"][0]["questions"] == 7
    assert cli(*run, "9").json["runs"][0]["most"] == 9
    few, more = ({row.id for row in Ledger().rows(name)} for name in ("things-1", "things-2"))
    assert few < more
    assert cli(*run, "0").code == 2


def test_the_sample_needs_no_path_and_the_others_do(cli: Cli) -> None:
    (told,) = cli("eval", "run", "sample", "--most", "5", "--json").json["runs"]
    assert (told["run"], told["questions"]) == ("sample-1", 5)
    done = cli("eval", "run", "jsonl")
    assert done.code == 2
    assert "where is jsonl" in done.err


def test_supersession_end_to_end(cli: Cli, tmp_path: Path) -> None:
    statements = [("2022-06-01", "I live in Sydney"), ("2024-03-15", "I moved to Sofia")]
    row = {
        "id": "b1", "family": "fact",
        "propositions": [{"text": text, "asserted_at": date} for date, text in statements],
        "questions": [{"q": "Where does the user live?", "expected_current_contains": ["Sofia"],
                       "expected_superseded_contains": ["Sydney"]}],
    }  # fmt: skip
    file = tmp_path / "beliefs-one.jsonl"
    file.write_text(json.dumps(row) + "\n")
    done = cli("eval", "run", "supersession", str(file), "--half", "all", "--json")
    (told,) = done.json["runs"]
    assert set(told["measures"]) >= {"current", "current_first", "stale"}
    assert told["data"]["documents"] == 2
    assert cli("eval", "run", "supersession", str(tmp_path / "nowhere")).code == 1


# ------------------------------------------------------------------ capture and replay


def test_nothing_is_kept_unless_it_is_asked_for(cli: Cli, home: Path) -> None:
    cli("search", "where is the red kayak?")
    told = cli("eval", "capture", "show", "--json").json
    assert (told["on"], told["questions"]) == (False, 0)
    assert not Path(told["file"]).exists()
    done = cli("eval", "run", "replay")
    assert done.code == 1
    assert "capture on" in done.err


def test_what_is_asked_is_kept_without_secrets_for_this_user_alone(cli: Cli) -> None:
    assert cli("eval", "capture", "on").code == 0
    cli("search", "where is the red kayak?")
    cli("search", "does ghp_016C7dE8fA9bC0dE1fA2bC3dE4fA5bC6dE7f still work", "--kind", "note")
    told = cli("eval", "capture", "show", "--json").json
    assert (told["on"], told["questions"]) == (True, 2)
    file = Path(told["file"])
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    text = file.read_text()
    assert "ghp_" not in text
    assert "red kayak" in text
    assert "red kayak" in cli("eval", "capture", "show").out
    cli("eval", "capture", "off")
    cli("search", "and this?")
    assert cli("eval", "capture", "show", "--json").json["questions"] == 2
    assert cli("eval", "capture", "clear", "--json").json["forgotten"] == 2
    assert not file.exists()
    assert cli("eval", "capture", "clear", "--json").json["forgotten"] == 0


def test_a_project_cannot_turn_capturing_on(cli: Cli) -> None:
    Path(".recollect.toml").write_text("capture = true\n")
    done = cli("search", "where?")
    assert "capture is ignored" in done.err
    assert cli("eval", "capture", "show", "--json").json["questions"] == 0


def test_the_file_stops_growing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.memory import capture

    monkeypatch.setattr(capture, "MOST_BYTES", 200)
    cli("eval", "capture", "on")
    for n in range(5):
        cli("search", f"question number {n}")
    told = cli("eval", "capture", "show", "--json").json
    assert told["full"]
    assert told["questions"] < 5
    assert "clear" in cli("eval", "capture", "show").out


def test_replay_tells_how_much_stays(cli: Cli, things: Path) -> None:
    cli("add", str(things / "docs.jsonl"))
    cli("eval", "capture", "on")
    for thing in THINGS:
        cli("search", f"number of the {thing}")
    cli("search", f"number of the {THINGS[0]}")  # asked twice, replayed once
    told = cli("eval", "run", "replay", "--mode", "balanced", "--json").json["runs"]
    again = cli("eval", "run", "replay", "--limit-fixed", "1", "--json").json["runs"]
    assert (told[0]["questions"], told[0]["data"]["documents"]) == (25, 25)
    assert cli("eval", "capture", "show", "--json").json["questions"] == 26  # asking adds none
    found = cli("eval", "compare", again[0]["run"], told[0]["run"], "--json").json
    assert found["stability"]["same_first"]["mean"] == 1
    assert 0 < found["stability"]["jaccard@10"]["mean"] < 1
    assert found["measures"]["tokens"]["winner"] == "a"
    assert "hit@1" not in found["measures"]
    assert cli("eval", "compare", "latest", "latest", "--html", "page.html").code == 0


# ------------------------------------------------------------------ spending


@pytest.fixture
def server() -> Iterator[LlmServer]:
    running = LlmServer()
    yield running
    running.close()


def priced(server: LlmServer, monkeypatch: pytest.MonkeyPatch, price: str) -> None:
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "llm")
    monkeypatch.setenv("RECOLLECT_LLM_MODEL", f"{server.url}#some-model")
    monkeypatch.setenv("RECOLLECT_LLM_PRICE", price)


def test_a_script_may_not_spend_without_a_cap(
    cli: Cli, things: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(server, monkeypatch, "1/1")
    done = cli("eval", "run", "jsonl", str(things))
    assert done.code == 2
    assert "costs money" in done.err
    assert "--max-dollars" in done.err
    assert not server.asked
    assert not (Ledger().folder / "results.jsonl").exists()


def test_a_run_stops_at_its_cap_and_keeps_what_it_has(
    cli: Cli, things: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(server, monkeypatch, "100/100")
    server.answers = [said(completion("{}", prompt_tokens=1000, completion_tokens=0))] * 99
    run = ("eval", "run", "jsonl", str(things), "--half", "all", "--max-dollars")
    done = cli(*run, "0.25")
    assert done.code == 1
    assert "of $0.25 is spent" in done.err
    assert "--max-dollars goes on" in done.err
    (partial,) = (Ledger().folder / "partial").glob("*.jsonl")
    kept = [json.loads(line) for line in partial.read_text().splitlines()]
    assert 0 < len(kept) < 25
    assert sum(row["measures"]["dollars"] for row in kept) >= 0.25
    assert cli(*run, "1000", "--json").json["runs"][0]["questions"] == 25


def test_whoever_is_at_a_terminal_is_asked(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(server, monkeypatch, "1/1")
    told: list[str] = []

    def says(answer: bool) -> Callable[[str], bool]:
        def ask(what: str) -> bool:
            told.append(what)
            return answer

        return ask

    with Memory.open("memory://") as memory:
        assert guard(memory, 7, None, None, says(True)).counts
        assert "7 questions will be reranked" in told[0]
        with pytest.raises(UsageError, match="not agreed"):
            guard(memory, 7, None, None, says(False))
        assert guard(memory, 7, 2.0, None, None).cap == 2


def test_a_model_that_runs_here_costs_nothing(
    cli: Cli, things: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(server, monkeypatch, "0/0")
    server.answers = [said({"error": "busy"}, 400) for _ in range(9)]
    assert cli("eval", "run", "jsonl", str(things), "--most", "1", "--half", "all").code == 0


def test_an_endpoint_elsewhere_needs_a_number_of_questions(
    cli: Cli, things: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "https://models.example/v1#reranker")
    done = cli("eval", "run", "jsonl", str(things))
    assert done.code == 2
    assert "--most" in done.err


# ------------------------------------------------------------------ drift


def test_drift_names_the_files_that_changed(cli: Cli, things: Path) -> None:
    assert cli("eval", "drift").code == 3
    cli("eval", "run", "jsonl", str(things))
    done = cli("eval", "drift")
    assert done.code == 0
    assert "nothing of" in done.out
    (file,) = (Ledger().folder / "code").iterdir()
    then = json.loads(file.read_text())
    assert "reading/pipeline.py" in then
    assert "reading/grade.json" in then
    assert not [name for name in then if name.startswith(("surfaces/", "evals/"))]
    then["reading/pipeline.py"] = "0" * 12
    del then["policy.py"]
    then["reading/gone.py"] = "0" * 12
    file.write_text(json.dumps(then))
    done = cli("eval", "drift", "things-1", "--json")
    assert done.code == 1
    told = done.json
    assert told["changed"] == ["reading/pipeline.py"]
    assert (told["added"], told["removed"]) == (["policy.py"], ["reading/gone.py"])
    file.unlink()
    assert cli("eval", "drift").code == 1


def test_a_run_names_its_commit_where_there_is_one() -> None:
    found = provenance.commit()
    assert found is None or re.fullmatch(r"[0-9a-f]{12}\+?", found)


# ------------------------------------------------------------------ the page, the glossary


class Tags(HTMLParser):
    """Whether every tag that is opened is closed; what refers to elsewhere."""

    VOID = ("meta",)

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.away: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.away += [v or "" for k, v in attrs if k in ("src", "href", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_comparison_as_a_page_that_needs_nothing_else(
    cli: Cli, things: Path, tmp_path: Path
) -> None:
    place = things.rename(tmp_path / "a<b>&c")
    run = ("eval", "run", "jsonl", str(place), "--half", "all")
    cli(*run)
    cli(*run, "--limit-fixed", "20")
    file = tmp_path / "page.html"
    done = cli("eval", "compare", "a<b>&c-2", "a<b>&c-1", "--html", str(file))
    assert done.code == 0
    text = file.read_text()
    parsed = Tags()
    parsed.feed(text)
    assert not parsed.open
    assert not parsed.away
    assert not {"script", "link", "img", "iframe"} & set(parsed.seen)
    assert "url(" not in text
    assert "<b>&c" not in text
    assert parsed.seen.count("svg") == 6
    for part in ("is better in set_precision", "Bonferroni", "prefers-color-scheme: dark",
                 "What the words mean"):  # fmt: skip
        assert part in text
    assert cli("eval", "compare", "latest", "latest", "--html", str(tmp_path)).code == 2


def test_a_page_of_the_same_twice_names_no_winner(cli: Cli, things: Path, tmp_path: Path) -> None:
    cli("eval", "run", "jsonl", str(things), "--half", "all")
    file = tmp_path / "page.html"
    cli("eval", "compare", "things-1", "things-1", "--html", str(file))
    assert "Neither run is better beyond chance" in file.read_text()


def test_axes_begin_and_end_where_they_should() -> None:
    plain = Axis(0, 50, 100, 200)
    assert (plain.at(0), plain.at(25), plain.at(50)) == (100, 150, 200)
    assert plain.ticks(5) == [0, 10, 20, 30, 40, 50]
    logs = Axis(10, 1000, 0, 100, log=True)
    assert (logs.at(10), logs.at(100), logs.at(1000)) == (0, 50, 100)
    assert logs.ticks() == [10, 100, 1000]
    assert Axis(-0.3, 0.3, 0, 1).ticks(5) == [-0.2, 0.0, 0.2]


def test_pictures_of_nothing_much() -> None:
    assert plots.differences([], "shares", 1) == ""
    assert plots.dots([], "ms") == ""
    flat = Series("a", "a", [(0.5, 0.0), (1.0, 0.0)])
    assert "polyline" in plots.coverage_risk([flat])


def test_every_term_is_explained_with_its_range() -> None:
    for name, one in glossary.MEASURES.items():
        assert one.words, name
        assert one.range in (glossary.SHARE, glossary.COUNT), name
    told = glossary.explained(["hit@1"])
    assert "mrr" not in told
    assert told["aurc"]["range"] == "0 to 1"


def test_the_glossary_can_be_printed_without_loading_models() -> None:
    code = "import sys, recollect_evals.glossary; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_store_is_not_needed_to_see_what_is_captured(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", capture=True) as memory:
        memory.search("where is it?")
        assert memory.admin.captured().last == ("where is it?",)
        assert memory.admin.forget_captured() == 1
