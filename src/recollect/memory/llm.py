"""The language model that the configuration asks for, or the user brings, and what it may cost.

Nothing is looked up, connected or opened before a model is asked for: a memory that never needs
one pays nothing for it and cannot fail by it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import config as settings
from recollect.errors import ModelMissing, SpendRefused, StoreError, UsageError
from recollect.memory.costs import CHECKED, Price, full_price_of
from recollect.memory.usage import MOST_DAYS
from recollect.ports import Expense, Llm, LlmMessage, LlmRequest, LlmUsage, Spending

if TYPE_CHECKING:
    from recollect.models.addresses import LlmAddress
    from recollect.models.llm.provider import Own, Provider

NANOS = 1_000_000_000
"""In a dollar."""
HELD_SECONDS = 900.0
"""What is set aside for a call that nobody settles counts as spent after this."""


# ------------------------------------------------------------------ the limits


class Limits(NamedTuple):
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
        self, spending: Spending, price: Price | None, limits: Limits, setting: str = "llm.price"
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
                    held.day, held.model, 1, usage.input, usage.output, usage.cache_read,
                    nanos or 0, int(nanos is None),
                )  # fmt: skip
            with suppress(StoreError):  # then what was set aside counts, when its time is over
                self._spending.settle(held.id, spent)
        return None if nanos is None else nanos / NANOS

    def _most(self, model: str, usage: LlmUsage) -> int:
        if self._price is not None:
            return self._price.nanos(usage)
        if self._limits == Limits():
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


def _refused(most: int, setting: str, limit: float | None, gone: int) -> SpendRefused:
    return SpendRefused(
        f"the call may cost up to ${most / NANOS:.4f}; {setting} is ${limit:.2f}, of which "
        f"${gone / NANOS:.4f} is spent",
        hint=f"nothing was sent; `recollect llm` shows what was spent, and "
        f"`recollect config set {setting} …` allows more",
    )


# ------------------------------------------------------------------ what there is


class LlmStatus(NamedTuple):
    """What is configured, and what it has cost. No key is in it, only where one was found."""

    model: str
    """As configured; ``none``; or ``callable``."""
    url: str = ""
    dialect: str = ""
    key: str = ""
    """Where the key is; empty when there is none."""
    wanted: tuple[str, ...] = ()
    """Where one would be looked for."""
    price: Price | None = None
    limits: Limits = Limits()
    problem: str = ""
    """Why it cannot be used."""
    first: str = ""
    today: str = ""
    spent: tuple[Expense, ...] = ()

    @property
    def dollars_today(self) -> float:
        return sum(row.nanos for row in self.spent if row.day == self.today) / NANOS

    @property
    def dollars(self) -> float:
        return sum(row.nanos for row in self.spent) / NANOS

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "url": self.url or None,
            "dialect": self.dialect or None,
            "key": self.key or None,
            "key_wanted": list(self.wanted),
            "price": None if self.price is None else self.price._asdict(),
            "prices_checked": CHECKED,
            "daily_limit": self.limits.daily,
            "command_limit": self.limits.command,
            "problem": self.problem or None,
            "first": self.first,
            "today": self.today,
            "dollars_today": round(self.dollars_today, 6),
            "dollars": round(self.dollars, 6),
            "spent": [_spent_json(row) for row in self.spent],
        }


def _spent_json(row: Expense) -> dict[str, Any]:
    made = row._asdict()
    return {**made, "dollars": round(made.pop("nanos") / NANOS, 6)}


class LlmTest(NamedTuple):
    """What came of asking the model something."""

    model: str
    text: str
    structured: bool
    """Whether it was held to a schema, as it must be."""
    input: int
    output: int
    dollars: float | None
    calls: int
    ms: float

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "ms": round(self.ms, 1)}


_TRIED = LlmRequest(
    (LlmMessage("user", "Reply with the word ready."),),
    max_tokens=512,
    schema={
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    },
)


class Languages:
    """The language model of one memory. Each command gets a client of its own (:meth:`llm`), which
    counts what that command spends; the connection limits are shared by all."""

    def __init__(self, config: settings.Config, own: Own | None = None) -> None:
        self._config = config
        self._own = own
        self._lock = Lock()
        self._provider: Provider | None = None

    @property
    def name(self) -> str:
        return self._config["llm.model"] if self._own is None else "callable"

    @property
    def missing(self) -> str:
        """Why there is none; empty when one is configured, be it usable or not."""
        if self._own is None and self._config["llm.model"] == "none":
            return "no language model is configured"
        return ""

    def llm(self, seconds: float | None = None) -> Llm:
        """For one command, which may take so long; raises what keeps it from being used."""
        from recollect.models.llm.client import LlmClient
        from recollect.models.llm.timeouts import Timeouts

        if self.missing:
            raise ModelMissing(
                self.missing,
                hint="`recollect config set llm.model openai:NAME` (or anthropic:, openrouter:, "
                "gemini:, ollama:, URL#NAME)",
            )
        with self._lock:
            if self._provider is None:
                self._provider = self._made()
            provider = self._provider
        timeouts = Timeouts() if seconds is None else Timeouts(total=seconds)
        return LlmClient(provider, self._purse(), timeouts)

    def _made(self) -> Provider:
        from recollect.models.llm.provider import HttpProvider, OwnProvider

        if self._own is not None:
            return OwnProvider(self._own)
        address = self._address()
        return HttpProvider(address, _key_for(address))

    def _address(self) -> LlmAddress:
        from recollect.models.addresses import llm_address

        return llm_address(self._config["llm.model"])

    @property
    def limits(self) -> Limits:
        return Limits(self._config["llm.daily_limit"], self._config["llm.command_limit"])

    def _purse(self) -> Purse:
        if self._own is not None:  # what it costs is between the two of them
            return Purse(_spending(), None, Limits())
        return Purse(_spending(), self._price(self._address()), self.limits)

    def _price(self, address: LlmAddress) -> Price | None:
        said = self._config["llm.price"]
        if said:
            return Price(*map(float, said.split("/")))
        return Price(0.0, 0.0) if address.is_here else full_price_of(address.model)

    def status(self, days: int = 30) -> LlmStatus:
        if not 1 <= days <= MOST_DAYS:
            raise UsageError(f"days is {days}", hint=f"give 1 to {MOST_DAYS}")
        today = date.today()
        first = (today - timedelta(days=days - 1)).isoformat()
        made = LlmStatus(
            self._config["llm.model"], limits=self.limits, first=first, today=today.isoformat()
        )
        try:
            made = made._replace(spent=tuple(_spending().rows(first)))
        except StoreError as error:
            made = made._replace(problem=error.message)
        if self._own is not None:
            return made._replace(model="callable")
        if self.missing:
            return made
        address = self._address()
        found = _key_for(address)
        lacks = address.needs_key and found.key is None
        return made._replace(
            url=address.url, dialect=address.dialect, key=found.where, wanted=found.variables,
            price=self._price(address),
            problem=made.problem or ("there is no key for it" if lacks else ""),
        )  # fmt: skip

    def test(self) -> LlmTest:
        """Ask it for one word, as structured answers are asked for."""
        since = perf_counter()
        reply = self.llm(60.0).complete(_TRIED)
        ms = (perf_counter() - since) * 1000
        return LlmTest(
            reply.model, str(reply.data["word"]), True, reply.usage.input, reply.usage.output,
            reply.cost, reply.calls, ms,
        )  # fmt: skip


def embedding_purse(config: settings.Config, model: str, url: str) -> Purse:
    """What embedding with a model elsewhere may cost: the day's limit is that of all models."""
    from recollect.memory.costs import EMBEDDINGS
    from recollect.models.addresses import host_of, is_loopback

    dollars = config["embed.price"]
    if dollars is None:
        known = EMBEDDINGS.get(model.lower().rpartition("/")[2])
        dollars = 0.0 if is_loopback(host_of(url)) else known
    price = None if dollars is None else Price(dollars, 0.0)
    return Purse(_spending(), price, Limits(config["llm.daily_limit"]), "embed.price")


def _key_for(address: LlmAddress) -> Any:
    from recollect.models.llm.keys import find_key

    return find_key(address.variables, keyring=not address.is_here)


def _spending() -> Spending:
    from recollect.storage import open_spending

    return open_spending(settings.data_folder())
