"""The command line as a user meets it: what it prints, where, and with which exit code."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from math import exp
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Ran
from recollect import Memory, __version__, config
from recollect.nouns import Progress
from recollect.surfaces import terminal
from recollect.surfaces.cli import COMMANDS, run
from recollect.surfaces.commands import importing

NAMES = tuple(command.name for command in COMMANDS)
CONFIG_ACTIONS = ("get", "set", "unset", "list", "trust")
ESCAPE = "\033["

SEARCH_FIELDS = {
    "status", "tier", "mode", "intent", "confidence", "cache", "results", "total_found", "hidden",
    "relaxed", "degraded", "budget", "fingerprint", "stages", "timing_ms",
}  # fmt: skip
RESULT_FIELDS = {
    "id", "document", "kind", "source", "title", "path", "text", "score", "evidence", "tokens",
}  # fmt: skip


def process(*arguments: str | bytes, **changes: str) -> Ran:
    """The command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments],
        capture_output=True,
        env=_environment(changes),
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def _environment(changes: dict[str, str]) -> dict[str, str]:
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return {**plain, **changes}


@pytest.fixture(autouse=True)
def by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is then easy to tell; what models add has tests of its own."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_SEARCH_CUT", "false")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "runbooks").mkdir(parents=True)
    (folder / "runbooks" / "deploy.md").write_text(
        "---\ndate: 2026-03-01\n---\n# How we deploy\n\nWe deploy every Friday at noon.\n"
    )
    (folder / "food.md").write_text("# Lunch\n\nThe canteen has soup on Tuesday.\n")
    (folder / "boats.md").write_text("# Kayaks\n\nThe red kayak leaks at the stern.\n")
    return folder


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(
        tmp_path / "records.jsonl",
        {"id": "adr-1", "text": "Sessions live in Postgres.", "title": "Session store"},
        {"id": "adr-2", "text": "Money is stored as integers.", "kind": "decision"},
        {
            "id": "chat-7",
            "date": "2026-02-03",
            "turns": [
                {"role": "user", "text": "Why does the timezone test fail?"},
                {"role": "assistant", "text": "It compares a naive moment with midnight."},
            ],
        },
    )


@pytest.fixture
def filled(cli: Cli, notes: Path, lines: Path) -> Cli:
    """The command line with three notes and three records in the default store."""
    assert cli("add", str(notes), str(lines)).code == 0
    return cli


@pytest.fixture
def without_its_model(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line that wants a model which is not on this machine."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "arctic-embed-s")
    return filled


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def found(ran: Ran) -> list[str]:
    return found_in(ran.json)


def found_in(answer: dict[str, Any]) -> list[str]:
    return [result["document"] for result in answer["results"]]


def listed(cli: Cli, *arguments: str) -> list[str]:
    return [item["document"] for item in cli("list", "--json", *arguments).json["items"]]


# ------------------------------------------------------------------ add


def test_add_imports_a_folder_with_everything_below_it(cli: Cli, notes: Path) -> None:
    done = cli("add", str(notes))
    assert done.code == 0
    assert "3 added" in done.out
    assert set(listed(cli)) == {"runbooks/deploy.md", "food.md", "boats.md"}


def test_add_imports_one_file(cli: Cli, notes: Path) -> None:
    assert cli("add", str(notes / "food.md")).code == 0
    assert found(cli("search", "canteen soup", "--json")) == ["food.md"]


def test_add_imports_documents_and_sessions_of_a_jsonl(cli: Cli, lines: Path) -> None:
    assert cli("add", str(lines), "--json").json["added"] == 3
    kinds = {i["document"]: i["kind"] for i in cli("list", "--json").json["items"]}
    assert kinds == {"adr-1": "document", "adr-2": "decision", "chat-7": "session"}


def test_add_takes_several_paths_at_once(cli: Cli, notes: Path, lines: Path) -> None:
    done = cli("add", str(notes), str(lines), "--json")
    assert done.json["added"] == 6
    assert done.json["sources"] == ["notes", "records.jsonl"]


def test_what_was_added_is_found_by_the_next_search(filled: Cli) -> None:
    assert found(filled("search", "when do we deploy?", "--json"))[0] == "runbooks/deploy.md"
    assert found(filled("search", "timezone test", "--json"))[0] == "chat-7"


def test_adding_again_reports_everything_as_unchanged(filled: Cli, notes: Path) -> None:
    again = filled("add", str(notes), "--json")
    assert again.code == 0
    assert (again.json["added"], again.json["changed"], again.json["unchanged"]) == (0, 0, 3)


def test_add_names_the_source_the_owner_and_the_scopes(cli: Cli, notes: Path) -> None:
    cli("add", str(notes), "--source", "vault", "--owner", "ana", "--scope", "work",
        "--scope", "team")  # fmt: skip
    about = cli("get", "food.md", "--json").json
    assert (about["source"], about["owner"]) == ("vault", "ana")
    assert set(about["scopes"]) == {"work", "team"}


def test_add_without_vectors_is_searchable_by_words(cli: Cli, notes: Path) -> None:
    assert cli("add", str(notes), "--no-embed").code == 0
    assert found(cli("search", "kayak", "--json")) == ["boats.md"]


def test_a_failure_is_named_on_stderr_and_the_rest_is_imported(cli: Cli, notes: Path) -> None:
    (notes / "picture.txt").write_bytes(b"\x00\x01\x02")
    done = cli("add", str(notes))
    assert done.code == 1
    assert "3 added" in done.out
    assert str(notes / "picture.txt") in done.err
    assert "picture.txt" not in done.out


def test_words_that_begin_with_a_dash_come_after_two(filled: Cli) -> None:
    refused = filled("search", "-redis")
    assert (refused.code, "come after `--`" in refused.err) == (2, True)
    assert "come after" not in filled("search", "--redis").err


def test_what_can_be_searched_by_words_is_said_once_however_often_vectors_begin(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = importing._telling(argparse.Namespace(quiet=False), lambda _: None)
    for total in (120, 120, 240):
        report(Progress("embedding", 0, total))
    assert capsys.readouterr().err.count("can be searched by words now") == 1


def test_a_long_import_says_that_words_find_it_before_vectors_are_made(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "recollect-embed")
    for name in ("one", "two"):
        rows = [json.dumps({"id": f"{name}{i}", "text": f"{name} otter {i}"}) for i in range(100)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    told = cli("add", str(tmp_path / "one.jsonl"))
    assert "100 passages can be searched by words now" in told.err
    followed = cli("add", str(tmp_path / "two.jsonl"), "--progress")
    steps = [json.loads(line) for line in followed.err.splitlines()]
    assert steps[-1]["doing"] == "embedding"
    assert steps[-1]["total"] == 100


def test_failures_are_listed_in_the_json_of_add(cli: Cli, notes: Path) -> None:
    (notes / "picture.txt").write_bytes(b"\x00\x01\x02")
    done = cli("add", str(notes), "--json")
    assert done.code == 1
    assert [p["where"] for p in done.json["failed"]] == [str(notes / "picture.txt")]


def test_media_in_a_folder_are_skipped_without_failing(cli: Cli, notes: Path) -> None:
    (notes / "photo.png").write_bytes(b"\x89PNG\x00")
    done = cli("add", str(notes), "--json")
    assert done.code == 0
    assert [p["where"] for p in done.json["skipped"]] == [str(notes / "photo.png")]


def test_an_import_in_which_everything_fails_does_not_say_there_was_nothing_to_do(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01")
    done = cli("add", str(tmp_path / "bad.txt"))
    assert done.code == 1
    assert "nothing to do" not in done.out


def test_one_missing_path_does_not_keep_the_others_out(cli: Cli, notes: Path) -> None:
    done = cli("add", str(notes / "food.md"), str(notes / "gone.md"), str(notes / "boats.md"))
    assert done.code == 1
    assert "gone.md" in done.err
    assert set(listed(cli)) == {"food.md", "boats.md"}


# ------------------------------------------------------------------ search


def test_search_json_has_every_promised_field(filled: Cli) -> None:
    answer = filled("search", "when do we deploy?", "--json").json
    assert answer.keys() >= SEARCH_FIELDS
    assert answer["cache"].keys() >= {"status", "similarity", "age_seconds"}
    assert answer["tier"] in range(5)
    assert 0 <= answer["confidence"] <= 1
    assert answer["mode"] == "balanced"
    assert answer["status"] in ("direct_passages", "needs_synthesis")
    for result in answer["results"]:
        assert result.keys() >= RESULT_FIELDS
        assert result["tokens"] > 0
        assert result["evidence"]
    for stage in answer["stages"]:
        assert stage["state"] in ("ran", "skipped", "failed")


def test_the_explanation_of_each_result_sums_to_its_score(filled: Cli) -> None:
    results = filled("search", "deploy sessions kayak soup integers", "--json").json["results"]
    assert len(results) > 2
    for result in results:
        parts = [part["contribution"] for part in result["explanation"]]
        assert sum(parts) == pytest.approx(result["score"], abs=1e-7)


def test_results_come_best_first(filled: Cli) -> None:
    results = filled("search", "deploy sessions kayak soup", "--json").json["results"]
    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True)


def test_search_prints_title_place_and_text_for_a_person(filled: Cli) -> None:
    done = filled("search", "friday deploy")
    assert done.code == 0
    for part in ("How we deploy", "runbooks/deploy.md", "every Friday"):
        assert part in done.out


def test_words_of_a_query_need_no_quotes(filled: Cli) -> None:
    assert found(filled("search", "red", "kayak", "--json")) == ["boats.md"]


def test_an_exclusion_may_stand_in_the_query(filled: Cli) -> None:
    assert "boats.md" not in found(filled("search", "kayak soup -stern", "--json"))


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (["--kind", "session"], {"chat-7"}),
        (["--kind", "session", "--kind", "decision"], {"chat-7", "adr-2"}),
        (["--source", "records.jsonl"], {"adr-1", "adr-2", "chat-7"}),
        (["--path", "runbooks"], {"runbooks/deploy.md"}),
        (["--since", "2026-02-01", "--until", "2026-03-01"], {"chat-7"}),
        (["--since", "2026-03-01", "--until", "2026-03-02"], {"runbooks/deploy.md"}),
        (["--owner", "local", "--kind", "decision"], {"adr-2"}),
        (["--scope", "universal", "--kind", "decision"], {"adr-2"}),
    ],
)
def test_limits_bind_search_and_list_alike(
    filled: Cli, limits: list[str], expected: set[str]
) -> None:
    everything = "deploy soup kayak sessions integers timezone"
    assert set(found(filled("search", everything, "--json", *limits))) == expected
    assert set(listed(filled, *limits)) == expected


def test_what_a_limit_hides_is_counted_and_nothing_is_found(filled: Cli) -> None:
    done = filled("search", "kayak", "--owner", "somebody-else", "--json")
    assert done.code == 3
    assert done.json["status"] == "no_results"
    assert done.json["hidden"] == {"owner": 1}


def test_a_limit_may_be_given_up_where_too_little_is_found(filled: Cli) -> None:
    limited = ["search", "where is the kayak", "--kind", "decision", "--since", "2026-02-01"]
    strict = filled(*limited, "--json").json
    loose = filled(*limited, "--relax", "kind", "--json").json
    assert ("boats.md" in found_in(strict), strict["relaxed"]) == (False, [])
    assert (found_in(loose)[0], loose["relaxed"]) == ("boats.md", ["kinds"])
    assert "without it" in filled(*limited, "--relax", "kind").out
    assert filled("search", "kayak", "--relax", "owner").code == 2


def test_a_title_is_said_once_and_a_named_line_is_whole_where_no_screen_is(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    long = "notes-about-the-walrus-and-where-it-sleeps-in-the-long-winter"
    for n in range(3):
        page = f"# Walrus {n}\n\nThe walrus number {n} sleeps in the winter on the ice.\n"
        (tmp_path / f"{long}-{n}.md").write_text(page)
    cli("add", str(tmp_path))
    said = cli("search", "where does the walrus sleep?", "--limit", "1").out
    found, _, rest = said.partition("also, for")
    assert found.count("Walrus ") == 1
    named = [line for line in rest.splitlines() if "Walrus" in line]
    assert len(named) == 2
    assert all("note" in line and "walrus" in line.rpartition("·")[2] for line in named)


def test_limit_caps_the_results_and_not_the_count(filled: Cli) -> None:
    answer = filled("search", "deploy soup kayak sessions", "--limit", "2", "--json").json
    assert len(answer["results"]) == 2
    assert answer["total_found"] == 4


def test_budget_is_kept_to(filled: Cli) -> None:
    asked = ("search", "deploy soup kayak sessions", "--json")
    whole, answer = filled(*asked).json, filled(*asked, "--budget", "70").json
    assert whole["budget"]["used"] > 70
    assert answer["budget"]["budget"] == 70
    assert answer["budget"]["used"] <= 70
    assert found_in(answer) == found_in(whole)[:2]
    over = [one["document"] for one in answer["named"] if "budget" in one["reason"]]
    assert found_in(whole)[2] in over
    assert answer["budget"]["dropped"] == len(over) == 2
    assert not [one for one in whole["named"] if "budget" in one["reason"]]


def test_mode_is_named_in_the_answer(filled: Cli) -> None:
    assert filled("search", "kayak", "--mode", "conservative", "--json").json["mode"] == (
        "conservative"
    )


def test_a_search_without_the_model_that_is_wanted_says_so_on_stderr(
    without_its_model: Cli,
) -> None:
    done = without_its_model("search", "kayak")
    assert "note: vector" in done.err
    assert "note:" not in done.out
    assert without_its_model("search", "kayak", "--json").json["degraded"]


def test_a_search_by_keyword_is_not_degraded(filled: Cli) -> None:
    done = filled("search", "kayak", "--by", "keyword", "--json")
    assert done.json["degraded"] == []
    assert done.err == ""


def test_full_shows_the_whole_passage(cli: Cli, tmp_path: Path) -> None:
    long = "The beginning of it. " + "Something in between. " * 40 + "The kayak stands last."
    (tmp_path / "long.md").write_text(long)
    cli("add", str(tmp_path / "long.md"))
    assert "The beginning of it." not in cli("search", "kayak", "--detail", "snippet").out
    assert "The beginning of it." in cli("search", "kayak", "--full").out


def test_explain_shows_the_stages_and_the_parts_of_the_score(filled: Cli) -> None:
    done = filled("search", "kayak", "--explain")
    assert "what happened" in done.out
    assert re.search(r"found by .*lexical \(#1, [1-9]", done.out)
    text = " ".join(done.out.split())
    found = re.search(r"([+-][\d.]+) = ([^;]*), ([\d.]+) by itself", text)
    assert found
    parts = map(float, re.findall(r"[+-]\d+\.\d+", found[2]))
    assert sum(parts) == pytest.approx(float(found[1]), abs=0.05)
    assert 1 / (1 + exp(-float(found[1]))) == pytest.approx(float(found[3]), abs=0.02)
    assert "0.60 is enough" in text
    assert not re.search(r"[+-]0\.00 (lexical|vector)", done.out)


# ------------------------------------------------------------------ get


def test_get_takes_the_id_the_external_id_and_the_id_of_a_passage(filled: Cli) -> None:
    result = filled("search", "money as integers", "--kind", "decision", "--json").json
    passage, document = result["results"][0]["id"], result["results"][0]["document_id"]
    assert passage != document
    for name in (passage, document, "adr-2"):
        got = filled("get", name, "--json")
        assert got.code == 0
        assert got.json["document"] == "adr-2"
        assert got.json["text"] == "Money is stored as integers."


def test_get_shows_a_note_as_it_was_written(filled: Cli, notes: Path) -> None:
    text = (notes / "runbooks" / "deploy.md").read_text()
    assert filled("get", "runbooks/deploy.md", "--json").json["text"] == text
    assert text.rstrip() in filled("get", "runbooks/deploy.md").out


def test_get_shows_the_turns_of_a_session(filled: Cli) -> None:
    turns = filled("get", "chat-7", "--json").json["turns"]
    assert [(t["role"], t["text"]) for t in turns] == [
        ("user", "Why does the timezone test fail?"),
        ("assistant", "It compares a naive moment with midnight."),
    ]
    assert "assistant: It compares" in filled("get", "chat-7").out


def test_get_of_an_ambiguous_name_is_a_usage_error_that_offers_the_ids(
    cli: Cli, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.md").write_text(f"This is {folder}.")
        cli("add", str(tmp_path / folder))
    done = cli("get", "readme.md")
    assert done.code == 2
    assert done.out == ""
    ids = [item["id"] for item in cli("list", "--json").json["items"]]
    assert len(ids) == 2
    for id in ids:
        assert id in done.err
        assert cli("get", id).code == 0


@pytest.mark.parametrize("name", ["nothing-of-the-kind", "adr-2:no-such-passage", "adr-2:99"])
def test_get_of_something_unknown_is_exit_3(filled: Cli, name: str) -> None:
    done = filled("get", name)
    assert done.code == 3
    assert done.out == ""
    assert name in done.err


# ------------------------------------------------------------------ list


def pages(cli: Cli, limit: int, *arguments: str) -> list[list[str]]:
    """Every page of a listing, as external ids, going on from each page's cursor."""
    out: list[list[str]] = []
    cursor = ""
    while True:
        ran = cli("list", "--json", "--limit", str(limit), "--cursor", cursor, *arguments)
        out.append([item["document"] for item in ran.json["items"]])
        cursor = ran.json["cursor"] or ""
        if not cursor:
            return out


@pytest.mark.parametrize(("limit", "sizes"), [(5, [5, 5, 2]), (4, [4, 4, 4]), (12, [12])])
def test_list_pages_lose_nothing_and_repeat_nothing(
    cli: Cli, tmp_path: Path, limit: int, sizes: list[int]
) -> None:
    names = [f"doc-{n}" for n in range(12)]
    cli("add", str(write_lines(tmp_path / "d.jsonl", *({"id": n, "text": n} for n in names))))
    found = pages(cli, limit)
    assert [len(page) for page in found] == sizes
    together = [name for page in found for name in page]
    assert sorted(together) == sorted(names)


def test_pages_of_a_filtered_list_lose_nothing(cli: Cli, tmp_path: Path) -> None:
    records = [{"id": f"d{n}", "text": "x", "kind": "ab"[n % 2]} for n in range(9)]
    cli("add", str(write_lines(tmp_path / "d.jsonl", *records)))
    together = [name for page in pages(cli, 2, "--kind", "a") for name in page]
    assert sorted(together) == ["d0", "d2", "d4", "d6", "d8"]


def test_pages_stay_whole_when_something_is_added_meanwhile(cli: Cli, tmp_path: Path) -> None:
    cli("add", str(write_lines(tmp_path / "a.jsonl", *({"id": n, "text": "x"} for n in "abcd"))))
    first = cli("list", "--json", "--limit", "2").json
    cli("add", str(write_lines(tmp_path / "b.jsonl", {"id": "e", "text": "x"})))
    second = cli("list", "--json", "--limit", "2", "--cursor", first["cursor"]).json
    names = [item["document"] for item in first["items"] + second["items"]]
    assert sorted(names) == ["a", "b", "c", "d"]


def test_list_for_a_person_shows_the_cursor_of_the_next_page(filled: Cli) -> None:
    page = filled("list", "--limit", "2")
    cursor = filled("list", "--limit", "2", "--json").json["cursor"]
    assert f"--cursor {cursor}" in page.out
    assert "--cursor" not in filled("list").out


def test_list_of_an_empty_store_is_an_empty_page_and_exit_3(cli: Cli) -> None:
    done = cli("list", "--json")
    assert done.code == 3
    assert (done.json["items"], done.json["cursor"]) == ([], None)


@pytest.mark.parametrize("cursor", ["abc", "-1", "1.5", "9" * 30, "9" * 5000])
def test_a_cursor_that_no_page_gave_is_a_usage_error(filled: Cli, cursor: str) -> None:
    done = filled("list", "--cursor", cursor)
    assert done.code == 2
    assert "cursor" in done.err


# ------------------------------------------------------------------ forget


def test_a_forgotten_document_is_gone_from_search_list_and_get(filled: Cli) -> None:
    done = filled("forget", "boats.md", "--json")
    assert done.code == 0
    assert done.json["forgotten"] == 1
    search = filled("search", "kayak", "--by", "keyword", "--json")
    assert search.code == 3
    assert search.json["total_found"] == 0
    assert "boats.md" not in listed(filled)
    assert filled("get", "boats.md").code == 3


def test_a_forgotten_document_is_not_counted_as_hidden(filled: Cli) -> None:
    filled("forget", "boats.md")
    answer = filled("search", "kayak", "--kind", "session", "--json").json
    assert answer["hidden"] == {}
    assert "hidden" not in filled("search", "kayak", "--kind", "session").out


def test_forget_takes_an_id(filled: Cli) -> None:
    id = filled("get", "adr-1", "--json").json["id"]
    assert filled("forget", id).code == 0
    assert filled("get", "adr-1").code == 3


def test_a_forgotten_note_is_kept_out_of_a_later_import_which_says_so(
    filled: Cli, notes: Path
) -> None:
    filled("forget", "boats.md")
    again = filled("add", str(notes))
    assert again.code == 0
    assert "1 kept out because they were forgotten" in again.out
    assert filled("add", str(notes), "--json").json["tombstoned"] == 1
    assert "boats.md" not in listed(filled)


def test_a_forgotten_record_is_kept_out_of_a_later_import_which_says_so(
    filled: Cli, lines: Path
) -> None:
    filled("forget", "adr-1")
    again = filled("add", str(lines))
    assert again.code == 0
    assert filled("get", "adr-1").code == 3
    assert "1 kept out because they were forgotten" in again.out


def test_an_edited_note_stays_forgotten(filled: Cli, notes: Path) -> None:
    filled("forget", "boats.md")
    (notes / "boats.md").write_text("# Kayaks\n\nThe red kayak has been mended.\n")
    filled("add", str(notes))
    assert filled("search", "kayak", "--by", "keyword").code == 3


def test_forgetting_the_unknown_or_the_forgotten_is_exit_3(filled: Cli) -> None:
    assert filled("forget", "no-such-thing").code == 3
    assert filled("forget", "adr-1").code == 0
    assert filled("forget", "adr-1").code == 3


def test_what_is_not_there_names_what_is_called_so_in_another_folder(filled: Cli) -> None:
    refused = filled("forget", "elsewhere/notes/boats.md")
    assert refused.code == 3
    assert "there is boats.md" in refused.err


def test_a_name_that_only_begins_like_a_document_forgets_nothing(filled: Cli) -> None:
    assert filled("forget", "adr-1:draft").code == 3
    assert filled("get", "adr-1").code == 0


def test_an_ambiguous_name_forgets_nothing(cli: Cli, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.md").write_text(f"This is {folder}.")
        cli("add", str(tmp_path / folder))
    assert cli("forget", "readme.md").code == 2
    assert len(listed(cli)) == 2


# ------------------------------------------------------------------ config


@pytest.mark.parametrize("key", ["embed.model", "rerank.model", "llm.model"])
def test_a_model_that_there_is_not_is_no_setting(cli: Cli, key: str) -> None:
    refused = cli("config", "set", key, "nosuchmodel")
    assert refused.code
    assert "nosuchmodel" in refused.err
    assert cli("config", "unset", key, "--json").json["removed"] == []
    assert cli("config", "set", key, "none").code == 0


def test_a_model_that_is_no_more_is_told_by_its_setting(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "nosuchmodel")
    said = "embed.model: there is no model 'nosuchmodel' to embed with"
    status = filled("status")
    assert (status.code, said in status.out) == (0, True)
    assert "`recollect config unset embed.model`" in status.out
    assert said in filled("search", "kayak", "--json").json["degraded"][0]
    checks = {one["check"]: one for one in filled("doctor", "--json").json["checks"]}
    assert checks["models"]["mend"] == "recollect config unset embed.model"
    assert checks["store"]["state"] == "ok"


def test_config_set_get_and_unset(cli: Cli) -> None:
    assert cli("config", "get", "mode").out == "balanced\n"
    assert cli("config", "set", "mode", "tokenmax").code == 0
    assert cli("config", "get", "mode").out == "tokenmax\n"
    assert cli("config", "unset", "mode").code == 0
    assert cli("config", "get", "mode").out == "balanced\n"


def test_config_json_says_where_a_value_comes_from(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("config", "get", "mode", "--json").json["origin"] == "default"
    written = cli("config", "set", "mode", "tokenmax", "--json").json
    assert Path(written["file"]).is_relative_to(home)
    about = cli("config", "get", "mode", "--json").json
    assert (about["value"], about["origin"], about["where"]) == (
        "tokenmax", "user", written["file"],
    )  # fmt: skip
    monkeypatch.setenv("RECOLLECT_MODE", "conservative")
    about = cli("config", "get", "mode", "--json").json
    assert (about["value"], about["origin"]) == ("conservative", "environment")
    assert cli("--store", "here", "config", "get", "store", "--json").json["origin"] == "flag"


def test_a_setting_changes_what_a_command_does(filled: Cli) -> None:
    filled("config", "set", "search.limit", "1")
    assert len(filled("search", "deploy soup kayak", "--json").json["results"]) == 1


def test_config_list_names_every_setting_and_its_origin(cli: Cli) -> None:
    cli("config", "set", "search.scopes", "work,home")
    content = cli("config", "list", "--json").json
    about = {s["key"]: s for s in content["settings"]}
    assert set(about) == set(config.SETTINGS)
    assert (about["search.scopes"]["value"], about["search.scopes"]["origin"]) == (
        ["work", "home"], "user",
    )  # fmt: skip
    text = cli("config", "list").out
    for name in config.SETTINGS:
        assert name in text
    assert "work,home" in text


def test_config_unset_by_pattern_removes_what_matches_and_nothing_else(cli: Cli) -> None:
    cli("config", "set", "search.limit", "3")
    cli("config", "set", "search.budget", "300")
    cli("config", "set", "mode", "tokenmax")
    done = cli("config", "unset", "--pattern", "search.*", "--json")
    assert done.code == 0
    assert done.json["removed"] == ["search.budget", "search.limit"]
    assert cli("config", "get", "search.limit").out == "(not set)\n"
    assert cli("config", "get", "mode").out == "tokenmax\n"


def test_config_unset_of_nothing_is_exit_3(cli: Cli) -> None:
    assert cli("config", "unset", "mode").code == 3
    assert cli("config", "unset", "--pattern", "search.*").code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["unset"],
        ["unset", "mode", "--pattern", "search.*"],
        ["unset", "no.such"],
        ["get", "no.such"],
        ["set", "no.such", "1"],
        ["set", "mode", "fastest"],
        ["set", "search.limit", "0"],
        ["set", "search.owner", ""],
        ["trust"],
    ],
)
def test_config_refuses_what_it_cannot_do(cli: Cli, home: Path, arguments: list[str]) -> None:
    done = cli("config", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert not home.exists()


def test_an_unknown_setting_is_answered_with_the_nearest(cli: Cli) -> None:
    assert "'search.limit'" in cli("config", "get", "search.limmit").err


@pytest.mark.parametrize("value", ["Zoë", "🚀 team", 'the "A" team', "back\\slash", "a\tb", "x#y"])
def test_any_text_that_was_set_is_read_back_as_it_was(cli: Cli, value: str) -> None:
    assert cli("config", "set", "import.owner", value).code == 0
    assert cli("config", "get", "import.owner", "--json").json["value"] == value


def test_a_broken_config_file_is_named(cli: Cli, home: Path) -> None:
    cli("config", "set", "mode", "tokenmax")
    file = home / "config" / "config.toml"
    file.write_text("mode = = 3")
    done = cli("search", "kayak", "--json")
    assert done.code == 2
    assert str(file) in done.json["error"]["message"]


def test_a_project_file_reaches_outside_only_when_it_is_trusted(cli: Cli, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    project = Path(".recollect.toml")
    project.write_text(f'store = "{elsewhere}"\nmode = "tokenmax"\n')

    untrusted = cli("status", "--json")
    assert untrusted.json["location"] != str(elsewhere)
    assert "warning" in untrusted.err
    assert "store is ignored" in untrusted.err
    assert cli("config", "get", "mode").out == "tokenmax\n"

    trusted = cli("config", "trust", "--json")
    assert trusted.code == 0
    assert trusted.json["trusted"] == str(project.resolve())
    after = cli("status", "--json")
    assert after.json["location"] == str(elsewhere)
    assert after.err == ""

    project.write_text(f'store = "{elsewhere / "deeper"}"\n')
    assert "store is ignored" in cli("status").err


def test_a_project_may_keep_its_store_inside_its_own_folder(cli: Cli) -> None:
    Path(".recollect.toml").write_text('store = "memory"\n')
    done = cli("status", "--json")
    assert done.json["location"] == str(Path("memory").resolve())
    assert done.err == ""


# ------------------------------------------------------------------ status, rebuild, models, demo


def test_status_counts_what_the_store_holds(filled: Cli) -> None:
    filled("forget", "adr-1")
    status = filled("status", "--json").json
    assert status["documents"] == 5
    assert status["kinds"] == {"decision": 1, "note": 3, "session": 1}
    assert {s["name"]: s["documents"] for s in status["sources"]} == {
        "notes": 3, "records.jsonl": 2,
    }  # fmt: skip
    assert status["tombstones"] == 1
    assert status["pending"] == 0
    text = filled("status").out
    for part in ("5 documents", "notes: 3", "1 forgotten for good", "no vectors"):
        assert part in text


def test_status_of_an_empty_store(cli: Cli) -> None:
    status = cli("status", "--json")
    assert status.code == 0
    assert status.json["documents"] == 0


def test_rebuild_makes_lost_indexes_anew(filled: Cli, home: Path) -> None:
    store = home / "data" / "store"
    folders = list(store.glob("text-*"))
    assert folders
    for folder in folders:
        shutil.rmtree(folder)
    done = filled("rebuild")
    assert done.code == 0
    assert "rebuilt" in done.out
    assert list(store.glob("text-*"))
    assert found(filled("search", "kayak", "--json")) == ["boats.md"]


def test_rebuild_json_reports_the_store(filled: Cli) -> None:
    done = filled("rebuild", "--json")
    assert done.code == 0
    assert done.json["documents"] == 6
    assert done.json["indexes"]["text"]["behind"] == 0


def test_models_list_says_which_are_on_this_machine(cli: Cli) -> None:
    models = {m["name"]: m for m in cli("models", "list", "--json").json["models"]}
    assert models["arctic-embed-s"]["here"] is False
    assert models["arctic-embed-s"]["licence"]
    assert "not fetched" in cli("models", "list").out


def test_an_unknown_model_cannot_be_fetched(cli: Cli) -> None:
    done = cli("models", "fetch", "no-such-model", "--json")
    assert done.code == 1
    assert "no-such-model" in done.json["error"]["message"]


def test_demo_shows_answers_and_leaves_the_own_store_alone(cli: Cli, home: Path) -> None:
    done = cli("demo")
    assert done.code == 0
    assert done.out.count("$ recollect search") >= 5
    assert "found · sure" in done.out
    assert "nothing known" in done.out
    assert not (home / "data" / "store").exists()


AS_SHIPPED = {
    "RECOLLECT_EMBED_MODEL": "recollect-embed",
    "RECOLLECT_RERANK_MODEL": "none",
    "RECOLLECT_SEARCH_CUT": "true",
}


def test_demo_tells_in_80_columns_what_it_promises_to_show() -> None:
    told = process("demo", COLUMNS="80", **AS_SHIPPED).out
    assert max(map(len, told.splitlines())) <= 80
    for shown in (
        "We ship harbor-api on Tuesdays.",  # a fact by its alias
        "superseded by",
        "nothing known",
        "Merged as #671.",  # how a session ended
        "answered before",
        "what happened",
    ):
        assert shown in told
    after = told.partition("--replace")[2]
    shown = after.partition("$ recollect history")[0]
    assert [line.split()[0] for line in shown.splitlines() if "Thursdays" in line] == [
        "instead",  # the receipt has what was replaced
        "until",
    ]


def test_demo_json_has_every_command_and_its_answer() -> None:
    steps = process("demo", "--json", **AS_SHIPPED).json["steps"]
    answers = [ran["answer"] for step in steps for ran in step["commands"]]
    assert answers[0]["added"] > 20
    assert answers[0]["failed"] == []
    assert not [answer for answer in answers if "error" in answer]
    assert [a for a in answers if a.get("status") == "cached_answer"]
    for answer in answers:
        if "status" in answer:
            assert answer.keys() >= SEARCH_FIELDS


# ------------------------------------------------------------------ version and help


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"recollect {__version__}\n"


def test_version_of_the_installed_command() -> None:
    assert process("--version") == (0, f"recollect {__version__}\n", "")
    assert process("-V") == (0, f"recollect {__version__}\n", "")


def help_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        run([*arguments, "--help"])
    out, err = capsys.readouterr()
    assert end.value.code == 0
    assert err == ""
    return out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(capsys)
    for command in COMMANDS:
        assert command.name in text
        assert command.help in text


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], name: str) -> None:
    text = help_of(capsys, name)
    assert f"usage: recollect {name}" in text
    for option in ("--store", "--json", "--quiet", "example: recollect"):
        assert option in text


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, help_of(capsys, name).splitlines())) <= 80


@pytest.mark.parametrize("action", CONFIG_ACTIONS)
def test_every_config_action_has_help(capsys: pytest.CaptureFixture[str], action: str) -> None:
    assert f"usage: recollect config {action}" in help_of(capsys, "config", action)


# ------------------------------------------------------------------ which store


def test_store_may_stand_before_and_after_the_command(
    cli: Cli, notes: Path, tmp_path: Path
) -> None:
    before, after = str(tmp_path / "before"), str(tmp_path / "after")
    assert cli("--store", before, "add", str(notes)).code == 0
    assert cli("add", str(notes), "--store", after).code == 0
    for place in (before, after):
        assert cli("--store", place, "status", "--json").json["documents"] == 3
        assert cli("status", "--store", place, "--json").json["documents"] == 3
    assert cli("status", "--json").json["documents"] == 0


def test_the_store_comes_from_the_environment_unless_a_flag_names_one(
    cli: Cli, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_STORE", str(tmp_path / "from-environment"))
    cli("add", str(notes))
    assert cli("status", "--json").json["location"] == str(tmp_path / "from-environment")
    assert cli("--store", str(tmp_path / "other"), "status", "--json").json["documents"] == 0


def test_without_a_choice_the_store_is_in_the_home_of_recollect(cli: Cli, home: Path) -> None:
    assert Path(cli("status", "--json").json["location"]).is_relative_to(home)


def test_a_kind_of_store_that_does_not_exist_is_a_usage_error(cli: Cli) -> None:
    assert cli("--store", "redis://localhost", "status").code == 2


# ------------------------------------------------------------------ json everywhere

EVERY_COMMAND = (
    ["init"],
    ["init", "--yes", "--downstream", "small"],
    ["stats"],
    ["stats", "--days", "7", "--plot"],
    ["stats", "--clear"],
    ["tune"],
    ["tune", "--apply"],
    ["add", "{notes}"],
    ["search", "kayak"],
    ["search", "nothing-has-this-word"],
    ["sessions"],
    ["sessions", "kayak"],
    ["sessions", "nothing-has-this-word"],
    ["sessions", "--session", "chat-7"],
    ["sessions", "--session", "chat-7", "--around", "#0"],
    ["get", "boats.md"],
    ["get", "chat-7"],
    ["list"],
    ["list", "--kind", "none-such"],
    ["forget", "boats.md"],
    ["record", "decision", "Kayaks", "are", "red.", "--issue", "#7"],
    ["status"],
    ["rebuild"],
    ["modes"],
    ["modes", "--reset", "--dry-run"],
    ["models", "list"],
    ["llm"],
    ["config", "get", "mode"],
    ["config", "set", "mode", "tokenmax"],
    ["config", "unset", "mode"],
    ["config", "unset", "--pattern", "*"],
    ["config", "list"],
    ["config", "trust", "{project}"],
    ["demo"],
    ["completions", "bash"],
    ["export", "--tree", "{project}/tree"],
    ["export", "--all", "{project}/all.jsonl"],
    ["backup"],
    ["backup", "{project}/backup.tar"],
    ["repair"],
    ["repair", "--force"],
    ["doctor"],
    ["doctor", "--full", "--fix"],
)


FACT_COMMANDS = (
    "remember", "context", "facts", "supersede", "alias", "pin", "resolve", "history",
)  # fmt: skip


ANSWER_COMMANDS = ("gather", "record-answer", "answers", "cache")
CURATE_COMMANDS = ("curate", "review", "undo", "tidy", "prelude")


def test_the_list_of_commands_under_test_is_complete() -> None:
    elsewhere = {
        "watch",
        "mcp",
        "install",
        "hook",
        "eval",
        "serve",
        "think",
        "web",
        "add-web",
        "import",
        "migrate-store",
        "restore",
        *FACT_COMMANDS,
        *ANSWER_COMMANDS,
        *CURATE_COMMANDS,
    }  # they have files of tests to themselves
    assert {arguments[0] for arguments in EVERY_COMMAND} == set(NAMES) - elsewhere
    tested = {arguments[1] for arguments in EVERY_COMMAND if arguments[0] == "config"}
    assert tested == set(CONFIG_ACTIONS)


@pytest.mark.parametrize("arguments", EVERY_COMMAND, ids=" ".join)
def test_json_is_one_object_and_nothing_else_is_on_stdout(
    filled: Cli, notes: Path, tmp_path: Path, arguments: list[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".recollect.toml").write_text('mode = "tokenmax"\n')
    full = [a.format(notes=notes, project=project) for a in arguments]
    done = filled(*full, "--json")
    assert done.code in (0, 3)
    assert "error" not in done.json
    assert ESCAPE not in done.out


def test_json_may_stand_before_the_command(filled: Cli) -> None:
    assert found(filled("--json", "search", "kayak")) == ["boats.md"]
    assert filled("config", "--json", "get", "mode").json["key"] == "mode"


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["no-such-command"], 2, "UsageError"),
        ([], 2, "UsageError"),
        (["search"], 2, "UsageError"),
        (["search", ""], 2, "QueryError"),
        (["search", "x", "--limit", "0"], 2, "UsageError"),
        (["search", "x", "--limit", "many"], 2, "UsageError"),
        (["search", "x", "--mode", "fastest"], 2, "UsageError"),
        (["get", "no-such-thing"], 3, "NotFound"),
        (["forget", "no-such-thing"], 3, "NotFound"),
        (["add", "no-such-file"], 1, "InputError"),
        (["config", "get", "no.such"], 2, "ConfigError"),
        (["models", "fetch", "no-such-model"], 1, "ModelError"),
    ],
)
def test_errors_are_one_json_object_too(
    cli: Cli, arguments: list[str], code: int, kind: str
) -> None:
    done = cli("--json", *arguments)
    assert done.code == code
    assert done.json["error"]["type"] == kind
    assert done.json["error"]["message"]
    assert done.json["error"].keys() >= {"hint"}
    assert done.json["error"]["message"] in done.err


# ------------------------------------------------------------------ exit codes and empty input


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["serach", "kayak"],
        ["search", "kayak", "--no-such-option"],
        ["search", "kayak", "--limit", "0"],
        ["search", "kayak", "--limit", "-1"],
        ["search", "kayak", "--limit", "1001"],
        ["search", "kayak", "--limit", "ten"],
        ["search", "kayak", "--budget", "0"],
        ["search", "kayak", "--mode", "fastest"],
        ["search", "kayak", "--by", "magic"],
        ["search", "kayak", "--since", "someday"],
        ["search", "kayak", "--since", "2026-02-02", "--until", "2026-02-01"],
        ["search", "--", "-kayak"],
        ["search", "kind:note"],
        ["search", "?!"],
        ["list", "--limit", "0"],
        ["list", "--limit", "1001"],
        ["list", "--until", "someday"],
        ["models", "burn"],
        ["config"],
        ["config", "frobnicate"],
        ["get"],
        ["forget"],
        ["--store", "", "status"],
    ],
    ids=" ".join,
)
def test_usage_errors_are_exit_2_with_a_message_and_no_output(
    cli: Cli, arguments: list[str]
) -> None:
    done = cli(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("recollect: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", ""],
        ["search", "", ""],
        ["search", " \t\n"],
        ["add"],
        ["add", ""],
        ["add", "no-such-file.md"],
        ["get", ""],
        ["forget", ""],
    ],
    ids=repr,
)
def test_empty_input_is_an_error_and_not_an_empty_result(cli: Cli, arguments: list[str]) -> None:
    Path("bystander.md").write_text("A note in the working folder that nobody asked to add.")
    done = cli(*arguments)
    assert done.code != 0
    assert done.out == ""
    assert done.err
    assert listed(cli) == []


def test_a_path_that_does_not_exist_is_named(cli: Cli) -> None:
    done = cli("add", "no/such/file.md")
    assert done.code == 1
    assert "no/such/file.md" in done.err


def test_nothing_found_is_exit_3(filled: Cli) -> None:
    search = filled("search", "zeppelin", "--by", "keyword")
    assert search.code == 3
    assert "nothing known" in search.out
    assert filled("get", "zeppelin").code == 3


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("search", ["search", "kayak"]), ("add", ["add", "{notes}"]), ("status", ["status"])],
)
def test_an_interrupt_is_exit_130_without_a_traceback(
    cli: Cli,
    notes: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    arguments: list[str],
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, method, interrupted)
    done = cli(*(a.format(notes=notes) for a in arguments))
    assert done.code == 130
    assert done.out == ""
    assert "interrupted" in done.err


@pytest.mark.parametrize(
    "seen", ["Ask. One answer", "release day"], ids=["while it imports", "later"]
)
def test_an_interrupt_ends_the_tour(seen: str) -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "recollect", "demo"], env=_environment({}), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert started.stdout is not None
    assert any(seen in line for line in started.stdout)
    started.send_signal(signal.SIGINT)
    rest, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert err == "interrupted; nothing of the tour is kept\n"
    assert "Your own:" not in rest


def test_an_interrupt_before_the_command_has_begun_is_quiet_too(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'argparse':\n"
        "            raise KeyboardInterrupt\n"
        "import recollect\n"
        "sys.meta_path.insert(0, Stop())\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    assert process("status", PYTHONPATH=path) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("restore", "give a file that `recollect backup` wrote"),
        ("import", "give a file that `recollect export --all` wrote"),
        ("curate", "name a file that is there"),
        ("review", "`recollect review` shows what waits"),
    ],
)
def test_what_is_not_there_is_named_with_what_to_do(
    filled: Cli, tmp_path: Path, command: str, hint: str
) -> None:
    done = filled(command, str(tmp_path / "nowhere"))
    assert done.code != 0
    assert str(tmp_path / "nowhere") in done.err
    assert hint in done.err


def test_a_file_is_curated_as_an_import_reads_it(cli: Cli, tmp_path: Path) -> None:
    said = "# Kasse\n\nWir haben entschieden, dass Müller die Kasse führt.\n"
    wide = tmp_path / "kasse.md"
    wide.write_text(said, encoding="utf-16")
    (tmp_path / "20260305 van.txt").write_text("We rent a van for the fair.\n")
    latin = tmp_path / "old.md"
    latin.write_text(said, encoding="latin-1")
    done = cli("curate", str(tmp_path), "--json")
    assert done.code == 1
    assert "old.md:3: not UTF-8" in done.err
    assert [one["kept"] for one in done.json["texts"]] == ["new", "new"]
    kept = {one["title"]: one for one in cli("list", "--kind", "note", "--json").json["items"]}
    assert kept.keys() == {"Kasse", "20260305 van"}
    assert kept["20260305 van"]["date"] == "2026-03-05T00:00:00Z"
    assert "Müller" in cli("get", kept["Kasse"]["id"]).out
    refused = cli("curate", str(latin))
    assert (refused.code, "iconv" in refused.err) == (1, True)


def test_settings_that_cannot_be_written_say_where_they_are_to_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for home in (tmp_path / "file" / "x", tmp_path / "link"):
        done = process("config", "set", "mode", "balanced", RECOLLECT_HOME=str(home))
        assert done.code == 2
        assert str(home) in done.err
        assert "RECOLLECT_HOME names another folder" in done.err


def test_an_import_that_was_interrupted_goes_on_when_run_again(
    cli: Cli, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("recollect.importing.contents.passages", interrupted)
        assert cli("add", str(notes)).code == 130
    assert cli("add", str(notes), "--json").json["added"] == 3


# ------------------------------------------------------------------ streams and colour


def test_data_goes_to_stdout_and_notes_to_stderr(without_its_model: Cli) -> None:
    done = without_its_model("search", "kayak")
    assert "Kayaks" in done.out
    assert "Kayaks" not in done.err
    assert done.err.startswith("note: ")


def test_quiet_silences_notes_and_not_data(without_its_model: Cli) -> None:
    assert without_its_model("search", "kayak").err != ""
    for arguments in (["--quiet", "search", "kayak"], ["search", "kayak", "--quiet"]):
        quiet = without_its_model(*arguments)
        assert quiet.err == ""
        assert "Kayaks" in quiet.out


def test_quiet_does_not_silence_an_error(cli: Cli) -> None:
    done = cli("get", "no-such-thing", "--quiet")
    assert done.code == 3
    assert "no-such-thing" in done.err


def test_a_quiet_import_that_fails_still_says_what_failed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01")
    done = cli("add", str(tmp_path / "bad.txt"), "--quiet")
    assert done.code == 1
    assert "bad.txt" in done.err


def coloured(done: Ran) -> bool:
    return ESCAPE in done.out


def test_there_is_no_colour_where_no_terminal_is(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert not coloured(filled("search", "kayak"))


@pytest.mark.parametrize("command", [["search", "kayak"], ["list"], ["status"], ["config", "list"]])
def test_force_color_colours_and_no_color_wins(
    filled: Cli, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not coloured(filled(*command))
    monkeypatch.setenv("NO_COLOR", "")
    assert coloured(filled(*command))
    assert not coloured(filled(*command, "--json"))


def test_colour_changes_nothing_but_the_colour(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = filled("list").out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    bright = filled("list").out
    for code in ("\033[0m", "\033[1m", "\033[2m"):
        bright = bright.replace(code, "")
    assert bright == plain


# ------------------------------------------------------------------ as a process


def test_the_process_returns_the_exit_code_and_separates_the_streams(
    notes: Path, tmp_path: Path
) -> None:
    store = str(tmp_path / "store")
    added = process("add", str(notes), RECOLLECT_STORE=store)
    assert (added.code, added.out, added.err) == (0, "3 added\n", "")
    answer = process("search", "red kayak", "--json", RECOLLECT_STORE=store)
    assert (answer.code, found(answer), answer.err) == (0, ["boats.md"], "")
    nothing = process("--store", store, "search", "zeppelin", "--by", "keyword", "--quiet")
    assert (nothing.code, nothing.err) == (3, "")
    wrong = process("search", "")
    assert (wrong.code, wrong.out) == (2, "")
    assert "the query is empty" in wrong.err


def test_a_store_is_shared_with_the_library(notes: Path, tmp_path: Path) -> None:
    process("--store", str(tmp_path / "store"), "add", str(notes))
    with Memory.open(tmp_path / "store") as memory:
        assert [r.document for r in memory.search("kayak").results] == ["boats.md"]


NOISE = ("Traceback", "BrokenPipeError", "Exception ignored")


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "kayak"],
        ["search", "kayak", "--json"],
        ["list"],
        ["get", "no-such-thing", "--json"],
        ["demo"],
        ["--help"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_a_reader_that_has_had_enough_ends_the_command_quietly(
    filled: Cli, arguments: list[str], unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=_environment({"PYTHONUNBUFFERED": unbuffered}),
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    for noise in NOISE:
        assert noise not in done.stderr
    if "no-such-thing" not in arguments:
        assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_an_error_without_a_traceback(filled: Cli) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", "search", "kayak", "--quiet"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=_environment({}),
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    for noise in NOISE:
        assert noise not in done.stderr


def test_a_command_without_any_stdout_ends_without_a_traceback(filled: Cli) -> None:
    command = f'exec "{sys.executable}" -m recollect search kayak --quiet >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, env=_environment({}), check=False
    )
    assert b"Traceback" not in done.stderr


def test_text_that_the_terminal_cannot_show_is_no_reason_to_fail(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "price.md").write_text("The kayak costs 500 € in 東京.")
    cli("add", str(tmp_path / "price.md"))
    for arguments in (["search", "kayak"], ["get", "price.md"], ["get", "price.md", "--json"]):
        done = process(*arguments, PYTHONIOENCODING="ascii")
        assert "Traceback" not in done.err
        assert done.code == 0
        assert "kayak costs 500" in done.out


def test_where_only_ascii_can_be_written_signs_are_plain_and_json_is_json(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "menu.md").write_text("The kayak café · “open” … 東京")
    cli("add", str(tmp_path / "menu.md"))
    shown = process("search", "kayak", PYTHONIOENCODING="ascii").out
    assert "found - " in shown
    assert 'caf\\xe9 - "open" ... \\u6771\\u4eac' in shown
    told = process("get", "menu.md", "--json", PYTHONIOENCODING="ascii").json
    assert told == process("get", "menu.md", "--json").json


def test_bytes_that_are_no_text_in_a_query_still_give_json(filled: Cli) -> None:
    done = process("search", b"kayak \xff", "--json", PYTHONIOENCODING="utf-8:strict")
    assert "Traceback" not in done.err
    assert done.code == 0
    assert found(done) == ["boats.md"]


# ------------------------------------------------------------------ while one waits


class _Stream(io.StringIO):
    def __init__(self, *, looked_at: bool) -> None:
        super().__init__()
        self.isatty = lambda: looked_at  # type: ignore[method-assign]


@pytest.mark.parametrize("quiet", [False, True])
def test_long_work_says_how_far_it_is_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    said, now = _Stream(looked_at=False), [100.0]
    monkeypatch.setattr(sys, "stderr", said)
    monkeypatch.setattr("recollect.surfaces.terminal.time.monotonic", lambda: now[0])
    with terminal.ProgressBar(quiet=quiet) as bar:
        for done in range(0, 61, 2):
            now[0] = 100.0 + done
            bar(Progress("embedding", done, 60))
    lines = said.getvalue().splitlines()
    assert [one.partition("  ")[0] for one in lines] == (
        [] if quiet else [f"embedding {done} of 60" for done in range(10, 61, 10)]
    )


def test_work_that_is_soon_done_says_nothing_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = _Stream(looked_at=False)
    monkeypatch.setattr(sys, "stderr", said)
    with terminal.ProgressBar() as bar:
        bar(Progress("embedding", 1, 1))
    assert said.getvalue() == ""


# ------------------------------------------------------------------ a copy elsewhere


def test_the_command_that_chooses_a_copy_can_be_pasted(filled: Cli, tmp_path: Path) -> None:
    with Memory.open() as memory:
        place = memory.status().store.location
    to = str(tmp_path / "a copy & more")
    assert f"config set store '{to}'" in filled("migrate-store", place, to).out


def test_a_record_is_shown_under_the_id_that_it_was_kept_as(cli: Cli) -> None:
    kept = cli("record", "decision", "We rent the blue boat").out.split()[-1]
    assert kept in cli("search", "which boat do we rent?").out
    assert "We rent the blue boat" in cli("get", kept).out
