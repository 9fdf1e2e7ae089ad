"""What a bench is called with, where it is run as a program of its own."""

from __future__ import annotations

import sys

import pytest
from bench import asked


def _call(patch: pytest.MonkeyPatch, *words: str) -> None:
    patch.setattr(sys, "argv", ["bench", *words])


def test_help_tells_what_the_bench_is_and_what_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _call(monkeypatch, "--help")
    with pytest.raises(SystemExit) as ended:
        asked.names("usage", "Tokens of answers.", ("notes", "covid"))
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "python -m bench.usage" in said
    assert "Tokens of answers." in said
    assert "notes, covid" in said


def test_what_is_not_known_is_refused_with_what_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _call(monkeypatch, "covid")
    assert asked.names("usage", "", ("notes", "covid")) == ["covid"]
    _call(monkeypatch, "nosuch")
    with pytest.raises(SystemExit):
        asked.names("usage", "", ("notes", "covid"))
    assert "there is no 'nosuch': notes, covid" in capsys.readouterr().err


def test_words_are_given_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    _call(monkeypatch, "here", "soak", "3", "7")
    assert asked.words("faulty", "", "ROOT", "WORK", more=True) == ["here", "soak", "3", "7"]
    _call(monkeypatch)
    assert asked.words("sbom", "") == []
    _call(monkeypatch, "--kept")
    assert asked.switch("redaction", "", "kept")
