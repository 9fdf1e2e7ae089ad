"""Facts out of sentences: which are read, how they are said, and which must not be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Memory
from recollect.facts import TYPES
from recollect.models.worth import SentenceModel
from recollect.ports import PassageSentences, Worth, WorthModel
from recollect.writing.curation.chunk import pieces
from recollect.writing.curation.extract import BySentences, Extracted, PieceContext
from recollect.writing.curation.outline import form_of, joined
from recollect.writing.curation.recon import survey
from recollect.writing.curation.subjects import subject
from recollect.writing.curation.until import until
from recollect.writing.runner import Token


class EverySentence:
    """A model to which every sentence is worth keeping: what is left out, the reading left out."""

    threshold = 0.5

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        return [[Worth(0.9, "fact") for _ in passage.sentences] for passage in passages]


def facts(text: str, model: WorthModel | None = None, **given: Any) -> list[Extracted]:
    seen = survey(text)
    context, extractor = PieceContext(seen.kind, **given), BySentences(model or EverySentence())
    return [
        fact for piece in pieces(text, seen) for fact in extractor.extract(piece, context, Token())
    ]


def said(text: str, **given: Any) -> list[str]:
    return [fact.statement for fact in facts(text, **given)]


def test_every_quote_is_where_it_says() -> None:
    text = "# Notes\n\nThe retry limit is **5**. More of it.\n\n- Ana leads the billing team.\n"
    got = facts(text, source="notes.md")
    assert [fact.statement for fact in got] == [
        "The retry limit is 5.",
        "More of it.",
        "Ana leads the billing team.",
    ]
    for fact in got:
        assert text[fact.start : fact.end] == fact.quote
        assert (fact.source, fact.heading) == ("notes.md", "Notes")


def test_what_names_nothing_by_itself_has_what_its_text_is_about() -> None:
    text = """# Kick-off Quillbourne, 10 September 2026

- Delivery is in three batches
- We decided to use the informal form.
- The staging database port is 5433.

## Voice lines

- Recording is in May
"""
    told = {fact.statement: fact.about for fact in facts(text, about="Games")}
    assert told == {
        "Delivery is in three batches": "Kick-off Quillbourne",
        "We decided to use the informal form.": "Kick-off Quillbourne",
        "The staging database port is 5433.": "",
        "Recording is in May": "Voice lines",
    }
    (plain,) = facts("Delivery is in three batches", about="Games")
    assert plain.about == "Games"
    (spoken,) = facts("Delivery is in three batches", about="Games", speaker="user")
    assert spoken.about == ""


class Unsure:
    """A model that would keep nothing by itself, and is not quite sure of it."""

    threshold = 0.5

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        return [[Worth(0.2, "fact") for _ in passage.sentences] for passage in passages]


@pytest.mark.parametrize(
    ("heading", "type"),
    [
        ("## Decision", "decision"),
        ("### 2. Entscheidungen", "decision"),
        ("# Open questions", "open_question"),
        ("## Offene Fragen", "open_question"),
        ("#### Action items", "task"),
        ("## Nächste Schritte", "task"),
        ("## Background", None),
    ],
)
def test_a_section_says_what_its_sentences_are(heading: str, type: str | None) -> None:
    text = f"{heading}\n\n- Wei books the freeze window\n\nDana looks at the replica of June.\n"
    assert [fact.type for fact in facts(text, Unsure())] == [type] * (2 if type else 0)


@pytest.mark.parametrize(
    "line", ["Present: Ana, Tom", "**Attendees:** Ana, Tom", "- Anwesend: Ana"]
)
def test_who_was_at_a_meeting_is_no_fact(line: str) -> None:
    assert said(f"{line}\n\nThe retry limit is five.") == ["The retry limit is five."]


LINES = st.sampled_from(
    ["We deploy on Fridays.", "It is late.", "Gwen: I like tea.", "Tom: so the port is 1.", "# A",
     "- an item of it", "```", "User: we use Postgres", "Assistant: ok", "…", "日本語の行。", ""],
) | st.text(max_size=80)  # fmt: skip


@given(st.lists(LINES, max_size=12).map("\n\n".join), st.sampled_from(["", "user"]))
def test_whatever_is_read_the_facts_are_well_formed(text: str, speaker: str) -> None:
    for fact in facts(text, speaker=speaker):
        assert text[fact.start : fact.end] == fact.quote
        assert fact.type in TYPES
        assert fact.statement.strip() == fact.statement != ""
        assert "\n" not in fact.statement + fact.subject
        assert 0 < fact.confidence <= 1


def test_openers_are_left_out_and_a_pronoun_brings_the_sentence_before() -> None:
    (opened,) = facts(joined([("user", "ok so we use Postgres for the ledger.")]))
    assert opened.statement == "We use Postgres for the ledger."
    assert opened.quote.startswith("ok so")
    both = "Hana joined the data team in April. She is the release manager now."
    assert said(both) == [both], "the first sentence is in it already"
    assert said("She is the release manager now.") == []


def test_a_denial_is_no_opener() -> None:
    assert said("- No customer data leaves the EU region.\n") == [
        "No customer data leaves the EU region."
    ]
    assert said("No, the demo is on Friday.") == ["The demo is on Friday."]


def test_the_head_of_a_mail_is_no_fact() -> None:
    mail = (
        "From: Ana Ruiz <ana@example.org>\nTo: Li Wei <li@example.org>\n"
        "Date: Thu, 5 Nov 2026 09:14:00 +0100\nSubject: Exports\n\n"
        "Old exports are kept ten years.\n"
    )
    assert said(mail) == ["Old exports are kept ten years."]


def test_people_who_talk_are_told_apart() -> None:
    text = (
        "Gwen: I'm away until Monday.\nTom: ok, the demo is on Friday.\nGwen: so be it then\n" * 2
    )
    got = facts(text)
    assert got[0].statement == "Gwen: I'm away until Monday."
    assert [fact.speaker for fact in got[:2]] == ["Gwen", "Tom"]
    assert got[1].statement == "The demo is on Friday."


def test_names_with_times_on_lines_of_their_own_are_who_speaks() -> None:
    text = (
        "Anna 09:14\nThe demo is on Friday.\nBen  9:16 AM\nI'm away until Monday.\n"
        "Anna [09:17]\nThe port is 5433 now.\n"
    )
    assert [(fact.speaker, fact.statement) for fact in facts(text)] == [
        ("Anna", "The demo is on Friday."),
        ("Ben", "Ben: I'm away until Monday."),
        ("Anna", "The port is 5433 now."),
    ]
    assert form_of("Breakfast 08:00\nIn the hall.\nLunch 12:00\nIn the garden.\n") == ""


def test_in_a_chat_with_times_it_is_enough_to_speak_once() -> None:
    text = (
        "[2026-11-04 09:10] Malik T.: I'm away until Monday.\n"
        "[2026-11-04 09:12] Paula: The demo is on Friday.\n"
    )
    assert [(fact.speaker, fact.statement) for fact in facts(text)] == [
        ("Malik T.", "Malik T.: I'm away until Monday."),
        ("Paula", "The demo is on Friday."),
    ]
    log = "[09:10] ERROR: The disk is full.\n[09:12] WARN: The queue grows.\n"
    assert form_of(log) == ""


@pytest.mark.parametrize(
    "text",
    [
        "```\nWe decided to use Postgres for the ledger.\n```\n",
        "> We decided to use Postgres for the ledger.\n",
        "    We decided to use Postgres for the ledger.\n",
        "| We decided to use Postgres |\n",
        "2026-03-01 12:00:01 INFO We decided to use Postgres\n" * 8,
        "- [x] Update the runbook for the failover\n",
        "<tool-use data-tool-type='x'>\nWe decided to use Postgres.\n</tool-use>\n",
        "<!-- We decided to use Postgres for the ledger. -->\n",
        joined([("user", "# Plan\n\nWe decided to use Postgres.")]),
    ],
)
def test_code_logs_quotations_and_tools_say_nothing(text: str) -> None:
    assert facts(text) == []


WEDNESDAY = datetime(2026, 5, 6, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "said", ["My brother Andreu is going to run it.", "We switched to electric ovens in 2021."]
)
def test_what_a_person_says_of_theirs_or_of_us_has_their_name(said: str) -> None:
    text = f"Ben: How did it go on?\nLucía: {said}\nBen: Thanks a lot.\nLucía: You are welcome.\n"
    assert f"Lucía: {said}" in [fact.statement for fact in facts(text)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I'll send the draft to Priya by Friday.", "2026-05-08"),
        ("The lease ends on 2027-01-31.", "2027-01-31"),
        ("The freeze lasts until 3 Nov 2026.", "2026-11-03"),
        ("Swimming is on Thursdays until June.", "2026-06-30"),
        ("SFTP stays until March 2027.", "2027-03-31"),
        ("They need it until the end of June 2027.", "2027-06-30"),
        ("The deadline for the grant is by May 3rd.", "2027-05-03"),
        ("The lease ends at the end of March 2027.", "2027-03-31"),
        ("The report is due at the end of February 2027.", "2027-02-28"),
        ("The Hamburg office opens at the end of March 2027.", ""),
        ("We met on Friday.", ""),
        ("It was built by hand.", ""),
        ("Rent for a full plot goes up to £78 from April 2027.", ""),
        ("The fee goes up to 30 euros in June 2027.", ""),
        ("Parking will cost up to 12 euros a day from 1 April 2027.", ""),
        ("People who signed up before September pay 49.", ""),
        ("Whoever wants a plot must apply before September.", "2026-09-30"),
        ("The pass is valid from 1 June 2026.", ""),
        ("The discount holds up to 30 June 2027.", "2027-06-30"),
        ("The deadline for the grant is Monday, 3 May 2027.", "2027-05-03"),
        ("Send it by Tuesday, 8 September 2026.", "2026-09-08"),
        ("It is done by maybe ten people.", ""),
    ],
)
def test_the_day_until_which_something_holds_is_read(text: str, day: str) -> None:
    found = until(text, WEDNESDAY)
    assert (f"{found.date:%Y-%m-%d}" if found else "") == day


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("The lease ends at the end of March 2027.", True),
        ("They need it until the end of June 2027.", True),
        ("They promised to migrate by end of January.", False),
        ("The fee goes up to 30 euros, and members pay it by 3 June 2027.", False),
    ],
)
def test_what_is_due_on_a_day_does_not_end_on_it(text: str, ends: bool) -> None:
    found = until(text, WEDNESDAY)
    assert found is not None
    assert found.ends is ends


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The staging database port is 5433.", "staging database port"),
        ("Our retry policy is three attempts.", "retry policy"),
        ("Grace owns the release checklist.", "Grace"),
        ("Vault share: Ana gives hers to Ben in May.", "Vault share"),
        ("I no longer drink coffee, tea only.", "coffee"),
    ],
)
def test_a_statement_is_named_by_what_it_is_about(text: str, name: str) -> None:
    assert subject(text) == name


MINUTES = """# Committee

Present: Ana, Ben

Decided:
1. Move to the new hall in autumn.
2. Insurance.

Not decided: who pays for the chairs (about 400 euros). Ben asks around.

Action: Ana, list of chairs. Ben, letter to the mayor.

- The old hall is given up in May. Decided: Ana, Ben.
- Lease: the owner wants to know by Friday if we renew.
"""


class EveryDecision(EverySentence):
    """A model to which every sentence is a decision."""

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        return [[Worth(0.9, "decision") for _ in passage.sentences] for passage in passages]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My landlord wants 655 instead of 612 net from October.", "fact"),
        ("We pay 612 net from October.", "decision"),
    ],
)
def test_what_somebody_wants_is_no_decision(text: str, kind: str) -> None:
    assert [fact.type for fact in facts(text, EveryDecision(), speaker="user")] == [kind]


class NoSentence(EverySentence):
    """A model to which nothing is worth keeping."""

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        return [[Worth(0.0, "fact") for _ in passage.sentences] for passage in passages]


def test_what_a_text_calls_a_decision_a_task_or_open_is_taken_at_its_word() -> None:
    assert [(fact.type, fact.statement) for fact in facts(MINUTES, NoSentence())] == [
        ("decision", "Move to the new hall in autumn."),
        ("decision", "Insurance."),
        ("open_question", "Not decided: who pays for the chairs (about 400 euros)."),
        ("task", "Ana, list of chairs. Ben, letter to the mayor."),
        ("decision", "The old hall is given up in May. Decided: Ana, Ben."),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Offen: Wer bezahlt die neuen Stühle?", "open_question"),
        ("**Beschlossen:** Der Umzug ist im Herbst.", "decision"),
        ("Décidé : le déménagement a lieu en automne.", "decision"),
        ("- Pendiente: quién paga las sillas nuevas.", "open_question"),
        ("## Open questions\n\nThe colour of the chairs.", "open_question"),
        ("The owner wants to know by Friday if we renew.", "open_question"),
    ],
)
def test_a_mark_gives_the_type_in_every_language_of_the_table(line: str, kind: str) -> None:
    assert [fact.type for fact in facts(line)] == [kind]


def test_a_few_words_without_a_verb_are_kept_with_what_they_speak_of() -> None:
    text = "- The third resolver has priority over all else. Ana, until 20 Nov.\n"
    assert said(text) == ["The third resolver has priority over all else. Ana, until 20 Nov."]


def test_the_model_that_ships_tells_small_talk_from_what_lasts() -> None:
    text = (
        "Hi there!\n\nThe staging database runs on port 5433 and is owned by the platform team.\n\n"
        "Let me look at that for you.\n\nThanks, that was great!\n\nok cool\n"
    )
    assert [fact.statement for fact in facts(text, SentenceModel(None))] == [
        "The staging database runs on port 5433 and is owned by the platform team."
    ]


def test_a_note_to_be_kept_needs_little() -> None:
    text = "Charlie loves peanut butter. I also do yoga for mobility."
    kept = facts(text, SentenceModel(None), speaker="user", note=True)
    assert [fact.statement for fact in kept] == [
        "Charlie loves peanut butter.",
        "I also do yoga for mobility.",
    ]
    assert facts("Can you help me with this?", SentenceModel(None), speaker="user", note=True) == []


@pytest.mark.parametrize(
    "text",
    ["the " * 90, "The " + "a-" * 190, "we " * 130, "My " + "is " * 120, "(" * 390,
     "The x " + "of the y " * 40 + "is", "key " * 20 + ": " + "9 " * 100, "by the " * 60],
)  # fmt: skip
def test_no_sentence_takes_for_ever(text: str) -> None:
    for ending in ("", ".", "?", " to 5 ms."):
        facts(f"{text[:390]}{ending}", speaker="user")


@pytest.mark.parametrize(
    "wish",
    [
        "Please always answer in German.",
        "Please never push to main without asking me.",
        "Always run the tests before you commit, please.",
        "I prefer short answers.",
        "Bitte antworte kurz. Bitte immer die Tests laufen lassen.",
    ],
)
def test_what_a_user_asks_for_for_good_is_a_preference(wish: str) -> None:
    told = f"The login breaks for some users.\n\n{wish}"
    talk = f"_**User (2026-06-18 11:00)**_\n\n{told}\n\n_**Agent (2026-06-18 11:05)**_\n\nDone.\n"
    with Memory.open("memory://") as memory:
        memory.curate(talk)
        found = {fact.type for fact in memory.facts(limit=10).items if fact.text in wish}
        assert found == {"preference"}


def test_what_a_user_asks_for_once_is_none() -> None:
    once = "Could you please check the logs first? Please fix the flaky test."
    talk = f"_**User (2026-06-18 11:00)**_\n\n{once}\n\n_**Agent**_\n\nDone.\n"
    with Memory.open("memory://") as memory:
        memory.curate(talk)
        assert not memory.facts(limit=10).items
