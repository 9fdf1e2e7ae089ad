"""OpenClaw: ``agents/<agent>/agent/openclaw-agent.sqlite`` in its state folder, and the
``sessions/*.jsonl`` of before it.

Either way a session is a header and then entries, each of which names its parent: a tree of which
the branch of the last entry is the conversation, and what hangs elsewhere was taken back. An entry
whose parent is not there goes on from the one before it, so that a lost line costs only itself.
Transcripts that were archived are compressed and are not read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import (
    Format,
    Read,
    Relation,
    Session,
    environment,
    first_object,
    moment,
    readable_lines,
    unknown,
)
from recollect.sources.sessions.database import (
    AppDatabase,
    Needs,
    Piece,
    Row,
    called,
    cell,
    holds,
    is_database,
    read,
    start,
    title,
    turns,
)
from recollect.sources.sessions.turns import speaker, text_of, whole
from recollect.sources.values import dig, nonempty, objects

PATTERN = "**/openclaw-agent.sqlite"
NEEDS: Needs = {"transcript_events": ("session_id", "seq", "event_json")}
_WINDOW = tuple(
    (
        "session_id session_key previous_session_id reason parent_session_key spawned_by "
        "display_name channel model"
    ).split()
)
_NODE = tuple(
    (
        "session_key current_session_id label display_name parent_session_key spawned_by "
        "archived_at"
    ).split()
)
_METADATA = re.compile(
    r"\s*(?:[^\n]{1,200}\(untrusted[^\n)]*\):\n```json\n(?>.*?\n```)\s*)+", re.DOTALL
)
"""What a channel puts before the words of the one who wrote."""
_STAMP = re.compile(r"\A\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]*\][ \t]*")
_INJECTED = re.compile(
    r"\s*(?:System(?: \(untrusted\))?: \[|Read HEARTBEAT\.md|\[cron:|"
    r"A new session was started via|Pre-compaction memory flush)"
)
_STAND_INS = frozenset({"delivery-mirror", "gateway-injected"})
_PASSED_OVER = frozenset(
    "custom label leaf reset thinking_level_change session_info model_change".split()
)
_REASONS: dict[Any, Relation] = {"compaction": "compaction", "fork": "fork", "rewind": "fork"}
"""Why a session follows another one, and what it is therefore."""


class _SessionRow(NamedTuple):
    """What the tables beside the transcript know of a session."""

    id: Any
    title: str = ""
    parent: str = ""
    relation: Relation = ""
    model: str = ""
    channel: str = ""
    archived: bool = False


def _listed(store: AppDatabase) -> Iterator[_SessionRow]:
    archives = ("session_id", "generation")
    for row in store.rows("session_transcript_archives", archives, "session_id"):
        which = f"{cell(row['session_id'])}/{cell(row['generation'])}"
        store.leave_out("archived transcripts are compressed, and were not read", which)
    windows = {row["session_id"]: row for row in store.rows("session_windows", _WINDOW, "rowid")}
    nodes = {row["session_key"]: row for row in store.rows("session_nodes", _NODE, "rowid")}
    events = store.rows("transcript_events", ("session_id",), "session_id, seq")
    for id in dict.fromkeys(row["session_id"] for row in events):
        window = windows.get(id, dict.fromkeys(_WINDOW))
        node = nodes.get(window["session_key"], dict.fromkeys(_NODE))
        parent, relation = _lineage(window, node, nodes)
        yield _SessionRow(
            id=id,
            title=cell(node["label"] or node["display_name"] or window["display_name"]),
            parent=parent,
            relation=relation,
            model=cell(window["model"]),
            channel=cell(window["channel"]),
            archived=bool(node["archived_at"]),
        )


def _lineage(window: Row, node: Row, nodes: dict[Any, Row]) -> tuple[str, Relation]:
    above = cell(window["previous_session_id"])
    relation = _REASONS.get(window["reason"], "")
    if above and relation:
        return above, relation
    links = (window["spawned_by"], node["spawned_by"])
    parents = (window["parent_session_key"], node["parent_session_key"])
    spawner = next(filter(None, (*links, *parents)), None)
    if spawner in nodes:
        return cell(nodes[spawner]["current_session_id"]), "subagent"
    return "", ""


def _session(store: AppDatabase, known: _SessionRow) -> Session:
    def entries() -> Iterator[dict[str, Any]]:
        wanted = ("seq", "event_json")
        for row in store.rows("transcript_events", wanted, "seq", "session_id", known.id):
            where = f"{cell(known.id)}/{cell(row['seq'])}"
            yield from objects([store.parsed(row["event_json"], "transcript_events", where)])

    return _conversation(known, entries(), store.unknown)


def _lines(path: Path) -> Read:
    """Yields the session of a ``.jsonl`` file, as earlier versions kept it."""
    problems: list[Problem] = []
    strange: Counter[str] = Counter()

    def entries() -> Iterator[dict[str, Any]]:
        for _, record in readable_lines(path):
            if isinstance(record, Problem):
                problems.append(record)
            else:
                yield record

    session = _conversation(_SessionRow(path.stem), entries(), strange)
    if session.messages:
        yield session
    yield from problems
    yield from unknown(path, strange)


def _conversation(
    known: _SessionRow, entries: Iterable[dict[str, Any]], strange: Counter[str]
) -> Session:
    header: dict[str, Any] = {}
    id = cell(known.id)
    tree = _EntryTree()
    for number, entry in enumerate(entries):
        if entry.get("type") == "session":
            header = header or entry
            id = whole(cell(header.get("id"))) or id
            continue
        own = f"{id}:{whole(cell(entry.get('id'))) or number}"
        pieces = _pieces(entry, known.relation == "subagent", strange)
        said = tuple(turns(own, moment(entry.get("timestamp")), pieces))
        tree.grow(entry, _Node(said, _name(entry), _model(entry)))
    branch, rewound = tree.branch()
    messages = list(chain.from_iterable(node.messages for node in branch))
    names = [known.title, *filter(None, map(attrgetter("name"), branch))]
    models = [known.model, *filter(None, map(attrgetter("model"), branch))]
    parent = Path(cell(header.get("parentSession"))).name.removesuffix(".jsonl")
    return Session(
        id=id,
        messages=tuple(messages),
        title=title(names[-1], messages),
        date=start(header.get("timestamp"), messages),
        parent=whole(parent) or known.parent,
        relation="fork" if parent else known.relation,
        folder=whole(cell(header.get("cwd"))),
        model=whole(models[-1]),
        meta=nonempty(channel=known.channel, archived=known.archived, rewound=rewound),
    )


class _Node(NamedTuple):
    """The messages, the session name and the model that an entry holds."""

    messages: tuple[Message, ...]
    name: str
    model: str


class _EntryTree:
    """The nodes of one session, each with the index of its parent."""

    def __init__(self) -> None:
        self._nodes: list[tuple[_Node, int]] = []
        self._places: dict[str, int] = {}
        self._tip = -1

    def grow(self, entry: dict[str, Any], node: _Node) -> None:
        """Adds an entry below the parent that it names, else below the one before it."""
        if entry.get("type") == "leaf":
            self._tip = place = self._place(entry, "targetId")
        else:
            place = len(self._nodes)
            self._nodes.append((node, self._place(entry, "parentId")))
            if entry.get("appendMode") != "side":
                self._tip = place
        if id := cell(entry.get("id")):
            self._places.setdefault(id, place)

    def _place(self, entry: dict[str, Any], link: str) -> int:
        if link in entry and entry[link] is None:
            return -1
        return self._places.get(cell(entry.get(link)), self._tip)

    def branch(self) -> tuple[list[_Node], int]:
        """Returns the nodes from the root to the tip, and how many messages are on other
        branches."""
        nodes: list[_Node] = []
        place = self._tip
        while place >= 0:
            node, place = self._nodes[place]
            nodes.append(node)
        nodes.reverse()
        everything = sum(len(node.messages) for node, _ in self._nodes)
        return nodes, everything - sum(len(node.messages) for node in nodes)


def _name(entry: dict[str, Any]) -> str:
    return cell(entry.get("name")) if entry.get("type") == "session_info" else ""


def _model(entry: dict[str, Any]) -> str:
    if entry.get("type") == "model_change":
        return cell(entry.get("modelId"))
    model = cell(dig(entry, "message", "model"))
    return "" if model in _STAND_INS else model


def _pieces(entry: dict[str, Any], unattended: bool, strange: Counter[str]) -> Iterable[Piece]:
    kind, message = cell(entry.get("type")), entry.get("message")
    if kind == "message" and isinstance(message, dict):
        return _said(message, unattended, strange)
    if kind in _ENTRIES:
        return _ENTRIES[kind](entry)
    if kind not in _PASSED_OVER:
        strange[f"entry {kind}"] += 1
    return []


def _said(message: dict[str, Any], unattended: bool, strange: Counter[str]) -> Iterable[Piece]:
    role = cell(message.get("role"))
    if role == "user":
        return _users(message, text_of(message.get("content")), unattended)
    if role not in _SPEAK:
        strange[f"message {role}"] += 1
        return []
    return _SPEAK[role](message)


def _answer(message: dict[str, Any]) -> Iterator[Piece]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in objects(blocks):
        if block.get("type") == "text":
            yield "assistant", cell(block.get("text"))
        elif block.get("type") == "thinking":
            yield "thought", cell(block.get("thinking"))
        elif block.get("type") == "toolCall":
            yield called(block.get("name"), block.get("arguments"))


def _result(message: dict[str, Any]) -> Iterable[Piece]:
    return [("tool", text_of(message.get("content")))]


def _command(message: dict[str, Any]) -> Iterable[Piece]:
    return [("tool", f"{cell(message.get('command'))}\n{cell(message.get('output'))}")]


def _summary(message: dict[str, Any]) -> Iterable[Piece]:
    return [("summary", cell(message.get("summary")) or text_of(message.get("content")))]


def _context(message: dict[str, Any]) -> Iterable[Piece]:
    return [("context", text_of(message.get("content")))]


def _compaction(entry: dict[str, Any]) -> Iterable[Piece]:
    return [("summary", cell(entry.get("summary")))]


_SPEAK: dict[str, Callable[[dict[str, Any]], Iterable[Piece]]] = {
    "assistant": _answer,
    "toolResult": _result,
    "bashExecution": _command,
    "compactionSummary": _summary,
    "branchSummary": _summary,
    "custom": _context,
    "hookMessage": _context,
}
"""By the role of a message."""
_ENTRIES: dict[str, Callable[[dict[str, Any]], Iterable[Piece]]] = {
    "compaction": _compaction,
    "branch_summary": _compaction,
    "custom_message": _context,
}
"""By the type of an entry that is no message."""


def _users(message: dict[str, Any], text: str, unattended: bool) -> Iterator[Piece]:
    runtime = message.get("runtimeContext") or message.get("runtimeContextCarrier")
    origin = dig(message, "provenance", "kind")
    if unattended or runtime or origin not in (None, "external_user"):
        yield "context", text
        return
    if before := _METADATA.match(text):
        yield "context", before[0]
        text = text[before.end() :]
    text = _STAMP.sub("", text, count=1)
    yield speaker(text, _INJECTED), text


def _homes() -> list[Path]:
    """Returns the folder of the agents' databases, and the logs of agents that have none."""
    named = os.environ.get("OPENCLAW_STATE_DIR") or os.environ.get("CLAWDBOT_STATE_DIR")
    user = environment("OPENCLAW_HOME", "~")
    folders = [user / name for name in (".openclaw", ".clawdbot", ".moltbot")]
    if named:
        folders = [Path(named).expanduser()]
    return list(chain.from_iterable(map(_agents, folders)))


def _agents(folder: Path) -> Iterator[Path]:
    """The folder of all agents, and the logs of those that have no database."""
    yield folder / "agents"
    for agent in sorted(folder.glob("agents/*")):
        if not os.path.exists(agent / "agent" / "openclaw-agent.sqlite"):
            yield from sorted(agent.glob("sessions/*.jsonl"))


def _recognises(path: Path, head: bytes) -> bool:
    if holds(path, head, NEEDS, PATTERN):
        return True
    header = first_object(head)
    return header.get("type") == "session" and "id" in header and "timestamp" in header


def _read(path: Path) -> Read:
    if is_database(path) or ".jsonl" not in path.name:
        return read(path, "OpenClaw", NEEDS, _listed, _session)
    return _lines(path)


FORMAT = Format("openclaw", "OpenClaw", _recognises, _read, _homes, PATTERN)
