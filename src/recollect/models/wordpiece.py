"""BERT's tokenizer: text to the token ids of a ``tokenizer.json`` of the WordPiece kind.

The ids are those of the ``tokenizers`` library (the tests compare them on every text we have and on
every character), which brings a client of a model hub and a dozen packages with it. Everything that
is done to a single character (cleaning, accents, case, Chinese characters, punctuation) is one
table for ``str.translate``, filled in as characters are met; a word is looked up once.

Most of a file is its vocabulary, which takes longer to read than a question takes to be embedded.
For a few texts it is left as it is written, and pieces are looked for in it (:class:`_Unread`).

A file that asks for more than this (other models, other templates) is read by that library, if it
is installed: :func:`load`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from recollect.errors import ModelError
from recollect.named_tuple import NamedTuple

_MOST_WORDS = 50_000
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""What BERT takes for Chinese characters: each is a word."""


class Tokens(NamedTuple):
    ids: Sequence[int]
    types: Sequence[int]


class Tokenizer(Protocol):
    def encode(self, text: str) -> Tokens: ...

    def encode_pair(self, first: str, second: str, most_of_first: int) -> Tokens:
        """Of the first text at most so many tokens; of both what the model reads."""


def load(path: Path, most: int, *, brief: bool = False) -> Tokenizer:
    """The tokenizer of a file, for a model that reads at most so many tokens; *brief*: for a few
    texts."""
    raw = path.read_bytes()
    unread = _Unread.of(raw) if brief else None
    said = json.loads(unread.around if unread else raw)
    if _is_bert(said):
        return WordPiece(said, most, unread)
    if unread:
        return load(path, most)
    try:
        import tokenizers
    except ImportError:
        kind = _part(said, "model").get("type", "unknown")
        raise ModelError(
            f"{path} is a tokenizer of the {kind} kind, which the tokenizers package reads",
            hint="pip install 'recollect[tokenizers]'",
        ) from None
    return _Library(tokenizers.Tokenizer.from_file(str(path)), most)


def _is_bert(said: dict[str, Any]) -> bool:
    """Whether the file asks for nothing that :class:`WordPiece` does not do."""
    kinds = {name: _part(said, name).get("type") for name in _BERT}
    model = _part(said, "model")
    untyped = "type" not in model and "max_input_chars_per_word" in model
    return (
        (kinds == _BERT or (untyped and kinds == {**_BERT, "model": None}))
        and _template(_part(said, "post_processor")) is not None
        and not any(map(_is_odd, _added_tokens(said)))
    )


_BERT = {
    "model": "WordPiece",
    "normalizer": "BertNormalizer",
    "pre_tokenizer": "BertPreTokenizer",
}
"""The types of the parts that :class:`WordPiece` does."""


def _part(said: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns a part of the file; some are null."""
    return said.get(name) or {}


def _added_tokens(said: dict[str, Any]) -> list[dict[str, Any]]:
    return said.get("added_tokens") or []


def _is_odd(token: dict[str, Any]) -> bool:
    return any(map(token.get, ("single_word", "lstrip", "rstrip", "normalized")))


def _template(said: dict[str, Any]) -> tuple[int, int] | None:
    """The ids before a text and after it, if the template is that of BERT."""
    match said:
        case {"type": "BertProcessing", "sep": [_, int(sep)], "cls": [_, int(cls)]}:
            return cls, sep
        case {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": first, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": last, "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": begins, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": parts, "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
                {"SpecialToken": {"id": ends, "type_id": 1}},
            ],
            "special_tokens": special,
        } if begins == first and parts == ends == last:
            (cls,), (sep,) = special[first]["ids"], special[last]["ids"]
            return int(cls), int(sep)
    return None


class _Unread:
    """A vocabulary as it is written: names in quotes, each with its number. It is read when many
    pieces have been asked for."""

    _NUMBER = re.compile(rb"\s*:\s*(\d+)")
    _MANY = 64

    def __init__(self, raw: bytes, start: int, end: int) -> None:
        self._raw, self._start, self._end = raw, start, end
        self._asked = 0
        self._read: dict[str, int] = {}

    @classmethod
    def of(cls, raw: bytes) -> _Unread | None:
        """That of a file; None where it is written in a way that pieces cannot be found in."""
        start = re.search(rb'"vocab"\s*:\s*\{', raw)
        end = raw.find(b"}", start.end()) if start else -1
        while end > 0 and not raw[:end].rstrip()[-1:].isdigit():  # the brace is a piece
            end = raw.find(b"}", end + 1)
        if start is None or end < 0 or raw.find(b"\\u", start.end(), end) > 0:
            return None
        return cls(raw, start.end(), end)

    @property
    def around(self) -> bytes:
        """The file without it."""
        return self._raw[: self._start] + self._raw[self._end :]

    def get(self, piece: str) -> int | None:
        self._asked += 1
        if self._asked == self._MANY:
            self._read = json.loads(self._raw[self._start - 1 : self._end + 1])
        return self._read.get(piece) if self._read else self._found(piece)

    def _found(self, piece: str) -> int | None:
        name = json.dumps(piece, ensure_ascii=False).encode("utf-8", "surrogatepass")
        at = self._raw.find(name, self._start, self._end)
        while at > 0 and self._raw[at - 1 : at] == b"\\":  # the quote is a part of another piece
            at = self._raw.find(name, at + 1, self._end)
        number = self._NUMBER.match(self._raw, at + len(name), self._end) if at > 0 else None
        return int(number[1]) if number else None


class WordPiece:
    def __init__(self, said: dict[str, Any], most: int, unread: _Unread | None = None) -> None:
        model = said["model"]
        self._most = most
        self._vocabulary: dict[str, int] | _Unread = unread or model["vocab"]
        self._prefix: str = model.get("continuing_subword_prefix", "##")
        self._longest: int = model.get("max_input_chars_per_word", 100)
        self._unknown = [self._number(model.get("unk_token", "[UNK]"))]
        around = _template(said["post_processor"])
        assert around is not None, "load() reads other templates by the library"
        self._cls, self._sep = around
        self._added = {token["content"]: token["id"] for token in _added_tokens(said)}
        named = "|".join(map(re.escape, sorted(self._added, key=len, reverse=True)))
        self._names = re.compile(f"({named or '(?!)'})")
        self._characters = _Characters(said["normalizer"])
        self._words: dict[str, list[int]] = {}

    def _number(self, piece: str) -> int:
        found = self._vocabulary.get(piece)
        if found is None:
            raise KeyError(piece)
        return found

    def encode(self, text: str) -> Tokens:
        ids = [self._cls, *self._ids(text, self._most - 2), self._sep]
        return Tokens(ids, [0] * len(ids))

    def encode_pair(self, first: str, second: str, most_of_first: int) -> Tokens:
        one, two = (self._ids(text, self._most) for text in (first, second))
        one = one[:most_of_first]
        begins, ends = _shares(len(one), len(two), self._most - 3)
        one, two = one[:begins], two[:ends]
        ids = [self._cls, *one, self._sep, *two, self._sep]
        return Tokens(ids, [0] * (len(one) + 2) + [1] * (len(two) + 1))

    def _ids(self, text: str, most: int) -> list[int]:
        """Returns at most so many ids of a text, without the special tokens around it."""
        ids: list[int] = []
        for piece in self._names.split(text):
            if piece in self._added:
                ids.append(self._added[piece])
                continue
            for word in piece.translate(self._characters).split():
                ids += self._words.get(word) or self._pieces(word)
                if len(ids) >= most:
                    return ids[:most]
        return ids

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces that the vocabulary has, from the left."""
        if len(self._words) >= _MOST_WORDS:
            self._words = {}
        ids = self._words[word] = self._cut(word) or self._unknown
        return ids

    def _cut(self, word: str) -> list[int]:
        if len(word) > self._longest:
            return []
        ids, start, prefix = [], 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                found = self._vocabulary.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return []
            ids.append(found)
            start, prefix = end, self._prefix
        return ids


def _shares(first: int, second: int, most: int) -> tuple[int, int]:
    """How much of two texts of these lengths is read: the longer one is cut, and both are when
    neither leaves the other half of the room."""
    if first + second <= most:
        return first, second
    short = min(first, second)
    long = max(short, most - short) if short <= most else short
    if short + long > most:
        short, long = most // 2, most // 2 + most % 2
    return (short, long) if first <= second else (long, short)


class _Characters(dict[int, str]):
    """What becomes of each character, by its number; a table for ``str.translate``."""

    def __init__(self, normalizer: dict[str, Any]) -> None:
        super().__init__()
        self._lower = bool(normalizer.get("lowercase", True))
        strips = normalizer.get("strip_accents")
        self._strips = self._lower if strips is None else bool(strips)
        self._cleans = bool(normalizer.get("clean_text", True))
        self._parts_ideographs = bool(normalizer.get("handle_chinese_chars", True))

    def __missing__(self, number: int) -> str:
        became = self[number] = self._became(chr(number))
        return became

    def _became(self, character: str) -> str:
        if self._cleans and _is_dirt(character):
            return ""
        if character.isspace():
            return " "
        apart = self._parts_ideographs and any(a <= ord(character) <= b for a, b in _IDEOGRAPHS)
        if self._strips:
            apart_accents = unicodedata.normalize("NFD", character)
            character = "".join(one for one in apart_accents if unicodedata.category(one) != "Mn")
        if self._lower:
            character = "".join(map(str.lower, character))
        parted = "".join(f" {one} " if _is_punctuation(one) else one for one in character)
        return f" {parted} " if apart else parted


def _is_dirt(character: str) -> bool:
    if character in "\t\n\r":
        return False
    return character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co")


def _is_punctuation(character: str) -> bool:
    """ASCII's signs count as such, "$" and "+" too."""
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character)[0] == "P"


class _Library:
    """Any other tokenizer, read by the ``tokenizers`` library."""

    def __init__(self, reads: Any, most: int) -> None:
        reads.no_padding()
        reads.enable_truncation(most)
        self._reads = reads

    def encode(self, text: str) -> Tokens:
        encoded = self._reads.encode(text)
        return Tokens(encoded.ids, encoded.type_ids)

    def encode_pair(self, first: str, second: str, most_of_first: int) -> Tokens:
        tokens = self._reads.encode(first, add_special_tokens=False)
        if len(tokens.ids) > most_of_first:
            first = first[: tokens.offsets[most_of_first - 1][1]]
        encoded = self._reads.encode(first, second)
        return Tokens(encoded.ids, encoded.type_ids)
