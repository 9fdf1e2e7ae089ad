"""The links between documents: what those of a text lead to, and which texts lead to a document.

A wikilink names a page by the end of its path, whatever the case, as editors of notes do; a
relative link names a file from the folder of its own. Only what the caller may see is found.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from recollect.markup import url
from recollect.nouns import TextQuery
from recollect.nouns import words as clauses
from recollect.surfaces.page import graph, markdown
from recollect.surfaces.page.markdown import LinkTable
from recollect.text.frontmatter import MARKDOWN
from recollect.text.terms import fold, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recollect.nouns import Document, StoredPassage
    from recollect.surfaces.page.layout import PageRequest

FEW = 50
"""Links of one text that are looked up in a source of more than :data:`LISTED` documents; those
after them lead to a search."""
LISTED = 1000
"""Documents of a source that are listed to find what links lead to: that is quicker than to look
for many paths."""
READ = 200
"""Passages that are read for links to a document."""
READ_FOR_NAMES = 50_000
"""Characters of a document that are read for names, and for the links of its neighbours."""
FOLLOWED = 24
"""Neighbours of a document whose own links are followed."""
PICTURES = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
}
"""The pictures that are shown, by how their names end and how they begin: none can have a script
in it."""
LARGE = 10_000_000
"""Bytes of a picture that is shown."""


def is_markdown(path: str) -> bool:
    """Whether a document is shown as Markdown: its name says so, or it has none."""
    return not PurePosixPath(path).suffix or path.lower().endswith(MARKDOWN)


def place(one: Document) -> str:
    """The view of a document."""
    if one.kind == "session":
        return url("/sessions", session=one.external)
    return url("/document", id=one.id)


# ------------------------------------------------------------------ from a text


def table(request: PageRequest, text: str, source: str = "", path: str = "") -> LinkTable:
    """Returns what the links of a text lead to; *source* and *path* say where it stands."""
    asked = markdown.targets(text)
    known = _documents(request, asked, source) if any(asked) else {}
    pages, files = _led(asked, path, known)
    table = LinkTable(
        {name: place(one) for name, one in pages.items()},
        {name: place(one) for name, one in files.items() if source},
    )
    return table._replace(files={**table.files, **_pictures(request, asked, source, path)})


def _led(
    asked: markdown.Targets, path: str, known: Mapping[str, Document]
) -> tuple[dict[str, Document], dict[str, Document]]:
    """Returns the documents that wikilinks lead to, and those that other links lead to."""
    pages = ((page, _page(page, known)) for page in asked.pages)
    files = ((file, known.get(fold(_from(file, path)))) for file in asked.files)
    return {name: one for name, one in pages if one}, {name: one for name, one in files if one}


def _file(page: str) -> str:
    """The name of a page's file."""
    return page if page.lower().endswith(MARKDOWN) else f"{page}.md"


def _last(path: str) -> str:
    return unquote(path).rpartition("/")[2] or path


def _documents(
    request: PageRequest, asked: markdown.Targets, source: str
) -> Mapping[str, Document]:
    """Returns documents by folded path, all that the links may mean among them; the shortest path
    comes first."""
    names = [*map(_file, asked.pages), *map(_last, asked.files)]
    sources = [source] if source else None
    memory = request.memory
    found = memory.store.scan(memory.query("x", sources=sources).filter, limit=LISTED)
    if found.cursor:
        literal = [name.replace("*", "?") for name in names[:FEW]]
        seen = memory.query("x", sources=sources, paths=literal).filter
        found = memory.store.scan(seen, limit=LISTED)
    return {fold(one.path): one for one in sorted(found.items, key=lambda one: len(one.path))}


def _page(page: str, known: Mapping[str, Document]) -> Document | None:
    wanted = fold(_file(page)).strip("/")
    ends = (one for path, one in known.items() if f"/{path}".endswith(f"/{wanted}"))
    return next(ends, None)


def _from(file: str, path: str) -> str:
    """The path of a file that is named from the folder of another."""
    whole = unquote(file)
    folder = "" if whole.startswith("/") else path.rpartition("/")[0]
    return normpath(f"{folder}/{whole}").strip("/")


# ------------------------------------------------------------------ pictures


def _pictures(
    request: PageRequest, asked: markdown.Targets, source: str, path: str
) -> dict[str, str]:
    shown = [one for one in (*asked.files, *asked.pages) if _suffix(one) in PICTURES]
    if not (source and shown and request.local):
        return {}
    return {one: url("/image", source=source, file=_from(one, path)) for one in shown}


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def picture(request: PageRequest) -> tuple[bytes, str] | None:
    """Returns a picture that stands among the files of a source, and what it is. Files are read
    for this machine's own user only, and none outside the folders that were imported."""
    kind, begins = PICTURES.get(_suffix(request.get("file")), ("", b""))
    if not (kind and request.local):
        return None
    for root in _folders(request, request.get("source")):
        try:
            file = (root / request.get("file")).resolve(strict=True)
            if not file.is_relative_to(root) or file.stat().st_size > LARGE:
                continue
            content = file.read_bytes()
        except (OSError, ValueError, RuntimeError):
            continue
        if content.startswith(begins):
            return content, kind
    return None


def _folders(request: PageRequest, source: str) -> Iterator[Path]:
    """The folders that a source was imported from, if the caller may see anything of it."""
    if not request.memory.list(limit=1, sources=[source]).items:
        return
    for one in request.memory.store.stats().sources:
        uris = [each.uri for each in one.places] if one.name == source else []
        for uri in uris:
            if uri.startswith("file:") and (root := Path(unquote(urlsplit(uri).path))).is_dir():
                yield root.resolve()


# ------------------------------------------------------------------ around a document


def around(request: PageRequest, to: Document, text: str) -> graph.Neighbourhood:
    """Returns the documents of the same source that a document links to or names, and those that
    link to it or name it; of the nearest, also what they link to among each other."""
    known = _documents(request, markdown.targets(text), to.source)
    linked = _ids(_linked(text, to.path, known))
    naming, linking = _reading(request, to)
    names = graph.named_in(text[:READ_FOR_NAMES])
    named = {one.id: one for one in known.values() if one.kind != "session" and _name(one) in names}
    near = {**named, **naming, **linked, **linking}
    near.pop(to.id, None)
    edges = {(to.id, id) for id in linked if id != to.id} | {(id, to.id) for id in linking}
    for one in list(near.values())[:FOLLOWED]:
        edges |= {(one.id, id) for id in _next(request, one, known) if id in near}
    nodes = {id: graph.Neighbour(id, one.headline(), place(one)) for id, one in near.items()}
    return graph.Neighbourhood(to.id, nodes, frozenset(edges))


def _ids(some: Iterable[Document]) -> dict[str, Document]:
    return {one.id: one for one in some}


def _linked(text: str, path: str, known: Mapping[str, Document]) -> list[Document]:
    pages, files = _led(markdown.targets(text), path, known)
    return [*pages.values(), *files.values()]


def _next(request: PageRequest, one: Document, known: Mapping[str, Document]) -> set[str]:
    """Returns the ids of the documents that another one links to."""
    whole = request.memory.store.get(one.id)
    texts = [each.text[:READ_FOR_NAMES] for each in whole]
    return {each.id for text in texts for each in _linked(text, one.path, known)} - {one.id}


def _name(one: Document) -> str:
    return graph.name_of(one.title) or "\n"  # which no text has as a name


def _reading(request: PageRequest, to: Document) -> tuple[dict[str, Document], dict[str, Document]]:
    """Returns the documents that name this one, and those with a link to it: what has the words of
    its name is looked up in the text index, and read."""
    name = PurePosixPath(to.path).stem.replace("-", " ").replace("_", " ")
    asked = [query_terms(one)[0] for one in dict.fromkeys((name, graph.name_of(to.title)))]
    queries = [TextQuery(any=clauses(words), strict=True) for words in asked if words]
    if not queries:
        return {}, {}
    seen = request.memory.query("x", sources=[to.source]).filter
    found = request.memory.store.search_text(queries, seen, limit=READ)
    keys = dict.fromkeys(hit.passage for one in found for hit in one.hits)
    passages = [
        one
        for one in request.memory.store.passages(list(keys))
        if one.document.id != to.id and one.document.kind != "session"
    ]
    naming = (one.document for one in passages if _name(to) in graph.named_in(one.passage.text))
    return _ids(naming), _ids(one.document for one in passages if to.path and _leads(one, to))


def _leads(one: StoredPassage, to: Document) -> bool:
    asked = markdown.targets(one.passage.text)
    path = fold(to.path)
    return any(_ends(path, asked.pages)) or any(
        fold(_from(file, one.document.path)) == path for file in asked.files
    )


def _ends(path: str, pages: Iterable[str]) -> Iterator[bool]:
    return (f"/{path}".endswith(f"/{fold(_file(page)).strip('/')}") for page in pages)
