"""The pages that are made from the code: ``python docs/make.py`` writes them, ``--check`` says
which are not what the code says any more.

    cli.md        from the parsers of the command line
    settings.md   from the table of settings
    api.md        from the facade's signatures and docstrings
    install.md    the section of each agent, from the table of clients
    evals.md      the glossary, from the words of the evals
    README.md, measured.md
                  the table of unseen domains, from that of quality.md
    layers.svg    from the contract of layers in pyproject.toml
    read-path.svg from the calls in reading/pipeline.py (paths.py)
    write-path.svg    from those in writing/path.py (paths.py)
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, is_typeddict

import paths

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PACKAGE = ROOT / "src" / "recollect"
MADE = "<!-- Made by `python docs/make.py` from the code. -->\n\n"


# ------------------------------------------------------------------ the command line


def cli() -> str:
    """Every command with its options, by what one wants to do."""
    from recollect.surfaces.cli import COMMANDS, parser_of
    from recollect.surfaces.commands.overview import GROUPS
    from recollect.surfaces.commands.parser import actions

    chooser = next(actions(parser_of()))
    known = {command.name: command for command in COMMANDS}
    lines = [
        "# The command line",
        "Every command also takes `--store PATH|URL`, `--json` (one object on stdout, with "
        "`schema_version`) and `--quiet`. Data goes to stdout, everything else to stderr. Exit "
        "codes: 0 ok, 1 error, 2 usage, 3 nothing found, 130 interrupted.",
    ]
    for title, names in GROUPS.items():
        lines.append(f"## {title[0].upper()}{title[1:]}")
        for name in names:
            command, parser = known[name], chooser.choices[name]
            lines.append(f"### recollect {name}")
            lines.append(command.help[0].upper() + command.help[1:] + ".")
            if command.example:
                examples = command.example.split("; recollect ")
                said = "\n".join(f"$ {one}" for one in [examples[0], *_again(examples[1:])])
                lines.append(f"```console\n{said}\n```")
            lines += _arguments(parser)
    return "\n\n".join(lines) + "\n"


def _again(examples: Sequence[str]) -> list[str]:
    return [f"recollect {example}" for example in examples]


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    from recollect.surfaces.commands.parser import actions

    rows = [_row(a) for a in parser._actions if not _is_common(a) and not _chooses(a)]
    if rows:
        yield "| | |\n|---|---|\n" + "\n".join(rows)
    for chooser in actions(parser):
        said = {choice.dest: choice.help for choice in chooser._choices_actions}
        for name, sub in chooser.choices.items():
            yield f"`{sub.prog}`: {said.get(name) or ''}."
            yield from _arguments(sub)


def _chooses(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)


def _is_common(action: argparse.Action) -> bool:
    return action.dest in ("help", "json", "quiet") or action.option_strings == ["--store"]


def _row(action: argparse.Action) -> str:
    takes = str(action.metavar or action.dest.upper()) if action.nargs != 0 else ""
    if action.choices:
        takes = "\\|".join(map(str, action.choices))
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    shown = f"{names} {takes}".strip() if names else f"`{action.metavar or action.dest}`"
    return f"| {shown} | {_cell(action.help or '')} |"


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|")


# ------------------------------------------------------------------ settings


_SETTINGS = """# Settings

A value comes from the first of these that has one: a flag of the command, the environment, the
project's `.recollect.toml`, your `config.toml`, the default. `recollect config list` shows each
value and where it is from, `recollect config set NAME VALUE` writes one. A project file that came
with a repository cannot set what is marked *trusted*, nor point outside its folder, until you
`recollect config trust` it. A relative path in a file begins at the folder of that file;
`recollect config set` writes a whole one, which begins where you are.

Your `config.toml` is in `~/.config/recollect`, the store and all other data are in
`~/.local/share/recollect`; `XDG_CONFIG_HOME` and `XDG_DATA_HOME` move them, and `RECOLLECT_HOME`
has both in one folder. Keys of models and engines elsewhere come from the environment or the
keyring, never from a file ([models](models.md), [web](answers.md#the-web)).

| setting | default | what it is | environment |
|---|---|---|---|
"""


_KNOBS = """
## The knobs of a search

What a [mode](modes.md) sets; a setting `search.NAME` wins over it, where there is one.
`recollect modes` shows the values in use. An empty value is no cap, or what is configured.

| knob | conservative | balanced | tokenmax | what it does |
|---|---|---|---|---|
"""


def settings() -> str:
    """The table of settings, and that of the knobs."""
    from recollect.config import SETTINGS

    rows = []
    for setting in SETTINGS.values():
        default = setting.default
        shown = ", ".join(default) if isinstance(default, tuple) else str(default).lower()
        shown = "" if default is None else f"`{shown}`"
        trusted = " *(trusted)*" if setting.reach == "trusted" else ""
        said = _cell(setting.help)
        rows.append(f"| `{setting.name}` | {shown} | {said}{trusted} | `{setting.variable}` |")
    return _SETTINGS + "\n".join(rows) + "\n" + _KNOBS + "\n".join(_knobs()) + "\n"


def _knobs() -> Iterator[str]:
    from recollect.policy import KNOBS, MODES

    for name, does in KNOBS.items():
        values = [getattr(policy, name) for policy in MODES.values()]
        shown = " | ".join("" if v is None else f"`{str(v).lower()}`" for v in values)
        yield f"| `{name}` | {shown} | {_cell(does)} |"


# ------------------------------------------------------------------ the library


def api() -> str:
    """The facade, its parts, and the options that they take by name."""
    from recollect import Memory, MemoryPool, errors
    from recollect.memory import curation, model_admin, options, store_admin, web

    parts: dict[str, type] = {
        "curation": curation.Curation,
        "models": model_admin.ModelAdmin,
        "admin": store_admin.StoreAdmin,
        "web": web.WebClient,
    }
    lines = [
        "# The library",
        "```python\nfrom recollect import Memory\n\nwith Memory.open() as m:\n"
        '    m.add("~/notes")\n    answer = m.search("when do we deploy?")\n```',
        f"{_doc(Memory)} `recollect.aio.AsyncMemory` has the same methods and parts, to be "
        "awaited.",
        "## Memory",
        *_methods(Memory, "m."),
    ]
    for name, part in parts.items():
        lines += [f"## m.{name}", _doc(part), *_methods(part, f"m.{name}.")]
    lines += ["## MemoryPool", _doc(MemoryPool), *_methods(MemoryPool, "pool.")]
    lines += ["## Options by name", "Each is one value, given as keywords."]
    for one in vars(options).values():
        if is_typeddict(one):
            lines += [f"### {one.__name__}", _doc(one), _fields(one)]
    lines.append("## Errors")
    lines.append(f"```text\n{inspect.cleandoc(errors.__doc__ or '')}\n```")
    return "\n\n".join(lines) + "\n"


def _doc(thing: Any) -> str:
    return _plain(inspect.getdoc(thing) or "")


def _plain(text: str) -> str:
    """Of the markup in docstrings what Markdown knows too."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def _methods(kind: type, before: str) -> Iterator[str]:
    for name, method in vars(kind).items():
        function = method.__func__ if isinstance(method, classmethod) else method
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        shown = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
        shown = shown.replace("(cls, ", "(").replace("'", "")
        shown = re.sub(r"<function <lambda> at 0x\w+>|<function \S+ at 0x\w+>", "…", shown)
        shown = re.sub(r"Unpack\[(\w+)\]", r"\1", shown)
        yield f"### {before}{name}\n\n```python\n{_wrapped(name, shown)}\n```\n\n{_doc(function)}"


def _wrapped(name: str, signature: str) -> str:
    """A signature, an argument a line where it is long."""
    whole = name + signature
    if len(whole) <= 96:
        return whole
    inner, _, returns = signature.rpartition(")")
    parts = re.split(r", (?=[*\w]+(?::|,|$)|\*)", inner[1:])
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def _fields(options: type) -> str:
    """Of a TypedDict: names, types, and what its source says below them."""
    source = inspect.cleandoc("\n" + inspect.getsource(options))
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    rows, last = [], -1
    for node in body.body:
        if isinstance(node, ast.AnnAssign):
            kind = ast.unparse(node.annotation).strip("'")  # a text, where it names what loads late
            rows.append([ast.unparse(node.target), kind, ""])
            last = len(rows) - 1
        elif isinstance(node, ast.Expr) and last >= 0:
            said = ast.literal_eval(node.value)
            rows[last][2] = _plain(" ".join(said.split()))
    table = "\n".join(f"| `{n}` | `{_cell(t)}` | {_cell(d)} |" for n, t, d in rows)
    return f"| | | |\n|---|---|---|\n{table}"


# ------------------------------------------------------------------ the clients

_CLIENTS = """## Each agent

How to connect each, what that changes, and what it would be by hand. `recollect install` shows
which of them are on your machine.
"""
COMMAND = "/home/ana/.local/bin/recollect"


def clients() -> str:
    """A section for each agent, from the table that the installer works from."""
    from recollect.surfaces.install.clients import CLIENTS

    return _CLIENTS + "".join(f"\n{_client(client)}" for client in CLIENTS)


def _client(client: Any) -> str:
    from recollect.surfaces.install.edits import SYNTAX

    hooks = "--hooks" if client.hooks else ""
    ways = ["--dry-run", hooks, *(["--for project"] if client.project else []), "--uninstall"]
    typed = "\n".join(f"$ recollect install {client.name} {way}".rstrip() for way in ways)
    text = SYNTAX[client.form].put("", client.path(), client.entry([COMMAND, "mcp"]))
    shown = {"json5": "json"}.get(client.form, client.form)
    parts = [f"### {client.label}", f"```console\n{typed}\n```", _files(client)]
    if client.hooks:
        called = ", ".join(f"`{theirs}`" for theirs in client.hooks.events.values())
        parts.append(f"With `--hooks`, it calls recollect at {called}.")
    notes = [note for note in (client.note, client.project_note) if note]
    notes += [client.hooks.note] if client.hooks and client.hooks.note else []
    parts += [f"{note[0].upper()}{note[1:]}." for note in notes]
    parts.append(f"By hand:\n\n```{shown}\n{text.rstrip()}\n```")
    typed_too = client.listing.split()[0] in client.programs
    seen = f"`{client.listing}`" if typed_too else client.listing
    parts.append(f"To see it: {seen}.")
    return "\n\n".join(parts) + "\n"


def _files(client: Any) -> str:
    """Where its settings are, by system."""
    varies = client.user.macos or client.user.windows
    rows = [("Linux" if varies else "user", client.user.linux)]
    if client.user.macos:
        rows.append(("macOS", client.user.macos))
    if client.user.windows:
        rows.append(("Windows", client.user.windows))
    if client.project:
        rows.append(("project", client.project))
    if client.hooks:
        rows.append(("hooks", client.hooks.user.linux))
    rows += [("provider", one.user.linux) for one in client.provider]
    if client.skill:
        rows.append(("skill", f"{client.skill.linux}/recollect/SKILL.md"))
    moved = f", moved by `{client.user.variable}`" if client.user.variable else ""
    table = "\n".join(f"| {what} | `{path}` |" for what, path in rows)
    return f"| | file{moved} |\n|---|---|\n{table}".replace("$CONFIG", "~/.config")


# ------------------------------------------------------------------ the layers

WIDE, ROW, GAP, SIDE = 920, 46, 8, 16


def layers() -> str:
    """The contract of layers, drawn: each box is a module, and imports only what is below it."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    parts = [_STYLE]
    y = SIDE
    for row in rows:
        names = [name.strip(" ()") for name in re.split(r"[|:]", row)]
        names = [name for name in names if _source(name) is not None]
        parts += _boxes(names, y)
        y += ROW + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {y + SIDE - GAP}" '
        f'font-family="ui-sans-serif, system-ui, sans-serif">\n' + "\n".join(parts) + "\n</svg>\n"
    )


_STYLE = """<title>The layers of recollect: a module imports only from rows below its own</title>
<style>
  rect { fill: #eef2f6; stroke: #9aa8b5 }
  .name { font: 600 14px ui-monospace, monospace; fill: #17324d }
  .says { font-size: 11px; fill: #4a5b6b }
  @media (prefers-color-scheme: dark) {
    rect { fill: #1d2833; stroke: #46586a } .name { fill: #dbe7f3 } .says { fill: #9db0c2 }
  }
</style>"""


def _boxes(names: Sequence[str], y: int) -> Iterator[str]:
    wide = (WIDE - 2 * SIDE - GAP * (len(names) - 1)) / len(names)
    for at, name in enumerate(names):
        x = SIDE + at * (wide + GAP)
        said = _fitting(_first_line(name), int(wide / 6.1))
        yield f'<rect x="{x:.0f}" y="{y}" width="{wide:.0f}" height="{ROW}" rx="5"/>'
        yield f'<text class="name" x="{x + 10:.0f}" y="{y + 19}">{escape(name)}</text>'
        yield f'<text class="says" x="{x + 10:.0f}" y="{y + 36}">{escape(said)}</text>'


def _source(name: str) -> Path | None:
    for path in (PACKAGE / f"{name}.py", PACKAGE / name / "__init__.py"):
        if path.is_file():
            return path
    return None


def _first_line(name: str) -> str:
    path = _source(name)
    assert path is not None
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = said.partition("\n\n")[0].replace("\n", " ").replace("`", "")
    return re.split(r"(?<=\w)[.;] ", first)[0].rstrip(".:")


def _fitting(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    text = text.partition(":")[0]
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0].rstrip(",;:") + " …"


# ------------------------------------------------------------------ the words of the evals


def glossary() -> str:
    from recollect_evals.glossary import markdown

    return re.sub(r"^(#+ )", r"#\1", markdown(), flags=re.MULTILINE)


# ------------------------------------------------------------------ what was measured


def unseen() -> str:
    """Against plain fusion by domain, and the means, as ``bench.unseen`` wrote them."""
    text = (DOCS / "quality.md").read_text(encoding="utf-8")
    lines = ["| domain | questions | evidence shown | all documents in ten | order (nDCG@10) |"]
    lines.append("|---|---|---|---|---|")
    for domain, _, questions, *points in _rows(text, "### Against plain fusion, by domain"):
        cells = [domain, questions, *map(_points, points)]
        lines.append(f"| {' | '.join(cells)} |")
    means = {row[0]: row[1:] for row in _rows(text, "### Over the domains")}
    ours, plain = means["default"], means["rrf-10"]
    told = ", ".join(
        f"{name} {ours[at]} against {plain[at]}"
        for name, at in (("evidence", 0), ("documents", 2), ("order", 4), ("tokens", 6))
    )
    return "\n".join([*lines, "", f"Mean over the domains: {told}."]) + "\n"


def _rows(text: str, heading: str) -> Iterator[list[str]]:
    """The rows of the first table below a heading, without its head."""
    below = text.partition(f"{heading}\n")[2].lstrip().partition("\n\n")[0]
    for line in below.splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("| ").split("|")]


def _points(cell: str) -> str:
    """The difference without its interval; bold where it is worse beyond noise."""
    number = cell.partition(" ")[0].replace("-", "−")
    return f"**{number}**" if cell.endswith("**") else number


# ------------------------------------------------------------------ all of them

PAGES: dict[str, Callable[[], str]] = {
    "cli.md": lambda: MADE + cli(),
    "settings.md": lambda: MADE + settings(),
    "api.md": lambda: MADE + api(),
    "layers.svg": layers,
    "read-path.svg": paths.read_path,
    "write-path.svg": paths.write_path,
}
SECTIONS: dict[tuple[str, str], Callable[[], str]] = {
    ("install.md", "clients"): clients,
    ("evals.md", "glossary"): glossary,
    ("measured.md", "unseen domains"): unseen,
    ("../README.md", "unseen domains"): unseen,
}
"""Parts of a page that stand between two comments."""


def texts() -> Iterator[tuple[str, str]]:
    """Each page that is made, or has a part that is, and what it should say."""
    for name, make in PAGES.items():
        yield name, make()
    for (name, part), make in SECTIONS.items():
        text = (DOCS / name).read_text(encoding="utf-8")
        begin, end = f"<!-- {part}: made by `python docs/make.py` -->\n", f"<!-- end of {part} -->"
        before, _, rest = text.partition(begin)
        assert end in rest, f"docs/{name} has no place for {part}"
        yield name, f"{before}{begin}\n{make()}\n{end}{rest.partition(end)[2]}"


def stale() -> list[str]:
    """The pages that are not what the code says."""
    return [name for name, text in texts() if not _same(DOCS / name, text)]


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: Sequence[str]) -> int:
    if "--check" in arguments:
        found = stale()
        for name in found:
            sys.stderr.write(f"docs/{name} is not what the code says: run `make docs`\n")
        return bool(found)
    for name, text in texts():
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
