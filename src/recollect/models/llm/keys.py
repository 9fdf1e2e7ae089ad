"""Keys: from the environment, else from the system's keyring; never from a file of settings.

A key of a named vendor goes to that vendor's own address and to no other. An :class:`ApiKey` shows
itself to nobody but the connection: its ``repr`` is three dots, and whatever a server says is
cleaned of it before anybody reads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import chain

from recollect.errors import ModelUnauthorised
from recollect.models.addresses import host_of, is_loopback
from recollect.named_tuple import NamedTuple

SERVICE = "recollect"
"""The keyring's name for us; the name of the entry is that of the variable."""
_SHORT = 6


class ApiKey:
    """A secret that does not show."""

    __slots__ = ("_text", "where")

    def __init__(self, text: str, where: str) -> None:
        text = text.strip()
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ModelUnauthorised(
                f"{where} holds what cannot be a key: a space, a line break or a letter that is "
                "not ASCII",
                hint="set it again",
            )
        self._text = text
        self.where = where

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "ApiKey(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be copied anywhere")

    def cleaned(self, text: str) -> str:
        """Returns the text without the key."""
        if len(self._text) < _SHORT:
            return text
        return text.replace(self._text, "…")


class KeyLookup(NamedTuple):
    """A key, or where one would be looked for."""

    key: ApiKey | None
    variables: tuple[str, ...]

    @property
    def where(self) -> str:
        return self.key.where if self.key else ""

    def check(self, url: str, *, required: bool) -> None:
        """Raises ModelUnauthorised when the server at *url* needs a key and there is none, or when
        the key would travel there in the clear."""
        host = host_of(url)
        if self.key is None and required:
            variable = self.variables[0]
            raise ModelUnauthorised(
                f"there is no key for {host}",
                hint=f"set {variable} in the environment, or keep it in the keyring "
                f"(`keyring set recollect {variable}`)",
            )
        if self.key is not None and url.startswith("http://") and not is_loopback(host):
            raise ModelUnauthorised(
                f"the key in {self.where} would go to {host} for everybody to read",
                hint="use https://, or unset the key if that server needs none",
            )

    def cleaned(self, text: str) -> str:
        """Returns the text without the key."""
        return self.key.cleaned(text) if self.key else text


def find_key(
    variables: tuple[str, ...], *, keyring: bool, environ: Mapping[str, str] = os.environ
) -> KeyLookup:
    """Looks the key up: the first of these variables that is set; else, where a *keyring* may be
    asked, the first that it knows."""
    places = chain(
        ((name, environ.get(name, "")) for name in variables),
        ((f"the keyring's {name}", _from_keyring(name)) for name in variables if keyring),
    )
    keys = (ApiKey(text, where) for where, text in places if text.strip())
    return KeyLookup(next(keys, None), variables)


def _from_keyring(name: str) -> str:
    try:
        found = import_module("keyring").get_password(SERVICE, name)
    except Exception:  # noqa: BLE001  it is optional, may be anybody's, and may be locked
        return ""
    return found if isinstance(found, str) else ""
