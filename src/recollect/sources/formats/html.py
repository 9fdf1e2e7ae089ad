"""HTML pages, whatever their encoding and however broken, as Markdown.

Scripts, styles and navigation are left out; the title and what the page says of itself are kept.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from recollect.nouns import Problem
from recollect.sources.formats import Content
from recollect.sources.formats.markdown import Blocks, fenced
from recollect.text.unicode import whole

_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})"
    rb"|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
_ENCODINGS = re.compile(
    r"(?:utf-8|utf8|iso-?8859-?\d+|windows-\d+|cp\d+|koi8-[rut]|mac\w*|big5\w*|gb\w+|euc-?\w+|"
    r"shift[_-]?jis|sjis|iso-2022-\w+|tis-?620|us-ascii|ascii|latin-?1)",
    re.IGNORECASE,
)
_ASCII_ALIKE = frozenset({"us-ascii", "ascii", "latin1", "latin-1", "iso-8859-1", "iso8859-1"})
_UNSEEN = re.compile(
    r"<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)|<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?P<tag>script|style)\b(?:[^>]*/>|.*?(?:</(?P=tag)\s*>|\Z))|<[!?][^>]*>?",
    re.DOTALL | re.IGNORECASE,
)
_DROPPED = frozenset("nav noscript template svg iframe select button navigation".split())
_BREAKS = frozenset(
    "address article aside body center dd details div dl dt fieldset figcaption figure footer form "
    "head header hgroup hr html legend main p search section summary caption".split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FRAMES = {"table": "table", "ul": "list", "ol": "numbers", "blockquote": "quote"}
_LANGUAGE = re.compile(r"\b(?:lang(?:uage)?|highlight|brush:)[-\s]?([\w+#]+)")
_PAGE_META = {
    "description": "description",
    "og:description": "description",
    "author": "author",
    "keywords": "keywords",
    "date": "date",
    "dcterms.date": "date",
    "article:published_time": "date",
    "og:title": "title",
    "og:site_name": "site",
}


def read(path: Path, raw: bytes) -> Content | Problem:
    text, warning = _text(raw)
    if "\x00" in text[:8192]:
        return Problem(str(path), "a binary file, not HTML")
    page = _parsed(text.removeprefix("\ufeff"))
    found = page.meta.pop("title", "")
    title = " ".join("".join(page.title).split()) or found or page.blocks.first_heading
    problems = (Problem(str(path), warning, "warning"),) if warning else ()
    return Content(whole(page.blocks.text()), title, page.meta, "page", warnings=problems)


def _text(raw: bytes) -> tuple[str, str]:
    """The page's characters, and a warning if some are lost."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace"), ""
    said = _CHARSET.search(raw, 0, 4096)
    name = (said[1] or said[2]).decode("ascii", "replace").lower() if said else ""
    declared = "cp1252" if name in _ASCII_ALIKE else name
    for encoding in (declared, "utf-8") if _ENCODINGS.fullmatch(name) else ("utf-8",):
        try:
            return raw.decode(encoding), ""
        except (LookupError, UnicodeError):
            continue
    why = f"not {name or 'UTF-8'} throughout; read as windows-1252, so some signs may be wrong"
    return raw.decode("cp1252", "replace"), why


class _TagEvents(HTMLParser):
    """Tells a page of its tags and texts."""

    def __init__(self, page: _HtmlPage) -> None:
        super().__init__()
        self.page = page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.start(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        self.page.end(tag)

    def handle_data(self, data: str) -> None:
        self.page.data(data)


def _parsed(text: str) -> _HtmlPage:
    """The page. An element that is dropped but never ends is taken for text after all."""
    text = _UNSEEN.sub(
        lambda unseen: (unseen["text"] or "").replace("&", "&amp;").replace("<", "&lt;"), text
    )
    # What opens after the last `>` closes nowhere; the parser would look for its end again and
    # again.
    end = text.rfind(">") + 1
    text = text[:end] + text[end:].replace("<", "&lt;")
    dropped = _DROPPED
    while True:
        page = _HtmlPage(dropped)
        events = _TagEvents(page)
        events.feed(text)
        events.close()
        if not page.dropping:
            page.finish()
            return page
        dropped -= {page.dropping, "navigation"}


class _HtmlPage:
    """A page from its tags, which may be in any order."""

    def __init__(self, dropped: frozenset[str]) -> None:
        self.blocks = Blocks()
        self.title: list[str] = []
        self.meta: dict[str, str] = {}
        self.dropping = ""
        """The element that is being left out."""
        self._dropped = dropped
        self._depth = 0
        self._code: list[str] | None = None
        self._language = ""
        self._titled = False

    def data(self, data: str) -> None:
        if self.dropping:
            return
        if self._titled:
            self.title.append(data)
        elif self._code is not None:
            self._code.append(data)
        else:
            self.blocks.write(data.replace("\n", " "))

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.dropping:
            self._depth += tag == self.dropping
        elif tag in self._dropped or attributes.get("role") in self._dropped:
            self.dropping, self._depth = tag, 1
        elif tag == "pre":
            self._end_code()
            self.blocks.end_line()
            self._code, self._language = [], _language(attributes)
        elif self._code is not None:
            self._in_code(self._code, tag, attributes)
        else:
            self._open(tag, attributes)

    def _in_code(self, code: list[str], tag: str, attributes: dict[str, str]) -> None:
        if tag in ("br", "div", "p"):
            code.append("\n")
        if tag == "code":
            self._language = self._language or _language(attributes)

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        opened = _OPEN.get(tag)
        if opened:
            opened(self, tag, attributes)
        elif tag in _BREAKS:
            self.blocks.end_line()

    def _open_title(self, _tag: str, _attributes: dict[str, str]) -> None:
        self._titled = not self.title

    def _open_meta(self, _tag: str, attributes: dict[str, str]) -> None:
        name = attributes.get("name") or attributes.get("property") or ""
        field = _PAGE_META.get(name.lower())
        if field and attributes.get("content"):
            self.meta.setdefault(field, " ".join(attributes["content"].split()))

    def _open_heading(self, tag: str, _attributes: dict[str, str]) -> None:
        self.blocks.end_line()
        self.blocks.heading = int(tag[1])

    def _open_break(self, _tag: str, _attributes: dict[str, str]) -> None:
        self.blocks.write("\n")

    def _open_image(self, _tag: str, attributes: dict[str, str]) -> None:
        self.blocks.write(f" {attributes.get('alt', '')} ".replace("\n", " "))

    def _open_code(self, _tag: str, _attributes: dict[str, str]) -> None:
        self._mark_code()

    def _open_paragraph(self, _tag: str, _attributes: dict[str, str]) -> None:
        self._end_heading()
        self.blocks.end_line()

    def _open_frame(self, tag: str, _attributes: dict[str, str]) -> None:
        self._end_heading()
        self.blocks.open(_FRAMES[tag])

    def _open_item(self, _tag: str, _attributes: dict[str, str]) -> None:
        self._end_heading()
        self.blocks.back_to("list", "numbers", "cell", "quote")
        self.blocks.open("item")

    def _open_row(self, _tag: str, _attributes: dict[str, str]) -> None:
        if self.blocks.within("table"):
            self._end_heading()
            self.blocks.back_to("table")
            self.blocks.open("row")

    def _open_cell(self, _tag: str, _attributes: dict[str, str]) -> None:
        if not self.blocks.within("table"):
            return
        self._end_heading()
        if self.blocks.back_to("row", "table") == "table":
            self.blocks.open("row")
        self.blocks.open("cell")

    def end(self, tag: str) -> None:
        if self.dropping:
            self._depth -= tag == self.dropping
            self.dropping = self.dropping if self._depth else ""
        elif tag == "title":
            self._titled = False
        elif tag == "pre":
            self._end_code()
        elif self._code is None:
            self._close(tag)

    def _close(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._end_heading()
        elif tag == "code":
            self._mark_code()
        elif tag in _CLOSED:
            self.blocks.close(*_CLOSED[tag])
        elif tag in _BREAKS:
            self.blocks.end_line()

    def _mark_code(self) -> None:
        if not self.blocks.heading:
            self.blocks.write("`")

    def _end_heading(self) -> None:
        self.blocks.end_line()
        self.blocks.heading = 0

    def _end_code(self) -> None:
        if self._code is not None:
            self._end_heading()
            code = "".join(self._code).strip("\n").replace("\r", "")
            self.blocks.add(fenced(code, self._language) if code.strip() else "")
            self._code = None

    def finish(self) -> None:
        """The text is at its end, whatever is still open."""
        self._end_code()
        self._end_heading()


_OPEN: dict[str, Callable[[_HtmlPage, str, dict[str, str]], None]] = {
    **dict.fromkeys(_HEADINGS, _HtmlPage._open_heading),
    **dict.fromkeys(_FRAMES, _HtmlPage._open_frame),
    "title": _HtmlPage._open_title,
    "meta": _HtmlPage._open_meta,
    "br": _HtmlPage._open_break,
    "img": _HtmlPage._open_image,
    "code": _HtmlPage._open_code,
    "p": _HtmlPage._open_paragraph,
    "li": _HtmlPage._open_item,
    "tr": _HtmlPage._open_row,
    "td": _HtmlPage._open_cell,
    "th": _HtmlPage._open_cell,
}
_CLOSED = {
    "table": ("table", ""),
    "ul": ("list", "cell"),
    "ol": ("numbers", "cell"),
    "blockquote": ("quote", "cell"),
    "li": ("item", "cell"),
    "td": ("cell", "table"),
    "th": ("cell", "table"),
    "tr": ("row", "table"),
}
"""The frame that a tag closes, and what it does not reach out of."""


def _language(attributes: dict[str, str]) -> str:
    said = _LANGUAGE.search(attributes.get("class", ""))
    return said[1] if said else ""
