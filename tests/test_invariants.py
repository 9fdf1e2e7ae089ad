"""What must hold whatever is stored and whatever is asked: the walls of owners and scopes, and that
nothing is answered which does not hold at the time that is asked about.

Random facts and notes are kept through the library. What may be seen is worked out here from what
was given, and compared with what comes back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postgres_server import drop, store_url, wipe
from recollect import Memory, config
from recollect.nouns import Document
from recollect.ports import StorageEngine
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.plain.engine import PlainStore
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore

OWNERS = ("local", "ana", "ben")
SCOPES = ("work", "home", "universal")
NAMES = ("harbor crane", "Redis", "night shift", "Kappa")
DAYS = tuple(f"2024-0{month}-01" for month in range(1, 9))
AFTER_NOW = "2999-01-01"
NOW = "2026-01-01"
"""Later than every day but the last, as now is."""


class Known(NamedTuple):
    """A fact, and a note beside it. What they say has a mark, by which they are known again."""

    n: int
    name: str
    owner: str
    scopes: tuple[str, ...]
    made: str
    since: str | None
    until: str | None
    pinned: bool
    replaces: tuple[int, ...]

    @property
    def mark(self) -> str:
        return f"mark{self.n}x"

    @property
    def start(self) -> str:
        return self.since or self.made

    def seen_by(self, owner: str, scopes: tuple[str, ...] | None) -> bool:
        return self.owner == owner and (scopes is None or not set(scopes).isdisjoint(self.scopes))


_DAYS = st.sampled_from((*DAYS, AFTER_NOW))
_SOME_SCOPES = st.lists(st.sampled_from(SCOPES), min_size=1, unique=True).map(tuple)


@st.composite
def _facts(draw: st.DrawFn) -> list[Known]:
    made: list[Known] = []
    for n in range(draw(st.integers(1, 9))):
        owner = draw(st.sampled_from(OWNERS))
        since, until = draw(st.none() | _DAYS), draw(st.none() | _DAYS)
        if since and until and until <= since:
            until = None
        older = [one.n for one in made if one.owner == owner]
        replaces = draw(st.lists(st.sampled_from(older), max_size=2, unique=True)) if older else []
        made.append(
            Known(
                n,
                draw(st.sampled_from(NAMES)),
                owner,
                draw(_SOME_SCOPES),
                draw(st.sampled_from(DAYS)),
                since,
                until,
                draw(st.booleans()),
                tuple(replaces),
            )
        )
    return made


class Asked(NamedTuple):
    query: str
    owner: str
    scopes: tuple[str, ...] | None
    as_of: str | None

    @property
    def options(self) -> dict[str, Any]:
        return {"owner": self.owner, "scopes": self.scopes, "as_of": self.as_of}


_ASKED = st.builds(
    Asked,
    st.lists(
        st.sampled_from((*NAMES, "what is", "so", "the plan of", "mark1x", "mark3x")),
        min_size=1,
        max_size=3,
    ).map(" ".join),
    st.sampled_from(OWNERS),
    st.none() | st.just(()) | _SOME_SCOPES,
    st.none() | _DAYS,
)


Empty = Callable[[], StorageEngine]
"""Makes a store with nothing in it; two may be open at once."""


@pytest.fixture(scope="module", params=["plain", "embedded", "postgres"])
def empty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Empty]:
    if request.param == "plain":
        yield PlainStore
    elif request.param == "embedded":
        yield lambda: EmbeddedStore(tmp_path_factory.mktemp("store"))
    else:
        urls = [store_url(), store_url()]
        turns = cycle(urls)

        def wiped() -> StorageEngine:
            url = next(turns)
            store = PostgresStore(parse(url))
            wipe(url)
            return store

        yield wiped
        for url in urls:
            drop(url)


def _kept(facts: list[Known], empty: Empty) -> Memory:
    memory = Memory(empty(), config.load(), None)
    for one in facts:
        memory.remember(
            f"The {one.name} is {one.mark}",
            id=f"f{one.n}",
            name=one.name,
            owner=one.owner,
            scopes=one.scopes,
            created_at=one.made,
            valid_from=one.since,
            valid_to=one.until,
            pinned=one.pinned,
            standing="active",
            supersedes=[f"f{n}" for n in one.replaces],
        )
        note = Document(
            f"n{one.n}",
            text=f"The plan of the {one.name}: note{one.mark}",
            source="notes",
            owner=one.owner,
            scopes=one.scopes,
        )
        memory.put([note])
    return memory


def _in_force(facts: list[Known], asked: Asked) -> set[str]:
    """The facts that hold at that time, of those that may be seen."""
    at, ended = asked.as_of or NOW, dict[int, str]()
    for one in facts:
        for n in one.replaces:
            ended[n] = min(ended.get(n, one.start), one.start)
    return {
        one.mark
        for one in facts
        if one.seen_by(asked.owner, asked.scopes)
        and one.start <= at
        and (one.until is None or at < one.until)
        and (one.n not in ended or at < ended[one.n])
    }


def _marks(said: object) -> set[str]:
    """The facts that are told, wherever in it."""
    return set(re.findall(r"(?<!note)mark\d+x", str(said)))


def _notes(said: object) -> set[str]:
    return set(re.findall(r"note(mark\d+x)", str(said)))


@settings(max_examples=40, deadline=None)
@given(facts=_facts(), questions=st.lists(_ASKED, min_size=1, max_size=4))
def test_nothing_is_told_that_may_not_be_seen_or_does_not_hold(
    empty: Empty, facts: list[Known], questions: list[Asked]
) -> None:
    with _kept(facts, empty) as memory:
        for asked in questions:
            holds = _in_force(facts, asked)
            seen = {one.mark for one in facts if one.seen_by(asked.owner, asked.scopes)}
            answer = memory.search(asked.query, limit=50, **asked.options)
            told = [result.text for result in answer.results]
            assert _marks(told) <= holds, asked
            assert _notes(told) <= seen, asked
            context = memory.context(asked.query, **asked.options)
            told = [
                one.text
                for group in (context.pinned, context.relevant, context.questions)
                for one in group
            ]
            assert _marks(told) <= holds, asked
            bundle = memory.gather(asked.query, owner=asked.owner, scopes=asked.scopes)
            now = _in_force(facts, asked._replace(as_of=None))
            assert _marks([section.text for section in bundle.sections]) <= now, asked
            assert _marks(bundle.sections) <= seen, asked  # with what they replaced
            assert _notes(bundle.sections) <= seen, asked
            listed = memory.facts(limit=100, **asked.options)
            assert _marks([fact.text for fact in listed.items]) == holds, asked
            every = memory.facts(limit=100, every=True, owner=asked.owner, scopes=asked.scopes)
            assert _marks([fact.text for fact in every.items]) == seen, asked


@settings(max_examples=20, deadline=None)
@given(facts=_facts(), name=st.sampled_from(NAMES), asked=_ASKED)
def test_a_name_brings_what_it_names_and_all_that_holds_of_it(
    empty: Empty, facts: list[Known], name: str, asked: Asked
) -> None:
    """As of a time, the question by a name is answered by every fact of that name in force then."""
    with _kept(facts, empty) as memory:
        holds = _in_force(facts, asked)
        named = {one.mark for one in facts if one.name == name} & holds
        answer = memory.search(f"What is {name}?", limit=50, **asked.options)
        assert named <= _marks([result.text for result in answer.results])


@settings(max_examples=20, deadline=None)
@given(facts=_facts(), asked=_ASKED, other=st.sampled_from(OWNERS))
def test_what_others_keep_changes_nothing_of_an_answer(
    empty: Empty, facts: list[Known], asked: Asked, other: str
) -> None:
    """With and without all that another owner has, the same facts come back."""
    if other == asked.owner:
        return
    fewer = [fact for fact in facts if fact.owner != other]
    with _kept(facts, empty) as everything, _kept(fewer, empty) as without:
        told = [
            _marks([r.text for r in m.search(asked.query, limit=50, **asked.options).results])
            for m in (everything, without)
        ]
        assert told[0] == told[1]
