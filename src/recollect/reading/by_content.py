"""Facts that a question does not name, and that answer it by what they say.

Being near is not enough: what is asked about another key, person or year shares most of its words
with a fact, and is near it in meaning as well. So all words that say which thing is meant have to
be in the fact, in any form; or hardly any are, and nothing else comes near it in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, permutations
from math import log

from recollect.nouns import Candidate
from recollect.reading.pool import Pool
from recollect.text.forms import is_form
from recollect.text.questions.asking import asks_for
from recollect.text.questions.subjects import less_owners, subjects
from recollect.text.questions.wanted import wanted
from recollect.text.stopwords import stopwords
from recollect.text.support.reading import read
from recollect.text.terms import fold, is_run, stems

ONE_WORD = log(2) + 1e-9
"""What ``Signals.words`` is at most for a question with one word that carries meaning."""
LOST = 0.15
"""What the words may be worth at most, of those that say what is asked about, that a fact lacks."""
_KIND = re.compile(r"\b(?:[Ww](?:hich|hat|elche[nmrs]?)|(?:[Qq]u|[Cc]u)[eéáa]l?)\s+([a-zäöüñ]\w+)")
"""What kind of thing is wanted ("which journal …"); a name there says which thing is meant."""
_OF = "(?:of|von|vom|der|des|de|del|du)"
_DOES = "(?:do|does|did|has|have|had|mag|hat)"
_OWNED = re.compile(rf"['’]|\b(?:{_OF}|{_DOES})\b", re.IGNORECASE)
_OWNER = re.compile(r"\b[^\W\d_]\w*(?=['’]s?(?:\W|$))")
_WHICH = re.compile(r"\b(?:what|which|welche[nmrs]?)\s+(\w+)", re.IGNORECASE)
_ASKS_KIND = re.compile(
    r"\W*(?:(?:and|so|since|seit|ab|und)\s+)?(?:(?P<where>where|wo|wohin|dónde|où)"
    r"|(?P<when>when|wann|cuándo|quand)|how old|wie alt|cuántos años|quel âge)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:in|at|on|to|into|from|near|next|behind|under|above|below|beside|between|inside|outside|here"
    r"|upstairs|downstairs|im|am|auf|aus|bei|beim|nach|unter|hinter|neben|en|dans|sur|chez|sous)\b|[/@]|\w\.\w",
    re.IGNORECASE,
)
"""What says where something is, or is an address."""
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zß-öø-ÿ]\w+")
"""A word within a sentence that may be the name of a place."""
_TIMED = re.compile(
    r"\b(?:after|before|until|since|once|when|every|nach|vor|bis|seit|wenn|antes|hasta|desde|cada"
    r"|avant|après|depuis|chaque)\b",
    re.IGNORECASE,
)
"""What says when something is, without a date."""
_TIMES = ("time", "month", "weekday", "season", "rate")
OLDEST, YEARS = 150, (1000, 2100)
"""Numbers that may be an age, and those that may be a year."""
_CODE = re.compile(r"\d")
_MINE = re.compile(r"\b(?:my|mine|our|ours|i|we|me|us)\b", re.IGNORECASE)
_SOMEBODYS = re.compile(r"\b[A-Z]\w+['’]s?\s((?:\w+\s)?\w+)")
"""What a statement says is somebody's."""
ALONE = 0.7
"""How sure a fact is that stands out by what it means."""
NEAR = 0.7
"""The cosine from which a fact that is named, and says nothing of what is asked by its words, may
say it by what it means."""
PERHAPS = 0.55
"""How sure a fact is at most that only has more of the words than what else was found."""
OUTSTANDING = ((0.15, 0.64, 0.07), (1.0, 0.675, 0.105))
"""Up to which share of the question's words, with which cosine, and how far ahead of every other a
fact stands out. One with some of the words has to be farther ahead: what is asked about another
thing shares most of its words with a fact, and is near it."""


def is_silent(told: str, asked: Collection[str]) -> bool:
    """Whether a text has fewer than half of these words, in any form, of those that say what is
    asked of something; where they ask how much, or when, it has no number."""
    said = stems(told)
    words = [word for word in asked if word not in wanted()]
    if not words:
        return bool(asked) and not _CODE.search(told)
    met = [word for word in words if any(is_form(word, one) for one in said)]
    return 2 * len(met) < len(words)


def lacks_kind(told: str, question: str) -> bool:
    """Whether a question asks when, where or how old, and a text has nothing of that kind."""
    asks = _ASKS_KIND.match(question)
    if asks is None:
        return False
    if asks["where"]:
        known = fold(question)
        named = any(fold(name) not in known for name in _CAPITAL.findall(told))
        return not (named or _PLACED.search(told))
    tokens = read(told).tokens
    dated = any(token.kind in _TIMES for token in tokens)
    numbers = [token.value for token in tokens if token.kind == "number"]
    if asks["when"]:
        return not (dated or numbers or _TIMED.search(told))
    return not (dated or any(n < OLDEST or YEARS[0] <= n <= YEARS[1] for n in numbers))


def is_strange(question: str, said: str, unsaid: Collection[str]) -> bool:
    """Whether a question says whose thing is meant ("Tom's favourite wine", "the wine that Tom
    likes"), and facts tell of nobody it names. *said*: how they are named there; *unsaid*: the
    words of the question that none of them has."""
    names = {*subjects(question).names, *_OWNER.findall(question)}
    kinds = stems(" ".join(_WHICH.findall(question)))
    others = stems(" ".join(names)) - stems(said) - kinds - wanted() - stopwords()
    return bool(others) and others <= set(unsaid)


def is_anothers(question: str, told: Mapping[str, str]) -> bool:
    """Whether a question asks for the thing of somebody ("the dentist of Jonas", "Jonas's dentist",
    "which dentist does Jonas have") where both are named, and nothing tells of both. *told*: what
    is told of each, by how it is named there."""
    if len(told) < 2 or not _OWNED.search(question):
        return False
    owned = (pair for pair in permutations(told, 2) if _owns(*pair, question))
    return any(
        not (stems(owner) <= stems(told[thing]) or stems(thing) <= stems(told[owner]))
        for owner, thing in owned
    )


def _owns(owner: str, thing: str, question: str) -> bool:
    one, two = (re.escape(re.sub(r"['’]s?$", "", name)) for name in (owner, thing))
    said = rf"\b{one}['’]s? (?:\w+ )?{two}\b|\b{two} (?:{_OF} (?:\w+ )?|{_DOES} ){one}\b"
    return bool(re.search(said, question, re.IGNORECASE))


def speaking(candidate: Candidate, pool: Pool) -> Candidate | None:
    """Returns a fact that is not named, and is graded as one, if it answers by its content."""
    if lacks_kind(pool.stored(candidate).passage.text, pool.of.parsed.prose):
        return None
    if _has_its_words(candidate, pool):
        return candidate
    if _stands_out(candidate, pool):
        return candidate._replace(confidence=ALONE, score=log(ALONE / (1 - ALONE)))
    return None


def nearest(facts: Iterable[Candidate], others: Sequence[Candidate], pool: Pool) -> list[Candidate]:
    """Returns the facts that have more than each of the others of the words that say which thing is
    meant, and no other number or year: they do not answer for sure, but a text with fewer of the
    words does so less."""
    which = pool.worth.keys() - _kinds(pool)
    most = max((_share(which & _has(c, pool), pool) for c in others), default=1.0)
    return [
        fact._replace(confidence=min(fact.confidence, PERHAPS))
        for fact in facts
        if _share(which & _has(fact, pool) - _owners(fact, pool), pool) > most
        and not (fact.signals.no_number or fact.signals.no_year)
    ]


def _has(candidate: Candidate, pool: Pool) -> set[str]:
    return pool.matched.get(candidate.passage, set())


def _stands_out(candidate: Candidate, pool: Pool) -> bool:
    """Whether it says the same in other words, as far as meaning tells: nothing else is near."""
    signals = candidate.signals
    other = signals.no_number or signals.no_year or "cosine" not in pool.grader
    other = other or not _owners(candidate, pool).isdisjoint(pool.worth)
    other = other or _is_of_another(candidate, pool)
    if other or any(map(_CODE.search, _lost(candidate, pool))):
        return False
    others = (c.signals.cosine for c in pool.best if c.passage != candidate.passage)
    ahead = signals.cosine - max(others, default=signals.cosine)
    near, lead = next(rest for most, *rest in OUTSTANDING if signals.coverage <= most)
    return signals.cosine >= near and ahead >= lead


def _owners(candidate: Candidate, pool: Pool) -> frozenset[str]:
    """Returns the words for who is named only as whose relative or friend it is of."""
    text = pool.stored(candidate).passage.text
    return stems(text) - stems(less_owners(text, stems(pool.of.parsed.prose)))


def _is_of_another(candidate: Candidate, pool: Pool) -> bool:
    """Whether something of one's own is asked for, and it is somebody else's that it tells of."""
    text = pool.stored(candidate).passage.text
    if not _MINE.search(pool.of.parsed.prose) or _MINE.search(text):
        return False
    return any(not stems(thing).isdisjoint(pool.worth) for thing in _SOMEBODYS.findall(text))


def _has_its_words(candidate: Candidate, pool: Pool) -> bool:
    """Whether a fact that is not named, and is graded as one, answers by its content: being of
    the same field is not enough, a single word names a field unless something is asked about it
    ("when do we deploy?", not "is redis up?"), and what is true of one number, key or person is not
    of another."""
    signals, asked = candidate.signals, pool.of
    names_a_field = signals.words <= ONE_WORD and not asks_for(asked.parsed.prose)
    other = signals.no_number or signals.no_year or names_a_field
    other = other or signals.no_name >= 1 or _is_of_another(candidate, pool)
    if other or candidate.confidence < asked.policy.fact_confidence:
        return False
    return _share(_lost(candidate, pool), pool) <= LOST


def _share(words: Iterable[str], pool: Pool) -> float:
    """Returns what these are worth, as a share of all words that say which thing is meant."""
    which = set(pool.worth) - _kinds(pool)
    return sum(pool.worth[word] for word in words) / (sum(pool.worth[w] for w in which) or 1.0)


def _lost(candidate: Candidate, pool: Pool) -> list[str]:
    """Returns the words of the question, of those that say which thing is meant, that the fact has
    in no form."""
    owners = _owners(candidate, pool)
    said = stems(pool.stored(candidate).passage.text) - owners
    has = _has(candidate, pool) - owners
    which = set(pool.worth) - _kinds(pool) - has
    return [word for word in which if not any(map(partial(is_form, word), said))]


def _kinds(pool: Pool) -> set[str]:
    """Returns the words of the question that say what is wanted of the thing; pairs of characters,
    in a script without spaces, say nothing for sure."""
    named = _KIND.findall(pool.of.parsed.prose)
    return {*wanted(), *filter(is_run, pool.worth), *chain.from_iterable(map(stems, named))}
