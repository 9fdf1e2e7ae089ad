"""``recollect modes``: every knob, its value, where that comes from, and the way back."""

from __future__ import annotations

import pytest

from conftest import Cli
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


@pytest.mark.parametrize("wrong", [["nonsense"], ["--dry-run"]])
def test_a_mode_that_does_not_exist_is_a_usage_error(cli: Cli, wrong: list[str]) -> None:
    done = cli("modes", *wrong)
    assert done.code == 2
    assert done.err
