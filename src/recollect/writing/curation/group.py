"""Facts by the page of the context tree that each is for: ``subject/topic``.

The subject is what the text is about: its project, else what its title names. The topics are
chosen among labels: pages that are there, headings of sections, and names that recur. The label
that covers most of the facts comes first, by weight, and again for those that are left (a greedy
cover). What no label covers is on the page of the subject itself, and moves to a page of its own
once there is enough of it.

What it guarantees
- Every fact is on one page. A new page has several facts: one alone makes none, except the
  subject's.
- One text makes at most :data:`MOST_PAGES` new pages, however many subjects it has.
- The pages depend on the facts, the place and the pages that are there, not on the facts' order.
  Both parts of an address are short names without slashes, and neither is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse
from typing import Literal, Protocol

from recollect.facts import PERSONAL
from recollect.named_tuple import NamedTuple
from recollect.nouns import filled, group_by, not_among
from recollect.text.keys import words
from recollect.text.ordinary import commonness
from recollect.text.support import tables
from recollect.text.terms import fold, stem
from recollect.tree import canonical
from recollect.tree.subjects import named, subject_name, topic_name, without_occasion
from recollect.writing.curation import dedup
from recollect.writing.curation.extract import Extracted
from recollect.writing.curation.subjects import names

GENERAL, OVERVIEW = "General", "overview"
MOST_OWN = 4
"""New topics of one text."""
MOST_PAGES = MOST_OWN + 2
_UNNAMED = ("", "curated")


class GroupOrigin(NamedTuple):
    """Where a text is from, as far as pages are named by it."""

    source: str = ""
    title: str = ""
    project: str = ""
    """What several texts belong to; it, if there is one, is the subject."""

    @property
    def subject(self) -> str:
        source = "" if self.source in _UNNAMED else named(self.source)
        return named(self.project) or subject_name(self.title) or source or GENERAL


class Address(NamedTuple):
    subject: str
    topic: str
    title: str
    """What the page is called."""

    @property
    def path(self) -> str:
        return canonical(f"{self.subject}/{self.topic}")


class KnownPage(NamedTuple):
    """A page that is there: its address and its title."""

    address: str
    title: str

    @property
    def subject(self) -> str:
        return self.address.partition("/")[0]


class Shelf(Protocol):
    """The pages that are there, for facts to be filed on."""

    def pages(self) -> Sequence[KnownPage]: ...

    def texts(self, address: str) -> Sequence[str]:
        """What the facts say that are on a page."""
        ...


class SubjectGroup(NamedTuple):
    """All facts of one page."""

    key: str
    facts: tuple[Extracted, ...]
    address: Address


Kind = Literal["page", "heading", "name"]
WEIGHTS: dict[Kind, tuple[float, int]] = {"page": (3.0, 1), "heading": (2.0, 2), "name": (1.0, 3)}
"""What a fact under such a label counts, and how many facts a page under it needs."""


class Label(NamedTuple):
    """A page that facts could be on."""

    kind: Kind
    address: Address
    key: str
    """What a fact says that belongs there, as :func:`spoken` has it."""


Covered = Mapping[Label, Sequence[Extracted]]
"""The facts under each label."""


def group(
    facts: Iterable[Extracted], place: GroupOrigin, shelf: Shelf | None = None
) -> tuple[SubjectGroup, ...]:
    """The groups, the largest first."""
    some = sorted(facts, key=dedup.place)
    own = list(filterfalse(_is_personal, some))
    chosen = _Filing(own, place, shelf).chosen()
    user = Address("User", "preferences", "Preferences")
    on = [(chosen.get(fact, user), fact) for fact in some]
    by_path = group_by(lambda pair: pair[0].path, on)
    found = [
        SubjectGroup(path, tuple(fact for _, fact in pairs), pairs[0][0])
        for path, pairs in by_path.items()
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.facts), one.key)))


@lru_cache(maxsize=512)
def spoken(text: str) -> str:
    """The stems of a text between blanks, by which a label is found in it."""
    return f" {' '.join(stem(word.folded) for word in words(text))} "


def _is_personal(fact: Extracted) -> bool:
    return fact.type in PERSONAL and fact.speaker == "user"


class _Filing:
    """The choice of a page for each fact of a text."""

    def __init__(self, facts: Sequence[Extracted], place: GroupOrigin, shelf: Shelf | None) -> None:
        self._facts = facts
        self._subject = place.subject
        self._said = {fact: spoken(f"{fact.statement} {fact.subject}") for fact in facts}
        self._headings = {fact: _heading(fact, self._subject, place.title) for fact in facts}
        self._pages = shelf.pages() if shelf else ()
        self._subjects = {spoken(one.subject): one.subject for one in self._pages}
        loose = shelf.texts(Address(self._subject, OVERVIEW, "").path) if shelf else ()
        self._loose = [*map(spoken, loose)]

    def chosen(self) -> dict[Extracted, Address]:
        facts = dict.fromkeys(self._facts)
        covered = {
            label: [fact for fact in facts if self._is_under(fact, label)]
            for label in self._labels()
        }
        found: dict[Extracted, Address] = {}
        new = 0
        while covered := self._enough(covered, found, new):
            best = min(covered, key=lambda label: _order(label, covered[label]))
            new += best.kind != "page"
            found |= dict.fromkeys(covered[best], best.address)
        rest = Address(self._subject, OVERVIEW, self._subject)
        return dict.fromkeys(facts, rest) | found

    def _enough(
        self, covered: Covered, found: Collection[Extracted], new: int
    ) -> dict[Label, list[Extracted]]:
        """The labels that still have as many facts as they need."""
        left = {
            label: list(not_among(some, found))
            for label, some in covered.items()
            if label.kind == "page" or new < MOST_OWN
        }
        return {label: some for label, some in left.items() if self._is_enough(label, some)}

    def _is_enough(self, label: Label, covered: Sequence[Extracted]) -> bool:
        loose = sum(label.key in said for said in self._loose) if label.kind == "name" else 0
        return bool(covered) and len(covered) + loose >= WEIGHTS[label.kind][1]

    def _is_under(self, fact: Extracted, label: Label) -> bool:
        if label.kind == "heading":
            return spoken(self._headings[fact]) == label.key
        return label.key in self._said[fact] or label.key == spoken(self._headings[fact])

    def _labels(self) -> Iterator[Label]:
        here = canonical(f"{self._subject}/{OVERVIEW}").partition("/")[0]
        for page in self._pages:
            key = spoken(page.title)
            if not page.address.endswith(f"/{OVERVIEW}") and (
                page.subject == here or is_name(page.title)
            ):
                yield Label("page", _address_of(page), key)
        for heading in dict.fromkeys(filter(None, self._headings.values())):
            yield Label("heading", self._under(heading), spoken(heading))
        speakers = {spoken(fact.speaker) for fact in self._facts}
        for key, name in sorted(self._names(speakers).items()):
            yield Label("name", Address(self._subject, name, name), key)

    def _under(self, heading: str) -> Address:
        """The page of a section: that of another subject where the heading names it."""
        said = spoken(heading)
        subject = next((name for key, name in self._subjects.items() if key in said), "")
        return Address(subject or self._subject, heading, heading)

    def _names(self, speakers: Collection[str]) -> dict[str, str]:
        """What the facts name that may be a topic, as it is written first."""
        found: dict[str, str] = {}
        subject = spoken(self._subject)
        for fact in self._facts:
            for name in filter(is_name, (fact.subject, *names(fact.statement))):
                key = spoken(name)
                if key.strip() and key not in speakers and key not in subject:
                    found.setdefault(key, named(name))
        return filled(found)


def _order(label: Label, covered: Sequence[Extracted]) -> tuple[float, int, str]:
    """The heaviest first, then the longest name."""
    return -WEIGHTS[label.kind][0] * len(covered), -len(label.key), label.key


def _heading(fact: Extracted, subject: str, title: str) -> str:
    """The innermost of its headings that names a topic, and not the subject itself. The title of
    a text is no topic where it names a kind of text ("Session")."""
    said = [one for one in fact.heading.split(" > ") if one != title or subject_name(title)]
    topics = (name for heading in reversed(said) if (name := topic_name(heading)))
    found = next(topics, "")
    name = subject_name(found)
    is_own = name == subject or fold(without_occasion(name)) == fold(subject)
    return "" if is_own else found


def _address_of(page: KnownPage) -> Address:
    subject, _, topic = page.address.partition("/")
    return Address(subject, topic, page.title)


def is_name(said: str) -> bool:
    """Whether a phrase names something by itself: several words, or one that is not everybody's and
    no month."""
    some = [word.folded for word in words(said)]
    own = (commonness(word) != "ordinary" and not tables.month_number(word) for word in some)
    return len(some) > 1 or any(own)
