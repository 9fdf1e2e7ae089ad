"""The web behind its port: what is asked of a search engine, and what is read of what it finds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, perf_counter
from typing import Protocol

from recollect.errors import WebError, WebRefused
from recollect.nouns.web import WebFound, WebPage, WebResult
from recollect.sources.web.engines import MOST_QUERY, Engine, results
from recollect.sources.web.fetch import FetchRules, Own, Resolve, fetch, nobodys, ones_own, resolved
from recollect.sources.web.guard import ANY, Domains, link, refuse_number, refuse_port
from recollect.sources.web.pages import TYPES, page
from recollect.text import redact
from recollect.text.tokens import clip_tokens

PAGE_SECONDS = 15.0
"""For a page that somebody asks for by itself."""
TOKENS = 600
"""Of a page that is read for a search."""
_JSON = ("application/json", "text/json", "application/activity+json")


class Secret(Protocol):
    def reveal(self) -> str: ...


class WebSearch:
    """A search engine, and the pages of its results. Without an engine, it only reads pages."""

    def __init__(
        self,
        engine: Engine | None,
        domains: Domains = ANY,
        *,
        seconds: float = 5.0,
        key: Callable[[], Secret | None] = lambda: None,
        own: Own = nobodys,
        resolve: Resolve = resolved,
    ) -> None:
        self._engine = engine
        self._domains = domains
        self._seconds = seconds
        self._secret = key
        self._pages = FetchRules(TYPES, domains, own, resolve=resolve)
        self.key = engine.host if engine else ""

    def search(self, query: str, *, limit: int, read: int) -> WebFound:
        since, until = perf_counter(), monotonic() + self._seconds
        sent = sendable(query)
        if self._engine is None:
            raise WebRefused("no search engine is configured")
        told = self._asked(self._engine, sent, limit, until)
        try:
            found = results(told, self._engine.fields)
        except WebError as error:
            raise WebError(f"{self.key}: {error.message}", hint=error.hint) from None
        kept, hidden = self._let_through(found)
        shown = self._read(kept[:limit], read, until)
        ms = (perf_counter() - since) * 1000
        return WebFound(sent, self.key, tuple(shown), hidden, ms)

    def page(self, url: str) -> WebPage:
        return page(fetch(url, self._pages, monotonic() + PAGE_SECONDS))

    def _asked(self, engine: Engine, query: str, limit: int, until: float) -> object:
        secret = self._secret()
        headers = engine.headers(secret.reveal() if secret else "")
        # The user has named this server, so it may be on this machine; it may not lead elsewhere.
        rules = FetchRules(_JSON, own=ones_own, redirects=0)
        got = fetch(engine.asked(query, limit), rules, until, headers)
        try:
            return json.loads(got.body)
        except (ValueError, RecursionError):
            raise WebError(f"{self.key}: its answer is not JSON") from None

    def _let_through(self, found: list[WebResult]) -> tuple[list[WebResult], dict[str, int]]:
        """Returns the results that may be read, each once, and the number of the others by
        reason."""
        kept: dict[str, WebResult] = {}
        hidden: Counter[str] = Counter()
        for one in found:
            try:
                place = link(one.url)
                if not self._pages.own(place.host, place.port):
                    refuse_port(place)
                    refuse_number(place)
            except WebRefused:
                hidden["no link to follow"] += 1
                continue
            why = self._domains.refusal(place.host)
            if why:
                hidden[why] += 1
            else:
                kept.setdefault(place.url, one._replace(url=place.url))
        return list(kept.values()), dict(hidden)

    def _read(self, found: list[WebResult], read: int, until: float) -> list[WebResult]:
        """Returns the first results with the beginning of their pages, all fetched at once."""
        if not read or not found:
            return found
        with ThreadPoolExecutor(min(read, len(found))) as threads:
            whole = list(threads.map(lambda one: self._with_page(one, until), found[:read]))
        return [*whole, *found[read:]]

    def _with_page(self, one: WebResult, until: float) -> WebResult:
        try:
            got = page(fetch(one.url, self._pages, until))
        except WebError as error:
            return one._replace(note=error.message)
        text = clip_tokens(got.text, TOKENS)
        return one._replace(text=text, url=got.url, read=True) if text else one


def sendable(query: str) -> str:
    """Returns the words of a question that are sent; none if a key or a password is among them."""
    sent = " ".join(query.split())[:MOST_QUERY]
    if not sent:
        raise WebRefused("there is nothing to ask the web for")
    rules = redact.redact(query).counts
    if rules:
        raise WebRefused(
            f"the question has what looks like a secret ({', '.join(rules)}); it was not sent"
        )
    return sent
