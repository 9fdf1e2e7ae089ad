"""recollect: a recall engine for AI agents and the people who run them.

    from recollect import Memory
    with Memory.open() as m:
        m.add("~/notes")
        answer = m.search("when do we deploy?")

Importing this package is cheap: its modules load when they are first used (``lazy.py``).
"""

from __future__ import annotations

from importlib import import_module

from recollect import lazy

lazy.install()

__version__ = "0.2.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.errors import RecollectError
    from recollect.facts import Context, Fact
    from recollect.memory import Memory
    from recollect.memory.many import MemoryPool
    from recollect.nouns import Answer, Document, Filter, Message, Receipt

__all__ = [
    "Answer",
    "Context",
    "Document",
    "Fact",
    "Filter",
    "Memory",
    "MemoryPool",
    "Message",
    "Receipt",
    "RecollectError",
    "__version__",
]

_HOMES = {
    "Answer": "recollect.nouns",
    "Context": "recollect.facts",
    "Document": "recollect.nouns",
    "Fact": "recollect.facts",
    "Filter": "recollect.nouns",
    "Memory": "recollect.memory",
    "MemoryPool": "recollect.memory.many",
    "Message": "recollect.nouns",
    "Receipt": "recollect.nouns",
    "RecollectError": "recollect.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
