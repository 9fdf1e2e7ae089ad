"""One notice, once, when an upgrade has changed a default that the user has not set.

The user's config folder has a small file with the defaults that were last seen. While it says
what is so now, a command reads it and does nothing else.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from recollect import __version__, permissions
from recollect import config as settings
from recollect.errors import RecollectError
from recollect.surfaces.commands.config import plain
from recollect.surfaces.commands.shared import Options, say


def tell_once(options: Options) -> None:
    """Say what has changed, unless nothing may be said: then the next command says it. No
    trouble with the file is any of the command's business."""
    if getattr(options, "quiet", False):
        return
    with suppress(OSError, ValueError, RecollectError):
        file = settings.seen_file()
        defaults = {name: spec.default for name, spec in settings.SETTINGS.items()}
        now = json.dumps({"version": __version__, "defaults": defaults})
        try:
            seen = file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            seen = now
            permissions.folder(file.parent)
        else:
            if seen == now:
                return
        changes = _changes(_defaults(seen), json.loads(now)["defaults"])
        permissions.write(file, now)
        if changes:
            say(options, f"recollect {__version__} has other defaults: {'; '.join(changes)}")


def _defaults(seen: str) -> dict[str, Any]:
    """Returns the defaults in the file; none where it is damaged, which is no reason to fail."""
    try:
        return dict(json.loads(seen)["defaults"])
    except (ValueError, KeyError, TypeError):
        return {}


def _changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Returns the defaults that changed for this user, with the commands that keep the old ones."""
    other = [name for name in now if name in before and before[name] != now[name]]
    if not other:
        return []
    config = settings.load()
    return [
        f"{name} is now {plain(now[name])} (`recollect config set {name} {plain(before[name])}` "
        "keeps it as it was)"
        for name in other
        if config.origin(name) == "default"
    ]
