"""What a question is after, whether one passage can answer it, and whether it asks for now."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns import without_cue
from recollect.text.questions import intents
from recollect.text.questions.intents import Intent
from recollect.text.questions.route import Shape, route, with_parts

INTENTS = {
    "temporal": [
        "when did we move to Postgres?",
        "When is the lease due",
        "since when do we sign commits",
        "can you remind me what year the house was built",
        "how long ago did I see the dentist",
        "how long have I been at this job",
        "how many weeks ago did I meet Ana?",
        "what was it like the first time we deployed",
        "what did we use before the migration",
        "who ran the tests after the party",
        "which did I buy first, the lamp or the desk?",
        "Who is older, Anna or Tom?",
        "what is the order of the three trips I took",
        "Wann war das Treffen?",
        "Seit wann nutzen wir Redis?",
        "¿Cuándo nos mudamos?",
        "desde cuándo usamos Redis",
        "Quand avons-nous déménagé ?",
        "когда мы переехали",
        "我们什么时候搬家",
        "متى انتقلنا",
    ],
    "event": [
        "what happened to the old server",
        "the outage of the payment service",
        "what did we decide about retries",
        "did we agree on a price?",
        "where did I buy my tennis racket",
        "which restaurants have I tried",
        "what did the lawyer cost me",
        "Was ist am Montag passiert?",
        "Was haben wir beschlossen?",
        "¿qué pasó con el servidor?",
        "notes de la réunion",
        "服务器发生了什么",
        "что случилось с сервером",
    ],
    "concept": [
        "why do our logs vanish after two weeks",
        "why did we decide against Redis",
        "how does the cache work",
        "so how do I reset the key?",
        "the tests are slow. how come?",
        "explain the retry policy",
        "difference between a lease and a lock",
        "best practices for naming branches",
        "Warum ist der Cache so groß?",
        "Wie funktioniert der Cache?",
        "¿por qué usamos Redis?",
        "cómo funciona la caché",
        "pourquoi utilise-t-on Redis ?",
        "почему кэш такой большой",
        "缓存为什么这么大",
        "كيف يعمل",
    ],
    "entity": [
        "who is Ana Souza",
        "whose key is this",
        "what's the name of my cat?",
        "what is the credit limit with Halcyon",
        "where is the spare key",
        "about the Lumen contract",
        "Ana Souza",
        "Postgres",
        "Project Lumen 2",
        "src/recollect/config.py",
        "parse_date",
        "JIRA-1234",
        "fix for #482",
        "getUserName",
        "how many points do I need at Sephora",
        "Wer ist Ana?",
        "Was ist ein Lease?",
        "¿Quién es Ana?",
        "qui est Ana ?",
        "кто такая Аня",
        "安娜是谁",
    ],
    "general": [
        "",
        "retry policy",
        "notes on bread and rye",
        "how much vertical was on the course",
        "a pattern to follow for worker tasks",
        "Notizen zum Cache",
        "какие-то заметки",
    ],
}


@pytest.mark.parametrize(
    ("intent", "text"), [(intent, text) for intent, texts in INTENTS.items() for text in texts]
)
def test_the_intent_is_what_a_person_would_say(intent: str, text: str) -> None:
    assert route(text).intent == intent, route(text).why


OPEN = [
    # why, how, all about it
    "why do we pin images by digest",
    "how does the canary decide?",
    "explain the retry policy",
    "summarise what we know of Halcyon",
    "an overview of the billing code",
    # comparisons
    "Which film came out earlier, Gang War or Robot Jox?",
    "Was Dudley Russell or Juan Serrano born first?",
    "Who is older, Anna or Tom?",
    "is Redis or Postgres faster",
    "how much more did I pay than my brother",
    "rent in Rome compared to Milan",
    "Do both films have the same director?",
    "Are Ana and Tom of the same nationality?",
    "what do Ana and Tom have in common",
    # chains of relations
    "Who is the mother of the director of Polish Wedding?",
    "the director of Air's birthplace",
    "Where was the husband of Elizabeth Barton born?",
    "What nationality is the composer of Replay?",
    "When did Richard Annesley's father die?",
    "what is my boss's wife called",
    "Who is Ana's grandmother?",
    "What is the cause of death of director of film Chingaari?",
    # counts and lists
    "how many doctors did I visit",
    "how many hours did we work in total",
    "the total cost of the trip",
    "how many days passed between the order and the delivery?",
    "list my subscriptions",
    "all the places I lived in",
    "which shoes have I run in",
    "what were the three findings",
    "what did it cost, and who paid?",
    "which hotel would you recommend",
    # other languages
    "Warum nutzen wir Redis?",
    "Wie viele Bücher habe ich gelesen?",
    "alle Rezepte mit Roggen",
    "¿cuántos libros he leído?",
    "explica la política de reintentos",
    "combien de livres ai-je lus",
    "toutes les recettes au seigle",
    "所有的食谱",
]
LOOKUP = [
    "",
    "what is the name of my cat?",
    "what is the credit limit with Halcyon",
    "when did I book the flat in Rome",
    "how many weeks ago did I meet Ana?",
    "how long is my commute",
    "who is Ana's father?",
    "who is the father of Stephen?",
    "what did I bake for my uncle's birthday party",
    "when is my mother's birthday",
    "how much is the rent",
    "which pair of shoes did I clean last month",
    "where did I buy my tennis racket",
    "the restaurant you recommended in Rome",
    "is it the same pull request",
    "a canary that goes all the way out",
    "Ana Souza",
    "src/recollect/config.py",
    "Who owned British Vogue from 1916 to 1922?",
    "Wann war das Treffen?",
    "¿quién es Ana?",
    "quel est le mot de passe du wifi",
]


@pytest.mark.parametrize("text", OPEN)
def test_what_takes_several_pieces_is_open(text: str) -> None:
    assert route(text).shape == "open", route(text).why


@pytest.mark.parametrize("text", LOOKUP)
def test_what_one_passage_can_answer_is_a_lookup(text: str) -> None:
    assert route(text).shape == "lookup", route(text).why


NEWEST = [
    "what is my current rent",
    "the latest price of flour",
    "which lens did I buy most recently",
    "who has the external seat now?",
    "how many pages have I read so far",
    "do we still use Redis?",
    "was ist die aktuelle Version",
    "¿cuál es la última versión?",
    "quelle est la version actuelle",
    "最新的版本",
    "какая сейчас версия",
]
NOT_NEWEST = [
    "",
    "what was my rent in Rome",
    "Which film was released more recently, Gang War or Robot Jox?",
    "which did I buy most recently, the lamp or the desk?",
    "the order of my trips from earliest to latest",
    "what you recommended last time",
    "was that an actual team rule",
    "do you know where it is",
]


@pytest.mark.parametrize("text", NEWEST)
def test_a_question_for_now_wants_the_newest(text: str) -> None:
    assert route(text).newest, route(text).why


@pytest.mark.parametrize("text", NOT_NEWEST)
def test_a_question_for_then_does_not(text: str) -> None:
    assert not route(text).newest, route(text).why


def test_the_reason_names_the_rule_and_the_words() -> None:
    assert route("when did we move to the current office?").why == (
        "temporal, asks when: “when did”; lookup; newest, how it is now: “current”"
    )
    assert route("flour").why == "general, no rule matched; lookup"


def test_spaces_and_lines_make_no_difference() -> None:
    assert route("  when\n did   we move ") == route("when did we move")


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert route("when did we move? " + "x" * 100_000).intent == "temporal"
    assert route("x " * 50_000 + "when did we move?").intent == "general"


@pytest.mark.parametrize(
    "rule", [*intents.INTENT, *intents.OPEN, *intents.NEWEST], ids=lambda rule: rule.name
)
def test_no_rule_matches_without_one_of_its_cues(rule: intents.IntentRule) -> None:
    for pattern in filter(None, (rule.begins, rule.finds)):
        assert without_cue(with_parts(pattern), rule.cues) == []


def test_a_clause_is_led_into_by_a_cue() -> None:
    assert without_cue(intents.PARTS["lead"], intents.LEADS) == []


def test_every_rule_has_an_example_here() -> None:
    names = {rule.name for rule in (*intents.INTENT, *intents.OPEN, *intents.NEWEST)}
    texts = [*(text for some in INTENTS.values() for text in some), *OPEN, *NEWEST]
    reasons = "; ".join(route(text).why for text in texts)
    assert not {name for name in names if f", {name}: " not in reasons}


WORDS = """which who what when how many much did do the of and or first older both same all list
mother director Ana's film before after not I we my , ? . - ( ) #12 a_b src/x.py 2026 warum wie
wann der cuándo qué pourquoi quand 什么 时候 когда متى now latest in total than""".split()
PHRASES = st.lists(st.sampled_from(WORDS), max_size=16).map(" ".join)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)


@given(st.one_of(PHRASES, ANY_TEXT))
def test_every_text_has_one_route_and_a_reason_in_one_line(text: str) -> None:
    found = route(text)
    assert found == route(text)
    assert found.intent in get_args(Intent)
    assert found.shape in get_args(Shape)
    assert found.why.startswith(found.intent)
    assert len(found.why.splitlines()) == 1
    assert len(found.why) < 300
