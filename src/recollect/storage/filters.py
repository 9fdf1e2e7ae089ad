"""The one meaning of a filter, as a predicate. Engines push it down; this is what they must do.

A path limit names whole path components: ``path:reading`` and ``path:src/reading`` both let
``src/reading/fuse.py`` through, ``path:read`` does not; ``*`` stands for anything inside one
component and ``**`` for anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from recollect.nouns import Document, Filter
from recollect.text import terms


def escaped(text: str) -> str:
    """*text* as a pattern for itself, in Python's and in Rust's regular expressions."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


@lru_cache(maxsize=256)
def path_pattern(limit: str) -> str:
    """A regular expression that matches a whole folded path; safe in any regex dialect."""
    wanted = terms.fold(limit.replace("\\", "/")).strip("/").removeprefix("./")
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
    return terms.fold(path.replace("\\", "/"))


def among(limit: Iterable[str], value: str) -> bool:
    """Whether the value is one of these, whatever the case and the accents."""
    return terms.fold(value) in set(map(terms.fold, limit))


def scopes_allow(limit: Iterable[str], scopes: Iterable[str]) -> bool:
    return not set(limit).isdisjoint(scopes)


def source_allows(limit: tuple[str, ...] | None, source: str) -> bool:
    return limit is None or among(limit, source)


def role_allows(limit: tuple[str, ...] | None, role: str | None) -> bool:
    """Whether a turn may be seen; what nobody in particular said always may."""
    return limit is None or not role or role in limit


def label_of(document: Document, name: str) -> str:
    """Returns the issues or events that a record is about, one a line, as its metadata has them."""
    value = document.meta.get(name)
    given = value if isinstance(value, list | tuple) else [value]
    texts = (str(v) for v in given if isinstance(v, str | int) and not isinstance(v, bool))
    return "\n".join(filter(None, texts))


def label_allows(limit: Iterable[str], label: str) -> bool:
    return not set(map(terms.fold, limit)).isdisjoint(terms.fold(label).split("\n"))


def _owner_allows(limit: str, document: Document) -> bool:
    return document.owner == limit


def _path_allows(limit: Iterable[str], document: Document) -> bool:
    path = folded_path(document.path)
    return any(re.fullmatch(path_pattern(wanted), path, re.DOTALL) for wanted in limit)


def _is_since(limit: datetime, document: Document) -> bool:
    return document.date is not None and document.date >= limit


def _is_until(limit: datetime, document: Document) -> bool:
    return document.date is not None and document.date < limit


_TESTS: Mapping[str, Callable[[Any, Document], bool]] = {
    "owner": _owner_allows,
    "scopes": lambda limit, document: scopes_allow(limit, document.scopes),
    "sources": lambda limit, document: among(limit, document.source),
    "kinds": lambda limit, document: among(limit, document.kind),
    "paths": _path_allows,
    "issues": lambda limit, document: label_allows(limit, label_of(document, "issue")),
    "events": lambda limit, document: label_allows(limit, label_of(document, "event")),
    "since": _is_since,
    "until": _is_until,
    "within": lambda view, document: view.sees(document.owner, document.scopes),
}
"""What each limit of a filter asks of a document; that on roles is one on its turns."""


def allows(filter: Filter, document: Document, role: str | None = None) -> bool:
    """Whether the document may be seen; with a *role*, whether that turn of it may."""
    for name, passes in _TESTS.items():
        limit = getattr(filter, name)
        if limit is not None and not passes(limit, document):
            return False
    return role_allows(filter.roles, role)
