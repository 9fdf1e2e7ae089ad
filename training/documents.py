"""Text to learn from: the documents of the data folder, and documentation packages of Debian.

``python -m training.documents`` downloads the packages with apt (their names and licences are in
:data:`PACKAGES`) and writes ``training/out/passages.jsonl.xz``: one passage a line, cut as the
product cuts it.
"""

from __future__ import annotations

import gzip
import json
import lzma
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from bench.corpus import data_folder, lines
from bench.quality import SETS

from recollect.nouns import Document, Message
from recollect.text.chunk import passages
from recollect.text.lexical import indexed_text

OUT = Path(__file__).resolve().parent / "out"
PACKAGES = {
    "debian-handbook": "CC-BY-SA-3.0 or GPL-2+",
    "python3.11-doc": "PSF-2.0",
    "git-doc": "GPL-2",
    "postgresql-doc-15": "PostgreSQL",
    "sqlite3-doc": "public domain",
    "developers-reference": "GPL-2+",
    "debian-faq": "GPL-2+",
    "debian-policy": "GPL-2+",
    "debian-reference-en": "GPL-2+",
    "debian-reference-de": "GPL-2+",
    "debian-reference-es": "GPL-2+",
    "debian-reference-zh-cn": "GPL-2+",
    "python-django-doc": "BSD-3-Clause",
    "apache2-doc": "Apache-2.0",
    "dict-foldoc": "GFDL",
    "dict-jargon": "public domain",
}
MOST = {  # passages taken from each, so that no one kind of text rules the rest
    "debian": 30_000, "gitlog": 16_000, "peps": 9_000, "sessions": 12_000, "docs": 30_000,
    "handbook": 18_000,
}  # fmt: skip
_HANDBOOKS = {"ar", "de", "en", "es", "ru", "zh"}


class _Page(HTMLParser):
    """The headed sections of a page as plain text."""

    SKIP = frozenset({"script", "style", "nav", "head", "footer", "form"})
    BLOCK = frozenset({"p", "li", "div", "pre", "tr", "dt", "dd", "br", "table", "section"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[tuple[str, list[str]]] = [("", [])]
        self._skipping = 0
        self._heading: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag in self.SKIP:
            self._skipping += 1
        elif re.fullmatch(r"h[1-4]", tag):
            self._heading = []
        elif tag in self.BLOCK:
            self.sections[-1][1].append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SKIP:
            self._skipping = max(0, self._skipping - 1)
        elif re.fullmatch(r"h[1-4]", tag) and self._heading is not None:
            title = re.sub(r"[\s¶#]+", " ", "".join(self._heading)).strip()
            self.sections.append((re.sub(r"^[\d.]+\s+", "", title), []))
            self._heading = None

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.append(data)
        elif not self._skipping:
            self.sections[-1][1].append(data)


def html_sections(text: str) -> Iterator[tuple[str, str]]:
    page = _Page()
    page.feed(text)
    for heading, parts in page.sections:
        body = re.sub(r"[ \t]+", " ", "".join(parts))
        body = re.sub(r"\s*\n\s*", "\n", body).strip()
        if len(body) > 120 and heading:
            yield heading, body


def _document(title: str, text: str, name: str = "x") -> Document:
    return Document(external=name, source="t", text=text, title=title)


def _cut(document: Document) -> Iterator[tuple[str, str]]:
    """(heading, text as it is embedded) of each passage."""
    for passage in passages(document):
        if len(passage.text) > 20:
            heading = passage.heading or document.title
            yield heading, indexed_text(document.title, passage.heading, passage.text)


def packages(folder: Path) -> Iterator[tuple[str, str, str]]:
    """(source, heading, text) of the sections of the documentation packages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PACKAGES:
        if not list(folder.glob(f"{name}_*.deb")):
            subprocess.run(["apt-get", "download", "-q", name], cwd=folder, check=True)
        archive = next(folder.glob(f"{name}_*.deb"))
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE
        ) as unpack:
            assert unpack.stdout is not None
            with tarfile.open(fileobj=unpack.stdout, mode="r|") as tree:
                yield from _package(name, tree)


def _package(name: str, tree: tarfile.TarFile) -> Iterator[tuple[str, str, str]]:
    for member in tree:
        page = re.search(r"\.(x?html?)(\.gz)?$", member.name)
        book = member.name.endswith(".dict.dz")
        if not member.isfile() or not (page or book) or member.size > 4_000_000:
            continue
        file = tree.extractfile(member)
        assert file is not None
        raw = file.read()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8", "replace")
        if book:
            for entry in re.split(r"\n(?=\S)", text):
                head, _, body = entry.partition("\n")
                if 150 < len(body) < 4000:
                    yield "docs", head.strip(), re.sub(r"\s+", " ", body).strip()
            continue
        if name == "debian-handbook":
            language = re.search(r"/html/([a-z]{2})", member.name)
            if not language or language[1] not in _HANDBOOKS:
                continue
        if re.search(r"genindex|search|modindex|whatsnew/|/changes|/toc|index-all", member.name):
            continue
        kind = "handbook" if name.startswith(("debian-handbook", "debian-reference")) else "docs"
        for heading, body in html_sections(text):
            for _heading, cut in _cut(_document(heading, body)):
                yield kind, heading, cut


def archive(path: Path, ending: str) -> Iterator[tuple[str, str]]:
    with tarfile.open(path) as tree:
        for member in tree:
            file = tree.extractfile(member) if member.name.endswith(ending) else None
            if file is not None:
                yield Path(member.name).stem, file.read().decode("utf-8", "replace")


def plain(folder: Path) -> Iterator[tuple[str, str, str]]:
    """(source, heading, text) of documents that no question is asked about."""
    for row in lines(folder / "debian" / "docs.jsonl.xz"):
        yield "debian", row["title"], f"{row['title']}\n{row['text']}"[:2400]
    for row in lines(folder / "gitlog" / "django.jsonl.xz"):
        if len(row["body"]) > 60:
            yield "gitlog", row["subject"], f"{row['subject']}\n\n{row['body']}"[:2400]
    for row in lines(folder / "peps" / "docs.jsonl.xz"):
        for heading, text in _cut(_document(row["title"], row["text"])):
            yield "peps", heading, text
    for name, text in archive(folder / "til-notes.tar.xz", ".md"):
        for heading, cut in _cut(_document(name.replace("-", " "), text)):
            yield "til", heading, cut
    for _name, text in archive(folder / "agent-sessions.tar.xz", ".md"):
        for _heading, cut in _cut(_document("", text)):
            yield "sessions", "", cut


def evaluated(folder: Path) -> Iterator[dict[str, str]]:
    """The passages of the sets that have questions, with their documents."""
    for name, (documents, _questions) in SETS.items():
        for row in lines(folder / documents):
            turns = tuple(Message(t["role"], t["text"]) for t in row.get("turns", ()))
            document = Document(
                external=str(row["id"]), source="t", text=row.get("text", ""),
                title=row.get("title", ""), messages=turns,
            )  # fmt: skip
            for heading, text in _cut(document):
                yield {"s": name, "d": document.external, "h": heading, "t": text}


def sampled(found: Iterable[tuple[str, str, str]], seed: int = 3) -> Iterator[dict[str, str]]:
    kept: dict[str, list[dict[str, str]]] = {}
    seen = set()
    for source, heading, text in found:
        key = hash(text[:400])
        if key not in seen:
            seen.add(key)
            kept.setdefault(source, []).append({"s": source, "h": heading, "t": text})
    some = random.Random(seed)
    for source, rows in kept.items():
        some.shuffle(rows)
        yield from rows[: MOST.get(source, len(rows))]


def main() -> int:
    folder = data_folder()
    if folder is None:
        sys.exit("the data folder is needed (RECOLLECT_DATA)")
    OUT.mkdir(exist_ok=True)
    counts: dict[str, int] = {}
    with lzma.open(OUT / "passages.jsonl.xz", "wt", preset=6) as out:

        def rows() -> Iterator[dict[str, str]]:
            yield from evaluated(folder)
            yield from sampled([*plain(folder), *packages(OUT / "packages")])

        for row in rows():
            counts[row["s"]] = counts.get(row["s"], 0) + 1
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
