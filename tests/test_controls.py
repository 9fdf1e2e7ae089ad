"""What the author of a note writes never steers the terminal of who reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import Cli, Ran
from recollect.surfaces.controls import ESCAPE, shown

HOSTILE = "\x1b]0;owned\x07 \x1b[2J \x9b31m \x85 \x08\x7f \u202eevil\u2066 \x1b[0m\x01\x02 \rgone"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OURS = re.compile(r"\x1b\[(?:1|2|1;33|33|0)m")

COMMANDS = (
    "search otter", "search otter --explain", "search otter --full", "gather otter",
    "context otter", "list", "get {id}", "get {fact}", "sessions otter", "sessions", "facts",
    "history {fact}", "review", "tidy", "status", "doctor", "stats", "answers", "cache", "overview",
    "config list", "get no\x1b[2Jsuch", "search --kind \x1b[2J otter", "pin no\x1b]0;x\x07such",
    "config set no\x1b[2Jsuch 1", "forget no\x9bsuch", "no\x1b[2Jsuch",
)  # fmt: skip


@pytest.fixture
def filled(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Cli, str, str]:
    """A store in which every text that an author chooses is hostile."""
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a\x1b[2J\u202eb.md").write_text(f"# otter {HOSTILE}\n\nThe otter {HOSTILE} swims.\n")
    (folder / "bad\x1b]0;x\x07.pdf").write_bytes(b"not a pdf")
    lines = [
        {"id": "s", "title": f"otter {HOSTILE}", "turns": [
            {"role": "user", "text": f"where is the otter {HOSTILE}?"},
            {"role": "assistant", "text": f"The otter {HOSTILE} is in the pool."},
        ]},
        {"id": "d", "text": f"otter {HOSTILE}", "title": HOSTILE},
    ]  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "lines.jsonl").write_text(text)
    harmless(cli("add", str(folder), "--source", "notes"))
    fact = cli("remember", f"The otter {HOSTILE} eats fish", "--json")
    harmless(fact)
    return cli, cli("list", "--json").json["items"][0]["id"], fact.json["fact"]["id"]


def harmless(ran: Ran) -> None:
    for text in (ran.out, ran.err):
        assert not (found := CONTROLS.search(OURS.sub("", text))), repr(text[found.start() - 40 :])
        assert "Traceback" not in text


@pytest.mark.parametrize("colour", ["", "1"])
def test_no_command_lets_a_control_character_through(
    filled: tuple[Cli, str, str], monkeypatch: pytest.MonkeyPatch, colour: str
) -> None:
    cli, id, fact = filled
    monkeypatch.setenv("NO_COLOR", "" if colour else "1")
    monkeypatch.setenv("FORCE_COLOR", colour)
    for command in COMMANDS:
        words = [word.format(id=id, fact=fact) for word in command.split(" ")]
        harmless(cli(*words))
        harmless(cli(*words, "--json"))


def test_json_is_exact(filled: tuple[Cli, str, str]) -> None:
    cli, _, _ = filled
    texts = [result["text"] for result in cli("search", "otter", "--json").json["results"]]
    assert any(HOSTILE.split(" ")[0] in text for text in texts)
    assert any("\u202eevil\u2066" in text for text in texts)


def test_what_is_ours_passes_and_what_only_looks_like_it_does_not() -> None:
    assert shown(f"{ESCAPE}[1mbold\r\n\tmore") == "\x1b[1mbold\n\tmore"
    assert shown("\x1b[1m \r \u202e") == "\\u001b[1m \\u000d \\u202e"
    assert shown("naïve 東京 \u200f שלום") == "naïve 東京 \u200f שלום"
