"""Rows and values: how things are written down in tables, and read from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import md5
from typing import Any

from recollect.nouns import Document, Passage, StoredPassage
from recollect.storage.times import moment

OWNER_BITS = 24
"""A key is the number of a change, then the number of its owner in so many bits."""
_OWNER = (1 << OWNER_BITS) - 1

DOCUMENT = """d.external, d.source, d.kind, d.title, d.path, d.date, o.name, d.scopes, d.meta,
    d.origin, d.stamp"""
_SAID = (
    "(SELECT m.date FROM messages m "
    "WHERE m.owner = p.owner AND m.document = p.document AND m.turn = p.turn)"
)
PASSAGE = f"p.key, p.n, p.text, p.heading, p.turn, p.role, d.id, {_SAID}, {DOCUMENT}"


def owner_of(key: int) -> int:
    return key & _OWNER


def owners_of(keys: Iterable[int]) -> list[int]:
    return sorted(set(map(owner_of, keys)))


def key_of(number: int, owner: int) -> int:
    return number << OWNER_BITS | owner


def stored(text: str) -> str:
    """A text as PostgreSQL can hold it: it has no NUL. What comes back is what went in."""
    if "\x00" in text or "\x1a" in text:
        return text.replace("\x1a", "\x1a1").replace("\x00", "\x1a0")
    return text


def given(text: str) -> str:
    """The text that was stored."""
    if "\x1a" in text:
        return text.replace("\x1a0", "\x00").replace("\x1a1", "\x1a")
    return text


def hashed(text: str) -> str:
    """What long texts are indexed by: the server's md5 of them."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def document(row: Sequence[Any]) -> Document:
    """A document without its body, from the columns of ``DOCUMENT``."""
    external, source, kind, title, path, date, owner, scopes, meta, origin, stamp = row
    return Document(
        external=given(external),
        source=given(source),
        kind=given(kind),
        title=given(title),
        path=given(path),
        date=moment(date),
        owner=given(owner),
        scopes=tuple(map(given, scopes)),
        meta=json.loads(meta),
        origin=given(origin),
        stamp=given(stamp),
    )


def passage(row: Sequence[Any]) -> StoredPassage:
    """A passage, from the columns of ``PASSAGE``."""
    key, n, text, heading, turn, role, id, said, *about = row
    part = Passage(n, given(text), given(heading), turn, given(role))
    return StoredPassage(key, f"{id}:{n}", part, document(about), moment(said))
