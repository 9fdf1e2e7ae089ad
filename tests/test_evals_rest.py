"""PrecisionMemBench, natively and over REST: what the benchmark's side sends and judges, and what
our side makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from conftest import Cli
from recollect.errors import UsageError
from recollect_evals import contract, whole
from recollect_evals.ledger import Ledger
from recollect_evals.precisionmembench import judged
from recollect_evals.rest import Adapter

Body = dict[str, Any]


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


def belief(id: str, name: str, content: str, *aliases: str, **more: Any) -> Body:
    return {
        "_id": id, "canonical_name": name, "aliases": list(aliases), "content": content,
        "why_it_matters": "", "type": "entity", "user_id": "test-user", "scope": ["domain:code"],
        "pinned": False, "superseded_by": None, "resolved_at": None, "participants": [],
        "created_at": "2026-01-01T00:00:00Z", **more,
    }  # fmt: skip


def turn(index: int, said: str, wanted: list[str], **more: Any) -> Body:
    expect = {"relevantBeliefs": {"shouldOnlyInclude": wanted}}
    return {"turnIndex": index, "userMessage": said, "scope": ["domain:code"], "expect": expect,
            **more}  # fmt: skip


NEW = belief("b-new", "queue_rabbit", "Jobs go through RabbitMQ.", "rabbit")


@pytest.fixture
def beliefs(tmp_path: Path) -> Path:
    place = tmp_path / "pmb"
    place.mkdir()
    some = [
        belief("b-kube", "kubernetes", "Runs on a cluster.", "k8s"),
        belief("b-redis", "redis_cache", "One node, no replica.", "redis", scope=["domain:data"]),
        belief("b-pin", "language", "Always TypeScript.", "ts", pinned=True),
        belief("b-ask", "auth_strategy", "JWT or cookies?", "cookies", type="open_question"),
        belief("b-rel", "auth_on_redis", "Auth needs redis.", "auth sessions", type="relation",
               participants=["b-kube"]),
        belief("b-rel2", "login_form", "The form needs a decision.", "login", type="relation",
               participants=["b-ask"]),
    ]  # fmt: skip

    def case(id: str, query: str, wanted: list[str], *scopes: str, **more: Any) -> Body:
        expect = {"relevantBeliefs": {"shouldOnlyInclude": wanted}, **more}
        return {"caseId": id, "query": query, "scope": list(scopes), "expect": expect}

    cases = [
        case("named", "how do we deploy to kubernetes?", ["b-kube"], "domain:code",
             pinnedFacts={"mustInclude": ["b-pin"]}),
        case("alias", "is k8s up?", ["b-kube"], "domain:code"),
        case("other scope", "is redis up?", [], "domain:code"),
        case("two scopes", "redis or kubernetes?", ["b-kube", "b-redis"], "domain:code",
             "domain:data"),
        case("relation", "what about auth sessions?", ["b-rel", "b-kube"], "domain:code"),
        case("relation of a question", "what about the login?", ["b-rel2"], "domain:code"),
        case("question", "what about cookies?", [], "domain:code"),
        case("wrong", "is k8s up?", ["b-redis"], "domain:code"),
    ]  # fmt: skip
    more = {"beliefId": "b-kube", "addAliases": ["Orchestrator", "control plane"]}
    turns = [
        turn(0, "is the orchestrator up?", []),
        turn(1, "what about cookies?", [], createBeliefAtTurn=NEW),
        turn(2, "is k8s up?", ["b-kube"], updateBeliefAtTurn=more),
        turn(3, "is the orchestrator up?", ["b-kube"]),
        turn(4, "who runs the control plane?", ["b-kube"]),
    ]
    (place / "beliefs.seed.json").write_text(json.dumps(some))
    (place / "retrieval.cases.json").write_text(json.dumps(cases))
    (place / "session-retrieval.cases.json").write_text(
        json.dumps([{"caseId": "talk", "turns": turns}])
    )
    return place


def test_precisionmembench_natively_and_over_rest(cli: Cli, beliefs: Path) -> None:
    """Natively all of a belief is known; over REST a second scope and, in the cases, types are
    not, and the harness itself adds the participants."""
    runs = []
    not_sent = {"two scopes", "relation of a question", "question"}
    for kind, fail in (("precisionmembench", set()), ("precisionmembench-rest", not_sent)):
        done = cli("eval", "run", kind, str(beliefs), "--json")
        assert done.code == 0, done.err
        rows = Ledger().rows(done.json["runs"][0]["run"])
        failed = {row.id for row in rows if not row.measures["passed"]}
        assert failed == {"wrong", *fail}, (kind, {row.id: row.category for row in rows})
        assert len(rows) == 13
        runs.append(done.json["runs"][0]["run"])
    assert cli("eval", "compare", *runs, "--html", "page.html").code == 0
    assert "Neither run is better" in Path("page.html").read_text()


def test_an_engine_that_is_not_there_is_told(beliefs: Path, cli: Cli) -> None:
    with whole.served() as url:
        assert len(list(contract.outcomes(beliefs, url))) == 13
    done = cli("eval", "run", "precisionmembench-rest", str(beliefs), "--url", url)
    assert done.code == 1
    assert "/reset" in done.err


# ------------------------------------------------------------------ the benchmark's side


@pytest.fixture
def calls(beliefs: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Body]]:
    """All that the driver sends to an engine that finds nothing."""
    heard: list[tuple[str, Body]] = []

    def call(_: contract.Driver, method: str, path: str, body: Body) -> Body:
        heard.append((f"{method} {path}", body))
        return {"results": []}

    monkeypatch.setattr(contract.Driver, "call", call)
    list(contract.outcomes(beliefs, "http://nowhere"))
    return heard


def bodies(calls: list[tuple[str, Body]], call: str) -> list[Body]:
    return [body for name, body in calls if name == call]


def test_a_case_is_asked_once_in_its_first_scope(calls: list[tuple[str, Body]]) -> None:
    asked = [body for body in bodies(calls, "POST /search") if "redis or" in body["query"]]
    assert asked == [
        {"query": "redis or kubernetes?", "user_id": "test-user", "limit": 20,
         "scope": "domain:code"}
    ]  # fmt: skip


def test_types_and_pins_are_sent_in_the_sessions_alone(calls: list[tuple[str, Body]]) -> None:
    sent = [b["metadata"] for b in bodies(calls, "POST /add") if "language" in b["text"]]
    assert sent == [
        {"beliefId": "b-pin", "scope": "domain:code"},
        {"beliefId": "b-pin", "scope": "domain:code", "type": "entity", "pinned": True,
         "superseded_by": None},
    ]  # fmt: skip


def test_a_seed_has_its_aliases_and_a_belief_of_a_session_has_not(
    calls: list[tuple[str, Body]],
) -> None:
    seed, *_, created = bodies(calls, "POST /add")
    assert (seed["text"], seed["aliases"]) == ("kubernetes k8s Runs on a cluster.", ["k8s"])
    assert created["text"] == "queue_rabbit rabbit Jobs go through RabbitMQ."
    assert "aliases" not in created


def test_an_update_has_the_aliases_in_its_text_alone(calls: list[tuple[str, Body]]) -> None:
    (update,) = bodies(calls, "PUT /update")
    assert update["text"] == "kubernetes k8s orchestrator control plane Runs on a cluster."
    assert "aliases" not in update
    assert update["beliefId"] == update["metadata"]["beliefId"] == "b-kube"


def test_a_turn_is_asked_before_it_changes_anything(calls: list[tuple[str, Body]]) -> None:
    names = [name for name, _ in calls]
    asked = [body.get("query") for _, body in calls]
    assert asked[names.index("PUT /update") - 1] == "is k8s up?"


def judge(found: list[str], case: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The outcome of a case when the engine finds these."""
    some = [
        belief("b-rel", "a", "A.", type="relation", participants=["b-ask", "b-pin", "b-away"]),
        belief("b-ask", "b", "B.", type="open_question"),
        belief("b-pin", "c", "C.", pinned=True),
        belief("b-away", "d", "D.", scope=["domain:data"]),
    ]
    answer = {"results": [{"id": id} for id in found]}
    monkeypatch.setattr(contract.Driver, "call", lambda *_: answer)
    expect: Body = {"relevantBeliefs": {"shouldOnlyInclude": []}}
    driver = contract.Driver("http://nowhere", some)
    return driver.run("one", "what?", {"scope": ["domain:code"], "expect": expect, **case})


def test_participants_in_scope_come_with_a_relation_open_questions_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expect = {"relevantBeliefs": {"shouldOnlyInclude": ["b-rel", "b-ask"]}}
    assert not judge(["b-rel"], {"expect": expect}, monkeypatch).problems


def test_what_is_pinned_or_unknown_is_not_judged_as_relevant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not judge(["b-pin", "b-nobody"], {}, monkeypatch).problems
    assert judge(["b-ask"], {}, monkeypatch).problems


def test_what_is_pinned_has_a_place_in_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not judge(["b-ask"], {"budget": {"maxBeliefs": 1}}, monkeypatch).problems


def test_a_pinned_fact_that_must_not_come_back_may_not_come_back_pinned() -> None:
    groups = {"relevantBeliefs": {"a"}, "pinnedFacts": {"b"}, "openQuestions": {"c"}}

    def problems(**expect: Any) -> tuple[str, ...]:
        return judged("one", groups, "", expect).problems

    assert not problems(relevantBeliefs={"mustInclude": ["a", "b"], "mustExclude": ["c"]})
    assert problems(relevantBeliefs={"mustExclude": ["b"]})
    assert problems(noiseCheck={"mustNotSurface": ["b"]})
    assert problems(pinnedFacts={"mustInclude": ["a"]})


# ------------------------------------------------------------------ our side


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
    fact = adapter.memory.curation.fact("b", owner="u")
    assert (fact.type, fact.pinned, fact.scopes) == ("open_question", True, ("code",))
    assert set(fact.aliases) == {"cookies", "tokens"}


@pytest.mark.parametrize(
    "about", [{"type": "opinion"}, {"type": 3}, {"pinned": "yes"}, {"superseded_by": 4}]
)
def test_metadata_that_means_nothing_is_refused(adapter: Adapter, about: Body) -> None:
    with pytest.raises(UsageError):
        adapter.add(told("b", CACHE, ["Redis"], **about))


def test_an_unknown_type_is_a_bad_request_that_says_which_there_are() -> None:
    with whole.served() as url:
        body = json.dumps(told("b", CACHE, ["Redis"], type="opinion")).encode()
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{url}/add", body, method="POST"))
        answer = json.loads(refused.value.read())
    assert refused.value.code == 400
    assert "there is no type 'opinion'" in answer["error"]
    assert "open_question" in answer["hint"]
