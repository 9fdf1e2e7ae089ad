"""Whether a text has nothing to do with what a store holds, told by words and counts alone.

A prompt that a hook is called for mostly asks nothing of memory, and to find that out by a search
loads a hundred modules. An answer is held back where no sentence has much of what is asked
(``reading/grade.py``), and how much the best sentence has at most can be told from the index. Where
that is too little for anything to be said, the search need not be made. Anything that could be
answered in another way (a fact that is named, a time that is asked for, another language than
English) is left to the search.
"""

from __future__ import annotations

from math import log1p

from recollect.reading import fitted
from recollect.storage.embedded.glance import Glance, Unreadable
from recollect.text import keys, units
from recollect.text.headings import headings
from recollect.text.ordinary import commonness
from recollect.text.statements.cues import beginnings, cued
from recollect.text.stopwords import grammar_words, language, stopwords
from recollect.text.terms import query_terms, stems

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 0.4
"""The share of a text's words, by what they are worth, from which on a fact may answer it."""
OWNER = "local"
_OF_TIME = (
    "yesterday today tonight tomorrow week weekend month quarter year monday tuesday wednesday "
    "thursday friday saturday sunday january february march april june july august september "
    "october november december first last latest lately recent since ago before after until left "
    "leave resume continue recap session"
)
"""Words of which one is in what asks for a time and no topic, or in what tells one."""


def is_unrelated(folder: str, text: str, sure: float) -> bool:
    """Whether a search of the store in the folder for the text, as words, can find nothing of which
    it is as sure as that; False wherever only the search can tell."""
    if not text.isascii() or language(text) not in ("en", "") or _asks_time(text):
        return False
    words = _content(text)
    least = min(MOST, _least_share(len(words), sure))
    if not words or least <= 0:
        return False
    try:
        seen = Glance(folder)
    except Unreadable:
        return False
    try:
        return not _names_fact(seen, text) and not _reaches(seen, words, least)
    finally:
        seen.close()


def _asks_time(text: str) -> bool:
    return not beginnings(text.lower()).isdisjoint(cued(_OF_TIME))


def _content(text: str) -> dict[str, str]:
    """The words that a search for the text looks for, stemmed, each with one that was typed."""
    said = list(zip(*query_terms(text), strict=True))
    grammar = grammar_words(language(text))
    meant = {stem for stem, word in said if stem not in stopwords() or word not in grammar}
    return {stem: word for stem, word in said if stem in meant} or dict(said)


def _least_share(count: int, sure: float) -> float:
    """The share of so many words that one sentence has to have for an answer to be so sure."""
    about = fitted.weights()["stated"]
    given = about["weights"]["asked"] * log1p(count)
    return float((fitted.least_score(sure) - given) / about["weights"]["sentence"])


def _names_fact(seen: Glance, text: str) -> bool:
    """Whether the text may name a fact, perhaps with a slip."""
    said = keys.words(text)
    names = [*keys.spoken(said), *keys.slip_handles(said, keys.strange(said, ()))]
    return seen.has_handle(f"{OWNER}/{name}" for name in names)


def _reaches(seen: Glance, words: Mapping[str, str], least: float) -> bool:
    """Whether a sentence may have so large a share of the words. One that occurs nowhere may be
    corrected into one that does, which then is in any sentence."""
    worth = seen.worth([*words])
    there = {stem: value for stem, value in worth.items() if seen.has(stem)}
    corrected = sum(
        worth[stem]
        for stem, word in words.items()
        if stem not in there and seen.has_like(word, slips=not commonness(word))
    )
    wanted = least * sum(worth.values()) - corrected
    if wanted <= 0:
        return True
    passages = seen.passages(there, wanted) if there else []
    return passages is None or any(_best(above, text, there) >= wanted for above, text in passages)


def _best(above: str, text: str, worth: Mapping[str, float]) -> float:
    """What the words are worth that a sentence of a passage has with what stands above it."""
    known = stems(above)
    said = (
        stems("\n".join((text[start:end], *headings(text, end)))) | known
        for start, end, _ in units.units_of(text, 0)
    )
    return max((sum(worth[word] for word in worth.keys() & one) for one in said), default=0.0)
