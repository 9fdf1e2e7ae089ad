"""What came from the web, as text: whatever a page says is something it says, and nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from recollect.errors import WebError
from recollect.nouns import Problem
from recollect.nouns.web import WebPage
from recollect.sources.formats import html
from recollect.sources.web import fetch
from recollect.text.unicode import clipped, whole

TYPES = ("text/html", "text/plain")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_TAG = re.compile(r"<[^<>]{0,200}>")


def plain(text: str) -> str:
    """Returns the text without invisible characters that act: terminal controls, changes of
    direction, characters of no width."""
    return whole(_UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def line(text: str, most: int) -> str:
    """Returns the text on one line, without markup, cut short."""
    return clipped(" ".join(plain(unescape(_TAG.sub("", text))).split()), most)


def page(got: fetch.Got) -> WebPage:
    if got.type == "text/plain":
        text = plain(_decoded(got)).strip()
        return WebPage(got.url, _first_line(text) or got.url, text)
    raw = got.body
    if got.charset:  # what the server says counts for more than what the page says
        raw = _decoded(got).encode("utf-16", "replace")
    found = html.read(Path("page.html"), raw)
    if isinstance(found, Problem):
        raise WebError(f"{got.url}: {found.reason}")
    meta = {name: line(str(value), 500) for name, value in found.meta.items()}
    return WebPage(got.url, line(found.title, 300) or got.url, plain(found.text).strip(), meta)


def _decoded(got: fetch.Got) -> str:
    try:
        return got.body.decode(got.charset or "utf-8", "replace")
    except LookupError:
        return got.body.decode("utf-8", "replace")


def _first_line(text: str) -> str:
    return line(text.partition("\n")[0], 120)
