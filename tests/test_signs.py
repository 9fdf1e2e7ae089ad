"""Signs of sentence vectors, and what a question makes of them."""

from __future__ import annotations

from math import isclose, sqrt

import numpy as np

from recollect.text import signs


def test_a_score_is_the_question_times_the_signs() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(3, signs.WIDTH))
    rows[1] = 0
    asks = random.normal(size=signs.WIDTH)
    asks /= np.linalg.norm(asks)
    found = signs.scores(asks, signs.packed(rows))
    for n in (0, 2):
        assert isclose(found[n], float(asks @ np.sign(rows[n])) / sqrt(128), abs_tol=1e-9)
    assert found[1] == signs.FAR
    assert signs.scores(asks, b"") == []
