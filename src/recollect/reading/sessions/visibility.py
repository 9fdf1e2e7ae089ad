"""What of the stored sessions may be seen: the one predicate behind discovery, windows, bookends,
scroll, read and browse.

Seen is a message
- of a session that the caller's filter lets through,
- whose role was asked for (the user and the assistant, unless told otherwise); one that was
  rewound is never seen,
- and which the caller has not got already. Of the caller's live session only what stands before
  its last compaction is seen: the rest is in the caller's own context.

A subagent's run is seen, but stands behind the conversation that started it; so is a session
without a human, but it stands behind all others. What is hidden is counted by its reason.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from recollect.errors import NotFound, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter, Hit, Policy, TextQuery, filled, first_words
from recollect.ports import StorageEngine, TextResult, Turn, VectorResult
from recollect.reading.sessions.lineage import Lineages
from recollect.reading.sessions.request import REWOUND, SessionsRequest
from recollect.reading.sessions.results import SessionName

LIVE = "live session"
EXCLUDED = "excluded"
LINEAGE = "same lineage"
AUTOMATION = "automation"
ROLES = "roles"
END = sys.maxsize
_UNATTENDED = frozenset({"cron", "tool", "scheduled", "heartbeat"})
"""What clients call the sessions that no human began."""


class Visible:
    """The predicate, for one request."""

    def __init__(self, store: StorageEngine, request: SessionsRequest) -> None:
        self.store = store
        self.roles = request.roles
        self.filter = request.filter
        self.anywhen = request.filter._replace(since=None, until=None, roles=None)
        """Where sessions are looked up by name: dates limit a search, not a session."""
        self.lineages = Lineages(store, self.anywhen)
        self._ends: dict[str, int] = {}
        """For each session that is not seen wholly, its first turn that is not."""
        self._reasons: dict[str, str] = {}
        self.notes: list[str] = []
        for name in request.exclude:
            self._hide(name, EXCLUDED)
        if request.live:
            self._hide(request.live, LIVE)

    def _hide(self, name: str, reason: str) -> None:
        found = self.store.get(name, self.anywhen, body=False)
        if not found and reason == EXCLUDED:
            self.notes.append(f"there is no session {name!r} to exclude")
        for document in found:
            end = 0
            if reason == LIVE:
                summed = self.store.sessions.turns(
                    document.id, start=END, count=-1, roles=("summary",)
                )
                end = summed[0].turn if summed else 0
            self._ends[document.id] = min(end, self._ends.get(document.id, END))
            self._reasons.setdefault(document.id, reason)

    # -------------------------------------------------------------- sessions

    def session(self, name: str) -> Document:
        """The session of this name, or of the passage of this id, if it may be seen."""
        found = self.store.get(name, self.anywhen, body=False)
        found = found or self.store.get(name.rpartition(":")[0], self.anywhen, body=False)
        if not found:
            raise NotFound(
                f"there is no session {name!r}", hint="`recollect sessions` lists the recent ones"
            )
        if len(found) > 1:
            ids = ", ".join(f"{d.id} (in {d.source})" for d in found[:5])
            raise UsageError(
                f"{name!r} names {len(found)} sessions: {ids}",
                hint="give the id of the one that is meant",
            )
        if self.end(found[0].id) == 0:
            raise UsageError(
                f"{name!r} is the live session: all of it is in your context",
                hint="leave live_session out to see it all the same",
            )
        return found[0]

    def named(self, document: Document, goal: str | None = None) -> SessionName:
        """What is said of a session with whatever is shown of it. Its *goal*, what its user said
        first, is looked up if it is not given and there is no title."""
        root = self.lineages.root(document).document
        parent = "" if root is None or root.id == document.id else self.lineages.name(root)
        about = document.meta
        return SessionName(
            self.lineages.name(document),
            document.title or first_words(self._opening(document.id) if goal is None else goal),
            document.date,
            document.source,
            str(about.get("folder") or ""),
            str(about.get("relation") or ""),
            parent,
            is_automated(document),
        )

    def _opening(self, id: str) -> str:
        """Returns what the user of a session said first, where that may be seen."""
        heard = ("user",) if "user" in self.roles else ()
        said = self.messages(id, 0, 1, heard) if heard else []
        return said[0].message.text if said else ""

    # -------------------------------------------------------------- messages

    def end(self, id: str) -> int:
        """The first turn of a session that is not seen, whatever its role."""
        return self._ends.get(id, END)

    def messages(
        self, id: str, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        """At most *count* messages that may be seen, from the turn *start* on; backwards if it is
        negative. *roles* may name fewer than are seen."""
        end = self.end(id)
        if start >= end and count > 0:
            return []
        wanted = self.roles if roles is None else roles
        found = self.store.sessions.turns(id, start=min(start, end - 1), count=count, roles=wanted)
        return [one for one in found if one.turn < end]

    def unseen(self, id: str, first: int, last: int, shown: int) -> dict[str, int]:
        """Of the messages from *first* to *last*, of which so many are *shown*: how many are
        hidden, by reason."""
        end = self.end(id)
        tally = self.store.sessions.tally(id, first=first, last=min(last, end - 1))
        rewound = tally.pop(REWOUND, 0)
        late = (
            sum(self.store.sessions.tally(id, first=end, last=last).values()) if last >= end else 0
        )
        counts = {
            REWOUND: rewound,
            ROLES: max(0, sum(tally.values()) - shown),
            self._reasons.get(id, LIVE): late,
        }
        return filled(counts)

    # -------------------------------------------------------------- searching

    def reason(self, id: str, turn: int) -> str:
        """Why a message that passes the filter is not seen; empty if it is."""
        return self._reasons[id] if turn >= self.end(id) else ""


def is_automated(document: Document) -> bool:
    """Whether no human took part, by what its client says of it or its reader found."""
    about = document.meta
    if about.get("relation") == "subagent":
        return False
    named = {about.get("source"), about.get("type")}
    return bool(about.get("unattended")) or not _UNATTENDED.isdisjoint(filter(None, named))


def is_subagent(document: Document) -> bool:
    return document.meta.get("relation") == "subagent"


F = TypeVar("F", TextResult, VectorResult)
_DEEPER = 4
_DEEPEST = 6_400
_SPREAD = 16
"""So many times the pool is looked at to find enough conversations in it."""
_RUNS = 3
"""Sessions of one lineage that a subagent's run may stand behind and still be found."""
_MANY = 500


class _Session(NamedTuple):
    """What of a document decides whether a hit in it is seen."""

    id: str
    lineage: str
    subagent: bool
    end: int


class SeenStore:
    """A store in which only what may be seen is found: what is hidden takes nobody's place among
    the best, and neither do the many messages of one session or the many runs of one lineage.
    Everything but searching is the store's own."""

    def __init__(self, visible: Visible, policy: Policy, lineages: int) -> None:
        self._visible = visible
        self._store = visible.store
        self._arms = (policy.pool, policy.wider * policy.pool)
        self._wanted = lineages
        self._sessions: dict[int, _Session] = {}
        self._turns: dict[int, int] = {}
        self._hidden: dict[int, str] = {}

    @classmethod
    def over(
        cls, visible: Visible, policy: Policy, lineages: int
    ) -> tuple[StorageEngine, SeenStore]:
        """One whose arms, which bring the policy's pool of passages each, bring so many lineages
        as well if there are as many."""
        made = cls(visible, policy, lineages)
        return cast(StorageEngine, made), made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def hidden(self) -> Mapping[str, int]:
        """How many of the messages that were found are hidden, by reason."""
        return Counter(self._hidden.values())

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        def one(query: TextQuery) -> TextResult:
            return self._enough(
                lambda most: self._store.search_text([query], filter, limit=most, count=count)[0],
                limit,
            )

        return [one(query) for query in queries]

    def search_vector(self, model: str, vector: Any, filter: Filter, *, limit: int) -> VectorResult:
        return self._enough(
            lambda most: self._store.search_vector(model, vector, filter, limit=most), limit
        )

    def _enough(self, search: Callable[[int], F], limit: int) -> F:
        """The best that may be seen; of an arm, also the best of further conversations."""
        most, arm = limit, limit in self._arms
        while True:
            found = search(most)
            kept, lineages = self._seen(found.hits)
            short = len(kept) < limit and most < _DEEPEST
            narrow = arm and lineages < self._wanted and most < _SPREAD * limit
            if len(found.hits) < most or not (short or narrow):
                break
            most *= _DEEPER
        shown = {hit.document for hit in kept[:limit]}
        further = {h.document: h for h in reversed(kept[limit:]) if h.document not in shown}
        more = [h for h in kept[limit:] if further.get(h.document) is h] if arm else []
        return found._replace(hits=kept[:limit] + more)

    def _seen(self, hits: list[Hit]) -> tuple[list[Hit], int]:
        """What of it may be seen, and of how many lineages that is."""
        self._look_up(hits)
        kept: list[Hit] = []
        runs: dict[str, set[int]] = {}
        for hit in hits:
            session = self._sessions.get(hit.document)
            if session is None:  # gone since
                continue
            found = runs.setdefault(session.lineage, set())
            crowded = session.subagent and len(found - {hit.document}) >= _RUNS
            reason = self._reason(session, hit) or (LINEAGE if crowded else "")
            if reason:
                self._hidden[hit.passage] = reason
            else:
                found.add(hit.document)
                kept.append(hit)
        return kept, sum(map(bool, runs.values()))

    def _reason(self, session: _Session, hit: Hit) -> str:
        """Why a passage of a session may not be seen; empty where it may."""
        if session.end == END:
            return ""
        return self._visible.reason(session.id, self._turns.get(hit.passage, 0))

    def _look_up(self, hits: list[Hit]) -> None:
        """Looks up the sessions of the passages, and their turns where a limit of turns decides."""
        new = {h.passage: h.document for h in hits if h.document not in self._sessions}
        one_each = {document: passage for passage, document in new.items()}
        for stored in self._store.passages(list(one_each.values())) if new else ():
            document = stored.document
            self._sessions[new[stored.key]] = _Session(
                document.id,
                self._visible.lineages.root(document).key,
                is_subagent(document),
                self._visible.end(document.id),
            )
        partly = [
            h.passage
            for h in hits
            if h.passage not in self._turns
            and (session := self._sessions.get(h.document))
            and 0 < session.end < END
        ]
        for at in range(0, len(partly), _MANY):
            for stored in self._store.passages(partly[at : at + _MANY]):
                self._turns[stored.key] = stored.passage.turn
