"""Whether a language model makes answers better: `think` beside `gather` alone.

    python -m bench.think --model local [--seconds 300] [--out FILE]

asks the questions of ``bench/sets/multi-part``, each of which has two parts that stand in two
notes. ``gather`` is complete where what it gives has the answer to every part; ``think`` where the
sentences that passed the check have. What was asked before and is in the file is not asked again,
so that a slow model can be asked a few minutes at a time.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from recollect import Memory
from recollect.testing.builders import note

FOLDER = Path(__file__).parent / "sets" / "multi-part"
BUDGET = 260
"""Tokens that are gathered: two notes and what is around them."""


def rows(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def parts_in(text: str, parts: Sequence[Sequence[str]]) -> int:
    return sum(any(one.lower() in text.lower() for one in part) for part in parts)


def asked(memory: Memory, row: Mapping[str, Any], box: float) -> dict[str, Any]:
    question, parts = row["question"], row["parts"]
    bundle = memory.gather(question, token_budget=BUDGET)
    found = "\n".join(section.text for section in bundle.sections)
    since = monotonic()
    made = memory.think(question, force=True, time_box=box, token_budget=BUDGET)
    written = made.written
    sentences = written.sentences if written else ()
    return {
        "question": question,
        "parts": len(parts),
        "gather_parts": parts_in(found, parts),
        "gather_tokens": sum(section.tokens for section in bundle.sections),
        "think_parts": parts_in(made.text, parts),
        "sentences": len(sentences),
        "supported": sum(one.supported for one in sentences),
        "said_parts": parts_in(" ".join(one.text for one in sentences), parts),
        "input": written.input if written else 0,
        "output": written.output if written else 0,
        "calls": made.calls,
        "status": made.status,
        "reason": made.reason,
        "seconds": round(monotonic() - since, 1),
    }


def told(results: Sequence[Mapping[str, Any]]) -> str:
    count = len(results)

    def share(field: str) -> str:
        whole = sum(one[field] == one["parts"] for one in results)
        return f"{whole} of {count}"

    def mean(field: str) -> str:
        return f"{sum(one[field] for one in results) / count:,.0f}"

    sentences, supported = (sum(one[f] for one in results) for f in ("sentences", "supported"))
    asked_more = sum(one["calls"] > 1 for one in results)
    return "\n".join(
        (
            "| | gather | think |",
            "|---|---|---|",
            f"| every part is there | {share('gather_parts')} | {share('think_parts')} |",
            f"| … before the check | | {share('said_parts')} |",
            f"| sentences that passed the check | | {supported} of {sentences} |",
            f"| tokens read by a model | {mean('gather_tokens')} | {mean('input')} |",
            f"| tokens written | | {mean('output')} |",
            f"| asked twice | | {asked_more} of {count} |",
        )
    )


def main() -> int:
    parser = ArgumentParser(prog="python -m bench.think")
    parser.add_argument("--model", default="local", help="as llm.model has it")
    parser.add_argument("--seconds", type=float, default=300.0, help="for the whole run")
    parser.add_argument("--out", type=Path, default=Path(".cache/think.jsonl"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.touch()
    done = [json.loads(line) for line in options.out.read_text(encoding="utf-8").splitlines()]
    until, known = monotonic() + options.seconds, {one["question"] for one in done}
    with Memory.open("memory://", llm_model=options.model, rerank_model="none") as memory:
        memory.put(
            note(row["title"], row["text"], title=row["title"]) for row in rows("notes.jsonl")
        )
        for row in rows("questions.jsonl"):
            if row["question"] in known or monotonic() >= until:
                continue
            done.append(asked(memory, row, max(1.0, until - monotonic())))
            with options.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(done[-1], ensure_ascii=False) + "\n")
    print(told(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
