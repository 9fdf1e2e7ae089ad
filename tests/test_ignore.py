"""Ignore files mean what they mean to git, and ours outrank git's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect.sources.ignore import GIT, OURS, IgnoreRules

NAMES = ["a", "b", "ab", "abc", "a.b", "b ", " a", "!a", "#a", "é", "[a]", "a-b", "-", "]", "^",
         "\\a", "*", "A", "a1"]  # fmt: skip


def plant(root: Path, *files: str, **ignore_files: str) -> Path:
    """Empty files at these paths (a folder ends in a slash), and a ``.gitignore``."""
    root.mkdir(parents=True, exist_ok=True)
    for name in files:
        path = root / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.touch()
    for name, content in ignore_files.items():
        (root / {"git": GIT, "ours": OURS}[name]).write_text(content)
    return root


def left_out(
    root: Path, rules: IgnoreRules | None = None, folder: Path | None = None
) -> Iterator[str]:
    """What a walk would leave out; a folder that is left out is named with all that is in it."""
    folder = folder or root
    entries = [e for e in sorted(os.scandir(folder), key=lambda e: e.name) if e.name != ".git"]
    rules = (rules or IgnoreRules.at(root)).child(folder, {e.name for e in entries})
    for entry in entries:
        path = folder / entry.name
        if rules.ignores(path.relative_to(root).as_posix(), entry.is_dir()):
            name = os.fsencode(entry.name).decode("latin-1")
            assert rules.names is not None
            assert rules.names.match(name), "a walk would not have asked"
            yield path.relative_to(root).as_posix()
            yield from (p.relative_to(root).as_posix() for p in path.rglob("*"))
        elif entry.is_dir():
            yield from left_out(root, rules, path)


def seen(root: Path) -> set[str]:
    return set(left_out(root)) - {".gitignore", ".recollectignore"}


# ------------------------------------------------------------------ against git itself


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(root: Path, *arguments: str, stdin: str = "") -> str:
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
             "GIT_CEILING_DIRECTORIES": str(root.parent), "PATH": os.environ["PATH"]}  # fmt: skip
    ran = subprocess.run(
        ["git", *arguments], cwd=root, env=alone, input=stdin.encode(), stdout=subprocess.PIPE
    )
    assert ran.returncode in (0, 1)
    return ran.stdout.decode()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree in which many names are those of files and folders, three deep."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "--quiet")
    for number, name in enumerate(NAMES):
        above = [NAMES[(number * step) % len(NAMES)] for step in (5, 7)]
        plant(root, name if number % 2 else f"{name}/", f"x/{name}",
              f"x/y/{name}/{above[0]}", f"é/{above[1]}/{name}/z/{above[0]}")  # fmt: skip
    return root


PIECES = [
    "a", "b", "x", "y", "z", ".", "-", "é", "A", "1", "*", "*", "**", "***", "?", "/", "/", "**/",
    "/**", "\\", "\\*", "\\ ", "\\\\", "!", "#", " ", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]",
    "[a-]", "[-a]", "[\\]]", "[a\\-c]", "[[:alpha:]]", "[[:punct:]b]", "[[:none:]]", "[[:a]",
    "[a", "[", "]",
]  # fmt: skip
patterns = st.builds(
    lambda back, root, pieces, end: back + root + "".join(pieces) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from(["", "", "", "/", " ", "\r"]),
)
ignore_files = st.lists(patterns, min_size=1, max_size=5).map("\n".join)


@needs_git
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["", "x", "x/y", "é"]), ignore_files, min_size=1))
def test_the_same_paths_are_left_out_as_by_git(repository: Path, content: dict[str, str]) -> None:
    paths = [p.relative_to(repository).as_posix() for p in repository.rglob("*")
             if ".git" not in p.relative_to(repository).parts]  # fmt: skip
    files = [repository / folder / GIT for folder in content]
    for file, text in zip(files, content.values(), strict=True):
        file.write_bytes(text.encode())
    try:
        said = git(repository, "check-ignore", "--no-index", "-z", "--stdin",
                   stdin="\0".join(paths))  # fmt: skip
        ours = {path for path in left_out(repository) if not path.endswith(GIT)}
        assert ours == {path for path in said.split("\0") if path}
    finally:
        for file in files:
            file.unlink()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("*.log", {"one.log", "logs/two.log", "logs/deep/three.log"}),
        ("/*.log", {"one.log"}),
        ("logs/*.log", {"logs/two.log"}),
        ("logs/**/*.log", {"logs/two.log", "logs/deep/three.log"}),
        ("**/deep", {"logs/deep", "logs/deep/three.log"}),
        ("one.log/", set()),
        ("*.log\n!two.log", {"one.log", "logs/deep/three.log"}),
        ("!two.log\n*.log", {"one.log", "logs/two.log", "logs/deep/three.log"}),
        ("logs/\n!logs/two.log", {"logs", "logs/two.log", "logs/deep", "logs/deep/three.log"}),
        ("# *.log\n\n   \n", set()),
        ("[no]ne.log\r\n", {"one.log"}),
        ("[", set()),
        ("\ufeffone.log", {"one.log"}),
    ],
)
def test_patterns_do_what_gits_manual_says(tmp_path: Path, lines: str, expected: set[str]) -> None:
    root = plant(tmp_path / "r", "one.log", "logs/two.log", "logs/deep/three.log", git=lines)
    assert seen(root) == expected


# ------------------------------------------------------------------ what is ours


def test_ours_outranks_every_gitignore_whatever_is_deeper(tmp_path: Path) -> None:
    root = plant(tmp_path / "r", "keep/a.txt", "keep/b.txt", ours="b.txt\n!a.txt")
    plant(root / "keep", git="a.txt\n!b.txt")
    assert {path for path in left_out(root) if path.endswith("txt")} == {"keep/b.txt"}


def test_a_folder_inside_a_project_is_under_the_files_above_it(tmp_path: Path) -> None:
    top = plant(tmp_path / "top", ".git/", "docs/out/x.md", "docs/tmp/y.md", "docs/z.md",
                git="/docs/out/\n/out/\n", ours="docs/z.md\n")  # fmt: skip
    assert seen(top / "docs") == {"out", "out/x.md", "z.md"}


def test_a_gitignore_outside_any_repository_reaches_no_further_in(tmp_path: Path) -> None:
    plant(tmp_path / "top", "docs/z.md", git="*.md")
    assert seen(tmp_path / "top" / "docs") == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_an_ignore_file_that_cannot_be_read_is_named_once(tmp_path: Path) -> None:
    root = plant(tmp_path / "r", "in/a.md", ours="*")
    (root / OURS).chmod(0)
    rules = IgnoreRules.at(root).child(root, {OURS, "in"})
    assert [(p.where, p.level) for p in rules.problems] == [(str(root / OURS), "warning")]
    assert not rules.child(root / "in", {"a.md"}).problems


def test_what_is_no_list_of_patterns_is_named_and_the_rest_still_counts(tmp_path: Path) -> None:
    root = plant(tmp_path / "r", "a.md", git="a.md")
    (root / OURS).write_bytes(b"x" * 2_000_000)
    rules = IgnoreRules.at(root).child(root, {GIT, OURS})
    assert [p.where for p in rules.problems] == [str(root / OURS)]
    assert rules.ignores("a.md", is_dir=False)


def test_a_folder_or_a_pipe_by_that_name_is_no_ignore_file(tmp_path: Path) -> None:
    root = plant(tmp_path / "r", ".gitignore/a.md")
    os.mkfifo(root / OURS)
    rules = IgnoreRules.at(root).child(root, {GIT, OURS})
    assert (rules.files, rules.problems) == ((), ())


def test_a_name_that_is_not_utf8_can_be_asked_about(tmp_path: Path) -> None:
    root = plant(tmp_path / "r", git="*.log")
    assert IgnoreRules.at(root).child(root, {GIT}).ignores(os.fsdecode(b"\xff.log"), is_dir=False)


@pytest.mark.parametrize(
    "pattern", ["*a*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/b", "a**a**a**/b", "/**/*a*a*a*b/**/c"]
)
def test_no_pattern_takes_long(tmp_path: Path, pattern: str) -> None:
    root = plant(tmp_path / "r", git=pattern)
    rules = IgnoreRules.at(root).child(root, {GIT})
    with processor_seconds(2):
        for path in ("a" * 255, "a/" * 2000 + "a", ("a" * 200 + "/") * 20 + "a"):
            assert not rules.ignores(path, is_dir=True)
