"""The text indexes against a BM25 that is written down here, over random collections.

Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the weight of a word
that is never negative: ``ln(1 + (N - n + 0.5) / (n + 0.5))``, k1 = 1.2, b = 0.75.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from recollect.nouns import ChangeSet, Filter, Forget, Remove, TextQuery
from recollect.ports import Store
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import any_of, ids, note, put

WORDS = ("otter", "kelp", "boat", "tide", "rope", "harbor", "salt", "net")
OWNERS, SCOPES = ("ana", "ben"), ("work", "home")


class Text(NamedTuple):
    """One document of the collection: so short that it is one passage, and that no index rounds
    its length."""

    name: str
    title: tuple[str, ...]
    body: tuple[str, ...]
    owner: str
    scope: str

    def words(self, field: str) -> tuple[str, ...]:
        return self.title if field == "title" else (*self.title, *self.body)


def _words(most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(WORDS), max_size=most).map(tuple)


_TEXTS = st.builds(
    Text, st.just(""), _words(5), _words(30).filter(bool), st.sampled_from(OWNERS),
    st.sampled_from(SCOPES),
)  # fmt: skip
_COLLECTIONS = st.lists(_TEXTS, min_size=1, max_size=14).map(
    lambda texts: [text._replace(name=f"n{i}") for i, text in enumerate(texts)]
)
_FILTERS = st.builds(
    lambda owner, scope: Filter(owner=owner, scopes=(scope,) if scope else None),
    st.none() | st.sampled_from(OWNERS),
    st.none() | st.sampled_from(SCOPES),
)
_QUERIES = st.builds(
    lambda words, field, strict: any_of(*words, field=field, strict=strict),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True),
    st.sampled_from(("body", "title")),
    st.booleans(),
)


def bm25(
    query: TextQuery, filter: Filter, texts: Sequence[Text], *, empty: int = 0
) -> dict[str, float]:
    """The score of each text that is found, by its name. Weights are of the whole collection,
    whatever is filtered, and of *empty* texts besides."""
    count = len(texts) + empty
    average = sum(len(text.words(query.field)) for text in texts) / max(count, 1)
    words = [clause.term for clause in query.any]
    held = {word: sum(word in text.words(query.field) for text in texts) for word in words}
    scores = {}
    for text in texts:
        own = text.words(query.field)
        has = [word for word in words if word in own]
        if not has or (query.strict and len(has) < len(words)):
            continue
        if filter.owner not in (None, text.owner):
            continue
        if filter.scopes is not None and text.scope not in filter.scopes:
            continue
        scores[text.name] = sum(
            log(1 + (count - held[word] + 0.5) / (held[word] + 0.5))
            * (often := own.count(word)) * 2.2
            / (often + 1.2 * (0.25 + 0.75 * len(own) / average))
            for word in has
        )  # fmt: skip
    return scores


def _kept(store: Store, texts: Sequence[Text]) -> None:
    put(store, *(
        note(one.name, " ".join(one.body), title=" ".join(one.title), owner=one.owner,
             scopes=(one.scope,))
        for one in texts
    ))  # fmt: skip


def _found(store: Store, query: TextQuery, filter: Filter) -> list[tuple[str, float]]:
    hits = store.search_text([query], filter, limit=100)[0].hits
    names = ids(store, [hit.passage for hit in hits])
    return [(name.removesuffix(":0"), hit.score) for name, hit in zip(names, hits, strict=True)]


def _agree(found: list[tuple[str, float]], wanted: dict[str, float], within: float) -> None:
    assert {name for name, _ in found} == wanted.keys()
    for name, score in found:
        assert isclose(score, wanted[name], rel_tol=within), (found, wanted)
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def _without(stores: Sequence[Store], texts: list[Text], gone: set[int]) -> list[Text]:
    """Every other one of those is forgotten, the rest are removed."""
    for n, text in enumerate(texts):
        if n in gone:
            id = note(text.name, owner=text.owner).id
            for store in stores:
                store.apply(ChangeSet((Forget(id) if n % 2 else Remove(id),)))
    return [text for n, text in enumerate(texts) if n not in gone]


# What fails is short enough to be read as it is; to make it shorter takes minutes.
@settings(max_examples=40, deadline=None, phases=[Phase.generate])
@given(_COLLECTIONS, st.sets(st.integers(0, 13)), st.lists(st.tuples(_QUERIES, _FILTERS),
                                                           min_size=1, max_size=5))  # fmt: skip
def test_scores_are_those_of_a_plain_bm25(
    texts: list[Text], gone: set[int], asked: list[tuple[TextQuery, Filter]]
) -> None:
    with TemporaryDirectory() as folder:
        plain, store = PlainStore(), EmbeddedStore(Path(folder) / "store")
        try:
            for one in (plain, store):
                _kept(one, texts)
            store.admin.refresh()
            left = _without((plain, store), texts, gone)
            for query, filter in asked:  # the deleted ones are in the index yet
                found = {name for name, _ in _found(store, query, filter)}
                assert found == bm25(query, filter, left).keys()
            store.admin.refresh(rebuild=True)
            for query, filter in asked:
                _agree(_found(plain, query, filter), bm25(query, filter, left), 1e-9)
                # The index has one text of its own, an empty one, and counts in single precision.
                wanted = bm25(query, filter, left, empty=1)
                _agree(_found(store, query, filter), wanted, 1e-4)
        finally:
            store.close()
