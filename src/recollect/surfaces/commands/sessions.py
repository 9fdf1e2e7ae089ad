"""``recollect sessions``: past conversations, found, paged through, read and listed."""

from __future__ import annotations

import argparse

from recollect import memory as facade
from recollect.surfaces import session_text, terminal
from recollect.surfaces.commands.shared import Options, exit_code, open_memory, show, tell_notes


def declare_sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="what they are about; without it, the recent ones",
    )
    parser.add_argument("--session", metavar="ID", help="read this one")
    parser.add_argument(
        "--around",
        action="append",
        metavar="MESSAGE",
        help="with --session: the messages around this one (repeatable)",
    )
    parser.add_argument("--window", type=int, metavar="N", help="messages on either side (5)")
    parser.add_argument("--limit", type=int, metavar="N", help="how many conversations (3)")
    parser.add_argument("--sort", help="relevance, newest or oldest; else as the question says")
    parser.add_argument("--after", metavar="WHEN", help="begun then or later (2026-03-01, 7d, 24h)")
    parser.add_argument("--before", metavar="WHEN", help="begun before then")
    parser.add_argument(
        "--exclude", action="append", metavar="ID", help="leave this session out (repeatable)"
    )
    parser.add_argument(
        "--role",
        action="append",
        metavar="ROLE",
        help="whose words (user, assistant); also tool, context, summary, system, all",
    )
    parser.add_argument("--detail", help="adaptive, or full: a window around every hit")
    parser.add_argument(
        "--live", metavar="ID", help="your own session: hide what you have in your context"
    )
    parser.add_argument("--owner", help="only what this owner has")
    parser.add_argument("--scope", action="append", metavar="NAME", help="only this scope")
    parser.add_argument("--source", action="append", metavar="NAME", help="only this source")


def sessions(options: Options) -> int:
    with open_memory(options) as memory:
        found: facade.SessionsAnswer = memory.sessions(
            " ".join(options.query) if options.query else None,
            session=options.session,
            around=options.around,
            window=options.window,
            limit=options.limit,
            sort=options.sort,
            after=options.after,
            before=options.before,
            exclude_sessions=options.exclude,
            roles=options.role,
            detail=options.detail,
            live_session=options.live,
            owner=options.owner,
            scopes=options.scope,
            sources=options.source,
        )
        something = session_text.has_something(found)
        notes = found.notes if something else ()  # else they are the answer
        tell_notes(options, memory, something, (*notes, *getattr(found, "degraded", ())))

    def text(style: terminal.Style) -> str:
        return session_text.told(found, style)

    show(options, found.as_json(), text)
    return exit_code(something)
