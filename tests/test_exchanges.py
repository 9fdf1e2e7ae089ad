"""Questions that were asked before: a question is not its own answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Memory
from recollect.nouns import Answer
from recollect.reading.sessions.results import Discovery
from recollect.testing.builders import note, session

MOVED = "Why did we move login sessions, and where to?"
DECISION = (
    "We moved login sessions from Redis to Postgres in October, because Redis evicted them "
    "whenever its memory was full."
)
PORT = "Which port does the metrics exporter listen on?"


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Memory]:
    """A store, with the embedder that ships, in which questions were asked before."""
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(
            [
                note("adr", DECISION, title="Login sessions"),
                note("deploy", "We deploy every Friday at noon.", title="Deploying"),
                note("upload", "The maximum upload size is 25 MB."),
                session("asks", ("user", MOVED)),
                session("answers", ("user", MOVED), ("assistant", f"The notes say: {DECISION}")),
                session("lazy", ("user", "why did we move login sessions and where to")),
                session("port", ("user", PORT), ("assistant", "It is 9187, as everywhere here.")),
                session(
                    "long",
                    ("user", "How do I rotate the token key?"),
                    ("assistant", "Let me look at the scripts."),
                    ("tool", "ls scripts"),
                    ("assistant", "Call scripts/rotate.sh, then restart the gateway."),
                    ("user", "Thanks, and lunch?"),
                    ("assistant", "At one."),
                ),
                note("open", "Should the scheduler of the night jobs become a service?"),
            ]
        )
        yield memory


def first(answer: Answer) -> str:
    return answer.results[0].document


def only_asks(text: str) -> bool:
    lines = [line.partition(": ")[2] or line for line in text.splitlines() if line.strip()]
    return all(line.rstrip().endswith("?") or line.startswith("why did") for line in lines)


@pytest.mark.parametrize("question", [MOVED, MOVED.lower().rstrip("?"), PORT])
def test_a_question_that_was_asked_before_is_never_its_own_answer(
    asked: Memory, question: str
) -> None:
    answer = asked.search(question)
    assert answer.results
    assert not any(only_asks(result.text) for result in answer.results)


def test_what_decides_stays_first_and_as_sure(asked: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "before", rerank_model="none") as before:
        before.put([note("adr", DECISION, title="Login sessions"), note("x", "We deploy daily.")])
        sure = before.search(MOVED).confidence
    answer = asked.search(MOVED)
    assert first(answer) in ("adr", "answers")
    assert DECISION[:40] in answer.results[0].text
    assert answer.confidence > 0.8 * sure


def test_what_was_replied_is_found_by_its_question_and_shown_with_it(asked: Memory) -> None:
    answer = asked.search(PORT)
    assert answer.results[0].text == f"user: {PORT}\nassistant: It is 9187, as everywhere here."
    assert answer.results[0].role == "assistant"


def test_a_reply_is_shown_beside_what_was_said_later(asked: Memory) -> None:
    asked.put(
        [
            session(
                "moved",
                ("user", "Which port does the debug proxy listen on?"),
                ("assistant", "The debug proxy listens on port 7001."),
                ("user", "Then move the debug proxy to port 7002."),
                ("assistant", "Done, the debug proxy listens on port 7002 now."),
            )
        ]
    )
    answer = asked.search("Which port does the debug proxy listen on?")
    (result,) = [one for one in answer.results if one.document == "moved"]
    assert "7001" in result.text
    assert "7002" in result.text


def test_the_reply_goes_on_until_whoever_asked_speaks_again(asked: Memory) -> None:
    answer = asked.search("How do I rotate the token key?")
    (result,) = [one for one in answer.results if one.document == "long"]
    assert result.text.startswith("user: How do I rotate the token key?\n")
    assert "scripts/rotate.sh" in result.text


def test_a_question_in_a_note_is_no_answer(asked: Memory) -> None:
    answer = asked.search("Should the scheduler of the night jobs become a service?")
    assert "open" not in [one.document for one in answer.results]


def test_questions_are_found_where_they_are_asked_for(asked: Memory) -> None:
    answer = asked.search("Which questions did I ask about login sessions?")
    assert "asks" in [one.document for one in answer.results]
    mine = asked.search("move login sessions", roles=["user"])
    assert "asks" in [one.document for one in mine.results]


def test_a_session_that_only_asks_is_still_found_among_sessions(asked: Memory) -> None:
    found = asked.sessions(MOVED)
    assert isinstance(found, Discovery)
    assert any(hit.session.session_id == "asks" for hit in found.hits)


EUROS = note("euros", "The checkout page shows prices in euros.")
LOOKED = (("tool", "Bash command='grep -rn rate src'"), ("tool", "src/rates.py:3\n" * 9))
APRIL, WEEK = datetime(2026, 4, 1, tzinfo=UTC), timedelta(days=7)
RATE = "How is the currency rate for the checkout fetched?"


@pytest.mark.parametrize(
    ("question", "between", "reply"),
    [
        (RATE, [("assistant", "Let me check."), *LOOKED], "Once a day, from the central bank."),
        (RATE, LOOKED * 30, "Once a day, from the central bank."),
        (f"Now {RATE[0].lower()}{RATE[1:-1]}", LOOKED, "Once a day, from the central bank."),
        (
            "Wie wird der Wechselkurs für die Kasse geholt?",
            [("assistant", "Ich schaue kurz nach."), *LOOKED],
            "Einmal am Tag von der Zentralbank.",
        ),
    ],
)
def test_the_reply_that_comes_after_tools_is_what_answers(
    tmp_path: Path, question: str, between: list[tuple[str, str]], reply: str
) -> None:
    turns = (("user", question), *between, ("assistant", reply), ("user", "great, thanks"))
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([EUROS, session("rate", *turns, title=question)])
        memory.models.embed()
        (found,) = [one for one in memory.search(question).results if one.document == "rate"]
    assert reply in found.text
    assert found.id.endswith(f":{len(turns) - 2}")
    assert found.confidence < 0.85, "as sure as an earlier reply can be"


@pytest.mark.parametrize("said", [[], [("assistant", "I'll look into it.")]])
@pytest.mark.parametrize("asked", [RATE, "From where does the checkout fetch its currency rate?"])
def test_a_question_that_nobody_replied_to_is_not_returned(
    tmp_path: Path, asked: str, said: list[tuple[str, str]]
) -> None:
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([EUROS, session("rate", ("user", RATE), *said, *LOOKED, title=RATE)])
        memory.models.embed()
        found = memory.search(asked)
    assert "rate" not in [one.document for one in found.results]


def test_the_reply_comes_after_what_was_asked_back(tmp_path: Path) -> None:
    turns = (
        ("user", RATE),
        ("assistant", "Of which country?"),
        ("user", "Austria"),
        ("assistant", "Once a day, from the central bank."),
    )
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([EUROS, session("rate", *turns, title=RATE)])
        memory.models.embed()
        replied = {one.document: one.text for one in memory.search(RATE).results}["rate"]
    assert "central bank" in replied


def test_of_what_was_replaced_no_question_is_left_as_a_result(tmp_path: Path) -> None:
    old = "The metrics exporter listens on port 9187."
    new = "From now on the metrics exporter listens on port 9200."
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(
            [
                session(
                    "old", ("user", PORT), ("assistant", old), date=datetime(2026, 4, 1, tzinfo=UTC)
                ),
                session(
                    "new",
                    ("user", new),
                    ("assistant", "Noted."),
                    date=datetime(2026, 4, 9, tzinfo=UTC),
                ),
            ]
        )
        memory.models.embed()
        found = memory.search(PORT)
    assert [one.document for one in found.results] == ["new"]
    assert [one.text for one in found.results[0].earlier] == [old]


# ------------------------------------------------------------------ what nobody said


def test_what_a_tool_printed_is_found_where_it_is_asked_for(asked: Memory) -> None:
    asked.put(
        [
            session(
                "build",
                ("user", "Make the nightly build green."),
                ("context", "The nightly build broke at stage seven, says the client."),
                ("tool", "Bash command='make nightly-build'"),
                ("tool", "the nightly build broke at stage seven: no space left on zeppelin"),
                ("assistant", "The nightly build is green since the disk was cleaned."),
            )
        ]
    )
    said = "\n".join(one.text for one in asked.search("Why did the nightly build break?").results)
    assert "green since the disk" in said
    assert "zeppelin" not in said
    assert "says the client" not in said
    how = "\n".join(one.text for one in asked.search("how to make the nightly build").results)
    assert "make nightly-build" in how, "a command that was run tells how"
    printed = asked.search("Why did the nightly build break?", roles=["tool"])
    assert "zeppelin" in "\n".join(one.text for one in printed.results)


@pytest.mark.parametrize("count", [40, 400])
def test_what_tools_printed_takes_no_place_from_what_was_said(asked: Memory, count: int) -> None:
    printed = "files.py: retention of the export files in days\ncli.py: --retention of export files"
    kept = "The nightly files are kept for 35 days, says Dana; then the cleanup deletes them."
    turns = ("user", "run the job"), ("tool", printed), ("assistant", "The job is done.")
    asked.put([*(session(f"run {n}", *turns) for n in range(count)), note("export", kept)])
    found = asked.search("what is the retention of the export files in days?")
    assert kept in [one.text for one in found.results]
    found = asked.search("retention of the export files", roles=["tool"])
    assert found.results[0].text.startswith("tool: files.py")


def test_a_whole_document_has_only_the_turns_that_may_be_heard(asked: Memory) -> None:
    turns = (
        ("user", "Where does the ferry leave?"),
        ("rewound", "The ferry leaves from pier two."),
        ("tool", "Bash command='ferry --pier'"),
        ("tool", "exit code 0, zeppelin"),
        ("assistant", "The ferry leaves from pier nine."),
    )
    asked.put([session("ferry", *turns)])

    def whole(roles: list[str] | None = None) -> str:
        ask = "which pier does the ferry leave from?"
        return asked.search(ask, detail="document", roles=roles).results[0].text

    said = [f"{role}: {text}" for role, text in turns]
    assert whole() == "\n\n".join([said[0], said[2], said[4]])
    assert whole(roles=["assistant"]) == said[4]


def test_what_people_ask_each_other_is_what_they_said(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(
            [
                session("chat", ("Ana", "can one build a tar file on Debian?"), ("Ben", "sure.")),
                session("other", ("Cleo", "lunch is at one."), ("Ben", "see you there.")),
            ]
        )
        found = memory.search("what does Ana want to build?")
    assert "tar file" in found.results[0].text


def test_a_turn_that_was_said_twice_is_found_in_both_talks(tmp_path: Path) -> None:
    said = ("Ana", "the installer hangs at the partition step.")
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(
            [
                session("monday", said, ("Ben", "unplug the card reader.")),
                session("friday", said, ("Cleo", "start it with the safe graphics option.")),
            ]
        )
        found = memory.search("what does Ana say about the installer and the partition step?")
    assert {result.document for result in found.results} == {"monday", "friday"}


def test_a_session_that_is_called_by_its_question_is_not_taken_for_the_answer(
    tmp_path: Path,
) -> None:
    asked = "Which geocoder do we use for port addresses?"
    with Memory.open(tmp_path / "store") as memory:
        memory.put(
            [
                session(
                    "echo",
                    ("user", asked),
                    ("assistant", "I do not find one in the repository, sorry."),
                    title=asked,
                ),
                note("geo", "For port addresses we use the geocoder Photon, on geo-1."),
            ]
        )
        memory.models.embed()
        assert memory.search(asked, cache=False).results[0].document == "geo"


def test_a_reply_that_knows_nothing_is_no_answer(tmp_path: Path) -> None:
    asked = "What is the largest magnitude in the test split?"
    with Memory.open(tmp_path / "store") as memory:
        said = "I have no access to the metadata from here, so I can't tell."
        memory.put([session("one", ("user", asked), ("assistant", said))])
        memory.models.embed()
        assert memory.search(asked, cache=False).status == "no_results"


DOG = (
    ("user", "We are thinking about getting a dog. The kids are begging."),
    ("assistant", "What kind of dog? And who would look after it while you are at work?"),
    ("user", "Something small, Tom is allergic to dog hair, so a poodle mix."),
    ("assistant", "Please have Tom tested with the breed. A dog from the shelter is possible too."),
    ("user", "Not a shelter dog, with Felix being so small. The breeder in Peine has Maltipoos."),
    ("assistant", "I'd wait until after Christmas: puppies and holidays go badly together."),
)


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("hm you're right. let's postpone that to February.", True),
        ("And what about the tax return?", False),
        ("Now for something else. " + "The tax return is due and I have no idea. " * 4, False),
    ],
)
def test_what_was_proposed_is_shown_with_the_few_words_that_decide(
    tmp_path: Path, reply: str, shown: bool
) -> None:
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("dog", *DOG, ("user", reply), ("assistant", "Good, noted."))])
        found = memory.search("Do we have a dog?", cache=False)
        assert "after Christmas" in found.results[0].text
        assert (reply in found.results[0].text) is shown


def test_what_decides_stays_within_the_budget(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("dog", *DOG, ("user", "ok, let's postpone that to February."))])
        for budget in range(20, 200, 20):
            found = memory.search("Do we have a dog?", cache=False, budget=budget)
            assert found.budget.used <= budget or len(found.results[0].text.splitlines()) == 1


PETREL = "what is the petrel launch date?"
SHIPPED = note(
    "petrel", "We ship it to customers on 12 January 2027, Ines confirmed.", title="Petrel"
)


@pytest.mark.parametrize(
    "turns",
    [
        [
            ("user", "Look into petrel"),
            ("tool", "WebSearch query='petrel launch date'"),
            ("tool", "no results"),
            ("tool", "mcp__docs__search_pages q='petrel launch date'"),
            ("tool", "Bash command='grep -rn \"petrel launch date\" docs'"),
            ("assistant", "Neither the web nor the docs say anything."),
        ],
        [
            ("user", f"{PETREL} I need it for the slides."),
            ("assistant", "You are asking when petrel launches. I have no information on it."),
        ],
        [("user", PETREL), ("assistant", "Nothing found.")],
        [("user", "Wann startet petrel?"), ("assistant", "Dazu habe ich keine Informationen.")],
        [("user", "¿Cuándo sale petrel?"), ("assistant", "No lo sé, no encuentro nada.")],
    ],
)
def test_what_only_looked_for_it_and_found_nothing_is_no_answer(
    tmp_path: Path, turns: list[tuple[str, str]]
) -> None:
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([SHIPPED, session("looked", *turns, date=APRIL)])
        memory.models.embed()
        for question in (PETREL, "When does petrel launch?", turns[0][1]):
            found = memory.search(question, cache=False).results
            assert [one.document for one in found][:1] in ([], ["petrel"]), question


@pytest.mark.parametrize(
    "call", ["Bash command='rg --files-with-matches ferry docs'", "Bash command='ferry --pier'"]
)
def test_a_command_tells_how_something_is_done(tmp_path: Path, call: str) -> None:
    turns = ("user", "List the docs about the ferry."), ("tool", call), ("assistant", "Done.")
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("ferry", *turns)])
        memory.models.embed()
        found = memory.search("how do I list the docs about the ferry?", cache=False)
    assert call in found.results[0].text


def test_what_was_looked_up_is_found_where_it_is_asked_what_tools_did(tmp_path: Path) -> None:
    call = "WebSearch query='petrel launch date'"
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([SHIPPED, session("looked", ("user", "Look into petrel"), ("tool", call))])
        found = memory.search(PETREL, roles=["tool"])
    assert call in found.results[0].text


def test_a_prompt_that_tells_something_counts_though_nothing_was_found(tmp_path: Path) -> None:
    told = "petrel launches on 12 January, put it into the calendar."
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("told", ("user", told), ("assistant", "I can't find a calendar."))])
        memory.models.embed()
        found = memory.search(PETREL, cache=False)
    assert told in found.results[0].text


def test_what_a_tool_printed_stands_behind_what_was_decided(tmp_path: Path) -> None:
    printed = "# deploy window\nThe deploy window is 14:00 to 15:00 on weekdays.\nowner = ops"
    decided = "Decision: we deploy between 16:00 and 17:00, that is the deploy window from now on."
    shown = (
        ("user", "show the config"),
        ("tool", "Bash command='cat deploy.toml'"),
        ("tool", printed),
    )
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(
            [
                session("shown", *shown, ("assistant", "That is the config.")),
                session("decided", ("user", "When should we deploy?"), ("assistant", decided)),
            ]
        )
        memory.models.embed()
        asked = "what is the deploy window?"
        found = memory.search(asked, roles=["all"], cache=False)
        only = memory.search(asked, roles=["tool"], cache=False)
    assert [one.document for one in found.results] == ["decided", "shown"]
    assert only.results[0].document == "shown"
