"""``recollect web`` and ``recollect add-web``: ask the web, and keep a page of it."""

from __future__ import annotations

import argparse

from recollect.errors import RecollectError
from recollect.surfaces import render
from recollect.surfaces.commands.shared import Options, exit_code, open_memory, say, show
from recollect.surfaces.phrases import listing


def declare_web(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words; nothing else is sent")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help="the most results (5)")
    parser.add_argument("--read", type=int, metavar="N", help="read the pages of the first N")


def web(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.web.search(" ".join(options.query), limit=options.limit, read=options.read)
    show(options, found.as_json(), lambda style: "\n".join(render.web(found, style)))
    return exit_code(found.results)


def declare_add_web(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", nargs="+", metavar="URL", help="the address of a page")
    parser.add_argument("--owner", help="whose it is to be")
    parser.add_argument("--scope", action="append", metavar="NAME", help="a scope to keep it in")


def add_web(options: Options) -> int:
    """Each page by itself: one that cannot be had does not keep the others out."""
    kept, failed = [], []
    with open_memory(options) as memory:
        for url in options.url:
            try:
                kept.append(memory.web.add(url, owner=options.owner, scopes=options.scope))
            except RecollectError as error:
                if len(options.url) == 1:
                    raise
                failed.append({"url": url, "reason": error.message})
                say(options, f"failed {url}: {error.message}")
    content = {"kept": [page.as_json(body=False) for page in kept], "failed": failed}
    said = [f"kept {page.title} ({page.external}) as {page.id}" for page in kept]
    show(options, content, lambda _: listing(said, "nothing was kept"))
    return int(bool(failed))
