"""The language model that the configuration asks for, or the user brings, and what it may cost.

Nothing is looked up, connected or opened before a model is asked for: a memory that never needs
one pays nothing for it and cannot fail by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from recollect import config as settings
from recollect import storage
from recollect.arguments import place
from recollect.errors import ModelError, ModelMissing, StoreError, UsageError
from recollect.memory.usage import MOST_DAYS
from recollect.models import addresses, catalog, costs, files
from recollect.models.costs import CHECKED, Price, full_price_of
from recollect.models.llm import client, keys, local, provider, servers, timeouts
from recollect.models.spending import NANOS, Purse, SpendLimits
from recollect.named_tuple import NamedTuple
from recollect.ports import Expense, Llm, LlmMessage, LlmRequest, Spending

# ------------------------------------------------------------------ what there is


class LlmStatus(NamedTuple):
    """The configured language model, and its costs so far. It has no key, only the place of it."""

    model: str
    """As configured; ``none``; or ``callable``."""
    url: str = ""
    dialect: str = ""
    key: str = ""
    """Where the key is; empty when there is none."""
    wanted: tuple[str, ...] = ()
    """Where one would be looked for."""
    price: Price | None = None
    limits: SpendLimits = SpendLimits()
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
            "spent": list(map(_spent_json, self.spent)),
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

    def __init__(self, config: settings.Config, own: provider.Own | None = None) -> None:
        self._config = config
        self._own = own
        self._lock = Lock()
        self._provider: provider.Provider | None = None

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
        """Returns the client of one command, which may take so long; raises what keeps it from
        being used."""
        if self.missing:
            raise ModelMissing(
                self.missing,
                hint="`recollect llm use openai:NAME` (or anthropic:, openrouter:, gemini:, "
                "ollama:, URL#NAME, local)",
            )
        with self._lock:
            asked = self._provider = self._made()
        limits = timeouts.Timeouts() if seconds is None else timeouts.Timeouts(total=seconds)
        return client.LlmClient(asked, self._purse(), limits)

    def _made(self) -> provider.Provider:
        """Returns who answers: the same as before, but for a model of this machine, whose process
        may have ended since."""
        if self._own is None and is_local(self.name):
            return local.provider(local_file(self._config))
        if self._provider is not None:
            return self._provider
        if self._own is not None:
            return provider.OwnProvider(self._own)
        address = self._address()
        return provider.HttpProvider(address, _key_for(address))

    def _address(self) -> addresses.LlmAddress:
        name: str = self._config["llm.model"]
        if is_local(name):  # where it will listen is known when it runs
            return addresses.LlmAddress("llama", "http://127.0.0.1", name)
        return addresses.llm_address(name)

    @property
    def limits(self) -> SpendLimits:
        return SpendLimits(self._config["llm.daily_limit"], self._config["llm.command_limit"])

    def _purse(self) -> Purse:
        if self._own is not None:  # what it costs is between the two of them
            return Purse(_spending(), None, SpendLimits())
        return Purse(_spending(), self._price(self._address()), self.limits)

    def _price(self, address: addresses.LlmAddress) -> Price | None:
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
        if is_local(self.name):
            return _of_this_machine(made, self._config)
        address = self._address()
        found = _key_for(address)
        lacks = address.needs_key and found.key is None
        return made._replace(
            url=address.url,
            dialect=address.dialect,
            key=found.where,
            wanted=found.variables,
            price=self._price(address),
            problem=made.problem or ("there is no key for it" if lacks else ""),
        )

    def test(self) -> LlmTest:
        """Ask it for one word, as structured answers are asked for."""
        since = perf_counter()
        reply = self.llm(60.0).complete(_TRIED)
        ms = (perf_counter() - since) * 1000
        return LlmTest(
            reply.model,
            str(reply.data["word"]),
            True,
            reply.usage.input,
            reply.usage.output,
            reply.cost,
            reply.calls,
            ms,
        )


# ------------------------------------------------------------------ on this machine


def is_local(name: str) -> bool:
    """Whether ``llm.model`` means a model that is run here: ``local``, or ``local:FILE``."""
    return name.partition(":")[0] == "local"


def local_file(config: settings.Config) -> Path:
    """Returns the GGUF file that ``llm.model`` means; raises ModelMissing where it is not here."""
    _, _, own = config["llm.model"].partition(":")
    if not own:
        return _smollm2(config)
    if not place(own).is_file():
        raise ModelMissing(f"there is no file {own}", hint="`recollect llm use local:FILE.gguf`")
    return place(own)


def _smollm2(config: settings.Config) -> Path:
    folder = files.ModelFolder(place(config["models"] or settings.data_folder() / "models"))
    try:
        return folder.locate(catalog.SMOLLM2) / catalog.SMOLLM2.weights
    except ModelMissing as error:
        hint = f"`recollect llm use local` downloads it ({catalog.SMOLLM2.megabytes} MB)"
        raise ModelMissing(error.message, hint=hint) from None


def _of_this_machine(made: LlmStatus, config: settings.Config) -> LlmStatus:
    """Returns what there is to tell of a local model: nothing is loaded for it."""
    made = made._replace(dialect="llama", price=Price(0.0, 0.0))
    try:
        local.check_runtime()
        return made._replace(url=str(local_file(config)))
    except ModelError as error:
        return made._replace(problem=made.problem or f"{error.message} ({error.hint})")


def usable_llm(config: settings.Config, name: str) -> str:
    """Returns the value of ``llm.model`` that chooses *name*, checked as far as can be without
    asking a model anything."""
    if is_local(name):
        local.check_runtime()
        _, mark, own = name.partition(":")
        name = f"local:{place(own)}" if mark else name
        local_file(config.with_value("llm.model", name))
    elif name != "none":
        addresses.llm_address(name)
    return name


def found_servers() -> Sequence[servers.LlmServer]:
    """Ollama and llama.cpp as they run on this machine, with their models."""
    return list(servers.found_servers())


def embedding_purse(config: settings.Config, model: str, url: str) -> Purse:
    """What embedding with a model elsewhere may cost: the day's limit is that of all models."""
    dollars = config["embed.price"]
    if dollars is None:
        known = costs.EMBEDDINGS.get(model.lower().rpartition("/")[2])
        dollars = 0.0 if addresses.is_loopback(addresses.host_of(url)) else known
    price = None if dollars is None else Price(dollars, 0.0)
    return Purse(_spending(), price, SpendLimits(config["llm.daily_limit"]), "embed.price")


def _key_for(address: addresses.LlmAddress) -> Any:
    return keys.find_key(address.variables, keyring=not address.is_here)


def _spending() -> Spending:
    return storage.open_spending(settings.data_folder())
