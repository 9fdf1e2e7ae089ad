"""The noun Fact and its rules: when it is in force, who may see it, what it is found under.

A fact is kept as a document of the kind ``fact``: its statement is the text, everything else is
metadata, and its names are handles of the store. Nothing here does any I/O.

1. A fact is in force from ``valid_from`` (else from when it was made) until just before
   ``valid_to``, or the start of what replaced it, whichever comes first.
2. It is in scope when it shares one scope with those asked for. No list asks for every scope; an
   empty list for none. ``universal`` is a scope like any other.
3. An open question or a task that is resolved is nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Literal, get_args

from recollect.errors import UsageError
from recollect.moments import aware, from_iso, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    LOCAL,
    NO_META,
    SCHEMA_VERSION,
    UNIVERSAL,
    Document,
    JsonObject,
    Passage,
    Put,
    Result,
    Stage,
    filled,
    json_list,
    stable_id,
    without,
)
from recollect.text.dates import parse_date
from recollect.text.keys import handles, keys
from recollect.text.ordinary import commonness
from recollect.text.terms import fold

KIND = "fact"
SOURCE = "facts"
SUPERSEDED_BY = "superseded by"
"""The action of an entry of a fact's provenance, before the id of what took its place."""
LONGEST_NAME = 200
LONGEST_STATEMENT = 20_000

FactType = Literal[
    "preference", "decision", "fact", "expertise", "entity", "relation", "open_question", "task"
]
TYPES: tuple[FactType, ...] = get_args(FactType)
OPEN: tuple[FactType, ...] = ("open_question", "task")
"""What is open until it is resolved."""
Standing = Literal["active", "undecided", "outdated"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)


class Participant(NamedTuple):
    """Somebody or something in a relation."""

    id: str
    role: str = ""

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class ProvenanceEntry(NamedTuple):
    """One entry of a fact's provenance, which is only ever added to."""

    at: datetime
    action: str
    by: str = ""
    why: str = ""
    source: str = ""
    """Where it was read: the id of a passage, a session, a file."""
    channel: str = ""
    """How it came in: by hand, from a file, out of a text."""
    quote: str = ""
    """The words that it was read from."""

    def as_json(self) -> dict[str, Any]:
        out = filled(self._asdict())
        return {**out, "at": iso(self.at)}


class Fact(NamedTuple):
    """One statement with a name."""

    id: str
    """The caller's own; unique for its owner."""
    text: str
    created_at: datetime
    name: str = ""
    aliases: tuple[str, ...] = ()
    type: FactType = "fact"
    why: str = ""
    """Why it matters. Never searched."""
    owner: str = LOCAL
    scopes: tuple[str, ...] = (UNIVERSAL,)
    pinned: bool = False
    standing: Standing = "active"
    """How the statement itself speaks: of what is, of what is not decided, of what was."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    ended: datetime | None = None
    """When the first of what replaced it began."""
    resolved_at: datetime | None = None
    participants: tuple[Participant, ...] = ()
    provenance: tuple[ProvenanceEntry, ...] = ()
    meta: JsonObject = NO_META
    row: str = ""
    """A hash of it as it was last given: given so again, nothing changes, and what was learned
    since stays."""
    stamp: str = ""
    """Which version of it this is."""
    disputes: tuple[str, ...] = ()
    """Marks of the texts that were found to say otherwise when it was written, so that who reads it
    needs no model to know. A text that has changed since has another mark."""

    @property
    def mark(self) -> str:
        """What its text is known by among the disputes of others."""
        return stable_id(self.text)

    @property
    def key(self) -> str:
        """Its name in the store."""
        return fact_key(self.owner, self.id)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.name, *self.aliases)))

    @property
    def heading(self) -> str:
        """What the text is about that it was read from, where it names nothing by itself, else its
        name; and the day by which something is to be done, for "by Friday" does not tell."""
        about, until = (_text(self.meta.get(key)) for key in ("about", "until"))
        due = f"due {until}" if until and self.valid_to is None else ""
        return ", ".join(filter(None, (about or self.name, due)))

    @property
    def title(self) -> str:
        """Its heading, or the beginning of the text where it has none."""
        return self.heading or shortened(self.text)

    @property
    def start(self) -> datetime:
        return self.valid_from or self.created_at

    @property
    def end(self) -> datetime | None:
        return min(filter(None, (self.valid_to, self.ended)), default=None)

    @property
    def boundaries(self) -> tuple[datetime, ...]:
        """When it begins to hold, or no longer does, as far as that is said."""
        return tuple(filter(None, (self.valid_from, self.valid_to, self.ended, self.resolved_at)))

    def as_json(self) -> dict[str, Any]:
        """As it is imported: what comes out can go in again."""
        return {
            "id": self.id,
            "name": self.name,
            "text": self.text,
            "aliases": list(self.aliases),
            "type": self.type,
            "why": self.why,
            "owner": self.owner,
            "scopes": list(self.scopes),
            "pinned": self.pinned,
            "standing": self.standing,
            "created_at": iso(self.created_at),
            "valid_from": iso(self.valid_from),
            "valid_to": iso(self.valid_to),
            "supersedes": list(self.supersedes),
            "superseded_by": list(self.superseded_by),
            "ended": iso(self.ended),
            "resolved_at": iso(self.resolved_at),
            "participants": json_list(self.participants),
            "provenance": json_list(self.provenance),
            "meta": dict(self.meta),
        }


class Context(NamedTuple):
    """What to know before answering: facts in groups that share none."""

    query: str
    prelude: str
    pinned: tuple[Result, ...]
    questions: tuple[Result, ...]
    relevant: tuple[Result, ...]
    hidden: dict[str, int]
    """How many facts that are named or pinned may not be seen, by reason."""
    overflow: tuple[str, ...]
    """Pinned facts that did not fit into their share, by id."""
    dropped: int
    """Relevant facts over the limit or the budget."""
    tokens: int
    degraded: tuple[str, ...]
    stages: tuple[Stage, ...]
    fingerprint: str
    timing_ms: float
    hints: tuple[str, ...] = ()
    """Scopes that were asked for and hold nothing."""
    lately: tuple[str, ...] = ()
    """What was observed in conversations, what was changed and what is open, each with its day,
    the newest first."""

    @property
    def pinned_beside(self) -> tuple[Result, ...]:
        """The pinned facts that the prelude does not say already."""
        return tuple(one for one in self.pinned if one.text.strip() not in self.prelude)

    def as_json(self) -> dict[str, Any]:
        groups = ("pinned", "questions", "relevant")
        return {
            "schema_version": SCHEMA_VERSION,
            **self._asdict(),
            **{name: json_list(getattr(self, name)) for name in groups},
            "overflow": list(self.overflow),
            "degraded": list(self.degraded),
            "hints": list(self.hints),
            "lately": list(self.lately),
            "stages": json_list(self.stages),
            "timing_ms": round(self.timing_ms, 3),
        }


class Rival(NamedTuple):
    """A fact that is known, and whether it has a name in common with the new one."""

    fact: Fact
    same_key: bool
    here: bool = False
    """Whether it comes from the same text, so that neither is the newer one."""


class Conflict(NamedTuple):
    """A fact that says otherwise, which the new one may replace."""

    fact: Fact
    why: str
    sure: bool = True
    """Whether it may be replaced without asking which is meant."""

    def as_json(self) -> dict[str, Any]:
        return {**said(self.fact), "why": self.why}


def said(fact: Fact) -> dict[str, Any]:
    """A fact in a receipt."""
    return {"id": fact.id, "text": fact.text}


class Remembered(NamedTuple):
    fact: Fact
    action: str
    """``added``, ``changed``, ``unchanged``; ``duplicate`` when an older fact says the same and
    was kept instead; ``forgotten earlier`` when it was forgotten, and stays so."""
    conflicts: tuple[Conflict, ...] = ()
    note: str = ""
    replaced: tuple[Fact, ...] = ()
    """Those that it stands for now, as they were."""
    nearest: Fact | None = None
    """Where something was to be replaced and nothing was: the fact that may have been meant."""

    def as_json(self) -> dict[str, Any]:
        return {
            "fact": self.fact.as_json(),
            "action": self.action,
            "conflicts": json_list(self.conflicts),
            "note": self.note,
            "replaced": list(map(said, self.replaced)),
            "nearest": said(self.nearest) if self.nearest else None,
        }


class FactPage(NamedTuple):
    """A stretch of a listing; ``cursor`` asks for the next one and is empty on the last."""

    items: tuple[Fact, ...]
    cursor: str

    def as_json(self) -> dict[str, Any]:
        return {"items": json_list(self.items), "cursor": self.cursor}


def fact_key(owner: str, id: str) -> str:
    return stable_id(owner, SOURCE, "", id)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59].rsplit(' ', 1)[0]}…"


# ------------------------------------------------------------------ the rules


class FactFilter(NamedTuple):
    """Whose facts, of which scopes and types, and of what time."""

    owner: str
    scopes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    as_of: datetime | None = None
    """None is now."""
    now: datetime | None = None

    @property
    def at(self) -> datetime:
        return self.as_of or self.now or datetime.now(UTC)

    def hides(self, fact: Fact) -> str:
        """Why the fact may not be seen; empty when it may."""
        if fact.owner != self.owner:
            return "owner"
        if self.scopes is not None and set(self.scopes).isdisjoint(fact.scopes):
            return "scope"
        return self.hides_type(fact) or self.out_of_force(fact)

    def hides_type(self, fact: Fact) -> str:
        """Returns ``type`` if the fact is of another type than is asked for."""
        return "" if self.types is None or fact.type in self.types else "type"

    def out_of_force(self, fact: Fact) -> str:
        """Why the fact does not hold at the time that is asked about; empty when it does."""
        at = self.at
        question = fact.type in OPEN
        dated = self.as_of is not None or fact.valid_from is not None
        reasons = {
            "superseded": _is_past(fact.ended, at),
            "expired": _is_past(fact.valid_to, at),
            "not yet valid": dated and fact.start > at,
            "resolved": question and _is_past(fact.resolved_at, at),
            "outdated": fact.standing == "outdated",
        }
        return next((reason for reason, holds in reasons.items() if holds), "")


def _is_past(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now


def is_universal(scope: str) -> bool:
    """Whether a scope is the universal one, of whatever namespace (``user:universal``)."""
    return scope.rpartition(":")[2] == UNIVERSAL


PERSONAL: tuple[FactType, ...] = ("preference", "expertise")
SPEAKER = "speaker"
"""The key of the metadata that says who told of themselves, where it was not the user."""


def describes_user(fact: Fact) -> bool:
    """Whether it tells who the user is, whatever the question."""
    personal = fact.type in PERSONAL and any(map(is_universal, fact.scopes))
    return personal and not fact.meta.get(SPEAKER) and not _is_of_another(fact)


_NAME = r"([A-ZÀ-Þ][\w.'-]*(?: [A-ZÀ-Þ][\w.'-]*){0,2})"
_NEVER = "does not|doesn['’]t|can(?:no|['’])t|never|always|only"
_LIKES = "prefer|like|love|hate|dislike|enjoy|want|need|avoid|refuse|eat|drink|know|speak"
_NAMED = re.compile(
    rf"{_NAME}(?:: .*?\b(?:I|[Mm]y|me|mine|[Ww]e|[Oo]ur)\b"
    rf"|(?: \([^()]*\))?(?: (?:{_NEVER}))? (?:{_LIKES})s?\b)"
)
"""Somebody who is told of, or who speaks: "Lucía prefers …", "Mia (his niece) does not eat …",
"Karl: I …"."""


def _is_of_another(fact: Fact) -> bool:
    """Whether a fact begins with the name of somebody who is not its owner."""
    found = _NAMED.match(fact.text)
    name = found[1].split() if found else []
    told = [fold(word) for word in name if fold(word) not in ("user", fold(fact.owner))]
    return len(told) == len(name) and any(commonness(word) != "ordinary" for word in told)


# ------------------------------------------------------------------ handles

PINNED, USER = "!pinned", "!user"
IS, REPLACES, REPLACED = "!is ", "!replaces ", "!replaced by "
FROM = "!from "
"""It was read from a document of such an id."""
PAGE = "!page "
"""The page of the context tree that it is on."""
TURNS = "!turns "
"""On such a day it begins to hold, or no longer does."""


def handle(owner: str, name: str) -> str:
    """A handle belongs to an owner: nobody's names are ever looked at for another."""
    return f"{owner}/{name}"


def fact_handles(fact: Fact) -> tuple[str, ...]:
    found = [f"{IS}{fact.id}", *chain.from_iterable(map(handles, fact.names))]
    found += [PINNED] * fact.pinned + [USER] * describes_user(fact)
    found += map(REPLACES.__add__, fact.supersedes)
    found += map(REPLACED.__add__, fact.superseded_by)
    found += map(turns, fact.boundaries)
    found += [f"{FROM}{read_from(entry)}" for entry in fact.provenance if entry.source]
    page = fact.meta.get("page")
    if isinstance(page, str):
        found.append(f"{PAGE}{page}")
    return tuple(handle(fact.owner, one) for one in dict.fromkeys(found))


def read_from(entry: ProvenanceEntry) -> str:
    """The document that an entry names, which may name a passage of it."""
    document, colon, number = entry.source.rpartition(":")
    return document if colon and number.isdigit() else entry.source


def turns(moment: datetime) -> str:
    return f"{TURNS}{moment.astimezone(UTC):%Y-%m-%d}"


# ------------------------------------------------------------------ as a document

_FIELDS = tuple(
    "aliases type why pinned standing created_at valid_from valid_to supersedes superseded_by "
    "ended resolved_at participants provenance".split()
)
_KEPT = ("name", "row", "disputes")
"""Fields that are kept as they are."""


def as_put(fact: Fact) -> Put:
    written = fact.as_json()
    meta = {name: written[name] for name in _FIELDS if written[name]}
    meta |= {name: value for name in _KEPT if (value := getattr(fact, name))}
    document = Document(
        external=fact.id,
        source=SOURCE,
        text=fact.text,
        kind=KIND,
        title=fact.heading,
        date=fact.start,
        owner=fact.owner,
        scopes=fact.scopes,
        meta={**meta, "meta": dict(fact.meta)} if fact.meta else meta,
        stamp=fact.stamp,
    )
    passages = (Passage(0, fact.text),) if fact.text else ()
    return Put(document, passages, fact_handles(fact))


_WORDED = ("name", "type", "why", "standing", "row")


def from_document(document: Document, text: str | None = None) -> Fact:
    """The fact that a document holds. One that comes without its body is given its *text*. What
    somebody else has written into its metadata, and is not as we write it, is left out."""
    try:
        return _read(document, text, document.meta)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _read(document, text, NO_META)


def _read(document: Document, text: str | None, meta: JsonObject) -> Fact:
    if not all(isinstance(meta.get(name, ""), str) for name in _WORDED):
        raise TypeError("a name that is no text")
    return Fact(
        id=document.external,
        text=document.text if text is None else text,
        created_at=from_iso(meta.get("created_at")) or document.date or datetime.now(UTC),
        name=meta.get("name", ""),
        aliases=tuple(meta.get("aliases", ())),
        type=meta.get("type", "fact"),
        why=meta.get("why", ""),
        owner=document.owner,
        scopes=document.scopes,
        pinned=meta.get("pinned", False),
        standing=meta.get("standing", "active"),
        valid_from=from_iso(meta.get("valid_from")),
        valid_to=from_iso(meta.get("valid_to")),
        supersedes=tuple(meta.get("supersedes", ())),
        superseded_by=tuple(meta.get("superseded_by", ())),
        ended=from_iso(meta.get("ended")),
        resolved_at=from_iso(meta.get("resolved_at")),
        participants=tuple(Participant(**p) for p in meta.get("participants", ())),
        provenance=tuple(
            ProvenanceEntry(**{**e, "at": datetime.fromisoformat(e["at"])})
            for e in meta.get("provenance", ())
        ),
        meta=meta.get("meta", NO_META),
        row=meta.get("row", ""),
        stamp=document.stamp,
        disputes=tuple(meta.get("disputes", ())),
    )


# ------------------------------------------------------------------ from the outside


def checked(fact: Fact) -> Fact:
    """Returns the fact, if it can be kept; a UsageError that names it, if not."""
    for check in (_check_text, _check_names, _check_words, _check_scopes, _check_time):
        check(fact, f"fact {fact.id!r}")
    return fact


def _check_text(fact: Fact, said: str) -> None:
    if not fact.text.strip():
        raise UsageError(f"{said}: its text is empty", hint="say what is to be remembered")
    if len(fact.text) > LONGEST_STATEMENT:
        raise UsageError(
            f"{said}: its text has {len(fact.text):,} characters, over {LONGEST_STATEMENT:,}",
            hint="a fact is one statement; `recollect add` keeps whole documents",
        )


def _check_names(fact: Fact, said: str) -> None:
    if fact.name:
        _check_name(fact.name, f"{said}: its name")
    for alias in fact.aliases:
        _check_name(alias, f"{said}: an alias")


def _check_name(name: str, what: str) -> None:
    if not keys(name):
        shown = repr(name) if name.strip() else "empty"
        raise UsageError(f"{what} is {shown}", hint="a name has at least one letter or figure")
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"{what} has {len(name):,} characters", hint=f"give at most {LONGEST_NAME}"
        )


def _check_words(fact: Fact, said: str) -> None:
    for what, word, words in (("type", fact.type, TYPES), ("standing", fact.standing, STANDINGS)):
        if word not in words:
            raise UsageError(
                f"{said}: there is no {what} {word!r}", hint=f"one of {', '.join(words)}"
            )


def _check_scopes(fact: Fact, said: str) -> None:
    for scope in fact.scopes:
        if not scope.strip() or len(scope) > LONGEST_NAME:
            raise UsageError(f"{said}: {scope!r} is no scope", hint="a scope is a short name")
    if not fact.scopes:
        raise UsageError(
            f"{said}: scopes is empty, so nothing could ever see it",
            hint="leave scopes out to keep it as `universal`",
        )


def _check_time(fact: Fact, said: str) -> None:
    if fact.valid_from and fact.valid_to and fact.valid_from >= fact.valid_to:
        raise UsageError(
            f"{said}: valid_from ({iso(fact.valid_from)}) is not before valid_to "
            f"({iso(fact.valid_to)}), so it would never hold",
            hint="valid_from is inclusive, valid_to exclusive",
        )
    if fact.id in fact.supersedes:
        raise UsageError(f"{said} cannot supersede itself")


_GIVEN = frozenset({"as", "id", "name", "text", "owner", "scopes", "meta", *_FIELDS})


def from_json(record: Mapping[str, Any], owner: str, scopes: Sequence[str], now: datetime) -> Fact:
    """A fact from a line of JSON; a UsageError says what is wrong with it."""
    id = _id(record)
    said = f"fact {id!r}"
    strings = {name: _string(record, name, said) for name in _STRINGS}
    dates = {name: _date(record, name, said) for name in _DATES}
    if not isinstance(record.get("pinned") or False, bool):
        raise UsageError(f"{said}: `pinned` is not true or false")
    meta = record.get("meta") or {}
    if not isinstance(meta, Mapping):
        raise UsageError(f"{said}: `meta` is not an object")
    known: dict[str, Any] = {**strings, **dates}
    defaults = {"type": "fact", "standing": "active", "owner": owner, "created_at": now}
    known |= {name: known[name] or value for name, value in defaults.items()}
    others = without(record, _GIVEN)
    return checked(
        Fact(
            **known,
            id=str(id),
            aliases=_distinct(record, "aliases", said),
            scopes=_scopes(record, scopes, said),
            supersedes=_distinct(record, "supersedes", said),
            superseded_by=_distinct(record, "superseded_by", said),
            pinned=bool(record.get("pinned")),
            participants=participants(record.get("participants") or (), said),
            provenance=tuple(_entries(record.get("provenance") or (), said)),
            meta={**others, **meta},
        )
    )


_STRINGS = ("name", "text", "type", "why", "owner", "standing")
_DATES = ("created_at", "valid_from", "valid_to", "ended", "resolved_at")


def _id(record: Mapping[str, Any]) -> str | int:
    id = record.get("id")
    if isinstance(id, bool) or not isinstance(id, str | int) or id == "":
        raise UsageError("a fact without an id", hint="each line needs its own `id`")
    return id


def _distinct(record: Mapping[str, Any], field: str, said: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_strings(record, field, said)))


def _scopes(record: Mapping[str, Any], default: Sequence[str], said: str) -> tuple[str, ...]:
    if record.get("scopes") is None:
        return tuple(default)
    return tuple(sorted(set(_strings(record, "scopes", said))))


def participants(given: Any, said: str) -> tuple[Participant, ...]:
    """Who takes part: ids, or objects with an id and a role."""
    return tuple(dict.fromkeys(_participant(one, said) for one in _several(given)))


def _participant(given: Any, said: str) -> Participant:
    if isinstance(given, Participant):
        return given
    fields = given if isinstance(given, Mapping) else {"id": given}
    id = fields.get("id")
    if not isinstance(id, str) or not id:
        raise UsageError(f"{said}: {given!r} is no participant", hint='give {"id": …, "role": …}')
    return Participant(id, str(fields.get("role") or ""))


def _several(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else [given]


def _entries(given: Any, said: str) -> Iterable[ProvenanceEntry]:
    for one in _several(given):
        if not isinstance(one, Mapping):
            raise UsageError(f"{said}: `provenance` is not a list of objects")
        fields = {k: str(one[k]) for k in ("action", "by", "why", "source") if one.get(k)}
        if (at := _date(one, "at", said)) is not None:
            yield ProvenanceEntry(at, **{"action": "noted", **fields})


def _string(record: Mapping[str, Any], field: str, said: str) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{said}: `{field}` is not a text")
    return value.strip() if field != "text" else value


def _strings(record: Mapping[str, Any], field: str, said: str) -> list[str]:
    value = record.get(field)
    if value is None:
        return []
    some = [value] if isinstance(value, str) else value
    if not isinstance(some, list | tuple) or not all(isinstance(s, str) for s in some):
        raise UsageError(f"{said}: `{field}` is not a list of texts")
    return list(some)


def _date(record: Mapping[str, Any], field: str, said: str) -> datetime | None:
    value = record.get(field)
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return aware(value)
    try:
        return parse_date(value)
    except ValueError as error:
        raise UsageError(f"{said}: `{field}`: {error}", hint="write it as 2026-03-31") from None
