"""The text of PDF files, page by page, where the package that reads them is installed."""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from recollect.nouns import Problem
from recollect.sources.formats import Content, OutlineSection
from recollect.text.unicode import whole

_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)", re.ASCII)


def read(path: Path, raw: bytes) -> Content | Problem:
    try:
        pypdf = importlib.import_module("pypdf")
    except ImportError:
        why = 'PDF files need one more package: pip install "recollect[pdf]"'
        return Problem(str(path), why, "skipped")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        book = pypdf.PdfReader(io.BytesIO(raw))
        if book.is_encrypted and not book.decrypt(""):
            return Problem(str(path), "protected with a password; save it without one")
        pages, warnings = _pages(path, book.pages)
        about = {
            name.strip("/").lower(): whole(str(value)).strip()
            for name, value in (book.metadata or {}).items()
        }
    except Exception as error:  # noqa: BLE001  pypdf raises whatever its parsing runs into
        return Problem(str(path), f"not a readable PDF: {error or type(error).__name__}")
    if not any(pages):
        why = "no text in it, probably a scan; add it, for instance with `ocrmypdf`"
        return warnings[0]._replace(level="failed") if warnings else Problem(str(path), why)
    sections, offset = [], 0
    for number, text in enumerate(pages, 1):
        if text:
            sections.append(OutlineSection(offset, 1, f"page {number}"))
            offset += len(text) + 2
    meta = {name: about[name] for name in ("author", "subject", "keywords") if about.get(name)}
    made = _DATE.match(about.get("creationdate", ""))
    if made:
        meta["date"] = "-".join(made.groups())
    text = "\n\n".join(filter(None, pages)) + "\n"
    return Content(text, about.get("title", ""), meta, "document", tuple(sections), tuple(warnings))


def _pages(path: Path, pages: Iterable[Any]) -> tuple[list[str], list[Problem]]:
    texts: list[str] = []
    warnings: list[Problem] = []
    for number, page in enumerate(pages, 1):
        try:
            texts.append(whole(page.extract_text()).replace("\x00", "").strip())
        except Exception as error:  # noqa: BLE001  the other pages are good
            why = f"page {number} cannot be read: {error or type(error).__name__}"
            warnings.append(Problem(str(path), why, "warning"))
            texts.append("")
    return texts, warnings
