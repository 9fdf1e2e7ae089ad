"""Every word that a report uses, once: what it means in plain words, and what values it can have.

``docs/make.py`` makes a part of ``docs/evals.md`` of it; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

SHARE, COUNT = "0 to 1", "0 or more"


class Measure(NamedTuple):
    """A figure of each question."""

    words: str
    higher_is_better: bool = True
    gated: bool = True
    """Whether a regression of it fails the gate."""
    range: str = SHARE


class Term(NamedTuple):
    """A figure of a whole run, of two, or a word."""

    words: str
    range: str = ""


MEASURES: Mapping[str, Measure] = {
    "hit@1": Measure("the first result is right"),
    "any@5": Measure("some of the evidence is among the first 5"),
    "any@10": Measure("some of the evidence is among the first 10"),
    "all@5": Measure("all the evidence is among the first 5"),
    "all@10": Measure("all the evidence is among the first 10"),
    "recall@10": Measure("the share of the evidence among the first 10"),
    "precision@5": Measure("right ones among the first 5, divided by 5 however few came back"),
    "mrr": Measure("1 / the place of the first right one"),
    "ndcg@10": Measure("the gains among the first 10, by their places, against the best order"),
    "set_precision": Measure("the share of the returned set that is right"),
    "set_recall": Measure("the share of the evidence that is in the returned set"),
    "set_all": Measure("all the evidence is in the returned set"),
    "evidence_shown": Measure("every unit of the evidence that the question needs is shown"),
    "evidence_named": Measure("the documents of those units came back, whatever is shown of them"),
    "set_size": Measure("documents in the returned set", False, False, COUNT),
    "false_abstained": Measure("left open although there is an answer", False),
    "abstained": Measure("left open where there is no answer"),
    "brier": Measure("(confidence - right)²: how far off the confidence is", False),
    "tokens": Measure("tokens of the text that the caller gets", False, True, COUNT),
    "ms": Measure("milliseconds for the answer, on this machine", False, False, COUNT),
    "dollars": Measure("what the answer cost", False, False, COUNT),
    "passed": Measure("cases where exactly the expected facts came back"),
    "passed_active": Measure("the same, of cases that expect some"),
    "current": Measure("something that came back has the value that holds now"),
    "current_first": Measure("the first result has the value that holds now"),
    "stale": Measure("something that came back has a superseded value and not the current", False),
    "stale_fact": Measure("the same, of facts and pages: notes stay as they were written", False),
}
"""In the order in which they are shown."""

TERMS: Mapping[str, Term] = {
    "evidence, gold": Term("the documents that a question needs, as its set says"),
    "unit": Term("a quote or a turn inside a document that answers, where a set names some"),
    "shown": Term("at least half of a unit's characters, in runs of 20 or more, are in the text "
                  "that came back of its document; the right document without them is not enough"),
    "fit, test": Term(
        "the halves of a set, by the hash of a question's id: things may be chosen on fit "
        "questions, never on test questions"
    ),
    "right": Term("some evidence is among the first three results: what the confidence is about"),
    "graded": Term("of each single result its confidence, and whether it is right: it shows a unit "
                   "of the evidence, or is of the gold where a set names none"),
    "rendered": Term("whether tokens are those of the text of the tool `search`; else those of the "
                     "results' texts alone (library use)"),
    "returned set": Term("all that came back; the engine chose how much that is"),
    "left open": Term("the status is `needs_synthesis` or `no_results`"),
    "coverage": Term("the share of questions that are answered at some confidence", SHARE),
    "risk": Term("the share of those that are answered wrongly", SHARE),
    "aurc": Term("the mean risk when only the surest answers are given, over how many", SHARE),
    "ece_mass": Term("calibration error: confidence against how often it is right, in bins of "
                     "as many answers each", SHARE),
    "ece_width": Term("the same in bins of equal width", SHARE),
    "results_ece": Term("calibration error (bins of as many each) of the single results: `graded`",
                        SHARE),
    "reliability": Term("for each bin: how many answers, their confidence, how often right"),
    "auroc": Term("how often a question with an answer gets a higher confidence than one without, "
                  "ties counting half: 0.5 is chance", SHARE),
    "refused@0.8, refused@0.9": Term(
        "the share of the questions without an answer that are refused at the highest confidence "
        "from which on 0.8 or 0.9 of those with one are served", SHARE),
    "p50, p95, p99": Term("the time that so many percent of the answers did not exceed", "ms"),
    "grep": Term("a baseline: read the documents with the question's words, most words first, "
                 "until all evidence that is among them is read"),
    "grep_all": Term("a baseline: read every document with any of the question's words"),
    "dump": Term("a baseline: read every document of the store"),
    "saved": Term("1 - our tokens / the baseline's, over all questions together", "up to 1"),
    "interval": Term("where a mean or a difference is likely to be: bootstrap, 10,000 resamples"),
    "p": Term("how likely a difference as large is by chance (permutation test), corrected", SHARE),
    "corrected": Term("for the number of measures compared: Bonferroni"),
    "cohens_d": Term("a difference in standard deviations: 0.2 is small, 0.5 medium, 0.8 large"),
    "win, tie, loss": Term("questions on which the first run is better, as good, worse", COUNT),
    "winner": Term("the run that is better beyond chance; none where that cannot be said"),
    "jaccard@10": Term("of two runs: documents that both have among the first 10, of all that "
                       "either has", SHARE),
    "same_first": Term("of two runs: the first result is the same", SHARE),
    "chance": Term("what a run scores whose gold was drawn at random", SHARE),
    "learned": Term("questions that a model or the grade that ships was fitted on", COUNT),
    "fitted_on": Term("the same of the whole set, asked or not: with any, it is no unseen set",
                      COUNT),
    "left_out": Term("questions of the files that are not asked, by reason", COUNT),
    "drift": Term("files that have a say in answers and are not as they were at a run"),
}  # fmt: skip


def explained(names: Collection[str] = ()) -> dict[str, dict[str, str]]:
    """The glossary of a report: its measures, and the words around them."""
    measures = {
        name: {"words": one.words, "range": one.range}
        for name, one in MEASURES.items()
        if name in names
    }
    return measures | {
        name: {"words": term.words, **({"range": term.range} if term.range else {})}
        for name, term in TERMS.items()
    }


def markdown() -> str:
    """The page of the docs."""
    lines = [
        "# Glossary",
        "",
        "The words of `recollect eval`, from `recollect_evals/glossary.py`; every JSON report "
        "carries them. Formulas and where they come from are in `recollect_evals/metrics.py` and "
        "`recollect_evals/statistics.py`.",
        "",
        "## Of each question",
        "",
        "| name | what it is | values | better |",
        "|---|---|---|---|",
    ]
    for name, one in MEASURES.items():
        better = "higher" if one.higher_is_better else "lower"
        lines.append(f"| `{name}` | {one.words} | {one.range} | {better} |")
    lines += ["", "## Of runs, and words", "", "| name | what it is | values |", "|---|---|---|"]
    lines += [f"| {name} | {term.words} | {term.range} |" for name, term in TERMS.items()]
    return "\n".join(lines) + "\n"
