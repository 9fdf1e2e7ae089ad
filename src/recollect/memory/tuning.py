"""Advice from figures: a table of rules, each a pure function of what was counted and what is set.

A rule says what to set, what is set now, why, and on which figures that rests; or it says nothing.
Advice that no setting can follow names none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.config import Config
from recollect.models.costs import advised, misfit
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, json_list
from recollect.policy import MODES
from recollect.telemetry import Usage

ENOUGH = 20
"""Searches below which there is no advice."""
DROPS = 2.0
"""Results that the budget costs a search, above which it is too small."""
PROBES, HIT_RATE, SURER = 50, 0.85, 0.94
"""More probes than this and more hits than that, and the cache may be too easily content."""
MANY = 0.2
"""The share of searches from which on something happens often."""


class Recommendation(NamedTuple):
    setting: str
    """Empty where no setting helps."""
    value: Any
    """None is to remove what is set."""
    now: Any
    why: str
    evidence: str
    overridden: str = ""
    """What would hide the user's own setting: the environment, or a project's file."""

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "setting": self.setting or None,
            "overridden": self.overridden or None,
        }


class Tuning(NamedTuple):
    calls: int
    first: str
    last: str
    recommendations: tuple[Recommendation, ...] = ()

    @property
    def enough(self) -> bool:
        return self.calls >= ENOUGH

    def as_json(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "first": self.first,
            "last": self.last,
            "enough": self.enough,
            "needed": ENOUGH,
            "recommendations": json_list(self.recommendations),
        }


def tuning(usage: Usage, config: Config) -> Tuning:
    done = Tuning(usage.total.calls, usage.first, usage.last)
    if not done.enough:
        return done
    found = (rule(usage, config) for rule in RULES)
    return done._replace(recommendations=tuple(_told(r, config) for r in found if r))


def _told(found: Recommendation, config: Config) -> Recommendation:
    if found.setting and config.origin(found.setting) in ("environment", "project"):
        _, origin, where = config.values[found.setting]
        return found._replace(overridden=f"{origin} {where}")
    return found


# ------------------------------------------------------------------ the rules


def small_budget(usage: Usage, config: Config) -> Recommendation | None:
    """Conservative, and the budget costs more than two results a search."""
    figures, wider = usage.of_mode("conservative"), MODES["balanced"]
    drops = figures.a_call("dropped")
    if config["mode"] != "conservative" or figures.calls < ENOUGH or drops <= DROPS:
        return None
    why = "good results do not fit into the budget"
    evidence = f"{drops:.1f} results a search were dropped in {figures.calls:,} searches"
    own = config["search.budget"]
    if own is None:
        return Recommendation("mode", "balanced", "conservative", why, evidence)
    if wider.budget is None or own >= wider.budget:
        return None
    return Recommendation("search.budget", wider.budget, own, why, evidence)


def easy_cache(usage: Usage, config: Config) -> Recommendation | None:
    """So many hits that some may be answers to other questions."""
    total, now = usage.total, config["cache.similarity"]
    if not config["cache.enabled"] or total.probes <= PROBES or now >= SURER:
        return None
    if (total.hit_rate or 0.0) <= HIT_RATE:
        return None
    near = total.counts["cache.near"]
    return Recommendation(
        "cache.similarity",
        SURER,
        now,
        "so many hits are rarely all the same question: ask for more likeness",
        f"{total.hits:,} of {total.probes:,} were answered from the cache, "
        f"{near:,} of them for a question in other words",
    )


def idle_cache(usage: Usage, config: Config) -> Recommendation | None:
    """Switched off, although it would serve."""
    total = usage.total
    if config["cache.enabled"] or total.counts["cache.off"] < ENOUGH:
        return None
    evidence = f"{total.counts['cache.off']:,} searches were made without it"
    if total.hits:
        evidence += f"; when it was on, it answered {total.hits:,} of {total.probes:,}"
    why = "what is asked again costs next to nothing with it, and is never out of date"
    return Recommendation("cache.enabled", True, False, why, evidence)


def too_much_to_read(usage: Usage, config: Config) -> Recommendation | None:
    """No cap on the tokens, and a small model that has to read them."""
    mode, model = config["mode"], config["downstream"]
    why, figures = misfit(mode, model), usage.of_mode(mode)
    if not why:
        return None
    return Recommendation(
        "mode",
        advised(model).mode,
        mode,
        why,
        f"{figures.a_call('tokens.used'):,.0f} tokens a search in {figures.calls:,} searches",
    )


def hiding_filter(usage: Usage, _: Config) -> Recommendation | None:
    """Often nothing comes because of a limit: which one."""
    total = usage.total
    hidden = {
        n.removeprefix("filter."): c
        for n, c in total.under("empty").items()
        if n.startswith("filter.")
    }
    if not hidden or sum(hidden.values()) < MANY * total.calls:
        return None
    name = next(iter(hidden))
    relaxed = name in Filter.relaxable()
    helps = f"`--relax` may give it up (relax=[{name!r}])" if relaxed else "it may be too narrow"
    return Recommendation(
        "",
        None,
        None,
        f"the limit on {name} often leaves nothing; {helps}",
        f"{sum(hidden.values()):,} of {total.calls:,} searches found only what a limit hides, "
        f"{hidden[name]:,} times {name}",
    )


def strict_confidence(usage: Usage, config: Config) -> Recommendation | None:
    """Often all that was found is graded too low."""
    total, least = usage.total, config["search.min_confidence"]
    low = total.under("empty").get("graded_low", 0)
    if low < MANY * total.calls:
        return None
    evidence = f"{low:,} of {total.calls:,} searches found only what was graded too low"
    if least:
        why = f"nothing below {least} is returned, and that is often all there is"
        return Recommendation("search.min_confidence", None, least, why, evidence)
    why = "what is asked for is often not there: add the sources that would have it"
    return Recommendation("", None, None, why, evidence)


def empty_store(usage: Usage, _: Config) -> Recommendation | None:
    """Often there is nothing at all."""
    total = usage.total
    nothing = total.under("empty").get("nothing_found", 0)
    if nothing < MANY * total.calls:
        return None
    return Recommendation(
        "",
        None,
        None,
        "what is asked for is often not there: add the sources that would have it",
        f"{nothing:,} of {total.calls:,} searches found nothing at all",
    )


def degraded(usage: Usage, _: Config) -> Recommendation | None:
    """Often a part of the search could not do its work."""
    total = usage.total
    poorer = total.counts["degraded"]
    if poorer < MANY * total.calls:
        return None
    return Recommendation(
        "",
        None,
        None,
        "a part of the search often fails: `recollect status` and `search --explain` say which",
        f"{poorer:,} of {total.calls:,} answers were degraded",
    )


Rule = Callable[[Usage, Config], Recommendation | None]
RULES: tuple[Rule, ...] = (
    small_budget,
    easy_cache,
    idle_cache,
    too_much_to_read,
    hiding_filter,
    strict_confidence,
    empty_store,
    degraded,
)
