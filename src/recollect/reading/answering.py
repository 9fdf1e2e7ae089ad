"""From graded candidates to what is said: results, status, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from recollect.nouns import (
    Candidate,
    Detail,
    Policy,
    Rejected,
    Result,
    Status,
    StoredPassage,
)
from recollect.reading.pool import Pass, Pool
from recollect.text import frontmatter
from recollect.text.questions.parse import Parsed
from recollect.text.snippet import snippet
from recollect.text.tokens import count_tokens

ARMS = ("lexical", "vector", "title", "hop", "rewrite", "successor")
RECORDS = frozenset({"discussion", "decision", "audit", "file", "commit"})
"""Kinds that are shown by a snippet unless more is asked for."""
SNIPPET = 160
"""Characters of a snippet: about forty tokens."""
MARK = "**"
SHOWN = 5


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
    """The part of *text* that shows why it was found, with what matches between marks."""
    found = snippet(text, set(parsed.content), SNIPPET)
    parts, at = [], 0
    for start, end in found.marks:
        parts += [found.text[at:start], MARK, found.text[start:end], MARK]
        at = end
    said = " ".join("".join([*parts, found.text[at:]]).split())
    return f"{'… ' * found.before}{said}{' …' * found.after}"


def status(results: Sequence[Result], confidence: float, policy: Policy) -> Status:
    if not results:
        return "no_results"
    return "direct_passages" if confidence >= policy.direct_confidence else "needs_synthesis"


def rejected(
    left: Sequence[Candidate], passages: Mapping[int, StoredPassage], why: str, dropped: int
) -> tuple[Rejected, ...]:
    """The best of what was found and is not returned; the first *dropped* did not fit."""
    return tuple(
        Rejected(
            passages[c.passage].id,
            passages[c.passage].document.title or passages[c.passage].document.external,
            c.confidence,
            "over the token budget" if n < dropped else why,
        )
        for n, c in enumerate(left[:SHOWN])
    )
