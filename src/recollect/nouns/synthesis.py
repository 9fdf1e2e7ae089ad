"""The nouns of what a language model wrote from memory: each sentence with what bears it out."""

from datetime import datetime
from typing import Any, Literal

from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns.values import dict_list, json_list


class Citation(NamedTuple):
    """The words of a source that bear a sentence out. That source was given, and has them."""

    reference: int
    """Which of the references, counted from 1."""
    quote: str
    passages: tuple[str, ...] = ()
    """Ids of those that have the words; of a web page there are none."""


class Sentence(NamedTuple):
    """One sentence that a language model wrote, and whether it could be shown to be from memory."""

    text: str
    citations: tuple[Citation, ...] = ()
    supported: bool = False
    problem: str = ""
    """What is wrong with its support."""
    computed: tuple[str, ...] = ()
    """How numbers of it follow from those that it cites."""
    unchecked: bool = False
    """Its numbers, dates, names and negations are supported, and its words cannot be compared with
    those that it cites, as in another language: it is the model's own."""

    @property
    def shown(self) -> bool:
        return self.supported or self.unchecked

    def rendered(self) -> str:
        """With how it was computed and the numbers of its references; what is not supported says
        so."""
        numbers = dict.fromkeys(citation.reference for citation in self.citations)
        marks = "".join(f"[{number}]" for number in numbers)
        how = f"({'; '.join(self.computed)})" if self.computed else ""
        unsure = "(words not checked)" if self.unchecked else "(not supported)"
        flag = "" if self.supported else unsure
        return " ".join(filter(None, [self.text, how, marks, flag]))

    def as_json(self) -> dict[str, Any]:
        made = {
            **self._asdict(),
            "citations": dict_list(self.citations),
            "computed": list(self.computed),
        }
        for citation in made["citations"]:
            citation["passages"] = list(citation["passages"])
        return made


class Reference(NamedTuple):
    """Something that is cited."""

    number: int
    origin: Literal["memory", "web"]
    title: str
    document: str = ""
    document_id: str = ""
    kind: str = ""
    date: datetime | None = None
    url: str = ""
    passages: tuple[str, ...] = ()
    """Ids of those that are cited."""

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "date": iso(self.date), "passages": list(self.passages)}


class SelfGrade(NamedTuple):
    """What a language model says of what it wrote; ``supported`` also counts what was checked."""

    relevant: bool = False
    supported: bool = False
    useful: bool = False
    look_for: str = ""
    """What it would look for next."""

    @property
    def good(self) -> bool:
        return self.relevant and self.supported and self.useful


class Synthesis(NamedTuple):
    """What a language model wrote from what was found, and what that took."""

    sentences: tuple[Sentence, ...] = ()
    references: tuple[Reference, ...] = ()
    grade: SelfGrade = SelfGrade()
    model: str = ""
    rounds: int = 0
    """How often something was gathered for it."""
    calls: int = 0
    """How often the model was asked, also in vain."""
    input: int = 0
    output: int = 0
    cached: int = 0
    """Tokens; those read from the provider's cache are among the input."""
    cost: float | None = 0.0
    """Dollars; None where the price of a call is not known."""

    @property
    def supported(self) -> int:
        return sum(sentence.supported for sentence in self.sentences)

    @property
    def text(self) -> str:
        """What is supported, and what could not be checked and says so; the rest is taken out, and
        ``sentences`` says why."""
        return " ".join(one.rendered() for one in self.sentences if one.shown)

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "text": self.text,
            "sentences": json_list(self.sentences),
            "references": json_list(self.references),
            "grade": self.grade._asdict(),
            "cost": None if self.cost is None else round(self.cost, 6),
        }
