"""Huge JSON arrays, item by item: a 1 GB export takes the memory of its largest item.

Complete items are yielded even if what follows them is broken or missing; only then comes the
one error, which says where.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import IO, Any

from recollect.nouns import Problem

CHUNK = 1 << 18
MAX_ITEM = 256_000_000
"""The most characters that are held while an item's end is looked for."""
_BLANK = re.compile(r"[ \t\r\n]*")
_TOKEN = 16
"""Longer than what is left of any number, literal or escape that the end of a chunk cuts."""
_DECODER = json.JSONDecoder()
_ZIP = b"PK\x03\x04"
_OBJECTS = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*"[^"]*"\s*:\s*)?\[\s*\{')
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    UnicodeDecodeError,  # of a member's name
    RuntimeError,  # encrypted, or packed in a way that is not known
)


class Garbled(ValueError):
    """JSON that cannot be read on from the byte at ``offset``."""

    def __init__(self, why: str, offset: int) -> None:
        super().__init__(f"{why} (byte {offset:,})")
        self.offset = offset


def items(stream: IO[bytes], key: str = "", chunk: int = CHUNK) -> Iterator[Any]:
    """The items of the array that *stream* is, or that is under *key* of the object that it is.

    Raises Garbled, after the items that are complete.
    """
    text = _Text(stream, chunk)
    nested = bool(key) and text.next() == "{"
    if nested:
        _enter(text, key)
    if text.next() != "[":
        raise text.garbled("not a JSON array")
    text.at += 1
    number = 0
    while number or text.next() != "]":
        number += 1
        item = text.value(f"item {number}")
        mark = text.next()
        if mark in (",", "]") or isinstance(item, dict | list | str):
            yield item
        if mark == "]":
            break
        text.pass_over(",", f"after item {number}")
    text.at += 1
    if not nested and text.next():
        raise text.garbled("there is more after the end of the array")


def members(path: Path, names: re.Pattern[str], key: str = "") -> Iterator[tuple[str, Any]]:
    """The items of a JSON file, or of the files in a zip that have one of *names*, each with
    where it is. What cannot be read is a Problem among them, and the next file is read."""
    where = str(path)
    try:
        with open(path, "rb") as file:
            if file.read(len(_ZIP)) != _ZIP:
                file.seek(0)
                yield from _numbered(file, where, key)
                return
            with zipfile.ZipFile(file) as archive:
                found = _named(archive, names)
                for info in found:
                    where = f"{path}!{info.filename}"
                    with archive.open(info) as member:
                        yield from _numbered(member, where, key)
                if not found:
                    yield where, Problem(where, f"there is no {names.pattern} in this zip")
    except _UNREADABLE as error:
        yield where, Problem(where, f"cannot be read: {error}; download it again")


def peek(path: Path, head: bytes, names: re.Pattern[str]) -> bytes:
    """The beginning of what `members` would read, which is *head* unless *path* is a zip; empty
    if that is no array of objects."""
    if head.startswith(_ZIP):
        head = b""
        try:
            with zipfile.ZipFile(path) as archive:
                for info in _named(archive, names)[:1]:
                    with archive.open(info) as member:
                        head = member.read(1 << 16)
        except _UNREADABLE:
            pass
    return head if _OBJECTS.match(head) else b""


def has_files(path: Path, names: Set[str]) -> bool:
    """Whether a zip has files of all these names, in whichever folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.rpartition("/")[2] for name in archive.namelist()} >= names
    except (zipfile.BadZipFile, OSError):
        return False


def _named(archive: zipfile.ZipFile, names: re.Pattern[str]) -> list[zipfile.ZipInfo]:
    found = [i for i in archive.infolist() if names.fullmatch(i.filename.rpartition("/")[2])]
    return sorted(found, key=lambda info: info.filename)


def _numbered(stream: IO[bytes], where: str, key: str) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        for item in items(stream, key):
            number += 1
            yield f"{where}#{number}", item
    except (Garbled, *_UNREADABLE) as error:
        said = f"{error}; the {number:,} items before it were read. Export it again for the rest"
        yield where, Problem(where, said)


def _enter(text: _Text, key: str) -> None:
    """Go to the value of *key*."""
    text.at += 1
    while text.next() == '"':
        name = text.value("a key")
        text.pass_over(":", f"after the key {name!r}")
        if name == key:
            return
        text.value(f"the value of {name!r}")
        if text.next() == "}":
            break
        text.pass_over(",", f"after the value of {name!r}")
    raise text.garbled(f"there is no {key!r} in the object")


class _Text:
    """What has been read of a stream and not been used; ``at`` is where use has got to."""

    def __init__(self, stream: IO[bytes], chunk: int) -> None:
        self.text, self.at = "", 0
        self._stream, self._chunk = stream, chunk
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._read = 0
        self._ended = False
        self._end = "it ends there"

    def next(self) -> str:
        """The next character that is not blank, with ``at`` on it; empty at the end."""
        while True:
            blank = _BLANK.match(self.text, self.at)
            self.at = blank.end() if blank else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def pass_over(self, mark: str, where: str) -> None:
        if self.next() != mark:
            raise self.garbled(f"no {mark!r} {where}")
        self.at += 1

    def value(self, what: str) -> Any:
        """The JSON value that comes next."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                cut = error.pos > len(self.text) - _TOKEN or error.msg.startswith("Unterminated")
                if not cut or not self._more():
                    raise self.garbled(f"{what}: {error.msg}", error.pos) from None
                continue
            except (ValueError, RecursionError) as error:
                raise self.garbled(f"{what}: {error}") from None
            if len(self.text) - end >= _TOKEN or not self._more():
                self.at = end
                return value

    def _more(self) -> bool:
        """Read on, at least as much again as is held, so that a long item is not decoded from
        its beginning many times. False at the end, where nothing has moved."""
        held = len(self.text) - self.at
        if held > MAX_ITEM:
            raise self.garbled(f"an item of over {MAX_ITEM // 1_000_000} MB")
        if self._ended:
            return False
        data = self._stream.read(max(self._chunk, held))
        self._read += len(data)
        self._ended = not data
        try:
            more = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            more = error.object[: error.start].decode()
            self._read -= len(error.object) - error.start
            self._decoder.reset()
            self._ended = True
            if data:
                self._end = "it is not UTF-8 there"
        if more:
            self.text, self.at = self.text[self.at :] + more, 0
        return bool(more) or not self._ended

    def garbled(self, why: str, at: int | None = None) -> Garbled:
        """The error for what is at *at*, or where use has got to."""
        at = self.at if at is None else at
        if at >= len(self.text):
            why = f"{why}: {self._end}"
        ahead = len(self.text[at:].encode()) + len(self._decoder.getstate()[0])
        return Garbled(why, self._read - ahead)
