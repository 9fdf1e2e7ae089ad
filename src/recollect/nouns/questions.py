"""A request, whole and resolved: text, filter, policy, and the query that an index understands."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Literal, get_args

from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns.documents import LOCAL, stable_id
from recollect.nouns.values import among, not_among

MAX_LIMIT = 1000

MAX_BUDGET = 10_000_000

MAX_REWRITES = 3

MAX_SHARE = 100.0

DOUBTFUL = 0.5
"""Below this probability that anything of it is stored, a little is shown."""

MAX_SECONDS = 600.0

Detail = Literal["auto", "snippet", "passage", "document"]


class View(NamedTuple):
    """A store as one owner, in some scopes, sees it; ``None`` is no wall of that kind.

    What lies outside is not there: it has no name, counts in no statistic, and shares no cache.
    """

    owner: str | None = None
    scopes: tuple[str, ...] | None = None

    @property
    def walled(self) -> bool:
        """Whether anything at all may lie outside."""
        return self != View()

    @property
    def key(self) -> str:
        """Names the view, the same on every machine."""
        return stable_id(repr(self))

    def sees(self, owner: str, scopes: Iterable[str]) -> bool:
        """Whether something of this owner, in these scopes, lies inside."""
        mine = self.owner is None or owner == self.owner
        return mine and (self.scopes is None or not set(self.scopes).isdisjoint(scopes))

    def narrowed(self, owner: str | None, scopes: Iterable[str] | None) -> "View":
        """Returns the part of it that is of this owner and in these scopes: never more than it."""
        if self.owner is not None and owner not in (None, self.owner):
            return self._replace(scopes=())  # nothing is of two owners
        wanted = self.scopes if scopes is None else tuple(sorted(set(scopes)))
        if self.scopes is not None and wanted is not None:
            wanted = tuple(among(wanted, self.scopes))
        return View(self.owner or owner, wanted)


class Filter(NamedTuple):
    """Hard limits on what may be seen, applied before anything is scored.

    ``None`` means no limit of that kind; an empty tuple lets nothing through. ``since`` is
    inclusive, ``until`` exclusive; something without a date passes neither.
    """

    owner: str | None = None
    scopes: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    issues: tuple[str, ...] | None = None
    events: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    within: View | None = None
    """The wall that the caller is behind. It is no limit of the caller's: it is never given up,
    what lies outside is not counted, and statistics are of what lies inside."""

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the limits that are set."""
        return tuple(name for name in self._fields[:-1] if getattr(self, name) is not None)

    @property
    def everything(self) -> bool:
        """Whether it lets everything through."""
        return not any(limit is not None for limit in self)

    @classmethod
    def relaxable(cls) -> tuple[str, ...]:
        """The limits that a caller may allow to be given up: those on what is looked for, never
        those on who may see it."""
        return tuple(not_among(cls._fields, ("owner", "scopes", "within")))

    def without(self, *names: str) -> "Filter":
        return self._replace(**dict.fromkeys(names))


class Window(NamedTuple):
    """A stretch of time that a question speaks of: ``since`` inclusive, ``until`` exclusive, both
    in the zone of who asks."""

    since: datetime | None
    until: datetime | None
    said: str
    """The words of it."""
    over: bool = False
    """Whether it had ended when the question was asked."""

    @property
    def days(self) -> str:
        """Its first day, and the one after its last."""
        return " to ".join(f"{day:%Y-%m-%d}" if day else "…" for day in (self.since, self.until))

    def has(self, moment: datetime | None, grace: timedelta = timedelta()) -> bool:
        """Whether the moment is in it, or less than *grace* after it. A date without a time, which
        is kept as midnight UTC, is that day wherever one is."""
        if moment is None or (self.since is not None and _beside(moment, self.since) < self.since):
            return False
        return self.until is None or _beside(moment, self.until) < self.until + grace

    @property
    def reach(self) -> tuple[datetime | None, datetime | None]:
        """The moments between which everything is that it has, in UTC: of dates without a time it
        is up to a day more."""
        return _reached(self.since, min), _reached(self.until, max)


def _beside(moment: datetime, edge: datetime) -> datetime:
    """Returns a moment as it compares with one of another zone: a date without a time is the same
    day there."""
    is_day = moment.astimezone(UTC).time() == time.min
    return moment.astimezone(UTC).replace(tzinfo=edge.tzinfo) if is_day else moment


def _reached(
    edge: datetime | None, furthest: Callable[[datetime, datetime], datetime]
) -> datetime | None:
    return edge and furthest(edge.astimezone(UTC), edge.replace(tzinfo=UTC))


TimeKind = Literal[
    "none",
    "first",
    "last",
    "state",
    "leave-off",
    "since",
    "before",
    "after",
    "in-period",
    "how-often",
    "when",
]

Order = Literal["relevance", "newest", "oldest"]

ORDERS: Mapping[TimeKind, Order] = {
    "none": "relevance",
    "first": "oldest",
    "last": "newest",
    "state": "newest",
    "leave-off": "newest",
    "since": "oldest",
    "before": "newest",
    "after": "oldest",
    "in-period": "relevance",
    "how-often": "newest",
    "when": "relevance",
}
"""In which order each kind of question wants what is relevant."""


class TimeRoute(NamedTuple):
    """What a question asks of time."""

    kind: TimeKind = "none"
    order: Order = "relevance"
    """Of what speaks of the topic."""
    topic: str = ""
    """What has to be spoken of; empty where it is nothing in particular."""
    event: str = ""
    """What it was before or after."""
    said: str = ""
    """The words that told."""
    ours: bool = False
    """Whether it is what *we* said or did: sessions answer it before notes."""
    soft: bool = False
    """Whether it may as well be another question, or names a period without dates: then time has
    no say in what is found."""

    @property
    def ordered(self) -> bool:
        """Whether time has a say in what is found."""
        named = self.kind not in ("none", "when") and bool(self.topic or self.event)
        return named or self.listed or self.order != "relevance"

    @property
    def past(self) -> bool:
        """Whether it asks for what was, which a fact in force does not tell."""
        return self.kind not in ("none", "state", "when") and not self.soft

    @property
    def listed(self) -> bool:
        """Whether time alone says what is found: no topic is named."""
        return not self.topic and not self.soft and self.kind in _LISTED


_LISTED = ("first", "last", "state", "leave-off", "before", "after", "in-period")


class Policy(NamedTuple):
    """Every tunable of the read path.

    A mode is a preset; an experiment is ``policy._replace(…)``. Evaluation and production run
    the same function on such a value, so that a variant cannot behave differently in the two.
    """

    mode: str
    limit: int
    """The most results an answer may have."""
    budget: int | None
    """The most tokens the results may take together; None is no cap."""
    named: int = 15
    """The most documents that are named, a line each, beside what is shown."""
    by: Literal["hybrid", "keyword", "semantic"] = "hybrid"
    """Which arms may search."""
    pool: int = 100
    """How many passages each arm brings before fusion."""
    lexical_weight: float = 1.0
    """What a passage with all the words of the question gains, about."""
    vector_weight: float = 4.5
    """What a cosine of one more adds to that."""
    title_weight: float = 0.25
    foreign_weight: float = 0.3
    """What the vector arm weighs at most in a language that the model has not learned."""
    recency: float | None = None
    """0 is by relevance alone, 1 newest first among what was found; None is 0, or *newest* when
    the question asks for the latest."""
    newest: float = 0.1
    rerank: int = 20
    """How many of the best the reranker reads; 0 is none."""
    window_weight: float = 1.0
    """What the arm weighs that looks only at the time named in the question ("last March"); 0
    is none, and then the time does not count at all."""
    hop: bool = True
    """Whether an open question gets one more search for what its first hits name."""
    share: float = 0.9
    """The most tokens that are shown, as a share of what the ten best passages would cost whole."""
    worth_span: float = 0.008
    """The least probability of a sentence that is shown beside one that is certain; where the best
    is less likely, it is less by the square root of that."""
    cut: bool = True
    """Whether the grades decide how many results are kept; else the limit and budget do."""
    keep: float = 0.2
    """The least probability that anything about what is asked is stored. Below it nothing is shown,
    and below one half only a little, unless something has all the words of the question or what it
    quotes, or words are all there is to go by."""
    worth: float = 0.0001
    """The least probability of what is shown or named, as a share of the answer's."""
    escalate: float = 0.6
    """Below this grade there is one rewritten and wider pass; 0 is never."""
    wider: int = 3
    """How many times as many passages each arm brings in the second pass."""
    min_confidence: float = 0.0
    """Results below it are left out, whatever the cut would keep."""
    direct_confidence: float = 0.6
    """From here on an answer is served as it stands; below it needs synthesis."""
    facts: bool = True
    """Whether facts that the question names are the answer, before anything is searched."""
    fact_confidence: float = 0.6
    """The least probability of a fact that is not named and answers by its content."""
    detail: Detail = "auto"
    """How much of each result is sent: a marked snippet, the passage, or the document.
    ``auto`` is a snippet of records and the passage of everything else."""
    reranker: str | None = None
    """The reranker of this search, named as ``rerank.model`` is; None is the configured one."""
    expand: int = 0
    """How many rewrites of a question that is graded below *direct_confidence* the language model
    may be asked for, at most 3, all in one call; 0 is none."""
    hyde: bool = False
    """Whether it also writes, in that call, a passage as the answer might read, to look for what is
    near it in meaning (Gao et al., 2023)."""
    expand_seconds: float = 4.0
    """For which a search waits for that."""
    think: bool = False
    """Whether the language model writes an answer from what was found, where that is graded below
    *direct_confidence*."""
    think_seconds: float = 20.0

    def doubts(self, answerable: float) -> bool:
        """Whether it is doubtful at this probability that anything of it is stored, though
        something is shown: then a little is."""
        return answerable < max(DOUBTFUL, self.keep)

    def check(self) -> None:
        """Refuses values that no search could honour."""
        for name, least, most, hint in _BOUNDS:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                unit = " tokens" if name == "budget" else ""
                raise UsageError(f"{name} is {value}{unit}", hint=hint)
        if self.by not in ("hybrid", "keyword", "semantic"):
            hint = "search by hybrid, keyword or semantic"
            raise UsageError(f"there is no search by {self.by!r}", hint=hint)
        if self.detail not in get_args(Detail):
            hint = "auto, snippet, passage or document"
            raise UsageError(f"there is no detail {self.detail!r}", hint=hint)


_SHARES = ("recency newest min_confidence keep worth worth_span escalate direct_confidence").split()
_SECONDS = f"give more than 0 and at most {MAX_SECONDS:g}"
_BOUNDS: tuple[tuple[str, float, float, str], ...] = (
    ("limit", 1, MAX_LIMIT, f"ask for 1 to {MAX_LIMIT} results"),
    (
        "budget",
        1,
        MAX_BUDGET,
        f"give 1 to {MAX_BUDGET}, or leave it out for the mode's own",
    ),
    ("named", 0, MAX_LIMIT, f"name 0 to {MAX_LIMIT} documents"),
    ("share", 0.01, MAX_SHARE, f"give a number from 0.01 to {MAX_SHARE:g}"),
    *((name, 0, 1, "give a number from 0 to 1") for name in _SHARES),
    ("expand", 0, MAX_REWRITES, f"give 0 to {MAX_REWRITES} rewrites"),
    ("expand_seconds", 1e-9, MAX_SECONDS, _SECONDS),
    ("think_seconds", 1e-9, MAX_SECONDS, _SECONDS),
)
"""What each knob may be, and what to say where it is something else."""


class Query(NamedTuple):
    """The whole resolved request: what goes down the stack instead of sixteen parameters."""

    text: str
    filter: Filter
    policy: Policy
    window: Window | None = None
    """The time that the text speaks of, resolved when the question was asked."""
    as_of: datetime | None = None
    """The time whose facts are asked for; None is now."""
    relax: tuple[str, ...] = ()
    """Limits that may be given up when too little is found under them."""
    time: TimeRoute = TimeRoute()
    """What the text asks of time, read when the question was asked."""
    asker: str = LOCAL
    """Whose facts are meant where the filter names no owner."""

    @property
    def holder(self) -> str:
        """The owner whose facts are meant."""
        return self.filter.owner or self.asker

    def key(self) -> str:
        """A name for the request made from every field of it, so that a new field changes it."""
        return stable_id(repr(self))

    def space(self) -> str:
        """A name for all of it but the words."""
        window = self.window and self.window._replace(said="")
        time = self.time._replace(topic="", event="", said="")
        return self._replace(text="", window=window, time=time).key()


class Clause(NamedTuple):
    """One condition on a passage's words: a stemmed word, the beginning of one as written, or
    words as written in a row."""

    kind: Literal["word", "prefix", "phrase"]
    terms: tuple[str, ...]

    @property
    def term(self) -> str:
        return self.terms[0]


def words(terms: Iterable[str]) -> tuple[Clause, ...]:
    return tuple(Clause("word", (term,)) for term in terms)


class TextQuery(NamedTuple):
    """What the text index is asked.

    ``any`` (words and prefixes) is scored, and all of it must match when ``strict``; ``must``
    and ``never`` are conditions. ``field`` says where words are looked for: in the ``body``
    (title, headings and text of a passage) or in the ``title`` (and path) alone.
    """

    any: tuple[Clause, ...] = ()
    must: tuple[Clause, ...] = ()
    never: tuple[Clause, ...] = ()
    strict: bool = False
    field: Literal["body", "title"] = "body"
