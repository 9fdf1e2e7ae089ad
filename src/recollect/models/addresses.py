"""Which server a model's name means, where it is, and which key may be sent there.

openai:gpt-5-mini                       a vendor by name, and its model
http://127.0.0.1:8000/v1#qwen3          any server that speaks OpenAI's protocol
anthropic:http://10.0.0.7/v1#claude     a server that speaks a vendor's protocol
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from recollect.errors import ConfigError, ModelError
from recollect.named_tuple import NamedTuple

DialectName = Literal["openai", "anthropic", "llama"]
OWN_KEY = "RECOLLECT_LLM_KEY"
"""The key for a server that is named by its address; for a vendor, if its own is not set."""


class Vendor(NamedTuple):
    url: str
    variable: str = ""
    """The environment variable with its key; empty where none is needed."""
    dialect: DialectName = "openai"


_OPENAI = Vendor("https://api.openai.com/v1", "OPENAI_API_KEY")
_OPENROUTER = Vendor("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
_GEMINI = Vendor("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY")
_OLLAMA = Vendor("http://127.0.0.1:11434/v1")
_ANY_SERVER = Vendor("")
LLM_VENDORS: Mapping[str, Vendor] = {
    "openai": _OPENAI,
    "anthropic": Vendor("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "anthropic"),
    "openrouter": _OPENROUTER,
    "gemini": _GEMINI,
    "ollama": _OLLAMA,
}
EMBED_VENDORS: Mapping[str, Vendor] = {
    "openai": _OPENAI,
    "gemini": _GEMINI,
    "openrouter": _OPENROUTER,
    "voyage": Vendor("https://api.voyageai.com/v1", "VOYAGE_API_KEY"),
    "jina": Vendor("https://api.jina.ai/v1", "JINA_API_KEY"),
    "mistral": Vendor("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "ollama": _OLLAMA,
}


class LlmAddress(NamedTuple):
    """Where a language model is asked."""

    dialect: DialectName
    url: str
    model: str
    variables: tuple[str, ...] = ()
    """The environment variables that may hold its key, in the order in which they are read."""
    needs_key: bool = False

    @property
    def key(self) -> str:
        return f"{self.model}@{self.url}"

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine: nothing leaves it, and nothing has to be paid."""
        return is_loopback(self.host)


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def llm_address(name: str) -> LlmAddress:
    """Returns the address that ``llm.model`` means."""
    word, mark, rest = name.partition(":")
    vendor = LLM_VENDORS.get(word)
    if "://" in name:
        return _at_url(rest if vendor else name, vendor or _ANY_SERVER)
    if vendor is None or not mark:
        raise ConfigError(
            f"llm.model is {name!r}, which names no provider",
            hint=f"begin with one of {', '.join(f'{v}:' for v in LLM_VENDORS)} or give URL#MODEL",
        )
    if not rest.strip():
        raise ConfigError(f"{name} does not say which model", hint=f"name it: {word}:MODEL")
    variables = (vendor.variable, OWN_KEY) if vendor.variable else ()
    return LlmAddress(vendor.dialect, vendor.url, rest.strip(), variables, bool(variables))


def _at_url(address: str, vendor: Vendor) -> LlmAddress:
    """Returns the address of a server of the user's own that speaks the vendor's protocol."""
    url, model = checked_address(address, "llm.model")
    if vendor is _OLLAMA:  # whose own protocol is at the root, and OpenAI's below it
        url = url.removesuffix("/v1") + "/v1"
    return LlmAddress(vendor.dialect, url, model, (OWN_KEY,))


def is_endpoint(name: str) -> bool:
    """Returns whether ``embed.model`` names a model that is somewhere else."""
    return "://" in name or name.partition(":")[0] in EMBED_VENDORS


def embed_address(name: str) -> tuple[str, str]:
    """Returns the URL that ``embed.model`` means, and the name of the model there."""
    word, mark, model = name.partition(":")
    if "://" in name or not mark or word not in EMBED_VENDORS:
        try:
            return checked_address(name, "embed.model")
        except ConfigError as error:
            raise ModelError(error.message, hint=error.hint) from None
    if not model.strip():
        raise ModelError(f"{name} does not say which model", hint=f"name it: {word}:MODEL")
    return EMBED_VENDORS[word].url, model.strip()


def checked_address(address: str, setting: str) -> tuple[str, str]:
    """Returns the URL and the model of ``URL#MODEL``; raises ConfigError for anything else."""
    url, _, model = address.partition("#")
    if not model:
        raise ConfigError(
            f"{setting}: {url} does not say which model",
            hint=f"name it after a #: {url}#MODEL",
        )
    if not url.startswith(("http://", "https://")) or not host_of(url):
        raise ConfigError(
            f"{setting}: {url} is no address of a server",
            hint="it begins with http:// or https:// and names a host",
        )
    return url.rstrip("/"), model
