"""The read path, through the facade."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import EMBED_HOME, Cli, HashEmbedder
from recollect import Memory, config
from recollect.errors import ModelError, QueryError, UsageError
from recollect.models.catalog import EMBED
from recollect.nouns import Answer, Arm, Candidate, Document, Hit, Stage
from recollect.policy import MODES
from recollect.reading import grade
from recollect.reading.fuse import fuse
from recollect.storage import open_store
from recollect.testing.builders import note, session
from recollect.text.tokens import count_tokens

if TYPE_CHECKING:
    from recollect.ports import Vector


def stage(answer: Answer, name: str) -> Stage:
    (found,) = [s for s in answer.stages if s.name == name]
    return found


def documents(answer: Answer) -> list[str]:
    return [r.document for r in answer.results]


@pytest.fixture
def harbour(memory: Memory) -> Memory:
    memory.put(
        [
            note(
                "deploy", "We deploy every Friday at noon.", title="Deploying", path="run/deploy.md"
            ),
            note("redis", "Sessions were kept in redis until October.", path="adr/003.md"),
            note("postgres", "Sessions are kept in postgres now.", path="adr/011.md", owner="ana"),
            session(
                "talk", ("user", "why is the build red?"), ("assistant", "a flaky timezone test")
            ),
        ]
    )
    memory.models.embed()
    return memory


# ------------------------------------------------------------------ fusing


def fused(*arms: Arm, **idf: float) -> list[Candidate]:
    return fuse([arm._replace(idf=idf) for arm in arms], MODES["balanced"])


def test_fusion_adds_the_share_of_the_words_and_the_cosine() -> None:
    lexical = Arm("lexical", 1.0, (Hit(11, 1, 9.0), Hit(22, 2, 8.0)))
    vector = Arm("vector", 4.5, (Hit(22, 2, 0.9), Hit(33, 3, 0.8)))
    first, second, third = fused(lexical, vector, kelp=6.0, otter=4.0)
    assert [first.passage, second.passage, third.passage] == [22, 11, 33]
    assert isclose(first.score, 0.8 + 4.5 * 0.1)
    assert isclose(second.score, 0.9)
    assert third.score == 0.0, "the farthest that was found is no nearer than what was not"
    assert all(isclose(c.score, sum(p.value for p in c.contributions)) for c in (first, second))


def test_a_passage_that_one_arm_is_sure_of_beats_one_that_two_find_middling() -> None:
    words = tuple(Hit(n, n, 2.0) for n in range(1, 9))
    lexical = Arm("lexical", 1.0, (Hit(99, 99, 9.0), *words))
    vector = Arm("vector", 4.5, tuple(Hit(n, n, 0.5 - n / 100) for n in range(1, 9)))
    assert fused(lexical, vector, quokka=9.0)[0].passage == 99


def test_a_title_does_not_choose_the_passage() -> None:
    title = Arm("title", 0.25, (Hit(10, 1, 5.0),))
    lexical = Arm("lexical", 1.0, (Hit(99, 9, 9.0), Hit(13, 1, 8.0)))
    found = fused(title, lexical, kelp=10.0)
    assert {c.document: c.passage for c in found} == {9: 99, 1: 13}


# ------------------------------------------------------------------ answers


def test_every_arm_may_contribute_and_contributions_sum_to_the_score(harbour: Memory) -> None:
    answer = harbour.search("deploy friday")
    top = answer.results[0]
    assert top.document == "deploy"
    assert set(top.evidence) == {"lexical", "title", "vector"}
    for result in answer.results:
        assert isclose(result.score, sum(c.value for c in result.contributions))


def test_what_covers_less_of_the_question_is_less_sure(harbour: Memory) -> None:
    whole = harbour.search("deploy friday", by="keyword")
    part = harbour.search("deploy friday submarine periscope", by="keyword")
    assert whole.results[0].signals.coverage == 1.0
    assert whole.confidence > part.confidence > 0
    nothing = harbour.search("submarine periscope", by="keyword")
    assert (nothing.status, nothing.results, nothing.confidence) == ("no_results", (), 0.0)
    assert nothing.hints


def test_a_question_in_prose_is_relaxed_and_says_so(harbour: Memory) -> None:
    question = "tell me when the team would usually deploy the submarine"
    answer = harbour.search(question, by="keyword")
    assert documents(answer)[0] == "deploy"
    assert "relaxed" in stage(answer, "lexical").reason


def test_passages_with_all_the_words_come_before_those_with_any(memory: Memory) -> None:
    memory.put([note(f"kelp{i}", "kelp kelp kelp kelp") for i in range(5)])
    memory.put([note("both", "kelp " + "and many other words that dilute it " * 20 + "otter")])
    answer = memory.search("kelp otter", by="keyword")
    assert documents(answer)[0] == "both"
    assert "all the words first" in stage(answer, "lexical").reason


def test_phrases_and_exclusions_bind_every_arm(harbour: Memory) -> None:
    assert documents(harbour.search('"kept in postgres"')) == ["postgres"]
    found = documents(harbour.search("sessions kept -redis"))
    assert "postgres" in found
    assert "redis" not in found
    assert "redis" not in documents(harbour.search("sessions kept -redis", by="semantic"))


def test_a_session_is_found_by_a_turn(harbour: Memory) -> None:
    answer = harbour.search("flaky timezone", kinds=["session"])
    assert answer.results[0].document == "talk"
    assert answer.results[0].role == "assistant"
    assert answer.results[0].text == (
        "user: why is the build red?\nassistant: a flaky timezone test"
    )
    assert (
        harbour.search("flaky timezone", kinds=["session"], roles=["user"], by="keyword").results
        == ()
    )


def test_a_written_filter_narrows_and_an_explicit_one_wins(harbour: Memory) -> None:
    assert documents(harbour.search("sessions kept path:adr/003.md")) == ["redis"]
    explicit = harbour.search("sessions kept path:adr/003.md", paths=["adr/011.md"])
    assert documents(explicit) == ["postgres"]


def test_hidden_passages_are_counted_by_the_words_that_carry_the_question(memory: Memory) -> None:
    memory.put(
        [
            note("crane", "The crane was mended.", owner="ana"),
            note("tea", "When is the tea, and who is there?", owner="ana"),
        ]
    )
    asked = memory.search("when is the crane mended?", owner="bo", by="keyword")
    assert asked.hidden == {"owner": 1}  # the other one has only "when", "is" and "the"
    prefix = memory.search("cran*", owner="bo", by="keyword")
    assert prefix.hidden == {"owner": 1}  # the beginning of a word is all there is to count by


def test_what_a_filter_hides_is_counted_by_reason(harbour: Memory) -> None:
    answer = harbour.search("sessions", owner="ana", by="keyword")
    assert documents(answer) == ["postgres"]
    assert answer.hidden == {"owner": 1}
    empty = harbour.search("sessions", scopes=[], by="keyword")
    assert (empty.results, empty.hidden) == ((), {"scopes": 2})
    assert "hides 2 that match" in empty.hints[0]
    assert harbour.search("sessions").hidden == {}


@pytest.mark.parametrize(
    ("query", "limits", "said"),
    [
        ("kind:nosuch sessions", {}, "there is no kind “nosuch”; there are note"),
        ("sessions", {"sources": ["nope"]}, "there is no source “nope”; there are "),
        ("path:zzz sessions", {}, "there is no path “zzz”"),
    ],
)
def test_a_limit_that_nothing_is_within_is_told_and_no_word_is_denied(
    harbour: Memory, query: str, limits: dict[str, list[str]], said: str
) -> None:
    empty = harbour.search(query, by="keyword", **limits)  # type: ignore[arg-type]
    assert "hides 2 that match" in empty.hints[0]
    assert said in empty.hints[1]
    assert not any("nothing here has" in hint for hint in empty.hints)


def test_only_one_result_a_document_and_its_best_passage(memory: Memory) -> None:
    filler = "words about nothing in particular. " * 40
    memory.put([note("long", f"# One\n\n{filler}\n\n# Two\n\nthe otter sleeps. {filler}")])
    answer = memory.search("otter sleeps", by="keyword")
    assert documents(answer) == ["long"]
    assert "otter" in answer.results[0].text


# ------------------------------------------------------------------ budget


def test_the_budget_keeps_order_and_counts_what_it_drops(memory: Memory) -> None:
    memory.put([note(f"n{i}", f"otter {'water ' * 60} {i}") for i in range(8)])
    free = memory.search("otter", mode="tokenmax", by="keyword")
    assert free.budget.budget is None
    assert free.budget.used == sum(r.tokens for r in free.results)
    tight = memory.search("otter", mode="tokenmax", by="keyword", budget=free.results[0].tokens * 3)
    assert documents(tight) == documents(free)[: tight.budget.kept]
    assert 1 < tight.budget.kept <= 3
    assert len(tight.named) == 8 - tight.budget.kept
    assert tight.budget.used <= free.results[0].tokens * 3


def test_one_result_is_always_returned_cut_to_the_budget(memory: Memory) -> None:
    memory.put([note("n", "otter " * 300)])
    answer = memory.search("otter", budget=40, by="keyword")
    assert answer.budget.truncated == 1
    assert answer.results[0].truncated
    assert 0 < len(answer.results[0].text) < 300
    assert memory.search("otter", budget=1, by="keyword").results


def test_absurd_requests_are_refused(memory: Memory) -> None:
    wrongs: list[dict[str, Any]] = [
        {"limit": 0},
        {"limit": 10**6},
        {"budget": 0},
        {"budget": -5},
        {"mode": "x"},
        {"by": "magic"},
        {"since": "soon"},
        {"since": "2026-02-01", "until": "2026-01-01"},
        {"scopes": [""]},
    ]
    for wrong in wrongs:
        with pytest.raises(UsageError) as caught:
            memory.search("otter", **wrong)
        assert caught.value.hint
    for empty in ("", "  ", "-otter", "kind:note", "?!"):
        with pytest.raises(QueryError):
            memory.search(empty)


def test_modes_set_limit_and_budget(memory: Memory) -> None:
    memory.put([note(f"n{i}", f"otter {i}") for i in range(60)])
    for name, policy in MODES.items():
        query = memory.query("otter", mode=name)
        answer = memory.ask(query._replace(policy=query.policy._replace(cut=False)))
        assert answer.mode == name
        assert 0 < len(answer.results) <= policy.limit
        assert len(answer.named) <= policy.named
        assert len(memory.search("otter", mode=name).results) <= policy.limit
        assert answer.budget.budget == policy.budget
    assert 0 < len(memory.search("otter", mode="conservative", limit=2).results) <= 2


def test_a_small_budget_is_spent_on_the_sentence_that_answers(memory: Memory) -> None:
    before = "The harbour office opens early, and the ferries leave on time. " * 12
    answer = "The crane was inspected by Henrike Olufsen."
    memory.put([note("long", f"{before}{answer} {before}", title="Harbour")])
    memory.put([note(f"n{i}", f"Gardening, chapter {i}.") for i in range(9)])
    for tokens in (40, 60, 120):
        found = memory.search("who inspected the crane?", budget=tokens)
        assert answer in found.results[0].text
        assert found.budget.used <= tokens


TABLE = """# Kilns

Every kiln has a keeper, a year and a number of shelves; the keeper of a kiln is asked before
a kiln is lit, and the list of the keepers of the kilns is on the door of the kiln house.

| Kiln | Keeper | Built | Shelves |
|---|---|---|---|
| Alder | Mirte Vos | 1988 | 14 |
| Birch | Tomas Rehn | 2003 | 22 |
| Rowan | Ilse Brandt | 2011 | 31 |
| Willow | Pau Ferrer | 1997 | 9 |

A kiln without a keeper is not lit.
"""


@pytest.mark.parametrize("options", [{"detail": "snippet"}, {"budget": 40}, {"budget": 90}])
def test_where_there_is_little_room_the_row_that_answers_is_shown_whole(
    memory: Memory, options: dict[str, Any]
) -> None:
    memory.put([note("kilns", TABLE, title="Kilns")])
    memory.put([note(f"n{i}", f"Gardening, chapter {i}.") for i in range(9)])
    found = memory.search("who is the keeper of the kiln Rowan?", **options)
    assert "| Rowan | Ilse Brandt | 2011 | 31 |" in found.results[0].text
    assert found.budget.used <= options.get("budget", 90)


def test_an_answer_is_as_sure_as_its_best_result_and_filtered_by_that(harbour: Memory) -> None:
    answer = harbour.search("when do we deploy on friday?")
    assert answer.results
    assert answer.confidence == max(one.confidence for one in answer.results)
    same = harbour.search("when do we deploy on friday?", min_confidence=answer.confidence)
    assert documents(same)[0] == documents(answer)[0]
    above = harbour.search("when do we deploy on friday?", min_confidence=answer.confidence + 0.001)
    assert above.results == ()


def test_words_in_quotes_that_nothing_has_in_a_row_are_looked_for_one_by_one(
    harbour: Memory,
) -> None:
    answer = harbour.search('sessions "kept postgres in"')
    assert "postgres" in documents(answer)
    assert any("in quotes" in hint for hint in answer.hints)
    assert not any("in quotes" in hint for hint in harbour.search('"kept in postgres"').hints)


def test_words_in_quotes_that_are_there_are_shown_however_far_the_question_is(
    tmp_path: Path,
) -> None:
    commands = ("find . -name '*.c' -exec grep -n blash {} +", "du -sh * | sort -h", "chmod 644 *")
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put([note(f"n{i}", text) for i, text in enumerate(commands)])
        memory.models.embed()
        assert memory.search("Who is afraid of blash in the opera?").status == "no_results"
        answer = memory.search('Who is afraid of "blash" in the opera?')
    assert [result.text for result in answer.results] == [commands[0]]
    assert answer.status == "needs_synthesis"


def test_who_gives_a_budget_is_shown_as_much_as_it_holds(memory: Memory) -> None:
    quiet = "It is quiet there after that, and nobody comes by. " * 6
    memory.put([note(f"n{i}", f"The otter of pond {i} eats fish. {quiet}") for i in range(30)])
    question = "what does the otter of the pond eat?"
    few, many = memory.search(question), memory.search(question, budget=6_000)
    assert few.budget.used < many.budget.used <= 6_000


def test_the_modes_show_and_name_different_amounts(memory: Memory) -> None:
    about = ("eats fish", "sleeps late", "swims far", "dives deep", "hides well", "plays rough")
    memory.put(
        [
            note(f"n{i}", f"The otter {what} in pond {i}. " + f"Pond {i} is quiet then. " * 9)
            for i, what in enumerate(about * 6)
        ]
    )
    answers = [memory.search("what does the otter do in the pond?", mode=mode) for mode in MODES]
    used, named = [a.budget.used for a in answers], [len(a.named) for a in answers]
    assert used[0] < used[1] < used[2]
    assert named[0] < named[1]


# ------------------------------------------------------------------ degraded answers say so


def test_who_wants_no_model_gets_words_alone_and_no_complaint(keyword_memory: Memory) -> None:
    keyword_memory.put([note("n", "otter")])
    answer = keyword_memory.search("otter")
    assert documents(answer) == ["n"]
    vector = stage(answer, "vector")
    assert (vector.state, vector.reason) == ("skipped", "no embedding model is in use")
    assert answer.degraded == ()


def test_before_anything_is_embedded_the_answer_says_so(memory: Memory) -> None:
    memory.put([note("n", "otter")])
    answer = memory.search("otter")
    assert answer.degraded == ("vector: nothing is embedded yet",)


def test_a_half_embedded_store_says_how_much_is_missing(
    memory: Memory, embedder: HashEmbedder
) -> None:
    memory.put([note(f"n{i}", f"otter {i}") for i in range(4)])
    waiting = memory.store.pending(embedder.key, limit=1)
    memory.store.put_vectors(
        embedder.key, [waiting[0][0]], embedder.embed_passages([waiting[0][1]])
    )
    answer = memory.search("otter")
    assert len(answer.results) == 4
    assert "3 of 4 passages have no vector yet" in answer.degraded[0]
    assert memory.status().pending == 3
    memory.models.embed()
    assert memory.search("otter").degraded == ()


def test_an_embedder_that_fails_is_reported_and_the_rest_answers(harbour: Memory) -> None:
    class Broken(HashEmbedder):
        def reads(self, text: str) -> bool:
            return True

        speaks = reads

        def embed_query(self, text: str) -> Vector:
            raise ModelError("the model file is garbled")

    broken = Memory(harbour.store, harbour.config, Broken())
    answer = broken.search("deploy friday")
    assert documents(answer)[0] == "deploy"
    assert stage(answer, "vector").state == "failed"
    assert answer.degraded == ("vector: the model file is garbled",)


# ------------------------------------------------------------------ state


def test_a_write_is_visible_to_the_next_search(memory: Memory) -> None:
    for i in range(5):
        memory.put([note(f"n{i}", f"unique{i} otter")])
        assert documents(memory.search(f"unique{i}", by="keyword")) == [f"n{i}"]
        memory.forget(f"n{i}")
        assert memory.search(f"unique{i}", by="keyword").results == ()


def test_the_fingerprint_names_the_request_and_the_state(harbour: Memory) -> None:
    first = harbour.search("sessions").fingerprint
    assert harbour.search("sessions").fingerprint == first
    assert harbour.search("sessions", limit=3).fingerprint != first
    assert harbour.search("session").fingerprint != first
    harbour.put([note("new", "sessions")])
    assert harbour.search("sessions").fingerprint != first


def test_long_lived_processes_embed_in_the_background(memory: Memory) -> None:
    memory.put([note(f"n{i}", f"otter {i}") for i in range(10)])
    memory.models.embed_in_background()
    for _ in range(200):
        if memory.status().pending == 0:
            break
        time.sleep(0.02)
    assert memory.status().pending == 0
    memory.put([note("late", "otter")])
    for _ in range(400):
        if memory.status().pending == 0:
            break
        time.sleep(0.02)
    assert memory.status().pending == 0


def test_an_interrupted_embedding_goes_on_where_it_was(memory: Memory) -> None:
    from threading import Event

    from recollect.writing.embedding import embed_pending

    memory.put([note(f"n{i}", f"otter {i}") for i in range(200)])
    stop = Event()
    done = embed_pending(memory.store, HashEmbedder(), lambda _: stop.set(), stop)
    assert 0 < done < 200
    assert memory.status().pending == 200 - done
    assert memory.models.embed() == 200 - done


def test_a_text_that_is_known_is_not_embedded_again(tmp_path: Path) -> None:
    class Counting(HashEmbedder):
        texts = 0

        def embed_passages(self, texts: Sequence[str]) -> Any:
            self.texts += len(texts)
            return super().embed_passages(texts)

    embedder = Counting()
    notes = [note(f"n{i}", f"otter {i}") for i in range(80)]
    with Memory(open_store(str(tmp_path / "store")), config.load(), embedder) as memory:
        memory.put([*notes, note("twice", "otter 7")])
        assert memory.models.embed() == 81
        assert embedder.texts == 80
        memory.put([one._replace(source="a copy") for one in notes])
        memory.put([one._replace(owner="ben") for one in notes[:3]])
        assert memory.models.embed() == 83
        assert embedder.texts == 83
        assert memory.status().pending == 0


def test_a_store_in_memory_answers_the_same_way(harbour: Memory, embedder: HashEmbedder) -> None:
    def bodies(memory: Memory) -> list[Document]:
        return [memory.get(d.id) for d in memory.list(limit=100).items]

    with Memory(open_store("memory://"), config.load(), embedder) as plain:
        plain.put(reversed(bodies(harbour)))
        plain.models.embed()
        for query in ("deploy friday", "sessions kept", "why was redis dropped", "timezone"):
            assert documents(plain.search(query)) == documents(harbour.search(query))


# ------------------------------------------------------------------ the real model


def test_a_paraphrase_is_found_by_meaning(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.put(
            [
                note("cat", "My kitten sleeps on the radiator all winter."),
                note("tax", "The income statement is due at the end of May."),
                note("boat", "Check the oil before the engine of the boat is started."),
                note("cache", "We removed the cache because old entries made invoices wrong."),
            ]
        )
        memory.models.embed()
        doubted = memory.search("Where does the pet like to rest when it is cold?")
        assert "cat" in [*documents(doubted), *(one.document for one in doubted.named)]
        answer = memory.search("the reason for getting rid of caching")
        assert documents(answer)[0] == "cache"
        assert "vector" in answer.results[0].evidence


def test_the_embedder_gives_unit_vectors_whatever_the_length(tmp_path: Path) -> None:
    import numpy as np

    from recollect.models.onnx import OnnxEmbedder

    embedder = OnnxEmbedder(EMBED, EMBED_HOME)
    texts = ["", "a", "word " * 5000, "東京 🎉", "\x00"]
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (5, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    alone = embedder.embed_passages(["a"])[0]
    assert float(alone @ vectors[1]) > 0.97  # what else is in a batch hardly matters


@pytest.mark.parametrize("stored", [0.3, 0.9])
def test_a_doubtful_answer_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: float
) -> None:
    """Whatever is found, a few hundred tokens of it are shown where the gate is in doubt."""
    monkeypatch.setattr(grade, "answerable", lambda *_: stored)
    log = "The keeper of the north lighthouse wrote on day {} that the lamp smoked in the wind. "
    notes = [note(f"n{n}", (log * 8).format(*range(n, n + 8))) for n in range(0, 160, 8)]
    with Memory.open(tmp_path / "store", rerank_model="none") as memory:
        memory.put(notes)
        memory.models.embed()
        answer = memory.search("Which keeper complained about smoke and storms at the lighthouse?")
    shown = sum(count_tokens(result.text) for result in answer.results)
    assert answer.results
    assert (shown <= 600) is (stored < 0.5)


PROGRAM = """\"\"\"Fuel surcharges per region.\"\"\"
from decimal import Decimal, ROUND_HALF_EVEN

FUEL_TABLES = {
    "default": {"DE": Decimal("0.092"), "PL": Decimal("0.081"), "EE": Decimal("0.088")},
    "2026q4": {"DE": Decimal("0.104"), "PL": Decimal("0.090"), "EE": Decimal("0.097")},
}


class UnknownRegion(LookupError):
    pass


def fuel_surcharge(base_cents: int, region: str, table: str = "default") -> int:
    \"\"\"The surcharge on a base price, in cents, rounded half-even.\"\"\"
    try:
        rate = FUEL_TABLES[table][region]
    except KeyError:
        raise UnknownRegion(f"no fuel rate for region {region!r} in table {table!r}") from None
    return int((Decimal(base_cents) * rate).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
"""


def test_the_code_that_has_a_name_whole_is_kept_within_a_small_budget(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "surcharge.py").write_text(PROGRAM)
    memory.add(tmp_path / "surcharge.py")
    for budget in range(50, 200, 2):
        found = memory.search("fuel_surcharge", budget=budget, cache=False)
        assert "def fuel_surcharge(" in found.results[0].text
        assert found.budget.used <= budget


def test_what_the_limit_on_confidence_hides_is_told(cli: Cli) -> None:
    cli("remember", "The loader has eight workers.", "--no-embed")
    found = cli(
        "search", "how many workers has the loader of the quoter?", "--min-confidence", "0.99"
    )
    assert "the limit on confidence hides 1 that may answer" in found.out + found.err
    assert "nothing here has" not in found.out + found.err
