"""The part of JSON Schema that answers are checked with, and the JSON in what a model said.

Understood: ``type``, ``properties``, ``required``, ``additionalProperties`` (true or false),
``items``, ``enum``, ``const``, ``anyOf``, ``minItems``, ``maxItems``, ``minLength``, ``maxLength``,
``minimum``, ``maximum``. ``title`` and ``description`` are for the model alone. Any other word is
an error of whoever wrote the schema: nothing is left unchecked in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, repeat
from operator import ge, le
from typing import Any

from recollect.errors import ModelGarbled, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import only

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_WORDS = frozenset(
    "type properties required additionalProperties items enum const anyOf minItems maxItems "
    "minLength maxLength minimum maximum title description".split()
)
_MOST_PROBLEMS = 8
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def check_schema(schema: Mapping[str, Any], at: str = "the schema") -> None:
    """Raises for a schema that is more than is understood here."""
    unknown = sorted(set(schema) - _WORDS)
    if unknown:
        raise UsageError(f"{at} has {unknown[0]!r}, which is not understood")
    kinds = _kinds(schema)
    if not set(kinds) <= _TYPES.keys():
        raise UsageError(f"{at} has the type {schema['type']!r}, which does not exist")
    properties, items = schema.get("properties", {}), only(schema, ("items",))
    choices = zip(repeat("anyOf"), schema.get("anyOf", ()), strict=False)
    for name, inner in (*properties.items(), *items.items(), *choices):
        check_schema(inner, f"{at}, {name}")
    if not isinstance(schema.get("additionalProperties", True), bool):
        raise UsageError(f"{at} has additionalProperties that are neither true nor false")


def is_closed(schema: Mapping[str, Any]) -> bool:
    """Returns whether every object in it has exactly its named properties, as strict decoding
    wants."""
    own = schema.get("properties", {})
    if "object" in _kinds(schema) and (
        schema.get("additionalProperties") is not False
        or set(own) != set(schema.get("required", ()))
    ):
        return False
    items = filter(None, [schema.get("items")])
    return all(map(is_closed, (*own.values(), *schema.get("anyOf", ()), *items)))


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Returns the first few things that are wrong with *value*, in words for the model that made
    it."""
    return list(islice(_problems(value, schema, ""), _MOST_PROBLEMS))


def _kinds(schema: Mapping[str, Any]) -> tuple[str, ...]:
    said = schema.get("type", ())
    return (said,) if isinstance(said, str) else tuple(said)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _problems(value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    where = at or "the whole"
    kinds = _kinds(schema)
    if kinds and not any(map(partial(_is, value), kinds)):
        yield f"{where} must be {' or '.join(kinds)}"
        return
    for word, constraint in _CONSTRAINTS.items():
        if word in schema and constraint.is_broken(value, schema[word]):
            yield f"{where} {constraint.told(schema[word])}"
    if isinstance(value, dict):
        yield from _object(value, schema, at)
    if isinstance(value, list) and "items" in schema:
        for place, one in enumerate(value):
            yield from _problems(one, schema["items"], f"{at}[{place}]")


class _Constraint(NamedTuple):
    """What a word of a schema demands of a value of one kind, or of any."""

    kind: str
    holds: Callable[[Any, Any], bool]
    message: str

    def is_broken(self, value: Any, limit: Any) -> bool:
        return (not self.kind or _is(value, self.kind)) and not self.holds(value, limit)

    def told(self, limit: Any) -> str:
        return self.message.format(json.dumps(limit, ensure_ascii=False))


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_one(value: Any, choices: Any) -> bool:
    return any(map(partial(_same, value), choices))


def _fits_one(value: Any, schemas: Any) -> bool:
    return not all(any(_problems(value, one, "")) for one in schemas)


def _has_least(value: Any, count: int) -> bool:
    return len(value) >= count


def _has_most(value: Any, count: int) -> bool:
    return len(value) <= count


_CONSTRAINTS: Mapping[str, _Constraint] = {
    "enum": _Constraint("", _is_one, "must be one of {}"),
    "const": _Constraint("", _same, "must be {}"),
    "anyOf": _Constraint("", _fits_one, "is none of what it may be"),
    "minItems": _Constraint("array", _has_least, "must have at least {} items"),
    "maxItems": _Constraint("array", _has_most, "must have at most {} items"),
    "minLength": _Constraint("string", _has_least, "must have at least {} characters"),
    "maxLength": _Constraint("string", _has_most, "must have at most {} characters"),
    "minimum": _Constraint("number", ge, "must be at least {}"),
    "maximum": _Constraint("number", le, "must be at most {}"),
}


def _object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    where, own = at or "the whole", schema.get("properties", {})
    yield from (
        f"{where} lacks {name!r}" for name in schema.get("required", ()) if name not in value
    )
    for name, one in value.items():
        if name in own:
            yield from _problems(one, own[name], f"{at}.{name}".removeprefix("."))
        elif schema.get("additionalProperties") is False:
            yield f"{where} has {name!r}, which it may not have"


# ------------------------------------------------------------------ JSON in text


def json_in(text: str) -> Any:
    """Returns the JSON that a model wrote: all of the text, or what is fenced in it, or the first
    object or array there."""
    text = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.search(text)
    for some in (text, fenced[1].strip() if fenced else ""):
        try:
            return _loads(some)
        except ValueError:
            continue
    begins = re.search(r"[{\[]", text)
    if begins is not None:
        try:
            return json.JSONDecoder(parse_constant=_refuse).raw_decode(text, begins.start())[0]
        except (ValueError, RecursionError):
            pass
    raise ModelGarbled("its answer is not JSON")


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def in_words(schema: Mapping[str, Any]) -> str:
    """Returns what a model is told that cannot be held to a schema."""
    return (
        "Answer with one JSON value and nothing else: no explanation, no code fence. "
        "It must follow this JSON schema:\n" + json.dumps(schema, ensure_ascii=False)
    )
