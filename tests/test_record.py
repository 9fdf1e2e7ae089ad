"""Project records from the command line and from lines: kept, refused, found and listed."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Ran
from recollect import Memory
from recollect.errors import InputError, UsageError

FIXTURES = Path(__file__).parent / "fixtures" / "records"


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBED", "RERANK"):
        monkeypatch.setenv(f"RECOLLECT_{name}_MODEL", "none")


def documents(ran: Ran) -> list[str]:
    return [result["document"] for result in ran.json["results"]]


def listed(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = cli("list", "--json", *arguments).json["items"]
    return items


# ------------------------------------------------------------------ keeping


@pytest.mark.parametrize("kind", ["discussion", "decision", "audit", "file"])
def test_each_kind_of_record_is_kept_and_found(cli: Cli, kind: str) -> None:
    path = ["--path", "src/pay.py"] if kind == "file" else []
    done = cli("record", kind, "Retries stay at three.", *path, "--json")
    assert done.code == 0
    assert done.json["kind"] == kind
    about = cli("get", done.json["id"], "--json").json
    assert (about["kind"], about["source"], about["owner"]) == (kind, "records", "local")
    assert "Retries stay at three." in about["text"]
    assert about["date"] is not None
    assert documents(cli("search", f"retries kind:{kind}", "--json")) == [done.json["document"]]


def test_a_record_keeps_everything_that_was_said_of_it(cli: Cli) -> None:
    done = cli(
        "record", "discussion", "We", "keep", "three", "retries.", "--title", "Retries",
        "--author", "mara", "--issue", "#12", "--branch", "retry", "--event", "decided",
        "--path", "src/pay.py", "--date", "2026-03-01", "--content", '{"votes": 3}',
        "--owner", "ana", "--scope", "work", "--scope", "team", "--id", "retries-1", "--json",
    )  # fmt: skip
    about = cli("get", done.json["id"], "--json").json
    assert about["document"] == "retries-1"
    assert about["title"] == "Retries"
    assert about["text"].startswith("Retries\n\nWe keep three retries.")
    assert (about["path"], about["date"]) == ("src/pay.py", "2026-03-01T00:00:00Z")
    assert (about["owner"], sorted(about["scopes"])) == ("ana", ["team", "work"])
    assert about["meta"] == {
        "author": "mara", "issue": "12", "branch": "retry", "event": "decided",
        "content": {"votes": 3},
    }  # fmt: skip


def test_a_person_is_told_the_id(cli: Cli) -> None:
    done = cli("record", "audit", "Deployed.")
    assert done.out.startswith("kept as ")
    assert cli("get", done.out.split()[-1]).code == 0


def test_a_body_is_read_from_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Line one.\n\nThe heron, line two.\n"))
    assert cli("record", "discussion", "-").code == 0
    assert len(documents(cli("search", "heron", "--json"))) == 1


def test_the_same_discussion_twice_is_one_and_two_events_are_two(cli: Cli) -> None:
    for _ in range(2):
        cli("record", "discussion", "Retries stay at three.", "--issue", "12")
        cli("record", "audit", "Deployed.", "--event", "deploy")
    assert [item["kind"] for item in listed(cli)].count("discussion") == 1
    assert [item["kind"] for item in listed(cli)].count("audit") == 2


def test_an_event_with_a_date_told_twice_is_one(cli: Cli) -> None:
    for _ in range(2):
        cli("record", "audit", "Deployed.", "--date", "2026-03-01")
    assert len(listed(cli)) == 1


def test_the_same_id_again_replaces_the_record(cli: Cli) -> None:
    cli("record", "decision", "Retries stay at three.", "--id", "adr-1")
    cli("record", "decision", "Retries go up to five.", "--id", "adr-1")
    (item,) = listed(cli)
    assert "five" in cli("get", item["id"], "--json").json["text"]
    assert cli("search", "three").code == 3


def test_secrets_are_taken_out_of_a_record(cli: Cli) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = cli("record", "discussion", f"Push with {token}.", "--title", f"The {token}", "--json")
    shown = cli("get", done.json["id"], "--json")
    assert token not in shown.out
    assert "[redacted:" in shown.json["text"]


def test_records_are_no_source_that_an_import_could_miss(cli: Cli, tmp_path: Path) -> None:
    cli("record", "discussion", "Retries stay at three.")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("The heron.")
    assert cli("add", str(tmp_path / "notes"), "--prune", "--json").json["missing"] == []
    assert cli("search", "retries").code == 0


# ------------------------------------------------------------------ refusing


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["poem", "Roses."], 2, "poem"),
        (["discussion"], 1, "empty"),
        (["discussion", " \n "], 1, "empty"),
        (["file", "What it is for."], 1, "path"),
        (["discussion", "a", "--content", "{not json"], 1, "not JSON"),
        (["discussion", "a", "--content", "[NaN]"], 1, "not JSON"),
        (["discussion", "a", "--date", "yesterday-ish"], 2, "date"),
        (["discussion", "a", "--title", "two\nlines"], 1, "control character"),
        (["discussion", "a", "--scope", ""], 2, "empty"),
        (["discussion", "é" * 32_001], 1, "64 kB"),
        (["discussion", "a", "--content", json.dumps("x" * 1_000_000)], 1, "1 MB"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_stored(
    cli: Cli, arguments: list[str], code: int, said: str
) -> None:
    refused = cli("record", *arguments, "--json")
    assert refused.code == code
    assert said in refused.err
    assert refused.json["error"]["hint"]
    assert cli("list").code == 3


def test_a_body_of_just_the_limit_is_kept(cli: Cli) -> None:
    assert cli("record", "discussion", "é" * 32_000).code == 0


def test_the_library_refuses_alike(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        with pytest.raises(InputError, match="empty"):
            memory.record("discussion", "")
        with pytest.raises(UsageError, match="date"):
            memory.record("audit", "Deployed.", date="soonish")
        with pytest.raises(InputError, match="poem"):
            memory.record("poem", "Roses.")
        assert memory.list().items == ()


# ------------------------------------------------------------------ finding


@pytest.fixture
def told(cli: Cli) -> Cli:
    """The command line over six records of two issues."""
    for number, (kind, body, *more) in enumerate((
        ("discussion", "The heron retries.", "--issue", "#12", "--event", "opened"),
        ("discussion", "The heron waits.", "--issue", "PAY-7"),
        ("decision", "The heron retries three times.", "--issue", "12", "--event", "decided"),
        ("audit", "The heron was deployed.", "--issue", "GH-12", "--event", "deploy"),
        ("audit", "The heron was rolled back.", "--issue", "PAY-7", "--event", "rollback"),
        ("file", "Where the heron is.", "--path", "src/heron.py"),
    )):  # fmt: skip
        done = cli("record", kind, body, "--id", f"r{number}", "--date", f"2026-03-0{number + 1}",
                   *more)  # fmt: skip
        assert done.code == 0
    return cli


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["heron issue:12"], {"r0", "r2", "r3"}),
        (["heron", "--issue", "#12"], {"r0", "r2", "r3"}),
        (["heron", "--issue", "GH-12"], {"r0", "r2", "r3"}),
        (["heron issue:PAY-7"], {"r1", "r4"}),
        (["heron issue:pay-7"], {"r1", "r4"}),
        (["heron event:deploy"], {"r3"}),
        (["heron", "--event", "deploy", "--event", "rollback"], {"r3", "r4"}),
        (["heron kind:audit kind:file"], {"r3", "r4", "r5"}),
        (["heron issue:12 kind:discussion"], {"r0"}),
        (["heron", "--issue", "12", "--event", "decided"], {"r2"}),
        (["heron", "--kind", "audit", "--since", "2026-03-05"], {"r4"}),
        (["heron", "--path", "src"], {"r5"}),
    ],
)
def test_records_are_found_by_issue_event_and_kind(
    told: Cli, arguments: list[str], meant: set[str]
) -> None:
    assert set(documents(told("search", *arguments, "--json"))) == meant


@pytest.mark.parametrize("query", ["heron issue:99", "heron event:merged", "heron issue:1"])
def test_an_issue_or_event_that_is_not_there_finds_nothing(told: Cli, query: str) -> None:
    assert told("search", query).code == 3


def test_records_are_listed_by_the_same_limits_page_by_page(told: Cli) -> None:
    assert {i["document"] for i in listed(told, "--issue", "#12")} == {"r0", "r2", "r3"}
    assert {i["document"] for i in listed(told, "--event", "deploy")} == {"r3"}
    seen: list[str] = []
    cursor = ""
    while True:
        more = ["--cursor", cursor] if cursor else []
        page = told("list", "--json", "--limit", "2", "--issue", "12", *more).json
        seen += [item["document"] for item in page["items"]]
        cursor = page["cursor"]
        if not cursor:
            break
        assert len(page["items"]) == 2
    assert sorted(seen) == ["r0", "r2", "r3"]


# ------------------------------------------------------------------ lines


def test_lines_of_records_are_kept_as_records(cli: Cli, tmp_path: Path) -> None:
    file = Path(shutil.copy(FIXTURES / "project.jsonl", tmp_path / "project.jsonl"))
    with open(file, "a") as stream:
        stream.write(json.dumps({"kind": "decision", "title": "Retries", "body": "Three."}) + "\n")
    done = cli("add", str(file), "--json").json
    assert (done["added"], done["failed"], done["warnings"]) == (6, [], [])
    kinds = sorted(item["kind"] for item in listed(cli))
    assert kinds == ["audit", "decision", "discussion", "discussion", "discussion", "file"]
    assert len(documents(cli("search", "sessions issue:41", "--json"))) >= 2
    (deploy,) = documents(cli("search", "deployed event:deploy", "--json"))
    assert cli("get", deploy, "--json").json["meta"]["content"]["version"] == "2025.3.1"
    assert documents(cli("search", "sessions kept kind:file", "--json"))
    again = cli("add", str(file), "--json").json
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 6)


def test_the_same_discussion_in_two_lines_is_one_and_a_longer_thread_replaces_it(
    cli: Cli, tmp_path: Path
) -> None:
    thread = {"kind": "discussion", "number": 41, "title": "Lost", "body": "All are lost."}
    file = tmp_path / "issues.jsonl"
    file.write_text(json.dumps(thread) + "\n" + json.dumps(thread) + "\n")
    done = cli("add", str(file), "--json").json
    assert (done["added"], len(done["skipped"])) == (1, 1)
    file.write_text(json.dumps({**thread, "comments": [{"body": "Found again."}]}) + "\n")
    done = cli("add", str(file), "--json").json
    assert (done["added"], done["changed"], done["missing"]) == (0, 1, [])
    assert len(documents(cli("search", "found again", "--json"))) == 1


def test_a_line_that_tells_no_record_is_named_and_the_rest_kept(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"kind": "file", "body": "x"}\n{"kind": "audit", "body": "Deployed."}\n')
    done = cli("add", str(file), "--json")
    assert (done.code, done.json["added"]) == (1, 1)
    (failed,) = done.json["failed"]
    assert failed["where"] == f"{file}:1"
    assert "path" in failed["reason"]
