"""What the program says of small things: counts, orders, amounts, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Cli
from recollect.surfaces.commands.usage_picture import _decades


@pytest.fixture(autouse=True)
def by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")


EMPTY = "the store is empty: `recollect init` or `recollect add PATH` fills it"


@pytest.mark.parametrize(
    "command",
    [["search", "x"], ["gather", "x"], ["sessions", "x"], ["context", "x"], ["facts"], ["list"]],
    ids=lambda words: words[0],
)
def test_an_empty_store_is_told_with_what_fills_it(cli: Cli, command: list[str]) -> None:
    assert cli(*command).err == EMPTY + "\n"
    assert cli(*command, "--quiet").err == ""


def test_the_status_of_an_empty_store_speaks_of_no_share(cli: Cli) -> None:
    assert EMPTY in cli("status").out
    assert "100%" not in cli("status").out


def test_gather_that_found_nothing_is_not_called_weak(cli: Cli) -> None:
    Path("a.md").write_text("# Kettle\n\nThe kettle is red.\n")
    cli("add", "a.md")
    found = cli("gather", "zebra")
    assert "nothing is known of this" in found.out
    assert "it is not sure that this is enough" not in found.out


def test_what_is_replaced_is_told_so(cli: Cli) -> None:
    first = cli("remember", "We deploy on Fridays", "--name", "deploy day", "--json").json
    done = cli("remember", "We deploy on Mondays", "--name", "deploy day", "--replace")
    assert done.out.startswith("replaced  deploy day: We deploy on Mondays")
    assert f"instead of {first['fact']['id']}" in done.out


def test_a_fact_is_valid_by_the_names_that_json_and_tools_have(cli: Cli) -> None:
    words = ["The fair is open", "--valid-from", "2026-03-01", "--valid-to", "2026-03-05"]
    fact = cli("remember", *words, "--json").json["fact"]
    assert (fact["valid_from"][:10], fact["valid_to"][:10]) == ("2026-03-01", "2026-03-05")
    assert cli("remember", "It is open", "--from", "2026-03-01").code == 2


def test_the_figures_of_use_explain_their_words(cli: Cli) -> None:
    cli("search", "anything")
    told = cli("stats", "--json").json
    words = set(told["total"]) | set(told["total"]["tokens"])
    assert words - {"tokens"} <= set(told["glossary"])


@pytest.mark.parametrize("known", [[2100.0, 4300.0], [0.4], [35.0, 90.0]])
def test_an_axis_of_time_begins_at_a_power_of_ten(known: list[float]) -> None:
    marks = _decades(known)
    assert f"{marks[0]:e}".startswith("1.0")
    assert marks[0] <= min(known)
    assert max(known) < marks[-1]


def test_a_share_in_an_explanation_is_a_share(cli: Cli) -> None:
    for name in ("red", "blue", "green"):
        Path(f"{name}.md").write_text(f"# The {name} kettle\n\nThe kettle is {name}.\n")
    cli("add", ".")
    shown = cli("search", "the red kettle", "--min-confidence", "0.99", "--explain").out
    assert "e-0" not in shown
