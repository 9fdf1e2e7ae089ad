"""The one meaning of a filter, as a predicate. Engines push it down; this is what they must do.

A path limit names whole path components: ``path:reading`` and ``path:src/reading`` both let
``src/reading/fuse.py`` through, ``path:read`` does not; ``*`` stands for anything inside one
component and ``**`` for anything.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.nouns import Document, Filter
from recollect.text.terms import fold


def escaped(text: str) -> str:
    """*text* as a pattern for itself, in Python's and in Rust's regular expressions."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


@lru_cache(maxsize=256)
def path_pattern(limit: str) -> str:
    """A regular expression that matches a whole folded path; safe in any regex dialect."""
    wanted = fold(limit.replace("\\", "/")).strip("/").removeprefix("./")
    out = []
    for part in re.split(r"(\*+)", wanted):
        if part.startswith("**"):
            out.append(".*")
        elif part.startswith("*"):
            out.append("[^/]*")
        else:
            out.append(escaped(part))
    return f"(.*/)?{''.join(out)}(/.*)?"


def folded_path(path: str) -> str:
    return fold(path.replace("\\", "/"))


def scopes_allow(limit: tuple[str, ...] | None, scopes: tuple[str, ...]) -> bool:
    return limit is None or not set(limit).isdisjoint(scopes)


def source_allows(limit: tuple[str, ...] | None, source: str) -> bool:
    return limit is None or fold(source) in {fold(name) for name in limit}


def label_of(document: Document, name: str) -> str:
    """The issues or events that a record is about, one a line, as its metadata has them."""
    value = document.meta.get(name)
    if value is None:
        return ""
    given = value if isinstance(value, list | tuple) else [value]
    texts = (str(v) for v in given if isinstance(v, str | int) and not isinstance(v, bool))
    return "\n".join(filter(None, texts))


def label_allows(limit: tuple[str, ...], label: str) -> bool:
    return not {fold(x) for x in limit}.isdisjoint(fold(label).split("\n"))


def allows(filter: Filter, document: Document, role: str | None = None) -> bool:
    """Whether the document may be seen; with a *role*, whether that turn of it may."""
    if filter.owner is not None and document.owner != filter.owner:
        return False
    if not scopes_allow(filter.scopes, document.scopes):
        return False
    if not source_allows(filter.sources, document.source):
        return False
    if filter.kinds is not None and fold(document.kind) not in {fold(k) for k in filter.kinds}:
        return False
    if filter.paths is not None and not any(
        re.fullmatch(path_pattern(p), folded_path(document.path), re.DOTALL) for p in filter.paths
    ):
        return False
    for limit, label in ((filter.issues, "issue"), (filter.events, "event")):
        if limit is not None and not label_allows(limit, label_of(document, label)):
            return False
    if role is not None and filter.roles is not None and role and role not in filter.roles:
        return False
    if filter.since is not None and (document.date is None or document.date < filter.since):
        return False
    return not (
        filter.until is not None and (document.date is None or document.date >= filter.until)
    )
