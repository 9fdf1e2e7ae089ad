"""What is in a file, as text with its structure, whatever the file's format.

:func:`read` gives a file's :class:`Content`, or the :class:`~recollect.types.Problem` that says
why it has none; it never raises, whatever the bytes. Pages, documents and notebooks become
Markdown, whose headings say where passages begin. Source code and data stay as they are, to the
character; where their parts begin is said beside the text (:func:`outline`).

No format brings the machine down: what a DOCX file may unpack to is limited, its XML may not
define entities, and the time that a text takes grows with its length only.
"""

from __future__ import annotations

import codecs
import importlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from recollect.types import NO_META, JsonObject, Problem

BINARY = frozenset({".pdf", ".docx"})
"""Formats that are no text but are read all the same."""
MAX_UNPACKED = 128_000_000
"""Bytes that the parts of a DOCX file may have together."""
MAX_PARSED = 4_000_000
"""Characters of Python that are parsed; the definitions in a longer file are found by their
looks, because its syntax tree would take gigabytes."""
MAX_OUTPUT = 2_000
"""Characters that are kept of one output of a notebook's cell."""


class Section(NamedTuple):
    """Where a part of a text begins, by its first character: a definition with the comments
    over it, a page."""

    offset: int
    level: int
    title: str
    line: int = 0
    """The line of the definition itself, from 1; 0 where lines mean nothing."""


class Content(NamedTuple):
    """A file as text."""

    text: str
    title: str = ""
    """What the file calls itself; empty if it does not."""
    meta: JsonObject = NO_META
    kind: str = "file"
    sections: tuple[Section, ...] | None = None
    """The parts of a text that is not Markdown: none in it is a heading. None: it may have
    headings, which are found in the text."""
    warnings: tuple[Problem, ...] = ()


def read(path: Path, raw: bytes) -> Content | Problem:
    """The file's content, by the format that its name says it has; else as plain text."""
    suffix = path.suffix.lower()
    reader = _READERS.get(suffix)
    if reader is not None:
        return reader(path, raw)
    text = _decoded(path, raw)
    if isinstance(text, Problem):
        return text
    language = _BY_SUFFIX.get(suffix)
    if language:
        sections = outline(text, suffix)
        return Content(text, meta={"language": language}, kind="code", sections=sections)
    if suffix in _DATA:
        return Content(text, sections=())
    return Content(text, kind="note" if suffix in _PROSE else "file")


_PROSE = frozenset({".md", ".markdown", ".mdx", ".txt", ".org", ".adoc", ""})
_DATA = frozenset(".csv .tsv .json .yaml .yml .toml .ini .cfg .conf .env .xml .log".split())


def _decoded(path: Path, raw: bytes) -> str | Problem:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            return Problem(str(path), "begins as UTF-16 but is not; save it as UTF-8")
    if b"\x00" in raw[:8192]:
        return Problem(str(path), "a binary file, not text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Problem(
            f"{path}:{line}",
            f"not UTF-8 (byte 0x{raw[error.start]:02x}); convert it, "
            "for instance with `iconv -f latin1 -t utf-8`",
        )


def _storable(text: str) -> str:
    """Without halves of surrogate pairs, which no store takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ------------------------------------------------------------------ Markdown, block by block


_MARKUP = re.compile(r"^( {0,3})(?=#{1,6}[ \t]|`{3}|~{3})", re.MULTILINE)
_MAX_FRAMES = 40
_NEVER = "(?!)"


def _guarded(text: str) -> str:
    """Text that is not to be taken for a heading or a fence."""
    return _MARKUP.sub(r"\1\\", text)


def _fenced(code: str, language: str = "") -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


class _Block(NamedTuple):
    text: str
    tight: bool = False
    """No blank line between it and another such block."""


class _Frame(NamedTuple):
    """A table, row, cell, list, item or quote that is still open."""

    label: str
    blocks: list[_Block]

    def text(self) -> str:
        parts: list[str] = []
        for number, block in enumerate(self.blocks):
            if number:
                parts.append("\n" if block.tight and self.blocks[number - 1].tight else "\n\n")
            parts.append(block.text)
        return "".join(parts)


class _Blocks:
    """Markdown in the making: words are gathered into a line, lines into blocks, and blocks into
    the frame that is open. Frames may be closed in any order, or never."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._frames = [_Frame("", [])]
        self.heading = 0
        """The level of the heading that is being written; 0 if none is."""
        self.first_heading = ""

    def write(self, words: str) -> None:
        """White space counts as one space, but for line breaks."""
        self._words.append(words)

    def end_line(self, mark: str = "") -> None:
        """What was written is a block, after *mark* if it is an item of a list."""
        rows = (" ".join(row.split()) for row in "".join(self._words).split("\n"))
        self._words.clear()
        text = "\n".join(row for row in rows if row)
        if self.heading:
            text = text.replace("\n", " ").strip("§¶🔗 ").removesuffix(" #").removeprefix("# ")
            self.first_heading = self.first_heading or text
            text = text and f"{'#' * self.heading} {text}"
        elif text:
            text = mark + _guarded(text).replace("\n", "\n" + " " * len(mark))
        self.add(text, tight=bool(mark) or self._frames[-1].label == "item")

    def drop_line(self) -> None:
        self._words.clear()

    def add(self, text: str, *, tight: bool = False) -> None:
        if text:
            self._frames[-1].blocks.append(_Block(text, tight))

    def open(self, label: str) -> None:
        self.end_line()
        if len(self._frames) < _MAX_FRAMES:
            self._frames.append(_Frame(label, []))

    def within(self, label: str, barrier: str = "") -> bool:
        """Whether such a frame is open, further in than any *barrier*."""
        for frame in reversed(self._frames):
            if frame.label in (label, barrier):
                return frame.label == label
        return False

    def close(self, label: str, barrier: str = "") -> None:
        """End the innermost such frame and whatever is open in it, if there is one."""
        self.end_line()
        if self.within(label, barrier):
            while self._close().label != label:
                pass

    def back_to(self, *labels: str) -> str:
        """End what is open inside the innermost frame of these; its label."""
        self.end_line()
        while len(self._frames) > 1 and self._frames[-1].label not in labels:
            self._close()
        return self._frames[-1].label

    def _close(self) -> _Frame:
        frame = self._frames.pop()
        above = self._frames[-1]
        if frame.label == "cell":
            above.blocks.append(_Block(frame.text()))
        elif frame.label == "row":
            cells = [block.text for block in frame.blocks]
            if len(cells) < 2 or any("\n" in cell or cell.startswith("#") for cell in cells):
                above.blocks.extend(block for block in frame.blocks if block.text)
            elif any(cells):
                self.add(f"| {' | '.join(cells)} |", tight=True)
        elif frame.label == "quote":
            self.add("\n".join(f"> {line}".rstrip() for line in frame.text().split("\n")))
        elif frame.label == "item":
            mark = f"{len(above.blocks) + 1}. " if above.label == "numbers" else "- "
            lines = frame.text().split("\n")
            rest = (f"{' ' * len(mark)}{line}".rstrip() for line in lines[1:])
            self.add("\n".join([mark + lines[0], *rest]) if lines[0] else "", tight=True)
        else:
            self.add(frame.text(), tight=above.label == "item")
        return frame

    def text(self) -> str:
        self.back_to("")
        text = self._frames[0].text()
        return text + "\n" if text else ""


# ------------------------------------------------------------------ HTML


_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]{1,40})",
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
    "description": "description", "og:description": "description", "author": "author",
    "keywords": "keywords", "date": "date", "dcterms.date": "date",
    "article:published_time": "date", "og:title": "title", "og:site_name": "site",
}  # fmt: skip


def _html(path: Path, raw: bytes) -> Content | Problem:
    text, warning = _html_text(raw)
    if "\x00" in text[:8192]:
        return Problem(str(path), "a binary file, not HTML")
    page = _parsed(text)
    found = page.meta.pop("title", "")
    title = " ".join("".join(page.title).split()) or found or page.blocks.first_heading
    problems = (Problem(str(path), warning, "warning"),) if warning else ()
    return Content(_storable(page.blocks.text()), title, page.meta, "page", warnings=problems)


def _html_text(raw: bytes) -> tuple[str, str]:
    """The page's characters, and a warning if some are lost."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace"), ""
    said = _CHARSET.search(raw, 0, 4096)
    name = (said[1] or said[2]).decode("ascii", "replace").lower() if said else ""
    declared = "cp1252" if name in _ASCII_ALIKE else name
    for encoding in (declared, "utf-8-sig") if _ENCODINGS.fullmatch(name) else ("utf-8-sig",):
        try:
            return raw.decode(encoding), ""
        except (LookupError, UnicodeError):
            continue
    why = f"not {name or 'UTF-8'} throughout; read as windows-1252, so some signs may be wrong"
    return raw.decode("cp1252", "replace"), why


def _parsed(text: str) -> _Page:
    """The page. An element that is dropped but never ends is taken for text after all."""
    from html.parser import HTMLParser

    class Events(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            page.start(tag, {name: value or "" for name, value in attrs})

        def handle_endtag(self, tag: str) -> None:
            page.end(tag)

        def handle_data(self, data: str) -> None:
            page.data(data)

    text = _UNSEEN.sub(
        lambda unseen: (unseen["text"] or "").replace("&", "&amp;").replace("<", "&lt;"), text
    )
    # What opens after the last `>` closes nowhere; the parser would look for its end again and
    # again.
    end = text.rfind(">") + 1
    text = text[:end] + text[end:].replace("<", "&lt;")
    dropped = _DROPPED
    while True:
        page = _Page(dropped)
        events = Events()
        events.feed(text)
        events.close()
        if not page.dropping:
            page.finish()
            return page
        dropped -= {page.dropping, "navigation"}


class _Page:
    """A page from its tags, which may be in any order."""

    def __init__(self, dropped: frozenset[str]) -> None:
        self.blocks = _Blocks()
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
            self._code += ["\n"] if tag in ("br", "div", "p") else []
            self._language = self._language or (_language(attributes) if tag == "code" else "")
        elif tag == "title":
            self._titled = not self.title
        elif tag == "meta":
            name = attributes.get("name") or attributes.get("property") or ""
            field = _PAGE_META.get(name.lower())
            if field and attributes.get("content"):
                self.meta.setdefault(field, " ".join(attributes["content"].split()))
        else:
            self._open(tag, attributes)

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        blocks = self.blocks
        if tag in _HEADINGS:
            blocks.end_line()
            blocks.heading = int(tag[1])
        elif tag == "br":
            blocks.write("\n")
        elif tag == "img":
            blocks.write(attributes.get("alt", "").replace("\n", " "))
        elif tag == "code" and not blocks.heading:
            blocks.write("`")
        elif tag in _FRAMES:
            self._end_heading()
            blocks.open(_FRAMES[tag])
        elif tag == "li":
            self._end_heading()
            blocks.back_to("list", "numbers", "cell", "quote")
            blocks.open("item")
        elif tag in ("tr", "td", "th") and blocks.within("table"):
            self._end_heading()
            if tag == "tr":
                blocks.back_to("table")
                blocks.open("row")
                return
            if blocks.back_to("row", "table") == "table":
                blocks.open("row")
            blocks.open("cell")
        elif tag in _BREAKS:
            if tag == "p":
                self._end_heading()
            blocks.end_line()

    def end(self, tag: str) -> None:
        blocks = self.blocks
        if self.dropping:
            self._depth -= tag == self.dropping
            if self._depth == 0:
                self.dropping = ""
        elif tag == "title":
            self._titled = False
        elif tag == "pre":
            self._end_code()
        elif self._code is not None:
            return
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag == "code" and not blocks.heading:
            blocks.write("`")
        elif tag in _FRAMES:
            blocks.close(_FRAMES[tag], "" if tag == "table" else "cell")
        elif tag == "li":
            blocks.close("item", "cell")
        elif tag in ("td", "th", "tr"):
            blocks.close("row" if tag == "tr" else "cell", "table")
        elif tag in _BREAKS:
            blocks.end_line()

    def _end_heading(self) -> None:
        self.blocks.end_line()
        self.blocks.heading = 0

    def _end_code(self) -> None:
        if self._code is not None:
            self._end_heading()
            code = "".join(self._code).strip("\n").replace("\r", "")
            self.blocks.add(_fenced(code, self._language) if code.strip() else "")
            self._code = None

    def finish(self) -> None:
        """The text is at its end, whatever is still open."""
        self._end_code()
        self._end_heading()


def _language(attributes: dict[str, str]) -> str:
    said = _LANGUAGE.search(attributes.get("class", ""))
    return said[1] if said else ""


# ------------------------------------------------------------------ reStructuredText


_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1*")
_CODE_DIRECTIVE = re.compile(
    r"\s*\.\. (?:code-block|code|sourcecode|parsed-literal|prompt|doctest|testcode|ipython)::"
    r"[ \t]*([\w+#-]*)[ \t]*"
)
_DIRECTIVE = re.compile(r"\s*\.\. ")
_OPTION = re.compile(r"\s*:[\w-]+:")
_DOCINFO = re.compile(r":([A-Za-z][\w -]*):[ \t]+(.+)")


def _rst(path: Path, raw: bytes) -> Content | Problem:
    text = _decoded(path, raw)
    if isinstance(text, Problem):
        return text
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").split("\n")]
    out: list[str] = []
    styles: list[tuple[str, bool]] = []
    meta: dict[str, str] = {}
    title = ""
    at = 0
    while at < len(lines):
        heading = _rst_title(lines, at)
        if heading:
            words, style, size = heading
            if style not in styles:
                styles.append(style)
            title = title or words
            out.append(f"{'#' * min(styles.index(style) + 1, 6)} {words}")
            at += size
            continue
        if len(out) < 20 and len(styles) < 2 and (info := _DOCINFO.fullmatch(lines[at])):
            meta.setdefault(info[1].lower(), info[2])
        end = _literal(lines, at)
        if end > at + 1:
            out += _rst_code(lines, at, end)
        else:
            out.append(_guarded(lines[at]))
        at = max(end, at + 1)
    return Content("\n".join(out), title, meta, "note")


def _rst_title(lines: list[str], at: int) -> tuple[str, tuple[str, bool], int] | None:
    """The title at this line: its words, its style, and how many lines it takes."""
    first, second, third = (*lines[at : at + 3], "", "")[:3]
    if _ADORNED.fullmatch(first):
        if second and third == first and not _ADORNED.fullmatch(second):
            return second.strip(), (first[0], True), 3
        return None
    plain = first and not first[0].isspace() and (at == 0 or not lines[at - 1])
    if plain and _ADORNED.fullmatch(second) and len(second) >= min(len(first), 4):
        return first, (second[0], False), 2
    return None


def _literal(lines: list[str], at: int) -> int:
    """Where the literal block ends that this line announces; else where the line is."""
    line = lines[at]
    if not _CODE_DIRECTIVE.fullmatch(line) and (
        not line.endswith("::") or _DIRECTIVE.match(line) or _ADORNED.fullmatch(line[:-2] or "x")
    ):
        return at
    indent = _indent(line)
    end = at + 1
    for number in range(at + 1, len(lines)):
        if lines[number]:
            if _indent(lines[number]) <= indent:
                break
            end = number + 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _rst_code(lines: list[str], at: int, end: int) -> Iterator[str]:
    """The line that announces a literal block, its options, and the block in a fence."""
    directive = _CODE_DIRECTIVE.fullmatch(lines[at])
    yield _guarded(lines[at])
    at += 1
    while directive and at < end and _OPTION.match(lines[at]):
        yield lines[at]
        at += 1
    block = lines[at:end]
    margin = min((_indent(line) for line in block if line), default=0)
    code = "\n".join(line[margin:] for line in block).strip("\n")
    if code:
        yield from ("", _fenced(code, directive[1] if directive else ""))


# ------------------------------------------------------------------ notebooks


_ANSI = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
_DATA_URL = re.compile(r"\(data:[\w/+.;=-]+,[^)\s]{100,}\)")


def _notebook(path: Path, raw: bytes) -> Content | Problem:
    try:
        book = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return Problem(str(path), f"not a notebook: {error}")
    if not isinstance(book, dict):
        return Problem(str(path), f"not a notebook but a {type(book).__name__}")
    about = _object(book.get("metadata"))
    language = _object(about.get("language_info")).get("name")
    language = language or _object(about.get("kernelspec")).get("language")
    language = language if isinstance(language, str) else ""
    sheets = [book, *_list(book.get("worksheets"))]  # before version 4, cells were in worksheets
    parts = [
        part
        for sheet in sheets
        for cell in _list(_object(sheet).get("cells"))
        for part in _cell(_object(cell), language)
    ]
    if not any(isinstance(_object(sheet).get("cells"), list) for sheet in sheets):
        return Problem(str(path), "not a notebook: it has no cells")
    text = _storable("\n\n".join(part for part in parts if part.strip()))
    said = about.get("title")
    heading = re.search(r"^# +(\S.*)$", text, re.MULTILINE)
    title = said if isinstance(said, str) else heading[1].strip() if heading else ""
    meta = {"language": language} if language else NO_META
    return Content(text + "\n" if text else "", _storable(title), meta, "document")


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _source(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        if source.strip():
            yield _fenced(source.strip("\n"), language)
        for output in _list(cell.get("outputs")):
            text = _output(_object(output)).strip("\n")
            if text.strip():
                yield _fenced(text[:MAX_OUTPUT] + ("…" if len(text) > MAX_OUTPUT else ""), "text")
    elif kind == "heading":
        level = cell.get("level")
        level = level if isinstance(level, int) and 1 <= level <= 6 else 1
        yield f"{'#' * level} {' '.join(source.split())}"
    else:
        yield _DATA_URL.sub("()", source)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = _object(output.get("data"))
    return _ANSI.sub("", _source(output.get("text") or data.get("text/plain")))


def _source(value: Any) -> str:
    """A text, which notebooks may hold in lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# ------------------------------------------------------------------ PDF


def _pdf(path: Path, raw: bytes) -> Content | Problem:
    try:
        pypdf = importlib.import_module("pypdf")
    except ImportError:
        why = 'PDF files need one more package: pip install "recollect[pdf]"'
        return Problem(str(path), why, "skipped")
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        book = pypdf.PdfReader(io.BytesIO(raw))
        if book.is_encrypted and not book.decrypt(""):
            return Problem(str(path), "protected with a password; save it without one")
        pages, warnings = _pages(path, book.pages)
        about = {key.strip("/").lower(): str(value) for key, value in (book.metadata or {}).items()}
    except Exception as error:  # noqa: BLE001  pypdf raises whatever its parsing runs into
        return Problem(str(path), f"not a readable PDF: {error or type(error).__name__}")
    if not any(pages):
        why = "no text in it, probably a scan; add it, for instance with `ocrmypdf`"
        return warnings[0]._replace(level="failed") if warnings else Problem(str(path), why)
    sections, offset = [], 0
    for number, text in enumerate(pages, 1):
        if text:
            sections.append(Section(offset, 1, f"page {number}"))
            offset += len(text) + 2
    meta = {name: about[name] for name in ("author", "subject", "keywords") if about.get(name)}
    text = "\n\n".join(filter(None, pages)) + "\n"
    return Content(
        text, about.get("title", "").strip(), meta, "document", tuple(sections), tuple(warnings)
    )


def _pages(path: Path, pages: Iterable[Any]) -> tuple[list[str], list[Problem]]:
    texts: list[str] = []
    warnings: list[Problem] = []
    for number, page in enumerate(pages, 1):
        try:
            texts.append(_storable(page.extract_text()).replace("\x00", "").strip())
        except Exception as error:  # noqa: BLE001  the other pages are good
            why = f"page {number} cannot be read: {error or type(error).__name__}"
            warnings.append(Problem(str(path), why, "warning"))
            texts.append("")
    return texts, warnings


# ------------------------------------------------------------------ DOCX


class _Refused(ValueError):
    """What a DOCX file must not have."""


class _Budget:
    """How many bytes may still be unpacked."""

    def __init__(self, left: int) -> None:
        self._left = left

    def chunks(self, stream: IO[bytes]) -> Iterator[bytes]:
        while chunk := stream.read(65_536):
            self._left -= len(chunk)
            if self._left < 0:
                raise _Refused(f"unpacks to more than {MAX_UNPACKED // 1_000_000} MB")
            yield chunk


_Start = Callable[[str, dict[str, str]], None]


def _docx(path: Path, raw: bytes) -> Content | Problem:
    import zipfile
    import zlib
    from xml.parsers.expat import ExpatError

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            return _document(packed)
    except _Refused as error:
        return Problem(str(path), f"not read: {error}")
    except (zipfile.BadZipFile, zlib.error, ExpatError, EOFError, OSError, KeyError, ValueError,
            NotImplementedError, RuntimeError) as error:  # fmt: skip
        why = f"not a DOCX file, or damaged, or protected with a password: {error}"
        return Problem(str(path), why)


def _document(packed: Any) -> Content:
    names = set(packed.namelist())
    budget = _Budget(MAX_UNPACKED)

    def parse(
        name: str, start: _Start, end: Callable[[str], None], text: Callable[[str], None]
    ) -> None:
        if name in names:
            with packed.open(name) as stream:
                _parse_xml(budget.chunks(stream), start, end, text)

    main = min((n for n in names if re.fullmatch(r"word/document\d*\.xml", n)), default=None)
    if main is None:
        raise KeyError("it has no word/document.xml")
    styles = _Styles()
    parse("word/styles.xml", styles.start, styles.end, lambda _: None)
    words = _Words(styles.levels())
    for part in (main, "word/footnotes.xml", "word/endnotes.xml"):
        parse(part, words.start, words.end, words.text)
    about = _Properties()
    parse("docProps/core.xml", about.start, about.end, about.text)
    meta = {
        name: about.fields[field]
        for name, field in (("author", "creator"), ("date", "created"), ("updated", "modified"),
                            ("description", "description"), ("keywords", "keywords"))
        if about.fields.get(field)
    }  # fmt: skip
    title = about.fields.get("title") or words.blocks.first_heading
    return Content(words.blocks.text(), title, meta, "document")


def _parse_xml(
    chunks: Iterable[bytes],
    start: _Start,
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:
    """Tell of elements and attributes by their local names. A document type is refused: nothing
    that Word writes has one, and it is how entities are made to multiply."""
    from xml.parsers import expat

    def local(name: str) -> str:
        return name.rpartition(" ")[2]

    def refuse(*_: Any) -> None:
        raise _Refused("it has a document type, which could define entities without end")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: start(
        local(name), {local(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: end(local(name))
    parser.CharacterDataHandler = text
    for chunk in chunks:
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


class _Properties:
    """What the document says of itself."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._name = ""

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._name = name

    def end(self, _name: str) -> None:
        self._name = ""

    def text(self, text: str) -> None:
        if self._name and text.strip():
            self.fields[self._name] = self.fields.get(self._name, "") + text.strip()


class _Styles:
    """Which styles are headings, and of which level."""

    def __init__(self) -> None:
        self._id = ""
        self._own: dict[str, int] = {}
        self._based_on: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._id = attributes.get("styleId", "")
        elif name == "name":
            heading = re.fullmatch(r"heading ([1-9])", value, re.IGNORECASE)
            if heading:
                self._own[self._id] = min(int(heading[1]), 6)
            elif value.lower() == "title":
                self._own[self._id] = 1
            elif value.lower().startswith("toc "):
                self._own[self._id] = _CONTENTS
        elif name == "numPr":
            self._own.setdefault(self._id, _ITEM)
        elif name == "basedOn":
            self._based_on[self._id] = value
        elif name == "outlineLvl":
            self._own.setdefault(self._id, _outline_level(value))

    def end(self, name: str) -> None:
        if name == "style":
            self._id = ""

    def levels(self) -> dict[str, int]:
        found = dict(self._own)
        for style in self._based_on:
            base, seen = style, {""}
            while base not in self._own and base not in seen:
                seen.add(base)
                base = self._based_on.get(base, "")
            found[style] = self._own.get(base, 0)
        return found


_ITEM, _CONTENTS = -1, -2
"""Instead of a level: a list's item, and a line in a table of contents, which is left out."""


def _outline_level(value: str) -> int:
    return min(int(value) + 1, 6) if value in set("012345678") else 0


class _Words:
    """The paragraphs, lists and tables of a document."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.blocks = _Blocks()
        self._levels = levels
        self._written = False
        self._fallback = 0
        self._level = 0
        self._indent: int | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if self._fallback or name == "Fallback":
            self._fallback += 1
        elif name == "t":
            self._written = True
        elif name in ("tab", "ptab"):
            self.blocks.write(" ")
        elif name in ("br", "cr"):
            self.blocks.write("\n")
        elif name == "noBreakHyphen":
            self.blocks.write("-")
        elif name == "p":
            self._end_paragraph()
        elif name == "pStyle":
            level = self._levels.get(value, 0)
            self._level, self._indent = (0, 0) if level == _ITEM else (level, self._indent)
        elif name == "outlineLvl":
            self._level = self._level or _outline_level(value)
        elif name == "numPr":
            self._indent = self._indent or 0
        elif name == "ilvl" and value.isdecimal():
            self._indent = min(int(value), 8)
        elif name == "numId" and value == "0":
            self._indent = None
        elif name in _TABLE:
            self.blocks.open(_TABLE[name])

    def end(self, name: str) -> None:
        if self._fallback:
            self._fallback -= 1
        elif name == "t":
            self._written = False
        elif name == "p":
            self._end_paragraph()
        elif name in _TABLE:
            self.blocks.close(_TABLE[name])

    def text(self, text: str) -> None:
        if self._written:
            self.blocks.write(text.replace("\n", " "))

    def _end_paragraph(self) -> None:
        if self._level == _CONTENTS:
            self.blocks.drop_line()
        elif self._level > 0 or self._indent is None:
            self.blocks.heading = self._level
            self.blocks.end_line()
            self.blocks.heading = 0
        else:
            self.blocks.end_line("  " * self._indent + "- ")
        self._level, self._indent = 0, None


_TABLE = {"tbl": "table", "tr": "row", "tc": "cell"}


# ------------------------------------------------------------------ source code


class _Language(NamedTuple):
    """How the definitions of a language look, as regular expressions that match at the first
    letter of a line."""

    suffixes: str
    definition: str
    method: str = _NEVER
    """What only counts inside a class or the like."""
    comment: str = r"//|/\*|\*|@"
    """How lines begin that belong to the definition below them."""


_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|virtual|override"
    r"|async|readonly|native|synchronized|default|extern|unsafe|new|strictfp)\s+)"
)
_TYPED = r"[A-Za-z_](?:[\w<>\[\],.?]*\s+){1,6}\w+"
_STATEMENT = (
    r"(?!(?:if|for|foreach|while|switch|return|else|do|case|goto|catch|throw|new|using|lock|try|with"
    r"|await|yield|typeof|delete|super|this|base|sizeof|typedef|function|import|package)\b)"
)
_LANGUAGES = {
    "python": _Language("py pyi pyw", r"(?:async\s+)?def\s+\w+|class\s+\w+", comment=r"#|@"),
    "javascript": _Language(
        "js jsx mjs cjs ts tsx mts cts",
        r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:"
        r"(?:async\s+)?function\b\s*\*?\s*[\w$]*|(?:abstract\s+)?class\s+[\w$]+"
        r"|(?:interface|namespace|module|(?:const\s+)?enum)\s+[\w$.]+|type\s+[\w$]+(?=[^=\n]{0,200}=)"
        r"|(?:const|let|var)\s+[\w$]+(?=\s*(?::[^=\n]{0,200})?=\s*(?:async\b\s*)?"
        r"(?:function\b|class\b|\([^()\n]{0,300}(?:\)[^=\n]{0,100}=>|\n)|[\w$]+\s*=>)))"
        r"|(?:module\.)?exports(?:\.[\w$]+)?(?=\s*=\s*(?:async\b\s*)?(?:function\b|class\b|\())"
        r"|[\w$.]+\.prototype\.[\w$]+(?=\s*=)",
        r"(?:(?:public|private|protected|static|async|get|set|override|abstract|readonly|\*)\s+)*"
        + _STATEMENT
        + r"[\w$#]+(?=\s*(?:<[^>\n]*>)?\([^;\n]*\{\s*(?:\n|\Z))",
    ),
    "go": _Language("go", r"func\s+(?:\([^)\n]*\)\s*)?\w+|type\s+\w+"),
    "rust": _Language(
        "rs",
        r'(?:pub(?:\([^)\n]*\))?\s+)?(?:(?:default|async|const|unsafe|extern(?:\s+"[^"\n]*")?)\s+)*'
        r"(?:(?:fn|struct|enum|union|trait|type)\s+\w+|mod\s+\w+(?!\w|\s*;))"
        r"|macro_rules!\s*\w+|(?:unsafe\s+)?impl\b[^{;\n]*",
        comment=r"//|/\*|\*|#\[",
    ),
    "java": _Language(
        "java",
        _MODIFIERS + r"*(?:class|interface|enum|record|@interface)\s+\w+",
        _STATEMENT + rf"(?:{_MODIFIERS}+\w+|{_TYPED})(?=\s*\([^;\n]*(?:\n|\Z)|\s*\([^;\n]*\)\s*;)",
    ),
    "csharp": _Language(
        "cs",
        r"namespace\s+[\w.]+|" + _MODIFIERS + r"*(?:class|interface|enum|struct|record)\s+\w+",
        _STATEMENT + rf"(?:{_MODIFIERS}+\w+|{_TYPED})(?=\s*\([^;\n]*(?:\n|\Z))",
        comment=r"//|/\*|\*|\[",
    ),
    "c": _Language(
        "c h cc cpp cxx hpp hh hxx inl m mm",
        r"(?:typedef\s+)?(?:struct|union|enum(?:\s+class)?|class|namespace)\b[^;=()\{\n]*"
        r"(?=\{|\n|\Z)|"
        + _STATEMENT
        + r"[A-Za-z_~][\w \t*&:<>,~]*(?=\([^;{\n]*(?:\{[^\n]*)?(?:\n|\Z))",
        comment=r"//|/\*|\*|template\b|[A-Za-z_][\w \t*&<>]*\r?\n",
    ),
    "kotlin": _Language(
        "kt kts",
        r"(?:(?:public|private|internal|protected|open|abstract|sealed|data|inline|suspend|override"
        r"|operator|infix|tailrec|enum|annotation|companion|value|inner|external|actual|expect)\s+)*"
        r"(?:fun\s+(?:<[^>\n]*>\s*)?[\w.<>?`]+|(?:class|interface|typealias)\s+\w+|object\b(?:\s+\w+)?)",
    ),
    "swift": _Language(
        "swift",
        r"(?:(?:public|private|internal|fileprivate|open|static|final|override|mutating|class|indirect"
        r"|convenience|required|nonisolated|async)\s+)*"
        r"(?:(?:func|class|struct|enum|protocol|extension|actor|typealias)\s+[\w.]+|init\b[?!]?)",
    ),
    "php": _Language(
        "php",
        r"(?:(?:abstract|final|public|private|protected|static|readonly)\s+)*"
        r"(?:function\s+&?\w+|(?:class|interface|trait|enum)\s+\w+)",
        comment=r"//|/\*|\*|#",
    ),
    "ruby": _Language(
        "rb rake",
        r"(?:class|module)\s+[\w:]+|class\s*<<\s*self|def\s+[\w.]+[?!=]?|def\s+[^\s\w(]+",
        comment=r"#",
    ),
    "shell": _Language("sh bash zsh", r"function\s+[\w:.-]+|[\w:.-]+(?=\s*\(\))", comment=r"#"),
    "sql": _Language(
        "sql",
        r"(?i:(?:create|alter)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,3}?(?:table|view|index|function"
        r"|procedure|trigger|type|schema|database|sequence|policy|role)\s+(?:if\s+(?:not\s+)?exists\s+)?"
        r"[\w.\"`\[\]]+)",
        comment=r"--|/\*|\*",
    ),
}
_BY_SUFFIX = {
    f".{suffix}": name for name, about in _LANGUAGES.items() for suffix in about.suffixes.split()
}
_HOLDER = re.compile(
    r"\b(?:class|interface|struct|enum|trait|impl|namespace|module|mod|object|extension|protocol"
    r"|union|record|actor)\b"
)
_NEW_LINE = re.compile(r"\r\n|\r|\n")
_MAX_TITLE = 120


def outline(text: str, suffix: str) -> tuple[Section, ...]:
    """The definitions in source code, in order, each from the first line of the comments over
    it. Python is parsed, unless it is broken or very long; other languages go by their looks,
    and none is found where that fails."""
    language = _BY_SUFFIX.get(suffix.lower(), "")
    if language == "python" and len(text) <= MAX_PARSED:
        try:
            return tuple(_python(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return tuple(_definitions(text, language)) if language else ()


def _python(text: str) -> Iterator[Section]:
    import ast
    import warnings

    bare = text.removeprefix("\ufeff")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(bare)
    starts = [0, *(match.end() for match in _NEW_LINE.finditer(text))]
    above = re.compile(r"[ \t]*#")

    def section(node: ast.stmt, first: int, level: int, title: str) -> Section:
        number = first - 1
        while number and above.match(text, starts[number - 1]):
            number -= 1
        return Section(starts[number], level, title, node.lineno)

    def walk(body: Iterable[ast.stmt], level: int) -> Iterator[Section]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
                word = _WORDS_OF[type(node).__name__]
                yield section(node, first, level, f"{word} {node.name}")
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, level + 1)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                yield from walk(node.body, level)
                for handler in getattr(node, "handlers", ()):
                    yield from walk(handler.body, level)
                yield from walk(getattr(node, "orelse", ()), level)
                yield from walk(getattr(node, "finalbody", ()), level)

    said = (ast.get_docstring(tree) or "").strip()
    if said:
        yield section(tree.body[0], tree.body[0].lineno, 1, said.split("\n")[0][:_MAX_TITLE])
    yield from walk(tree.body, 1)


_WORDS_OF = {"FunctionDef": "def", "AsyncFunctionDef": "async def", "ClassDef": "class"}


@cache
def _looks(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What can be at the beginning of a line: a comment of many lines, which is passed over, a
    definition, or the end of one. And how a line begins that belongs to the one below."""
    about = _LANGUAGES[language]
    passed = {
        "python": _NEVER, "shell": _NEVER, "ruby": r"=begin\b[\s\S]*?(?:\n=end|\Z)",
    }.get(language, r"/\*[\s\S]*?(?:\*/|\Z)")  # fmt: skip
    definition = re.compile(
        rf"\n(?P<indent>[ \t]*)(?:{passed}|(?P<end>[}})\]]|end\b)"
        rf"|(?P<definition>{about.definition})|(?P<method>{about.method}))"
    )
    return definition, re.compile(rf"[ \t]*(?:{about.comment})")


def _definitions(text: str, language: str) -> Iterator[Section]:
    looks, above = _looks(language)
    holders: list[tuple[int, int]] = []  # the indents of classes and the like, and of what is in
    floor, line, counted = 0, 1, 0
    for match in looks.finditer("\n" + text):
        at = match.start()  # of the line, in the text
        indent = len(match["indent"].expandtabs(4))
        if match["end"]:
            while holders and holders[-1][0] >= indent:
                holders.pop()
            floor = at
            continue
        title = match["definition"] or match["method"]
        if not title:
            continue
        while holders and holders[-1][0] >= indent:
            holders.pop()
        inner = holders[-1][1] if holders else 0
        if (indent != inner and inner >= 0) or (match["method"] and not holders):
            continue
        if inner < 0:
            holders[-1] = (holders[-1][0], indent)
        line += text.count("\n", counted, at)
        counted = at
        offset = _with_comments(text, at, floor, above)
        yield Section(offset, len(holders) + 1, " ".join(title.split())[:_MAX_TITLE], line)
        if _HOLDER.search(title):
            holders.append((indent, -1))
        floor = at + 1


def _with_comments(text: str, at: int, floor: int, above: re.Pattern[str]) -> int:
    """Where the comments begin that stand over the line at *at*, not before *floor*."""
    while at > floor:
        before = text.rfind("\n", 0, at - 1) + 1
        if before < floor:
            break
        if text[before:at].rstrip().endswith("*/"):
            opened = text.rfind("/*", floor, at)
            if opened < 0:
                break
            before = text.rfind("\n", 0, opened) + 1
        elif not above.match(text, before):
            break
        at = before
    return at


# ------------------------------------------------------------------ by suffix


_Reader = Callable[[Path, bytes], Content | Problem]
_READERS: dict[str, _Reader] = {
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".rst": _rst,
    ".ipynb": _notebook,
    ".pdf": _pdf,
    ".docx": _docx,
}
