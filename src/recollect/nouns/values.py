"""Values in bulk: as JSON, by their type, by a key."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, TypeVar

K = TypeVar("K")
T = TypeVar("T")


def json_list(items: Iterable[Any]) -> list[dict[str, Any]]:
    """Returns ``as_json()`` of each item."""
    return [item.as_json() for item in items]


def json_or_none(value: Any) -> dict[str, Any] | None:
    """Returns ``as_json()`` of a value, where there is one."""
    return value.as_json() if value else None


def dict_list(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Returns each named tuple as an object."""
    return [row._asdict() for row in rows]


def mapping(value: Any) -> dict[str, Any]:
    """Returns an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Returns a list as it is, and anything else as the only item of one."""
    return value if isinstance(value, list) else [value]


def attributes(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """Returns these attributes of a value by their names."""
    return {name: getattr(value, name) for name in names}


def not_none(fields: Mapping[K, T | None]) -> dict[K, T]:
    """Returns the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def filled(fields: Mapping[K, T]) -> dict[K, T]:
    """Returns the fields that are neither None nor empty."""
    return {name: value for name, value in fields.items() if value}


def without(fields: Mapping[K, T], names: Container[object]) -> dict[K, T]:
    """Returns the fields but those of these names."""
    return {name: value for name, value in fields.items() if name not in names}


def only(fields: Mapping[K, T], names: Container[object]) -> dict[K, T]:
    """Returns the fields of these names."""
    return {name: value for name, value in fields.items() if name in names}


def among(items: Iterable[T], known: Container[object]) -> Iterator[T]:
    """Yields the items that are among the known ones, in their order."""
    return (item for item in items if item in known)


def not_among(items: Iterable[T], known: Container[object]) -> Iterator[T]:
    """Yields the items that are not among the known ones, in their order."""
    return (item for item in items if item not in known)


def values_of(fields: Mapping[K, T], names: Iterable[K]) -> Iterator[T]:
    """Yields the fields of these names that there are, in the order of the names."""
    return (fields[name] for name in names if name in fields)


def of_type(items: Iterable[Any], kind: type[T]) -> list[T]:
    """Returns the items of a type, in their order."""
    return [item for item in items if isinstance(item, kind)]


def partition(is_meant: Callable[[T], object], items: Iterable[T]) -> tuple[list[T], list[T]]:
    """Returns the items that are meant, and the others, each in their order."""
    meant: list[T] = []
    others: list[T] = []
    for item in items:
        (meant if is_meant(item) else others).append(item)
    return meant, others


def by_id(items: Iterable[T]) -> dict[str, T]:
    """Returns the items by their ids."""
    return index_by(attrgetter("id"), items)


def by_name(items: Iterable[T]) -> dict[str, T]:
    """Returns the items by their names."""
    return index_by(attrgetter("name"), items)


def index_by(key: Callable[[T], K], items: Iterable[T]) -> dict[K, T]:
    """Returns the items by their keys: of those that share one the last."""
    return {key(item): item for item in items}


def group_by(key: Callable[[T], K], items: Iterable[T]) -> dict[K, list[T]]:
    """Returns the items by their keys, in their order."""
    return grouped((key(item), item) for item in items)


def grouped(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Returns the second parts of the pairs by the first, in their order."""
    found: dict[K, list[T]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def optional_names(names: Iterable[str] | None) -> tuple[str, ...] | None:
    """Returns names that may be none at all, which is another thing than an empty list."""
    return None if names is None else tuple(names)
