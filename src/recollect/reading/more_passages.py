"""Further passages of a document that is kept: only those that add something.

A session may answer half of a question in one turn and half in another. A further passage is
worth its tokens when it has words of the question that what is shown of its document lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.nouns import Candidate, Contribution, StoredPassage
from recollect.ports import Store
from recollect.text.lexical import indexed_text
from recollect.text.terms import terms

MOST = 2
"""Further passages of one document."""
LOOKED_AT = 4
ADDS = 0.2
"""The least share of the question, by its words' worth, that a further passage must add."""


def with_further(
    kept: Sequence[Candidate], passages: dict[int, StoredPassage],
    spare: Mapping[int, Iterable[int]], worth: Mapping[str, float], store: Store, room: int,
) -> list[Candidate]:  # fmt: skip
    """The candidates, each followed by further passages of its document that add to it, *room*
    of them at most; their texts are put into *passages*. *worth* is what each word of the
    question is worth."""
    total = sum(worth.values())
    others = {
        c.document: [key for key in spare.get(c.document, ()) if key != c.passage][:LOOKED_AT]
        for c in kept
    }
    wanted = [key for some in others.values() for key in some if key not in passages]
    if not total or room < 1:
        return list(kept)
    if wanted:
        passages |= {p.key: p for p in store.passages(wanted)}
    made: list[Candidate] = []
    for candidate in kept:
        made.append(candidate)
        if not others[candidate.document]:
            continue
        shown = _words(passages[candidate.passage]) & worth.keys()
        added = 0
        for key in others[candidate.document]:
            if key not in passages or added == MOST or not room:
                continue
            new = (_words(passages[key]) & worth.keys()) - shown
            gain = sum(worth[word] for word in new) / total
            if gain >= ADDS:
                part = Contribution("adds", 0, gain, 0.0, 0.0)
                parts = (*candidate.contributions, part)
                made.append(candidate._replace(passage=key, contributions=parts))
                shown |= new
                added += 1
                room -= 1
    return made


def _words(stored: StoredPassage) -> set[str]:
    text = indexed_text("", stored.passage.heading, stored.passage.text)
    return set(terms(text).stem.split())
