"""What the record hands to the rest of the engine: plain rows, with labels as numbers."""

from recollect.named_tuple import NamedTuple


class RecordState(NamedTuple):
    epoch: str
    seq: int
    generation: int
    passages: int
    characters: int


class LabelFilter(NamedTuple):
    """A filter in the record's own numbers. ``None`` is no limit; an empty set is nothing."""

    owner: frozenset[int] | None = None
    scopes: frozenset[int] | None = None
    source: frozenset[int] | None = None
    kind: frozenset[int] | None = None
    role: frozenset[int] | None = None
    issue: frozenset[int] | None = None
    event: frozenset[int] | None = None
    since: int | None = None
    until: int | None = None
    paths: tuple[str, ...] | None = None

    @property
    def labels(self) -> tuple[frozenset[int] | None, ...]:
        """The limits on labels, in the order in which rows have them."""
        return self[:7]

    @property
    def nothing(self) -> bool:
        return any(s is not None and not s for s in (*self.labels, self.paths))

    def has_date(self, date: int | None) -> bool:
        """Whether the limits on the date let it through; no date passes none."""
        if date is None:
            return self.since is None and self.until is None
        return (self.since is None or date >= self.since) and (
            self.until is None or date < self.until
        )

    @property
    def everything(self) -> bool:
        return self == LabelFilter()


class Row(NamedTuple):
    """A passage as the indexes want it: its text, and its labels."""

    key: int
    document: int
    title: str
    path: str
    heading: str
    text: str
    owner: int
    scopes: int
    source: int
    kind: int
    role: int
    issue: int
    event: int
    date: int | None

    @property
    def labels(self) -> tuple[int, ...]:
        return self[6:13]


class VectorRow(NamedTuple):
    seq: int
    passage: int
    document: int
    owner: int
    scopes: int
    source: int
    kind: int
    role: int
    issue: int
    event: int
    date: int | None
    vector: bytes

    @property
    def labels(self) -> tuple[int, ...]:
        return self[3:10]
