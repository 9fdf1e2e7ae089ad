"""The command line: a table of commands, one facade call each.

Data goes to stdout, everything else to stderr. Exit codes: 0 ok, 1 error, 2 usage, 3 nothing
found, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import cast

from recollect import __version__, asker
from recollect import config as settings
from recollect.errors import RecollectError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.surfaces import controls
from recollect.surfaces.commands.parser import Parser
from recollect.surfaces.commands.shared import Options, common_options, print_json, say

_TELL_THEMSELVES = ("config", "doctor")
"""Commands that say themselves what is wrong with the settings."""
_HELP = ("--help", "-h")


def run(
    arguments: Sequence[str],
    streams: Callable[[], AbstractContextManager[None]] = controls.filtered,
) -> int:
    """Parses a command line, runs it and returns the exit code. *streams* filters what it writes;
    whoever collects the output and filters it afterwards gives one that does not."""
    options = argparse.Namespace(
        store=None, json="--json" in arguments, quiet="--quiet" in arguments
    )
    with streams():
        if not arguments:
            sys.stderr.write(f"recollect: no command is given\n\n{parser_of(_HELP).format_help()}")
            return UsageError.exit_code
        try:
            options = parser_of(arguments).parse_args(arguments, options)
            for ignored in () if options.command in _TELL_THEMSELVES else settings.load().ignored:
                say(options, f"warning: {ignored}")
            code: int = options.run(options)
            return code
        except RecollectError as error:
            _fail(options, error)
            return error.exit_code
        except KeyboardInterrupt:
            say(options, "interrupted; what was finished is kept, and the same command goes on")
            return 130


def _fail(options: Options, error: RecollectError) -> None:
    if getattr(options, "json", False):
        about = {"type": type(error).__name__, "message": error.message, "hint": error.hint}
        print_json({"error": about})
    asker.error().write(f"recollect: {error.message}\n")
    if error.hint:
        asker.error().write(f"  {error.hint}\n")


class Command(NamedTuple):
    """A module of this package has for each of its commands ``declare_NAME`` and ``NAME``. It is
    loaded when the command is asked for: all of them take longer than a search."""

    name: str
    help: str
    module: str
    example: str
    """As one would type it."""

    @property
    def declare(self) -> Callable[[argparse.ArgumentParser], None]:
        return cast(Callable[[argparse.ArgumentParser], None], self._named("declare_"))

    @property
    def run(self) -> Callable[[Options], int]:
        return cast(Callable[[Options], int], self._named(""))

    def _named(self, before: str) -> object:
        module = import_module(f"recollect.surfaces.commands.{self.module}")
        name = f"{before}{self.name.replace('-', '_')}"
        return getattr(module, name, None) or getattr(module, f"{name}_")


COMMANDS = (
    Command(
        "init", "begin: choose the mode, the store and what to import", "init",
        "recollect init --yes --downstream gpt-5-mini --add ~/notes",
    ),
    Command(
        "add", "import notes, sessions, exports, repositories", "importing",
        "recollect add ~/notes ~/project; recollect add sessions",
    ),
    Command(
        "search", "ask for something", "search",
        'recollect search "when do we deploy?" --kind note',
    ),
    Command(
        "web", "ask the web, if you allow that", "web",
        'recollect web "release date of Python 3.14" --read 2',
    ),
    Command(
        "add-web", "keep a page of the web", "web",
        "recollect add-web https://peps.python.org/pep-0745/",
    ),
    Command(
        "gather", "what a model needs to write an answer", "answers",
        'recollect gather "how do we release?" --tokens 2000',
    ),
    Command(
        "think", "have a language model answer from memory", "think",
        'recollect think "why did we drop Redis?"',
    ),
    Command(
        "record-answer", "keep an answer that was written", "answers",
        'recollect record-answer "how do we release?" "On Fridays, by …" --fingerprint F',
    ),
    Command(
        "answers", "list and forget recorded answers", "answers",
        "recollect answers --forget-stale",
    ),
    Command(
        "remember", "keep a fact", "facts",
        'recollect remember "We deploy on Fridays" --name "deploy day" --alias "release day"',
    ),
    Command(
        "context", "what to know before answering", "facts",
        'recollect context "how do we deploy?" --scope work',
    ),
    Command(
        "facts", "list facts, newest first", "facts",
        "recollect facts --all",
    ),
    Command(
        "supersede", "let one fact replace another", "facts",
        'recollect supersede deploy-day-1a2b3c deploy-day-4d5e6f --why "fewer incidents"',
    ),
    Command(
        "alias", "teach a fact another name", "facts",
        'recollect alias "deploy day" "ship day"',
    ),
    Command(
        "pin", "have a fact in every context", "facts",
        'recollect pin "deploy day"',
    ),
    Command(
        "resolve", "close an open question", "facts",
        'recollect resolve "auth strategy" --why "opaque tokens"',
    ),
    Command(
        "history", "what happened to a fact or a document", "facts",
        "recollect history deploy-day-1a2b3c",
    ),
    Command(
        "curate", "make lasting facts and pages of a text", "curation",
        "recollect curate meeting.md --dry-run",
    ),
    Command(
        "review", "look at changes that replace or contradict something", "curation",
        "recollect review 4f2a90c1d6e8b375 --accept",
    ),
    Command(
        "undo", "restore the state before a curation", "curation",
        "recollect undo --list",
    ),
    Command(
        "prelude", "what an agent is told before it starts: show, read, edit", "curation",
        "recollect prelude --read",
    ),
    Command(
        "tidy", "propose merges, links and prunes", "curation",
        "recollect tidy",
    ),
    Command(
        "sessions", "past conversations: about QUERY, one by its id, or the recent", "sessions",
        'recollect sessions "where did we leave off with the importer?"',
    ),
    Command(
        "get", "show a whole document", "store",
        "recollect get 4f2a90c1d6e8b375",
    ),
    Command(
        "list", "list documents, last imported first", "store",
        "recollect list --kind session --since 7d",
    ),
    Command(
        "forget", "remove a document or a fact for good", "store",
        "recollect forget 4f2a90c1d6e8b375",
    ),
    Command(
        "record", "keep a discussion, an event or a file's purpose", "importing",
        'recollect record discussion "Retries stay at three." --issue PAY-7 --event decided',
    ),
    Command(
        "export", "write pages and facts, or all, as files that come back", "importing",
        "recollect export --tree ~/vault/memory; recollect export --all memory.jsonl.gz",
    ),
    Command(
        "import", "take in what `export --all` wrote", "transfer",
        "recollect import memory.jsonl.gz",
    ),
    Command(
        "backup", "write the store to one file, and check it", "transfer",
        "recollect backup ~/backups/memory.tar.gz",
    ),
    Command(
        "restore", "make a store of a backup", "transfer",
        "recollect restore ~/backups/memory.tar.gz --to ~/restored",
    ),
    Command(
        "repair", "make a sound store of a damaged one", "transfer",
        "recollect repair --store ~/memory",
    ),
    Command(
        "migrate-store", "copy all of a store into another, and compare them", "transfer",
        "recollect migrate-store ~/memory postgresql://db.example/memory",
    ),
    Command(
        "watch", "follow the sources and import what changes", "importing",
        "recollect watch notes",
    ),
    Command(
        "mcp", "serve the tools to an agent, on stdio or HTTP", "mcp",
        "recollect mcp --store ~/memory",
    ),
    Command(
        "install", "connect an agent: its tools, hooks and skill", "install",
        "recollect install claude-code --hooks --dry-run",
    ),
    Command(
        "hook", "what an agent calls by itself, with JSON on stdin", "hook",
        "recollect hook session-start --client claude-code",
    ),
    Command(
        "serve", "the page, the HTTP API and MCP, on this machine", "serve",
        "recollect serve --open",
    ),
    Command(
        "cache", "see, empty and prune the cache of searches", "answers",
        "recollect cache clear",
    ),
    Command(
        "status", "what the store holds, what is pending", "store",
        "recollect status --json",
    ),
    Command(
        "stats", "what searches did: hits, answers, time, tokens", "usage",
        "recollect stats --days 7 --plot",
    ),
    Command(
        "tune", "advice from what searches did", "usage",
        "recollect tune --apply",
    ),
    Command(
        "doctor", "look whether all is well, and what mends it", "doctor",
        "recollect doctor --fix",
    ),
    Command(
        "rebuild", "make the indexes anew from the record", "store",
        "recollect rebuild --store ~/memory",
    ),
    Command(
        "models", "see, download, check and choose models", "models",
        "recollect models fetch",
    ),
    Command(
        "llm", "the language model, and what it cost", "llm",
        "recollect llm use ollama:qwen3",
    ),
    Command(
        "modes", "the presets of a search, and every knob", "modes",
        "recollect modes conservative",
    ),
    Command(
        "config", "see and change settings", "config",
        "recollect config set mode conservative",
    ),
    Command(
        "eval", "measure on question sets, compare, and gate", "evals",
        "recollect eval run jsonl ~/sets/notes; recollect eval compare notes-2 notes-1",
    ),
    Command(
        "completions", "what a shell completes after recollect", "completions",
        "recollect completions fish > ~/.config/fish/completions/recollect.fish",
    ),
    Command(
        "demo", "a tour on sample notes and sessions", "demo",
        "recollect demo | less",
    ),
)  # fmt: skip


def parser_of(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """For every command; or for one, if the arguments begin with it: to declare all takes longer
    than a search. Where they begin with ``--help``, the commands are named and not declared."""

    common = common_options()
    parser = Parser(
        prog="recollect",
        description="Keeps what you and your agents have read, decided and done, and finds it.",
        parents=[common],
    )
    parser.add_argument("--version", "-V", action="version", version=f"recollect {__version__}")
    unread = bool(arguments) and arguments[0] in _HELP
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    if unread:
        commands._parser_class = _named  # type: ignore[assignment]
    named = [command for command in COMMANDS if command.name in arguments[:1]]
    for command in named or COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            epilog=f"example: {command.example}",
            parents=[common],
        )
        if unread:
            continue
        command.declare(sub)
        sub.set_defaults(run=command.run)
    return parser


def _named(**_: object) -> None:
    """Stands for the parser of a command in the help of all, which no argument is read with."""
