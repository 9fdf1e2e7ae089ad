"""A document in one line: its name, once; where it is from; for the named, the words that matched.

Every surface says these the same way, and a reader pays for nothing twice: a heading that repeats
the title, a path that the title is, a speaker that the text names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from recollect.moments import day
from recollect.nouns import Answer, Named, Result, first_words
from recollect.surfaces.phrases import dotted, some, when
from recollect.text import snippet
from recollect.text.snippet import Mark

_WORDS = re.compile(r"\w+")
_HASH = re.compile(r"[0-9a-f-]{16,}")
TITLE = 44
"""Characters of the title of a thing that is only named."""


GONE = "no longer in its source"
"""Said of what the last import of its source did not find there any more."""


def dated(one: Result | Named) -> str:
    """Returns its day, and what says it where that is no word of its own or of its source; and
    that its source no longer has it."""
    return dotted(day(one.date, one.dated), when(one.gone, GONE))


_MOMENTS = {"first": "first", "since": "since", "last": "last", "state": "as of", "when": "on"}
"""How the date of the first result is said."""
_FEW = 12


def answered(found: Answer) -> str:
    """Returns the date that answers a question of time, or the dates where it is asked how often;
    nothing for other questions, nor where a file's time is all that is known."""
    time = found.time
    if time is None or time.date is None or found.results[0].dated == "file":
        return ""
    if time.kind == "how-often":
        days = ", ".join(map(day, time.dates[:_FEW])) + when(len(time.dates) > _FEW, " …")
        return when(days, f"told of on {days}")
    said = _MOMENTS.get(time.kind)
    return f"{said} {day(time.date)}" if said else ""


def replaced(one: Result) -> list[str]:
    """Returns a line for each statement that a result has replaced, with how long it held."""
    return [each.told() for each in one.earlier]


def name(one: Result) -> str:
    """Returns "Title › heading", each part once; of what has no title, how its text begins."""
    title = one.title or first_words(one.text) or one.document
    return " › ".join(dict.fromkeys([title, *filter(None, one.heading.split(" > "))]))


def untitled(one: Result) -> str:
    """Returns the text without a first heading that is the title, where more follows it."""
    text = one.text.strip()
    first, _, rest = text.partition("\n")
    repeats = first.startswith("#") and first.strip("# ") == one.title
    return rest.strip() if repeats and rest.strip() else text


def given_name(one: Result) -> str:
    """Returns the id that its source gave it, where a reader can make something of it."""
    return "" if _HASH.fullmatch(one.document) else one.document


def path(one: Result | Named) -> str:
    """Returns the path, unless the title is the path. The log that a session is in says nothing."""
    return "" if one.kind == "session" or one.title == one.path else one.path


def where(one: Result) -> str:
    """Returns the path for a person, or where there is none the id that its source gave it; if only
    a program can make something of that, the one that it has here."""
    if one.kind == "session":
        return one.document
    return path(one) or when(not one.path, given_name(one) or one.document_id)


def speaker(one: Result) -> str:
    """Returns who speaks, where the text does not say it."""
    return "" if f"{one.role}: " in one.text else one.role


def several_sources(shown: Sequence[Result]) -> bool:
    """Returns whether it says something to name the source: a fact has none to speak of."""
    return len({one.source for one in shown if one.kind != "fact"}) > 1


def marks(one: Result, wanted: Collection[str]) -> tuple[Mark, ...]:
    """Returns where the question's words stand in the text of a result, as its spans have them."""
    found: list[Mark] = []
    at = 0
    for span in one.spans:
        place = one.text.find(span.text, at)
        if place < 0 or not span.marks:
            return snippet.marks(one.text, wanted)
        found += ((place + start, place + end) for start, end in span.marks)
        at = place + len(span.text)
    return snippet.joined(found) or snippet.marks(one.text, wanted)


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


def about(one: Named) -> list[str]:
    """Returns its kind, its day, and its path where neither the title nor the id is that."""
    return some(one.kind, dated(one), when(one.path != opens(one), path(one)))


def pointer(one: Named) -> str:
    """Returns what opens it, and its title."""
    return " ".join(some(f"[{opens(one)}]", title(one)))


def quoted(one: Named) -> str:
    """Returns what opens it, and its words under its title, unless that is how they begin."""
    begins = one.excerpt.startswith(one.title.removesuffix(" …"))
    return " ".join(
        some(f"[{opens(one)}]", ": ".join(some(when(not begins, title(one)), one.excerpt)))
    )


def line(one: Named) -> str:
    """Returns the line that names a thing to a model."""
    matched, said = ", ".join(one.matched), " ".join(about(one)).removeprefix("note ")
    return f"{pointer(one)} ({said})" + when(matched, f": {matched}")
