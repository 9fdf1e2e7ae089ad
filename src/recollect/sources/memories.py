"""What other memory tools keep, as documents.

    mem0          its JSON or JSONL export, or OpenMemory's zip: a document for each memory
    basic-memory  Markdown notes with observations and relations
    byterover     a context tree, ``.brv/context-tree/**.md``
    claude        a memory folder: ``MEMORY.md``, its index, and the files beside it
    adr           decision records in numbered files, as MADR and Nygard write them

The text of a memory is kept exactly; what the tool means by it (links, observations, status) is
in its metadata. There too, and nowhere else, are the tool's own users and agents: an import does
not decide who may see what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Problem, stable_id, without
from recollect.sources import adr, json_stream
from recollect.sources.files import JSONL, FileText, FoundFile
from recollect.sources.sessions.base import json_lines, moment, unreadable
from recollect.sources.values import nonempty
from recollect.text import frontmatter, stated

MAX_LINE = 2_000
"""A longer line is somebody's prose or data: it is kept, but not taken for a link or a field."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_MARKDOWN = frozenset({".md", ".markdown"})
_HEADING = re.compile(r"^ {0,3}#[ \t]+(\S.*)", re.MULTILINE)
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")


class Destination(NamedTuple):
    """Where documents go."""

    source: str
    owner: str
    scopes: tuple[str, ...]


class MemoryPage(NamedTuple):
    """A Markdown file, with the fields of its header and the lines of its body outside code."""

    path: Path
    body: str
    fields: Mapping[str, Any]
    lines: tuple[str, ...]


def recognise(path: Path, text: str) -> str:
    """Which tool's memory a Markdown file is: a name from the list above, or empty."""
    if path.suffix.lower() not in _MARKDOWN:
        return ""
    return next((form for form, is_one in _FORMS if is_one(path, text)), "")


def document(
    read: FileText, form: str, source: str, owner: str, scopes: tuple[str, ...]
) -> Document | Problem:
    """A Markdown file of one of these forms."""
    if form == "adr":
        return adr.adr(read, source, owner, scopes)
    if form == "byterover" and _DERIVED.search(read.file.path.name):
        said = "a summary that ByteRover makes from other files of the tree"
        return Problem(str(read.file.path), said, "skipped")
    page = page_of(read)
    meta = {**page.fields, "format": form, **_READERS[form](page)}
    title = first_text(page.fields, "title", "name") or title_in(page.body) or from_name(page.path)
    return base(read, page.fields, Destination(source, owner, scopes))._replace(
        kind="memory", title=title, meta=meta
    )


def base(read: FileText, fields: Mapping[str, Any], whose: Destination) -> Document:
    said = stated.own(fields, title_in(read.text), read.file.relative, stated.KEPT_UP)
    modified = datetime.fromtimestamp(read.file.modified / 1e9, UTC)
    return Document(
        external=read.file.relative,
        source=whose.source,
        text=read.text,
        path=read.file.relative,
        date=said or modified,
        owner=whose.owner,
        scopes=whose.scopes,
        stamp=read.file.stamp,
    )


def page_of(read: FileText) -> MemoryPage:
    fields, body = frontmatter.split(read.text)
    return MemoryPage(
        read.file.path, read.text[body:], fields, tuple(_outside_code(read.text[body:]))
    )


def _outside_code(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside and len(line) <= MAX_LINE:
            yield line


def title_in(text: str) -> str:
    heading = _HEADING.search(text)
    return heading[1].rstrip("# \t\r") if heading else ""


def from_name(path: Path) -> str:
    return re.sub(r"[-_]+", " ", path.stem).strip()


def first_text(fields: Mapping[str, Any], *names: str) -> str:
    found = (fields[name] for name in names if isinstance(fields.get(name), str))
    return next(filter(None, found), "")


def listed(value: Any) -> list[str]:
    """The names in a list or in a text with commas."""
    given = value if isinstance(value, list) else str(value or "").split(",")
    return [name for each in given if (name := str(each).strip())]


# ------------------------------------------------------------------ basic-memory

_OBSERVATION = re.compile(r"\s*[-*][ \t]+\[([^\[\]()]{2,80})\][ \t]+(\S.*)")
_RELATION = re.compile(r"\s*[-*][ \t]([^\[\]]*+)\[\[([^\[\]]+)\]\][ \t]*(?:\((.*)\)[ \t]*)?")
_WIKI = re.compile(r"\[\[([^\[\]]+)\]\]")
_CONTEXT = re.compile(r"\(([^()]*)\)[ \t]*$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")


def _is_basic_memory(_path: Path, text: str) -> bool:
    fields, _ = frontmatter.split(text)
    if "permalink" not in fields or "layout" in fields:  # a page of a web site has both
        return False
    return "type" in fields or any(map(_OBSERVATION.fullmatch, text.splitlines()))


def _basic_memory(page: MemoryPage) -> dict[str, Any]:
    observations, links = [], []
    for line in page.lines:
        if seen := _OBSERVATION.fullmatch(line):
            observations.append(_observation(seen[1], seen[2]))
        if related := _RELATION.fullmatch(line):
            links.append(_link(related[2], related[1].strip(" \t\"'") or "relates_to", related[3]))
        else:
            links += [_link(target, "links_to") for target in _WIKI.findall(line)]
    return nonempty(observations=observations, links=links)


def _observation(category: str, said: str) -> dict[str, Any]:
    text, *context = _CONTEXT.split(said, maxsplit=1)
    text = text.rstrip()
    return {"category": category, "text": text} | nonempty(
        tags=_TAG.findall(text), context="".join(context)
    )


def _link(target: str, kind: str, context: str | None = "") -> dict[str, str]:
    return {"type": kind, "target": target.partition("|")[0].strip()} | nonempty(context=context)


# ------------------------------------------------------------------ ByteRover

_DERIVED = re.compile(r"^_index\.md$|\.(?:abstract|overview)\.md$")
_REFERENCE = re.compile(r"(?<!\S)@([\w./-]+)")
_PLACES = ("domain", "topic", "subtopic")


def _in_context_tree(path: Path, _text: str) -> bool:
    return (".brv", "context-tree") in zip(path.parts, path.parts[1:], strict=False)


def _byterover(page: MemoryPage) -> dict[str, Any]:
    """Its place in the tree, and the paths it relates to."""
    folders = page.path.parts[:-1]
    at = folders.index("context-tree") + 1 if "context-tree" in folders else len(folders)
    places: dict[str, Any] = dict(zip(_PLACES, folders[at:], strict=False))
    related = listed(page.fields.get("related"))
    related += _REFERENCE.findall("\n".join(section(page.lines, "relations")))
    targets = dict.fromkeys(target.removeprefix("@") for target in related)
    return places | nonempty(links=[_link(target, "related") for target in targets])


def section(lines: Iterable[str], name: str) -> list[str]:
    """The lines under the heading *name*."""
    found: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("#"):
            inside = line.lstrip("#").strip().lower() == name
        elif inside:
            found.append(line)
    return found


# ------------------------------------------------------------------ Claude

_INDEX = "MEMORY.md"
_FILE_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+\.md)\)(?:[ \t]*[-–—:][ \t]*(\S.*))?")


def _in_memory_folder(path: Path, _text: str) -> bool:
    """Whether it is an index, or lies in the folder of one (or in ``memory/`` below one)."""
    folder = path.parent
    if path.name == _INDEX:
        return True
    if folder.name == "memory":
        return any((place / _INDEX).exists() for place in (folder, folder.parent))
    return folder.parent.name == "agent-memory" and (folder / _INDEX).exists()


def _claude(page: MemoryPage) -> dict[str, Any]:
    links = []
    for line in page.lines:
        for title, target, about in _FILE_LINK.findall(line):
            links.append(_link(target, "links_to") | nonempty(title=title, about=about.strip()))
        links += [_link(target, "links_to") for target in _WIKI.findall(line)]
    return nonempty(links=links)


_READERS: Mapping[str, Callable[[MemoryPage], dict[str, Any]]] = {
    "basic-memory": _basic_memory,
    "byterover": _byterover,
    "claude": _claude,
}


# ------------------------------------------------------------------ decision records

NUMBERED = re.compile(r"(?:adr[-_ ]?)?(\d{1,5})[-_. ]+(.*[^\W\d].*)", re.IGNORECASE)
_DECISIONS = frozenset({"adr", "adrs", "decisions", "decision-records", "architecture-decisions"})
_SECTION = re.compile(
    r"^#{1,4}[ \t]+(?:status|context|decision|consequences|considered options)\b"
    r"|^[ \t]*(?:[-*+][ \t]+)?\**status\**[ \t]*:",
    re.MULTILINE | re.IGNORECASE,
)


def is_adr(path: Path, text: str) -> bool:
    """Whether a file is a decision record: numbered Markdown in a folder of decisions, with a
    section that decision records have, or a status. A template is none."""
    numbered = NUMBERED.fullmatch(path.stem)
    return (
        path.suffix.lower() in _MARKDOWN
        and numbered is not None
        and not numbered[2].lower().endswith("template")
        and not _DECISIONS.isdisjoint(map(str.lower, path.parts[-4:-1]))
        and _SECTION.search(text) is not None
    )


_FORMS = (
    ("byterover", _in_context_tree),
    ("adr", is_adr),
    ("claude", _in_memory_folder),
    ("basic-memory", _is_basic_memory),
)
"""In the order in which a file is asked whether it is one."""


# ------------------------------------------------------------------ mem0

_ARCHIVED = re.compile(r"memories\.json")
_BACKUP = frozenset({"memories.json", "memories.jsonl.gz"})
_MEMORY = re.compile(rb'"memory"\s*:\s*"')
_MEM0 = re.compile(rb'"(?:user_id|agent_id|run_id|actor_id|hash|categories)"\s*:')
_LIST = re.compile(rb'\s*(?:\[\s*\{|\{\s*"(?:results|memories|count|next)")')
_OPENMEMORY = re.compile(rb'\s*\{\s*"user"\s*:.*?"apps"\s*:\s*\[', re.DOTALL)
_LOGICAL = re.compile(rb'\s*\{"id":[^\n]*"content":[^\n]*"state":[^\n]*"categories":')
_LINES = ((_MEMORY.search, _MEM0.search), (_LOGICAL.match,))
_EXPORTS = {
    ".json": ((_LIST.match, _MEMORY.search, _MEM0.search), (_OPENMEMORY.match,)),
    **dict.fromkeys(JSONL, _LINES),
}
"""How an export begins, by the ending of its name: it passes all tests of one row."""


def is_mem0(path: Path, head: bytes) -> bool:
    """Whether a file is an export of mem0 or OpenMemory, by its name and its first 64 KiB."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return json_stream.has_files(path, _BACKUP)
    line = head.partition(b"\n")[0]
    start = line if suffix in JSONL else head.removeprefix(b"\xef\xbb\xbf")
    return any(all(test(start) for test in tests) for tests in _EXPORTS.get(suffix, ()))


def mem0(
    file: FoundFile, source: str, owner: str, scopes: tuple[str, ...]
) -> Iterator[Document | Problem]:
    """The memories of an export, each a document."""
    whose = Destination(source, owner, scopes)
    seen: set[str] = set()
    try:
        for where, item in _items(file.path):
            told = item if isinstance(item, Problem) else _memory(item, where, whose)
            if isinstance(told, Problem):
                yield told
            elif told.external in seen:
                yield Problem(where, f"the id {told.external!r} was used before it")
            else:
                seen.add(told.external)
                yield told
    except OSError as error:
        yield unreadable(file.path, error)


def _items(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix.lower() in JSONL:
        for number, line in json_lines(path):
            yield f"{path}:{number}", line
        return
    with open(path, "rb") as stream:
        start = stream.read(1 << 16)
    key = "results" if b'"results"' in start else "memories"
    yield from json_stream.members(path, _ARCHIVED, key)


def _memory(item: Any, where: str, whose: Destination) -> Document | Problem:
    if not isinstance(item, dict):
        return Problem(where, f"not a memory but a {type(item).__name__}")
    name = "memory" if isinstance(item.get("memory"), str) else "content"
    text = item.get(name)
    if not isinstance(text, str) or not text.strip():
        return Problem(where, "a memory without text; each needs `memory` or `content`")
    if item.get("state") == "deleted" or item.get("deleted_at"):
        return Problem(where, "was deleted before the export", "skipped")
    try:
        json.dumps(item, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        return Problem(where, f"it says what no text or number can be: {error}")
    others = without(item, {"id", name})
    told = {key: value for key, value in others.items() if value not in _EMPTY}
    return Document(
        external=str(item.get("id") or stable_id(text, str(item.get("user_id")))),
        source=whose.source,
        text=text,
        kind="memory",
        title=_short(text),
        date=moment(item.get("updated_at")) or moment(item.get("created_at")),
        owner=whose.owner,
        scopes=whose.scopes,
        meta={**told, "format": "mem0"},
    )


def _short(text: str, size: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[:size].rpartition(" ")[0] + " …"
