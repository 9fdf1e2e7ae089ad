"""What must be accounted for before two texts count as the same, whatever a model says of them.

:func:`difference` names the first thing that one text has and the other lacks: a number with its
unit, a date, a name, an identifier, a negation, an owner, a quantity, a tense, an obligation, an
opposite, what is asked for, and who does what to whom. Each is a class of words, as data below or
in :mod:`recollect.text.support.tables`; no rule knows a subject. A wrong refusal costs a search, a
wrong acceptance serves a wrong answer: where a class is in doubt, it counts.

What it does not know are siblings ("the cat", "the dog") and attributes ("price", "weight"): those
are the pair model's part, and neither decides alone. Of texts that are not English it knows the
exact things, the names, what a question asks for and the order of the words.
"""

# ruff: noqa: E501  a table reads better with its long rows

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import chain, pairwise, permutations, product

from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among, values_of
from recollect.text.forms import is_past, verb
from recollect.text.ordinary import commonness
from recollect.text.stopwords import grammar_words, stopwords
from recollect.text.support import tables
from recollect.text.support.reading import ClauseToken, Kind, of_kinds, read
from recollect.text.support.verdict import same_token
from recollect.text.terms import fold, stem

# From here on tables of words, several on a line.
# fmt: off


def _rows(rows: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in rows.items() for word in words.split()}


EQUAL = _rows({
    "all": "all every everyone everybody everything always", "most": "mostly majority", "both": "both",
    "only": "only solely exclusively", "than": "than", "except": "except besides excluding unless",
    "no more": "anymore",
    "first": "first", "last": "last latest newest recent recently", "next": "next upcoming", "previous": "previous prior former earlier", "second": "second",
})
"""Words of a row that both texts must have, or neither."""
PERSONS = _rows({
    "me": "i me my mine we us our ours myself ourselves mein meine meinem meinen meiner unser unsere unserem unseren unserer", "you": "your yours",
    "he": "he him his", "she": "she her hers", "they": "they them their theirs",
})
SELF = frozenset("i me my mine myself".split())
MODES = _rows({
    "must": "must obliged mandatory required compulsory", "should": "should ought recommended supposed",
    "may": "may might can could allowed permitted able possible",
})
PLACES = frozenset("above below behind beneath beside between beyond inside outside under front opposite across upstairs downstairs into out off before after since until during".split())
"""Of these one text may lack what the other has, but not have another."""
TITLES = frozenset("professor prof doctor dr mr mrs ms miss sir madam".split())
PAST, FUTURE = frozenset("did was were had".split()), frozenset("will shall".split())
PRESENT = frozenset("do does is are am has have can may must should could would".split())
DOING = frozenset("do does did".split())
BEING = frozenset("is are am was were be been being".split())
RELATIVE = frozenset("that who which i we he she they".split())
ASKS = {
    "reason": r"why|how come|(?:what|which)(?: is| was| are| were)?(?: the)? (?:reasons?|makes|made|causes|caused)",
    "times": r"how (?:often|frequently|regularly)|how many times",
    "long": r"how long|how much time|how many (?:hours|minutes|seconds|days|weeks|months|years)",
    "number": r"how (?:many|much)|(?:what )?number of",
    "time": r"when|(?:what|which) (?:time|date|day|year|month|hour|week)",
    "place": r"where|(?:what|which) (?:place|location)",
    "person": r"who|whom|whose|which (?:person|people|colleague)",
    "way": r"how (?:do|can|to|should|could|would|does|did|is|are|was|were)",
    "degree": r"how",
    "thing": r"what|which",
}
"""What is asked for, by how it is asked: of those that come first in a question the first here."""
FOREIGN_ASKS = {
    "reason": "warum wieso weshalb pourquoi",
    "long": "wie_lange",
    "number": "wieviel wieviele wie_viel wie_viele cuanto cuanta cuantos cuantas combien",
    "time": "wann cuando quand",
    "place": "wo wohin woher donde ou",
    "person": "wer wen wem wessen quien quienes qui",
    "thing": "was welche welcher welches welchen que cual quel quelle quels quelles",
}
"""The same in German, Spanish and French, by how a question begins; folded."""
# fmt: on
BRIEF = 6
"""Words of meaning that a brief statement has at most."""
_ANOTHER_THING, _SOMEBODY_ELSE = "another thing is asked", "somebody else may do it"
_DATES = tables.WEEKDAYS.keys() | tables.MONTHS.keys()
_TIMES = tables.WEEKDAYS.keys() | tables.UNITS.keys()
_NAMING: tuple[Kind, ...] = ("name", "id", "number", "month", "weekday", "season", "time")
_VALUES: tuple[Kind, ...] = ("number", "time", "month", "weekday", "season", "rate")
_ANYTHING = frozenset({"", "thing"})
_STEP = re.compile(r"\b(?:after|before|while|once|instead of|without) (?:\w+ )?\w{2,}ing\b")
_STEPS = frozenset("after before while once when if instead without then next first".split())
_PARTICULAR = frozenset({"reason", "times", "long", "time", "place"})
_NAMED = re.compile(
    r"\b(?:what|which) (?!(?:is|are|was|were|be|do|does|did|has|have|had|can|could|will|would|should"
    r"|may|must|the|our|my|a|an|of|we|i)\b)(\w+)"
)
_OF_A_TOPIC = _PARTICULAR - {"times"}
"""What is asked of a topic that no word of it can tell."""
_DONE = re.compile(
    r"\b(?:do|does|did) (?:i|we|you|they|he|she|it|one) (?:\w+ly |still |also )?(\w+)"
)
_LIGHT = frozenset(map(stem, "make take give get put set".split()))
"""Verbs that say little by themselves: "make the booking" is to book."""
_ALIKE = ({"number", "degree"}, {"long", "time"}, {"long", "degree"}, {"way", "thing"})
_NEED = re.compile(r"\b(?:have|has|had|need|needs|needed) to\b")
_GOING = re.compile(r"\b(?:is|are|am) going to\b|\b(?<!the )(?<!a )(?:will|shall)\b")
_PERFECT = re.compile(
    r"\b(?:has|have) (?:\w+ ){0,3}?(?:been|done|gone|made|\w{3,}ed)\b|\bused to\b"
)
_CLAUSE = re.compile(r"[,;:—–]\s|[.!?]\s+")
_AUXILIARY = "is are was were do does did can could will would should has have had may must".split()
_QUESTION = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b")
_WHETHER = re.compile(rf"^(?:{'|'.join(_AUXILIARY)})\b")
_FRAME = re.compile(
    r"(?i)^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind|show) me\b ?"
    r"|^(?:do you |did i |any idea )(?:happen to |still )?(?:know|remember|recall)?\b ?(?=wh|how)"
)
_IS = re.compile(r"\b(what|who|where|when|how|why|which|it|that|there|he|she)'s\b")
_CAPITAL = re.compile(r"\b(?=[^\W\d_a-zß-öø-ÿ])\w{2,}")
_LETTER = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z](?!['+#\w]|\. *\w)")
_SIGNED = re.compile(r"\b[^\W_]+(?:\++|#)(?!\w)")
_SIGN = re.compile(r"[<>≤≥]=?|(?<![\w.])-(?=\d)")
_WORD = re.compile(r"[^\W_]+")
_SUPERLATIVE = re.compile("most|least|.{3,}est")
_WAY = re.compile(".{3,}ly")
"""An adverb."""
_FROM = re.compile(r"\bfrom (?:the |my |our |an? |its )?(\w+)")
_TO = re.compile(r"\b(?:to|into|onto) (?:the |my |our |an? |its )?(\w+)")
_MARKS = str.maketrans("’‘ʼ`´", "'''''")
_OPPOSED = ("un", "in", "im", "non", "dis", "a", "de", "mis", "il", "ir")
"""What turns a word into its opposite, put before it."""


class _ComparedText(NamedTuple):
    """A text as the rules look at it."""

    text: str
    words: tuple[str, ...]
    asking: tuple[str, ...]
    """The words of the clause that asks; all of them where none does."""
    tokens: tuple[ClauseToken, ...]
    asks: str
    language: str
    capitals: tuple[str, ...]
    """The words with a capital, up to an apostrophe: "Ankara'dan"."""
    letters: tuple[str, ...]
    """The capital letters that are a word within a sentence ("block A"), and words with a sign
    behind them ("C++", "C#")."""

    @property
    def english(self) -> bool:
        return self.language in ("en", "")

    def of(self, *kinds: Kind) -> list[ClauseToken]:
        return of_kinds(self.tokens, kinds)

    @property
    def denies(self) -> bool:
        return bool(self.of("not"))

    @property
    def names(self) -> set[str]:
        return {fold(token.word) for token in self.of("name")}

    @property
    def persons(self) -> set[str]:
        return _rows_of(PERSONS, self.words)

    @property
    def keywords(self) -> bool:
        """It is no sentence: it asks nothing, and has no auxiliary verb."""
        return not self.asks and not {*self.asking} & {*_AUXILIARY}

    @property
    def passive(self) -> bool:
        """Something is done to what it is about: "was it made", "who was hired"."""
        be = next((n for n, word in enumerate(self.asking) if word in BEING), len(self.asking))
        return any(map(is_past, self.asking[be + 1 :]))

    @property
    def predicate(self) -> str:
        """Whether it says what something ``does``, or what it ``is``; empty for neither."""
        if not DOING.isdisjoint(self.asking):
            return "does"
        return "is" if not BEING.isdisjoint(self.asking) and not self.passive else ""


def _rows_of(table: Mapping[str, str], words: Iterable[str]) -> set[str]:
    """The rows of a table that some of the words are in."""
    return set(values_of(table, words))


def difference(one: str, other: str) -> str:
    """Says what is not accounted for in both texts; empty where everything is."""
    a, b = _view(one), _view(other)
    rules = _ENGLISH if a.english and b.english else _ANY
    return next(filter(None, (rule(a, b) for rule in rules)), "")


@lru_cache(maxsize=256)
def _view(text: str) -> _ComparedText:
    reading = read(text.lower() if text.isupper() else text)
    plain = _FRAME.sub("", _IS.sub(r"\1 is", fold(text.translate(_MARKS))))
    parts = _CLAUSE.split(plain)
    *_, asked = (plain, *filter(_WHETHER.search, parts), *filter(_QUESTION.search, parts))
    asking = _words(asked)
    asks = _ask(" ".join(asking)) if reading.language in ("en", "") else ""
    asks = asks or _foreign_ask(asking)
    capitals = tuple(map(fold, _CAPITAL.findall(text)))
    letters = (
        *map(fold, _SIGNED.findall(text)),
        *([] if text.isupper() else _LETTER.findall(text)),
    )
    return _ComparedText(
        plain, _words(plain), asking, reading.tokens, asks, reading.language, capitals, letters
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(re.sub(r"'(?:s|m|re|ve|ll|d)?\b", "", text.replace("n't", " not"))))


@cache
def _asks() -> re.Pattern[str]:
    return re.compile("|".join(rf"(?P<{name}>\b(?:{some})\b)" for name, some in ASKS.items()))


def _ask(text: str) -> str:
    """What is asked for: empty where no word tells, or only the last one does ("… how")."""
    found = _asks().search(text)
    if found is not None:
        trails = found.end() == len(text) or (found.start() and not {*text.split()} & {*_AUXILIARY})
        return "" if trails else str(found.lastgroup)
    return "yes" if text.partition(" ")[0] in _AUXILIARY else ""


@cache
def _foreign_asks() -> Mapping[str, str]:
    return _rows(FOREIGN_ASKS)


def _foreign_ask(words: Sequence[str]) -> str:
    """What a question that is not English asks for, by its first words."""
    kinds = _foreign_asks()
    return kinds.get("_".join(words[:2])) or kinds.get("".join(words[:1]), "")


# ------------------------------------------------------------------ what both must have

_Rule = Callable[[_ComparedText, _ComparedText], str]


def _both_ways(rule: _Rule) -> _Rule:
    """Returns a rule that holds each text against the other."""
    return lambda a, b: rule(a, b) or rule(b, a)


def _says(why: str) -> Callable[[Callable[[_ComparedText, _ComparedText], bool]], _Rule]:
    """Returns what makes a rule of a test: texts that pass it differ in this."""
    return lambda test: lambda a, b: why if test(a, b) else ""


def _only(words: Collection[str]) -> str:
    """Names the first of the words that one text has and the other lacks, if there are any."""
    return f"“{min(words)}” is only in one" if words else ""


@_says("only one of them denies")
def _denial(a: _ComparedText, b: _ComparedText) -> bool:
    return a.denies != b.denies


@_says("another sign")
def _signs(a: _ComparedText, b: _ComparedText) -> bool:
    return sorted(_SIGN.findall(a.text)) != sorted(_SIGN.findall(b.text))


@_both_ways
def _lettered(a: _ComparedText, b: _ComparedText) -> str:
    """A letter or a sign that names one of several; "plan b" is "plan B", and "a" no letter."""
    known = {*b.letters, *(word.upper() for word in b.words if word != "a")}
    return _only([letter for letter in a.letters if letter not in known][:1])


@_both_ways
def _unshared(a: _ComparedText, b: _ComparedText) -> str:
    """Numbers, dates, identifiers and names."""
    told = [token for token in a.tokens if _counts(token, a)]
    return _only([token.word for token in told if not _has(b, token)][:1])


def _has(view: _ComparedText, token: ClauseToken) -> bool:
    return any(map(partial(_same, token), view.tokens)) or _spelled(token, view)


def _counts(token: ClauseToken, view: _ComparedText) -> bool:
    if token.kind == "name":
        return fold(token.word) not in TITLES and (view.english or token.place > 0)
    if len(token.word) == 1 and token.word.isalpha():
        return False  # letters are compared with the signs behind them
    return token.kind not in ("word", "not", "rate")


def _same(token: ClauseToken, other: ClauseToken) -> bool:
    if "number" in (token.kind, other.kind):
        return same_token(token, other)
    one, two = sorted((fold(token.word), fold(other.word)), key=len)
    return token.key == other.key or (token.kind == "name" != other.kind and two == one + "s")


def _spelled(token: ClauseToken, b: _ComparedText) -> bool:
    """Whether the other has it in another spelling: its words as one, or as initials."""
    key = fold(token.word).replace("-", "")
    initials = token.word.isupper() and 1 < len(key) < 6
    if initials and key in "".join(word[0] for word in b.words):
        return True
    return len(key) > 3 and key.isalpha() and key in "".join(b.words)


def _unknown(a: _ComparedText, b: _ComparedText) -> str:
    """A word that no dictionary has, where the other has another: names without their capitals."""
    return _contrast(_odd(a, b), _odd(b, a))


def _contrast(mine: Sequence[str], yours: Sequence[str]) -> str:
    """Holds the first word of one against the first of the other, where both have one."""
    return f"“{mine[0]}” is not “{yours[0]}”" if mine and yours else ""


def _odd(a: _ComparedText, b: _ComparedText) -> list[str]:
    """The words of one that no dictionary has, and the other has in no number."""
    known = {*b.words, *(word + "s" for word in b.words), *_DATES}
    some = [word for word in a.words if word.isalpha() and not {word, word + "s"} & known]
    return [word for word in some if commonness(word) in ("name", "")]


def _equal(a: _ComparedText, b: _ComparedText) -> str:
    return _only(_named(a) ^ _named(b))


def _named(view: _ComparedText) -> set[str]:
    """The rows of :data:`EQUAL` that it has; "all days" and "every Monday" are times."""
    times = {word for word, follows in pairwise(view.words) if follows in _TIMES}
    words = [word for word in view.words if EQUAL.get(word) != "all" or word not in times]
    again = {"again"} if view.asks == "yes" else set()
    return _rows_of(EQUAL, words) | again.intersection(words)


@_both_ways
def _whose(a: _ComparedText, b: _ComparedText) -> str:
    """Whose it is: one's own may go without saying, and so may that of somebody who is named."""
    mine, yours = a.persons, b.persons
    unsaid = mine <= {"me"} or bool(a.names) or a.asking != a.words
    apart = mine.isdisjoint(yours) and (yours or not unsaid)
    return _only(mine) if apart else ""


def _opposite(a: _ComparedText, b: _ComparedText) -> str:
    mine, yours = set(a.words) - set(b.words), set(b.words) - set(a.words)
    for one, two in product(mine, yours):
        if _are_opposite(one, two):
            return f"“{one}” is not “{two}”"
    return _disjoint(mine & PLACES, yours & PLACES) or _disjoint(*map(_superlatives, (mine, yours)))


def _disjoint(mine: set[str], yours: set[str]) -> str:
    return "" if mine & yours else _contrast(sorted(mine), sorted(yours))


def _superlatives(words: set[str]) -> set[str]:
    found = filter(_SUPERLATIVE.fullmatch, words)
    return {{"closest": "nearest", "quickest": "fastest"}.get(word, word) for word in found}


def _are_opposite(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    if len(short) > 4 and long.removesuffix(short) in _OPPOSED:
        return True
    opposites = map(_opposites().__getitem__, _bases(two) & _opposites().keys())
    return not _bases(one).isdisjoint(chain.from_iterable(opposites))


@cache
def _opposites() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one, two in chain.from_iterable(map(permutations, tables.OPPOSITES)):
        for base in _bases(one):
            found[base] |= _bases(two)
    return found


@lru_cache(maxsize=1024)
def _bases(word: str) -> frozenset[str]:
    """The word, its stem, and what it compares: "thinner" is "thin"."""
    found = {word, stem(word)}
    for ending in ("er", "est", "ly"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            base = word.removesuffix(ending)
            found |= {base, base[:-1], base + "e"} if base[-1] == base[-2] else {base, base + "e"}
    return frozenset(found)


# ------------------------------------------------------------------ how it is asked


def _asked(a: _ComparedText, b: _ComparedText) -> str:
    asks = {a.asks, b.asks}
    if "yes" in asks and len(asks) > 1:
        return "one asks whether it is so"
    if asks == {"person", "thing"}:
        return _ANOTHER_THING
    if _names_what(a, b) or _names_what(b, a):
        return _ANOTHER_THING
    asks -= _ANYTHING
    return "" if len(asks) < 2 or asks in _ALIKE else _ANOTHER_THING


def _names_what(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether one says what it asks for ("what price …"), and the other asks when, where or why, and
    has no such word."""
    found = _NAMED.search(" ".join(a.asking)) if b.asks in _PARTICULAR else None
    return a.asks == "thing" and found is not None and not _in(stem(found[1]), b.words)


def _when(a: _ComparedText, b: _ComparedText) -> str:
    one, two = tense(a), tense(b)
    return f"{one} is not {two}" if len({one, two} - {""}) > 1 else ""


def tense(view: _ComparedText) -> str:
    """``past``, ``present`` or ``future``; empty where no verb tells, or two do."""
    words, text = view.asking, " ".join(view.asking)
    if _GOING.search(text):
        return "future"
    if PAST.intersection(words) or _PERFECT.search(text):
        return "past"
    if PRESENT.intersection(words):
        return "" if _told_of_past(view) else "present"
    if view.asks in ("person", "thing"):
        return "past" if any(map(is_past, words)) else "present"
    return ""


def _told_of_past(view: _ComparedText) -> bool:
    """Whether a clause within is of the past: "the doctor that Hyejin recommended"."""
    names = view.names | RELATIVE
    return any(before in names and is_past(word) for before, word in pairwise(view.asking))


@_says("what must be is not what may be")
def _mode(a: _ComparedText, b: _ComparedText) -> bool:
    one, two = _modes(a), _modes(b)
    told = bool(one and two) or "yes" in (a.asks, b.asks)
    return told and one != two and not one & two


def _modes(view: _ComparedText) -> set[str]:
    needs = {"must"} if _NEED.search(" ".join(view.asking)) else set()
    return _rows_of(MODES, view.asking) | needs


# ------------------------------------------------------------------ who does what


@_both_ways
@_says("it goes the other way")
def _direction(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether one goes from where the other goes to."""
    return bool(set(_FROM.findall(a.text)) & set(_TO.findall(b.text)) - set(_TO.findall(a.text)))


@_both_ways
@_says("what comes before or after it is another thing")
def _beside(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether one asks for what is done before or after something, and the other for that."""
    return bool(_STEP.search(a.text)) and not _STEPS.intersection(b.words)


@_says(_SOMEBODY_ELSE)
def _moved(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether the words with capitals, where both have the same and several, or else all words are
    the same in another order."""
    named = len(a.capitals) > 1 and sorted(a.capitals) == sorted(b.capitals)
    one, two = (a.capitals, b.capitals) if named else _less_me(a.words, b.words)
    return one != two and sorted(one) == sorted(two)


def _less_me(one: Sequence[str], two: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns both without the first person, where only one has it: it may go without saying."""
    unsaid = {"me"} & ({*one} ^ {*two})
    return list(not_among(one, unsaid)), list(not_among(two, unsaid))


def _roles(a: _ComparedText, b: _ComparedText) -> str:
    """Whether the same words do something else: in another order somebody else may do it, and a
    verb may be a noun ("when do we test the server", "when is the test server")."""
    one, two = _less_me(_order(a), _order(b))
    if sorted(one) != sorted(two) or a.keywords != b.keywords:
        return ""
    if {a.predicate, b.predicate} == {"does", "is"}:
        return "a verb of one may be a noun of the other"
    return "" if (one == two) == (a.passive == b.passive) else _SOMEBODY_ELSE


def _restricted(a: _ComparedText, b: _ComparedText) -> str:
    """Of few words each counts: "depth" is not "well depth"."""
    one, two = (set(_order(view)) - {"me"} for view in (a, b))
    small, large = sorted((one, two), key=len)
    if len(small) < 3 and small < large and a.keywords and b.keywords:
        return _only(large - small)
    return ""


@_says("another language")
def _spoken(a: _ComparedText, b: _ComparedText) -> bool:
    return len({a.language, b.language} - {""}) > 1


def _order(view: _ComparedText) -> list[str]:
    """The words of meaning and the persons, in order, less what says the same wherever it stands:
    a time, a way."""
    free = {fold(token.word) for token in view.of("weekday", "month", "season")}
    some = (word for word in view.asking if word not in free and not _WAY.fullmatch(word))
    common = stopwords()
    return [PERSONS.get(w) or verb(stem(w)) for w in some if w in PERSONS or stem(w) not in common]


@_says("too few words of one are in the other")
def _unlike(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether they share too few words of meaning to be about the same thing."""
    return _shared(a, b) < 1 / 3


def _shared(a: _ComparedText, b: _ComparedText, less: Collection[Kind] = ()) -> float:
    """The share of the words of meaning that both have, without those of some kinds, of those of
    the shorter one."""
    least = min(len(_roots(a)), len(_roots(b)))
    return len(_common(a, b, less)) / least if least else 1.0


def _common(a: _ComparedText, b: _ComparedText, less: Collection[Kind]) -> set[str]:
    return (_roots(a) & _roots(b)).difference(t.key[:5] for t in a.of(*less))


def _roots(view: _ComparedText) -> set[str]:
    return {token.key[:5] for token in view.tokens if token.kind != "not"}


_EXACT = (_denial, _signs, _lettered, _unshared)


@_both_ways
@_says("one only names what the other asks something of")
def _topic(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether one is a bare topic ("billing server"), and the other asks of it when or where, or in
    words of its own ("who pays for it"). What it names and the other asks for is no topic: "garage
    code", "which code opens the garage"."""
    if a.asks or b.asks in ("", "yes") or _asks().search(a.text):
        return False
    mine, yours = _meanings(a), _meanings(b)
    named = _NAMED.search(" ".join(b.asking))
    if _says_more(mine, yours) or (named and _in(_base(named[1]), mine.stems)):
        return False
    more = set(yours.stems) - {_base(place) for place in PLACES}
    says = any(not _in(word, mine.stems) for word in more)
    return b.asks in _OF_A_TOPIC or (says and (b.asks, b.predicate) != ("thing", "is"))


@_both_ways
@_says("a verb of one is another word of the other")
def _done(a: _ComparedText, b: _ComparedText) -> bool:
    """Whether both say what somebody does, and what is done in one is spoken of in the other, where
    something else is done: "when do we release", "when do we sign the release"."""
    one, two = (_DONE.search(" ".join(view.asking)) for view in (a, b))
    if one is None or two is None:
        return False
    does, other = _base(one[1]), _base(two[1])
    plain = stopwords() | _LIGHT
    return does != other and not {does, other} & plain and does in map(_base, b.words)


_ANY = (_spoken, *_EXACT, _asked, _moved, _unlike)
_ENGLISH = (
    *_EXACT,
    _restricted,
    _unknown,
    _equal,
    _whose,
    _opposite,
    _asked,
    _when,
    _mode,
    _direction,
    _beside,
    _roles,
    _topic,
    _done,
    _unlike,
)


# ------------------------------------------------------------------ what is asked of it


def asks_apart(one: str, other: str) -> bool:
    """Whether two questions may ask different things of what both name: apart from names they share
    no word, or each has words of its own and what they share stands together, as the name of one
    thing does ("port of the *orders database*", "who may read the *orders database*")."""
    a, b = _meanings(_view(one)), _meanings(_view(other))
    mine, yours = _unnamed(a, b), _unnamed(b, a)
    if not any(_in(word, yours) for word in mine):
        return bool(mine or yours)
    return all(_says_more(x, y) and _stands_together(x, y) for x, y in ((a, b), (b, a)))


class _Meanings(NamedTuple):
    stems: tuple[str, ...]
    """Of the words that carry meaning, in order, less those that tell what kind of thing is asked
    for ("how long")."""
    names: frozenset[str]
    """Those of them that name one thing: in digits, with a capital, or in no dictionary."""


def _meanings(view: _ComparedText) -> _Meanings:
    text = _asks().sub("", " ".join(view.words), count=1)
    words = [word for word in text.split() if word not in grammar_words()]
    named = {word for token in view.of(*_NAMING) for word in _words(fold(token.word))}
    named |= {word for word in words if view.english and commonness(word) in ("name", "")}
    return _Meanings(tuple(dict.fromkeys(map(_base, words))), frozenset(map(_base, named)))


def _base(word: str) -> str:
    return verb(stem(word))


def _unnamed(a: _Meanings, b: _Meanings) -> list[str]:
    return [word for word in a.stems if word not in a.names | b.names]


def _says_more(a: _Meanings, b: _Meanings) -> bool:
    return not all(_in(word, b.stems) for word in a.stems)


def _stands_together(a: _Meanings, b: _Meanings) -> bool:
    """Whether the words of one that the other has too are all beside each other."""
    shared = [n for n, word in enumerate(a.stems) if _in(word, b.stems)]
    return not shared or shared[-1] - shared[0] < len(shared)


def _in(word: str, words: Iterable[str]) -> bool:
    """Whether a stem is among others, as it is or begun alike: "prod", "production"; of three
    letters too many words begin so: "per", "person"."""
    return any(word == one or _begin_alike(word, one) for one in words)


def _begin_alike(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    return len(short) > 3 and (long.startswith(short) or short[:5] == long[:5])


def without_frame(text: str) -> str:
    """The question without "can you tell me" and the like before it."""
    return _FRAME.sub("", text)


def is_english(text: str) -> bool:
    """Whether a text may be English, of which the guard knows most."""
    return _view(text).english


def denies(text: str) -> bool:
    return _view(text).denies


_ANSWERED_BY: Mapping[str, tuple[Kind, ...]] = {
    "time": ("number", "time", "month", "weekday", "season"),
    "long": ("number",),
    "times": ("number", "rate", "weekday", "time"),
    "number": ("number",),
}
"""What an answer has that the question lacks, by what is asked for."""
_OF_ASKING = frozenset(
    map(stem, "open question unclear undecided decided yet not long often many much".split())
)
"""What a question says of itself, and not of what it is about."""


def is_all_in(what: str, statement: str, less: Collection[str] = ()) -> bool:
    """Whether a statement has every word of meaning and every value of a question or a task: what
    it asks of, and for when. What is *less* may be missing."""
    asked, said = _view(what), _view(statement)
    told = {*_order(said), "me"}
    named = all(_has(said, token) for token in asked.of(*_NAMING) if fold(token.word) not in less)
    missing = set(_order(asked)) - told - _OF_ASKING - {verb(stem(word)) for word in less}
    return named and not missing


def gives_what_is_asked(question: str, statement: str) -> bool:
    """Whether a statement has a value of the kind that a question asks for, which is not in the
    question itself; where none is known, whether it says something more. Whether it is so, any
    statement may tell."""
    asked, said = _view(question), _view(statement)
    if kinds := _ANSWERED_BY.get(asked.asks):
        return any(not _has(asked, token) for token in said.of(*kinds))
    return asked.asks == "yes" or not set(_order(said)) <= set(_order(asked))


def days(text: str) -> set[str]:
    """The days, months and times that a text names."""
    found = _view(text).of("weekday", "month", "season", "time")
    return {fold(token.word) for token in found}


def differs_in_amount(one: str, other: str) -> bool:
    """Whether each has a number, a date or a time of day that the other lacks."""
    a, b = ({t.key for t in _view(text).of(*_VALUES)} for text in (one, other))
    return bool(a - b) and bool(b - a)


class Overlap(NamedTuple):
    """The words that two statements share of what they are about: not whose it is, and no date or
    amount, which is said of many things."""

    words: int
    share: float
    """Of those of the shorter one."""


def overlap(one: str, other: str) -> Overlap:
    a, b = (_less_owner(_view(text)) for text in (one, other))
    return Overlap(len(_common(a, b, _VALUES)), _shared(a, b, _VALUES))


def _less_owner(view: _ComparedText) -> _ComparedText:
    return view._replace(tokens=tuple(t for t in view.tokens if fold(t.word) not in PERSONS))


def of_oneself(one: str, other: str) -> bool:
    """Whether both statements are brief and of one person: "I live in Oslo", "I moved". What "we"
    do is done by many, with many things; and my bank is not my insurer."""
    views = _view(one), _view(other)
    brief = all(len(v.tokens) <= BRIEF and not SELF.isdisjoint(v.words) for v in views)
    return brief and any("i" in view.words for view in views)


def names_another(one: str, other: str) -> bool:
    """Whether both statements are brief, each names what the other does not, and says something
    else besides: the contact at one client, and at another. Of one thing one value changes."""
    a, b = _view(one), _view(other)
    return all(len(x.tokens) <= BRIEF and _names_and_says(x, y) for x, y in ((a, b), (b, a)))


def _names_and_says(a: _ComparedText, b: _ComparedText) -> bool:
    own = [t for t in _less_owner(a).of(*_NAMING, "rate") if not _has(b, t)]
    apart = any(two.place - one.place > 1 for one, two in pairwise(own))
    return apart and any(token.kind == "name" for token in own)
