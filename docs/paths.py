"""The read path and the write path, drawn from the code that they are.

:func:`read_path` follows :func:`recollect.reading.pipeline.answer` call by call;
:func:`write_path` shows how the functions of :mod:`recollect.writing.path` come together in one
``ChangeSet``.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from types import ModuleType
from typing import Any, NamedTuple

from recollect.reading import pipeline, retrieval
from recollect.writing import path

WIDE, SIDE, ROW, GAP = 920, 16, 34, 10
_OPENED = frozenset((retrieval.ranked,))
"""Functions whose own calls are shown below them."""
_LEFT_OUT = frozenset(("tracing", "_traced"))
_APPLY = "store.apply"
_STYLE = """<style>
  rect { fill: #eef2f6; stroke: #9aa8b5 }
  line, path { stroke: #9aa8b5; fill: none }
  .name { font: 600 13px ui-monospace, monospace; fill: #17324d }
  .type { font: 12px ui-monospace, monospace; fill: #6b4a17 }
  .says { font-size: 11px; fill: #4a5b6b }
  .when { font: italic 12px ui-sans-serif, sans-serif; fill: #4a5b6b }
  @media (prefers-color-scheme: dark) {
    rect { fill: #1d2833; stroke: #46586a } line, path { stroke: #46586a }
    .name { fill: #dbe7f3 } .type { fill: #e6c892 } .says, .when { fill: #9db0c2 }
  }
</style>"""


def _svg(title: str, high: float, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high:.0f}" '
        f'font-family="ui-sans-serif, system-ui, sans-serif">\n<title>{escape(title)}</title>\n'
    )
    return head + "\n".join((_STYLE, *parts)) + "\n</svg>\n"


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def _rect(x: float, y: float, wide: float, high: float) -> str:
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{high:.0f}" rx="5"/>'


def _says(function: Any) -> str:
    """Returns the first sentence of a docstring."""
    said = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\w)[.;:] ", re.sub(r"[`*]", "", said))[0].rstrip(".:")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + " …"


# ------------------------------------------------------------------ the read path


class Step(NamedTuple):
    """One call of a path, or a condition on those that follow (without a function)."""

    name: str
    depth: int
    function: Any = None

    @property
    def made(self) -> str:
        """What it returns."""
        told = inspect.signature(self.function).return_annotation
        return str(told).removeprefix("None")


def steps(function: Any, module: ModuleType, depth: int = 0) -> Iterator[Step]:
    """Yields the calls that a function makes of functions of the read path, in their order."""
    (tree,) = ast.parse(inspect.getsource(inspect.unwrap(function))).body
    assert isinstance(tree, ast.FunctionDef)
    kinds = {a.arg: ast.unparse(a.annotation) for a in tree.args.args if a.annotation}
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For))
    names = _Names(module, kinds, frozenset(ast.unparse(loop.target) for loop in loops))
    yield from _in_block(tree.body, names, depth)


class _Names(NamedTuple):
    """What the names in a function mean."""

    module: ModuleType
    kinds: dict[str, str]
    """Of the parameters."""
    locals: frozenset[str]
    """What loops go over."""

    def meaning(self, node: ast.expr) -> Any:
        """Returns the function that is called by this expression, if it is one of ours."""
        match node:
            case ast.Name(id):
                return getattr(self.module, id, None)
            case ast.Attribute(ast.Name(id), name) if id in self.kinds:
                return getattr(getattr(self.module, self.kinds[id], None), name, None)
            case ast.Attribute(ast.Name(id), name):
                return getattr(getattr(self.module, id, None), name, None)
            case ast.Attribute(ast.Call(func=inner), name):
                kind = inspect.signature(self.meaning(inner)).return_annotation
                return getattr(getattr(self.module, str(kind), None), name, None)
        return None


def _in_block(block: Sequence[ast.stmt], names: _Names, depth: int) -> Iterator[Step]:
    for statement in block:
        match statement:
            case ast.If(test, body, _):
                yield Step(f"if {ast.unparse(test)}", depth)
                yield from _in_block(body, names, depth + 1)
            case ast.For(target, over, body, _):
                yield Step(f"for {ast.unparse(target)} in {ast.unparse(over)}", depth)
                yield from _in_block(body, names, depth + 1)
            case ast.With(_, body):
                yield from _in_block(body, names, depth)
            case _:
                yield from _calls(statement, names, depth)


def _calls(node: ast.AST, names: _Names, depth: int) -> Iterator[Step]:
    """Yields the calls below a node, innermost first, as they are evaluated."""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, names, depth)
    if not isinstance(node, ast.Call):
        return
    name, found = ast.unparse(node.func), names.meaning(node.func)
    if inspect.isfunction(found) and name not in _LEFT_OUT:
        yield Step(name.rpartition(")")[2].strip("."), depth, found)
    if inspect.isfunction(found) and found in _OPENED:
        yield from steps(found, inspect.getmodule(found) or names.module, depth + 1)
    if found is None and isinstance(node.func, ast.Name) and name in names.locals:
        yield Step(ast.unparse(node), depth)


def read_path() -> str:
    """Draws the calls of the read path from top to bottom, with what each hands on."""
    parts: list[str] = []
    y = float(SIDE)
    for step in steps(pipeline.answer, pipeline):
        x = SIDE + 28 * step.depth
        if step.function is None:
            parts.append(_text("when", x + 4, y + 16, step.name))
            y += 26
            continue
        parts.append(_rect(x, y, WIDE - SIDE - x, ROW))
        parts.append(_text("name", x + 10, y + 21, step.name.lstrip("_")))
        parts.append(_text("type", 270, y + 21, _short(f"→ {step.made}" if step.made else "", 38)))
        parts.append(_text("says", 550, y + 21, _short(_says(step.function), 58)))
        y += ROW + GAP
    return _svg("The read path: pipeline.answer, call by call", y + SIDE - GAP, parts)


# ------------------------------------------------------------------ the write path


class Verb(NamedTuple):
    """A function of the write path."""

    name: str
    reads: tuple[str, ...]
    """What it calls to decide, in other modules of the write path."""
    hands_to: tuple[str, ...]
    """The functions of the same page that it hands its changes to."""


@cache
def verbs() -> dict[str, Verb]:
    tree = ast.parse(inspect.getsource(path))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = {function.name for function in functions}
    return {function.name: _verb(function, own) for function in functions}


def _verb(function: ast.FunctionDef, own: set[str]) -> Verb:
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    names = dict.fromkeys(ast.unparse(one) for one in called)
    rooms = {n for n, value in vars(path).items() if inspect.ismodule(value)}
    reads = tuple(n for n in names if n.partition(".")[0] in rooms)
    return Verb(function.name, reads, tuple(name for name in names if name in own))


def _level(name: str) -> int:
    """Returns how many hands the changes go through from here to the store."""
    return 1 + max(map(_level, verbs()[name].hands_to), default=0)


def write_path() -> str:
    """Draws how every way to write comes down to one change set."""
    handed = {name for verb in verbs().values() for name in verb.hands_to}
    below = sorted(handed, key=_level, reverse=True)
    top = [verb for verb in verbs().values() if verb.name not in handed]
    top.sort(key=lambda verb: (-max(map(_level, verb.hands_to)), len(verb.hands_to)))
    wide = (WIDE - 2 * SIDE - GAP * (len(top) - 1)) / len(top)
    high = 36 + 15 * max(len(verb.reads) for verb in top)
    y_of = {name: SIDE + high + 46 + at * 74 for at, name in enumerate(below)}
    boxes, lines = [], []
    ends = dict.fromkeys(below, 0.0)
    """How far to the right something comes down to each."""
    for at, verb in enumerate(top):
        x = SIDE + at * (wide + GAP)
        targets = sorted(verb.hands_to, key=_level, reverse=True)
        for place, name in enumerate(targets, 1):
            turn = x + wide * place / (len(targets) + 1)
            ends[name] = max(ends[name], turn)
            lines.append(f'<path d="M{turn:.0f} {SIDE + high} V{y_of[name]}"/>')
        boxes += [_rect(x, SIDE, wide, high), _text("name", x + 8, SIDE + 20, verb.name)]
        boxes += [
            _text("says", x + 8, SIDE + 38 + 15 * line, _short(read, int(wide / 5.6)))
            for line, read in enumerate(verb.reads)
        ]
    for name in below:
        y, (target, *_) = y_of[name], (*verbs()[name].hands_to, "store")
        right = WIDE - SIDE if target == "store" else max(ends[name], ends[below[0]]) + 14
        boxes += [_rect(SIDE, y, right - SIDE, 44), _text("name", SIDE + 10, y + 18, name)]
        reads = ", ".join(verbs()[name].reads)
        said = _says(getattr(path, name)) + (f" ({reads})" if reads else "")
        boxes.append(_text("says", SIDE + 10, y + 35, _short(said, int((right - SIDE) / 5.8))))
        lines.append(f'<path d="M{SIDE + 40} {y + 44} V{y + 74}"/>')
    end = max(y_of.values()) + 74
    boxes.append(_text("type", SIDE + 50, end - 10, "ChangeSet"))
    boxes += [_rect(SIDE, end, WIDE - 2 * SIDE, 32), _text("name", SIDE + 10, end + 21, _APPLY)]
    boxes.append(_text("type", SIDE + 130, end + 21, "→ Receipt"))
    title = "The write path: every change goes through one commit"
    return _svg(title, end + 32 + SIDE, [*lines, *boxes])
