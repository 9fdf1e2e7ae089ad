"""All of a store as one file, and back: what goes out comes in as it was, or is refused."""

from __future__ import annotations

import gzip
import json
import os
import stat
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Cli
from recollect import Memory
from recollect.errors import InputError, StoreTooNew, UsageError
from recollect.nouns import (
    ChangeSet,
    Document,
    Forget,
    Message,
    Place,
    Put,
    Recorded,
    Register,
    Source,
)
from recollect.ports import Store
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import note, put
from recollect.testing.moving import MODEL, fill, items
from recollect.text.chunk import passages


def opened(place: Path) -> Memory:
    return Memory.open(place, embed_model="none", rerank_model="none")


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A store with a little of everything."""
    with opened(tmp_path / "full") as memory:
        fill(memory.store)
        memory.remember("We deploy on Fridays", name="deploy day", aliases=["release day"])
        memory.remember("We deploy on Mondays", name="deploy day")
        memory.put([note("kept", "The otter sleeps."), note("dropped", "A secret.")])
        memory.forget("dropped")
    return tmp_path / "full"


def everything(place: Path) -> list[Any]:
    with opened(place) as memory:
        assert memory.admin.check(full=True).findings == ()
        return items(memory.store)


# ------------------------------------------------------------------ there and back


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_an_export_comes_back_whole(full: Path, tmp_path: Path, name: str) -> None:
    with opened(full) as memory:
        done = memory.admin.export_all(tmp_path / name)
        wanted = memory.search("when is deploy day?")
    assert done.counts["documents"] > 5
    assert stat.S_IMODE(os.stat(tmp_path / name).st_mode) == 0o600
    assert name.endswith("gz") == ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b")
    with opened(tmp_path / "new") as memory:
        memory.admin.import_all(tmp_path / name)
        found = memory.search("when is deploy day?")
        assert [r.text for r in found.results] == [r.text for r in wanted.results]
        assert memory.search("secret").results == ()
        assert memory.put([note("dropped", "A secret.")]).tombstoned == 1
    assert everything(tmp_path / "new") == everything(full)


def test_importing_twice_changes_nothing(full: Path, tmp_path: Path, cli: Cli) -> None:
    file, new = str(tmp_path / "all.jsonl"), str(tmp_path / "new")
    assert cli("export", "--all", file, "--store", str(full)).code == 0
    assert cli("import", file, "--store", new, "--json").json["documents"] > 5
    before = everything(tmp_path / "new")
    again = cli("import", file, "--store", new, "--json").json
    assert (again["documents"], again["different"], again["events"]) == (0, 0, 0)
    assert everything(tmp_path / "new") == before


def test_an_export_may_leave_the_vectors_out(full: Path, tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "all.jsonl"
    assert cli("export", "--all", str(file), "--no-vectors", "--store", str(full)).code == 0
    assert b'"vectors":{' not in file.read_bytes()
    assert b'"sentences":{' not in file.read_bytes()
    done = cli("import", str(file), "--store", str(tmp_path / "new"), "--json").json
    assert done["vectors"] == 0


def test_what_is_here_stays_unless_the_file_is_to_decide(tmp_path: Path, cli: Cli) -> None:
    file, new = str(tmp_path / "all.jsonl"), tmp_path / "new"
    with opened(tmp_path / "old") as memory:
        memory.put([note("a", "theirs")])
        memory.admin.export_all(file)
    with opened(new) as memory:
        memory.put([note("a", "ours")])
    done = cli("import", file, "--store", str(new))
    assert "1 differ from what is here" in done.err
    assert cli("get", "a", "--store", str(new), "--json").json["text"] == "ours"
    assert cli("import", file, "--store", str(new), "--replace").code == 0
    assert cli("get", "a", "--store", str(new), "--json").json["text"] == "theirs"


def test_a_recorded_answer_holds_on_in_the_new_store(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with opened(tmp_path / "old") as memory:
        memory.put([note("a", "The otter eats fish."), note("b", "The heron eats frogs.")])
        print = memory.search("what does the otter eat?").fingerprint
        assert memory.record_answer("what does the otter eat?", "Fish.", print).recorded
        memory.admin.export_all(file)
    with opened(tmp_path / "new") as memory:
        memory.admin.import_all(file)
        assert memory.search("what does the otter eat?").tier == 0
        memory.put([note("c", "The otter eats crabs.")])
        assert memory.search("what does the otter eat?").status != "cached_answer"


# ------------------------------------------------------------------ random stores

_TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
_NAME = st.text(st.characters(codec="utf-8", min_codepoint=32), min_size=1, max_size=8)
_WHEN = st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
_META = st.dictionaries(
    _NAME,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXT
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAME, inner, max_size=3),
        max_leaves=4,
    ),
    max_size=3,
)  # fmt: skip
_MESSAGE = st.builds(Message, st.sampled_from(("user", "assistant", "tool")), _TEXT, _TEXT, _WHEN)
_DOCUMENT = st.builds(
    lambda talk, messages, text, **fields: Document(
        text="" if talk and messages else text, messages=tuple(messages) if talk else (), **fields
    ),
    talk=st.booleans(), messages=st.lists(_MESSAGE, max_size=3), text=_TEXT,
    external=_NAME, source=st.sampled_from(("one", "two")), kind=_NAME, title=_TEXT, path=_TEXT,
    date=_WHEN, owner=_NAME, scopes=st.lists(_NAME, min_size=1, max_size=3).map(tuple),
    meta=_META, origin=_TEXT, stamp=_TEXT,
)  # fmt: skip
_SOURCE = st.builds(
    Source, st.sampled_from(("one", "two", "three")), _NAME, _TEXT, _TEXT,
    st.lists(
        st.builds(Place, _TEXT, st.none() | st.booleans(), st.booleans()), max_size=2
    ).map(tuple),
)  # fmt: skip
_ANSWER = st.builds(
    Recorded, _NAME, _TEXT, _TEXT, st.text("0123456789abcdef", min_size=32, max_size=32),
    st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.lists(_NAME, max_size=2).map(tuple), _TEXT, st.floats(0, 1), st.booleans(), _TEXT,
    st.none() | st.lists(_NAME, max_size=2).map(tuple),
)  # fmt: skip


def _make(store: Store, documents: list[Document], sources: list[Source], seed: int) -> None:
    import numpy as np

    store.apply(ChangeSet(tuple(Register(source) for source in sources)))
    for n, document in enumerate(documents):
        handles = tuple(f"{document.owner}/{i}" for i in range(n % 3))
        store.apply(ChangeSet((Put(document, passages(document), handles),)))
        if (n + seed) % 4 == 3:
            store.apply(ChangeSet((Forget(document.id),)))
    waiting = store.pending(MODEL, limit=1 + seed)
    if waiting:
        vectors = np.random.default_rng(seed).normal(size=(len(waiting), 4)).astype(np.float32)
        signs = [bytes([n]) * 16 * (n % 3) for n in range(len(waiting))]
        store.put_vectors(MODEL, [key for key, _ in waiting], vectors, signs)


@settings(max_examples=40)
@given(
    st.lists(_DOCUMENT, max_size=6), st.lists(_SOURCE, max_size=3), st.lists(_ANSWER, max_size=2),
    st.integers(0, 5), st.booleans(),
)  # fmt: skip
def test_whatever_is_stored_comes_back_as_it_was(
    documents: list[Document], sources: list[Source], answers: list[Recorded], seed: int, pack: bool
) -> None:
    from recollect.transfer.archive import export_all, import_all

    old = PlainStore()
    _make(old, documents, sources, seed)
    for answer in answers:
        old.answers.keep(answer)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "all.jsonl.gz" if pack else "all.jsonl")
        export_all(old, file, vectors=True, force=False, report=lambda _: None)
        new = EmbeddedStore(Path(scratch, "store"))
        try:
            import_all(new, file, replace=False, report=lambda _: None)
            assert items(new) == items(old)
            assert new.admin.check(full=True).findings == ()
        finally:
            new.close()


# ------------------------------------------------------------------ what is refused


@pytest.fixture
def lines(full: Path, tmp_path: Path) -> list[bytes]:
    with opened(full) as memory:
        memory.admin.export_all(tmp_path / "all.jsonl")
    return (tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)


def refused(tmp_path: Path, content: bytes, error: type[Exception] = InputError) -> str:
    """What an import of this says; and that it has changed nothing."""
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content)
    with opened(tmp_path / "here") as memory:
        memory.put([note("here", "already")])
        before = items(memory.store)
        with pytest.raises(error) as told:
            memory.admin.import_all(file)
        assert items(memory.store) == before
    return str(told.value).replace(str(file), "FILE")


def test_an_edited_line_is_named(lines: list[bytes], tmp_path: Path) -> None:
    number = next(n for n, line in enumerate(lines) if b"otter sleeps" in line)
    lines[number] = lines[number].replace(b"otter sleeps", b"otter swims!")
    assert f"FILE:{number + 1}: it is not as it was written" in refused(tmp_path, b"".join(lines))


@pytest.mark.parametrize("how", ["left out", "doubled", "moved", "put in"])
def test_lines_that_are_not_in_their_places_are_named(
    lines: list[bytes], tmp_path: Path, how: str
) -> None:
    if how == "left out":
        del lines[3]
    elif how == "doubled":
        lines.insert(3, lines[3])
        lines[3], lines[4] = lines[4], lines[3]
        assert "FILE:5:" in refused(tmp_path, b"".join(lines))
        return
    elif how == "moved":
        lines[3], lines[4] = lines[4], lines[3]
    else:
        lines.insert(3, b'{"type":"tombstone","id":"x","at":"2026-01-01T00:00:00Z"}\n')
    assert "FILE:4: it is not as it was written" in refused(tmp_path, b"".join(lines))


def test_a_part_of_a_file_is_refused_wherever_it_ends(lines: list[bytes], tmp_path: Path) -> None:
    whole = b"".join(lines)
    assert f"FILE:{len(lines)}: the end is missing" in refused(tmp_path, b"".join(lines[:-1]))
    assert "FILE:3: it was cut off here" in refused(tmp_path, b"".join(lines[:3])[:-20])
    assert "it cannot be unpacked" in refused(tmp_path, gzip.compress(whole)[:-500])
    assert "no export of recollect" in refused(tmp_path, b"# A note\n")
    assert "there is more" in refused(tmp_path, whole + b"{}\n")


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    from recollect.transfer.archive import SummedLines

    with open(tmp_path / "new.jsonl", "wb") as out:
        SummedLines(out)({"type": "recollect", "format": 2})
    told = refused(tmp_path, (tmp_path / "new.jsonl").read_bytes(), StoreTooNew)
    assert "newer recollect" in told


def test_an_export_replaces_no_file_unasked(full: Path, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("mine")
    with opened(full) as memory:
        with pytest.raises(UsageError, match="there already"):
            memory.admin.export_all(tmp_path / "all.jsonl")
        assert (tmp_path / "all.jsonl").read_text() == "mine"
        memory.admin.export_all(tmp_path / "all.jsonl", force=True)
    head = json.loads((tmp_path / "all.jsonl").read_bytes().splitlines()[0])
    assert head["type"] == "recollect"
    assert datetime.fromisoformat(head["made"]) > datetime.now(UTC) - timedelta(hours=1)


def test_an_import_that_was_cut_off_goes_on(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.transfer import archive as moving

    monkeypatch.setattr(moving, "BATCH", 2)
    with opened(full) as memory:
        memory.admin.export_all(tmp_path / "all.jsonl")

    class Enough(Exception):
        pass

    def stop(progress: Any) -> None:
        if progress.doing == "importing" and progress.done == 3:
            raise Enough

    with opened(tmp_path / "new") as memory:
        with pytest.raises(Enough):
            memory.admin.import_all(tmp_path / "all.jsonl", report=stop)
        assert 0 < memory.status().store.documents < 5
        memory.admin.import_all(tmp_path / "all.jsonl")
    assert everything(tmp_path / "new") == everything(full)


def test_a_cursor_goes_on_with_a_dump_of_another_process(full: Path) -> None:
    store = EmbeddedStore(full)
    whole = list(store.admin.dump())
    store.close()
    again = EmbeddedStore(full)
    assert list(again.admin.dump(after=whole[4].cursor)) == whole[5:]
    put(again, note("later", "new"))
    assert len(list(again.admin.dump(after=whole[-1].cursor))) == 0
    again.close()
