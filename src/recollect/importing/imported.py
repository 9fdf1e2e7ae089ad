"""What a source has in the store, by the files it came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from recollect.ports import DocumentStamp


class ImportedFiles:
    """A document's stamp tells one of a file from a line of JSONL, and both from what a caller
    has put there."""

    def __init__(self, documents: Iterable[DocumentStamp]) -> None:
        self._files: dict[str, dict[str, list[DocumentStamp]]]
        self._files = defaultdict(lambda: defaultdict(list))
        self.lines: dict[str, list[DocumentStamp]] = {}
        for document in documents:
            _, _, path, origin, stamp, _, _ = document
            if stamp.startswith("file:"):
                self.lines.setdefault(stamp, []).append(document)
            elif stamp:
                self._files[origin][path].append(document)
        self.seen: set[str] = set()
        """Ids of documents that are still there."""
        self._kept: dict[str, set[str]] = {}

    def files(self, origin: str) -> dict[str, list[DocumentStamp]]:
        """What came from a place, by the paths of its files."""
        return self._files.get(origin, {})

    def last(self) -> list[DocumentStamp]:
        """What came last from any file."""
        return next((held for files in self._files.values() for held in files.values()), [])

    def keep(self, origin: str, paths: Iterable[str]) -> None:
        """What came from these files is still there."""
        self._kept.setdefault(origin, set()).update(paths)

    def gone(self, origin: str, below: str) -> list[DocumentStamp]:
        """The documents of files under a path that have not been seen."""
        kept = self._kept.get(origin, set())
        return [
            document
            for path, documents in self.files(origin).items()
            if path not in kept and (not below or path == below or path.startswith(f"{below}/"))
            for document in documents
            if document.id not in self.seen
        ]

    def lines_gone(self, uri: str) -> list[DocumentStamp]:
        """The lines of a file that have not been seen."""
        return [line for line in self.lines.get(uri, ()) if line.id not in self.seen]
