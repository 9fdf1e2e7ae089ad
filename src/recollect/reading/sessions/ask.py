"""The one entry: a request, answered in its shape."""

from __future__ import annotations

from recollect.ports import StorageEngine
from recollect.reading.pool import Models
from recollect.reading.sessions import browse, discover, read, scroll
from recollect.reading.sessions.request import SessionsRequest
from recollect.reading.sessions.results import SessionsAnswer
from recollect.reading.sessions.visibility import Visible


def ask(request: SessionsRequest, store: StorageEngine, models: Models) -> SessionsAnswer:
    """Answers a request for past conversations in the shape that it asks for."""
    visible = Visible(store, request)
    if request.shape == "discovery":
        return discover.discover(request, visible, models)
    if request.shape == "scroll":
        return scroll.scroll(request, visible)
    if request.shape == "read":
        return read.read(request, visible)
    return browse.browse(request, visible)
