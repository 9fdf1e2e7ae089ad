"""What is in a file: sessions, another tool's memories, or a text, as documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect.errors import InputError, os_reason
from recollect.importing.forks import Forks
from recollect.importing.sources import SourceRoot
from recollect.named_tuple import NamedTuple
from recollect.nouns import LOCAL, Document, Problem, Put
from recollect.sources import conversation, files, formats, memories, notes
from recollect.sources.sessions import base, format_of
from recollect.text import heads, stated
from recollect.text.chunk import passages
from recollect.writing.curation.outline import joined
from recollect.writing.documents import Item


class FileToRead(NamedTuple):
    """A file that will be read, with its session format if it is a log."""

    file: files.FoundFile
    form: base.Format | None
    named: bool = False
    """Whether it is the very file that was asked for."""


class Contents:
    """Reads the files of one import. Of two sessions with the same messages, the first one keeps
    them."""

    def __init__(self, forks: Forks, max_bytes: int, *, thoughts: bool) -> None:
        self.forks = forks
        self.max_bytes = max_bytes
        self.thoughts = thoughts
        """Whether what a model thought is kept."""
        self.left_out: Counter[str] = Counter()
        """What was left out of sessions since it was last asked."""

    def counted(self) -> Counter[str]:
        """Returns what was left out since the last call."""
        counts, self.left_out = self.left_out, Counter()
        return +counts

    def documents(
        self, one: FileToRead, home: SourceRoot, owner: str, scopes: tuple[str, ...]
    ) -> Iterator[Item]:
        file, source = one.file, home.source.name
        if one.form is not None:
            yield from self._sessions(file, one.form, home, owner, scopes)
        elif is_mem0(file):
            for item in memories.mem0(file, source, owner, scopes):
                yield item if isinstance(item, Problem) else item._replace(path=file.relative)
        else:
            raw = files.read(file, self.max_bytes, named=one.named)
            if isinstance(raw, Problem):
                yield raw
            else:
                yield from _text(file, raw, source, owner, scopes)

    def _sessions(
        self,
        file: files.FoundFile,
        form: base.Format,
        home: SourceRoot,
        owner: str,
        scopes: tuple[str, ...],
    ) -> Iterator[Document | Problem]:
        try:
            for item in form.read(file.path):
                if isinstance(item, Problem):
                    yield item
                    continue
                whose = conversation.FileDestination(
                    home.source.name, owner, scopes, file.relative, home.origin
                )
                kept = conversation.document(item, form, whose, thoughts=self.thoughts)
                self.left_out += kept.left_out
                if not kept.document.messages:
                    yield Problem(str(file.path), "a session without messages", "skipped")
                    continue
                own = self.forks.own(kept.document)
                if isinstance(own, str):
                    said = f"it has nothing that the session {own} has not"
                    yield Problem(str(file.path), said, "skipped")
                else:
                    yield own
        except OSError as error:
            yield Problem(str(file.path), files.why(error))


def _text(
    file: files.FoundFile, raw: bytes, source: str, owner: str, scopes: tuple[str, ...]
) -> Iterator[Item]:
    """Yields the document of a text file: another tool's memory, a decision record, a page, code or
    a note."""
    content = formats.read(file.path, raw)
    if isinstance(content, Problem):
        yield content
        return
    yield from content.warnings
    form = memories.recognise(file.path, content.text)
    if form:
        text = files.FileText(file, content.text)
        yield memories.document(text, form, source, owner, scopes)
    else:
        document = notes.document(file, content, source, owner, scopes)
        yield Put(document, passages(document, content.sections))


def read_texts(path: Path, max_bytes: int) -> Iterator[Document | Problem]:
    """Yields what is in a file as a curation reads it: of a log each conversation, as a transcript
    of what its user and its assistant said; else the file. A transcript in Markdown is read as it
    stands. Raises InputError where the file cannot be read."""
    form = format_of(path) if path.suffix.lower() != ".md" else None
    if form is None:
        yield read_file(path, max_bytes)
        return
    whose = conversation.FileDestination(form.name, LOCAL, (), str(path))
    for item in form.read(path):
        if isinstance(item, Problem):
            yield item
            continue
        found = conversation.document(item, form, whose).document
        text = joined((message.role, message.text) for message in found.messages)
        if text:
            yield found._replace(text=text, messages=())


def read_file(path: Path, max_bytes: int) -> Document:
    """Returns a file as an import reads it, with its title and when it was written; where the file
    itself says neither, the head of its text may. Raises InputError where it cannot be read."""
    try:
        info = path.stat()
    except OSError as error:
        hint = "name a file that is there and can be read"
        raise InputError(f"{path}: {os_reason(error)}", hint=hint) from error
    file = files.FoundFile(str(path), path.name, info.st_size, info.st_mtime_ns)
    raw = files.read(file, max_bytes, named=True)
    content = raw if isinstance(raw, Problem) else formats.read(path, raw)
    if isinstance(content, Problem):
        raise InputError(f"{content.where}: {content.reason}", hint="nothing of it was kept")
    found = notes.document(file, content, "", LOCAL, ())._replace(stamp=file.stamp)
    if found.title == path.stem:
        found = found._replace(title=heads.title_of(found.text) or found.title)
    if stated.is_mtime(found):
        said = heads.written_on(found.text, datetime.now(UTC))
        found = found._replace(date=said or found.date)
    return found


def is_empty(found: files.FoundFile) -> bool:
    """Tells whether a log file has been created but not written to yet."""
    if found.size or found.suffix not in files.JSONL:
        return False
    try:
        with open(found.path, "rb") as stream:
            return not stream.read(1)
    except OSError:
        return False


def is_memory(path: Path) -> bool:
    """Tells whether a file is one of the memories that Claude keeps among its logs."""
    return memories.recognise(path, "") == "claude"


def is_mem0(found: files.FoundFile) -> bool:
    if found.suffix not in (".json", ".zip", *files.JSONL):
        return False
    return memories.is_mem0(found.path, files.head(found.path))
