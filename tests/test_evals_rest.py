"""PrecisionMemBench over REST: what our side of the contract makes of what it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from recollect.errors import UsageError
from recollect.evals import whole
from recollect.evals.rest import Adapter

Body = dict[str, Any]


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


@pytest.fixture
def adapter(tmp_path: Path) -> Iterator[Adapter]:
    made = Adapter(tmp_path / "store")
    yield made
    made.close()


def told(id: str, text: str, aliases: list[str] | None = None, **about: Any) -> Body:
    """The body of an addition or, without aliases, of an update."""
    body: Body = {"text": text, "user_id": "u", "metadata": {"beliefId": id, **about}}
    return body if aliases is None else {**body, "aliases": aliases}


def found(adapter: Adapter, query: str) -> list[str]:
    return [r["id"] for r in adapter.search({"query": query, "user_id": "u"})["results"]]


CACHE = "redis_cache Redis key store One node, no replica."


def test_aliases_are_read_out_of_the_text_of_an_update(adapter: Adapter) -> None:
    adapter.add(told("b", CACHE, ["Redis", "key store"]))
    assert not found(adapter, "how is maxmemory set?")
    adapter.update(told("b", "redis_cache Redis key store maxmemory eviction sweeps "
                             "One node, no replica."))  # fmt: skip
    assert found(adapter, "how is maxmemory set?") == ["b"]
    assert found(adapter, "when do eviction sweeps run?") == ["b"]
    assert found(adapter, "is the key store up?") == ["b"]
    (result,) = adapter.search({"query": "is redis up?", "user_id": "u"})["results"]
    assert result["memory"] == "One node, no replica."


def test_aliases_of_a_second_update_stand_behind_those_of_the_first(adapter: Adapter) -> None:
    adapter.add(told("b", CACHE, ["Redis", "key store"]))
    for row in ("maxmemory", "maxmemory maxmemory policy", "maxmemory maxmemory policy xyzzy"):
        adapter.update(told("b", f"redis_cache Redis key store {row} One node, no replica."))
    for query in ("is redis up?", "what is our maxmemory policy?", "is xyzzy up?"):
        assert found(adapter, query) == ["b"]
    (result,) = adapter.search({"query": "xyzzy", "user_id": "u"})["results"]
    assert result["memory"] == "One node, no replica."


def test_an_engine_that_is_only_ever_added_to_reads_the_same(adapter: Adapter) -> None:
    adapter.add(told("b", CACHE, ["Redis", "key store"]))
    adapter.add(told("b", "redis_cache Redis key store maxmemory One node, no replica."))
    assert found(adapter, "how is maxmemory set?") == ["b"]


def test_other_content_takes_the_place_of_what_was_said(adapter: Adapter) -> None:
    adapter.add(told("b", CACHE, ["Redis", "key store"]))
    adapter.update(told("b", "redis_cache Redis key store Three nodes now."))
    (result,) = adapter.search({"query": "is the key store up?", "user_id": "u"})["results"]
    assert result["memory"] == "Three nodes now."
    adapter.update(told("b", "Something else altogether."))
    (result,) = adapter.search({"query": "is redis_cache up?", "user_id": "u"})["results"]
    assert result["memory"] == "Something else altogether."


def test_an_update_of_what_is_not_known_adds_it(adapter: Adapter) -> None:
    adapter.update(told("b", CACHE, ["Redis", "key store"]))
    assert found(adapter, "is redis up?") == ["b"]


def test_an_id_that_is_a_name_of_others_is_still_new(adapter: Adapter) -> None:
    for id in ("one", "two"):
        adapter.add(told(id, f"{id} node Number {id}.", ["node"]))
    adapter.update(told("node", CACHE, ["Redis", "key store"]))
    assert found(adapter, "is redis up?") == ["node"]


def test_an_open_question_is_not_among_what_is_relevant(adapter: Adapter) -> None:
    text = "auth_strategy cookies JWT or cookies?"
    adapter.add(told("b-1", text, ["cookies"]))
    assert found(adapter, "what about cookies?") == ["b-1"]
    adapter.reset()
    adapter.add(told("b-1", text, ["cookies"], type="open_question", pinned=True))
    assert not found(adapter, "what about cookies?")


def test_what_is_superseded_leads_to_what_took_its_place(adapter: Adapter) -> None:
    adapter.add(told("old", "linting_eslint eslint Lints with ESLint.", ["eslint"],
                     superseded_by="new"))  # fmt: skip
    adapter.add(told("new", "linting_biome biome Lints with Biome.", ["biome"],
                     superseded_by=None))  # fmt: skip
    assert found(adapter, "is eslint on?") == ["new"]


def test_what_an_update_does_not_say_stays_as_it_was(adapter: Adapter) -> None:
    adapter.add(told("b", "auth_strategy cookies JWT or cookies?", ["cookies"], scope="code",
                     type="open_question", pinned=True))  # fmt: skip
    adapter.update(told("b", "auth_strategy cookies tokens JWT or cookies?"))
    fact = adapter._memory.fact("b", owner="u")
    assert (fact.type, fact.pinned, fact.scopes) == ("open_question", True, ("code",))
    assert set(fact.aliases) == {"cookies", "tokens"}


@pytest.mark.parametrize(
    "about", [{"type": "opinion"}, {"type": 3}, {"pinned": "yes"}, {"superseded_by": 4}]
)
def test_metadata_that_means_nothing_is_refused(adapter: Adapter, about: Body) -> None:
    with pytest.raises(UsageError):
        adapter.add(told("b", CACHE, ["Redis"], **about))


def test_an_unknown_type_is_a_bad_request_that_says_which_there_are() -> None:
    with whole._served() as url:
        body = json.dumps(told("b", CACHE, ["Redis"], type="opinion")).encode()
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{url}/add", body, method="POST"))
        answer = json.loads(refused.value.read())
    assert refused.value.code == 400
    assert "there is no type 'opinion'" in answer["error"]
    assert "open_question" in answer["hint"]
