"""Whether a text that uses an ordinary word means what is called by it.

"Express" may be a framework and "express" a verb: the words around decide. For it speak a capital
where the thing itself is written with one, words nearby that the thing is described with, another
name of the same field nearby, and that nothing else is said. Against it speaks a place where only
a verb can stand. When in doubt, it is not meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among
from recollect.text.keys import TextWord, words
from recollect.text.questions.wanted import wanted
from recollect.text.stopwords import language, stopwords
from recollect.text.terms import stem

NEAR = 12
"""Words on either side that are near."""
ENOUGH = 1
_GENERIC = frozenset(
    map(
        stem,
        """
use using used make made need want get got go take set put new old good best better way thing
things stuff work working works project question problem issue help think like look see say one
two first last next time day week lot bit kind sort part case point right sure really just maybe
something anything everything someone anyone people team today now still going prefer prefers
shape shapes toward rather instead always never all should would
""".split(),
    )
)
_SOMEBODY = frozenset("he she his her him hers himself herself".split())
_BEFORE_A_NOUN = frozenset(
    """
the a an my our your his her their its this that which no der die das den dem des mein meine meinen
meiner meinem unser unsere unseren unserer unserem el la los las mi mis nuestro nuestra le les mon
ma mes notre nos
""".split()
)
_BEFORE_A_VERB = frozenset("to i we you they he she it who will would lets".split())

_MODES = frozenset("should must could may might did do does".split())
_OBJECTS = frozenset("it them him me us you these those".split())


class Sense(NamedTuple):
    meant: bool
    why: str


@lru_cache(maxsize=512)
def vocabulary(about: str) -> frozenset[str]:
    """The words that a thing is described with, as far as they tell anything."""
    return frozenset(_content(words(about)))


def _content(some: Sequence[TextWord]) -> list[str]:
    common = stopwords() | _GENERIC
    stems = (stem(word.folded) for word in some if len(word.folded) > 1)
    return list(not_among(stems, common))


@lru_cache(maxsize=512)
def _written(about: str) -> frozenset[str]:
    """The words of a text as they are written, but for those that begin a sentence."""
    return frozenset(word.written for word in words(about) if word.joined)


def sense(
    text: Sequence[TextWord],
    at: int,
    names: Sequence[str],
    about: str,
    beside: Sequence[tuple[int, bool]],
) -> Sense:
    """Whether the word at this place of the text means the thing that has these *names* and is
    described by *about*. *beside* are the places of other names of its field, each with whether
    that one is certain."""
    word, rest = text[at], [*text[:at], *text[at + 1 :]]
    own = stem(word.folded)
    others = {stem(other.folded) for other in rest} - stopwords()
    as_verb = _is_verb(text, at)
    if len(text) == 1 or (others <= wanted() and not as_verb):
        return Sense(True, "nothing else is said")
    spellings = {*names, *_written(about)}
    as_written = {one for one in spellings if one.casefold() == word.written.casefold()}
    is_name = any(name[:1].isupper() for name in as_written)
    capital = is_name and _capital(text, at)
    if own in stopwords():
        return Sense(capital and word.written in as_written, "written as the name is")
    if capital:
        return Sense(True, "written as a name")
    shared = set(_content(text[max(0, at - NEAR) : at + NEAR + 1])) & (vocabulary(about) - {own})
    near = [(n, certain) for n, certain in beside if 0 < abs(n - at) <= NEAR]
    companions = [n for n, certain in near if certain or not is_name]
    named = is_name and word.written[:1].isupper()
    of_somebody = named and not _SOMEBODY.isdisjoint(other.folded for other in text)
    as_noun = not is_name and _is_noun(text, at)
    score = min(2, len(shared)) + bool(companions) + of_somebody + as_noun - 2 * as_verb
    if score < ENOUGH:
        return Sense(False, "an ordinary word here")
    said = sorted(shared) or [text[n].written for n in companions]
    return Sense(True, f"beside “{'”, “'.join(said[:3])}”" if said else "a noun by itself")


def _is_verb(text: Sequence[TextWord], at: int) -> bool:
    """Whether the word stands as a verb: "they rent it", "we should audit this"."""
    if not text[at].joined:
        return False
    before, after = text[at - 1].folded, [one.folded for one in text[at + 1 : at + 2]]
    has_object = not (_BEFORE_A_NOUN | _OBJECTS).isdisjoint(after)
    return before in _BEFORE_A_VERB or (before in _MODES and has_object)


def _is_noun(text: Sequence[TextWord], at: int) -> bool:
    """Whether the word stands as a noun of which nothing else is said: "the rent", but not "the
    rent control law"."""
    last = at + 1 == len(text) or not text[at + 1].joined
    alone = last or stem(text[at + 1].folded) in stopwords() | wanted()
    return alone and text[at].joined and text[at - 1].folded in _BEFORE_A_NOUN


def _capital(text: Sequence[TextWord], at: int) -> bool:
    """Whether the word has a capital that tells something."""
    word = text[at].written
    if not word[:1].isupper():
        return False
    rest = [w.written for n, w in enumerate(text) if n != at and w.written[:1].isalpha()]
    lower = sum(w[:1].islower() for w in rest)
    if lower * 2 < len(rest) or language(" ".join(rest)) == "de":
        return False
    return text[at].joined or word[1:] != word[1:].lower()
