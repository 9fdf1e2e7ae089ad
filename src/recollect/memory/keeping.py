"""What puts things into a store, and takes them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.arguments import clean, is_there, moment, names, place
from recollect.errors import InputError, ModelError, NotFound, UsageError
from recollect.memory.models import parallel_embedder, remember_folder
from recollect.memory.opened import Opened
from recollect.nouns import ChangeSet, Document, Forget, Progress, Receipt, Report, Source

if TYPE_CHECKING:
    from threading import Event as Stop

    from recollect.transfer.tree_export import Exported


class Keeping(Opened):
    """Documents: added, recorded, embedded, forgotten."""

    def add(
        self,
        *paths: str | Path,
        source: str | None = None,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        redact: bool | None = None,
        history: bool = True,
        prune: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        processes: int | None = None,
        report: Report = lambda _: None,
    ) -> Receipt:
        """Import files, folders, session logs, exports and repositories, each by what it is.
        Run again, it imports only what has changed, and tells what is no longer there; *prune*
        removes that.

        Text is searchable when this returns; vectors follow unless *embed* is false, newest
        first, and whatever is interrupted is continued by the next call. Secrets are taken out
        unless *redact* is false. A repository's commits come with it unless *history* is false.
        """
        from recollect.importing.importer import Importer
        from recollect.importing.options import Options

        if not paths:
            raise UsageError("nothing to add", hint="give a file or a folder")
        if not all(str(path) for path in paths):
            raise UsageError("a path is empty", hint="give a file or a folder")
        places = [place(path) for path in paths]
        if not any(map(is_there, places)) and not self.store.stats().sources:
            raise InputError(f"{paths[0]}: there is no such file or folder")
        options = Options(
            source, owner, scopes,
            redact=redact, history=history, prune=prune, dry_run=dry_run,
        )  # fmt: skip
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            report(Progress("importing", done, 0))

        receipt = Importer(self.store, self.config, options, progress).add(places)
        if dry_run:
            return receipt
        self.store.admin.refresh()
        if embed and self._embedder is not None:
            receipt = receipt._replace(embedded=self.embed(report, processes=processes))
        if self._embedder is not None and not receipt.embedded:
            receipt = receipt._replace(pending=self.status().pending)
        return receipt

    def export_tree(
        self,
        folder: str | Path,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        prune: bool = False,
        force: bool = False,
    ) -> Exported:
        """Write the context tree as Markdown, a file for each page with its facts, which people
        read and edit; :meth:`add` of the folder applies what they changed. Files that were edited
        since are left as they are unless *force* is true; those whose page is no more are removed
        if *prune* is."""
        from recollect.transfer.tree_export import export_tree

        if not str(folder):
            raise UsageError("the folder is empty", hint="give a folder for the tree")
        asked = self._asked(owner, scopes)
        return export_tree(self.store, place(folder), asked, prune=prune, force=force)

    def watch(
        self,
        *sources: str,
        tell: Callable[[str, Receipt], None] = lambda _source, _receipt: None,
        begun: Callable[[Sequence[str]], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> Sequence[str]:
        """Follow sources that are on disk (these, or all) and import what changes within two
        seconds, until *stop* is set: every place of each, as it was added. Returns which were
        followed."""
        from threading import Event

        from recollect.importing.watcher import Watched, watch, watched

        def add(one: Watched) -> Receipt:
            return self.add(one.place, source=one.source, redact=one.redact, history=one.history)

        places = watched(self.store.stats().sources)
        known = list(dict.fromkeys(p.source for p in places))
        for name in sources:
            if name not in known:
                hint = f"known: {', '.join(known) or 'none yet'}"
                raise NotFound(f"there is no source {name!r} to watch", hint=hint)
        followed = [name for name in known if name in sources or not sources]
        if followed:
            begun(followed)
            watch(
                [p for p in places if p.source in followed],
                add,
                lambda one, receipt: tell(one.source, receipt),
                stop or Event(),
            )
        return followed

    def record(
        self,
        kind: str,
        body: str,
        *,
        title: str = "",
        author: str = "",
        issue: str = "",
        branch: str = "",
        event: str = "",
        path: str = "",
        date: str | datetime | None = None,
        content: Any = None,
        id: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
    ) -> Document:
        """Keep one record: a ``discussion``, a ``decision``, an ``audit`` entry (what happened) or
        what a ``file`` is for."""
        from recollect.importing.redaction import redacted
        from recollect.sources.records import record
        from recollect.writing.documents import import_documents

        given, now = moment(date, "date"), datetime.now(UTC)
        made = record(
            kind, body=clean(body), title=clean(title), author=author, issue=issue, branch=branch,
            event=event, path=path, content=content, id=id, source="records",
            date=now if kind == "audit" and given is None else given,
            owner=owner or self.config["import.owner"],
            scopes=names(scopes) or self.config["import.scopes"],
        )  # fmt: skip
        if made.date is None:  # said twice it is still one record; two events are two
            made = made._replace(date=now)
        if self.config["import.redact"]:
            made = redacted(made)
        import_documents(self.store, Source("records", "records"), [made])
        return made

    def add_web(
        self,
        url: str,
        *,
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
    ) -> Document:
        """Keep a page of the web, as it is now: text alone, of the kind ``web``, with where it is
        from and when it was read. Read again, it replaces what was kept."""
        from recollect.importing.redaction import redacted
        from recollect.memory.web import SOURCE, as_document
        from recollect.writing.documents import import_documents

        page = self._the_web().page(clean(url))
        if not page.text:
            raise InputError(f"{page.url}: the page has no text")
        made = as_document(
            page, clean(url), owner=owner or self.config["import.owner"],
            scopes=names(scopes) or self.config["import.scopes"],
        )  # fmt: skip
        if self.config["import.redact"]:
            made = redacted(made)
        import_documents(self.store, Source(SOURCE, "web"), [made])
        self.store.admin.refresh()
        return made

    def put(self, documents: Iterable[Document]) -> Receipt:
        """Store documents that the caller has made."""
        from recollect.writing.documents import import_documents

        receipt = Receipt()
        by_source: dict[str, list[Document]] = {}
        for document in documents:
            by_source.setdefault(document.source, []).append(document)
        for name, some in by_source.items():
            receipt += import_documents(self.store, Source(name), some)
        return receipt

    def embed(self, report: Report = lambda _: None, *, processes: int | None = None) -> int:
        """Give every passage a vector, with several processes where that pays (or as many as
        are asked for). Returns how many were made."""
        from recollect.writing.embedding import WRITE, embed_pending

        if processes is not None and not 1 <= processes <= 64:
            raise UsageError(f"processes is {processes}", hint="give 1 to 64")
        if self._embedder is None:
            raise ModelError(self._why_no_embedder)
        total = self.status().pending
        if not total:
            return 0
        remember_folder(self.config, self._embedder.key)
        with parallel_embedder(self._embedder, total, processes) as (embedder, hands):
            return embed_pending(
                self.store,
                embedder,
                lambda done: report(Progress("embedding", done, total)),
                step=WRITE * hands,
            )

    def _embed_newest(self, most: int) -> None:
        """Give what was just written its vectors, and leave what waits from before to whoever
        goes on with it: that may be an hour's work."""
        from recollect.writing.embedding import embed_pending

        if self._embedder is not None:
            remember_folder(self.config, self._embedder.key)
            embed_pending(self.store, self._embedder, most=most)

    def embed_in_background(self) -> None:
        """Embed what is pending from now until :meth:`close`, beside everything else."""
        from recollect.writing.embedding import BackgroundEmbedder

        if self._embedder is not None and self._background is None:
            self._background = BackgroundEmbedder(self.store, self._embedder)

    def forget(self, name: str, *, owner: str | None = None) -> Receipt:
        """Remove a document or a fact for good, by its id or the id its source gave it. A later
        import does not bring it back."""
        document = self._one(name, owner)
        self._unlearn(document)
        if document.kind in ("fact", "page"):
            from recollect.writing.facts import FactWriter, Signed

            writer, signed = FactWriter(self.store, document.owner), Signed(datetime.now(UTC))
            if document.kind == "fact":
                receipt = writer.forget(document.external, signed)
            else:  # what links to it does no more
                gone = [Forget(document.id)]
                receipt = writer.edit([], {}, signed, more=lambda _: gone).receipt
            self.store.admin.refresh()
            return receipt
        receipt = self.store.apply(ChangeSet((Forget(document.id),)))
        self.store.admin.refresh()
        return receipt

    def _unlearn(self, document: Document) -> None:
        """Forget what was kept of a document elsewhere."""
        from recollect.memory.curate import unquote
        from recollect.reading.cache.recording import of_document

        self.store.answers.drop(of_document(document, self.store))
        unquote(self.store, document)
        if self._cache is not None:
            self._cache.clear()

    def rebuild(self) -> None:
        """Make the text and vector indexes anew from the record."""
        self.store.admin.refresh(rebuild=True)
