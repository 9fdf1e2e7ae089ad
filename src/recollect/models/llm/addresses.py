"""Which provider a name means, where it is, and which key may be sent there.

openai:gpt-5-mini                       a provider by name, and its model
http://127.0.0.1:8000/v1#qwen3          any server that speaks OpenAI's chat completions
ollama:http://10.0.0.7:11434#llama3.2   a server of another dialect
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from recollect.errors import ConfigError

Dialect = Literal["openai", "anthropic", "ollama"]
OWN_KEY = "RECOLLECT_LLM_KEY"
"""The key for a server that is named by its address; for a provider, if its own is not set."""


class Provider(NamedTuple):
    dialect: Dialect
    url: str
    variable: str = ""
    """Where its key is; none is needed where this is empty."""


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Provider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "openrouter": Provider("openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "gemini": Provider(
        "openai", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"
    ),
    "ollama": Provider("ollama", "http://127.0.0.1:11434"),
}


class Address(NamedTuple):
    """Where a model is asked."""

    dialect: Dialect
    url: str
    model: str
    variables: tuple[str, ...] = ()
    """Where its key may be, the first first."""
    needs_key: bool = False

    @property
    def key(self) -> str:
        return f"{self.model}@{self.url}"

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def is_here(self) -> bool:
        """On this machine: nothing leaves it, and nothing has to be paid."""
        return is_loopback(self.host)


def host_of(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def address_of(name: str) -> Address:
    """What ``llm.model`` means."""
    word, mark, rest = name.partition(":")
    provider = PROVIDERS.get(word) if mark and not rest.startswith("//") else None
    if "://" in name:
        dialect: Dialect = provider.dialect if provider else "openai"
        url, model = checked_address(rest if provider else name, "llm.model")
        return Address(dialect, url, model, (OWN_KEY,))
    if provider is None:
        raise ConfigError(
            f"llm.model is {name!r}, which names no provider",
            hint=f"begin with one of {', '.join(f'{p}:' for p in PROVIDERS)} or give URL#MODEL",
        )
    if not rest.strip():
        raise ConfigError(f"{name} does not say which model", hint=f"name it: {word}:MODEL")
    variables = (provider.variable, OWN_KEY) if provider.variable else ()
    return Address(provider.dialect, provider.url, rest.strip(), variables, bool(variables))


def checked_address(address: str, setting: str) -> tuple[str, str]:
    """The address and the model of ``URL#MODEL``."""
    url, mark, model = address.partition("#")
    if not mark or not model:
        raise ConfigError(f"{setting}: {url} does not say which model",
                          hint=f"name it after a #: {url}#MODEL")  # fmt: skip
    if not url.startswith(("http://", "https://")) or not host_of(url):
        raise ConfigError(f"{setting}: {url} is no address of a server",
                          hint="it begins with http:// or https:// and names a host")  # fmt: skip
    return url.rstrip("/"), model
