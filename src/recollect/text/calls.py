"""The calls of tools, as sessions have them on one line: ``Grep pattern='charge(' path='src'``."""

from __future__ import annotations

import re

from recollect.text.terms import stems

_CALL = re.compile(r"[\w./:-]{1,80} (?=\w+=)")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOOKING = frozenset("search grep glob find lookup fetch recall websearch webfetch ripgrep".split())
"""Parts of the names of tools that only look something up."""
_SHELL = re.compile(
    r"\S+ (?:command|cmd)=(?:\[.*?)?['\"](?:cd \S+ && )?"
    r"(?:git (?:grep|log .*--grep)|[efrz]?grep|rg|ag|ack)\b(?P<rest>[^|;&]*)"
)
"""A command line that begins with a program that looks for words."""
_QUOTED = re.compile(r"\\?(['\"])([^'\"]+?)\\?\1")


def is_call(text: str) -> bool:
    """Whether it is the call of a tool: its name, and the first of its arguments."""
    return _CALL.match(text) is not None


def only_looks(call: str, question: str) -> bool:
    """Whether a call only looks something up: a tool does nothing else, or a program in a shell is
    given words to look for that are mostly those of the *question*. It asks, and says nothing."""
    named = _CALL.match(call)
    if not named:
        return False
    if not _LOOKING.isdisjoint(map(str.lower, _PART.findall(named[0]))):
        return True
    searched = _SHELL.match(call)
    words = (
        stems(" ".join(said for _, said in _QUOTED.findall(searched["rest"]))) if searched else ()
    )
    return len(stems(question).intersection(words)) > len(words) / 2
