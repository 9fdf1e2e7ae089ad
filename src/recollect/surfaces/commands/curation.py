"""Commands for lasting knowledge: ``curate``, ``review``, ``undo``, ``prelude``, ``tidy``."""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from recollect import memory as facade
from recollect.errors import InputError, NotFound, RecollectError, UsageError
from recollect.nouns import Document, json_list, partition
from recollect.surfaces import terminal
from recollect.surfaces.commands.shared import (
    Options,
    exit_code,
    open_memory,
    print_json,
    say,
    show,
)
from recollect.surfaces.phrases import listing, minute, plural, some, when
from recollect.tree.subjects import folder_name, shared_subjects, subject_name

_WAITS = "`recollect review` shows what waits"
_READABLE = "name a file that is there and can be read"

# ------------------------------------------------------------------ curate


def declare_curate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="text to read, or a folder; - is standard input"
    )
    parser.add_argument("--text", help="the text itself, as you would say it")
    parser.add_argument(
        "--facts",
        metavar="FILE",
        help='what was read from it already: a JSON list of {"text", "type", "subject", "quote"}',
    )
    parser.add_argument("--llm", action="store_true", help="let the language model read it")
    parser.add_argument("--title", default="", help="what the text is called")
    parser.add_argument("--project", default="", help="what it belongs to: its pages go there")
    parser.add_argument("--date", metavar="WHEN", help="when it was written; else as the text says")
    parser.add_argument("--owner", help="whose knowledge it is")
    parser.add_argument("--scope", action="append", metavar="NAME", help="who may see it")
    parser.add_argument("--by", default="", help="who curates, for the provenance")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, as a diff")


def curate(options: Options) -> int:
    refused: list[InputError] = []
    given = _filed(list(_texts(options, refused)))
    if refused and not given:
        raise refused[0]
    for error in refused:
        say(options, str(error))
    if options.facts and len(given) > 1:
        raise UsageError("--facts goes with one text", hint="curate one file at a time")
    facts = _facts(options.facts) if options.facts else None
    done: list[facade.Curated] = []
    with open_memory(options) as memory:
        for text, about in given:
            made = memory.curate(
                text,
                facts=facts,
                llm=options.llm,
                owner=options.owner,
                scopes=options.scope,
                by=options.by,
                dry_run=options.dry_run,
                **about,
            )
            done.append(made)
            if made.failed:
                say(options, f"{made.about}: {made.failed}; no fact of it was written")
            if not options.json:
                show(options, {}, lambda style, made=made: _curated(made, style))  # type: ignore[misc]
    if options.json:
        print_json(done[0].as_json() if len(done) == 1 else {"texts": json_list(done)})
    if refused or any(made.failed or made.unread for made in done):
        return 1
    return exit_code(any(made.items or made.kept for made in done))


def _texts(options: Options, refused: list[InputError]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The texts, each with what is known of it; why a file is none is added to *refused*."""
    about = {"title": options.title, "date": options.date, "project": options.project}
    if options.text is not None:
        if options.files:
            raise UsageError("--text and a file at once", hint="give one of them")
        yield options.text, {**about, "speaker": "user", "note": True, "channel": "text"}
        return
    if not options.files:
        raise UsageError("nothing to curate", hint="give a file, - for standard input, or --text")
    for name in options.files:
        if name == "-":
            yield sys.stdin.read(), {**about, "channel": "stdin"}
            continue
        for path in _paths(Path(name).expanduser(), options):
            try:
                for read in facade.read_texts(path):
                    if isinstance(read, Document):
                        yield _read(read, path, options)
                    elif read.level == "failed":
                        refused.append(InputError(f"{read.where}: {read.reason}"))
            except InputError as error:
                refused.append(error)


_TEXTS = (".md", ".markdown", ".txt", ".rst")
_MOST_NAMED = 5


def _paths(path: Path, options: Options) -> list[Path]:
    """The file itself, or the texts and logs of a folder by their names. It is said which other
    files, but for hidden ones, are left out."""
    if not path.is_dir():
        return [path]
    files = sorted(one for one in path.rglob("*") if one.is_file())
    found, others = partition(lambda one: one.suffix in _TEXTS or facade.is_log(one), files)
    left = [str(name) for one in others if not _is_hidden(name := one.relative_to(path))]
    if not found:
        hint = "`recollect add` reads other files"
        raise InputError(f"{path}: there is no text in this folder", hint=hint)
    if left:
        named = ", ".join(left[:_MOST_NAMED]) + when(len(left) > _MOST_NAMED, ", …")
        say(options, f"{plural(len(left), 'file')} left out, which can be named: {named}")
    return found


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read(read: Document, path: Path, options: Options) -> tuple[str, dict[str, Any]]:
    """The text of a file, or of a conversation in it, with what is known of it."""
    title, date = options.title or read.title, options.date or read.date
    name, folder = str(path.resolve()), read.meta.get("folder", "")
    if read.kind == "session":
        name = f"{name}#{read.external}"
    about = {"title": title, "name": name, "date": date, "channel": "file"}
    project = options.project or folder_name(PurePath(folder).parts)
    named = project or subject_name(title)
    return read.text, {**about, "project": project or ("" if named else _project(path))}


def _project(path: Path) -> str:
    """What a text belongs to whose title names nothing: what its own name says in words, else the
    folder that it is in."""
    words = re.sub(r"[-_]+", " ", subject_name(path.stem)) if path.suffix in _TEXTS else ""
    named = subject_name(words) if words.replace(" ", "").isalpha() else ""
    return named or folder_name(path.resolve().parent.parts)


def _filed(given: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The texts with the subject that several of them share as what they belong to."""
    names = [about["project"] or subject_name(about["title"] or "") for _, about in given]
    shared = shared_subjects(names)
    found = [shared[name] if shared.get(name, name) != name else "" for name in names]
    return [
        (text, {**about, "project": subject or about["project"]})
        for (text, about), subject in zip(given, found, strict=True)
    ]


def _facts(name: str) -> list[Any]:
    try:
        told = json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}", hint=_READABLE) from error
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}") from error
    if not isinstance(told, list):
        raise InputError(f"{name} is no list", hint='give [{"text": …}, …]')
    return told


_SAID = {
    "new": "new",
    "same": "known",
    "refines": "finer",
    "supersedes": "replaces",
    "superseded": "older than what is known",
    "contradicts": "contradicts",
    "ended": "no longer said",
}


_MARKS = {"same": "=", "ended": "-"}
_KEPT = {
    "": "nothing is kept: it is {note}",
    "new": "kept as a document; {found} in it",
    "changed": "kept as a document in place of an older version; {found} in it",
    "known": "known as a document; {found} in it",
    "forgotten earlier": "it was forgotten, and is not kept again; {found} in it",
}
"""What became of the text itself."""


def _curated(done: facade.Curated, style: terminal.Style) -> str:
    lines = [f"{style.bold}{done.about}{style.off}"]
    note = done.survey.get("note") or "not written"
    found = len(done.items) - done.of_kind("ended")
    lines.append(f"  {_KEPT[done.kept].format(note=note, found=plural(found, 'fact'))}")
    for item in done.items:
        more = when(item.why and item.others, f"  {style.dim}{item.why}{style.off}")
        mark = "?" if item.verdict == "pending" else _MARKS.get(item.kind, "+")
        lines.append(f"  {mark} {_SAID[item.kind]:9} {item.text}{more}")
    lines += [f"  {line}" for line in done.told()]
    if done.dry_run:
        lines += ["", *_diff(done)] if done.touched else ["", "nothing would change"]
    elif done.id:
        review = sum(item.verdict == "pending" for item in done.items)
        look = when(review, f"; {review} to look at: `recollect review`")
        lines.append(
            f"{style.dim}{plural(len(done.touched), 'document')} changed{look}; "
            f"`recollect undo {done.id}` takes it back{style.off}"
        )
    return "\n".join(lines)


def _diff(done: facade.Curated) -> Iterator[str]:
    """What would change, document by document."""
    for before, after in done.touched:
        document = after or before
        assert document is not None
        name = f"{document.kind} {document.external}"
        yield from difflib.unified_diff(
            _shown(before),
            _shown(after),
            f"before/{name}" if before else "/dev/null",
            f"after/{name}" if after else "/dev/null",
            lineterm="",
            n=1,
        )


_META = ("summary", "facts", "supersedes", "superseded_by", "contradicts", "valid_to", "ended")


def _shown(document: Document | None) -> list[str]:
    if document is None:
        return []
    title = some(when(document.title, f"title: {document.title}"))
    kept = {name: document.meta.get(name) for name in _META}
    more = (when(value, f"{name}: {value}") for name, value in kept.items())
    return [*title, *document.text.splitlines(), *some(*more)]


# ------------------------------------------------------------------ review


def declare_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("receipt", nargs="?", help="one receipt; without it, all that wait")
    parser.add_argument("facts", nargs="*", metavar="FACT", help="only these of it")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--accept", action="store_true", help="what was done stays")
    which.add_argument("--reject", action="store_true", help="take it back")
    parser.add_argument("--owner", help="whose knowledge it is")
    parser.add_argument("--by", default="", help="who decides, for the provenance")


def review(options: Options) -> int:
    with open_memory(options) as memory:
        if options.accept or options.reject:
            return _reviewed(memory, options)
        found = memory.curation.to_review(owner=options.owner)
        if options.receipt:
            found = [one for one in found if one.id == options.receipt]
            if not found:
                said = f"nothing of {options.receipt!r} waits for review"
                raise NotFound(said, hint=_WAITS)
        olds = {
            id: _text(memory, id, options.owner)
            for kept in found
            for i in kept.pending
            for id in i.others
        }
    content = {"items": json_list(found)}
    show(options, content, lambda style: _waiting(found, olds, style))
    return exit_code(found)


def _reviewed(memory: Any, options: Options) -> int:
    if not options.receipt:
        raise UsageError("which receipt?", hint=_WAITS)
    who = {"owner": options.owner, "by": options.by}
    done = memory.curation.review(options.receipt, *options.facts, accept=options.accept, **who)
    said = "accepted" if options.accept else "rejected, and what it had replaced holds again"
    show(options, done.as_json(), lambda _: said)
    return 0


def _text(memory: Any, id: str, owner: str | None) -> str:
    try:
        return str(memory.curation.fact(id, owner=owner).text)
    except RecollectError:
        return "(forgotten)"


def _waiting(
    found: Sequence[facade.CurationReceipt], olds: dict[str, str], style: terminal.Style
) -> str:
    lines = []
    for kept in found:
        lines.append(f"{style.bold}{kept.id}{style.off}  {kept.about}  {minute(kept.at)[:10]}")
        for item in kept.pending:
            lines.append(f"  {item.id}  {_SAID[item.kind]}: {style.dim}{item.why}{style.off}")
            lines += [f"    - {olds.get(other, '')}" for other in item.others]
            lines.append(f"    + {item.text}")
    how = f"{style.dim}recollect review RECEIPT [FACT…] --accept | --reject{style.off}"
    lines += some(when(found, how))
    return listing(lines, "nothing waits for review")


# ------------------------------------------------------------------ undo


def declare_undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("receipt", nargs="?", default="", help="its id; without it, the last one")
    parser.add_argument("--list", action="store_true", help="show what can be undone")
    parser.add_argument("--owner", help="whose knowledge it is")


def undo(options: Options) -> int:
    with open_memory(options) as memory:
        if options.list:
            found = memory.curation.receipts(owner=options.owner)
            content = {"items": json_list(found)}
            show(options, content, lambda style: _receipts(found, style))
            return exit_code(found)
        done = memory.curation.undo(options.receipt, owner=options.owner)
    text = f"as it was before {done.about!r} ({plural(len(done.touched), 'document')})"
    show(options, done.as_json(), lambda _: text)
    return 0


def _receipts(found: Sequence[facade.CurationReceipt], style: terminal.Style) -> str:
    lines = [
        f"{kept.id}  {minute(kept.at)}  {kept.about}  "
        f"{style.dim}{plural(len(kept.touched), 'document')}"
        f"{when(kept.undone, ', undone')}{style.off}"
        for kept in found
    ]
    return listing(lines, "nothing was curated yet")


# ------------------------------------------------------------------ prelude


def declare_prelude(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--read", action="store_true", help="read the newest conversations first")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="how many of them at most (20)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--set", metavar="FILE", help="replace the log by this text; - is standard input"
    )
    which.add_argument("--clear", action="store_true", help="erase the log")
    parser.add_argument("--owner", help="whose knowledge it is")


def prelude(options: Options) -> int:
    with open_memory(options) as memory:
        if options.set or options.clear:
            text = "" if options.clear else _edited(options.set)
            memory.curation.edit_prelude(text, owner=options.owner, clear=options.clear)
        if options.read:
            memory.curation.observe(limit=options.limit, owner=options.owner)
        found = memory.curation.prelude(owner=options.owner)
        text = memory.curation.prelude_text(owner=options.owner)
    told = [{**entry._asdict(), "at": entry.at.isoformat()} for entry in found]
    none = "nothing was observed yet; `recollect prelude --read` reads the newest conversations"
    show(options, {"entries": told}, lambda _: text.rstrip() if found else none)
    return exit_code(found)


def _edited(name: str) -> str:
    """The log that somebody hands in."""
    return sys.stdin.read() if name == "-" else facade.read_file(Path(name)).text


# ------------------------------------------------------------------ tidy


def declare_tidy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--owner", help="whose knowledge it is")


def tidy(options: Options) -> int:
    with open_memory(options) as memory:
        found = memory.curation.tidy(owner=options.owner)
    content = {"proposals": json_list(found)}

    def told(style: terminal.Style) -> str:
        lines = [
            f"{style.bold}{one.kind}{style.off}  {one.text}\n    {style.dim}{one.why}{style.off}"
            + when(one.command, f"\n    {one.command}")
            for one in found
        ]
        return listing(lines, "nothing to tidy")

    show(options, content, told)
    return exit_code(found)
