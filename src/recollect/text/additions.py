"""What holds beside what was said before: one is allergic to several things, and has several pets.

A statement adds to another where it says so ("also", "as well"), or where both say the same of
something that may be so of many things: what one speaks, likes, owns, supports. Where it tells of a
change ("now", "instead", "no longer"), denies, or names another amount or time, it adds nothing. A
relation that is in no table holds once; a change that is taken for an addition leaves both.
"""

from __future__ import annotations

import re

from recollect.text import guard
from recollect.text.terms import fold

_SAYS_SO = re.compile(
    r"\b(?:also|as well(?! as\b)|additionally|in addition|another|auch|ebenfalls|ausserdem"
    r"|zusatzlich|tambien|ademas|aussi|egalement)\b|\btoo(?=\W*\Z)"
)
_CHANGES = re.compile(
    r"\b(?:now|no longer|any ?more|instead|only|new|latest|current(?:ly)?|from now on|rather"
    r"|used to|(?:switch|mov|replac|chang|migrat|renam|swap|leav|left|becom|becam|mean)\w*"
    r"|jetzt|nun|nicht mehr|kein\w*|statt\w*|nur|neu\w*|gewechselt|ahora|ya no|nuev\w+|solo"
    r"|maintenant|desormais|seulement|nouve\w+)\b"
)
_OF_SEVERAL = re.compile(
    r"\b(?:(?P<allergy>allergic to|allergisch gegen|alergic[oa] al?|allergique (?:a|aux?)\b)"
    r"|(?P<has>(?:has|have|owns?|keeps?) (?:an? )(?!total\b|budget\b|limit\b|plan\b|job\b|role\b))"
    r"|(?P<speech>speaks?(?! (?:at|for|on|to|with)\b)|spricht|sprechen|hablan?|parlent?)"
    r"|(?P<taste>(?:likes?|loves?|enjoys?|hates?|dislikes?|mag|liebt)\b)"
    r"|(?P<music>plays? the)"
    r"|(?P<support>(?:supports?|integrates? with|depends? on|unterstutzt)\b)"
    r"|(?P<trade>(?:sells?|ships?|delivers?|exports?) to\b))"
)
"""What is said of many things at once, a row a relation."""


def adds(old: str, new: str) -> bool:
    """Whether a statement says something more of what an earlier one is about, so that both
    hold."""
    before, after = fold(old), fold(new)
    if _CHANGES.search(after) or guard.denies(old) != guard.denies(new):
        return False
    if guard.differs_in_amount(old, new):
        return False
    return _SAYS_SO.search(after) is not None or _is_of_several(before, after)


def _is_of_several(old: str, new: str) -> bool:
    """Whether both say of the same that it does something that may be done to many things."""
    one, two = _OF_SEVERAL.search(old), _OF_SEVERAL.search(new)
    return (
        one is not None
        and two is not None
        and one.lastgroup == two.lastgroup
        and old[: one.start()].split() == new[: two.start()].split()
    )
