"""Facts, and the curation that makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.arguments import clean, moment, names
from recollect.errors import UsageError
from recollect.memory.keeping import Keeping
from recollect.nouns import MAX_LIMIT, JsonObject

if TYPE_CHECKING:
    from recollect.facts import Fact, FactPage, Remembered
    from recollect.memory.curate import Curated
    from recollect.transfer.tree_export import Topic
    from recollect.writing.curation.receipts import Kept
    from recollect.writing.curation.slots import Extractor
    from recollect.writing.curation.tidy import Proposal
    from recollect.writing.runner import Outcome, Token


_REMEMBERED, _CURATED = 8, 256
"""Passages that get their vectors at once when a fact was written, or a text curated."""


class Knowing(Keeping):
    """Facts: remembered, curated, changed, replaced, reviewed."""

    def curate(
        self,
        text: str,
        *,
        name: str = "",
        title: str = "",
        source: str = "curated",
        project: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        date: str | datetime | None = None,
        facts: Iterable[JsonObject | str] | None = None,
        extractor: Extractor | None = None,
        llm: bool = False,
        by: str = "",
        speaker: str = "",
        note: bool = False,
        channel: str = "text",
        embed: bool = True,
        dry_run: bool = False,
        token: Token | None = None,
        tell: Callable[[Outcome], None] = lambda _: None,
    ) -> Curated:
        """Make lasting facts and pages of a text: what it decides, defines, prefers, promises and
        asks. Rules read it, unless *facts* are handed in, the language model is to (*llm*), or
        another *extractor* is. *date* is when
        it was written: what is newer takes the place of what is older. *speaker* is ``user`` where
        somebody tells of themselves, and a *note* was written to be kept. Everything that changes
        is in the receipt; :meth:`undo` takes it back. A dry run changes nothing.
        """
        from recollect.memory.curate import curate, given, handed_in

        def redacted(said: str) -> str:
            if not self.config["import.redact"]:
                return said
            from recollect.text.redact import redact

            return redact(said).text

        told = given(
            redacted(clean(text)), name=name, title=clean(title), source=source, project=project,
            by=by, channel=channel, speaker=speaker, note=note,
            owner=owner or self.config["import.owner"],
            scopes=names(scopes) or self.config["import.scopes"], date=moment(date, "date"),
            most=self.config["import.max_mb"],
        )  # fmt: skip
        if facts is not None:
            told = told._replace(facts=handed_in(facts, told.text, redacted))
        if llm and extractor is None:
            from recollect.writing.curation.by_model import ByModel

            extractor = ByModel(self.llm())
        done = curate(told, self.store, extractor, dry_run=dry_run, token=token, tell=tell)
        if embed and done.id:
            self._embed_newest(_CURATED)
        return done

    def receipts(self, *, limit: int = 20, owner: str | None = None) -> Sequence[Kept]:
        """What curations did, newest first."""
        from recollect.writing.curation.receipts import receipts

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} receipts")
        return receipts(self.store, self._asked(owner, None).owner, limit=limit)

    def undo(self, receipt: str = "", *, owner: str | None = None) -> Kept:
        """Restore the state before a curation, by the id of its receipt; the last one's if none is
        given. What was forgotten since stays forgotten."""
        from recollect.memory.curate import undone

        return undone(self.store, self._asked(owner, None).owner, receipt)

    def to_review(self, *, owner: str | None = None) -> Sequence[Kept]:
        """Receipts with changes that replace or contradict something, and wait for a look."""
        from recollect.writing.curation.receipts import waiting

        return waiting(self.store, self._asked(owner, None).owner)

    def review(
        self, receipt: str, *ids: str, accept: bool, owner: str | None = None, by: str = ""
    ) -> Kept:
        """Accept or reject what waits in a receipt: these facts, or all. What is rejected goes, and
        what it had replaced holds again."""
        from recollect.writing.curation import receipts

        kept = receipts.receipt(self.store, self._asked(owner, None).owner, receipt)
        if accept:
            return receipts.accept(self.store, kept, ids)
        return receipts.reject(self.store, kept, ids, datetime.now(UTC), by)

    def tidy(self, *, owner: str | None = None) -> Sequence[Proposal]:
        """What could be merged, linked or pruned, with reasons. Nothing is done."""
        from recollect.writing.curation.tidy import proposals

        return proposals(self.store, self._asked(owner, None).owner)

    def remember(
        self,
        text: str,
        *,
        name: str = "",
        aliases: Sequence[str] = (),
        type: str = "fact",
        why: str = "",
        owner: str | None = None,
        scopes: Sequence[str] | None = None,
        pinned: bool = False,
        standing: str | None = None,
        valid_from: str | datetime | None = None,
        valid_to: str | datetime | None = None,
        supersedes: Sequence[str] = (),
        superseded_by: Sequence[str] = (),
        created_at: str | datetime | None = None,
        resolved_at: str | datetime | None = None,
        participants: Sequence[Any] = (),
        meta: JsonObject | None = None,
        id: str = "",
        by: str = "",
        source: str = "",
        replace: bool = False,
        embed: bool = True,
    ) -> Remembered:
        """Keep a fact, or change the one that has this *id*.

        Without an id, what is already known in these words is not kept twice. Facts that the new
        one contradicts are told as conflicts, and superseded if *replace* is true. *by* and
        *source* go into its provenance.
        """
        from recollect.writing.remember import remember

        asked = self._asked(owner or self.config["import.owner"], None)
        known = names(scopes if scopes is not None else self.config["import.scopes"]) or ()
        if not known:
            raise UsageError("scopes is empty, so nothing could ever see it",
                             hint="leave scopes out to keep it as `universal`")  # fmt: skip
        told = {
            "id": id, "text": text, "name": name, "aliases": aliases, "type": type, "why": why,
            "pinned": pinned, "standing": standing, "supersedes": supersedes,
            "superseded_by": superseded_by, "participants": list(participants), "meta": meta,
            "valid_from": moment(valid_from, "valid_from"),
            "valid_to": moment(valid_to, "valid_to"),
            "created_at": moment(created_at, "created_at"),
            "resolved_at": moment(resolved_at, "resolved_at"),
        }  # fmt: skip
        made = remember(
            self.store, told, asked.owner, known, by=by, source=source, replace=replace,
            redact=bool(self.config["import.redact"]),
        )  # fmt: skip
        if embed and made.action in ("added", "changed"):
            self._embed_newest(_REMEMBERED)
        return made

    def fact(self, name: str, *, owner: str | None = None) -> Fact:
        """One fact, by its id or a name that is its alone, in force or not."""
        from recollect.writing.remember import find

        return find(self.store, self._asked(owner, None).owner, clean(name))

    def facts(
        self,
        *,
        limit: int = 20,
        cursor: str = "",
        every: bool = False,
        scopes: Sequence[str] | None = None,
        owner: str | None = None,
        types: Sequence[str] | None = None,
        as_of: str | datetime | None = None,
    ) -> FactPage:
        """Facts in force, newest first; *every* one also when it is superseded or expired."""
        from recollect.writing.remember import listed

        if not 1 <= limit <= MAX_LIMIT:
            raise UsageError(f"limit is {limit}", hint=f"ask for 1 to {MAX_LIMIT} facts")
        asked = self._asked(owner, scopes, types, as_of)
        return listed(self.store, asked, limit=limit, cursor=cursor, every=every)

    def alias(self, fact: str, *aliases: str, owner: str | None = None, by: str = "") -> Fact:
        """Teach a fact further names."""
        if not aliases:
            raise UsageError("no alias is given", hint="give the fact and its new names")
        new = tuple(map(clean, aliases))
        return self._change(
            fact, owner, by, "alias " + ", ".join(new)[:200],
            lambda f: f._replace(aliases=tuple(dict.fromkeys((*f.aliases, *new)))),
        )  # fmt: skip

    def pin(
        self, fact: str, *, pinned: bool = True, owner: str | None = None, by: str = ""
    ) -> Fact:
        """Pin a fact, so that every context has it, or unpin it."""
        said = "pinned" if pinned else "unpinned"
        return self._change(fact, owner, by, said, lambda f: f._replace(pinned=pinned))

    def reword(
        self, fact: str, text: str, *, owner: str | None = None, by: str = "", embed: bool = True
    ) -> Fact:
        """Say a fact in other words. Its names, its time and what it replaced stay as they are;
        what it said before does not: to keep that, :meth:`remember` a new one instead."""
        from recollect.text.redact import redact
        from recollect.text.statements.in_force import standing

        said = clean(text)
        said = redact(said).text if self.config["import.redact"] else said
        speaks = standing(said).status
        done = self._change(
            fact, owner, by, "reworded", lambda f: f._replace(text=said, standing=speaks)
        )
        if embed:
            self._embed_newest(_REMEMBERED)
        return done

    def topics(
        self, *, owner: str | None = None, scopes: Sequence[str] | None = None
    ) -> dict[str, Topic]:
        """The pages of the context tree by their addresses, each with the facts that are on it, in
        force or not."""
        from recollect.transfer.tree_export import topics

        asked = self._asked(owner, scopes)
        return topics(self.store, asked.owner, asked.scopes)

    def timeline(self, fact: str, *, owner: str | None = None) -> Sequence[Fact]:
        """A fact, what it replaced and what replaced it, oldest first."""
        from recollect.writing.remember import chain, find

        return chain(self.store, find(self.store, self._asked(owner, None).owner, clean(fact)))

    def resolve(
        self, question: str, *, at: str | datetime | None = None, owner: str | None = None,
        by: str = "", why: str = "",
    ) -> Fact:  # fmt: skip
        """Close an open question."""
        when = moment(at, "at") or datetime.now(UTC)
        return self._change(
            question, owner, by, "resolved", lambda f: f._replace(resolved_at=when), why
        )

    def supersede(
        self, old: str, new: str, *, owner: str | None = None, by: str = "", why: str = ""
    ) -> Fact:
        """Let the fact *new* replace the fact *old*. Returns the new one."""
        from recollect.writing.facts import FactWriter, Signed
        from recollect.writing.remember import find

        whose = self._asked(owner, None).owner
        older, newer = (find(self.store, whose, clean(name)) for name in (old, new))
        signed = Signed(datetime.now(UTC), by, why)
        return FactWriter(self.store, whose).supersede(older.id, newer.id, signed).facts[0]

    def _change(
        self, name: str, owner: str | None, by: str, action: str, to: Callable[[Fact], Fact],
        why: str = "",
    ) -> Fact:  # fmt: skip
        from recollect.writing.facts import FactWriter, Signed
        from recollect.writing.remember import find

        whose = self._asked(owner, None).owner
        fact = find(self.store, whose, clean(name))
        signed = Signed(datetime.now(UTC), by, why)
        return FactWriter(self.store, whose).change(fact.id, to, action, signed)
