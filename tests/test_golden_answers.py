"""Five questions to the sample notes, as each surface tells the answer: texts in golden/answers.

    REWRITE_GOLDEN=1 pytest tests/test_golden_answers.py

writes them anew; read the difference before you commit it. What differs from run to run is left
out: times, fingerprints, and the numbers behind "sure" and "likely"; and what differs from one
processor to another: how many passages were found, and what is named after the first three, for
the vectors' last bits decide at the end.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from recollect import Memory
from recollect.surfaces import render
from recollect.surfaces.commands import hook
from recollect.surfaces.commands.demo import SAMPLES
from recollect.surfaces.page.layout import PageRequest
from recollect.surfaces.page.search import search as search_page
from recollect.surfaces.terminal import Style
from recollect.surfaces.tools import NAMED, Work, answer

GOLDEN = Path(__file__).parent / "golden" / "answers"
DAY = 1_767_000_000
"""The modification time of every sample: notes without a date are of that day."""


class Asked(NamedTuple):
    query: str
    limits: Mapping[str, Any] = MappingProxyType({})


QUESTIONS = {
    "direct": Asked("How long did the last restore drill take?"),
    "session": Asked("why did the departures test fail at night?"),
    "possible": Asked("which hotel did we choose for the holidays?"),
    "nothing": Asked("who is the CEO of Apple?"),
    "hidden": Asked("Why did we stop keeping logins in Redis?", {"kinds": ["session"]}),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, a fact, and a record without a title."""
    folder = tmp_path_factory.mktemp("golden")
    for name in ("vault", "sessions.jsonl"):
        copy = shutil.copytree if (SAMPLES / name).is_dir() else shutil.copy
        copy(SAMPLES / name, folder / name)
    for path in folder.rglob("*"):
        os.utime(path, (DAY, DAY))
    with Memory.open(folder / "store", rerank_model="none") as memory:
        memory.remember("We ship on Tuesdays.", name="deploy day", valid_from="2026-03-01")
        memory.record("decision", "Restore drills are in the first week of a quarter.", issue="#12",
                      date="2026-02-03")  # fmt: skip
        memory.add(folder / "vault", folder / "sessions.jsonl")
    return folder / "store"


@pytest.fixture
def memory(store: Path) -> Iterator[Memory]:
    with Memory.open(store, rerank_model="none") as opened:
        few = opened.config.with_value("search.named", "3")
        opened.core.config = few.with_value("cache.enabled", "false")
        yield opened


# ------------------------------------------------------------------ the surfaces


def cli(memory: Memory, asked: Asked) -> str:
    return render.answer(memory.search(asked.query, **asked.limits), Style(False))


def mcp(memory: Memory, asked: Asked) -> str:
    return answer(NAMED["search"], {"query": asked.query, **asked.limits}, lambda: memory).text


VARYING = {"timing_ms", "stages", "fingerprint", "confidence", "cache"}
AS_BEFORE = {"results", "rejected"}
"""The form of an earlier version; ``shown`` and ``named`` say the same."""
LEFT_OUT = VARYING | AS_BEFORE


def http(memory: Memory, asked: Asked) -> str:
    found = answer(NAMED["search"], {"query": asked.query, **asked.limits}, lambda: memory).json
    return json.dumps(_stable(found), ensure_ascii=False, indent=1)


def _stable(content: Any) -> Any:
    if isinstance(content, dict):
        return {
            name: _stable(one) for name, one in content.items() if name not in VARYING | AS_BEFORE
        }
    return list(map(_stable, content)) if isinstance(content, list) else content


def prompt_hook(memory: Memory, asked: Asked) -> str:
    """What a client is given beside the prompt; it knows of no limits."""
    payload = json.dumps({"prompt": asked.query, "hook_event_name": "UserPromptSubmit"})
    given, told = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = io.StringIO(payload), io.StringIO()
    try:
        store = str(memory.store.stats().location)
        hook.called(["prompt", "--client", "claude-code", "--wait", "--store", store])
        said = sys.stdout.getvalue()
    finally:
        sys.stdin, sys.stdout = given, told
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def page(memory: Memory, asked: Asked) -> str:
    """What the page says, without its forms, without how it came about and with what is folded
    closed."""
    kinds = asked.limits.get("kinds", [""])
    request = PageRequest(memory, NAMED, Work(), {"q": asked.query, "kind": kinds[0]}, "")
    body = str(search_page(request).body)
    body = re.sub(r"(?s)<(form|aside)\b.*?</\1>", "", body)
    body = re.sub(r'(?s)<details class="(?:why|how)".*?</details>', "", body)
    body = re.sub(r"(?s)</summary>.*?</details>", "</p>", body)
    body = re.sub(r"</(p|h\d|li|div|pre|header|article|section)>", "\n", body)
    text = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?mark>", "", body)))
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


SURFACES: dict[str, Callable[[Memory, Asked], str]] = {
    "cli": cli, "mcp": mcp, "http": http, "hook": prompt_hook, "page": page,
}  # fmt: skip


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_reads_as_it_did(
    name: str, surface: str, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = SURFACES[surface](memory, QUESTIONS[name])
    said = re.sub(r"\b[0-9a-f]{32}\b", "FINGERPRINT", said)
    said = re.sub(r"\b\d+(\.\d+)? m?s\b", "TIME", said)
    said = re.sub(
        r'(?<= of )\d+(?= ·| passages)|(?<="total_found": )\d+|(?<=Show all )\d+', "FOUND", said
    )
    said = re.sub(r"\b\d+\.\d+%|\b0\.\d+\b|\b\d\.\d+e-\d+\b", "NUMBER", said).rstrip() + "\n"
    path = GOLDEN / f"{name}.{surface}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8")
