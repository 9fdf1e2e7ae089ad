"""What a statement is about: the phrase of it that a person would file it under.

Candidates are the phrases of one to four words that no small word opens or ends; a linear score
over what can be seen of them chooses. ``python -m training.subjects`` fitted it to the subjects
that people gave to sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect.named_tuple import NamedTuple
from recollect.text.ordinary import commonness
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, stem

MOST_WORDS = 4
_TOKEN = re.compile(r"`[^`\n]{1,40}`|[^\W_](?:[\w./&+#@-]*\w)?(?:['’]\w+)?|[^\w\s]")
_DETERMINERS = frozenset("the a an our my your their his her this that each every".split())
_PLACES = frozenset("for of on in at to with from about".split())
_OBJECTS = _DETERMINERS | _PLACES | frozenset("us them it me him off up out every new no".split())
"""What may follow a verb."""
_VERBS = frozenset(
    "is are was were has have had will would should must can could may uses use runs needs goes "
    "stays moves moved lives comes gets got does do did owns leads wants want decided agreed "
    "prefer prefers said says know knows think going make makes keep keeps let let's send check "
    "go see need still now then also only just already not don't doesn't won't can't chose choose "
    "take takes took keeping kept drop drops dropped start starts ends becomes writes reads asked "
    "i'll we'll you'll i'm we're it's i've we've i'd longer shorter later earlier more less "
    "open set sets get require requires grow grows grew accept accepts allow allows contain "
    "contains include includes".split()
)
_VAGUE = frozenset(
    "anything something everything nothing anyone someone everyone anybody somebody everybody "
    "nobody one ones thing things".split()
)
"""Words that name nothing."""

_BEFORE_VERBS = frozenset(
    "i we you they he she who longer never not can't won't don't doesn't didn't should will would "
    "must".split()
)
"""What follows these is a verb, and begins no phrase."""


class SubjectPhrase(NamedTuple):
    text: str
    numbers: tuple[float, ...]
    """In the order of :data:`WEIGHTS`."""


WEIGHTS = {
    "one": 0.09,
    "two": -0.04,
    "three": 0.0,
    "four": -0.05,
    "inner": -0.13,
    "determiner": 1.06,
    "preposition": 0.17,
    "first": 0.66,
    "after_small": -0.11,
    "verb_after": 0.99,
    "place_after": 0.38,
    "mark_after": 0.28,
    "word_after": -0.5,
    "position": -2.77,
    "name": 0.56,
    "first_name": -0.02,
    "figure": -0.85,
    "some_rare": -0.27,
    "all_rare": 0.13,
    "past_first": 0.02,
    "adverb_last": -1.5,
    "verb_last": -2.0,
    "noun_last": 0.15,
    "code": -0.29,
    "tiny": -0.73,
}
"""Fitted, but for ``word_after``, ``adverb_last`` and ``verb_last``: a phrase does not end in the
middle of one, nor with a verb."""


def subject(statement: str) -> str:
    """Returns the phrase that a statement is about: what it names before a colon, else the best of
    its phrases; nothing where none will do."""
    label = _LABEL.match(statement)
    if label and _is_label(label[1]):
        return label[1]
    best = max(phrases(statement), key=_score, default=None)
    return best.text if best is not None and _score(best) > _LEAST else ""


_LEAST = -4.0
_LABEL = re.compile(r"([^\W\d_][^:;,.!?()\n]{2,40}): \S")


def _is_label(said: str) -> bool:
    """Whether what stands before a colon is a name, and no statement or date."""
    told = [fold(token) for token in _TOKEN.findall(said)]
    is_phrase = 1 < len(told) <= MOST_WORDS and _is_word(told[0]) and _is_word(told[-1])
    return is_phrase and _VERBS.isdisjoint(told) and not _NO_NAME.search(said)


def names(statement: str) -> list[str]:
    """Returns the phrases of a statement that are written as names: with a capital that is not
    only that of its first word, unless this is no ordinary one."""
    found = (one.text for one in phrases(statement) if any(one.numbers[at] for at in _NAMES))
    return [name for name in found if not _NO_NAME.search(name)]


_NO_NAME = re.compile(
    r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|day\b|^\d|^\w+ing$"
)
_NAMES = [n for n, name in enumerate(WEIGHTS) if name in ("name", "first_name")]


def _score(phrase: SubjectPhrase) -> float:
    return sum(w * n for w, n in zip(WEIGHTS.values(), phrase.numbers, strict=True))


@lru_cache(maxsize=64)
def phrases(statement: str) -> tuple[SubjectPhrase, ...]:
    return tuple(_phrases(statement))


def _phrases(statement: str) -> Iterator[SubjectPhrase]:
    tokens = _TOKEN.findall(statement)
    low = [fold(token.strip("`")) for token in tokens]
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + MOST_WORDS, len(tokens)) + 1):
            if not _is_word(low[end - 1]):
                if low[end - 1] != "of":
                    break
                continue
            if not _is_word(low[start]) or (start and low[start - 1] in _BEFORE_VERBS):
                break
            yield _phrase(tokens, low, start, end)


def is_verb(word: str) -> bool:
    """Whether a word may be the verb of a statement, by a list of those that are common and by its
    ending."""
    return word in _VERBS or word.endswith(("s", "ed", "ing"))


@lru_cache(maxsize=4096)
def _is_word(word: str) -> bool:
    telling = word not in _VERBS and word not in _VAGUE
    return telling and word[:1].isalnum() and stem(word) not in stopwords()


def _phrase(tokens: list[str], low: list[str], start: int, end: int) -> SubjectPhrase:
    said, words = tokens[start:end], low[start:end]
    before = low[start - 1] if start else ""
    after = low[end] if end < len(low) else ""
    inner = [word for word in words if not _is_word(word)]
    size = end - start
    rare = [commonness(word) not in ("ordinary",) for word in words]
    numbers = (
        size == 1, size == 2, size == 3, size == 4, bool(inner),
        before in _DETERMINERS, before in _PLACES, not start, not _is_word(before) and bool(before),
        after in _VERBS, after in _PLACES, not after[:1].isalnum(), bool(after) and _is_word(after),
        start / len(tokens), any(t[:1].isupper() for t in (said if start else said[1:])),
        said[0][:1].isupper() and not start and rare[0], any(w[:1].isdigit() for w in words),
        any(rare), all(rare), words[0].endswith(("ed", "ing")), words[-1].endswith(("ed", "ly")),
        size > 1 and words[-1].endswith("s") and not words[-1].endswith("ss") and after in _OBJECTS,
        words[-1].endswith(("ing", "ion", "ment", "er", "or", "ity", "s")),
        any("`" in t or "_" in t or "." in t for t in said),
        sum(map(len, words)) < 4,
    )  # fmt: skip
    text = " ".join(token.strip("`") for token in said)
    return SubjectPhrase(text.replace(" '", "'"), tuple(map(float, numbers)))
