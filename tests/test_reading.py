"""The stages of the read path that grade, cut, widen and explain."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import HashEmbedder
from recollect import Memory, config
from recollect.errors import UsageError
from recollect.nouns import (
    Answer,
    Candidate,
    Contribution,
    Document,
    Filter,
    Passage,
    Signals,
    Stage,
    StoredPassage,
    TextQuery,
)
from recollect.policy import KNOBS, MODES, policy_for
from recollect.reading import grade, hop, rewrite, signals, spans
from recollect.reading.chronology import by_date
from recollect.reading.cut import Grade, cut, fold
from recollect.reading.grade import (
    EXACT,
    Surroundings,
    answerable,
    graded,
    grader,
    held_back,
    set_signals,
    together,
)
from recollect.reading.stated import Stated, is_taught
from recollect.storage import open_store
from recollect.testing.builders import note, session
from recollect.text.questions.subjects import missing, subjects
from recollect.text.stopwords import language
from recollect.text.tokens import count_tokens
from recollect.text.units import units_of

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)


class Odds:
    """A reranker that gives each passage the odds written in the table for a word of it."""

    key = "odds@1"

    def __init__(self, **by_word: float) -> None:
        self.by_word = by_word
        self.read = 0

    def reads(self, text: str) -> bool:
        return True

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read += len(passages)
        return [
            max((odds for word, odds in self.by_word.items() if word in passage), default=-8.0)
            for passage in passages
        ]


def opened(*documents: Document, **by_word: float) -> Memory:
    reranker = Odds(**by_word) if by_word else None
    memory = Memory(open_store("memory://"), config.load(), HashEmbedder(), reranker=reranker)
    memory.put(documents)
    memory.models.embed()
    return memory


def stage(answer: Answer, name: str) -> Stage:
    (found,) = [s for s in answer.stages if s.name == name]
    return found


def names(answer: Answer) -> list[str]:
    return [r.document for r in answer.results]


# ------------------------------------------------------------------ whom a question is about


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What did Nate quote for the Lumen order?", {"nate", "lumen"}),
        ("Marisol's raise", {"marisol"}),
        ("where is dead_letter_queue set", {"dead_letter_queue"}),
        ("which version has PROJ-42", {"proj-42"}),
        ("what did we decide about retries", set()),
        ("Explain the deploy. Then the rollback.", set()),
        ("Which of them is older?", set()),
    ],
)
def test_names_are_told_by_how_they_are_written(question: str, wanted: set[str]) -> None:
    assert subjects(question).names == wanted


def test_a_text_about_somebody_else_lacks_the_name() -> None:
    asked = subjects("What is Dana's notice period?")
    assert missing(asked, "The notice period of Ravi").names == 1
    assert missing(asked, "DANA has notice").names == 0


def test_a_number_is_there_with_and_without_separators() -> None:
    asked = subjects("Which pump is for the 9,000-litre pond?")
    assert missing(asked, "the pump for the 9,000-litre pond").numbers == 0
    assert missing(asked, "a pump for 9000 litres").numbers == 0
    assert missing(asked, "a pump for 12,000 litres").numbers == 1


def test_years_are_missing_when_unsaid_and_other_when_far_away() -> None:
    asked = subjects("Who chaired the board from 1996 to 1999?")
    assert asked.years == (1996, 1999)
    assert missing(asked, "chair from 1996 until 1999")[2:] == (0.0, 0.0)
    assert missing(asked, "chair since 1997")[2:] == (1.0, 0.0)
    assert missing(asked, "chair in 2011")[2:] == (1.0, 1.0)
    assert missing(asked, "the chair")[2:] == (1.0, 0.0)


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_missing_is_a_share_whatever_is_typed(question: str, text: str) -> None:
    lacks = missing(subjects(question), text)
    assert all(0 <= share <= 1 for share in lacks)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What is the plan for the release?", "en"),
        ("Wann wird der Server umgezogen und von wem?", "de"),
        ("¿Cuándo fue la reunión con los clientes?", "es"),
        ("Qui a décidé de la migration et quand est-elle prévue ?", "fr"),
        ("когда был релиз и кто его делал", "ru"),
        ("kubernetes ingress timeout", ""),
        ("東京の天気", ""),
    ],
)
def test_grammar_gives_a_language_away(text: str, wanted: str) -> None:
    assert language(text) == wanted


# ------------------------------------------------------------------ grade


KINDS = [(odds, cosine) for odds in (False, True) for cosine in (False, True)]
SHARES = {name: st.floats(0, 1) for name in Signals._fields}
SIGNALS = st.builds(Signals, **{**SHARES, "odds": st.floats(-12, 12), "words": st.floats(0, 5)})


@given(st.lists(SIGNALS, min_size=1, max_size=8), st.sampled_from(KINDS))
def test_grades_are_probabilities_that_fall_with_the_score_that_parts_sum_to(
    known: list[Signals], kind: tuple[bool, bool]
) -> None:
    by = grader(odds=kind[0], cosine=kind[1])
    best = graded([Candidate(n, n, 0.0, ()) for n in range(len(known))], known, by)
    assert [c.score for c in best] == sorted((c.score for c in best), reverse=True)
    for c in best:
        assert 0 < c.confidence < 1
        assert sum(part.value for part in c.contributions) == pytest.approx(c.score)
    known_together = set_signals(best, Surroundings(0.3, 5.0))
    assert 0 <= together(best, known_together, by) <= 1
    assert 0 <= answerable(known_together, by) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_lacks_the_name_is_never_graded_higher_for_it(kind: tuple[bool, bool]) -> None:
    by = grader(odds=kind[0], cosine=kind[1])
    for name in ("no_name", "no_number", "no_year", "other_time", "odds_gap", "coverage_gap"):
        assert by.weights.get(name, 0.0) <= 0
    for name in ("odds", "cosine", "lexical", "vector", "coverage", "rarest"):
        assert by.weights.get(name, 0.0) >= 0


def test_together_nothing_is_no_answer() -> None:
    by = grader(odds=False, cosine=False)
    known = set_signals([], Surroundings())
    assert together([], known, by) == answerable(known, by) == 0.0


@pytest.mark.parametrize("cosine", [False, True])
def test_words_that_nothing_has_never_make_it_likelier_that_anything_is_stored(
    cosine: bool,
) -> None:
    by = grader(odds=False, cosine=cosine)
    assert by.stored.get("absent", 0) <= 0
    assert by.stored.get("among", 0.0) <= 0
    assert all(by.stored.get(name, 0.0) >= 0 for name in ("cosine", "best_coverage"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_words_count_in_full_only_where_something_has_many_of_them(shares: list[float]) -> None:
    some = [Signals(coverage=share, worded=share, rarest=1.0) for share in shares]
    found = signals._trusted(some)
    assert [one.coverage for one in found] == shares
    if max(shares) >= signals.TRUSTED:
        assert found == some
    else:
        assert all(one.rarest < 1 for one in found)
        assert all(one.worded <= share for one, share in zip(found, shares, strict=True))


SURGERY = """Tinker does not tolerate meloxicam: vomiting within an hour, twice. The waiting
room was full and the scales need a new battery. We had three walk-ins and closed an hour late
because of the storm. Biscuit came for the second vaccination and took it without a sound; next
appointment in four weeks, and the owner asked about food for old cats."""


def test_what_is_said_of_somebody_else_is_no_direct_answer() -> None:
    others = [note(f"n{n}", f"Milk, cheese and hay for barn {n}.") for n in range(25)]
    with opened(note("it", SURGERY, title="Tuesday"), *others) as memory:
        right = memory.search("Which medicine does Tinker not tolerate?", by="keyword")
        wrong = memory.search("Which medicine does Biscuit not tolerate?", by="keyword")
    assert (right.status, wrong.status) == ("direct_passages", "needs_synthesis")
    assert "held back" in stage(wrong, "grade").reason
    assert "held back" not in stage(right, "grade").reason


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (
            "El despacho de Marta está en la segunda planta, junto a la cocina.",
            "¿Dónde está el despacho de Marta?",
            "¿Dónde está el despacho de Pedro?",
        ),
        (
            "Зарплату выплачивают пятого числа каждого месяца.",
            "Когда выплачивают зарплату?",
            "Когда выплачивают дивиденды?",
        ),
        (
            "办公室的门禁密码是四七一一，每个季度更换一次。",
            "办公室的门禁密码是多少？",
            "停车场的门禁卡在谁那里？",
        ),
    ],
)
def test_words_of_another_language_that_nothing_has_hold_an_answer_back(
    text: str, right: str, wrong: str
) -> None:
    with opened(note("it", text), note("n", "Milk, cheese and hay for the barn.")) as memory:
        said = [memory.search(one, by="keyword").status for one in (right, wrong)]
    assert said == ["direct_passages", "needs_synthesis"]


@pytest.mark.parametrize("question", ["給料日はいつですか？", "社長は誰ですか？"])
def test_what_only_asks_is_no_word_to_look_for(question: str) -> None:
    text = (
        "バックアップは毎晩大阪のサーバーに保存されます。会議はいつも木曜日です。担当は誰でもよい。"
    )
    with opened(note("it", text)) as memory:
        assert memory.search(question, by="keyword").status == "no_results"


def test_a_word_that_is_in_any_text_shows_nothing() -> None:
    with opened(note("it", "The harbour is the oldest in the country.")) as memory:
        found = memory.search("the")
    assert found.status == "no_results"
    assert "say what to look for" in " ".join(found.hints)


INCIDENTS = """## 2026-02-11
Incident 17: the queue stalled because a worker ran out of memory. Ben restarted it.

## 2026-03-20
Incident 18: certificates expired on the staging proxy. Carla renewed them."""


def test_what_has_another_number_is_no_direct_answer() -> None:
    others = [note(f"n{n}", f"Milk, cheese and hay for barn {n}.") for n in range(25)]
    with opened(note("it", INCIDENTS, title="Incidents"), *others) as memory:
        right = memory.search("what happened in incident 18?", by="keyword")
        wrong = memory.search("what happened in incident 19?", by="keyword")
    assert (right.status, wrong.status) == ("direct_passages", "needs_synthesis")


HOWTO = """## Handover of a flat
Take the meter readings with a photo, count the keys, sign form seven. The deposit goes back within
eight weeks, less what is broken.

## Reset the intercom at Birch Court
Hold the star for eight seconds, then enter the installer number from the blue folder.

## Restart the boiler at Alder House
Main switch off, wait two minutes, on, press reset on the burner. Never more than twice.
"""
HOUSES = (
    note("howto", HOWTO, title="How we do things"),
    note("rules", "Quiet from 22 to 6. Ball games until 19.", title="House rules Birch Court"),
    note(
        "key", "The code of the key safe at the back door is 4471.", title="Owners of Alder House"
    ),
    note("log", "Alarm company is Securo. Gas reading 10,442.", title="Canal Works: log"),
    note("lease", "Notice period six months. Deposit three.", title="Lease Feld Ceramics"),
    note("coffee", "The coffee machine is serviced by Kaffeehaus Brandt.", title="Board"),
    note("drill", "The fire drill took 4 minutes 10.", title="Board of 6 May 2026"),
    note("reserve", "The reserve of the house is 9,640.", title="Alder House, September 2026"),
    note("works", "Works on the court began in 2024 and 2025.", title="Old works"),
)


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("How long do I wait to restart the boiler at {}?", "Alder House", "Birch Court"),
        ("What is the key safe code at {}?", "Alder House", "Canal Works"),
        ("What is the notice period of {}?", "Feld Ceramics", "Kaffeehaus Brandt"),
        ("How long was the fire drill in {}?", "2026", "2025"),
        ("What is the reserve of Alder House in {}?", "2026", "2024"),
    ],
)
def test_what_is_said_of_another_house_or_year_is_no_direct_answer(
    asked: str, right: str, wrong: str
) -> None:
    others = [note(f"n{n}", f"Milk, cheese and hay for barn {n}.") for n in range(25)]
    with opened(*HOUSES, *others) as memory:
        told, held = (memory.search(asked.format(one), by="keyword") for one in (right, wrong))
    assert told.status == "direct_passages"
    assert held.status != "direct_passages"


def test_the_headings_above_a_sentence_name_what_it_speaks_of() -> None:
    text = f"""# Buildings

## Birch Court

### Laundry
The laundry room is open from seven to nine, no spinning after that, please. {"Thanks. " * 60}

### Boiler
It is behind the green door. Main switch off, wait two minutes, then restart the boiler.

## Alder House

### Parking
Parking is in the yard.
"""
    others = [note(f"n{n}", f"Milk, cheese and hay for barn {n}.") for n in range(25)]
    with opened(note("it", text), *others) as memory:
        right = memory.search("How do I restart the boiler at Birch Court?", by="keyword")
        wrong = memory.search("How do I restart the boiler at Alder House?", by="keyword")
    assert (right.status, wrong.status) == ("direct_passages", "needs_synthesis")


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("Which medicine does the goat in the north barn not tolerate?", False),
        ("Welches Medikament verträgt die Ziege im Stall nicht?", True),
        ("哪种药山羊不能吃？", True),
    ],
)
def test_a_far_sentence_holds_back_in_the_language_that_taught_it(
    question: str, sure: bool
) -> None:
    far = Surroundings(0.0, 5.0, Stated(0.2, 0.5, 1.0, 1.5), is_taught(question))
    known = set_signals([Candidate(0, 0, 2.0, (), Signals(), 0.9)], far)
    assert (held_back(known, grader(odds=False, cosine=True)) == 1.0) is sure


def test_who_asks_by_the_exact_title_gets_it_whatever_the_reranker_says() -> None:
    others = [note(f"n{i}", "release notes release notes", title=f"Notes {i}") for i in range(5)]
    wanted = note("it", "Nothing much.", title="Release notes")
    with opened(*others, wanted, Nothing=-6.0, release=2.0) as memory:
        answer = memory.search("release notes")
    assert answer.results[0].document == "it"
    assert ("exact", EXACT) in [(c.arm, c.value) for c in answer.results[0].contributions]


# ------------------------------------------------------------------ cut, fold, order


def graded_at(*confidences: float) -> list[Candidate]:
    return [Candidate(n, n, log(p / (1 - p)), (), Signals(), p) for n, p in enumerate(confidences)]


BALANCED = MODES["balanced"]


@pytest.mark.parametrize(
    ("confidences", "sure", "kept"),
    [
        ((0.99, 0.003, 0.00001), 0.95, 2),
        ((0.95, 0.9, 0.85, 0.001), 0.95, 4),
        ((0.3, 0.28, 0.28, 0.28), 0.3, 3),
        ((0.3, 0.00001), 0.3, 1),
        ((0.05, 0.04), 0.05, 0),
        ((0.5, *[0.03] * 30), 0.9, 25),
        ((), 0.0, 0),
    ],
)
def test_below_the_floor_nothing_is_kept_and_near_it_few(
    confidences: Sequence[float], sure: float, kept: int
) -> None:
    assert len(cut(graded_at(*confidences), BALANCED, Grade(sure, sure))[0]) == kept


def test_what_words_alone_find_is_not_called_nothing() -> None:
    some = [c._replace(signals=Signals(lexical=1.0)) for c in graded_at(0.005, 0.004)]
    assert cut(some, BALANCED, Grade(0.01, 0.01))[0] == []
    assert cut(some, BALANCED, Grade(0.01, 0.01, by_words=True))[0] == some
    assert cut(graded_at(0.005, 0.004), BALANCED, Grade(0.01, 0.01, by_words=True))[0] == []
    assert cut(some, BALANCED, Grade(0.01, 0.01, is_said=True))[0] == some


@given(
    st.lists(st.floats(0.0001, 0.9999), max_size=30), st.floats(0, 1),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_cut_keeps_the_best_in_the_order_given(
    confidences: list[float], sure: float, random: Any
) -> None:
    some = graded_at(*confidences)
    random.shuffle(some)
    kept, why, _ = cut(some, BALANCED._replace(limit=1000), Grade(sure, sure))
    assert why
    assert kept == [c for c in some if c in kept]
    rest = [c.confidence for c in some if c not in kept]
    assert not kept or max(rest, default=0.0) <= min(c.confidence for c in kept)


def test_a_caller_may_disagree_with_the_cut() -> None:
    some = graded_at(0.99, 0.9, 0.00001)
    assert len(cut(some, BALANCED, Grade(0.9, 0.9))[0]) == 2
    assert len(cut(some, BALANCED._replace(cut=False), Grade(0.9, 0.9))[0]) == 3
    assert len(cut(some, BALANCED._replace(worth=0.0), Grade(0.9, 0.9))[0]) == 3
    assert len(cut(some, BALANCED._replace(min_confidence=0.95), Grade(0.9, 0.9))[0]) == 1
    assert len(cut(some, BALANCED._replace(limit=1), Grade(0.9, 0.9))[0]) == 1


def stored(key: int, text: str, date: datetime | None = None) -> StoredPassage:
    return StoredPassage(key, f"d:{key}", Passage(0, text), Document(f"d{key}", "s", date=date))


BASE = "The nightly export is written to the archive bucket and kept there for thirty days after it"


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (BASE, True),
        (BASE + ".", True),
        (BASE.replace("nightly", "nightly 3am"), False),
        (BASE + " by Priya", False),
        (BASE.replace("is written", "is not written"), False),
        ("Something else entirely about the garden.", False),
    ],
)
def test_only_what_says_the_same_is_folded(other: str, alike: bool) -> None:
    assert is_folded(BASE, other) is alike


WORKS = (
    "For the nightly report we {} collect the numbers from all branches, merge them, write them "
    "into the {} database and send a short mail to the finance team so that they can check the "
    "totals before the meeting in {} starts."
)
SAID = ("can", "mysql", "東京")


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (("will", "mysql", "東京"), True),
        (("can", "postgres", "東京"), False),
        (("can", "берлин", "東京"), False),
        (("can", "mysql", "大阪"), False),
        (("nicht", "mysql", "東京"), False),
        (("don’t", "mysql", "東京"), False),
    ],
)
def test_one_word_of_many_may_be_what_is_told(other: tuple[str, ...], alike: bool) -> None:
    assert is_folded(WORKS.format(*SAID), WORKS.format(*other)) is alike


def is_folded(text: str, other: str) -> bool:
    kept, folded = fold(graded_at(0.9, 0.8), {0: stored(0, text), 1: stored(1, other)})
    assert (len(kept), folded) in ((1, {0: [1]}), (2, {}))
    return bool(folded)


def test_passages_are_folded_from_nine_words_in_ten() -> None:
    nine = "a crane lifts crates onto barges every single morning"
    assert is_folded(nine, f"{nine} there")  # nine of ten
    assert not is_folded(nine, nine.replace("every single", "each"))
    assert not is_folded(nine, nine.replace("morning", "evening"))  # eight of ten
    assert is_folded("crane", "crane!")
    assert not is_folded("***", "!!!"), "two passages without words say nothing, not the same"


@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=12), st.floats(0, 1))
def test_recency_is_plain_at_0_and_newest_first_at_1(
    days: list[tuple[int, bool]], alpha: float
) -> None:
    dates = [None if undated else NOW - timedelta(days=ago) for ago, undated in days]
    passages = {n: stored(n, "x", date) for n, date in enumerate(dates)}
    some = [Candidate(n, n, -float(n), (), Signals(), 0.5) for n in range(len(dates))]
    assert [c.document for c in by_date(some, passages, 0.0)] == list(range(len(dates)))
    newest = [dates[c.document] for c in by_date(some, passages, 1.0)]
    dated = [d for d in newest if d is not None]
    assert dated == sorted(dated, reverse=True)
    assert newest[: len(dated)] == dated
    assert sorted(c.document for c in by_date(some, passages, alpha)) == list(range(len(dates)))


def test_of_short_texts_more_than_ten_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    boats = [note(f"n{i}", f"The red boat {i} lies in the harbour.") for i in range(40)]
    with opened(*boats) as memory:
        shown = len(
            memory.search("where does the red boat lie in the harbour", cache=False).results
        )
        monkeypatch.setattr(spans, "LITTLE", 0)
        fewer = len(
            memory.search("where does the red boat lie in the harbour", cache=False).results
        )
    assert fewer < 10 < shown


HOW_TO_SIGN = """Every release is signed before it goes out, and who signs a release needs the key
of that quarter on the token that lies in the safe of the second floor office.

To sign a release, put the token in and run:

```
$ signer --key quarter dist/*.whl
```

When all are signed, the list of what was signed is sent to everybody who is named on the page.
"""


def test_a_list_that_only_has_the_words_is_named() -> None:
    """Such as the contents of a folder: each line has a word of any question."""
    about = [note(f"about{n}", f"The crane {n} of the harbour was painted.") for n in range(9)]
    lines = "\n".join(f"- [The crane {n} of Elbstrand]({n}.md)" for n in range(200))
    answer = note("limit", "The load limit of the crane of Elbstrand is 40 tonnes.")
    with opened(answer, note("contents", lines), *about) as memory:
        found = memory.search("load limit crane Elbstrand", cache=False)
    assert names(found)[0] == "limit"
    of_the_list = [one for one in found.results if one.document == "contents"]
    assert sum(count_tokens(one.text) for one in of_the_list) <= spans.LAST


def test_what_is_over_the_limit_is_named() -> None:
    boats = [note(f"n{i}", f"The red boat {i} lies in the harbour.") for i in range(9)]
    with opened(*boats) as memory:
        found = memory.search("red boat harbour", limit=2, cache=False)
        whole = memory.search("red boat harbour", cache=False)
    assert len(found.results) == 2
    assert {n.document for n in found.named} >= {*names(whole)[2:]}
    assert found.named[0].reason == "the limit is 2"


@pytest.mark.parametrize("limits", [{"budget": 60}, {"detail": "snippet"}])
def test_the_command_is_shown_of_how_something_is_done(limits: dict[str, Any]) -> None:
    with opened(note("signing", HOW_TO_SIGN)) as memory:
        (found,) = memory.search("how do I sign a release?", cache=False, **limits).results
        assert "signer --key quarter" in found.text
        (found,) = memory.search("where is the list sent?", cache=False, **limits).results
        assert "everybody who is named on the page" in found.text


RETRY = """def fetched(url, most=5):
    for attempt in range(most):
        try:
            return opened(url, timeout=10)
        except OSError as error:
            log.warning("attempt %d of %d: %s", attempt, most, error)
            sleep(2 ** attempt)
    raise Unreachable(url)
"""


@pytest.mark.parametrize(
    ("text", "units"),
    [
        (RETRY, 1),
        (RETRY * 4, 32),
        ("One stays. " * 30, 30),
        ("- a thing to do, as soon as there is time for it\n" * 8, 8),
    ],
    ids=["code", "much code", "prose", "list"],
)
def test_a_short_piece_of_code_is_shown_whole(text: str, units: int) -> None:
    assert len(units_of(text, 0)) == units


ABOUT = "The group is reset by hand. Its consumers stand still for it. " * 6
RESET = """kafka-groups.sh --bootstrap-server events:9093 \\
  --group router --topic parcels \\
  --execute"""
STEP = (
    "1. Stop it. Then wait.\n   - until it is empty\n\n2) Start it.\nIt takes a minute.\n3. Look."
)
SHELL = "1. Stop it:\n\n```sh\ndispatch stop\n```\n\n2. Start it."
TOLD = "gave my number to Sam. She ran it\n  in an hour!! I was glad."
DATES = "date +%s  # what time it is now\n" * 40
LAGS = "".join(f'- name: LAG_{n}\n  value: "{n}000"\n' for n in range(40))


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"{ABOUT}\n```sh\n{RESET}\n```\n", f"```sh\n{RESET}\n```"),
        (
            f"{ABOUT}\n1. Then:\n\n     ```\n     a\n     b\n     ```\n2. End",
            "1. Then:\n\n     ```\n     a\n     b\n     ```\n2. End",
        ),
        (f"```sh\n{DATES}{RESET}\nexit\n```\n", RESET),
        (
            f"{ABOUT}\n\n    cert issue\n    cert push\n    restart\n\n{ABOUT}",
            "cert issue\n    cert push\n    restart",
        ),
        (f"env:\n{LAGS}", '- name: LAG_7\n  value: "7000"'),
        (f"limits:\n  cpu:\n    most: 2\nenv:\n{LAGS}", "limits:\n  cpu:\n    most: 2"),
        (f"{ABOUT}\n{STEP}\n\n{ABOUT}", STEP),
        (f"{ABOUT}\n{SHELL}\n\nThat is all.", SHELL),
        (f"{ABOUT}\n- {ABOUT}\n- May: {TOLD}\n- June", f"- May: {TOLD}"),
        (
            f"{ABOUT}\n| May | Sam ran. I was glad. |\n| June | {ABOUT}",
            "| May | Sam ran. I was glad. |",
        ),
        (f"b\n```\n{ABOUT}\n```sh\na\nb\n```", "```sh\na\nb\n```"),
    ],
    ids=[
        "fence",
        "fence in a list",
        "command",
        "indented",
        "item",
        "key",
        "steps",
        "steps with fences",
        "bullet",
        "row",
        "after the end of one",
    ],
)
def test_a_block_of_which_a_part_is_of_little_use_is_one_unit(text: str, whole: str) -> None:
    assert whole in [text[start:end] for start, end, _ in units_of(text, 0, blocks=True)]


def test_a_long_list_of_steps_is_divided_into_steps_and_says_that_it_is_cut() -> None:
    names = [f"{first}{second}lor" for first in "bdfgkmn" for second in "aeiou"]
    tasks = "".join(f"{n}. Do {name}. Then it is done.\n" for n, name in enumerate(names, 1))
    with opened(note("plan", f"{ABOUT}\n\n{tasks}")) as memory:
        (found,) = memory.search("gilor", cache=False).results
    assert found.text == "…\n18. Do gilor. Then it is done.\n…"


def test_a_long_block_is_divided_and_says_that_it_is_cut() -> None:
    names = [f"{first}{second}lor" for first in "bdfgkmn" for second in "aeiou"]
    tasks = "".join(f"{name} --with all that is to be done by then\n" for name in names)
    with opened(note("plan", f"{ABOUT}\n```sh\n{tasks}```\n")) as memory:
        (found,) = memory.search("gilor", cache=False).results
    assert found.text == "…\ngilor --with all that is to be done by then\n…"
    assert found.spans[0].text == "gilor --with all that is to be done by then"


DEPOTS = """# Depots

| Code | City | Phone |
|---|---|---|
| HAM2 | Hamburg | +49 40 555 0142 |
| LEJ1 | Leipzig | +49 341 555 0177 |
"""
STEPS = [
    note(f"steps{n}", f"1. Open the {what}.\n2. Turn the key twice.\n3. Close it.")
    for n, what in enumerate(("gate", "door", "lid", "hatch"))
]


def test_the_number_of_a_code_is_no_word_that_is_looked_for() -> None:
    with opened(note("depots", DEPOTS), note("lanes", "Lane HAM2-POZ1 is open."), *STEPS) as memory:
        found = memory.search("HAM2 phone", cache=False)
        assert {*names(found), *(n.document for n in found.named)} == {"depots", "lanes"}
        assert "| HAM2 |" in found.results[0].text
        assert found.status == "direct_passages"
        asked = memory.search("2 HAM2", cache=False)
        assert "steps0" in [*names(asked), *(n.document for n in asked.named)], "it was asked for"
        assert memory.search("HAM7 phone", cache=False).status != "direct_passages"


def test_a_code_is_found_where_it_is_written_in_two_words() -> None:
    versions = [note(f"v{n}", f"The scripts need Python {n} to run.") for n in (2, 3)]
    with opened(*versions, *STEPS) as memory:
        assert names(memory.search("python3", cache=False))[0] == "v3"


def test_of_what_has_some_of_a_few_words_the_rest_is_named() -> None:
    talk = "The gate is painted. " * 4 + "Somebody asked about {}. " + "It rained at noon. " * 8
    some = [note(f"n{n}", talk.format(f"port {n}")) for n in range(9)]
    with opened(note("whole", talk.format("the mail api port")), *some) as memory:
        three = memory.search("mail api port")
        one = memory.search("port")
    assert [found.document for found in three.results] == ["whole"]
    assert {found.document for found in three.named} == {f"n{n}" for n in range(9)}
    assert {found.document for found in one.results} == {"whole", *(f"n{n}" for n in range(9))}


def test_a_session_is_shown_by_all_the_turns_that_answer() -> None:
    filler = "Then we spoke about other things entirely, and so on. " * 6
    talk = session(
        "s",
        ("user", f"The quote for the wiring was 900. {filler}"),
        ("assistant", f"Fine. {filler}"),
        ("user", f"The final invoice of the electrician came to 950. {filler}"),
    )
    others = [note(f"n{i}", f"gardening {i}") for i in range(9)]
    with opened(talk, *others) as memory:
        both = memory.search("wiring quote and final electrician invoice")
    assert names(both) == ["s"]
    (shown,) = both.results
    assert "user: The quote for the wiring was 900." in shown.text
    assert "user: The final invoice of the electrician came to 950." in shown.text
    assert {"user"} <= {span.role for span in shown.spans}


def test_a_short_reply_comes_with_the_question_before_it() -> None:
    talk = session(
        "s",
        ("user", "The wiring in the boathouse is finished. " * 12),
        ("assistant", "Who signed the inspection?"),
        ("user", "Henrike did, on Friday."),
        ("assistant", "Noted. " + "Nothing else is open for this week, as far as I can see. " * 9),
    )
    with opened(talk, *(note(f"n{i}", f"gardening {i}") for i in range(9))) as memory:
        (shown,) = memory.search("Henrike Friday").results
    assert "assistant: Who signed the inspection?\nuser: Henrike did, on Friday." in shown.text


# ------------------------------------------------------------------ escalation


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [("react", "react", 0), ("recieve", "receive", 1), ("cat", "cut", 1), ("abcd", "badc", 2),
     ("kubernets", "kubernetes", 1), ("a", "abcd", 2)],
)  # fmt: skip
def test_edits_are_counted_up_to_the_most(one: str, other: str, wanted: int) -> None:
    assert min(rewrite.edits(one, other, 1), 2) == wanted


class Literal(Odds):
    """One that sees an answer only where question and passage have the word."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        known = {word: odds for word, odds in self.by_word.items() if word in question}
        return Odds(**known).score(question, passages)


def test_a_misspelt_word_is_read_as_the_one_that_is_there() -> None:
    with opened(note("k", "The kubernetes cluster runs in Frankfurt.")) as memory:
        memory.core.reranker = Literal(kubernetes=5.0)
        answer = memory.search("where runs the kuberntes clustr")
    assert names(answer) == ["k"]
    said = stage(answer, "escalate")
    assert "kubernetes" in said.reason
    assert "taken" in said.reason


def test_a_word_with_another_ending_is_read_as_the_one_that_is_there() -> None:
    with opened(note("s", "The surveyors look at the roof."), note("g", "Tea.")) as memory:
        memory.core.reranker = Literal(surveyors=5.0)
        answer = memory.search("when does the survey thing happen")
    assert names(answer)[0] == "s"
    assert "“survey” read as “surveyors”" in stage(answer, "escalate").reason
    assert answer.hints[0] == "“survey” was read as “surveyors”"


def test_two_words_are_read_as_the_one_that_is_there() -> None:
    with opened(note("r", "If it fails, run the rollback and page Lena."), note("g", "Tea.")) as m:
        answer = m.search("how to roll back?")
    assert names(answer)[0] == "r"
    assert "“roll back” read as “rollback”" in stage(answer, "escalate").reason
    assert not any("roll" in hint for hint in answer.hints)


def test_of_the_two_passes_the_better_graded_is_returned() -> None:
    def odd(question: str, passages: Sequence[str]) -> list[float]:
        return [-4.0 if "kuberntes" in question else -19.0 for _ in passages]

    with opened(note("k", "The kubernetes cluster."), note("c", "A cluster of grapes.")) as memory:
        memory.core.reranker = Odds(any=1.0)
        memory.core.reranker.score = odd  # type: ignore[method-assign]
        answer = memory.search("which of them is the kuberntes cluster")
    said = stage(answer, "escalate").reason
    assert "not better" in said
    first, second = (float(word) for word in re.findall(r"\b0\.\d\d\b", said))
    assert first >= second
    assert answer.confidence == pytest.approx(first, abs=0.01)
    assert stage(answer, "again lexical").state == "ran"


def asked_with(memory: Memory, text: str, **knobs: Any) -> Answer:
    query = memory.query(text)
    return memory.ask(query._replace(policy=query.policy._replace(**knobs)))


def test_what_was_read_is_not_read_again() -> None:
    some = [note(f"n{i}", f"boat number {i} lies in the harbour") for i in range(12)]
    question = "where does the boat of my uncle lie"
    with opened(*some, boat=-6.0) as memory:
        reranker = memory.core.reranker
        assert isinstance(reranker, Odds)
        answer = asked_with(memory, question, pool=5)
        assert stage(answer, "again lexical").found == 12
        assert reranker.read == 12
        whole = memory.search(question)
    assert "no other way to ask" in stage(whole, "escalate").reason


def test_a_second_pass_searches_by_meaning_no_more_and_looks_up_no_name_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(*FILMS) as memory:
        near, named = memory.store.search_vector, hop._called
        searched: list[Filter] = []
        looked_up: list[str] = []

        def nearest(model: str, vector: Any, filter: Filter, *, limit: int) -> Any:
            searched.append(filter)
            return near(model, vector, filter, limit=limit)

        def called(some: Mapping[str, Any], *given: Any) -> Any:
            looked_up.extend(some)
            return named(some, *given)

        monkeypatch.setattr(memory.store, "search_vector", nearest)
        monkeypatch.setattr(hop, "_called", called)
        question = "When did the director of the film The Organization die?"
        answer = asked_with(memory, question, pool=9, escalate=1.0)
    assert (stage(answer, "again vector").found or 0) > (stage(answer, "vector").found or 0)
    assert len(searched) == 1
    assert stage(answer, "again hop").state == "ran"
    assert looked_up
    assert len(looked_up) == len(set(looked_up))


def test_a_second_pass_that_fails_leaves_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(note("k", "The kubernetes cluster is at home.")) as memory:
        search = memory.store.search_text

        def broken(queries: list[TextQuery], *given: Any, **options: Any) -> Any:
            if any(clause.kind == "prefix" for query in queries for clause in query.any):
                raise OSError("the index is torn")
            return search(queries, *given, **options)

        monkeypatch.setattr(memory.store, "search_text", broken)
        memory.core.reranker = Odds(cluster=-5.0)
        answer = memory.search("where is the kubernates cluster, do you know")
    assert names(answer) == ["k"]
    assert stage(answer, "escalate").state == "failed"
    assert "escalate: the index is torn" in answer.degraded


# ------------------------------------------------------------------ limits that may be given up


OLD = note("old", "The blue build broke.", date=NOW - timedelta(days=90))
NEW = note("new", "Standup: nothing much.", date=NOW)


def test_limits_are_given_up_only_where_the_caller_allows() -> None:
    week = NOW - timedelta(days=7)
    question = "why did the blue build break"
    with opened(OLD, NEW, blue=5.0) as memory:
        strict = memory.search(question, since=week, kinds=["note"], sources=["tests"])
        other = memory.search(question, since=week, kinds=["session"], relax=["kinds"])
        loose = memory.search(question, since=week, kinds=["note"], relax=["since", "until"])
    assert "old" not in names(strict) + names(other)
    assert strict.hidden == {"since": 1}
    assert any("the limit on since hides" in hint for hint in strict.hints)
    assert strict.relaxed == ()
    assert names(loose) == ["old"]
    assert loose.relaxed == ("since",)
    assert loose.as_json()["relaxed"] == ["since"]
    assert "without the limit on since" in stage(loose, "escalate").reason
    assert any("within the limit on since" in hint for hint in loose.hints)


def test_a_limit_that_does_not_hinder_is_kept() -> None:
    with opened(OLD, note("now", "The blue build is fixed.", date=NOW), blue=6.0) as memory:
        answer = memory.search("what about the blue build", since=NOW, relax=["since"])
    assert answer.confidence >= MODES["balanced"].escalate
    assert (names(answer), answer.relaxed) == (["now"], ())


def test_what_may_be_given_up_is_part_of_what_an_answer_depends_on() -> None:
    with opened(OLD, NEW, blue=5.0) as memory:
        limits: dict[str, Any] = {"sources": ["tests"]}
        strict = memory.search("blue build", **limits).fingerprint
        loose = memory.search("blue build", **limits, relax=["sources"]).fingerprint
        memory.put([note("other", "The blue build", source="elsewhere")])
        assert memory.search("blue build", **limits).fingerprint == strict
        assert memory.search("blue build", **limits, relax=["sources"]).fingerprint != loose


@pytest.mark.parametrize("name", ["owner", "scopes", "colour", ""])
def test_who_may_see_something_is_never_given_up(name: str) -> None:
    with opened(OLD) as memory, pytest.raises(UsageError) as refused:
        memory.search("blue build", relax=[name])
    assert refused.value.hint


# ---------------------------------------------------------------- what is said when little is known


HOPELESS = "why would anybody ever paint the kitchen ceiling in a colour like that"


def test_nothing_good_comes_with_the_grade_of_the_best_that_was_rejected() -> None:
    said = ("The ceiling of the hall is high.", "The hall has doors.", "Hall keys, four of them.")
    some = [note(f"n{i}", text, title=f"T{i}", date=NOW + timedelta(days=i))
            for i, text in enumerate(said)]  # fmt: skip
    with opened(*some, hall=-24.0, Hall=-24.0) as memory:
        answer = memory.search(HOPELESS)
        newest = memory.search(HOPELESS, recency=1)
    assert (answer.status, answer.results) == ("no_results", ())
    grades = [r.confidence for r in answer.named]
    assert grades == sorted(grades, reverse=True)
    assert 0 < grades[0] < MODES["balanced"].keep
    assert answer.as_json()["rejected"][0]["confidence"] == round(grades[0], 4)
    assert [r.title for r in answer.named] == ["T0", "T1", "T2"]
    assert newest.named == answer.named
    assert [r.excerpt for r in answer.named] == list(said), "a title does not tell what it says"


def test_what_is_in_the_dictionary_is_spelt_as_it_is_meant() -> None:
    with opened(note("w", "The wide gate."), note("g", "The garden."), wide=-24.0) as memory:
        answer = memory.search("where did my wife say that she wants to live")
    assert not any("wide" in hint for hint in answer.hints)


def test_a_least_confidence_that_nothing_reaches_says_how_near_it_was() -> None:
    with opened(note("a", "the blue boat", title="Boat"), blue=3.0) as memory:
        answer = memory.search("where is the blue boat", min_confidence=0.999)
    assert answer.status == "no_results"
    assert answer.named[0].confidence > 0.5
    assert answer.named[0].title == "Boat"


def test_nothing_good_is_said_so_with_the_misspelt() -> None:
    with opened(note("k", "The kubernetes cluster."), note("g", "The garden."), kubernetes=-24.0,
                garden=-24.0) as memory:  # fmt: skip
        answer = memory.search("what is the zymurgy of the kubernetas for anybody at all")
    assert answer.status == "no_results"
    assert any("kubernetes" in hint for hint in answer.hints)
    assert answer.named


def test_what_needs_synthesis_says_what_no_result_has_and_what_is_hidden() -> None:
    some = [note("a", "The retry budget of payments"), note("b", "retry", scopes=("work",))]
    with opened(*some, retry=-1.0) as memory:
        answer = memory.search("what did Dana say about the retry budget", scopes=["universal"])
    assert answer.status == "needs_synthesis"
    assert any(hint.startswith("none of these has “dana”") for hint in answer.hints)
    assert any("the limit on scopes hides" in hint for hint in answer.hints)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("how many retries does the payments budget really take", "nothing"),
        ("what kind of retry budget does Dana take for payments", "“dana”"),
        ("is the retry budget of payments 3.008", "“3.008”"),
    ],
)
def test_words_that_a_question_asks_with_are_not_missed(question: str, missing: str) -> None:
    with opened(note("a", "The retry budget of payments"), retry=-1.0) as memory:
        answer = memory.search(question)
    said = [hint for hint in answer.hints if hint.startswith("none of these")]
    assert answer.status == "needs_synthesis"
    assert said == [f"none of these has {missing}"] * (missing != "nothing")


def test_an_answer_that_stands_needs_no_hints() -> None:
    with opened(note("a", "the blue boat"), blue=6.0) as memory:
        answer = memory.search("where is the blue boat")
    assert (answer.status, answer.hints) == ("direct_passages", ())


def test_what_is_from_the_time_asked_about_is_shown_and_the_rest_is_named() -> None:
    some = [
        note("then", "standup: the blue build broke", date=NOW - timedelta(days=6)),
        note("now", "standup: the blue build is fixed", date=NOW - timedelta(hours=1)),
    ]
    with opened(*some, blue=5.0) as memory:
        earlier = memory.search("blue build last week", now=NOW)
        today = memory.search("blue build today", now=NOW)
    assert (names(earlier)[0], names(today)[0]) == ("then", "now")
    assert (names(earlier), [one.document for one in earlier.named]) == (["then"], ["now"])
    assert "“last week” is 2026-04-06 to 2026-04-13" in stage(earlier, "window").reason


def test_what_is_far_less_sure_is_not_first_because_it_is_the_newest() -> None:
    march, june, may = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 6, 5))
    some = [
        note("answers", "the blue office of the harbour", date=march),
        note("sooner", "the blue office of the harbour, too", date=may),
        note("mentions", "the red office of the harbour", date=june),
    ]
    with opened(*some, blue=4.0, red=-4.0) as memory:
        answer = memory.search("what is the office of the harbour now")
    assert answer.time
    assert answer.time.order == "newest"
    assert names(answer)[:2] == ["sooner", "answers"]
    assert answer.confidence == answer.results[0].confidence


def test_dates_of_the_caller_win_over_a_time_in_the_question() -> None:
    some = [note("then", "blue build", date=NOW - timedelta(days=6)),
            note("now", "blue build", date=NOW - timedelta(hours=1))]  # fmt: skip
    with opened(*some, blue=5.0) as memory:
        answer = memory.search("blue build last week", now=NOW, since=NOW - timedelta(days=1))
    assert names(answer) == ["now"]
    assert "the caller's dates" in stage(answer, "window").reason


def test_a_time_that_names_no_date_is_not_passed_over_in_silence() -> None:
    with opened(note("a", "the blue boat"), blue=5.0) as memory:
        answer = memory.search("what did we decide before the migration")
    assert "before the migration" in stage(answer, "window").reason


def test_for_a_few_words_the_sentence_beside_those_that_have_them_is_shown() -> None:
    bergen = (
        "## Heron no. 10, Bergen\n\nLooked after by a local firm, Vestkyst Maskin. We send parts"
        " and answer questions. Runs on propane at 37, which in the cold falls to 34, so they have"
        " heated the bottle room.\n"
    )
    lyon = "## Heron no. 2, Lyon\n\nIn the cellar since 2019. Belt and fan are new.\n"
    with Memory.open("memory://") as memory:
        memory.put([note("folders", f"# The Heron folders\n\n{lyon}\n{bergen}")])
        memory.put([note(f"x{n}", f"Wren {n} has a gas cock of its own, {n}.") for n in range(30)])
        shown = memory.search("Bergen Heron gas").results
    assert any("propane at 37" in one.text for one in shown)


def test_of_a_file_as_much_is_shown_as_of_a_note(tmp_path: Path) -> None:
    lines = [f"worker{n}: alder-{n}.example takes the mail of region {n}" for n in range(9)]
    (tmp_path / "workers.cfg").write_text("\n".join(lines))
    with Memory.open("memory://") as memory:
        memory.add(tmp_path)
        shown = memory.search("which worker takes the mail of which region?").results[0].text
    assert [line for line in lines if line not in shown] == []


# ------------------------------------------------------------------ hops


FILMS = (
    note("film", "The Organization is a 1971 film directed by Don Medford.",
         title="The Organization"),
    note("director", "Don Medford was a television director. He died in 2012.",
         title="Don Medford"),
    *(note(f"x{i}", f"Film number {i} was directed by somebody.", title=f"Film {i}")
      for i in range(40)),
)  # fmt: skip


def test_an_open_question_also_finds_what_its_first_hits_name() -> None:
    question = "When did the director of the film The Organization die?"
    with opened(*FILMS, Organization=4.0, Medford=1.0) as memory:
        answer = memory.search(question)
        without = memory.ask(
            memory.query(question)._replace(policy=MODES["balanced"]._replace(hop=False))
        )
    assert answer.shape == "open"
    assert {"film", "director"} <= set(names(answer))
    assert "Don Medford" in stage(answer, "hop").reason
    assert "hop" not in [s.name for s in without.stages if s.state == "ran"]


def test_what_another_names_does_not_come_before_it() -> None:
    def found(document: int, **parts: float) -> Candidate:
        made = tuple(Contribution(arm, 1, 1.0, 1.0, value) for arm, value in parts.items())
        return Candidate(document, document, sum(parts.values()), made)

    page, parent, known = found(1, hop=8.0, bridge=6.0, prior=-9.0), found(2, prior=-1.0), 3
    better = found(known, hop=8.0, prior=0.5)
    best = grade._behind([better, page, parent], {1: 2, known: 2})
    assert [one.document for one in best] == [known, 2, 1]
    assert [one.score for one in best] == pytest.approx([0.5, -1.0, -1.0])
    for one in best:
        assert sum(part.value for part in one.contributions) == pytest.approx(one.score)


def test_a_lookup_is_never_widened() -> None:
    with opened(*FILMS, Organization=4.0) as memory:
        answer = memory.search("The Organization")
    assert answer.shape == "lookup"
    assert stage(answer, "hop").state == "skipped"


# ------------------------------------------------------------------ options, modes, detail


@pytest.mark.parametrize(
    ("option", "value"),
    [("limit", 3), ("budget", 321), ("by", "keyword"), ("detail", "snippet"), ("recency", 0.5),
     ("min_confidence", 0.7)],
)  # fmt: skip
def test_what_the_call_says_wins_over_everything(option: str, value: Any) -> None:
    with opened(note("a", "boat")) as memory:
        other = {"limit": 9, "budget": 999, "detail": "document", "recency": 0.1,
                 "min_confidence": 0.2}.get(option)  # fmt: skip
        if other is not None:
            memory.core.config = memory.config.with_value(f"search.{option}", other)
            assert getattr(memory.query("boat").policy, option) == other
        for mode in (None, *MODES):
            given: dict[str, Any] = {option: value, "mode": mode}
            assert getattr(memory.query("boat", **given).policy, option) == value


@pytest.mark.parametrize("option", ["owner", "scopes", "sources", "kinds", "paths", "roles"])
def test_a_limit_from_the_call_wins_over_one_in_the_text(option: str) -> None:
    with opened(note("a", "boat")) as memory:
        given = "ana" if option == "owner" else ["ana"]
        limits: dict[str, Any] = {option: given}
        query = memory.query("boat kind:note path:x source:y", **limits)
    assert getattr(query.filter, option) == ("ana" if option == "owner" else ("ana",))


def test_an_option_that_does_not_exist_is_refused() -> None:
    with opened(note("a", "boat")) as memory:
        for call in (memory.search, memory.query):
            with pytest.raises(TypeError, match="kindz"):
                call("boat", kindz=["note"])  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="kindz"):
            memory.list(kindz=["note"])  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "bad",
    [{"recency": 2}, {"recency": -0.1}, {"min_confidence": 1.5}, {"min_confidence": "often"},
     {"detail": "poem"}, {"limit": 0}, {"budget": 0}, {"budget": -5}, {"mode": "x"}, {"by": "luck"},
     {"last_n": 0}],
)  # fmt: skip
def test_absurd_options_are_refused_with_what_to_do(bad: dict[str, Any]) -> None:
    with opened(note("a", "boat")) as memory, pytest.raises(UsageError) as refused:
        memory.search("boat", **bad)
    assert refused.value.hint


def test_stakes_are_names_for_least_confidences() -> None:
    with opened(note("a", "boat")) as memory:
        got = [memory.query("boat", min_confidence=s).policy.min_confidence
               for s in ("high", "medium", "low", "0.25")]  # fmt: skip
    assert got == [0.8, 0.6, 0.4, 0.25]


def test_every_knob_can_be_turned_and_changes_the_request() -> None:
    plain = MODES["balanced"]
    strings = {"by": "keyword", "detail": "snippet"}
    for knob in KNOBS:
        value = getattr(plain, knob)
        other: Any = strings.get(knob, 1)
        if value == other:
            other = False if isinstance(value, bool) else 0
        assert policy_for("balanced", {knob: other}) != plain


def test_the_newest_few_are_looked_at_alone() -> None:
    some = [note(f"n{i}", f"boat talk {i}", date=NOW - timedelta(days=i)) for i in range(6)]
    with opened(*some, boat=5.0) as memory:
        assert set(names(memory.search("boat", last_n=2))) == {"n0", "n1"}
        assert len(names(memory.search("boat", last_n=50))) == 6


def test_newest_first_is_a_choice_of_the_caller() -> None:
    some = [note(f"n{i}", f"boat {i}", date=NOW + timedelta(days=i)) for i in range(5)]
    with opened(*some, boat=5.0) as memory:
        assert names(memory.search("boat", recency=1)) == ["n4", "n3", "n2", "n1", "n0"]


def test_detail_is_a_snippet_a_passage_or_the_whole() -> None:
    talk = session("s", ("user", "I miss the boat."), ("assistant", "in the harbour " * 60))
    with opened(talk, boat=5.0, harbour=5.0) as memory:
        by_detail = {d: memory.search("boat", detail=d).results[0]
                     for d in ("snippet", "passage", "document")}  # fmt: skip
    assert "boat" in by_detail["snippet"].text
    assert by_detail["passage"].text == "user: I miss the boat."
    assert by_detail["document"].text.startswith("user: I miss the boat.")
    assert "harbour" in by_detail["document"].text
    assert [r.detail for r in by_detail.values()] == ["snippet", "passage", "document"]


def test_the_header_of_a_note_is_shown_to_whoever_asks_for_it() -> None:
    text = "---\ntitle: Boats\nstatus: accepted\n---\n\nThe boat is in the harbour.\n"

    def shown(path: str, text: str, question: str) -> str:
        with opened(note("n", text, path=path), boat=5.0, status=5.0) as memory:
            assert memory.get("n").text == text
            found = memory.search(question).results[0].text
            assert memory.gather(question).sections[0].text.strip() == found
            return found

    whole = text.strip()
    assert shown("boats.md", text, "boat") == "The boat is in the harbour."
    assert shown("boats.md", text, "boat status accepted") == whole  # only the header says so
    assert shown("boats.yaml", text, "boat") == whole  # no note: that is what it consists of
    assert shown("boats.md", "---\nboat: no\n---\n", "boat") == "---\nboat: no\n---"


def test_records_are_brief_and_five_stay_under_500_tokens() -> None:
    long = "We talked about the retry budget of the payment service at length. " * 40
    with opened(note("n", long + " retry"), retry=5.0) as memory:
        for i in range(8):
            memory.record("discussion", f"{i}: {long}", issue=f"PAY-{i}", title=f"Retry {i}")
        answer = memory.search("retry budget of the payment service", kinds=["discussion"])
        assert len(answer.results) >= 5
        assert sum(r.tokens for r in answer.results[:5]) < 500
        plain = memory.search("retry budget", kinds=["discussion"], detail="passage")
        assert len(plain.results[0].text) > 400


def test_the_answer_says_what_was_left_out_and_why() -> None:
    some = [note(f"n{i}", f"boat {i} {'good' if i < 2 else 'bad'}") for i in range(6)]
    with opened(*some, good=6.0, bad=-6.0) as memory:
        answer = memory.search("boat", limit=2)
    assert set(names(answer)) == {"n0", "n1"}
    assert answer.named
    assert all("limit" in r.reason for r in answer.named)
    assert all(r.confidence < answer.results[-1].confidence for r in answer.named)
    json.dumps(answer.as_json())


class Broken:
    key = "broken@1"

    def reads(self, text: str) -> bool:
        return True

    speaks = reads

    def embed_query(self, text: str) -> Any:
        raise RuntimeError("the model fell over")

    def embed_passages(self, texts: Sequence[str]) -> Any:
        raise RuntimeError("the model fell over")

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        raise ZeroDivisionError


def test_a_stage_that_throws_is_reported_and_the_rest_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(note("a", "the blue boat"), note("b", "a boat")) as memory:
        memory.core.embedder = Broken()
        monkeypatch.setattr(memory.core, "serving_embedder", lambda: (Broken(), ""))
        memory.core.reranker = Broken()
        answer = memory.search("blue boat", min_confidence=0.0)
    assert names(answer)[0] == "a"
    assert stage(answer, "vector").state == "failed"
    assert stage(answer, "rerank").state == "failed"
    assert "vector: the model fell over" in answer.degraded
    assert "rerank: ZeroDivisionError" in answer.degraded


def test_a_store_that_cannot_tell_the_words_costs_their_signal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(words: Sequence[str], keys: Sequence[int]) -> Any:
        raise OSError("the index is torn")

    with opened(note("a", "the blue boat"), blue=5.0) as memory:
        monkeypatch.setattr(memory.store, "matched", broken)
        answer = memory.search("where is the blue boat")
    assert names(answer) == ["a"]
    assert "coverage: the index is torn" in answer.degraded


def test_a_span_marks_the_word_as_it_was_read() -> None:
    with opened(note("k", "The kubernetes cluster runs in Frankfurt.")) as memory:
        memory.core.reranker = Literal(kubernetes=5.0)
        answer = memory.search("where runs the kuberntes clustr", detail="snippet")
    (span,) = answer.results[0].spans
    assert "kubernetes" in [span.text[start:end] for start, end in span.marks]


def test_words_that_nothing_has_find_nothing(memory: Memory) -> None:
    memory.put([note(f"n{i}", f"The harbour is quiet on day {i}.") for i in range(12)])
    memory.models.embed()
    answer = memory.search("zzqx blorp")
    assert answer.status == "no_results"
    assert memory.search("harbour").results


def test_what_is_true_of_one_key_is_not_told_as_that_of_another(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.put(
            [
                note("ledger", "pool:\n  max: 40  # LEDGER_POOL_MAX\n  idle_timeout: 5m"),
                note("quoter", "Quoter configuration: QUOTER_PORT is 8041."),
                *(note(f"other-{n}", f"The garden has {n} trees.") for n in range(20)),
            ]
        )
        memory.models.embed()
        known = memory.search("what is LEDGER_POOL_MAX?", cache=False)
        assert known.status == "direct_passages"
        other = memory.search("what is QUOTER_POOL_MAX?", cache=False)
        assert other.status != "direct_passages"
