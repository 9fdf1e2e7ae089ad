"""What a title names, and so what the page of a text is called."""

from __future__ import annotations

import pytest

from recollect.tree.subjects import folder_name, shared_subjects, subject_name, without_occasion


@pytest.mark.parametrize("title", ["b", "T1", "2026-01-02 b", "Session", "7"])
def test_a_title_that_nobody_would_look_for_names_nothing(title: str) -> None:
    assert subject_name(title) == ""
    assert folder_name(("home", "harbour", title)) == "harbour"


@pytest.mark.parametrize("title", ["Go", "茶", "日本", "QA"])
def test_a_short_title_is_a_name(title: str) -> None:
    assert subject_name(title) == title


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Re: Fwd: billing", "billing"),
        ("Design doc: payments v2", "payments"),
        ("2026-01-02 RFC 12: queues", "queues"),
        ("Infrastructure: the new racks", "Infrastructure: the new racks"),
        ("Core: plan of the release", "Core: plan of the release"),
    ],
)
def test_only_what_a_title_begins_with_is_taken_off(title: str, name: str) -> None:
    assert subject_name(title) == name


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("Lantern weekly", "Lantern"),
        ("Greenhouse plan 2026", "Greenhouse"),
        ("Lantern: data residency", "Lantern"),
        ("Weekly", "Weekly"),
        ("Invoice exporter", "Invoice exporter"),
    ],
)
def test_an_occasion_is_no_part_of_a_subject(name: str, subject: str) -> None:
    assert without_occasion(name) == subject


def test_texts_on_several_occasions_have_one_subject() -> None:
    names = [
        "Lantern kickoff",
        "Lantern weekly",
        "lantern login",
        "Platform weekly",
        "Lanterns",
        "",
    ]
    shared = shared_subjects(names)
    assert [shared[name] for name in names[:3]] == ["Lantern"] * 3
    assert shared["Platform weekly"] == "Platform weekly", "it has always the same occasion"
    assert shared["Lanterns"] == "Lanterns"
