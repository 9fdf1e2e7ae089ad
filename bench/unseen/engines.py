"""What is asked: the default as it ships, and the plain ones beside it.

``rrf-10``      reciprocal rank fusion of the two arms' passages, 1 : 1, k = 60, the first ten
``bm25-10``     the first ten passages by words
``vectors-10``  the first ten passages by meaning

A plain one shows its ten passages as the default shows a result, by the same code and in the same
text, so that tokens compare. It has no confidence of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from recollect import Memory
from recollect.errors import QueryError
from recollect.nouns import Answer, Budget, Candidate, Hit, Named, Policy, StoredPassage
from recollect.reading.answering import result
from recollect.reading.pool import Models, Pass, Pool
from recollect.surfaces import tool_text
from recollect.text.questions.parse import parse
from recollect.text.sentences import units
from recollect.text.tokens import count_tokens
from recollect_evals import metrics
from recollect_evals.questions import Question
from recollect_evals.rows import inside, is_right

SHOWN = 10
NAMED = 15
"""Documents of plain fusion that what is shown or named is compared with."""
POOL = 50
K = 60


class Row(NamedTuple):
    """What one engine gave for one question."""

    set: str
    id: str
    engine: str
    half: str
    category: str
    answerable: bool
    status: str
    confidence: float
    first: bool
    """The first result is of the gold."""
    right: bool
    """Something right is among the first three: what the confidence is about."""
    measures: Mapping[str, float]
    graded: Sequence[tuple[float, bool]] = ()
    """Of each result how sure it is, and whether it is right."""

    def get(self, name: str) -> float | None:
        return self.measures.get(name)


Ask = Callable[[Memory, Question], Answer]


def default(memory: Memory, question: Question, policy: Policy | None = None) -> Answer:
    """The answer of production."""
    try:
        query = memory.query(
            question.text, now=question.date, owner=question.owner, scopes=question.scopes
        )
        return memory.ask(query._replace(policy=policy or query.policy))
    except QueryError as error:
        return nothing(question, error.message)


def nothing(question: Question, why: str = "") -> Answer:
    return Answer(
        query=question.text, status="no_results", tier=3, mode="balanced", intent="general",
        confidence=0.0, results=(), total_found=0, hidden={}, degraded=(why,) * bool(why),
        budget=Budget(None, 0, 0, 0, 0), fingerprint="", stages=(), timing_ms=0.0,
    )  # fmt: skip


def plain(memory: Memory, question: Question, by: Sequence[str]) -> Answer:
    """The first ten passages of these arms, fused 1 : 1."""
    try:
        parsed = parse(question.text)
    except QueryError as error:
        return nothing(question, error.message)
    store = memory.store
    seen = memory.query("", owner=question.owner, scopes=question.scopes).filter
    arms: list[Sequence[Hit]] = []
    if "words" in by:
        arms.append(store.search_text([parsed.text], seen, limit=POOL)[0].hits)
    embedder = memory.core.embedder
    if "vectors" in by and embedder is not None and embedder.reads(parsed.prose):
        vector = embedder.embed_query(parsed.prose)
        arms.append(store.search_vector(embedder.key, vector, seen, limit=POOL).hits)
    scores: dict[tuple[int, int], float] = {}
    for hits in arms:
        for rank, hit in enumerate(hits, 1):
            key = hit.document, hit.passage
            scores[key] = scores.get(key, 0.0) + 1 / (K + rank)
    best = sorted(scores, key=lambda key: -scores[key])[:SHOWN]
    passages = {p.key: p for p in store.passages([passage for _, passage in best])}
    policy = memory.query(question.text).policy._replace(detail="passage")
    asked = Pass(parsed, seen, policy, store, Models())
    pool = Pool(asked, (), passages, {}, len(scores), False, {}, by_meaning=True)
    results = tuple(
        result(Candidate(d, p, scores[d, p], ()), pool) for d, p in best if p in passages
    )
    firsts = list({key[0]: key for key in sorted(scores, key=lambda key: scores[key])}.values())
    after = [passage for _, passage in sorted(firsts, key=lambda key: -scores[key])[:NAMED]]
    return nothing(question)._replace(
        status="direct_passages" if results else "no_results", results=results,
        named=tuple(_headline(one) for one in store.passages(after)), total_found=len(scores),
    )  # fmt: skip


def _headline(stored: StoredPassage) -> Named:
    one = stored.document
    return Named(stored.id, one.external, one.kind, one.title, one.path, one.date, (), 0.0)


ENGINES: dict[str, Ask] = {
    "default": default,
    "rrf-10": lambda memory, question: plain(memory, question, ("words", "vectors")),
    "bm25-10": lambda memory, question: plain(memory, question, ("words",)),
    "vectors-10": lambda memory, question: plain(memory, question, ("vectors",)),
}


def measured(set: str, engine: str, question: Question, answer: Answer) -> Row:
    shown = count_tokens(tool_text.answer(answer._replace(named=()), {}))
    whole = count_tokens(tool_text.answer(answer, {}))
    documents = _documents(answer)
    gold = question.gold
    right = [is_right(one, question) for one in answer.results]
    plain = engine not in ("default", "refit")
    values: dict[str, float] = {"tokens": shown if plain or not answer.results else whole}
    values |= {"shown_tokens": shown, "named_tokens": whole - shown}
    if gold:
        values |= {
            "documents": metrics.all_evidence_at(documents, gold, SHOWN),
            "ndcg": metrics.ndcg_at(documents, gold, SHOWN),
            "precision": sum(right) / len(right) if right else 0.0,
            **_evidence(question, answer),
        }
    return Row(
        set, question.id, engine, question.half, question.category, bool(gold), answer.status,
        answer.confidence, bool(documents) and documents[0] in gold,
        any(document in gold for document in documents[:3]), values,
        tuple(zip((round(one.confidence, 6) for one in answer.results), right, strict=True)),
    )  # fmt: skip


def _documents(answer: Answer) -> list[str]:
    """Those that are shown, and then those that are named."""
    shown, named = (one.document for one in answer.results), (one.document for one in answer.named)
    return list(dict.fromkeys([*shown, *named]))


def _evidence(question: Question, answer: Answer) -> dict[str, float]:
    """Whether the evidence is shown, whether its documents are shown or named, and how much of what
    is shown it is."""
    if not question.evidence.units:
        return {}
    found = inside(question.evidence, answer.results)
    return {
        "shown": found["evidence_shown"],
        "named": metrics.evidence_named(question.evidence, _documents(answer)),
        "density": _density(question, answer),
    }


def _density(question: Question, answer: Answer) -> float:
    """The share of the characters shown that lie in evidence."""
    wanted: dict[str, set[str]] = {}
    for unit in question.evidence.units:
        for one in (unit, *unit.others):
            pieces = (text[a:b] for text in one.texts for a, b in units(text))
            wanted.setdefault(one.document, set()).update(pieces)
    total = sum(len(one.text) for one in answer.results)
    inside = sum(
        len(piece)
        for one in answer.results
        for piece in wanted.get(one.document, ())
        if piece in one.text
    )
    return min(1.0, inside / total) if total else 0.0
