"""``recollect get``, ``list``, ``forget``, ``status`` and ``rebuild``."""

from __future__ import annotations

import argparse

from recollect.surfaces import render, terminal
from recollect.surfaces.commands.shared import (
    Options,
    declare_limits,
    exit_code,
    limits,
    open_memory,
    open_whole,
    say,
    show,
    tell_notes,
)
from recollect.surfaces.phrases import plural, some
from recollect.surfaces.warm import holders


def declare_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the id of a document or passage, or the id its source gave it")


def get(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.get(options.id)
    show(options, found.as_json(), lambda style: render.document(found, style))
    return 0


def declare_list(parser: argparse.ArgumentParser) -> None:
    declare_limits(parser)
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--cursor", default="", help="go on from an earlier page")


def list_(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.list(limit=options.limit, cursor=options.cursor, **limits(options))
        tell_notes(options, memory, found.items)
    show(options, found.as_json(), lambda style: render.page(found, style))
    return exit_code(found.items)


def declare_forget(parser: argparse.ArgumentParser) -> None:
    declare_get(parser)
    parser.add_argument("--owner", help="whose it is, where several have one of that id")


def forget(options: Options) -> int:
    with open_memory(options) as memory:
        gone = memory.get(options.id, owner=options.owner)
        done = memory.forget(gone.id, owner=options.owner)
    show(options, done.as_json(), lambda style: render.forgotten(gone, done, style))
    return 0


def declare_status(_: argparse.ArgumentParser) -> None:
    pass


def status(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.status()

    def text(style: terminal.Style) -> str:
        return "\n".join([render.status(found, style), *some(holders.told(found.store.location))])

    show(options, found.as_json(), text)
    return 0


declare_rebuild = declare_status


def rebuild(options: Options) -> int:
    with open_whole(options) as memory:
        say(
            options,
            f"making the indexes anew, of {plural(memory.status().store.passages, 'passage')} …",
        )
        memory.admin.rebuild()
        found = memory.status()
    show(
        options,
        found.as_json(),
        lambda _: f"rebuilt the indexes of {plural(found.store.passages, 'passage')}",
    )
    return 0
