"""PrecisionMemBench over its REST contract: the benchmark's side of it, against any engine that
serves the other (:mod:`recollect_evals.rest` is ours).

The driver does what the benchmark's harness does for engines other than its author's. It keeps the
beliefs, and knows itself what is pinned, which questions are open and who the persona is. It asks
once for each case, in the first of the case's scopes; adds the participants of every relation that
came back, open questions too; and leaves out what is pinned. Seeds are sent with their aliases; a
belief that a session creates is sent without, and an update sends the whole text again, in which
the aliases stand in a row between the name and the content. A turn is asked before it changes
anything.

The single cases tell the engine a text, a scope and aliases; the sessions tell it `type`, `pinned`
and `superseded_by` as well. So a case that rests on a second scope, or on a relation that has an
open question for a participant, cannot pass by honest means: 72 of 77 and 11 of 12 can.

This is the harness of the benchmark's paper. Its pull request 18 (September 2026) asks in every
scope and leaves open questions out of the participants: figures of the two do not compare.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from recollect.errors import InputError
from recollect_evals.precisionmembench import USER, Outcome, judged

MOST = 20
MOST_QUESTIONS = 15
PERSONA = (
    "You prefer direct answers without preamble. You push back when plans have problems rather "
    "than defaulting to agreement. You edit AI output; you do not let AI edit your prose."
)
"""What the harness itself says of the user, whatever the engine."""
SESSION = ("type", "pinned", "superseded_by")
"""The fields of a belief that the sessions send beside its scope, and the single cases do not."""
Belief = dict[str, Any]


class Driver:
    """The driver asks an engine, which it has told the beliefs, and judges what comes back."""

    def __init__(self, url: str, beliefs: Sequence[Belief], told: Sequence[str] = ()) -> None:
        """*told* are the fields of a belief that go into its metadata beside its scope."""
        self._url = url.rstrip("/")
        self._told = told
        self._beliefs: dict[str, Belief] = {}
        self.call("DELETE", "/reset", {})
        for belief in beliefs:
            self._beliefs[belief["_id"]] = belief
            self.call("POST", "/add", {**self._sent(belief), "aliases": belief["aliases"]})

    def create(self, belief: Belief) -> None:
        self._beliefs[belief["_id"]] = belief
        self.call("POST", "/add", self._sent(belief))

    def alias(self, id: str, aliases: Sequence[str]) -> None:
        belief = self._beliefs[id]
        new = (alias.strip().lower() for alias in aliases)
        belief["aliases"] = list(dict.fromkeys((*belief["aliases"], *new)))
        self.call("PUT", "/update", {"beliefId": id, **self._sent(belief)})

    def _sent(self, belief: Belief) -> dict[str, Any]:
        """Returns what the engine is told of a belief, whenever it is told of it."""
        parts = (belief["canonical_name"], *belief["aliases"], belief["content"],
                 belief["why_it_matters"])  # fmt: skip
        about = {"beliefId": belief["_id"], "scope": belief["scope"][0]}
        return {
            "text": " ".join(filter(None, parts)),
            "user_id": belief["user_id"],
            "metadata": about | {name: belief[name] for name in self._told},
        }

    def run(self, name: str, query: str, case: Mapping[str, Any]) -> Outcome:
        owner, scopes, budget = case.get("userId", USER), case["scope"], case.get("budget", {})
        most = budget.get("maxBeliefs", MOST)
        seen = [b for b in self._beliefs.values() if b["user_id"] == owner and b["pinned"]
                and not b["resolved_at"] and set(b["scope"]) & set(scopes)]  # fmt: skip
        pinned = [b["_id"] for b in seen if _type(b) != "open_question" and not b["superseded_by"]]
        questions = [b["_id"] for b in seen if _type(b) == "open_question"]
        found = self._found(owner, query, scopes, most) if query.strip() and most else []
        found = [id for id in found if id not in pinned]
        found += self._participants(found, owner, scopes, {*found, *pinned})
        kept = pinned[:most]
        groups = {
            "relevantBeliefs": set(found[: max(0, most - len(kept))]),
            "pinnedFacts": set(kept),
            "openQuestions": set(questions[: budget.get("maxQuestions", MOST_QUESTIONS)]),
        }
        return judged(name, groups, PERSONA if owner == USER else "", case["expect"])

    def _found(self, owner: str, query: str, scopes: Sequence[str], most: int) -> list[str]:
        """Returns the ids that the engine finds relevant in the first of the scopes, each once, of
        beliefs that there are."""
        asked = {"query": query, "user_id": owner, "limit": most}
        if scopes:
            asked["scope"] = scopes[0]
        results = self.call("POST", "/search", asked)["results"]
        ranked = dict.fromkeys(result["id"] for result in results)
        return [id for id in ranked if id in self._beliefs]

    def _participants(
        self, found: Sequence[str], owner: str, scopes: Sequence[str], known: set[str]
    ) -> list[str]:
        """Returns the participants, open questions too, of the relations among what was found."""
        named = [
            self._beliefs[id]
            for one in found
            if _type(self._beliefs[one]) == "relation"
            for id in self._beliefs[one].get("participants") or ()
            if id in self._beliefs and id not in known
        ]
        return [
            b["_id"]
            for b in named
            if b["user_id"] == owner and (not scopes or set(b["scope"]) & set(scopes))
        ]

    def call(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
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
    driver = Driver(url, read("beliefs.seed.json"), SESSION)
    for script in read("session-retrieval.cases.json"):
        for turn in script["turns"]:
            yield driver.run(f"{script['caseId']}:{turn['turnIndex']}", turn["userMessage"], turn)
            if new := turn.get("createBeliefAtTurn"):
                driver.create(new)
            more = turn.get("updateBeliefAtTurn") or {}
            if more.get("addAliases"):
                driver.alias(more["beliefId"], more["addAliases"])
