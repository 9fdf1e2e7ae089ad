"""Whether a statement is in force, still open, or told as history."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.statements.in_force import Status, standing

STATEMENTS = {
    "undecided": [
        "Evaluating JWT vs session tokens for the new auth service. Not decided.",
        "Debating linear vs fragmented timeline for the novel.",
        "We might move to Kubernetes",
        "Database choice: TBD",
        "Open question: do we shard by tenant?",
        "I'm not sure whether to take the job in Oslo",
        "We haven't decided on a name yet",
        "Still deciding between Lisbon and Porto for the offsite",
        "No decision yet on the pricing model",
        "Whether to support IPv6 is still open",
        "Ob wir umziehen, ist noch offen",
        "Estamos evaluando dos proveedores",
        "Should we use tabs or spaces?",
        "The venue is to be confirmed",
        "I'm torn between law and medicine",
        "We are considering dropping Python 3.9",
        "Leaning towards Postgres, pending a decision from ops",
        "Perhaps we should rename the project",
    ],
    "outdated": [
        "Previously used TSLint for linting TypeScript. Replaced by ESLint.",
        "Historical: the API was versioned by header",
        "Was evaluating whether to self-host on bare metal or use Fly.io",
        "Was debating URL-path versioning vs header-based versioning for the public API.",
        "Formerly the capital of West Germany",
        "Switched from TSLint to ESLint with @typescript-eslint. Later replaced by Biome.",
        "Moment.js for dates. Deprecated in favour of date-fns.",
        "Previously wrote in first-person narrator voice. Replaced by close third-person.",
        "Früher haben wir SVN benutzt",
        "[DEPRECATED] Use the v1 endpoint",
        "The office was in Soho. This is no longer true.",
        "Anteriormente usábamos Jenkins",
        "Initially we deployed by hand",
        "We originally planned a mobile app. Superseded by the web version.",
    ],
    "active": [
        "Decided on MongoDB after evaluating Postgres. Raw driver only.",
        "We no longer use Redis",
        "I used to smoke but quit",
        "Vitest replaced Jest",
        "Replaced Jest with Vitest",
        "Biome is the linter. Replaced ESLint in May.",
        "I live in Berlin",
        "We do not use ORMs",
        "I previously worked at Google and now run a bakery",
        "Previously on Jenkins, we are now on GitHub Actions",
        "The questionnaire has 12 questions",
        "May is the month of the launch",
        "We use feature flags to decide which users see it",
        "Never store tokens in local storage",
        "Legacy customers keep the old price",
        "The debating club meets on Tuesdays",
        "I'm considerate of others",
        "Considered harmful: goto",
        "Historical novels are my favourite",
        "My daughter might be allergic to nuts",
        "Users may export their data",
        "You could say I'm a morning person",
        "The retry queue is drained before it is replaced by the nightly job",
        "Open the question bank before class",
        "We discussed it at length and settled on Postgres",
        "Deprecated endpoints return 410",
        "Old clients are not supported",
        "I stopped drinking coffee in January",
        "",
        "Initially sceptical, I now love it",
        "Formerly known as Twitter, X is now our main channel",
        "Evaluate each candidate with the rubric",
    ],
}


@pytest.mark.parametrize(
    ("status", "statement"),
    [(status, said) for status in STATEMENTS for said in STATEMENTS[status]],
)
def test_how_a_statement_stands(status: str, statement: str) -> None:
    assert standing(statement).status == status


def test_the_words_that_decided_are_shown() -> None:
    assert standing("Sharding by tenant: TBD").why == "tbd"
    assert standing("Formerly hosted in Dublin").why == "formerly"
    assert "replaced by" in standing("Nagios for alerts. Replaced by Grafana.").why
    assert standing("The tests run nightly") == ("active", "")


def test_a_decision_ends_the_debate_that_is_told_with_it() -> None:
    assert standing("We were not sure whether to shard. Decided against it.").status == "active"
    assert standing("Evaluating Kafka and NATS. We settled on NATS.").status == "active"
    assert standing("Evaluating Kafka and NATS. Nothing decided yet.").status == "undecided"


@given(st.text())
def test_any_text_stands_somehow(text: str) -> None:
    found = standing(text)
    assert found.status in get_args(Status)
    assert found == standing(text)
    assert bool(found.why) == (found.status != "active")
