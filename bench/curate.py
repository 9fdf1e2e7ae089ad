"""Curation: what the slots that only decide cost, against tokenising the same text.

    python -m bench curate

On the 55 agent sessions: survey, pieces, the sentence model without an encoder, dedup and groups
together, beside :func:`recollect.text.terms.terms` over the same text, after a first round.
"""

from __future__ import annotations

import statistics
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep

from bench import corpus
from bench.timing import Ratio
from recollect.models.worth import SentenceModel
from recollect.text.terms import terms
from recollect.writing.curation.chunk import pieces
from recollect.writing.curation.dedup import dedup
from recollect.writing.curation.extract import BySentences, Extracted, PieceContext
from recollect.writing.curation.group import GroupOrigin, SubjectGroup, group
from recollect.writing.curation.recon import survey
from recollect.writing.runner import AT_ONCE, Token, fan_out

ROUNDS = 5
SLOTS_BAR = 2.0


def sessions() -> list[tuple[str, str]]:
    """(name, text) of the agent sessions."""
    data = corpus.data_folder()
    if data is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    with tarfile.open(data / "agent-sessions.tar.xz") as archive:
        return list(_texts(archive))


def _texts(archive: tarfile.TarFile) -> Iterator[tuple[str, str]]:
    for member in archive:
        file = archive.extractfile(member) if member.name.endswith(".md") else None
        if file is not None:
            yield Path(member.name).stem, file.read().decode("utf-8", "replace")


def curated(name: str, text: str) -> tuple[SubjectGroup, ...]:
    """The groups of facts of a text, by every slot that is pure."""
    seen = survey(text)
    context, extractor = PieceContext(seen.kind, source=name), BySentences(SentenceModel(None))
    found: list[Extracted] = []
    for piece in pieces(text, seen):
        found += extractor.extract(piece, context, Token())
    return group(dedup(found).kept, GroupOrigin(name, name))


def run(_work: Path) -> Iterator[Ratio]:
    texts = sessions()
    ours, theirs = [], []
    made: list[int] = []
    for number in range(ROUNDS + 1):
        since = perf_counter()
        groups = [curated(name, text) for name, text in texts]
        middle = perf_counter()
        for _, text in texts:
            terms(text)
        if number:
            ours.append((middle - since) * 1000)
            theirs.append((perf_counter() - middle) * 1000)
        made = [*map(len, groups)]
    one, two = statistics.median(ours), statistics.median(theirs)
    ratio = one / two
    yield Ratio("pure slots of curation / tokenising, 55 sessions", one, two, "ms", ratio,
                f"at most {SLOTS_BAR}", ratio <= SLOTS_BAR)  # fmt: skip
    middle_pages, most = statistics.median(made), max(made)
    yield Ratio("pages a session: median / most", middle_pages, most, "pages", middle_pages,
                "median at most 6", middle_pages <= 6)  # fmt: skip
    serial, together = _fan_out(1), _fan_out(AT_ONCE)
    ratio = together / serial
    yield Ratio("22 pieces at 50 ms each, four at a time / one by one", together, serial, "ms",
                ratio, "at most 0.35", ratio <= 0.35)  # fmt: skip


def _fan_out(at_once: int) -> float:
    """Milliseconds for 22 pieces that take 50 ms each."""
    since = perf_counter()
    fan_out(range(22), lambda _: sleep(0.05), Token(), at_once=at_once)
    return (perf_counter() - since) * 1000
