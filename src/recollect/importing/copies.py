"""Several files of one session: every word that people and assistants said in any of them is kept.

A client leaves a stub of a session beside the whole, a second client exports it, a session that was
resumed goes on in a file of its own, a log is cut. Of two files of which one has all that the other
says, the fuller one is kept; of two that went on differently, what only one of them says is put
into the other. What a session lacks is never replaced without a word.

That holds for files of other sources as well, where these are of the same owner and scopes: a
session stays in the source that brought it first, and has there what the others say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from recollect.named_tuple import NamedTuple
from recollect.nouns import SPOKEN, Document, Filter, Message, Problem
from recollect.ports import StorageEngine
from recollect.sources.sessions.turns import unique
from recollect.text import redact
from recollect.writing.documents import Item

FILES = "files"
"""The field in which a session names the files that it was made of, where these are several."""


FEW = 4
"""Words of a turn that is looked for as a whole."""


class Copies:
    """Knows what was said in each session, in the store and in what was read before."""

    def __init__(self, store: StorageEngine, file_of: Callable[[Document], str]) -> None:
        self._store = store
        self._file_of = file_of
        """Tells which file a stored document came from."""
        self._read: dict[str, Document] = {}

    def stored(self) -> None:
        """Drops the sessions so far: they are in the store now."""
        self._read.clear()

    def judged(self, item: Item, where: str) -> Iterator[Item]:
        """Yields an item that was read, a session with what only another file of it says, and what
        is to be said of it; of a session that has nothing that is not known, only that."""
        if not isinstance(item, Document) or not item.messages:
            yield item
            return
        known = self._known(item.id)
        if known is None and (elsewhere := self._elsewhere(item, where)):
            yield from self._added(item, where, elsewhere)
            return
        lost = _lacking(item, known) if known and not _is_reread(item, known) else []
        if known and lost:
            lacks = f"{len(lost)} of the {_turns(known)} turns"
            new, there = _lacking(known, item), f"stored of this session{_from(known, item)}"
            if not new:
                yield Problem(
                    where, f"it lacks {lacks} that are {there}; those are kept", "skipped"
                )
                return
            if _is_cut(item, known):
                told = f"{lacks} that were stored of this session are gone"
            else:
                told = f"it lacks {lacks} that are {there}, and has {len(new)} others; all are kept"
                item = _merged(item, known)
            yield Problem(where, told, "warning")
        self._read[item.id] = item
        yield item

    def _added(self, item: Document, where: str, known: Document) -> Iterator[Item]:
        """Yields a session of another source with what this file of it adds, and what is to be said
        of that."""
        new, lost = _lacking(known, item), _lacking(item, known)
        there = f"the session {known.external} of the source {known.source}"
        if not new:
            lacks = f"lacks {len(lost)} of the {_turns(known)} turns of" if lost else ""
            yield Problem(where, f"it {lacks or 'has nothing that is not in'} {there}", "skipped")
            return
        told = f"{len(new)} of its {_turns(item)} turns are put into {there}, which lacked them"
        yield Problem(where, told, "warning")
        merged = _merged(item._replace(path=where), known)
        merged = merged._replace(
            source=known.source, origin=known.origin, path=known.path, stamp=known.stamp
        )
        self._read[merged.id] = merged
        yield merged

    def _elsewhere(self, item: Document, where: str) -> Document | None:
        """Returns the session of another source of which this file is a copy."""
        named = Filter(owner=item.owner, kinds=("session",))
        wanted = (item.external, tuple(sorted(set(item.scopes))), False)
        for about in self._store.get(item.external, named, body=False):
            known = self._known(about.id)
            if known is None or (known.external, known.scopes, known.gone) != wanted:
                continue
            if self._file_of(known) != where and _is_copy(item, known):
                return known
        return None

    def _known(self, id: str) -> Document | None:
        return self._read.get(id) or next(iter(self._store.get(id)), None)


def _is_copy(one: Document, other: Document) -> bool:
    """Whether two sessions of one name are one: they share a message, or the shorter has half of
    its turns from the longer."""
    ids = {(m.id, _words(m)) for m in one.messages if m.id}
    if any((m.id, _words(m)) in ids for m in other.messages):
        return True
    short, long = sorted((one, other), key=_turns)
    return 2 * len(_lacking(long, short)) <= _turns(short) > 0


def _is_reread(new: Document, known: Document) -> bool:
    """Whether it is the same file as before, which a reader of today reads otherwise."""
    same = new.stamp.split(":")[:2] == known.stamp.split(":")[:2] != [""]
    return same and new.path == known.path and FILES not in known.meta


def _is_cut(new: Document, known: Document) -> bool:
    """Whether it is the one file of a session, which has been written anew."""
    return new.path == known.path and FILES not in known.meta


def _from(known: Document, new: Document) -> str:
    return f" from {known.path}" if known.path != new.path else ""


# ------------------------------------------------------------------ what one lacks


def _turns(session: Document) -> int:
    return sum(message.role in SPOKEN for message in session.messages)


def _lacking(session: Document, other: Document) -> list[Message]:
    """Returns what was said in the *other* and not in a session: clients cut the same words
    differently into turns, and mark them up differently."""
    begin = [(m.role, m.text) for m in session.messages[: len(other.messages)]]
    if begin == [(m.role, m.text) for m in other.messages]:
        return []
    turns = [_words(message) for message in session.messages]
    whole, said = set(turns), f" {' '.join(turns)} "
    spoken = ((m, _words(m)) for m in other.messages if m.role in SPOKEN)
    return [
        m for m, words in spoken if words not in whole and (_is_few(words) or words not in said)
    ]


def _is_few(words: str) -> bool:
    """Whether these are so few that they occur by chance: "no" is in many a turn."""
    return words.count(" ") < FEW


def _words(message: Message) -> str:
    """Returns the words of a turn as they are kept, without secrets, marks and case."""
    return " ".join(re.findall(r"\w+", redact.redact(message.text).text.casefold()))


# ------------------------------------------------------------------ made of both


class _Branch(NamedTuple):
    """What only one of two sessions has between two turns that both have."""

    place: int
    """Before which message of the other it stands."""
    messages: tuple[Message, ...]


def _merged(one: Document, other: Document) -> Document:
    """Returns the longer of two sessions with what only the other has: where they part, in the
    order of time."""
    whole, rest = (one, other) if _turns(one) >= _turns(other) else (other, one)
    parts = defaultdict[int, list[Message]](list)
    for branch in _branches(whole, rest):
        later = _is_later(branch, whole.messages)
        parts[len(whole.messages) if later else branch.place] += branch.messages
    messages = list(parts[0])
    for place, message in enumerate(whole.messages, 1):
        messages += [message, *parts[place]]
    known = [one.path, other.path, *(p for d in (one, other) for p in d.meta.get(FILES, ()))]
    meta = {**whole.meta, FILES: sorted(set(filter(None, known)))}
    return one._replace(
        messages=unique(messages),
        title=whole.title,
        path=whole.path,
        stamp=whole.stamp,
        meta=meta,
    )


def _branches(whole: Document, rest: Document) -> Iterator[_Branch]:
    """Yields what the *rest* says and the *whole* lacks, with what tools did between."""
    lacking = {id(message) for message in _lacking(whole, rest)}
    places = {_words(message): n for n, message in enumerate(whole.messages, 1)}
    place, branch = 0, list[Message]()
    for message in rest.messages:
        goes_on = message.role not in SPOKEN or _is_few(_words(message))
        if id(message) in lacking or (branch and goes_on):
            branch.append(message)
            continue
        if branch:
            yield _Branch(place, tuple(branch))
            branch = []
        place = places.get(_words(message), place)
    if branch:
        yield _Branch(place, tuple(branch))


def _is_later(branch: _Branch, messages: Sequence[Message]) -> bool:
    """Whether what one session has begins after what the other has from there on."""
    mine = next((m.date for m in branch.messages if m.date), None)
    theirs = next((m.date for m in messages[branch.place :] if m.date), None)
    return mine is None or theirs is None or mine >= theirs
