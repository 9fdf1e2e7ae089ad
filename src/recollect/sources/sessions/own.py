"""Which calls of tools are recollect's own: its tools as any client names them, and its command in
a shell; and which results are, by what they look like, whatever name it goes by.

In a command line recollect is called where a shell would run it: as the first word of a command,
behind what only runs another program (``env``, ``uv run``, ``python -m``), in a pipe, in ``$(…)``,
in what ``bash -c`` is given, or as the first of a list of arguments. As a path or a word that
another program is given it is none of ours.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any

from recollect.sources.values import mapping

MOST, DEPTH, FIELDS = 8_000, 3, 8
"""Characters of a command that are read, how many commands inside each other, and arguments."""
_TOOLS = (
    "search|gather|record_answer|sessions|remember|curate|forget|context|record|get|list|status"
)
_TOOL = re.compile(
    rf"(?:[\w.:-]{{0,80}}[_.:-])?recollect(?:[_.:/-]{{1,3}}\w{{1,40}}?)?[_.:/-]{{1,3}}"
    rf"(?:{_TOOLS}|status)(?=[\s:]|$)"
)
"""How a tool of ours is named: ``mcp__recollect__search``, ``recollect.search``."""
_SERVED = re.compile(rf"([\w.:-]{{1,80}}?[_.:/-]{{1,3}})(?:{_TOOLS})(?=\s|$)")
"""A call of a tool that is called like one of ours, after the name of its server."""
_ID = r"[0-9a-f]{16}(?::\d+)?"
_FINGERPRINT = r"[0-9a-f]{32}"
_STATUS = "cached_answer|direct_passages|needs_synthesis|no_results|synthesized"
_OUTPUT = re.compile(
    rf"""(?:\S{{1,80}}:\s)?\s*(?:
      (?:{_STATUS})\s·\s.*\n
    | ===\s.*\[{_ID}\]$
    | \[{_ID}\]\s.*\s·\s
    | .{{1,200}}\n.*\s·\s{_ID}$
    | \{{\s*"schema_version":\s\d+,(?s:.{{0,1000}}?)
        "(?:status":\s"(?:{_STATUS})|fingerprint":\s"{_FINGERPRINT})"
    | (?:found|no\sdirect\sanswer|nothing\sknown)\s·\s.*\d\sms$
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""How what we print begins: the text of a tool, a bundle, a document, JSON, and the command's."""
_NAMED = re.compile(r"\brecollect\b|/api/\w")
_FIELD = re.compile(r"\b(command|commands|cmd|script|argv|args|action|chars)=(?=['\"\[{])")
"""The arguments of tools that run something."""
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_BARE = re.compile(r"[\w./:-]{1,80}\s(?!\s*[\w-]+=|\s*\*\*\*)")
"""A call whose argument has no name."""
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")
_RUNS = frozenset(
    """sudo doas env time nohup exec command nice timeout stdbuf xargs uv uvx pipx npx poetry pdm
    hatch rye conda run tool do then else if while until ! {""".split()
)
"""Words behind which a shell finds the program that is run."""
_PYTHON = re.compile(r"python[\d.]*")
_SHELL = re.compile(r"(?:ba|z|da|k|fi)?sh")
_GIVEN = re.compile(r"-\w*c")
"""The option before the command that a shell is given."""
_SKIPPED = re.compile(r"\w+=.*|[\d.]+[smhd]?", re.DOTALL)
"""An assignment, or a number that ``timeout`` is given."""


def is_own(tool: str) -> bool:
    """Whether the call of a tool, or a result that begins with its name, is one of ours."""
    tool = tool.lstrip()
    if _TOOL.match(tool):
        return True
    call = tool.partition("\n")[0]
    return "recollect" in call and any(map(_runs_us, _commands(call)))


def is_own_output(text: str) -> bool:
    """Whether the result of a tool begins as what recollect prints does."""
    return _OUTPUT.match(text) is not None


def server_of(call: str) -> str:
    """Returns what stands before the name of the tool in a call, where that is a name of ours; else
    an empty string."""
    served = _SERVED.match(call.lstrip())
    return served[1] if served else ""


def may_be_own(call: str) -> bool:
    """Whether a call can be one of ours, if its result looks like it."""
    return bool(server_of(call) or _NAMED.search(call))


def _commands(call: str) -> Iterator[str]:
    """Yields what a tool is told to run."""
    found = list(islice(_FIELD.finditer(call), FIELDS))
    for field in found:
        yield from _lines(_value(call, field.end()))
    bare = None if found else _BARE.match(call)
    if bare:
        yield call[bare.end() :]


def _value(call: str, at: int) -> Any:
    """Returns the value of an argument, as :func:`.turns.tool_call` writes it."""
    quoted = _QUOTED.match(call, at)
    try:
        if quoted:
            return ast.literal_eval(quoted[0])
        return json.JSONDecoder().raw_decode(call, at)[0]
    except (ValueError, SyntaxError, RecursionError):
        return call[at:].lstrip("'\"")


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        words = [one for one in value if isinstance(one, str)]
        yield shlex.join(words)
    else:
        yield from chain.from_iterable(map(_lines, mapping(value).values()))


def _runs_us(line: str, depth: int = DEPTH) -> bool:
    """Whether a command line runs recollect."""
    if "recollect" not in line[:MOST] or not depth:
        return False
    commands = list(_simple("\n".join(_typed(line[:MOST].splitlines()))))
    inner = chain.from_iterable(map(_inner, commands))
    return any(map(_is_us, commands)) or any(_runs_us(one, depth - 1) for one in inner)


def _typed(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines without those that a command is handed as its input (``<<EOF``)."""
    end = ""
    for line in lines:
        if end:
            end = "" if line.strip() == end else end
            continue
        found = _HEREDOC.search(line)
        end = found[1] if found else ""
        yield line


def _inner(words: Sequence[str]) -> Iterator[str]:
    """Yields the command lines in the words of a command: in ``$(…)``, and what a shell is
    given."""
    for word in words:
        start, end = word.find("$("), word.rfind(")")
        if 0 <= start < end:
            yield word[start + 2 : end]
        yield from word.split("`")[1::2]
    if any(_SHELL.fullmatch(word.rpartition("/")[2]) for word in words):
        yield from (line for option, line in pairwise(words) if _GIVEN.fullmatch(option))


def _simple(line: str) -> Iterator[list[str]]:
    """Yields the words of each command in a line."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    words: list[str] = []
    for word in _tokens(lexer):
        if set(word) <= set(";&|()\n"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _tokens(lexer: shlex.shlex) -> Iterator[str]:
    """Yields the words up to a quotation mark that is not closed."""
    try:
        yield from lexer
    except ValueError:
        return


def _is_us(words: Iterable[str]) -> bool:
    """Whether the program of a command is recollect."""
    option = ""
    for word in words:
        name = word.rpartition("/")[2]
        if option == "-m" or name == "recollect":
            return name == "recollect"
        runs = name in _RUNS or _PYTHON.fullmatch(name) or _SKIPPED.fullmatch(word)
        if not (runs or word.startswith("-") or option):
            return False
        option = word if word.startswith("-") else ""
    return False
