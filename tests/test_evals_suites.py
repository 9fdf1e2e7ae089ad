"""Question sets from the shapes that they are published in, and what is refused about them."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recollect.errors import InputError, UsageError
from recollect_evals import files, suites
from recollect_evals.suites import Group, load, survey

Rows = Sequence[Mapping[str, Any]]


def jsonl(path: Path, rows: Rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def only(kind: str, path: Path) -> Group:
    (group,) = load(kind, path).groups()
    return group


def refused(kind: str, path: Path) -> str:
    with pytest.raises(InputError) as error:
        survey(load(kind, path))
    return error.value.message


# ------------------------------------------------------------------ BEIR


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    jsonl(folder / "corpus.jsonl", [
        {"_id": "d1", "title": "Boats", "text": "A kayak.", "metadata": {"gold": "q1"}},
        {"_id": "d2", "title": "", "text": "A tent."},
    ])  # fmt: skip
    jsonl(folder / "queries.jsonl", [
        {"_id": "q1", "text": "what floats?"}, {"_id": "q2", "text": "of another split"},
        {"_id": "q3", "text": "nothing is right"},
    ])  # fmt: skip
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq3\td1\t0\n"
    )
    return folder


def test_beir_has_grades_titles_and_only_what_is_judged(beir: Path) -> None:
    group = only("beir", beir)
    assert [(d.external, d.title, d.text, d.meta) for d in group.documents] == [
        ("d1", "Boats", "A kayak.", {}),
        ("d2", "", "A tent.", {}),
    ]
    assert [(q.id, q.text, q.gold) for q in group.questions] == [("q1", "what floats?", {"d1": 2})]
    assert sum(survey(load("beir", beir)).left_out.values()) == 2


def test_beir_with_lines_that_are_wrong(beir: Path) -> None:
    qrels = beir / "qrels" / "test.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\nq1 d1 1\n")
    assert f"{qrels}:2" in refused("beir", beir)
    qrels.write_text("q9\td1\t1\n")
    assert "1 judged questions are not in queries.jsonl: q9" in refused("beir", beir)
    qrels.unlink()
    assert "there is no qrels/test.tsv" in refused("beir", beir)


# ------------------------------------------------------------------ our own lines


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    folder = tmp_path / "lines"
    jsonl(folder / "sessions.jsonl", [
        {"id": "s1", "owner": "ana", "date": "2023/04/10 (Mon) 17:50", "secret": "gold",
         "turns": [{"role": "user", "text": "I bought a kayak."}]},
        {"id": "s2", "turns": [{"role": "assistant", "text": "Noted."}], "scopes": ["work"]},
    ])  # fmt: skip
    jsonl(folder / "queries.jsonl", [
        {"id": "q1", "query": "what did I buy?", "gold": ["s1"], "date": "2023-05-01",
         "category": "one", "owner": "ana"},
        {"id": "q2", "query": "what did I sell?", "gold": []},
        {"id": "q3", "query": "and where?", "gold": ["s1"], "abstain": True},
        {"id": "q4", "query": "both?", "gold": {"s1": 1, "s2": 0.5}},
    ])  # fmt: skip
    return folder


def test_our_lines_with_dates_owners_and_questions_without_an_answer(lines: Path) -> None:
    group = only("jsonl", lines)
    first, second = group.documents
    assert (first.kind, first.owner, first.date) == (
        "session", "ana", datetime(2023, 4, 10, 17, 50, tzinfo=UTC),
    )  # fmt: skip
    assert first.meta == {}  # what is not ours may give the gold away
    assert second.scopes == ("work",)
    assert [q.abstain for q in group.questions] == [False, True, True, False]
    assert group.questions[0].date == datetime(2023, 5, 1, tzinfo=UTC)
    assert group.questions[0].owner == "ana"
    assert group.questions[3].gold == {"s1": 1.0, "s2": 0.5}


def test_halves_are_by_the_hash_of_the_id(lines: Path) -> None:
    for question in only("jsonl", lines).questions:
        odd = int(sha1(question.id.encode()).hexdigest(), 16) % 2
        assert question.half == ("test" if odd else "fit")


@pytest.mark.parametrize(("end", "opener"), [(".xz", lzma.open), (".gz", gzip.open)])
def test_packed_files_and_files_with_a_prefix(lines: Path, end: str, opener: Any) -> None:
    for name in ("sessions.jsonl", "queries.jsonl"):
        with opener(lines / f"en.{name}{end}", "wt") as out:
            out.write((lines / name).read_text())
        (lines / name).unlink()
    assert survey(load("jsonl", lines / "en")).questions == 4


def test_a_survey_counts_what_there_is(lines: Path) -> None:
    found = survey(load("jsonl", lines))
    assert (found.groups, found.documents, found.questions, found.abstain) == (1, 2, 4, 2)
    assert sum(found.halves.values()) == 4


def test_the_digest_is_of_the_content(lines: Path) -> None:
    before = load("jsonl", lines).digest()
    assert load("jsonl", lines).digest() == before
    with open(lines / "queries.jsonl", "a") as out:
        out.write("\n")
    assert load("jsonl", lines).digest() != before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not an object"),
        ('{"query": "x", "gold": []}', "no `id`"),
        ('{"id": "q", "gold": []}', "no `query`"),
        ('{"id": "q", "query": "x"}', "neither `gold` nor `abstain`"),
        ('{"id": "q", "query": "x", "gold": "s1"}', "not a list"),
        ('{"id": "q", "query": "x", "gold": {"s1": "much"}}', "not numbers"),
        ('{"id": "q", "query": "x", "gold": [], "date": "soon"}', "not a date"),
    ],
)
def test_a_bad_question_is_refused_with_its_line(lines: Path, line: str, said: str) -> None:
    file = lines / "queries.jsonl"
    file.write_text('{"id": "q0", "query": "x", "gold": ["s1"]}\n\n' + line + "\n")
    message = refused("jsonl", lines)
    assert f"{file}:3" in message
    assert said in message


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "s", "turns": [{"role": "user"}]}, "turn 0 has no `text`"),
        ({"id": "s", "turns": "hello"}, "not a list"),
        ({"id": "s"}, "no `text`"),
        ({"text": "x"}, "no `id`"),
        ({"id": "s", "text": "x", "scopes": "work"}, "`scopes` is not a list"),
    ],
)
def test_a_bad_document_is_refused_with_its_line(
    lines: Path, row: Mapping[str, Any], said: str
) -> None:
    file = jsonl(lines / "sessions.jsonl", [row])
    message = refused("jsonl", lines)
    assert f"{file}:1" in message
    assert said in message


def test_gold_that_is_nowhere_is_refused_with_counts(lines: Path) -> None:
    jsonl(lines / "queries.jsonl", [
        {"id": "q1", "query": "x", "gold": ["s1", "nowhere"]},
        {"id": "q2", "query": "x", "gold": ["s1"]},
    ])  # fmt: skip
    assert "1 of 2 questions have gold that is in no document: q1 (nowhere)" in refused(
        "jsonl", lines
    )


def test_no_questions_and_the_same_one_twice_are_refused(lines: Path) -> None:
    jsonl(lines / "queries.jsonl", [])
    assert "0 questions, 2 documents" in refused("jsonl", lines)
    jsonl(lines / "queries.jsonl", [{"id": "q", "query": "x", "gold": []}] * 2)
    assert "1 ids are asked twice: q" in refused("jsonl", lines)


def test_missing_files_and_unknown_suites_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no suite"):
        load("nonsense", tmp_path)
    for kind in suites.LOADERS:
        with pytest.raises(InputError, match="there is no"):
            load(kind, tmp_path / "nowhere")


def test_a_file_that_is_not_what_its_name_says(lines: Path) -> None:
    (lines / "queries.jsonl").rename(lines / "queries.jsonl.xz")
    assert "cannot be read" in refused("jsonl", lines)


# ------------------------------------------------------------------ LongMemEval


def lme(id: str, **more: Any) -> dict[str, Any]:
    return {
        "question_id": id, "question_type": "multi-session", "question": "how many boats?",
        "answer": 2, "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["answer_1", "sharegpt_2"],
        "haystack_sessions": [
            [{"role": "user", "content": "Two boats.", "has_answer": True}],
            [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}],
        ],
        "answer_session_ids": ["answer_1"],
    } | more  # fmt: skip


def test_longmemeval_has_a_store_for_each_question(tmp_path: Path) -> None:
    file = tmp_path / "longmemeval_s.json"
    file.write_text(json.dumps([lme("a"), lme("b_abs")], indent=1))
    one, other = load("longmemeval", file).groups()
    assert (one.name, other.name) == ("a", "b_abs")
    (asked,) = one.questions
    assert asked.date == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert list(asked.gold) == [one.documents[0].external]
    assert other.questions[0].abstain
    assert [m.text for m in one.documents[1].messages] == ["Hello.", "Hi."]
    assert survey(load("longmemeval", file)).groups == 2


def test_longmemeval_gives_no_gold_away(tmp_path: Path) -> None:
    file = tmp_path / "longmemeval_oracle.json"
    file.write_text(json.dumps([lme("a")]))
    for document in only("longmemeval", file).documents:
        assert "answer" not in json.dumps(document.as_json())


def test_a_large_file_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK", 7)
    file = tmp_path / "longmemeval_m.json"
    file.write_text("\n[\n" + ",\n".join(json.dumps(lme(f"q{n}")) for n in range(5)) + "\n]\n")
    assert [g.name for g in load("longmemeval", file).groups()] == [f"q{n}" for n in range(5)]


@pytest.mark.parametrize("chunk", [5, 1 << 20])
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"question_id": "a"}', 1, "no list `haystack_sessions`"),
        ("null", 1, "not a JSON array"),
        ("", 1, "not a JSON array"),
        ("[\n[]\n]", 2, "not an object"),
        ('[\n{"question_id": "a",\n "question": }\n]', 3, "not JSON"),
        ("[\n", 2, "not JSON"),
        ('[\n{"question_id": "a"}]', 2, "no list `haystack_sessions`"),
    ],
)
def test_a_broken_array_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, text: str, line: int, said: str
) -> None:
    monkeypatch.setattr(files, "CHUNK", chunk)
    file = tmp_path / "longmemeval_s.json"
    file.write_text(text)
    message = refused("longmemeval", file)
    assert f"{file}:{line}:" in message
    assert said in message


def test_longmemeval_whose_lists_do_not_match_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "longmemeval_s.json"
    file.write_text(json.dumps([lme("a", haystack_dates=[])]))
    assert "2 sessions, 2 ids, 0 dates" in refused("longmemeval", file)
    file.write_text(json.dumps([lme("a", answer_session_ids=["elsewhere"])]))
    assert "1 of 1 questions have gold that is in no document" in refused("longmemeval", file)


# ------------------------------------------------------------------ LoCoMo

LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana", "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red kayak"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice."},
        ],
        "session_2_date_time": "9:00 am on 10 May, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I moved."}],
        "session_3_date_time": "9:00 am on 11 May, 2023",
    },
    "qa": [
        {"question": "what did Ana show?", "answer": "boat", "evidence": ["D1:1"], "category": 4},
        {"question": "both?", "answer": "x", "evidence": ["D1:2; D2:1"], "category": 1},
        {"question": "what did Bo show?", "adversarial_answer": "a kayak", "evidence": ["D1:1"],
         "category": 5},
        {"question": "lost", "answer": "x", "evidence": ["D9:1"], "category": 1},
        {"question": "none", "answer": "x", "evidence": [], "category": 3},
    ],
}  # fmt: skip


def test_locomo_sessions_evidence_and_adversarial_questions(tmp_path: Path) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([LOCOMO]))
    group = only("locomo", file)
    first, second = group.documents
    assert first.date == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [(m.role, m.text) for m in first.messages] == [
        ("user", "Ana: Look! [image: a red kayak]"), ("assistant", "Bo: Nice."),
    ]  # fmt: skip
    golds = [set(q.gold) for q in group.questions]
    assert golds == [{first.external}, {first.external, second.external}, set()]
    assert survey(load("locomo", file)).left_out == {"evidence that names no session": 2}


def test_locomo_that_is_broken_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([{**LOCOMO, "conversation": []}]))
    assert "no `conversation`" in refused("locomo", file)
    talk = {"session_1": [{"speaker": "Ana"}]}
    file.write_text(json.dumps([{**LOCOMO, "conversation": talk}]))
    assert "session_1, turn 0 has no `text`" in refused("locomo", file)


def test_longmemeval_as_lines_is_the_same(tmp_path: Path) -> None:
    rows = [lme("a"), lme("b_abs")]
    array, lines_ = tmp_path / "longmemeval_s_cleaned.json", tmp_path / "rows.jsonl"
    array.write_text(json.dumps(rows))
    lines_.write_text("\n" + "".join(json.dumps(row) + "\n" for row in rows))
    assert list(load("longmemeval", array).groups()) == list(load("longmemeval", lines_).groups())


# ------------------------------------------------------------------ BEAM

CHAT = [
    {"batch_number": 1, "turns": [
        [
            {"role": "user", "id": 0, "time_anchor": "March-15-2024", "index": "1,1",
             "question_type": "main_question", "content": "I paddle on Mondays. ->-> 1,1"},
            {"role": "assistant", "id": 1, "content": "Noted."},
            {"role": "user", "id": 2, "question_type": "followup_question", "content": "Thanks."},
        ],
        [
            {"role": "user", "id": 4, "index": "1,2", "question_type": "main_question",
             "content": "I bought a tent. ->-> 1,2"},
            {"role": "assistant", "id": 5, "content": "Nice."},
        ],
    ]},
    {"batch_number": 2, "turns": [
        [
            {"role": "user", "id": 6, "time_anchor": "April-02-2024", "index": "2,1",
             "question_type": "main_question", "content": "Now I paddle on Fridays. ->-> 2,1"},
        ],
    ]},
]  # fmt: skip
PROBES = {
    "abstention": [{"question": "What does my sister do?", "ideal_response": "unknown"}],
    "knowledge_update": [
        {"question": "When do I paddle?", "answer": "Fridays",
         "source_chat_ids": {"original_info": [0], "updated_info": [6]}},
    ],
    "information_extraction": [
        {"question": "What did I buy?", "source_chat_ids": [4, 5]},
        {"question": "Lost?", "source_chat_ids": [99]},
        {"question": "Nowhere?"},
    ],
}  # fmt: skip


@pytest.fixture
def beam(tmp_path: Path) -> Path:
    home = tmp_path / "100K" / "1"
    (home / "probing_questions").mkdir(parents=True)
    (home / "chat.json").write_text(json.dumps(CHAT))
    (home / "probing_questions" / "probing_questions.json").write_text(json.dumps(PROBES))
    return tmp_path / "100K"


def test_beam_exchanges_evidence_and_what_is_left_out(beam: Path) -> None:
    group = only("beam", beam)
    first, second, third = group.documents
    assert [m.text for m in first.messages] == ["I paddle on Mondays.", "Noted.", "Thanks."]
    assert [m.text for m in second.messages] == ["I bought a tent.", "Nice."]
    assert (first.date, second.date) == (datetime(2024, 3, 15, tzinfo=UTC),) * 2
    assert third.date == datetime(2024, 4, 2, tzinfo=UTC)
    asked = {q.category: set(q.gold) for q in group.questions}
    assert asked == {
        "abstention": set(),
        "knowledge_update": {first.external, third.external},
        "information_extraction": {second.external},
    }
    assert group.left_out == {
        "evidence that is not one message": 1, "questions that name no message": 1,
    }  # fmt: skip


@pytest.mark.parametrize("written", [json.dumps, repr])
def test_beam_rows_give_the_same(beam: Path, tmp_path: Path, written: Any) -> None:
    batches = [[m for turn in batch["turns"] for m in turn] for batch in CHAT]  # type: ignore[attr-defined]
    row = {"conversation_id": "1", "chat": batches, "probing_questions": written(PROBES)}
    file = jsonl(tmp_path / "rows.jsonl", [row])
    as_rows, as_folder = only("beam", file), only("beam", beam)
    assert [d.messages for d in as_rows.documents] == [d.messages for d in as_folder.documents]
    assert [q.text for q in as_rows.questions] == [q.text for q in as_folder.questions]
    plans = {"conversation_id": "1", "chat": [{"plan-1": CHAT}, {"plan-2": CHAT}],
             "probing_questions": PROBES}  # fmt: skip
    longest = only("beam", jsonl(tmp_path / "10M.jsonl", [plans]))
    assert len(longest.documents) == 6
    assert longest.left_out["evidence that is not one message"] == 3  # ids begin anew


def test_beam_that_is_broken_is_refused(beam: Path, tmp_path: Path) -> None:
    (beam / "1" / "chat.json").unlink()
    with pytest.raises(InputError, match="1 of 1 chats are missing"):
        load("beam", beam)
    (beam / "1" / "chat.json").write_text("[]")
    assert "no message" in refused("beam", beam)
    for rest, said in (("[", "not JSON"), ('{"abstention": 3}', "not a list")):
        (beam / "1" / "probing_questions" / "probing_questions.json").write_text(rest)
        (beam / "1" / "chat.json").write_text(json.dumps(CHAT))
        assert said in refused("beam", beam)
    with pytest.raises(InputError, match="no probing_questions.json"):
        load("beam", tmp_path / "work")
    with pytest.raises(InputError, match="parquet"):
        load("beam", tmp_path / "100K.parquet")


# ------------------------------------------------------------------ folders, other questions


def test_a_folder_of_texts_and_its_questions(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "boats.md").write_text("# Our boats\n\nA kayak.\n")
    (place / "plain.txt").write_text("A tent.\n")
    jsonl(place / "sessions.jsonl", [{"id": "s1", "turns": [{"role": "user", "text": "Hello."}]}])
    asked = jsonl(tmp_path / "asked.jsonl", [
        {"id": "q1", "query": "what floats?", "gold": ["deep/boats.md"]},
        {"id": "q2", "query": "who said hello?", "gold": ["s1"]},
    ])  # fmt: skip
    (group,) = load("folder", place, asked).groups()
    titles = {d.external: d.title for d in group.documents}
    assert titles == {"deep/boats.md": "Our boats", "plain.txt": "plain", "s1": ""}
    assert survey(load("folder", place, asked)).questions == 2
    with pytest.raises(InputError, match=r"no queries\.jsonl"):
        load("folder", place)
    with pytest.raises(InputError, match="no such folder"):
        load("folder", tmp_path / "nowhere", asked)
    with pytest.raises(InputError, match=r"no \*\.md"):
        load("folder", tmp_path / "work", asked)


def test_questions_of_another_set_have_no_answer(lines: Path, beir: Path) -> None:
    suite = load("abstention", lines, beir / "queries.jsonl")
    found = survey(suite)
    assert (found.questions, found.abstain) == (3, 3)
    assert suite.name.endswith("-abstention")
    with pytest.raises(UsageError, match="whose questions"):
        load("abstention", lines)
    with pytest.raises(InputError, match="no such file"):
        load("abstention", lines, lines / "nowhere.jsonl")
    with pytest.raises(UsageError, match="in its own files"):
        load("beir", beir, lines / "queries.jsonl")


def test_the_sample_is_sound() -> None:
    from recollect_evals.loaders.folders import SAMPLE

    found = survey(load("sample", SAMPLE))
    assert found.questions >= 40
    assert found.abstain >= 5


# ------------------------------------------------------------------ supersession

TOPICS = {
    "hard_negatives": [{"org": "x", "id": "n", "text": "Nobody may bypass the pump."}],
    "topics": [
        {"id": "x.t1", "org": "x", "kind": "supersession", "query": "Which host has the archive?",
         "current": "new", "values": {"old": "arc-01", "new": "arc-02"},
         "statements": [
             {"role": "f2", "text": "The archive was moved to arc-02."},
             {"role": "f1", "text": "The archive runs on arc-01."},
         ]},
    ],
}  # fmt: skip


def test_supersession_is_told_in_order_and_asked_by_value(tmp_path: Path) -> None:
    from recollect_evals import supersession

    (tmp_path / "topics-dev.json").write_text(json.dumps(TOPICS))
    jsonl(tmp_path / "beliefs-all.jsonl", [
        {"id": "b1", "family": "fact", "propositions": [
            {"text": "I moved to Sofia", "asserted_at": "2024-03-15T12:00:00"},
            {"text": "I live in Sydney", "asserted_at": "2022-06-01T12:00:00"}],
         "questions": [
             {"q": "Where do I live?", "expected_current_contains": ["Sofia"],
              "expected_superseded_contains": ["Sydney"]},
             {"q": "Then?", "at_time": "2023-01-01", "expected_valid": True}]},
    ])  # fmt: skip
    jsonl(tmp_path / "beliefs-pairs.jsonl", [{"id": "p", "p1": "x", "p2": "y"}])
    found = supersession.load(tmp_path)
    person, org = sorted(found.stories, key=lambda story: story.name)
    assert [s.text for s in org.statements][1:] == [
        "The archive runs on arc-01.", "The archive was moved to arc-02.",
    ]  # fmt: skip
    assert [s.text for s in person.statements] == ["I live in Sydney", "I moved to Sofia"]
    assert org.asked[0][2:4] == (("arc-02",), ("arc-01",))
    assert found.left_out == {"questions about another time": 1}
    assert [f.name for f in found.files] == ["beliefs-all.jsonl", "topics-dev.json"]
    with pytest.raises(InputError, match="0 questions in 1 files"):
        supersession.load(tmp_path / "beliefs-pairs.jsonl")


def test_stale_is_a_superseded_value_without_the_current_one() -> None:
    from recollect_evals.supersession import Asked, judged

    asked = Asked("q", "?", ("arc-02",), ("arc-01",), "")

    def values(*texts: str, kind: str = "fact") -> dict[str, float]:
        results = [SimpleNamespace(text=text, kind=kind) for text in texts]
        return judged(asked, SimpleNamespace(results=results))  # type: ignore[arg-type]

    good = {"current": 1, "current_first": 1, "stale": 0, "stale_fact": 0}
    assert values("from ARC 01 to arc_02") == good
    late = {"current": 1, "current_first": 0, "stale": 1, "stale_fact": 1}
    assert values("on arc-01", "on arc-02") == late
    assert values("on arc-01", "on arc-02", kind="note") == {**late, "stale_fact": 0}
    assert set(values().values()) == {0}
