"""Project records: discussions, audit events and files, in the one shape they are kept in.

    kind      discussion | audit | file
    text      the title, the body, and one line of what else is known: what a person reads
    meta      author, issue, branch, event, content: those that were given
    external  the id that was given, else a hash of the record, so that the same record told
              twice is one record

What cannot be kept is refused with a reason and a remedy. Lines of a JSONL file come from other
programs: they are understood under the names those use, and a discussion with all its comments
may be longer than what is told directly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import UnionType
from typing import Any

from recollect.errors import InputError
from recollect.moments import aware, iso
from recollect.nouns import NO_META, Document, JsonObject, of_type, stable_id, without
from recollect.sources.values import are_names, array, listed, mapping, nonempty
from recollect.text.dates import parse_date
from recollect.text.questions.parse import issue_key

KINDS = ("discussion", "decision", "audit", "file")
MAX_BODY = 64_000
MAX_CONTENT = 1_000_000
MAX_LINE = 64_000_000

_NAMES = ("author", "title", "issue", "branch", "event", "path", "id")
"""In the order in which they are checked."""
_SHOWN = ("author", "issue", "branch", "event", "state", "labels")
"""What else is known of a record that its text says."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_BODY = ("body", "description", "summary", "message")
_DATE = ("date", "created_at", "createdAt", "timestamp", "time")
_AUTHOR = ("author", "user")
_PERSON = ("login", "username", "name", "email")


def record(
    kind: str,
    *,
    body: str,
    source: str,
    owner: str,
    scopes: tuple[str, ...],
    author: str = "",
    title: str = "",
    issue: str = "",
    branch: str = "",
    event: str = "",
    path: str = "",
    date: datetime | None = None,
    content: Any = None,
    id: str = "",
    meta: JsonObject = NO_META,
    max_body: int = MAX_BODY,
) -> Document:
    """A record, or an InputError for one that cannot be kept.

    *content* is anything that JSON can say, or a text that is JSON; *meta* is what else is
    known. The date is a part of the record: the same words at two given moments are two records.
    """
    if kind not in KINDS:
        raise InputError(f"there are no {kind!r} records", hint=f"use one of: {', '.join(KINDS)}")
    parts = {"author": author, "issue": issue_key(issue), "branch": branch, "event": event}
    _check_names({**parts, "issue": issue, "title": title, "path": path, "id": id})
    _check_body(body, max_body)
    if kind == "file":
        _check_path(path)
        title = title or path
    if not f"{body}{title}".strip():
        raise InputError("the record is empty", hint="give it a body, a title or both")
    date = date and aware(date)
    told: dict[str, Any] = nonempty(**parts)
    if content is not None:
        told["content"] = _content(content)
    said = (kind, title, body, path, iso(date), told)
    known = {**meta, **told}
    return Document(
        external=id or stable_id(json.dumps(said, sort_keys=True)),
        source=source,
        text="\n\n".join(filter(None, (title, body.strip("\n"), _line(known)))),
        kind=kind,
        title=title,
        path=path,
        date=date,
        owner=owner,
        scopes=scopes,
        meta=known,
    )


def _line(meta: Mapping[str, Any]) -> str:
    """What is known of a record, on one line."""
    texts = {name: _texts(meta.get(name)) for name in _SHOWN}
    texts["issue"] = [f"#{text}" if text.isdigit() else text for text in texts["issue"]]
    return " · ".join(f"{name} {', '.join(some)}" for name, some in texts.items() if some)


def _texts(value: Any) -> list[str]:
    return of_type(listed(value), str)


# ------------------------------------------------------------------ what is refused


def _check_path(path: str) -> None:
    if not path:
        raise InputError("a file record has no path", hint="give the path of the file")


def _check_names(names: Mapping[str, str]) -> None:
    for name in _NAMES:
        _check_name(name, names[name])


def _check_name(name: str, value: str) -> None:
    if value.isprintable():
        return
    _utf8(value, name)
    if found := _CONTROL.search(value):
        raise InputError(
            f"the {name} has a control character (U+{ord(found[0]):04X})",
            hint=f"give the {name} on one line, without tabs; longer text belongs in the body",
        )


def _check_body(body: str, max_body: int) -> None:
    size = len(_utf8(body, "body"))
    if size > max_body:
        raise InputError(
            f"the body has {size:,} bytes; a record holds {max_body // 1000} kB",
            hint="record a summary, and import the whole text as a file with `recollect add`",
        )


def _utf8(value: str, name: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"the {name} has half a surrogate pair, which is no character",
            hint="decode it as UTF-8 before it is recorded",
        ) from None


def _content(given: Any) -> Any:
    try:
        content = json.loads(given) if isinstance(given, str) else given
        written = json.dumps([[content]], ensure_ascii=False, allow_nan=False)[2:-2]
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the content is not JSON: {error}",
            hint="give an object, list, number or truth value, or the JSON text of anything",
        ) from None
    size = len(_utf8(written, "content"))
    if size > MAX_CONTENT:
        raise InputError(
            f"the content has {size:,} bytes as JSON; a record holds {MAX_CONTENT // 10**6} MB",
            hint="keep the whole of it in a file, and give the path of that in the record",
        )
    return json.loads(written)


# ------------------------------------------------------------------ lines of other programs


def is_record(line: Mapping[str, Any]) -> bool:
    """Whether a line of JSONL tells a record. One with ``text`` or ``turns`` is a document
    already and is kept as it stands."""
    return line.get("kind") in KINDS and "text" not in line and "turns" not in line


def from_json(
    line: Mapping[str, Any], source: str, owner: str, scopes: tuple[str, ...]
) -> tuple[Document, list[str]]:
    """The record that a line tells, and what of it could not be used.

    An issue or pull request as GitHub and GitLab export them has its comments after its body,
    each under a heading that names who spoke and when. One that has a ``number`` or address of
    its own keeps it as its id: a later export with more comments replaces it. Raises InputError
    for a line that makes no record.
    """
    warnings: list[str] = []
    taken = {"as", "kind", "title", "owner", "scopes", "meta", "id", "issue"}

    def take(*names: str, what: type | UnionType = object) -> Any:
        for name in names:
            if _is_told(line.get(name)) and isinstance(line[name], what):
                taken.add(name)
                return line[name]
        return None

    body, content = _content_or_body(take(*_BODY, what=str), take("content", "content_json"))
    number = line.get("number", line.get("iid"))
    parts = {
        "author": _name(take(*_AUTHOR), *_PERSON),
        "title": _name(line.get("title")),
        "issue": _name(line.get("issue") or number, "number", "key", "id"),
        "branch": _name(take("branch", "headRefName") or take("head", what=dict), "ref", "name"),
        "event": _name(take("event", "event_type", "entry", what=str)),
        "path": _name(take("path", "file", what=str)),
        "id": _own_id(line, number),
    }
    date = date_of(take(*_DATE), warnings)
    talk = _comments(take("comments", what=list | dict), warnings)
    labels = _names(_nodes(take("labels", what=list | dict)), "name", "title")
    others = {k: v for k, v in without(line, taken).items() if _is_told(v)}
    meta = {**others, **nonempty(labels=labels), **mapping(line.get("meta"))}
    document = record(
        _name(line.get("kind")),
        body="\n\n".join(filter(None, (body, *talk))),
        source=source,
        owner=_name(line.get("owner")) or owner,
        scopes=_scopes(line.get("scopes"), scopes),
        date=date,
        content=content,
        meta=meta,
        max_body=MAX_LINE,
        **parts,
    )
    return document, warnings


def _is_told(value: Any) -> bool:
    return value not in (None, "", [])


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if _is_told(record.get(name))), None)


def _name(value: Any, *fields: str) -> str:
    """A name on one line: a text, a number, several of them, or an object's first of *fields*."""
    if isinstance(value, list):
        return ", ".join(_names(value, *fields))
    if isinstance(value, dict):
        value = _first(value, fields)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return " ".join(_CONTROL.sub(" ", str(value)).split())


def _names(values: list[Any], *fields: str) -> list[str]:
    """Each name that is not empty."""
    return list(filter(None, (_name(each, *fields) for each in values)))


def _content_or_body(body: str | None, content: Any) -> tuple[str, Any]:
    """A content that is a text is JSON, or else the body where there is none."""
    said = (body or "").replace("\r\n", "\n")
    if not isinstance(content, str):
        return said, content
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return (said, json.dumps(content)) if said else (content.replace("\r\n", "\n"), None)
    return said, content


def _comments(value: Any, warnings: list[str]) -> list[str]:
    """Each comment under a heading that says whose it is."""
    comments = _nodes(value)
    told = list(_told(comments))
    if len(told) < len(comments):
        without = len(comments) - len(told)
        warnings.append(f"{without} of {len(comments)} comments have no text; left out")
    return told


def _told(comments: list[Any]) -> Iterator[str]:
    for comment in comments:
        about = comment if isinstance(comment, dict) else {"body": comment}
        text = _first(about, (*_BODY, "text"))
        if isinstance(text, str) and text.strip():
            who = _name(_first(about, _AUTHOR), *_PERSON)
            when = (iso(date_of(_first(about, _DATE), [])) or "")[:10]
            heading = ", ".join(filter(None, (who, when))) or "comment"
            yield f"## {heading}\n\n{text.strip()}".replace("\r\n", "\n")


def _nodes(value: Any) -> list[Any]:
    """The items of a list, as it is or as GraphQL has it."""
    return array(value.get("nodes") if isinstance(value, dict) else value)


def _own_id(line: Mapping[str, Any], number: Any) -> str:
    given = _name(_first(line, ("id", "html_url", "url")))
    own = _name(number)
    if given or not own:
        return given
    repository = _name(_first(line, ("repository", "repo")), "full_name", "nameWithOwner", "name")
    return f"{repository}#{own}"


def _scopes(value: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return default
    if value and are_names(value):
        return tuple(value)
    raise InputError("`scopes` is not a list of names", hint="leave it out, or name at least one")


def date_of(value: Any, warnings: list[str]) -> datetime | None:
    """Returns a date; where it cannot be read, None and a warning."""
    try:
        return None if value in (None, "") else parse_date(value)
    except ValueError as error:
        warnings.append(f"{error}; imported without it")
        return None
