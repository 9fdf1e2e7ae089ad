"""One more search, for what the first hits name: the page of the director, the linked note.

Only documents that are called by such a name are taken (their title or id is the name, or their
text begins with it), so that the step is a lookup, not another guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.ports import Store
from recollect.text.stopwords import stopwords
from recollect.text.terms import phrase_terms, query_terms
from recollect.types import Candidate, Clause, Filter, Hit, StoredPassage, TextQuery, words

PARENTS = 5
NAMES = 24
LOOKED_AT = 20
_LINK = re.compile(r"\[\[([^\]|#\n]{2,80})")
_WORD = r"(?:[A-Z]\.|[A-Z][\w'’-]+)"
_JOINS = r"(?:of|de|la|le|von|van|der|den|the|and|et|al|bin|di|da|du)"
_NAME = re.compile(rf"{_WORD}(?:,?\s(?:{_JOINS}\s){{0,2}}{_WORD}){{0,6}}")
_APART = re.compile(r",\s|\sand\s")
_AFTER = re.compile(r"\s*(?:[.(:\n]|[-–—]\s|$)")
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
        for hit in _called(name, stems, filter, store):
            if hit.document != parent.document:
                found.setdefault(hit.document, Bridge(hit.document, hit.passage, parent, name))
    return list(found.values())


def _called(name: str, stems: tuple[str, ...], filter: Filter, store: Store) -> Iterator[Hit]:
    """Passages of the documents of that name: looked for among titles, then in what has it."""
    terms = words(dict.fromkeys(stems))
    phrase = Clause("phrase", phrase_terms(name))
    titles = TextQuery(any=terms, strict=True, field="title")
    for query in (titles, TextQuery(any=terms, must=(phrase,))):
        hits = {h.passage: h for h in store.search_text(query, filter, limit=LOOKED_AT).hits}
        for stored in store.passages(list(hits)):
            if _is_called(stored, name):
                yield hits[stored.key]


def _is_called(stored: StoredPassage, name: str) -> bool:
    """Whether this is the document of that name, told by its title, its id or its first words."""
    wanted, document = phrase_terms(name), stored.document
    if any(phrase_terms(_ASIDE.sub("", t)) == wanted for t in (document.title, document.external)):
        return True
    text = stored.passage.text.lstrip("# ")
    begins = text[: len(name)].lower() == name.lower()
    return begins and stored.passage.n == 0 and bool(_AFTER.match(text, len(name)))


def _names(text: str) -> list[str]:
    """Linked titles and capitalised words, those of several words first; what is joined by a
    comma or an "and" is also taken apart, for it may be one name or two."""
    common = stopwords()
    linked = [match[1].strip() for match in _LINK.finditer(text)]
    spoken = []
    for match in _NAME.finditer(text):
        for name in (match[0], *_APART.split(match[0])):
            name = name.removesuffix("'s").removesuffix("’s")
            if len(name) > 3 and any(stem not in common for stem in query_terms(name)[0]):
                spoken.append(name)
    return list(dict.fromkeys(linked + sorted(spoken, key=lambda name: " " not in name)))
