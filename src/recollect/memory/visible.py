"""Documents by name, as far as the configuration lets the caller see them: what it keeps out of a
search cannot be had by its name either."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.arguments import clean
from recollect.errors import NotFound, UsageError
from recollect.facts import from_document
from recollect.memory import requests
from recollect.memory.core import Core
from recollect.nouns import Document, Event, Page
from recollect.storage import filters
from recollect.writing import remember


def document(core: Core, name: str, owner: str | None = None) -> Document:
    """The one document of that name, among those that the caller may see."""
    seen = requests.filter_of(core.view, {"owner": owner})
    found = core.store.get(clean(name))
    if not any(filters.allows(seen, one) for one in found):
        found = remember.called(core.store, seen.holder, clean(name))
    found = [one for one in found if filters.allows(seen, one)]
    if not found:
        raise NotFound(
            f"there is no document {name!r}", hint="`recollect list` shows what there is"
        )
    if len(found) > 1:
        ids = ", ".join(f"{one.id} (in {one.source})" for one in found[:5])
        raise UsageError(
            f"{name!r} names {len(found)} documents: {ids}",
            hint="give the id of the one that is meant",
        )
    return found[0]


def with_headlines(core: Core, page: Page) -> Page:
    """Returns a page whose documents without a title have their text."""
    return page._replace(items=tuple(one if one.title else _whole(core, one) for one in page.items))


def _whole(core: Core, one: Document) -> Document:
    return next((found for found in core.store.get(one.id) if found.id == one.id), one)


def document_or_passage(core: Core, name: str) -> Document:
    """The document of that name, or that a passage of that id is of."""
    said = clean(name)
    passages = [] if core.store.get(said, body=False) else core.store.passages([said])
    if not passages:
        return document(core, name)
    try:
        return document(core, passages[0].document.id)
    except NotFound:  # there is one, and the caller may not know
        return document(core, name)


def history(core: Core, name: str, owner: str | None) -> Sequence[Event]:
    """The events of a document, or of the chain of facts that a fact is part of."""
    events = core.store.history(name)
    if events and not core.store.get(name):
        return events
    try:
        found = document(core, name, owner)
    except NotFound:
        holder = requests.filter_of(core.view, {"owner": owner}).holder
        replaced = remember.replaced(core.store, holder, clean(name))
        if replaced is None:
            raise
        return remember.history(core.store, replaced)
    if found.kind != "fact":
        return core.store.history(found.id)
    return remember.history(core.store, from_document(found))
