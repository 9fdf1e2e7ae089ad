"""Whether a question asks for an overview ("what's our stack?", "any open questions?") rather than
for something: then no single fact answers it, whatever words it shares."""

from __future__ import annotations

from recollect.text.keys import words
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, stem

_KINDS = frozenset(
    stem(fold(word))
    for word in """
question decision preference fact note thing tool stack setup project work task topic overview
summary status plan priority rule convention habit opinion expertise skill memory context stuff
everything anything something summarize summarise recap remember unresolved pending open current
frage entscheidung vorliebe werkzeug projekt aufgabe thema überblick stand plan regel alles offen
pregunta decisión preferencia herramienta proyecto tarea tema resumen estado regla todo abierta
""".split()
)


_DONE = frozenset(stem(word) for word in ("work", "plan", "open", "remember"))
"""Those that are verbs as well: "where does Tomas work?" asks for something."""


def is_overview(question: str) -> bool:
    """Whether it names a kind of thing, and next to nothing besides: one word at most, and no
    name."""
    found = [(stem(word.folded), word.written) for word in words(question)]
    content = [pair for pair in found if pair[0] not in stopwords() and not pair[0].isdigit()]
    others = [written for key, written in content if key not in _KINDS]
    if not others:
        return len(content) <= 4
    kinds = {key for key, _ in content} & _KINDS - _DONE
    return bool(kinds) and len(others) == 1 and len(content) <= 4 and not others[0][0].isupper()
