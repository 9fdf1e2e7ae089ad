"""BEAM (Tavakoli et al., 2025): long conversations, and probing questions that name the messages
that answer them.

Two shapes are published, and both give the same documents: a folder with a folder for each
conversation (``chat.json``, ``probing_questions/probing_questions.json``), and rows with ``chat``
and ``probing_questions`` (save the parquet files as JSON lines). A document is an exchange: a main
question with what follows it until the next. The marks that the generator left behind messages
(``->-> 1,2``) are taken off. Questions of ``abstention`` have no answer; others that name no
message, or one that there is not or is there twice (ids begin anew in each plan of the longest),
are left out and counted.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InputError
from recollect.nouns import Document, Message
from recollect_evals.files import given, items, whole
from recollect_evals.questions import SOURCE, Group, Loaded, Question

_MARK = re.compile(r"\s*->->\s*[\d,\s]*$")
_ANCHORS = ("%B-%d-%Y", "%B %d, %Y", "%Y-%m-%d")
_NO_ANSWER = "abstention"
Exchange = list[Mapping[str, Any]]


def beam(path: Path) -> Loaded:
    if path.suffix == ".parquet":
        raise InputError(f"{path}: parquet is not read; save its rows as JSON lines")
    if path.is_file():
        return (path,), lambda: _rows(path)
    asked = sorted(path.rglob("probing_questions.json"), key=lambda file: _natural(str(file)))
    folders = [file.parents[1 if file.parent.name == "probing_questions" else 0] for file in asked]
    if not folders:
        raise InputError(f"{path}: there is no probing_questions.json in it")
    chats = [folder / "chat.json" for folder in folders]
    if missing := [str(chat) for chat in chats if not chat.is_file()]:
        raise InputError(f"{len(missing)} of {len(chats)} chats are missing: {missing[0]}")

    def groups() -> Iterator[Group]:
        for folder, chat, file in zip(folders, chats, asked, strict=True):
            name = f"{path.name}/{folder.relative_to(path)}" if folder != path else path.name
            yield _group(name, _json(chat), _json(file), str(file))

    return (*chats, *asked), groups


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _rows(path: Path) -> Iterator[Group]:
    for where, record in items(path):
        name = given(record, where, "conversation_id")
        asked = record.get("probing_questions")
        if isinstance(asked, str):
            asked = _literal(asked, where)
        yield _group(name, record.get("chat"), asked, where)


def _json(path: Path) -> Any:
    try:
        return json.loads(whole(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error


def _literal(text: str, where: str) -> Any:
    """The questions as text: JSON, or as Python writes it."""
    with suppress(json.JSONDecodeError):
        return json.loads(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise InputError(f"{where}: `probing_questions` cannot be read") from error


def _group(name: str, chat: Any, asked: Any, where: str) -> Group:
    if not isinstance(asked, dict):
        raise InputError(f"{where}: the questions are not an object of lists")
    exchanges = list(_exchanges(chat))
    if not exchanges:
        raise InputError(f"{where}: there is no message in the chat of {name}")
    documents = list(_documents(name, exchanges))
    places: dict[Any, list[str]] = {}
    for document, exchange in zip(documents, exchanges, strict=True):
        for message in exchange:
            places.setdefault(message.get("id"), []).append(document.external)
    made, left_out = [], Counter[str]()
    for ability, some in asked.items():
        if not isinstance(some, list):
            raise InputError(f"{where}: the questions of `{ability}` are not a list")
        for number, one in enumerate(some):
            place = f"{where}: {ability} {number}"
            if not isinstance(one, dict):
                raise InputError(f"{place} is not an object")
            wanted = set() if ability == _NO_ANSWER else set(_ids(one.get("source_chat_ids")))
            if ability != _NO_ANSWER and not wanted:
                left_out["questions that name no message"] += 1
                continue
            if any(len(places.get(id, ())) != 1 for id in wanted):
                left_out["evidence that is not one message"] += 1
                continue
            gold = sorted({places[id][0] for id in wanted})
            made.append(Question(
                f"{name}:{ability}:{number}", given(one, place, "question"),
                dict.fromkeys(gold, 1.0), category=ability,
            ))  # fmt: skip
    return Group(name, tuple(documents), tuple(made), left_out)


def _exchanges(chat: Any) -> Iterator[Exchange]:
    """Messages, however deep they are, in order; a main question begins a new stretch."""
    current: Exchange = []
    for message in _messages(chat):
        if message.get("question_type") == "main_question" and current:
            yield current
            current = []
        current.append(message)
    if current:
        yield current


def _messages(part: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, dict):
        if isinstance(part.get("content"), str) and "role" in part:
            yield part
        else:
            for inner in part.values():
                yield from _messages(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _messages(inner)


def _documents(name: str, exchanges: Iterable[Exchange]) -> Iterator[Document]:
    """Each is of the time that was named last."""
    date = None
    for number, exchange in enumerate(exchanges):
        for message in exchange:
            date = _anchor(message.get("time_anchor")) or date
        said = tuple(Message(str(m["role"]), _MARK.sub("", m["content"])) for m in exchange)
        yield Document(f"{name}:{number}", SOURCE, messages=said, kind="session", date=date)


def _anchor(text: Any) -> datetime | None:
    for form in _ANCHORS:
        with suppress(ValueError, TypeError):
            return datetime.strptime(text, form).replace(tzinfo=UTC)
    return None


def _ids(part: Any) -> Iterator[Any]:
    """The ids of messages in a list, or in an object of lists."""
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _ids(inner)
    elif part is not None:
        yield part
