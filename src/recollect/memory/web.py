"""``m.web``: the web, as far as the configuration allows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from recollect import config as settings
from recollect.arguments import clean
from recollect.errors import ConfigError, InputError, UsageError, WebRefused
from recollect.memory import writes
from recollect.memory.core import Core
from recollect.models import addresses
from recollect.models.llm import keys
from recollect.nouns import Document, Source
from recollect.nouns.web import WebFound, WebPage
from recollect.ports import Web
from recollect.sources.web import engines, guard
from recollect.sources.web import search as web_search
from recollect.text import dates

SOURCE = "web"
"""The source of pages that were kept."""


class WebClient:
    """Searches of the web and pages kept from it."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def search(self, query: str, *, limit: int = 5, read: int | None = None) -> WebFound:
        """What the web says, where the user allows that it is asked; memory is not looked at, and
        nothing is kept. Of the first *read* results the page is read."""
        return search(self._core, query, limit=limit, read=read)

    def add(
        self, url: str, *, owner: str | None = None, scopes: Sequence[str] | None = None
    ) -> Document:
        """Keeps a page of the web, as it is now: text alone, of the kind ``web``, with where it is
        from and when it was read. Read again, it replaces what was kept."""
        page = _opened(self._core).page(clean(url))
        if not page.text:
            raise InputError(f"{page.url}: the page has no text")
        whose = writes.owner_and_scopes(self._core, {"owner": owner, "scopes": scopes})
        made = as_document(page, clean(url), **whose)
        made = writes.keep(self._core, Source(SOURCE, "web"), made)
        self._core.store.admin.refresh()
        return made

    def use(self, web: Web) -> None:
        """Asks a web of your own instead of the configured one; what the settings allow holds."""
        self._core.web = web


def search(core: Core, query: str, *, limit: int = 5, read: int | None = None) -> WebFound:
    """Searches the web, if the settings allow it."""
    for name, value, least, most in (("limit", limit, 1, 20), ("read", read or 0, 0, 5)):
        if not least <= value <= most:
            raise UsageError(f"{name} is {value}", hint=f"give {least} to {most}")
    check_allowed(core.config)
    much = core.config["web.read"] if read is None else read
    return searchable(core).search(clean(query), limit=limit, read=much)


def searchable(core: Core) -> Web:
    """The web, once a search engine is configured."""
    if core.web is None:
        check_engine(core.config)
    return _opened(core)


def _opened(core: Core) -> Web:
    if core.web is None:
        core.web = open_web(core.config)
    return core.web


def open_web(config: settings.Config) -> Web:
    """The web with the configured search engine, and without one where none is. Nothing is sent
    yet."""
    said = config["web.engine"]
    found = None if said == "none" else engines.engine(said, config["web.fields"] or ())
    domains = guard.Domains(config["web.allow"], config["web.deny"])
    return web_search.WebSearch(
        found, domains, seconds=config["web.seconds"], key=lambda: found and key_for(found)
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


def key_for(engine: engines.Engine) -> keys.ApiKey | None:
    here = addresses.is_loopback(engine.host)
    found = keys.find_key(engine.variables, keyring=not here)
    if found.key is None and engine.needs_key:
        raise WebRefused(
            f"there is no key for {engine.host}",
            hint=f"set {engine.variables[0]} in the environment, or keep it in the "
            f"keyring (`keyring set recollect {engine.variables[0]}`)",
        )
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
        page.url,
        SOURCE,
        page.text,
        kind="web",
        title=page.title,
        path=page.url,
        date=_dated(page) or read,
        meta=meta,
        **given,
    )


def _dated(page: WebPage) -> datetime | None:
    said = page.meta.get("date", "")
    try:
        return dates.parse_date(said) if said else None
    except ValueError:
        return None
