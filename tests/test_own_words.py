"""Requests: what people said of themselves matters, whatever its words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.nouns import Answer
from recollect.testing.builders import note, session
from recollect.text.questions.route import is_personal

FLIGHTS = "I can't stand long flights; anything over three hours and my back is ruined."
PEANUTS = "I am badly allergic to peanuts and carry a syringe."


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store, with the embedder that ships, of what somebody once said, and of other things."""
    place: Path = tmp_path_factory.mktemp("said")
    with Memory.open(place / "store", rerank_model="none") as memory:
        memory.put(
            [
                note("flights", FLIGHTS),
                note("piano", "My piano lessons are on Tuesday evenings with Mrs Lind."),
                note("gate", "The gateway accepts uploads of 25 MB."),
                note("deploy", "Deployments go out on Fridays at noon."),
                session("lunch", ("user", PEANUTS), ("assistant", "I will keep that in mind.")),
            ]
        )
        memory.remember("I only ever read crime novels.", id="reading")
        yield memory


def shown(answer: Answer) -> str:
    return "\n".join(result.text for result in answer.results)


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("Any ideas where to go for a holiday in October?", "long flights"),
        ("Recommend a Thai dish for tonight, please.", "peanuts"),
        ("Can you suggest something for the shelf by my bed?", "crime novels"),
    ],
)
def test_a_request_is_given_what_was_said_of_oneself(
    said: Memory, request_: str, wanted: str
) -> None:
    answer = said.search(request_)
    assert wanted in shown(answer)
    assert answer.status == "needs_synthesis"
    assert "gateway" not in shown(answer)


def test_of_a_long_talk_a_request_is_given_no_more_than_two_statements(tmp_path: Path) -> None:
    things = ("tea", "walks", "maps", "rain", "chess", "trains", "bread", "owls")
    turns = [("user", f"I like {thing} more than most people do.") for thing in things]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([session("talk", *turns), note("flights", FLIGHTS), note("peanuts", PEANUTS)])
        memory.models.embed()
        text = shown(memory.search("Any ideas for a present for my uncle?"))
    assert 1 <= text.count("more than most people do") <= 2


def test_what_an_assistant_says_is_nothing_said_of_oneself(said: Memory) -> None:
    assert "keep that in mind" not in shown(said.search("Recommend a Thai dish for tonight."))


@pytest.mark.parametrize("question", ["What is the boiling point of ethanol?", "who won in 1966?"])
def test_a_question_of_fact_is_still_told_nothing(said: Memory, question: str) -> None:
    assert said.search(question).status == "no_results"


@pytest.mark.parametrize("request_", ["Should I keep this conversation?", "Any tips for Rome?"])
def test_a_store_that_is_about_nobody_has_nothing_to_say_to_a_request(
    tmp_path: Path, request_: str
) -> None:
    facts = (
        "The tidal range at Saint-Malo reaches thirteen metres.",
        "Basalt forms where lava cools quickly at the surface.",
        "Lichens grow a millimetre a year on exposed rock.",
        "A lighthouse was built on the reef in 1811.",
        "The ferry crosses the strait in forty minutes.",
    )
    told = "Asked about it later, the surveyor said: I never saw my instruments again."
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([note(str(n), text) for n, text in enumerate((*facts, told))])
        memory.models.embed()
        assert memory.search(request_).status == "no_results"
        memory.remember("I keep every conversation in one place.", id="mail")
        assert "one place" in shown(memory.search(request_))


def test_who_asks_for_sure_things_is_not_given_them(said: Memory) -> None:
    answer = said.search("Any ideas where to go for a holiday in October?", min_confidence=0.6)
    assert not answer.results


@pytest.mark.parametrize(
    "text",
    [
        "Could you recommend a restaurant in Rome?",
        "What should I cook on Sunday?",
        "Any tips for a first marathon?",
        "The dog next door barked all night. My head hurts.",
        "The dentist gave me amoxicillin, can I start today?",
        "Was soll ich am Sonntag kochen?",
        "¿Qué puedo regalar a mi hermana?",
    ],
)
def test_advice_and_what_is_told_are_personal(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "What degree did I graduate with?",
        "Which database does billing use?",
        "How many days did I spend in Rome?",
        "find all files that end in .log",
        "Aspirin lowers the risk of stroke.",
        "Can I split a conversation in two?",
        "example.com: Do they have any choice or control for the users?",
        "am i allowed to keep signed responses in the cache or is that a hard no",
    ],
)
def test_questions_of_fact_are_not(text: str) -> None:
    assert not is_personal(text)
