"""What a person changed in a file, told from what the store changed: three states are compared.

``Base`` is what the file and the store last agreed on, as hashes. What is in the file as it was
then is not an edit, whatever the store has made of it since. What both have changed, and not to
the same, is refused: neither is lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among, stable_id
from recollect.tree.markdown import FactItem, ParsedPage

FIELDS = ("title", "summary", "tags", "keywords", "related", "scopes", "notes", "snippets")
"""What a person may change of a page, besides its facts."""
_SHOWN = tuple(not_among(FactItem._fields, ("id", "created_at", "ended", "line")))


class Base(NamedTuple):
    """Hashes of the fields of a page, and of its facts, in their order."""

    fields: dict[str, str]
    facts: dict[str, str]


class Edits(NamedTuple):
    """What is to be done."""

    fields: Mapping[str, Any]
    items: tuple[FactItem, ...]
    """Facts that the file has otherwise, or that the store does not have; those without an id
    are new."""
    refused: tuple[tuple[int, str], ...]
    """Lines, and what is the matter there."""
    apart: Base
    """What was refused, as it was agreed on before."""


def base_of(page: ParsedPage) -> Base:
    return Base(
        {name: _hash(getattr(page, name)) for name in FIELDS},
        {item.id: item_hash(item) for item in page.items if item.id},
    )


def item_hash(item: FactItem) -> str:
    return _hash([getattr(item, name) for name in _SHOWN])


def _hash(value: Any) -> str:
    return stable_id(json.dumps(value, ensure_ascii=False, default=str, sort_keys=True))


def edits(base: Base, file: ParsedPage, now: ParsedPage | None) -> Edits:
    """Returns what the *file* says otherwise than the store, and is to be done. *now* is the page
    as the store has it, or None. Where *base* has nothing, the file is right."""
    held = base_of(now) if now else Base({}, {})
    stored = {item.id: item.text for item in now.items} if now else {}
    fields: dict[str, Any] = {}
    found: list[FactItem] = []
    refused: list[tuple[int, str]] = []
    apart = Base({}, {})
    for name, hash in base_of(file).fields.items():
        verdict = _verdict(base.fields.get(name), hash, held.fields.get(name))
        if verdict == "edited":
            fields[name] = getattr(file, name)
        elif verdict == "refused":
            refused.append((1, f"the {name} was changed in the store, too, since the export"))
            apart.fields[name] = base.fields[name]
    for item in file.items:
        verdict = _verdict(base.facts.get(item.id), item_hash(item), held.facts.get(item.id))
        if verdict == "edited":
            found.append(item)
        elif verdict == "refused":
            refused.append((item.line, f"fact {item.id!r} {_reason(stored.get(item.id))}"))
            apart.facts[item.id] = base.facts[item.id]
    return Edits(fields, tuple(found), tuple(refused), apart)


def _reason(stored: str | None) -> str:
    """Says why the edit of a fact is refused, by its text in the store."""
    if stored is None:
        return "is gone"
    text = " ".join(stored.split())[:120]
    return f"was changed in the store, too, since the export; there it says: {text}"


def _verdict(base: str | None, file: str, now: str | None) -> str:
    if file in (base, now):
        return "as it was"
    return "refused" if base is not None and now != base else "edited"
