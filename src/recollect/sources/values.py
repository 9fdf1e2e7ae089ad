"""Values of JSON that another program wrote, of which no type can be relied on.

Each function returns an empty value for one of another type, so that readers need not ask.
"""

from __future__ import annotations

import json
from typing import Any

from recollect.nouns import filled, of_type
from recollect.nouns import listed as listed
from recollect.nouns import mapping as mapping
from recollect.text.unicode import whole


def string(value: Any) -> str:
    """Returns a text as it can be stored; nothing for what is no text."""
    return whole(value) if isinstance(value, str) else ""


def array(value: Any) -> list[Any]:
    """Returns a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """Returns the objects in a list."""
    return of_type(array(value), dict)


def are_names(value: Any) -> bool:
    """Tells whether it is a list of texts that are not empty."""
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def json_value(text: str | bytes) -> Any:
    """Returns the value of a JSON text; None for a text that is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def dig(value: Any, *names: str) -> Any:
    """Returns what stands under the names, one in the other; None where one is missing."""
    for name in names:
        value = mapping(value).get(name)
    return value


def nonempty(**values: Any) -> dict[str, Any]:
    """Returns the values that are not empty."""
    return filled(values)


def first(*values: Any) -> str:
    """Returns the first text that is not empty."""
    return next(filter(None, map(string, values)), "")
