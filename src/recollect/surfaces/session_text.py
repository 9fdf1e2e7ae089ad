"""Past conversations as text for a person."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from recollect.nouns import in_words
from recollect.surfaces import terminal
from recollect.surfaces.phrases import dotted, minute, plural, some, when
from recollect.surfaces.terminal import Style, width
from recollect.text.questions.parse import parse
from recollect.text.snippet import marks

_LINES = 6
"""Lines of a message around the one that was found."""


def told(found: Any, style: Style) -> str:
    """The answer, whatever its shape."""
    shapes = {"discovery": _discovery, "scroll": _scroll, "read": _read, "browse": _browse}
    lines = shapes[found.shape](found, style)
    notes = () if has_something(found) else found.notes
    return "\n".join([*lines, *(["", *notes] if notes else [])]).rstrip()


def has_something(found: Any) -> bool:
    """Whether a conversation or a message was found; else the notes say why not."""
    if found.shape == "scroll":
        return any(not window.error for window in found.windows)
    field = {"discovery": "hits", "browse": "sessions", "read": "first"}[found.shape]
    return bool(getattr(found, field))


def _discovery(found: Any, style: Style) -> list[str]:
    how = when(found.sort != "relevance", f"{found.sort} first")
    parts = [
        f"{len(found.hits)} of {found.found}" if found.hits else "nothing found",
        how,
        when(found.hits, in_words(found.confidence)),
        f"{found.timing_ms:.0f} ms",
    ]
    lines = [f"{style.bold}sessions{style.off} · " + dotted(*parts), ""]
    wanted = parse(found.query).content
    for number, hit in enumerate(found.hits, 1):
        lines += [*_name(hit.session, style, f"{number:2}  "), *_snippet(hit, wanted, style)]
        if len(hit.messages) > 1 or hit.opening or hit.closing:
            lines += ["", *_window(hit.opening, hit.messages, hit.closing, style)]
        others = ", ".join(one.session_id for one in hit.also[:3])
        more = when(len(hit.also) > 3, f" and {len(hit.also) - 3} more")
        lines += _dim(when(others, f"also in its lineage: {others}{more}"), style)
        lines.append("")
    nothing = [] if found.hits else _searched(found.searched)
    return [*lines, *nothing, *_hidden(found.hidden, style)]


def _snippet(hit: Any, wanted: Collection[str], style: Style) -> list[str]:
    text = terminal.marked(hit.snippet, marks(hit.snippet, wanted))
    lines = [f"    {style.shown(line)}" for line in terminal.folded(text, width() - 4)]
    return [*lines, *_dim(f"at {hit.match_message_id}", style)]


def _window(
    opening: Sequence[Any], messages: Sequence[Any], closing: Sequence[Any], style: Style
) -> list[str]:
    lines = _messages(opening, style)
    lines += some(when(opening, _gap(style)))
    lines += _messages(messages, style)
    lines += some(when(closing, _gap(style)))
    return lines + _messages(closing, style)


def _messages(several: Sequence[Any], style: Style) -> list[str]:
    return list(chain.from_iterable(_message(one, style) for one in several))


def _gap(style: Style) -> str:
    return f"    {style.dim}⋮{style.off}"


def _message(message: Any, style: Style, most: int = _LINES) -> list[str]:
    cut = when(message.truncated, f"{len(message.text):,} of {message.size:,} characters")
    about = dotted(message.id, minute(message.date), cut)
    mark = f"{style.mark}›{style.off}" if message.anchor else " "
    head = f"  {mark} {style.bold}{message.role}{style.off} {style.dim}{about}{style.off}"
    lines = _wrapped(message.text)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"    {style.dim}…{style.off}"]
    return [head, *lines]


def _scroll(found: Any, style: Style) -> list[str]:
    lines: list[str] = []
    for window in found.windows:
        if window.error:
            lines += [f"{style.warn}{window.around}: {window.error}{style.off}", ""]
            continue
        lines += _name(window.session, style, "")
        lines += some(when(window.warning, f"{style.warn}{window.warning}{style.off}"))
        lines += _whole(window.messages, style)
        steps = [
            f"--around {window.previous} goes back" if window.previous else "the beginning",
            f"--around {window.next} goes on" if window.next else "the end",
        ]
        lines += ["", *_dim("; ".join(steps), style), *_hidden(window.hidden, style), ""]
    return lines


def _read(found: Any, style: Style) -> list[str]:
    between = _dim(f"⋮ {found.left_out:,} more of {found.total:,} messages", style)
    return [
        *_name(found.session, style, ""),
        *_whole(found.first, style),
        *(["", *between] if found.left_out else []),
        *_whole(found.last, style),
        "",
        *_hidden(found.hidden, style),
    ]


def _whole(messages: Sequence[Any], style: Style) -> list[str]:
    """Returns the messages in full, each after an empty line."""
    shown = (["", *_message(message, style, most=10_000)] for message in messages)
    return list(chain.from_iterable(shown))


def _browse(found: Any, style: Style) -> list[str]:
    if not found.sessions:
        return ["no sessions", *_searched(found.searched), *_hidden(found.hidden, style)]
    lines: list[str] = []
    for line in found.sessions:
        moment = minute(line.last)[:10]
        behind = when(line.lineage, f"{line.lineage} more in its lineage")
        counted = plural(line.messages, "message")
        lines += _name(line.session, style, "", when(moment, f"last {moment}"), counted, behind)
        named = line.session.title.removesuffix("…")
        repeated = bool(named) and line.goal.startswith(named)
        lines += some(
            when(line.goal and not repeated, f"  › {_short(line.goal)}"),
            when(line.resolution, f"  → {_short(line.resolution)}"),
        )
        lines.append("")
    return lines + _hidden(found.hidden, style)


def _name(session: Any, style: Style, before: str, *more: str) -> list[str]:
    """The title, and under it what else tells the session from others."""
    indent = " " * len(before)
    title = _short(session.title or session.session_id, len(before))
    moment = "" if any(one.startswith("last") for one in more) else minute(session.date)[:10]
    parts = [
        session.session_id,
        moment,
        *more,
        session.relation,
        when(session.parent_session_id, f"from {session.parent_session_id}"),
        when(session.automated, "automated"),
        session.folder,
        session.source,
    ]
    about = textwrap.wrap(dotted(*parts), width() - len(before))
    return [
        f"{style.bold}{before}{title}{style.off}",
        *(f"{indent}{style.dim}{line}{style.off}" for line in about),
    ]


def _searched(what: Mapping[str, Any]) -> list[str]:
    parts = [plural(what.get("sessions", 0), "session"), f"roles {', '.join(what['roles'])}"]
    others = [name for name in what if name not in ("sessions", "roles")]
    parts += [f"{name} {what[name]}" for name in others]
    hint = "`recollect add sessions` imports those of the agents on this machine"
    return [
        *_wrapped(f"searched: {'; '.join(parts)}"),
        *_wrapped(when(not (what.get("sessions") or others), hint)),
    ]


def _hidden(counts: Mapping[str, int], style: Style) -> list[str]:
    said = ", ".join(f"{count:,} by {reason}" for reason, count in counts.items())
    return _dim(when(said, f"hidden: {said}"), style)


def _short(text: str, less: int = 4) -> str:
    return textwrap.shorten(text, width() - less, placeholder=" …")


def _wrapped(text: str) -> list[str]:
    room = width() - 4
    lines: Iterable[str] = (
        line for part in text.strip().splitlines() for line in textwrap.wrap(part, room) or [""]
    )
    return [f"    {line}".rstrip() for line in lines]


def _dim(text: str, style: Style) -> list[str]:
    return [f"    {style.dim}{line}{style.off}" for line in textwrap.wrap(text, width() - 4)]
