"""What people said of themselves: what matters for a request, whatever its words.

"Any ideas for a week in October?" has no word in common with "I can't stand long flights". By words
nothing of it is stored, and the gate says so; yet that sentence is what the asker needs. So where
advice is asked for, or something told, the nearest statements in the first person are kept.
"""

from __future__ import annotations

import re

from recollect.facts import KIND
from recollect.nouns import Candidate, StoredPassage
from recollect.nouns.documents import ROLES
from recollect.reading.pool import Pool

MOST = 8
AMONG, LEAST = 10, 4
"""Of so many of the nearest, so many speak in the first person where a store is about a person; an
encyclopedia knows nothing of who asks."""
LONGEST = 50
"""Words of a statement; "we" in a longer text is mostly somebody else."""
_FIRST_PERSON = re.compile(
    r"\b(?:i|my|myself|we|our|ich|mein\w*|mich|mir|wir|unser\w*|je|mon|ma|mes|moi|nous|notre|nos"
    r"|yo|mi|mis|nosotr\w+|nuestr\w+|io|mio|mia|miei|noi|nostr\w+)\b|\bj['’]",
    re.IGNORECASE,
)
_MACHINES = frozenset(ROLES) - {"user"}


def own_words(pool: Pool) -> tuple[Candidate, ...]:
    """Returns the candidates nearest in meaning that speak in the first person, nearest first; of
    a store in which few of the nearest do, the facts alone."""
    near = sorted((c for c in pool.best if c.signals.cosine), key=lambda c: -c.signals.cosine)
    spoken = [_speaking(c, pool) for c in near]
    few = len(list(filter(None, spoken[:AMONG]))) < min(LEAST, len(spoken))
    found = [c for c in spoken if c and (not few or pool.stored(c).document.kind == KIND)]
    return tuple(found[:MOST])


def _speaking(candidate: Candidate, pool: Pool) -> Candidate | None:
    """Returns the candidate with the best of its passages that says something of oneself."""
    others = (c.passage for c in pool.others.get(candidate.document, ()))
    for passage in (candidate.passage, *others):
        if passage in pool.passages and _of_oneself(pool.passages[passage]):
            return candidate._replace(passage=passage)
    return None


def _of_oneself(stored: StoredPassage) -> bool:
    said = stored.passage
    brief = len(said.text.split()) <= LONGEST and said.role not in _MACHINES
    return brief and bool(_FIRST_PERSON.search(said.text))
