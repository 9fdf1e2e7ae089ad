"""A language model for tests: it does as it is told, and keeps count of what it was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from recollect.ports import LlmRequest

Says = str | Exception | Callable[[LlmRequest], str]
GOOD = {"relevant": True, "supported": True, "useful": True, "look_for": ""}
_SHOWN = re.compile(
    r"\[\[([0-9a-f]{16}) (?:source|web page|passage) (\d+)\]\]\n(.*?)\n\[\[\1 end\]\]", re.DOTALL
)


def lines(*objects: Any) -> str:
    return "\n".join(json.dumps(one) for one in objects)


def sentence(text: str, *support: tuple[Any, str]) -> dict[str, Any]:
    return {"sentence": text, "support": [{"source": n, "quote": q} for n, q in support]}


def bad(look_for: str = "", *, relevant: bool = True) -> dict[str, Any]:
    return {"relevant": relevant, "supported": False, "useful": False, "look_for": look_for}


def shown(request: LlmRequest) -> dict[int, str]:
    """The sources in a prompt, by their numbers."""
    found = _SHOWN.findall(request.messages[0].text)
    return {int(number): text for _, number, text in found}


class Model:
    """Says the next of what it has for that kind of request, the last of it for ever."""

    def __init__(self, think: list[Says] | Says = "", expand: Says = "", rerank: Says = "") -> None:
        self._think: list[Says] = list(think) if isinstance(think, list) else [think]
        self._others = {"expand": expand, "rerank": rerank}
        self.asked: list[tuple[str, LlmRequest]] = []

    def __call__(self, request: LlmRequest) -> str:
        kind = kind_of(request)
        self.asked.append((kind, request))
        if kind == "think":
            says: Says = self._think.pop(0) if len(self._think) > 1 else self._think[0]
        else:
            says = self._others[kind]
        if isinstance(says, Exception):
            raise says
        return says if isinstance(says, str) else says(request)

    def count(self, kind: str = "") -> int:
        return sum(kind in ("", one) for one, _ in self.asked)

    def calls(self, kind: str) -> int:
        """What is tried again after a failure is one call."""
        different: list[LlmRequest] = []
        for one, request in self.asked:
            if one == kind and request not in different:
                different.append(request)
        return len(different)

    @property
    def prompts(self) -> list[str]:
        return [request.messages[0].text for _, request in self.asked]


def kind_of(request: LlmRequest) -> str:
    if request.system.startswith("You answer"):
        return "think"
    return "rerank" if request.system.startswith("You judge") else "expand"


def quoting(request: LlmRequest) -> str:
    """A model that answers with the first words of its first source."""
    number, text = next(iter(shown(request).items()))
    body = text.partition("\n")[2]
    quote = body[:60].rsplit(" ", 1)[0]
    return lines(sentence(f"{quote}.", (number, quote)), GOOD)
