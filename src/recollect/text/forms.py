"""Whether two stems are forms of one word, where the stemmer does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from recollect.text.terms import stem

_REGULAR = re.compile(".{3,}ed")
_IRREGULAR = (
    "keep kept,get got gotten,go went gone,buy bought,sell sold,tell told,pay paid,hold held,"
    "leave left,meet met,lose lost,find found,make made,write wrote written,drive drove driven,"
    "take took taken,give gave given,eat ate eaten,wear wore worn,choose chose chosen,"
    "begin began begun,run ran,speak spoke spoken,break broke broken,fly flew flown,"
    "know knew known,grow grew grown,see saw seen,say said,think thought,teach taught,"
    "catch caught,bring brought,"
    "feel felt,sleep slept,sit sat,stand stood,win won,hang hung,ride rode ridden,sing sang sung,"
    "drink drank drunk,swim swam,wake woke woken,become became,come came,do did done,"
    "send sent,spend spent,build built,lend lent,hear heard,mean meant,lead led,fall fell fallen,"
    "throw threw thrown,draw drew drawn,forget forgot forgotten,fight fought,show shown,"
    "understand understood,steal stole stolen,bend bent,feed fed,rise rose risen,shoot shot"
)


def is_form(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: of an irregular verb, or by all letters but the
    last ("lend", "lent"); a number has no forms."""
    start = one[:-1]
    regular = len(start) >= 3 and len(one) == len(other) and other.startswith(start)
    regular = regular and not one[-1:].isdigit()
    return regular or verb(one) == verb(other)


def is_past(word: str) -> bool:
    """Whether a folded English word looks like a verb in the past."""
    return _REGULAR.fullmatch(word) is not None or stem(word) in _irregular()


def verb(form: str) -> str:
    """The stem of an irregular verb, for the stem of a form of it; any other stem as it is."""
    return _irregular().get(form, form)


@cache
def _irregular() -> Mapping[str, str]:
    rows = (map(stem, row.split()) for row in _IRREGULAR.split(","))
    return {form: first for first, *forms in rows for form in forms}
