"""What a text calls what it tells: "Decided:", "Not decided:", "Open:", "Action:", in the languages
of :data:`MARKS`, and sections with such a heading.

A mark is at the beginning of a line or of a sentence, and is that of this sentence; one that stands
alone on its line is that of each item of the list below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from recollect.facts import FactType
from recollect.text.statements.in_force import standing
from recollect.text.terms import fold

MARKS: Mapping[FactType, str] = {
    "decision": "decided|decisions?(?: outcome| made)?|agreed|resolved"
    "|entschieden|entscheidung(?:en)?|beschlossen"
    "|beschl[uü]ss(?:e)?|decidido|decisi[oó]n(?:es)?|acordado|acuerdos?|d[eé]cid[eé]|d[eé]cisions?",
    "open_question": "not(?: yet)? decided|undecided"
    "|open(?: questions?| points?| issues?| items?)?|unresolved(?: questions?)?"
    "|to be decided|tbd|(?:noch )?nicht entschieden|unentschieden|offene?(?: fragen?| punkte?)?"
    "|no decidido|sin decidir|pendientes?|preguntas? abiertas?|non d[eé]cid[eé]|en suspens"
    "|questions? ouvertes?",
    "task": "actions?(?: items?| points?)?|to-?dos?|next steps?|aufgaben?|zu tun"
    "|n[aä]chste schritte|tareas?|pr[oó]ximos pasos|prochaines [eé]tapes"
    "|acci[oó]n(?:es)?|[aà] faire|t[aâ]ches?",
}
"""How a text says of what kind something is that it tells."""

_NAMED = "|".join(f"(?P<{type}>{words})" for type, words in MARKS.items())
_ITEM = r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]"
_MARK = re.compile(
    rf"(?:^(?:{_ITEM})?|(?<=[.!?][ ]))[ \t]*[*_]{{0,3}}(?:{_NAMED})[*_]{{0,3}}[ ]?:[*_]{{0,3}}"
    r"(?P<alone>[ \t]*$)?",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(rf"(?:{_NAMED})", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*[.)]?\s+")
_IS_ITEM = re.compile(rf"{_ITEM}[ \t]*(?:\[[ xX]\] )?[*_`\"]*\Z")
_LIST = re.compile(rf"(?:\n?\n{_ITEM}[^\n]*(?:\n[ \t]+\S[^\n]*)*)*")

_ASKS = re.compile(
    r"\b(?:wants? to know|wonder(?:s|ed|ing)? (?:if|whether)|unclear (?:if|whether|who|what|when)"
    r"|to be clarified|(?:will|wollen) wissen|unklar,? (?:ob|wer|was|wann)|quiere saber"
    r"|veut savoir)\b",
    re.IGNORECASE,
)
"""How a sentence asks something, where it is no question."""


_FOR_GOOD = re.compile(
    r"(?:\A|[.!?]\s+)(?:(?:and|also|so|ok(?:ay)?|oh),? )?"
    r"(?:please,? (?:(?:do|just|also) )?(?:always|never)|(?:always|never)\b[^.!?]*,? please"
    r"|bitte (?:\w+ )?(?:immer|nie(?:mals)?)|por favor,? (?:\w+ )?(?:siempre|nunca)"
    r"|(?:i|we)(?:'d)? (?:always |much |strongly )?prefer|ich bevorzuge|prefiero"
    r"|je pr[eé]f[eè]re)\b",
    re.IGNORECASE,
)


class Marks:
    """The marks of a text, to be asked by offset."""

    def __init__(self, text: str) -> None:
        found = [*_MARK.finditer(text)]
        self._starts = [mark.start() for mark in found]
        self._marked = [(_end(mark), _type(mark)) for mark in found]

    def at(self, place: int) -> FactType | None:
        """Returns what a sentence or an item that begins at a place is marked as."""
        n = bisect_right(self._starts, place) - 1
        return self._marked[n][1] if n >= 0 and place < self._marked[n][0] else None


def of_heading(heading: str) -> FactType | None:
    """Returns what a section is marked as by its own heading, the last of a trail."""
    own = _NUMBER.sub("", fold(heading.rpartition(" > ")[2]).strip(" :*_"), 1)
    mark = _HEADING.fullmatch(own)
    return _type(mark) if mark else None


def is_item(text: str, place: int) -> bool:
    """Whether a place is the beginning of an item of a list."""
    return _IS_ITEM.match(text, text.rfind("\n", 0, place) + 1, place) is not None


def is_open(statement: str) -> bool:
    """Whether a sentence says that something is asked or not decided yet."""
    return standing(statement).status == "undecided" or _ASKS.search(statement) is not None


def is_wish(sentence: str) -> bool:
    """Whether somebody says in so many words what is always to be so: "please never …"."""
    return _FOR_GOOD.search(sentence) is not None


def without_mark(statement: str) -> str:
    """Returns what a statement says behind its mark."""
    mark = _MARK.match(statement)
    return statement[mark.end() :] if mark else statement


def _end(mark: re.Match[str]) -> int:
    """Returns where that ends which may begin behind a mark: a sentence, or the items of a list."""
    items = _LIST.match(mark.string, mark.end()) if mark["alone"] is not None else None
    return items.end() if items else mark.end()


def _type(mark: re.Match[str]) -> FactType:
    return next(type for type in MARKS if mark[type])
