"""Who does what to whom: the part that a word plays in a clause, by what stands before it.

English tells it by prepositions ("from", "to", "with", "than"), by the genitive, and by the order
around a verb, which the passive turns round. Two words that a sentence has in common with its
source must not have exchanged their parts there. What an "and" joins are equals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from operator import attrgetter

from recollect.named_tuple import NamedTuple
from recollect.text.forms import is_past, verb
from recollect.text.stopwords import grammar_words, language
from recollect.text.support import tables
from recollect.text.terms import fold, stem

BARE = ""
"""The part of what no preposition stands before: a subject, or an object."""
_DOING = frozenset((BARE, "by"))
"""The parts around a verb, of which a passive turns the order round."""
_NO_ACTORS = (
    tables.UNITS,
    tables.MONTHS,
    tables.WEEKDAYS,
    tables.SEASONS,
    tables.NUMBERS,
    tables.FILLERS,
)
_DIRECTED = frozenset("from to than before after by".split())
_PHRASES = ((r"(?i)\b(?:instead of|rather than)\b", "than"), (r"(?i)\bout of\b", "from"))
_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:[-_./][^\W_]+)*(?:'s?(?=\W|$))?|[,;:.!?\n—–]")


class RoleWord(NamedTuple):
    """A word of meaning, and its part."""

    key: str
    word: str
    role: str
    clause: int
    at: int
    """Its place among the words of the text."""


class RoleReading(NamedTuple):
    words: tuple[RoleWord, ...]
    passive: frozenset[int]
    """The clauses in which something is done to what they are about."""
    joints: tuple[int, ...]
    """The places of "and" and "or"."""

    def once(self) -> Mapping[str, RoleWord]:
        """The words that play a part, less what it has twice."""
        count = Counter(word.key for word in self.words)
        return {word.key: word for word in self.words if count[word.key] == 1 and _plays(word)}

    def between(self, one: RoleWord, other: RoleWord) -> set[str]:
        """The words between two that no preposition stands before: a verb is among them, if any."""
        low, high = sorted((one.at, other.at))
        inner = (word for word in self.words if low < word.at < high)
        return {word.key for word in inner if word.role == BARE}

    def are_equals(self, one: RoleWord, other: RoleWord) -> bool:
        """Whether a conjunction joins them."""
        low, high = sorted((one.at, other.at))
        return one.role == other.role and any(low < joint < high for joint in self.joints)

    def acts(self, one: RoleWord, other: RoleWord) -> str:
        """Which of two words around a verb does what is done; empty where that is not told."""
        passive = one.clause in self.passive
        if passive != ("by" in (one.role, other.role)):
            return ""
        first, second = sorted((one, other), key=attrgetter("at"))
        return second.key if passive else first.key


def _plays(word: RoleWord) -> bool:
    """Whether it may be somebody or something: no verb in the past, no measure, no date."""
    said = fold(word.word)
    if any(said in table for table in _NO_ACTORS) or said.isdigit():
        return False
    return not (word.word.islower() and is_past(said))


@lru_cache(maxsize=512)
def roles(text: str) -> RoleReading:
    text = text.replace("’", "'")
    for pattern, put in _PHRASES:
        text = re.sub(pattern, put, text)
    found = _WORD.findall(text)
    words: list[RoleWord] = []
    passive: set[int] = set()
    joints: list[int] = []
    clause, role = 0, BARE
    for at, raw in enumerate(found):
        word = fold(raw)
        if not raw[0].isalnum() or word in tables.SUBORDINATE:
            clause, role = clause + 1, BARE
        elif word in tables.BEING:
            role = BARE
            passive |= {clause} if _is_done(found[at + 1 : at + 4]) else set()
        elif word in tables.JOINTS:
            joints.append(at)
        elif word in tables.ROLES:
            role = tables.ROLES[word]
        elif _means(raw, at):
            words.append(_word(raw, role, clause, at))
            role = BARE if _is_date(word) else role
    return RoleReading(tuple(words), frozenset(passive), tuple(joints))


def _is_date(word: str) -> bool:
    """Whether what follows is no longer under the preposition: "in 2019 Acme sued Globex"."""
    known = (tables.MONTHS, tables.WEEKDAYS, tables.SEASONS)
    return (len(word) == 4 and word.isdigit()) or any(word in table for table in known)


def _word(raw: str, role: str, clause: int, at: int) -> RoleWord:
    name, mark, _ = raw.partition("'")
    return RoleWord(verb(stem(fold(name))), name, "of" if mark else role, clause, at)


def _means(raw: str, at: int) -> bool:
    """Whether it is a word of meaning; a letter is one where it is a name ("service B")."""
    if len(raw) == 1:
        return raw.isupper() and at > 0 and raw != "I"
    return fold(raw) not in grammar_words()


def _is_done(follows: Sequence[str]) -> bool:
    """Whether a form of "to be" is that of a passive."""
    return "by" in follows or any(is_past(fold(word)) for word in follows)


def part_of(word: str, text: str) -> str:
    """Returns the part that a word plays in a text where it is found first."""
    key = fold(word)
    return next((one.role for one in roles(text).words if fold(one.word) == key), BARE)


def exchanged(said: str, told: str) -> tuple[str, str] | None:
    """Returns two words of a sentence that have exchanged the parts that they play in its source;
    None where none have, or the texts are not English."""
    if {language(said), language(told)} - {"en", ""}:
        return None
    mine, yours = roles(said), roles(told)
    here, there = mine.once(), yours.once()
    shared = [key for key in here if key in there]
    for a, b in combinations(shared, 2):
        if _are_exchanged(mine, (here[a], here[b]), yours, (there[a], there[b])):
            return here[a].word, here[b].word
    return None


def turned(said: str, told: str) -> tuple[str, str, str] | None:
    """Returns a word that does in a sentence what is done to it, or comes from it, in its source,
    with the verb and the words of the source: "Percona paid us", of "we paid 10 euros to Percona".
    None where there is none, or the texts are not English."""
    if {language(said), language(told)} - {"en", ""}:
        return None
    mine, yours = roles(said), roles(told)
    here, there = mine.once(), yours.once()
    for one, action in pairwise(mine.words):
        known = there.get(one.key)
        if one.key not in here or known is None or known.role not in ("to", "from"):
            continue
        acts = one.role == action.role == BARE and one.clause == action.clause
        if not acts or one.clause in mine.passive or not is_past(fold(action.word)):
            continue
        done = (word for word in yours.words if word.key == action.key and is_past(fold(word.word)))
        if any(_is_before(word, known) for word in done):
            return one.word, action.word, f"{known.role} {known.word}"
    return None


def _is_before(word: RoleWord, other: RoleWord) -> bool:
    return word.clause == other.clause and word.at < other.at


_Two = tuple[RoleWord, RoleWord]


def _are_exchanged(mine: RoleReading, said: _Two, yours: RoleReading, told: _Two) -> bool:
    """Whether one of two words takes the part that the other has in the source: around a verb, or
    behind a preposition that gives a direction."""
    if said[0].clause != said[1].clause or told[0].clause != told[1].clause:
        return False
    if mine.are_equals(*said) or yours.are_equals(*told):
        return False
    parts, others = (said[0].role, said[1].role), (told[0].role, told[1].role)
    link = yours.between(*told)
    if _DOING.issuperset((*parts, *others)):
        actors = {mine.acts(*said), yours.acts(*told)} - {""}
        return len(actors) > 1 and bool(link) and bool(mine.between(*said))
    if parts[0] == parts[1] or others[0] == others[1]:
        return False
    symmetric = "with" in others and bool(link)  # what meets with, and what is met
    turned = parts == others[::-1] and not symmetric
    return turned or any(
        p == o and p in _DIRECTED for p, o in zip(parts, others[::-1], strict=True)
    )
