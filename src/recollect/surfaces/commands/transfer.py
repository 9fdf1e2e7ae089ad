"""``recollect backup``, ``restore``, ``repair``, ``import``, ``migrate-store``: a store out of
harm's way and back."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect import memory as facade
from recollect.errors import StoreCorrupt, UsageError
from recollect.surfaces.commands.shared import Options, open_memory, open_whole, progress, say, show
from recollect.surfaces.phrases import byte_size, counts, plural, some, when

if TYPE_CHECKING:
    from recollect.ports import CheckReport, LoadReport
    from recollect.surfaces.terminal import Style
    from recollect.transfer.backup import BackupReport, RepairReport, RestoreReport
    from recollect.transfer.migrate import Migration

SHOWN = 10
"""Documents that are named one by one."""


# ------------------------------------------------------------------ backup


def declare_backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="compressed if it ends in .gz (one of this moment, in `backups` of your data folder)",
    )
    parser.add_argument("--force", action="store_true", help="replace the file, if it is there")


def backup(options: Options) -> int:
    with open_whole(options) as memory, progress(options) as bar:
        done: BackupReport = memory.admin.backup(options.file, force=options.force, report=bar)

    def text(style: Style) -> str:
        held = done.manifest
        what = f"{_held(held.documents, held.passages)}, {byte_size(done.bytes)}"
        return (
            f"{style.bold}{done.file}{style.off}\n{what}; read back and compared\n"
            f"{style.dim}to go back: recollect restore {done.file} --to PLACE{style.off}"
        )

    show(options, done.as_json(), text)
    return 0


# ------------------------------------------------------------------ restore


def declare_restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `recollect backup` wrote")
    parser.add_argument("--to", metavar="PLACE", help="the folder of the new store (your own)")
    parser.add_argument(
        "--force", action="store_true", help="if there is a store, move it aside; nothing is lost"
    )


def restore(options: Options) -> int:
    to = options.to or options.store
    with progress(options) as bar:
        done: RestoreReport = facade.restore_store(
            options.file, to, force=options.force, report=bar
        )

    def text(style: Style) -> str:
        held = done.manifest
        lines = [
            f"{style.bold}{done.store}{style.off} is as it was on {held.made}: "
            + _held(held.documents, held.passages),
        ]
        lines += some(when(done.aside, f"the store that was there is now {done.aside}"))
        return "\n".join(lines)

    show(options, done.as_json(), text)
    return 0


# ------------------------------------------------------------------ repair


def declare_repair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force", action="store_true", help="make it anew though nothing is found to be wrong"
    )


def repair(options: Options) -> int:
    if not options.force and (sound := _sound(options)):
        show(
            options,
            {"repaired": False, "rebuilt": sound == "rebuilt"},
            lambda _: (
                "nothing was damaged"
                if sound == "sound"
                else "the record is sound; the indexes were made anew from it"
            ),
        )
        return 0
    with progress(options) as bar:
        done: RepairReport = facade.repair_store(options.store, report=bar)
    show(options, {"repaired": True, **done.as_json()}, lambda style: _repaired(done, style))
    return 0


def _sound(options: Options) -> str:
    """Whether the record needs no repair: ``sound``, or ``rebuilt`` where an index did."""
    try:
        with open_whole(options) as memory:
            say(options, "looking it over …")
            seen: CheckReport = memory.admin.check(full=True)
            parts = {finding.part for finding in seen.findings} - {"lock"}
            for finding in seen.findings:
                say(options, f"  {finding.part}: {finding.text}")
            if "record" in parts:
                return ""
            if parts:
                memory.admin.rebuild()
                return "rebuilt"
            return "sound"
    except StoreCorrupt as error:
        say(options, f"  {error.message}")
        return ""


def _repaired(done: RepairReport, style: Style) -> str:
    lines = [
        f"{style.bold}{done.store}{style.off}: {_held(done.documents, done.passages)}",
        f"the damaged one is now {done.aside}",
    ]
    again, backup = "`recollect add` of their source brings them back", "or a backup, has them"
    lost = some(
        _documents(done.incomplete, f"incomplete; {again}", style),
        _documents(done.lost, f"lost; `recollect add` of their source, {backup}", style),
        when(
            done.unnamed,
            f"{style.warn}of {plural(done.unnamed, 'document')} only the text is left{style.off}: "
            "recollect list --source salvaged --owner salvaged",
        ),
        when(done.unreadable, f"could not be read whole: {', '.join(done.unreadable)}"),
    )
    return "\n".join([*lines, *(lost or ["nothing is lost"])])


def _held(documents: int, passages: int) -> str:
    return f"{plural(documents, 'document')}, {plural(passages, 'passage')}"


def _documents(ids: Sequence[str], what: str, style: Style) -> str:
    more = when(len(ids) > SHOWN, f", … {len(ids) - SHOWN:,} more")
    head = f"{style.warn}{plural(len(ids), 'document')} {what}{style.off}"
    return when(ids, f"{head}\n    {', '.join(ids[:SHOWN])}{more}")


# ------------------------------------------------------------------ export --all, import


def export_all(options: Options) -> int:
    if options.owner or options.scope or options.prune:
        raise UsageError(
            "--all is everything of everybody", hint="leave --owner, --scope and --prune out"
        )
    with open_memory(options) as memory, progress(options) as bar:
        done = memory.admin.export_all(
            options.all, vectors=not options.no_vectors, force=options.force, report=bar
        )
    told = f"{counts(done.counts) or 'nothing'}; {byte_size(done.bytes)}"
    show(options, done.as_json(), lambda style: f"{style.bold}{done.file}{style.off}: {told}")
    return 0


def declare_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `recollect export --all` wrote")
    parser.add_argument(
        "--replace", action="store_true", help="the file decides where the two differ"
    )


def import_(options: Options) -> int:
    with open_whole(options) as memory, progress(options) as bar:
        done: LoadReport = memory.admin.import_all(
            options.file, replace=options.replace, report=bar
        )
    if done.different and not options.quiet:
        sys.stderr.write(
            f"{done.different:,} differ from what is here, and were left out; "
            "--replace takes those of the file\n"
        )
    show(options, done.as_json(), lambda style: _imported(done, style))
    return 0


def _imported(done: LoadReport, style: Style) -> str:
    said = {
        "added": done.documents,
        "there already": done.unchanged,
        "different": done.different,
        "forgotten here": done.forgotten,
    }
    documents = counts(said)
    also = {
        "sources": done.sources,
        "tombstones": done.tombstones,
        "events": done.events,
        "answers": done.answers,
        "vectors": done.vectors,
    }
    more = counts(also)
    return f"{style.bold}documents: {documents or 'none'}{style.off}" + when(more, f"; {more}")


# ------------------------------------------------------------------ migrate-store


def declare_migrate_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FROM", help="the folder or URL of the store")
    parser.add_argument("to", metavar="TO", help="of an empty one, or of a copy that was cut off")
    parser.add_argument(
        "--merge", action="store_true", help="TO may hold other things, which stay as they are"
    )


def migrate_store(options: Options) -> int:
    if options.store:
        raise UsageError("migrate-store has FROM and TO, and no --store", hint="leave it out")
    with progress(options) as bar:
        done: Migration = facade.migrate_store(
            options.source, options.to, merge=options.merge, report=bar
        )
    show(options, done.as_json(), lambda style: _migrated(done, options.to, style))
    return 0


def _migrated(done: Migration, to: str, style: Style) -> str:
    password = ":" in to.partition("://")[2].rpartition("@")[0]
    command = f"recollect config set store {shlex.quote(to)}"
    lines = some(
        f"{style.bold}{done.to}{style.off}" + (" (went on where it was)" * done.resumed),
        when(done.loaded.different or done.loaded.forgotten, _imported(done.loaded, style)),
        f"the same in both: {counts(done.counts) or 'nothing'}",
        when(not password, f"{style.dim}to use it: {command}{style.off}"),
    )
    return "\n".join(lines)
