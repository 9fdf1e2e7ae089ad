"""What all readers of session logs do with a text, however large and broken it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.nouns import Message
from recollect.sources.sessions import gemini
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.turns import human, title_of

OPEN = "<recollect-context>" * 21_000
"""About 400 kB in which each beginning lacks its end."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OPEN, ("context", OPEN)),
        (f"Hi {OPEN}", ("user", f"Hi {OPEN}")),
        (f"<recollect-context>old</recollect-context>\n\nHi {OPEN}", ("user", f"Hi {OPEN}")),
        (f"{OPEN}</recollect-context>\nHi", ("user", "Hi")),
        (f"Hi</recollect-context> {OPEN}", ("user", f"Hi</recollect-context> {OPEN}")),
    ],
    ids=["alone", "after words", "after what has its end", "all before one end", "after an end"],
)
def test_what_was_put_in_and_never_ended_stays_and_is_read_in_one_go(
    text: str, expected: tuple[str, str]
) -> None:
    assert human(text) == expected


@pytest.mark.parametrize("broken", ["<hook_context>" * 28_000, " " * 400_000 + "bye"])
def test_a_hook_is_told_from_a_prompt_that_is_large_and_broken(tmp_path: Path, broken: str) -> None:
    about = {"sessionId": "s", "projectHash": "p"}
    text = f"Hi\n\n<hook_context>a</hook_context>\n<hook_context>b</hook_context> {broken}"
    path = tmp_path / "session.jsonl"
    said = {"id": "1", "type": "user", "content": text}
    path.write_text("".join(json.dumps(record) + "\n" for record in (about, said)))
    (session,) = gemini.FORMAT.read(path)
    assert isinstance(session, Session)
    spoken = [(message.role, message.text) for message in session.messages]
    assert spoken == [("context", "a\n\nb"), ("user", f"Hi{broken.lstrip()}")]


# ------------------------------------------------------------------ titles


def _said(*texts: str) -> list[Message]:
    roles = ("user", "assistant")
    return [Message(roles[n % 2], text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("turns", "title"),
    [
        (["Why do the mails go out twice?", "Two workers."], "Why do the mails go out twice?"),
        (["Hi there!", "Hello.", "The importer drops rows with umlauts."],
         "The importer drops rows with umlauts."),
        (["Good morning, the importer drops rows.", "Sure."], "the importer drops rows."),
        (["Guten Morgen!\nDer Importer verliert Zeilen mit Umlauten.", "Gut."],
         "Der Importer verliert Zeilen mit Umlauten."),
        (["ok", "Yes?", "Move the invoices to Postgres", "Done."], "Move the invoices to Postgres"),
        (["Implement the following plan:\n\n# Fix\n\nThe watcher polls every second.", "Done."],
         "The watcher polls every second."),
        (["```\nTraceback (most recent call last)\n```\nWhy does the build fail here?", "A typo."],
         "Why does the build fail here?"),
        (["Redis or Postgres for sessions?", "Both work.", "We decided to use Postgres."],
         "Redis or Postgres for sessions? → We decided to use Postgres."),
        (["Read CLAUDE.md", "Done.", "Now add a retry to the webhook worker", "Done."],
         "Now add a retry to the webhook worker"),
        (["mach weiter", "Gut.", "Der Parser verliert Zeilen"], "Der Parser verliert Zeilen"),
        (["Upgrade Node.js", "Done.", "Thanks for that quick help"], "Upgrade Node.js"),
        (["can you look?\nTraceback (most recent call last):\n  File x\nKeyError: 'sku'",
          "The sku field was missing."], "The sku field was missing."),
        (["Please act as a senior engineer. Be concise.\nWhy does the job fail?", "A typo."],
         "Why does the job fail?"),
        (["Sigue con lo de ayer", "Sigo con la traducción."], "Sigo con la traducción."),
        (["#12 #14 #19", "The login page first."], "The login page first."),
        (["address: 8, 12, 13, 57", "The login page first.", "Why does the login time out?"],
         "Why does the login time out?"),
        (["fix #266", "Done."], "fix #266"),
        (["[10:57 ~/shop] ~/bin/shop watch\n\n👀 Watching for orders\n   Press Ctrl+C to stop\n\n"
          "Why does it say orders, and not order?", "A typo."],
         "Why does it say orders, and not order?"),
        (["continue", "The invoices are moved to Postgres now."],
         "The invoices are moved to Postgres now."),
        (["please fix it", "What?", "```\nKeyError: 3\n```"], "please fix it"),
        (["```\nKeyError: 3\n```", "Fixed."], "KeyError: 3"),
        (["```", "What?"], ""),
        (["hello", "Hi."], "hello"),
        (["/clear", ""], "/clear"),
    ],
)  # fmt: skip
def test_a_title_says_what_a_session_was_about(turns: list[str], title: str) -> None:
    assert title_of(_said(*turns), "user") == title


def _command(name: str, given: str = "") -> Message:
    """A command to Claude Code, as its log has it."""
    said = f"<command-message>{name[1:]}</command-message>\n<command-name>{name}</command-name>"
    return Message("context", f"{said}\n<command-args>{given}</command-args>" if given else said)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ([], "/review 151"),
        (_said("8, 12, 57", "Done."), "/review 151"),
        (_said("Why does the login time out?"), "Why does the login time out?"),
    ],
)
def test_a_session_that_a_command_began_is_called_by_it_where_nobody_names_a_topic(
    said: list[Message], title: str
) -> None:
    begun = [_command("/model"), _command("/review", "151"), Message("assistant", "I will look.")]
    assert title_of([*begun, *said], "user") == title
    assert title_of([_command("/review"), *begun[2:], _command("/exit")], "user") == "/review"


def test_a_short_sentence_takes_part_of_the_next_along() -> None:
    said = "I'm done with the NAS. On Thursday night one disk died, the dump failed, for ever now."
    title = title_of(_said(said, "I see."), "user")
    assert title.startswith("I'm done with the NAS. On Thursday night")
    assert len(title) <= 80
    assert title.endswith("…")


def test_a_title_that_a_client_gave_stays() -> None:
    assert title_of(_said("The importer drops rows."), "user", given=" Import  it ") == "Import it"
