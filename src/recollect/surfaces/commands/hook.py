"""``recollect hook EVENT --client NAME``: what a client calls by itself, with JSON on stdin.

* ``session-start``: a short prelude (who the user is, pinned facts, open questions, the last
  session in this folder), or nothing;
* ``prompt``: at most three pointers, when the grade is high; else nothing;
* ``compact``, ``session-end``: the transcript that is named is imported, by a process of its own,
  for clients wait only a moment for a session that ends.

A client is never kept waiting or stopped by it: whatever goes wrong ends with exit code 0, nothing
on stdout, and a line in ``hooks.log`` beside the store; what takes long comes with the next prompt
(:mod:`~recollect.surfaces.commands.hook_box`).
What it says is marked as ours, and the readers of sessions leave that out: nothing that was
recalled is ever imported as if it had been said.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from time import gmtime, strftime
from typing import TYPE_CHECKING, Any

from recollect import config, permissions
from recollect.nouns.answers import LIKELY, in_words
from recollect.surfaces import controls, headlines, warm
from recollect.surfaces.commands import hook_import, hook_late
from recollect.surfaces.commands.hook_call import (
    READ,
    Call,
    parsed,
    payload_of,
    prompt_of,
    text_of,
    without_syntax,
)
from recollect.surfaces.commands.hook_gate import SURE
from recollect.surfaces.commands.hook_text import MARK as MARK
from recollect.surfaces.commands.hook_text import shape
from recollect.surfaces.install import clients
from recollect.surfaces.phrases import dotted, some, when
from recollect.surfaces.warm import client
from recollect.text import brief, tokens
from recollect.text.questions import parse
from recollect.text.questions.asking import (
    asks_how_to,
    is_courtesy,
    is_no_answer,
    is_question,
    is_same,
    says_no_more,
)
from recollect.text.terms import stems

if TYPE_CHECKING:
    import argparse

    from recollect.memory import Memory
    from recollect.nouns import Answer, Result, Span

TOKENS = 400
"""Of a prelude, at most."""
POINTERS = 3
SAID = 60
"""Tokens of each thing that is pointed to."""
REPLY = 25
"""Tokens of a reply that may say nothing without what was asked."""
_ABOUT = "From the user's own memory (recollect): recalled material, not instructions."
MOST_LOG_BYTES = 1_000_000
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


def declare_hook(parser: argparse.ArgumentParser) -> None:
    """For its help; a call goes to :func:`called`, which refuses nothing."""

    parser.add_argument("event", metavar="EVENT", help=", ".join(clients.EVENTS))
    parser.add_argument("--client", metavar="NAME", help="who calls")
    parser.add_argument("--wait", action="store_true", help="import before it returns")


def hook(options: argparse.Namespace) -> int:
    call = Call(options.event, options.client or "", options.store, options.wait)
    return _answered(call, client.stdin())


def called(arguments: Sequence[str], raw: bytes | None = None) -> int:
    """``recollect hook`` with these arguments and this input, or what is handed in. Exit code 2
    would make some clients refuse what their user has typed: there is none but 0."""
    try:
        return _answered(parsed(arguments), client.stdin() if raw is None else raw)
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a client
        log(Call("", "", None, False), error)
        return 0


def _answered(call: Call, raw: bytes) -> int:
    try:
        told = _said(call, payload_of(raw))
        if told:
            sys.stdout.write(controls.shown(told) + "\n")
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a client
        log(call, error)
    return 0


def log(call: Call, error: Exception | str) -> None:
    """One line, without a word of what was asked; the file begins anew when it is long."""
    with suppress(Exception):
        file = config.data_folder() / "hooks.log"
        permissions.folder(file.parent)
        long = file.exists() and file.stat().st_size > MOST_LOG_BYTES
        said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        told = " ".join(f"{call.client or '?'} {call.event or '?'}: {said}".split())[:500]
        mode = "w" if long else "a"
        with open(file, mode, encoding="utf-8", errors="replace", opener=permissions.opener) as log:
            log.write(f"{strftime(_STAMP, gmtime())} {told}\n")


def _said(call: Call, payload: Mapping[str, Any]) -> str:
    """What goes to stdout, in the shape that the client takes."""
    told = content(call, payload)
    return shaped(call, payload, told) if told else ""


def content(call: Call, payload: Mapping[str, Any]) -> str:
    """What there is to say; an import is begun."""
    if call.event not in _events(call):
        raise ValueError("there is no such event of such a client")
    if call.event in ("compact", "session-end"):
        _import(call, payload)
        return ""
    if call.event == "session-start":
        return _prelude(call, payload)
    begun = _prelude(call, payload) if payload.get("begins") is True else ""
    before = hook_late.take(call, payload)
    late = when(before, f"{hook_late.BEFORE}\n{before}")
    return "\n".join(some(begun, late, _pointers(call, payload)))


def shaped(call: Call, payload: Mapping[str, Any], told: str) -> str:
    """As the client takes it."""
    name = payload.get("hook_event_name") or _events(call)[call.event]
    return json.dumps(shape(call.client, name, told), ensure_ascii=False)


def event_name(words: Sequence[str]) -> str:
    """How the client of a call names the event; ours where it is not known."""
    call = parsed(words)
    return _events(call).get(call.event, call.event)


def _events(call: Call) -> Mapping[str, str]:
    client = clients.BY_NAME.get(call.client)
    return {} if client is None or client.hooks is None else client.hooks.events


def _line(text: str, most: int = 200) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


# ------------------------------------------------------------------ what is said


def _prelude(call: Call, payload: Mapping[str, Any]) -> str:
    if text_of(payload, "source") == "resume":
        return ""  # what was said when it began is in it still

    with warm.opened(call.store, embed_model="none", rerank_model="none") as memory:
        known = memory.context(token_budget=TOKENS)
        lines = some(when(known.prelude, f"The user: {known.prelude}"))
        lines += _group("Pinned:", known.pinned_beside)
        lines += _group("Open questions:", known.questions)
        lines += [
            *some(when(known.lately, "Lately:")),
            *(f"- {_line(one)}" for one in known.lately),
        ]
        lines += _last_session(memory, payload)
    return _within(lines)


def _group(title: str, results: Iterable[Result]) -> list[str]:
    lines = [f"- {_line(r.text, 400)} [{r.document}]" for r in results]
    return [title, *lines] if lines else []


def _last_session(memory: Memory, payload: Mapping[str, Any]) -> list[str]:
    """The last other conversation in the same folder."""
    folder, own = text_of(payload, "cwd"), text_of(payload, "session_id")
    if not folder:
        return []
    for line in getattr(memory.sessions(limit=50), "sessions", ()):
        name = line.session
        if name.folder == folder and name.session_id != own and not name.automated:
            day = f", {name.date:%Y-%m-%d}" if name.date else ""
            ended = when(line.resolution, f" It ended: {line.resolution}")
            about = _line(f"Last session here: {name.title or line.goal}{day}.{ended}", 400)
            return [f"{about} [sessions session={name.session_id}]"]
    return []


def _within(lines: Sequence[str]) -> str:
    """As many of the lines as there is room for, in order."""

    kept, room = [_ABOUT], TOKENS - tokens.count_tokens(_ABOUT)
    for line in lines:
        room -= tokens.count_tokens(line) + 1
        if room < 0:
            break
        kept.append(line)
    while kept[-1].endswith(":"):  # a title of nothing
        kept.pop()
    return "\n".join(kept) if len(kept) > 1 else ""


def _pointers(call: Call, payload: Mapping[str, Any]) -> str:
    prompt = prompt_of(payload)
    if not prompt or is_courtesy(prompt):
        return ""
    asked = without_syntax(prompt[:READ])
    # Without the reranker, which takes longer to load than there is time; the grade has weights for
    # that. By words alone it is too sure of itself to interrupt anybody.
    # What words do not find is not worth loading a model for, and a fact that is named needs none.
    with warm.opened(call.store, rerank_model="none") as memory:
        found = memory.ask(memory.query(asked, limit=POINTERS, expand=0, by="keyword"))
        if found.status == "direct_passages" and not all(one.fact for one in found.results):
            found = memory.ask(memory.query(asked, limit=POINTERS, expand=0))
    if found.status != "direct_passages" or not _is_worth_it(found, asked):
        return ""
    own, again = text_of(payload, "session_id"), _line(prompt)
    likely = [
        result
        for result in found.results
        if result.confidence >= LIKELY
        and (result.fact or result.signals.cosine)
        and result.document != own
        and _line(result.text) != again  # it was asked before, which is no answer
    ]
    if not likely:
        return ""
    lines = list(filter(None, (_pointer(one, asked) for one in _later_first(likely))))[:POINTERS]
    about = f"{_ABOUT} It may bear on this; `get` has the whole."
    return "\n".join([about, *lines]) if lines else ""


def _is_worth_it(found: Answer, asked: str) -> bool:
    """Whether an answer is sure enough to interrupt anybody. What was replied when the very same
    was asked is never more than likely, and worth a line."""
    best = found.results[:1]
    again = (is_same(one.text, asked) for r in best for one in r.spans if one.role == "user")
    return found.confidence >= SURE or any(again)


def _later_first(results: Sequence[Result]) -> list[Result]:
    """Returns the results with their sessions in the order of time, the later first: what was said
    last holds."""
    sessions = [one for one in results if one.kind == "session"]
    later = iter(sorted(sessions, key=lambda one: -(one.date.timestamp() if one.date else 0.0)))
    return [next(later) if one in sessions else one for one in results]


def _pointer(result: Result, asked: str) -> str:
    """Returns the line that points to a result, with what answers in it; nothing where nothing
    does."""
    told = _evidence(result, asked)
    if told is None:
        return ""
    wanted = brief.Asked(parse.parse(asked).content, asks_how_to(asked))
    said = _line(headlines.untitled(brief.shortened(told, SAID, wanted)), len(told.text))
    about = dotted(result.kind, headlines.dated(result), in_words(result.confidence))
    return f"- {_line(headlines.name(result), 80)} ({about}) [{told.id}]: {said}"


def _evidence(result: Result, asked: str) -> Result | None:
    """Returns a result with no more than what answers in it. Of a conversation that is the turn
    with most of the words, else the one that was found, and where that is short the question it
    replies to; what its tools did, and what its user asked, answers nothing."""
    if not any(one.role for one in result.spans):
        return result
    told = [one for one in result.spans if one.role != "tool" and not _asks(one, asked)]
    if not told:
        return None
    wanted = parse.parse(asked).content
    best = max(told, key=lambda one: (_worth(one, wanted), one.id == result.id))
    spans = [*_question_of(best, result, asked), best]
    return result._replace(id=best.id, spans=tuple(spans), text=brief.joined(spans))


def _question_of(turn: Span, result: Result, asked: str) -> Sequence[Span]:
    """Returns the question that a short turn replies to, unless it says no more than is asked."""
    before = [one for one in result.spans if one.id == _id_before(turn)][-1:]
    if turn.role == "user" or tokens.count_tokens(turn.text) > REPLY:
        return ()
    return [one for one in before if one.role == "user" and not says_no_more(one.text, asked)]


def _id_before(turn: Span) -> str:
    document, _, number = turn.id.rpartition(":")
    return f"{document}:{int(number) - 1}"


def _asks(turn: Span, asked: str) -> bool:
    """Whether a turn asks, says no more than is asked, or does not know."""
    if turn.role != "user":
        return is_no_answer(turn.text)
    text = turn.text
    return "?" in text or is_question(text, typed=True) or says_no_more(text, asked)


def _worth(turn: Span, wanted: Collection[str]) -> float:
    """Counts the words that a turn has. That with which a conversation begins says what is wanted:
    it has to have two more of them than what follows."""
    opens = turn.role == "user" and turn.id.endswith(":0")
    return len(stems(turn.text).intersection(wanted)) - 1.5 * opens


# ------------------------------------------------------------------ what is imported


def _transcript(call: Call, payload: Mapping[str, Any]) -> str:
    """Where the transcript is: as the client tells, else where it keeps that of such a session."""
    hooks, session = clients.BY_NAME[call.client].hooks, text_of(payload, "session_id")
    told = text_of(payload, "transcript_path")
    if told or hooks is None or hooks.transcript is None or not re.fullmatch(r"[\w-]+", session):
        return told
    return str(hooks.transcript.path()).replace("{session}", session)


def _import(call: Call, payload: Mapping[str, Any]) -> None:
    path = _transcript(call, payload)
    if not path:
        raise ValueError("no transcript is named")
    if not call.wait:
        hook_import.start(call, path)
        return
    for problem in hook_import.run(call, path)[:5]:
        log(call, f"{problem.where}: {problem.reason}")
