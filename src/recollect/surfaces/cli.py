"""The command line: a table of commands, one facade call each.

Data goes to stdout, everything else to stderr. Exit codes: 0 ok, 1 error, 2 usage, 3 nothing
found, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from recollect import config as settings
from recollect.errors import RecollectError, UsageError
from recollect.surfaces.answer_commands import (
    answers,
    cache,
    declare_answers,
    declare_cache,
    declare_gather,
    declare_record_answer,
    gather,
    record_answer,
)
from recollect.surfaces.config_commands import config, declare_config
from recollect.surfaces.curate_commands import (
    curate,
    declare_curate,
    declare_review,
    declare_tidy,
    declare_undo,
    review,
    tidy,
    undo,
)
from recollect.surfaces.doctor_command import declare_doctor, doctor
from recollect.surfaces.eval_commands import declare_eval, eval_
from recollect.surfaces.fact_commands import (
    alias,
    context,
    declare_alias,
    declare_context,
    declare_facts,
    declare_history,
    declare_pin,
    declare_remember,
    declare_resolve,
    declare_supersede,
    facts,
    history,
    pin,
    remember,
    resolve,
    supersede,
)
from recollect.surfaces.hook_command import declare_hook, hook
from recollect.surfaces.import_commands import (
    add,
    declare_add,
    declare_export,
    declare_record,
    declare_watch,
    export,
    record,
    watch,
)
from recollect.surfaces.init_commands import declare_init, init
from recollect.surfaces.install_command import declare_install, install
from recollect.surfaces.llm_commands import declare_llm, llm
from recollect.surfaces.mcp_command import declare_mcp, mcp
from recollect.surfaces.mode_commands import declare_modes, modes
from recollect.surfaces.model_commands import declare_models, models
from recollect.surfaces.parser import Parser
from recollect.surfaces.safety_commands import (
    backup,
    declare_backup,
    declare_import,
    declare_migrate,
    declare_repair,
    declare_restore,
    import_,
    migrate,
    repair,
    restore,
)
from recollect.surfaces.serve_command import declare_serve, serve
from recollect.surfaces.session_commands import declare_sessions, sessions
from recollect.surfaces.shared import (
    Command,
    Options,
    common_options,
    declare_limits,
    limits,
    open_memory,
    print_json,
    rendering,
    say,
    show,
)
from recollect.surfaces.think_command import declare_think, think
from recollect.surfaces.usage_commands import declare_stats, declare_tune, stats, tune
from recollect.surfaces.web_commands import add_web, declare_add_web, declare_web, web

_TELL_THEMSELVES = ("config", "doctor")
"""Commands that say themselves what is wrong with the settings."""


def run(arguments: Sequence[str]) -> int:
    """Parse, do, and return the exit code."""
    options = argparse.Namespace(
        store=None, json="--json" in arguments, quiet="--quiet" in arguments
    )
    if not arguments:
        sys.stderr.write(f"recollect: no command is given\n\n{_parser().format_help()}")
        return UsageError.exit_code
    try:
        options = _parser(arguments).parse_args(arguments, options)
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
    sys.stderr.write(f"recollect: {error.message}\n")
    if error.hint:
        sys.stderr.write(f"  {error.hint}\n")


# ------------------------------------------------------------------ search


_RELAXABLE = {
    "since": "since", "until": "until", "kind": "kinds", "source": "sources", "path": "paths",
    "issue": "issues", "event": "events",
}  # fmt: skip
"""The limits that may be given up, by the name of their option."""


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="+", metavar="QUERY",
        help='words; "a phrase", -without, prefix*, path: kind: source: issue: event:',
    )  # fmt: skip
    declare_limits(parser)
    parser.add_argument("--limit", "--max-results", type=int, metavar="N", help="the most results")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens")
    parser.add_argument(
        "--min-confidence",
        metavar="P",
        help="leave out what is less sure (0 to 1, low, high)",
    )
    parser.add_argument(
        "--recency", type=float, metavar="ALPHA", help="0 by relevance, 1 newest first"
    )
    parser.add_argument("--last", type=int, metavar="N", help="only the newest N documents")
    parser.add_argument(
        "--relax", action="append", choices=list(_RELAXABLE), metavar="LIMIT",
        help=f"give this limit up when too little is found ({', '.join(_RELAXABLE)})",
    )  # fmt: skip
    parser.add_argument(
        "--detail", choices=("snippet", "passage", "document"), help="how much of each result"
    )
    parser.add_argument("--mode", help="conservative, balanced or tokenmax")
    parser.add_argument("--by", choices=("hybrid", "keyword", "semantic"), help="which arms search")
    parser.add_argument("--as-of", metavar="WHEN", help="the facts that held then")
    parser.add_argument("--no-facts", action="store_true", help="search passages, facts or not")
    parser.add_argument("--no-cache", action="store_true", help="search, answered before or not")
    parser.add_argument("--reranker", metavar="NAME", help="another model to read the best; none")
    parser.add_argument(
        "--expand", type=int, metavar="N",
        help="rewrites by the language model where the grade is low (0 to 3)",
    )  # fmt: skip
    parser.add_argument("--hyde", action="store_true", help="search by a passage that it makes up")
    parser.add_argument(
        "--think", action=argparse.BooleanOptionalAction,
        help="have it write an answer where the grade is low",
    )  # fmt: skip
    parser.add_argument(
        "--web", action=argparse.BooleanOptionalAction, default=None,
        help="ask the web where memory does not answer, if you allow that (web.when)",
    )  # fmt: skip
    parser.add_argument("--full", action="store_true", help="show whole passages")
    parser.add_argument("--explain", action="store_true", help="show how the answer came about")


def _search(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.search(
            " ".join(options.query),
            **limits(options),
            limit=options.limit,
            budget=options.budget,
            mode=options.mode,
            by=options.by,
            detail=options.detail,
            recency=options.recency,
            min_confidence=options.min_confidence,
            last_n=options.last,
            as_of=options.as_of,
            facts=False if options.no_facts else None,
            cache=False if options.no_cache else None,
            reranker=options.reranker,
            expand=options.expand,
            hyde=options.hyde or None,
            think=options.think,
            web=options.web,
            relax=[_RELAXABLE[name] for name in options.relax or ()],
        )
    if not options.json:
        for reason in found.degraded:
            say(options, f"note: {reason}")
    show(
        options,
        found.as_json(),
        lambda style: rendering().answer(found, style, full=options.full, explain=options.explain),
    )
    return 0 if found.results or found.answer or (found.web and found.web.results) else 3


# ------------------------------------------------------------------ get, list, forget


def _declare_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the id of a document or passage, or the id its source gave it")


def _get(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.get(options.id)
    show(options, found.as_json(), lambda style: rendering().document(found, style))
    return 0


def _declare_list(parser: argparse.ArgumentParser) -> None:
    declare_limits(parser)
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--cursor", default="", help="go on from an earlier page")


def _list(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.list(limit=options.limit, cursor=options.cursor, **limits(options))
    show(options, found.as_json(), lambda style: rendering().page(found, style))
    return 0 if found.items else 3


def _declare_forget(parser: argparse.ArgumentParser) -> None:
    _declare_name(parser)
    parser.add_argument("--owner", help="whose it is, where several have one of that id")


def _forget(options: Options) -> int:
    with open_memory(options) as memory:
        done = memory.forget(options.id, owner=options.owner)
    show(options, done.as_json(), lambda style: rendering().receipt(done, style))
    return 0


# ------------------------------------------------------------------ status, rebuild


def _declare_nothing(_: argparse.ArgumentParser) -> None:
    pass


def _status(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.status()
    show(options, found.as_json(), lambda style: rendering().status(found, style))
    return 0


def _rebuild(options: Options) -> int:
    with open_memory(options) as memory:
        say(options, f"making the indexes anew of {memory.status().store.passages:,} passages …")
        memory.rebuild()
        found = memory.status()
    show(
        options,
        found.as_json(),
        lambda _: f"rebuilt the indexes of {found.store.passages:,} passages",
    )
    return 0


# ------------------------------------------------------------------ demo


def _demo(options: Options) -> int:
    from recollect.surfaces.demo import demo

    return demo(options)


# ------------------------------------------------------------------ completions


def _declare_completions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def _completions(options: Options) -> int:
    from recollect.surfaces.completions import PLACES, SHELLS, Known, levels
    from recollect.surfaces.install.clients import CLIENTS

    keys = {name: setting.help for name, setting in settings.SETTINGS.items()}
    known: Known = {
        ("install",): {client.name: client.label for client in CLIENTS},
        **{("config", action): keys for action in ("get", "set", "unset")},
    }
    script = SHELLS[options.shell](tuple(levels(_parser(), known)))
    if sys.stdout.isatty():
        say(options, f"put this into {PLACES[options.shell]}")
    show(options, {"shell": options.shell, "script": script}, lambda _: script.rstrip("\n"))
    return 0


# ------------------------------------------------------------------ the table

COMMANDS = (
    Command(
        "init", "begin: choose the mode, the store and what to import", declare_init, init,
        "recollect init --yes --downstream gpt-5-mini --add ~/notes",
    ),
    Command(
        "add", "import notes, sessions, exports, repositories", declare_add, add,
        "recollect add ~/notes ~/project; recollect add sessions",
    ),
    Command(
        "search", "ask for something", _declare_search, _search,
        'recollect search "when do we deploy?" --kind note',
    ),
    Command(
        "web", "ask the web, if you allow that", declare_web, web,
        'recollect web "release date of Python 3.14" --read 2',
    ),
    Command(
        "add-web", "keep a page of the web", declare_add_web, add_web,
        "recollect add-web https://peps.python.org/pep-0745/",
    ),
    Command(
        "gather", "what a model needs to write an answer", declare_gather, gather,
        'recollect gather "how do we release?" --tokens 2000',
    ),
    Command(
        "think", "have a language model answer from memory", declare_think, think,
        'recollect think "why did we drop Redis?"',
    ),
    Command(
        "record-answer", "keep an answer that was written", declare_record_answer, record_answer,
        'recollect record-answer "how do we release?" "On Fridays, by …" --fingerprint F',
    ),
    Command(
        "answers", "list and forget recorded answers", declare_answers, answers,
        "recollect answers --forget-stale",
    ),
    Command(
        "remember", "keep a fact", declare_remember, remember,
        'recollect remember "We deploy on Fridays" --name "deploy day" --alias "release day"',
    ),
    Command(
        "context", "what to know before answering", declare_context, context,
        'recollect context "how do we deploy?" --scope work',
    ),
    Command("facts", "list facts, newest first", declare_facts, facts, "recollect facts --all"),
    Command(
        "supersede", "let one fact replace another", declare_supersede, supersede,
        'recollect supersede deploy-day-1a2b3c deploy-day-4d5e6f --why "fewer incidents"',
    ),
    Command(
        "alias", "teach a fact another name", declare_alias, alias,
        'recollect alias "deploy day" "ship day"',
    ),
    Command("pin", "have a fact in every context", declare_pin, pin, 'recollect pin "deploy day"'),
    Command(
        "resolve", "close an open question", declare_resolve, resolve,
        'recollect resolve "auth strategy" --why "opaque tokens"',
    ),
    Command(
        "history", "what happened to a fact or a document", declare_history, history,
        "recollect history deploy-day-1a2b3c",
    ),
    Command(
        "curate", "make lasting facts and pages of a text", declare_curate, curate,
        "recollect curate meeting.md --dry-run",
    ),
    Command(
        "review", "look at changes that replace or contradict something", declare_review, review,
        "recollect review 4f2a90c1d6e8b375 --accept",
    ),
    Command(
        "undo", "restore the state before a curation", declare_undo, undo, "recollect undo --list"
    ),
    Command("tidy", "propose merges, links and prunes", declare_tidy, tidy, "recollect tidy"),
    Command(
        "sessions", "past conversations: find, page through, read, list", declare_sessions,
        sessions, 'recollect sessions "where did we leave off with the importer?"',
    ),
    Command("get", "show a whole document", _declare_name, _get, "recollect get 4f2a90c1d6e8b375"),
    Command(
        "list", "list documents, last imported first", _declare_list, _list,
        "recollect list --kind session --since 7d",
    ),
    Command(
        "forget", "remove a document or a fact for good", _declare_forget, _forget,
        "recollect forget 4f2a90c1d6e8b375",
    ),
    Command(
        "record", "keep a discussion, an event or a file's purpose", declare_record, record,
        'recollect record discussion "Retries stay at three." --issue PAY-7 --event decided',
    ),
    Command(
        "export", "write pages and facts, or all, as files that come back", declare_export, export,
        "recollect export --tree ~/vault/memory; recollect export --all memory.jsonl.gz",
    ),
    Command(
        "import", "take in what `export --all` wrote", declare_import, import_,
        "recollect import memory.jsonl.gz",
    ),
    Command(
        "backup", "write the store to one file, and check it", declare_backup, backup,
        "recollect backup ~/backups/memory.tar.gz",
    ),
    Command(
        "restore", "make a store of a backup", declare_restore, restore,
        "recollect restore ~/backups/memory.tar.gz --to ~/restored",
    ),
    Command(
        "repair", "make a sound store of a damaged one", declare_repair, repair,
        "recollect repair --store ~/memory",
    ),
    Command(
        "migrate-store", "copy all of a store into another, and compare them", declare_migrate,
        migrate, "recollect migrate-store ~/memory postgresql://db.example/memory",
    ),
    Command(
        "watch", "follow the sources and import what changes", declare_watch, watch,
        "recollect watch notes",
    ),
    Command(
        "mcp", "serve the tools to an agent, on stdio or HTTP", declare_mcp, mcp,
        "recollect mcp --store ~/memory",
    ),
    Command(
        "install", "connect an agent: its tools, hooks and skill", declare_install, install,
        "recollect install claude-code --hooks --dry-run",
    ),
    Command(
        "hook", "what an agent calls by itself, with JSON on stdin", declare_hook, hook,
        "recollect hook session-start --client claude-code",
    ),
    Command(
        "serve", "the page, the HTTP API and MCP, on this machine", declare_serve, serve,
        "recollect serve --open",
    ),
    Command(
        "cache", "see, empty and prune the cache of searches", declare_cache, cache,
        "recollect cache clear",
    ),
    Command(
        "status", "what the store holds, what is pending", _declare_nothing, _status,
        "recollect status --json",
    ),
    Command(
        "stats", "what searches did: hits, answers, time, tokens", declare_stats, stats,
        "recollect stats --days 7 --plot",
    ),
    Command(
        "tune", "advice from what searches did", declare_tune, tune, "recollect tune --apply",
    ),
    Command(
        "doctor", "look whether all is well, and what mends it", declare_doctor, doctor,
        "recollect doctor --fix",
    ),
    Command(
        "rebuild", "make the indexes anew from the record", _declare_nothing, _rebuild,
        "recollect rebuild --store ~/memory",
    ),
    Command(
        "models", "see, download, check and choose models", declare_models, models,
        "recollect models fetch",
    ),
    Command(
        "llm", "the language model, and what it cost", declare_llm, llm,
        "recollect llm test",
    ),
    Command(
        "modes", "the presets of a search, and every knob", declare_modes, modes,
        "recollect modes conservative",
    ),
    Command(
        "config", "see and change settings", declare_config, config,
        "recollect config set mode conservative",
    ),
    Command(
        "eval", "measure on question sets, compare, and gate", declare_eval, eval_,
        "recollect eval run jsonl ~/sets/notes; recollect eval compare notes-2 notes-1",
    ),
    Command(
        "completions", "what a shell completes after recollect", _declare_completions,
        _completions, "recollect completions fish > ~/.config/fish/completions/recollect.fish",
    ),
    Command(
        "demo", "a tour on sample notes and sessions", _declare_nothing, _demo,
        "recollect demo | less",
    ),
)  # fmt: skip


def _parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """For every command; or for one, if the arguments begin with it: to declare all takes longer
    than a search."""
    from recollect import __version__

    common = common_options()
    parser = Parser(
        prog="recollect",
        description="Keeps what you and your agents have read, decided and done, and finds it.",
        parents=[common],
    )
    parser.add_argument("--version", "-V", action="version", version=f"recollect {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = [command for command in COMMANDS if command.name in arguments[:1]]
    for command in named or COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            epilog=f"example: {command.example}",
            parents=[common],
        )
        command.declare(sub)
        sub.set_defaults(run=command.run)
    return parser
