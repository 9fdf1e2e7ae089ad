"""Adding everything there is, twice in a row and after something went away, as a user does it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from conftest import Cli

FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = Path(recollect.__file__).parent / "samples"


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBED", "RERANK"):
        monkeypatch.setenv(f"RECOLLECT_{name}_MODEL", "none")


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """The shipped samples, and logs, memories and decisions of every format that is known, with
    whatever is broken in them."""
    place = Path(shutil.copytree(SAMPLES, tmp_path / "everything"))
    for name in ("sessions", "memories", "adr"):
        shutil.copytree(FIXTURES / name, place / name)
    (place / "dataset.jsonl").write_text('{"question": "Who?", "answer": "The heron."}\n')
    return place


def held(cli: Cli) -> list[tuple[str, ...]]:
    """Every document of the store, by all that is known of it without its body."""
    found = []
    cursor = ""
    while page := cli("list", "--json", "--limit", "500", *cursor.split()).json:
        found += [tuple(map(str, item.values())) for item in page["items"]]
        if not page["cursor"]:
            break
        cursor = f"--cursor {page['cursor']}"
    return sorted(found)


def state(cli: Cli) -> dict[str, Any]:
    about = cli("status", "--json").json
    return {name: about[name] for name in ("seq", "documents", "passages", "kinds", "sources")}


def changes(receipt: dict[str, Any]) -> Iterator[str]:
    for name in ("added", "changed", "removed", "tombstoned", "redacted", "missing", "failed"):
        if receipt[name]:
            yield name


@pytest.mark.parametrize("what", ["samples", "everything"])
def test_the_second_run_changes_nothing(cli: Cli, everything: Path, what: str) -> None:
    place = SAMPLES if what == "samples" else everything
    first = cli("add", str(place), "--json")
    assert first.code == (1 if first.json["failed"] else 0)
    assert first.json["added"] > (90 if what == "everything" else 40)
    before, documents = state(cli), held(cli)
    for _ in range(2):
        again = cli("add", str(place), "--json")
        assert (again.code, list(changes(again.json))) == (0, [])
        assert again.json["unchanged"] == first.json["added"] == before["documents"]
    assert (state(cli), held(cli)) == (before, documents)


def test_what_went_away_is_told_then_shown_then_removed(cli: Cli, everything: Path) -> None:
    added = cli("add", str(everything), "--json").json["added"]
    (everything / "vault" / "team" / "people.md").unlink()
    shutil.rmtree(everything / "sessions" / "codex")
    for _ in range(2):
        told = cli("add", str(everything))
        assert told.code == 0
        assert "gone vault/team/people.md" in told.err
        assert "--prune" in told.out
    gone = cli("add", str(everything), "--json").json["missing"]
    assert len(gone) > 5
    assert cli("status", "--json").json["documents"] == added
    assert cli("get", "vault/team/people.md").code == 0

    refused = cli("add", str(everything), "--prune")
    assert refused.code == 2
    assert "vault/team/people.md" in refused.err
    assert f"remove {len(gone)} from the store?" in refused.err
    assert cli("status", "--json").json["documents"] == added

    pruned = cli("add", str(everything), "--prune", "--yes", "--json")
    assert (pruned.code, pruned.json["removed"], pruned.json["missing"]) == (0, len(gone), [])
    assert "vault/team/people.md" in pruned.err
    assert cli("get", "vault/team/people.md").code == 3
    last = cli("add", str(everything), "--json")
    assert (last.code, list(changes(last.json))) == (0, [])
    assert last.json["unchanged"] == added - len(gone) == cli("status", "--json").json["documents"]


def test_a_yes_at_the_terminal_prunes_and_anything_else_does_not(
    cli: Cli, everything: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", str(everything))
    (everything / "vault" / "team" / "people.md").unlink()
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    monkeypatch.setattr("sys.stdin.readline", lambda: "n\n")
    assert cli("add", str(everything), "--prune").code == 130
    assert cli("get", "vault/team/people.md").code == 0
    monkeypatch.setattr("sys.stdin.readline", lambda: "y\n")
    assert cli("add", str(everything), "--prune").code == 0
    assert cli("get", "vault/team/people.md").code == 3


def test_another_programs_lines_are_one_warning_and_no_failure(cli: Cli, everything: Path) -> None:
    done = cli("add", str(everything), "--json")
    (warning,) = [w for w in done.json["warnings"] if "dataset" in w["where"]]
    assert warning["where"] == str(everything / "dataset.jsonl")
    assert "another program" in warning["reason"]
    assert "dataset.jsonl" not in done.json["sources"]
    named = cli("add", str(everything / "dataset.jsonl"), "--json")
    assert (named.code, len(named.json["failed"])) == (1, 1)
