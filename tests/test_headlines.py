"""How a result and a named thing are called: each part once, whatever the surface."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.nouns import Answer, Budget, Named, Result, Span
from recollect.surfaces import headlines, render, terminal, tool_text
from recollect.surfaces.page.layout import passage
from recollect.surfaces.terminal import Style

MARCH = datetime(2026, 3, 2, tzinfo=UTC)
ID = "4f2a90c1d6e8b375"


def result(text: str = "Ana signs the release.", **given: Any) -> Result:
    made = Result(
        id=f"{ID}:2", document="runbooks/release.md", document_id=ID, kind="note", source="vault",
        title="Release checklist", path="runbooks/release.md", heading="", role="", date=MARCH,
        text=text, score=1.0, confidence=0.7, evidence=(), contributions=(), tokens=10,
    )  # fmt: skip
    return made._replace(**given)


def named(**given: Any) -> Named:
    made = Named(f"{ID}:0", "team/people.md", "note", "Who does what", "team/people.md", MARCH,
                 ("signs",), 0.01)  # fmt: skip
    return made._replace(**given)


def answer(*results: Result, **given: Any) -> Answer:
    made = Answer(
        query="who signs?", status="direct_passages", tier=3, mode="balanced", intent="general",
        confidence=0.7, results=results, total_found=3, hidden={}, degraded=(),
        budget=Budget(None, 0, 0, 0, 0), fingerprint="f" * 32, stages=(), timing_ms=1.0,
    )  # fmt: skip
    return made._replace(**given)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "Release checklist"),
        ({"heading": "Release checklist"}, "Release checklist"),
        ({"heading": "Release checklist > Signing"}, "Release checklist › Signing"),
        ({"heading": "Signing > Signing"}, "Release checklist › Signing"),
        ({"title": "", "document": ID}, "Ana signs the release."),
    ],
)
def test_each_part_of_a_name_is_said_once(given: dict[str, Any], name: str) -> None:
    assert headlines.name(result(**given)) == name


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({}, "[team/people.md] Who does what (2026-03-02): signs"),
        ({"title": "people"}, "[team/people.md] (2026-03-02): signs"),
        ({"matched": (), "date": None}, "[team/people.md] Who does what (note)"),
        (
            {"kind": "session", "document": "0" * 36, "path": "/home/ana/logs/a.jsonl"},
            f"[{ID}] Who does what (session 2026-03-02): signs",
        ),
        (
            {"kind": "decision", "document": "0" * 40, "path": "src/a.py"},
            f"[{ID}] Who does what (decision 2026-03-02 src/a.py): signs",
        ),
        (
            {"kind": "fact", "document": "deploy-day-dcd1a1", "path": ""},
            "[deploy-day-dcd1a1] Who does what (fact 2026-03-02): signs",
        ),
    ],
)
def test_a_named_line_has_what_opens_it_and_nothing_twice(given: dict[str, Any], line: str) -> None:
    assert headlines.line(named(**given)) == line


def test_where_nothing_is_known_a_model_reads_the_nearest_words_under_their_titles() -> None:
    near = (
        named(excerpt="Ana signs."),
        named(title="Ben packs …", excerpt="Ben packs the boxes on Monday."),
    )
    nothing = answer(named=near)._replace(status="no_results")
    assert tool_text.answer(nothing, {}).splitlines()[-2:] == [
        "nearest: [team/people.md] Who does what: Ana signs.",
        "[team/people.md] Ben packs the boxes on Monday.",
    ]


def test_a_model_reads_a_header_the_text_and_what_else_there_is() -> None:
    assert tool_text.answer(answer(result(), named=(named(),)), {}).splitlines() == [
        "direct_passages · likely",
        f"[{ID}:2] Release checklist (note · 2026-03-02 · runbooks/release.md · likely)",
        "Ana signs the release.",
        "also:",
        "[team/people.md] Who does what (2026-03-02): signs",
    ]


def test_a_heading_that_is_the_title_is_not_read_again() -> None:
    told = tool_text.answer(answer(result("# Release checklist\n\nAna signs.")), {})
    assert told.splitlines()[2] == "Ana signs."


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"kind": "code", "title": "ratelimit", "path": "ratelimit.py"}, "ratelimit.py"),
        ({"kind": "code", "title": "ratelimit", "path": "src/ratelimit.py"}, "src/ratelimit.py"),
        ({"title": "release", "path": "runbooks/release.md"}, "runbooks/release.md"),
        ({"title": "release", "path": "release.md"}, "release.md"),
        ({"title": "a", "path": "a.env"}, "a.env"),
        ({"title": "src/a.py", "path": "src/a.py"}, ""),
    ],
)
def test_the_path_of_a_file_is_told_unless_the_title_is_the_path(
    given: dict[str, Any], path: str
) -> None:
    assert headlines.path(result(**given)) == path


def test_the_source_is_told_where_there_are_two() -> None:
    other = result(source="wiki", id="0" * 16 + ":0")
    fact = result(kind="fact", source="facts", document="deploy-day", path="")
    assert "vault" not in tool_text.answer(answer(result(), fact), {})
    assert "· vault ·" in tool_text.answer(answer(result(), other), {})


def test_the_header_is_as_sure_as_the_answer() -> None:
    first, surest = result(confidence=0.5), result(confidence=0.9, id="0" * 16 + ":0")
    found = answer(first, surest, confidence=0.9)
    assert tool_text.answer(found, {}).startswith("direct_passages · sure\n")
    assert render.answer(found, Style(False)).startswith("found · sure · ")
    assert (found.as_json()["said"], found.as_json()["confidence"]) == ("sure", 0.9)


@pytest.mark.parametrize("title", ["Deploys", "How a depot is added to all that we have of them"])
def test_what_its_source_no_longer_has_is_marked_on_every_line(title: str) -> None:
    old = named(gone=True, title=title, path="howto/how-to-add.md", document="howto/how-to-add.md")
    found = answer(result(gone=True), named=(old._replace(dated="file"),))
    for told in (tool_text.answer(found, {}), render.answer(found, Style(False))):
        assert told.count("no longer in its source") == 2
    assert found.as_json()["shown"][0]["gone"] is found.as_json()["named"][0]["gone"] is True


def test_who_speaks_is_told_once() -> None:
    text = "user: Who signs?\nassistant: Ana does."
    talk = result(text, kind="session", role="assistant", path="logs/a.jsonl")
    assert "(session · 2026-03-02 · likely)" in tool_text.answer(answer(talk), {})
    alone = talk._replace(text="Ana does.")
    assert "(session · assistant · 2026-03-02 · likely)" in tool_text.answer(answer(alone), {})


def test_marks_of_spans_are_found_in_the_text_that_is_shown() -> None:
    first, second = Span("a:0", "Who signs?", marks=((4, 9),)), Span("a:4", "Ana.", marks=((0, 3),))
    talk = result(f"user: {first.text}\n…\nassistant: {second.text}", spans=(first, second))
    found = headlines.marks(talk, ())
    assert [talk.text[start:end] for start, end in found] == ["signs", "Ana"]
    style = Style(False)
    style.mark, style.off = "<", ">"
    assert "    user: Who <signs>?\n    …\n    assistant: <Ana>." in render.answer(
        answer(talk), style
    )


def test_without_marks_of_its_own_the_words_of_the_question_are_marked() -> None:
    found = headlines.marks(result(spans=(Span("a:0", "Ana signs the release."),)), {"sign"})
    assert found == ((4, 9),)


def test_named_lines_stay_within_the_budget_of_the_caller() -> None:
    many = tuple(named(title=f"Page {n}") for n in range(20))
    wide = tool_text.answer(answer(result(), named=many), {})
    tight = answer(result(), named=many, budget=Budget(100, 40, 1, 0, 0))
    assert wide.count("Page") == 20
    assert 0 < tool_text.answer(tight, {}).count("Page") < 5


def test_wide_letters_take_two_columns() -> None:
    lines = terminal.folded("ログインの状態はPostgresに保存しています。" * 3, 40)
    assert all(terminal.columns_of(line) <= 40 for line in lines)
    assert "".join(lines) == "ログインの状態はPostgresに保存しています。" * 3


def test_what_follows_a_break_stands_below_the_first_word() -> None:
    assert terminal.folded("- one two three\n\n1. four five six", 10) == [
        "- one two", "  three", "1. four", "   five", "   six",
    ]  # fmt: skip


def test_the_page_shows_code_of_a_turn_as_code_and_keeps_the_marks() -> None:
    text = "user: ```python\ntoday = date.today()\n```\nassistant: There it is."
    shown = str(passage(text, [(text.index("There"), text.index("There") + 5)]))
    assert "<pre" in shown
    assert "today = date.today()</pre>" in shown
    assert "assistant: <mark>There</mark> it is." in shown


def test_code_and_commands_are_not_broken() -> None:
    command = "psql --host db.example --command 'select 1' # password authentication failed"
    prose = "The password is wrong where authentication fails."
    told = f"{prose}\n```sh\n{command}\n```\n{prose}\n$ {command}"
    broken = ["The password is wrong where", "authentication fails."]
    assert terminal.set_out(told, 30) == [
        *broken, "```sh", command, "```", *broken, f"$ {command}"
    ]  # fmt: skip
    program = "def surcharge(base_cents: int, region: str) -> int:\n    return base_cents * 2"
    assert terminal.set_out(program, 30) == program.splitlines()
    assert all(len(line) <= 30 for line in terminal.folded(told, 30) if " " in line)
