"""What a text is made of: stretches of words, code, tools' blocks and marks, with who speaks.

What it guarantees, for every text
- The stretches follow each other without a gap and without an overlap, and none is empty.
- A line that begins a turn within a code fence or a tool's block is a quotation, unless it is
  dated no earlier than the turn that it is in: what is quoted was there before.
- It takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text.ordinary import commonness
from recollect.text.terms import fold

Form = Literal["", "marked", "plain", "named", "timed"]
"""How turns are marked: not at all, ``_**User (date)**_`` on a line of its own, ``User: …``, by the
names of people (``Gwen: …``), or by a name and a time on a line of their own (``Gwen 09:14``)."""
Sort = Literal["words", "fence", "tool", "heading", "mark"]
Speaker = str
"""``user``, ``assistant``, a person's name, or nobody; ``context`` is what no person said in the
conversation (instructions, notices, tools), ``pasted`` a user's turn that holds a document."""

TALK = 6_000
"""Characters that tell whether people are talking."""
PASTED = 2_500
"""Characters over which a user's turn is a document and not something said."""

_USERS = "user|human"
_AGENTS = "assistant|agent|ai|claude|chatgpt|gpt|gemini|copilot|codex|cursor|model|bot"
_OTHERS = "system|tool|developer|context"
_MARKED = r"_\*\*(?:User|Agent|Assistant)\b[^\n]{0,200}?\*\*_[ \t\r]*(?=\n|\Z)"
_PLAIN = (
    rf"(?:(?:\*\*|#{{1,4}}[ ]|\[)?(?i:{_USERS}|{_AGENTS}|{_OTHERS})"
    r"(?:[ ]\([^()\n]{0,60}\))?(?:\*\*:|:\*\*|\*\*|\]:?|:)(?=\s|\Z)"
    rf"|#{{1,4}}[ ](?i:{_USERS}|assistant|agent)[ \t\r]*(?=\n|\Z))"
)
_NAMED = (
    r"(?:[-*] )?(?:\[[^\]\n]{1,30}\] ?|\d\d?:\d\d(?::\d\d)? ?(?:- )?)?(?:\*\*|<|@)?"
    r"(?P<name>[^\W\d_][\w.'-]{0,20}(?: [A-Z(][\w.')-]{0,20}){0,2})(?:\*\*)?"
    r"(?: \([^()\n]{1,30}\)| \d\d?:\d\d)?(?::\*\*|>|:)(?=[ \t]+\S)"
)
_TIMED = (
    r"(?P<name>[^\W\d_][\w.'-]{0,20}(?: [A-Z(][\w.')-]{0,20}){0,2})(?: APP)?[ \t]{1,4}"
    r"\[?\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?[ \t\r]*(?=\n|\Z)"
)
_WHO = re.compile(rf"[\W_]*(?:(?P<user>{_USERS})|(?P<agent>{_AGENTS})|\w+)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?")
_INJECTED = re.compile(
    r"\s*(?:</?(?:recollect-context|system-reminder|environment_context|session_context|"
    r"user_instructions|command-\w+|local-command-\w+|task-notification|permissions|INSTRUCTIONS|"
    r"bash-\w+|user-prompt-submit-hook|ide_\w+)\b|Caveat: The messages below|"
    r"\[Request interrupted|\[Image|This session is being continued)"
)
_COMMAND = re.compile(r"\s*<command-(?:name|message)\b")
_TOOL_END = "</tool-use>"
_THOUGHT_END = "</think>"


class OutlineStretch(NamedTuple):
    start: int
    end: int
    sort: Sort
    speaker: Speaker = ""
    heading: str = ""
    """The headings that it stands under, from the outermost."""
    turn: int = -1
    """Which turn it is in; -1 before the first, and where there are none."""

    @property
    def named(self) -> bool:
        """Whether a person with a name speaks."""
        return self.speaker not in ("", "user", "assistant", "context", "pasted")


@cache
def _events(form: Form) -> re.Pattern[str]:
    turns = {"marked": _MARKED, "plain": _PLAIN, "named": _NAMED, "timed": _TIMED}
    turn = turns.get(form, r"(?!)")
    return re.compile(
        rf"\n(?:(?P<turn>{turn})|(?P<tag><(?:tool-use|think)\b)"
        r"|(?P<fence>[ ]{0,3}(?:`{3,}|~{3,})[^\n]*)|(?P<heading>#{1,6}[ \t]+[^\s][^\n]*))"
    )


def form_of(text: str) -> Form:
    """How the turns of a text are marked. ``User:`` alone is no turn: two must speak."""
    if re.search(rf"(?:\A|\n){_MARKED}", text):
        return "marked"
    found = set()
    for match in re.finditer(rf"(?:\A|\n)({_PLAIN})", text):
        found.add(_speaker(match[1]))
        if len(found) > 1:
            return "plain"
    return "timed" if _is_timed_talk(text) else "named" if _is_talk(text) else ""


def _is_timed_talk(text: str) -> bool:
    """Whether names with times stand on lines of their own: of at least two people, one of whom
    speaks again, so that it is no timetable, and on at least every sixth line."""
    lines = [line for line in text[:TALK].splitlines() if line.strip()]
    names = [match["name"] for line in lines if (match := re.match(_TIMED, line))]
    return 1 < len(set(names)) < len(names) and len(names) * 6 >= len(lines)


def _is_talk(text: str) -> bool:
    """Whether names begin the lines of a text, so that people are talking: at least two of them,
    most more than once, behind a time or before an "I", on at least half of the lines that begin a
    paragraph or follow a name."""
    head = text[:TALK]
    lines = [line for line in head.splitlines() if line.strip()]
    found = [match for line in lines if (match := re.match(_NAMED, line))]
    names = [match["name"] for match in found]
    sure = sum(
        names.count(match["name"]) > 1 or _is_timed(match) or _is_of_oneself(match)
        for match in found
    )
    return len(set(names)) > 1 and sure * 4 >= len(names) * 3 and len(names) * 2 >= len(lines)


def _is_timed(named: re.Match[str]) -> bool:
    """Whether a name stands behind a time, as in a chat; a word in capitals is the level of a
    log."""
    before = named.string[: named.start("name")]
    return re.search(r"\d:\d\d", before) is not None and not named["name"].isupper()


def _is_of_oneself(named: re.Match[str]) -> bool:
    """Whether somebody with a name begins to tell of themselves; "Goal: I want …" names nobody."""
    said = re.match(r"\s+(?:I|My)\b", named.string[named.end() :])
    return said is not None and commonness(fold(named["name"])) != "ordinary"


def joined(turns: Iterable[tuple[str, str]]) -> str:
    """A transcript of turns, each (role, text), as the outline reads it."""
    names = {"user": "User", "assistant": "Agent"}
    return "\n\n".join(
        f"_**{names[role]}**_\n\n{text}" for role, text in turns if role in names and text.strip()
    )


def outline(text: str, form: Form) -> list[OutlineStretch]:
    """The stretches of *text*, in order."""
    return _by_turn(text, list(_stretches(text, form)))


def _speaker(mark: str, form: Form = "plain") -> Speaker:
    if form == "timed" and (timed := re.match(_TIMED, mark)):
        return timed["name"]
    named = re.match(_NAMED, f"{mark} …") if form == "named" else None
    if named:
        return named["name"]
    who = _WHO.match(mark)
    if who is None or not (who["user"] or who["agent"]) or "sidechain" in mark:
        return "context"
    return "user" if who["user"] else "assistant"


class _State:
    """Where the reading stands: the turn, the headings, and the block that is open."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.speaker: Speaker = ""
        self.turn = -1
        self.date = ""
        self.trail: list[tuple[int, str]] = []
        self.fence = ""
        self.until = -1
        """Where the open tool's block ends."""

    def stretch(self, start: int, end: int, sort: Sort) -> Iterator[OutlineStretch]:
        if start < end:
            heading = " > ".join(words for _, words in self.trail)
            yield OutlineStretch(start, end, sort, self.speaker, heading, self.turn)

    def begin(self, mark: str) -> None:
        found = _DATE.search(mark)
        self.speaker, self.turn = _speaker(mark, self.form), self.turn + 1
        self.date = found[0] if found else self.date
        self.trail.clear()
        self.fence, self.until = "", -1

    def is_real(self, mark: str) -> bool:
        """Whether a line that may begin a turn does so where it stands."""
        if not self.fence and self.until < 0:
            return True
        found = _DATE.search(mark)
        return found is not None and self.date != "" and found[0] >= self.date

    def head(self, line: str) -> None:
        level = len(line) - len(line.lstrip("#"))
        while self.trail and self.trail[-1][0] >= level:
            self.trail.pop()
        self.trail.append((level, line.strip("# \t\r")[:120]))


def _stretches(text: str, form: Form) -> Iterator[OutlineStretch]:
    state, at = _State(form), 0
    closing = _Closing(text)
    for match in _events(form).finditer("\n" + text):
        begin, end = match.start(), match.end() - 1  # in *text*, which has no line before it
        if 0 <= state.until <= begin:
            yield from state.stretch(at, state.until, "tool")
            at, state.until = state.until, -1
        kind, said = match.lastgroup, match[0][1:]
        if kind == "turn":
            if not state.is_real(said):
                continue
            yield from state.stretch(at, begin, _open_sort(state))
            state.begin(said)
            yield from state.stretch(begin, end, "mark")
            at = end
        elif state.until >= 0:
            continue
        elif kind == "fence":
            marker = said.strip()
            if not state.fence:
                yield from state.stretch(at, begin, "words")
                state.fence, at = marker[: len(marker) - len(marker.lstrip(marker[0]))], begin
            elif marker.startswith(state.fence) and not marker.strip(state.fence[0]):
                yield from state.stretch(at, end, "fence")
                state.fence, at = "", end
        elif state.fence:
            continue
        elif kind == "tag" and state.speaker != "user":
            yield from state.stretch(at, begin, "words")
            at, state.until = begin, closing.after(begin, said)
        elif kind == "heading":
            yield from state.stretch(at, begin, "words")
            state.head(said)
            yield from state.stretch(begin, end, "heading")
            at = end
    if 0 <= state.until < len(text):
        yield from state.stretch(at, state.until, "tool")
        at, state.until = state.until, -1
    yield from state.stretch(at, len(text), _open_sort(state))


def _open_sort(state: _State) -> Sort:
    return "tool" if state.until >= 0 else "fence" if state.fence else "words"


class _Closing:
    """Where blocks end: each end is looked for once, so that no text takes for ever."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = {_TOOL_END: -1, _THOUGHT_END: -1}

    def after(self, start: int, tag: str) -> int:
        """The end of the block that a *tag* begins; of the text, if it has none."""
        end = _THOUGHT_END if "think" in tag else _TOOL_END
        if self._next[end] < start:
            found = self._text.find(end, start)
            self._next[end] = found + len(end) if found >= 0 else len(self._text)
        return self._next[end]


def _by_turn(text: str, found: list[OutlineStretch]) -> list[OutlineStretch]:
    """With the turns of the user that no person wrote as words of their own told apart."""
    turns: dict[int, list[OutlineStretch]] = {}
    for stretch in found:
        if stretch.speaker == "user":
            turns.setdefault(stretch.turn, []).append(stretch)
    other: dict[int, Speaker] = {}
    command = ""
    for turn, parts in turns.items():
        mark, said = parts[0], parts[1] if len(parts) > 1 else parts[0]
        date = _DATE.search(text, mark.start, mark.end)
        when = date[0] if date else ""
        if _COMMAND.match(text, said.start, min(said.end, said.start + 400)):
            command = when or "-"
            other[turn] = "context"
        elif _INJECTED.match(text, said.start, said.end) or (when and when == command):
            other[turn] = "context"
        elif parts[-1].end - mark.end > PASTED or any(p.sort == "heading" for p in parts):
            other[turn] = "pasted"
    if not other:
        return found
    return [
        s._replace(speaker=other[s.turn]) if s.speaker == "user" and s.turn in other else s
        for s in found
    ]
