"""What bench.unseen promises: read-only sets are in no fit, harm is seen, and the hand-written sets
are what they say. Its short form runs on real data; what it finds today is expected to fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench import corpus, folders
from bench.unseen import aside, asking, echo, engines, fitting, grepping, own, report, sets, stores
from bench.unseen.engines import Row

from recollect.nouns import Document
from recollect.text.stopwords import stopwords
from recollect.text.terms import query_terms, terms
from recollect_evals import suites
from recollect_evals.evidence import Evidence, Unit
from recollect_evals.loaders.folders import SAMPLE
from recollect_evals.questions import Group, Question

FOLDERS = sorted(path.parent for path in own.SETS.rglob("queries.jsonl"))
WITH_DOCUMENTS = [
    one for one in FOLDERS if one.parent.name != "grep" and one.name != "agent-sessions"
]
NOT_SETS = {"2wiki", "classics", "debian", "gitlog", "peps", "precisionmembench", "supersession",
            "wiki-languages", "xquad"}  # fmt: skip
"""Folders of the data that hold no set of questions under their own name."""


@pytest.fixture
def data() -> Path:
    folder = corpus.data_folder()
    if folder is None:
        pytest.skip("no shared data")
    return folder


# ------------------------------------------------------------------ sets


def test_every_set_of_the_data_is_asked_or_named(data: Path) -> None:
    there = {one.name for one in data.iterdir() if one.is_dir()} - NOT_SETS
    assert there <= set(sets.SETS)


def test_a_set_that_is_half_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").write_text("data")
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell" / "docs.jsonl").write_text('{"id": "a", "text": "ls"}\n')
    monkeypatch.setenv("RECOLLECT_DATA", str(tmp_path))
    from bench.unseen.__main__ import main

    sets.loaded.cache_clear()
    with pytest.raises(SystemExit, match=r"shell: .*there is no queries.jsonl"):
        main(["--sets", "shell"])
    sets.loaded.cache_clear()


def test_read_only_sets_are_read_by_their_own_option_alone(data: Path) -> None:
    from bench.unseen.__main__ import main

    with pytest.raises(SystemExit, match="read-only"):
        main(["--sets", "news"])


def test_nothing_is_fitted_on_a_read_only_set() -> None:
    row = _wide("news", "q", "fit")
    with pytest.raises(ValueError, match="news"):
        fitting.fitted([row])


def test_of_the_domain_that_is_left_out_nothing_is_fitted_on() -> None:
    rows = [
        _wide(name, f"{name}{n}", "fit", right=n % 3)
        for name in ("shell", "covid", "notes")
        for n in range(40)
    ]
    fold = fitting.fitted(rows, without="code")
    assert set(fold.fitted_on) == {"covid", "notes"}
    changed = [row if row.set != "shell" else row._replace(gold=()) for row in rows]
    assert fitting.fitted(changed, without="code") == fold


def _wide(name: str, id: str, half: str, right: int = 0) -> fitting.Wide:
    """Three candidates, of which one is right and has a little more of every signal."""
    documents = ("a", "b", "c")
    signals = tuple(
        {**dict.fromkeys(fitting.SIGNS, 0.0), "exact": 0.0, "inside": 0.0,
         "lexical": 0.3 + 0.5 * (n == right) + 0.01 * len(id), "coverage": 0.2 + 0.3 * (n == right),
         "words": 1.0, "cosine": float(n == right) - 0.1 * n}
        for n in range(3)
    )  # fmt: skip
    parts = tuple(
        fitting.Part((float(n), 0.0, float(n == right), 0.0, 0.0, 0.0, 0.0), n == right)
        for n in range(3)
    )
    return fitting.Wide(name, id, half, "cosine", (documents[right],), documents, signals, parts)


# ------------------------------------------------------------------ conversations and facts


def test_conversations_are_ordered_by_the_constants_that_were_chosen_elsewhere() -> None:
    rows = [
        _wide(name, f"{name}{n}", "fit", right=n % 3)
        for name in ("friends", "personas")
        for n in range(40)
    ]
    folds = {domain: fitting.fitted(rows, domain) for domain in ("conversation", "personal memory")}
    told = aside.conversations(rows, folds)
    assert "| conversation | friends | 40 | 1.000 | 1.000 |" in told
    assert "| personal memory | personas | 40 | 1.000 | 1.000 |" in told


def test_facts_are_read_with_weights_of_the_other_collections() -> None:
    def known(name: str, right: bool, n: int) -> aside.Known:
        signals = {**dict.fromkeys(aside.SIGNALS, 0.0), "odds": 3.0 * right + 0.01 * (n % 7)}
        return aside.Known(name, "fit", (right,), (signals,))

    some = [known("a" if n % 2 else "a (no answer)", bool(n % 2), n) for n in range(60)]
    weights = aside.fitted(some)
    auroc, error, right, returned = aside.figures(some, weights)
    assert (auroc, right, returned) == (1.0, 1.0, 0.0)
    assert error < 0.2


# ------------------------------------------------------------------ harm


def _rows(engine: str, values: Mapping[str, float], number: int = 40) -> list[Row]:
    return [
        Row("shell", str(n), engine, "test", "", True, "direct_passages", 0.9, True, True,
            {name: value * (n % 2) for name, value in values.items()})
        for n in range(number)
    ]  # fmt: skip


def test_harm_is_what_is_below_plain_fusion_by_more_than_noise() -> None:
    plain = _rows("rrf-10", dict.fromkeys(report.JUDGED, 1.0))
    ours = _rows("default", {"shown": 0.4, "documents": 1.0, "ndcg": 1.2})
    found = report.differences([*plain, *ours], ("default",))
    assert [one.measure for one in found if one.harms] == ["shown"]
    assert "**" in report.harm(found)


def test_a_few_questions_show_no_harm() -> None:
    plain = _rows("rrf-10", dict.fromkeys(report.JUDGED, 1.0), 10)
    ours = _rows("default", dict.fromkeys(report.JUDGED, 0.0), 10)
    assert not any(one.harms for one in report.differences([*plain, *ours], ("default",)))


def test_the_default_does_no_harm_on_a_domain_that_nothing_was_fitted_on(data: Path) -> None:
    """The short form of the gate: twenty questions about a dozen policies."""
    job = asking.Job("policies", ("default", "rrf-10"), most=20, documents=12)
    rows = asking.asked(job)
    harms = [one for one in report.differences(rows, ("default",)) if one.harms]
    assert not harms, harms


# ------------------------------------------------------------------ hand-written sets


@pytest.mark.parametrize("folder", WITH_DOCUMENTS, ids=lambda path: str(path.relative_to(own.SETS)))
def test_the_sets_are_sound(folder: Path) -> None:
    """Gold and evidence resolve, ids are asked once."""
    suites.survey(suites.load("jsonl", folder))


@pytest.mark.parametrize("name", folders.NAMES)
def test_what_answers_is_in_the_files_of_a_folder(name: str) -> None:
    """One of the texts of each part of the gold is there; ids are asked once."""
    files = filter(Path.is_file, (own.SETS / "folders" / name / "files").rglob("*"))
    whole = " ".join(file.read_text("utf-8") for file in files)
    for mark, plain in (("\\n", " "), ('\\"', '"')):  # as JSON writes them
        whole = whole.replace(mark, plain)
    text = folders.plain_text(whole)
    asked = list(corpus.lines(own.SETS / "folders" / name / "questions.jsonl"))
    assert len({one["id"] for one in asked}) == len(asked)
    for one in asked:
        assert bool(one["gold"]) == (one["kind"] not in folders.NOT_STORED)
        for part in one["gold"]:
            assert any(folders.plain_text(said) in text for said in part), one


def test_questions_over_the_shared_data_are_sound(data: Path) -> None:
    for name, documents in (("til", grepping.til()), ("peps", grepping.peps())):
        grepping.group_of(name, documents, own.SETS / "grep" / name)
    transcripts = list(grepping.unpacked("agent-sessions.tar.xz", "agent-sessions/"))
    group = grepping.group_of("agent-sessions", transcripts, own.SETS / "agent-sessions")
    assert len(group.questions) == 150
    assert sum(question.abstain for question in group.questions) == 30


@pytest.mark.parametrize("half", ["paraphrase-open", "paraphrase-kept"])
def test_paraphrases_share_no_content_word_with_what_answers(half: str) -> None:
    """Of the half that nobody looks at only the ids are told."""
    sharing, number = [], 0
    for folder in (one for one in WITH_DOCUMENTS if one.parent.name == half):
        said = own.queries(folder)
        for question in own.suite(folder).questions:
            number += 1
            asked = set(query_terms(question.text)[0]) - stopwords()
            allowed = set(terms(" ".join(said[question.id].get("shared", ()))).stem.split())
            there = {w for u in question.evidence.units for w in terms(u.texts[0]).stem.split()}
            if asked & there - allowed - stopwords() - GRAMMAR:
                sharing.append(question.id)
    assert number == 110
    assert len(sharing) <= 3, sharing


GRAMMAR = set(terms("get make do go have use need want like thing one two our us").stem.split())


def test_twins_differ_from_their_questions_by_what_they_say() -> None:
    for kind in ("notes", "sessions"):
        said = own.queries(own.SETS / "near-misses" / kind)
        twins = [one for one in said.values() if "twin" in one]
        assert len(twins) == len(said) / 2
        for twin in twins:
            old, new = twin["changed"]
            assert said[twin["twin"]]["query"].replace(old, new, 1) == twin["query"]


def test_of_changed_values_the_gold_is_the_later_note() -> None:
    folder = own.SETS / "changed-values"
    dates = {one.external: one.date for one in own.suite(folder).documents}
    pairs = [
        (older["document"], newer)
        for one in own.queries(folder).values()
        for older in one.get("superseded", ())
        for newer in one["gold"]
    ]
    assert len(pairs) == 100
    assert all((dates[older] or 0) < (dates[newer] or 0) for older, newer in pairs)  # type: ignore[operator]


# ------------------------------------------------------------------ baselines


def _asked(text: str, quote: str, document: str = "b.md") -> Question:
    return Question("q", text, {document: 1.0}, evidence=Evidence((Unit(document, (quote,)),)))


NOTES = [
    Document("a.md", "eval", "# Ports\n\nA port is held by a process.\nNothing else."),
    Document("b.md", "eval", "# Sockets\n\nIntro.\nUse lsof to see which process holds a port."),
]


def test_grep_reads_the_lines_with_the_rarest_words_until_the_answer() -> None:
    question = _asked("which process holds a port?", "Use lsof to see which process holds a port.")
    assert grepping.rarest(question, NOTES) == ["holds", "process"]
    tokens, found = grepping.grep_lines(question, NOTES)
    assert found
    assert tokens < sum(len(note.text) for note in NOTES)
    assert grepping.best_file(question, NOTES)[1]


def test_grep_does_not_find_what_is_said_in_other_words() -> None:
    question = _asked("who occupies it?", "Use lsof to see which process holds a port.")
    assert grepping.grep_lines(question, NOTES) == (0, False)


# ------------------------------------------------------------------ asked before


def _sample(most: int) -> Group:
    (sample,) = suites.load("sample", SAMPLE).groups()
    asked = [question for question in sample.questions if question.gold]
    return sample._replace(questions=tuple(asked[:most]))


def test_sessions_in_which_everything_was_asked() -> None:
    group = _sample(4)
    one_each = echo.with_sessions(group, "one each").documents[len(group.documents) :]
    assert [len(one.messages) for one in one_each] == [2] * 4
    (many,) = echo.with_sessions(group, "many in one").documents[len(group.documents) :]
    assert [message.role for message in many.messages] == ["user", "assistant"] * 4
    assert many.messages[0].text == group.questions[0].text


def test_nothing_falls_after_the_questions_were_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WORK", tmp_path)
    group = _sample(6)
    before = echo.first_right(group, group)
    after = echo.first_right(echo.with_sessions(group, "one each"), echo.quoted(group, "one each"))
    assert after.first >= before.first
    assert not after.echoed


# ------------------------------------------------------------------ engines


def test_plain_fusion_shows_ten_passages_as_the_default_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WORK", tmp_path)
    folder = own.SETS / "near-misses" / "sessions"
    group = own.suite(folder)
    question = next(one for one in group.questions if one.gold)
    with stores.opened(group) as opened:
        for engine in ("rrf-10", "bm25-10", "vectors-10"):
            answer = opened.named(engines.ENGINES[engine](opened.memory, question))
            assert len(answer.results) == 10 or engine == "bm25-10"
            assert len(answer.results) <= 10
            row = engines.measured("x", engine, question, answer)
            assert row.measures["shown"] == 1
            assert row.measures["tokens"] > 100


def test_rows_survive_a_kill_in_the_midst_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    whole: dict[str, Any] = {"id": "a"}
    file.write_text(f'{json.dumps(whole)}\n{{"id": "b", "mea')
    assert list(asking.lines(file)) == [whole]
