"""Whether a statement answers a question that was open, or says that a task is done.

A question is closed where the statement has every word that tells what is asked, has a value of the
kind that is asked for, is near in meaning, and is neither a plan, a wish nor about the debate. A
task is closed by what says of the same thing that it was done. Without a model nothing is closed: a
question that is told though it was answered is seen by whoever reads it, one that is lost is not.
"""

from __future__ import annotations

import re

from recollect.text import guard
from recollect.text.pairs import Judge
from recollect.text.statements.in_force import is_idle, is_proposed
from recollect.text.terms import fold

NEAR = 0.82
"""The least cosine of what was open and what closes it."""
_DEBATES = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|discuss\w*|compar\w+|evaluat\w+|consider\w*|debat\w+|postpon\w+"
    r"|propos\w+|investigat\w+|clarif\w+|check(?:s|ed|ing)?|look(?:s|ed|ing)? (?:in)?to"
    r"|next (?:week|month|time)|whether|still|open|maybe|perhaps|probably|would|could|might"
    r"|diskut\w+|klar(?:en|t)|pruf\w+|vielleicht|noch|offen|discut\w+|quiza\w*|peut-etre)\b"
)
"""What is said of a question without answering it."""
_DONE = re.compile(
    r"\b(?:done|finished|completed|closed|merged|shipped|fixed"
    r"|(?:has|have|was|were|is|are) (?:now |been )*"
    r"(?:\w+ed|sent|set up|made|written|built|bought|paid|put)"
    r"|erledigt|fertig|abgeschlossen|hecho|terminad[oa]|fait|termine)\b"
)


def answers(question: str, statement: str, judge: Judge | None) -> bool:
    """Whether a statement answers a question, or says what was not decided."""
    told = guard.is_all_in(question, statement) and guard.gives_what_is_asked(question, statement)
    return told and _settles(question, statement, judge)


def is_done(task: str, statement: str, judge: Judge | None) -> bool:
    """Whether a statement says that a task is done, by whomever and whenever."""
    if _DONE.search(fold(task)) or not _DONE.search(fold(statement)) or guard.denies(statement):
        return False
    doer, days = task.split(" ", 1)[0], guard.days(task)
    told = guard.is_all_in(task, statement, {fold(doer), *days})
    return told and _settles(task, statement, judge)


def _settles(what: str, statement: str, judge: Judge | None) -> bool:
    if judge is None or _DEBATES.search(fold(statement)):
        return False
    if is_idle(statement) or is_proposed(statement):
        return False
    return judge([(what, statement)])[0].cosine >= NEAR
