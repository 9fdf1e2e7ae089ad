"""The page over ten thousand documents: nothing grows with them but the number of pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

from browser import Browser, browsing, program
from http_client import QUIET, Served, serve
from recollect import Document, Memory
from recollect.nouns import MAX_LIMIT
from recollect.surfaces.page.remembered import PAGE
from recollect.surfaces.page.search import PAGE as RESULTS

DOCUMENTS, NAMED, PLACED = 10_000, 1_050, 600
LONG = "w" * 400
PAINTED = 150_000
"""Bytes of a view, whatever the store holds."""


def rows() -> Iterator[dict[str, object]]:
    """Facts of one name, and facts on many pages."""
    for n in range(NAMED):
        yield {"id": f"gull-{n}", "name": f"gull {n}", "aliases": ["seabird"],
               "text": f"Gull {n} nests on ledge {n}"}  # fmt: skip
    for n in range(PLACED):
        page = f"store/shelf-{n % 20}/box-{n}"
        yield {"id": f"box-{n}", "name": f"box {n}", "text": f"Box {n} is blue",
               "meta": {"page": page}}  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("scale")
    first = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        lines = "".join(json.dumps({"kind": "fact", **row}) + "\n" for row in rows())
        (folder / "facts.jsonl").write_text(lines)
        with Memory.open(folder / "store") as memory:
            memory.put(
                Document(f"heron-{n}", "herons", f"Of herons, number {n}.", title=f"Heron {n}",
                         path=f"birds/{LONG}/{n}.md", date=first + timedelta(hours=n))
                for n in range(DOCUMENTS)
            )  # fmt: skip
            assert not memory.add(folder / "facts.jsonl").failed
    one = serve(folder / "store", folder / "home")
    yield one
    one.end()


def view(served: Served, path: str) -> str:
    said = served.address.get(path)
    assert said.status == 200
    assert len(said.body) < PAINTED, path
    return said.text


def further(text: str) -> str:
    more = re.search(r'<a href="([^"]+)"[^>]*>More</a>', text)
    return more[1].replace("&amp;", "&") if more else ""


def test_ten_thousand_documents_are_listed_page_by_page(served: Served) -> None:
    path, seen, pages = "/documents", list[str](), 0
    while path and pages < 6:
        text = view(served, path)
        seen += re.findall(r">Heron (\d+)<", text)
        path, pages = further(text), pages + 1
    assert seen == [str(DOCUMENTS - 1 - n) for n in range(6 * PAGE)]  # the newest first
    assert f"Documents <small>{DOCUMENTS:,}</small>" in text


def test_every_document_comes_once_in_the_largest_pages_of_the_api(served: Served) -> None:
    seen, cursor = set[str](), ""
    for _ in range(DOCUMENTS // 1000):
        given = {"limit": 1000, "sources": "herons", "cursor": cursor}
        page = served.address.get("/api/list", **{k: v for k, v in given.items() if v}).json
        assert len(page["items"]) == 1000
        seen |= {one["id"] for one in page["items"]}
        cursor = page["cursor"]
    assert len(seen) == DOCUMENTS
    assert not cursor


def test_as_many_results_as_may_be_asked_for_come_page_by_page(served: Served) -> None:
    path, seen = f"/?q=seabird&limit={MAX_LIMIT}&budget=10000000&from={MAX_LIMIT - 2 * RESULTS}", []
    for _ in range(2):
        text = view(served, path)
        assert f"{MAX_LIMIT} of {NAMED:,}" in text
        seen += re.findall(r'href="/fact\?id=(gull-\d+)"', text)
        path = further(text)
    assert len(seen) == len(set(seen)) == 2 * RESULTS
    assert path == ""
    beyond = view(served, f"/?q=seabird&limit=5&from={MAX_LIMIT}")
    assert "There are no more results" in beyond


def test_a_search_among_all_of_them_shows_what_it_found(served: Served) -> None:
    text = view(served, f"/?q=herons&limit={MAX_LIMIT}&budget=10000000")
    found = served.address.post("search", query="herons", limit=MAX_LIMIT, budget=10_000_000).json
    shown, named = found["results"], found["named"]
    assert shown
    assert len(shown) + len(named) >= 10
    assert text.count('class="card result"') == len(shown)
    assert text.partition('class="also"')[2].partition("</section>")[0].count("<li") == len(named)


def test_a_large_tree_opens_level_by_level_and_a_large_page_in_parts(served: Served) -> None:
    text = view(served, "/tree")
    assert f"{PLACED:,} pages" in text
    assert "<details" not in text
    assert "box-1" not in text
    assert f"{PLACED // 20} pages" in view(served, "/tree?at=store")
    assert "Box 21" in view(served, "/tree?at=store/shelf-1")
    path, seen = "/topic?at=misc/facts/universal", set[str]()
    while path:
        text = view(served, path)
        seen |= set(re.findall(r'href="/fact\?id=(gull-\d+)"', text))
        path = further(text)
    assert len(seen) == NAMED


@pytest.mark.parametrize("path", ["/", "/memory", "/memory?every=1", "/sessions", "/stats",
                                  "/doctor", "/imports", "/review", "/receipts"])  # fmt: skip
def test_no_view_grows_with_the_store(served: Served, path: str) -> None:
    view(served, path)


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def screen(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("there is no Chromium on this machine: `apt-get install chromium`")
    with browsing(tmp_path_factory.mktemp("profile")) as browser:
        browser.look()
        browser.open(served.link)
        yield browser


def test_a_person_pages_through_them_by_keys(screen: Browser, served: Served) -> None:
    screen.open(f"http://127.0.0.1:{served.address.port}/documents")
    for _ in range(3):
        screen.press("k")  # from nowhere that is the last: the way on
        assert screen.focuses("More")
        screen.press("Enter", loads=True)
    assert screen.run("document.querySelectorAll('.documents tbody tr').length") == PAGE
    assert f"Heron {DOCUMENTS - 1 - 3 * PAGE}" in screen.text


@pytest.mark.parametrize("wide", [1280, 380])
def test_long_names_and_many_results_fit_the_screen(
    screen: Browser, served: Served, wide: int
) -> None:
    screen.look(wide=wide)
    for path in ("/documents", "/document?id=heron-7", f"/?q=seabird&limit={MAX_LIMIT}", "/tree",
                 "/?q=herons", f"/?q={LONG}", "/topic?at=misc/facts/universal"):  # fmt: skip
        screen.open(f"http://127.0.0.1:{served.address.port}{path}")
        assert screen.run("document.documentElement.scrollWidth") <= wide, path
        assert screen.run("document.querySelectorAll('*').length") < 6_000, path
    screen.look()
