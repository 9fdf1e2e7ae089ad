"""Words that carry grammar rather than meaning, and the language they give away.

A question is looked up without them, unless it has no other words; they are indexed all the
same, so that "to be or not to be" and quoted phrases are found.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from recollect.text.terms import fold, stem

_WORDS = {
    "en": """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing don dont down during each few for from further
had has have having he her here hers him his how i if im in into is it its ive just me more most
my myself no nor not now of off on once only or other our ours out over own please same she
should so some such than that the their theirs them then there these they this those through to
too under until up us very was we were what whats when where which while who whom whose why will
with would you your yours tell know find show give
""",
    "de": """
der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren wird
werden hat haben mit von zu zum zur im in an auf aus bei nach vor über für wie was wer wo wann
warum welche welcher welches ich du er sie es wir ihr als auch noch nur mein meine meinen meinem
meiner meines unser unsere unseren unserem unserer unseres mich mir uns
""",
    "es": """
el la los las un una unos unas y o pero no es son era fue ser estar ha han con de del al en por
para como que qué quién quien dónde donde cuándo cuando cuál cual cuántos cuántas se su sus lo
""",
    "fr": """
le la les des du un une de et ou mais ne pas est sont était dans sur avec pour par qui que quoi
où quand comment il elle nous vous ils elles ce cette ces en au aux
""",
    "ru": """
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне
было вот от меня еще нет о из ему когда где кто какой какая какие чем сколько был была были для
""",
    "ar": """
في من على إلى عن مع هذا هذه التي الذي ما ماذا متى أين كيف كم هل هو هي كان كانت أو و
""",
}

_SIGNS = frozenset("的了是在吗呢谁什么几哪怎誰何はがをにでとのも")
"""Characters that carry grammar, or ask, in Chinese and Japanese."""
_PAIRS = frozenset(
    "多少 いつ どこ だれ なに なん どう どの です すか ます ませ せん した して する ある いる から"
    " まで この その あの では とは には".split()
)
"""Pairs of characters that do so, each of which may be part of a word."""


@cache
def stopwords() -> frozenset[str]:
    """Of all languages at once, stemmed as the index stems them."""
    words = " ".join(_WORDS.values()).split()
    return frozenset(map(stem, map(fold, words)))


@cache
def _grammar() -> dict[str, frozenset[str]]:
    return {name: frozenset(map(fold, words.split())) for name, words in _WORDS.items()}


@cache
def grammar_words(language: str = "") -> frozenset[str]:
    """Of a language, or of all at once, folded and not stemmed: "own" is one, "owns" is none."""
    known = _grammar()
    return known[language] if language else frozenset[str]().union(*known.values())


def is_grammar_run(term: str) -> bool:
    """Whether one or two characters of a script without spaces carry grammar, or ask."""
    return term in _PAIRS or not _SIGNS.isdisjoint(term)


@lru_cache(maxsize=16)
def language(text: str) -> str:
    """The language whose grammar words occur most (``en``, ``de``, ``es``, ``fr``, ``ru``,
    ``ar``); empty when none do, or two equally often."""
    words = list(map(fold, re.findall(r"[^\W\d_]+", text[:2000])))
    known = ((sum(map(grammar.__contains__, words)), name) for name, grammar in _grammar().items())
    (most, name), (next_most, _) = sorted(known, reverse=True)[:2]
    return name if most > next_most else ""
