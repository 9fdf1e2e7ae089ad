"""The question: a request, parsed and routed once, that goes down the read path."""

from __future__ import annotations

from contextlib import suppress

from recollect.errors import QueryError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, Policy, Query
from recollect.ports import Store
from recollect.text.questions import route as routing
from recollect.text.questions import time_route
from recollect.text.questions.asker import first_person
from recollect.text.questions.asking import begins_to_ask
from recollect.text.questions.parse import Parsed, parse
from recollect.text.questions.route import Route
from recollect.trace import say, stage


class Question(NamedTuple):
    """A request and what was understood of it."""

    query: Query
    parsed: Parsed
    filter: Filter
    """The limits of the request, and those that are written in the question."""
    route: Route
    fingerprint: str = ""
    """Names the whole request, and the state of all that it may see."""

    @property
    def policy(self) -> Policy:
        return self.query.policy

    @property
    def reachable(self) -> Filter:
        """The limits without those that the caller allows to be given up."""
        return self.filter.without(*self.query.relax)

    def in_state_of(self, view: Store) -> Question:
        """Returns the question with its fingerprint. It is taken before anything is read: what is
        written later leads to another."""
        state = self.query.key() + view.fingerprint(self.reachable)
        return self._replace(fingerprint=state)


def understand(query: Query) -> Question:
    """Parses and routes a request."""
    parsed = _parsed(query)
    return Question(query, _of_topic(query, parsed), parsed.narrowed(query.filter), _routed(parsed))


@stage("parse")
def _parsed(query: Query) -> Parsed:
    return parse(query.text)


def _of_topic(query: Query, parsed: Parsed) -> Parsed:
    """Returns what a question of time looks for: its topic, and none of the words that ask for the
    time. What was typed as a few words is still a question."""
    time = query.time
    if time.kind == "when" and time.topic:
        return _asked_when(query.text, parsed)
    wanted = query.text if time.topic and time.event else time.topic or time.event
    if not query.time.ordered or not wanted:
        return parsed
    with suppress(QueryError):  # no word of it can be looked for
        prose = _without_time(query.text, time.said) if wanted == time.topic else ""
        made = parse(wanted)
        return made._replace(prose=prose or made.prose, terse=False)
    return parsed


def _without_time(text: str, said: str) -> str:
    """Returns a question without the words by which it asks for the time, as an encoder should read
    it: "What is the price?" of "What is the current price?"; nothing where no question is left."""
    asked = " ".join(first_person(text).split())
    before, there, after = asked.partition(said) if said else ("", "", "")
    left = " ".join(f"{before} {after}".split())
    return left if there and begins_to_ask(left) else ""


def _asked_when(text: str, parsed: Parsed) -> Parsed:
    """Returns what a question looks for that asks when something was, whatever verb says so."""
    brief = time_route.without_verb(text)
    return parsed if brief == text else parse(brief)._replace(prose=parsed.prose, terse=False)


@stage("route")
def _routed(parsed: Parsed) -> Route:
    way = routing.route(parsed.prose)
    say(f"{way.intent}, {way.shape}: {way.why}")
    return way
