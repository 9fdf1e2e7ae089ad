"""Documents without the secrets that are in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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
        meta={name: clean.value(value, name) for name, value in document.meta.items()},
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

    def value(self, value: Any, name: str) -> Any:
        """Returns a value without secrets; the name of the field may be what tells a secret."""
        if isinstance(value, dict):
            return {key: self.value(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, name) for inner in value]
        if not isinstance(value, str):
            return value
        before = f"{name}: "
        silent = self._replace(counts=None)
        text = (silent if value in self.said else self).text(before + value)
        return text.removeprefix(before) if text.startswith(before) else silent.text(value)


def _sections(document: Document) -> tuple[formats.OutlineSection, ...] | None:
    """Returns the outline of a text after redaction has changed it."""
    return (
        None
        if document.kind == "note"
        else formats.outline(document.text, Path(document.path).suffix)
    )
