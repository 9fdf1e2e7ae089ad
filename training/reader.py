"""Trains the reader: does this text answer this question, does it bear this sentence out?

    python -m training.reader texts DIR                     # tokens and pairs
    python -m training.reader teach DIR OUT [--without N]   # on a GPU; N: a fold of the encoder's

It is a cross-encoder: the question and the text are one input, and the first token's state gives
the odds. Most of what it learns from is in ``training/readings.jsonl.xz``: texts of many kinds
with questions that they answer and questions that they nearly do, sentences that they bear out and
sentences that they nearly do, and later sentences by which they no longer hold. The other part are
questions that people asked (the sets that may be trained on): each with a window that holds the
evidence, with near windows that do not, and with one word exchanged. ``--without`` leaves the
domains of a fold out and reads them. Nothing imports it.
"""

from __future__ import annotations

import json
import lzma
import pickle
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from training.encoder.sets import FOLDS, TRAINABLE, Source, domain
from training.encoder.written import Group, groups

HERE = Path(__file__).parent
READINGS, PAIRS = HERE / "readings.jsonl.xz", HERE / "pairs.jsonl.xz"
OWN = HERE.parent / "bench" / "sets"
MODEL = HERE.parent / "src" / "recollect" / "weights" / "embed"
CLS, SEP, ASKED_TOKENS, TOKENS = 101, 102, 64, 176
"""The most tokens of the first text and of the second."""
WORDS, BEFORE = 70, 30
"""Words of a window, and of a turn that is put before the next one."""
DOCUMENTS, ASKED, UNANSWERED, NEAREST, MANY = 16_000, 700, 250, 3, 6
"""The most documents of a set, questions of it with and without an answer, and windows that are
looked at; a question with more windows of evidence than the last teaches nothing by the windows
beside them."""
SETS = tuple(
    name for name in TRAINABLE
    if (name not in ("shell", "scifact") and not name.startswith("xquad-")) or name == "xquad-en"
)  # fmt: skip
NEAR = {
    "near-notes": Source(
        "own", "never", "near-misses/notes/docs.jsonl", "near-misses/notes/queries.jsonl"
    ),
    "near-sessions": Source(
        "own", "never", "near-misses/sessions/sessions.jsonl", "near-misses/sessions/queries.jsonl"
    ),
}  # fmt: skip
"""Sets of ours that are read after every training."""
LABELS = ("same", "changed", "neither")
TASKS = {"answer": 0.55, "support": 0.3, "pair": 0.15}
"""What a pair of texts teaches, and the share of a batch that does: whether the second answers the
first, or bears it out; what two statements are to each other."""
WEIGHTS = {
    "yes": 1.0, "no": 0.75, "said": 1.0, "near": 0.6,
    "people": 1.0, "nothing": 1.0, "exchanged": 0.2, "beside": 0.1,
}  # fmt: skip
"""How often what is of a kind is drawn. What rules made counts little: a window beside that of the
evidence may well answer, and a question with a word exchanged may be answered all the same."""
PEOPLE = 0.45
"""The share of people's questions in the first task."""
DROP = 0.1
STEPS, BATCH, RATE, SEED = 2200, 256, 8e-5, 1


class Row(NamedTuple):
    """Two texts, by their numbers, and what they are to each other."""

    task: str
    one: int
    other: int
    label: int
    kind: str
    name: str = ""
    """The set that it is from."""


class Texts:
    """Texts, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text[:2000], len(self.numbers))

    def tokens(self) -> tuple[Any, Any]:
        from tokenizers import Tokenizer

        reads = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        found = reads.encode_batch_fast(list(self.numbers), add_special_tokens=False)
        rows = [[CLS, *one.ids[:TOKENS], SEP] for one in found]
        starts = np.cumsum([0, *map(len, rows)])
        return np.concatenate([np.array(row, np.uint16) for row in rows]), starts


# ------------------------------------------------------------------ what was written


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def written(text: Texts) -> Iterator[Row]:
    """Yields the pairs of the readings, and those that taught the pair model."""
    for row in _lines(READINGS):
        t, of = text(row["t"]), domain(row["from"]) if "from" in row else ""
        for task, key, label in (
            ("answer", "q", 1), ("answer", "n", 0), ("support", "s", 1), ("support", "x", 0),
            ("support", "c", 0), ("support", "u", 0),
        ):  # fmt: skip
            for said in row.get(key, ()):
                yield Row(task, text(said), t, label, ("no", "yes")[label], of)
        for key, label in (("s", 0), ("c", 1), ("u", 2)):
            for said in row.get(key, ())[:2]:
                yield Row("pair", t, text(said), label, ("yes", "no", "no")[label], of)
    for row in _lines(PAIRS):
        if "base" in row:
            yield from _statements(row, text)
    for of, some in groups().items():
        for group in some:
            if not group.is_held:
                yield from _group(group, text, domain(of))


def _group(group: Group, text: Texts, of: str) -> Iterator[Row]:
    for question in group.questions:
        for said in group.answers:
            yield Row("answer", text(question), text(said), 1, "said", of)
        for said in group.wrong():
            yield Row("answer", text(question), text(said), 0, "near", of)


def _statements(row: Mapping[str, Any], text: Texts) -> Iterator[Row]:
    base = text(row["base"])
    for label, name in enumerate(LABELS):
        for said in row.get(name, ()):
            kind = "no" if label else "yes"
            yield Row("pair", base, text(said), label, kind)
            yield Row("support", text(said), base, int(not label), kind)


def tests(text: Texts) -> dict[str, list[Row]]:
    """Returns the pairs of sets of ours on which nothing is trained."""
    found: dict[str, list[Row]] = {}
    for name in ("altered-sentences", "altered-sentences-fresh", "readings"):
        found[name] = [
            Row(
                "support",
                text(row["sentence"]),
                text(" ".join(row["spans"])),
                int(row["supported"]),
                "",
            )
            for row in _lines(OWN / name / "sentences.jsonl")
        ]
    texts = {row["id"]: text(row["text"]) for row in _lines(OWN / "readings" / "docs.jsonl")}
    found["questions"] = [
        Row(
            "answer",
            text(row["query"]),
            texts[next(iter(row["gold"] or [row.get("near")]))],
            len(row["gold"]),
            "",
        )
        for row in _lines(OWN / "readings" / "queries.jsonl")
    ]
    held = [one for some in groups().values() for one in some if one.is_held]
    found["groups"] = [row for one in held for row in _group(one, text, "")]
    return found


# ------------------------------------------------------------------ what people asked


class Set(NamedTuple):
    """The windows of a set, and its questions."""

    windows: list[int]
    asked: list[Asked]


class Asked(NamedTuple):
    text: int
    gold: list[int]
    """The places of the windows that hold the evidence; none where nothing answers."""
    teaches: bool
    twins: list[int]
    """The same with a word exchanged."""


class _Window(NamedTuple):
    document: int
    turn: int
    start: int
    end: int
    text: str


def _windows(number: int, row: Mapping[str, Any]) -> Iterator[_Window]:
    from training.encoder.pairs import sentences

    title = f"{row['title']}\n" if row.get("title") else ""
    turns = row.get("turns", [{"role": "", "text": row.get("text", "")}])
    before = ""
    for turn, said in enumerate(turns):
        text, role = said["text"], said["role"]
        spans = sentences(text) or [(0, len(text))]
        sizes = [len(text[a:b].split()) for a, b in spans]
        above = f"{before}{role}: " if role else title
        first = last = 0
        while last < len(spans):
            last, used = first + 1, sizes[first]
            while last < len(spans) and used + sizes[last] <= WORDS:
                used, last = used + sizes[last], last + 1
            a, b = spans[first][0], spans[last - 1][1]
            yield _Window(number, turn, a, b, above + text[a:b])
            first = max(first + 1, last - 1)
        before = f"{role}: {text}\n" if role and len(text.split()) <= BEFORE else ""


def people(name: str, text: Texts) -> Set:
    from bench.corpus import data_folder, lines
    from bench.unseen.twins import MARK, twins

    from recollect_evals.questions import half_of

    folder, source = (OWN, NEAR[name]) if name in NEAR else (data_folder(), TRAINABLE[name])
    documents = list(islice(lines(folder / source.documents), DOCUMENTS))
    every = [one for n, row in enumerate(documents) for one in _windows(n, row)]
    at: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(every):
        at.setdefault((one.document, one.turn), []).append(place)
    numbers = {str(row["id"]): n for n, row in enumerate(documents)}
    evidence = (
        {row["id"]: row for row in lines(folder / source.evidence)} if source.evidence else {}
    )
    exchanged: dict[str, list[str]] = {}
    for twin in () if name in NEAR else twins(name, None):
        exchanged.setdefault(twin.id.rpartition(MARK)[0], []).append(twin.text)
    asked = []
    left = {True: ASKED, False: UNANSWERED}
    for row in sorted(lines(folder / source.questions), key=lambda row: half_key(row["id"])):
        has = bool(row.get("gold"))
        entries = (evidence.get(row["id"], row).get("evidence") or ()) if has else ()
        gold = {w for e in entries for w in _holding(e, documents, numbers, every, at)}
        if left[has] and bool(gold) == has:
            left[has] -= 1
            teaches = source.use == "all" or half_of(row["id"]) == "fit"
            others = [text(one) for one in exchanged.get(str(row["id"]), ())]
            asked.append(Asked(text(row["query"]), sorted(gold), teaches, others))
    return Set([text(one.text) for one in every], asked)


def half_key(id: Any) -> str:
    import hashlib

    return hashlib.sha1(str(id).encode()).hexdigest()


def _holding(
    entry: Mapping[str, Any], documents: Sequence[Any], numbers: Mapping[str, int],
    every: Sequence[_Window], at: Mapping[tuple[int, int], Sequence[int]],
) -> Iterator[int]:  # fmt: skip
    """Yields the windows that hold a piece of evidence, or half of its quote."""
    number, first = numbers.get(str(entry["document"]), -1), entry.get("turn", 0)
    if number < 0:
        return
    row, quote = documents[number], entry.get("quote") or ""
    text = row["turns"][first]["text"] if "turns" in row else row.get("text", "")
    start = text.find(quote) if quote else -1
    for turn in range(first, entry.get("to", first) + 1):
        for place in at.get((number, turn), ()):
            one = every[place]
            inside = min(one.end, start + len(quote)) - max(one.start, start)
            if start < 0 or inside >= len(quote) / 2:
                yield place


def texts(out: Path) -> None:
    text = Texts()
    rows, read = list(written(text)), tests(text)
    sets = {name: people(name, text) for name in (*SETS, *NEAR)}
    tokens, starts = text.tokens()
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "tokens.npz", tokens=tokens, starts=starts.astype(np.uint32))
    with lzma.open(out / "rows.pkl.xz", "wb") as file:
        plain = {name: (one.windows, [tuple(a) for a in one.asked]) for name, one in sets.items()}
        kept = {name: [tuple(row) for row in some] for name, some in read.items()}
        pickle.dump(([tuple(row) for row in rows], kept, plain), file)
    print(len(rows), "pairs,", len(starts) - 1, "texts")


# ------------------------------------------------------------------ teaching


def teach(data: Path, out: Path, options: Any) -> None:
    from training import bert, reader_model

    left = FOLDS[options.without] if options.without else ()
    learner = reader_model.Learner(data, [n for n in SETS if TRAINABLE[n].domain in left], left)
    model = learner.taught(reader_model.begun(options.start), options)
    learner.tell(model)
    out.mkdir(parents=True, exist_ok=True)
    bert.save(model, out, f"reader-{options.without}")


def main(given: Sequence[str]) -> None:
    parser = ArgumentParser(prog="python -m training.reader")
    parser.add_argument("job", choices=("texts", "teach"))
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--without", type=int, default=0, choices=(0, *FOLDS))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--start", type=Path, help="arctic-embed-s, which has seen no domain")
    options = parser.parse_args(given)
    if options.job == "texts":
        texts(options.data)
    else:
        teach(options.data, options.out, options)


if __name__ == "__main__":
    main(sys.argv[1:])
