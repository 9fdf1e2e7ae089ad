"""The page: its markup over HTTP, and in a real browser where there is one."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

from browser import Browser, browsing, program
from http_client import QUIET, Said, Served, serve
from mcp_client import small_store
from recollect import Document, Memory, Message
from recollect.markup import el, joined, url
from recollect.surfaces.page.charts import share
from recollect.surfaces.page.graph import name_of, named_in, names_one
from recollect.surfaces.page.layout import NAVIGATION, passage

ROOT = Path(__file__).parent.parent
AXE = ROOT / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = '<script>window.evil = 1</script><img src=x onerror="window.evil = 1">'
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
WIKI = {
    "Ferry Guide.md": "---\ntags: [boats]\n---\n# Ferry Guide\n\nThe ferry leaves at **nine**, "
    "says [[people/Ana|Ana]]; see [[Tides#High water]], [[No Such Page]] and [the site](https://example.org)."
    "\n\n## Fares\n\n| who | pays |\n|---|--:|\n| adult | 9 |\n\n## Code\n\n```python\nreturn 1\n"
    f"```\n\n## Picture\n\n![The pier](img/pier.png) ![out](../secret.png) {EVIL}\n",
    "Tides.md": "# Tides\n\n## High water\n\nAs the [guide](Ferry%20Guide.md) has it.\n",
    "people/Ana.md": "# Ana\n\nKeeps the [[Ferry Guide]].\n",
}
"""Notes that link to each other; one has a picture, and one that is outside of the folder."""
TALK = (
    Message("user", "Why does the **pump** stall?", "p1"),
    Message("assistant", f"Like this:\n\n```python\n{'pump(1); ' * 40}\n```\n", "p1b"),
    Message("tool", "pump.log: 400 lines", "p2"),
    Message("tool", "grep stall pump.log", "p3"),
    Message(
        "assistant", "It runs dry.\n\n" + "The valve sticks. " * 300 + "At last: zanzibar.", "p4"
    ),
    Message("user", "So the valve is replaced.", "p5"),
)
MANY = 130
TITLE = "albatross" * 50
VIEWS = ("/", "/?q=harbor", "/?q=zzzz", "/?q=harbor&since=soonish", "/memory", "/memory?every=1",
         "/fact?id=ship-2", "/documents", "/documents?since=no", "/document?id=keys.md",
         "/sessions", "/sessions?q=umlauts", "/sessions?session=s1", "/stats", "/stats?days=365",
         "/settings", "/review", "/tree", "/topic?at=misc/facts/universal", "/receipts",
         "/topic/edit?at=misc/facts/universal", "/topic/edit?at=no/such/page",
         "/sessions?session=talk", "/sessions?session=fork",
         "/sessions?session=talk&around=p3&q=stall",
         "/sessions?session=talk&message=3", "/sessions?session=talk&around=p9",
         "/document?id=wordy", "/?q=albatross", "/fact?id=wordy-fact",
         "/document?id=Ferry+Guide.md", "/document?id=Tides.md", "/?q=ferry+guide",
         "/imports", "/doctor", "/tree?at=nowhere", "/imports?path=/nowhere", "/nowhere",
         "/document?id=nowhere", "/login")  # fmt: skip


def wiki(folder: Path) -> Path:
    for name, text in WIKI.items():
        file = folder / "wiki" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "wiki" / "img").mkdir()
    (folder / "wiki" / "img" / "pier.png").write_bytes(PIXEL)
    (folder / "wiki" / "fake.png").write_text("<script>alert(1)</script>", encoding="utf-8")
    (folder / "secret.png").write_bytes(PIXEL)
    return folder / "wiki"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        store = small_store(folder)
        with Memory.open(store) as memory:
            memory.remember("We ship on Mondays", name="ship day", id="ship-1")
            memory.remember("We ship on Tuesdays", name="ship day", id="ship-2", replace=True)
            memory.remember(EVIL, name=f"x {EVIL}"[:80], why=EVIL, id='"><script>', by=EVIL)
            day = datetime(2026, 1, 1, tzinfo=UTC)
            memory.put(
                Document(f"many-{n}", "many", f"Of herons, {n}.", title=f"Row {n}", date=day)
                for n in range(MANY)
            )  # fmt: skip
            memory.remember("The dredger lies at nine", id="dredger-1",
                            meta={"page": "boats/dredger/berth"})  # fmt: skip
            memory.remember("The kiln is fired on Mondays", name="kiln day", id="kiln-1")
            memory.curate(f"The kiln is fired on Fridays. {EVIL}", title=f"Ovens {EVIL}",
                          facts=["The kiln is fired on Fridays"])  # fmt: skip
            memory.put(
                [Document("evil", "x", f"kestrel {EVIL}", title=f"kestrel {EVIL}", path=EVIL)]
            )
            memory.put([Document("wordy", "x", "Of the albatross.", title=TITLE, path=TITLE)])
            memory.remember("The albatross is away", name=TITLE[:200], id="wordy-fact")
            memory.add(wiki(folder), embed=False)
            memory.put([Document("talk", "chats", messages=TALK, kind="session", title="The pump",
                                 date=day),
                        Document("fork", "chats", messages=TALK[3:], kind="session", date=day,
                                 title="Another pump", meta={"parent": "talk", "relation": "fork"})
                        ])  # fmt: skip
    one = serve(store, folder / "home")
    yield one
    if one.process.poll() is None:
        one.end()


@pytest.fixture(scope="module")
def cookie(served: Served) -> dict[str, str]:
    said = served.address.ask("POST", "/login", f"token={served.address.token}",
                              Content_Type="application/x-www-form-urlencoded")  # fmt: skip
    return {"Cookie": said.headers["set-cookie"].partition(";")[0]}


def page(served: Served, cookie: dict[str, str], path: str) -> Said:
    said = served.address.ask("GET", path, **cookie)
    assert said.headers["content-type"] == "text/html; charset=utf-8"
    return said


# ------------------------------------------------------------------ markup


def test_a_text_is_never_markup() -> None:
    assert el("p", EVIL) == f"<p>{joined(EVIL)}</p>"
    assert "<script" not in joined(EVIL, [EVIL, (EVIL,)], el("a", EVIL, href=EVIL, title=EVIL))
    assert el("a", href='" onclick="x') == '<a href="&quot; onclick=&quot;x"></a>'
    assert "<img" not in passage(f"{EVIL}\n```\n{EVIL}\n```\n{EVIL}")
    with pytest.raises(TypeError):
        joined(object())


def test_nothing_is_left_out_but_none_and_false() -> None:
    assert el("p", None, False, "", 0, class_=None, hidden=True, data_id=0) == (
        '<p hidden data-id="0">0</p>'
    )
    assert url("/x", a="", b=None, c="1 2", d=["x", "y"]) == "/x?c=1+2&d=x&d=y"


def test_a_share_never_reads_as_certain_when_it_is_not() -> None:
    said = [share(p) for p in (1.0, 0.999, 0.5, 0.0432, 0.0001, 0.00001, 0.0)]
    assert said == ["100%", "100%", "50%", "4.3%", "0.01%", "<0.01%", "<0.01%"]


VOID = ("meta", "link", "input", "br", "hr", "img")


class Checker(HTMLParser):
    """What a reader of the markup relies on."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.fields: list[str] = []
        self.counts: dict[str, int] = {}
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        assert "style" not in given
        assert not [name for name in given if name.startswith("on")]
        if "svg" not in self.open:  # a drawing has titles of its own
            self.counts[tag] = self.counts.get(tag, 0) + 1
        self.ids += [given["id"] or ""] if "id" in given else []
        self.references += [given[n] or "" for n in ("href", "src", "action") if n in given]
        if tag == "label":
            self.labelled.add(given.get("for") or "")
        if tag in ("input", "select", "textarea") and given.get("type") != "hidden":
            self.fields.append(given.get("id") or "")
        if tag == "script":
            assert given.get("src")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", VIEWS)
def test_every_view_is_sound_markup_that_reaches_nothing_outside(
    served: Served, cookie: dict[str, str], path: str
) -> None:
    said = page(served, cookie, path)
    assert said.status in (200, 400, 404, 422)
    found = Checker()
    found.feed(said.text)
    assert not found.open
    assert len(found.ids) == len(set(found.ids))
    assert set(found.fields) <= found.labelled
    assert (found.counts["h1"], found.counts["main"], found.counts["title"]) == (1, 1, 1)
    own = [one for one in found.references if one != "https://example.org"]
    assert all(one.startswith(("/", "#")) and not one.startswith("//") for one in own)
    assert "<script>" not in said.text
    assert not re.search(r"<img (?!src=\"/image\?)", said.text)


@pytest.mark.parametrize("path", ["/?q=kestrel", "/memory", "/documents?kind=note&source=x",
                                  "/document?id=evil", "/?q=<script>alert(1)</script>",
                                  "/sessions?q=<script>", "/fact?id=%22%3E%3Cscript%3E",
                                  "/document?id=<script>", "/memory?done=<script>",
                                  "/?q=x&kind=<script>"])  # fmt: skip
def test_what_is_hostile_is_text(served: Served, cookie: dict[str, str], path: str) -> None:
    text = page(served, cookie, path.replace("<", "%3C").replace(">", "%3E")).text
    assert not re.search(r"<(script(?! src)|img(?! src=\"/image\?))", text)
    Checker().feed(text)


def test_the_explanation_of_a_result_sums_to_its_score(
    served: Served, cookie: dict[str, str]
) -> None:
    text = page(served, cookie, "/?q=harbor").text
    why = text.partition('class="why"')[2].partition("</details>")[0]
    parts = [float(n) for n in re.findall(r'class="number">([+-][\d.]+)<', why)]
    (total,) = re.findall(r"([+-][\d.]+) in all", why)
    assert abs(sum(parts) - float(total)) < 0.01 * (len(parts) + 1)
    for said in ("Where the cut fell", "Tokens", "Stages", "How this was found"):
        assert said in text


def test_first_paint_needs_under_100_kb(served: Served, cookie: dict[str, str]) -> None:
    for path in ("/", "/?q=harbor"):
        text = page(served, cookie, path)
        needed = re.findall(r'(?:src|href)="(/static/[^"]+)"', text.text)
        assert len(needed) == 3
        files = [served.address.ask("GET", one) for one in needed]
        assert all(one.status == 200 for one in files)
        assert len(text.body) + sum(len(one.body) for one in files) < 100_000


def test_a_day_of_the_calendar_leads_to_what_was_written_then(
    served: Served, cookie: dict[str, str]
) -> None:
    text = page(served, cookie, "/stats").text
    days = re.findall(r'<a href="(/documents\?since=([\d-]+)&amp;until=([\d-]+))"', text)
    (today,) = {place for place, first, last in days if first == last == max(d[1] for d in days)}
    listed = page(served, cookie, today.replace("&amp;", "&")).text
    assert "Ferry Guide" in listed
    assert "Row 1<" not in listed
    assert "By source" in text


def test_a_search_for_what_names_somebody(served: Served, cookie: dict[str, str]) -> None:
    text = page(served, cookie, "/?q=ferry&person=Ana").text
    titles = re.findall(r"<h2><a[^>]*>([^<]*)</a></h2>", text)
    assert set(titles) == {"Ferry Guide", "Ana"}


def test_names_and_folders_are_suggested(served: Served, cookie: dict[str, str]) -> None:
    served.address.post("record", kind="decision", body="Buy a pump.", author="Priya Raman")
    text = page(served, cookie, "/?q=ferry").text
    lists = dict(re.findall(r'<datalist id="(\w+)">(.*?)</datalist>', text))
    assert 'value="Priya Raman"' in lists["names"]
    assert 'value="people"' in lists["folders"]
    typed = page(served, cookie, "/?q=ferry&typed=words").text
    assert '<datalist id="names"></datalist>' in typed


def test_the_home_tells_where_things_stand(served: Served, cookie: dict[str, str]) -> None:
    served.address.post("remember", text="The jetty is closed", name="jetty", pinned=True)
    served.address.post("remember", text="Who has the boathouse key?", type="open_question")
    text = page(served, cookie, "/").text
    for said in ("Where you left off", "Pinned", "The jetty is closed", "Who has the boathouse key",
                 "Contradicts what was known", "The kiln is fired on Fridays",
                 "New this week", "Ferry Guide"):  # fmt: skip
        assert said in text


def test_empty_stores_say_what_to_do(tmp_path: Path) -> None:
    one = serve(tmp_path / "empty", tmp_path / "home")
    try:
        cookie = {"Authorization": f"Bearer {one.address.token}"}
        for path, said in (("/", "recollect add ~/notes"), ("/memory", "recollect remember"),
                           ("/documents", "recollect add ~/notes"), ("/stats", "No search"),
                           ("/sessions", "recollect add sessions"), ("/?q=x", "Nothing is known"),
                           ("/tree", "recollect curate FILE"), ("/imports", "Nothing was added"),
                           ("/review", "Nothing waits"), ("/receipts", "recollect curate FILE"),
                           ("/doctor", "Permissions")):  # fmt: skip
            answer = one.address.ask("GET", path, **cookie)
            assert answer.status == 200
            assert said in answer.text
            found = Checker()
            found.feed(answer.text)
            assert len(found.ids) == len(set(found.ids))
    finally:
        one.end()


def _cut_off(store: Path) -> None:
    whole = (store / "record.db").read_bytes()
    (store / "record.db").write_bytes(whole[:8192] + b"A" * (len(whole) - 8192))


@pytest.mark.parametrize("damage", [_cut_off, shutil.rmtree], ids=["damaged", "deleted"])
def test_broken_stores_are_told_of_in_every_view(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    (tmp_path / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
        store = small_store(tmp_path)
    one = serve(store, tmp_path / "home")
    try:
        damage(store)
        for path in VIEWS:
            said = one.address.ask("GET", path, Authorization=f"Bearer {one.address.token}")
            found = Checker()
            found.feed(said.text)
            assert not found.open
            assert said.status < 500 or "See what is wrong with the store" in said.text, path
        assert "fault" in one.address.get("/doctor").text
    finally:
        one.end()


def test_settings_tell_where_each_value_comes_from(served: Served, cookie: dict[str, str]) -> None:
    text = page(served, cookie, "/settings").text
    row = text.partition("<code>embed.model</code>")[2].partition("</tr>")[0]
    assert "<code>none</code>" in row
    assert "environment" in row
    assert "RECOLLECT_EMBED_MODEL" in row


def test_a_setting_is_changed_and_taken_back(served: Served, cookie: dict[str, str]) -> None:
    text = page(served, cookie, "/settings").text
    form = {"Content_Type": "application/x-www-form-urlencoded", **cookie}
    (csrf,) = set(re.findall(r'name="csrf" value="([^"]+)"', text))
    changed = f"csrf={csrf}&key=search.limit"
    done = served.address.ask("POST", "/settings/change", f"{changed}&set-search.limit=7", **form)
    assert done.status == 303
    text = page(served, cookie, done.headers["location"]).text
    row = text.partition("<code>search.limit</code>")[2].partition("</tr>")[0]
    assert "from the next start: <code>7</code>" in row
    wrong = served.address.ask("POST", "/settings/change", f"{changed}&set-search.limit=x", **form)
    assert wrong.status == 400
    assert "a whole number from 1 to 1000" in wrong.text
    served.address.ask("POST", "/settings/change", changed, **form)
    text = page(served, cookie, "/settings").text
    assert "from the next start: " not in text
    for name in ("store", "search.scopes", "llm.model", "nothing"):
        body = f"csrf={csrf}&key={name}&set-{name}=x"
        assert served.address.ask("POST", "/settings/change", body, **form).status in (400, 422)
        assert f'value="{name}"' not in text


def test_documents_are_paged(served: Served, cookie: dict[str, str]) -> None:
    path, seen = "/documents?source=many", []
    while path:
        text = page(served, cookie, path).text
        seen += re.findall(r">Row (\d+)<", text)
        more = re.search(r'<a href="([^"]+)"[^>]*>More</a>', text)
        path = more[1].replace("&amp;", "&") if more else ""
    assert len(seen) == len(set(seen)) == MANY


@pytest.mark.parametrize(
    ("file", "status"),
    [("img/pier.png", 200), ("../secret.png", 404), ("fake.png", 404), ("Tides.md", 404),
     ("nowhere.png", 404), ("%00.png", 404), ("/etc/passwd", 404)],
)  # fmt: skip
def test_only_pictures_in_the_folder_of_a_source_are_served(
    served: Served, cookie: dict[str, str], file: str, status: int
) -> None:
    said = served.address.ask("GET", f"/image?source=wiki&file={file}", **cookie)
    assert said.status == status
    assert said.body == (PIXEL if status == 200 else b"")


def test_names_of_pages_are_found_in_texts() -> None:
    assert (name_of("Retry policy"), name_of("Café Zürich")) == ("retry policy", "cafe zurich")
    assert (name_of("Notes"), name_of("of"), name_of("w " * 9)) == ("", "", "")
    said = named_in("By the RETRY policy, of Café Zürich.")
    assert {"retry policy", "cafe zurich"} <= said
    assert "policy of cafe" in said
    assert names_one("The retry policy.", ["retry policy"])
    assert not names_one("The retry policies.", ["retry policy"])


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def screen(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("there is no Chromium on this machine: `apt-get install chromium`")
    with browsing(tmp_path_factory.mktemp("profile")) as browser:
        browser.look()
        browser.open(served.link)
        assert browser.place == "/"
        yield browser


PICTURES = ROOT / ".cache" / "pictures"
"""Of every view, as it looked in the last run."""


def at(served: Served, path: str) -> str:
    return f"http://127.0.0.1:{served.address.port}{path}"


def test_a_search_by_keys_alone(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/doctor"))
    screen.press("/", loads=True)  # this view has no field of its own
    assert screen.focuses("q")
    screen.type("harbor")
    screen.press("Enter")
    assert screen.sees("document.title.startsWith('harbor')")
    assert screen.place == "/?q=harbor"
    assert "We deploy harbor on Fridays" in screen.text
    screen.press("j")
    assert screen.focuses("Deploying")
    screen.press("e")
    assert screen.run("document.querySelector('details.why').open") is True
    screen.press("Enter", loads=True)
    assert screen.place.startswith("/document?id=")
    screen.press("2", loads=True)
    assert screen.place == "/memory"
    screen.press("?")
    assert screen.run("document.getElementById('keys').open") is True
    screen.press("Escape")
    screen.open(at(served, "/?q=harbor"))
    screen.press("/")
    assert screen.focuses("q")
    screen.press("Escape")
    assert screen.run("document.activeElement === document.body") is True


def test_answers_come_while_one_types_and_back_leads_back(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/"))
    assert "New this week" in screen.text
    screen.run("window.kept = 1")  # as long as no page is loaded
    screen.type("ferry gui")
    assert screen.sees("document.querySelector('.result h2')?.innerText == 'Ferry Guide'")
    screen.type("de")
    assert screen.sees("location.search == '?q=ferry+guide'")
    screen.press("Enter")
    assert screen.sees("!document.querySelector('[aria-busy]')")
    screen.press("/")
    screen.type("harbor")
    screen.press("Enter")
    assert screen.sees("document.title.startsWith('harbor')")
    screen.run("history.back()")
    assert screen.sees("document.querySelector('#q').value == 'ferry guide'")
    assert screen.sees("document.querySelector('.result h2')?.innerText == 'Ferry Guide'")
    screen.run("history.back()")
    assert screen.sees("document.body.innerText.includes('New this week')")
    assert (screen.place, screen.run("window.kept")) == ("/", 1)


def test_filters_are_picked_and_what_is_named_opens_in_place(
    screen: Browser, served: Served
) -> None:
    screen.open(at(served, "/?q=ferry+guide&source=wiki&limit=1"))
    assert screen.run("document.querySelector('.filters').open") is True
    assert screen.run("document.querySelectorAll('.result').length") == 1
    screen.run("document.querySelector('.named summary').click()")
    assert screen.run("!!document.querySelector('.named[open] .prose mark')") is True
    screen.open(at(served, "/?q=herons"))
    before = screen.run("document.querySelectorAll('.also li').length")
    screen.click(".more a", loads=True)
    assert screen.run("document.querySelectorAll('.also li').length") > before
    assert "Show the best only" in screen.text
    screen.open(at(served, "/?q=ferry&path=people"))
    titles = screen.run("[...document.querySelectorAll('.result h2')].map(h => h.innerText).join()")
    assert titles == "Ana"


def test_j_and_k_go_through_a_list_and_stop_at_its_ends(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/documents?source=many"))
    screen.press("k")
    last = screen.focus
    assert last == "More"
    screen.press("j")
    assert screen.focus == last
    screen.press("k")
    assert screen.focus.startswith("Row ")


def test_facts_that_no_longer_hold_are_a_click_away(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/memory"))
    assert "We ship on Mondays" not in screen.text
    screen.click("p.more a", loads=True)
    assert screen.place == "/memory?every=1"
    assert "We ship on Mondays" in screen.text


def test_pin_edit_and_forget_a_fact(screen: Browser, served: Served) -> None:
    served.address.post("remember", text="We swim on Sundays", name="swim day", id="swim-1")
    screen.open(at(served, "/memory"))
    screen.run("[...document.querySelectorAll('a')].find(a => a.innerText == 'swim day').click()")
    screen.wait("Page.loadEventFired")
    screen.click("form[action='/fact/pin'] button", loads=True)
    assert "Pinned" in screen.text
    screen.click("details.editing summary")
    screen.run("document.getElementById('text').value = 'We swim on Saturdays'")
    screen.click("form[action='/fact/reword'] button", loads=True)
    assert "We swim on Saturdays" in screen.text
    assert "reworded" in screen.text
    screen.click("details.confirming summary")
    screen.click("form[action='/fact/forget'] button", loads=True)
    assert screen.place == "/memory?done=forgotten"
    assert "swim day" not in screen.text
    assert served.address.get("/api/get", id="swim-1").status == 404


def test_a_superseded_fact_leads_to_what_replaced_it(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/fact?id=ship-1"))
    assert "superseded" in screen.text
    screen.click(".timeline a", loads=True)
    assert screen.place == "/fact?id=ship-2"


def curated(served: Served, what: str) -> str:
    """A curation that replaces a fact, and waits for a look; the id of its receipt."""
    address = served.address
    address.post("remember", text=f"The {what} runs on Mondays", name=f"{what} day",
                 id=f"{what}-1")  # fmt: skip
    done = address.post("curate", text=f"The {what} runs on Fridays.",
                        facts=[f"The {what} runs on Fridays"]).json  # fmt: skip
    assert done["for_review"] == 1
    return str(done["id"])


def holds(served: Served, text: str) -> bool:
    return text in [
        one["text"] for one in served.address.get("/api/facts", limit=500).json["items"]
    ]


@pytest.mark.parametrize(("verdict", "said"), [("1", "Accepted"), ("", "Rejected")])
def test_what_waits_for_review_is_accepted_or_rejected(
    screen: Browser, served: Served, verdict: str, said: str
) -> None:
    what = f"backup{verdict}"
    receipt = curated(served, what)
    screen.open(at(served, "/review"))
    assert f"The {what} runs on Mondays" in screen.text
    assert f"The {what} runs on Fridays" in screen.text
    form = f"form:has([value='{receipt}']):has([name=accept][value='{verdict}'])"
    screen.click(f"{form} button", loads=True)
    assert said in screen.text
    assert f"The {what} runs" not in screen.text
    assert holds(served, f"The {what} runs on Fridays") is bool(verdict)
    assert holds(served, f"The {what} runs on Mondays") is not bool(verdict)


def test_a_curation_is_shown_and_taken_back(screen: Browser, served: Served) -> None:
    receipt = curated(served, "sweep")
    screen.open(at(served, "/receipts"))
    card = f"article:has(form [value='{receipt}'])"
    screen.run(f"document.querySelector(`{card} details`).open = true")
    assert "The sweep runs on Fridays" in screen.text
    screen.click(f"{card} .confirming summary")
    screen.click(f"{card} form button", loads=True)
    assert "Taken back" in screen.text
    assert holds(served, "The sweep runs on Mondays")
    assert not holds(served, "The sweep runs on Fridays")


def test_the_tree_leads_to_a_page_a_fact_and_back(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/memory"))
    screen.run("[...document.querySelectorAll('.tabs a')].find(a => /^Tree/.test(a.innerText))"
               ".click()")  # fmt: skip
    screen.wait("Page.loadEventFired")
    assert screen.place == "/tree"
    screen.run("[...document.querySelectorAll('.tree a')].find(a => a.innerText == 'Universal')"
               ".click()")  # fmt: skip
    screen.wait("Page.loadEventFired")
    assert screen.place == "/topic?at=misc%2Ffacts%2Funiversal"
    assert "We ship on Tuesdays" in screen.text
    screen.run("[...document.querySelectorAll('a')].find(a => a.innerText == 'ship day').click()")
    screen.wait("Page.loadEventFired")
    assert screen.place == "/fact?id=ship-2"
    screen.run("[...document.querySelectorAll('.about a')].at(-1).click()")
    screen.wait("Page.loadEventFired")
    assert screen.place == "/topic?at=misc%2Ffacts%2Funiversal"
    screen.click(".trail a", loads=True)
    assert screen.place == "/tree"


def test_a_page_of_the_tree_is_edited_and_nothing_of_it_is_lost(
    screen: Browser, served: Served, cookie: dict[str, str]
) -> None:
    screen.open(at(served, "/topic?at=boats/dredger/berth"))
    screen.click(".heading .button", loads=True)
    text = "document.getElementById('text').value"
    screen.run(f"{text} = {text}.replaceAll('at nine', 'at ten') + '- It is white {EVIL[:8]}\\n'")
    screen.click("form[action='/topic/save'] button", loads=True)
    assert screen.place == "/topic?at=boats%2Fdredger%2Fberth&done=edited"
    assert "The dredger lies at ten" in screen.text
    assert f"It is white {EVIL[:8]}" in screen.text
    screen.open(at(served, "/topic/edit?at=boats/dredger/berth"))
    served.address.post("reword", fact="dredger-1", text="The dredger lies at noon")
    screen.run(f"{text} = {text}.replaceAll('at ten', 'at dawn')")
    screen.click("form[action='/topic/save'] button", loads=True)
    assert "there it says: The dredger lies at noon" in screen.text
    assert "at dawn" not in str(screen.run(text))
    assert "at dawn" in screen.run("document.querySelector('main pre').textContent")
    screen.run(f"{text} = '---\\nmine'")
    screen.click("form[action='/topic/save'] button", loads=True)
    assert "the header does not end" in screen.text
    assert screen.run(text) == "---\nmine"
    assert holds(served, "The dredger lies at noon")
    body = "at=boats/dredger/berth&before=&text=x"
    form = {"Content_Type": "application/x-www-form-urlencoded", **cookie}
    assert served.address.ask("POST", "/topic/save", body, **form).status == 403


def test_the_history_of_a_fact_tells_who_did_what(screen: Browser, served: Served) -> None:
    served.address.post("remember", text="We row at dawn", name="rowing", id="row-1", why="cool")
    served.address.post("pin", fact="row-1", by="ana")
    served.address.post("reword", fact="row-1", text="We row at dusk", by="ben")
    screen.open(at(served, "/fact?id=row-1"))
    told = screen.run("document.querySelector('table').innerText")
    assert [
        word for word in ("added", "pinned", "ana", "reworded", "ben") if word not in told
    ] == []


def test_the_doctor_tells_what_it_looked_at(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/doctor"))
    for name in ("Store", "Text index", "Embeddings", "Models", "Settings", "This store"):
        assert name in screen.text
    assert "at fault" not in screen.text


def test_sessions_are_found_read_and_paged(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/sessions"))
    screen.press("/")
    screen.type("umlauts")
    screen.press("Enter", loads=True)
    assert "Why does the importer stop at umlauts?" in screen.text
    screen.press("j")
    screen.press("Enter", loads=True)
    assert "This is the beginning" in screen.text
    assert "It read Latin-1." in screen.text


def test_a_session_reads_like_a_chat(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/sessions?session=talk"))
    assert screen.run("document.querySelector('.message.user strong').innerText") == "pump"
    assert screen.run("document.querySelector('.fold summary').innerText").startswith("2 steps")
    assert screen.run("document.querySelector('.fold details').open") is False
    assert "zanzibar" not in screen.text
    screen.click("a.whole")
    assert screen.sees("document.body.innerText.includes('zanzibar')")
    assert screen.place == "/sessions?session=talk"
    screen.run("[...document.querySelectorAll('.tabs a')].find(a => a.innerText == 'Talk only')"
               ".click()")  # fmt: skip
    screen.wait("Page.loadEventFired")
    assert screen.run("document.querySelectorAll('.fold').length") == 0
    screen.open(at(served, "/?q=zanzibar"))
    screen.click(".result h2 a", loads=True)
    assert screen.run("location.hash") == "#found"
    assert screen.run("document.querySelector('#found mark').innerText") == "zanzibar"
    screen.open(at(served, "/sessions?session=talk&around=p3&q=stall"))
    assert screen.run("document.querySelector('.fold details').open") is True  # it was asked for


def test_the_lineage_of_a_session_is_drawn_and_followed(screen: Browser, served: Served) -> None:
    screen.open(at(served, "/sessions?session=fork"))
    rows = screen.run("[...document.querySelectorAll('.rails li')].map(one => one.innerText)")
    assert [row.split(" 2026")[0] for row in rows] == ["The pump", "Another pump fork"]
    assert screen.run("document.querySelectorAll('.rails polyline').length") == 1
    screen.click(".rails a:not([aria-current])", loads=True)
    assert screen.place == "/sessions?session=talk"
    screen.open(at(served, "/sessions?session=s1"))
    assert screen.run("document.querySelector('.rails')") is None


def test_a_note_is_read_and_its_links_are_followed_both_ways(
    screen: Browser, served: Served
) -> None:
    screen.open(at(served, "/document?id=Ferry+Guide.md"))
    assert "The ferry leaves at nine, says Ana; see Tides › High water" in screen.text
    assert "tags: [boats]" not in screen.text
    assert screen.run("document.querySelector('.prose table td.end').innerText") == "9"
    assert screen.run("document.querySelector('.prose pre b').innerText") == "return"
    screen.run("document.querySelector('.prose img').scrollIntoView()")
    wide = (
        "document.querySelector('.prose img').decode().then(() => document.images[0].naturalWidth)"
    )
    assert screen.run(wide) == 1
    assert screen.run("document.querySelectorAll('aside nav a').length") == 3
    assert "<script>" in screen.text
    screen.run("[...document.querySelectorAll('.prose a')].find(a => /^Tides/.test(a.innerText))"
               ".click()")  # fmt: skip
    screen.wait("Page.loadEventFired")
    assert screen.run("document.querySelector('h1').innerText") == "Tides"
    assert screen.run("document.querySelector(':target').innerText") == "High water"
    screen.run("[...document.querySelectorAll('aside a')].find(a => a.innerText == 'Ferry Guide')"
               ".click()")  # fmt: skip
    screen.wait("Page.loadEventFired")
    around = screen.run("document.querySelector('.arcs').innerText.replaceAll('\\n', '|')")
    assert around == "This page||Linked both ways|Ana|Tides"
    assert screen.run("document.querySelectorAll('.arcs path.own').length") == 2
    screen.click(".prose a.missing", loads=True)
    assert screen.place == "/?q=No+Such+Page"


def test_no_script_of_a_note_runs_and_nothing_outside_is_asked_for(
    screen: Browser, served: Served
) -> None:
    for path in ("/?q=kestrel", "/document?id=evil", "/memory", "/fact?id=%22%3E%3Cscript%3E"):
        screen.open(at(served, path))
        assert screen.run("window.evil") is None
        assert "onerror" in screen.text
    own = at(served, "/")
    assert all(one.startswith(own) for one in screen.requested() if one.startswith("http"))
    screen.run("document.body.append(Object.assign(document.createElement('script'),"
               "{textContent: 'window.evil = 1'}))")  # fmt: skip
    assert screen.run("window.evil") is None  # what gets in all the same, the policy keeps out


def test_what_is_shown_does_not_jump_and_the_script_stays_small(
    screen: Browser, served: Served
) -> None:
    shifts = (
        "new Promise(done => new PerformanceObserver(list => done(list.getEntries().reduce("
        "(sum, one) => sum + one.value, 0))).observe({type: 'layout-shift', buffered: true})"
        " || setTimeout(() => done(0), 100))"
    )
    needed = "performance.getEntries().reduce((sum, one) => sum + (one.decodedBodySize || 0), 0)"
    for path in VIEWS:
        screen.open(at(served, path))
        assert screen.run(shifts) < 0.1, path
    for path in ("/", "/?q=ferry+guide", "/document?id=Ferry+Guide.md", "/sessions?session=talk",
                 "/sessions?session=fork", "/stats", "/topic?at=boats/dredger/berth"):  # fmt: skip
        screen.open(at(served, path))
        size = (
            "performance.getEntriesByName(document.querySelector('script').src)[0].decodedBodySize"
        )
        assert 0 < screen.run(size) < 12_000
        assert 20_000 < screen.run(needed) < 100_000, path


def test_no_view_scrolls_sideways_on_a_narrow_screen(screen: Browser, served: Served) -> None:
    screen.look(wide=360)
    for path in VIEWS:
        screen.open(at(served, path))
        assert screen.run("document.documentElement.scrollWidth") <= 360, path
    screen.look()


def test_pictures_are_taken_of_every_view(screen: Browser, served: Served) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for dark, wide in ((False, 1280), (True, 1280), (False, 380)):
        screen.look(dark=dark, wide=wide)
        for path in VIEWS:
            screen.open(at(served, path))
            name = re.sub(r"\W+", "-", path).strip("-") or "search"
            file = PICTURES / f"{name}-{'dark' if dark else 'light'}-{wide}.png"
            screen.picture(file)
            assert file.stat().st_size > 5_000
    screen.look()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(screen: Browser, served: Served, dark: bool) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not there: `make axe` fetches it")
    script = AXE.read_text(encoding="utf-8")
    screen.look(dark=dark)
    for path in VIEWS:
        screen.open(at(served, path))
        screen.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        screen.run(f"{script}; 0")
        found: Any = screen.run(
            "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html + ' ' + "
            "n.failureSummary).slice(0, 3)]))"
        )
        assert found == [], (path, json.dumps(found, indent=1))
    screen.look()


def test_every_view_can_be_reached_from_every_other(screen: Browser, served: Served) -> None:
    for path, name in NAVIGATION:
        screen.open(at(served, path))
        current = screen.run("document.querySelector('header nav [aria-current]').innerText")
        assert current == name
    errors = [one for one in screen.complaints() if "status of 40" not in one]
    policy = [one for one in errors if "Content Security Policy" in one]
    assert errors == policy  # what the test of scripts tried on purpose, and no more
