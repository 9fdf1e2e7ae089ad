"""From graded candidates to what is said: results, status, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.nouns import (
    Candidate,
    Detail,
    Named,
    Policy,
    Result,
    Span,
    Status,
    StoredPassage,
)
from recollect.reading.pool import Pass, Pool
from recollect.text import frontmatter
from recollect.text.questions.parse import Parsed
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms
from recollect.text.tokens import count_tokens

ARMS = ("lexical", "vector", "title", "hop", "rewrite", "successor")
RECORDS = frozenset({"discussion", "decision", "audit", "file", "commit"})
"""Kinds that are shown by a snippet unless more is asked for."""
SNIPPET = 160
"""Characters of a snippet: about forty tokens."""
MATCHED = 4
"""Words of the question that a line names."""


def cost(*parts: str) -> int:
    """Counts the tokens of everything that a reader is sent of one result."""
    return count_tokens("\n".join(parts))


def result(candidate: Candidate, pool: Pool, alike: Sequence[int]) -> Result:
    """Returns a candidate as it is shown; *alike* are the passages that it stands for."""
    stored = pool.stored(candidate)
    document, passage = stored.document, stored.passage
    detail = pool.of.policy.detail
    if detail == "auto":
        detail = "snippet" if document.kind in RECORDS else "passage"
    text = _text(stored, pool.of, detail)
    return Result(
        id=stored.id,
        document=document.external,
        document_id=stored.id.rpartition(":")[0],
        kind=document.kind,
        source=document.source,
        title=document.title,
        path=document.path,
        heading=passage.heading,
        role=passage.role,
        date=document.date,
        text=text,
        score=candidate.score,
        confidence=candidate.confidence,
        evidence=tuple(c.arm for c in candidate.contributions if c.arm in ARMS),
        contributions=candidate.contributions,
        tokens=cost(stored.id, document.title, document.path, passage.heading, text),
        detail=detail,
        folded=tuple(pool.passages[key].id for key in alike),
        signals=candidate.signals,
        spans=(Span(stored.id, text, passage.role),),
    )


def _text(stored: StoredPassage, asked: Pass, detail: Detail) -> str:
    text = shown(stored, asked.parsed.content)
    if detail == "snippet":
        return marked(text, asked.parsed)
    if detail == "document":
        whole = asked.view.get(stored.document.id)
        return whole[0].rendered() if whole else stored.passage.text
    return text


def shown(stored: StoredPassage, wanted: Collection[str]) -> str:
    """A passage as it is read: of a Markdown file, without the header that it may begin with."""
    text = stored.passage.text
    if stored.passage.n or text[:1] not in ("-", "+", "\ufeff"):
        return text
    is_markdown = stored.document.path.lower().endswith(frontmatter.MARKDOWN)
    return frontmatter.body(text, wanted) if is_markdown else text


def marked(text: str, parsed: Parsed) -> str:
    """The part of *text* that shows why it was found, in one line; who shows it marks the words."""
    found = snippet(text, set(parsed.content), SNIPPET)
    said = " ".join(found.text.split())
    return f"{'… ' * found.before}{said}{' …' * found.after}"


def status(results: Sequence[Result], confidence: float, policy: Policy) -> Status:
    if not results:
        return "no_results"
    return "direct_passages" if confidence >= policy.direct_confidence else "needs_synthesis"


def named(candidate: Candidate, pool: Pool, reason: str) -> Named:
    """Returns a candidate as the line that names it."""
    stored = pool.stored(candidate)
    document = stored.document
    return Named(
        id=stored.id,
        document=document.external,
        kind=document.kind,
        title=document.headline(stored.passage.text),
        path=document.path,
        date=document.date,
        matched=matched_words(candidate, pool),
        confidence=candidate.confidence,
        reason=reason,
    )


def matched_words(candidate: Candidate, pool: Pool) -> tuple[str, ...]:
    """Returns the rarest words of the question that its passage has, as they were typed."""
    there = pool.matched.get(candidate.passage, set())
    typed = dict(zip(*query_terms(pool.of.parsed.prose), strict=False))
    words = sorted((w for w in there if w in typed), key=lambda w: -pool.idf.get(w, 0.0))
    return tuple(typed[word] for word in words[:MATCHED])
