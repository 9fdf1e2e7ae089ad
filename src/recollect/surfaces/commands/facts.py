"""``recollect remember``, ``context``, ``facts`` and what else is done with what is known."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.nouns import attributes, filled, json_list
from recollect.surfaces import terminal
from recollect.surfaces.commands.shared import Options, exit_code, open_memory, show, tell_notes
from recollect.surfaces.phrases import listing, minute, some, when

if TYPE_CHECKING:
    from recollect.facts import Context, Fact, FactPage, Remembered
    from recollect.nouns import Event, Result
    from recollect.surfaces.terminal import Style

TYPES = (
    "preference", "decision", "fact", "expertise", "entity", "relation", "open_question", "task",
)  # fmt: skip
_ONE_OF = f"{', '.join(TYPES[:-1])} or {TYPES[-1]}"


# ------------------------------------------------------------------ remember


def declare_remember(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="the statement; `-` reads it from stdin")
    parser.add_argument("--name", default="", help="what it is called")
    parser.add_argument("--alias", action="append", default=[], help="another name (repeatable)")
    parser.add_argument("--type", choices=TYPES, metavar="TYPE", help=f"{_ONE_OF} (fact)")
    parser.add_argument("--scope", action="append", metavar="NAME", help="a scope it belongs to")
    parser.add_argument("--owner", help="whose it is")
    parser.add_argument("--pin", action="store_true", help="have it in every context")
    parser.add_argument("--why", default="", help="why it matters")
    parser.add_argument("--valid-from", metavar="WHEN", help="from when it holds")
    parser.add_argument("--valid-to", metavar="WHEN", help="until when it holds")
    parser.add_argument(
        "--supersedes", action="append", default=[], metavar="FACT", help="what it replaces"
    )
    parser.add_argument(
        "--replace", action="store_true", help="replace the facts that it contradicts"
    )
    parser.add_argument(
        "--participant",
        action="append",
        default=[],
        metavar="[ROLE=]FACT",
        help="who takes part in a relation (repeatable)",
    )
    parser.add_argument(
        "--id", default="", help="its own id; the same id again changes what is given"
    )
    parser.add_argument("--by", default="", help="who says so")
    parser.add_argument("--source", default="", help="where it was read")
    parser.add_argument("--no-embed", action="store_true", help="leave the vector for later")


def remember(options: Options) -> int:
    text = sys.stdin.read() if options.text == ["-"] else " ".join(options.text)
    with open_memory(options) as memory:
        done = memory.remember(text, embed=not options.no_embed, **_given(options))
    show(options, done.as_json(), lambda style: _remembered(done, style))
    return 0


def _given(options: Options) -> dict[str, Any]:
    """What is said of the fact: what is not, stays as it is where a fact is changed."""
    same = ("name", "type", "why", "owner", "valid_from", "valid_to", "supersedes", "replace")
    return filled(
        {
            **attributes(options, (*same, "id", "by", "source")),
            "aliases": options.alias,
            "scopes": options.scope,
            "pinned": options.pin,
            "participants": list(map(_participant, options.participant)),
        }
    )


def _participant(given: str) -> dict[str, str]:
    role, found, id = given.partition("=")
    return {"id": id, "role": role} if found else {"id": given}


def _remembered(done: Remembered, style: Style) -> str:
    replaced = done.action == "added" and done.fact.supersedes
    did = "replaced" if replaced else done.action
    lines = [f"{style.bold}{did}{style.off}  {_line(done.fact, style)}"]
    was = {one.id: f": {one.text}" for one in done.replaced}
    lines += [
        f"    {style.dim}instead of {id}{was.get(id, '')}{style.off}" for id in done.fact.supersedes
    ]
    lines += some(when(done.note, f"    {style.dim}{done.note}{style.off}"))
    if done.nearest:
        lines.append(f"    nearest: {_line(done.nearest, style)}")
        lines.append(f"    `recollect supersede {done.nearest.id} {done.fact.id}` replaces it")
    for one in done.conflicts:
        lines.append(f"    {style.warn}says otherwise:{style.off} {_line(one.fact, style)}")
        lines.append(f"    {style.dim}{one.why}{style.off}")
        lines.append(f"    `recollect supersede {one.fact.id} {done.fact.id}` replaces it")
    return "\n".join(lines)


# ------------------------------------------------------------------ alias, pin, supersede, resolve


def _declare_fact(parser: argparse.ArgumentParser, name: str = "fact") -> None:
    parser.add_argument(name, help="its id, or a name that is its alone")
    parser.add_argument("--owner", help="whose it is")
    parser.add_argument("--by", default="", help="who says so")


def declare_alias(parser: argparse.ArgumentParser) -> None:
    _declare_fact(parser)
    parser.add_argument("aliases", nargs="+", metavar="ALIAS", help="another name of it")


def alias(options: Options) -> int:
    with open_memory(options) as memory:
        fact = memory.curation.alias(
            options.fact, *options.aliases, owner=options.owner, by=options.by
        )
    return _changed(options, fact)


def declare_pin(parser: argparse.ArgumentParser) -> None:
    _declare_fact(parser)
    parser.add_argument("--off", action="store_true", help="unpin it")


def pin(options: Options) -> int:
    with open_memory(options) as memory:
        on = not options.off
        fact = memory.curation.pin(options.fact, pinned=on, owner=options.owner, by=options.by)
    return _changed(options, fact)


def declare_supersede(parser: argparse.ArgumentParser) -> None:
    _declare_fact(parser, "old")
    parser.add_argument("new", help="the fact that replaces it")
    parser.add_argument("--why", default="", help="why")


def supersede(options: Options) -> int:
    with open_memory(options) as memory:
        fact = memory.curation.supersede(
            options.old, options.new, owner=options.owner, by=options.by, why=options.why
        )
    return _changed(options, fact)


def declare_resolve(parser: argparse.ArgumentParser) -> None:
    _declare_fact(parser)
    parser.add_argument("--why", default="", help="how it was resolved")


def resolve(options: Options) -> int:
    with open_memory(options) as memory:
        fact = memory.curation.resolve(
            options.fact, owner=options.owner, by=options.by, why=options.why
        )
    return _changed(options, fact)


def _changed(options: Options, fact: Fact) -> int:
    show(options, {"fact": fact.as_json()}, lambda style: _line(fact, style))
    return 0


# ------------------------------------------------------------------ facts, context, history


def _declare_seen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--owner", help="whose facts")
    parser.add_argument("--scope", action="append", metavar="NAME", help="only this scope")
    parser.add_argument(
        "--type", action="append", choices=TYPES, metavar="TYPE", help=f"only {_ONE_OF}"
    )
    parser.add_argument("--as-of", metavar="WHEN", help="what held then (2026-03-01, 7d)")


def _seen(options: Options) -> dict[str, Any]:
    return {
        "owner": options.owner,
        "scopes": options.scope,
        "types": options.type,
        "as_of": options.as_of,
    }


def declare_facts(parser: argparse.ArgumentParser) -> None:
    _declare_seen(parser)
    parser.add_argument("--all", action="store_true", help="also what no longer holds")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--cursor", default="", help="go on from an earlier page")


def facts(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.facts(
            limit=options.limit, cursor=options.cursor, every=options.all, **_seen(options)
        )
        tell_notes(options, memory, found.items)
    show(options, found.as_json(), lambda style: _page(found, style))
    return exit_code(found.items)


def _page(found: FactPage, style: Style) -> str:
    lines = [_line(fact, style) for fact in found.items]
    lines += some(when(found.cursor, f"{style.dim}more: --cursor {found.cursor}{style.off}"))
    return listing(lines, "no facts; `recollect remember TEXT` keeps one")


def declare_context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", help="what is to be answered; may be left out")
    _declare_seen(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="the most relevant facts")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens of these")


def context(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.context(
            " ".join(options.query),
            limit=options.limit,
            token_budget=options.budget,
            **_seen(options),
        )
        known = (*found.pinned, *found.questions, *found.relevant)
        tell_notes(options, memory, known, (*found.degraded, *found.hints))
    show(options, found.as_json(), lambda style: _context(found, style))
    return 0


def _context(found: Context, style: Style) -> str:
    lines: list[str] = []
    if found.prelude:
        lines += [f"{style.bold}who you are{style.off}", *_wrapped(found.prelude), ""]
    groups = (
        ("pinned", found.pinned_beside),
        ("relevant", found.relevant),
        ("open questions", found.questions),
    )
    for name, results in groups:
        if results:
            lines.append(f"{style.bold}{name}{style.off}")
            lines += [_short(result, style) for result in results]
            lines.append("")
    if found.lately:
        told = ("\n".join(_wrapped(line)) for line in found.lately)
        lines += [f"{style.bold}lately{style.off}", *told, ""]
    hidden = ", ".join(f"{count} {name}" for name, count in found.hidden.items())
    lines += some(
        when(not lines, "nothing is known that belongs here"),
        when(found.overflow, f"{len(found.overflow)} pinned facts are over the budget"),
        when(found.dropped, f"{found.dropped} relevant facts are over the limit or the budget"),
        when(hidden, f"{style.dim}hidden: {hidden}{style.off}"),
    )
    return "\n".join(lines).rstrip()


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, terminal.width() - 4, initial_indent="    ", subsequent_indent="    "
    )


def _short(result: Result, style: Style) -> str:
    body = "\n".join(_wrapped(f"{result.title}: {result.text}"))
    return f"{body}  {style.dim}{result.document}{style.off}"


def declare_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the id of a document or fact")
    parser.add_argument("--owner", help="whose it is")


def history(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.history(options.id, owner=options.owner)
    show(options, {"events": json_list(found)}, lambda style: _events(found, style))
    return exit_code(found)


def _events(found: Sequence[Event], style: Style) -> str:
    lines = []
    for event in found:
        said = " ".join(filter(None, (event.by and f"by {event.by}", event.why)))
        moment = f"{style.dim}{minute(event.at)}{style.off}"
        lines.append(f"{moment}  {event.id}  {event.action}  {said}".rstrip())
        if event.text and event.action == "added":
            lines += _wrapped(event.text)
    return listing(lines, "nothing happened to it")


def _line(fact: Fact, style: Style) -> str:
    """One fact on one line, if it fits there; else what is known about it stands below."""

    marks = some(
        fact.type,
        *fact.scopes,
        when(fact.pinned, "pinned"),
        when(fact.standing != "active", fact.standing),
        when(fact.superseded_by, f"superseded by {', '.join(fact.superseded_by)}"),
        when(fact.resolved_at, "resolved"),
        when(fact.valid_from, f"from {minute(fact.valid_from)[:10]}"),
        when(fact.valid_to, f"until {minute(fact.valid_to)[:10]}"),
    )
    name = when(fact.name, f"{style.bold}{fact.name}{style.off}: ")
    said, about = " ".join(fact.text.split()), " · ".join([fact.id, *marks])
    fits = len(fact.name) + len(said) + len(about) + 12 <= terminal.width()
    return f"{name}{said}{'  ' if fits else chr(10) + '    '}{style.dim}{about}{style.off}"
