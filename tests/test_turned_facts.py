"""Facts whose values changed: what settles a conflict, and what is told while it is open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conftest import Cli
from recollect import Memory
from recollect.errors import UsageError
from recollect.nouns import Result
from recollect.testing.builders import note

OLD, NEW = "The upload limit is 25 MB.", "The upload limit is 100 MB."


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory://", embed_model="none") as opened:
        yield opened


def told(memory: Memory, question: str = "what is the upload limit?") -> list[Result]:
    return list(memory.search(question, cache=False).results)


def test_replacing_with_what_is_known_settles_the_conflict(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", id="old")
    memory.remember(NEW, id="new")
    done = memory.remember(NEW, replace=True)
    assert (done.action, done.fact.id) == ("changed", "new")
    assert [one.fact.text for one in memory.remember(NEW).conflicts] == []
    assert [one.text for one in memory.facts().items] == [NEW]


def test_the_command_says_that_it_is_settled(cli: Cli) -> None:
    cli("remember", OLD, "--name", "upload limit", "--no-embed")
    assert "says otherwise" in cli("remember", NEW, "--no-embed").out
    assert "changed" in cli("remember", NEW, "--replace", "--no-embed").out
    assert OLD not in cli("facts").out


def test_what_says_the_same_and_contradicts_nothing_stays_a_duplicate(memory: Memory) -> None:
    memory.remember(NEW, id="new")
    assert memory.remember(NEW, replace=True).action == "duplicate"


def test_a_fact_in_dispute_comes_with_its_rival_the_later_first(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", id="old", valid_from="2026-03-01")
    memory.remember(NEW, id="new", valid_from="2026-09-01")
    assert [one.text for one in told(memory)] == [NEW, OLD]
    hints = memory.search("what is the upload limit?", cache=False).hints
    assert any("says otherwise" in hint for hint in hints)


def test_a_rival_that_only_the_model_sees_is_told_until_either_text_changes() -> None:
    with Memory.open("memory://") as memory:
        memory.remember("We use Jenkins for CI", name="build server", id="old")
        memory.remember("We migrated to GitHub Actions for CI", id="new")
        question = "what is our build server?"
        assert {one.document for one in told(memory, question)} == {"old", "new"}
        memory.remember("The CI machine has a blue lid", name="build server", id="old")
        assert {one.document for one in told(memory, question)} == {"old"}


def test_only_those_are_told_to_disagree_that_were_found_to(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", valid_from="2026-03-01")
    memory.remember("The upload limit is 50 MB.", valid_from="2026-06-01")
    memory.remember(NEW, valid_from="2026-09-01")
    found = memory.search("what is the upload limit?", cache=False)
    assert [one.text for one in found.results] == [NEW, "The upload limit is 50 MB.", OLD]
    told = [hint for hint in found.hints if "says otherwise" in hint]
    assert [hint.endswith("than “upload limit”") for hint in told] == [True, True]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "Our liability insurance costs 180 EUR a year.",
            "The liability insurance is 210 EUR a year now.",
            "how much is the liability insurance?",
        ),
        (OLD, NEW, "what is the upload limit?"),
    ],
)
def test_a_dispute_of_facts_that_nobody_names_is_told_the_later_first(
    old: str, new: str, question: str
) -> None:
    with Memory.open("memory://") as memory:
        memory.remember(old)
        assert memory.remember(new).conflicts
        memory.remember("I get migraines from red wine.")
        memory.models.embed()
        found = memory.search(question, cache=False)
        assert [one.text for one in found.results] == [new, old]
        assert found.results[0].confidence >= found.results[1].confidence
        assert [hint for hint in found.hints if "says otherwise" in hint]


def test_a_context_states_one_side_of_a_dispute_and_says_that_it_is_open() -> None:
    with Memory.open("memory://") as memory:
        memory.remember("I drink tea.", type="preference")
        memory.remember("I prefer British spelling.", type="preference")
        assert memory.remember("I prefer American spelling.", type="preference").conflicts
        memory.models.embed()
        found = memory.context("which spelling?")
        assert found.prelude == (
            "I drink tea. I prefer American spelling. "
            "(Not settled; said before: I prefer British spelling.)"
        )
        assert any("says otherwise" in hint for hint in found.hints)


def test_a_fact_that_nothing_disputes_comes_alone(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit")
    memory.remember("The download limit is 100 MB.", name="download limit")
    assert [one.text for one in told(memory)] == [OLD]


def test_a_fact_tells_what_it_replaced_and_until_when_that_held(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", id="old", valid_from="2026-03-01")
    memory.remember(NEW, name="upload limit", id="new", valid_from="2026-09-01", supersedes=["old"])
    (result,) = told(memory)
    (earlier,) = result.earlier
    assert (result.text, earlier.text) == (NEW, OLD)
    assert f"{earlier.until:%Y-%m-%d}" == "2026-09-01"


def test_a_fact_that_took_over_by_date_is_told_with_the_one_before(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", valid_from="2026-03-01", valid_to="2026-09-01")
    memory.remember(NEW, name="upload limit", valid_from="2026-09-01")
    (result,) = told(memory)
    assert (result.text, [one.text for one in result.earlier]) == (NEW, [OLD])


def test_the_later_of_two_is_the_one_that_was_told_later_unless_both_say_when(
    memory: Memory,
) -> None:
    memory.remember(OLD, name="upload limit")
    memory.remember(NEW, name="upload limit", valid_from="2026-01-01")
    assert [one.text for one in told(memory)] == [NEW, OLD]


def test_of_two_that_say_when_the_later_is_the_one_that_begins_later(memory: Memory) -> None:
    memory.remember(NEW, name="upload limit", valid_from="2026-03-01")
    memory.remember(OLD, name="upload limit", valid_from="2026-01-01")
    assert [one.text for one in told(memory)] == [NEW, OLD]


def test_what_may_not_be_seen_is_not_told_as_earlier(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", id="old", scopes=["secret"])
    memory.remember(NEW, name="upload limit", scopes=["open"], supersedes=["old"])
    found = memory.search("what is the upload limit?", scopes=["open"], cache=False).results
    assert [(one.text, one.earlier) for one in found] == [(NEW, ())]


def test_of_two_facts_of_one_name_the_later_is_first_and_the_dispute_is_told(
    memory: Memory,
) -> None:
    memory.remember("The piano tuner is Gil.", name="piano tuner", valid_from="2026-01-01")
    memory.remember("The piano tuner is Roig now.", name="piano tuner", valid_from="2026-03-01")
    found = memory.search("who is the piano tuner?", cache=False)
    assert [one.text for one in found.results] == [
        "The piano tuner is Roig now.",
        "The piano tuner is Gil.",
    ]
    assert any("says otherwise" in hint for hint in found.hints)


def test_a_question_that_asks_more_of_a_named_fact_is_answered_by_what_says_that() -> None:
    with Memory.open("memory://") as memory:
        memory.remember("The Friday deploy freeze starts at 12:00 UTC.", name="friday freeze")
        said = "The incident INC-06 led to the earlier friday freeze: a migration locked invoices."
        memory.put([note("inc-06", said, title="INC-06")])
        memory.models.embed()
        whole = memory.search("when does the friday freeze start?", cache=False)
        assert [one.kind for one in whole.results] == ["fact"]
        more = memory.search("which incident led to the earlier friday freeze?", cache=False)
        assert "INC-06" in more.results[0].text
        assert "fact" in [one.kind for one in more.results]
        other = memory.search("who invented the friday freeze?", cache=False)
        assert [one.kind for one in other.results] == ["fact"]


@pytest.mark.parametrize("text", ["-Xmx4g -Xms1g", "path:/srv/data", "kind:note", "—", "🎉🎉"])
def test_nothing_in_a_fact_is_syntax(memory: Memory, text: str) -> None:
    memory.remember("The lawn is mowed on Fridays.")
    memory.remember(text, name="JVM flags")
    assert [one.text for one in told(memory, "what are the JVM flags?")] == [text]


def test_what_a_fact_quotes_hides_no_rival(memory: Memory) -> None:
    memory.remember(OLD)
    done = memory.remember('The upload limit is "100" MB.', name="upload limit")
    assert [one.fact.text for one in done.conflicts] == [OLD]
    memory.remember("The upload limit is 50 MB.")
    assert len(told(memory)) == 3


# ------------------------------------------------------------------ within what the caller allows


@pytest.mark.parametrize("budget", [60, 100, 300])
def test_what_holds_is_sent_before_what_it_replaced(memory: Memory, budget: int) -> None:
    long = "The upload limit is 25 MB, because the old disk was small and nobody had time. " * 12
    memory.remember(long, name="upload limit", id="old", valid_from="2026-03-01")
    memory.remember(NEW, name="upload limit", supersedes=["old"])
    found = memory.search("what is the upload limit?", budget=budget, cache=False)
    (result,) = found.results
    assert found.budget.used <= budget
    assert (result.text, len(result.earlier)) == (NEW, int(budget == 300))
    assert result.truncated == (budget < 300)


def test_a_rival_is_within_the_limit(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", valid_from="2026-03-01")
    memory.remember(NEW, name="upload limit", valid_from="2026-09-01")
    found = memory.search("what is the upload limit?", limit=1, cache=False)
    assert [one.text for one in found.results] == [NEW]
    assert any("says otherwise" in hint for hint in found.hints)


def test_a_named_fact_that_is_not_sure_enough_is_left_out(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit")
    ask = "what is the upload limit?"
    assert memory.search(ask, min_confidence=0.98, cache=False).results
    assert not memory.search(ask, min_confidence=0.999, cache=False).results
    assert memory.gather(ask, min_confidence=0.98).sections
    assert not memory.gather(ask, min_confidence=0.999).sections


@pytest.mark.parametrize("question", ["what is Emre's phone number?", "where does Emre live?"])
def test_a_named_fact_that_says_nothing_of_what_is_asked_is_no_direct_answer(
    question: str,
) -> None:
    with Memory.open("memory://") as memory:
        memory.remember("Emre Demir drives the delivery tour from 1 January.", name="Emre")
        assert memory.search("what does Emre drive?", cache=False).status == "direct_passages"
        found = memory.search(question, cache=False)
        assert found.status == "needs_synthesis"
        assert [one.kind for one in found.results] == ["fact"]


NAMED = {
    "Hausarzt": "My family doctor is Dr. Aylin Brandt.",
    "Jonas": "Jonas is a geologist.",
    "Quillbourne": "Quillbourne asked for a trial of 800 words.",
    "Emre": "Emre Demir drives the delivery tour.",
    "safe": "The safe is opened with 18-22-09.",
    "cat": "The cat's vet is Dr. Okafor, phone 0221 555.",
    "VAT id": "Our VAT id is DE812345678.",
    "staff outing": "The staff outing in 2026 was to the Externsteine on 14 June.",
    "Lena": "Lena was born on 3 May 2015.",
    "dentist": "The dentist is Dr. Weiss in Goethestr. 4.",
    "offsite": "The offsite venue is Hotel Miramar.",
    "wiki": "The wiki is wiki.example.org.",
}


@pytest.fixture(scope="module")
def office() -> Iterator[Memory]:
    with Memory.open("memory://") as memory:
        for name, text in NAMED.items():
            memory.remember(text, name=name)
        memory.remember("Priya is the producer at Quillbourne.")
        memory.models.embed()
        yield memory


@pytest.mark.parametrize(
    "question",
    [
        "Wer ist der Hausarzt von Jonas?",
        "Who is Jonas's dentist?",
        "who is the dentist of Lena?",
        "Which laptop does Jonas have?",
        "Who is Jonas Weber?",
        "Was zahlt Quillbourne pro Wort?",
        "What does Quillbourne pay per word?",
        "how old is Emre?",
        "Wie alt ist Emre?",
        "where is the safe?",
        "how old is the cat?",
        "when did we get the VAT id?",
        "where did we go on the staff outing in 2025?",
    ],
)
def test_a_named_fact_that_is_not_of_what_is_asked_is_not_sure(
    office: Memory, question: str
) -> None:
    found = office.search(question, cache=False)
    assert found.status != "direct_passages"
    assert found.confidence < 0.5


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Jonas", "Jonas"),
        ("who is Jonas?", "Jonas"),
        ("what about the safe?", "safe"),
        ("how do I open the safe?", "safe"),
        ("what is the VAT id?", "VAT id"),
        ("Wer ist mein Hausarzt?", "Hausarzt"),
        ("who is the cat's vet?", "cat"),
        ("how old is Lena?", "Lena"),
        ("when was Lena born?", "Lena"),
        ("where is the dentist?", "dentist"),
        ("where is the offsite?", "offsite"),
        ("where is the wiki?", "wiki"),
        ("when is the staff outing?", "staff outing"),
        ("where did we go on the staff outing in 2026?", "staff outing"),
        ("how many words did Quillbourne ask for?", "Quillbourne"),
    ],
)
def test_a_named_fact_that_is_of_what_is_asked_is_sure(
    office: Memory, question: str, name: str
) -> None:
    found = office.search(question, cache=False)
    assert (found.status, found.tier) == ("direct_passages", 2)
    assert found.results[0].text == NAMED[name]
    assert found.confidence > 0.9


HERS = {
    "wine": "Lena's favourite wine is Grauburgunder.",
    "passport": "Passport of Lena expires on 8 May 2027.",
    "films": "Lena dislikes horror films.",
    "milk": "Lena drinks oat milk, never cow's milk.",
    "car": "The car is a Skoda, licence plate H-LT 412.",
    "Wi-Fi": "The Wi-Fi is called Lindenblatt.",
    "Reisepass": "Der Reisepass von Lena läuft im Mai 2027 ab.",
    "Mara": "Mara is a nurse in Kassel.",
}


@pytest.fixture(scope="module")
def household() -> Iterator[Memory]:
    with Memory.open("memory://") as memory:
        for name, text in HERS.items():
            memory.remember(text, name=name)
        memory.models.embed()
        yield memory


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is Tom's favourite wine?", "wine"),
        ("what is tom's favourite wine?", "wine"),
        ("Tom's favourite wine", "wine"),
        ("When does Tom's passport expire?", "passport"),
        ("Which films does Tom dislike?", "films"),
        ("Which films does Mara dislike?", "films"),
        ("What milk does Felix drink?", "milk"),
        ("What is the licence plate of Tom's car?", "car"),
        ("Wann läuft Toms Reisepass ab?", "Reisepass"),
    ],
)
def test_a_fact_of_one_person_is_no_sure_answer_about_another(
    household: Memory, question: str, name: str
) -> None:
    found = household.search(question, cache=False)
    assert found.status != "direct_passages"
    assert HERS[name] in [one.text for one in found.results]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is Lena's favourite wine?", "wine"),
        ("What is my favourite wine?", "wine"),
        ("When does Lena's passport expire?", "passport"),
        ("Which films does Lena dislike?", "films"),
        ("Which Skoda is the car?", "car"),
        ("What's the Wi-Fi called?", "Wi-Fi"),
        ("Wann läuft Lenas Reisepass ab?", "Reisepass"),
    ],
)
def test_a_fact_of_whom_is_asked_about_is_sure(household: Memory, question: str, name: str) -> None:
    found = household.search(question, cache=False)
    assert found.status == "direct_passages"
    assert found.results[0].text == HERS[name]


def test_what_a_named_fact_has_is_not_told_to_be_lacking() -> None:
    with Memory.open("memory://") as memory:
        memory.remember("Lena's blood type is 0 negative.", name="blood type")
        memory.put([note("tom", "Tom gave blood on Tuesday, and Mara drove him home.")])
        memory.models.embed()
        found = memory.search("What is Tom's blood type, height and weight?", cache=False)
        assert len(found.results) == 2
        assert found.hints == ("none of these has “height”, “weight”",)


FLOUR = "Forn Ferrer uses only flour from Harinas Segura in Requena."
SUBSIDY = "Will Forn Ferrer get the subsidy for the electric oven?"


@pytest.fixture(scope="module")
def bakery() -> Iterator[Memory]:
    with Memory.open("memory://") as memory:
        memory.remember(FLOUR, name="Forn Ferrer", created_at="2026-01-01")
        memory.remember(SUBSIDY, name="Forn Ferrer", type="open_question")
        memory.remember("Which oven?", name="oven choice", type="open_question")
        memory.models.embed()
        yield memory


def test_an_open_question_stands_behind_the_facts_and_is_not_sure(bakery: Memory) -> None:
    found = bakery.search("where does Forn Ferrer get its flour?", cache=False)
    assert found.status == "direct_passages"
    assert [one.text for one in found.results] == [FLOUR, SUBSIDY]
    assert found.results[1].confidence < 0.6 < found.results[0].confidence


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("will Forn Ferrer get the subsidy?", SUBSIDY),
        ("what did we decide on the oven choice?", "Which oven?"),
    ],
)
def test_what_is_only_asked_is_told_and_is_no_sure_answer(
    bakery: Memory, question: str, text: str
) -> None:
    found = bakery.search(question, cache=False)
    assert found.status != "direct_passages"
    assert found.results[0].text == text


def test_an_open_question_that_is_looked_for_is_sure(bakery: Memory) -> None:
    found = bakery.search("oven choice", cache=False)
    assert (found.status, found.results[0].text) == ("direct_passages", "Which oven?")


def test_what_is_of_the_kind_that_is_asked_for_stands_before_a_named_fact(office: Memory) -> None:
    found = office.search("Who is the producer at Quillbourne?", cache=False)
    assert found.results[0].text.startswith("Priya")
    assert found.results[1].confidence < 0.5
    with Memory.open("memory://") as memory:
        memory.remember(NAMED["safe"], name="safe")
        memory.put([note("cellar", "The safe is in the cellar, behind the boiler.")])
        memory.models.embed()
        found = memory.search("where is the safe?", cache=False)
        assert [one.kind for one in found.results] == ["note", "fact"]
        assert found.status == "direct_passages"


def test_two_facts_that_are_named_side_by_side_are_both_told(office: Memory) -> None:
    found = office.search("the dentist and the Hausarzt?", cache=False)
    assert [one.text for one in found.results] == [NAMED["dentist"], NAMED["Hausarzt"]]
    assert found.status == "direct_passages"


def test_replacing_leaves_what_only_shares_the_subject(memory: Memory) -> None:
    memory.remember("The invoice number prefix is ACME.", id="prefix")
    memory.remember("Invoices are approved by Carla.", id="approver")
    done = memory.remember("Invoices are now approved by Dmitri.", supersedes=[], replace=True)
    assert "prefix" not in done.fact.supersedes
    assert "prefix" in [one.id for one in memory.facts().items]


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "The carrier HTTP timeout in production is 20 seconds since the outage.",
            "We deploy parcelhub to production Tuesday to Thursday only.",
        ),
        ("Mein Hausarzt ist Dr. X", "Mein Zahnarzt ist jetzt Dr. Okafor."),
        ("Our daughter Mieke goes to the Herderschule.", "Mieke now plays the cello."),
        ("Mieke plays the cello.", "Mieke now has a dog."),
        ("The staging server is staging-1.", "The production server is now prod-3."),
    ],
)
def test_replacing_leaves_what_shares_a_name_or_a_project(known: str, new: str) -> None:
    with Memory.open("memory://") as memory:
        memory.remember(known)
        done = memory.remember(new, replace=True)
        assert (done.replaced, "nothing was replaced" in done.note) == ((), True)
        assert {one.text for one in memory.facts().items} == {known, new}


def test_of_several_facts_of_one_person_the_right_one_is_replaced() -> None:
    with Memory.open("memory://") as memory:
        for known in (
            "Our daughter Mieke goes to the Herderschule.",
            "Mieke plays the cello.",
            "Mieke has swimming practice on Mondays.",
        ):
            memory.remember(known)
        done = memory.remember("Mieke now goes to the Goetheschule.", replace=True)
        assert [one.text for one in done.replaced] == [
            "Our daughter Mieke goes to the Herderschule."
        ]


DESK = "Co-working desk at the Kulturbahnhof, 120 EUR a month, ends in March."
DEARER = "Co-working desk costs 135 EUR a month since August."


@pytest.mark.parametrize("model", ["recollect-embed", "none"])
def test_a_replacement_that_replaces_nothing_names_the_nearest(model: str) -> None:
    with Memory.open("memory://", embed_model=model) as memory:
        old = memory.remember(DESK).fact
        memory.remember("The tax adviser is Frau Lindner.")
        done = memory.remember(DEARER, replace=True)
        assert done.note == "nothing was replaced"
        assert done.as_json()["nearest"] == {"id": old.id, "text": DESK}
        settled = memory.remember(DEARER, id=done.fact.id, supersedes=[old.id])
        assert settled.as_json()["replaced"] == [{"id": old.id, "text": DESK}]


def test_the_command_says_what_was_replaced_or_that_nothing_was(cli: Cli) -> None:
    cli("remember", DESK, "--no-embed")
    said = cli("remember", DEARER, "--replace", "--no-embed").out
    assert "nothing was replaced" in said
    assert f"nearest: {DESK}" in said
    assert "recollect supersede co-working-desk-at" in said
    cli("remember", OLD, "--name", "upload limit", "--no-embed")
    assert f": {OLD}" in cli("remember", NEW, "--replace", "--no-embed").out


def test_what_is_said_again_teaches_a_fact_its_name(memory: Memory) -> None:
    memory.remember("Fire warden on floor 3 is Deniz.", aliases=["warden"])
    done = memory.remember(
        "Fire warden on floor 3 is Deniz.",
        name="floor 3 warden",
        aliases=["evac lead"],
        pinned=True,
    )
    (fact,) = memory.facts().items
    assert (done.action, fact.name, fact.pinned) == ("changed", "floor 3 warden", True)
    assert fact.aliases == ("warden", "evac lead")
    assert told(memory, "who is the evac lead?")
    again = memory.remember("Fire warden on floor 3 is Deniz.", name="floor 3 warden")
    assert again.action == "duplicate"


def test_what_is_somebodys_is_not_told_as_ones_own() -> None:
    with Memory.open("memory://") as memory:
        memory.remember("Tomasz's birthday is 3 May.")
        assert memory.search("when is my birthday?", cache=False).results == ()
        assert memory.search("when is Tomasz's birthday?", cache=False).results


def test_a_context_has_both_sides_of_a_dispute_the_later_first(memory: Memory) -> None:
    memory.remember(
        "Invoices are approved by Carla.", name="invoice approver", valid_from="2026-01-01"
    )
    memory.remember(
        "Invoices are approved by Dmitri.", name="invoice approver", valid_from="2026-03-01"
    )
    found = memory.context("who is the invoice approver?")
    assert [one.text for one in found.relevant] == [
        "Invoices are approved by Dmitri.",
        "Invoices are approved by Carla.",
    ]
    assert any("says otherwise" in hint for hint in found.hints)


def test_what_replaces_a_pinned_fact_is_pinned(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", pinned=True)
    assert memory.remember(NEW, name="upload limit", replace=True).fact.pinned


def test_what_replaces_a_fact_answers_to_its_names(memory: Memory) -> None:
    memory.remember("We deploy on Fridays", name="deploy day", aliases=["release day"])
    new = memory.remember(
        "We deploy on Mondays", name="deploy day", aliases=["ship day"], replace=True
    )
    assert new.fact.aliases == ("ship day", "release day")
    for name in ("deploy day", "release day", "ship day"):
        answer = memory.search(f"when is {name}?")
        assert answer.status == "direct_passages", name
        assert answer.results[0].text == "We deploy on Mondays"


def test_a_name_that_only_the_replaced_fact_has_is_a_sure_answer(memory: Memory) -> None:
    memory.remember("We deploy on Fridays", id="old", name="release day")
    memory.remember("We deploy on Mondays", id="new", name="deploy day", supersedes=["old"])
    answer = memory.search("when is release day?")
    assert (answer.status, answer.results[0].document) == ("direct_passages", "new")


def test_what_replaces_a_fact_without_a_name_of_its_own_takes_its_name(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", aliases=["upload cap"])
    new = memory.remember(NEW, replace=True)
    assert (new.fact.name, new.fact.aliases) == ("upload limit", ("upload cap",))


def test_no_more_is_shown_than_was_found(memory: Memory) -> None:
    memory.remember(OLD, name="upload limit", aliases=["quota"])
    memory.remember(NEW, name="upload limit")
    found = memory.search("what is the quota?", cache=False)
    assert (len(found.results), found.total_found) == (2, 2)


def test_the_history_of_a_name_is_of_all_that_go_by_it(memory: Memory) -> None:
    for text in (OLD, NEW):
        memory.remember(text, name="upload limit")
    assert [event.text for event in memory.history("upload limit")] == [OLD, NEW]


def test_facts_of_one_name_are_told_apart_by_the_ids_that_are_shown(memory: Memory) -> None:
    ids = [memory.remember(text, name="upload limit").fact.id for text in (OLD, NEW)]
    with pytest.raises(UsageError) as refused:
        memory.forget("upload limit")
    assert all(id in refused.value.message for id in ids)


def test_the_receipt_names_what_holds_under_the_same_name(memory: Memory) -> None:
    old = memory.remember("The canary takes 45 minutes.", name="canary").fact
    new = memory.remember("The canary takes 60 minutes from December.", name="canary")
    assert old.id in new.note
    assert "holds as well" in new.note


def test_the_command_says_from_when_a_fact_holds(cli: Cli) -> None:
    done = cli("remember", OLD, "--valid-from", "2036-12-01", "--no-embed")
    assert "from 2036-12-01" in done.out


def test_the_command_says_which_fact_is_forgotten(cli: Cli) -> None:
    cli("remember", OLD, "--name", "upload limit", "--no-embed")
    done = cli("forget", "upload limit")
    assert "1 forgotten" in done.out
    assert OLD in done.out
