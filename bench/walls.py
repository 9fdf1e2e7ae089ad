"""Non-interference: two stores that differ only behind a wall answer every call alike, to the byte.

Random stores of two owners and four scopes are made in pairs. Both hold the same within the wall
(``ana``, in ``work`` and ``team``); outside they hold different things, which change between calls.
Every surface is asked the same: the library, the tools of MCP, the HTTP API and the page.
What is random or of the moment (hex names, times, durations, places) is renamed in the order in
which it comes; everything else has to be equal.

    python -m bench.walls --calls 20000
    python -m bench.walls --calls 2000 --engine plain
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID, uuid4

import numpy as np

from bench import servers
from recollect import Memory, storage
from recollect import config as settings
from recollect.errors import RecollectError
from recollect.memory.models import pairs_for
from recollect.nouns import Document, Message
from recollect.ports import PairModel, StorageEngine
from recollect.storage.embedded import text_search, vector_index
from recollect.surfaces import tools
from recollect.surfaces.http.app import app
from recollect.surfaces.http.guard import AccessControl
from recollect.surfaces.http.work import ServerLimits
from recollect.surfaces.operations import CHANGING, LOOKING
from recollect.text import tokens
from recollect.text.pairs import PairJudgement
from recollect.writing import facts, remember

if TYPE_CHECKING:
    from recollect.ports import Vectors

WORDS = (
    "otter plan budget harbour door code deploy friday server window paint boat kraken invoice "
    "meeting garden lease password oslo lisbon rent doctor piano ticket train"
).split()
TOKEN = "walls-" + "0" * 40
PAGES = ("/", "/memory", "/documents", "/tree", "/review", "/receipts", "/sessions", "/stats")


class Words:
    """A model of words: near is what shares them."""

    key = "words@1"

    def reads(self, text: str) -> bool:
        return bool(text)

    speaks = reads

    def embed_query(self, text: str) -> Any:
        made = np.zeros(32, np.float32)
        for word in re.findall(r"[a-z]+", text.lower()):
            made[sum(map(ord, word)) * 7 % 32] += 1
        return made / (np.linalg.norm(made) or 1)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        return np.array([self.embed_query(text) for text in texts], np.float32)


# ------------------------------------------------------------------ what is kept

Deed = Callable[[Memory], object]


class Random:
    """Random things to keep and to ask; two of the same seed are the same."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.chosen = self._rng.choice
        self.chance = self._rng.random

    def words(self, least: int = 2, most: int = 6) -> str:
        return " ".join(self._rng.choices(WORDS, k=self._rng.randint(least, most)))

    def number(self, most: int) -> int:
        return self._rng.randrange(most)

    def day(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(days=self.number(60))

    def deed(self, owner: str, scopes: Sequence[str]) -> Deed:
        """Something to write for this owner, in some of these scopes."""
        scope = sorted({self.chosen(scopes), self.chosen(scopes)})
        whose: dict[str, Any] = {"owner": owner, "scopes": scope}
        name, text, day = f"n{self.number(30)}", self.words(5, 30), self.day()
        title, more = self.words(1, 3), self.words(3, 9)
        about: dict[str, Any] = {"owner": owner, "scopes": tuple(scope), "date": day}
        source, pinned = self.chosen(("notes", "wiki")), self.chance() < 0.3
        notes = Document(f"{name}.md", source, text, title=title, path=f"{name}.md", **about)
        talk = Document(
            f"talk-{name}",
            "talks",
            messages=(
                Message("user", f"What about the {more}?", f"m-{name}", day),
                Message("assistant", f"It is {text}.", f"a-{name}", day),
            ),
            kind="session",
            **about,
        )
        deeds: list[Deed] = [
            lambda m: m.put([notes]),
            lambda m: m.put([notes]),
            lambda m: m.put([talk]),
            lambda m: m.remember(f"The {title} is {more}", name=title, pinned=pinned, **whose),
            lambda m: m.remember(f"Who has the {title}?", type="open_question", **whose),
            lambda m: m.curate(f"We decided to {more}. The {title} is {text}.", name=name, **whose),
            lambda m: m.record("decision", f"Decided: {more}", title=title, **whose),
        ]
        return self.chosen(deeds)


class SharedPairs:
    """The pair model, loaded once for all stores: what two texts are to each other depends on
    nothing but them, and to compute it takes most of the time otherwise."""

    def __init__(self, model: PairModel) -> None:
        self.key, self.encoder = model.key, model.encoder
        self._vector = cache(lambda text: model.vectors([text])[0])
        self._judged = cache(lambda one, other: model.judge([(one, other)])[0])

    def vectors(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._vector(text) for text in texts])

    def judge(self, texts: Sequence[tuple[str, str]]) -> list[PairJudgement]:
        return [self._judged(*pair) for pair in texts]


@cache
def shared_pairs() -> SharedPairs | None:
    model = pairs_for(settings.load(), Words())
    return SharedPairs(model) if model else None


class Side:
    """One of the two stores, with a caller behind the wall and somebody outside it."""

    def __init__(self, engine: StorageEngine, place: str, wall: Mapping[str, Any]) -> None:
        self._engine, self._place = engine, place
        self.caller = self._seen(wall)
        self.others = [self._seen({"search.owner": "ben"})]
        if "search.scopes" in wall:
            self.others.append(self._seen({"search.owner": "ana", "search.scopes": "home"}))
        self.site = app(
            self.caller, AccessControl(TOKEN), limits=ServerLimits(rate=0, seconds=60.0)
        )
        self._names: dict[str, str] = {}

    def _seen(self, wall: Mapping[str, Any]) -> Memory:
        quiet: dict[str, Any] = {"embed.model": "none", "rerank.model": "none"}
        own = {name.replace("search", "import"): value for name, value in wall.items()}
        config = settings.load({**quiet, "store": self._place, **wall, **own})
        answers = storage.open_cache("memory://", 50)
        memory = Memory(self._engine, config, Words(), cache=answers)
        memory.core.pairs = shared_pairs()
        return memory

    def close(self) -> None:
        self._engine.close()

    def same(self, said: str) -> str:
        """Returns what was said with all that is random or of the moment renamed."""
        said = said.replace(self._place, "PLACE")
        said = _TIMES.sub("TIME", said)
        said = _DURATIONS.sub("DURATION", said.replace('": ', '":'))
        return _NAMES.sub(lambda m: self._names.setdefault(m[0], f"NAME{len(self._names)}"), said)

    def ask(self, method: str, path: str, body: object = None) -> str:
        """One request of HTTP, in this process."""
        sent = json.dumps(body).encode() if body is not None else b""
        where, _, query = path.partition("?")
        headers = {
            "host": "127.0.0.1",
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
        }
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": where,
            "raw_path": where.encode(), "query_string": query.encode(), "scheme": "http",
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
            "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 9), "root_path": "",
        }  # fmt: skip
        got: list[Any] = []

        async def run() -> None:
            waiting = [{"type": "http.request", "body": sent, "more_body": False}]

            async def receive() -> Any:
                if waiting:
                    return waiting.pop()
                await asyncio.sleep(60)
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                got.append(message)

            await self.site(scope, receive, send)

        asyncio.run(run())
        text = b"".join(one.get("body", b"") for one in got[1:]).decode()
        return f"{got[0]['status']} {text}"


_TIMES = re.compile(
    rf"{datetime.now(UTC):%Y-%m-}\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"
)
_DURATIONS = re.compile(
    r'(?<="timing_ms":)[0-9.e-]+|(?<="ms":)[0-9.e-]+|(?<="age_seconds":)[0-9.e-]+'
    r'|\b[0-9.]+ m?s\b|<rect x="[0-9.]+" y="0" width="[0-9.]+"'
)
_NAMES = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{6}(?:[0-9a-f]{10}|[0-9a-f]{26})?(?![0-9a-zA-Z])")


# ------------------------------------------------------------------ what is asked

Call = Callable[[Side], object]


class Asked(NamedTuple):
    name: str
    call: Call


class Caller:
    """Random calls of every surface, by one who would like to see what is outside."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def name(self) -> str:
        """A name of something, inside, outside or nowhere."""
        r = self.rng
        n, scope = f"n{r.number(30)}", r.chosen(("work", "home", "team", "home-work"))
        made = (f"{n}.md", f"talk-{n}", f"{scope}-{n}", n, r.words(1, 2), f"m-{n}")
        ids = [
            Document(f"{n}.md", source, owner=owner).id
            for source in ("notes", "wiki")
            for owner in ("ana", "ben")
        ]
        return r.chosen((*made, *ids, f"{r.chosen(ids)}:0"))

    def limits(self) -> dict[str, Any]:
        r = self.rng
        every: dict[str, Any] = {
            "scopes": [r.chosen(("work", "home", "team"))],
            "kinds": [r.chosen(("note", "fact", "session", "page"))],
            "since": "2026-03-20",
        }
        return {name: value for name, value in every.items() if r.chance() < 0.3}

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Arguments for each tool."""
        r = self.rng
        asked, name, owner = r.words(1, 4), self.name(), r.chosen((None, "ana", "ben"))
        query = r.chosen((asked, f'"{asked}"', f"what is the {asked}?", f"{asked[:4]}*", asked))
        limits, listed = self.limits(), self.limits()
        found = {
            "search": {"query": query, **limits},
            "gather": {"query": query, **limits},
            "context": {"query": asked, **{k: v for k, v in limits.items() if k == "scopes"}},
            "sessions": r.chosen(({"query": asked}, {"session": name}, {}, {"session": name,
                                  "around": [f"m-n{r.number(30)}"]})),
            "get": {"id": name}, "list": {"limit": 1 + r.number(9), **listed},
            "forget": {"id": name}, "record": {"kind": "decision", "body": asked},
            "curate": {"text": f"We decided to {asked}."},
            "remember": r.chosen(({"text": f"The {asked} is {name}", "id": name},
                                  {"text": f"The {asked} is red", "replace": True},
                                  {"text": "x", "scopes": ["home"]})),
            "record_answer": {"query": query, "answer": "yes", "fingerprint": "0" * 32},
            "status": {}, "stats": {}, "facts": {"every": True}, "timeline": {"fact": name},
            "history": {"id": name}, "receipts": {}, "to_review": {},
            "pin": {"fact": name}, "reword": {"fact": name, "text": f"it is {asked}"},
            "undo": {},
        }  # fmt: skip
        if owner:
            found["library"] = {"owner": owner}
        return found

    def call(self) -> Asked:
        r, given = self.rng, self.arguments()
        ways = (self._tool, self._tool, self._http, self._library, self._library, self._page)
        return r.chosen(ways)(given)

    def _named(self, given: Mapping[str, Any]) -> tools.Tool:
        every = [*tools.TOOLS, *LOOKING, *CHANGING]
        seldom = [one for one in every if one.writes]
        often = [one for one in every if not one.writes and one.name in given]
        return self.rng.chosen(seldom if self.rng.chance() < 0.12 else often)

    def _tool(self, given: Mapping[str, Any]) -> Asked:
        tool = self._named({k: v for k, v in given.items() if k in tools.NAMED})
        if tool.name not in tools.NAMED:
            tool = tools.NAMED["search"]
        arguments = given[tool.name]

        def call(side: Side) -> object:
            reply = tools.answer(tool, arguments, lambda: side.caller)
            return [reply.text, reply.json]

        return Asked(f"mcp {tool.name}", call)

    def _http(self, given: Mapping[str, Any]) -> Asked:
        tool = self._named(given)
        arguments = given.get(tool.name, {})
        return Asked(
            f"http {tool.name}", lambda side: side.ask("POST", f"/api/{tool.name}", arguments)
        )

    def _page(self, given: Mapping[str, Any]) -> Asked:
        r = self.rng
        asked, name = given["search"]["query"], self.name()
        path = r.chosen(
            (
                *PAGES,
                f"/?{urlencode({'q': asked})}",
                f"/document?{urlencode({'id': name})}",
                f"/fact?{urlencode({'id': name})}",
                f"/sessions?{urlencode({'q': asked})}",
                f"/memory?{urlencode({'q': asked})}",
            )
        )
        return Asked(f"page {path.partition('?')[0]}", lambda side: side.ask("GET", path))

    def _library(self, given: Mapping[str, Any]) -> Asked:
        r, name, owner = self.rng, self.name(), given.get("library", {})
        other = self.name()
        limits = self.limits()
        table: dict[str, Callable[[Memory], Any]] = {
            "search": lambda m: m.search(given["search"]["query"], **limits, **owner),
            "search relaxed": lambda m: m.search(given["search"]["query"], relax=["kinds", "since"],
                                                 **limits),
            "gather": lambda m: m.gather(given["search"]["query"], **limits, **owner),
            "fact": lambda m: m.curation.fact(name, **owner),
            "timeline": lambda m: m.curation.timeline(name, **owner),
            "topics": lambda m: sorted(m.curation.topics(**owner)),
            "alias": lambda m: m.curation.alias(name, "the alias", **owner),
            "resolve": lambda m: m.curation.resolve(name, **owner),
            "supersede": lambda m: m.curation.supersede(name, other, **owner),
            "tidy": lambda m: m.curation.tidy(**owner),
            "history": lambda m: m.history(name, **owner),
            "forget": lambda m: m.forget(name, **owner),
            "list": lambda m: _all_pages(m, limits),
            "facts": lambda m: m.facts(every=True, limit=100, **owner),
            "status": lambda m: m.status(),
            "stats": lambda m: m.admin.stats().total.calls,
            "tune": lambda m: m.admin.tune(),
            "answers": lambda m: m.admin.answers(limit=50),
            "cache": lambda m: m.admin.cache_stats().entries,
            "sources": lambda m: m.admin.source_states(),
            "export": _exported,
            "recorded": lambda m: _recorded(m, given["search"]["query"]),
        }  # fmt: skip
        chosen = r.chosen([*table])
        return Asked(f"library {chosen}", lambda side: _json(table[chosen](side.caller)))


def _all_pages(memory: Memory, limits: Mapping[str, Any]) -> list[Any]:
    found, cursor = [], ""
    while True:
        page = memory.list(limit=3, cursor=cursor, **limits)
        found.append(page.as_json() if hasattr(page, "as_json") else page)
        cursor = page.cursor
        if not cursor:
            return found


def _exported(memory: Memory) -> object:
    with tempfile.TemporaryDirectory() as folder:
        memory.admin.export_tree(Path(folder) / "tree")
        files = sorted((Path(folder) / "tree").rglob("*.md"))
        return {str(f.relative_to(folder)): f.read_text() for f in files}


def _recorded(memory: Memory, question: str) -> object:
    found = memory.gather(question)
    kept = memory.record_answer(question, f"It is {question}.", found.fingerprint)
    return [kept.recorded, memory.search(question, cache=True).as_json()]


def _json(found: Any) -> Any:
    if hasattr(found, "as_json"):
        return found.as_json()
    if isinstance(found, list | tuple) and not hasattr(found, "_fields"):
        return list(map(_json, found))
    return found


def name_alike(number: int) -> None:
    """Has what is named at random from now on be named alike in both stores: also how long a name
    is, in tokens, is told."""
    rng = random.Random(number)
    for module in (remember, facts):
        vars(module)["uuid4"] = lambda: UUID(int=rng.getrandbits(128))


@contextmanager
def count_alike() -> Iterator[None]:
    """Has what is random count as equally many tokens in both stores, wherever tokens are counted:
    a fingerprint takes 11 to 31, and what there is room for beside it is told."""
    plain = tokens.count_tokens

    def alike(text: str) -> int:
        return plain(_NAMES.sub("name", text))

    def swap(one: Callable[[str], int], other: Callable[[str], int]) -> None:
        for module in [m for name, m in sys.modules.items() if name.startswith("recollect")]:
            if vars(module).get("count_tokens") is one:
                vars(module)["count_tokens"] = other

    swap(plain, alike)
    try:
        yield
    finally:
        swap(alike, plain)


def said(side: Side, asked: Asked, number: int) -> str:
    """Returns all that a call tells, an error included; what is named at random is named alike."""
    name_alike(number)
    side.caller.models.embed(threads=1)  # what is made in the background is there at some time
    try:
        found = asked.call(side)
    except RecollectError as error:
        found = f"{type(error).__name__}: {error}"
    text = found if isinstance(found, str) else json.dumps(found, default=str, ensure_ascii=False)
    return side.same(text)


# ------------------------------------------------------------------ pairs of stores


class Difference(NamedTuple):
    seed: int
    call: str
    one: str
    other: str


@contextmanager
def small_indexes() -> Iterator[None]:
    """Has a few dozen passages do what otherwise thousands do."""
    kept = (text_search.TAIL, vector_index.SEGMENT_ROWS, vector_index.EXACT_ROWS)
    text_search.TAIL, vector_index.SEGMENT_ROWS, vector_index.EXACT_ROWS = 6, 8, 4
    try:
        yield
    finally:
        text_search.TAIL, vector_index.SEGMENT_ROWS, vector_index.EXACT_ROWS = kept


WALLS: tuple[Mapping[str, Any], ...] = (
    {"search.owner": "ana"},
    {"search.owner": "ana", "search.scopes": "team,work"},
)


def compared(
    seed: int, calls: int, opened: Callable[[str], tuple[StorageEngine, str]], kept: int = 24
) -> Iterator[tuple[str, Difference | None]]:
    """Yields for each of so many calls what was called, and how the answers of two stores differ
    that are the same within the wall."""
    wall = WALLS[seed % len(WALLS)]
    inside, outside = Random(seed), [Random(10 * seed + 1), Random(10 * seed + 2)]
    sides = [Side(*opened(f"store-{seed}-{n}"), wall) for n in (1, 2)]
    scopes = ("team", "work") if "search.scopes" in wall else ("team", "work", "home")

    def beyond(side: Side, rng: Random, most: int) -> None:
        """What somebody does meanwhile whom the caller must not notice."""
        for _ in range(rng.number(most + 1)):
            whose = [("ben", ("work", "home", "team")), ("ana", ("home",))][: len(side.others)]
            n = rng.number(len(whose))
            _done(rng.deed(*whose[n]), side.others[n])
            if rng.chance() < 0.2:
                side.others[n].search(rng.words(1, 3))

    try:
        for number in range(kept):
            deed = inside.deed("ana", scopes)
            for side, rng in zip(sides, outside, strict=True):
                beyond(side, rng, 3)
                name_alike(-number)
                _done(deed, side.caller)
        caller = Caller(inside)
        for number in range(calls):
            if inside.chance() < 0.2:
                for side, rng in zip(sides, outside, strict=True):
                    beyond(side, rng, 2)
            asked = caller.call()
            one, other = (said(side, asked, number) for side in sides)
            found = None if one == other else Difference(seed, asked.name, one, other)
            yield asked.name, found
    finally:
        for module in (remember, facts):
            vars(module)["uuid4"] = uuid4
        for side in sides:
            side.close()


def _done(deed: Deed, memory: Memory) -> None:
    with suppress(RecollectError):
        deed(memory)


# ------------------------------------------------------------------ the command


@contextmanager
def engines(kind: str) -> Iterator[Callable[[str], tuple[StorageEngine, str]]]:
    """Gives what opens a new store of this kind."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-walls-"))
    server = servers.start({}) if kind == "postgres" else None

    def opened(name: str) -> tuple[StorageEngine, str]:
        places = {"plain": "memory://", "embedded": str(folder / name)}
        if server is not None:
            schema = f"walls_{name.replace('-', '_')}"
            ends = "&" if "?" in server.url else "?"
            places["postgres"] = f"{server.url}{ends}schema={schema}&partitions=2"
        return storage.open_store(places[kind]), places[kind]

    try:
        yield opened
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if server is not None:
            server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.walls", description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000, help="in all")
    parser.add_argument("--each", type=int, default=100, help="calls of one pair of stores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="embedded", choices=("plain", "embedded", "postgres"))
    parser.add_argument("--show", type=int, default=3, help="differences that are shown")
    options = parser.parse_args()
    os.environ.setdefault("RECOLLECT_HOME", tempfile.mkdtemp(prefix="recollect-walls-home-"))
    made, differ = Counter[str](), Counter[str]()
    shown = 0
    with engines(options.engine) as opened, small_indexes(), count_alike():
        for n in range(-(-options.calls // options.each)):
            for name, found in compared(options.seed + n, options.each, opened):
                made[name] += 1
                if found is None:
                    continue
                differ[name] += 1
                shown += 1
                if shown <= options.show:
                    print(told(found))
    for name, count in sorted(differ.items(), key=lambda one: -one[1]):
        print(f"  {name}: {count:,} of {made[name]:,}")
    print(f"{differ.total():,} of {made.total():,} calls differ ({options.engine})")
    return int(bool(differ))


def told(found: Difference) -> str:
    at = next(
        (n for n, (a, b) in enumerate(zip(found.one, found.other, strict=False)) if a != b),
        min(len(found.one), len(found.other)),
    )
    around = slice(max(0, at - 150), at + 150)
    return f"seed {found.seed}, {found.call}:\n  {found.one[around]}\n  {found.other[around]}"


if __name__ == "__main__":
    raise SystemExit(main())
