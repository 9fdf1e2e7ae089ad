"""The date of a statement: what a text says comes before what its file says."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import Cli
from recollect import Memory
from recollect.text.stated import written

CLONED = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def kept(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    os.utime(file, (CLONED.timestamp(), CLONED.timestamp()))


def said(folder: Path, question: str = "upload size") -> tuple[str, str]:
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(folder)
        first = memory.search(question, cache=False).as_json()["shown"][0]
        return first["date"][:10], first["dated"]


@pytest.mark.parametrize(
    ("name", "text", "date", "dated"),
    [
        ("a.md", "---\ndate: 2026-03-03\n---\nThe upload size is 25 MB.", "2026-03-03", "header"),
        ("a.md", "Date: 3 March 2026\n\nThe upload size is 25 MB.", "2026-03-03", "header"),
        ("a.md", "# Limits, 3 March 2026\n\nThe upload size is 25 MB.", "2026-03-03", "title"),
        ("2026-03-03-limits.md", "The upload size is 25 MB.", "2026-03-03", "name"),
        ("limits-2026-03.md", "The upload size is 25 MB.", "2026-03-01", "name"),
        ("202603031030 limits.md", "The upload size is 25 MB.", "2026-03-03", "name"),
        ("a.md", "---\ndate: 202603031030\n---\nThe upload size is 25 MB.", "2026-03-03", "header"),
        (
            "a.md",
            "---\ncreated: 20260303103000\n---\nThe upload size is 25 MB.",
            "2026-03-03",
            "header",
        ),
        ("a.md", "# Limits until 31 Dec 2099\n\nThe upload size is 25 MB.", "2026-11-16", "file"),
        ("a.md", "# Limits, due 3 March 2026\n\nThe upload size is 25 MB.", "2026-11-16", "file"),
        ("server-2049-10.md", "The upload size is 25 MB.", "2026-11-16", "file"),
        ("2026/03/03.md", "The upload size is 25 MB.", "2026-03-03", "name"),
        ("a.md", "# Log\n\n## 3 Nov 2025\n\nThe upload size is 25 MB.", "2025-11-03", "heading"),
        ("a.md", "# Log\n\n- 3 November 2025: upload size is 25 MB", "2025-11-03", "text"),
        ("a.md", "Since 1 April 2026 the upload size is 25 MB.", "2026-04-01", "text"),
        ("a.md", "In March 2026 the upload size went to 25 MB.", "2026-03-01", "text"),
        ("a.md", "Im März 2026 wurde die upload size 25 MB.", "2026-03-01", "text"),
        ("a.md", "En marzo de 2026 la upload size es 25 MB.", "2026-03-01", "text"),
        ("a.md", "La upload size es 25 MB desde septiembre de 2026.", "2026-09-01", "text"),
        ("a.md", "En mars 2026 la upload size est 25 Mo.", "2026-03-01", "text"),
        ("a.md", "Mise à jour du 4 août 2026 : upload size de 25 Mo.", "2026-08-04", "text"),
        ("a.md", "Update (4 August 2026): the upload size is 25 MB.", "2026-08-04", "text"),
        ("a.md", "Seit dem 3.11.26 ist die upload size 25 MB.", "2026-11-03", "text"),
        ("a.md", "The upload size of release 3.11.26 is 25 MB.", "2026-11-16", "file"),
        ("a.md", "2 марта 2026: upload size 25 МБ.", "2026-03-02", "text"),
        ("a.md", "As of Q2 2026 the upload size is 25 MB.", "2026-04-01", "text"),
        ("a.md", "# Log\n\n- [2026-03-03] the upload size is 25 MB.", "2026-03-03", "text"),
        ("a.md", "# Log\n\n- Since 3 March 2026 upload size 25 MB.", "2026-03-03", "text"),
        ("a.md", "By March 2026 the upload size is 25 MB.", "2026-11-16", "file"),
        (
            "a.md",
            "# Box\n\n- Rent 12 (contract from April 2024)\n- The upload size is 25 MB.",
            "2026-11-16",
            "file",
        ),
        (
            "a.md",
            "# Box\n\n```\nprune --from 2026-05-01 # upload size is 25 MB\n```",
            "2026-11-16",
            "file",
        ),
        ("a.md", "Upload size is 25 MB: `prune --from 2026-05-01`.", "2026-11-16", "file"),
        ("a.md", "The upload size is 25 MB until 31 December 2026.", "2026-11-16", "file"),
        ("a.md", "The upload size is 25 MB.", "2026-11-16", "file"),
    ],
)
def test_a_date_that_was_said_comes_before_that_of_the_file(
    tmp_path: Path, name: str, text: str, date: str, dated: str
) -> None:
    kept(tmp_path, name, text)
    assert said(tmp_path) == (date, dated)


@pytest.mark.parametrize(
    ("name", "begin", "date", "dated"),
    [
        ("a.md", "# Log 2025\n\n## 20 May\n\n", "2025-05-20", "heading"),
        ("log/2024.md", "# Log\n\n## May 20th\n\n", "2024-05-20", "heading"),
        ("a.md", "# Log\n\n# 2024\n\n## 20. Mai\n\n", "2024-05-20", "heading"),
        ("a.md", "---\ndate: 2025-03-03\n---\n## 20 May\n\n", "2025-05-20", "heading"),
        ("a.md", "# Log\n\n## 20 May\n\n", "2026-05-20", "heading"),
        ("a.md", "# Log\n\n## 20 December\n\n", "2025-12-20", "heading"),
        ("a.md", "# Log\n\n## 12.06.\n\n", "2026-06-12", "heading"),
        ("a.md", "# Manual\n\n## 3.2. Limits\n\n", "2026-11-16", "file"),
        ("a.txt", "19 May: The kiln moved.\n20 May: The lathe moved. ", "2026-05-20", "text"),
        ("a.txt", "The kiln moved.\n12.06. ", "2026-06-12", "text"),
        ("a.md", "# Log\n\n- May 20 – ", "2026-05-20", "text"),
        ("a.md", "# Babies\n\n20 May babies moved. ", "2026-11-16", "file"),
        ("a.txt", "15.01.2025. The kiln moved. ", "2025-01-15", "text"),
        ("a.txt", "15.01.2025\n\n", "2025-01-15", "header"),
        ("a.md", "# Limits\n_12 January 2025_\n\n", "2025-01-12", "header"),
    ],
)
def test_what_dates_the_place_of_a_sentence_dates_it(
    tmp_path: Path, name: str, begin: str, date: str, dated: str
) -> None:
    kept(tmp_path, name, f"{begin}The upload size is 25 MB.")
    assert said(tmp_path) == (date, dated)


@pytest.mark.parametrize("begin", ["", "# Outage\n\n", "---\ntags: [x]\n---\n# Outage\n"])
def test_a_note_whose_first_line_is_a_date_is_filtered_by_it(tmp_path: Path, begin: str) -> None:
    kept(tmp_path, "a.md", f"{begin}**2026-04-14** · Sev 2 · Ana\n\nThe upload size is 25 MB.")
    kept(tmp_path, "b.md", "# Log\n\n2026-04-14: the kiln moved.\n\n2026-05-01: it moved back.")
    assert said(tmp_path) == ("2026-04-14", "header")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path)
        found = memory.search("upload size", since="2026-05-01", cache=False).results
        assert [one.document for one in found] == []
        assert memory.get("b.md").date == CLONED


def test_of_two_sections_of_a_daybook_the_later_one_is_in_force(tmp_path: Path) -> None:
    kept(tmp_path, "a.md", "# Daybook spring 2026\n\n## 20 May\nNew office hours: Mon 14 to 17.")
    kept(tmp_path, "b.md", "# Daybook 2026\n\n## 16 March\nThe office hours remain Tue 9 to 12.")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path)
        found = memory.search("What are the office hours?", cache=False).results
        assert [(one.document, f"{one.date:%m-%d}") for one in found[:1]] == [("a.md", "05-20")]


def test_the_section_of_a_journal_dates_what_stands_under_it(tmp_path: Path) -> None:
    sections = "".join(
        f"## 2026-0{month}-05\n\n### {what}\n\nThe {what} moved to room {month}.\n\n"
        for month, what in enumerate(("kiln", "lathe", "press"), 1)
    )
    kept(tmp_path, "journal.md", f"# Journal\n\n{sections}")
    assert said(tmp_path, "where did the lathe move") == ("2026-02-05", "heading")


@pytest.mark.parametrize(
    ("question", "date"),
    [
        ("Who guards the site?", "2026-07-01"),
        ("What is the hotline of Wachter?", "2026-07-01"),
        ("Who repaired the forklift?", "2026-02-23"),
    ],
)
@pytest.mark.parametrize("mark", ["", "- "])
def test_a_log_that_answers_is_of_the_day_of_the_line_that_holds(
    tmp_path: Path, mark: str, question: str, date: str
) -> None:
    lines = (
        "12.01.2026 Site guarded by Securo, hotline 0800 555 010.",
        "23.02.2026 Gas reading 10,442. Forklift repaired by Hubtech",
        "01.07.2026 Wachter guards the site now, hotline 0800 555 287",
        "14.08.2026 Break-in at night, studio 4",
    )
    kept(tmp_path, "log.md", "# Canal Works: log\n\n" + "".join(f"{mark}{one}\n" for one in lines))
    assert said(tmp_path, question) == (date, "text")


def test_a_day_in_bold_begins_an_entry_of_the_year_above_it(tmp_path: Path) -> None:
    lines = (
        "## 2025\n\n**5 Jan** Frost on the window.\n\n## 2026\n\n**11 Jan** The shed was robbed.\n"
    )
    kept(tmp_path, "log.md", f"# Log\n\n{lines}\n**25 Jan** A new kettle for the hut.\n")
    assert said(tmp_path, "what was robbed?") == ("2026-01-11", "text")


def test_a_session_is_dated_by_itself_and_not_by_its_title(tmp_path: Path) -> None:
    lines = tmp_path / "talk.jsonl"
    lines.write_text(
        '{"id": "s", "title": "Plan of 1 May 2020", "date": "2026-02-02", "kind": "session",'
        ' "turns": [{"role": "user", "text": "The upload size is 25 MB."}]}\n'
    )
    assert said(lines) == ("2026-02-02", "session")


def test_a_file_without_a_date_is_as_old_as_the_commit_that_changed_it(tmp_path: Path) -> None:
    kept(tmp_path, "limits.md", "The upload size is 25 MB.\n")
    kept(tmp_path, "touched.md", "The kiln holds forty pots.\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for name in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{name}_NAME": "Ana", f"GIT_{name}_EMAIL": "ana@example.org"}
        environment[f"GIT_{name}_DATE"] = "2026-03-03T12:00:00Z"
    for command in ("init -q", "add .", "commit -q -m Limits"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, env=environment, check=True)
    kept(tmp_path, "touched.md", "The kiln holds a hundred pots.\n")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path)
        for question, date, dated in (
            ("upload size", "2026-03-03", "commit"),
            ("how many pots does the kiln hold", "2026-11-16", "file"),
        ):
            found = memory.search(question, cache=False, kinds=["note"]).as_json()["shown"][0]
            assert (found["date"][:10], found["dated"]) == (date, dated)


def test_the_text_of_an_answer_says_where_the_date_is_from(tmp_path: Path, cli: Cli) -> None:
    kept(tmp_path, "limits.md", "The upload size is 25 MB.")
    kept(tmp_path, "pots.md", "# Pots, 3 March 2026\n\nThe kiln holds forty pots.")
    cli("add", str(tmp_path))
    assert "file of 2026-11-16" in cli("search", "upload size").out
    told = cli("search", "how many pots does the kiln hold").out
    assert "2026-03-03" in told
    assert "file of" not in told


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 3 Nov 2026", "2026-11-03"),
        ("the 3rd of November, 2026", "2026-11-03"),
        ("Nov. 3rd, 2026", "2026-11-03"),
        ("am 3. November 2026", "2026-11-03"),
        ("3.11.2026", "2026-11-03"),
        ("le 3 août 2026", "2026-08-03"),
        ("3 de agosto de 2026", "2026-08-03"),
        ("2026年11月3日", "2026-11-03"),
        ("2026/11/03", "2026-11-03"),
        ("September 2025", "2025-09-01"),
        ("2025-09", "2025-09-01"),
        ("31 February 2026", ""),
        ("version 2026.11", ""),
        ("192.168.2026-11", ""),
        ("in 2026", ""),
        ("room 2026-99", ""),
    ],
)
def test_dates_as_they_are_written(text: str, date: str) -> None:
    found = written(text)
    assert (f"{found[0].date:%Y-%m-%d}" if found else "") == date


@pytest.mark.parametrize(
    "line",
    ["_12 January 2025_", "12.01.2025. Milk costs 1.10.", "(12 January 2025)", "Stand: 2025-01-12"],
)
def test_the_first_line_of_a_note_dates_it(line: str, tmp_path: Path) -> None:
    (tmp_path / "milk.md").write_text(f"# Milk\n\n{line}\n\nWe buy it from Hoppe.\n")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path / "milk.md")
        (found,) = memory.list().items
    assert found.date == datetime(2025, 1, 12, tzinfo=UTC)


def test_a_line_that_only_begins_like_a_date_dates_nothing(tmp_path: Path) -> None:
    kept(tmp_path, "a.md", "# Network\n\nUpdated the router yesterday.\n")
    with Memory.open("memory://", embed_model="none") as memory:
        memory.add(tmp_path)
        found = memory.get("a.md")
    assert (found.date, "date" in found.meta) == (CLONED, False)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on Thursday 1 October", "2026-10-01"),
        ("(oct 1)", "2026-10-01"),
        ("on the 3rd of March", "2026-03-03"),
        ("am 20. Dezember", "2026-12-20"),
        ("le 3 août", "2026-08-03"),
        ("20 January", "2026-01-20"),
        ("3 Nov 2024", "2024-11-03"),
        ("May 3, 2024", "2024-05-03"),
        ("at least 3 may fail", ""),
        ("31 February", ""),
        ("at the end of October", ""),
    ],
)
def test_days_without_a_year_are_near_what_names_them(text: str, date: str) -> None:
    found = written(text, datetime(2026, 9, 29, tzinfo=UTC))
    assert (f"{found[0].date:%Y-%m-%d}" if found else "") == date
