"""Whether one sentence of what was found speaks of what is asked, or of its like.

A passage may have every word of a question, one here and one there, and answer another one: "Who
was brought down from the west ridge?" is not answered by "Two climbers were brought down from the
east ridge. The hut on the west ridge is closed." So the words are looked for in one sentence, with
the title and the heading above it, and names, numbers and years of the question in that sentence or
the one before it. Whose sister somebody is, the sentence does not speak of: "Kira's sister has her
birthday in May" has nothing on Kira's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import log1p

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, StoredPassage, values_of
from recollect.reading.pool import Pool, share
from recollect.reading.units import units_of
from recollect.text.questions.subjects import Subjects, less_owners, missing, rivals, subjects
from recollect.text.stopwords import language
from recollect.text.terms import is_run, stems

DOCUMENTS, PASSAGES = 3, 8
"""So many of the best documents are looked at, and passages of theirs."""


class Stated(NamedTuple):
    """What the sentence has that comes nearest to the question."""

    sentence: float = 1.0
    """What the question's words are worth that it has, as a share."""
    scattered: float = 0.0
    """The share that its passage has beyond that."""
    exchanged: float = 0.0
    """1 where it has another name, number or year than the question."""
    asked: float = 2.0
    """The logarithm of how many words the question has."""


class _Sentence(NamedTuple):
    share: float
    text: str
    around: str
    """What may name what it speaks of: the sentence before it, title, heading, speaker, date."""


def stated(best: Sequence[Candidate], pool: Pool) -> Stated:
    """Returns what the sentence has that has most of the question's words."""
    passages = _passages(best, pool)
    sentences = list(chain.from_iterable(_sentences(stored, pool) for stored in passages))
    if not sentences:
        return Stated()
    nearest = max(sentences, key=lambda one: one.share)
    whole = max(c.signals.coverage for c in best[:DOCUMENTS])
    return Stated(
        nearest.share,
        max(0.0, whole - nearest.share),
        _exchanged(_particulars(pool.of.parsed.prose), nearest),
        log1p(len(pool.worth)),
    )


def is_taught(question: str) -> bool:
    """Whether it is in a language whose questions taught what a sentence that answers has: in
    German words are compounds, and Chinese writes none."""
    return language(question) in ("en", "") and not any(map(is_run, question))


def _passages(best: Sequence[Candidate], pool: Pool) -> list[StoredPassage]:
    """Returns the passages of the best documents, each once."""
    found = (one.passage for c in best[:DOCUMENTS] for one in (c, *pool.others.get(c.document, ())))
    return list(islice(values_of(pool.passages, dict.fromkeys(found)), PASSAGES))


def _sentences(stored: StoredPassage, pool: Pool) -> Iterator[_Sentence]:
    text, worth = stored.passage.text, pool.worth
    above = f"{stored.document.title} {stored.passage.heading}"
    date = stored.document.date
    named = f"{above}\n{stored.passage.role}\n{date:%Y-%m-%d %B}" if date else above
    known, before = stems(above), ""
    asked = stems(pool.of.parsed.prose)
    for start, end, _ in units_of(text, pool.begin(stored)):
        said = text[start:end]
        words = stems(less_owners(said, asked)) | known
        yield _Sentence(share(worth, words), said, f"{named}\n{before}")
        before = said


def _particulars(question: str) -> Subjects:
    """Returns what a question names; in German, where every noun has a capital, no names."""
    found = subjects(question)
    return found._replace(names=frozenset()) if language(question) == "de" else found


def _exchanged(asked: Subjects, nearest: _Sentence) -> float:
    lacks = missing(asked, f"{nearest.around}\n{nearest.text}")
    has = rivals(asked, nearest.text)
    years = lacks.period if len(asked.years) > 1 else lacks.years  # a period is not written out
    pairs = zip((lacks.names, lacks.numbers, years), has, strict=True)
    return float(any(lack and other for lack, other in pairs))
