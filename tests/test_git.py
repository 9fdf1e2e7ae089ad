"""A repository's history and files as records, whatever state the repository is in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect import Memory
from recollect.nouns import Document, Problem
from recollect.sources import git

WHOSE: dict[str, Any] = {"source": "shop", "owner": "local", "scopes": ("work",)}
WHO = ["-c", "user.name=Mara Lind", "-c", "user.email=mara@example.org"]
DATE = {"GIT_AUTHOR_DATE": "2025-03-04T12:00:00Z", "GIT_COMMITTER_DATE": "2025-03-05T12:00:00Z"}


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's git configuration, which a test may write."""
    file = tmp_path / "gitconfig"
    file.write_text('[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return file


def run(repo: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repo), *WHO, *arguments], check=True, capture_output=True, text=True,
        env={**os.environ, **DATE},
    )  # fmt: skip
    return done.stdout.strip()


def commit(repo: Path, message: str, files: dict[str, str | bytes] | None = None) -> str:
    for name, text in (files or {}).items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_bytes(text.encode() if isinstance(text, str) else text)
    run(repo, "add", "-A")
    run(repo, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
    return run(repo, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    run(place, "init", "-q")
    return place


def documents(told: Iterable[Document | Problem]) -> list[Document]:
    """What was told, where nothing may be the matter."""
    found = list(told)
    assert not [item for item in found if isinstance(item, Problem)]
    return [item for item in found if isinstance(item, Document)]


def commits(repo: Path, since: str = "") -> list[Document]:
    return documents(git.commits(repo, **WHOSE, since=since))


def titles(repo: Path, since: str = "") -> list[str]:
    return [document.title for document in commits(repo, since)]


def only_problem(told: Iterable[Document | Problem]) -> Problem:
    (problem,) = told
    assert isinstance(problem, Problem)
    return problem


# ------------------------------------------------------------------ a commit


def test_a_commit_is_an_audit_record(repo: Path) -> None:
    sha = commit(
        repo, "Fixed #34 -- Kept sessions\n\nThey were lost.\n", {"a.py": "1", "b.py": "2"}
    )
    (told,) = commits(repo)
    assert told == Document(
        external=sha,
        source="shop",
        kind="audit",
        title="Fixed #34 -- Kept sessions",
        text="Fixed #34 -- Kept sessions\n\nThey were lost.\n\nA a.py\nA b.py\n\n"
        "author Mara Lind · issue #34 · event commit",
        date=datetime(2025, 3, 4, 12, tzinfo=UTC),
        scopes=("work",),
        meta={
            "commit": sha,
            "issue": ["34"],
            "files": [{"status": "A", "path": "a.py"}, {"status": "A", "path": "b.py"}],
            "files_count": 2,
            "author": "Mara Lind",
            "event": "commit",
        },
    )


def test_a_rename_is_told_with_both_names_even_if_the_file_changed(repo: Path) -> None:
    commit(repo, "one", {"old.py": "line\n" * 50})
    run(repo, "mv", "old.py", "new name.py")
    commit(repo, "two", {"new name.py": "line\n" * 50 + "more\n"})
    newest = commits(repo)[0]
    assert newest.meta["files"] == [{"status": "R", "path": "new name.py", "from": "old.py"}]
    assert "R old.py -> new name.py" in newest.text


def test_names_and_messages_with_odd_characters_are_told(repo: Path) -> None:
    commit(
        repo, "Überraschung 🎉\n\n-- a line\n\x01 control", {'a\tb\n"c".md': "x", "héron.md": "y"}
    )
    (told,) = commits(repo)
    assert told.title == "Überraschung 🎉"
    assert {file["path"] for file in told.meta["files"]} == {'a\tb\n"c".md', "héron.md"}


def test_bytes_that_are_no_text_are_replaced(repo: Path) -> None:
    stream = (
        b"commit refs/heads/main\nauthor M\xe4ra\x07 <m@example.org> 99999999999999 +0000\n"
        b"committer M <m@example.org> 1 +0000\ndata 6\nbad \xff\n\n"
        b'M 100644 inline "caf\\351.txt"\ndata 1\nx\n'
    )
    subprocess.run(["git", "-C", str(repo), "fast-import", "--quiet"], input=stream, check=True)
    (told,) = commits(repo)
    assert (told.title, told.meta["author"]) == ("bad �", "M�ra")
    assert told.meta["files"] == [{"status": "A", "path": "caf�.txt"}]


def test_a_commit_without_a_message_is_called_by_its_hash(repo: Path) -> None:
    sha = commit(repo, "")
    assert titles(repo) == [sha]


def test_of_many_files_a_hundred_are_listed_and_all_are_counted(repo: Path) -> None:
    commit(repo, "import", {f"f{n:03}.txt": str(n) for n in range(250)})
    (told,) = commits(repo)
    assert len(told.meta["files"]) == 100
    assert told.meta["files_count"] == 250
    assert "… and 150 more files" in told.text


def test_a_merge_is_kept_and_knows_its_parents(repo: Path) -> None:
    base = commit(repo, "base", {"a": "1"})
    run(repo, "checkout", "-q", "-b", "side")
    side = commit(repo, "side", {"b": "2"})
    run(repo, "checkout", "-q", "main")
    trunk = commit(repo, "trunk", {"c": "3"})
    run(repo, "merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    merge = commits(repo)[0]
    assert merge.title == "Merge branch 'side'"
    assert merge.meta["parents"] == [trunk, side]
    assert "files" not in merge.meta
    assert {c.external for c in commits(repo)} == {base, side, trunk, merge.external}


@pytest.mark.parametrize(
    ("message", "issues"),
    [
        ("Fixed #34", ["34"]),
        ("Refs #36664, #36665 -- Readded", ["36664", "36665"]),
        ("gh-102 and GH-103", ["102", "103"]),
        ("SHOP-77: pay twice (SHOP-77)", ["SHOP-77"]),
        ("Merge pull request #5 from mara/fix", ["5"]),
        ("squashed (#12)", ["12"]),
        ("bug#9, PR#10, issue #11", ["9", "10", "11"]),
        ("other/repo#8 is not ours", []),
        ("UTF-8, SHA-256, ISO-8601, CVE-2024-1234 and PEP-8", []),
        ("&#39; #000000 #fff a#b ## 7", []),
        ("https://example.org/a/b#12", []),
    ],
)
def test_issues_are_found_in_a_message(repo: Path, message: str, issues: list[str]) -> None:
    commit(repo, message)
    (told,) = commits(repo)
    assert told.meta.get("issue", []) == issues


# ------------------------------------------------------------------ a history


def test_only_what_is_new_is_told_the_second_time(repo: Path) -> None:
    commit(repo, "one")
    commit(repo, "two")
    seen = git.head(repo)
    assert titles(repo) == ["two", "one"]
    assert titles(repo, seen) == []
    commit(repo, "three")
    assert titles(repo, seen) == ["three"]


def test_a_rewritten_history_is_read_again(repo: Path) -> None:
    commit(repo, "one")
    commit(repo, "two")
    seen = git.head(repo)
    run(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "two, better")
    assert titles(repo, seen) == ["two, better", "one"]


@pytest.mark.parametrize("since", ["0" * 40, "main", "--output=x", "gone", "\x00"])
def test_a_former_head_that_is_unknown_means_everything(repo: Path, since: str) -> None:
    commit(repo, "one")
    assert titles(repo, since) == ["one"]
    assert not list(repo.glob("x"))


def test_a_shallow_clone_is_read_with_a_warning_and_again_when_it_is_whole(
    repo: Path, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        commit(repo, name)
    clone = tmp_path / "clone"
    run(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), str(clone))
    warning, *rest = git.commits(clone, **WHOSE)
    assert isinstance(warning, Problem)
    assert (warning.level, "--unshallow" in warning.reason) == ("warning", True)
    assert [d.title for d in documents(rest)] == ["three"]
    seen = git.head(clone)
    assert list(git.commits(clone, **WHOSE, since=seen)) == [warning]
    run(clone, "fetch", "-q", "--unshallow")
    assert titles(clone, seen) == ["three", "two", "one"]


def test_a_repository_without_commits_says_so(repo: Path) -> None:
    problem = only_problem(git.commits(repo, **WHOSE))
    assert (problem.level, "no commits" in problem.reason) == ("skipped", True)
    assert git.head(repo) == ""
    assert documents(git.registry(repo, {}, **WHOSE)) == []


def test_a_detached_head_is_read_from_where_it_is(repo: Path) -> None:
    first = commit(repo, "one")
    commit(repo, "two")
    run(repo, "checkout", "-q", first)
    assert titles(repo) == ["one"]
    assert git.head(repo) == first


def test_bare_repositories_worktrees_and_submodules_are_repositories(
    repo: Path, tmp_path: Path
) -> None:
    commit(repo, "one", {"a.md": "# Heron\n"})
    bare, tree, outer = tmp_path / "bare.git", tmp_path / "tree", tmp_path / "outer"
    run(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))
    run(repo, "worktree", "add", "-q", str(tree))
    outer.mkdir()
    run(outer, "init", "-q")
    run(outer, "submodule", "--quiet", "add", str(repo), "inner")
    commit(outer, "with a submodule")
    for place in (bare, tree, outer / "inner"):
        assert git.is_repository(place), place
        assert titles(place) == ["one"]
        (file,) = documents(git.registry(place, {}, **WHOSE))
        assert (file.path, "Heron" in file.text) == ("a.md", True)
    skipped, *files = git.registry(outer, {}, **WHOSE)
    assert isinstance(skipped, Problem)
    assert (skipped.where, skipped.level) == (str(outer / "inner"), "skipped")
    assert [d.path for d in documents(files)] == [".gitmodules"]


def test_a_folder_in_a_repository_is_not_itself_one(repo: Path) -> None:
    commit(repo, "one", {"sub/a.md": "x"})
    assert git.is_repository(repo)
    assert not git.is_repository(repo / "sub")
    assert not git.is_repository(repo / "nowhere")
    problem = only_problem(git.commits(repo / "sub", **WHOSE))
    assert "not a git repository" in problem.reason


def test_a_clone_without_contents_is_read_without_fetching_any(repo: Path, tmp_path: Path) -> None:
    commit(repo, "one", {"a.md": "line\n" * 50})
    run(repo, "mv", "a.md", "b.md")
    commit(repo, "two", {"b.md": "line\n" * 50 + "more\n"})
    run(repo, "config", "uploadpack.allowFilter", "true")
    run(tmp_path, "clone", "-q", "--filter=blob:none", repo.as_uri(), "clone")
    repo.rename(tmp_path / "gone")
    assert titles(tmp_path / "clone") == ["two", "one"]


# ------------------------------------------------------------------ what must not matter


def test_what_the_user_has_configured_changes_nothing(repo: Path, own_configuration: Path) -> None:
    commit(repo, "one", {"a.py": "line\n" * 30, ".mailmap": "Other <mara@example.org>\n"})
    run(repo, "mv", "a.py", "b.py")
    commit(repo, "two")
    before = commits(repo)
    own_configuration.write_text(
        own_configuration.read_text()
        + "[log]\n\tshowSignature = true\n\tshowRoot = false\n\tmailmap = true\n\tdate = human\n"
        "\tdecorate = full\n[diff]\n\trenames = false\n\trelative = true\n\tnoprefix = true\n"
        "\torderFile = nowhere\n[color]\n\tui = always\n[core]\n\tpager = false\n"
        "\tquotePath = true\n[format]\n\tpretty = oneline\n[i18n]\n\tlogOutputEncoding = latin1\n"
    )
    assert commits(repo) == before
    assert before[0].meta["files"][0]["status"] == "R"


def test_nothing_that_a_repository_configures_is_run(repo: Path, tmp_path: Path) -> None:
    commit(repo, "one", {"a.py": "x", ".gitattributes": "* diff=evil filter=evil\n"})
    trap = tmp_path / "sprung"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv", "gpg.program",
        "diff.evil.command", "filter.evil.clean", "core.sshCommand", "pager.log", "alias.log",
    ):  # fmt: skip
        run(repo, "config", name, str(script))
    run(repo, "config", "log.showSignature", "true")
    trap.unlink(missing_ok=True)
    assert titles(repo) == ["one"]
    assert len(documents(git.registry(repo, {}, **WHOSE))) == 2
    assert git.removed(repo, ["gone"]) == ("gone",)
    assert not trap.exists()


def test_another_repository_named_in_the_environment_is_not_read(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repo, "ours")
    other = tmp_path / "other"
    other.mkdir()
    run(other, "init", "-q")
    commit(other, "theirs")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert titles(repo) == ["ours"]


def test_a_broken_repository_inside_another_is_a_problem_and_not_the_other(repo: Path) -> None:
    commit(repo, "outer")
    (repo / "inner" / ".git").mkdir(parents=True)
    assert isinstance(only_problem(git.commits(repo / "inner", **WHOSE)), Problem)
    assert git.head(repo / "inner") == ""


def test_a_damaged_history_is_told_as_far_as_it_can_be_read(repo: Path) -> None:
    first = commit(repo, "one")
    commit(repo, "two")
    broken = repo / ".git" / "objects" / first[:2] / first[2:]
    broken.chmod(0o644)
    broken.write_bytes(b"garbage")
    told = list(git.commits(repo, **WHOSE))
    assert isinstance(told[-1], Problem)
    assert (told[-1].where, told[-1].level) == (str(repo), "failed")


def fake_git(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_repository_of_another_user_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "fatal: detected dubious ownership in repository at"
    fake_git(tmp_path, f"echo \"{said} '$PWD'\" >&2; exit 128", monkeypatch)
    for told in (git.commits(tmp_path, **WHOSE), git.registry(tmp_path, {}, **WHOSE)):
        problem = only_problem(told)
        assert f"safe.directory {tmp_path}" in problem.reason
    assert git.removed(tmp_path, ["a.py"]) == ()


def test_a_missing_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for told in (git.commits(tmp_path, **WHOSE), git.registry(tmp_path, {}, **WHOSE)):
        assert "install git" in only_problem(told).reason
    assert git.head(tmp_path) == ""


def test_reading_may_be_left_off_at_any_commit(repo: Path) -> None:
    commit(repo, "one")
    commit(repo, "two")
    told: Iterator[Document | Problem] = git.commits(repo, **WHOSE)
    next(told)
    told.close()  # type: ignore[attr-defined]
    assert titles(repo) == ["two", "one"]


def test_two_thousand_commits_are_read_by_a_few_processes(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def history() -> Iterator[bytes]:
        for n in range(2000):
            message = f"Fixed #{n + 1} -- change {n}\n\nFor SHOP-{n + 1}.".encode()
            yield b"commit refs/heads/main\n"
            yield f"committer M <m@example.org> {1_600_000_000 + n} +0000\n".encode()
            yield b"data %d\n%s\nM 100644 inline f%d.txt\ndata 1\nx\n" % (
                len(message), message, n % 50,
            )  # fmt: skip

    stream = b"".join(history())
    subprocess.run(["git", "-C", str(repo), "fast-import", "--quiet"], input=stream, check=True)
    started: list[object] = []
    begin = subprocess.Popen.__init__

    def counted(self: subprocess.Popen[bytes], *arguments: Any, **named: Any) -> None:
        started.append(arguments)
        begin(self, *arguments, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", counted)
    told = commits(repo)
    assert len(started) < 20
    assert len({document.id for document in told}) == 2000
    assert told[0].meta["issue"] == ["2000", "SHOP-2000"]


# ------------------------------------------------------------------ files


def files(repo: Path, known: dict[str, str] | None = None) -> dict[str, Document]:
    return {d.path: d for d in documents(git.registry(repo, known or {}, **WHOSE))}


def test_a_tracked_file_is_a_record_of_its_type_hash_and_summary(repo: Path) -> None:
    commit(repo, "one", {"src/store.py": '"""Where sessions are kept."""\n'})
    (repo / "untracked.py").write_text("x")
    file = files(repo)["src/store.py"]
    assert file.kind == "file"
    assert file.text == "src/store.py\n\nWhere sessions are kept."
    assert file.meta == {
        "type": "python",
        "hash": run(repo, "rev-parse", "HEAD:src/store.py"),
        "size": 31,
    }
    assert set(files(repo)) == {"src/store.py"}


def test_files_that_did_not_change_are_passed_over_and_removed_ones_are_named(repo: Path) -> None:
    commit(repo, "one", {"a.py": "1", "b.py": "2", "c.py": "3"})
    known = {path: file.meta["hash"] for path, file in files(repo).items()}
    assert files(repo, known) == {}
    run(repo, "rm", "-q", "c.py")
    commit(repo, "two", {"b.py": "two", "d.py": "4"})
    assert set(files(repo, known)) == {"b.py", "d.py"}
    assert git.removed(repo, known) == ("c.py",)


def test_a_file_is_the_same_document_when_it_changes(repo: Path) -> None:
    commit(repo, "one", {"a.py": "1"})
    before = files(repo)["a.py"]
    commit(repo, "two", {"a.py": "2"})
    after = files(repo)["a.py"]
    assert before.id == after.id
    assert before.meta["hash"] != after.meta["hash"]


def test_a_link_out_of_the_repository_is_not_followed(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (repo / "link.md").symlink_to(tmp_path / "secret.md")
    commit(repo, "one")
    file = files(repo)["link.md"]
    assert file.meta["type"] == "link"
    assert "Secret" not in file.text


def test_a_file_in_conflict_is_told_once(repo: Path) -> None:
    commit(repo, "base", {"a.md": "# Base\n"})
    run(repo, "checkout", "-q", "-b", "side")
    commit(repo, "side", {"a.md": "# Side\n"})
    run(repo, "checkout", "-q", "main")
    commit(repo, "trunk", {"a.md": "# Trunk\n"})
    with pytest.raises(subprocess.CalledProcessError):
        run(repo, "merge", "-q", "side")
    assert set(files(repo)) == {"a.md"}


def test_a_name_that_cannot_be_kept_is_a_problem_and_the_rest_is_told(repo: Path) -> None:
    commit(repo, "one", {"a.md": "x", "line\nbreak.md": "x"})
    (repo / os.fsdecode(b"caf\xe9.md")).write_text("x")
    commit(repo, "two")
    told = list(git.registry(repo, {}, **WHOSE))
    problems = [item for item in told if isinstance(item, Problem)]
    assert len(problems) == 2
    assert all("rename it" in problem.reason for problem in problems)
    assert any("caf\\xe9.md" in problem.where for problem in problems)
    assert [item.path for item in told if isinstance(item, Document)] == ["a.md"]


@pytest.mark.parametrize(
    ("path", "start", "said"),
    [
        ("a.md", "intro\n\n# Heron ##\n\ntext", "Heron"),
        ("a.md", "---\ntitle: 'The heron'\ntags: x\n---\n# Other", "The heron"),
        ("a.md", "---\ntags: x\n---\n\nBirds\n=====\n", "Birds"),
        ("a.md", "just a line\nand more\n\nnext", "just a line and more"),
        ("a.rst", "Birds\n-----\n\ntext", "Birds"),
        ("a.adoc", "= Birds\n", "Birds"),
        ("a.org", "#+TITLE: Birds\n* one", "Birds"),
        ("a.py", '#!/bin/py\n# -*- coding: x -*-\n\nr"""Finds\nit.\n\nMore."""', "Finds it."),
        ("a.py", "'''Finds herons.'''", "Finds herons."),
        ("a.py", "# Finds herons.\nimport os", "Finds herons."),
        ("a.py", "import os\n# later", ""),
        ("a.py", '"""' + "never closed " * 100, "never closed " * 22 + "never closed …"),
        ("a.js", "/**\n * Finds herons.\n *\n * @param x\n */", "Finds herons."),
        ("a.ts", "// Copyright Mara\n// Licensed under MIT\n\n// Finds herons.\n", "Finds herons."),
        ("a.c", "/* SPDX-License-Identifier: MIT */\n/* Finds herons. */", "Finds herons."),
        ("a.sql", "-- Finds herons.\nselect 1", "Finds herons."),
        ("a.lisp", ";;; Finds herons.\n", "Finds herons."),
        ("a.html", "<!doctype html>\n<!-- Finds herons. -->", "Finds herons."),
        ("Makefile", "# Finds herons.\nall:", "Finds herons."),
        ("a.json", '{"a": 1}', ""),
        ("a.md", "\ufeff# Heron\r\n", "Heron"),
        ("a.bin", "# no\0text", ""),
        ("a.md", "", ""),
    ],
)  # fmt: skip
def test_a_summary_is_what_a_file_says_of_itself(path: str, start: str, said: str) -> None:
    assert git.summary(path, start.encode()) == said


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a/b.py", "python"),
        ("a.b/README.MD", "markdown"),
        ("x.weird", "weird"),
        ("v1.2/Makefile", None),
        (".gitignore", None),
    ],
)
def test_a_type_is_told_by_the_end_of_the_name(repo: Path, path: str, kind: str | None) -> None:
    commit(repo, "one", {path: "x"})
    assert files(repo)[path].meta.get("type") == kind


@given(st.sampled_from(["a.md", "a.py", "a.js", "a"]), st.binary(max_size=300))
def test_any_bytes_have_a_summary_of_one_short_line(path: str, start: bytes) -> None:
    told = git.summary(path, start)
    assert "\n" not in told
    assert len(told) <= git.MAX_SUMMARY + 2


@pytest.mark.parametrize(
    "start", ["/*" * 4096, "# \n" * 2700, "=" * 8192, " \t" * 4096, "#" + " " * 8190, "-- " * 2700]
)
def test_a_summary_takes_no_time_over_odd_bytes(start: str) -> None:
    with processor_seconds(2):
        for path in ("a.md", "a.py", "a.js"):
            git.summary(path, start.encode())


def test_a_file_that_left_the_repository_is_marked_until_it_is_back(repo: Path) -> None:
    commit(repo, "one", {"a.py": "print(1)\n", "b.py": "print(2)\n"})
    with Memory.open("memory://", embed_model="none") as memory:

        def marked() -> set[str]:
            return {one.path for one in memory.list(limit=100).items if one.gone}

        memory.add(repo)
        run(repo, "rm", "-q", "b.py")
        commit(repo, "two")
        memory.add(repo)
        assert marked() == {"b.py"}
        run(repo, "revert", "--no-edit", "HEAD")
        memory.add(repo)
        assert marked() == set()
