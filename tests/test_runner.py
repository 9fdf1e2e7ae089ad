"""Slots that depend on each other."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import ServiceDenied, UsageError
from recollect.writing.runner import (
    Outcome,
    Slot,
    SlotContext,
    Token,
    fan_out,
    inserted,
    ordered,
    run,
)


def slot(name: str, *needs: str, work: Any = None, **fields: Any) -> Slot:
    """It gives its name after what it was given."""

    def joined(context: SlotContext) -> str:
        return ".".join([*(context[need] for need in needs), name])

    fields.setdefault("seconds", 10.0)
    return Slot(name, work or joined, needs, (str,) * len(needs), str, **fields)


def states(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: outcome.state for name, outcome in outcomes.items()}


def failing(_: SlotContext) -> str:
    raise ValueError("no such luck")


DIAMOND = [slot("d", "b", "c"), slot("b", "a"), slot("c", "a"), slot("a", "start")]


def test_each_slot_gets_what_it_needs_whatever_the_order() -> None:
    done = run(DIAMOND, {"start": "s"}, {})
    assert done["d"].output == "s.a.b.s.a.c.d"
    assert set(states(done).values()) == {"done"}
    assert all(outcome.ms >= 0 for outcome in done.values())


@given(st.data(), st.integers(1, 9), st.integers(1, 4))
def test_any_order_without_a_circle_runs_once_and_in_order(
    data: st.DataObject, count: int, at_once: int
) -> None:
    slots = []
    for n in range(count):
        before = st.lists(st.sampled_from(["start", *map(str, range(n))]), unique=True, max_size=3)
        slots.append(slot(str(n), *data.draw(before)))
    shuffled = data.draw(st.permutations(slots))
    ended: list[str] = []
    done = run(shuffled, {"start": "s"}, {}, at_once=at_once, tell=lambda o: ended.append(o.name))
    assert sorted(ended) == sorted(s.name for s in slots)
    for one in slots:
        assert all(ended.index(n) < ended.index(one.name) for n in one.needs if n != "start")
        assert done[one.name].state == "done"


def test_a_failure_strands_its_descendants_and_nothing_else() -> None:
    slots = [slot("a", "start"), slot("b", "a", work=failing), slot("c", "b"), slot("d", "c"),
             slot("e", "a")]  # fmt: skip
    done = run(slots, {"start": "s"}, {})
    assert states(done) == {
        "a": "done", "b": "failed", "c": "stranded", "d": "stranded", "e": "done",
    }  # fmt: skip
    assert done["b"].reason == "no such luck"
    assert "b" in done["c"].reason


def test_slots_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="wait for each other: a → b"):
        ordered([slot("a", "b"), slot("b", "a"), slot("c", "start")], ["start"])
    with pytest.raises(UsageError, match="wait for each other"):
        run([slot("a", "a")], {}, {})


def test_what_cannot_fit_is_refused_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="two slots 'a'"):
        ordered([slot("a"), slot("a")], [])
    with pytest.raises(UsageError, match="nobody gives"):
        ordered([slot("a", "nothing")], [])
    with pytest.raises(UsageError, match="takes int from 'a', which gives str"):
        ordered([slot("a"), Slot("b", str, ("a",), (int,), str, 1.0)], [])
    with pytest.raises(UsageError, match="declares 0 types"):
        ordered([Slot("b", str, ("a",), (), str, 1.0)], ["a"])


def test_the_wrong_thing_is_not_passed_on() -> None:
    done = run([slot("a", work=lambda _: 7), slot("b", "a")], {}, {})
    assert states(done) == {"a": "failed", "b": "stranded"}
    assert done["a"].reason == "it gave int, not str"
    done = run([slot("a", "start")], {"start": 7}, {})
    assert done["a"].reason == "start is int, not str"


def test_a_slot_may_call_what_it_was_given_and_nothing_else() -> None:
    def asks(name: str) -> Any:
        return lambda context: context.service(name)

    services = {"clock": "noon", "store": "all of it"}
    done = run(
        [slot("a", work=asks("clock"), services=frozenset({"clock"})),
         slot("b", work=asks("store"), services=frozenset({"clock"})),
         slot("c", work=asks("model"), services=frozenset({"model"}))],
        {}, services,
    )  # fmt: skip
    assert done["a"].output == "noon"
    assert "'b'" in done["b"].reason
    assert "'store'" in done["b"].reason
    assert "'model'" in done["c"].reason
    with pytest.raises(ServiceDenied):
        SlotContext(slot("a"), {}, services, Token()).service("store")


def test_a_slot_sees_only_what_it_needs() -> None:
    done = run([slot("a"), slot("b", work=lambda context: context["a"])], {}, {})
    assert done["b"].state == "failed"
    assert "does not need 'a'" in done["b"].reason


def test_a_slot_that_takes_too_long_is_left_behind() -> None:
    release, left = threading.Event(), threading.Event()

    def slow(_: SlotContext) -> str:
        release.wait(30)
        left.set()
        return "late"

    slots = [
        slot("slow", work=slow, seconds=0.05),
        slot("after", "slow"),
        slot("other"),
    ]
    done = run(slots, {}, {})
    assert not left.is_set(), "the run waited for it"
    release.set()
    assert states(done) == {"slow": "failed", "after": "stranded", "other": "done"}
    assert "0.05 s" in done["slow"].reason


def test_cancelling_reaches_running_work() -> None:
    token, seen = Token(), threading.Event()

    def works(context: SlotContext) -> str:
        token.cancel()
        while True:
            if context.token.stopped:
                seen.set()
            context.token.check()

    done = run([slot("a", work=works), slot("b", "a"), slot("c")], {}, {}, token=token, at_once=1)
    assert done["a"].state == "cancelled"
    assert done["b"].state in ("stranded", "cancelled")
    assert done["c"].state == "cancelled"
    assert seen.wait(10)


def test_no_more_than_allowed_run_at_once() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def counted(_: SlotContext) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return ""

    run([slot(str(n), work=counted) for n in range(12)], {}, {}, at_once=3)
    assert most <= 3


def test_a_slot_can_be_put_between_others() -> None:
    before = [slot("a", "start"), slot("b", "a"), slot("c", "a", "b")]
    after = inserted(before, slot("x", "a"), after="a")
    done = run(after, {"start": "s"}, {})
    assert done["b"].output == "s.a.x.b"
    assert done["c"].output == "s.a.x.s.a.x.b.c"
    done = run(inserted(after, slot("y", "x"), after="x"), {"start": "s"}, {})
    assert done["b"].output == "s.a.x.y.b"
    with pytest.raises(UsageError, match="no slot 'z'"):
        inserted([slot("a")], slot("x"), after="z")


def test_a_fan_out_keeps_the_order_and_loses_only_what_fails() -> None:
    def work(n: int) -> int:
        time.sleep(0.001 * (10 - n))
        if n == 4:
            raise ValueError("four")
        return n * n

    done = fan_out(range(10), work, Token())
    assert [one.item for one in done] == list(range(10))
    assert [one.result for one in done if not one.error] == [n * n for n in range(10) if n != 4]
    assert [one.error for one in done if one.error] == ["four"]
    assert fan_out([], work, Token()) == []


def test_a_fan_out_ends_when_it_is_cancelled() -> None:
    token, begun = Token(), []

    def work(n: int) -> None:
        begun.append(n)
        token.cancel()

    with pytest.raises(Exception, match="cancelled"):
        fan_out(range(100), work, token, at_once=2)
    assert len(begun) <= 4
