"""When a search asks a language model: only below the band, where one is configured and allowed;
never oftener than is stated; and whatever becomes of it, what was found is there."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import HashEmbedder
from recollect import Answer, Memory, config
from recollect.errors import ModelBusy, ModelError, ModelUnreachable, SpendRefused, UsageError
from recollect.models.rerank_llm import MOST_READINGS
from recollect.ports import LlmRequest
from recollect.reading.expand import read
from recollect.storage import open_cache, open_store
from recollect.testing.builders import note
from stub_llm import GOOD, Model, bad, lines, quoting, sentence, shown
from test_think import FAILURES

DOCS = Path(__file__).parent.parent / "docs" / "answers.md"
ASKED = "why is the heron so quiet?"
REWRITE = "silence of the wading bird"


class Odds:
    """A reranker that is as sure as it is told; of what has these words it is surer."""

    key = "odds@1"

    def __init__(self, odds: float, words: str = "") -> None:
        self.odds, self.words = odds, words

    def reads(self, text: str) -> bool:
        return True

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        sure = [bool(self.words) and self.words in text for text in passages]
        return [20.0 if one else self.odds for one in sure]


NOTES = (
    note("heron", "The heron is quiet at dawn, and quieter at noon.", title="Heron"),
    note("bird", "The silence of a wading bird keeps the fish unaware.", title="Wading"),
    note("quay", "The quay is so long that the tram stops there twice.", title="Quay"),
)
GRADES = {"high": Odds(-7.0, "quiet at dawn"), "low": Odds(-7.0)}


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried again is tried again at once."""
    monkeypatch.setattr("recollect.models.llm.client.BACKOFF", 0.0)


@contextmanager
def store(reranker: Any, *, cache: bool = False, vectors: bool = False) -> Iterator[Memory]:
    kept = open_cache("memory://", 100) if cache else None
    embedder = HashEmbedder() if vectors else None
    with Memory(
        open_store("memory://"), config.load(), embedder, reranker=reranker, cache=kept
    ) as memory:
        memory.put(NOTES)
        if vectors:
            memory.models.embed()
        yield memory


@pytest.fixture(scope="module")
def graded() -> Iterator[dict[str, Memory]]:
    """A store in which the question is graded high, and one in which it is graded low."""
    with store(GRADES["high"]) as high, store(GRADES["low"]) as low:
        yield {"high": high, "low": low}


def stage(answer: Answer, name: str) -> tuple[str, str]:
    return next((s.state, s.reason) for s in answer.stages if s.name == name)


# ------------------------------------------------------------------ the matrix


PROVIDERS: dict[str, Any] = {
    "none": None,
    "good": Model(quoting, REWRITE),
    "says no": Model(lines(bad()), REWRITE),
    "lies": Model(lines(sentence("It sings.", (1, "it sings all night long")), GOOD), REWRITE),
    **{name: Model(one.says, one.says) for name, one in FAILURES.items()},
}
POLICIES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "think": {"think": True},
    "expand": {"expand": 1},
    "hyde": {"hyde": True},
    "both": {"think": True, "expand": 3, "hyde": True},
    "tokenmax": {"mode": "tokenmax"},
    "tokenmax, no": {"mode": "tokenmax", "expand": 0},
}


class Expected(NamedTuple):
    """What a search does under a grade, with a provider, under a policy."""

    expand: str
    """``off``, ``no need``, ``nobody``, ``ran`` or ``failed``."""
    think: str
    """The same; or what came of it."""


def expected(grade: str, provider: str, policy: str) -> Expected:
    given = POLICIES[policy]
    expands = given.get("expand", 3 if given.get("mode") == "tokenmax" else 0) or given.get("hyde")
    fails = provider in FAILURES
    speaks = ("prose", "broken", "other", "contradiction")  # as rewrites these are words
    outcome = "failed" if fails and provider not in speaks else "ran"
    if grade == "high":
        outcome = "no need"
    elif provider == "none":
        outcome = "nobody"
    thought = {"good": "synthesized", "says no": "not_in_memory"}.get(provider, "needs_synthesis")
    if grade == "high" or provider == "none":
        thought = outcome
    return Expected(outcome if expands else "off", thought if given.get("think") else "off")


REASONS = {"off": "switched off", "no need": "graded", "nobody": "no language model is configured"}


@pytest.mark.parametrize(
    ("grade", "provider", "policy"), list(product(GRADES, PROVIDERS, POLICIES))
)
def test_the_matrix(graded: dict[str, Memory], grade: str, provider: str, policy: str) -> None:
    wanted = expected(grade, provider, policy)
    model, memory = PROVIDERS[provider], graded[grade]
    memory.core.use_llm(None)
    plain = memory.search(ASKED)
    if model is not None:
        model.asked.clear()
        memory.models.use_llm(model)
    found = memory.search(ASKED, **POLICIES[policy])
    assert (plain.confidence >= 0.6) == (grade == "high"), "the grade is what the case says"
    state, reason = stage(found, "expand")
    if wanted.expand in REASONS:
        assert (state, REASONS[wanted.expand] in reason) == ("skipped", True)
    else:
        assert state == wanted.expand
    if wanted.think in REASONS:
        state, reason = stage(found, "think")
        assert (state, REASONS[wanted.think] in reason) == ("skipped", True)
        assert found.written is None
        assert found.status in ("direct_passages", "needs_synthesis")
    else:
        assert wanted.think in stage(found, "escalate to think")[1]
        assert found.written is not None
        assert (found.status == "synthesized") == (wanted.think == "synthesized")
    asks = wanted.expand in ("ran", "failed"), wanted.think not in REASONS
    if model is not None:
        assert model.calls("expand") == asks[0]
        assert asks[1] <= model.calls("think") <= 2 * asks[1]
    # and whatever became of it, nothing that was found is lost, and what failed is told
    assert {one.document for one in plain.results} <= {one.document for one in found.results}
    assert found.results
    failed = [s.reason for s in found.stages if s.state == "failed"]
    assert all(any(reason in told for told in found.degraded) for reason in failed)
    if wanted.think == "needs_synthesis":
        assert any(told.startswith("think") for told in found.degraded)


# ------------------------------------------------------------------ how often


def stated() -> dict[str, int]:
    """The most calls of each configuration, as the documentation has it."""
    table = DOCS.read_text(encoding="utf-8").partition("| configuration |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \| \+?(\d+) \|$", table, re.MULTILINE)
    return {name.replace("`", ""): int(count) for name, count in rows}


SAYS = st.sampled_from(
    [
        quoting, "", "nonsense", REWRITE, lines(GOOD), lines(bad("wading bird silence")),
        lines(bad("the tram at the quay")),
        lines(sentence("x", (1, "it sings all night")), bad("x")),
        ModelError("no"), SpendRefused("too dear"), ModelBusy("later", after=3600.0),
        ModelUnreachable("gone"),
    ]
)  # fmt: skip
RERANKS = st.sampled_from(
    ['{"grades": []}', '{"grades": [{"passage": 1, "grade": 1}]}', "no", ModelError("no")]
)


@settings(max_examples=25)
@given(
    think=st.booleans(), expand=st.integers(0, 3), hyde=st.booleans(), llm=st.booleans(),
    asked=st.sampled_from([ASKED, "heron", "what is at the quay, and who is there?"]),
    said=st.lists(SAYS, min_size=1, max_size=3), rewritten=SAYS, graded=RERANKS,
)  # fmt: skip
def test_no_configuration_asks_oftener_than_is_stated(
    *, think: bool, expand: int, hyde: bool, llm: bool, asked: str, said: list[Any],
    rewritten: Any, graded: Any,
) -> None:  # fmt: skip
    most = stated()
    model = Model(said, rewritten if not callable(rewritten) else REWRITE, graded)
    with store(Odds(-7.0)) as memory:
        memory.models.use_llm(model)
        options: dict[str, Any] = {"expand": expand, "hyde": hyde, "think": think}
        found = memory.search(asked, **options, reranker="llm" if llm else None)
        assert found.results or found.named or found.hints
        allowed = most["search with expand or hyde"] * bool(expand or hyde)
        allowed += most["search with think"] * think
        readings = most["rerank.model = llm, for each of these"]
        assert model.count("rerank") <= 2 * readings * llm, "each may be sent back once"
        assert model.calls("expand") + model.calls("think") <= allowed
        model.asked.clear()
        made = memory.think(asked, force=True, reranker="llm" if llm else None)
        assert made.calls <= most["think"]
        assert model.calls("expand") + model.calls("think") <= most["think"]
        assert made.bundle is not None
        assert made.text or made.bundle.sections or made.status == "not_in_memory"


def test_what_is_stated_is_what_the_code_has() -> None:
    from recollect.reading import expand
    from recollect.reading.think import thinking

    assert stated() == {
        "search": 0,
        "search with expand or hyde": expand.MOST_CALLS,
        "search with think": thinking.MOST_CALLS,
        "search with both": expand.MOST_CALLS + thinking.MOST_CALLS,
        "think": thinking.MOST_CALLS,
        "rerank.model = llm, for each of these": MOST_READINGS,
    }


def test_a_reranker_that_failed_is_not_asked_again_by_the_same_search() -> None:
    model = Model(quoting, REWRITE, ModelError("no"))
    with store(None) as memory:
        memory.models.use_llm(model)
        for _ in range(2):
            model.asked.clear()
            found = memory.search(ASKED, reranker="llm", expand=2, think=True)
            assert model.count("rerank") == 1
            assert found.results
            assert any("rerank" in reason for reason in found.degraded)


# ------------------------------------------------------------------ time


@pytest.mark.parametrize("kind", ["expand", "think"])
def test_a_search_does_not_wait_longer_than_its_time_box(kind: str) -> None:
    go = threading.Event()
    with store(Odds(-7.0)) as memory:
        plain = memory.search(ASKED)
        memory.models.use_llm(lambda _: str(go.wait(60)))
        options: dict[str, Any] = {kind: 1 if kind == "expand" else True, f"{kind}_seconds": 0.05}
        found = memory.search(ASKED, **options)
        assert not go.is_set(), "it is not waited for"
        go.set()
    assert [r.id for r in found.results] == [r.id for r in plain.results]
    assert any("took longer than 0.05 s" in reason for reason in found.degraded)


# ------------------------------------------------------------------ what it is good for


def test_a_rewrite_finds_what_the_words_do_not() -> None:
    model = Model(expand=f'1. "{REWRITE}"\n2. {ASKED.upper()}\n\n- a third\n- a fourth\n')
    with store(Odds(-7.0, "wading bird")) as memory:
        memory.models.use_llm(model)
        before = memory.search(ASKED)
        found = memory.search(ASKED, expand=2)
    assert "bird" not in [one.document for one in before.results]
    assert found.results[0].document == "bird"
    assert "rewrite" in found.results[0].evidence
    assert found.results[0].score == pytest.approx(
        sum(part.value for part in found.results[0].contributions)
    )
    assert found.confidence > before.confidence
    reason = stage(found, "expand")[1]
    assert f"“{REWRITE}”; “a third”" in reason
    assert "a fourth" not in reason
    assert len(model.asked) == 1
    assert "heron" in model.prompts[0]
    assert "quieter at noon" not in model.prompts[0], "only the question is sent"


def test_a_rewrite_is_graded_against_the_question_as_it_was_asked() -> None:
    """A question that memory answers well must not pass for the one that was asked."""
    with store(Odds(-7.0)) as memory:
        memory.models.use_llm(Model(expand="tram quay stops twice"))
        found = memory.search(ASKED, expand=1)
    assert found.status == "needs_synthesis"
    assert found.confidence < 0.6


def test_a_rewrite_keeps_to_conditions_and_limits() -> None:
    with store(Odds(-7.0, "bird")) as memory:
        memory.put([note("other", "The silence of the wading bird, a poem.", source="poems")])
        memory.models.use_llm(Model(expand=f"{REWRITE} source:poems"))
        for asked, options in (
            (f"{ASKED} -fish", {"sources": ["tests"]}),
            (f"{ASKED} source:tests -fish", {}),
        ):
            found = memory.search(asked, expand=1, **options)  # type: ignore[arg-type]
            assert stage(found, "expand")[0] == "ran"
            assert not {"bird", "other"} & {one.document for one in found.results}


def test_a_passage_that_it_makes_up_finds_what_is_near_in_meaning() -> None:
    said = "PASSAGE: a wading bird in silence keeps fish unaware\nof it."
    with store(Odds(-7.0, "wading bird"), vectors=True) as memory:
        memory.put([note(f"n{n}", f"Why the heron is so quiet, part {n}.") for n in range(160)])
        memory.models.embed()
        memory.models.use_llm(Model(expand=said))
        assert memory.search(ASKED).results[0].document != "bird"
        found = memory.search(ASKED, hyde=True)
    assert found.results[0].document == "bird"
    assert "as the answer might read" in stage(found, "expand")[1]


def test_rewrites_are_read_out_of_whatever_a_model_says() -> None:
    said = "<think>hm</think>\n* one\n2) two\n“three”\none\nOTHER\n" + "x" * 400
    assert read(said, "other", 3, passage=False).queries == ("one", "two", "three")
    assert read("", "other", 3, passage=True) == ((), "")
    assert read("a\n**Passage:** b\nc", "q", 3, passage=True) == (("a",), "b c")
    assert read("a\nPASSAGE: b", "q", 3, passage=False) == (("a",), "")


def test_what_it_writes_is_kept_and_served_without_another_call() -> None:
    model = Model(quoting)
    with store(Odds(-7.0), cache=True) as memory:
        memory.models.use_llm(model)
        first = memory.search(ASKED, think=True)
        assert (first.status, first.tier) == ("synthesized", 4)
        assert first.answer is not None
        assert first.answer.answer.startswith("The heron is quiet at dawn")
        assert first.results
        again = memory.search(ASKED, think=True)
        assert again.status == "cached_answer"
        assert again.answer == first.answer
        assert stage(again, "think") == ("skipped", "it was answered before")
        assert len(model.asked) == 1


def test_what_failed_is_tried_again_the_next_time() -> None:
    with store(Odds(-7.0), cache=True) as memory:
        memory.models.use_llm(Model([ModelError("no"), quoting]))
        assert memory.search(ASKED, think=True).status == "needs_synthesis"
        assert memory.search(ASKED, think=True).status == "synthesized"


def test_a_search_that_was_kept_without_a_model_is_not_served_with_one() -> None:
    with store(Odds(-7.0, "wading bird"), cache=True) as memory:
        assert memory.search(ASKED, expand=1).results[0].document != "bird"
        memory.models.use_llm(Model(expand=REWRITE))
        assert memory.search(ASKED, expand=1).results[0].document == "bird"


# ------------------------------------------------------------------ a reranker of one's own choice


def test_a_call_names_its_reranker() -> None:
    def likes_the_quay(request: LlmRequest) -> str:
        grades = [
            {"passage": n, "grade": 3 * ("quay" in text)} for n, text in shown(request).items()
        ]
        return lines({"grades": grades})

    with store(Odds(3.0), cache=True) as memory:
        memory.models.use_llm(Model(rerank=likes_the_quay))
        asked = "the heron is quiet at the long quay"
        assert memory.search(asked).results[0].document == "heron"
        assert memory.search(asked, reranker="llm").results[0].document == "quay"
        assert stage(memory.search(asked, reranker="none"), "rerank")[0] == "skipped"
        with pytest.raises(UsageError):
            memory.search(asked, reranker="http://127.0.0.1:9/v1")
