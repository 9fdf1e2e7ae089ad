"""The short forms of ``python -m bench.attack``."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import attack, faulty


def test_documents_are_forgotten_beside_processes_that_search(tmp_path: Path) -> None:
    said: list[str] = []
    assert attack.forget(12, 7, tmp_path, said.append) == 0, said


def test_a_damaged_file_is_mended_or_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    said: list[str] = []
    assert attack.damage(8, 7, tmp_path, said.append) == 0, said


def test_a_disk_that_fails_and_power_that_fails_cost_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if faulty.compiled(tmp_path) is None:
        pytest.skip("there is no C compiler here")
    said: list[str] = []
    assert faulty.eio(4, 7, tmp_path / "eio", said.append) == 0, said
    monkeypatch.setattr(faulty, "POWERED", ("embed", "export", "config"))
    assert faulty.power(18, 91, tmp_path / "power", said.append) == 0, said
    assert all("compiler" not in line for line in said)
