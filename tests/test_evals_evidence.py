"""The evidence inside a document: what counts as shown, which files are refused, how well a
confidence tells answerable questions apart, and what ``eval run`` says of all that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Document
from recollect.errors import InputError, UsageError
from recollect.evals import metrics as m
from recollect.evals.evidence import RUN, Evidence, Unit, covered, flat, is_named, is_shown, read
from recollect.types import Message

DIGITS = "0123456789"
QUOTE = "".join(f"{tens}{ones}" for tens in DIGITS for ones in DIGITS)[: 5 * RUN]
"""So many characters that a run of them is in it once."""
HALF = len(QUOTE) // 2


def near(value: float) -> float:
    return pytest.approx(value, abs=1e-12)  # type: ignore[return-value]


# ------------------------------------------------------------------ covered


@pytest.mark.parametrize(
    ("shown", "counts"),
    [
        (QUOTE[:HALF], True),
        (QUOTE[HALF:], True),
        (QUOTE[: HALF - 1], False),  # one character less than half
        (f"{QUOTE[:RUN]} … {QUOTE[-(HALF - RUN) :]}", True),  # RUN + (HALF - RUN) = HALF
        (f"{QUOTE[:RUN]} … {QUOTE[-(HALF - RUN) + 1 :]}", False),
        (" … ".join(QUOTE[at : at + RUN] for at in range(0, 5 * RUN, 2 * RUN)), True),  # 3/5
        (" … ".join(QUOTE[at : at + RUN - 1] for at in range(0, 5 * RUN, RUN)), False),  # too short
        ("", False),
    ],
)
def test_half_of_the_characters_in_runs_is_enough(shown: str, counts: bool) -> None:
    assert covered(QUOTE, shown) is counts


def test_what_is_shorter_than_a_run_is_shown_whole_or_not() -> None:
    short = QUOTE[: RUN - 1]
    assert covered(short, f"… {short} …")
    assert not covered(short, short[:-1])


def characters_shown(wanted: str, text: str) -> int:
    """As :func:`covered` is defined: characters that are in some run of the text."""
    least = min(RUN, len(wanted))
    inside = {
        place
        for at in range(len(wanted) - least + 1)
        if wanted[at : at + least] in text
        for place in range(at, at + least)
    }
    return len(inside)


texts = st.text(st.characters(exclude_categories=("C",)), min_size=1).map(flat).filter(bool)
few_letters = st.text("ab ", min_size=1, max_size=120).map(flat).filter(bool)


@given(texts, texts, texts)
def test_a_text_shows_itself(before: str, wanted: str, after: str) -> None:
    assert covered(wanted, wanted)
    assert covered(wanted, before + wanted + after)


@given(st.one_of(texts, few_letters), st.one_of(texts, few_letters))
def test_fewer_than_half_of_the_characters_are_never_enough(wanted: str, text: str) -> None:
    if 2 * characters_shown(wanted, text) < len(wanted):
        assert not covered(wanted, text)


@given(few_letters, st.integers(0, 120), st.integers(0, 120))
def test_a_part_is_enough_from_half_on(wanted: str, start: int, end: int) -> None:
    part = wanted[start:end]
    if 2 * len(part) >= len(wanted) and len(part) >= min(RUN, len(wanted)):
        assert covered(wanted, part)


@given(few_letters, few_letters, few_letters)
def test_more_text_never_hides_a_quote(wanted: str, some: str, more: str) -> None:
    if wanted in some:
        assert covered(wanted, f"{more} {some}")


@given(st.lists(st.text("abc.", min_size=1), min_size=1), st.data())
def test_white_space_does_not_matter(words: list[str], data: st.DataObject) -> None:
    gaps = st.text(" \t\n\u00a0", min_size=1)

    def spaced() -> str:
        return "".join(f"{word}{data.draw(gaps)}" for word in words)

    assert is_shown(Unit("d", (spaced(),)), {"d": spaced()})


# ------------------------------------------------------------------ units


def unit(document: str, *some: str, **more: Any) -> Unit:
    return Unit(document, some, **more)


def test_a_unit_is_shown_by_its_own_document_alone() -> None:
    wanted = unit("d", QUOTE)
    assert is_shown(wanted, {"d": f"before {QUOTE} after"})
    assert not is_shown(wanted, {"other": QUOTE})
    assert not is_shown(wanted, {"d": "", "other": QUOTE})
    assert not is_shown(wanted, {})


def test_one_of_the_turns_is_enough() -> None:
    wanted = unit("d", "the first turn of three", "and the second one of them")
    assert is_shown(wanted, {"d": "and the second one of them"})
    assert not is_shown(wanted, {"d": "and then the third"})


def test_another_that_serves_as_well_is_enough() -> None:
    wanted = unit("d", QUOTE, others=(unit("copy", QUOTE),))
    assert is_shown(wanted, {"copy": QUOTE})
    assert is_named(wanted, ["copy"])
    assert is_named(wanted, ["x", "d"])
    assert not is_named(wanted, ["x"])


A, B, C = "a quote of the first document", "a quote of the second one", "and one of the third one"
SHOWN = {"a": A, "b": B, "c": C}


def of(*names: str) -> Mapping[str, str]:
    return {name: SHOWN[name] for name in names}


def test_every_unit_has_to_be_shown() -> None:
    both = Evidence((unit("a", A), unit("b", B)))
    assert m.evidence_shown(both, of("a", "b")) == 1
    assert m.evidence_shown(both, of("a")) == 0
    assert m.evidence_named(both, ["b", "a"]) == 1
    assert m.evidence_named(both, ["b"]) == 0


def test_any_needs_one() -> None:
    either = Evidence((unit("a", A), unit("b", B)), any=True)
    assert m.evidence_shown(either, of("b")) == 1
    assert m.evidence_shown(either, of("c")) == 0
    assert m.evidence_named(either, ["b"]) == 1


def test_one_group_is_enough_and_what_is_in_none_is_needed_too() -> None:
    first, second = "the first of a pair of them", "the second of a pair of them"
    other = "what says the same alone"
    units = (
        unit("d", first, group="1"), unit("d", second, group="1"), unit("d", other, group="2"),
    )  # fmt: skip
    assert Evidence(units).alternatives == (units[:2], units[2:])
    assert m.evidence_shown(Evidence(units), {"d": f"{first} {second}"}) == 1
    assert m.evidence_shown(Evidence(units), {"d": other}) == 1
    assert m.evidence_shown(Evidence(units), {"d": first}) == 0
    needed = Evidence((*units, unit("a", A)))
    assert m.evidence_shown(needed, {"d": other}) == 0
    assert m.evidence_shown(needed, {"d": other, **of("a")}) == 1


def test_a_right_document_without_the_sentence_is_named_and_not_shown() -> None:
    evidence = Evidence((unit("a", A),))
    shown = {"a": "the same document, at another place"}
    assert m.evidence_shown(evidence, shown) == 0
    assert m.evidence_named(evidence, list(shown)) == 1


# ------------------------------------------------------------------ read

NOTE = Document("note", "eval", "The kayak is orange.\nIt leaks.")
TALK = Document(
    "talk", "eval", "",
    messages=(Message("Ana", "Where is it?"), Message("Bo", " "), Message("Bo", "In the shed.")),
)  # fmt: skip
DOCUMENTS = {one.external: one for one in (NOTE, TALK)}


def entry(document: str, **more: Any) -> dict[str, Any]:
    return {"document": document, **more}


def test_quotes_and_turns_are_read_as_texts() -> None:
    found = read(
        [
            entry("note", quote="is orange"),
            entry("talk", turn=0),
            entry("talk", turn=0, to=2),
            entry("talk", turn=2, quote="the shed"),
            entry("talk", quote="In the shed"),
        ],
        DOCUMENTS,
        "f:1",
    )
    assert found == (
        (
            unit("note", "is orange"),
            unit("talk", "Where is it?"),
            unit("talk", "Where is it?", "In the shed."),  # a blank turn shows nothing
            unit("talk", "In the shed."),  # the turn that the quote is in
            unit("talk", "In the shed"),
        ),
        False,
    )


def test_any_or_and_group_are_read() -> None:
    other = entry("talk", turn=2)
    found = read([entry("note", quote="leaks", group=0, **{"or": [other]})], DOCUMENTS, "f:1", True)
    assert found.any
    assert found.units == (
        unit("note", "leaks", others=(unit("talk", "In the shed."),), group="0"),
    )
    assert read([], DOCUMENTS, "f:1") == Evidence()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("is orange", "`evidence` is not a list"),
        (["is orange"], "has no `document`"),
        ([entry("nowhere", quote="x")], "'nowhere', which is no document"),
        ([entry("note", quote="is blue")], "note: the quote is not in its text: 'is blue'"),
        ([entry("note", quote="")], "the quote is not in its text"),
        ([entry("note")], "the quote is not in its text"),
        ([entry("note", turn=0)], "of 0 turns none is 0"),
        ([entry("talk", turn=3)], "of 3 turns none is 3"),
        ([entry("talk", turn=1, to=3)], "of 3 turns none is 3"),
        ([entry("talk", turn=-1)], "of 3 turns none is -1"),
        ([entry("talk", turn=2, to=1)], "there is no turn 2 to 1"),
        ([entry("talk", turn="2")], "there is no turn '2' to '2'"),
        ([entry("talk", turn=0, quote="In the shed")], "the quote is not in turn 0"),
        ([entry("note", quote="leaks", **{"or": [entry("nowhere")]})], "'nowhere', which is no"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(entries: Any, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(entries, DOCUMENTS, "queries.jsonl:7")
    assert caught.value.message.startswith("queries.jsonl:7: ")


# ------------------------------------------------------------------ answerable or not


def test_auroc_by_hand() -> None:
    assert m.auroc([0.9, 0.4], [0.1, 0.5]) == near((2 + 1) / (2 * 2))
    assert m.auroc([0.9], [0.1, 0.2]) == 1
    assert m.auroc([0.1], [0.9]) == 0
    assert m.auroc([0.5, 0.5], [0.5]) == near(1 / 2)  # a tie is half


def test_refused_at_by_hand() -> None:
    answerable = [0.9, 0.8, 0.7, 0.6, 0.1]
    unanswerable = [0.65, 0.55, 0.2, 0.05]
    assert m.refused_at(answerable, unanswerable, 0.8) == near(3 / 4)  # from 0.6 on
    assert m.refused_at(answerable, unanswerable, 0.9) == near(1 / 4)  # from 0.1 on
    assert m.refused_at(answerable, unanswerable, 0.5) == near(4 / 4)  # ⌈0.5 · 5⌉ = 3: from 0.7 on
    assert m.refused_at([0.5], [0.5], 1) == 0  # as sure as what is served


@pytest.mark.parametrize("served", [0.0, -0.1, 1.1])
def test_a_share_that_is_none_is_refused(served: float) -> None:
    with pytest.raises(UsageError):
        m.refused_at([0.5], [0.5], served)


def test_both_kinds_are_needed() -> None:
    for some, others in (([], [0.5]), ([0.5], [])):
        with pytest.raises(UsageError, match="both kinds"):
            m.auroc(some, others)
        with pytest.raises(UsageError, match="both kinds"):
            m.refused_at(some, others, 0.8)


crowded = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), min_size=1, max_size=30)
spread = st.lists(st.floats(0, 1), min_size=1, max_size=30)
confidences = st.one_of(crowded, spread)


@given(confidences, confidences)
def test_auroc_is_the_share_of_pairs_in_the_right_order(
    right: Sequence[float], wrong: Sequence[float]
) -> None:
    pairs = [(p, q) for p in right for q in wrong]
    ordered = sum((p > q) + (p == q) / 2 for p, q in pairs)
    assert m.auroc(right, wrong) == near(ordered / len(pairs))
    assert m.auroc(wrong, right) == near(1 - m.auroc(right, wrong))


@given(confidences, confidences, st.sampled_from([1, 2, 3, 5, 7, 8, 9, 10]))
def test_refused_at_is_the_best_of_all_thresholds_that_serve_enough(
    answerable: Sequence[float], unanswerable: Sequence[float], tenths: int
) -> None:
    """Tenths are compared as whole numbers, so that no rounding has a say."""

    def serves(threshold: float) -> bool:
        served = sum(p >= threshold for p in answerable)
        return 10 * served >= tenths * len(answerable)

    thresholds = [-inf, *answerable, *unanswerable]
    best = max(
        sum(p < threshold for p in unanswerable) / len(unanswerable)
        for threshold in thresholds
        if serves(threshold)
    )
    assert m.refused_at(answerable, unanswerable, tenths / 10) == near(best)
