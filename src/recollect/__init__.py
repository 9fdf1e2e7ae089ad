"""recollect: a recall engine for AI agents and the people who run them.

    from recollect import Memory
    with Memory.open() as m:
        m.add("~/notes")
        answer = m.search("when do we deploy?")

Importing this package is cheap: the facade and everything under it load when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.facts import Context, Fact
    from recollect.memory import Memory
    from recollect.types import Answer, Document, Filter, Message, Receipt

__all__ = [
    "Answer",
    "Context",
    "Document",
    "Fact",
    "Filter",
    "Memory",
    "Message",
    "Receipt",
    "RecollectError",
    "__version__",
]

_HOMES = {
    "Answer": "recollect.types",
    "Context": "recollect.facts",
    "Document": "recollect.types",
    "Fact": "recollect.facts",
    "Filter": "recollect.types",
    "Memory": "recollect.memory",
    "Message": "recollect.types",
    "Receipt": "recollect.types",
    "RecollectError": "recollect.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
