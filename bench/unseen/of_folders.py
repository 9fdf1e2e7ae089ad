"""What the read path knows of questions about whole folders of files: one more domain to fit on.

``bench/sets/folders`` (:mod:`bench.folders`) has long files: handbooks, logs, minutes. In them the
document says little of where the evidence is, and a fit on short documents alone trusts it too
much. The folders that nobody looks at are in no fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property
from typing import Any

from bench import folders
from bench.corpus import lines
from bench.unseen import sets
from bench.unseen.fitting import Part, Wide
from recollect import Memory
from recollect.nouns import StoredPassage
from recollect.reading import grade, spans
from recollect.reading.pool import Pool
from recollect.reading.question import understand
from recollect.reading.retrieval import first_pass, ranked
from recollect_evals.questions import Question

WAYS: Mapping[str, str] = {"cosine": "hybrid", "words": "keyword"}
"""How a question is asked for each kind of evidence."""
_BETWEEN = r"[\s*_`#>|]+"
"""What may stand between two words of a text and is not told apart."""


class _Asked:
    """A question, and what answers it."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.id, self.text = record["id"], record["query"]
        self.foreign = "folders" if record["kind"] == "foreign" else ""
        self._parts: Sequence[Sequence[str]] = record["gold"]

    @cached_property
    def gold(self) -> Sequence[re.Pattern[str]]:
        every = [text for part in self._parts for text in part]
        return [re.compile(_BETWEEN.join(map(re.escape, _words(text))), re.I) for text in every]

    def evidence(self, stored: StoredPassage) -> list[tuple[int, int]]:
        """Returns where in a passage something stands that answers."""
        text = stored.passage.text
        return [match.span() for gold in self.gold for match in gold.finditer(text)]


def _words(text: str) -> list[str]:
    return [word for word in re.split(_BETWEEN, text) if word]


def wide(processes: int) -> list[Wide]:
    """Returns what there is to be fitted on."""
    with ProcessPoolExecutor(processes) as pool:
        return [row for found in pool.map(_looked_at, folders.NAMES) for row in found]


def _looked_at(name: str) -> list[Wide]:
    asked = [_Asked(record) for record in lines(folders.place_of(name) / "questions.jsonl")]
    with folders.imported(name) as memory:
        known = [_looked(memory, name, one, kind) for kind in WAYS for one in asked]
        strange = [_strange(memory, name, one, kind) for kind in WAYS for one in sets.foreign(name)]
    return [*known, *strange]


def _looked(memory: Memory, name: str, asked: _Asked, kind: str) -> Wide:
    pool = _pool(memory, asked.text, WAYS[kind])
    row = _row(name, asked.id, kind, pool)
    found = {c.document for c in pool.every() if asked.evidence(pool.stored(c))}
    return row._replace(
        gold=tuple(str(key) for key in found) or ("elsewhere",) * bool(asked.gold),
        parts=tuple(_parts(asked, pool)) if kind == "cosine" and found else (),
        foreign=asked.foreign,
    )


def _strange(memory: Memory, name: str, asked: Question, kind: str) -> Wide:
    """Returns what is known of a question of another domain."""
    other, _, _ = asked.id.partition("/")
    pool = _pool(memory, asked.text, WAYS[kind])
    return _row(name, asked.id, kind, pool)._replace(foreign=other)


def _row(name: str, id: str, kind: str, pool: Pool) -> Wide:
    return Wide(
        name,
        id,
        "fit",
        kind,
        gold=(),
        documents=tuple(str(c.document) for c in pool.best),
        signals=tuple(c.signals._asdict() for c in pool.best),
        around=grade.surroundings(pool, pool.best),
    )


def _pool(memory: Memory, text: str, by: str) -> Pool:
    query = memory.query(text, by=by)
    models = memory.core.models(query.policy)
    return ranked(first_pass(understand(query), memory.store, models))


def _parts(asked: _Asked, pool: Pool) -> Iterator[Part]:
    """Yields the sentences of the pool, and which of them answer."""
    for part in spans.measured(pool.best, pool):
        found = asked.evidence(pool.passages[part.passage])
        right = any(part.start < end and start < part.end for start, end in found)
        yield Part(part.features, right)
