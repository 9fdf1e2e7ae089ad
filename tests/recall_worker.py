"""A process of its own that test_recall tells what to do, one line of JSON at a time."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import recollect.facts
import recollect.memory
import recollect.reading.cache.lookup
import recollect.writing.facts
from recollect import Memory
from recollect.errors import RecollectError
from recollect.testing.builders import note

BEGINNING = datetime(2026, 6, 1, 23, 40, tzinfo=UTC)


class Clock(datetime):
    moved = timedelta()

    @classmethod
    def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
        return BEGINNING + cls.moved


for module in (recollect.facts, recollect.reading.cache.lookup, recollect.memory):
    module.datetime = Clock  # type: ignore[attr-defined]


def plain(answer: Any, *, scores: bool) -> Any:
    """What is answered; without the scores, where words elsewhere may weigh in."""
    about = answer.as_json()
    for name in ("stages", "timing_ms", "cache", "tier"):
        del about[name]
    if not scores:
        about = {
            "status": about["status"],
            "hidden": about["hidden"],
            "results": sorted((r["id"], r["text"]) for r in about["results"]),
        }
    return about


def main() -> None:
    memory: Memory = None  # type: ignore[assignment]
    folder = ""
    for line in sys.stdin:
        told = json.loads(line)
        do = told.pop("do")
        done: dict[str, Any] = {}
        try:
            if do == "open":
                folder, Clock.moved = told["folder"], timedelta()
                memory = Memory.open(folder, embed_model="none", rerank_model="none")
            elif do == "config":
                memory = Memory.open(
                    folder, embed_model="none", rerank_model="none", search_limit=told["limit"]
                )
            elif do == "put":
                text = " ".join(told["text"])
                memory.put([note(told["id"], text, source=told["source"])])
            elif do == "forget":
                memory.forget(told["id"])
            elif do == "remember":
                begin = Clock.now() + timedelta(minutes=told["after"])
                end = begin + timedelta(minutes=told["lasts"])
                memory.remember(
                    f"The {told['name']} is shut.", name=told["name"], id=told["name"],
                    valid_from=begin, valid_to=end,
                )  # fmt: skip
            elif do == "clock":
                Clock.moved += timedelta(minutes=told["minutes"])
            elif do == "clear":
                memory.admin.clear_cache()
            elif do == "record":
                print_ = memory.search(told["query"]).fingerprint
                memory.record_answer(told["query"], "As it was.", print_)
            elif do == "search":
                query, sources = told["query"], told["sources"]
                served = memory.search(query, sources=sources)
                fresh = memory.search(query, sources=sources, cache=False)
                scores = sources is None
                done = {
                    "served": plain(served, scores=scores),
                    "fresh": plain(fresh, scores=scores),
                    "cache": served.cache.as_json(),
                }
        except RecollectError as error:
            done = {"error": str(error)}
        sys.stdout.write(json.dumps(done) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
