"""Every reader of what others wrote, fuzzed: nothing makes one raise what it should not, or take
more than about as long as the text is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile import TooMuchWork, processor_seconds
from recollect.testing.readers import READERS, read

SEEDS = Path(__file__).parent / "fixtures" / "fuzz"
NAMES = sorted(READERS)

_BITS = st.sampled_from(
    ["---\n", "- ", "# ", "a: b", "[[", "]]", "```", "\n", "\t", " ", "{", "}", '"', "\\", ":", ",",
     "null", "1e999", "-0", "\ud800", "\x00", "﻿", "é", "日", "<", ">", "&#x0;", "<!--", "|", "=",
     "*", "NEAR", "OR", '"id":', '"text":', '"role": "user"', '"turns": [', "[", "]", "2026-02-30",
     "2026-13-01T25:00:00Z", "type: &a [*a]", "!!python/object", "<<: *x", "?", "%", "..", ".",
     "user:", "\r", "\u2028", "@", "sk-", "1", "999999999999999999999999"]
)  # fmt: skip
_PIECES = st.lists(_BITS | st.text(max_size=8), max_size=40).map("".join)


def _seeds() -> list[bytes]:
    return [path.read_bytes() for path in sorted(SEEDS.iterdir())]


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(text=_PIECES)
def test_no_text_makes_a_reader_raise(name: str, text: str) -> None:
    read(name, _raw(text))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_file_that_was_cut_or_garbled_makes_a_reader_raise(
    name: str, data: st.DataObject
) -> None:
    raw = bytearray(data.draw(st.sampled_from(_seeds())))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, max(0, len(raw) - 1)))
        raw[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    read(name, bytes(raw[: data.draw(st.integers(0, len(raw)))]))


# ------------------------------------------------------------------ texts made to take long

PUMPS = (
    " ", "\n", "\t", ".", "a", "1", "[", "(", "`", "#", "- ", "a.", "a ", "/", "\\", '"', "a-",
    "1.", "=", "|", "<", "<a ", "&", "*", "_", "~", "http://", "a@", "{", "[[", "![", '."', "? ",
    "a, ", "> ", "---\n", "```\n", "# a\n", "a: b\n", "- a\n", "Aa", "$", "not ", "We use a. ",
    "x=", "日", "。", "a\u0301", '{"a":', "[1,", "<!--", "=\n", "1-", "monday ", "user: ",
    "''", "::", "; ",
)  # fmt: skip
SIZE = 64_000


@pytest.mark.parametrize("name", NAMES)
def test_no_text_takes_more_work_than_its_length_asks_for(name: str) -> None:
    """What is quadratic takes minutes at this length; what is linear a second at most."""
    read(name, b"the first call loads what it needs")
    for pump in PUMPS:
        try:
            with processor_seconds(10):
                read(name, (pump * (SIZE // len(pump))).encode())
        except TooMuchWork as said:
            pytest.fail(f"{name}: {SIZE} characters of {pump!r}: {said}")


def test_a_line_of_dots_is_cut_into_passages_at_once() -> None:
    """It was tried from every dot to the last."""
    read("passages", b"." * 400_000)
    read("curation", b"The end" + b"." * 400_000)


def test_the_corpus_has_something_for_every_kind_of_reader() -> None:
    kinds = {path.suffix for path in SEEDS.iterdir()}
    assert {".md", ".jsonl", ".json", ".html", ".rst", ".ipynb", ".query"} <= kinds
    chance = random.Random(1)
    for raw in _seeds():
        assert len(raw) < 12_000  # a database has whole pages
        for name in chance.sample(NAMES, 8):
            read(name, raw)
