"""``recollect search``."""

from __future__ import annotations

import argparse
from typing import Any

from recollect.errors import UsageError
from recollect.nouns import Answer
from recollect.surfaces import render
from recollect.surfaces.commands import search_screen
from recollect.surfaces.commands.shared import (
    Options,
    declare_limits,
    exit_code,
    limits,
    open_memory,
    show,
    tell_notes,
)

_RELAXABLE = {
    "since": "since",
    "until": "until",
    "kind": "kinds",
    "source": "sources",
    "path": "paths",
    "issue": "issues",
    "event": "events",
}
"""The limits that may be given up, by the name of their option."""


def declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help='words; "a phrase", -without, prefix*, path: kind: source: issue: event:',
    )
    parser.add_argument(
        "-i", "--interactive", action="store_true", help="a list that follows what you type"
    )
    declare_limits(parser)
    parser.add_argument("--limit", "--max-results", type=int, metavar="N", help="the most results")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens")
    parser.add_argument(
        "--min-confidence",
        metavar="P",
        help="leave out what is less sure (0 to 1, low, high)",
    )
    parser.add_argument(
        "--recency", type=float, metavar="ALPHA", help="0 by relevance, 1 newest first"
    )
    parser.add_argument(
        "--sort",
        metavar="ORDER",
        help="oldest or newest, of what is relevant; relevance; else as the question says",
    )
    parser.add_argument(
        "--role",
        action="append",
        metavar="ROLE",
        help="only these words of conversations (user, assistant); also tool, context, all",
    )
    parser.add_argument("--last", type=int, metavar="N", help="only the newest N documents")
    parser.add_argument(
        "--relax",
        action="append",
        default=[],
        choices=list(_RELAXABLE),
        metavar="LIMIT",
        help=f"give this limit up when too little is found ({', '.join(_RELAXABLE)})",
    )
    parser.add_argument(
        "--detail",
        choices=("auto", "snippet", "passage", "document"),
        help="how much of each result (auto: the sentences that carry evidence)",
    )
    parser.add_argument("--mode", help="conservative, balanced or tokenmax")
    parser.add_argument("--by", choices=("hybrid", "keyword", "semantic"), help="which arms search")
    parser.add_argument(
        "--as-of",
        metavar="WHEN",
        help="what held then, of facts and of documents that were superseded",
    )
    parser.add_argument(
        "--no-facts",
        action="store_false",
        dest="facts",
        default=None,
        help="search passages even if facts answer",
    )
    parser.add_argument(
        "--no-cache",
        action="store_false",
        dest="cache",
        default=None,
        help="search even if an answer is cached",
    )
    parser.add_argument("--reranker", metavar="NAME", help="another reranker, or none")
    parser.add_argument(
        "--expand",
        type=int,
        metavar="N",
        help="rewrites by the language model where the grade is low (0 to 3)",
    )
    parser.add_argument(
        "--hyde",
        action="store_true",
        default=None,
        help="let the language model make up a passage, and search near it",
    )
    parser.add_argument(
        "--think",
        action=argparse.BooleanOptionalAction,
        help="have the language model write an answer where the grade is low",
    )
    parser.add_argument(
        "--web",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="ask the web where memory does not answer, if you allow that (web.when)",
    )
    parser.add_argument(
        "--full", action="store_true", help="show whole passages, as they are stored"
    )
    parser.add_argument("--explain", action="store_true", help="show how the answer came about")


def search(options: Options) -> int:
    if options.interactive:
        return _interactive(options)
    if not options.query:
        raise UsageError(
            "the following arguments are required: QUERY",
            hint="`recollect search --help` shows how",
        )
    with open_memory(options) as memory:
        found = memory.search(
            " ".join(options.query),
            **_asked(options),
            by=options.by,
            cache=options.cache,
            think=options.think,
            web=options.web,
        )
        tell_notes(options, memory, found.results, found.degraded)
    show(
        options,
        found.as_json(),
        lambda style: render.answer(found, style, full=options.full, explain=options.explain),
    )
    return exit_code(found.results or found.answer or (found.web and found.web.results))


def _asked(options: Options) -> dict[str, Any]:
    return {
        **limits(options),
        "limit": options.limit,
        "budget": options.budget,
        "mode": options.mode,
        "detail": options.detail or ("passage" if options.full else None),
        "recency": options.recency,
        "sort": options.sort,
        "min_confidence": options.min_confidence,
        "last_n": options.last,
        "roles": options.role,
        "as_of": options.as_of,
        "facts": options.facts,
        "reranker": options.reranker,
        "expand": options.expand,
        "hyde": options.hyde,
        "relax": [_RELAXABLE[name] for name in options.relax],
    }


def _interactive(options: Options) -> int:
    if options.json:
        raise UsageError("search -i is for a person, --json for a program", hint="leave one out")
    search_screen.refuse_without_terminal()
    with open_memory(options) as memory:

        def find(query: str, by: str) -> Answer:
            found: Answer = memory.ask(memory.query(query, **_asked(options), by=by))
            return found

        def opened(id: str) -> str:
            text: str = memory.get(id).rendered()
            return text

        arms = [options.by] if options.by else ["keyword", "hybrid"]
        return search_screen.run(find, opened, " ".join(options.query), arms)
