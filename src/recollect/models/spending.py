"""What calls of models elsewhere may cost: set aside before they are made, settled after."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from threading import Lock

from recollect import config as settings
from recollect.errors import SpendRefused, StoreError
from recollect.models.costs import Price
from recollect.named_tuple import NamedTuple
from recollect.ports import Expense, LlmUsage, Spending

NANOS = 1_000_000_000
"""In a dollar."""
HELD_SECONDS = 900.0
"""What is set aside for a call that nobody settles counts as spent after this."""


class SpendLimits(NamedTuple):
    """In dollars; None is none."""

    daily: float | None = None
    command: float | None = None


class _Held(NamedTuple):
    day: str
    model: str
    nanos: int
    id: int | None
    """In the ledger; None where that could not be written."""


class Purse:
    """One command's money: what each call may cost at most is set aside before it is made, so that
    no number of calls at once can cost more than is allowed."""

    def __init__(
        self,
        spending: Spending,
        price: Price | None,
        limits: SpendLimits,
        setting: str = "llm.price",
    ) -> None:
        """*setting* is where the user can say a price that is not known."""
        self._spending = spending
        self._price = price
        self._limits = limits
        self._setting = setting
        self._lock = Lock()
        self._gone = 0
        """Spent and set aside by this command."""

    def hold(self, model: str, input: int, output: int) -> _Held:
        most = self._most(model, LlmUsage(input, output))
        self._hold_of_command(most)
        day = date.today().isoformat()
        cap = _nanos(self._limits.daily)
        try:
            held = self._spending.hold(day, model, most, cap, HELD_SECONDS)
        except StoreError:
            if cap is not None:  # a limit that cannot be kept count of is none
                self._give_back(most)
                raise
            return _Held(day, model, most, None)
        if held is None:
            self._give_back(most)
            raise _refused(most, "llm.daily_limit", self._limits.daily, self._spent_on(day))
        return _Held(day, model, most, held)

    def settle(self, held: _Held, usage: LlmUsage | None) -> float | None:
        nanos = self._cost(usage)
        self._give_back(held.nanos - (nanos or 0))
        if held.id is not None:
            spent = Expense(held.day, held.model)
            if usage is not None:
                spent = Expense(
                    held.day,
                    held.model,
                    1,
                    usage.input,
                    usage.output,
                    usage.cache_read,
                    nanos or 0,
                    int(nanos is None),
                )
            with suppress(StoreError):  # then what was set aside counts, when its time is over
                self._spending.settle(held.id, spent)
        return None if nanos is None else nanos / NANOS

    def _most(self, model: str, usage: LlmUsage) -> int:
        if self._price is not None:
            return self._price.nanos(usage)
        if self._limits == SpendLimits():
            return 0
        raise SpendRefused(
            f"what {model} costs is not known, so that no limit on it can be kept",
            hint=f"set {self._setting} ({settings.setting(self._setting).help})",
        )

    def _cost(self, usage: LlmUsage | None) -> int | None:
        if usage is None:
            return 0
        if usage.cost is not None:
            return round(usage.cost * NANOS)
        return None if self._price is None else self._price.nanos(usage)

    def _hold_of_command(self, nanos: int) -> None:
        cap = _nanos(self._limits.command)
        with self._lock:
            if cap is not None and self._gone + nanos > cap:
                raise _refused(nanos, "llm.command_limit", self._limits.command, self._gone)
            self._gone += nanos

    def _give_back(self, nanos: int) -> None:
        with self._lock:
            self._gone -= nanos

    def _spent_on(self, day: str) -> int:
        with suppress(StoreError):
            return sum(row.nanos for row in self._spending.rows(day) if row.day == day)
        return 0


def _nanos(dollars: float | None) -> int | None:
    return None if dollars is None else round(dollars * NANOS)


def _dollars(nanos: int) -> str:
    """Returns an amount that may be far below a cent."""
    return (
        f"${nanos / NANOS:.4f}" if nanos >= NANOS / 10_000 or not nanos else f"${nanos / NANOS:.2g}"
    )


def _refused(most: int, setting: str, limit: float | None, gone: int) -> SpendRefused:
    return SpendRefused(
        f"the call may cost up to {_dollars(most)}; {setting} is ${limit:g}, of which "
        f"{_dollars(gone)} is spent",
        hint=f"nothing was sent; `recollect llm` shows what was spent, and "
        f"`recollect config set {setting} …` allows more",
    )
