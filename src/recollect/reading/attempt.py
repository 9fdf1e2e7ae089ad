"""One way from a question to graded candidates: gather, fuse, rerank, grade, and hop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from recollect.nouns import (
    Candidate,
    Contribution,
    Filter,
    Hit,
    Policy,
    Scale,
    StoredPassage,
    Window,
)
from recollect.ports import Embedder, Llm, Reranker, Store
from recollect.reading.candidates import gather
from recollect.reading.fuse import fuse
from recollect.reading.grade import graded, grader, knows, together
from recollect.reading.rerank import rerank
from recollect.reading.signals import signals
from recollect.text.questions.parse import Parsed
from recollect.trace import Trace


class Writer(NamedTuple):
    """A language model that a request may ask."""

    name: str
    ask: Callable[[], Llm]
    """The same for all of one request; raises what keeps it from being used."""


class Models(NamedTuple):
    """What a search can call on, and for each what is to be said of it: why there is none, or
    that an older one serves meanwhile."""

    embedder: Embedder | None = None
    embedder_note: str = ""
    reranker: Reranker | None = None
    reranker_note: str = ""
    cosines: Scale | None = None
    """What makes cosines that the grade knows of this embedder's; None where they are, or nobody
    has found it out."""
    odds: Scale | None = None
    """The same for the reranker's log-odds."""
    llm: Writer | None = None
    llm_note: str = "no language model may be asked"


class Wider(NamedTuple):
    """What a second way has over the first."""

    words: tuple[str, ...] = ()
    """Words of the best hits, which are looked for besides."""
    read: Mapping[int, float] = {}
    """The reranker's log-odds of what it has read already, by passage."""
    neighbours: int = 0
    """Of so many of the best hits the passages next to them are read as well."""


NOT_WIDER = Wider()


class Attempt:
    """What one way found. ``best`` are its candidates, graded and in order; ``confidence`` is
    the probability that the answer is among them."""

    def __init__(
        self, parsed: Parsed, filter: Filter, policy: Policy, store: Store, models: Models,
        trace: Trace, *, window: Window | None, hop: bool, wider: Wider = NOT_WIDER,
        sees: Callable[[StoredPassage], bool] = lambda _: True,
    ) -> None:  # fmt: skip
        self.parsed = parsed
        self.filter = filter
        self.policy = policy
        self.store = store
        self.models = models
        self.trace = trace
        self.window = window
        self.wider = wider
        self.sees = sees
        self.odds: dict[int, float] = {}
        self.matched: dict[int, set[str]] = {}
        found = gather(
            parsed, filter, policy, store, models.embedder, trace, models.embedder_note, window,
            wider.words,
        )  # fmt: skip
        self.idf: Mapping[str, float] = found.idf
        self.full = any(len(arm.every or arm.hits) >= policy.pool for arm in found.arms)
        """There may be more where this came from."""
        self.spare: dict[int, dict[int, None]] = {}
        first: dict[int, int] = {}
        for hit in (hit for arm in found.arms for hit in arm.every):
            if first.setdefault(hit.document, hit.passage) != hit.passage:
                others = self.spare.setdefault(hit.document, {first[hit.document]: None})
                others[hit.passage] = None
        with trace.stage("fuse", f"reciprocal rank fusion, k = {policy.rrf_k}"):
            depth = max(policy.limit, policy.rerank)
            head = policy.rerank or depth
            fused, self.total = fuse(found.arms, policy.rrf_k, depth, head)
            self.passages = self._seen(fused)
            self.fused = [c for c in fused if c.passage in self.passages]
        self._rerank(self.fused)
        self._grade(cosine=any(arm.name == "vector" for arm in found.arms))
        if wider.neighbours and self.odds and not (parsed.text.must or parsed.text.never):
            self._look_around()
        if hop and self.best:
            self._hop()
        elif policy.hop:
            trace.skipped("hop", _why_no_hop(policy, found=bool(self.best)))
        self.confidence = together(self.best, self.by)

    @property
    def worth(self) -> dict[str, float]:
        """What each word of the question is worth."""
        return {word: self.idf.get(word, 1.0) for word in self.parsed.content}

    def _seen(self, candidates: Sequence[Candidate]) -> dict[int, StoredPassage]:
        """Their passages, less those that may not be seen: a fact that is no longer in force."""
        some = self.store.passages([c.passage for c in candidates])
        return {p.key: p for p in some if self.sees(p)}

    def _rerank(self, candidates: list[Candidate]) -> None:
        head, read = candidates[: self.policy.rerank], self.wider.read
        known = {c.document: read[c.passage] for c in head if c.passage in read}
        self.odds |= known
        if known and len(known) == len(head):
            self.trace.skipped("rerank", "all of it was read before")
        else:
            self.odds |= self._read([c for c in head if c.document not in known])

    def _read(self, candidates: list[Candidate]) -> dict[int, float]:
        odds = rerank(
            self.parsed.prose, candidates, self.passages, self.policy, self.models.reranker,
            self.trace, self.models.reranker_note,
        )  # fmt: skip
        scale = self.models.odds
        return odds if scale is None else {key: scale.of(odd) for key, odd in odds.items()}

    def read(self) -> dict[int, float]:
        """What the reranker said of each passage that it has read."""
        return {c.passage: self.odds[c.document] for c in self.fused if c.document in self.odds}

    def _grade(self, *, cosine: bool) -> None:
        since = perf_counter()
        embedder, reranker = self.models.embedder, self.models.reranker
        strange = []
        if embedder is None or not embedder.speaks(self.parsed.prose):
            cosine = False
        elif cosine and self.models.cosines is None and not knows(embedder.key):
            cosine = False
            strange.append(embedder.key)
        if self.odds and reranker and self.models.odds is None and not knows(reranker.key):
            strange.append(reranker.key)
        self.by = grader(odds=bool(self.odds), cosine=cosine, terse=self.parsed.terse)
        self.best = self._in_order()
        said = f"from {self.by.kind.replace('+', ' and ')}"
        if strange:
            said += f"; uncalibrated: {', '.join(strange)} (`recollect models calibrate`)"
        self.trace.ran("grade", since, reason=said)

    def _in_order(self) -> list[Candidate]:
        new = [c.passage for c in self.fused if c.passage not in self.matched]
        with self.trace.surviving("coverage"):
            self.matched |= self.store.matched(self.parsed.content, new) if new else {}
        known = signals(
            self.parsed, self.fused, self.passages, self.idf, self.matched, self.odds, self.window,
            self.models.cosines,
        )  # fmt: skip
        return graded(self.fused, known, self.by)

    def _look_around(self) -> None:
        """Where the passage before or after one of the best hits is the better answer, it stands
        for the document."""
        since, moved = perf_counter(), 0
        with self.trace.surviving("neighbours"):
            best = self.best[: self.wider.neighbours]
            places = {c.document: n for n, c in enumerate(self.fused)}
            for before, after in ((1, 0), (0, 1)):
                beside = []
                for hit in best:
                    around = self.store.neighbours(hit.passage, before=before, after=after)
                    others = [p for p in around if p.key != hit.passage and self.may_see(p)]
                    self.passages |= {stored.key: stored for stored in others}
                    beside += [hit._replace(passage=stored.key) for stored in others]
                odds = self._read(beside)
                for hit in beside:
                    odd = odds.get(hit.document)
                    if odd is not None and odd > self.odds.get(hit.document, odd):
                        place = places[hit.document]
                        self.fused[place] = self.fused[place]._replace(passage=hit.passage)
                        self.odds[hit.document] = odd
                        moved += 1
            self.trace.ran("neighbours", since, found=moved)
            if moved:
                self.best = self._in_order()

    def may_see(self, stored: StoredPassage) -> bool:
        """Whether a passage of a document that is seen may be seen as well."""
        roles, role = self.filter.roles, stored.passage.role
        return roles is None or not role or role in roles

    def _hop(self) -> None:
        """Adds the documents that the best hits name, and grades all anew."""
        from recollect.reading.hop import bridges

        since = perf_counter()
        with self.trace.surviving("hop"):
            named = bridges(self.parsed.prose, self.best, self.passages, self.filter, self.store)
            self.trace.ran("hop", since, found=len(named), reason=_said([b.name for b in named]))
            self._add([Hit(b.passage, b.document, b.parent.confidence) for b in named], "hop")

    def take(self, hits: Sequence[Hit], arm: str) -> int:
        """Takes in what was found in another way, and grades all of it anew against the question;
        how many documents are new."""
        new = self._add(hits, arm)
        self.confidence = together(self.best, self.by)
        return new

    def replace(self, best: list[Candidate]) -> None:
        """These are the candidates now, in this order: some stand for others, and are as sure."""
        self.best = best
        self.confidence = max(self.confidence, together(best, self.by))

    def _add(self, hits: Sequence[Hit], arm: str) -> int:
        places = {c.document: n for n, c in enumerate(self.fused)}
        new: dict[int, Candidate] = {}
        for rank, hit in enumerate(hits, 1):
            part = Contribution(arm, rank, hit.score, 0.0, 0.0)
            at = places.get(hit.document)
            if at is None:
                new.setdefault(hit.document, Candidate(hit.document, hit.passage, 0.0, (part,)))
                continue
            old = self.fused[at]
            if arm not in [known.arm for known in old.contributions]:
                self.fused[at] = old._replace(contributions=(*old.contributions, part))
        self.passages |= self._seen(list(new.values()))
        added = [c for c in new.values() if c.passage in self.passages]
        if self.odds and added:
            self._rerank(added)
        if hits:
            self.fused += added
            self.best = self._in_order()
        return len(added)


def _why_no_hop(policy: Policy, *, found: bool) -> str:
    if policy.by != "hybrid":
        return f"the search is {policy.by}"
    return "it asks for one thing" if found else "nothing was found"


def _said(names: list[str]) -> str:
    if not names:
        return "the best hits name no other document"
    return "named by the best hits: " + ", ".join(names[:4]) + (" …" if names[4:] else "")
