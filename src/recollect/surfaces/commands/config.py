"""``recollect config``: see and change settings."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from recollect import asker
from recollect import config as settings
from recollect import memory as facade
from recollect.errors import UsageError
from recollect.nouns import without
from recollect.surfaces import terminal
from recollect.surfaces.commands.shared import Options, common_options, exit_code, show
from recollect.surfaces.phrases import when


def declare_config(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = common_options()
    get = actions.add_parser("get", help="one setting", parents=[common])
    get.add_argument("key")
    put = actions.add_parser("set", help="write one to your config.toml", parents=[common])
    put.add_argument("key")
    put.add_argument("value")
    unset = actions.add_parser("unset", help="remove one, or all that match", parents=[common])
    unset.add_argument("key", nargs="?")
    unset.add_argument("--pattern", help="a glob such as 'search.*'")
    actions.add_parser("list", help="all, with where each comes from", parents=[common])
    trust = actions.add_parser("trust", help="trust this project's file", parents=[common])
    trust.add_argument("folder", nargs="?", default=".")


def config(options: Options) -> int:
    return {
        "get": _config_get,
        "set": set_setting,
        "unset": _config_unset,
        "list": _config_list,
        "trust": _config_trust,
    }[options.action](options)


def _setting_json(config: settings.Config, name: str) -> dict[str, Any]:
    found = config.values[name]
    return {
        "key": name,
        "value": found.value,
        "origin": found.origin,
        "where": found.where or None,
        "help": settings.SETTINGS[name].help,
    }


def plain(value: Any) -> str:
    """A value as it is given to `config set`."""
    if value is None:
        return "(not set)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple | list) else str(value)


def _config_get(options: Options) -> int:
    settings.setting(options.key)
    config = settings.load({"store": options.store})
    show(options, _setting_json(config, options.key), lambda _: plain(config[options.key]))
    return 0


def _config_list(options: Options) -> int:
    config = settings.load({"store": options.store})
    content = {
        "settings": [_setting_json(config, name) for name in settings.SETTINGS],
        "ignored": list(config.ignored),
    }

    def text(style: terminal.Style) -> str:
        lines = []
        for name in settings.SETTINGS:
            found = config.values[name]
            origin = found.origin + when(found.where, f" {found.where}")
            lines.append(
                f"{style.bold}{name:15}{style.off} {plain(found.value):28} "
                f"{style.dim}{origin}{style.off}"
            )
        return "\n".join([*lines, *(f"ignored: {line}" for line in config.ignored)])

    show(options, content, text)
    return 0


def write_setting(key: str, given: Any) -> tuple[Any, Path]:
    """Put it into the user's file; returns it as its type, a path as a whole one, and the file."""
    value = settings.parsed(key, given, "the command line")
    value = settings.anchored(key, value, Path(asker.folder() or Path.cwd()))
    facade.check_setting(key, value)
    path = settings.user_file()
    settings.write_file(path, {**settings.read_file(path), key: value})
    return value, path


def set_setting(options: Options) -> int:
    value, path = write_setting(options.key, options.value)
    show(
        options,
        {"key": options.key, "value": value, "file": str(path)},
        lambda _: f"{options.key} = {plain(value)} in {path}",
    )
    return 0


def unset_settings(pattern: str) -> tuple[list[str], Path]:
    """Takes those that match out of the user's file; returns their names, and the file."""
    path = settings.user_file()
    known = settings.read_file(path)
    gone = sorted(name for name in known if fnmatchcase(name, pattern))
    settings.write_file(path, without(known, gone))
    return gone, path


def _config_unset(options: Options) -> int:
    if (options.key is None) == (options.pattern is None):
        raise UsageError("give one key, or --pattern with a glob")
    if options.key is not None:
        settings.setting(options.key)
    gone, path = unset_settings(options.key or options.pattern)
    show(
        options,
        {"removed": gone, "file": str(path)},
        lambda _: "removed " + ", ".join(gone) if gone else f"nothing to remove in {path}",
    )
    return exit_code(gone)


def _config_trust(options: Options) -> int:
    file = settings.project_file(Path(options.folder).resolve())
    if file is None:
        raise UsageError(f"{options.folder} has no {settings.PROJECT_FILE} in it or above it")
    settings.trust(file)
    show(
        options,
        {"trusted": str(file)},
        lambda _: f"{file} may now set everything, until it is changed",
    )
    return 0
