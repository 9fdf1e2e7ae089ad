"""The search view: the answer, and how it came about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from recollect.errors import UsageError
from recollect.markup import Html, el, joined, url
from recollect.nouns import MAX_LIMIT, ROLES, Answer, Named, Result, in_figures, of_odds
from recollect.surfaces import headlines
from recollect.surfaces.commands.usage_text import duration
from recollect.surfaces.page import charts, home, links, markdown, suggested
from recollect.surfaces.page.layout import (
    PERIODS,
    PageContent,
    PageRequest,
    badge,
    choice,
    date_field,
    day,
    dotted,
    empty,
    hidden_by,
    notes,
    passage,
    search_form,
    sure,
    text_field,
    through,
    wrong,
)
from recollect.surfaces.phrases import only, plural, some, when
from recollect.text.questions.parse import parse
from recollect.text.snippet import Mark, snippet

STATUS = {
    "direct_passages": ("Found", "good"),
    "cached_answer": ("Answered before", "good"),
    "synthesized": ("Synthesized", "good"),
    "needs_synthesis": ("No direct answer", "fair"),
    "no_results": ("Nothing known", "poor"),
}
ARMS = {
    "lexical": "its words",
    "vector": "its meaning",
    "title": "its title",
    "window": "the time that is named",
    "odds": "the reranker",
    "odds_gap": "reranker: behind the best",
    "cosine": "nearness in meaning",
    "cosine_gap": "nearness: behind the best",
    "coverage": "words of the question it has",
    "worded": "words of the question it has",
    "coverage_gap": "words: behind the best",
    "rarest": "has the rarest word",
    "no_name": "lacks a name",
    "no_number": "lacks a number",
    "no_year": "lacks the year",
    "other_time": "speaks of another time",
    "exact": "is called exactly so",
    "inside": "from the time that is named",
    "hop": "named by a good hit",
    "successor": "took the place of a hit",
    "in force": "replaced a hit",
    "bridge": "found only by a hop",
    "words": "length of the question",
    "prior": "before anything is known",
}
"""The names of the signals that make up a score, for people."""


PAGE = 50
"""Results that are shown at once."""
OPENED = 40
"""Named things whose text stands behind their line; a further one is a link."""
EXCERPT = 700
"""Characters of that text."""
NEAREST = 3
"""Things that are named where nothing is known."""
BARS, LEFT = 12, 5
"""Results on this side of the cut that are drawn, and on the other."""


def search(request: PageRequest) -> PageContent:
    query = request.get("q")
    title = query or "Search"
    status = 200
    try:
        shown = _answer(_found(request, query), request) if query else home.home(request)
    except UsageError as error:
        shown, status = joined(el("h1", title, class_="unseen"), wrong(error)), 400
    answer = el("div", shown, id="answer")
    return PageContent(title, joined(_form(request), answer), status, at="/")


def _found(request: PageRequest, query: str) -> Answer:
    """Returns the answer. What is typed is asked again at each pause: it is neither counted nor
    kept, and its first answer is by words alone."""
    limits = {
        "kinds": some(request.get("kind")),
        "since": request.get("since") or request.get("period"),
        "until": through(request.get("until")),
        "limit": _number(request, "limit"),
        "budget": _number(request, "budget"),
    }
    text = " ".join([query, *_conditions(request)])
    typed, whole = request.get("typed"), request.get("all")
    if not (typed or whole):
        answer: Answer = request.call("search", query=text, **limits)
        return answer
    given = {name: value for name, value in limits.items() if value not in ("", [])}
    asked = request.memory.query(text, by=only(typed == "words", "keyword"), **given)  # type: ignore[arg-type]
    named = MAX_LIMIT if whole else asked.policy.named
    return request.memory.ask(asked._replace(policy=asked.policy._replace(named=named)))


def _conditions(request: PageRequest) -> Iterator[str]:
    """Yields the filters that the query language has words for."""
    for name, before in (("source", "source:"), ("path", "path:"), ("person", "")):
        value = request.get(name).replace('"', " ").strip()
        if value:
            yield f'{before}"{value}"'


def _number(request: PageRequest, name: str) -> int | str:
    """The number, or else what is written, which the library refuses."""
    return request.number(name, -1) if request.number(name, -1) >= 0 else request.get(name)


# ------------------------------------------------------------------ asking


def _form(request: PageRequest) -> Html:
    stats = request.memory.store.stats()
    kinds = [("", "anything"), *((k, k) for k in sorted(stats.kinds))]
    sources = [("", "all"), *((one.name, one.name) for one in stats.sources)]
    get = request.get
    filters = {
        "kind": choice("Kind", "kind", get("kind"), kinds),
        "source": choice("Source", "source", get("source"), sources),
        "path": text_field("Folder or file", "path", get("path"), list="folders"),
        "person": text_field("Person or name", "person", get("person"), list="names"),
        "period": choice("When", "period", get("period"), PERIODS),
        "since": date_field("From", "since", get("since")),
        "until": date_field("Until", "until", get("until")),
        "limit": text_field("Most results", "limit", get("limit"), inputmode="numeric"),
        "budget": text_field("Most tokens", "budget", get("budget"), inputmode="numeric"),
    }
    question = "What would you like to know?"
    asking = search_form(
        request,
        ("/", question, "Search"),
        filters,
        placeholder=question,
        autocomplete="off",
        spellcheck="false",
        data_typed="answer",
        autofocus=not get("q"),
    )
    return joined(asking, *suggested.lists(request))


# ------------------------------------------------------------------ the answer


def _answer(found: Answer, request: PageRequest) -> Html:
    told = (
        *found.hints,
        *(f"Given up for these results: {name}" for name in found.relaxed),
        *(hidden_by(found.hidden) if found.status == "direct_passages" else ()),
    )
    return joined(
        _verdict(found),
        _recorded(found),
        notes("warn", (f"Degraded: {reason}" for reason in found.degraded)),
        notes("hint", told),
        _results(found, request),
        _explanation(found),
    )


def _verdict(found: Answer) -> Html:
    said, kind = STATUS[found.status]
    parts = [badge(said, kind)]
    if found.results or found.answer:
        parts.append(sure(found.confidence))
        more = when(found.named, f", {len(found.named):,} more named")
        parts.append(el("span", f"{len(found.results)} of {_passages(found)}{more}"))
    parts.append(el("span", duration(found.timing_ms)))
    if found.cache.status == "hit":
        same = when(found.cache.question, f" for “{found.cache.question}”")
        parts.append(el("span", f"served again{same}"))
    return el(
        "div",
        el("h1", f"Results for “{found.query}”", class_="unseen"),
        parts,
        class_="verdict",
        role="status",
    )


def _passages(found: Answer) -> str:
    return plural(found.total_found, "passage")


def _recorded(found: Answer) -> Html | None:
    if found.answer is None:
        return None
    sources = [el("a", one, href=url("/document", id=one)) for one in found.answer.sources]
    listed = [joined(when(n, ", "), link) for n, link in enumerate(sources)]
    return el(
        "section",
        el("h2", "What was written for this question", class_="label"),
        markdown.rendered(found.answer.answer, markdown.MarkdownStyle(breaks=True)).html,
        dotted(joined("recorded ", day(found.answer.at)), when(listed, joined("from ", listed))),
        class_="card recorded",
    )


def _results(found: Answer, request: PageRequest) -> Html:
    if not found.results:
        elsewhere = el("a", "Look through past conversations", href=url("/sessions", q=found.query))
        nothing = empty("Nothing is known of this.", "Ask in other words.", elsewhere)
        return el("div", nothing, _also(request, "Nearest", found.named[:NEAREST]))
    wanted = parse(request.get("q")).content
    several = headlines.several_sources(found.results)
    start = request.number("from")
    shown = found.results[start : start + PAGE]
    if not shown:
        return empty("There are no more results.", el("a", "The first", href=_further(request, 0)))
    listed = el(
        "ol",
        [el("li", _result(request, one, wanted, several)) for one in shown],
        class_="results",
        start=only(start, start + 1),
    )
    left = len(found.results) - start - PAGE
    return el(
        "div",
        listed,
        when(
            left > 0,
            el(
                "p",
                f"{start + 1:,} to {start + len(shown):,} of {len(found.results):,} ",
                el(
                    "a",
                    "More",
                    href=_further(request, start + PAGE),
                    class_="button",
                    data_item=True,
                ),
                class_="more",
            ),
        ),
        only(start == 0, joined(_also(request, "Also", found.named), _all(found, request))),
    )


def _also(request: PageRequest, title: str, named: Sequence[Named]) -> Html | None:
    """Returns what is named and not shown, a line each, which opens in place."""
    read = request.memory.store.passages([one.id for one in named[:OPENED]])
    texts = {one.id: one.passage.text for one in read}
    query = request.get("q")
    lines = [el("li", _line(one, texts.get(one.id, ""), query)) for one in named]
    return only(lines, el("section", el("h2", title), el("ul", lines), class_="also"))


def _line(one: Named, text: str, query: str) -> Html:
    wanted = parse(query).content
    about = dotted(
        one.kind,
        headlines.dated(one),
        headlines.path(one),
        when(one.matched, joined("has ", el("mark", ", ".join(one.matched)))),
    )
    sureness = f"{charts.share(one.confidence)} sure"
    name = markdown.line(one.title)
    if not text:
        link = el("a", name, href=place(one, query), data_item=True, dir="auto")
        return el("div", link, about, title=sureness)
    part = snippet(text, wanted, EXCERPT)
    told = when(part.before, "… ") + part.text + when(part.after, " …")
    marks = [(start + 2 * part.before, end + 2 * part.before) for start, end in part.marks]
    style = markdown.MarkdownStyle(breaks=one.kind == "session", skip=one.title)
    return el(
        "details",
        el("summary", el("b", name, dir="auto"), about, title=sureness, data_item=True),
        markdown.rendered(told, style, marks).html,
        el("p", el("a", "Open it", href=place(one, query))),
        class_="named",
    )


def _all(found: Answer, request: PageRequest) -> Html | None:
    """Returns the link past the cut, and back to this side of it."""
    address = {**request.params, "all": when(not request.get("all"), "1"), "typed": ""}
    if request.get("all"):
        said = "Show the best only"
    elif found.total_found > len(found.results) + len(found.named):
        said = f"Show all {_passages(found)} that were found"
    else:
        return None
    link = el("a", said, href=url("/", **address), class_="button", data_item=True)
    return el("p", link, class_="more")


def _further(request: PageRequest, start: int) -> str:
    """The same search, from another result on."""
    return url("/", **{**request.params, "from": start or "", "typed": ""})


def _text(request: PageRequest, one: Result, marks: Sequence[Mark]) -> Html:
    """Returns the spans of a result as they are read: Markdown, what was said, or plain text."""
    if one.kind == "session":
        return el("div", [_turn(*turn) for turn in _turns(one.text, marks)], class_="turns")
    if not links.is_markdown(one.path):
        return passage(one.text, marks)
    table = links.table(request, one.text, one.source, one.path)
    style = markdown.MarkdownStyle(table, skip=one.title)
    return markdown.rendered(one.text, style, marks).html


_SPEAKER = re.compile(rf"^({'|'.join(ROLES)}): ", re.MULTILINE)


def _turns(text: str, marks: Sequence[Mark]) -> Iterator[tuple[str, str, list[Mark]]]:
    """Yields who speaks, what is said, and where the evidence stands in it."""
    begins = [(0, 0, ""), *((m.start(), m.end(), m[1]) for m in _SPEAKER.finditer(text))]
    ends = [*(start for start, _, _ in begins[1:]), len(text)]
    for (_, start, role), end in zip(begins, ends, strict=True):
        inside = [(max(s - start, 0), e - start) for s, e in marks if start < e and s < end]
        if text[start:end].strip():
            yield role, text[start:end], inside


def _turn(role: str, text: str, marks: Sequence[Mark]) -> Html:
    said = markdown.rendered(text, markdown.MarkdownStyle(breaks=True), marks).html
    return el("div", when(role, el("span", role, class_=f"role {role}")), said, class_="turn")


def _result(request: PageRequest, one: Result, wanted: Collection[str], several: bool) -> Html:
    asked = request.get("q")
    return el(
        "article",
        el(
            "header",
            el(
                "h2",
                el("a", markdown.line(headlines.name(one)), href=place(one, asked), data_item=True),
            ),
            sure(one.confidence),
        ),
        dotted(
            badge(one.kind),
            headlines.speaker(one),
            headlines.dated(one),
            headlines.where(one),
            when(several, one.source),
            when(one.truncated, "cut short"),
            when(one.folded, f"{len(one.folded)} more say the same"),
        ),
        _text(request, one, headlines.marks(one, wanted)),
        [el("p", line, class_="meta") for line in headlines.replaced(one)],
        _why(one),
        class_="card result",
    )


def place(one: Result | Named, query: str) -> str:
    """The view of what a result is from; of a session, with what was found in sight."""
    if one.kind == "fact":
        return url("/fact", id=one.document)
    whole = one.id.rpartition(":")[0]
    if one.kind == "session":
        return url("/sessions", session=whole, passage=one.id, q=query) + "#found"
    return url("/document", id=whole)


# ------------------------------------------------------------------ how it came about


def _why(one: Result) -> Html | None:
    """Returns the contributions to the grade as bars, which sum to it. The arms that found it
    are told with ranks and scores of their own, for the grade may go by other signals."""
    parts = sorted(one.contributions, key=lambda c: -abs(c.value))
    if not parts:
        return None
    most = max(abs(c.value) for c in parts) or 1.0
    lines = [
        (
            ARMS.get(c.arm, c.arm),
            charts.both_ways(c.value, most),
            f"{c.value:+.2f}",
        )
        for c in parts
        if c.value
    ]
    found = ", ".join(
        f"{ARMS.get(c.arm, c.arm)} (#{c.rank}, {c.raw:.2f})" for c in one.contributions if c.rank
    )
    alone = f"{one.score:+.2f} in all, which is {of_odds(one.score)} by itself"
    total = f"{alone}; {in_figures(one.confidence)} with what else is known"
    return el(
        "details",
        el("summary", "Why"),
        when(found, el("p", f"Found by {found}")),
        charts.rows(lines),
        el("p", total, class_="sum"),
        class_="why",
    )


def _explanation(found: Answer) -> Html:
    return el(
        "details",
        el("summary", "How this was found"),
        el("div", el("div", _cut(found), _tokens(found)), _stages(found), class_="explanation"),
        class_="how",
    )


def _cut(found: Answer) -> Html | None:
    if not (found.results or found.named):
        return None
    kept = [
        (
            headlines.name(one),
            charts.confidence_bar(one.confidence),
            sure(one.confidence),
        )
        for one in found.results[:BARS]
    ]
    left = [
        (
            one.title,
            charts.confidence_bar(one.confidence, "left"),
            el("span", "named", title=f"{charts.share(one.confidence)} sure"),
        )
        for one in found.named[:LEFT]
    ]
    more = len(found.results) - BARS
    cuts = [s.reason for s in found.stages if s.name.split()[-1] == "cut" and s.reason]
    why = next(reversed(cuts), "")
    reasons = {one.reason for one in found.named} - {why, ""}
    return el(
        "section",
        el("h2", "Where the cut fell"),
        when(kept, charts.rows(kept)),
        when(more > 0, el("p", f"and {more:,} more", class_="fine")),
        el("p", f"Cut: {why}" if why else "All that was found is here.", class_="cut"),
        when(left, charts.rows(left)),
        notes("plain", sorted(reasons)),
        el("p", "How sure each one is, on a logarithmic scale.", class_="fine"),
        class_="card",
    )


def _tokens(found: Answer) -> Html:
    budget = found.budget
    cap = "no cap" if budget.budget is None else f"{budget.budget:,}"
    parts = [one.tokens for one in found.results]
    parts = [*parts[:PAGE], sum(parts[PAGE:])] if len(parts) > PAGE else parts
    return el(
        "section",
        el("h2", "Tokens"),
        charts.stacked(parts, budget.budget or budget.used),
        el("p", el("b", f"{budget.used:,}"), f" of {cap}", class_="figure"),
        el(
            "p",
            f"{budget.kept} kept, {budget.dropped} over the budget, {budget.truncated} cut short",
            class_="fine",
        ),
        class_="card",
    )


def _stages(found: Answer) -> Html:
    most = max((s.ms for s in found.stages), default=0.0) or 1.0
    lines = []
    for stage in found.stages:
        count = "" if stage.found is None else f"{stage.found:,} found"
        said = "; ".join(some(count, stage.reason))
        kind = {"ran": "fill", "failed": "against"}.get(stage.state, "left")
        name = joined(stage.name, when(said, el("small", said)))
        number = duration(stage.ms) if stage.state == "ran" else stage.state
        lines.append((name, charts.bar(stage.ms / most, kind), number))
    return el("section", el("h2", "Stages"), charts.rows(lines), class_="card stages")
