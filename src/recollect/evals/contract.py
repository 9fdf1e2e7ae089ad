"""PrecisionMemBench over its REST contract: the benchmark's side of it, against any engine that
serves the other (:mod:`recollect.evals.rest` is ours).

As in the benchmark's own harness, the driver keeps the beliefs and knows what is pinned, which
questions are open and who the persona is; the engine is told a belief's text, its first scope and
its aliases, and is asked what is relevant, scope by scope. Participants of a relation that came
back are added by the driver. So neither types nor pins nor supersession nor a second scope reach
the engine, and cases that rest on those cannot pass by honest means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from recollect.errors import InputError
from recollect.evals.precisionmembench import USER, Outcome, judged

MOST = 20
PERSONA = (
    "You prefer direct answers without preamble. You push back when plans have problems rather "
    "than defaulting to agreement. You edit AI output; you do not let AI edit your prose."
)
"""What the harness itself says of the user, whatever the engine."""
Belief = dict[str, Any]


class Driver:
    def __init__(self, url: str, beliefs: Sequence[Belief]) -> None:
        self._url = url.rstrip("/")
        self._beliefs: dict[str, Belief] = {}
        self._call("DELETE", "/reset", {})
        for belief in beliefs:
            self.add(belief)

    def add(self, belief: Belief) -> None:
        self._beliefs[belief["_id"]] = belief
        parts = (belief["canonical_name"], *belief["aliases"], belief["content"],
                 belief["why_it_matters"])  # fmt: skip
        self._call("POST", "/add", {
            "text": " ".join(filter(None, parts)), "user_id": belief["user_id"],
            "metadata": {"beliefId": belief["_id"], "scope": belief["scope"][0]},
            "aliases": belief["aliases"],
        })  # fmt: skip

    def alias(self, id: str, aliases: Sequence[str]) -> None:
        belief = self._beliefs[id]
        belief["aliases"] = [*belief["aliases"], *aliases]
        self._call("PUT", "/update", {
            "user_id": belief["user_id"], "metadata": {"beliefId": id},
            "aliases": belief["aliases"],
        })  # fmt: skip

    def run(self, name: str, query: str, case: Mapping[str, Any]) -> Outcome:
        owner, scopes = case.get("userId", USER), case["scope"]
        most = case.get("budget", {}).get("maxBeliefs", MOST)
        seen = [b for b in self._beliefs.values() if b["user_id"] == owner and b["pinned"]
                and not b["resolved_at"] and set(b["scope"]) & set(scopes)]  # fmt: skip
        pinned = [b["_id"] for b in seen if _type(b) != "open_question" and not b["superseded_by"]]
        questions = {b["_id"] for b in seen if _type(b) == "open_question"}
        found = self._found(owner, query, scopes, most) if query.strip() and most else []
        found = [id for id in found if id not in pinned]
        found += self._participants(found, owner, scopes, {*found, *pinned})
        kept = pinned[:most]
        groups = {
            "relevantBeliefs": set(found[: max(0, most - len(kept))]),
            "pinnedFacts": set(kept),
            "openQuestions": questions,
        }
        return judged(name, groups, PERSONA if owner == USER else "", case["expect"])

    def _found(self, owner: str, query: str, scopes: Sequence[str], most: int) -> list[str]:
        """What is relevant in each scope, by turns."""
        lists = [
            self._call("POST", "/search",
                       {"query": query, "user_id": owner, "limit": most, "scope": scope})["results"]
            for scope in scopes
        ]  # fmt: skip
        deepest = max(map(len, lists), default=0)
        ranked = [some[n]["id"] for n in range(deepest) for some in lists if n < len(some)]
        return [id for id in dict.fromkeys(ranked) if id in self._beliefs][:most]

    def _participants(
        self, found: Sequence[str], owner: str, scopes: Sequence[str], known: set[str]
    ) -> list[str]:
        named = [
            self._beliefs[id]
            for one in found
            if _type(self._beliefs[one]) == "relation"
            for id in self._beliefs[one].get("participants") or ()
            if id in self._beliefs and id not in known
        ]
        return list(dict.fromkeys(
            b["_id"] for b in named
            if _type(b) != "open_question" and b["user_id"] == owner
            and (not scopes or set(b["scope"]) & set(scopes))
        ))  # fmt: skip

    def _call(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        request = Request(
            self._url + path, json.dumps(body).encode(), {"Content-Type": "application/json"},
            method=method,
        )  # fmt: skip
        try:
            with urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())
        except (URLError, OSError, ValueError) as error:
            raise InputError(f"{method} {self._url}{path}: {error}") from error


def _type(belief: Belief) -> str:
    return str(belief["type"])


def outcomes(folder: Path, url: str) -> Iterator[Outcome]:
    """Of the cases, then of the turns of the sessions, each from beliefs as they were."""

    def read(name: str) -> Any:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    driver = Driver(url, read("beliefs.seed.json"))
    for case in read("retrieval.cases.json"):
        yield driver.run(case["caseId"], case["query"], case)
    driver = Driver(url, read("beliefs.seed.json"))
    for script in read("session-retrieval.cases.json"):
        for turn in script["turns"]:
            if new := turn.get("createBeliefAtTurn"):
                driver.add(new)
            if more := turn.get("updateBeliefAtTurn"):
                driver.alias(more["beliefId"], more["addAliases"])
            yield driver.run(f"{script['caseId']}:{turn['turnIndex']}", turn["userMessage"], turn)
