"""A conversation by its two ends: how it begins, and how it ends."""

from __future__ import annotations

from recollect.reading.sessions.caps import Excerpt, fitted
from recollect.reading.sessions.request import REWOUND, SessionsRequest
from recollect.reading.sessions.results import SessionRead
from recollect.reading.sessions.visibility import END, Visible
from recollect.reading.sessions.windows import names

FIRST = 20
LAST = 10


def read(request: SessionsRequest, visible: Visible) -> SessionRead:
    session = visible.session(request.session)
    first = visible.messages(session.id, 0, FIRST)
    after = first[-1].turn if first else -1
    last = [t for t in visible.messages(session.id, END, -LAST) if t.turn > after]
    named = names(visible, session.id, [*first, *last])
    shown = fitted([Excerpt(named[t.turn], t) for t in (*first, *last)])
    tally = visible.store.sessions.tally(session.id, last=visible.end(session.id) - 1)
    total = sum(count for role, count in tally.items() if role in visible.roles)
    hidden = visible.unseen(session.id, 0, END - 1, total)
    dropped = session.meta.get("rewound")
    if isinstance(dropped, int) and dropped:  # what its reader has left out already
        hidden[REWOUND] = hidden.get(REWOUND, 0) + dropped
    return SessionRead(
        visible.named(session),
        tuple(shown[: len(first)]),
        tuple(shown[len(first) :]),
        total,
        total - len(shown),
        hidden,
        (*request.notes, *visible.notes),
    )
