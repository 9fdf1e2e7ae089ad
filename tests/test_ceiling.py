"""How sure an answer may be, by what its nearest sentence has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.reading import fitted
from recollect.reading.pool import probability


@given(st.floats(0.01, 0.99))
def test_the_score_that_an_answer_needs_is_that_at_which_it_may_be_so_sure(sure: float) -> None:
    assert probability(fitted.ceiling(fitted.least_score(sure))) == pytest.approx(sure)


@given(st.floats(-5, 5), st.floats(0, 3))
def test_a_better_sentence_never_makes_an_answer_less_sure(score: float, more: float) -> None:
    assert fitted.ceiling(score + more) >= fitted.ceiling(score)
