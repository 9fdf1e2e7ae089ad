"""Documents without the secrets that are in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Put
from recollect.sources import formats
from recollect.text import redact
from recollect.text.chunk import passages
from recollect.writing.documents import Item


def redacted_items(items: Iterable[Item], counts: Counter[str]) -> Iterator[Item]:
    """Yields the items of a source without secrets. A text that was changed is cut into passages
    again."""
    for item in items:
        if isinstance(item, Document):
            item = redacted(item, counts)
        elif isinstance(item, Put):
            document = redacted(item.document, counts)
            cut = item.passages
            if document.text != item.document.text:
                cut = passages(document, _sections(document))
            item = Put(document, cut)
        yield item


def redacted(document: Document, counts: Counter[str] | None = None) -> Document:
    """Returns the document without its secrets. A secret that is in the text and in a field of the
    header is counted once."""
    said = document.rendered() if document.messages else document.text
    clean = _Cleaner(counts, said)
    return document._replace(
        text=clean.text(document.text),
        title=clean.text(document.title, again=True),
        messages=tuple([m._replace(text=clean.text(m.text)) for m in document.messages]),
        meta=redact.redact_value(dict(document.meta), "", clean.field),
    )


class _Cleaner(NamedTuple):
    counts: Counter[str] | None
    said: str

    def text(self, text: str, *, again: bool = False) -> str:
        """Returns the text without secrets. With *again*, a text that was counted before is not
        counted."""
        done = redact.redact(text)
        if done.counts and self.counts is not None and not (again and text in self.said):
            self.counts.update(done.counts)
        return done.text

    def field(self, name: str, value: str) -> str:
        """Returns the value of a field without secrets; one that is in the text is not counted."""
        clean = redact.redact_field(name, value)
        if clean != value and value not in self.said:
            self.text(f"{name}: {value}")
        return clean


def _sections(document: Document) -> tuple[formats.OutlineSection, ...] | None:
    """Returns the outline of a text after redaction has changed it."""
    return (
        None
        if document.kind == "note"
        else formats.outline(document.text, Path(document.path).suffix)
    )
