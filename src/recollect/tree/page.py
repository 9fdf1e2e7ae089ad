"""The noun TopicPage and its rules: what it is kept as, how it describes itself, what it links to.

A page gathers the facts of one topic. It is kept as a document of the kind ``page``, whose text is
what is searched (title, summary, notes, snippets); the facts are documents of their own, and a fact
says itself which page it is on (``meta["page"]``). Nothing here does any I/O.

1. Summary, tags and keywords follow from the facts alone: the same facts give the same words. What
   a person wrote in their place is left as it is (``own``).
2. They tell nothing that one who may see the page may not: a fact speaks for the page only if it
   is in every scope of the page. And nothing that may cease to hold while nobody writes: a fact
   that is superseded, has an end, or was announced for later does not speak for it.
3. A page links only to pages that exist.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from recollect.errors import UsageError
from recollect.facts import Fact
from recollect.moments import from_iso, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    LOCAL,
    NO_META,
    PAGE,
    TREE,
    UNIVERSAL,
    Document,
    JsonObject,
    Put,
    among,
    attributes,
    dict_list,
    filled,
    stable_id,
    without,
)
from recollect.text.chunk import passages
from recollect.text.keys import keys, words
from recollect.text.ordinary import commonness
from recollect.text.stopwords import stopwords
from recollect.text.support import tables
from recollect.text.terms import fold, is_run, stem, stems
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.tree.names import LOOSE, canonical, folded

KIND, SOURCE = PAGE, TREE
SUMMARY_TOKENS = 60
MOST_KEYWORDS, MOST_NAMES, MOST_TAGGED = 10, 5, 3
TAGS = {
    "decision": "decision",
    "preference": "preference",
    "task": "to-do",
    "open_question": "open-question",
}
"""Types of facts that are looked for by a tag."""
LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_LABEL = 200, 2_000, 100
MOST_LABELS, MOST_RELATED = 100, 200
DERIVED = ("summary", "tags", "keywords")
"""What is made from the facts, unless a person has written it."""


class Snippet(NamedTuple):
    text: str
    language: str = ""


class TopicPage(NamedTuple):
    """What is known of one topic."""

    address: str
    """``subject/topic`` or deeper, as :func:`recollect.tree.canonical` writes it."""
    title: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """Addresses of other pages."""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    facts: tuple[str, ...] = ()
    """Ids, in the order in which they are shown."""
    snippets: tuple[Snippet, ...] = ()
    notes: str = ""
    """What people have written besides, as Markdown."""
    own: tuple[str, ...] = ()
    """Which of summary, tags and keywords a person wrote."""
    owner: str = LOCAL
    scopes: tuple[str, ...] = (UNIVERSAL,)
    meta: JsonObject = NO_META
    stamp: str = ""
    """Which version of it this is; empty if it was never stored."""

    @property
    def key(self) -> str:
        """Its name in the store."""
        return page_key(self.owner, self.address)


def page_key(owner: str, address: str) -> str:
    return stable_id(owner, SOURCE, "", address)


def page_of(fact: Fact) -> str:
    """The address of the page that a fact is on; without one, that of the loose facts of its
    scopes."""
    told = fact.meta.get("page")
    if isinstance(told, str) and told.strip():
        return canonical(told)
    return LOOSE + folded("-".join(sorted(fact.scopes)))


def on_page(fact: Fact, address: str) -> Fact:
    """The fact on this page."""
    if page_of(fact) == address:
        return fact
    return fact._replace(meta={**fact.meta, "page": address})


def implied(address: str, facts: Sequence[Fact], owner: str, title: str = "") -> TopicPage:
    """A page that nobody has written, of the facts that name it."""
    sets = Counter(tuple(sorted(fact.scopes)) for fact in facts)
    scopes = min(sets, key=lambda one: (-sets[one], one)) if sets else (UNIVERSAL,)
    title = title or _titled(address)
    return describe(TopicPage(address, title, owner=owner, scopes=scopes), facts)


def _titled(address: str) -> str:
    """A title for a page that has none: the last part of its address, with a capital."""
    words = address.rpartition("/")[2].replace("-", " ")
    return words[:1].upper() + words[1:]


# ------------------------------------------------------------------ what it says of itself


def arranged(page: TopicPage, facts: Iterable[Fact]) -> list[Fact]:
    """The facts in the page's order, and behind them what it does not name, oldest first."""
    place = {id: n for n, id in enumerate(page.facts)}
    return sorted(facts, key=lambda f: (place.get(f.id, len(place)), f.created_at, f.id))


def describe(page: TopicPage, facts: Sequence[Fact]) -> TopicPage:
    """The page with what follows from its facts: summary, tags, keywords, dates, order."""
    some = arranged(page, facts)
    told = _by_weight([fact for fact in some if _speaks_for(page, fact)])
    made: dict[str, Any] = {
        "summary": _summary(told),
        "keywords": _keywords(told),
    }
    made["tags"] = _tags(told, made["keywords"])
    last = [entry.at for fact in some for entry in fact.provenance[-1:]]
    first = [fact.created_at for fact in some]
    return page._replace(
        **without(made, page.own),
        created_at=page.created_at or min(first, default=None),
        updated_at=max(filter(None, (page.updated_at, *(last or first))), default=None),
        facts=tuple(fact.id for fact in some),
    )


def is_about(page: TopicPage) -> bool:
    """Whether the page has a topic: what is loose together is about nothing."""
    return not page.address.startswith(LOOSE)


def _speaks_for(page: TopicPage, fact: Fact) -> bool:
    return (
        is_about(page)
        and fact.owner == page.owner
        and set(page.scopes) <= set(fact.scopes)
        and fact.standing == "active"
        and not (fact.superseded_by or fact.ended or fact.valid_to or fact.resolved_at)
        and (fact.valid_from is None or fact.valid_from <= fact.created_at)
    )


def _stems(text: str) -> frozenset[str]:
    return stems(text) - stopwords()


def _by_weight(facts: Sequence[Fact]) -> list[Fact]:
    """Pinned ones first, then those that share the most words with the others, then the newest;
    questions last."""
    said = [_stems(f"{fact.name} {fact.text}") for fact in facts]
    shared = Counter(chain.from_iterable(said))
    weight = {
        fact.id: round(sum(shared[w] - 1 for w in some) / (len(some) + 5), 6)
        for fact, some in zip(facts, said, strict=True)
    }
    return sorted(
        facts,
        key=lambda f: (
            not f.pinned,
            f.type == "open_question",
            -weight[f.id],
            -f.start.timestamp(),
            f.id,
        ),
    )


def _summary(facts: Sequence[Fact]) -> str:
    """Whole statements, as many as fit; the first cut short rather than none."""
    chosen: list[str] = []
    for fact in facts:
        said = _line(fact.text)
        said += "" if said[-1:] in ".!?…。！？" else "."
        if count_tokens(" ".join([*chosen, said])) <= SUMMARY_TOKENS:
            chosen.append(said)
        elif not chosen:
            return clip_tokens(said, SUMMARY_TOKENS - 1).rstrip() + "…"
    return " ".join(chosen)


def _tags(facts: Sequence[Fact], keywords: Sequence[str]) -> tuple[str, ...]:
    """What a page has that somebody looks for (a decision, an open question), the names that it is
    about, and its scopes."""
    types = {fact.type for fact in facts}
    names = [folded(word) for word in keywords if _is_proper(word)][:MOST_TAGGED]
    scopes = set(map(folded, chain.from_iterable(fact.scopes for fact in facts))) - {UNIVERSAL}
    found = [*(tag for type, tag in TAGS.items() if type in types), *names, *sorted(scopes)]
    return tuple(dict.fromkeys(found))


def _is_proper(keyword: str) -> bool:
    """Whether a keyword is a proper name: each of its words has a capital."""
    return all(any(map(str.isupper, word)) for word in keyword.split())


def _keywords(facts: Sequence[Fact]) -> tuple[str, ...]:
    """What its facts are called, and the words that several of them have, or few others."""
    names = {" ".join(keys(f.name)[:1]): _line(f.name)[:LONGEST_LABEL] for f in facts if f.name}
    chosen = list(names.values())[:MOST_NAMES]
    taken = set().union(*map(_stems, chosen))
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    for word in chain.from_iterable(map(_telling_words, facts)):
        spelt[stem(fold(word))][word[:LONGEST_LABEL]] += 1
    count = {root: some.total() for root, some in spelt.items()}
    for root in sorted(count, key=lambda root: (-count[root], root)):
        said = min(spelt[root], key=lambda w: (-spelt[root][w], w))
        telling = count[root] > 2 or commonness(fold(said)) not in ("ordinary", "rare")
        if telling and root not in taken and len(chosen) < MOST_KEYWORDS:
            chosen.append(said)
    return tuple(dict.fromkeys(chosen))


def _telling_words(fact: Fact) -> set[str]:
    """The words of a fact that may tell what it is about, as it writes them: a capital at its
    beginning is kept only by what is no ordinary word."""
    written = [w.written for w in words(fact.text) if _is_keyword(w.folded) and w.written.isalpha()]
    first = next((w.written for w in words(fact.text)), "")
    plain = first.lower() if commonness(fold(first)) in ("ordinary", "rare") else first
    return {plain if word == first else word for word in written}


def _is_keyword(word: str) -> bool:
    root = stem(word)
    dated = word in tables.WEEKDAYS or tables.month_number(word)
    said = len(root) > 2 and word.isalpha() and not is_run(word)
    return said and root not in stopwords() and not dated


# ------------------------------------------------------------------ links


def linked(pages: Sequence[TopicPage], others: Collection[str] = ()) -> list[TopicPage]:
    """The pages without links that lead nowhere (neither to one of these pages nor to one of the
    *others*, by their addresses), to themselves or twice to the same."""
    there = {page.address for page in pages}.union(others)
    found = []
    for page in pages:
        targets = dict.fromkeys(page.related)
        related = tuple(t for t in targets if t in there and t != page.address)
        found.append(page if related == page.related else page._replace(related=related))
    return found


# ------------------------------------------------------------------ as a document


def cleaned(page: TopicPage) -> TopicPage:
    """The page as it can be kept and shown: lines are lines, lists have no doubles, and nothing
    is in it that a text file could not hold. A clear error for what is too much."""
    said = f"page {page.address!r}"
    if page.address != canonical(page.address):
        raise UsageError(
            f"{said}: its address is not in the form of one",
            hint=f"write it as {canonical(page.address)!r}",
        )
    if not page.scopes:
        raise UsageError(
            f"{said}: scopes is empty, so nothing could ever see it",
            hint="leave scopes out to keep it as `universal`",
        )
    title = _line(page.title) or _titled(page.address)
    whole = page._replace(
        title=title,
        summary=_line(page.summary),
        tags=_labels(_line(tag).lstrip("# ") for tag in page.tags),
        keywords=_labels(page.keywords),
        related=tuple(dict.fromkeys(page.related)),
        facts=tuple(dict.fromkeys(page.facts)),
        snippets=tuple(
            Snippet(_text(one.text), _line(one.language.replace("`", ""))) for one in page.snippets
        ),
        notes=_notes(page.notes),
        own=tuple(among(DERIVED, page.own)),
        scopes=tuple(sorted(set(page.scopes))),
    )
    _check_sizes(whole, said)
    return whole


def _check_sizes(page: TopicPage, said: str) -> None:
    languages = [snippet.language for snippet in page.snippets]
    sizes = (
        ("its title has {:,} characters", len(page.title), LONGEST_TITLE),
        ("its summary has {:,} characters", len(page.summary), LONGEST_SUMMARY),
        ("its longest tag has {:,} characters", _longest(page.tags), LONGEST_LABEL),
        ("its longest keyword has {:,} characters", _longest(page.keywords), LONGEST_LABEL),
        ("its language has {:,} characters", _longest(languages), LONGEST_LABEL),
        ("it has {:,} tags", len(page.tags), MOST_LABELS),
        ("it has {:,} keywords", len(page.keywords), MOST_LABELS),
        ("it has {:,} related pages", len(page.related), MOST_RELATED),
    )
    for told, size, most in sizes:
        if size > most:
            raise UsageError(f"{said}: {told.format(size)}", hint=f"give at most {most}")


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)


def _notes(text: str) -> str:
    """Notes without blank lines around them; none where nothing is to be seen."""
    notes = _text(text).strip("\n")
    return notes if notes.strip() else ""


def _text(text: str) -> str:
    """Lines that end as ours do, without what no editor shows."""
    text = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    if text.isprintable():
        return text
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def _line(text: str) -> str:
    return " ".join(_text(text).split())


def _labels(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_line, given))))


def indexed(page: TopicPage) -> str:
    """What is searched of a page."""
    code = [f"```{s.language}\n{s.text}\n```" for s in page.snippets]
    return "\n\n".join(filter(None, (page.title, page.summary, page.notes, *code)))


_TEXTS = ("summary", "notes")
_LISTS = ("tags", "keywords", "related", "facts", "own")


def as_put(page: TopicPage) -> Put:
    page = cleaned(page)
    told = {
        **attributes(page, _TEXTS),
        **{name: list(getattr(page, name)) for name in _LISTS},
        "created_at": iso(page.created_at),
        "updated_at": iso(page.updated_at),
        "snippets": dict_list(page.snippets),
        "meta": dict(page.meta),
    }
    meta = filled(told)
    text = indexed(page)
    document = Document(
        external=page.address,
        source=SOURCE,
        text=text,
        kind=KIND,
        title=page.title,
        path=page.address,
        date=page.updated_at,
        owner=page.owner,
        scopes=page.scopes,
        meta=meta,
        stamp=stable_id(page.title, repr(sorted(meta.items())), *page.scopes),
    )
    return Put(document, passages(document))


def from_document(document: Document) -> TopicPage:
    """The page that a document holds, with its body or without."""
    meta = document.meta
    told: dict[str, Any] = {name: meta.get(name, "") for name in _TEXTS}
    told |= {name: tuple(meta.get(name, ())) for name in _LISTS}
    return TopicPage(
        address=document.external,
        title=document.title,
        created_at=from_iso(meta.get("created_at")),
        updated_at=from_iso(meta.get("updated_at")),
        **told,
        snippets=tuple(Snippet(**one) for one in meta.get("snippets", ())),
        owner=document.owner,
        scopes=document.scopes,
        meta=meta.get("meta", NO_META),
        stamp=document.stamp,
    )
