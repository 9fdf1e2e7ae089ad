"""Whether one sentence of what was found speaks of what is asked, or of its like.

A passage may have every word of a question, one here and one there, and answer another one: "Who
was brought down from the west ridge?" is not answered by "Two climbers were brought down from the
east ridge. The hut on the west ridge is closed." So the words are looked for in one sentence, with
the title and the heading above it, and names, numbers and years of the question in that sentence or
the one before it in the same section. What stands in the section of another house, or in the notes
of another year, is said of that house and that year. Whose sister somebody is, the sentence does
not speak of: "Kira's sister has her birthday in May" has nothing on Kira's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import log1p

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, StoredPassage, values_of
from recollect.reading.pool import Pool, share
from recollect.text.headings import HEADING, headings
from recollect.text.questions.subjects import (
    Subjects,
    less_owners,
    missing,
    rivals,
    subjects,
    years_in,
)
from recollect.text.stated import of_statement
from recollect.text.stopwords import language, stopwords
from recollect.text.support.tables import MONTHS
from recollect.text.terms import fold, is_run, stem, stems
from recollect.text.units import units_of

DOCUMENTS, PASSAGES = 3, 8
"""So many of the best documents are looked at, and passages of theirs."""
_CAPITAL = re.compile(r"\b[^\W\d_a-z]\w*[a-z]\w*")
"""A word that is written as the name of a person or a place is: "CLI" and "a524" are not."""
_SEVERAL = 2
"""So many words besides the names say what is asked of them."""
_LEAST = 1 / 3
"""What the words that its nearest sentence has are worth at least, as a share of the question's, of
an answer in a language in which nothing else tells."""
_UNKNOWN = 0.45
"""What the words are worth at most, of those, that nothing has; pairs of characters are often of
two words."""
_COUNTED = re.compile(r"\b([^\W\d_]{3,})[ #-]{1,2}(\d+)\b(?!\s*[%°]|[.,:]\d)")
"""A word and a number behind it, which together may name a thing: "incident 19"."""
_UNSAID = frozenset({"file", "commit"})
"""Where a date is from that nobody wrote."""

_DATES = frozenset(map(stem, MONTHS))


class Stated(NamedTuple):
    """What the sentence has that comes nearest to the question."""

    sentence: float = 1.0
    """What the question's words are worth that it has, as a share."""
    scattered: float = 0.0
    """The share that its passage has beyond that."""
    exchanged: float = 0.0
    """1 where it has another name, number or year than the question, or a name alone."""
    asked: float = 2.0
    """The logarithm of how many words the question has."""
    another: float = 0.0
    """1 where it is said of another name or of other years than the question."""


class _Sentence(NamedTuple):
    share: float
    stored: StoredPassage
    start: int
    end: int
    before: str
    """The sentence before it in the same section."""

    @property
    def text(self) -> str:
        return self.stored.passage.text[self.start : self.end]

    @property
    def above(self) -> str:
        """The title, and the headings that it stands under."""
        stored = self.stored
        under = headings(stored.passage.text, self.end)
        return "\n".join((stored.document.title, stored.passage.heading, *under))

    @property
    def around(self) -> str:
        """What may name what it speaks of: title, headings, speaker, date."""
        date, role = self.stored.document.date, self.stored.passage.role
        return f"{self.above}\n{role}\n{date:%Y-%m-%d %B}" if date else self.above

    @property
    def section(self) -> str:
        """What stands under the same heading in its passage."""
        text = self.stored.passage.text
        marks = [heading.start() for heading in HEADING.finditer(text)]
        begin = max((at for at in marks if at < self.end), default=0)
        return text[begin : min((at for at in marks if at >= self.end), default=None)]


def stated(best: Sequence[Candidate], pool: Pool) -> Stated:
    """Returns what the sentence has that has most of the question's words."""
    passages = _passages(best, pool)
    sentences = list(chain.from_iterable(_sentences(stored, pool) for stored in passages))
    if not sentences:
        return Stated()
    nearest = max(sentences, key=lambda one: one.share)
    whole = max(c.signals.coverage for c in best[:DOCUMENTS])
    asked = _particulars(pool.of.parsed.prose)
    return Stated(
        nearest.share,
        max(0.0, whole - nearest.share),
        float(_is_exchanged(asked, nearest) or _has_names_alone(asked, nearest, pool)),
        log1p(len(pool.worth)),
        float(
            _has_other_names(asked, nearest, pool)
            or _is_of_other_years(asked, nearest, passages)
            or any(_has_other_number(one, pool) for one in (nearest.stored, pool.stored(best[0])))
        ),
    )


def is_taught(question: str) -> bool:
    """Whether it is in a language whose questions taught what a sentence that answers has: in
    German words are compounds, and Chinese writes none."""
    return language(question) in ("en", "") and not any(map(is_run, question))


def is_unmet(best: Sequence[Candidate], pool: Pool, nearest: Stated) -> bool:
    """Whether hardly any word of the question is in the sentence that has most of them, much of
    what it asks is in nothing that was found, or no name of it is in the best."""
    worth, found = pool.worth, set().union(*pool.matched.values())
    asked = pool.of.parsed.prose
    if language(asked) == "de":  # it parts and joins its words so that right answers lack most
        return False
    names = stems(" ".join(_particulars(asked).names))
    has = set().union(*(pool.matched.get(c.passage, ()) for c in best[:DOCUMENTS]))
    unknown = share({word: worth[word] for word in worth if not is_run(word)}, worth.keys() - found)
    strange = bool(names) and names.isdisjoint(has)
    return strange or nearest.sentence < _LEAST or unknown > _UNKNOWN


def _passages(best: Sequence[Candidate], pool: Pool) -> list[StoredPassage]:
    """Returns the passages of the best documents, each once."""
    found = (one.passage for c in best[:DOCUMENTS] for one in (c, *pool.others.get(c.document, ())))
    return list(islice(values_of(pool.passages, dict.fromkeys(found)), PASSAGES))


def _sentences(stored: StoredPassage, pool: Pool) -> Iterator[_Sentence]:
    """Yields the sentences of a passage; a row of a table that has a name of the question has the
    words of the first row, too."""
    text, worth, prose = stored.passage.text, pool.worth, pool.of.parsed.prose
    known, before = stems(f"{stored.document.title} {stored.passage.heading}"), ""
    asked, names = stems(prose), stems(" ".join(_particulars(prose).names))
    under = columns = frozenset[str]()
    for start, end, _ in units_of(text, pool.begin(stored)):
        said = text[start:end]
        if HEADING.match(said):
            under, before = stems(" ".join(headings(text, end))), ""
        is_row = said.rpartition("\n")[2].startswith("|")
        columns = (columns or stems(said)) if is_row else frozenset()
        words = stems(less_owners(said, asked)) | known | under
        words |= columns if names & words else frozenset()
        yield _Sentence(share(worth, words), stored, start, end, before)
        before = said


def _particulars(question: str) -> Subjects:
    """Returns what a question names; in German, where every noun has a capital, no names."""
    found = subjects(question)
    return found._replace(names=frozenset()) if language(question) == "de" else found


def _is_exchanged(asked: Subjects, nearest: _Sentence) -> bool:
    lacks = missing(asked, f"{nearest.around}\n{nearest.before}\n{nearest.text}")
    has = rivals(asked, nearest.text)
    years = lacks.period if len(asked.years) > 1 else lacks.years  # a period is not written out
    pairs = zip((lacks.names, lacks.numbers, years), has, strict=True)
    return any(lack and other for lack, other in pairs)


def _has_names_alone(asked: Subjects, nearest: _Sentence, pool: Pool) -> bool:
    """Whether its section has nothing of the question but names, where one passage has all the
    rest: the code of a key safe is known, and so is the house, but of another house."""
    rest = pool.worth.keys() - stems(" ".join(asked.names))
    if not asked.names or len(rest) < _SEVERAL:
        return False
    elsewhere = any(rest <= words for words in pool.matched.values())
    return elsewhere and rest.isdisjoint(stems(f"{nearest.above}\n{nearest.section}"))


def _has_other_names(asked: Subjects, nearest: _Sentence, pool: Pool) -> bool:
    """Whether it has another name, and its section none of those that are asked about, which
    something else has."""
    written = map(fold, _CAPITAL.findall(pool.of.parsed.prose))
    names = stems(" ".join(asked.names.intersection(written)))
    known = set().union(*pool.matched.values())
    other, _, _ = rivals(asked, f"{nearest.above}\n{nearest.text}")
    if not other or names.isdisjoint(known):
        return False
    return names.isdisjoint(stems(f"{nearest.around}\n{nearest.section}"))


def _has_other_number(stored: StoredPassage, pool: Pool) -> bool:
    """Whether a passage numbers what the question numbers ("incident 19"), and has other numbers of
    it only."""
    wanted = _numbered(pool.of.parsed.prose)
    if not wanted:
        return False
    said = _numbered(f"{_name(stored)}\n{stored.passage.heading}\n{stored.passage.text}")
    return any(word in said and numbers.isdisjoint(said[word]) for word, numbers in wanted.items())


def _numbered(text: str) -> dict[str, set[str]]:
    """Returns the numbers that stand behind each word of a text that is no word of grammar, and no
    month or the like."""
    found: dict[str, set[str]] = {}
    for word, number in _COUNTED.findall(text):
        if (known := stem(fold(word))) not in stopwords() | _DATES:
            found.setdefault(known, set()).add(number.lstrip("0"))
    return found


def _is_of_other_years(
    asked: Subjects, nearest: _Sentence, passages: Iterable[StoredPassage]
) -> bool:
    """Whether it is of years that are all before, or all after, those that are asked about, which
    nothing of the same title has."""
    name = _name(nearest.stored)
    alike = (one.passage.text for one in passages if _name(one) == name)
    if missing(asked, "\n".join((nearest.around, *alike))).years < 1:
        return False
    date, by = of_statement(nearest.stored, nearest.start, nearest.end)
    said = years_in(f"{nearest.above}\n{nearest.text}")
    if date and by not in _UNSAID:
        said.add(date.year)
    return bool(said) and (max(said) < asked.years[0] or asked.years[-1] < min(said))


def _name(stored: StoredPassage) -> str:
    return stored.document.title or stored.document.id
