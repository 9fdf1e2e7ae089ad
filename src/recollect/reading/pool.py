"""The values that go from stage to stage: a pass, and the pool of candidates that it found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import exp
from operator import attrgetter
from typing import TypeVar

from recollect import ports
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    UNHEARD,
    Candidate,
    Contribution,
    Filter,
    Hit,
    Policy,
    Scale,
    StoredPassage,
    Window,
    filled,
    group_by,
    index_by,
    not_among,
)
from recollect.ports import (
    Embedder,
    Llm,
    PairModel,
    QuestionVectors,
    Reranker,
    Store,
    VectorResult,
)
from recollect.text import frontmatter
from recollect.text import pairs as text_pairs
from recollect.text.calls import is_call
from recollect.text.questions.parse import Parsed
from recollect.text.terms import is_run, query_terms

WORDED = frozenset({"words", "terse"})
"""Kinds of evidence that cannot tell that nothing is there."""


class LanguageModel(NamedTuple):
    """A language model that a request may ask."""

    name: str
    ask: Callable[[], Llm]
    """Returns the same one for all of a request; raises what keeps it from being used."""


class Models(NamedTuple):
    """The models that a search can call on, and for each a note on what is lacking: why there is
    none although one is wanted, or that an older one serves meanwhile."""

    embedder: Embedder | None = None
    embedder_note: str = ""
    reranker: Reranker | None = None
    reranker_note: str = ""
    cosines: Scale | None = None
    """Turns this embedder's cosines into those that the grade was fitted on; None where they are
    these, or nobody has calibrated it."""
    pairs: PairModel | None = None
    """Tells whether two texts say the same; None where only the same words do."""
    llm: LanguageModel | None = None
    llm_note: str = "no language model may be asked"

    @property
    def judge(self) -> text_pairs.Judge | None:
        """What compares two texts; None where only the same words do."""
        return self.pairs.judge if self.pairs else None


def sees_all(_: StoredPassage) -> bool:
    return True


class Lookups(NamedTuple):
    """What the passes of one question have looked up: a second one wants most of it again."""

    nearest: dict[tuple[str, Filter], VectorResult]
    """By the words that were embedded."""
    called: dict[tuple[str, Filter], Sequence[Hit]]
    """Passages of the documents that go by a name."""
    vectors: dict[str, QuestionVectors]
    """What the embedder made of a question, by its words."""


class Pass(NamedTuple):
    """One way through the stages: what is looked for, where, and with what."""

    parsed: Parsed
    filter: Filter
    policy: Policy
    view: Store
    models: Models
    window: Window | None = None
    """The time that the question speaks of."""
    hop: bool = False
    """Whether the documents that the best hits name are looked up as well."""
    sees: Callable[[StoredPassage], bool] = sees_all
    """Whether a passage that was found may be seen: not a fact that is no longer in force."""
    questions: bool = False
    """Whether what was asked is looked for, and not what answers."""
    known_odds: Mapping[int, float] = {}
    """The reranker's log-odds of what it has read in an earlier pass, by passage."""
    lookups: Lookups | None = None
    """None where it is the only pass."""

    @property
    def asks(self) -> ports.Vector | None:
        """What is held against the sentences of passages; None where the question was not
        embedded, or the model has no vectors of sentences."""
        made = self.lookups.vectors.get(self.parsed.prose) if self.lookups else None
        return made.asks if made else None

    def shows(self, stored: StoredPassage) -> bool:
        """Whether a passage may be seen, both what it is and who speaks in it."""
        return self.sees(stored) and self.admits(stored)

    def admits(self, stored: StoredPassage) -> bool:
        """Whether a passage of a document that is seen may be seen as well, by who speaks in it.
        What no person and no assistant said is heard where it is asked for; the call of a tool is
        what an assistant did."""
        roles, role = self.filter.roles, stored.passage.role
        if roles is not None:
            return not role or role in roles
        return role not in UNHEARD or (role == "tool" and is_call(stored.passage.text))


class Exchange(NamedTuple):
    """A question that somebody asked before, and a passage that replies to it."""

    question: Candidate
    reply: Candidate


class Pool(NamedTuple):
    """The candidates of one pass, and what is known of them."""

    of: Pass
    fused: tuple[Candidate, ...]
    """In the order of the fusion."""
    passages: Mapping[int, StoredPassage]
    idf: Mapping[str, float]
    """The inverse document frequency of each word of the question in this store."""
    total: int
    """How many documents the arms found together."""
    full: bool
    """An arm brought as many as it may: there may be more where these came from."""
    others: Mapping[int, Sequence[Candidate]]
    """The next best passages of each document, best first."""
    by_meaning: bool
    """The vector arm is among those that found them."""
    crowded: bool = False
    """What may not be heard took so many places in the arms that there is room left for others."""
    entries: Mapping[int, Sequence[tuple[int, int]]] = {}
    """The parts of passages that are from the period asked for, where others are of another."""
    asking: tuple[Candidate, ...] = ()
    """Set apart, best first: what only asks."""
    asked: Mapping[int, Exchange] = {}
    """The passages that reply to a question among those that were found."""
    among: int = 0
    """How many passages it compared: in a large store the nearest is nearer by chance."""
    named_by: Mapping[int, int] = {}
    """The documents that a hit names, each with the document of that hit."""
    odds: Mapping[int, float] = {}
    """The reranker's log-odds, by document."""
    matched: Mapping[int, set[str]] = {}
    """The words of the question that each passage has."""
    grader: str = "words"
    """The kind of evidence by which they are graded."""
    best: tuple[Candidate, ...] = ()
    """Graded, best first."""
    confidence: float = 0.0
    """The probability that the answer is among the first of them."""
    ceiling: float = 1.0
    """What that may be at most, by what the sentence has that comes nearest to the question."""
    held: str = ""
    """What the sentence lacks, or has instead."""
    answerable: float = 0.0
    """The probability that anything about what is asked is stored at all."""

    @property
    def worth(self) -> dict[str, float]:
        """The inverse document frequency of each content word of the question."""
        return {word: self.idf.get(word, 1.0) for word in self.of.parsed.content}

    @property
    def doubtful(self) -> bool:
        """Whether it is doubtful that the answer is among them; not where words say that it is, or
        are all there is to go by."""
        by_words = self.grader in WORDED or self.is_said
        return not by_words and self.of.policy.doubts(self.answerable)

    @property
    def is_said(self) -> bool:
        """Whether something has all the words of the question, or what it quotes: all that is found
        has that. Then it is stored, whatever the vectors say."""
        return bool(self.of.parsed.text.must) or any(c.signals.coverage >= 1 for c in self.best)

    def every(self) -> list[Candidate]:
        """Returns the candidates and the other passages of their documents, best first."""
        others = chain.from_iterable(self.others.values())
        return sorted((*self.fused, *others), key=lambda c: -c.score)

    def regrouped(self, candidates: Iterable[Candidate]) -> Pool:
        """Returns the pool with these instead, of each document the best before the others."""
        of = grouped_by_document(sorted(candidates, key=lambda c: -c.score))
        fused = tuple(some.pop(0) for some in of.values())
        return self._replace(fused=fused, others=filled(of))

    def stored(self, candidate: Candidate) -> StoredPassage:
        return self.passages[candidate.passage]

    def begin(self, stored: StoredPassage) -> int:
        """Returns where a passage begins to be read: of a Markdown file, after its header."""
        return begin(stored, self.of.parsed.content)


def begin(stored: StoredPassage, wanted: Collection[str]) -> int:
    """Returns where a passage begins to be read: of a Markdown file, after its header, but for what
    of that is *wanted*."""
    text = stored.passage.text
    if stored.passage.n or text[:1] not in ("-", "+", "\ufeff"):
        return 0
    if not stored.document.path.lower().endswith(frontmatter.MARKDOWN):
        return 0
    return len(text) - len(frontmatter.body(text, wanted))


T = TypeVar("T", Candidate, Hit)
_DOCUMENT = attrgetter("document")


def by_document(candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """Returns the candidates by their documents."""
    return index_by(_DOCUMENT, candidates)


def by_passage(candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """Returns the candidates by their passages."""
    return index_by(attrgetter("passage"), candidates)


def by_key(stored: Iterable[StoredPassage]) -> dict[int, StoredPassage]:
    """Returns the passages by their keys."""
    return index_by(attrgetter("key"), stored)


def grouped_by_document(candidates: Iterable[Candidate]) -> dict[int, list[Candidate]]:
    """Returns the candidates of each document, in their order."""
    return group_by(_DOCUMENT, candidates)


def best_by_document(ranked: Iterable[T]) -> dict[int, T]:
    """Returns the first, and so the best, of each document."""
    best: dict[int, T] = {}
    for one in ranked:
        best.setdefault(one.document, one)
    return best


def of_passages(some: Iterable[T], passages: Container[int]) -> Iterator[T]:
    """Yields those of these passages, in their order."""
    return (one for one in some if one.passage in passages)


def of_documents(some: Iterable[T], documents: Container[int]) -> Iterator[T]:
    """Yields those of these documents, in their order."""
    return (one for one in some if one.document in documents)


def not_of_documents(some: Iterable[T], documents: Container[int]) -> Iterator[T]:
    """Yields those of other documents than these, in their order."""
    return (one for one in some if one.document not in documents)


def share(worth: Mapping[str, float], words: Collection[str]) -> float:
    """Returns what these words are worth, as a share of what all words of the question are."""
    found = sum([value for word, value in worth.items() if word in words])
    return found / (sum(worth.values()) or 1.0)


def as_typed(stems: Iterable[str], parsed: Parsed, idf: Mapping[str, float]) -> tuple[str, ...]:
    """Returns those of the question's words that have these stems, as they were typed, rarest
    first, in their order; of a word with parts ("3.008", "fatty-acid") not these again."""
    typed = dict(zip(*query_terms(parsed.prose), strict=False))
    wanted = frozenset(stems)
    known = [stem for stem in typed if stem in wanted and not is_run(stem)]
    parts = set(chain.from_iterable(query_terms(typed[stem])[0][1:] for stem in known))
    whole = sorted(not_among(known, parts), key=lambda stem: -idf.get(stem, 0.0))
    return tuple(typed[stem] for stem in whole)


SURE = 12.0
"""No log-odds beyond this, either way: nothing here is surer."""


def probability(score: float) -> float:
    """Returns the logistic function of log-odds."""
    return 1 / (1 + exp(-max(-SURE, min(SURE, score))))


def raised(one: Candidate, score: float, arm: str, sure: float = 1.0) -> Candidate:
    """Returns a candidate that is graded at least so: it stands for another that was, and is no
    surer than that."""
    if score <= one.score:
        return one
    others = [part for part in one.contributions if part.arm != arm]
    part = Contribution(arm, 0, score, 1.0, score - one.score)
    confidence = max(min(sure, probability(score)), min(sure, one.confidence))
    return one._replace(score=score, confidence=confidence, contributions=(*others, part))
