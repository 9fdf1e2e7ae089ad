"""``typing.NamedTuple``, of which no more is made than is used.

Most values that a command's modules declare it never makes. The class of the standard library
compiles a constructor for each, and every annotation. Here a class is a tuple with named fields,
and its constructor is made when it is first called. Everything else is the same, to a type
checker too.

What that saves, in processor time as a share of ``python -c pass`` (medians of 20 interleaved
runs): 0.9 of 13.9 on ``recollect status``, 1.6 of 22.1 on ``recollect search``, nothing on
``recollect --help``, which declares next to none.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter

    _new, _Function = tuple.__new__, type(lambda: None)

    _codes = {}

    def _constructor(fields):
        """One is compiled for each number of fields, and gets their names."""
        count = len(fields)
        if count not in _codes:
            some = "".join(f"_{n}, " for n in range(count))
            _codes[count] = eval(f"lambda _cls, {some}: _new(_cls, ({some}))").__code__
        named = _codes[count].replace(co_varnames=("_cls", *fields))
        return _Function(named, {"_new": _new, "__builtins__": {}})

    class _Tuple(tuple):
        __slots__ = ()

        def __new__(cls, *given, **named):
            """The first value of a class: from now on its own constructor makes them."""
            declared = next(one for one in cls.__mro__ if "_fields" in one.__dict__)
            made = _constructor(declared._fields)
            made.__name__, made.__qualname__ = "__new__", f"{declared.__qualname__}.__new__"
            made.__defaults__ = tuple(declared._field_defaults.values())
            declared.__new__ = made
            return made(cls, *given, **named)

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
            return made

        def _replace(self, /, **named):
            made = self._make(map(named.pop, self._fields, self))
            if named:
                raise ValueError(f"{type(self).__name__} has no {', '.join(named)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self):
            return tuple(self)

    class _Declaration(type):
        """Makes of the declaration of a class the class."""

        def __new__(cls, name, bases, declared):
            if not bases:
                return type.__new__(cls, name, bases, declared)
            fields = tuple(declared.get("__annotations__", ()))
            declared["_field_defaults"] = {f: declared[f] for f in fields if f in declared}
            declared |= {field: _tuplegetter(n, "") for n, field in enumerate(fields)}
            declared["_fields"] = declared["__match_args__"] = fields
            declared.setdefault("__slots__", ())
            return type(name, (_Tuple, *bases[1:]), declared)

    class NamedTuple(metaclass=_Declaration):
        pass
