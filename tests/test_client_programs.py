"""Hooks and providers that are programs: a plugin of opencode, a memory provider of Hermes."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory
from recollect.surfaces.install import clients, launch

PROGRAM = Path(sys.executable)
NODE = shutil.which("node")


@pytest.fixture(autouse=True)
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any client; this program is started by its module."""
    place = tmp_path / "ana"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    start = launch.Launch(str(PROGRAM), ("-m", "recollect"))
    monkeypatch.setattr(launch, "this_program", lambda store=None: start._replace(store=store))
    return place


def remembered() -> None:
    with Memory.open(embed_model="none") as memory:
        memory.remember("We deploy on Fridays", name="deploy day", pinned=True)


@pytest.mark.parametrize(
    ("client", "files"),
    [
        ("opencode", [".config/opencode/plugins/recollect.js"]),
        ("hermes", [".hermes/plugins/recollect/__init__.py",
                    ".hermes/plugins/recollect/plugin.yaml"]),
    ],
)  # fmt: skip
def test_a_program_comes_and_goes_whole(
    client: str, files: list[str], user: Path, cli: Cli
) -> None:
    paths = [user / file for file in files]
    assert cli("install", client, "--hooks").code == 0
    for path in paths:
        assert "recollect" in path.read_text()
        assert "@COMMAND@" not in path.read_text()
    before = [path.read_bytes() for path in paths]
    assert cli("install", client, "--hooks").code == 0
    assert [path.read_bytes() for path in paths] == before
    assert cli("install", client, "--uninstall").code == 0
    assert not any(path.exists() for path in paths)
    assert not any(path.parent.exists() for path in paths)


def test_what_was_edited_is_left(user: Path, cli: Cli) -> None:
    plugin = user / ".config/opencode/plugins/recollect.js"
    cli("install", "opencode", "--hooks")
    plugin.write_text("// mine\n")
    assert "left as it is" in cli("install", "opencode", "--hooks").out
    assert "edited" in cli("install", "opencode", "--uninstall").out
    assert plugin.read_text() == "// mine\n"


def test_others_plugins_are_left(user: Path, cli: Cli) -> None:
    other = user / ".config/opencode/plugins/other.js"
    other.parent.mkdir(parents=True)
    other.write_text("// theirs\n")
    cli("install", "opencode", "--hooks")
    cli("install", "opencode", "--uninstall")
    assert [path.name for path in other.parent.iterdir()] == ["other.js"]


# ------------------------------------------------------------------ opencode


ASKED = """
import { RecollectPlugin } from "PLUGIN"
const hooks = await RecollectPlugin({ directory: "/project" })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } })
const about = { sessionID: "ses_1", messageID: "msg_1" }
const output = { message: { id: "msg_1" }, parts: [
  { id: "prt_1", ...about, type: "text", text: PROMPT },
  { id: "prt_2", ...about, type: "text", text: "recollect says", synthetic: true },
] }
await hooks["chat.message"]({ sessionID: "ses_1" }, output)
console.log(JSON.stringify(output.parts.slice(2)))
"""


@pytest.fixture
def asked(user: Path, cli: Cli, tmp_path: Path) -> Any:
    """What the plugin adds to a message, as opencode calls it."""
    if NODE is None:
        pytest.skip("there is no Node")
    cli("install", "opencode", "--hooks")
    plugin = user / ".config/opencode/plugins/recollect.js"
    module = tmp_path / "recollect.mjs"
    module.write_text(plugin.read_text().replace("const WAITS = 5000", "const WAITS = 60000"))

    def ask(prompt: str) -> list[dict[str, Any]]:
        script = ASKED.replace("PLUGIN", module.as_uri()).replace("PROMPT", json.dumps(prompt))
        done = subprocess.run(
            [str(NODE), "--input-type=module", "-e", script],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))

    return ask


def test_opencode_gets_what_bears_on_a_prompt(asked: Any) -> None:
    remembered()
    (part,) = asked("what is the deploy day?")
    assert part["id"] == "prt_1recollect"
    assert (part["sessionID"], part["messageID"]) == ("ses_1", "msg_1")
    assert part["type"] == "text"
    assert part["synthetic"] is True  # by which the reader of its sessions leaves it out
    assert part["text"].startswith("<recollect-context>\n")
    assert part["text"].count("We deploy on Fridays") == 2  # at the start, and to the prompt


def test_opencode_hears_nothing_where_nothing_is_known(asked: Any) -> None:
    assert asked("please write a haiku about frogs") == []


# ------------------------------------------------------------------ Hermes


class _Provider:
    """The base class as Hermes documents it, as far as it is called here."""


@pytest.fixture
def provider(user: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The provider as Hermes loads it from its plugin folder."""
    cli("install", "hermes")
    base = ModuleType("agent.memory_provider")
    base.MemoryProvider = _Provider  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agent", ModuleType("agent"))
    monkeypatch.setitem(sys.modules, "agent.memory_provider", base)
    file = user / ".hermes/plugins/recollect/__init__.py"
    assert "register_memory_provider" in file.read_text()  # by which Hermes knows it for one
    spec = importlib.util.spec_from_file_location("hermes_recollect", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "WAITS", 60.0)
    made: list[Any] = []
    context = ModuleType("context")
    context.register_memory_provider = made.append  # type: ignore[attr-defined]
    module.register(context)
    (one,) = made
    one.initialize("s1", hermes_home=str(user / ".hermes"), platform="cli")
    return one


def test_hermes_is_told_before_a_turn(provider: Any) -> None:
    remembered()
    assert provider.name == "recollect"
    assert provider.is_available()
    assert provider.get_tool_schemas() == []
    first = provider.prefetch("what is the deploy day?", session_id="s1")
    assert first.count("We deploy on Fridays") == 2
    assert provider.prefetch("what is the deploy day?").count("We deploy on Fridays") == 1
    assert provider.prefetch("please write a haiku about frogs") == ""


def test_hermes_is_not_told_twice(provider: Any, user: Path, cli: Cli) -> None:
    remembered()
    cli("install", "hermes", "--hooks")
    provider.initialize("s1", hermes_home=str(user / ".hermes"))
    assert provider.prefetch("what is the deploy day?") == ""


def test_the_end_of_a_session_of_hermes_is_an_import(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, dict[str, Any]]] = []

    def note(event: str, payload: dict[str, Any], _: float) -> str:
        called.append((event, payload))
        return ""

    monkeypatch.setattr(provider, "_called", note)
    provider.on_session_switch("s2")
    assert provider.on_pre_compress([]) == ""
    provider.on_session_end([])
    assert called == [("session-end", {"session_id": "s2"})] * 2
    provider.initialize("s3", agent_context="cron")
    provider.on_session_end([])
    assert len(called) == 2
    assert "session-end" in clients.BY_NAME["hermes"].events
