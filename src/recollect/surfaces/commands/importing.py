"""``recollect add``, ``watch``, ``record`` and ``export``: what goes into the store, and out."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from recollect import memory as facade
from recollect import nouns
from recollect.errors import InputError, NotFound, UsageError
from recollect.surfaces import render, terminal
from recollect.surfaces.commands import transfer
from recollect.surfaces.commands.shared import Options, open_memory, progress, say, show
from recollect.surfaces.phrases import counts, plural
from recollect.surfaces.warm import holder
from recollect.transfer import tree_export


def declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, folder, repository or export; or `sessions`: the agents' sessions here",
    )
    parser.add_argument("--source", metavar="NAME", help="name the source; else the path does")
    parser.add_argument("--owner", help="whose it is, where a line does not say")
    parser.add_argument(
        "--scope", action="append", metavar="NAME", help="a scope it belongs to (repeatable)"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell what would be done")
    parser.add_argument(
        "--prune", action="store_true", help="remove what is no longer in its source"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--no-redact",
        action="store_false",
        dest="redact",
        default=None,
        help="keep secrets as they are",
    )
    parser.add_argument(
        "--no-history", action="store_true", help="leave a repository's commits out"
    )
    parser.add_argument("--no-embed", action="store_true", help="leave the vectors for later")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads that compute vectors (chosen by default)"
    )
    parser.add_argument(
        "--progress", action="store_true", help="report progress as lines of JSON on stderr"
    )


def add(options: Options) -> int:
    with open_memory(options) as memory:
        if options.paths == ["sessions"] and not os.path.lexists("sessions"):
            done = _add_sessions(memory, options)
        else:
            _ask_before_pruning(memory, options, *options.paths, source=options.source)
            done = _add(memory, options, *options.paths, source=options.source)
    _report(options, done)
    return int(bool(done.failed))


def _add(memory: facade.Memory, options: Options, *paths: Any, source: str | None) -> nouns.Receipt:
    lines = getattr(options, "progress", False)
    with terminal.ProgressLines() if lines else progress(options) as bar:
        return memory.add(
            *paths,
            source=source,
            owner=options.owner,
            scopes=options.scope,
            redact=options.redact,
            history=not options.no_history,
            prune=options.prune,
            dry_run=options.dry_run,
            embed=not options.no_embed,
            threads=options.threads,
            report=bar if lines else _telling(options, bar),
        )


_A_WHILE = 100
"""Passages from which on making their vectors takes ten seconds or more."""


def _telling(options: Options, bar: nouns.Report) -> nouns.Report:
    """The bar, and a line when vectors begin to be made for so many passages that it takes a
    while: all of them can be searched by now. It is said once, also where others write meanwhile
    and the vectors are begun anew."""
    told = False

    def report(progress: nouns.Progress) -> None:
        nonlocal told
        if not told and progress.doing == "embedding" and progress.total >= _A_WHILE:
            told = True
            say(options, searchable(progress.total))
        bar(progress)

    return report


def searchable(passages: int) -> str:
    """Says what can be done before vectors are there."""
    return (
        f"{plural(passages, 'passage')} can be searched by words now. "
        "Next come the vectors, for search by meaning; Ctrl-C leaves them to the next import."
    )


def _report(options: Options, done: nouns.Receipt) -> None:
    if done.failed or not options.quiet:
        for line in render.problems(done, terminal.style_of(sys.stderr)):
            sys.stderr.write(line + "\n")
    content = {**done.as_json(), "dry_run": options.dry_run}
    show(options, content, lambda style: render.receipt(done, style, dry=options.dry_run))


def _add_sessions(memory: facade.Memory, options: Options) -> nouns.Receipt:
    """Whatever sessions there are on this machine, after showing which."""

    logs = list(facade.found_logs())
    if not logs:
        raise InputError(
            "no sessions of a known client were found on this machine",
            hint="give their folder: `recollect add PATH`",
        )
    for one in logs:
        say(options, _line(one))
    if not options.dry_run:
        agree(options, "import these?")
    done = nouns.Receipt()
    for one in logs:
        source = options.source or one.format
        _ask_before_pruning(memory, options, one.place, source=source)
        done += _add(memory, options, one.place, source=source)
    return done


def _line(logs: facade.Logs) -> str:
    files = f"{logs.files:,} file{'s' * (logs.files != 1)}, {logs.megabytes:,.1f} MB"
    return f"  {logs.label:16} {files:22} {logs.place}"


def _ask_before_pruning(
    memory: facade.Memory, options: Options, *paths: Any, source: str | None
) -> None:
    if options.dry_run or not options.prune:
        return
    first = argparse.Namespace(**{**vars(options), "dry_run": True})
    gone = _add(memory, first, *paths, source=source).missing
    if gone:
        for problem in gone[:20]:
            say(options, f"  {problem.where}")
        if len(gone) > 20:
            say(options, f"  … and {len(gone) - 20:,} more")
        agree(options, f"remove {len(gone):,} from the store?")


def agree(options: Options, question: str) -> None:
    """Raises unless the user says yes, here or with ``--yes``."""
    if options.yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{question} nobody is there to answer", hint="say it with --yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise KeyboardInterrupt


# ------------------------------------------------------------------ export


def declare_export(parser: argparse.ArgumentParser) -> None:
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--tree", metavar="DIR", help="pages of Markdown, to read and to edit")
    forms.add_argument(
        "--all",
        metavar="FILE",
        help="everything as JSONL (packed, if it ends in .gz); `recollect import` brings it back",
    )
    parser.add_argument("--no-vectors", action="store_true", help="--all without the vectors")
    parser.add_argument("--owner", help="whose pages and facts")
    parser.add_argument("--scope", action="append", metavar="NAME", help="only this scope")
    parser.add_argument("--prune", action="store_true", help="remove files whose page is no more")
    parser.add_argument(
        "--force", action="store_true", help="overwrite what was edited since, or the file"
    )


def export(options: Options) -> int:
    if options.all is not None:
        return transfer.export_all(options)
    with open_memory(options) as memory:
        done = memory.admin.export_tree(
            options.tree,
            owner=options.owner,
            scopes=options.scope,
            prune=options.prune,
            force=options.force,
        )
    for problem in done.refused:
        sys.stderr.write(f"left {problem.where}: {problem.reason}\n")
    for problem in done.stale:
        say(options, f"stale {problem.where}: {problem.reason}")
    show(options, done.as_json(), lambda style: _exported(done, style))
    return int(bool(done.refused))


def _exported(done: tree_export.TreeExport, style: terminal.Style) -> str:
    made = {
        "written": done.written,
        "unchanged": done.unchanged,
        "removed": done.removed,
        "left as they are": len(done.refused),
        "stale": len(done.stale),
    }
    what = f"{plural(done.pages, 'page')} with {plural(done.facts, 'fact')}"
    return f"{style.bold}{what}{style.off} in {done.folder}: {counts(made) or 'no files'}"


# ------------------------------------------------------------------ watch


def declare_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="*", metavar="SOURCE", help="only these sources (all that are on disk)"
    )


def watch(options: Options) -> int:
    def tell(source: str, done: nouns.Receipt) -> None:
        if options.json:
            sys.stdout.write(json.dumps({"source": source, **done.as_json()}) + "\n")
            sys.stdout.flush()
        else:
            say(options, f"{source}: {render.receipt(done, terminal.Style(False))}")

    with open_memory(options) as memory:
        holder.hold(lambda: memory, options.store)
        names = memory.watch(
            *options.sources,
            tell=tell,
            begun=lambda some: say(options, f"watching {', '.join(some)}; stop with Ctrl-C"),
        )
    if not names:
        raise NotFound("there is nothing to watch yet", hint="`recollect add PATH` comes first")
    return 0


# ------------------------------------------------------------------ record


def declare_record(parser: argparse.ArgumentParser) -> None:
    kinds = ("discussion", "decision", "audit", "file")
    parser.add_argument("kind", choices=kinds, help="what it is")
    parser.add_argument("body", nargs="*", help="what is to be kept; `-` reads it from stdin")
    for name, text in (
        ("title", "one line that names it"),
        ("author", "who said or did it"),
        ("issue", "the issue it belongs to (#12, PAY-7)"),
        ("branch", "the branch it was on"),
        ("event", "what happened (merged, decided, deployed, …)"),
        ("path", "the file it is about"),
        ("date", "when (2026-03-01, 24h); now if not given"),
        ("content", "more of it, as JSON"),
        ("id", "its own id; the same id again replaces it"),
        ("owner", "whose it is"),
    ):
        parser.add_argument(f"--{name}", default="", help=text)
    parser.add_argument("--scope", action="append", metavar="NAME", help="a scope it belongs to")


def record(options: Options) -> int:
    body = sys.stdin.read() if options.body == ["-"] else " ".join(options.body)
    with open_memory(options) as memory:
        kept = memory.record(
            options.kind,
            body,
            title=options.title,
            author=options.author,
            issue=options.issue,
            branch=options.branch,
            event=options.event,
            path=options.path,
            date=options.date or None,
            content=options.content or None,
            id=options.id,
            owner=options.owner or None,
            scopes=options.scope,
        )

    def text(_: terminal.Style) -> str:
        return f"kept as {kept.id}"

    show(options, kept.as_json(body=False), text)
    return 0
