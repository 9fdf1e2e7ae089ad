"""Whether two statements say the same, or one ends the other."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from recollect.text.terms import terms

ALIKE = 0.8
_PARTICULAR = re.compile(r"\d[\d.,:/-]*|\b[A-Z]\w+|\b(?:not|never|no|without)\b|n't\b")


class Verdict(NamedTuple):
    kind: Literal["duplicate", "supersedes", "compatible"]
    why: str


def compare(old: str, new: str, *, same_key: bool = False) -> Verdict:
    """What the new statement is to the old one. *same_key*: both are kept under one name."""
    was, now = set(terms(old).stem.split()), set(terms(new).stem.split())
    alike = len(was & now) / max(1, len(was | now))
    differ = set(_PARTICULAR.findall(old)) ^ set(_PARTICULAR.findall(new))
    if alike >= ALIKE and not differ:
        return Verdict("duplicate", "the same words, numbers, names and negations")
    if same_key and alike >= ALIKE / 2 and was != now:
        return Verdict("supersedes", "the same name, and another value")
    return Verdict("compatible", "")
