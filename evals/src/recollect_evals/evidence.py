"""The evidence inside a document: the turns or the quotes that answer a question.

An entry of ``evidence`` names a document and in it a ``quote`` (an exact part of its text), a
``turn`` (its index in a session), or the turns from ``turn`` up to ``to``. Every entry has to be
shown, except: with ``"any": true`` beside the list one is enough; an entry's ``or`` are entries
that serve as well; entries with the same ``document`` and ``group`` belong together, and one group
is enough.

A quote or a turn is shown when at least half of its characters are inside the text that came back
of its document, in runs of :data:`RUN` or more; of several turns one is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import InputError
from recollect.nouns import Document

RUN = 20
"""The fewest characters in a row that count as shown, unless the whole is shorter."""


class Unit(NamedTuple):
    """One entry: texts of a document, any of which is enough."""

    document: str
    texts: tuple[str, ...]
    others: tuple[Unit, ...] = ()
    """Those that serve as well."""
    group: str = ""


class Evidence(NamedTuple):
    units: tuple[Unit, ...] = ()
    any: bool = False

    @property
    def alternatives(self) -> tuple[tuple[Unit, ...], ...]:
        """The sets of units, one of which has to be shown whole."""
        if self.any:
            return tuple((unit,) for unit in self.units)
        groups: dict[tuple[str, str], list[Unit]] = {}
        for unit in self.units:
            if unit.group:
                groups.setdefault((unit.document, unit.group), []).append(unit)
        if not groups:
            return (self.units,)
        alone = tuple(unit for unit in self.units if not unit.group)
        return tuple((*alone, *some) for some in groups.values())


def read(
    entries: Any, documents: Mapping[str, Document], where: str, any: bool = False
) -> Evidence:
    """The evidence of a question, with the texts that have to be shown."""
    if not isinstance(entries, list):
        raise InputError(f"{where}: `evidence` is not a list")
    return Evidence(tuple(_unit(entry, documents, where) for entry in entries), any)


def _unit(entry: Any, documents: Mapping[str, Document], where: str) -> Unit:
    if not isinstance(entry, dict) or not isinstance(entry.get("document"), str):
        raise InputError(f"{where}: an entry of `evidence` has no `document`")
    document = documents.get(entry["document"])
    if document is None:
        raise InputError(f"{where}: evidence in {entry['document']!r}, which is no document")
    others = tuple(_unit(one, documents, where) for one in entry.get("or") or ())
    texts = _texts(entry, document, where)
    group = "" if entry.get("group") is None else str(entry["group"])
    return Unit(document.external, texts, others, group)


def _texts(entry: Mapping[str, Any], document: Document, where: str) -> tuple[str, ...]:
    name, quote = document.external, entry.get("quote")
    if entry.get("turn") is None:
        whole = document.text or "\n".join(message.text for message in document.messages)
        if not isinstance(quote, str) or not quote or quote not in whole:
            raise InputError(f"{where}: {name}: the quote is not in its text: {str(quote)[:60]!r}")
        return (quote,)
    first = entry["turn"]
    last = entry.get("to", first)
    if not (isinstance(first, int) and isinstance(last, int) and first <= last):
        raise InputError(f"{where}: {name}: there is no turn {first!r} to {last!r}")
    if not 0 <= first <= last < len(document.messages):
        raise InputError(f"{where}: {name}: of {len(document.messages)} turns none is {last}")
    turns = [message.text for message in document.messages[first : last + 1]]
    if isinstance(quote, str) and quote not in "\n".join(turns):
        raise InputError(f"{where}: {name}: the quote is not in turn {first}: {quote[:60]!r}")
    return tuple(turn for turn in turns if turn.strip())


# ------------------------------------------------------------------ what is shown


def is_shown(unit: Unit, shown: Mapping[str, str]) -> bool:
    """Whether what came back, by document, has the unit or one that serves as well."""
    text = flat(shown.get(unit.document, ""))
    if text and any(covered(flat(one), text) for one in unit.texts):
        return True
    return any(is_shown(other, shown) for other in unit.others)


def is_named(unit: Unit, documents: Sequence[str]) -> bool:
    return unit.document in documents or any(is_named(one, documents) for one in unit.others)


def flat(text: str) -> str:
    """The text with one space wherever there is white space."""
    return " ".join(text.split())


def covered(wanted: str, text: str) -> bool:
    """Whether at least half of the characters are in the text, in runs that are long enough."""
    if wanted in text:
        return True
    least, at, found = min(RUN, len(wanted)), 0, 0
    while at + least <= len(wanted) and found + len(wanted) - at >= len(wanted) / 2:
        if wanted[at : at + least] in text:
            run = _run(wanted, at, least, text)
            found, at = found + run, at + run
        else:
            at += 1
    return 2 * found >= len(wanted)


def _run(wanted: str, at: int, least: int, text: str) -> int:
    """How many characters from *at* on are in the text in a row; the first *least* are."""
    low, high = least, len(wanted) - at
    while low < high:
        middle = (low + high + 1) // 2
        if wanted[at : at + middle] in text:
            low = middle
        else:
            high = middle - 1
    return low
