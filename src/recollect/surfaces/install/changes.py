"""Installing and uninstalling: decided first, on copies of the files, then written.

:class:`FileEdits` holds the copies. :func:`install` and :func:`uninstall` edit them and yield what
they did; nothing is written before :meth:`FileEdits.done`, so that a diff shows the same decisions.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import unified_diff
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from recollect.errors import InputError, RecollectError
from recollect.named_tuple import NamedTuple
from recollect.nouns import mapping
from recollect.surfaces.install import edits, files, ledger
from recollect.surfaces.install.clients import (
    ClientCommand,
    ClientHooks,
    McpClient,
    Scope,
    hook_group,
    hooks_in,
    is_our_group,
)
from recollect.surfaces.install.edits import SYNTAX, Syntax
from recollect.surfaces.install.json_text import at_path
from recollect.surfaces.install.launch import Launch
from recollect.surfaces.install.ledger import FileRecord, Splice

_WAIT = 60
"""Seconds that a client's own command may take."""


class Change(NamedTuple):
    """The outcome for one part of the installation in one file."""

    what: str
    """``server``, ``hooks``, ``provider`` or ``skill``."""
    action: str
    """``added``, ``updated``, ``removed``; ``unchanged``, ``absent`` or ``kept`` where nothing was
    to be done."""
    file: Path
    note: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    """Of the client itself, which do it instead of us."""

    @property
    def changes(self) -> bool:
        return self.action in ("added", "updated", "removed")


class _EditedFile:
    """A file while it is edited."""

    def __init__(self, path: Path, known: FileRecord | None) -> None:
        self.before = files.read(path)
        self.text = self.before.text
        new = self.before.raw is None
        self.filed = FileRecord(created=True) if new else known or FileRecord()
        self.named = path
        """As the client calls it, which may be a link."""

    @property
    def tags(self) -> set[str]:
        return {added.tag for added in self.filed.added}

    @property
    def ours(self) -> set[str]:
        """The texts that we put into it."""
        return {added.text for added in self.filed.added}

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of a file that was ours."""
        return self.filed.created and not self.filed.added and not self.text.strip("\ufeff \t\r\n")


class FileEdits:
    """The files that are being edited."""

    def __init__(self) -> None:
        self._known = ledger.load()
        self._sheets: dict[str, _EditedFile] = {}
        self.backups: list[Path] = []

    def sheet(self, path: Path) -> _EditedFile:
        real = str(files.read(path).path)
        if real not in self._sheets:
            self._sheets[real] = _EditedFile(path, self._known.get(real))
        return self._sheets[real]

    def diff(self) -> str:
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n"
            for sheet in self._sheets.values()
            for line in unified_diff(
                sheet.before.text.splitlines(keepends=True),
                sheet.text.splitlines(keepends=True),
                str(sheet.named),
                str(sheet.named),
            )
        )

    def discard(self, path: Path) -> None:
        """Forget what was to be done to a file: somebody else has done it."""
        self._sheets.pop(str(files.read(path).path), None)

    def done(self, *, backups: bool = True) -> None:
        """Write what was changed, and keep in the ledger what that was. Without *backups* none is
        left, neither of this change nor of those before it."""
        for real, sheet in self._sheets.items():
            if sheet.is_gone and sheet.before.raw is not None:
                files.remove(sheet.before.path, list(sheet.filed.folders))
            elif sheet.text != sheet.before.text:
                made, backup = files.write(sheet.before, sheet.text)
                sheet.filed = sheet.filed._replace(folders=(*sheet.filed.folders, *made))
                if backups:
                    self.backups += filter(None, [backup])
            if not backups:
                files.sweep(sheet.before.path)
            with suppress(OSError):  # without it, only the exactness is lost
                if sheet.filed.added or real in self._known:
                    ledger.save(Path(real), sheet.filed)


# ------------------------------------------------------------------ the decisions


def install(
    client: McpClient, scope: Scope, launch: Launch, pending: FileEdits, *, hooks: bool
) -> Iterator[Change]:
    yield _put_server(client, scope, launch, pending)
    if hooks and (file := client.hooks_file(scope)):
        yield _put_hooks(client, file, launch, pending)
    for one in client.provider if scope == "user" else ():
        yield _put_whole(
            "provider", client, one.user.path(), whole_text(one.resource, launch), pending
        )
    if file := client.skill_file(scope):
        yield _put_whole("skill", client, file, skill_text(), pending)


def uninstall(client: McpClient, scope: Scope, pending: FileEdits) -> Iterator[Change]:
    """In the opposite order: what went in last goes out first."""
    if file := client.skill_file(scope):
        yield _take_whole("skill", client, file, pending)
    for one in reversed(client.provider) if scope == "user" else ():
        yield _take_whole("provider", client, one.user.path(), pending)
    if file := client.hooks_file(scope):
        yield _take_hooks(client, file, pending)
    yield _take_server(client, scope, pending)


def state(client: McpClient, scope: Scope, launch: Launch) -> str:
    """``installed``, ``other`` (from another place), ``absent``, ``unreadable``, or nothing where
    there is no such file."""
    file = client.file(scope)
    if file is None:
        return ""
    try:
        have = _entry_in(file, client)
    except (RecollectError, ValueError):
        return "unreadable"
    if have is None:
        return "absent"
    return "installed" if _says(have, client.entry(launch.words("mcp"))) else "other"


def _entry_in(file: Path, client: McpClient) -> Any:
    """Returns our entry in a client's file, or None."""
    return at_path(SYNTAX[client.form].load(files.read(file).text), client.path())


def hooked(client: McpClient, scope: Scope) -> bool:
    file = client.hooks_file(scope)
    if file is None or (client.hooks and client.hooks.plugin):
        return file is not None and file.is_file()
    try:
        return _calls_us(_hook_syntax(client).load(files.read(file).text), client)
    except (RecollectError, ValueError):
        return False


def _says(have: Any, want: dict[str, Any]) -> bool:
    """Whether the entry says what we would; the user may have said more."""
    return isinstance(have, dict) and all(have.get(key) == value for key, value in want.items())


@contextmanager
def _refusing(sheet: _EditedFile, by_hand: str) -> Iterator[None]:
    """Tells what cannot be read or edited as an error of the input, with what to do by hand."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        said = f"{sheet.named} was left as it is: {error}"
        raise InputError(said, hint=f"mend it, or by hand: {by_hand}") from error


def _loaded(syntax: Syntax, sheet: _EditedFile, by_hand: str) -> dict[str, Any]:
    with _refusing(sheet, by_hand):
        return syntax.load(sheet.text)


def _edit(
    sheet: _EditedFile, syntax: Syntax, path: tuple[str | int, ...], value: Any, tag: str
) -> None:
    with _refusing(sheet, by_hand(path, value)):
        sheet.text, added = edits.put(syntax, sheet.text, path, value, tag)
    if added is not None:
        sheet.filed = sheet.filed._replace(added=(*sheet.filed.added, added))


def by_hand(path: Sequence[str | int], value: Any) -> str:
    where = ".".join(str(key) for key in path if isinstance(key, str))
    return f"put this under {where}: {json.dumps(value, ensure_ascii=False)}"


def _undo(sheet: _EditedFile, syntax: Syntax, tag: str) -> None:
    """Take out all that has this tag, the last first."""
    for added in reversed(sheet.filed.tagged(tag)):
        with _refusing(sheet, f"take out {'.'.join(map(str, added.path))}"):
            sheet.text = edits.take(syntax, sheet.text, added)
    sheet.filed = sheet.filed.without(tag)


# ------------------------------------------------------------------ the server


def _put_server(client: McpClient, scope: Scope, launch: Launch, pending: FileEdits) -> Change:
    file = _file_of(client, scope)
    words, path, tag = launch.words("mcp"), client.path(), f"{client.name} server"
    want = client.entry(words)
    sheet, syntax = pending.sheet(file), SYNTAX[client.form]
    have = at_path(_loaded(syntax, sheet, by_hand(path, want)), path)
    if _says(have, want):
        return Change("server", "unchanged", file)
    more = mapping(have)
    ours = sheet.filed.tagged(tag)
    if ours and all(a.text in sheet.text for a in ours):
        _undo(sheet, syntax, tag)
        more = {}
    _edit(sheet, syntax, path, {**more, **want}, tag)
    action = "added" if have is None else "updated"
    return Change("server", action, file, commands=_own_adding(client, scope, have, want, words))


def _own_adding(
    client: McpClient, scope: Scope, have: Any, want: dict[str, Any], words: list[str]
) -> tuple[tuple[str, ...], ...]:
    own = _own_command(client, scope)
    more = mapping(have)
    if own is None or (own.replaces and set(more) - set(want)):
        return ()  # its own command would lose what the user has said besides
    told = json.dumps({**more, **want}, ensure_ascii=False)
    stands_for = {"{words}": words, "{entry}": [told]}
    add = (given for word in own.add for given in stands_for.get(word, [word]))
    remove = [] if have is None or own.replaces else [(own.program, *own.remove)]
    return (*remove, (own.program, *add))


def _own_command(client: McpClient, scope: Scope) -> ClientCommand | None:
    """Returns the client's own command with the path of its program, where there is one."""
    if client.own is None or scope != "user":
        return None
    program = shutil.which(client.own.program)
    return client.own._replace(program=program) if program else None


def _file_of(client: McpClient, scope: Scope) -> Path:
    file = client.file(scope)
    if file is None:
        raise InputError(f"{client.label} has no configuration of a project")
    return file


def _take_server(client: McpClient, scope: Scope, pending: FileEdits) -> Change:
    file = _file_of(client, scope)
    path, tag = client.path(), f"{client.name} server"
    sheet, syntax = pending.sheet(file), SYNTAX[client.form]
    take_out = f"take out {'.'.join(path)}"
    if at_path(_loaded(syntax, sheet, take_out), path) is None:
        sheet.filed = sheet.filed.without(tag)
        return Change("server", "absent", file)
    if tag in sheet.tags:
        _undo(sheet, syntax, tag)
        return Change("server", "removed", file)
    with _refusing(sheet, take_out):
        sheet.text = edits.drop(syntax, sheet.text, path, len(path) - 1)
    own = _own_command(client, scope)
    commands = ((own.program, *own.remove),) if own else ()
    return Change("server", "removed", file, commands=commands)


def run_own(
    change: Change, client: McpClient, pending: FileEdits, entry: dict[str, Any] | None
) -> str:
    """Let the client's own command do it. Returns why it did not, and then we do."""
    why = next(filter(None, map(_failure, change.commands)), "")
    try:
        now = _entry_in(change.file, client)
    except ValueError as error:
        return str(error)
    if _says(now, entry) if entry else now is None:
        pending.discard(change.file)
        return ""
    return why or "it left the file as it was"


def _failure(command: Sequence[str]) -> str:
    """Runs a client's own command; returns why it failed, if it did."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_WAIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    lines = (done.stderr or done.stdout).strip().splitlines()
    return next(reversed(lines), "it failed") if done.returncode else ""


# ------------------------------------------------------------------ hooks


def _hook_syntax(client: McpClient) -> Syntax:
    return SYNTAX[client.hooks.form if client.hooks else "json"]


def _ours(data: dict[str, Any], client: McpClient, event: str) -> list[tuple[str | int, ...]]:
    """Returns the paths of the calls of us at an event; the last first."""
    name = client.events[event]
    found = [
        path
        for n, group in enumerate(_groups(data, name))
        if is_our_group(group, event, client)
        for path in _calls(("hooks", name, n), hooks_in(group), event, client)
    ]
    return found[::-1]


def _groups(data: dict[str, Any], name: str) -> list[Any]:
    groups = at_path(data, ("hooks", name))
    return groups if isinstance(groups, list) else []


def _calls(
    path: tuple[str | int, ...], hooks: list[Any], event: str, client: McpClient
) -> list[tuple[str | int, ...]]:
    """Returns the path of our group; if the user has put other hooks into it, that of our hook."""
    if len(hooks) == 1:
        return [path]
    ours = (m for m, one in enumerate(hooks) if is_our_group(one, event, client))
    return [(*path, "hooks", m) for m in ours]


def _calls_us(data: dict[str, Any], client: McpClient) -> bool:
    return any(_ours(data, client, event) for event in client.events)


def _put_hooks(client: McpClient, file: Path, launch: Launch, pending: FileEdits) -> Change:
    hooks = client.hooks
    assert hooks is not None
    if hooks.plugin:
        text = whole_text(hooks.plugin, launch)
        return _put_whole("hooks", client, file, text, pending)
    sheet, syntax, tag = pending.sheet(file), _hook_syntax(client), f"{client.name} hooks"
    start = sheet.text
    wanted = {event: hook_group(client, event, launch) for event in hooks.events}
    told = by_hand(("hooks",), {hooks.events[e]: [group] for e, group in wanted.items()})
    data = _loaded(syntax, sheet, told)
    had = _calls_us(data, client)
    if had and not all(_is_called(data, client, event, group) for event, group in wanted.items()):
        _take_all(sheet, client, tag)
        data = _loaded(syntax, sheet, told)
    for key, value in hooks.top.items():
        if key not in data:
            _edit(sheet, syntax, (key,), value, tag)
            data = _loaded(syntax, sheet, told)
    for event, group in wanted.items():
        if not _ours(data, client, event):
            _edit(sheet, syntax, *_addition(hooks, data, hooks.events[event], group), tag)
            data = _loaded(syntax, sheet, told)
    if sheet.text == start:
        return Change("hooks", "unchanged", file)
    return Change("hooks", "updated" if had else "added", file, hooks.note)


def _addition(
    hooks: ClientHooks, data: dict[str, Any], name: str, group: dict[str, Any]
) -> tuple[tuple[str | int, ...], Any]:
    """Returns the path and the value of what is added for an event."""
    if hooks.form == "json":
        return ("hooks", name, len(_groups(data, name))), group
    if at_path(data, ("hooks", name)):
        told = f"add this to hooks.{name}: {json.dumps(group, ensure_ascii=False)}"
        raise InputError(f"{name} has hooks already, and a list in YAML is not edited", hint=told)
    return ("hooks", name), [group]


def _is_called(data: dict[str, Any], client: McpClient, event: str, group: dict[str, Any]) -> bool:
    """Whether we are called at the event just once, and as we would be now."""
    places = _ours(data, client, event)
    if len(places) != 1:
        return False
    return _says(hooks_in(at_path(data, places[0]))[0], hooks_in(group)[0])


def _take_all(sheet: _EditedFile, client: McpClient, tag: str) -> None:
    """Take out the calls: as they went in, where that is known, and then whichever are left."""
    syntax, known = _hook_syntax(client), sheet.filed.tagged(tag)
    for added in reversed(known):
        exactly = edits.take_exactly(syntax, sheet.text, added)
        if exactly is None:
            break  # what was put around it may be the user's by now
        sheet.text = exactly
    kept = min((added.kept for added in known), default=0)
    sheet.filed = sheet.filed.without(tag)
    for event in client.events:
        for place in _ours(syntax.load(sheet.text), client, event):
            with _refusing(sheet, f"take out the hooks of {client.name}"):
                sheet.text = edits.drop(syntax, sheet.text, place, kept)


def _take_hooks(client: McpClient, file: Path, pending: FileEdits) -> Change:
    if client.hooks and client.hooks.plugin:
        return _take_whole("hooks", client, file, pending)
    sheet, tag = pending.sheet(file), f"{client.name} hooks"
    data = _loaded(_hook_syntax(client), sheet, "take out the hooks that call recollect")
    if not _calls_us(data, client):
        sheet.filed = sheet.filed.without(tag)
        return Change("hooks", "absent", file)
    _take_all(sheet, client, tag)
    return Change("hooks", "removed", file)


# ------------------------------------------------------------------ files that are all ours


def skill_text() -> str:
    return (resources("recollect.surfaces.install") / "SKILL.md").read_text(encoding="utf-8")


def whole_text(resource: str, launch: Launch) -> str:
    """Returns what a file of ours has to say, with how a hook is called for ``["@COMMAND@"]``."""
    text = (resources("recollect.surfaces.install") / resource).read_text(encoding="utf-8")
    return text.replace('["@COMMAND@"]', json.dumps(launch.words("hook"), ensure_ascii=False))


def _put_whole(what: str, client: McpClient, file: Path, text: str, pending: FileEdits) -> Change:
    """Writes a file that is all ours."""
    sheet, tag = pending.sheet(file), f"{client.name} {what}"
    new = sheet.before.raw is None
    if not new and sheet.text not in {*sheet.ours, text}:
        return Change(what, "kept", file, "somebody has written another; it was left as it is")
    action = "added" if new else "unchanged" if sheet.text == text else "updated"
    sheet.text = text
    tags = dict.fromkeys((*(a.tag for a in sheet.filed.added), tag))
    sheet.filed = sheet.filed._replace(added=tuple(Splice(t, text, (), 0) for t in tags))
    return Change(what, action, file)


def _take_whole(what: str, client: McpClient, file: Path, pending: FileEdits) -> Change:
    sheet, tag = pending.sheet(file), f"{client.name} {what}"
    if sheet.before.raw is None:
        return Change(what, "absent", file)
    ours = sheet.ours or {skill_text()}
    sheet.filed = sheet.filed.without(tag)
    if sheet.filed.added:
        others = ", ".join(sorted(a.tag.removesuffix(f" {what}") for a in sheet.filed.added))
        return Change(what, "kept", file, f"{others} reads it as well")
    if sheet.text not in ours:
        return Change(what, "kept", file, "it was edited; delete it if you do not want it")
    sheet.text, sheet.filed = "", sheet.filed._replace(created=True)
    return Change(what, "removed", file)
