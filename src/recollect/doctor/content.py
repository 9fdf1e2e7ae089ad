"""What the store holds: is it still what its sources have, and has it secrets in it?"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.doctor.case import Case
from recollect.doctor.report import Check
from recollect.nouns import Document
from recollect.text import redact

SAMPLE = 100
"""Documents, the last that were imported, that are read for secrets, unless all are."""
SHOWN = 5


def sources(case: Case) -> Check:
    """Files that were imported are there, and as they were."""
    states = case.memory.admin.source_states()
    if not states:
        return Check("skip", "no source is a place on this machine")
    gone = [one for one in states if one.gone]
    if gone:
        details = tuple(f"{one.source}: {one.place}" for one in gone[:SHOWN])
        text = f"{len(gone)} of {len(states)} places are gone: {gone[0].place}"
        return Check("warn", text, f"recollect add {gone[0].place} --prune", details)
    missing = [one for one in states if one.missing]
    if missing:
        count, first = sum(one.missing for one in missing), missing[0]
        details = tuple(f"{one.source}: {one.missing:,} not there" for one in missing[:SHOWN])
        text = f"{count:,} of what was imported {'is' if count == 1 else 'are'} not there any more"
        return Check("warn", text, f"recollect add {first.place} --prune", details)
    older = [one for one in states if one.older]
    if older:
        details = tuple(f"{one.source}: {one.older:,}" for one in older[:SHOWN])
        text = f"{sum(one.older for one in older):,} documents were imported by an older reader"
        return Check("warn", text, f"recollect add {older[0].place}", details)
    stale = sorted((one for one in states if one.changed), key=lambda one: -one.days)
    if stale:
        first = stale[0]
        details = tuple(f"{one.source}: {one.changed:,} changed" for one in stale[:SHOWN])
        when = "today" if first.days < 1 else f"the first {first.days:.0f} days ago"
        text = f"of {first.source} {first.changed:,} changed since they were imported, {when}"
        mend = f"recollect add {first.place}"
        return Check("warn" if first.days >= 1 else "ok", text, mend, details)
    return Check("ok", f"nothing changed since it was imported (looked at: {len(states)})")


def secrets(case: Case) -> Check:
    """No keys, tokens or passwords in what is kept."""
    found: list[str] = []
    read = 0
    for document in _sample(case):
        read += 1
        counts = redact.redact(document.rendered()).counts
        if counts:
            found.append(
                f"{document.id} {document.title or document.external}: {', '.join(sorted(counts))}"
            )
    which = f"the last {read:,}" if not case.full else f"all {read:,}"
    if found:
        text = f"{len(found):,} of {which} documents have something like a secret in them"
        mend = "recollect forget ID; import.redact takes them out of what is imported"
        return Check("warn", text, mend, tuple(found[:SHOWN]))
    if not case.config["import.redact"]:
        return Check(
            "warn",
            "secrets are kept as they are when something is imported",
            "recollect config unset import.redact",
        )
    return Check("ok", f"none in {which} documents")


def _sample(case: Case) -> Iterator[Document]:
    return (case.memory.get(about.id) for about in _listed(case))


def _listed(case: Case) -> Iterator[Document]:
    page = case.memory.list(limit=SAMPLE)
    yield from page.items
    while case.full and page.cursor:
        page = case.memory.list(limit=SAMPLE, cursor=page.cursor)
        yield from page.items
