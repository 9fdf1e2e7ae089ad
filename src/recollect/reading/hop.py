"""One more search, for what the first hits name: the page of the director, the linked note.

Only documents that are called by such a name are taken (their title or id is the name, or their
text begins with it), so that the step is a lookup, not another guess.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, Clause, Filter, Hit, StoredPassage, TextQuery, words
from recollect.ports import Store
from recollect.reading.pool import Pass, Pool, of_passages
from recollect.text.stopwords import stopwords
from recollect.text.terms import phrase_terms, query_terms
from recollect.trace import say, skip, stage

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

    @property
    def hit(self) -> Hit:
        """As sure as the hit that names it."""
        return Hit(self.passage, self.document, self.parent.confidence)


@stage("hop")
def bridges(pool: Pool) -> list[Bridge]:
    """Returns the documents that the best hits name and the question does not."""
    why = _why_not(pool)
    if why:
        return skip(why, [])
    found = _bridges(pool)
    names = [bridge.name for bridge in found]
    more = " …" if names[4:] else ""
    named = f"named by the best hits: {', '.join(names[:4])}{more}"
    say(named if names else "the best hits name no other document", found=len(found))
    return found


def _why_not(pool: Pool) -> str:
    if pool.of.policy.by != "hybrid":
        return f"the search is {pool.of.policy.by}"
    if not pool.best:
        return "nothing was found"
    return "" if pool.of.hop else "it asks for one thing"


def _bridges(pool: Pool) -> list[Bridge]:
    asked = set(query_terms(pool.of.parsed.prose)[0])
    names: dict[str, tuple[str, ...]] = {}
    parents: dict[str, Candidate] = {}
    for parent in pool.best[:PARENTS]:
        if len(names) == NAMES:
            break
        for name, stems in _names(pool.stored(parent).passage.text).items():
            if stems and not asked.issuperset(stems) and len(names) < NAMES:
                names.setdefault(name, stems)
                parents.setdefault(name, parent)
    found: dict[int, Bridge] = {}
    hits = _looked_up(names, pool.of)
    for name, parent in parents.items():
        for hit in hits[name, pool.of.filter]:
            if hit.document != parent.document:
                found.setdefault(hit.document, Bridge(hit.document, hit.passage, parent, name))
    return list(found.values())


def _looked_up(
    names: Mapping[str, tuple[str, ...]], asked: Pass
) -> Mapping[tuple[str, Filter], Sequence[Hit]]:
    """Passages of the documents of each name, by it and the filter, among others."""
    known = asked.lookups.called if asked.lookups else {}
    new = {name: stems for name, stems in names.items() if (name, asked.filter) not in known}
    for name, hits in _called(new, asked.filter, asked.view):
        known[name, asked.filter] = hits
    return known


def _called(
    names: Mapping[str, tuple[str, ...]], filter: Filter, store: Store
) -> Iterator[tuple[str, list[Hit]]]:
    """Passages of the documents of each name: looked for among titles, then in what has it."""
    queries = []
    for name, stems in names.items():
        terms, phrase = words(dict.fromkeys(stems)), Clause("phrase", phrase_terms(name))
        queries.append(TextQuery(any=terms, strict=True, field="title"))
        queries.append(TextQuery(any=terms, must=(phrase,), strict=True))
    found = [one.hits for one in store.search_text(queries, filter, limit=LOOKED_AT)]
    keys = dict.fromkeys(hit.passage for hit in chain.from_iterable(found))
    stored = {one.key: (one, _titles(one)) for one in store.passages(list(keys))}
    for name, titles, phrases in zip(names, found[::2], found[1::2], strict=True):
        wanted = phrase_terms(name)
        hits = of_passages(titles + phrases, stored)
        yield name, [hit for hit in hits if _is_called(*stored[hit.passage], name, wanted)]


def _titles(stored: StoredPassage) -> tuple[tuple[str, ...], ...]:
    """The words of its title and of its id."""
    named = (stored.document.title, stored.document.external)
    return tuple([phrase_terms(_ASIDE.sub("", one) if ")" in one else one) for one in named])


def _is_called(
    stored: StoredPassage, titles: Collection[tuple[str, ...]], name: str, wanted: tuple[str, ...]
) -> bool:
    """Whether this is the document of that name, told by its title, its id or its first words."""
    if wanted in titles:
        return True
    text = stored.passage.text.lstrip("# ")
    begins = text[: len(name)].lower() == name.lower()
    return begins and stored.passage.n == 0 and bool(_AFTER.match(text, len(name)))


def _names(text: str) -> dict[str, tuple[str, ...]]:
    """Linked titles and capitalised words, those of several words first, each with its stems;
    what is joined by a comma or an "and" is also taken apart, for it may be one name or two."""
    common = stopwords()
    linked = [match[1].strip() for match in _LINK.finditer(text)] if "[[" in text else []
    spoken: dict[str, tuple[str, ...]] = {}
    for match in _NAME.finditer(text):
        for name in dict.fromkeys((match[0], *_APART.split(match[0]))):
            name = name.removesuffix("'s").removesuffix("’s")
            if len(name) > 3 and name not in spoken:
                stems = query_terms(name)[0]
                if not common.issuperset(stems):
                    spoken[name] = stems
    several = {name: stems for name, stems in spoken.items() if " " in name}
    return {name: query_terms(name)[0] for name in linked} | several | spoken
