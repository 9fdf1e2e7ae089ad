"""The graph around one page: the pages that it links to or names, and those that link to it or name
it. It is drawn as an arc diagram, a line for each page and an arc for each link, so that
every name can be read and nothing crosses a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from recollect import svg
from recollect.markup import Html, el
from recollect.named_tuple import NamedTuple
from recollect.surfaces.page.layout import item_list
from recollect.surfaces.phrases import only
from recollect.text.ordinary import commonness
from recollect.text.terms import fold

SHOWN = 12
"""Neighbours of a kind that are drawn; the others stand behind a click."""
LONGEST = 6
"""Words of a title that is looked for in a text."""
WORD = r"\w+"
ROW, GUTTER = 28, 44
"""Pixels of a row, and beside the rows for the arcs."""


class Neighbour(NamedTuple):
    """A page near another, and where it is shown."""

    key: str
    title: str
    href: str


class Neighbourhood(NamedTuple):
    """A page, its neighbours, and the links between them."""

    center: str
    around: Mapping[str, Neighbour]
    links: frozenset[tuple[str, str]]
    """Keys of pages, of the one that links and of the one that is linked to."""

    def groups(self) -> Iterator[tuple[str, list[Neighbour]]]:
        """Yields how pages belong to this one, and which do; each of them once."""
        to = {key for start, key in self.links if start == self.center}
        back = {key for key, end in self.links if end == self.center}
        kinds = (
            ("Linked both ways", to & back),
            ("Linked from", back - to),
            ("Links to", to - back),
            ("Names in common", self.around.keys() - to - back),
        )
        for said, keys in kinds:
            some = [one for one in self.around.values() if one.key in keys]
            if some:
                yield said, sorted(some, key=lambda one: fold(one.title))


# ------------------------------------------------------------------ names


def name_of(title: str) -> str:
    """Returns a title as it is looked for in texts; empty where it is an ordinary word."""
    words = re.findall(WORD, fold(title))
    if len(words) == 1 and (len(words[0]) < 3 or commonness(words[0]) in ("ordinary", "rare")):
        return ""
    return " ".join(words) if len(words) <= LONGEST else ""


def named_in(text: str) -> set[str]:
    """Returns whatever could be a name in a text: its words, and words that follow each other."""
    words = re.findall(WORD, fold(text))
    sizes = range(1, LONGEST + 1)
    return {" ".join(words[at : at + size]) for at in range(len(words)) for size in sizes}


def names_one(text: str, names: Iterable[str]) -> bool:
    """Whether a text has one of these names in it."""
    words = f" {' '.join(re.findall(WORD, fold(text)))} "
    return any(f" {name} " in words for name in names)


# ------------------------------------------------------------------ drawn


def drawn(found: Neighbourhood) -> Html | None:
    """Returns the pages around one in rows, with arcs beside them."""
    groups = list(found.groups())
    if not groups:
        return None
    rows: dict[str, int] = {found.center: 0}
    at = 1
    for _, some in groups:
        shown = some[:SHOWN]
        rows |= {one.key: at + n for n, one in enumerate(shown, 1)}
        at += 1 + len(shown)
    listed = [[el("h3", said), item_list(map(_link, some[:SHOWN]))] for said, some in groups]
    more = list(chain.from_iterable(some[SHOWN:] for _, some in groups))
    return el(
        "section",
        el("h2", "Around this page"),
        el("div", _arcs(found, rows, at), el("p", "This page"), listed, class_="arcs"),
        only(more, _more(more)),
        class_="around",
    )


def _link(one: Neighbour) -> Html:
    return el("a", one.title, href=one.href, title=one.title, dir="auto")


def _more(some: Sequence[Neighbour]) -> Html:
    return el("details", el("summary", f"{len(some):,} more"), item_list(map(_link, some)))


def _arcs(found: Neighbourhood, rows: Mapping[str, int], count: int) -> Html:
    ends = {frozenset(pair) for pair in found.links if set(pair) <= rows.keys()}
    named = [{found.center, key} for key in rows if key != found.center]
    near = [pair for pair in ends if found.center not in pair]
    own = [pair for pair in ends if found.center in pair]
    kinds = (
        ("near", near),
        ("named", [pair for pair in named if pair not in own]),
        ("own", own),
    )
    height = count * ROW
    arcs = [
        svg.arc(*_ends(pair, rows), _bend(pair, rows), class_=kind)
        for kind, pairs in kinds
        for pair in sorted(pairs, key=sorted)
        if len(pair) == 2
    ]
    dots = [
        svg.circle(_dot(row), 4 if row else 6, class_="other" if row else "here")
        for row in rows.values()
    ]
    return svg.svg(GUTTER, height, *arcs, *dots, aria_hidden="true", focusable="false")


def _dot(row: int) -> svg.Point:
    return GUTTER - 10, (row + 0.5) * ROW


def _ends(pair: Iterable[str], rows: Mapping[str, int]) -> tuple[svg.Point, svg.Point]:
    first, last = sorted(rows[key] for key in pair)
    return _dot(first), _dot(last)


def _bend(pair: Iterable[str], rows: Mapping[str, int]) -> float:
    """How far an arc goes to the side: further, the more rows it spans."""
    first, last = sorted(rows[key] for key in pair)
    return (GUTTER - 14) * (1 - 0.75 ** (last - first))
