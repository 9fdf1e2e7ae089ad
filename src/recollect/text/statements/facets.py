"""What a clause tells, beyond its words: whether it holds, what it limits itself to, what ended
by it, what changed to what, and which things of known kinds it speaks of.

Guesses from the surface, by the tables in ``changes.py``; of two readings the one that claims less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from recollect.text.statements import changes
from recollect.text.statements.claims import ME, UNKNOWN, ClaimValue, StatementClause
from recollect.text.stopwords import stopwords
from recollect.text.terms import stem

_KEPT = 512
"""Clauses of which something is remembered: a new statement is compared with many old ones."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("\n", ""))


def find(pattern: str, text: str) -> re.Match[str] | None:
    """The first match; patterns are compiled when first needed."""
    return _compiled(pattern).search(text)


def says(clause: StatementClause, cue: str) -> re.Match[str] | None:
    """Where the clause has a cue (``changes.NOW``, ``changes.ONLY`` …)."""
    return find(cue, clause.said)


# ------------------------------------------------------------------ whether it counts


@lru_cache(_KEPT)
def holds(clause: StatementClause) -> bool:
    """It says what is so, and not what once was, may be or is wished."""
    if says(clause, changes.WAS) or _unreal(clause):
        return False
    verb = clause.words[clause.predicate] if clause.words else ""
    if verb not in changes.PAST or verb in changes.ACQUIRED or change(clause):
        return True
    return any(find(pattern, clause.text) for pattern in (_became(), _some_state()))


@lru_cache(_KEPT)
def asserted(clause: StatementClause) -> bool:
    """It says something of now that takes the place of what was."""
    if says(clause, changes.ALSO) and not any(ends(clause)):
        return False
    if _unreal(clause):
        return False
    return not says(clause, changes.WAS) or says(clause, changes.NOW) is not None


def _unreal(clause: StatementClause) -> bool:
    """It is wished, planned or supposed, told before what would happen."""
    word = says(clause, changes.UNREAL)
    before = len(clause.said.split()) - len(clause.words) + main(clause)
    return word is not None and clause.said[: word.start()].count(" ") <= before


@lru_cache(_KEPT)
def negated(clause: StatementClause) -> bool:
    return find(changes.NOT, clause.text) is not None


def is_order(clause: StatementClause) -> bool:
    first = clause.words[0] if clause.words else ""
    return clause.owner == "" and (first in changes.ORDERS or first in changes.verbs())


def is_person(clause: StatementClause) -> bool:
    """It is about somebody, as far as words tell: a role, a relation or a name."""
    words = set(clause.owner.split())
    return not words or bool(words & (changes.PERSONS | changes.ROLES | clause.names))


def same_owner(old: StatementClause, new: StatementClause) -> bool:
    if UNKNOWN in (old.owner, new.owner):
        return False
    if old.owner == new.owner:
        return old.owner != "" or (is_order(old) and is_order(new))
    one, two = set(old.owner.split()), set(new.owner.split())
    return bool(one and two) and ME not in one | two and (one <= two or two <= one)


# ------------------------------------------------------------------ limits


@lru_cache(_KEPT)
def scopes(clause: StatementClause) -> frozenset[str]:
    """The parts of the time or of the places that it limits itself to."""
    found = _compiled(changes.SCOPES).finditer(clause.text)
    return frozenset(match[0].strip() for match in found)


def as_wide(old: StatementClause, new: StatementClause) -> bool:
    """The new clause is not limited to a part of what the old one is about. Where it tells of
    a change, a single time is when that happened."""
    limits = scopes(new) - scopes(old)
    if limits and (change(new) or any(ends(new)) or find(_became(), new.text)):
        limits = frozenset(limit for limit in limits if not find(changes.MOMENTS, limit))
    return not limits


# ------------------------------------------------------------------ verbs and values


@lru_cache(_KEPT)
def main(clause: StatementClause) -> int:
    """The place of the verb that says what is done; of the auxiliary one, if there is no other."""
    words = clause.words
    at = 1 if words[:1] == ("§",) else clause.predicate
    while at + 1 < len(words) and (words[at] in changes.AUXILIARY or words[at].endswith("ly")):
        at += 1
    at = min(at, len(words) - 1)
    being = at > 0 and words[at - 1] in changes.BEING
    return at - 1 if being and not words[at].endswith(("ing", "ed")) else at


def verb(clause: StatementClause) -> str:
    """The stem of the verb that says what is done."""
    return stem(clause.words[main(clause)]) if clause.words else ""


def bare(clause: StatementClause) -> str:
    """The text of a clause without the adverbs that may stand anywhere in it."""
    return _compiled(changes.ADVERBS).sub("", clause.text)


def after(text: str, place: int) -> list[str]:
    """The words of the value that begins at a place of a clause's text."""
    words = text[place:].split()
    while words and words[0] in changes.BEFORE_VALUES:
        words = words[1:]
    for n, word in enumerate(words):
        if word in changes.STOPS or (word.isdigit() and words[n + 2 : n + 3] == ["ago"]):
            return words[:n]
    return words


def content(words: Sequence[str]) -> set[str]:
    """The stems of the words that carry meaning; of a compound, those of its parts."""
    common = stopwords()
    return {
        stem(part)
        for word in words
        for part in word.split("-")
        if part
        and (stem(part) not in common or part in changes.PERSONS)
        and part not in changes.CUES
        and part not in changes.NO_OBJECTS
    }


def nested(one: Sequence[str], two: Sequence[str]) -> bool:
    """One value is the other with something added, or the same."""
    a, b = content(one), content(two)
    return not a or not b or a <= b or b <= a


def typed(clause: StatementClause, words: Sequence[str]) -> list[ClaimValue]:
    """The exact values among the words."""
    return [value for value in clause.values if clause.words[value.at] in words]


def plain(clause: StatementClause) -> list[str]:
    return [word for word in clause.words if word not in changes.FILLERS and word != ","]


def kinds(words: Sequence[str]) -> dict[str, str]:
    """The things of known kinds among the words: kind to thing."""
    table = changes.kinds()
    found: dict[str, str] = {}
    left = list(words)
    for size in (3, 2, 1):
        for n in range(len(words) - size + 1):
            for kind, name in table.get(" ".join(left[n : n + size]), ()):
                found.setdefault(kind, name)
                left[n : n + size] = [""] * size
    return found


def in_use(clause: StatementClause) -> dict[str, str]:
    """The things of known kinds that somebody has in use, by what the clause says."""
    if set(clause.words) & changes.NOT_IN_USE:
        return {}
    turned = change(clause)
    if turned:
        return kinds(clause.text[turned.end() :].split())
    used = (
        verb(clause) in changes.used()
        or clause.words[:1] == ("my",)
        or find(r"\b(?:person|user|guy|fan|into)\b|^§ (?:am|is|are)(?: an?)? \w+$", clause.text)
    )
    return kinds(clause.words) if used and not any(ends(clause)) else {}


# ------------------------------------------------------------------ changes and ends


@cache
def _change_pattern() -> str:
    return rf"\b{changes.CHANGED}\b(?P<what>(?: (?!to\b|for\b|into\b)[^ ,]+){{0,7}}?) {changes.TO} "


@cache
def _became() -> str:
    begins = "|".join(begin for attribute in changes.ATTRIBUTES for begin in attribute.changes)
    return rf"(?:^|(?<= ))(?:{begins})"


@cache
def _some_state() -> str:
    return "|".join(said for values in changes.STATUSES.values() for said in values.values())


@cache
def _end_pattern() -> str:
    return r"\b(?:" + "|".join(changes.ENDS) + r")(?= |$)"


@cache
def _tells_which() -> frozenset[str]:
    """Before one of these words the word for an end tells which thing is meant."""
    return changes.verbs() | changes.ARTICLES | changes.MY


def all_changes(clause: StatementClause) -> Iterator[re.Match[str]]:
    """Where it tells that something (``what``) changed; the new value follows. An order to
    change something tells nothing."""
    if not is_order(clause):
        yield from _compiled(_change_pattern()).finditer(clause.text)


def change(clause: StatementClause) -> re.Match[str] | None:
    return next(all_changes(clause), None)


def ends(clause: StatementClause) -> Iterator[re.Match[str]]:
    """Where it tells that something ended; what did follows. Not where the word tells which
    ("excludes cancelled orders"), nor where what ended stands before it ("was closed")."""
    for match in _compiled(_end_pattern()).finditer(clause.text):
        before = clause.text[: match.start()].split()
        last = before[-1] if before else "§"
        first = match[0].split()[0]
        if find(changes.NOT, " ".join(before[-2:])):
            continue
        done = first in changes.PAST or first.endswith("ed")
        if last in changes.BEING and done and "from" not in match[0]:
            if first in changes.ENDED_BY_FEELING:
                yield match
        elif last in changes.AUXILIARY or first in changes.NO_VERBS or last not in _tells_which():
            yield match
