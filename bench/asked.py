"""The words that a bench is called with, where it is run as a program of its own. ``--help`` tells
what the module says of itself."""

from __future__ import annotations

import argparse
from collections.abc import Collection


def _parser(bench: str, about: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"python -m bench.{bench}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def names(bench: str, about: str | None, known: Collection[str]) -> list[str]:
    """Returns which of the known things are asked for; none is those that are usual."""
    parser = _parser(bench, about)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    given: list[str] = parser.parse_args().names
    for one in given:
        if one not in known:
            parser.error(f"there is no {one!r}: {', '.join(known)}")
    return given


def words(bench: str, about: str | None, *wanted: str, more: bool = False) -> list[str]:
    """Returns a word for each that is wanted, and whatever follows if there may be *more*."""
    parser = _parser(bench, about)
    for name in wanted:
        parser.add_argument("words", metavar=name, action="append")
    if more:
        parser.add_argument("more", nargs="*", metavar="MORE")
    given = parser.parse_args()
    return [*getattr(given, "words", ()), *getattr(given, "more", ())]


def switch(bench: str, about: str | None, name: str) -> bool:
    """Returns whether the one switch is given that there is."""
    parser = _parser(bench, about)
    parser.add_argument(f"--{name}", action="store_true", dest="given")
    return bool(parser.parse_args().given)
