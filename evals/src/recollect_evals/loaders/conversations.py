"""Conversations with questions about them, each in stores of its own: LongMemEval and LoCoMo."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InputError
from recollect.nouns import Document, Message, stable_id
from recollect_evals.files import column, date_of, given, items, messages_of, there
from recollect_evals.questions import SOURCE, Group, Loaded, Question

# ------------------------------------------------------------------ LongMemEval


def longmemeval(path: Path) -> Loaded:
    """Wu et al. (2025). A question whose id ends in ``_abs`` has no answer. What marks the evidence
    (``has_answer``, ids that begin with ``answer``) stays outside."""
    there(path)

    def groups() -> Iterator[Group]:
        for where, record in items(path):
            id = given(record, where, "question_id")
            sessions = column(record, where, "haystack_sessions")
            ids = column(record, where, "haystack_session_ids")
            dates = column(record, where, "haystack_dates")
            if not len(sessions) == len(ids) == len(dates):
                raise InputError(
                    f"{where}: {len(sessions)} sessions, {len(ids)} ids, {len(dates)} dates"
                )
            documents = tuple(
                Document(
                    stable_id(id, str(one)), SOURCE, messages=messages_of(turns, where, "content"),
                    kind="session", date=date_of(date, where),
                )
                for one, date, turns in zip(ids, dates, sessions, strict=True)
                if turns
            )  # fmt: skip
            wanted = () if id.endswith("_abs") else column(record, where, "answer_session_ids")
            question = Question(
                id, given(record, where, "question"),
                dict.fromkeys((stable_id(id, str(one)) for one in wanted), 1.0),
                date_of(record.get("question_date"), where), str(record.get("question_type") or ""),
            )  # fmt: skip
            if not question.gold and not id.endswith("_abs"):
                raise InputError(f"{where}: `answer_session_ids` is empty, and it is no `_abs`")
            yield Group(id, documents, (question,), {})

    return (path,), groups


# ------------------------------------------------------------------ LoCoMo

_EVIDENCE = re.compile(r"D:?(\d+):\d+")
_SESSION = re.compile(r"session_(\d+)")
_ADVERSARIAL = 5


def locomo(path: Path) -> Loaded:
    """Maharana et al. (2024). Evidence names turns (``D3:14``); gold is the sessions they are in.
    Questions of category 5 have no answer. Others whose evidence is empty or names no session are
    left out, and counted."""
    there(path)

    def groups() -> Iterator[Group]:
        for where, record in items(path):
            name = given(record, where, "sample_id")
            talk = record.get("conversation")
            if not isinstance(talk, dict):
                raise InputError(f"{where}: there is no `conversation`")
            documents = {
                int(found[1]): _talk(talk, found[0], name, where)
                for key, turns in talk.items()
                if (found := _SESSION.fullmatch(key)) and turns
            }
            asked, left_out = [], Counter[str]()
            for number, one in enumerate(column(record, where, "qa")):
                place = f"{where}: question {number}"
                if not isinstance(one, dict):
                    raise InputError(f"{place} is not an object")
                abstain = one.get("category") == _ADVERSARIAL
                places = _EVIDENCE.findall(" ".join(map(str, one.get("evidence") or ())))
                gold = {documents[n].external for n in map(int, places) if n in documents}
                if not abstain and (not gold or {int(n) for n in places} - documents.keys()):
                    left_out["evidence that names no session"] += 1
                    continue
                asked.append(Question(
                    f"{name}:{number}", given(one, place, "question"),
                    {} if abstain else dict.fromkeys(sorted(gold), 1.0),
                    category=str(one.get("category") or ""),
                ))  # fmt: skip
            yield Group(name, tuple(documents.values()), tuple(asked), left_out)

    return (path,), groups


def _talk(talk: Mapping[str, Any], key: str, name: str, where: str) -> Document:
    """A session: the first speaker as the user, the other as the assistant, by their names."""
    messages = []
    for number, turn in enumerate(column(talk, where, key)):
        if not isinstance(turn, dict) or not isinstance(turn.get("text"), str):
            raise InputError(f"{where}: {key}, turn {number} has no `text`")
        speaker = str(turn.get("speaker") or "")
        seen = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        role = "assistant" if speaker and speaker == talk.get("speaker_b") else "user"
        messages.append(Message(role, f"{speaker}: {turn['text']}{seen}"))
    date = _said(talk.get(f"{key}_date_time"), where)
    return Document(f"{name}:{key}", SOURCE, messages=tuple(messages), kind="session", date=date)


def _said(value: Any, where: str) -> datetime | None:
    """``1:56 pm on 8 May, 2023``, or a date as others write it."""
    with suppress(ValueError, TypeError):
        return datetime.strptime(value, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return date_of(value, where)
