"""PrecisionMemBench as it is published, with the models that ship: what was passed stays so."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import corpus

from recollect_evals.precisionmembench import FILES, outcomes

FEW = 3
"""One of 89 is not passed on the machines where it was read; vectors differ a little elsewhere."""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    data = corpus.data_folder()
    if data is None or not all((data / "precisionmembench" / name).is_file() for name in FILES):
        pytest.skip("the shared data has no PrecisionMemBench")
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "recollect-embed")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    return data / "precisionmembench"


def test_the_facts_that_are_expected_come_back_and_no_others(folder: Path) -> None:
    found = outcomes(folder)
    failed = {one.case for some in found.values() for one in some if one.problems}
    assert len(failed) <= FEW, failed
