"""The frame that all views share, and the pieces they are put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from recollect.errors import UsageError
from recollect.markup import Html, drawing, el, joined, url
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import in_words
from recollect.surfaces import phrases, tools
from recollect.surfaces.page import charts
from recollect.surfaces.phrases import only, some, when
from recollect.text.snippet import Mark, parted

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.surfaces.tools import Tool, Work


class PageRequest(NamedTuple):
    """One request to a view."""

    memory: Memory
    tools: Mapping[str, Tool]
    work: Work
    params: Mapping[str, str]
    csrf: str
    local: bool = True
    """Whether nobody but this machine is served: only then are files read."""

    def get(self, name: str) -> str:
        return self.params.get(name, "").strip()

    def number(self, name: str, otherwise: int = 0) -> int:
        """A place in a list, or how many; what is no such number is as good as nothing."""
        given = self.get(name)
        return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else otherwise

    def call(self, tool: str, **given: Any) -> Any:
        """A tool, checked and counted as for any caller; what is empty is not given."""

        known = {name: value for name, value in given.items() if value not in ("", None, [])}
        one = self.tools[tool]
        return tools.called(one, tools.checked(one, known), self.memory, self.work)


class PageContent(NamedTuple):
    title: str
    body: Html
    status: int = 200
    at: str = ""
    """The entry of the navigation that it belongs to."""
    again: int = 0
    """Seconds after which it has changed; a browser with our script asks for parts of it."""


class Redirect(NamedTuple):
    """Go there next."""

    address: str


NAVIGATION = (
    ("/", "Search"),
    ("/memory", "Memory"),
    ("/sessions", "Sessions"),
    ("/imports", "Imports"),
    ("/stats", "Stats"),
    ("/settings", "Settings"),
    ("/doctor", "Doctor"),
)
"""A further view is a line here and a route in ``site.py``."""

_KEYS = (
    ("/", "go to the search field"),
    ("j  k", "next, previous"),
    ("Enter", "open"),
    ("e", "why it was found"),
    ("Esc", "close, leave the field"),
    ("1 – 7", "the views"),
    ("?", "these keys"),
)


def document(view: PageContent, version: str, *, locked: bool = False, csrf: str = "") -> str:
    """The whole page."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{view.title} · recollect"),
        el("link", rel="icon", href=f"/static/icon.svg?v={version}", type="image/svg+xml"),
        el("link", rel="stylesheet", href=f"/static/page.css?v={version}"),
        el("script", src=f"/static/page.js?v={version}", defer=True),
        when(view.again, el("noscript", el("meta", http_equiv="refresh", content=view.again))),
    )
    body = el(
        "body",
        el("a", "Skip to content", class_="skip", href="#main"),
        el(
            "header",
            el("a", _MARK, "recollect", class_="brand", href="/"),
            only(not locked, _navigation(view.at)),
            class_="top",
        ),
        el("main", view.body, id="main", tabindex="-1"),
        only(not locked, _foot(csrf)),
    )
    return "<!doctype html>\n" + el("html", head, body, lang="en")


_MARK = drawing(
    '<svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">'
    '<circle cx="10" cy="10" r="8"/><path d="M10 5.4v4.6l3.1 2.2"/></svg>'
)


def _navigation(at: str) -> Html:
    links = [
        el("li", el("a", name, href=path, aria_current=current(path == at)))
        for path, name in NAVIGATION
    ]
    return el("nav", el("ul", links), aria_label="Views")


def _foot(csrf: str) -> Html:
    keys = [el("div", el("dt", el("kbd", key)), el("dd", said)) for key, said in _KEYS]
    dialog = el(
        "dialog",
        el("h2", "Keys", id="keys-title"),
        el("dl", keys, class_="keys"),
        el("form", el("button", "Close"), method="dialog"),
        id="keys",
        aria_labelledby="keys-title",
    )
    leave = form("/logout", csrf, el("button", "Lock this browser", class_="quiet"))
    keys_button = el(
        "button", "Keys ", el("kbd", "?"), class_="quiet", type="button", data_opens="keys"
    )
    return el("footer", keys_button, leave, dialog)


# ------------------------------------------------------------------ pieces


def current(is_here: bool) -> str | None:
    """Returns the value of ``aria-current`` for a link to the page that is shown."""
    return only(is_here, "page")


def heading(title: Any, *more: Any) -> Html:
    return el("div", el("h1", title), *more, class_="heading")


def form(action: str, csrf: str, *fields: Any, **hidden: str) -> Html:
    """A form that changes something."""
    given = {"csrf": csrf, **hidden}
    inputs = [el("input", type="hidden", name=name, value=value) for name, value in given.items()]
    return el("form", inputs, *fields, method="post", action=action)


def confirmed(question: str, said: str, action: str, csrf: str, **hidden: str) -> Html:
    """A step before what cannot be undone."""
    return el(
        "details",
        el("summary", said, class_="button danger"),
        el(
            "div",
            el("p", question),
            form(action, csrf, el("button", said, class_="danger"), **hidden),
            class_="confirm",
        ),
        class_="confirming",
    )


def field(label: str, control: Html, name: str) -> Html:
    return el("div", el("label", label, for_=name), control, class_="field")


def text_field(label: str, name: str, value: str, **more: Any) -> Html:
    return field(
        label, el("input", id=name, name=name, value=value, autocomplete="off", **more), name
    )


def choice(label: str, name: str, value: str, options: Iterable[tuple[str, str]]) -> Html:
    made = [el("option", said, value=one, selected=one == value) for one, said in options]
    return field(label, el("select", made, id=name, name=name), name)


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def date_field(label: str, name: str, value: str) -> Html:
    """Returns a field for a day; what is given in other words, such as 7d, stays as it is."""
    is_day = not value or _DAY.fullmatch(value)
    return text_field(label, name, value, type="date" if is_day else "text")


def through(value: str) -> str:
    """Returns the end of a day that was picked as the last one: a limit of the library is before
    the moment that it names."""
    try:
        last = date.fromisoformat(value) if _DAY.fullmatch(value) else date.max
        return value if last == date.max else (last + timedelta(days=1)).isoformat()
    except ValueError:  # no such day: the library says so
        return value


PERIODS = (("", "any time"), ("7d", "the last week"), ("30d", "30 days"), ("365d", "a year"))
"""How far back a search may go, to pick from."""


def search_form(
    request: PageRequest, words: tuple[str, str, str], filters: Mapping[str, Html], **more: Any
) -> Html:
    """Returns a field for a question, and the fields of its filters by name. *words* are the path
    that it leads to, the label of the field and that of the button; *more* are attributes of the
    field."""
    action, asked, said = words
    query = request.get("q")
    field = el("input", id="q", name="q", type="search", value=query, data_search=True, **more)
    return el(
        "form",
        el("label", asked, for_="q", class_="unseen"),
        el("div", field, el("button", said, class_="main"), class_="asking"),
        el(
            "details",
            el("summary", "Filters"),
            el("div", list(filters.values()), class_="fields"),
            open=any(map(request.get, filters)),
            class_="filters",
        ),
        role="search",
        action=action,
        method="get",
        class_="search",
    )


def empty(title: str, *more: Any) -> Html:
    """Nothing to show, and what to do about it."""
    return el("div", el("p", title, class_="lead"), *(el("p", one) for one in more), class_="empty")


def item_list(items: Iterable[Any], **attributes: Any) -> Html:
    return el("ul", [el("li", item) for item in items], **attributes)


def command(line: str) -> Html:
    return el("code", line, class_="command")


def message(text: Any) -> Any:
    """Returns a message with its commands, which stand between backticks, as code; markup as it
    is."""
    if isinstance(text, Html) or not isinstance(text, str):
        return text
    parts = re.split(r"`([^`\n]+)`", text)
    return joined([el("code", one) if n % 2 else one for n, one in enumerate(parts)])


def notes(kind: str, lines: Iterable[Any]) -> Html | None:
    told = list(map(message, lines))
    return only(told, item_list(told, class_=f"notes {kind}"))


def badge(said: Any, kind: str = "") -> Html:
    return el("span", said, class_=f"badge {kind}".strip())


def about(*pairs: tuple[str, Any]) -> Html:
    """Names and values, those without a value left out."""
    made = [el("div", el("dt", name), el("dd", value)) for name, value in pairs if value]
    return el("dl", made, class_="about")


def dotted(*parts: Any) -> Html:
    """Parts in a row, empty ones left out."""
    made = [el("span", part) for part in parts if part]
    return el("p", made, class_="meta")


def day(moment: datetime | None) -> Html | None:
    return only(moment, el("time", phrases.minute(moment)[:10], datetime=iso(moment)))


def minute(moment: datetime | None) -> Html | None:
    return only(moment, el("time", phrases.minute(moment), datetime=iso(moment)))


_HIDDEN = {
    "roles": "messages of tools and the like",
    "automation": "conversations of programs",
    "same lineage": "of the same lineage",
}
"""What is hidden, by the reason for it; by another reason, the reason is told."""


def hidden_by(counts: Mapping[str, int]) -> list[str]:
    said = ", ".join(f"{n:,} {_HIDDEN.get(reason, f'by {reason}')}" for reason, n in counts.items())
    return some(when(said, f"Not shown: {said}."))


def more_link(path: str, **params: Any) -> Html:
    return el(
        "p",
        el("a", "More", href=url(path, **params), class_="button", data_item=True),
        class_="more",
    )


_DONE = {
    "pinned": "Pinned: every context has it now.",
    "unpinned": "No longer pinned.",
    "forgotten": "Forgotten for good. A later import does not bring it back.",
    "reworded": "Changed.",
    "edited": "Saved.",
    "edited_partly": "Saved. A fact whose line was deleted stays: forget it where it is shown.",
    "stopping": "It is being stopped. What it has stored stays.",
    "undone": "Taken back: all is as it was before.",
    "accepted": "Accepted.",
    "set": "Saved: it holds from the next start on.",
    "unset": "Taken back: the default holds from the next start on.",
    "rejected": "Rejected: what it had replaced holds again.",
}


def done(request: PageRequest) -> Html | None:
    """Returns the message about the form that led to this view, if one did."""
    said = _DONE.get(request.get("done"))
    return only(said, el("p", said, class_="done", role="status"))


def table(heads: Iterable[Any], rows: Iterable[Iterable[Any]], **more: Any) -> Html:
    """Returns a table; the first cell of each row is its head."""
    names, cells_of = list(heads), list(map(list, rows))
    numbers = list(map(_is_number, cells_of[0])) if cells_of else [False] * len(names)
    tops = [
        el("th", head, scope="col", class_=only(number, "number"))
        for head, number in zip(names, numbers, strict=True)
    ]
    top = el("thead", el("tr", tops))
    made = []
    for first, *rest in cells_of:
        cells = [_cell(one, name) for one, name in zip(rest, names[1:], strict=True)]
        made.append(el("tr", el("th", first, scope="row"), cells))
    return el(
        "div",
        el("table", top, el("tbody", made), **more),
        class_="wide",
        tabindex="0",
        role="group",
        aria_label=more.get("aria_label", "Table"),
    )


def _cell(content: Any, name: Any) -> Html:
    """Returns a cell with the name of its column, which a narrow screen shows beside it."""
    head = None if isinstance(name, Html) or content in ("", None) else name
    if _is_number(content):
        return el("td", f"{content:,}", class_="number", data_head=head)
    return el("td", content, data_head=head)


def _is_number(content: Any) -> bool:
    return isinstance(content, int | float) and not isinstance(content, bool)


def passage(text: str, marks: Sequence[Mark] = ()) -> Html:
    """A text as it stands, line breaks and all; what is fenced off as code looks like it, and
    what is marked is in ``<mark>``. A turn that begins with code has it on a line of its own."""
    text = _SPOKEN.sub(r"\1:\n\2", text)  # as long as before: the marks stand where they stood
    fences = [match.span() for match in _FENCE.finditer(text)]
    starts, ends = [0, *(end for _, end in fences)], [*(start for start, _ in fences), len(text)]
    parts: list[Html] = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        inside = text[start:end].strip("\n")
        if inside.strip():
            start += text[start:end].index(inside)
            shown = marked(inside, [(max(0, s - start), e - start) for s, e in marks if e > start])
            parts.append(el("pre", shown, tabindex="0") if place % 2 else el("div", shown))
    return el("div", parts, class_="passage", dir="auto")


def marked(text: str, marks: Iterable[Mark]) -> Html:
    """Returns a text with its marks in ``<mark>``."""
    inside = ((start, min(end, len(text))) for start, end in marks if start < len(text))
    return joined([el("mark", part) if mark else part for part, mark in parted(text, inside)])


def sure(probability: float) -> Html:
    """Returns how sure something is in a word; the number is shown to who points at it."""
    return el(
        "span", in_words(probability), class_="sure", title=f"{charts.share(probability)} sure"
    )


_SPOKEN = re.compile(r"^(\w+): (```)", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*$", re.MULTILINE)


def wrong(error: UsageError) -> Html:
    """Returns the error about an input, as an alert."""
    said = error.message[:1].upper() + error.message[1:]
    return el(
        "div",
        el("p", message(said), class_="lead"),
        when(error.hint, el("p", message(error.hint))),
        class_="notes warn alert",
        role="alert",
    )


def counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}{'s' * (count != 1)}" for kind, count in kinds.items())
