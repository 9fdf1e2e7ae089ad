"""What a caller says of what is added, and what holds where nothing is said."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from recollect.arguments import names
from recollect.config import Config
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document
from recollect.ports import DocumentStamp
from recollect.sources import files

IMPORT_VERSION = 11
"""Changes when the same file would be read into other documents: it is then read again."""


class ImportRequest(NamedTuple):
    """What the caller of an import asks for."""

    source: str | None = None
    owner: str | None = None
    scopes: Sequence[str] | None = None
    redact: bool | None = None
    """Take secrets out of what is stored; as it is configured, where nothing is said."""
    history: bool = True
    """Import the commits of a repository with its files."""
    prune: bool = False
    """Remove what is on disk no more."""
    dry_run: bool = False


class ImportDefaults:
    """The caller's options, completed by the configuration: owner, scopes and stamps of
    documents."""

    def __init__(self, options: ImportRequest, config: Config) -> None:
        self._owner: str = options.owner or config["import.owner"]
        self._scopes: tuple[str, ...] = names(options.scopes) or config["import.scopes"]
        self._says_owner = options.owner is not None
        self._says_scopes = options.scopes is not None
        self.redact: bool = config["import.redact"] if options.redact is None else options.redact
        thoughts = ":thoughts" if config["import.thoughts"] else ""
        self.stamp_end = f":{IMPORT_VERSION}{'' if self.redact else ':raw'}{thoughts}"
        """What the stamp of a file ends with, after what the disk says of it."""

    @property
    def says_whose(self) -> bool:
        """Tells whether the caller gives an owner or scopes."""
        return self._says_owner or self._says_scopes

    def whose(self, known: Sequence[DocumentStamp | Document]) -> tuple[str, tuple[str, ...]]:
        """Returns owner and scopes: those that the caller gives, else those of the first of these
        documents, else the configured ones."""
        if not known:
            return self._owner, self._scopes
        return self._said(known[0].owner, known[0].scopes)

    def whose_in(self, stamp: str) -> tuple[str, tuple[str, ...]]:
        """Returns owner and scopes likewise, with those that the stamp of a source holds."""
        kept = stamp.partition("\n")[2]
        if not kept:
            return self._owner, self._scopes
        _, _, owner, scopes = json.loads(kept)
        return self._said(owner, tuple(scopes))

    def _said(self, owner: str, scopes: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        return (
            self._owner if self._says_owner else owner,
            self._scopes if self._says_scopes else scopes,
        )

    def for_stamp(self, owner: str, scopes: Sequence[str]) -> str:
        """Returns the options that change what is made of a source, for its stamp."""
        return json.dumps([IMPORT_VERSION, self.redact, owner, list(scopes)])

    def stamp(self, found: files.FoundFile) -> str:
        """Returns the stamp for the documents of a file. The stamp of a database includes its
        write-ahead log, so a walk alone never finds it unchanged."""
        journal = ""
        if found.suffix in (".db", ".sqlite", ".sqlite3"):
            journal = "+"
            beside = f"{found.place}-wal"  # what SQLite has not merged yet
            if os.path.exists(beside):
                info = os.stat(beside)
                journal += f"{info.st_mtime_ns}:{info.st_size}"
        return f"{found.stamp}{journal}{self.stamp_end}"
