"""What a question is after, told from its words by rules that are data (``intents.toml``).

The intent says which kind of record may answer; the shape, whether one passage can ("lookup") or
several have to be put together ("open"). Both are guesses from the surface of the question: good
for weighing what was found, not for leaving something out. The same text always gets the same
route, and no text raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

Intent = Literal["entity", "temporal", "event", "concept", "general"]
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


class _Rule(NamedTuple):
    """Its patterns are text, "" for none: most are never tried, and are compiled when they are."""

    name: str
    intent: Intent
    open: bool
    begins: str
    finds: str
    within: str
    cased: str


class _Rules(NamedTuple):
    intent: tuple[_Rule, ...]
    open: tuple[_Rule, ...]
    newest: tuple[_Rule, ...]
    before: str
    lead: str


class _Question(NamedTuple):
    text: str
    lower: str
    clauses: tuple[int, ...]
    """Where they begin."""


def route(text: str) -> Route:
    """The route for *text*: general and lookup, where no rule says otherwise."""
    rules = _rules()
    question = _question(text, rules)
    intent, by_intent = _first(rules.intent, question)
    several, by_open = _first(() if intent and intent.open else rules.open, question)
    newest, by_newest = _first(rules.newest, question)
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


def _question(text: str, rules: _Rules) -> _Question:
    whole = " ".join(text[:_READ].split())
    lower = whole.lower()
    starts = [0, *(sign.end() for sign in _compiled(rules.before).finditer(lower))][:_CLAUSES]
    leads = [_compiled(rules.lead).match(lower, start) for start in starts]
    return _Question(whole, lower, (*starts, *(lead.end() for lead in leads if lead)))


def _first(rules: Sequence[_Rule], question: _Question) -> tuple[_Rule | None, str]:
    """The first rule that matches, and why in a few words."""
    for rule in rules:
        match = _match(rule, question)
        if match:
            shown = next(filter(None, match.groupdict().values()), match[0]).strip(" ,?")
            if len(shown) > _SHOWN:
                shown = shown[: _SHOWN - 1].rstrip() + "…"
            return rule, f"{rule.name}: “{shown}”"
    return None, ""


def _match(rule: _Rule, question: _Question) -> re.Match[str] | None:
    if rule.begins:
        pattern = _compiled(rule.begins)
        for start in question.clauses:
            match = pattern.match(question.lower, start)
            if match:
                return match
    match = _compiled(rule.finds).search(question.lower) if rule.finds else None
    if not match and rule.within and not question.lower.isascii():
        match = _compiled(rule.within).search(question.lower)
    if not match and rule.cased:
        match = _compiled(rule.cased).search(question.text)
    return match


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)


@cache
def _rules() -> _Rules:
    import tomllib
    from importlib.resources import files

    table = tomllib.loads((files("recollect.text") / "intents.toml").read_text("utf-8"))
    parts = table["parts"]
    return _Rules(
        intent=tuple(_rule(entry, parts) for entry in table["intent"]),
        open=tuple(_rule(entry, parts) for entry in table["open"]),
        newest=tuple(_rule(entry, parts) for entry in table["newest"]),
        before=parts["before"],
        lead=parts["lead"],
    )


def _rule(entry: Mapping[str, Any], parts: Mapping[str, str]) -> _Rule:
    def whole(kind: str) -> str:
        return re.sub(r"%\{(\w+)\}", lambda part: parts[part[1]], entry.get(kind, ""))

    return _Rule(
        name=entry["name"],
        intent=entry.get("intent", "general"),
        open=entry.get("open", False),
        begins=whole("begins"),
        finds=rf"\b(?:{whole('finds')})" if "finds" in entry else "",
        within=whole("within"),
        cased=whole("cased"),
    )
