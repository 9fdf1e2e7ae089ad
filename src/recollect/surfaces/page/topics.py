"""The context tree: its folders and pages, and a page with the facts that are on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.errors import NotFound
from recollect.facts import FactFilter
from recollect.markup import Html, el, joined, url
from recollect.surfaces.page import links, markdown
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    about,
    badge,
    command,
    confirmed,
    done,
    dotted,
    empty,
    heading,
    item_list,
    minute,
    more_link,
)
from recollect.surfaces.page.remembered import fact_line, tabs
from recollect.surfaces.phrases import when
from recollect.tree import arranged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.facts import Fact
    from recollect.transfer.tree_export import Topic

FACTS = 100
"""Facts of a page that are shown at once."""
UNFOLDED = 200
"""Pages that are shown with all folders open; of more, one level at a time."""


class TopicFolder(NamedTuple):
    """A folder of the context tree: its folders and its pages."""

    folders: dict[str, TopicFolder]
    pages: dict[str, Topic]

    @property
    def size(self) -> int:
        return len(self.pages) + sum(one.size for one in self.folders.values())


def tree(request: PageRequest) -> PageContent:
    at = request.get("at").strip("/")
    root = _folded(request.memory.curation.topics(), at)
    if at and not root.size:
        raise NotFound(f"there is nothing at {at!r} in the tree", hint="it may have been forgotten")
    first = joined(
        "Pages are made by ", command("recollect curate FILE"), " and by what an agent curates."
    )
    shown = _level(root, at, unfolded=root.size <= UNFOLDED)
    body = joined(
        heading("Memory", tabs(request, "/tree")),
        done(request),
        _trail(at),
        el("div", shown, class_="tree") if root.size else empty("The tree is empty.", first),
    )
    return PageContent(at or "Tree", body, at="/memory")


def _folded(topics: Mapping[str, Topic], at: str) -> TopicFolder:
    root = TopicFolder({}, {})
    for address, topic in topics.items():
        if at and not address.startswith(f"{at}/"):
            continue
        folder = root
        *names, last = address[len(at) :].strip("/").split("/")
        for name in names:
            folder = folder.folders.setdefault(name, TopicFolder({}, {}))
        folder.pages[last] = topic
    return root


def _level(folder: TopicFolder, at: str, *, unfolded: bool) -> Html:
    """The folders and the pages in a folder."""
    made = []
    for name, inside in sorted(folder.folders.items()):
        place = f"{at}/{name}".strip("/")
        size = el("small", _pages(inside.size))
        if unfolded:
            made.append(
                el(
                    "li",
                    el(
                        "details",
                        el("summary", el("span", _spoken(name), class_="folder"), " ", size),
                        _level(inside, place, unfolded=True),
                        open=True,
                    ),
                )
            )
        else:
            link = el(
                "a", _spoken(name), href=url("/tree", at=place), data_item=True, class_="folder"
            )
            made.append(el("li", link, " ", size))
    made += [el("li", _line(topic)) for topic in folder.pages.values()]
    return el("ul", made)


def _line(topic: Topic) -> Html:
    page = topic.page
    held = sum(map(_holds, topic.facts))
    return joined(
        el("a", page.title, href=_place(page.address), data_item=True, dir="auto"),
        " ",
        el("small", f"{held:,} fact{'s' * (held != 1)}"),
        when(page.summary, el("p", page.summary, class_="fine said", dir="auto")),
    )


def _pages(count: int) -> str:
    return f"{count:,} page{'s' * (count != 1)}"


def _holds(fact: Fact) -> bool:
    return not FactFilter(fact.owner).out_of_force(fact)


def _spoken(name: str) -> str:
    return name.replace("-", " ")


def _place(address: str) -> str:
    return url("/topic", at=address)


def _trail(at: str) -> Html | None:
    """The way from the root to here."""
    if not at:
        return None
    parts = at.split("/")
    steps = [el("li", el("a", "Tree", href="/tree"))]
    for n, name in enumerate(parts[:-1], 1):
        href = url("/tree", at="/".join(parts[:n]))
        steps.append(el("li", el("a", _spoken(name), href=href)))
    steps.append(el("li", _spoken(parts[-1]), aria_current="page"))
    return el("nav", el("ol", steps), class_="trail", aria_label="Where this is")


# ------------------------------------------------------------------ one page


def topic(request: PageRequest) -> PageContent:
    at = request.get("at").strip("/")
    found = request.memory.curation.topics()
    if at not in found:
        raise NotFound(f"there is no page {at!r}", hint="it may have been forgotten")
    page, facts = found[at]
    ordered = arranged(page, facts)
    holding = [one for one in ordered if _holds(one)]
    past = [one for one in ordered if not _holds(one)]
    related = [
        el("li", el("a", found[one].page.title, href=_place(one), data_item=True))
        for one in page.related
        if one in found
    ]
    body = joined(
        heading(page.title),
        _trail(at),
        done(request),
        when(page.summary, el("p", markdown.line(page.summary), class_="lead", dir="auto")),
        when(page.tags, dotted(*map(badge, page.tags))),
        _some(holding, "from", at, request) or empty("Nothing on this page holds now."),
        when(
            past,
            el(
                "details",
                el("summary", f"{len(past):,} that no longer hold"),
                _some(past, "past", at, request),
                open=bool(request.get("past")),
            ),
        ),
        when(
            page.notes,
            el("section", el("h2", "Notes"), el("div", _notes(request, page.notes), class_="card")),
        ),
        when(
            page.snippets,
            el(
                "section",
                el("h2", "Snippets"),
                [el("pre", one.text, class_="snippet-code", tabindex="0") for one in page.snippets],
            ),
        ),
        when(related, el("section", el("h2", "Related"), el("ul", related))),
        about(
            ("Keywords", ", ".join(page.keywords)),
            ("Scopes", ", ".join(page.scopes)),
            ("Changed", minute(page.updated_at)),
            ("Address", el("code", page.address)),
        ),
        when(
            page.stamp,
            el(
                "div",
                confirmed(
                    "The page and its notes are removed for good. Its facts stay.",
                    "Forget the page",
                    "/topic/forget",
                    request.csrf,
                    id=page.key,
                ),
                class_="actions",
            ),
        ),
    )
    return PageContent(page.title, body, at="/memory")


def _notes(request: PageRequest, text: str) -> Html:
    style = markdown.Style(links.table(request, text), level=3)
    return markdown.rendered(text, style).html


def _some(facts: list[Fact], name: str, at: str, request: PageRequest) -> Html | None:
    """The facts from the place that is asked for by this name on."""
    start = request.number(name)
    some = facts[start : start + FACTS]
    more = when(
        start + FACTS < len(facts), more_link("/topic", at=at, **{name: str(start + FACTS)})
    )
    listed = item_list(map(fact_line, some), class_="list")
    return joined(listed, more) if some else None
