"""HTML that cannot be injected into: whatever is a plain text is escaped, always. Markup is what
:func:`el` has made, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import starmap
from typing import Any
from urllib.parse import urlencode

VOID = {"br", "hr", "img", "input", "link", "meta", "rect", "line", "circle", "polyline"}
"""Elements that may be without content, and then are closed in the same breath."""


class Html(str):
    """Markup that was made here."""

    __slots__ = ()


def el(name: str, /, *children: Any, **attributes: Any) -> Html:
    """``el("a", "text", href="/")``. An attribute that is None or False is left out; ``class_`` is
    ``class`` and ``data_id`` is ``data-id``."""
    opened = f"<{name}{''.join(starmap(_attribute, attributes.items()))}>"
    if name in VOID and not children:
        return Html(opened[:-1] + "/>")
    return Html(f"{opened}{joined(*children)}</{name}>")


def joined(*children: Any) -> Html:
    """Texts escaped, markup as it is, lists in order, nothing for None and False."""
    return Html("".join(map(_child, children)))


def _child(child: Any) -> str:
    if child is None or child is False:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float):
        return escape(str(child))
    if isinstance(child, Iterable):
        return joined(*child)
    raise TypeError(f"{type(child).__name__} is no content")


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    said = name.rstrip("_").replace("_", "-")
    return f" {said}" if value is True else f' {said}="{escape(str(value))}"'


def url(path: str, /, **params: Any) -> str:
    """A place on this site; parameters that are None or empty are left out."""
    given = [(k, v) for k, v in params.items() if v not in (None, "", False)]
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def drawing(svg: str) -> Html:
    """A drawing of ours, which has escaped what it was given."""
    return Html(svg)
