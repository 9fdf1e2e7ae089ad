"""Installing into agents: nothing but the entry changes, and what went in comes out to the byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from recollect.surfaces.install import clients, edits, json_text, launch, toml_text, yaml_text
from recollect.surfaces.install.clients import BY_NAME, CLIENTS, McpClient, hooks_in
from recollect.surfaces.install.edits import SYNTAX
from recollect.surfaces.install.files import BACKUP
from recollect.surfaces.install.launch import Launch

yaml = pytest.importorskip("yaml")  # the judge of what we write, and nothing else

COMMAND = "/opt/my tools/bin/recollect"
LAUNCH = Launch(COMMAND)
OLD = Launch("/old/bin/recollect")
EVERY = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
HOOKED = [client for client in CLIENTS if client.hooks and client.hooks.form == "json"]


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any client, and no client's own command in sight."""
    home, nothing = tmp_path / "ana", tmp_path / "nothing"
    home.mkdir()
    nothing.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(nothing))
    for client in CLIENTS:
        for place in (client.user, client.skill, client.hooks and client.hooks.user):
            if place and place.variable:
                monkeypatch.delenv(place.variable, raising=False)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "this_program", lambda store=None: LAUNCH._replace(store=store))
    return home


# ------------------------------------------------------------------ files as people have them


def loaded(form: str, text: str) -> dict[str, Any]:
    """What a file says, by a reader that is not ours where there is one."""
    text = text.removeprefix("\ufeff")
    if form == "toml":
        return tomllib.loads(text)
    if form == "yaml":
        return dict(yaml.safe_load(text) or {})
    return json_text.load(text, loose=form == "json5")


def samples(client: McpClient) -> dict[str, str]:
    """Configuration as it may be found, for a client's keys."""
    forms: dict[str, Callable[[tuple[str, ...]], dict[str, str]]] = {
        "toml": _toml_samples,
        "yaml": _yaml_samples,
        "json": _json_samples,
        "json5": lambda keys: {**_json_samples(keys), **_json5_samples(keys)},
    }
    made = forms[client.form](client.keys)
    first = next(iter(made.values()))
    return {
        **made,
        "empty": "",
        "blank": "\n\n",
        "crlf": first.replace("\n", "\r\n"),
        "bom": "\ufeff" + first,
        "no newline at the end": first.rstrip("\n"),
    }


def _json_samples(keys: tuple[str, ...]) -> dict[str, str]:
    def around(inner: str) -> str:
        for key in reversed(keys[1:]):
            inner = f'{{ "{key}": {inner} }}'
        return f'"{keys[0]}": {inner}'

    return {
        "pretty": '{\n  "theme": "dark",\n  '
                  + around('{\n    "other": {\n      "command": "npx",\n'
                           '      "args": ["-y", "x"]\n    }\n  }') + "\n}\n",
        "comments": '// mine\n{\n  /* a */ "a": 1, // one\n  '
                    + around('{ // servers\n    // first\n    "o": {"command": "x"} // last\n  }')
                    + " // end\n  // more\n}\n// bye",
        "trailing commas": '{\n\t"a": [1, 2,],\n\t' + around('{\n\t\t"o": {"command": "x",},\n\t}')
                           + ",\n}\n",
        "one line": '{"a":1,' + around('{"o":{"command":"x"}}') + "}",
        "no servers": '{\n    "a": {\n        "b": []\n    }\n}\n',
        "empty servers": '{\n  ' + around("{}") + "\n}\n",
        "open servers": '{\n  ' + around("{\n  }") + ',\n  "z": null\n}\n',
        "only a comment in it": '{\n  ' + around("{\n    // none yet\n  }") + "\n}\n",
        "nothing": "{}",
        "a comment alone": "// nothing yet",
        "odd": '{ "ü\\n": "a // b /* c */ \\" }",\n\n\n"s" :  \'\'}'.replace("''", '""') ,
    }  # fmt: skip


def _json5_samples(keys: tuple[str, ...]) -> dict[str, str]:
    inner = "{ other: { command: 'x', }, }"
    for key in reversed(keys[1:]):
        inner = f"{{ {key}: {inner} }}"
    return {"json5": f"// mine\n{{\n  agent: 'it\\'s',\n  port: 0x1f,\n  {keys[0]}: {inner},\n}}\n"}


def _toml_samples(keys: tuple[str, ...]) -> dict[str, str]:
    name = keys[0]
    return {
        "pretty": f'# mine\nmodel = "x"  # keep\n\n[{name}.other]\ncommand = "x"\nargs = ["a"]\n',
        "comment at the end": f'[{name}.other]\ncommand = "x"\n\n# the end\n',
        "several lines": 'a = [\n  1, # [no]\n  2,\n]\nb = """\n[' + name + '.recollect]\n"""\n'
                         "c = '''\n[x]'''\n[t]\n\"k k\" = 'v'\n",
        "no servers": "[profiles.fast]\nmodel = 'x'\n[[list]]\nn = 1\n[[list]]\nn = 2\n",
        "dotted": f'[{name}]\nother.command = "x"\n',
        "similar": f'[{name}.recollect2]\ncommand = "y"\n[{name}."a.b"]\ncommand = "z"\n',
        "blank line at the end": 'a = 1\n\n',
    }  # fmt: skip


def _yaml_samples(keys: tuple[str, ...]) -> dict[str, str]:
    name = keys[0]
    return {
        "pretty": f"# mine\nmodel: x  # keep\n{name}:\n  other:\n    cmd: npx\n    args:\n"
                  "      - -y\n      - x\n    enabled: true\nlast: 1\n",
        "four spaces": f"---\n{name}: # servers\n    # first\n    other:\n        cmd: y\n",
        "texts": f"a: |\n  {name}:\n    recollect: no\n\n  more\nb: >-\n  x\n{name}:\n  o:\n"
                 "    d: \"a\n      b: c\"\n    e: 'it''s'\nc: plain and\n  more of it\n",
        "lists": "a:\n- b\n- c: 1\n  d: 2\n-\n  e: 3\n"
                 f"{name}:\n  o: {{cmd: x,\n    args: [1, 2]}}\n",
        "empty braces": f"{name}: {{}}\nz: 1\n",
        "full braces": f'{name}: {{o: {{cmd: "x"}}}} # c\n',
        "nothing below": f"{name}:\nz: 1\n",
        "no servers": "a: {b: [c, d]}\nurl: http://x:1/y#z\n'k k': 1\n\"q\": 2\n",
        "a comment alone": "# nothing yet\n",
    }  # fmt: skip


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def file_of(client: McpClient, scope: clients.Scope = "user") -> Path:
    found = client.file(scope)
    assert found is not None
    return found


CASES = [(client, name) for client in CLIENTS for name in samples(client)]


@pytest.mark.parametrize(("client", "name"), CASES, ids=lambda x: getattr(x, "name", x))
def test_an_entry_goes_in_once_and_out_again_to_the_byte(
    client: McpClient, name: str, cli: Cli
) -> None:
    file, text = file_of(client), samples(client)[name]
    write(file, text)
    before = loaded(client.form, text)
    done = cli("install", client.name)
    assert done.code == 0, done.err
    after = file.read_bytes().decode()
    entry = client.entry(LAUNCH.words("mcp"))
    wanted = edits.with_value(_filled(before, client), client.path(), entry)
    assert loaded(client.form, after) == wanted
    same = next((n for n, (a, b) in enumerate(zip(text, after, strict=False)) if a != b), len(text))
    assert after.endswith(text[same:]), "one splice, and nothing else"
    assert ("\r\n" in after) == ("\r\n" in text)
    assert "\n" not in after.replace("\r\n", "") or "\r\n" not in text
    assert file.with_name(file.name + BACKUP).read_bytes() == text.encode()

    again = cli("install", client.name)
    assert "nothing was changed" in again.out
    assert file.read_bytes().decode() == after

    assert cli("install", client.name, "--uninstall").code == 0
    assert file.read_bytes() == text.encode()
    assert not file.with_name(file.name + BACKUP).exists()
    assert "nothing was changed" in cli("install", client.name, "--uninstall").out


def _filled(data: dict[str, Any], client: McpClient) -> dict[str, Any]:
    """YAML has a key without a value, which is as good as one with an empty mapping."""
    name = client.keys[0]
    return {**data, name: {}} if name in data and data[name] is None else data


@EVERY
def test_what_was_not_there_is_made_and_goes_again(client: McpClient, user: Path, cli: Cli) -> None:
    assert cli("install", client.name, "--hooks").code == 0
    assert loaded(client.form, file_of(client).read_text())
    assert cli("install", client.name, "--uninstall").code == 0
    assert list(user.iterdir()) == []


@EVERY
def test_a_dry_run_shows_the_difference_and_writes_nothing(
    client: McpClient, user: Path, cli: Cli
) -> None:
    done = cli("install", client.name, "--hooks", "--dry-run")
    assert done.code == 0
    assert f"+++ {file_of(client)}" in done.out
    assert any(line.startswith("+") and COMMAND in line for line in done.out.splitlines())
    assert list(user.iterdir()) == []
    told = cli("install", client.name, "--dry-run", "--json").json
    assert told["dry_run"] is True
    assert told["changes"][0] == {
        "what": "server", "action": "added", "file": str(file_of(client)), "note": "",
        "commands": [],
    }  # fmt: skip


BROKEN = {
    "json": ['{"a": 1', '{"a" 1}', "[1]", '{"a": tru}', '{"a": "x\n"}', "{} x", "{'a': 1}"],
    "json5": ['{"a": 1', "{a 1}", "[1]", '{"mcp": 3}', '{"mcp": {"servers": []}}'],
    "toml": ["a = ", "[a\n", 'a = "x\n', "a = 1\na = 2\n", "mcp_servers = {}\n",
             "mcp_servers = 1\n"],
    "yaml": ["a: [1\nb: 2\n", 'a: "x\n', "a:\n    b: 1\n  c: 2\n", "a:\n\tb: 1\n", "- a\n", "foo\n",
             "a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "a: 1\n  b: 2\n",
             "extensions: [1]\nmcp_servers: 1\n", "extensions: null\nmcp_servers: ~\n",
             "extensions: {a: {b: c d}}\nmcp_servers: {a: b}\n"],
}  # fmt: skip


@EVERY
def test_what_cannot_be_read_is_refused_and_not_touched(
    client: McpClient, user: Path, cli: Cli
) -> None:
    file = file_of(client)
    wrong_kind = [f'{{"{client.keys[0]}": []}}'] if client.form == "json" else []
    for text in [*BROKEN[client.form], *wrong_kind]:
        write(file, text)
        done = cli("install", client.name)
        assert done.code == 1, text
        assert str(file) in done.err
        assert COMMAND in done.err, "how to do it by hand"
        assert file.read_bytes() == text.encode()
        assert [p for p in user.rglob("*") if p.is_file()] == [file]


def test_a_file_in_another_encoding_is_refused(cli: Cli) -> None:
    file = file_of(BY_NAME["cursor"])
    write(file, "")
    file.write_bytes('{"a": "ü"}'.encode("utf-16"))
    done = cli("install", "cursor")
    assert done.code == 1
    assert "UTF-8" in done.err
    assert file.read_bytes() == '{"a": "ü"}'.encode("utf-16")


def test_a_link_is_followed_and_permissions_stay(tmp_path: Path, cli: Cli) -> None:
    real, file = tmp_path / "dotfiles" / "config.toml", file_of(BY_NAME["codex"])
    write(real, 'model = "x"\n')
    real.chmod(0o600)
    file.parent.mkdir(parents=True)
    file.symlink_to(real)
    assert cli("install", "codex").code == 0
    assert file.is_symlink()
    assert "recollect" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    backup = real.with_name(real.name + BACKUP)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert cli("install", "codex", "--uninstall").code == 0
    assert file.is_symlink()
    assert real.read_text() == 'model = "x"\n'


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(cli: Cli) -> None:
    file = file_of(BY_NAME["cursor"])
    write(file, "{}")
    file.parent.chmod(0o500)
    try:
        done = cli("install", "cursor")
    finally:
        file.parent.chmod(0o700)
    assert done.code == 1
    assert file.read_text() == "{}"


def test_a_file_that_changes_meanwhile_is_left_alone(tmp_path: Path) -> None:
    from recollect.errors import InputError
    from recollect.surfaces.install import files

    file = tmp_path / "x.json"
    write(file, "{}")
    before = files.read(file)
    write(file, '{"new": 1}')
    with pytest.raises(InputError, match="changed meanwhile"):
        files.write(before, '{"recollect": 1}')
    assert file.read_text() == '{"new": 1}'


# ------------------------------------------------------------------ what happens in between


@EVERY
def test_what_the_user_changed_meanwhile_stays(client: McpClient, cli: Cli) -> None:
    file, text = file_of(client), samples(client)["pretty"]
    write(file, text)
    cli("install", client.name)
    more = {"toml": "# new\n[new]\nx = 1\n", "yaml": "# new\nnew: 1\n"}.get(client.form, "// new\n")
    write(file, file.read_bytes().decode() + more)
    assert cli("install", client.name, "--uninstall").code == 0
    assert file.read_text() == text + more


@EVERY
def test_what_the_client_wrote_anew_is_found_by_its_place(client: McpClient, cli: Cli) -> None:
    if client.form == "toml":
        pytest.skip("there is no other writer of TOML here")
    file, text = file_of(client), samples(client)["pretty"]
    write(file, text)
    cli("install", client.name)
    data = loaded(client.form, file.read_text())
    other = yaml.safe_dump(data) if client.form == "yaml" else json.dumps(data, indent=7)
    write(file, other)
    assert cli("install", client.name, "--uninstall").code == 0
    assert loaded(client.form, file.read_text()) == loaded(client.form, text)


@EVERY
def test_an_entry_from_elsewhere_is_brought_up_to_date(
    client: McpClient, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, text = file_of(client), samples(client)["pretty"]
    write(file, text)
    with monkeypatch.context() as then:
        then.setattr(launch, "this_program", lambda store=None: OLD)
        cli("install", client.name)
    assert OLD.command in file.read_text()
    done = cli("install", client.name, "--json").json
    assert done["changes"][0]["action"] == "updated"
    assert OLD.command not in file.read_text()
    cli("install", client.name, "--uninstall")
    assert file.read_text() == text


@EVERY
def test_what_the_user_added_to_the_entry_is_kept(client: McpClient, cli: Cli) -> None:
    file = file_of(client)
    entry = {**client.entry(OLD.words("mcp")), "env": {"A": "b"}}
    text, _ = edits.put(SYNTAX[client.form], "", client.path(), entry, "")
    write(file, text)
    assert cli("install", client.name).code == 0
    now = json_text.at_path(loaded(client.form, file.read_text()), client.path())
    assert now == {**entry, **client.entry(LAUNCH.words("mcp"))}
    assert "nothing was changed" in cli("install", client.name).out


def test_a_table_that_nothing_else_holds_goes_with_its_entry(cli: Cli) -> None:
    file = file_of(BY_NAME["codex"])
    write(file, f'model = "x"\n\n[mcp_servers.recollect]\ncommand = "{COMMAND}"\nargs = ["mcp"]\n')
    assert cli("install", "codex", "--uninstall").code == 0
    assert file.read_text() == 'model = "x"\n'


def test_uninstalling_takes_away_what_a_killed_run_has_left(cli: Cli) -> None:
    file = file_of(BY_NAME["cursor"])
    write(file, '{"theme": "dark"}')
    file.with_name(file.name + BACKUP).write_text('{"theme": "light"}')
    file.with_name(f".{file.name}.{os.getpid()}.new").write_text('{"the')
    assert cli("install", "cursor").code == 0
    file.with_name(f".{file.name}.{os.getpid()}.new").write_text('{"the')
    assert cli("install", "cursor", "--uninstall").code == 0
    assert list(file.parent.iterdir()) == [file]
    file.with_name(file.name + BACKUP).write_text('{"theme": "light"}')
    assert cli("install", "cursor", "--uninstall").code == 0
    assert list(file.parent.iterdir()) == [file]


def test_without_the_ledger_the_entry_goes_and_what_held_it_stays(home: Path, cli: Cli) -> None:
    cli("install", "cursor")
    (home / "data" / "installed.json").write_text("lost")
    assert cli("install", "cursor", "--uninstall").code == 0
    assert json.loads(file_of(BY_NAME["cursor"]).read_text()) == {"mcpServers": {}}


def test_a_store_of_ones_own_is_named_by_its_whole_path(cli: Cli, tmp_path: Path) -> None:
    cli("install", "cursor", "--store", "mine")
    entry = json.loads(file_of(BY_NAME["cursor"]).read_text())["mcpServers"]["recollect"]
    assert entry["args"] == ["mcp", "--store", str(tmp_path / "work" / "mine")]


def test_a_project_has_files_of_its_own(tmp_path: Path, user: Path, cli: Cli) -> None:
    work = tmp_path / "work"
    for client in CLIENTS:
        done = cli("install", client.name, "--for", "project", "--hooks")
        assert done.code == (0 if client.project else 2), done.err
        assert (work / (client.project or "x")).is_file() == bool(client.project)
    assert list(user.iterdir()) == []
    for client in CLIENTS:
        if client.project:
            assert cli("install", client.name, "--for", "project", "--uninstall").code == 0
    assert list(work.iterdir()) == []


def test_the_other_name_of_a_file_is_taken_where_it_is_there(user: Path, cli: Cli) -> None:
    write(user / ".config/opencode/opencode.jsonc", "{ /* mine */ }")
    cli("install", "opencode")
    assert "recollect" in (user / ".config/opencode/opencode.jsonc").read_text()
    assert not (user / ".config/opencode/opencode.json").exists()


def test_the_list_tells_what_is_here_and_what_is_installed(user: Path, cli: Cli) -> None:
    (user / ".cursor").mkdir()
    write(user / ".gemini/settings.json", "{ broken")
    cli("install", "claude-code", "--hooks")
    told = {one["client"]: one for one in cli("install", "--json").json["clients"]}
    assert list(told) == list(BY_NAME)
    assert told["cursor"]["found"]
    assert not told["goose"]["found"]
    assert told["claude-code"]["user"]["state"] == "installed"
    assert told["claude-code"]["user"]["hooks"]
    assert told["gemini"]["user"]["state"] == "unreadable"
    assert told["cursor"]["user"]["state"] == "absent"
    assert told["goose"]["project"] is None
    text = cli("install").out
    assert all(name in text for name in BY_NAME)


def test_a_client_that_is_not_known_gets_the_nearest(cli: Cli) -> None:
    done = cli("install", "claude-cod")
    assert done.code == 2
    assert "claude-code" in done.err
    assert cli("install", "--uninstall").code == 2


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_every_client_has_a_place_on_every_system(
    system: str, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("APPDATA", str(user / "AppData"))
    for client in CLIENTS:
        assert file_of(client).is_relative_to(user)
        assert client.listing
    desktop = str(file_of(BY_NAME["claude-desktop"]).relative_to(user))
    assert desktop.startswith(
        {"linux": ".config/", "darwin": "Library/", "win32": "AppData/"}[system]
    )


def test_a_folder_named_by_the_environment_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "cx"))
    cli("install", "codex", "--hooks")
    assert sorted(p.name for p in (tmp_path / "cx").iterdir()) == ["config.toml", "hooks.json"]


# ------------------------------------------------------------------ the client's own command


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{script}")
    path.chmod(0o755)


CLAUDE = """
file = os.path.expanduser("~/.claude.json")
data = json.load(open(file)) if os.path.exists(file) else {}
servers = data.setdefault("mcpServers", {})
if sys.argv[2] == "add-json":
    if "recollect" in servers:
        sys.exit("exists already")
    servers["recollect"] = json.loads(sys.argv[4])
else:
    del servers["recollect"]
json.dump({**data, "by": "claude"}, open(file, "w"))
"""


def test_the_own_command_of_a_client_is_used_where_it_is_there(
    user: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "nothing", "claude", CLAUDE)
    file, entry = user / ".claude.json", BY_NAME["claude-code"].entry(LAUNCH.words("mcp"))
    shown = cli("install", "claude-code", "--dry-run")
    assert "mcp add-json recollect" in shown.out
    assert not file.exists()
    with monkeypatch.context() as then:
        then.setattr(launch, "this_program", lambda store=None: OLD)
        cli("install", "claude-code")
    assert json.loads(file.read_text())["by"] == "claude"
    done = cli("install", "claude-code", "--json").json["changes"][0]
    assert [command[1:3] for command in done["commands"]] == [
        ["mcp", "remove"],
        ["mcp", "add-json"],
    ]
    assert json.loads(file.read_text())["mcpServers"] == {"recollect": entry}
    assert cli("install", "claude-code", "--json").json["changes"][0]["action"] == "unchanged"
    cli("install", "claude-code", "--uninstall")
    assert json.loads(file.read_text()) == {"mcpServers": {}, "by": "claude"}


@pytest.mark.parametrize("script", ["sys.exit('no network')", "pass", "os.kill(os.getpid(), 9)"])
def test_where_the_own_command_fails_the_file_is_edited(
    script: str, user: Path, tmp_path: Path, cli: Cli
) -> None:
    program(tmp_path / "nothing", "codex", script)
    write(user / ".codex/config.toml", "# mine\n")
    done = cli("install", "codex")
    assert done.code == 0
    assert "codex could not do it" in done.err
    assert "recollect" in tomllib.loads((user / ".codex/config.toml").read_text())["mcp_servers"]
    cli("install", "codex", "--uninstall")
    assert (user / ".codex/config.toml").read_text() == "# mine\n"


def test_this_program_is_named_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    program(tmp_path, "recollect", "")
    monkeypatch.setattr(sys, "argv", ["./recollect", "install"])
    assert launch.this_program().words("mcp") == [str(tmp_path / "recollect"), "mcp"]
    monkeypatch.setattr(sys, "argv", ["/x/__main__.py"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert launch.this_program().command == str(tmp_path / "recollect")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "")
    assert launch.this_program().words("mcp") == ["/nowhere/python", "-m", "recollect", "mcp"]


# ------------------------------------------------------------------ hooks and the skill

MINE = """{
  // what I have
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]} // mine
    ],
    "Stop": []
  },
  "model": "x"
}
"""


@pytest.mark.parametrize("client", HOOKED, ids=lambda client: client.name)
def test_hooks_stand_beside_those_of_the_user(client: McpClient, cli: Cli) -> None:
    file = client.hooks_file("user")
    assert file is not None
    assert client.hooks is not None
    write(file, MINE)
    assert cli("install", client.name, "--hooks").code == 0
    hooks = json_text.load(file.read_text())["hooks"]
    for event, name in client.hooks.events.items():
        calls = [
            one.get("command") or one["bash"] for group in hooks[name] for one in hooks_in(group)
        ]
        assert f"'{COMMAND}' hook {event} --client {client.name}" in calls
    assert "echo hi" in file.read_text()
    assert hooks["Stop"] == []
    assert "// mine" in file.read_text()
    assert "nothing was changed" in cli("install", client.name, "--hooks").out
    cli("install", client.name, "--uninstall")
    assert file.read_text() == MINE


def test_hooks_come_only_when_they_are_asked_for(user: Path, cli: Cli) -> None:
    cli("install", "claude-code")
    assert not (user / ".claude/settings.json").exists()
    assert "no hooks" in cli("install", "goose", "--hooks").err


OF_HERMES = """# mine
model: x  # the model
hooks:
  post_tool_call:
    - matcher: "write_file"
      command: "~/format.sh"
memory:
  provider: honcho
"""


@pytest.mark.parametrize("before", [OF_HERMES, "model: x\nhooks: {}\n", "model: x\n", ""])
def test_hooks_go_into_yaml_and_out_of_it_again(before: str, user: Path, cli: Cli) -> None:
    file = user / ".hermes/config.yaml"
    write(file, before)
    assert cli("install", "hermes", "--hooks").code == 0
    read = yaml.safe_load(file.read_text())
    asked = {
        name: [{"command": f"'{COMMAND}' hook {event} --client hermes", "timeout": seconds}]
        for event, name, seconds in (
            ("prompt", "pre_llm_call", 5), ("session-end", "on_session_finalize", 3),
        )
    }  # fmt: skip
    mine = (yaml.safe_load(before) or {}).get("hooks") or {}
    assert read["hooks"] == mine | asked
    assert "with hooks" in cli("install").out
    assert "nothing was changed" in cli("install", "hermes", "--hooks").out
    cli("install", "hermes", "--uninstall")
    assert file.read_text() == before


def test_hooks_of_the_user_at_the_same_event_are_left_alone_in_yaml(user: Path, cli: Cli) -> None:
    file = user / ".hermes/config.yaml"
    write(file, mine := "hooks:\n  pre_llm_call:\n    - command: mine.sh\n")
    refused = cli("install", "hermes", "--hooks")
    assert (refused.code, "add this to hooks.pre_llm_call" in refused.err) == (1, True)
    assert file.read_text() == mine


def test_hooks_from_elsewhere_are_brought_up_to_date(
    user: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = user / ".claude/settings.json"
    write(file, MINE)
    with monkeypatch.context() as then:
        then.setattr(launch, "this_program", lambda store=None: OLD)
        cli("install", "claude-code", "--hooks")
    assert OLD.command in file.read_text()
    assert (
        cli("install", "claude-code", "--hooks", "--json").json["changes"][1]["action"] == "updated"
    )
    assert OLD.command not in file.read_text()
    assert file.read_text().count(" hook prompt --client claude-code") == 1
    cli("install", "claude-code", "--uninstall")
    assert file.read_text() == MINE


def test_hooks_that_were_written_anew_or_put_together_are_found(user: Path, cli: Cli) -> None:
    file = user / ".claude/settings.json"
    write(file, '{"model": "x"}')
    cli("install", "claude-code", "--hooks")
    data = json.loads(file.read_text())
    data["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "echo hi"})
    write(file, json.dumps(data, indent=1))
    cli("install", "claude-code", "--uninstall")
    left = {"SessionStart": [{"hooks": [{"type": "command", "command": "echo hi"}]}]}
    assert json.loads(file.read_text()) == {"model": "x", "hooks": left}


def test_a_skill_that_several_read_stays_for_the_last(user: Path, cli: Cli) -> None:
    skill = user / ".agents/skills/recollect/SKILL.md"
    cli("install", "codex")
    cli("install", "gemini")
    cli("install", "codex", "--uninstall")
    assert skill.is_file()
    cli("install", "gemini", "--uninstall")
    assert not (user / ".agents").exists()


def test_a_skill_that_was_edited_is_left(user: Path, cli: Cli) -> None:
    skill = user / ".claude/skills/recollect/SKILL.md"
    cli("install", "claude-code")
    skill.write_text("my own")
    assert cli("install", "claude-code", "--json").json["changes"][-1]["action"] == "kept"
    cli("install", "claude-code", "--uninstall")
    assert skill.read_text() == "my own"


# ------------------------------------------------------------------ any file at all

_blank = st.sampled_from(["", " ", "\n", "\n\n  ", "\t", " /* c */ ", " // c\n", "\r\n    "])
_text = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
_key = st.one_of(st.sampled_from(["mcpServers", "recollect", "other", "a"]), _text)


@st.composite
def json_texts(draw: Callable[..., Any], depth: int = 0) -> str:
    """JSON with blanks and comments wherever they may stand."""

    def pad() -> str:
        return str(draw(_blank))

    kind = draw(st.sampled_from(["object", "object", "array", "plain"])) if depth else "object"
    if kind == "plain" or depth > 3:
        return json.dumps(draw(st.one_of(_text, st.integers(), st.booleans(), st.none())))
    count = draw(st.integers(0, 3))
    inner = [draw(json_texts(depth + 1)) for _ in range(count)]
    if kind == "object":
        keys = draw(st.lists(_key, min_size=count, max_size=count, unique=True))
        inner = [f"{json.dumps(k)}{pad()}:{pad()}{v}" for k, v in zip(keys, inner, strict=True)]
    opened, closed = "{}" if kind == "object" else "[]"
    body = f"{pad()},{pad()}".join(inner)
    last = "," if inner and draw(st.booleans()) else ""
    return f"{opened}{pad()}{body}{pad()}{last}{pad()}{closed}"


ENTRY = {"command": COMMAND, "args": ["mcp"]}


def there_and_back(form: str, text: str, path: tuple[str | int, ...]) -> None:
    """What the promise is: in without any other change or refused, and out to the byte."""
    syntax = SYNTAX[form]
    before = syntax.load(text)
    if edits.has(before, path):
        return
    try:
        after, added = edits.put(syntax, text, path, ENTRY, "t")
    except ValueError:
        return
    assert added is not None
    assert syntax.load(after) == edits.with_value(before, path, ENTRY)
    assert edits.take(syntax, after, added) == text
    by_place = edits.drop(syntax, after, path, added.kept)
    assert syntax.load(by_place) == before


@given(json_texts(), _blank, _blank)
def test_any_json_is_as_it_was_afterwards(text: str, front: str, back: str) -> None:
    text = front + text + back
    json_text.load(text)
    there_and_back("json", text, ("mcpServers", "recollect"))
    there_and_back("json", text, ("a", "b", "recollect"))
    there_and_back("json", text, ("hooks", "SessionStart", 0))


@given(json_texts())
def test_strict_json_is_read_as_json_reads_it(text: str) -> None:
    data = json_text.load(text)
    assert json_text.load(json.dumps(data)) == json.loads(json.dumps(data)) == data


_toml_lines = st.lists(
    st.sampled_from([
        "", "# c", "a = 1", 'b = "[x]"', "[t]", "[t.u] # c", "[[l]]", "x.y = 2", "c = [", "]",
        "  1,", "[mcp_servers.other]", 'command = "x"', "[mcp_servers]", "d = '''", "'''",
        'e = """\\', '"""', "[mcp_servers.recollect2]", "f = {a = 1}",
        "mcp_servers.z.command = 'q'",
    ]),
    max_size=10,
)  # fmt: skip


@given(_toml_lines, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_toml_is_as_it_was_afterwards(lines: list[str], end: str, last: bool) -> None:
    text = end.join(lines) + (end if last else "")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(ValueError):  # noqa: PT011  whatever it says
            toml_text.load(text)
        return
    there_and_back("toml", text, ("mcp_servers", "recollect"))


_yaml_lines = st.lists(
    st.sampled_from([
        "", "# c", "a: 1", "b:", "  c: 2", "  d:", "    e: x y", "  - f", "- g", "  - h: 1",
        "    i: 2", "extensions:", "  other:", "    cmd: x", "j: |", "  text: a", "   more",
        "k: [1,", "  2]",
        "extensions: {}", "  # c", "l: 'm'", 'n: "o', '  p"', "q: >-", "r: s", "  t", "---",
        "    args:", "      - u", "extensions: {v: 1}",
    ]),
    max_size=9,
)  # fmt: skip


@given(_yaml_lines, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_yaml_is_as_it_was_afterwards(lines: list[str], end: str, last: bool) -> None:
    text = end.join(lines) + (end if last else "")
    path = ("extensions", "recollect")
    try:
        after, added = edits.put(SYNTAX["yaml"], text, path, ENTRY, "t")
    except ValueError:
        return  # it is always right to refuse
    try:
        before = yaml.safe_load(text) or {}
    except yaml.YAMLError:
        assert edits.take(SYNTAX["yaml"], after, added) == text if added else True
        return  # broken in a way that an edit of this kind does not meet
    held = before.get("extensions") or {}
    assert yaml.safe_load(after) == {**before, "extensions": {**held, "recollect": ENTRY}}
    assert added is not None
    assert edits.take(SYNTAX["yaml"], after, added) == text
    without = yaml.safe_load(edits.drop(SYNTAX["yaml"], after, path, added.kept)) or {}
    assert (without.get("extensions") or {}) == held


def test_a_yaml_file_is_read_as_far_as_it_matters() -> None:
    text = (
        "extensions:\n  recollect:\n    cmd: /x/y z # c\n    args:\n    - mcp\n    enabled: true\n"
    )
    assert yaml_text.load(text)["extensions"]["recollect"] == {
        "cmd": "/x/y z", "args": ["mcp"], "enabled": True,
    }  # fmt: skip


# ------------------------------------------------------------------ what is published


def test_what_is_published_is_what_the_table_makes() -> None:
    root = Path(__file__).parent.parent
    code = (
        "import json, sys; sys.path.insert(0, 'plugins'); import build; "
        "print(json.dumps({str(p): t for p, t in build.made().items()}))"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
    )  # fmt: skip
    for path, text in json.loads(made.stdout).items():
        assert Path(path).read_text(encoding="utf-8") == text, "run plugins/build.py"


def test_the_entry_of_the_registry_is_one_that_it_takes() -> None:
    import recollect

    root = Path(__file__).parent.parent
    entry = json.loads((root / "server.json").read_text())
    assert len(entry["description"]) <= 100
    assert entry["version"] == entry["packages"][0]["version"] == recollect.__version__
    assert f"mcp-name: {entry['name']}" in (root / "README.md").read_text(encoding="utf-8")


def test_the_skill_names_only_tools_that_there_are() -> None:
    import re

    from recollect.surfaces.install.changes import skill_text

    head, _, body = skill_text().removeprefix("---\n").partition("\n---\n")
    about = yaml.safe_load(head)
    assert about["name"] == "recollect"
    assert 50 < len(about["description"]) <= 1024
    called = set(re.findall(r"`(\w+)` (?:the|with|has)|^\d\. `(\w+)`|: `(\w+)`,", body, re.M))
    names = {name for found in called for name in found if name}
    assert {"search", "gather", "record_answer", "sessions", "remember"} <= names
    tools = pytest.importorskip("recollect.surfaces.tools")
    assert names <= {tool.name for tool in tools.TOOLS}
