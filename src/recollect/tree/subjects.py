"""What a text is about, by its title: the name of the folder that its pages go into."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.text.terms import fold

LONGEST = 60
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T _]\d\d[:-]\d\d(?:[:-]\d\d)?Z?)?\b"
    rf"|\b\d\d?\.?(?:st|nd|rd|th)? {_MONTH}(?: \d{{4}})?\b|\b{_MONTH} \d\d?,? \d{{4}}\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^\s*(?:(?:re|fwd?|aw)\s*:\s*|(?:design(?: doc(?:ument)?)?|rfc|adr|minutes|notes"
    r"|meeting(?: notes)?|proposal|draft|spec)[ #-]*\d*\s*[:–—]\s+)+",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\s+v\d+(?:\.\d+)*$", re.IGNORECASE)
_NUMBER = re.compile(r"^\s*(?:\d{1,2}\.)*\d{1,2}[.)]\s+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\\s]+")
_AROUND = " .,;:–—-#_()[]"

SECTIONS = frozenset(
    "action actions agenda appendix attendees background considered context decided decision "
    "decisions details discussion follow general goal goals intro introduction item items links "
    "list misc motivation next non note notes open other overview part present problem question "
    "questions reference references remarks solution status step steps summary task tasks todo "
    "topic topics up update updates".split()
)
"""Words of headings that name a part of any document, and no subject."""
GENRES = SECTIONS | frozenset(
    "agent archive chat chats claude codex cursor doc docs document documents draft email file "
    "files history home import inbox log logs mail mails md meeting meetings memo message messages "
    "minutes new page pages readme session sessions specstory src text texts thread threads tmp "
    "transcript transcripts txt untitled user users".split()
)
"""Words of titles and folders that name a kind of text, and no subject."""
OCCASIONS = GENRES | frozenset(
    "biweekly daily diary journal kick kickoff monthly plan planning plans postmortem quarterly "
    "report reports retro retrospective retrospectives review roadmap stand standup sync "
    "weekly yearly".split()
)
"""Words behind the name of a subject that tell on which occasion it was written about."""


def subject_name(title: str) -> str:
    """Returns what a title names: without dates, versions and the kind of text ("Design: Invoice
    exporter v2" is about the invoice exporter); nothing where only these are left."""
    said = _VERSION.sub("", _OPENER.sub("", _DATE.sub(" ", title), count=1).strip(_AROUND))
    name = named(said)
    return "" if is_among(name, GENRES) or _is_initial(name) else name


def without_occasion(name: str) -> str:
    """Returns what a name is without the words at its end for an occasion ("Lantern weekly"), and
    without what follows a colon; the name itself where nothing is left."""
    words = name.partition(":")[0].split()
    while len(words) > 1 and is_among(words[-1], OCCASIONS):
        words.pop()
    return " ".join(words) if words and not is_among(words[-1], OCCASIONS) else name


def shared_subjects(names: Iterable[str]) -> Mapping[str, str]:
    """Returns for each of the names of texts that belong together the subject of several of them
    that it begins with: "Lantern" of "Lantern kickoff" and "Lantern weekly". A name that stands
    alone is its own subject, and so is one that has always the same occasion."""
    known = dict.fromkeys(filter(None, names))
    told = {name: fold(name) for name in known}
    stems = {name: without_occasion(name) for name in known}
    count = Counter(fold(stems[name]) for name in {told[n]: n for n in known}.values())
    spelt = {fold(stem): stem for stem in sorted(stems.values()) if count[fold(stem)] > 1}
    return {
        name: next((spelt[s] for s in spelt if re.match(rf"{re.escape(s)}\b", told[name])), name)
        for name in known
    }


def _is_initial(name: str) -> bool:
    """Whether a name is a letter, perhaps with a number: "b", "t1"."""
    return re.fullmatch(r"[\W\d_]*[A-Za-z]?[\W\d_]*", name) is not None


def topic_name(heading: str) -> str:
    """Returns what a heading names, without its number; nothing where it names a part that any
    document has."""
    name = named(_NUMBER.sub("", _DATE.sub(" ", heading)))
    return "" if is_among(name, SECTIONS) else name


def folder_name(parts: tuple[str, ...]) -> str:
    """Returns the innermost of the folders of a file that names no kind of text."""
    return next((name for part in reversed(parts) if (name := subject_name(part))), "")


def is_among(name: str, words: frozenset[str]) -> bool:
    """Whether a name has no other words of letters than these."""
    return all(word in words for word in re.findall(r"[^\W\d_]+", fold(name)))


def named(written: str) -> str:
    """A name that a page can have: on one line, short, without slashes."""
    name = _UNSAFE.sub(" ", written).strip(_AROUND)
    if len(name) > LONGEST:
        name = name[:LONGEST].rsplit(" ", 1)[0].strip(_AROUND)
    return name
