"""Preferences of somebody whom a request for advice names.

"What should I cook for Mia?" has no word of "Mia does not eat meat" but the name, and what else is
kept of Mia answers it better; yet that preference decides what advice is any good.
"""

from __future__ import annotations

from recollect.facts import KIND, Fact, from_document
from recollect.nouns import Filter
from recollect.ports import Store
from recollect.reading.named import Facts
from recollect.text.questions.parse import words_of
from recollect.text.questions.route import is_personal
from recollect.text.questions.subjects import Subjects, less_owners, missing, subjects
from recollect.text.terms import stems
from recollect.trace import say, stage, unreported

AMONG, MOST = 30, 3
"""Facts with one of the names that are looked at, and preferences of these that are shown."""


@stage("preferences", otherwise=())
def preferred(text: str, facts: Facts, view: Store) -> tuple[Fact, ...]:
    """Returns the preferences, of those that may be seen, of whom a request for advice names."""
    asked = subjects(text)
    if not asked.names or not is_personal(text):
        return unreported(())
    limits = Filter(owner=facts.asked.owner, scopes=facts.asked.scopes, kinds=(KIND,))
    hits = view.search_text([words_of(" ".join(sorted(asked.names)))], limits, limit=AMONG)[0].hits
    stored = view.passages([hit.passage for hit in hits])
    known = (from_document(one.document, one.passage.text) for one in stored)
    found = [fact for fact in known if not facts.asked.hides(fact) and _is_of(fact, asked, text)]
    say("", found=len(found[:MOST]))
    return tuple(found[:MOST])


def _is_of(fact: Fact, asked: Subjects, text: str) -> bool:
    """Whether it is a preference that has one of the names, and not only as whose relative or
    friend somebody is."""
    told = less_owners(". ".join((*fact.names, fact.text)), stems(text))
    return fact.type == "preference" and missing(asked, told).names < 1
