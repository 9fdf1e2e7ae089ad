"""``python -m bench.shape``: the shape of the code, beside packages that others hold up as models.

Everything is counted with :mod:`ast` over all modules of a package; the models are read from their
wheels (``--wheels FOLDER``, else downloaded once into ``.cache/bench/shape``). What counts:

- a statement is every ``ast.stmt``, docstrings among them;
- a branch is an ``if`` or ``elif``, ``for``, ``while``, ``except``, ``case`` and conditional
  expression, each chain of ``and`` or of ``or``, and each ``for`` of a comprehension. ``assert``,
  ``with`` and ``else`` are none;
- strictly counted, each operand of a chain after the first and each ``if`` of a comprehension is a
  branch too, and docstrings are no statements: it shows branches that were only hidden;
- a source line is one that is not blank and not part of a comment or a docstring;
- a joined statement is one that is not the first on its line (after ``;`` or a colon), the body
  ``...`` of a stub apart: nobody saves lines by joining;
- the length of a function is that of its whole text, without decorators;
- class names are those of classes at the top of a module; ``__init__.py`` is no name of a file;
- members and parameters are the public ones of an opened ``Memory``, what it inherits and its
  attributes among them;
- frames are those of one real ``recollect search`` from ``main`` to the engine's ``search_text``,
  both included.

``--check`` ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import recollect
from recollect import __main__ as entry
from recollect.ports import Store

MODELS = ("h11==0.16.0", "httpx==0.28.1", "zarr==3.1.6", "ranx==0.3.21")
WHEELS = Path(__file__).resolve().parents[1] / ".cache" / "bench" / "shape"

EXCLUDED = (
    "text/near*.py",
    "text/claims.py",
    "text/conflict.py",
    "text/changes.py",
    "text/facets.py",
    "writing/extract.py",
    "writing/cues.py",
    "writing/outline.py",
    "writing/sentences.py",
)
"""Rules that two small models are to replace: room and name of the file, wherever in the room."""
MOVING = "evals"
"""The room that moves into a distribution of its own; its lines are not saved by moving."""
SOURCE_LINES_BEFORE = 50_985
"""Of all other rooms, at commit b63faa1."""

BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.IfExp,
    ast.BoolOp,
    ast.comprehension,
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)
MANY_PARAMETERS = 6
PARTS = ("curation", "models", "admin")

Figure = int | float | None


# ------------------------------------------------------------------ reading a package


class Module(NamedTuple):
    """One file of a package, parsed."""

    package: str
    path: PurePosixPath
    """Inside the package."""
    text: str
    tree: ast.Module
    nodes: Mapping[type[ast.AST], list[ast.AST]]
    """By their types."""

    @property
    def room(self) -> str:
        """The package or module at the top that it belongs to."""
        return self.path.parts[0].removesuffix(".py")

    @property
    def excluded(self) -> bool:
        return any(fnmatch(f"{self.room}/{self.path.name}", pattern) for pattern in EXCLUDED)

    def all(self, *kinds: type[ast.AST]) -> list[Any]:
        groups = (group for kind, group in self.nodes.items() if issubclass(kind, kinds))
        return list(chain.from_iterable(groups))


Modules = Sequence[Module]


def module(text: str, path: str = "module.py", package: str = "package") -> Module:
    tree, nodes = ast.parse(text), defaultdict(list)
    for node in ast.walk(tree):
        nodes[type(node)].append(node)
    return Module(package, PurePosixPath(path), text, tree, nodes)


def of_folder(root: Path) -> list[Module]:
    return [
        module(path.read_text("utf-8"), path.relative_to(root).as_posix(), root.name)
        for path in sorted(root.rglob("*.py"))
    ]


def of_wheel(path: Path) -> list[Module]:
    with zipfile.ZipFile(path) as wheel:
        names = sorted(name for name in wheel.namelist() if name.endswith(".py"))
        return [
            module(wheel.read(name).decode(), inside, package)
            for name in names
            for package, _, inside in [name.partition("/")]
        ]


def models(folder: Path | None) -> dict[str, list[Module]]:
    """By name and version; those whose wheels are not there and cannot be had are absent."""
    place = folder or WHEELS
    if folder is None and len(_wheels(place)) < len(MODELS):
        _download(place)
    return {" ".join(path.name.split("-")[:2]): of_wheel(path) for path in _wheels(place)}


def _wheels(place: Path) -> list[Path]:
    named = (model.partition("==")[0] for model in MODELS)
    return [path for name in named for path in sorted(place.glob(f"{name}-*.whl"))]


def _download(place: Path) -> None:
    asked = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(place)]
    subprocess.run([sys.executable, "-m", "pip", *asked, *MODELS], check=False)


# ------------------------------------------------------------------ what is counted


def found(modules: Modules, *kinds: type[ast.AST]) -> list[Any]:
    """The nodes of these kinds in all modules."""
    return list(chain.from_iterable(one.all(*kinds) for one in modules))


def total(count: Callable[[Module], Sized], modules: Modules) -> int:
    """How much there is of something in all modules."""
    return sum(map(len, map(count, modules)))


def statements(modules: Modules) -> int:
    return len(found(modules, ast.stmt))


def branches(modules: Modules) -> int:
    return len(found(modules, *BRANCHES))


def density(modules: Modules) -> float | None:
    """Branches per 100 statements."""
    return _per_hundred(branches(modules), statements(modules))


def strict_density(modules: Modules) -> float | None:
    operands = sum(len(test.values) - 2 for test in found(modules, ast.BoolOp))
    conditions = sum(len(loop.ifs) for loop in found(modules, ast.comprehension))
    judged = statements(modules) - total(docstrings, modules)
    return _per_hundred(branches(modules) + operands + conditions, judged)


def _per_hundred(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def docstrings(one: Module) -> list[ast.Expr]:
    """Of modules, classes and functions, and those that stand after an attribute."""
    return [node for node in one.all(ast.Expr) if _is_text(node.value)]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def source_lines(modules: Modules) -> int:
    return total(_source, modules)


def _source(one: Module) -> set[int]:
    return _written(one) - _told(one)


def _written(one: Module) -> set[int]:
    """The numbers of the lines that are not blank and no comment."""
    stripped = map(str.strip, one.text.split("\n"))
    return {n for n, line in enumerate(stripped, 1) if line and not line.startswith("#")}


def _told(one: Module) -> set[int]:
    spans = ((node.lineno, node.end_lineno or node.lineno) for node in docstrings(one))
    return {line for first, last in spans for line in range(first, last + 1)}


def total_lines(modules: Modules) -> int:
    return sum(one.text.count("\n") for one in modules)


def joined(modules: Modules) -> int:
    return total(_joined, modules)


def _joined(one: Module) -> list[ast.stmt]:
    lines = one.text.encode().split(b"\n")
    return [
        node
        for node in one.all(ast.stmt)
        if lines[node.lineno - 1][: node.col_offset].strip() and not _is_stub(node)
    ]


def _is_stub(node: ast.stmt) -> bool:
    return ast.unparse(node) == "..."


def functions(modules: Modules) -> list[Any]:
    return found(modules, *FUNCTIONS)


def length(share: float) -> Callable[[Modules], int | None]:
    """Lines of a function that this share of all functions does not exceed."""

    def figure(modules: Modules) -> int | None:
        lengths = sorted(node.end_lineno - node.lineno + 1 for node in functions(modules))
        return lengths[int(len(lengths) * share)] if lengths else None

    return figure


def inner_imports(modules: Modules) -> int:
    return total(_inner_imports, modules)


def own_inner_imports(modules: Modules) -> int:
    """Those of the package's own modules."""
    return sum(one.package in _roots(node) for one in modules for node in _inner_imports(one))


def _inner_imports(one: Module) -> set[ast.Import | ast.ImportFrom]:
    inside = (node for function in one.all(*FUNCTIONS) for node in ast.walk(function))
    return {node for node in inside if isinstance(node, IMPORTS)}


def _roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The packages that it imports from."""
    named = getattr(node, "module", None)
    names = [named] if named else [alias.name for alias in node.names]
    return {name.partition(".")[0] for name in names}


def skipped_formats(modules: Modules) -> int:
    return sum(one.text.count("# fmt: skip") for one in modules)


def recurring_classes(modules: Modules) -> dict[str, int]:
    tops = (node for one in modules for node in one.tree.body)
    return _recurring(node.name for node in tops if isinstance(node, ast.ClassDef))


def recurring_files(modules: Modules) -> dict[str, int]:
    return _recurring(one.path.name for one in modules if one.path.name != "__init__.py")


def _recurring(names: Iterable[str]) -> dict[str, int]:
    return {name: count for name, count in Counter(names).most_common() if count > 1}


def traced(modules: Modules) -> int:
    """Functions that take a parameter called ``trace``."""
    return sum("trace" in _parameters(node.args) for node in functions(modules))


def _parameters(given: ast.arguments) -> list[str]:
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


FIGURES: dict[str, Callable[[Modules], Figure]] = {
    "statements": statements,
    "source lines": source_lines,
    "lines in all": total_lines,
    "joined statements": joined,
    "branches per 100 statements": density,
    "  strictly counted": strict_density,
    "lines of a function, p50": length(0.5),
    "lines of a function, p95": length(0.95),
    "imports inside functions": inner_imports,
    "  of its own modules": own_inner_imports,
    "# fmt: skip": skipped_formats,
    "class names used twice or more": lambda modules: len(recurring_classes(modules)),
    "file names that recur": lambda modules: len(recurring_files(modules)),
    "functions with a parameter trace": traced,
}


def rooms(modules: Modules) -> dict[str, list[Module]]:
    named = sorted({one.room for one in modules})
    return {name: [one for one in modules if one.room == name] for name in named}


# ------------------------------------------------------------------ the facade and the contract


class Face(NamedTuple):
    """What is public of an object."""

    members: int
    parameters: int
    wide: tuple[str, ...]
    """Members with more than six parameters."""


def face(thing: object) -> Face:
    named = {name: _width(getattr(thing, name)) for name in public(thing)}
    wide = tuple(name for name, width in named.items() if width > MANY_PARAMETERS)
    return Face(len(named), sum(named.values()), wide)


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def _width(member: object) -> int:
    return len(inspect.signature(member).parameters) if inspect.isroutine(member) else 0


def faces(memory: object) -> dict[str, Face]:
    """Of ``Memory``, and of those of its parts that there are."""
    parts = {f"Memory.{name}": getattr(memory, name, None) for name in PARTS}
    there = {name: part for name, part in parts.items() if part is not None}
    return {name: face(part) for name, part in {"Memory": memory, **there}.items()}


# ------------------------------------------------------------------ frames


def frames(run: Callable[[], object], start: str, end: str, under: Path) -> list[str]:
    """The functions of files *under* a folder from *start* to the first call of one whose qualified
    name ends with *end*, both included; none when it is not called, or not from *start*."""
    stacks: list[list[str]] = []

    def hook(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_qualname.endswith(end):
            stacks.append(_stack(frame, start, under))

    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(before)
    return stacks[0] if stacks else []


def _stack(innermost: FrameType, start: str, under: Path) -> list[str]:
    codes = [frame.f_code for frame in _callers(innermost)]
    names = [code.co_qualname for code in codes if Path(code.co_filename).is_relative_to(under)]
    return names[names.index(start) :] if start in names else []


def _callers(innermost: FrameType) -> list[FrameType]:
    """The outermost first."""
    stack: list[FrameType] = []
    frame: FrameType | None = innermost
    while frame:
        stack.insert(0, frame)
        frame = frame.f_back
    return stack


@contextlib.contextmanager
def small_store() -> Iterator[Path]:
    """A store with one note, made by the command, in a home of its own; it is the default one."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        place = Path(folder) / "home"
        with mock.patch.dict(os.environ, own | {"RECOLLECT_HOME": str(place)}, clear=True):
            note = Path(folder) / "deploys.md"
            note.write_text("# Deploys\n\nWe deploy on Fridays, after the review.\n")
            command("add", str(note))
            yield place


def command(*arguments: str) -> None:
    """Run ``recollect`` in this process; what it prints goes nowhere."""
    nothing = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["recollect", *arguments]),
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        entry.main()


def search_frames(root: Path) -> list[str]:
    """Those of a search by the command, in the store that is the default one."""
    return frames(
        lambda: command("search", "when do we deploy?"), "main", "Store.search_text", root
    )


# ------------------------------------------------------------------ the report


class Bar(NamedTuple):
    name: str
    figure: Figure
    at_most: float

    @property
    def met(self) -> bool:
        return self.figure is not None and self.figure <= self.at_most


class Report(NamedTuple):
    columns: dict[str, dict[str, Figure]]
    rooms: dict[str, dict[str, Figure]]
    left_out: list[str]
    faces: dict[str, Face]
    frames: list[str]
    classes: dict[str, int]
    files: dict[str, int]
    bars: list[Bar]

    def as_json(self) -> dict[str, Any]:
        told = [bar._asdict() | {"met": bar.met} for bar in self.bars]
        open_faces = {name: one._asdict() for name, one in self.faces.items()}
        return self._asdict() | {"faces": open_faces, "bars": told}


ELSEWHERE = (
    "Not measured here: help, JSON and exit codes as before; `make quick` under a minute of "
    "processor time; bench foundation, bench path and bench.unseen no worse."
)


def report(folder: Path | None) -> Report:
    root = Path(recollect.__file__).parent
    own = of_folder(root)
    packages = {"recollect": own, **models(folder)}
    with small_store(), recollect.Memory.open() as memory:
        open_faces, stack = faces(memory), search_frames(root)
    return Report(
        columns={name: measured(modules) for name, modules in packages.items()},
        rooms={name: _room(modules) for name, modules in rooms(own).items()},
        left_out=[one.path.as_posix() for one in own if one.excluded],
        faces=open_faces,
        frames=stack,
        classes=recurring_classes(own),
        files=recurring_files(own),
        bars=bars(own, open_faces, stack),
    )


def measured(modules: Modules) -> dict[str, Figure]:
    return {name: figure(modules) for name, figure in FIGURES.items()}


def _room(modules: Modules) -> dict[str, Figure]:
    judged = [one for one in modules if not one.excluded]
    return {
        "statements": statements(modules),
        "source lines": source_lines(modules),
        "branches per 100": density(modules),
        "as judged": density(judged),
    }


def bars(own: Modules, open_faces: dict[str, Face], stack: list[str]) -> list[Bar]:
    judged = [one for one in own if not one.excluded]
    text = [one for one in judged if one.room == "text"]
    staying = [one for one in own if one.room != MOVING]
    return [
        Bar("branches per 100 statements, over all", density(judged), 24),
        Bar("branches per 100 statements, text/", density(text), 30),
        Bar("members of Store", len(public(Store)), 14),
        Bar("public members of Memory", open_faces["Memory"].members, 30),
        Bar("imports inside functions", inner_imports(own), 40),
        Bar("# fmt: skip", skipped_formats(own), 20),
        Bar("class names used twice or more", len(recurring_classes(own)), 10),
        Bar("frames from the command to the engine", len(stack) or None, 9),
        Bar(f"source lines besides {MOVING}/", source_lines(staying), SOURCE_LINES_BEFORE - 2500),
        Bar("joined statements", joined(own), 0),
    ]


def table(columns: dict[str, dict[str, Figure]]) -> Iterator[str]:
    """A line for each figure, a column for each name."""
    widths = {name: max(len(name), 9) + 2 for name in columns}
    yield " " * 34 + "".join(f"{name:>{width}}" for name, width in widths.items())
    for figure in next(iter(columns.values())):
        cells = (f"{shown(columns[name][figure]):>{width}}" for name, width in widths.items())
        yield f"{figure:34}" + "".join(cells)


def turned(rows: dict[str, dict[str, Figure]]) -> dict[str, dict[str, Figure]]:
    """The rows as columns."""
    figures = next(iter(rows.values()))
    return {figure: {name: row[figure] for name, row in rows.items()} for figure in figures}


def shown(figure: Figure) -> str:
    return "-" if figure is None else f"{figure:,}"


def lines(shape: Report) -> Iterator[str]:
    yield from table(shape.columns)
    if len(shape.columns) <= len(MODELS):
        yield "Some models are absent: their wheels are not there and could not be downloaded."
    yield "\nRooms"
    yield from table(turned(shape.rooms))
    yield "\nLeft out of what is judged: " + ", ".join(shape.left_out)
    yield "\nFaces"
    for name, one in shape.faces.items():
        wide = f"{len(one.wide)} with more than {MANY_PARAMETERS}: {', '.join(one.wide)}"
        yield f"{name}: {one.members} members, {one.parameters} parameters; {wide}"
    yield "\nFrames: " + " > ".join(shape.frames)
    yield "\nBars"
    for bar in shape.bars:
        figures = f"{shown(bar.figure):>9}  at most {bar.at_most:>7,}"
        yield f"{bar.name:40}{figures}  {'met' if bar.met else 'MISSED'}"
    yield ELSEWHERE


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.shape")
    parser.add_argument("--json", action="store_true", help="everything, with the names")
    parser.add_argument(
        "--wheels", type=Path, metavar="FOLDER", help="where the models' wheels are"
    )
    parser.add_argument("--check", action="store_true", help="end with 1 when a bar is missed")
    options = parser.parse_args(arguments)
    shape = report(options.wheels)
    print(json.dumps(shape.as_json(), indent=2) if options.json else "\n".join(lines(shape)))
    return int(options.check and not all(bar.met for bar in shape.bars))


if __name__ == "__main__":
    sys.exit(main())
