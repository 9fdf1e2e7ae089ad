"""What a question is after, told from its words by rules that are data (``intents.py``).

The intent says which kind of record may answer; the shape, whether one passage can ("lookup") or
several have to be put together ("open"). Both are guesses from the surface of the question: good
for weighing what was found, not for leaving something out. The same text always gets the same
route, and no text raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from recollect.text.questions.intents import INTENT, LEADS, NEWEST, OPEN, PARTS, Intent, Rule
from recollect.text.statements.cues import beginnings, cued

Shape = Literal["lookup", "open"]

_READ = 2000
"""Characters that are looked at: more is a pasted page and no question."""
_CLAUSES = 24
_SHOWN = 40


class Route(NamedTuple):
    """What to look for, and how many pieces the answer has."""

    intent: Intent
    shape: Shape
    newest: bool
    """It asks how something is now: of two answers the later one counts."""
    why: str
    """One line for a person: which rules, by which words."""


class _Question(NamedTuple):
    text: str
    lower: str
    clauses: tuple[int, ...]
    """Where they begin."""
    words: set[str]
    """How these begin."""


def route(text: str) -> Route:
    """The route for *text*: general and lookup, where no rule says otherwise."""
    question = _question(text)
    intent, by_intent = _first(INTENT, question)
    several, by_open = _first(() if intent and intent.open else OPEN, question)
    newest, by_newest = _first(NEWEST, question)
    is_open = several is not None or (intent is not None and intent.open)
    why = [
        f"{intent.intent}, {by_intent}" if intent else "general, no rule matched",
        f"open, {by_open}" if several else "open" if is_open else "lookup",
        *([f"newest, {by_newest}"] if newest else []),
    ]
    return Route(
        intent.intent if intent else "general",
        "open" if is_open else "lookup",
        newest is not None,
        "; ".join(why),
    )


def _question(text: str) -> _Question:
    whole = " ".join(text[:_READ].split())
    lower = whole.lower()
    starts = [0, *(sign.end() for sign in _compiled(PARTS["before"]).finditer(lower))][:_CLAUSES]
    words = beginnings(lower)
    if not words.isdisjoint(cued(LEADS)):
        leads = [_compiled(PARTS["lead"]).match(lower, start) for start in starts]
        starts += [lead.end() for lead in leads if lead]
    return _Question(whole, lower, tuple(starts), words)


def _first(rules: Sequence[Rule], question: _Question) -> tuple[Rule | None, str]:
    """The first rule that matches, and why in a few words."""
    for rule in rules:
        match = _match(rule, question)
        if match:
            shown = next(filter(None, match.groupdict().values()), match[0]).strip(" ,?")
            if len(shown) > _SHOWN:
                shown = shown[: _SHOWN - 1].rstrip() + "…"
            return rule, f"{rule.name}: “{shown}”"
    return None, ""


def _match(rule: Rule, question: _Question) -> re.Match[str] | None:
    match = None
    if not question.words.isdisjoint(cued(rule.cues)):
        if rule.begins:
            pattern = _compiled(rule.begins)
            for start in question.clauses:
                match = pattern.match(question.lower, start)
                if match:
                    return match
        if rule.finds:
            match = _compiled(rf"\b(?:{rule.finds})").search(question.lower)
    if not match and rule.within and not question.lower.isascii():
        match = _compiled(rule.within).search(question.lower)
    if not match and rule.cased:
        match = _cased(rule.cased, question.text.isascii()).search(question.text)
    return match


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(with_parts(pattern), re.VERBOSE)


@cache
def _cased(pattern: str, ascii: bool) -> re.Pattern[str]:
    """The same; for a text in ASCII the large classes of letters need not be compiled."""
    if ascii:
        pattern = pattern.replace("%{upper}", "[A-Z]")
    return _compiled(pattern)


def with_parts(pattern: str) -> str:
    """The pattern, written out."""
    return re.sub(r"%\{(\w+)\}", lambda part: PARTS[part[1]], pattern)
