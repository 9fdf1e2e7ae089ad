"""One more search, for what the first hits name: the page of the director, the linked note.

Only documents whose title is exactly such a name are taken, so that the step is a lookup, not
another guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.ports import Store
from recollect.text.stopwords import stopwords
from recollect.text.terms import query_terms
from recollect.types import Candidate, Filter, StoredPassage, TextQuery, words

PARENTS = 5
NAMES = 24
_LINK = re.compile(r"\[\[([^\]|#\n]{2,80})")
_NAME = re.compile(
    r"(?:[A-Z][\w.'’-]*|\b(?:of|de|la|von|van|der|the|and|et|al|bin)\b(?=\s[A-Z]))"
    r"(?:\s(?:[A-Z][\w.'’-]*|(?:of|de|la|von|van|der|the|and|et|al|bin)(?=\s[A-Z]))){0,6}"
)
_ASIDE = re.compile(r"\s*\([^)]*\)\s*$")


class Bridge(NamedTuple):
    """A document, by a passage of it, that a hit names."""

    document: int
    passage: int
    parent: Candidate
    name: str


def bridges(
    question: str, best: Sequence[Candidate], passages: Mapping[int, StoredPassage],
    filter: Filter, store: Store,
) -> list[Bridge]:  # fmt: skip
    """What the best hits name and the question does not."""
    asked = set(query_terms(question)[0])
    names: dict[str, tuple[tuple[str, ...], Candidate]] = {}
    for parent in best[:PARENTS]:
        stored = passages[parent.passage]
        for name in _names(stored.passage.text):
            stems = query_terms(name)[0]
            if stems and not asked.issuperset(stems) and len(names) < NAMES:
                names.setdefault(name, (stems, parent))
    found: dict[int, Bridge] = {}
    for name, (stems, parent) in names.items():
        query = TextQuery(any=words(dict.fromkeys(stems)), strict=True, field="title")
        hits = store.search_text(query, filter, limit=4).hits
        for stored in store.passages([hit.passage for hit in hits]):
            hit = next(h for h in hits if h.passage == stored.key)
            title = query_terms(_ASIDE.sub("", stored.document.title))[0]
            if title == stems and hit.document != parent.document:
                found.setdefault(hit.document, Bridge(hit.document, hit.passage, parent, name))
    return list(found.values())


def _names(text: str) -> list[str]:
    """Linked titles and runs of capitalised words, in order."""
    common = stopwords()
    linked = [match[1].strip() for match in _LINK.finditer(text)]
    spoken = []
    for match in _NAME.finditer(text):
        stems = query_terms(match[0])[0]
        if len(match[0]) > 3 and any(stem not in common for stem in stems):
            spoken.append(match[0].strip(" .,'’"))
    return list(dict.fromkeys(linked + spoken))
