"""One process answers for others on its store, as each would have answered itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from mcp_client import Client, small_store
from recollect import Memory
from recollect.surfaces.commands import hook_late, hook_text
from recollect.surfaces.warm import holders, wire

_TELL = """
import sys
from recollect.surfaces.warm import client, wire
{before}
from recollect.__main__ import main
code = main()
engine = ("recollect.memory", "recollect.surfaces.commands.hook")
loaded = any(type(sys.modules.get(name)).__name__ == "module" for name in engine)
sys.stderr.write("\\nitself" if loaded else "\\nasked")
sys.exit(code)
"""
TIMES = re.compile(r'\d+ ms|"timing_ms": [\d.]+|"ms": [\d.]+|"at": "[^"]+"|[\d.]+(?=,?\s*"took)')


PATIENT = """
from recollect.surfaces.commands import hook_box
hook_box.BOX = 60
"""
"""A hook that waits as long as a busy machine takes."""


HURRIED = """
from recollect.surfaces.commands import hook_box
hook_box.BOX = hook_box.LEAST = 0
"""


class Ran(NamedTuple):
    out: str
    error: str
    code: int
    by: str
    """``asked`` where another process answered, ``itself`` where this one did."""


def run(
    *words: str,
    before: str = "",
    stdin: str = "",
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """A command as a process of its own, and whether that loaded the engine."""
    done = subprocess.run(
        [sys.executable, "-c", _TELL.format(before=before), *words],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(variables or {})},
        timeout=120,
    )
    error, _, by = done.stderr.rpartition("\n")
    assert by in ("asked", "itself"), done.stderr
    return Ran(TIMES.sub("", done.stdout), error, done.returncode, by)


@pytest.fixture
def store(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's own store, with two notes, a session and a fact."""
    made = home / "data" / "store"
    made.parent.mkdir(parents=True)
    os.chmod(home / "data", 0o700)
    short = tempfile.TemporaryDirectory(prefix="warm-")  # a socket's path is at most 107 bytes
    monkeypatch.setenv("XDG_RUNTIME_DIR", short.name)
    (tmp_path / "src").mkdir()
    shutil.move(small_store(tmp_path / "src"), made)
    with Memory.open(made) as memory:
        memory.remember("We deploy on Fridays", name="deploy day", scopes=["work"])
        memory.remember("The reef is closed in May", name="reef", scopes=["secret"])
    yield made
    short.cleanup()


@pytest.fixture
def start(store: Path) -> Iterator[Callable[..., Client]]:
    """Starts servers that hold the store, or wait to."""
    clients = []

    def one(*arguments: str, holds: bool = True) -> Client:
        client = Client("mcp", *arguments)
        clients.append(client)
        until = time.monotonic() + 60
        while holds and holders.holder_of(str(store)) != client.process.pid:
            assert time.monotonic() < until, "it does not hold the store"
            time.sleep(0.05)
        return client

    yield one
    for client in clients:
        client.process.kill()
        client.leave()


COMMANDS = [
    ("search", "when do we deploy?", "--no-cache"),
    ("search", "when do we deploy?", "--no-cache", "--json"),
    ("search", "deploy", "day", "--no-cache"),
    ("search", "zeppelin upholstery", "--no-cache"),
    ("sessions", "umlauts"),
    ("context", "deploying", "--json"),
    ("facts",),
    ("get", "keys.md"),
    ("get", "nothing-of-that-name"),
    ("get", "nothing-of-that-name", "--json"),
    ("list", "--kind", "note"),
    ("history", "deploy day"),
    ("search",),
    ("search", "x", "--limit", "many"),
    ("search", "--no-such-option", "x"),
]


def test_a_holder_answers_with_the_same_bytes(start: Callable[..., Client]) -> None:
    start()
    for words in COMMANDS:
        warm, cold = run(*words), run(*words, variables={"RECOLLECT_WARM": "off"})
        assert warm.by == "asked", words
        assert warm._replace(by="") == cold._replace(by=""), words


def test_a_terminal_gets_its_colours_and_its_width(start: Callable[..., Client]) -> None:
    start()
    seen = {"NO_COLOR": "", "FORCE_COLOR": "1", "COLUMNS": "44"}
    asked = ("search", "signing keys", "--no-cache")
    warm, cold = (
        run(*asked, variables={**seen, "RECOLLECT_WARM": switch}) for switch in ("on", "off")
    )
    assert warm.by == "asked"
    assert "\x1b[1m" in warm.out
    assert warm.out == cold.out != run(*asked).out


def test_settings_and_folder_of_who_asks_hold(
    start: Callable[..., Client], tmp_path: Path, store: Path
) -> None:
    start()
    asked = ("search", "when is the reef closed?", "--json")
    assert "closed in May" in run(*asked).out
    walled = run(*asked, variables={"RECOLLECT_SEARCH_SCOPES": "work"})
    assert (walled.by, "closed in May" in walled.out) == ("asked", False)
    project = tmp_path / "project"
    project.mkdir()
    (project / ".recollect.toml").write_text('[search]\nscopes = ["work"]\n')
    walled = run(*asked, cwd=project)
    assert (walled.by, "closed in May" in walled.out) == ("asked", False)
    named = run(*asked, "--store", "store", cwd=store.parent)
    assert (named.by, "closed in May" in named.out) == ("asked", True)


def test_who_wants_to_does_it_alone(start: Callable[..., Client], home: Path) -> None:
    start()
    asked = ("search", "signing keys")
    alone: list[Ran] = [
        run(*asked, variables={"RECOLLECT_WARM": "off"}),
        run(*asked, before="wire.VERSION = b'another'"),
        run(*asked, "--store", str(home / "other")),
        run(*asked, variables={"TZ": "Asia/Tokyo"}),
        run("forget", "reef"),
    ]
    assert [one.by for one in alone] == ["itself"] * len(alone)
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("warm = false\n")
    assert run(*asked).by == "itself"


def test_only_the_owner_can_reach_it(start: Callable[..., Client], store: Path) -> None:
    start()
    path = holders.socket_of(str(store))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.parent.chmod(0o755)
    assert run("facts").by == "itself"


_KNOCK = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setuid(int(sys.argv[3]))
with socket.socket(socket.AF_UNIX) as one:
    one.settimeout(30)
    one.connect(sys.argv[2])
    try:
        one.sendall(bytes(4))
        print(one.recv(1))
    except ConnectionError:
        print(b"")
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may be others")
def test_another_user_is_not_even_declined(start: Callable[..., Client], store: Path) -> None:
    start()
    path = holders.socket_of(str(store))
    path.chmod(0o666)
    path.parent.chmod(0o711)
    knock = [sys.executable, "-c", _KNOCK, str(path.parent), path.name]
    said = [subprocess.check_output([*knock, user], text=True).strip() for user in ("0", "65534")]
    assert said == [str(wire.WILL_NOT), "b''"]


def test_the_next_takes_over_and_a_stale_socket_is_nothing(
    start: Callable[..., Client], store: Path
) -> None:
    first, second = start(), start(holds=False)
    assert run("facts").by == "asked"
    first.process.kill()
    first.process.wait()
    until = time.monotonic() + 60
    while holders.holder_of(str(store)) != second.process.pid:
        assert time.monotonic() < until, "nobody took over"
        time.sleep(0.05)
    assert run("facts").by == "asked"
    assert f"process {second.process.pid} answers" in run("status").out
    second.process.kill()
    second.process.wait()
    assert holders.socket_of(str(store)).exists()
    alone = run("facts")
    assert (alone.by, "We deploy on Fridays" in alone.out) == ("itself", True)
    assert "answers for" not in run("status").out


def _models_in(client: Client) -> bool:
    """Whether a server has the runtime of the models in its memory."""
    return "onnxruntime" in Path(f"/proc/{client.process.pid}/maps").read_text()


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_further_servers_use_the_engine_of_the_first(
    start: Callable[..., Client], store: Path
) -> None:
    first, walled, second = start(), start("--scope", "work", holds=False), start(holds=False)
    query = "why does the importer break on accents"
    told = TIMES.sub("", first.call("search", query=query))
    assert "It read Latin-1" in told
    assert TIMES.sub("", second.call("search", query=query)) == told
    reef = [one.call("search", query="when is the reef closed?") for one in (second, walled)]
    assert ["closed in May" in text for text in reef] == [True, False]
    with pytest.raises(AssertionError, match="nothing-of-that-name"):
        second.call("get", id="nothing-of-that-name")
    assert [*map(_models_in, (first, second, walled))] == [True, False, False]
    second.call("remember", text="The slip tool needs Go", name="slip")
    assert "needs Go" in first.call("search", query="slip")
    first.process.send_signal(signal.SIGSTOP)
    assert "It read Latin-1" in second.call("search", query=query)  # it hangs
    first.process.kill()
    first.process.wait()
    assert "We deploy on Fridays" in walled.call("search", query="deploy day")  # it is gone


def test_a_holder_that_hangs_is_not_waited_for(start: Callable[..., Client]) -> None:
    client = start()
    client.process.send_signal(signal.SIGSTOP)
    alone = run("facts")
    assert (alone.by, "We deploy on Fridays" in alone.out) == ("itself", True)


def test_a_store_that_was_moved_or_restored_is_opened_again(
    start: Callable[..., Client], store: Path
) -> None:
    start()
    assert run("facts").by == "asked"
    store.rename(store.with_name("before"))
    with Memory.open(store) as memory:
        memory.remember("We deploy on Mondays", name="deploy day")
    now = run("facts")
    assert (now.by, "Mondays" in now.out, "Fridays" in now.out) == ("asked", True, False)


def test_a_holder_killed_in_the_middle_costs_nobody_an_answer(
    start: Callable[..., Client], store: Path
) -> None:
    wanted = run("facts", variables={"RECOLLECT_WARM": "off"})
    for number in range(4):
        client = start()
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "facts"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(0.02 * (number + 1))
        client.process.kill()
        out, error = process.communicate(timeout=60)
        assert (process.returncode, error, TIMES.sub("", out)) == (0, "", wanted.out)


def test_a_write_is_done_once_whatever_becomes_of_the_holder(
    start: Callable[..., Client], store: Path
) -> None:
    client = start()
    words = ("remember", "The buoy is painted green", "--name", "buoy")
    process = subprocess.Popen([sys.executable, "-m", "recollect", *words])
    time.sleep(0.1)
    client.process.kill()
    assert process.wait(60) == 0
    with Memory.open(store) as memory:
        assert [fact.name for fact in memory.facts().items].count("buoy") == 1


def test_a_hook_is_answered_by_the_holder(start: Callable[..., Client]) -> None:
    start()
    sent = json.dumps({"prompt": "deploy day", "hook_event_name": "UserPromptSubmit"})
    words = ("hook", "prompt", "--client", "claude-code")
    alone = "import os; os.fork = lambda: sys.exit('it did so itself')"
    warm = run(*words, stdin=sent, before=f"{PATIENT}\n{alone}")
    cold = run(*words, stdin=sent, before=PATIENT, variables={"RECOLLECT_WARM": "off"})
    assert "We deploy on Fridays" in warm.out
    assert warm.out == cold.out


def test_what_a_holder_has_too_late_comes_with_the_next_prompt(
    start: Callable[..., Client], home: Path
) -> None:
    start()
    words = ("hook", "prompt", "--client", "claude-code")
    sent = {"prompt": "deploy day", "session_id": "s9", "hook_event_name": "UserPromptSubmit"}
    late = run(*words, stdin=json.dumps(sent), before=HURRIED)
    assert hook_text.LATE in late.out
    until = time.monotonic() + 60
    while not any((home / "data" / "hooks").glob("*.txt")):
        assert time.monotonic() < until, "it was not kept"
        time.sleep(0.05)
    after = run(*words, stdin=json.dumps({**sent, "prompt": "thank you"}), before=PATIENT)
    assert "We deploy on Fridays" in after.out
    assert hook_late.BEFORE in after.out


def test_doctor_names_the_holder(start: Callable[..., Client], store: Path) -> None:
    said = json.loads(run("doctor", "--json").out)["checks"]
    assert "nobody holds" in next(one for one in said if one["check"] == "warm")["text"]
    client = start()
    said = json.loads(run("doctor", "--json").out)["checks"]
    told = next(one for one in said if one["check"] == "warm")["text"]
    assert f"process {client.process.pid} answers" in told


def test_a_folder_with_a_long_name_has_its_sockets_elsewhere(tmp_path: Path) -> None:
    short = {"RECOLLECT_HOME": "/x", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert wire.folder(short) == "/x/data/run"
    long = {**short, "RECOLLECT_HOME": f"/{'long/' * 30}"}
    assert wire.folder(long).startswith(f"{tmp_path}/recollect-")
    assert wire.folder(long) != wire.folder({**long, "RECOLLECT_HOME": f"/{'tall/' * 30}"})
