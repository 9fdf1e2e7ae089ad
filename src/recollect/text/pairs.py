"""What two texts are to each other: the pair model proposes, the guard vetoes.

What it guarantees
- *Same* only where both agree: the model finds it likely, and everything that the guard knows is
  accounted for (:mod:`recollect.text.guard`). Without a model only the same words are the same.
- *Changed* of two statements only where the model is sure and they are about the same thing: a
  name, a project or a verb that both have is not enough unless they are near in meaning as well.
  Without a model only a value that was replaced in the same words: any of what goes by the same
  name, else an amount with its unit, a weekday or a time of day. What is added to another statement
  changes nothing (:mod:`recollect.text.additions`).
- Whatever neither decides is *neither*: a lost true statement is worse than two that disagree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp, log
from operator import ne
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text import guard
from recollect.text.additions import adds
from recollect.text.support.reading import ClauseToken, read
from recollect.text.terms import fold

SAME = 0.5
"""From which probability on two statements say the same, if the guard agrees."""
CHANGED, RENAMED = 0.7, 0.5
"""From which one changes the other; and where both go by the same name."""
RELATED, HARDLY = 0.78, 0.82
"""The least cosine of two texts of which one may change the other; and where they share no more
than one word, as somebody's name or a project's, or one may replace the other where both are of
oneself. The model was not taught that notes of the same house are mostly about different things;
their vectors tell."""
SUBJECT, MOSTLY = 0.2, 0.4
"""The least share of their words in common of two statements about the same thing; and of those of
which the second need not be told to be the later one."""
LATER, ALIKE = 0.75, 0.877
"""From which probability on the second is the later one; and from which cosine on one shared word
is enough, for it to be the later one and to take the place of the other."""
NEAR = 0.815
"""The least cosine of two texts that say the same: of unrelated ones the model, which was taught
by look-alikes, knows too little."""
CLOSE = 0.97
"""The least cosine of two questions that say the same of one thing in words of their own: what the
model was taught to tell apart is as near as this, and of what is further off it takes for the same
whatever is asked of the same name."""
EVEN, FOREIGN = 5.94, 3.0
"""What is added to the model's log-odds that two questions are the same, so that 0.92 lies where
no look-alike is taken for one that the guard does not refuse; and what is subtracted for other
languages than English, in which the guard knows less."""
_ARTICLE = re.compile(
    r"\b(?:(?:(?<!\b[Tt]he )a|(?:^|(?<=[.!?:] ))A|[Aa]n|[Tt]he) )(?!few\b|little\b|lot\b|bit\b)"
)
"""Not the "A" of a name: within a sentence it has a capital ("block A"), or stands behind "the"."""
_WORD = re.compile(r"[\w'’+#%°$€£@&/.:=<>≤≥~^*\"“”-]*\w[\w'’+#%°*\"“”]*|[<>≤≥=~^]+")
_NOW = frozenset("now jetzt nun inzwischen ahora".split())
"""Words that tell that something is so from now on."""
_SYNTAX = re.compile(r"[\"“”]| -\w|\w\*")
"""Signs that tell a search what to look for."""


class PairJudgement(NamedTuple):
    """Probabilities that two texts say the same, that one changes a value of the other, and that
    they do neither; that the second is the later one, where it is changed; and their cosine."""

    same: float
    changed: float
    neither: float
    later: float
    cosine: float


UNRELATED = PairJudgement(0.0, 0.0, 1.0, 0.5, 0.0)
Judge = Callable[[Sequence[tuple[str, str]]], Sequence[PairJudgement]]


class Relation(NamedTuple):
    kind: Literal["same", "changed", "neither"]
    why: str = ""
    sure: bool = True
    """Whether one that is changed may be replaced without asking which is meant."""


@lru_cache(maxsize=512)
def plain(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared where no model does: in lower case, but for what is
    written in capitals alone, and without articles."""
    text = text.lower() if text.isupper() else text
    text = unicodedata.normalize("NFKC", _ARTICLE.sub("", text)).replace("’", "'")
    words = [word.rstrip(".:,;!?-/") for word in _WORD.findall(text)]
    return tuple(w if w.isupper() and len(w) > 1 else w.casefold() for w in words)


# ------------------------------------------------------------------ statements


def relation(
    old: str,
    new: str,
    judge: Judge | None,
    *,
    same_name: bool = False,
    named_apart: bool = False,
) -> Relation:
    """What a new statement is to one that is known. *named_apart*: each goes by names that have no
    word in common, so that they are hardly of one thing."""
    if plain(old) == plain(new):
        return Relation("same", "the same words")
    apart = guard.difference(old, new)
    common, oneself = guard.overlap(old, new), guard.of_oneself(old, new)
    about = same_name or common.share >= SUBJECT or oneself
    judged = judge([(old, new)])[0] if judge and about else UNRELATED
    if not apart and judged.same >= SAME and judged.cosine >= NEAR:
        return Relation("same", "the same in other words")
    if adds(old, new):
        return Relation("neither")
    renamed = same_name and judged.changed >= RENAMED
    least = RELATED if oneself or common.words > 1 else HARDLY
    least = ALIKE if named_apart else least
    near = judged.cosine >= least and not guard.names_another(old, new)
    changed = renamed or (near and _is_changed(judged, common.share))
    if changed and (apart or _words(old) != _words(new)):
        why = _what_changed(old, new) or "it says otherwise of the same thing"
        alike = judged.cosine >= (HARDLY if oneself else ALIKE)
        return Relation("changed", why, renamed or common.words > 1 or alike)
    if said := _what_changed(old, new, measured=not same_name):
        return Relation("changed", said)
    return Relation("neither")


def _words(text: str) -> list[tuple[str, float, str]]:
    return [*map(_value, read(text).tokens)]


def _is_changed(judged: PairJudgement, shared: float) -> bool:
    alike = shared >= SUBJECT and judged.cosine >= ALIKE
    return judged.changed >= CHANGED and (shared >= MOSTLY or alike or judged.later >= LATER)


def _what_changed(old: str, new: str, *, measured: bool = False) -> str:
    """The values that were replaced, where all other words are the same; else empty. *measured*:
    only amounts with their unit, weekdays and times of day ("berth 1" and "berth 2" are two), and
    several only of what is so now: there may be training on two days."""
    before, after = (
        [token for token in read(text).tokens if fold(token.word) not in _NOW]
        for text in (old, new)
    )
    if [*map(_frame, before)] != [*map(_frame, after)]:
        return ""
    pairs = zip(before, after, strict=True)
    changed = [(one, two) for one, two in pairs if _value(one) != _value(two)]
    if measured and not (all(map(_is_measure, changed)) and _differ(old, new, len(changed))):
        return ""
    return "; ".join(f"{_shown(one)} → {_shown(two)}" for one, two in changed)


def _differ(old: str, new: str, count: int) -> bool:
    """Whether so many words differ, of several only where the new statement says "now"."""
    before, after = ([word for word in plain(text) if word not in _NOW] for text in (old, new))
    told = count == 1 or not _NOW.isdisjoint(plain(new))
    return told and len(before) == len(after) and sum(map(ne, before, after)) == count


def _is_measure(pair: tuple[ClauseToken, ClauseToken]) -> bool:
    return bool(pair[0].unit) or pair[0].kind in ("time", "weekday")


def _shown(token: ClauseToken) -> str:
    return f"{token.word} {token.unit}" if token.unit.isalpha() else token.word


def _frame(token: ClauseToken) -> str:
    return f"<{token.kind}>" if token.kind not in ("word", "not") else token.key


def _value(token: ClauseToken) -> tuple[str, float, str]:
    return token.key, token.value, token.unit


# ------------------------------------------------------------------ questions


def likeness(one: str, other: str, judge: Judge | None) -> tuple[float, str]:
    """How sure it is, from 0 to 1, that two questions ask the same, and why."""
    first, second = (plain(guard.without_frame(text)) for text in (one, other))
    if first == second:
        return 1.0, "the same words"
    if _SYNTAX.search(f" {one} {other} "):
        return 0.0, "quotes and signs are compared as they stand"
    apart = guard.difference(one, other)
    if not apart and sorted(first) == sorted(second):
        moved = "the same words in another order"
        return (0.0, "what is denied may be another thing") if guard.denies(one) else (1.0, moved)
    if apart or judge is None:
        return 0.0, apart or "other words, and no model to compare them"
    judged = judge([(one, other)])[0]
    if judged.cosine < NEAR:
        return 0.0, "it is about another thing"
    if judged.cosine < CLOSE and guard.asks_apart(one, other):
        return 0.0, "it may ask for another thing"
    same = min(max(judged.same, 1e-12), 1 - 1e-12)
    english = guard.is_english(one) and guard.is_english(other)
    odds = log(same / (1 - same)) + EVEN - (0.0 if english else FOREIGN)
    return 1 / (
        1 + exp(-odds)
    ), "the same in other words" if odds > 0 else "it may ask for another thing"
