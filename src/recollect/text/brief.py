"""Results as text, and within so many tokens: whole sentences, lines and turns, what answers first.

What answers is told by the passage that was found, for a turn that answers may have no word of the
question; by words of the question, of which those say most that few pieces have; and by what stands
beside. A row of a table has the words of the first row as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log

from recollect.named_tuple import NamedTuple
from recollect.nouns import Result, Span
from recollect.text import snippet
from recollect.text.headings import HEADING
from recollect.text.ordinary import commonness
from recollect.text.sentences import is_line
from recollect.text.sentences import units as sentences
from recollect.text.terms import stems
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.text.units import MARKS, has_code, useful

BESIDE = 0.25
"""What a piece is worth for the one beside it, as a share."""
_ORDINARY = 0.5
"""What an ordinary word is worth beside a name or a rare one that as many pieces have."""
_LEFT_OUT = "…"
_CODE = 1.0
"""What code is worth more where it is asked how something is done, as a share of all the words."""
_SAYS = re.compile(r"\w")


class Asked(NamedTuple):
    """What is asked, as far as it says what of a text is wanted."""

    words: Collection[str] = ()
    """Stems of the question, for a text that does not tell where these stand."""
    how_to: bool = False
    """Whether it is how something is done."""


NOTHING = Asked()

# ------------------------------------------------------------------ spans as one text


def joined(spans: Sequence[Span]) -> str:
    """Returns the spans as one text: who speaks in front of each turn, a sign where something is
    left out between two."""
    said = list(map(_spoken, spans[:1]))
    for last, span in pairwise(spans):
        said += [_between(last, span), span.text.strip() if last.id == span.id else _spoken(span)]
    return "".join(said)


def role(found: str, spans: Sequence[Span]) -> str:
    """Returns who says what is shown: who says what was *found*, if that is among it."""
    roles = [span.role for span in spans]
    return found if found in roles or not roles else roles[0]


def _spoken(span: Span) -> str:
    return f"{span.role}: {span.text.strip()}" if span.role else span.text.strip()


def _between(last: Span, span: Span) -> str:
    """Returns what stands between two spans that are shown."""
    if last.id == span.id:
        lines = "\n" in last.text + span.text or is_line(last.text) or is_line(span.text)
        return f"\n{_LEFT_OUT}\n" if lines else f" {_LEFT_OUT} "
    return "\n" if _number(span) == _number(last) + 1 else f"\n{_LEFT_OUT}\n"


def _number(span: Span) -> int:
    """Returns which passage of its document it is from."""
    return int(span.id.rpartition(":")[2])


# ------------------------------------------------------------------ within so many tokens


def shortened(result: Result, most: int, asked: Asked = NOTHING) -> Result:
    """Returns a result with no more text than so many tokens."""
    if count_tokens(result.text) <= most:
        return result
    spans = best(_spans(result), most, result.id, asked)
    text = joined(spans)
    speaker = role(result.role, spans)
    return result._replace(text=text, spans=spans, role=speaker, truncated=True)


def least(result: Result, most: int) -> int:
    """Returns how many tokens the piece has that answers best."""
    spans = _spans(result)
    ranked = _ranked(list(_pieces(spans, most)), spans, result.id, NOTHING)
    return ranked[0].tokens if ranked else 0


def best(spans: Sequence[Span], most: int, found: str, asked: Asked = NOTHING) -> tuple[Span, ...]:
    """Returns the pieces of the spans that answer, best first, as many as there is room for, in the
    order of the text; of the first, if that is too long, what is around the words of the question.
    *found* is the id of the passage that was found."""
    spans = [_marked(span, asked.words) for span in spans]
    ranked = _ranked(list(_pieces(spans, most)), spans, found, asked)
    chosen: list[_Range] = []
    for piece in ranked:
        for more in () if piece.tokens > most else dict.fromkeys((piece.ranges, piece.ranges[:1])):
            if count_tokens(joined(_whole([*chosen, *more], spans))) <= most:
                chosen += more
                break
        if not chosen:
            return _clipped(spans, piece.ranges[0], most)
    return _whole(chosen, spans)


def _spans(result: Result) -> Sequence[Span]:
    return result.spans or (Span(result.id, result.text, result.role),)


class _Range(NamedTuple):
    """A part of one of the spans."""

    span: int
    start: int
    end: int


class _Piece(NamedTuple):
    """A part of a span that can be read by itself."""

    ranges: tuple[_Range, ...]
    """Its own, and that of the line it stands under, if any: a heading, the first row."""
    tokens: int
    words: frozenset[str]
    """The words of the question in it."""
    columns: frozenset[str] = frozenset()
    """Those in the first row of its table."""
    asks: bool = False
    is_code: bool = False


def _marked(span: Span, wanted: Collection[str]) -> Span:
    if span.marks or not wanted:
        return span
    return span._replace(marks=snippet.marks(span.text, wanted))


def _pieces(spans: Sequence[Span], most: int) -> Iterator[_Piece]:
    first: _Range | None = None
    for n, span in enumerate(spans):
        if first and spans[first.span].id != span.id:
            first = None
        every = (heading.span() for heading in HEADING.finditer(span.text))
        headings = [_Range(n, *one) for one in every if one[0] + span.start]  # no title
        for start, end in _bounds(span.text, most):
            text = span.text[start:end]
            if not _SAYS.search(text):  # the line below the first row of a table
                continue
            own, row = _Range(n, start, end), start + text.rfind("\n") + 1
            is_row = span.text.startswith("|", row)
            first = (first or _Range(n, row, end)) if is_row else None
            above = max((one for one in headings if one.start <= start), default=None)
            lead = first or above
            under = (lead,) if lead and (lead.span, lead.end) <= (n, start) else ()
            columns = _words(spans[first.span], first) if first else frozenset()
            asks, is_code = text.rstrip().endswith(MARKS), has_code(text)
            words = _words(span, own)
            yield _Piece((own, *under), count_tokens(text), words, columns, asks, is_code)


def _bounds(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yields where each piece begins and ends, which are sentences where one would be too long."""
    for start, end in useful(text, most):
        if count_tokens(text[start:end]) <= most:
            yield start, end
        else:
            parts = sentences(text[start:end])
            yield from ((start + first, start + last) for first, last in parts)


def _words(span: Span, of: _Range) -> frozenset[str]:
    marked = (span.text[start:end] for start, end in span.marks if of.start <= start < of.end)
    return frozenset(stems(" ".join(marked)))


def _ranked(pieces: list[_Piece], spans: Sequence[Span], found: str, asked: Asked) -> list[_Piece]:
    """Returns the pieces, best first: a share of the words, as much again as the best piece of its
    passage has, and something for what is beside it; that a passage was found counts as all the
    words. A reply is worth what the question before it is, and its own; code what the best piece
    before it in its passage is, for that tells what it does, and more where that is asked."""
    many = Counter(word for piece in pieces for word in piece.words)
    worth = {
        word: log(1 + len(pieces) / count) * (_ORDINARY if commonness(word) == "ordinary" else 1)
        for word, count in many.items()
    }
    shares = [_share(piece, worth) for piece in pieces]
    ids = [spans[piece.ranges[0].span].id for piece in pieces]
    top: dict[str, float] = {}
    for id, share in zip(ids, shares, strict=True):
        top[id] = max(top.get(id, 0.0), share)

    def value(n: int) -> float:
        before = shares[n - 1] if n else 0.0
        after = shares[n + 1] if n + 1 < len(shares) else 0.0
        replies = n > 0 and pieces[n - 1].asks and ids[n - 1] != ids[n]
        beside = BESIDE if replies else BESIDE * max(before, after)
        told = _CODE * asked.how_to + max(shares[ids.index(ids[n]) : n + 1])
        own = told if pieces[n].is_code else shares[n]
        own += top[ids[n]] + beside + (ids[n] == found)
        return own + before + top[ids[n - 1]] + (ids[n - 1] == found) if replies else own

    order = sorted(range(len(pieces)), key=lambda n: -value(n))
    return [pieces[n] for n in order]


def _share(piece: _Piece, worth: Mapping[str, float]) -> float:
    """Returns what the words of a piece are worth, of all; those of its columns count where it has
    any other."""
    words = piece.words | piece.columns if piece.words - piece.columns else piece.words
    return sum(worth[word] for word in words) / (sum(worth.values()) or 1.0)


def _whole(ranges: Sequence[_Range], spans: Sequence[Span]) -> tuple[Span, ...]:
    """Returns the ranges as spans, those with no word between them as one."""
    kept: list[_Range] = []
    for one in sorted(ranges):
        last = kept[-1] if kept else None
        if last and last.span == one.span and _is_near(spans[one.span].text[last.end : one.start]):
            kept[-1] = last._replace(end=max(last.end, one.end))
        else:
            kept.append(one)
    return tuple(_part(spans[one.span], one.start, one.end) for one in kept)


def _is_near(between: str) -> bool:
    return not _SAYS.search(between)


def _part(span: Span, start: int, end: int) -> Span:
    marks = ((a - start, b - start) for a, b in span.marks if start <= a and b <= end)
    return span._replace(text=span.text[start:end], start=span.start + start, marks=tuple(marks))


def _clipped(spans: Sequence[Span], own: _Range, most: int) -> tuple[Span, ...]:
    """Returns as much of a piece as there is room for, with its first marked word a quarter in."""
    piece = _part(spans[own.span], own.start, own.end)
    room = max(1, most - count_tokens(_spoken(piece._replace(text=""))))
    text = clip_tokens(piece.text, room)
    first = piece.marks[0][0] if piece.marks else 0
    begin = 0
    if first >= len(text) - len(text) // 4:
        near = max(0, first - len(text) // 4)
        begin = piece.text.find(" ", near) + 1 or near
        text = clip_tokens(piece.text[begin:], room)
    return (_part(piece, begin, begin + len(text)),)
