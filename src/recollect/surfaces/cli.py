"""The command line: a table of commands, one facade call each.

Data goes to stdout, everything else to stderr. Exit codes: 0 ok, 1 error, 2 usage, 3 nothing
found, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import config as settings
from recollect.errors import RecollectError, UsageError
from recollect.types import SCHEMA_VERSION, Document, iso

if TYPE_CHECKING:
    from recollect.surfaces.terminal import Style

Options = argparse.Namespace


class Command(NamedTuple):
    name: str
    help: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Options], int]
    example: str = ""


def run(arguments: Sequence[str]) -> int:
    """Parse, do, and return the exit code."""
    options = argparse.Namespace(store=None, json="--json" in arguments, quiet=False)
    try:
        options = _parser().parse_args(arguments, options)
        for ignored in settings.load().ignored if options.command != "config" else ():
            _say(options, f"warning: {ignored}")
        code: int = options.run(options)
        return code
    except RecollectError as error:
        _fail(options, error)
        return error.exit_code
    except KeyboardInterrupt:
        _say(options, "interrupted; what was finished is kept, and the same command goes on")
        return 130


def _fail(options: Options, error: RecollectError) -> None:
    if getattr(options, "json", False):
        about = {"type": type(error).__name__, "message": error.message, "hint": error.hint}
        _print_json({"error": about})
    sys.stderr.write(f"recollect: {error.message}\n")
    if error.hint:
        sys.stderr.write(f"  {error.hint}\n")


def _say(options: Options, line: str) -> None:
    if not getattr(options, "quiet", False):
        sys.stderr.write(line + "\n")


def _print_json(content: dict[str, Any]) -> None:
    whole = {"schema_version": SCHEMA_VERSION, **content}
    sys.stdout.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def _show(options: Options, content: dict[str, Any], text: Callable[[Style], str]) -> None:
    """The same thing as JSON for a program or as text for a person."""
    if options.json:
        _print_json(content)
    else:
        from recollect.surfaces.terminal import Style, wants_colour

        sys.stdout.write(text(Style(wants_colour(sys.stdout))) + "\n")


def _render() -> Any:
    """Loaded only when a person reads the output: a program that asks for JSON need not wait."""
    from recollect.surfaces import render

    return render


def _open(options: Options) -> Any:
    from recollect.memory import Memory

    return Memory.open(options.store)


# ------------------------------------------------------------------ add


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder or a .jsonl")
    parser.add_argument("--source", metavar="NAME", help="name the source; else the path does")
    parser.add_argument("--owner", help="whose it is, where a line does not say")
    parser.add_argument(
        "--scope", action="append", metavar="NAME", help="a scope it belongs to (repeatable)"
    )
    parser.add_argument("--no-embed", action="store_true", help="leave the vectors for later")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="embed with so many processes (as it pays)"
    )


def _add(options: Options) -> int:
    from recollect.surfaces import render
    from recollect.surfaces.terminal import ProgressBar, Style, wants_colour

    with _open(options) as memory, ProgressBar(quiet=options.quiet or options.json) as bar:
        done = memory.add(
            *options.paths,
            source=options.source,
            owner=options.owner,
            scopes=options.scope,
            embed=not options.no_embed,
            processes=options.processes,
            report=bar,
        )
    if done.failed or not options.quiet:
        for line in render.problems(done, Style(wants_colour(sys.stderr))):
            sys.stderr.write(line + "\n")
    _show(options, done.as_json(), lambda style: render.receipt(done, style))
    return 1 if done.failed else 0


# ------------------------------------------------------------------ search


def _declare_limits(parser: argparse.ArgumentParser) -> None:
    """The limits on what may be seen, the same for every command that looks."""
    parser.add_argument("--owner", help="only what this owner has")
    parser.add_argument("--scope", action="append", metavar="NAME", help="only this scope")
    parser.add_argument("--source", action="append", metavar="NAME", help="only this source")
    parser.add_argument("--kind", action="append", help="only this kind (note, session, …)")
    parser.add_argument("--path", action="append", help="only below this path; * and ** match")
    parser.add_argument("--since", metavar="WHEN", help="from then on (2026-03-01, 7d, 24h)")
    parser.add_argument("--until", metavar="WHEN", help="before then")


def _limits(options: Options) -> dict[str, Any]:
    return {
        "owner": options.owner,
        "scopes": options.scope,
        "sources": options.source,
        "kinds": options.kind,
        "paths": options.path,
        "since": options.since,
        "until": options.until,
    }


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="+", metavar="QUERY",
        help='words; "a phrase", -without, prefix*, path: kind: source:',
    )  # fmt: skip
    _declare_limits(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="the most results")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens")
    parser.add_argument("--mode", help="conservative, balanced or tokenmax")
    parser.add_argument("--by", choices=("hybrid", "keyword", "semantic"), help="which arms search")
    parser.add_argument("--full", action="store_true", help="show whole passages")
    parser.add_argument("--explain", action="store_true", help="show how the answer came about")


def _search(options: Options) -> int:
    with _open(options) as memory:
        found = memory.search(
            " ".join(options.query),
            **_limits(options),
            limit=options.limit,
            budget=options.budget,
            mode=options.mode,
            by=options.by,
        )
    if not options.json:
        for reason in found.degraded:
            _say(options, f"note: {reason}")
    _show(
        options,
        found.as_json(),
        lambda style: _render().answer(found, style, full=options.full, explain=options.explain),
    )
    return 0 if found.results else 3


# ------------------------------------------------------------------ get, list, forget


def _declare_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the id of a document or passage, or the id its source gave it")


def _document_json(document: Document, *, body: bool) -> dict[str, Any]:
    about: dict[str, Any] = {
        "id": document.id,
        "document": document.external,
        "kind": document.kind,
        "source": document.source,
        "title": document.title,
        "path": document.path,
        "date": iso(document.date),
        "owner": document.owner,
        "scopes": list(document.scopes),
        "meta": dict(document.meta),
    }
    if body and document.messages:
        about["turns"] = [
            {"role": m.role, "text": m.text, "id": m.id or None, "date": iso(m.date)}
            for m in document.messages
        ]
    elif body:
        about["text"] = document.text
    return about


def _get(options: Options) -> int:
    with _open(options) as memory:
        found = memory.get(options.id)
    _show(
        options,
        _document_json(found, body=True),
        lambda style: _render().document(found, style),
    )
    return 0


def _declare_list(parser: argparse.ArgumentParser) -> None:
    _declare_limits(parser)
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--cursor", default="", help="go on from an earlier page")


def _list(options: Options) -> int:
    with _open(options) as memory:
        found = memory.list(limit=options.limit, cursor=options.cursor, **_limits(options))
    content = {
        "items": [_document_json(d, body=False) for d in found.items],
        "cursor": found.cursor or None,
    }
    _show(options, content, lambda style: _render().page(found, style))
    return 0 if found.items else 3


def _forget(options: Options) -> int:
    with _open(options) as memory:
        done = memory.forget(options.id)
    _show(options, done.as_json(), lambda style: _render().receipt(done, style))
    return 0


# ------------------------------------------------------------------ status, rebuild, models


def _declare_nothing(_: argparse.ArgumentParser) -> None:
    pass


def _status(options: Options) -> int:
    with _open(options) as memory:
        found = memory.status()
    _show(options, found.as_json(), lambda style: _render().status(found, style))
    return 0


def _rebuild(options: Options) -> int:
    with _open(options) as memory:
        memory.rebuild()
        found = memory.status()
    _show(
        options,
        found.as_json(),
        lambda _: f"rebuilt the indexes of {found.store.passages:,} passages",
    )
    return 0


def _declare_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("list", "fetch", "verify", "use", "bench"),
        help="see them; download one; read every byte of one; search with one from now on; "
        "measure them on your own store",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", help="a model, a folder, or URL#MODEL (the one in use)")
    parser.add_argument(
        "--sample", type=int, default=200, metavar="N", help="questions for bench (200)"
    )


def _models(options: Options) -> int:
    from recollect import memory

    config = settings.load()
    name = options.name or config["embed.model"]
    if options.action == "list":
        return _models_list(options, config)
    if options.action == "bench":
        return _models_bench(options)
    if options.action == "use":
        if not options.name:
            raise UsageError("use which model?", hint="`recollect models list` shows them")
        value = memory.usable_model(config, name)
        options.key, options.value = "embed.model", value
        return _config_set(options)
    if options.action == "fetch":
        place = memory.fetch_model(config, name, lambda line: _say(options, line))
    else:
        place = memory.verify_model(config, name)
    content = {"model": name, "path": str(place), "verified": True}
    _show(options, content, lambda _: f"{name} is at {place}, and every byte is as it should be")
    return 0


def _models_bench(options: Options) -> int:
    from recollect.memory.model_bench import recommended

    with _open(options) as memory:
        names = [options.name] if options.name else []
        scores = memory.bench_models(*names, sample=options.sample)
    best = recommended(scores)
    content = {"scores": [s.as_json() for s in scores], "recommended": best}

    def text(style: Style) -> str:
        head = f"{'':24} {'MRR':>6} {'hit@1':>6} {'hit@10':>7} {'passages/s':>11} {'query ms':>9}"
        lines = [head]
        for s in scores:
            speed = f"{s.passages_a_second:11.1f} {s.query_ms:9.2f}" if s.query_ms else ""
            lines.append(
                f"{s.name[-24:]:24} {s.mrr:6.3f} {s.hit_at_1:6.3f} {s.hit_at_10:7.3f} {speed}"
            )
        said = f"{scores[0].questions} questions from your own store; recommended: {best}"
        return "\n".join([*lines, f"{style.dim}{said}{style.off}"])

    _show(options, content, text)
    return 0


def _models_list(options: Options, config: settings.Config) -> int:
    from recollect.memory import model_states

    states = model_states(config)
    content = {"in_use": config["embed.model"], "models": [s._asdict() for s in states]}

    def text(_: Style) -> str:
        lines = [
            f"{'*' if s.used else ' '} {s.name:20} {s.dimensions:5} dimensions  {s.licence:12} "
            f"{'here' if s.here else f'not fetched, {s.megabytes} MB'}"
            for s in states
        ]
        if not any(s.used for s in states):
            lines.append(f"* {config['embed.model']}")
        return "\n".join(lines)

    _show(options, content, text)
    return 0


# ------------------------------------------------------------------ config


def _declare_config(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = _common()
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


def _config(options: Options) -> int:
    return {
        "get": _config_get,
        "set": _config_set,
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


def _plain(value: Any) -> str:
    if value is None:
        return "(not set)"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _config_get(options: Options) -> int:
    settings.setting(options.key)
    config = settings.load({"store": options.store})
    _show(options, _setting_json(config, options.key), lambda _: _plain(config[options.key]))
    return 0


def _config_list(options: Options) -> int:
    config = settings.load({"store": options.store})
    content = {
        "settings": [_setting_json(config, name) for name in settings.SETTINGS],
        "ignored": list(config.ignored),
    }

    def text(style: Style) -> str:
        lines = []
        for name in settings.SETTINGS:
            found = config.values[name]
            origin = found.origin + (f" {found.where}" if found.where else "")
            lines.append(
                f"{style.bold}{name:15}{style.off} {_plain(found.value):28} "
                f"{style.dim}{origin}{style.off}"
            )
        return "\n".join([*lines, *(f"ignored: {line}" for line in config.ignored)])

    _show(options, content, text)
    return 0


def _config_set(options: Options) -> int:
    value = settings.parsed(options.key, options.value, "the command line")
    path = settings.user_file()
    settings.write_file(path, {**settings.read_file(path), options.key: value})
    _show(
        options,
        {"key": options.key, "value": value, "file": str(path)},
        lambda _: f"{options.key} = {_plain(value)} in {path}",
    )
    return 0


def _config_unset(options: Options) -> int:
    from fnmatch import fnmatchcase

    if (options.key is None) == (options.pattern is None):
        raise UsageError("give one key, or --pattern with a glob")
    if options.key is not None:
        settings.setting(options.key)
    path = settings.user_file()
    known = settings.read_file(path)
    gone = sorted(n for n in known if n == options.key or fnmatchcase(n, options.pattern or ""))
    settings.write_file(path, {n: v for n, v in known.items() if n not in gone})
    _show(
        options,
        {"removed": gone, "file": str(path)},
        lambda _: "removed " + ", ".join(gone) if gone else f"nothing to remove in {path}",
    )
    return 0 if gone else 3


def _config_trust(options: Options) -> int:
    from pathlib import Path

    file = settings.project_file(Path(options.folder).resolve())
    if file is None:
        raise UsageError(f"{options.folder} has no {settings.PROJECT_FILE} in it or above it")
    settings.trust(file)
    _show(
        options,
        {"trusted": str(file)},
        lambda _: f"{file} may now set everything, until it is changed",
    )
    return 0


# ------------------------------------------------------------------ demo


def _demo(options: Options) -> int:
    from recollect.surfaces.demo import demo

    return demo(options)


# ------------------------------------------------------------------ the table

COMMANDS = (
    Command(
        "add", "import files, folders and .jsonl", _declare_add, _add,
        "recollect add ~/notes sessions.jsonl",
    ),
    Command(
        "search", "ask for something", _declare_search, _search,
        'recollect search "when do we deploy?" --kind note',
    ),
    Command("get", "show a whole document", _declare_name, _get, "recollect get 4f2a90c1d6e8b375"),
    Command(
        "list", "list documents, last imported first", _declare_list, _list,
        "recollect list --kind session --since 7d",
    ),
    Command(
        "forget", "remove a document for good", _declare_name, _forget,
        "recollect forget 4f2a90c1d6e8b375",
    ),
    Command("status", "what the store holds, what is pending", _declare_nothing, _status),
    Command("rebuild", "make the indexes anew from the record", _declare_nothing, _rebuild),
    Command(
        "models", "see, download, check and choose models", _declare_models, _models,
        "recollect models fetch",
    ),
    Command(
        "config", "see and change settings", _declare_config, _config,
        "recollect config set mode conservative",
    ),
    Command("demo", "a tour on sample notes and sessions", _declare_nothing, _demo),
)  # fmt: skip


def _common() -> _Parser:
    """Options that every command takes. They have no defaults here, so that they may stand
    before the command as well as after it."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--store", metavar="PATH|URL", help="where things are kept")
    common.add_argument("--json", action="store_true", help="one JSON object on stdout")
    common.add_argument("--quiet", action="store_true", help="no notes on stderr")
    return common


class _Parser(argparse.ArgumentParser):
    """Errors as ours: one line, the nearest command, exit code 2."""

    def error(self, message: str) -> Any:
        raise UsageError(message, hint=f"`{self.prog} --help` shows how")


def _parser() -> argparse.ArgumentParser:
    from recollect import __version__

    common = _common()
    parser = _Parser(
        prog="recollect",
        description="Keeps what you and your agents have read, decided and done, and finds it.",
        parents=[common],
    )
    parser.add_argument("--version", "-V", action="version", version=f"recollect {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            epilog=f"example: {command.example}" if command.example else None,
            parents=[common],
        )
        command.declare(sub)
        sub.set_defaults(run=command.run)
    return parser
