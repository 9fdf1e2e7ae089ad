"""The write path: one place writes."""

from __future__ import annotations

import ast
from pathlib import Path

import recollect

ROOT = Path(recollect.__file__).parent
ELSEWHERE = ("storage", "testing", "nouns")
"""Engines apply what they are given, and their contract is tested; the noun is a noun."""


def _writes(file: Path) -> bool:
    calls = (n.func for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call))
    return any(
        (isinstance(call, ast.Name) and call.id == "ChangeSet")
        or (isinstance(call, ast.Attribute) and call.attr == "apply")
        for call in calls
    )


def test_one_place_makes_and_applies_change_sets() -> None:
    files = (f for f in ROOT.rglob("*.py") if f.relative_to(ROOT).parts[0] not in ELSEWHERE)
    assert [str(f.relative_to(ROOT)) for f in files if _writes(f)] == ["writing/path.py"]
