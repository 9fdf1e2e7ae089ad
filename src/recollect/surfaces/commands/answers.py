"""``gather``, ``record-answer``, ``answers``, ``cache``: an answer that is written once, and served
again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from recollect import memory as facade
from recollect import ports
from recollect.errors import NotFound, UsageError
from recollect.nouns import Recorded, json_list
from recollect.surfaces import terminal, tool_text
from recollect.surfaces.commands.shared import (
    Options,
    declare_limits,
    exit_code,
    limits,
    open_memory,
    show,
    tell_notes,
)
from recollect.surfaces.phrases import listing, minute

# ------------------------------------------------------------------ gather


def declare_gather(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what the answer is to be about")
    declare_limits(parser)
    parser.add_argument(
        "--tokens", type=int, default=4000, metavar="N", help="the most tokens (4000; 100 to 64000)"
    )
    parser.add_argument("--mode", help="conservative, balanced or tokenmax")
    parser.add_argument("--as-of", metavar="WHEN", help="the facts that held then")


def gather(options: Options) -> int:
    with open_memory(options) as memory:
        found: facade.Bundle = memory.gather(
            " ".join(options.query),
            token_budget=options.tokens,
            mode=options.mode,
            as_of=options.as_of,
            **limits(options),
        )
        tell_notes(options, memory, found.sections)
    show(options, found.as_json(), lambda _: tool_text.bundle(found, {}))
    return exit_code(found.sections)


# ------------------------------------------------------------------ record-answer


def declare_record_answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help="the question, as it was asked")
    parser.add_argument("answer", help="what was written for it; - reads it from standard input")
    parser.add_argument(
        "--fingerprint", required=True, metavar="F", help="as `search` or `gather` gave it"
    )
    parser.add_argument(
        "--from",
        action="append",
        dest="sources",
        metavar="ID",
        help="the id of what it is from (repeatable)",
    )


def record_answer(options: Options) -> int:
    text = sys.stdin.read() if options.answer == "-" else options.answer
    with open_memory(options) as memory:
        done = memory.record_answer(options.query, text, options.fingerprint, options.sources)
    show(options, done.as_json(), lambda _: tool_text.recording(done, {}))
    return int(not done.recorded)


# ------------------------------------------------------------------ answers


def declare_answers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--before", metavar="WHEN", help="recorded before then")
    parser.add_argument("--stale", action="store_true", help="only those that no longer hold")
    parser.add_argument(
        "--forget", action="append", metavar="ID", help="forget this one (repeatable)"
    )
    parser.add_argument(
        "--forget-stale", action="store_true", help="forget those that no longer hold"
    )


def answers(options: Options) -> int:
    if options.forget and options.forget_stale:
        raise UsageError("--forget and --forget-stale at once", hint="give one of them")
    with open_memory(options) as memory:
        if options.forget:
            done = memory.admin.forget_answers(*options.forget)
            if not done:
                raise NotFound(
                    f"there is no recorded answer {', '.join(options.forget)}",
                    hint="`recollect answers` shows them",
                )
            return _forgotten(options, done)
        if options.forget_stale:
            return _forgotten(options, memory.admin.forget_answers(stale=True))
        found = memory.admin.answers(limit=options.limit, before=options.before)
    if options.stale:
        found = [one for one in found if one.stale]
    content = {"items": json_list(found)}
    show(options, content, lambda style: _answers(found, style))
    return exit_code(found)


def _forgotten(options: Options, count: int) -> int:
    show(options, {"forgotten": count}, lambda _: f"{count} forgotten")
    return 0


def _answers(found: Sequence[Recorded], style: terminal.Style) -> str:
    lines = []
    for one in found:
        held = "no longer holds" if one.stale else "holds"
        about = f"{minute(one.at)} · {held}"
        lines += [
            f"{style.bold}{one.query}{style.off}",
            f"    {style.dim}{one.id} · {about}{style.off}",
            f"    {' '.join(one.answer.split())[: terminal.width() - 4]}",
        ]
    return listing(lines, "no answer is recorded")


# ------------------------------------------------------------------ cache


def declare_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("stats", "clear", "prune"),
        nargs="?",
        default="stats",
        help="show it, empty it, or drop what has expired (recorded answers stay)",
    )


def cache(options: Options) -> int:
    with open_memory(options) as memory:
        if options.action != "stats":
            done = memory.admin.clear_cache(expired=options.action == "prune")
            show(options, {"dropped": done}, lambda _: f"{done:,} dropped")
            return 0
        found: ports.CacheStats = memory.admin.cache_stats()
        settings = {
            name: memory.config[f"cache.{name}"] for name in ("enabled", "ttl", "similarity")
        }
    content = {**found.as_json(), **settings}
    show(options, content, lambda _: _cache(content))
    return 0


def _cache(found: dict[str, Any]) -> str:
    state = "on" if found["enabled"] else "off (`recollect config set cache.enabled true`)"
    lines = [
        f"the cache is {state}",
        f"{found['entries']:,} of at most {found['limit']:,} searches, "
        f"{found['bytes'] / 1000:,.0f} kB",
        f"served for {found['ttl']:,} s at most, and until anything in sight changes",
    ]
    if found["oldest"] is not None:
        made = (datetime.fromtimestamp(found[name], UTC) for name in ("oldest", "newest"))
        lines.insert(2, "from {:%Y-%m-%d %H:%M} to {:%Y-%m-%d %H:%M} UTC".format(*made))
    return "\n".join(lines)
