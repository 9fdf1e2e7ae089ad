"""What a source has in the store, by the files it came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import PurePosixPath

from recollect.nouns import GONE, UNIVERSAL
from recollect.ports import DocumentStamp


class ImportedFiles:
    """The documents of one source, by the file that each came from. The stamp of a document tells
    whether it came from a file, from a line of JSONL, or from a caller (no stamp)."""

    def __init__(self, documents: Iterable[DocumentStamp]) -> None:
        self._files: dict[str, dict[str, list[DocumentStamp]]]
        self._files = defaultdict(lambda: defaultdict(list))
        self.lines: dict[str, list[DocumentStamp]] = {}
        for document in documents:
            _, _, path, origin, stamp, _, _ = document
            stamp = stamp.removesuffix(GONE)
            if stamp.startswith("file:"):
                self.lines.setdefault(stamp, []).append(document)
            elif stamp:
                self._files[origin][path].append(document)
        self.seen: set[str] = set()
        """Ids of documents that are still there."""
        self._kept: dict[str, set[str]] = {}
        self._by_folder: dict[str, dict[str, DocumentStamp]] = {}

    def files(self, origin: str) -> dict[str, list[DocumentStamp]]:
        """Returns the documents that came from a place, by the paths of their files."""
        return self._files.get(origin, {})

    def neighbours(self, origin: str, path: str) -> list[DocumentStamp]:
        """Returns the document whose owner and scopes a new file has: the one that the fewest may
        see, of the nearest folder around the file that has any; else of the whole source."""
        strictest = self._strictest(origin)
        above = (strictest.get(str(folder)) for folder in PurePosixPath(path).parents)
        others = (document for place in self._files for document in self._strictest(place).values())
        return list(islice(filter(None, chain(above, strictest.values(), others)), 1))

    def _strictest(self, origin: str) -> dict[str, DocumentStamp]:
        """Returns the strictest document of each folder of a place; those of the strictest come
        first."""
        if origin not in self._by_folder:
            documents = chain.from_iterable(self.files(origin).values())
            found: dict[str, DocumentStamp] = {}
            for document in sorted(documents, key=_reach):
                found.setdefault(str(PurePosixPath(document.path).parent), document)
            self._by_folder[origin] = found
        return self._by_folder[origin]

    def keep(self, origin: str, paths: Iterable[str]) -> None:
        """Marks the documents of the files as present, so that pruning keeps them."""
        self._kept.setdefault(origin, set()).update(paths)

    def gone(self, origin: str, below: str) -> list[DocumentStamp]:
        """Returns the documents of files under a path that were neither seen nor kept."""
        kept = self._kept.get(origin, set())
        return [
            document
            for path, documents in self.files(origin).items()
            if path not in kept and (not below or path == below or path.startswith(f"{below}/"))
            for document in documents
            if document.id not in self.seen
        ]

    def lines_gone(self, uri: str) -> list[DocumentStamp]:
        """Returns the documents of a JSONL file whose lines were not seen."""
        return [line for line in self.lines.get(uri, ()) if line.id not in self.seen]


def _reach(document: DocumentStamp) -> tuple[bool, int]:
    """Returns how widely a document is seen, by its scopes: the less, the stricter."""
    return UNIVERSAL in document.scopes, len(document.scopes)
