"""Real text, where the data folder is there (RECOLLECT_DATA, or beside the checkout)."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory
from recollect.nouns import Document, Message
from recollect.reading import grade
from recollect.text.chunk import MAX_SIZE, passages

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.corpus import data_folder, lines

DATA = data_folder() or Path("no data folder")
pytestmark = pytest.mark.skipif(
    data_folder() is None, reason="no data folder: set RECOLLECT_DATA to run on real text"
)


def _is_fit(query: dict[str, Any]) -> bool:
    """Thresholds are chosen on this half alone."""
    return int(hashlib.sha1(query["id"].encode()).hexdigest(), 16) % 2 == 0


def _by_words(memory: Memory, path: Path, count: int = 150) -> float:
    """The share of questions whose first result is right, by words alone."""
    asked = [q for q in lines(path) if _is_fit(q)][:count]
    right = 0
    for query in asked:
        results = memory.search(query["query"], by="keyword", limit=1).results
        right += bool(results) and results[0].document in query["gold"]
    return right / len(asked)


@pytest.mark.parametrize(
    ("language", "least"),
    [("en", 0.88), ("de", 0.82), ("es", 0.85), ("zh", 0.87), ("ru", 0.83), ("ar", 0.82)],
)
def test_questions_find_their_paragraph_in_many_languages(
    keyword_memory: Memory, language: str, least: float
) -> None:
    found = lines(DATA / "xquad" / f"{language}.docs.jsonl.xz")
    keyword_memory.put(Document(d["id"], "xquad", text=d["text"]) for d in found)
    assert _by_words(keyword_memory, DATA / "xquad" / f"{language}.queries.jsonl.xz") >= least


def test_long_documents_reassemble_byte_for_byte() -> None:
    for record in lines(DATA / "peps" / "docs.jsonl.xz"):
        made = passages(Document(record["id"], "peps", text=record["text"]))
        assert "".join(p.text for p in made) == record["text"]
        assert max(len(p.text) for p in made) <= MAX_SIZE


def test_sessions_reassemble_turn_by_turn(keyword_memory: Memory) -> None:
    sessions = list(lines(DATA / "personas" / "sessions.jsonl.xz"))
    keyword_memory.put(
        Document(
            s["id"],
            "personas",
            kind="session",
            messages=tuple(Message(t["role"], t["text"]) for t in s["turns"]),
            owner=s["owner"],
        )
        for s in sessions
    )
    for session in sessions:
        turns = [(m.role, m.text) for m in keyword_memory.get(session["id"]).messages]
        assert turns == [(t["role"], t["text"]) for t in session["turns"]]
    assert _by_words(keyword_memory, DATA / "personas" / "queries.jsonl") >= 0.55


def test_the_grade_was_fitted_on_questions_of_the_fit_half_alone() -> None:
    from bench.quality import half
    from bench.reading import ALL, questions
    from training.grade import fitted_on, is_unseen

    for name in ALL:
        used = [q for q in questions(DATA, name) if is_unseen(name, q["id"])]
        assert {half(q) for q in used} <= {"fit"}
    weights = Path(grade.__file__).with_name("grade.json")
    assert json.loads(weights.read_text())["fitted_on"] == fitted_on(DATA)


def test_the_data_folder_itself_is_added_once(cli: Cli) -> None:
    first = cli("add", str(DATA), "--no-embed", "--json")
    assert (first.code, first.json["failed"]) == (0, [])
    again = cli("add", str(DATA), "--no-embed", "--json")
    assert again.code == 0
    assert (again.json["added"], again.json["changed"], again.json["missing"]) == (0, 0, [])
    assert again.json["unchanged"] == first.json["added"] > 0
