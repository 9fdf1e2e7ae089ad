"""Whether a question asks for an overview ("what's our stack?", "any open questions?") rather than
for something: then no single fact answers it, whatever words it shares."""

from __future__ import annotations

from recollect.nouns import not_among
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


def is_overview(question: str) -> bool:
    """Whether it names a kind of thing, and next to nothing besides."""
    content = [one for one in _stems(question) if one not in stopwords() and not one.isdigit()]
    others = list(not_among(content, _KINDS))
    named = len(others) < len(content) <= 4
    return not content or (named and len(others) <= 1)


def _stems(text: str) -> list[str]:
    return [stem(word.folded) for word in words(text)]
