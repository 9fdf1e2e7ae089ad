"""The comparison with other engines: two that need nothing are really run, on a small set, and a
stub returns what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bench.peers import table, worker
from bench.peers.__main__ import Comparison, main, measure
from bench.peers.engines import ENGINES, NOT_RUN
from bench.peers.environments import Unavailable, python_for, reason
from bench.peers.measuring import Measured, measured, run
from bench.peers.peer import Document, Found, Message, Question, pieces
from bench.peers.sets import SOURCES, Set, Source, prepare
from bench.unseen.sets import SETS

from recollect.errors import InputError
from recollect.text.tokens import count_tokens
from recollect_evals import metrics
from recollect_evals.evidence import Evidence, Unit

THINGS = """kettle ladder anchor violin carpet hammer lantern saddle compass bucket mirror
barrel basket pillow candle helmet""".split()
SMALL = {"small": Source()}
WORDS, US = ENGINES["FTS5"], ENGINES["recollect"]
CRASHES = ENGINES["mempalace"]._replace(own=False)  # which is not installed here
MISSING = WORDS._replace(own=True)  # for which nothing is pinned


class Ran(NamedTuple):
    data: Path
    work: Path
    found: Comparison

    @property
    def tables(self) -> str:
        return self.found.tables


class Stub:
    """An engine that returns for each question what it was told to."""

    def __init__(self, answers: Mapping[str, Found]) -> None:
        self._answers = answers

    def ingest(self, documents: Sequence[Document]) -> None: ...

    def query(self, question: Question, k: int | None) -> Found:
        return self._answers[question.id]

    def close(self) -> None: ...


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def small_set(folder: Path) -> None:
    """A note about each of some things, questions about them, and some about nothing there is."""
    notes = [
        {"id": f"d{n}", "title": thing, "text": f"The {thing} is kept in room {n} of the tower."}
        for n, thing in enumerate(THINGS)
    ]
    asked = [
        {"id": f"q{n}", "query": f"Where are the {one} and the {other}?",
         "gold": [f"d{n}", f"d{n + 1}"],
         "evidence": [{"document": f"d{at}", "quote": f"is kept in room {at} of the tower"}
                      for at in (n, n + 1)]}
        for n, (one, other) in enumerate(pairwise(THINGS))
    ]  # fmt: skip
    strange = [
        {"id": f"x{n}", "query": f"Who won the chess cup of {1990 + n}?", "abstain": True}
        for n in range(8)
    ]
    lines(folder / "small" / "docs.jsonl", notes)
    lines(folder / "small" / "queries.jsonl", asked + strange)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("peers")
    small_set(folder / "data")
    engines = {"recollect": US, "FTS5": WORDS, "crashes": CRASHES, "missing": MISSING}
    found = measure(folder / "data", SMALL, engines, folder / "work")
    return Ran(folder / "data", folder / "work", found)


def prepared(ran: Ran) -> Set:
    return prepare(ran.data, "small", SMALL["small"], ran.work / "sets")


def kept(ran: Ran, name: str) -> Path:
    (file,) = (ran.work / "rows").glob(f"{name}-small-*.json")
    return file


def test_every_engine_that_ran_is_in_both_tables_of_the_set(ran: Ran) -> None:
    quality, cost = ran.tables.split("## small")[1].split("## Where")[0].strip().split("\n\n")
    for some, columns in ((quality, 12), (cost, 10)):
        head, _, *rows = some.splitlines()
        assert head.count("|") == columns + 1
        assert [row.split(" | ")[0] for row in rows] == ["| recollect", "| FTS5"]
        assert all(row.count("|") == columns + 1 for row in rows)


def test_an_engine_that_cannot_be_run_is_listed_with_the_reason(ran: Ran) -> None:
    left_out = ran.tables.split("| not run |")[1]
    assert "| crashes (small) | it failed: ModuleNotFoundError: No module named" in left_out
    assert "| missing (small) | there is no fts5.txt |" in left_out
    for name, why in NOT_RUN.items():
        assert f"| {name} | {why} |" in left_out


def test_what_cannot_be_installed_says_why(tmp_path: Path) -> None:
    wanted = tmp_path / "engine.txt"
    wanted.write_text(f"{tmp_path / 'there-is-none.whl'}\n")
    with pytest.raises(Unavailable, match="could not be installed: .*there-is-none"):
        python_for(wanted, tmp_path / "engine")


def test_of_a_failed_build_the_builders_error_is_told_not_the_note_after_it() -> None:
    said = "  ValueError: no compiler\n  [end of output]\n  note: not a problem with pip.\n"
    assert reason(said) == "ValueError: no compiler"
    assert reason("killed\n") == "killed"
    assert reason("") == "no reason given"


@pytest.mark.parametrize("name", ["recollect", "FTS5"])
def test_the_figures_are_those_of_the_eval_measures(ran: Ran, name: str) -> None:
    data = prepared(ran)
    made = json.loads(kept(ran, name).read_text())
    did = run(name, ENGINES[name], data, ran.work)
    rows = {row["id"]: row for row in made["rows"]}
    assert rows.keys() == data.gold.keys()
    answerable = {id: gold for id, gold in data.gold.items() if gold}
    assert 0 < len(answerable) < len(rows)
    for id, gold in answerable.items():
        found = metrics.returned(rows[id]["documents"], gold)
        assert did.by_question["set_precision"][id] == found.precision
        assert did.by_question["set_all"][id] == found.everything
        wide = rows[id]["wide"]
        assert did.by_question["all@5"][id] == metrics.all_evidence_at(wide, gold, 5)
        assert did.by_question["ndcg@10"][id] == metrics.ndcg_at(wide, gold, 10)
    open_ = [row["left_open"] for id, row in rows.items() if not data.gold[id]]
    assert did.left_open == sum(open_) / len(open_)
    assert did.p50_ms == metrics.percentile([row["ms"] for row in rows.values()], 0.5)


def test_what_came_back_is_told_as_it_was(ran: Ran) -> None:
    """Both find notes by their words; FTS5 has no doubts, and embeds nothing."""
    data = prepared(ran)
    words, us = (run(name, ENGINES[name], data, ran.work) for name in ("FTS5", "recollect"))
    for did in (words, us):
        assert did.mean("all@10") == 1.0
        assert did.mean("evidence_shown") == 1.0
        assert did.tokens > 0
        assert did.ingest_s > 0
        assert did.peak_mb > 5
        assert did.disk_mb > 0
    assert (words.texts, words.embedding_s) == (0, 0)
    assert us.texts == len(THINGS)
    assert us.embedding_s > 0
    assert words.left_open == 0  # the words "the" and "of" are enough for it
    assert us.left_open == 1
    assert us.tokens_without is not None
    assert words.tokens_without is not None
    assert us.tokens_without < words.tokens_without


# ------------------------------------------------------------------ evidence shown, and tokens

QUOTE = "The north gate is locked at nine in the evening."
REST = "The south gate has been open all night since the spring."
NAMED = Evidence((Unit("d", (QUOTE,)),))


def stubbed(answers: Mapping[str, Found], evidence: Mapping[str, Evidence]) -> Measured:
    """What a stub did with questions whose gold is the document d."""
    gold = {id: {"d": 1.0} for id in answers}
    nowhere = Path("not-read")
    data = Set("stub", "test", nowhere, nowhere, gold, evidence, 1, "")
    asked = [Question(id, "When is the gate locked?", "") for id in answers]
    costs = {"version": "1", "day": "2026-11-16", "texts": 0, "ingest_s": 1.0, "embedding_s": 0.0,
             "peak_mb": 9.0, "disk_mb": 1.0}  # fmt: skip
    return measured(costs | worker.ask(Stub(answers), asked, list(answers)), data)


def test_evidence_is_shown_when_it_is_in_the_text_that_came_back_of_its_document() -> None:
    answers = {
        "whole": Found(("d",), (f"{REST} {QUOTE}",)),
        "half": Found(("d", "d"), (REST, QUOTE[:30])),
        "elsewhere": Found(("d", "e"), (REST, QUOTE)),
        "not there": Found(("d",), (REST,)),
        "nothing": Found((), ()),
    }
    did = stubbed(answers, dict.fromkeys(answers, NAMED))
    assert did.by_question["evidence_shown"] == {
        "whole": 1.0, "half": 1.0, "elsewhere": 0.0, "not there": 0.0, "nothing": 0.0,
    }  # fmt: skip
    assert did.by_question["set_all"]["not there"] == 1.0  # the right document, and no answer


def test_questions_whose_evidence_is_not_known_have_no_say_in_it() -> None:
    answers = {"known": Found(("d",), (QUOTE,)), "unknown": Found(("d",), (REST,))}
    assert stubbed(answers, {"known": NAMED, "unknown": Evidence()}).mean("evidence_shown") == 1.0
    nowhere = stubbed(answers, dict.fromkeys(answers, Evidence()))
    assert nowhere.mean("evidence_shown") is None
    assert nowhere.mean("set_all") == 1.0


def test_tokens_are_those_of_what_a_reader_gets() -> None:
    passages = Found(("d", "d"), (QUOTE, REST))
    rendered = passages._replace(rendered=f"two results\n[1] {QUOTE}\n[2] {REST}")
    did = stubbed({"passages": passages, "rendered": rendered}, dict.fromkeys(
        ("passages", "rendered"), NAMED))  # fmt: skip
    assert did.by_question["tokens"] == {
        "passages": count_tokens(QUOTE) + count_tokens(REST),
        "rendered": count_tokens(str(rendered.rendered)),
    }
    assert did.mean("evidence_shown") == 1.0


def test_a_text_that_comes_back_often_is_written_once() -> None:
    answers = {id: Found(("d", "d"), (QUOTE, QUOTE)) for id in "abc"}
    made = worker.ask(Stub(answers), [Question(id, "When?", "") for id in answers], ())
    assert made["returned"] == [QUOTE]
    assert [row["texts"] for row in made["rows"]] == [[0, 0]] * 3


def test_of_recollect_a_reader_gets_the_text_of_the_search_tool(ran: Ran) -> None:
    made = json.loads(kept(ran, "recollect").read_text())
    for row in made["rows"]:
        (read,) = (made["returned"][place] for place in row["read"])
        status, _, sure = read.splitlines()[0].partition(" · ")
        assert status.startswith("no_results") != bool(row["documents"])
        assert sure.startswith(("sure", "likely", "possible")) == bool(row["documents"])
        assert all(made["returned"][place].strip() in read for place in row["texts"])


def test_the_overview_has_every_engine_and_a_dash_for_what_was_not_measured(ran: Ran) -> None:
    head, _, *rows = ran.found.overview.splitlines()
    cells = {row.split(" | ")[0].strip("| "): row.strip("| ").split(" | ")[1:] for row in rows}
    assert list(cells) == list(ENGINES)
    assert head == "| engine | small | left open, with answer | left open, without |"
    tokens = ran.found.results["small"]["FTS5"].tokens
    assert cells["FTS5"] == [f"1.00 ({tokens:,.0f})", "0.00", "0.00"]
    assert cells["chromadb"] == ["–", "–", "–"]
    assert ran.found.overview in ran.tables


def test_what_was_kept_is_shown_without_measuring_anything(ran: Ran) -> None:
    engines = {"FTS5": WORDS, "crashes": CRASHES}
    shown = measure(ran.data, SMALL, engines, ran.work, "kept")
    assert list(shown.results["small"]) == ["FTS5"]
    assert shown.failed == NOT_RUN
    less = measure(ran.data, {"small": Source().at_most(3)}, engines, ran.work, "kept")
    assert not less.results["small"]
    assert "Measured never" in less.tables


def test_figures_of_fewer_questions_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    for page in ("--write", "--overview"):
        with pytest.raises(SystemExit):
            main(["--most", "3", page, "page.md"])
        assert "not written anywhere" in capsys.readouterr().err


# ------------------------------------------------------------------ what is kept, and the sets


def test_what_was_measured_is_not_measured_again_until_something_changes(
    ran: Ran, tmp_path: Path
) -> None:
    file = kept(ran, "FTS5")
    before = file.read_bytes()
    again = measure(ran.data, SMALL, {"FTS5": WORDS}, ran.work).tables
    assert file.read_bytes() == before  # another run would have taken other milliseconds
    assert "| FTS5 |" in again
    run("FTS5", WORDS, prepared(ran), ran.work, fresh=True)
    assert file.read_bytes() != before
    small_set(tmp_path)
    notes = tmp_path / "small" / "docs.jsonl"
    notes.write_text(notes.read_text() + '{"id": "more", "text": "One more note."}\n')
    other = prepare(tmp_path, "small", SMALL["small"], ran.work / "sets")
    assert run("FTS5", WORDS, other, ran.work).documents == len(THINGS) + 1
    assert len(list((ran.work / "rows").glob("FTS5-small-*.json"))) == 2


def test_a_smaller_set_keeps_the_evidence_of_what_is_asked(tmp_path: Path) -> None:
    small_set(tmp_path)
    less = prepare(tmp_path, "small", Source(questions=2, documents=5), tmp_path / "sets")
    with_answer = [gold for gold in less.gold.values() if gold]
    stored = {json.loads(line)["id"] for line in less.documents.read_text().splitlines()}
    assert len(with_answer) == 2
    assert len(stored) == 5
    assert stored.issuperset(one for gold in with_answer for one in gold)
    assert any(not gold for gold in less.gold.values())


def test_no_more_questions_are_asked_than_wanted_of_either_kind(tmp_path: Path) -> None:
    small_set(tmp_path)
    less = prepare(tmp_path, "small", Source().at_most(2), tmp_path / "sets")
    assert sorted(map(bool, less.gold.values())) == [False, False, True, True]
    assert Source(questions=1, without=0).at_most(2) == Source(questions=1, without=0)


def test_no_set_is_read_only_and_the_new_domains_are_asked_a_hundred_questions() -> None:
    assert all(SETS[name].fits for name in SOURCES)
    new = {"friends": "conversation", "covid": "medicine", "support-faq": "support",
           "policies": "law"}  # fmt: skip
    for name, domain in new.items():
        assert SETS[name].domain == domain
        assert SOURCES[name].questions + SOURCES[name].without <= 100
        assert SOURCES[name].documents <= 2_000


def test_questions_of_another_set_have_no_answer_in_this_one(tmp_path: Path) -> None:
    small_set(tmp_path)
    lines(tmp_path / "other" / "docs.jsonl", [{"id": "o", "text": "Something else."}])
    lines(tmp_path / "other" / "queries.jsonl", [
        {"id": f"o{n}", "query": f"What else is number {n}?", "gold": ["o"]} for n in range(6)
    ])  # fmt: skip
    made = prepare(tmp_path, "small", Source(strangers="other"), tmp_path / "sets")
    strangers = {id: gold for id, gold in made.gold.items() if id.startswith("o")}
    assert strangers
    assert not any(strangers.values())


def test_a_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no docs"):
        measure(tmp_path, SMALL, {"FTS5": WORDS}, tmp_path / "work")


def test_conversations_are_stored_message_by_message_by_those_that_do_not_split() -> None:
    said = (Message("user", "hello"), Message("assistant", "  "), Message("assistant", "good day"))
    talk, note = Document("t", "", "", said, ""), Document("n", "Title", "Text.", (), "")
    assert list(pieces([talk, note])) == [
        ("t", "hello"),
        ("t", "good day"),
        ("n", "Title\n\nText."),
    ]


def test_tables_go_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "peers.md"
    page.write_text(f"before\n{table.ALL.begin}\nold\n{table.ALL.end}\nafter\n")
    table.write(page, "new", table.ALL)
    table.write(page, "newer", table.ALL)
    assert page.read_text() == f"before\n{table.ALL.begin}\nnewer\n{table.ALL.end}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(InputError, match="no <!-- tables"):
        table.write(page, "new", table.ALL)
    assert page.read_text() == "no marks"


def test_the_pages_have_the_marks_and_a_column_for_every_set() -> None:
    root = Path(__file__).parent.parent
    fair = [name for name, source in SOURCES.items() if source.half == "test"]
    for page, marks, names in (("docs/peers.md", table.ALL, list(SOURCES)),
                               ("docs/measured.md", table.OVERVIEW, fair)):  # fmt: skip
        text = (root / page).read_text("utf-8")
        tables = text.partition(marks.begin)[2].partition(marks.end)[0]
        assert f"| engine | {' | '.join(names)} | left open, with answer |" in tables
        assert all(f"\n| {name} | " in tables for name in ENGINES)


def test_every_engine_is_pinned_and_has_an_adapter() -> None:
    for engine in ENGINES.values():
        assert (Path(table.__file__).parent / "adapters" / f"{engine.adapter}.py").is_file()
        if engine.requirements is not None:
            pins = engine.requirements.read_text().split()
            assert pins
            assert all("==" in pin for pin in pins)
            assert any(pin.startswith(f"{engine.package}==") for pin in pins)
