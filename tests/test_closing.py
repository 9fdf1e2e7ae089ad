"""What a later text says closes what was open: a question by its answer, a task by its end."""

from __future__ import annotations

from functools import cache

import pytest

from recollect import Memory, config
from recollect.memory.models import pairs_for, shipped
from recollect.text.closing import answers, is_done
from recollect.text.pairs import Judge

ANSWERED = [
    ("Which queue do we use for the jobs?", "We use RabbitMQ as the queue for the jobs."),
    ("Who takes over the pager in August?", "Kofi takes over the pager in August."),
    ("When do we release 2.4?", "We release 2.4 on 14 July."),
    ("Do we keep the Berlin office?", "We keep the Berlin office until 2028."),
]
UNANSWERED = [
    ("Which queue do we use for the jobs?", "We discussed which queue we use for the jobs."),
    ("Which queue do we use?", "We use RabbitMQ for the cache."),
    ("Who takes over the pager in August?", "Kofi takes over the pager in July."),
    ("When do we release 2.4?", "We release 2.5 on 14 July."),
    ("When do we release 2.4?", "We release 2.4 with the new exporter."),
    ("Do we keep the Berlin office?", "We propose to keep the Berlin office."),
]
DONE = [
    ("Kofi orders the label printer by Friday.", "The label printer was ordered."),
    ("Lena sends the contract to Linde.", "Lena has sent the contract to Linde."),
]
UNDONE = [
    ("Kofi orders the label printer by Friday.", "The label printer was moved to the warehouse."),
    ("Lena sends the contract to Linde.", "The contract to Linde was not sent yet."),
]


@cache
def judge() -> Judge:
    model = pairs_for(config.load(), shipped(config.load()))
    assert model is not None
    return model.judge


@pytest.mark.parametrize(("question", "said"), ANSWERED)
def test_a_question_is_answered_by_what_has_all_of_it_and_more(question: str, said: str) -> None:
    assert answers(question, said, judge())
    assert not answers(question, said, None)


@pytest.mark.parametrize(("question", "said"), UNANSWERED)
def test_what_is_about_the_same_or_something_near_answers_nothing(question: str, said: str) -> None:
    assert not answers(question, said, judge())


@pytest.mark.parametrize(("task", "said"), DONE)
def test_a_task_is_closed_by_what_says_that_it_was_done(task: str, said: str) -> None:
    assert is_done(task, said, judge())


@pytest.mark.parametrize(("task", "said"), UNDONE)
def test_what_was_done_to_something_else_or_not_at_all_closes_nothing(task: str, said: str) -> None:
    assert not is_done(task, said, judge())


ASKED = "# Weekly\n\n## Open questions\n\n- Which queue do we use for the jobs?\n"
TOLD = "# Weekly\n\n## Decided\n\n- We use RabbitMQ as the queue for the jobs.\n"


@pytest.mark.parametrize("first", [ASKED, TOLD])
def test_a_question_that_a_later_text_answers_is_not_told_as_open(first: str) -> None:
    days = {ASKED: "2026-06-02", TOLD: "2026-06-16"}
    with Memory.open("memory://") as memory:
        for text in (first, TOLD if first == ASKED else ASKED):
            receipt = memory.curate(text, name=days[text], date=days[text])
        (answer,) = memory.facts(limit=10).items
        assert answer.text == "We use RabbitMQ as the queue for the jobs."
        question, _ = memory.curation.timeline(answer.id)
        assert question.superseded_by == (answer.id,)
        assert receipt.items[0].why == "it answers the question"
        (address,) = memory.curation.topics()
        page = memory.curation.page_text(address)
        assert page.index("## Earlier") < page.index("Which queue do we use")
        assert not [line for line in memory.context("hello").lately if "2 Jun 2026" in line]


def test_a_question_that_is_asked_again_later_is_open() -> None:
    with Memory.open("memory://") as memory:
        memory.curate(TOLD, name="told", date="2026-06-16")
        memory.curate(ASKED, name="asked", date="2026-07-01")
        kinds = {fact.type for fact in memory.facts(limit=10).items}
    assert kinds == {"decision", "open_question"}
