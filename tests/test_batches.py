"""Texts are run together that are of about the same length, and no more than a batch takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.models.network import PADDED, TOKENS, batches


@given(st.lists(st.integers(0, 512), max_size=60))
def test_every_text_is_in_one_batch_with_those_of_its_length(lengths: list[int]) -> None:
    made = list(batches(lengths))
    assert sorted(n for some in made for n in some) == list(range(len(lengths)))
    for some in made:
        sizes = [lengths[n] for n in some]
        assert max(sizes) - min(sizes) <= PADDED
        assert len(some) == 1 or max(sizes) * len(some) <= TOKENS
