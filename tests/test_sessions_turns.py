"""What all readers of session logs do with a text, however large and broken it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.sources.sessions import gemini
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.turns import human

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
