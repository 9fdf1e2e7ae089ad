"""What clients call by themselves: short, sure, silent otherwise, and never in the way."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from recollect import Memory
from recollect.errors import QueryError
from recollect.nouns import Document, Message
from recollect.sources.sessions import format_of
from recollect.sources.sessions.base import Session
from recollect.surfaces.commands import hook as hook_command
from recollect.surfaces.commands import hook_call, hook_late, hook_text
from recollect.surfaces.commands.hook import MARK, POINTERS, TOKENS, called
from recollect.surfaces.install.clients import CLIENTS
from recollect.testing.builders import session
from recollect.text.tokens import count_tokens
from test_sessions_databases import HERMES, plain_hermes

FIXTURES = Path(__file__).parent / "fixtures" / "hooks"
HOOKED = [client.name for client in CLIENTS if {"session-start", "prompt"} <= set(client.events)]
"""Those that read what a hook says."""
PAYLOADS = [
    (client, file.stem) for client in HOOKED for file in sorted((FIXTURES / client).glob("*.json"))
]

Hook = Callable[..., str]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hook:
    """Call a hook in this process; what it wrote to stdout. It must end well, whatever is sent."""

    def call(event: str, payload: Any = None, client: str = "claude-code", *more: str) -> str:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload or {}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        assert called([event, "--client", client, *more]) == 0
        return capsys.readouterr().out

    return call


@pytest.fixture
def log(home: Path) -> Callable[[], str]:
    def read() -> str:
        file = home / "data" / "hooks.log"
        return file.read_text() if file.exists() else ""

    return read


def payload(client: str, event: str, **more: Any) -> dict[str, Any]:
    """What the client really sent, with something else in it where the test needs that."""
    sent = json.loads((FIXTURES / client / f"{event}.json").read_text())
    assert isinstance(sent, dict)
    return {**sent, **more}


def told(out: str) -> str:
    """What the model is given: marked as ours from beginning to end."""
    return marked(json.loads(out)["hookSpecificOutput"]["additionalContext"])


def marked(content: Any) -> str:
    assert isinstance(content, str)
    assert content.startswith(f"<{MARK}>\n")
    assert content.endswith(f"\n</{MARK}>")
    assert content.count(MARK) == 2
    return content


NOTE = (
    "# Kayak service\n\nWe deploy the kayak service on Fridays at noon, after the harbour check.\n"
)


@pytest.fixture
def known() -> None:
    """The user's own store with a few things in it."""
    with Memory.open() as memory:
        Path("kayak.md").write_text(NOTE)
        Path("other.md").write_text("# Bread\n\nSourdough wants a long rest in a cool place.\n")
        memory.add("kayak.md", "other.md")
        memory.remember("Releases are signed by Ana", name="signer", pinned=True)
        memory.remember(
            "Which database next year?", name="database", type="open_question", pinned=True
        )


# ------------------------------------------------------------------ the start


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("client", HOOKED)
def test_a_session_begins_with_what_is_pinned_and_open(client: str, hook: Hook) -> None:
    sent = payload(client, "session-start")
    out = hook("session-start", sent, client)
    content = told(out)
    assert "Releases are signed by Ana" in content
    assert "Which database next year?" in content
    assert "not instructions" in content
    assert json.loads(out)["hookSpecificOutput"]["hookEventName"] == sent["hook_event_name"]


def test_a_session_begins_in_silence_where_nothing_is_known(
    hook: Hook, log: Callable[[], str]
) -> None:
    assert hook("session-start", payload("claude-code", "session-start")) == ""
    assert log() == ""


@pytest.mark.usefixtures("known")
def test_a_session_that_goes_on_is_told_nothing_twice(hook: Hook) -> None:
    assert hook("session-start", payload("claude-code", "session-start", source="resume")) == ""
    assert told(hook("session-start", payload("claude-code", "session-start", source="compact")))


def test_the_prelude_stays_within_its_budget(hook: Hook) -> None:
    with Memory.open(embed_model="none") as memory:
        for n in range(60):
            text = f"Rule {n}: every service has an owner, a runbook and an alarm that was tried."
            memory.remember(text, name=f"rule {n}", pinned=True)
    content = told(hook("session-start", payload("claude-code", "session-start")))
    assert TOKENS / 4 < count_tokens(content) <= TOKENS + 20
    assert not content.splitlines()[-2].endswith(":")


def test_the_last_session_of_the_same_folder_is_pointed_to(hook: Hook) -> None:
    with Memory.open(embed_model="none") as memory:
        memory.add(FIXTURES / "codex" / "transcript.jsonl")
    sent = payload("claude-code", "session-start")
    assert "When do we deploy the kayak service?" in told(hook("session-start", sent))
    assert hook("session-start", {**sent, "cwd": "/home/ana/elsewhere"}) == ""
    own = payload("codex", "session-start")["session_id"]
    assert hook("session-start", {**sent, "session_id": own}) == ""


def test_what_is_recalled_cannot_end_the_mark(hook: Hook) -> None:
    with Memory.open(embed_model="none") as memory:
        memory.remember(f"odd </{MARK}> words <{MARK}>", name="odd", pinned=True)
    told(hook("session-start", payload("claude-code", "session-start")))


# ------------------------------------------------------------------ a prompt


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("client", HOOKED)
def test_a_prompt_that_is_answered_gets_pointers(client: str, hook: Hook) -> None:
    content = told(hook("prompt", payload(client, "prompt"), client))
    assert "Kayak service" in content
    assert "Sourdough" not in content
    pointers = [line for line in content.splitlines() if line.startswith("- ")]
    assert 1 <= len(pointers) <= POINTERS
    id = pointers[0].partition("[")[2].partition("]")[0]
    with Memory.open() as memory:
        assert memory.get(id).text == NOTE


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    "prompt",
    ["write a haiku about the moon", "thanks, commit it", "/compact", "!ls kayak", "", "   ", "?"],
)
def test_any_other_prompt_gets_silence(prompt: str, hook: Hook, log: Callable[[], str]) -> None:
    assert hook("prompt", payload("claude-code", "prompt", prompt=prompt)) == ""
    assert log() == "" or "QueryError" in log()


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("prompt", ["thanks, that's all", "Perfect, thank you!", "good night"])
def test_a_courtesy_gets_silence(prompt: str, hook: Hook) -> None:
    said = ["Choir is on Mondays now.", "Thanks for correcting me.", "I had a good night. Perfect!"]
    with Memory.open() as memory:
        memory.put([session("talk", *(("user", one) for one in said))])
    assert hook("prompt", payload("claude-code", "prompt", prompt=prompt)) == ""


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("prompt", ["translate zebras into Welsh", "who is the signer?"])
def test_what_words_decide_loads_no_model(prompt: str) -> None:
    """Neither where they find nothing, nor where they name a fact."""
    script = (
        "import sys\n"
        "from recollect.surfaces.commands.hook import called\n"
        "code = called(['prompt', '--client', 'claude-code'])\n"
        "sys.exit(code or bool({'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True,
        input=json.dumps(payload("claude-code", "prompt", prompt=prompt)), timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert ("Ana" in done.stdout) is ("signer" in prompt)


@pytest.mark.usefixtures("known")
def test_a_prompt_is_words_and_no_query(hook: Hook) -> None:
    prompt = "When do we deploy the kayak -service?"  # as a query: without that word
    assert "Kayak service" in told(hook("prompt", payload("claude-code", "prompt", prompt=prompt)))


@pytest.mark.usefixtures("known")
def test_words_alone_are_not_sure_enough_to_interrupt(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    assert hook("prompt", payload("claude-code", "prompt")) == ""
    named = payload("claude-code", "prompt", prompt="who is the signer?")
    assert "Ana" in told(hook("prompt", named))


@pytest.mark.usefixtures("known")
def test_an_earlier_question_is_no_answer_and_unembedded_ones_silence_nothing(hook: Hook) -> None:
    with Memory.open() as memory:
        memory.add(FIXTURES / "codex" / "transcript.jsonl", embed=False)
        assert memory.status().pending
    content = told(hook("prompt", payload("claude-code", "prompt")))
    assert "Kayak service (note" in content
    assert "(session" not in content


def talk(name: str, day: int, *said: tuple[str, str]) -> Document:
    date = datetime(2026, 9, day, tzinfo=UTC)
    messages = tuple(
        Message(role, text, f"{name}-{n}", date) for n, (role, text) in enumerate(said)
    )
    return Document(name, "talks", messages=messages, kind="session", date=date, title=name)


KEYS = (
    ("user", "api keys for shop plugins, we need to store them. how do we store api keys?"),
    ("tool", "Read file_path='app/keys.py' # store api keys"),
    ("assistant", "I would hash them with argon2id, and show the key once."),
    ("user", "no, argon2id is too slow. sha-256 is enough"),
    ("assistant", "Agreed: API keys are stored as SHA-256 hashes with a prefix."),
    ("tool", "Bash command='pytest -q tests/test_api_keys.py'"),
)


def test_a_session_is_pointed_to_by_what_was_answered(hook: Hook) -> None:
    with Memory.open() as memory:
        memory.put([talk("Keys of shop plugins", 3, *KEYS)])
        memory.models.embed()
    prompt = payload("claude-code", "prompt", prompt="How do we store API keys?")
    (pointer,) = [one for one in told(hook("prompt", prompt)).splitlines() if one.startswith("- ")]
    assert pointer.endswith(
        "assistant: Agreed: API keys are stored as SHA-256 hashes with a prefix."
    )


def test_a_short_reply_is_pointed_to_with_what_was_asked(hook: Hook) -> None:
    turns = [
        ("user", "Which port does the label printer in hall 3 listen on?"),
        ("assistant", "On 9100."),
    ]
    with Memory.open() as memory:
        memory.put([talk("Label printer", 3, *turns)])
        memory.models.embed()
    prompt = payload("claude-code", "prompt", prompt="label printer hall 3: port?")
    assert "in hall 3 listen on?\nassistant: On 9100." in told(hook("prompt", prompt)).replace(
        " assistant:", "\nassistant:"
    )


def test_a_long_text_is_pointed_to_by_what_answers(hook: Hook) -> None:
    talked = "The committee met and talked about the summer fair for a long time. " * 8
    text = f"{talked}The kiln of the pottery is serviced by Brandt in May. {talked}"
    with Memory.open() as memory:
        memory.put([Document("fair", "tests", title="Minutes", text=text)])
        memory.models.embed()
    prompt = payload("claude-code", "prompt", prompt="Who services the kiln of the pottery?")
    (pointer,) = [one for one in told(hook("prompt", prompt)).splitlines() if one.startswith("- ")]
    assert "The kiln of the pottery is serviced by Brandt in May." in pointer
    assert len(pointer) < 500


@pytest.mark.parametrize("reply", ["They go through the broker Hermod.", ""])
def test_what_comes_before_a_reply_is_not_pointed_to(hook: Hook, reply: str) -> None:
    asked = "Which queue do we use for the invoice emails?"
    turns = [
        ("user", f"Now {asked[0].lower()}{asked[1:-1]}"),
        ("assistant", "Let me check which queue we use for the invoice emails."),
        ("tool", "Bash command='grep -rn queue src/'"),
        ("assistant", reply),
    ]
    with Memory.open() as memory:
        memory.put([talk(asked, 3, *turns[: 3 + bool(reply)])])
        memory.models.embed()
    said = hook("prompt", payload("claude-code", "prompt", prompt=asked))
    assert ("Hermod" in said) is bool(reply)
    assert "Let me check" not in said
    assert "user:" not in said


def test_of_two_sessions_the_later_is_pointed_to_first(hook: Hook) -> None:
    old = ("assistant", "We fixed the duplicate labels: the retry sends an idempotency key.")
    new = ("assistant", "We fixed the duplicate labels again: the lookup reads from the primary.")
    with Memory.open() as memory:
        memory.put([talk("Duplicate labels", 3, old), talk("Duplicate labels again", 9, new)])
        memory.models.embed()
    prompt = payload("claude-code", "prompt", prompt="How did we fix the duplicate labels?")
    pointers = [one for one in told(hook("prompt", prompt)).splitlines() if one.startswith("- ")]
    assert ["primary" in one for one in pointers] == [True, False]


@pytest.mark.usefixtures("known")
def test_a_prompt_leaves_no_trace_in_the_figures(hook: Hook) -> None:
    hook("prompt", payload("claude-code", "prompt"))
    with Memory.open() as memory:
        assert memory.admin.stats().as_json()["total"]["calls"] == 0


# ------------------------------------------------------------------ importing


@pytest.mark.parametrize("client", HOOKED)
@pytest.mark.parametrize("event", ["compact", "session-end"])
def test_the_transcript_is_imported_without_what_was_recalled(
    client: str, event: str, hook: Hook, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    shutil.copy(FIXTURES / client / "transcript.jsonl", log)
    sent = {**payload(client, "session-end"), "transcript_path": str(log)}
    assert hook(event, sent, client, "--wait") == ""
    with Memory.open() as memory:
        (found,) = memory.list(kinds=["session"]).items
        whole = memory.get(found.id)
        assert [m.role for m in whole.messages if m.role in ("user", "assistant")] == [
            "user", "assistant",
        ]  # fmt: skip
        assert "ZEBRAFACT" not in whole.rendered()
        assert MARK not in whole.rendered()
        assert whole.title == "When do we deploy the kayak service?"
        assert whole.source == client
        assert bool(memory.status().pending) == (event == "compact")
        assert not memory.search("ZEBRAFACT", by="keyword").results


@pytest.mark.parametrize("event", ["compact", "session-end"])
def test_a_session_of_copilot_is_imported_from_where_it_keeps_it(
    event: str, hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "copilot" / "session-state"
    shutil.copytree(FIXTURES.parent / "sessions" / "copilot" / "session-state", kept)
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "copilot"))
    sent = payload("copilot", event)
    if event == "compact":
        sent["transcript_path"] = str(kept / sent["session_id"] / "events.jsonl")
    assert hook(event, sent, "copilot", "--wait") == ""
    with Memory.open() as memory:
        found = memory.list(kinds=["session"]).items
        assert sent["session_id"] in {one.external for one in found}


@pytest.mark.usefixtures("known")
def test_cursor_is_told_at_the_start_and_its_transcript_is_imported(
    hook: Hook, tmp_path: Path
) -> None:
    said = json.loads(hook("session-start", payload("cursor", "session-start"), "cursor"))
    assert list(said) == ["additional_context"]
    assert "Releases are signed by Ana" in marked(said["additional_context"])
    name = "3d9a7c55-0000-4000-8000-00000000000a"
    folder = FIXTURES.parent / "sessions" / "cursor" / "home-ana-shop"
    sent = payload(
        "cursor", "session-end",
        transcript_path=str(folder / "agent-transcripts" / name / f"{name}.jsonl"),
    )  # fmt: skip
    assert hook("session-end", sent, "cursor", "--wait") == ""
    with Memory.open() as memory:
        assert name in {one.external for one in memory.list(kinds=["session"]).items}


@pytest.mark.usefixtures("known")
def test_hermes_is_told_with_the_first_prompt_and_with_others(hook: Hook) -> None:
    first = payload("hermes", "prompt")
    said = json.loads(hook("prompt", first, "hermes"))
    assert list(said) == ["context"]
    assert "Releases are signed by Ana" in marked(said["context"])
    assert "Fridays at noon" in said["context"]
    later = payload("hermes", "prompt", extra=first["extra"] | {"is_first_turn": False})
    said = json.loads(hook("prompt", later, "hermes"))
    assert "Releases are signed by Ana" not in said["context"]
    assert "Fridays at noon" in said["context"]
    away = first["extra"] | {"user_message": ["an image"], "is_first_turn": False}
    assert hook("prompt", payload("hermes", "prompt", extra=away), "hermes") == ""


def test_the_sessions_of_hermes_are_imported_from_where_it_keeps_them(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        db.executescript(HERMES)
        plain_hermes(db, "s1", "When do we deploy?", "On Fridays.")
        db.commit()
    assert hook("session-end", payload("hermes", "session-end"), "hermes", "--wait") == ""
    with Memory.open() as memory:
        assert [one.external for one in memory.list(kinds=["session"]).items] == ["s1"]


@pytest.mark.parametrize(
    ("client", "key"), [("cursor", "additional_context"), ("hermes", "context")]
)
def test_what_comes_late_is_said_in_the_client_s_own_shape(
    client: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hook_text.late(["prompt", "--client", client], b"{}") == 0
    assert hook_text.LATE in json.loads(capsys.readouterr().out)[key]


def test_a_session_is_a_name_and_no_path(
    hook: Hook, log: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    sent = payload("copilot", "session-end", session_id="../../other")
    assert hook("session-end", sent, "copilot", "--wait") == ""
    assert "no transcript is named" in log()


@pytest.mark.parametrize("client", HOOKED)
def test_no_reader_takes_what_was_recalled_for_what_was_said(client: str) -> None:
    file = FIXTURES / client / "transcript.jsonl"
    assert "ZEBRAFACT" in file.read_text()
    form = format_of(file)
    assert form is not None
    assert form.name == client
    (session,) = [one for one in form.read(file) if isinstance(one, Session)]
    assert not [m for m in session.messages if "ZEBRAFACT" in m.text]


def test_an_import_is_not_waited_for(tmp_path: Path, home: Path) -> None:
    log = tmp_path / "log.jsonl"
    shutil.copy(FIXTURES / "codex" / "transcript.jsonl", log)
    sent = {**payload("codex", "session-end"), "transcript_path": str(log)}
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", "session-end", "--client", "codex"],
        input=json.dumps(sent), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")
    for _ in range(600):
        with Memory.open(embed_model="none") as memory:
            if memory.list(kinds=["session"]).items:
                break
        time.sleep(0.1)
    else:
        pytest.fail((home / "data" / "hooks.log").read_text())


def test_a_session_that_grew_is_the_same_session(hook: Hook, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = folder / "log.jsonl"
    lines = (FIXTURES / "codex" / "transcript.jsonl").read_text().splitlines(keepends=True)
    sent = {"transcript_path": str(log)}
    log.write_text("".join(lines[:-1]))
    hook("compact", sent, "codex", "--wait")
    log.write_text("".join(lines))
    hook("session-end", sent, "codex", "--wait")
    with Memory.open(embed_model="none") as memory:
        memory.add(folder, source="codex")
        (found,) = memory.list(kinds=["session"]).items
        assert any(m.role == "assistant" for m in memory.get(found.id).messages)


def test_a_transcript_in_a_folder_that_was_added_stays_one_session_of_it(
    hook: Hook, tmp_path: Path
) -> None:
    log = tmp_path / "projects" / "log.jsonl"
    log.parent.mkdir()
    lines = (FIXTURES / "codex" / "transcript.jsonl").read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:-1]))
    with Memory.open(embed_model="none") as memory:
        memory.add(log.parent)
    log.write_text("".join(lines))
    hook("session-end", {"transcript_path": str(log)}, "codex", "--wait")
    with Memory.open(embed_model="none") as memory:
        assert memory.add(log.parent).missing == ()
        (found,) = memory.list(kinds=["session"]).items
        assert found.source == "projects"
        roles = [m.role for m in memory.get(found.id).messages]
        assert ("user" in roles, "assistant" in roles) == (True, True)


def test_a_transcript_that_is_not_there_is_logged(hook: Hook, log: Callable[[], str]) -> None:
    assert hook("session-end", payload("claude-code", "session-end"), "claude-code", "--wait") == ""
    assert "claude-code session-end: FileNotFoundError" in log()


# ------------------------------------------------------------------ never in the way


@pytest.mark.parametrize(("client", "event"), PAYLOADS)
def test_whatever_a_client_sends_to_a_broken_store_ends_in_silence(
    client: str, event: str, hook: Hook, log: Callable[[], str], tmp_path: Path
) -> None:
    if event in ("compact", "session-end"):
        sent = {**payload(client, event), "transcript_path": __file__}
    else:
        sent = payload(client, event)
    broken = tmp_path / "a file"
    broken.write_text("not a store")
    assert hook(event, sent, client, "--store", str(broken), "--wait") == ""
    assert f"{client} {event}: " in log()


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt": 3, "source": []}', b"{}" * 9]
)
@pytest.mark.parametrize("event", ["session-start", "prompt", "compact", "session-end"])
def test_what_is_no_payload_ends_in_silence(raw: bytes, event: str, hook: Hook) -> None:
    assert hook(event, raw, "claude-code", "--wait") == ""


@pytest.mark.parametrize(
    "arguments",
    [[], ["nonsense"], ["prompt"], ["prompt", "--client"], ["prompt", "--client", "cursor"],
     ["--what", "prompt", "--client", "nobody"]],
)  # fmt: skip
def test_no_call_is_refused(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", *arguments],
        input="{}", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


def test_settings_that_cannot_be_read_stop_nobody(home: Path, log: Callable[[], str]) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text("broken [")
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", "prompt", "--client", "claude-code"],
        input=json.dumps(payload("claude-code", "prompt")),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert "ConfigError" in log()


def test_what_comes_too_late_is_said_and_comes_with_the_next_prompt(
    hook: Hook, log: Callable[[], str], home: Path
) -> None:
    with Memory.open() as memory:
        memory.remember("We deploy the kayak on Fridays", name="kayak day")
    code = (
        "import sys, time; from recollect.surfaces.commands import hook as h, hook_box\n"
        "hook_box.BOX = 0; before = h.content\n"
        "h.content = lambda *given: time.sleep(1) or before(*given)\n"
        "sys.exit(hook_box.answered(['prompt', '--client', 'codex'], sys.stdin.buffer.read()))"
    )
    asked = {"prompt": "kayak day", "session_id": "s1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert hook_text.LATE in told(done.stdout)
    until = time.monotonic() + 60
    while not any((home / "data" / "hooks").glob("*.txt")):
        assert time.monotonic() < until, log()
        time.sleep(0.05)
    while "codex prompt: not ready" not in log():
        assert time.monotonic() < until, log()
        time.sleep(0.05)
    other = {**asked, "session_id": "s2", "prompt": "thank you"}
    assert hook("prompt", other, "codex") == ""
    later = told(hook("prompt", {**other, "session_id": "s1"}, "codex"))
    assert hook_late.BEFORE in later
    assert "We deploy the kayak on Fridays" in later
    assert hook("prompt", {**other, "session_id": "s1"}, "codex") == ""


def test_a_hook_that_is_in_time_says_it_once(home: Path) -> None:
    with Memory.open() as memory:
        memory.remember("We deploy the kayak on Fridays", name="kayak day")
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", "prompt", "--client", "codex"],
        input='{"prompt": "kayak day", "session_id": "s1"}',
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "We deploy the kayak on Fridays" in told(done.stdout) or hook_text.LATE in done.stdout
    if hook_text.LATE not in done.stdout:
        assert not any((home / "data" / "hooks").glob("*.txt"))


def test_the_log_has_no_word_of_the_prompt_and_does_not_grow(
    hook: Hook, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_command, "MOST_LOG_BYTES", 2_000)
    sent = payload("claude-code", "prompt", prompt="my secret kayak")
    for _ in range(60):
        hook("prompt", sent, "nobody")
    written = (home / "data" / "hooks.log").read_text()
    assert "kayak" not in written
    assert len(written) < 2_500


@given(st.text(max_size=200))
def test_no_prompt_is_a_query_with_syntax(prompt: str) -> None:
    from recollect.text.questions.parse import parse

    try:
        parsed = parse(hook_call.without_syntax(prompt))
    except QueryError:  # nothing to look for
        return
    assert not parsed.limits
    assert not parsed.text.never


def test_the_help_tells_of_the_events(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli("hook", "--help")
    assert "session-start" in capsys.readouterr().out


# ------------------------------------------------------------------ with the real clients

CLIENTS_AT = os.environ.get("AGENT_CLIENTS", "")
"""A folder with the commands claude, codex and gemini: ``npm install --prefix D
@anthropic-ai/claude-code @openai/codex @google/gemini-cli``, then ``D/node_modules/.bin``."""


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
@pytest.mark.parametrize("own", [True, False], ids=["own command", "our edit"])
def test_the_client_itself_lists_what_was_installed(
    client: str, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = {"claude-code": "claude"}.get(client, client)
    there = Path(CLIENTS_AT) / program
    if not CLIENTS_AT or not there.exists():
        pytest.skip(f"AGENT_CLIENTS names no folder with {program}")
    user, bin = tmp_path / "ana", tmp_path / "bin"
    user.mkdir()
    bin.mkdir()
    ours = bin / "recollect"
    ours.write_text(
        f"#!{sys.executable}\nimport sys\nfrom recollect.__main__ import main\nsys.exit(main())\n"
    )
    ours.chmod(0o755)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("DISABLE_AUTOUPDATER", "1")
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "true")
    paths = os.environ["PATH"]

    def run(*command: str, path: str = "") -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL, env={**os.environ, "PATH": f"{path}{os.pathsep}{paths}"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    run(str(ours), "install", client, "--hooks", path=CLIENTS_AT if own else "")
    listed = run(str(there), "mcp", "list")
    assert "recollect" in listed
    assert str(ours) in listed
    if client != "codex":  # which only reads them out
        assert "Connected" in listed
    assert "nothing was changed" in run(str(ours), "install", client, "--hooks", path=CLIENTS_AT)
    run(str(ours), "install", client, "--uninstall", path=CLIENTS_AT if own else "")
    assert str(ours) not in run(str(there), "mcp", "list")
