"""Words by which a statement tells that something is otherwise than it was."""

from __future__ import annotations

import re
from itertools import chain

_MONTHS = "Jan|Feb|Mar|März|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.\d{{1,2}}|\.? (?:{_MONTHS})\w*)|20\d\d)"
"""A day or a year: what goes "from 210 ms to 6 s" did not turn."""
TURN = re.compile(
    r"\b(?:now|changed|new|no longer|any ?more|instead of|again|as of|until further notice"
    rf"|from (?:today|now|then|next|(?:the )?{_DAY}|(?:{_MONTHS})\w*)"
    r"|back (?:to|at|in|on|with)|switched|renamed|re(?:set|placed|versed)|retires?d?"
    r"|(?:fell|falls|rose|rises|rais\w+|went|goes|dropp?\w*|cut|lower\w+|increas\w+|reduc\w+|mov\w+"
    r"|set|extend\w+|postpon\w+)(?: \w+){0,2} to|(?:takes?|took|hands?) over"
    r"|jetzt|neu\w*|nicht mehr|statt|ahora|nuev\w+|ya no"
    rf"|ab (?:heute|jetzt|sofort|(?:dem )?{_DAY}|(?:{_MONTHS})\w*))\b",
    re.IGNORECASE,
)
"""Words by which something is said to be otherwise than it was."""
BACK = re.compile(
    r"\b(?:back (?:to|at)|revert\w*|restor\w+|zurück|wieder|de nuevo|otra vez|à nouveau)\b",
    re.IGNORECASE,
)
"""Words by which something is said to be again as it was: of what, the text around them says."""
_NOW = re.compile(r"\b(?:now|again|jetzt|nun|ahora|maintenant)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:now|new|again|back|current\w*|chang\w+|jetzt|neu\w*|wieder|zurück|aktuell\w*|(?:ge)?änder\w+"
    r"|ahora|nuev\w+|actual\w*|cambi\w+|maintenant|nouve\w+)\b",
    re.IGNORECASE,
)
"""Words by which something is asked for as it is now, or for how it changed: they name nothing."""
_ENDS = re.compile(
    r"\b(?:(?:up|down)grad\w+|promoted|migrat\w+|transferred|relocat\w+|moved|left|quit|sold|cancel\w+"
    r"|stopped|g(?:a|i)ven? up|swapped|traded|dropped|ditched|abandoned|became|start\w+|adopted"
    r"|joined|subscribed|pivoted"
    r"|umgezogen|umgestellt|gekündigt|aufgehört|gewechselt|ersetzt|abgelöst"
    r"|cambi(?:é|ó|amos|ado|aron)|dej(?:é|ó|amos)|mud(?:é|ó|amos)|reemplaz\w+"
    r"|chang(?:é|eons|ée?s)|quitt(?:é|ons)|arrêt(?:é|ons)|remplac\w+)\b",
    re.IGNORECASE,
)
"""Verbs by which something ends or begins, as many things do that change nothing else: enough where
a model has found that it does."""


def turns(text: str) -> bool:
    """Whether a text says that something is otherwise, or again as it was."""
    return TURN.search(text) is not None or BACK.search(text) is not None


def asked_as(question: str) -> str:
    """Returns the words of a question that only say that it asks for what is so now, or changed."""
    return " ".join(_ASKS.findall(question))


def now_or_again(text: str) -> str:
    """Returns the words by which a text says no more than that it is so now, or again."""
    found = chain(_NOW.finditer(text), BACK.finditer(text))
    return " ".join(match[0] for match in found)


def ends(text: str) -> bool:
    """Whether it says so, or only that something ended or began."""
    return turns(text) or _ENDS.search(text) is not None
