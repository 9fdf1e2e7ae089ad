"""Documents by name, as far as the configuration lets the caller see them: what it keeps out of a
search cannot be had by its name either."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.arguments import clean
from recollect.errors import NotFound, UsageError
from recollect.facts import KIND, from_document
from recollect.memory import requests
from recollect.memory.core import Core
from recollect.nouns import Document, Event, Filter, Page
from recollect.storage import filters
from recollect.writing import remember

NEAR = 3
"""Documents that are named where there is none of a name."""


def document(core: Core, name: str, owner: str | None = None) -> Document:
    """The one document of that name, among those that the caller may see."""
    found = _called(core, name, owner)
    if len(found) > 1:
        raise UsageError(
            f"{name!r} names {len(found)} documents: {', '.join(_told_apart(found[:5]))}",
            hint="give the id of the one that is meant",
        )
    return found[0]


def _called(core: Core, name: str, owner: str | None) -> list[Document]:
    """The documents of that name that the caller may see; an error where there is none."""
    seen = requests.filter_of(core.view, {"owner": owner})
    found = core.store.get(clean(name))
    if not any(filters.allows(seen, one) for one in found):
        found = remember.called(core.store, owner or core.asker, clean(name))
    found = [one for one in found if filters.allows(seen, one)]
    if not found:
        near = ", ".join(_near(core, seen, clean(name)))
        hint = f"there is {near}" if near else "`recollect list` shows what there is"
        raise NotFound(f"there is no document {name!r}", hint=hint)
    return found


def _near(core: Core, seen: Filter, name: str) -> list[str]:
    """The documents whose paths end as the name does, by as many of its parts as any does."""
    parts = name.replace("*", "").strip("/").split("/")
    for first in range(len(parts)):
        tail = "/".join(parts[first:])
        found = core.store.scan(seen._replace(paths=(tail,)), limit=NEAR).items if tail else ()
        if found:
            return [one.external for one in found]
    return []


def _told_apart(found: Sequence[Document]) -> list[str]:
    """What opens each of several: what its source calls it, unless that is the same."""
    if len({one.external for one in found}) == len(found):
        return [one.external for one in found]
    return [f"{one.id} (in {one.source})" for one in found]


def with_headlines(core: Core, page: Page) -> Page:
    """Returns a page whose documents without a title have their text."""
    return page._replace(items=tuple(one if one.title else _whole(core, one) for one in page.items))


def _whole(core: Core, one: Document) -> Document:
    return next((found for found in core.store.get(one.id) if found.id == one.id), one)


def document_or_passage(core: Core, name: str, owner: str | None = None) -> Document:
    """The document of that name, or that a passage of that id is of."""
    said = clean(name)
    passages = [] if core.store.get(said, body=False) else core.store.passages([said])
    if not passages:
        return document(core, name, owner)
    try:
        return document(core, passages[0].document.id, owner)
    except NotFound:  # there is one, and the caller may not know
        return document(core, name, owner)


def history(core: Core, name: str, owner: str | None) -> Sequence[Event]:
    """The events of a document, or of the chains of facts that the facts of a name are part of."""
    events = core.store.history(name)
    if events and not core.store.get(name):
        return events
    try:
        found = _called(core, name, owner)
    except NotFound:
        replaced = remember.replaced(core.store, owner or core.asker, clean(name))
        if replaced is None:
            raise
        return remember.history(core.store, [replaced])
    if all(one.kind == KIND for one in found):
        return remember.history(core.store, list(map(from_document, found)))
    return core.store.history(document(core, name, owner).id)
