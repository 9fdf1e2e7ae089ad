"""What a source has in the store, by the files it came from."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.types import Document


class Known:
    """A document's stamp tells one of a file from a line of JSONL, and both from what a caller
    has put there."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.files: dict[tuple[str, str], list[Document]] = {}
        self.lines: dict[str, list[Document]] = {}
        for document in documents:
            if document.stamp.startswith("file:"):
                self.lines.setdefault(document.stamp, []).append(document)
            elif document.stamp:
                self.files.setdefault((document.origin, document.path), []).append(document)
        self.seen: set[str] = set()
        """Ids of documents that are still there."""
        self._kept: set[tuple[str, str]] = set()

    def keep(self, origin: str, path: str) -> None:
        """What came from this file is still there."""
        self._kept.add((origin, path))

    def gone(self, origin: str, below: str) -> list[Document]:
        """The documents of files under a path that have not been seen."""
        return [
            document
            for (place, path), documents in self.files.items()
            if place == origin and (not below or path == below or path.startswith(f"{below}/"))
            if (place, path) not in self._kept
            for document in documents
            if document.id not in self.seen
        ]

    def lines_gone(self, uri: str) -> list[Document]:
        """The lines of a file that have not been seen."""
        return [line for line in self.lines.get(uri, ()) if line.id not in self.seen]
