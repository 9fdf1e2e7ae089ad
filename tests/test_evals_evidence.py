"""The evidence inside a document: what counts as shown, which files are refused, how well a
confidence tells answerable questions apart, and what ``eval run`` says of all that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from recollect import Document
from recollect.errors import InputError, UsageError
from recollect.nouns import Answer, Message
from recollect.surfaces import tool_text
from recollect.text.tokens import count_tokens
from recollect_evals import metrics as m
from recollect_evals import running
from recollect_evals.evidence import RUN, Evidence, Unit, covered, flat, is_named, is_shown, read
from recollect_evals.ledger import Ledger
from recollect_evals.planning import Plan
from recollect_evals.rows import Row

DIGITS = "0123456789"
QUOTE = "".join(f"{tens}{ones}" for tens in DIGITS for ones in DIGITS)[: 5 * RUN]
"""So many characters that a run of them is in it once."""
HALF = len(QUOTE) // 2


def near(value: float) -> float:
    return pytest.approx(value, abs=1e-12)  # type: ignore[return-value]


# ------------------------------------------------------------------ covered


@pytest.mark.parametrize(
    ("shown", "counts"),
    [
        (QUOTE[:HALF], True),
        (QUOTE[HALF:], True),
        (QUOTE[: HALF - 1], False),  # one character less than half
        (f"{QUOTE[:RUN]} … {QUOTE[-(HALF - RUN) :]}", True),  # RUN + (HALF - RUN) = HALF
        (f"{QUOTE[:RUN]} … {QUOTE[-(HALF - RUN) + 1 :]}", False),
        (" … ".join(QUOTE[at : at + RUN] for at in range(0, 5 * RUN, 2 * RUN)), True),  # 3/5
        (" … ".join(QUOTE[at : at + RUN - 1] for at in range(0, 5 * RUN, RUN)), False),  # too short
        ("", False),
    ],
)
def test_half_of_the_characters_in_runs_is_enough(shown: str, counts: bool) -> None:
    assert covered(QUOTE, shown) is counts


def test_what_is_shorter_than_a_run_is_shown_whole_or_not() -> None:
    short = QUOTE[: RUN - 1]
    assert covered(short, f"… {short} …")
    assert not covered(short, short[:-1])


def characters_shown(wanted: str, text: str) -> int:
    """As :func:`covered` is defined: characters that are in some run of the text."""
    least = min(RUN, len(wanted))
    inside = {
        place
        for at in range(len(wanted) - least + 1)
        if wanted[at : at + least] in text
        for place in range(at, at + least)
    }
    return len(inside)


texts = st.text(st.characters(exclude_categories=["C"]), min_size=1).map(flat).filter(bool)
few_letters = st.text("ab ", min_size=1, max_size=120).map(flat).filter(bool)


@given(texts, texts, texts)
def test_a_text_shows_itself(before: str, wanted: str, after: str) -> None:
    assert covered(wanted, wanted)
    assert covered(wanted, before + wanted + after)


@given(st.one_of(texts, few_letters), st.one_of(texts, few_letters))
def test_fewer_than_half_of_the_characters_are_never_enough(wanted: str, text: str) -> None:
    if 2 * characters_shown(wanted, text) < len(wanted):
        assert not covered(wanted, text)


@given(few_letters, st.integers(0, 120), st.integers(0, 120))
def test_a_part_is_enough_from_half_on(wanted: str, start: int, end: int) -> None:
    part = wanted[start:end]
    if 2 * len(part) >= len(wanted) and len(part) >= min(RUN, len(wanted)):
        assert covered(wanted, part)


@given(few_letters, few_letters, few_letters)
def test_more_text_never_hides_a_quote(wanted: str, some: str, more: str) -> None:
    if wanted in some:
        assert covered(wanted, f"{more} {some}")


@given(st.lists(st.text("abc.", min_size=1), min_size=1), st.data())
def test_white_space_does_not_matter(words: list[str], data: st.DataObject) -> None:
    gaps = st.text(" \t\n\u00a0", min_size=1)

    def spaced() -> str:
        return "".join(f"{word}{data.draw(gaps)}" for word in words)

    assert is_shown(Unit("d", (spaced(),)), {"d": spaced()})


# ------------------------------------------------------------------ units


def unit(document: str, *some: str, **more: Any) -> Unit:
    return Unit(document, some, **more)


def test_a_unit_is_shown_by_its_own_document_alone() -> None:
    wanted = unit("d", QUOTE)
    assert is_shown(wanted, {"d": f"before {QUOTE} after"})
    assert not is_shown(wanted, {"other": QUOTE})
    assert not is_shown(wanted, {"d": "", "other": QUOTE})
    assert not is_shown(wanted, {})


def test_one_of_the_turns_is_enough() -> None:
    wanted = unit("d", "the first turn of three", "and the second one of them")
    assert is_shown(wanted, {"d": "and the second one of them"})
    assert not is_shown(wanted, {"d": "and then the third"})


def test_another_that_serves_as_well_is_enough() -> None:
    wanted = unit("d", QUOTE, others=(unit("copy", QUOTE),))
    assert is_shown(wanted, {"copy": QUOTE})
    assert is_named(wanted, ["copy"])
    assert is_named(wanted, ["x", "d"])
    assert not is_named(wanted, ["x"])


A, B, C = "a quote of the first document", "a quote of the second one", "and one of the third one"
SHOWN = {"a": A, "b": B, "c": C}


def of(*names: str) -> Mapping[str, str]:
    return {name: SHOWN[name] for name in names}


def test_every_unit_has_to_be_shown() -> None:
    both = Evidence((unit("a", A), unit("b", B)))
    assert m.evidence_shown(both, of("a", "b")) == 1
    assert m.evidence_shown(both, of("a")) == 0
    assert m.evidence_named(both, ["b", "a"]) == 1
    assert m.evidence_named(both, ["b"]) == 0


def test_any_needs_one() -> None:
    either = Evidence((unit("a", A), unit("b", B)), any=True)
    assert m.evidence_shown(either, of("b")) == 1
    assert m.evidence_shown(either, of("c")) == 0
    assert m.evidence_named(either, ["b"]) == 1


def test_one_group_is_enough_and_what_is_in_none_is_needed_too() -> None:
    first, second = "the first of a pair of them", "the second of a pair of them"
    other = "what says the same alone"
    units = (
        unit("d", first, group="1"), unit("d", second, group="1"), unit("d", other, group="2"),
    )  # fmt: skip
    assert Evidence(units).alternatives == (units[:2], units[2:])
    assert m.evidence_shown(Evidence(units), {"d": f"{first} {second}"}) == 1
    assert m.evidence_shown(Evidence(units), {"d": other}) == 1
    assert m.evidence_shown(Evidence(units), {"d": first}) == 0
    needed = Evidence((*units, unit("a", A)))
    assert m.evidence_shown(needed, {"d": other}) == 0
    assert m.evidence_shown(needed, {"d": other, **of("a")}) == 1


def test_a_right_document_without_the_sentence_is_named_and_not_shown() -> None:
    evidence = Evidence((unit("a", A),))
    shown = {"a": "the same document, at another place"}
    assert m.evidence_shown(evidence, shown) == 0
    assert m.evidence_named(evidence, list(shown)) == 1


# ------------------------------------------------------------------ read

NOTE = Document("note", "eval", "The kayak is orange.\nIt leaks.")
TALK = Document(
    "talk", "eval", "",
    messages=(Message("Ana", "Where is it?"), Message("Bo", " "), Message("Bo", "In the shed.")),
)  # fmt: skip
DOCUMENTS = {one.external: one for one in (NOTE, TALK)}


def entry(document: str, **more: Any) -> dict[str, Any]:
    return {"document": document, **more}


def test_quotes_and_turns_are_read_as_texts() -> None:
    found = read(
        [
            entry("note", quote="is orange"),
            entry("talk", turn=0),
            entry("talk", turn=0, to=2),
            entry("talk", turn=2, quote="the shed"),
            entry("talk", quote="In the shed"),
        ],
        DOCUMENTS,
        "f:1",
    )
    assert found == (
        (
            unit("note", "is orange"),
            unit("talk", "Where is it?"),
            unit("talk", "Where is it?", "In the shed."),  # a blank turn shows nothing
            unit("talk", "In the shed."),  # the turn that the quote is in
            unit("talk", "In the shed"),
        ),
        False,
    )


def test_any_or_and_group_are_read() -> None:
    other = entry("talk", turn=2)
    found = read([entry("note", quote="leaks", group=0, **{"or": [other]})], DOCUMENTS, "f:1", True)
    assert found.any
    assert found.units == (
        unit("note", "leaks", others=(unit("talk", "In the shed."),), group="0"),
    )
    assert read([], DOCUMENTS, "f:1") == Evidence()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("is orange", "`evidence` is not a list"),
        (["is orange"], "has no `document`"),
        ([entry("nowhere", quote="x")], "'nowhere', which is no document"),
        ([entry("note", quote="is blue")], "note: the quote is not in its text: 'is blue'"),
        ([entry("note", quote="")], "the quote is not in its text"),
        ([entry("note")], "the quote is not in its text"),
        ([entry("note", turn=0)], "of 0 turns none is 0"),
        ([entry("talk", turn=3)], "of 3 turns none is 3"),
        ([entry("talk", turn=1, to=3)], "of 3 turns none is 3"),
        ([entry("talk", turn=-1)], "of 3 turns none is -1"),
        ([entry("talk", turn=2, to=1)], "there is no turn 2 to 1"),
        ([entry("talk", turn="2")], "there is no turn '2' to '2'"),
        ([entry("talk", turn=0, quote="In the shed")], "the quote is not in turn 0"),
        ([entry("note", quote="leaks", **{"or": [entry("nowhere")]})], "'nowhere', which is no"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(entries: Any, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(entries, DOCUMENTS, "queries.jsonl:7")
    assert caught.value.message.startswith("queries.jsonl:7: ")


# ------------------------------------------------------------------ answerable or not


def test_auroc_by_hand() -> None:
    assert m.auroc([0.9, 0.4], [0.1, 0.5]) == near((2 + 1) / (2 * 2))
    assert m.auroc([0.9], [0.1, 0.2]) == 1
    assert m.auroc([0.1], [0.9]) == 0
    assert m.auroc([0.5, 0.5], [0.5]) == near(1 / 2)  # a tie is half


def test_refused_at_by_hand() -> None:
    answerable = [0.9, 0.8, 0.7, 0.6, 0.1]
    unanswerable = [0.65, 0.55, 0.2, 0.05]
    assert m.refused_at(answerable, unanswerable, 0.8) == near(3 / 4)  # from 0.6 on
    assert m.refused_at(answerable, unanswerable, 0.9) == near(1 / 4)  # from 0.1 on
    assert m.refused_at(answerable, unanswerable, 0.5) == near(4 / 4)  # ⌈0.5 · 5⌉ = 3: from 0.7 on
    assert m.refused_at([0.5], [0.5], 1) == 0  # as sure as what is served


@pytest.mark.parametrize("served", [0.0, -0.1, 1.1])
def test_a_share_that_is_none_is_refused(served: float) -> None:
    with pytest.raises(UsageError):
        m.refused_at([0.5], [0.5], served)


def test_both_kinds_are_needed() -> None:
    for some, others in (([], [0.5]), ([0.5], [])):
        with pytest.raises(UsageError, match="both kinds"):
            m.auroc(some, others)
        with pytest.raises(UsageError, match="both kinds"):
            m.refused_at(some, others, 0.8)


crowded = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), min_size=1, max_size=30)
spread = st.lists(st.floats(0, 1), min_size=1, max_size=30)
confidences = st.one_of(crowded, spread)


@given(confidences, confidences)
def test_auroc_is_the_share_of_pairs_in_the_right_order(
    right: Sequence[float], wrong: Sequence[float]
) -> None:
    pairs = [(p, q) for p in right for q in wrong]
    ordered = sum((p > q) + (p == q) / 2 for p, q in pairs)
    assert m.auroc(right, wrong) == near(ordered / len(pairs))
    assert m.auroc(wrong, right) == near(1 - m.auroc(right, wrong))


@given(confidences, confidences, st.sampled_from([1, 2, 3, 5, 7, 8, 9, 10]))
def test_refused_at_is_the_best_of_all_thresholds_that_serve_enough(
    answerable: Sequence[float], unanswerable: Sequence[float], tenths: int
) -> None:
    """Tenths are compared as whole numbers, so that no rounding has a say."""

    def serves(threshold: float) -> bool:
        served = sum(p >= threshold for p in answerable)
        return 10 * served >= tenths * len(answerable)

    thresholds = [-inf, *answerable, *unanswerable]
    best = max(
        sum(p < threshold for p in unanswerable) / len(unanswerable)
        for threshold in thresholds
        if serves(threshold)
    )
    assert m.refused_at(answerable, unanswerable, tenths / 10) == near(best)


# ------------------------------------------------------------------ eval run

FILLER = "We bought it at the harbour shop and keep it in the shed behind the house. " * 40
SENTENCE = "Its wick burns eleven hours before somebody must trim the cotton again."
KEPT = (
    {"id": "near", "text": "The kayak is painted in bright orange."},
    {"id": "far", "text": f"The lantern came from a market stall.\n\n{FILLER}\n\n{SENTENCE}"},
    {"id": "roof", "text": "The telescope is on the roof."},
)
ASKED = (
    {"id": "colour", "query": "Which colour is the kayak painted in?", "gold": ["near"],
     "evidence": [{"document": "near", "quote": "painted in bright orange"}]},
    {"id": "hours", "query": "Is the lantern from a market stall?", "gold": ["far"],
     "evidence": [{"document": "far", "quote": SENTENCE}]},
    {"id": "place", "query": "Where is the telescope?", "gold": ["roof"]},
    {"id": "none", "query": "Is there a zeppelin?", "gold": []},
)  # fmt: skip


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set whose evidence of one question is far from what the question finds."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    folder = tmp_path / "things"
    folder.mkdir()
    write(folder / "docs.jsonl", *KEPT)
    write(folder / "queries.jsonl", *ASKED)
    return folder


def write(file: Path, *rows: Mapping[str, Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def ran(cli: Cli, place: Path, *more: str) -> tuple[dict[str, Any], dict[str, Row]]:
    """What is told of a run, and its rows by the questions' ids."""
    done = cli("eval", "run", "jsonl", str(place), "--half", "all", "--json", *more)
    assert done.code == 0, done.err
    (told,) = done.json["runs"]
    return told, {row.id: row for row in Ledger().rows(told["run"])}


def test_a_run_tells_the_right_document_from_the_sentence_that_answers(
    cli: Cli, things: Path
) -> None:
    told, rows = ran(cli, things)
    assert {row.id: row.documents for row in rows.values()} == {
        "colour": ("near",), "hours": ("far",), "place": ("roof",), "none": (),
    }  # fmt: skip
    assert told["measures"]["all@5"]["mean"] == 1  # every document is right
    assert told["measures"]["evidence_named"]["mean"] == 1
    assert told["measures"]["evidence_shown"]["mean"] == near(1 / 2)
    assert told["measures"]["evidence_shown"]["n"] == 2
    assert rows["hours"].measures["evidence_shown"] == 0
    assert "evidence_shown" not in rows["place"].measures
    assert "evidence_shown" in cli("eval", "run", "jsonl", str(things), "--half", "all").out


def test_a_single_result_is_right_by_the_evidence_else_by_the_gold(cli: Cli, things: Path) -> None:
    told, rows = ran(cli, things)
    right = {row.id: [shows for _, shows in row.graded] for row in rows.values()}
    assert right == {"colour": [True], "hours": [False], "place": [True], "none": []}
    pairs = [pair for row in rows.values() for pair in row.graded]
    assert told["calibration"]["results_ece"] == pytest.approx(m.calibration_error(pairs), abs=1e-6)


def test_a_run_says_how_well_it_tells_what_has_no_answer(cli: Cli, things: Path) -> None:
    told, rows = ran(cli, things)
    none = rows.pop("none").confidence
    able = [row.confidence for row in rows.values()]
    assert told["abstention"]["auroc"] == near(m.auroc(able, [none]))
    for share in (0.8, 0.9):
        assert told["abstention"][f"refused@{share}"] == near(m.refused_at(able, [none], share))
    assert "AUROC" in cli("eval", "run", "jsonl", str(things), "--half", "all").out
    write(things / "queries.jsonl", *ASKED[:-1])
    told, _ = ran(cli, things)
    assert "auroc" not in told["abstention"]
    assert "refused@0.8" not in told["abstention"]


def test_tokens_are_those_of_the_text_that_the_tool_gives(
    cli: Cli, things: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, str] = {}
    render = tool_text.answer

    def listening(answer: Answer, arguments: Mapping[str, Any]) -> str:
        given[answer.query] = render(answer, arguments)
        return given[answer.query]

    monkeypatch.setattr(tool_text, "answer", listening)
    told, rows = ran(cli, things)
    assert told["rendered"] is True
    assert {row["id"]: count_tokens(given[str(row["query"])]) for row in ASKED} == {
        id: row.measures["tokens"] for id, row in rows.items()
    }
    assert given["Where is the telescope?"].count("roof") == 2  # its own id, and the text


def library(things: Path, **more: Any) -> tuple[dict[str, Any], dict[str, Row]]:
    plan = Plan(half="all", **more)
    told = running.run("jsonl", things, plan, Ledger(), lambda _: None)
    return told, {row.id: row for row in Ledger().rows(told["run"])}


def test_without_a_surface_the_texts_of_the_results_are_counted(things: Path) -> None:
    told, rows = library(things)
    assert told["rendered"] is False
    assert rows["place"].measures["tokens"] == count_tokens(str(KEPT[2]["text"]))
    assert rows["none"].measures["tokens"] == 0


def test_rendering_changes_the_tokens_and_nothing_else(cli: Cli, things: Path) -> None:
    _, plain = library(things)
    _, shown = library(things, render=lambda answer: tool_text.answer(answer, {}))
    for id, row in plain.items():
        other = shown[id]
        assert other.measures.keys() == row.measures.keys()
        changed = {name for name in row.measures if row.measures[name] != other.measures[name]}
        assert changed <= {"tokens", "ms"}
        assert other._replace(measures=row.measures) == row
    compared = cli("eval", "compare", "things-2", "things-1", "--json").json
    assert compared["changed"] == {"rendered": [True, False]}


def test_two_stores_of_the_same_give_the_same_tokens(cli: Cli, things: Path) -> None:
    """A fingerprint is another in each, and has no say."""
    (_, first), (_, second) = ran(cli, things), ran(cli, things)
    assert {id: row.measures["tokens"] for id, row in first.items()} == {
        id: row.measures["tokens"] for id, row in second.items()
    }


def test_shuffled_gold_has_no_evidence(cli: Cli, things: Path) -> None:
    told, _ = ran(cli, things, "--shuffle-gold")
    assert not told["measures"].keys() & {"evidence_shown", "evidence_named"}


def test_rows_of_before_are_still_read() -> None:
    old = Row("q", "fit", "", True, "", 0.5, True, ("d",), False, {}, {}, ((0.5, True),))._asdict()
    assert Row.from_json(json.loads(json.dumps(old))).graded == ((0.5, True),)
    del old["graded"]
    assert Row.from_json(old).graded == ()


EVIDENCE = {"document": "far", "quote": SENTENCE}


@pytest.mark.parametrize(
    ("file", "row", "said"),
    [
        ("queries", {"id": "x", "query": "x", "gold": ["far"],
                     "evidence": [{"document": "far", "quote": "Its wick is wet."}]},
         "queries.jsonl:5: far: the quote is not in its text: 'Its wick is wet.'"),
        ("queries", {"id": "x", "query": "x", "gold": ["far"],
                     "evidence": [{"document": "far", "turn": 0}]},
         "queries.jsonl:5: far: of 0 turns none is 0"),
        ("evidence", {"id": "nobody", "evidence": [EVIDENCE]},
         "evidence.jsonl:1: evidence of 'nobody', which nobody asks"),
        ("evidence", {"id": "place", "evidence": [{"document": "roof", "quote": "cellar"}]},
         "evidence.jsonl:1: roof: the quote is not in its text: 'cellar'"),
    ],
)  # fmt: skip
def test_evidence_that_leads_nowhere_ends_the_run_with_its_line(
    cli: Cli, things: Path, file: str, row: Mapping[str, Any], said: str
) -> None:
    write(things / f"{file}.jsonl", *(ASKED if file == "queries" else ()), row)
    done = cli("eval", "run", "jsonl", str(things), "--half", "all")
    assert done.code == 1
    assert said in done.err
    assert not Ledger().folder.exists()


def test_evidence_may_be_in_a_file_of_its_own(cli: Cli, things: Path) -> None:
    apart = {"id": "place", "evidence": [{"document": "roof", "quote": "on the roof"}]}
    write(things / "evidence.jsonl", apart)
    told, rows = ran(cli, things)
    assert rows["place"].measures["evidence_shown"] == 1
    assert told["measures"]["evidence_shown"]["n"] == 3
