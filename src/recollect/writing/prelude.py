"""The prelude's log, written as conversations come in.

What a user says in a conversation is judged by the sentence model; what is worth keeping becomes an
observation with its day. The pair model says what repeats or changes an earlier one: the later one
takes its place. :mod:`recollect.tree.log` has the log itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain

from recollect.facts import handle
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Change,
    Document,
    Expect,
    Filter,
    Put,
    Register,
    Source,
    by_id,
    partition,
    without,
)
from recollect.ports import Store, WorthModel
from recollect.text.pairs import Judge, relation
from recollect.tree import log
from recollect.tree.log import Observation, PreludeLog
from recollect.writing.curation.chunk import pieces
from recollect.writing.curation.extract import BySentences, PieceContext
from recollect.writing.curation.outline import joined
from recollect.writing.curation.planted import checked
from recollect.writing.curation.recon import survey
from recollect.writing.runner import Token

FROM = "!observed "
SURE = 1.15
"""How much surer than of a fact the model must be: nobody looks at an observation first."""
STATED = 0.03
"""How sure it must be at least of a preference that is stated as such."""
_LASTING = re.compile(
    r"(?:\A|[.!?]\s+)(?!you\b|never mind)(?:[\w'’]+[^\w'’]+){0,3}?(?:prefer\w*|always|never"
    r"|from now on|immer|nie(?:mals)?|ab jetzt|bevorzug\w+|siempre|nunca|prefier\w+|toujours"
    r"|jamais|préf[éè]r\w+)\b",
    re.IGNORECASE,
)
"""How somebody begins to say what is to hold for good."""
MOST_READ = 200_000
"""Characters of a conversation that are read, from its end."""
MOST_NOTED = 1_000
"""Conversations of which it is known that they were read."""
SKIPPED = ("task", "open_question")
"""What is asked of an agent is over with the conversation."""


def stored(store: Store, owner: str, scopes: tuple[str, ...] | None = None) -> list[PreludeLog]:
    """The logs of an owner, as far as these scopes see them."""
    limits = Filter(owner=owner, scopes=scopes, sources=(log.SOURCE,), kinds=(log.KIND,))
    found = (store.get(one.id) for one in store.scan(limits, limit=100).items)
    return [log.from_document(some[0]) for some in found if some]


def observed(
    document: Document, model: WorthModel, redacted: Callable[[str], str]
) -> list[Observation]:
    """What the user said in a conversation that is worth keeping."""
    turns = ((one.role, redacted(one.text)) for one in document.messages if one.role == "user")
    text = joined(turns)[-MOST_READ:]
    seen = survey(text)
    date = document.date or datetime.now(UTC)
    told = PieceContext("transcript", document.source, "", date, "user")
    least = partial(_least, threshold=model.threshold)
    reader = BySentences(model, least)
    found = [fact for one in pieces(text, seen) for fact in reader.extract(one, told, Token())]
    return [
        Observation(date, fact.type, fact.statement, document.id, fact.confidence)
        for fact in found
        if fact.confidence >= least(fact.statement, fact.type)
        and fact.type not in SKIPPED
        and not checked(fact, text, [], "user").refused
    ]


def _least(sentence: str, kind: str, threshold: float) -> float:
    """How sure the model must be of an observation. The texts that it learned from have few wishes,
    so that it is unsure of one that is stated; in the log that weighs little, and goes first."""
    if not _LASTING.search(sentence):
        return min(0.95, threshold * SURE)
    return STATED if kind == "preference" else threshold / 2


def merged(
    entries: Iterable[Observation], new: Iterable[Observation], judge: Judge | None
) -> tuple[Observation, ...]:
    """The entries with the new ones; what they repeat or change is told once, by the later one."""
    kept = list(entries)
    for one in sorted(new):
        rivals, others = partition(partial(_is_replaced, new=one, judge=judge), kept)
        later = max([one, *rivals], key=lambda entry: (not entry.source, entry.at))
        kept = [*others, later]
    return log.compacted(kept)


class LogChange(NamedTuple):
    """A log as it is to be, and what writes it."""

    log: PreludeLog
    changes: list[Change]


def with_observations(
    store: Store,
    owner: str,
    documents: Sequence[Document],
    found: Mapping[str, Sequence[Observation]],
    judge: Judge | None,
) -> LogChange:
    """The log of conversations that the same people may see, with what was observed in them."""
    scopes = documents[0].scopes
    before = _log_of(store, owner, scopes)
    known = before or PreludeLog(owner, scopes)
    read = {**known.read, **{one.id: version(one) for one in documents}}
    new = chain.from_iterable(found[one.id] for one in documents)
    earlier = [one for one in known.entries if one.source not in found]
    after = PreludeLog(
        owner, scopes, merged(earlier, new, judge), dict([*read.items()][-MOST_NOTED:])
    )
    return LogChange(after, as_changes(before, after))


def edited(store: Store, owner: str, scopes: Sequence[str], text: str, now: datetime) -> LogChange:
    """The log as a person left it."""
    before = _log_of(store, owner, tuple(scopes))
    log_now = before or PreludeLog(owner, tuple(sorted(scopes)))
    after = log_now._replace(entries=log.parse(text, log_now.entries, now))
    return LogChange(after, as_changes(before, after))


def _log_of(store: Store, owner: str, scopes: Sequence[str]) -> PreludeLog | None:
    found = store.get(PreludeLog(owner, tuple(sorted(scopes))).key)
    return log.from_document(found[0]) if found else None


def version(document: Document) -> str:
    """Which version of a conversation this is."""
    return document.stamp or str(iso(document.date))


def _is_replaced(old: Observation, new: Observation, judge: Judge | None) -> bool:
    return relation(old.text, new.text, judge).kind != "neither"


def as_changes(before: PreludeLog | None, after: PreludeLog) -> list[Change]:
    """What writes the log, unless it is as it was."""
    document = log.as_document(after)
    if before is not None and before.stamp == document.stamp:
        return []
    names = dict.fromkeys(one.source for one in after.entries if one.source)
    handles = tuple(handle(after.owner, f"{FROM}{id}") for id in names)
    expected = Expect(document.id, before.stamp if before else None)
    return [Register(Source(log.SOURCE, log.SOURCE)), expected, Put(document, (), handles)]


def forgotten(store: Store, owner: str, ids: Collection[str]) -> Iterator[Change]:
    """The logs that hold what was said in these conversations, without it."""
    held = store.by_handle([handle(owner, f"{FROM}{id}") for id in sorted(ids)])
    for document in by_id(one.document for one in held).values():
        before = log.from_document(document)
        left = tuple(entry for entry in before.entries if entry.source not in ids)
        after = before._replace(entries=left, read=without(before.read, ids))
        yield from as_changes(before, after)
