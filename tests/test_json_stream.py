"""Huge JSON arrays are read item by item, and broken ones up to where they break."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from recollect.nouns import Problem
from recollect.sources.json_stream import Garbled, items, members, peek

NAMES = re.compile(r"conversations(-\d+)?\.json")
CHUNKS = st.integers(1, 200)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ENDED = st.text() | st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4)
"""Values that show by themselves where they end, as numbers do not."""


def read(data: bytes, key: str = "", chunk: int = 7) -> tuple[list[Any], Garbled | None]:
    """All the items, and the error that came after them."""
    found: list[Any] = []
    try:
        found.extend(items(io.BytesIO(data), key, chunk))
    except Garbled as error:
        return found, error
    return found, None


@given(st.lists(VALUES), CHUNKS, st.booleans(), st.sampled_from([None, 1]))
@example([1e-7, -12, 1.5e300, True, False, None], 1, True, None)
@example(["a\u2028\U0001f600"], 1, False, None)
@example([float("inf"), float("-inf")], 3, True, None)
def test_the_items_are_those_of_the_whole(
    values: list[Any], chunk: int, ascii_only: bool, indent: int | None
) -> None:
    written = json.dumps(values, ensure_ascii=ascii_only, indent=indent)
    assert read(written.encode(), chunk=chunk) == (json.loads(written), None)


@given(st.lists(VALUES), st.dictionaries(st.text(), VALUES, max_size=3), CHUNKS)
def test_the_items_under_a_key_are_found_among_other_keys(
    values: list[Any], others: dict[str, Any], chunk: int
) -> None:
    whole = {**{k: v for k, v in others.items() if k != "these"}, "these": values, "more": {}}
    assert read(json.dumps(whole).encode(), "these", chunk) == (values, None)
    assert read(json.dumps(values).encode(), "these", chunk) == (values, None)


@given(st.lists(ENDED, min_size=1, max_size=6), st.data(), CHUNKS)
def test_a_cut_keeps_every_item_before_it_and_says_where_it_is(
    values: list[Any], data: st.DataObject, chunk: int
) -> None:
    written = [json.dumps(v, ensure_ascii=False).encode() for v in values]
    whole = b"[" + b", ".join(written) + b"]"
    at = data.draw(st.integers(0, len(whole) - 1))
    ends = [1 + sum(len(w) + 2 for w in written[:n]) + len(w) for n, w in enumerate(written)]
    found, error = read(whole[:at], chunk=chunk)
    assert found == [v for v, end in zip(values, ends, strict=True) if end <= at]
    assert error is not None
    assert 0 <= error.offset <= at
    assert error.offset >= max((end for end in ends if end <= at), default=0)


@given(st.lists(ENDED, min_size=1, max_size=6), st.data(), CHUNKS)
def test_no_garbling_raises_anything_else_or_loses_an_earlier_item(
    values: list[Any], data: st.DataObject, chunk: int
) -> None:
    written = [json.dumps(v).encode() for v in values]
    whole = bytearray(b"[" + b",".join(written) + b"]")
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    found, error = read(bytes(whole), chunk=chunk)
    ends = [1 + sum(len(w) + 1 for w in written[:n]) + len(w) for n, w in enumerate(written)]
    intact = [v for v, end in zip(values, ends, strict=True) if end <= at]
    assert found[: len(intact)] == intact
    assert error is None or 0 <= error.offset <= len(whole)


@pytest.mark.parametrize("chunk", [1, 5, 1000])
@pytest.mark.parametrize(
    ("data", "found", "offset", "said"),
    [
        (b"", [], 0, "not a JSON array: it ends there"),
        (b"hello", [], 0, "not a JSON array"),
        (b'{"a": [1]}', [], 0, "not a JSON array"),
        (b'[{"a": 1}, {"b": x}]', [{"a": 1}], 17, "item 2: Expecting value"),
        (b'[{"a": 1} {"b": 2}]', [{"a": 1}], 10, "no ',' after item 1"),
        (b'[{"a": 1},]', [{"a": 1}], 10, "item 2: Expecting value"),
        (b'["\xc3\xbc", "', ["\u00fc"], 7, "item 2: Unterminated string"),
        (b'["\xc3\xbc", "a\xff", 3]', ["\u00fc"], 7, "item 2: Unterminated string"),
        (b'["\xc3\xbc",\xff 3]', ["\u00fc"], 6, "item 2: Expecting value: it is not UTF-8"),
        (b'["a", "\xc3', ["a"], 6, "item 2: Unterminated string"),
        (b"[1, 2", [1], 5, "no ',' after item 2: it ends there"),
        (b"[1, 2]\n[3]", [1, 2], 7, "more after the end"),
        (b"[1, " + b"[" * 200_000, [1], 4, "item 2: maximum recursion"),
        (b"[1, " + b"9" * 5_000 + b"]", [1], 4, "item 2: Exceeds the limit"),
    ],
)
def test_an_error_names_the_byte_and_what_is_wrong_there(
    data: bytes, found: list[Any], offset: int, said: str, chunk: int
) -> None:
    got, error = read(data, chunk=chunk)
    assert got == found
    assert error is not None
    assert said in str(error)
    assert f"(byte {offset:,})" in str(error)
    assert error.offset == offset


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "there is no 'these'"),
        (b'{"a": 1}', "there is no 'these'"),
        (b'{"a": 1, "these": {}}', "not a JSON array"),
        (b'{"a" 1}', "no ':' after the key 'a'"),
        (b'{"a": 1', "no ',' after the value of 'a': it ends there"),
    ],
)
def test_a_key_that_is_missing_is_said_to_be(data: bytes, said: str) -> None:
    found, error = read(data, "these")
    assert found == []
    assert said in str(error)


def test_a_byte_order_mark_does_not_matter() -> None:
    assert read(b"\xef\xbb\xbf[1, 2]", chunk=1) == ([1, 2], None)


def test_a_garbled_item_is_not_searched_to_the_end_of_the_file() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1, /) -> bytes:
            self.given += size
            return b'[{"a": 1}, {b}' + b" " * (size - 14)

    stream = Endless()
    with pytest.raises(Garbled, match="item 2"):
        list(items(stream, chunk=100))  # type: ignore[arg-type]  # it has what is used
    assert stream.given == 100


def test_an_item_may_be_many_chunks_long_without_being_read_again_for_each() -> None:
    class Counted(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.reads += 1
            return super().read(size)

    stream = Counted(json.dumps(["x" * 1_000_000, 2]).encode())
    assert [type(item) for item in items(stream, chunk=10)] == [str, int]
    assert stream.reads < 30


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def test_the_named_members_of_a_zip_are_read_in_order(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "export.zip",
        {
            "out/conversations-001.json": b"[2]",
            "out/conversations-000.json": b'[{"n": 0}, 1]',
            "out/users.json": b"[9]",
            "__MACOSX/out/._conversations-000.json": b"\x00",
        },
    )
    assert [item for _, item in members(path, NAMES)] == [{"n": 0}, 1, 2]
    assert next(members(path, NAMES))[0] == f"{path}!out/conversations-000.json#1"
    assert peek(path, path.read_bytes(), NAMES) == b'[{"n": 0}, 1]'


def test_a_broken_member_does_not_keep_the_next_from_being_read(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "export.zip",
        {"conversations-000.json": b"[1, 2, {", "conversations-001.json": b"[3]"},
    )
    one, two, problem, three = (item for _, item in members(path, NAMES))
    assert (one, two, three) == (1, 2, 3)
    assert problem.where == f"{path}!conversations-000.json"
    assert "the 2 items before it were read" in problem.reason


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"PK\x03\x04 and nothing of a zip", b"\x00" * 50]
)
def test_what_is_neither_json_nor_a_zip_is_one_problem(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(data)
    [(_, problem)] = members(path, NAMES)
    assert isinstance(problem, Problem)
    assert problem.where == str(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_what_cannot_be_opened_is_one_problem(tmp_path: Path, name: str) -> None:
    [(_, problem)] = members(tmp_path / name, NAMES)
    assert "cannot be read" in problem.reason


def test_a_zip_without_the_file_says_what_it_looked_for(tmp_path: Path) -> None:
    path = archive(tmp_path / "photos.zip", {"a.txt": b"a"})
    [(_, problem)] = members(path, NAMES)
    assert "there is no conversations" in problem.reason
    assert peek(path, path.read_bytes(), NAMES) == b""


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_damage_to_a_zip_raises(tmp_path: Path, data: st.DataObject) -> None:
    values = [{"a": n, "text": "some words " * n} for n in range(30)]
    path = archive(tmp_path / "export.zip", {"conversations.json": json.dumps(values).encode()})
    broken = bytearray(path.read_bytes())
    at = data.draw(st.integers(4, len(broken) - 1))
    broken[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    path.write_bytes(broken[: data.draw(st.sampled_from([len(broken), at]))])
    found = [item for _, item in members(path, NAMES)]
    whole = [item for item in found if not isinstance(item, Problem)]
    assert len(found) - len(whole) <= 1
    assert len(whole) == 30 or len(found) > len(whole)
    peek(path, path.read_bytes(), NAMES)
