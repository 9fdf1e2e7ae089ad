"""Which files a folder says to leave out: ``.gitignore`` and ``.recollectignore``.

Patterns mean what they mean to git, to the byte: the last one that matches decides, ``!`` takes
back, a file in an inner folder outranks one further out, and nothing inside a folder that is left
out can be brought back (a walk does not enter it). What any ``.recollectignore`` says outranks
every ``.gitignore``, so that a project somebody else wrote cannot bring back what the user left
out, and the user can bring back what the project leaves out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Set
from itertools import groupby
from pathlib import Path

from recollect.errors import os_reason
from recollect.named_tuple import NamedTuple
from recollect.nouns import Problem, among

GIT, OURS = ".gitignore", ".recollectignore"
MAX_BYTES = 1_000_000

_STAR, _DEEP, _ANY = "[^/]*", "(?:.*/)?", ".*"
_LAZY = {_DEEP: "(?:.*?/)??", _ANY: ".*?"}
_NEVER = "(?!)"
_BELOW = "(?>(?:[^/]+/)*(?=[^/]))"
"""The folders above an entry, taken once and for all."""
_WILDCARD = re.compile(r"[*?\[\\]")
_ASCII = range(0x80)
_PRINTED = frozenset(range(0x20, 0x7F))
_SPACES = frozenset(b" \t\r\n")
_ALNUM = frozenset(byte for byte in _ASCII if chr(byte).isalnum())
_CLASSES = {
    "alnum": _ALNUM,
    "alpha": frozenset(byte for byte in _ASCII if chr(byte).isalpha()),
    "blank": frozenset(b" \t"),
    "cntrl": frozenset(_ASCII) - _PRINTED,
    "digit": frozenset(b"0123456789"),
    "graph": _PRINTED - _SPACES,
    "lower": frozenset(byte for byte in _ASCII if chr(byte).islower()),
    "print": _PRINTED,
    "punct": _PRINTED - _SPACES - _ALNUM,
    "space": _SPACES,
    "upper": frozenset(byte for byte in _ASCII if chr(byte).isupper()),
    "xdigit": frozenset(b"0123456789abcdefABCDEF"),
}
_MEMBER = re.compile(
    rf"\[:(?P<class>{'|'.join(_CLASSES)}):\]"
    r"|(?!\[:[^\]]*:\])(?P<low>\\.|[^\\])(?:(?<!\0)-(?!\])(?P<high>\\.|[^\\]))?",
    re.DOTALL,
)
"""A member of a set: a class, a character, or a range; no class that is not known."""


class Patterns(NamedTuple):
    """The patterns of an ignore file, compiled."""

    names: str
    """For the name of an entry: where it does not match, nothing is said of that."""
    paths: re.Pattern[str]
    """For paths below the folder of the file, the last line first. The path of a folder has a
    slash before it, the first group; what is taken back matches as a later one."""


class _File(NamedTuple):
    """One ignore file. Its patterns are relative to its own folder: a path loses its first *drop*
    bytes, or gets the folders *add* before it."""

    patterns: Patterns
    drop: int = 0
    add: str = ""


class IgnoreRules(NamedTuple):
    """The rules for one folder of a walk, from the ignore files in it and above it."""

    root: Path
    names: re.Pattern[str] | None = None
    """For the name of an entry, byte by byte: where it does not match, nothing is left out."""
    files: tuple[_File, ...] = ()
    """The one that has the first word comes first: ours, then git's, each from the inside out."""
    ours: int = 0
    """How many of them are ours."""
    problems: tuple[Problem, ...] = ()
    """The ignore files of this folder that could not be read."""

    @classmethod
    def at(cls, root: Path) -> IgnoreRules:
        """Returns the rules for a walk of *root* from the files above it: every
        ``.recollectignore``, and the ``.gitignore`` files of the repository that contains it."""
        rules = cls(root)
        place, inside = str(root), False
        for folder in map(str, reversed(root.parents)):
            inside = inside or os.path.exists(os.path.join(folder, ".git"))
            add = _bytewise(place[len(folder.rstrip("/")) + 1 :]) + "/"
            rules = rules._with(folder, (GIT, OURS) if inside else (OURS,), 0, add)
        return rules

    def child(self, folder: Path | str, names: Collection[str]) -> IgnoreRules:
        """Returns the rules for a folder of the walk with the entries *names* (the root is the
        first)."""
        found = list(among((GIT, OURS), names))
        if not found:
            return self._replace(problems=()) if self.problems else self
        base = _bytewise(Path(folder).relative_to(self.root).as_posix())
        drop = 0 if base == "." else len(base) + 1
        return self._replace(problems=())._with(str(folder), found, drop)

    def ignores(self, relative: str, is_dir: bool) -> bool:
        """Tells whether an entry of this folder is left out; *relative* is its path below the
        root."""
        path = _bytewise(relative)
        for (_, paths), drop, add in self.files:
            match = paths.match(f"/{add}{path[drop:]}" if is_dir else add + path[drop:])
            if match is not None:
                return match.lastindex in (None, 1)
        return False

    def _with(self, folder: str, names: Iterable[str], drop: int, add: str = "") -> IgnoreRules:
        rules = self
        for name in names:
            read = _read(os.path.join(folder, name))
            if isinstance(read, Problem):
                rules = rules._replace(problems=(*rules.problems, read))
            elif read is not None:
                rules = rules._first(_File(read, drop, add), name)
        return rules

    def _first(self, file: _File, name: str) -> IgnoreRules:
        """Returns the rules with one more file, which outranks the others of its name."""
        at = 0 if name == OURS else self.ours
        files = (*self.files[:at], file, *self.files[at:])
        names = re.compile("|".join(f.patterns.names for f in files), re.DOTALL)
        return self._replace(names=names, files=files, ours=self.ours + (name == OURS))


def _bytewise(path: str) -> str:
    """Returns the path with one character for each byte, because git compares bytes."""
    if path.isascii():
        return path
    return path.encode("utf-8", "surrogateescape").decode("latin-1")


def _read(path: str) -> Patterns | Problem | None:
    """Returns the patterns of an ignore file; None if it is no regular file or has no patterns."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"cannot be read: {os_reason(error)}; what it leaves out is imported"
        return Problem(path, why, "warning")
    if len(raw) > MAX_BYTES:
        return Problem(path, "over 1 MB is no list of patterns; not applied", "warning")
    return compiled(raw)


def compiled(raw: bytes) -> Patterns | None:
    """Returns the patterns of an ignore file; None if there are none."""
    lines = raw.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    found = [line for text in reversed(lines) if (line := _line(text.removesuffix("\r"))).regex]
    if not found:
        return None
    names = "|".join(dict.fromkeys(line.name for line in found))
    runs = [
        ("" if anchored else _BELOW) + "(?:" + "|".join(line.regex for line in some) + ")"
        for anchored, some in groupby(found, lambda line: line.anchored)
    ]
    paths = "(/)?+(?:" + "|".join(runs) + ")"
    return Patterns(f"(?:{names})\\Z", re.compile(paths, re.DOTALL))


class _IgnoreLine(NamedTuple):
    regex: str
    """Empty where the line can match nothing."""
    anchored: bool = False
    """It is told from the folder of the file; else it is the name of an entry further down."""
    name: str = ""
    """What the names of the entries that it matches are like."""


def _line(line: str) -> _IgnoreLine:
    if line.startswith("#"):
        return _IgnoreLine("")
    glob = _trimmed(line)
    back = glob.startswith("!")
    glob = glob[back:]
    end = r"\Z(?(1)|(?!))" if glob.endswith("/") else r"\Z"
    glob = glob.removesuffix("/")
    anchored = "/" in glob
    glob = glob.removeprefix("/")
    # git compares what is before the first wildcard by itself, so that `a/b**/` begins with `**`.
    start = len(_WILDCARD.split(glob, maxsplit=1)[0]) if anchored else 0
    body = _regex(_tokens(glob[start:], deep=anchored))
    if not glob or body == _NEVER:
        return _IgnoreLine("")
    name = _name(glob) if anchored else body
    body = re.escape(glob[:start]) + body + end
    return _IgnoreLine(f"({body})" if back else body, anchored, name)


def _name(glob: str) -> str:
    """Returns the expression for the last part of the paths that a pattern matches; one for
    anything where a set, an escape or two stars make it hard to say."""
    glob = glob.removeprefix("**/")
    if any(hard in glob for hard in ("**", "[", "\\")):
        return _ANY
    return _regex(_tokens(glob.rpartition("/")[2], deep=False))


def _trimmed(line: str) -> str:
    """Returns the line without the spaces at its end, except an escaped one."""
    bare = line.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if slashes % 2 else bare


def _tokens(glob: str, *, deep: bool) -> list[str]:
    """Returns the pieces of a pattern, each a gap or the expression for one byte. If *deep*, two
    stars between slashes stand for any number of folders."""
    tokens: list[str] = []
    at = 0
    while at < len(glob):
        token, at = _TOKENS.get(glob[at], _byte)(glob, at, deep)
        tokens.append(token)
    return tokens


def _stars(glob: str, at: int, deep: bool) -> tuple[str, int]:
    end = at + len(glob[at:]) - len(glob[at:].lstrip("*"))
    opens = at == 0 or glob[at - 1] == "/"
    if not deep or end - at < 2 or not opens:
        return _STAR, end
    if glob[end : end + 1] == "/":
        return _DEEP, end + 1
    closes = end == len(glob) or glob.startswith("\\/", end)
    return (_ANY if closes else _STAR), end


def _brackets(glob: str, at: int, _deep: bool) -> tuple[str, int]:
    return _set(glob, at + 1)


def _any_byte(_glob: str, at: int, _deep: bool) -> tuple[str, int]:
    return "[^/]", at + 1


def _escaped(glob: str, at: int, deep: bool) -> tuple[str, int]:
    return _byte(glob, at + 1, deep)


def _byte(glob: str, at: int, _deep: bool) -> tuple[str, int]:
    return (re.escape(glob[at]) if at < len(glob) else _NEVER), at + 1


_TOKENS = {"*": _stars, "[": _brackets, "?": _any_byte, "\\": _escaped}
"""What reads a piece of a pattern, by its first character."""


def _set(glob: str, at: int) -> tuple[str, int]:
    """Returns the expression for a set in brackets, opened before *at*, and where it ends. A
    closing bracket is a member where it is the first character."""
    negated = glob[at : at + 1] in ("!", "^")
    start = at = at + negated
    members: set[int] = set()
    while at == start or glob[at : at + 1] != "]":
        member = _MEMBER.match(glob, at)
        if member is None:
            return _NEVER, len(glob)
        members |= _bytes(member)
        at = member.end()
    listed = "".join(f"\\x{byte:02x}" for byte in sorted(members - {0x2F}))
    if negated:
        return f"[^/{listed}]", at + 1
    return (f"[{listed}]" if listed else _NEVER), at + 1


def _bytes(member: re.Match[str]) -> Set[int]:
    """Returns the bytes of a class, of a range or of one character."""
    if member["class"]:
        return _CLASSES[member["class"]]
    low, high = member.group("low", "high")
    first = ord(low[-1])
    return {first, *range(first, ord((high or low)[-1]) + 1)}


def _regex(tokens: list[str]) -> str:
    """Returns the pieces joined. Of several gaps, each but the last is matched as early as possible
    and never again (an earlier match leaves more for the rest), so that no path takes long."""
    if _NEVER in tokens:
        return _NEVER
    stretches: list[tuple[str, list[str]]] = [("", [""])]
    for token in tokens:
        if token in _LAZY:
            stretches.append((token, [""]))
        elif token == _STAR:
            stretches[-1][1].append("")
        else:
            stretches[-1][1][-1] += token
    out = []
    for number, (gap, parts) in enumerate(stretches):
        body = parts[0] + "".join(f"(?>[^/]*?{part})" for part in parts[1:-1])
        body += _STAR + parts[-1] if len(parts) > 1 else ""
        last = number in (0, len(stretches) - 1)
        out.append(gap + body if last else f"(?>{_LAZY[gap]}{body})")
    return "".join(out)
