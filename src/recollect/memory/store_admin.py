"""``m.admin``: what those who run a store look at, copy, mend and set."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from recollect.arguments import moment, place
from recollect.errors import UsageError
from recollect.importing import freshness
from recollect.importing.sources import source_of
from recollect.memory import capture, requests, tuning, usage
from recollect.memory.core import Core
from recollect.nouns import Document, Recorded, Report
from recollect.ports import CacheStats, CheckReport, LoadReport
from recollect.reading.cache import recording
from recollect.reading.sessions import lineage as sessions_lineage
from recollect.storage import walled
from recollect.transfer import archive, backup, tree_export

if TYPE_CHECKING:
    from recollect.importing.freshness import SourceState
    from recollect.memory.capture import CaptureStatus
    from recollect.memory.tuning import Tuning
    from recollect.reading.sessions.lineage import Family
    from recollect.storage.embedded.backup import BackupReport
    from recollect.telemetry import Usage


class StoreAdmin:
    """The store as a whole: its indexes, copies, caches and figures."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def check(self, *, full: bool = False) -> CheckReport:
        """Whether the record is sound and the indexes agree with it, on samples or *full*."""
        return self._core.store.admin.check(full=full)

    def rebuild(self) -> None:
        """Makes the text and vector indexes anew from the record. What was found with the old ones
        is not served again: they may have lacked something."""
        self._core.store.admin.refresh(rebuild=True)
        self._core.clear_caches()

    def source_states(self) -> Sequence[SourceState]:
        """The places on this machine that sources gather: gone, changed, or as they were."""
        return freshness.source_states(self._core.store)

    def source_of(self, path: str | Path) -> str:
        """The source that a file on this machine belongs to, because it was added or lies in a
        folder that was; empty if there is none."""
        return source_of(self._core.store.stats().sources, place(path))

    def lineage(self, session: Document) -> Family:
        """The sessions that a session came from, and what came of them among the newest ones."""
        seen = requests.filter_of(self._core.view, {"kinds": ("session",)})
        return sessions_lineage.Lineages(self._core.store, seen).family(session)

    # -------------------------------------------------------------- copies

    def backup(
        self,
        file: str | Path | None = None,
        *,
        force: bool = False,
        report: Report = lambda _: None,
    ) -> BackupReport:
        """Writes all of it to one file, as of one moment, whoever writes meanwhile; the file is
        there when it has been read back and found to be what it says. Without a name it goes to
        the folder ``backups`` beside the user's data."""
        self._check_whole()
        location = self._core.store.stats().location
        return backup.backup(location, file, force=force, report=report)

    def export_all(
        self,
        file: str | Path,
        *,
        vectors: bool = True,
        force: bool = False,
        report: Report = lambda _: None,
    ) -> archive.ArchiveExport:
        """Writes all of it as JSONL (compressed, if the name ends in ``.gz``), for people, other
        programs and other engines; :meth:`import_all` brings it back as it was."""
        store = self._core.store
        return archive.export_all(store, file, vectors=vectors, force=force, report=report)

    def import_all(
        self, file: str | Path, *, replace: bool = False, report: Report = lambda _: None
    ) -> LoadReport:
        """Takes in what :meth:`export_all` wrote. What is here stays unless it is to be *replaced*;
        what was forgotten here stays forgotten. A file that is not whole, or was edited, is
        refused before anything is changed."""
        return archive.import_all(self._core.store, file, replace=replace, report=report)

    def export_tree(
        self,
        folder: str | Path,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        prune: bool = False,
        force: bool = False,
    ) -> tree_export.TreeExport:
        """Writes the context tree as Markdown, a file for each page with its facts, which people
        read and edit; ``add`` of the folder applies what they changed. Files that were edited
        since are left as they are unless *force* is true; those whose page is no more are removed
        if *prune* is."""
        if not str(folder):
            raise UsageError("the folder is empty", hint="give a folder for the tree")
        asked = requests.facts_asked(self._core, owner, scopes)
        store = self._core.store
        return tree_export.export_tree(store, place(folder), asked, prune=prune, force=force)

    # -------------------------------------------------------------- answers and the cache

    def answers(
        self, *, limit: int = 20, before: str | datetime | None = None
    ) -> Sequence[Recorded]:
        """Recorded answers, newest first, each with whether it still holds."""
        requests.check_count("limit", limit, "answers")
        store = self._core.store
        found = store.answers.find(limit=limit, before=moment(before, "before"))
        return recording.with_state(found, store)

    def forget_answers(self, *ids: str, stale: bool = False) -> int:
        """Forgets recorded answers, by their ids, or those that no longer hold; returns how many
        it were."""
        store = self._core.store
        return store.answers.drop([*ids, *(recording.stale_ones(store) if stale else ())])

    def cache_stats(self) -> CacheStats:
        """What the cache of searches holds."""
        return CacheStats() if self._core.cache is None else self._core.cache.stats()

    def clear_cache(self, *, expired: bool = False) -> int:
        """Drops what is kept of earlier searches, or only what has expired. Recorded answers
        stay. Returns how many were dropped."""
        if self._core.cache is None:
            return 0
        return self._core.cache.prune(time()) if expired else self._core.cache.clear()

    # -------------------------------------------------------------- figures of use

    def stats(self, days: int = 30) -> Usage:
        """What searches did in the last so many days, in counts and sums; see
        :mod:`recollect.telemetry`."""
        return usage.usage(self._core.ledger, self._core.recorder, days)

    def clear_stats(self) -> None:
        """Deletes all figures, also those that cannot be read any more."""
        if self._core.ledger is not None:
            self._core.ledger.clear()

    def tune(self, days: int = 30) -> Tuning:
        """What to set otherwise, judging by the figures of the last so many days."""
        return tuning.tuning(self.stats(days), self._core.config)

    def captured(self) -> CaptureStatus:
        """What is kept of the questions that were asked, if the setting ``capture`` is on."""
        self._check_whole()
        return capture.captured(self._core.config)

    def forget_captured(self) -> int:
        """Deletes the questions that were kept; returns how many it were."""
        return capture.forget_captured()

    def _check_whole(self) -> None:
        if self._core.view.walled:
            raise walled.of_the_whole()
