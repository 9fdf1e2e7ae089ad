"""Our NamedTuple is that of the standard library, made later."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from recollect import named_tuple


class Ours(named_tuple.NamedTuple):
    """A spot."""

    x: int
    y: float = 2.0
    z: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        return self.x + self.y


class Theirs(typing.NamedTuple):
    """A spot."""

    x: int
    y: float = 2.0
    z: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        return self.x + self.y


class Nothing(named_tuple.NamedTuple):
    pass


def _matched(value: Any) -> object:
    match value:
        case Ours(1, y) | Theirs(1, y):
            return y
    return None


USES: list[Callable[[Any], object]] = [
    lambda c: tuple(c(1)),
    lambda c: tuple(c(1, z=("a",))),
    lambda c: c(1).total,
    lambda c: c(1) == (1, 2.0, ()),
    lambda c: hash(c(1)),
    lambda c: tuple(c(1)._replace(y=3.0)),
    lambda c: c(1)._asdict(),
    lambda c: tuple(c._make([1, 2, 3])),
    lambda c: (c._fields, c._field_defaults, c.__match_args__, c.__doc__),
    lambda c: repr(c(1)).partition("(")[2],
    lambda c: tuple(pickle.loads(pickle.dumps(c(1, 5.0)))),
    lambda c: tuple(copy.deepcopy(c(1, 5.0))),
    lambda c: typing.get_type_hints(c),
    lambda c: _matched(c(1, 7.0)),
    lambda c: (type(c), c.__mro__[-2:], c(1).__class__.__module__),
]


@pytest.mark.parametrize("use", USES)
def test_it_does_what_that_of_the_standard_library_does(use: Callable[[Any], object]) -> None:
    assert use(Ours) == use(Theirs)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda c: c(),
        lambda c: c(1, 2, 3, 4),
        lambda c: c(1, nothing=2),
        lambda c: c._make([1]),
        lambda c: c(1)._replace(nothing=2),
        lambda c: setattr(c(1), "x", 2),
        lambda c: setattr(c(1), "w", 2),
    ],
)
def test_what_that_refuses_is_refused(wrong: Callable[[Any], object]) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011  whichever it is
        wrong(Theirs)
    with pytest.raises(theirs.type):
        wrong(Ours)


def test_a_class_without_fields_and_a_class_of_a_class() -> None:
    class Nearer(Ours):
        """Has a method more."""

        def nearer(self) -> int:
            return self.x

    assert tuple(Nothing()) == ()
    assert Nearer(3).nearer() == 3
    assert isinstance(Nearer(3)._replace(x=4), Nearer)
