"""Exchanges: a question that was asked before is no evidence; what was replied to it may be.

With hooks every prompt becomes a passage, and the passage that is most like a question is the same
question. So a prompt or note that is nothing but a question is no candidate. What was replied to
it, up to the next turn of whoever asked, is found by the question as well as by its own words:
together they score the mean of the two, and have the words of both. That finds a reply where
nothing else answers; it puts none before what answers by its own words, for what was replied may
have been wrong, and is seldom more than what the store says anyway.

The call of a tool that only looks something up asks as well, and so does a prompt to which only
was replied that nothing is known.

A turn is indexed under the one before it and under the title of its session, which mostly is the
question that it began with. So whatever follows the very same question would come first by that
alone, and the shortest of it, a tool's call or "thanks", before the rest. Of all that follows it,
only what was replied is graded, and apart; of the rest of a session that is called by it, what
speaks of it in words of its own.
"""

from __future__ import annotations

from recollect.named_tuple import NamedTuple
from recollect.nouns import SPOKEN, Candidate, Contribution, StoredPassage
from recollect.reading.pool import (
    Exchange,
    Pool,
    by_document,
    by_key,
    by_passage,
    grouped_by_document,
    share,
)
from recollect.text.calls import only_looks
from recollect.text.questions.asking import (
    SAME,
    is_no_answer,
    is_question,
    is_same,
    only_sends,
    says_no_more,
)
from recollect.text.terms import stems
from recollect.trace import say, stage, unreported

ASKED = 24
"""Questions, the best ones, whose replies are looked up."""
AFTER, FAR = 30, 300
"""Passages after a question, and after the very same one, that are looked through for what was
replied: an assistant may call many tools first."""
FIRST, LAST = 1, 2
"""Passages of a reply that are taken: what was said at once, and what was said in the end."""
OWN = 0.5
"""The share of what the words of the question are worth from which on a turn speaks of it by
itself."""
REPLIED = 0.8
"""How likely it is that what was replied answers what was asked."""
BEHIND = 1e-6
"""How far a reply is put behind what answers by its own words, in log-odds."""


class _Replied(NamedTuple):
    """What followed a question, until whoever asked it speaks again."""

    turns: tuple[StoredPassage, ...]
    replies: tuple[StoredPassage, ...]
    """Those of them that reply: not a tool's, and not what asks or knows nothing itself."""


@stage("exchanges", otherwise=lambda pool: pool)
def answered(pool: Pool) -> Pool:
    """Sets apart what only asks, takes out what only says that it does not know, and looks up what
    was replied to the best of the questions."""
    every = pool.every()
    asking = [] if pool.of.questions else [c for c in every if _asks(pool.stored(c), pool)]
    empty = {c.passage for c in every if _says_nothing(pool.stored(c), pool)}
    if not asking and not empty:
        return unreported(pool)
    questions = {c.passage for c in asking}
    found = by_passage(every)
    passages, asked, echoes = dict(pool.passages), dict[int, Exchange](), set[int]()
    called = set[int]()
    for question in asking[:ASKED]:
        stored = pool.stored(question)
        same = is_same(stored.passage.text, pool.of.parsed.prose)
        followed = _replied(stored, pool, FAR if same else AFTER)
        replies = by_key(followed.replies)
        passages |= replies
        asked = {reply: _exchange(question, reply, found) for reply in replies} | asked
        echoes.update(one.key for one in followed.turns if same or _only_acts(one, pool))
        called.update([question.document] if same and _is_called(stored, pool) else ())
    others = (c for c in every if c.document in called)
    echoes.update(c.passage for c in others if not _speaks(pool.stored(c), pool))
    say(f"left out: {len(questions | empty)} that only ask or know nothing", found=len(asked))
    left = (c for c in every if c.passage not in questions | echoes | empty)
    apart = tuple(c for c in asking if c.passage not in empty)
    return pool._replace(passages=passages, asking=apart, asked=asked).regrouped(left)


def _is_called(question: StoredPassage, pool: Pool) -> bool:
    """Whether the session of a question is called by it: all of it is found under that title."""
    asked, title = stems(pool.of.parsed.prose), stems(question.document.title)
    return len(asked & title) >= SAME * len(asked)


def _only_acts(stored: StoredPassage, pool: Pool) -> bool:
    """Whether it is the call of a tool by which an assistant looked for what to reply."""
    return stored.passage.role == "tool" and not _speaks(stored, pool)


def _speaks(stored: StoredPassage, pool: Pool) -> bool:
    """Whether a turn speaks of what is asked by its own words."""
    return share(pool.worth, stems(stored.passage.text)) >= OWN


def _says_nothing(stored: StoredPassage, pool: Pool) -> bool:
    """Whether it knows nothing, or is the call of a tool that only looks something up; not where
    what tools did is asked for."""
    said, roles = stored.passage, pool.of.filter.roles or ()
    looks = said.role == "tool" and "tool" not in roles
    return _knows_nothing(stored) or (looks and only_looks(said.text, pool.of.parsed.prose))


def _knows_nothing(stored: StoredPassage) -> bool:
    """Whether an assistant only said that it does not know."""
    said = stored.passage
    return said.role == "assistant" and is_no_answer(said.text)


def _asks(stored: StoredPassage, pool: Pool) -> bool:
    """Whether a passage is nothing but a question, or a prompt that says no more than is asked.
    What people ask each other is what they said: it tells what one of them wanted."""
    text, role = stored.passage.text, stored.passage.role
    if role and role not in SPOKEN:
        return False
    if is_question(text, typed=role == "user"):
        return True
    if role != "user" or pool.of.parsed.terse:  # whatever has a few words may be what is wanted
        return False
    prose = pool.of.parsed.prose
    return says_no_more(text, prose) or (only_sends(text, prose) and _is_unanswered(stored, pool))


def _is_unanswered(question: StoredPassage, pool: Pool) -> bool:
    """Whether all that was replied to a question is that nothing is known."""
    followed = _replied(question, pool, AFTER)
    return not followed.replies and any(map(_knows_nothing, followed.turns))


def _replied(question: StoredPassage, pool: Pool, after: int) -> _Replied:
    """Returns what followed a question until whoever asked speaks again, or speaks after having
    been asked back."""
    turns, spoken, asked_back = list[StoredPassage](), list[StoredPassage](), False
    for stored in pool.of.view.passages([question.key], after=after)[1:]:
        turn, role = stored.passage.turn, stored.passage.role
        if turn != question.passage.turn and role == question.passage.role:
            if spoken or not asked_back:
                break
            asked_back = False
            continue
        turns.append(stored)
        if role == "tool" or not pool.of.shows(stored) or _knows_nothing(stored):
            continue
        if _asks(stored, pool):
            asked_back = True
        else:
            spoken.append(stored)
    return _Replied(tuple(turns), tuple(spoken[:FIRST] + spoken[FIRST:][-LAST:]))


# ------------------------------------------------------------------ found by the question


def joined(pool: Pool) -> Pool:
    """Returns the pool with each reply that was looked up as its exchange would be found."""
    known = by_passage(pool.every())
    made = {reply: one.reply for reply, one in pool.asked.items()}
    keys = {*pool.asked, *(one.question.passage for one in pool.asked.values())}
    has = pool.of.view.matched(pool.of.parsed.content, list(keys))
    both = {
        reply: has.get(reply, set()) | has.get(one.question.passage, set())
        for reply, one in pool.asked.items()
    }
    pool = pool._replace(matched={**pool.matched, **both})
    return pool.regrouped({**known, **made}.values())


def _exchange(question: Candidate, reply: int, found: dict[int, Candidate]) -> Exchange:
    """Returns a question and what replies to it, as both together would be found."""
    own = found[reply].by_arm if reply in found else {}
    parts = tuple(_mean(part, own.get(part.arm)) for part in question.contributions)
    score = sum(part.value for part in parts)
    return Exchange(question, Candidate(question.document, reply, score, parts))


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


def placed(alone: Pool, joined: Pool) -> Pool:
    """Returns the pool with each reply as its exchange is graded, behind the first of those that
    answer by their own words; it is shown as well where its document is found by another part."""
    first = alone.best[0]
    best = by_document(alone.best)
    for candidate in joined.best:
        own = best.get(candidate.document)
        score = min(candidate.score, first.score - BEHIND)
        if candidate.passage in joined.asked and (own is None or own.score < score):
            sure = min(candidate.confidence, first.confidence)
            best[candidate.document] = candidate._replace(score=score, confidence=sure)
    others = grouped_by_document(joined.every())
    ordered = sorted(best.values(), key=lambda c: -c.score)
    return alone._replace(best=tuple(ordered), others=others)
