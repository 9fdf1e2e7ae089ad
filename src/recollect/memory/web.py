"""The web that the configuration allows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect import config as settings
from recollect.errors import ConfigError, WebRefused
from recollect.nouns import Document
from recollect.nouns.web import WebPage
from recollect.ports import Web

if TYPE_CHECKING:
    from recollect.models.llm.keys import ApiKey
    from recollect.sources.web.engines import Engine

SOURCE = "web"
"""The source of pages that were kept."""


def open_web(config: settings.Config) -> Web:
    """The web with the configured search engine, and without one where none is. Nothing is sent
    yet."""
    from recollect.sources.web.engines import engine
    from recollect.sources.web.guard import Domains
    from recollect.sources.web.search import WebSearch

    said = config["web.engine"]
    found = None if said == "none" else engine(said, config["web.fields"] or ())
    domains = Domains(config["web.allow"], config["web.deny"])
    return WebSearch(
        found, domains, seconds=config["web.seconds"], key=lambda: found and _key(found)
    )


def check_allowed(config: settings.Config) -> None:
    """Raises where the user has not allowed that the web is asked."""
    if config["web.when"] == "never":
        raise WebRefused(
            "the web is not asked, because web.when is never",
            hint="`recollect config set web.when asked` allows it where it is asked for, `low` "
            "wherever memory does not answer",
        )


def check_engine(config: settings.Config) -> None:
    if config["web.engine"] == "none":
        raise ConfigError(
            "no search engine is configured",
            hint="`recollect config set web.engine searxng:URL` (or brave, or json:URL)",
        )


def _key(engine: Engine) -> ApiKey | None:
    from recollect.models.addresses import is_loopback
    from recollect.models.llm.keys import find_key

    here = is_loopback(engine.host)
    found = find_key(engine.variables, keyring=not here)
    if found.key is None and engine.needs_key:
        raise WebRefused(f"there is no key for {engine.host}",
                         hint=f"set {engine.variables[0]} in the environment, or keep it in the "
                         f"keyring (`keyring set recollect {engine.variables[0]}`)")  # fmt: skip
    if found.key and engine.url.startswith("http://") and not here:
        raise WebRefused(
            f"the key in {found.where} would go to {engine.host} for everybody to read",
            hint="use https://, or unset the key if it needs none",
        )
    return found.key


def as_document(page: WebPage, url: str, **given: Any) -> Document:
    """A page as it is kept: of a kind of its own, with where it is from and when it was read."""
    read = datetime.now(UTC).replace(microsecond=0)
    meta = {**page.meta, "url": page.url, "read": read.isoformat().replace("+00:00", "Z")}
    if url != page.url:
        meta["asked"] = url
    return Document(
        page.url, SOURCE, page.text, kind="web", title=page.title, path=page.url,
        date=_dated(page) or read, meta=meta, **given,
    )  # fmt: skip


def _dated(page: WebPage) -> datetime | None:
    from recollect.text.dates import parse_date

    said = page.meta.get("date", "")
    try:
        return parse_date(said) if said else None
    except ValueError:
        return None
