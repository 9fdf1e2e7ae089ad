"""What a sentence adds to its spans by a small word: a bound in time, "all", "only", "must".

Such a word is accounted for by itself or by one that may say the same; each row of the table has
both. What is told as done says nothing of what must, should, can or will be.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.named_tuple import NamedTuple
from recollect.text.forms import is_past
from recollect.text.support import tables
from recollect.text.support.reading import SentenceClause
from recollect.text.support.spelling import spelled
from recollect.text.terms import fold

_WORD = re.compile(r"[^\W\d_]+")
_DATE = (
    r"(?:the |dem |den |le |el )?(?:\d\d?\.? )?(?:(?:early|mid|late|end of|ende|anfang|mitte)[ -])?"
    rf"(?:(?:{'|'.join((*tables.MONTHS, *tables.WEEKDAYS))})\b"
    r"|(?:19|20)\d\d\b|\d\d?(?::\d\d| ?[ap]m\b| uhr\b))"
)
_NUMBER = rf"(?: of)?(?: the)? ?(?:\d|(?:{'|'.join(tables.NUMBERS)})\b)"


class Addition(NamedTuple):
    """What a sentence may add."""

    said: str
    """A pattern of the folded text; what is matched is shown."""
    accounted: frozenset[str]
    """The words of the spans that account for it; a number that is a bound is ``≤`` or ``≥``."""


_ADDITIONS = tuple(
    Addition(said, frozenset(accounted.split()))
    for said, accounted in (
        (
            rf"\b(?:before|prior to|vor|antes de|avant) {_DATE}",
            """before prior until till by earlier due deadline latest previous vor vorher bis
            spatestens fruher antes hasta avant jusqu ≤""",
        ),
        (
            rf"\b(?:after|nach|despues de|apres) {_DATE}",
            """after since from following later once then past nach seit ab spater danach despues
            desde apres depuis ≥""",
        ),
        (
            rf"\b(?:until|till|bis|hasta|jusqu'(?:a|en)) {_DATE}",
            """until till to through by before end ends ended expire expires expired expiry out
            last lasts later late delayed postponed deadline due valid latest bis zum ende endet
            spatestens hasta fin jusqu ≤""",
        ),
        (
            r"(?<!\bat )(?<!\bin )(?<!\bafter )\b(?:all|everyone|everybody|everything|always|entire"
            r"|entirely|whole|alle|allen|aller|alles|immer|samtliche|ganze|ganzen|todos|todas|siempre"
            rf"|tous|toutes|toujours)\b(?! (?:together|in all|right))(?!{_NUMBER})",
            """all every everyone everybody everything each any always both entire entirely whole
            fully completely throughout alle allen aller alles jede jeder jedes jeden
            immer samtliche ganze ganzen beide todos todas todo toda siempre cada tous toutes tout
            toute toujours chaque no none nobody never nothing kein keine niemand nie""",
        ),
        (
            rf"\b(?:only|solely|exclusively|nur|ausschliesslich|solamente|unicamente|seulement"
            rf"|uniquement)\b(?!{_NUMBER})",
            """only solely exclusively alone just but except all every everyone everything
            everybody apart other others else rest no not never none nobody nothing neither unless
            before until without single sole limited restricted nur ausschliesslich allein ausser
            kein keine nicht ohne solo solamente unicamente salvo seulement uniquement sauf""",
        ),
    )
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    return tuple((re.compile(one.said), one.accounted) for one in _ADDITIONS)


def added(text: str, cited: str) -> str:
    """Names the first such word of a sentence that its spans do not account for; empty where they
    account for all."""
    text, cited = fold(spelled(text)), fold(spelled(cited))
    told = {*_WORD.findall(cited), *(mark for mark in "≤≥" if mark in cited)}
    for pattern, accounted in _patterns():
        found = pattern.search(text)
        if found and told.isdisjoint(accounted):
            return f"“{found[0]}” is not in what it cites"
    return ""


_OUGHT = frozenset("must shall should can may will".split())
"""Of these "may" is also a month."""
_NOW = frozenset(
    """
    is are am be has have do does shall should will would need needs needed if whenever unless
    please never always
    """.split()
)
_MEANT = frozenset(
    """
    agreed decided planned wanted wants asked told promised advised recommended recommends required
    expected scheduled booked chose chosen voted ruled allowed permitted approved forbade intends
    intended wished hoped proposed suggested offered ordered
    """.split()
)
"""Verbs by which what was done is about what is to be."""


def ought(clause: SentenceClause) -> list[str]:
    """The words of a clause that say what must, should, can or will be."""
    return sorted(_OUGHT & clause.all_words - ({"may"} if not clause.modals else set()))


def is_told(clause: SentenceClause) -> bool:
    """Whether a clause tells what was done, and nothing of what is or is to be."""
    words = clause.all_words
    past = any(is_past(word) for word in words) or not words.isdisjoint(("was", "were"))
    return past and not clause.modals and words.isdisjoint(_NOW | _MEANT)
