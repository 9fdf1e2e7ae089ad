"""What a question is after, told from its words by rules that are data (``intents.py``).

The intent says which kind of record may answer; the shape, whether one passage can ("lookup") or
several have to be put together ("open"). Both are guesses from the surface of the question: good
for weighing what was found, not for leaving something out. The same text always gets the same
route, and no text raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text.questions.intents import (
    INTENT,
    LEADS,
    NEWEST,
    OPEN,
    PARTS,
    PERSONAL,
    Intent,
    IntentRule,
)
from recollect.text.statements.cues import beginnings, cued

Shape = Literal["lookup", "open"]

_READ = 2000
"""Characters that are looked at: more is a pasted page and no question."""
_CLAUSES = 24
_SHOWN = 40
_MARKS = frozenset("0123456789/_#@(.")


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
    marked: bool
    """Whether it has a capital, a figure or a sign, of which whatever is ``cased`` has one."""


@lru_cache(maxsize=256)  # a question is often asked again, and then mostly served
def route(text: str) -> Route:
    """The route for *text*: general and lookup, where no rule says otherwise."""
    question = _question(text)
    intent = _first(INTENT, question) or _NO_RULE
    several = None if intent.rule.open else _first(OPEN, question)
    newest = _first(NEWEST, question)
    shape: Shape = "open" if several or intent.rule.open else "lookup"
    why = [
        f"{intent.rule.intent}, {intent.why}",
        f"open, {several.why}" if several else shape,
        *([f"newest, {newest.why}"] if newest else []),
    ]
    return Route(intent.rule.intent, shape, newest is not None, "; ".join(why))


def is_personal(text: str) -> bool:
    """Whether advice is asked for, or something told: what a person said of themselves may matter.
    Apart from the route, for it is asked only of what seems to be unknown."""
    return _first(PERSONAL, _question(text)) is not None


def _question(text: str) -> _Question:
    whole = " ".join(text[:_READ].split())
    lower = whole.lower()
    starts = [0, *map(re.Match.end, _compiled(PARTS["before"]).finditer(lower))][:_CLAUSES]
    words = beginnings(lower)
    if not words.isdisjoint(cued(LEADS)):
        leads = [_compiled(PARTS["lead"]).match(lower, start) for start in starts]
        starts += map(re.Match.end, filter(None, leads))
    marked = not whole.isascii() or whole != lower or not _MARKS.isdisjoint(whole)
    return _Question(whole, lower, tuple(starts), words, marked)


class _RuleMatch(NamedTuple):
    rule: IntentRule
    why: str
    """In a few words."""


_NO_RULE = _RuleMatch(IntentRule("none"), "no rule matched")


def _first(rules: Sequence[IntentRule], question: _Question) -> _RuleMatch | None:
    """The first rule that matches."""
    for rule in rules:
        match = _match(rule, question)
        if match:
            return _RuleMatch(rule, f"{rule.name}: “{_shown(match)}”")
    return None


def _shown(match: re.Match[str]) -> str:
    shown = next(filter(None, match.groupdict().values()), match[0]).strip(" ,?")
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1].rstrip() + "…"


def _match(rule: IntentRule, question: _Question) -> re.Match[str] | None:
    return next(filter(None, _matches(rule, question)), None)


def _matches(rule: IntentRule, question: _Question) -> Iterator[re.Match[str] | None]:
    """What each way of matching finds, one after the other."""
    cue = not question.words.isdisjoint(cued(rule.cues))
    if cue and rule.begins:
        pattern = _compiled(rule.begins)
        yield from (pattern.match(question.lower, start) for start in question.clauses)
    if cue and rule.finds:
        yield _compiled(rf"\b(?:{rule.finds})").search(question.lower)
    if rule.within and not question.lower.isascii():
        yield _compiled(rule.within).search(question.lower)
    if rule.cased and question.marked:
        yield _cased(rule.cased, question.text.isascii()).search(question.text)


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
