"""The record, its indexes, and who is writing."""

from __future__ import annotations

from functools import partial

from recollect.doctor.case import Case
from recollect.doctor.report import Check
from recollect.doctor.setup import how_to_have

SHOWN = 5
RECALL = 0.95
"""Below that the vector index loses what it should find."""
BEHIND = 4096
"""Passages that the text index may be behind: so many are searched directly."""


def record(case: Case) -> Check:
    """The file is sound; in full, each document is what was stored."""
    found = case.found("record")
    if found:
        mend = "recollect repair, or recollect restore BACKUP"
        if case.found("server"):
            mend = "see the check of the server below"
        return Check("fail", f"it is damaged: {found[0]}", mend, tuple(found[1:SHOWN]))
    stats = case.memory.status().store
    held = f"{stats.documents:,} documents, {stats.passages:,} passages"
    if case.full:
        return Check("ok", f"{held}; each is as it was stored")
    if case.seen.server:
        told = f"the last {case.seen.documents:,} are as they were stored"
        return Check("ok", f"{held}; {told} (--full reads each of them)")
    return Check("ok", f"{held}; the file is sound (--full reads each of them)")


def _rebuild(case: Case) -> str:
    case.memory.admin.rebuild()
    return "made anew from the record"


def text_index(case: Case) -> Check:
    """It agrees with the record, and is not far behind."""

    def refresh() -> str:
        case.memory.store.admin.refresh()
        return "brought up to date"

    if case.damaged:
        return Check("skip", "the record is damaged")
    found = case.found("text")
    if found:
        mend = "recollect rebuild; if it comes back, recollect doctor --full"
        return Check("fail", "; ".join(found), mend, fix=partial(_rebuild, case))
    stats = case.memory.status().store
    about = stats.indexes.get("text")
    if about is None:
        return Check("skip", f"the {stats.engine} engine keeps none")
    behind = stats.passages if about["behind"] is None else about["behind"]
    if behind > BEHIND:
        text = f"it lacks the last {behind:,} passages: searches are slow until it has them"
        return Check("warn", text, "recollect rebuild", fix=refresh)
    if about["behind"] is None and stats.passages:
        return Check("ok", "there is none yet; the next search makes it")
    return Check(
        "ok",
        f"{case.seen.sampled:,} sampled passages are in it"
        + (
            f"; the last {behind:,} are read from the record until the next import"
            if behind
            else ""
        ),
    )


def vectors(case: Case) -> Check:
    """The index finds what comparing with every vector finds."""

    if case.damaged:
        return Check("skip", "the record is damaged")
    found = case.found("vectors")
    if found:
        return Check("fail", "; ".join(found), "recollect rebuild", fix=partial(_rebuild, case))
    recall = case.seen.recall
    if not recall:
        there = sum(case.memory.store.admin.models().values())
        why = "there are too many to compare (--full does)" if there else "there are none"
        return Check("skip", why)
    told = tuple(f"{model}: {share:.1%} of the 10 nearest" for model, share in recall.items())
    if min(recall.values()) < RECALL:
        text = f"the index finds {min(recall.values()):.1%} of the 10 nearest"
        return Check("warn", text, "recollect rebuild", told, fix=partial(_rebuild, case))
    return Check("ok", f"the index finds {min(recall.values()):.1%} of the 10 nearest")


def embeddings(case: Case) -> Check:
    """Every passage has a vector of the model in use."""
    status = case.memory.status()

    def embed() -> str:
        return f"vectors were made: {case.memory.models.embed():,}"

    if status.model == "none":
        return Check("skip", "search is by words alone (embed.model is none)")
    if status.model_state != "ready":
        mend = how_to_have(case.config["embed.model"], "embed")
        return Check("warn", f"search is by words alone: {status.model_state}", mend)
    if status.pending:
        text = f"{status.pending:,} of {status.store.passages:,} passages have no vector yet"
        return Check("warn", text, "recollect doctor --fix", fix=embed)
    return Check("ok", f"every passage has a vector of {status.model}")


def writers(case: Case) -> Check:
    """A write would get its turn."""
    found = case.found("lock")
    if found:
        return Check("fail", "; ".join(found), "end that process, if it is stuck")
    return Check("ok", "nobody keeps others from writing")


def server(case: Case) -> Check:
    """The servers that keep the store can be reached, and the replica is near enough."""
    found = case.found("server")
    if case.damaged and found:
        return Check("fail", found[0])
    if found:
        text = f"{found[0]}; searches and writes are served without it"
        return Check("warn", text, "docs/postgres.md, Read replicas and Failover", tuple(found[1:]))
    if not case.seen.server:
        return Check("skip", "no server keeps the store")
    return Check("ok", case.seen.server)
