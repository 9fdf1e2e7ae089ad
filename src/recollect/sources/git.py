"""A git repository as project records: its commits as audit records, its files as a registry.

The git program reads it; nothing is written, fetched or run on its behalf. What the repository
or the user has configured changes nothing, for every option that matters is given. A commit is
known by its hash and a file by its path and the hash of its content, so that a second reading
tells only what is new, and reading everything again changes nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGPIPE
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from typing import IO

from recollect.errors import InputError, os_reason
from recollect.named_tuple import NamedTuple
from recollect.nouns import REGISTRY, Document, Problem, json_list, not_among, not_none, stable_id
from recollect.sources.records import record
from recollect.sources.summary import CONTROL, file_type
from recollect.sources.summary import MAX_SUMMARY as MAX_SUMMARY
from recollect.sources.summary import summary as summary
from recollect.sources.values import nonempty

MAX_FILES = 100
"""Of a commit's files, those that are listed; all are counted."""
HEAD_BYTES = 8192
"""How much of a file is read for its summary."""
MAX_SUMMARISED = 1_000_000
"""A file of more bytes has no summary: git would unpack all of it."""

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class _GitFailed(Exception):
    """git could not do it; the text says why and what to do."""


def is_repository(path: Path) -> bool:
    """Whether the folder itself is a repository: a clone, a worktree, a submodule or bare."""
    inside = path / ".git"
    try:
        if inside.is_file():
            with open(inside, "rb") as stream:
                return stream.read(8) == b"gitdir: "
        place = inside if inside.is_dir() else path
        return (place / "HEAD").exists() and all((place / d).is_dir() for d in ("objects", "refs"))
    except OSError:
        return False


def head(repo: Path) -> str:
    """What to give :func:`commits` as *since* the next time: the commit that HEAD is at, with a
    mark of where a shallow history ends. Empty where there is no commit. Ask before reading: a
    commit that is made meanwhile is then told twice, and not never."""
    try:
        at = _run(repo, "rev-parse", "--verify", "HEAD^{commit}").decode().strip()
        end = _shallow_end(repo)
    except _GitFailed:
        return ""
    return f"{at}+{end}" if end else at


# ------------------------------------------------------------------ commits

_LOG = (
    *"log -z --no-color --no-decorate --no-notes --no-show-signature --no-ext-diff".split(),
    *"--no-textconv --ignore-submodules=none --encoding=UTF-8 --name-status".split(),
    *"-O/dev/null -l400 --format=tformat:%x00%H%x00%P%x00%an%x00%at%x00%B%x00".split(),
)
_NAMES = (
    *"log -z --no-color --no-decorate --no-notes --no-show-signature --no-ext-diff".split(),
    *"--no-textconv --no-renames --name-only --format=tformat:%x00%H%x20%at".split(),
)
_STATUS = re.compile(rb"\n*([A-Z])\d*")
_ISSUE = re.compile(
    r"(?<![\w/&#])(?i:(?:PR|GH|bug|issue|ticket) ?)?#([1-9]\d{0,6})\b"
    r"|\b(?i:GH-)([1-9]\d{0,6})\b"
    r"|(?<![\w-])([A-Z][A-Z0-9]{1,9})-([1-9]\d{0,5})(?![\w-])"
)
_NO_PROJECT = frozenset(
    "UTF ISO SHA MD RFC CVE CWE PEP AES RSA GPT HTTP TLS SSL IPV BASE WIN CP COVID ES ECMA UCS "
    "MP LATIN TOP PHASE STEP PART".split()
)
"""What looks like the key of a project in a tracker and is not: UTF-8, SHA-256, PEP-8."""


class _Change(NamedTuple):
    """A file of a commit, with git's status letter."""

    status: str
    path: str
    former: str = ""

    def as_json(self) -> dict[str, str]:
        return {"status": self.status, "path": self.path, **nonempty(**{"from": self.former})}

    def line(self) -> str:
        return f"{self.status} {self.former and self.former + ' -> '}{self.path}"


class _Commit(NamedTuple):
    hash: str
    parents: list[str]
    author: str
    time: str
    message: str
    changes: list[_Change]
    files: int


def commits(
    repo: Path, source: str, owner: str, scopes: tuple[str, ...], since: str = ""
) -> Iterator[Document | Problem]:
    """The commits that HEAD leads to, newest first, less those of a former head (*since*).

    Everything is read where *since* is no ancestor of HEAD, because the history was rewritten,
    and where a shallow history has become deeper. A merge is told without the files of what it
    merged, which are told by the commits it brought.
    """
    try:
        if not _has_commits(repo):
            yield Problem(str(repo), "there are no commits on its current branch yet", "skipped")
            return
        end = _shallow_end(repo)
        if end:
            said = "a shallow clone; get the older commits with `git fetch --unshallow`"
            yield Problem(str(repo), said, "warning")
        former, _, former_end = since.partition("+")
        known = [f"^{former}"] if end == former_end and _is_ancestor(repo, former) else []
        # To see that a changed file was renamed takes its content, which a partial clone lacks.
        alike = "--find-renames=100%" if _is_partial(repo) else "--find-renames"
        with _opened(repo, *_LOG, alike, *known, "HEAD", "--") as (_, log):
            for commit in _parsed(_tokens(log)):
                yield _commit_record(commit, source, owner, scopes)
    except _GitFailed as error:
        yield Problem(str(repo), str(error))


class Changed(NamedTuple):
    """The commit that changed a file last."""

    commit: str
    date: datetime | None


def last_changes(repo: Path, wanted: Iterable[str]) -> dict[str, Changed]:
    """Returns by path the last change of each *wanted* file that is as HEAD has it; none where
    there is no repository, or it cannot be read. The log is read until all are found."""
    if not is_repository(repo):
        return {}
    found: dict[str, Changed] = {}
    try:
        differs = _run(repo, "diff", "--no-ext-diff", "--name-only", "-z", "HEAD", "--")
        left = set(wanted) - set(map(os.fsdecode, differs.split(b"\0")))
        with _opened(repo, *_NAMES, "HEAD", "--") as (_, log):
            at = Changed("", None)
            for token in _tokens(log):
                commit, _, time = token.decode("ascii", "replace").partition(" ")
                path = os.fsdecode(token.removeprefix(b"\n"))
                if _HASH.fullmatch(commit):
                    at = Changed(commit, _moment(time))
                elif path in left:
                    found[path] = at
                    left.discard(path)
                if not left:
                    break
    except _GitFailed:
        return {}
    return found


def _parsed(tokens: Iterator[bytes]) -> Iterator[_Commit]:
    """Yields commits from the fields of a log: hash, parents, author, time and message, then a
    status and a path (two for a rename) for each file."""
    token = _next_hash(tokens)
    while token:
        parents, author, time, message = (_decoded(next(tokens, b"")) for _ in range(4))
        changes: list[_Change] = []
        files, following = 0, ""
        for each in tokens:
            status = _STATUS.fullmatch(each)
            if status:
                former = _decoded(next(tokens, b"")) if status[1] in b"RC" else ""
                path = _decoded(next(tokens, b""))
                files += 1
                if files <= MAX_FILES:
                    changes.append(_Change(status[1].decode(), path, former))
            elif each:
                following = _hash(each)
                break
        yield _Commit(token, parents.split(), author, time, message, changes, files)
        token = following


def _next_hash(tokens: Iterator[bytes]) -> str:
    return next(map(_hash, filter(None, tokens)), "")


def _hash(token: bytes) -> str:
    text = _decoded(token)
    if not _HASH.fullmatch(text):
        raise _GitFailed(f"git told its log in a form that is not understood: {text[:80]!r}")
    return text


def _commit_record(commit: _Commit, source: str, owner: str, scopes: tuple[str, ...]) -> Document:
    title, _, body = commit.message.strip().partition("\n")
    files = [change.line() for change in commit.changes]
    if commit.files > len(files):
        files.append(f"… and {commit.files - len(files)} more files")
    meta = nonempty(
        commit=commit.hash,
        issue=_issues(commit.message),
        parents=commit.parents[1:] and commit.parents,
        files=json_list(commit.changes),
        files_count=commit.files,
    )
    return record(
        "audit",
        body="\n\n".join(filter(None, (body.strip("\n"), "\n".join(files)))),
        source=source,
        owner=owner,
        scopes=scopes,
        author=CONTROL.sub(" ", commit.author).strip(),
        title=CONTROL.sub(" ", title).strip() or commit.hash,
        event="commit",
        date=_moment(commit.time),
        id=commit.hash,
        meta=meta,
        max_body=sys.maxsize,
    )


def _issues(message: str) -> list[str]:
    """Returns the issues that a message names, each once; ``owner/repo#1`` is another
    repository's."""
    named = (match.groups() for match in _ISSUE.finditer(message))
    found = [
        number or short or f"{project}-{of_project}"
        for number, short, project, of_project in named
        if project not in _NO_PROJECT
    ]
    return list(dict.fromkeys(found))[:MAX_FILES]


def _moment(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None


# ------------------------------------------------------------------ files


class _TreeEntry(NamedTuple):
    """What git knows of a tracked file without reading it."""

    mode: bytes
    hash: str


_LINK, _SUBMODULE = b"120000", b"160000"


def registry(
    repo: Path, known: Mapping[str, str], source: str, owner: str, scopes: tuple[str, ...]
) -> Iterator[Document | Problem]:
    """A record of each tracked file whose content is not the *known* one (path to hash).

    What has been committed or staged is told, whatever the working tree holds.
    """
    try:
        tracked = _tracked(repo)
        fresh = {p: entry for p, entry in tracked.items() if known.get(p) != entry.hash}
        files = {p: entry for p, entry in fresh.items() if entry.mode != _SUBMODULE}
        for path in sorted(fresh.keys() - files.keys()):
            yield Problem(str(repo / path), "a submodule; add its folder to import it", "skipped")
        sizes = _sizes(repo, files.values())
        with _opened(repo, "cat-file", "--batch") as (ask, told):
            for path, entry in files.items():
                size = sizes.get(entry.hash)
                readable = entry.mode != _LINK and size is not None and size <= MAX_SUMMARISED
                start = _start(ask, told, entry.hash) if readable else b""
                yield _file_record(repo, path, entry, size, start, (source, owner, scopes))
    except _GitFailed as error:
        yield Problem(str(repo), str(error))


def removed(repo: Path, known: Iterable[str]) -> tuple[str, ...]:
    """Returns the *known* paths that are no longer tracked; none if the repository cannot be
    read."""
    try:
        tracked = _tracked(repo)
    except _GitFailed:
        return ()
    return tuple(sorted(not_among(known, tracked)))


def _tracked(repo: Path) -> dict[str, _TreeEntry]:
    """Returns the tracked files: those of the index, or of HEAD in a bare repository."""
    bare = _run(repo, "rev-parse", "--is-bare-repository").strip() == b"true"
    if bare and not _has_commits(repo):
        return {}
    command = ("ls-tree", "-r", "-z", "--full-tree", "HEAD") if bare else ("ls-files", "-s", "-z")
    found: dict[str, _TreeEntry] = {}
    for line in _run(repo, *command).split(b"\0"):
        about, _, name = line.partition(b"\t")
        if name:
            mode, one, two = about.split()
            entry = _TreeEntry(mode, (two if bare else one).decode())
            found.setdefault(os.fsdecode(name), entry)  # a file in conflict comes once a side
    return found


def _sizes(repo: Path, entries: Iterable[_TreeEntry]) -> dict[str, int]:
    """Returns the size of each blob that the repository has, by its hash."""
    asked = "".join(f"{entry.hash}\n" for entry in entries).encode()
    told = _run(repo, "cat-file", "--batch-check=%(objectname) %(objectsize)", given=asked)
    pairs = map(str.split, told.decode().splitlines())
    return {name: int(size) for name, size in pairs if size.isdigit()}


def _start(ask: IO[bytes], told: IO[bytes], content: str) -> bytes:
    """Returns the first bytes of a blob, from a running ``cat-file``."""
    try:
        ask.write(f"{content}\n".encode())
        ask.flush()
    except BrokenPipeError:
        raise _GitFailed("git ended before all files were read; try `git fsck`") from None
    *_, size = told.readline().split() or [b""]
    if not size.isdigit():
        return b""
    start = told.read(min(int(size), HEAD_BYTES))
    rest = int(size) - len(start) + 1
    while rest > 0 and (passed := told.read(min(rest, 1 << 16))):
        rest -= len(passed)
    return start


def _file_record(
    repo: Path,
    path: str,
    entry: _TreeEntry,
    size: int | None,
    start: bytes,
    whose: tuple[str, str, tuple[str, ...]],
) -> Document | Problem:
    source, owner, scopes = whose
    kind = "link" if entry.mode == _LINK else file_type(path)
    known = {"type": kind or None, "hash": entry.hash, "size": size}
    meta = not_none(known)
    try:
        told = record(
            "file",
            body=summary(path, start),
            source=source,
            owner=owner,
            scopes=scopes,
            title=path,
            path=path,
            id=path,
            meta=meta,
        )
    except InputError as error:
        where = os.fsencode(repo / path).decode("utf-8", "backslashreplace")
        return Problem(where, f"its name cannot be kept: {error.message}; rename it")
    return told._replace(origin=REGISTRY)


# ------------------------------------------------------------------ the git program

_OPTIONS = (
    *"--no-pager --no-optional-locks --no-replace-objects".split(),
    *"-c core.fsmonitor=false -c core.hooksPath=/dev/null -c log.showRoot=true".split(),
    *"-c log.mailmap=false -c diff.relative=false -c submodule.recurse=false".split(),
)
_KEPT = frozenset({"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"})


def _environment(repo: Path) -> dict[str, str]:
    """Returns an environment that limits git to this repository, whatever a hook or a shell has
    set, without network and prompts."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in _KEPT}
    return own | {
        "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(repo)),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def _command(repo: Path, arguments: Iterable[str]) -> list[str]:
    return ["git", *_OPTIONS, "-C", os.path.realpath(repo), *arguments]


@contextmanager
def _opened(repo: Path, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Runs git and yields its standard input and output. Raises _GitFailed if it fails."""
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                _command(repo, arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(repo),
            )
        except OSError as error:
            raise _not_run(error) from None
        with process:
            assert process.stdin
            assert process.stdout
            try:
                yield process.stdin, process.stdout
            except BaseException:
                process.kill()
                raise
        if process.returncode not in (0, -SIGPIPE):  # who has read enough closes the pipe
            errors.seek(0)
            raise _GitFailed(_why(repo, errors.read(), process.returncode))


def _asked(repo: Path, *arguments: str, given: bytes = b"") -> CompletedProcess[bytes]:
    try:
        return subprocess.run(
            _command(repo, arguments),
            input=given,
            capture_output=True,
            check=False,
            env=_environment(repo),
        )
    except OSError as error:
        raise _not_run(error) from None


def _run(repo: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Returns the standard output of git. Raises _GitFailed if it fails."""
    done = _asked(repo, *arguments, given=given)
    if done.returncode:
        raise _GitFailed(_why(repo, done.stderr, done.returncode))
    return done.stdout


def _not_run(error: OSError) -> _GitFailed:
    if isinstance(error, FileNotFoundError):
        return _GitFailed("the git program was not found; install git and try again")
    return _GitFailed(f"git cannot be run: {os_reason(error)}")


def _why(repo: Path, stderr: bytes, code: int) -> str:
    said = _decoded(stderr)
    if "dubious ownership" in said:
        return (
            "git refuses it because another user owns it; if you trust it, run "
            f"`git config --global --add safe.directory {os.path.realpath(repo)}`"
        )
    if "promisor" in said:
        return "a partial clone that lacks what is needed; try `git fetch --refetch --no-filter`"
    lines = (f"exit status {code}", *filter(str.strip, said.splitlines()))
    return f"git could not read it: {lines[-1]}"


def _has_commits(repo: Path) -> bool:
    done = _asked(repo, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if done.returncode and done.stderr.strip():
        raise _GitFailed(_why(repo, done.stderr, done.returncode))
    return done.returncode == 0


def _is_ancestor(repo: Path, commit: str) -> bool:
    if not _HASH.fullmatch(commit):
        return False
    return _asked(repo, "merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def _is_partial(repo: Path) -> bool:
    return _asked(repo, "config", "--get-regexp", r"^remote\..*\.promisor$").returncode == 0


def _shallow_end(repo: Path) -> str:
    """Returns an id of the boundary of a shallow clone; empty for a full clone."""
    place = os.fsdecode(_run(repo, "rev-parse", "--git-path", "shallow").rstrip(b"\n"))
    try:
        return stable_id((Path(os.path.realpath(repo)) / place).read_text("ascii", "replace"))
    except OSError:
        return ""


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """Yields the NUL-separated fields of a stream."""
    rest = b""
    while piece := stream.read(1 << 18):
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
