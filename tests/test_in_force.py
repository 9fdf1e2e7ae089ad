"""Of statements about one thing the latest is told first, and the earlier with its time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import Cli
from recollect import Memory
from recollect.nouns import Answer, Candidate, Document, Message, Passage, StoredPassage, Stretch
from recollect.reading import in_force
from recollect.reading.statement import Statement

SAMPLES = Path(__file__).resolve().parents[1] / "src" / "recollect" / "samples" / "vault"
CHANGED = Path(__file__).resolve().parents[1] / "bench" / "sets" / "changed-values" / "docs.jsonl"
PASSING = CHANGED.parents[1] / "changed-values-passing" / "docs.jsonl"
UPLOADS = {
    "limits.md": (
        3,
        "The maximum upload size is 25 MB. Ask the gateway team to change it.",
    ),
    "gateway.md": (9, "Uploads of up to 100 MB are accepted since the new gateway went live."),
}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory://") as opened:
        yield opened


def written(folder: Path, notes: dict[str, tuple[int, str]]) -> Path:
    """Notes, each with the month of 2026 that it is from."""
    for name, (month, text) in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
        then = datetime(2026, month, 3, tzinfo=UTC).timestamp()
        os.utime(folder / name, (then, then))
    return folder


def asked(memory: Memory, question: str) -> Answer:
    return memory.search(question, cache=False)


def test_a_later_value_is_first_and_the_earlier_is_named_with_its_time(
    memory: Memory, tmp_path: Path
) -> None:
    memory.add(written(tmp_path, UPLOADS))
    first = asked(memory, "what is the maximum upload size?").results[0]
    assert "100 MB" in first.text
    (earlier,) = first.earlier
    assert "25 MB" in earlier.text
    assert f"{earlier.until:%Y-%m}" == "2026-09"


def test_every_text_says_until_when_it_was_otherwise(tmp_path: Path, cli: Cli) -> None:
    cli("add", str(written(tmp_path, UPLOADS)))
    told = cli("search", "what is the maximum upload size?").out
    assert told.index("100 MB") < told.index("until 2026-09-03: The maximum upload size is 25 MB.")


def test_the_price_that_holds_comes_first_in_the_samples(memory: Memory) -> None:
    memory.add(SAMPLES)
    first = asked(memory, "How much does the Basic plan cost now?").results[0]
    assert first.path == "team/pricing-change-2026-03.md"
    assert "$59" in first.text
    assert "$49" in first.earlier[0].text


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        (
            "when do jobs time out?",
            "Jobs time out after 30 seconds.",
            "Jobs now time out after 120 seconds instead of 30.",
        ),
        (
            "what do we deploy with?",
            "We deploy with Ansible.",
            "We deploy with Terraform instead of Ansible.",
        ),
    ],
)
def test_what_a_statement_says_no_longer_to_be_is_told_as_replaced(
    memory: Memory, tmp_path: Path, question: str, before: str, after: str
) -> None:
    memory.add(written(tmp_path, {"a.md": (3, before), "b.md": (6, after)}))
    first = asked(memory, question).results[0]
    assert after in first.text
    assert [one.text for one in first.earlier] == [before]
    rendered = memory.gather(question, token_budget=2000).rendered()
    assert f"until 2026-06-03: {before}" in rendered


def test_a_reversal_is_the_latest(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "a.md": (2, "The session timeout of the portal is 60 minutes."),
        "b.md": (4, "The session timeout of the portal is 15 minutes."),
        "c.md": (7, "We went back: the session timeout of the portal is 60 minutes."),
    }
    memory.add(written(tmp_path, notes))
    first = asked(memory, "what is the session timeout of the portal?").results[0]
    assert first.path == "c.md"
    assert [one.document for one in first.earlier] == ["b.md", "a.md"]


@pytest.mark.parametrize(
    "notes",
    [
        {
            "a.md": (2, "# Session timeout\n\nThe session timeout is 60 minutes."),
            "b.md": (4, "# Session timeout\n\nWe changed the session timeout to 30 minutes."),
            "c.md": (7, "# Session timeout\n\nWe went back to 60 minutes."),
        },
        {
            "log.md": (
                8,
                "# Log\n\n- 2026-02-01: The session timeout is 60 minutes.\n- 2026-04-01: We"
                " changed the session timeout to 30 minutes.\n- 2026-07-01: We went"
                " back to 60 minutes.",
            )
        },
    ],
)
def test_a_reversal_may_leave_to_its_title_or_its_neighbour_of_what(
    memory: Memory, tmp_path: Path, notes: dict[str, tuple[int, str]]
) -> None:
    memory.add(written(tmp_path, notes))
    first = asked(memory, "what is the session timeout?").results[0]
    assert "We went back to 60 minutes." in first.text
    assert ["30" in one.text for one in first.earlier] == [True, False]


def test_a_name_and_the_title_leave_something_that_may_turn(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "2026-02-10-a.md").write_text("# Timeouts\n\nThe API timeout is 60 seconds.")
    raised = "We raised the API timeout to 120 seconds because exports were cut off."
    (tmp_path / "2026-05-02-b.md").write_text(f"# Timeouts raised\n\n{raised}")
    back = "We went back to 60; 120 let workers pile up on the API."
    (tmp_path / "2026-08-20-c.md").write_text(f"# Timeouts again\n\n{back}")
    memory.add(tmp_path)
    first = asked(memory, "what is the API timeout?").results[0]
    assert "back to 60" in first.text
    assert [one.text for one in first.earlier] == [raised, "The API timeout is 60 seconds."]


def test_in_german_a_noun_is_no_name(memory: Memory, tmp_path: Path) -> None:
    said = (
        "Der Mailversand macht 3 Wiederholungen.",
        "Der Mailversand macht jetzt 8 Wiederholungen.",
        "Wir sind wieder bei 3 Wiederholungen im Mailversand.",
    )
    for month, text in enumerate(said, 3):
        (tmp_path / f"2026-0{month}-01-notiz.md").write_text(f"# Notiz\n\n{text}\n")
    memory.add(tmp_path)
    first = asked(memory, "Wie viele Wiederholungen macht der Mailversand?").results[0]
    assert said[2] in first.text
    assert [one.text for one in first.earlier] == [said[1], said[0]]


def test_what_went_back_beside_another_matter_ends_nothing(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "a.md": (2, "# Session timeout\n\nThe session timeout is 60 minutes."),
        "c.md": (7, "# Standup\n\nThe standup was too short. We went back to 30 minutes."),
    }
    memory.add(written(tmp_path, notes))
    first = asked(memory, "what is the session timeout?").results[0]
    assert (first.path, first.earlier) == ("a.md", ())


def test_who_asks_about_the_past_is_shown_both(memory: Memory, tmp_path: Path) -> None:
    memory.add(written(tmp_path, UPLOADS))
    answer = asked(memory, "what was the previous maximum upload size?")
    assert {one.path for one in answer.results} == set(UPLOADS)
    assert not any(one.earlier for one in answer.results)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (
            "The seminar room on the second floor holds 18 people.",
            "The seminar room on the ground floor holds 40 people.",
            "How many people does the seminar room on the second floor hold?",
        ),
        (
            "Mira's swimming lesson is on Wednesdays at four.",
            "Leo's swimming lesson is on Saturdays at ten.",
            "When is Mira's swimming lesson?",
        ),
        (
            "The Starter plan includes three seats.",
            "The Business plan includes twenty-five seats.",
            "How many seats does the Starter plan include?",
        ),
        (
            "Room 204 seats 18 people around one table.",
            "Signs are still missing. Room 240 seats 32 people in rows.",
            "how many people fit in room 204?",
        ),
        (
            "Buffer A for the column is set to pH 7.4.",
            "Ice machine repaired. Buffer B for the elution is set to pH 8.1.",
            "what pH is buffer A?",
        ),
        (
            "The 2024 hackathon was held in Ghent at the old printing house.",
            "The 2025 hackathon will be held in Utrecht at the tram depot.",
            "where was the 2024 hackathon held?",
        ),
        (
            "Pixel was at the vet. She weighs 4.2 kilos, which is fine for her size.",
            "Momo hid under the sofa. He weighs 5.6 kilos and should lose a little.",
            "how many kilos does Pixel weigh?",
        ),
    ],
)
def test_the_same_said_of_something_else_changes_nothing(
    memory: Memory, tmp_path: Path, one: str, other: str, question: str
) -> None:
    memory.add(written(tmp_path, {"one.md": (2, one), "other.md": (5, other)}))
    answer = asked(memory, question)
    assert answer.results[0].path == "one.md"
    assert not any(result.earlier for result in answer.results)


def test_the_day_that_a_line_begins_with_is_no_part_of_what_is_compared(
    memory: Memory, tmp_path: Path
) -> None:
    for month, said in ((9, "gym fee is 31"), (10, "locker fee is 19"), (11, "parking fee is 11")):
        day = f"{datetime(2026, month, 3):%d %b %Y}"
        (tmp_path / f"{month}.md").write_text(f"# Fees\n\n{day}: the {said} euros.\n")
    memory.add(tmp_path)
    first = asked(memory, "what is the gym fee?").results[0]
    assert "31 euros" in first.text
    assert not first.earlier


def test_what_a_question_asks_for_is_known_without_its_words(memory: Memory) -> None:
    """By words the first note is asked for its heading, which nothing has replaced."""
    older, newer = "cv-505958", "cv-fba2a5"
    rows = [json.loads(line) for line in CHANGED.read_text("utf-8").splitlines()]
    others = [row for row in rows if row["id"] not in (older, newer)][:60]
    memory.put(
        [
            Document(
                row["id"], "notes", row["text"], title=row["title"],
                date=datetime.fromisoformat(row["date"]).replace(tzinfo=UTC),
            )
            for row in rows if row in others or row["id"] in (older, newer)
        ]
    )  # fmt: skip
    memory.models.embed()
    first = asked(memory, "Who handles the finances of the chess club?").results[0]
    assert first.document == newer
    assert [one.document for one in first.earlier] == [older]


def test_what_is_shown_beside_an_answer_or_in_its_place_is_no_surer_than_it_was() -> None:
    first = Candidate(1, 1, score=4.0, contributions=(), confidence=0.3)
    later = Candidate(2, 2, score=0.5, contributions=(), confidence=0.1)
    note = StoredPassage(2, "d:2", Passage(0, "It is 5 now."), Document("d", "notes"))
    said = Statement(later, note, 0, 12)
    before = StoredPassage(1, "c:1", Passage(0, "It is 4."), Document("c", "notes"))
    shown = in_force.Shown((first,), {1: (Stretch(1, 0, 8),)})
    assert [c.confidence for c in shown.beside(first, [said]).candidates] == [0.3, 0.3]
    instead, _ = shown.instead(first, in_force.Group(said, (Statement(first, before, 0, 8),)))
    assert [c.confidence for c in instead.candidates] == [0.3]


def test_the_mtime_of_a_copy_replaces_nothing_that_has_a_date(
    memory: Memory, tmp_path: Path
) -> None:
    notes = {
        "said.md": (9, "# Limits, 3 May 2026\n\nThe maximum upload size is 100 MB."),
        "copied.md": (8, "The maximum upload size is 25 MB."),
    }
    memory.add(written(tmp_path, notes))
    for result in asked(memory, "what is the maximum upload size?").results:
        assert not result.earlier


def test_what_will_hold_does_not_replace_what_holds(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "now.md": (2, "The maximum upload size is 25 MB."),
        "then.md": (3, "From 1 January 2099 the maximum upload size is 100 MB."),
    }
    memory.add(written(tmp_path, notes))
    first = asked(memory, "what is the maximum upload size?").results[0]
    assert not first.earlier
    assert first.path == "now.md"


def test_a_later_turn_of_a_session_replaces_an_earlier_one(memory: Memory, tmp_path: Path) -> None:
    lines = tmp_path / "talk.jsonl"
    lines.write_text(
        '{"id": "s1", "kind": "session", "date": "2026-02-02", "turns": [{"role": "user", "text":'
        ' "The rate limit of the public API is 600 requests a minute."}]}\n'
        '{"id": "s2", "kind": "session", "date": "2026-05-02", "turns": [{"role": "user", "text":'
        ' "The rate limit of the public API is 900 requests a minute now."}]}\n'
    )
    memory.add(lines)
    first = asked(memory, "what is the rate limit of the public API?").results[0]
    assert (first.document, [one.document for one in first.earlier]) == ("s2", ["s1"])


@pytest.mark.parametrize("store", ["memory://", "store"])
def test_a_turn_is_of_its_own_time_and_not_of_the_first_of_its_session(
    tmp_path: Path, store: str
) -> None:
    limit = "The export limit of the public API is {} rows a page."

    def session(id: str, *turns: tuple[str, str]) -> str:
        told = [{"role": "user", "date": date, "text": text} for date, text in turns]
        return json.dumps({"id": id, "kind": "session", "turns": told}) + "\n"

    lines = tmp_path / "talks.jsonl"
    lines.write_text(
        session("long", ("2026-02-02", "Let us begin."), ("2026-08-20", limit.format(90)))
        + session("short", ("2026-05-02", limit.format(40)))
    )
    place = store if ":" in store else str(tmp_path / store)
    question = "what is the export limit of the public API?"
    with Memory.open(place) as memory:
        memory.add(lines)
        first = asked(memory, question).results[0]
        assert (first.document, f"{first.date:%Y-%m-%d}") == ("long", "2026-08-20")
        assert [(one.document, f"{one.until:%Y-%m-%d}") for one in first.earlier] == [
            ("short", "2026-08-20")
        ]
        june = datetime(2026, 6, 1, tzinfo=UTC)
        then = memory.search(question, cache=False, as_of=june).results[0]
        assert (then.document, then.earlier) == ("short", ())


def test_a_cached_answer_has_what_it_replaced(memory: Memory, tmp_path: Path) -> None:
    memory.add(written(tmp_path, UPLOADS))
    question = "what is the maximum upload size?"
    once, again = memory.search(question), memory.search(question)
    assert again.cache.status == "hit"
    assert again.results[0].earlier == once.results[0].earlier != ()


def test_what_is_shown_beside_an_answer_is_within_the_limit(memory: Memory) -> None:
    told = ("is 3 years old", "is 4 years old", "had no birthday yet", "is 6 years old")
    memory.put(
        [
            Document(
                f"{n}",
                "notes",
                f"Mira's cat Tibble {one}.",
                date=datetime(2021 + n, 3, 1, tzinfo=UTC),
            )
            for n, one in enumerate(told)
        ]
    )
    memory.models.embed()
    for limit in (1, 2):
        now = memory.search("How old is Mira's cat Tibble?", limit=limit, cache=False)
        assert len(now.results) == 1
        before = memory.search("How old was Mira's cat before?", limit=limit, cache=False)
        assert len(before.results) == limit


def test_what_is_said_to_be_otherwise_now_is_in_force_beside_other_topics(memory: Memory) -> None:
    memory.put(
        [
            Document(
                "old",
                "notes",
                "Router is in the hall.\n\nGarage code: 4471\n\nRent is due on the 1st.",
                title="The code of the garage",
                date=datetime(2025, 1, 5, tzinfo=UTC),
            ),
            Document(
                "new",
                "notes",
                "Leo has a fever.\n\nNew garage door opener installed. Code changed: 9038.",
                date=datetime(2026, 3, 3, tzinfo=UTC),
            ),
        ]
    )
    memory.models.embed()
    found = memory.search("what is the garage code?", cache=False).results[0]
    assert found.document == "new"
    assert "4471" in found.earlier[0].text


def minutes(memory: Memory, *told: tuple[int, str], title: str = "Meeting Alder House") -> None:
    """Minutes of 2026, each with its month."""
    memory.put(
        Document(f"{month}", "notes", text, title=title, date=datetime(2026, month, 10, tzinfo=UTC))
        for month, text in told
    )
    memory.models.embed()


def test_minutes_of_the_house_that_was_asked_about_say_what_is_otherwise(memory: Memory) -> None:
    minutes(
        memory,
        (1, "Accounts approved.\n\nCode of the key safe at the back door is 4471.\n\nAny other."),
        (6, "The bicycle cellar gets a new lock, keys from Petra.\n\nMr Okafor elected as chair."),
        (9, "Rent is due.\n\nKey safe: battery dead, new combination 3358.\n\nPetra is back."),
    )
    found = asked(memory, "What is the code of the key safe at Alder House?").results[0]
    assert found.document == "9"
    assert [one.document for one in found.earlier] == ["1"]


def test_a_title_and_who_was_there_replace_nothing(memory: Memory) -> None:
    head = "Canal Works, board\nPresent: Mina Feld, Jean Abara, {}\n\n{}"
    minutes(
        memory,
        (5, head.format(4, "First aid officer is Jean Abara.")),
        (8, head.format(5, "Mina Feld takes over as first aid officer.")),
        (11, head.format(6, "The gate shuts at 21:30 from today.")),
        title="Canal Works board",
    )
    found = asked(memory, "Who is responsible for first aid at Canal Works?").results
    assert not {"Canal", "Present:"} & {one.text.split()[0] for r in found for one in r.earlier}
    assert any("Mina Feld takes over" in one.text for one in found)


def test_a_dated_note_turns_from_one_that_has_only_the_time_of_its_file(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "nursery.md").write_text("# Nursery\n\nTakes 60 rolls a day, no nuts.\n")
    (tmp_path / "log.md").write_text(
        "# 25.3.2026\n\nOven done. Nursery: 75 rolls a day from May.\n"
    )
    memory.add(tmp_path)
    first = asked(memory, "how many rolls a day does the nursery take?").results[0]
    assert "75" in first.text
    assert "60" in first.earlier[0].text


def test_a_plan_with_a_date_ends_nothing_that_has_only_the_time_of_its_file(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "handover.md").write_text(
        "# For when I'm away (Ines)\n\n- Looms: boards are labelled. The agency's person is Aleks,"
        " comes Mondays and Wednesdays, from 30 Nov.\n- My radio stays on station 3.\n"
    )
    (tmp_path / "minutes.md").write_text(
        "# 26 October 2026\n\n- Cover for Ines from December: agency person two days for wiring,"
        " remainder by Tom and Dougal.\n- Clocks changed; the time on all panels is wrong.\n"
    )
    memory.add(tmp_path)
    found = asked(memory, "When does the agency's person come?").results
    assert not any(one.earlier for one in found)
    assert any("Aleks" in one.text for one in found)


def test_that_something_is_new_is_said_of_many_things(memory: Memory, tmp_path: Path) -> None:
    food = "Start with a teaspoon of the new food alongside, so he doesn't distrust the old one."
    people = "Moss slept all day. New people at no. 10: a couple with a whippet called Gravy."
    memory.add(written(tmp_path, {"moss.md": (2, food), "street.md": (7, people)}))
    found = asked(memory, "how should I go about switching Moss over to the new food").results
    assert "teaspoon" in found[0].text
    assert not found[0].earlier


def test_by_meaning_nothing_ends_that_has_only_the_time_of_its_file(
    memory: Memory, tmp_path: Path
) -> None:
    router = {
        "router.md": (2, "When it goes red: unplug the small white box, 30 seconds, then router."),
        "power.md": (9, "Wifi drops after power cut: hold WPS 3 sec, then the button on router."),
        **{f"x{n}.md": (n % 12 + 1, f"Bench {n} was painted by class {n}.") for n in range(30)},
    }
    memory.add(written(tmp_path, router))
    found = asked(memory, "The internet box shows red. What do I do?").results
    assert any("unplug the small white box" in one.text for one in found)
    assert not any(one.earlier for one in found)


def test_what_repeats_a_value_and_adds_to_it_ends_nothing(memory: Memory) -> None:
    minutes(
        memory,
        (3, "The rate limit per API key is 120 requests a minute."),
        (9, "Documented today: the rate limit per API key is 120 requests a minute, burst 30."),
        title="Gateway",
    )
    found = asked(memory, "what is the rate limit per API key?").results
    assert found
    assert not any(one.earlier for one in found)


def test_a_later_fact_comes_before_a_talk_that_answers_as_well(memory: Memory) -> None:
    said = "How long do we keep label PDFs? Customers reprint up to two months later."
    memory.put(
        [
            Document(
                "talk",
                "sessions",
                messages=(
                    Message("user", said),
                    Message("assistant", "Then we keep label PDFs for 60 days."),
                ),
                kind="session",
                date=datetime(2026, 8, 24, tzinfo=UTC),
            )
        ]
    )
    memory.remember("We keep label PDFs for 90 days.", name="label retention")
    memory.models.embed()
    assert "90 days" in asked(memory, "how long do we keep label PDFs?").results[0].text


def test_a_later_note_that_may_be_of_the_same_thing_is_shown_beside_it(memory: Memory) -> None:
    """Its passage is about other things, so that it is not found by itself."""
    rows = [json.loads(line) for line in PASSING.read_text("utf-8").splitlines()]
    memory.put(
        Document(
            row["id"], "notes", row["text"], title=row["title"],
            date=datetime.fromisoformat(row["date"]).replace(tzinfo=UTC),
        )
        for row in rows
    )  # fmt: skip
    memory.models.embed()
    first, *others = asked(memory, "what's the working channel of the rescue boats?").results
    assert "VHF 37" in first.text
    assert any("VHF 72" in one.text for one in others)


def test_what_changed_twice_is_told_by_its_last_value(memory: Memory) -> None:
    minutes(
        memory,
        (1, "Roof is dry.\n\nDiesel for the jetty pump comes from Kolber Marine, Giles orders."),
        (6, "Fuel is dear.\n\nDiesel for the jetty pump is from Astrup Oils as of July."),
        (10, "No diesel three times.\n\nBack to Kolber for the jetty pump, Giles has ordered."),
        title="Committee",
    )
    first = asked(memory, "Who do we get diesel for the jetty pump from?").results[0]
    assert first.document == "10"
    assert [one.document for one in first.earlier] == ["6", "1"]


def test_a_report_about_a_service_replaces_nothing_that_is_said_of_it(memory: Memory) -> None:
    """That a value "went from 30 % to 95 %" is no turn, and the name of a service no topic."""
    copied = datetime(2026, 11, 1, tzinfo=UTC)
    table = "| Setting | Default |\n|---|---|\n| batch_size | 250 |\n| idle_timeout | 45 s |"
    health = "# ledger-svc\n\nHealth page: `https://ledger.internal/v1/health`, port 8443."
    memory.put(
        [
            Document(
                "ledger.md", "notes", f"{health}\n\n## Settings\n\n{table}", title="ledger-svc",
                date=copied, stamp=f"{int(1e9 * copied.timestamp())}:9",
            ),
            Document(
                "incident.md", "notes", title="INC-2201 ledger slow",
                text="# INC-2201 ledger slow\nDate: 2 October 2026, Sev 3\n\nCPU of ledger-svc "
                "went from 30 % to 95 % after the import. Restarted by Ravi.",
                date=datetime(2026, 10, 2, tzinfo=UTC),
            ),
        ]
    )  # fmt: skip
    memory.models.embed()
    first = asked(memory, "What port does ledger-svc use?").results[0]
    assert first.document == "ledger.md"
    assert "8443" in first.text
    assert not first.earlier


def test_what_says_the_same_is_not_told_as_what_held_before(memory: Memory) -> None:
    minutes(
        memory,
        (3, "Half plots pay 42 pounds a year."),
        (6, "Half plots pay 39 pounds a year now."),
        (9, "Half plots pay 39 pounds a year, as agreed."),
        title="Allotments",
    )
    first = asked(memory, "How much do half plots pay?").results[0]
    assert "39" in first.text
    assert [one.text for one in first.earlier] == ["Half plots pay 42 pounds a year."]


def test_what_was_in_force_on_a_day_is_not_followed_beyond_it(memory: Memory) -> None:
    minutes(
        memory,
        (1, "Roof is dry.\n\nDiesel for the jetty pump comes from Kolber Marine, Giles orders."),
        (6, "Fuel is dear.\n\nDiesel for the jetty pump is from Astrup Oils as of July."),
        (10, "No diesel three times.\n\nBack to Kolber for the jetty pump, Giles has ordered."),
        title="Committee",
    )
    question = "Who do we get diesel for the jetty pump from?"
    then = memory.search(question, as_of="2026-08-01", cache=False)
    assert then.results[0].document == "6"


@pytest.mark.parametrize(
    ("line", "is_head"),
    [
        ("Canal Works, board", True),
        ("Present: Mina Feld, Jean Abara", True),
        ("From: Warmwell service", True),
        ("The gate shuts at 21:30.", False),
    ],
)
def test_a_line_above_a_text_is_no_statement(line: str, is_head: bool) -> None:
    text = f"{line}\n\nFirst aid officer is Jean Abara."
    note = StoredPassage(
        1, "a:1", Passage(0, text), Document("a", "notes", title="Canal Works board")
    )
    one = Statement(Candidate(1, 1, 0.0, ()), note, 0, len(line))
    assert one.is_head == is_head


SERVICE = {
    "mail-api.md": (3, '# mail-api\n\nLogs: `{app="mail-api"}` in Loki.'),
    "split.md": (
        5,
        "# Two services\n\nSince the split mail-api only accepts, mail-worker sends now."
        " postman was switched off on 24 March.",
    ),
}


def test_what_is_said_later_of_the_same_service_replaces_nothing_else_of_it(
    memory: Memory, tmp_path: Path
) -> None:
    memory.add(written(tmp_path, SERVICE))
    first = asked(memory, "where are mail-api logs").results[0]
    assert "Loki" in first.text
    assert not any(one.earlier for one in asked(memory, "where are mail-api logs").results)


def test_a_command_is_replaced_by_no_sentence(memory: Memory, tmp_path: Path) -> None:
    command = "```\nkafka-offsets --group eta-calc --to 2026-05-01 --reset --execute\n```"
    notes = {
        "kafka.md": (2, f"Resetting the offsets of eta-calc is harmless:\n\n{command}"),
        "outage.md": (6, "The offsets of eta-calc were reset to zero instead of 40, now by hand."),
    }
    memory.add(written(tmp_path, notes))
    found = asked(memory, "reset the offsets of eta-calc")
    assert any("--execute" in one.text for one in found.results)
    assert not any("--execute" in e.text for one in found.results for e in one.earlier)


def test_what_else_the_document_of_a_replaced_value_says_stays(
    memory: Memory, tmp_path: Path
) -> None:
    notes = {
        "limits.md": (
            3,
            "The maximum upload size is 25 MB. The maximum upload size was decided by Haruka.",
        ),
        "gateway.md": (9, "The maximum upload size is 100 MB now."),
    }
    memory.add(written(tmp_path, notes))
    first, *others = asked(memory, "who decided the maximum upload size?").results
    assert "100 MB" in f"{first.text} {[one.text for one in others]}"
    assert any("Haruka" in one.text for one in (first, *others))


QUEUE = {
    "queue.md": (2, "# Queue\n\nThe queue runs on Redis. The maximum job size is 25 MB."),
    "moved.md": (5, "# Queue moved\n\nThe queue moved. The maximum job size is 40 MB now."),
}


def test_what_is_left_without_the_sentence_that_answered_is_only_possible(
    memory: Memory, tmp_path: Path
) -> None:
    memory.add(written(tmp_path, QUEUE))
    first, *others = asked(memory, "what is the maximum job size?").results
    assert "40 MB" in first.text
    assert [one.confidence <= in_force.POSSIBLE for one in others] == [True] * len(others)


def test_what_is_in_force_is_as_sure_as_what_it_replaced(memory: Memory, tmp_path: Path) -> None:
    memory.add(written(tmp_path, QUEUE))
    text = "what is the maximum job size?"
    found = memory.search(text, min_confidence=0.9, cache=False).results
    assert ["40 MB" in one.text for one in found] == [True]


def test_a_date_that_nothing_stands_under_is_not_shown(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Upload limits\n\n2026-03-04\n\n" + UPLOADS["limits.md"][1][:35]
    )
    (tmp_path / "b.md").write_text(
        f"# Gateway\n\nSince 3 September 2026: {UPLOADS['gateway.md'][1]}"
    )
    memory.add(tmp_path)
    found = asked(memory, "what is the maximum upload size?").results
    assert "100 MB" in found[0].text
    assert not any(one.text.strip().endswith("2026-03-04") for one in found)


def test_hours_did_not_turn_into_a_share(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "alerts.md": (2, "Alert: the disk of the store will fill in 4 h."),
        "drill.md": (6, "We filled the disk of the store to 98 %."),
    }
    memory.add(written(tmp_path, notes))
    found = asked(memory, "when will the disk of the store fill?")
    assert not any(one.earlier for one in found.results)


LETTER = (
    "We ask for your consent to an increase of the net rent from 612 euros"
    " to 655 euros a month as of 1 October {year}."
)


@pytest.mark.parametrize(
    ("proposed", "agreed", "question", "value"),
    [
        (LETTER, "The net rent is 634 euros a month.", "What is my net rent?", "634"),
        (
            "The plan is to move the group to building C as of 1 December {year}.",
            "The group stays in building A, the move was called off.",
            "Which building is the group in?",
            "building A",
        ),
        (
            "Not decided: who pays for the sequencing of the jars. To be asked again.",
            "Sequencing of the jars: Aylin pays.",
            "Who is paying for the sequencing of the jars?",
            "Aylin",
        ),
        (
            "Open: who gives the key to the cleaner?",
            "The cleaner gets the key from Ole.",
            "Who gives the cleaner the key?",
            "Ole",
        ),
    ],
)
def test_what_came_of_a_proposal_or_an_open_question_is_told_first(
    memory: Memory, tmp_path: Path, proposed: str, agreed: str, question: str, value: str
) -> None:
    notes = {"a.md": (3, proposed.format(year=2026)), "b.md": (6, agreed)}
    memory.add(written(tmp_path, notes))
    assert value in asked(memory, question).results[0].text


def test_a_proposal_replaces_nothing(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "a.md": (3, "The net rent is 612 euros a month."),
        "b.md": (6, LETTER.format(year=2026)),
    }
    memory.add(written(tmp_path, notes))
    found = asked(memory, "What is my net rent?").results
    assert not any("The net rent is 612" in e.text for one in found for e in one.earlier)


@pytest.mark.parametrize(
    ("holds", "idle", "question"),
    [
        (
            "The upload limit is 30 MB.",
            "I wish the upload limit were 50 MB.",
            "what is the upload limit?",
        ),
        (
            "The upload limit is 30 MB.",
            "We decided against raising the upload limit to 50 MB.",
            "what is the upload limit?",
        ),
        (
            "The upload limit is 30 MB.",
            "With the new gateway the upload limit could be 50 MB if we paid more.",
            "what is the upload limit?",
        ),
        (
            "The upload limit is 30 MB.",
            "Ben suggested raising the upload limit to 50 MB.",
            "what is the upload limit after raising?",
        ),
        (
            "The choir rehearses on Tuesday in the school hall.",
            "Should the choir rehearse on Friday in the school hall?",
            "when does the choir rehearse in the school hall?",
        ),
        (
            "Die Miete der Werkstatt beträgt 400 Euro.",
            "Der Vorschlag, die Miete der Werkstatt auf 450 Euro zu erhöhen, wurde abgelehnt.",
            "Wie hoch ist die Miete der Werkstatt?",
        ),
    ],
)
def test_what_is_asked_wished_supposed_or_refused_replaces_nothing(
    memory: Memory, tmp_path: Path, holds: str, idle: str, question: str
) -> None:
    memory.add(written(tmp_path, {"a.md": (3, holds), "b.md": (6, idle)}))
    answer = asked(memory, question)
    assert answer.results[0].path == "a.md"
    assert not any(one.earlier for one in answer.results)


@pytest.mark.parametrize(
    ("before", "now", "question"),
    [
        ("Postgres is our database.", "CockroachDB is our database.", "what is our database?"),
        ("The database is Postgres.", "The database is now CockroachDB.", "what is the database?"),
        (
            "Monday is our release day.",
            "Thursday is our release day.",
            "which is our release day?",
        ),
        (
            "Postgres es nuestra base de datos.",
            "CockroachDB es nuestra base de datos.",
            "¿Cuál es nuestra base de datos?",
        ),
    ],
)
def test_a_name_that_a_sentence_begins_with_is_a_value(
    memory: Memory, tmp_path: Path, before: str, now: str, question: str
) -> None:
    memory.add(written(tmp_path, {"a.md": (3, before), "b.md": (6, now)}))
    first = asked(memory, question).results[0]
    assert (first.path, [one.text for one in first.earlier]) == ("b.md", [before])


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("Ana is on the billing team.", "Ben is on the billing team.", "who is on the team?"),
        ("Mira is a nurse.", "Leo is a nurse.", "who is a nurse?"),
    ],
)
def test_of_several_who_are_the_same_none_replaces_another(
    memory: Memory, tmp_path: Path, one: str, other: str, question: str
) -> None:
    memory.add(written(tmp_path, {"a.md": (3, one), "b.md": (6, other)}))
    assert not any(result.earlier for result in asked(memory, question).results)


def test_what_a_title_names_is_asked_of_no_other(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "a.md": (3, "# Gateway\n\nThe owner is Ana."),
        "b.md": (6, "# Billing\n\nThe owner is Ben."),
    }
    memory.add(written(tmp_path, notes))
    first = asked(memory, "who is the owner of the gateway?").results[0]
    assert (first.path, first.earlier) == ("a.md", ())


def test_a_number_that_is_no_price_is_no_earlier_price(memory: Memory) -> None:
    memory.add(SAMPLES)
    first = asked(memory, "price of Basic").results[0]
    assert first.path == "team/pricing-change-2026-03.md"
    assert ["$49" in one.text for one in first.earlier] == [True]


def test_a_dated_line_of_a_log_is_shown_beside_a_note_that_was_copied(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "mail-api.md").write_text("# mail-api\n\n- rate limit per tenant: 200 a minute\n")
    lines = [f"- {day} Sep: pool {day} was moved to node {day}" for day in range(2, 28)]
    log = "\n".join(["# Changes 2026", *lines, "- 1 Oct: mail-api rate limit per tenant is 300"])
    (tmp_path / "changes.md").write_text(log)
    memory.add(tmp_path)
    found = asked(memory, "what is the mail-api rate limit per tenant?")
    assert any("300" in one.text for one in found.results)


# ------------------------------------------------------------------ what is on record


def curated(memory: Memory, *said: tuple[int, str]) -> None:
    """Curates what a person said, each in a month of 2026, and keeps it as a note as well."""
    for month, text in said:
        then = datetime(2026, month, 3, tzinfo=UTC)
        memory.curate(text, date=then, speaker="user", note=True, source="chats")


COFFEE = (
    (2, "I drink coffee every morning."),
    (6, "I switched from coffee to green tea."),
)


def test_a_note_gives_way_where_the_fact_that_was_read_from_it_was_replaced(memory: Memory) -> None:
    curated(memory, *COFFEE)
    found = asked(memory, "What does the user drink in the morning now?").results
    assert "green tea" in found[0].text
    (earlier,) = found[0].earlier
    assert earlier.text == COFFEE[0][1]
    assert f"{earlier.until:%Y-%m}" == "2026-06"
    assert not any("every morning" in one.text for one in found if "green tea" not in one.text)


def test_what_was_replaced_is_shown_where_the_past_is_asked_about(memory: Memory) -> None:
    curated(memory, *COFFEE)
    found = asked(memory, "What did the user use to drink in the morning?").results
    assert any("coffee every morning" in one.text for one in found)
    march = memory.search("What does the user drink in the morning?", as_of="2026-03-01")
    assert any("coffee every morning" in one.text for one in march.results)
    assert not march.results[0].earlier


def test_what_else_a_text_says_stays_when_one_sentence_of_it_was_replaced(memory: Memory) -> None:
    first = "I drink coffee every morning. I take my coffee with oat milk from the corner shop."
    curated(memory, (2, first), COFFEE[1])
    found = asked(memory, "Which milk does the user take with coffee?").results
    assert any("oat milk" in one.text for one in found)


def test_what_replaced_it_and_may_not_be_seen_hides_nothing(memory: Memory) -> None:
    then = datetime(2026, 2, 3, tzinfo=UTC)
    memory.curate(COFFEE[0][1], date=then, speaker="user", note=True, source="chats")
    later = datetime(2026, 6, 3, tzinfo=UTC)
    memory.curate(COFFEE[1][1], date=later, speaker="user", note=True, source="chats", owner="ben")
    found = asked(memory, "What does the user drink in the morning now?").results
    assert "coffee every morning" in found[0].text


def test_a_fact_that_somebody_wrote_in_its_place_is_told(memory: Memory) -> None:
    curated(memory, COFFEE[0])
    (fact,) = memory.facts().items
    memory.remember("In the morning the user drinks mate", replace=True, id=fact.id)
    found = asked(memory, "What does the user drink in the morning now?").results
    assert "mate" in found[0].text


def test_what_a_page_still_says_ends_nothing(memory: Memory) -> None:
    curated(
        memory,
        (2, "Our pricing is 29 dollars per month."),
        (6, "We raised the price to 39 dollars per month."),
    )
    for text in ("What is the price now?", "What is the price?", "what do we charge per month"):
        for one in asked(memory, text).results:
            assert not any("39 dollars" in earlier.text for earlier in one.earlier)


def test_what_else_was_replaced_may_be_met_while_the_heir_is_looked_for(memory: Memory) -> None:
    """In a store of many texts a question does not meet every fact."""
    curated(memory, *COFFEE)
    words = "Crossword: switched, green, tea, coffee, switched, green, tea."
    memory.remember(words, name="crossword")
    memory.remember("Crossword: lemon.", name="crossword", replace=True)
    said = "In the morning the user drinks water, day {}."
    memory.put([Document(f"n{n}", "log", text=said.format(n)) for n in range(500)])
    memory.models.embed()
    found = asked(memory, "What does the user drink in the morning now?")
    assert not found.degraded
    assert "green tea" in found.results[0].text
    assert [one.text for one in found.results[0].earlier] == [COFFEE[0][1]]
