"""Nothing leaves the machine: no command, server or program that uses the library wants to reach
anybody, and none leaves a file outside our own places; what our libraries do by themselves counts.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import watched
from recollect.surfaces.cli import COMMANDS

LONG = 14
"""Seconds: telemetry was seen to wait for nine before it looked its host up."""
OURS = (
    ".local/share/recollect/",
    ".config/recollect/",
    ".cache/recollect/",
    ".local/state/recollect/",
)
RECOLLECT = (sys.executable, "-m", "recollect")

NOTE = "# Lunch\n\nThe canteen has soup on Tuesday. We decided to eat there.\n"
PROMPT = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "When is there soup?",
                     "session_id": "s", "cwd": "/", "transcript_path": "/nowhere"})  # fmt: skip
CALL = "\n".join(
    json.dumps({"jsonrpc": "2.0", **said})
    for said in (
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "When is there soup?"}}},
    )
)  # fmt: skip
LIBRARY = f"""
import time
from recollect import Memory
with Memory.open() as memory:
    assert memory.search("what is there to eat on Tuesday?").results
    time.sleep({LONG})
"""
WITHOUT_THE_SWITCH = f"""
import onnxruntime
{LIBRARY}
"""

# Every command that ends by itself, in an order in which each has something to do.
SHORT = """
init --yes
add NOTES
add SESSION
demo
search 'what is there to eat on Tuesday?'
search 'when is the soup?'
gather 'what is there to eat?'
think 'what is there to eat?'
sessions canteen
sessions
context lunch
list
get DOCUMENT
web soup
remember 'We deploy on Fridays' --id deploys --name deploy-day
remember 'We deploy on Mondays' --id deploys2
remember 'Which day is best?' --type open_question --id open
alias deploys release-day
pin deploys
supersede deploys deploys2
resolve open --why Monday
history deploys
facts
record discussion 'It was good.' --issue '#1'
curate NOTES/lunch.md
prelude --read
prelude
review
undo
tidy
record-answer 'what is there to eat?' Soup. --fingerprint FINGERPRINT
answers
add-web http://localhost:1/
forget deploys
install claude-code --dry-run
hook prompt
status
doctor
stats
tune
cache
rebuild
backup WORK/backup.tar
restore WORK/backup.tar --to WORK/restored
repair --store WORK/restored
export --all WORK/all
import WORK/all --store WORK/imported
migrate-store WORK/restored WORK/migrated
config list
modes
models list
models verify
llm
eval list
completions bash
"""
SERVERS = {"mcp", "serve", "watch"}


_SERVERS = re.compile(r".*\b127\.0\.0\.1\b.*\b(?:11434|8080)$|unix ")
"""Where servers of language models are looked for, on this machine."""
HOLDER = re.compile(r"unix \S+/(?:run|recollect-\d+-[0-9a-f]{8})/[0-9a-f]{16}\.sock$")
"""A process of the same user that may answer for a command: whether there is one is looked up."""


@pytest.fixture(scope="module", autouse=True)
def _can_watch() -> None:
    if why := watched.why_not():
        pytest.skip(why)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's home, with a note and a session beside it."""
    for folder in ("home", "work", "notes"):
        (tmp_path / "user" / folder).mkdir(parents=True)
    (tmp_path / "user/notes/lunch.md").write_text(NOTE)
    sessions = Path(__file__).parent / "fixtures/sessions/specstory"
    shutil.copy(next(sessions.glob("2026-05-05*")), tmp_path / "user/session.md")
    return tmp_path / "user"


def _run(user: Path, *argv: str, given: str = "", seconds: float = 60) -> watched.Ended:
    """As a user would, in an environment in which no library is quiet because it is tested."""
    return watched.run(
        argv, watched.environment(user / "home"), given=given.encode(), seconds=seconds
    )


def _elsewhere(user: Path) -> set[str]:
    return {file for file in watched.files_below(user / "home") if not file.startswith(OURS)}


def _argv(line: str, known: dict[str, str]) -> list[str]:
    for name, value in known.items():
        line = line.replace(name, value)
    return shlex.split(line)


def test_no_command_reaches_anybody_or_leaves_a_file_elsewhere(user: Path) -> None:
    known = {"NOTES": f"{user}/notes", "SESSION": f"{user}/session.md", "WORK": f"{user}/work"}
    told: list[str] = []
    for line in SHORT.strip().splitlines():
        argv = _argv(line, known)
        ended = _run(user, *RECOLLECT, *argv, given=PROMPT if argv[0] == "hook" else "")
        assert ended.code in (0, 1, 3), f"{line}: {ended.err.decode()}"
        assert b"Traceback" not in ended.err, f"{line}: {ended.err.decode()}"
        if argv[0] in ("list", "gather"):
            said = json.loads(_run(user, *RECOLLECT, *argv, "--json").out)
            known |= {"DOCUMENT": said["items"][0]["id"]} if "items" in said else {}
            known |= {"FINGERPRINT": said["fingerprint"]} if "fingerprint" in said else {}
        asked_to = line.startswith("add-web")
        usual = _SERVERS if argv[0] in ("init", "llm") else HOLDER
        others = [one for one in ended.reached if not usual.match(one)]
        told += [f"{line}: {one}" for one in others if not asked_to]
    assert not told
    assert not _elsewhere(user)


def test_every_command_is_tried() -> None:
    tried = {line.split()[0] for line in SHORT.strip().splitlines()}
    assert {command.name for command in COMMANDS} == tried | SERVERS


def test_what_stays_up_reaches_nobody_and_leaves_no_file_elsewhere(user: Path) -> None:
    _run(user, *RECOLLECT, "add", str(user / "notes"), "--quiet")
    running = {
        "mcp": (*RECOLLECT, "mcp"),
        "watch": (*RECOLLECT, "watch"),
        "serve": (*RECOLLECT, "serve", "--port", "0"),
        "library": (sys.executable, "-c", LIBRARY),
    }
    with ThreadPoolExecutor(len(running)) as pool:
        ends = dict(
            zip(running, pool.map(lambda name: _stay(user, running[name]), running), strict=True)
        )
    assert b"soup" in ends["mcp"].out, "it answered, and so loaded its models"
    assert not ends["library"].code, ends["library"].err.decode()
    others = {name: [one for one in ends[name].reached if not HOLDER.match(one)] for name in ends}
    assert others == {name: [] for name in running}
    assert not _elsewhere(user)


def _stay(user: Path, argv: tuple[str, ...]) -> watched.Ended:
    """Let it run, with its standard input open, for long enough; the library ends by itself."""
    seconds = 120 if "-c" in argv else LONG + 4
    with watched.Watched(argv, watched.environment(user / "home")) as program:
        if "mcp" in argv:
            assert program.process.stdin
            program.process.stdin.write(f"{CALL}\n".encode())
            program.process.stdin.flush()
        try:
            program.process.wait(seconds)
        except subprocess.TimeoutExpired:
            program.process.send_signal(2)
        out, err = program.process.communicate(timeout=30)
        return watched.Ended(program.process.returncode, out, err, program.reached)


def test_without_the_switch_it_would_be_seen(user: Path) -> None:
    """That this finds something: ONNX Runtime with its telemetry as it comes."""
    _run(user, *RECOLLECT, "add", str(user / "notes"), "--quiet")
    ended = _run(user, sys.executable, "-c", WITHOUT_THE_SWITCH)
    assert not ended.code, ended.err.decode()
    if not ended.reached and not _elsewhere(user):
        pytest.skip("this ONNX Runtime has no telemetry")
    assert _elsewhere(user)
    assert ended.reached
