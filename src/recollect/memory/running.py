"""What those who run a store look at and set."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import TYPE_CHECKING

from recollect.errors import ModelError, UsageError
from recollect.memory.models import embedder_for, llm_reranker, model_states
from recollect.memory.opened import Opened
from recollect.ports import CacheStats, Embedder

if TYPE_CHECKING:
    from recollect.memory.capture import Captured
    from recollect.memory.llm import LlmStatus, LlmTest
    from recollect.memory.model_bench import Score
    from recollect.memory.tuning import Tuning
    from recollect.models.llm.provider import Own
    from recollect.telemetry import Usage


class Running(Opened):
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

    def bench_models(self, *names: str, sample: int = 200) -> Sequence[Score]:
        """How well models find things in this store: those named, else all that are here and
        the one in use. Words alone come first, for comparison."""
        from recollect.memory.model_bench import bench

        if not 20 <= sample <= 10_000:
            raise UsageError(f"sample is {sample}", hint="give 20 to 10000 questions")
        return bench(self.store, self._candidates(names), sample=sample)

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
        if self.config["rerank.model"] == "llm":
            self._reranker, self._why_no_reranker = llm_reranker(self._languages)

    def llm_status(self, days: int = 30) -> LlmStatus:
        """Which language model is configured, and what the last so many days cost."""
        return self._llms().status(days)

    def test_llm(self) -> LlmTest:
        """Ask the language model for one word, to see whether it answers."""
        return self._llms().test()
