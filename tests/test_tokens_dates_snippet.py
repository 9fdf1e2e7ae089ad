"""Token counts, dates, and the part of a passage that is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.dates import parse_date, parse_moment
from recollect.text.questions.parse import parse
from recollect.text.snippet import marks, parted, snippet
from recollect.text.terms import terms
from recollect.text.tokens import clip_tokens, count_tokens

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
PROSE = st.lists(st.sampled_from("a to river harbour. 2024 C++ 東京都 🎉 \n".split(" "))).map(
    " ".join
)


# ------------------------------------------------------------------ tokens


def test_nothing_costs_nothing_and_something_costs_something() -> None:
    assert count_tokens("") == 0
    assert count_tokens(" ") == 1
    assert count_tokens("a") == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("We decided to move the sessions from Redis to Postgres because of the outage.", 15),
        ("def add(left: int, right: int) -> int:\n    return left + right\n", 20),
    ],
)
def test_the_count_is_near_what_a_vocabulary_gives(text: str, tokens: int) -> None:
    assert abs(count_tokens(text) - tokens) <= 0.25 * tokens


def test_scripts_that_take_more_tokens_cost_more_a_character() -> None:
    assert count_tokens("東京都庁舎" * 20) > 2 * count_tokens("tokyo" * 20)


@settings(deadline=None)
@given(st.one_of(ANY_TEXT, PROSE))
def test_a_longer_beginning_never_costs_less(text: str) -> None:
    counts = [count_tokens(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)


@settings(deadline=None)
@given(PROSE, PROSE)
def test_two_texts_together_cost_what_they_cost_apart(one: str, other: str) -> None:
    together = count_tokens(f"{one}\n{other}")
    assert abs(together - count_tokens(one) - count_tokens(other)) <= 2


@settings(deadline=None)
@given(st.one_of(ANY_TEXT, PROSE), st.integers(0, 60))
def test_a_clipped_text_fits_and_is_the_beginning(text: str, tokens: int) -> None:
    clipped = clip_tokens(text, tokens)
    assert text.startswith(clipped)
    assert count_tokens(clipped) <= tokens


@settings(deadline=None)
@given(st.one_of(ANY_TEXT, PROSE))
def test_a_text_that_fits_is_not_clipped(text: str) -> None:
    assert clip_tokens(text, count_tokens(text)) == text


def test_a_text_is_clipped_between_words() -> None:
    text = "harbour " * 100
    for tokens in range(5, 50):
        assert set(clip_tokens(text, tokens).split()) == {"harbour"}


def test_a_text_without_spaces_is_clipped_where_it_must_be() -> None:
    clipped = clip_tokens("東" * 500, 50)
    assert clipped
    assert count_tokens(clipped) <= 50


def test_clipping_does_not_drop_a_last_word_that_fits() -> None:
    text = "The harbour masters log every boat that passes the outer wall at night, and the keeper"
    for end in (at for at, char in enumerate(text) if char == " "):
        for tokens in range(1, count_tokens(text)):
            if count_tokens(text[:end]) <= tokens:
                assert clip_tokens(text, tokens).startswith(text[:end])


def test_no_room_leaves_nothing() -> None:
    assert clip_tokens("harbour", 0) == ""


# ------------------------------------------------------------------ dates


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023-04-10", "2023-04-10T00:00:00"),
        ("20230410", "2023-04-10T00:00:00"),
        ("202311151030", "2023-11-15T10:30:00"),
        ("20231115103059", "2023-11-15T10:30:59"),
        ("201399151030", "1976-05-20T00:12:31.030000"),
        ("2023-04-10T17:50", "2023-04-10T17:50:00"),
        ("2023-04-10 17:50:30", "2023-04-10T17:50:30"),
        ("2023-04-10T17:50:30Z", "2023-04-10T17:50:30"),
        ("2023-04-10T17:50:30.250Z", "2023-04-10T17:50:30.250000"),
        ("2023-04-10T17:50:30+02:00", "2023-04-10T15:50:30"),
        ("2023-04-10T23:50:30-05:00", "2023-04-11T04:50:30"),
        ("2023-04", "2023-04-01T00:00:00"),
        ("2023", "2023-01-01T00:00:00"),
        ("2023/04/10", "2023-04-10T00:00:00"),
        ("2023/04/10 17:50", "2023-04-10T17:50:00"),
        ("2023/04/10 17:50:30", "2023-04-10T17:50:30"),
        ("2023/04/10 (Mon) 17:50", "2023-04-10T17:50:00"),
        ("2023/04/10 (Monday) 17:50", "2023-04-10T17:50:00"),
        ("13-Jun-2000", "2000-06-13T00:00:00"),
        ("13 Jun 2000", "2000-06-13T00:00:00"),
        ("13 June 2000", "2000-06-13T00:00:00"),
        ("June 13, 2000", "2000-06-13T00:00:00"),
        ("Jun 13, 2000", "2000-06-13T00:00:00"),
        ("Mon, 10 Apr 2023 17:50:00 +0200", "2023-04-10T15:50:00"),
        ("Mon Apr 10 17:50:00 2023 +0200", "2023-04-10T15:50:00"),
        ("  2023-04-10\n", "2023-04-10T00:00:00"),
        (0, "1970-01-01T00:00:00"),
        (-1, "1969-12-31T23:59:59"),
        (1681148400, "2023-04-10T17:40:00"),
        (1681148400.5, "2023-04-10T17:40:00.500000"),
        (1681148400000, "2023-04-10T17:40:00"),
        (1681148400250, "2023-04-10T17:40:00.250000"),
        ("1681148400", "2023-04-10T17:40:00"),
        ("1681148400.5", "2023-04-10T17:40:00.500000"),
        ("1681148400000", "2023-04-10T17:40:00"),
    ],
)
def test_a_date_is_read_in_every_form_that_people_and_programs_write(
    value: Any, expected: str
) -> None:
    found = parse_date(value)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert found.utcoffset() == timedelta(0)


@pytest.mark.parametrize("number", [1681148400000, 1701123112345, 1612101530000])
def test_milliseconds_are_the_same_moment_as_text_and_as_number(number: int) -> None:
    assert parse_date(str(number)) == parse_date(number)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "   ",
        "soon",
        "2023-13-01",
        "2023-02-30",
        "2023/04/31",
        "31-Foo-2000",
        "10:30",
        "12345",
        "\x00",
        "\udce9",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        True,
        None,
        [2023, 4, 10],
        {"date": "2023-04-10"},
        float("nan"),
        float("inf"),
        1e300,
        10**20,
        pytest.param(10**400, id="over any float"),
        pytest.param(-(10**400), id="under any float"),
    ],
)
def test_what_is_not_a_date_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="date"):
        parse_date(value)


@settings(deadline=None)
@given(st.one_of(ANY_TEXT, st.integers(), st.floats(), st.text("0123456789-/:TZ+. WJun()Mo")))
def test_every_value_is_a_moment_in_utc_or_refused(value: Any) -> None:
    try:
        found = parse_date(value)
    except ValueError:
        return
    assert found.utcoffset() == timedelta(0)


@settings(deadline=None)
@given(st.datetimes(timezones=st.one_of(st.just(UTC), OFFSETS)))
def test_what_python_writes_is_read_as_the_same_moment(moment: datetime) -> None:
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:
        return
    assert parse_date(moment.isoformat()) == expected


NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "ago"),
    [
        ("24h", timedelta(hours=24)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
        ("3m", timedelta(days=90)),
        ("1y", timedelta(days=365)),
        ("7D", timedelta(days=7)),
        (" 7 d ", timedelta(days=7)),
        ("0h", timedelta(0)),
    ],
)
def test_a_span_is_that_long_ago(written: str, ago: timedelta) -> None:
    assert parse_moment(written, NOW) == NOW - ago


def test_a_moment_may_also_be_a_date() -> None:
    assert parse_moment("2023-04-10", NOW) == datetime(2023, 4, 10, tzinfo=UTC)
    assert parse_moment("2026", NOW) == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("written", ["", "7", "d", "-7d", "7days ago", "999999y", "soon", "1.5d"])
def test_what_is_neither_a_date_nor_a_span_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="date"):
        parse_moment(written, NOW)


# ------------------------------------------------------------------ snippets

WORDS = st.lists(
    st.sampled_from(["needle", "needles,", "(Needle)", "hay", "straw", "\n", "stacks", "東京都"]),
    max_size=60,
).map(" ".join)
WANTED = {"needl"}
FILLER = "hay straw barn field "


@settings(deadline=None)
@given(WORDS, st.integers(40, 400))
def test_a_snippet_is_a_part_of_the_text_and_marks_the_matches_in_it(text: str, width: int) -> None:
    found = snippet(text, WANTED, width)
    assert found.text in text
    assert len(found.text) <= width
    for start, end in found.marks:
        assert 0 <= start < end <= len(found.text)
        assert WANTED & set(terms(found.text[start:end]).stem.split())


@settings(deadline=None)
@given(WORDS, st.integers(40, 400))
def test_a_snippet_shows_a_match_when_there_is_one(text: str, width: int) -> None:
    assert bool(snippet(text, WANTED, width).marks) == ("needle" in text.lower())


def test_a_short_text_is_shown_whole() -> None:
    found = snippet("a needle in hay", WANTED)
    assert found == ("a needle in hay", ((2, 8),), False, False)


def test_a_match_far_into_a_text_is_shown_with_what_stands_around_it() -> None:
    text = FILLER * 100 + "the needle lies here " + FILLER * 100
    found = snippet(text, WANTED, 100)
    (mark,) = found.marks
    assert found.text[slice(*mark)] == "needle"
    assert 0 < mark[0] < mark[1] < len(found.text)
    assert (found.before, found.after) == (True, True)


def test_a_snippet_begins_and_ends_at_words() -> None:
    text = FILLER * 100 + "needle " + FILLER * 100
    assert set(snippet(text, WANTED, 100).text.split()) <= set(text.split())


def test_the_place_with_the_most_matches_is_shown() -> None:
    text = "needle " + FILLER * 50 + "needle and needle and needle " + FILLER * 50
    assert len(snippet(text, WANTED, 100).marks) == 3


def test_matches_side_by_side_are_preferred_to_matches_that_do_not_fit_together() -> None:
    far_apart = FILLER * 20 + "needle " + "hay " * 12 + "needle "
    text = far_apart + FILLER * 20 + "needle needle " + FILLER * 20
    assert len(snippet(text, WANTED, 60).marks) == 2


def test_a_text_without_matches_is_shown_from_its_beginning() -> None:
    text = FILLER * 100
    found = snippet(text, WANTED, 100)
    assert text.startswith(found.text)
    assert found.text
    assert (found.marks, found.before, found.after) == ((), False, True)


def test_a_match_after_a_very_long_word_is_shown() -> None:
    found = snippet(f"https://example.com/{'x' * 1_000} needle in hay", WANTED)
    assert [found.text[start:end] for start, end in found.marks] == ["needle"]


def test_a_match_deep_in_a_text_without_spaces_is_shown() -> None:
    found = snippet("大阪の夜景" * 100 + "東京" + "京都の寺院" * 100, {"東京"})
    assert "東京" in found.text
    assert found.marks


@pytest.mark.parametrize(
    ("text", "question", "marked"),
    [
        ("ログインはPostgresに保存します。", "ログインを保存", ["ログイン", "保存"]),
        ("登录会话现在保存在数据库里。", "登录的数据库", ["登录", "数据库"]),
        ("ログはRedisからPostgres（本番）へ", "Postgres ログ", ["ログ", "Postgres"]),
        ("We moved **logins** to [[postgres]].", "login postgres", ["logins", "postgres"]),
    ],
)  # fmt: skip
def test_marks_of_any_script_never_show_a_character_twice(
    text: str, question: str, marked: list[str]
) -> None:
    found = marks(text, parse(question).content)
    assert [text[start:end] for start, end in found] == marked
    assert "".join(part for part, _ in parted(text, found)) == text
    assert snippet(text, parse(question).content).marks == found


@given(st.text("ログインa b。", max_size=30), st.sets(st.text("ログイン", min_size=2, max_size=2)))
def test_marks_stand_in_order_and_apart(text: str, wanted: set[str]) -> None:
    found = marks(text, wanted)
    assert all(end < start for (_, end), (start, _) in pairwise(found))
    assert "".join(part for part, _ in parted(text, [*found, *found])) == text


@pytest.mark.parametrize(
    ("text", "wanted", "marked"),
    [
        (
            "- [Abort A Rebase](git/abort-a-rebase.md)",
            "git rebase",
            ["Rebase", "git", "abort-a-rebase.md"],
        ),
        ("return retry(call, 3)", "retry", ["retry"]),
        ("key=value", "value", ["value"]),
        ("the `--retry` option", "retry", ["--retry"]),
    ],
)
def test_a_word_in_a_link_or_a_call_is_marked_alone(
    text: str, wanted: str, marked: list[str]
) -> None:
    found = marks(text, set(parse(wanted).content))
    assert [text[start:end] for start, end in found] == marked


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_a_text_without_words_has_a_snippet_without_marks(text: str) -> None:
    assert snippet(text, WANTED).marks == ()
