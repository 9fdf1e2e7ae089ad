"""The tables: what a reader gets, how that differs from plain fusion, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from bench.unseen import stores
from bench.unseen.engines import Row
from bench.unseen.fitting import Fold, Wide, openness
from bench.unseen.own import mean, table
from bench.unseen.sets import SETS
from recollect.policy import MODES
from recollect_evals import metrics
from recollect_evals.statistics import paired_bootstrap

JUDGED = ("shown", "documents", "ndcg")
"""What must not fall behind plain fusion: evidence shown, all documents @10, nDCG@10."""
WORDS = {"shown": "evidence shown", "documents": "all documents @10", "ndcg": "nDCG@10"}
PLAIN = "rrf-10"
FEWEST = 20
"""Questions below which nothing is said of a difference."""
DIRECT = ("direct_passages", "cached_answer", "synthesized")


class Difference(NamedTuple):
    """Of one engine to plain fusion on one domain, with its 95 % interval (paired bootstrap)."""

    domain: str
    engine: str
    measure: str
    questions: int
    mean: float
    low: float
    high: float

    @property
    def harms(self) -> bool:
        """Below plain fusion by more than noise."""
        return self.questions >= FEWEST and self.high < 0

    def __str__(self) -> str:
        if self.questions < FEWEST:
            return "–"
        mark = " **" if self.harms else ""
        return f"{100 * self.mean:+.1f} ({100 * self.low:+.1f} … {100 * self.high:+.1f}){mark}"


def of(rows: Iterable[Row], engine: str) -> list[Row]:
    return [row for row in rows if row.engine == engine]


def by_set(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {name: some for name in SETS if (some := [row for row in rows if row.set == name])}


# ------------------------------------------------------------------ what a reader gets


def quality(rows: Sequence[Row], engines: Sequence[str]) -> str:
    """A line a set; in each cell the engines in their order."""

    def cell(some: Sequence[Row], measure: str, shape: str) -> str:
        values = [mean(row.get(measure) for row in of(some, engine)) for engine in engines]
        return " / ".join("–" if v != v else format(v, shape).removeprefix("0") for v in values)

    lines = []
    for name, some in by_set(rows).items():
        asked = [row for row in some if row.answerable]
        lines.append((
            SETS[name].domain, name, _read_by(name),
            len(of(asked, engines[0])), cell(asked, "shown", ".2f"),
            cell(asked, "shown_tokens", ",.0f"), cell(asked, "density", ".2f"),
            cell(asked, "named", ".2f"), cell(asked, "named_tokens", ",.0f"),
            cell(asked, "documents", ".2f"), cell(asked, "ndcg", ".2f"),
        ))  # fmt: skip
    head = ("domain", "set", "by the models", "questions", "evidence shown", "tokens of that",
            "share of it that is evidence", "evidence shown or named", "tokens of what is named",
            "all documents @10", "nDCG@10")  # fmt: skip
    return table(head, lines)


def _read_by(name: str) -> str:
    """What the model whose vectors were used has seen of the domain."""
    if SETS[name].fits and stores.LEFT_OUT.exists():
        return "left out"
    return "seen" if SETS[name].taught else "unseen"


def differences(rows: Sequence[Row], engines: Sequence[str]) -> list[Difference]:
    """For each domain and engine, over the questions that both answered."""
    found: list[Difference] = []
    domains = dict.fromkeys(SETS[row.set].domain for row in rows)
    for domain in domains:
        here = [row for row in rows if row.answerable and SETS[row.set].domain == domain]
        plain = {(row.set, row.id): row for row in of(here, PLAIN)}
        for engine in engines:
            ours = of(here, engine)
            found += [_difference(domain, engine, measure, ours, plain) for measure in JUDGED]
    return found


def _difference(
    domain: str,
    engine: str,
    measure: str,
    ours: Sequence[Row],
    plain: Mapping[tuple[str, str], Row],
) -> Difference:
    pairs = [
        (mine, theirs)
        for row in ours
        if (mine := row.get(measure)) is not None
        and (other := plain.get((row.set, row.id))) is not None
        and (theirs := other.get(measure)) is not None
    ]
    if len(pairs) < FEWEST:
        return Difference(domain, engine, measure, len(pairs), 0.0, 0.0, 0.0)
    told = paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs])
    return Difference(domain, engine, measure, len(pairs), told.mean, told.low, told.high)


def harm(found: Sequence[Difference]) -> str:
    lines = []
    engines = dict.fromkeys(one.engine for one in found)
    for domain in dict.fromkeys(one.domain for one in found):
        for engine in engines:
            here = {one.measure: one for one in found
                    if (one.domain, one.engine) == (domain, engine)}  # fmt: skip
            lines.append((domain, engine, here["documents"].questions, *map(here.get, JUDGED)))
    head = ("domain", "engine", "questions", *(f"{WORDS[m]}, points to RRF" for m in JUDGED))
    return table(head, lines)


# ------------------------------------------------------------------ confidence


def confidence(rows: Sequence[Row], engines: Sequence[str]) -> str:
    """Of the answers and of single results; and what is left open."""
    lines = []
    for engine in engines:
        worst: list[tuple[float, str]] = []
        by_chance = []
        for name, some in by_set(of(rows, engine)).items():
            pairs = [(row.confidence, row.right) for row in some]
            each = [pair for row in some for pair in row.graded]
            error = metrics.calibration_error(pairs)
            worst.append((error, name))
            by_chance.append(metrics.calibration_by_chance(pairs))
            lines.append((
                name, engine, len(some), error, by_chance[-1],
                metrics.calibration_error(each) if each else float("nan"), metrics.aurc(pairs),
                *_abstention(some),
            ))  # fmt: skip
        lines.append(("mean", engine, "", mean(e for e, _ in worst), mean(by_chance), *[""] * 6))
        error, name = max(worst)
        lines.append((f"worst set: {name}", engine, "", error, *[""] * 7))
    head = ("set", "engine", "questions", "calibration error of the answer",
            "what a perfect one would read", "of single results", "area under risk-coverage",
            "AUROC answerable", "refused of unanswerable", "served of answerable",
            "refused at .9 served")  # fmt: skip
    return table(head, lines)


def _abstention(rows: Sequence[Row]) -> tuple[object, ...]:
    can = [row for row in rows if row.answerable]
    cannot = [row for row in rows if not row.answerable]
    if not can or not cannot:
        return "–", "–", "–", "–"
    sure, unsure = [row.confidence for row in can], [row.confidence for row in cannot]
    return (
        metrics.auroc(sure, unsure), mean(row.status not in DIRECT for row in cannot),
        mean(row.status in DIRECT for row in can), metrics.refused_at(sure, unsure, 0.9),
    )  # fmt: skip


def gate(rows: Sequence[Wide], folds: Mapping[str, Fold]) -> str:
    """The gate as it is fitted without the domain that is read: how many questions it refuses whose
    answer was found, and how many of which nothing is stored."""
    keep = MODES["balanced"].keep
    least = log(keep / (1 - keep))
    lines: list[tuple[str, int, float, float, float]] = []
    for name, one in SETS.items():
        here = [row for row in rows if (row.set, row.kind) == (name, "cosine") and row.documents]
        if not here:
            continue
        weights = folds[one.domain].data()["graders"]["cosine"]
        own = [row for row in here if set(row.documents) & set(row.gold)]
        found, foreign = (
            [openness(row, weights) for row in some] for some in (own, filter(_is_foreign, here))
        )
        lost, told = (mean(odds < least for odds in some) for some in (found, foreign))
        lines.append((name, len(found), lost, told, metrics.auroc(found, foreign)))
    _, _, *figures = zip(*lines, strict=True)
    head = ("set", "questions", "refused of what was found", "of another domain", "AUROC")
    return table(head, [*lines, ("mean", "", *map(mean, figures))])


def _is_foreign(row: Wide) -> bool:
    return bool(row.foreign)


def foreign(rows: Sequence[Row]) -> str:
    """What a question costs of which nothing is stored, and how many are told so."""
    lines = []
    for name, some in by_set(rows).items():
        told = mean(row.status == "no_results" for row in some)
        lines.append((name, len(some), mean(row.get("tokens") for row in some), told))
    every = mean(line[2] for line in lines), mean(line[3] for line in lines)
    return table(("set", "questions", "tokens", "told nothing"), [*lines, ("mean", "", *every)])


def overall(rows: Sequence[Row], engines: Sequence[str]) -> str:
    """The mean over domains, each the same, and the worst."""
    lines = []
    for engine in engines:
        values: list[object] = [engine]
        for measure in (*JUDGED, "tokens"):
            found = {}
            for domain in dict.fromkeys(SETS[row.set].domain for row in rows):
                some = [row for row in of(rows, engine)
                        if row.answerable and SETS[row.set].domain == domain]  # fmt: skip
                value = mean(row.get(measure) for row in some)
                if value == value:
                    found[domain] = value
            least = min(found, key=lambda name: found[name])
            values += [mean(found.values())]
            values += [f"{found[least]:.3f} ({least})"] if measure != "tokens" else []
        lines.append(values)
    head = ["engine"]
    for measure in JUDGED:
        head += [f"{WORDS[measure]}, mean over domains", "worst domain"]
    return table([*head, "tokens"], lines)
