"""What can be seen of a sentence without understanding it, as numbers for a model to weigh.

Each feature is 0 or 1, but for the length and the names. They are a table, so that the weights that
were fitted for them (``training/worth.py``) can be read beside their names.
"""

from __future__ import annotations

import math
import re
from functools import cache

_SHORT, _BRIEF, _WHOLE, _LONG = 4, 7, 12, 25
_MOST_NAMES = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NAME = re.compile(r"(?<=[^.!?:] )[A-ZÀ-Þ]\w+")

_SIGNS = {
    "asks": r"\?\W*\Z",
    "exclaims": r"!\W*\Z",
    "announces": r":\W*\Z",
    "stops": r"\.\W*\Z",
    "capital": r"\A\W*[A-ZÀ-Þ]",
    "number": r"\d",
    "date": r"(?i)\b(?:20\d\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|tomorrow|until|till|by|every|deadline)\b",
    "code": r"`|/\w+|\w_\w|\(\)|\w\.\w+\(",
    "entry": r"[:=]\s+\S",
    "money": r"[$€£]\s?\d|\d\s?(?:%|ms|GB|MB|kg|km)\b",
    "path": r"\b[0-9a-f]{8,}\b|(?:~|\.|/\w+)/\w+/|https?:|\b(?:lines?|issue|PR|commit) #?\d",
    "odd": r"[\U0001f300-\U0001faff\u2600-\u27bf→…]|\.\.\.|<\w",
    "shout": r"\b[A-Z]{3,}\b",
}
"""Patterns that a sentence has or not."""
_SAID = {
    "i": "i i'm i'll i've i'd me my",
    "we": "we our us we're we'll we've",
    "you": "you your you're",
    "let": "let's let",
    "maybe": "would could might may maybe perhaps probably think guess wonder",
    "must": "should must need needs needed",
    "will": "will going plan",
    "not": "not no never don't doesn't isn't can't won't without",
    "decided": "decided decision agreed agree chose settled approved instead",
    "prefers": "prefer like want please always hate love",
    "is": "is are was were",
    "owns": "owns owner responsible handles leads runs maintains manages",
    "uses": "uses use using runs lives stored kept",
    "why": "because so since",
    "thanks": "thanks thank ok okay great sure hi hello cheers sorry nice cool yes yeah",
    "it": "he she they it this that these those",
    "now": "now currently today right",
    "if": "if unless",
    "only": "only must always never every each",
    "open": "unclear undecided whether unknown todo tbd open pending",
}
"""Words of which a sentence has one or not."""
_FIRST = {
    "i": "i i'll i'm i've",
    "we": "we we'll we're",
    "the": "the",
    "it": "it this that",
    "yes": "ok okay sure yes no great thanks yeah",
    "let": "let let's",
    "if": "if",
    "asks": "can could would what how why who when where which is are do does",
    "order": "take look check fix add make run explain consider address review update remove "
    "create write give show tell try go see please read find implement rename change test commit "
    "push help use",
    "doing": "running checking looking reading adding fixing updating now done",
}
"""Words that a sentence begins with or not."""
_VOICES = ("user", "assistant", "")
"""Who may speak; anybody else is a person with a name."""

NAMES = (
    *(f"voice {who or 'nobody'}" for who in (*_VOICES, "person")),
    *(f"under {most} words" for most in (_SHORT, _BRIEF, _WHOLE)),
    "long", "length", "names",
    *_SIGNS, *(f"says {what}" for what in _SAID), *(f"begins {what}" for what in _FIRST),
)  # fmt: skip


@cache
def _table() -> tuple[list[re.Pattern[str]], list[frozenset[str]], list[frozenset[str]]]:
    signs = list(map(re.compile, _SIGNS.values()))
    said, first = ([frozenset(some.split()) for some in t.values()] for t in (_SAID, _FIRST))
    return signs, said, first


def features(text: str, speaker: str) -> list[float]:
    """Returns the numbers of a sentence, in the order of :data:`NAMES`."""
    signs, said, first = _table()
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    count, known = len(text.split()), set(words)
    voices = [speaker == who for who in _VOICES]
    found = [
        *voices, not any(voices), *(count < most for most in (_SHORT, _BRIEF, _WHOLE)),
        count > _LONG, math.log1p(count), min(_MOST_NAMES, len(_NAME.findall(text))),
        *(sign.search(text) is not None for sign in signs),
        *(not known.isdisjoint(some) for some in said),
        *(not some.isdisjoint(words[:1]) for some in first),
    ]  # fmt: skip
    return list(map(float, found))
