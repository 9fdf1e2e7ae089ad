"""A server that is sent JSON and answers with JSON, with the key that is meant for it and no other.

Embedders and rerankers elsewhere share this: where their key is, that it goes nowhere it could be
read, what an error of theirs means, and that nothing they say shows the key.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from time import monotonic
from typing import Any

from recollect.errors import ModelBusy, ModelGarbled, ModelUnreachable
from recollect.models.addresses import host_of, is_loopback
from recollect.models.llm import connection
from recollect.models.llm.dialect import error_of, message_in
from recollect.models.llm.keys import KeyLookup, find_key

CONNECT = 2.0


class Remote:
    """One address. Safe to share between threads."""

    def __init__(self, url: str, vendors: Mapping[str, str], own_key: str) -> None:
        """*vendors* are hosts and the variables of their keys; for others it is *own_key*."""
        self.url = url
        self.host = host_of(url)
        own = vendors.get(self.host)
        self._variables = (own, own_key) if own else (own_key,)
        self._needs_key = own is not None
        self._found: KeyLookup | None = None

    def post(self, content: Mapping[str, Any], until: float, attempts: int, backoff: float) -> Any:
        """Returns its answer. It is asked again, after a random pause or when it says, while there
        are attempts and time left."""
        for attempt in range(1, attempts + 1):
            try:
                return self._once(content, until)
            except (ModelBusy, ModelUnreachable) as error:
                pause = random.uniform(0, backoff * 2**attempt)
                if isinstance(error, ModelBusy) and error.after:
                    pause = error.after * random.uniform(1.0, 1.1)
                if attempt == attempts or monotonic() + pause >= until:
                    raise
            time.sleep(pause)
        raise AssertionError("unreachable")

    def garbled(self, what: str) -> ModelGarbled:
        return ModelGarbled(f"{self.host}: {what}")

    def _once(self, content: Mapping[str, Any], until: float) -> Any:
        found = self._key()
        headers = {"Content-Type": "application/json"}
        if found.key is not None:
            headers["Authorization"] = f"Bearer {found.key.reveal()}"
        raw = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
        request = connection.Post(self.url, headers, raw, CONNECT, until)
        with connection.HttpExchange(request) as exchange:
            status, answered = exchange.head(float("inf"))
            body = exchange.body()
        if status != 200:
            said = found.cleaned(message_in(body)[0])
            where = found.where or " or ".join(found.variables)
            raise error_of(self.host, status, said, connection.retry_after(answered), where)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise self.garbled("its answer is not JSON") from None

    def _key(self) -> KeyLookup:
        if self._found is None:
            found = find_key(self._variables, keyring=not is_loopback(self.host))
            found.check(self.url, required=self._needs_key)
            self._found = found
        return self._found
