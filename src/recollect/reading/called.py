"""What a document is called wherever it is shown: by its title, a session without one by what its
user said first."""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.nouns import Document, StoredPassage, first_words
from recollect.ports import Store

FIRST = 4
"""The first passages of a session, of which one is the user's."""


def called(document: Document, view: Store, shows: Callable[[StoredPassage], bool]) -> str:
    """Returns the title of a document, or that which is made of the first words of its user, where
    these may be seen; empty if there is neither."""
    if document.title or document.kind != "session":
        return document.title
    first = view.passages([f"{document.id}:0"], after=FIRST)
    said = (one.passage.text for one in first if one.passage.role == "user" and shows(one))
    return first_words(next((text for text in said if re.search(r"\w", text)), ""))
