"""Questions of time: what they ask of it, and what comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Document, Memory, Message
from recollect.errors import UsageError
from recollect.surfaces import headlines, render
from recollect.surfaces.terminal import Style
from recollect.testing.builders import note, session
from recollect.text.questions import time_route as time_route_module
from recollect.text.questions.time_route import time_route, written_out
from recollect.text.questions.time_rules import RULES
from recollect.text.questions.when import window
from recollect.text.statements.cues import beginnings, cued

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)

ROUTES = {
    "first": [
        "When did we first talk about Redis?",
        "When did the umlaut problem in the invoices first come up?",
        "first mention of DeepSeek in our sessions?",
        "What was our first remedy when the worker needed too much memory?",
        "How did we think of getting there at first?",
        "Wann haben wir zum ersten Mal über Redis gesprochen?",
        "Womit haben wir beim Umbau angefangen?",
        "¿Cuándo hablamos por primera vez de Redis?",
        "Quand avons-nous parlé de Redis pour la première fois ?",
        "когда мы впервые обсуждали Redis",
        "我们第一次讨论 Redis 是什么时候",
    ],
    "last": [
        "When did we last touch the billing code?",
        "When did the user last visit Rome?",
        "the last time backups got mentioned at all, when was that",
        "Wann haben wir zuletzt am Abrechnungscode gearbeitet?",
        "¿Cuándo fue la última vez que tocamos la facturación?",
        "Quand avons-nous parlé du budget pour la dernière fois ?",
    ],
    "state": [
        "Where do things stand with the importer?",
        "What's the latest status of PAY-7?",
        "is the flaky timezone test fixed yet?",
        "how is the migration coming along",
        "Who is the present caretaker?",
        "What does the user currently think of sushi?",
        "What is the user's marital status now?",
        "how far is the canoe",
        "Wie ist der Stand beim Importer?",
        "¿Cómo va la migración a Postgres?",
        "où en est la migration ?",
    ],
    "leave-off": [
        "Where did we leave off?",
        "what did we do in the last session",
        "I want to go on with the validator. Where were we?",
        "Where were we in the migration?",
        "where were we last time",
        "What was I going to do next on the thesis?",
        "Wo sind wir bei der Migration stehen geblieben?",
        "¿En qué quedamos con el importador?",
        "Qu'avons-nous fait lors de la dernière session ?",
        "上次我们聊到哪里了？",
    ],
    "since": [
        "since when has the login timeout been a problem",
        "How long have we been waiting for the permit?",
        "When did the nightly job start failing?",
        "Seit wann brummt die Wärmepumpe?",
        "¿Desde cuándo usamos Terraform?",
        "Depuis combien de temps l'ascenseur est-il en panne ?",
    ],
    "before": [
        "What did we use before we moved to Postgres?",
        "Was hatten wir vor Terraform im Einsatz?",
        "¿Qué usábamos antes de pasar a Postgres?",
    ],
    "after": [
        "What did we change right after the outage?",
        "After the outage, what did we change in the deploy script?",
        "After the outage what was changed?",
        "Woran haben wir nach dem Ausfall gearbeitet?",
        "¿Qué cambiamos después de la caída?",
    ],
    "in-period": [
        "what did we work on in February",
        "what did we decide in Q1?",
        "Where were we in August?",
        "Where were we on holiday last summer?",
        "What was decided about auth between March 3 and March 9?",
        "What were we busy with in the second week of May?",
        "Was haben wir im August gemacht?",
        "¿Qué hicimos en febrero?",
    ],
    "how-often": [
        "how often did the backup fail",
        "In how many sessions did we fight with the test?",
        "Wie oft ist das Backup fehlgeschlagen?",
        "¿Cuántas veces falló la copia de seguridad?",
        "Combien de fois la sauvegarde a-t-elle échoué ?",
    ],
    "when": ["when did we switch to Postgres?", "Wann ist die Miete fällig?"],
    "none": [
        "",
        "Where did I leave my keys?",
        "What present could I buy Priya?",
        "What is the present for Priya?",
        "where were we going on vacation?",
        "the current state of the art in OCR",
        "Ich habe mit dem Rauchen aufgehört",
        "which checks run before the merge?",
        "how often does the backup run?",
        "Wie oft läuft das Backup?",
        "what should I do before pushing to main?",
        "Who has to be told before a planned failover, and how early?",
        "Which papers must be signed before the renovated flat is let?",
        "will we be repaid for the lost sales after the flood?",
        "Which forms does a guest need before the visit?",
        "How much pain did she report the night before last?",
        "the printer jams, what now?",
        "What should I do now?",
        "Was mache ich jetzt?",
        "What was the yield of the oats after 7 days?",
        "Wie hoch war der Verlust nach drei Tagen?",
        "What is the last name of our landlord?",
        "Who is the first aid officer at Canal Works?",
        "Who is our first contact for damage?",
        "What is the first step of the release?",
        "when does the first aid course start?",
        "What was the last mile provider?",
        "Wer ist die erste Hilfe für Schäden?",
        "the difference between a table and a view",
        "What did we decide about retries?",
        "deploy script",
    ],
}


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in ROUTES.items() for text in texts]
)
def test_a_question_says_what_it_asks_of_time(kind: str, text: str) -> None:
    assert time_route(text, window(text, NOW)).kind == kind


@pytest.mark.parametrize(
    ("text", "topic", "event"),
    [
        ("where did we leave off with the importer last time?", "importer", ""),
        ("since when has the login timeout been a problem", "login timeout", ""),
        ("When did I mention the idea of giving a talk for the first time?",
         "idea of giving a talk", ""),
        ("What was decided about auth in February?", "auth", ""),
        ("What did we work on in February?", "", ""),
        ("latest status of the session store", "session store", ""),
        ("What did you recommend last?", "recommend", ""),
        ("What did you last advise me?", "advise", ""),
        ("What did we do last?", "", ""),
        ("What did we talk about last?", "", ""),
        ("What does the user currently think of sushi?", "think of sushi", ""),
        ("What's the current price of the basic plan?", "price of the basic plan", ""),
        ("what's the latest status of PAY-7?", "status of PAY-7", ""),
        ("After the outage, what did we change in the deploy script?", "deploy script", "outage"),
        ("Wo sind wir bei der Migration stehen geblieben?", "Migration", ""),
        ("¿Dónde lo dejamos con el despliegue?", "despliegue", ""),
    ],
)  # fmt: skip
def test_the_topic_has_none_of_the_words_that_ask_for_the_time(
    text: str, topic: str, event: str
) -> None:
    route = time_route(text, window(text, NOW))
    assert (route.topic, route.event) == (topic, event)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("which queue runs the label jobs now?", "now"),
        ("Who is my contact person at Helix Pharma now?", "now"),
        ("Who is our current landlord?", "current"),
        ("When did we first see duplicate labels?", "first"),
        ("Wer betreut das Archiv jetzt?", "jetzt"),
        ("Who was the first caretaker?", "Who was the first"),
    ],
)
def test_the_words_are_told_that_ask_for_the_time(text: str, said: str) -> None:
    assert time_route(text, window(text, NOW)).said == said


def test_a_question_about_now_is_as_sure_as_it_is_without_the_word(keyword_memory: Memory) -> None:
    keyword_memory.put([note("price", "Our pricing is 29 dollars per month.", source="notes")])
    plain, now = (
        keyword_memory.search(text)
        for text in ("What is the pricing per month?", "What is the current pricing per month?")
    )
    assert plain.results
    assert now.confidence == plain.confidence
    assert now.results[0].document == plain.results[0].document


@given(st.text())
def test_no_text_raises(text: str) -> None:
    time_route(text, window(text, NOW))


@pytest.mark.parametrize("text", [text for texts in ROUTES.values() for text in texts])
def test_no_rule_matches_without_one_of_its_cues(text: str) -> None:
    for rule in filter(lambda rule: rule.cues, RULES):
        if re.search(rf"(?<![\w-])(?:{'|'.join(written_out(rule))})", text.lower()):
            assert not beginnings(text.lower()).isdisjoint(cued(rule.cues)), rule.kind


@pytest.mark.parametrize("text", [text for texts in ROUTES.values() for text in texts])
def test_a_rule_finds_the_same_with_the_ways_to_ask_that_have_a_cue(text: str) -> None:
    lower = text.lower()
    for rule in filter(lambda rule: rule.cues and rule.asks, RULES):
        here = frozenset(beginnings(lower) & cued(rule.cues))
        every = re.search(rf"(?<![\w-])(?:{'|'.join(written_out(rule))})", lower)
        some = time_route_module._compiled(rule, here).search(lower) if here else None
        assert (some and some.span()) == (every and every.span()), rule.kind


# ------------------------------------------------------------------ what comes first


def day(month: int, number: int) -> datetime:
    return datetime(2026, month, number, 9, tzinfo=UTC)


def talk(id: str, date: datetime, *said: str) -> Document:
    roles = ("user", "assistant")
    messages = tuple(
        Message(roles[n % 2], text, f"{id}-{n}", date + timedelta(minutes=n))
        for n, text in enumerate(said)
    )
    return Document(id, "talks", messages=messages, kind="session", date=date)


TALKS = (
    talk("passing", day(1, 5), "Paint the shed green.", "Done.", "By the way, the importer exists.",
         "I know.", *["Now the fence.", "Which colour?", "Brown, like the gate.", "Ordered."] * 3),
    talk("begin", day(2, 3), "The importer drops rows with umlauts.", "The importer reads Latin-1.",
         "Fix the importer.", "The importer reads UTF-8 now."),
    talk("middle", day(4, 7), "The importer is slow.", "The importer sorts twice.",
         "Sort once in the importer.", "Done, the importer takes a minute."),
    talk("late", day(9, 9), "The importer fails on empty files.", "The importer wants a header.",
         "Skip empty files in the importer.", "The importer skips them; the tests are left to do."),
    talk("other", day(10, 1), "Book a train to Lisbon.", "There is one at nine.", "Take it."),
)  # fmt: skip
NOTE = Document(
    "note", "notes", "The importer was planned in winter.", title="Importer", date=day(1, 2)
)


@pytest.fixture
def talks(keyword_memory: Memory) -> Memory:
    """A store that is searched by words alone, so that what is found can be told."""
    keyword_memory.put([*TALKS, NOTE])
    return keyword_memory


def first(talks: Memory, text: str, **options: Any) -> list[str]:
    return [one.document for one in talks.search(text, now=NOW, **options).results]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did we first talk about the importer?", "begin"),
        ("since when have we had trouble with the importer?", "begin"),
        ("Where do things stand with the importer?", "late"),
        ("Wo sind wir beim importer stehen geblieben?", "late"),
        ("¿Cuándo hablamos por última vez del importer?", "late"),
        ("What did we do about the importer in April?", "middle"),
    ],
)
def test_what_speaks_of_the_topic_comes_in_the_order_of_time(
    talks: Memory, text: str, expected: str
) -> None:
    assert first(talks, text)[0] == expected
    hits: Any = talks.sessions(text, now=NOW)
    assert hits.hits[0].session.session_id == expected


def test_a_passing_mention_is_no_session_about_it(talks: Memory) -> None:
    found = first(talks, "When did we first talk about the importer?")
    assert found[0] == "begin"
    assert "passing" not in found[1:3]


def test_of_a_name_the_first_mention_is_the_first(talks: Memory) -> None:
    fence = ["Now the fence.", "Which colour?", "Brown, like the gate.", "Ordered."] * 3
    passing = ["Paint the gate.", "Done.", "Which lines are there?", "Hapag and CMA.", *fence]
    about = [
        "The Hapag contract is late.",
        "Hapag wants a signature.",
        "Ask Hapag.",
        "Hapag signs.",
    ]
    talks.put([talk("mention", day(3, 1), *passing), talk("about", day(6, 1), *about)])
    assert first(talks, "When did we first talk about Hapag?") == ["mention", "about"]
    assert first(talks, "When did we first talk about hapag?") == ["mention", "about"]
    assert first(talks, "Where do things stand with Hapag?")[0] == "about"


def test_what_is_not_in_the_order_of_time_is_told(talks: Memory) -> None:
    text = "Where did we leave off with the importer?"
    found = talks.search(text, now=NOW)
    assert first(talks, text) == ["late", "middle", "begin", "note", "passing"]
    assert any("newest first, the last 2 only come near it" in hint for hint in found.hints)
    hits: Any = talks.sessions(text, now=NOW, limit=4)
    assert ["time" in hit.evidence for hit in hits.hits] == [True, True, True, False]
    assert "newest first are 3 of these; the others only come near the topic" in hits.notes


def test_what_hardly_answers_comes_behind_what_does(tmp_path: Path) -> None:
    others = (
        "The van goes to the workshop on Friday.",
        "Coffee costs 40 ct from now on.",
        "The technician of the lift comes on Monday.",
        "Our group meeting moves to Thursday.",
    )
    notes = [note(f"n{at}", text, date=day(4, at)) for at, text in enumerate(others, 1)]
    told = (
        "Last working day of Mia before her leave."
        " Until she is back the technician is Benedikt Aue, half time."
    )
    typo = [
        "Plot CO2 of the 48 jars over time. Why does jar 31 look so strange?",
        "Jar 31 has twice the mean on day 9. I suggest removing it.",
        "Don't remove it. It was Benedikt's typo: he wrote day 6 into day 9.",
        "Done, all 48 jars are kept.",
    ]
    with Memory.open(tmp_path / "store") as memory:
        memory.put([talk("typo", day(3, 1), *typo), note("leave", told, date=day(9, 3)), *notes])
        found = memory.search("Since when is Benedikt our technician?", now=NOW)
    assert found.results[0].document == "leave"
    assert headlines.answered(found) == "since 2026-09-03"


def test_a_question_of_what_we_did_is_answered_by_sessions(talks: Memory) -> None:
    assert first(talks, "first mention of the importer?")[0] == "note"
    assert first(talks, "When did we first mention the importer?")[0] == "begin"


def test_a_period_is_a_filter(talks: Memory) -> None:
    assert first(talks, "What did we do about the importer in April?") == ["middle"]
    assert first(talks, "What did we work on in April?") == ["middle"]
    assert first(talks, "What did we work on in spring?") == ["middle"]
    assert first(talks, "How often did the importer fail this autumn?") == ["late"]
    assert first(talks, "what did we work on between February and April?") == ["begin", "middle"]


def test_the_time_of_a_copied_file_is_not_the_latest_of_what_is_dated(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "old.md").write_text("# Plan\n\nThe boathouse key is with Ana.\n")
    (tmp_path / "2026-08-11.md").write_text("The boathouse key is with Bo.\n")
    keyword_memory.add(tmp_path)
    found = keyword_memory.search("Where do things stand with the boathouse key?", now=NOW)
    assert [one.path for one in found.results] == ["2026-08-11.md", "old.md"]


LOG = """# Club log

## 2026-09-08
- The boathouse gets a new lock.
- Regatta fees are paid.

## 2026-08-11
- The boathouse roof leaks: the roofer comes on Friday.

## 2026-07-14
- The boathouse is rented out to the scouts for a week.
"""


def test_of_a_log_the_entries_of_the_period_are_shown(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "log.md").write_text(LOG)
    keyword_memory.add(tmp_path)
    keyword_memory.put([talk("later", day(10, 5), "What of the boathouse?", "Boathouse is sold.")])
    found = keyword_memory.search("What did we decide about the boathouse in August?", now=NOW)
    (one,) = found.results
    assert (one.path, one.date) == ("log.md", datetime(2026, 8, 11, tzinfo=UTC))
    assert "roof" in one.text
    assert "lock" not in one.text
    assert "scouts" not in one.text


def daily(days: int, said: Sequence[str]) -> str:
    """A log with an entry a day, up to the last of January 2026."""
    first = datetime(2026, 1, 31, tzinfo=UTC) - timedelta(days=days - 1)
    every = [(first + timedelta(days=n), said[n % len(said)]) for n in range(days)]
    return "\n\n".join(f"## {date:%Y-%m-%d}\n\n{text}" for date, text in every)


MILL = ("The bearings of the elevator are new.", "Rye came from the Hansen farm.", "A power cut.")
QUAY = ("The crane stood still.", "The bollards are painted.", "A storm took the pontoon.")


@pytest.mark.parametrize("days", [60, 900], ids=["months", "years"])
@pytest.mark.parametrize("name", ["Brookside mill", "Northquay harbour"])
def test_of_a_long_log_the_whole_month_is_shown(
    keyword_memory: Memory, tmp_path: Path, name: str, days: int
) -> None:
    logs = {"Brookside mill": MILL, "Northquay harbour": QUAY}
    for title, said in logs.items():
        (tmp_path / f"{title}.md").write_text(f"# Log of the {title}\n\n{daily(days, said)}\n")
        (tmp_path / f"{title} plan.md").write_text(f"# Plan\n\nThe {title} gets a new roof.\n")
    keyword_memory.add(tmp_path)
    asked = f"What happened at the {name} in January 2026?"
    found = keyword_memory.search(asked, now=NOW, budget=5000)
    assert found.results[0].path == f"{name}.md"
    text = found.results[0].text
    assert [f"2026-01-{day:02}" in text for day in range(1, 32)] == [True] * 31
    assert "2025-" not in text


def test_what_is_from_another_time_than_a_period_that_is_over_is_possible_at_most(
    talks: Memory,
) -> None:
    told = "In March we decided that the boathouse is sold."
    talks.put([talk("tells", day(10, 20), told, "Noted.")])
    found = talks.search("What did we decide about the importer in May?", now=NOW)
    assert all(one.confidence < 0.5 for one in found.results)
    assert any(hint.startswith("nothing from then speaks of “importer”") for hint in found.hints)
    found = talks.search("What did we decide about the boathouse in March?", now=NOW)
    assert found.results[0].document == "tells"
    assert not any(hint.startswith("nothing from then") for hint in found.hints)


@pytest.mark.parametrize("hours", [-10, -5, 0, 9, 13])
def test_a_day_is_that_of_who_asks(keyword_memory: Memory, hours: int) -> None:
    """A note has a date without a time, a session has the moment it began."""
    zone = timezone(timedelta(hours=hours))
    now = datetime(2026, 11, 16, 21, tzinfo=zone)
    dates = {f"note {number}": datetime(2026, 11, number, tzinfo=UTC) for number in (15, 16, 17)}
    text = "The fence is painted."
    keyword_memory.put(Document(name, "notes", text, date=date) for name, date in dates.items())
    began = {"early": now.replace(hour=1), "late": now.replace(hour=20)}
    keyword_memory.put(talk(name, date, "Paint the fence.") for name, date in began.items())

    def found(text: str) -> set[str]:
        return {one.document for one in keyword_memory.search(text, now=now, limit=9).results}

    assert found("What happened today?") == {"note 16", "early", "late"}
    assert found("What happened yesterday?") == {"note 15"}
    assert found("What did we do about the fence yesterday?") == {"note 15"}
    assert found("What did we do about the fence today?") == {"note 16", "early", "late"}


def test_where_nothing_of_a_period_speaks_of_the_topic_it_says_so_and_names_what_there_is(
    talks: Memory,
) -> None:
    found = talks.search("What did we decide about the xylophone in April?", now=NOW)
    assert (found.status, found.results) == ("no_results", ())
    assert [one.document for one in found.named] == ["middle"]
    said = "nothing from then speaks of “xylophone”: “in April” is 2026-04-01 to 2026-05-01"
    assert said in found.hints


def test_where_nothing_is_from_a_period_it_says_so(talks: Memory) -> None:
    found = talks.search("What did we work on in March?", now=NOW)
    assert (found.status, found.results) == ("no_results", ())
    assert any(hint.startswith("nothing is from then") for hint in found.hints)


def test_what_only_has_the_words_of_a_period_is_not_sure(talks: Memory) -> None:
    talks.put([talk("later", day(10, 2), "What about a half marathon in winter?", "In Hannover.")])
    found = talks.search("What did we do last winter?", now=day(10, 5).replace(year=2027))
    assert found.results[0].document == "later"
    assert (found.status, found.confidence < 0.5) == ("needs_synthesis", True)
    assert any(hint.startswith("nothing is from then") for hint in found.hints)


def test_a_person_reads_the_date_first(talks: Memory) -> None:
    found = talks.search("When did we first talk about the importer?", now=NOW)
    lines = render.answer(found, Style(False)).splitlines()
    assert lines[1] == "first 2026-02-03"
    often = talks.search("How often did we talk about the importer?", now=NOW)
    assert "told of on 2026-09-09, 2026-04-07, 2026-02-03" in render.answer(often, Style(False))


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("Miso the cat was born in spring 2013.", "When was Miso the cat born?", ""),
        ("The lease was signed in March 2026.", "When was the lease signed?", ""),
        (
            "The permit was granted on 3 March 2026.",
            "When was the permit granted?",
            "on 2026-03-03",
        ),
        ("The bridge was shut from 3 May 2026 to 9 May 2026.", "When was the bridge shut?", ""),
        ("The attic was insulated with wool.", "When was the attic insulated?", ""),
        ("The boiler was serviced in March 2025.", "When did we last service the boiler?", ""),
        ("Our next audit is on 14 May 2099.", "When was our last audit?", ""),
        (
            "The roof was mended on 3 March 2026.",
            "When did we last mend the roof?",
            "last 2026-03-03",
        ),
    ],
)
def test_when_a_fact_was_kept_is_not_when_it_was(
    keyword_memory: Memory, text: str, question: str, said: str
) -> None:
    keyword_memory.remember(text)
    assert headlines.answered(keyword_memory.search(question)) == said


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("2026-05-04-walk.md", "# Walk\n\nWe painted the hull of the boat.", "on 2026-05-04"),
        ("log.md", "# Log\n\n## 2026-06-15\n\nWe painted the hull of the boat.", "on 2026-06-15"),
        ("boat.md", "# Boat\n\nWe painted the hull of the boat.", ""),
        ("adr/0001-hull.md",
         "# ADR 1: Paint the hull of the boat\nDate: 2026-05-04\nStatus: Accepted\n\n"
         "## Decision\nThe hull of the boat is painted.", ""),
    ],
)  # fmt: skip
def test_when_something_was_is_told_by_what_says_it(
    keyword_memory: Memory, tmp_path: Path, name: str, text: str, said: str
) -> None:
    file = tmp_path / "notes" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    keyword_memory.add(tmp_path / "notes")
    found = keyword_memory.search("when did we paint the hull of the boat?")
    assert found.status == "direct_passages"
    assert headlines.answered(found) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Planned: cutover on Thursday 1 October; Redis is cancelled at the end of October.",
         "on 2026-10-01"),
        ("The cutover was on 1 March 2026.", "on 2026-03-01"),
        ("The cutover is planned for October 2026.", ""),
        ("Redis is cancelled on 3 October, the cutover is at the end of October.", ""),
        ("The cutover is planned for 14 to 16 September.", ""),
        ("The cutover is planned for 14-16 September 2026.", ""),
        ("The cutover was on Saturday.", ""),
        ("The cutover was yesterday.", "on 2026-09-28"),
        ("Done with the cutover.", "on 2026-09-29"),
    ],
)  # fmt: skip
def test_the_day_of_a_session_is_not_told_where_the_sentence_names_another_time(
    keyword_memory: Memory, text: str, said: str
) -> None:
    keyword_memory.put([talk("talk", datetime(2026, 9, 29, tzinfo=UTC), "Go on.", text)])
    found = keyword_memory.search("When was the cutover?", now=NOW)
    assert found.status == "direct_passages"
    assert headlines.answered(found) == said


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("Der Kaminkehrer kommt am 12. November.", "Wann kommt der Kaminkehrer?", "on 2026-11-12"),
        ("The plumber was here on 9 November.", "When was the plumber here?", "on 2026-11-09"),
        ("The plumber was here.", "When was the plumber here?", "on 2026-10-05"),
    ],
)
def test_the_day_of_a_sentence_counts_before_that_of_the_heading_above_it(
    keyword_memory: Memory, tmp_path: Path, text: str, question: str, said: str
) -> None:
    (tmp_path / "2026-10-05.md").write_text(f"# 5 October\n\n{text}\n")
    keyword_memory.add(tmp_path)
    assert headlines.answered(keyword_memory.search(question, now=NOW)) == said


@pytest.mark.parametrize("ends", ["take place", "happen"])
def test_the_verb_of_a_question_that_asks_when_is_not_looked_for(
    keyword_memory: Memory, ends: str
) -> None:
    cutover = talk("cutover", day(9, 2), "Third cutover in Krems at last.", "Done.")
    place = talk("place", day(8, 2), f"Let us {ends} our hats in Krems.", "Fine.")
    keyword_memory.put([cutover, place])
    found = keyword_memory.search(f"When did the third cutover in Krems {ends}?", now=NOW)
    assert found.results[0].document == "cutover"
    assert headlines.answered(found) == "on 2026-09-02"
    assert not any(ends.split()[-1] in hint for hint in found.hints)


def test_what_does_not_answer_has_no_date(keyword_memory: Memory) -> None:
    talked = talk("talk", day(10, 1), "Tom proposes Svelte for the dashboard. Nothing is decided.")
    keyword_memory.put([talked])
    found = keyword_memory.search("when did we switch from Vue to Svelte in production?")
    assert found.status == "needs_synthesis"
    assert headlines.answered(found) == ""


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("what did we work on in 2025?", ["2025-11"]),
        ("woran haben wir im Jahr 2025 gearbeitet?", ["2025-11"]),
        ("¿en qué trabajamos en febrero?", ["2026-02"]),
        ("qu'avons-nous fait en février ?", ["2026-02"]),
        ("was haben wir im Februar gemacht?", ["2026-02"]),
    ],
)
def test_what_was_done_in_a_period_is_listed_in_other_languages_and_years(
    tmp_path: Path, question: str, months: list[str]
) -> None:
    for day, text in (
        ("2025-11-03", "The kiln was rebuilt."),
        ("2026-02-05", "The shed got a new roof."),
        ("2026-04-09", "The fence was painted."),
    ):
        (tmp_path / f"{day}.md").write_text(f"{text}\n", encoding="utf-8")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path)
        now = datetime(2026, 9, 29, tzinfo=UTC)
        found = memory.search(question, cache=False, now=now).results
    assert [f"{one.date:%Y-%m}" for one in found] == months


def test_a_period_without_dates_has_no_say(talks: Memory) -> None:
    found = talks.search("What did we do about the importer at Easter?", now=NOW)
    plain = talks.search("What did we do about the importer at Easter?", now=NOW, sort="relevance")
    assert found.time is not None
    assert found.time.kind == "in-period"
    assert [one.id for one in found.results] == [one.id for one in plain.results]


def test_without_a_topic_the_latest_session_comes_first(talks: Memory) -> None:
    assert first(talks, "What did we do in the last session?")[0] == "other"
    assert first(talks, "Where did we leave off?")[0] == "other"


def test_what_somebody_did_last_is_no_list_of_the_newest(talks: Memory) -> None:
    talks.remember("The spare key is with Ana.", created_at=NOW)
    assert first(talks, "What did you sort last?")[0] == "middle"
    assert first(talks, "What did you juggle last?") == []
    assert first(talks, "What did you tell me last?")[0] == "other"
    assert first(talks, "What did we do last?")[0] == "other"


def test_the_last_exchange_tells_where_it_was_left(keyword_memory: Memory) -> None:
    said = ["Port the jobs.", "The schema is applied.", "Go on.", "Two of three jobs are ported.",
            "ok tomorrow. gotta go"]  # fmt: skip
    keyword_memory.put([talk("late", day(10, 2), *said)])
    shown = keyword_memory.search("Where did we leave off?", now=NOW).results[0].text
    assert "Two of three jobs are ported." in shown
    assert "ok tomorrow. gotta go" in shown
    assert "The schema is applied." not in shown


def test_without_a_topic_the_first_session_is_the_first_of_all(keyword_memory: Memory) -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    dates = {f"talk {n}": began + timedelta(hours=n) for n in range(12)}
    keyword_memory.put(
        talk(name, date, "Paint the fence.", "Done.") for name, date in dates.items()
    )
    hits: Any = keyword_memory.sessions("What was the first session?", now=NOW, limit=2)
    assert [hit.session.session_id for hit in hits.hits] == ["talk 0", "talk 1"]
    assert "it names nothing to look for, so these are the first sessions" in hits.notes


def test_the_sessions_of_a_period_are_counted_and_those_left_out_are_told(
    keyword_memory: Memory,
) -> None:
    dates = {f"talk {n}": day(3, 1) + timedelta(days=6 * n) for n in range(8)}  # six are of March
    keyword_memory.put(
        talk(name, date, "Paint the fence.", "Done.") for name, date in dates.items()
    )
    some: Any = keyword_memory.sessions("What did we work on in March?", now=NOW)
    assert (len(some.hits), some.found) == (3, 6)
    assert any("the latest 3 of 6 sessions “in March”" in note for note in some.notes)
    every: Any = keyword_memory.sessions("What did we work on in March?", now=NOW, limit=10)
    assert (len(every.hits), every.found) == (6, 6)
    assert (
        "it names nothing to look for, so these are the latest sessions “in March”" in every.notes
    )
    none: Any = keyword_memory.sessions("What did we work on in February?", now=NOW)
    assert (len(none.hits), none.found) == (0, 0)
    assert "it names nothing to look for, and there are no sessions “in February”" in none.notes


def test_what_was_before_and_after_something(talks: Memory) -> None:
    assert first(talks, "What did we work on right before the train to Lisbon?")[0] == "late"
    assert first(talks, "What did we do right after the shed and the fence?")[0] == "begin"


@pytest.mark.parametrize(
    "text",
    [
        "What did we use before the Lisbon train?",
        "Who did we have before the Lisbon train?",
        "Was haben wir vor dem Lisbon train benutzt?",
    ],
)
def test_what_something_took_the_place_of_is_looked_for_by_its_name(
    talks: Memory, text: str
) -> None:
    found = talks.search(text, now=NOW)
    assert [one.document for one in found.results] == ["other"]
    assert found.time is not None
    assert (found.time.kind, found.time.topic) == ("before", "Lisbon train")


def test_before_something_that_nothing_tells_of_is_not_everything(talks: Memory) -> None:
    found = talks.search("What did we work on before the Zanzibar expedition?", now=NOW)
    assert (found.status, found.results) == ("no_results", ())


def test_the_answer_says_the_date_and_how_to_switch_it_off(talks: Memory) -> None:
    found = talks.search("When did we first talk about the importer?", now=NOW)
    assert found.time is not None
    told = found.as_json()["time"]
    assert (told["kind"], told["order"], told["topic"]) == ("first", "oldest", "importer")
    days = [date[:10] for date in (told["date"], *told["dates"][:3])]
    assert days == ["2026-02-03", "2026-02-03", "2026-04-07", "2026-09-09"]
    assert any("sort relevance" in hint for hint in found.hints)
    plain = talks.search("When did we first talk about the importer?", now=NOW, sort="relevance")
    assert plain.time is None
    assert not any("sort relevance" in hint for hint in plain.hints)


def test_a_plain_question_has_no_time(talks: Memory) -> None:
    assert talks.search("importer umlauts", now=NOW).as_json()["time"] is None


def test_sort_orders_what_is_relevant(talks: Memory) -> None:
    assert first(talks, "importer", sort="newest")[:3] == ["late", "middle", "begin"]
    assert first(talks, "importer", sort="oldest")[0] in ("note", "begin")
    with pytest.raises(UsageError, match="no sort 'sideways'"):
        talks.search("importer", sort="sideways")


def test_a_cached_answer_keeps_its_date(talks: Memory) -> None:
    once = talks.search("When did we first talk about the importer?", now=NOW)
    again = talks.search("When did we first talk about the importer?", now=NOW)
    assert again.cache.status == "hit"
    assert again.time == once.time


# ------------------------------------------------------------------ by time alone: what may be seen


@pytest.fixture
def changed(keyword_memory: Memory) -> Memory:
    """A store with a fact in force, and others that no question may be answered with."""
    days = [NOW - timedelta(days=ago) for ago in (4, 3, 2, 1)]
    kept: list[dict[str, Any]] = [
        {"text": "The staging password rotates monthly.", "id": "old", "created_at": days[0]},
        {"text": "The staging password rotates weekly.", "id": "new", "supersedes": ["old"]},
        {"text": "The office is closed.", "id": "over", "valid_to": days[2]},
        {"text": "Test the alarm.", "id": "done", "type": "task", "resolved_at": days[2]},
        {"text": "Ana's salary is 90,000.", "id": "hers", "owner": "ana"},
    ]
    for fact in kept:
        text = fact.pop("text")
        keyword_memory.remember(text, **{"created_at": days[1], **fact})
    return keyword_memory


@pytest.mark.parametrize("text", ["what is new?", "what happened this week?", "where were we?"])
def test_facts_that_may_not_be_seen_are_in_no_list(changed: Memory, text: str) -> None:
    found = changed.search(text, now=NOW - timedelta(days=1), cache=False)
    assert [one.document for one in found.results] == ["new"]


def test_a_list_has_nothing_from_after_the_time_that_is_asked_about(changed: Memory) -> None:
    changed.put([Document("late", "notes", "The shed is dry.", date=NOW - timedelta(days=1))])
    then = NOW - timedelta(days=3, hours=12)
    assert first(changed, "what is new?", as_of=then) == ["old"]
    assert first(changed, "what is new?", as_of=NOW - timedelta(days=300)) == []


def test_where_nothing_speaks_of_the_topic_only_what_may_be_seen_is_named(changed: Memory) -> None:
    sunday = NOW - timedelta(days=1)
    found = changed.search("what did we say about penguins this week?", now=sunday, cache=False)
    assert (list(found.results), [one.document for one in found.named]) == ([], ["new"])


def test_a_list_is_of_the_roles_that_are_asked_for(talks: Memory) -> None:
    found = talks.search("What did we do in the last session?", now=NOW, roles=["assistant"])
    assert found.results
    assert {span.role for one in found.results for span in one.spans} <= {"", "assistant"}


def test_what_somebody_did_in_a_period_is_looked_for_in_it() -> None:
    with Memory.open("memory://", embed_model="none") as memory:
        memory.put(
            [
                note("a", "Sent the paper yesterday.", date=datetime(2026, 11, 3, tzinfo=UTC)),
                note("b", "Fixed the loader.", date=datetime(2026, 3, 10, tzinfo=UTC)),
                session("c", ("user", "run the tests"), date=datetime(2026, 3, 12, tzinfo=UTC)),
            ]
        )
        for question in ("what did I do in March 2026?", "what did we do in March 2026?"):
            found = memory.search(question, cache=False)
            assert {one.document for one in found.results} == {"b", "c"}


def test_the_entry_of_a_day_that_is_asked_about_is_from_then(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    entries = "## 2026-02-11\n\nThe press broke down.\n\n## 2026-05-20\n\nThe hull was painted."
    (tmp_path / "journal.md").write_text(f"# Journal\n\n{entries}\n")
    keyword_memory.add(tmp_path)
    found = keyword_memory.search("what happened on 2026-02-11?", now=NOW, cache=False)
    assert "press broke down" in found.results[0].text
    assert not any("nothing is from then" in hint for hint in found.hints)


def test_the_session_of_an_event_is_not_one_before_it(keyword_memory: Memory) -> None:
    asked = ("Which queue shall the thumbnails have?", "The thumbnails have Redis.")
    keyword_memory.put(
        [
            talk("before", day(3, 1), "Paint the gate.", "The gate is painted."),
            talk("event", day(5, 1), *asked, "We moved to Postgres.", "We moved to Postgres."),
        ]
    )
    assert first(keyword_memory, "what did we work on before we moved to Postgres?") == ["before"]
