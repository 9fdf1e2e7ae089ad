"""What lies behind a wall changes no byte of what a caller on this side is told.

Two stores that are the same within the wall and differ outside it are asked the same, through every
surface; ``python -m bench.walls`` asks more, and on PostgreSQL.
"""

from __future__ import annotations

import pytest
from bench import walls


@pytest.mark.parametrize(("engine", "stores", "calls"), [("plain", 8, 100), ("embedded", 2, 100)])
def test_a_caller_learns_nothing_of_what_is_behind_the_wall(
    engine: str, stores: int, calls: int
) -> None:
    with walls.engines(engine) as opened, walls.small_indexes(), walls.count_alike():
        for seed in range(1, stores + 1):
            for _, found in walls.compared(seed, calls, opened):
                assert found is None, walls.told(found)
