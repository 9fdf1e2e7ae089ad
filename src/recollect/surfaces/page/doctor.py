"""The doctor's view: what is looked at, what was found, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from recollect import __version__
from recollect.surfaces.page.layout import (
    Asked,
    View,
    about,
    badge,
    command,
    counted,
    heading,
)
from recollect.surfaces.page.markup import Html, el, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.memory import Memory, Status

STATES = {"ok": ("ok", "good"), "warn": ("look", "fair"), "fail": ("fault", "bad")}


class Check(NamedTuple):
    name: str
    state: Literal["ok", "warn", "fail"]
    says: str
    mend: str = ""
    """The command that mends it."""


def checks(memory: Memory) -> list[Check]:
    """All that is looked at. A doctor that looks at more takes the place of this."""
    return list(_basics(memory, memory.status()))


def doctor(asked: Asked) -> View:
    found = checks(asked.memory)
    status = asked.memory.status()
    store = status.store
    body = joined(
        heading("Doctor", el("p", _verdict(found), role="status")),
        el("ul", [el("li", _check(one)) for one in found], class_="checks card"),
        el("section", el("h2", "This store"), about(
            ("Where", el("code", store.location)),
            ("Engine", store.engine),
            ("Size", _size(store.bytes)),
            ("Documents", f"{store.documents:,}"),
            ("Passages", f"{store.passages:,}"),
            ("Kinds", counted(store.kinds)),
            ("Forgotten for good", f"{store.tombstones:,}" if store.tombstones else ""),
            ("Embedder", el("code", status.model)),
            ("Version", __version__),
        )),
    )  # fmt: skip
    return View("Doctor", body, at="/doctor")


def _check(one: Check) -> Html:
    said, kind = STATES[one.state]
    return joined(badge(said, kind), el("b", one.name), el("span", one.says),
                  one.mend and command(one.mend))  # fmt: skip


def _verdict(found: list[Check]) -> str:
    wrong = [one for one in found if one.state != "ok"]
    if not wrong:
        return "Nothing is the matter."
    faults = sum(one.state == "fail" for one in wrong)
    looks = len(wrong) - faults
    told = [f"{faults} at fault" if faults else "", f"{looks} to look at" if looks else ""]
    return f"Of {len(found)} checks: {', '.join(filter(None, told))}."


# ------------------------------------------------------------------ what the facade can tell


def _basics(memory: Memory, found: Status) -> Iterator[Check]:
    yield Check("Store", "ok", f"answers; {found.store.seq:,} changes so far")
    yield _text_index(found)
    yield from _embedder(found)
    yield _reranker(memory)
    ignored = memory.config.ignored
    if ignored:
        said = f"{len(ignored)} of an untrusted project file are ignored"
        yield Check("Settings", "warn", said, "recollect config list")
    else:
        yield Check("Settings", "ok", "all are in force")


def _text_index(found: Status) -> Check:
    behind = found.store.indexes.get("text", {}).get("behind")
    if behind is None:
        built = "the next search builds it" if found.store.engine == "embedded" else "not needed"
        return Check("Text index", "ok", built)
    late = f"{behind:,} passages behind; searches see them all the same"
    return Check("Text index", "ok", late if behind else "up to date")


def _embedder(found: Status) -> Iterator[Check]:
    if found.model_state != "ready":
        yield Check("Embedder", "warn", f"searches go by words alone: {found.model_state}",
                    "recollect models list")  # fmt: skip
        return
    yield Check("Embedder", "ok", "ready")
    share = 1 - found.pending / found.store.passages if found.store.passages else 1.0
    if found.pending:
        said = f"{share:.0%} of the passages have one; the next import makes {found.pending:,} more"
        yield Check("Vectors", "warn", said)
    else:
        yield Check("Vectors", "ok", "every passage has one")


def _reranker(memory: Memory) -> Check:
    from recollect.memory import model_states

    name = memory.config["rerank.model"]
    if name in ("none", "llm"):
        said = "switched off" if name == "none" else "the language model"
        return Check("Reranker", "ok", said)
    here = any(one.here for one in model_states(memory.config) if one.name == name)
    if here or "://" in name:
        return Check("Reranker", "ok", f"{name}, ready" if here else name)
    return Check("Reranker", "warn", f"{name} is not on this machine",
                 f"recollect models fetch {name}")  # fmt: skip


def _size(count: int) -> str:
    number = float(count)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
