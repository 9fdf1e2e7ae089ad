"""The sets, their domains, and which of their questions are asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from bench import corpus
from recollect.errors import InputError
from recollect_evals import suites
from recollect_evals.questions import Group, Question

TAUGHT = (
    "friends", "meetings", "mentor-sessions", "longmemeval", "personas", "covid", "policies",
    "web-questions", "timeqa", "2wiki", "xquad-en", "xquad-de", "shell", "support-faq", "scifact",
    "notes",
)  # fmt: skip
"""Sets that the shipped embedder was trained on: their domains have been seen by it, whatever is
left out of a fit. What its recipe gives for a domain left out is on its card."""
MOST = 150
"""Questions of a set that are asked, chosen by the hash of their ids."""
MOST_DOCUMENTS = 8_000
"""Documents of a set that are stored beside the gold of what is asked."""


class Set(NamedTuple):
    name: str
    domain: str
    fits: bool
    """Whether anything may be fitted on it; else it is read-only for ever."""
    place: str = ""

    @property
    def taught(self) -> bool:
        """Whether a model that ships has seen the domain."""
        return any(SETS[name].domain == self.domain for name in TAUGHT)

    @property
    def path(self) -> Path:
        folder = corpus.data_folder()
        if folder is None:
            raise InputError("the data folder is not here (RECOLLECT_DATA)")
        return folder / (self.place or self.name)


def _sets(domain: str, fits: bool, *names: str) -> tuple[Set, ...]:
    return tuple(Set(name.replace("/", "-"), domain, fits, place=name) for name in names)


SETS: dict[str, Set] = {
    one.name: one
    for one in (
        *_sets("conversation", True, "friends", "meetings", "mentor-sessions"),
        *_sets("conversation", False, "ubuntu-chat"),
        *_sets("personal memory", True, "longmemeval", "personas"),
        *_sets("personal memory", False, "preferences", "reminders"),
        *_sets("medicine", True, "covid"),
        *_sets("law", True, "policies"),
        *_sets("encyclopedia", True, "web-questions", "timeqa", "2wiki", "xquad/en", "xquad/de",
               "xquad/zh"),
        *_sets("code", True, "shell"),
        *_sets("code", False, "android-snippets"),
        *_sets("support", True, "support-faq"),
        *_sets("science", True, "scifact"),
        *_sets("science", False, "classics/cranfield", "classics/cisi", "classics/cacm"),
        *_sets("project records", True, "notes"),
        *_sets("finance", False, "filings"),
        *_sets("news", False, "news"),
        *_sets("technical docs", False, "kubernetes-docs"),
        *_sets("languages", False, "wiki-languages/ja", "wiki-languages/fa", "wiki-languages/ar",
               "wiki-languages/zh-Hant"),
    )
}  # fmt: skip


FOLDERS = "whole folders"
"""The domain of the files in ``bench/sets/folders`` (:mod:`bench.unseen.of_folders`)."""


def domain_of(name: str) -> str:
    """The domain of a set, or of a folder."""
    return SETS[name].domain if name in SETS else FOLDERS


def hashed(id: str) -> str:
    return sha1(f"unseen {id}".encode()).hexdigest()


@cache
def loaded(name: str) -> Group:
    """The whole set; its gold and evidence resolve, or it is named in the error."""
    one = SETS[name]
    suite = suites.load("jsonl", one.path)
    suites.survey(suite)
    (group,) = suite.groups()
    return group


def asked(name: str, most: int | None = MOST) -> Sequence[Question]:
    """The questions with the lowest hashes: those with an answer and those without in their
    proportion."""
    return sorted(loaded(name).questions, key=lambda question: hashed(question.id))[:most]


FOREIGN = 6
"""Questions of each set of another domain that a store is asked."""


def foreign(name: str) -> Sequence[Question]:
    """Questions of the other domains that may be fitted: nothing of what they ask is in this one.
    Their ids begin with their set."""
    return [
        question._replace(id=f"{other}/{question.id}", gold={}, owner=None, scopes=None)
        for other, one in SETS.items()
        if one.fits and one.domain != domain_of(name) and one.path.is_dir()
        for question in asked(other, FOREIGN)
    ]


def stored(name: str, most: int | None = MOST, documents: int | None = MOST_DOCUMENTS) -> Group:
    """What is put into the store: the gold of what is asked, and others with the lowest hashes."""
    group = loaded(name)
    if documents is None or len(group.documents) <= documents:
        return group
    gold = {id for question in asked(name, most) for id in question.gold}
    gold |= {unit.document for question in asked(name, most) for unit in question.evidence.units}
    ranked = sorted(
        group.documents, key=lambda one: (one.external not in gold, hashed(one.external))
    )
    kept = {one.external for one in ranked[: max(documents, len(gold))]}
    return group._replace(documents=tuple(d for d in group.documents if d.external in kept))
