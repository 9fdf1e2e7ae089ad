"""What the fields of the search suggest: names of people and things, and folders, as they stand in
what was written last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from recollect.markup import Html, el
from recollect.surfaces.page import graph

if TYPE_CHECKING:
    from recollect.nouns import Document
    from recollect.surfaces.page.layout import PageRequest

READ = 400
"""Documents that are looked at, the last ones."""
SHOWN = 60
"""Suggestions of a field."""
SIGNED = ("author", "authors", "participants", "people", "person", "owner")
"""Fields of a document that name somebody."""
LONGEST = 40
"""Characters of a suggestion."""


def lists(request: PageRequest) -> tuple[Html, Html]:
    """Returns the suggestions for a name and for a folder; what nobody sees has none."""
    if request.get("typed"):
        return _list("names", ()), _list("folders", ())
    seen = request.memory.query("x").filter
    found = request.memory.store.scan(seen, limit=READ).items
    names = Counter(chain.from_iterable(map(_names, found)))
    folders = Counter(chain.from_iterable(map(_folders, found)))
    return _list("names", _most(names)), _list("folders", _most(folders))


def _list(id: str, values: Iterable[str]) -> Html:
    return el("datalist", [el("option", value=one) for one in values], id=id)


def _most(counts: Counter[str]) -> list[str]:
    """Returns those that stand in the most documents, in the order of the alphabet."""
    return sorted((one for one, _ in counts.most_common(SHOWN)), key=str.casefold)


def _names(one: Document) -> Iterator[str]:
    """Yields who has written a document or is named in its fields, and its title if that is a
    name: two or three words that begin with capitals, not all of them ordinary."""
    for field in SIGNED:
        given = one.meta.get(field, ())
        for value in [given] if isinstance(given, str) else given or ():
            if isinstance(value, str) and 0 < len(value) <= LONGEST:
                yield value
    words = one.title.split()
    is_name = 2 <= len(words) <= 3 and all(word[:1].isupper() and word.isalpha() for word in words)
    if is_name and len(one.title) <= LONGEST and any(map(graph.name_of, words)):
        yield one.title


def _folders(one: Document) -> Iterator[str]:
    for folder in PurePosixPath(one.path).parents:
        if folder.name and len(str(folder)) <= LONGEST:
            yield str(folder)
