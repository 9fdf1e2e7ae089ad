"""Whether a sentence is borne out by what it cites.

A source must be one that was shown, and must have the quoted words, as they were shown and as they
are in the store; and the sentence must follow from where those words stand
(:mod:`recollect.text.support`). References are numbered in the order in which they are cited first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import of_type
from recollect.nouns.synthesis import Citation, Reference, SelfGrade, Sentence
from recollect.ports import Store
from recollect.reading.gather import Section
from recollect.reading.think.sources import ShownSource
from recollect.text.statements.quotes import enough, normal, plain, quoted
from recollect.text.support import gate
from recollect.text.support.verdict import Near, Support, unknown

MOST_SENTENCES = 40
LONGEST = 2_000
"""Characters of a sentence, and of a quote."""
MOST_SUPPORT = 8


class _Adjacent(NamedTuple):
    """Passages that follow each other, as one text."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]


class Checker:
    """Takes what a model says, object by object."""

    def __init__(self, sources: Sequence[ShownSource], store: Store, near: Near = unknown) -> None:
        self._sources = {source.number: source for source in sources}
        self._store, self._near = store, near
        self._numbers: dict[int, int] = {}
        self._cited: dict[int, dict[str, None]] = {}
        self._runs: dict[int, list[_Adjacent]] = {}
        self._grade: SelfGrade | None = None
        self.sentences: list[Sentence] = []

    def take(self, said: Mapping[str, Any]) -> Sentence | None:
        """The sentence, checked, if it is one; a grade is kept."""
        if "sentence" not in said:
            self._grade = _grade(said)
            return None
        text = _line(said["sentence"])
        if not text or len(self.sentences) >= MOST_SENTENCES:
            return None
        good, problem = self._support(said.get("support"))
        found = Support(problem) if problem else self._follows(text, good)
        why = found.why or found.unchecked
        unchecked = bool(found.unchecked)
        made = Sentence(text, good, found.holds, why, found.computed, unchecked)
        self.sentences.append(made)
        return made

    def _follows(self, text: str, citations: Sequence[Citation]) -> Support:
        """Whether a sentence says what its citations do."""
        numbers = {at: number for number, at in self._numbers.items()}
        sources = [self._sources[numbers[one.reference]] for one in citations]
        places = [
            gate.cited(one.quote, source.text)
            for one, source in zip(citations, sources, strict=True)
        ]
        titles = "\n".join(source.about for source in sources)
        return gate.borne_out(text, places, titles, self._near)

    @property
    def supported(self) -> int:
        return sum(sentence.supported for sentence in self.sentences)

    @property
    def unchecked(self) -> int:
        return sum(sentence.unchecked for sentence in self.sentences)

    @property
    def shown(self) -> int:
        return self.supported + self.unchecked

    @property
    def grade(self) -> SelfGrade | None:
        """What the model says of itself, as far as that is true; None when it said nothing."""
        if self._grade is None:
            return None
        all_of_it = bool(self.sentences) and self.supported == len(self.sentences)
        return self._grade._replace(supported=self._grade.supported and all_of_it)

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(starmap(self._reference, self._numbers.items()))

    def _reference(self, number: int, at: int) -> Reference:
        source = self._sources[number]
        about = Reference(
            at, source.origin, source.title, url=source.url, passages=tuple(self._cited[number])
        )
        if source.section is None:
            return about
        of = source.section
        return about._replace(
            document=of.document, document_id=of.document_id, kind=of.kind, date=of.date
        )

    # -------------------------------------------------------------- support

    def _support(self, said: Any) -> tuple[tuple[Citation, ...], str]:
        """What holds of it, and the first thing that is wrong."""
        if isinstance(said, Mapping):
            said = [said]
        if not isinstance(said, Sequence) or isinstance(said, str) or not said:
            return (), "it cites nothing"
        found = list(map(self._citation, said[:MOST_SUPPORT]))
        return tuple(of_type(found, Citation)), next(iter(of_type(found, str)), "")

    def _citation(self, said: Any) -> Citation | str:
        """What it cites, or what is wrong with that."""
        if not isinstance(said, Mapping):
            return "it cites nothing that can be read"
        number, quote = _number(said.get("source")), _line(said.get("quote"))
        source = self._sources.get(number)
        if source is None:
            return "it cites a source that it was not given"
        wanted = normal(quote)
        if not enough(wanted):
            return "it quotes too little"
        if not quoted(wanted, normal(source.text)):
            return "its source does not have the words that it quotes"
        ids: tuple[str, ...] = ()
        if source.section is not None:
            ids = self._having(wanted, source.number, source.section)
            if not ids:
                return "the passage does not have the words that it quotes"
        at = self._numbers.setdefault(number, len(self._numbers) + 1)
        self._cited.setdefault(number, {}).update(dict.fromkeys(ids))
        return Citation(at, quote, ids)

    def _having(self, wanted: str, number: int, section: Section) -> tuple[str, ...]:
        """The passage of the section that has the words; all of those that follow each other,
        where only these together have them."""
        if number not in self._runs:
            self._runs[number] = _runs(section, self._store)
        for run in self._runs[number]:
            for id, text in zip(*run, strict=True):
                if quoted(wanted, normal(text)):
                    return (id,)
        for run in self._runs[number]:
            if len(run.ids) > 1 and quoted(wanted, normal("".join(run.texts))):
                return run.ids
        return ()


def _runs(section: Section, store: Store) -> list[_Adjacent]:
    runs: list[_Adjacent] = []
    last = None
    for id in section.ids:
        found = store.passages([id])
        if not found:
            continue
        stored = found[0]
        n = stored.passage.n
        if last is not None and n == last + 1:
            runs[-1] = _Adjacent((*runs[-1].ids, id), (*runs[-1].texts, stored.passage.text))
        else:
            runs.append(_Adjacent((id,), (stored.passage.text,)))
        last = n
    return runs


def _grade(said: Mapping[str, Any]) -> SelfGrade:
    yes = {name: said.get(name) is True for name in ("relevant", "supported", "useful")}
    return SelfGrade(**yes, look_for=_line(said.get("look_for"))[:300])


def _line(said: Any) -> str:
    return plain(said)[:LONGEST] if isinstance(said, str) else ""


def _number(said: Any) -> int:
    """Also ``"2"``, as some models write it; 0 is none."""
    if isinstance(said, bool):
        return 0
    if isinstance(said, str) and len(said) < 6 and said.strip().isdecimal():
        return int(said)
    return said if isinstance(said, int) else 0
