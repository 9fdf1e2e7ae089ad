"""Two phases: greedy construction, then annealing on the soft costs.

The old branch and bound solver (``bnb.py``) was removed in 0.8, see ADR 0006.
"""

from __future__ import annotations

import logging
import math
import random
import time
from dataclasses import dataclass, field

from .constraints import Clash, Hard, Soft, hard_clashes, soft_total
from .grid import Grid
from .model import Placement, Plan, Room, Session, free_rooms

log = logging.getLogger("slotwright.solver")


class Infeasible(Exception):
    def __init__(self, left: list[Session], clashes: list[Clash]):
        super().__init__(f"{len(left)} session(s) could not be placed")
        self.left = left
        self.clashes = clashes


@dataclass
class SolverOptions:
    time_limit: float = 20.0
    seed: int = 7
    restarts: int = 3
    t_start: float = 40.0
    t_end: float = 0.4
    stall_rounds: int = 2500
    partial: bool = False


@dataclass
class Outcome:
    plan: Plan
    cost: float
    rounds: int = 0
    stopped_by: str = "time"
    history: list[tuple[int, float]] = field(default_factory=list)


def difficulty(session: Session, rooms: list[Room], grid: Grid) -> float:
    fitting = sum(1 for r in rooms if r.fits(session))
    if fitting == 0:
        return math.inf
    starts = len(grid.starts(session))
    people = 1 + len(session.people) + 0.5 * len(session.groups)
    return people * session.minutes / (fitting * max(1, starts))


def construct(sessions, rooms, grid, hard, plan=None):
    plan = plan or Plan("draft")
    left = []
    order = sorted(sessions, key=lambda s: difficulty(s, rooms, grid), reverse=True)
    for s in order:
        if s.key in plan.placements:
            continue
        if not _place_first(plan, s, rooms, grid, hard):
            left.append(s)
    return plan, left


def _place_first(plan, session, rooms, grid, hard) -> bool:
    for slot in grid.starts(session):
        for room in free_rooms(plan, rooms, slot):
            if not room.fits(session):
                continue
            plan.put(Placement(session, slot, room.key))
            if not hard_clashes(plan, hard):
                return True
            plan.drop(session.key)
    return False


def _temperature(share: float, opt: SolverOptions) -> float:
    return opt.t_start * (opt.t_end / opt.t_start) ** share


def _accept(delta: float, temp: float, rng: random.Random) -> bool:
    if delta <= 0:
        return True
    return rng.random() < math.exp(-delta / temp)


def _swap_move(plan, rng):
    movable = [k for k, p in plan.placements.items() if p.session.pinned is None]
    if len(movable) < 2:
        return None
    a, b = rng.sample(movable, 2)
    pa, pb = plan.placements[a], plan.placements[b]
    if pa.session.minutes != pb.session.minutes:
        return None
    return [Placement(pa.session, pb.slot, pb.room), Placement(pb.session, pa.slot, pa.room)]


def _shift_move(plan, grid, rooms, rng):
    movable = [p for p in plan.placements.values() if p.session.pinned is None]
    if not movable:
        return None
    p = rng.choice(movable)
    options = grid.starts(p.session)
    if not options:
        return None
    slot = rng.choice(options)
    fitting = [r for r in free_rooms(plan.without([p.session.key]), rooms, slot) if r.fits(p.session)]
    if not fitting:
        return None
    return [Placement(p.session, slot, fitting[0].key)]


def anneal(plan: Plan, grid: Grid, rooms: list[Room], hard: list[Hard], soft: list[Soft],
           opt: SolverOptions) -> Outcome:
    rng = random.Random(opt.seed)
    best, best_cost = plan.without([]), soft_total(plan, soft)
    here, here_cost = best, best_cost
    began = time.monotonic()
    rounds = stall = 0
    history = [(0, best_cost)]
    stopped = "time"
    while True:
        share = (time.monotonic() - began) / opt.time_limit
        if share >= 1:
            break
        if stall > opt.stall_rounds:
            stopped = "stall"
            break
        if best_cost == 0:
            stopped = "perfect"
            break
        rounds += 1
        move = _swap_move(here, rng) if rng.random() < 0.35 else _shift_move(here, grid, rooms, rng)
        if move is None:
            stall += 1
            continue
        trial = here.without([])
        for m in move:
            trial.put(m)
        if hard_clashes(trial, hard):
            stall += 1
            continue
        cost = soft_total(trial, soft)
        if _accept(cost - here_cost, _temperature(share, opt), rng):
            here, here_cost = trial, cost
        if here_cost < best_cost - 1e-9:
            best, best_cost = here, here_cost
            stall = 0
            history.append((rounds, best_cost))
        else:
            stall += 1
    log.info("annealing done", extra={"rounds": rounds, "cost": best_cost, "by": stopped})
    return Outcome(best, best_cost, rounds, stopped, history)


def solve(sessions, rooms, grid, hard, soft, opt: SolverOptions | None = None) -> Outcome:
    opt = opt or SolverOptions()
    best: Outcome | None = None
    last_left, last_plan = [], None
    for attempt in range(max(1, opt.restarts)):
        batch = list(sessions)
        if attempt:
            random.Random(opt.seed + attempt).shuffle(batch)
        plan, left = construct(batch, rooms, grid, hard)
        last_left, last_plan = left, plan
        if left and not opt.partial:
            continue
        per_try = SolverOptions(**{**opt.__dict__, "time_limit": opt.time_limit / opt.restarts,
                                   "seed": opt.seed + attempt})
        got = anneal(plan, grid, rooms, hard, soft, per_try)
        if best is None or got.cost < best.cost:
            best = got
    if best is None:
        raise Infeasible(last_left, hard_clashes(last_plan, hard))
    return best


def explain(session: Session, plan: Plan, rooms, grid, hard) -> dict[str, int]:
    """Why is there no place for this one? Counts the rule that killed each candidate."""
    tally: dict[str, int] = {}
    for slot in grid.starts(session):
        open_rooms = [r for r in free_rooms(plan, rooms, slot) if r.fits(session)]
        if not open_rooms:
            tally["no-room"] = tally.get("no-room", 0) + 1
            continue
        trial = plan.without([session.key])
        trial.put(Placement(session, slot, open_rooms[0].key))
        for c in hard_clashes(trial, hard):
            tally[c.rule] = tally.get(c.rule, 0) + 1
    return dict(sorted(tally.items(), key=lambda kv: -kv[1]))
