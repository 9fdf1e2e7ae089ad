"""Keys: from the environment, else from the system's keyring; never from a file of settings.

A key of a named provider goes to that provider's own address and to no other. A :class:`Key` shows
itself to nobody but the connection: its ``repr`` is three dots, and whatever a server says is
cleaned of it before anybody reads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from recollect.errors import ModelUnauthorised

SERVICE = "recollect"
"""The keyring's name for us; the name of the entry is that of the variable."""
_SHORT = 6


class Key:
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
        return "Key(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be copied anywhere")

    def cleaned(self, text: str) -> str:
        """*text* without the key, whole or with its middle taken out by somebody."""
        if len(self._text) < _SHORT:
            return text
        return text.replace(self._text, "…")


class Found(NamedTuple):
    """A key, or where one would be looked for."""

    key: Key | None
    variables: tuple[str, ...]

    @property
    def where(self) -> str:
        return self.key.where if self.key else ""


def find_key(
    variables: tuple[str, ...], *, keyring: bool, environ: Mapping[str, str] | None = None
) -> Found:
    """The first of these variables that is set; else, where a *keyring* may be asked, the first
    that it knows."""
    environ = os.environ if environ is None else environ
    for name in variables:
        if environ.get(name, "").strip():
            return Found(Key(environ[name], name), variables)
    for name in variables if keyring else ():
        text = _from_keyring(name)
        if text and text.strip():
            return Found(Key(text, f"the keyring's {name}"), variables)
    return Found(None, variables)


def _from_keyring(name: str) -> str | None:
    from importlib import import_module

    try:
        found = import_module("keyring").get_password(SERVICE, name)
    except ImportError:  # it is optional
        return None
    except Exception:  # noqa: BLE001  a keyring may be anybody's, and locked
        return None
    return found if isinstance(found, str) else None
