"""``recollect think``: an answer that the language model writes from memory, with what it cites."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import TextIO

from recollect import memory as facade
from recollect.nouns import synthesis
from recollect.surfaces import render, terminal
from recollect.surfaces.commands.shared import (
    Options,
    declare_limits,
    limits,
    open_memory,
    print_json,
    say,
)
from recollect.surfaces.phrases import some, when


def declare_think(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what is to be answered")
    declare_limits(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="write a new answer, even if one is recorded or a passage answers",
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, metavar="S", help="the most time (60)"
    )
    parser.add_argument(
        "--tokens", type=int, default=6000, metavar="N", help="the most tokens to read (6000)"
    )
    parser.add_argument(
        "--web",
        action="store_true",
        help="let it cite the web where memory does not answer, if you allow that (web.when)",
    )
    parser.add_argument("--mode", help="conservative, balanced or tokenmax")
    parser.add_argument("--as-of", metavar="WHEN", help="the facts that held then")
    parser.add_argument("--explain", action="store_true", help="show quotes, and what happened")


def think(options: Options) -> int:
    style = terminal.style_of(sys.stdout)
    live = Live(sys.stdout, style) if sys.stdout.isatty() and not options.json else None
    with open_memory(options) as memory:
        made: facade.Thought = memory.think(
            " ".join(options.query),
            force=options.force,
            time_box=options.seconds,
            token_budget=options.tokens,
            tell=live,
            web=options.web,
            mode=options.mode,
            as_of=options.as_of,
            **limits(options),
        )
    if options.json:
        print_json(made.as_json())
    else:
        for reason in made.degraded:
            say(options, f"note: {reason}")
        lines = text(made, style, told=bool(live and live.told), explain=options.explain)
        sys.stdout.write("\n".join(lines).rstrip() + "\n")
        if made.status == "needs_synthesis":
            say(options, _not_written(made))
    return 3 if made.status == "not_in_memory" else 0


class Live:
    """Shows sentences as they come."""

    def __init__(self, out: TextIO, style: terminal.Style) -> None:
        self._out = out
        self._style = style
        self._column = 0
        self.told = False
        """Whether what was shown last is the answer."""

    def __call__(self, told: facade.ThoughtEvent) -> None:
        if told.sentence is not None:
            self._words(told.sentence)
            self.told = True
        elif told.kind == "again":
            self._line(
                f"{self._style.dim}that is not enough; looking for {told.text}{self._style.off}"
            )
            self.told = False
        elif told.kind == "final" and self._column:
            self._out.write("\n")
        self._out.flush()

    def _words(self, sentence: synthesis.Sentence) -> None:
        for word in sentence.rendered().split():
            if self._column and self._column + len(word) >= terminal.width():
                self._out.write("\n")
                self._column = 0
            self._out.write(f"{when(self._column, ' ')}{word}")
            self._column += len(word) + 1

    def _line(self, line: str) -> None:
        self._out.write(f"{when(self._column, chr(10))}{line}\n")
        self._column = 0


def text(
    made: facade.Thought, style: terminal.Style, *, told: bool = False, explain: bool = False
) -> list[str]:
    """The thought for a person; *told* is whether its sentences were shown already."""
    lines = [] if told and made.status == "synthesized" else _answer(made, style)
    if made.written is not None:
        if made.status == "synthesized":
            lines += ["", *_references(made.written.references, style)]
        lines += _unsupported(made.written, style)
        if explain:
            lines += ["", *_quotes(made.written, style)]
        took = f"{render.spent(made.written)} · {made.timing_ms / 1000:.1f} s"
        lines += ["", f"{style.dim}{took}{style.off}"]
    if made.status == "cached_answer" and made.answer is not None:
        lines += ["", *_references(made.sources, style)]
    if made.answer is not None:
        recorded = f"{style.dim}recorded as {made.answer.id}{style.off}"
        lines += some(when(made.answer.id, recorded))
    if explain:
        lines += ["", *render.stages(made.stages, style)]
    return lines


def _answer(made: facade.Thought, style: terminal.Style) -> list[str]:
    if made.text:
        wrap = partial(textwrap.wrap, width=terminal.width())
        return list(chain.from_iterable(map(wrap, made.text.splitlines())))
    if made.status == "not_in_memory":
        return [f"{style.bold}not in memory{style.off}: {made.reason}"]
    lines = [made.bundle.rendered()] if made.bundle else []
    if made.status == "direct_passages":
        said = f"{made.reason}; --force has an answer written"
        lines.append(f"{style.dim}{said}{style.off}")
    return lines


def _references(references: Iterable[synthesis.Reference], style: terminal.Style) -> Iterable[str]:
    for one in references:
        date = f"{one.date:%Y-%m-%d}" if one.date else ""
        about = [one.kind, date, *one.passages] if one.origin == "memory" else ["web", one.url]
        said = ", ".join(filter(None, about))
        yield f"[{one.number}] {one.title}{when(said, f' {style.dim}({said}){style.off}')}"


def _unsupported(written: synthesis.Synthesis, style: terminal.Style) -> Iterable[str]:
    for one in written.sentences:
        shown = textwrap.shorten(one.text, 60, placeholder=" …")
        told = f"{style.warn}taken out{style.off}: {shown} ({one.problem})"
        yield from some(when(not one.shown, told))


def _quotes(written: synthesis.Synthesis, style: terminal.Style) -> Iterable[str]:
    for sentence in written.sentences:
        yield sentence.rendered()
        for one in sentence.citations:
            yield f"    {style.dim}[{one.reference}] “{one.quote}”{style.off}"


def _not_written(made: facade.Thought) -> str:
    how = "\n  `recollect config set llm.model openai:NAME` (docs/models.md) configures one"
    none = made.reason == "no language model is configured"
    return f"no answer was written: {made.reason}; this is what it would be from{when(none, how)}"
