"""``recollect install``: the tools, hooks and skill into an agent's configuration, or out of it."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from recollect.errors import UsageError
from recollect.surfaces import terminal
from recollect.surfaces.commands.shared import Options, absolute_store, say, show
from recollect.surfaces.install import changes, clients
from recollect.surfaces.install import launch as program
from recollect.surfaces.phrases import some, when
from recollect.text import nearest as words


def declare_install(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "client", nargs="?", metavar="CLIENT", help="which agent; without it, what there is"
    )
    parser.add_argument(
        "--for",
        dest="scope",
        choices=("user", "project"),
        default="user",
        help="everywhere (user), or in the folder you are in (project)",
    )
    parser.add_argument("--hooks", action="store_true", help="also what runs by itself")
    parser.add_argument("--dry-run", action="store_true", help="show the difference it would make")
    parser.add_argument("--uninstall", action="store_true", help="take out what was put in")


def install(options: Options) -> int:
    launch = program.this_program(absolute_store(options.store))
    if options.client is None:
        if options.uninstall or options.hooks:
            raise UsageError("which client is meant?", hint="`recollect install` lists them")
        return _list(options, launch)
    return _change(options, _named(options.client), launch)


def _named(name: str) -> clients.McpClient:
    if name not in clients.BY_NAME:
        near = words.nearest(name, clients.BY_NAME, 0.5)
        hint = f"did you mean {near}?" if near else f"one of {', '.join(clients.BY_NAME)}"
        raise UsageError(f"there is no client {name!r}", hint=hint)
    return clients.BY_NAME[name]


def _change(options: Options, client: clients.McpClient, launch: program.Launch) -> int:
    if client.file(options.scope) is None:
        raise UsageError(
            f"{client.label} has no configuration of a project", hint="leave --for project out"
        )
    pending = changes.FileEdits()
    if options.uninstall:
        made = list(changes.uninstall(client, options.scope, pending))
    else:
        made = list(changes.install(client, options.scope, launch, pending, hooks=options.hooks))
    diff, notes = pending.diff(), list(_notes(options, client, made))
    if not options.dry_run:
        entry = None if options.uninstall else client.entry(launch.words("mcp"))
        for n, change in enumerate(made):
            if change.commands and (why := changes.run_own(change, client, pending, entry)):
                notes.append(f"{client.own and client.own.program} could not do it: {why}")
                made[n] = change._replace(commands=())
        pending.done(backups=not options.uninstall)
    for note in notes:
        say(options, f"note: {note}")
    content: dict[str, Any] = {
        "client": client.name,
        "for": options.scope,
        "dry_run": options.dry_run,
        "changes": list(map(_json, made)),
        "diff": diff if options.dry_run else None,
        "backups": list(map(str, pending.backups)),
        "verify": client.listing,
        "notes": notes,
    }
    show(options, content, lambda style: _told(options, client, made, diff, style))
    return 0


def _notes(options: Options, client: clients.McpClient, made: list[changes.Change]) -> list[str]:
    installed = any(change.changes for change in made) and not options.uninstall
    shared = installed and options.scope == "project"
    no_hooks = f"{client.label} has no hooks that we know how to use"
    return some(
        when(options.hooks and client.hooks is None, no_hooks),
        when(installed, client.note),
        when(shared, client.project_note),
        when(shared, _NAMED_BY_PATH),
        *(when(change.note, f"{change.file}: {change.note}") for change in made),
    )


_NAMED_BY_PATH = "the command is named by its path on this machine; others have another"


def _json(change: changes.Change) -> dict[str, Any]:
    commands = list(map(list, change.commands))
    return {**change._asdict(), "file": str(change.file), "commands": commands}


def _told(
    options: Options,
    client: clients.McpClient,
    made: list[changes.Change],
    diff: str,
    style: terminal.Style,
) -> str:
    would = when(options.dry_run, "would be ")
    lines = []
    for change in made:
        said = {"unchanged": "there already", "absent": "not there", "kept": "left as it is"}
        action = would + change.action if change.changes else said[change.action]
        lines.append(f"{change.what:7} {style.bold}{action}{style.off}  {change.file}")
        lines += [f"        {style.dim}by {shlex.join(one)}{style.off}" for one in change.commands]
    changed = any(change.changes for change in made)
    seen = f"see it with: {client.listing}" if changed else "nothing was changed"
    return "\n".join([*lines, *some(diff.rstrip("\n") if options.dry_run else seen)])


# ------------------------------------------------------------------ what there is


def _list(options: Options, launch: program.Launch) -> int:
    found = [_about(client, launch) for client in clients.CLIENTS]

    def text(style: terminal.Style) -> str:
        lines = [f"the command to be installed: {launch.line('mcp')}", ""]
        for one in found:
            here = "here" if one["found"] else "–"
            states = ", ".join(_state_line(scope, one[scope]) for scope in ("user", "project"))
            lines.append(f"{style.bold}{one['client']:15}{style.off} {here:5} {states}")
        return "\n".join([*lines, "", "install with: recollect install CLIENT [--hooks]"])

    show(options, {"command": launch.words("mcp"), "clients": found}, text)
    return 0


def _about(client: clients.McpClient, launch: program.Launch) -> dict[str, Any]:
    about: dict[str, Any] = {"client": client.name, "label": client.label}
    about["found"] = client.is_here()
    for scope in clients.SCOPES:
        file = client.file(scope)
        about[scope] = file and {
            "file": str(file),
            "state": changes.state(client, scope, launch),
            "hooks": changes.hooked(client, scope),
        }
    return about


def _state_line(scope: str, about: dict[str, Any] | None) -> str:
    if about is None:
        return f"{scope}: none"
    said = {"other": "installed from elsewhere", "absent": "no", "installed": "installed"}
    hooks = when(about["hooks"], " with hooks")
    return f"{scope}: {said.get(about['state'], about['state'])}{hooks}"
