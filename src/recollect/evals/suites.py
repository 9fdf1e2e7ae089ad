"""Question sets, from the files that they are published as, in one shape.

    beir         a folder: corpus.jsonl, queries.jsonl, qrels/test.tsv
    jsonl        a folder (or FOLDER/PREFIX of its files): docs, documents or sessions .jsonl, and
                 queries.jsonl {"id", "query", "gold": [id…] | {id: gain}, "abstain"?, "date"?, …}
    longmemeval  longmemeval_oracle.json, _s.json or _m.json: each question has sessions of its own
    locomo       locomo10.json: each conversation is a store, a session of it a document

Files ending in ``.xz`` or ``.gz`` are read as they are. A group is what is stored together and the
questions that are asked of it; a file is read group by group, so that it may be larger than memory.

Only what an engine may know gets into a document: fields that are not its text, title, date, path,
owner or scopes are left out, and ids that give the gold away (``answer_…``) are replaced. Files
that are missing, lines that cannot be read, gold that is in no document and sets without a question
are refused, with their places and counts.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha1, sha256
from json import JSONDecodeError, JSONDecoder
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, NamedTuple

from recollect.errors import InputError, UsageError
from recollect.text.dates import parse_date
from recollect.types import LOCAL, UNIVERSAL, Document, Message, stable_id

SOURCE = "eval"
_CHUNK = 1 << 20
_GAP = re.compile(r"[\s,]*")


class Question(NamedTuple):
    id: str
    text: str
    gold: Mapping[str, float]
    """What should come back, with its gain; nothing where there is no answer."""
    date: datetime | None = None
    """When it was asked."""
    category: str = ""
    owner: str | None = None
    scopes: tuple[str, ...] | None = None

    @property
    def abstain(self) -> bool:
        """Whether the right answer is that nothing is known."""
        return not self.gold

    @property
    def half(self) -> str:
        """``fit`` questions may be used to choose things, ``test`` questions never."""
        return "test" if int(sha1(self.id.encode()).hexdigest(), 16) % 2 else "fit"


class Group(NamedTuple):
    """Documents that are stored together, and what is asked of them."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    left_out: Mapping[str, int]
    """Questions of the file that are not asked, counted by reason."""


class Suite(NamedTuple):
    kind: str
    name: str
    files: tuple[Path, ...]
    groups: Callable[[], Iterator[Group]]
    """Read anew at each call."""

    def digest(self) -> str:
        """A name for the content of its files."""
        whole = sha256()
        for file in self.files:
            with open(file, "rb") as stream:
                while part := stream.read(_CHUNK):
                    whole.update(part)
        return whole.hexdigest()[:16]


class Survey(NamedTuple):
    """What a suite holds, after all of it was read and found sound."""

    groups: int
    documents: int
    questions: int
    abstain: int
    halves: Mapping[str, int]
    left_out: Mapping[str, int]


def load(kind: str, path: Path) -> Suite:
    """The suite in these files. They are looked for now and read when it is asked for groups."""
    if kind not in LOADERS:
        raise UsageError(f"there is no suite {kind!r}", hint=f"suites: {', '.join(LOADERS)}")
    path = path.expanduser()
    files, groups = LOADERS[kind](path)
    name = path.name.partition(".")[0]
    return Suite(kind, name, tuple(files), groups)


def survey(suite: Suite) -> Survey:
    """Read all of it once. Raises InputError where gold is in no document of its group, where an
    id is asked twice, or nothing is asked at all."""
    groups = documents = abstain = 0
    halves, left_out, ids = Counter[str](), Counter[str](), Counter[str]()
    lost: list[str] = []
    for group in suite.groups():
        groups, documents = groups + 1, documents + len(group.documents)
        known = {document.external for document in group.documents}
        left_out.update(group.left_out)
        for question in group.questions:
            ids[question.id] += 1
            halves[question.half] += 1
            abstain += question.abstain
            if missing := question.gold.keys() - known:
                lost.append(f"{question.id} ({', '.join(sorted(missing)[:3])})")
    if lost:
        raise InputError(
            f"{suite.name}: {len(lost)} of {ids.total()} questions have gold that is in no "
            f"document: {', '.join(lost[:5])}{' …' if len(lost) > 5 else ''}"
        )
    if twice := [id for id, times in ids.items() if times > 1]:
        raise InputError(f"{suite.name}: {len(twice)} ids are asked twice: {', '.join(twice[:5])}")
    if not ids or not documents:
        said = ", ".join(f"{n} {why}" for why, n in left_out.items()) or "none is in the files"
        raise InputError(f"{suite.name}: {len(ids)} questions, {documents} documents ({said})")
    return Survey(groups, documents, len(ids), abstain, dict(halves), dict(left_out))


# ------------------------------------------------------------------ reading files


_BROKEN = (OSError, EOFError, UnicodeDecodeError, LZMAError, zlib.error)


def _open(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8-sig")


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """(place, line) of each that is not blank."""
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"{path}:{number}", line
    except _BROKEN as error:
        raise InputError(f"{path}:{number + 1}: cannot be read: {error}") from error


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each line."""
    for where, line in _lines(path):
        try:
            record = json.loads(line)
        except JSONDecodeError as error:
            raise InputError(f"{where}: not JSON: {error.msg}") from error
        if not isinstance(record, dict):
            raise InputError(f"{where}: not an object")
        yield where, record


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each item of a JSON array, one in memory at a time."""
    decode = JSONDecoder().raw_decode
    try:
        with _open(path) as stream:
            text, at, line = stream.read(_CHUNK), 0, 1
            gap = re.match(r"\s*\[[\s,]*", text)
            while gap:
                line, at = line + text.count("\n", at, gap.end()), gap.end()
                if text.startswith("]", at):
                    return
                try:
                    item, end = decode(text, at)
                except JSONDecodeError as error:  # it is wrong, or goes on
                    more = stream.read(max(_CHUNK, len(text)))
                    if not more:
                        wrong = line + text.count("\n", at, error.pos)
                        raise InputError(f"{path}:{wrong}: not JSON: {error.msg}") from error
                    text, at = text[at:] + more, 0
                    gap = _GAP.match(text)
                    continue
                if not isinstance(item, dict):
                    raise InputError(f"{path}:{line}: not an object")
                yield f"{path}:{line}", item
                line, at = line + text.count("\n", at, end), end
                gap = _GAP.match(text, at)
            raise InputError(f"{path}:1: not a JSON array")
    except _BROKEN as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _file(path: Path, *names: str) -> Path:
    """The first of these that is in the folder, or beside it with the folder's name before it."""
    for name in names:
        for end in ("", ".xz", ".gz"):
            for file in (path / f"{name}{end}", path.parent / f"{path.name}.{name}{end}"):
                if file.is_file():
                    return file
    raise InputError(f"{path}: there is no {' or '.join(names)}")


def _given(record: Mapping[str, Any], where: str, *names: str) -> str:
    """The first of these fields that is there, as text; a number is one too."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
    raise InputError(f"{where}: there is no `{names[0]}`")


def _date(value: Any, where: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        return parse_date(value)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error


def _messages(turns: Any, where: str, text: str = "text") -> tuple[Message, ...]:
    if not isinstance(turns, list):
        raise InputError(f"{where}: the turns are not a list")
    made = []
    for number, turn in enumerate(turns):
        if not isinstance(turn, dict) or not isinstance(turn.get(text), str):
            raise InputError(f"{where}: turn {number} has no `{text}`")
        date = _date(turn.get("date"), where)
        made.append(Message(str(turn.get("role") or "user"), turn[text], date=date))
    return tuple(made)


# ------------------------------------------------------------------ BEIR


def _beir(path: Path) -> tuple[Sequence[Path], Callable[[], Iterator[Group]]]:
    """Thakur et al. (2021). Questions that are not judged in the split are left out."""
    corpus, queries = _file(path, "corpus.jsonl"), _file(path, "queries.jsonl")
    judged = _file(path, "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")

    def groups() -> Iterator[Group]:
        gains = _qrels(judged)
        documents = tuple(
            Document(
                _given(record, where, "_id", "id"), SOURCE, _text(record, where),
                kind="document", title=str(record.get("title") or ""),
            )
            for where, record in _records(corpus)
        )  # fmt: skip
        asked, left_out = [], Counter[str]()
        for where, record in _records(queries):
            id = _given(record, where, "_id", "id")
            if gold := gains.pop(id, None):
                asked.append(Question(id, _given(record, where, "text", "query"), gold))
            else:
                left_out["not judged, or nothing judged right"] += 1
        if lost := [id for id, gold in gains.items() if gold]:
            raise InputError(
                f"{judged}: {len(lost)} judged questions are not in {queries.name}: "
                f"{', '.join(lost[:5])}"
            )
        yield Group(path.name, documents, tuple(asked), left_out)

    return (corpus, queries, judged), groups


def _text(record: Mapping[str, Any], where: str) -> str:
    if not isinstance(record.get("text"), str):
        raise InputError(f"{where}: there is no `text`")
    return str(record["text"])


def _qrels(path: Path) -> dict[str, dict[str, float]]:
    """question → document → gain, of those above 0."""
    found: dict[str, dict[str, float]] = {}
    for where, line in _lines(path):
        parts = line.rstrip("\n").split("\t")
        if not found and parts[0] == "query-id":
            continue
        if len(parts) not in (3, 4) or not _is_number(parts[-1]):
            raise InputError(f"{where}: not question, document and gain by tabs")
        gold = found.setdefault(parts[0], {})
        if float(parts[-1]) > 0:
            gold[parts[-2]] = float(parts[-1])
    return found


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


# ------------------------------------------------------------------ documents, sessions, queries


def _jsonl(path: Path) -> tuple[Sequence[Path], Callable[[], Iterator[Group]]]:
    kept = _file(path, "docs.jsonl", "documents.jsonl", "sessions.jsonl")
    queries = _file(path, "queries.jsonl")

    def groups() -> Iterator[Group]:
        documents = tuple(_document(record, where) for where, record in _records(kept))
        asked = tuple(_question(record, where) for where, record in _records(queries))
        yield Group(path.name, documents, asked, {})

    return (kept, queries), groups


def _document(record: Mapping[str, Any], where: str) -> Document:
    session = "turns" in record
    return Document(
        external=_given(record, where, "id"),
        source=SOURCE,
        text="" if session else _text(record, where),
        messages=_messages(record["turns"], where) if session else (),
        kind=str(record.get("kind") or ("session" if session else "document")),
        title=str(record.get("title") or ""),
        path=str(record.get("path") or ""),
        date=_date(record.get("date"), where),
        owner=str(record.get("owner") or LOCAL),
        scopes=_names(record.get("scopes"), "scopes", where) or (UNIVERSAL,),
    )


def _question(record: Mapping[str, Any], where: str) -> Question:
    gold = record.get("gold")
    if record.get("abstain"):
        gold = ()
    if isinstance(gold, dict):
        if not all(isinstance(gain, int | float) and gain >= 0 for gain in gold.values()):
            raise InputError(f"{where}: the gains in `gold` are not numbers from 0")
        gains = {str(id): float(gain) for id, gain in gold.items() if gain}
    elif gold is None:
        raise InputError(f"{where}: neither `gold` nor `abstain`: what should come back?")
    else:
        gains = dict.fromkeys(_names(gold, "gold", where) or (), 1.0)
    return Question(
        id=_given(record, where, "id"),
        text=_given(record, where, "query"),
        gold=gains,
        date=_date(record.get("date"), where),
        category=str(record.get("category") or ""),
        owner=record.get("owner"),
        scopes=_names(record.get("scopes"), "scopes", where),
    )


def _names(given: Any, field: str, where: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not all(isinstance(n, str | int) for n in given):
        raise InputError(f"{where}: `{field}` is not a list of names")
    return tuple(map(str, given))


# ------------------------------------------------------------------ LongMemEval


def _longmemeval(path: Path) -> tuple[Sequence[Path], Callable[[], Iterator[Group]]]:
    """Wu et al. (2025). A question whose id ends in ``_abs`` has no answer. What marks the evidence
    (``has_answer``, ids that begin with ``answer``) stays outside."""
    _there(path)

    def groups() -> Iterator[Group]:
        for where, record in _items(path):
            id = _given(record, where, "question_id")
            sessions = _column(record, where, "haystack_sessions")
            ids = _column(record, where, "haystack_session_ids")
            dates = _column(record, where, "haystack_dates")
            if not len(sessions) == len(ids) == len(dates):
                raise InputError(
                    f"{where}: {len(sessions)} sessions, {len(ids)} ids, {len(dates)} dates"
                )
            documents = tuple(
                Document(
                    stable_id(id, str(one)), SOURCE, messages=_messages(turns, where, "content"),
                    kind="session", date=_date(date, where),
                )
                for one, date, turns in zip(ids, dates, sessions, strict=True)
                if turns
            )  # fmt: skip
            wanted = () if id.endswith("_abs") else _column(record, where, "answer_session_ids")
            question = Question(
                id, _given(record, where, "question"),
                dict.fromkeys((stable_id(id, str(one)) for one in wanted), 1.0),
                _date(record.get("question_date"), where), str(record.get("question_type") or ""),
            )  # fmt: skip
            if not question.gold and not id.endswith("_abs"):
                raise InputError(f"{where}: `answer_session_ids` is empty, and it is no `_abs`")
            yield Group(id, documents, (question,), {})

    return (path,), groups


def _there(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")


def _column(record: Mapping[str, Any], where: str, name: str) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list):
        raise InputError(f"{where}: there is no list `{name}`")
    return value


# ------------------------------------------------------------------ LoCoMo

_EVIDENCE = re.compile(r"D:?(\d+):\d+")
_SESSION = re.compile(r"session_(\d+)")
_ADVERSARIAL = 5


def _locomo(path: Path) -> tuple[Sequence[Path], Callable[[], Iterator[Group]]]:
    """Maharana et al. (2024). Evidence names turns (``D3:14``); gold is the sessions they are in.
    Questions of category 5 have no answer. Others whose evidence is empty or names no session are
    left out, and counted."""
    _there(path)

    def groups() -> Iterator[Group]:
        for where, record in _items(path):
            name = _given(record, where, "sample_id")
            talk = record.get("conversation")
            if not isinstance(talk, dict):
                raise InputError(f"{where}: there is no `conversation`")
            documents = {
                int(found[1]): _talk(talk, found[0], name, where)
                for key, turns in talk.items()
                if (found := _SESSION.fullmatch(key)) and turns
            }
            asked, left_out = [], Counter[str]()
            for number, one in enumerate(_column(record, where, "qa")):
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
                    f"{name}:{number}", _given(one, place, "question"),
                    {} if abstain else dict.fromkeys(sorted(gold), 1.0),
                    category=str(one.get("category") or ""),
                ))  # fmt: skip
            yield Group(name, tuple(documents.values()), tuple(asked), left_out)

    return (path,), groups


def _talk(talk: Mapping[str, Any], key: str, name: str, where: str) -> Document:
    """A session: the first speaker as the user, the other as the assistant, by their names."""
    messages = []
    for number, turn in enumerate(_column(talk, where, key)):
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
    return _date(value, where)


LOADERS: Mapping[
    str, Callable[[Path], tuple[Sequence[Path], Callable[[], Iterator[Group]]]]
] = {"beir": _beir, "jsonl": _jsonl, "longmemeval": _longmemeval, "locomo": _locomo}  # fmt: skip
