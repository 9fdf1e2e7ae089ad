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
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from recollect.named_tuple import NamedTuple
from recollect.text.forms import is_form
from recollect.text.stopwords import stopwords
from recollect.text.support import tables
from recollect.text.support.arithmetic import computed, reckoned
from recollect.text.support.reading import ClauseReading, ClauseToken, read
from recollect.text.terms import fold, stem, stems

Near = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""How near each of some words is to the nearest of others, from 0 to 1."""
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
    r"([^.;]*\bprefer\w*\b[^.;]*)\b(?:to|over)\b([^.;]*)|([^.;]*)\b(?:than|before)\b([^.;]*)"
)


_WORD = re.compile(r"[^\W\d_]+")


class Support(NamedTuple):
    """What became of the check of one sentence."""

    why: str = ""
    """What is wrong with it; empty where it is supported."""
    computed: tuple[str, ...] = ()
    """How numbers follow that are not in the spans as they stand."""

    @property
    def holds(self) -> bool:
        return not self.why


class CitedSentence:
    """A sentence, and what it is held against."""

    def __init__(self, text: str, cited: str, around: str, near: Near | None) -> None:
        self.text, self.cited, self.near = text, cited, near
        self.said, self.spans = read(text), read(cited)
        self.around = read(around)
        """The text around the spans, which may tell who is meant."""
        self.english = self.said.language in ("en", "")
        self._homes: dict[ClauseToken, frozenset[int]] = {}
        lacking = [t.word.lower() for t in self.said.of("word") if not self.has(t)]
        if near is not None and lacking and self.english:  # all in one batch
            near(lacking, [t.word.lower() for t in self.spans.of("word", "name")] or lacking)

    def has(self, token: ClauseToken) -> bool:
        return any(same_token(token, other) for other in self.spans.tokens)

    def clauses_with(self, token: ClauseToken) -> frozenset[int]:
        """The clauses of the spans that have it, or else a word that means the same."""
        if token not in self._homes:
            self._homes[token] = frozenset(self._found(token))
        return self._homes[token]

    def _found(self, token: ClauseToken) -> set[int]:
        exact = {other.clause for other in self.spans.tokens if same_token(token, other)}
        if exact or token.kind != "word" or self.near is None:
            return exact
        words = self.spans.of("word")
        return {other.clause for other in words if self.nearness(token, other) >= SYNONYM}

    def nearness(self, token: ClauseToken, other: ClauseToken) -> float:
        if self.near is None or not self.english:
            return 0.0
        return self.near([token.word.lower()], [other.word.lower()])[0]


def check(
    sentence: str, spans: Sequence[str], around: str = "", near: Near | None = None
) -> Support:
    """Holds a sentence against the spans that it cites."""
    size = len(read(sentence).tokens)
    if not 0 < size <= LONGEST:
        return Support("it is too long to be checked" if size else "it says nothing")
    case = CitedSentence(sentence, "\n".join(spans), around, near)
    how: list[str] = []
    for rule in (_numbers, _times, _dates, _names, _negations, _places, _order, _words):
        why = rule(case, how)
        if why:
            return Support(why)
    return Support("", tuple(how))


def asks_more(query: str, question: str) -> bool:
    """Whether a question in other words has a number, a date or an identifier that the question has
    not, or another negation."""
    said, asked = read(query), read(question)
    values = said.of("number", "time", "month", "weekday", "id")
    exact = [one for one in values if one.kind != "number" or one.word[-1:].isdigit()]
    added = any(not _mentioned(one, asked.tokens) for one in exact)
    return added or bool(said.of("not")) != bool(asked.of("not"))


# ------------------------------------------------------------------ the same token


def same_token(token: ClauseToken, other: ClauseToken) -> bool:
    if token.kind == "number":
        return other.kind == "number" and _same_number(token, other)
    if "number" in (token.kind, other.kind):
        return False
    return token.key == other.key or _alike(token, other)


def _alike(token: ClauseToken, other: ClauseToken) -> bool:
    """Forms of one word: by the stemmer of another kind, by a common beginning, or irregular."""
    if not {token.kind, other.kind} <= {"word", "name"}:
        return False
    one, two = _root(token.word), _root(other.word)
    if one == two or is_form(one, two):
        return True
    short, long = sorted((one, two), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= _ending(token)


@lru_cache(maxsize=1 << 14)
def _root(word: str) -> str:
    return stem(fold(word))


def _ending(token: ClauseToken) -> int:
    """Letters by which a form of it may be longer; a name has few."""
    return 2 if token.kind == "name" else 5


def _same_number(token: ClauseToken, other: ClauseToken) -> bool:
    if token.unit and other.unit:
        one, two = tables.UNITS[token.unit], tables.UNITS[other.unit]
        if one.dimension != two.dimension:
            return False
        return abs(token.value * one.factor - other.value * two.factor) < 1e-6 * max(
            1.0, abs(token.value * one.factor)
        )
    if abs(token.value - other.value) > 1e-9:
        return False
    months = set(tables.MONTHS.values())
    if token.after in months and other.after in months:
        return token.after == other.after
    return not (token.unit and other.after) or other.after in months


# ------------------------------------------------------------------ the rules


def _numbers(case: CitedSentence, how: list[str]) -> str:
    for token in case.said.of("number"):
        if case.has(token):
            rivals = [one for one in case.spans.of("number") if one.after == token.after != ""]
            if rivals and not any(same_token(token, one) for one in rivals):
                return f"{_shown(token)} is “{rivals[0].word}” in what it cites"
            continue
        said = computed(token, case.text, case.said, case.spans)
        if not said:
            return f"{_shown(token)} is not in what it cites"
        how.append(said)
    return ""


def _shown(token: ClauseToken) -> str:
    return f"“{token.word} {token.unit}”" if token.unit not in ("", *"$€£%") else f"“{token.word}”"


def _times(case: CitedSentence, how: list[str]) -> str:
    for token in case.said.of("time"):
        hours = {one.value for one in case.spans.of("number")}
        if case.has(token) or token.value / 60 in hours:
            continue
        said = reckoned(token, case.spans)
        if not said:
            return f"“{token.word}” is not in what it cites"
        how.append(said)
    return ""


def _dates(case: CitedSentence, _: list[str]) -> str:
    for token in case.said.of("month", "weekday", "season"):
        if not case.has(token):
            return f"“{token.word}” is not in what it cites"
    rates = case.spans.keys("rate")
    for token in case.said.of("rate"):
        if rates and token.key not in rates:
            return f"“{token.word}” is another rate than in what it cites"
    return ""


def _names(case: CitedSentence, _: list[str]) -> str:
    known = [*case.spans.tokens, *case.around.tokens]
    for token in case.said.of("name", "id"):
        if not any(same_token(token, other) for other in known) and not _initials(token, known):
            return f"“{token.word}” is not in what it cites"
    return ""


def _initials(token: ClauseToken, known: Sequence[ClauseToken]) -> bool:
    """Whether an abbreviation stands for words in a row."""
    letters = "".join(one.key[:1] for one in known)
    return token.word.isupper() and len(token.word) > 1 and fold(token.word) in letters


def _negations(case: CitedSentence, how: list[str]) -> str:
    for n in range(case.said.clauses):
        tokens = [t for t in case.said.in_clause(n) if t.kind != "not"]
        found = [place for token in tokens if (place := case.clauses_with(token))]
        if not found or how:
            continue
        said = _denied(case.said, n)
        if said == "not" and not any(_denied(case.spans, c) for place in found for c in place):
            return "it denies what its source does not deny"
        if said or (n in case.said.joined and _denied(case.said, n - 1)):
            continue
        if any(all(_no(case.spans, c) for c in place) for place in found):
            return "it affirms what its source denies"
    return ""


def _no(reading: ClauseReading, clause: int) -> str:
    """How a clause denies what it says: by a negation alone."""
    return "not" if any(t.kind == "not" for t in reading.in_clause(clause)) else ""


def _denied(reading: ClauseReading, clause: int) -> str:
    """How a clause denies: by a negation (``not``), or by what a word of it means."""
    if _no(reading, clause):
        return "not"
    words = {fold(t.word) for t in reading.in_clause(clause)}
    if words & tables.STRONG:
        return "not"
    return "word" if words & tables.NEGATIVE else ""


def _places(case: CitedSentence, _: list[str]) -> str:
    """What takes the place of another: a name, a number or a subject of one clause of the spans,
    in a sentence that says what another clause says of another one."""
    for n in range(case.said.clauses):
        tokens = case.said.in_clause(n)
        for token in tokens:
            other = _rival(case, token, tokens)
            if other:
                return f"it says of “{token.word}” what its source says of “{other.word}”"
    return ""


def _rival(
    case: CitedSentence, token: ClauseToken, tokens: Sequence[ClauseToken]
) -> ClauseToken | None:
    homes = case.clauses_with(token)
    if not homes or token.kind == "not":
        return None
    rest = [one for one in tokens if one is not token and one.kind != "not"]
    count = [sum(c in case.clauses_with(one) for one in rest) for c in range(case.spans.clauses)]
    best = max(range(len(count)), key=count.__getitem__)
    if best in homes or count[best] <= max(count[home] for home in homes):
        return None
    for other in case.spans.in_clause(best):
        if _rivals(case, token, other, homes) and not _meant(case, other, tokens):
            return other
    return None


def _mentioned(token: ClauseToken, said: Sequence[ClauseToken]) -> bool:
    return any(same_token(one, token) for one in said)


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
        return other.kind == "number" and _sort(other) in {"", *map(_sort, twins)} - {""}
    if {token.kind, other.kind} <= {"name"}:
        return True
    firsts = [first for home in homes if (first := _first(spans, home)) is not None]
    return _first(spans, other.clause) == other and any(
        same_token(token, first) or case.nearness(token, first) >= SYNONYM for first in firsts
    )


def _sort(token: ClauseToken) -> str:
    return tables.UNITS[token.unit].dimension if token.unit else token.after or token.before


def _first(spans: ClauseReading, clause: int) -> ClauseToken | None:
    tokens = [t for t in spans.in_clause(clause) if t.kind in ("word", "name", "id")]
    return tokens[0] if tokens else None


def _order(case: CitedSentence, _: list[str]) -> str:
    """What two clauses say, crossed; and the two sides of a comparison, exchanged."""
    return _crossed(case) or _compared(case)


def _crossed(case: CitedSentence) -> str:
    said = [
        [t for t in case.said.in_clause(n) if t.kind != "not"] for n in range(case.said.clauses)
    ]
    homes = [_home(case, tokens) for tokens in said]
    for one, two in _pairs_of(homes):
        for a in said[one]:
            for b in said[two]:
                if case.clauses_with(a) == {homes[two]} and case.clauses_with(b) == {homes[one]}:
                    return f"it exchanges “{a.word}” and “{b.word}”"
    return ""


def _pairs_of(homes: Sequence[int]) -> Iterator[tuple[int, int]]:
    for one in range(len(homes)):
        for two in range(one + 1, len(homes)):
            if -1 not in (homes[one], homes[two]) and homes[one] != homes[two]:
                yield one, two


def _home(case: CitedSentence, tokens: Sequence[ClauseToken]) -> int:
    """The clause of the spans that has most of the tokens, where one has."""
    count = [sum(c in case.clauses_with(t) for t in tokens) for c in range(case.spans.clauses)]
    best = max(count, default=0)
    return count.index(best) if best and count.count(best) == 1 else -1


def _compared(case: CitedSentence) -> str:
    said, told = _sides(case.text), _sides(case.cited)
    if said is None or told is None:
        return ""
    if said[1] & told[0] and not said[1] & told[1]:
        return "it exchanges the sides of a comparison"
    return ""


def _sides(text: str) -> tuple[set[str], set[str]] | None:
    """The words on each side of a comparison that are not on the other."""
    found = _COMPARED.search(text)
    if not found:
        return None
    left, right = (stems(part) - stopwords() for part in filter(None, found.groups()))
    return left - right, right - left


def _words(case: CitedSentence, how: list[str]) -> str:
    lacking = [w for w in case.said.of("word") if not _known(case, w)]
    opposed = _opposed(case)
    if opposed:
        return opposed
    if not lacking:
        return ""
    scores = _scores(case, lacking)
    stray = [w for w, score in zip(lacking, scores, strict=True) if score < CLOSE]
    far = [w for w, score in zip(lacking, scores, strict=True) if score < FAR]
    if far and case.near is not None and not how and case.english:
        return f"“{far[0].word}” is not in what it cites"
    if len(stray) > STRAY * len(case.said.tokens) and not how:
        return f"“{stray[0].word}” is not in what it cites"
    return ""


def _known(case: CitedSentence, word: ClauseToken) -> bool:
    return any(same_token(word, one) for one in (*case.spans.tokens, *case.around.tokens))


def _opposed(case: CitedSentence) -> str:
    said, told = (set(map(fold, _WORD.findall(text))) for text in (case.text, case.cited))
    meant = {fold(t.word) for t in case.said.of("word") if case.clauses_with(t)}
    for one in said - told - meant:
        for other in told - said:
            if frozenset((one, other)) in tables.OPPOSITES:
                return f"it says “{one}” where its source says “{other}”"
    return ""


def _scores(case: CitedSentence, lacking: Sequence[ClauseToken]) -> Sequence[float]:
    """How near each word is to one of the spans."""
    words = map(str.lower, _WORD.findall(case.cited))
    known = [word for word in dict.fromkeys(words) if stem(fold(word)) not in stopwords()]
    if case.near is None or not known or not case.english:
        return [0.0] * len(lacking)
    return case.near([token.word.lower() for token in lacking], known)
