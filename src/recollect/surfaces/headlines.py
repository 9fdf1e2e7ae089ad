"""A document in one line: its name, once; where it is from; for the named, the words that matched.

Every surface says these the same way, and a reader pays for nothing twice: a heading that repeats
the title, a path that the title is, a speaker that the text names.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import PurePosixPath

from recollect.moments import iso
from recollect.nouns import Named, Result, first_words
from recollect.surfaces.phrases import dotted, some, when

_WORDS = re.compile(r"\w+")
TITLE = 48
"""Characters of the title of a thing that is only named."""


def day(moment: datetime | None) -> str:
    return (iso(moment) or "")[:10]


def name(one: Result) -> str:
    """Returns "Title › heading", each part once; of what has no title, how its text begins."""
    title = one.title or first_words(one.text) or one.document
    return " › ".join(dict.fromkeys([title, *filter(None, one.heading.split(" > "))]))


def path(title: str, path: str) -> str:
    """Returns the path, where the title is neither it nor the name of its file."""
    file = PurePosixPath(path)
    return "" if title in (path, file.name, file.stem) else path


def speaker(one: Result) -> str:
    """Returns who speaks, where the text does not say it."""
    return "" if f"{one.role}: " in one.text else one.role


def opens(one: Named) -> str:
    """Returns what ``get`` opens it by: the id that its source gave it, where that is its path or
    short, else its own."""
    id = one.id.rpartition(":")[0] or one.id
    named = one.kind == "fact" or one.document == one.path or len(one.document) <= len(id)
    return one.document if named else id


def title(one: Named) -> str:
    """Returns its title cut short, or nothing where the file that :func:`opens` it is called so."""
    opened = opens(one)
    said = {_slug(opened), _slug(PurePosixPath(opened).stem)}
    return when(_slug(one.title) not in said, first_words(one.title, TITLE))


def _slug(text: str) -> str:
    return "-".join(_WORDS.findall(text.casefold()))


def about(one: Named) -> str:
    """Returns its kind, its day, and its path where neither the title nor the id is that."""
    where = when(one.kind != "session" and one.path != opens(one), path(one.title, one.path))
    return dotted(one.kind, day(one.date), where)


def pointer(one: Named) -> str:
    """Returns what opens it, and its title."""
    return " ".join(some(f"[{opens(one)}]", title(one)))


def line(one: Named) -> str:
    """Returns the line that names a thing to a model."""
    matched = ", ".join(one.matched)
    return f"{pointer(one)} ({about(one)})" + when(matched, f": {matched}")
