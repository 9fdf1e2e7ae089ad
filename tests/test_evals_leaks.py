"""Guards: an engine under test must not be able to know the answers, and no score may be had for
nothing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conftest import Cli
from recollect import Document, Memory
from recollect_evals import leaks
from recollect_evals.ledger import Ledger
from recollect_evals.loaders.folders import SAMPLE
from recollect_evals.questions import Group, Question, half_of
from recollect_evals.rows import Row
from recollect_evals.statistics import tail
from recollect_evals.suites import Suite, load, survey

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.corpus import data_folder, lines
from bench.quality import SETS
from bench.unseen.sets import SETS as UNSEEN

DATA = data_folder()
SUMS = "SHA256SUMS"
READ_ONLY = sorted(one.name for one in UNSEEN.values() if not one.fits)
"""Sets on which nothing is trained, fitted or chosen, ever."""
CANARY = "zqxcanaryzqx"
"""Stands wherever a file may hold what an engine must not see."""
needs_data = pytest.mark.skipif(DATA is None, reason="no data folder: set RECOLLECT_DATA")
needs_sums = pytest.mark.skipif(
    DATA is None or not (DATA / SUMS).is_file(),
    reason=f"no data folder with {SUMS}: set RECOLLECT_DATA",
)


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


# ------------------------------------------------------------------ what gets into the store


def beir(folder: Path) -> Path:
    folder.mkdir()
    row = {"_id": f"d-{CANARY}", "title": "Boats", "text": "A kayak.", "metadata": {"gold": CANARY}}
    (folder / "corpus.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "queries.jsonl").write_text(
        json.dumps({"_id": "q", "text": "what floats?", "metadata": {"answer": CANARY}}) + "\n"
    )
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(f"q\td-{CANARY}\t1\n")
    return folder


def our_lines(folder: Path) -> Path:
    folder.mkdir()
    row = {"id": CANARY, "text": "A kayak.", "gold": True, "answer": CANARY, "note": [CANARY]}
    (folder / "docs.jsonl").write_text(json.dumps(row) + "\n")
    asked = {"id": "q", "query": "what floats?", "gold": [CANARY], "answer": CANARY}
    (folder / "queries.jsonl").write_text(json.dumps(asked) + "\n")
    return folder


def longmemeval(file: Path) -> Path:
    said = {"role": "user", "content": "A kayak.", "has_answer": True, "why": CANARY}
    row = {
        "question_id": "q", "question": "what floats?", "answer": CANARY, "question_type": CANARY,
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": [f"answer_{CANARY}"], "haystack_sessions": [[said]],
        "answer_session_ids": [f"answer_{CANARY}"],
    }  # fmt: skip
    file.write_text(json.dumps([row]))
    return file


def locomo(file: Path) -> Path:
    said = {"speaker": "Ana", "dia_id": "D1:1", "text": "A kayak.", "query": CANARY}
    talk = {"speaker_a": "Ana", "session_1": [said], "session_1_summary": CANARY}
    asked = {"question": "what floats?", "answer": CANARY, "evidence": ["D1:1"], "category": 4}
    row = {"sample_id": f"c-{CANARY}", "conversation": talk, "qa": [asked], "event_summary": CANARY}
    file.write_text(json.dumps([row]))
    return file


def beam(folder: Path) -> Path:
    home = folder / "100K" / "1"
    (home / "probing_questions").mkdir(parents=True)
    said = {"role": "user", "id": 0, "content": "A kayak. ->-> 1,1", "index": CANARY}
    (home / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [[said]]}]))
    asked = {"question": "what floats?", "answer": CANARY, "source_chat_ids": [0]}
    (home / "probing_questions" / "probing_questions.json").write_text(
        json.dumps({"information_extraction": [asked]})
    )
    return folder / "100K"


def folder(place: Path) -> Path:
    place.mkdir()
    (place / f"{CANARY}.md").write_text("# Boats\n\nA kayak.\n")
    asked = {"id": "q", "query": "what floats?", "gold": [f"{CANARY}.md"], "answer": CANARY}
    (place / "queries.jsonl").write_text(json.dumps(asked) + "\n")
    return place


MADE = {"beir": beir, "jsonl": our_lines, "longmemeval": longmemeval, "locomo": locomo,
        "beam": beam, "folder": folder}  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_nothing_but_the_text_can_be_found(
    kind: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = MADE[kind](tmp_path / kind)
    done = cli("eval", "run", kind, str(path), "--half", "all", "--keep", "--json")
    assert done.code == 0, done.err
    (row,) = Ledger().rows(done.json["runs"][0]["run"])
    assert row.answerable
    assert row.measures["set_size"] <= 1
    (store,) = (Ledger().folder / "stores").rglob("store")
    with Memory.open(store) as memory:
        assert memory.search("kayak").results
        kept = [memory.get(d.id).as_json() for d in memory.list(limit=10).items]
        assert kept
        if kind == "folder":  # where a note lies is something that a user knows
            kept = [{**d, "path": "", "title": ""} for d in kept]
        assert CANARY not in json.dumps(kept)
        assert kind == "folder" or not memory.search(CANARY).results


def test_ids_say_nothing_and_get_their_names_back() -> None:
    group = Group("g", (Document("answer_1", "eval", "x"), Document("b", "eval", "y")), (), {})
    hidden, names = leaks.opaque(group)
    shown = [document.external for document in hidden.documents]
    assert not {"answer_1", "b"} & set(shown)
    assert [names[id] for id in shown] == ["answer_1", "b"]
    assert leaks.opaque(group._replace(name="h")).group.documents[0].external != shown[0]


# ------------------------------------------------------------------ what was learned from


def test_a_question_is_known_however_it_is_written() -> None:
    content = leaks.packed(["Who owns the Boat?", "who  owns the boat"])
    assert len(content) == leaks.BYTES
    assert leaks.fingerprint("WHO owns: the boat") == leaks.fingerprint("Who owns the Boat?")


def test_what_ships_is_sorted_whole_and_knows_no_sample_question() -> None:
    known = leaks.learned()
    assert len(known) > 10_000
    assert list(known) == sorted(set(known))
    sample = survey(load("sample", SAMPLE))
    assert not [q.text for q in sample.asked if leaks.is_learned(q.text)]


@needs_data
def test_no_test_question_was_learned_from() -> None:
    assert DATA is not None
    fit = learned = 0
    for _, file in SETS.values():
        for question in lines(DATA / file):
            known = leaks.is_learned(question["query"])
            if half_of(question["id"]) == "test":
                assert not known, question["id"]
            else:
                fit, learned = fit + 1, learned + known
    assert learned > 0.95 * fit  # but those whose text is also that of a test question


# ------------------------------------------------------------------ sets that are only read


def read_only(name: str) -> Suite:
    one = UNSEEN[name]
    assert DATA is not None
    return load("jsonl", DATA / (one.place or one.name))


@cache
def sums() -> Mapping[str, str]:
    """The SHA-256 of each file of the data, as the data's own list has it."""
    assert DATA is not None
    rows = (line.split(maxsplit=1) for line in (DATA / SUMS).read_text().splitlines())
    return {name.removeprefix("./"): digest for digest, name in rows}


def test_there_are_sets_that_are_only_read() -> None:
    assert len(READ_ONLY) > 10


@needs_sums
@pytest.mark.parametrize("name", READ_ONLY)
def test_no_question_of_a_set_that_is_only_read_was_learned_from(name: str) -> None:
    """By chance one of 16,000 hashes of 5 bytes is taken for one of 5,000 questions once in 10,000
    times, so that a single one is a leak."""
    asked = survey(read_only(name)).asked
    assert [q.id for q in asked if leaks.is_learned(q.text)] == []


@needs_sums
@pytest.mark.parametrize("name", READ_ONLY)
def test_a_set_that_is_only_read_is_as_it_was_published(name: str) -> None:
    assert DATA is not None
    files = {file.relative_to(DATA).as_posix(): file for file in read_only(name).files}
    found = {name: sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    assert found == {name: sums().get(name) for name in files}


def test_what_is_fitted_on_is_not_in_the_folder_of_a_set_that_is_only_read() -> None:
    tops = {one.name: Path(one.place or one.name).parts[0] for one in UNSEEN.values()}
    closed = {tops[name] for name in READ_ONLY}
    fitted = {Path(file).parts[0] for files in SETS.values() for file in files}
    assert not closed & (fitted | {tops[one.name] for one in UNSEEN.values() if one.fits})


@needs_sums
def test_what_training_wrote_itself_has_no_question_of_a_set_that_is_only_read() -> None:
    """Of five words or more: fewer may be in any text ("what should I do?" begins a template)."""
    folder = Path(__file__).parent.parent / "training"
    if not folder.is_dir():
        pytest.skip("training is not part of this copy")
    written = " ".join(words(file.read_text(encoding="utf-8")) for file in folder.glob("*.py"))
    asked = [q for name in READ_ONLY for q in survey(read_only(name)).asked]
    long = {q.id: words(q.text) for q in asked if words(q.text).count(" ") >= 4}
    assert len(long) > len(asked) / 2
    assert [id for id, text in long.items() if text in written] == []


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


# ------------------------------------------------------------------ at a run


def test_questions_that_were_learned_from_are_no_test(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = our_lines(tmp_path / "set")
    ids = [f"q{n}" for n in range(40)]
    asked = [{"id": id, "query": f"what floats, {id}?", "gold": [CANARY]} for id in ids]
    (place / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    test = [row for row in asked if half_of(str(row["id"])) == "test"]
    learned = [str(row["query"]) for row in test[:3]]
    content = leaks.packed(learned)
    known = [content[at : at + leaks.BYTES] for at in range(0, len(content), leaks.BYTES)]
    monkeypatch.setattr(leaks, "learned", lambda: known)
    (told,) = cli("eval", "run", "jsonl", str(place), "--json").json["runs"]
    assert told["questions"] == len(test) - 3
    assert told["data"]["left_out"] == {"what ships has learned from them": 3}
    assert (told["data"]["learned"], told["data"]["fitted_on"]) == (0, 3)
    assert "fitted on 3 of the 40 questions" in cli("eval", "run", "jsonl", str(place)).out
    (told,) = cli("eval", "run", "jsonl", str(place), "--half", "all", "--json").json["runs"]
    assert (told["questions"], told["data"]["learned"]) == (40, 3)
    (place / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in test[:3]))
    done = cli("eval", "run", "jsonl", str(place))
    assert done.code == 1
    assert "3 left out: what ships has learned from them" in done.err


# ------------------------------------------------------------------ shuffled gold


def test_chance_by_hand() -> None:
    found = leaks.by_chance(returned=3, gold=1, documents=10)
    assert found["chance hit@1"] == pytest.approx(1 / 10)
    assert found["chance any@10"] == pytest.approx(3 / 10)
    two = leaks.by_chance(returned=3, gold=2, documents=10)
    assert two["chance any@10"] == pytest.approx(1 - (7 * 6) / (10 * 9))
    assert two["chance all@10"] == pytest.approx((3 * 2) / (10 * 9))
    assert set(leaks.by_chance(0, 1, 10).values()) == {0.0}


def test_the_tail_by_hand() -> None:
    assert tail([0.5, 0.5], 0) == 1
    assert tail([0.5, 0.5], 1) == pytest.approx(0.75)
    assert tail([0.2, 0.5], 2) == pytest.approx(0.1)
    assert tail([], 0) == 1


def shuffled_row(id: str, hit: float, odds: float) -> Row:
    measures = dict.fromkeys(leaks.AT_CHANCE, hit)
    measures |= {f"chance {name}": odds for name in leaks.AT_CHANCE}
    return Row(id, "test", "", True, "", 0.0, False, (), False, measures, {})


def test_who_scores_better_than_chance_is_caught_and_chance_is_not() -> None:
    chance = Random(1)
    for _ in range(20):
        rows = [shuffled_row(str(n), float(chance.random() < 0.1), 0.1) for n in range(100)]
        assert all(told["at_chance"] for told in leaks.chance(rows).values())
    rows = [shuffled_row(str(n), float(n % 4 == 0), 0.1) for n in range(100)]
    assert not any(told["at_chance"] for told in leaks.chance(rows).values())


@pytest.fixture
def boats(tmp_path: Path) -> Path:
    place = tmp_path / "boats"
    place.mkdir()
    words = [f"boat{n}" for n in range(60)]
    with open(place / "docs.jsonl", "w") as out:
        for word in words:
            out.write(json.dumps({"id": word, "text": f"The {word} is in the harbour."}) + "\n")
    with open(place / "queries.jsonl", "w") as out:
        for word in words:
            row = {"id": f"q-{word}", "query": f"Where is the {word}?", "gold": [word]}
            out.write(json.dumps(row) + "\n")
    return place


def test_a_run_with_shuffled_gold_scores_at_chance(cli: Cli, boats: Path) -> None:
    run = ("eval", "run", "jsonl", str(boats), "--half", "all", "--json")
    (right,) = cli(*run).json["runs"]
    assert right["measures"]["hit@1"]["mean"] == 1
    done = cli(*run, "--shuffle-gold")
    assert done.code == 0
    (told,) = done.json["runs"]
    assert told["measures"]["hit@1"]["mean"] < 0.15
    assert all(one["at_chance"] for one in told["shuffled"].values())
    assert told["shuffled"]["hit@1"]["chance"] == pytest.approx(1 / 60, abs=1e-5)
    compared = cli("eval", "compare", "boats-1", "boats-2")
    assert compared.code == 2
    assert "shuffled gold" in compared.err


def test_a_leak_fails_the_shuffled_run(
    cli: Cli, boats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if gold were what came back: whatever it is, it is found."""
    from recollect_evals import rows, running

    real = rows.measured

    def leaking(question: Question, answer: Any, *rest: Any) -> Row:
        row = real(question, answer, *rest)
        return row._replace(measures={**row.measures, "hit@1": 1.0, "any@10": 1.0, "all@10": 1.0})

    monkeypatch.setattr(running, "measured", leaking)
    done = cli("eval", "run", "jsonl", str(boats), "--half", "all", "--shuffle-gold")
    assert done.code == 1
    assert "better than chance" in done.err
    assert "ABOVE CHANCE" in done.out
