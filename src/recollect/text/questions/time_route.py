"""What a question asks of time, told from its words by rules that are data (``time_rules.py``).

"Since when has the login timeout been a problem?" asks for the first that speaks of the login
timeout, and neither "since" nor "problem" is a word of it. The first rule that matches counts; a
question that none matches asks for the period that it names, or nothing of time. The same text
always gets the same route, and no text raises.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.named_tuple import NamedTuple
from recollect.nouns import ORDERS, TimeRoute, Window
from recollect.text.questions import when
from recollect.text.questions.asker import first_person
from recollect.text.questions.time_rules import (
    ASIDE,
    DECIDED,
    DONE,
    EMPTY,
    ENDS,
    HAPPENS,
    LEAD,
    OURS,
    PARTS,
    PAST,
    RULED,
    RULES,
    USED,
    VERBS,
    TimeRule,
)
from recollect.text.statements.cues import beginnings, cued
from recollect.text.stopwords import language, stopwords
from recollect.text.terms import fold

_READ = 2000
"""Characters that are looked at: more is a pasted page and no question."""
_WORD = r"[\w'’./#:@+-]*\w[\w+#*]*"
"""This and the next are compiled when they are first needed: most questions need none."""
EVENTFUL = ("before", "after")
_WORDS = 20
"""Words of a question of time; one that tells where something was left may be longer."""
_SENTENCE = r"(?<!\d)[.?!;] \w|, and (?:what|who|how|when|where|which)\b|^if\b"
_STORY = r"(?<!\d)[.?!;—–] \w|^(?:if|when|the|i|is|are|do|does|before i|after i)\b"
_HAPPENED = (
    r"\W*(?:what|which|anything|was|qué|que|qu)\b.{0,40}?\b(?:happened|changed|went|done|decided|discussed"
    r"|broke|failed|released|shipped|passiert|geändert|gemacht|beschlossen|pasó|cambió|hizo|passé)\b"
)
_EVENT_END = r"[,;:?!。？，]|\. "
_OPENING, _CLOSING = tuple('"“«„'), tuple('"”»“')
"""Quotation marks, which stay with the word beside them."""


def time_route(text: str, window: Window | None = None) -> TimeRoute:
    """Returns what *text* asks of time; *window* is the period that it names."""
    whole = first_person(" ".join(text[:_READ].split()))
    period = " ".join(window.said.split()) if window else ""
    match = _first(whole.lower(), period.lower())
    if match is None:
        return TimeRoute()
    kind = match.rule.kind
    event, end = _event(whole, match) if kind in EVENTFUL else ("", match.end)
    if event and period and (period in event or whole.find(period) <= match.end + 1):
        kind, event, end = "in-period", "", match.start  # the event is a date
    first, last = match.said or (end, end)  # ahead of where it asks
    rest = f"{whole[: match.start]} {whole[end:first]} {whole[max(end, last) :]}"
    spoken = match.rule.language or language(whole) or (when.spoken(whole) if period else "")
    spoken = spoken or "en"
    rest = without_verb(rest) if kind == "when" else rest
    topic = _topic(rest.replace(period, " ") if period else rest, spoken)
    start, stop = match.said or (match.start, end)
    said = whole[start:stop].strip() or period
    if match.rule.soft:
        return TimeRoute(kind, said=said, soft=True)
    asked = whole if match.rule.language == "de" else rest  # the verb is at its end
    if event and not topic and _used().search(asked):
        return TimeRoute(kind, topic=event, said=said)  # what tells of the change
    ours = kind != "state" and _ours().search(whole) is not None  # a note tells a state as well
    return TimeRoute(kind, ORDERS[kind], topic, event, said, ours)


def without_verb(text: str) -> str:
    """Returns a question that asks when without a verb at its end that says no more than that it
    was: "When did the fair take place?"."""
    return _happens().sub("", text)


@cache
def _happens() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{'|'.join(HAPPENS)})\W*$", re.IGNORECASE)


def asks_decision(text: str) -> bool:
    """Whether a question asks what was decided."""
    asked = first_person(" ".join(text[:_READ].split()))
    return _decided().search(asked.lower()) is not None


@cache
def _decided() -> re.Pattern[str]:
    return re.compile("|".join(DECIDED))


class _Match(NamedTuple):
    rule: TimeRule
    start: int
    end: int
    said: tuple[int, int] | None = None
    """Where the words are that ask for the time, if the rule only looks ahead at them."""


def _first(lower: str, period: str) -> _Match | None:
    words = beginnings(lower)
    tried = (_match(rule, lower, words, period) for rule in RULES)
    return next(filter(None, tried), None)


def _match(rule: TimeRule, lower: str, words: set[str], period: str) -> _Match | None:
    if not rule.asks:
        at = lower.find(period)
        asked = period and _is_brief(lower, rule) and _is_limit(period, lower)
        return _Match(rule, at, at) if asked else None
    here = words & cued(rule.cues)
    if not here if rule.cues else lower.isascii():
        return None
    if rule.past and not _is_past(rule, lower):
        return None
    if rule.kind != "leave-off" and not _is_brief(lower, rule):
        return None
    ways = _compiled(rule, frozenset(here)).finditer(lower)
    found = (one for one in ways if _asks(rule, lower, one))
    return next((_Match(rule, *one.span(), _ahead(one)) for one in found), None)


def _ahead(found: re.Match[str]) -> tuple[int, int] | None:
    return found.span(found.lastindex) if found.lastindex else None


def _is_limit(period: str, lower: str) -> bool:
    """Whether a period limits what is looked for: where a few bare words are given, or what was
    done or happened here is asked about. In any other question ("files that were modified in the
    last 90 minutes") it may be a part of the topic."""
    bare = stopwords().isdisjoint(lower.replace(period, " ").split())
    done = _ours().search(lower) or re.search(DONE, lower) or re.match(_HAPPENED, lower)
    return bare or done is not None


def _asks(rule: TimeRule, lower: str, found: re.Match[str]) -> bool:
    """Whether a clause begins where a rule matches; with an event, whether the clause beside it
    asks for what was ("who is told before a planned visit?" does not)."""
    if rule.kind in EVENTFUL:
        end = found.end() + len(_event_words(lower[found.end() :]))
        beside = f"{lower[: found.start()]} {lower[end:]}".strip(" ?")
        return _is_past(rule, beside or lower)
    return not rule.cues or _lead().match(lower[: found.start()]) is not None


def _is_brief(lower: str, rule: TimeRule) -> bool:
    """Whether it is one question and no story, in which anything may be first, or before something
    else."""
    story = _STORY if rule.kind in EVENTFUL else _SENTENCE
    return lower.count(" ") < _WORDS and re.search(story, lower) is None


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(LEAD)


def _is_past(rule: TimeRule, lower: str) -> bool:
    """Whether a question asks for what was, as far as the words of its language tell."""
    past, ruled = PAST.get(rule.language), RULED.get(rule.language)
    if past is None:
        return True
    found = _words(past).search(lower)
    return found is not None and not (ruled and _words(ruled).search(lower, 0, found.start()))


def _event(whole: str, match: _Match) -> tuple[str, int]:
    """Returns what something was before or after, and where its words end."""
    said = _event_words(whole[match.end :])
    return _topic(said, match.rule.language) or said.strip(), match.end + len(said)


def _event_words(rest: str) -> str:
    return re.split(_EVENT_END, rest, maxsplit=1)[0]


def _topic(text: str, language: str) -> str:
    """Returns what is left to look for, without the words that name no topic."""
    rest = " ".join(_aside().sub(" ", text).split())
    words = [(fold(found[0].strip("'’.-:/")), found.span()) for found in re.finditer(_WORD, rest)]
    empty = EMPTY.get(language, "")
    opening = _folded(f"{empty} {VERBS.get(language, '')}")
    closing = _folded(f"{empty} {ENDS.get(language, '')}")
    starts = (span[0] for word, span in words if word not in opening)
    ends = (span[1] for word, span in reversed(words) if word not in closing)
    start, end = next(starts, len(rest)), next(ends, 0)
    start -= rest[:start].endswith(_OPENING)
    end += rest.startswith(_CLOSING, end)
    return rest[start:end]


@cache
def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


@cache
def _aside() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(ASIDE)})(?!\w)", re.IGNORECASE)


@cache
def _ours() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(OURS)})\b", re.IGNORECASE)


@cache
def _used() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(USED)})\b", re.IGNORECASE)


@cache
def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})")


@cache
def _compiled(rule: TimeRule, here: frozenset[str]) -> re.Pattern[str]:
    """In English without the ways to ask that have none of the cues that are *here*: to compile
    all takes longer than most searches. Elsewhere a class of letters may spell a cue."""
    ways = written_out(rule)
    if rule.language == "en":
        ways = [way for way in ways if any(cue in way for cue in here)]
    pattern = "|".join(ways) or "(?!)"
    return re.compile(rf"(?<![\w-])(?:{pattern})" if rule.cues else pattern)


def written_out(rule: TimeRule) -> list[str]:
    """Returns the patterns of a rule with its parts in their places."""
    parts = PARTS.get(rule.language, {})
    ways = filter(str.strip, rule.asks.splitlines())
    return [re.sub(r"<(\w+)>(?!=)", lambda part: parts[part[1]], way) for way in ways]
