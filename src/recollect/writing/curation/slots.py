"""The seven slots of a curation, as a table: recon → chunk → extract → group → dedup → conflict →
write. Each decides by itself; only the last one writes, and it writes all of it at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from operator import attrgetter
from typing import Literal, Protocol

from recollect.facts import PERSONAL, SPEAKER, Fact, ProvenanceEntry, Rival, shortened
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Problem, group_by, partition, stable_id
from recollect.text.chunk import passages
from recollect.text.keys import words
from recollect.text.pairs import Judge
from recollect.text.statements.in_force import standing
from recollect.text.stopwords import stopwords
from recollect.text.terms import stems
from recollect.tree.subjects import subject_name
from recollect.writing.curation import planted
from recollect.writing.curation.chunk import CurationPiece, pieces
from recollect.writing.curation.decide import Decision, decide
from recollect.writing.curation.dedup import Merged, dedup
from recollect.writing.curation.entries import DatedEntries, without_day
from recollect.writing.curation.extract import Extracted, PieceContext, is_telling
from recollect.writing.curation.group import GroupOrigin, SubjectGroup, group
from recollect.writing.curation.outline import Speaker
from recollect.writing.curation.receipts import DocumentChange, ReceiptItem
from recollect.writing.curation.recon import Survey, survey
from recollect.writing.runner import Slot, SlotContext, Token, fan_out

SLUG = 40
LAST_LATIN = "\u024f"
MOST_READ = 400_000
"""Characters of a text that are read for facts; all of it is kept."""
TOGETHER = 32
"""Facts that the encoder reads at once."""
ALIKE = 2
"""Words that two entries of a log share at least, of which one may replace the other."""
TextState = Literal["", "new", "known", "changed", "forgotten earlier"]
"""What became of the text as a document: empty where there was none to keep."""


class SourceText(NamedTuple):
    """A text, and what is known of it."""

    text: str
    name: str
    """What its source calls it."""
    source: str
    owner: str
    scopes: tuple[str, ...]
    now: datetime
    said_at: datetime
    """When it was written."""
    title: str = ""
    project: str = ""
    channel: str = ""
    by: str = ""
    speaker: Speaker = ""
    origin: str = ""
    """The place of its source that it is from, as an import says it."""
    note: bool = False
    """Somebody wrote it to have it kept."""
    facts: tuple[Extracted, ...] | None = None
    """What the caller has read from it already."""
    lost: tuple[Problem, ...] = ()
    """What of that was left out, and why."""

    @property
    def about(self) -> str:
        """Returns the name of the slot: its title, else its first words."""
        return self.title or shortened(self.text)


class Extractor(Protocol):
    """Facts out of a piece of text."""

    def extract(
        self, piece: CurationPiece, told: PieceContext, token: Token
    ) -> Sequence[Extracted]: ...


class RivalFacts(Protocol):
    """The facts that a new one may be the same as, or at odds with."""

    @property
    def judge(self) -> Judge | None: ...

    def has(self, fact: Fact) -> bool: ...

    def refuses(self, fact: Fact) -> bool: ...

    def expect(self, facts: Sequence[Fact]) -> None: ...

    def rivals(self, fact: Fact) -> Sequence[Rival]: ...


class Pieces(NamedTuple):
    pieces: tuple[CurationPiece, ...]


class Extraction(NamedTuple):
    facts: tuple[Extracted, ...]
    lost: tuple[Problem, ...] = ()
    """Pieces that nothing could be read from and statements that were refused, and why."""
    unread: bool = False
    """Every piece failed."""


class Groups(NamedTuple):
    groups: tuple[SubjectGroup, ...]
    merged: tuple[Merged, ...] = ()

    @property
    def facts(self) -> int:
        return sum(len(one.facts) for one in self.groups)


class Decisions(NamedTuple):
    items: tuple[Decision, ...]
    titles: Mapping[str, str] = {}
    """What pages are called, by their addresses."""
    unread: bool = False
    """Nothing could be read, so that what the text no longer says cannot be told."""


class CurationWrite(NamedTuple):
    """What was written, or would be."""

    id: str = ""
    """Of the receipt; empty if nothing changed."""
    items: tuple[ReceiptItem, ...] = ()
    touched: tuple[DocumentChange, ...] = ()
    kept: TextState = ""


def _recon(context: SlotContext) -> Survey:
    return survey(context["given"].text)


def _chunk(context: SlotContext) -> Pieces:
    return Pieces(tuple(pieces(context["given"].text, context["recon"])))


def _extract(context: SlotContext) -> Extraction:
    given: SourceText = context["given"]
    if given.facts is not None:
        kept, refused = _unplanted(given.facts, given, context["chunk"].pieces)
        return Extraction(kept, (*given.lost, *refused))
    found: Survey = context["recon"]
    told = PieceContext(
        found.kind,
        given.source,
        given.title,
        given.said_at,
        given.speaker,
        given.note,
        _about(given),
    )
    extractor: Extractor = context.service("extractor")
    all_pieces = context["chunk"].pieces
    some = [piece for piece in all_pieces if piece.end <= MOST_READ]
    done = fan_out(some, lambda piece: extractor.extract(piece, told, context.token), context.token)
    lost = [
        Problem(f"{given.name}, characters {one.item.start:,} to {one.item.end:,}", one.error)
        for one in done
        if one.error
    ]
    if len(some) < len(all_pieces):
        unread = len(given.text) - all_pieces[len(some)].start
        why = f"the last {unread:,} characters were not read for facts; they are kept"
        lost.append(Problem(given.name, why, "warning"))
    read = [fact for one in done for fact in one.result or ()]
    lost += [Problem(given.name, why, "warning") for why in _untold(found, bool(read or lost))]
    kept, refused = _unplanted(read, given, some)
    unread = bool(done) and all(one.error for one in done)
    return Extraction(kept, (*lost, *refused), unread)


def _unplanted(
    facts: Sequence[Extracted], given: SourceText, pieces: Sequence[CurationPiece]
) -> tuple[tuple[Extracted, ...], list[Problem]]:
    """The facts that are kept, and what is refused, with why."""
    found = [planted.checked(fact, given.text, pieces, given.speaker) for fact in facts]
    refused, kept = partition(attrgetter("refused"), found)
    return tuple(kept), [
        Problem(f"“{fact.statement}”", fact.refused, "skipped") for fact in refused
    ]


_MAIL = re.compile(r"^(From|To): *[\"']?([^\W\d_][^<\n\"']{0,60})", re.MULTILINE)
_HEAD = 600
"""Characters at the beginning of a mail that its head is in."""


def _about(given: SourceText) -> str:
    """Returns what a text is about by its title; of a mail, who writes to whom as well."""
    who = dict(_MAIL.findall(given.text[:_HEAD]))
    mail = f"{who['From'].strip()} to {who['To'].strip()}" if len(who) > 1 else ""
    return ", ".join(filter(None, (mail, subject_name(planted.title(given.title)))))


def _untold(text: Survey, has_facts: bool) -> Iterator[str]:
    """Yields what is to be said of a text in a language that the models know little of, or in a
    script that they do not read."""
    if text.language not in ("", "en"):
        why = f"it is in {text.language!r}, of which the models know little: facts may be missing"
        yield f"{why}; the text is kept"
    elif not (text.language or has_facts) and _is_foreign(text.head):
        yield "no facts are taken from its language; the text is kept"


def _is_foreign(text: str) -> bool:
    """Whether most letters of a text are not Latin."""
    letters = list(filter(str.isalpha, text))
    return 2 * sum(letter > LAST_LATIN for letter in letters) > len(letters)


def _group(context: SlotContext) -> Groups:
    given: SourceText = context["given"]
    place = GroupOrigin(given.source, planted.title(given.title), given.project)
    return Groups(group(context["extract"].facts, place, context.service("shelf")))


def _dedup(context: SlotContext) -> Groups:
    kept: list[SubjectGroup] = []
    merged: list[Merged] = []
    for one in context["group"].groups:
        found = dedup(one.facts)
        kept.append(one._replace(facts=found.kept))
        merged += found.merged
    return Groups(tuple(kept), tuple(merged))


def _conflict(context: SlotContext) -> Decisions:
    given: SourceText = context["given"]
    known: RivalFacts = context.service("known")
    spots = Spots(given)
    entries = DatedEntries(given.text, given.now)
    made: dict[str, Decision] = {}
    told = []
    for one, extracted in _by_group(context["dedup"].groups):
        day = entries.date_at(extracted.start)
        said = extracted._replace(statement=without_day(extracted.statement)) if day else extracted
        dated = given._replace(said_at=day or given.said_at)
        told.append(as_fact(said, one, dated, spots.id_at(extracted.start)))
    facts = [some[0] for some in group_by(attrgetter("id"), told).values()]
    there = {fact.id for fact in facts if known.has(fact)}  # the same words, from whatever text
    facts = [fact for fact in facts if fact.id in there or not known.refuses(fact)]
    new = [fact for fact in facts if fact.id not in there]
    for at in range(0, len(new), TOGETHER):
        context.token.check()
        known.expect(new[at : at + TOGETHER])
    for fact in facts:
        context.token.check()
        if fact.id in there:
            made[fact.id] = Decision(fact, "same", (fact.id,), "the same words")
            continue
        rivals = [*known.rivals(fact), *_beside(fact, [one.fact for one in made.values()])]
        made[fact.id] = _on_its_page(decide(fact, rivals, fact.created_at, known.judge), rivals)
    titles = {one.address.path: one.address.title for one in context["dedup"].groups}
    return Decisions(tuple(made.values()), titles, context["extract"].unread)


def _beside(fact: Fact, others: Sequence[Fact]) -> Iterator[Rival]:
    """The facts of the same text that one may be at odds with: by a name that both have, or by what
    both say, where the entry of another day is as another text."""
    names, said = {*fact.names}, stems(fact.text) - stopwords()
    for other in others:
        here = other.created_at == fact.created_at
        if here and names:
            yield Rival(other, not names.isdisjoint(other.names), here=True)
        elif not here and len(said & stems(other.text)) >= ALIKE:
            yield Rival(other, not names.isdisjoint(other.names))


def _by_group(groups: Sequence[SubjectGroup]) -> Iterator[tuple[SubjectGroup, Extracted]]:
    return ((one, extracted) for one in groups for extracted in one.facts)


def _on_its_page(decision: Decision, rivals: Sequence[Rival]) -> Decision:
    """What is about another fact is on the page of that."""
    pages = {rival.fact.id: rival.fact.meta.get("page") for rival in rivals}
    page = next((pages[id] for id in decision.others if pages.get(id)), None)
    if page is None or decision.kind == "same":
        return decision
    return decision._replace(fact=decision.fact._replace(meta={**decision.fact.meta, "page": page}))


def _write(context: SlotContext) -> CurationWrite:
    write: Callable[[Decisions], CurationWrite] = context.service("write")
    return write(context["conflict"])


SLOTS = (
    Slot("recon", _recon, ("given",), (SourceText,), Survey, 10),
    Slot(
        "chunk",
        _chunk,
        ("given", "recon"),
        (SourceText, Survey),
        Pieces,
        5,
        items=lambda out: len(out.pieces),
    ),
    Slot(
        "extract",
        _extract,
        ("given", "recon", "chunk"),
        (SourceText, Survey, Pieces),
        Extraction,
        60,
        frozenset({"extractor"}),
        lambda out: len(out.facts),
    ),
    Slot(
        "group",
        _group,
        ("given", "extract"),
        (SourceText, Extraction),
        Groups,
        5,
        frozenset({"shelf"}),
        lambda out: len(out.groups),
    ),
    Slot("dedup", _dedup, ("group",), (Groups,), Groups, 5, items=lambda out: out.facts),
    Slot(
        "conflict",
        _conflict,
        ("given", "extract", "dedup"),
        (SourceText, Extraction, Groups),
        Decisions,
        30,
        frozenset({"known"}),
        lambda out: len(out.items),
    ),
    Slot(
        "write",
        _write,
        ("given", "conflict"),
        (SourceText, Decisions),
        CurationWrite,
        30,
        frozenset({"write"}),
        lambda out: len(out.touched),
    ),
)


# ------------------------------------------------------------------ as facts


class Spots:
    """The passages of the text, by where they begin."""

    def __init__(self, given: SourceText) -> None:
        self._document = document_of(given)
        sizes = [len(passage.text) for passage in passages(self._document)]
        self._starts = [0, *accumulate(sizes)][: len(sizes)]

    def id_at(self, place: int) -> str:
        return f"{self._document.id}:{max(0, bisect_right(self._starts, place) - 1)}"


def document_of(given: SourceText) -> Document:
    """The text as it is kept, for facts to cite."""
    return Document(
        external=given.name,
        source=given.source,
        text=given.text,
        title=given.title,
        date=given.said_at,
        owner=given.owner,
        scopes=given.scopes,
        origin=given.origin,
    )


def as_fact(extracted: Extracted, one: SubjectGroup, given: SourceText, source: str) -> Fact:
    """The fact that is to be kept. Its id follows from its owner and its words, so that the same
    text gives the same facts."""
    text = extracted.statement
    said = [word.folded for word in words(text)]
    slug = "-".join(said[:5])
    ascii_ = "".join(c for c in slug if c.isascii() and (c.isalnum() or c == "-"))[:SLUG].strip("-")
    id = f"{ascii_ or 'fact'}-{stable_id(given.owner, *sorted(given.scopes), *said)[:6]}"
    meta: dict[str, object] = {"page": one.address.path}
    if extracted.about:
        meta["about"] = extracted.about
    if extracted.type in PERSONAL and extracted.speaker not in ("", "user"):
        meta[SPEAKER] = extracted.speaker
    if extracted.until is not None:
        meta["until"] = extracted.until.date().isoformat()
    entry = ProvenanceEntry(
        given.now, "read", given.by, "", source, given.channel, extracted.quote[:500]
    )
    return Fact(
        id=id,
        text=text,
        created_at=given.said_at,
        name=extracted.subject if is_telling(extracted.subject) else "",
        type=extracted.type,
        owner=given.owner,
        scopes=given.scopes,
        standing=standing(text).status,
        valid_to=_end(extracted, given),
        provenance=(entry,),
        meta=meta,
    )


def _end(extracted: Extracted, given: SourceText) -> datetime | None:
    """The day after the last on which a fact holds, if it ends by itself."""
    if not extracted.ends or extracted.until is None or extracted.until < given.said_at:
        return None
    return extracted.until + timedelta(days=1)
