"""Whether a new statement repeats an older one, changes it, or stands beside it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect import Memory, config
from recollect.memory.models import pairs_for, shipped
from recollect.text.pairs import Judge, relation


def _pairs(text: str) -> list[tuple[str, str]]:
    rows = [tuple(part.strip() for part in line.split("|")) for line in text.strip().splitlines()]
    return [(old, new) for old, new in rows]


CHANGED = _pairs("""
I live in Oslo | I moved to Bergen in March
My sister lives in Rome | My sister moved to Milan
Anna works at Siemens | Anna left Siemens and joined Bosch
My email is ana@old.org | My email is ana@new.org
My dentist is Dr. Wong | My new dentist is Dr. Patel
I have two children | I have three children
We use Jenkins for CI | We migrated to GitHub Actions for CI
We deploy on Fridays | We no longer deploy on Fridays
The API timeout is 30 seconds | The API timeout was raised to 60 seconds
Deploys happen on Tuesdays | Deploys were moved to Thursdays
The staging database is hosted in eu-west-1 | The staging database moved to eu-central-1
Feature flag checkout_v2 is enabled | Feature flag checkout_v2 is disabled
The carrier HTTP timeout is 20 seconds since the outage | The carrier timeout is 45 seconds
Our daughter Mieke goes to the Herderschule. | Mieke now goes to the Goetheschule.
The contact at Nordwind is Lena Voss. | The contact at Nordwind is now Per Olsen.
Use npm in the shop. | Use pnpm, not npm, in the shop.
The insurance costs 180 EUR a year. | The insurance costs 210 EUR a year.
Tom has swimming practice on Thursdays at 4 pm. | \
Tom now has swimming practice on Tuesdays at 5 pm.
Mieke hat donnerstags um 16 Uhr Schwimmtraining. | \
Mieke hat jetzt dienstags um 17 Uhr Schwimmtraining.
Mein Hausarzt ist Dr. Weber. | Mein Hausarzt ist jetzt Dr. Okafor.
Die Miete beträgt 900 Euro. | Die Miete beträgt seit Mai 950 Euro.
""")
NEITHER = _pairs("""
I have a dog | I live in Oslo
My sister lives in Rome | My brother lives in Milan
The standup is at 9:30 | The retro is on Friday
We use Postgres for billing | The office has a new coffee machine
The ban wave runs on Tuesdays | Match replays are retained for 84 days
We don't send camera pictures to any cloud and we won't. | After that we move to Envoy Gateway.
We do not use Datadog any more. | We use Figma for design.
We switched from Terraform to Pulumi | We use Ansible for laptops
I drive a Volvo | I play the cello
I live in Oslo | I work at Acme
I moved to Bergen | I live in Oslo
The carrier HTTP timeout in production is 20 seconds since the GLS outage on 16 November. | \
We deploy parcelhub to production Tuesday to Thursday only.
We deploy parcelhub to production Tuesday to Thursday only. | Use ruff, not black, in parcelhub.
Our daughter Mieke goes to the Herderschule. | Mieke now plays the cello.
Mieke's class teacher is Frau Brandt. | Mieke now has swimming practice on Mondays.
Mein Hausarzt ist Dr. X | Mein Zahnarzt ist jetzt Dr. Okafor.
Our family doctor is Dr. Wong. | Our eye doctor is Dr. Patel.
My bank is the Sparkasse. | My insurer is now Allianz.
I work as a geologist. | I take guitar lessons now.
The contact at Nordwind is Lena Voss. | The contact at Hafenbau is Per Olsen.
The Nordwind project ends in March. | The Hafenbau project now ends in June.
My rate for Nordwind is 95 EUR an hour. | Nordwind pays after 45 days.
Use pnpm, not npm, in the shop. | The Sentry project of the shop is shop-web.
Mieke hat montags Schwimmtraining. | Mieke hat jetzt donnerstags Cello.
The new contract starts on 1 January 2027 and costs 1,840 EUR per month | \
Der Mitgliedsbeitrag steigt zum 1. Januar 2027 von 22 € auf 25 €
""")
SAME = _pairs("""
I'm vegan | I'm vegan.
Our API is rate-limited. | our API is rate-limited
The server is in Frankfurt. | Server is in Frankfurt
""")
NOT_SAME = _pairs("""
Enable the cache | Disable the cache
The job runs in staging | The job runs in production
Mr. Robert signed | Mr. Roberts signed
The probe reads -5 degrees | The probe reads 5 degrees
The load is < 10 | The load is > 10
The launch is on 2026-03-01 | The launch is on 2026-03-02
The key is user_id | The key is user_ids
I only drink tea | I drink tea
Entrance A is open | Entrance is open
The A team won | A team won
Use the C++ style | Use the C style
The C# style guide is new | The C style guide is new
Alice likes Bob | Bob likes Alice
""")
VALUES = _pairs("""
The API timeout is 30 seconds | The API timeout is 60 seconds
We deploy on Tuesday | We deploy on Thursday
The release branch is release/2.3 | The release branch is release/2.4
The contact is Anna | The contact is Ben
""")
ADDED = _pairs("""
Ana is allergic to nuts | Ana is allergic to cats
Tom is allergic to penicillin | Tom is also allergic to nuts
Mia has a cat | Mia has a dog
Priya speaks Hindi | Priya speaks French
Our API supports JSON | Our API supports XML
The team has a server in Frankfurt | The team has a server in Dublin
Tom ist allergisch gegen Penicillin | Tom ist auch allergisch gegen Nüsse
""")
INSTEAD = _pairs("""
Tom is allergic to penicillin | Tom is no longer allergic to penicillin
Ana lives in Leeds | Ana moved from Leeds to York
The standup is at nine | The standup is at ten
""")
WORDS = st.lists(
    st.sampled_from("the pump valve reads sends to from is not my we Lisbon tank".split())
)


@cache
def judge() -> Judge:
    model = pairs_for(config.load(), shipped(config.load()))
    assert model is not None
    return model.judge


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_what_changed(old: str, new: str) -> None:
    assert relation(old, new, judge()).kind == "changed"


@pytest.mark.parametrize(("old", "new"), NEITHER)
def test_what_stands_beside_it(old: str, new: str) -> None:
    assert relation(old, new, judge()).kind == "neither"


@pytest.mark.parametrize(("old", "new"), ADDED)
@pytest.mark.parametrize("named", [True, False])
def test_what_may_be_so_of_several_things_replaces_none(old: str, new: str, named: bool) -> None:
    assert relation(old, new, judge(), same_name=named).kind == "neither"


@pytest.mark.parametrize(("old", "new"), INSTEAD)
def test_what_is_told_as_a_change_is_no_addition(old: str, new: str) -> None:
    assert relation(old, new, judge()).kind == "changed"


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_words_need_no_model(old: str, new: str) -> None:
    assert relation(old, new, None).kind == relation(old, new, judge()).kind == "same"


@pytest.mark.parametrize(("old", "new"), [*NOT_SAME, *CHANGED])
def test_what_is_different_is_never_the_same(old: str, new: str) -> None:
    assert relation(old, new, judge()).kind != "same"


@pytest.mark.parametrize(("old", "new"), VALUES)
def test_a_value_of_what_has_the_same_name_needs_no_model(old: str, new: str) -> None:
    found = relation(old, new, None, same_name=True)
    assert found.kind == "changed"
    assert "→" in found.why


@pytest.mark.parametrize(("old", "new"), VALUES[2:])
def test_without_a_name_other_things_may_be_meant(old: str, new: str) -> None:
    assert relation(old, new, None).kind == "neither"


def test_several_times_change_only_where_it_says_now() -> None:
    old = "Mieke hat montags um 16 Uhr Training."
    also, now = (f"Mieke hat {said}mittwochs um 17 Uhr Training." for said in ("", "jetzt "))
    assert relation(old, also, None).kind == "neither"
    assert relation(old, now, None).why == "montags → mittwochs; 16 → 17"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mieke plays the cello.", "Mieke now has a dog."),
        ("The water bill is 40 EUR a month.", "The electricity bill is now 90 EUR a month."),
        ("I play the guitar.", "I now have choir on Mondays."),
    ],
)
def test_what_shares_one_word_is_never_sure_to_be_replaced(old: str, new: str) -> None:
    found = relation(old, new, judge())
    assert found.kind == "neither" or not found.sure


def test_facts_that_go_by_other_names_are_hardly_of_one_thing() -> None:
    shapes = "Shapes all {} examples toward {} and prevents suggesting {}."
    ts = f"Writes TypeScript in strict mode. {shapes.format('code', 'TypeScript', 'loose types')}"
    tests = f"Uses Vitest for all testing. {shapes.format('testing', 'Vitest', 'Jest')}"
    with Memory.open("memory://") as memory:
        memory.remember(ts, name="language TypeScript")
        assert not memory.remember(tests, name="testing with Vitest").conflicts
        again = memory.remember("Uses Jest for all testing, no longer Vitest.", name="testing")
        assert [one.fact.name for one in again.conflicts] == ["testing with Vitest"]


@given(st.text())
@example("the")
@example("© 2024, — not; 30%")
def test_a_text_repeats_itself(text: str) -> None:
    assert relation(text, text, None).kind == "same"


@given(st.text(), st.text(), st.booleans())
def test_no_text_raises(old: str, new: str, named: bool) -> None:
    assert relation(old, new, None, same_name=named).kind in ("same", "changed", "neither")


@given(WORDS, WORDS, st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_never_the_same(
    before: list[str], after: list[str], one: int, two: int
) -> None:
    old, new = (" ".join([*before, str(number), *after]) for number in (one, two))
    assert (relation(old, new, None).kind == "same") == (one == two)


@given(WORDS, WORDS, st.sampled_from(["not", "never", "no", "nicht", "nunca"]))
def test_a_negation_more_is_never_the_same(
    before: list[str], after: list[str], negation: str
) -> None:
    old, new = " ".join([*before, *after]), " ".join([*before, negation, *after])
    assert relation(old, new, None).kind != "same"
