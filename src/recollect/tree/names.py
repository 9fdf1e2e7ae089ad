"""Addresses of pages, and the names of the files they are written to.

An address is ``subject/topic`` or deeper (``subject/field[/part]/topic``), each part in small
letters with hyphens, in whatever script it is written: the same words, however they are spelt, are
the same address. It is what a page is known by; the title that people see may be anything.

A file name is valid on Windows, macOS and Linux, and no two differ in case or accents' encoding
alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

from recollect.nouns import stable_id

INDEX = "_index.md"
"""A list of a domain's pages, made anew with every export."""
MISC = "misc"
LOOSE = f"{MISC}/facts/"
"""Where facts are that belong to no page."""

MOST_LETTERS, MOST_BYTES = 48, 120
"""Of one part: four of them, and a folder around them, fit into what Windows allows."""

_NOT_IN_A_NAME = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/\[\]#^%\ud800-\udfff]+')
_SHARP = re.compile(r"(?<=\w)#(?!\w)")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)


def address_of(domain: str, topic: str, title: str, subtopic: str = "") -> str:
    """The address of a page; what is not said of it is ``misc``."""
    parts = (domain, topic, *((subtopic,) if subtopic.strip() else ()), title)
    return "/".join(map(folded, parts))


@lru_cache(maxsize=4096)
def canonical(address: str) -> str:
    """The address as :func:`address_of` writes it, of however many parts it is."""
    parts = list(filter(str.strip, address.split("/"))) or [MISC]
    above, title = parts[:-1] or [MISC], parts[-1]
    below = "-".join(above[2:])
    return "/".join(map(folded, [*above[:2], *([below] if below else []), title]))


def folded(part: str) -> str:
    """One part of an address. What has no letter, figure or picture in it gets a name that is
    its own; what is too long is cut, and stays its own."""
    text = _small(part)
    if not text:
        said = part.encode("utf-8", "replace").decode()
        return f"x-{stable_id(said)[:8]}" if said.strip() else MISC
    if len(text) <= MOST_LETTERS and len(text.encode()) <= MOST_BYTES:
        return text
    end = f"-{stable_id(text)[:8]}"
    return _cut(text, len(end)) + end


def _small(part: str) -> str:
    """Letters, figures and pictures in small letters, with hyphens between them. C, C++ and C#
    stay three."""
    text = _SHARP.sub("sharp", part)
    while True:  # what is folded once may have to be composed again
        chars = [char if _is_kept(char) else "-" for char in unicodedata.normalize("NFKC", text)]
        small = unicodedata.normalize("NFKC", "".join(chars).casefold())
        small = re.sub("-+", "-", small).strip("-")
        small = small.lstrip("".join(c for c in set(small) if unicodedata.combining(c)) + "-")
        if small == text:
            return text
        text = small


def _is_kept(char: str) -> bool:
    return char.isalnum() or char == "+" or unicodedata.category(char) in ("Mn", "Mc", "So")


def _cut(text: str, room: int) -> str:
    """The beginning of a text that leaves so much room."""
    text = text[: MOST_LETTERS - room]
    raw = text.encode()[: MOST_BYTES - room]
    return raw.decode("utf-8", "ignore").rstrip("-")


# ------------------------------------------------------------------ files


def file_name(address: str, taken: Collection[str] = ()) -> str:
    """A path for the page at *address* below the folder of the tree, whose :func:`path_key` is
    not among those *taken*. It follows from the address alone, unless that is taken."""
    parts = list(map(_safe, filter(None, address.split("/")))) or ["page"]
    above = [part[:-3] + "-md" if part.lower().endswith(".md") else part for part in parts[:-1]]
    for size in (0, 4, 8, 12, 16):
        title = _safe(f"{_cut(parts[-1], size + 1)}-{stable_id(address)[:size]}") if size else ""
        path = "/".join((*above, title or parts[-1])) + ".md"
        if path_key(path) not in taken:
            return path
    raise AssertionError(f"every name for {address!r} is taken")


def path_key(path: str) -> str:
    """The same for paths that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def address_at(path: str) -> str:
    """The address of a page that a person put at *path*."""
    return canonical(path[:-3] if path.lower().endswith(".md") else path)


def _safe(part: str) -> str:
    """A name that every file system takes, and no walk passes over."""
    text = _NOT_IN_A_NAME.sub("-", unicodedata.normalize("NFC", part)).strip(" .")
    if len(text) > MOST_LETTERS or len(text.encode()) > MOST_BYTES:
        text = _cut(text, 0).strip(" .")
    if _RESERVED.fullmatch(text.partition(".")[0].rstrip()):
        text = f"{text.partition('.')[0]}_{text.partition('.')[2]}".rstrip(" .")
    return text or "page"


def link_target(path: str) -> str:
    """How a link names the file at *path*."""
    return path[:-3] if path.endswith(".md") else path


def link_keys(target: str) -> Sequence[str]:
    """What a link may mean: a path from the folder of the tree, or a file by its name alone."""
    named = re.split(r"[|#]", target)[0].strip().removesuffix(".md").strip("/")
    return (path_key(named), path_key(named.rpartition("/")[2])) if named else ()
