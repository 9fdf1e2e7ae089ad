"""What people said of themselves: what matters for a request, whatever its words.

"Any ideas for a week in October?" has no word in common with "I can't stand long flights". By words
nothing of it is stored, and the gate says so; yet that sentence is what the asker needs. So where
advice is asked for, or something told, the nearest statements in the first person are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from recollect.facts import KIND
from recollect.nouns import Candidate, StoredPassage
from recollect.nouns.documents import ROLES
from recollect.reading.pool import Pool

MOST = 8
AMONG, LEAST = 10, 4
"""Of so many of the nearest, so many speak in the first person where a store is about a person; an
encyclopedia knows nothing of who asks."""
EACH = 2
"""Statements of one document: a long talk in the first person is not all about what is asked."""
LONGEST = 50
"""Words of a statement; "we" in a longer text is mostly somebody else."""
_FIRST_PERSON = re.compile(
    r"\b(?:i|my|myself|we|our|ich|mein\w*|mich|mir|wir|unser\w*|je|mon|ma|mes|moi|nous|notre|nos"
    r"|yo|mi|mis|nosotr\w+|nuestr\w+|io|mio|mia|miei|noi|nostr\w+)\b|\bj['’]",
    re.IGNORECASE,
)
_MACHINES = frozenset(ROLES) - {"user"}


def own_words(pool: Pool) -> Sequence[Sequence[Candidate]]:
    """Returns of the documents nearest in meaning, nearest first, what speaks in the first person,
    the best before the next; of a store in which few of the nearest do, of the facts alone."""
    near = sorted((c for c in pool.best if c.signals.cosine), key=lambda c: -c.signals.cosine)
    spoken = [_speaking(c, pool) for c in near]
    few = len(list(filter(None, spoken[:AMONG]))) < min(LEAST, len(spoken))
    found = [some for some in spoken if some and (not few or is_fact(some[0], pool))]
    return found[:MOST]


def is_fact(candidate: Candidate, pool: Pool) -> bool:
    return pool.stored(candidate).document.kind == KIND


def _speaking(candidate: Candidate, pool: Pool) -> list[Candidate]:
    """Returns the best of its passages that say something of oneself."""
    others = (c.passage for c in pool.others.get(candidate.document, ()))
    passages = dict.fromkeys((candidate.passage, *others))
    spoken = (key for key in passages if key in pool.passages and _of_oneself(pool.passages[key]))
    return [candidate._replace(passage=key) for key in islice(spoken, EACH)]


def _of_oneself(stored: StoredPassage) -> bool:
    said = stored.passage
    brief = len(said.text.split()) <= LONGEST and said.role not in _MACHINES
    return brief and bool(_FIRST_PERSON.search(said.text))
