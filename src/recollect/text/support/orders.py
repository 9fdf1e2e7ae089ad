"""Whether a text tells a model what to do: such a text is no evidence of anything.

By its wording, in the languages of the table: who reads and answers is addressed ("assistant,",
"if you are a language model", "agents that read this file"), or is told what to do with its
instructions, its answer, its memory, its sources, its tools or the settings; or roles of a chat are
written into the text. A disguise of the letters does not help: the text is read without it. Orders
to people ("use tabs", "agents run the tests first", "the user must confirm") are not meant. What
users say to their own assistant, by its name and about its answers ("from now on, answer in
German"), is their wish. Wording that is in no table is not found: what holds then is that nothing a
model says is more than text.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from recollect.text.terms import fold

ORDERS, WISHES = ("orders.txt",), ("wishes.txt",)
"""Files with a pattern a row, of folded text; how answers are to be, a user may wish."""


_ADDRESS = re.compile(
    r"^(\W*)(?:(?:hey|hi|dear|please) )?(?:assistants?|assistent|asistente|assistente|asystencie"
    r"|claude|chatgpt|copilot|gemini|ai)\s?,\s*",
    re.IGNORECASE | re.MULTILINE,
)


def without_address(text: str) -> str:
    """The text without whom a line of it speaks to: what a user says to an assistant ("Assistant,
    please remember that …") is said by the user."""
    return _ADDRESS.sub(r"\1", text)


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    files = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)
    rows = filter(None, "\n".join(files).splitlines())
    plain = (re.sub(r"[^\x00-\x7f]+", lambda match: fold(match[0]), row) for row in rows)
    # No row begins within a word of Latin letters, and none is tried there.
    return re.compile(rf"(?!(?<=\w)[a-z0-9_])(?:{'|'.join(plain)})", re.DOTALL | re.MULTILINE)


_ROLE = re.compile(r"^\W*(?:SYSTEM|SYSTÈME|SISTEMA|СИСТЕМА)\s?:", re.MULTILINE)
"""A role of a chat; "System: Debian" is a row of a note."""


_HIDDEN = dict.fromkeys(
    map(ord, "\u00ad\u034f\u061c\u115f\u180e\u2060\u2061\u2062\u2063\u2064\ufeff")
)
_HIDDEN |= dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0xE0000, 0xE0080)))
"""Characters that nothing is seen of; they may stand inside a word."""
_TWINS = str.maketrans("аеорсухіјѕԁһοαεικνρτυ", "aeopcyxijsdhoaeiknptu")
"""Letters of other alphabets that look like ours,"""
_MIXED = re.compile(r"\b(?=\w*[a-z])(?=\w*[а-яіјѕԁһα-ω])\w+")
_LEET = re.compile(r"(?<=[a-z])[013457@$]|[013457@$](?=[a-z])")
_DIGITS = str.maketrans("013457@$", "oieastas")
"""and digits that stand for letters."""
_APART = re.compile(r"\b\w(?:[ .*_-]\w){3,}\b")


@lru_cache(maxsize=4096)
def is_order(text: str, *, by_user: bool = False) -> bool:
    """Whether the text has an order to a model in it, which is no wish of the user who speaks."""
    text = without_address(text) if by_user else text
    tables = ORDERS if by_user else ORDERS + WISHES
    if _ROLE.search(text) is not None:
        return True
    shown = fold(text.translate(_HIDDEN)).replace("’", "'")
    return any(_pattern(tables).search(reading) for reading in {shown, _plain(shown)})


def _plain(text: str) -> str:
    """A folded text without the disguise of its words: letters of two alphabets, digits for
    letters, letters apart, and what parts words in the name of a file."""
    text = _MIXED.sub(lambda word: word[0].translate(_TWINS), text)
    text = _APART.sub(lambda word: re.sub(r"\W|_", "", word[0]), text)
    text = re.sub(r"(?<=\w)[_-]+(?=\w)", " ", text)
    while (bare := _LEET.sub(lambda sign: sign[0].translate(_DIGITS), text)) != text:
        text = bare
    return text
