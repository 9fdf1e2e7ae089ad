"""One more pass for a question whose answer is graded low: rewritten, wider, and without the limits
that the caller allows to be given up. It is the only one."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter

from recollect.reading.attempt import Attempt, Wider
from recollect.reading.rewrite import corrected, shared_words, spelling
from recollect.trace import Trace


def escalated(
    first: Attempt, hop: bool, relax: tuple[str, ...], trace: Trace
) -> tuple[Attempt, Mapping[str, str]]:
    """The better graded of *first* and of another way to ask, if there is one; besides, the words
    that occur nowhere, each with one that does."""
    since, policy, store = perf_counter(), first.policy, first.store
    given_up = tuple(name for name in relax if name in first.filter.limits)
    filter = first.filter.without(*given_up)
    spelt = spelling(first.parsed, first.idf, filter, store)
    more = shared_words(
        first.parsed, first.best, first.passages, store, filter.owner, policy.feedback
    )
    ways = [f"“{wrong}” read as “{right}”" for wrong, right in spelt.items()]
    if given_up:
        ways.append(f"without the limit on {' and '.join(given_up)}")
    if more:
        ways.append(f"also by {', '.join(more)}")
    if first.full and policy.wider > 1 and policy.by != "keyword":
        ways.append(f"{policy.wider} times as wide")
    if policy.neighbours and first.odds:
        ways.append("with what is next to the best")
    low = f"graded {first.confidence:.2f}"
    if not ways:
        trace.skipped("escalate", f"{low}, and there is no other way to ask")
        return first, spelt
    inner = Trace()
    second = Attempt(
        corrected(first.parsed, spelt), filter,
        policy._replace(pool=policy.wider * policy.pool), store, first.models, inner,
        window=first.window, hop=hop, sees=first.sees,
        wider=Wider(more, {} if spelt else first.read(), policy.neighbours),
    )  # fmt: skip
    better = second.confidence > first.confidence
    verdict = f"{second.confidence:.2f}, {'taken' if better else 'not better'}"
    said = f"{low}; {', '.join(ways)}: {verdict}"
    trace.ran("escalate", since, found=len(second.best), reason=said)
    trace.stages += [stage._replace(name=f"again {stage.name}") for stage in inner.stages]
    trace.degraded += [said for said in inner.degraded if said not in trace.degraded]
    return second if better else first, spelt
