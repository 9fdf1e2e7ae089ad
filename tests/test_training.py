"""What is not type-checked, because its packages are not here, still imports what there is."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[1] / "training").rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_name_of_ours_that_training_imports_is_there(path: Path) -> None:
    """The code that made the models moves with the package that they are for."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("recollect"):
            module = import_module(str(node.module))
            for one in node.names:
                submodule = f"{node.module}.{one.name}"
                assert hasattr(module, one.name) or find_spec(submodule), submodule
