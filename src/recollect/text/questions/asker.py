"""The user, of whom an agent asks: what they wrote says "I", and has no word for who they are."""

from __future__ import annotations

import re
from functools import cache

from recollect.text.terms import stems

_ASKED = "do|does|did|is|are|was|were|has|have|had|will|would|can|could|should|must|may|might"
_SAYS = (
    "is|was|has|had|does|did|likes?|liked|prefers?|preferred|wants?|wanted|needs?|uses?|used|owns?"
    "|lives?|lived|works?|worked|plans?|says?|said|told|mentioned|asked|decided|chose|bought|visited"
    "|started|stopped|moved"
)
_THING = (
    "accounts?|agents?|api|base|class|dashboard|data|database|documentation|endpoint|experience"
    "|facing|feedback|flow|groups?|guide|ids?|input|interface|limit|list|log|login|management"
    "|manager|manual|model|module|names?|namespace|object|pages?|permissions?|pool|profiles?"
    "|quota|records?|registration|research|roles?|schema|service|sessions?|settings|space|store"
    "|stories|story|survey|table|testing|tokens?|types?"
)
"""What is called after its users: "is the user service up?" asks about nobody."""
_ONE = rf"(?:the|our|my) user(?![-_]|\s(?:{_THING})\b)"
_SPOKEN_OF = {
    rf"\bdoes {_ONE}\b(?!['’])": "do I",
    rf"\bis {_ONE}\b(?!['’])": "am I",
    rf"\bhas {_ONE}\b(?!['’])": "have I",
    rf"\b({_ASKED}) {_ONE}\b(?!['’])": r"\1 I",
    rf"\b{_ONE}['’]s\b": "my",
    rf"\b{_ONE}(?=\s(?:{_SAYS})\b)": "I",
    r"\b(?:der|die|den|dem|des) (?:be)?nutzer(?:s|in)?\b": "ich",
    r"\b(?:el|la|del|al) usuari[oa]\b": "yo",
    r"\bl['’]utilisat(?:eur|rice)\b": "je",
}
"""How the user is spoken of, and what they would say of themselves."""
_CUES = ("user", "nutzer", "usuari", "utilisat")


def first_person(text: str) -> str:
    """Returns a question about the user as they would ask it."""
    if _names_nobody(text):
        return text
    for said, own in _compiled():
        text = said.sub(own, text)
    return text


def words_for(text: str) -> frozenset[str]:
    """Returns the stems by which a question names the user."""
    return frozenset() if _names_nobody(text) else stems(text) - stems(first_person(text))


def _names_nobody(text: str) -> bool:
    folded = text.casefold()
    return not any(cue in folded for cue in _CUES)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(said, re.IGNORECASE), own) for said, own in _SPOKEN_OF.items())
