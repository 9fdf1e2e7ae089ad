"""Thinking: what a language model writes is checked, and what it fails at costs no answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Memory, config
from recollect.errors import (
    Cancelled,
    ModelBusy,
    ModelError,
    ModelUnauthorised,
    ModelUnreachable,
    QueryError,
    SpendRefused,
    UsageError,
)
from recollect.nouns.web import WebFound, WebPage, WebResult
from recollect.ports import LlmReply, LlmRequest, LlmUsage
from recollect.reading.think.stream import Objects
from recollect.reading.think.thought import Thought, ThoughtEvent
from recollect.reading.time_box import TimeBox
from recollect.storage import open_cache, open_store
from recollect.testing.builders import note, session
from recollect.text.statements.quotes import enough, normal, quoted
from recollect.trace import Stopped, watched
from recollect.writing.runner import Token
from stub_llm import GOOD, Model, bad, lines, quoting, sentence, shown

WHY = "why did we drop redis, and what came instead?"


@pytest.fixture
def memory() -> Iterator[Memory]:
    """By words alone, which is quick and always the same."""
    opened = Memory(
        open_store("memory://"), config.load(), cache=open_cache("memory://", 100),
    )  # fmt: skip
    with opened as m:
        m.put(
            [
                note("redis", "We dropped Redis in March. It lost writes when the disk was full.",
                     title="Redis"),
                note("queue", "What came instead: Postgres has the queue now, with SKIP LOCKED.",
                     title="Queue"),
                note("pier", "The pier is closed in winter.", title="Pier"),
                session("talk", ("user", "who decided about redis?"),
                        ("assistant", "Ana decided it, and Ben agreed.")),
            ]
        )  # fmt: skip
        yield m


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried again is tried again at once."""
    monkeypatch.setattr("recollect.models.llm.client.BACKOFF", 0.0)


def number(request: LlmRequest, words: str) -> int:
    """Under which number the source with these words is shown."""
    return next((n for n, text in shown(request).items() if words in text), 0)


def citing(text: str, words: str, quote: str, *more: Any) -> Callable[[LlmRequest], str]:
    return lambda request: lines(
        sentence(text, (number(request, words), quote)), *(more or (GOOD,))
    )


LOST = citing("It lost writes.", "lost writes", "It lost writes when the disk was full.")


# ------------------------------------------------------------------ quotes


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("it lost writes", "It  lost\n writes when full"),
        ("the “disk” was full", 'the "disk" was full'),
        ("don't stop", "we don’t stop"),
        ("2020-2021 plan", "the 2020–2021 plan"),
        ("café au lait", "cafe\u0301 au lait"),
        ("ﬁsh for all", "Fish for all"),
        ("STRASSE DREI", "straße drei"),
        ("東京駅", "私は東京駅にいる"),
        ("soft hyphen", "soft hy\u00adphen"),
    ],
)
def test_a_quote_may_differ_in_what_does_not_count(quote: str, text: str) -> None:
    assert enough(normal(quote))
    assert quoted(normal(quote), normal(text))


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("it lost all writes", "it lost writes"),
        ("it lost … full", "it lost writes when the disk was full"),
        ("it lost writs", "it lost writes"),
        ("able to deploy", "we are unable to deploy"),
        ("deploy on friday", "we deploy on fridays"),
        ("port 80 is open", "port 8080 is open"),
        ("writes it lost", "it lost writes"),
    ],
)
def test_a_quote_may_differ_in_nothing_else(quote: str, text: str) -> None:
    assert not quoted(normal(quote), normal(text))


@pytest.mark.parametrize("quote", ["", "the", "a b c", "…", "12", "東"])
def test_a_quote_that_any_text_has_says_nothing(quote: str) -> None:
    assert not enough(normal(quote))


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_what_stands_in_a_text_between_spaces_is_quoted_from_it(
    words: str, before: str, after: str
) -> None:
    if enough(normal(words)):
        assert quoted(normal(words), normal(f"{before} {words} {after}"))


# ------------------------------------------------------------------ what it says


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_objects_are_read_as_they_come_however_they_are_wrapped(size: int) -> None:
    one, two = sentence('A {brace} and "quotes".', (1, "x")), {"useful": True}
    said = lines(one, two)
    for text in (
        said,
        f"Here it is:\n```json\n{said}\n```\nI hope it helps.",
        f"<think>maybe {{no}}</think>\n{said}",
        "[" + said.replace("\n", ",\n") + "]",
        '{"answer": [' + said.replace("\n", ", ") + "]}",
    ):
        objects = Objects()
        got = [o for at in range(0, len(text), size) for o in objects.feed(text[at : at + size])]
        objects.end()
        assert got == [one, two], text
        assert objects.broken == 0


def test_what_is_broken_costs_itself() -> None:
    objects = Objects()
    text = '{"sentence": "half\n{"useful": true}\n{"sentence": nonsense}\n{"relevant": true}\n{"x'
    assert list(objects.feed(text)) == [{"useful": True}, {"relevant": True}]
    objects.end()
    assert objects.broken == 3


def test_what_never_ends_takes_no_longer_the_longer_it_is() -> None:
    objects = Objects()
    for _ in range(150_000):
        assert not list(objects.feed("{"))
    objects.end()
    assert objects.broken == 1


@given(st.text(alphabet='{}[]",:\\ntrue\n<think>/', max_size=80))
def test_nothing_that_it_says_is_an_error(text: str) -> None:
    objects = Objects()
    for sign in text:
        assert all(isinstance(one, dict) for one in objects.feed(sign))
    objects.end()


# ------------------------------------------------------------------ an answer


def test_an_answer_cites_what_bears_it_out(memory: Memory) -> None:
    def model(request: LlmRequest) -> str:
        redis, queue = number(request, "dropped"), number(request, "SKIP LOCKED")
        return lines(
            sentence("It lost writes.", (redis, "it lost WRITES when the disk was full")),
            sentence("Postgres took over.", (queue, "Postgres has the queue now")),
            GOOD,
        )

    memory.models.use_llm(model)
    made = memory.think(WHY)
    assert made.status == "synthesized"
    assert made.text == "It lost writes. [1] Postgres took over. [2]"
    assert made.written is not None
    first, second = made.written.references
    assert (first.number, first.document, first.origin) == (1, "redis", "memory")
    assert first.passages == (f"{memory.get('redis').id}:0",)
    assert second.document == "queue"
    assert all(one.supported for one in made.written.sentences)
    assert made.written.grade.good
    assert made.calls == made.written.calls == 1
    assert made.written.rounds == 1
    assert made.as_json()["written"]["sentences"][0]["citations"][0]["passages"]


@pytest.mark.parametrize(
    ("support", "problem"),
    [
        ([], "cites nothing"),
        (None, "cites nothing"),
        ("redis", "cites nothing"),
        ([{"source": 99, "quote": "It lost writes when"}], "not given"),
        ([{"source": 0, "quote": "It lost writes when"}], "not given"),
        ([{"source": "the web", "quote": "It lost writes when"}], "not given"),
        ([{"source": True, "quote": "It lost writes when"}], "not given"),
        ([{"source": 1, "quote": "It never lost writes"}], "does not have the words"),
        ([{"source": 1, "quote": "it"}], "too little"),
        ([{"source": 1}], "too little"),
        (["It lost writes"], "nothing that can be read"),
        ([{"source": 1, "quote": "We dropped Redis in March"},
          {"source": 1, "quote": "It never lost writes"}], "does not have the words"),
    ],
)  # fmt: skip
def test_a_sentence_that_is_not_borne_out_is_flagged(
    memory: Memory, support: Any, problem: str
) -> None:
    def model(request: LlmRequest) -> str:
        assert "dropped" in shown(request)[1]
        good = sentence("It was dropped.", (1, "We dropped Redis in March."))
        return lines(good, {"sentence": "It was never used.", "support": support}, GOOD)

    memory.models.use_llm(model)
    made = memory.think("redis dropped in March: why?", force=True)
    assert made.status == "synthesized"
    assert made.written is not None
    good, flagged = made.written.sentences
    assert good.supported
    assert not flagged.supported
    assert problem in flagged.problem
    assert made.text == "It was dropped. [1]", "the other one is taken out"
    assert not made.written.grade.supported, "whatever it says of itself"
    assert made.answer is not None
    assert made.answer.answer == "It was dropped. [1]", "only what is supported is kept"


def test_an_answer_in_which_nothing_is_supported_is_none(memory: Memory) -> None:
    memory.models.use_llm(
        Model(lines(sentence("It was too blue.", (1, "it was too blue for us")), GOOD))
    )
    made = memory.think(WHY)
    assert made.status == "needs_synthesis"
    assert "could be shown to be in memory" in made.reason
    assert made.text == ""
    assert made.bundle is not None
    assert made.bundle.sections
    assert made.written is not None
    assert [one.supported for one in made.written.sentences] == [False]
    assert not memory.admin.answers()


def test_a_quote_may_span_passages_that_follow_each_other(memory: Memory) -> None:
    text = "\n\n".join(f"Step {n} of the launch takes {n} minutes. " * 12 for n in range(1, 12))
    memory.put([note("launch", text, title="Launch")])
    memory.models.use_llm(Model(quoting))
    made = memory.think("explain how the launch goes, step 4 and step 5", force=True)
    document = memory.get("launch")
    assert made.written is not None
    for one in made.written.sentences[0].citations:
        assert set(one.passages) <= {f"{document.id}:{n}" for n in range(40)}
        assert one.passages


def test_only_what_was_shown_of_a_section_can_be_quoted(memory: Memory) -> None:
    long = "The capybara sleeps. " + "And it sleeps on. " * 300 + "In the end it wakes up at six."
    memory.put([note("long", long)])
    model = Model(lines(sentence("At six.", (1, "In the end it wakes up at six.")), GOOD))
    memory.models.use_llm(model)
    made = memory.think("why does the capybara sleep?", token_budget=100)
    assert "wakes up" not in model.prompts[0].partition("source 1]]")[2]
    assert made.status == "needs_synthesis"


def test_a_named_fact_is_read_first_and_can_be_cited(memory: Memory) -> None:
    memory.remember("We deploy on Fridays after lunch", name="deploy day")
    memory.models.use_llm(Model(quoting))
    made = memory.think("why is the deploy day what it is?", force=True)
    assert made.status == "synthesized"
    assert made.written is not None
    assert made.written.references[0].kind == "fact"


# ------------------------------------------------------------------ not in memory


def test_what_is_not_in_memory_is_said_to_be_so(memory: Memory) -> None:
    model = Model(lines(bad(relevant=False)))
    memory.models.use_llm(model)
    made = memory.think("why is redis better than memcached for sessions?")
    assert made.status == "not_in_memory"
    assert made.text == ""
    assert made.calls == 1
    assert made.answer is None
    assert not memory.admin.answers()


def test_where_nothing_is_found_nobody_is_asked(memory: Memory) -> None:
    model = Model(quoting)
    memory.models.use_llm(model)
    for force in (False, True):
        made = memory.think("xylophone quartets", force=force)
        assert (made.status, made.reason) == ("not_in_memory", "nothing was found")
    assert model.count() == 0


# ------------------------------------------------------------------ once more


def test_a_bad_grade_buys_one_more_round(memory: Memory) -> None:
    def second(request: LlmRequest) -> str:
        return lines(sentence("Ana did.", (number(request, "Ana decided"), "Ana decided it, and")),
                     GOOD)  # fmt: skip

    model = Model([lines(bad("Ana decided")), second])
    memory.models.use_llm(model)
    told: list[ThoughtEvent] = []
    made = memory.think("what made the team drop memcached?", tell=told.append, roles=None)
    assert made.status == "synthesized", made
    assert made.text == "Ana did. [1]"
    assert made.looked_for == ("what made the team drop memcached?", "Ana decided")
    assert made.calls == 2
    assert made.written is not None
    assert made.written.rounds == 2
    assert "Ana decided" not in model.prompts[0]
    kinds = [one.kind for one in told if one.kind != "stage"]
    assert kinds == ["again", "sentence", "final"]


@pytest.mark.parametrize("first", [LOST, lines(bad())])
def test_there_are_never_more_than_two(memory: Memory, first: Any) -> None:
    def greedy(request: LlmRequest) -> str:
        said = first if isinstance(first, str) else first(request)
        return f"{said}\n{lines(bad(f'the pier in winter {model.count()}'))}"

    model = Model(greedy)
    memory.models.use_llm(model)
    made = memory.think(WHY)
    assert model.count() == made.calls == 2
    assert made.status in ("synthesized", "not_in_memory")


@pytest.mark.parametrize(
    ("look_for", "why"),
    [
        ("", "does not say what is missing"),
        ("xylophone quartets", "nothing new"),
        (WHY, "nothing new"),
        ('-"excluded"', "nothing new"),
    ],
)
def test_a_second_round_that_brings_nothing_is_not_paid_for(
    memory: Memory, look_for: str, why: str
) -> None:
    model = Model(citing("It lost writes.", "lost writes", "It lost writes when", bad(look_for)))
    memory.models.use_llm(model)
    made = memory.think(WHY)
    assert made.status == "synthesized"
    assert model.count() == 1
    again = next(stage for stage in made.stages if stage.name == "think again")
    assert again.state == "skipped"
    assert why in again.reason


def test_a_second_round_that_fails_costs_nothing_but_itself(memory: Memory) -> None:
    first = citing("It lost writes.", "lost writes", "It lost writes when", bad("pier winter"))
    memory.models.use_llm(Model([first, ModelError("it burned down")]))
    made = memory.think(WHY)
    assert made.status == "synthesized"
    assert made.text == "It lost writes. [1]"
    assert any("burned down" in reason for reason in made.degraded)
    assert made.calls == 2


def test_what_it_would_look_for_is_not_the_topic_of_the_question(memory: Memory) -> None:
    model = Model([lines(bad("pier closed winter")), lines(bad())])
    memory.models.use_llm(model)
    memory.think("When did we first talk about Redis?", force=True)
    assert "pier is closed" not in model.prompts[0]
    assert "pier is closed" in model.prompts[1]


def test_what_it_would_look_for_stays_within_the_limits(memory: Memory) -> None:
    memory.put([note("secret", "The launch code is swordfish, says Zoe.", source="vault")])
    model = Model([lines(bad("launch code swordfish")), lines(bad())])
    memory.models.use_llm(model)
    memory.think(WHY, sources=["tests"])
    memory.think(f"{WHY} source:tests")
    assert model.count() >= 2
    assert not any("swordfish" in prompt for prompt in model.prompts)


def test_what_is_too_doubtful_to_be_shown_is_read_by_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The floor is for a reader to whom everything is shown; a model can tell."""
    monkeypatch.setenv("RECOLLECT_SEARCH_KEEP", "0.8")
    lost = """Redis lost 1.2 million rows on Monday when the disk was full. The outage took 47
        minutes. Dana Ruiz restored the data from the backup of Sunday. We paid 12,000 euros to
        Percona and 3,500 euros to Hetzner."""
    moved = """The job queue moved from Redis to PostgreSQL in March 2026. Kofi did not approve the
        move at first, because SKIP LOCKED was new to him. The retry limit is three."""
    with Memory.open("memory://", rerank_model="none") as doubtful:
        doubtful.put(
            [
                note("redis", lost, title="Redis incident, 2 March 2026"),
                note("queue", moved, title="Queue, 9 March 2026"),
            ]
        )
        doubtful.models.embed()
        model = Model(lines(GOOD))
        doubtful.models.use_llm(model)
        assert doubtful.search("why did we drop Redis?").status == "no_results"
        doubtful.think("why did we drop Redis?")
        assert model.count() == 1
        made = doubtful.think("how tall is the Eiffel tower?")
        assert (made.status, made.reason) == ("not_in_memory", "nothing was found")
        assert model.count() == 1


# ------------------------------------------------------------------ written before, and so on


def test_what_was_written_is_served_again_until_something_changes(memory: Memory) -> None:
    model = Model(LOST)
    memory.models.use_llm(model)
    first = memory.think(WHY)
    assert first.answer is not None
    assert first.answer.sources == (f"{memory.get('redis').id}:0",)
    again = memory.think(WHY)
    assert (again.status, again.text, again.calls) == ("cached_answer", first.text, 0)
    assert again.answer == first.answer
    assert first.written is not None
    assert [one.title for one in again.sources] == [one.title for one in first.written.references]
    assert memory.search(WHY).status == "cached_answer"
    assert model.count() == 1
    assert memory.think(WHY, force=True).calls == 1
    memory.put([note("more", "Redis came back for sessions.")])
    assert memory.think(WHY).status == "synthesized"
    assert model.count() == 3


def test_it_is_kept_for_the_limits_it_was_asked_under(memory: Memory) -> None:
    model = Model(LOST)
    memory.models.use_llm(model)
    memory.think(WHY, kinds=["note"])
    assert memory.think(WHY, kinds=["note"]).status == "cached_answer"
    assert memory.think(WHY).status == "synthesized"


def test_without_a_cache_what_was_recorded_is_served_all_the_same() -> None:
    with Memory(open_store("memory://"), config.load()) as bare:
        bare.put([note("redis", "We dropped Redis. It lost writes when the disk was full.")])
        bare.models.use_llm(Model(LOST))
        assert bare.think(WHY, kinds=["note"]).status == "synthesized"
        assert bare.think(WHY, kinds=["note"]).status == "cached_answer"


def test_what_is_there_in_so_many_words_is_not_written_unless_forced(memory: Memory) -> None:
    model = Model(quoting)
    memory.models.use_llm(model)
    asked = "closed pier winter"
    made = memory.think(asked)
    assert made.status == "direct_passages"
    assert made.bundle is not None
    assert "closed in winter" in made.bundle.rendered()
    assert model.count() == 0
    assert memory.think(asked, force=True).status == "synthesized"
    assert model.count() == 1


# ------------------------------------------------------------------ what goes wrong


def is_a_bundle(made: Thought) -> bool:
    return made.status == "needs_synthesis" and bool(made.bundle and made.bundle.sections)


def test_without_a_model_there_is_what_it_would_be_from(memory: Memory) -> None:
    made = memory.think(WHY)
    assert is_a_bundle(made)
    assert made.reason == "no language model is configured"
    assert made.calls == 0
    assert made.written is None


class Failure(NamedTuple):
    says: Any
    reason: str


FAILURES = {
    "down": Failure(ModelUnreachable("nobody is there"), "nobody is there"),
    "busy": Failure(ModelBusy("over quota", after=3600.0), "over quota"),
    "key": Failure(ModelUnauthorised("wrong key"), "wrong key"),
    "money": Failure(SpendRefused("too dear"), "too dear"),
    "bug": Failure(ZeroDivisionError("oh"), "oh"),
    "empty": Failure("   ", "empty"),
    "prose": Failure("Redis was slow, I think.", "makes no sense"),
    "broken": Failure('{"sentence": ', "makes no sense"),
    "other": Failure('{"tool": "forget", "id": "redis"}', "makes no sense"),
    "contradiction": Failure(lines(GOOD), "makes no sense"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_model_that_fails_costs_the_answer_and_no_more(memory: Memory, name: str) -> None:
    memory.models.use_llm(Model(FAILURES[name].says))
    told: list[ThoughtEvent] = []
    made = memory.think(WHY, tell=told.append)
    assert is_a_bundle(made)
    assert FAILURES[name].reason in made.reason
    assert any(FAILURES[name].reason in reason for reason in made.degraded)
    assert made.calls == (name != "money")  # which was never sent
    assert told[-1].thought == made
    assert not memory.admin.answers()


def test_a_model_that_never_answers_is_left_when_the_time_is_over(memory: Memory) -> None:
    go = threading.Event()
    memory.models.use_llm(lambda _: str(go.wait(60)))
    made = memory.think(WHY, time_box=0.05)
    assert not go.is_set()
    go.set()
    assert is_a_bundle(made)
    assert "longer than 0.05 s" in made.reason


def test_where_no_time_is_left_nobody_is_asked(memory: Memory) -> None:
    class Over:
        stopped, left = False, 0.0

    model = Model(quoting)
    memory.models.use_llm(model)
    made = memory.think(WHY, token=Over())
    assert is_a_bundle(made)
    assert model.count() == 0


def test_whoever_gives_up_is_not_kept(memory: Memory) -> None:
    token, go = Token(), threading.Event()

    def model(_: LlmRequest) -> str:
        token.cancel()
        return str(go.wait(60))

    memory.models.use_llm(model)
    with pytest.raises(Cancelled):
        memory.think(WHY, token=token)
    go.set()


def test_nobody_waits_for_what_nobody_looks_at_any_more(memory: Memory) -> None:
    begun, go = threading.Event(), threading.Event()

    def model(_: LlmRequest) -> str:
        begun.set()
        go.wait(60)
        return ""

    def look(_: str) -> None:
        if begun.is_set():
            raise Stopped

    memory.models.use_llm(model)
    with pytest.raises(Stopped), watched(look):
        memory.think(WHY)
    assert not go.is_set()
    go.set()


def test_a_time_box_ends_with_the_clock_or_with_whoever_waits() -> None:
    now = [100.0]
    box = TimeBox(5.0, clock=lambda: now[0])
    assert (box.left, box.stopped, box.given_up) == (5.0, False, False)
    now[0] = 105.0
    assert (box.left, box.stopped, box.given_up) == (0.0, True, False)
    token = Token(2.0)
    box = TimeBox(5.0, token)
    assert box.left <= 2.0
    token.cancel()
    assert box.stopped
    assert box.given_up


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"time_box": 0}, UsageError),
        ({"time_box": 1e9}, UsageError),
        ({"token_budget": 5}, UsageError),
        ({"mode": "huge"}, UsageError),
        ({"expand": 9}, UsageError),
        ({"nonsense": 1}, TypeError),
    ],
)
def test_a_call_that_is_wrong_is_told_so(
    memory: Memory, wrong: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.think(WHY, **wrong)
    with pytest.raises(QueryError):
        memory.think("  ")


def test_what_it_took_is_told(memory: Memory) -> None:
    def model(request: LlmRequest) -> LlmReply:
        said = LOST(request).replace("\n" + lines(GOOD), "\n" + lines(bad("pier winter")))
        return LlmReply(said, usage=LlmUsage(100, 20, cache_read=40), model="toy-1", cost=0.25)

    memory.models.use_llm(model)
    made = memory.think(WHY)
    assert made.written is not None
    assert (made.written.input, made.written.output, made.written.cached) == (200, 40, 80)
    assert made.written.cost == 0.5
    assert made.written.model == "toy-1"


# ------------------------------------------------------------------ the web


def test_pages_of_the_web_are_labelled_cited_and_not_kept(memory: Memory) -> None:
    page = WebResult(
        "Redis", "https://example.com/redis", text="Redis has had AOF since version 1.1."
    )
    model = Model(
        lambda request: lines(
            sentence("It has AOF.", (number(request, "AOF"), "Redis has had AOF since")), GOOD
        )
    )
    memory.models.use_llm(model)
    made = memory.think(WHY, web=[page, WebResult("nothing", "https://example.com", "")])
    assert made.status == "synthesized"
    assert made.written is not None
    (reference,) = made.written.references
    assert (reference.origin, reference.url) == ("web", page.url)
    assert reference.passages == ()
    assert "web page" in model.prompts[0]
    assert not memory.admin.answers()
    assert made.answer is not None
    assert made.answer.id == ""
    assert memory.think("xylophone quartets", web=[page]).calls == 1


def test_the_web_is_asked_where_memory_does_not_answer_and_only_if_allowed(memory: Memory) -> None:
    asked: list[str] = []

    class Engine:
        key = "a stub"

        def page(self, url: str) -> WebPage:
            raise AssertionError(url)

        def search(self, query: str, *, limit: int, read: int) -> WebFound:
            asked.append(query)
            page = WebResult("AOF", "https://example.com/aof", "Redis has had AOF since 1.1.")
            return WebFound(query, "example.com", (page,))

    memory.web.use(Engine())
    memory.models.use_llm(
        Model(lambda r: lines(sentence("It has.", (number(r, "AOF"), "Redis has had AOF")), GOOD))
    )
    refused = memory.think("xylophone quartets", web=True)
    assert asked == []
    assert any("web" in reason for reason in refused.degraded)
    memory.core.config = memory.config.with_value("web.when", "asked")
    made = memory.think("xylophone quartets", web=True)
    assert asked == ["xylophone quartets"]
    assert made.written is not None
    assert [one.origin for one in made.written.references] == ["web"]


# ------------------------------------------------------------------ settings that came along


def test_a_repository_cannot_have_the_model_asked() -> None:
    told = {"mode": "tokenmax", "search.think": True, "search.expand": 3}
    config.write_file(Path.cwd() / config.PROJECT_FILE, told)
    with Memory.open("memory://", embed_model="none", rerank_model="none") as m:
        policy = m.query("x").policy
        assert (policy.mode, policy.think, policy.expand) == ("tokenmax", False, 0)
        assert m.query("x", mode="tokenmax").policy.expand == 3
