"""What those who run a store look at and set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.errors import ModelError, UsageError
from recollect.memory.keeping import Keeping
from recollect.memory.models import (
    embedder_for,
    llm_reranker,
    model_states,
    shipped,
    usable_model,
)
from recollect.nouns import Progress, Report
from recollect.ports import CacheStats, Checked, Embedder, Loaded

if TYPE_CHECKING:
    from recollect.importing.freshness import SourceState
    from recollect.memory.calibrate import Calibrated
    from recollect.memory.capture import Captured
    from recollect.memory.llm import LlmStatus, LlmTest
    from recollect.memory.model_bench import Score
    from recollect.memory.tuning import Tuning
    from recollect.models.llm.provider import Own
    from recollect.storage.embedded.backup import BackedUp
    from recollect.telemetry import Usage
    from recollect.transfer.archive import Exported


class Switched(NamedTuple):
    """What a change of model did."""

    model: str
    key: str
    embedded: int
    """Vectors that were made now."""
    vectors: int
    """Those that there are of it."""
    older: Mapping[str, int]
    """Those of other models, which can be deleted."""
    note: str = ""
    """Why the grade does not count its scores."""

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "older": dict(self.older)}


class Running(Keeping):
    """Caches, figures, models."""

    def cache_stats(self) -> CacheStats:
        """What the cache of searches holds."""
        return CacheStats() if self._cache is None else self._cache.stats()

    def clear_cache(self, *, expired: bool = False) -> int:
        """Drop what is kept of earlier searches, or only what has expired. Recorded answers
        stay. Returns how many were dropped."""
        if self._cache is None:
            return 0
        return self._cache.prune(time()) if expired else self._cache.clear()

    def check(self, *, full: bool = False) -> Checked:
        """Whether the record is sound and the indexes agree with it, on samples or *full*."""
        return self.store.admin.check(full=full)

    def source_states(self) -> Sequence[SourceState]:
        """The places on this machine that sources gather: gone, changed, or as they were."""
        from recollect.importing.freshness import source_states

        return source_states(self.store)

    def backup(
        self,
        file: str | Path | None = None,
        *,
        force: bool = False,
        report: Report = lambda _: None,
    ) -> BackedUp:
        """Write all of it to one file, as of one moment, whoever writes meanwhile; the file is
        there when it has been read back and found to be what it says. Without a name it goes to
        the folder ``backups`` beside the user's data."""
        from recollect.transfer.backup import backup

        return backup(self.store.stats().location, file, force=force, report=report)

    def export_all(
        self,
        file: str | Path,
        *,
        vectors: bool = True,
        force: bool = False,
        report: Report = lambda _: None,
    ) -> Exported:
        """Write all of it as JSONL (compressed, if the name ends in ``.gz``), for people, other
        programs and other engines; :meth:`import_all` brings it back as it was."""
        from recollect.transfer.archive import export_all

        return export_all(self.store, file, vectors=vectors, force=force, report=report)

    def import_all(
        self, file: str | Path, *, replace: bool = False, report: Report = lambda _: None
    ) -> Loaded:
        """Take in what :meth:`export_all` wrote. What is here stays unless it is to be *replaced*;
        what was forgotten here stays forgotten. A file that is not whole, or was edited, is
        refused before anything is changed."""
        from recollect.transfer.archive import import_all

        return import_all(self.store, file, replace=replace, report=report)

    def bench_models(
        self, *names: str, sample: int = 200, report: Report = lambda _: None
    ) -> Sequence[Score]:
        """How well models find things in this store: those named, else all that are here and
        the one in use. Words alone come first, for comparison."""
        from recollect.memory.model_bench import bench

        if not 20 <= sample <= 10_000:
            raise UsageError(f"sample is {sample}", hint="give 20 to 10000 questions")
        return bench(self.store, self._candidates(names), sample=sample, report=report)

    def switch_model(
        self, name: str, report: Report = lambda _: None, *, processes: int | None = None
    ) -> Switched:
        """Search with another embedding model: it is tried first, then every passage gets a vector
        of it, and what its scores mean is found out. The old vectors serve until there are as many
        new ones; cut off, it goes on where it was when it is called again. The setting
        (``embed.model``) is the caller's to write."""
        key, value = usable_model(self.config, name)
        if key != "embed.model" or value == "none":
            raise UsageError(f"{name} is no model to embed with",
                             hint=f"`recollect models use {name}` chooses it")  # fmt: skip
        self.config = self.config.with_value(key, value)
        self._embedder, self._why_no_embedder = embedder_for(self.config)
        assert self._embedder is not None  # it was tried
        made = self.embed(report, processes=processes)
        note = ""
        if self._scale(self._embedder) is None:
            try:
                self._calibrated("embed", 100, report)
            except (UsageError, ModelError) as error:
                note = error.message
        counts = dict(self.store.admin.models())
        done = counts.pop(self._embedder.key, 0)
        return Switched(value, self._embedder.key, made, done, counts, note)

    def calibrate(
        self, *, count: int = 100, report: Report = lambda _: None
    ) -> Sequence[Calibrated]:
        """Find out, on what is in this store, what the scores of the embedder and the reranker in
        use mean, where these are not the ones that ship; from then on the grade counts them. Up
        to *count* questions are made of what is in the store."""
        if not 20 <= count <= 1000:
            raise UsageError(f"count is {count}", hint="give 20 to 1000 questions")
        found = [self._calibrated(job, count, report) for job in ("embed", "rerank")]
        return [one for one in found if one is not None]

    def _calibrated(self, job: str, count: int, report: Report) -> Calibrated | None:
        """The scale of the model in use for this job, found and kept; None where the grade knows
        it, or there is none."""
        from recollect.memory.calibrate import embedder_scale, keep, reranker_scale, sample
        from recollect.reading.grade import knows

        embedder, reranker = self._embedder, self._reranker
        model = embedder if job == "embed" else reranker
        if model is None or knows(model.key):
            return None
        known, ranks = shipped(self.config)
        pairs = sample(self.store, count)

        def tell(done: int, total: int) -> None:
            report(Progress("calibrating", done, total))

        if job == "embed" and embedder is not None:
            found = embedder_scale(pairs, known, embedder, count, tell)
        else:
            assert reranker is not None
            found = reranker_scale(pairs, ranks, reranker, known, count, tell)
        keep(self.config, found)
        return found

    def prune_vectors(self) -> Mapping[str, int]:
        """Delete the vectors of models that no longer serve; how many, by model."""
        serving, note = self._serving()
        if self._embedder is None or serving is None:
            raise UsageError(
                f"which vectors are needed cannot be told: {note}",
                hint="`recollect models switch NAME` chooses a model and embeds with it",
            )
        if serving.key != self._embedder.key:
            raise UsageError(f"the older vectors are still needed: {note}",
                             hint="`recollect models switch` goes on with it")  # fmt: skip
        others = [key for key in self.store.admin.models() if key != serving.key]
        return {key: self.store.admin.drop_vectors(key) for key in others}

    def _candidates(self, names: Sequence[str]) -> dict[str, Embedder]:
        wanted = names or [s.name for s in model_states(self.config) if s.here and s.job == "embed"]
        found: dict[str, Embedder] = {}
        if self._embedder is not None and not names:
            found[self.config["embed.model"]] = self._embedder
        for name in wanted:
            embedder, why = embedder_for(self.config.with_value("embed.model", name))
            if embedder is None:
                raise ModelError(why)
            found.setdefault(name, embedder)
        return found

    def stats(self, days: int = 30) -> Usage:
        """What searches did in the last so many days, in counts and sums; see
        :mod:`recollect.telemetry`."""
        from recollect.memory.usage import usage

        return usage(self._ledger, self._recorder, days)

    def clear_stats(self) -> None:
        """Delete all figures, also those that cannot be read any more."""
        if self._ledger is not None:
            self._ledger.clear()

    def captured(self) -> Captured:
        """What is kept of the questions that were asked, if the setting ``capture`` is on."""
        from recollect.memory.capture import captured

        return captured(self.config)

    def forget_captured(self) -> int:
        """Delete the questions that were kept; how many it were."""
        from recollect.memory.capture import forget_captured

        return forget_captured()

    def tune(self, days: int = 30) -> Tuning:
        """What to set otherwise, judging by :meth:`stats`."""
        from recollect.memory.tuning import tuning

        return tuning(self.stats(days), self.config)

    def use_llm(self, own: Own) -> None:
        """Ask a language model of your own instead of the configured one: a callable that takes an
        ``LlmRequest`` and gives the text of the answer, or an ``LlmReply``."""
        from recollect.memory.llm import Languages

        self._languages = Languages(self.config, own)
        self._rerankers.pop("llm", None)
        if self.config["rerank.model"] == "llm":
            self._reranker, self._why_no_reranker = llm_reranker(self._languages)

    def llm_status(self, days: int = 30) -> LlmStatus:
        """Which language model is configured, and what the last so many days cost."""
        return self._llms().status(days)

    def test_llm(self) -> LlmTest:
        """Ask the language model for one word, to see whether it answers."""
        return self._llms().test()
