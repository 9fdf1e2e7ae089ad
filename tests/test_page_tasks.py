"""Twenty tasks of somebody who has never seen the page, done with the mouse and with the keys
alone, in Chromium. A picture of each is left in ``.cache/pictures/tasks``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the SDK is not installed: `pip install 'recollect[server]'`")

from browser import Browser, browsing, program
from http_client import QUIET, Served, serve
from recollect import Document, Memory, Message
from recollect.surfaces.commands.demo import SAMPLES

PICTURES = Path(__file__).parent.parent / ".cache" / "pictures" / "tasks"
TALK = (
    Message("user", "Why does the importer stop at umlauts?", "t1"),
    Message("tool", "src/read.py: encoding='latin-1'", "t2"),
    Message("assistant", "It reads Latin-1. Use **UTF-8**.", "t3"),
    Message("user", "Do that, and leave the rest.", "t4"),
)
HANDS = ("mouse", "keys")


class Hand:
    """A person at the page who uses the mouse, or nothing but keys."""

    def __init__(self, screen: Browser, served: Served, name: str) -> None:
        self.screen, self.name = screen, name
        self._own = f"http://127.0.0.1:{served.address.port}"
        self.post = served.address.post
        self.folder = served.store.parent

    @property
    def is_mouse(self) -> bool:
        return self.name == "mouse"

    def open(self, path: str) -> None:
        self.screen.open(self._own + path)

    def take(self, selector: str, *, loads: bool = True) -> None:
        """A click, or Tab to it and Enter."""
        if self.is_mouse:
            return self.screen.point(selector, loads=loads)
        self.screen.reach(selector)
        return self.screen.press("Enter", loads=loads)

    def view(self, name: str) -> None:
        """The entry of the navigation, or its digit."""
        views = self.screen.run(
            "[...document.querySelectorAll('.top nav a')].map(a => a.innerText)"
        )
        place = views.index(name) + 1
        if self.is_mouse:
            return self.screen.point(f".top nav li:nth-child({place}) a", loads=True)
        self.screen.press("Escape")
        return self.screen.press(str(place), loads=True)

    def link(self, said: str, *, within: str = "main", loads: bool = True) -> None:
        """The link or button that says this."""
        script = (
            f"(() => {{ for (const one of document.querySelectorAll('{within} a, {within} button,"
            f" {within} summary')) if (one.innerText?.trim().startsWith({json.dumps(said)}) &&"
            " one.getClientRects().length) { one.dataset.here = ''; return true } return false })()"
        )
        self.screen.run(
            "document.querySelectorAll('[data-here]').forEach(a => delete a.dataset.here)"
        )
        assert self.screen.run(script) is True, said
        self.take("[data-here]", loads=loads)

    def write(self, selector: str, text: str) -> None:
        """Into a field, in the place of what is there."""
        if self.is_mouse:
            self.screen.point(selector)
        else:
            self.screen.reach(selector)
        self.screen.run("document.activeElement.select()")
        self.screen.type(text)

    def ask(self, question: str) -> None:
        if self.is_mouse:
            self.write("#q", question)
            self.screen.point(".asking button")
        else:
            self.screen.press("Escape")
            self.screen.press("/")
            self.screen.type(question)
            self.screen.press("Enter")
        assert self.sees(f"document.title.startsWith({json.dumps(question)})")
        assert self.sees("!document.querySelector('#answer[aria-busy]')")

    def choose(self, selector: str, value: str) -> None:
        """An option; the list that a browser opens for it is its own, and is not driven."""
        if not self.is_mouse:
            self.screen.reach(selector)
        self.screen.run(f"document.querySelector('{selector}').value = {json.dumps(value)}")

    def sees(self, condition: str) -> bool:
        return self.screen.sees(condition)

    def reads(self, text: str) -> bool:
        return self.sees(f"document.body.innerText.includes({json.dumps(text)})")

    @property
    def place(self) -> str:
        return self.screen.place


# ------------------------------------------------------------------ the tasks


def find_an_answer(hand: Hand) -> None:
    hand.open("/")
    hand.ask("when does the release train leave")
    assert hand.reads("Weekly release train")
    assert hand.sees("!!document.querySelector('.result mark')")


def open_it_and_go_back(hand: Hand) -> None:
    hand.open("/?q=rotate+signing+keys")
    hand.link("Rotate signing keys", within=".result")
    assert hand.place.startswith("/document?id=")
    hand.screen.run("history.back()")
    assert hand.sees("!!document.querySelector('.result')")


def follow_a_link(hand: Hand) -> None:
    hand.open("/document?id=runbooks/deploy-harbor-api.md")
    hand.link("adr-006-weekly-release-train", within=".prose")
    assert hand.sees("document.querySelector('h1').innerText == 'Weekly release train'")


def see_what_leads_here(hand: Hand) -> None:
    hand.open("/document?id=team/people.md")
    hand.link("On-call rotation", within=".arcs")
    assert hand.sees("document.querySelector('h1').innerText.startsWith('On-call rotation')")


def jump_to_a_section(hand: Hand) -> None:
    hand.open("/document?id=runbooks/deploy-harbor-api.md")
    hand.link("Going back", within="aside nav", loads=False)
    assert hand.sees("document.querySelector(':target')?.innerText == 'Going back'")


def see_why(hand: Hand) -> None:
    hand.open("/?q=rotate+signing+keys")
    hand.link("Why", within=".result", loads=False)
    assert hand.reads("in all, which is")


def see_all_that_was_found(hand: Hand) -> None:
    hand.open("/?q=tide+gauge")
    before = hand.screen.run("document.querySelectorAll('.also li').length")
    hand.link("Show all")
    assert hand.sees(f"document.querySelectorAll('.also li').length > {before}")
    assert hand.reads("Show the best only")


def look_into_what_is_only_named(hand: Hand) -> None:
    hand.open("/?q=Jonas&limit=1")
    hand.take(".named summary", loads=False)
    assert hand.sees("!!document.querySelector('.named[open] .prose')")
    hand.link("Open it", within=".named[open]")


def filter_by_kind_and_person(hand: Hand) -> None:
    hand.open("/")
    hand.take(".filters summary", loads=False)
    hand.choose("#kind", "decision")
    hand.write("#person", "Priya")
    hand.ask("sessions")
    assert "kind=decision" in hand.place
    kinds = "[...document.querySelectorAll('.result .badge')].every(b => b.innerText == 'decision')"
    assert hand.sees(kinds)


def filter_by_date(hand: Hand) -> None:
    hand.open("/documents")
    hand.choose("#since", "2026-02-01")
    hand.choose("#until", "2026-02-28")
    hand.link("Show")
    dates = (
        "[...document.querySelectorAll('.documents time')].map(one => one.innerText.slice(0, 7))"
    )
    assert set(hand.screen.run(dates)) == {"2026-02"}


def pin_a_fact(hand: Hand) -> None:
    hand.post("remember", text=f"We swim by {hand.name}", name=f"swim day {hand.name}")
    hand.open("/memory")
    hand.link(f"swim day {hand.name}")
    hand.link("Pin")
    assert hand.reads("Pinned: every context has it now.")
    hand.view("Search")
    assert hand.sees("document.querySelector('.home').innerText.includes('swim day')")


def correct_a_fact(hand: Hand) -> None:
    hand.post("remember", text="We row at dawn", id=f"row-{hand.name}")
    hand.open(f"/fact?id=row-{hand.name}")
    hand.link("Edit", loads=False)
    hand.write("#text", f"We row at dusk, by {hand.name}")
    hand.link("Save")
    assert hand.reads(f"We row at dusk, by {hand.name}")
    assert hand.reads("reworded")


def _curated(hand: Hand, what: str) -> None:
    hand.post("remember", text=f"The {what} is at 9:00", name=f"{what} time", id=f"{what}-1")
    hand.post(
        "curate", text=f"The {what} is at 10:00.", facts=[f"The {what} is at 10:00"], title=what
    )


def decide_what_waits(hand: Hand) -> None:
    _curated(hand, f"standup of {hand.name}")
    hand.open("/")
    hand.link("Decide about")
    assert hand.reads(f"The standup of {hand.name} is at 10:00")
    hand.link("Accept")
    assert hand.reads("Accepted.")


def take_a_curation_back(hand: Hand) -> None:
    _curated(hand, f"lunch of {hand.name}")
    hand.open("/receipts")
    hand.link("Take back", within="li:first-child .confirming", loads=False)
    hand.take("li:first-child .confirm button")
    assert hand.reads("Taken back: all is as it was before.")


def edit_a_page(hand: Hand) -> None:
    address = f"project/boats/{hand.name}"
    with Memory.open(hand.folder / "store") as memory:
        memory.remember("The dredger is red", id=f"red-{hand.name}", meta={"page": address})
    hand.open("/tree")
    hand.link(hand.name.capitalize(), within=".tree")
    hand.link("Edit")
    before = hand.screen.run("document.getElementById('text').value")
    hand.write("#text", before.replace("is red", "is blue") + "- It draws two metres.\n")
    hand.link("Save")
    assert hand.reads("The dredger is blue")
    assert hand.reads("It draws two metres.")


def import_a_folder(hand: Hand) -> None:
    notes = hand.folder / f"notes of {hand.name}"
    notes.mkdir()
    (notes / "heron.md").write_text(f"# Heron\n\nHerons of {hand.name} stand still.\n")
    hand.open("/")
    hand.view("Imports")
    hand.write("#path", str(notes))
    hand.link("Import")
    done = f"one.innerText.includes('{notes.name}') && one.querySelector('.badge.good')"
    assert hand.sees(f"[...document.querySelectorAll('.import')].some(one => {done})")
    hand.view("Search")
    hand.ask(f"herons of {hand.name}")
    assert hand.reads("stand still")


def read_a_session(hand: Hand) -> None:
    hand.open("/sessions")
    hand.write("#q", "importer umlauts")
    hand.link("Find")
    hand.link("Importer and umlauts")
    assert hand.reads("It reads Latin-1. Use UTF-8.")
    hand.take(".fold summary", loads=False)
    assert hand.reads("encoding='latin-1'")
    hand.link("What was asked")
    assert hand.sees("!document.querySelector('.message.assistant')")


def follow_a_lineage(hand: Hand) -> None:
    hand.open("/sessions?session=second")
    hand.link("Importer and umlauts", within=".rails")
    assert hand.place == "/sessions?session=first"


def look_at_a_month(hand: Hand) -> None:
    hand.view("Stats")
    hand.link("Month by month", loads=False)
    hand.take("[aria-label='Month by month'] tbody a")
    assert hand.place.startswith("/documents?since=")
    assert hand.sees("document.querySelectorAll('.documents tbody tr').length > 0")


def change_a_setting(hand: Hand) -> None:
    hand.open("/settings")
    hand.take("tr:has([id='set-search.limit']) summary", loads=False)
    hand.write("[id='set-search.limit']", "7")
    hand.take("tr:has([id='set-search.limit']) form button")
    assert hand.reads("from the next start: 7")
    hand.take("tr:has([id='set-search.limit']) summary", loads=False)
    hand.take("tr:has([id='set-search.limit']) form:last-child button")
    assert hand.reads("Taken back")


TASKS: tuple[Callable[[Hand], None], ...] = (
    find_an_answer, open_it_and_go_back, follow_a_link, see_what_leads_here, jump_to_a_section,
    see_why, see_all_that_was_found, look_into_what_is_only_named, filter_by_kind_and_person,
    filter_by_date, pin_a_fact, correct_a_fact, decide_what_waits, take_a_curation_back,
    edit_a_page, import_a_folder, read_a_session, follow_a_lineage, look_at_a_month,
    change_a_setting,
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if program() is None:
        pytest.skip("there is no Chromium on this machine: `apt-get install chromium`")
    folder = tmp_path_factory.mktemp("tasks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(folder / "home"))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        now = datetime.now(UTC)
        with Memory.open(folder / "store") as memory:
            memory.add(SAMPLES / "vault", embed=False)
            first = Document("first", "agents", messages=TALK, kind="session",
                             title="Importer and umlauts", date=now - timedelta(3))  # fmt: skip
            meta = {"parent": "first", "relation": "continuation"}
            memory.put([first, first._replace(external="second", title="Importer, continued",
                                              date=now, meta=meta)])  # fmt: skip
            memory.put(
                Document(f"tide-{n}", "tides", f"Of the tide gauge, {n}.", title=f"Tide {n}")
                for n in range(60)
            )
    one = serve(folder / "store", folder / "home", HOME=str(folder))
    yield one
    one.end()


@pytest.fixture(scope="module")
def screen(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as browser:
        browser.look()
        browser.open(served.link)
        yield browser


@pytest.mark.parametrize("name", HANDS)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_stranger_can(
    screen: Browser, served: Served, task: Callable[[Hand], None], name: str
) -> None:
    task(Hand(screen, served, name))
    PICTURES.mkdir(parents=True, exist_ok=True)
    screen.picture(PICTURES / f"{TASKS.index(task) + 1:02}-{task.__name__}-{name}.png", whole=False)
    errors = [one for one in screen.complaints() if not re.search(r"status of 40\d", one)]
    assert errors == []
