"""Words that say what is wanted of a thing, and not which thing is meant: "how much", "how high",
"what day"."""

from __future__ import annotations

from functools import cache

from recollect.text.terms import stems

_WANTED = """
many much often long old far big large tall high wide deep heavy fast time day days date week month
year hour minute number amount version kind sort type size name called get got go goes take takes
have need must happen happens do viele viel oft lange alt hoch groß weit breit tief schwer schnell
uhr tag tage datum woche monat jahr stunde nummer größe heißt muss mucho muchos cuánto cuántos alto
alta hora día días fecha mes año número combien
"""


@cache
def wanted() -> frozenset[str]:
    """Returns these words, stemmed as the index stems them."""
    return frozenset(stems(_WANTED))
