"""What a text is, and the pieces that it is read in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.nouns import Document
from recollect.text.chunk import passages
from recollect.writing.curation.chunk import pieces
from recollect.writing.curation.outline import joined, outline
from recollect.writing.curation.recon import HEAD, LIMIT, TAIL, planned, survey

LINES = st.sampled_from(
    [
        "", " ", "a line of words.", "# A heading", "## Another", "```", "```python", "~~~",
        "_**User (2026-03-01 10:00:00Z)**_", "_**Agent (model 2026-03-01 10:00:05Z)**_",
        "_**User (2020-01-01 00:00:00Z)**_", "User: hello", "Assistant: hi", "- an item", "x" * 90,
        '<tool-use data-tool-type="shell">', "</details></tool-use>", "<think>", "</think>", "\r",
        "日本語の行。", "\0\1", "> quoted", "| a | b |",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=60).map("\n".join) | st.text(max_size=400)


@given(TEXTS, st.integers(40, 400))
def test_pieces_are_the_text_and_no_more_than_planned(text: str, limit: int) -> None:
    found = pieces(text, survey(text), limit)
    assert "".join(piece.text for piece in found) == text
    assert all(piece.text for piece in found)
    assert all(len(piece.text) <= limit for piece in found)
    assert len(found) <= (2 * (len(text) // (limit + 1)) + 1 if text else 0)
    for piece in found:
        assert text[piece.start : piece.end] == piece.text
        assert piece.parts[0].start == piece.start
        assert piece.parts[-1].end == piece.end
        assert all(a.end == b.start for a, b in zip(piece.parts, piece.parts[1:], strict=False))


@given(TEXTS)
def test_an_outline_has_no_gap_and_no_overlap(text: str) -> None:
    found = outline(text, survey(text).turns)
    at = 0
    for stretch in found:
        assert stretch.start == at < stretch.end
        at = stretch.end
    assert at == len(text)


def test_the_plan_is_for_the_limit_that_is_used() -> None:
    text = "word " * 10_000
    assert len(pieces(text, survey(text))) <= survey(text).chunks == planned(len(text))
    assert survey("x" * LIMIT).chunks == 1
    assert survey("x" * (LIMIT + 1)).chunks == 3


def test_a_fence_stays_whole_and_is_cut_at_a_line_when_it_must_be() -> None:
    fence = "```\n" + "code\n" * 60 + "```"
    text = "words\n\n" * 20 + fence + "\n\nmore words\n" * 20
    cut = pieces(text, survey(text), 400)
    assert any(fence in piece.text for piece in cut)
    long = "```\n" + "one line of code\n" * 100 + "```\n"
    assert all(piece.text.endswith("\n") for piece in pieces(long, survey(long), 400))


def test_a_piece_is_made_of_the_passages_of_the_document() -> None:
    text = "## A part\n\n" + "words and words\n\n" * 900
    cut = [passage.text for piece in pieces(text, survey(text)) for passage in piece.passages]
    assert cut == [one.text for one in passages(Document("x", "s", text))]


def test_speakers_are_told_and_quoted_turns_are_not() -> None:
    text = (
        "_**User (2026-03-01 10:00:00Z)**_\n\nWe use Postgres.\n\n"
        "_**Agent (m 2026-03-01 10:00:05Z)**_\n\n```text\n\n"
        "_**User (2020-01-01 00:00:00Z)**_\n\nan old one\n```\n\nDone.\n"
    )
    seen = survey(text)
    assert (seen.kind, seen.turns) == ("transcript", "marked")
    said = [
        (s.speaker, text[s.start : s.end].strip())
        for s in outline(text, seen.turns)
        if s.sort == "words" and text[s.start : s.end].strip()
    ]
    assert said == [("user", "We use Postgres."), ("assistant", "Done.")]


@pytest.mark.parametrize(
    ("turn", "speaker"),
    [
        ("<task-notification>\nWe decided to go\n</task-notification>", "context"),
        ("[Request interrupted by user]", "context"),
        ("# Plan\n\nWe decided to use Postgres.", "pasted"),
        ("words " * 600, "pasted"),
        ("We use Postgres.", "user"),
    ],
)
def test_what_no_person_said_is_not_the_users(turn: str, speaker: str) -> None:
    text = joined([("user", turn)])
    assert {s.speaker for s in outline(text, "marked") if s.turn == 0} == {speaker}


@pytest.mark.parametrize(
    ("text", "kind", "note"),
    [
        ("", "prose", "empty"),
        (" \n\t", "prose", "empty"),
        ("\0\1\2\3" * 100, "prose", "binary"),
        ("A note about a thing.\n" * 10, "prose", ""),
        ("User: hi\n\nAssistant: hello\n", "transcript", ""),
        ("User: hi\nThat is how a prompt looks.\n", "prose", ""),
        ("2026-03-01 12:00:01 INFO up\n" * 10, "log", ""),
        ("def f(x):\n    return x\n\nclass A:\n    y = 1\n    z = f(y)\n", "code", ""),
        ("Some words\n```\n" + "x = 1;\n" * 30 + "```\nand more words\n" * 6, "prose", ""),
    ],
)
def test_survey(text: str, kind: str, note: str) -> None:
    seen = survey(text)
    assert (seen.kind, seen.note, seen.size) == (kind, note, len(text))


def test_a_survey_shows_the_beginning_and_the_end() -> None:
    text = "a" * 5_000 + "z" * 5_000
    seen = survey(text)
    assert seen.head == text[:HEAD]
    assert seen.tail == text[-TAIL:]
    assert (survey("short").head, survey("short").tail) == ("short", "")


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000_000, "_**User**_" * 300_000, "```\n" * 300_000, "<tool-use x\n" * 300_000,
     "User: a\n" * 300_000, "# h\n" * 300_000, "\n" * 3_000_000],
    ids=["one line", "marks in a line", "fences", "open tags", "turns", "headings", "blank"],
)  # fmt: skip
def test_hostile_texts_are_read_to_the_end(text: str) -> None:
    seen = survey(text)
    found = pieces(text, seen)
    assert sum(len(piece.text) for piece in found) == len(text)
    assert len(found) <= seen.chunks
