"""A text and what is known of it, run through the slots of a curation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from os.path import basename
from typing import Any

from recollect.errors import InputError, UsageError
from recollect.facts import TYPES, shortened
from recollect.named_tuple import NamedTuple
from recollect.nouns import Problem, json_list, partition, stable_id
from recollect.text import heads, stated
from recollect.text.statements.quotes import place_of
from recollect.writing.curation.extract import Extracted
from recollect.writing.curation.group import Shelf
from recollect.writing.curation.outline import form_of
from recollect.writing.curation.receipts import DocumentChange, ReceiptItem
from recollect.writing.curation.recon import Survey
from recollect.writing.curation.slots import (
    SLOTS,
    CurationWrite,
    Decisions,
    Extractor,
    RivalFacts,
    SourceText,
    TextState,
)
from recollect.writing.runner import Outcome, Token, run

_TOLD = {"failed": "lost", "skipped": "refused", "warning": "note"}


class Curated(NamedTuple):
    """What a curation did, or would do."""

    id: str
    """Of the receipt, which `undo` takes; empty when nothing changed."""
    about: str
    slots: tuple[Outcome, ...]
    items: tuple[ReceiptItem, ...] = ()
    touched: tuple[DocumentChange, ...] = ()
    kept: TextState = ""
    """What became of the text itself as a document."""
    merged: int = 0
    lost: tuple[Problem, ...] = ()
    """Pieces that nothing could be read from; statements that were refused (``skipped``); what
    else is to be known of the reading, where nothing is lost (``warning``)."""
    survey: Mapping[str, Any] = {}
    dry_run: bool = False
    unread: bool = False
    """Nothing could be read for facts: every piece failed, and ``lost`` says why."""

    @property
    def failed(self) -> str:
        """The first slot that failed, and why; empty when none did."""
        bad = (one for one in self.slots if one.state in ("failed", "cancelled"))
        return next((f"{one.name}: {one.reason or one.state}" for one in bad), "")

    def of_kind(self, kind: str) -> int:
        return sum(item.kind == kind for item in self.items)

    def told(self) -> list[str]:
        """What was lost, what was refused, and what else is to be known, a line each."""
        return [f"{_TOLD[one.level]}: {one.where}: {one.reason}" for one in self.lost]

    def as_json(self) -> dict[str, Any]:
        warnings, lost = partition(lambda one: one.level == "warning", self.lost)
        kinds = sorted({item.kind for item in self.items})
        return {
            "id": self.id,
            "about": self.about,
            "dry_run": self.dry_run,
            "failed": self.failed or None,
            "survey": dict(self.survey),
            "counts": {kind: self.of_kind(kind) for kind in kinds},
            "items": json_list(self.items),
            "kept": self.kept,
            "changed": len(self.touched),
            "merged": self.merged,
            "for_review": sum(item.verdict == "pending" for item in self.items),
            "lost": json_list(lost),
            "warnings": json_list(warnings),
            "unread": self.unread,
            "slots": json_list(self.slots),
        }


def curate(
    text: SourceText,
    known: RivalFacts,
    shelf: Shelf,
    extractor: Extractor,
    write: Callable[[Decisions], CurationWrite],
    *,
    dry_run: bool,
    token: Token | None,
    tell: Callable[[Outcome], None],
) -> Curated:
    """Runs the slots over a text, of which the last one calls *write*."""
    services = {
        "extractor": extractor,
        "known": known,
        "shelf": shelf,
        "write": write,
    }
    outcomes = run(SLOTS, {"given": text}, services, token=token, tell=tell)
    extraction, deduped = outcomes["extract"].output, outcomes["dedup"].output
    written: CurationWrite = outcomes["write"].output or CurationWrite()
    stranded = outcomes["write"].state == "stranded"
    if stranded and not any(one.state == "cancelled" for one in outcomes.values()):
        # No fact was read, and the text is kept all the same.
        written = write(Decisions((), unread=True))
    return Curated(
        id="" if dry_run else written.id,
        about=text.about,
        slots=tuple(outcomes.values()),
        items=written.items,
        touched=written.touched,
        kept=written.kept,
        merged=len(deduped.merged) if deduped else 0,
        lost=extraction.lost if extraction else (),
        survey=_surveyed(outcomes["recon"].output),
        dry_run=dry_run,
        unread=extraction is not None and extraction.unread,
    )


def _surveyed(survey: Survey | None) -> dict[str, Any]:
    """What was found out about a text before it was read."""
    if survey is None:
        return {}
    return {
        "kind": survey.kind,
        "language": survey.language,
        "characters": survey.size,
        "chunks": survey.chunks,
        "note": survey.note,
    }


class HandedIn(NamedTuple):
    """Facts that the caller has read from the text already."""

    facts: tuple[Extracted, ...]
    lost: tuple[Problem, ...]
    """Quotes that are not in the text, and were left out."""


_TAUGHT = ("text", "type", "subject", "quote")
_KEYS = (*_TAUGHT, "name")
"""``name`` is another word for ``subject``."""


def handed_in(
    facts: Iterable[Mapping[str, Any] | str], text: str, redacted: Callable[[str], str]
) -> HandedIn:
    """Reads facts as a caller gives them: statements, or each with its ``text`` and what is known
    of ``type``, ``subject`` and ``quote``. What cannot be meant is refused before anything is
    written: no text, a type that there is not, a field that there is not. A quote is found
    whatever its white space; one that is not in the text is refused, and its fact is kept."""
    told = [_told(one, n) for n, one in enumerate(facts, 1)]
    found = [_handed_in(one, text, redacted) for one in told]
    lost = [
        Problem(f"fact {n}", "its quote is not in the text; the fact is kept without it")
        for n, (one, fact) in enumerate(zip(told, found, strict=True), 1)
        if one.get("quote") and not fact.quote
    ]
    return HandedIn(tuple(found), tuple(lost))


def _told(one: Mapping[str, Any] | str, n: int) -> Mapping[str, Any]:
    """A fact as fields, if they can be meant."""
    told = {"text": one} if isinstance(one, str) else one
    if not isinstance(told, Mapping) or not told.get("text"):
        raise UsageError(f"fact {n} has no text", hint='give {"text": …, "type": …} each')
    wrong = next((key for key in told if key not in _KEYS), None)
    if wrong is not None:
        raise UsageError(f"fact {n} has {wrong!r}", hint=f"give {', '.join(_TAUGHT)}")
    wrong = next((key for key in told if not isinstance(told[key], str | None)), None)
    if wrong is not None:
        said = shortened(repr(told[wrong]))
        raise UsageError(f"fact {n}: its {wrong} is {said}", hint="give a text")
    if not told["text"].strip():
        raise UsageError(f"fact {n} has no text", hint="give a sentence")
    if (told.get("type") or "fact") not in TYPES:
        raise UsageError(f"fact {n}: there is no type {told['type']!r}", hint=", ".join(TYPES))
    return told


def _handed_in(told: Mapping[str, Any], text: str, redacted: Callable[[str], str]) -> Extracted:
    start, end = place_of(told.get("quote") or "", text) or (0, 0)
    subject = redacted(told.get("subject") or told.get("name") or "")
    return Extracted(
        type=told.get("type") or "fact",
        subject=subject,
        statement=redacted(" ".join(told["text"].split())),
        quote=text[start:end],
        start=start,
        end=end,
        confidence=1.0,
        heading=subject,
    )


def source_text(
    text: str,
    *,
    name: str,
    title: str,
    source: str,
    project: str,
    owner: str,
    scopes: Sequence[str],
    date: datetime | None,
    by: str,
    channel: str,
    speaker: str,
    note: bool,
    most: int,
) -> SourceText:
    """The text and what is known of it; one without a name is called by its content, so that it
    is the same again. What the caller does not say of title and date, the head of the text does,
    unless it is a conversation; a date may be in the title or the name, too. A note is of the
    moment that it is told in."""
    if len(text) > most * 1_000_000:
        raise InputError(
            f"{title or name or 'the text'} has {len(text) / 1e6:,.0f} million characters",
            hint=f"curate at most {most} at a time, or raise import.max_mb",
        )
    now = datetime.now(UTC)
    said = None if note else stated.own({}, title, basename(name)) or heads.written_on(text, now)
    return SourceText(
        text=text,
        name=name or f"text-{stable_id(text)[:12]}",
        source=source,
        owner=owner,
        scopes=tuple(scopes),
        now=now,
        said_at=date or said or now,
        title=title or ("" if form_of(text) else heads.title_of(text)),
        project=project,
        channel=channel,
        by=by,
        speaker="user" if speaker == "user" else "",
        note=note,
    )
