"""Text into the units that are shown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sentences import LONGEST, PARTS, parts_of, units


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in units(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It is wrapped\nover two lines. Next.", ["It is wrapped\nover two lines.", "Next."]),
        ("Dr. Who met J. Smith, e.g. here. Done.", ["Dr. Who met J. Smith, e.g. here.", "Done."]),
        ("Er kommt am 12. November an. Gut.", ["Er kommt am 12. November an.", "Gut."]),
        ("It was on page 12. May I go? Yes.", ["It was on page 12.", "May I go?", "Yes."]),
        ("It costs 3.5 MB. Fine.", ["It costs 3.5 MB.", "Fine."]),
        ("# Title\nText here.\n- one\n- two", ["# Title\nText here.", "- one", "- two"]),
        ("## A\n\n### B\n\nText. More.\n\n## C", ["## A\n\n### B\n\nText.", "More.", "## C"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        (
            "2026-02-02: code is 7719\n2026-03-09: meters read\n12.06.2026 Forklift again",
            ["2026-02-02: code is 7719", "2026-03-09: meters read", "12.06.2026 Forklift again"],
        ),
        ("```\nx = 1\ny = 2\n```\nEnd.", ["```\nx = 1", "y = 2\n```", "End."]),
        (
            "12.01.2026 Old lock\n01.07.2026 New lock",
            ["12.01.2026 Old lock", "01.07.2026 New lock"],
        ),
        ("How many? 12. Nobody knew.", ["How many?", "12.", "Nobody knew."]),
        ("It lasts until\n2026-07-01 at noon.", ["It lasts until\n2026-07-01 at noon."]),
        ("会议在周五。我们部署！好吗？", ["会议在周五。", "我们部署！", "好吗？"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_prose_by_sentences_and_all_else_by_lines(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@given(st.text(alphabet="aB. \n!?。`|#-1\t", max_size=300))
def test_units_are_in_order_and_hold_all_but_white_space(text: str) -> None:
    found = units(text)
    assert all(a < b for a, b in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert "".join("".join(parts(text)).split()) == "".join(text.split())


def test_a_line_without_end_is_cut() -> None:
    text = "word " * 1000
    assert all(end - start <= LONGEST for start, end in units(text))


@given(st.text())
def test_the_parts_of_a_text_are_its_units_or_such_as_are_within_a_word_joined(text: str) -> None:
    found = parts_of(text)
    assert len(found) <= PARTS
    assert {start for start, _ in found} <= {start for start, _ in units(text)}
    assert {end for _, end in found} <= {end for _, end in units(text)}
    assert found == sorted(found)


def test_a_text_has_so_many_parts_and_no_more() -> None:
    text = "Otters swim. " * (PARTS + 5)
    assert parts_of(text) == units(text)[:PARTS]


def test_a_word_is_in_one_part() -> None:
    text = f"Before. {'X' * (3 * LONGEST + 50)}. After it."
    assert len(units(text)) > 2
    assert [text[start:end][:6] for start, end in parts_of(text)] == ["Before", "X" * 6, "After "]
