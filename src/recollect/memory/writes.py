"""What puts things into a store and takes them out, with the configuration where a call is
silent. The write path itself is :mod:`recollect.writing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

from recollect import facts
from recollect.arguments import checked, clean, is_there, moment, names, place
from recollect.errors import InputError, NotFound, RecollectError, StoreError, UsageError
from recollect.importing import importer, redaction, watcher
from recollect.importing import options as importing
from recollect.importing.sources import home_of
from recollect.memory import model_admin, requests, visible
from recollect.memory.core import Core
from recollect.memory.options import FactOptions, ImportOptions, RecordOptions, TextOptions
from recollect.models import worth
from recollect.nouns import (
    Document,
    Problem,
    Progress,
    Receipt,
    Report,
    Source,
    among,
    group_by,
    not_among,
    not_none,
)
from recollect.reading.cache import recording
from recollect.sources import records
from recollect.storage import walled
from recollect.text import redact
from recollect.text.support import gate
from recollect.writing import path, runner
from recollect.writing.curation import by_model, extract, slots
from recollect.writing.curation import curate as curation
from recollect.writing.facts import stored_fact
from recollect.writing.remember import NewFact

FILE = "file"
"""The channel of a text that is a file, whose name is its path."""
REMEMBERED, CURATED = 8, 256
"""Passages that get their vectors at once when a fact was written, or a text curated."""


def owner_and_scopes(core: Core, given: Mapping[str, Any]) -> dict[str, Any]:
    """Whose a document is: as the call says, else as it is configured."""
    return {
        "owner": given.get("owner") or core.asker,
        "scopes": names(given.get("scopes")) or core.config["import.scopes"],
    }


# ------------------------------------------------------------------ documents


def add(
    core: Core, paths: Sequence[str | Path], options: Mapping[str, Any], report: Report
) -> Receipt:
    """Imports files and folders, and embeds what is pending."""
    given = checked(options, ImportOptions)
    if not paths:
        raise UsageError("nothing to add", hint="give a file or a folder")
    if not all(map(str, paths)):
        raise UsageError("a path is empty", hint="give a file or a folder")
    places = list(map(place, paths))
    if not any(map(is_there, places)) and not core.store.stats().sources:
        raise InputError(f"{paths[0]}: there is no such file or folder")
    embed, threads = given.pop("embed", True), given.pop("threads", None)
    wanted = importing.ImportRequest(**given)
    done = 0

    def progress(more: int) -> None:
        nonlocal done
        done += more
        report(Progress("importing", done, 0))

    receipt = importer.Importer(core.store, core.config, wanted, progress).add(places)
    if wanted.dry_run:
        return receipt
    core.store.admin.refresh()
    if core.embedder is None:
        return receipt
    if embed:
        receipt += _embedded(core, report, threads)
    if not receipt.embedded:
        receipt = receipt._replace(pending=model_admin.status(core).pending)
    return receipt


def _embedded(core: Core, report: Report, threads: int | None) -> Receipt:
    """Gives what was stored its vectors. It is stored by now: a store that takes no vectors is told
    of, and fails nothing."""
    try:
        return Receipt(embedded=model_admin.embed(core, report, threads))
    except StoreError as error:
        said = f"{error.message}; `recollect doctor --fix` makes them"
        return Receipt(warnings=(Problem("vectors", said, "warning"),))


def put(core: Core, given: Iterable[Document]) -> Receipt:
    """Stores documents that the caller has made, source by source."""
    receipt = Receipt()
    for name, some in group_by(lambda document: document.source, given).items():
        receipt += path.add(core.store, Source(name), some)
    return receipt


def keep(core: Core, source: Source, document: Document) -> Document:
    """Stores one document, without its secrets if that is configured; returns it as stored."""
    if core.config["import.redact"]:
        document = redaction.redacted(document)
    path.add(core.store, source, [document])
    return document


def record(core: Core, kind: str, body: str, options: Mapping[str, Any]) -> Document:
    """Stores one project record."""
    given = checked(options, RecordOptions)
    embed = given.pop("embed", True)
    said, now = moment(given.pop("date", None), "date"), datetime.now(UTC)
    made = records.record(
        kind,
        body=clean(body),
        source="records",
        date=now if kind == "audit" and said is None else said,
        **{**given, "title": clean(given.get("title", "")), **owner_and_scopes(core, given)},
    )
    if made.date is None:  # said twice it is still one record; two events are two
        made = made._replace(date=now)
    kept = keep(core, Source("records", "records"), made)
    if embed:
        model_admin.embed_newest(core, REMEMBERED)
    return kept


def watch(
    core: Core,
    sources: Sequence[str],
    add: Callable[[watcher.WatchedPlace], Receipt],
    tell: Callable[[str, Receipt], None],
    begun: Callable[[Sequence[str]], None],
    stop: Event | None,
) -> Sequence[str]:
    """Follows sources on disk until *stop* is set; returns which were followed."""
    places = watcher.watched(core.store.stats().sources)
    known = list(dict.fromkeys(one.source for one in places))
    for name in not_among(sources, known):
        hint = f"known: {', '.join(known) or 'none yet'}"
        raise NotFound(f"there is no source {name!r} to watch", hint=hint)
    followed = [name for name in known if name in sources or not sources]
    if followed:
        begun(followed)
        watcher.watch(
            [one for one in places if one.source in followed],
            add,
            lambda one, receipt: tell(one.source, receipt),
            stop or Event(),
            follow_links=core.config["import.follow_links"],
        )
    return followed


# ------------------------------------------------------------------ facts

_MOMENTS = ("valid_from", "valid_to", "created_at", "resolved_at")


def remember_fact(core: Core, text: str, options: Mapping[str, Any]) -> facts.Remembered:
    """Stores a fact, or changes the one whose id is given: what is not given stays. A moment that
    is None is taken away."""
    given = checked(options, FactOptions)
    told = {**not_none(given), "text": text}
    owner = told.pop("owner", None)
    embed, redacts = told.pop("embed", True), bool(core.config["import.redact"])
    redacted = redactor(core)
    signed = {name: redacted(told.pop(name, "")) for name in ("by", "source")}
    replace = told.pop("replace", False)
    asked = requests.facts_asked(core, owner)
    limited = core.view.scopes is not None
    if limited and told.get("id"):
        _check_known(core, asked.owner, told["id"])
    told |= {name: moment(given[name], name) for name in among(_MOMENTS, given)}
    told |= {name: names(told[name]) for name in among(["scopes"], told)}
    told |= {name: list(told[name]) for name in among(["participants"], told)}
    how = {**signed, "replace": replace, "redact": redacts, "walled": limited}
    new = NewFact(told, asked.owner, core.config["import.scopes"], **how)
    made = path.remember(core.store, new, core.pairs)
    if embed and made.action in ("added", "changed"):
        model_admin.embed_newest(core, REMEMBERED)
    return made


def _check_known(core: Core, owner: str, id: str) -> None:
    """Refuses an id that no fact in sight has: one that is out of sight may have it."""
    if stored_fact(core.store, owner, id) is None:
        raise NotFound(f"there is no fact {id!r}", hint=walled.NEW_FACT)


def curate(
    core: Core,
    text: str,
    options: Mapping[str, Any],
    token: runner.Token | None,
    tell: Callable[[runner.Outcome], None],
) -> curation.Curated:
    """Makes facts and pages of a text."""
    given = checked(options, TextOptions)
    redacted = redactor(core)
    told = _as_imported(core, _text_of(core, redacted(clean(text)), given))
    if given.get("facts") is not None:
        told = told._replace(**curation.handed_in(given["facts"], told.text, redacted)._asdict())
    extractor = given.get("extractor") or _extractor(core, bool(given.get("llm")))
    dry_run = given.get("dry_run", False)
    done = path.curate(
        told,
        core.store,
        extractor,
        pairs=core.pairs,
        dry_run=dry_run,
        token=token,
        tell=tell,
    )
    if given.get("embed", True) and done.id:
        model_admin.embed_newest(core, CURATED)
    return done


def _as_imported(core: Core, told: slots.SourceText) -> slots.SourceText:
    """Returns the text of a file under the name that an import gave it, so that there is one
    document of the file; as it is, if no import has it as a note or it was curated before."""
    home = home_of(core.store.stats().sources, Path(told.name)) if told.channel == FILE else None
    if home is None or core.store.get(slots.document_of(told).id, body=False):
        return told
    same = told._replace(source=home.source.name, name=home.path_of(told.name), origin=home.origin)
    there = core.store.get(slots.document_of(same).id, body=False)
    is_note = any(one.kind == "note" and one.scopes == told.scopes for one in there)
    return same if is_note else told


def _extractor(core: Core, llm: bool) -> slots.Extractor:
    """What reads facts from a text: the language model if it is to, else the sentence model."""
    if llm:
        return by_model.ByModel(core.languages.llm(), gate.by_meaning(core.embedder))
    return extract.BySentences(worth.SentenceModel(core.embedder))


def redactor(core: Core) -> Callable[[str], str]:
    """What takes secrets out of a text, if that is configured."""
    if not core.config["import.redact"]:
        return str
    return lambda text: redact.redact(text).text


def _text_of(core: Core, text: str, given: Mapping[str, Any]) -> slots.SourceText:
    """The text and what is known of it."""
    redacted = redactor(core)
    told = ("name", "project", "by", "speaker")
    said = {name: redacted(given.get(name, "")) for name in told}
    return curation.source_text(
        text,
        **said,
        title=redacted(clean(given.get("title", ""))),
        source=given.get("source", "curated"),
        channel=given.get("channel", "text"),
        note=given.get("note", False),
        date=moment(given.get("date"), "date"),
        most=core.config["import.max_mb"],
        **owner_and_scopes(core, given),
    )


# ------------------------------------------------------------------ forgetting


def forget(core: Core, name: str, owner: str | None) -> Receipt:
    """Removes a document or a fact for good, and what was kept of it elsewhere."""
    document, store = visible.document(core, name, owner), core.store
    receipt = path.forget(store, document, recording.of_document(document, core.engine))
    receipt = receipt._replace(warnings=tuple(_emptied(core)))
    store.admin.refresh()
    return receipt


def _emptied(core: Core) -> Iterator[Problem]:
    """Empties the cache of answers, for they quote what is forgotten. The document is gone by now:
    a cache that cannot be emptied is told of, and fails nothing."""
    try:
        core.clear_caches()
    except RecollectError as error:
        said = f"{error.message}; what was forgotten may be in it"
        yield Problem("the cache of answers", said, "warning")
