"""``recollect modes``: every knob, its value, where that comes from, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from conftest import Cli
from recollect import Memory
from recollect.nouns import Policy
from recollect.policy import KNOBS, MODES


def test_every_knob_is_shown_with_its_value_and_origin(cli: Cli) -> None:
    shown = cli("modes", "--json").json
    assert shown["mode"] == "balanced"
    assert [k["name"] for k in shown["knobs"]] == list(KNOBS)
    assert {k["name"]: k["origin"] for k in shown["knobs"]}["limit"] == "mode balanced"
    assert {k["name"]: k["origin"] for k in shown["knobs"]}["pool"] == "default"
    assert set(shown["modes"]) == set(MODES)
    for knob in KNOBS:
        assert knob in cli("modes").out


def test_the_configuration_wins_over_the_mode_and_says_where_it_is(cli: Cli) -> None:
    cli("config", "set", "search.limit", "7")
    knobs = {k["name"]: k for k in cli("modes", "tokenmax", "--json").json["knobs"]}
    assert knobs["limit"]["value"] == 7
    assert knobs["limit"]["origin"].startswith("user ")
    assert knobs["budget"]["value"] is None


def test_reset_removes_what_was_set_and_a_dry_run_only_says_so(cli: Cli) -> None:
    cli("config", "set", "search.limit", "7")
    cli("config", "set", "mode", "conservative")
    cli("config", "set", "import.owner", "ana")
    dry = cli("modes", "--reset", "--dry-run", "--json").json
    assert dry["would_remove"] == ["mode", "search.limit"]
    assert cli("modes", "--json").json["mode"] == "conservative"
    cli("modes", "--reset")
    assert cli("modes", "--json").json["mode"] == "balanced"
    assert cli("config", "get", "import.owner").out.strip() == "ana"


def test_every_knob_says_in_one_sentence_what_it_does(cli: Cli) -> None:
    assert ("mode", *KNOBS) == Policy._fields
    said = {k["name"]: k["does"] for k in cli("modes", "--json").json["knobs"]}
    text = cli("modes").out
    for name, does in said.items():
        assert does == KNOBS[name]
        assert does.endswith(".")
        assert len(does) <= 80
        assert does in text


def test_modes_show_more_the_larger_they_are(cli: Cli) -> None:
    typical = cli("modes", "--json").json["typical_tokens"]
    assert typical["conservative"] < typical["balanced"] < typical["tokenmax"]
    for one in MODES:
        assert f"{typical[one]:,} tokens" in cli("modes").out


def test_a_larger_mode_shows_and_names_more_of_the_same_store(tmp_path: Path) -> None:
    questions = [
        "How quickly must somebody answer a page?",
        "How much does the Basic plan cost now?",
        "Who gets paged first on weeks when Priya is on duty?",
        "What went wrong with bookings and payments?",
        "Which decisions did we take about the database?",
    ]
    with Memory.open(tmp_path / "store") as memory:
        memory.add(Path(recollect.__file__).parent / "samples" / "vault")
        memory.models.embed()
        found = {mode: [memory.search(q, mode=mode) for q in questions] for mode in MODES}
    used = {mode: sum(one.budget.used for one in some) for mode, some in found.items()}
    there = {
        mode: sum(len(one.results) + len(one.named) for one in some) for mode, some in found.items()
    }
    assert used["conservative"] * 1.2 < used["balanced"] < used["tokenmax"] / 1.2
    assert there["conservative"] < there["balanced"] < there["tokenmax"]


def test_a_large_mode_that_feeds_a_small_model_is_the_wrong_direction(cli: Cli) -> None:
    assert "wrong direction" in cli("modes").out
    cli("config", "set", "downstream", "gpt-5-mini")
    assert cli("modes", "--json").json["warning"] is None
    assert "gpt-5-mini is a small model" in cli("modes", "tokenmax").out
    assert "gpt-5-mini" in cli("modes", "tokenmax", "--json").json["warning"]


@pytest.mark.parametrize("wrong", [["nonsense"], ["--dry-run"]])
def test_a_mode_that_does_not_exist_is_a_usage_error(cli: Cli, wrong: list[str]) -> None:
    done = cli("modes", *wrong)
    assert done.code == 2
    assert done.err
