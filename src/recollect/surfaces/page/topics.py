"""The context tree: its folders and pages, and a page with the facts that are on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound, UsageError
from recollect.facts import FactFilter
from recollect.markup import Html, el, joined, url
from recollect.named_tuple import NamedTuple
from recollect.surfaces.page import graph, links, markdown
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    about,
    badge,
    command,
    confirmed,
    done,
    dotted,
    empty,
    form,
    heading,
    item_list,
    minute,
    more_link,
    notes,
    wrong,
)
from recollect.surfaces.page.remembered import standing_badges, tabs
from recollect.surfaces.phrases import only, when
from recollect.tree import LOOSE, arranged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.facts import Fact
    from recollect.transfer.tree_export import Topic
    from recollect.tree import Snippet, TopicPage

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
    page = found[at].page
    edit = el("a", "Edit", href=url("/topic/edit", at=at), class_="button", data_item=True)
    body = joined(
        heading(page.title, edit),
        _trail(at),
        done(request),
        el(
            "div",
            el("article", _article(request, found[at]), class_="card reading"),
            el("aside", graph.drawn(_around(found, at)), _about(request, page)),
            class_="document",
        ),
    )
    return PageContent(page.title, body, at="/memory")


def _article(request: PageRequest, topic: Topic) -> Html:
    page = topic.page
    ordered = arranged(page, topic.facts)
    holding = [one for one in ordered if _holds(one)]
    past = [one for one in ordered if not _holds(one)]
    told = page.summary if "summary" in page.own else ""  # else it repeats the facts
    listed = _some(holding, "from", page.address, request)
    return joined(
        when(told, el("p", markdown.line(told), class_="lead", dir="auto")),
        listed or only(not page.notes, empty("Nothing on this page holds now.")),
        when(page.notes, _notes(request, page.notes)),
        [markdown.rendered(_fenced(one), markdown.MarkdownStyle()).html for one in page.snippets],
        when(
            past,
            el(
                "details",
                el("summary", f"{len(past):,} that no longer hold"),
                _some(past, "past", page.address, request),
                open=bool(request.get("past")),
            ),
        ),
    )


def _fenced(one: Snippet) -> str:
    fence = "`" * (3 + one.text.count("```"))
    return f"{fence}{one.language}\n{one.text}\n{fence}"


def _around(found: Mapping[str, Topic], at: str) -> graph.Neighbourhood:
    """Returns the pages that a page links to, that link to it, and that name the same things: one
    has the title or a fact of the other in its text. Loose facts are about nothing in common."""
    links = {(start, end) for start, topic in found.items() for end in topic.page.related}
    near = {key for pair in links if at in pair for key in pair}
    if not at.startswith(LOOSE):
        here, own = _said(found[at]), _names(found[at])
        said = graph.named_in(here)
        near |= {
            key
            for key, topic in found.items()
            if not key.startswith(LOOSE)
            and (not said.isdisjoint(_names(topic)) or graph.names_one(_said(topic), own))
        }
    near.discard(at)
    nodes = {
        key: graph.Neighbour(key, found[key].page.title, _place(key))
        for key in near
        if key in found
    }
    return graph.Neighbourhood(at, nodes, frozenset(links))


def _said(topic: Topic) -> str:
    return "\n".join([topic.page.notes, *(fact.text for fact in topic.facts)])


def _names(topic: Topic) -> set[str]:
    """Returns what a page and its facts are called."""
    called = [topic.page.title, *(name for fact in topic.facts for name in fact.names)]
    return set(filter(None, map(graph.name_of, called)))


def _about(request: PageRequest, page: TopicPage) -> Html:
    forget = confirmed(
        "The page and its notes are removed for good. Its facts stay.",
        "Forget the page",
        "/topic/forget",
        request.csrf,
        id=page.key,
    )
    return joined(
        when(page.tags, dotted(*(badge(tag.replace("_", " ")) for tag in page.tags))),
        el(
            "details",
            el("summary", "About this page"),
            about(
                ("Keywords", ", ".join(page.keywords)),
                ("Scopes", ", ".join(page.scopes)),
                ("Changed", minute(page.updated_at)),
                ("Address", el("code", page.address)),
            ),
            when(page.stamp, el("div", forget, class_="actions")),
        ),
    )


def _notes(request: PageRequest, text: str) -> Html:
    style = markdown.MarkdownStyle(links.table(request, text), level=3)
    return markdown.rendered(text, style).html


def _some(facts: list[Fact], name: str, at: str, request: PageRequest) -> Html | None:
    """The facts from the place that is asked for by this name on."""
    start = request.number(name)
    some = facts[start : start + FACTS]
    more = when(
        start + FACTS < len(facts), more_link("/topic", at=at, **{name: str(start + FACTS)})
    )
    listed = item_list(map(_fact, some), class_="facts")
    return joined(listed, more) if some else None


def _fact(fact: Fact) -> Html:
    """Returns a fact as a line of its page: its name leads to it, or else what it says."""
    said = markdown.line(fact.text)
    link = el(
        "a",
        only(fact.name, el("b", fact.name)) or said,
        href=url("/fact", id=fact.id),
        data_item=True,
        dir="auto",
    )
    kind = only(fact.type != "fact", badge(fact.type.replace("_", " ")))
    return joined(
        link,
        when(fact.name, joined(": ", el("span", said, dir="auto"))),
        " ",
        standing_badges(fact),
        kind,
    )


# ------------------------------------------------------------------ edited


def edit(request: PageRequest) -> PageContent:
    at = request.get("at").strip("/")
    text = request.memory.curation.page_text(at)
    return _editor(request, at, text, text)


def _editor(
    request: PageRequest, at: str, before: str, text: str, *told: Any, status: int = 200
) -> PageContent:
    """Returns the form for the text of a page. *before* is the text that the edits are told from,
    *told* stands above it."""
    hint = joined(
        "Each line of the list below ",
        el("code", "## Facts"),
        " is a fact; a new line is a new one. What stands behind a line between ",
        el("code", "<!-- -->"),
        " tells which fact it is: leave it where it is.",
    )
    body = joined(
        heading(f"Edit {at.rpartition('/')[2].replace('-', ' ')}"),
        _trail(at),
        told,
        form(
            "/topic/save",
            request.csrf,
            el("label", "The page and its facts, as Markdown", for_="text"),
            el(
                "textarea",
                "\n",
                text,
                id="text",
                name="text",
                rows="22",
                required=True,
                class_="source",
                dir="auto",
                autofocus=True,
            ),
            el("p", hint, class_="fine"),
            el(
                "p",
                el("input", type="checkbox", id="prune", name="prune", value="1"),
                el("label", " Forget the facts whose lines I deleted, for good", for_="prune"),
            ),
            el(
                "div",
                el("button", "Save", class_="main"),
                el("a", "Leave it as it was", href=_place(at), class_="button"),
                class_="actions",
            ),
            at=at,
            before=before,
        ),
    )
    return PageContent(f"Edit {at}", body, status, at="/memory")


def save(request: PageRequest) -> PageContent | Redirect:
    """Saves the edits of a page. What cannot be saved is told, and nothing of it is lost: a text
    that cannot be read is shown again, and beside a page that was changed meanwhile stands what
    was written."""
    at, text = request.get("at").strip("/"), request.params.get("text", "")
    before, prune = request.params.get("before", ""), request.get("prune") == "1"
    curation = request.memory.curation
    try:
        receipt = curation.edit_page(at, before, text, prune=prune, by="page")
    except UsageError as error:
        return _editor(request, at, before, text, wrong(error), status=400)
    if receipt.failed:
        fresh = curation.page_text(at)
        told = (f"{one.where.rpartition('/')[2]}: {one.reason}" for one in receipt.failed)
        yours = el("details", el("summary", "What you wrote"), el("pre", text, tabindex="0"))
        said = "Not all of it was saved. The page as it is now is below."
        return _editor(request, at, fresh, fresh, notes("warn", (said, *told)), yours, status=409)
    return Redirect(url("/topic", at=at, done="edited_partly" if receipt.missing else "edited"))
