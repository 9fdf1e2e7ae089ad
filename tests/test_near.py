"""Whether two questions ask the same: a wrong "yes" is a bug, a wrong "no" costs a search."""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect import config
from recollect.memory.models import pairs_for, shipped
from recollect.text.guard import difference
from recollect.text.pairs import Judge, likeness

PAIRS = Path(__file__).parent / "fixtures" / "near"
OPEN = Path(__file__).parents[1] / "bench" / "sets" / "pairs"

SAME = {
    "case, marks and spaces": """
What is the wifi password? | what is the wifi password
what's the wi-fi password | What is the Wi-Fi password ?
why isn't the cache warm | why is the cache not warm
whats the wifi password | what's the wifi password
what is annas address | what is Anna's address
WHO LEADS THE A TEAM? | who leads the A team
IS THERE A SPARE KEY | is there a spare key?
what does plan B cost | What does plan b cost?
what is the C++ style | What is our c++ style?""",
    "frames and filler": """
who owns the billing service | can you tell me who owns the billing service?
when do we deploy | hey, quick question: when do we deploy?
what is the wifi password | tell me the wifi password please
what is the wifi password | could you kindly tell me what the wifi password is
which port does redis use | so which port does redis actually use?""",
    "ways to ask": """
how do I reset the router | how to reset the router
how do I reset the router | what's the way to reset the router
how do I reset the router | what is the procedure for resetting the router
why did we drop Redis | how come we dropped Redis
why did we drop Redis | what was the reason for dropping Redis
how many open issues are there | what is the number of open issues
where is the manual | where can I find the manual
what is the deploy day | deploy day
what is my shoe size | shoe size
how old is the boiler | what is the age of the boiler
how much does the gym cost | what is the price of the gym""",
    "possession": """
what colour is the car | what is the colour of the car
what is the capital of Peru | Peru's capital""",
    "endings": """
which tests are flaky | which test is flaky
when did Anna call | tell me when Anna called""",
    "voice": """
who approved the budget | by whom was the budget approved
did Anna fix the bug | was the bug fixed by Anna
which bug did Anna fix | which bug was fixed by Anna
what did Dad say about the boat | what has Dad said about the boat
when did we pay Peter | when was Peter paid
where do we keep the keys | where are the keys kept""",
    "order": """
on Fridays, who is on call | who is on call on Fridays
what did we decide in May about logging | what did we decide about logging in May
in which city does Sara live | which city does Sara live in
the deploy key, where is it stored | where is the deploy key stored""",
    "words moved": """
how do I safely fail over Postgres? | How do I fail over Postgres safely?
what did we decide on Tuesday about logging | on Tuesday what did we decide about logging""",
    "other words": """
Where do we keep the spare fuses? | spare fuses where
¿Cuál es la contraseña del wifi? | contraseña del wifi""",
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
    "what is asked of one thing": """
What is Ana's phone number? | Where does Ana live?
What is Ana's phone number? | What should I give Ana for her birthday?
Who is Ana's best friend? | Which school does Ana go to?
whats Oskar's phone number | what is Oskar's address
port of quoter | who owns quoter?
port of quoter | what does quoter do?
who led INC-04? | cause of INC-04
owner of notifier service | port of notifier service
who may write to the orders database | what is the size of the orders database
how long are idempotency keys kept | how long do we keep quotes?
where do we keep the keys | where are the keys made
When did Ana pay Luis in Porto? | When did Luis meet Ana in Porto?
What does Helix Pharma pay per word? | Who is the contact person at Helix Pharma?
Who is the contact person at Helix Pharma? | What does Helix Pharma pay per word?
What does Helix Pharma pay per word? | What is the period of notice at Helix Pharma?
Which car does Jonas have? | Which card does Jonas have?
incident 18 | who fixed incident 18?
billing server | who pays for the billing server?
order 88123 | who bought order 88123?
the offsite | when is the offsite?
budget review | how long does the budget review take?
when do we sign the release? | on which day do we release?
where do I print the report | where do I report it
Who chairs the Orion board? | What is on the Orion chairs?
Wie ist die Telefonnummer von Anna? | Wo wohnt Anna?""",
    "a letter, and signs behind a word": """
who leads the A team? | who leads the team?
who leads the A team? | who leads a team?
who leads the a team | who leads the team
who is on the A-team | who is on the B-team
is the hepatitis A vaccine free | is the hepatitis vaccine free
are the doors open in block A? | are the doors open in block?
what does plan B cost | what does plan D cost
what is the C++ style | what is the C style
C# style guide | C style guide""",
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
Qui aime Anne ? | Anne aime qui ?
Wer leitet das Projekt Orion? | Was kostet das Projekt Orion?
Wann war das Treffen mit Novak? | Wo war das Treffen mit Novak?
¿Cuándo fue la reunión con Novak? | ¿Dónde fue la reunión con Novak?
Qui dirige le projet Orion ? | Combien coûte le projet Orion ?
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


@cache
def judge() -> Judge:
    model = pairs_for(config.load(), shipped(config.load()))
    assert model is not None
    return model.judge


def alike(a: str, b: str) -> bool:
    return likeness(a, b, judge())[0] >= 0.92


@pytest.mark.parametrize(("a", "b"), pairs(SAME))
def test_the_same_in_other_words(a: str, b: str) -> None:
    assert alike(a, b), likeness(a, b, judge())


@pytest.mark.parametrize(("a", "b"), pairs(DIFFERENT))
def test_not_the_same(a: str, b: str) -> None:
    assert not alike(a, b)


@pytest.mark.parametrize(("a", "b"), [("how do I reset it", "what's the way to reset it")])
def test_without_a_model_only_the_same_words_are_the_same(a: str, b: str) -> None:
    assert likeness(a, b, None)[0] == 0
    assert likeness(a, f"{a}?", None)[0] == likeness(a, f"Can you tell me {a}", None)[0] == 1


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("deploy to staging", "deploy to production", "“staging” is not “production”"),
        ("what works", "what does not work", "only one of them denies"),
        ("when is the party", "where is the party", "another thing is asked"),
        ("who pays Helix Pharma", "what pays Helix Pharma", "another thing is asked"),
        ("Wer zahlt die Miete?", "Wann zahlt die Miete?", "another thing is asked"),
        ("¿Quién paga la renta?", "¿Cuánto paga la renta?", "another thing is asked"),
        ("Qui paie le loyer ?", "Quand paie le loyer ?", "another thing is asked"),
        ("when is the launch?", "what price do we launch with?", "another thing is asked"),
        (
            "what do I do after promoting the replica?",
            "How do I promote the replica of the parcel database?",
            "what comes before or after it is another thing",
        ),
        ("who bought the pump?", "pump", "one only names what the other asks something of"),
        ("how much is 2 kg", "how much is 3 kg", "“2” is only in one"),
    ],
)
def test_says_what_is_different(a: str, b: str, reason: str) -> None:
    assert likeness(a, b, judge()) == (0.0, reason)


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
    "was {} invited by {}",
    "which bug of {} did {} fix",
]


@given(st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=60)))
def test_any_text_asks_what_it_asks(text: str) -> None:
    assert not difference(text, text)


@given(
    st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40)),
    st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40)),
)
def test_it_is_the_same_either_way_round(a: str, b: str) -> None:
    assert bool(difference(a, b)) == bool(difference(b, a))


@given(st.sampled_from(QUESTIONS), st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_another_question(text: str, one: int, other: int) -> None:
    assume(one != other)
    assert difference(f"{text} {one}", f"{text} {other}")
    assert difference(f"{text} in release v{one}.2", f"{text} in release v{other}.2")


@given(st.sampled_from(ROLES), st.permutations(NAMES))
def test_names_do_not_change_places(role: str, names: list[str]) -> None:
    one, other = names[:2]
    assert difference(role.format(one, other), role.format(other, one))
    assert difference(role.format(one, other), role.format(one, names[2]))


def test_one_name_is_not_one_question() -> None:
    """Every fortieth pair of what is asked of one thing; ``python -m bench.near`` reads all."""
    asked = [row["asked"] for row in lines(PAIRS / "one-subject.jsonl")]
    pairs = [pair for some in asked for two in combinations(some, 2) for pair in product(*two)]
    assert len(pairs) > 1800
    assert not [pair for pair in pairs[::40] if alike(*pair)]


def test_unrelated_questions_are_not_the_same() -> None:
    asked = [row["asked"] for row in lines(OPEN / "questions.jsonl")[:24]]
    assert not [(a, b) for n, a in enumerate(asked) for b in asked[:n] if alike(a, b)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_no_look_alike_is_taken_for_the_same() -> None:
    """Every sixth of those that the guard lets pass; ``python -m bench.near`` reads all."""
    every = [*lines(PAIRS / "confusable.jsonl"), *lines(OPEN / "lookalikes.jsonl")]
    passed = [pair for pair in every if not difference(pair["a"], pair["b"])]
    assert len(passed) < len(every) / 3
    assert not [pair for pair in passed[::6] if alike(pair["a"], pair["b"])]
