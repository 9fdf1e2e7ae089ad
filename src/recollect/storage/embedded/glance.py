"""What the words of a text are worth in a store, read without opening the store.

To open it loads all that can be done with it, which takes several times as long as this. Nothing is
made, migrated, locked, checked or brought up to date here: whoever is told nothing opens the store.
"""

from __future__ import annotations

import os
import sqlite3
from math import log

import tantivy
from tantivy import Occur, Query

from recollect.text.terms import stems

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TAIL, LOOKED = 64, 48
"""Passages that the index has not seen, and passages with many of the words, that are looked at;
where there are more, the store is opened."""
CORRECTED, _LONG, ENDING = 4, 10, 3
"""Letters of a word from which on it is corrected, and by two letters; letters of an ending
(``reading/rewrite.py``)."""
_PASSAGE = (1 << 32) - 1
_STATE = "SELECT epoch, seq, generation FROM state"
_ROWS = """SELECT d.title || ' ' || p.heading, p.text
    FROM passages p JOIN documents d ON d.key = p.document"""


class Unreadable(Exception):
    """Only whoever opens the store can tell."""


class Glance:
    """One look at the embedded store in a folder."""

    def __init__(self, folder: str) -> None:
        """Raises Unreadable where the store has to be opened: it is not there, of another version,
        torn, or its index is far behind."""
        if not os.path.isfile(os.path.join(folder, "record.db")):
            raise Unreadable
        try:
            self._record = sqlite3.connect(os.path.join(folder, "record.db"), isolation_level=None)
            self._record.execute("PRAGMA query_only = ON")
            epoch, seq, generation = self._record.execute(_STATE).fetchone()
            index = tantivy.Index.open(os.path.join(folder, f"text-{generation}"))
            self._schema, self._searcher = index.schema, index.searcher()
            self._tail = self._behind(epoch, seq)
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise Unreadable from error
        self._stems = [stems(f"{above} {text}") for above, text in self._tail]

    def _behind(self, epoch: str, last: int) -> list[tuple[str, str]]:
        """The passages that the index has not seen."""
        marked = self._searcher.search(self._term("mark", "position"), 1).hits
        if not marked:
            raise Unreadable
        _, known, seq = self._searcher.doc(marked[0][1])["mark"]
        rows = self._record.execute(f"{_ROWS} WHERE p.key > ? LIMIT ?", (int(seq), TAIL + 1))
        found: list[tuple[str, str]] = rows.fetchall()
        if known != epoch or int(seq) > last or len(found) > TAIL:
            raise Unreadable
        return found

    def close(self) -> None:
        self._record.close()

    def has_handle(self, handles: Iterable[str]) -> bool:
        """Whether a fact has one of the handles."""
        wanted = [*handles]
        select = f"SELECT 1 FROM handles WHERE handle IN ({', '.join('?' * len(wanted))}) LIMIT 1"
        return self._record.execute(select, wanted).fetchone() is not None

    def worth(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each word."""
        total = max(0, int(self._searcher.num_docs) - 1) + len(self._tail)
        counts = {word: self._count(word) for word in words}
        return {word: log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in counts.items()}

    def passages(self, worth: Mapping[str, float], least: float) -> list[tuple[str, str]] | None:
        """The passages whose words are worth so much together, each as what stands above it and its
        text; None where these are too many."""
        query = Query.boolean_query(
            [
                (Occur.Should, Query.const_score_query(self._term("body", word), value))
                for word, value in worth.items()
            ]
        )
        hits = self._searcher.search(query, LOOKED + 1).hits
        near = [address for score, address in hits if score >= least]
        if len(near) > LOOKED:
            return None
        places = self._searcher.fast_field_values("place", near)
        keys = ", ".join(str(place & _PASSAGE) for place in places)
        found = self._record.execute(f"{_ROWS} WHERE p.key IN ({keys})").fetchall()
        fresh = (sum(worth[word] for word in worth.keys() & one) for one in self._stems)
        return found + [row for row, has in zip(self._tail, fresh, strict=True) if has >= least]

    def has_like(self, word: str, *, slips: bool) -> bool:
        """Whether there is a word that this one may be another form of, or a slip of."""
        if len(word) < CORRECTED or not word.isalpha():
            return False
        cuts = range(1, min(ENDING, len(word) - CORRECTED - 1) + 1)
        ways = [self._term("exact", word[:-cut]) for cut in cuts]
        if len(word) > CORRECTED:
            ways.append(Query.regex_query(self._schema, "exact", f"{word}.*"))
        if slips:
            far = 1 + (len(word) >= _LONG)
            ways.append(Query.fuzzy_term_query(self._schema, "exact", word, far))
        query = Query.boolean_query([(Occur.Should, one) for one in ways])
        return bool(ways) and bool(self._searcher.search(query, 1).hits)

    def has(self, word: str) -> bool:
        return self._count(word) > 0

    def _count(self, word: str) -> int:
        """How many passages have a word."""
        return int(self._searcher.doc_freq("body", word)) + sum(word in one for one in self._stems)

    def _term(self, field: str, word: str) -> Query:
        return Query.term_query(self._schema, field, word, index_option="basic")
