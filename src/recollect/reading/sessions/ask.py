"""The one entry: a request, answered in its shape."""

from __future__ import annotations

from recollect.ports import Store
from recollect.reading.attempt import Models
from recollect.reading.sessions.request import Request
from recollect.reading.sessions.results import SessionsAnswer
from recollect.reading.sessions.visibility import Visible


def ask(request: Request, store: Store, models: Models) -> SessionsAnswer:
    visible = Visible(store, request)
    if request.shape == "discovery":
        from recollect.reading.sessions.discover import discover

        return discover(request, visible, models)
    if request.shape == "scroll":
        from recollect.reading.sessions.scroll import scroll

        return scroll(request, visible)
    if request.shape == "read":
        from recollect.reading.sessions.read import read

        return read(request, visible)
    from recollect.reading.sessions.browse import browse

    return browse(request, visible)
