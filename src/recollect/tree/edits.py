"""What a person changed in a file, told from what the store changed: three states are compared.

``Base`` is what the file and the store last agreed on, as hashes. What is in the file as it was
then is not an edit, whatever the store has made of it since. What both have changed, and not to
the same, is refused: neither is lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.nouns import stable_id
from recollect.tree.markdown import FactItem, ParsedPage

FIELDS = ("title", "summary", "tags", "keywords", "related", "scopes", "notes", "snippets")
"""What a person may change of a page, besides its facts."""
_SHOWN = tuple(f for f in FactItem._fields if f not in ("id", "created_at", "line"))


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


def edits(base: Base | None, file: ParsedPage, now: ParsedPage | None) -> Edits:
    """What the *file* says otherwise than the store, which has the page as *now*, and is to be
    done. Without a *base* the file is right."""
    was = base or Base({}, {})
    fields: dict[str, Any] = {}
    found: list[FactItem] = []
    refused: list[tuple[int, str]] = []
    apart = Base({}, {})
    for name in FIELDS:
        said = getattr(file, name)
        held = _hash(getattr(now, name)) if now else None
        verdict = _verdict(was.fields.get(name), _hash(said), held)
        if verdict == "edited":
            fields[name] = said
        elif verdict == "refused":
            refused.append((1, f"the {name} was changed in the store, too, since the export"))
            apart.fields[name] = was.fields[name]
    known = {item.id: item for item in now.items} if now else {}
    for item in file.items:
        other = known.get(item.id)
        held = item_hash(other) if other else None
        verdict = _verdict(was.facts.get(item.id), item_hash(item), held)
        if verdict == "edited":
            found.append(item)
        elif verdict == "refused":
            said = "was changed in the store, too, since the export" if other else "is gone"
            now_says = f"; there it says: {' '.join(other.text.split())[:120]}" if other else ""
            refused.append((item.line, f"fact {item.id!r} {said}{now_says}"))
            apart.facts[item.id] = was.facts[item.id]
    return Edits(fields, tuple(found), tuple(refused), apart)


def _verdict(base: str | None, file: str, now: str | None) -> str:
    if file in (base, now):
        return "as it was"
    return "refused" if base is not None and now != base else "edited"
