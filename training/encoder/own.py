"""Reads int8 models on the questions written by hand (bench/sets), which no model has seen.

    python -m training.encoder.own --data DIR NAME=model.onnx …

All documents of the sets lie in one pool, with 1,000 passages of other people's notes and talks
between them. ``paraphrase-kept`` is not read here.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpus import lines
from tokenizers import Tokenizer

from training.encoder.pairs import Evidence, Passage, Question, attach, cut
from training.encoder.reading import FACTOR, Judge, by_scores, fused, load, mean, shown
from training.encoder.sets import ASKED, CLS, PREFIX, SEP, TOKENS
from training.encoder.words import DEEP, Index, body

SETS = Path(__file__).resolve().parents[2] / "bench" / "sets"
OWN = {
    "paraphrased facts": "paraphrase-open/facts",
    "paraphrased notes": "paraphrase-open/notes",
    "paraphrased turns": "paraphrase-open/turns",
    "changed values": "changed-values",
    "near misses, notes": "near-misses/notes",
    "near misses, talks": "near-misses/sessions",
}
BETWEEN = 1000


class Model:
    """An int8 file with the tokenizer that all of them share."""

    def __init__(self, path: Path, tokenizer: Tokenizer) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options)
        self.names = {i.name for i in self.session.get_inputs()}
        self.tokenizer = tokenizer

    def __call__(self, texts: list[str], most: int) -> Any:
        """The vectors of texts, at most so many tokens of each."""
        made = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        rows = [[CLS, *e.ids[: most - 2], SEP] for e in made]
        out: Any = np.zeros((len(rows), 384), np.float32)
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        for start in range(0, len(order), 8):
            some = order[start : start + 8]
            ids = np.zeros((len(some), max(len(rows[n]) for n in some)), np.int64)
            mask = np.zeros_like(ids)
            for at, n in enumerate(some):
                ids[at, : len(rows[n])], mask[at, : len(rows[n])] = rows[n], 1
            feed = {
                "input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids),
                "sentence_ids": np.full_like(ids, -1),
            }  # fmt: skip
            found = self.session.run(None, {k: v for k, v in feed.items() if k in self.names})[0]
            out[some] = found[:, 0] if found.ndim == 3 else found
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def pool(data: Path) -> tuple[list[str], list[Passage], dict[str, list[Question]]]:
    """The documents' names, all passages, and the questions of each set."""
    rows: list[dict[str, Any]] = []
    asked: dict[str, list[dict[str, Any]]] = {}
    for name, folder in OWN.items():
        texts = SETS / folder / "docs.jsonl"
        rows += lines(texts if texts.is_file() else SETS / folder / "sessions.jsonl")
        asked[name] = [q for q in lines(SETS / folder / "queries.jsonl") if q["gold"]]
    passages = [p for n, row in enumerate(rows) for p in cut(n, row)]
    evidence = Evidence(rows, passages)
    questions: dict[str, list[Question]] = {}
    for name, many in asked.items():
        questions[name] = [Question(q["id"], q["query"], q["gold"], False, True) for q in many]
        for question, row in zip(questions[name], many, strict=True):
            attach(question, row, evidence)
    texts, _ = load(data)
    others = [p for name in ("friends", "personas", "notes") for p in texts[name]["passages"]]
    rng = np.random.default_rng(1)
    names = [str(r["id"]) for r in rows]
    for n in rng.choice(len(others), BETWEEN, replace=False):
        passages.append(replace(others[n], document=len(names), turn=0))
        names.append(f"between {n}")
    return names, passages, questions


def main() -> None:
    ask = argparse.ArgumentParser(description="the questions written by hand")
    ask.add_argument("models", nargs="+", help="NAME=model.onnx")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--tokenizer", type=Path, required=True)
    given = ask.parse_args()
    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    names, passages, questions = pool(given.data)
    texts = [body(p) for p in passages]
    index = Index("own", texts)
    table: dict[str, dict[str, Any]] = {name: {} for name in questions}
    judges = {
        name: Judge({"passages": passages, "documents": names, "questions": many})
        for name, many in questions.items()
    }
    shares = {
        name: [(*index.search(q.text), sum(map(index.idf, set(index.words(q.text))))) for q in many]
        for name, many in questions.items()
    }
    words = {name: [best.tolist() for best, *_ in many] for name, many in shares.items()}
    for called in given.models:
        model, _, path = called.partition("=")
        encoder = Model(Path(path), tokenizer)
        found = encoder(texts, TOKENS)
        for name, many in questions.items():
            asked = encoder([PREFIX + q.text for q in many], ASKED)
            cosines = asked @ found.T
            near = np.argsort(-cosines, axis=1)[:, :DEEP]
            judge = judges[name]
            ways = {"": (0, 1), " 1:1": (1, 1), " 1:3": (1, 3)}
            for way, (one, other) in ways.items():
                ranked = [
                    fused([(one, w), (other, n.tolist())])
                    for w, n in zip(words[name], near, strict=True)
                ]
                table[name][model + way] = ranked, mean([judge(n, r) for n, r in enumerate(ranked)])
            ranked = []
            for n, (best, scores, total) in enumerate(shares[name]):
                held = {"best": best, "scores": scores, "idf": [total]}
                both, share, near_by = by_scores(held, near[n], cosines[n, near[n]])
                ranked.append(both[np.argsort(-(share + FACTOR * near_by), kind="stable")].tolist())
            figures = mean([judge(n, r) for n, r in enumerate(ranked)])
            table[name][f"{model} scores"] = ranked, figures
        print(model, flush=True)
    for name, rankings in words.items():
        judge = judges[name]
        table[name]["words"] = rankings, mean([judge(n, r) for n, r in enumerate(rankings)])
    columns = list(next(iter(table.values())))
    print("| first hit, nDCG@10, evidence | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, row in table.items():
        judge, cells = judges[name], []
        for column in columns:
            ranked, figures = row[column]
            first = np.mean([judge.of[r[0]] in judge.gold[n] if r else 0.0
                             for n, r in enumerate(ranked)])  # fmt: skip
            cells.append(f"{shown(float(first))} {shown(figures.ndcg)} {shown(figures.evidence)}")
        print(f"| {name} ({len(judge.questions)}) | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
