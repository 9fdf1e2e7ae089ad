"""Exchanges: a question that was asked before is no evidence; what was replied to it may be.

With hooks every prompt becomes a passage, and the passage that is most like a question is the same
question. So a passage that is nothing but a question is no candidate. What was replied to it, up to
the next turn of whoever asked, is found by the question as well as by its own words: together they
score the mean of the two, and have the words of both. That finds a reply where nothing else
answers; it puts none before what answers by its own words, for what was replied may have been
wrong, and is seldom more than what the store says anyway.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.nouns import Candidate, Contribution, StoredPassage
from recollect.reading.pool import Pool
from recollect.text.questions.asking import is_question
from recollect.text.terms import terms
from recollect.trace import say, stage, unreported

ASKED = 8
"""Questions, the best ones, whose replies are looked up."""
AFTER = 30
"""Passages after a question that are looked through for what was replied."""
FIRST, LAST = 1, 2
"""Passages of a reply that are taken: what was said at once, and what was said in the end."""
REPLIED = 0.8
"""How likely it is that what was replied answers what was asked."""
BEHIND = 1e-6
"""How far a reply is put behind what answers by its own words, in log-odds."""


@stage("exchanges", otherwise=lambda pool: pool)
def answered(pool: Pool) -> Pool:
    """Takes from the candidates what only asks and what nobody said, and looks up what was replied
    to the best of the questions."""
    every = _every(pool)
    heard = [c for c in every if pool.of.admits(pool.stored(c))]
    asking = [] if pool.of.questions else [c for c in heard if _asks(pool.stored(c), pool)]
    if len(heard) == len(every) and not asking:
        return unreported(pool)
    questions = {c.passage for c in asking}
    passages, asked = dict(pool.passages), dict[int, Candidate]()
    for question in asking[:ASKED]:
        for reply in _replies(pool.stored(question), pool):
            passages[reply.key] = reply
            asked.setdefault(reply.key, question)
    say(_left_out(len(questions), len(every) - len(heard)), found=len(asked))
    others = (c for c in heard if c.passage not in questions)
    return _regrouped(pool._replace(passages=passages, asked=asked), others)


def _left_out(questions: int, unheard: int) -> str:
    counts = {"only ask": questions, "nobody said": unheard}
    return "left out: " + ", ".join(f"{count} that {why}" for why, count in counts.items() if count)


def _every(pool: Pool) -> list[Candidate]:
    """Returns the candidates of the pool and the other passages of their documents, best first."""
    others = (one for some in pool.others.values() for one in some)
    return sorted((*pool.fused, *others), key=lambda c: -c.score)


def _regrouped(pool: Pool, candidates: Iterable[Candidate]) -> Pool:
    """Returns the pool with these, of each document the best before the others."""
    of: dict[int, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda c: -c.score):
        of.setdefault(candidate.document, []).append(candidate)
    others = {document: tuple(some[1:]) for document, some in of.items() if some[1:]}
    return pool._replace(fused=tuple(some[0] for some in of.values()), others=others)


def _asks(stored: StoredPassage, pool: Pool) -> bool:
    """Whether a passage is nothing but a question, or a prompt that says no more than is asked."""
    text, typed = stored.passage.text, stored.passage.role == "user"
    if is_question(text, typed=typed):
        return True
    said = _stems(text) if typed else set()
    return bool(said) and said <= _stems(pool.of.parsed.prose)


def _stems(text: str) -> set[str]:
    return set(terms(text).stem.split())


def _replies(question: StoredPassage, pool: Pool) -> list[StoredPassage]:
    """Returns what others said after a question, until whoever asked speaks again."""
    spoken = []
    for stored in pool.of.view.passages([question.key], after=AFTER)[1:]:
        turn, role = stored.passage.turn, stored.passage.role
        if turn != question.passage.turn and role == question.passage.role:
            break
        if role != "tool" and _is_seen(stored, pool) and not _asks(stored, pool):
            spoken.append(stored)
    return spoken[:FIRST] + spoken[FIRST:][-LAST:]


def _is_seen(stored: StoredPassage, pool: Pool) -> bool:
    return pool.of.sees(stored) and pool.of.admits(stored)


# ------------------------------------------------------------------ found by the question


def joined(pool: Pool) -> Pool:
    """Returns the pool with each reply that was looked up as its exchange would be found."""
    known = {c.passage: c for c in _every(pool)}
    made = {reply: _exchange(reply, question, known) for reply, question in pool.asked.items()}
    keys = {*pool.asked, *(question.passage for question in pool.asked.values())}
    has = pool.of.view.matched(pool.of.parsed.content, list(keys))
    both = {
        reply: has.get(reply, set()) | has.get(question.passage, set())
        for reply, question in pool.asked.items()
    }
    pool = pool._replace(matched={**pool.matched, **both})
    return _regrouped(pool, {**known, **made}.values())


def _exchange(reply: int, question: Candidate, known: dict[int, Candidate]) -> Candidate:
    own = {part.arm: part for part in known[reply].contributions} if reply in known else {}
    parts = tuple(_mean(part, own.get(part.arm)) for part in question.contributions)
    return Candidate(question.document, reply, sum(part.value for part in parts), parts)


def _mean(asked: Contribution, own: Contribution | None) -> Contribution:
    """Returns what an arm says of a question and of its reply. A reply that it did not find is as
    far as the farthest that it found."""
    far = asked.raw - asked.value / asked.weight if asked.weight else asked.raw
    raw, value = (own.raw, own.value) if own else (far, 0.0)
    return asked._replace(raw=(asked.raw + raw) / 2, value=(asked.value + value) / 2)


def hedged(joined: Pool) -> Pool:
    """Returns the pool with the replies as sure as a reply to the very same question can be."""
    best = tuple(
        c._replace(confidence=REPLIED * c.confidence) if c.passage in joined.asked else c
        for c in joined.best
    )
    return joined._replace(best=best, confidence=max(c.confidence for c in best))


def placed(alone: Pool, joined: Pool) -> tuple[Candidate, ...]:
    """Returns the candidates, each reply as its exchange is graded, behind the first of those that
    answer by their own words."""
    first = alone.best[0]
    best = {c.document: c for c in alone.best}
    for candidate in joined.best:
        own = best.get(candidate.document)
        score = min(candidate.score, first.score - BEHIND)
        if candidate.passage in joined.asked and (own is None or own.score < score):
            sure = min(candidate.confidence, first.confidence)
            best[candidate.document] = candidate._replace(score=score, confidence=sure)
    return tuple(sorted(best.values(), key=lambda c: -c.score))
