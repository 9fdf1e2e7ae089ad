"""PrecisionMemBench, driven natively: whole beliefs through :class:`recollect.Memory`.

    python -m recollect_evals.precisionmembench FOLDER

A case passes when the relevant facts that come back are exactly those expected, and the pinned
facts, the open questions and the prelude are as far as the case says anything of them. A fact that
must or must not come back may do so as relevant or as pinned. *Active* cases expect at least one
relevant fact.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect import Memory

USER = "test-user"
FILES = ("beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json")


class Outcome(NamedTuple):
    case: str
    active: bool
    problems: tuple[str, ...]


def load(memory: Memory, belief: Mapping[str, Any]) -> None:
    """Keep a belief, with everything that is known of it."""
    memory.remember(
        belief["content"],
        id=belief["_id"],
        name=belief["canonical_name"],
        aliases=belief["aliases"],
        type=belief.get("subtype") or belief["type"],
        why=belief["why_it_matters"],
        owner=belief["user_id"],
        scopes=belief["scope"],
        pinned=belief["pinned"],
        standing="active",
        created_at=belief["created_at"],
        superseded_by=[belief["superseded_by"]] if belief["superseded_by"] else [],
        resolved_at=belief["resolved_at"],
        participants=belief.get("participants", ()),
        embed=False,
    )


def embed(memory: Memory) -> None:
    """What was kept since, if there is a model for it."""
    if memory.status().model_state == "ready":
        memory.models.embed()


def cases(memory: Memory, folder: Path) -> Iterator[Outcome]:
    for case in json.loads((folder / "retrieval.cases.json").read_text()):
        yield run(memory, case["caseId"], case["query"], case)


def sessions(memory: Memory, folder: Path) -> Iterator[Outcome]:
    for script in json.loads((folder / "session-retrieval.cases.json").read_text()):
        for turn in script["turns"]:
            name = f"{script['caseId']}:{turn['turnIndex']}"
            if new := turn.get("createBeliefAtTurn"):
                load(memory, new)
                embed(memory)
            if more := turn.get("updateBeliefAtTurn"):
                update(memory, more)
            yield run(memory, name, turn["userMessage"], turn)


def update(memory: Memory, change: Mapping[str, Any]) -> None:
    memory.curation.alias(change["beliefId"], *change["addAliases"], owner=USER)


def run(memory: Memory, name: str, query: str, case: Mapping[str, Any]) -> Outcome:
    owner = case.get("userId", USER)
    asked: dict[str, Any] = {"owner": owner, "scopes": case["scope"]}
    if "budget" in case:
        pinned = memory.context("", **asked).pinned
        asked["limit"] = max(0, case["budget"]["maxBeliefs"] - len(pinned))
    found = memory.context(query, **asked)
    groups = {
        "relevantBeliefs": {r.document for r in found.relevant},
        "pinnedFacts": {r.document for r in found.pinned},
        "openQuestions": {r.document for r in found.questions},
    }
    return judged(name, groups, found.prelude, case["expect"])


def judged(
    name: str, groups: Mapping[str, set[str]], prelude: str, expect: Mapping[str, Any]
) -> Outcome:
    """A case by the ids that came back in each group."""
    wanted = expect.get("relevantBeliefs", {})
    problems = tuple(_problems(groups, prelude, expect))
    return Outcome(name, bool(wanted.get("shouldOnlyInclude")), problems)


def _problems(
    groups: Mapping[str, set[str]], said: str, expect: Mapping[str, Any]
) -> Iterator[str]:
    either = groups["relevantBeliefs"] | groups["pinnedFacts"]
    for name, ids in groups.items():
        wanted = expect.get(name, {})
        if "shouldOnlyInclude" in wanted and ids != set(wanted["shouldOnlyInclude"]):
            yield f"{name}: {sorted(ids)} instead of {sorted(wanted['shouldOnlyInclude'])}"
        there = either if name == "relevantBeliefs" else ids
        if missing := set(wanted.get("mustInclude", ())) - there:
            yield f"{name}: without {sorted(missing)}"
        if wrong := set(wanted.get("mustExclude", ())) & there:
            yield f"{name}: with {sorted(wrong)}"
    noise = set(expect.get("noiseCheck", {}).get("mustNotSurface", ()))
    if wrong := noise & either:
        yield f"noise: {sorted(wrong)}"
    prelude = expect.get("personaPrelude", {})
    if prelude.get("nonEmpty") and not said:
        yield "the prelude is empty"
    if prelude.get("isNull") and said:
        yield f"the prelude is {said!r}"
    for word in prelude.get("contains", ()):
        if word not in said:
            yield f"the prelude is without {word!r}"
    for word in prelude.get("mustNotContain", ()):
        if word in said:
            yield f"the prelude has {word!r}"


def outcomes(folder: Path) -> dict[str, list[Outcome]]:
    """Of the cases and of the turns of the sessions, in a store that is thrown away."""
    with tempfile.TemporaryDirectory() as work, Memory.open(work) as memory:
        for belief in json.loads((folder / "beliefs.seed.json").read_text()):
            load(memory, belief)
        embed(memory)
        return {
            "cases": list(cases(memory, folder)),
            "session turns": list(sessions(memory, folder)),
        }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="precisionmembench", description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    failed = False
    write = sys.stdout.write
    for name, some in outcomes(options.folder).items():
        passed = [o for o in some if not o.problems]
        active = [o for o in some if o.active]
        good = sum(o.active for o in passed)
        write(f"{name}: {len(passed)}/{len(some)}, active {good}/{len(active)}\n")
        for outcome in some:
            if outcome.problems:
                failed = True
                write(f"  {outcome.case}: {'; '.join(outcome.problems)}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
