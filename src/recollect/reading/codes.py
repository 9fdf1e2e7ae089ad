"""Codes such as ``HAM2``: the number in one is no word of the question.

The index has a code as a whole and in parts, so that "python3" finds "python 3". By itself the "2"
of "HAM2" is in every list with two items.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain

from recollect.named_tuple import NamedTuple
from recollect.nouns import Clause, TextQuery, words
from recollect.reading.pool import Pass
from recollect.text.terms import chunks, query_terms

_CODE = re.compile(r"[^\W\d_]+\d+")
SMALL = 2
"""Digits of a number that is in any text; a longer one tells something by itself."""


class _Code(NamedTuple):
    """Letters with a number behind them, as it is typed and in parts."""

    whole: str
    parts: tuple[str, ...]

    @property
    def numbers(self) -> set[str]:
        return {part for part in self.parts if part.isdigit() and len(part) <= SMALL}


def without_numbers(asked: Pass) -> Pass:
    """Returns the pass without the small numbers of codes, save of one that what is stored has in
    parts alone."""
    every = [query_terms(chunk)[1] for chunk in chunks(asked.parsed.prose)]
    codes = [_Code(terms[0], terms[1:]) for terms in every if _is_code(terms)]
    if not codes:
        return asked
    typed = {terms[0] for terms in every if terms}
    numbers = set(chain.from_iterable(code.numbers for code in codes)) - typed
    numbers -= set(chain.from_iterable(code.numbers for code in codes if _is_parted(code, asked)))
    return _without(numbers, asked)


def _is_code(terms: tuple[str, ...]) -> bool:
    return len(terms) > 1 and _CODE.fullmatch(terms[0]) is not None


def _is_parted(code: _Code, asked: Pass) -> bool:
    """Whether something has the parts in a row, and nothing has the whole."""
    if len(code.parts) == 1:
        return False
    row = TextQuery(any=words(code.parts), must=(Clause("phrase", code.parts),))
    queries = [TextQuery(any=words([code.whole])), row]
    whole, parted = asked.view.search_text(queries, asked.filter, limit=1)
    return bool(parted.hits) and not whole.hits


def _without(numbers: Collection[str], asked: Pass) -> Pass:
    parsed, dropped = asked.parsed, {*words(numbers)}
    text = parsed.text._replace(any=tuple(one for one in parsed.text.any if one not in dropped))
    content = tuple(word for word in parsed.content if word not in numbers)
    return asked._replace(parsed=parsed._replace(text=text, content=content))
