"""Whether two questions ask the same: a wrong "yes" is a bug, a wrong "no" costs a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.text.questions import near

PAIRS = Path(__file__).parent / "fixtures" / "near"

SAME = {
    "case, marks and spaces": """
What is the wifi password? | what is the wifi password
what's the wi-fi password | What is the Wi-Fi password ?
what is the follow-up date | what is the followup date
why isn't the cache warm | why is the cache not warm
whats the wifi password | what's the wifi password
what is annas address | what is Anna's address
what's my favourite colour | what's my favorite color
who paid 1,000 euros | who paid €1000
what happened on May 3rd, 2024 | what happened on 3 May 2024""",
    "frames and filler": """
who owns the billing service | can you tell me who owns the billing service?
when do we deploy | do you remember when we deploy?
when do we deploy | hey, quick question: when do we deploy?
when do we deploy | I was wondering when we deploy, thanks
what is the wifi password | tell me the wifi password please
what is the wifi password | could you kindly tell me what the wifi password is
does Tom eat meat | do you know whether Tom eats meat
which port does redis use | so which port does redis actually use?
which db do we use | which db do we currently use""",
    "ways to ask": """
how do I reset the router | how to reset the router
how do I reset the router | what's the way to reset the router
how do I reset the router | what is the procedure for resetting the router
how do we scan uploads | how are uploads scanned
why did we drop Redis | how come we dropped Redis
why did we drop Redis | what was the reason for dropping Redis
how many open issues are there | what is the number of open issues
where is the manual | where can I find the manual
which database do we use | what is the database that we use
what is the deploy day | deploy day
what is my shoe size | shoe size
how old is the boiler | what is the age of the boiler
when was Ada Lovelace born | what is the date of birth of Ada Lovelace
when is the report due | what is the deadline for the report
how much does the gym cost | what is the price of the gym
who is the owner of the shop | who owns the shop""",
    "possession": """
what is the deadline of the report | what is the report's deadline
what is the name of my dentist | what is my dentist's name
what colour is the car | what is the colour of the car
what is the capital of Peru | Peru's capital""",
    "endings": """
which tests are flaky | which test is flaky
when did Anna call | tell me when Anna called
when did we migrate to Postgres | when was the migration to Postgres
what did Noor suggest | what was Noor's suggestion
when did we switch to Postgres | when was the switch to Postgres""",
    "voice": """
who approved the budget | by whom was the budget approved
did Anna fix the bug | was the bug fixed by Anna
which bug did Anna fix | which bug was fixed by Anna
when will we publish the report | when will the report be published
what did Dad say about the boat | what has Dad said about the boat
when did we pay Peter | when was Peter paid
where do we keep the keys | where are the keys stored""",
    "order": """
on Fridays, who is on call | who is on call on Fridays
what did we decide in May about logging | what did we decide about logging in May
in which city does Sara live | which city does Sara live in
the deploy key, where is it stored | where is the deploy key stored
did Anna and Ben meet | did Ben and Anna meet""",
    "synonyms": """
who bought the car | who purchased the automobile
when does the course begin | when does the course start
what is in the repo | what is in the repository
who repaired the phone | who fixed the telephone""",
    "other languages": """
Wo liegt der Vertrag? | Weißt du noch, wo der Vertrag liegt?
Was kostet das Abo? | Wie teuer ist das Abo?
¿Cuál es la contraseña del wifi? | contraseña del wifi
¿Cuándo es la reunión? | ¿Me puedes decir cuándo es la reunión?
Où habite Anne ? | Où est-ce qu'Anne habite ?
Quel est le mot de passe ? | C'est quoi le mot de passe ?
Quando è la riunione? | Sai quando è la riunione?
Onde está o contrato? | Você lembra onde está o contrato?
Wanneer is de vergadering? | Weet je wanneer de vergadering is?
Где живёт Анна? | Подскажи, пожалуйста, где живет Анна?
متى الاجتماع؟ | هل تعرف متى الاجتماع؟
会议是什么时候？ | 请问会议什么时候？
会議はいつですか？ | 会議はいつ？""",
}

DIFFERENT = {
    "numbers, versions, identifiers": """
which bugs did 1.8 fix | which bugs did 1.9 fix
what is PAY-7 about | what is PAY-8 about
what does exit code 137 mean | what does exit code 139 mean
what is in s3 | what is in s4
is it <5 | is it >5
who wrote main.py | who wrote main.rs""",
    "names": """
what did Dr. Meyer say | what did Dr. Meier say
who directed Alien | who directed Aliens
Who Is The Director Of Film Alien | Who Is The Director Of Film Aliens
where is the University of Washington | where is Washington University
who works with US | who works with us
did Will call | did May call""",
    "negation and quantity": """
which services use the cache | which services do not use the cache
what can we ship | what can't we ship
do all services log | do any services log
few users complained | a few users complained
why does nobody use it | why does somebody use it
is it not always on | is it always not on
are all tests not green | are not all tests green
did Anna not tell Ben to come | did Anna tell Ben not to come
did Anna regret not calling | did Anna not regret calling""",
    "tense and mood": """
what did we deploy | what do we deploy
what did we deploy | what will we deploy
how long have I worked here | how long did I work here
do I eat nuts | can I eat nuts
should I eat nuts | can I eat nuts
who owns the car | who owned the car
who read the report | who reads the report
did the build fail again | did the build fail""",
    "who does it": """
who hired Anna | who was hired by Anna
who hired | who was hired
when did I call Anna | when did Anna call
when do I visit Anna | when is Anna visiting
what does Peter pay | what is Peter paid
what were we sent | what did we send
does the frontend call the backend | does the backend call the frontend
which service does the team own | which team owns the service
who does Anna manage | who manages Anna
was Anna invited by Ben | did Anna invite Ben
when was Anna's promotion | when did Anna promote
is a cat a dog | is a dog a cat
how do I deploy | how do we deploy
what do we test | what is the test
which bug did Anna fix | which Anna fixed the bug
how many users did the team block | how many teams were blocked by the user
has Anna been invited | has Anna invited
who will be called | who will call
what is my name | what is your name
is Rust faster than Go | is Go faster than Rust
did we move from AWS to GCP | did we move from GCP to AWS""",
    "words that only look alike": """
which authority did it | which author did it
is the important file there | is the import file there
where is the building | where is the build
when is the training | when is the train
where are my glasses | where is my glass
what are the customs | what is the custom
when was it found | when was it founded""",
    "order and phrases": """
when is the test server up | when is the server test up
when do we test the server | when is the test server
where is the bottle of wine | where is the wine bottle
which tests in CI ran before the build | which tests ran before the build in CI
what does the manager's team do | what does the manager team do
well depth | depth
listen port | port
is the key in the box on the table | is the key on the table in the box
what ran before the build in CI | what ran in CI before the build
where was the body found | where was the body""",
    "what is asked": """
when is the meeting | what time is the meeting
what day is the meeting | what time is the meeting
who is Anna | what is Anna
do you know Anna | Anna
remind me to call Anna | call Anna
what is the cost of the product | what is the price of the product""",
    "query syntax": """
what is "foo bar" | what is foo bar
notes -draft | notes draft
error* in log | error in log
path:src foo | path:lib foo""",
    "other languages": """
wurde der Dienst deployt | würde der Dienst deployt
Wo wohnt mein Lehrer? | Wo wohnt meine Lehrerin?
Mag Anna Ben? | Mag Ben Anna?
Weißt du, wer Anna mag? | Wen mag Anna?
Qui aime Anne ? | Qui est-ce qu'Anne aime ?
Waar is zijn auto? | Waar is de auto?
Quando sono nato? | Quando è nato?
¿Cuándo llamo al médico? | ¿Cuándo llamó al médico?
¿Llamó Ana a Luis? | ¿Llamó Luis a Ana?
¿Quién la llamó? | ¿Quién llamó?
Qui le connaît ? | Qui la connaît ?
Como está meu irmão? | Como está minha irmã?
Где работает брат? | Где работал брат?
谁打了小王 | 小王打了谁
那个人是谁 | 人是谁
あの人は誰 | 人は誰
where is the chat | où est le chat""",
}


def pairs(table: dict[str, str]) -> list[object]:
    return [
        pytest.param(*line.split(" | "), id=f"{rule}: {line}")
        for rule, lines in table.items()
        for line in lines.strip().splitlines()
    ]


def verdict(a: str, b: str) -> near.ParaphraseVerdict:
    return near.compare(near.read(a), near.read(b))


@pytest.mark.parametrize(("a", "b"), pairs(SAME))
def test_the_same_in_other_words(a: str, b: str) -> None:
    found = verdict(a, b)
    assert found.same, found.reason


@pytest.mark.parametrize(("a", "b"), pairs(DIFFERENT))
def test_not_the_same(a: str, b: str) -> None:
    assert not verdict(a, b).same


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("deploy to staging", "deploy to production", "“staging” is not “production”"),
        ("what works", "what does not work", "“not” is only in one"),
        ("when is the party", "where is the party", "“when” is not “where”"),
        ("when do I pay", "when do we pay", "“i” is not “we”"),
    ],
)
def test_says_what_is_different(a: str, b: str, reason: str) -> None:
    assert verdict(a, b).reason == reason


def test_overlap_is_of_the_words_that_carry_meaning() -> None:
    assert verdict("what is the plan", "What is the plan?").overlap == 1
    assert verdict("what is the plan", "could you tell me what the plans are").overlap == 1
    assert verdict("what is the old plan", "what was the old idea").overlap == 1 / 3
    assert verdict("what is it", "what was it").overlap == 2 / 4


QUESTIONS = [
    line.strip()
    for table in (SAME, DIFFERENT)
    for lines in table.values()
    for pair in lines.strip().splitlines()
    for line in pair.split(" | ")
]
NAMES = ["Anna", "Ben", "Carla", "Dmitri", "Paris", "Berlin", "Redis", "Kafka"]
ROLES = [
    "did {} call {}",
    "who told {} about {}",
    "how far is it from {} to {}",
    "is {} older than {}",
    "what did {} give {}",
    "does {} depend on {}",
    "when did {} meet {}'s sister",
    "is {} {}'s boss",
    "was {} invited by {}",
    "which bug of {} did {} fix",
]


@given(st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=60)))
def test_any_text_asks_what_it_asks(text: str) -> None:
    question = near.read(text)
    assert near.compare(question, question).same
    assert near.QuestionReading(*json.loads(json.dumps(question))) == question
    assert len(question.keys.split()) == len(question.forms) == len(question.phrases)


@given(
    st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40)),
    st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40)),
)
def test_it_is_the_same_either_way_round(a: str, b: str) -> None:
    assert verdict(a, b).same == verdict(b, a).same


@given(st.sampled_from(QUESTIONS), st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_another_question(text: str, one: int, other: int) -> None:
    assume(one != other)
    assert not verdict(f"{text} {one}", f"{text} {other}").same
    assert not verdict(f"{text} in release v{one}.2", f"{text} in release v{other}.2").same


@given(st.sampled_from(ROLES), st.permutations(NAMES))
def test_names_do_not_change_places(role: str, names: list[str]) -> None:
    one, other = names[:2]
    assert not verdict(role.format(one, other), role.format(other, one)).same
    assert not verdict(role.format(one, other), role.format(one, names[2])).same


@given(st.sampled_from(QUESTIONS), st.data())
def test_a_negation_is_never_overlooked(text: str, data: st.DataObject) -> None:
    words = text.split()
    at = data.draw(st.integers(0, len(words)))
    assert not verdict(text, " ".join([*words[:at], "not", *words[at:]])).same


@given(st.sampled_from(QUESTIONS), st.sampled_from(["only", "first", "old", "staging", "her"]))
def test_an_added_word_is_never_overlooked(text: str, word: str) -> None:
    assert not verdict(text, f"{text.rstrip('? ')} {word}").same


def lines(name: str) -> list[dict[str, str]]:
    with open(PAIRS / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_no_look_alike_is_taken_for_the_same() -> None:
    wrong = [pair for pair in lines("confusable") if verdict(pair["a"], pair["b"]).same]
    assert wrong == []


def test_paraphrases_are_seen() -> None:
    """Those that differ by frames, marks and contractions nearly all; of those that somebody
    said anew, with words and grammar of their own, only some: the rest is searched again."""
    seen: dict[str, list[bool]] = {}
    for pair in lines("paraphrase"):
        same = verdict(pair["a"], pair["b"]).same
        seen.setdefault(pair["kind"], []).append(same)
        seen.setdefault("all", []).append(same)
    share = {kind: sum(found) / len(found) for kind, found in seen.items()}
    assert share["contraction"] == 1
    assert share["punctuation"] > 0.75
    assert share["frame"] > 0.75
    assert share["all"] > 0.3
