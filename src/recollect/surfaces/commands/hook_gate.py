"""Ends a prompt's hook early where the prompt has nothing to do with memory.

It is what most prompts are, and to settle it with a search costs three times as much. What the
settings say is not read here: where there are any that count, the hook takes its whole way.
"""

from __future__ import annotations

import os
import time

from recollect.memory import unrelated
from recollect.surfaces.commands import hook_call
from recollect.surfaces.warm import wire

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SURE = 0.8
"""How sure a hook has to be to say anything."""
FRESH = 900.0
"""Seconds for which what came too late is worth telling."""
_VARIABLES = ("RECOLLECT_STORE", "RECOLLECT_SEARCH")
_COUNT = ("store", "search")
"""How variables and words of a file begin that say which store is meant, or what of it is seen."""


def is_idle(words: Sequence[str], raw: bytes) -> bool:
    """Whether a hook with these arguments and this input has nothing to say, as far as that can be
    told at once."""
    call = hook_call.parsed(words)
    if call.event != "prompt" or os.name != "posix":
        return False
    try:
        payload = hook_call.payload_of(raw)
    except ValueError:
        return False
    folder = _store(call.store, os.environ)
    prompt = hook_call.prompt_of(payload)
    if payload.get("begins") is True or not prompt or not folder or _is_late(os.environ):
        return False
    asked = hook_call.without_syntax(prompt[: hook_call.READ])
    return unrelated.is_unrelated(folder, asked, SURE)


def _store(named: str | None, variables: Mapping[str, str]) -> str:
    """The folder of the store where no settings count; nothing where some do."""
    set_here = any(name.startswith(_VARIABLES) for name in variables)
    if set_here or "://" in (named or "") or _settings_count(variables):
        return ""
    place = named or os.path.join(wire.data(variables), "store")
    return os.path.abspath(os.path.expanduser(place))


def _settings_count(variables: Mapping[str, str]) -> bool:
    """Whether the user's settings, or those of a project above the working folder, may say which
    store is meant or what of it is seen."""
    folder, home = os.getcwd(), os.path.expanduser("~")
    while folder not in (home, os.path.dirname(folder)):
        if os.path.exists(os.path.join(folder, ".recollect.toml")):
            return True
        folder = os.path.dirname(folder)
    try:
        with open(os.path.join(wire.settings(variables), "config.toml"), encoding="utf-8") as file:
            said = file.read()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return any(word in said for word in _COUNT)


def _is_late(variables: Mapping[str, str]) -> bool:
    """Whether something waits for a next prompt, perhaps for this one."""
    try:
        kept = os.scandir(os.path.join(wire.data(variables), "hooks"))
    except OSError:
        return False
    with kept:
        return any(time.time() - file.stat().st_mtime < FRESH for file in kept)
