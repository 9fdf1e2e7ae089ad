"""What a shell completes after ``recollect``, made from the same parsers that read it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from recollect.named_tuple import NamedTuple
from recollect.surfaces.commands.parser import actions

PLACES = {
    "bash": "~/.local/share/bash-completion/completions/recollect",
    "zsh": "a folder of your $fpath, as _recollect",
    "fish": "~/.config/fish/completions/recollect.fish",
}
"""The shells there are, and where each looks for its completions."""


class Option(NamedTuple):
    names: tuple[str, ...]
    help: str
    takes: tuple[str, ...] | None
    """What may follow it: None where nothing does, empty where anything may."""


class Level(NamedTuple):
    """A command, or an action of one, and what may follow it."""

    path: tuple[str, ...]
    options: tuple[Option, ...]
    words: Mapping[str, str]
    """Commands, actions or other words, each with what it does."""


Known = Mapping[tuple[str, ...], Mapping[str, str]]
"""Words that a command takes and its parser does not tell, with what each is."""


def levels(
    parser: argparse.ArgumentParser, known: Known, path: tuple[str, ...] = ()
) -> Iterator[Level]:
    """Every place at which something can be completed, the outermost first."""
    words = dict(known.get(path, {}))
    options = []
    for action in parser._actions:
        if action.option_strings:
            takes = None if action.nargs == 0 else tuple(map(str, action.choices or ()))
            options.append(Option(tuple(action.option_strings), action.help or "", takes))
        elif not isinstance(action, argparse._SubParsersAction):
            words |= {str(choice): "" for choice in action.choices or ()}
    for chooser in actions(parser):
        words |= {choice.dest: choice.help or "" for choice in chooser._choices_actions}
    yield Level(path, tuple(options), words)
    for chooser in actions(parser):
        for name, sub in chooser.choices.items():
            yield from levels(sub, known, (*path, name))


def bash(known: Sequence[Level]) -> str:
    return _HEAD + "\n".join(
        [
            "_recollect() {",
            "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at= word",
            "  COMPREPLY=()",
            '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            '    case "$at/$word" in',
            f"      {_paths(known)}) at=$at/$word ;;",
            "    esac",
            "  done",
            '  case "$at $before" in',
            *_values(known, lambda words: _compgen(words) + "; return"),
            "  esac",
            '  case "$at" in',
            *(f'    "{_at(level)}") {_compgen(_all(level))} ;;' for level in known),
            "  esac",
            "}",
            "complete -o default -F _recollect recollect\n",
        ]
    )


def zsh(known: Sequence[Level]) -> str:
    return (
        "#compdef recollect\n"
        + _HEAD
        + "\n".join(
            [
                "_recollect() {",
                "  local current=$words[CURRENT] before=$words[CURRENT-1] at= word",
                "  local -a found",
                "  for word in $words[2,CURRENT-1]; do",
                '    case "$at/$word" in',
                f"      {_paths(known)}) at=$at/$word ;;",
                "    esac",
                "  done",
                '  case "$at $before" in',
                *_values(known, lambda words: f"compadd -- {' '.join(words)}; return"),
                "  esac",
                '  case "$at" in',
                *(f'    "{_at(level)}") found=({_described(level)}) ;;' for level in known),
                "  esac",
                "  _describe recollect found || _files",
                "}",
                'if [ "$funcstack[1]" = "_recollect" ]; then _recollect "$@"',
                "else compdef _recollect recollect; fi\n",
            ]
        )
    )


def fish(known: Sequence[Level]) -> str:
    lines: list[str] = []
    for level in known:
        here = f"complete -c recollect -n '{_fish_at(level, known)}'"
        said = (f" -f -a {word}{_fish_said(help)}" for word, help in level.words.items())
        lines += (here + end for end in (*said, *map(_fish_option, level.options)))
    return _HEAD + "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[Sequence[Level]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}

_HEAD = "# Made by `recollect completions`; make it anew after an upgrade.\n"


def _at(level: Level) -> str:
    return "".join(f"/{name}" for name in level.path)


def _paths(known: Sequence[Level]) -> str:
    return "|".join(f'"{_at(level)}"' for level in known if level.path)


def _all(level: Level) -> list[str]:
    """Words first: an option is completed once its dash is there."""
    return [*level.words, *chain.from_iterable(option.names for option in level.options)]


def _compgen(words: Sequence[str]) -> str:
    return f"""COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current"))"""


def _values(known: Sequence[Level], complete: Callable[[Sequence[str]], str]) -> Iterator[str]:
    """What follows an option that takes one of a few words; what takes any is left to the shell."""
    for level in known:
        for option in level.options:
            if option.takes is None:
                continue
            places = "|".join(f'"{_at(level)} {name}"' for name in option.names)
            yield f"    {places}) {complete(option.takes) if option.takes else 'return 1'} ;;"


def _described(level: Level) -> str:
    """Words with what they do, as zsh's ``_describe`` reads them."""
    said = {**level.words}
    said |= {name: option.help for option in level.options for name in option.names}
    return " ".join(f"'{_plain(word)}:{_plain(help)}'" for word, help in said.items())


def _plain(text: str) -> str:
    return text.replace("'", "’").replace(":", "\\:").replace("%%", "%")


def _fish_at(level: Level, known: Sequence[Level]) -> str:
    """The condition under which a level is the one that is written at."""
    below = [other.path[-1] for other in known if other.path[:-1] == level.path and other.path]
    seen = [f"__fish_seen_subcommand_from {name}" for name in level.path]
    beyond = [f"not __fish_seen_subcommand_from {' '.join(below)}"] if below else []
    return "; and ".join([*seen, *beyond]) or "true"


def _fish_option(option: Option) -> str:
    flags = "".join(
        f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names
    )
    takes = "" if option.takes is None else " -r"
    words = f" -f -a '{' '.join(option.takes)}'" if option.takes else ""
    return f"{flags}{takes}{words}{_fish_said(option.help)}"


def _fish_said(text: str) -> str:
    said = text.replace("'", "’").replace("%%", "%")
    return f" -d '{said}'" if said else ""
