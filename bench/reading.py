"""The read path on real questions: what is returned, how sure it is, and what each stage adds.

    python -m bench.reading [--sets NAME…] [--half test] [--most N] [--variants NAME…]

runs the one default policy, and variants of it with one stage changed, over the public question
sets through :class:`recollect.Memory`. Differences from the default carry a 95 % interval from
a paired bootstrap. Stores are kept in ``.cache/bench/quality``, as for ``bench.quality``.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bench import corpus
from bench.plot import reliability
from bench.quality import LANGUAGES, SETS, documents, half, scores, store_for
from recollect import Memory
from recollect.nouns import Answer
from recollect.reading.grade import FIRST
from recollect.text.dates import parse_date
from recollect_evals import metrics
from recollect_evals.metrics import aurc

T = TypeVar("T")
WORK = Path(__file__).resolve().parents[1] / ".cache" / "bench"
MODEL = "recollect-embed"
ITEMS = "-items"
ALL = (*SETS, "peps", f"notes{ITEMS}", f"scifact{ITEMS}")
"""``peps`` are the English XQuAD questions over the Python enhancement proposals: none of them
has an answer there. ``-items`` are a few words of one document."""
TYPOS = "-typos"
MISSPELT = tuple(f"{name}{TYPOS}" for name in ("personas", "notes", "scifact", "xquad-en"))
"""Questions of a set with one long word of each misspelt; the grade is not fitted on them."""
MOST = {f"xquad-{code}": 200 for code in LANGUAGES} | {"peps": 250, "2wiki": 400, "timeqa": 600}
"""How many questions of the larger sets are asked, unless told otherwise."""

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "keyword": {"by": "keyword"},
    "semantic": {"by": "semantic"},
    "no rerank": {"rerank": 0},
    "no hop": {"hop": False},
    "no cut": {"cut": False},
    "keeps more": {"worth_open": 0.0001},
    "no escalation": {"escalate": 0.0},
    "not wider": {"wider": 1},
    "no window": {"window_weight": 0.0},
    "no newness": {"newest": 0.0},
    "fusion alone": {"rerank": 0, "hop": False, "escalate": 0.0},
}

ONLY: Mapping[str, str] = {
    "no hop": "hop", "no escalation": "escalate", "not wider": "escalate",
    "no window": "window", "no newness": "recency",
}  # fmt: skip
"""Variants that change nothing unless this stage ran; then the question is not asked again."""


class Row(NamedTuple):
    """One question and what came back, as far as it is measured."""

    set: str
    id: str
    half: str
    gold: tuple[str, ...]
    status: str
    confidence: float
    documents: tuple[str, ...]
    confidences: tuple[float, ...]
    tokens: int
    ms: float
    signals: tuple[Mapping[str, float], ...] = ()


def home_of(name: str) -> str:
    """The set whose documents the questions are asked of."""
    return name.removesuffix(ITEMS).removesuffix(TYPOS)


def items(folder: Path, name: str, count: int = 120) -> list[dict[str, Any]]:
    """What somebody types who remembers a few words of a document: one to three of its words,
    none of them in many others."""
    rng = random.Random(17)
    texts = {d["id"]: d.get("text", "") for d in documents(folder, name)}
    words = {id: set(re.findall(r"[a-z]{4,}", text.lower())) for id, text in texts.items()}
    common = Counter(word for some in words.values() for word in some)
    rows = []
    for id in rng.sample(sorted(texts), count):
        size = rng.choice((1, 2, 2, 3))
        most = 4 if size == 1 else len(texts) // 20
        rare = sorted(word for word in words[id] if common[word] <= most)
        if len(rare) >= size:
            chosen = " ".join(rng.sample(rare, size))
            rows.append({"id": f"{name}{ITEMS} {id}", "query": chosen, "gold": [id]})
    return rows


def misspelt(query: str, rng: random.Random) -> str:
    """With two letters of one long word swapped, or one left out."""
    long = re.findall(r"\b[A-Za-z]{6,}\b", query)
    if not long:
        return query
    word = rng.choice(long)
    at = rng.randrange(1, len(word) - 2)
    other = word[at + 1] + word[at] if rng.random() < 0.5 else word[at + 1]
    return query.replace(word, word[:at] + other + word[at + 2 :], 1)


def questions(folder: Path, name: str, most: int | None = None) -> list[dict[str, Any]]:
    """Those of a set, with and without an answer; a sample that does not change, if too many."""
    if name.endswith(TYPOS):
        rng, every = random.Random(23), questions(folder, home_of(name), most)
        return [{**q, "query": misspelt(q["query"], rng)} for q in every]
    if name.endswith(ITEMS):
        rows = items(folder, home_of(name))
    elif name == "peps":
        rows = [{**q, "gold": []} for q in corpus.lines(folder / SETS["xquad-en"][1])]
    else:
        rows = list(corpus.lines(folder / SETS[name][1]))
    most = MOST.get(name, len(rows)) if most is None else most
    return rows if len(rows) <= most else random.Random(11).sample(rows, most)


def asked_at(question: Mapping[str, Any]) -> datetime | None:
    """When the question was asked, if the set says so."""
    return parse_date(question["date"]) if question.get("date") else None


def ask(memory: Memory, question: Mapping[str, Any], changes: Mapping[str, Any]) -> Answer:
    """The answer of the policy with these changes."""
    query = memory.query(question["query"], now=asked_at(question))
    return memory.ask(query._replace(policy=query.policy._replace(**changes)))


def rows(
    name: str, changes: Mapping[str, Any], part: str = "", most: int | None = None,
    share: tuple[int, int] = (0, 1), signals: bool = False,
) -> list[Row]:  # fmt: skip
    """What a policy with these *changes* gives; *share* (n, of) takes every of-th question."""
    with opened(name) as memory:
        return [
            _row(name, question, ask(memory, question, changes), signals)
            for question in chosen(name, part, most, share)
        ]


def compared(
    name: str, variants: Sequence[str], part: str, most: int | None, share: tuple[int, int]
) -> list[list[Row]]:
    """What each of the variants gives; the first is the default."""
    made: list[list[Row]] = [[] for _ in variants]
    with opened(name) as memory:
        for question in chosen(name, part, most, share):
            plain = ask(memory, question, {})
            for variant, some in zip(variants, made, strict=True):
                stage = ONLY.get(variant)
                same = variant == "default" or (stage and not _ran(plain, stage))
                answer = plain if same else ask(memory, question, VARIANTS[variant])
                some.append(_row(name, question, answer))
    return made


def _ran(answer: Answer, stage: str) -> bool:
    if stage == "recency":
        return any(c.arm == stage for r in answer.results for c in r.contributions)
    return any(s.name == stage and s.state == "ran" for s in answer.stages)


def opened(name: str) -> Memory:
    folder = corpus.data_folder()
    assert folder is not None
    with store_for(WORK, folder, home_of(name), MODEL) as plain:
        place = plain.store.stats().location
    return Memory.open(place, embed_model=MODEL)


def chosen(
    name: str, part: str, most: int | None, share: tuple[int, int]
) -> Sequence[dict[str, Any]]:
    """The questions of that half; of a set that has none there, all."""
    folder = corpus.data_folder()
    assert folder is not None
    every = questions(folder, name, most)
    some = [q for q in every if part in ("", half(q))] or every
    return some[share[0] :: share[1]]


def _row(name: str, question: dict[str, Any], answer: Answer, signals: bool = False) -> Row:
    return Row(
        name, question["id"], half(question), tuple(question.get("gold") or ()),
        answer.status, answer.confidence,
        tuple(r.document for r in answer.results),
        tuple(r.confidence for r in answer.results),
        answer.budget.used, answer.timing_ms,
        tuple(r.signals._asdict() for r in answer.results) if signals else (),
    )  # fmt: skip


def parallel(jobs: Sequence[partial[T]], processes: int = 2) -> Iterator[T]:
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_do, jobs)


def _do(job: partial[T]) -> T:
    return job()


# ------------------------------------------------------------------ what is measured


class Figures(NamedTuple):
    questions: int
    first: float
    recall10: float
    all5: float
    all10: float
    ndcg: float
    precision: float
    """Of the set that was returned; nothing returned counts as 0."""
    size: float
    everything: float
    """All the evidence is in the set that was returned."""
    direct: float
    """Served as direct_passages."""
    tokens: float


def measured(row: Row) -> Figures:
    found, direct = row.documents, float(row.status == "direct_passages")
    size = len(set(found))
    if not row.gold:
        return Figures(1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, size, 1.0, direct, row.tokens)
    gold = set(row.gold)
    first, recall, all5, ndcg = scores(found, gold)
    some = metrics.returned(found, gold)
    return Figures(
        1, first, recall, all5, metrics.all_evidence_at(found, gold, 10), ndcg, some.precision,
        size, some.everything, direct, row.tokens,
    )  # fmt: skip


def answered(row: Row) -> bool:
    """Something right is among the first: what the answer's confidence is about."""
    return not set(row.gold).isdisjoint(row.documents[:FIRST])


def means(some: Sequence[Row]) -> Figures:
    columns = list(zip(*(measured(row) for row in some), strict=True))
    return Figures(len(some), *(sum(c) / len(some) for c in columns[1:]))


def interval(
    one: Sequence[Row], other: Sequence[Row], field: str, times: int = 1000
) -> tuple[float, float]:
    """The 95 % interval of the difference of the means, by a paired bootstrap over questions."""
    by_id = {(row.set, row.id): row for row in other}
    pairs = [(row, by_id[row.set, row.id]) for row in one if (row.set, row.id) in by_id]
    gains = [getattr(measured(a), field) - getattr(measured(b), field) for a, b in pairs]
    rng = random.Random(3)
    drawn = sorted(sum(rng.choices(gains, k=len(gains))) / len(gains) for _ in range(times))
    return drawn[int(0.025 * times)], drawn[int(0.975 * times)]


def _gain(one: Sequence[Row], other: Sequence[Row], field: str) -> str:
    low, high = interval(one, other, field)
    return f"{100 * low:+.1f} … {100 * high:+.1f}" if (low, high) != (0, 0) else "0"


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float:
    """Over ten bins of equal width."""
    return metrics.calibration_error(pairs, by="width")


def main(arguments: Sequence[str]) -> int:
    ask_for = argparse.ArgumentParser(prog="python -m bench.reading")
    ask_for.add_argument("--sets", nargs="+", default=[*ALL, *MISSPELT], choices=(*ALL, *MISSPELT))
    ask_for.add_argument("--half", default="test", choices=("fit", "test"))
    ask_for.add_argument("--most", type=int)
    ask_for.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    ask_for.add_argument("--plot", type=Path, help="write a reliability plot there (SVG)")
    given = ask_for.parse_args(arguments)
    if corpus.data_folder() is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    graded: list[tuple[float, bool]] = []
    pooled: dict[str, tuple[list[Row], list[Row]]] = {}
    names = ["default", *(v for v in given.variants if v != "default")]
    gains = "the default's gain in nDCG@10, 95 % | in all10, 95 %"
    print("| set | policy | " + " | ".join(Figures._fields) + f" | {gains} |")
    print("|---|---|" + "---|" * (len(Figures._fields) + 2))
    for name in given.sets:
        jobs = [partial(compared, name, names, given.half, given.most, (n, 2)) for n in (0, 1)]
        found = [one + other for one, other in zip(*parallel(jobs), strict=True)]
        base = found[0]
        if not base:
            continue
        pairs = [(row.confidence, answered(row)) for row in base]
        graded += random.Random(5).choices(pairs, k=400)  # each set counts the same
        error, area = calibration_error(pairs), aurc(pairs)
        print(f"<!-- {name}: calibration error {error:.3f}, AURC {area:.3f} -->", flush=True)
        for variant, some in zip(names, found, strict=True):
            for label, here in (("", [r for r in some if r.gold]),
                                  (" (no answer)", [r for r in some if not r.gold])):  # fmt: skip
                if not here:
                    continue
                f = means(here)
                told = " | ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in f)
                gain = " | "
                if variant != "default" and not label:
                    plain = [r for r in base if r.gold]
                    gain = " | ".join(_gain(plain, here, field) for field in ("ndcg", "all10"))
                    if base[0].half == given.half:
                        both = pooled.setdefault(variant, ([], []))
                        both[0].extend(plain)
                        both[1].extend(here)
                print(f"| {name}{label} | {variant} | {told} | {gain} |", flush=True)
    print("\n| over the questions of all these sets | questions | nDCG@10, 95 % | all10, 95 % |")
    print("|---|---|---|---|")
    for variant, (one, other) in pooled.items():
        gain = " | ".join(_gain(one, other, field) for field in ("ndcg", "all10"))
        print(f"| {variant} | {len(one)} | {gain} |")
    error, area = calibration_error(graded), aurc(graded)
    print(f"\nAll sets, each the same: calibration error {error:.3f}, AURC {area:.3f}")
    if given.plot:
        given.plot.write_text(reliability(graded, "How sure, and how often right"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
