"""Answers, documents and receipts as text for a person."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from itertools import chain
from sys import maxsize

from recollect.memory import Status
from recollect.moments import iso
from recollect.nouns import (
    Answer,
    Document,
    Named,
    Page,
    Problem,
    Receipt,
    Recorded,
    Result,
    Stage,
    first_words,
    in_figures,
    in_words,
    of_odds,
)
from recollect.nouns.answers import TOLD
from recollect.nouns.synthesis import Synthesis
from recollect.nouns.web import WebFound
from recollect.surfaces import headlines, terminal
from recollect.surfaces.phrases import byte_size, dotted, plural, some, when
from recollect.surfaces.terminal import Style, width
from recollect.text.questions import parse

_STATUS = {
    "direct_passages": "found",
    "needs_synthesis": "no direct answer",
    "no_results": "nothing known",
    "cached_answer": "answered before",
    "synthesized": "synthesized",
}


def answer(found: Answer, style: Style, *, full: bool = False, explain: bool = False) -> str:
    lines = [_headline(found, style, explain), *_answered(found, style), ""]
    if found.answer is not None:
        lines += _recorded(found.answer, style)
        if found.written is not None:
            lines += [f"{style.dim}{spent(found.written)}{style.off}"]
        lines.append("")
    wanted = parse.parse(found.query).content
    several = headlines.several_sources(found.results)
    for number, result in enumerate(found.results, 1):
        lines += _title(number, result, style, several)
        lines += _whole(result) if full else _body(result, wanted, style)
        lines += [f"    {style.dim}{line}{style.off}" for line in headlines.replaced(result)]
        lines += [*_folded(result, style), *(_reasons(result, style) if explain else []), ""]
    lines += [] if explain else _also(found, style)
    lines += [f"{style.dim}{hint}{style.off}" for hint in found.hints]
    if found.web is not None:
        lines += ["", *web(found.web, style)]
    if found.status == "direct_passages":
        parts = ", ".join(f"{count} by {name}" for name, count in found.hidden.items())
        lines += some(when(parts, f"{style.dim}hidden: {parts}{style.off}"))
    if explain:
        lines += ["", *_left_out(found, style), *_happened(found, style)]
    return "\n".join(lines).rstrip()


ALSO, NEAREST = 7, 3
"""Things that are named beside what is shown, and where nothing is known."""


def _also(found: Answer, style: Style) -> list[str]:
    if not found.results:
        return also(found.named[:NEAREST], "nearest:", style)
    return also(found.named, "also, for `recollect get`:", style)


def also(named: Sequence[Named], head: str, style: Style) -> list[str]:
    """Returns what is named and not shown, a line each; ``recollect get`` opens it."""
    lines = [_clipped(one, style) for one in named[:ALSO]]
    more = len(named) - ALSO
    lines += some(when(more > 0, f"and {more} more, which --json has"))
    return [head, *(f"    {line}" for line in lines), ""] if lines else []


_READABLE = 24
"""Characters of a title by which one still knows what it is."""


def _clipped(one: Named, style: Style) -> str:
    """Returns the line of a thing that is named: as much as there is room for, and in any case that
    its source no longer has it. A title gives way to what opens it, its kind, its day and the words
    that matched."""
    gone = when(one.gone, f" · {headlines.GONE}")
    id, room = headlines.opens(one), terminal.line_width() - 4 - len(gone)
    title, there = headlines.title(one), one._replace(gone=False)
    matched = ", ".join(one.matched)
    known = dotted(id, one.kind, headlines.dated(there))
    left = (room - 2 - len(beside) for beside in (dotted(known, matched), known))
    title = first_words(title, next((most for most in left if most >= _READABLE), headlines.TITLE))
    title = first_words(title, max(12, room - 2 - len(id)))
    said = f"{title}  {id}" if title else id
    for part in (*headlines.about(there), matched):
        if part and len(said) + 3 + len(part) <= room:
            said = f"{said} · {part}"
    return f"{title}{style.dim}{said[len(title) :]}{gone}{style.off}"


def _headline(found: Answer, style: Style, explain: bool) -> str:
    parts = [f"{style.bold}{_STATUS[found.status]}{style.off}"]
    if found.results:
        parts += [
            in_words(found.confidence) + when(explain, f" ({in_figures(found.confidence)})"),
            f"{len(found.results)} of {found.total_found}",
            f"{found.budget.used:,} tokens",
        ]
    if found.cache.status == "hit" and found.cache.age_seconds is not None:
        parts.append(f"from {_ago(found.cache.age_seconds)}")
    line = f" {style.dim}·{style.off} ".join([*parts, f"{found.timing_ms:.0f} ms"])
    if found.cache.status == "hit" and found.cache.question:
        line += f"\n{style.dim}for “{found.cache.question}”{style.off}"
    return line


def _answered(found: Answer, style: Style) -> list[str]:
    """Returns the line with the date that answers a question of time."""
    said = headlines.answered(found)
    return some(when(said, f"{style.bold}{said}{style.off}"))


def _ago(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago" if seconds >= 1 else "just now"


def _recorded(written: Recorded, style: Style) -> list[str]:
    lines = [
        line
        for paragraph in written.answer.splitlines()
        for line in textwrap.wrap(paragraph, width()) or [""]
    ]
    whose = "a language model or an agent wrote this"
    said = f"{whose} from {', '.join(written.sources)}" if written.sources else whose
    return lines + some(
        f"{style.dim}{said}{style.off}",
        when(written.id, f"{style.dim}recorded as {written.id}{style.off}"),
    )


def spent(written: Synthesis) -> str:
    """Returns the calls, tokens and cost of a language model, in one line."""
    calls = plural(written.calls, "call")
    tokens = f"{written.input:,} tokens in, {written.output:,} out"
    if written.cost is None and not written.input:
        tokens, price = "", "what it may have cost is in `recollect llm`"
    else:
        price = "at a price that is not known" if written.cost is None else f"${written.cost:.4f}"
    return dotted(written.model, calls, tokens, price)


def _title(number: int, result: Result, style: Style, several: bool) -> list[str]:
    """Returns the name of a result, and under it what else tells it from others."""
    about = dotted(
        in_words(result.confidence),
        result.kind,
        headlines.speaker(result),
        headlines.dated(result),
        headlines.where(result),
        when(several, result.source),
        when(result.truncated, "cut short"),
    )
    wrapped = textwrap.wrap(about, width() - 4, break_on_hyphens=False)
    return [
        f"{style.bold}{number:2}  {headlines.name(result)}{style.off}",
        *(f"    {style.dim}{line}{style.off}" for line in wrapped),
    ]


def _folded(result: Result, style: Style) -> list[str]:
    more = len(result.folded)
    return some(when(more, f"    {style.dim}and {more} more that say the same{style.off}"))


def _reasons(result: Result, style: Style) -> list[str]:
    """Which arms found it, by rank and score of their own; and how the grade came about, heaviest
    first: the parts sum to its log-odds. What these give by themselves is scaled, so that the best
    is as sure as all of them are together."""
    found = ", ".join(f"{c.arm} (#{c.rank}, {c.raw:.2f})" for c in result.contributions if c.rank)
    parts = sorted(result.contributions, key=lambda c: -abs(c.value))
    said = " ".join(f"{c.value:+.2f} {c.arm}" for c in parts if c.value)
    alone = f"{result.score:+.2f} = {said}, {of_odds(result.score)} by itself"
    beside = f"{in_figures(result.confidence)} with what else is known (see grade)"
    lines = [*some(when(found, f"found by {found}")), f"{alone}; {beside}"]
    wrapped = chain.from_iterable(textwrap.wrap(line, width() - 4) for line in lines)
    return [f"    {style.dim}{line}{style.off}" for line in wrapped]


def _whole(result: Result) -> list[str]:
    return textwrap.indent(result.text.rstrip(), "    ").splitlines()


def _body(result: Result, wanted: Collection[str], style: Style) -> list[str]:
    """Returns what is shown of a result, with the question's words marked, without its title; what
    is called by its whole text is not said again."""
    if " ".join(result.text.split()) == headlines.name(result):
        return []
    result = result._replace(text=headlines.untitled(result))
    text = terminal.marked(result.text, headlines.marks(result, wanted))
    room = maxsize if result.kind == "code" else width() - 4
    return [f"    {style.shown(line)}" for line in terminal.set_out(text, room)]


def web(found: WebFound, style: Style) -> list[str]:
    """Returns the results of a web search, set apart from those of memory."""
    count = plural(len(found.results), "result") if found.results else "nothing"
    lines = [
        f"{style.bold}from the web, not from memory{style.off} {style.dim}· {count} from "
        f"{found.engine} for “{found.query}”{style.off}"
    ]
    for number, one in enumerate(found.results, 1):
        about = dotted("web", one.date[:10], one.url)
        body = textwrap.wrap(" ".join(one.text.split())[:_SHOWN], width() - 4)
        lines += [f"{style.bold}{number:2}  {one.title}{style.off}"]
        lines += [f"    {style.dim}{about}{style.off}", *(f"    {part}" for part in body)]
        lines += some(when(one.note, f"    {style.dim}not read: {one.note}{style.off}"))
    lines += [f"{style.dim}{n} left out by {why}{style.off}" for why, n in found.hidden.items()]
    return lines


_SHOWN = 600
"""Characters of a page."""


def _left_out(found: Answer, style: Style) -> list[str]:
    if not found.named:
        return []
    lines = [f"{style.bold}left out{style.off}"]
    lines += [
        f"    {r.confidence:4.0%}  {first_words(r.title, width() - 50)}  "
        f"{style.dim}{headlines.opens(r)}: {r.reason}{style.off}"
        for r in found.named
    ]
    return [*lines, ""]


def stages(ran: Sequence[Stage], style: Style) -> list[str]:
    lines = [f"{style.bold}what happened{style.off}"]
    wide = max(len(stage.name) for stage in ran)
    for stage in ran:
        count = when(stage.found is not None, f"{stage.found} found")
        said = ", ".join(some(count, stage.reason))
        begin = f"    {stage.name:{wide}} {stage.state:8} {stage.ms:7.2f} ms  "
        lines += textwrap.wrap(
            said, width(), initial_indent=begin, subsequent_indent=" " * len(begin)
        ) or [begin.rstrip()]
    return lines


def _happened(found: Answer, style: Style) -> list[str]:
    lines = stages(found.stages, style)
    wide = max(len(stage.name) for stage in found.stages)
    budget = found.budget
    cap = "no cap" if budget.budget is None else f"{budget.budget:,} tokens"
    lines.append(
        f"    {'budget':{wide}} {cap}: {budget.used:,} used, {budget.kept} kept, "
        f"{budget.dropped} dropped, {budget.truncated} cut short"
    )
    return lines


def receipt(done: Receipt, style: Style, *, dry: bool = False) -> str:
    parts = [
        f"{count:,} {name}"
        for name, count in (
            ("added", done.added),
            ("changed", done.changed),
            ("unchanged", done.unchanged),
            ("forgotten", done.forgotten),
            ("removed", done.removed),
            ("kept out because they were forgotten", done.tombstoned),
            ("embedded", done.embedded),
            ("skipped", len(done.skipped)),
            ("secrets redacted", done.redacted.total()),
            *((what, count) for what, count in sorted(left_out(done).items())),
            ("no longer in their source", len(done.missing)),
            ("failed", len(done.failed)),
        )
        if count
    ]
    said = ", ".join(parts) or "nothing to do"
    text = f"{style.bold}{'dry run: ' * dry}{said}{style.off}"
    if done.missing and not dry:
        text += "\n`recollect add --prune` removes what is no longer in its source"
    if done.pending:
        text += f"\nvectors still to be made: {done.pending:,}; `recollect add` goes on with it"
    return text


def forgotten(gone: Document, done: Receipt, style: Style) -> str:
    """Returns the receipt, with what was forgotten: its title, how it began, and its id."""
    title, text = gone.headline(), first_words(gone.rendered(), TOLD)
    lines = [
        f"    {title}  {style.dim}{gone.external}{style.off}",
        when(text != title, f"    {text}"),
    ]
    return "\n".join(some(receipt(done, style), *lines))


def left_out(done: Receipt) -> dict[str, int]:
    """Returns how many messages of sessions were left out, by what is said of them."""
    return {_LEFT_OUT.get(what, what): count for what, count in done.left_out.items()}


_LEFT_OUT = {
    "thoughts": "thoughts left out",
    "recollect's own": "messages of recollect's own left out",
    "tool outputs shortened": "long tool outputs shortened",
}


def problems(done: Receipt, style: Style) -> list[str]:
    """Lines for stderr: what failed, then what was imported with a warning, is gone, or was left
    out."""
    lines = []
    groups = (
        ("failed", done.failed, 20),
        ("warning", done.warnings, 20),
        ("gone", done.missing, 20),
        ("skipped", done.skipped, 5),
    )
    for label, group, most in groups:
        lines += [f"{style.warn}{label}{style.off} {_problem(p)}" for p in group[:most]]
        if len(group) > most:
            lines.append(f"… and {len(group) - most:,} more ({label}; --json lists them all)")
    return lines


def _problem(problem: Problem) -> str:
    return f"{problem.where}: {problem.reason}"


def document(found: Document, style: Style) -> str:
    day = (iso(found.date) or "")[:10]
    gone = when(found.gone, headlines.GONE)
    about = dotted(found.kind, day, found.path, found.source, gone, found.id)
    title = when(found.title, f"{style.bold}{found.title}{style.off}\n")
    return f"{title}{style.dim}{about}{style.off}\n\n{found.rendered().rstrip()}"


def page(found: Page, style: Style) -> str:
    if not found.items:
        return "nothing here"
    lines = [
        f"{style.dim}{d.id}{style.off}  {d.kind:8} {(iso(d.date) or '')[:10]:10}  "
        f"{first_words(d.headline(), width() - 42)}"
        for d in found.items
    ]
    lines += some(when(found.cursor, f"{style.dim}more: --cursor {found.cursor}{style.off}"))
    return "\n".join(lines)


def _gone(count: int) -> str:
    return (
        f"no longer in their source: {plural(count, 'document')}; "
        "`recollect add PATH --prune` removes what is gone"
    )


def status(found: Status, style: Style) -> str:
    stats = found.store
    lines = [
        f"{style.bold}{stats.location}{style.off} ({stats.engine}, {byte_size(stats.bytes)})",
        f"{plural(stats.documents, 'document')} in {plural(stats.passages, 'passage')}"
        + (f" ({', '.join(f'{n:,} {k}' for k, n in stats.kinds.items())})" if stats.kinds else ""),
    ]
    lines += [f"    {s.name}: {s.documents:,} ({s.kind}) {s.uri}".rstrip() for s in stats.sources]
    lines += some(when(found.gone, _gone(found.gone)))
    lines += some(when(stats.tombstones, f"{stats.tombstones:,} forgotten for good"))
    if not stats.documents:
        lines.append("the store is empty: `recollect init` or `recollect add PATH` fills it")
    elif found.model_state == "ready":
        share = 1 - found.pending / max(1, stats.passages)
        lines.append(
            f"{share:.0%} of the passages have a vector of {found.model}"
            + (f"; {found.pending:,} pending" if found.pending else "")
        )
        if found.pending:
            lines.append(
                "`recollect doctor --fix` makes them now, the next `recollect add` as well"
            )
    else:
        lines.append(f"no vectors: {found.model_state}")
    behind = stats.indexes.get("text", {}).get("behind")
    if behind is None and stats.engine == "embedded":
        lines.append("the text index is not built yet; the next search builds it")
    elif behind:
        lines.append(
            f"the text index is behind by {behind:,}; the next search sees them all the same"
        )
    return "\n".join(lines)
