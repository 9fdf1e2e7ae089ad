"""The reranker: what it changes, what it leaves alone, and what happens when it cannot work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import HashEmbedder
from recollect import Memory, config
from recollect.errors import ModelError
from recollect.models.catalog import RERANK
from recollect.models.files import ModelFolder
from recollect.models.onnx import OnnxReranker
from recollect.nouns import Answer
from recollect.storage import open_store
from recollect.testing.builders import note


class Likes:
    """A reranker that likes passages with one word in them."""

    key = "likes@1"

    def __init__(self, word: str, error: str = "") -> None:
        self.word = word
        self.error = error
        self.seen: list[str] = []

    def reads(self, text: str) -> bool:
        return text.isascii()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        if self.error:
            raise ModelError(self.error)
        self.seen = list(passages)
        return [20.0 if self.word in passage else -20.0 for passage in passages]


def boats(reranker: Likes | None) -> Memory:
    memory = Memory(open_store("memory://"), config.load(), HashEmbedder(), reranker=reranker)
    memory.put(note(f"n{i}", f"boat {'boat ' * (9 - i)} number {i}") for i in range(9))
    memory.models.embed()
    return memory


def stage(answer: Answer) -> tuple[str, str]:
    return next((s.state, s.reason) for s in answer.stages if s.name == "rerank")


def test_what_the_reranker_likes_comes_first() -> None:
    with boats(Likes("number 7")) as memory:
        answer = memory.search("boat")
    assert answer.results[0].document == "n7"
    assert stage(answer)[0] == "ran"


def test_contributions_still_sum_to_the_score() -> None:
    with boats(Likes("number 3")) as memory:
        for result in memory.search("boat").results:
            assert sum(c.value for c in result.contributions) == pytest.approx(result.score)
            assert "odds" in [c.arm for c in result.contributions]
            assert set(result.evidence) <= {"lexical", "vector", "title"}


def test_it_reads_the_title_and_heading_with_the_text() -> None:
    likes = Likes("x")
    with Memory(open_store("memory://"), config.load(), HashEmbedder(), reranker=likes) as memory:
        memory.put([note("a", "a boat", title="Fleet"), note("b", "another boat")])
        memory.search("boat")
    assert any(text.startswith("Fleet") for text in likes.seen)


@pytest.mark.parametrize(
    ("query", "way", "reason"),
    [
        ("boat", "keyword", "by keyword"),
        ("boat", "semantic", "semantic"),
        ("лодка boat лодка", None, "does not know this script"),
    ],
)
def test_it_is_left_out_with_a_reason(query: str, way: str | None, reason: str) -> None:
    with boats(Likes("number 7")) as memory:
        state, said = stage(memory.search(query, by=way))
    assert state == "skipped"
    assert reason in said


def test_without_one_the_answer_says_so_and_is_the_fused_one() -> None:
    with boats(None) as memory:
        answer = memory.search("boat")
    assert stage(answer) == ("skipped", "no reranker is configured")
    assert len(answer.results) > 1
    assert len(answer.results) + len(answer.named) == answer.total_found


def test_one_that_fails_costs_its_gain_and_nothing_else() -> None:
    with boats(Likes("", error="it broke")) as broken, boats(None) as without:
        answer = broken.search("boat")
        wanted = [r.document for r in without.search("boat").results]
    assert [r.document for r in answer.results] == wanted
    assert "rerank: it broke" in answer.degraded


@pytest.fixture(scope="module")
def real() -> OnnxReranker:
    return OnnxReranker(RERANK, ModelFolder(Path("/nowhere")).locate(RERANK))


def test_the_model_that_ships_tells_an_answer_from_a_mention(real: OnnxReranker) -> None:
    passages = [
        "We moved the nightly backup to 03:00 because the export ran into it.",
        "Backups should be tested; a backup nobody has restored is a hope.",
        "Priya's backup laptop is in the cupboard.",
    ]
    odds = real.score("at what time does the nightly backup run?", passages)
    assert odds[0] == max(odds)
    assert odds[0] > 0 > odds[2]


def test_it_takes_any_length_and_gives_numbers(real: OnnxReranker) -> None:
    odd = ["", "x", "word " * 20_000, "東京 🎉", "\x00", "\ud7ff"]
    for question in ("", "when", "why " * 5_000):
        assert len(real.score(question, odd)) == len(odd)
    assert real.score("nothing", []) == []


def test_company_does_not_change_a_score(real: OnnxReranker) -> None:
    passages = ["The lease ends in May.", "word " * 300, "Nothing of the kind."]
    alone = [real.score("when does the lease end", [p])[0] for p in passages]
    assert real.score("when does the lease end", passages) == pytest.approx(alone, abs=0.05)


def test_a_request_that_nobody_waits_for_is_not_read_to_the_end() -> None:
    from recollect.trace import Stopped, watched

    def stop(doing: str) -> None:
        if doing == "rerank":
            raise Stopped

    reranker = Likes("number 3")
    with boats(reranker) as memory, watched(stop), pytest.raises(Stopped):
        memory.search("boat")
    assert len(reranker.seen) == 8  # of nine: the first look at the clock is the end of it
