"""The nouns of what the web says. It stands apart from memory: nobody here has kept it."""

from collections.abc import Mapping
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns.values import json_list


class WebResult(NamedTuple):
    """What somebody on the web says. It is no memory: nobody here has kept or checked it."""

    title: str
    url: str
    text: str
    """What the search engine shows of the page, or the beginning of the page itself."""
    date: str = ""
    """As the search engine tells it."""
    read: bool = False
    """Whether the text is the page's own."""
    note: str = ""
    """Why the page was not read, where it should have been."""

    def as_json(self) -> dict[str, Any]:
        return {"kind": "web", **self._asdict()}


class WebFound(NamedTuple):
    """What a search of the web gave."""

    query: str
    """What was sent: this, and nothing else."""
    engine: str
    """The host that was asked."""
    results: tuple[WebResult, ...] = ()
    hidden: Mapping[str, int] = {}
    """How many were left out, by the reason."""
    ms: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "query": self.query,
            "engine": self.engine,
            "results": json_list(self.results),
            "hidden": dict(self.hidden),
            "ms": round(self.ms, 1),
        }


class WebPage(NamedTuple):
    """A page of the web as text."""

    url: str
    """Where it was in the end, after every redirect."""
    title: str
    text: str
    meta: Mapping[str, Any] = {}
