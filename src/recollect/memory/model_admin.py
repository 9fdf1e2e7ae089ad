"""``m.models``: the models of a store, and the vectors that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelError, RecollectError, UsageError
from recollect.memory import model_bench
from recollect.memory.core import Core
from recollect.memory.models import (
    ModelState,
    NoModel,
    embedder_for,
    fetch_model,
    is_accelerated,
    model_states,
    models_folder,
    remember_folder,
    shipped,
    threads_for,
    usable_model,
)
from recollect.memory.options import Status
from recollect.models import calibrate, scales
from recollect.named_tuple import NamedTuple
from recollect.nouns import Progress, Report
from recollect.ports import Embedder, Llm
from recollect.reading import fitted
from recollect.writing import embedding

if TYPE_CHECKING:
    from recollect.memory.llm import LlmStatus, LlmTest
    from recollect.memory.model_bench import ModelScore
    from recollect.models.llm.provider import Own
    from recollect.models.scales import Calibration


class ModelSwitch(NamedTuple):
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


def status(core: Core) -> Status:
    """What the store holds, which model it is searched with, and what is pending."""
    stats = core.store.stats()
    gone = sum(len(core.store.admin.stamps(one.name, gone=True)) for one in stats.sources)
    if core.embedder is None:
        return Status(stats, core.config["embed.model"], core.why_no_embedder, 0, gone)
    pending = stats.passages - stats.vectors.get(core.embedder.key, 0)
    failure = core.background.failure if core.background else ""
    return Status(stats, core.embedder.key, failure or "ready", pending, gone)


def embed(core: Core, report: Report, threads: int | None) -> int:
    """Gives every passage a vector; returns how many were made."""
    if threads is not None and not 1 <= threads <= 64:
        raise UsageError(f"threads is {threads}", hint="give 1 to 64")
    if core.embedder is None:
        raise ModelError(core.why_no_embedder)
    total = status(core).pending
    if not total:
        return 0
    remember_folder(core.config, core.embedder.key)
    report(Progress("embedding", 0, total))

    def tell(far: embedding.EmbeddingProgress) -> None:
        report(Progress("embedding", far.done, total, far.share(total)))

    wanted = threads_for(core.embedder, total, threads)
    step = embedding.STEP if wanted > 1 else embedding.WRITE
    if is_accelerated(core.embedder):
        step = embedding.ACCELERATED
    return embedding.embed_pending(core.store, core.embedder, tell, step=step, threads=wanted)


def embed_newest(core: Core, most: int) -> None:
    """Gives what was just written its vectors, and leaves what waits from before to whoever goes on
    with it: that may be an hour's work. What was written is written: a failure leaves it without
    vectors, which `status` tells."""
    if core.embedder is None:
        return
    with suppress(RecollectError):
        remember_folder(core.config, core.embedder.key)
        embedding.embed_pending(core.store, core.embedder, most=most)


class ModelAdmin:
    """The models that serve a store: looked at, tried, changed."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def states(self) -> Sequence[ModelState]:
        """Every model known by name, and those in use."""
        return model_states(self._core.config)

    def fetch(self, name: str, say: Callable[[str], None] = lambda _: None) -> Path:
        """Downloads a model's files and checks them."""
        return fetch_model(self._core.config, name, say)

    def embed(self, report: Report = lambda _: None, *, threads: int | None = None) -> int:
        """Gives every passage a vector, with several threads where that pays (or as many as
        are asked for). Returns how many were made."""
        return embed(self._core, report, threads)

    def embed_in_background(self) -> None:
        """Embeds what is pending from now until the memory is closed, beside everything else."""
        core = self._core
        if core.embedder is not None and core.background is None:
            core.background = embedding.BackgroundEmbedder(core.store, core.embedder)

    def bench(
        self, *names: str, sample: int = 200, report: Report = lambda _: None
    ) -> Sequence[ModelScore]:
        """How well models find things in this store: those named, else all that are here and
        the one in use. Words alone come first, for comparison."""
        if not 20 <= sample <= 10_000:
            raise UsageError(f"sample is {sample}", hint="give 20 to 10000 questions")
        embedders = self._candidates(names)
        return model_bench.bench(self._core.store, embedders, sample=sample, report=report)

    def _candidates(self, names: Sequence[str]) -> dict[str, Embedder]:
        config, in_use = self._core.config, self._core.embedder
        wanted = names or [s.name for s in self.states() if s.here and s.job == "embed"]
        found: dict[str, Embedder] = {}
        if in_use is not None and not names:
            found[config["embed.model"]] = in_use
        for name in wanted:
            embedder = embedder_for(config.with_value("embed.model", name))
            if isinstance(embedder, NoModel):
                raise ModelError(embedder.why)
            found.setdefault(name, embedder)
        return found

    def switch(
        self, name: str, report: Report = lambda _: None, *, threads: int | None = None
    ) -> ModelSwitch:
        """Searches with another embedding model: it is tried first, then every passage gets a
        vector of it, and what its scores mean is found out. The old vectors serve until there are
        as many new ones; cut off, it goes on where it was when it is called again. The setting
        (``embed.model``) is the caller's to write."""
        core = self._core
        key, value = usable_model(core.config, name)
        if key != "embed.model" or value == "none":
            raise UsageError(
                f"{name} is no model to embed with",
                hint=f"`recollect models use {name}` chooses it",
            )
        core.config = core.config.with_value(key, value)
        core.use_embedder(embedder_for(core.config))
        assert core.embedder is not None  # it was tried
        made = self.embed(report, threads=threads)
        note = ""
        if core.scale(core.embedder) is None:
            try:
                self.calibrate(report=report)
            except (UsageError, ModelError) as error:
                note = error.message
        counts = dict(core.store.admin.models())
        done = counts.pop(core.embedder.key, 0)
        return ModelSwitch(value, core.embedder.key, made, done, counts, note)

    def calibrate(
        self, *, count: int = 100, report: Report = lambda _: None
    ) -> Sequence[Calibration]:
        """Finds out, on what is in this store, what the cosines of the embedder in use mean, where
        that is not the one that ships; from then on the grade counts them. Up to *count* questions
        are made of what is in the store."""
        if not 20 <= count <= 1000:
            raise UsageError(f"count is {count}", hint="give 20 to 1000 questions")
        core, embedder = self._core, self._core.embedder
        if embedder is None or fitted.knows(embedder.key):
            return ()
        pairs = calibrate.sample(core.store, count)

        def tell(done: int, total: int) -> None:
            report(Progress("calibrating", done, total))

        found = calibrate.embedder_scale(pairs, shipped(core.config), embedder, count, tell)
        scales.keep(models_folder(core.config), found)
        return (found,)

    def prune(self) -> Mapping[str, int]:
        """Deletes the vectors of models that no longer serve; returns how many, by model."""
        core = self._core
        serving, note = core.serving_embedder()
        if core.embedder is None or serving is None:
            raise UsageError(
                f"which vectors are needed cannot be told: {note}",
                hint="`recollect models switch NAME` chooses a model and embeds with it",
            )
        if serving.key != core.embedder.key:
            raise UsageError(
                f"the older vectors are still needed: {note}",
                hint="`recollect models switch` goes on with it",
            )
        others = [key for key in core.store.admin.models() if key != serving.key]
        return {key: core.store.admin.drop_vectors(key) for key in others}

    # -------------------------------------------------------------- the language model

    def llm(self) -> Llm:
        """The language model, for one command: what is spent through it counts together. Raises
        ``ModelMissing`` where none is configured; nothing in here needs one."""
        return self._core.languages.llm()

    def use_llm(self, own: Own) -> None:
        """Asks a language model of your own instead of the configured one: a callable that takes an
        ``LlmRequest`` and gives the text of the answer, or an ``LlmReply``."""
        self._core.use_llm(own)

    def llm_status(self, days: int = 30) -> LlmStatus:
        """Which language model is configured, and what the last so many days cost."""
        return self._core.languages.status(days)

    def test_llm(self) -> LlmTest:
        """Asks the language model for one word, to see whether it answers."""
        return self._core.languages.test()
