"""What those who run a store ask for and change besides the tools of a model: a table of the same
kind, called in the same way over HTTP, and never shown to a model.

Each returns the JSON that the command of the same name prints, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recollect import memory as facade
from recollect.nouns import json_list
from recollect.surfaces.http.imports import Imports
from recollect.surfaces.tools import (
    NUMBER,
    TEXT,
    TEXTS,
    YES,
    Arguments,
    Tool,
    Work,
    embedded,
)

Json = dict[str, Any]

_KEPT = ("id", "at", "about", "items", "changed", "undone")
_IMPORT = ("id", "path", "source", "state", "stored", "receipt", "error")


def _listed(name: str) -> Callable[[Iterable[Any]], Json]:
    return lambda found: {name: json_list(found)}


def _fact(found: Any) -> Json:
    return {"fact": found.as_json()}


def _pin(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    return memory.curation.pin(
        given["fact"], pinned=given.get("pinned", True), by=given.get("by", "")
    )


def _reword(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    said, by = given["text"], given.get("by", "")
    return embedded(memory, memory.curation.reword(given["fact"], said, by=by, embed=False))


def _review(memory: facade.Memory, given: Arguments, _: Work) -> Any:
    facts = given.get("facts", ())
    return memory.curation.review(
        given["receipt"], *facts, accept=given["accept"], by=given.get("by", "")
    )


LOOKING = (
    Tool(
        "status", "Status", "What the store holds, and what is pending.", {}, (),
        lambda memory, _given, _work: memory.status(), "",
        ("location", "documents", "model", "pending"),
    ),
    Tool(
        "stats", "Stats", "What searches did in the last so many days.", {"days": NUMBER}, (),
        lambda memory, given, _: memory.admin.stats(**given), "", ("first", "last", "total"),
    ),
    Tool(
        "facts", "Facts", "Facts in force, newest first; every one also when it no longer holds.",
        {"limit": NUMBER, "cursor": TEXT, "every": YES, "scopes": TEXTS, "types": TEXTS,
         "as_of": TEXT}, (),
        lambda memory, given, _: memory.facts(**given), "", ("items", "cursor"),
    ),
    Tool(
        "timeline", "Timeline", "A fact, what it replaced and what replaced it, oldest first.",
        {"fact": TEXT}, ("fact",),
        lambda memory, given, _: memory.curation.timeline(given["fact"]), "", ("facts",),
        json=_listed("facts"),
    ),
    Tool(
        "history", "History", "What happened to a document or a fact, and who did it.",
        {"id": TEXT}, ("id",),
        lambda memory, given, _: memory.history(given["id"]), "", ("events",),
        json=_listed("events"),
    ),
    Tool(
        "receipts", "Receipts", "What curations did, newest first; each can be undone.",
        {"limit": NUMBER}, (),
        lambda memory, given, _: memory.curation.receipts(**given), "", ("items",),
        json=_listed("items"),
    ),
    Tool(
        "to_review", "To review", "Receipts with changes that wait for a look.", {}, (),
        lambda memory, _given, _work: memory.curation.to_review(), "", ("items",),
        json=_listed("items"),
    ),
)  # fmt: skip

CHANGING = (
    Tool(
        "pin", "Pin", "Have a fact in every context, or no longer.",
        {"fact": TEXT, "pinned": YES, "by": TEXT}, ("fact",), _pin, "", ("fact",),
        writes=True, json=_fact,
    ),
    Tool(
        "reword", "Reword", "Say a fact in other words; what it said before is not kept.",
        {"fact": TEXT, "text": TEXT, "by": TEXT}, ("fact", "text"), _reword, "", ("fact",),
        writes=True, destroys=True, json=_fact,
    ),
    Tool(
        "review", "Review", "Accept or reject what waits in a receipt: these facts of it, or all.",
        {"receipt": TEXT, "facts": TEXTS, "accept": YES, "by": TEXT}, ("receipt", "accept"),
        _review, "", _KEPT, writes=True, destroys=True, repeats=False,
    ),
    Tool(
        "undo", "Undo", "Restore the state before a curation; the last one's, if none is named.",
        {"receipt": TEXT}, (), lambda memory, given, _: memory.curation.undo(**given), "", _KEPT,
        writes=True, destroys=True, repeats=False,
    ),
)  # fmt: skip


def operating(imports: Imports) -> tuple[Tool, ...]:
    """The whole table, with what imports there are."""
    importing = (
        Tool(
            "import", "Import", "Begin to import what is at a path of this machine.",
            {"path": TEXT, "source": TEXT}, ("path",),
            lambda _memory, given, _work: imports.begin(**given), "", _IMPORT, writes=True,
        ),
        Tool(
            "imports", "Imports", "The imports of this process, newest first, and how far each is.",
            {}, (), lambda _memory, _given, _work: imports.all(), "", ("items",),
            json=_listed("items"),
        ),
        Tool(
            "stop_import", "Stop an import", "What it has stored so far stays.",
            {"id": TEXT}, ("id",), lambda _memory, given, _work: imports.stop(**given), "",
            _IMPORT, writes=True,
        ),
    )  # fmt: skip
    return (*LOOKING, *CHANGING, *importing)
