"""The query language: prose, with a little syntax that is safe to meet by accident.

    "exact words"      must occur, in this order
    -word  -"words"    must not occur (a dash before a letter or a quote, after a space)
    prefix*            any word that begins so
    path: kind: source: issue: event:
                       limits, also with a quoted value; repeated ones widen each other

Everything else is words. No input is a syntax error; the only refusals are an empty query and
one that only excludes or limits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from recollect.errors import QueryError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Clause, Filter, TextQuery
from recollect.text.questions.asker import words_for
from recollect.text.stopwords import grammar_words, is_grammar_run, language, stopwords
from recollect.text.terms import fold_prefix, is_run, phrase_terms, query_terms

MAX_WORDS = 256
"""Distinct terms of a query that are looked up; a pasted page asks with its first ones."""
TERSE = 4
MAX_CONDITIONS = 32
"""Phrases, exclusions and limits that are heeded, of each; the rest is passed over."""

_TOKEN = re.compile(
    r"""(?P<filter>(?:(?<=\s)|^)(?P<key>(?ai:path|kind|source|issue|event)):(?:"(?P<quoted>[^"]+)"|(?P<bare>[^\s"]+)))
      | (?P<minus>(?:(?<=\s)|^)-(?=["\w])(?!\d))?
        (?: "(?P<phrase>[^"]*)" | (?P<word>[^\s"]+) )""",
    re.VERBOSE,
)
_PREFIX = re.compile(r"(?P<stem>[^*]*\w)\*+$")
ClauseKind = Literal["word", "prefix", "phrase"]
_LIMITS = {name: f"{name}s" for name in ("path", "kind", "source", "issue", "event")}


_OWN_REPOSITORY = re.compile(r"^(?:#|GH-)\s*(?=\d+$)", re.IGNORECASE)


def issue_key(issue: str) -> str:
    """An issue's name as it is kept and compared: ``#12``, ``GH-12`` and ``12`` are one issue."""
    return _OWN_REPOSITORY.sub("", issue.strip())


class Parsed(NamedTuple):
    """A query taken apart. ``prose`` is what an embedder should read."""

    text: TextQuery
    prose: str
    content: tuple[str, ...]
    """The stemmed words that are looked for: without stop words, unless there is nothing else."""
    limits: tuple[tuple[str, str], ...]
    clipped: int = 0
    """How many distinct terms went over MAX_WORDS and were left out."""
    terse: bool = False
    """A few words and no grammar: somebody looks for what has them."""
    bare: bool = False
    """A single word of grammar ("the"), in small letters: it asks for nothing."""

    def narrowed(self, given: Filter) -> Filter:
        """*given* with the limits written in the query; what the caller set explicitly wins."""
        found: dict[str, Any] = {}
        for name, value in self.limits:
            if getattr(given, name) is None:
                found[name] = (*found.get(name, ()), value)
        return given._replace(**found)


def parse(text: str) -> Parsed:
    """Returns the query in a text. Raises QueryError for an empty one, and one that only excludes
    or limits."""
    text = _normal(text)
    draft = _QueryDraft()
    for match in _TOKEN.finditer(text):
        draft.take(match)
    draft.flush()
    draft.check(text)
    return draft.parsed()


def words_of(text: str) -> TextQuery:
    """Returns the query for the words of a text that is none: nothing in it is syntax, and a text
    without a word asks for nothing."""
    draft = _QueryDraft()
    draft.plain.append(_normal(text))
    draft.flush()
    return draft.parsed().text


def _normal(text: str) -> str:
    text = text.replace("\x00", " ").encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFKC", text)


class _QueryDraft:
    """A query as far as it has been read."""

    def __init__(self) -> None:
        self.asked: dict[Clause, None] = {}
        self.must: list[Clause] = []
        self.never: list[Clause] = []
        self.limits: list[tuple[str, str]] = []
        self.prose: list[str] = []
        self.plain: list[str] = []
        """Words in a row, which are read together so that a run of them is tokenised as in a
        document."""
        self.typed: dict[str, set[str]] = {}
        """The words that were typed, by their stems."""

    def take(self, match: re.Match[str]) -> None:
        """Reads one token."""
        if match["filter"]:
            self._limit(_LIMITS[match["key"].lower()], match["quoted"] or match["bare"])
        elif match["minus"]:
            self.never += filter(None, [_clause(match)])
        elif match["phrase"] is not None:
            self.must += filter(None, [_clause(match)])
            self._word(match["phrase"], None)
        else:
            word = match["word"]
            self._word(word, _clause(match) if word.endswith("*") else None)

    def _limit(self, name: str, value: str) -> None:
        self.limits.append((name, issue_key(value) if name == "issues" else value))

    def _word(self, said: str, clause: Clause | None) -> None:
        self.prose.append(said)
        if clause and clause.kind == "prefix" and not is_run(clause.term):
            self.flush()
            self.asked[clause] = None
        else:
            self.plain.append(said)

    def flush(self) -> None:
        """Reads the words so far."""
        terms, typed = query_terms(" ".join(self.plain))
        for term, word in zip(terms, typed, strict=False):
            self.typed.setdefault(term, set()).add(word)
        for term in terms:
            kind: ClauseKind = "prefix" if len(term) == 1 and is_run(term) else "word"
            self.asked[Clause(kind, (term,))] = None
        self.plain.clear()

    def check(self, text: str) -> None:
        """Raises QueryError for a query that looks for nothing."""
        if not text.strip():
            raise QueryError("the query is empty", hint="say what to look for")
        if self.asked or self.must:
            return
        if self.never:
            raise QueryError("the query only excludes words", hint="say what to look for as well")
        if self.limits:
            raise QueryError(
                "the query only has filters",
                hint="say what to look for as well; `recollect list "
                f"{' '.join(self._options())}` shows all that they let through",
            )
        raise QueryError(
            f"the query {text.strip()[:40]!r} has no word in it", hint="say what to look for"
        )

    def _options(self) -> Iterator[str]:
        """Yields the limits as options of a command."""
        for name, value in self.limits:
            said = f'"{value}"' if " " in value else value
            yield f"--{name.removesuffix('s')} {said}"

    def parsed(self) -> Parsed:
        asked, prose = list(self.asked), " ".join(self.prose)
        said = list(self._meaningful(asked, prose))
        meaningful, bare = said or asked, len(asked) == 1 and not (said or self.must)
        kept = meaningful[:MAX_WORDS]
        return Parsed(
            TextQuery(
                tuple(kept),
                tuple(self.must[:MAX_CONDITIONS]),
                tuple(self.never[:MAX_CONDITIONS]),
            ),
            prose,
            self._looked_for(kept, prose),
            tuple(self.limits[:MAX_CONDITIONS]),
            len(meaningful) - len(kept),
            len(meaningful) == len(asked) <= TERSE,
            bare and prose.isalpha() and prose.islower() and not is_run(prose),
        )

    @staticmethod
    def _looked_for(kept: Sequence[Clause], prose: str) -> tuple[str, ...]:
        """Returns the words of a query, without those for the user: their notes say "I"."""
        words, own = tuple(a.term for a in kept if a.kind == "word"), words_for(prose)
        return tuple(word for word in words if word not in own) or words

    def _meaningful(self, asked: Sequence[Clause], prose: str) -> Iterator[Clause]:
        """Yields what is no word of grammar as it was typed, in the language of the question: "own"
        is one and "owns" is none; "son" is one in Spanish."""
        common, grammar = stopwords(), grammar_words(language(prose))
        for clause in asked:
            if clause.kind != "phrase" and is_run(clause.term) and is_grammar_run(clause.term):
                continue
            known = clause.kind == "word" and clause.term in common
            if not known or not grammar.issuperset(self.typed.get(clause.term, ())):
                yield clause


def _clause(match: re.Match[str]) -> Clause | None:
    """What one token asks for; None when it has no terms."""
    if match["phrase"] is not None:
        exact = phrase_terms(match["phrase"])
        return Clause("phrase", exact) if exact else None
    prefix = _PREFIX.match(match["word"])
    if prefix and not is_run(prefix["stem"]):  # a run is found by its pairs, wherever it goes on
        return Clause("prefix", (fold_prefix(prefix["stem"]),))
    found, exact = query_terms(match["word"])
    if not found:
        return None
    if is_run(found[0]):
        return Clause("prefix", (found[0],)) if len(found[0]) == 1 else Clause("phrase", exact)
    return Clause("word", (found[0],))
