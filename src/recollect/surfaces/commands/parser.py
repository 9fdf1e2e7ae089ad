"""The parser of the command line: help that is as wide as the terminal and goes by what one wants
to do, errors in one line with what was probably meant."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

from recollect import asker
from recollect.errors import UsageError
from recollect.surfaces.commands import overview
from recollect.text import nearest as words


def columns() -> int:
    """Of the terminal, as ``shutil.get_terminal_size`` tells them."""
    with suppress(ValueError):
        if given := int(asker.environment().get("COLUMNS", "0")):
            return given
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


class _Help(argparse.HelpFormatter):
    """As wide as the terminal, without the archivers that the standard library loads for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns() - 2)


class Parser(argparse.ArgumentParser):
    """Errors as ours: one line, the nearest there is, exit code 2."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **given})

    def error(self, message: str) -> Any:
        raise UsageError(message, hint=f"`{self.prog} --help` shows how")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self._not_known(unknown[0], self._asked(given))
        return given

    def _asked(self, given: argparse.Namespace) -> argparse.ArgumentParser:
        """The parser of the command, or of its action, that was given."""
        for action in actions(self):
            chosen = action.choices.get(getattr(given, action.dest, None) or "")
            if isinstance(chosen, Parser):
                return chosen._asked(given)
        return self

    def _not_known(self, word: str, asked: argparse.ArgumentParser) -> None:
        if not word.startswith("-"):
            what = f"{word!r} is one word too many"
            raise UsageError(what, hint=f"`{asked.prog} --help` shows what it takes")
        name = word.partition("=")[0]
        known = chain.from_iterable(action.option_strings for action in asked._actions)
        hint = _meant(asked, name, known)
        if not word.startswith("--"):
            hint = f"{hint}; words that begin with a dash come after `--`"
        raise UsageError(f"`{asked.prog}` has no option {name}", hint=hint)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        there_are = list(map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            what = f"there is no {str(action.metavar).lower()} {value!r}"
            raise UsageError(what, hint=_meant(self, value, there_are))
        name = argparse._get_action_name(action)
        raise UsageError(f"{name} is {value!r}", hint=f"one of {', '.join(there_are)}")

    def format_help(self) -> str:
        """Returns the help; that of the program itself groups its commands by purpose."""
        for action in actions(self):
            if action.dest == "command":
                return overview.by_group(super().format_help(), action, columns())
        return super().format_help()


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse._SubParsersAction[Any]]:
    """Yields the actions by which a parser chooses other parsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action


def _meant(parser: argparse.ArgumentParser, word: str, known: Iterable[str]) -> str:
    near = words.nearest(word, known)
    shows = f"`{parser.prog} --help` shows what there is"
    if not near:
        return shows
    said = f"{parser.prog} {near}" if not near.startswith("-") else near
    return f"did you mean `{said}`? {shows}"
