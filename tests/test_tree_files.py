"""A context tree as a folder: exported, edited as a person would, and read back."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory
from recollect.errors import NotFound, UsageError
from recollect.facts import Fact
from recollect.nouns import Receipt
from recollect.sources.files import MANIFEST
from recollect.transfer import tree_import
from recollect.tree import Snippet, TopicPage, as_put, page_key, page_of
from recollect.tree import from_document as page_from
from recollect.writing.facts import Beside, Signature, every_fact
from recollect.writing.facts import edit as edit_facts
from recollect.writing.pages import pages_of
from recollect.writing.path import write_facts
from recollect.writing.remember import find

RETRIES = "billing/retries/retry-policy"
DUE = "billing/invoices/due-dates"


def put_pages(m: Memory, *pages: TopicPage) -> None:
    signed = Signature(datetime.now(UTC))
    beside = Beside(more=lambda _: list(map(as_put, pages)))
    write_facts(m.store, "local", edit_facts([], {}), signed, beside)


def page(m: Memory, address: str) -> TopicPage:
    return page_from(m.store.get(page_key("local", address))[0])


def fact(m: Memory, id: str) -> Fact:
    return find(m.store, "local", id)


def keep(m: Memory, id: str, text: str, address: str = "", **more: Any) -> None:
    meta = {"page": address} if address else None
    m.remember(text, id=id, meta=meta, standing="active", created_at="2026-01-01", **more)


@pytest.fixture
def m(keyword_memory: Memory) -> Memory:
    """A store with two pages, and a fact that is on none."""
    keep(
        keyword_memory, "retries", "We retry three times.", RETRIES, name="retries",
        aliases=["retry count"], type="decision", pinned=True, why="The bank is slow.",
    )  # fmt: skip
    keep(
        keyword_memory,
        "dlq",
        "The dead letter queue is read each morning.",
        RETRIES,
        name="dead letters",
    )
    keep(
        keyword_memory,
        "due",
        "Invoices are due after 14 days.",
        DUE,
        name="due date",
        scopes=["work"],
    )
    keep(keyword_memory, "tabs", "I like tabs.", type="preference")
    put_pages(
        keyword_memory,
        TopicPage(RETRIES, "Retry policy", related=(DUE,), snippets=(Snippet("times: 3", "yaml"),)),
        TopicPage(DUE, "Due dates", related=(RETRIES,), scopes=("work",)),
    )
    return keyword_memory


@pytest.fixture
def tree(m: Memory, tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    assert m.admin.export_tree(folder).refused == ()
    return folder


def edit(folder: Path, address: str, *changes: tuple[str, str]) -> Path:
    """Change a file as a person would: below the header, if the words are there."""
    path = folder / f"{address}.md"
    for old, new in changes:
        head, end, body = path.read_text().partition("\n---\n")
        if old in body:
            path.write_text(head + end + body.replace(old, new, 1))
        else:
            assert old in head + end + body
            path.write_text((head + end + body).replace(old, new, 1))
    return path


def files(folder: Path) -> dict[str, bytes]:
    some = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in some}


def did(receipt: Receipt) -> dict[str, Any]:
    told = {n: v for n, v in receipt.as_json().items() if v and n not in ("unchanged", "sources")}
    return told | {n: [p["reason"] for p in told[n]] for n in ("failed", "missing") if n in told}


# ------------------------------------------------------------------ out, and in again


def test_a_file_for_each_page_and_the_same_bytes_again(m: Memory, tree: Path) -> None:
    before = files(tree)
    assert sorted(before) == [
        MANIFEST, "billing/_index.md", f"{DUE}.md", f"{RETRIES}.md", "misc/_index.md",
        "misc/facts/universal.md",
    ]  # fmt: skip
    again = m.admin.export_tree(tree)
    assert (again.written, again.unchanged, again.pages, again.facts) == (0, 5, 3, 4)
    assert files(tree) == before
    assert "[[billing/retries/retry-policy|Retry policy]]: We retry" in (
        before["billing/_index.md"].decode()
    )


def test_adding_what_was_not_edited_changes_nothing(m: Memory, tree: Path) -> None:
    before, state = files(tree), m.status().store.seq
    receipt = m.add(tree)
    assert did(receipt) == {}
    assert receipt.unchanged == 7
    assert (files(tree), m.status().store.seq) == (before, state)


def test_edits_are_applied_and_found_and_the_rest_is_as_it_was(m: Memory, tree: Path) -> None:
    old = fact(m, "retries")
    edit(
        tree, RETRIES,
        ("three times", "four times"),
        ("aliases: [retry count]", "aliases: [retry count, attempts]"),
        ("\n## Snippets", "- **owner of retries**: Ana.\n- nobody named this\n\n## Snippets"),
        ("times: 3", "times: 4"),
    )  # fmt: skip
    assert did(m.add(tree)) == {"added": 2, "changed": 2}
    new = fact(m, "retries")
    assert (new.text, new.aliases) == ("We retry four times.", ("retry count", "attempts"))
    assert (new.why, new.pinned, new.created_at) == (old.why, True, old.created_at)
    assert new.provenance[:-1] == old.provenance
    last = new.provenance[-1]
    assert (last.action, last.source) == ("changed", str(tree / f"{RETRIES}.md"))
    assert page(m, RETRIES).snippets == (Snippet("times: 4", "yaml"),)
    assert "four times" in page(m, RETRIES).summary
    assert "three" not in m.get(page_key("local", RETRIES)).text
    assert [r.text for r in m.search("owner of retries").results] == ["Ana."]
    assert [r.document for r in m.search("attempts").results] == ["retries"]
    assert did(m.add(tree)) == {}
    assert m.admin.export_tree(tree).refused == ()
    text = (tree / f"{RETRIES}.md").read_text()
    assert re.search(r"nobody named this \(.{10,11}\) <!-- fact \{id: nobody-named-this-", text)
    before = files(tree)
    assert m.admin.export_tree(tree).written == 0
    assert did(m.add(tree)) == {}
    assert files(tree) == before


def test_a_new_item_that_is_edited_again_is_still_the_same_fact(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("\n## Snippets", "- **owner**: Ana.\n\n## Snippets"))
    m.add(tree)
    [made] = [f for f in m.facts(limit=10).items if f.text == "Ana."]
    edit(tree, RETRIES, ("**owner**: Ana.", "**owner**: Ben."))
    assert did(m.add(tree)) == {"changed": 1}
    assert fact(m, made.id).text == "Ben."


def test_what_an_editor_does_to_lines_is_no_edit(m: Memory, tree: Path) -> None:
    path = tree / f"{RETRIES}.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    state = m.status().store.seq
    assert did(m.add(tree)) == {}
    assert m.status().store.seq == state
    assert m.admin.export_tree(tree).written == 1


def test_the_header_is_the_page(m: Memory, tree: Path) -> None:
    edit(
        tree, RETRIES,
        ("title: Retry policy", "title: How often"), ("summary: ", "summary: In short. "),
        ("---\n\n##", "---\n\nMy own words.\n\n## Why\n\nBecause.\n\n##"),
    )  # fmt: skip
    m.add(tree)
    found = page(m, RETRIES)
    assert found.title == "How often"
    assert found.summary.startswith("In short. ")
    assert found.notes == "My own words.\n\n## Why\n\nBecause."
    m.remember("Also on Sundays.", id="sunday", meta={"page": RETRIES})
    assert page(m, RETRIES).summary == found.summary
    m.admin.export_tree(tree)
    edit(tree, RETRIES, (f"summary: {found.summary}\n", "summary:\n"))
    m.add(tree)
    assert "Also on Sundays." in page(m, RETRIES).summary


def test_facts_can_be_put_into_another_order(m: Memory, tree: Path) -> None:
    keep(m, "jitter", "Each pause is a little longer.", RETRIES, name="jitter")
    m.admin.export_tree(tree)
    path = tree / f"{RETRIES}.md"
    text = path.read_text()
    one, two = re.findall(r"^- .*$", text, re.MULTILINE)[-2:]
    path.write_text(text.replace(f"{one}\n{two}", f"{two}\n- between\n{one}"))
    assert did(m.add(tree))["added"] == 1
    m.admin.export_tree(tree)
    said = re.findall(r"^- (?:\*\*(.*)\*\*|(\w+))", path.read_text(), re.MULTILINE)[-3:]
    assert said == [("jitter", ""), ("", "between"), ("dead letters", "")]


def test_validity_and_scopes_are_edited_in_the_comment(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("{id: dlq,", "{id: dlq, type: decision, scopes: [ops], to: 2026-02-01,"))
    m.add(tree)
    found = fact(m, "dlq")
    assert (found.type, found.scopes) == ("decision", ("ops",))
    assert found.valid_to == datetime(2026, 2, 1, tzinfo=UTC)
    assert "dead letter" not in page(m, RETRIES).summary
    m.admin.export_tree(tree)
    earlier = (tree / f"{RETRIES}.md").read_text().partition("## Earlier")[2]
    assert "**dead letters**" in earlier


def test_a_tree_goes_into_another_store_without_loss(m: Memory, tree: Path, tmp_path: Path) -> None:
    keep(
        m,
        "five",
        "We retried five times.",
        RETRIES,
        superseded_by=["retries"],
        valid_from="2025-01-01",
    )
    m.admin.export_tree(tree)
    with Memory.open(tmp_path / "other", embed_model="none") as other:
        assert did(other.add(tree)) == {"added": 7}
        for id in ("retries", "dlq", "due", "tabs", "five"):
            mine, theirs = fact(m, id).as_json(), fact(other, id).as_json()
            del mine["provenance"], theirs["provenance"]
            assert mine == theirs
        assert did(other.add(tree)) == did(m.add(tree)) == {}
        second = tmp_path / "second"
        other.admin.export_tree(second)
        for path, raw in files(tree).items():
            if path != MANIFEST:
                assert re.sub(rb"updated: .*", b"", raw) == re.sub(
                    rb"updated: .*", b"", files(second)[path]
                )


# ------------------------------------------------------------------ what is in the way


def test_files_that_were_edited_are_not_overwritten(m: Memory, tree: Path) -> None:
    path = edit(tree, RETRIES, ("three times", "four times"))
    mine = tree / "billing/retries/new.md"
    mine.write_text("mine")
    (tree / f"{DUE}.md").unlink()
    edited = path.read_bytes()
    m.remember("New.", id="n", meta={"page": "billing/retries/new"})
    done = m.admin.export_tree(tree, prune=True)
    reasons = {problem.where: problem.reason.partition(";")[0] for problem in done.refused}
    assert reasons == {
        f"{RETRIES}.md": "edited since",
        f"{DUE}.md": "deleted since",
        "billing/retries/new.md": "a file of yours is there",
    }
    assert (path.read_bytes(), mine.read_text()) == (edited, "mine")
    assert m.admin.export_tree(tree, force=True).written == 3
    assert "three times" in path.read_text()


@pytest.mark.parametrize("after", range(6))
@pytest.mark.parametrize("begun", [True, False])
def test_what_an_interrupted_export_wrote_was_edited_by_nobody(
    m: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int, begun: bool
) -> None:
    folder, left, whole = tmp_path / "tree", after, os.replace
    if begun:
        m.admin.export_tree(folder)
        keep(m, "dlq", "The dead letter queue is read at noon.", RETRIES, name="dead letters")
        keep(m, "due", "Invoices are due after 20 days.", DUE, name="due date", scopes=["work"])

    def interrupted(*names: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        whole(*names)

    monkeypatch.setattr(os, "replace", interrupted)
    with suppress(KeyboardInterrupt):
        m.admin.export_tree(folder)
    monkeypatch.setattr(os, "replace", whole)
    keep(m, "dlq", "The dead letter queue is read at night.", RETRIES, name="dead letters")
    keep(m, "due", "Invoices are due after 30 days.", DUE, name="due date", scopes=["work"])
    assert m.admin.export_tree(folder).refused == ()
    assert "at night" in (folder / f"{RETRIES}.md").read_text()
    assert did(m.add(folder)) == {}


def test_what_both_have_changed_is_refused_and_nothing_is_lost(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("three times", "four times"), ("each morning", "each evening"))
    keep(m, "retries", "We retry six times.", RETRIES, name="retries")
    receipt = m.add(tree)
    [problem] = receipt.failed
    assert re.search(r"retry-policy\.md:\d+$", problem.where)
    assert "was changed in the store, too" in problem.reason
    assert "six times" in problem.reason
    assert fact(m, "retries").text == "We retry six times."
    assert fact(m, "dlq").text.endswith("each evening.")
    assert m.admin.export_tree(tree).refused
    edit(tree, RETRIES, ("four times", "six times"))
    assert did(m.add(tree)) == {}
    assert m.admin.export_tree(tree).refused == ()


def test_what_only_the_store_has_changed_stays(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("each morning", "each evening"))
    keep(m, "retries", "We retry six times.", RETRIES, name="retries")
    keep(m, "later", "Added later.", RETRIES)
    assert "failed" not in did(m.add(tree))
    assert fact(m, "retries").text == "We retry six times."
    assert fact(m, "dlq").text.endswith("each evening.")
    keep(m, "dlq", "Nobody reads it.", RETRIES)
    assert did(m.add(tree)) == {}
    assert m.admin.export_tree(tree).refused == ()
    assert fact(m, "dlq").text == "Nobody reads it."


def test_a_broken_file_is_told_with_its_line_and_the_rest_applied(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("```yaml", "````yaml"))
    edit(tree, DUE, ("14 days", "30 days"))
    (tree / "billing/latin.md").write_bytes(b"ok\n\xff\xfe")
    receipt = m.add(tree)
    assert [Path(p.where).name.partition(":")[0] for p in receipt.failed] == [
        "latin.md", "retry-policy.md",
    ]  # fmt: skip
    assert receipt.failed[0].where.endswith("latin.md:2")
    assert fact(m, "due").text == "Invoices are due after 30 days."
    assert receipt.missing == ()
    edit(tree, RETRIES, ("````yaml", "```yaml"))
    (tree / "billing/latin.md").unlink()
    edit(tree, RETRIES, ("type: decision", "type: opinion"), ("each morning", "each evening"))
    [problem] = m.add(tree).failed
    assert "no type 'opinion'" in problem.reason
    assert fact(m, "dlq").text.endswith("each evening.")


def test_a_folder_of_somebody_elses_is_not_taken(m: Memory, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        m.admin.export_tree(tmp_path / "vault")
    with pytest.raises(UsageError, match="not a folder"):
        m.admin.export_tree(tmp_path / "vault" / "note.md")
    m.admin.export_tree(tmp_path / "vault" / "memory")
    with pytest.raises(UsageError, match="local's"):
        m.admin.export_tree(tmp_path / "vault" / "memory", owner="ana")


@pytest.mark.parametrize("path", ["../out.md", "/etc/x.md", "a/../../x.md", ".git/x.md", "x.txt"])
def test_a_manifest_cannot_name_files_elsewhere(m: Memory, tree: Path, path: str) -> None:
    manifest = json.loads((tree / MANIFEST).read_text())
    manifest["files"][path] = manifest["files"][f"{DUE}.md"]
    (tree / MANIFEST).write_text(json.dumps(manifest))
    assert "no file of a tree" in m.add(tree).failed[0].reason


def test_nothing_is_written_through_a_link(m: Memory, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "billing").symlink_to(outside)
    done = m.admin.export_tree(tree, force=True)
    assert len(done.refused) == 3
    assert list(outside.iterdir()) == []


# ------------------------------------------------------------------ gone, moved, new


def test_a_removed_item_is_told_and_forgotten_only_when_pruned(m: Memory, tree: Path) -> None:
    path = tree / f"{RETRIES}.md"
    path.write_text(re.sub(r"- \*\*dead letters.*\n", "", path.read_text()))
    for _ in range(2):
        assert did(m.add(tree)) == {
            "missing": [
                "fact 'dlq' is no longer in it: The dead letter queue is read each morning."
            ]
        }
    assert fact(m, "dlq").text
    assert m.admin.export_tree(tree).refused
    assert did(m.add(tree, prune=True, dry_run=True)).keys() == {"missing"}
    assert did(m.add(tree, prune=True)) == {"forgotten": 1}
    assert m.facts(limit=10, every=True).items == tuple(
        f for f in m.facts(limit=10, every=True).items if f.id != "dlq"
    )
    assert "dead letter" not in page(m, RETRIES).summary
    assert m.admin.export_tree(tree).refused == ()


def test_a_deleted_file_is_told_and_removed_only_when_pruned(m: Memory, tree: Path) -> None:
    (tree / f"{DUE}.md").unlink()
    assert len(m.add(tree).missing) == 2
    assert page(m, RETRIES).related == (DUE,)
    assert did(m.add(tree, prune=True)) == {"forgotten": 1, "removed": 1, "changed": 1}
    assert m.store.get(page_key("local", DUE)) == []
    assert page(m, RETRIES).related == ()
    assert did(m.add(tree)) == {}
    assert m.admin.export_tree(tree, prune=True).refused == ()


def test_a_moved_file_moves_the_page_and_links_follow(m: Memory, tree: Path) -> None:
    new = tree / "Ops" / "Queues" / "Retries & co.md"
    new.parent.mkdir(parents=True)
    (tree / f"{RETRIES}.md").rename(new)
    edit(tree, "Ops/Queues/Retries & co", ("three", "four"))
    assert did(m.add(tree)) == {"changed": 4}
    moved = page(m, "ops/queues/retries-co")
    assert (moved.title, moved.related) == ("Retry policy", (DUE,))
    assert m.store.get(page_key("local", RETRIES)) == []
    assert page(m, DUE).related == ("ops/queues/retries-co",)
    assert fact(m, "dlq").meta["page"] == "ops/queues/retries-co"
    assert fact(m, "retries").text == "We retry four times."
    assert did(m.add(tree)) == {}
    edit(tree, "Ops/Queues/Retries & co", ("four", "five"))
    edit(tree, DUE, ("14 days", "30 days"))
    assert did(m.add(tree)) == {"changed": 2}
    assert page(m, DUE).related == ("ops/queues/retries-co",)
    done = m.admin.export_tree(tree)
    assert (done.refused, done.stale) == ((), ())
    assert "[[Ops/Queues/Retries & co]]" in (tree / f"{DUE}.md").read_text()
    assert not (tree / f"{RETRIES}.md").exists()


def test_nothing_is_lost_by_a_file_that_took_the_place_of_another(m: Memory, tree: Path) -> None:
    (tree / f"{RETRIES}.md").rename(tree / f"{DUE}.md")
    for _ in range(2):
        assert did(m.add(tree, prune=True)) == {"failed": [f"there is a page {DUE} already"]}
    assert fact(m, "retries").text
    assert fact(m, "due").text
    (tree / f"{DUE}.md").rename(tree / "broken.md")
    (tree / "broken.md").write_text("---\n")
    assert m.add(tree, prune=True).missing
    assert fact(m, "retries").text


def test_pages_that_change_places_keep_their_links(m: Memory, tree: Path) -> None:
    for old, new in ((RETRIES, "a/b/one"), (DUE, "a/b/two")):
        (tree / f"{new}.md").parent.mkdir(parents=True, exist_ok=True)
        (tree / f"{old}.md").rename(tree / f"{new}.md")
    m.add(tree)
    assert page(m, "a/b/one").related == ("a/b/two",)
    assert page(m, "a/b/two").related == ("a/b/one",)


def test_a_fact_can_be_cut_out_and_pasted_but_not_copied(m: Memory, tree: Path) -> None:
    path = tree / f"{RETRIES}.md"
    text = path.read_text()
    [item] = re.findall(r"- \*\*dead letters.*\n", text)
    other = tree / f"{DUE}.md"
    other.write_text(f"{other.read_text()}{item}")
    [problem] = m.add(tree).failed
    assert "is in billing/retries/retry-policy.md, too" in problem.reason
    path.write_text(text.replace(item, ""))
    assert did(m.add(tree)).keys() == {"changed"}
    assert fact(m, "dlq").meta["page"] == DUE
    assert fact(m, "dlq").scopes == ("universal",)
    m.admin.export_tree(tree)
    assert "{id: dlq, scopes: [universal]," in other.read_text()
    copy = tree / "billing/retries/copy.md"
    copy.write_text(path.read_text())
    assert "a copy of" in m.add(tree).failed[0].reason


def test_a_file_that_somebody_has_made_is_a_page(m: Memory, tree: Path) -> None:
    new = tree / "Team" / "Holidays.md"
    new.parent.mkdir()
    new.write_text(
        "---\nrelated: '[[retry-policy]]'\n---\nWho is away.\n\n## Facts\n- **Ana**: away in May\n"
    )
    (tree / "team" / "x").mkdir(parents=True, exist_ok=True)
    assert did(m.add(tree)) == {"added": 2}
    found = page(m, "team/holidays")
    assert (found.title, found.notes, found.related) == ("Holidays", "Who is away.", (RETRIES,))
    assert found.summary == "away in May."
    assert did(m.add(tree)) == {}
    assert m.admin.export_tree(tree).refused == ()
    assert "id: team/holidays" in new.read_text()
    edit(tree, "Team/Holidays", ("[[billing/retries/retry-policy]]", "[[nowhere]]"))
    receipt = m.add(tree)
    assert "'nowhere', which is not there" in receipt.warnings[0].reason
    assert page(m, "team/holidays").related == ()


def test_what_is_made_anew_is_never_in_the_way(m: Memory, tree: Path) -> None:
    (tree / "Untitled.md").write_text("\n")
    (tree / "billing/_index.md").unlink()
    (tree / "misc/_index.md").write_text("mine")
    assert did(m.add(tree)) == {}
    done = m.admin.export_tree(tree)
    assert [problem.where for problem in done.refused] == ["misc/_index.md"]
    assert "never read" in done.refused[0].reason
    assert (tree / "billing/_index.md").exists()


def test_files_of_pages_that_are_no_more_are_removed_when_pruned(m: Memory, tree: Path) -> None:
    m.forget("due")
    m.forget(page_key("local", DUE))
    assert page(m, RETRIES).related == ()
    assert [p.where for p in m.admin.export_tree(tree).stale] == [f"{DUE}.md"]
    done = m.admin.export_tree(tree, prune=True)
    assert (done.removed, done.stale) == (1, ())
    assert not (tree / "billing/invoices").exists()
    assert "billing/invoices" not in (tree / f"{RETRIES}.md").read_text()


# ------------------------------------------------------------------ the rest of the store


def test_a_summary_never_says_what_no_longer_holds(m: Memory) -> None:
    assert "three times" in page(m, RETRIES).summary
    keep(m, "four", "We retry four times.", RETRIES, supersedes=["retries"])
    assert "three" not in m.get(page_key("local", RETRIES)).text
    m.forget("four")
    assert page(m, RETRIES).facts == ("dlq", "retries")
    assert page(m, RETRIES).summary == "The dead letter queue is read each morning."
    assert not any("four times" in r.text for r in m.search("how often do we retry?").results)


def test_a_tree_inside_another_folder_is_read_as_a_tree(m: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    m.admin.export_tree(vault / "memory")
    (vault / "note.md").write_text("# A note of mine\n")
    edit(vault / "memory", RETRIES, ("three times", "four times"))
    assert did(m.add(vault)) == {"added": 1, "changed": 1}
    assert fact(m, "retries").text == "We retry four times."
    assert sorted(d.kind for d in m.list(limit=50).items).count("note") == 1
    edit(vault / "memory", DUE, ("14 days", "30 days"))
    edit(vault / "memory", RETRIES, ("four times", "five times"))
    m.add(vault / "memory" / f"{RETRIES}.md")
    assert fact(m, "retries").text == "We retry five times."
    assert fact(m, "due").text == "Invoices are due after 14 days."
    assert m.add(vault / "memory" / "billing").missing == ()
    assert fact(m, "due").text == "Invoices are due after 30 days."


def test_secrets_are_taken_out_of_what_is_edited(m: Memory, tree: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    edit(tree, RETRIES, ("three times", f"with {secret}"), ("times: 3", f"token: {secret}"))
    m.add(tree)
    assert secret not in fact(m, "retries").text
    assert secret not in m.get(page_key("local", RETRIES)).text
    assert did(m.add(tree)) == {}


def test_only_what_a_scope_may_see_is_exported(m: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    done = m.admin.export_tree(folder, scopes=["work"])
    assert (done.pages, done.facts) == (1, 1)
    assert not any(b"retry three" in raw for raw in files(folder).values())
    edit(folder, DUE, ("14 days", "30 days"))
    assert did(m.add(folder)) == {"changed": 1}


def test_a_dry_run_does_nothing(m: Memory, tree: Path) -> None:
    edit(tree, RETRIES, ("three times", "four times"), ("title: Retry policy", "title: R"))
    before, state = files(tree), m.status().store.seq
    assert did(m.add(tree, dry_run=True)) == {"changed": 2}
    assert (files(tree), m.status().store.seq) == (before, state)


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    m: Memory, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(tree, RETRIES, ("three times", "four times"))

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tree_import, "save", refuse)
    receipt = m.add(tree)
    assert "manifest cannot be written: Permission denied" in receipt.warnings[0].reason
    assert fact(m, "retries").text == "We retry four times."
    assert did(m.add(tree)).keys() == {"warnings"}


def test_an_import_that_is_cut_off_goes_on(
    m: Memory, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tree / "a" / "b" / "c.md"
    new.parent.mkdir(parents=True)
    (tree / f"{RETRIES}.md").rename(new)
    edit(tree, "a/b/c", ("three", "four"), ("title: Retry policy", "title: R"))

    def fail(_: TopicPage) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(tree_import, "as_put", fail)
        with pytest.raises(KeyboardInterrupt):
            m.add(tree)
    assert "failed" not in did(m.add(tree))
    assert page(m, "a/b/c").title == "R"
    assert page(m, DUE).related == ("a/b/c",)
    assert m.store.get(page_key("local", RETRIES)) == []
    assert fact(m, "retries").text == "We retry four times."
    assert did(m.add(tree)) == {}


def test_the_command_line_exports_and_reads_back(
    cli: Cli, tmp_path: Path, monkeypatch: Any
) -> None:
    for name in ("EMBED", "RERANK"):
        monkeypatch.setenv(f"RECOLLECT_{name}_MODEL", "none")
    cli("remember", "We deploy on Fridays.", "--name", "deploy day", "--id", "d1")
    folder = tmp_path / "tree"
    done = cli("export", "--tree", str(folder))
    assert done.code == 0
    assert "1 page with 1 fact" in done.out
    edit(folder, "misc/facts/universal", ("Fridays", "Mondays"))
    again = cli("export", "--tree", str(folder), "--json")
    assert again.code == 1
    assert again.json["refused"][0]["where"] == "misc/facts/universal.md"
    assert "misc/facts/universal.md: edited since" in again.err
    assert cli("add", str(folder), "--json").json["changed"] == 1
    assert "Mondays" in cli("search", "when is deploy day?").out
    assert cli("export", "--tree", str(folder), "--json").json["refused"] == []
    (folder / "misc/facts/universal.md").unlink()
    assert "nobody is there to answer" in cli("add", str(folder), "--prune").err
    assert cli("add", str(folder), "--prune", "--yes", "--json").json["forgotten"] == 1
    assert cli("facts").code == 3
    assert cli("export").code == 2


# ------------------------------------------------------------------ whatever people do

SCRAPS = (
    "---", "```", "## Facts", "## Snippets", "## Earlier", "- new fact\n", "- **a**: b\n", "\r\n",
    "<!-- fact {id: dlq} -->", "\x00", "[[x]]", "{", "}", "\n\n", "title: x\n", f"id: {DUE}\n",
    "tags: [a]\n", "# H\n", "  ", "東京", ", pinned: true", "scopes: [a]", ", type: nope",
    ", superseded_by: [due]", ", superseded_by: [dlq]", ", from: 2020-01-01",
)  # fmt: skip
PLACES = ("a/b/c.md", f"{DUE}.md", f"{RETRIES}.md", "x.md", "d/y.md", "q/w/e/r/t/y.md")


def meddle(folder: Path, chance: Random) -> None:
    """Do something to a file that a person, or an editor, might."""
    path = chance.choice([p for p in sorted(folder.rglob("*.md")) if p.name != "_index.md"])
    text = path.read_text()
    deed = chance.random()
    if deed < 0.7:
        at = chance.randint(0, len(text))
        until = at + chance.choice((0, 0, 1, 5, 40))
        path.write_text(text[:at] + chance.choice(SCRAPS) + text[until:], newline="")
    elif deed < 0.85:
        new = folder / chance.choice(PLACES)
        new.parent.mkdir(parents=True, exist_ok=True)
        path.rename(new)
    else:
        lines = text.split("\n")
        chance.shuffle(lines)
        path.write_text("\n".join(lines))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_done_to_the_files_nothing_is_lost(m: Memory, tree: Path, seed: int) -> None:
    chance = Random(seed)
    for _ in range(3):
        for _ in range(chance.randint(1, 4)):
            meddle(tree, chance)
        m.add(tree)
        state = m.status().store.seq
        m.add(tree)
        assert m.status().store.seq == state
        assert {"retries", "dlq", "due", "tabs"} <= {f.id for f in every_fact(m.store, "local")}
        there = {page_of(fact) for fact in every_fact(m.store, "local")}
        pages = pages_of(m.store, "local")
        there.update(page.address for page in pages)
        assert all(there.issuperset(page.related) for page in pages)
    m.admin.export_tree(tree, force=True, prune=True)
    assert m.admin.export_tree(tree).written == 0


# ------------------------------------------------------------------ one page, edited as a text


def edited(m: Memory, before: str, *changes: tuple[str, str], **more: Any) -> Receipt:
    after = before
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    return m.curation.edit_page(RETRIES, before, after.replace("\n", "\r\n"), **more)


def test_a_page_is_edited_as_one_text(m: Memory) -> None:
    before = m.curation.page_text(RETRIES)
    assert did(edited(m, before)) == {}
    done = edited(m, before, ("three times", "four times"), ("## Facts", "By hand.\n\n## Facts\n\n"
                  "- The bank is asked at noon."), by="ana")  # fmt: skip
    assert not done.failed
    assert fact(m, "retries").text == "We retry four times."
    assert fact(m, "retries").provenance[-1].by == "ana"
    assert page(m, RETRIES).notes.endswith("By hand.")
    text = m.curation.page_text(RETRIES)
    assert "The bank is asked at noon." in text
    assert "summary: " not in text  # it follows from the facts
    assert "four times" in page(m, RETRIES).summary
    edited(m, text, ("title: ", "summary: In short.\ntitle: "))
    assert page(m, RETRIES).summary == "In short."
    own = m.curation.page_text(RETRIES)
    edited(m, own, ("summary: In short.\n", ""))
    assert "four times" in page(m, RETRIES).summary


def test_an_edit_leaves_what_was_changed_meanwhile(m: Memory) -> None:
    before = m.curation.page_text(RETRIES)
    m.curation.reword("retries", "We retry five times.")
    done = edited(m, before, ("three times", "four times"), ("## Facts", "Mine.\n\n## Facts"))
    assert "there it says: We retry five times." in done.failed[-1].reason
    assert fact(m, "retries").text == "We retry five times."
    assert page(m, RETRIES).notes.endswith("Mine.")


def test_a_line_that_was_deleted_is_forgotten_only_when_asked_for(m: Memory) -> None:
    before = m.curation.page_text(RETRIES)
    line = next(one for one in before.split("\n") if "id: retries" in one)
    assert edited(m, before, (line, "")).missing
    assert fact(m, "retries")
    assert edited(m, before, (line, ""), prune=True).forgotten == 1
    with pytest.raises(UsageError, match="line 1: the header does not end"):
        m.curation.edit_page(RETRIES, before, "---\ntitle: x\n")


def test_nobody_edits_a_page_outside_of_their_scopes(m: Memory) -> None:
    keep(m, "tea", "Tea at four.", "home/tea/time", scopes=["home"])
    keep(m, "dock", "The dock is closed.", "work/dock/state", scopes=["work"])
    inside = m.view(scopes=["work"])
    text = inside.curation.page_text("work/dock/state")
    assert "  - work\n" in text
    with pytest.raises(UsageError, match="served within scopes work"):
        inside.curation.edit_page("work/dock/state", text, text.replace("- work", "- home"))
    theirs = m.curation.page_text("home/tea/time")
    with pytest.raises(UsageError, match="served within scopes work"):
        inside.curation.edit_page("home/tea/time", theirs, theirs.replace("four", "five"))
    with pytest.raises(NotFound):
        inside.curation.page_text("home/tea/time")
    assert fact(m, "tea").text == "Tea at four."
    assert fact(m, "dock").scopes == ("work",)
