"""Our WordPiece gives the ids that the ``tokenizers`` library gives: for every character, for odd
texts, for pairs, and for all the texts of the shared data."""

from __future__ import annotations

import json
import sys
import unicodedata
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from bench.corpus import data_folder, lines
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from conftest import EMBED_HOME
from recollect.errors import ModelError
from recollect.models import wordpiece
from recollect.models.wordpiece import Tokens, WordPiece

FILE = EMBED_HOME / "tokenizer.json"
MOST = 64
OLD = unicodedata.ucd_3_2_0
A_SET = 150
"""Texts of each file of the data."""


def _library(most: int) -> Any:
    reads = Tokenizer.from_file(str(FILE))
    reads.no_padding()
    reads.enable_truncation(most)
    return reads


OURS, THEIRS = wordpiece.load(FILE, MOST), _library(MOST)
_TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(["[CLS]", "[SEP]", "[MASK]", "[", "a", "Bé", "ß", "中", "ﬁ", "İ", "한",
                     "\u0301", "\u200b", "\x00", "\x85", "\t", "$", "+1", "can't", " ",
                     "x" * 101, "tokens"]),
    max_size=90,
).map("".join)  # fmt: skip


def test_what_ships_is_read_without_the_library() -> None:
    assert isinstance(OURS, WordPiece)


def test_every_character_of_unicode_3_is_read_alike() -> None:
    """The library's tables are old: of a character that came or changed its kind since, ours know
    what Python knows."""
    texts = [
        f"a{chr(n)}b {chr(n)}" for n in range(sys.maxunicode + 1)
        if OLD.category(chr(n)) not in ("Cn", "Cs")
        and OLD.category(chr(n)) == unicodedata.category(chr(n))
    ]  # fmt: skip
    assert len(texts) > 90_000
    theirs = THEIRS.encode_batch(texts)
    other = [t for t, e in zip(texts, theirs, strict=True) if e.ids != list(OURS.encode(t).ids)]
    assert not other


@settings(max_examples=300)
@given(_TEXTS.filter(str.isprintable) | _TEXTS)
def test_any_text_is_read_alike(text: str) -> None:
    if any(unicodedata.category(c) != OLD.category(c) for c in text):
        return
    assert list(OURS.encode(text).ids) == THEIRS.encode(text).ids


@settings(max_examples=100)
@given(_TEXTS)
def test_a_vocabulary_that_is_not_read_gives_the_same_pieces(text: str) -> None:
    brief = wordpiece.load(FILE, MOST, brief=True)
    assert list(brief.encode(text).ids) == list(OURS.encode(text).ids)


def test_every_piece_is_found_in_a_vocabulary_that_is_not_read() -> None:
    known = json.loads(FILE.read_text())["model"]["vocab"]
    unread = wordpiece._Unread.of(FILE.read_bytes())
    assert unread is not None
    some = [*islice(known, 0, None, 97), '"', "\\", "}", "{", "##}", ":", "##1"]
    assert {piece: unread._found(piece) for piece in some} == {p: known.get(p) for p in some}
    absent = ["zzq", "", "a b", "\ud800", "vocab", '": 1']
    assert [unread._found(piece) for piece in absent] == [known.get(piece) for piece in absent]


@pytest.mark.parametrize("spaces", [None, 2])
def test_a_file_that_is_written_otherwise_is_read_whole(tmp_path: Path, spaces: int | None) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(json.loads(FILE.read_text()), indent=spaces))  # \\u00e9
    text = "Où est le café? 中"
    assert list(wordpiece.load(path, MOST, brief=True).encode(text).ids) == (
        list(OURS.encode(text).ids)
    )


@pytest.mark.parametrize("most", [20, 21])
def test_pairs_are_cut_alike(most: int) -> None:
    ours, theirs = wordpiece.load(FILE, most), _library(most)
    for first in range(most // 2 + 1):
        for second in range(2 * most):
            pair = "x " * first, "y " * second
            expected = theirs.encode(*pair)
            assert ours.encode_pair(*pair, most) == Tokens(expected.ids, expected.type_ids)


def test_added_tokens_of_any_spelling_are_read_alike(tmp_path: Path) -> None:
    said = json.loads(FILE.read_text())
    new = {**said["added_tokens"][0], "id": len(said["model"]["vocab"]), "content": "<mark>"}
    said["added_tokens"].append(new)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(said))
    text = "one <mark> two <MARK> three<mark>"
    assert list(wordpiece.load(path, MOST).encode(text).ids) == (
        Tokenizer.from_file(str(path)).encode(text).ids
    )


def test_of_a_long_question_the_beginning_is_read() -> None:
    tokens = OURS.encode_pair("one two three four", "five", 2)
    assert tokens.ids == THEIRS.encode("one two", "five").ids


def test_all_our_texts_are_read_alike() -> None:
    folder = data_folder()
    if folder is None:
        pytest.skip("no shared data")
    for path in sorted(folder.glob("*/*.jsonl*")):
        texts = [json.dumps(row, ensure_ascii=False)[:2000] for row in islice(lines(path), A_SET)]
        theirs = THEIRS.encode_batch(texts)
        assert [list(OURS.encode(t).ids) for t in texts] == [e.ids for e in theirs], path


def test_another_kind_of_tokenizer_needs_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = json.loads(FILE.read_text())
    said["normalizer"] = {"type": "Lowercase"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(said))
    other = wordpiece.load(path, MOST)
    assert not isinstance(other, WordPiece)
    assert other.encode("Two words").ids == OURS.encode("two words").ids
    assert other.encode_pair("one two three", "four", 2) == OURS.encode_pair("one two", "four", 2)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModelError, match="WordPiece kind") as caught:
        wordpiece.load(path, MOST)
    assert "recollect[tokenizers]" in caught.value.hint
