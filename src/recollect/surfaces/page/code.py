"""Code in colours: strings, comments, numbers and the words of languages.

One table of signs serves them all: what a language writes a comment with is all that is asked of
it. What is unknown stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.markup import Html, el, joined

LONG = 50_000
"""Characters of code that are coloured."""
_HASH = (
    "python py bash sh shell zsh fish console ruby rb yaml yml toml ini make makefile r perl "
    "dockerfile elixir ex nix tf hcl graphql jq"
)
_SLASHES = (
    "javascript js jsx typescript ts tsx java c h cpp c++ cc csharp cs go rust rs swift kotlin kt "
    "scala php dart zig css scss less json json5 jsonc groovy solidity proto"
)
_DASHES = "sql psql postgresql mysql sqlite lua haskell hs elm ada"
_SEMICOLONS = "clojure clj lisp scheme elisp asm"
_COMMENTS = {
    **dict.fromkeys(_HASH.split(), r"(?<![\w$])\#[^\n]*"),
    **dict.fromkeys(_SLASHES.split(), r"//[^\n]*|/\*.*?\*/"),
    **dict.fromkeys(_DASHES.split(), r"--[^\n]*|/\*.*?\*/"),
    **dict.fromkeys(_SEMICOLONS.split(), r";[^\n]*"),
}
_WORDS = frozenset(
    """abstract alter and array as assert async await begin between bool boolean break by case catch
    class const continue create cross declare def default defmodule defp del delete desc distinct do
    done drop echo elif else elsif end enum esac except exists export extends extern false fi final
    finally float fn for foreach from func function global go grant group having if impl implements
    import in index inner insert instanceof int interface into is join lambda left let limit list
    local loop match mod module mut namespace new nil none not null of offset on or order outer
    package pass primary private protected pub public raise require rescue return returning right
    select self set static str string struct super switch table then this throw trait true try type
    typedef typeof union unless until update use using values var view void when where while with
    yield""".split()
)


def coloured(text: str, language: str) -> Html:
    """Returns code in colours, if its language is known."""
    comment = _COMMENTS.get(language.split()[0].strip("{}.").lower() if language.split() else "")
    if comment is None or len(text) > LONG:
        return joined(text)
    made: list[str | Html] = []
    at = 0
    for found in _signs(comment).finditer(text):
        made += [text[at : found.start()], _piece(found)]
        at = found.end()
    return joined(made, text[at:])


def _piece(found: re.Match[str]) -> str | Html:
    if found.lastgroup == "word":
        return el("b", found[0]) if found[0].lower() in _WORDS else found[0]
    return el("span", found[0], class_=f"tok {found.lastgroup}")


@lru_cache(maxsize=8)
def _signs(comment: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
          (?P<comment> {comment} )
        | (?P<string>
              \"\"\".*?\"\"\" | \"(?:[^\"\\\n]|\\.)*\"
            | (?<!\w)'(?:[^'\\\n]|\\.)*' | `[^`\n]*` )
        | (?P<number> (?<![\w.])\d[\d_]*(?:\.\d+)?\b )
        | (?P<word> [A-Za-z_]\w* )
        """,
        re.VERBOSE | re.DOTALL | re.MULTILINE,
    )
