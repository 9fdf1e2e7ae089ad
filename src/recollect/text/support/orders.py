"""Whether a text tells a model what to do: such a text is no evidence of anything.

By its wording, in ten languages: who reads and answers is addressed ("assistant,", "if you are a
language model", "agents that read this file"), or is told what to do with its instructions, its
answer, its sources, its tools or the settings; or roles of a chat are written into the text. Orders
to people ("use tabs", "agents run the tests first", "the user must confirm") are not meant. Wording
that is in no table is not found: what holds then is that nothing a model says is more than text.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from recollect.text.terms import fold

_FILE = Path(__file__).with_name("orders.txt")
"""A pattern a row, of folded text."""


_ADDRESS = re.compile(
    r"^(\W*)(?:(?:hey|hi|dear|please) )?(?:assistants?|assistent|asistente|assistente|asystencie"
    r"|claude|chatgpt|copilot|gemini|ai)\s?,\s*",
    re.IGNORECASE | re.MULTILINE,
)


def without_address(text: str) -> str:
    """The text without whom a line of it speaks to: what a user says to an assistant ("Assistant,
    please remember that …") is said by the user."""
    return _ADDRESS.sub(r"\1", text)


@cache
def _pattern() -> re.Pattern[str]:
    rows = filter(None, _FILE.read_text(encoding="utf-8").splitlines())
    plain = (re.sub(r"[^\x00-\x7f]+", lambda match: fold(match[0]), row) for row in rows)
    return re.compile("|".join(plain), re.DOTALL | re.MULTILINE)


_ROLE = re.compile(r"^\W*(?:SYSTEM|SYSTÈME|SISTEMA|СИСТЕМА)\s?:", re.MULTILINE)
"""A role of a chat; "System: Debian" is a row of a note."""


def is_order(text: str) -> bool:
    """Whether the text has an order to a model in it."""
    return (
        _ROLE.search(text) is not None
        or _pattern().search(fold(text).replace("’", "'")) is not None
    )
