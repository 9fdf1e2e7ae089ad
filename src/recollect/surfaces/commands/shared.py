"""The options that all commands share, and how they show their results."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, overload

from recollect import asker, nouns
from recollect import memory as facade
from recollect.errors import UsageError
from recollect.surfaces import terminal, warm
from recollect.surfaces.commands import upgrade
from recollect.surfaces.commands.parser import Parser

Options = argparse.Namespace


def common_options() -> Parser:
    """Options that every command takes. They have no defaults here, so that they may stand
    before the command as well as after it."""
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--store", metavar="PATH|URL", help="where things are kept")
    common.add_argument("--json", action="store_true", help="one JSON object on stdout")
    common.add_argument("--quiet", action="store_true", help="no notes on stderr")
    return common


def declare_limits(parser: argparse.ArgumentParser) -> None:
    """The limits on what may be seen, the same for every command that looks."""
    parser.add_argument("--owner", help="only what this owner has")
    parser.add_argument("--scope", action="append", metavar="NAME", help="only this scope")
    parser.add_argument("--source", action="append", metavar="NAME", help="only this source")
    parser.add_argument("--kind", action="append", help="only this kind (note, session, …)")
    parser.add_argument("--issue", action="append", help="only records of this issue")
    parser.add_argument("--event", action="append", help="only records of this event")
    parser.add_argument("--path", action="append", help="only below this path; * and ** match")
    parser.add_argument("--since", metavar="WHEN", help="from then on (2026-03-01, 7d, 24h)")
    parser.add_argument("--until", metavar="WHEN", help="before then")


def limits(options: Options) -> dict[str, Any]:
    return {
        "owner": options.owner,
        "scopes": options.scope,
        "sources": options.source,
        "kinds": options.kind,
        "paths": options.path,
        "issues": options.issue,
        "events": options.event,
        "since": options.since,
        "until": options.until,
    }


@overload
def absolute_store(store: str) -> str: ...
@overload
def absolute_store(store: None) -> None: ...
def absolute_store(store: str | None) -> str | None:
    """Returns the address of a store as it is written down: a path must not depend on the folder
    in which something is started later."""
    if store is None or "://" in store:
        return store
    return os.path.abspath(os.path.expanduser(store))


def say(options: Options, line: str) -> None:
    if not getattr(options, "quiet", False):
        asker.error().write(line + "\n")


EMPTY = "the store is empty: `recollect init` or `recollect add PATH` fills it"


def tell_notes(
    options: Options, memory: facade.Memory, found: object, reasons: Iterable[str] = ()
) -> None:
    """Says what an answer lacks; of an empty store nothing but how to fill it."""
    lines = [f"note: {reason}" for reason in reasons]
    if not options.json and (lines or not found):
        for line in lines if memory.status().store.documents else [EMPTY]:
            say(options, line)


def print_json(content: dict[str, Any]) -> None:
    """Prints JSON; letters that the stream cannot encode are escaped."""
    whole = {"schema_version": nouns.SCHEMA_VERSION, **content}
    out = asker.out()
    anything = "utf" in (getattr(out, "encoding", None) or "utf-8").lower()
    out.write(terminal.json_text(whole, ascii=not anything) + "\n")


def show(options: Options, content: dict[str, Any], text: Callable[[terminal.Style], str]) -> None:
    """The same thing as JSON for a program or as text for a person."""
    if options.json:
        print_json(content)
    else:
        out = asker.out()
        out.write(text(terminal.style_of(out)) + "\n")


def exit_code(found: object) -> int:
    """Returns 0 where something was found, else 3."""
    return 0 if found else 3


@contextmanager
def server_packages() -> Iterator[None]:
    """Tells how to install what the first use of a server's module finds missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        said = f"HTTP needs a package that is not installed ({error.name})"
        raise UsageError(said, hint="pip install 'recollect[server]'") from error


def progress(options: Options) -> terminal.ProgressBar:
    """How far it is, for a person who waits."""

    return terminal.ProgressBar(quiet=options.quiet or options.json)


def declare_view(parser: argparse.ArgumentParser) -> None:
    """The walls of what is served: whoever asks can narrow them, and never look over them."""
    parser.add_argument("--owner", help="serve what this owner has, and nothing else")
    parser.add_argument(
        "--scope", action="append", metavar="NAME", help="serve this scope; may be repeated"
    )


def open_memory(options: Options) -> Any:
    upgrade.tell_once(options)
    return warm.opened(options.store)


def open_whole(options: Options) -> Any:
    """The store without the walls of the settings, for whoever runs it."""
    upgrade.tell_once(options)
    return facade.open_whole(options.store)


@contextmanager
def open_view(options: Options) -> Iterator[facade.Memory]:
    """The store as the walls of the settings and of the options let it be seen."""
    with open_memory(options) as memory:
        whole = options.owner is options.scope is None
        yield memory if whole else memory.view(options.owner, options.scope)
