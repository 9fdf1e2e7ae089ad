"""Whether a sentence follows from the spans that it cites, rule by rule; the first to fail tells.

Every number, unit, date, name and negation of the sentence is in the spans or computed from them;
what one clause of the spans says is not said of what another one is about; and the words of meaning
are accounted for: by the same word, by a form of it, or by one that means nearly the same
(:data:`Near`, which a caller with an embedder hands in; a pair model may take its place). Of two
readings the stricter one counts: a true sentence that is refused costs a sentence, a false one that
is kept is a lie.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from itertools import chain, combinations, filterfalse, product
from operator import attrgetter

from recollect.named_tuple import NamedTuple
from recollect.text.forms import is_form, is_past
from recollect.text.stopwords import stopwords
from recollect.text.support import tables
from recollect.text.support.added import added, is_told, ought
from recollect.text.support.arithmetic import Result, computed, is_year
from recollect.text.support.reading import ClauseReading, ClauseToken, SentenceClause, read
from recollect.text.support.roles import exchanged, part_of, turned
from recollect.text.terms import fold, stem, stems

Near = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""How near each of some words is to the nearest of others, from 0 to 1."""


def unknown(words: Sequence[str], _others: Sequence[str]) -> Sequence[float]:
    """The :data:`Near` of a caller without an embedder."""
    return [0.0] * len(words)


CLOSE = 0.8
"""From which nearness on a word is taken for another."""
SYNONYM = 0.9
"""From which on it stands where the other does."""
FAR = 0.74
"""Below which a word is about something else."""
LONGEST = 100
"""Tokens of a sentence that is checked: a longer one is a page."""
STRAY = 0.25
"""Share of the words of a sentence that may be unaccounted for."""


_COMPARED = re.compile(
    r"(?<![^.;])(?:([^.;]*\bprefer\w*\b[^.;]*)\b(?:to|over)\b([^.;]*)"
    r"|([^.;]*)\b(?:than|before)\b([^.;]*))"
)


_WORD = re.compile(r"[^\W\d_]+")
_THAN = re.compile(r"\b(?:than|above|below)\b")
_RANKS = tables.RISES | tables.FALLS


UNCHECKED = "only its numbers, dates, names and negations could be checked, and not its words"


class Support(NamedTuple):
    """What became of the check of one sentence."""

    why: str = ""
    """What is wrong with it; empty where it is supported."""
    computed: tuple[str, ...] = ()
    """How numbers follow that are not in the spans as they stand."""
    unchecked: str = ""
    """What of it could not be held against the spans, where nothing is wrong with the rest."""

    @property
    def holds(self) -> bool:
        return not (self.why or self.unchecked)


class CitedSentence:
    """A sentence, and what it is held against."""

    def __init__(self, text: str, cited: str, around: str, near: Near) -> None:
        self.text, self.cited = text, cited
        self.said, self.spans = read(text, any_language=True), read(cited, any_language=True)
        self.known = (*self.spans.tokens, *read(around, any_language=True).tokens)
        """The tokens of the spans, and of the text around them, which may tell who is meant."""
        languages = {self.said.language, self.spans.language} - {""}
        self.comparable = languages <= {"en"}
        """Whether words of it that the spans have not can be compared with theirs in meaning."""
        self.near = near if self.comparable else unknown
        self.computed: list[Result] = []
        """How numbers follow that are not in the spans as they stand."""
        self.clauses_with = cache(self._clauses_with)
        """Returns the clauses of the spans that have a token, or else what means the same."""
        lacking = _lower(filterfalse(self.has, self.said.of("word")))
        if lacking:  # all in one batch
            self.near(lacking, _lower(self.spans.of("word", "name")) or lacking)

    @property
    def differs(self) -> bool:
        """Whether it says a difference of numbers."""
        return any(one.high for one in self.computed)

    def has(self, token: ClauseToken) -> bool:
        return _among(token, self.spans.tokens)

    def _clauses_with(self, token: ClauseToken) -> frozenset[int]:
        exact = frozenset(o.clause for o in self.spans.tokens if same_token(token, o))
        if exact or token.kind != "word":
            return exact
        words = self.spans.of("word")
        return frozenset(o.clause for o in words if self.nearness(token, o) >= SYNONYM)

    def shared(self, tokens: Sequence[ClauseToken]) -> list[int]:
        """How many of the tokens each clause of the spans has."""
        homes = Counter(chain.from_iterable(map(self.goes_for, tokens)))
        return [homes[clause] for clause in range(len(self.spans.clauses))]

    def goes_for(self, token: ClauseToken) -> frozenset[int]:
        """The clauses that have a token, and those that go on from one with "and" and leave it out:
        "leaves Uig at nine on weekdays and at two on Saturdays"."""
        homes = self.clauses_with(token)
        if token.kind not in ("word", "name", "id"):
            return homes
        after = {home + 1 for home in homes} & self.spans.joined
        return homes | {n for n in after if self._leaves_out(n, token)}

    def _leaves_out(self, clause: int, token: ClauseToken) -> bool:
        """Whether a clause has nothing of its kind, nor a figure where the token follows one."""
        this, before = self.spans.clauses[clause], self.spans.clauses[clause - 1]
        if token.kind != "word" and this.of(token.kind):
            return False
        figures = before.of("number", "time") if this.of("number", "time") else []
        places = [one.place for one in before.tokens if same_token(token, one)]
        return not (figures and places and places[0] > figures[0].place)

    def nearness(self, token: ClauseToken, other: ClauseToken) -> float:
        return self.near([token.word.lower()], [other.word.lower()])[0]


def _lower(tokens: Iterable[ClauseToken]) -> list[str]:
    return [token.word.lower() for token in tokens]


def check(sentence: str, spans: Sequence[str], around: str = "", near: Near = unknown) -> Support:
    """Holds a sentence against the spans that it cites."""
    size = len(read(sentence).tokens)
    if not 0 < size <= LONGEST:
        return Support("it is too long to be checked" if size else "it says nothing")
    case = CitedSentence(sentence, "\n".join(spans), around, near)
    rules = (
        _dates,
        _figures,
        _own,
        _bounds,
        _added,
        _names,
        _negations,
        _modals,
        _rows,
        _places,
        _crossed,
        _exchanged,
        _compared,
        _ranked,
        _opposed,
        _words,
    )
    why = next(filter(None, (rule(case) for rule in rules)), "")
    if why:
        return Support(why)
    lacking = [] if case.comparable else _lacking(case)
    if lacking and not _is_anchored(case, lacking):
        return Support(_missing(lacking[0]))
    unchecked = UNCHECKED if lacking else ""
    return Support("", tuple(one.how for one in case.computed), unchecked)


def _is_anchored(case: CitedSentence, lacking: Sequence[ClauseToken]) -> bool:
    """Whether a sentence whose words cannot be compared speaks of what it cites all the same: a
    number, a name or a date of it is there, or in the same language half of its words."""
    if any(map(case.has, case.said.of("number", "time", "month", "name", "id"))):
        return True
    here, there = case.said.language, case.spans.language
    return here == there and 2 * len(lacking) <= len(case.said.of("word"))


def asks_more(query: str, question: str) -> bool:
    """Whether a question in other words has a number, a date, a name or an identifier that the
    question has not, or another negation. A name may be written in full, or be short for some."""
    said, asked = read(query), read(question)
    values = said.of("number", "time", "month", "weekday", "id")
    exact = [one for one in values if one.kind != "number" or _in_digits(one)]
    added = any(not _mentioned(one, asked.tokens) for one in exact)
    added |= any(not _names_again(one, asked.tokens) for one in said.of("name"))
    return added or bool(said.of("not")) != bool(asked.of("not"))


def _in_digits(number: ClauseToken) -> bool:
    return any(map(str.isdigit, number.word))


def _names_again(name: ClauseToken, asked: Sequence[ClauseToken]) -> bool:
    """Whether a name is one of the tokens, longer or shorter, or their initials."""
    word = fold(name.word)
    pairs = (sorted((word, fold(one.word)), key=len) for one in asked)
    begun = any(len(short) > 2 and long.startswith(short) for short, long in pairs)
    return begun or _abbreviates(name, "".join(one.key[:1] for one in asked))


# ------------------------------------------------------------------ the same token


def same_token(token: ClauseToken, other: ClauseToken) -> bool:
    if "number" in (token.kind, other.kind):
        return token.kind == other.kind and _same_number(token, other)
    return token.key == other.key or _alike(token, other)


def _alike(token: ClauseToken, other: ClauseToken) -> bool:
    """Forms of one word: by the stemmer of another kind, by a common beginning, or irregular."""
    if not {token.kind, other.kind} <= {"word", "name"}:
        return False
    one, two = _root(token.word), _root(other.word)
    if one == two or is_form(one, two):
        return True
    # "gedauert" is a form of "dauert"
    pairs = ((one, two), (one.removeprefix("ge"), two), (one, two.removeprefix("ge")))
    return any(_begins(pair, _ending(token)) for pair in pairs)


def _begins(pair: tuple[str, str], ending: int) -> bool:
    """Whether one word is the other without an ending."""
    short, long = sorted(pair, key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= ending


@lru_cache(maxsize=1 << 14)
def _root(word: str) -> str:
    return stem(fold(word))


def _ending(token: ClauseToken) -> int:
    """Letters by which a form of it may be longer; a name has few."""
    return 2 if token.kind == "name" else 5


def _same_number(token: ClauseToken, other: ClauseToken) -> bool:
    if token.unit and other.unit:
        one, two = tables.UNITS[token.unit], tables.UNITS[other.unit]
        size, apart = token.value * one.factor, token.value * one.factor - other.value * two.factor
        return one.dimension == two.dimension and abs(apart) < 1e-6 * max(1.0, abs(size))
    if abs(token.value - other.value) > 1e-9:
        return False
    digits = (one.word.partition(" ")[0] for one in (token, other))
    if not (token.unit or other.unit) and _is_another_version(*digits):
        return False
    if {token.after, other.after} <= tables.MONTH_NUMBERS.keys():
        return token.after == other.after
    return not (token.unit and other.after) or other.after in tables.MONTH_NUMBERS


def _is_another_version(one: str, other: str) -> bool:
    """Whether two equal numbers differ as versions or sections do: 2.1 and 2.10."""
    return "." in one and "." in other and one.rpartition(".")[2] != other.rpartition(".")[2]


def _among(token: ClauseToken, others: Iterable[ClauseToken]) -> bool:
    return any(map(partial(same_token, token), others))


def _mentioned(token: ClauseToken, said: Sequence[ClauseToken]) -> bool:
    return any(same_token(one, token) for one in said)


# ------------------------------------------------------------------ the rules


def _own(case: CitedSentence) -> str:
    """Something of it is in the spans: what is around them, or a title, bears out nothing alone."""
    tokens = [token for token in case.said.tokens if token.kind != "not"]
    if (
        case.computed
        or any(map(case.clauses_with, tokens))
        or not any(_among(one, case.known) for one in tokens)
    ):
        return ""
    return "it says nothing of what it cites"


def _figures(case: CitedSentence) -> str:
    """Numbers and times of day are in the spans, or follow from what is."""
    numbers = case.spans.of("number")
    hours = {one.value for one in numbers}
    for token in (*case.said.of("number"), *case.said.of("time")):
        rivals = [one for one in numbers if one.after == token.after != ""]
        if case.has(token) and rivals and not _among(token, rivals):
            return f"{_shown(token)} is “{rivals[0].word}” in what it cites"
        if case.has(token) and _adds_unit(case, token):
            return f"{_shown(token)} has no such unit in what it cites"
        if case.has(token) or (token.kind == "time" and token.value / 60 in hours):
            continue
        if _declines(case, token):
            continue
        result = computed(token, case.text, case.said, case.spans)
        if result is None:
            return _missing(token)
        case.computed.append(result)
    return ""


def _adds_unit(case: CitedSentence, token: ClauseToken) -> bool:
    """Whether a number has a unit that it has not in the spans, nor has anything else there."""
    if token.kind != "number" or not token.unit:
        return False
    dimension = tables.UNITS[token.unit].dimension
    words = _folded_words(case.cited) - {"in", "an"} | {one.unit for one in case.spans.tokens}
    return all(tables.UNITS[word].dimension != dimension for word in words & tables.UNITS.keys())


def _declines(case: CitedSentence, token: ClauseToken) -> bool:
    """Whether the spans have the number with the other sign, and words tell of that: "fell by 5 %"
    for −5 %."""
    turned = token._replace(value=-token.value)
    told = any(one.kind == "number" and _same_number(turned, one) for one in case.spans.tokens)
    text = case.text if token.value > 0 else case.cited
    return token.kind == "number" and told and not tables.DECLINES.isdisjoint(_folded_words(text))


def _folded_words(text: str) -> set[str]:
    return set(map(fold, _WORD.findall(text)))


def _bounds(case: CitedSentence) -> str:
    """At least so many are not at most so many, and what is exact is neither."""
    bounding = not tables.BOUNDING.isdisjoint(_folded_words(case.cited))
    for token in filter(attrgetter("bound"), case.said.of("number")):
        twins = [one for one in case.spans.of("number") if same_token(token, one)]
        bounds = {one.bound for one in twins} - {""}
        if bounds and token.bound not in bounds:
            return f"{_shown(token)} is another bound than in what it cites"
        if twins and not bounds and not bounding:
            return f"{_shown(token)} is exact in what it cites"
    return ""


def _first_missing(tokens: Sequence[ClauseToken], has: Callable[[ClauseToken], bool]) -> str:
    """Names the first of the tokens that what is cited has not; empty where it has all."""
    return next(map(_missing, filterfalse(has, tokens)), "")


def _missing(token: ClauseToken) -> str:
    return f"{_shown(token)} is not in what it cites"


def _shown(token: ClauseToken) -> str:
    return f"“{token.word} {token.unit}”" if token.unit not in ("", *"$€£%") else f"“{token.word}”"


def _added(case: CitedSentence) -> str:
    """Before and after, all and only are in the spans, and so is what must, should or can be."""
    return added(case.text, case.cited) or next(
        (
            f"it says what “{word}” be, and its source tells what was"
            for clause in case.said.clauses
            for word in ought(clause)
            if all(map(is_told, (case.spans.clauses[n] for n in _homes(case, clause.tokens))))
        ),
        "",
    )


def _dates(case: CitedSentence) -> str:
    missing = _first_missing(case.said.of("month", "weekday", "season"), case.has)
    rates = case.spans.keys("rate")
    others = [token for token in case.said.of("rate") if token.key not in rates]
    if rates and others and not missing:
        return f"“{others[0].word}” is another rate than in what it cites"
    return missing or _first_missing(others, lambda token: not _is_every(token, case.text))


def _is_every(rate: ClauseToken, text: str) -> bool:
    """Whether a rate says how often, and is no length: "every day", and not "within a day"."""
    return not re.search(rf"(?i)\ban? {re.escape(rate.word)}\b", text)


def _names(case: CitedSentence) -> str:
    initials = "".join(one.key[:1] for one in case.known)

    def has(token: ClauseToken) -> bool:
        if case.has(token) or _abbreviates(token, initials):
            return True
        return _among(token, case.known) and not _replaces(case, token)

    return _first_missing(case.said.of("name", "id"), has)


def _replaces(case: CitedSentence, token: ClauseToken) -> bool:
    """Whether a name that is only around the spans stands where they have another one, which the
    sentence leaves out."""
    part = part_of(token.word, case.text)
    others = (o for o in case.spans.of("name", "id") if not _mentioned(o, case.said.tokens))
    return any(part_of(other.word, case.cited) == part for other in others)


def _abbreviates(token: ClauseToken, initials: str) -> bool:
    """Whether it stands for words in a row."""
    return token.word.isupper() and len(token.word) > 1 and fold(token.word) in initials


def _negations(case: CitedSentence) -> str:
    if case.differs:  # what is left of a whole is what was not taken
        return ""
    return next(filter(None, map(partial(_turned, case), range(len(case.said.clauses)))), "")


def _turned(case: CitedSentence, n: int) -> str:
    """Whether a clause denies what its source does not, or affirms what it denies. Where it goes on
    from the clause before it, a denial there counts for it."""
    clause, spans = case.said.clauses[n], case.spans.clauses
    homes = list(filter(None, map(case.clauses_with, clause.tokens)))
    negative = {c for c in chain(*homes) if spans[c].negative}
    if clause.denies and homes and (not negative or _of_another(case, clause, negative)):
        return "it denies what its source does not deny"
    if clause.negative or (n in case.said.joined and case.said.clauses[n - 1].negative):
        return ""
    if any(all(spans[c].negated for c in home) for home in homes):
        return "it affirms what its source denies"
    return ""


def _of_another(case: CitedSentence, clause: SentenceClause, negative: Iterable[int]) -> bool:
    """Whether the clauses of the spans that deny are each about another one by name than the clause
    of the sentence."""
    named = [token for token in clause.of("name", "id") if case.has(token)]
    spans = (case.spans.clauses[n].of("name", "id") for n in negative)
    return bool(named) and all(
        some and not any(map(partial(_mentioned, said=named), some)) for some in spans
    )


def _modals(case: CitedSentence) -> str:
    """What must be is not what may be, nor is what might be so; what is denied is left out."""
    for clause in case.said.clauses:
        homes = [case.spans.clauses[n] for n in _homes(case, clause.tokens)]
        if clause.negated or not homes or any(home.negated for home in homes):
            continue
        told = frozenset(chain.from_iterable(home.modals for home in homes))
        if clause.modals and told and clause.modals.isdisjoint(told):
            return "it says what must be where its source says what may be, or the other way round"
        open_ = all("might" in home.modals for home in homes)
        if open_ and tables.UNSURE.isdisjoint(_folded_words(case.text)):
            return "it says for certain what its source leaves open"
    return ""


def _rows(case: CitedSentence) -> str:
    """What one row has is not said of another: "2024: 12, 2025: 15"."""
    rows = list(filter(_is_row, case.spans.clauses))
    for clause in case.said.clauses if len(rows) > 1 else ():
        labels = _mentions(clause, [row.tokens[:-1] for row in rows])
        values = _mentions(clause, [row.tokens[-1:] for row in rows])
        if len(labels) == len(values) and labels != values:
            return "it says of one row what its source says of another"
    return ""


def _is_row(clause: SentenceClause) -> bool:
    """Whether it is a label and a number; a year is a label."""
    figures = [one.kind == "number" and not is_year(one) for one in clause.tokens]
    return 1 < len(figures) < 5 and figures[-1] and not any(figures[:-1])


def _mentions(clause: SentenceClause, parts: Sequence[Sequence[ClauseToken]]) -> list[int]:
    """The parts that a clause has all tokens of, in its order."""
    places = {
        n: [one.place for one in clause.tokens if _among(one, part)]
        for n, part in enumerate(parts)
        if all(_mentioned(one, clause.tokens) for one in part)
    }
    return sorted(places, key=places.__getitem__)


def _places(case: CitedSentence) -> str:
    """What takes the place of another: a name, a number or a subject of one clause of the spans,
    in a sentence that says what another clause says of another one."""
    for clause in case.said.clauses:
        for token in clause.tokens:
            other = _rival(case, token, clause.tokens)
            if other:
                return f"it says of “{token.word}” what its source says of “{other.word}”"
    return ""


def _rival(
    case: CitedSentence, token: ClauseToken, tokens: Sequence[ClauseToken]
) -> ClauseToken | None:
    homes = case.clauses_with(token)
    if not homes:
        return None
    count = case.shared([one for one in tokens if one is not token])
    if max(count) <= max(count[home] for home in homes):
        return None
    best = chain.from_iterable(
        clause.tokens
        for clause, shared in zip(case.spans.clauses, count, strict=True)
        if shared == max(count)
    )
    rivals = (o for o in best if _rivals(case, token, o, homes))
    return next((other for other in rivals if not _meant(case, other, tokens)), None)


def _meant(case: CitedSentence, token: ClauseToken, said: Sequence[ClauseToken]) -> bool:
    """Whether one of the tokens is it, or means it."""
    if _mentioned(token, said):
        return True
    words = [one for one in said if one.kind == "word" and not case.has(one)]
    return token.kind == "word" and any(case.nearness(one, token) >= CLOSE for one in words)


def _rivals(
    case: CitedSentence, token: ClauseToken, other: ClauseToken, homes: frozenset[int]
) -> bool:
    """Whether one could stand where the other does."""
    spans = case.spans
    if token.kind == "time":
        return other.kind == "time"
    if token.kind == "number":
        twins = [one for one in spans.tokens if one.clause in homes and same_token(token, one)]
        return other.kind == "number" and not _sorts([other]).isdisjoint(_sorts(twins))
    if token.kind == other.kind and token.kind in ("name", "id"):
        return True
    firsts = chain.from_iterable(_first(spans, home) for home in homes)
    return [other] == _first(spans, other.clause) and any(
        same_token(token, first) or case.nearness(token, first) >= SYNONYM for first in firsts
    )


def _sorts(tokens: Iterable[ClauseToken]) -> set[str]:
    """What numbers are numbers of: a dimension, or the words beside them."""
    tokens = list(tokens)
    measured = {tables.UNITS[token.unit].dimension for token in tokens if token.unit}
    beside = ((token.after, token.before) for token in tokens if not token.unit)
    years = {"year"} if any(map(is_year, tokens)) else set[str]()
    return (measured | years | set(chain.from_iterable(beside))) - {""}


def _first(spans: ClauseReading, clause: int) -> list[ClauseToken]:
    return spans.clauses[clause].of("word", "name", "id")[:1]


def _crossed(case: CitedSentence) -> str:
    """What two clauses say, crossed."""
    homes = [(_home(case, clause.tokens), clause.tokens) for clause in case.said.clauses]
    for (here, mine), (there, yours) in combinations(homes, 2):
        for a, b in product(mine, yours) if here != there else ():
            if case.clauses_with(a) == {there} and case.clauses_with(b) == {here}:
                return f"it exchanges “{a.word}” and “{b.word}”"
    return ""


def _homes(case: CitedSentence, tokens: Sequence[ClauseToken]) -> list[int]:
    """The clauses of the spans that have most of the tokens."""
    count = case.shared(tokens)
    return [clause for clause, shared in enumerate(count) if shared == max(count)]


def _home(case: CitedSentence, tokens: Sequence[ClauseToken]) -> int:
    """The clause of the spans that has most of the tokens, where one has; else -1."""
    best = _homes(case, tokens)
    return best[0] if len(best) == 1 and case.shared(tokens)[best[0]] else -1


def _exchanged(case: CitedSentence) -> str:
    """Who does what to whom, the other way round."""
    found = exchanged(case.text, case.cited)
    if found:
        return f"it exchanges “{found[0]}” and “{found[1]}”"
    other = turned(case.text, case.cited)
    if other:
        return f"it says “{other[0]} {other[1]}”, and its source “{other[1]} … {other[2]}”"
    return ""


def _compared(case: CitedSentence) -> str:
    """The two sides of a comparison, exchanged."""
    said, told = _sides(case.text), _sides(case.cited)
    if said[1] & told[0] and not said[1] & told[1]:
        return "it exchanges the sides of a comparison"
    return ""


def _sides(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words on each side of a comparison that are not on the other."""
    found = _COMPARED.search(text)
    if not found:
        return frozenset(), frozenset()
    before, after, one, other = found.groups("")
    left, right = stems(before + one) - stopwords(), stems(after + other) - stopwords()
    return left - right, right - left


def _ranked(case: CitedSentence) -> str:
    """What has the lesser of two numbers, said to have more; or the other way round."""
    ranks = _RANKS & _folded_words(case.text)
    rises = {rank in tables.RISES for rank in ranks}
    for one in case.computed if len(rises) == 1 else ():
        side = _side(case, one)
        if side is not None and (side is one.high) != rises.pop():
            return f"it compares the other way round than {one.how}"
    return ""


def _side(case: CitedSentence, difference: Result) -> ClauseToken | None:
    """Whether what a sentence compares has the greater number or the smaller one, where their
    clauses tell: by the last word of it that is of one of them alone."""
    high, low = difference.high, difference.low
    if high is None or low is None or high.clause == low.clause:
        return None
    compared = read(_THAN.split(case.text, maxsplit=1)[0]).tokens
    homes = [case.goes_for(token) & {high.clause, low.clause} for token in compared]
    alone = [home for home in homes if len(home) == 1]
    return None if not alone else high if high.clause in alone[-1] else low


def _opposed(case: CitedSentence) -> str:
    said, told = map(_folded_words, (case.text, case.cited))
    for one, other in product(said - told, told - said):
        if frozenset((one, other)) in tables.OPPOSITES and not _means_another(case, one, other):
            return f"it says “{one}” where its source says “{other}”"
    return ""


def _means_another(case: CitedSentence, word: str, opposite: str) -> bool:
    """Whether a word of the sentence is, or means, one of the spans that is not its opposite:
    opposites are near each other, too."""
    tokens = [token for token in case.said.of("word") if fold(token.word) == word]
    others = [token for token in case.spans.tokens if fold(token.word) != opposite]
    near = [token for token in others if token.kind == "word"]
    return any(
        _among(token, others) or any(case.nearness(token, one) >= SYNONYM for one in near)
        for token in tokens
    )


def _words(case: CitedSentence) -> str:
    """The words of meaning are those of the spans, or near to them."""
    lacking = _lacking(case)
    if not lacking or not case.comparable:
        return ""
    scored = list(zip(lacking, _scores(case, lacking), strict=True))
    stray = [word for word, score in scored if score < CLOSE]
    changes = [word for word in stray if _is_change(fold(word.word))]
    if changes and not case.computed:
        return _missing(changes[0])
    far = [word for word, score in scored if score < FAR]
    if far and case.near is not unknown:
        return _missing(far[0])
    strict = case.differs and case.near is not unknown
    most = 0 if strict else STRAY * len(case.said.tokens)
    return _missing(stray[0]) if len(stray) > most else ""


def _lacking(case: CitedSentence) -> list[ClauseToken]:
    """The words of meaning that the spans have not, nor what is around them."""
    lacking = [word for word in case.said.of("word") if not _among(word, case.known)]
    if case.differs:
        lacking = [word for word in lacking if fold(word.word) not in tables.CHANGES]
    return lacking


def _is_change(word: str) -> bool:
    """Whether it is a verb that says that something became more or less."""
    return word in tables.CHANGES and is_past(word)


def _scores(case: CitedSentence, lacking: Sequence[ClauseToken]) -> Sequence[float]:
    """How near each word is to one of the spans."""
    words = map(str.lower, _WORD.findall(case.cited))
    known = [word for word in dict.fromkeys(words) if stem(fold(word)) not in stopwords()]
    near = case.near if known else unknown
    return near(_lower(lacking), known)
