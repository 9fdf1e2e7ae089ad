"""What the documents say is so: commands are understood, links lead somewhere, what is made from
the code is what the code says."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from bench import load

from recollect.surfaces.cli import COMMANDS, parser_of
from recollect.surfaces.install import launch

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
OURS = ("src", "evals", "bench", "training", "plugins", "docs", "tests")
MODULES = [path.as_posix() for folder in OURS for path in (ROOT / folder).rglob("*.py")]


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", head.lower()) for head in heads)
    return {head.strip().replace(" ", "-") for head in plain}


@pytest.fixture(scope="module")
def made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_made_from_the_code_is_what_the_code_says(made: ModuleType) -> None:
    assert made.stale() == [], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", _without_code(page.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_is_understood(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"^\$ recollect (.*?)(?:\s{2,}#.*)?$", text, re.MULTILINE):
        words = shlex.split(line, comments=True)
        ends = next((n for n, word in enumerate(words) if word in ("|", ">", "<", "&&")), None)
        words = words[:ends]
        if "--help" in words or words == ["--version"]:
            continue
        assert parser_of().parse_args(words).run, line


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_that_is_spoken_of_is_there(page: Path) -> None:
    spoken = re.findall(r"`recollect ([a-z][a-z-]*)", page.read_text(encoding="utf-8"))
    assert set(spoken) <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_module_that_is_named_is_there(page: Path) -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", page.read_text(encoding="utf-8")))
    examples = {"src/main.py"}  # a file of a user's
    assert [
        one for one in named - examples if not any(path.endswith(f"/{one}") for path in MODULES)
    ] == []


def test_llms_txt_names_every_page_and_nothing_that_is_not_there() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "llms.txt").read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert {f"docs/{page.name}" for page in ROOT.glob("docs/*.md")} <= set(links)


def test_the_tree_in_the_readme_is_the_tree() -> None:
    tree = README.partition("```\nsrc/recollect/\n")[2].partition("```")[0]
    begins = re.findall(r"^ *((?:[\w.]+/? )+)", tree, re.MULTILINE)
    here = {name for begin in begins for name in begin.split()}
    package = ROOT / "src" / "recollect"
    parts = {path.name + "/" * path.is_dir() for path in package.iterdir()}
    own = {name for name in parts if not name.startswith("_")} - {"py.typed"}
    assert own == here - {"evals/", "bench/", "training/", "plugins/", "docs/"}


def test_every_page_is_in_the_list_of_pages() -> None:
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in ROOT.glob("docs/*.md")} - {"README.md"}
    assert pages == set(re.findall(r"\]\((\w[\w-]*\.md)\)", listed))
    assert "](docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_is_published_names_one_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    plugin = (ROOT / "plugins" / "claude-code" / "README.md").read_text(encoding="utf-8")
    assert project["name"] == launch.NAME
    assert [package["identifier"] for package in server["packages"]] == [project["name"]]
    assert f"<!-- mcp-name: {server['name']} -->" in README
    assert f"pip install {project['name']}\n" in README
    assert f"pipx install {project['name']}`" in plugin


def test_the_page_on_scaling_has_what_the_load_model_prints() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    for line in load.table(load.LOADS, core=1):
        assert line in page, line
