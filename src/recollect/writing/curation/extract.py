"""Facts out of a piece of text, sentence by sentence: a model says which are worth keeping.

What it guarantees
- A fact's quote is ``text[start:end]``; its statement is that sentence in its own words, without
  openers and markup. One that begins with a pronoun is kept together with the sentence before it.
- One of a document that names nothing by itself ("Delivery is in three batches"), or speaks of us
  and you, has what its section or the document is about beside it.
- Code, logs, tables, quotations, tools' output, what a client put into a turn and documents that
  were pasted into a conversation give nothing.
- The same piece always gives the same facts, and no text raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from recollect.facts import TYPES, FactType
from recollect.named_tuple import NamedTuple
from recollect.ports import PassageSentences, SpokenSentence, Worth, WorthModel
from recollect.text.heads import is_attendance
from recollect.text.keys import words
from recollect.text.lexical import indexed_text
from recollect.text.statements.in_force import is_proposed, standing
from recollect.text.stopwords import stopwords
from recollect.text.terms import stem, stems
from recollect.tree.subjects import topic_name
from recollect.writing.curation import subjects
from recollect.writing.curation.chunk import CurationPiece
from recollect.writing.curation.marks import (
    Marks,
    is_item,
    is_open,
    is_wish,
    of_heading,
    without_mark,
)
from recollect.writing.curation.outline import OutlineStretch, Speaker
from recollect.writing.curation.recon import Kind
from recollect.writing.curation.sentences import SentenceSpan, sentences
from recollect.writing.curation.until import until
from recollect.writing.runner import Token

FEWEST, FEW = 3, 5
"""Words that a statement has at least, and those up to which it may be part of another."""
NOTED = 0.1
"""The probability from which on a sentence is kept of a note that was written to be kept, or of a
section that says what its sentences are."""

_UNREAD = ("context", "pasted")
_MARKUP = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)|\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.!?:])[*_](?!\w)")
_OPENER = re.compile(
    r"(?:(?:(?:btw|by the way|ok(?:ay)?|oh|so|also|and|but|yes|yeah|yep|fyi|anyway|hey|ah|hm+)\b"
    r"(?:[,:;.!]|\s+-)?|(?:no|well|note|reminder|right|sure|great)(?:[,:;.!]|\s+-))\s+(?=\w))+",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:it|its|he|she|they|this|that|these|those|both|there)\b", re.IGNORECASE)
_OF_ONESELF = re.compile(r"\b(?:I|[Mm]y|me|[Mm]ine|[Ww]e|us|[Oo]urs?)\b")
_OF_US = re.compile(
    r"\b(?:[Ww]e(?:'\w+)?|us|[Oo]urs?|[Yy]ou(?:'\w+)?|[Yy]ours?|[Ww]ir|uns|[Uu]nser\w*|Sie|Ihnen|Ihre?[mnrs]?)\b"
)
"""Who is meant, only the whole text says."""


class PieceContext(NamedTuple):
    """What is known of the text that a piece is from."""

    kind: Kind = "prose"
    source: str = ""
    title: str = ""
    date: datetime | None = None
    """When it was written: what "Friday" counts from."""
    speaker: Speaker = ""
    """Who says what has no turns: ``user`` for what somebody tells of themselves, and nobody for a
    document."""
    note: bool = False
    """It is a short note of the user's, written to have it kept."""
    about: str = ""
    """What it is about, and of a mail who writes to whom."""


class Cite(NamedTuple):
    """Where a text says a fact."""

    source: str
    start: int
    end: int
    quote: str


class Extracted(NamedTuple):
    type: FactType
    subject: str
    """A short name of what it is about; empty if nothing names it."""
    statement: str
    quote: str
    start: int
    end: int
    confidence: float
    until: datetime | None = None
    """The day until which it holds, or by which it is to be done."""
    ends: bool = False
    """It does not hold after that day."""
    speaker: str = ""
    heading: str = ""
    source: str = ""
    about: str = ""
    """What its section or its text is about, where it names nothing by itself."""
    refused: str = ""
    """Why it is no fact after all."""
    also: tuple[Cite, ...] = ()
    """Other places that say the same, once they are merged."""

    @property
    def cites(self) -> tuple[Cite, ...]:
        return (Cite(self.source, self.start, self.end, self.quote), *self.also)


class _Said(NamedTuple):
    """A sentence, and the stretch that it is in."""

    sentence: SentenceSpan
    part: OutlineStretch
    before: SentenceSpan | None
    """The one before it in the same paragraph."""
    mark: FactType | None
    """What the text itself calls it."""

    def text(self, piece: CurationPiece) -> str:
        return piece.text[self.sentence.start : self.sentence.end]

    def moved(self, shift: int) -> SpokenSentence:
        """Where it is in another text, which has the piece *shift* characters further on."""
        start, end, *_ = self.sentence
        return SpokenSentence(start + shift, end + shift, self.part.speaker)


class BySentences:
    """The extractor that needs no language model."""

    def __init__(self, model: WorthModel, least: Callable[[str, str], float] | None = None) -> None:
        """*least* says of a sentence and its kind how sure the model must be of it, where that is
        not its threshold."""
        self._model = model
        self._least = least

    def extract(
        self, piece: CurationPiece, told: PieceContext, token: Token
    ) -> Sequence[Extracted]:
        token.check()
        if told.kind in ("code", "log"):
            return []
        passages: list[PassageSentences] = []
        said: list[list[_Said]] = []
        at = 0
        for passage in piece.passages:
            some = list(_said(piece, at, at + len(passage.text), told))
            whole = indexed_text(told.title, passage.heading, passage.text)
            shift = len(whole) - len(passage.text) - at
            passages.append(PassageSentences(whole, tuple(one.moved(shift) for one in some)))
            said.append(some)
            at += len(passage.text)
        judged = self._model.judge(passages)
        found = [
            fact
            for some, worths in zip(said, judged, strict=True)
            for one, worth in zip(some, worths, strict=True)
            if (one.mark or self._keeps(one, worth, piece, told))
            and (fact := _fact(piece, one, worth, told)) is not None
        ]
        return list(_outermost(found))

    def _keeps(self, one: _Said, worth: Worth, piece: CurationPiece, told: PieceContext) -> bool:
        if self._least is not None:
            return worth.keep >= self._least(one.text(piece), worth.kind)
        if of_heading(one.part.heading) is None:
            return worth.keep >= (NOTED if told.note else self._model.threshold)
        return worth.keep >= NOTED or is_item(piece.text, one.sentence.start)


def _outermost(facts: Sequence[Extracted]) -> Iterator[Extracted]:
    """Leaves out a fact that the next one begins with: the sentence is in both."""
    for fact, after in zip_longest(facts, facts[1:]):
        if after is None or (fact.start, fact.end) != (after.start, min(fact.end, after.end)):
            yield fact


def _said(piece: CurationPiece, start: int, end: int, told: PieceContext) -> Iterator[_Said]:
    """The sentences of a passage that somebody says, by their offsets in the piece."""
    marks = Marks(piece.text)
    for part in piece.parts:
        if part.sort != "words" or part.speaker in _UNREAD:
            continue
        part = part if part.speaker else part._replace(speaker=told.speaker)
        first = max(start, part.start - piece.start)
        last = min(end, part.end - piece.start)
        before: SentenceSpan | None = None
        mark: FactType | None = None
        for one in sentences(piece.text, first, last, part.speaker != "user"):
            goes_on = not one.first and _is_fragment(piece.text[one.start : one.end])
            mark = marks.at(one.start) or (mark if goes_on else None)
            if part.speaker == "user" and is_wish(piece.text[one.start : one.end]):
                mark = mark or "preference"
            yield _Said(one, part, None if one.first else before, mark)
            before = one


def _fact(piece: CurationPiece, said: _Said, worth: Worth, told: PieceContext) -> Extracted | None:
    text, part = piece.text, said.part
    start, end = said.sentence.start, said.sentence.end
    statement = _statement(text[start:end])
    if _PRONOUN.match(statement) and said.before is None:
        return None
    if said.before and (_PRONOUN.match(statement) or _is_fragment(statement)):
        start = said.before.start
        statement = _statement(text[start:end])
    asks = statement.endswith("?") or is_open(statement)
    if is_attendance(statement) or not without_mark(statement):
        return None
    is_brief = statement.count(" ") + 1 < FEWEST and not said.mark
    if is_brief or (told.note and asks and worth.keep < 0.5):
        return None
    statement = _unmarked(statement) if said.mark else statement
    subject = subjects.subject(without_mark(statement))
    if part.named and _OF_ONESELF.search(statement):
        statement = f"{part.speaker}: {statement}"
        subject = subject or part.speaker
    named = is_telling(subject) and not _OF_US.search(statement)
    day = until(statement, told.date or datetime.now(UTC))
    return Extracted(
        type=said.mark or of_heading(part.heading) or _type(worth.kind, asks, statement),
        subject=subject,
        statement=statement,
        quote=text[start:end],
        start=start + piece.start,
        end=end + piece.start,
        confidence=round(worth.keep, 2),
        until=day.date if day else None,
        ends=day is not None and day.ends,
        speaker=part.speaker,
        heading=part.heading,
        source=told.source,
        about="" if part.speaker or named else _about(statement, part.heading, told),
    )


def _unmarked(statement: str) -> str:
    """The statement without what its type says already ("Decision: …"), where it is a sentence
    without it that stands as the whole does: "Not decided: …" stays."""
    rest = without_mark(statement).strip()
    asks = rest.endswith("?")
    if len(rest.split()) < FEWEST or not (asks or standing(rest) == standing(statement)):
        return statement
    return rest[:1].upper() + rest[1:]


def _is_fragment(statement: str) -> bool:
    """Whether a few words say something only of what stands before them ("Ana, until May.")."""
    told = words(without_mark(statement))
    return len(told) <= FEW and not any(subjects.is_verb(word.folded) for word in told)


def _about(statement: str, heading: str, told: PieceContext) -> str:
    """Returns what the section of a statement is about, or its text, where it does not say so."""
    about = topic_name(heading.rpartition(" > ")[2]) or told.about
    return "" if stems(about) <= stems(statement) else about


def is_telling(subject: str) -> bool:
    """Whether a subject is a name to be found under: several words that mean something. A fact that
    goes by one word would be the answer to every question that has it."""
    said = [word.folded for word in words(subject)]
    return sum(stem(word) not in stopwords() for word in said) > 1


def _type(kind: str, asks: bool, statement: str) -> FactType:
    said = "open_question" if asks else kind
    if said == "decision" and is_proposed(statement):
        return "fact"
    return next((one for one in TYPES if one == said), "fact")


def _statement(quote: str) -> str:
    """One line, without emphasis, links and openers, in plain quotes, with a capital."""
    plain = _MARKUP.sub(lambda match: match[1] or "", quote)
    line = " ".join(plain.replace("’", "'").split())
    opener = _OPENER.match(line)
    line = line[opener.end() :] if opener and len(line) - opener.end() > 8 else line
    return line[:1].upper() + line[1:]
