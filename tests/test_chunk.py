"""Texts to passages: nothing is lost, nothing is too long, and each can be read on its own."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.nouns import Document, Message
from recollect.text.chunk import MAX_SIZE, TARGET_SIZE, Piece, passages, split

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
BUILDING_BLOCKS = st.sampled_from(
    [
        "\n", "\n\n", "\r\n", "   ", "\t", "# One\n", "## Two\n", "###### Six ##\n",
        "#no heading\n", "```\n", "```py\n", "~~~\n", "- item\n", "word. ", "A sentence ends. ",
        "日本語。", "x" * 900, " " * 900, "\n" * 900, "word " * 300, "line of text\n" * 80,
        "漢字かな" * 200,
    ]
)  # fmt: skip
LIKE_A_DOCUMENT = st.lists(st.one_of(BUILDING_BLOCKS, ANY_TEXT), max_size=25).map("".join)


def sentences(size: int, about: str = "word") -> str:
    """One paragraph of about *size* characters."""
    sentence = f"This is a sentence on {about}. "
    return (sentence * (size // len(sentence))).strip()


def piece_with(text: str, pieces: list[Piece]) -> Piece:
    """The first piece that has *text* in it."""
    return next(piece for piece in pieces if text in piece.text)


# ------------------------------------------------------------------ what holds for every text


@settings(deadline=None, max_examples=300)
@given(LIKE_A_DOCUMENT)
@example("x" * (MAX_SIZE + 1))
@example(" " * (3 * MAX_SIZE))
@example("```\n" + "x" * (2 * MAX_SIZE))
def test_the_pieces_joined_are_the_text(text: str) -> None:
    pieces = split(text)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces) or pieces == [Piece("", "")]


@settings(deadline=None, max_examples=300)
@given(LIKE_A_DOCUMENT)
def test_no_piece_is_longer_than_the_limit(text: str) -> None:
    assert all(len(piece.text) <= MAX_SIZE for piece in split(text))


@settings(deadline=None)
@given(LIKE_A_DOCUMENT, st.integers(100, 600), st.integers(0, 600))
def test_other_limits_are_kept_as_well(text: str, target: int, more: int) -> None:
    pieces = split(text, target, target + more)
    assert "".join(piece.text for piece in pieces) == text
    assert all(len(piece.text) <= target + more for piece in pieces)


@settings(deadline=None)
@given(LIKE_A_DOCUMENT)
def test_the_same_text_is_always_split_the_same_way(text: str) -> None:
    assert split(text) == split(text)


@settings(deadline=None)
@given(st.lists(LIKE_A_DOCUMENT, min_size=1, max_size=5))
def test_the_passages_of_each_turn_joined_are_that_turn(turns: list[str]) -> None:
    session = Document(
        "s", "chat", messages=tuple(Message("user", text) for text in turns), kind="session"
    )
    found = passages(session)
    assert [p.n for p in found] == list(range(len(found)))
    for turn, text in enumerate(turns):
        assert "".join(p.text for p in found if p.turn == turn) == text


# ------------------------------------------------------------------ where it is split


def test_a_short_text_is_one_piece() -> None:
    text = "# Title\n\nA paragraph.\n\n## More\n\nAnother.\n"
    assert split(text) == [Piece(text, "")]


def test_paragraphs_are_not_broken_while_they_fit() -> None:
    paragraphs = [sentences(500, name) for name in ("one", "two", "three", "four", "five")]
    pieces = split("\n\n".join(paragraphs))
    assert len(pieces) > 1
    for paragraph in paragraphs:
        assert any(paragraph in piece.text for piece in pieces)


def test_a_paragraph_between_target_and_limit_stays_whole() -> None:
    paragraph = sentences(MAX_SIZE - 50)
    assert len(paragraph) > TARGET_SIZE
    pieces = split(f"Before.\n\n{paragraph}\n\nAfter.\n")
    assert any(paragraph in piece.text for piece in pieces)


def test_a_long_paragraph_is_split_after_a_sentence() -> None:
    pieces = split(sentences(3 * MAX_SIZE))
    assert len(pieces) > 2
    assert all(piece.text.rstrip().endswith(".") for piece in pieces)


def test_a_long_list_is_split_after_a_line() -> None:
    pieces = split("".join(f"- item {n}, with a few words. And more\n" for n in range(200)))
    assert len(pieces) > 2
    assert all(piece.text.startswith("- ") and piece.text.endswith("\n") for piece in pieces)


def test_words_without_sentences_are_split_at_a_space() -> None:
    pieces = split("word " * MAX_SIZE)
    assert all(set(piece.text.split()) == {"word"} for piece in pieces)


def test_one_word_that_is_too_long_is_cut() -> None:
    assert [len(piece.text) for piece in split("x" * (2 * MAX_SIZE + 1))] == [MAX_SIZE, MAX_SIZE, 1]


def test_no_piece_is_only_white_space_beside_text() -> None:
    pieces = split(sentences(1_500) + "\n" * 300 + sentences(1_500))
    assert all(piece.text.strip() for piece in pieces)


# ------------------------------------------------------------------ headings


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n\n", "\r\n\r\n", "\n \n"])
@pytest.mark.parametrize("before", [50, 1_000])
def test_a_heading_stays_with_the_paragraph_under_it(between: str, before: int) -> None:
    paragraph = sentences(MAX_SIZE - 100, "boats")
    text = f"{sentences(before, 'rivers')}\n\n## Boats{between}{paragraph}\n"
    assert paragraph in piece_with("## Boats", split(text)).text


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_heading_stays_with_the_beginning_of_a_long_paragraph(between: str) -> None:
    text = f"{sentences(1_000, 'rivers')}\n\n## Boats{between}{sentences(3 * MAX_SIZE, 'boats')}\n"
    assert "sentence on boats" in piece_with("## Boats", split(text)).text


def test_headings_of_several_levels_stay_together() -> None:
    paragraph = sentences(1_100, "boats")
    text = f"{sentences(1_000)}\n\n# Fleet\n## Boats\n### Small\n{paragraph}\n"
    assert "# Fleet\n## Boats\n### Small\n" + paragraph in piece_with("# Fleet", split(text)).text


def test_a_section_opens_a_piece_of_its_own() -> None:
    sections = [f"## Part {n}\n\n{sentences(700, str(n))}\n\n" for n in range(4)]
    assert [piece.text for piece in split("".join(sections))] == sections


def test_a_piece_says_which_headings_it_stands_under() -> None:
    text = (
        f"# Handbook\n\n{sentences(900)}\n\n"
        f"## Deploys\n\n{sentences(900, 'deploys')}\n\n{sentences(900, 'rollbacks')}\n\n"
        f"### Friday\n\n{sentences(900, 'fridays')}\n\n"
        f"## Backups\n\n{sentences(900, 'backups')}\n\n{sentences(900, 'restores')}\n"
    )
    pieces = split(text)
    assert piece_with("# Handbook", pieces).heading == ""
    assert piece_with("on deploys", pieces).heading == "Handbook"
    assert piece_with("on rollbacks", pieces).heading == "Handbook > Deploys"
    assert piece_with("on fridays", pieces).heading == "Handbook > Deploys"
    assert piece_with("on backups", pieces).heading == "Handbook"
    assert piece_with("on restores", pieces).heading == "Handbook > Backups"


def test_a_section_is_not_said_to_stand_under_the_one_before_it() -> None:
    sections = [f"## {name}\n\n{sentences(700, name)}\n\n" for name in ("boats", "rivers", "nets")]
    pieces = split("# Handbook\n\n" + "".join(sections))
    assert "boats" not in piece_with("on rivers", pieces).heading
    assert "rivers" not in piece_with("on nets", pieces).heading


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_every_piece_of_a_long_section_says_or_shows_its_heading(between: str) -> None:
    text = f"# Handbook{between}## Deploys{between}{sentences(3 * MAX_SIZE)}\n"
    pieces = split(text)
    assert len(pieces) > 2
    for piece in pieces:
        assert "Deploys" in piece.heading or "Deploys" in piece.text


def test_closing_marks_are_not_part_of_a_heading() -> None:
    text = f"## Boats ##\n\n{sentences(1_000)}\n\n{sentences(1_000, 'rivers')}\n"
    assert piece_with("on rivers", split(text)).heading == "Boats"


def test_a_tag_or_a_comment_is_not_a_heading() -> None:
    text = f"#boats #rivers\n\n{sentences(1_000)}\n\n{sentences(1_000, 'rivers')}\n"
    assert piece_with("on rivers", split(text)).heading == ""


def test_a_heading_with_a_long_gap_in_it_does_not_stop_the_import() -> None:
    code = "from recollect.text.chunk import split; split('# a' + ' ' * 20_000 + 'b')"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=10)


# ------------------------------------------------------------------ fences


def fence(size: int, mark: str = "```") -> str:
    line = "call(argument)  # a comment\n"
    return f"{mark}py\n" + line * (size // len(line)) + f"{mark}\n"


@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
@pytest.mark.parametrize("size", [600, 1_100, 1_800])
def test_a_fence_that_fits_stays_whole(mark: str, size: int) -> None:
    code = fence(size, mark)
    text = f"{sentences(900)}\n\n{code}\n{sentences(900)}\n"
    assert any(code in piece.text for piece in split(text))


def test_a_fence_that_fits_stays_whole_when_it_touches_a_paragraph() -> None:
    code = fence(1_800)
    text = f"{sentences(500)}\n{code}{sentences(500)}\n"
    assert any(code in piece.text for piece in split(text))


def test_blank_lines_and_hashes_in_a_fence_do_not_split_it() -> None:
    code = "```sh\n# step one\n\n" + "run --all\n\n# next\n" * 50 + "```\n"
    pieces = split(f"# Title\n\n{sentences(900)}\n\n{code}\n{sentences(900, 'rivers')}\n")
    assert any(code in piece.text for piece in pieces)
    assert piece_with("on rivers", pieces).heading == "Title"


def test_a_shorter_mark_does_not_close_a_fence() -> None:
    code = "````md\n```\n\n# not a heading\n\n```\n" + "words here\n\n" * 60 + "````\n"
    pieces = split(f"{sentences(900)}\n\n{code}\n{sentences(900, 'rivers')}\n")
    assert any(code in piece.text for piece in pieces)
    assert piece_with("on rivers", pieces).heading == ""


def test_a_fence_that_does_not_fit_is_split_at_lines() -> None:
    pieces = split(fence(3 * MAX_SIZE))
    assert len(pieces) > 2
    assert all(piece.text.endswith("\n") for piece in pieces)


def test_a_fence_that_is_never_closed_loses_nothing() -> None:
    text = f"{sentences(900)}\n\n```\n{sentences(3_000)}\n\n# a\n\nend"
    assert "".join(piece.text for piece in split(text)) == text


# ------------------------------------------------------------------ scripts and line ends


@pytest.mark.parametrize(
    "sentence", ["東京都庁は新宿にある。", "한국어 문장입니다. ", "ภาษาไทยเป็นภาษา "]
)
def test_scripts_that_cost_more_tokens_get_smaller_pieces(sentence: str) -> None:
    longest = max(len(piece.text) for piece in split(sentence * 500))
    assert longest <= MAX_SIZE // 2


def test_a_text_in_which_few_characters_are_wide_is_split_almost_as_usual() -> None:
    longest = max(len(piece.text) for piece in split("東京 " + sentences(3 * MAX_SIZE)))
    assert TARGET_SIZE < longest <= MAX_SIZE


def test_japanese_is_split_after_a_sentence() -> None:
    pieces = split("東京都庁は新宿にある。" * 400)
    assert all(piece.text.endswith("。") for piece in pieces)


def test_windows_line_ends_are_kept() -> None:
    text = f"# A\r\n\r\n{sentences(1_000)}\r\n\r\n## B\r\n\r\n" + "line of words\r\n" * 200
    pieces = split(text)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text.endswith("\r\n") for piece in pieces)
    assert pieces[-1].heading == "A > B"


# ------------------------------------------------------------------ documents and sessions


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_a_document_without_words_is_one_passage(text: str) -> None:
    (only,) = passages(Document("d", "notes", text))
    assert (only.n, only.text, only.turn, only.role) == (0, text, 0, "")


def test_the_passages_of_a_document_are_numbered_through() -> None:
    found = passages(Document("d", "notes", sentences(5 * MAX_SIZE)))
    assert [p.n for p in found] == list(range(len(found)))
    assert len(found) > 4


def test_turns_are_never_joined() -> None:
    session = Document(
        "s", "chat", kind="session", messages=(Message("user", "a"), Message("assistant", "b"))
    )
    assert [(p.n, p.text, p.turn, p.role) for p in passages(session)] == [
        (0, "a", 0, "user"),
        (1, "b", 1, "assistant"),
    ]


def test_a_heading_does_not_reach_into_the_next_turn() -> None:
    long = f"{sentences(1_000)}\n\n{sentences(1_000)}"
    session = Document(
        "s",
        "chat",
        kind="session",
        messages=(Message("assistant", f"# Plan\n\n{long}"), Message("user", long)),
    )
    assert {p.heading for p in passages(session) if p.turn == 1} == {""}


def test_an_empty_turn_takes_nothing_from_the_others() -> None:
    turns = ("", "first", "", "second", "")
    session = Document(
        "s", "chat", kind="session", messages=tuple(Message("user", text) for text in turns)
    )
    assert [(p.n, p.text, p.turn) for p in passages(session)] == [
        (0, "first", 1),
        (1, "second", 3),
    ]


class Mark(NamedTuple):
    offset: int
    level: int
    title: str


@given(st.text("ab \n#`", max_size=400), st.lists(st.integers(0, 420), max_size=8))
def test_sections_cut_a_text_and_lose_nothing_of_it(text: str, offsets: list[int]) -> None:
    marks = [Mark(offset, 1 + n % 3, f"part {n}") for n, offset in enumerate(sorted(offsets))]
    pieces = split(text, 40, 60, marks)
    assert "".join(p.text for p in pieces) == text
    assert all(len(p.text) <= 60 for p in pieces)
    assert all(p.heading == "" or p.heading.startswith("part") for p in pieces)
