"""The seams: what the core asks of a store, a model, and whoever keeps count.

``testing.contract`` is the executable form of :class:`Store`; an engine inherits that suite.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from recollect.errors import StoreError
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    GONE,
    ChangeSet,
    Document,
    Event,
    Filter,
    Hit,
    Message,
    Page,
    Put,
    Receipt,
    Recorded,
    Source,
    StoredPassage,
    StoreStats,
    TextQuery,
    stable_id,
)
from recollect.nouns.web import WebFound, WebPage

if TYPE_CHECKING:
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray

    from recollect.telemetry import Tally
    from recollect.text.pairs import PairJudgement

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]
else:
    Protocol = object
    """To make a protocol takes longer than to make a class, and only a type checker asks for it."""


class TextResult(NamedTuple):
    """What the text index found: the best passages, and what each word is worth here.

    ``idf`` is ``ln(1 + (N - n + 0.5) / (n + 0.5))`` over all passages within the wall
    (``Filter.within``), whatever the other limits; an engine for many owners counts those of the
    owner that the filter names.
    ``total`` counts every match under the filter, when it was asked for.
    """

    hits: list[Hit]
    idf: Mapping[str, float]
    total: int = 0


class VectorResult(NamedTuple):
    """The nearest passages, how many passages within the wall have a vector, and how many passages
    there are within it."""

    hits: list[Hit]
    vectors: int
    passages: int


class HandleMatch(NamedTuple):
    """A document and the handle that it was found under."""

    handle: str
    document: Document


class DocumentStamp(NamedTuple):
    """A stored document by what tells whether it is still as it was."""

    external: str
    source: str
    path: str
    origin: str
    stamp: str
    owner: str
    scopes: tuple[str, ...]

    @property
    def gone(self) -> bool:
        """Whether the last import found that its source no longer has it."""
        return self.stamp.endswith(GONE)

    @property
    def id(self) -> str:
        return stable_id(self.owner, self.source, self.origin, self.external)


class Turn(NamedTuple):
    """A message of a session, and which one it is there, counted from 0."""

    turn: int
    message: Message


class Spot(NamedTuple):
    """Where a message is: the id of its document, and which turn of that it is."""

    document: str
    turn: int


class Outline(NamedTuple):
    """A session without its messages: how many there are, when the last was, and how the
    first of the user's and the last of the assistant's begin."""

    document: Document
    messages: int
    last: datetime | None
    goal: str
    resolution: str


class Twin(NamedTuple):
    """What a model has made of a text that is stored already."""

    vector: Vector
    sentences: bytes = b""


class WholeDocument(NamedTuple):
    """A document with all that a store keeps of it but its history."""

    put: Put
    vectors: Mapping[str, Mapping[int, bytes]] = {}
    """By model, and by the number of the passage: float16, little-endian."""
    sentences: Mapping[str, Mapping[int, bytes]] = {}
    """Likewise the signs of the vectors of its sentences, of passages that have any."""


class Tombstone(NamedTuple):
    """A document that was forgotten, and when: an import does not bring it back."""

    id: str
    at: datetime


class History(NamedTuple):
    """All that happened to a document, oldest first. The numbers of the events are those of the
    store that they are from."""

    id: str
    events: tuple[Event, ...]


Item = Source | WholeDocument | Tombstone | History | Recorded
"""What a store is made of."""


class DumpEntry(NamedTuple):
    """One thing out of a store, and from where to go on behind it."""

    cursor: str
    item: Item


class LoadReport(NamedTuple):
    """What became of things that were loaded. Counts are of what was not there before."""

    sources: int = 0
    documents: int = 0
    tombstones: int = 0
    events: int = 0
    answers: int = 0
    vectors: int = 0
    unchanged: int = 0
    """Documents that are there already, as they are."""
    different: int = 0
    """Documents that are there in another version, or though they were forgotten elsewhere; they
    stay unless they are to be replaced."""
    forgotten: int = 0
    """Documents that were forgotten here, and stay so."""

    def __add__(self, other: object) -> LoadReport:
        assert isinstance(other, LoadReport)
        return LoadReport(*(a + b for a, b in zip(self, other, strict=True)))

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class Finding(NamedTuple):
    """Something about a store that is not as it should be."""

    part: Literal["record", "text", "vectors", "lock", "server"]
    text: str


class CheckReport(NamedTuple):
    """What looking a store over has shown."""

    findings: tuple[Finding, ...] = ()
    documents: int = 0
    """Those whose content was compared with its hash."""
    sampled: int = 0
    """Passages that were looked for in the indexes."""
    recall: Mapping[str, float] = {}
    """By model: the share of the ten nearest passages that the index finds, on a sample."""
    last_write: datetime | None = None
    server: str = ""
    """The servers that keep the store, in words; empty where none does."""


class ReplicaLag(NamedTuple):
    """The lag of the replica that a search was answered by."""

    seconds: float
    text: str


EVERYTHING = Filter()
OUTLINED = 300
"""Characters of a message that an outline shows."""


class Embedder(Protocol):
    """Text to unit vectors. ``key`` names the model and its exact weights."""

    @property
    def key(self) -> str: ...

    def reads(self, text: str) -> bool:
        """Whether the text is in a script that the model knows."""

    def speaks(self, text: str) -> bool:
        """Whether it is in a language that the model has learned well, as far as can be told."""

    def embed_query(self, text: str) -> Vector: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors: ...


class PassageVectors(NamedTuple):
    """What one pass over passages gives."""

    vectors: Vectors
    sentences: Sequence[bytes]
    """By passage the signs of the vectors of its sentences (:mod:`recollect.text.signs`), which
    are those of :func:`recollect.text.sentences.parts_of`; empty where it has none."""


class QuestionVectors(NamedTuple):
    """What one pass over a question gives."""

    vector: Vector
    asks: Vector | None = None
    """To be held against the vectors of sentences; None where the model has no such vector."""


class SentenceEmbedder(Embedder, Protocol):
    """An embedder that tells the sentences of a passage in the same pass. Where its model has no
    vectors of sentences, it gives none."""

    def embed_with_sentences(self, texts: Sequence[str]) -> PassageVectors:
        """The vectors are those that ``embed_passages`` gives."""

    def embed_question(self, text: str) -> QuestionVectors:
        """The vector is that which ``embed_query`` gives."""


def passage_vectors(embedder: Embedder, texts: Sequence[str]) -> PassageVectors:
    """Returns the vectors of passages, with the signs of their sentences where the embedder gives
    them."""
    if _has_both(embedder, "embed_passages", "embed_with_sentences"):
        return cast("SentenceEmbedder", embedder).embed_with_sentences(texts)
    return PassageVectors(embedder.embed_passages(texts), [b""] * len(texts))


def question_vectors(embedder: Embedder, text: str) -> QuestionVectors:
    """Returns the vector of a question, with the one to be held against sentences where the
    embedder gives it."""
    if _has_both(embedder, "embed_query", "embed_question"):
        return cast("SentenceEmbedder", embedder).embed_question(text)
    return QuestionVectors(embedder.embed_query(text))


def _has_both(embedder: Embedder, one: str, both: str) -> bool:
    """Whether the class of an embedder has the method that gives one thing and the method that
    gives two, out of one module. Where only the first was replaced (by a cache of vectors, by a
    model that changes them), the second would pass by what replaced it."""
    methods = [getattr(type(embedder), name, None) for name in (one, both)]
    return None not in methods and len({method.__module__ for method in methods}) == 1


class SpokenSentence(NamedTuple):
    """Where a sentence is in its passage, and who says it: ``user``, ``assistant``, a name, or
    nobody."""

    start: int
    end: int
    speaker: str = ""


class PassageSentences(NamedTuple):
    """A passage as it is embedded, and its sentences."""

    text: str
    sentences: tuple[SpokenSentence, ...]


class Worth(NamedTuple):
    """What a sentence is worth: the probability that it is worth keeping, and as what."""

    keep: float
    kind: str


class WorthModel(Protocol):
    """Says of each sentence of a passage whether it is worth keeping."""

    @property
    def threshold(self) -> float:
        """The probability from which on a sentence is kept."""

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]: ...


class Reranker(Protocol):
    """Reads a question and a passage together."""

    @property
    def key(self) -> str: ...

    def reads(self, text: str) -> bool: ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage the log-odds that it answers the question."""


class PairModel(Protocol):
    """What two texts are to each other: the same, changed, or neither."""

    @property
    def key(self) -> str: ...

    @property
    def encoder(self) -> str:
        """The key of the model whose vectors it makes."""

    def vectors(self, texts: Sequence[str]) -> Vectors: ...

    def judge(self, texts: Sequence[tuple[str, str]]) -> Sequence[PairJudgement]: ...


class StopToken(Protocol):
    """Whether to go on with something that takes long."""

    @property
    def stopped(self) -> bool: ...

    @property
    def left(self) -> float:
        """Seconds that are left."""


class LlmMessage(NamedTuple):
    role: Literal["user", "assistant"]
    text: str


class LlmRequest(NamedTuple):
    """What a language model is asked."""

    messages: tuple[LlmMessage, ...]
    system: str = ""
    max_tokens: int = 1024
    """Of the answer."""
    temperature: float | None = None
    """None is the model's own; some take no other."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the answer must follow (:mod:`recollect.models.llm.schema` says which
    part of JSON Schema is understood)."""
    stop: tuple[str, ...] = ()
    grammar: str = ""
    """The grammar (GBNF) that the answer must follow, where the server is one of llama.cpp that is
    run here; others are not sent it."""


class LlmUsage(NamedTuple):
    """Tokens of one answer, or of several. Those that were read from the provider's cache, or
    written to it, are among the input, whichever way the provider counts."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None
    """Dollars, where the provider says so itself."""
    told: bool = True
    """False where the provider said nothing and this is an estimate."""


class LlmReply(NamedTuple):
    text: str
    data: Any = None
    """The answer as the schema wants it, checked; None when no schema was given."""
    usage: LlmUsage = LlmUsage()
    model: str = ""
    """The model that answered, as it calls itself."""
    cost: float | None = None
    """Dollars; None where the price is not known."""
    stop_reason: str = "end"
    """``end``, ``length`` (cut off at ``max_tokens``), ``stop`` (at a stop text) or what the
    provider calls it."""
    calls: int = 1
    """Requests that it took, those that failed among them."""


Tell = Callable[[str], None]
"""Is told each piece of an answer as it comes."""


class Llm(Protocol):
    """A language model. What it spends counts as one command's."""

    @property
    def key(self) -> str:
        """Names the model and where it is."""

    def complete(
        self, request: LlmRequest, token: StopToken | None = None, tell: Tell | None = None
    ) -> LlmReply:
        """The whole answer; with *tell* also piece by piece as it comes, which an answer that has
        to follow a schema cannot. Stopping the token ends it within a moment, and the connection
        with it (``Cancelled``); whatever else fails is a ``ModelError``."""


class Meter(Protocol):
    """Keeps count of what a language model costs, and refuses what would cost too much."""

    def hold(self, model: str, input: int, output: int) -> Any:
        """Set aside what a call of at most so many tokens may cost; ``SpendRefused`` when that is
        more than is left."""

    def settle(self, held: Any, usage: LlmUsage | None) -> float | None:
        """What became of it: the usage, or None when it cost nothing. Returns the dollars, where
        they are known."""


class Expense(NamedTuple):
    """The cost of one model on one day. Money is in billionths of a dollar."""

    day: str
    model: str
    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    nanos: int = 0
    unpriced: int = 0
    """Calls whose price is not known."""


class Spending(Protocol):
    """The record of what language models cost. Nothing is opened or made before it is needed;
    each method may be called from any thread, and by several processes."""

    def hold(self, day: str, model: str, nanos: int, cap: int | None, seconds: float) -> int | None:
        """Set so much aside; None when the day's money, all that is set aside included, would be
        more than *cap*. What nobody settles within *seconds* counts as spent."""

    def settle(self, held: int, spent: Expense) -> None:
        """Give back what was set aside and count this instead."""

    def rows(self, since: str) -> list[Expense]:
        """What was spent from that day on, by day and model; what is set aside is not in it."""


class Web(Protocol):
    """The web, as far as it may be asked. Whatever fails is a ``WebError``, within a time that is
    set beforehand."""

    @property
    def key(self) -> str:
        """Names the search engine."""

    def search(self, query: str, *, limit: int, read: int) -> WebFound:
        """At most *limit* results for *query*, the only thing that is sent; of the first *read*
        the pages are read as well."""

    def page(self, url: str) -> WebPage:
        """The page at this address, as text."""


class Ledger(Protocol):
    """Where the sums of :mod:`recollect.telemetry` are kept, apart from the record: losing it
    loses figures and nothing else. Nothing is opened or made before it is needed. Each method may
    be called from any thread."""

    def add(self, tallies: Iterable[Tally]) -> None:
        """Add these to what there is, all or none; never waits for another process, but raises
        ``StoreBusy`` when one is writing."""

    def rows(self, since: str) -> list[Tally]:
        """What there is from that day on, by day, mode and intent."""

    def clear(self) -> None:
        """Delete everything, also what cannot be read any more."""

    def close(self) -> None: ...


class Store(Protocol):
    """A place where documents are kept and found.

    The record is the truth; text and vector indexes follow it by themselves and can never make
    a write fail. Whatever ``apply`` has returned from, the next call of any process sees.
    All methods may be called from several threads.
    """

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        """Applies all changes durably in one transaction. Applying them again changes nothing.
        A dry run returns the receipt that it would have given, and changes nothing."""

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        """Returns the documents with this id, or else with this external id, that the filter
        lets through, newest first by time of writing; whole, or without their bodies."""

    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        """Returns the whole documents that have one of these handles, once for each handle, in
        the order in which they were first written."""

    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        """Returns a page of documents without their bodies, newest first by time of writing. A
        cursor is that of the page before, or ``@`` and the id of its last document. *dated* returns
        those that have a date instead, newest first by it, as one page."""

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        """Returns the passages with these keys or ids (``document:n``) in this order, each among
        so many neighbours *before* and *after* it in its document. Those that are gone are left
        out; documents come without their bodies."""

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        """Returns for each query the best passages by BM25 (k1 = 1.2, b = 0.75), filtered before
        they are scored. Several short queries take little longer than one."""

    def matched(
        self, words: Sequence[str], keys: Sequence[int], filter: Filter = EVERYTHING
    ) -> dict[int, set[str]]:
        """Returns which of the stemmed *words* the body of each of these passages has; they are
        within the wall of the filter."""

    def search_vector(
        self, model: str, near: Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        """Returns the nearest passages by cosine, filtered before the nearest are chosen: to a
        vector, or to the passage with this key. One that has no vector is near to none."""

    def history(self, id: str) -> list[Event]:
        """Returns what happened to a document, oldest first; it outlives the document."""

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        """Returns passages that have no vector of this model, newest first: key and the text to
        embed; those within the wall of the filter."""

    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        """Stores one vector a key and returns how many were stored: keys that are gone, or have
        a vector, are left out. *sentences* are the signs that go with each, empty for none."""

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        """Returns the signs of the sentences of these passages, as they were stored with their
        vectors; those that have none are left out."""

    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        """Counts what there is within the wall of the filter. Behind one, a source is named if
        anything of it is in sight, and tells its places if all of it is; what belongs to nobody in
        particular (the last change, tombstones, bytes, indexes) is left out."""

    def fingerprint(self, filter: Filter) -> str:
        """Returns a name for the state of everything that a query under this filter may see: it
        changes whenever any of that does, and with what lies outside the wall never."""

    def close(self) -> None:
        """Releases files and connections."""


class Sessions(Protocol):
    """The messages of sessions, read without loading whole documents."""

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        """Returns where each of these message ids is (*within* the document of this id, if one
        is given), in the document that was written first before others."""

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        """Returns at most *count* messages of a document, of these roles, from the turn *start*
        on, in order; a negative count goes backwards from there."""

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        """Counts a document's messages from *first* to *last* by role."""

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        """Returns documents by their last dated message, else by their date, newest first; those
        that have neither come last."""


class Answers(Protocol):
    """Answers that callers wrote. No search, list or count sees them, and keeping one leaves
    every fingerprint as it is."""

    def keep(self, answer: Recorded) -> None:
        """Keeps the answer, in place of any earlier one with its id."""

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        """Returns answers newest first: with this fingerprint, of this space, older than
        *before*, or all."""

    def drop(self, ids: Collection[str]) -> int:
        """Deletes these answers and returns how many there were."""


class Admin(Protocol):
    """What imports, transfers and whoever runs a store need."""

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        """Returns all documents of the source of this very name, newest first by time of
        writing; or only those that it no longer has."""

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        """Yields everything that is kept, as of one moment whoever writes meanwhile, one item in
        memory at a time: sources, documents in the order they were written first, tombstones,
        histories, answers. *after* is a cursor: it goes on behind that item, as of now."""

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        """Stores these as they are, with their passages, handles, vectors and times, in one
        transaction; no history is written but the one that is given. What is here already stays
        as it is unless it is to be *replaced*; what was forgotten here stays forgotten in any
        case. Loading it again changes nothing; what a dump holds, loaded into an empty store,
        makes one that cannot be told from the other but by its numbers and its fingerprint."""

    def check(self, *, full: bool = False) -> CheckReport:
        """Verifies that the record is sound and that the indexes agree with it: on samples, or
        all of it, every document against the hash that it was stored with. Changes nothing."""

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        """Brings the derived indexes up to date that serve searches within the wall of the filter,
        or makes all of them anew from the record."""

    def models(self) -> dict[str, int]:
        """Counts the vectors of each model that has any."""

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, Twin]:
        """Returns by key the vectors that these passages can be given without a model, with the
        signs of their sentences: those of passages with the same text to embed, of the same owner
        and in the same scopes, so that nobody learns of them. It reads the texts of all passages
        once."""

    def drop_vectors(self, model: str) -> int:
        """Deletes all vectors of this model and returns how many there were. Interrupted, it has
        deleted some, and goes on when it is called again."""

    def behind(self) -> ReplicaLag | None:
        """Returns how far behind the last write the last search may have been; None in a store
        where it never is."""


class StorageEngine(Store, Protocol):
    """A store with the optional ports that its engine has.

    An engine that inherits this class and lacks a port refuses with ``StoreError`` whatever
    needs it; the rest works.
    """

    @property
    def sessions(self) -> Sessions:
        raise StoreError(_LACKS.format("cannot read sessions turn by turn"))

    @property
    def answers(self) -> Answers:
        raise StoreError(_LACKS.format("keeps no recorded answers"))

    @property
    def admin(self) -> Admin:
        raise StoreError(_LACKS.format("cannot be imported into, transferred or maintained"))


_LACKS = "this store {}: its engine has no such port"


class CachedAnswer(NamedTuple):
    """An answer that was found earlier, as a cache keeps it."""

    key: str
    space: str
    asked: str
    """The key of the request (:meth:`Query.key`)."""
    question: str
    made: float
    """When the search for it began, in seconds since 1970."""
    lasts: float
    """For how many seconds it may be served, whatever else holds."""
    answer: str = ""
    """JSON."""


class PastRequest(NamedTuple):
    """A request that was made, by its key (:meth:`Query.key`)."""

    key: str
    question: str
    space: str
    """:meth:`Query.space`."""
    owner: str = ""
    sources: tuple[str, ...] | None = None
    """Those it was limited to."""
    confidence: float = 0.0
    """How sure the answer was."""
    model: str = ""
    vector: bytes = b""
    """Of its words, if one was made: float16, little-endian."""


class CacheStats(NamedTuple):
    entries: int = 0
    limit: int = 0
    bytes: int = 0
    oldest: float | None = None
    newest: float | None = None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class Cache(Protocol):
    """Answers that may be served again, the least recently used of which go first. It may lose
    anything at any time, and may fail: whoever asks does without it then. Methods may be called
    from several threads and never wait for another process."""

    def get(self, key: str) -> CachedAnswer | None:
        """The answer of this key; it counts as used."""

    def alike(self, space: str, *, limit: int) -> list[CachedAnswer]:
        """Answers of this space, last used first, without their bodies."""

    def put(self, kept: CachedAnswer) -> None:
        """Keep it in place of any other of its key, and drop what has expired or is too much."""

    def note(self, asked: PastRequest) -> None: ...

    def noted(self, keys: Collection[str]) -> dict[str, PastRequest]: ...

    def stats(self) -> CacheStats: ...

    def prune(self, now: float) -> int:
        """Drop what has expired; how many that was."""

    def clear(self) -> int:
        """Drop everything; how many answers that was."""

    def close(self) -> None: ...


def scanned_pages(store: Store, filter: Filter, *, size: int = 500) -> Iterator[Page]:
    """Yields the pages of a whole scan, one after the other."""
    page = store.scan(filter, limit=size)
    yield page
    while page.cursor:
        page = store.scan(filter, limit=size, cursor=page.cursor)
        yield page


def scanned(store: Store, filter: Filter, *, size: int = 500) -> Iterator[Document]:
    """Yields all documents that the filter lets through, newest first, without their bodies."""
    for page in scanned_pages(store, filter, size=size):
        yield from page.items
