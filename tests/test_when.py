"""Times in a question: which stretch of time it limits itself to, and which words say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns import without_cue
from recollect.nouns import Window
from recollect.text.questions.when import OPENING_CUES, OPENINGS, vague, window

NOW = datetime(2026, 11, 11, 15, 30, tzinfo=UTC)  # a Wednesday


def spoken(found: Window | None) -> str:
    """A window as ``since..until``: dates, with the time where it is not midnight."""
    if found is None:
        return "none"
    edges = (found.since, found.until)
    forms = ["%Y-%m-%d" if edge and not edge.hour else "%Y-%m-%dT%H" for edge in edges]
    return "..".join(
        edge.strftime(form) if edge else "" for edge, form in zip(edges, forms, strict=True)
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# ------------------------------------------------------------------ English


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("what did I do today?", "2026-11-11..2026-11-12", "today"),
        ("what I wrote earlier today", "2026-11-11..2026-11-12", "earlier today"),
        ("yesterday's standup", "2026-11-10..2026-11-11", "yesterday"),
        ("what broke yesterday afternoon", "2026-11-10T12..2026-11-10T18", "yesterday afternoon"),
        ("notes from the day before yesterday", "2026-11-09..2026-11-10", None),
        ("what came in this morning", "2026-11-11..2026-11-11T12", "this morning"),
        ("plans for tonight", "2026-11-11T18..2026-11-12T06", "tonight"),
        ("who called last night", "2026-11-10T18..2026-11-11T06", "last night"),
        ("what is on tomorrow", "2026-11-12..2026-11-13", "tomorrow"),
    ],
)
def test_a_day_is_named_from_today(text: str, expected: str, said: str | None) -> None:
    found = window(text, NOW)
    assert spoken(found) == expected
    assert found is not None
    assert said is None or found.said == said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we ship this week", "2026-11-09..2026-11-16"),
        ("what did we ship last week", "2026-11-02..2026-11-09"),
        ("the week before last", "2026-10-26..2026-11-02"),
        ("agenda for next week", "2026-11-16..2026-11-23"),
        ("what I spent this month", "2026-11-01..2026-12-01"),
        ("what I spent last month", "2026-10-01..2026-11-01"),
        ("goals of this quarter", "2026-10-01..2027-01-01"),
        ("goals of last quarter", "2026-07-01..2026-10-01"),
        ("trips this year", "2026-01-01..2027-01-01"),
        ("trips last year", "2025-01-01..2026-01-01"),
        ("at the end of last month", "2026-10-01..2026-11-01"),
    ],
)
def test_last_and_this_are_whole_units_of_the_calendar(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in the last 3 days", "2026-11-08..2026-11-12"),
        ("in the past two weeks", "2026-10-28..2026-11-12"),
        ("over the last couple of months", "2026-08-11..2026-11-12"),
        ("in the past few weeks", "2026-09-30..2026-11-12"),
        ("over the past month", "2026-10-11..2026-11-12"),
        ("in the last week", "2026-11-04..2026-11-12"),
        ("this past week", "2026-11-04..2026-11-12"),
        ("within the last 24 hours", "2026-11-10T15..2026-11-12"),
        ("in the next two weeks", "2026-11-11..2026-11-26"),
    ],
)
def test_the_last_few_units_reach_to_the_end_of_today(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did I buy 3 days ago", "2026-11-08..2026-11-09"),
        ("a couple of days ago", "2026-11-08..2026-11-10"),
        ("2-3 days ago", "2026-11-08..2026-11-10"),
        ("a week ago", "2026-11-01..2026-11-09"),
        ("two weeks ago", "2026-10-25..2026-11-02"),
        ("a week or two ago", "2026-10-25..2026-11-09"),
        ("a month ago", "2026-09-26..2026-11-01"),
        ("a few months ago", "2026-04-26..2026-10-01"),
        ("a year ago", "2025-01-01..2026-02-10"),
        ("2 hours ago", "2026-11-11T13..2026-11-11T14"),
        ("more than a year ago", "..2025-11-12"),
        ("less than a week ago", "2026-11-04.."),
    ],
)
def test_some_time_ago_is_as_wide_as_its_unit(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we say on Monday", "2026-11-09..2026-11-10"),
        ("what did we say on Monday evening", "2026-11-09T17..2026-11-10"),
        ("what did we decide in Tuesday's meeting", "2026-11-10..2026-11-11"),
        ("on Wednesday", "2026-11-04..2026-11-05"),
        ("last Monday", "2026-11-09..2026-11-10"),
        ("last Saturday", "2026-11-07..2026-11-08"),
        ("this Friday", "2026-11-13..2026-11-14"),
        ("next Friday", "2026-11-13..2026-11-14"),
        ("since Tuesday", "2026-11-10.."),
        ("from Monday to Wednesday", "2026-11-02..2026-11-05"),
        ("over the weekend", "2026-11-07..2026-11-09"),
        ("last weekend", "2026-11-07..2026-11-09"),
        ("this weekend", "2026-11-14..2026-11-16"),
    ],
)
def test_a_weekday_is_the_last_one_before_today(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what happened in March", "2026-03-01..2026-04-01"),
        ("what happened in november", "2026-11-01..2026-12-01"),
        ("what happened in December", "2025-12-01..2026-01-01"),
        ("what did we decide in Q1", "2026-01-01..2026-04-01"),
        ("what did we decide in Q4 2025", "2025-10-01..2026-01-01"),
        ("between Q1 and Q2 2026", "2026-01-01..2026-07-01"),
        ("since q3", "2026-07-01.."),
        ("what is Q1", "none"),
        ("last March", "2026-03-01..2026-04-01"),
        ("last November", "2025-11-01..2025-12-01"),
        ("this May", "2026-05-01..2026-06-01"),
        ("in may", "2026-05-01..2026-06-01"),
        ("in early March", "2026-03-01..2026-04-01"),
        ("since March", "2026-03-01.."),
        ("from March onwards", "2026-03-01.."),
        ("until May", "..2026-06-01"),
        ("in March 2025", "2025-03-01..2025-04-01"),
        ("in 2025-03", "2025-03-01..2025-04-01"),
        ("what did we work on in 2025?", "2025-01-01..2026-01-01"),
        ("from December to February", "2025-12-01..2026-03-01"),
    ],
)
def test_a_month_without_a_year_is_the_last_that_began(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we do in spring", "2026-03-01..2026-06-01"),
        ("what we changed over the summer", "2026-06-01..2026-09-01"),
        ("how often was I ill this autumn", "2026-09-01..2026-12-01"),
        ("what have we done in late fall", "2026-09-01..2026-12-01"),
        ("who came in winter", "2025-12-01..2026-03-01"),
        ("last summer", "2026-06-01..2026-09-01"),
        ("this past summer", "2026-06-01..2026-09-01"),
        ("last autumn", "2025-09-01..2025-12-01"),
        ("what was planned for next spring", "2027-03-01..2027-06-01"),
        ("what was planned for this winter", "2026-12-01..2027-03-01"),
        ("in the summer of 2025", "2025-06-01..2025-09-01"),
        ("in winter 2024", "2024-12-01..2025-03-01"),
        ("in winter 2026", "2025-12-01..2026-03-01"),
        ("what changed since the summer", "2026-06-01.."),
        ("what did I do before winter", "..2025-12-01"),
        ("what was decided from winter to summer", "2025-12-01..2026-09-01"),
        ("what was decided from March to summer", "2026-03-01..2026-09-01"),
    ],
)
def test_a_season_is_three_months(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 2026-03-04", "2026-03-04..2026-03-05"),
        ("2026-03-04 standup", "2026-03-04..2026-03-05"),
        ("on March 4", "2026-03-04..2026-03-05"),
        ("on the 4th of March", "2026-03-04..2026-03-05"),
        ("March 4th 2025", "2025-03-04..2025-03-05"),
        ("March 4, 2025", "2025-03-04..2025-03-05"),
        ("4 Mar 2025", "2025-03-04..2025-03-05"),
        ("may 4th", "2026-05-04..2026-05-05"),
        ("on Wednesday, March 4", "2026-03-04..2026-03-05"),
        ("the week of March 4", "2026-03-02..2026-03-09"),
        ("on December 24", "2025-12-24..2025-12-25"),
        ("since 2026-03-01", "2026-03-01.."),
        ("until June 3", "..2026-06-04"),
        ("before June 3", "..2026-06-03"),
        ("after June 3", "2026-06-04.."),
        ("between March 3 and March 9", "2026-03-03..2026-03-10"),
        ("between the 3rd and the 9th of March", "2026-03-03..2026-03-10"),
        ("March 3-9", "2026-03-03..2026-03-10"),
        ("Dec 20 to Jan 5", "2025-12-20..2026-01-06"),
        ("from March 3 2025 to April 2", "2025-03-03..2025-04-03"),
        ("after March 3 and before June", "2026-03-04..2026-06-01"),
    ],
)
def test_a_written_date_is_that_day(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


def test_of_two_times_the_window_has_both() -> None:
    found = window("compare last week with this week, please", NOW)
    assert spoken(found) == "2026-11-02..2026-11-16"
    assert found is not None
    assert found.said == "last week with this week"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "how does the retry policy work",
        "what have I done recently",
        "what do I use these days",
        "what did you recommend last time",
        # years are about what is written, not when it was
        "who led the club in 2005",
        "what was the population in 2025",
        "did we plan anything from 2025 to 2026",
        "who owned the house from 2005 to 2007",
        "music of the 1990s",
        "the 2026 roadmap",
        "who was mayor from Mar 1964 to Jul 1967",
        "who was born on March 4 2020",
        # other meanings
        "may 10 users log in at once?",
        "this may fail",
        "did May say something",
        "a message from May",
        "dinner with April",
        "the march of progress",
        "give me a second",
        "how many meetings on Mondays",
        "what time do I wake up on Saturday mornings",
        "whoever feels like it on a Friday",
        "Black Friday deals",
        "my last day at work",
        "at the last minute",
        "the last 3 commits",
        "the last year of school",
        "did it in 3 days",
        "why did sales fall",
        "the fall of the wall",
        "in the fall of Rome",
        "how to log in Spring",
        "what we do every summer",
        "what does it cost to park a trailer in summer",
        "what should I avoid in winter so that the battery lasts",
        "how much did the stall raise at the summer fair",
        "the spring of the door",
        "what is due by Friday",
        # asks for a time
        "how many weeks ago did I meet Ana",
        "how long ago did we leave",
        "how many days passed between March 3 and March 9?",
        "how many days between March 3 and March 9?",
        "how long has it been since last Monday",
        "when did I last March in a parade",
        "when did prices last fall",
        # said by somebody else, or a name
        'the song "Last Week"',
        "the film 'Yesterday' by Boyle",
        "who directed Gangway For Tomorrow or Night In December",
        "in notes/2026-03-04.md",
        "2026-03-04.log",
        "does it need python 3.11 or 10.2",
        "release v2026-03-04",
        "February 30",
        "on 2026-02-30",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert window(text, NOW) is None


def test_a_question_may_count_what_lies_between_two_days() -> None:
    text = "how many emails did I send between March 3 and March 9?"
    assert spoken(window(text, NOW)) == "2026-03-03..2026-03-10"


def test_capitals_throughout_are_no_title() -> None:
    assert spoken(window("WHAT DID WE SHIP LAST WEEK", NOW)) == "2026-11-02..2026-11-09"


# ------------------------------------------------------------------ other languages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Was haben wir heute gemacht?", "2026-11-11..2026-11-12"),
        ("Was haben wir gestern Abend besprochen?", "2026-11-10T17..2026-11-11"),
        ("vorgestern", "2026-11-09..2026-11-10"),
        ("heute Morgen", "2026-11-11..2026-11-11T12"),
        ("Was steht morgen an?", "2026-11-12..2026-11-13"),
        ("Was war letzte Woche?", "2026-11-02..2026-11-09"),
        ("vorletzte Woche", "2026-10-26..2026-11-02"),
        ("diese Woche", "2026-11-09..2026-11-16"),
        ("letzten Monat", "2026-10-01..2026-11-01"),
        ("letztes Jahr", "2025-01-01..2026-01-01"),
        ("seit Dienstag", "2026-11-10.."),
        ("am Montag", "2026-11-09..2026-11-10"),
        ("im März", "2026-03-01..2026-04-01"),
        ("Anfang März", "2026-03-01..2026-04-01"),
        ("am 4. März 2025", "2025-03-04..2025-03-05"),
        ("am 31.12.2025", "2025-12-31..2026-01-01"),
        ("vor dem 3. Juni", "..2026-06-03"),
        ("bis 3. Juni", "..2026-06-04"),
        ("vom 3. bis 9. März", "2026-03-03..2026-03-10"),
        ("zwischen dem 3. und dem 9. März", "2026-03-03..2026-03-10"),
        ("vor 3 Tagen", "2026-11-08..2026-11-09"),
        ("vor einer Woche", "2026-11-01..2026-11-09"),
        ("in den letzten zwei Wochen", "2026-10-28..2026-11-12"),
        ("am Wochenende", "2026-11-07..2026-11-09"),
        ("Was war im Frühjahr?", "2026-03-01..2026-06-01"),
        ("im letzten Sommer", "2026-06-01..2026-09-01"),
        ("Was war diesen Herbst?", "2026-09-01..2026-12-01"),
        ("im Winter 2024", "2024-12-01..2025-03-01"),
        ("auf jeden Fall", "none"),
        ("Was steht hier über Postgres?", "none"),
        ("Was mache ich jeden Morgen?", "none"),
        ("Vor wie vielen Wochen war ich in Rom?", "none"),
        ("Wie viele Tage sind seit letztem Montag vergangen?", "none"),
        ("im Jahr 2005", "none"),
        ("Was haben wir im Jahr 2025 gemacht?", "2025-01-01..2026-01-01"),
    ],
)
def test_german_times_are_understood(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿qué hicimos hoy?", "2026-11-11..2026-11-12"),
        ("qué hicimos ayer", "2026-11-10..2026-11-11"),
        ("anteayer por la tarde", "2026-11-09T12..2026-11-09T18"),
        ("¿qué tengo mañana?", "2026-11-12..2026-11-13"),
        ("esta mañana", "2026-11-11..2026-11-11T12"),
        ("la semana pasada", "2026-11-02..2026-11-09"),
        ("esta semana", "2026-11-09..2026-11-16"),
        ("el mes pasado", "2026-10-01..2026-11-01"),
        ("el ano pasado", "2025-01-01..2026-01-01"),
        ("¿qué decidimos el lunes?", "2026-11-09..2026-11-10"),
        ("desde el martes", "2026-11-10.."),
        ("en marzo", "2026-03-01..2026-04-01"),
        ("en marzo de 2025", "2025-03-01..2025-04-01"),
        ("el 4 de marzo", "2026-03-04..2026-03-05"),
        ("antes del 3 de junio", "..2026-06-03"),
        ("del 3 al 9 de marzo", "2026-03-03..2026-03-10"),
        ("hace 3 días", "2026-11-08..2026-11-09"),
        ("hace una semana", "2026-11-01..2026-11-09"),
        ("en los últimos tres meses", "2026-08-11..2026-11-12"),
        ("el fin de semana pasado", "2026-11-07..2026-11-09"),
        ("qué hicimos en primavera", "2026-03-01..2026-06-01"),
        ("el verano pasado", "2026-06-01..2026-09-01"),
        ("qué hicimos este otoño", "2026-09-01..2026-12-01"),
        ("qué hago por la mañana", "none"),
        ("cuántos días han pasado desde el lunes", "none"),
    ],
)
def test_spanish_times_are_understood(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qu'avons-nous fait aujourd'hui ?", "2026-11-11..2026-11-12"),
        ("qu'a-t-on décidé hier soir ?", "2026-11-10T17..2026-11-11"),
        ("avant-hier", "2026-11-09..2026-11-10"),
        ("ce matin", "2026-11-11..2026-11-11T12"),
        ("la semaine dernière", "2026-11-02..2026-11-09"),
        ("cette semaine", "2026-11-09..2026-11-16"),
        ("le mois dernier", "2026-10-01..2026-11-01"),
        ("l’année dernière", "2025-01-01..2026-01-01"),
        ("qu'est-ce qui s'est passé lundi ?", "2026-11-09..2026-11-10"),
        ("depuis mardi", "2026-11-10.."),
        ("en mars", "2026-03-01..2026-04-01"),
        ("le 4 mars 2025", "2025-03-04..2025-03-05"),
        ("avant le 3 juin", "..2026-06-03"),
        ("jusqu'au 3 juin", "..2026-06-04"),
        ("du 3 au 9 mars", "2026-03-03..2026-03-10"),
        ("il y a 3 jours", "2026-11-08..2026-11-09"),
        ("au cours des deux dernières semaines", "2026-10-28..2026-11-12"),
        ("le week-end dernier", "2026-11-07..2026-11-09"),
        ("qu'avons-nous fait au printemps ?", "2026-03-01..2026-06-01"),
        ("l'été dernier", "2026-06-01..2026-09-01"),
        ("ce qu'on a fait en hiver", "2025-12-01..2026-03-01"),
        ("que fait-on le lundi", "none"),
        ("combien de temps s'est écoulé depuis mars", "none"),
    ],
)
def test_french_times_are_understood(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们今天做了什么", "2026-11-11..2026-11-12"),
        ("昨天的会议", "2026-11-10..2026-11-11"),
        ("上周讨论了什么", "2026-11-02..2026-11-09"),
        ("上周末", "2026-11-07..2026-11-09"),
        ("上个月花了多少钱", "2026-10-01..2026-11-01"),
        ("去年", "2025-01-01..2026-01-01"),
        ("去年夏天", "2025-06-01..2025-09-01"),
        ("三天前", "2026-11-08..2026-11-09"),
        ("过去2周", "2026-10-28..2026-11-12"),
        ("数据库怎么备份", "none"),
    ],
)
def test_chinese_times_are_understood(text: str, expected: str) -> None:
    assert spoken(window(text, NOW)) == expected


# ------------------------------------------------------------------ edges of the calendar


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        ("2027-01-05T09:00+00:00", "last December", "2026-12-01..2027-01-01"),
        ("2027-01-05T09:00+00:00", "in December", "2026-12-01..2027-01-01"),
        ("2027-01-05T09:00+00:00", "last January", "2026-01-01..2026-02-01"),
        ("2027-01-05T09:00+00:00", "next January", "2028-01-01..2028-02-01"),
        ("2027-01-05T09:00+00:00", "last month", "2026-12-01..2027-01-01"),
        ("2027-01-05T09:00+00:00", "last quarter", "2026-10-01..2027-01-01"),
        ("2027-01-05T09:00+00:00", "who came this winter", "2026-12-01..2027-03-01"),
        ("2027-01-05T09:00+00:00", "last winter", "2025-12-01..2026-03-01"),
        ("2027-01-05T09:00+00:00", "last autumn", "2026-09-01..2026-12-01"),
        ("2026-12-31T23:59+00:00", "tomorrow", "2027-01-01..2027-01-02"),
        ("2026-12-31T23:59+00:00", "this week", "2026-12-28..2027-01-04"),
        ("2026-11-09T00:00+00:00", "this week", "2026-11-09..2026-11-16"),
        ("2026-11-08T23:59+00:00", "this week", "2026-11-02..2026-11-09"),
        ("2026-11-08T12:00+00:00", "over the weekend", "2026-11-07..2026-11-09"),
        ("2026-11-08T12:00+00:00", "last weekend", "2026-10-31..2026-11-02"),
        ("2026-03-31T12:00+00:00", "in the last month", "2026-02-28..2026-04-01"),
        ("2024-02-29T12:00+00:00", "in the past year", "2023-02-28..2024-03-01"),
        ("2024-03-01T12:00+00:00", "yesterday", "2024-02-29..2024-03-01"),
        ("2026-11-11T12:00+00:00", "on February 29", "2024-02-29..2024-03-01"),
        ("2024-02-28T12:00+00:00", "on February 29", "2020-02-29..2020-03-01"),
    ],
)
def test_months_weeks_and_years_end_where_the_calendar_says(
    now: str, text: str, expected: str
) -> None:
    assert spoken(window(text, at(now))) == expected


def test_days_are_those_of_the_zone_of_now() -> None:
    now = at("2026-03-01T01:30+05:30")  # still February in UTC
    found = window("today", now)
    assert found is not None
    assert found.since == at("2026-02-28T18:30+00:00")
    assert found.until == at("2026-03-01T18:30+00:00")
    assert found.days == "2026-03-01 to 2026-03-02"
    assert spoken(window("last month", at("2026-03-01T01:30+00:00"))) == "2026-02-01..2026-03-01"


def test_a_day_on_which_the_clock_changes_is_whole() -> None:
    found = window("today", datetime(2026, 10, 25, 12, tzinfo=ZoneInfo("Europe/Berlin")))
    assert found is not None
    assert found.since == at("2026-10-24T22:00+00:00")
    assert found.until == at("2026-10-25T23:00+00:00")


def test_a_moment_without_a_zone_is_taken_for_utc() -> None:
    assert window("today", NOW.replace(tzinfo=None)) == window("today", NOW)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert window("what I did last week " + "x" * 100_000, NOW) is not None
    assert window("x " * 50_000 + "last week", NOW) is None


# ------------------------------------------------------------------ times without a date


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what did we use before the migration?", "before the migration"),
        ("which bank did I have when we moved to Berlin?", "when we moved to Berlin"),
        ("who took over while I was ill, and why", "while I was ill"),
        ("Before I signed the lease I was looking at a stall", "Before I signed the lease"),
        ("how many days before I bought it did I call?", "before I bought it"),
        ("who gave me the grant that autumn", "that autumn"),
        ("was haben wir vor der Migration benutzt?", "vor der Migration benutzt"),
        ("was war, als wir umgezogen sind?", "als wir umgezogen sind"),
        ("qué usábamos antes de la migración", "antes de la migración"),
        ("qu'utilisait-on avant la migration ?", "avant la migration"),
        ("ce qu'on a dit après l'incident", "après l'incident"),
        ("搬家之前我们用什么", "搬家之前"),
    ],
)
def test_a_time_by_an_event_is_vague(text: str, words: str) -> None:
    assert vague(text) == words
    assert window(text, NOW) is None


def test_a_time_by_an_event_has_a_cue() -> None:
    assert without_cue(OPENINGS, OPENING_CUES) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "when did we move?",
        "when is the launch",
        "since when do we use Redis",
        "what did we use before March",
        "what happened after last week",
        "was war vor dem 3. Juni",
        "what happens when the queue is full",
        "what happens when we need more space",
        "ask me before I go",
        "cuántos días han pasado desde el lunes",
    ],
)
def test_a_date_or_a_question_for_one_is_not_vague(text: str) -> None:
    assert vague(text) == ""


# ------------------------------------------------------------------ whatever the text

WORDS = """in on since until before after between from to and the a last next this past few 3 12
2026 31 4th days weeks months year ago march May Monday weekend today yesterday tonight may how
many did 2026-03-04 2026-13-40 31.12.2025 , . - ' " gestern letzte Woche vor Tagen der im März bis
und hace la semana pasada el lunes de marzo il y a jours dernier lundi hier 上周 三 天 前 9999 0
over more than week of end hours minutes born morning mornings ayer desde enero summer winter was
spring sommer verano""".split()
PHRASES = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(timezones=st.one_of(st.just(UTC), OFFSETS))


@given(st.one_of(PHRASES, ANY_TEXT), MOMENTS)
def test_any_window_is_a_stretch_of_time_that_the_text_names(text: str, now: datetime) -> None:
    found = window(text, now)
    if found is not None:
        assert found.said
        assert found.said in text
        edges = [edge for edge in (found.since, found.until) if edge]
        assert edges
        assert all(edge.tzinfo is now.tzinfo for edge in edges)
        assert edges == sorted(set(edges))


@given(st.one_of(PHRASES, ANY_TEXT))
def test_vague_words_are_in_the_text(text: str) -> None:
    assert vague(text) in text


@given(PHRASES, st.integers(0, 23), OFFSETS)
def test_the_hour_does_not_matter_to_what_is_told_in_days(
    text: str, hour: int, zone: timezone
) -> None:
    if not {"hours", "minutes"} & set(text.split()):
        noon = datetime(2026, 11, 11, 12, tzinfo=zone)
        assert window(text, noon) == window(text, noon.replace(hour=hour))
