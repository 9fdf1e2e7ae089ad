"""Facts by what they are about, and the page of the context tree that each is for.

What it guarantees
- Facts whose subjects have one key (case, plural, hyphens and accents aside) are one group, and a
  group is on one page; a fact without a subject is in the group ``misc``.
- One text makes at most :data:`MOST_PAGES` pages, however many subjects it has: a subject has a
  page of its own when it has several facts; the others of a domain share one.
- The pages depend on the facts and the place only, not on their order. Every part of an address is
  a short name without slashes, and none but the subtopic is empty.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns import group_by
from recollect.text.keys import keys
from recollect.writing.curation import dedup
from recollect.writing.curation.extract import Extracted

MISC = "misc"
OWN_PAGE = 3
"""Facts that a subject needs for a page of its own."""
MOST_OWN = 3
"""Subjects of one text that have one."""
LONGEST = 60

Domain = Literal["personal", "project", "team"]
_SHARED: dict[Domain, str] = {
    "personal": "About the user",
    "project": "Decisions and facts",
    "team": "Who does what",
}
MOST_PAGES = MOST_OWN + len(_SHARED)
_PERSONAL = frozenset({"preference", "expertise"})
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\\s]+")


class GroupOrigin(NamedTuple):
    """Where a text is from, as far as pages are named by it."""

    source: str = ""
    title: str = ""
    project: str = ""
    """What several texts belong to; it, if there is one, is the topic."""


class Address(NamedTuple):
    domain: Domain
    topic: str
    subtopic: str
    title: str

    @property
    def path(self) -> str:
        return "/".join(filter(None, self))


class SubjectGroup(NamedTuple):
    """All facts of one subject."""

    key: str
    subject: str
    """As it is written most often."""
    facts: tuple[Extracted, ...]
    address: Address


def group(facts: Iterable[Extracted], place: GroupOrigin) -> tuple[SubjectGroup, ...]:
    """The groups, the largest first."""
    by_key = group_by(lambda fact: next(iter(keys(fact.subject)), MISC), facts)
    ordered = sorted(
        ((key, sorted(some, key=dedup.place)) for key, some in by_key.items()),
        key=lambda pair: (-len(pair[1]), pair[0]),
    )
    found = []
    own = 0
    for key, some in ordered:
        subject = _subject(some) if key != MISC else MISC
        domain = _domain(some)
        alone = key != MISC and own < MOST_OWN and (len(some) >= OWN_PAGE or len(ordered) == 1)
        own += alone
        found.append(SubjectGroup(key, subject, tuple(some), _address(domain, some, place, alone)))
    return tuple(found)


def pages(groups: Sequence[SubjectGroup]) -> dict[Address, tuple[SubjectGroup, ...]]:
    """The groups of each page."""
    found = group_by(lambda one: one.address, groups)
    return {address: tuple(some) for address, some in found.items()}


def _subject(facts: Sequence[Extracted]) -> str:
    counts = Counter(fact.subject for fact in facts)
    return min(counts, key=lambda name: (-counts[name], len(name), name))


def _domain(facts: Sequence[Extracted]) -> Domain:
    """That of most of its facts; between equals, the first in the order of the domains."""
    counts = Counter(map(_domain_of, facts))
    return max(_SHARED, key=lambda domain: counts[domain])


def _domain_of(fact: Extracted) -> Domain:
    if fact.type in _PERSONAL and fact.speaker == "user":
        return "personal"
    return "team" if fact.type == "relation" else "project"


def _address(
    domain: Domain, facts: Sequence[Extracted], place: GroupOrigin, alone: bool
) -> Address:
    if domain == "personal":
        topic = "user"
    else:
        topic = _named(place.project) or _named(place.title) or _named(place.source) or "general"
    if not alone:
        return Address(domain, topic, "", _SHARED[domain])
    headings = {fact.heading.partition(" > ")[0] for fact in facts}
    subtopic = _named(headings.pop()) if len(headings) == 1 else ""
    if subtopic.casefold() == topic.casefold():
        subtopic = ""
    return Address(domain, topic, subtopic, _named(_subject(facts)) or MISC)


def _named(written: str) -> str:
    """A name that a page can have: on one line, short, without slashes."""
    name = _UNSAFE.sub(" ", written).strip(" .")
    if len(name) > LONGEST:
        name = name[:LONGEST].rsplit(" ", 1)[0].strip(" .")
    return name
