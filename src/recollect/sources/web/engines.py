"""What search engines are asked, and where their answers have what: data, and no I/O.

searxng:http://127.0.0.1:8888               a SearXNG, which must be let answer in JSON
brave                                       Brave, with a key; brave:URL for others of its shape
json:https://search.example/v1?q={query}    any other; ``web.fields`` says where things are
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from recollect.errors import ConfigError, WebError
from recollect.named_tuple import NamedTuple
from recollect.nouns.web import WebResult
from recollect.sources.web.guard import link
from recollect.sources.web.pages import line

OWN_KEY = "RECOLLECT_WEB_KEY"
MOST_QUERY = 400
"""Characters of a question that are sent."""
_TITLE, _TEXT = 300, 1_000
_HINT = "web.fields says where an answer has what"


class Fields(NamedTuple):
    """The paths of the fields in an engine's answer; a dot leads into an object."""

    results: str = "results"
    title: str = "title"
    url: str = "url"
    text: str = "text"
    date: str = "date"


class Engine(NamedTuple):
    url: str
    """With ``{query}`` in it, and maybe ``{limit}``."""
    fields: Fields
    variables: tuple[str, ...] = (OWN_KEY,)
    """Where its key may be, the first first."""
    header: str = "Authorization"
    needs_key: bool = False

    @property
    def host(self) -> str:
        return link(self.asked("", 1)).host

    def asked(self, query: str, limit: int) -> str:
        sent = quote(query[:MOST_QUERY], safe="")
        return self.url.replace("{query}", sent).replace("{limit}", str(limit))

    def headers(self, secret: str) -> dict[str, str]:
        if not secret:
            return {}
        return {self.header: f"Bearer {secret}" if self.header == "Authorization" else secret}


BRAVE = "https://api.search.brave.com/res/v1/web/search"


def engine(said: str, fields: Sequence[str] = ()) -> Engine:
    """Returns the engine that ``web.engine`` and ``web.fields`` configure."""
    kind, _, url = said.partition(":")
    named = _fields(fields)
    if kind == "searxng" and url:
        asked = f"{url.rstrip('/')}/search?format=json&q={{query}}"
        made = Engine(asked, Fields(text="content", date="publishedDate"))
    elif kind == "brave":
        own = not url
        made = Engine(
            f"{url or BRAVE}?q={{query}}&count={{limit}}",
            Fields("web.results", text="description", date="page_age"),
            ("BRAVE_API_KEY", OWN_KEY) if own else (OWN_KEY,),
            "X-Subscription-Token",
            needs_key=own,
        )
    elif kind == "json" and "{query}" in url:
        made = Engine(url, Fields())
    else:
        raise ConfigError(
            f"web.engine is {said!r}, which names no search engine",
            hint="searxng:URL, brave, brave:URL, or json:URL with {query} in it",
        )
    try:
        link(made.asked("", 1))
    except WebError as error:
        hint = "its address begins with http:// or https://"
        raise ConfigError(f"web.engine: {error.message}", hint=hint) from None
    return made._replace(fields=made.fields._replace(**named))


def _fields(said: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in said:
        name, mark, path = one.partition("=")
        if name not in Fields._fields or not mark or not path:
            raise ConfigError(
                f"web.fields has {one!r}",
                hint=f"it is FIELD=WHERE, with one of {', '.join(Fields._fields)}: "
                "results=data.items,url=link",
            )
        found[name] = path
    return found


# ------------------------------------------------------------------ answers


def results(told: Any, fields: Fields) -> list[WebResult]:
    """Returns the results in an engine's answer. Raises ``WebError`` if it has none."""
    rows = _at(told, fields.results)
    if rows is None and isinstance(told, dict) and fields.results == "web.results":
        rows = []  # Brave leaves the web out where it found nothing
    if not isinstance(rows, list):
        raise WebError(f"its answer has no list at {fields.results!r}", hint=_HINT)
    found = []
    for row in rows:
        url = _text(_at(row, fields.url))
        if url:
            title = line(_text(_at(row, fields.title)), _TITLE)
            text = line(_text(_at(row, fields.text)), _TEXT)
            found.append(WebResult(title or url, url, text, line(_text(_at(row, fields.date)), 40)))
    if rows and not found:
        raise WebError(f"none of its results has an address at {fields.url!r}", hint=_HINT)
    return found


def _at(told: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(told, list) and name.isdigit() and int(name) < len(told):
            told = told[int(name)]
        elif isinstance(told, Mapping):
            told = told.get(name)
        else:
            return None
    return told


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""
