"""The facade (:mod:`recollect.memory.memory`), and what can be done without opening a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as settings
from recollect.importing import contents, discovery
from recollect.memory import llm
from recollect.memory.memory import Memory, open_whole
from recollect.memory.models import (
    ModelState,
    check_setting,
    fetch_model,
    model_states,
    models_folder,
    named_on_the_spot,
    usable_model,
    verify_model,
)
from recollect.memory.options import Status
from recollect.models import costs as costs
from recollect.sources.sessions import format_of
from recollect.transfer import migrate
from recollect.transfer.backup import repair_store, restore_store

__all__ = [
    "Logs",
    "Memory",
    "ModelState",
    "Status",
    "check_setting",
    "fetch_model",
    "found_llm_servers",
    "found_logs",
    "found_notes",
    "is_log",
    "migrate_store",
    "model_states",
    "models_folder",
    "named_on_the_spot",
    "note_folders",
    "open_whole",
    "read_file",
    "read_texts",
    "repair_store",
    "restore_store",
    "usable_llm",
    "usable_model",
    "verify_model",
]

if TYPE_CHECKING:
    from recollect.importing.discovery import Logs
    from recollect.models.costs import Advised as Advised
    from recollect.models.llm.servers import LlmServer as LlmServer
    from recollect.nouns import Document, Problem, Report
    from recollect.reading.gather import Bundle as Bundle
    from recollect.reading.sessions.results import SessionsAnswer as SessionsAnswer
    from recollect.reading.think.thought import Thought as Thought
    from recollect.reading.think.thought import ThoughtEvent as ThoughtEvent
    from recollect.transfer.migrate import Migration
    from recollect.writing.curation.curate import Curated as Curated
    from recollect.writing.curation.receipts import CurationReceipt as CurationReceipt


def found_logs() -> Iterator[Logs]:
    """The session logs that clients keep on this machine."""
    return discovery.found_logs()


def note_folders() -> Iterator[Path]:
    """Folders that may hold notes, likeliest first."""
    return discovery.note_folders()


def found_notes(folder: Path) -> Logs | None:
    """The notes in a folder and below it, if there are any."""
    return discovery.found_notes(folder)


def read_file(path: Path) -> Document:
    """A file as an import reads it, of which a curation takes the text, the title and the date."""
    return contents.read_file(path, settings.load()["import.max_mb"] * 1_000_000)


def read_texts(path: Path) -> Iterator[Document | Problem]:
    """What is in a file as a curation reads it: each conversation of a log, else the file."""
    return contents.read_texts(path, settings.load()["import.max_mb"] * 1_000_000)


def is_log(path: Path) -> bool:
    """Whether a file is the log of an agent's conversations."""
    return format_of(path) is not None


def found_llm_servers() -> Sequence[LlmServer]:
    """The servers of language models that run on this machine. Looking connects to their ports on
    the loopback interface."""
    return llm.found_servers()


def usable_llm(config: settings.Config, name: str) -> str:
    """The value of ``llm.model`` that chooses a language model by *name*."""
    return llm.usable_llm(config, name)


def migrate_store(
    source: str | Path,
    to: str | Path,
    *,
    merge: bool = False,
    report: Report = lambda _: None,
) -> Migration:
    """Copy everything of one store (a folder or a URL) into another: documents, facts and sessions
    with their vectors, histories, what was forgotten, recorded answers, and the figures of use. The
    target has to be empty, or what an earlier run that was cut off has begun; with *merge* it may
    hold other things, which stay as they are. What was copied is compared with what it is from."""
    return migrate.migrate_store(source, to, merge=merge, report=report)
