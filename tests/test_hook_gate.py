"""A prompt that has nothing to do with memory ends its hook early, and no other does."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import recollect
from recollect import Memory
from recollect.errors import QueryError
from recollect.memory import unrelated
from recollect.memory.unrelated import _content, is_unrelated
from recollect.nouns import LOCAL
from recollect.nouns.answers import SURE
from recollect.reading import rewrite
from recollect.storage.embedded import glance
from recollect.surfaces.commands import hook, hook_call, hook_gate
from recollect.text.questions.parse import parse

SAMPLES = Path(recollect.__file__).parent / "samples"
IDLE = "please write a haiku about frogs"
CALL = ("prompt", "--client", "claude-code")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without vectors: words alone decide here."""
    place = tmp_path_factory.mktemp("made") / "store"
    with Memory.open(place, embed_model="none") as memory:
        memory.add(SAMPLES / "vault", SAMPLES / "sessions.jsonl")
        memory.remember("We deploy on Fridays", name="deploy day")
        memory.search("harbor")  # which brings the index up to date
    return place


@pytest.fixture
def store(made: Path, home: Path) -> Path:
    """The user's own store."""
    return Path(shutil.copytree(made, home / "data" / "store"))


def idle(prompt: str, *more: str, **payload: Any) -> bool:
    return hook_gate.is_idle([*CALL, *more], json.dumps({"prompt": prompt, **payload}).encode())


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "prompt",
    [IDLE, "translate zebras into Welsh", "rename the variable foo to bar everywhere",
     "generate a uuid in python", "convert this csv to json"],
)  # fmt: skip
def test_a_prompt_of_other_things_ends_early(prompt: str) -> None:
    assert idle(prompt)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "prompt",
    [
        "how do we deploy harbor-api?",
        "what is the deploy day?",
        "what is the deplyo day?",  # a slip
        "what did we do yesterday?",
        "where did we leave off?",
        "schreib ein Gedicht über Frösche, bitte",
        "/compact",
        "",
    ],
)
def test_whatever_may_be_answered_takes_the_whole_way(prompt: str) -> None:
    assert not idle(prompt)


PROMPTS = (
    "how do we deploy harbor-api?", "who owns the ferry timetable?", "flaky timezone test",
    "fix the failing test in utils.py", "why did the departures test fail?", "thanks, commit it",
    "which database do we use?", "explain this stack trace", "what does the nightly job do?",
    "draft an email to the landlord about the heating", "deploy day", "add a retry to the client",
    "what is the capital of Australia?", "make the button blue", "how is the importer tested?",
)  # fmt: skip


def test_nothing_is_lost(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ends early is what the whole way has nothing to say to."""
    early = [prompt for prompt in PROMPTS if idle(prompt)]
    assert early
    for prompt in early:
        assert hook.called(CALL, json.dumps({"prompt": prompt}).encode()) == 0
        assert capsys.readouterr().out == "", prompt


def test_what_the_index_has_not_seen_is_seen(store: Path) -> None:
    assert idle(IDLE)
    with Memory.open() as memory:
        memory.remember("A haiku about frogs is on the fridge", name="fridge")
    assert not idle(IDLE)


def test_settings_that_count_are_left_to_whoever_reads_them(
    store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert idle(IDLE)
    assert idle(IDLE, "--store", str(store))
    assert not idle(IDLE, "--store", "postgresql://db.example/memory")
    assert not idle(IDLE, "--store", str(home / "nowhere"))
    settings = home / "config" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('mode = "conservative"\n')
    assert idle(IDLE)
    settings.write_text('[search]\nowner = "ana"\n')
    assert not idle(IDLE)
    settings.unlink()
    Path(".recollect.toml").write_text('mode = "conservative"\n')
    assert not idle(IDLE)
    Path(".recollect.toml").unlink()
    monkeypatch.setenv("RECOLLECT_SEARCH_OWNER", "ana")
    assert not idle(IDLE)


def test_what_waits_for_the_next_prompt_is_brought(store: Path, home: Path) -> None:
    assert idle(IDLE, session_id="s1")
    assert not idle(IDLE, extra={"is_first_turn": True})
    late = home / "data" / "hooks" / "one.txt"
    late.parent.mkdir()
    late.write_text("something")
    assert not idle(IDLE, session_id="s1")


@pytest.mark.usefixtures("store")
def test_nothing_is_loaded_for_it() -> None:
    script = (
        "import sys; from recollect.surfaces.commands import hook_box\n"
        f"code = hook_box.answered({[*CALL, '--wait']!r}, sys.stdin.buffer.read())\n"
        "loaded = {name for name, one in sys.modules.items() if name.startswith('recollect.')\n"
        "          and type(one).__name__ == 'module'}\n"
        "many = {'recollect.memory', 'recollect.nouns', 'recollect.reading.pipeline'} & loaded\n"
        "others = {'numpy', 'onnxruntime', 'typing', 'pathlib'} & set(sys.modules)\n"
        "sys.exit(str(many | others) if many | others else code)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"],
        input=json.dumps({"prompt": IDLE}), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_store_that_is_torn_is_opened(store: Path) -> None:
    assert is_unrelated(str(store), IDLE, 0.8)
    for file in store.glob("text-*/*"):
        file.write_bytes(b"")
    assert not is_unrelated(str(store), IDLE, 0.8)


@given(st.text(st.characters(codec="ascii"), max_size=80))
@example("\x00_A")
@example("A0I%Y")
@example("0%OrS")
@example("0*-B")
@example("what does own mean, and who owns it?")
def test_the_words_are_those_of_a_search(prompt: str) -> None:
    asked = hook_call.without_syntax(prompt)
    try:
        wanted = parse(asked).content
    except QueryError:
        return
    assert tuple(_content(asked)) == wanted


def test_nonsense_is_left_to_the_hook() -> None:
    assert not hook_gate.is_idle(CALL, b"[]")
    assert not hook_gate.is_idle(CALL, b"{")
    assert not hook_gate.is_idle(("session-start",), io.BytesIO().read())


def test_what_it_says_again_to_begin_fast_is_what_the_search_goes_by() -> None:
    assert (hook_gate.SURE, unrelated.OWNER) == (SURE, LOCAL)
    assert (glance.CORRECTED, glance.ENDING) == (rewrite.SHORTEST, rewrite.ENDING)
